//! Trickles: what requests and responses are made of, and a server that hears what clients, replicas and strangers may
//! say, sealed with its own keys or not.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::LazyLock;
use std::time::Duration;

use tng_base::{Datagram, Ecn, Eid, Input, Instant, Machine, Output};
use tng_crypto::Secret32;
use tng_isolation::{Identity, Refusal};
use tng_trickles::client::Introduction;
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::replay::{BloomSize, ISSUERS_MAX, Issuer};
use tng_trickles::server::{Beginnings, CacheConfig, FilterConfig, Server, ServerConfig};
use tng_trickles::wire::{
    Armor, Ask, DATAGRAM_LEN_MAX, DATAGRAM_LEN_MIN, Demand, Denial, Fault, Given, Kind as Wish, REQUEST, RequestHeader,
    ResponseHeader, Tell,
};
use tng_trickles::{
    ClientNetwork, ConnectionId, ConnectionSecret, Continuation, EPOCH, EpochSecret, Growth, INITIAL_WINDOW, Keying,
    Keys, Line, NUMBER_LIMIT, Nonces, PACKETS_PER_RELEASE_MAX, Proof, Puzzle, Renewal, Rtt, SERIAL_LIMIT,
    STATE_LEN_MAX, Site, Solution, Stamp, State, StateKind, Story, Tag, Turn, Wall, WallClock, release, tags, told,
};
use tng_wire::battery::emit;
use tng_wire::{Reader, Repr, Writer};

use crate::bytes::Script;
use crate::exchange::spoil;
use crate::parsers::{parser, survives};
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[
    parser("continuation", 300, (continuation, continuation_seeds)),
    parser("trickles_request", 1_400, (trickles_request, request_seeds)),
    Target {
        name: "trickles_server",
        kind: Kind::Stateful,
        len_max: 800,
        // The tables of a server, and what it copies of each request.
        memory: (32 << 20, 64 << 10),
        run: trickles_server,
        seeds: server_seeds,
    },
    Target {
        name: "trickles_plain",
        kind: Kind::Stateful,
        len_max: 1_400,
        memory: (32 << 20, 64 << 10),
        run: trickles_plain,
        seeds: plain_seeds,
    },
];

const EPOCH_AT_FIRST: u64 = 3_000_000;

fn keys_at(wall: Wall) -> Keys {
    let secret = EpochSecret::new(EPOCH_AT_FIRST - 1, Secret32::from_bytes([7; 32]));
    Keys::new(secret, wall).expect("keys of today")
}

fn wall_at_first() -> Wall {
    Wall::from_millis(EPOCH_AT_FIRST * EPOCH.as_millis() as u64 + 60_000)
}

static KEYS: LazyLock<Keys> = LazyLock::new(|| keys_at(wall_at_first()));
const ID: ConnectionId = ConnectionId([3; 16]);

/// What it writes, which is no more than a datagram and its items.
fn written(write: impl FnOnce(&mut Writer<'_>) -> Result<(), tng_wire::Full>) -> Vec<u8> {
    let mut bytes = [0; 2 * DATAGRAM_LEN_MAX];
    let mut writer = Writer::new(&mut bytes);
    write(&mut writer).expect("there is room");
    writer.written().to_vec()
}

// What is sealed

/// A continuation with its proof is read in one way, is good under its own seal alone, and whatever it says a release
/// comes of it or a refusal.
fn continuation(bytes: &[u8]) {
    let keys = &*KEYS;
    survives!(Puzzle, bytes);
    survives!(Solution, bytes);
    assert!(State::open(bytes, keys, &ID, 3).is_err(), "nobody sealed it");
    let Some((continuation, read)) = survives!(Continuation, bytes) else { return };
    let (present, place) = (keys.present(), ClientNetwork::of([192, 0, 2, 1].into()));
    let seal = continuation.seal(present, &ID, &place);
    assert!(continuation.verify(present, &ID, &place, &seal));
    assert!(!continuation.verify(present, &ConnectionId([4; 16]), &place, &seal));

    let (mut proof, mut reader) = (Proof::with_room(), Reader::new(&bytes[read..]));
    if proof.parse(Armor::Sealed, &mut reader, &continuation).is_err() {
        return;
    }
    let once = written(|writer| proof.emit(Armor::Sealed, writer));
    assert!(once.len() <= reader.position() && once.len() == proof.wire_len());
    let mut again = Proof::with_room();
    again.parse(Armor::Sealed, &mut Reader::new(&once), &continuation).expect("what was emitted parses");
    assert_eq!((again.came(), again.lost()), (proof.came(), proof.lost()));

    let nonces = Nonces::new(keys, ID, &Keying::of(present.number() as u8)).expect("of today");
    let after = |tag, turn: Turn| nonces.after(tag, turn);
    let _believed = proof.verify(&continuation, &nonces);
    let high = *continuation.numbers().end();
    let mut lines = 0;
    let counted = told(continuation.root, proof.story(), high, after, |_| {
        lines += 1;
        Ok::<(), ()>(())
    });
    assert!(counted.is_ok() && lines <= 4 * (proof.lost().len() + 1), "{lines} for {:?}", proof.lost());
    let Ok(release) = release(&continuation.spent(), proof.story(), after) else { return };
    assert!(release.numbers.start > high && release.numbers.end < NUMBER_LIMIT);
    let foreseen = release.foresee(&continuation, continuation.keying, 0);
    let next = Continuation { serial: continuation.serial ^ 1, ..release.tagged(&foreseen) };
    let given = Given { nonce: 1, continuation: next, seal };
    for foreseen in [None, Some(&foreseen)] {
        let sent = written(|writer| given.emit(Armor::Sealed, foreseen, writer));
        let mut reader = Reader::new(&sent);
        let back = Given::parse(Armor::Sealed, &mut reader, foreseen).expect("what was emitted parses");
        assert!(back == given && reader.is_empty(), "{given:?} became {back:?}");
    }
}

fn continuation_seeds() -> Vec<Vec<u8>> {
    let plain = drawn(&mut Script::new(&[0, 9, 20, 3, 5, 1]), wall_at_first(), 77);
    let other = Continuation {
        tag: Tag(9),
        keying: Keying { then: Some(Renewal { from: 30, epoch: 1 }), ..plain.keying },
        is_pair: false,
        ..plain
    };
    let with = |continuation: &Continuation, lost: &[u64]| {
        let mut proof = Proof::with_room();
        tell(&mut proof, continuation, lost, 5, None);
        [written(|writer| continuation.emit(writer)), written(|writer| proof.emit(Armor::Sealed, writer))].concat()
    };
    vec![with(&plain, &[]), with(&plain, &[5, 6, 9]), with(&other, &[11])]
}

// What requests and responses say

/// What is read is written in one way, under one seal; what was not sealed is not opened.
fn trickles_request(bytes: &[u8]) {
    let secret = ConnectionSecret::new(KEYS.present().connection_secret(&ID));
    if let Some((header, read)) = survives!(RequestHeader, bytes) {
        assert!(header.open(&secret.requests(), &mut bytes.to_vec()).is_err(), "nobody sealed it");
        let mut sealed = [bytes, &[0; 16]].concat();
        let seal = header.seal(&secret.requests(), &mut sealed);
        let (text, same) = header.open(&secret.requests(), &mut sealed).expect("it was sealed");
        assert!(text == &bytes[read..] && same == seal);
    }
    survives!(ResponseHeader, bytes);
    survives!(Introduction<'_>, bytes);
    let _ = Denial::parse(bytes);
    let mut reader = Reader::new(bytes);
    while let Ok(tell) = Tell::parse(&mut reader) {
        let once = written(|writer| tell.emit(writer));
        assert_eq!(Tell::parse(&mut Reader::new(&once)), Ok(tell));
    }

    let (mut proof, mut reader) = (Proof::with_room(), Reader::new(bytes));
    let Ok(demand) = Demand::parse(Armor::Sealed, &mut reader, &mut proof) else { return asks(bytes) };
    let once = written(|writer| demand.emit(Armor::Sealed, &proof, writer));
    assert!(once.len() <= reader.position(), "{demand:?} grew");
    let mut again = Proof::with_room();
    let back = Demand::parse(Armor::Sealed, &mut Reader::new(&once), &mut again).expect("what was emitted parses");
    assert_eq!(written(|writer| back.emit(Armor::Sealed, &again, writer)), once);
    asks(reader.rest());
}

fn asks(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    loop {
        let before = reader.position();
        let Ok(ask) = Ask::parse(&mut reader) else { return };
        let once = written(|writer| ask.emit(writer));
        assert!(once.len() <= reader.position() - before, "{ask:?} grew");
        assert_eq!(Ask::parse(&mut Reader::new(&once)).as_ref(), Ok(&ask));
        if let Ask::Want { ranges, .. } = ask {
            let all: Vec<Range<u64>> = ranges.iter().collect();
            assert!(!all.is_empty() && all.iter().all(|range| range.start < range.end));
            assert!(all.windows(2).all(|two| two[0].end <= two[1].start), "{all:?}");
        }
    }
}

fn some_asks() -> Vec<u8> {
    let put = Ask::Put { object: 4, input: b"", offset: 0, is_end: true, reserved: 1_000..9_000, data: b"\x01name" };
    let part = Ask::Put { object: 5, input: b"i", offset: 7, is_end: false, reserved: 9_000..9_001, data: b"more" };
    let want = written(|writer| Ask::emit_want(b"sealed", &[5..9, 20..30], writer));
    [want, written(|writer| put.emit(writer)), written(|writer| part.emit(writer)), vec![5]].concat()
}

fn request_seeds() -> Vec<Vec<u8>> {
    let continuation = drawn(&mut Script::new(&[0, 9, 20, 3, 5, 1]), wall_at_first(), 77);
    let mut proof = Proof::with_room();
    tell(&mut proof, &continuation, &[4, 5], 5, None);
    let demand = |kind| {
        let demand =
            Demand { renewal: Some(Renewal { from: 90, epoch: 2 }), ..Demand::new(kind, continuation, [1; 16]) };
        [written(|writer| demand.emit(Armor::Sealed, &proof, writer)), some_asks()].concat()
    };
    let header = RequestHeader { armor: Armor::Sealed, epoch: 1, id: ID, count: 2 };
    let place = ClientNetwork::of([192, 0, 2, 1].into());
    let fault = Tell::Fault { object: 4, fault: Fault::OutOfRange, text: tng_base::PeerText::new("no") };
    let tells = [Tell::Data { start: 70, data: b"data" }, Tell::Skip(80..90), fault];
    vec![
        demand(Wish::Spend),
        demand(Wish::Timeout { count: 1, asked: Stamp::of(Wall::from_millis(1)), moved_from: Some(place) }),
        [written(|writer| header.emit(writer)), b"sealed".to_vec()].concat(),
        tells.iter().flat_map(|tell| written(|writer| tell.emit(writer))).collect(),
        some_asks(),
    ]
}

// A server

/// A continuation as servers give them out, by a few bytes.
fn drawn(script: &mut Script<'_>, wall: Wall, serial: u64) -> Continuation {
    let base = [0, u64::from(script.u8()), NUMBER_LIMIT - 300][script.below(3)];
    let (far, back) = (u64::from(script.u8()), script.u8());
    let start = 1 + script.below(INITIAL_WINDOW as usize) as u64;
    let growth = Growth::new(base, start, start + u64::from(script.u8()));
    let root = Line { growth, tag: Tag(u32::from(back >> 6)) };
    // None: a seed.
    let (first, shown_from) = match far {
        0 => (base, base),
        far => (base + far, base + 1 + u64::from(back) % far),
    };
    Continuation {
        site: Site::default(),
        issuer: Issuer(1 + u32::from(back & 1)),
        serial,
        first,
        is_pair: far > 0 && back & 2 == 0,
        root,
        tag: root.tag,
        keying: Keying::of(EPOCH_AT_FIRST as u8),
        issued: Stamp::of(wall),
        rtt: Rtt::default(),
        shown_from,
    }
}

/// Says that all came that goes with a continuation but for `lost`.
fn tell(proof: &mut Proof, continuation: &Continuation, lost: &[u64], fold: u64, late: Option<u64>) -> bool {
    let (from, high) = (continuation.shown_from, *continuation.numbers().end());
    let mut came: Vec<Range<u64>> = Vec::new();
    for number in (from..=high).filter(|number| !lost.contains(number)) {
        match came.last_mut() {
            Some(range) if range.end == number => range.end += 1,
            _ => came.push(number..number + 1),
        }
    }
    proof.set((from, high), came, fold, late).is_ok()
}

/// Says it with the nonces that are due, and gives the continuation the tag that its numbers have by that.
fn prove(
    proof: &mut Proof,
    continuation: &mut Continuation,
    lost: &[u64],
    takes_back: bool,
    nonces: &Nonces<'_>,
) -> bool {
    let (from, high, root) = (continuation.shown_from, *continuation.numbers().end(), continuation.root);
    let late = lost.first().filter(|_| takes_back).map(|first| {
        let window = *first..first + root.growth.window(first - 1);
        let gaps = lost.iter().filter(|number| window.contains(number));
        gaps.fold(0, |fold, number| fold ^ nonces.nonce(root.tag, *number))
    });
    if !tell(proof, continuation, lost, 0, late) {
        return false;
    }
    let (mut fold, mut own) = (0, root.tag);
    let after = |tag, turn| nonces.after(tag, turn);
    let story = Story { lost: proof.lost(), is_undone: late.is_some() };
    let end = tags(root, story, (from, high), after, |piece, tag| {
        if piece.contains(&high) {
            own = tag;
        }
        let came = piece.filter(|number| !lost.contains(number));
        fold = came.fold(fold, |fold, number| fold ^ nonces.nonce(tag, number));
    });
    continuation.tag = own;
    tell(proof, continuation, lost, fold, late) && end == high + 1
}

/// Answers as the first byte of what it is asked for says.
struct Whims;

impl Application for Whims {
    fn version(&self) -> u16 {
        3
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let fill = |_: u64, buf: &mut [u8]| {
            buf.fill(9);
            Ok::<(), std::convert::Infallible>(())
        };
        match asked {
            Asked::Put { object, offset, reserved, data, .. } => match data.first().map_or(0, |first| first % 8) {
                0 => drop(answer.input(object, offset.saturating_add(data.len() as u64), Some(offset), data)),
                1 => {
                    answer.output(object, reserved.clone(), &data[..data.len().min(STATE_LEN_MAX)]);
                    let _sent = answer.send_with(reserved, fill);
                }
                2 => drop(answer.fault(object, Fault::Application(70), "no")),
                3 => drop(answer.skip(reserved)),
                4 => {
                    let may_compute = answer.may_compute(object, data, &reserved, 2);
                    let _sent = if may_compute { answer.send(reserved.start, data) } else { 0 };
                }
                5 => drop(answer.output(object, reserved, data)),
                _ => {}
            },
            Asked::Want { valid, ranges, .. } => {
                for range in ranges.iter() {
                    assert!(valid.start <= range.start && range.end <= valid.end);
                    let _sent = answer.send_with(range, fill);
                }
            }
            Asked::Close => {}
            Asked::Bad { .. } => unreachable!("the server says that"),
        }
    }
}

/// A request that was sent, to be sent again.
#[derive(Clone)]
struct Sent {
    datagram: Vec<u8>,
    remote: SocketAddr,
    client: u8,
    seal: [u8; 16],
    /// Whether its continuation may be spent: once.
    spends: bool,
    /// What it has brought.
    packets: usize,
}

struct World {
    server: Server<Whims>,
    now: Instant,
    clock: WallClock,
    entropy: u8,
    sent: Vec<Sent>,
    /// The keys and nonces of responses.
    seen: BTreeSet<([u8; 8], [u8; 16], u8)>,
    held: usize,
    serial: u64,
    forgets: bool,
}

fn remote(client: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, client & 1], 7))
}

fn id(client: u8) -> ConnectionId {
    ConnectionId([client; 16])
}

fn everybody(_: Eid, _: Option<&[u8]>) -> Result<(), Refusal> {
    Ok(())
}

/// Serials that a ring of these servers remembers, and bytes that all rings have at most.
const SERIALS: u64 = 1_000;
const RINGS_LEN_MAX: usize = ISSUERS_MAX * 512;
/// Bytes that two Bloom filters may have grown by.
const BLOOMS_LEN_MAX: usize = 64 << 10;
/// Bytes of what is kept for its memory between two answers: the largest answer in the making, and as it is sent, each
/// with as much room again, the request, and what is cached.
const ANSWERS_LEN_MAX: usize = 2 * 2 * 16 * DATAGRAM_LEN_MAX + 2 * DATAGRAM_LEN_MAX + 9_000;

impl World {
    fn new(script: &mut Script<'_>) -> World {
        World::with(script, false)
    }

    /// One whose server seals nothing.
    fn plain(script: &mut Script<'_>) -> World {
        World::with(script, true)
    }

    fn with(script: &mut Script<'_>, danger_plain: bool) -> World {
        let now = Instant::from_secs(100);
        let clock = WallClock::set(now, wall_at_first());
        let flags = script.u8();
        let filter = match flags & 1 {
            0 => FilterConfig::Serials(SERIALS),
            _ => FilterConfig::Filters(BloomSize::new(1 << 14, 6).expect("a size"), 0.000_2),
        };
        let caches = if flags & 2 == 0 { CacheConfig::default() } else { CacheConfig::of_bytes(9_000) };
        let config = ServerConfig { filter, timeouts: 16, caches, danger_plain, ..ServerConfig::default() };
        let beginnings = Beginnings {
            identity: Identity::from_seed([2; 32]),
            keys: keys_at(wall_at_first()),
            access: Box::new(everybody),
            clock,
            entropy: [4; 32],
        };
        // It has been there for longer than clocks differ.
        let server = Server::new(config, beginnings, Whims, Instant::from_secs(80));
        let held = server.held();
        let (sent, seen, forgets) = (Vec::new(), BTreeSet::new(), false);
        World { server, now, clock, entropy: 0, sent, seen, held, serial: 1 << 30, forgets }
    }

    fn wall(&self) -> Wall {
        self.clock.at(self.now)
    }

    /// Hands a datagram in, and gets all that is sent, each to who has asked.
    fn ask(&mut self, remote: SocketAddr, datagram: &[u8]) -> Vec<Vec<u8>> {
        let mut payload = datagram.to_vec();
        let segment_size = payload.len().max(1);
        let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
        self.server.handle_input(self.now, Input::Datagram(datagram));
        self.poll(Some(remote))
    }

    fn poll(&mut self, due: Option<SocketAddr>) -> Vec<Vec<u8>> {
        let (mut said, mut buf) = (Vec::new(), vec![0; 2 * DATAGRAM_LEN_MAX]);
        loop {
            match self.server.poll_output(self.now, &mut buf) {
                Output::Transmit(transmit) => {
                    assert!(due.is_none_or(|remote| remote == transmit.remote), "an answer goes elsewhere");
                    said.extend(buf[..transmit.len].chunks(transmit.segment_size).map(<[u8]>::to_vec));
                }
                Output::NeedsEntropy => {
                    self.entropy = self.entropy.wrapping_add(1);
                    self.server.handle_input(self.now, Input::Entropy(&mut [self.entropy; 32]));
                }
                Output::Timeout(_) => break,
                Output::Event(never) => match never {},
            }
        }
        let most = self.held + RINGS_LEN_MAX + BLOOMS_LEN_MAX + ANSWERS_LEN_MAX;
        assert!(self.server.held() <= most, "{} bytes are held, {} at first", self.server.held(), self.held);
        said
    }

    /// Responses to a request are sealed for its client, each under a key and a nonce of its own. Answers how many
    /// packets they bring: a denial brings none, and comes alone.
    fn check(&mut self, request: &Sent, said: &[Vec<u8>]) -> usize {
        let secret = ConnectionSecret::new(KEYS.present().connection_secret(&id(request.client)));
        for datagram in said {
            let header = ResponseHeader::parse(&mut Reader::new(datagram)).expect("a response");
            assert_eq!(header.handle, [request.client; 4]);
            let key = secret.responses(header.instance, &request.seal);
            let mut sealed = datagram.clone();
            let text = header.open(&key, &mut sealed).expect("it is for its client");
            assert!(self.seen.insert((header.instance.0, request.seal, header.index)), "a key and a nonce twice");
            if header.index == Denial::INDEX {
                assert!(Denial::parse(text).is_ok() && datagram.len() < request.datagram.len());
                assert_eq!(said.len(), 1);
                return 0;
            }
        }
        said.len()
    }

    fn sealed(&mut self, client: u8, count: u32, body: &[u8]) -> Sent {
        let keys = KEYS.present();
        let header = RequestHeader { armor: Armor::Sealed, epoch: keys.number() as u8, id: id(client), count };
        let mut datagram = [&written(|writer| header.emit(writer))[..], body, &[0; 16]].concat();
        let secret = ConnectionSecret::new(keys.connection_secret(&id(client)));
        let seal = header.seal(&secret.requests(), &mut datagram);
        Sent { datagram, remote: remote(client), client, seal, spends: false, packets: 0 }
    }

    /// A request with a continuation that servers could have given out, sealed as they do.
    fn demand(&mut self, script: &mut Script<'_>) {
        let (client, flags, more) = (script.below(3) as u8, script.u8(), script.u8());
        self.serial += 1;
        let mut continuation = drawn(script, self.wall(), self.serial % SERIAL_LIMIT);
        if more & 1 != 0 {
            continuation.issued =
                Stamp::of(Wall::from_millis(self.wall().as_millis() - 15_000 + 80 * u64::from(script.u8())));
        }
        if more & 2 != 0 {
            let from = continuation.shown_from.saturating_add(u64::from(script.u8()));
            let epoch = [EPOCH_AT_FIRST - 1, EPOCH_AT_FIRST, EPOCH_AT_FIRST + 1, 9][script.below(4)] as u8;
            continuation.keying.then = (from < NUMBER_LIMIT).then_some(Renewal { from, epoch });
        }
        if more & 4 != 0 {
            continuation.site = Site(1);
        }
        let own = continuation.numbers();
        let lost: Vec<u64> = (0..script.below(6))
            .map(|_| continuation.shown_from + u64::from(script.u8()))
            .filter(|number| !own.contains(number) && *number < continuation.first)
            .collect::<BTreeSet<u64>>()
            .into_iter()
            .collect();
        let mut proof = Proof::with_room();
        let proven = Nonces::new(&KEYS, id(client), &continuation.keying)
            .is_some_and(|nonces| prove(&mut proof, &mut continuation, &lost, flags & 1 != 0, &nonces));
        let lies = flags & 0x0e == 0;
        if !proven || lies {
            let fold = u64::from(script.u8());
            tell(&mut proof, &continuation, &lost, fold, None);
        }
        let moved_from = (flags & 0x20 != 0).then(|| ClientNetwork::of(remote(client ^ 1).ip()));
        let kind = match flags & 0x10 {
            0 => Wish::Spend,
            _ => Wish::Timeout { count: script.below(6) as u8, asked: continuation.issued, moved_from },
        };
        let place = match kind {
            Wish::Timeout { moved_from: Some(place), .. } => place,
            _ => ClientNetwork::of(remote(client).ip()),
        };
        let mut seal = continuation.seal(KEYS.present(), &id(client), &place);
        let is_forged = flags & 0xc0 == 0xc0;
        if is_forged {
            seal[script.below(16)] ^= 1;
        }
        let renewal =
            (more & 8 != 0).then(|| Renewal { from: continuation.first + 2, epoch: EPOCH_AT_FIRST as u8 + 1 });
        let datagram_len = [DATAGRAM_LEN_MIN, 1_452, DATAGRAM_LEN_MAX][script.below(3)];
        let demand =
            Demand { renewal, wants_secret: more & 16 != 0, datagram_len, ..Demand::new(kind, continuation, seal) };
        let asks = self.asks(script, client);
        let body = [written(|writer| demand.emit(Armor::Sealed, &proof, writer)), asks].concat();
        let sent = Sent { spends: kind == Wish::Spend, ..self.sealed(client, script.u8().into(), &body) };
        let said = self.ask(sent.remote, &sent.datagram);
        let packets = self.check(&sent, &said);
        assert!(said.iter().all(|datagram| datagram.len() <= datagram_len));
        // By chance a fold of one byte is right where nothing is shown.
        assert!(!is_forged || said.is_empty(), "a forged continuation is answered");
        assert!(!lies || packets == 0, "a lie is answered: {continuation:?} {proof:?}");
        if matches!(kind, Wish::Timeout { moved_from: Some(_), .. }) {
            let bytes: usize = said.iter().map(Vec::len).sum();
            assert!(bytes <= 3 * sent.datagram.len(), "{bytes} for {}", sent.datagram.len());
        }
        let most = continuation.root.growth.window(*continuation.numbers().end()).max(INITIAL_WINDOW) + 2;
        assert!(said.len() as u64 <= most, "{} packets, {most} are the window", said.len());
        self.sent.push(Sent { packets, ..sent });
    }

    /// What is asked for: whatever the bytes are, or something with what an application has sealed.
    fn asks(&self, script: &mut Script<'_>, client: u8) -> Vec<u8> {
        match script.below(4) {
            0 => script.piece().to_vec(),
            1 => some_asks(),
            what => {
                let mut out = [0; tng_trickles::SEALED_STATE_LEN_MAX];
                let (object, taken) = (u64::from(script.u8()), u64::from(script.u8()));
                let kind = match what {
                    2 => StateKind::Output { valid: 1_000..90_000 },
                    _ => StateKind::Input { taken },
                };
                let version = 3 + u16::from(script.below(8) == 0);
                let state = State { version, object, kind, bytes: b"state" };
                let sealed = state.seal(&KEYS, &id(client), &mut out).expect("it is short");
                let start = script.number();
                match what {
                    2 => {
                        let wanted = start..start + 1 + script.number();
                        written(|writer| Ask::emit_want(sealed, std::slice::from_ref(&wanted), writer))
                    }
                    _ => {
                        let (reserved, data) = (start..start + 1 + script.number(), script.take(20));
                        let is_end = taken & 1 == 0;
                        let put = Ask::Put { object, input: sealed, offset: taken, is_end, reserved, data };
                        written(|writer| put.emit(writer))
                    }
                }
            }
        }
    }

    fn again(&mut self, script: &mut Script<'_>) {
        let (pick, is_spoilt) = (script.below(self.sent.len()), script.below(2) == 0);
        let Some(sent) = self.sent.get(pick).cloned() else { return };
        let (mut datagram, mut is_changed) = (sent.datagram.clone(), false);
        if is_spoilt {
            is_changed = spoil(script, &mut datagram);
        }
        let said = self.ask(sent.remote, &datagram);
        if is_changed && datagram.first() == Some(&REQUEST) {
            assert!(said.is_empty(), "a changed request is answered");
        }
        if !is_changed {
            let packets = self.check(&sent, &said);
            let is_second = sent.spends && sent.packets > 0;
            assert!(!is_second || packets == 0 || self.forgets, "a continuation is spent twice");
            self.sent[pick].packets += packets;
        }
    }

    /// A minisocket of another server, which has its keys.
    fn install(&mut self, script: &mut Script<'_>) {
        let keys = KEYS.present();
        let ms = self.wall().as_millis() as u32;
        let head = [&[keys.number() as u8][..], &ms.to_be_bytes()[1..], &[0, 0, 0, script.u8()]].concat();
        let (client, has_good_keys) = (script.below(3) as u8, script.below(4) > 0);
        let body = match script.below(2) {
            0 => script.piece().to_vec(),
            _ => {
                let header = ResponseHeader {
                    armor: Armor::Sealed,
                    handle: [client; 4],
                    instance: tng_trickles::InstanceName([1; 8]),
                    count: 1,
                    index: 0,
                };
                let mut address = [0; 18];
                address[10..12].fill(0xff);
                address[12..16].copy_from_slice(&[192, 0, 2, client & 1]);
                let asks = self.asks(script, client);
                let text = [&written(|writer| header.emit(writer))[..], script.piece()].concat();
                let fixed = [&[keys.number() as u8][..], &id(client).0, &address, &[0; 18], &[0; 3], &[5; 32]].concat();
                let rest = written(|writer| {
                    header.emit(writer)?;
                    writer.prefixed(&asks)?;
                    writer.varint(script.number())?;
                    writer.prefixed(&text)
                });
                [fixed, rest].concat()
            }
        };
        let mut extracted = [head, body].concat();
        let tag = if has_good_keys { keys.extracted.tag(&[&extracted]) } else { [0; 16] };
        extracted.extend(tag);
        let first = self.server.install(self.now, &extracted);
        assert!(has_good_keys || first.is_err(), "nobody sealed it");
        if first.is_ok() {
            assert!(self.server.install(self.now, &extracted).is_err(), "twice");
        }
        let _sent = self.poll(None);
    }
}

/// Nothing panics. Nobody gets an answer to what was changed, forged, made up or spent; nothing is sealed twice under
/// one key and nonce; and what the server holds does not grow, whatever anybody says.
fn trickles_server(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut world = World::new(&mut script);
    while !script.is_over() {
        match script.below(10) {
            0 => {
                let datagram = script.piece();
                let said: usize = world.ask(remote(0), datagram).iter().map(Vec::len).sum();
                assert!(said <= datagram.len(), "{said} bytes for {} of noise", datagram.len());
            }
            1 => {
                let client = script.below(3) as u8;
                let sent = world.sealed(client, 1, script.piece());
                let said = world.ask(sent.remote, &sent.datagram);
                world.check(&sent, &said);
            }
            2..=5 => world.demand(&mut script),
            6 => world.again(&mut script),
            7 => world.now += Duration::from_millis(u64::from(script.u8()).pow(2)),
            8 => {
                let (what, by) = (script.below(4), u64::from(script.u8()));
                match what {
                    0 => world.server.set_load(by as f64 / 200.0),
                    1 => world.server.drop_caches(),
                    _ => {
                        let ahead = if what == 2 { by } else { 0 };
                        let wall = Wall::from_millis(
                            (world.wall().as_millis() + 100 * ahead) - if what == 3 { 100 * by } else { 0 },
                        );
                        world.clock = WallClock::set(world.now, wall);
                        world.server.set_clock(world.clock);
                        // By time alone two Bloom filters forget what a clock that goes back makes young again.
                        world.forgets |= what == 3;
                    }
                }
            }
            _ => world.install(&mut script),
        }
    }
}

/// A server that seals nothing believes what it reads: nothing panics, no request releases more than one may, and what
/// it holds does not grow. What is read of a request is written in one way without seals, too.
fn trickles_plain(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut world = World::plain(&mut script);
    while !script.is_over() {
        if script.below(16) == 0 {
            world.now += Duration::from_millis(u64::from(script.u8()).pow(2));
        }
        let (client, body) = (script.below(3) as u8, script.piece());
        let (mut proof, mut reader) = (Proof::with_room(), Reader::new(body));
        if let Ok(demand) = Demand::parse(Armor::Plain, &mut reader, &mut proof) {
            let once = written(|writer| demand.emit(Armor::Plain, &proof, writer));
            let mut again = Proof::with_room();
            let back = Demand::parse(Armor::Plain, &mut Reader::new(&once), &mut again).expect("it was written");
            assert_eq!(written(|writer| back.emit(Armor::Plain, &again, writer)), once);
        }
        let header =
            RequestHeader { armor: Armor::Plain, epoch: KEYS.present().number() as u8, id: id(client), count: 1 };
        let request = [&written(|writer| header.emit(writer))[..], body].concat();
        let said = world.ask(remote(client), &request);
        assert!(said.len() as u64 <= PACKETS_PER_RELEASE_MAX, "{} packets", said.len());
        for datagram in said {
            let header = ResponseHeader::parse(&mut Reader::new(&datagram)).expect("a response");
            assert_eq!((header.armor, header.handle), (Armor::Plain, [client; 4]));
        }
    }
}

fn plain_seeds() -> Vec<Vec<u8>> {
    // Packets 21 and 22 of a line, which say that all came; and what asks for an object.
    const CONTINUATION: [u8; 28] =
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 77, 21, 20, 19, 10, 20, 0, 0, 0, 1, 192, 93, 58, 96, 0, 0, 0];
    const CAME: [u8; 3] = [1, 0, 21];
    const PUT: [u8; 10] = [3, 4, 0, 0, 67, 232, 95, 64, 1, 120];
    const AROUND: [u8; 5] = [0x44, 0xb0, 0, 0, 0];
    // Time stands still, a client, and a piece with its length.
    let piece = |body: Vec<u8>| [&[1, 1][..], &(body.len() as u16).to_be_bytes(), &body].concat();
    let spend = [&[0][..], &AROUND, &CONTINUATION, &CAME].concat();
    let timeout = [&[1, 0, 93, 58, 96][..], &AROUND, &CONTINUATION, &CAME].concat();
    vec![
        [&[0][..], &piece([&spend[..], &PUT].concat()), &piece(spend.clone())].concat(),
        [&[1][..], &piece([&timeout[..], &PUT].concat()), &piece(vec![9, 9])].concat(),
    ]
}

fn server_seeds() -> Vec<Vec<u8>> {
    // What stands behind 2 to 5: client, flags, more; base, which, far, back, start, threshold; lost; and so on.
    let spend = |client: u8, far: u8, lost: &[u8]| -> Vec<u8> {
        let head = [2, client, 2, 0, 0, 0, far, 0, 9, 20, lost.len() as u8];
        [&head[..], lost, &[0, 1, 0]].concat()
    };
    let timeout = |client: u8, moved: u8| vec![3, client, 0x12 | moved, 0, 0, 0, 30, 0, 9, 20, 0, 1, 0, 1, 0];
    // All numbers are used up.
    let at_the_end = vec![3, 1, 0x12, 0, 0, 2, 250, 0, 9, 90, 0, 1, 0, 1, 0];
    // Another server's name, client, good keys; asks, a packet of 12 bytes, and room for 1,200.
    let installed = |client: u8| [&[9, 1, client, 1, 1, 1, 0, 12][..], &[7; 12], &[0x40, 4, 0xb0]].concat();
    let life = |filter: u8, parts: &[Vec<u8>]| [&[filter][..], &parts.concat()].concat();
    let honest = [spend(0, 0, &[]), spend(0, 1, &[]), spend(0, 9, &[]), spend(1, 40, &[3, 9])];
    vec![
        life(0, &[&honest[..], &[vec![6, 0, 1, 6, 1, 0]]].concat()),
        life(1, &[&honest[..], &[vec![7, 90], timeout(0, 0), timeout(1, 0x20)]].concat()),
        life(2, &[installed(1), vec![8, 0, 190], spend(0, 5, &[]), vec![8, 2, 80], spend(0, 7, &[]), vec![6, 1, 1]]),
        life(
            3,
            &[
                vec![0, 0, 4, 0xa8, 1, 2, 3, 1, 0, 0, 3, 0, 1, 2],
                vec![8, 3, 50],
                installed(1),
                timeout(2, 0),
                at_the_end,
            ],
        ),
    ]
}
