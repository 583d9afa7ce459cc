//! The bytes of requests and responses (docs/wire.md).
//!
//! A request spends one continuation and asks for what the packets that it releases are to carry. A response is one of
//! these packets. Both are sealed whole, but for what says how to open them; or not at all ([`Armor`]).

mod armor;
mod ask;
mod request;
mod response;
mod tell;

use core::ops::Range;

use tng_wire::{Full, Malformed, Reader, VARINT_MAX, Writer};

use crate::seal_len::BLAKE3_TAG_LEN;

pub use armor::Armor;
pub use ask::{Ask, Ranges};
pub use request::{Demand, Kind, RequestHeader};
pub use response::{Denial, Given, ResponseHeader};
pub use tell::{Fault, Tell};

/// First byte of the first message of a set-up.
#[cfg(feature = "keys")]
pub const INIT: u8 = tng_isolation::Family::Trickles.first_byte(tng_isolation::wire::INIT);
/// First byte of a request.
pub const REQUEST: u8 = 0xa8;
/// First byte of a response.
pub const RESPONSE: u8 = 0xa9;
/// What tells datagrams that are not sealed.
const PLAIN_BIT: u8 = 2;
#[cfg(feature = "keys")]
const _: () = assert!(PLAIN_BIT == tng_endpoint::PLAIN_BIT);
/// First byte of a request that is not sealed.
pub const PLAIN_REQUEST: u8 = REQUEST | PLAIN_BIT;
/// First byte of a response that is not sealed.
pub const PLAIN_RESPONSE: u8 = RESPONSE | PLAIN_BIT;
/// The smallest limit that a client may set to the datagrams that it takes.
pub const DATAGRAM_LEN_MIN: usize = 1_200;
/// The largest datagrams that either sends.
pub const DATAGRAM_LEN_MAX: usize = 9_000;
/// Items of one request that a server looks at, at most: what comes behind them is dropped.
pub const ITEMS_PER_REQUEST_MAX: usize = 16;
/// Solutions of puzzles among them that a server verifies, at most: two hashes each.
pub const SOLUTIONS_PER_REQUEST_MAX: usize = 2;
/// Most ranges that one item asks for.
pub const RANGES_MAX: usize = 32;
/// Count of a request that there was none of: of what follows a REPLY unasked.
pub const UNASKED: u32 = u32::MAX;
/// Most bytes of what an application keeps with a client.
pub const STATE_LEN_MAX: usize = 512;
/// Most bytes of it with what stands around it.
pub const SEALED_STATE_LEN_MAX: usize = 1 + 1 + 2 + 3 * 8 + STATE_LEN_MAX + BLAKE3_TAG_LEN;
/// Most bytes of what a fault says.
pub const FAULT_LEN_MAX: usize = 255;

/// Part of a connection's bytes. What a server tells a client has its place in one row, below 2^62, objects side by
/// side: the client reserves a part for each (paper, figure 14).
pub type Bytes = Range<u64>;

fn read_bytes(reader: &mut Reader<'_>) -> Result<Bytes, Malformed> {
    let (start, len) = (reader.varint()?, reader.varint()?);
    let end = start.checked_add(len).filter(|end| *end <= VARINT_MAX).ok_or(Malformed)?;
    if len == 0 { Err(Malformed) } else { Ok(start..end) }
}

fn write_bytes(bytes: &Bytes, writer: &mut Writer<'_>) -> Result<(), Full> {
    writer.varint(bytes.start)?;
    writer.varint(bytes.end - bytes.start)
}

/// Writes an item whole, or nothing of it.
fn whole<'a>(writer: &mut Writer<'a>, write: impl FnOnce(&mut Writer<'a>) -> Result<(), Full>) -> Result<(), Full> {
    let position = writer.position();
    write(writer).inspect_err(|_| writer.rewind(position))
}

#[cfg(test)]
mod tests;
