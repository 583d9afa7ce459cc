//! The values of a configuration, and where each comes from.

use core::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tng_settings::{Field, Result, Section};

use super::lines::LogPlace;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::NO_HOME;
use crate::talk::Talk;

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Nobody said otherwise.
    Default,
    /// Nowhere: it would be in the user's folder, and there is no home.
    Homeless,
    /// From this place in the file.
    File(String),
    /// From this variable of the environment.
    Environment(&'static str),
    /// As another table says, which holds where this one says nothing.
    Table(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::Homeless => f.write_str(NO_HOME),
            Origin::File(place) => f.write_str(place),
            Origin::Environment(name) => f.write_str(name),
            Origin::Table(name) => write!(f, "as {name}"),
        }
    }
}

/// A value that holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Its table and its key.
    pub key: String,
    /// The value, as it would stand in a file.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where files of a daemon are that names none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// Files that outlive it, and where that was said.
    pub state: (PathBuf, Origin),
    /// Its socket, and where that was said.
    pub runtime: (PathBuf, Origin),
}

impl Places {
    /// Those of this process: systemd's folders if it names some, else the user's. A daemon of the system need not have
    /// a home.
    pub fn of_environment() -> Places {
        let named = |name: &'static str| {
            let first = std::env::var(name).ok()?.split(':').next().map(PathBuf::from)?;
            first.is_absolute().then_some((first, Origin::Environment(name)))
        };
        let own = || match crate::key::folder_of_configuration() {
            Some(folder) => (folder, Origin::Default),
            // It is shown, and used by nobody.
            None => ("~/.config/tng".into(), Origin::Homeless),
        };
        Places {
            state: named("STATE_DIRECTORY").unwrap_or_else(own),
            runtime: named("RUNTIME_DIRECTORY").or_else(|| named("XDG_RUNTIME_DIR")).unwrap_or_else(own),
        }
    }
}

/// Reads values, and remembers where each came from.
#[derive(Debug, Default)]
pub struct Teller(pub Vec<Told>);

impl Teller {
    /// Notes a value.
    pub fn tell(&mut self, key: String, value: String, origin: Origin) {
        self.0.push(Told { key, value, origin });
    }

    /// The value of a key, or another.
    pub fn value<T>(
        &mut self,
        (table, name): (&Section<'_, '_>, &str),
        key: &'static str,
        default: T,
        read: impl Fn(&Field<'_, '_>) -> Result<T>,
        show: impl Fn(&T) -> String,
    ) -> Result<T> {
        self.value_from((table, name), key, (default, Origin::Default), read, show)
    }

    /// The value of a key, or another, and where that comes from.
    pub fn value_from<T>(
        &mut self,
        (table, name): (&Section<'_, '_>, &str),
        key: &'static str,
        (default, origin): (T, Origin),
        read: impl Fn(&Field<'_, '_>) -> Result<T>,
        show: impl Fn(&T) -> String,
    ) -> Result<T> {
        let (value, shown, origin) = match table.get(key) {
            Some(field) => (read(&field)?, field.raw().to_owned(), Origin::File(field.place())),
            None => {
                let shown = show(&default);
                (default, shown, origin)
            }
        };
        self.tell(format!("{name}.{key}"), shown, origin);
        Ok(value)
    }
}

/// A text in quotes.
pub fn quoted(text: impl fmt::Display) -> String {
    format!("{:?}", text.to_string())
}

/// A time as it would stand in a file.
pub fn shown_time(time: &Duration) -> String {
    let ms = time.as_millis();
    match () {
        () if !time.subsec_nanos().is_multiple_of(1_000_000) => quoted(format_args!("{}us", time.as_micros())),
        () if ms.is_multiple_of(3_600_000) && ms > 0 => quoted(format_args!("{}h", ms / 3_600_000)),
        () if ms.is_multiple_of(1_000) => quoted(format_args!("{}s", ms / 1_000)),
        () => quoted(format_args!("{ms}ms")),
    }
}

/// A value that may not be there.
pub fn shown_if<T>(show: impl Fn(&T) -> String) -> impl Fn(&Option<T>) -> String {
    move |value| value.as_ref().map_or_else(|| quoted("none"), &show)
}

/// A value, or the word `none`.
pub fn or_none<T>(read: impl Fn(&Field<'_, '_>) -> Result<T>) -> impl Fn(&Field<'_, '_>) -> Result<Option<T>> {
    move |field| match field.as_text() {
        Some("none") => Ok(None),
        _ => read(field).map(Some),
    }
}

/// `IP:PORT`, `IP` or `:PORT`, as `--bind` takes it.
pub fn listen(field: &Field<'_, '_>) -> Result<SocketAddr> {
    crate::host::bind_address(field.text()?).map_err(|why| field.wrong(why))
}

/// A path that does not depend on where the daemon is started.
pub fn path(field: &Field<'_, '_>) -> Result<PathBuf> {
    let path = PathBuf::from(field.text()?);
    if path.is_absolute() { Ok(path) } else { Err(field.wrong("write a whole path, from / on")) }
}

/// Where a log goes: a path, or `-`.
///
/// # Errors
/// If it is neither.
pub fn log_place(field: &Field<'_, '_>) -> Result<LogPlace> {
    if field.as_text() == Some("-") { Ok(LogPlace::Stdout) } else { path(field).map(LogPlace::File) }
}

/// A path as it would stand in a file.
pub fn shown_path(path: &Path) -> String {
    quoted(path.display())
}

/// A log's place as it would stand in a file.
pub fn shown_log(place: &LogPlace) -> String {
    match place {
        LogPlace::Stdout => quoted("-"),
        LogPlace::File(path) => shown_path(path),
    }
}

/// That every file which the configuration does not name is in a folder that there is. `what` is what a failure names.
///
/// # Errors
/// If one would be in the home of a user who has none.
pub fn check_home(what: &str, told: &[Told]) -> core::result::Result<(), Failure> {
    match told.iter().find(|told| told.origin == Origin::Homeless) {
        Some(Told { key, .. }) => Err(Failure::new(Exit::Usage, format!("{what}: finding {key}"), NO_HOME)
            .or_try(format!("write {key} into the file, or set HOME"))),
        None => Ok(()),
    }
}

/// Values, and where each comes from, for programs.
pub fn dump(told: &[Told]) -> Value {
    let row = |told: &Told| json!({ "key": told.key, "value": told.value, "from": told.origin.to_string() });
    told.iter().map(row).collect()
}

/// The same for people, a line each.
pub fn print(told: &[Told], talk: Talk) {
    let width = told.iter().map(|told| told.key.len() + told.value.len()).max().unwrap_or(0).min(72);
    for told in told {
        let line = format!("{} = {}", told.key, told.value);
        talk.payload(format_args!("{line:<width$}  # {}", told.origin, width = width + 3));
    }
}

/// A key was changed that only a restart changes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} changes with a restart alone; restart the {name}, or take the change back", changed(.key, .origin))]
pub struct NeedsRestart {
    /// The key.
    pub key: String,
    /// Where the value stands that it should have now.
    pub origin: Origin,
    /// What the daemon is called.
    pub name: &'static str,
}

fn changed(key: &str, origin: &Origin) -> String {
    match origin {
        Origin::File(place) => format!("{place}: {key}"),
        Origin::Table(_) | Origin::Environment(_) | Origin::Default | Origin::Homeless => {
            format!("{key}, which the file leaves out now,")
        }
    }
}

/// Reads the configuration of a daemon that runs again; `check` has it refused if only a restart makes it hold.
///
/// # Errors
/// If it cannot be read, is none, or is refused.
pub fn read_again<C>(
    (path, places): (&Path, &Places),
    read: impl FnOnce(&Path, &Places) -> core::result::Result<C, Failure>,
    check: impl FnOnce(&C) -> core::result::Result<(), NeedsRestart>,
) -> core::result::Result<C, Failure> {
    let next = read(path, places)?;
    let refused = |error| Failure::told(Exit::Usage, format!("reading {}", path.display()), error);
    check(&next).map_err(refused).map(|()| next)
}

/// The first value of some keys that is another in the next configuration.
///
/// # Errors
/// If there is one.
pub fn check_restart(
    name: &'static str,
    (before, next): (&[Told], &[Told]),
    is_fixed: impl Fn(&str) -> bool,
) -> core::result::Result<(), NeedsRestart> {
    let changed = |of: &[Told], from: &[Told]| {
        let same = |told: &&Told| from.iter().any(|it| it.key == told.key && it.value == told.value);
        of.iter().filter(|told| is_fixed(&told.key)).find(|told| !same(told)).cloned()
    };
    // One that is there no more stood where it stood.
    match changed(next, before).or_else(|| changed(before, next)) {
        Some(Told { key, origin, .. }) => Err(NeedsRestart { key, origin, name }),
        None => Ok(()),
    }
}
