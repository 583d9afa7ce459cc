//! Whether the path carries ECN marks to the peer and the peer reports them (RFC 9000 section 13.4.2). The peer leaves
//! its counts out where we can foresee them (`docs/wire.md` section 3.1).

use tng_base::Ecn;

use crate::wire::EcnCounts;

/// Probes unanswered while nothing marked has ever been acknowledged: the path may drop marked packets.
const PROBES_BLACKHOLE: u32 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Testing,
    Capable,
    Failed,
}

/// The sending side of ECN on one path.
#[derive(Debug)]
pub struct EcnSender {
    verdict: Verdict,
    /// Packets sent with ECT(0).
    sent: u64,
    /// What the peer reported last.
    counts: EcnCounts,
    /// Acknowledged since then without counts: they arrived with ECT(0).
    foreseen: u64,
    /// The peer's newest packet with an acknowledgment block: older ones say nothing new of marks.
    newest: u64,
    /// Routers marked packets, and nobody was told yet.
    marked: bool,
}

/// What an acknowledgment said of marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EcnReport {
    /// Nothing new.
    Nothing,
    /// Routers marked packets.
    Marked,
    /// The counts are impossible: marks do not survive this path, or the peer lies. Nothing is marked any more.
    Failed,
}

impl EcnSender {
    /// Marking, until it is shown not to work; or never.
    pub fn new(enabled: bool) -> EcnSender {
        let verdict = if enabled { Verdict::Testing } else { Verdict::Failed };
        EcnSender { verdict, sent: 0, counts: EcnCounts::default(), foreseen: 0, newest: 0, marked: false }
    }

    /// Another path: it is tested anew. The peer's counts go on.
    pub fn handle_path(&mut self, enabled: bool) {
        self.verdict = if enabled { Verdict::Testing } else { Verdict::Failed };
    }

    /// The codepoint for the next packet.
    pub fn codepoint(&self) -> Ecn {
        if self.verdict == Verdict::Failed { Ecn::NotEct } else { Ecn::Ect0 }
    }

    /// Whether marks are known to reach the peer, and to be reported.
    pub fn is_capable(&self) -> bool {
        self.verdict == Verdict::Capable
    }

    /// So many packets left with `codepoint`.
    pub fn handle_sent(&mut self, codepoint: Ecn, packets: usize) {
        self.sent += packets as u64 * u64::from(codepoint == Ecn::Ect0);
    }

    /// The peer's packet `number` acknowledged for the first time `newly` packets sent with ECT(0), those of an
    /// acknowledgment that raised the largest acknowledged number, and reported `counts`, if we cannot foresee them.
    pub fn handle_ack(&mut self, number: u64, newly: u64, counts: Option<EcnCounts>) -> EcnReport {
        if number < self.newest {
            return EcnReport::Nothing;
        }
        self.newest = number;
        let before = self.counts;
        let expected = self.foreseen + newly;
        match counts {
            Some(now) => (self.counts, self.foreseen) = (now, 0),
            None => self.foreseen = expected,
        }
        if self.verdict == Verdict::Failed {
            return EcnReport::Nothing;
        }
        let now = self.counts;
        let risen = now.ect0.checked_sub(before.ect0).zip(now.ce.checked_sub(before.ce));
        let plausible = match (counts, risen) {
            (Some(_), Some((ect0, ce))) => {
                ect0.saturating_add(ce) >= expected && now.ect0.saturating_add(now.ce) <= self.sent && now.ect1 == 0
            }
            (Some(_), None) => false,
            // Where nothing ever had a mark, none is foreseen.
            (None, _) => newly == 0 || !now.is_zero(),
        };
        if !plausible {
            return self.fail();
        }
        if newly > 0 {
            self.verdict = Verdict::Capable;
        }
        if now.ce > before.ce {
            self.marked = true;
            return EcnReport::Marked;
        }
        EcnReport::Nothing
    }

    /// Whether routers marked packets since this was asked.
    pub fn take_marked(&mut self) -> bool {
        core::mem::take(&mut self.marked)
    }

    /// `unanswered` probes went out; answers whether marking ends with that.
    pub fn handle_probe(&mut self, unanswered: u32) -> bool {
        self.verdict == Verdict::Testing && unanswered >= PROBES_BLACKHOLE && self.fail() == EcnReport::Failed
    }

    fn fail(&mut self) -> EcnReport {
        self.verdict = Verdict::Failed;
        EcnReport::Failed
    }
}
