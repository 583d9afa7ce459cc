//! The secrets that the servers of a fleet share (docs/trickles.md, "The keys of a fleet"; their bytes are in
//! docs/wire.md section 11.1): in a [`file`] that each server has a copy of, or in `etcd`. As epochs pass they are
//! written anew.

mod etcd;
mod file;

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use tng::trickles::{EPOCH, EpochSecret, EpochSecrets, Wall};
use tng_crypto::{Secret32, Zeroizing, sha256};
use tokio::time::MissedTickBehavior;

use self::etcd::EtcdKeys;
use self::file::KeysFile;
use crate::clock;
use crate::etcd::EtcdPlace;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::hex::{hex, push_hex, unhex};
use crate::talk::shown;

/// What the file begins with.
const PREFIX: &str = "tngepochs2";

/// How often a server that runs looks whether the file was changed.
pub const KEYS_LOOKED_AT_EVERY: Duration = Duration::from_millis(500);

/// What helps against a file that is of no use.
const ANOTHER: &str = "a copy of the file of another server of the fleet; or move it away, and `tng trickles keys new`";

/// Where the secrets are, as a word on a command line: a file, or `etcd://IP:PORT,IP:PORT/PREFIX`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeysName {
    /// A file.
    File(PathBuf),
    /// In etcd.
    Etcd(EtcdPlace),
}

/// The place where they are.
#[derive(Clone, Debug)]
pub enum KeysPlace {
    /// A file.
    File(KeysFile),
    /// A key in etcd.
    Etcd(EtcdKeys),
}

/// What tells that the secrets may have changed.
#[derive(Debug)]
pub struct Signs(Sign);

#[derive(Debug)]
enum Sign {
    File { file: KeysFile, stamp: Option<file::Stamp>, looked: std::time::Instant, ticks: tokio::time::Interval },
    Etcd(etcd::Signs),
}

/// What a fleet is called, and how often its secrets were rotated: what a server may remember of its
/// secrets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edition {
    /// Drawn with the fleet.
    pub fleet: [u8; 8],
    /// How often its secrets were rotated.
    pub rotations: u32,
    /// Drawn with the last rotation: two that were made apart of each other have two.
    pub mark: [u8; 4],
}

/// What the file says.
#[derive(Debug)]
pub struct FleetKeys {
    /// The fleet, and the rotation that they are from.
    pub edition: Edition,
    /// The secrets.
    pub secrets: EpochSecrets,
}

/// The time that servers share, by this host's clock.
pub fn wall() -> Wall {
    Wall::from_millis(u64::try_from(clock::since_1970().as_millis()).unwrap_or(u64::MAX))
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", hex(&self.fleet), self.rotations, hex(&self.mark))
    }
}

impl Edition {
    /// The name of the fleet, for people.
    pub fn fleet(&self) -> String {
        hex(&self.fleet)
    }

    /// Reads what is [displayed](fmt::Display).
    pub fn parse(text: &str) -> Option<Edition> {
        let mut words = text.split(' ');
        let edition = Edition {
            fleet: *unhex(words.next()?)?,
            rotations: words.next()?.parse().ok()?,
            mark: *unhex(words.next()?)?,
        };
        words.next().is_none().then_some(edition)
    }

    /// Whether a server that has gone by this edition may go on with `next`.
    ///
    /// # Errors
    /// Why not, and what to try.
    fn precedes(&self, next: &Edition) -> Result<(), (String, &'static str)> {
        if next.fleet != self.fleet {
            let why = format!("it is of another fleet, {}, and this server is of {}", next.fleet(), self.fleet());
            return Err((
                why,
                "the file of this fleet; a server that is to change fleets is started with a new --state",
            ));
        }
        if next.rotations < self.rotations {
            let why = format!(
                "it was rotated away: it says rotation {}, and this server has gone by rotation {}",
                next.rotations, self.rotations
            );
            return Err((why, "a copy of the file that was rotated last"));
        }
        if next.rotations == self.rotations && next.mark != self.mark {
            let why = format!("rotation {} was made twice, apart of each other", next.rotations);
            return Err((why, "rotate one copy once more, and give that to all servers of the fleet"));
        }
        Ok(())
    }
}

impl FromStr for KeysName {
    type Err = String;

    fn from_str(text: &str) -> Result<KeysName, String> {
        match text {
            "" => Err("write FILE, or etcd://IP:PORT,IP:PORT/PREFIX".to_owned()),
            _ if text.starts_with("etcd://") => text.parse().map(KeysName::Etcd),
            _ => Ok(KeysName::File(text.into())),
        }
    }
}

impl fmt::Display for KeysName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeysName::File(path) => write!(f, "{}", path.display()),
            KeysName::Etcd(place) => write!(f, "{place}"),
        }
    }
}

impl KeysName {
    /// What is the same at all servers of the fleet: the name of the file, wherever it lies, or what it is in etcd.
    pub fn last(&self) -> Option<&OsStr> {
        match self {
            KeysName::File(path) => path.file_name(),
            KeysName::Etcd(place) => Some(place.prefix.as_ref()),
        }
    }
}

impl fmt::Display for KeysPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeysPlace::File(file) => write!(f, "{}", shown(file.path())),
            KeysPlace::Etcd(keys) => write!(f, "{}", keys.place()),
        }
    }
}

impl KeysPlace {
    /// The place of this name. A file is in a folder that is there: who mistypes a path is told so.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn named(name: &KeysName) -> Result<KeysPlace, Failure> {
        let path = match name {
            KeysName::File(path) => path,
            KeysName::Etcd(place) => return Ok(KeysPlace::Etcd(EtcdKeys::new(place.clone()))),
        };
        let place = KeysPlace::File(KeysFile::new(path.clone()));
        let folder = crate::key::folder_of(path);
        if folder.is_dir() {
            return Ok(place);
        }
        let why = format!("there is no folder {}", shown(folder));
        Err(Failure::usage(place.what("looking for"), why).or_try("its right path, or make the folder for a new file"))
    }

    /// The file beside the key file `key`.
    pub fn beside(key: &Path) -> KeysPlace {
        let mut path = key.as_os_str().to_owned();
        path.push(".epochs");
        KeysPlace::File(KeysFile::new(path.into()))
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            KeysPlace::File(file) => Some(file.path()),
            KeysPlace::Etcd(_) => None,
        }
    }

    /// What to begin with now, and whether it was made just now because there was none: for a server that is alone. The
    /// file says no more than that afterwards.
    ///
    /// # Errors
    /// If it cannot be read, trusted, understood, made or written, or is of another time.
    pub fn load_or_create(&self) -> Result<(FleetKeys, bool), Failure> {
        if !self.is_there() {
            match self.create() {
                // Another server was faster; its file is as good.
                Err(_) if self.is_there() => {}
                made => return Ok((made?, true)),
            }
        }
        Ok((self.follow(None)?, false))
    }

    fn is_there(&self) -> bool {
        self.path().is_none_or(Path::exists)
    }

    /// Secrets of a new fleet.
    ///
    /// # Errors
    /// If there are some already, or they cannot be written.
    pub fn create(&self) -> Result<FleetKeys, Failure> {
        let drawn = draw()?;
        let (fleet, mark) = (*drawn.expose().first_chunk().expect("32"), *drawn.expose().last_chunk().expect("32"));
        // Of the epoch before, for servers whose clocks are behind.
        let secret = EpochSecret::new(EpochSecret::number_at(wall()).saturating_sub(1), draw()?);
        let keys = FleetKeys { edition: Edition { fleet, rotations: 0, mark }, secrets: secret.into() };
        let there = || {
            Failure::new(Exit::Exists, self.what("making"), "they are there already")
                .or_try("`tng trickles keys rotate` for new secrets of the same fleet; or another place")
        };
        let is_new = match self {
            KeysPlace::File(file) => file.create(&keys.text()),
            KeysPlace::Etcd(etcd) => etcd.create(&keys.text()),
        };
        if !is_new? {
            return Err(there());
        }
        Ok(keys)
    }

    /// Reads them, and writes them anew if they say more than a server needs now. `seen` is what the server went by
    /// before.
    ///
    /// # Errors
    /// If they are not to be had, trusted or understood; of another time or another fleet; or rotated away.
    pub fn follow(&self, seen: Option<Edition>) -> Result<FleetKeys, Failure> {
        self.follow_at(seen, wall())
    }

    fn follow_at(&self, seen: Option<Edition>, now: Wall) -> Result<FleetKeys, Failure> {
        let FleetKeys { edition, secrets } = self.load()?;
        if let Some(Err((why, remedy))) = seen.map(|seen| seen.precedes(&edition)) {
            return Err(Failure::new(Exit::Read, self.what("using"), why).or_try(remedy));
        }
        let kept = FleetKeys { edition, secrets: self.kept_at(secrets, now)? };
        let first = |keys: &FleetKeys| keys.secrets.iter().next().map(EpochSecret::number);
        if first(&self.load()?) < first(&kept) {
            self.change(&|read| {
                // Somebody else may have moved it on meanwhile, or rotated it, and its clock be ahead.
                let is_behind = first(&read) < first(&kept);
                Ok(is_behind.then_some(FleetKeys { secrets: self.kept_at(read.secrets, now)?, ..read }))
            })?;
        }
        Ok(kept)
    }

    fn kept_at(&self, secrets: EpochSecrets, now: Wall) -> Result<EpochSecrets, Failure> {
        secrets.kept_at(now).map_err(|error| {
            // A clock that was ahead for a while has moved the file on, and no way leads back.
            Failure::new(Exit::Read, self.what("using"), error).or_try(ANOTHER)
        })
    }

    /// New secrets for the fleet, from an epoch on that servers have time to hear of; or in the place of all that there
    /// are, for secrets that somebody may have stolen.
    ///
    /// # Errors
    /// As [`follow`](Self::follow), and if the last rotation has not begun.
    pub fn rotate(&self, at_once: bool) -> Result<FleetKeys, Failure> {
        self.rotate_at(at_once, wall())
    }

    fn rotate_at(&self, at_once: bool, now: Wall) -> Result<FleetKeys, Failure> {
        self.change(&|FleetKeys { edition, secrets }| {
            let (drawn, fresh) = (draw()?, draw()?);
            let secrets = match at_once {
                true => EpochSecret::new(EpochSecret::number_at(now).saturating_sub(1), fresh).into(),
                false => self.kept_at(secrets, now)?.rotated(now, fresh).map_err(|error| {
                    Failure::new(Exit::Busy, self.what("rotating"), error)
                        .or_try("wait for that; --at-once if the secrets may be stolen")
                })?,
            };
            let mark = *drawn.expose().first_chunk().expect("32");
            Ok(Some(FleetKeys { edition: Edition { rotations: edition.rotations + 1, mark, ..edition }, secrets }))
        })
    }

    /// Reads them, and writes what they should be instead, if anything, while nobody else does. Answers what they are
    /// then.
    fn change(&self, change: &Changing<'_>) -> Result<FleetKeys, Failure> {
        match self {
            KeysPlace::File(file) => file.change(change),
            KeysPlace::Etcd(etcd) => etcd.change(change),
        }
    }

    /// What they are, whatever the caller does with them.
    ///
    /// # Errors
    /// If they are not to be had, trusted or understood.
    pub fn load(&self) -> Result<FleetKeys, Failure> {
        match self {
            KeysPlace::File(file) => file.load(),
            KeysPlace::Etcd(etcd) => etcd.load(),
        }
    }

    /// What tells from now on that they may have changed. To be called where there are timers.
    pub fn signs(&self) -> Signs {
        Signs(match self {
            KeysPlace::File(file) => {
                let mut ticks = tokio::time::interval(KEYS_LOOKED_AT_EVERY);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
                Sign::File { stamp: file.stamp(), looked: clock::now(), file: file.clone(), ticks }
            }
            KeysPlace::Etcd(etcd) => Sign::Etcd(etcd.signs()),
        })
    }

    fn what(&self, doing: &str) -> String {
        what(doing, self)
    }
}

impl Signs {
    /// Waits until they have changed, or an epoch is half over.
    pub async fn next(&mut self) {
        match &mut self.0 {
            Sign::Etcd(signs) => signs.next().await,
            Sign::File { file, stamp, looked, ticks } => loop {
                ticks.tick().await;
                // Before it is read: what changes in between is seen the next time.
                let now = file.stamp();
                if now != *stamp || looked.elapsed() >= EPOCH / 2 {
                    (*stamp, *looked) = (now, clock::now());
                    return;
                }
            },
        }
    }
}

/// What changes secrets: nothing if they may stay.
type Changing<'a> = dyn Fn(FleetKeys) -> Result<Option<FleetKeys>, Failure> + Sync + 'a;

fn what(doing: &str, place: &impl fmt::Display) -> String {
    format!("{doing} the keys of the fleet in {place}")
}

/// What a text says that was read.
fn parsed(text: &str, what: impl Fn() -> String) -> Result<FleetKeys, Failure> {
    FleetKeys::parse(text).ok_or_else(|| {
        let why = match text.starts_with(PREFIX) {
            true => "it is damaged, or cut short".to_owned(),
            false => format!("it does not begin with {PREFIX}"),
        };
        Failure::new(Exit::Read, what(), why).or_try(ANOTHER)
    })
}

fn draw() -> Result<Secret32, Failure> {
    tng::random_seed().map_err(|error| Failure::read("drawing random numbers", &error))
}

impl FleetKeys {
    fn text(&self) -> Zeroizing<String> {
        let room = 64 + self.secrets.iter().len() * 96;
        let mut text = Zeroizing::new(String::with_capacity(room));
        text.push_str(&format!("{PREFIX} {}\n", self.edition));
        for secret in self.secrets.iter() {
            text.push_str(&format!("{} ", secret.number()));
            push_hex(secret.expose(), &mut text);
            text.push('\n');
        }
        let check = hex(&sha256(&[text.as_bytes()])[..4]);
        text.push_str(&check);
        text
    }

    fn parse(text: &str) -> Option<FleetKeys> {
        let (said, check) = text.trim_end().rsplit_once('\n')?;
        let mut lines = said.lines();
        let edition = Edition::parse(lines.next()?.strip_prefix(PREFIX)?.strip_prefix(' ')?)?;
        let secret = |line: &str| {
            let (number, digits) = line.split_once(' ')?;
            Some(EpochSecret::new(number.parse().ok()?, Secret32::from_bytes(*unhex(digits)?)))
        };
        let secrets = EpochSecrets::new(lines.map(secret).collect::<Option<_>>()?)?;
        let is_whole = *check == hex(&sha256(&[said.as_bytes(), b"\n"])[..4]);
        is_whole.then_some(FleetKeys { edition, secrets })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn file() -> (tempfile::TempDir, KeysPlace) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = KeysPlace::File(KeysFile::new(folder.path().join("a/keys")));
        (folder, file)
    }

    fn path(place: &KeysPlace) -> &Path {
        place.path().expect("it is a file")
    }

    /// Epochs and secrets.
    fn of(keys: &FleetKeys) -> Vec<(u64, [u8; 32])> {
        keys.secrets.iter().map(|secret| (secret.number(), *secret.expose())).collect()
    }

    fn at(epoch: u64) -> Wall {
        Wall::from_millis(epoch * EPOCH.as_millis() as u64 + 1)
    }

    #[test]
    fn the_keys_are_made_once_for_their_owner_alone_and_all_servers_read_the_same() {
        let (_folder, file) = file();
        let (made, is_new) = file.load_or_create().expect("made");
        let (read, is_new_again) = file.load_or_create().expect("read");
        assert_eq!((of(&made), made.edition), (of(&read), read.edition));
        assert_eq!((is_new, is_new_again), (true, false));
        assert_eq!(fs::metadata(path(&file)).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(path(&file).parent().expect("a folder")).expect("read").count(), 1, "nothing beside");
        let failure = file.create().expect_err("there is one");
        assert!(failure.exit == Exit::Exists && failure.remedy.contains("keys rotate"), "{failure}");
    }

    #[test]
    fn a_path_that_was_mistyped_makes_no_folders_and_a_file_that_is_missing_is_told_by_name() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let failure = KeysPlace::named(&KeysName::File(folder.path().join("flete/keys"))).expect_err("no such folder");
        assert!(failure.exit == Exit::Usage && failure.why.contains("flete"), "{failure}");
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 0);
        for good in [folder.path().join("keys"), PathBuf::from("keys")] {
            let named = KeysPlace::named(&KeysName::File(good.clone())).expect("its folder is there");
            assert_eq!(named.path(), Some(&*good));
        }
        let missing =
            KeysPlace::File(KeysFile::new(folder.path().join("keys"))).follow(None).expect_err("nothing is there");
        assert_eq!((missing.exit, &*missing.why), (Exit::Read, "there is no such file"));
        assert!(missing.remedy.contains("tng trickles keys new"), "{missing}");
    }

    #[test]
    fn keys_that_others_can_read_and_what_is_no_keys_are_refused_and_left_alone() {
        let (_folder, file) = file();
        file.load_or_create().expect("made");
        fs::set_permissions(path(&file), fs::Permissions::from_mode(0o640)).expect("changed");
        let failure = file.load_or_create().expect_err("refused");
        assert_eq!(failure.exit, Exit::Read);
        assert!(failure.why.contains("others can read it (mode 640)") && failure.remedy.contains("chmod 600"));
        fs::set_permissions(path(&file), fs::Permissions::from_mode(0o600)).expect("changed");
        file.load_or_create().expect("control");
        let whole = fs::read_to_string(path(&file)).expect("there");
        for text in ["", "hello", "tngepochs1 7 00", "tngepochs2"] {
            fs::write(path(&file), text).expect("written");
            for mode in [0o644, 0o600] {
                fs::set_permissions(path(&file), fs::Permissions::from_mode(mode)).expect("changed");
                let failure = file.load_or_create().expect_err("refused");
                assert!(failure.why.contains(PREFIX) || failure.why.contains("damaged"), "{mode:o}: {failure}");
                assert_eq!(failure.remedy, ANOTHER, "{mode:o}");
            }
            assert_eq!(fs::read(path(&file)).expect("there"), text.as_bytes());
        }
        // Cut anywhere but behind the last digit, or with any digit changed.
        for cut in 0..whole.trim_end().len() {
            assert!(FleetKeys::parse(&whole[..cut]).is_none(), "{cut}");
            let mut changed = whole.clone().into_bytes();
            changed[cut] = if changed[cut] == b'1' { b'2' } else { b'1' };
            assert!(FleetKeys::parse(&String::from_utf8(changed).expect("text")).is_none(), "{cut}");
        }
        assert!(FleetKeys::parse(&whole).is_some(), "control");
    }

    #[test]
    fn as_epochs_pass_the_file_says_what_comes_and_nothing_of_what_was() {
        let (_folder, file) = file();
        let (first, _) = file.load_or_create().expect("made");
        let before = fs::read_to_string(path(&file)).expect("there");
        let (began, secret) = of(&first)[0];
        let follow = |epoch| file.follow_at(None, at(epoch));
        assert_eq!(of(&follow(began + 1).expect("followed"))[0].0, began, "the one before is good still");
        assert_eq!(fs::read_to_string(path(&file)).expect("there"), before);
        let later = follow(began + 5).expect("followed");
        assert_eq!(of(&later)[0].0, began + 4);
        let after = fs::read_to_string(path(&file)).expect("there");
        assert!(before.contains(&hex(&secret)) && !after.contains(&hex(&secret)), "erased");
        assert_eq!(fs::metadata(path(&file)).expect("there").permissions().mode() & 0o777, 0o600);
        // Who has the first comes to the same.
        assert_eq!(
            first.secrets.kept_at(at(began + 5)).expect("computed").iter().next().expect("one").expose(),
            &of(&later)[0].1
        );
        let failure = follow(began).expect_err("a clock that was set back");
        assert!(failure.why.contains("set the clock"), "{failure}");
        assert!(failure.remedy.contains("another server") && failure.remedy.contains("move it away"), "{failure}");
        assert_eq!(fs::read_to_string(path(&file)).expect("there"), after);
    }

    #[test]
    fn a_rotation_is_a_secret_more_for_a_while_and_what_was_before_is_erased_in_its_time() {
        let (_folder, file) = file();
        let (made, _) = file.load_or_create().expect("made");
        let began = of(&made)[0].0;
        let rotated = file.rotate_at(false, at(began + 1)).expect("rotated");
        assert_eq!((of(&rotated)[0], of(&rotated).len(), of(&rotated)[1].0), (of(&made)[0], 2, began + 3));
        assert_eq!((rotated.edition.rotations, rotated.edition.fleet), (1, made.edition.fleet));
        let failure = file.rotate_at(false, at(began + 2)).expect_err("the last one waits");
        assert!(failure.exit == Exit::Busy && failure.remedy.contains("--at-once"), "{failure}");
        for (epoch, count) in [(began + 2, 2), (began + 3, 2), (began + 4, 1)] {
            assert_eq!(of(&file.follow_at(Some(made.edition), at(epoch)).expect("followed")).len(), count, "{epoch}");
        }
        assert_eq!(of(&file.load().expect("there")), [of(&rotated)[1]], "of what was before there is nothing");
        // At once: all that was is worth nothing.
        let stolen = of(&file.load().expect("there"))[0].1;
        let at_once = file.rotate_at(true, at(began + 4)).expect("rotated");
        assert_eq!((of(&at_once).len(), of(&at_once)[0].0, at_once.edition.rotations), (1, began + 3, 2));
        assert!(!fs::read_to_string(path(&file)).expect("there").contains(&hex(&stolen)));
    }

    #[test]
    fn a_file_of_another_fleet_one_that_was_rotated_away_and_one_of_two_rotations_are_refused_by_name() {
        let ((_folder, file), (_elsewhere, other)) = (file(), file());
        let (made, _) = file.load_or_create().expect("made");
        let (others, _) = other.load_or_create().expect("made");
        let old = fs::read_to_string(path(&file)).expect("there");
        let rotated = file.rotate(false).expect("rotated").edition;
        let refused = |seen| {
            let failure = file.follow(Some(seen)).expect_err("refused");
            assert!(failure.exit == Exit::Read && !failure.remedy.is_empty(), "{failure}");
            failure.why
        };
        assert!(refused(others.edition).contains(&format!("another fleet, {}", rotated.fleet())));
        file.follow(Some(made.edition)).expect("it was rotated since");
        file.follow(Some(rotated)).expect("control");
        fs::write(path(&file), &old).expect("an old copy");
        assert!(refused(rotated).contains("it was rotated away: it says rotation 0"));
        assert_ne!(file.rotate(false).expect("rotated").edition, rotated);
        assert!(refused(rotated).contains("rotation 1 was made twice"));
        assert_eq!(Edition::parse(&rotated.to_string()), Some(rotated));
    }

    #[test]
    fn rotations_and_servers_that_follow_at_once_lose_nothing_of_each_other() {
        let (_folder, file) = file();
        let began = of(&file.load_or_create().expect("made").0)[0].0;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|_| drop(file.follow_at(None, at(began + 9)).expect("followed"))));
            }
            scope.spawn(|| (0..20).for_each(|_| drop(file.rotate_at(true, at(began + 1)).expect("rotated"))));
        });
        assert_eq!(file.load().expect("there").edition.rotations, 20);
    }
}
