//! One connection: the states of RFC 9293 section 3.3.2, without a clock or a socket.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::Instant;
use tng_congestion::{Choice, Regulation, RegulationConfig};

use crate::config::{Config, MSS_MIN};
use crate::incoming::Incoming;
use crate::outgoing::Outgoing;
use crate::rto::RtoEstimator;
use crate::scoreboard::Scoreboard;
use crate::sequence::{SYN, Space};
use crate::stats::Stats;
use crate::wire::{OPTIONS_MAX, Options, SACK_BLOCKS_MAX, WINDOW_SCALE_MAX};

mod input;
mod output;
mod timers;

/// Timeouts in a row after which a connection is given up (Linux's `tcp_retries2`).
pub const RETRIES_MAX: u32 = 15;
/// Timeouts in a row after which a connection that is not established is given up (Linux's `tcp_syn_retries`).
pub const SYN_RETRIES_MAX: u32 = 6;
/// Segments acknowledged at once when a connection begins, so that the peer's window grows fast (as Linux does).
pub const QUICK_ACKS_MAX: u32 = 16;

/// Bytes of the timestamps option with its padding.
const TIMESTAMPS_LEN: usize = 12;

/// A state of RFC 9293 section 3.3.2. LISTEN belongs to the [`Host`](crate::Host).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// A SYN was sent.
    SynSent,
    /// A SYN was sent and one was received.
    SynReceived,
    /// Data flow.
    Established,
    /// This end has finished; the peer has not acknowledged that.
    FinWait1,
    /// This end has finished, and the peer knows.
    FinWait2,
    /// The peer has finished.
    CloseWait,
    /// Both have finished at the same time; the peer has not acknowledged that.
    Closing,
    /// The peer has finished, then this end; the peer has not acknowledged that.
    LastAck,
    /// Both have finished; what is still under way may arrive until then.
    TimeWait(Instant),
    /// Over.
    Closed(End),
}

/// How a connection ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Both ends have finished, and each knows.
    Finished,
    /// The peer does not listen there.
    Refused,
    /// The peer has reset the connection.
    Reset,
    /// The peer did not answer.
    TimedOut,
    /// This end has aborted.
    Aborted,
}

/// What a connection has to say to its application.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Notices {
    pub(crate) connected: bool,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    pub(crate) finished: bool,
    pub(crate) closed: bool,
}

/// What both ends have agreed on with their SYNs.
#[derive(Clone, Copy, Debug)]
struct Agreement {
    sack: bool,
    timestamps: bool,
    /// Whether windows are shifted.
    scaled: bool,
    /// Shift of the peer's windows.
    peer_shift: u8,
    /// Shift of this end's windows.
    own_shift: u8,
}

/// The peer's window.
#[derive(Clone, Copy, Debug)]
struct PeerWindow {
    /// The first number that may not be sent.
    limit: u64,
    /// The largest window so far, bytes.
    largest: u64,
    /// Number and acknowledgment of the segment that told it last (SND.WL1 and SND.WL2).
    told_by: (u64, u64),
}

/// Deadlines.
#[derive(Clone, Copy, Debug, Default)]
struct Timers {
    retransmit: Option<Instant>,
    tail_probe: Option<Instant>,
    reorder: Option<Instant>,
    persist: Option<Instant>,
    /// When the pacer releases the next batch.
    pace: Option<Instant>,
    ack: Option<Instant>,
}

/// What to send as soon as the driver asks.
#[derive(Clone, Copy, Debug, Default)]
struct Due {
    syn: bool,
    ack: bool,
    reset: bool,
    window_probe: bool,
    tail_probe: bool,
    /// The next retransmission goes out whatever the congestion window says.
    retransmission: bool,
}

/// The peer's timestamps (RFC 7323 sections 3 and 5).
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// TS.Recent, if there was one.
    recent: Option<u32>,
    /// The acknowledgment that was sent last (Last.ACK.sent).
    last_ack: u64,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) local_port: u16,
    pub(crate) remote: SocketAddr,
    /// The port that was listened at, if the peer has opened the connection.
    pub(crate) passive: bool,
    state: State,
    nagle: bool,
    delayed_ack: Duration,
    time_wait: Duration,
    /// What is offered to the peer.
    offer: Options,
    agreement: Agreement,
    /// Bytes of data in a full segment, timestamps already taken off.
    mss: u16,

    // Sending.
    space: Space,
    outgoing: Outgoing,
    scoreboard: Scoreboard,
    /// The first number that was not acknowledged.
    una: u64,
    /// The next number to send.
    next: u64,
    window: PeerWindow,
    regulation: Regulation,
    rto: RtoEstimator,
    /// Loss recovery lasts until this number is acknowledged.
    recovery: Option<u64>,
    /// A tail loss probe was sent; no other before this number is acknowledged.
    probed: Option<u64>,
    /// Timeouts in a row without progress.
    expired: u32,
    sent_at: Instant,

    // Receiving.
    peer_space: Space,
    incoming: Incoming,
    clock: Clock,
    /// The largest segment received, bytes.
    peer_mss: u64,
    /// Bytes received since the last acknowledgment.
    unacknowledged: u64,
    quick_acks: u32,
    received_at: Instant,

    timers: Timers,
    due: Due,
    pub(crate) notices: Notices,
    /// The application wrote less than it wanted.
    write_blocked: bool,
    /// The application has been told that it may read, and has not read since.
    read_told: bool,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    segments_sent: u64,
    segments_received: u64,
    retransmits: u64,
    timeouts: u64,
    probes: u64,
    received: u64,
}

impl Connection {
    /// A connection that begins with a SYN, with this controller in place of the configuration's.
    pub(crate) fn open(
        config: &Config,
        controller: &Choice,
        local_port: u16,
        remote: SocketAddr,
        initial: u32,
    ) -> Connection {
        let own_shift = (0..WINDOW_SCALE_MAX)
            .find(|shift| config.receive_buffer >> shift <= usize::from(u16::MAX))
            .unwrap_or(WINDOW_SCALE_MAX);
        let regulation = controller.regulation(RegulationConfig {
            mtu: config.mss,
            pacing: config.pacing,
            ..RegulationConfig::default()
        });
        Connection {
            local_port,
            remote,
            passive: false,
            state: State::SynSent,
            nagle: config.nagle,
            delayed_ack: config.delayed_ack,
            time_wait: config.time_wait,
            offer: Options {
                mss: Some(config.mss),
                window_scale: Some(own_shift),
                sack_permitted: config.sack,
                timestamps: config.timestamps.then_some(crate::wire::Timestamps { value: 0, echo: 0 }),
                ..Options::default()
            },
            agreement: Agreement { sack: false, timestamps: false, scaled: false, peer_shift: 0, own_shift: 0 },
            mss: config.mss,
            space: Space::new(initial),
            outgoing: Outgoing::new(SYN + 1, config.send_buffer),
            scoreboard: Scoreboard::default(),
            una: SYN,
            next: SYN,
            window: PeerWindow { limit: SYN + 1, largest: 0, told_by: (0, 0) },
            regulation,
            rto: RtoEstimator::default(),
            recovery: None,
            probed: None,
            expired: 0,
            sent_at: Instant::ZERO,
            peer_space: Space::new(0),
            incoming: Incoming::new(SYN + 1, config.receive_buffer),
            clock: Clock::default(),
            peer_mss: u64::from(MSS_MIN),
            unacknowledged: 0,
            quick_acks: QUICK_ACKS_MAX,
            received_at: Instant::ZERO,
            timers: Timers::default(),
            due: Due { syn: true, ..Due::default() },
            notices: Notices::default(),
            write_blocked: false,
            read_told: false,
            counts: Counts::default(),
        }
    }

    pub(crate) fn state(&self) -> State {
        self.state
    }

    /// Takes data to be sent; answers how much.
    pub(crate) fn write(&mut self, data: &[u8]) -> usize {
        let count = self.outgoing.write(data);
        self.write_blocked |= count < data.len();
        count
    }

    /// Bytes that may be written.
    pub(crate) fn room(&self) -> usize {
        self.outgoing.room()
    }

    /// Bytes that were written and are not acknowledged.
    pub(crate) fn unacknowledged(&self) -> usize {
        self.outgoing.held()
    }

    /// Nothing more will be written.
    pub(crate) fn finish(&mut self) {
        self.outgoing.finish();
    }

    pub(crate) fn read(&mut self, out: &mut [u8]) -> usize {
        let count = self.incoming.read(out);
        if self.incoming.readable() == 0 {
            self.read_told = false;
        }
        if count > 0 && self.is_receiving() && self.incoming.wants_update(u64::from(self.mss)) {
            self.due.ack = true;
        }
        count
    }

    /// Bytes that can be read.
    pub(crate) fn readable(&self) -> usize {
        self.incoming.readable()
    }

    /// Whether the peer has finished and everything was read.
    pub(crate) fn is_drained(&self) -> bool {
        self.incoming.is_finished() && self.incoming.readable() == 0
    }

    /// Ends at once, with a reset to the peer if it knows of the connection.
    pub(crate) fn abort(&mut self) {
        let tell = !matches!(self.state, State::SynSent | State::TimeWait(_) | State::Closed(_));
        self.close(End::Aborted);
        self.due.reset = tell;
    }

    /// Figures.
    pub(crate) fn stats(&self) -> Stats {
        let regulation = self.regulation.stats();
        let sampled = regulation.rtt.has_sample();
        Stats {
            controller: regulation.controller,
            cwnd: regulation.window,
            ssthresh: regulation.ssthresh,
            in_flight: regulation.in_flight,
            srtt: self.rto.smoothed(),
            rtt_min: if sampled { regulation.rtt.min() } else { Duration::ZERO },
            rto: self.rto.timeout(),
            acked: self.una.saturating_sub(SYN + 1).min(self.outgoing.end() - (SYN + 1)),
            received: self.counts.received,
            segments_sent: self.counts.segments_sent,
            segments_received: self.counts.segments_received,
            retransmits: self.counts.retransmits,
            timeouts: self.counts.timeouts,
            probes: self.counts.probes,
            reductions: regulation.reductions,
            undone: regulation.undone,
        }
    }

    fn close(&mut self, end: End) {
        if !matches!(self.state, State::Closed(_)) {
            self.state = State::Closed(end);
            self.timers = Timers::default();
            self.due = Due::default();
            self.notices.closed = true;
        }
    }

    /// Whether the peer may still send data.
    fn is_receiving(&self) -> bool {
        matches!(self.state, State::Established | State::FinWait1 | State::FinWait2)
    }

    /// Whether this end may have data, or its FIN, to send.
    fn is_sending(&self) -> bool {
        matches!(self.state, State::Established | State::CloseWait | State::FinWait1 | State::Closing | State::LastAck)
    }

    /// The number of this end's FIN, once it has been sent.
    fn fin_sent(&self) -> bool {
        self.outgoing.is_finished() && self.next > self.outgoing.end()
    }

    /// Both SYNs are known: what is agreed.
    fn agree(&mut self, now: Instant, peer: &Options) {
        let timestamps = self.offer.timestamps.is_some() && peer.timestamps.is_some();
        let shifts = peer.window_scale.zip(self.offer.window_scale);
        let (peer_shift, own_shift) = shifts.unwrap_or((0, 0));
        self.agreement = Agreement {
            sack: self.offer.sack_permitted && peer.sack_permitted,
            timestamps,
            scaled: shifts.is_some(),
            peer_shift,
            own_shift,
        };
        // RFC 9293 section 3.7.1: 536 where nothing is said.
        let theirs = peer.mss.unwrap_or(536).max(MSS_MIN);
        let own = self.offer.mss.unwrap_or(theirs);
        self.mss = theirs.min(own) - if timestamps { TIMESTAMPS_LEN as u16 } else { 0 };
        self.regulation.set_mtu(now, self.mss);
        // Nothing was sent: the initial window is one of segments of this size.
        self.regulation.reset_for_new_path(now);
    }

    /// Most blocks of selective acknowledgment that fit.
    fn blocks_max(&self) -> usize {
        let left = OPTIONS_MAX - if self.agreement.timestamps { TIMESTAMPS_LEN } else { 0 };
        ((left - 4) / 8).min(SACK_BLOCKS_MAX)
    }
}
