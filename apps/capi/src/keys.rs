//! The files that a server is opened with: its identity (`tng id new`), and the secrets that it shares with other
//! servers (`tng trickles keys new`; docs/wire.md section 11.1). Both are read, and never written.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nix::errno::Errno;
use tng::trickles::{EpochSecret, EpochSecrets};
use tng::{Identity, Secret32};
use tng_crypto::{Zeroizing, sha256};

use crate::errno::{Told, of_system};

/// Longest file that is read, in bytes.
pub const SECRET_FILE_MAX: u64 = 64 * 1024;

/// What a file of epochs begins with.
const PREFIX: &str = "tngepochs2 ";

/// Why a file with a secret is not taken.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Environment: it cannot be read.
    #[error("{file}: {error}; make it with `{make}`")]
    System {
        /// The file.
        file: String,
        /// What the system says.
        error: io::Error,
        /// What makes such a file.
        make: &'static str,
    },
    /// Caller: others can read it.
    #[error("{file}: others can read it (mode {mode:03o}): chmod 600 it")]
    Open {
        /// The file.
        file: String,
        /// Who can.
        mode: u32,
    },
    /// Caller: it is another file, or damaged.
    #[error("{file}: it is no such file, or damaged; make one with `{make}`")]
    Damaged {
        /// The file.
        file: String,
        /// What makes such a file.
        make: &'static str,
    },
}

impl Told for KeyFileError {
    fn errno(&self) -> Errno {
        match self {
            KeyFileError::System { error, .. } => of_system(error),
            KeyFileError::Open { .. } => Errno::EPERM,
            KeyFileError::Damaged { .. } => Errno::EBADMSG,
        }
    }
}

/// Who a host is.
///
/// # Errors
/// [`KeyFileError`].
pub fn identity(path: &Path) -> Result<Identity, KeyFileError> {
    const MAKE: &str = "tng id new --key FILE";
    let text = read(path, MAKE)?;
    Identity::from_secret_text(text.trim_end()).map_err(|_| KeyFileError::Damaged { file: named(path), make: MAKE })
}

/// What the servers of a fleet share.
///
/// # Errors
/// [`KeyFileError`].
pub fn epochs(path: &Path) -> Result<EpochSecrets, KeyFileError> {
    const MAKE: &str = "tng trickles keys new FILE";
    let text = read(path, MAKE)?;
    parse(&text).ok_or_else(|| KeyFileError::Damaged { file: named(path), make: MAKE })
}

fn named(path: &Path) -> String {
    path.display().to_string()
}

fn read(path: &Path, make: &'static str) -> Result<Zeroizing<String>, KeyFileError> {
    let failed = |error| KeyFileError::System { file: named(path), error, make };
    let file = File::open(path).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyFileError::Open { file: named(path), mode });
    }
    let mut text = Zeroizing::new(String::with_capacity(1_024));
    match file.take(SECRET_FILE_MAX).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(KeyFileError::Damaged { file: named(path), make })
        }
        Err(error) => Err(failed(error)),
    }
}

/// A line that names the fleet, a line for each secret, and the first four bytes of the hash of all that.
fn parse(text: &str) -> Option<EpochSecrets> {
    let (said, check) = text.trim_end().rsplit_once('\n')?;
    let mut lines = said.lines();
    lines.next()?.strip_prefix(PREFIX)?;
    let secret = |line: &str| {
        let (number, digits) = line.split_once(' ')?;
        Some(EpochSecret::new(number.parse().ok()?, Secret32::from_bytes(*unhex(digits)?)))
    };
    let secrets = EpochSecrets::new(lines.map(secret).collect::<Option<_>>()?)?;
    let sum = unhex::<4>(check)?;
    (sum[..] == sha256(&[said.as_bytes(), b"\n"])[..4]).then_some(secrets)
}

/// Reads so many hexadecimal digits.
fn unhex<const N: usize>(digits: &str) -> Option<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    let are_digits = digits.len() == 2 * N && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    for (at, byte) in bytes.iter_mut().enumerate().filter(|_| are_digits) {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    are_digits.then_some(bytes)
}
