//! One file per subcommand.

pub mod id;
