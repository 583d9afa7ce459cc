//! `tng trickles`: hands out files, and fetches them, while the server keeps nothing of its clients.

mod serve;

use clap::{Args, Subcommand};

use super::get::{self, GetArgs};
use crate::failure::Failure;
use crate::talk::Talk;
use crate::trickles::PlainUrl;

pub use serve::ServeArgs;

/// Shown before everything else in `tng trickles --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles serve photos            hand out a folder; killed and started again, its downloads go on
  tng trickles serve photos --keys fleet.epochs
                                       the same on several hosts: all that have this file answer for each other
  tng trickles get @FILE//movie.mkv    fetch from them, with the ticket in FILE; again to resume, or to check it";

/// Shown before everything else in `tng trickles get --help`.
const GET_EXAMPLES: &str = "\
Examples:
  tng trickles get @FILE//movie.mkv    fetch a file to here with the ticket in FILE; again to resume, or to check it
  tng trickles get -r -o photos -      fetch all that is served, and paste the ticket when asked
  tng trickles get --fallback-tcp http://mirror/films @FILE//movie.mkv
                                       and from a web server, without protection, where only TCP passes
The server may be stopped and started again meanwhile: nothing is fetched twice. Where no Trickles server answers,
structured streams are tried, which --retry is for.";

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
    /// Fetch files and folders from servers that keep nothing
    #[command(before_help = GET_EXAMPLES)]
    Get(StatelessGetArgs),
}

/// Arguments of `tng trickles get`.
#[derive(Args, Debug)]
struct StatelessGetArgs {
    #[command(flatten)]
    get: GetArgs,
    /// If nobody answers, by Trickles or structured streams, fetch from below this place of a web server over plain
    /// TCP, without protection: whoever is on the path can read and change what comes
    #[arg(long, value_name = "http://HOST/PATH")]
    fallback_tcp: Option<PlainUrl>,
}

/// Serves or fetches.
///
/// # Errors
/// As the subcommands.
pub async fn run(args: &TricklesArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        Action::Serve(args) => serve::run(args, talk).await,
        Action::Get(args) => get::run_stateless(&args.get, args.fallback_tcp.clone(), talk).await,
    }
}
