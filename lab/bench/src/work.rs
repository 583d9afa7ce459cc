//! The works: what every peer is made to do.

use std::collections::BTreeMap;

use clap::{Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

/// Who does the work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeerName {
    /// This project's library, with default settings.
    Tng,
    /// The same, every connection from a host of its own, with a key that the server has not met. Making that host
    /// counts as the client's.
    TngStrangers,
    /// The same, with keys that are renewed after 65,536 packets.
    TngRenewing,
    /// The same, by requests of one call and a service that answers them.
    TngRequests,
    /// QUIC: quinn, rustls with aws-lc-rs, certificates.
    Quinn,
    /// The same, with the server's raw public key in place of a certificate (RFC 7250).
    QuinnRpk,
    /// The same, every connection resumed by a ticket of one before.
    QuinnResumed,
    /// TLS 1.3 over the kernel's TCP.
    Tls,
    /// UDP with segmentation offload, one copy, AES-128-GCM, and no protocol.
    Floor,
}

impl PeerName {
    /// All, in the order of the tables.
    pub const ALL: [PeerName; 9] = [
        PeerName::Tng,
        PeerName::TngStrangers,
        PeerName::TngRenewing,
        PeerName::TngRequests,
        PeerName::Quinn,
        PeerName::QuinnRpk,
        PeerName::QuinnResumed,
        PeerName::Tls,
        PeerName::Floor,
    ];

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            PeerName::Tng => "tng",
            PeerName::TngStrangers => "tng-strangers",
            PeerName::TngRenewing => "tng-renewing",
            PeerName::TngRequests => "tng-requests",
            PeerName::Quinn => "quinn",
            PeerName::QuinnRpk => "quinn-rpk",
            PeerName::QuinnResumed => "quinn-resumed",
            PeerName::Tls => "tls",
            PeerName::Floor => "floor",
        }
    }

    /// Whether it has what the work is about.
    pub fn can(self, work: &Work) -> bool {
        if matches!(self, PeerName::TngStrangers | PeerName::QuinnRpk | PeerName::QuinnResumed) {
            // They differ from tng and quinn in how they connect, and in nothing else.
            return matches!(work, Work::Handshakes { .. });
        }
        if self == PeerName::TngRenewing {
            return matches!(work, Work::Bulk { .. });
        }
        if self == PeerName::TngRequests {
            return matches!(work, Work::Rr { .. });
        }
        match work {
            Work::Bulk { .. } | Work::Rr { .. } => true,
            Work::Handshakes { .. } | Work::Idle { .. } => self != PeerName::Floor,
            Work::Streams { .. } => matches!(self, PeerName::Tng | PeerName::Quinn),
        }
    }
}

/// Which packets a peer may send.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mtu {
    /// At most so many bytes of UDP payload.
    Bytes(u16),
    /// What the peer is fastest with on loopback.
    Best,
}

impl Mtu {
    fn parse(text: &str) -> Result<Mtu, String> {
        match (text, text.parse()) {
            ("best", _) => Ok(Mtu::Best),
            (_, Ok(bytes @ 1_200..=65_507)) => Ok(Mtu::Bytes(bytes)),
            _ => Err("neither `best` nor from 1200 to 65507".into()),
        }
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        Some((at, 'g' | 'G')) => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    let number = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit)).filter(|&n| n > 0);
    number.ok_or_else(|| "not a number of bytes; try 500M or 2G".into())
}

/// One work.
#[derive(Clone, PartialEq, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// One stream from the client to the server
    Bulk {
        /// How much a round carries: a number of bytes, or with k, M, G
        #[arg(long, default_value = "2G", value_parser = bytes)]
        bytes: u64,
        /// The largest UDP payload, in bytes; `best`: what each peer is fastest with on loopback
        #[arg(long, default_value = "1472", value_parser = Mtu::parse)]
        mtu: Mtu,
    },
    /// Requests and answers of the same size, every request on a new stream
    Rr {
        /// Bytes of a request, and of its answer
        #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=16 << 20))]
        size: u64,
        /// Requests under way at once
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
        concurrency: u64,
        /// How long a round takes, in seconds
        #[arg(long, default_value_t = 2.0)]
        seconds: f64,
    },
    /// Connections made and closed again
    Handshakes {
        /// How many, in a round
        #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=20_000))]
        count: u64,
        /// How many at once
        #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=64))]
        concurrency: u64,
    },
    /// The server's memory for a connection that is idle
    Idle {
        /// How many there are
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=20_000))]
        connections: u64,
    },
    /// The server's memory for a stream that is idle
    Streams {
        /// How many there are, on one connection
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
        count: u64,
    },
}

impl Work {
    /// Bytes of the answer to a request of `len` bytes.
    pub fn answer(&self, len: u64) -> u64 {
        match self {
            Work::Rr { .. } => len,
            _ => 8,
        }
    }

    /// Bytes that a server makes room for, where it reads a request into a buffer.
    pub fn read_max(&self) -> usize {
        match self {
            Work::Rr { size, .. } => usize::try_from(*size).unwrap_or(usize::MAX),
            _ => usize::MAX,
        }
    }

    /// The largest UDP payload; 1,472 bytes unless the work says otherwise.
    pub fn mtu(&self) -> Mtu {
        match self {
            Work::Bulk { mtu, .. } => *mtu,
            _ => Mtu::Bytes(1_472),
        }
    }
}

/// What a server tells its client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// Where it listens.
    pub addr: std::net::SocketAddr,
    /// By what its client is to know it, of those with TLS.
    pub proof: Option<Proof>,
    /// Its ticket, of tng.
    pub ticket: String,
}

/// How a server proves who it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// With this certificate.
    Certificate(Vec<u8>),
    /// With this raw public key, a SubjectPublicKeyInfo.
    RawKey(Vec<u8>),
    /// With this certificate once, and then with a ticket that it gave on the connection before.
    Ticket(Vec<u8>),
}

/// What a client measured, by name.
pub type Measured = BTreeMap<String, f64>;

/// How a peer was set up: settings that differ from a default, and what was negotiated.
pub type Settings = BTreeMap<String, String>;
