//! Where the store and the policy are, and what fails there.

use std::fs::File;
use std::io;
use std::path::Path;

use tng::stp::built_in;
use tng::stp::manager::{InstallError, Knowledge, Manager, ManifestError, Policy, RevocationError};
use tng_base::CodeHash;
use tng_crypto::code_hash;
use tng_experiments::peers::guests::battery::MODULE_MAX;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::named::{Among, NotNamed, find, is_file};
pub(super) use crate::guests::place::PlaceArgs;
use crate::guests::supply::{PolicyFile, built_in_guests, is_wanted, open_manager, store_failure};
use crate::talk::{Talk, shown};

impl PlaceArgs {
    /// What is known of code and the policy; without a store and a policy that is what is built in, and none is made.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub(super) fn look<T>(&self, talk: Talk, look: impl FnOnce(&Policy, &Knowledge) -> T) -> Result<T, Failure> {
        if self.store.is_none() && !is_wanted(self) {
            let known = Knowledge { built_in: built_in_guests(), ..Knowledge::default() };
            return Ok(look(&Policy::default(), &known));
        }
        Ok(self.manager_there(talk)?.look(look))
    }

    /// The store under the policy. What was found to be wrong there is said.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub(super) fn manager(&self, talk: Talk) -> Result<Manager, Failure> {
        open_manager(self, &mut PolicyFile::of(self), talk)
    }

    /// The same for who looks, or takes something out: a store that is named must be there.
    ///
    /// # Errors
    /// If it is not, or one of them cannot be read.
    pub(super) fn manager_there(&self, talk: Talk) -> Result<Manager, Failure> {
        match &self.store {
            Some(folder) if !folder.exists() => {
                PolicyFile::of(self).read()?;
                let what = format!("opening the store of transports in {}", shown(folder));
                let remedy = "a folder that is there, in --store or TNG_STORE; tng stp install makes one";
                Err(Failure::new(Exit::Read, what, "it is not there").or_try(remedy))
            }
            _ => self.manager(talk),
        }
    }
}

/// The code that a text names: a hash, the beginning of one that is here, a name, or a file.
///
/// # Errors
/// If it names none, or several.
pub(super) fn code(manager: &Manager, text: &str) -> Result<CodeHash, Failure> {
    // It need not be here.
    if let Ok(hash) = text.parse() {
        return Ok(hash);
    }
    let what = || format!("looking for the transport {}", shown(Path::new(text)));
    let found = manager.look(|policy, known| {
        find(policy, known, text, Among::All).map_err(|error| (error.failure(&what(), known, text, Among::All), error))
    });
    match found {
        Ok(hash) => return Ok(hash),
        Err((_, NotNamed::Nothing)) => {}
        Err((failure, _)) => return Err(failure),
    }
    if let Some(guest) = built_in(text) {
        return Ok(code_hash(guest.bytes));
    }
    named_module(text).map(|bytes| code_hash(&bytes))
}

/// The module in a file that is named where a hash or a name may stand, and is none of those.
///
/// # Errors
/// If it cannot be read; that a word names nothing is no matter of reading.
pub(super) fn named_module(text: &str) -> Result<Vec<u8>, Failure> {
    match read_module(Path::new(text)) {
        Err(_) if !is_file(text) => {
            let what = format!("looking for the transport {}", shown(Path::new(text)));
            let why = "it is no hash, no name of one that is here, and no file";
            Err(Failure::usage(what, why).or_try("tng stp list"))
        }
        read => read,
    }
}

/// What code is called that comes with this program and is not in the store.
pub(super) fn built_in_name(manager: &Manager, hash: &CodeHash) -> Option<String> {
    manager.look(|_, known| {
        let guest = known.built_in(hash).filter(|_| known.index.module(hash).is_none());
        guest.map(|guest| guest.name.clone())
    })
}

/// Checks that code is here, and a transport: what other hosts can do something with.
///
/// # Errors
/// If not; `what` is what cannot be done then.
pub(super) fn transport(manager: &Manager, hash: &CodeHash, what: &str) -> Result<(), Failure> {
    let (here, transports) = manager.look(|_, known| (known.is_here(hash), known.transports()));
    match () {
        () if !here => Err(Failure::usage(what, "it is not in the store").or_try("tng stp install FILE.wasm")),
        () if !transports.contains(hash) => {
            let why = "it carries no stream, and hosts agree on what does; it is a controller, or carries messages";
            Err(Failure::usage(what, why).or_try("a guest of kind stream; `tng stp list` tells"))
        }
        () => Ok(()),
    }
}

/// A module's bytes; of one that is too large so many that this shows.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_module(path: &Path) -> Result<Vec<u8>, Failure> {
    read_file(path, "module", MODULE_MAX).map_err(|(failure, kind)| {
        if kind == io::ErrorKind::NotFound {
            failure.or_try("a file, or one of the names in `tng stp list`")
        } else {
            failure
        }
    })
}

/// A file of at most so many bytes; of one that has more, one byte more shows that.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_file(path: &Path, what: &str, most: usize) -> Result<Vec<u8>, (Failure, io::ErrorKind)> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
    let failed =
        |error: io::Error| (Failure::read(format!("reading the {what} {}", shown(path)), &error), error.kind());
    read.map(|_| bytes).map_err(failed)
}

/// That a revocation list is not taken.
pub(super) fn revocation_failure(what: impl Into<String>, error: &RevocationError) -> Failure {
    let exit = match error {
        RevocationError::Stranger(_) | RevocationError::Old { .. } | RevocationError::Shrunk => Exit::Denied,
        RevocationError::TooMany | RevocationError::Full => Exit::Write,
        _ => Exit::Read,
    };
    Failure::told(exit, what, error)
}

/// That a manifest is not taken.
pub(super) fn manifest_failure(what: impl Into<String>, error: &ManifestError) -> Failure {
    Failure::told(Exit::Read, what, error)
}

/// That code is not installed.
pub(super) fn install_failure(what: impl Into<String>, error: &InstallError) -> Failure {
    match error {
        InstallError::Store(error) => store_failure(what, error),
        InstallError::Manifest(error) => manifest_failure(what, error),
        InstallError::WrongHash { .. } => Failure::told(Exit::Receive, what, error),
        InstallError::Forbidden(_) | InstallError::Refused(_) => Failure::told(Exit::Denied, what, error),
        _ => Failure::told(Exit::Read, what, error),
    }
}
