//! A reference TCP for virtual time: what the suite is compared with in the lab, made to behave as Linux's does.
//!
//! A [`Host`] is a [`Machine`](tng_base::Machine): it listens, connects, and carries its connections' segments, which
//! are real TCP segments (RFC 9293) with the options MSS, window scale, SACK and timestamps, each the payload of one
//! datagram of its driver.
//!
//! Where the documents leave a choice, Linux's is taken, because measurements on Linux are what the lab compares with:
//!
//! * loss recovery: RACK with tail loss probes (RFC 8985), which Linux uses in place of RFC 6675; both find several
//!   holes in one round trip, but after reordering, lost retransmissions and lost tails they behave differently, and
//!   then Linux's figures are RACK's;
//! * retransmission timeouts: RFC 6298 with a minimum of 200 ms, taken for the variation's term; backoff to 120 s;
//! * acknowledgments: the first 16 at once, then for more than one full segment, else after 40 ms;
//! * timestamps tell a late original from its retransmission (Eifel, RFC 3522), and a needless reduction is taken back;
//! * windows: the initial one is ten segments, it decays while idle (RFC 2861), and grows only while it is the limit;
//! * pacing and Nagle's algorithm are off unless asked for.
//!
//! ```
//! use core::net::{IpAddr, SocketAddr};
//! use tng_base::{Instant, Rng};
//! use tng_tcp::{Config, Host};
//!
//! let address: IpAddr = "10.0.0.1".parse().unwrap();
//! let mut host = Host::new(address, Config::default(), Rng::from_u64(1)).unwrap();
//! host.listen(80).unwrap();
//! let id = host.connect(Instant::ZERO, SocketAddr::new("10.0.0.2".parse().unwrap(), 80)).unwrap();
//! assert_eq!(host.write(id, b"GET / HTTP/1.0\r\n\r\n").unwrap(), 18);
//! host.finish(id).unwrap();
//! ```
#![forbid(unsafe_code)]

mod config;
mod connection;
mod host;
mod incoming;
mod outgoing;
mod rto;
mod scoreboard;
mod sequence;
mod stats;
pub mod wire;

pub use config::{
    BUFFER_MAX, Config, ConfigError, DELAYED_ACK, MSS_DEFAULT, MSS_MIN, RECEIVE_BUFFER_DEFAULT, SEND_BUFFER_DEFAULT,
    TIME_WAIT,
};
pub use connection::{End, QUICK_ACKS_MAX, RETRIES_MAX, SYN_RETRIES_MAX, State};
pub use host::{
    BACKLOG_MAX, CONNECTIONS_MAX, ConnectError, ConnectionId, EPHEMERAL_PORT_MIN, Event, Gone, Host, ListenError, News,
    RESETS_MAX,
};
pub use incoming::RANGES_MAX;
pub use rto::{RTO_INITIAL, RTO_MAX, RTO_MIN, RtoEstimator};
pub use scoreboard::{DUPLICATE_THRESHOLD, REORDER_DIVISOR, REORDER_ROUNDS};
pub use stats::Stats;
