//! The congestion window, and what becomes of it when segments are lost (RFC 5681, 6582, 6675).

use crate::scoreboard::{DUPLICATES, Scoreboard};

/// How losses are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// By duplicates, and after the first by what an acknowledgment leaves open (RFC 6582).
    NewReno,
    /// By what the peer says that it has (RFC 6675).
    Sack,
}

/// Where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Nothing is lost.
    Open,
    /// Something is lost, and acknowledgments still come.
    Fast,
    /// None came for too long.
    Timeout,
}

/// Segments of the initial window (RFC 6928).
const INITIAL_SEGMENTS: u64 = 10;
/// Bytes of it at most, unless two segments have more.
const INITIAL_MAX: u64 = 14_600;

/// Bytes that may be on their way.
#[derive(Clone, Debug)]
pub struct Window {
    recovery: Recovery,
    phase: Phase,
    mss: u64,
    cwnd: u64,
    ssthresh: u64,
    /// Bytes acknowledged towards the next segment of congestion avoidance.
    counted: u64,
    duplicates: usize,
    /// What duplicates say has left the network, without saying which: the inflation of RFC 6582's window.
    inflation: u64,
    /// Recovery ends when all before this is acknowledged.
    recover: u64,
    /// The next segment to be sent again leaves whatever the window says.
    urgent: bool,
}

impl Window {
    /// One that lets nothing leave before [`restart`](Window::restart).
    pub fn new(recovery: Recovery) -> Window {
        Window {
            recovery,
            phase: Phase::Open,
            mss: 1,
            cwnd: 0,
            ssthresh: u64::MAX,
            counted: 0,
            duplicates: 0,
            inflation: 0,
            recover: 0,
            urgent: false,
        }
    }

    /// Bodies have so many bytes.
    pub fn set_mss(&mut self, mss: u32) {
        self.mss = u64::from(mss);
    }

    /// The path is a new one.
    pub fn restart(&mut self) {
        self.cwnd = (INITIAL_SEGMENTS * self.mss).min(INITIAL_MAX.max(2 * self.mss));
        (self.ssthresh, self.counted) = (u64::MAX, 0);
    }

    fn pipe(&self, board: &Scoreboard) -> u64 {
        board.pipe().saturating_sub(self.inflation)
    }

    /// Whether a new segment may leave.
    pub fn lets_new(&self, board: &Scoreboard, len: u64) -> bool {
        let pipe = self.pipe(board);
        pipe + len <= self.cwnd || pipe == 0
    }

    /// Whether a lost segment may leave again.
    pub fn lets_again(&self, board: &Scoreboard, len: u32) -> bool {
        self.urgent || self.lets_new(board, u64::from(len))
    }

    /// One has.
    pub fn handle_sent_again(&mut self) {
        self.urgent = false;
    }

    /// Bytes were newly acknowledged, when so many were in flight.
    pub fn handle_progress(&mut self, board: &mut Scoreboard, acked: u64, flight: u64) {
        self.duplicates = 0;
        if self.phase != Phase::Open && board.una() >= self.recover {
            if self.phase == Phase::Fast {
                self.cwnd = self.ssthresh.min(board.flight().max(self.mss) + self.mss).max(2 * self.mss);
            }
            (self.phase, self.inflation, self.urgent) = (Phase::Open, 0, false);
            return;
        }
        match self.phase {
            Phase::Open => {
                self.inflation = 0;
                self.grow(acked, flight, 2 * self.mss);
                self.judge(board);
            }
            Phase::Fast if self.recovery == Recovery::Sack => {
                board.judge();
            }
            Phase::Fast => {
                // A partial acknowledgment: what follows it is lost, too.
                self.inflation = self.inflation.saturating_sub(acked);
                if acked >= self.mss {
                    self.inflation += self.mss;
                }
                board.lose_first();
                self.urgent = true;
            }
            Phase::Timeout => self.grow(acked, flight, self.mss),
        }
    }

    /// Slow start, or congestion avoidance, by bytes (RFC 3465). What the sender does not use does not grow.
    fn grow(&mut self, acked: u64, flight: u64, step_max: u64) {
        if 2 * flight < self.cwnd {
            return;
        }
        if self.cwnd < self.ssthresh {
            self.cwnd += acked.min(step_max);
            return;
        }
        self.counted += acked;
        if self.counted >= self.cwnd {
            self.counted -= self.cwnd;
            self.cwnd += self.mss;
        }
    }

    /// An acknowledgment says nothing new but that segments arrive. `gap`: one did that does not follow; `sacked`: so
    /// many bytes of such are news.
    pub fn handle_duplicate(&mut self, board: &mut Scoreboard, gap: bool, sacked: u64) {
        match self.recovery {
            Recovery::NewReno if gap => self.duplicates += 1,
            Recovery::Sack if sacked > 0 => self.duplicates += 1,
            _ => return,
        }
        if self.recovery == Recovery::NewReno && self.phase != Phase::Timeout {
            // Until the third this is limited transmit (RFC 3042).
            self.inflation = (self.inflation + self.mss).min(board.flight());
        }
        self.judge(board);
    }

    /// Looks for a loss that begins a recovery, or belongs to the one there is.
    fn judge(&mut self, board: &mut Scoreboard) {
        let found = self.recovery == Recovery::Sack && board.judge();
        let begins = self.phase == Phase::Open
            && board.una() >= self.recover
            && board.flight() > 0
            && (found || self.duplicates >= DUPLICATES);
        if begins {
            board.lose_first();
            self.reduce(board);
            self.cwnd = self.ssthresh;
            (self.phase, self.urgent) = (Phase::Fast, true);
        }
    }

    /// Nothing came for too long. `first`: since something did.
    pub fn handle_timeout(&mut self, board: &mut Scoreboard, first: bool) {
        if first {
            self.reduce(board);
        }
        board.lose_all();
        self.recover = board.end();
        self.cwnd = self.mss;
        (self.phase, self.duplicates, self.inflation, self.urgent) = (Phase::Timeout, 0, 0, false);
    }

    fn reduce(&mut self, board: &Scoreboard) {
        self.ssthresh = (board.flight() / 2).max(2 * self.mss);
        (self.recover, self.counted) = (board.end(), 0);
    }
}
