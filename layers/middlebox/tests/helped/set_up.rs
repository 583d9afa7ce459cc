//! Set-up through helpers that comes to nothing: the peer is asked directly, at once where somebody says so.

use core::net::SocketAddr;
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_attack::Deed;
use tng_base::{ChannelId, Datagram, Ecn, Input, Instant, Machine};
use tng_flow::wire::{ANSWERED, Answered, Declined, JOIN, JOINED, Join, Joined, Refusal};
use tng_isolation::{Cookie, Family, Fingerprint, Hello, Identity, cookie_answer};
use tng_queue::{Limit, QueueConfig};
use tng_sim::Packet;
use tng_stack::structured::FirstData;
use tng_stack::{EventKind, HELPED_PATIENCE, Helpers, PathTaken};
use tng_wire::{Reader, Repr};

use crate::world::{Any, Evil, Run, Setting};

const LIMIT: Duration = Duration::from_secs(30);

fn small(seed: u64) -> Setting {
    let mut setting = Setting::new(seed, 1);
    setting.len = 1_000;
    setting
}

/// Set-up messages that leave the client, or come to it, are seen and altered by this.
fn intercept(run: &mut Run, to_client: bool, mut of: impl FnMut(&mut Vec<u8>) + 'static) {
    let lane = if to_client { run.links[0].back() } else { run.links[0].forth() };
    run.world.intercept(lane, move |_, packet: &mut Packet| {
        of(&mut packet.payload);
        true
    });
}

/// The client was answered, and not by way of helpers.
fn assert_direct(run: &mut Run, within: Duration) {
    let took = run.finish(LIMIT);
    assert!(took < within, "{took:?}: {:?}", run.sender().app.events);
    let sender = run.sender();
    let paths = sender.machine.paths(sender.app.connection.expect("connected"));
    assert!(paths.iter().all(|path| path.stats.helpers == 0), "{paths:?}");
}

#[test]
fn a_host_that_wants_no_helpers_says_so_and_is_reached_directly() {
    let mut setting = small(1);
    setting.server.helpers = Helpers::None;
    // A round trip of 40 ms for either exchange, one for the data.
    assert_direct(&mut setting.start(), Duration::from_millis(140));
}

#[test]
fn a_helper_that_declined_a_capability_is_used_as_soon_as_there_is_a_fresh_one() {
    for renewed in [true, false] {
        let mut setting = Setting::new(7, 1);
        (setting.len, setting.life) = (3_000_000, Duration::ZERO);
        let mut run = setting.start();
        run.world.run_until(Instant::from_millis(200));
        let helper = Identity::from_seed([90; 32]).eid();
        let declined = EventKind::Declined { helpers: vec![helper], refusal: Refusal::Expired };
        let events: Vec<_> = run.sender().app.events.iter().map(|(_, kind)| kind.clone()).collect();
        assert_eq!(events.iter().filter(|kind| **kind == declined).count(), 1, "{events:?}");
        if renewed {
            assert_eq!(run.renew_all(), [0], "no flow is under way there");
        }
        run.finish(LIMIT);
        let sender = run.sender();
        let connection = sender.app.connection.expect("connected");
        let helped = sender.app.events.iter().any(|(_, kind)| matches!(kind, EventKind::Helped { .. }));
        assert_eq!(helped, renewed, "{:?}", sender.app.events);
        match sender.machine.path_taken(connection).expect("up") {
            PathTaken::Helped { helpers, first, rest, .. } => {
                assert_eq!((helpers, renewed), (vec![helper], true));
                let (section, total) =
                    (Duration::from_millis(20), sender.machine.stats(connection).expect("up").rtt_min);
                assert!(first >= section && rest >= section, "{first:?} and {rest:?}");
                assert_eq!(first + rest, total, "the two add up to the round trip from end to end");
            }
            PathTaken::Direct { rtt } => assert!(!renewed && rtt >= Duration::from_millis(40), "{rtt:?}"),
            taken @ PathTaken::Carried { .. } => panic!("{taken:?}"),
        }
    }
}

#[test]
fn a_reply_without_its_section_ends_no_attempt() {
    let mut run = small(2).start();
    intercept(&mut run, true, |payload| {
        if payload[0] == JOINED {
            let Joined { receiver, reply, .. } = Joined::parse(&mut Reader::new(payload)).expect("a JOINED");
            let stripped = Answered { receiver, answer: reply }.to_vec();
            assert_eq!(stripped[0], ANSWERED);
            *payload = stripped;
        }
    });
    assert_direct(&mut run, Duration::from_millis(140));
}

/// Its token would reset the direct channel.
#[test]
fn a_direct_channel_has_no_name_that_helpers_know() {
    let mut run = small(3).start();
    let ids = Rc::new(RefCell::new((None, None)));
    let seen = Rc::clone(&ids);
    intercept(&mut run, false, move |payload| match payload[0] {
        JOIN => {
            let sender = Join::parse(&mut Reader::new(payload)).expect("a JOIN").sender;
            seen.borrow_mut().0.get_or_insert(sender);
        }
        0x01 => {
            let hello = tng_isolation::Hello::parse(Family::Channel, payload).expect("an INIT");
            seen.borrow_mut().1.get_or_insert(hello.initiator_id());
        }
        _ => {}
    });
    intercept(&mut run, true, |payload| {
        if payload[0] == JOINED {
            let receiver = Joined::parse(&mut Reader::new(payload)).expect("a JOINED").receiver;
            *payload = Declined { receiver, refusal: Refusal::TooMany }.to_vec();
        }
    });
    assert_direct(&mut run, Duration::from_millis(140));
    let (section, channel) = *ids.borrow();
    assert!(section.is_some() && channel.is_some() && section != channel, "{section:?}, {channel:?}");
}

/// Half-open, with a peer that wants to be forgotten after a millisecond: it is, and costs nothing meanwhile.
#[test]
fn a_silent_peer_is_forgotten_when_its_section_is() {
    let mut setting = small(4);
    setting.client.idle_timeout = Some(Duration::from_millis(1));
    let mut run = setting.start();
    run.world.outage(run.links[0], Instant::from_millis(12), Instant::from_secs(60));
    run.world.run_until(Instant::from_millis(100));
    assert_eq!(run.sink().machine.half_open(), 1);
    run.world.run_until(Instant::from_secs(5));
    assert!(run.held().1, "{:?}", run.sink().machine.accounting());
}

/// The helper is restarted as soon as it is used again, and then the network goes: what gave way to it is the last
/// channel there is.
#[test]
fn the_last_channel_that_gives_way_leaves_the_streams_waiting() {
    for seed in 0..3 {
        let mut setting = Setting::new(seed, 1);
        setting.len = 8_000_000;
        for config in [&mut setting.client, &mut setting.server] {
            let judge = config.judge.get_or_insert_default();
            judge.return_first = Duration::from_millis(300);
        }
        for link in &mut setting.links {
            *link = link.clone().rate(10_000_000).queue(QueueConfig::DropTail(Limit::Bytes(20_000)));
        }
        let mut run = setting.start();
        run.world.run_until(Instant::from_millis(1_500));
        run.restart(0);
        let by_helper = crate::world::helper_ip(0);
        let helped = |kind: &EventKind| matches!(kind, EventKind::PathAdded { remote, .. } if remote.ip() == by_helper);
        let a = run.a;
        let back = run.world.wait_until(Instant::from_secs(8), |world| {
            crate::world::events(world, a).iter().any(|(_, kind)| helped(kind))
        });
        assert!(back, "seed {seed}: {:?}", run.sender().app.events);
        run.world.run_until(run.world.now() + Duration::from_millis(60));
        run.restart(0);
        // Both ends know by then, and neither has another path.
        let at = run.world.now() + Duration::from_millis(30);
        run.world.run_until(at);
        run.world.outage(run.links[1], at, at + Duration::from_secs(8));
        run.finish(LIMIT);
        // Nor is who asked first told that the peer, which comes back by itself, is accepted.
        let wrong = |kind: &EventKind| matches!(kind, EventKind::Closed(_) | EventKind::Accepted { .. });
        let ended = run.sender().app.events.iter().any(|(_, kind)| wrong(kind));
        assert!(!ended && run.sink().app.ended.is_empty(), "seed {seed}: {:?}", run.sender().app.events);
    }
}

/// What somebody knows of a dial through a helper who is beside its path: the client's names for its section and for
/// its channel; and of its INIT, if it has seen that.
struct Known {
    section: ChannelId,
    channel: ChannelId,
    init: Fingerprint,
}

/// A dial through a helper to a server that answers, while somebody sends the client what `forge` makes of what is
/// known. Answers whether the helper is used, and how many JOINs the client sent.
fn dialed(from: SocketAddr, forge: impl Fn(&Known) -> Vec<Vec<u8>>) -> (bool, usize) {
    let mut run = small(5).start();
    let (joins, known) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(None)));
    let (seen, read) = (Rc::clone(&joins), Rc::clone(&known));
    intercept(&mut run, false, move |payload| {
        if payload[0] == JOIN {
            seen.borrow_mut().push(Join::parse(&mut Reader::new(payload)).expect("a JOIN").sender);
        }
    });
    let lane = run.links[1].forth();
    run.world.intercept(lane, move |_, packet: &mut Packet| {
        if packet.payload[0] == JOIN {
            let join = Join::parse(&mut Reader::new(&packet.payload)).expect("a JOIN");
            let hello = Hello::parse(Family::Channel, join.onward).expect("an INIT");
            read.borrow_mut().get_or_insert((hello.initiator_id(), hello.fingerprint()));
        }
        true
    });
    // The INIT has left the helper, and nobody has been answered.
    let now = Instant::from_millis(15);
    run.world.run_until(now);
    let (channel, init) = known.borrow().expect("it has been seen");
    let known = Known { section: joins.borrow()[0], channel, init };
    for mut payload in forge(&known) {
        let Any::Sender(client) = run.world.node_mut(run.a) else { unreachable!("it is the client") };
        let (segment_size, payload) = (payload.len(), &mut payload[..]);
        let forged = Datagram { remote: from, local: None, ecn: Ecn::NotEct, segment_size, payload };
        client.machine.handle_input(now, Input::Datagram(forged));
    }
    run.finish(LIMIT);
    let sender = run.sender();
    let paths = sender.machine.paths(sender.app.connection.expect("connected"));
    (paths.iter().any(|path| path.stats.helpers > 0), joins.borrow().len())
}

fn elsewhere() -> SocketAddr {
    "203.0.113.9:9".parse().expect("an address")
}

fn at_helper() -> SocketAddr {
    (crate::world::helper_ip(0), tng_sim::PORT).into()
}

#[test]
fn a_refusal_that_no_helper_made_changes_nothing() {
    let declined =
        |receiver| (1..=8).map(|code| [&[0x0a], &ChannelId::to_bytes(receiver)[..], &[code][..]].concat()).collect();
    assert_eq!(dialed(at_helper(), |_| Vec::new()), (true, 1), "control: it helps");
    assert_eq!(dialed(elsewhere(), |known| declined(known.section)), (true, 1), "from where no helper is");
    let other = ChannelId::from_u64(7);
    assert_eq!(dialed(at_helper(), |_| declined(other)), (true, 1), "by who does not know the section's name");
    // Who has seen the JOIN, and speaks from the helper's address, is as good as the helper; and no better than one
    // that is silent: the peer is asked directly.
    assert_eq!(dialed(at_helper(), |known| declined(known.section)), (false, 1), "control: it is taken");
}

#[test]
fn an_answer_that_nobody_gave_draws_nothing_and_ends_nothing() {
    let server = Identity::from_seed([5 ^ 0x55; 32]);
    let cookies = |known: &Known, init: &Fingerprint| -> Vec<Vec<u8>> {
        let cookie = |i| cookie_answer(&server, Family::Channel, known.channel, Cookie([i; 32]), init).to_vec();
        (1..=8).map(|i| Answered { receiver: known.section, answer: &cookie(i) }.to_vec()).collect()
    };
    let unseen = Fingerprint::from_bytes([7; 32]);
    for from in [at_helper(), elsewhere()] {
        assert_eq!(dialed(from, |known| cookies(known, &unseen)), (true, 1), "{from}: it has not seen the INIT");
        let noise = |known: &Known| {
            (0..200)
                .map(|len| {
                    let answer: Vec<u8> = (0..len).map(|at| (at * 7 + len) as u8).collect();
                    Answered { receiver: known.section, answer: &answer }.to_vec()
                })
                .collect()
        };
        assert_eq!(dialed(from, noise), (true, 1), "{from}: noise");
    }
    assert_eq!(dialed(elsewhere(), |known| cookies(known, &known.init)), (true, 1), "from where no helper is");
    let (_, joins) = dialed(at_helper(), |known| cookies(known, &known.init));
    assert!(joins > 1, "control: by who has seen the INIT, they are taken, and asked with");
}

/// Nothing tells the responder that the INIT of a client that has lost patience belongs with the one before: a service
/// that takes data unproven gets it with each, whichever comes first.
#[test]
fn first_data_that_a_helper_holds_back_comes_once_to_who_waits_for_proof_and_twice_to_who_does_not() {
    for (held_ms, earlier) in [(HELPED_PATIENCE.as_millis() as u64 - 100, true), (2_600, false)] {
        for (first_data, times) in [(FirstData::Proven, 1), (FirstData::Unproven, 2)] {
            let mut setting = Setting::new(31, 1);
            (setting.len, setting.service.first_data) = (100, first_data);
            let deeds = vec![Deed::Delay(Duration::from_millis(held_ms))];
            setting.rogues = vec![Evil { at: 0, deeds, from: Instant::ZERO }];
            let mut run = setting.start();
            run.finish(Duration::from_secs(20));
            run.world.run_until(Instant::from_secs(30));
            let got = run.sink().app.received.values().filter(|received| **received == 100).count();
            assert_eq!(got, times, "{first_data:?}, the helped one earlier: {earlier}");
        }
    }
}
