//! The key file: who this host is. One line, readable by its owner alone; never on a command line.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use tng_crypto::Zeroizing;
use tng_isolation::Identity;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::hex::hex;
use crate::talk::shown;

/// Longest key file that is read, in bytes.
pub const KEY_FILE_MAX: u64 = 1024;

/// Longest file of a place that is read, in bytes.
pub const PLACE_FILE_MAX: u64 = 256;

/// Which identity to use.
#[derive(Args, Clone, Debug, Default)]
pub struct KeyArgs {
    /// Key file [default: ~/.config/tng/identity, made on first use]
    #[arg(long, value_name = "FILE", env = "TNG_KEY", hide_env_values = true)]
    pub key: Option<PathBuf>,
}

/// Why there is no folder for what is this user's: a path that is not whole would be another one in each folder.
pub(crate) const NO_HOME: &str = "neither XDG_CONFIG_HOME nor HOME is set to a whole path";

impl KeyArgs {
    /// The key file that is meant.
    ///
    /// # Errors
    /// If none was named and there is no home to keep one in.
    pub fn path(&self) -> Result<PathBuf, Failure> {
        match &self.key {
            Some(path) => Ok(path.clone()),
            None => default_path(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME"))
                .ok_or_else(|| Failure::usage("finding the key file", NO_HOME).or_try("--key FILE")),
        }
    }

    /// The identity in the key file, made now if there is none.
    ///
    /// # Errors
    /// If the file cannot be read, trusted, understood or made.
    pub fn load_or_create(&self) -> Result<Identity, Failure> {
        let path = self.path()?;
        if !path.exists() {
            match create(&path) {
                // Another process was faster; its file is as good.
                Err(_) if path.exists() => {}
                made => return made,
            }
        }
        load(&path)
    }

    /// Words of this host that another with the same key does not have: in a file beside the key, made now if there is
    /// none. Who copies a key leaves it behind.
    ///
    /// # Errors
    /// If the file cannot be read or made.
    pub fn place(&self) -> Result<String, Failure> {
        let mut path = self.path()?.into_os_string();
        path.push(".place");
        let path = PathBuf::from(path);
        let failed = |error: &io::Error| Failure::read(format!("reading the place in {}", path.display()), error);
        if !path.exists() {
            let words = random_name::<16>().map_err(|why| Failure::read("drawing random numbers", &why))?;
            match write_new(&path, &words) {
                // Another process was faster.
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(Failure::write(format!("writing the place to {}", path.display()), &error));
                }
                _ => {}
            }
        }
        let mut words = String::new();
        File::open(&path)
            .and_then(|file| file.take(PLACE_FILE_MAX).read_to_string(&mut words))
            .map_err(|e| failed(&e))?;
        Ok(words.trim().to_owned())
    }
}

fn default_path(xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    Some(configuration(xdg, home)?.join("identity"))
}

/// Where this user's files are, if there is a home: `~/.config/tng`.
pub(crate) fn folder_of_configuration() -> Option<PathBuf> {
    configuration(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME"))
}

fn configuration(xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let set = |value: Option<OsString>| value.filter(|value| Path::new(value).is_absolute()).map(PathBuf::from);
    let config = set(xdg).or_else(|| Some(set(home)?.join(".config")))?;
    Some(config.join("tng"))
}

/// Reads a key file.
///
/// # Errors
/// If it cannot be read, is open to others, or holds no key.
pub fn load(path: &Path) -> Result<Identity, Failure> {
    let what = || format!("reading the key file {}", path.display());
    read_private(path, what, "identity", |text| {
        Identity::from_secret_text(text)
            .map_err(|why| Failure::new(Exit::Read, what(), why).or_try("`tng id new --key FILE` for a new one"))
    })
}

/// Reads a file with a secret, which its owner alone may read; `name` is such a file's usual name. What `parse` makes
/// nothing of is told so first: nobody is sent to protect a file that is another.
///
/// # Errors
/// If it cannot be read or parsed, or others can read it.
pub(crate) fn read_private<T>(
    path: &Path,
    what: impl Fn() -> String,
    name: &str,
    parse: impl FnOnce(&str) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let read = |error: &io::Error| Failure::read(what(), error);
    let file = File::open(path).map_err(|e| read(&e))?;
    let metadata = file.metadata().map_err(|e| read(&e))?;
    if metadata.is_dir() {
        let file = path.join(name);
        return Err(Failure::new(Exit::Read, what(), "it is a folder")
            .or_try(format!("a file in it, which is made if it is not there: {}", shown(&file))));
    }
    let mut text = Zeroizing::new(String::with_capacity(KEY_FILE_MAX as usize));
    file.take(KEY_FILE_MAX).read_to_string(&mut text).map_err(|e| read(&e))?;
    let parsed = parse(&text)?;
    match open_to_others(&metadata) {
        Some(mode) => Err(Failure::new(Exit::Read, what(), format!("others can read it (mode {mode:03o})"))
            .or_try(format!("chmod 600 {}", path.display()))),
        None => Ok(parsed),
    }
}

/// Makes a new identity and its key file, which must not exist yet.
///
/// # Errors
/// If the file exists or cannot be written.
pub fn create(path: &Path) -> Result<Identity, Failure> {
    let seed = tng::random_seed().map_err(|why| Failure::new(Exit::Read, "drawing random numbers", why))?;
    let identity = Identity::from_seed(seed);
    write_new(path, &identity.to_secret_text()).map_err(|error| {
        let failure = Failure::write(format!("writing the key file {}", path.display()), &error);
        match error.kind() {
            io::ErrorKind::AlreadyExists => Failure { why: "it exists already".to_owned(), ..failure }
                .or_try("another place with --key, or move the old file away if nobody needs to know this host again"),
            _ => failure,
        }
    })?;
    Ok(identity)
}

/// Writes beside, then links: a reader sees the whole file or none, and an existing file stays.
pub(crate) fn write_new(path: &Path, line: &str) -> io::Result<()> {
    make_private_folder(folder_of(path))?;
    let beside = write_beside(path, line)?;
    let written = fs::hard_link(&beside, path);
    let _ = fs::remove_file(&beside);
    written
}

/// Writes beside, then renames: a reader sees the old file or the new.
pub(crate) fn write_over(path: &Path, line: &str) -> io::Result<()> {
    let beside = write_beside(path, line)?;
    fs::rename(&beside, path).inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// What stands between a file's name and the random part of the name of what is written beside it.
pub(crate) const BESIDE: &str = ".new-";
/// Bytes of that part, which has two hexadecimal digits for each.
const BESIDE_BYTES: usize = 8;
/// What was left beside a file by a process that was killed is older than this. It may hold a secret that is none of
/// this time any more.
const BESIDE_AGE_MAX: Duration = Duration::from_secs(60);

fn write_beside(path: &Path, line: &str) -> io::Result<PathBuf> {
    sweep_beside(path);
    let mut beside = path.as_os_str().to_owned();
    // Not by the number of the process: in another container that has the same folder it may be the same.
    beside.push(format!("{BESIDE}{}", random_name::<BESIDE_BYTES>()?));
    let beside = PathBuf::from(beside);
    let mut file = private_file().open(&beside)?;
    let written = file.write_all(line.as_bytes()).and_then(|()| file.write_all(b"\n")).and_then(|()| file.sync_all());
    written.inspect_err(|_| drop(fs::remove_file(&beside))).map(|()| beside)
}

/// Removes what was left beside a file by processes that were killed, and nothing that somebody has named.
fn sweep_beside(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let begins = [name.as_encoded_bytes(), BESIDE.as_bytes()].concat();
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        let (name, is_digit) = (entry.file_name(), |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let drawn = name.as_encoded_bytes().strip_prefix(&*begins);
        let is_beside = drawn.is_some_and(|drawn| drawn.len() == 2 * BESIDE_BYTES && drawn.iter().all(is_digit));
        let age = || entry.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
        if is_beside && age().is_some_and(|age| age > BESIDE_AGE_MAX) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A name of so many random bytes, at most 32, that nothing else has.
fn random_name<const BYTES: usize>() -> io::Result<String> {
    Ok(hex(&tng::random_seed()?.expose()[..BYTES]))
}

/// The folder in which a path lies.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a folder that nobody else looks into, and those that it is in, if it is not there.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| match error.kind() {
        // A file of that name is there.
        io::ErrorKind::AlreadyExists => io::ErrorKind::NotADirectory.into(),
        _ => error,
    })
}

/// The mode of a file that its group or others may read or write.
#[cfg(unix)]
pub(crate) fn open_to_others(metadata: &fs::Metadata) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
pub(crate) fn open_to_others(_: &fs::Metadata) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn scratch() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    #[test]
    fn the_key_file_is_made_on_first_use_and_stays() {
        let folder = scratch();
        let args = KeyArgs { key: Some(folder.path().join("a/b/identity")) };
        let made = args.load_or_create().expect("made").eid();
        assert_eq!(args.load_or_create().expect("loaded").eid(), made);
        let mode = fs::metadata(folder.path().join("a/b/identity")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path().join("a/b")).expect("a folder").count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_a_killed_process_left_beside_a_file_is_swept_away_and_what_is_being_written_is_not() {
        let folder = scratch();
        let path = folder.path().join("identity");
        let beside = |name: &str, age_s| {
            let file = File::create(folder.path().join(name)).expect("made");
            let made = file.metadata().and_then(|it| it.modified()).expect("known");
            file.set_modified(made - Duration::from_secs(age_s)).expect("set");
        };
        beside("identity.new-1122334455667788", 100);
        beside("identity.new-laptop", 100);
        beside("identity.new-1122334455667788.place", 100);
        beside("identity.new-00ff00ff00ff00ff", 1);
        beside("another.new-1122334455667788", 100);
        create(&path).expect("made");
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("read").file_name()).collect();
        left.sort();
        let kept = ["identity.new-00ff00ff00ff00ff", "identity.new-1122334455667788.place", "identity.new-laptop"];
        assert_eq!(left, [&["another.new-1122334455667788", "identity"][..], &kept].concat());
    }

    #[test]
    fn a_place_is_drawn_once_beside_each_copy_of_a_key() {
        let (one, other) = (scratch(), scratch());
        let args = |folder: &tempfile::TempDir| KeyArgs { key: Some(folder.path().join("identity")) };
        let eid = args(&one).load_or_create().expect("made").eid();
        fs::copy(one.path().join("identity"), other.path().join("identity")).expect("copied");
        assert_eq!(args(&other).load_or_create().expect("loaded").eid(), eid, "one key");
        let place = args(&one).place().expect("made");
        assert_eq!(args(&one).place().expect("there"), place, "after a restart");
        assert_ne!(args(&other).place().expect("made"), place, "another host");
        let file = one.path().join("identity.place");
        assert_eq!((fs::metadata(&file).expect("there").permissions().mode() & 0o777, place.len()), (0o600, 32));
        fs::copy(file, other.path().join("identity.place")).expect("copied");
        assert_eq!(args(&other).place().expect("there"), place, "control: who copies it too has one place");
        assert_eq!(fs::read_dir(one.path()).expect("a folder").count(), 2, "nothing else is left beside it");
    }

    #[test]
    fn a_key_file_that_others_can_read_is_refused_with_a_remedy() {
        let folder = scratch();
        let path = folder.path().join("identity");
        create(&path).expect("made");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("changed");
        let failure = load(&path).expect_err("refused");
        assert_eq!((failure.exit, failure.remedy), (Exit::Read, format!("chmod 600 {}", path.display())));
        fs::write(&path, "tng trickles keys").expect("written");
        let failure = load(&path).expect_err("it is no key");
        assert!(failure.exit == Exit::Read && failure.remedy.contains("tng id new"), "{failure}");
    }

    #[test]
    fn a_folder_is_no_key_file_and_nobody_is_told_to_change_who_may_enter_it() {
        let folder = scratch();
        for mode in [0o755, 0o700] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("changed");
            let failure = KeyArgs { key: Some(folder.path().to_owned()) }.load_or_create().expect_err("refused");
            assert_eq!((failure.exit, failure.why.as_str()), (Exit::Read, "it is a folder"));
            assert!(!failure.remedy.contains("chmod"), "{failure}");
        }
        // Control: the file that is tried instead is made.
        KeyArgs { key: Some(folder.path().join("identity")) }.load_or_create().expect("made");
    }

    #[test]
    fn an_existing_file_is_never_overwritten() {
        let folder = scratch();
        let path = folder.path().join("identity");
        let first = create(&path).expect("made").eid();
        assert_eq!(create(&path).expect_err("refused").exit, Exit::Write);
        assert_eq!(load(&path).expect("loaded").eid(), first);
    }

    #[test]
    fn a_file_that_is_no_key_says_so_and_is_left_alone() {
        let folder = scratch();
        let path = folder.path().join("identity");
        private_file().open(&path).and_then(|mut file| file.write_all(b"hello")).expect("written");
        let failure = KeyArgs { key: Some(path.clone()) }.load_or_create().expect_err("refused");
        assert!(failure.why.contains("tngsecret1"), "{failure}");
        assert_eq!(fs::read(&path).expect("there"), b"hello");
    }

    #[test]
    fn the_default_place_follows_the_environment() {
        let path = |xdg: Option<&str>, home: Option<&str>| default_path(xdg.map(Into::into), home.map(Into::into));
        assert_eq!(path(Some("/c"), Some("/h")), Some("/c/tng/identity".into()));
        assert_eq!(path(Some(""), Some("/h")), Some("/h/.config/tng/identity".into()), "an empty one counts as unset");
        assert_eq!(path(None, None), None);
    }
}
