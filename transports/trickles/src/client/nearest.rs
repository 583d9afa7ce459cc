//! Which of a client's servers is nearest: all are pinged now and then while something is fetched (Trickles 6.2).
//!
//! A ping is a datagram that no machine behind a port reads, which the port itself says (docs/wire.md, UNSERVED). That
//! needs nothing of the server, and shows nothing: who is on the path can answer in its name, and so have the client
//! turn to another server of its own list, and no further.

use core::time::Duration;

use tng_base::Instant;

/// How often every server is pinged.
pub const PING_EVERY: Duration = Duration::from_secs(1);
/// The round trip to a server is the shortest of so many pings: queues come and go.
pub const PINGS_REMEMBERED: usize = 8;
/// A server is nearer if its round trip is less than so many quarters of that to the one that is asked: each change of
/// the site begins slowly.
pub const QUARTERS_NEARER: u32 = 3;
/// So long one stays with a server that was turned to.
pub const STAYS_FOR: Duration = Duration::from_secs(10);
/// Bytes of a ping.
pub const PING_LEN: usize = 2;

/// First bytes that nobody reads; which of them tells one ping from the next.
const FIRST_BYTES: core::ops::RangeInclusive<u8> = 0xb0..=0xdf;

#[derive(Clone, Copy, Debug, Default)]
struct Pinged {
    /// When the last ping went, if it is not answered.
    sent: Option<Instant>,
    /// The last round trips, in a ring; nothing of a ping that was not answered.
    rtts: [Option<Duration>; PINGS_REMEMBERED],
    at: usize,
}

impl Pinged {
    /// The shortest of them, of a server that has answered the last ping.
    fn rtt(&self) -> Option<Duration> {
        let last = (self.at + PINGS_REMEMBERED - 1) % PINGS_REMEMBERED;
        self.rtts[last]?;
        self.rtts.iter().flatten().min().copied()
    }

    fn note(&mut self, rtt: Option<Duration>) {
        self.rtts[self.at] = rtt;
        self.at = (self.at + 1) % PINGS_REMEMBERED;
    }
}

/// What is known of how far servers are.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    servers: Vec<Pinged>,
    /// The first byte of the pings of this round, and how many of them are sent.
    first_byte: u8,
    sent: usize,
    /// When the next round begins.
    next: Option<Instant>,
    /// Since when this server is asked.
    since: Option<Instant>,
}

impl Nearest {
    pub(super) fn new(servers: usize) -> Nearest {
        let servers = vec![Pinged::default(); servers];
        Nearest { sent: servers.len(), servers, first_byte: *FIRST_BYTES.start(), next: None, since: None }
    }

    /// The next ping, and to which server, if one is due.
    pub(super) fn ping(&mut self, now: Instant) -> Option<(usize, [u8; PING_LEN])> {
        if self.sent == self.servers.len() {
            // Set-up has just told which is nearest.
            let next = *self.next.get_or_insert(now + PING_EVERY);
            if now < next {
                return None;
            }
            let following = self.first_byte + 1;
            self.first_byte = if FIRST_BYTES.contains(&following) { following } else { *FIRST_BYTES.start() };
            (self.sent, self.next) = (0, Some(now + PING_EVERY));
            self.servers.iter_mut().filter(|server| server.sent.is_some()).for_each(|server| server.note(None));
        }
        let which = self.sent;
        self.servers[which].sent = Some(now);
        self.sent += 1;
        Some((which, [self.first_byte, 0]))
    }

    /// When the next ping is due.
    pub(super) fn ping_at(&self, now: Instant) -> Instant {
        if self.sent < self.servers.len() { now } else { self.next.unwrap_or(now) }
    }

    /// A server says that it does not read this first byte. Answers which server to ask from now on; `asked` is asked
    /// now.
    pub(super) fn answered(&mut self, which: usize, first_byte: u8, now: Instant, asked: usize) -> usize {
        let server = &mut self.servers[which];
        if first_byte != self.first_byte {
            return asked;
        }
        let Some(sent) = server.sent.take() else { return asked };
        server.note(Some(now.since(sent)));
        let since = *self.since.get_or_insert(now);
        let rtts = self.servers.iter().enumerate().filter_map(|(which, server)| Some((server.rtt()?, which)));
        match (rtts.min(), self.servers[asked].rtt()) {
            (Some((least, nearest)), Some(rtt)) if least * 4 < rtt * QUARTERS_NEARER && now >= since + STAYS_FOR => {
                self.since = Some(now);
                nearest
            }
            _ => asked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pings for so many seconds; a server answers after so many milliseconds, or never. Which is asked in the end, and
    /// how often that was another.
    fn ping(nearest: &mut Nearest, from_s: u64, seconds: u64, asked: usize, rtts: &[Option<u64>]) -> (usize, u32) {
        let (mut asked, mut changes) = (asked, 0);
        for second in from_s..from_s + seconds {
            let at = Instant::from_secs(second);
            assert!(nearest.next.is_none() || nearest.ping_at(at) <= at);
            while let Some((which, [first_byte, _])) = nearest.ping(at) {
                let Some(rtt) = rtts[which] else { continue };
                let next = nearest.answered(which, first_byte, at + Duration::from_millis(rtt), asked);
                changes += u32::from(next != asked);
                asked = next;
            }
        }
        (asked, changes)
    }

    #[test]
    fn the_nearest_is_asked_once_it_is_nearer_by_a_quarter_and_one_stays_with_it() {
        let mut nearest = Nearest::new(3);
        assert_eq!(ping(&mut nearest, 0, 60, 1, &[Some(40), Some(50), None]), (1, 0), "not by a quarter");
        assert_eq!(ping(&mut nearest, 60, 60, 1, &[Some(30), Some(50), Some(45)]), (0, 1));
        // The way to that one becomes longer: known when the pings before are forgotten.
        assert_eq!(ping(&mut nearest, 120, 7, 0, &[Some(200), Some(50), None]), (0, 0));
        assert_eq!(ping(&mut nearest, 127, 60, 0, &[Some(200), Some(50), None]), (1, 1), "who is away is not near");
    }

    #[test]
    fn what_comes_late_twice_or_unasked_says_nothing() {
        let mut nearest = Nearest::new(2);
        assert!(nearest.ping(Instant::ZERO).is_none(), "set-up has told");
        let at = Instant::from_secs(1);
        let (which, [first_byte, _]) = nearest.ping(at).expect("due");
        assert!(nearest.ping(at).is_some() && nearest.ping(at).is_none(), "each once");
        nearest.answered(which, first_byte.wrapping_sub(1), at, 1);
        assert_eq!(nearest.servers[which].rtt(), None);
        nearest.answered(which, first_byte, at + Duration::from_millis(7), 1);
        nearest.answered(which, first_byte, at, 1);
        assert_eq!(nearest.servers[which].rtt(), Some(Duration::from_millis(7)));
    }
}
