//! Random applications over random pipes, many seeds: bytes are exact, credit is kept, everything ends, nothing stays.
//! An application that was turned away waits for its event, so that an event that never comes is found as well.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// The byte at an offset of a stream, as its creator or its acceptor writes it.
fn byte(id: StreamId, from: usize, offset: u64) -> u8 {
    let mixed = (id.as_u64() * 2 + from as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ offset.wrapping_mul(0x00ff_51af_d7ed_558d);
    (mixed >> 24) as u8
}

#[derive(Debug, Default)]
struct Use {
    to_write: u64,
    written: u64,
    read: u64,
    write_over: bool,
    read_over: bool,
    /// Bytes after which the reader gives up.
    stop_at: Option<u64>,
    reset_at: Option<u64>,
    told_finished: bool,
    /// Turned away, and not called back yet.
    write_waits: bool,
    read_waits: bool,
}

struct App {
    end: usize,
    streams: BTreeMap<StreamId, Use>,
    to_open: u32,
    /// Bytes finished by this end and confirmed, by stream.
    confirmed: BTreeMap<StreamId, u64>,
    refusals: u32,
    open_waits: bool,
    /// Datagrams sent: what they were filled from.
    datagrams: u64,
    /// Datagrams received.
    got: BTreeSet<u64>,
    /// Everything that it was told.
    told: Vec<StreamEvent>,
}

/// Some streams are cut into messages of so many bytes.
fn message(id: StreamId) -> Option<u64> {
    id.counter().is_multiple_of(3).then_some(1 + id.as_u64() * 97 % 700)
}

/// Streams that have datagrams for children, and no others.
fn has_datagrams(id: StreamId) -> bool {
    id.as_u64().is_multiple_of(3)
}

/// A datagram: its length and its number tell every byte.
fn datagram(end: usize, number: u64, len: usize) -> Vec<u8> {
    let mut bytes = number.to_be_bytes().to_vec();
    bytes.extend((8..len).map(|at| byte(StreamId(number), end, at as u64)));
    bytes
}

impl App {
    fn plan(&mut self, rng: &mut Rng, id: StreamId) {
        let sizes = [0, 1, 700, 5_000, 40_000];
        let size = sizes[rng.below(5) as usize];
        let to_write = rng.below(size + 1);
        let mut stream = Use { to_write, ..Use::default() };
        if rng.chance(0.1) {
            stream.stop_at = Some(rng.below(6_000));
        }
        if rng.chance(0.1) {
            stream.reset_at = Some(rng.below(to_write + 1));
        }
        self.streams.insert(id, stream);
    }

    fn open(&mut self, streams: &mut Streams, rng: &mut Rng) {
        let parents: Vec<_> = self.streams.keys().copied().filter(|&id| !has_datagrams(id)).collect();
        let opened = match rng.below(8) {
            0 => streams.open("nothing", "http"),
            1 => streams.open("www", "gopher"),
            2..=4 if !parents.is_empty() => streams.open_child(parents[rng.below(parents.len() as u64) as usize]),
            _ => streams.open(["www", "mail"][rng.below(2) as usize], ["http", "smtp"][rng.below(2) as usize]),
        };
        match opened {
            Ok(id) => {
                self.to_open -= 1;
                self.plan(rng, id);
                if rng.chance(0.7) {
                    streams.listen_children(id);
                }
            }
            Err(OpenError::Blocked) => self.open_waits = true,
            Err(OpenError::NoParent) => {}
            Err(other) => panic!("{other}"),
        }
    }

    fn events(&mut self, streams: &mut Streams, rng: &mut Rng) {
        while let Some(event) = streams.poll_event() {
            self.told.push(event.clone());
            match event {
                StreamEvent::Incoming => {
                    while let Some(incoming) = streams.accept() {
                        if rng.chance(0.1) {
                            streams.refuse(incoming.id, 4, "no");
                        } else {
                            self.plan(rng, incoming.id);
                        }
                    }
                }
                StreamEvent::ChildIncoming { parent } if has_datagrams(parent) => {
                    while let Some(bytes) = streams.recv_datagram(parent) {
                        let number = u64::from_be_bytes(bytes[..8].try_into().expect("eight"));
                        assert!(bytes == datagram(1 - self.end, number, bytes.len()), "datagram {number} is torn");
                        assert!(self.got.insert(number / 70_000), "datagram {number} came twice");
                        assert_eq!(number % 70_000, bytes.len() as u64, "datagram {number} is not whole");
                    }
                }
                StreamEvent::ChildIncoming { parent } => {
                    while let Some(id) = streams.accept_child(parent) {
                        self.plan(rng, id);
                    }
                }
                StreamEvent::Refused { id, .. } => {
                    self.refusals += 1;
                    let stream = self.streams.get_mut(&id).expect("opened here");
                    (stream.write_over, stream.read_over) = (true, true);
                }
                StreamEvent::Reset { id, .. } => {
                    self.streams.get_mut(&id).expect("known").read_over = true;
                }
                StreamEvent::Stopped { id, .. } => {
                    self.streams.get_mut(&id).expect("known").write_over = true;
                }
                StreamEvent::Finished(id) => {
                    let stream = self.streams.get_mut(&id).expect("known");
                    assert!(!core::mem::replace(&mut stream.told_finished, true), "told twice");
                    self.confirmed.insert(id, stream.written);
                }
                StreamEvent::Readable(id) => {
                    if let Some(stream) = self.streams.get_mut(&id) {
                        stream.read_waits = false;
                    }
                }
                StreamEvent::Writable(id) => {
                    if let Some(stream) = self.streams.get_mut(&id) {
                        stream.write_waits = false;
                    }
                }
                StreamEvent::CanOpen => self.open_waits = false,
                StreamEvent::Requested => {}
                StreamEvent::CanSendDatagram | StreamEvent::Settled => {}
            }
        }
    }

    fn act(&mut self, streams: &mut Streams, rng: &mut Rng, arrived: &mut BTreeMap<(StreamId, usize), u64>) {
        self.events(streams, rng);
        if self.to_open > 0 && !self.open_waits && rng.chance(0.3) {
            self.open(streams, rng);
        }
        for (&id, stream) in &mut self.streams {
            if has_datagrams(id) && self.datagrams < 60 && rng.chance(0.5) {
                let most = [20, 1_000, 4_000, 30_000, 69_000][rng.below(5) as usize];
                let len = 8 + rng.below(most);
                let number = self.datagrams * 70_000 + len;
                let lifetime = rng.chance(0.5).then(|| Duration::from_micros(rng.below(20_000)));
                if streams.send_datagram(id, &datagram(self.end, number, len as usize), lifetime).is_ok() {
                    self.datagrams += 1;
                }
            }
            if rng.chance(0.02) {
                let level = rng.chance(0.6).then(|| rng.below(4) as i8 - 2);
                let priority = Priority { level, weight: rng.below(256) as u8 };
                if rng.chance(0.5) {
                    streams.set_priority(id, priority)
                } else {
                    streams.request_priority(id, priority)
                }
            }
            if !stream.write_over && !stream.write_waits && rng.chance(0.7) {
                write(streams, rng, self.end, id, stream);
            }
            if !stream.read_over && !stream.read_waits && rng.chance(0.5) {
                read(streams, rng, self.end, id, stream, arrived);
            }
        }
    }

    fn is_done(&self) -> bool {
        self.to_open == 0 && self.streams.values().all(|stream| stream.write_over && stream.read_over)
    }
}

fn write(streams: &mut Streams, rng: &mut Rng, end: usize, id: StreamId, stream: &mut Use) {
    if stream.reset_at.is_some_and(|at| stream.written >= at) {
        streams.reset(id, 77);
        stream.write_over = true;
        return;
    }
    let given = rng.chance(0.2);
    let mut n = rng.below(if given { 12_000 } else { 3_000 }).min(stream.to_write - stream.written);
    let mut ends = false;
    if let Some(message) = message(id) {
        let left = message - stream.written % message;
        (n, ends) = (n.min(left), n >= left);
    }
    let data: Vec<u8> = (stream.written..stream.written + n).map(|offset| byte(id, end, offset)).collect();
    let written = match (ends, given) {
        (true, _) => streams.write_message(id, &data),
        (false, false) => streams.write(id, &data),
        (false, true) => streams.write_bytes(id, &mut data.clone().into()),
    };
    match written {
        Ok(n) => {
            stream.written += n as u64;
            stream.write_waits = n < data.len();
        }
        Err(WriteError::Blocked) => stream.write_waits = true,
        Err(WriteError::Stopped(_) | WriteError::Refused(_)) => stream.write_over = true,
        Err(other) => panic!("{other}"),
    }
    if stream.written == stream.to_write && !stream.write_over {
        stream.write_over = true;
        match streams.finish(id) {
            Ok(()) => assert!(streams.tell_finished(id)),
            Err(WriteError::Stopped(_) | WriteError::Refused(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

fn read(
    streams: &mut Streams,
    rng: &mut Rng,
    end: usize,
    id: StreamId,
    stream: &mut Use,
    arrived: &mut BTreeMap<(StreamId, usize), u64>,
) {
    if stream.stop_at.is_some_and(|at| stream.read >= at) {
        streams.stop(id, 88);
        stream.read_over = true;
        return;
    }
    let max = 1 + rng.below(4_000) as usize;
    let mut buf = vec![0; max];
    let read = if rng.chance(0.5) {
        streams.read(id, &mut buf)
    } else {
        streams.read_chunk(id, max).map(|read| match read {
            ReadChunk::Bytes(chunk) => {
                let end = stream.read + chunk.len() as u64;
                let ends = message(id).is_some_and(|message| end.is_multiple_of(message));
                assert_eq!(chunk.ends_message(), ends, "stream {id} at {end}");
                buf[..chunk.len()].copy_from_slice(&chunk);
                Read::Bytes(chunk.len())
            }
            ReadChunk::Blocked => Read::Blocked,
            ReadChunk::Finished => Read::Finished,
        })
    };
    match read {
        Ok(Read::Bytes(n)) => {
            for (i, &got) in buf[..n].iter().enumerate() {
                assert_eq!(got, byte(id, 1 - end, stream.read + i as u64), "stream {id} at {}", stream.read);
            }
            stream.read += n as u64;
        }
        Ok(Read::Finished) => {
            stream.read_over = true;
            arrived.insert((id, 1 - end), stream.read);
        }
        Ok(Read::Blocked) => stream.read_waits = true,
        Err(ReadError::Reset(77 | 88) | ReadError::Refused(_)) => stream.read_over = true,
        Err(other) => panic!("{other}"),
    }
}

/// What a run has come to.
struct Run {
    bytes: u64,
    refusals: u32,
    datagrams: usize,
    /// Every packet of either end.
    sent: [Vec<Vec<u8>>; 2],
    /// Everything that either application was told.
    told: [Vec<StreamEvent>; 2],
}

fn swarm(seed: u64, restless: bool) -> Run {
    let mut rng = Rng::from_u64(seed);
    let pick = |rng: &mut Rng, of: &[f64]| of[rng.below(of.len() as u64) as usize];
    let least = 500 + rng.below(3_000);
    let pipe = Pipe {
        loss: pick(&mut rng, &[0.0, 0.01, 0.1, 0.3]),
        ack_loss: pick(&mut rng, &[0.0, 0.02, 0.2]),
        doubt: pick(&mut rng, &[0.0, 0.05, 0.2]),
        delay_us: (least, least + rng.below(5_000)),
        packet: 600 + rng.below(1_000) as usize,
    };
    let config = Config {
        datagram_max: 1 << 20,
        stream_window: 4_096 + rng.below(30_000),
        host_window: 4_096 + rng.below(60_000),
        streams_max: 16,
        backlog_max: 4 + rng.below(20) as usize,
        unsent_max: 1 + rng.below(20_000),
        host_window_first: 4_096 + rng.below(60_000),
        unsent_all_max: 1 + rng.below(60_000),
        blocked_all_max: 1 + rng.below(20_000),
    };
    let mut pair = Pair::new(seed, pipe, config);
    pair.sent = Some(Default::default());
    pair.ends.iter_mut().for_each(|end| end.restless = restless);
    let app = |end, to_open| App {
        end,
        streams: BTreeMap::new(),
        to_open,
        confirmed: BTreeMap::new(),
        refusals: 0,
        open_waits: false,
        datagrams: 0,
        got: BTreeSet::new(),
        told: Vec::new(),
    };
    let mut apps = [app(0, rng.below(25) as u32), app(1, rng.below(15) as u32)];
    let mut arrived = BTreeMap::new();
    let mut rounds = 0;
    loop {
        for (end, app) in apps.iter_mut().enumerate() {
            app.act(&mut pair.ends[end], &mut rng, &mut arrived);
            if !restless {
                pair.ends[end].shrink();
            }
            pair.send(end, rng.below(6) as usize);
            assert_eq!(pair.ends[end].holdings(), pair.ends[end].recount(), "seed {seed}: end {end} miscounts");
        }
        for _ in 0..rng.below(12) {
            pair.step();
        }
        if rng.chance(0.003) {
            let end = rng.below(2) as usize;
            pair.ends[end].handle_detach(pair.now, CHANNEL);
            pair.ends[end].handle_attach(pair.now, CHANNEL);
        }
        let quiet = pair.happenings.is_empty() && pair.ends.iter().all(Streams::is_idle);
        if quiet && apps.iter().all(App::is_done) {
            for (end, app) in apps.iter_mut().enumerate() {
                app.events(&mut pair.ends[end], &mut rng);
            }
            if pair.ends.iter().all(Streams::is_idle) && pair.ends.iter().all(|end| end.stats().streams == 0) {
                break;
            }
        }
        rounds += 1;
        assert!(rounds < 60_000, "seed {seed}: stuck: {:?}\n{:?}", pair.ends[0].stats(), pair.ends[1].stats());
    }
    pair.assert_clean(&format!("seed {seed}"));
    for end in &mut pair.ends {
        end.handle_timeout(pair.now + PARTIAL_AGE_MAX);
        assert_eq!((end.stats().datagram_bytes_held, end.poll_timeout()), (0, None), "seed {seed}");
    }
    for app in &apps {
        for (id, stream) in &app.streams {
            if let Some(read) = arrived.get(&(*id, app.end)) {
                assert_eq!(*read, stream.written, "seed {seed}: stream {id} was read to another end");
            }
        }
        for (id, written) in &app.confirmed {
            if let Some(read) = arrived.get(&(*id, app.end)) {
                assert_eq!(read, written, "seed {seed}: stream {id} was confirmed otherwise than read");
            }
        }
    }
    let bytes = pair.ends.iter().map(|end| end.stats().bytes_sent).sum();
    Run {
        bytes,
        refusals: apps.iter().map(|app| app.refusals).sum(),
        datagrams: apps.iter().map(|app| app.got.len()).sum(),
        sent: pair.sent.expect("kept"),
        told: apps.map(|app| app.told),
    }
}

#[test]
fn streams_that_rest_and_wake_one_by_one_and_all_together_are_in_nothing_different_from_those_that_never_rest() {
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    for seed in 0..seeds {
        let [one, other] = [false, true].map(|restless| swarm(seed, restless));
        assert!(one.told == other.told, "seed {seed}: an application was told otherwise");
        assert!(one.sent == other.sent, "seed {seed}: other packets were sent");
    }
}

/// `TNG_SEEDS=20000 cargo test --release -p tng-semantic swarm` runs the full count.
#[test]
fn whatever_two_applications_do_bytes_are_exact_credit_is_kept_and_nothing_stays() {
    let (mut bytes, mut refusals, mut datagrams) = (0, 0, 0);
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    for seed in 0..seeds {
        let run = swarm(seed, false);
        bytes += run.bytes;
        refusals += run.refusals;
        datagrams += run.datagrams;
    }
    assert!(
        bytes > 16_000 * seeds && u64::from(refusals) > seeds && datagrams as u64 > 2 * seeds,
        "the swarm did something: {bytes} bytes, {refusals} refusals, {datagrams} datagrams"
    );
}
