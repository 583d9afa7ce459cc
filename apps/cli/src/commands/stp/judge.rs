//! What this user says of code: pins, flags, and what goes.

use clap::Args;
use serde_json::json;
use tng::stp::manager::{QUOTA_DEFAULT, StoreError};
use tng_base::CodeHash;
use tng_settings::units;

use super::place::{PlaceArgs, built_in_name, code};
use crate::failure::Failure;
use crate::guests::supply::store_failure;
use crate::talk::{Talk, bytes, counted};

/// Shown before everything else in the help of `tng stp pin`, `unpin`, `remove` and `unflag`.
pub(super) const EXAMPLES: &str = "\
Examples:
  tng stp pin 0a1b2c3d    allow this code, signed or not, where the policy
                          accepts what is pinned
  tng stp unpin 0a1b2c3d  stop that
  tng stp remove fast     remove it from the store; its versions are remembered
  tng stp unflag fast     let it run again, and clear its violations";

/// Shown before everything else in `tng stp flag --help`.
pub(super) const FLAG_EXAMPLES: &str = "\
Examples:
  tng stp flag fast --note \"stalls after an outage\"
                       it runs no more, signed or not
  tng stp unflag fast  it may again";

/// Shown before everything else in `tng stp collect --help`.
pub(super) const COLLECT_EXAMPLES: &str = "\
Examples:
  tng stp collect              shrink to the quota, least recently used first
  tng stp collect --keep 1MiB  shrink to this size; what is pinned stays";

/// Which code.
#[derive(Args, Debug)]
pub(super) struct CodeArgs {
    /// A hash or its beginning, a name, or a file
    #[arg(value_name = "HASH|NAME|FILE")]
    code: String,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Arguments of `tng stp flag`.
#[derive(Args, Debug)]
pub(super) struct FlagArgs {
    #[command(flatten)]
    code: CodeArgs,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
}

/// Arguments of `tng stp collect`.
#[derive(Args, Debug)]
pub(super) struct CollectArgs {
    /// Shrink to this many bytes [default: the quota, 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    keep: Option<u64>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// What is done to code.
#[derive(Clone, Copy, Debug)]
pub(super) enum Judgement {
    Pin,
    Unpin,
    Unflag,
    Remove,
}

/// Pins, unpins, unflags or removes.
///
/// # Errors
/// If there is no such code, or the store cannot be written.
pub(super) fn judge(judgement: Judgement, args: &CodeArgs, talk: Talk) -> Result<(), Failure> {
    let manager = match judgement {
        Judgement::Pin => args.place.manager(talk)?,
        Judgement::Unpin | Judgement::Unflag | Judgement::Remove => args.place.manager_there(talk)?,
    };
    let hash = code(&manager, &args.code)?;
    if let (Judgement::Remove, Some(name)) = (judgement, built_in_name(&manager, &hash)) {
        let why = format!("{name} is built in: it comes with this program, and is not in the store");
        let remedy = format!("tng stp flag {name}: it runs no more");
        return Err(Failure::usage(format!("removing {name}"), why).or_try(remedy));
    }
    let (doing, done) = match judgement {
        Judgement::Pin => ("pinning", "pinned"),
        Judgement::Unpin => ("unpinning", "unpinned"),
        Judgement::Unflag => ("unflagging", "unflagged"),
        Judgement::Remove => ("removing", "removed"),
    };
    let judged = match judgement {
        Judgement::Pin => manager.pin(hash, true),
        Judgement::Unpin => manager.pin(hash, false),
        Judgement::Unflag => manager.unflag(hash),
        Judgement::Remove => manager.remove(&hash),
    };
    say(judged, (doing, done), &hash, talk)
}

/// Flags.
///
/// # Errors
/// If there is no such code, or the store cannot be written.
pub(super) fn flag(args: &FlagArgs, talk: Talk) -> Result<(), Failure> {
    let manager = args.code.place.manager(talk)?;
    let hash = code(&manager, &args.code.code)?;
    say(manager.flag(hash, &args.note), ("flagging", "flagged"), &hash, talk)
}

fn say(
    judged: Result<(), StoreError>,
    (doing, done): (&str, &str),
    hash: &CodeHash,
    talk: Talk,
) -> Result<(), Failure> {
    judged.map_err(|error| store_failure(format!("{doing} {}", hash.short()), &error))?;
    talk.say(format_args!("{done} {}", hash.short()));
    talk.event(done, &json!({ "blake3": hash.to_string() }));
    Ok(())
}

/// Makes room.
///
/// # Errors
/// If the store cannot be written.
pub(super) fn collect(args: &CollectArgs, talk: Talk) -> Result<(), Failure> {
    let manager = args.place.manager_there(talk)?;
    let most = args.keep.unwrap_or(QUOTA_DEFAULT);
    manager.collect(most).map_err(|error| store_failure("collecting what was not used", &error))?;
    let (left, modules) = manager.look(|_, known| (known.index.bytes(), known.index.modules().count()));
    let are_left = if modules == 1 { "is left" } else { "are left" };
    talk.say(format_args!("{} {are_left}, {}", counted(modules, "module"), bytes(left)));
    talk.event("collected", &json!({ "modules": modules, "bytes": left }));
    Ok(())
}
