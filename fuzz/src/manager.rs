//! What the policy manager reads: manifests and revocation lists of strangers, policies that people write, and the
//! files of a store, whatever was done to them.

use tng_base::Eid;
use tng_crypto::code_hash;
use tng_stp_abi::Kind as GuestKind;
use tng_stp_manager::{
    Cap, Choice, History, Index, Knowledge, Level, Manifest, Outcome, Policy, PublisherPair, Purpose, Question,
    RevocationList, SignedManifest, SignedRevocations, Version, Violation, Wants,
};
use tng_wire::Repr;

use crate::parsers::{parser, survives};
use tng_wire::Reader;
use tng_wire::battery::emit;

use crate::Target;

pub(crate) const TARGETS: &[Target] = &[
    parser("manifest", 1_100, (manifest, manifest_seeds)),
    Target { memory: (512 << 10, 4_096), ..parser("policy", 1_500, (policy, policy_seeds)) },
    Target { memory: (128 << 10, 160), ..parser("store", 2_500, (store, store_seeds)) },
];

fn publisher(n: u8) -> PublisherPair {
    PublisherPair::from_seed([n; 32])
}

fn said(kind: GuestKind) -> Manifest {
    Manifest {
        name: "fast".parse().unwrap(),
        version: Version([1, 70, 70_000]),
        hash: code_hash(b"code"),
        kind,
        abi: 1,
        wants: Wants { cap: Cap::Modern, ..Wants::default() },
        expires_unix_s: Some(1_800_000_000),
    }
}

/// A manifest or a list that is read survives its own emission, which has one form; one whose signatures are good is
/// read so, and none is good that nobody made.
fn manifest(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    if first % 2 == 0 {
        if let Some((parsed, read)) = survives!(SignedManifest, rest) {
            let whole = SignedManifest::read(&rest[..read]);
            assert!(whole.is_err() || whole.as_ref() == Ok(&parsed));
            let hash = parsed.manifest.hash;
            let of = SignedManifest::read_of(&rest[..read], &hash, parsed.manifest.kind);
            assert_eq!(of.is_ok(), whole.is_ok());
            assert!(SignedManifest::read_of(&rest[..read], &code_hash(rest), parsed.manifest.kind).is_err());
        }
    } else if let Some((parsed, read)) = survives!(SignedRevocations, rest) {
        let whole = SignedRevocations::read(&rest[..read]);
        assert!(whole.is_err() || whole == Ok(parsed));
    }
}

fn manifest_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (kind, signers) in [(GuestKind::Transport, 0), (GuestKind::Messages, 1), (GuestKind::Controller, 8)] {
        let mut signed = SignedManifest::unsigned(said(kind));
        (0..signers).for_each(|n| signed.sign(&publisher(n)).unwrap());
        seeds.push([&[0], &signed.to_vec()[..]].concat());
    }
    for count in [0_u8, 3] {
        let mut list = RevocationList::new(publisher(1).public());
        list.number = 70;
        (0..count).for_each(|n| {
            list.revoke(code_hash(&[n])).unwrap();
            list.revoke_key(publisher(n).public()).unwrap();
        });
        seeds.push([&[1], &list.sign(&publisher(1)).to_vec()[..]].concat());
    }
    seeds
}

/// A policy that is taken decides of everything by a rule that it has, and gives what nobody vouches for no more than
/// it says; what is wrong is told with its line.
fn policy(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let policy = match Policy::parse(text) {
        Ok(policy) => policy,
        Err(error) => return assert!(error.to_string().starts_with("line ")),
    };
    let known = Knowledge::default();
    for service in ["files", "ping"] {
        for (application, port) in [(None, None), (Some("get"), Some(4860))] {
            let peer = Some(Eid::from_bytes([1; 32]));
            let purpose = if service == "ping" { Purpose::Regulate } else { Purpose::Carry };
            let question = Question { purpose, application, no_foreign: port.is_some(), peer, service, port };
            let verdict = policy.decide(&known, &question, &code_hash(b"code"), 1_800_000_000);
            let has = policy.rules.iter().chain([&policy.default]).any(|rule| rule.name == verdict.rule);
            assert!(has && !matches!(verdict.outcome, Outcome::Run(_)), "nothing is here that could run");
            assert!(!question.no_foreign || matches!(verdict.outcome, Outcome::Refuse(_)));
            assert!(verdict.level >= Level::Pinned);
        }
    }
    assert_eq!(policy.limits.any.cap, Cap::Equation);
    for choice in policy.rules.iter().flat_map(|rule| &rule.prefer) {
        assert_eq!(choice.to_string().parse().as_ref(), Ok::<&Choice, _>(choice));
    }
}

fn policy_seeds() -> Vec<Vec<u8>> {
    let (key, other, hash) = (publisher(1).public(), publisher(2).public(), code_hash(b"code"));
    let whole = format!(
        "accept = \"pinned\"\nforeign = false\nprefer = [\"sack\", \"{hash}\"]\nsources = [\"peer\", \"host:a\"]\n\
         pins = [\"{hash}\"]\n[[rule]]\nname = \"a\"\napplication = \"get\"\nservice = [\"files\"]\n\
         port = [4860, \"1-9\"]\naccept = \"any\"\n[publishers.acme]\nkeys = [\"{key}\", \"{other}\"]\nthreshold = 2\n\
         [limits.signed]\nmemory = \"8MiB\"\nfuel = 9\ncap = \"modern\"\n[violations]\nmost = 2\nwithin = \"1d\"\n"
    );
    let wrong = ["acept = \"any\"", "[[rule]]\nport = \"9-1\"", "[limits.any]\ncap = \"modern\"", "accept = "];
    let peer = format!("[[rule]]\npeer = \"{}\"\nprefer = \"newreno\"\ntrusts = \"marks\"\n", Eid::from_bytes([1; 32]));
    [whole, peer, String::new()].into_iter().chain(wrong.map(str::to_owned)).map(String::into_bytes).collect()
}

/// A file of a store is refused, or read as what is written as the same. So that what lies behind the checksum is
/// reached, the body alone is read, too.
fn store(bytes: &[u8]) {
    if let Ok(history) = History::read(bytes) {
        assert_eq!(History::read(&history.to_file()).as_ref(), Ok(&history));
    }
    if let Ok(index) = Index::read(bytes) {
        assert_eq!(Index::read(&index.to_file()).as_ref(), Ok(&index));
    }
    if let Some((history, _)) = survives!(History, bytes) {
        assert_eq!(History::read(&history.to_file()).as_ref(), Ok(&history));
    }
    if let Some((index, _)) = survives!(Index, bytes) {
        assert_eq!(Index::read(&index.to_file()).as_ref(), Ok(&index));
    }
}

fn store_seeds() -> Vec<Vec<u8>> {
    let mut history = History::default();
    for (at, what) in Violation::ALL.into_iter().enumerate() {
        history.add(code_hash(&[at as u8 % 3]), what, 1_800_000_000 + at as u64);
    }
    let body = |bytes: &[u8]| bytes[5..bytes.len() - 16].to_vec();
    let (full, empty) = (history.to_file(), Index::default().to_file());
    // One with a module, a pin, a flag and a version that was here, as docs/wire.md has it.
    let (hash, key) = (*code_hash(b"code").as_bytes(), *publisher(1).public().as_bytes());
    let index = [
        &[7, 1][..],
        &hash,
        &[0x40, 100, 2, 3, 1, b'a', 5, 6, 1],
        &hash,
        &[1],
        &hash,
        &[4],
        b"slow",
        &[1, 4],
        b"fast",
        &key,
        &[1, 2, 3],
        &hash,
    ]
    .concat();
    vec![full.clone(), body(&full), empty.clone(), body(&empty), index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_of_manifests_have_good_signatures_and_that_of_an_index_is_one() {
        for seed in manifest_seeds() {
            match seed[0] {
                0 => drop(SignedManifest::read(&seed[1..]).expect("it is good")),
                _ => drop(SignedRevocations::read(&seed[1..]).expect("it is good")),
            }
        }
        let index = store_seeds().pop().unwrap();
        let read = survives!(Index, &index).expect("it is an index").0;
        assert_eq!((read.modules().count(), read.pins().count(), read.flags().count()), (1, 1, 1));
    }
}
