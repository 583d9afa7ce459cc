//! The configuration of `tng trickles serve --config FILE`: a TOML file, read key by key (docs/trickles.md, "Every
//! key").

use std::fs::File;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tng::trickles::SKEW_MAX;
use tng_base::Eid;
use tng_settings::{Document, Field, Result};

use super::keys::KeysName;
use super::means::cache_choice;
use super::{Means, TRICKLES};
use crate::config::read_text;
use crate::daemon::lines::LogPlace;
use crate::daemon::told::{
    NeedsRestart, Origin, Places, Teller, Told, check_restart, listen, log_place, or_none, path, quoted, shown_if,
    shown_log, shown_path, shown_time,
};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::DoorArgs;
use crate::key::KeyArgs;
use crate::location::DEFAULT_PORT;

/// Clocks of a fleet may be allowed to differ by so much, at most: filters remember for as long.
pub const SKEW_CHOICE_MAX: Duration = Duration::from_secs(60);

const FILE: &[&str] = &["serve"];
const SERVE: &[&str] = &[
    "path",
    "listen",
    "threads",
    "key",
    "keys",
    "site",
    "skew",
    "state",
    "cache",
    "throttle",
    "danger_plain",
    "public",
    "allow",
    "silent",
    "control",
    "http",
    "access_log",
    "sandbox",
];
/// Keys that a reload changes, if neither what was nor what comes lets anybody in by a ticket.
const CHANGEABLE: [&str; 2] = ["serve.public", "serve.allow"];

/// What a server is told when it begins, by a file or on the command line.
#[derive(Clone, Debug)]
pub struct ServeConfig {
    /// The folder or file that it hands out.
    pub path: PathBuf,
    /// Where its fleet's keys are; none if it is alone.
    pub keys: Option<KeysName>,
    /// Where it is.
    pub site: u16,
    /// By how much clocks of the fleet may differ.
    pub skew: Duration,
    /// Where it leaves what the next one is to know.
    pub state: Option<PathBuf>,
    /// What it may spend.
    pub means: Means,
    /// Whether it leaves seals out, on a wire that is trusted.
    pub danger_plain: bool,
    /// Where it listens, and for whom.
    pub door: DoorArgs,
    /// On how many threads; none if the command line says so for all endpoints.
    pub threads: Option<usize>,
    /// The socket by which it is asked and told.
    pub control: Option<PathBuf>,
    /// Where it tells metrics and health.
    pub http: Option<SocketAddr>,
    /// Where a line for each connection and object goes.
    pub access_log: Option<LogPlace>,
    /// Whether the process gives up what it does not need.
    pub sandbox: bool,
    /// Every value, and where it comes from, of a file.
    pub told: Vec<Told>,
}

/// Reads a configuration.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn read(path: &Path, places: &Places) -> core::result::Result<ServeConfig, Failure> {
    read_file(path, "Every key", |text| ServeConfig::parse(text, places))
}

/// Reads a configuration whose keys stand under `heading` in docs/trickles.md.
///
/// # Errors
/// If it cannot be read, or is none.
pub(super) fn read_file<C>(
    path: &Path,
    heading: &str,
    parse: impl FnOnce(&str) -> Result<C>,
) -> core::result::Result<C, Failure> {
    let what = format!("reading {}", path.display());
    let file = File::open(path).map_err(|error| {
        Failure::read(&what, &error).or_try("another --config FILE, or write it: docs/trickles.md has a small one")
    })?;
    let text = read_text(file, &what)?;
    let remedy = format!("docs/trickles.md, {heading:?}, has what may stand there");
    parse(&text).map_err(|error| Failure::new(Exit::Usage, what, error).or_try(remedy))
}

impl ServeConfig {
    /// Reads a configuration.
    ///
    /// # Errors
    /// The first fault that is found, with its line.
    pub fn parse(text: &str, places: &Places) -> Result<ServeConfig> {
        let document = Document::parse(text)?;
        let file = document.section(FILE)?;
        let (mut teller, empty) = (Teller::default(), Document::parse("")?);
        let table = match file.get("serve") {
            Some(field) => field.table("[serve]", SERVE)?,
            None => empty.section(SERVE)?,
        };
        let at = (&table, "serve");
        let Places { state: (state, state_origin), runtime: (runtime, runtime_origin) } = places;
        let in_state = |name: &str| (state.join(name), state_origin.clone());
        let everywhere = SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), DEFAULT_PORT);
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(tng::THREADS_MAX));
        let threads =
            |field: &Field<'_, '_>| field.whole(1..tng::THREADS_MAX as u64 + 1).map(|threads| threads as usize);
        let site = |field: &Field<'_, '_>| field.whole(0..1 << 16).map(|site| site as u16);
        let skew = |field: &Field<'_, '_>| match field.some_time()? {
            time if time > SKEW_CHOICE_MAX => {
                Err(field.wrong(format!("write at most \"{}s\"", SKEW_CHOICE_MAX.as_secs())))
            }
            time => Ok(time),
        };
        let eids = |field: &Field<'_, '_>| {
            let eid = |field: &Field<'_, '_>| {
                field.text()?.parse::<Eid>().map_err(|error| field.wrong(format!("it is no EID: {error}")))
            };
            field.list()?.iter().map(eid).collect::<Result<Vec<Eid>>>()
        };
        let shown_eids = |eids: &Vec<Eid>| format!("[{}]", eids.iter().map(quoted).collect::<Vec<_>>().join(", "));
        let some_path = or_none(path);
        let path_of = table.need("path")?;
        teller.tell("serve.path".to_owned(), path_of.raw().to_owned(), Origin::File(path_of.place()));
        let socket = (runtime.join(format!("{}.sock", TRICKLES.unit)), runtime_origin.clone());
        let bind = teller.value(at, "listen", everywhere, listen, |addr| quoted(addr))?;
        let threads = teller.value(at, "threads", cores, threads, usize::to_string)?;
        let key = teller.value_from(at, "key", in_state("identity"), path, |path| shown_path(path))?;
        let keys_of = |field: &Field<'_, '_>| match field.text()?.parse() {
            Ok(KeysName::File(_)) => path(field).map(KeysName::File),
            parsed => parsed.map_err(|why: String| field.wrong(why)),
        };
        let keys = teller.value(at, "keys", None, or_none(keys_of), shown_if(|name: &KeysName| quoted(name)))?;
        let site_of = teller.value(at, "site", 0, site, u16::to_string)?;
        let skew = teller.value(at, "skew", SKEW_MAX, skew, shown_time)?;
        let left = (Some(state.join("state")), state_origin.clone());
        let left = teller.value_from(at, "state", left, &some_path, shown_if(|path: &PathBuf| shown_path(path)))?;
        let cache = |field: &Field<'_, '_>| cache_choice(field.size()?).map_err(|why| field.wrong(why));
        let cache = teller.value(at, "cache", 0, cache, |bytes| quoted(format!("{bytes}B")))?;
        let throttle = teller.value(at, "throttle", false, |field| field.flag(), bool::to_string)?;
        let danger_plain = teller.value(at, "danger_plain", false, |field| field.flag(), bool::to_string)?;
        let public = teller.value(at, "public", false, |field| field.flag(), bool::to_string)?;
        let allow = teller.value(at, "allow", Vec::new(), eids, shown_eids)?;
        let silent = teller.value(at, "silent", false, |field| field.flag(), bool::to_string)?;
        if let Some(field) = table.get("allow").filter(|_| public && !allow.is_empty()) {
            return Err(field.contradiction("with public = true everybody comes in; leave one of them out".to_owned()));
        }
        if let Some(field) = table.get("site").filter(|_| keys.is_none()) {
            return Err(field.contradiction("a site is for servers of a fleet, which have `keys`".to_owned()));
        }
        let door = DoorArgs {
            bind: Some(bind),
            public,
            allow,
            silent,
            place: None,
            register: Vec::new(),
            register_token: None,
            expires: None,
            key: KeyArgs { key: Some(key) },
        };
        Ok(ServeConfig {
            path: path(&path_of)?,
            keys,
            site: site_of,
            skew,
            state: left,
            means: Means { cache: Some(cache), throttle },
            danger_plain,
            door,
            threads: Some(threads),
            control: Some(teller.value_from(at, "control", socket, path, |path| shown_path(path))?),
            http: teller.value(at, "http", None, or_none(|field| field.socket()), shown_if(|addr| quoted(addr)))?,
            access_log: teller.value(at, "access_log", None, or_none(log_place), shown_if(shown_log))?,
            sandbox: teller.value(at, "sandbox", true, |field| field.flag(), bool::to_string)?,
            told: teller.0,
        })
    }

    /// Whether who comes in needs a ticket.
    pub fn has_tickets(&self) -> bool {
        !self.door.public && self.door.allow.is_empty()
    }

    /// That another configuration wants what only a restart changes: the first such key, with its place.
    ///
    /// # Errors
    /// If it does.
    pub fn check_reload(&self, next: &ServeConfig) -> core::result::Result<(), NeedsRestart> {
        let by_ticket = self.has_tickets() || next.has_tickets();
        let is_fixed = |key: &str| by_ticket || !CHANGEABLE.contains(&key);
        check_restart(TRICKLES.name, (&self.told, &next.told), is_fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places { state: ("/state".into(), Origin::Default), runtime: ("/run".into(), Origin::Default) }
    }

    fn parse(text: &str) -> core::result::Result<ServeConfig, String> {
        ServeConfig::parse(text, &places()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_smallest_file_names_what_is_handed_out_and_every_value_is_told_with_its_place() {
        let config = parse("[serve]\npath = '/srv'\n").expect("good");
        assert_eq!((config.path, config.skew, config.site), ("/srv".into(), SKEW_MAX, 0));
        assert_eq!(config.control, Some("/run/tng-trickles.sock".into()));
        assert!(config.sandbox && config.keys.is_none());
        assert!(
            config.means == Means { cache: Some(0), throttle: false } && !config.danger_plain,
            "nobody who was not told so"
        );
        let means = parse("[serve]\npath = '/srv'\ncache = '64MiB'\nthrottle = true\n").expect("good").means;
        assert_eq!(means, Means { cache: Some(64 << 20), throttle: true });
        let keys: Vec<&str> = config.told.iter().map(|told| told.key.strip_prefix("serve.").expect("a key")).collect();
        let mut all = SERVE.to_vec();
        all.sort_unstable();
        let mut told = keys.clone();
        told.sort_unstable();
        assert_eq!(told, all);
        assert_eq!(config.told[0].origin.to_string(), "line 2");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, why) in [
            ("", "path"),
            ("[serve]\npath = 'srv'\n", "line 2"),
            ("[serve]\npath = '/srv'\nthreads = 9\n", "line 3"),
            ("[serve]\npath = '/srv'\nsite = 3\n", "keys"),
            ("[serve]\npath = '/srv'\nskew = '2min'\n", "at most \"60s\""),
            ("[serve]\npath = '/srv'\nallow = ['x']\n", "no EID"),
            ("[serve]\npath = '/srv'\ncache = '64 M'\n", "line 3"),
            ("[serve]\npath = '/srv'\ncache = '2048GiB'\n", "at most 1024GiB"),
            ("[serve]\npath = '/srv'\ndanger_plain = 'yes'\n", "line 3"),
            ("[serve]\npath = '/srv'\nkey_s = '/x'\n", "key"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn who_is_let_in_changes_with_a_reload_unless_tickets_have_a_part_in_it_and_nothing_else_does() {
        let of = |more: &str| parse(&format!("[serve]\npath = '/srv'\n{more}")).expect("good");
        let eid = tng::Identity::from_seed([1; 32]).eid();
        let (public, listed) = (of("public = true\n"), of(&format!("allow = ['{eid}']\n")));
        assert_eq!((public.check_reload(&listed), listed.check_reload(&public)), (Ok(()), Ok(())));
        for next in [of(""), of("public = true\nsite = 1\nkeys = '/k'\n"), of("public = true\nhttp = '127.0.0.1:1'\n")]
        {
            let error = public.check_reload(&next).expect_err("a restart").to_string();
            assert!(error.contains("changes with a restart alone; restart the server"), "{error}");
        }
    }
}
