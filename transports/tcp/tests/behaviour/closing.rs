//! Windows that close, and connections that do.

use core::net::SocketAddr;

use tng_base::{Ecn, Instant, Rng};
use tng_sim::{Link, topology};
use tng_tcp::wire::{self, Flags, Options, Segment};
use tng_tcp::{Config, End, State, TIME_WAIT};
use tng_wire::{Reader, Repr, Writer};

use crate::world::*;

#[test]
fn a_reader_that_sleeps_closes_the_window_and_its_waking_opens_it() {
    let config = Config { receive_buffer: 100_000, ..Config::default() };
    let asleep = Plan { read_from: Instant::from_secs(20), ..Plan::default() };
    let mut pair = pair_of(1, &path(), [&Config::default(), &config], sending(1_000_000), asleep);
    pair.world.run_until(Instant::from_secs(19));
    let sent = pair.world.stats(pair.link.forth()).offered;
    let acked = stats_of(&pair, pair.a).acked;
    assert!((98_000..=100_000).contains(&acked), "{acked}");
    assert!(sent < 90, "{sent} packets, window probes included");
    assert!(run_to_the_end(&mut pair, Instant::from_secs(200)));
    assert_eq!(host_b(&pair).read, 1_000_000);
    let read_at = host_b(&pair).read_at.unwrap();
    assert!(read_at < Instant::from_secs(30), "{read_at:?}");
}

#[test]
fn a_lost_window_update_is_made_good_by_a_probe() {
    let config = Config { receive_buffer: 50_000, ..Config::default() };
    let asleep = Plan { read_from: Instant::from_secs(20), ..Plan::default() };
    let mut pair = pair_of(2, &path(), [&Config::default(), &config], sending(200_000), asleep);
    let lane = pair.link.back();
    pair.world.at(Instant::from_millis(19_999), move |world| {
        let mut first = true;
        world.intercept(lane, move |_, _| !core::mem::take(&mut first));
    });
    assert!(run_to_the_end(&mut pair, Instant::from_secs(300)));
    assert_eq!(host_b(&pair).read, 200_000);
}

#[test]
fn half_a_connection_goes_on_when_the_other_half_has_finished() {
    // The client finishes at once; the server writes long after.
    let slow = Plan { write: 3_000_000, finish: Finish::After, ..Plan::default() };
    let mut pair = pair(3, &path(), &Config::default(), sending(10), slow);
    pair.world.run_until(Instant::from_millis(1_000));
    assert_eq!(pair.world.node(pair.a).machine.state(only_id(&pair, pair.a)), Ok(State::FinWait2));
    assert_eq!(pair.world.node(pair.b).machine.state(only_id(&pair, pair.b)), Ok(State::CloseWait));
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    assert_eq!((host_b(&pair).read, client(&pair).read), (10, 3_000_000));
}

#[test]
fn ends_that_finish_at_the_same_time_both_wait() {
    let quick = Plan { write: 0, finish: Finish::Never, ..Plan::default() };
    let mut pair = pair(4, &path(), &Config::default(), quick, quick);
    pair.world.run_until(Instant::from_secs(1));
    let ids = [pair.a, pair.b].map(|node| (node, only_id(&pair, node)));
    for (node, id) in ids {
        pair.world.node_mut(node).machine.finish(id).unwrap();
    }
    pair.world.run_until(Instant::from_millis(1_030));
    for (node, id) in ids {
        assert_eq!(pair.world.node(node).machine.state(id), Ok(State::Closing));
    }
    pair.world.run_until(Instant::from_secs(2));
    for (node, id) in ids {
        assert!(matches!(pair.world.node(node).machine.state(id), Ok(State::TimeWait(_))));
    }
    pair.world.run_until(Instant::from_secs(2) + TIME_WAIT);
    for (node, _) in ids {
        let app = &pair.world.node(node).app;
        assert_eq!(app.only().end.unwrap().1, End::Finished);
        assert_eq!(pair.world.node(node).machine.connection_count(), 0);
    }
}

#[test]
fn two_ends_that_open_towards_each_other_open_one_connection() {
    let plan = sending(50_000);
    let [a, b] = [(topology::A, 1), (topology::B, 2)]
        .map(|(address, seed)| node(address, &Config::default(), seed, Party::new(plan)));
    let mut pair = topology::pair(5, &path(), a, b);
    for (node, peer) in [(pair.a, topology::B), (pair.b, topology::A)] {
        pair.world.set_protocol(node, tng_sim::IpProtocol::Tcp);
        let node = pair.world.node_mut(node);
        let id = node.machine.connect_from(Instant::ZERO, 5_000, SocketAddr::new(peer, 5_000)).unwrap();
        node.app.records.insert(id, Record::default());
    }
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    assert_eq!((client(&pair).read, host_b(&pair).read), (50_000, 50_000));
}

#[test]
fn a_port_where_nobody_listens_refuses_and_an_abort_resets() {
    let mut refused = pair(6, &path(), &Config::default(), sending(10), Plan::default());
    let b = refused.b;
    refused.world.node_mut(b).machine.stop_listening(PORT);
    refused.world.run_until(Instant::from_secs(1));
    assert_eq!(client(&refused).end.unwrap().1, End::Refused);

    let stay = Plan { finish: Finish::Never, ..Plan::default() };
    let mut aborted = pair(6, &path(), &Config::default(), stay, stay);
    aborted.world.run_until(Instant::from_secs(1));
    let (a, id) = (aborted.a, only_id(&aborted, aborted.a));
    aborted.world.node_mut(a).machine.abort(id).unwrap();
    aborted.world.run_until(Instant::from_secs(2));
    assert_eq!(client(&aborted).end.unwrap().1, End::Aborted);
    assert_eq!(host_b(&aborted).end.unwrap().1, End::Reset);
    for node in [aborted.a, aborted.b] {
        assert_eq!(aborted.world.node(node).machine.connection_count(), 0);
    }
}

#[test]
fn time_wait_answers_an_old_duplicate_and_tells_nobody() {
    let mut pair = pair(7, &path(), &Config::default(), sending(50_000), Plan::default());
    let copies = std::rc::Rc::new(core::cell::RefCell::new(Vec::new()));
    let kept = std::rc::Rc::clone(&copies);
    pair.world.intercept(pair.link.back(), move |_, packet| {
        kept.borrow_mut().push(packet.clone());
        true
    });
    pair.world.run_until(Instant::from_secs(5));
    let id = only_id(&pair, pair.a);
    assert!(matches!(pair.world.node(pair.a).machine.state(id), Ok(State::TimeWait(_))));
    let before = pair.world.stats(pair.link.forth()).offered;
    let old = copies.borrow().last().cloned().expect("the peer's FIN");
    let mut payload = old.payload.clone();
    let now = pair.world.now();
    let host = &mut pair.world.node_mut(pair.a).machine;
    tng_base::Machine::handle_input(
        host,
        now,
        tng_base::Input::Datagram(tng_base::Datagram {
            remote: old.src,
            local: Some((topology::A, 0).into()),
            ecn: Ecn::NotEct,
            segment_size: payload.len(),
            payload: &mut payload,
        }),
    );
    pair.world.run_until(Instant::from_secs(6));
    assert!(matches!(pair.world.node(pair.a).machine.state(id), Ok(State::TimeWait(_))));
    assert_eq!(pair.world.stats(pair.link.forth()).offered, before + 1, "an acknowledgment and no more");
    assert_eq!(host_b(&pair).end.unwrap().1, End::Finished);
    pair.world.run_until(Instant::from_secs(70));
    assert_eq!(pair.world.node(pair.a).machine.connection_count(), 0);
}

#[test]
fn sequence_numbers_wrap_and_nobody_notices() {
    for initial in [u32::MAX, u32::MAX - 100_000, 0x7fff_ff00] {
        let config = Config { initial_sequence: Some(initial), ..Config::default() };
        let link = path().loss(tng_sim::Loss::Independent(0.02));
        let mut pair = pair(8, &link, &config, sending(300_000), sending(300_000));
        assert!(run_to_the_end(&mut pair, Instant::from_secs(500)), "initial number {initial}");
        assert_eq!((client(&pair).read, host_b(&pair).read), (300_000, 300_000));
    }
}

#[test]
fn a_reset_in_the_window_but_not_exact_is_challenged() {
    let stay = Plan { finish: Finish::Never, ..Plan::default() };
    let config = Config { initial_sequence: Some(1_000), ..Config::default() };
    for (seq, survives) in [(1_001_u32, false), (1_002, true), (900, true)] {
        let mut pair = pair(9, &path(), &config, stay, stay);
        pair.world.run_until(Instant::from_secs(1));
        let reset = Segment {
            source: 32_768,
            destination: PORT,
            seq,
            ack: None,
            flags: Flags { rst: true, ..Flags::default() },
            window: 0,
            options: Options::default(),
            payload: b"",
        };
        give(&mut pair, &reset);
        pair.world.run_until(Instant::from_secs(2));
        assert_eq!(host_b(&pair).end.is_none(), survives, "number {seq}");
    }
}

#[test]
fn noise_and_any_segments_neither_panic_nor_hold_a_host_up() {
    for seed in 0..60 {
        let mut rng = Rng::from_u64(seed);
        let config = Config { initial_sequence: Some(1_000), ..Config::default() };
        let mut pair = pair(seed, &Link::new().delay(ms(1)), &config, sending(20_000), sending(20_000));
        for step in 0..300 {
            pair.world.run_until(Instant::from_micros(step * 100));
            let mut options = Options::default();
            if rng.chance(0.3) {
                options.sack.push(1_000 + rng.below(30_000) as u32, 1_000 + rng.below(30_000) as u32);
            }
            if rng.chance(0.1) {
                options.timestamps = Some(wire::Timestamps { value: rng.below(40) as u32, echo: rng.u64() as u32 });
            }
            let [syn, fin, rst, psh] = [0.1, 0.1, 0.05, 0.5].map(|p| rng.chance(p));
            let flags = Flags { syn, fin, rst, psh };
            let segment = Segment {
                source: 32_768 + rng.below(2) as u16,
                destination: if rng.chance(0.9) { PORT } else { 9 },
                seq: 1_000_u32.wrapping_add(rng.below(30_000) as u32).wrapping_sub(100),
                ack: rng.chance(0.7).then(|| 1_000 + rng.below(30_000) as u32),
                flags,
                window: rng.below(65_536) as u16,
                options,
                payload: b"", // other data than the peer's would be read as the peer's
            };
            give(&mut pair, &segment);
        }
        pair.world.run_until(Instant::from_secs(4_000));
        for node in [pair.a, pair.b] {
            assert!(pair.world.node(node).machine.connection_count() <= 2, "seed {seed}");
        }
    }
}

/// Hands `segment`, as if it came from `a`, to `b`.
fn give(pair: &mut Pair, segment: &Segment<'_>) {
    let mut bytes = vec![0; segment.wire_len()];
    segment.emit(&mut Writer::new(&mut bytes)).expect("room for it");
    wire::seal(topology::A, topology::B, &mut bytes);
    assert!(Segment::parse(&mut Reader::new(&bytes)).is_ok());
    let now = pair.world.now();
    let datagram = tng_base::Datagram {
        remote: SocketAddr::new(topology::A, 1),
        local: Some((topology::B, 0).into()),
        ecn: Ecn::NotEct,
        segment_size: bytes.len(),
        payload: &mut bytes,
    };
    let host = &mut pair.world.node_mut(pair.b).machine;
    tng_base::Machine::handle_input(host, now, tng_base::Input::Datagram(datagram));
}
