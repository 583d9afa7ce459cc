//! What has happened, as C programs see it (Trickles 3.1 and 3.2).

use core::ptr;
use std::net::IpAddr;

use tng_trickles::minisocket::{Asked, Client, Event as Happened};

/// A client has set up a connection. What it asks for at once stands in the event; it is answered like a request,
/// also if it asks for nothing: the answer is what lets it in.
pub const MSK_OPEN: u32 = 1;
/// A client asks for something.
pub const MSK_REQUEST: u32 = 2;
/// A client will not ask for more. A hint: many go without one. What stands in the event may be answered or not.
pub const MSK_CLOSE: u32 = 3;
/// Of a client: it has a connection; again, if servers have not answered for long.
pub const MSK_CONNECTED: u32 = 4;
/// Of a client: msk_recv has bytes of an object.
pub const MSK_READABLE: u32 = 5;
/// Of a client: all of an object has come.
pub const MSK_FINISHED: u32 = 6;
/// Of a client: an object does not come; msk_recv says why.
pub const MSK_FAILED: u32 = 7;
/// Of a client: it has ended, and nothing comes any more; msk_recv says why.
pub const MSK_ENDED: u32 = 8;

/// Part of what asks for an object has come.
pub const MSK_PUT: u32 = 1;
/// Bytes of an object are wanted.
pub const MSK_WANT: u32 = 2;

/// One thing that a client asks for. What it points at is good until its minisocket is answered, dropped or extracted,
/// and no longer than until the next msk_poll unless that is detached.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// MSK_PUT or MSK_WANT.
    pub kind: u32,
    /// Of MSK_PUT: nothing more follows of what asks for the object.
    pub is_end: u32,
    /// The object, as the client calls it.
    pub object: u64,
    /// MSK_WANT: the place in the client's row where the wanted bytes begin. MSK_PUT: where what is reserved for the
    /// object begins.
    pub start: u64,
    /// Where they end. Wanted bytes are cut to those that may be sent, if nothing else is told.
    pub end: u64,
    /// MSK_WANT: the place from which on the state is good.
    pub valid_start: u64,
    /// MSK_WANT: and up to where.
    pub valid_end: u64,
    /// MSK_PUT: how much of what asks for the object has been taken before.
    pub offset: u64,
    /// What the program has sealed; NULL if it was nothing yet.
    pub state: *const u8,
    /// Its length in bytes.
    pub state_len: usize,
    /// MSK_PUT: the part.
    pub data: *const u8,
    /// Its length in bytes.
    pub data_len: usize,
}

impl Ask {
    const NONE: Ask = Ask {
        kind: 0,
        is_end: 0,
        object: 0,
        start: 0,
        end: 0,
        valid_start: 0,
        valid_end: 0,
        offset: 0,
        state: ptr::null(),
        state_len: 0,
        data: ptr::null(),
        data_len: 0,
    };

    /// Adds what a client asks for, a wanted range after the other. Answers whether it was that it asks for no more.
    pub fn add(asked: &Asked<'_>, asks: &mut Vec<Ask>) -> bool {
        match asked {
            Asked::Put { object, state, offset, is_end, reserved, data } => asks.push(Ask {
                kind: MSK_PUT,
                is_end: u32::from(*is_end),
                object: *object,
                start: reserved.start,
                end: reserved.end,
                offset: *offset,
                state: state.map_or(ptr::null(), <[u8]>::as_ptr),
                state_len: state.map_or(0, <[u8]>::len),
                data: data.as_ptr(),
                data_len: data.len(),
                ..Ask::NONE
            }),
            Asked::Want { object, state, valid, ranges } => asks.extend(ranges.iter().map(|range| Ask {
                kind: MSK_WANT,
                object: *object,
                start: range.start,
                end: range.end,
                valid_start: valid.start,
                valid_end: valid.end,
                state: state.as_ptr(),
                state_len: state.len(),
                ..Ask::NONE
            })),
            Asked::Close => return true,
            Asked::Bad { .. } => {}
        }
        false
    }
}

/// Something that has happened.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// MSK_OPEN to MSK_ENDED.
    pub kind: u32,
    /// The client's port.
    pub port: u16,
    /// Of a server: who asks, to be answered; 0 in events of a client.
    pub msk: u64,
    /// Of a client: which of its objects, 0 if none.
    pub object: u64,
    /// The connection's id.
    pub connection: [u8; 16],
    /// MSK_OPEN: the client's key, proven.
    pub peer: [u8; 32],
    /// The client's IPv6 address, or its IPv4 address mapped into one.
    pub address: [u8; 16],
    /// The smoothed round-trip time, in us.
    pub rtt_us: u64,
    /// Bytes that may be told in the answer: of objects, and what is told about them.
    pub room: usize,
    /// What is asked for.
    pub asks: *const Ask,
    /// How many things that are.
    pub asks_len: usize,
}

impl Event {
    const NONE: Event = Event {
        kind: 0,
        port: 0,
        msk: 0,
        object: 0,
        connection: [0; 16],
        peer: [0; 32],
        address: [0; 16],
        rtt_us: 0,
        room: 0,
        asks: ptr::null(),
        asks_len: 0,
    };

    /// A client asks.
    pub fn of_server(client: &Client, msk: u64, asks: &[Ask], room: usize, closes: bool) -> Event {
        let address = match client.remote.ip() {
            IpAddr::V4(v4) => v4.to_ipv6_mapped(),
            IpAddr::V6(v6) => v6,
        };
        let (kind, peer) = match client.event {
            Happened::Open { peer } => (MSK_OPEN, *peer.as_bytes()),
            Happened::Request => (if closes { MSK_CLOSE } else { MSK_REQUEST }, [0; 32]),
        };
        Event {
            kind,
            port: client.remote.port(),
            msk,
            connection: client.id.0,
            peer,
            address: address.octets(),
            rtt_us: u64::try_from(client.rtt.time().as_micros()).unwrap_or(u64::MAX),
            room,
            asks: asks.as_ptr(),
            asks_len: asks.len(),
            ..Event::NONE
        }
    }

    /// Something has become of a client, or of one of its objects.
    pub const fn of_client(kind: u32, object: u64) -> Event {
        Event { kind, object, ..Event::NONE }
    }
}
