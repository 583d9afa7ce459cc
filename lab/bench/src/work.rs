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
    /// The same by a carrier: inside TLS 1.3 over the kernel's TCP (docs/carrier.md).
    TngCarried,
    /// The same, by requests of one call and a service that answers them.
    TngRequests,
    /// The same as these, by endpoints that stay awake after a packet.
    TngBusy,
    /// The same library by a guest: NewReno as a module in the sandbox, behind the policer.
    TngGuest,
    /// The same guest, compiled in, behind the policer.
    TngPoliced,
    /// The same without the policer.
    TngUnpoliced,
    /// What such a guest stands beside: streams, with the library's own NewReno.
    TngNewreno,
    /// The same library's server that keeps nothing of its clients, and their clients.
    TngTrickles,
    /// QUIC: quinn, rustls with aws-lc-rs, certificates.
    Quinn,
    /// The same, with the server's raw public key in place of a certificate (RFC 7250).
    QuinnRpk,
    /// The same, every connection resumed by a ticket of one before.
    QuinnResumed,
    /// QUIC: s2n-quic, with the same rustls and certificates.
    S2n,
    /// TLS 1.3 over the kernel's TCP.
    Tls,
    /// UDP with segmentation offload, one copy, AES-128-GCM, and no protocol.
    Floor,
    /// The same, asking for packets without a pause in place of waiting for them.
    FloorSpin,
    /// The same, sent with `MSG_ZEROCOPY`.
    FloorZerocopy,
    /// The same through io_uring: multishot receive into provided buffers, send.
    FloorUring,
    /// The same through io_uring, with zero-copy send.
    FloorUringZerocopy,
    /// The floor between two network namespaces, over a veth pair. Needs root.
    FloorVeth,
    /// UDP in batches: a server that answers each request with as many datagrams as it is asked for.
    Echo,
    /// The same; the answers to requests that come together from one client leave together.
    EchoGathered,
    /// Between two hosts of this project: its relay.
    Relay,
    /// Between the same two: a process that passes UDP datagrams on, and reads nothing of them.
    Forward,
    /// Between two ends of TLS over TCP: haproxy in TCP mode.
    Split,
}

impl PeerName {
    /// Those that a work is measured with where nobody is named, in the order of the tables.
    pub const USUAL: [PeerName; 22] = [
        PeerName::Tng,
        PeerName::TngStrangers,
        PeerName::TngRenewing,
        PeerName::TngRequests,
        PeerName::TngBusy,
        PeerName::TngGuest,
        PeerName::TngPoliced,
        PeerName::TngUnpoliced,
        PeerName::TngNewreno,
        PeerName::TngTrickles,
        PeerName::Quinn,
        PeerName::QuinnRpk,
        PeerName::QuinnResumed,
        PeerName::S2n,
        PeerName::Tls,
        PeerName::Floor,
        PeerName::FloorSpin,
        PeerName::Echo,
        PeerName::EchoGathered,
        PeerName::Relay,
        PeerName::Forward,
        PeerName::Split,
    ];

    /// The floor in all variants, that to compare with first.
    pub const FLOORS: [PeerName; 6] = [
        PeerName::Floor,
        PeerName::FloorSpin,
        PeerName::FloorZerocopy,
        PeerName::FloorUring,
        PeerName::FloorUringZerocopy,
        PeerName::FloorVeth,
    ];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            PeerName::Tng => "tng",
            PeerName::TngStrangers => "tng-strangers",
            PeerName::TngRenewing => "tng-renewing",
            PeerName::TngCarried => "tng-carried",
            PeerName::TngRequests => "tng-requests",
            PeerName::TngBusy => "tng-busy",
            PeerName::TngGuest => "tng-guest",
            PeerName::TngPoliced => "tng-policed",
            PeerName::TngUnpoliced => "tng-unpoliced",
            PeerName::TngNewreno => "tng-newreno",
            PeerName::TngTrickles => "tng-trickles",
            PeerName::Quinn => "quinn",
            PeerName::QuinnRpk => "quinn-rpk",
            PeerName::QuinnResumed => "quinn-resumed",
            PeerName::S2n => "s2n",
            PeerName::Tls => "tls",
            PeerName::Floor => "floor",
            PeerName::FloorSpin => "floor-spin",
            PeerName::FloorZerocopy => "floor-zerocopy",
            PeerName::FloorUring => "floor-uring",
            PeerName::FloorUringZerocopy => "floor-uring-zerocopy",
            PeerName::FloorVeth => "floor-veth",
            PeerName::Echo => "echo",
            PeerName::EchoGathered => "echo-gathered",
            PeerName::Relay => "relay",
            PeerName::Forward => "forward",
            PeerName::Split => "split",
        }
    }

    /// Who plays client and server: another one, where the peer is what stands between them.
    pub const fn ends(self) -> PeerName {
        match self {
            PeerName::Relay | PeerName::Forward => PeerName::Tng,
            PeerName::Split => PeerName::Tls,
            peer => peer,
        }
    }

    /// Whether it is what stands between client and server.
    pub fn is_between(self) -> bool {
        self.ends() != self
    }

    /// Whether it is this project's, in whatever variant.
    pub fn is_tng(self) -> bool {
        self.name().starts_with("tng")
    }

    /// Whether its transport is a guest.
    pub const fn is_guest(self) -> bool {
        matches!(self, PeerName::TngGuest | PeerName::TngPoliced | PeerName::TngUnpoliced)
    }

    /// Whether it does nothing but to answer with datagrams.
    pub const fn is_echo(self) -> bool {
        matches!(self, PeerName::Echo | PeerName::EchoGathered)
    }

    /// Whether it is the floor, in whatever variant.
    pub fn is_floor(self) -> bool {
        PeerName::FLOORS.contains(&self)
    }

    /// Whether its ends are in network namespaces of their own.
    pub const fn is_apart(self) -> bool {
        matches!(self, PeerName::FloorVeth)
    }

    /// Whether it takes part where nobody is named.
    pub fn is_usual(self, work: &Work) -> bool {
        // Of those that do not wait only the latency says something.
        !matches!(self, PeerName::FloorSpin | PeerName::TngBusy) || matches!(work, Work::Rr { concurrency: 1, .. })
    }

    /// Whether it has what the work is about.
    pub fn can(self, work: &Work) -> bool {
        match self {
            PeerName::Relay | PeerName::Forward | PeerName::Split => matches!(work, Work::Relay { .. }),
            PeerName::Quinn => !matches!(work, Work::Guest { .. } | Work::Relay { .. } | Work::Downloads { .. }),
            PeerName::Tng | PeerName::S2n => PeerName::Quinn.can(work) && !matches!(work, Work::Stateless { .. }),
            PeerName::TngTrickles => matches!(work, Work::Stateless { .. } | Work::Downloads { .. }),
            PeerName::Echo | PeerName::EchoGathered => matches!(work, Work::Stateless { size: None, .. }),
            PeerName::TngGuest | PeerName::TngPoliced | PeerName::TngUnpoliced | PeerName::TngNewreno => {
                matches!(work, Work::Guest { .. })
            }
            // They differ from tng and quinn in how they connect, and in nothing else.
            PeerName::TngStrangers | PeerName::QuinnRpk | PeerName::QuinnResumed => {
                matches!(work, Work::Handshakes { .. })
            }
            PeerName::TngRenewing => matches!(work, Work::Bulk { .. }),
            PeerName::TngCarried => matches!(work, Work::Bulk { .. } | Work::Rr { .. }),
            PeerName::TngRequests => matches!(work, Work::Rr { .. } | Work::Many { .. }),
            PeerName::TngBusy => matches!(work, Work::Rr { .. }),
            PeerName::Tls => matches!(
                work,
                Work::Bulk { .. }
                    | Work::Rr { .. }
                    | Work::Handshakes { .. }
                    | Work::Idle { .. }
                    | Work::Stateless { .. }
            ),
            PeerName::Floor
            | PeerName::FloorSpin
            | PeerName::FloorZerocopy
            | PeerName::FloorUring
            | PeerName::FloorUringZerocopy
            | PeerName::FloorVeth => matches!(work, Work::Bulk { .. } | Work::Rr { .. }),
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

/// A number of bytes, or with k, M, G.
pub fn bytes(text: &str) -> Result<u64, String> {
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
    /// One stream from the client to the server, by a transport that is a guest: in the sandbox, compiled in behind the
    /// policer, and without it
    Guest {
        /// How much a round carries: a number of bytes, or with k, M, G
        #[arg(long, default_value = "1G", value_parser = bytes)]
        bytes: u64,
        /// The largest UDP payload, in bytes
        #[arg(long, default_value_t = 1_472, value_parser = clap::value_parser!(u16).range(1_200..=16_384))]
        mtu: u16,
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
    /// What a request costs while most connections are idle
    Many {
        /// How many connections there are
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=20_000))]
        connections: u64,
        /// Requests of 32 bytes under way at once, on as many of the connections as there are for it
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000))]
        active: u64,
        /// How long a round takes, in seconds
        #[arg(long, default_value_t = 2.0)]
        seconds: f64,
    },
    /// One stream on each of several connections, to a server of so many threads. Nothing is pinned
    Cores {
        /// The server's threads
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=64))]
        threads: u64,
        /// Connections, each from a socket of its own
        #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=256))]
        connections: u64,
        /// How much all of them carry in a round: a number of bytes, or with k, M, G
        #[arg(long, default_value = "2G", value_parser = bytes)]
        bytes: u64,
    },
    /// What it costs to pass flows on: streams through a relay between client and server, beside a plain forwarder of
    /// datagrams, and haproxy between two TCP connections
    Relay {
        /// Flows that there are, each a connection that has carried something
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=20_000))]
        flows: u64,
        /// Flows at most on which a stream goes from client to server; the others are idle
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=256))]
        active: u64,
        /// How much all of them carry in a round: a number of bytes, or with k, M, G
        #[arg(long, default_value = "2G", value_parser = bytes)]
        bytes: u64,
        /// The largest UDP payload, in bytes
        #[arg(long, default_value_t = 1_472, value_parser = clap::value_parser!(u16).range(1_200..=16_384))]
        mtu: u16,
    },
    /// Downloads by several clients at once, each from a socket of its own, and what they cost their server
    Stateless {
        /// Clients at once
        #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1_000))]
        clients: u64,
        /// Small objects of so many bytes, each on a fresh connection, in place of one large one for each client
        #[arg(long, value_parser = bytes)]
        size: Option<u64>,
        /// How many of them, in a round
        #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
        count: u64,
        /// How much all clients fetch in a round, where objects are large: a number of bytes, or with k, M, G
        #[arg(long, default_value = "2G", value_parser = bytes)]
        bytes: u64,
        /// Datagrams with which `echo` answers a request: as many as `tng-trickles` does, by its `requests_per_packet`
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=44))]
        granted: u64,
    },
    /// The server's memory for clients that are in the middle of a download
    Downloads {
        /// How many there are
        #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
        clients: u64,
    },
}

/// Bytes of a request in [`Work::Stateless`], and of what a client asks for in [`Work::Downloads`].
pub const ASKING_LEN: u64 = 8;

/// Bytes of an object in [`Work::Downloads`].
pub const DOWNLOAD_LEN: u64 = 1_000_000;

/// Bytes of a request in [`Work::Many`], and of its answer.
pub const MANY_SIZE: u64 = 32;

impl Work {
    /// Datagrams that answer a request to an echo.
    pub fn granted(&self) -> u64 {
        match self {
            Work::Stateless { granted, .. } => *granted,
            _ => 1,
        }
    }

    /// Every work, in the sizes of docs/performance.md, or so small that it says nothing about speed.
    pub fn all(small: bool) -> Vec<Work> {
        let bytes = if small { 3_000_000 } else { 2_000_000_000 };
        let (seconds, count) = if small { (0.1, 20) } else { (2.0, 2_000) };
        let rr = |size, concurrency| Work::Rr { size, concurrency, seconds };
        let many = |connections| Work::Many { connections, active: 100, seconds };
        let cores = |threads| Work::Cores { threads, connections: 8, bytes };
        let mut all = vec![
            Work::Bulk { bytes, mtu: Mtu::Bytes(1_472) },
            Work::Bulk { bytes, mtu: Mtu::Best },
            rr(32, 1),
            rr(32, 64),
            rr(65_536, 64),
            Work::Handshakes { count, concurrency: 8 },
            Work::Idle { connections: count / 2 },
            Work::Streams { count: count / 2 },
            Work::Guest { bytes: bytes / 2, mtu: 1_472 },
            Work::Relay { flows: 10, active: 10, bytes, mtu: 1_472 },
            Work::Stateless { clients: 64, size: None, count: 0, bytes, granted: 2 },
            Work::Stateless {
                clients: 64,
                size: Some(1_000),
                count: if small { count } else { 5_000 },
                bytes: 0,
                granted: 2,
            },
            Work::Downloads { clients: if small { count } else { 100_000 } },
        ];
        all.extend([10, 100, 1_000, 10_000].into_iter().filter(|&n| !small || n <= 100).map(many));
        all.extend([1, 2, 4, 8].map(cores));
        all
    }

    /// Bytes of the answer to a request of `len` bytes.
    pub fn answer(&self, len: u64) -> u64 {
        match self {
            Work::Rr { .. } | Work::Many { .. } => len,
            Work::Stateless { clients, size, bytes, .. } => size.unwrap_or_else(|| bytes.div_ceil(*clients)),
            Work::Downloads { .. } => DOWNLOAD_LEN,
            _ => 8,
        }
    }

    /// Bytes that a server makes room for, where it reads a request into a buffer.
    pub fn read_max(&self) -> usize {
        match self {
            Work::Rr { size, .. } => usize::try_from(*size).unwrap_or(usize::MAX),
            Work::Many { .. } => MANY_SIZE as usize,
            _ => usize::MAX,
        }
    }

    /// How many threads a server has.
    pub fn threads(&self) -> usize {
        match self {
            Work::Cores { threads, .. } => usize::try_from(*threads).unwrap_or(1),
            _ => 1,
        }
    }

    /// How many of a client's connections, the first ones, are each from a socket of its own.
    pub fn sockets_of_one(&self) -> u64 {
        match self {
            Work::Cores { connections, .. } => *connections,
            Work::Relay { flows, active, .. } => *flows.min(active),
            Work::Stateless { clients, size: None, .. } => *clients,
            _ => 0,
        }
    }

    /// Flows that are passed on.
    pub fn flows(&self) -> u64 {
        if let Work::Relay { flows, .. } = self { *flows } else { 0 }
    }

    /// The same work without its idle flows, if it has some.
    pub fn without_idle(&self) -> Option<Work> {
        match *self {
            Work::Relay { flows, active, bytes, mtu } if active < flows => {
                Some(Work::Relay { flows: active, active, bytes, mtu })
            }
            _ => None,
        }
    }

    /// Whether each side stays on one processor.
    pub const fn is_pinned(&self) -> bool {
        !matches!(self, Work::Cores { .. })
    }

    /// The largest UDP payload; 1,472 bytes unless the work says otherwise.
    pub fn mtu(&self) -> Mtu {
        match self {
            Work::Bulk { mtu, .. } => *mtu,
            Work::Guest { mtu, .. } | Work::Relay { mtu, .. } => Mtu::Bytes(*mtu),
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
    /// The relay that leads there.
    pub relay: Option<Through>,
}

/// A relay, and what lets a client use it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Through {
    /// Where it is.
    pub addr: std::net::SocketAddr,
    /// Who it is.
    pub eid: String,
    /// What to show.
    pub shown: Vec<u8>,
    /// The key that goes with it.
    pub key: Vec<u8>,
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
