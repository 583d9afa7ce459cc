//! Channels of the same two hosts on the same path: one controller, one round-trip time, and as much for each as for
//! any other.

use core::time::Duration;

use tng_base::{Instant, PathCondition};
use tng_queue::{Limit, QueueConfig};
use tng_sim::topology::ipv4;
use tng_sim::{Link, NodeId, PORT, World};
use tng_stack::structured::StreamId;
use tng_stack::{ConnectionId, Target};

use crate::apps::SERVICE;
use crate::world::{A2, Node, Run, Setting};

/// The bottleneck: 10 Mbit/s, a queue of twice a round trip.
fn setting(seed: u64) -> Setting {
    let mut setting = Setting::new(seed);
    setting.link = Link::new().rate(10_000_000).delay(Duration::from_millis(20));
    setting.sizes = Vec::new();
    setting
}

/// Endless uploads of one host, each on a connection of its own.
struct Uploads(NodeId, Vec<(ConnectionId, StreamId)>);

impl Uploads {
    /// So many connections of the client.
    fn begin(run: &mut Run, count: usize) -> Uploads {
        Uploads::between(&mut run.world, run.a, &run.setting.target(), count)
    }

    fn between(world: &mut World<Node>, at: NodeId, target: &Target, count: usize) -> Uploads {
        let uploads = (0..count).map(|_| {
            let (now, host) = (world.now(), &mut world.node_mut(at).machine);
            let id = host.connect(now, target.clone()).expect("an address");
            let streams = host.streams(id).expect("new");
            let stream = streams.open(SERVICE.0, SERVICE.1).expect("credit");
            streams.write(stream, &[0; 8]).expect("room");
            (id, stream)
        });
        Uploads(at, uploads.collect())
    }

    /// Until `end` they have something to send all the time.
    fn run(&self, run: &mut Run, end: Instant) {
        run_all(&mut run.world, &[self], end);
    }

    fn sent(&self, world: &World<Node>) -> Vec<u64> {
        let host = &world.node(self.0).machine;
        self.1.iter().map(|(id, _)| host.stats(*id).map_or(0, |stats| stats.channel.bytes_acked)).collect()
    }
}

fn run_all(world: &mut World<Node>, all: &[&Uploads], end: Instant) {
    while world.now() < end {
        for Uploads(at, uploads) in all {
            for (id, stream) in uploads {
                if let Some(streams) = world.node_mut(*at).machine.streams(*id) {
                    while streams.write(*stream, &[0; 16_384]).is_ok() {}
                }
            }
        }
        let next = (world.now() + Duration::from_millis(5)).min(end);
        world.run_until(next);
    }
}

#[test]
fn eight_connections_of_one_pair_are_one_flow_and_have_the_same_of_it() {
    for pacing in [true, false] {
        let mut setting = setting(1);
        setting.client.pacing = pacing;
        let mut run = setting.start();
        let uploads = Uploads::begin(&mut run, 8);
        uploads.run(&mut run, Instant::from_secs(4));
        let before = uploads.sent(&run.world);
        uploads.run(&mut run, Instant::from_secs(14));
        let sent: Vec<f64> =
            uploads.sent(&run.world).iter().zip(before).map(|(now, then)| (now - then) as f64).collect();
        let total: f64 = sent.iter().sum();
        let fairness = total * total / (8.0 * sent.iter().map(|one| one * one).sum::<f64>());
        assert!(fairness > 0.99, "pacing {pacing}: {fairness} of {sent:?}");
        assert!(total > 0.9 * 10.0 * 10e6 / 8.0, "pacing {pacing}: the link is full, not {total} bytes");
        let host = run.host(run.a);
        assert_eq!(host.accounting().flows, (1, 9), "with the client's own, which is idle");
        let figures: Vec<_> = uploads.1.iter().filter_map(|(id, _)| Some(host.stats(*id)?.regulation)).collect();
        assert!(figures.len() == 8 && figures.iter().all(|one| *one == figures[0]), "{figures:?}");
        assert!(figures[0].in_flight <= figures[0].window + 2 * 1_500, "{:?}", figures[0]);
    }
}

#[test]
fn what_a_connection_had_under_way_is_the_others_to_use_when_it_ends() {
    let mut run = setting(2).start();
    let uploads = Uploads::begin(&mut run, 2);
    uploads.run(&mut run, Instant::from_secs(3));
    let [(first, _), (second, _)] = uploads.1[..] else { unreachable!("two") };
    let (now, host) = (run.world.now(), run.host(run.a));
    let in_flight = |host: &tng_stack::Host| host.stats(second).expect("up").regulation.in_flight;
    let before = in_flight(host);
    host.close(now, first, 0, "");
    let after = in_flight(host);
    assert!(before > 20_000 && after < before * 3 / 4, "{before} bytes in flight, then {after}");
    assert_eq!(host.accounting().flows, (1, 2), "with the client's own");
    uploads.run(&mut run, Instant::from_secs(4));
    let refilled = in_flight(run.host(run.a));
    assert!(refilled > after, "{refilled}, was {after}");
    let held = run.host(run.a).accounting();
    assert_eq!(held, run.host(run.a).recount());
}

#[test]
fn one_that_has_nothing_to_send_holds_up_nobody() {
    let mut run = setting(3).start();
    let uploads = Uploads::begin(&mut run, 3);
    uploads.run(&mut run, Instant::from_secs(2));
    // The others stop, and have soon sent what they had written; the queue forgets them.
    let one = Uploads(run.a, uploads.1[..1].to_vec());
    one.run(&mut run, Instant::from_secs(5));
    let before = one.sent(&run.world)[0];
    one.run(&mut run, Instant::from_secs(9));
    let sent = one.sent(&run.world)[0] - before;
    assert!(sent as f64 > 0.85 * 4.0 * 10e6 / 8.0, "{sent} bytes in four seconds");
}

#[test]
fn two_paths_to_one_peer_are_two_flows() {
    let (mut run, _) = setting(4).start_with_two_paths(&Link::new().rate(10_000_000).delay(Duration::from_millis(5)));
    let uploads = Uploads::begin(&mut run, 1);
    uploads.run(&mut run, Instant::from_secs(1));
    let (now, host) = (run.world.now(), run.host(run.a));
    let id = uploads.1[0].0;
    host.attach(now, id, Some(A2), &[]).expect("room for another");
    uploads.run(&mut run, Instant::from_secs(3));
    let host = run.host(run.a);
    assert_eq!(host.accounting().flows, (2, 3), "with the client's own");
    let rtts: Vec<Duration> = host.paths(id).iter().map(|path| path.stats.regulation.rtt.min()).collect();
    assert!(rtts[0] >= Duration::from_millis(40) && rtts[1] < Duration::from_millis(20), "{rtts:?}");
}

/// What eight connections of two hosts have of a wireless LAN (18 Mbit/s, 4 ms and a queue of 40) beside one of two
/// others.
fn share_of_eight(seed: u64, controller: &str, pacing: bool) -> f64 {
    let mut world = World::new(seed);
    let (near, far) = (world.router("near"), world.router("far"));
    let queue = QueueConfig::DropTail(Limit::Packets(60));
    world.connect(near, far, &Link::new().rate(18_000_000).delay(Duration::from_millis(2)).queue(queue));
    let access = Link::new().rate(1_000_000_000);
    // Nobody is in step with the queue.
    let shaken = access.clone().delay(Duration::from_micros(330)).jitter(Duration::from_micros(330));
    let mut begin = |pair: u64, count| {
        let mut setting = setting(10 * seed + pair);
        (setting.client.controller, setting.client.pacing) = (controller.parse().expect("a controller"), pacing);
        let [here, there] = [0, 1].map(|side| ipv4(2 * pair as u16 + side));
        let target = Target { addresses: vec![(there, PORT).into()], ..setting.target() };
        let a = world.host(&format!("a{pair}"), &[here], setting.client_node(target.clone()));
        let b = world.host(&format!("b{pair}"), &[there], setting.server_node(0));
        world.connect_with(a, near, &shaken, &access);
        world.connect(b, far, &access);
        Uploads::between(&mut world, a, &target, count)
    };
    let all = [begin(1, 8), begin(2, 1)];
    let [eight, one] = &all;
    let bytes = |world: &World<Node>| [eight, one].map(|uploads| uploads.sent(world).iter().sum::<u64>() as f64);
    run_all(&mut world, &[eight, one], Instant::from_secs(10));
    let before = bytes(&world);
    run_all(&mut world, &[eight, one], Instant::from_secs(50));
    let after = bytes(&world);
    let [eight, one] = [0, 1].map(|who| after[who] - before[who]);
    eight / (eight + one)
}

#[test]
fn eight_connections_of_one_pair_take_half_of_a_link_beside_one_of_another() {
    for (controller, pacing) in [("newreno", true), ("newreno", false), ("cubic", true)] {
        let share = (1..=2).map(|seed| share_of_eight(seed, controller, pacing)).sum::<f64>() / 2.0;
        assert!((0.44..0.56).contains(&share), "{controller}, pacing {pacing}: {share}");
    }
}

#[test]
fn one_that_nobody_hears_gives_what_it_has_under_way_to_the_others() {
    let mut setting = setting(5);
    setting.link = setting.link.queue(QueueConfig::DropTail(Limit::Packets(30)));
    let mut run = setting.start();
    let uploads = Uploads::begin(&mut run, 2);
    uploads.run(&mut run, Instant::from_secs(3));
    // From now on nothing arrives but what goes to the channel id that is seen first: the other connection cannot even
    // get another channel.
    let mut heard = None;
    let lane = run.link.forth();
    run.world.intercept(lane, move |_, packet| {
        let id: [u8; 6] = packet.payload[1..7].try_into().expect("longer");
        id == *heard.get_or_insert(id)
    });
    uploads.run(&mut run, Instant::from_secs(5));
    let stats = |run: &Run, at: usize| run.world.node(run.a).machine.stats(uploads.1[at].0).expect("up");
    let live = usize::from(stats(&run, 0).condition != PathCondition::Good);
    assert_eq!([live, 1 - live].map(|at| stats(&run, at).condition), [PathCondition::Good, PathCondition::Stalled]);
    let before = uploads.sent(&run.world)[live];
    uploads.run(&mut run, Instant::from_secs(9));
    let sent = uploads.sent(&run.world)[live] - before;
    assert!(sent as f64 > 0.9 * 4.0 * 10e6 / 8.0, "{sent} bytes in four seconds");
    // When all of the one's has arrived, what the other has on its way is all that is on the books.
    run.world.run_until(Instant::from_secs(10));
    let in_flight = stats(&run, live).regulation.in_flight;
    assert!(in_flight < 5_000, "{in_flight} bytes");
}
