//! What a client is told, and what it tells.

use core::time::Duration;

#[cfg(feature = "keys")]
use tng_isolation::InitiateError;

use super::objects::{ObjectError, ObjectId};
use super::reordering::LATER_PACKETS_MIN;
use crate::DIFFICULTY_MAX;
#[cfg(feature = "keys")]
use crate::set_up::DialError;
use crate::wire::DATAGRAM_LEN_MIN;

/// Settings of a client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The largest datagrams that it takes and sends, 1,200 bytes at least.
    pub datagram_len: usize,
    /// How long it waits for the first REPLY.
    pub set_up_timeout: Duration,
    /// How long it goes on asking servers that answered once and do not any more.
    pub silence_max: Duration,
    /// The hardest puzzle that it solves, in bits.
    pub puzzle_bits_max: u8,
    /// Whether requests go out twice when many of them seem to be lost.
    pub repeats_requests: bool,
    /// Whether it learns how much packets overtake each other.
    pub learns_reordering: bool,
    /// So many later packets make a packet lost where it does not; as where it does, time decides late if they are
    /// more than [`LATER_PACKETS_MIN`].
    pub reordering_packets: u64,
    /// Whether its servers leave out of continuations what it foresees
    /// ([`ServerConfig::delta_encoding`](crate::server::ServerConfig)): packets have more room then, and it asks for
    /// as much.
    pub delta_encoding: bool,
    /// Whether it leaves out what seals requests, responses and continuations, as its servers do
    /// ([`ServerConfig::danger_plain`](crate::server::ServerConfig)): an attacker with access to the wire reads and
    /// changes all. A server that was not told so, too, refuses it.
    pub danger_plain: bool,
}

impl Default for ClientConfig {
    fn default() -> ClientConfig {
        ClientConfig {
            datagram_len: DATAGRAM_LEN_MIN,
            set_up_timeout: Duration::from_secs(10),
            silence_max: Duration::from_secs(60),
            puzzle_bits_max: DIFFICULTY_MAX - 2,
            repeats_requests: true,
            learns_reordering: true,
            reordering_packets: LATER_PACKETS_MIN,
            delta_encoding: true,
            danger_plain: false,
        }
    }
}

/// What a client tells its application.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// There is a connection; again, if servers have not answered for long.
    Connected,
    /// Bytes of an object can be read.
    Readable(ObjectId),
    /// All that was wanted of an object came.
    Finished(ObjectId),
    /// An object does not come.
    Failed(ObjectId, ObjectError),
    /// The client has ended.
    #[cfg(feature = "keys")]
    Ended(ClientError),
}

/// Why a client ends.
#[cfg(feature = "keys")]
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ClientError {
    /// The application has closed it.
    #[error("the client was closed")]
    Closed,
    /// No server grants a connection.
    #[error(transparent)]
    Dial(#[from] DialError),
    /// Application: what it says in the set-up is no key, or too long.
    #[error("what is said in the set-up is no key of a server, or too long: {0:?}")]
    Call(InitiateError),
    /// Environment: servers that have answered do not any more.
    #[error("the servers have not answered for long; check the network, and that one of them runs")]
    Silence,
}

/// What a client has done and seen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ClientStats {
    /// Connections that it has had.
    pub connections: u64,
    /// The window as it is now, in packets.
    pub window: u64,
    /// The round-trip time, smoothed.
    pub rtt: Duration,
    /// The shortest that was measured on the present connection.
    pub rtt_min: Duration,
    /// Requests that it has sent.
    pub requests: u64,
    /// Requests that it has sent a second time.
    pub repeated: u64,
    /// Packets that came.
    pub packets: u64,
    /// Bytes of objects that came, each once, whether those before them are there or not.
    pub bytes: u64,
    /// Packets that were taken for lost.
    pub lost: u64,
    /// Packets that came after they were told lost.
    pub late: u64,
    /// Losses that cut the window.
    pub cuts: u64,
    /// Cuts that were taken back.
    pub cuts_taken_back: u64,
    /// Timeouts that it has asked for.
    pub timeouts: u64,
    /// Lines that were begun after one.
    pub timeouts_granted: u64,
    /// Share of requests that seem to be lost.
    pub reverse_loss: f64,
    /// So many later packets make a packet lost.
    pub reordering_packets: u64,
}
