//! The reference TCP in virtual time, in sentences.

mod transfer;
mod world;
