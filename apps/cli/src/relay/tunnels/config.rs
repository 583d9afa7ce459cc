//! What `[[tunnel]]` says.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use tng::help::Token;
use tng::relay::{ClientTag, TUNNELS_MAX};
use tng_crypto::Zeroizing;
use tng_settings::{Field, Result, Section};

use super::super::clients::Clients;
use crate::daemon::told::{self, Origin, Teller, quoted};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::open_to_others;
use crate::location::Location;

/// The MTU of a device, if nobody says otherwise: with what a tunnel adds, and IPv6 below, it fits into a packet of
/// Ethernet.
pub const DEVICE_MTU: u64 = 1_420;

/// The least MTU of a device with IPv6 addresses (RFC 8200 section 5).
pub const DEVICE_MTU_MIN_IPV6: u64 = 1_280;

/// Bytes of a tunnel's name, at most.
pub const TUNNEL_NAME_MAX: usize = 64;

/// Bytes of a device's name, at most: what Linux takes.
pub const DEVICE_NAME_MAX: usize = 15;

/// Addresses of a device, at most.
pub const DEVICE_ADDRESSES_MAX: usize = 16;

/// Bytes of a file with a token that are read, at most.
const TOKEN_FILE_MAX: u64 = 4_096;

const TUNNEL: &[&str] = &["name", "to", "token", "token_file", "from", "device", "addresses", "mtu", "listen", "peer"];

/// One tunnel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TunnelConfig {
    /// What both relays call it.
    pub name: String,
    /// Which of them asks for it.
    pub side: Side,
    /// What it ends in here.
    pub end: EndConfig,
}

/// Which of the two relays asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// This one: the other is there, by its EID and address, and knows this one by its EID or by a token.
    To(RemoteRelay),
    /// The other one.
    From {
        /// The client that may ask, as the configuration calls it.
        client: String,
        /// What the helper knows it by.
        tag: ClientTag,
    },
}

/// Where the other relay is, and what this one shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemoteRelay {
    /// Who, and where.
    pub location: Location,
    /// What shows that this relay is its client.
    pub token: Option<TokenPlace>,
}

/// Where a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenPlace {
    /// Here.
    Text(Token),
    /// The first line of this file.
    File(PathBuf),
}

/// What a tunnel ends in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EndConfig {
    /// A TUN device.
    Device {
        /// Its name.
        name: String,
        /// Its addresses, and the bits of their networks; none: as its maker has set it up.
        addresses: Vec<(IpAddr, u8)>,
        /// Its largest packet; only set beside addresses.
        mtu: u64,
    },
    /// A UDP port.
    Port {
        /// What it listens at.
        listen: SocketAddr,
        /// Where what comes out goes, and what alone goes in; none: to the one that sent something there last, which
        /// is on this host.
        peer: Option<String>,
    },
}

/// Whether nobody can listen at both.
fn overlap(a: SocketAddr, b: SocketAddr) -> bool {
    // A socket of all IPv6 addresses is one of all IPv4 addresses, too.
    let holds = |a: IpAddr, b: IpAddr| a == b || (a.is_unspecified() && (a.is_ipv6() || b.is_ipv4()));
    a.port() == b.port() && a.port() != 0 && (holds(a.ip(), b.ip()) || holds(b.ip(), a.ip()))
}

/// Reads the tunnels of a configuration, of a relay that listens at `relay`.
pub(in super::super) fn read(
    teller: &mut Teller,
    tables: &[Field<'_, '_>],
    (clients, relay): (&Clients, SocketAddr),
) -> Result<Vec<TunnelConfig>> {
    let (mut found, mut names, mut ends) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for (nth, field) in tables.iter().enumerate() {
        let table = field.table("a [[tunnel]]", TUNNEL)?;
        if nth >= TUNNELS_MAX {
            return Err(table.contradiction(format!("more than {TUNNELS_MAX} tunnels")));
        }
        let tunnel = tunnel(teller, (&table, &format!("tunnel.{}", nth + 1)), clients)?;
        if !names.insert(tunnel.name.clone()) {
            return Err(table.contradiction(format!("two tunnels are called {:?}", tunnel.name)));
        }
        if let EndConfig::Port { listen, .. } = &tunnel.end
            && overlap(*listen, relay)
        {
            let problem = format!("the relay itself listens at {relay}, by relay.listen; write another port");
            return Err(table.need("listen")?.contradiction(problem));
        }
        let end = match &tunnel.end {
            EndConfig::Device { name, .. } => name.clone(),
            EndConfig::Port { listen, .. } => listen.to_string(),
        };
        if !ends.insert(end.clone()) {
            return Err(table.contradiction(format!("two tunnels end in {end}")));
        }
        found.push(tunnel);
    }
    Ok(found)
}

fn tunnel(teller: &mut Teller, at: (&Section<'_, '_>, &str), clients: &Clients) -> Result<TunnelConfig> {
    let (table, prefix) = at;
    let mut tell = |field: &Field<'_, '_>, key: &str, shown: String| {
        teller.tell(format!("{prefix}.{key}"), shown, Origin::File(field.place()));
    };
    let field = table.need("name")?;
    let name = field.text()?.to_owned();
    if name.is_empty() || name.len() > TUNNEL_NAME_MAX {
        return Err(field.wrong(format!("write 1 to {TUNNEL_NAME_MAX} bytes, the same at both relays")));
    }
    tell(&field, "name", quoted(&name));
    let side = match (table.get("to"), table.get("from")) {
        (Some(field), None) => {
            let text = field.text()?;
            let location: Location = text.parse().map_err(|why| field.wrong(format!("{why}")))?;
            tell(&field, "to", field.raw().to_owned());
            let token = match (table.get("token"), table.get("token_file")) {
                (Some(field), None) => {
                    let token = Token::new(field.text()?).map_err(|why| field.wrong(why.to_string()))?;
                    tell(&field, "token", quoted("(not shown)"));
                    Some(TokenPlace::Text(token))
                }
                (None, Some(field)) => {
                    let path = told::path(&field)?;
                    tell(&field, "token_file", quoted(path.display()));
                    Some(TokenPlace::File(path))
                }
                (None, None) => None,
                (Some(_), Some(field)) => {
                    return Err(field.contradiction("there is a token, too; write one of the two".to_owned()));
                }
            };
            Side::To(RemoteRelay { location, token })
        }
        (None, Some(field)) => {
            if let Some(token) = table.get("token").or_else(|| table.get("token_file")) {
                return Err(token.contradiction("it is for the relay that asks; list the client's hash".to_owned()));
            }
            let client = field.text()?.to_owned();
            let Some((tag, tunnels)) = clients.called(&client) else {
                let problem = format!("no [[client]] is called {client:?}, nor has one that EID; add it");
                return Err(field.contradiction(problem));
            };
            if !tunnels {
                let problem = format!("client {client:?} may have no tunnels; write tunnels = true for it");
                return Err(field.contradiction(problem));
            }
            tell(&field, "from", quoted(&client));
            Side::From { client, tag }
        }
        (Some(_), Some(field)) => {
            return Err(field.contradiction("a tunnel leads to a relay or is from one, not both".to_owned()));
        }
        (None, None) => return Err(table.missing("to or from")),
    };
    let end = match (table.get("device"), table.get("listen")) {
        (Some(field), None) => device(teller, at, &field)?,
        (None, Some(field)) => port(teller, at, &field)?,
        (Some(_), Some(field)) => {
            return Err(field.contradiction("a tunnel ends in a device or in a port, not in both".to_owned()));
        }
        (None, None) => return Err(table.missing("device or listen")),
    };
    Ok(TunnelConfig { name, side, end })
}

/// Keys that belong to the other kind of end.
fn none_of(table: &Section<'_, '_>, keys: [&'static str; 2], of: &str) -> Result<()> {
    match keys.into_iter().find_map(|key| table.get(key)) {
        Some(field) => Err(field.contradiction(format!("{} is for an end with {of}", field.key))),
        None => Ok(()),
    }
}

fn device(teller: &mut Teller, at: (&Section<'_, '_>, &str), field: &Field<'_, '_>) -> Result<EndConfig> {
    let (table, _) = at;
    none_of(table, ["peer", "listen"], "listen")?;
    let name = field.text()?.to_owned();
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let special = [".", ".."].contains(&&*name) || name.starts_with('-');
    if name.is_empty() || name.len() > DEVICE_NAME_MAX || !name.bytes().all(good) || special {
        let problem = format!("write 1 to {DEVICE_NAME_MAX} letters, digits, and -, _ or . between them");
        return Err(field.wrong(problem));
    }
    teller.value(at, "device", String::new(), |field| field.text().map(str::to_owned), |it| quoted(it))?;
    let address = |field: &Field<'_, '_>| -> Result<(IpAddr, u8)> {
        let text = field.text()?;
        let wrong = || field.wrong(format!("{text:?} is no address with its bits, like \"10.200.0.1/30\""));
        let (ip, bits) = text.split_once('/').ok_or_else(wrong)?;
        let ip: IpAddr = ip.parse().map_err(|_| wrong())?;
        let bits: u8 = bits.parse().map_err(|_| wrong())?;
        let most = if ip.is_ipv4() { 32 } else { 128 };
        if (1..=most).contains(&bits) { Ok((ip, bits)) } else { Err(wrong()) }
    };
    let addresses = |field: &Field<'_, '_>| -> Result<Vec<(IpAddr, u8)>> {
        let list = field.list()?;
        if list.len() > DEVICE_ADDRESSES_MAX {
            return Err(field.wrong(format!("write at most {DEVICE_ADDRESSES_MAX}")));
        }
        list.iter().map(address).collect()
    };
    let shown = |list: &Vec<(IpAddr, u8)>| {
        let shown: Vec<String> = list.iter().map(|(ip, bits)| quoted(format_args!("{ip}/{bits}"))).collect();
        format!("[{}]", shown.join(", "))
    };
    let addresses = teller.value(at, "addresses", Vec::new(), addresses, shown)?;
    let mtu = teller.value(at, "mtu", DEVICE_MTU, |field| field.whole(576..65_536), u64::to_string)?;
    if let Some(field) = table.get("mtu") {
        if addresses.is_empty() {
            let problem = "it is only set beside addresses; else the device is as its maker has set it up";
            return Err(field.contradiction(problem.to_owned()));
        }
        if mtu < DEVICE_MTU_MIN_IPV6 && addresses.iter().any(|(ip, _)| ip.is_ipv6()) {
            return Err(field.contradiction(format!("IPv6 needs {DEVICE_MTU_MIN_IPV6} at least")));
        }
    }
    Ok(EndConfig::Device { name, addresses, mtu })
}

fn port(teller: &mut Teller, at: (&Section<'_, '_>, &str), field: &Field<'_, '_>) -> Result<EndConfig> {
    let (table, _) = at;
    none_of(table, ["addresses", "mtu"], "a device")?;
    let listen = field.socket()?;
    teller.value(at, "listen", listen, |field| field.socket(), |it| quoted(it))?;
    let peer = |field: &Field<'_, '_>| {
        let text = field.text()?;
        let port = text.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
        match port {
            Some((host, 1..)) if !host.is_empty() => Ok(Some(text.to_owned())),
            _ => Err(field.wrong("write host:port; IPv6 addresses stand in brackets")),
        }
    };
    let shown = |peer: &Option<String>| peer.as_ref().map_or_else(|| quoted("the last sender"), quoted);
    let peer = teller.value(at, "peer", None, peer, shown)?;
    // The last sender may be anybody, and what comes out would go wherever a datagram says that it is from.
    if peer.is_none() && !listen.ip().to_canonical().is_loopback() {
        let problem =
            "others than this host reach it: write peer, which it then talks to alone, or listen at 127.0.0.1";
        return Err(at.0.need("listen")?.contradiction(problem.to_owned()));
    }
    Ok(EndConfig::Port { listen, peer })
}

impl TokenPlace {
    /// The token.
    ///
    /// # Errors
    /// If the file cannot be read, others can read it, or it holds none.
    pub fn read(&self) -> core::result::Result<Token, Failure> {
        let path = match self {
            TokenPlace::Text(token) => return Ok(token.clone()),
            TokenPlace::File(path) => path,
        };
        let what = || format!("reading the token in {}", path.display());
        let failed = |error: &io::Error| Failure::read(what(), error);
        let file = File::open(path).map_err(|error| failed(&error))?;
        let mode = open_to_others(&file.metadata().map_err(|error| failed(&error))?);
        // What systemd hands over is for the unit alone, and has a mode that does not say so.
        let credentials = std::env::var_os("CREDENTIALS_DIRECTORY").filter(|folder| path.starts_with(folder));
        if let Some(mode) = mode.filter(|_| credentials.is_none()) {
            return Err(Failure::new(Exit::Read, what(), format!("others can read it (mode {mode:03o})"))
                .or_try(format!("chmod 600 {}", path.display())));
        }
        let mut text = Zeroizing::new(String::new());
        file.take(TOKEN_FILE_MAX).read_to_string(&mut text).map_err(|error| failed(&error))?;
        let line = text.lines().next().unwrap_or_default().trim();
        Token::new(line).map_err(|why| Failure::new(Exit::Read, what(), why))
    }
}
