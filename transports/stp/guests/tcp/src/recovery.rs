//! What becomes of the congestion window when segments are lost (RFC 5681, 6582, 6675).

use core::marker::PhantomData;

use crate::law::{Cwnd, Law, Progress};
use crate::reordering::Reordering;
use crate::scoreboard::{DUPLICATES, Scoreboard};
use crate::undo::Undo;
use crate::variant::{Recovery, Variant};

/// Where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Nothing is lost.
    Open,
    /// Something is lost, and acknowledgments still come.
    Fast,
    /// None came for too long, or all is sent again.
    Timeout,
}

/// Bytes of the initial window at most, unless two segments have more (RFC 6928).
const INITIAL_MAX: u64 = 14_600;

/// Bytes that may be on their way.
#[derive(Clone, Debug)]
pub struct Window<V: Variant> {
    phase: Phase,
    cwnd: Cwnd,
    law: V::Law,
    duplicates: usize,
    /// What duplicates say has left the network, without saying which: the inflation of RFC 6582's window.
    inflation: u64,
    /// Recovery ends when all before this is acknowledged.
    recover: u64,
    /// The next segment to be sent again leaves whatever the window says.
    urgent: bool,
    undo: Undo,
    reordering: Reordering,
    variant: PhantomData<V>,
}

impl<V: Variant> Default for Window<V> {
    fn default() -> Window<V> {
        Window::new()
    }
}

impl<V: Variant> Window<V> {
    /// One that lets nothing leave before [`restart`](Window::restart).
    pub fn new() -> Window<V> {
        Window {
            phase: Phase::Open,
            cwnd: Cwnd { bytes: 0, threshold: u64::MAX, mss: 1, counted: 0 },
            law: V::Law::default(),
            duplicates: 0,
            inflation: 0,
            recover: 0,
            urgent: false,
            undo: Undo::default(),
            reordering: Reordering::default(),
            variant: PhantomData,
        }
    }

    /// Bodies have so many bytes.
    pub fn set_mss(&mut self, mss: u32) {
        self.cwnd.mss = u64::from(mss);
    }

    /// The path is a new one.
    pub fn restart(&mut self) {
        let mss = self.cwnd.mss;
        let bytes = (V::IS.initial_segments * mss).min(INITIAL_MAX.max(2 * mss));
        self.cwnd = Cwnd { bytes, threshold: u64::MAX, mss, counted: 0 };
        self.law = V::Law::default();
    }

    /// Bytes that may be on their way.
    pub fn bytes(&self) -> u64 {
        self.cwnd.bytes
    }

    /// Whether nothing is lost.
    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    fn pipe(&self, board: &Scoreboard) -> u64 {
        board.pipe().saturating_sub(self.inflation)
    }

    /// Whether a new segment may leave.
    pub fn lets_new(&self, board: &Scoreboard, len: u64) -> bool {
        let pipe = self.pipe(board);
        pipe + len <= self.cwnd.bytes || pipe == 0
    }

    /// Whether a lost segment may leave again.
    pub fn lets_again(&self, board: &Scoreboard, len: u32) -> bool {
        self.urgent || self.lets_new(board, u64::from(len))
    }

    /// One has.
    pub fn handle_sent_again(&mut self, now: u64) {
        self.urgent = false;
        self.undo.handle_sent_again(now);
    }

    /// Something was acknowledged, when so many bytes were in flight. `echo`: when the segment had left that it
    /// answers, if the peer says so.
    pub fn handle_progress(&mut self, board: &mut Scoreboard, progress: &Progress, flight: u64, echo: Option<u32>) {
        if V::IS.learns_reordering && self.phase == Phase::Open && self.duplicates > 0 {
            // The hole was filled, and nothing was sent again.
            self.reordering.handle(self.duplicates);
        }
        self.undo.handle_filled(self.duplicates);
        self.duplicates = 0;
        self.law.measure(&mut self.cwnd, progress);
        if V::IS.undoes_by_time && self.phase != Phase::Open && self.undo.is_spurious(echo) {
            self.undo(board);
        }
        if self.phase != Phase::Open && board.una() >= self.recover {
            return self.recovered(board);
        }
        let (acked, mss) = (progress.acked, self.cwnd.mss);
        match self.phase {
            Phase::Open => {
                self.inflation = 0;
                self.grow(acked, flight, 2 * mss);
                self.judge(board);
            }
            Phase::Fast if V::IS.recovery.is_selective() => {
                self.find(board);
            }
            Phase::Fast if V::IS.recovery == Recovery::Reno => {
                self.recover = board.una();
                self.recovered(board);
            }
            Phase::Fast => {
                // A partial acknowledgment: what follows it is lost, too.
                self.inflation = self.inflation.saturating_sub(acked);
                if acked >= mss {
                    self.inflation += mss;
                }
                board.lose_first();
                self.urgent = true;
            }
            Phase::Timeout => self.grow(acked, flight, mss),
        }
    }

    fn recovered(&mut self, board: &Scoreboard) {
        let mss = self.cwnd.mss;
        if self.phase == Phase::Fast {
            self.cwnd.bytes = self.cwnd.threshold.min(board.flight().max(mss) + mss).max(2 * mss);
        }
        (self.phase, self.inflation, self.urgent) = (Phase::Open, 0, false);
    }

    /// What the sender does not use does not grow.
    fn grow(&mut self, acked: u64, flight: u64, step_max: u64) {
        if 2 * flight >= self.cwnd.bytes {
            self.law.grow(&mut self.cwnd, acked, step_max, V::IS.byte_counting);
        }
    }

    /// An acknowledgment says nothing new but that segments arrive. `gap`: one did that does not follow; `sacked`: so
    /// many bytes of such are news.
    pub fn handle_duplicate(&mut self, board: &mut Scoreboard, gap: bool, sacked: u64) {
        let selective = V::IS.recovery.is_selective();
        match selective {
            false if gap => self.duplicates += 1,
            true if sacked > 0 => self.duplicates += 1,
            _ => return,
        }
        self.law.handle_duplicate(&self.cwnd);
        if !selective && self.phase != Phase::Timeout {
            // Until the third this is limited transmit (RFC 3042), and behind it fast recovery.
            let mss = self.cwnd.mss;
            let step = match (V::IS.limited_transmit || self.phase == Phase::Fast, self.duplicates == DUPLICATES) {
                (true, _) => mss,
                (false, true) if V::IS.recovery != Recovery::Tahoe => DUPLICATES as u64 * mss,
                _ => 0,
            };
            self.inflation = (self.inflation + step).min(board.flight());
        }
        self.judge(board);
    }

    /// Something came twice that begins there.
    pub fn handle_twice(&mut self, board: &mut Scoreboard, from: u64) {
        if !V::IS.undoes_duplicates {
            return;
        }
        if V::IS.learns_reordering {
            self.reordering.handle(self.undo.extent());
        }
        if self.undo.handle_twice(from) {
            self.undo(board);
        }
    }

    /// What was thought lost was not.
    fn undo(&mut self, board: &mut Scoreboard) {
        if let Some((bytes, threshold)) = self.undo.take() {
            (self.cwnd.bytes, self.cwnd.threshold) = (self.cwnd.bytes.max(bytes), threshold);
            board.lose_nothing();
            (self.phase, self.inflation, self.urgent) = (Phase::Open, 0, false);
            (self.recover, self.duplicates) = (board.una(), 0);
        }
    }

    fn duplicates_wanted(&self) -> usize {
        if V::IS.learns_reordering { self.reordering.duplicates() } else { DUPLICATES }
    }

    fn find(&mut self, board: &mut Scoreboard) -> bool {
        let forward = V::IS.recovery == Recovery::Fack;
        // Once something is, all is lost in front of the furthest that came.
        let duplicates = if forward && self.phase == Phase::Fast { 1 } else { self.duplicates_wanted() };
        board.judge(duplicates, forward)
    }

    /// Looks for a loss that begins a recovery, or belongs to the one there is.
    fn judge(&mut self, board: &mut Scoreboard) {
        let found = V::IS.recovery.is_selective() && self.find(board);
        let begins = self.phase == Phase::Open
            && board.una() >= self.recover
            && board.flight() > 0
            && (found || self.duplicates >= self.duplicates_wanted());
        if !begins {
            return;
        }
        let extent = self.duplicates;
        if V::IS.recovery == Recovery::Tahoe {
            return self.slow_start(board, true, extent);
        }
        board.lose_first();
        self.reduce(board, extent);
        self.cwnd.bytes = self.cwnd.threshold;
        (self.phase, self.urgent) = (Phase::Fast, true);
        if V::IS.recovery == Recovery::Fack {
            self.find(board);
        }
    }

    /// Nothing came for too long. `first`: since something did.
    pub fn handle_timeout(&mut self, board: &mut Scoreboard, first: bool) {
        if V::IS.learns_reordering {
            self.reordering.handle_timeout();
        }
        let extent = self.duplicates;
        self.slow_start(board, first, extent);
    }

    fn slow_start(&mut self, board: &mut Scoreboard, reduces: bool, extent: usize) {
        if reduces {
            self.reduce(board, extent);
        }
        board.lose_all();
        self.recover = board.end();
        self.cwnd.bytes = self.cwnd.mss;
        (self.phase, self.duplicates, self.inflation, self.urgent) = (Phase::Timeout, 0, 0, false);
    }

    fn reduce(&mut self, board: &Scoreboard, extent: usize) {
        self.undo.begin(&self.cwnd, board.una(), extent);
        self.cwnd.threshold = self.law.threshold(&self.cwnd, board.flight());
        (self.recover, self.cwnd.counted) = (board.end(), 0);
    }
}
