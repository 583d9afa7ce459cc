//! `tng trickles keys`: the file of the secrets that the servers of a fleet share.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tng::trickles::{EPOCH, EpochSecret};

use crate::clock;
use crate::failure::Failure;
use crate::talk::{Talk, shown};
use crate::trickles::keys::{FleetKeys, KeysFile, wall};

/// Shown before everything else in `tng trickles keys --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles keys new fleet.epochs      a file for a new fleet; copy it to each of its servers
  tng trickles serve photos --keys fleet.epochs --key fleet.key
                                          what takes it there
  tng trickles keys rotate fleet.epochs   new secrets, in 10 to 20 minutes; copy it again until then
  tng trickles keys rotate --at-once fleet.epochs
                                          new secrets now, since somebody has stolen these:
                                          connections begin anew
  tng trickles keys show fleet.epochs     its fleet, and from when on which secret holds;
                                          no secret is shown
The file is for its owner alone (mode 0600). As time passes servers write it anew, so that it says
nothing of what was more than 20 minutes ago.";

/// Arguments of `tng trickles keys`.
#[derive(Args, Debug)]
pub struct KeysArgs {
    #[command(subcommand)]
    action: KeysAction,
}

#[derive(Subcommand, Debug)]
enum KeysAction {
    /// Make the file of a new fleet
    New(FileArgs),
    /// Bring new secrets, from an epoch on that all servers have time to hear of
    Rotate(RotateArgs),
    /// Say what is in it, but for the secrets
    Show(FileArgs),
}

#[derive(Args, Debug)]
struct FileArgs {
    /// The file
    file: PathBuf,
}

#[derive(Args, Debug)]
struct RotateArgs {
    /// In the place of all secrets that there are: what clients hold is worth nothing any more, and they begin anew
    /// when they have asked in vain for some twelve seconds
    #[arg(long)]
    at_once: bool,
    /// The file
    file: PathBuf,
}

/// Does what is asked.
///
/// # Errors
/// If the file is not to be had, or not what it should be.
pub fn run(args: &KeysArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        KeysAction::New(FileArgs { file }) => {
            let file = KeysFile::named(file)?;
            let keys = file.create()?;
            let path = shown(file.path());
            talk.say(format_args!("fleet {}: {path}; copy it to each of its servers", keys.edition.fleet()));
            talk.event("made", &told(&file, &keys));
        }
        KeysAction::Rotate(RotateArgs { at_once, file }) => {
            let file = KeysFile::named(file)?;
            let keys = file.rotate(*at_once)?;
            let (fleet, rotations) = (keys.edition.fleet(), keys.edition.rotations);
            match keys.secrets.iter().last().map(begins_in_s).filter(|_| !at_once) {
                Some(s) => talk.say(format_args!(
                    "fleet {fleet}, rotation {rotations}: it holds in {s} s; servers on this host take it up by \
                     themselves, others need a copy of {} until then",
                    shown(file.path())
                )),
                None => talk.say(format_args!(
                    "fleet {fleet}, rotation {rotations}: it holds now; copy {} to the other servers at once",
                    shown(file.path())
                )),
            }
            talk.event("rotated", &told(&file, &keys));
        }
        KeysAction::Show(FileArgs { file }) => {
            let file = KeysFile::named(file)?;
            let keys = file.load()?;
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
            talk.event("keys", &told(&file, &keys));
        }
    }
    Ok(())
}

/// How long until a secret is made use of.
fn begins_in_s(secret: &EpochSecret) -> u64 {
    (secret.number() * EPOCH.as_secs()).saturating_sub(clock::seconds_since_1970())
}

/// The same for programs.
fn told(file: &KeysFile, keys: &FleetKeys) -> Value {
    let secrets: Vec<Value> = keys
        .secrets
        .iter()
        .map(|secret| json!({ "epoch": secret.number(), "begins_in_s": begins_in_s(secret) }))
        .collect();
    json!({
        "file": file.path().to_string_lossy(),
        "fleet": keys.edition.fleet(),
        "rotations": keys.edition.rotations,
        "epoch": EpochSecret::number_at(wall()),
        "secrets": secrets,
    })
}
