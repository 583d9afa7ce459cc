//! What is typed to say which host, and what of it: a ticket, or `EID@host:port`, and a path.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use tng::{Target, Ticket, TicketError};
use tng_base::{Eid, EidError};
use tng_services::files::{SafePath, UnsafePath};
use tng_services::http::{BadEscape, unescape};

use crate::config::{Config, is_name};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::scope::{NoInterface, scoped};
use crate::talk::shown;
use crate::via::Helper;

/// The UDP port when none is said (docs/decisions/0001-port-4860.md).
pub const DEFAULT_PORT: u16 = 4860;

/// How a location may begin.
pub const SCHEME: &str = "tng://";

/// A host, where it may be, and a path on it.
///
/// * `tng://TICKET/path` or `TICKET/path`, or a bare ticket
/// * `tng://EID@host:port/path`, the port being optional; further places after commas; link-local addresses with their
///   interface, `[fe80::1%eth0]:port`
/// * `tng://EID/path`, if a registry is to say where the host is
///
/// In the path `%` and two hexadecimal digits stand for a byte.
#[derive(Clone, PartialEq, Eq)]
pub struct Location {
    /// Who is meant.
    pub eid: Eid,
    /// Where to look, best first; nowhere if a registry is to say.
    pub places: Vec<HostAddress>,
    /// What opens the door; empty if none is known.
    pub capability: Vec<u8>,
    /// What is meant there; the root if nothing was said.
    pub path: SafePath,
    /// The helpers on the way, in order from here.
    pub via: Vec<Helper>,
}

impl core::fmt::Debug for Location {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Location")
            .field("eid", &self.eid)
            .field("places", &self.places)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// Where a host may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostAddress {
    /// An address.
    Address(SocketAddr),
    /// A name to look up, and a port.
    Name(String, u16),
}

/// Why a text is no location.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LocationError {
    /// Another scheme.
    #[error("a location begins with {SCHEME}, or is a ticket")]
    Scheme,
    /// The ticket is not right.
    #[error(transparent)]
    Ticket(#[from] tng::TicketError),
    /// The EID is not right.
    #[error(transparent)]
    Eid(#[from] tng_base::EidError),
    /// What stands after `@` is neither an address nor a name.
    #[error("{0:?} is not host:port; IPv6 addresses stand in brackets")]
    HostAddress(String),
    /// The interface that an IPv6 address is of is not there.
    #[error(transparent)]
    Interface(#[from] NoInterface),
    /// The path is not right.
    #[error(transparent)]
    Path(#[from] tng_services::files::UnsafePath),
    /// A `%` without two hexadecimal digits, or bytes that are not UTF-8.
    #[error("in the path, % must be followed by two hexadecimal digits; write %25 for % itself")]
    Percent(#[from] BadEscape),
}

/// Longest name of a host that is told when nobody has it, in letters: in a ticket, the secret alone is longer.
pub const NAME_TOLD_MAX: usize = 24;

/// Longest file that is read for a location, in bytes.
pub const LOCATION_MAX: u64 = 64 << 10;

/// A location as an argument: itself; `-` or `@-`, the first line of stdin; `@FILE`, the first line of a file; of a
/// ticket that was folded all its lines. What stands in a file or a pipe is not seen by everybody who lists processes.
/// After `//` follows the path: `@FILE//path`.
///
/// # Errors
/// What is wrong with it, or with reading it.
pub fn location(text: &str) -> Result<Location, String> {
    let (source, path) = match text.split_once("//") {
        Some((source, path)) if source.starts_with('@') => (source, Some(path)),
        _ => (text, None),
    };
    let read = |read: std::io::Result<String>| {
        read.map_err(|error| match (error.kind(), source) {
            (io::ErrorKind::UnexpectedEof, "-" | "@-") => "no ticket was given on stdin".to_owned(),
            (io::ErrorKind::UnexpectedEof, file) => format!("{file}: the file is empty, or begins with an empty line"),
            _ => format!("{source}: {}", crate::failure::reason(&error)),
        })
    };
    let line = match source.strip_prefix('@') {
        // Not beyond it: the rest of stdin may be for somebody else.
        Some("-") => read(first_location(Ok(asked())))?,
        None if source == "-" => read(first_location(Ok(asked())))?,
        Some(ticket) if begins_as_ticket(ticket) => {
            return Err("after @ stands the name of a file; a ticket itself stands without it".to_owned());
        }
        Some(file) => read(first_location(std::fs::File::open(file).map(std::io::BufReader::new)))?,
        None => text.to_owned(),
    };
    let location = line.parse().or_else(|error| named(&line).unwrap_or_else(|| Err(unknown(&line, &error))))?;
    match path {
        None => Ok(location),
        Some(path) => {
            let path = path.strip_suffix('/').unwrap_or(path);
            let path = unescape(path).map_err(|error| LocationError::from(error).to_string())?;
            let below = typed(&path).map_err(|error| error.to_string())?;
            let names = below.as_str().split('/').filter(|name| !name.is_empty());
            let path = names.into_iter().try_fold(location.path.clone(), |path, name| path.child(name));
            Ok(Location { path: path.map_err(|error| error.to_string())?, ..location })
        }
    }
}

fn begins_as_ticket(text: &str) -> bool {
    text.get(..Ticket::PREFIX.len()).is_some_and(|prefix| prefix.eq_ignore_ascii_case(Ticket::PREFIX))
}

/// The location that begins with a name from the configuration, `NAME` or `NAME/path`, if it looks like one and there
/// is such a host.
fn named(text: &str) -> Option<Result<Location, String>> {
    let (name, _) = name_and_path(text);
    if !is_name(name) {
        return None;
    }
    match Config::load() {
        Ok(config) => named_in(&config, text),
        Err(failure) => Some(Err(failure.to_string())),
    }
}

/// What looks like the name of a host is told, if it cannot be most of a ticket.
fn unknown(text: &str, error: &LocationError) -> String {
    let (name, _) = name_and_path(text);
    if begins_as_ticket(name) {
        return error.to_string();
    }
    if text.to_ascii_lowercase().contains(Ticket::PREFIX) {
        return "other words stand beside the ticket; leave them away: the ticket alone, on the first line".to_owned();
    }
    if matches!(name, "EID" | "TICKET" | "FILE" | "NAME") {
        return format!("{name} stands for a real one, which `tng serve` or `tng id` prints at the other host");
    }
    let file = || Config::path().map_or_else(|| "config.toml".to_owned(), |path| shown(&path).to_string());
    match error {
        LocationError::Eid(EidError::Length(_)) if is_name(name) && name.len() <= NAME_TOLD_MAX => format!(
            "no host named \"{name}\" in {}; write its ticket there under [hosts.{name}], or give a ticket, @FILE, or \
             EID@host:port",
            file()
        ),
        LocationError::Eid(EidError::Length(len)) => format!(
            "it is no ticket, no EID (that has {} characters, this {len}), and no name of a host; copy a ticket whole, \
             from tng1 to its end",
            Eid::TEXT_LEN
        ),
        error => error.to_string(),
    }
}

/// `NAME/path` may be written as other locations are: `NAME//path` as `@FILE//path`, and `tng://NAME/path`.
fn name_and_path(text: &str) -> (&str, &str) {
    let text = text.trim();
    let text = text.strip_prefix(SCHEME).unwrap_or(text);
    let (name, path) = text.split_once('/').unwrap_or((text, ""));
    (name, path.strip_prefix('/').unwrap_or(path))
}

/// A path as somebody writes it: bytes that are shown escaped may be written so, or as they are.
///
/// # Errors
/// If it is no path below a folder.
pub fn typed(path: &str) -> Result<SafePath, UnsafePath> {
    SafePath::parse(path).or_else(|_| SafePath::of_bytes(&bytes_of(path).unwrap_or_else(|| path.into())))
}

/// The bytes of a text in which each backslash begins `\x` and two digits; none if one does not.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    let mut parts = text.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.strip_prefix('x').and_then(|part| part.get(..2)).filter(|it| it.bytes().all(is_digit))?;
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|byte| !matches!(byte, 0 | b'/'))?);
        bytes.extend_from_slice(&part.as_bytes()[3..]);
    }
    Some(bytes)
}

fn named_in(config: &Config, text: &str) -> Option<Result<Location, String>> {
    let (name, path) = name_and_path(text);
    let host = Location::from(config.host(name)?);
    let path = unescape(path.strip_suffix('/').unwrap_or(path)).map_err(LocationError::from);
    let path = path.and_then(|path| Ok(typed(&path)?));
    Some(path.map(|path| Location { path, ..host }).map_err(|error| error.to_string()))
}

/// Reads a [`location`] on the command line. What is wrong with it is told without it: it may be most of a ticket.
#[derive(Clone, Copy, Debug)]
pub struct LocationParser;

impl TypedValueParser for LocationParser {
    type Value = Location;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Location, clap::Error> {
        let parsed = value.to_str().ok_or_else(|| "a location is text".to_owned()).and_then(location);
        parsed.map_err(|why| clap::Error::raw(ErrorKind::ValueValidation, format!("{why}\n")).with_cmd(command))
    }
}

/// A text in which no ticket can be read any more: what looks like one is cut after its first characters.
pub fn without_tickets(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.to_ascii_lowercase().find(Ticket::PREFIX) {
        let (before, ticket) = rest.split_at(at);
        let end = ticket_len(ticket);
        out.push_str(before);
        if end > 2 * Ticket::PREFIX.len() {
            out.push_str(&ticket[..Ticket::PREFIX.len()]);
            out.push('…');
        } else {
            out.push_str(&ticket[..end]);
        }
        rest = &ticket[end..];
    }
    out + rest
}

/// Letters from which on a word behind a line break is taken for more of a ticket that was folded.
const FOLDED_MIN: usize = 12;

/// How much of a text that begins with a ticket is that, folded or not.
fn ticket_len(text: &str) -> usize {
    let word = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let mut len = word(text);
    loop {
        let rest = &text[len..];
        let fold = rest.find(|c: char| !c.is_whitespace() && c != '=' && c != '>').unwrap_or(rest.len());
        match word(&rest[fold..]) {
            more if fold > 0 && more >= FOLDED_MIN => len += fold + more,
            _ => return len,
        }
    }
}

/// The standard input, and a question to who sits before it.
fn asked() -> std::io::StdinLock<'static> {
    if std::io::stdin().is_terminal() {
        let _ = write!(std::io::stderr(), "ticket: ");
    }
    std::io::stdin().lock()
}

/// The first line, and as many more as a folded ticket goes on for. One that never comes whole is answered as far as
/// its first line.
fn first_location(read: std::io::Result<impl std::io::BufRead>) -> std::io::Result<String> {
    let mut read = std::io::Read::take(read?, LOCATION_MAX);
    let first = next_line(&mut read)?;
    if first.trim().is_empty() {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    // A soft line break goes on in the next line.
    let read_as = |text: &str| text.trim_end().trim_end_matches('=').parse::<Location>();
    let is_cut = |text: &str| matches!(read_as(text), Err(LocationError::Ticket(TicketError::CutOff)));
    let mut text = first.clone();
    while is_cut(&text) {
        let line = next_line(&mut read)?;
        if line.trim().is_empty() {
            break;
        }
        text.push_str(&line);
    }
    Ok(if is_cut(&first) && read_as(&text).is_err() { first } else { text })
}

fn next_line(read: &mut impl std::io::BufRead) -> std::io::Result<String> {
    let mut line = Vec::new();
    read.read_until(b'\n', &mut line)?;
    String::from_utf8(line).map_err(|_| std::io::Error::other("it is not text"))
}

/// A host of the configuration: its root, directly.
impl From<&Helper> for Location {
    fn from(host: &Helper) -> Location {
        let Helper { eid, places, door: capability, .. } = host.clone();
        Location { eid, places, capability, path: SafePath::root(), via: Vec::new() }
    }
}

impl HostAddress {
    /// Its port.
    pub const fn port(&self) -> u16 {
        match self {
            HostAddress::Address(address) => address.port(),
            HostAddress::Name(_, port) => *port,
        }
    }
}

impl Location {
    /// The addresses behind the places, names looked up.
    ///
    /// # Errors
    /// If nothing has an address.
    pub async fn resolve(&self) -> Result<Vec<SocketAddr>, Failure> {
        resolve(&self.places).await
    }

    /// The host itself, without helpers.
    ///
    /// # Errors
    /// If nothing has an address.
    pub async fn target(&self) -> Result<Target, Failure> {
        let capability = Some(self.capability.clone()).filter(|capability| !capability.is_empty());
        Ok(Target { eid: self.eid, addresses: self.resolve().await?, capability, via: Vec::new() })
    }
}

/// The addresses behind places, names looked up.
///
/// # Errors
/// If nothing has an address.
pub async fn resolve(places: &[HostAddress]) -> Result<Vec<SocketAddr>, Failure> {
    let mut addresses = Vec::new();
    let mut why = "it has no address".to_owned();
    for place in places {
        match place {
            HostAddress::Address(address) => addresses.push(*address),
            HostAddress::Name(name, port) => match tokio::net::lookup_host((name.as_str(), *port)).await {
                Ok(found) => addresses.extend(found),
                Err(error) => why = crate::failure::reason(&error),
            },
        }
    }
    if places.is_empty() {
        return Err(Failure::new(Exit::Resolve, "finding the host", "it is not said where it is")
            .or_try("EID@host:port, or a ticket"));
    }
    if addresses.is_empty() {
        let names: Vec<String> = places.iter().map(HostAddress::to_string).collect();
        return Err(Failure::new(Exit::Resolve, format!("looking up {}", names.join(", ")), why)
            .or_try("check the name, or write the address itself"));
    }
    Ok(addresses)
}

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Location, LocationError> {
        let text = text.trim();
        // A mail program marks what it quotes.
        let quoted = text.trim_start_matches(|c: char| c == '>' || c.is_whitespace());
        let rest = text.strip_prefix(SCHEME).unwrap_or(text);
        let rest = quoted.strip_prefix(SCHEME).or(Some(quoted)).filter(|it| begins_as_ticket(it)).unwrap_or(rest);
        if rest.contains("://") {
            return Err(LocationError::Scheme);
        }
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        // As behind @FILE, where two stand because a file may have one in its name.
        let path = path.strip_prefix('/').unwrap_or(path);
        // A slash at the end is what people type for a folder.
        let path = typed(&unescape(path.strip_suffix('/').unwrap_or(path))?)?;
        if begins_as_ticket(authority) {
            let ticket: Ticket = authority.parse()?;
            let places = ticket.addresses().iter().copied().map(HostAddress::Address).collect();
            return Ok(Location {
                eid: ticket.eid(),
                places,
                capability: ticket.capability().to_vec(),
                path,
                via: Vec::new(),
            });
        }
        let (eid, places) = match authority.split_once('@') {
            Some((eid, places)) => (eid.parse()?, places.split(',').map(str::parse).collect::<Result<_, _>>()?),
            // A registry may know.
            None => (authority.parse()?, Vec::new()),
        };
        Ok(Location { eid, places, capability: Vec::new(), path, via: Vec::new() })
    }
}

impl FromStr for HostAddress {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<HostAddress, LocationError> {
        let bad = || LocationError::HostAddress(text.to_owned());
        if let Some(address) = scoped(text, DEFAULT_PORT) {
            return Ok(HostAddress::Address(address?));
        }
        if let Ok(address) = text.parse() {
            return Ok(HostAddress::Address(address));
        }
        let bracketed = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
        if let Some(ip) = bracketed.map(|t| t.parse::<Ipv6Addr>().map(IpAddr::V6)).or_else(|| Some(text.parse())) {
            match ip {
                Ok(ip) if bracketed.is_some() || ip.is_ipv4() => {
                    return Ok(HostAddress::Address(SocketAddr::new(ip, DEFAULT_PORT)));
                }
                Ok(_) => return Err(bad()),
                Err(_) => {}
            }
        }
        let (name, port) = match text.rsplit_once(':') {
            // `str::parse` takes a sign as well.
            Some((_, port)) if port.starts_with('+') => return Err(bad()),
            Some((name, port)) => (name, port.parse().map_err(|_| bad())?),
            None => (text, DEFAULT_PORT),
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
        if name.is_empty() || !name.chars().all(is_name) {
            Err(bad())
        } else {
            Ok(HostAddress::Name(name.to_owned(), port))
        }
    }
}

impl fmt::Display for HostAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostAddress::Address(address) => write!(f, "{address}"),
            HostAddress::Name(name, port) => write!(f, "{name}:{port}"),
        }
    }
}

/// A path as it is written in a location.
pub fn escape(path: &SafePath) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte);
    let mut out = String::with_capacity(path.as_str().len());
    for byte in path.as_str().bytes() {
        if plain(byte) { out.push(char::from(byte)) } else { out.push_str(&format!("%{byte:02X}")) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket() -> Ticket {
        let address = "192.0.2.7:4861".parse().expect("an address");
        Ticket::new(Eid::from_bytes([7; 32]), vec![address], vec![9; 16]).expect("within bounds")
    }

    fn parse(text: &str) -> Result<Location, LocationError> {
        text.parse()
    }

    #[test]
    fn a_ticket_is_a_location_with_or_without_scheme_and_path() {
        for text in ["tng://{}/a/b.txt", "{}/a/b.txt", "{}//a/b.txt", "tng://{}/a/b.txt/", " {}/a/b.txt\n"] {
            let location = parse(&text.replace("{}", &ticket().to_string())).expect(text);
            assert_eq!((location.eid, location.capability), (ticket().eid(), vec![9; 16]));
            assert_eq!(location.places, [HostAddress::Address(ticket().addresses()[0])]);
            assert_eq!(location.path.as_str(), "a/b.txt");
        }
        assert!(parse(&ticket().to_string()).expect("a bare ticket").path.is_root());
    }

    #[test]
    fn an_eid_stands_with_places_or_alone() {
        let eid = Eid::from_bytes([7; 32]);
        for (place, expected) in [
            ("192.0.2.7", HostAddress::Address("192.0.2.7:4860".parse().expect("an address"))),
            ("192.0.2.7:99", HostAddress::Address("192.0.2.7:99".parse().expect("an address"))),
            ("[2001:db8::1]", HostAddress::Address("[2001:db8::1]:4860".parse().expect("an address"))),
            ("[2001:db8::1]:99", HostAddress::Address("[2001:db8::1]:99".parse().expect("an address"))),
            (
                "[fe80::1%lo]:99",
                HostAddress::Address(scoped("[fe80::1%lo]:99", 0).expect("an address").expect("there")),
            ),
            ("host.example", HostAddress::Name("host.example".into(), 4860)),
            ("host.example:99", HostAddress::Name("host.example".into(), 99)),
        ] {
            assert_eq!(parse(&format!("tng://{eid}@{place}/x")).expect(place).places, [expected]);
        }
        let several = parse(&format!("tng://{eid}@192.0.2.7:99,host.example,[2001:db8::1]/x")).expect("several");
        let texts: Vec<String> = several.places.iter().map(HostAddress::to_string).collect();
        assert_eq!(texts, ["192.0.2.7:99", "host.example:4860", "[2001:db8::1]:4860"]);
        assert_eq!(parse(&format!("tng://{eid}@192.0.2.7,/x")), Err(LocationError::HostAddress(String::new())));
        let interface = LocationError::Interface(NoInterface("nowhere0".to_owned()));
        assert_eq!(parse(&format!("{eid}@[fe80::1%nowhere0]:99/x")), Err(interface));
        let alone = parse(&format!("tng://{eid}/x")).expect("a registry may know");
        assert_eq!((alone.eid, &alone.places[..], alone.path.as_str()), (eid, &[][..], "x"));
        for place in ["2001:db8::1", "host:port", "a b", ":99", "", "host:70000", "192.0.2.7:+9"] {
            assert_eq!(parse(&format!("{eid}@{place}")), Err(LocationError::HostAddress(place.into())));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cut = &ticket().to_string()[..40];
        assert_eq!(parse(&format!("tng://{cut}/x")), Err(LocationError::Ticket(tng::TicketError::CutOff)));
        assert_eq!(parse("http://x/y"), Err(LocationError::Scheme));
        assert_eq!(parse("x/y"), Err(LocationError::Eid(tng_base::EidError::Length(1))));
        assert!(matches!(parse(&format!("{}/../x", ticket())), Err(LocationError::Path(_))));
        assert!(matches!(parse(&format!("{}/%2e%2e/x", ticket())), Err(LocationError::Path(_))), "escaped dots");
        assert_eq!(parse(&format!("{}/100%", ticket())), Err(LocationError::Percent(BadEscape)));
    }

    #[test]
    fn a_location_can_stand_in_a_file_with_the_path_behind_it() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), format!("tng://{}/a\nmore\n", ticket())).expect("written");
        let at = |rest: &str| location(&format!("@{}{rest}", file.path().display()));
        assert_eq!(at("").expect("a location"), parse(&format!("{}/a", ticket())).expect("a location"));
        assert_eq!(at("//b%20c/d/").expect("a location").path.as_str(), "a/b c/d");
        assert!(at("//../x").is_err());
        assert!(location("@/nowhere/at/all").expect_err("no file").contains("no such file"));
        assert_eq!(location(&ticket().to_string()).map(|found| found.path), Ok(SafePath::root()));
    }

    #[test]
    fn a_folded_ticket_is_read_from_an_argument_and_from_a_file_and_no_line_behind_it() {
        let whole = ticket().to_string();
        let (a, b, c) = (&whole[..30], &whole[30..60], &whole[60..]);
        let folded =
            [format!("{a}\n{b}\n{c}"), format!("> tng://{a}\n> {b}\n> {c}/a"), format!("{a}=\r\n{b}=\r\n{c}/a")];
        for folded in folded {
            assert_eq!(location(&folded).expect("a location").eid, ticket().eid(), "{folded:?}");
            let mut lines = std::io::Cursor::new(format!("{folded}\npayload\n"));
            let read = first_location(Ok(&mut lines)).expect("it is there");
            assert_eq!(parse(&read), parse(&folded), "{folded:?}");
            assert_eq!(next_line(&mut lines).expect("it is there"), "payload\n");
        }
        let cut = format!("{a}\n# a remark\n");
        assert_eq!(first_location(Ok(cut.as_bytes())).expect("it is there"), format!("{a}\n"), "what is told is true");
        assert!(parse(&format!("> {}@192.0.2.7", ticket().eid())).is_err(), "control: nothing else is quoted");
        let told = without_tickets(&format!("'{a}\n> {b}=\n{c}' found\n"));
        assert_eq!(told, "'tng1…' found\n");
    }

    #[test]
    fn a_name_stands_for_a_host_in_every_form_that_a_location_has() {
        let eid = tng::Identity::from_seed([7; 32]).eid();
        let config = Config::parse(&format!("[hosts.srv]\neid = '{eid}'\naddress = '192.0.2.7'")).expect("it is fine");
        for text in ["srv/a/b%20c", "srv//a/b%20c", "tng://srv/a/b%20c", " srv/a/b%20c/\n"] {
            let location = named_in(&config, text).expect("it is known").expect(text);
            assert_eq!((location.eid, location.path.as_str()), (eid, "a/b c"), "{text}");
        }
        for text in ["srv", "tng://srv", "srv/"] {
            assert!(named_in(&config, text).expect("it is known").expect(text).path.is_root(), "{text}");
        }
        assert_eq!(named_in(&config, "srw/a"), None);
        assert!(named_in(&config, "srv///a").expect("it is known").is_err(), "control");
    }

    #[test]
    fn who_is_unknown_is_named_with_what_to_do_and_what_may_be_a_ticket_is_not() {
        let told = |text: &str| unknown(text, &parse(text).expect_err("nobody"));
        for text in ["attic", "attic/a", "tng://attic//a"] {
            let said = told(text);
            assert!(said.contains("no host named \"attic\"") && said.contains("[hosts.attic]"), "{said}");
        }
        let long = "a".repeat(NAME_TOLD_MAX + 1);
        assert!(!told(&long).contains(&long), "{}", told(&long));
    }

    #[test]
    fn who_writes_half_a_ticket_or_one_with_words_around_it_hears_that() {
        let told = |text: &str| unknown(text, &parse(text).expect_err("no location"));
        for cut in ["tng1abc", "tng1nonsense", "TNG1abc/a", "tng://tng1abc"] {
            assert!(told(cut).contains("ticket") && !told(cut).contains("config.toml"), "{cut}: {}", told(cut));
        }
        let around = format!("Here is it: {} Bye", ticket());
        assert!(told(&around).contains("other words stand beside the ticket"), "{}", told(&around));
        assert!(!told(&around).contains(&ticket().to_string()));
        assert!(told("Hello, this is it").contains("copy a ticket whole"), "{}", told("Hello, this is it"));
        assert!(told("EID/a").contains("stands for a real one"), "{}", told("EID/a"));
    }

    #[test]
    fn an_empty_file_and_an_empty_stdin_are_told_apart() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let why = location(&format!("@{}", file.path().display())).expect_err("nothing is in it");
        assert!(why.contains("the file is empty") && !why.contains("stdin"), "{why}");
    }

    #[test]
    fn no_ticket_is_read_in_what_is_said_about_one() {
        let whole = ticket().to_string();
        assert_eq!(without_tickets(&format!("'{whole}' (tng1) tng://{whole}/a")), "'tng1…' (tng1) tng://tng1…/a");
        let parser = Command::new("x").arg(Arg::new("url").value_parser(LocationParser));
        for typed in [&whole[..60], &whole.replace("tng1", "tgn1"), &format!("@{whole}"), &format!("{whole}!")] {
            let error = parser.clone().try_get_matches_from(["x", typed]).expect_err("a mistake").to_string();
            assert!(!error.contains(&whole[5..12]) && error.len() > 10, "{error}");
        }
        assert!(parser.try_get_matches_from(["x", &whole]).is_ok(), "control: the ticket itself is taken");
    }

    #[test]
    fn a_path_survives_being_written_as_a_location() {
        let path = SafePath::parse("a b/100%/größe?#x").expect("a path");
        assert_eq!(parse(&format!("{}/{}", ticket(), escape(&path))).expect("a location").path, path);
    }
}
