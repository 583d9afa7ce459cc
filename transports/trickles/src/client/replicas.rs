//! The servers that have the keys of a connection, and whose turn it is.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::Instant;

use super::nearest::{Nearest, PING_LEN};

/// To which of its servers a client turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// To one, until it does not answer; then to the next.
    #[default]
    Stay,
    /// To all with the first message, and then to the one that answers first, until it does not answer; then to the
    /// next. All of them make an exchange for it, and what the others grant is left alone. While something is fetched
    /// all are pinged once a second, and the client turns to one that has become nearer.
    Nearest,
    /// To each in its turn, request by request.
    Spray,
}

/// A server of several that has left so many requests in a row without an answer is passed over,
pub const UNANSWERED_MAX: u32 = 3;
/// once the first of them is as old as this.
pub const UNANSWERED_FOR: Duration = Duration::from_millis(250);
/// It is asked once after so long all the same, and after twice as long each time, up to
/// [`PASSED_OVER_MAX`]: each request that is lost cuts the window.
pub const PASSED_OVER_FOR: Duration = Duration::from_secs(1);
/// The longest pause.
pub const PASSED_OVER_MAX: Duration = Duration::from_secs(32);

/// A server of several that was started lately takes nothing from before its start, as far as clocks may differ
/// ([`SKEW_MAX`](crate::SKEW_MAX)), and one whose clock differs by more nothing of the others: who asks them by turns
/// asks it once in this while.
pub const RESTS_FOR: Duration = Duration::from_secs(1);

/// Servers that have the same keys.
#[derive(Clone, Debug)]
pub struct Replicas {
    servers: Vec<Replica>,
    policy: Policy,
    at: usize,
    /// Which is nearest, if there are several and the nearest is asked.
    nearest: Option<Nearest>,
}

#[derive(Clone, Copy, Debug)]
struct Replica {
    address: SocketAddr,
    /// Requests that it was sent since it has answered one, and when the first was.
    unanswered: u32,
    since: Instant,
    /// When it is asked again, if these are too many, and how long the pause is then.
    again: Instant,
    pause: Duration,
    /// It does not take what others gave out, since it was started lately or goes by another time: it is asked again
    /// then, once.
    rests: Option<Instant>,
    /// The same of one whose application is of another version than what it was shown.
    differs: Option<Instant>,
}

impl Replica {
    fn is_passed_over(&self, now: Instant) -> bool {
        self.unanswered >= UNANSWERED_MAX && now >= self.since + UNANSWERED_FOR && now < self.again
    }

    fn asked(&mut self, now: Instant) {
        if self.unanswered == 0 {
            self.since = now;
        }
        // The last pause was in vain.
        let was_passed_over = self.unanswered >= UNANSWERED_MAX && now >= self.again;
        self.pause = if was_passed_over { (2 * self.pause).min(PASSED_OVER_MAX) } else { self.pause };
        (self.unanswered, self.again) = (self.unanswered.saturating_add(1), now + self.pause);
    }
}

impl Replicas {
    /// These; `None` if there are none.
    pub fn new(addresses: Vec<SocketAddr>, policy: Policy) -> Option<Replicas> {
        let server = |address| Replica {
            address,
            unanswered: 0,
            since: Instant::ZERO,
            again: Instant::ZERO,
            pause: PASSED_OVER_FOR,
            rests: None,
            differs: None,
        };
        let servers: Vec<_> = addresses.into_iter().map(server).collect();
        let nearest = (policy == Policy::Nearest && servers.len() > 1).then(|| Nearest::new(servers.len()));
        (!servers.is_empty()).then_some(Replicas { servers, policy, at: 0, nearest })
    }

    /// Where the next request goes: which server it is, as they are counted here, and its address.
    pub(super) fn next(&mut self, now: Instant) -> (u16, SocketAddr) {
        if self.policy != Policy::Spray {
            return (self.at as u16, self.servers[self.at].address);
        }
        let turns = (0..self.servers.len()).map(|ahead| (self.at + ahead) % self.servers.len());
        let answering = turns.filter(|at| !self.servers[*at].is_passed_over(now));
        let rests = |at: &usize| {
            let Replica { rests, differs, .. } = self.servers[*at];
            rests.max(differs).filter(|until| now < *until)
        };
        // Where all do so it is always the same one: it takes what it gives out itself. If none answers
        // each has its turn.
        let found = answering.clone().find(|at| rests(at).is_none()).or_else(|| answering.min_by_key(rests));
        self.at = found.unwrap_or(self.at);
        let server = &mut self.servers[self.at];
        for until in [&mut server.rests, &mut server.differs].into_iter().flatten().filter(|until| **until <= now) {
            *until = now + RESTS_FOR;
        }
        server.asked(now);
        let next = (self.at as u16, server.address);
        self.step();
        next
    }

    /// The last did not answer.
    pub(super) fn move_on(&mut self) {
        // Who goes from one to the next has moved on.
        if self.policy != Policy::Spray {
            self.step();
        }
    }

    /// To how many servers a first message goes at once.
    pub(super) fn at_once(&self) -> usize {
        if self.policy == Policy::Nearest { self.servers.len() } else { 1 }
    }

    fn step(&mut self) {
        self.at = (self.at + 1) % self.servers.len();
    }

    fn position(&self, address: SocketAddr) -> Option<usize> {
        self.servers.iter().position(|server| server.address == address)
    }

    /// The ping that is due, and to whom it goes.
    pub(super) fn ping(&mut self, now: Instant) -> Option<(SocketAddr, [u8; PING_LEN])> {
        let (which, ping) = self.nearest.as_mut()?.ping(now)?;
        Some((self.servers[which].address, ping))
    }

    /// When the next ping is due, if any is sent.
    pub(super) fn ping_at(&self, now: Instant) -> Option<Instant> {
        self.nearest.as_ref().map(|nearest| nearest.ping_at(now))
    }

    /// That one says that nobody there reads this first byte, which is the answer to a ping: if it is nearer than the
    /// one that is asked, it is asked from now on.
    pub(super) fn ponged(&mut self, address: SocketAddr, first_byte: u8, now: Instant) {
        if let (Some(which), Some(nearest)) = (self.position(address), &mut self.nearest) {
            self.at = nearest.answered(which, first_byte, now, self.at);
        }
    }

    /// That one answers, and is asked next.
    pub(super) fn settle_on(&mut self, address: SocketAddr) {
        self.at = self.position(address).unwrap_or(self.at);
        self.heard(address);
    }

    /// That one has granted what was asked for.
    pub(super) fn answered(&mut self, address: SocketAddr) {
        if let Some(server) = self.heard(address) {
            server.rests = None;
        }
    }

    /// That one has denied what was asked for; because it does not take what others gave out, if it is told when that
    /// was heard: then others are asked, if there are any.
    pub(super) fn denied(&mut self, address: SocketAddr, as_apart: Option<Instant>) {
        if let Some((server, now)) = self.heard(address).zip(as_apart) {
            server.rests.get_or_insert(now + RESTS_FOR);
        }
    }

    /// That one is of another version of the application than the one that sealed what it was shown. Answers whether
    /// others are asked instead: by who asks them by turns, unless all are so.
    pub(super) fn is_of_other_version(&mut self, address: SocketAddr, now: Instant) -> bool {
        let Some(at) = self.position(address).filter(|_| self.policy == Policy::Spray) else { return false };
        self.servers[at].differs.get_or_insert(now + RESTS_FOR);
        self.servers.iter().any(|server| server.differs.or(server.rests).is_none() && !server.is_passed_over(now))
    }

    /// That one has taken what it was shown.
    pub(super) fn agrees(&mut self, address: SocketAddr) {
        if let Some(at) = self.position(address) {
            self.servers[at].differs = None;
        }
    }

    /// That one is there.
    fn heard(&mut self, address: SocketAddr) -> Option<&mut Replica> {
        let at = self.position(address)?;
        let server = &mut self.servers[at];
        (server.unanswered, server.pause) = (0, PASSED_OVER_FOR);
        Some(server)
    }

    /// Which server that is.
    pub(super) fn which(&self, address: SocketAddr) -> u16 {
        self.position(address).unwrap_or_default() as u16
    }

    pub(super) fn count(&self) -> usize {
        self.servers.len()
    }

    pub(super) fn contains(&self, address: SocketAddr) -> bool {
        self.position(address).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_servers_by_turns_passes_over_one_that_does_not_answer_and_looks_again() {
        let address = |host| SocketAddr::from(([192, 0, 2, host], 9));
        let addresses: Vec<_> = (0..3).map(address).collect();
        let mut replicas = Replicas::new(addresses, Policy::Spray).unwrap();
        let mut asked = [0; 3];
        let mut ask = |replicas: &mut Replicas, at: u64, dead: &[usize]| {
            let (which, to) = replicas.next(Instant::from_millis(at));
            let which = usize::from(which);
            asked[which] += 1;
            if !dead.contains(&which) {
                replicas.answered(to);
            }
            asked
        };
        let last = (0..300).map(|at| ask(&mut replicas, at, &[])).last().unwrap();
        assert_eq!(last, [100; 3]);
        let last = (300..1_200).map(|at| ask(&mut replicas, at, &[1])).last().unwrap();
        let within = UNANSWERED_FOR.as_millis() as u32 / 3;
        assert!((100 + within..=102 + within).contains(&last[1]), "{last:?}");
        assert!(last[0] > 500 && last[2] > 500, "{last:?}");
        // After a second, two, four, up to 32; when it answers it has its turn again.
        let (before, last) = (last, (1_200..100_000).map(|at| ask(&mut replicas, at, &[1])).last().unwrap());
        assert!((6..=8).contains(&(last[1] - before[1])), "{last:?}");
        let after = (133_000..136_000).map(|at| ask(&mut replicas, at, &[])).last().unwrap();
        assert!(after[1] - last[1] > 900, "{after:?}");
        // None answers.
        let (before, all) = (after, [0, 1, 2]);
        let after = (136_000..136_600).map(|at| ask(&mut replicas, at, &all)).last().unwrap();
        assert!(after.iter().zip(before).all(|(after, before)| after - before > 150), "{before:?} {after:?}");
    }
}
