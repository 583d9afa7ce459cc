//! A connection's figures.

use core::fmt;
use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{Eid, PathCondition};
use tng_channel::ChannelStats;
use tng_congestion::RegulationStats;
use tng_isolation::Cipher;

use crate::PathId;

/// A channel's figures at one moment; a connection's are those of its best channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionStats {
    /// Packets and acknowledgments.
    pub channel: ChannelStats,
    /// Window, round-trip times, bytes in flight.
    pub regulation: RegulationStats,
    /// The smoothed round trip from end to end, whatever lies between.
    pub rtt: Duration,
    /// The smallest round trip from end to end that was measured.
    pub rtt_min: Duration,
    /// The probe timeout from end to end.
    pub pto: Duration,
    /// The path's condition.
    pub condition: PathCondition,
    /// The largest UDP payload known to pass, in bytes.
    pub payload_max: usize,
    /// What protects the packets.
    pub cipher: Cipher,
    /// Helpers that the path leads through; 0 for a direct one.
    pub helpers: usize,
}

/// The path that a connection takes, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathTaken {
    /// To the peer, with no helper between.
    Direct {
        /// The smoothed round trip.
        rtt: Duration,
    },
    /// To the peer, by a carrier: inside a TCP connection (docs/carrier.md).
    Carried {
        /// The smoothed round trip.
        rtt: Duration,
    },
    /// Through helpers.
    Helped {
        /// Who they are, in order from here.
        helpers: Vec<Eid>,
        /// The first is reached by a carrier: inside a TCP connection (docs/carrier.md).
        carried: bool,
        /// The shortest round trip to the first of them of late (five to ten minutes), and no longer than that from
        /// end to end.
        first: Duration,
        /// What the shortest round trip from end to end is longer: that of all sections behind it. The two add up to
        /// it. Smoothed ones would not: they are of other packets, and forget at another pace.
        rest: Duration,
    },
}

/// Why what a connection sends goes by way of helpers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Relayed {
    /// The application has chosen them.
    Chosen,
    /// The peer asked for them.
    ByPeer,
    /// They are there to reach the peer, and a direct way is looked for.
    Opening,
    /// No direct way opens, since the NAT before this host gives it another port for each address.
    OwnPorts,
    /// No direct way opens, since the NAT before the peer does: it was heard of elsewhere than where it was seen.
    PeersPorts,
    /// No direct way opens: nothing has come of what was sent to the peer's addresses. Each of the two NATs may be such
    /// a one, or a firewall lets nothing in.
    Unanswered,
}

impl fmt::Display for Relayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relayed::Chosen => "it was told to go this way",
            Relayed::ByPeer => "the peer asked for it",
            Relayed::Opening => "a direct way is being looked for",
            Relayed::OwnPorts => "the NAT of this host gives another port to each address",
            Relayed::PeersPorts => "the NAT of the peer gives another port to each address",
            Relayed::Unanswered => {
                "no direct way opened: a NAT gives another port to each address, or a firewall lets nothing in"
            }
        })
    }
}

/// A channel of a connection, and the path that it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathStats {
    /// Which.
    pub path: PathId,
    /// Where the peer is on it.
    pub remote: SocketAddr,
    /// The local address that it leaves from, where that is known.
    pub local: Option<IpAddr>,
    /// Its figures.
    pub stats: ConnectionStats,
}
