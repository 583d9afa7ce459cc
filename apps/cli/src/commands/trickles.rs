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
  tng trickles serve photos           serve a folder; killed and restarted, its
                                      downloads go on
  tng trickles keys new fleet.epochs  make keys for several servers
  tng trickles serve photos --keys fleet.epochs
                                      serve it on several hosts: all with this
                                      file answer for each other
  tng trickles get @FILE//movie.mkv   fetch from them; FILE holds a ticket. Run
                                      again to resume, or to check it
  tng trickles proxy @FILE            let curl, wget and browsers fetch from
                                      them: http://127.0.0.1:8080/
  tng trickles gateway --listen :80 @FILE
                                      the same for other hosts
  tng trickles spray --listen :4860 --to ONE --to TWO
                                      one address for several of them
  tng trickles status                 what the server on this host has done
  tng trickles watermark serve photos --marks marks
                                      serve images, each with a mark of its
                                      client
  tng trickles shop serve --catalogue goods/catalogue --store orders
                                      run a shop that stores nothing but orders

docs/trickles.md has what operators need to know, and every key of a
configuration.";

/// Shown before everything else in `tng trickles get --help`.
const GET_EXAMPLES: &str = "\
Examples:
  tng trickles get @FILE//movie.mkv  fetch a file; FILE holds a ticket. Run
                                     again to resume, or to check it
  tng trickles get -r -o photos -    fetch all that is served; paste the ticket
                                     when asked
  tng trickles get --fallback-tcp http://mirror/films @FILE//movie.mkv
                                     and from a web server, without encryption,
                                     where only TCP passes
  tng trickles get --pick nearest tng://EID@paris:4860,tokyo:4860/movie.mkv
                                     from the server of a fleet that answers
                                     first
  tng trickles get --guest trickles @FILE//movie.mkv
                                     with a client that is itself a guest, in a
                                     sandbox

The server may be stopped and started again meanwhile: nothing is fetched twice.
Where no Trickles server answers, structured streams are tried; --retry is for
them. There is no -C: the server computes the window of TCP Reno from what this
client brings.";

/// Arguments of `tng trickles`.
#[derive(Args, Debug)]
pub struct TricklesArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Serve a folder or a file without keeping any client state
    #[command(before_help = serve::EXAMPLES)]
    Serve(Box<ServeArgs>),
    /// Fetch files and folders from servers without client state
    #[command(before_help = GET_EXAMPLES)]
    Get(StatelessGetArgs),
    /// Run a shop that stores nothing but orders, and buy from it
    #[command(before_help = shop::EXAMPLES)]
    Shop(shop::ShopArgs),
    /// Serve images that carry a watermark of the client
    #[command(before_help = watermark::EXAMPLES)]
    Watermark(watermark::WatermarkArgs),
    /// Run a local HTTP proxy, for programs of this host, to servers without client state
    #[command(before_help = web::PROXY_EXAMPLES)]
    Proxy(web::ProxyArgs),
    /// Run an HTTP and TCP gateway, for other hosts, to servers without client state
    #[command(before_help = web::GATEWAY_EXAMPLES)]
    Gateway(Box<web::GatewayArgs>),
    /// Make, rotate and show the keys that the servers of a fleet share
    #[command(before_help = keys::EXAMPLES)]
    Keys(keys::KeysArgs),
    /// Balance one address over the servers of a fleet, datagram by datagram
    #[command(before_help = spray::EXAMPLES)]
    Spray(spray::SprayArgs),
    /// Check a configuration
    #[command(before_help = daemons::CHECK_EXAMPLES)]
    Check(daemons::ConfigArgs),
    /// Print every value of a configuration, with its origin
    #[command(before_help = daemons::DUMP_EXAMPLES)]
    Dump(daemons::ConfigArgs),
    /// Show the counters of a server, a sprayer or a gateway
    #[command(before_help = daemons::STATUS_EXAMPLES)]
    Status(daemons::ControlArgs),
    /// Reload a server's configuration and keys
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
    /// Fetch one file with this guest as the client: trickles, watermark (joins marked images itself), http (prepares
    /// requests for a server of files), or an installed one, by name or hash
    #[arg(long, value_name = "NAME|HASH", conflicts_with_all = ["fallback_tcp", "pick", "danger_plain"])]
    guest: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// How servers are asked.
#[derive(Args, Clone, Debug)]
struct WayArgs {
    /// If nobody answers, by Trickles or structured streams, fetch from below this URL over plain HTTP, without
    /// encryption: anyone on the path can read and change the data
    #[arg(long, value_name = "http://HOST/PATH")]
    fallback_tcp: Option<PlainUrl>,
    /// Which server to ask, if there are several addresses; all must have the same keys
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Pick::Stay)]
    pick: Pick,
    #[command(flatten)]
    seals: AskedSeals,
}

/// [`Policy`], as it is said on a command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Pick {
    /// One, until it stops answering; then the next
    Stay,
    /// Each in turn, request by request, skipping those that do not answer
    Spray,
    /// The one that answers first, until it stops answering; then the next
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
