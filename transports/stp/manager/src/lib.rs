//! The policy manager of transports that travel (STP 3.2.2), and the store that it keeps code in.
//!
//! Code is known by its hash. What a host knows of it is in [`Knowledge`]: the [`Index`] of its store with the
//! [`SignedManifest`]s, the [`Revocations`], the [`History`] of violations, and the guests that are built in. A
//! [`Policy`] says of each question by its first rule that matches whether code may run, and with which [`Limits`].
//! [`answer_offer`] and [`settle_use`] are negotiation's decisions (STP 3.3.1). All of these are plain values, and the
//! clock is an argument.
//!
//! The [`Store`] alone touches a disk, and [`Manager`] holds all of it for an endpoint: it decides from memory.
//!
//! It knows no engine: what a module is made into is compiled elsewhere, and kept here as bytes.
#![forbid(unsafe_code)]

mod disk;
mod history;
mod index;
mod key;
mod knowledge;
mod manager;
mod manifest;
mod negotiate;
mod origin;
mod policy;
mod revocation;
mod store;
mod wire;

pub use disk::{Disk, RealDisk};
pub use history::{History, HistoryError, Record, VIOLATIONS_KEPT_MAX, VIOLATORS_MAX, Violation};
pub use index::{Entry, Index, IndexError, MODULES_MAX, Mark, NOTE_MAX};
pub use key::{KeyTextError, Publisher as PublisherPair, PublisherKey};
pub use knowledge::{BuiltIn, Knowledge};
pub use manager::{Arrived, ByHand, InstallError, Manager};
pub use manifest::{
    Cap, FUEL_WANTED, MANIFEST_MAX, MEMORY_WANTED, Manifest, ManifestError, NAME_MAX, Name, NameError, SIGNATURES_MAX,
    Signature, SignedManifest, Version, VersionError, Wants,
};
pub use negotiate::{Answer, OFFERED_MAX, answer_offer, offer, settle_use};
pub use origin::{FILE_NAME_MAX, HOST_MAX, Origin};
pub use policy::{
    Acceptance, Choice, HostCheck, Level, LevelLimits, Limits, Offenders, Outcome, Policy, Publisher, Purpose,
    Question, Reason, Rule, Source, Trust, Verdict, Words,
};
pub use revocation::{RevocationError, RevocationList, Revocations, SignedRevocations};
pub use store::{Contents, Damaged, Note, QUOTA_DEFAULT, Store, StoreError, Verified, default_folder};

#[cfg(test)]
mod tests;
