//! What becomes of a connection's streams while there are none.

use super::Streams;
use super::lazy::Lazy;

impl Streams {
    /// Gives back the memory that it takes to have streams, if there are none and nothing is under way. It comes back
    /// with the next.
    pub fn shrink(&mut self) {
        if !self.is_empty() || !self.is_idle() || !self.changed.is_empty() {
            return;
        }
        self.table.shrink();
        self.pages.shrink();
        if self.scheduler.is_as_new() {
            self.scheduler = Lazy::default();
        }
        for ring in [&mut self.firsts, &mut self.control, &mut self.brief, &mut self.datagram_turns, &mut self.told] {
            ring.shrink();
        }
        for carrier in &mut self.channels {
            carrier.records.shrink();
        }
        self.backlog.shrink_to_fit();
        self.requests.shrink_to_fit();
        self.changed.shrink_to_fit();
    }
}
