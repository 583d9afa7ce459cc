//! `tng trickles`: hands out files, and fetches them, while the server keeps nothing of its clients.

mod serve;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::talk::Talk;

pub use serve::ServeArgs;

/// Shown before everything else in `tng trickles --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles serve photos            hand out a folder; killed and started again, its downloads go on
  tng trickles serve photos --keys fleet.epochs
                                       the same on several hosts: all that have this file answer for each other";

/// Arguments of `tng trickles`.
#[derive(Args, Debug)]
pub struct TricklesArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Hand out a folder or a file, and keep nothing of who fetches
    #[command(before_help = serve::EXAMPLES)]
    Serve(ServeArgs),
}

/// Serves or fetches.
///
/// # Errors
/// As the subcommands.
pub async fn run(args: &TricklesArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        Action::Serve(args) => serve::run(args, talk).await,
    }
}
