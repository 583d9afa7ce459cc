//! The configuration of `tng trickles gateway --config FILE`: a TOML file, read key by key (docs/trickles.md, "A
//! gateway").

use std::net::{Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tng::trickles::Policy;
use tng_services::files::SafePath;
use tng_settings::{Document, Field, Result};

use super::names::check_names;
use super::{GATEWAY, Named, Role, Settings};
use crate::daemon::lines::LogPlace;
use crate::daemon::told::{
    NeedsRestart, Origin, Places, Teller, Told, check_restart, listen, log_place, or_none, path, quoted, shown_if,
    shown_log, shown_path,
};
use crate::failure::Failure;
use crate::host::bind_address;
use crate::key::KeyArgs;
use crate::location::{Location, location, without_tickets};
use crate::trickles::PlainUrl;
use crate::trickles::config::read_file;

/// The port unless another is said: that of a second web server of a host.
pub const HTTP_PORT_DEFAULT: u16 = 8080;
/// Servers by names of their own, at most.
pub const TARGETS_MAX: usize = 64;
/// Doors that lead to one file each, at most.
pub const OUTLETS_MAX: usize = 64;

const FILE: &[&str] = &["gateway"];
const KEYS: &[&str] = &[
    "targets",
    "listen",
    "tcp",
    "fallback_tcp",
    "pick",
    "danger_plain",
    "key",
    "control",
    "http",
    "access_log",
    "sandbox",
];
/// Keys that a reload changes.
const CHANGEABLE: [&str; 4] = ["gateway.targets", "gateway.fallback_tcp", "gateway.pick", "gateway.danger_plain"];
/// What `pick` may be.
const PICKS: [(&str, Policy); 3] = [("stay", Policy::Stay), ("spray", Policy::Spray), ("nearest", Policy::Nearest)];

/// Where one file is given away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outlet {
    /// Where it listens.
    pub at: SocketAddr,
    /// The file.
    pub path: SafePath,
}

impl FromStr for Outlet {
    type Err = String;

    fn from_str(text: &str) -> core::result::Result<Outlet, String> {
        let (at, path) = text.split_once("=/").ok_or("write ADDR=/PATH, such as :9000=/movie.mkv")?;
        let path = SafePath::parse(path).map_err(|error| error.to_string())?;
        Ok(Outlet { at: bind_address(at)?, path })
    }
}

/// What a proxy or a gateway is told when it begins, by a file or on the command line.
#[derive(Clone, Debug)]
pub struct WebConfig {
    /// For whom it is.
    pub role: Role,
    /// The servers, by their names.
    pub targets: Vec<Named<Location>>,
    /// How they are asked.
    pub settings: Settings,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Doors that lead to one file each.
    pub outlets: Vec<Outlet>,
    /// Who it is to the servers.
    pub key: KeyArgs,
    /// The socket by which it is asked and told.
    pub control: Option<PathBuf>,
    /// Where it tells metrics and health.
    pub http: Option<SocketAddr>,
    /// Where a line for each answer goes.
    pub access_log: Option<LogPlace>,
    /// Whether the process gives up what it does not need.
    pub sandbox: bool,
    /// Files that tickets were read from.
    pub tickets: Vec<PathBuf>,
    /// Every value, and where it comes from, of a file.
    pub told: Vec<Told>,
}

/// Reads the configuration of a gateway, and the tickets that it names.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn read(path: &Path, places: &Places) -> core::result::Result<WebConfig, Failure> {
    read_file(path, "A gateway", |text| WebConfig::parse(text, places))
}

/// The file that a target's ticket is in, if it is in one.
fn ticket_file(target: &str) -> Option<&str> {
    let (_, target) = Named::<()>::split(target);
    let file = target.strip_prefix('@')?;
    Some(file.split_once("//").map_or(file, |(file, _)| file))
}

/// A target, read at a place where nobody sits before it.
fn target(field: &Field<'_, '_>) -> Result<(Named<Location>, Option<PathBuf>)> {
    let text = field.text()?;
    let file = ticket_file(text).map(PathBuf::from);
    if text.ends_with('-') && matches!(Named::<()>::split(text).1, "-" | "@-") {
        return Err(field.wrong("a gateway has nobody to ask; write the ticket into a file, and @FILE"));
    }
    if file.as_deref().is_some_and(|file| !file.is_absolute()) {
        return Err(field.wrong("write a whole path, from / on: @/etc/tng/ticket"));
    }
    let named = Named::parse(text, location).map_err(|why| field.wrong(without_tickets(&why)))?;
    Ok((named, file))
}

impl WebConfig {
    /// Reads the configuration of a gateway.
    ///
    /// # Errors
    /// The first fault that is found, with its line.
    pub fn parse(text: &str, places: &Places) -> Result<WebConfig> {
        let document = Document::parse(text)?;
        let file = document.section(FILE)?;
        let (mut teller, empty) = (Teller::default(), Document::parse("")?);
        let table = match file.get("gateway") {
            Some(field) => field.table("[gateway]", KEYS)?,
            None => empty.section(KEYS)?,
        };
        let at = (&table, "gateway");
        let Places { state: (state, state_origin), runtime: (runtime, runtime_origin) } = places;
        let all = table.need("targets")?;
        let list = all.list()?;
        if list.is_empty() || list.len() > TARGETS_MAX {
            return Err(all.wrong(format!("write one target at least, and {TARGETS_MAX} at most")));
        }
        let (mut targets, mut tickets) = (Vec::new(), Vec::new());
        for field in &list {
            let (named, ticket) = target(field)?;
            targets.push(named);
            tickets.extend(ticket);
        }
        check_names(&targets).map_err(|why| all.wrong(format!("{why}; write \"NAME=TARGET\", each name once")))?;
        // A ticket is nobody's business.
        teller.tell("gateway.targets".to_owned(), without_tickets(all.raw()), Origin::File(all.place()));
        let everywhere = SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), HTTP_PORT_DEFAULT);
        let outlets = |field: &Field<'_, '_>| {
            let outlet = |field: &Field<'_, '_>| field.text()?.parse::<Outlet>().map_err(|why| field.wrong(why));
            match field.list()? {
                list if list.len() > OUTLETS_MAX => Err(field.wrong(format!("write {OUTLETS_MAX} at most"))),
                list => list.iter().map(outlet).collect::<Result<Vec<Outlet>>>(),
            }
        };
        let shown_outlets = |outlets: &Vec<Outlet>| {
            let shown = |Outlet { at, path }: &Outlet| quoted(format_args!("{at}=/{path}"));
            format!("[{}]", outlets.iter().map(shown).collect::<Vec<_>>().join(", "))
        };
        let url = |field: &Field<'_, '_>| field.text()?.parse::<PlainUrl>().map_err(|why| field.wrong(why.to_string()));
        let pick =
            |field: &Field<'_, '_>| field.choice("pick", &PICKS.map(|(word, _)| word)).map(|which| PICKS[which].1);
        let word = |picked: &Policy| quoted(PICKS.iter().find(|(_, of)| of == picked).map_or("", |(word, _)| *word));
        let listen = teller.value(at, "listen", everywhere, listen, |addr| quoted(addr))?;
        let outlets = teller.value(at, "tcp", Vec::new(), outlets, shown_outlets)?;
        let plain = teller.value(at, "fallback_tcp", None, or_none(url), shown_if(|url| quoted(url)))?;
        let policy = teller.value(at, "pick", Policy::Stay, pick, word)?;
        let danger_plain = teller.value(at, "danger_plain", false, |field| field.flag(), bool::to_string)?;
        let identity = (state.join("identity"), state_origin.clone());
        let key = teller.value_from(at, "key", identity, path, |path| shown_path(path))?;
        let socket = (runtime.join(format!("{}.sock", GATEWAY.unit)), runtime_origin.clone());
        Ok(WebConfig {
            role: Role::Gateway,
            targets,
            settings: Settings { plain, policy, danger_plain },
            listen,
            outlets,
            key: KeyArgs { key: Some(key) },
            control: Some(teller.value_from(at, "control", socket, path, |path| shown_path(path))?),
            http: teller.value(at, "http", None, or_none(|field| field.socket()), shown_if(|addr| quoted(addr)))?,
            access_log: teller.value(at, "access_log", None, or_none(log_place), shown_if(shown_log))?,
            sandbox: teller.value(at, "sandbox", true, |field| field.flag(), bool::to_string)?,
            tickets,
            told: teller.0,
        })
    }

    /// That another configuration wants what only a restart changes: the first such key, with its place.
    ///
    /// # Errors
    /// If it does.
    pub fn check_reload(&self, next: &WebConfig) -> core::result::Result<(), NeedsRestart> {
        check_restart(GATEWAY.name, (&self.told, &next.told), |key| !CHANGEABLE.contains(&key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places { state: ("/state".into(), Origin::Default), runtime: ("/run".into(), Origin::Default) }
    }

    fn parse(text: &str) -> core::result::Result<WebConfig, String> {
        WebConfig::parse(text, &places()).map_err(|error| error.to_string())
    }

    fn host() -> String {
        format!("{}@192.0.2.7", tng::Identity::from_seed([7; 32]).eid())
    }

    fn of(more: &str) -> WebConfig {
        parse(&format!("[gateway]\ntargets = ['{}']\n{more}", host())).expect("good")
    }

    #[test]
    fn the_smallest_file_names_servers_and_every_value_is_told_with_its_place_and_no_ticket() {
        let config = of("");
        assert_eq!((config.role, config.targets.len(), config.listen.port()), (Role::Gateway, 1, HTTP_PORT_DEFAULT));
        assert_eq!(config.control, Some("/run/tng-gateway.sock".into()));
        assert!(config.sandbox && !config.settings.danger_plain && config.outlets.is_empty());
        let mut told: Vec<&str> = config.told.iter().filter_map(|told| told.key.strip_prefix("gateway.")).collect();
        told.sort_unstable();
        let mut all = KEYS.to_vec();
        all.sort_unstable();
        assert_eq!(told, all);
        let eid = tng::Identity::from_seed([7; 32]).eid();
        let address = "192.0.2.7:1".parse().expect("an address");
        let ticket = tng::Ticket::new(eid, vec![address], vec![7; 40]).expect("small").to_string();
        let told = parse(&format!("[gateway]\ntargets = ['{ticket}']\n")).expect("good").told;
        assert!(!told[0].value.contains(&ticket[5..12]), "{told:?}");
        let more = "tcp = [':9000=/a/b']\nfallback_tcp = 'http://mirror/x'\npick = 'spray'\ndanger_plain = true\n";
        let config = of(more);
        assert_eq!((config.outlets[0].at.port(), config.outlets[0].path.as_str()), (9_000, "a/b"));
        assert!(config.settings.plain.is_some() && config.settings.policy == Policy::Spray);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let host = host();
        for (text, why) in [
            ("", "targets"),
            ("[gateway]\ntargets = []\n", "line 2"),
            ("[gateway]\ntargets = ['@relative']\n", "whole path"),
            ("[gateway]\ntargets = ['films=@relative//a']\n", "whole path"),
            ("[gateway]\ntargets = ['@-']\n", "nobody to ask"),
            ("[gateway]\ntargets = ['@/nowhere/ticket']\n", "line 2"),
            (&format!("[gateway]\ntargets = ['a={host}', 'A={host}']\n"), "two targets are called a"),
            (&format!("[gateway]\ntargets = ['{host}']\ntcp = [':9000']\n"), "line 3"),
            (&format!("[gateway]\ntargets = ['{host}']\npick = 'sprya'\n"), "spray"),
            (&format!("[gateway]\ntargets = ['{host}']\nfallback_tcp = 'https://a'\n"), "line 3"),
            (&format!("[gateway]\ntargets = ['{host}']\npath = '/srv'\n"), "line 3"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn servers_and_how_they_are_asked_change_with_a_reload_and_doors_do_not() {
        let (plain, other) = (of(""), of("pick = 'nearest'\nfallback_tcp = 'http://a'\n"));
        assert_eq!(plain.check_reload(&other), Ok(()));
        for next in [of("listen = ':81'\n"), of("tcp = [':9000=/a']\n"), of("sandbox = false\n")] {
            let error = plain.check_reload(&next).expect_err("a restart").to_string();
            assert!(error.contains("changes with a restart alone; restart the gateway"), "{error}");
        }
    }

    #[test]
    fn an_outlet_is_an_address_and_a_path() {
        let outlet: Outlet = ":9000=/a/b=c".parse().expect("fine");
        assert_eq!((outlet.at.port(), outlet.path.as_str()), (9000, "a/b=c"));
        for bad in [":9000", ":9000=a", "x=/a", ":9000=/../a"] {
            assert!(bad.parse::<Outlet>().is_err(), "{bad}");
        }
    }
}
