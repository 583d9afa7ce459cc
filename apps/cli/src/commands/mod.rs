//! One file per subcommand.

pub mod get;
pub mod id;
pub mod serve;
