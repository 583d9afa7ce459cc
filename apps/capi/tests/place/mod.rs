//! A folder with the files that a server is opened with.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use tng::trickles::{EpochSecret, Wall};
use tng::{Identity, random_seed};
use tng_crypto::sha256;

/// The folder.
pub struct Place(pub tempfile::TempDir);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Place {
    /// With `key` and `epochs`, as `tng id new` and `tng trickles keys new` write them.
    pub fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        place.secret("key", &Identity::from_seed(random_seed().unwrap()).to_secret_text());
        #[expect(clippy::disallowed_methods, reason = "servers on sockets go by real clocks")]
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let number = EpochSecret::number_at(Wall::from_millis(since.as_millis() as u64)) - 1;
        let secret = hex(random_seed().unwrap().expose());
        let said = format!("tngepochs2 0011223344556677 0 00112233\n{number} {secret}\n");
        let check = hex(&sha256(&[said.as_bytes()])[..4]);
        place.secret("epochs", &format!("{said}{check}\n"));
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file that others cannot read.
    pub fn secret(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        fs::set_permissions(self.path(name), Permissions::from_mode(0o600)).unwrap();
    }
}
