//! SOCKS5 as a proxy speaks it: CONNECT alone, without authentication (RFC 1928).

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use tng_wire::{Malformed, Reader};

use super::{Destination, RefusalCode};

pub(super) const VERSION: u8 = 5;
const NO_AUTHENTICATION: u8 = 0;
const NO_METHOD: u8 = 0xff;
const CONNECT: u8 = 1;
const IPV4: u8 = 1;
const DOMAIN: u8 = 3;
const IPV6: u8 = 4;

/// The answer to a greeting that offers no method of ours.
pub(super) const REFUSED_GREETING: [u8; 2] = [VERSION, NO_METHOD];
/// The answer to one that does.
pub(super) const ACCEPTED_GREETING: [u8; 2] = [VERSION, NO_AUTHENTICATION];

const GENERAL_FAILURE: u8 = 1;
const COMMAND_NOT_SUPPORTED: u8 = 7;
const ADDRESS_NOT_SUPPORTED: u8 = 8;

/// Reads a greeting: its length, and whether it offers to go without authentication. `None`: there is more to come.
pub(super) fn greeting(bytes: &[u8]) -> Option<(usize, bool)> {
    let mut reader = Reader::new(bytes);
    let _version = reader.u8().ok()?;
    let count = reader.u8().ok()?;
    let methods = reader.bytes(count.into()).ok()?;
    Some((reader.position(), methods.contains(&NO_AUTHENTICATION)))
}

/// A request that was understood, or how it is answered.
pub(super) type Asked = Result<Destination, Vec<u8>>;

/// Reads a request: its length and what it asks. `None`: there is more to come.
pub(super) fn request(bytes: &[u8]) -> Option<(usize, Asked)> {
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

/// That the connection is there; `address` is where it leads.
pub(super) fn granted(address: SocketAddr) -> Vec<u8> {
    reply(0, Some(address))
}

/// That it is not.
pub(super) fn refused(code: RefusalCode) -> Vec<u8> {
    let code = match code {
        RefusalCode::NotAllowed => 2,
        RefusalCode::Unreachable => 3,
        RefusalCode::NotFound | RefusalCode::TimedOut => 4,
        RefusalCode::ConnectionRefused => 5,
        _ => GENERAL_FAILURE,
    };
    reply(code, None)
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
