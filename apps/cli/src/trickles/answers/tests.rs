//! Requests to a folder, by a client that does each step by hand.

use std::fs;
use std::net::SocketAddr;
use std::ops::Range;
use std::time::Duration;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::{Secret32, SecretRng};
use tng_isolation::{Identity, Refusal};
use tng_nonce::Receipts;
use tng_services::files::{FaultCode, Kind as EntryKind, Listing};
use tng_services::stateless::{self, fault_code};
use tng_trickles::server::{Beginnings, Server, ServerConfig};
use tng_trickles::set_up::{Call, Dial, Heard};
use tng_trickles::wire::{
    Armor, Ask, DATAGRAM_LEN_MIN, Demand, Given as Packet, Kind, RequestHeader, ResponseHeader, Tell,
};
use tng_trickles::{
    ConnectionId, ConnectionSecret, Continuation, EpochSecret, Keys, Proof, Rtt, Story, Wall, WallClock,
    release_foreseen,
};
use tng_wire::{Reader, Repr, Writer};

use super::*;
use crate::files::Own;

const SOME_EPOCH: u64 = 3_000_000;
/// Where the client's object stands in its row.
const AT: u64 = 1 << 20;
const RESERVED: u64 = 100_000;
const HOME: ([u8; 4], u16) = ([192, 0, 2, 1], 7);

/// A folder that is served, and the server.
struct Host {
    folder: tempfile::TempDir,
    server: Server<Files>,
    entropy: Rng,
    seed: u64,
}

impl Host {
    fn new() -> Host {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("large"), content(300_000)).expect("written");
        fs::write(folder.path().join("small"), content(100)).expect("written");
        fs::write(folder.path().join("empty"), b"").expect("written");
        fs::create_dir(folder.path().join("sub")).expect("made");
        fs::write(folder.path().join("sub/deep"), b"deep").expect("written");
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("out")).expect("linked");
        Host::of(folder, |root| root)
    }

    fn of(folder: tempfile::TempDir, change: impl FnOnce(Root) -> Root) -> Host {
        let root = change(Root::new(folder.path()).expect("a folder"));
        let wall = |epochs| Wall::from_millis(epochs * 600_000 + 300_000);
        let secret = EpochSecret::new(SOME_EPOCH - 1, Secret32::from_bytes([7; 32]));
        let mut entropy = Rng::from_u64(1);
        let beginnings = Beginnings {
            identity: Identity::from_seed([2; 32]),
            keys: Keys::new(secret, wall(SOME_EPOCH)).expect("of today"),
            access: Box::new(|_, _: Option<&[u8]>| Ok::<(), Refusal>(())),
            clock: WallClock::set(Instant::ZERO, wall(SOME_EPOCH)),
            entropy: entropy.bytes(),
        };
        let application = Files::new(root, 0).expect("a thread");
        let server = Server::new(ServerConfig::default(), beginnings, application, Instant::ZERO);
        Host { folder, server, entropy, seed: 1 }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn send(&mut self, datagram: &[u8]) -> Vec<Vec<u8>> {
        let (mut payload, now) = (datagram.to_vec(), Instant::from_secs(5));
        let segment_size = payload.len();
        let remote = SocketAddr::from(HOME);
        let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
        self.server.handle_input(now, Input::Datagram(datagram));
        let (mut sent, mut buf) = (Vec::new(), vec![0; 65_536]);
        loop {
            match self.server.poll_output(now, &mut buf) {
                Output::Transmit(transmit) => {
                    sent.extend(buf[..transmit.len].chunks(transmit.segment_size).map(<[u8]>::to_vec));
                }
                Output::NeedsEntropy => {
                    let mut entropy = self.entropy.bytes();
                    self.server.handle_input(now, Input::Entropy(&mut entropy));
                }
                Output::Timeout(_) => return sent,
                Output::Event(never) => match never {},
            }
        }
    }

    /// What a client is told that sets up a connection and asks for this with its first datagram.
    fn ask(&mut self, what: What, path: &str, start: u64) -> Told {
        let asking = Asking { what, start, path: SafePath::parse(path).expect("a path") };
        self.ask_bytes(&asking.to_bytes().expect("short"), true)
    }

    fn ask_bytes(&mut self, data: &[u8], is_end: bool) -> Told {
        let reserved = AT..AT + RESERVED;
        Told::new(self, put(&[], 0, data, is_end, reserved))
    }

    /// The fault that it is told.
    fn fault(&mut self, what: What, path: &str) -> Fault {
        let told = self.ask(what, path, 0);
        assert_eq!((told.got.len(), told.faults.len()), (0, 1), "{path}");
        told.faults[0]
    }
}

fn content(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at ^ at >> 8 ^ at >> 16) as u8).collect()
}

fn put(input: &[u8], offset: u64, data: &[u8], is_end: bool, reserved: Range<u64>) -> Vec<u8> {
    written(|writer| Ask::Put { object: 4, input, offset, is_end, reserved, data }.emit(writer).expect("room"))
}

fn written(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut bytes = vec![0; 1_100];
    let mut writer = Writer::new(&mut bytes);
    write(&mut writer);
    let len = writer.position();
    bytes.truncate(len);
    bytes
}

/// A connection, and what was told on it.
struct Told {
    id: ConnectionId,
    epoch: u8,
    secret: ConnectionSecret,
    /// What the set-up gave: it is worth ten packets.
    seed: Option<(Continuation, [u8; 16])>,
    receipts: Receipts,
    got: Vec<(u64, Vec<u8>)>,
    skipped: Vec<(u64, u64)>,
    output: Option<(Range<u64>, Vec<u8>)>,
    inputs: Vec<(u64, Vec<u8>)>,
    faults: Vec<Fault>,
}

impl Told {
    fn new(host: &mut Host, first: Vec<u8>) -> Told {
        host.seed += 1;
        let call = Call { first, ..Call::new(Identity::from_seed([2; 32]).eid()) };
        let mut rng = SecretRng::new(Rng::from_u64(host.seed).bytes::<32>());
        let dial = Dial::new(&Identity::from_seed([1; 32]), &call, &mut rng).expect("a key");
        let answers = host.send(dial.datagram());
        let Heard::Welcomed(welcomed) = dial.handle(&answers[0]) else { panic!("it is welcome") };
        let mut told = Told {
            id: welcomed.id,
            epoch: welcomed.epoch,
            secret: welcomed.secret,
            seed: None,
            receipts: Receipts::new(0),
            got: Vec::new(),
            skipped: Vec::new(),
            output: None,
            inputs: Vec::new(),
            faults: Vec::new(),
        };
        told.read(&welcomed.rest, None);
        told
    }

    fn read(&mut self, text: &[u8], foreseen: Option<&Continuation>) {
        let mut reader = Reader::new(text);
        let Packet { nonce, continuation, seal } =
            Packet::parse(Armor::Sealed, &mut reader, foreseen).expect("a packet");
        if foreseen.is_none() {
            self.receipts.receive(continuation.first, nonce).expect("the first");
            self.seed = Some((continuation, seal));
        }
        while !reader.is_empty() {
            match Tell::parse(&mut reader).expect("told") {
                Tell::Data { start, data } => self.got.push((start, data.to_vec())),
                Tell::Skip(bytes) => self.skipped.push((bytes.start, bytes.end)),
                Tell::Output { valid, output, .. } => self.output = Some((valid, output.to_vec())),
                Tell::Input { taken, input, .. } => self.inputs.push((taken, input.to_vec())),
                Tell::Fault { fault, .. } => self.faults.push(fault),
                Tell::Secret { .. } | Tell::ClientNetwork(_) | Tell::Puzzle { .. } => {}
            }
        }
    }

    /// Asks with what the set-up gave, and forgets what was told before.
    fn then(&mut self, host: &mut Host, asks: &[u8]) {
        let (continuation, seal) = self.seed.take().expect("not spent yet");
        let (from, high) = (continuation.shown_from, *continuation.numbers().end());
        let mut proof = Proof::with_room();
        let came: Vec<_> = self.receipts.proofs().map(|proof| proof.range).collect();
        let fold = came.iter().fold(0, |fold, range| fold ^ self.receipts.fold(range.clone()));
        proof.set((from, high), came, fold, None).expect("short");
        let (kind, held) = (Kind::Spend, Rtt::default());
        let (renewal, wants_secret, datagram_len) = (None, false, DATAGRAM_LEN_MIN);
        let demand = Demand { kind, renewal, wants_secret, datagram_len, held, continuation, seal };
        let header = RequestHeader { armor: Armor::Sealed, epoch: self.epoch, id: self.id, count: 0 };
        let mut datagram = vec![0; 2_000];
        let mut writer = Writer::new(&mut datagram);
        header.emit(&mut writer).expect("room");
        demand.emit(Armor::Sealed, &proof, &mut writer).expect("room");
        writer.bytes(asks).and_then(|()| writer.bytes(&[0; 16])).expect("room");
        let len = writer.position();
        datagram.truncate(len);
        let request_seal = header.seal(&self.secret.requests(), &mut datagram);
        let answers = host.send(&datagram);
        assert_eq!(answers.len(), 10, "{:?}", host.server.stats());
        let release = release_foreseen(&continuation, Story::WHOLE).expect("nothing is lost");
        self.got.clear();
        for mut answer in answers {
            let header = ResponseHeader::parse(&mut Reader::new(&answer)).expect("a response");
            let key = self.secret.responses(header.instance, &request_seal);
            let text = header.open(&key, &mut answer).expect("sealed").to_vec();
            let foreseen = release.foresee(&continuation, continuation.keying, header.index);
            self.read(&text, Some(&foreseen));
        }
    }

    fn want(&mut self, host: &mut Host, ranges: &[(u64, u64)]) {
        let output = self.output.clone().expect("it was told how").1;
        let ranges: Vec<_> = ranges.iter().map(|(start, end)| AT + start..AT + end).collect();
        self.then(host, &written(|writer| Ask::emit_want(&output, &ranges, writer).expect("room")));
    }

    /// What came, from the beginning of the object on where its part begins.
    fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (start, data) in &self.got {
            assert_eq!(*start, AT + text.len() as u64, "in order");
            text.extend_from_slice(data);
        }
        text
    }

    /// Whether all that came is what stands in [`content`].
    #[track_caller]
    fn is_content(&self, from: u64) -> usize {
        let content = content(400_000);
        for (start, data) in &self.got {
            let at = (start - AT + from) as usize;
            assert!(data[..] == content[at..at + data.len()], "at {at}");
        }
        self.got.iter().map(|(_, data)| data.len()).sum()
    }
}

fn code(code: FaultCode) -> Fault {
    Fault::Application(fault_code(code))
}

#[test]
fn a_small_file_comes_with_the_set_up_and_the_client_knows_where_it_ends() {
    let mut host = Host::new();
    let small = host.ask(What::File, "small", 0);
    assert_eq!(small.text(), content(100));
    assert_eq!((&small.skipped[..], small.inputs.len()), (&[(AT + 100, AT + RESERVED)][..], 0));
    let empty = host.ask(What::File, "empty", 0);
    assert_eq!((empty.got.len(), empty.output, &empty.skipped[..]), (0, None, &[(AT, AT + RESERVED)][..]));
    let rest = host.ask(What::File, "small", 90);
    assert_eq!(rest.got, [(AT + 90, content(100)[90..].to_vec())]);
}

#[test]
fn any_ranges_of_a_file_are_had_with_its_continuation_though_the_server_has_dropped_all_that_it_can() {
    let mut host = Host::new();
    let mut told = host.ask(What::File, "large", 5_000);
    assert!(told.is_content(0) > 100 && told.got[0].0 == AT + 5_000);
    host.server.application_mut().descriptors.drop_all();
    told.want(&mut host, &[(10, 2_010), (99_000, RESERVED)]);
    assert_eq!(told.is_content(0), 3_000);
    let first: usize = told.got.iter().filter(|(start, _)| *start < AT + 2_010).map(|(_, data)| data.len()).sum();
    assert_eq!((first, told.got[0].0), (2_000, AT + 10));
}

#[test]
fn a_file_that_is_longer_than_what_is_reserved_for_it_goes_on_in_a_further_part() {
    let mut host = Host::new();
    let mut told = host.ask(What::File, "large", 0);
    let (valid, taken) = (told.output.clone().expect("told").0, told.inputs[0].0);
    assert_eq!((valid, told.skipped.len()), (AT..AT + RESERVED, 0));
    let input = told.inputs[0].1.clone();
    // The last part: 300,000 bytes are 100,000 and 250,000 reserved.
    told.then(&mut host, &put(&input, taken, b"", true, AT..AT + 250_000));
    assert!(told.is_content(RESERVED) > 5_000);
    assert_eq!(told.skipped, [(AT + 200_000, AT + 250_000)]);
    assert_eq!(told.output.expect("told").0, AT..AT + 200_000);
}

#[test]
fn what_asks_for_a_file_may_come_in_parts() {
    let mut host = Host::new();
    let asking = Asking { what: What::File, start: 0, path: SafePath::parse("sub/deep").expect("a path") };
    let bytes = asking.to_bytes().expect("short");
    let mut told = host.ask_bytes(&bytes[..5], false);
    let (taken, input) = told.inputs[0].clone();
    assert_eq!((taken, told.got.len()), (5, 0));
    told.then(&mut host, &put(&input, 5, &bytes[5..], true, AT..AT + RESERVED));
    assert_eq!(told.text(), b"deep");
    let far = host.ask_bytes(&[b'x'; ASKING_MAX + 1], true);
    assert_eq!(far.faults, [Fault::Application(stateless::PATH_TOO_LONG)]);
}

#[test]
fn a_file_that_changes_in_the_middle_of_a_download_is_a_named_fault() {
    let mut host = Host::new();
    type Change = (&'static str, fn(&std::path::Path));
    let changes: [Change; 4] = [
        ("replaced", |path| {
            fs::write(path.with_file_name("new"), content(300_000)).expect("written");
            fs::rename(path.with_file_name("new"), path).expect("renamed");
        }),
        ("cut", |path| {
            let file = fs::OpenOptions::new().write(true).open(path).expect("there");
            file.set_len(200_000).expect("cut");
        }),
        ("touched", |path| {
            let file = fs::OpenOptions::new().write(true).open(path).expect("there");
            file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(9)).expect("touched");
        }),
        ("gone", |path| fs::remove_file(path).expect("removed")),
    ];
    for (how, change) in changes {
        fs::write(host.path("large"), content(300_000)).expect("written");
        let mut told = host.ask(What::File, "large", 0);
        change(&host.path("large"));
        told.want(&mut host, &[(0, 5_000)]);
        let expected = if how == "gone" { FaultCode::NotFound } else { FaultCode::Changed };
        assert_eq!((told.got.len(), &told.faults[..]), (0, &[code(expected)][..]), "{how}");
    }
    // Control: one that only was read meanwhile comes.
    fs::write(host.path("large"), content(300_000)).expect("written");
    let mut told = host.ask(What::File, "large", 0);
    fs::read(host.path("large")).expect("read");
    told.want(&mut host, &[(0, 5_000)]);
    assert_eq!((told.is_content(0), told.faults.len()), (5_000, 0));
}

#[test]
fn what_is_not_handed_out_is_refused_by_name() {
    let mut host = Host::new();
    for (what, path, expected) in [
        (What::File, "gone", FaultCode::NotFound),
        (What::File, "sub", FaultCode::IsFolder),
        (What::Listing, "small", FaultCode::NotFolder),
        (What::File, "out", FaultCode::NotAllowed),
        (What::Hash, "out", FaultCode::NotAllowed),
        (What::About, "gone/x", FaultCode::NotFound),
    ] {
        assert_eq!(host.fault(what, path), code(expected), "{path}");
    }
    for bytes in [&b"\x01\x00../small"[..], b"\x01\x00/etc/passwd", b"\x09\x00small", b""] {
        assert_eq!(host.ask_bytes(bytes, true).faults, [code(FaultCode::BadRequest)]);
    }
}

#[test]
fn the_keys_of_the_server_are_not_handed_out_though_they_lie_in_the_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["fleet", "identity", "identity.epochs", "other"] {
        fs::write(folder.path().join(name), b"secret").expect("written");
    }
    let (fleet, identity) = (folder.path().join("fleet"), folder.path().join("identity"));
    let own = |path: &std::path::Path| Own::beside(path).expect("a folder");
    let mut host = Host::of(folder, |root| root.without(own(&fleet)).without(own(&identity)));
    for name in ["fleet", "identity", "identity.epochs"] {
        assert_eq!(host.fault(What::File, name), code(FaultCode::NotAllowed), "{name}");
    }
    assert_eq!(host.ask(What::File, "other", 0).text(), b"secret", "control");
}

#[test]
fn a_folder_is_listed_without_what_is_in_its_folders() {
    let mut host = Host::new();
    let told = host.ask(What::Listing, "", 0);
    let mut listing = Listing::new();
    listing.take(&told.text()).expect("a listing");
    let listed = listing.ended().expect("whole");
    let names: Vec<_> =
        listed.entries.iter().map(|entry| (entry.path.as_str(), entry.kind.clone(), entry.size)).collect();
    let file = || EntryKind::File;
    assert_eq!(
        names,
        [("empty", file(), 0), ("large", file(), 300_000), ("small", file(), 100), ("sub", EntryKind::Folder, 0)]
    );
    assert_eq!((listed.skipped, listed.left_out.len()), (1, 1), "the link that leads out");
}

#[test]
fn a_listing_goes_on_after_the_server_forgot_it_unless_the_folder_is_another() {
    let mut host = Host::new();
    for n in 0..300 {
        fs::write(host.path(&format!("sub/a file of a long name {n:04}")), b"").expect("written");
    }
    for is_changed in [false, true] {
        let mut told = host.ask(What::Listing, "sub", 0);
        let begun = told.text();
        let all = told.output.clone().expect("told").0;
        assert!(begun.len() > 100 && all.end - all.start > 9_000);
        host.server.application_mut().listings.drop_all();
        if is_changed {
            fs::write(host.path("sub/another"), b"").expect("written");
        }
        told.want(&mut host, &[(0, 5_000)]);
        match is_changed {
            false => assert_eq!(told.text()[..begun.len()], begun),
            true => assert_eq!((told.got.len(), &told.faults[..]), (0, &[code(FaultCode::Changed)][..])),
        }
    }
}

#[test]
fn a_hash_is_told_of_a_small_file_at_once_and_of_a_large_one_later_and_of_beginnings() {
    let mut host = Host::new();
    fs::write(host.path("huge"), content(2 << 20)).expect("written");
    let told = |told: Told, size: u64, of: &[u8]| {
        let text = told.text();
        let mut reader = Reader::new(&text);
        let Message::File { size: said, offset: 0, meta } = Message::parse(&mut reader).expect("told") else {
            panic!("FILE comes first")
        };
        assert!(said == size && meta.modified.is_some());
        assert_eq!(Message::parse(&mut reader), Ok(Message::End { hash: *blake3::hash(of).as_bytes() }));
        assert_eq!(told.skipped, [(AT + text.len() as u64, AT + RESERVED)]);
    };
    told(host.ask(What::Hash, "small", 0), 100, &content(100));
    told(host.ask(What::Hash, "large", 77), 300_000, &content(77));
    told(host.ask(What::Hash, "large", 1 << 40), 300_000, &content(300_000));
    // Another length is no other thing: a connection has a file hashed three times in a while.
    let asks = written(|writer| {
        for object in 0..5 {
            let asking =
                Asking { what: What::Hash, start: 5 + object, path: SafePath::parse("large").expect("a path") };
            let (data, reserved) =
                (asking.to_bytes().expect("short"), AT + object * RESERVED..AT + (object + 1) * RESERVED);
            let ask = Ask::Put { object, input: &[], offset: 0, data: &data, is_end: true, reserved };
            ask.emit(writer).expect("room");
        }
    });
    assert_eq!(Told::new(&mut host, asks).faults, [Fault::TooOften; 2]);
    let (mut asked, mut answer) = (0, host.ask(What::Hash, "huge", 0));
    assert_eq!(answer.faults, [Fault::NotYet]);
    while answer.faults == [Fault::NotYet] {
        asked += 1;
        assert!(asked < 30_000, "it is never computed");
        crate::clock::rest(Duration::from_millis(1));
        answer = host.ask(What::Hash, "huge", 0);
    }
    told(answer, 2 << 20, &content(2 << 20));
    let about = host.ask(What::About, "huge", 0);
    assert!(matches!(Message::parse(&mut Reader::new(&about.text())), Ok(Message::File { size: 2_097_152, .. })));
}

#[test]
fn so_many_descriptors_are_held_at_most_and_to_have_none_is_told_as_something_that_passes() {
    let busy = Wrong::from(tng_services::files::Fault::new(FaultCode::Busy, "too many open files"));
    assert_eq!(busy.fault, Fault::Overloaded);
    let mut host = Host::new();
    for n in 0..super::super::DESCRIPTORS_MAX + 10 {
        fs::write(host.path(&format!("n{n}")), b"x").expect("written");
        host.ask(What::File, &format!("n{n}"), 0);
        let held = host.server.application().descriptors.count();
        assert_eq!(held, (n + 1).min(super::super::DESCRIPTORS_MAX));
    }
}
