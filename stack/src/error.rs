//! Why a connection did not come about, and why one ended.

use core::fmt;
use core::net::SocketAddr;
use std::io;

use tng_base::{Eid, Hindrance, PeerText, Violation};
use tng_flow::BadItinerary;
use tng_isolation::wire::{PROTOCOL_LEN_MAX, SET_UP_LEN_MAX};

use crate::{PROTOCOL, ProtocolFault};

/// Why a connection attempt failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// Peer: a different host answered at the address, and proved its key.
    WrongPeer {
        /// The identity asked for.
        expected: Eid,
        /// The identity that answered.
        seen: Eid,
    },
    /// Peer: it refused.
    Refused {
        /// A code from docs/wire.md, "refusal codes".
        code: u64,
        /// Its words.
        reason: PeerText,
    },
    /// Peer: it speaks none of our versions.
    Version {
        /// The versions it speaks.
        theirs: Vec<u16>,
    },
    /// Peer: its answer breaks the protocol.
    Broken,
    /// Peer: the semantic protocol at this end rejects what came with the answer, for this reason. The peer was told.
    Rejected(Violation),
    /// Caller: the capability is longer than a set-up message holds.
    CapabilityTooLong,
    /// Caller: capability, set-up item and what the helpers on the path are told do not fit into a set-up message.
    OpeningTooLong,
    /// Caller: no address was given.
    NoAddress,
    /// Caller: the identity is not a valid public key.
    InvalidEid,
    /// Caller: the path that was asked for cannot be.
    BadPath(BadItinerary),
    /// Caller: the protocol cannot be spoken like that.
    BadProtocol(BadProtocol),
    /// Caller: the value that was to speak a registered protocol has failed.
    ProtocolFailed(ProtocolFault),
    /// Caller: the host is closing.
    Closing,
    /// The connection ended for this before it was handed out.
    Ended(Box<CloseCause>),
    /// Environment: the helpers did not help, and no other way was wanted.
    NotHelped,
    /// Environment: nobody who was asked says where the host is, for this reason.
    NotLocated(String),
    /// Environment: no answer in time.
    TimedOut,
    /// Environment: what is sent to the peer's addresses does not arrive there, as ICMP or this system says.
    Unreachable {
        /// The likeliest address.
        address: SocketAddr,
        /// What is said of it.
        why: Hindrance,
        /// Bytes of the IP packets that a set-up takes.
        needed: u32,
    },
    /// Environment: nothing was sent, since the driver handed no entropy in for the keys.
    NoEntropy,
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectError::WrongPeer { expected, seen } => {
                write!(f, "wrong peer key: expected {expected}, seen {seen}; check the address or ask for a new ticket")
            }
            ConnectError::Refused { code, reason } if reason.is_empty() => write!(f, "the peer refused (code {code})"),
            ConnectError::Refused { code, reason } => write!(f, "the peer refused: {reason} (code {code})"),
            ConnectError::Version { theirs } => {
                write!(f, "the peer speaks only protocol versions {theirs:?}; update one of the two")
            }
            ConnectError::Broken => f.write_str("the peer's answer breaks the protocol; update one of the two"),
            ConnectError::Rejected(v) => {
                let (reason, code) = (v.reason, v.code);
                write!(f, "the protocol here rejects the peer's answer: {reason} (code {code}); update one of the two")
            }
            ConnectError::CapabilityTooLong => {
                f.write_str("the capability is longer than 64 bytes; copy the ticket again")
            }
            ConnectError::OpeningTooLong => {
                f.write_str("what there is to say at the set-up does not fit into one message; use fewer helpers")
            }
            ConnectError::NoAddress => f.write_str("no address to connect to; give one, or a ticket that carries one"),
            ConnectError::InvalidEid => f.write_str("the peer's EID is not a valid public key; copy it again"),
            ConnectError::BadPath(fault) => write!(f, "no such path: {fault}"),
            ConnectError::BadProtocol(fault) => write!(f, "{fault}"),
            ConnectError::ProtocolFailed(fault) => write!(f, "{fault}"),
            ConnectError::Closing => f.write_str("this host is closing"),
            ConnectError::Ended(cause) => write!(f, "ended before it was of use: {cause}"),
            ConnectError::NotHelped => f.write_str("the helpers on the way did not help; they are asked again later"),
            ConnectError::NotLocated(why) => f.write_str(why),
            ConnectError::NoEntropy => {
                f.write_str("the system gave no random numbers for the keys; try again when it has some")
            }
            ConnectError::TimedOut => f.write_str(
                "no answer in time; check the address, that the peer runs, and that UDP passes, datagrams of 1200 \
                     bytes too",
            ),
            ConnectError::Unreachable { address, why: Hindrance::TooBig { mtu: 0 }, needed } => write!(
                f,
                "the path to {address} is too narrow: it does not pass packets of {needed} bytes (ICMP too big); raise \
                 the MTU on the way, or take another"
            ),
            ConnectError::Unreachable { address, why: Hindrance::TooBig { mtu }, needed } => write!(
                f,
                "the path to {address} is too narrow: it passes packets of {mtu} bytes, and tng needs {needed}; raise \
                 the MTU on the way, or take another"
            ),
            ConnectError::Unreachable { address, why: Hindrance::Port, .. } => write!(
                f,
                "refused: nobody listens at {address} (ICMP port unreachable); check the port, and that the peer runs"
            ),
            ConnectError::Unreachable { address, why: Hindrance::Prohibited, .. } => write!(
                f,
                "a firewall forbids what goes to {address} (ICMP prohibited); have it let UDP pass, or use a carrier"
            ),
            ConnectError::Unreachable { address, why: Hindrance::Host, .. } => write!(
                f,
                "no such host: nobody is at {address}, or there is no way to it (ICMP host unreachable); check the \
                 address"
            ),
        }
    }
}

impl core::error::Error for ConnectError {}

impl ConnectError {
    /// The kind of the [`io::Error`] that this turns into.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            ConnectError::WrongPeer { .. } => io::ErrorKind::PermissionDenied,
            ConnectError::Refused { .. } => io::ErrorKind::ConnectionRefused,
            ConnectError::Version { .. } => io::ErrorKind::Unsupported,
            ConnectError::Broken | ConnectError::Rejected(_) => io::ErrorKind::InvalidData,
            ConnectError::CapabilityTooLong
            | ConnectError::OpeningTooLong
            | ConnectError::NoAddress
            | ConnectError::InvalidEid
            | ConnectError::BadPath(_)
            | ConnectError::BadProtocol(_) => io::ErrorKind::InvalidInput,
            ConnectError::NotLocated(_) => io::ErrorKind::NotFound,
            ConnectError::Closing => io::ErrorKind::NotConnected,
            ConnectError::NotHelped | ConnectError::TimedOut => io::ErrorKind::TimedOut,
            ConnectError::Unreachable { why: Hindrance::Port, .. } => io::ErrorKind::ConnectionRefused,
            ConnectError::Unreachable { .. } => io::ErrorKind::HostUnreachable,
            ConnectError::NoEntropy | ConnectError::ProtocolFailed(_) => io::ErrorKind::Other,
            ConnectError::Ended(cause) => cause.kind(),
        }
    }
}

impl From<CloseCause> for ConnectError {
    /// Why an attempt failed whose connection is over by the time that it would be handed out.
    fn from(cause: CloseCause) -> ConnectError {
        match cause {
            CloseCause::NotConnected(error) => error,
            CloseCause::ProtocolFailed(fault) => ConnectError::ProtocolFailed(fault),
            cause => ConnectError::Ended(Box::new(cause)),
        }
    }
}

impl From<ConnectError> for io::Error {
    fn from(error: ConnectError) -> io::Error {
        io::Error::new(error.kind(), error)
    }
}

/// Why a connection ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CloseCause {
    /// This side closed it.
    Local,
    /// The peer closed it.
    Peer {
        /// Its code (docs/wire.md, "close codes").
        code: u64,
        /// Its words.
        reason: PeerText,
    },
    /// The peer has lost its state: it restarted, or has kept it for as long as it cares to.
    Reset,
    /// Nothing arrived for the idle timeout.
    Idle,
    /// ICMP said that nobody listens at the peer's address any more, and nothing came from the peer since, for
    /// [`unreachable_after`](crate::HostConfig::unreachable_after).
    Unreachable {
        /// The address.
        address: SocketAddr,
        /// What was said of it.
        why: Hindrance,
    },
    /// The peer sends packets and acknowledges none.
    Unacknowledged,
    /// The peer broke the protocol.
    Violation(Violation),
    /// The registered protocol that it speaks has failed at this end. It is not called any more.
    ProtocolFailed(ProtocolFault),
    /// The keys have reached their limit and could not be renewed.
    KeysUsedUp,
    /// Only of a channel: the streams have another, or are to have one.
    Replaced,
    /// Only of a channel: its helped path was left for this.
    Left(Sign),
    /// The peer has more connections than one peer may have, and this was the one heard of least lately.
    Crowded,
    /// The peer may not come in any more: its ticket has expired or was revoked, or it is no longer listed.
    Unwelcome,
    /// It never came about.
    NotConnected(ConnectError),
}

impl fmt::Display for CloseCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CloseCause::Local => f.write_str("closed here"),
            CloseCause::Peer { code, reason } if reason.is_empty() => write!(f, "closed by the peer (code {code})"),
            CloseCause::Peer { code, reason } => write!(f, "closed by the peer: {reason} (code {code})"),
            CloseCause::Reset => {
                f.write_str("the peer no longer knows this connection: it restarted, or waited too long; connect again")
            }
            CloseCause::Idle => f.write_str("nothing arrived for the idle timeout; the peer or the path is gone"),
            CloseCause::Unreachable { address, why: Hindrance::Port } => write!(
                f,
                "nobody listens at {address} any more (ICMP port unreachable), and nothing came from the peer since; it \
                 was killed, or its host restarted"
            ),
            CloseCause::Unreachable { address, .. } => {
                write!(f, "{address} is not reached any more (ICMP), and nothing came from the peer since")
            }
            CloseCause::Unacknowledged => f.write_str("the peer sends packets and acknowledges none; connect again"),
            CloseCause::Violation(v) => write!(f, "the peer broke the protocol: {} (code {})", v.reason, v.code),
            CloseCause::ProtocolFailed(fault) => write!(f, "{fault}"),
            CloseCause::KeysUsedUp => f.write_str("the keys have reached their limit; connect again"),
            CloseCause::Crowded => f.write_str("the peer has begun too many other connections since; use one for all"),
            CloseCause::Unwelcome => f.write_str("it may not come in any more: its ticket has expired or was revoked"),
            CloseCause::Left(sign) => write!(f, "the helped path was left: {sign}"),
            CloseCause::Replaced => f.write_str("given up for another channel"),
            CloseCause::NotConnected(error) => write!(f, "{error}"),
        }
    }
}

impl core::error::Error for CloseCause {}

impl CloseCause {
    /// The kind of the [`io::Error`] that this turns into.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            CloseCause::Local => io::ErrorKind::NotConnected,
            CloseCause::Peer { .. } => io::ErrorKind::ConnectionAborted,
            CloseCause::Reset => io::ErrorKind::ConnectionReset,
            CloseCause::Idle => io::ErrorKind::TimedOut,
            CloseCause::Unreachable { .. } => io::ErrorKind::ConnectionReset,
            CloseCause::Violation(_) | CloseCause::Unacknowledged => io::ErrorKind::InvalidData,
            CloseCause::KeysUsedUp
            | CloseCause::Replaced
            | CloseCause::Left(_)
            | CloseCause::Crowded
            | CloseCause::ProtocolFailed(_) => io::ErrorKind::Other,
            CloseCause::Unwelcome => io::ErrorKind::PermissionDenied,
            CloseCause::NotConnected(error) => error.kind(),
        }
    }
}

impl From<CloseCause> for io::Error {
    fn from(cause: CloseCause) -> io::Error {
        io::Error::new(cause.kind(), cause)
    }
}

/// What a helped path was left for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// A helper said that it helps no more, or no longer knew the flow.
    Gone,
    /// Nothing arrived at the other end.
    Silent,
    /// The first helper held packets, and nothing moved.
    Blocked,
    /// It was slower than the alternative.
    Delay,
    /// It lost more than the alternative.
    Loss,
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sign::Gone => "a helper is gone",
            Sign::Silent => "nothing arrived at the other end",
            Sign::Blocked => "nothing moved behind the first helper",
            Sign::Delay => "it was slower than the direct path",
            Sign::Loss => "it lost more than the direct path",
        })
    }
}

/// Why no further channel is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AttachError {
    /// Caller: there is no such connection, it is over, or its first exchange is not done.
    NotConnected,
    /// Caller: no address was given, and none is known.
    NoAddress,
    /// Policy: the connection has as many channels as it may.
    TooMany,
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AttachError::NotConnected => "the connection is not there; wait until it is connected, or connect again",
            AttachError::NoAddress => "no address to ask at; give one",
            AttachError::TooMany => "the connection has as many channels as it may; detach one first",
        })
    }
}

impl core::error::Error for AttachError {}

/// Why a protocol is not registered, or a connection does not begin to speak it: faults of the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BadProtocol {
    /// The name is empty.
    NoName,
    /// The name, of so many bytes, is longer than 32.
    NameTooLong(usize),
    /// The name is that of structured streams.
    BuiltIn,
    /// A protocol of this name is registered.
    Taken,
    /// The set-up item, of so many bytes, is longer than 256.
    SetUpTooLong(usize),
    /// It failed when it was asked what its set-up says.
    Failed(ProtocolFault),
}

impl fmt::Display for BadProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadProtocol::NoName => f.write_str("the protocol's name is empty; give it one"),
            BadProtocol::NameTooLong(len) => {
                write!(f, "the protocol's name has {len} bytes; choose one of at most {PROTOCOL_LEN_MAX}")
            }
            BadProtocol::BuiltIn => write!(f, "`{PROTOCOL}` is the protocol that is built in; choose another name"),
            BadProtocol::Taken => f.write_str("a protocol of this name is registered already; choose another name"),
            BadProtocol::SetUpTooLong(len) => {
                write!(f, "the protocol's set-up item has {len} bytes; at most {SET_UP_LEN_MAX} fit")
            }
            BadProtocol::Failed(fault) => write!(f, "{fault}"),
        }
    }
}

impl core::error::Error for BadProtocol {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_an_answer_was_rejected_for_is_said_of_the_answer() {
        let violation = Violation { code: 9, reason: "beyond the window" };
        let rejected = ConnectError::Rejected(violation.clone());
        assert_eq!(ConnectError::from(CloseCause::NotConnected(rejected.clone())), rejected);
        let later = ConnectError::from(CloseCause::Violation(violation.clone()));
        assert_eq!(later, ConnectError::Ended(Box::new(CloseCause::Violation(violation))));
        assert!(rejected.to_string().contains("the peer's answer"), "{rejected}");
        assert_eq!(
            later.to_string(),
            "ended before it was of use: the peer broke the protocol: beyond the window (code 9)"
        );
        assert_eq!((rejected.kind(), later.kind()), (io::ErrorKind::InvalidData, io::ErrorKind::InvalidData));
    }
}
