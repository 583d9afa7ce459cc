//! Continuations that are verified and renewed, one after the other: of what a server does for a request all but to
//! open it, and to make and seal the packets of its answer. `tng-bench continuations` has the same file.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::{BLAKE3_TAG_LEN, Secret32};
use tng_trickles::replay::{Issuer, Replay};
use tng_trickles::{
    Age, ClientNetwork, ConnectionId, Continuation, EPOCH, EpochSecret, Growth, Horizon, Keying, Keys, Line, Nonces,
    Rtt, Site, Stamp, Story, Tag, Wall, release,
};
use tng_wire::{Reader, Repr, Writer};

/// Packets of the window, which grows by one in each round.
const WINDOW: u64 = 64;

/// Continuations that the filter knows.
const SERIALS: u64 = 1 << 20;

/// A trickle: the continuation that was given out last, as its client holds it, and what its server has.
pub struct Trickle {
    keys: Keys,
    horizon: Horizon,
    replay: Replay,
    id: ConnectionId,
    place: ClientNetwork,
    now: Instant,
    wall: Wall,
    bytes: [u8; Continuation::LEN_MAX],
    len: usize,
    seal: [u8; BLAKE3_TAG_LEN],
    /// How often it was renewed.
    pub renewed: u64,
}

impl Trickle {
    /// One whose first packet has come.
    pub fn new() -> Trickle {
        // It has run for longer than clocks differ.
        let (now, epoch) = (Instant::from_secs(60), 3_000_000);
        let begun = Wall::from_millis(epoch * EPOCH.as_millis() as u64);
        let wall = begun.after(now.since(Instant::ZERO));
        let (own, id, place) = (Issuer(7), ConnectionId([1; 16]), ClientNetwork::of([192, 0, 2, 1].into()));
        let keys = Keys::new(EpochSecret::new(epoch, Secret32::from_bytes([7; 32])), wall);
        let keys = keys.expect("the secret of the present epoch");
        let horizon = Horizon::new(own, begun);
        let mut replay = Replay::serials(own, now, SERIALS, horizon.remembered());
        let (issuer, serial) = replay.issue();
        let first = Continuation {
            site: Site::default(),
            issuer,
            serial,
            first: 1,
            is_pair: true,
            root: Line { growth: Growth::new(0, WINDOW, WINDOW), tag: Tag(9) },
            tag: Tag(9),
            keying: Keying::of(keys.present().number() as u8),
            issued: Stamp::of(wall),
            rtt: Rtt::of(Duration::from_millis(20)),
            shown_from: 1,
        };
        let seal = first.seal(keys.present(), &id, &place);
        let (bytes, len) = ([0; Continuation::LEN_MAX], 0);
        let mut trickle = Trickle { keys, horizon, replay, id, place, now, wall, bytes, len, seal, renewed: 0 };
        trickle.give_out(&first);
        trickle
    }

    /// The client presents what it holds, and is given the next: read, its seal compared, its age judged, spent in the
    /// filter, what it releases computed; and the continuation of the first pair of that sealed and written.
    pub fn renew(&mut self) {
        let held = Continuation::parse(&mut Reader::new(&self.bytes[..self.len])).expect("as it was written");
        let keys = self.keys.by_last_byte(held.keying.epoch).expect("the present epoch's");
        assert!(held.verify(keys, &self.id, &self.place, &self.seal), "its seal is right");
        assert_eq!(self.horizon.judge(self.wall, held.issuer, held.issued), Age::Fresh);
        self.replay.burn(self.now, &self.id, &held).expect("it was not spent before");
        let nonces = Nonces::new(&self.keys, self.id, &held.keying).expect("the present epoch's");
        let after = |tag, turn| nonces.after(tag, turn);
        let released = release(&held.spent(), Story::WHOLE, after).expect("nothing was lost");
        let foreseen = released.foresee(&held, held.keying, 0);
        let (issuer, serial) = self.replay.issue();
        let next = Continuation { issuer, serial, issued: Stamp::of(self.wall), ..released.tagged(&foreseen) };
        self.seal = next.seal(keys, &self.id, &self.place);
        self.give_out(&next);
        self.renewed += 1;
    }

    fn give_out(&mut self, continuation: &Continuation) {
        let mut writer = Writer::new(&mut self.bytes);
        continuation.emit(&mut writer).expect("there is room for the longest");
        self.len = writer.position();
    }
}
