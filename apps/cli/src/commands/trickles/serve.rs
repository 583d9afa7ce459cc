//! `tng trickles serve`: hands out a folder or a file to clients that keep everything themselves.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tng::Endpoint;
use tng::trickles::{SKEW_MAX, ServerStats};

use super::seals::ServedSeals;
use super::watch::WatchArgs;
use crate::commands::serve::{Fetching, fetching};
use crate::daemon::told::{self, Places};
use crate::failure::Failure;
use crate::files::Root;
use crate::host::{Door, DoorArgs, Drive};
use crate::talk::{Talk, merged, shown};
use crate::trickles::Means;
use crate::trickles::config::{self, SKEW_CHOICE_MAX, ServeConfig};
use crate::trickles::daemon::{self, Shows};
use crate::trickles::keys::KeysName;

/// Shown before everything else in `tng trickles serve --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles serve photos           serve a folder to anyone with the ticket
                                      that this prints
  tng trickles serve photos --public  to everybody
  tng trickles serve photos --state left --threads 4
                                      on four threads; at SIGTERM the server
                                      saves spent continuations to that folder,
                                      and the next one goes on as if it were the
                                      same
  tng trickles keys new fleet.epochs
  tng trickles serve photos --keys fleet.epochs --key fleet.key
                                      one server of a fleet: all have both
                                      files, and any answers for any. A ticket
                                      opens all that also have
                                      fleet.key.tickets; `tng ticket new --name
                                      alice --address ONE --address TWO --key
                                      fleet.key` makes one that names several
  tng trickles serve photos --keys fleet.epochs --key fleet.key --site 2
                                      the same at another site, on another path
  tng trickles serve --config /etc/tng/trickles.toml
                                      as a configuration says, like the unit in
                                      contrib/

It may be killed at any moment and started again: downloads go on, and lose at
most what was on its way. The servers of a fleet are all --public, or none of
them is.

SIGINT and SIGTERM end it. SIGHUP reloads the files of --keys and --config;
without either it ends the server too.

A ticket is checked when a client begins, and again after 10 to 20 minutes: a
client whose ticket is revoked or has expired stays that long, unless the server
is restarted with other keys. Clients are not throttled, however busy the server
is, unless --throttle says so. There is no -C: the window is TCP Reno's, computed
from what the client brings.";

/// What lines of its access log are of.
const LINES: &str = "Log a line of JSON for each connection and each requested object to this file, or to stdout (-)";

/// Arguments of `tng trickles serve`.
#[derive(Args, Debug)]
#[command(mut_arg("access_log", |arg| arg.help(LINES)))]
pub struct ServeArgs {
    /// The folder or file to serve
    #[arg(required_unless_present = "config")]
    path: Option<PathBuf>,
    /// Configuration file, in place of the other options: docs/trickles.md has its keys
    #[arg(long, value_name = "FILE", env = "TNG_TRICKLES_CONFIG")]
    #[arg(conflicts_with_all = ["path", "keys", "site", "skew", "state", "control", "http", "access_log", "bind"])]
    #[arg(conflicts_with_all = ["cache", "throttle", "danger_plain"])]
    #[arg(conflicts_with_all = ["public", "allow", "silent", "place", "expires"])]
    config: Option<PathBuf>,
    /// File with the keys that all servers of a fleet share (`tng trickles keys new`), or
    /// etcd://IP:PORT,IP:PORT/PREFIX; servers rotate them. With it, spent continuations of any server are remembered in
    /// two Bloom filters, with false positives in 2 of 10,000 cases; without it, exactly [default: IDENTITY.epochs
    /// beside the key file, for a single server]
    #[arg(long, value_name = "FILE")]
    keys: Option<KeysName>,
    /// Number of this server's site, the same for all servers of the fleet that are near each other. A client that
    /// comes from another site starts slowly, as the path is another
    #[arg(long, value_name = "N", requires = "keys")]
    site: Option<u16>,
    /// Largest clock difference within the fleet, the same for all its servers: 500ms, 5s [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = skew)]
    skew: Option<Duration>,
    /// Folder for this server alone, where it saves the spent continuations and its keys when a signal ends it
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    #[command(flatten)]
    watch: WatchArgs,
    #[command(flatten)]
    seals: ServedSeals,
    #[command(flatten)]
    means: Means,
    #[command(flatten)]
    door: DoorArgs,
}

/// Reads by how much clocks may differ.
fn skew(text: &str) -> Result<Duration, String> {
    let bad = || format!("write a time of at most {} s, such as 500ms or 5s", SKEW_CHOICE_MAX.as_secs());
    let (digits, ms) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1),
        None => (text.strip_suffix('s').ok_or_else(bad)?, 1_000),
    };
    let ms = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(ms)).ok_or_else(bad)?;
    let time = Duration::from_millis(ms);
    if time.is_zero() || time > SKEW_CHOICE_MAX { Err(bad()) } else { Ok(time) }
}

impl ServeArgs {
    fn config(&self) -> Option<ServeConfig> {
        Some(ServeConfig {
            path: self.path.clone()?,
            keys: self.keys.clone(),
            site: self.site.unwrap_or(0),
            skew: self.skew.unwrap_or(SKEW_MAX),
            state: self.state.clone(),
            means: self.means,
            danger_plain: self.seals.danger_plain,
            door: self.door.clone(),
            threads: None,
            control: self.watch.control.clone(),
            http: self.watch.http,
            access_log: self.watch.access_log(),
            sandbox: false,
            told: Vec::new(),
        })
    }
}

/// Serves until a signal ends it, which is its usual end. To be called while the process has one thread.
///
/// # Errors
/// If there is nothing to serve, no keys, or no way to listen.
pub fn run(args: &ServeArgs, drive: Drive, talk: Talk) -> Result<(), Failure> {
    let shows = Shows { announce, tell, note };
    match (&args.config, args.config()) {
        (None, Some(config)) => daemon::run(config, None, drive, talk, shows),
        (Some(path), _) => {
            let places = Places::of_environment();
            let config = config::read(path, &places)?;
            told::check_home("serving", &config.told)?;
            daemon::run(config, Some((path.clone(), places)), drive, talk, shows)
        }
        (None, None) => Err(Failure::usage("serving", "neither a folder nor --config FILE is named")),
    }
}

/// Says now and then what there was to do, to those who want to know it (`-v`).
fn note(endpoint: &Endpoint) {
    if let Some(stats) = endpoint.stateless_stats() {
        tracing::info!("{}", Done(&stats));
    }
}

/// Says in the end what was done.
pub(super) fn tell(endpoint: &Endpoint, talk: Talk) {
    if let Some(stats) = endpoint.stateless_stats() {
        talk.say(Done(&stats));
        let ServerStats { opened, not_opened, answered, packets, spent, refused, dropped, .. } = stats;
        talk.event(
            "served",
            &json!({
                "connections": opened,
                "not_let_in": not_opened,
                "requests": answered,
                "packets": packets,
                "spent_before": spent,
                "refused": refused,
                "refused_before_start": stats.before_start,
                "dropped": dropped,
            }),
        );
    }
}

/// What a server has done, in words.
struct Done<'a>(&'a ServerStats);

impl fmt::Display for Done<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ServerStats { opened, not_opened, answered, packets, spent, refused, dropped, last_refused, .. } = self.0;
        write!(
            f,
            "{opened} connections, {not_opened} not let in at once; {answered} requests answered with {packets} "
        )?;
        write!(f, "packets, {spent} spent before, {refused} refused, {dropped} dropped")?;
        last_refused.map_or(Ok(()), |why| write!(f, " (the last: {why})"))
    }
}

/// Says what is served, the ticket last; `more` is what else programs want to know.
fn announce(door: &Door, root: &Root, more: Value, talk: Talk) {
    talk.say(format_args!("serving {} to {}, at {}", shown(&root.path()), door.open_to, door.endpoint.local_addr()));
    talk.say(format_args!("nothing is kept of who fetches; it may be stopped and started again at any moment"));
    let Fetching { arguments, url, .. } = fetching(door, root);
    talk.say(format_args!("\nfetch it with:\n  tng trickles get {arguments}"));
    if door.file.is_none() && more["shares_keys"] == true {
        let eid = door.ticket.eid();
        talk.say(format_args!(
            "\nof all servers that have its keys, in the place of tng://tng1...:\n  tng://{eid}@HOST:PORT,HOST:PORT/"
        ));
    }
    door.show(talk);
    let of_folder = json!({ "url": url, "path": root.path().to_string_lossy() });
    talk.event("serving", &merged([door.to_json(), of_folder, more]));
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    fn parsed(args: &[&str]) -> Result<ServeArgs, clap::Error> {
        let matches =
            ServeArgs::augment_args(Command::new("serve")).try_get_matches_from([&["serve"], args].concat())?;
        ServeArgs::from_arg_matches(&matches)
    }

    #[test]
    fn a_site_is_of_a_fleet_and_clocks_differ_by_five_seconds_unless_said() {
        let config = |args: &[&str]| parsed(&[&["x"], args].concat()).map(|args| args.config().expect("a folder"));
        let fleet = config(&["--keys", "fleet.epochs", "--site", "7", "--skew", "500ms"]).expect("parsed");
        assert_eq!((fleet.site, fleet.skew), (7, Duration::from_millis(500)));
        assert_eq!(config(&["--keys", "fleet.epochs"]).expect("parsed").site, 0);
        // Controls: a server alone, a site of no fleet, and clocks that are no clocks.
        let alone = config(&[]).expect("parsed");
        assert_eq!((alone.keys, alone.skew), (None, SKEW_MAX));
        assert!(config(&["--site", "7"]).expect_err("no fleet").to_string().contains("--keys"));
        for bad in ["0s", "61s", "5", "5m", "-1s", "99999999999999999999s"] {
            assert!(config(&["--skew", bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_file_says_everything_or_the_command_line_does() {
        assert!(parsed(&["--config", "x.toml"]).is_ok());
        for bad in [&[][..], &["photos", "--config", "x.toml"], &["--config", "x.toml", "--public"]] {
            assert!(parsed(bad).is_err(), "{bad:?}");
        }
    }
}
