//! The tool's own configuration: `~/.config/tng/config.toml`, so far hosts that have a name here, and which helpers
//! peers may come through.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tng::Wishes;
use tng::congestion::SectionChoice;
use tng::help::Token;
use tng_base::Eid;
use tng_crypto::Zeroizing;
use tng_services::files::SafePath;
use tng_settings::SettingsError;
use tng_settings::{Document, Field, Result, Section};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::{folder_of_configuration, open_to_others};
use crate::location::{HostAddress, Location};
use crate::registry::token::NamedToken;
use crate::talk::shown;
use crate::via::Helper;

/// Bytes of a configuration that is read, at most.
pub const CONFIG_FILE_MAX: u64 = 1 << 20;

/// Longest name of a host, in characters.
pub const HOST_NAME_MAX: usize = 32;

/// The keys of the file.
const FILE: &[&str] = &["helpers", "helpers_in_path", "hosts"];
/// The keys of a host.
const HOST: &[&str] = &["eid", "address", "ticket", "token", "registry_token", "trusted", "controller", "queue_time"];
/// What `helpers` may be.
const HELPERS: &[&str] = &["none", "named", "any"];
/// What `helpers_in_path` may be.
const IN_PATH: &[&str] = &["allow", "listed", "forbid"];

/// Whose offers this host takes of helpers that it has not named.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum InPath {
    /// Accept any, and drop those that do not help
    #[default]
    Allow,
    /// Accept only those that have a name in config.toml
    Listed,
    /// Accept none
    Forbid,
}

/// All of a configuration file, of this tool or of a relay; `what` is what a failure names.
///
/// # Errors
/// If it cannot be read, or has more than [`CONFIG_FILE_MAX`] bytes.
pub fn read_text(file: File, what: &str) -> core::result::Result<Zeroizing<String>, Failure> {
    let mut text = Zeroizing::new(String::new());
    file.take(CONFIG_FILE_MAX + 1).read_to_string(&mut text).map_err(|error| Failure::read(what, &error))?;
    if text.len() as u64 > CONFIG_FILE_MAX {
        return Err(Failure::new(Exit::Usage, what, format!("it has more than {CONFIG_FILE_MAX} bytes")));
    }
    Ok(text)
}

/// The configuration.
#[derive(Debug, Default)]
pub struct Config {
    /// Which helpers peers of a host that listens may come through.
    pub helpers: tng::Helpers,
    /// Whose offers this host takes, if the command line does not say.
    in_path: InPath,
    /// The hosts that have a name, as helpers.
    hosts: Vec<Helper>,
    /// What is shown to registries to find hosts.
    registry_tokens: BTreeMap<Eid, NamedToken>,
    /// Where files are that it names.
    folder: PathBuf,
    /// Whether there is anything in it that is for nobody else.
    has_secrets: bool,
}

impl Config {
    /// That of this user; without a file there is nothing in it.
    ///
    /// # Errors
    /// If it cannot be read, is wrong, or others can read the secrets in it.
    pub fn load() -> core::result::Result<Config, Failure> {
        match Config::path() {
            Some(path) => Config::read(&path),
            None => Ok(Config::default()),
        }
    }

    /// Where it is, if there is a home.
    pub fn path() -> Option<PathBuf> {
        folder_of_configuration().map(|folder| folder.join("config.toml"))
    }

    fn read(path: &Path) -> core::result::Result<Config, Failure> {
        let what = || format!("reading {}", shown(path));
        let failed = |error: &io::Error| Failure::read(what(), error);
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Config::default()),
            opened => opened.map_err(|error| failed(&error))?,
        };
        let mode = file.metadata().map(|metadata| open_to_others(&metadata)).map_err(|error| failed(&error))?;
        let text = read_text(file, &what())?;
        let config = Config::parse(&text).map_err(|error| {
            Failure::new(Exit::Usage, what(), error).or_try("docs/relay.md, \"Going by way of a relay\", has its keys")
        })?;
        match mode {
            Some(mode) if config.has_secrets => {
                let why = format!("there are secrets in it, and others can read it (mode {mode:03o})");
                Err(Failure::new(Exit::Read, what(), why).or_try(format!("chmod 600 {}", shown(path))))
            }
            _ => Ok(Config { folder: path.parent().unwrap_or(Path::new("")).to_owned(), ..config }),
        }
    }

    /// Reads a configuration.
    ///
    /// # Errors
    /// The first fault that is found, with its line.
    pub fn parse(text: &str) -> core::result::Result<Config, SettingsError> {
        let document = Document::parse(text)?;
        let file = document.section(FILE)?;
        let (mut hosts, mut registry_tokens, mut has_secrets) = (Vec::new(), BTreeMap::new(), false);
        for field in file.get("hosts").map_or(Ok(Vec::new()), |hosts| hosts.entries())? {
            let (host, registry_token) = host(&field)?;
            let has_word = registry_token.as_ref().is_some_and(|token| token.file().is_none());
            has_secrets |= host.token.is_some() || has_word || !host.door.is_empty();
            registry_tokens.extend(registry_token.map(|token| (host.eid, token)));
            hosts.push(host);
        }
        let helpers = match file.get("helpers").map(|field| field.choice("policy of helpers", HELPERS)).transpose()? {
            Some(0) => tng::Helpers::None,
            Some(1) => tng::Helpers::Named(hosts.iter().map(|host| host.eid).collect()),
            _ => tng::Helpers::Any,
        };
        let in_path = file.get("helpers_in_path").map(|field| field.choice("policy of helpers", IN_PATH));
        let in_path = match in_path.transpose()? {
            Some(1) => InPath::Listed,
            Some(2) => InPath::Forbid,
            _ => InPath::Allow,
        };
        Ok(Config { helpers, in_path, hosts, registry_tokens, folder: PathBuf::new(), has_secrets })
    }

    /// Whose offers an endpoint takes; `said` is what the command line says.
    pub fn in_path(&self, said: Option<InPath>) -> tng::HelpersInPath {
        match said.unwrap_or(self.in_path) {
            InPath::Allow => tng::HelpersInPath::Allowed,
            InPath::Listed => tng::HelpersInPath::Listed(self.hosts.iter().map(|host| host.eid).collect()),
            InPath::Forbid => tng::HelpersInPath::Forbidden,
        }
    }

    /// The host of this name, as a helper.
    pub fn host(&self, name: &str) -> Option<&Helper> {
        self.hosts.iter().find(|host| host.name == name)
    }

    /// The host with this EID, as a helper.
    pub fn with_eid(&self, eid: Eid) -> Option<&Helper> {
        self.hosts.iter().find(|host| host.eid == eid)
    }

    /// What is shown to registries to find the host with this EID. Files are read only now, and looked for beside the
    /// configuration.
    pub fn registry_token(&self, eid: Eid) -> Option<core::result::Result<Token, Failure>> {
        self.registry_tokens.get(&eid).map(|named| named.token_beside(&self.folder))
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(|host| host.name.as_str())
    }
}

/// Whether a host may have this name: nothing else that says where a host is looks like it.
pub fn is_name(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=HOST_NAME_MAX).contains(&text.len()) && text.chars().all(fine) && !text.starts_with('-')
}

/// A host, and what is shown to registries to find it.
fn host(field: &Field<'_, '_>) -> Result<(Helper, Option<NamedToken>)> {
    let name = field.key.clone();
    if !is_name(&name) {
        let wanted = format!("a name has letters, digits, - and _, at most {HOST_NAME_MAX}, and no - in front");
        return Err(field.wrong(wanted));
    }
    let table = field.table(&format!("[hosts.{name}]"), HOST)?;
    let Location { eid, places, capability: door, .. } = whereabouts(&table)?;
    let token = |field: Field<'_, '_>| Token::new(field.text()?).map_err(|bad| field.wrong(bad.to_string()));
    let controller = |field: Field<'_, '_>| {
        let name = field.text()?;
        name.parse::<SectionChoice>().map_err(|why| field.wrong(why.to_string()))?;
        let fits = (1..=tng::WISHED_NAME_LEN_MAX).contains(&name.len());
        if fits { Ok(name.to_owned()) } else { Err(field.wrong("an order cannot ask for so long a name")) }
    };
    let queue_time = |field: Field<'_, '_>| match field.some_time()? {
        time if time <= tng::WISHED_QUEUE_TIME_MAX => Ok(time),
        _ => Err(field.wrong(format!("write a time of at most {:?}", tng::WISHED_QUEUE_TIME_MAX))),
    };
    let named = |field: Field<'_, '_>| {
        let named: NamedToken = field.text()?.parse().map_err(|never| match never {})?;
        if named.file().is_some() { Ok(named) } else { token(field).map(|_| named) }
    };
    let registry_token = table.get("registry_token").map(named).transpose()?;
    let helper = Helper {
        name,
        eid,
        places,
        door,
        token: table.get("token").map(token).transpose()?,
        wishes: Wishes {
            controller: table.get("controller").map(controller).transpose()?,
            queue_time: table.get("queue_time").map(queue_time).transpose()?,
        },
        trusted: table.get("trusted").map_or(Ok(false), |field| field.flag())?,
    };
    Ok((helper, registry_token))
}

/// Who a host is and where: its ticket, or its EID and addresses. One that a registry lets those alone find who have a
/// token needs none.
fn whereabouts(table: &Section<'_, '_>) -> Result<Location> {
    if let Some(ticket) = table.get("ticket") {
        if table.get("eid").or(table.get("address")).is_some() {
            return Err(ticket.contradiction("a ticket says who and where; leave eid and address out".to_owned()));
        }
        let location: core::result::Result<Location, _> = ticket.text()?.parse();
        // What is wrong with it is told without it.
        return match location {
            Ok(location) if location.path.is_root() => Ok(location),
            Ok(_) => Err(ticket.wrong("write the ticket alone, without a path")),
            Err(why) => Err(ticket.wrong(why.to_string())),
        };
    }
    let eid = table.get("eid").ok_or_else(|| table.missing("eid or ticket"))?;
    let read: Eid = eid.text()?.parse().map_err(|why: tng_base::EidError| eid.wrong(why.to_string()))?;
    let Some(address) = table.get("address") else {
        return match table.get("registry_token") {
            Some(_) => Ok(located(read, Vec::new())),
            None => Err(table.missing("address")),
        };
    };
    let place = |field: &Field<'_, '_>| {
        let place: core::result::Result<HostAddress, _> = field.text()?.parse();
        place.map_err(|why| field.wrong(why.to_string()))
    };
    let places = match address.as_text() {
        Some(_) => vec![place(&address)?],
        None => address.list()?.iter().map(place).collect::<Result<Vec<HostAddress>>>()?,
    };
    if places.is_empty() {
        return Err(address.wrong("write host:port, or a list of them"));
    }
    Ok(located(read, places))
}

fn located(eid: Eid, places: Vec<HostAddress>) -> Location {
    Location { eid, places, capability: Vec::new(), path: SafePath::root(), via: Vec::new() }
}

#[cfg(test)]
mod tests;
