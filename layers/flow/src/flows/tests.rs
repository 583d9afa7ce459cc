use core::time::Duration;
use tng_congestion::Choice;

use tng_base::Rng;
use tng_congestion::{AckSample, Permission, RegulationConfig, RttSample, SendStamp};

use super::*;

const MTU: u16 = 1_200;

fn begin() -> Regulation {
    let config = RegulationConfig { mtu: MTU, pacing: false, ..RegulationConfig::default() };
    "newreno".parse::<Choice>().expect("a controller").regulation(config)
}

fn path(remote: u8) -> FlowPath {
    let address = |last| IpAddr::from([192, 0, 2, last]);
    FlowPath { party: Party::Host(Eid::from_bytes([7; 32])), local: Some(address(1)), remote: address(remote) }
}

fn join(flows: &mut Flows<u32>, who: u32, path: FlowPath) -> Share<u32> {
    flows.join(Instant::ZERO, who, path, MTU, begin)
}

fn ms(n: u64) -> Instant {
    Instant::from_millis(n)
}

/// A channel that always has something to send: its turn, if it has one. Answers the stamps of what it sent.
fn send(flows: &mut Flows<u32>, now: Instant, share: &mut Share<u32>) -> Vec<SendStamp> {
    let regulation = flows.begin_turn(now, share, 0);
    let mut sent = Vec::new();
    while regulation.permission(now, u64::from(MTU)) == Permission::Now {
        sent.push(regulation.handle_sent(now, u64::from(MTU)));
    }
    assert!(flows.refuses(share));
    flows.end_turn(share, sent.len() * usize::from(MTU), true);
    sent
}

fn acknowledge(flows: &mut Flows<u32>, now: Instant, share: &Share<u32>, newest: SendStamp) {
    let rtt = Some(RttSample { latest: now.since(newest.sent_at), ack_delay: Duration::ZERO });
    flows.regulation_mut(share).handle_ack(now, &AckSample { bytes: u64::from(MTU), newest, rtt });
    flows.settle(share);
}

#[test]
fn two_channels_of_one_pair_share_one_window_and_those_on_different_paths_do_not() {
    let mut flows = Flows::default();
    let [mut a, mut b, mut c] = [(1, path(2)), (2, path(2)), (3, path(3))].map(|(who, to)| join(&mut flows, who, to));
    assert_eq!(flows.len(), (2, 3));
    assert_eq!(send(&mut flows, ms(0), &mut a).len(), 10, "the initial window");
    assert_eq!(send(&mut flows, ms(0), &mut b).len(), 0, "which was for both");
    assert_eq!(send(&mut flows, ms(0), &mut c).len(), 10);
    let other = FlowPath { party: Party::Host(Eid::from_bytes([8; 32])), ..path(2) };
    let mut d = join(&mut flows, 4, other);
    assert_eq!(send(&mut flows, ms(0), &mut d).len(), 10, "another host is another flow");
}

#[test]
fn channels_for_which_different_controllers_are_wished_share_no_window() {
    let mut flows = Flows::default();
    let wishing = |name: &str| FlowPath { party: path(2).party.wishing(name.parse().ok()), ..path(2) };
    let ways = [path(2), wishing("vegas"), wishing("newreno"), wishing("vegas")];
    let mut shares = ways.map(|way| join(&mut flows, 1, way));
    assert_eq!(flows.len(), (3, 4));
    assert!(flows.is_on(&shares[3], &wishing("vegas")) && !flows.is_on(&shares[3], &path(2)));
    assert_eq!(shares.each_mut().map(|share| send(&mut flows, ms(0), share).len()), [10, 10, 10, 0]);
}

#[test]
fn an_address_that_no_driver_names_is_no_other_path() {
    let mut flows = Flows::default();
    let a = join(&mut flows, 1, FlowPath { local: None, ..path(2) });
    assert!(flows.is_on(&a, &path(2)));
    let b = join(&mut flows, 2, path(3));
    assert!(!flows.is_on(&b, &FlowPath { local: Some(IpAddr::from([192, 0, 2, 9])), ..path(3) }));
}

#[test]
fn a_freed_window_is_for_whoever_has_waited_longest_and_not_for_whom_the_acknowledgment_was() {
    let mut flows = Flows::default();
    let [mut a, mut b] = [1, 2].map(|who| join(&mut flows, who, path(2)));
    let sent = send(&mut flows, ms(0), &mut a);
    assert!(send(&mut flows, ms(0), &mut b).is_empty());
    // It waits behind itself.
    assert_eq!(flows.pop_called(), None, "there is no room");
    acknowledge(&mut flows, ms(50), &a, sent[0]);
    assert_eq!(flows.pop_called(), Some(1), "who asked first");
    let more = send(&mut flows, ms(50), &mut a);
    assert!(!more.is_empty());
    acknowledge(&mut flows, ms(51), &a, sent[1]);
    assert_eq!(flows.pop_called(), Some(2));
    assert_eq!(flows.pop_called(), None, "called once");
    assert!(send(&mut flows, ms(51), &mut a).is_empty(), "it is the other's turn");
    assert!(!send(&mut flows, ms(51), &mut b).is_empty());
}

#[test]
fn a_channel_that_ends_leaves_its_window_and_its_place_to_others() {
    let mut flows = Flows::default();
    let [mut a, mut b, mut c] = [1, 2, 3].map(|who| join(&mut flows, who, path(2)));
    let sent = send(&mut flows, ms(0), &mut a);
    for share in [&mut b, &mut c] {
        assert!(send(&mut flows, ms(0), share).is_empty());
    }
    flows.regulation_mut(&a).handle_discarded(sent.len() as u64 * u64::from(MTU));
    flows.leave(&mut a);
    assert_eq!((flows.len(), flows.pop_called()), ((1, 2), Some(2)));
    flows.leave(&mut b);
    assert_eq!(flows.pop_called(), Some(3), "the turn of one that ends goes on to the next");
    assert_eq!(send(&mut flows, ms(1), &mut c).len(), 10);
    flows.regulation_mut(&c).handle_discarded(10 * u64::from(MTU));
    flows.leave(&mut c);
    assert_eq!(flows.len(), (0, 0));
    let again = join(&mut flows, 4, path(2));
    assert_eq!(flows.regulation(&again).in_flight(), 0, "nothing is kept of a flow that nobody uses");
}

#[test]
fn a_channel_that_moves_has_its_share_where_it_goes() {
    let mut flows = Flows::default();
    let [mut a, mut b] = [1, 2].map(|who| join(&mut flows, who, path(2)));
    let mut there = join(&mut flows, 3, path(3));
    let sent = send(&mut flows, ms(0), &mut there);
    acknowledge(&mut flows, ms(50), &there, sent[0]);
    flows.change(ms(60), &mut a, path(3), MTU, begin);
    assert_eq!((a.flow(), flows.len()), (there.flow(), (2, 3)));
    assert!(flows.regulation(&a).rtt().has_sample(), "what is known of that path is known");
    flows.change(ms(60), &mut b, path(4), MTU, begin);
    assert_eq!(flows.len(), (2, 3), "a path that nobody is on any more is forgotten");
}

#[test]
fn eight_channels_have_as_many_turns_as_each_other_whoever_is_acknowledged() {
    for seed in 0..20 {
        let mut rng = Rng::from_seed([seed; 32]);
        let mut flows = Flows::default();
        let mut shares: Vec<Share<u32>> = (0..8).map(|who| join(&mut flows, who, path(2))).collect();
        let mut under_way: Vec<(usize, SendStamp)> = Vec::new();
        let mut packets = [0; 8];
        for (who, share) in shares.iter_mut().enumerate() {
            under_way.extend(send(&mut flows, ms(0), share).into_iter().map(|stamp| (who, stamp)));
        }
        for round in 1..4_000 {
            let now = ms(round);
            let (who, stamp) = under_way.swap_remove(rng.below(under_way.len() as u64) as usize);
            acknowledge(&mut flows, now, &shares[who], stamp);
            // A channel that hears of something would send, but for the others.
            let next = flows.pop_called().map_or(who, |who| who as usize);
            let sent = send(&mut flows, now, &mut shares[next]);
            packets[next] += sent.len();
            under_way.extend(sent.into_iter().map(|stamp| (next, stamp)));
        }
        let (least, most) = (packets.iter().min(), packets.iter().max());
        assert!(most < least.map(|least| least + least / 4).as_ref(), "seed {seed}: {packets:?}");
    }
}

#[test]
fn the_largest_packet_of_all_has_room_twice() {
    let mut flows = Flows::default();
    let [a, b] = [1, 2].map(|who| join(&mut flows, who, path(2)));
    flows.set_mtu(ms(0), &a, 9_000);
    flows.set_mtu(ms(0), &b, 1_200);
    assert_eq!(flows.regulation(&b).mtu(), 9_000);
    assert!(flows.regulation(&b).window() >= 18_000);
}

/// A flow of its own on leased link `link`.
fn lease(flows: &mut Flows<u32>, who: u32, link: u8) -> Share<u32> {
    flows.join(Instant::ZERO, who, path(who as u8), MTU, || begin_leased(link))
}

fn begin_leased(link: u8) -> Begun {
    let config = RegulationConfig { mtu: MTU, ..RegulationConfig::default() };
    let regulation = Choice::fixed().regulation(config);
    let whole = tng_congestion::Share { rate: 1_200_000, window: None };
    Begun { regulation, lease: Some(Lease { link: Some((IpAddr::from([10, 0, 0, link]), 32)), whole }) }
}

fn rates(flows: &Flows<u32>, shares: &[Share<u32>]) -> Vec<u64> {
    shares.iter().map(|share| flows.regulation(share).stats().pacing_rate.unwrap_or(0)).collect()
}

#[test]
fn whoever_uses_little_or_nothing_of_a_leased_link_has_no_more_of_it_and_all_again_when_it_wants() {
    let mut flows = Flows::default();
    let mut shares: Vec<_> = (1..4).map(|who| lease(&mut flows, who, 0)).collect();
    let mut second = |flows: &mut Flows<u32>, from_ms: u64, used: [usize; 3]| {
        for tenth in 0..10 {
            for (share, used) in shares.iter_mut().zip(used) {
                flows.end_turn(share, used / 10, false);
            }
            flows.divide(ms(from_ms + 100 * (tenth + 1)));
        }
        rates(flows, &shares)
    };
    assert_eq!(second(&mut flows, 0, [300_000; 3]), [400_000; 3]);
    assert_eq!(second(&mut flows, 1_000, [1_000_000, 50_000, 0]), [1_100_000, 100_000, 1]);
    assert_eq!(second(&mut flows, 2_000, [0; 3]), [400_000; 3], "nobody wants any");
    second(&mut flows, 3_000, [1_000_000, 50_000, 0]);
    while flows.pop_called().is_some() {}
    // The one sends more than it did, the other sends at all.
    flows.end_turn(&mut shares[1], 1_200, true);
    flows.end_turn(&mut shares[2], 1_200, false);
    flows.divide(ms(4_001));
    assert_eq!(rates(&flows, &shares), [400_000; 3]);
    assert_eq!([flows.pop_called(), flows.pop_called()], [Some(2), Some(3)], "they may send more now");
}

#[test]
fn whoever_is_blocked_takes_nothing_of_a_leased_link() {
    let mut flows = Flows::default();
    let mut shares: Vec<_> = (1..3).map(|who| lease(&mut flows, who, 0)).collect();
    for tick in 0..20 {
        flows.end_turn(&mut shares[0], 60_000, true);
        flows.end_turn(&mut shares[1], 0, true);
        flows.divide(ms(100 * tick));
    }
    assert_eq!(rates(&flows, &shares), [1_200_000, 1]);
}

#[test]
fn a_leased_link_is_divided_evenly_among_the_flows_that_are_there() {
    let mut flows = Flows::default();
    let mut shares: Vec<_> = (1..4).map(|who| lease(&mut flows, who, 0)).collect();
    let other = [lease(&mut flows, 9, 1)];
    assert_eq!(rates(&flows, &shares), [400_000; 3]);
    assert_eq!(rates(&flows, &other), [1_200_000], "another link");
    let mut gone = shares.remove(1);
    flows.leave(&mut gone);
    flows.divide(Instant::ZERO);
    assert_eq!(rates(&flows, &shares), [600_000; 2]);
    // Nor do further ways to the same one make what it has larger.
    let elsewhere = FlowPath { party: Party::Client(5), ..path(40) };
    let mut client = flows.join(Instant::ZERO, 30, elsewhere, MTU, || begin_leased(0));
    assert_eq!(rates(&flows, &shares), [300_000; 2], "two ways of one, and one of another");
    assert_eq!(rates(&flows, core::slice::from_ref(&client)), [600_000]);
    flows.leave(&mut client);
    flows.divide(Instant::ZERO);
    assert_eq!(rates(&flows, &shares), [600_000; 2]);
    // Nor do other wishes.
    let mut wishing = ["vegas", "newreno"].map(|name| {
        let way = FlowPath { party: Party::Client(5).wishing(name.parse().ok()), ..path(41) };
        flows.join(Instant::ZERO, 31, way, MTU, || begin_leased(0))
    });
    assert_eq!(rates(&flows, &shares), [300_000; 2], "two of one, and two of another");
    assert_eq!(rates(&flows, &wishing), [300_000; 2], "who would have two thirds if each wish counted");
    wishing.iter_mut().for_each(|share| flows.leave(share));
    flows.divide(Instant::ZERO);
    // Further channels of a flow do not make its part larger.
    let beside = flows.join(Instant::ZERO, 17, path(1), MTU, begin);
    assert_eq!(rates(&flows, &[beside]), [600_000]);
    assert_eq!(rates(&flows, &shares), [600_000; 2]);
}

#[test]
fn who_polices_itself_leaves_others_their_part_of_the_window_though_it_fills_it() {
    let mut flows = Flows::default();
    let [mut streams, mut guest] = [1, 2].map(|who| join(&mut flows, who, path(2)));
    let (regulation, parties) = flows.begin_policed(ms(0), &mut guest);
    assert_eq!((parties, regulation.window()), (1, 10 * u64::from(MTU)));
    for _ in 0..30 {
        assert_eq!(regulation.permission(ms(0), u64::from(MTU)), Permission::Now);
        regulation.handle_sent(ms(0), u64::from(MTU));
    }
    flows.end_turn(&mut guest, 30 * usize::from(MTU), false);
    assert_eq!(send(&mut flows, ms(0), &mut streams).len(), 5, "half of ten");
    // It has them in flight, and no more until they come back.
    let permission = flows.begin_turn(ms(1), &streams, 5 * u64::from(MTU)).permission(ms(1), u64::from(MTU));
    assert_eq!(permission, Permission::Blocked);
    let permission = flows.begin_turn(ms(1), &streams, 4 * u64::from(MTU)).permission(ms(1), u64::from(MTU));
    assert_eq!(permission, Permission::Now);
    // The control: when nobody polices itself any more the window is what counts.
    let permission = flows.begin_turn(ms(9_000), &streams, 0).permission(ms(9_000), u64::from(MTU));
    assert_eq!(permission, Permission::Blocked);
}

#[test]
fn a_flow_by_a_carrier_has_no_controller_and_waits_while_the_carrier_takes_nothing() {
    let carried = tng_endpoint::carried_address(([192, 0, 2, 2], 443).into(), 1).ip();
    let settings = crate::Settings {
        controller: &Choice::default(),
        pacing: true,
        mtu: Default::default(),
        keep_alive: None,
        lease: None,
        caution: Default::default(),
    };
    let begin = |remote| move |settings: crate::Settings<'_>| settings.begin(remote, Duration::from_millis(50));
    assert_eq!(begin(path(2).remote)(settings).regulation.controller_name(), "cubic", "control");
    let mut flows = Flows::<u32>::default();
    let there = FlowPath { remote: carried, local: None, ..path(2) };
    let mut share = flows.join(ms(0), 1, there, MTU, || begin(carried)(settings));
    assert_eq!(flows.regulation(&share).controller_name(), "unlimited");
    flows.set_controller(ms(0), &share, &"newreno".parse().expect("a controller"));
    assert_eq!(flows.regulation(&share).controller_name(), "unlimited", "nothing else governs it");

    let mut sends = |flows: &mut Flows<u32>| {
        let regulation = flows.begin_turn(ms(0), &share, 0);
        let may = regulation.permission(ms(0), u64::from(MTU)) == Permission::Now;
        let refused = flows.refuses(&share);
        flows.end_turn(&mut share, 0, refused);
        may
    };
    assert!(sends(&mut flows));
    flows.set_held(path(2).remote, true);
    assert!(sends(&mut flows), "that is another");
    flows.set_held(carried, true);
    assert!(!sends(&mut flows));
    assert_eq!(flows.pop_called(), None);
    flows.set_held(carried, false);
    assert_eq!(flows.pop_called(), Some(1), "it is called though it is alone");
    assert!(sends(&mut flows));
    flows.leave(&mut share);
    flows.set_held(carried, true);
    assert_eq!((flows.len().0, flows.carried.len()), (0, 0), "nothing is kept of it");
}
