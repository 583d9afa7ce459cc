//! The file of the secret that the servers of a fleet share (docs/trickles.md, "Seals and secrets"). One line, readable
//! by its owner alone; as epochs pass it is written anew, and what it said before is gone.

use std::io;
use std::path::{Path, PathBuf};

use tng::trickles::{EPOCH, EpochSecret, Wall};
use tng_crypto::{Secret32, Zeroizing};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::{folder_of, read_private, write_new, write_over};
use crate::talk::shown;

/// What the line begins with; then the number of the epoch, and 64 hexadecimal digits.
const PREFIX: &str = "tngepochs1";

/// What helps against a file that is of no use.
const ANOTHER: &str = "the file of another server of the fleet, or move it away for a new one";

/// The file.
#[derive(Clone, Debug)]
pub struct KeysFile(PathBuf);

/// The time that servers share, by this host's clock.
fn wall() -> Wall {
    Wall::from_millis(u64::try_from(clock::since_1970().as_millis()).unwrap_or(u64::MAX))
}

impl KeysFile {
    /// The file at `path`, in a folder that is there: a file that is made is not where somebody looked for an old one.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn named(path: &Path) -> Result<KeysFile, Failure> {
        let file = KeysFile(path.to_owned());
        let folder = folder_of(path);
        if folder.is_dir() {
            return Ok(file);
        }
        let why = format!("there is no folder {}", shown(folder));
        Err(Failure::usage(file.what("looking for"), why).or_try("its right path, or make the folder for a new file"))
    }

    /// The file beside the key file `key`.
    pub fn beside(key: &Path) -> KeysFile {
        let mut path = key.as_os_str().to_owned();
        path.push(".epochs");
        KeysFile(path.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The secret to begin with now, and whether it was made just now because there was no file. The file says no more
    /// than that afterwards.
    ///
    /// # Errors
    /// If it cannot be read, trusted, understood, made or written, or is of another time.
    pub fn load_or_create(&self) -> Result<(EpochSecret, bool), Failure> {
        if !self.0.exists() {
            match self.create() {
                // Another server was faster; its file is as good.
                Err(_) if self.0.exists() => {}
                made => return Ok((made?, true)),
            }
        }
        Ok((self.follow()?, false))
    }

    /// Follows the epochs for as long as the server runs, and erases what is over. A server that fails in it goes on
    /// with what it has: only the file says too much.
    pub async fn keep_following(self) {
        loop {
            tokio::time::sleep(EPOCH / 2).await;
            if let Err(failure) = self.follow() {
                tracing::warn!("{failure}");
            }
        }
    }

    /// Reads it, and writes it anew if it says more than a server needs now.
    fn follow(&self) -> Result<EpochSecret, Failure> {
        self.follow_at(wall())
    }

    fn follow_at(&self, now: Wall) -> Result<EpochSecret, Failure> {
        let read = self.load()?;
        let before = read.number();
        let kept = read.kept_at(now).map_err(|error| {
            // A clock that was ahead for a while has moved the file on, and no way leads back.
            Failure::new(Exit::Read, self.what("using"), error).or_try(ANOTHER)
        })?;
        // Another server may have moved it on meanwhile, and its clock be ahead.
        if kept.number() > before && self.load()?.number() < kept.number() {
            write_over(&self.0, &line(&kept)).map_err(|error| self.unwritten(&error))?;
        }
        Ok(kept)
    }

    fn load(&self) -> Result<EpochSecret, Failure> {
        let text = read_private(&self.0, || self.what("reading"), "epochs")?;
        parse(&text).ok_or_else(|| {
            Failure::new(Exit::Read, self.what("reading"), format!("it is no line that begins with {PREFIX}"))
                .or_try(ANOTHER)
        })
    }

    fn create(&self) -> Result<EpochSecret, Failure> {
        let seed = tng::random_seed().map_err(|error| Failure::read("drawing random numbers", &error))?;
        // Of the epoch before, for servers whose clocks are behind.
        let secret = EpochSecret::new(EpochSecret::number_at(wall()).saturating_sub(1), seed);
        write_new(&self.0, &line(&secret)).map_err(|error| self.unwritten(&error))?;
        Ok(secret)
    }

    fn unwritten(&self, error: &io::Error) -> Failure {
        Failure::write(self.what("writing"), error)
    }

    fn what(&self, doing: &str) -> String {
        format!("{doing} the keys of the fleet in {}", shown(&self.0))
    }
}

fn line(secret: &EpochSecret) -> Zeroizing<String> {
    let mut line = Zeroizing::new(format!("{PREFIX} {} ", secret.number()));
    line.reserve(64);
    secret.expose().iter().for_each(|byte| line.push_str(&format!("{byte:02x}")));
    line
}

fn parse(text: &str) -> Option<EpochSecret> {
    let mut words = text.split_whitespace();
    let (prefix, number, hex) = (words.next()?, words.next()?.parse().ok()?, words.next()?);
    let is_line = prefix == PREFIX && words.next().is_none() && hex.len() == 64 && hex.is_ascii();
    let mut secret = Zeroizing::new([0; 32]);
    for (at, byte) in secret.iter_mut().enumerate().filter(|_| is_line) {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
    }
    is_line.then(|| EpochSecret::new(number, Secret32::from_bytes(*secret)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn file() -> (tempfile::TempDir, KeysFile) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = KeysFile(folder.path().join("a/keys"));
        (folder, file)
    }

    #[test]
    fn the_keys_are_made_once_for_their_owner_alone_and_all_servers_read_the_same() {
        let (_folder, file) = file();
        let (made, is_new) = file.load_or_create().expect("made");
        let (read, is_new_again) = file.load_or_create().expect("read");
        assert_eq!((made.expose(), made.number()), (read.expose(), read.number()));
        assert_eq!((is_new, is_new_again), (true, false));
        assert_eq!(fs::metadata(file.path()).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(file.path().parent().expect("a folder")).expect("read").count(), 1, "nothing beside");
    }

    #[test]
    fn a_path_that_was_mistyped_makes_no_folders() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let failure = KeysFile::named(&folder.path().join("flete/keys")).expect_err("no such folder");
        assert!(failure.exit == Exit::Usage && failure.why.contains("flete"), "{failure}");
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 0);
        for good in [folder.path().join("keys"), PathBuf::from("keys")] {
            assert_eq!(KeysFile::named(&good).expect("its folder is there").path(), good);
        }
    }

    #[test]
    fn keys_that_others_can_read_and_what_is_no_keys_are_refused_and_left_alone() {
        let (_folder, file) = file();
        file.load_or_create().expect("made");
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o640)).expect("changed");
        let failure = file.load_or_create().expect_err("refused");
        assert_eq!(failure.exit, Exit::Read);
        assert!(failure.why.contains("others can read it (mode 640)") && failure.remedy.contains("chmod 600"));
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o600)).expect("changed");
        file.load_or_create().expect("control");
        for text in ["", "hello", "tngepochs1 7", "tngepochs1 x 00", &format!("{PREFIX} 7 {}", "0".repeat(63))] {
            fs::write(file.path(), text).expect("written");
            let failure = file.load_or_create().expect_err("refused");
            assert!(failure.why.contains(PREFIX), "{failure}");
            assert_eq!(fs::read(file.path()).expect("there"), text.as_bytes());
        }
    }

    #[test]
    fn as_epochs_pass_the_file_says_what_comes_and_nothing_of_what_was() {
        let (_folder, file) = file();
        let (first, _) = file.load_or_create().expect("made");
        let before = fs::read_to_string(file.path()).expect("there");
        let began = first.number();
        let at = |epochs: u64| Wall::from_millis((began + epochs) * EPOCH.as_millis() as u64 + 1);
        assert_eq!(file.follow_at(at(1)).expect("followed").number(), first.number(), "the one before is good still");
        assert_eq!(fs::read_to_string(file.path()).expect("there"), before);
        let later = file.follow_at(at(5)).expect("followed");
        assert_eq!(later.number(), first.number() + 4);
        let after = fs::read_to_string(file.path()).expect("there");
        assert!(!after.contains(before.split_whitespace().last().expect("a secret")), "erased");
        assert_eq!(fs::metadata(file.path()).expect("there").permissions().mode() & 0o777, 0o600);
        // Who has the first comes to the same.
        assert_eq!(first.kept_at(at(5)).expect("computed").expose(), later.expose());
        let failure = file.follow_at(at(0)).expect_err("a clock that was set back");
        assert!(failure.why.contains("set the clock"), "{failure}");
        assert!(failure.remedy.contains("another server") && failure.remedy.contains("move it away"), "{failure}");
        assert_eq!(fs::read_to_string(file.path()).expect("there"), after);
    }
}
