//! Whether the path carries ECN marks to the peer and the peer reports them (RFC 9000 section 13.4.2).

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
        EcnSender { verdict, sent: 0, counts: EcnCounts::default() }
    }

    /// Another path: it is tested anew. The peer's counts go on.
    pub fn handle_path(&mut self, enabled: bool) {
        self.verdict = if enabled { Verdict::Testing } else { Verdict::Failed };
    }

    /// The codepoint for the next packet.
    pub fn codepoint(&self) -> Ecn {
        if self.verdict == Verdict::Failed { Ecn::NotEct } else { Ecn::Ect0 }
    }

    /// So many packets left with `codepoint`.
    pub fn handle_sent(&mut self, codepoint: Ecn, packets: usize) {
        self.sent += packets as u64 * u64::from(codepoint == Ecn::Ect0);
    }

    /// An acknowledgment raised the largest acknowledged number, for the first time acknowledged `newly` packets sent
    /// with ECT(0), and reported `counts`.
    pub fn handle_ack(&mut self, newly: u64, counts: Option<EcnCounts>) -> EcnReport {
        if self.verdict == Verdict::Failed {
            return EcnReport::Nothing;
        }
        let Some(now) = counts else {
            return if newly > 0 { self.fail() } else { EcnReport::Nothing };
        };
        let before = core::mem::replace(&mut self.counts, now);
        let (Some(ect0), Some(ce)) = (now.ect0.checked_sub(before.ect0), now.ce.checked_sub(before.ce)) else {
            return self.fail();
        };
        let plausible = ect0 + ce >= newly && now.ect0.saturating_add(now.ce) <= self.sent && now.ect1 == 0;
        if !plausible {
            return self.fail();
        }
        if newly > 0 {
            self.verdict = Verdict::Capable;
        }
        if ce > 0 { EcnReport::Marked } else { EcnReport::Nothing }
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
