//! Legacy flows in a tunnel between two helpers, in virtual time.

use core::time::Duration;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_congestion::Share;
use tng_middlebox::{
    ClientLimits, ClientTag, FlowId, Helper, HelperConfig, HelperEvent, LeftBecause, Neighbourhood, Network, NotTaken,
    Onward, RelayId, Terms,
};
use tng_queue::{Limit, QueueConfig};
use tng_sim::topology::{A, B, ipv4};
use tng_sim::{App, Link, MachineNode, NodeId, PORT, World};
use tng_stack::Stop;
use tng_tcp::{Config, News};

use crate::world::helper;

const TCP: FlowId = FlowId(1);
const MSS: u16 = 1_000;

/// What comes out of a tunnel here, and goes into it: one TCP connection, and a flood of datagrams that heeds nothing.
struct Site {
    tunnel: Option<RelayId>,
    tcp: tng_tcp::Host,
    connection: Option<tng_tcp::ConnectionId>,
    /// The time between two datagrams of the flood, the next, and the flow that they claim to be.
    flood: Option<(Duration, Instant, FlowId)>,
    /// Bytes read from TCP, and of the flood.
    got: [u64; 2],
    events: Vec<HelperEvent>,
}

impl Site {
    fn new(last: u8, seed: u64) -> Site {
        let config = Config { mss: MSS, ..Config::default() };
        let mut tcp = tng_tcp::Host::new([10, 9, 0, last].into(), config, Rng::from_u64(seed)).expect("a good config");
        tcp.listen(80).expect("free");
        let (tunnel, connection, flood) = (None, None, None);
        Site { tunnel, tcp, connection, flood, got: [0; 2], events: Vec::new() }
    }

    /// The TCP machine's turn; answers when it wants the next.
    fn drive(&mut self, now: Instant, machine: &mut Helper, tunnel: RelayId) -> Option<Instant> {
        self.tcp.handle_timeout(now);
        if let Some(connection) = self.connection {
            while self.tcp.write(connection, &[7; 10_000]).is_ok_and(|written| written > 0) {}
        }
        let mut buf = [0; 65_536];
        loop {
            match self.tcp.poll_output(now, &mut buf) {
                Output::Transmit(transmit) => {
                    for segment in buf[..transmit.len].chunks(transmit.segment_size) {
                        let _: Result<(), NotTaken> = machine.offer(now, tunnel, TCP, segment);
                    }
                }
                Output::Event(event) => {
                    let mut room = [0; 10_000];
                    if event.news == News::Readable {
                        while let Ok(n @ 1..) = self.tcp.read(event.id, &mut room) {
                            self.got[0] += n as u64;
                        }
                    }
                }
                Output::NeedsEntropy => unreachable!("TCP has no keys"),
                Output::Timeout(at) => return at,
            }
        }
    }
}

impl App<Helper> for Site {
    fn handle_event(&mut self, _: Instant, _: &mut Helper, event: HelperEvent) {
        if let HelperEvent::Tunnel { tunnel, .. } = event {
            self.tunnel = Some(tunnel);
        }
        self.events.push(event);
    }

    fn poll(&mut self, now: Instant, machine: &mut Helper) -> Option<Instant> {
        let tunnel = self.tunnel?;
        let other = if self.connection.is_some() { 2 } else { 1 };
        while let Some((flow, mut datagram)) = machine.poll_brought(tunnel) {
            if datagram.first() == Some(&0xff) {
                self.got[1] += datagram.len() as u64;
            } else if flow == TCP {
                let remote = ([10, 9, 0, other], 0).into();
                let segment_size = datagram.len();
                let payload = &mut datagram[..];
                let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload };
                self.tcp.handle_input(now, Input::Datagram(datagram));
            }
        }
        let mut wanted = self.drive(now, machine, tunnel);
        if let Some((step, next, flow)) = &mut self.flood {
            while *next <= now {
                let _: Result<(), NotTaken> = machine.offer(now, tunnel, *flow, &[0xff; 1_000]);
                *next += *step;
            }
            wanted = wanted.into_iter().chain([*next]).min();
        }
        wanted
    }
}

struct Run {
    world: World<MachineNode<Helper, Site>>,
    a: NodeId,
    b: NodeId,
}

fn config() -> HelperConfig {
    HelperConfig { onward: Onward::Listed(vec![Network { address: ipv4(0), bits: 8 }]), ..HelperConfig::default() }
}

/// A tunnel over a line of 10 Mbit/s and 20 ms; TCP data from its first end to its second.
fn run(seed: u64, life: Duration) -> Run {
    let queue = QueueConfig::DropTail(Limit::Packets(40));
    let line = Link::new().rate(10_000_000).delay(Duration::from_millis(10)).queue(queue);
    run_over(seed, life, &line, config)
}

/// The same over another line, with helpers of these settings.
fn run_over(seed: u64, life: Duration, line: &Link, config: impl Fn() -> HelperConfig) -> Run {
    let mut world = World::new(seed);
    let exit = helper(config(), 1, 0);
    let terms = Terms { life, flows_max: 4, tunnels: true };
    let capability = exit.office().issue(Instant::ZERO, ClientTag(9), terms, Rng::from_u64(seed).bytes::<32>());
    let mut entry = helper(config(), 0, 0);
    let stop = Stop::new((B, PORT).into(), capability);
    entry.open_tunnel(Instant::ZERO, stop, "10.9.0.2:5000".parse().expect("an address")).expect("a tunnel");
    let mut site = Site::new(1, seed);
    site.connection = site.tcp.connect(Instant::ZERO, ([10, 9, 0, 2], 80).into()).ok();
    let a = world.host("entry", &[A], MachineNode::new(entry, site));
    let b = world.host("exit", &[B], MachineNode::new(exit, Site::new(2, seed)));
    world.connect(a, b, line);
    Run { world, a, b }
}

fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

impl Run {
    fn flood(&mut self, flow: FlowId) {
        let now = self.world.now();
        self.world.node_mut(self.a).app.flood = Some((Duration::from_micros(400), now, flow));
    }

    /// What TCP and the flood brought, in kbit/s, from `from` to `to`.
    fn rates(&mut self, from: u64, to: u64) -> [u64; 2] {
        self.world.run_until(at_ms(from));
        let before = self.world.node(self.b).app.got;
        self.world.run_until(at_ms(to));
        let after = self.world.node(self.b).app.got;
        [0, 1].map(|i| (after[i] - before[i]) * 8 / (to - from))
    }
}

#[test]
fn a_flood_takes_no_more_of_a_tunnel_than_its_share_beside_tcp() {
    let mut run = run(80, Duration::from_secs(3_600));
    let [alone, _] = run.rates(2_000, 6_000);
    assert!(alone > 8_000, "{alone} kbit/s of 10,000");
    // Twenty megabits a second.
    run.flood(FlowId(2));
    let [tcp, flood] = run.rates(8_000, 18_000);
    assert!(tcp * 100 >= (tcp + flood) * 40, "TCP has {tcp}, the flood {flood} kbit/s");
    assert!(tcp + flood > 8_000, "and the tunnel is used: {tcp} and {flood} kbit/s");
}

#[test]
fn without_a_queue_of_its_own_tcp_would_starve() {
    let mut run = run(81, Duration::from_secs(3_600));
    run.world.run_until(at_ms(2_000));
    run.flood(TCP);
    let [tcp, flood] = run.rates(4_000, 10_000);
    assert!(tcp * 10 < flood, "the control shows nothing: TCP has {tcp}, the flood {flood} kbit/s");
}

#[test]
fn a_tunnel_ends_with_its_capability_unless_that_is_renewed_and_comes_back_when_its_end_restarts() {
    let mut run = run(82, Duration::from_secs(3));
    run.world.run_until(at_ms(1_000));
    let exit = &run.world.node(run.b).machine;
    let terms = Terms { life: Duration::from_secs(60), flows_max: 4, tunnels: true };
    let capability = exit.office().issue(at_ms(1_000), ClientTag(9), terms, Rng::from_u64(5).bytes::<32>());
    let node = run.world.node_mut(run.a);
    let tunnel = node.app.tunnel.expect("it is there");
    assert!(node.machine.renew_tunnel(tunnel, &capability));
    let [renewed, _] = run.rates(4_000, 5_000);
    assert!(renewed > 5_000, "{renewed} kbit/s");

    run.world.stop(run.b);
    run.world.start(run.b, MachineNode::new(helper(config(), 1, 1), Site::new(2, 83)));
    run.world.run_until(at_ms(15_000));
    let there = |run: &Run| run.world.node(run.b).machine.stats().tunnels;
    assert_eq!(there(&run), 1, "{:?}", run.world.node(run.a).app.events);

    run.world.run_until(at_ms(90_000));
    assert_eq!(there(&run), 0, "its capability has ended");
    assert!(run.world.node(run.b).machine.is_empty());
    let ended = |event: &HelperEvent| matches!(event, HelperEvent::Left { because: LeftBecause::CapabilityEnded, .. });
    assert!(run.world.node(run.b).app.events.iter().any(ended));
}

#[test]
fn a_tunnel_is_back_soon_after_its_other_end_is_killed_and_again_each_time() {
    for seed in 0..20 {
        let mut run = run(seed, Duration::from_secs(3_600));
        run.world.node_mut(run.a).app.connection = None;
        // Little goes through it.
        run.world.node_mut(run.a).app.flood = Some((Duration::from_millis(300), at_ms(500), FlowId(1)));
        for kill_ms in [8_000, 13_000, 18_000, 23_000] {
            let restart_ms = kill_ms + 300 + 40 * seed;
            run.world.run_until(at_ms(kill_ms));
            run.world.stop(run.b);
            run.world.run_until(at_ms(restart_ms));
            run.world.start(run.b, MachineNode::new(helper(config(), 1, 1), Site::new(2, 83)));
            run.world.run_until(at_ms(restart_ms + 3_000));
            let got = run.world.node(run.b).app.got[1];
            assert!(got > 0, "seed {seed}: {kill_ms} {:?}", run.world.node(run.a).app.events);
        }
    }
}

#[test]
fn a_tunnel_whose_other_end_is_silent_is_missed_and_asked_for_again() {
    let mut run = run(86, Duration::from_secs(3_600));
    run.world.run_until(at_ms(2_000));
    run.world.stop(run.b);
    let silent = |event: &HelperEvent| matches!(event, HelperEvent::Left { because: LeftBecause::Silent, .. });
    let missed = |run: &Run| run.world.node(run.a).app.events.iter().any(silent);
    run.world.run_until(at_ms(8_000));
    assert!(!missed(&run), "a short silence is none");
    run.world.run_until(at_ms(25_000));
    assert!(missed(&run), "{:?}", run.world.node(run.a).app.events);
}

/// What TCP gets of a leased line of 10 Mbit/s, 300 ms each way, that loses 1 %, from the first minute on.
fn over_a_satellite(seed: u64, repair: Option<Duration>) -> u64 {
    let line = Link::new().rate(12_000_000).delay(Duration::from_millis(300)).loss(tng_sim::Loss::Independent(0.01));
    let config = || {
        let lease = Some(Share { rate: 1_250_000, window: None });
        HelperConfig { elsewhere: Neighbourhood { repair, lease, ..Neighbourhood::default() }, ..config() }
    };
    run_over(seed, Duration::from_secs(3_600), &line, config).rates(20_000, 60_000)[0]
}

#[test]
fn tcp_in_a_tunnel_that_repairs_a_long_and_lossy_line_misses_nothing_and_without_repair_it_crawls() {
    let [repaired, bare] = [Some(Duration::from_secs(2)), None].map(|repair| over_a_satellite(84, repair));
    assert!(repaired > 5 * bare, "{repaired} and {bare} kbit/s");
    assert!(repaired > 700, "{repaired} kbit/s of 10,000");
}

/// The line and the settings of [`run`], for a client that may have this.
fn limited(seed: u64, limits: ClientLimits) -> Run {
    let queue = QueueConfig::DropTail(Limit::Packets(40));
    let line = Link::new().rate(10_000_000).delay(Duration::from_millis(10)).queue(queue);
    run_over(seed, Duration::from_secs(3_600), &line, || HelperConfig { limits: Some(limits), ..config() })
}

#[test]
fn a_tunnel_passes_on_no_more_than_its_client_has_both_ways_together() {
    let mut run = limited(87, ClientLimits { rate_max: Some(500_000), ..ClientLimits::default() });
    let [tcp, _] = run.rates(2_000, 8_000);
    assert!((2_400..=4_040).contains(&tcp), "{tcp} kbit/s of 4,000 come out");
    // Twenty megabits a second go in at the end that was asked, where the rate holds.
    let now = run.world.now();
    run.world.node_mut(run.b).app.flood = Some((Duration::from_micros(400), now, FlowId(2)));
    let home = |run: &Run| run.world.node(run.a).app.got[1];
    run.world.run_until(at_ms(10_000));
    let before = home(&run);
    let [tcp, _] = run.rates(10_000, 16_000);
    let flood = (home(&run) - before) * 8 / 6_000;
    assert!(flood > 1_200 && flood + tcp <= 4_040, "{flood} kbit/s home, {tcp} out");
    assert_eq!(run.world.node(run.b).app.events.len(), 1, "{:?}", run.world.node(run.b).app.events);
}

#[test]
fn of_a_tunnel_no_more_is_held_than_its_client_or_the_helper_may_hold() {
    let most = |seed, limits: ClientLimits, all: Option<u64>| {
        let mut run = limited(seed, limits);
        if let Some(all) = all {
            let exit = &mut run.world.node_mut(run.b).machine;
            let config = HelperConfig { held_bytes_max: all, ..exit.config().clone() };
            exit.set_config(Instant::ZERO, config);
        }
        run.world.run_until(at_ms(500));
        run.world.node_mut(run.b).app.flood = Some((Duration::from_micros(400), at_ms(500), FlowId(2)));
        let mut most = 0;
        for ms in (1_000..4_000).step_by(10) {
            run.world.run_until(at_ms(ms));
            most = most.max(run.world.node(run.b).machine.stats().tunnel_bytes);
        }
        assert!(run.world.node(run.a).app.got[1] > 1_000_000, "it is passed on");
        most
    };
    let control = most(88, ClientLimits::default(), None);
    let limited = most(89, ClientLimits { held_bytes_max: Some(30_000), ..ClientLimits::default() }, None);
    let all = most(90, ClientLimits::default(), Some(30_000));
    assert!(control > 60_000 && limited <= 30_000 && all <= 30_000, "{control}, {limited}, {all} bytes");
}
