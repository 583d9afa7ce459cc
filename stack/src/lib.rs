//! Assembles the layers: the only place where they meet.
