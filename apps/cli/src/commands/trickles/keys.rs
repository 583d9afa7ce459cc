//! `tng trickles keys`: the secrets that the servers of a fleet share, in a file or in etcd.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tng::trickles::{EPOCH, EpochSecret};

use crate::clock;
use crate::failure::Failure;
use crate::talk::Talk;
use crate::trickles::keys::{FleetKeys, KeysName, KeysPlace, wall};

/// Shown before everything else in `tng trickles keys --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles keys new fleet.epochs   keys for a new fleet; copy the file to
                                       each of its servers
  tng trickles serve photos --keys fleet.epochs --key fleet.key
                                       a server with them
  tng trickles keys rotate fleet.epochs
                                       new keys, in 10 to 20 minutes; copy the
                                       file again before that
  tng trickles keys rotate --at-once fleet.epochs
                                       new keys now, if the old ones were
                                       stolen: connections start again
  tng trickles keys show fleet.epochs  the fleet, and from when on each key is
                                       valid; no secrets
  tng trickles keys new etcd://10.0.0.1:2379,10.0.0.2:2379/fleet
                                       the same in etcd, for --keys etcd://...:
                                       nothing is copied
  tng trickles keys rotate etcd://10.0.0.1:2379,10.0.0.2:2379/fleet
                                       running servers take them up by
                                       themselves

The file is for its owner alone (mode 0600). Servers rewrite it as time passes,
so that it holds no key that is older than 20 minutes.";

/// Arguments of `tng trickles keys`.
#[derive(Args, Debug)]
pub struct KeysArgs {
    #[command(subcommand)]
    action: KeysAction,
}

#[derive(Subcommand, Debug)]
enum KeysAction {
    /// Make the keys of a new fleet
    New(PlaceArgs),
    /// Add new keys, valid from an epoch that leaves all servers time to read them
    Rotate(RotateArgs),
    /// Show which keys there are, without the secrets
    Show(PlaceArgs),
}

#[derive(Args, Debug)]
struct PlaceArgs {
    /// The file, or etcd://IP:PORT,IP:PORT/PREFIX
    #[arg(value_name = "FILE")]
    place: KeysName,
}

#[derive(Args, Debug)]
struct RotateArgs {
    /// Replace all keys now: what clients hold becomes invalid, and they start again after some twelve seconds without
    /// an answer
    #[arg(long)]
    at_once: bool,
    /// The file, or etcd://IP:PORT,IP:PORT/PREFIX
    #[arg(value_name = "FILE")]
    place: KeysName,
}

/// Does what is asked.
///
/// # Errors
/// If they are not to be had, or not what they should be.
pub fn run(args: &KeysArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        KeysAction::New(PlaceArgs { place }) => {
            let place = KeysPlace::named(place)?;
            let keys = place.create()?;
            let fleet = keys.edition.fleet();
            match place.path() {
                Some(_) => talk.say(format_args!("fleet {fleet}: {place}; copy it to each of its servers")),
                None => talk.say(format_args!("fleet {fleet}: {place}; its servers begin with --keys {place}")),
            }
            talk.event("made", &told(&place, &keys));
        }
        KeysAction::Rotate(RotateArgs { at_once, place }) => {
            let place = KeysPlace::named(place)?;
            let keys = place.rotate(*at_once)?;
            let (fleet, rotations) = (keys.edition.fleet(), keys.edition.rotations);
            let begins_in_s = keys.secrets.iter().last().map(begins_in_s).filter(|_| !at_once);
            let when = begins_in_s.map_or_else(|| "now".to_owned(), |s| format!("in {s} s"));
            let then = match (place.path(), begins_in_s) {
                (None, _) => "servers that run take it up by themselves".to_owned(),
                (Some(_), Some(_)) => {
                    format!("servers on this host take it up by themselves, others need a copy of {place} until then")
                }
                (Some(_), None) => format!("copy {place} to the other servers at once"),
            };
            talk.say(format_args!("fleet {fleet}, rotation {rotations}: it holds {when}; {then}"));
            talk.event("rotated", &told(&place, &keys));
        }
        KeysAction::Show(PlaceArgs { place }) => {
            let place = KeysPlace::named(place)?;
            let keys = place.load()?;
            let now = EpochSecret::number_at(wall());
            talk.say(format_args!(
                "fleet {}, rotated {} times; it is epoch {now}",
                keys.edition.fleet(),
                keys.edition.rotations
            ));
            for secret in keys.secrets.iter() {
                match begins_in_s(secret) {
                    0 => talk.say(format_args!("  from epoch {}", secret.number())),
                    s => talk.say(format_args!("  from epoch {} on another, in {s} s", secret.number())),
                }
            }
            talk.event("keys", &told(&place, &keys));
        }
    }
    Ok(())
}

/// How long until a secret is made use of.
fn begins_in_s(secret: &EpochSecret) -> u64 {
    (secret.number() * EPOCH.as_secs()).saturating_sub(clock::seconds_since_1970())
}

/// The same for programs.
fn told(place: &KeysPlace, keys: &FleetKeys) -> Value {
    let secrets: Vec<Value> = keys
        .secrets
        .iter()
        .map(|secret| json!({ "epoch": secret.number(), "begins_in_s": begins_in_s(secret) }))
        .collect();
    json!({
        "file": place.path().map_or_else(|| place.to_string(), |path| path.to_string_lossy().into_owned()),
        "fleet": keys.edition.fleet(),
        "rotations": keys.edition.rotations,
        "epoch": EpochSecret::number_at(wall()),
        "secrets": secrets,
    })
}
