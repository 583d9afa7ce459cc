//! `tng stp list`: what code is here.

use clap::Args;
use serde_json::{Value, json};
use tng::stp::BUILT_IN;
use tng::stp::manager::{Entry, Knowledge, Origin, Policy, Violation};
use tng_base::{CodeHash, PeerText};
use tng_settings::units::moment;

use super::place::PlaceArgs;
use crate::failure::Failure;
use crate::guests::word;
use crate::talk::{Talk, counted, hung};

/// Shown before everything else in `tng stp list --help`.
pub(super) const LIST_EXAMPLES: &str = "\
Examples:
  tng stp list         the guests that are built in, and those in the store
  tng stp list --json  a line for each, with all that is known of it, and the
                       whole hash

A kind is stream, messages (both are transports) or controller. Guests that are
built in are shown with a description, the others with who signed them and which
file, peer or host they came from; then pins, flags and violations.

Hashes are shown by their first 12 digits; 4 are enough to name code, if no
other hash begins with them. Names of built-in guests are reserved: code of the
store with the same name is named by its hash.";

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
    let all = args.place.look(talk, abouts)?;
    talk.payload(head(["name", "version", "kind", "bytes", "BLAKE3"]) + "what it is");
    for (hash, about) in all {
        talk.payload(row(&hash, &about));
        talk.event("guest", &about);
    }
    Ok(())
}

/// The columns but the last.
fn head([name, version, kind, bytes, hash]: [&str; 5]) -> String {
    format!("{name:<10} {version:<7} {kind:<10} {bytes:>6}  {hash:<12}  ")
}

/// What is known of code, in as many lines as it takes.
fn row(hash: &CodeHash, about: &Value) -> String {
    let text = |key: &str| about[key].as_str().map_or_else(|| "-".to_owned(), |text| PeerText::new(text).to_string());
    let bytes = about["bytes"].as_u64().unwrap_or_default().to_string();
    let head = head([&text("name"), &text("version"), &text("kind"), &bytes, &hash.short()]);
    hung(&head, &marks(about))
}

/// What code is, and what it is to this host.
fn marks(about: &Value) -> String {
    let text = |key: &str| about[key].as_str().map(|text| PeerText::new(text).to_string());
    let is_pinned = about["pinned"] == true;
    let mut words = match text("title") {
        Some(title) => vec![title],
        None => {
            let from = text("file").or_else(|| text("origin")).unwrap_or_default();
            vec![text("level").unwrap_or_default(), format!("from {from}")]
        }
    };
    words.extend((is_pinned && words[0] != "pinned").then(|| "pinned".to_owned()));
    words.extend(text("flagged").map(|note| match &*note {
        "" => "flagged as buggy".to_owned(),
        note => format!("flagged as buggy: {note}"),
    }));
    let violations = about["violations"].as_u64().unwrap_or_default();
    words.extend((violations > 0).then(|| counted(violations, "violation")));
    words.join(", ")
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
    let file = entry.and_then(|entry| match &entry.origin {
        Origin::File(path) => Some(path).filter(|path| !path.is_empty()),
        Origin::Peer(_) | Origin::Host(_) | Origin::Unknown => None,
    });
    json!({
        "name": known.name(hash),
        "version": said.map(|manifest| manifest.version.to_string()),
        "kind": kind.map(word),
        "bytes": bytes,
        "blake3": hash.to_string(),
        "title": title,
        "level": policy.level(known, hash, manifest).word(),
        "file": file,
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
