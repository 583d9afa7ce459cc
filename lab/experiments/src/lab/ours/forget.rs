//! A server that is killed again and again in the middle of a download.

use core::cell::RefCell;
use core::convert::Infallible;
use core::net::{IpAddr, SocketAddr};
use core::ops::Range;
use core::time::Duration;
use std::rc::Rc;

use serde_json::json;
use tng_base::{Instant, RangeSet};
use tng_queue::{Limit, QueueConfig};
use tng_sim::{App, Link, MachineNode, Node, PORT, World, fork, topology};
use tng_stack::Identity;
use tng_trickles::Site;
use tng_trickles::client::{Client, ClientStats, Event, ObjectId, Options, Policy, Read, Replicas};
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::set_up::Call;
use tng_trickles::wire::Fault;

use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot};
use crate::peers::transport::tell;
use crate::peers::transport::trickles::{Usage, client_config, serve};
use crate::settings::{Configured, Settings};

/// One download, many servers' processes.
pub static FORGET: Experiment = Experiment {
    name: "ours/forget",
    title: "A server that forgets",
    source: "ours, after Trickles 6.2 (failover)",
    claim: "a server that is killed in the middle of a download costs the download nothing but time: the same \
            connection goes on with the next process, which has the keys and nothing else, and no byte is sent twice",
    about: "A file, and its hash, over Trickles: 100 Mbit/s and 20 ms of round trip. Every so often, at times that the \
            seed draws, the server's process ends, with all that it knew; for a while nothing is there, and then \
            another process with the same keys.",
    params: &[
        Param::size("size", "40MB", "of the file"),
        Param::time("every", "400ms", "from one kill to the next, on average; from 50ms"),
        Param::time("down", "50ms", "how long nothing is there, up to four fifths of that"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// Bits per second between the two.
const RATE_BPS: u64 = 100_000_000;
/// Delay each way.
const DELAY: Duration = Duration::from_millis(10);
/// So much waits for the link: what the window grows to between two kills, so that nothing is lost but by them.
const QUEUE_PACKETS: usize = 10_000;
/// How often the server is killed at least.
const KILLS: Goal = Goal::AtLeast(5.0);
/// How fast the file comes at least, Mbit/s, though the server is killed again and again.
const RATE: Goal = Goal::AtLeast(15.0);
/// Least time from one kill to the next.
const EVERY_MIN: Duration = Duration::from_millis(50);
/// Most time that the download is given.
const TIME_MAX: Duration = Duration::from_secs(3_600);
/// Step of the picture.
const STEP: Duration = Duration::from_millis(100);
/// Bytes of the hash.
const HASH_LEN: u64 = 32;
/// The code of a fault: there is no such object.
const UNKNOWN: u64 = 64;

/// What lots are drawn for.
mod lot {
    pub(super) const KEY: u64 = 1;
    pub(super) const CLIENT: u64 = 2;
    pub(super) const KILLS: u64 = 3;
    pub(super) const FILE: u64 = 4;
    pub(super) const CLIENT_LOTS: u64 = 5;
    pub(super) const SERVER: u64 = 6;
    pub(super) const IDENTITY: u64 = 7;
    /// Those of the server's next process are so much further.
    pub(super) const LIFE: u64 = 1 << 32;
}

/// The file: its bytes follow from a number (BLAKE3's extendable output).
#[derive(Clone)]
struct Content {
    bytes: blake3::OutputReader,
    len: u64,
}

impl Content {
    fn new(seed: u64, len: u64) -> Content {
        Content { bytes: blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof(), len }
    }

    fn fill(&self, from: u64, buf: &mut [u8]) {
        let mut bytes = self.bytes.clone();
        bytes.set_position(from);
        bytes.fill(buf);
    }

    fn hash(&self) -> blake3::Hash {
        let (mut hasher, mut buf) = (blake3::Hasher::new(), [0; 8_192]);
        for from in (0..self.len).step_by(buf.len()) {
            let piece = &mut buf[..(self.len - from).min(8_192) as usize];
            self.fill(from, piece);
            hasher.update(piece);
        }
        hasher.finalize()
    }
}

/// What all processes of the server have sent of the file: the experiment's book, which none of them looks at.
#[derive(Default)]
struct Sent {
    bytes: u64,
    which: RangeSet,
}

/// Serves the file and its hash.
#[derive(Clone)]
struct Library {
    content: Content,
    hash: [u8; HASH_LEN as usize],
    sent: Rc<RefCell<Sent>>,
}

impl Library {
    fn send(&self, is_file: bool, row: Range<u64>, from: u64, answer: &mut Answer<'_>) {
        let start = row.start;
        let Ok(_) = answer.send_with(row, |at, buf| {
            let from = at - start + from;
            if is_file {
                self.content.fill(from, buf);
                let mut sent = self.sent.borrow_mut();
                sent.bytes += buf.len() as u64;
                sent.which.insert(from..from + buf.len() as u64);
            } else {
                buf.copy_from_slice(&self.hash[from as usize..from as usize + buf.len()]);
            }
            Ok::<(), Infallible>(())
        });
    }
}

impl Application for Library {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, reserved, data, .. } => {
                let (is_file, len) = match data {
                    b"file" => (true, self.content.len),
                    b"hash" => (false, HASH_LEN),
                    _ => {
                        answer.fault(object, Fault::Application(UNKNOWN), "there is no such object");
                        return;
                    }
                };
                // The client reserves enough.
                let end = reserved.end.min(reserved.start + len);
                answer.output(object, reserved.start..end, &[u8::from(is_file)]);
                // Bytes come where they are asked for by their range, and nowhere else.
                answer.skip(end..reserved.end);
            }
            Asked::Want { valid, ranges, state, .. } => {
                for range in ranges.iter() {
                    let from = range.start - valid.start;
                    self.send(state == [1], range, from, answer);
                }
            }
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

/// What the client has.
#[derive(Default)]
struct Got {
    hasher: blake3::Hasher,
    /// Bytes of the file in each step.
    steps: Vec<u64>,
    told: Vec<u8>,
    connections: u64,
    /// When the file had come.
    ended: Option<Instant>,
    failure: Option<String>,
    stats: ClientStats,
}

impl Got {
    fn is_over(&self) -> bool {
        self.ended.is_some() || self.failure.is_some()
    }
}

/// Asks for the hash, then for the file, and reads them.
struct Reader {
    size: u64,
    hash: Option<ObjectId>,
    file: Option<ObjectId>,
    got: Rc<RefCell<Got>>,
}

impl Reader {
    fn read(&mut self, now: Instant, client: &mut Client, object: ObjectId) {
        let (mut got, mut out) = (self.got.borrow_mut(), [0; 8_192]);
        let is_file = self.file == Some(object);
        loop {
            match client.read(object, &mut out) {
                Read::Bytes(len) if is_file => {
                    got.hasher.update(&out[..len]);
                    let step = (now.since(Instant::ZERO).as_nanos() / STEP.as_nanos()) as usize;
                    if got.steps.len() <= step {
                        got.steps.resize(step + 1, 0);
                    }
                    got.steps[step] += len as u64;
                }
                Read::Bytes(len) => got.told.extend_from_slice(&out[..len]),
                Read::Blocked | Read::Unknown => break,
                Read::End => {
                    match is_file {
                        true => (got.ended, got.stats) = (Some(now), client.stats()),
                        false => self.file = ask(client, b"file", self.size),
                    }
                    break;
                }
            }
        }
    }
}

impl App<Client> for Reader {
    fn handle_event(&mut self, now: Instant, client: &mut Client, event: Event) {
        match event {
            Event::Connected => self.got.borrow_mut().connections += 1,
            Event::Readable(object) | Event::Finished(object) => self.read(now, client, object),
            Event::Failed(_, error) => self.got.borrow_mut().failure = Some(error.to_string()),
            Event::Ended(error) => self.got.borrow_mut().failure = Some(error.to_string()),
        }
    }

    fn poll(&mut self, _: Instant, client: &mut Client) -> Option<Instant> {
        if self.hash.is_none() {
            self.hash = ask(client, b"hash", HASH_LEN);
        }
        None
    }
}

/// Asks for an object of so many bytes.
fn ask(client: &mut Client, name: &[u8], len: u64) -> Option<ObjectId> {
    client.ask(name, Options { reserve: len + 1, ..Options::default() }).ok()
}

/// A download, and what is killed when.
#[derive(Clone, Debug)]
struct Download {
    seed: u64,
    size: u64,
    every: Duration,
    down: Duration,
    queue_packets: usize,
    /// What the server's next processes have of the first.
    keeps: Keeps,
}

/// What a process has of the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keeps {
    /// Its keys and its file.
    All,
    /// Its file; the keys are others.
    #[cfg(test)]
    File,
    /// Its keys; the file has other bytes.
    #[cfg(test)]
    Keys,
}

impl Configured for Download {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "link, each way", &self.link());
        tell::trickles(settings, "hosts that speak Trickles", Usage::default());
    }
}

/// What came of a download.
struct Ended {
    took: Duration,
    /// When the server was killed.
    kills: Vec<Duration>,
    curve: Curve,
    connections: u64,
    sent_twice: u64,
    is_right: bool,
    stats: ClientStats,
    digest: String,
}

const SERVER: IpAddr = topology::ipv4(0);
const CLIENT: IpAddr = topology::ipv4(1);

impl Download {
    fn link(&self) -> Link {
        let queue = QueueConfig::DropTail(Limit::Packets(self.queue_packets));
        Link::new().rate(RATE_BPS).delay(DELAY).queue(queue)
    }

    fn identity(&self, lot: u64) -> Identity {
        Identity::from_seed(fork(self.seed, lot).bytes::<32>())
    }

    /// The file; another one for each number but zero.
    fn content(&self, number: u64) -> Content {
        Content::new(fork(self.seed, lot::FILE).u64() ^ number, self.size)
    }

    /// The server's process, the `life`th, counted from zero.
    fn server(&self, life: u64, now: Instant, library: Library) -> Box<dyn Node> {
        let (key, library) = match self.keeps {
            Keeps::All => (0, library),
            #[cfg(test)]
            Keeps::File => (life, library),
            #[cfg(test)]
            Keeps::Keys => (0, Library { content: self.content(life), ..library }),
        };
        let lots = |lot, life| fork(self.seed, lot + life * lot::LIFE);
        let (identity, own) = (self.identity(lot::IDENTITY + key * lot::LIFE), lots(lot::SERVER, life));
        let server = serve(now, (Usage::default(), Site::default()), identity, library, (lots(lot::KEY, key), own));
        Box::new(MachineNode::new(server, ()))
    }

    fn run(&self) -> Result<Ended, RunError> {
        let content = self.content(0);
        let (hash, sent, got) = (content.hash(), Rc::<RefCell<Sent>>::default(), Rc::<RefCell<Got>>::default());
        let library = Library { content, hash: hash.into(), sent: Rc::clone(&sent) };
        let mut world: World<Box<dyn Node>> = World::new(self.seed);
        world.record_digest();
        let server = world.host("server", &[SERVER], self.server(0, Instant::ZERO, library.clone()));
        let client = world.host("client", &[CLIENT], self.client(Rc::clone(&got)));
        world.connect(server, client, &self.link());

        let (mut kills, mut lots, mut at) = (Vec::new(), fork(self.seed, lot::KILLS), Duration::ZERO);
        loop {
            // Never before the last one has ended.
            at += self.every.mul_f64(0.8 + 0.4 * lots.unit());
            world.run_until(Instant::ZERO + at);
            if at >= TIME_MAX || got.borrow().is_over() {
                break;
            }
            drop(world.stop(server));
            kills.push(at);
            world.run_until(Instant::ZERO + at + self.down);
            world.start(server, self.server(kills.len() as u64, world.now(), library.clone()));
        }
        let (got, sent) = (got.borrow(), sent.borrow());
        match (&got.failure, got.ended) {
            (None, Some(ended)) => Ok(Ended {
                took: ended.since(Instant::ZERO),
                kills,
                curve: Curve { name: "file".to_owned(), step_s: STEP.as_secs_f64(), bytes: got.steps.clone() },
                connections: got.connections,
                sent_twice: sent.bytes - sent.which.size(),
                is_right: got.told == hash.as_bytes() && got.hasher.finalize() == hash,
                stats: got.stats,
                digest: world.digest().unwrap_or_default().iter().map(|byte| format!("{byte:02x}")).collect(),
            }),
            (Some(failure), _) => Err(RunError::broken(failure)),
            (None, None) => Err(RunError::broken(format_args!("the file is not there after {TIME_MAX:?}"))),
        }
    }

    fn client(&self, got: Rc<RefCell<Got>>) -> Box<dyn Node> {
        let replicas = Replicas::new(vec![SocketAddr::new(SERVER, PORT)], Policy::Stay).expect("there is one");
        let seed = fork(self.seed, lot::CLIENT_LOTS).bytes::<32>();
        let call = Call::new(self.identity(lot::IDENTITY).eid());
        let config = client_config(Usage::default());
        let client = Client::connect(config, self.identity(lot::CLIENT), call, replicas, seed, Instant::ZERO);
        Box::new(MachineNode::new(client, Reader { size: self.size, hash: None, file: None, got }))
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let [every, down] = ["every", "down"].map(|key| context.time(key));
    if every < EVERY_MIN || down > every.mul_f64(0.8) {
        let (every, down) = (context.given("every"), context.given("down"));
        let why = format!("every={every} down={down}: not below 50ms, and down at most four fifths of it");
        return Err(RunError::Params(why));
    }
    let (seed, size) = (context.seed, context.size("size"));
    let download = Download { seed, size, every, down, queue_packets: QUEUE_PACKETS, keeps: Keeps::All };
    context.progress("a file from a server that is killed again and again");
    Ok(outcome(&context.world(&download).run()?, size))
}

fn outcome(ended: &Ended, size: u64) -> Outcome {
    let Ended { took, kills, curve, connections, sent_twice, is_right, stats, digest } = ended;
    let mut table = Table::new(&["", ""]);
    let took_s = took.as_secs_f64();
    let mbits = size as f64 * 8e-6 / took_s;
    let (dead, is_right_word) = (kills.len(), if *is_right { "right" } else { "wrong" });
    for (what, figure) in [
        ("bytes, and in what time", format!("{size} in {took_s:.2} s: {mbits:.1} Mbit/s")),
        ("the server was killed", format!("{dead} times")),
        ("connections that the client has had", connections.to_string()),
        ("timeouts that it asked for", stats.timeouts.to_string()),
        ("packets that it waited for in vain", stats.lost.to_string()),
        ("bytes that came twice", sent_twice.to_string()),
        ("BLAKE3 of what came", is_right_word.to_owned()),
    ] {
        table.row(vec![what.to_owned(), figure]);
    }
    let plot = Plot::new("What arrives, server killed again and again", Axis::new("time", "s"), Curve::axis());
    let plot = plot.series(curve.series());
    let plot = kills.iter().fold(plot, |plot, at| plot.mark(at.as_secs_f64(), "killed"));
    let results = json!({
        "bytes": size, "completion_s": took_s, "killed_s": kills.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(),
        "connections": connections, "timeouts": stats.timeouts, "packets_lost": stats.lost,
        "bytes_sent_twice": sent_twice, "hash_is_right": is_right, "digest": digest,
    });
    let (dead, connections, sent_twice) = (dead as f64, *connections as f64, *sent_twice as f64);
    Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("how often the server was killed", dead, "", KILLS))
        .check(Check::new("rate of the file", mbits, "Mbit/s", RATE).ours())
        .check(Check::new("connections that the client has had", connections, "", Goal::Within(1.0, 1.0)))
        .check(Check::new("bytes that came twice", sent_twice, "B", Goal::AtMost(0.0)))
        .check(Check::new("files that came with the right hash", f64::from(*is_right), "", Goal::Within(1.0, 1.0)))
        .note(
            "Which bytes came twice is counted where processes of the server put them into packets, in a book that \
             none of them reads; no packet for the client is lost on the way.",
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SIZE: u64 = 6_000_000;

    fn download(seed: u64) -> Download {
        let (every, down) = (Duration::from_millis(200), Duration::from_millis(20));
        Download { seed, size: SIZE, every, down, queue_packets: QUEUE_PACKETS, keeps: Keeps::All }
    }

    #[test]
    fn a_download_goes_on_over_the_same_connection_however_often_its_server_is_killed_and_does_so_again() {
        for seed in 1..4 {
            let set = ["size=2MB", "every=100ms", "down=10ms"];
            let record = measured(&FORGET, seed, &set);
            // What is killed as often as that has no time to become fast.
            assert_eq!(unmet(&record.outcome), ["rate of the file, a goal of ours"], "seed {seed}: {record}");
            assert_eq!(record, measured(&FORGET, seed, &set), "seed {seed}");
        }
    }

    #[test]
    fn a_download_whose_server_is_killed_every_400_ms_is_as_fast_as_it_has_to_be() {
        let record = measured(&FORGET, 1, &["size=12MB"]);
        assert!(record.holds(), "{record}");
    }

    #[test]
    fn processes_that_have_other_keys_cannot_go_on_with_it() {
        let ended = Download { keeps: Keeps::File, ..download(1) }.run();
        assert!(ended.is_err(), "nobody there knows the connection, nor has the key that the client dials");
    }

    #[test]
    fn a_file_that_has_become_another_is_found_by_its_hash() {
        let ended = Download { keeps: Keeps::Keys, ..download(1) }.run().expect("as many bytes come");
        assert_eq!(unmet(&outcome(&ended, SIZE)), ["files that came with the right hash"]);
    }

    #[test]
    fn what_is_lost_on_the_way_is_sent_twice() {
        let ended = Download { queue_packets: 20, ..download(1) }.run().expect("it comes all the same");
        assert!(ended.sent_twice > 0);
        assert!(ended.is_right && ended.connections == 1);
    }

    #[test]
    fn times_that_do_not_go_together_are_refused_by_name() {
        for set in [["every=40ms", "down=1ms"], ["every=100ms", "down=90ms"]] {
            let params = FORGET.params(&set.map(str::to_owned)).expect("times");
            assert!(matches!(run(&Context::new(1, params, false, &|_| ())), Err(RunError::Params(_))), "{set:?}");
        }
    }
}
