//! `tng stp list`: what code is here.

use clap::Args;
use serde_json::{Value, json};
use tng::stp::BUILT_IN;
use tng::stp::manager::{Entry, Knowledge, Policy, Violation};
use tng_base::CodeHash;
use tng_settings::units::moment;

use super::place::PlaceArgs;
use crate::failure::Failure;
use crate::guests::word;
use crate::talk::Talk;

/// Shown before everything else in `tng stp list --help`.
pub(super) const LIST_EXAMPLES: &str = "\
Examples:
  tng stp list           the guests that are built in, and those in the store
  tng stp list --json    a line for each, with all that is known of it, and the whole hash
A hash is shown by its first 12 digits; 4 are enough to name code here, if no other hash begins with them. What is
built in keeps its name: name code of the store that calls itself the same by its hash.";

/// Arguments of `tng stp list`.
#[derive(Args, Debug)]
pub(super) struct ListArgs {
    #[command(flatten)]
    place: PlaceArgs,
}

/// Lists what is built in, and what is in the store.
///
/// # Errors
/// If the store or the policy cannot be read.
pub(super) fn list(args: &ListArgs, talk: Talk) -> Result<(), Failure> {
    let all = args.place.look(abouts)?;
    talk.payload(format_args!(
        "{:<10} {:<8} {:<10} {:>7}  {:<12}  what it is",
        "name", "version", "kind", "bytes", "BLAKE3"
    ));
    for (hash, about) in all {
        let text = |key: &str| about[key].as_str().unwrap_or("-").to_owned();
        let (name, version, kind) = (text("name"), text("version"), text("kind"));
        let bytes = about["bytes"].as_u64().unwrap_or_default();
        let title = if about["title"].is_null() { marks(&about) } else { text("title") };
        talk.payload(format_args!("{name:<10} {version:<8} {kind:<10} {bytes:>7}  {}  {title}", hash.short()));
        talk.event("guest", &about);
    }
    Ok(())
}

/// What code of the store is to this host, in a few words.
fn marks(about: &Value) -> String {
    let mut words = vec![format!("{}, from {}", about["level"].as_str().unwrap_or_default(), origin(about))];
    words.extend((about["flagged"].is_string()).then(|| "flagged".to_owned()));
    let violations = about["violations"].as_u64().unwrap_or_default();
    words.extend((violations > 0).then(|| format!("{violations} violations")));
    words.join(", ")
}

fn origin(about: &Value) -> &str {
    about["origin"].as_str().unwrap_or_default()
}

fn abouts(policy: &Policy, known: &Knowledge) -> Vec<(CodeHash, Value)> {
    known.all().map(|(hash, _)| (hash, about(policy, known, &hash))).collect()
}

/// All that is known of code, for programs.
pub(super) fn about(policy: &Policy, known: &Knowledge, hash: &CodeHash) -> Value {
    let (guest, entry) = (known.built_in(hash), known.index.module(hash));
    let manifest = entry.and_then(|entry| entry.manifest.as_ref());
    let said = manifest.map(|signed| &signed.manifest);
    let title = guest.and_then(|guest| BUILT_IN.iter().find(|other| other.name == guest.name)).map(|it| it.title);
    let kind = guest.map(|guest| guest.kind).or(entry.map(|entry| entry.kind));
    let bytes = guest.map(|guest| guest.bytes.len() as u64).or(entry.map(|entry| u64::from(entry.bytes)));
    let record = known.history.of(hash);
    let of_entry = |of: fn(&Entry) -> u64| entry.map(of);
    json!({
        "name": known.name(hash),
        "version": said.map(|manifest| manifest.version.to_string()),
        "kind": kind.map(word),
        "bytes": bytes,
        "blake3": hash.to_string(),
        "title": title,
        "level": policy.level(known, hash, manifest).word(),
        "origin": if guest.is_some() { Some("built in".to_owned()) } else { entry.map(|it| it.origin.to_string()) },
        "installed_unix_s": of_entry(|entry| entry.installed_unix_s),
        "installed": of_entry(|entry| entry.installed_unix_s).map(moment),
        "used_unix_s": of_entry(|entry| entry.used_unix_s),
        "used": of_entry(|entry| entry.used_unix_s).map(moment),
        "pinned": known.index.is_pinned(hash) || policy.pins.contains(hash),
        "flagged": known.index.flag(hash),
        "violations": record.map_or(0, |record| record.total),
        "last_violations": record.map(|record| {
            let of = |(at, what): &(u64, Violation)| json!({ "unix_s": at, "at": moment(*at), "what": what.word() });
            record.recent().iter().map(of).collect::<Vec<_>>()
        }),
        "abi": said.map(|manifest| manifest.abi),
        "wants": said.map(|manifest| json!({
            "cap": manifest.wants.cap.to_string(),
            "memory": manifest.wants.memory,
            "fuel": manifest.wants.fuel,
        })),
        "expires_unix_s": said.and_then(|manifest| manifest.expires_unix_s),
        "expires": said.and_then(|manifest| manifest.expires_unix_s).map(moment),
        "signers": manifest.map(|signed| signers(policy, signed.signers())),
    })
}

fn signers<'a>(policy: &Policy, keys: impl Iterator<Item = &'a tng::stp::manager::PublisherKey>) -> Vec<Value> {
    let of = |key| json!({ "key": format!("{key}"), "publisher": policy.publisher_of(key).map(|it| it.name.clone()) });
    keys.map(of).collect()
}
