//! A server and clients that do each step by hand.

use core::net::SocketAddr;
use core::ops::Range;
use core::time::Duration;

use tng_base::{Datagram, Ecn, Rng};
use tng_crypto::{Secret32, SecretRng};
use tng_isolation::{Identity, Refusal, RefusalCode};
use tng_nonce::Receipts;
use tng_wire::{Reader, Repr};

use super::*;
use crate::Kept;
use crate::minisocket::{Answer, Asked, InstallError};
use crate::set_up::{Call, Dial, Heard};
use crate::wire::{Ask, Demand, Fault, Kind, RequestHeader};
use crate::{
    ConnectionId, ConnectionSecret, Continuation, EPOCH, EpochSecret, Keys, Release, Story, Wall,
    release_after_timeout, release_foreseen, window_after_timeout,
};

mod bad;
mod caches;
mod fleet;
mod load;
mod plain;

const SOME_EPOCH: u64 = 3_000_000;
/// What an object has of bytes.
const OBJECT_LEN: u64 = 100_000;
/// Where it stands in the client's row.
const AT: u64 = 1 << 20;

fn wall(time: Duration) -> Wall {
    Wall::from_millis(SOME_EPOCH * EPOCH.as_millis() as u64).after(time)
}

fn keys() -> Keys {
    let secret = EpochSecret::new(SOME_EPOCH - 1, Secret32::from_bytes([7; 32]));
    Keys::new(secret, wall(Duration::ZERO)).unwrap()
}

fn home() -> SocketAddr {
    "192.0.2.1:7".parse().unwrap()
}

fn byte(at: u64) -> u8 {
    (at ^ at >> 8 ^ at >> 16) as u8
}

/// Serves objects that are as long as they are asked for by name, and seals the name.
#[derive(Default)]
struct Objects {
    opened: u32,
    closed: u32,
    /// Whether it may be asked for so much alone as the server allows, how often it was put something, and how often
    /// it has computed what is expensive.
    is_expensive: bool,
    put: u32,
    computed: u32,
}

impl Application for Objects {
    fn version(&self) -> u16 {
        3
    }

    fn open(&mut self, _: &Client) {
        self.opened += 1;
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, is_end: true, reserved, data, .. } => {
                self.put += 1;
                if self.is_expensive {
                    // Whether it is remembered or not: nobody is to see that.
                    if !answer.may_compute(object, data, &reserved, 0) {
                        return;
                    }
                    if answer.remembered(data).is_none() {
                        self.computed += 1;
                        answer.remember(data, 1, Kept::Output(b"it"[..].into()));
                    }
                }
                let len: u64 = core::str::from_utf8(data).unwrap().parse().unwrap();
                let end = reserved.end.min(reserved.start + len);
                answer.output(object, reserved.start..end, data);
                answer.send_with(reserved.start..end, |at, buf| fill(reserved.start, at, buf)).unwrap();
                answer.skip(end..reserved.end);
            }
            Asked::Put { object, offset, data, .. } => {
                answer.input(object, offset + data.len() as u64, None, data);
            }
            Asked::Want { valid, ranges, .. } => {
                for range in ranges.iter() {
                    answer.send_with(range, |at, buf| fill(valid.start, at, buf)).unwrap();
                }
            }
            Asked::Close => self.closed += 1,
            Asked::Bad { .. } => unreachable!("the server says that"),
        }
    }
}

fn fill(start: u64, at: u64, buf: &mut [u8]) -> Result<(), core::convert::Infallible> {
    buf.iter_mut().zip(at - start..).for_each(|(place, at)| *place = byte(at));
    Ok(())
}

/// A server with a driver around it that hands in entropy.
struct Host<A = Objects> {
    server: Server<A>,
    now: Instant,
    entropy: Rng,
}

impl Host {
    fn new(seed: u64, config: ServerConfig) -> Host {
        let now = Instant::from_secs(105);
        Host::started(seed, config, now, WallClock::set(now, wall(Duration::from_secs(60))))
    }

    /// A replica with the clock of [`Host::new`], that has been there for longer than clocks differ.
    fn earlier(seed: u64, config: ServerConfig) -> Host {
        let (now, begun) = (Instant::from_secs(105), Instant::from_secs(75));
        let clock = WallClock::set(now, wall(Duration::from_secs(60)));
        Host { now, ..Host::started(seed, config, begun, clock) }
    }

    fn started(seed: u64, config: ServerConfig, now: Instant, clock: WallClock) -> Host {
        Host::serving(Objects::default(), seed, config, now, clock)
    }
}

impl<A: Application> Host<A> {
    fn serving(application: A, seed: u64, config: ServerConfig, now: Instant, clock: WallClock) -> Host<A> {
        let mut entropy = Rng::from_u64(seed);
        let beginnings = Beginnings {
            identity: Identity::from_seed([2; 32]),
            keys: keys(),
            access: Box::new(|_, _: Option<&[u8]>| Ok::<(), Refusal>(())),
            clock,
            entropy: entropy.bytes(),
        };
        Host { server: Server::new(config, beginnings, application, now), now, entropy }
    }

    fn take(&mut self, remote: SocketAddr, datagram: &[u8]) {
        let mut payload = datagram.to_vec();
        let segment_size = payload.len().max(1);
        let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
        self.server.handle_input(self.now, Input::Datagram(datagram));
    }

    fn poll(&mut self) -> Vec<(SocketAddr, Vec<u8>)> {
        let (mut sent, mut buf) = (Vec::new(), vec![0; 65_536]);
        loop {
            match self.server.poll_output(self.now, &mut buf) {
                Output::Transmit(transmit) => {
                    let datagrams = buf[..transmit.len].chunks(transmit.segment_size);
                    sent.extend(datagrams.map(|datagram| (transmit.remote, datagram.to_vec())));
                }
                Output::NeedsEntropy => {
                    let mut entropy = self.entropy.bytes();
                    self.server.handle_input(self.now, Input::Entropy(&mut entropy));
                }
                Output::Timeout(_) => return sent,
                Output::Event(never) => match never {},
            }
        }
    }

    fn ask(&mut self, remote: SocketAddr, datagram: &[u8]) -> Vec<Vec<u8>> {
        self.take(remote, datagram);
        self.poll().into_iter().map(|(_, datagram)| datagram).collect()
    }
}

/// A continuation that is held, with its seal.
type Held = (Continuation, [u8; 16]);

/// A client that has one connection, and loses nothing unless it is told.
struct ByHand {
    remote: SocketAddr,
    id: ConnectionId,
    epoch: u8,
    secret: ConnectionSecret,
    count: u32,
    receipts: Receipts,
    held: Vec<Held>,
    got: Vec<(u64, Vec<u8>)>,
    outputs: Vec<(u64, Vec<u8>)>,
    inputs: Vec<(u64, Vec<u8>)>,
    faults: Vec<(u64, Fault)>,
    puzzles: Vec<crate::Puzzle>,
    skipped: Vec<Range<u64>>,
    /// Where a server sees it.
    told_place: Option<ClientNetwork>,
}

fn asks(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut bytes = vec![0; 1_000];
    let mut writer = Writer::new(&mut bytes);
    write(&mut writer);
    let len = writer.position();
    bytes.truncate(len);
    bytes
}

fn put(object: u64, len: &str) -> Vec<u8> {
    let (input, reserved) = (&[][..], AT..AT + OBJECT_LEN);
    asks(|writer| {
        Ask::Put { object, input, offset: 0, is_end: true, reserved, data: len.as_bytes() }.emit(writer).unwrap()
    })
}

impl ByHand {
    /// Sets up a connection, and asks for something with the first datagram.
    fn new<A: Application>(host: &mut Host<A>, seed: u64, first: Vec<u8>) -> ByHand {
        ByHand::with(host, seed, first, None).0
    }

    fn with<A: Application>(
        host: &mut Host<A>,
        seed: u64,
        first: Vec<u8>,
        token: Option<crate::set_up::AddressToken>,
    ) -> (ByHand, crate::set_up::AddressToken) {
        ByHand::at(home(), host, seed, first, token)
    }

    /// A client that is there.
    fn at<A: Application>(
        remote: SocketAddr,
        host: &mut Host<A>,
        seed: u64,
        first: Vec<u8>,
        token: Option<crate::set_up::AddressToken>,
    ) -> (ByHand, crate::set_up::AddressToken) {
        let (alice, bob) = (Identity::from_seed([1; 32]), Identity::from_seed([2; 32]).eid());
        let call = Call { first, token, ..Call::new(bob) };
        let mut rng = SecretRng::new(Rng::from_u64(seed).bytes::<32>());
        let dial = Dial::new(&alice, &call, &mut rng).unwrap();
        let init = dial.datagram().to_vec();
        let answers = host.ask(remote, &init);
        assert!(!answers.is_empty(), "{:?}", host.server.stats());
        let Heard::Welcomed(welcomed) = dial.handle(&answers[0]) else { panic!("it is welcome") };
        let mut client = ByHand {
            remote,
            id: welcomed.id,
            epoch: welcomed.epoch,
            secret: welcomed.secret,
            count: 0,
            receipts: Receipts::new(0),
            held: Vec::new(),
            got: Vec::new(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            faults: Vec::new(),
            puzzles: Vec::new(),
            skipped: Vec::new(),
            told_place: Some(welcomed.place),
        };
        client.read(&welcomed.rest, None, 0);
        if answers.len() > 1 {
            let seed = client.held.pop().unwrap().0;
            let release =
                Release { numbers: seed.root.growth.first(), ..release_foreseen(&seed, Story::WHOLE).unwrap() };
            let seal = *init.last_chunk().unwrap();
            client.hear(&answers[1..], UNASKED, &seal, &seed, &release);
        }
        (client, welcomed.token)
    }

    /// Reads what was sealed of a packet.
    fn read(&mut self, text: &[u8], foreseen: Option<&Continuation>, second: u64) {
        let mut reader = Reader::new(text);
        let Given { nonce, continuation, seal } = Given::parse(Armor::Sealed, &mut reader, foreseen).unwrap();
        let number = continuation.first + if continuation.is_pair { second } else { 0 };
        self.receipts.receive(number, nonce).unwrap();
        if !self.held.iter().any(|(held, _)| held.first == continuation.first) {
            self.held.push((continuation, seal));
        }
        while !reader.is_empty() {
            match Tell::parse(&mut reader).unwrap() {
                Tell::Data { start, data } => self.got.push((start, data.to_vec())),
                Tell::Skip(bytes) => self.skipped.push(bytes),
                Tell::Output { object, output, .. } => self.outputs.push((object, output.to_vec())),
                Tell::Input { object, input, .. } => self.inputs.push((object, input.to_vec())),
                Tell::Fault { object, fault, .. } => self.faults.push((object, fault)),
                Tell::Secret { epoch, secret } => {
                    (self.epoch, self.count) = (epoch, 0);
                    self.secret = ConnectionSecret::new(Secret32::from_bytes(*secret));
                }
                Tell::Puzzle { puzzle, .. } => self.puzzles.push(puzzle),
                Tell::ClientNetwork(place) => self.told_place = Some(place),
            }
        }
    }

    fn hear(&mut self, answers: &[Vec<u8>], count: u32, seal: &[u8; 16], spent: &Continuation, release: &Release) {
        self.hear_as(answers, count, seal, (spent, spent.keying), release);
    }

    fn hear_as(
        &mut self,
        answers: &[Vec<u8>],
        count: u32,
        seal: &[u8; 16],
        (spent, keying): (&Continuation, Keying),
        release: &Release,
    ) {
        // What one tells may change the secret: all are opened before.
        let open = |datagram: &Vec<u8>| {
            let header = ResponseHeader::parse(&mut Reader::new(datagram)).unwrap();
            assert_eq!((header.count, &header.handle[..]), (count, &self.id.0[..4]));
            let mut datagram = datagram.clone();
            let text = header.open(&self.secret.responses(header.instance, seal), &mut datagram).unwrap().to_vec();
            (header, text)
        };
        let opened: Vec<_> = answers.iter().map(open).collect();
        for (header, text) in opened {
            let foreseen = release.foresee(spent, keying, header.index);
            self.read(&text, Some(&foreseen), u64::from(header.index & 1));
        }
    }

    /// What the server says of the last request, which it does not grant: less than it was asked with.
    fn denied(&self, answers: &[Vec<u8>], seal: &[u8; 16]) -> Denial {
        self.denied_at(answers, seal).0
    }

    /// The same, with what its clock says.
    fn denied_at(&self, answers: &[Vec<u8>], seal: &[u8; 16]) -> (Denial, Stamp) {
        let [answer] = answers else { panic!("{} answers", answers.len()) };
        assert_eq!(answer.len(), Denial::RESPONSE_LEN);
        let header = ResponseHeader::parse(&mut Reader::new(answer)).unwrap();
        assert_eq!((header.count, header.index), (self.count - 1, Denial::INDEX));
        let key = self.secret.responses(header.instance, seal);
        Denial::parse(header.open(&key, &mut answer.clone()).unwrap()).unwrap()
    }

    /// A request that spends what is held at that place.
    fn request(&mut self, held: Held, kind: Kind, asks: &[u8]) -> (Vec<u8>, [u8; 16]) {
        self.asking(held, kind, None, asks)
    }

    /// One that asks for the secret of the present epoch and names when its nonces are of it.
    fn renewing(&mut self, held: Held, kind: Kind, renewal: crate::Renewal) -> (Vec<u8>, [u8; 16]) {
        self.asking(held, kind, Some(renewal), b"")
    }

    fn asking(
        &mut self,
        (continuation, seal): Held,
        kind: Kind,
        renewal: Option<crate::Renewal>,
        asks: &[u8],
    ) -> (Vec<u8>, [u8; 16]) {
        let (from, high) = (continuation.shown_from, *continuation.numbers().end());
        let came: Vec<_> = self.receipts.proofs().map(|proof| proof.range).collect();
        let came = came.into_iter().map(|range| range.start.max(from)..range.end.min(high + 1));
        let came: Vec<_> = came.filter(|range| !range.is_empty()).collect();
        let fold = came.iter().fold(0, |fold, range| fold ^ self.receipts.fold(range.clone()));
        let mut proof = Proof::with_room();
        proof.set((from, high), came, fold, None).unwrap();
        let wants_secret = renewal.is_some();
        let demand = Demand { renewal, wants_secret, ..Demand::new(kind, continuation, seal) };
        self.sealed(&demand, &proof, asks)
    }

    fn sealed(&mut self, demand: &Demand, proof: &Proof, asks: &[u8]) -> (Vec<u8>, [u8; 16]) {
        let header = RequestHeader { armor: Armor::Sealed, epoch: self.epoch, id: self.id, count: self.count };
        self.count += 1;
        let mut bytes = vec![0; 1_000 + asks.len()];
        let mut writer = Writer::new(&mut bytes);
        header.emit(&mut writer).unwrap();
        demand.emit(Armor::Sealed, proof, &mut writer).unwrap();
        writer.bytes(asks).unwrap();
        writer.bytes(&[0; 16]).unwrap();
        let len = writer.position();
        bytes.truncate(len);
        let seal = header.seal(&self.secret.requests(), &mut bytes);
        (bytes, seal)
    }

    /// Spends the first that is held, and hears all that comes. Answers how many packets came.
    fn spend<A: Application>(&mut self, host: &mut Host<A>, asks: &[u8]) -> usize {
        let held = self.held.remove(0);
        self.spend_this(host, held, asks)
    }

    fn spend_this<A: Application>(&mut self, host: &mut Host<A>, held: Held, asks: &[u8]) -> usize {
        let (datagram, seal) = self.request(held, Kind::Spend, asks);
        let answers = host.ask(self.remote, &datagram);
        let release = release_foreseen(&held.0, Story::WHOLE).unwrap();
        self.hear(&answers, self.count - 1, &seal, &held.0, &release);
        answers.len()
    }

    /// Checks all that came of the object, and answers how much that is.
    fn checked(&self) -> usize {
        for (start, data) in &self.got {
            assert!(data.iter().zip(start - AT..).all(|(got, at)| *got == byte(at)));
        }
        self.got.iter().map(|(_, data)| data.len()).sum()
    }
}

#[test]
fn a_request_in_the_first_datagram_is_answered_in_the_first_within_three_times_its_bytes() {
    let mut host = Host::new(1, ServerConfig::default());
    let client = ByHand::new(&mut host, 1, put(4, "100000"));
    assert!(client.checked() > 400, "{}", client.checked());
    assert_eq!((client.outputs.len(), client.held.len()), (1, 1));
    assert!(client.held[0].0.is_seed());
    assert_eq!((host.server.application().opened, host.server.stats().opened), (1, 1));
}

#[test]
fn who_shows_an_address_token_has_the_first_window_at_once() {
    let mut host = Host::new(1, ServerConfig::default());
    let (_, token) = ByHand::with(&mut host, 1, put(4, "100000"), None);
    let (client, _) = ByHand::with(&mut host, 2, put(4, "100000"), Some(token));
    assert!(client.checked() > 10_000, "{}", client.checked());
    assert_eq!(client.held.len(), 5, "ten packets in pairs");
}

#[test]
fn a_seed_is_worth_the_first_window_and_a_pair_two_packets_and_what_the_window_grows() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let output = client.outputs[0].1.clone();
    let want = |from: u64| {
        let (start, end) = (AT + from, AT + OBJECT_LEN);
        asks(|writer| Ask::emit_want(&output, &[Range { start, end }], writer).unwrap())
    };
    assert_eq!(client.spend(&mut host, &want(500)), 10);
    let (mut released, mut requests) = (10, 0);
    while released < 2_000 {
        let held = client.held[0].0;
        let due = 2 * held.numbers().count();
        assert_eq!(client.spend(&mut host, &want(1_000)), due, "slow start");
        (released, requests) = (released + due, requests + 1);
    }
    client.checked();
    assert!(requests * 2 < released, "a request for two packets");
    assert_eq!(host.server.stats().spent + host.server.stats().refused, 0);
}

#[test]
fn answers_to_one_client_leave_together_if_they_are_of_one_length_and_others_by_themselves() {
    let mut host = Host::new(1, ServerConfig::default());
    let (mut one, mut other) = {
        let mut client = |seed| ByHand::new(&mut host, seed, put(4, "100000"));
        (client(1), client(2))
    };
    let elsewhere = "192.0.2.1:8".parse().unwrap();
    for client in [&mut one, &mut other] {
        // Packets without anything in them are of one length.
        assert_eq!(client.spend(&mut host, b""), 10);
    }
    let mut clients = [one, other];
    for (from, which) in [(home(), 0), (home(), 0), (elsewhere, 1), (home(), 0)] {
        let client = &mut clients[which];
        let held = client.held.remove(0);
        let (datagram, _) = client.request(held, Kind::Spend, b"");
        host.take(from, &datagram);
    }
    let (mut batches, mut buf) = (Vec::new(), vec![0; 65_536]);
    loop {
        match host.server.poll_output(host.now, &mut buf) {
            Output::Transmit(transmit) => {
                batches.push((transmit.remote, transmit.len.div_ceil(transmit.segment_size)));
            }
            Output::NeedsEntropy => {
                let mut entropy = host.entropy.bytes();
                host.server.handle_input(host.now, Input::Entropy(&mut entropy));
            }
            _ => break,
        }
    }
    assert_eq!(batches, [(home(), 8), (elsewhere, 4), (home(), 4)]);
    assert_eq!(host.server.stats().answered, 6);
}

#[test]
fn nothing_is_held_of_clients_however_many_they_are() {
    let mut host = Host::new(1, ServerConfig::default());
    let held = |host: &Host| host.server.held();
    let at_first = held(&host);
    let mut first = ByHand::new(&mut host, 1, put(4, "100000"));
    first.spend(&mut host, b"");
    let before = held(&host);
    for seed in 2..60 {
        let mut client = ByHand::new(&mut host, seed, put(4, "100000"));
        (0..3).for_each(|_| assert!(client.spend(&mut host, b"") > 0));
    }
    assert_eq!(held(&host), before);
    // What it keeps for what comes next it gives back when it is told to.
    host.server.drop_caches();
    assert_eq!(held(&host), at_first);
    // Control: what is under way is held.
    host.take(home(), &[crate::wire::REQUEST; 1_000]);
    assert!(held(&host) >= at_first + 1_000);
}

#[test]
fn a_connection_outlives_its_keys_and_a_server_erases_them_though_nobody_asks() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    let (epoch, held) = (client.epoch, client.held[0]);
    let Output::Timeout(Some(at)) = host.server.poll_output(host.now, &mut []) else { panic!("nothing to do") };
    assert_eq!(at.since(host.now), EPOCH - Duration::from_secs(60));
    // The client asks for the secret of the epoch, and names the number from which on its nonces should be of it.
    host.now = at + Duration::from_secs(5);
    let asked = Stamp::of(host.server.gate.wall(host.now));
    let kind = Kind::Timeout { count: 0, asked, moved_from: None };
    let from = held.0.first + 1_000_000;
    let (datagram, seal) = client.renewing(held, kind, crate::Renewal { from, epoch: epoch.wrapping_add(1) });
    let answers = host.ask(home(), &datagram);
    assert_eq!(answers.len(), 10);
    let release = release_after_timeout(&held.0, window_after_timeout(0), held.0.tag);
    client.held.clear();
    client.receipts = Receipts::new(release.root.growth.base());
    let keying = held.0.keying.renewed(Some(crate::Renewal { from, epoch: epoch.wrapping_add(1) }));
    client.hear_as(&answers, client.count - 1, &seal, (&held.0, keying), &release);
    assert_eq!((client.epoch, client.held[0].0.keying), (epoch.wrapping_add(1), keying));
    assert!(client.spend(&mut host, b"") > 1, "under the secret of the next epoch");
    // What the application sealed is sealed anew as it is used.
    let output = client.outputs[0].1.clone();
    client.outputs.clear();
    let want = asks(|writer| Ask::emit_want(&output, &[Range { start: AT, end: AT + 9 }], writer).unwrap());
    client.spend(&mut host, &want);
    assert_eq!((client.outputs.len(), client.outputs[0].1[0]), (1, epoch.wrapping_add(1)));
    // Two epochs later the first keys are erased, by the timer alone.
    host.now = at + 2 * EPOCH;
    host.server.handle_timeout(host.now);
    assert!(host.server.gate.keys.by_last_byte(epoch).is_none());
}

/// How long a connection is answered that asks for a timeout every five seconds, and each time for the secret of the
/// epoch; half an hour at most.
fn answered_for(host: &mut Host, seed: u64) -> Duration {
    let mut client = ByHand::new(host, seed, put(4, "100000"));
    client.spend(host, b"");
    let begun = host.now;
    while host.now.since(begun) < 3 * EPOCH {
        host.now += Duration::from_secs(5);
        let held = *client.held.last().unwrap();
        let asked = Stamp::of(host.server.gate.wall(host.now));
        let kind = Kind::Timeout { count: 0, asked, moved_from: None };
        let renewal = crate::Renewal { from: held.0.numbers().end() + 1, epoch: client.epoch };
        let (datagram, seal) = client.renewing(held, kind, renewal);
        let answers = host.ask(home(), &datagram);
        if answers.is_empty() {
            break;
        }
        client.held.clear();
        let release = release_after_timeout(&held.0, window_after_timeout(0), held.0.tag);
        client.receipts = Receipts::new(release.root.growth.base());
        let keying = held.0.keying.renewed(Some(renewal));
        client.hear_as(&answers, client.count - 1, &seal, (&held.0, keying), &release);
    }
    host.now.since(begun)
}

#[test]
fn at_a_server_that_does_not_renew_secrets_who_is_not_let_in_any_more_is_out_when_its_keys_are_erased() {
    let mut host = Host::new(1, ServerConfig { renews: false, ..ServerConfig::default() });
    let init = {
        let (alice, bob) = (Identity::from_seed([1; 32]), Identity::from_seed([2; 32]).eid());
        let dial = Dial::new(&alice, &Call::new(bob), &mut SecretRng::new([5; 32])).unwrap();
        dial.datagram().to_vec()
    };
    assert_eq!(host.ask(home(), &init).len(), 1);
    assert_eq!(host.server.stats().opened, 1);
    // The epoch has nine minutes to go, and its keys are there for another one. The last request comes five seconds
    // before they are erased.
    let lived = answered_for(&mut host, 1);
    assert_eq!(lived, 2 * EPOCH - Duration::from_secs(60));
    assert_eq!(host.server.stats().last_refused, Some(Refused::Epoch));
    // Its ticket was taken back meanwhile: there is no way in.
    host.server.set_access(Box::new(|_, _: Option<&[u8]>| {
        Err(Refusal { code: RefusalCode::NotAllowed, reason: "taken back".into() })
    }));
    let before = host.server.stats().opened;
    host.ask(home(), &init);
    assert_eq!(host.server.stats().opened, before);
    // Control: one that renews them asks nobody again whether the client is let in.
    let mut renewing = Host::new(1, ServerConfig::default());
    assert_eq!(answered_for(&mut renewing, 1), 3 * EPOCH);
    assert_eq!(renewing.server.stats().refused, 0);
}

#[test]
fn a_server_that_does_not_renew_secrets_gives_none_and_names_no_keys_to_come() {
    let mut host = Host::new(1, ServerConfig { renews: false, ..ServerConfig::default() });
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    let (epoch, held) = (client.epoch, client.held.remove(0));
    // It names the next epoch, whose keys the server has already.
    let renewal = crate::Renewal { from: held.0.first + 100, epoch: epoch.wrapping_add(1) };
    let (datagram, seal) = client.renewing(held, Kind::Spend, renewal);
    let answers = host.ask(home(), &datagram);
    let release = release_foreseen(&held.0, Story::WHOLE).unwrap();
    client.hear_as(&answers, client.count - 1, &seal, (&held.0, held.0.keying.renewed(Some(renewal))), &release);
    assert_eq!((client.epoch, client.held.last().unwrap().0.keying), (epoch, Keying::of(epoch)));
    assert_eq!(client.count, 2, "counts begin anew with a secret");
    assert!(client.spend(&mut host, b"") > 1, "it goes on");
}

#[test]
fn a_server_that_remembers_keys_answers_the_same_and_forgets_them_at_any_time() {
    let caches = CacheConfig { sockets: 100, ..CacheConfig::default() };
    let mut host = Host::new(1, ServerConfig { caches, ..ServerConfig::default() });
    let mut clients: Vec<_> = (0..20).map(|seed| ByHand::new(&mut host, seed, put(4, "100000"))).collect();
    for round in 0..20 {
        if round == 10 {
            host.server.drop_caches();
        }
        for client in &mut clients {
            assert!(client.spend(&mut host, b"") > 1);
        }
    }
    assert_eq!(host.server.stats().refused, 0);
}

#[test]
fn a_continuation_is_spent_once_at_a_server_and_once_more_at_another_by_issuer() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let held = client.held[0];
    let (datagram, _) = client.request(held, Kind::Spend, b"");
    assert_eq!(host.ask(home(), &datagram).len(), 10);
    assert_eq!(host.ask(home(), &datagram).len(), 0);
    assert_eq!(host.server.stats().last_refused, Some(Refused::Burnt(Burnt::Spent)));
    let (again, _) = client.request(held, Kind::Spend, b"x");
    assert_eq!(host.ask(home(), &again).len(), 0, "sealed anew");
    let mut other = Host::earlier(2, ServerConfig::default());
    assert_eq!(other.ask(home(), &datagram).len(), 10);
    assert_eq!(other.ask(home(), &datagram).len(), 0);
}

#[test]
fn a_server_that_takes_over_answers_a_timeout_and_then_everything() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    client.spend(&mut host, b"");
    // It is killed; another starts, with another name, and nothing of what was.
    let now = host.now + Duration::from_millis(40);
    let clock = WallClock::set(now, wall(Duration::from_secs(60) + Duration::from_millis(40)));
    let mut next = Host::started(3, ServerConfig::default(), now, clock);
    let held = *client.held.last().unwrap();
    let (datagram, seal) = client.request(held, Kind::Spend, b"");
    assert_eq!(client.denied(&next.ask(home(), &datagram), &seal), Denial::BeforeStart);
    assert_eq!(next.server.stats().last_refused, Some(Refused::BeforeStart));
    let (datagram, seal) =
        client.request(held, Kind::Timeout { count: 0, asked: held.0.issued, moved_from: None }, b"");
    let answers = next.ask(home(), &datagram);
    assert_eq!(answers.len(), 10);
    client.held.clear();
    let release = release_after_timeout(&held.0, window_after_timeout(0), held.0.tag);
    client.hear(&answers, client.count - 1, &seal, &held.0, &release);
    assert_eq!(client.held.len(), 5);
    assert_eq!(next.ask(home(), &datagram).len(), 0, "once in a slot");
    let half = client.request(held, Kind::Timeout { count: 1, asked: held.0.issued, moved_from: None }, b"").0;
    assert_eq!(next.ask(home(), &half).len(), 5, "half for the next try");
    // The new line goes on with what is its own.
    client.receipts = Receipts::new(client.held[0].0.root.growth.base());
    client.held.clear();
    client.hear(&answers, client.count - 2, &seal, &held.0, &release);
    assert_eq!(client.spend(&mut next, b""), 4, "slow start in the new line");
}

#[test]
fn who_has_moved_asks_from_its_new_address_and_gets_three_bytes_for_one_until_it_spends_there() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    let held = client.held[0];
    let (old, new): (SocketAddr, SocketAddr) = (home(), "198.51.100.7:99".parse().unwrap());
    client.remote = new;
    assert_eq!(client.spend_this(&mut host, held, b""), 0, "the seal is for the old place");
    assert_eq!(client.told_place, Some(ClientNetwork::of(old.ip())));
    let kind = Kind::Timeout { count: 0, asked: held.0.issued, moved_from: client.told_place.take() };
    let (datagram, seal) = client.request(held, kind, &[0; 1_000]);
    let answers = host.ask(new, &datagram);
    let sent: usize = answers.iter().map(Vec::len).sum();
    assert!(!answers.is_empty() && sent <= 3 * datagram.len(), "{sent} of {}", datagram.len());
    client.held.clear();
    client.receipts = Receipts::new(0);
    let release = release_after_timeout(&held.0, window_after_timeout(0), held.0.tag);
    // Each of the answers says where the server sees it.
    for answer in &answers {
        client.told_place = None;
        client.hear(core::slice::from_ref(answer), client.count - 1, &seal, &held.0, &release);
        assert_eq!(client.told_place, Some(ClientNetwork::of(new.ip())));
    }
    client.told_place = None;
    client.receipts.settle(client.held[0].0.root.growth.base());
    assert!(client.spend(&mut host, b"") > 1, "and goes on");
    assert_eq!(client.told_place, None, "it is told to those who name another");
    let port = SocketAddr::new(new.ip(), 7_777);
    client.remote = port;
    assert!(client.spend(&mut host, b"") > 1, "another port is nothing");
}

#[test]
fn an_owner_that_keeps_events_takes_whichever_it_wants_and_answers_the_others_in_bulk() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut clients: Vec<_> = (0..4).map(|seed| ByHand::new(&mut host, 1 + seed, put(4, "100000"))).collect();
    host.server.keep_events(true);
    let asked: Vec<_> = clients.iter_mut().map(|client| client.request(client.held[0], Kind::Spend, b"")).collect();
    asked.iter().for_each(|(datagram, _)| host.take(home(), datagram));
    assert_eq!(host.poll().len(), 0);
    let ids: Vec<_> = host.server.events().map(|event| event.client().id).collect();
    assert_eq!(ids, clients.iter().map(|client| client.id).collect::<Vec<_>>(), "in the order in which they came");
    // One is answered by its owner, who tells it something; one goes unanswered; the others are the application's.
    let mut own = host.server.detach(2).expect("it waits");
    let (asks, mut answer) = host.server.converse(host.now, &mut own);
    assert!(asks.count() == 0 && answer.fault(7, Fault::Application(99), "elsewhere"));
    host.server.send(own);
    let gone = host.server.detach(0).expect("it waits");
    host.server.drop_minisocket(gone);
    let own: Vec<_> = host.poll().into_iter().map(|(_, datagram)| datagram).collect();
    host.server.serve_all(host.now);
    assert_eq!((own.len(), host.poll().len(), host.server.events().len()), (10, 20, 0));
    assert!(host.server.detach(0).is_none());
    let (seed, seal) = (clients[2].held[0].0, asked[2].1);
    let (release, count) = (release_foreseen(&seed, Story::WHOLE).unwrap(), clients[2].count - 1);
    clients[2].hear(&own, count, &seal, &seed, &release);
    assert_eq!(clients[2].faults, [(7, Fault::Application(99))]);
    // Control: by itself a server leaves nothing in its queue.
    host.server.keep_events(false);
    assert_eq!(ByHand::new(&mut host, 9, put(4, "100000")).spend(&mut host, b""), 10);
    assert_eq!(host.server.events().len(), 0);
}

#[test]
fn minisockets_are_detached_dropped_extracted_and_installed_once() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let output = client.outputs[0].1.clone();
    client.spend(&mut host, b"");
    let want = asks(|writer| {
        Ask::emit_want(&output, &[Range { start: AT, end: AT + OBJECT_LEN }], writer).unwrap();
    });
    let detach = |host: &mut Host, client: &mut ByHand, held: Held| {
        let (datagram, seal) = client.request(held, Kind::Spend, &want);
        host.server.keep_events(true);
        assert!(host.ask(home(), &datagram).is_empty(), "it waits for its owner");
        let detached = host.server.detach(0).expect("it was granted");
        assert_eq!(host.server.events().len(), 0);
        host.server.keep_events(false);
        (detached, seal)
    };
    let (first, second) = (client.held.remove(0), client.held.remove(0));
    let (minisocket, _) = detach(&mut host, &mut client, first);
    assert!(minisocket.packets() == 4 && minisocket.room() > 4_000);
    host.server.drop_minisocket(minisocket);
    assert_eq!(host.poll().len(), 0, "dropped");

    let (minisocket, seal) = detach(&mut host, &mut client, second);
    let extracted = host.server.extract(host.now, minisocket).unwrap();
    let (now, mut other) = (host.now, Host::earlier(2, ServerConfig::default()));
    for bit in 0..8 * extracted.len() {
        let mut changed = extracted.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(other.server.install(now, &changed).is_err(), "bit {bit}");
    }
    assert_eq!(other.server.install(now, &extracted), Ok(()));
    assert_eq!(other.server.install(now, &extracted), Err(InstallError::Again));
    let answers: Vec<_> = other.poll().into_iter().map(|(_, datagram)| datagram).collect();
    assert_eq!(answers.len(), 4);
    let release = release_foreseen(&second.0, Story::WHOLE).unwrap();
    let got = client.got.len();
    client.hear(&answers, client.count - 1, &seal, &second.0, &release);
    assert!(client.got.len() > got);
    client.checked();
    // What a server of another fleet sealed, and what is too old; once the keys of its epoch are erased nobody can tell
    // whose it was.
    let mut elsewhere = Host::earlier(3, ServerConfig::default());
    let secret = EpochSecret::new(SOME_EPOCH - 1, Secret32::from_bytes([8; 32]));
    elsewhere.server.set_secrets(now, secret.into()).expect("they are of this time");
    assert_eq!(elsewhere.server.install(now, &extracted), Err(InstallError::Unsealed));
    host.now += Duration::from_secs(20);
    assert_eq!(host.server.install(host.now, &extracted), Err(InstallError::Stale));
    for (epochs, refused) in [(1, InstallError::Stale), (3, InstallError::Unsealed)] {
        host.now = now + EPOCH * epochs;
        host.server.handle_timeout(host.now);
        host.poll();
        assert_eq!(host.server.install(host.now, &extracted), Err(refused), "{epochs} epochs later");
    }
}
