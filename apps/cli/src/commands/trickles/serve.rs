//! `tng trickles serve`: hands out a folder or a file to clients that keep everything themselves.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tng::trickles::{BloomSize, FilterConfig, ServerConfig, ServerStats, Site};
use tng::{Endpoint, StatelessService};

use crate::commands::serve::{Fetching, fetching};
use crate::failure::Failure;
use crate::files::{Own, Root};
use crate::host::{Door, DoorArgs, attend_until_stopped};
use crate::talk::{Talk, shown};
use crate::trickles::Files;
use crate::trickles::keys::KeysFile;

/// Shown before everything else in `tng trickles serve --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles serve photos            hand out a folder to anyone who has the ticket that this prints
  tng trickles serve photos --public   to everybody
  tng trickles serve photos --keys fleet.epochs --key fleet.key
                                       one of several servers: all have both files, and any answers for any. Who
                                       is let in by a ticket is let in by all that have fleet.key.tickets, too; `tng
                                       ticket new --name alice --address ONE --address TWO --key fleet.key` makes
                                       one that names several
  tng trickles serve photos --keys fleet.epochs --key fleet.key --site 2
                                       the same at another place, to which the way is another
It may be killed at any moment and started again: downloads go on, and lose at most what was on
its way. The servers of a fleet are all --public, or none of them is.
A ticket is looked at when a client begins, and again after 10 to 20 minutes: when it is revoked or
has expired, who is there stays so long, unless the server is started again with other keys.
Clients are not throttled, however busy the server is: a program that uses the library can do that.";

/// Connections of the other protocols, which this serves nothing: it only says so.
pub(super) const CONNECTIONS_MAX: usize = 16;

/// How often what there was to do is said, if somebody wants to know it.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// In how many cases a server of a fleet may take a fresh packet for one that was spent, as in the paper.
pub(super) const FALSE_SHARE: f64 = 0.000_2;

/// Arguments of `tng trickles serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// The folder, or the file
    path: PathBuf,
    /// File of the keys that all servers of a fleet share; it is made if it is not there, and changes as time passes.
    /// With it this server is taken for one of several: it knows what a client has spent already by packet, whoever
    /// gave it out, in two Bloom filters, which take a fresh packet for a spent one in 2 of 10,000 cases. Without it no
    /// other server gives anything out, and what is spent is known exactly [default: beside the key file,
    /// IDENTITY.epochs]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Number of the place where this server is, the same for all servers of the fleet that are near each other. A
    /// client that comes from another place begins slowly, as the way to here is another
    #[arg(long, value_name = "N", default_value_t = 0, requires = "keys")]
    site: u16,
    #[command(flatten)]
    door: DoorArgs,
}

impl ServeArgs {
    fn config(&self) -> ServerConfig {
        let mut config = ServerConfig { site: Site(self.site), ..ServerConfig::default() };
        // By issuer and serial a server does not see that what two servers gave out stands for one packet.
        if self.keys.is_some() {
            config.filter = FilterConfig::Filters(BloomSize::PAPER, FALSE_SHARE);
        }
        config.set_up.silent = self.door.silent;
        config
    }
}

/// Serves until a signal ends it, which is its usual end.
///
/// # Errors
/// If there is nothing to serve, no keys, or no way to listen.
pub async fn run(args: &ServeArgs, talk: Talk) -> Result<(), Failure> {
    let root = Root::new(&args.path)?;
    // The identity first: its folder is where the keys are made by default.
    args.door.key.load_or_create()?;
    let key = args.door.key.path()?;
    let keys = args.keys.as_deref().map_or_else(|| Ok(KeysFile::beside(&key)), KeysFile::named)?;
    let (secret, is_new) = keys.load_or_create()?;
    if is_new {
        let hint = if args.keys.is_some() { "; further servers of the same fleet need a copy of it" } else { "" };
        talk.say(format_args!("keys made: {}{hint}", shown(keys.path())));
    }
    let root = without_own(without_own(root, &args.path, &key)?, &args.path, keys.path())?;
    if let Some(Err(fault)) = root.only().map(|only| root.look(only)) {
        let what = format!("serving {}", shown(&args.path));
        return Err(Failure::usage(what, fault).or_try("another file, or another --key FILE or --keys FILE"));
    }
    // What the servers of a fleet serve has one name, wherever it lies on each of them: a ticket is good at all.
    let what =
        args.keys.as_deref().and_then(Path::file_name).map_or_else(|| root.path().into_os_string(), OsString::from);
    let name = [&b"trickles:"[..], what.as_encoded_bytes()].concat();
    let config = args.config();
    let service = StatelessService::new(secret, Files::new(root.clone())?).config(config);
    let door = args.door.open_with(&name, &[], CONNECTIONS_MAX, |builder| builder.serve_stateless(service)).await?;
    announce(&door, &root, &keys, talk);
    let following = tokio::spawn(keys.keep_following());
    let telling = tokio::spawn(keep_telling(door.endpoint.clone()));
    let ended = attend_until_stopped(&door.endpoint, talk, async {
        while let Some(incoming) = door.endpoint.accept().await {
            incoming.refuse("this is tng trickles serve: tng trickles get fetches from it, and it takes nothing");
        }
        Ok(())
    });
    let ended = ended.await;
    following.abort();
    telling.abort();
    tell(&door.endpoint, talk);
    ended
}

/// Says now and then what there was to do, to those who want to know it (`-v`).
pub(super) async fn keep_telling(endpoint: Endpoint) {
    let mut before = None;
    loop {
        tokio::time::sleep(TOLD_EVERY).await;
        let Some(stats) = endpoint.stateless_stats().filter(|stats| Some(*stats) != before) else { continue };
        tracing::info!("{}", Done(&stats));
        before = Some(stats);
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

/// What is served without what is this host's own.
fn without_own(root: Root, path: &Path, file: &Path) -> Result<Root, Failure> {
    let own = Own::beside(file).map_err(|error| Failure::read(format!("serving {}", shown(path)), &error))?;
    Ok(root.without(own))
}

/// Says what is served, the ticket last.
fn announce(door: &Door, root: &Root, keys: &KeysFile, talk: Talk) {
    talk.say(format_args!("serving {} to {}, at {}", shown(&root.path()), door.open_to, door.endpoint.local_addr()));
    talk.say(format_args!("nothing is kept of who fetches; it may be stopped and started again at any moment"));
    let Fetching { arguments, url, .. } = fetching(door, root);
    talk.say(format_args!("\nfetch it with:\n  tng trickles get {arguments}"));
    door.show(talk);
    talk.event(
        "serving",
        &json!({
            "eid": door.ticket.eid().to_string(),
            "ticket": door.ticket.to_string(),
            "url": url,
            "addresses": door.addresses(),
            "threads": door.endpoint.threads(),
            "path": root.path().to_string_lossy(),
            "keys": keys.path().to_string_lossy(),
        }),
    );
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    fn config(args: &[&str]) -> Result<ServerConfig, clap::Error> {
        let matches =
            ServeArgs::augment_args(Command::new("serve")).try_get_matches_from([&["serve", "x"], args].concat())?;
        ServeArgs::from_arg_matches(&matches).map(|args| args.config())
    }

    #[test]
    fn keys_that_others_may_have_mean_filters_by_packet_and_a_site_that_can_be_said() {
        let fleet = config(&["--keys", "fleet.epochs", "--site", "7"]).expect("parsed");
        assert_eq!((fleet.filter, fleet.site), (FilterConfig::Filters(BloomSize::PAPER, 0.000_2), Site(7)));
        assert_eq!(config(&["--keys", "fleet.epochs"]).expect("parsed").site, Site(0));
        // Controls: a server alone, and a site of no fleet.
        let alone = config(&[]).expect("parsed");
        assert!(matches!(alone.filter, FilterConfig::Serials(_)));
        assert!(config(&["--site", "7"]).expect_err("no fleet").to_string().contains("--keys"));
    }
}
