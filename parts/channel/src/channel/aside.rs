//! A channel that hears nothing from its peer leaves the window that it shares to the others.

use tng_base::Instant;
use tng_congestion::Regulation;

use super::Channel;

/// What it says of the path that nothing is heard of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing: nobody has shown yet that it is there.
    None,
    /// That a whole flight may have been lost, if nothing that left later has arrived.
    Silence,
}

impl Channel {
    /// Whether what it has in flight is out of the regulation's books.
    pub fn is_aside(&self) -> bool {
        self.aside.is_some()
    }

    /// Bytes that it has in flight in the regulation's books.
    pub fn booked(&self) -> u64 {
        if self.is_aside() { 0 } else { self.sent.booked() }
    }

    /// The channel is about to send, and shares the window. If nothing has been acknowledged for a probe timeout, and
    /// no loss is about to be found, what leaves now stands for a probe: others that leave are not to put one off.
    pub fn note_turn(&mut self, now: Instant, regulation: &Regulation) {
        if let (None, Some(since)) = (self.loss.asked_at(), self.monitor.waiting_since())
            && since + self.loss.time_to_answer(&self.sent, regulation.rtt()) <= now
            && self.loss.loss_time(&mut self.sent, regulation.rtt()).is_none()
        {
            self.loss.handle_asked(now);
        }
    }

    /// Whether a probe, or what stands for one, is out that nothing has answered.
    pub fn is_asked(&self) -> bool {
        self.loss.asked_at().is_some()
    }

    /// When the channel is silent, if nothing is heard of it by then: a probe has gone unanswered for as long as its
    /// answer may take.
    pub fn silent_at(&self, regulation: &Regulation) -> Option<Instant> {
        let asked_at = self.loss.asked_at().filter(|_| self.aside.is_none() && self.sent.outstanding() > 0)?;
        Some(asked_at + self.loss.time_to_answer(&self.sent, regulation.rtt()))
    }

    /// The channel is silent, and others share the window: what it has in flight, now and until it is heard of again,
    /// is out of the books. If something that left later on the path has arrived, the path is in order. Else all that
    /// is known is that the flight may be lost.
    pub fn step_aside(&mut self, now: Instant, regulation: &mut Regulation, verdict: Verdict) {
        let oldest = self.sent.oldest().map_or(now, |(_, sent)| sent.sent_at());
        self.aside = Some(oldest);
        regulation.handle_discarded(self.sent.booked());
        let newest = self.sent.newest().filter(|_| verdict == Verdict::Silence && !overtaken(oldest, regulation));
        if let Some(newest) = newest {
            regulation.handle_silence(now, newest.stamp);
        }
    }

    /// Nothing that it had in flight is open any more, so nothing would bring it back, and no probe is due: it has
    /// turns again, and shows with what it sends next whether it is heard of.
    pub(super) fn end_aside_settled(&mut self) {
        if self.is_aside() && self.sent.outstanding() == 0 {
            self.aside = None;
            self.sent.uncount();
            self.loss.handle_all_settled();
        }
    }

    /// It is heard of again, and had so many bytes in flight until now. They are back in the books, unless others have
    /// been heard of meanwhile: then they have left the path long ago. Answers whether they are.
    pub(super) fn come_back(&mut self, now: Instant, booked: u64, regulation: &mut Regulation) -> bool {
        let Some(oldest) = self.aside.take() else { return true };
        let gone = overtaken(oldest, regulation);
        if gone {
            self.loss.handle_overtaken(now);
            self.sent.uncount();
        } else {
            regulation.handle_returned(booked);
        }
        !gone
    }
}

/// Whether something has arrived that left later.
fn overtaken(sent_at: Instant, regulation: &Regulation) -> bool {
    sent_at < regulation.newest_arrived()
}
