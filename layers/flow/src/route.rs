//! Where the packets of a section go, and the proof that its peer is there.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{Fields, Instant};
use tng_channel::wire::Control;
use tng_endpoint::{Path, Validation};

use crate::section::Origin;
use crate::{Caution, FlowPath, Party};

/// Smallest room worth asking a channel to fill.
pub(crate) const PACKET_ROOM_MIN: usize = 128;

/// Room for a bare challenge: three times the shortest acknowledgment is enough for it.
const CHALLENGE_ROOM: u64 = 64;

/// Room for as many challenges as are sent at least.
const CHALLENGES_ROOM: u64 = CHALLENGE_ROOM * tng_endpoint::CHALLENGE_TRIES as u64;

/// Moves of a peer that are followed at once; then one in a probe timeout is. A host that changes its network may move
/// more than once within one, and would have no answer until it is over.
pub const MOVES_AT_ONCE_MAX: u32 = 4;

/// Least time between two moves of a peer.
pub const MOVE_INTERVAL_MIN: Duration = Duration::from_millis(10);

/// Times that a peer is asked where it was whether it is still there.
pub const ASKED_MAX: u8 = 4;

/// So long after a peer has answered where it was, though it seemed to have moved, it is asked there before a move is
/// followed.
pub const RACE_REMEMBERED: Duration = Duration::from_secs(60);

/// Challenges of the peer's that wait for their answer; of more the first are forgotten.
pub const ANSWERS_OWED_MAX: usize = 3;

/// An address of the peer's, and the local one that it is reached from where the driver names it.
pub(crate) type To = (SocketAddr, Option<SocketAddr>);

/// A control frame to be sent at once, in a packet of its own.
#[derive(Debug)]
pub(crate) struct Word<'a> {
    /// The frame.
    pub control: Control<'a>,
    /// The size that its packet is padded to.
    pub pad_to: Option<usize>,
    /// Where it goes.
    pub to: To,
}

/// The question on the path that was proven last, whether the peer is there: it seems to have moved.
#[derive(Debug)]
struct Asked {
    data: Option<[u8; 8]>,
    /// When it is asked next.
    at: Instant,
    /// How long the answer may take at first.
    wait: Duration,
    tries: u8,
}

/// A move of the peer's that is not followed yet.
#[derive(Debug)]
struct Pending {
    origin: Origin,
    /// Bytes that came from there.
    len: usize,
    /// When it is followed.
    at: Instant,
}

/// The path in use, and the one before it as long as the new one may turn out to be nobody's.
#[derive(Debug)]
pub(crate) struct Route {
    path: Path,
    /// What there is to know only of a peer that moves, or that asks: most never do.
    unrest: Option<Box<Unrest>>,
}

/// What moves and challenges have brought about.
#[derive(Debug, Default)]
struct Unrest {
    /// The path in use before the peer's last move, until the new one is proven and the peer does not answer on this
    /// one.
    previous: Option<Path>,
    asked: Option<Asked>,
    /// The peer's latest source.
    pending: Option<Pending>,
    /// When the moves so far are paid for, at one in a probe timeout.
    paid_at: Option<Instant>,
    /// Until then it is asked where it was before a move is followed.
    raced_until: Option<Instant>,
    /// This host's address before its own last move: what arrives there still does not lead back.
    left: Option<IpAddr>,
    /// Responses owed, and to where.
    responses: Vec<([u8; 8], To)>,
    /// The peer's new address, to be told.
    moved_to: Option<SocketAddr>,
}

/// What a response has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shown {
    /// Nothing new.
    Nothing,
    /// That the peer is on the path in use.
    Here,
    /// That the peer is where it was before it seemed to move: that path is in use again.
    Back,
}

impl Route {
    /// Packets go by `path`.
    pub(crate) fn new(path: Path) -> Route {
        Route { path, unrest: None }
    }

    /// The path in use.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where packets go.
    pub(crate) fn to(&self) -> To {
        (self.path.remote, self.path.local)
    }

    /// The way to `party` that packets go.
    pub(crate) fn way(&self, party: &Party) -> FlowPath {
        FlowPath { party: party.clone(), local: self.path.local.map(|local| local.ip()), remote: self.path.remote.ip() }
    }

    /// What is written down of the path.
    pub(crate) fn fields(&self) -> Fields {
        let Path { remote, local, .. } = self.path;
        Fields::new()
            .with("remote", remote.to_string())
            .maybe("local", local.map(|local| local.to_string()))
            .with("proven", self.path.is_proven())
    }

    /// `len` bytes came from `remote`, authentic or not.
    #[inline]
    pub(crate) fn handle_received(&mut self, remote: SocketAddr, len: usize) {
        if let Some(path) = self.toward(remote) {
            path.handle_received(len);
        }
    }

    /// `len` bytes went to `remote`.
    pub(crate) fn handle_sent(&mut self, remote: SocketAddr, len: usize) {
        if let Some(path) = self.toward(remote) {
            path.handle_sent(len);
        }
    }

    #[inline]
    fn toward(&mut self, remote: SocketAddr) -> Option<&mut Path> {
        if self.path.remote == remote {
            return Some(&mut self.path);
        }
        self.unrest.as_mut()?.previous.as_mut().filter(|path| path.remote == remote)
    }

    /// The peer has shown that it receives what goes by this path.
    pub(crate) fn prove(&mut self) {
        self.path.prove();
    }

    /// A packet of the peer's came from where packets go to; the `newest` of all it has sent, or not.
    pub(crate) fn handle_sign_of_life(&mut self, now: Instant, local: Option<SocketAddr>, newest: bool) {
        self.path.handle_sign_of_life();
        if local.is_some_and(|local| self.left().is_none_or(|left| left != local.ip())) {
            self.path.local = local;
        }
        if let Some(unrest) = &mut self.unrest
            && newest
            && !unrest.is_raced(now)
        {
            unrest.pending = None;
        }
    }

    /// This host's address before its own last move.
    fn left(&self) -> Option<IpAddr> {
        self.unrest.as_ref()?.left
    }

    fn unrest(&mut self) -> &mut Unrest {
        self.unrest.get_or_insert_default()
    }

    /// The peer's newest packet, of `len` bytes, came from another address. Answers whether packets go there from now
    /// on; else that is put off: a move is followed once in a probe timeout, and where somebody has raced the peer not
    /// before it has been asked where it was.
    pub(crate) fn handle_peer_move(
        &mut self,
        now: Instant,
        origin: Origin,
        len: usize,
        (pto, caution): (Duration, Caution),
    ) -> bool {
        let unrest = self.unrest.get_or_insert_default();
        if let Some(previous) = unrest.previous.take_if(|previous| previous.remote == origin.remote) {
            self.go_back(now, previous);
            return true;
        }
        let wait = pto.max(MOVE_INTERVAL_MIN);
        let raced = caution.old_path && self.path.is_proven() && unrest.is_raced(now);
        let ahead = unrest.paid_at.map(|at| at.since(now)).unwrap_or_default();
        let soon = ahead.saturating_sub(wait * (MOVES_AT_ONCE_MAX - 1));
        let soon = (caution.paced_moves && !soon.is_zero()).then_some(now + soon);
        let at = if raced { Some(now + wait) } else { soon };
        let Some(at) = at else {
            self.follow(now, origin, len, (pto, caution));
            return true;
        };
        match &mut unrest.pending {
            Some(pending) => {
                let before = if pending.origin.remote == origin.remote { pending.len } else { 0 };
                (pending.origin, pending.len) = (origin, before + len);
            }
            None => {
                unrest.pending = Some(Pending { origin, len, at });
                if raced {
                    unrest.ask(now, pto);
                }
            }
        }
        false
    }

    /// Whether a move of the peer's was put off.
    pub(crate) fn is_to_move(&self) -> bool {
        self.unrest.as_ref().is_some_and(|unrest| unrest.pending.is_some())
    }

    /// Follows the move that was put off, if it is time; answers whether.
    pub(crate) fn poll_move(&mut self, now: Instant, pto: Duration, caution: Caution) -> bool {
        let due = self.unrest.as_mut().and_then(|unrest| unrest.pending.take_if(|pending| pending.at <= now));
        if let Some(Pending { origin, len, .. }) = &due {
            self.follow(now, *origin, *len, (pto, caution));
        }
        due.is_some()
    }

    /// Packets go to `origin` from now on. If where they went was proven, the peer is asked there whether it has moved
    /// at all (RFC 9000 section 9.3.3): somebody on the path may have sent a copy of its packet ahead of it, and may
    /// pass on both ends' proofs.
    fn follow(&mut self, now: Instant, origin: Origin, len: usize, (pto, caution): (Duration, Caution)) {
        let mut path = Path::unproven(origin.remote, origin.local);
        path.handle_received(len);
        let left = core::mem::replace(&mut self.path, path);
        let unrest = self.unrest();
        unrest.paid_at = Some(unrest.paid_at.unwrap_or(now).max(now) + pto.max(MOVE_INTERVAL_MIN));
        unrest.pending = None;
        if left.is_proven() {
            unrest.previous = Some(left);
            if caution.old_path {
                unrest.ask(now, pto);
            }
        }
    }

    /// The peer is where it was.
    fn go_back(&mut self, now: Instant, previous: Path) {
        self.path = previous;
        self.unrest().note_race(now);
    }

    /// This host's own address changed: everything must be proven again.
    pub(crate) fn handle_local_move(&mut self, local: Option<IpAddr>) {
        // Where it is not known where this host is now, it may be where it was, on another port.
        let left = self.path.local.map(|left| left.ip());
        let unrest = self.unrest();
        unrest.left = left.filter(|left| local.is_some_and(|local| local != *left));
        unrest.forget();
        self.path.local = local.map(|local| SocketAddr::new(local, 0));
        self.path.doubt();
    }

    /// Notes that the peer must be told where packets go, if that is proven.
    pub(crate) fn tell_move(&mut self) {
        if self.path.is_proven() {
            self.unrest().moved_to = Some(self.path.remote);
        }
    }

    /// Where the peer has shown that it receives: where packets go, or went before it seemed to move.
    pub(crate) fn proven_remote(&self) -> Option<SocketAddr> {
        let previous = self.unrest.as_ref().and_then(|unrest| unrest.previous.as_ref());
        let mut paths = [Some(&self.path), previous].into_iter().flatten();
        paths.find(|path| path.is_proven()).map(|path| path.remote)
    }

    /// The peer's new address, once it is proven.
    pub(crate) fn take_move(&mut self) -> Option<SocketAddr> {
        self.unrest.as_mut()?.moved_to.take()
    }

    /// The peer asks for a proof that what went to `origin` arrives here. Where this host is no more it does not.
    pub(crate) fn handle_challenge(&mut self, data: [u8; 8], origin: Option<Origin>) {
        let Some(origin) = origin.filter(|origin| origin.local.is_none_or(|local| Some(local.ip()) != self.left()))
        else {
            return;
        };
        let responses = &mut self.unrest().responses;
        if responses.len() >= ANSWERS_OWED_MAX {
            responses.remove(0);
        }
        responses.push((data, (origin.remote, origin.local)));
    }

    /// The peer has answered; what that shows. It does not matter where the answer came from (RFC 9000 section 8.2.3).
    pub(crate) fn handle_response(&mut self, now: Instant, data: [u8; 8]) -> Shown {
        if let Some(unrest) = &mut self.unrest
            && unrest.asked.as_ref().is_some_and(|asked| asked.data == Some(data))
        {
            let previous = unrest.previous.take();
            unrest.note_race(now);
            let Some(previous) = previous else { return Shown::Nothing };
            self.path = previous;
            return Shown::Back;
        }
        if !self.path.handle_response(data) {
            return Shown::Nothing;
        }
        if let Some(unrest) = self.unrest.as_mut().filter(|unrest| unrest.asked.is_none()) {
            unrest.previous = None;
        }
        self.tell_move();
        Shown::Here
    }

    /// The answer to a challenge, on the path that it came by.
    pub(crate) fn poll_response(&mut self) -> Option<Word<'static>> {
        let responses = &mut self.unrest.as_mut()?.responses;
        let (data, to) = (!responses.is_empty()).then(|| responses.remove(0))?;
        Some(Word { control: Control::Response(data), pad_to: None, to })
    }

    /// The challenge that is due.
    pub(crate) fn poll_challenge(
        &mut self,
        now: Instant,
        pto: Duration,
        fresh: impl FnOnce() -> [u8; 8],
    ) -> Option<Word<'static>> {
        let data = self.path.poll_challenge(now, pto, fresh);
        let budget = self.path.budget();
        if budget < CHALLENGE_ROOM {
            return None;
        }
        // Padded, so that the proof also says that the path carries packets of the base size (RFC 9000 section 8.2.1).
        let pad_to = (budget >= tng_endpoint::BASE_PAYLOAD as u64).then_some(tng_endpoint::BASE_PAYLOAD);
        Some(Word { control: Control::Challenge(data?), pad_to, to: self.to() })
    }

    /// Goes back to the path before, if the one in use has failed to prove itself and there is one; answers whether.
    pub(crate) fn turn_back(&mut self) -> bool {
        let Some(unrest) = self.unrest.as_mut().filter(|_| self.path.validation() == Validation::Failed) else {
            return false;
        };
        let Some(previous) = unrest.previous.take() else { return false };
        unrest.asked = None;
        self.path = previous;
        true
    }

    /// The question to the peer where it was, if one is due. `fresh` supplies its data if it is the first.
    pub(crate) fn poll_question(&mut self, now: Instant, fresh: impl FnOnce() -> [u8; 8]) -> Option<Word<'static>> {
        let unrest = self.unrest.as_mut()?;
        let asked = unrest.asked.as_mut().filter(|asked| asked.at <= now)?;
        if asked.tries >= ASKED_MAX {
            unrest.asked = None;
            unrest.previous.take_if(|_| self.path.is_proven());
            return None;
        }
        let data = *asked.data.get_or_insert_with(fresh);
        asked.at = now + asked.wait * (1 << asked.tries);
        asked.tries += 1;
        let Path { remote, local, .. } = *unrest.previous.as_ref().unwrap_or(&self.path);
        Some(Word { control: Control::Challenge(data), pad_to: None, to: (remote, local) })
    }

    /// What data may use of what an unproven address may get: it leaves room for the challenges that end that, once the
    /// peer's first packet has come.
    pub(crate) fn budget(&self, confirmed: bool) -> u64 {
        let kept = if self.path.is_proven() || !confirmed { 0 } else { CHALLENGES_ROOM };
        self.path.budget().saturating_sub(kept)
    }

    /// The same, as the length of a buffer.
    pub(crate) fn room(&self, confirmed: bool) -> usize {
        usize::try_from(self.budget(confirmed)).unwrap_or(usize::MAX)
    }

    /// Whether no data may be sent until more comes from the unproven address.
    pub(crate) fn is_choked(&self, confirmed: bool) -> bool {
        self.budget(confirmed) < PACKET_ROOM_MIN as u64
    }

    /// When a challenge, a question or a move is due.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        let unrest = self.unrest.as_ref().and_then(|unrest| unrest.poll_timeout());
        [self.path.poll_timeout(), unrest].into_iter().flatten().min()
    }
}

impl Unrest {
    /// Whether somebody has lately sent what the peer has sent: then only its answer says where it is.
    fn is_raced(&self, now: Instant) -> bool {
        self.raced_until.is_some_and(|until| now < until)
    }

    fn ask(&mut self, now: Instant, pto: Duration) {
        self.asked = Some(Asked { data: None, at: now, wait: pto, tries: 0 });
    }

    /// Somebody else sends what the peer has sent.
    fn note_race(&mut self, now: Instant) {
        self.forget();
        self.raced_until = Some(now + RACE_REMEMBERED);
    }

    /// There is nothing to find out any more.
    fn forget(&mut self) {
        (self.previous, self.asked, self.pending) = (None, None, None);
    }

    /// When a question or a move is due.
    fn poll_timeout(&self) -> Option<Instant> {
        let question = self.asked.as_ref().map(|asked| asked.at);
        let pending = self.pending.as_ref().map(|pending| pending.at);
        [question, pending].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use tng_base::Ecn;

    use super::*;

    const PTO: Duration = Duration::from_millis(100);
    const DATA: [u8; 8] = [1; 8];

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// The peer's address after so many moves.
    fn remote(moves: u8) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, moves], 4860))
    }

    fn moves(route: &mut Route, now: Instant, moves: u8) -> bool {
        let origin = Origin { remote: remote(moves), local: None, ecn: Ecn::NotEct };
        route.handle_peer_move(now, origin, 1_200, (PTO, Caution::ALL))
    }

    /// A peer that was raced at `began`, and was where it had been, has moved as often at `now` as is followed at once
    /// and once more, and then its newest packet comes from where it was before that. Answers where packets go when the
    /// last move would be followed.
    fn back_after_a_move_put_off(began: Instant, now: Instant) -> SocketAddr {
        let mut route = Route::new(Path::proven(remote(0), None));
        assert!(moves(&mut route, began, 1));
        assert!(route.poll_question(began, || DATA).is_some());
        assert_eq!(route.handle_response(began, DATA), Shown::Back);
        // Paths that nothing is proven of are left at once, race or not.
        route.path.doubt();
        for count in 1..=MOVES_AT_ONCE_MAX as u8 {
            assert!(moves(&mut route, now, count), "{count}");
        }
        assert!(!moves(&mut route, now, 9), "it is put off");
        route.handle_sign_of_life(now, None, true);
        route.poll_move(now + PTO * 2, PTO, Caution::ALL);
        route.to().0
    }

    #[test]
    fn a_peer_that_writes_anothers_address_into_its_packets_is_still_proven_where_it_was() {
        let mut route = Route::new(Path::proven(remote(0), None));
        assert_eq!(route.proven_remote(), Some(remote(0)));
        for elsewhere in 1..=2 {
            assert!(moves(&mut route, at(0), elsewhere));
            assert_eq!((route.to().0, route.proven_remote()), (remote(elsewhere), Some(remote(0))));
        }
        assert_eq!(Route::new(Path::unproven(remote(1), None)).proven_remote(), None);
    }

    #[test]
    fn a_move_that_was_put_off_is_not_followed_once_the_newest_packet_comes_from_where_packets_go() {
        let (raced_at, here) = (at(1_000), remote(MOVES_AT_ONCE_MAX as u8));
        let later = raced_at + RACE_REMEMBERED;
        assert_eq!(back_after_a_move_put_off(raced_at, later), here, "a race is over some time");
        let within = later - Duration::from_millis(1);
        assert_eq!(
            back_after_a_move_put_off(raced_at, within),
            remote(9),
            "control: in a race the newest says nothing"
        );
    }
}
