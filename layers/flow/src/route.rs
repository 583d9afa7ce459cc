//! Where the packets of a section go, and the proof that its peer is there.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{Fields, Instant};
use tng_channel::wire::Control;
use tng_endpoint::{Path, Validation};

use crate::section::Origin;
use crate::{FlowPath, Party};

/// Smallest room worth asking a channel to fill.
pub(crate) const PACKET_ROOM_MIN: usize = 128;

/// Room for a bare challenge: three times the shortest acknowledgment is enough for it.
const CHALLENGE_ROOM: u64 = 64;

/// Room for as many challenges as are sent at least.
const CHALLENGES_ROOM: u64 = CHALLENGE_ROOM * tng_endpoint::CHALLENGE_TRIES as u64;

/// An address of the peer's, and the local one that it is reached from where the driver names it.
pub(crate) type To = (SocketAddr, Option<IpAddr>);

/// A control frame to be sent at once, in a packet of its own.
#[derive(Debug)]
pub(crate) struct Word<'a> {
    /// The frame.
    pub control: Control<'a>,
    /// How large its packet is to be.
    pub pad_to: Option<usize>,
    /// Where it goes.
    pub to: To,
}

/// The path in use, and the one before it as long as the new one may turn out to be nobody's.
#[derive(Debug)]
pub(crate) struct Route {
    path: Path,
    /// The path in use before the peer's last move, until the new one is proven.
    previous: Option<Path>,
    /// When the peer is to be asked on the previous path whether it has moved at all, and how long to wait for that.
    recall: Option<(Instant, Duration)>,
    /// A response owed, and to where.
    response: Option<([u8; 8], To)>,
    /// The peer's new address, to be told.
    moved_to: Option<SocketAddr>,
}

impl Route {
    /// Packets go by `path`.
    pub(crate) fn new(path: Path) -> Route {
        Route { path, previous: None, recall: None, response: None, moved_to: None }
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
    pub(crate) fn way(&self, party: Party) -> FlowPath {
        FlowPath { party, local: self.path.local, remote: self.path.remote.ip() }
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

    fn toward(&mut self, remote: SocketAddr) -> Option<&mut Path> {
        [Some(&mut self.path), self.previous.as_mut()].into_iter().flatten().find(|path| path.remote == remote)
    }

    /// The peer has shown that it receives what goes by this path.
    pub(crate) fn prove(&mut self) {
        self.path.prove();
    }

    /// A packet of the peer's came from where packets go to.
    pub(crate) fn handle_sign_of_life(&mut self, local: Option<IpAddr>) {
        self.path.handle_sign_of_life();
        self.path.local = local.or(self.path.local);
    }

    /// The peer's newest packet, of `len` bytes, came from another address: packets go there from now on. A path that was proven waits
    /// for `pto`, then the peer is asked there.
    pub(crate) fn handle_peer_move(&mut self, now: Instant, origin: Origin, len: usize, pto: Duration) {
        let back = self.previous.take_if(|previous| previous.remote == origin.remote);
        let path = back.unwrap_or_else(|| {
            let mut path = Path::unproven(origin.remote, origin.local);
            path.handle_received(len);
            path
        });
        let left = core::mem::replace(&mut self.path, path);
        // Of a race that goes on, what the path was like before it counts.
        let patience = self.recall.map_or(pto, |(_, waited)| waited.min(pto));
        if left.is_proven() {
            self.previous = Some(left);
            self.recall = Some((now + patience, patience));
        }
    }

    /// This host's own address changed: everything is to be proven again.
    pub(crate) fn handle_local_move(&mut self, local: Option<IpAddr>) {
        self.path.local = local;
        self.path.doubt();
        self.previous = None;
    }

    /// The peer is to be told where packets go, if that is proven.
    pub(crate) fn tell_move(&mut self) {
        if self.path.is_proven() {
            self.moved_to = Some(self.path.remote);
        }
    }

    /// The peer's new address, once it is proven.
    pub(crate) fn take_move(&mut self) -> Option<SocketAddr> {
        self.moved_to.take()
    }

    /// The peer asks for a proof that what went to `origin` arrives here.
    pub(crate) fn handle_challenge(&mut self, data: [u8; 8], origin: Option<Origin>) {
        self.response = origin.map(|origin| (data, (origin.remote, origin.local)));
    }

    /// The peer has answered; whether that proves the path.
    pub(crate) fn handle_response(&mut self, data: [u8; 8]) -> bool {
        let proves = self.path.handle_response(data);
        if proves {
            self.previous = None;
            self.tell_move();
        }
        proves
    }

    /// The answer to a challenge, on the path that it came by.
    pub(crate) fn poll_response(&mut self) -> Option<Word<'static>> {
        let (data, to) = self.response.take()?;
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
        let previous = self.previous.take_if(|_| self.path.validation() == Validation::Failed);
        let turns = previous.is_some();
        if let Some(previous) = previous {
            self.path = previous;
        }
        turns
    }

    /// Somebody on the path may have sent a copy of the peer's packet ahead of it (RFC 9000 section 9.3.3). If the new address
    /// does not prove itself as fast as the old one would have, the peer is asked where it was: its answer brings the path back.
    pub(crate) fn poll_recall(&mut self, now: Instant) -> Option<Word<'static>> {
        let (_, waited) = self.recall.take_if(|(at, _)| *at <= now)?;
        let previous = self.previous.as_ref().filter(|_| !self.path.is_proven())?;
        self.recall = Some((now + waited * 2, waited * 2));
        Some(Word { control: Control::Ping, pad_to: None, to: (previous.remote, previous.local) })
    }

    /// What data may use of what an unproven address may get: it leaves room for the challenges that end that, once the peer's first
    /// packet has come.
    pub(crate) fn budget(&self, confirmed: bool) -> u64 {
        let kept = if self.path.is_proven() || !confirmed { 0 } else { CHALLENGES_ROOM };
        self.path.budget().saturating_sub(kept)
    }

    /// Whether no data may be sent until more comes from the unproven address.
    pub(crate) fn is_choked(&self, confirmed: bool) -> bool {
        self.budget(confirmed) < PACKET_ROOM_MIN as u64
    }

    /// When a challenge or a recall is due.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        [self.path.poll_timeout(), self.recall.map(|(at, _)| at)].into_iter().flatten().min()
    }
}
