//! QUIC in simulated worlds: what quinn promises it keeps there too, and its runs repeat.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::{Instant, Rng};
use tng_experiments::peers::quic::{
    Config, ConnectionId, Controller, DatagramError, Dir, Early, End, Event, Host, News, StreamId,
};
use tng_sim::{App, Link, Loss, MachineNode, PORT, topology};

/// Asks a server for `bytes` bytes on each of `streams` streams, at each of these times on a connection of its own; a
/// server answers whatever it is asked.
#[derive(Default)]
struct Party {
    at: Vec<Instant>,
    streams: u64,
    bytes: u64,
    keep: bool,
    /// Connections opened here, with when, and whether they were early.
    opened: Vec<(ConnectionId, Instant)>,
    asked: BTreeMap<(ConnectionId, StreamId), u64>,
    /// Requests under way here as the server: what is left to be written.
    owed: BTreeMap<(ConnectionId, StreamId), (Vec<u8>, u64, u64)>,
    completed: BTreeMap<ConnectionId, Instant>,
    early: BTreeMap<ConnectionId, Early>,
    ends: Vec<End>,
    delivered: usize,
    datagrams: Vec<Vec<u8>>,
}

/// Byte `at` of what everybody writes.
fn byte(at: u64) -> u8 {
    (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

impl Party {
    fn ask(&mut self, host: &mut Host, id: ConnectionId) {
        for _ in 0..self.streams {
            let stream = host.open(id, Dir::Bi).expect("room for a stream");
            assert_eq!(host.write(id, stream, &self.bytes.to_be_bytes()), Ok(8));
            host.finish(id, stream).expect("an open stream");
            self.asked.insert((id, stream), 0);
        }
    }

    /// The client's half: the answer comes.
    fn hear(&mut self, now: Instant, host: &mut Host, key: (ConnectionId, StreamId)) {
        let Some(got) = self.asked.get_mut(&key) else { return };
        let mut buf = [0; 10_000];
        loop {
            let read = host.read(key.0, key.1, &mut buf).expect("a whole answer");
            for found in &buf[..read.bytes] {
                assert_eq!(*found, byte(*got), "byte {got}");
                *got += 1;
            }
            if read.end {
                assert_eq!(*got, self.bytes);
                self.asked.remove(&key);
                if !self.asked.keys().any(|(id, _)| *id == key.0) {
                    self.completed.insert(key.0, now);
                    if !self.keep {
                        host.close(now, key.0, 7).expect("a connection");
                    }
                }
                return;
            }
            if read.bytes == 0 {
                return;
            }
        }
    }

    /// The server's half: what is asked, and the answer.
    fn answer(&mut self, host: &mut Host, key: (ConnectionId, StreamId)) {
        let (request, written, total) = self.owed.entry(key).or_insert((Vec::new(), 0, 0));
        if request.len() < 8 {
            let mut buf = [0; 16];
            let Ok(read) = host.read(key.0, key.1, &mut buf) else { return };
            request.extend_from_slice(&buf[..read.bytes]);
            if request.len() < 8 {
                return;
            }
            *total = u64::from_be_bytes(request[..].try_into().expect("eight bytes"));
        }
        while written < total {
            let bytes: Vec<u8> = (*written..*total).take(5_000).map(byte).collect();
            match host.write(key.0, key.1, &bytes) {
                Ok(0) | Err(_) => return,
                Ok(count) => *written += count as u64,
            }
        }
        self.owed.remove(&key);
        host.finish(key.0, key.1).expect("an open stream");
    }
}

impl App<Host> for Party {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: Event) {
        let id = event.id;
        let ours = self.opened.iter().any(|(own, _)| *own == id);
        match event.news {
            News::Connected { early } => {
                self.early.insert(id, early);
                if ours && !self.asked.keys().any(|(other, _)| *other == id) && !self.completed.contains_key(&id) {
                    self.ask(host, id);
                }
            }
            News::Opened(stream) | News::Readable(stream) | News::Writable(stream) if ours => {
                self.hear(now, host, (id, stream));
            }
            News::Opened(stream) | News::Readable(stream) | News::Writable(stream) => self.answer(host, (id, stream)),
            News::Delivered(_) => self.delivered += 1,
            News::Closed { end, .. } => self.ends.push(end),
            News::DatagramReadable => {
                while let Ok(Some(datagram)) = host.recv_datagram(id) {
                    self.datagrams.push(datagram.to_vec());
                }
            }
            News::Accepted { .. } | News::Stopped { .. } | News::StreamsAvailable(_) | News::DatagramWritable => {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        while let Some(place) = self.at.iter().position(|at| *at <= now) {
            self.at.remove(place);
            let id = host.connect(now, SocketAddr::new(topology::B, PORT)).expect("room for a connection");
            self.opened.push((id, now));
            if host.has_early_data(id) == Ok(true) {
                self.ask(host, id);
            }
        }
        self.at.iter().min().copied()
    }
}

type Pair = topology::Pair<MachineNode<Host, Party>>;

fn pair(seed: u64, link: &Link, config: &Config, client: Party) -> Pair {
    let a = MachineNode::new(Host::new(config, Rng::from_u64(seed ^ 1)), client);
    let mut server = Host::new(config, Rng::from_u64(seed ^ 2));
    server.listen();
    let mut pair = topology::pair(seed, link, a, MachineNode::new(server, Party::default()));
    pair.world.record_digest_of_sizes();
    pair
}

fn asking(at: &[Instant], streams: u64, bytes: u64) -> Party {
    Party { at: at.to_vec(), streams, bytes, ..Party::default() }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// 10 Mbit/s, 20 ms each way.
fn path() -> Link {
    Link::new().rate(10_000_000).delay(ms(20))
}

fn client(pair: &Pair) -> &Party {
    &pair.world.node(pair.a).app
}

fn run(pair: &mut Pair, connections: usize) -> bool {
    let a = pair.a;
    pair.world.wait_until(Instant::from_secs(120), |world| world.node(a).app.completed.len() == connections)
}

#[test]
fn everything_arrives_once_and_in_order_over_a_bad_path() {
    for seed in 0..5 {
        let bad = path().loss(Loss::Independent(0.03)).reorder(0.05, ms(15)).duplicate(0.03);
        let mut pair = pair(seed, &bad, &Config::default(), asking(&[Instant::ZERO], 4, 150_000));
        assert!(run(&mut pair, 1), "seed {seed}: it never completes: {:?}", client(&pair).ends);
    }
}

#[test]
fn the_same_seed_gives_the_same_times_and_sizes_and_another_seed_others() {
    let digest = |seed, controller| {
        let bad = path().loss(Loss::Independent(0.02)).reorder(0.05, ms(15));
        let config = Config { controller, ..Config::default() };
        // The second is early.
        let at = [Instant::ZERO, Instant::from_secs(20)];
        let mut pair = pair(seed, &bad, &config, asking(&at, 3, 50_000));
        assert!(run(&mut pair, 2), "seed {seed}: it never completes");
        pair.world.run_until(Instant::from_secs(200));
        (client(&pair).completed.clone(), pair.world.digest())
    };
    for controller in [Controller::Cubic, Controller::NewReno] {
        for seed in 0..4 {
            assert_eq!(digest(seed, controller), digest(seed, controller), "seed {seed}, {controller}");
        }
        assert_ne!(digest(0, controller), digest(1, controller));
    }
}

#[test]
fn a_cold_exchange_takes_two_round_trips_and_one_with_a_ticket_one() {
    let at = [Instant::ZERO, Instant::from_secs(5)];
    let mut pair = pair(1, &path(), &Config::default(), asking(&at, 1, 500));
    assert!(run(&mut pair, 2));
    let party = client(&pair);
    let took: Vec<Duration> = party.opened.iter().map(|(id, begun)| party.completed[id].since(*begun)).collect();
    assert!((ms(80)..ms(88)).contains(&took[0]), "cold: {took:?}");
    assert!((ms(40)..ms(46)).contains(&took[1]), "early: {took:?}");
    let early: Vec<Early> = party.opened.iter().map(|(id, _)| party.early[id]).collect();
    assert_eq!(early, [Early::None, Early::Accepted]);
}

#[test]
fn without_early_data_or_with_forgotten_tickets_every_exchange_is_cold() {
    let at = [Instant::ZERO, Instant::from_secs(5)];
    let never = Config { early_data: false, ..Config::default() };
    for (config, forget) in [(never, false), (Config::default(), true)] {
        let mut pair = pair(1, &path(), &config, asking(&at, 1, 500));
        pair.world.run_until(Instant::from_secs(2));
        if forget {
            let a = pair.a;
            pair.world.node_mut(a).machine.forget_tickets();
        }
        assert!(run(&mut pair, 2));
        let party = client(&pair);
        assert!(party.early.values().all(|early| *early == Early::None), "{:?}", party.early);
    }
}

#[test]
fn a_restarted_server_takes_no_early_data_and_says_so() {
    let config = Config::default();
    let mut pair = pair(1, &path(), &config, asking(&[Instant::ZERO, Instant::from_secs(5)], 1, 500));
    pair.world.run_until(Instant::from_secs(2));
    let mut server = Host::new(&config, Rng::from_u64(9));
    server.listen();
    let b = pair.b;
    pair.world.start(b, MachineNode::new(server, Party::default()));
    pair.world.run_until(Instant::from_secs(10));
    let party = client(&pair);
    assert_eq!(party.early[&party.opened[1].0], Early::Rejected);
}

#[test]
fn the_end_of_a_connection_is_told_to_the_other_side_and_leaves_nothing() {
    let mut pair = pair(1, &path(), &Config::default(), asking(&[Instant::ZERO], 2, 500));
    pair.world.run_until(Instant::from_secs(30));
    let server = pair.world.node(pair.b);
    assert_eq!(server.app.ends, [End::ByPeer { code: 7 }]);
    assert_eq!(client(&pair).delivered, 2, "the requests were delivered");
    assert_eq!([pair.a, pair.b].map(|id| pair.world.node(id).machine.connection_count()), [0, 0]);
}

#[test]
fn a_silent_peer_is_given_up_after_the_idle_timeout() {
    let mut pair = pair(1, &path(), &Config::default(), Party { keep: true, ..asking(&[Instant::ZERO], 1, 500) });
    pair.world.run_until(Instant::from_secs(25));
    assert!(client(&pair).ends.is_empty());
    pair.world.run_until(Instant::from_secs(40));
    assert_eq!(client(&pair).ends, [End::TimedOut]);
}

#[test]
fn nobody_answers_where_nobody_listens() {
    let mut pair = pair(1, &path(), &Config::default(), asking(&[Instant::ZERO], 1, 500));
    let b = pair.b;
    pair.world.node_mut(b).machine.stop_listening();
    pair.world.run_until(Instant::from_secs(60));
    assert_eq!(client(&pair).ends, [End::TimedOut]);
}

#[test]
fn a_datagram_fits_one_packet_or_is_refused() {
    let mut pair = pair(1, &path(), &Config::default(), Party { keep: true, ..asking(&[Instant::ZERO], 1, 10) });
    assert!(run(&mut pair, 1));
    let (a, b, now) = (pair.a, pair.b, pair.world.now());
    let id = client(&pair).opened[0].0;
    let host = &mut pair.world.node_mut(a).machine;
    let max = host.datagram_max(id).expect("a connection").expect("datagrams are on");
    assert!((1_100..1_452).contains(&max), "{max}");
    assert_eq!(host.send_datagram(id, &vec![1; max]), Ok(()));
    assert_eq!(host.send_datagram(id, &vec![1; max + 1]), Err(DatagramError::TooLarge(max)));
    pair.world.run_until(now + ms(100));
    assert_eq!(pair.world.node(b).app.datagrams, [vec![1; max]]);
}

#[test]
fn a_host_that_moves_keeps_its_connection() {
    let mut pair = pair(1, &path(), &Config::default(), asking(&[Instant::ZERO], 1, 2_000_000));
    pair.world.run_until(Instant::from_millis(500));
    let (a, new) = (pair.a, "10.0.0.9".parse::<IpAddr>().expect("an address"));
    pair.world.change_address(a, topology::A, Some(new));
    assert!(run(&mut pair, 1), "{:?}", client(&pair).ends);
}

#[test]
fn every_controller_fills_a_path() {
    for controller in Controller::ALL {
        let config = Config { controller, ..Config::default() };
        let mut pair = pair(1, &path(), &config, asking(&[Instant::ZERO], 1, 5_000_000));
        assert!(run(&mut pair, 1), "{controller}");
        let goodput = 5_000_000.0 * 8.0 / pair.world.now().as_secs_f64();
        assert!(goodput > 8_000_000.0, "{controller}: {goodput} bit/s");
    }
}

#[test]
fn an_unknown_controller_is_named_with_those_that_there_are() {
    let error = "cubik".parse::<Controller>().expect_err("there is none");
    assert_eq!(error.to_string(), "quinn has no congestion controller `cubik`; it has cubic, newreno and bbr");
    assert!(Controller::ALL.into_iter().all(|known| known.name().parse() == Ok(known)));
}
