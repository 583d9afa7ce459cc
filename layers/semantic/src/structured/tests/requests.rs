//! Requests of one call, with everything that a network and two applications may do to them.

use super::*;

const ASK: (&str, &str) = ("ask", "request");

fn body(id: StreamId, end: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (id.as_u64() as usize * 7 + end * 101 + at * 13 + at / 256) as u8).collect()
}

fn pair(seed: u64, pipe: Pipe, config: Config) -> Pair {
    let mut pair = Pair::new(seed, pipe, config);
    for end in &mut pair.ends {
        let mut services = Services::clone(&end.services);
        services.listen_for_requests(ASK.0, ASK.1, FirstData::Proven);
        end.services = Arc::new(services);
    }
    pair
}

fn ask(pair: &mut Pair, end: usize, len: usize) -> StreamId {
    let id = StreamId::new(pair.ends[end].next_own, pair.ends[end].role);
    let asked = pair.ends[end].request(ASK.0, ASK.1, &body(id, end, len), Priority::default());
    assert_eq!(asked, Ok((id, len)));
    id
}

#[test]
fn what_is_due_goes_before_the_bodies_of_requests_made_earlier() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    let old = pair.stream();
    pair.run();
    let asked: Vec<StreamId> = (0..500).map(|_| ask(&mut pair, 0, 100)).collect();
    // Of another stream, and of the last of these.
    pair.ends[0].stop(old, 7);
    let last = *asked.last().expect("some");
    pair.ends[0].request_priority(last, Priority { level: Some(3), weight: 9 });
    pair.send(0, 1);
    while pair.step() {}
    assert!(pair.events(1).contains(&StreamEvent::Stopped { id: old, code: 7 }), "in the first packet");
    let urgent = Priority { level: Some(3), weight: 9 };
    let first = pair.ends[1].next_request().expect("it is announced");
    assert_eq!((first.id, pair.ends[1].priority(last)), (last, Some(urgent)));
    assert_eq!(pair.ends[1].next_request().map(|request| request.id), Some(asked[0]));
    pair.run();
    let rest: Vec<StreamId> = core::iter::from_fn(|| pair.ends[1].next_request()).map(|request| request.id).collect();
    assert_eq!(rest, asked[1..499]);
}

#[test]
fn a_request_is_announced_although_others_have_used_up_the_credit_before_its_turn() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    let id = ask(&mut pair, 0, 100);
    assert_eq!(pair.events(0), [], "it waits for its turn");
    let end = &mut pair.ends[0];
    let room = end.peer_host.room();
    end.unsent += room;
    end.note_fresh(room);
    pair.run();
    assert_eq!(pair.ends[1].next_request().map(|request| (request.id, request.body)), Some((id, None)));
}

#[test]
fn requests_are_announced_while_silent_streams_of_a_higher_level_keep_the_last_of_the_credit() {
    let config = Config { host_window: 64_000, host_window_first: 64_000, streams_max: 4_096, ..Config::default() };
    let mut pair = pair(1, Pipe::default(), config);
    let (bulk, silent) = (pair.stream(), pair.stream());
    pair.ends[0].set_priority(silent, Priority { level: Some(1), ..Priority::default() });
    // Requests wait behind a packet's worth each of others, and then the credit is used up to the reserve.
    pair.ends[0].write(bulk, &[7; 70_000]).expect("room");
    let asked: Vec<StreamId> = (0..20).map(|_| ask(&mut pair, 0, 900)).collect();
    pair.run();
    assert!(pair.ends[0].peer_host.room() > 0, "there is a reserve");
    let told: Vec<StreamId> = core::iter::from_fn(|| pair.ends[1].next_request()).map(|request| request.id).collect();
    assert_eq!(told, asked);
}

#[test]
fn openings_that_wait_are_looked_through_once_however_little_credit_comes() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    let room = pair.ends[0].peer_host.room();
    let asked: Vec<StreamId> = (0..500).map(|_| ask(&mut pair, 0, 100)).collect();
    assert!(
        pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL) && pair.ends[0].holds_openings,
        "they are to go with their bytes"
    );
    let end = &mut pair.ends[0];
    end.unsent += room;
    end.note_fresh(room);
    pair.run();
    assert!(!pair.ends[0].holds_openings, "they went without");
    let told: Vec<StreamId> = core::iter::from_fn(|| pair.ends[1].next_request()).map(|request| request.id).collect();
    assert_eq!(told, asked);
    // With less credit than all need no opening is held back again.
    for _ in 0..10 {
        pair.ends[0].peer_host.limit += 1_000;
        ask(&mut pair, 0, 100);
        assert!(pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL) && !pair.ends[0].holds_openings);
    }
}

#[test]
fn an_answer_that_came_in_part_fails_with_the_connection() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    let (part, none) = (ask(&mut pair, 0, 10), ask(&mut pair, 0, 10));
    pair.run();
    assert_eq!(pair.ends[1].next_request().map(|request| request.id), Some(part));
    pair.ends[1].write(part, b"the beginning").expect("room");
    pair.run();
    assert_eq!(pair.ends[0].take_answer(part), Ok(None));
    pair.ends[0].handle_closed();
    for id in [part, none] {
        assert_eq!(pair.ends[0].take_answer(id), Err(ReadError::ConnectionLost));
    }
}

#[test]
fn an_answer_tells_why_nobody_waits_for_it() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    let ids = [0; 3].map(|_| ask(&mut pair, 0, 10));
    pair.run();
    for id in ids {
        assert_eq!(pair.ends[1].next_request().map(|request| request.id), Some(id));
    }
    let [stopped, reset, finished] = ids;
    pair.ends[0].stop(stopped, 7);
    pair.run();
    pair.ends[1].reset(reset, 9);
    assert_eq!(pair.ends[1].finish(finished), Ok(()));
    assert_eq!(pair.ends[1].answer(stopped, b"x"), Err(WriteError::Stopped(7)));
    assert_eq!(pair.ends[1].answer(reset, b"x"), Err(WriteError::Reset));
    assert_eq!(pair.ends[1].answer(finished, b"x"), Err(WriteError::Finished));
}

#[test]
fn a_queue_of_requests_gives_its_room_back() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    for _ in 0..1_000 {
        ask(&mut pair, 0, 10);
    }
    pair.run();
    assert!(pair.ends[1].requests.capacity() >= 1_000);
    assert_eq!(core::iter::from_fn(|| pair.ends[1].next_request()).count(), 1_000);
    assert!(pair.ends[1].requests.capacity() <= WAITING_KEPT);
}

#[test]
fn a_small_request_is_one_frame_and_so_is_its_answer() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    pair.sent = Some(Default::default());
    let ids = [0, 5, 40].map(|len| ask(&mut pair, 0, len));
    pair.send(0, 10);
    for _ in 0..1 {
        assert!(pair.step());
    }
    assert_eq!(pair.events(1), [StreamEvent::Requested]);
    for (id, len) in ids.into_iter().zip([0, 5, 40]) {
        let request = pair.ends[1].next_request().expect("it has come");
        assert_eq!((request.id, &*request.service, request.early), (id, "ask", false));
        assert_eq!(request.body, Some(body(id, 0, len)));
        assert_eq!(pair.ends[1].answer(id, &body(id, 1, len)), Ok(true));
    }
    assert_eq!(pair.ends[1].next_request(), None);
    pair.run();
    assert_eq!(pair.events(0), ids.map(StreamEvent::Readable), "nothing is told of what was written");
    for (id, len) in ids.into_iter().zip([0, 5, 40]) {
        assert_eq!(pair.ends[0].take_answer(id), Ok(Some(body(id, 1, len))));
        assert_eq!(pair.ends[0].take_answer(id), Err(ReadError::Unknown), "it was let go of");
    }
    pair.run();
    pair.assert_clean("answered");
    let sent = pair.sent.expect("they were kept");
    let kinds = |end: usize| {
        let mut reader = tng_wire::Reader::new(&sent[end][0]);
        let mut kinds = Vec::new();
        while !reader.is_empty() {
            let before = reader.position();
            let _frame: super::wire::Frame<'_> = tng_wire::Repr::parse(&mut reader).expect("a frame");
            kinds.push(sent[end][0][before]);
        }
        kinds
    };
    // An empty one has no data to share a frame with.
    assert_eq!(kinds(0), [0x10, 0x43, 0x19, 0x19]);
    assert!(kinds(1).iter().all(|kind| kind & 0x41 == 0x41), "{:?}", kinds(1));
}

#[test]
fn what_is_more_urgent_goes_before_a_request() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    pair.sent = Some(Default::default());
    let urgent = pair.stream();
    pair.ends[0].set_priority(urgent, Priority { level: Some(3), ..Priority::default() });
    pair.ends[0].write(urgent, &[7; 3_000]).expect("room");
    pair.sent = Some(Default::default());
    ask(&mut pair, 0, 30);
    pair.send(0, 10);
    let sent = pair.sent.as_ref().expect("they are kept");
    let requests: Vec<bool> = sent[0]
        .iter()
        .map(|packet| packet.windows(32).any(|w| w[0] == 30 && w[1..] == body(StreamId(2), 0, 30)[..]))
        .collect();
    assert_eq!(requests.iter().filter(|&&has| has).count(), 0, "its data goes last, behind the opening: {requests:?}");
    pair.run();
    assert_eq!(pair.ends[1].next_request().expect("it has come").body, Some(body(StreamId(2), 0, 30)));
}

#[test]
fn one_that_was_taken_back_before_anybody_looked_is_not_told_of() {
    let mut pair = pair(1, Pipe::default(), Config::default());
    let (first, second) = (ask(&mut pair, 0, 10), ask(&mut pair, 0, 10));
    pair.send(0, 10);
    pair.ends[0].reset(first, 0);
    pair.ends[0].release(first);
    pair.run();
    assert_eq!(pair.ends[1].next_request().map(|request| request.id), Some(second));
    assert_eq!(pair.ends[1].next_request(), None);
    assert_eq!(pair.ends[1].answer(second, b"x"), Ok(true));
    pair.run();
    assert_eq!(pair.ends[0].take_answer(second), Ok(Some(b"x".to_vec())));
    pair.run();
    pair.assert_clean("taken back");
}

/// What an end still has to do.
#[derive(Default)]
struct App {
    asks: u32,
    /// Lengths of what was asked, and what was read of the answer.
    open: BTreeMap<StreamId, (usize, Vec<u8>)>,
    /// What is read as a stream, and what is left to be written of the answer.
    reading: BTreeMap<StreamId, Vec<u8>>,
    writing: BTreeMap<StreamId, (Vec<u8>, usize)>,
    answered: u32,
}

fn answer_len(len: usize) -> usize {
    len * 7919 % 9_001
}

impl App {
    fn act(&mut self, pair: &mut Pair, rng: &mut Rng, end: usize) {
        if self.asks > 0 && rng.chance(0.5) {
            let len = [0, 10, 500, 4_096, 20_000][rng.below(5) as usize];
            let len = rng.below(len + 1) as usize;
            let id = StreamId::new(pair.ends[end].next_own, pair.ends[end].role);
            let priority = Priority { level: rng.chance(0.2).then(|| rng.below(3) as i8 - 1), ..Priority::default() };
            match pair.ends[end].request(ASK.0, ASK.1, &body(id, end, len), priority) {
                Ok((_, taken)) if taken == len => {
                    self.asks -= 1;
                    self.open.insert(id, (len, Vec::new()));
                }
                Ok(_) => {
                    self.asks -= 1;
                    pair.ends[end].release(id);
                }
                Err(OpenError::Blocked) => {}
                Err(error) => panic!("{error}"),
            }
        }
        while let Some(event) = pair.ends[end].poll_event() {
            if let StreamEvent::Reset { id, .. } | StreamEvent::Refused { id, .. } = event {
                self.open.remove(&id);
            }
        }
        while let Some(request) = pair.ends[end].next_request() {
            match request.body {
                Some(read) => {
                    assert_eq!(read, body(request.id, 1 - end, read.len()));
                    let answer = body(request.id, end, answer_len(read.len()));
                    match pair.ends[end].answer(request.id, &answer) {
                        Ok(false) => drop(self.writing.insert(request.id, (answer, 0))),
                        Ok(true) | Err(WriteError::Unknown | WriteError::Stopped(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                None => drop(self.reading.insert(request.id, Vec::new())),
            }
        }
        let streams = &mut pair.ends[end];
        let writing = &mut self.writing;
        self.reading.retain(|&id, read| {
            let mut buf = [0; 2_000];
            match streams.read(id, &mut buf) {
                Ok(Read::Bytes(n)) => read.extend_from_slice(&buf[..n]),
                Ok(Read::Blocked) => {}
                Ok(Read::Finished) => {
                    assert_eq!(*read, body(id, 1 - end, read.len()));
                    writing.insert(id, (body(id, end, answer_len(read.len())), 0));
                    return false;
                }
                Err(_) => {
                    streams.release(id);
                    return false;
                }
            }
            true
        });
        self.writing.retain(|&id, (answer, at)| match streams.write(id, &answer[*at..]) {
            Err(WriteError::Blocked) => true,
            Err(_) => {
                streams.release(id);
                false
            }
            Ok(n) => {
                *at += n;
                if *at == answer.len() {
                    streams.finish(id).expect("it is open");
                    streams.release(id);
                }
                *at < answer.len()
            }
        });
        let answered = &mut self.answered;
        self.open.retain(|&id, (len, read)| {
            if rng.chance(0.002) {
                streams.reset(id, 0);
                streams.release(id);
                return false;
            }
            if read.is_empty() {
                match streams.take_answer(id) {
                    Ok(Some(whole)) => {
                        assert_eq!(whole, body(id, 1 - end, answer_len(*len)), "stream {id}");
                        *answered += 1;
                        return false;
                    }
                    Ok(None) => {}
                    // It is told, too.
                    Err(ReadError::Refused(_) | ReadError::Reset(_)) => return true,
                    Err(error) => panic!("{error}"),
                }
            }
            let mut buf = [0; 2_000];
            match streams.read(id, &mut buf) {
                Ok(Read::Bytes(n)) => read.extend_from_slice(&buf[..n]),
                Ok(Read::Blocked) => {}
                Ok(Read::Finished) => {
                    assert_eq!(*read, body(id, 1 - end, answer_len(*len)), "stream {id}");
                    *answered += 1;
                    streams.release(id);
                    return false;
                }
                Err(ReadError::Refused(_) | ReadError::Reset(_)) => {}
                Err(error) => panic!("{error}"),
            }
            true
        });
    }
}

#[test]
fn whatever_the_network_does_each_request_has_its_own_answer_and_nothing_stays() {
    let seeds: u64 = std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(300);
    let mut answered = 0;
    for seed in 0..seeds {
        let mut rng = Rng::from_u64(seed);
        let pick = |rng: &mut Rng, of: &[f64]| of[rng.below(of.len() as u64) as usize];
        let pipe = Pipe {
            loss: pick(&mut rng, &[0.0, 0.01, 0.1, 0.3]),
            ack_loss: pick(&mut rng, &[0.0, 0.02, 0.2]),
            doubt: pick(&mut rng, &[0.0, 0.05, 0.2]),
            delay_us: (500, 500 + rng.below(5_000)),
            packet: 600 + rng.below(1_000) as usize,
        };
        let config = Config {
            stream_window: 4_096 + rng.below(60_000),
            host_window: 8_192 + rng.below(100_000),
            streams_max: 16 + rng.below(30),
            backlog_max: 2 + rng.below(30) as usize,
            ..Config::default()
        };
        let mut pair = pair(seed, pipe, config);
        let mut apps = [App { asks: 60, ..App::default() }, App { asks: 20, ..App::default() }];
        let mut rounds = 0;
        while !apps.iter().all(|app| app.asks == 0 && app.open.is_empty())
            || !pair.happenings.is_empty()
            || !pair.ends.iter().all(|end| end.is_idle() && end.stats().streams == 0)
        {
            for (end, app) in apps.iter_mut().enumerate() {
                app.act(&mut pair, &mut rng, end);
                pair.send(end, rng.below(6) as usize);
            }
            for _ in 0..rng.below(8) {
                pair.step();
            }
            rounds += 1;
            assert!(rounds < 60_000, "seed {seed}: stuck: {:?}\n{:?}", pair.ends[0].stats(), pair.ends[1].stats());
        }
        pair.assert_clean(&format!("seed {seed}"));
        answered += apps[0].answered + apps[1].answered;
    }
    assert!(u64::from(answered) > seeds * 40, "{answered} answers of {}", seeds * 80);
}
