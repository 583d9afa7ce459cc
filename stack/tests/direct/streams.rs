//! What streams cost and gain in figures: round trips, packets, head-of-line blocking, credit.

use core::time::Duration;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::topology::pair;
use tng_sim::{App, LaneId, Link, Loss, MachineNode, World};
use tng_stack::structured::{Priority, Read, StreamEvent, StreamId, Streams};
use tng_stack::{ConnectionId, EventKind, Host, HostEvent, Identity, Target};

use crate::apps::{SERVICE, Server};
use crate::world::Setting;

const BLOCK: u64 = 64 << 10;

/// Reads what arrives and notes when each block of a stream was whole.
#[derive(Default)]
struct Reader {
    target: Option<Target>,
    connection: Option<ConnectionId>,
    read: BTreeMap<StreamId, u64>,
    blocks: Vec<Instant>,
    /// Streams that are left unread.
    unread: Vec<StreamId>,
}

enum Party {
    Reader(Reader),
    Server(Server),
}

impl App<Host> for Party {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let reader = match self {
            Party::Reader(reader) => reader,
            Party::Server(server) => return server.handle_event(now, host, event),
        };
        let EventKind::Stream(StreamEvent::Readable(id)) = event.kind else { return };
        if reader.unread.contains(&id) {
            return;
        }
        let streams = host.streams(event.connection).expect("the connection is there");
        let mut buf = [0; 16 << 10];
        while let Ok(Read::Bytes(n)) = streams.read(id, &mut buf) {
            let read = reader.read.entry(id).or_default();
            let before = *read / BLOCK;
            *read += n as u64;
            reader.blocks.extend((before..*read / BLOCK).map(|_| now));
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Party::Reader(reader) = self
            && let Some(target) = reader.target.take()
        {
            reader.connection = host.connect(now, target).ok();
        }
        None
    }
}

type Node = MachineNode<Host, Party>;

struct Run {
    world: World<Node>,
    a: tng_sim::NodeId,
    b: tng_sim::NodeId,
    link: tng_sim::LinkId,
}

impl Run {
    /// Connected, and silent since long.
    fn new(setting: &Setting) -> Run {
        let mut server = Host::new(setting.server.clone(), setting.server_identity(), [9; 32]);
        server.listen(SERVICE.0, SERVICE.1, setting.service);
        let client = Host::new(setting.client.clone(), Identity::from_seed([setting.seed as u8; 32]), [8; 32]);
        let reader = Reader { target: Some(setting.target()), ..Reader::default() };
        let (client, server) = (
            MachineNode::new(client, Party::Reader(reader)),
            MachineNode::new(server, Party::Server(Server::default())),
        );
        let tng_sim::topology::Pair { world, a, b, link } = pair(setting.seed, &setting.link, client, server);
        let mut run = Run { world, a, b, link };
        run.world.run_until(Instant::from_secs(1));
        run.ask(8, 1);
        run.world.run_until(Instant::from_secs(10));
        assert_eq!(run.reader().read.len(), 1, "seed {}: the connection is there", setting.seed);
        run
    }

    fn reader(&mut self) -> &mut Reader {
        match &mut self.world.node_mut(self.a).app {
            Party::Reader(reader) => reader,
            Party::Server(_) => unreachable!("A reads"),
        }
    }

    fn streams(&mut self) -> &mut Streams {
        let connection = self.reader().connection.expect("connected");
        self.world.node_mut(self.a).machine.streams(connection).expect("the connection is there")
    }

    /// Asks for `len` bytes in a request of so many bytes.
    fn ask(&mut self, request: usize, len: u64) -> StreamId {
        let streams = self.streams();
        let id = streams.open(SERVICE.0, SERVICE.1).expect("credit");
        let mut bytes = vec![0; request];
        bytes[..8].copy_from_slice(&len.to_be_bytes());
        assert_eq!(streams.write(id, &bytes), Ok(request));
        streams.finish(id).expect("open");
        id
    }

    /// Notes the size of every datagram on a lane.
    fn sizes(&mut self, lane: LaneId) -> Rc<RefCell<Vec<usize>>> {
        let sizes = Rc::new(RefCell::new(Vec::new()));
        let noting = sizes.clone();
        self.world.intercept(lane, move |_, packet| {
            noting.borrow_mut().push(packet.payload.len());
            true
        });
        sizes
    }
}

#[test]
fn a_request_and_its_reply_on_a_new_stream_take_one_round_trip_and_two_packets_beside_acknowledgments() {
    let mut setting = Setting::new(21);
    setting.link = Link::new().delay(Duration::from_millis(25));
    let mut run = Run::new(&setting);
    let began = run.world.now();
    let (forth, back) = (run.sizes(run.link.forth()), run.sizes(run.link.back()));
    let id = run.ask(32, 32);
    let round_trip = Duration::from_millis(50);
    run.world.run_until(began + round_trip - Duration::from_nanos(1));
    assert_eq!(run.reader().read.get(&id), None);
    run.world.run_until(began + round_trip);
    assert_eq!(run.reader().read.get(&id), Some(&32), "exactly one round trip");
    run.world.run_until(began + Duration::from_secs(5));
    let (forth, back) = (forth.borrow().clone(), back.borrow().clone());
    // An acknowledgment alone has at most 42 bytes (docs/wire.md, section 3.4).
    let large = |sizes: &[usize]| sizes.iter().filter(|&&size| size > 50).count();
    println!("datagrams of a transaction: {forth:?} forth, {back:?} back");
    assert_eq!((large(&forth), large(&back)), (1, 1), "{forth:?} {back:?}");
    assert!(forth.len() + back.len() <= 4, "{forth:?} {back:?}");
}

/// Median time until a reply is whole, of a hundred of 64 KiB: each on its own stream, or all on one. Neither the path
/// nor a congestion controller holds anything back, so that what is measured is waiting for what was lost, and nothing
/// else.
fn median(seed: u64, together: bool) -> Duration {
    let mut setting = Setting::new(seed);
    setting.link = Link::new().delay(Duration::from_millis(50)).loss(Loss::Independent(0.02));
    setting.server.controller = "unlimited".parse().expect("a controller");
    (setting.server.streams.unsent_all_max, setting.server.streams.blocked_all_max) = (u64::MAX, u64::MAX);
    (setting.client.streams.host_window_first, setting.client.memory_max) = (32 << 20, 1 << 40);
    let mut run = Run::new(&setting);
    let began = run.world.now();
    if together {
        run.ask(32, 100 * BLOCK);
    } else {
        (0..100).for_each(|_| _ = run.ask(32, BLOCK));
    }
    while run.reader().blocks.len() < 100 {
        let later = run.world.now() + Duration::from_millis(5);
        assert!(later < began + Duration::from_secs(60), "seed {seed}: stuck");
        run.world.run_until(later);
    }
    run.reader().blocks.sort();
    run.reader().blocks[49].since(began)
}

#[test]
fn a_lost_packet_holds_up_its_own_stream_alone() {
    let mut gains = Vec::new();
    for seed in 1..=9 {
        let (streams, ordered) = (median(seed, false), median(seed, true));
        let gain = ordered.as_secs_f64() / streams.as_secs_f64();
        println!("seed {seed}: {streams:?} on streams of their own, {ordered:?} on one: {gain:.2}");
        assert!(gain >= 1.0, "seed {seed}: {gain}");
        gains.push(gain);
    }
    gains.sort_by(f64::total_cmp);
    assert!(gains[4] >= 1.5, "{gains:?}");
}

#[test]
fn a_thousand_unread_streams_block_neither_the_next_nor_a_change_of_priority() {
    let mut setting = Setting::new(23);
    setting.link = Link::new().delay(Duration::from_millis(25));
    setting.server.controller = "unlimited".parse().expect("a controller");
    setting.client.streams.host_window = 4 << 20;
    let mut run = Run::new(&setting);
    for _ in 0..1_000 {
        let id = run.ask(32, 6_000);
        run.reader().unread.push(id);
    }
    run.world.run_until(Instant::from_secs(30));
    let held = run.streams().stats().bytes_unread;
    assert!(held >= (4 << 20) * 15 / 16 - 2_000, "they hold {held} bytes: nearly all that there is");
    let began = run.world.now();
    let last = run.reader().unread[999];
    let urgent = Priority { level: Some(7), ..Priority::default() };
    let next = run.ask(32, 100);
    run.streams().request_priority(last, urgent);
    run.world.run_until(began + Duration::from_millis(50));
    assert_eq!(run.reader().read.get(&next), Some(&100), "one round trip, as if there were no others");
    let server = &mut run.world.node_mut(run.b).machine;
    let connection = server.connections().next().expect("the connection is there");
    assert_eq!(server.streams(connection).and_then(|streams| streams.priority(last)), Some(urgent));
}
