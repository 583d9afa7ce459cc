//! Channels of the same two hosts on the same path: one controller, one round-trip time, and as much for each as for any other.

use core::time::Duration;

use tng_base::Instant;
use tng_sim::Link;
use tng_stack::ConnectionId;
use tng_stack::structured::StreamId;

use crate::apps::SERVICE;
use crate::world::{A2, Run, Setting};

/// The bottleneck: 10 Mbit/s, a queue of twice a round trip.
fn setting(seed: u64) -> Setting {
    let mut setting = Setting::new(seed);
    setting.link = Link::new().rate(10_000_000).delay(Duration::from_millis(20));
    setting.sizes = Vec::new();
    setting
}

/// Endless uploads.
struct Uploads(Vec<(ConnectionId, StreamId)>);

impl Uploads {
    /// So many connections, with an upload each.
    fn begin(run: &mut Run, count: usize) -> Uploads {
        let target = run.setting.target();
        let uploads = (0..count).map(|_| {
            let (now, host) = (run.world.now(), run.host(run.a));
            let id = host.connect(now, target.clone()).expect("an address");
            let streams = host.streams(id).expect("new");
            let stream = streams.open(SERVICE.0, SERVICE.1).expect("credit");
            streams.write(stream, &[0; 8]).expect("room");
            (id, stream)
        });
        Uploads(uploads.collect())
    }

    /// Until `end` they have something to send all the time.
    fn run(&self, run: &mut Run, end: Instant) {
        while run.world.now() < end {
            for (id, stream) in &self.0 {
                if let Some(streams) = run.host(run.a).streams(*id) {
                    while streams.write(*stream, &[0; 16_384]).is_ok() {}
                }
            }
            let next = (run.world.now() + Duration::from_millis(5)).min(end);
            run.world.run_until(next);
        }
    }

    fn sent(&self, run: &Run) -> Vec<u64> {
        let host = &run.world.node(run.a).machine;
        self.0.iter().map(|(id, _)| host.stats(*id).map_or(0, |stats| stats.channel.bytes_acked)).collect()
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
        let before = uploads.sent(&run);
        uploads.run(&mut run, Instant::from_secs(14));
        let sent: Vec<f64> = uploads.sent(&run).iter().zip(before).map(|(now, then)| (now - then) as f64).collect();
        let total: f64 = sent.iter().sum();
        let fairness = total * total / (8.0 * sent.iter().map(|one| one * one).sum::<f64>());
        assert!(fairness > 0.99, "pacing {pacing}: {fairness} of {sent:?}");
        assert!(total > 0.9 * 10.0 * 10e6 / 8.0, "pacing {pacing}: the link is full, not {total} bytes");
        let host = run.host(run.a);
        assert_eq!(host.accounting().flows, (1, 9), "with the client's own, which is idle");
        let figures: Vec<_> = uploads.0.iter().filter_map(|(id, _)| Some(host.stats(*id)?.regulation)).collect();
        assert!(figures.len() == 8 && figures.iter().all(|one| *one == figures[0]), "{figures:?}");
        assert!(figures[0].in_flight <= figures[0].window + 2 * 1_500, "{:?}", figures[0]);
    }
}

#[test]
fn what_a_connection_had_under_way_is_the_others_to_use_when_it_ends() {
    let mut run = setting(2).start();
    let uploads = Uploads::begin(&mut run, 2);
    uploads.run(&mut run, Instant::from_secs(3));
    let [(first, _), (second, _)] = uploads.0[..] else { unreachable!("two") };
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
    let one = Uploads(uploads.0[..1].to_vec());
    one.run(&mut run, Instant::from_secs(5));
    let before = one.sent(&run)[0];
    one.run(&mut run, Instant::from_secs(9));
    let sent = one.sent(&run)[0] - before;
    assert!(sent as f64 > 0.85 * 4.0 * 10e6 / 8.0, "{sent} bytes in four seconds");
}

#[test]
fn two_paths_to_one_peer_are_two_flows() {
    let (mut run, _) = setting(4).start_with_two_paths(&Link::new().rate(10_000_000).delay(Duration::from_millis(5)));
    let uploads = Uploads::begin(&mut run, 1);
    uploads.run(&mut run, Instant::from_secs(1));
    let (now, host) = (run.world.now(), run.host(run.a));
    let id = uploads.0[0].0;
    host.attach(now, id, Some(A2), &[]).expect("room for another");
    uploads.run(&mut run, Instant::from_secs(3));
    let host = run.host(run.a);
    assert_eq!(host.accounting().flows, (2, 3), "with the client's own");
    let rtts: Vec<Duration> = host.paths(id).iter().map(|path| path.stats.regulation.rtt.min()).collect();
    assert!(rtts[0] >= Duration::from_millis(40) && rtts[1] < Duration::from_millis(20), "{rtts:?}");
}
