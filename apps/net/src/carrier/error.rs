//! What becomes of carriers.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use tng_endpoint::Garbage;

/// Why a carrier is over, or did not come about. Nothing above ends by it: connections go another way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CarrierError {
    // The network
    /// The other end cannot be reached by TCP.
    #[error("no TCP connection: {0}; does the peer listen there, and does the network let it pass?")]
    Unreachable(#[source] io::Error),
    /// The TCP connection broke.
    #[error("the TCP connection broke: {0}")]
    Broken(#[source] io::Error),

    // The other end, or a proxy between
    /// The TLS handshake failed.
    #[error("the TLS handshake failed: {0}; a proxy on the way may have broken in")]
    Handshake(#[source] io::Error),
    /// What answers by TLS does not speak the protocol of carriers.
    #[error("what answers by TLS is no carrier: another server has the port, or a proxy on the way broke in")]
    NotCarrier,
    /// The other end has sent what is no frame.
    #[error("{0}; the other end is broken, or a proxy on the way writes into the stream")]
    Garbage(#[from] Garbage),
    /// The handshake was not over in time.
    #[error("the handshake was not over within {within_ms} ms")]
    HandshakeTooSlow {
        /// What it had.
        within_ms: u64,
    },
    /// A frame that had begun did not come whole in time, or none came at first.
    #[error("no whole frame came within {within_ms} ms")]
    FrameTooSlow {
        /// What it had.
        within_ms: u64,
    },
    /// The TCP connection has taken nothing for long.
    #[error("it took nothing for {for_ms} ms: it hangs")]
    Hangs {
        /// How long.
        for_ms: u64,
    },

    // Nobody
    /// Nothing came for long: it is of no use any more.
    #[error("nothing came for {for_ms} ms")]
    Idle {
        /// How long.
        for_ms: u64,
    },
    /// The other end closed it.
    #[error("the other end closed it")]
    Closed,
    /// This end did.
    #[error("this end closed it")]
    Local,
}

impl CarrierError {
    /// Whether that is how carriers end.
    pub(super) const fn is_farewell(&self) -> bool {
        matches!(self, CarrierError::Idle { .. } | CarrierError::Closed | CarrierError::Local)
    }
}

/// Why an endpoint cannot listen for carriers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CarrierListenError {
    /// The address is not to be had.
    #[error("no TCP at {addr}: {source}; ports below 1024 need a privilege (CAP_NET_BIND_SERVICE)")]
    Address {
        /// Which.
        addr: SocketAddr,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A certificate, or its key, cannot be read.
    #[error("{file} is no certificate or key in PEM: {reason}", file = file.display())]
    Certificate {
        /// Where it is.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The certificate and the key are none for TLS, or not of each other.
    #[error("the certificate serves no TLS: {0}")]
    Tls(String),
}
