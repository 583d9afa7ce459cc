//! Settings of a host.

use core::fmt;
use core::time::Duration;

use tng_congestion::Choice;

/// Largest segment on an Ethernet path: 1,500 bytes less the IPv4 and the TCP header.
pub const MSS_DEFAULT: u16 = 1_460;
/// Smallest maximum segment size that is taken from a peer or a configuration (RFC 9293 section 3.7.1 has 536 as the
/// default; options take up to 40 bytes of it).
pub const MSS_MIN: u16 = 88;
/// Bytes that an application may write ahead of what is acknowledged, unless it is configured otherwise (the most that
/// Linux's autotuning gives).
pub const SEND_BUFFER_DEFAULT: usize = 4 << 20;
/// Bytes received and not read, unless it is configured otherwise (the most that Linux's autotuning gives).
pub const RECEIVE_BUFFER_DEFAULT: usize = 6 << 20;
/// Largest buffer of either kind: the largest window that can be told (RFC 7323 section 2.2).
pub const BUFFER_MAX: usize = 1 << 30;
/// How long a closed connection lingers so that nothing of it reaches a later one: two maximum segment lifetimes, of 30
/// s each as in Linux.
pub const TIME_WAIT: Duration = Duration::from_secs(60);
/// How long an acknowledgment waits for company.
pub const DELAYED_ACK: Duration = Duration::from_millis(40);

/// What all connections of a host have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Bytes of data and options in one segment, as announced to peers.
    pub mss: u16,
    /// Congestion controller.
    pub controller: Choice,
    /// Whether segments are spread over the round trip, as they are under Linux's `fq`: at twice the window per round
    /// trip in slow start, else at five quarters of it. Off, the window alone decides, as with Linux's default queue.
    pub pacing: bool,
    /// Whether less than a full segment waits while anything is unacknowledged (RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// Whether selective acknowledgments are offered (RFC 2018).
    pub sack: bool,
    /// Whether timestamps are offered (RFC 7323).
    pub timestamps: bool,
    /// Bytes that may be written ahead of what is acknowledged.
    pub send_buffer: usize,
    /// Bytes received and not read.
    pub receive_buffer: usize,
    /// How long an acknowledgment waits for company; zero: every segment is acknowledged at once.
    pub delayed_ack: Duration,
    /// Time in TIME-WAIT.
    pub time_wait: Duration,
    /// Initial sequence number of every connection; drawn at random if `None`.
    pub initial_sequence: Option<u32>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            mss: MSS_DEFAULT,
            controller: Choice::default(),
            pacing: false,
            nagle: false,
            sack: true,
            timestamps: true,
            send_buffer: SEND_BUFFER_DEFAULT,
            receive_buffer: RECEIVE_BUFFER_DEFAULT,
            delayed_ack: DELAYED_ACK,
            time_wait: TIME_WAIT,
            initial_sequence: None,
        }
    }
}

impl Config {
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.mss < MSS_MIN {
            return Err(ConfigError::Mss(self.mss));
        }
        for bytes in [self.send_buffer, self.receive_buffer] {
            if !(1..=BUFFER_MAX).contains(&bytes) {
                return Err(ConfigError::Buffer(bytes));
            }
        }
        Ok(())
    }
}

/// Why a configuration is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigError {
    /// A maximum segment size below [`MSS_MIN`].
    Mss(u16),
    /// A buffer of no bytes, or of more than [`BUFFER_MAX`].
    Buffer(usize),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Mss(mss) => write!(f, "segments of {mss} bytes are too small; use at least {MSS_MIN}"),
            ConfigError::Buffer(bytes) => write!(f, "a buffer cannot have {bytes} bytes; use 1 to {BUFFER_MAX}"),
        }
    }
}

impl core::error::Error for ConfigError {}
