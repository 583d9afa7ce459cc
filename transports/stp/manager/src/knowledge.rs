//! What a host knows of code.

use tng_base::CodeHash;
use tng_stp_abi::Kind;

use crate::{Choice, Entry, History, Index, Level, Name, Policy, Revocations};

/// A guest that comes with the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltIn {
    /// What it is called.
    pub name: String,
    /// Its hash.
    pub hash: CodeHash,
    /// What it is.
    pub kind: Kind,
    /// The module.
    pub bytes: &'static [u8],
}

/// All that is known of code here: in memory, so that nothing is waited for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Knowledge {
    /// What the store holds, and what its user says of it.
    pub index: Index,
    /// What code has done wrong.
    pub history: History,
    /// What publishers have taken back.
    pub revocations: Revocations,
    /// The guests that come with the program.
    pub built_in: Vec<BuiltIn>,
}

impl Knowledge {
    /// The guest of this hash that comes with the program.
    pub fn built_in(&self, hash: &CodeHash) -> Option<&BuiltIn> {
        self.built_in.iter().find(|guest| guest.hash == *hash)
    }

    /// All code that can be had without asking anybody, each once, and what it is: that which comes with the program
    /// first.
    pub fn all(&self) -> impl Iterator<Item = (CodeHash, Kind)> + '_ {
        let built_in = self.built_in.iter().map(|guest| (guest.hash, guest.kind));
        let stored = self.index.modules().map(|(hash, entry)| (*hash, entry.kind));
        built_in.chain(stored.filter(|(hash, _)| self.built_in(hash).is_none()))
    }

    /// The hashes of all transports of streams among that.
    pub fn transports(&self) -> Vec<CodeHash> {
        self.all().filter(|(_, kind)| *kind == Kind::Transport).map(|(hash, _)| hash).collect()
    }

    /// The hashes of all controllers among it.
    pub fn controllers(&self) -> Vec<CodeHash> {
        self.all().filter(|(_, kind)| *kind == Kind::Controller).map(|(hash, _)| hash).collect()
    }

    /// Whether code can be had without asking anybody.
    pub fn is_here(&self, hash: &CodeHash) -> bool {
        self.index.module(hash).is_some() || self.built_in(hash).is_some()
    }

    /// What code is called: as what comes with the program, or by its manifest.
    pub fn name(&self, hash: &CodeHash) -> Option<&str> {
        let manifest = || self.index.module(hash).and_then(|entry| entry.manifest.as_ref());
        let built_in = self.built_in(hash).map(|guest| guest.name.as_str());
        built_in.or_else(|| manifest().map(|signed| signed.manifest.name.as_str()))
    }

    /// All code of the store that calls itself so, whether or not anybody vouches for it; but for what comes with the
    /// program.
    pub fn called(&self, name: &str) -> Vec<CodeHash> {
        let stored = self.index.modules().map(|(hash, _)| *hash).filter(|hash| self.built_in(hash).is_none());
        stored.filter(|hash| self.name(hash) == Some(name)).collect()
    }

    /// The code that a choice means, if it is here. A name is that of what comes with the program; else of the newest
    /// version that a publisher of the policy has signed, or this user has pinned. What nobody vouches for has no name:
    /// it could take any.
    pub fn chosen(&self, policy: &Policy, choice: &Choice) -> Option<CodeHash> {
        match choice {
            Choice::Hash(hash) => self.is_here(hash).then_some(*hash),
            Choice::Name(name) => {
                let guest = self.built_in.iter().find(|guest| guest.name == name.as_str());
                guest.map(|guest| guest.hash).or_else(|| self.newest(policy, name))
            }
        }
    }

    fn newest(&self, policy: &Policy, name: &Name) -> Option<CodeHash> {
        let of_name = |(hash, entry): (&CodeHash, &Entry)| {
            let manifest = &entry.manifest.as_ref().filter(|signed| signed.manifest.name == *name)?.manifest;
            let vouched = policy.level(self, hash, entry.manifest.as_ref()) != Level::Any;
            vouched.then_some((manifest.version, entry.installed_unix_s, *hash))
        };
        self.index.modules().filter_map(of_name).max().map(|(_, _, hash)| hash)
    }
}
