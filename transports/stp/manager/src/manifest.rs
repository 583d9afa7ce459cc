//! What a publisher says of a module, and signs.

use core::fmt;
use core::str::FromStr;

use tng_base::CodeHash;
use tng_crypto::{SIGNATURE_LEN, labels, verify};
use tng_stp_abi::Kind;
use tng_wire::{Reader, Repr};

use crate::{PublisherKey, PublisherPair};

/// Letters of a [`Name`].
pub const NAME_MAX: usize = 32;
/// Signatures of a manifest.
pub const SIGNATURES_MAX: usize = 8;
/// Bytes of a manifest with its signatures.
pub const MANIFEST_MAX: usize = 1_024;
/// Bytes of memory that code without a manifest is taken to want.
pub const MEMORY_WANTED: u64 = 4 << 20;
/// Fuel of a callback that code without a manifest is taken to want.
pub const FUEL_WANTED: u64 = 2_000_000;

/// What a transport is called: a-z, 0-9, `-`, `_` and `.`, a letter or digit first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<str>);

/// A text is no [`Name`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameError;

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a name has 1 to {NAME_MAX} of a-z, 0-9, -, _ and ., a letter or digit first")
    }
}

impl core::error::Error for NameError {}

impl Name {
    /// As a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Name, NameError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = (1..=NAME_MAX).contains(&text.len())
            && plain(text.as_bytes()[0])
            && text.bytes().all(|byte| plain(byte) || matches!(byte, b'-' | b'_' | b'.'));
        if fits { Ok(Name(text.into())) } else { Err(NameError) }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Name({self})")
    }
}

/// A version, as three numbers: the later one is the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version(pub [u32; 3]);

/// A text is no [`Version`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VersionError;

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a version is three numbers, like 1.0.3")
    }
}

impl core::error::Error for VersionError {}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Version, VersionError> {
        let (mut numbers, mut parts) = ([0; 3], text.split('.'));
        for number in &mut numbers {
            let part = parts.next().filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
            *number = part.and_then(|part| part.parse().ok()).ok_or(VersionError)?;
        }
        if parts.next().is_some() { Err(VersionError) } else { Ok(Version(numbers)) }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// What holds the rate of a guest. The names are those of docs/stp.md, "The policer".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Cap {
    /// The throughput equation.
    #[default]
    Equation,
    /// The larger of it and CUBIC's window.
    Modern,
}

impl Cap {
    /// All of them, by their names.
    pub const NAMES: [&'static str; 2] = ["equation", "modern"];

    /// That of a place in [`NAMES`](Self::NAMES).
    pub const fn of(place: usize) -> Option<Cap> {
        match place {
            0 => Some(Cap::Equation),
            1 => Some(Cap::Modern),
            _ => None,
        }
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Cap::NAMES[*self as usize])
    }
}

/// What code would like to have. It gets that, or what the policy allows its level if that is less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wants {
    /// What holds its rate.
    pub cap: Cap,
    /// Bytes of memory of an instance.
    pub memory: u64,
    /// Fuel of a callback.
    pub fuel: u64,
}

impl Default for Wants {
    fn default() -> Wants {
        Wants { cap: Cap::Equation, memory: MEMORY_WANTED, fuel: FUEL_WANTED }
    }
}

/// What is said of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// What it is called.
    pub name: Name,
    /// Which version of it this is.
    pub version: Version,
    /// Which code.
    pub hash: CodeHash,
    /// What it is.
    pub kind: Kind,
    /// The version of the border that it is built against.
    pub abi: u32,
    /// What it would like to have.
    pub wants: Wants,
    /// When its signatures end, in seconds of Unix; never if there is none.
    pub expires_unix_s: Option<u64>,
}

/// A signature under a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Whose.
    pub key: PublisherKey,
    /// Over the label and the manifest's bytes.
    pub bytes: [u8; SIGNATURE_LEN],
}

/// A manifest with its signatures, at most [`SIGNATURES_MAX`], of different keys that rise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedManifest {
    /// What they say.
    pub manifest: Manifest,
    pub(crate) signatures: Vec<Signature>,
}

/// Why a manifest is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ManifestError {
    /// Publisher: its bytes are no manifest of a version that this host knows, or more than [`MANIFEST_MAX`].
    Malformed,
    /// Publisher: a signature is not that of its key over this manifest.
    BadSignature(PublisherKey),
    /// Publisher: it is of other code.
    OtherCode {
        /// Which.
        named: CodeHash,
    },
    /// Publisher: it says that the code is something else than it is.
    OtherKind(Kind),
    /// Caller: there are [`SIGNATURES_MAX`] already.
    TooMany,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManifestError::Malformed => {
                f.write_str("this is no manifest of a version that is known here; `tng stp sign` makes one")
            }
            ManifestError::BadSignature(key) => {
                write!(f, "the signature of {key} is not over this manifest; have it signed again")
            }
            ManifestError::OtherCode { named } => {
                write!(f, "the manifest is of other code, {}; get the one of this module", named.short())
            }
            ManifestError::OtherKind(kind) => {
                write!(f, "the manifest says that the module is a {kind:?}, and it is none; have it signed again")
            }
            ManifestError::TooMany => write!(f, "a manifest has at most {SIGNATURES_MAX} signatures; leave one out"),
        }
    }
}

impl core::error::Error for ManifestError {}

impl SignedManifest {
    /// A manifest that nobody has signed.
    pub const fn unsigned(manifest: Manifest) -> SignedManifest {
        SignedManifest { manifest, signatures: Vec::new() }
    }

    /// Reads a manifest, all of whose signatures are good: one that is not makes all of it suspect.
    ///
    /// # Errors
    /// See [`ManifestError`].
    pub fn read(bytes: &[u8]) -> Result<SignedManifest, ManifestError> {
        if bytes.len() > MANIFEST_MAX {
            return Err(ManifestError::Malformed);
        }
        let mut reader = Reader::new(bytes);
        let read = SignedManifest::parse(&mut reader).map_err(|_| ManifestError::Malformed)?;
        if !reader.is_empty() {
            return Err(ManifestError::Malformed);
        }
        let message = message(&read.manifest);
        match read.signatures.iter().find(|signature| !signature.is_over(&message)) {
            Some(bad) => Err(ManifestError::BadSignature(bad.key)),
            None => Ok(read),
        }
    }

    /// The same, of these bytes of code, which are of this kind.
    ///
    /// # Errors
    /// See [`ManifestError`].
    pub fn read_of(bytes: &[u8], hash: &CodeHash, kind: Kind) -> Result<SignedManifest, ManifestError> {
        let read = SignedManifest::read(bytes)?;
        match &read.manifest {
            it if it.hash != *hash => Err(ManifestError::OtherCode { named: it.hash }),
            it if it.kind != kind => Err(ManifestError::OtherKind(it.kind)),
            _ => Ok(read),
        }
    }

    /// Adds a signature, or puts it in the place of the one of this key.
    ///
    /// # Errors
    /// [`ManifestError::TooMany`].
    pub fn sign(&mut self, publisher: &PublisherPair) -> Result<(), ManifestError> {
        let signature = Signature { key: publisher.public(), bytes: publisher.sign(&message(&self.manifest)) };
        match self.signatures.binary_search_by_key(&signature.key, |it| it.key) {
            Ok(at) => self.signatures[at] = signature,
            Err(_) if self.signatures.len() == SIGNATURES_MAX => return Err(ManifestError::TooMany),
            Err(at) => self.signatures.insert(at, signature),
        }
        Ok(())
    }

    /// Whose signatures are under it.
    pub fn signers(&self) -> impl Iterator<Item = &PublisherKey> {
        self.signatures.iter().map(|signature| &signature.key)
    }
}

impl Signature {
    fn is_over(&self, message: &[u8]) -> bool {
        verify(self.key.as_bytes(), message, &self.bytes)
    }
}

/// What is signed.
fn message(manifest: &Manifest) -> Vec<u8> {
    [labels::STP_MANIFEST.as_bytes(), &manifest.to_vec()].concat()
}
