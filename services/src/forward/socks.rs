//! SOCKS5 as a proxy speaks it: CONNECT alone, without authentication (RFC 1928).

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use tng_wire::{Malformed, Reader};

use super::{Destination, RefusalCode};

const VERSION: u8 = 5;
/// SOCKS4 begins with this.
const SOCKS4_VERSION: u8 = 4;
/// That a SOCKS4 request is rejected.
const SOCKS4_REJECTED: [u8; 8] = [0, 0x5b, 0, 0, 0, 0, 0, 0];
const NO_AUTHENTICATION: u8 = 0;
const NO_METHOD: u8 = 0xff;
const CONNECT: u8 = 1;
const IPV4: u8 = 1;
const DOMAIN: u8 = 3;
const IPV6: u8 = 4;

/// The answer to a greeting that offers no method of ours.
const REFUSED_GREETING: [u8; 2] = [VERSION, NO_METHOD];
/// The answer to one that does.
const ACCEPTED_GREETING: [u8; 2] = [VERSION, NO_AUTHENTICATION];

const GENERAL_FAILURE: u8 = 1;
const COMMAND_NOT_SUPPORTED: u8 = 7;
const ADDRESS_NOT_SUPPORTED: u8 = 8;

/// A proxy's side of the opening of one connection.
///
/// Holds at most a greeting or a request, both below 520 bytes, and one piece of input.
#[derive(Debug, Default)]
pub struct Socks {
    /// What came and was not taken yet.
    came: Vec<u8>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    #[default]
    First,
    Greeted,
    Over,
}

/// What to do next.
#[derive(PartialEq, Eq, Debug)]
pub enum SocksStep {
    /// Read on.
    More,
    /// Write this, then ask again with no further input.
    Reply(Vec<u8>),
    /// Connect, and answer by [`Socks::granted`] or [`Socks::refused`].
    Open {
        /// Where to.
        to: Destination,
        /// What the program has sent to the destination already.
        ahead: Vec<u8>,
    },
    /// Write this and close. The program asks for what is not to be had, or speaks something else.
    Refuse(Vec<u8>),
}

impl Socks {
    /// Whether a connection whose first byte this is speaks SOCKS, of a version that is known.
    pub const fn begins_with(first: u8) -> bool {
        matches!(first, VERSION | SOCKS4_VERSION)
    }

    /// Takes what the program sent and says what to do. After [`SocksStep::Open`] and [`SocksStep::Refuse`] there is
    /// nothing to ask any more.
    pub fn take(&mut self, input: &[u8]) -> SocksStep {
        self.came.extend_from_slice(input);
        let step = match self.stage {
            Stage::First => self.greeting(),
            Stage::Greeted => self.request(),
            Stage::Over => SocksStep::Refuse(Vec::new()),
        };
        if matches!(step, SocksStep::Open { .. } | SocksStep::Refuse(_)) {
            *self = Socks { came: Vec::new(), stage: Stage::Over };
        }
        step
    }

    fn greeting(&mut self) -> SocksStep {
        match self.came.first() {
            None => SocksStep::More,
            Some(&VERSION) => match greeting(&self.came) {
                None => SocksStep::More,
                Some((_, false)) => SocksStep::Refuse(REFUSED_GREETING.to_vec()),
                Some((len, true)) => {
                    self.came.drain(..len);
                    self.stage = Stage::Greeted;
                    SocksStep::Reply(ACCEPTED_GREETING.to_vec())
                }
            },
            Some(&SOCKS4_VERSION) => SocksStep::Refuse(SOCKS4_REJECTED.to_vec()),
            Some(_) => SocksStep::Refuse(Vec::new()),
        }
    }

    fn request(&mut self) -> SocksStep {
        match request(&self.came) {
            None => SocksStep::More,
            Some((_, Err(reply))) => SocksStep::Refuse(reply),
            Some((len, Ok(to))) => SocksStep::Open { to, ahead: self.came.split_off(len) },
        }
    }

    /// What to write when the connection is there; `address` is where it leads.
    pub fn granted(address: SocketAddr) -> Vec<u8> {
        reply(0, Some(address))
    }

    /// What to write, before closing, when there will be none.
    pub fn refused(code: RefusalCode) -> Vec<u8> {
        let code = match code {
            RefusalCode::NotAllowed => 2,
            RefusalCode::Unreachable => 3,
            RefusalCode::NotFound | RefusalCode::TimedOut => 4,
            RefusalCode::ConnectionRefused => 5,
            _ => GENERAL_FAILURE,
        };
        reply(code, None)
    }
}

/// Reads a greeting: its length, and whether it offers to go without authentication. `None`: there is more to come.
fn greeting(bytes: &[u8]) -> Option<(usize, bool)> {
    let mut reader = Reader::new(bytes);
    let _version = reader.u8().ok()?;
    let count = reader.u8().ok()?;
    let methods = reader.bytes(count.into()).ok()?;
    Some((reader.position(), methods.contains(&NO_AUTHENTICATION)))
}

/// A request that was understood, or how it is answered.
type Asked = Result<Destination, Vec<u8>>;

/// Reads a request: its length and what it asks. `None`: there is more to come.
fn request(bytes: &[u8]) -> Option<(usize, Asked)> {
    let mut reader = Reader::new(bytes);
    match parse(&mut reader) {
        Ok(asked) => Some((reader.position(), asked)),
        Err(Malformed) => None,
    }
}

/// Fails only where bytes are missing.
fn parse(reader: &mut Reader<'_>) -> Result<Asked, Malformed> {
    let [version, command, _reserved, kind] = reader.array()?;
    if version != VERSION {
        return Ok(Err(reply(GENERAL_FAILURE, None)));
    }
    let host = match kind {
        IPV4 => Some(IpAddr::from(reader.array::<4>()?).to_string()),
        IPV6 => Some(IpAddr::from(reader.array::<16>()?).to_string()),
        DOMAIN => {
            let len = reader.u8()?;
            core::str::from_utf8(reader.bytes(len.into())?).ok().map(str::to_owned)
        }
        _ => return Ok(Err(reply(ADDRESS_NOT_SUPPORTED, None))),
    };
    let port = reader.u16()?;
    if command != CONNECT {
        return Ok(Err(reply(COMMAND_NOT_SUPPORTED, None)));
    }
    let destination = host.and_then(|host| Destination::new(&host, port).ok());
    Ok(destination.ok_or_else(|| reply(GENERAL_FAILURE, None)))
}

fn reply(code: u8, address: Option<SocketAddr>) -> Vec<u8> {
    let address = address.unwrap_or(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0));
    let mut out = vec![VERSION, code, 0];
    match address.ip() {
        IpAddr::V4(ip) => {
            out.push(IPV4);
            out.extend_from_slice(&ip.octets());
        }
        IpAddr::V6(ip) => {
            out.push(IPV6);
            out.extend_from_slice(&ip.octets());
        }
    }
    out.extend_from_slice(&address.port().to_be_bytes());
    out
}

#[cfg(test)]
mod tests;
