//! Whether all that a store holds is what it should be.

use tng_crypto::code_hash;

use super::files::{COMPILED, Kept, name};
use super::{Damaged, Note, STORED_MODULE_MAX, Store, StoreError};
use crate::MANIFEST_MAX;

/// What was looked at, and what was wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// Modules whose bytes are those that their hashes name.
    pub modules: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Manifests that are of their modules, with good signatures.
    pub manifests: usize,
    /// Revocation lists with good signatures.
    pub revocations: usize,
    /// What was set aside.
    pub wrong: Vec<Note>,
}

impl Store {
    /// Reads everything, and sets aside what is wrong.
    ///
    /// # Errors
    /// See [`StoreError`]. What is wrong is none.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        let held = self.hold()?;
        let (mut found, index) = (Verified::default(), self.read_named()?);
        for (hash, entry) in index.modules() {
            let bytes = self.read(&self.path(Kept::Module(hash)), STORED_MODULE_MAX)?;
            let why = match &bytes {
                None => "it is named and not there",
                Some(bytes) if code_hash(bytes) != *hash => "its bytes are not those that its hash names",
                Some(bytes) => {
                    found.modules += 1;
                    found.bytes += bytes.len() as u64;
                    let path = self.path(Kept::Manifest(hash));
                    if let Some(bytes) = self.read(&path, MANIFEST_MAX)? {
                        match super::manifest_of(&bytes, hash, entry) {
                            Some(_) => found.manifests += 1,
                            None => {
                                let why = "it is no manifest of its module with good signatures";
                                found.wrong.push(Note { what: Damaged::Manifest(*hash), why: why.to_owned() });
                                self.set_aside(&path)?;
                            }
                        }
                    }
                    continue;
                }
            };
            found.wrong.push(Note { what: Damaged::Module(*hash), why: why.to_owned() });
            self.remove_held(&held, hash, true)?;
        }
        // What is compiled is judged by its MAC when it is used; of a module that is gone it is of no use.
        for path in self.files(COMPILED)? {
            let of = name(&path).split('-').next().and_then(|hash| hash.parse().ok());
            if of.is_none_or(|hash| index.module(&hash).is_none()) {
                self.drop_path(&path)?;
            }
        }
        let before = found.wrong.len();
        let lists = self.read_revocations(&mut found.wrong)?;
        found.revocations = lists.all().count();
        debug_assert!(found.wrong[before..].iter().all(|note| matches!(note.what, Damaged::Revocations(_))));
        self.read_history()?;
        Ok(found)
    }
}
