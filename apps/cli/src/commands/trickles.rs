//! `tng trickles`: hands out files, and fetches them, while the server keeps nothing of its clients.

mod application;
mod daemons;
#[cfg(feature = "guests")]
mod guest;
mod keys;
mod seals;
mod serve;
mod shop;
mod spray;
mod watch;
mod watermark;
mod web;
mod whole;

use clap::{Args, Subcommand, ValueEnum};
use tng::trickles::Policy;

use self::seals::AskedSeals;
use self::serve::ServeArgs;
use super::get::{self, GetArgs};
use crate::failure::Failure;
use crate::guests::place::PlaceArgs;
#[cfg(not(feature = "guests"))]
use crate::guests::supply::Supply;
use crate::host::Drive;
use crate::talk::Talk;
use crate::trickles::PlainUrl;

/// Shown before everything else in `tng trickles --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles serve photos            hand out a folder; killed and restarted, its downloads go on
  tng trickles keys new fleet.epochs   a file of secrets for several servers
  tng trickles serve photos --keys fleet.epochs
                                       hand it out on several hosts: all that have this file answer
                                       for each other
  tng trickles get @FILE//movie.mkv    fetch from them, with the ticket in FILE; again to resume, or
                                       to check it
  tng trickles proxy @FILE             have curl, wget and browsers fetch from them:
                                       http://127.0.0.1:8080/
  tng trickles gateway --listen :80 @FILE
                                       the same for other hosts
  tng trickles spray --listen :4860 --to ONE --to TWO
                                       one address for several of them: datagrams go to each in its
                                       turn
  tng trickles status                  what the server on this host has done
  tng trickles watermark serve photos --marks marks
                                       hand out images, each with a mark that tells who got it
  tng trickles shop serve --catalogue goods/catalogue --store orders
                                       sell, and remember nothing but what was bought
docs/trickles.md has what operators need to know, and every key of a configuration.";

/// Shown before everything else in `tng trickles get --help`.
const GET_EXAMPLES: &str = "\
Examples:
  tng trickles get @FILE//movie.mkv    fetch a file to here with the ticket in FILE; again to
                                       resume, or to check it
  tng trickles get -r -o photos -      fetch all that is served, and paste the ticket when asked
  tng trickles get --fallback-tcp http://mirror/films @FILE//movie.mkv
                                       and from a web server, without protection, where only TCP
                                       passes
  tng trickles get --pick nearest tng://EID@paris:4860,tokyo:4860/movie.mkv
                                       from the server of a fleet that answers first
  tng trickles get --guest trickles @FILE//movie.mkv
                                       by a client that is itself a guest, in a sandbox: what a
                                       stranger is shipped
The server may be stopped and started again meanwhile: nothing is fetched twice. Where no Trickles
server answers, structured streams are tried, which --retry is for. There is no -C: the server
computes the window of TCP Reno from what this client brings.";

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
    Serve(Box<ServeArgs>),
    /// Fetch files and folders from servers that keep nothing
    #[command(before_help = GET_EXAMPLES)]
    Get(StatelessGetArgs),
    /// Sell and buy, while the shop remembers orders alone
    #[command(before_help = shop::EXAMPLES)]
    Shop(shop::ShopArgs),
    /// Hand out images that tell who got them
    #[command(before_help = watermark::EXAMPLES)]
    Watermark(watermark::WatermarkArgs),
    /// Let programs of this host that speak HTTP fetch from servers that keep nothing
    #[command(before_help = web::PROXY_EXAMPLES)]
    Proxy(web::ProxyArgs),
    /// Let other hosts that speak HTTP, or TCP alone, fetch from servers that keep nothing
    #[command(before_help = web::GATEWAY_EXAMPLES)]
    Gateway(Box<web::GatewayArgs>),
    /// Make, rotate and show the file of secrets that the servers of a fleet share
    #[command(before_help = keys::EXAMPLES)]
    Keys(keys::KeysArgs),
    /// Have what comes to one address go to the servers of a fleet by turns
    #[command(before_help = spray::EXAMPLES)]
    Spray(spray::SprayArgs),
    /// Say whether a configuration is good
    #[command(before_help = daemons::CHECK_EXAMPLES)]
    Check(daemons::ConfigArgs),
    /// Print every value of a configuration, and where it comes from
    #[command(before_help = daemons::DUMP_EXAMPLES)]
    Dump(daemons::ConfigArgs),
    /// Show what a server, a sprayer or a gateway has done
    #[command(before_help = daemons::STATUS_EXAMPLES)]
    Status(daemons::ControlArgs),
    /// Have a server read its files again
    #[command(before_help = daemons::RELOAD_EXAMPLES)]
    Reload(daemons::ControlArgs),
}

/// Arguments of `tng trickles get`.
#[derive(Args, Debug)]
struct StatelessGetArgs {
    #[command(flatten)]
    get: GetArgs,
    #[command(flatten)]
    way: WayArgs,
    /// Fetch one file by this guest in place of the client of this tool: trickles, watermark, which joins marked images
    /// itself, http, which prepares what a server of files reads; or one that is installed, by name or hash
    #[arg(long, value_name = "NAME|HASH", conflicts_with_all = ["fallback_tcp", "pick", "danger_plain"])]
    guest: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// How servers are asked.
#[derive(Args, Clone, Debug)]
struct WayArgs {
    /// If nobody answers, by Trickles or structured streams, fetch from below this place of a web server over plain
    /// TCP, without protection: anybody on the path can read and change what comes
    #[arg(long, value_name = "http://HOST/PATH")]
    fallback_tcp: Option<PlainUrl>,
    /// Which of the servers to ask, if there are several addresses: all must have the same keys
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Pick::Stay)]
    pick: Pick,
    #[command(flatten)]
    seals: AskedSeals,
}

/// [`Policy`], as it is said on a command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Pick {
    /// One, until it does not answer; then the next
    Stay,
    /// Each in its turn, request by request; one that does not answer is passed over
    Spray,
    /// The one that answers first of all, until it does not answer; then the next
    Nearest,
}

impl From<Pick> for Policy {
    fn from(pick: Pick) -> Policy {
        match pick {
            Pick::Stay => Policy::Stay,
            Pick::Spray => Policy::Spray,
            Pick::Nearest => Policy::Nearest,
        }
    }
}

/// Fetches, or looks after a server or its files.
///
/// # Errors
/// As the subcommands.
pub async fn run(args: &TricklesArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        // They have a runtime of their own.
        Action::Serve(args) => serve::run(args, Drive::get(), talk),
        Action::Spray(args) => spray::run(args, talk),
        Action::Proxy(args) => web::proxy(args, Drive::get(), talk),
        Action::Gateway(args) => web::gateway(args, Drive::get(), talk),
        Action::Keys(args) => keys::run(args, talk),
        Action::Check(args) => daemons::check(args, talk),
        Action::Dump(args) => daemons::dump(args, talk),
        Action::Status(args) => daemons::show(args, talk),
        Action::Reload(args) => daemons::reload(args, talk),
        Action::Shop(args) => shop::run(args, talk).await,
        Action::Watermark(args) => watermark::run(args, talk).await,
        Action::Get(args) => {
            if let Some(name) = &args.guest {
                #[cfg(feature = "guests")]
                return guest::run(&args.get, (name, &args.place), talk).await;
                #[cfg(not(feature = "guests"))]
                return args.get.alone(name).and_then(|_| match Supply::open(name, &args.place, talk)? {});
            }
            let WayArgs { fallback_tcp, pick, seals } = args.way.clone();
            get::run_stateless(&args.get, fallback_tcp, (pick.into(), seals.config()), talk).await
        }
    }
}

impl TricklesArgs {
    /// Does what has to begin while there is one thread, if that is asked for.
    pub fn run_alone(&self, drive: Drive, talk: Talk) -> Option<Result<(), Failure>> {
        match &self.action {
            Action::Serve(args) => Some(serve::run(args, drive, talk)),
            Action::Spray(args) => Some(spray::run(args, talk)),
            Action::Proxy(args) => Some(web::proxy(args, drive, talk)),
            Action::Gateway(args) => Some(web::gateway(args, drive, talk)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    #[test]
    fn examples_fit_into_the_hundred_columns_that_help_has_where_there_is_no_terminal() {
        fn check(command: &Command) -> usize {
            let help = command.get_before_help().map(ToString::to_string).unwrap_or_default();
            help.lines().for_each(|line| assert!(line.chars().count() <= 100, "{}: {line}", command.get_name()));
            usize::from(!help.is_empty()) + command.get_subcommands().map(check).sum::<usize>()
        }
        assert!(check(&TricklesArgs::augment_args(Command::new("trickles"))) > 15);
    }

    #[test]
    fn which_server_is_asked_is_one_of_three_words_and_stay_unless_said() {
        let url = format!("{}@localhost/a", tng::Identity::from_seed([1; 32]).eid());
        let pick = |args: &[&str]| {
            let command = StatelessGetArgs::augment_args(Command::new("get"));
            let matches = command.try_get_matches_from([&["get", &url], args].concat())?;
            StatelessGetArgs::from_arg_matches(&matches).map(|args| Policy::from(args.way.pick))
        };
        for (args, expected) in [
            (&[][..], Policy::Stay),
            (&["--pick", "stay"], Policy::Stay),
            (&["--pick", "spray"], Policy::Spray),
            (&["--pick", "nearest"], Policy::Nearest),
        ] {
            assert_eq!(pick(args).expect("a word"), expected, "{args:?}");
        }
        let error = pick(&["--pick", "all"]).expect_err("no word").to_string();
        assert!(["stay", "spray", "nearest"].iter().all(|word| error.contains(word)), "{error}");
    }
}
