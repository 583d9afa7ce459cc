//! What all tests of this crate build on.

mod decisions;
mod disks;
mod histories;
mod managers;
mod manifests;
mod mutations;
mod negotiation;
mod policies;
mod revocations;
mod stores;

use tempfile::TempDir;
use tng_base::{CodeHash, Eid};
use tng_crypto::{Secret32, code_hash};
use tng_stp_abi::{ABI_VERSION, Kind};
use tng_wire::Repr;

use crate::*;

/// A time at which clocks are set.
const NOW: u64 = 1_800_000_000;
const DAY: u64 = 86_400;

fn publisher(n: u8) -> PublisherPair {
    PublisherPair::from_seed([n; 32])
}

/// Bytes that stand for a module: nobody here runs them.
fn module(n: u8) -> Vec<u8> {
    [b"\0asm\x01\0\0\0", &[n; 100][..]].concat()
}

fn hash(n: u8) -> CodeHash {
    code_hash(&module(n))
}

fn peer(n: u8) -> Eid {
    Eid::from_bytes([n; 32])
}

fn said_of(n: u8, name: &str, version: [u32; 3]) -> Manifest {
    Manifest {
        name: name.parse().expect("a name"),
        version: Version(version),
        hash: hash(n),
        kind: Kind::Transport,
        abi: ABI_VERSION,
        wants: Wants::default(),
        expires_unix_s: Some(NOW + DAY),
    }
}

/// A manifest with the signatures of these publishers.
fn signed(manifest: Manifest, by: &[u8]) -> SignedManifest {
    let mut signed = SignedManifest::unsigned(manifest);
    by.iter().for_each(|n| signed.sign(&publisher(*n)).expect("there is room"));
    signed
}

/// Module `n` in the index, as if it had been installed.
fn entry(n: u8, origin: Origin, manifest: Option<SignedManifest>) -> Entry {
    Entry {
        bytes: u32::try_from(module(n).len()).expect("short"),
        kind: Kind::Transport,
        origin,
        installed_unix_s: NOW,
        used_unix_s: NOW,
        manifest,
    }
}

/// What is known if these are in the store.
fn knowing(modules: &[(u8, Option<SignedManifest>)]) -> Knowledge {
    let mut known = Knowledge::default();
    for (n, manifest) in modules {
        if let Some(signed) = manifest {
            known.index.keep_marks(signed, |_| true).expect("there is room");
        }
        known.index.modules.insert(hash(*n), entry(*n, Origin::Peer(peer(1)), manifest.clone()));
    }
    known
}

/// A policy whose publisher `acme` has the keys of publishers 1 to `keys`; so many of them must sign.
fn acme(keys: u8, threshold: usize, rest: &str) -> Policy {
    let keys: Vec<String> = (1..=keys).map(|n| format!("\"{}\"", publisher(n).public())).collect();
    let keys = keys.join(", ");
    let text = format!("{rest}\n[publishers.acme]\nkeys = [{keys}]\nthreshold = {threshold}\n");
    Policy::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn fresh() -> Secret32 {
    Secret32::from_bytes([9; 32])
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn manager(folder: &TempDir, policy: Policy) -> Manager {
    let (manager, notes) = Manager::open(&folder.path().join("stp"), policy, Vec::new(), fresh()).expect("it opens");
    assert_eq!(notes, [], "nothing is wrong with it");
    manager
}

/// Installs module `n` by hand.
fn by_hand(manager: &Manager, n: u8, manifest: Option<&SignedManifest>) -> Result<Verdict, InstallError> {
    arrive(n, manifest, &Origin::File(String::new()), |arrived| {
        manager.install_by_hand(arrived, ByHand::default(), &Question::default(), NOW)
    })
}

/// Module `n` comes from a peer.
fn from_peer(manager: &Manager, n: u8, manifest: Option<&SignedManifest>) -> Result<Verdict, InstallError> {
    arrive(n, manifest, &Origin::Peer(peer(1)), |arrived| manager.install(&hash(n), arrived, &Question::default(), NOW))
}

fn arrive<T>(n: u8, manifest: Option<&SignedManifest>, origin: &Origin, install: impl FnOnce(&Arrived<'_>) -> T) -> T {
    let (bytes, said) = (module(n), manifest.map(Repr::to_vec));
    install(&Arrived { bytes: &bytes, kind: Kind::Transport, manifest: said.as_deref(), origin })
}

/// How many of a test's full count are tried: all if `TNG_SEEDS` says so many, a fiftieth if it says nothing.
fn count(full: u64) -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(full / 50)
}
