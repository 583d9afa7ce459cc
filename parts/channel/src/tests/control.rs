//! Control frames.

use crate::wire::{Control, NewId};
use crate::{CHALLENGES_MAX, CONTROLS_MAX, ChannelEvent, ControlKind, ControlsFull, Discard, MTU_PROBES_MAX};
use tng_base::{ChannelId, Ecn, PeerText};
use tng_wire::battery::emit;

use super::world::{MTU, Pipe, World, at, first, forge, ms};

fn new_id(sequence: u64) -> NewId {
    NewId { sequence, retire_below: 0, id: ChannelId::from_u64(sequence), reset_token: [7; 16] }
}

fn settled(seed: u64) -> World {
    let mut world = World::new(seed, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    world.events_clear();
    world
}

impl World {
    fn events_clear(&mut self) {
        for end in &mut self.ends {
            end.events.clear();
        }
    }

    /// Builds a packet of control frames at end 0 and puts it into the pipe; answers its number and length.
    fn control(&mut self, controls: &[Control<'_>], pad_to: Option<usize>, kind: ControlKind) -> Option<(u64, usize)> {
        let mut buf = vec![0; 2_000];
        let end = &mut self.ends[0];
        let sealed = end.channel.build_control(self.now, controls, pad_to, &mut buf, kind, end.regulation.as_mut())?;
        buf.truncate(sealed.len);
        self.put(0, sealed, buf);
        Some((sealed.number, sealed.len))
    }
}

#[test]
fn ids_are_given_and_retired_until_they_arrive() {
    for seed in 0..20 {
        let mut world = settled(seed);
        world.ends[0].pipe.loss = 0.5;
        for sequence in 0..20 {
            world.ends[0].channel.send_control(Control::NewId(new_id(sequence))).unwrap();
            world.ends[0].channel.send_control(Control::RetireId { sequence }).unwrap();
            world.run(world.now + ms(3));
        }
        assert!(world.run(at(600_000)), "seed {seed}");
        for sequence in 0..20 {
            for event in [ChannelEvent::NewId(new_id(sequence)), ChannelEvent::RetireId { sequence }] {
                assert!(world.ends[1].events.contains(&event), "seed {seed}: {event:?}");
            }
        }
    }
}

#[test]
fn unacknowledged_control_frames_have_a_bound() {
    let mut world = settled(1);
    world.ends[0].pipe.loss = 1.0;
    for sequence in 0..CONTROLS_MAX as u64 {
        world.ends[0].channel.send_control(Control::RetireId { sequence }).unwrap();
        world.run(world.now + ms(1));
    }
    assert_eq!(world.ends[0].channel.send_control(Control::Ping), Err(ControlsFull));
    world.run(at(10_000));
    assert_eq!(world.ends[0].channel.send_control(Control::Ping), Err(ControlsFull), "probing does not make them more");
    let mut unbounded = settled(1);
    unbounded.ends[0].pipe.loss = 1.0;
    unbounded.ends[0].channel.without_control_bounds();
    let mut retire = |sequence| unbounded.ends[0].channel.send_control(Control::RetireId { sequence });
    assert!((0..10_000).all(|sequence| retire(sequence).is_ok()), "control: without the bound all of them are owed");
}

#[test]
fn a_ping_is_answered() {
    let mut world = settled(2);
    let (sent, progress) = (world.ends[0].sent.len(), world.ends[0].channel.last_progress());
    world.ends[0].channel.send_control(Control::Ping).unwrap();
    assert!(world.run(at(3_000)));
    assert_eq!(world.ends[0].sent.len() - sent, 1);
    assert!(world.ends[0].channel.last_progress() > progress);
}

#[test]
fn a_close_carries_code_and_reason_and_asks_for_nothing() {
    let mut world = settled(3);
    let close = Control::Close { code: 64, reason: PeerText::new("enough") };
    world.control(&[close], None, ControlKind::Plain).unwrap();
    let before = world.ends[1].sent.len();
    assert!(world.run(at(3_000)));
    assert_eq!(world.ends[1].events, [ChannelEvent::Close { code: 64, reason: "enough".into() }]);
    assert_eq!(world.ends[1].sent.len(), before, "nothing is said to a closed channel");
}

#[test]
fn a_close_says_what_has_arrived() {
    let mut world = World::new(8, Pipe::perfect(ms(5)));
    world.run(at(1_500));
    world.now = at(2_000);
    world.ends[1].toy.send(7..8);
    // It has arrived; its acknowledgment is not due yet.
    world.run(at(2_006));
    world.control(&[Control::Close { code: 0, reason: PeerText::default() }], None, ControlKind::Plain).unwrap();
    world.run(at(2_012));
    assert_eq!(world.ends[1].events, [ChannelEvent::Close { code: 0, reason: PeerText::default() }]);
    assert!(world.ends[1].toy.acked.contains(&7));
}

#[test]
fn challenges_and_responses_pass_once() {
    let mut world = settled(4);
    let (_, len) = world.control(&[Control::Challenge([1; 8])], Some(1_200), ControlKind::Plain).unwrap();
    world.control(&[Control::Response([2; 8])], None, ControlKind::Plain).unwrap();
    assert_eq!(len, 1_200, "padded");
    assert!(world.run(at(3_000)));
    assert_eq!(world.ends[1].events, [ChannelEvent::Challenge([1; 8]), ChannelEvent::Response([2; 8])]);
    assert_eq!(world.in_flight(0), 0, "they are in no ledger");
}

#[test]
fn a_packet_is_padded_to_the_byte() {
    let mut world = settled(5);
    for wanted in (40..200).chain(1_150..1_300) {
        let (_, len) = world.control(&[Control::Ping], Some(wanted), ControlKind::Plain).unwrap();
        // Between one and two bytes of length there is one that cannot be hit.
        assert!(len == wanted || len == wanted - 1, "{len} instead of {wanted}");
        assert!(len <= wanted);
    }
    assert!(world.run(at(3_000)));
    assert!(world.ends[1].discards.is_empty());
}

#[test]
fn a_probe_of_the_mtu_has_its_fate_told_and_its_loss_is_no_congestion() {
    let mut world = settled(6);
    world.ends[0].pipe.mtu = 1_400;
    let window = world.ends[0].regulation.as_ref().unwrap().window();
    let (small, _) = world.control(&[Control::Ping], Some(1_400), ControlKind::MtuProbe).unwrap();
    let (large, _) = world.control(&[Control::Ping], Some(1_500), ControlKind::MtuProbe).unwrap();
    assert_eq!(world.in_flight(0), 2_900);
    assert!(world.run(at(5_000)));
    let mut events = world.ends[0].events.clone();
    events.sort_by_key(|e| matches!(e, ChannelEvent::MtuProbe { acked: false, .. }));
    assert_eq!(
        events,
        [
            ChannelEvent::MtuProbe { number: small, size: 1_400, acked: true },
            ChannelEvent::MtuProbe { number: large, size: 1_500, acked: false }
        ]
    );
    assert_eq!(world.in_flight(0), 0);
    let stats = world.ends[0].channel.stats();
    assert_eq!((stats.lost, stats.probe_timeouts), (0, 0));
    assert!(world.ends[0].regulation.as_ref().unwrap().window() >= window);
}

#[test]
fn probes_of_the_mtu_under_way_have_a_bound() {
    let mut world = settled(7);
    for _ in 0..MTU_PROBES_MAX {
        assert!(world.control(&[Control::Ping], Some(1_300), ControlKind::MtuProbe).is_some());
    }
    assert!(world.control(&[Control::Ping], Some(1_300), ControlKind::MtuProbe).is_none());
    assert!(world.control(&[Control::Ping], None, ControlKind::Plain).is_some());
}

/// Challenges kept of 100 that come at once, and whether 200 retirements end the channel.
fn flooded_with_frames(bounded: bool) -> (usize, bool) {
    let mut world = settled(8);
    if !bounded {
        world.ends[1].channel.without_control_bounds();
    }
    let one = emit(&Control::Challenge([3; 8]));
    let block = |count: usize, frame: &[u8]| {
        let frames = frame.repeat(count);
        [&(0x4000 | frames.len() as u16).to_be_bytes()[..], &frames].concat()
    };
    let flood = forge(&world, 0, 100, first(false, true), &block(100, &one));
    let end = &mut world.ends[1];
    end.channel
        .handle_packet(world.now, Ecn::NotEct, &mut flood.clone(), end.regulation.as_mut(), &mut end.toy)
        .unwrap();
    let mut kept = 0;
    while world.ends[1].channel.poll_event().is_some() {
        kept += 1;
    }
    let flood = forge(&world, 0, 101, first(false, true), &block(200, &emit(&Control::RetireId { sequence: 1 })));
    let closed = match world.deliver(1, Ecn::NotEct, &flood) {
        Err(Discard::Violation(violation)) => violation.code == 1,
        _ => false,
    };
    (kept, closed)
}

#[test]
fn more_challenges_than_are_kept_are_ignored_and_too_many_frames_close() {
    assert_eq!(flooded_with_frames(true), (CHALLENGES_MAX, true));
    assert_eq!(flooded_with_frames(false), (100, false), "control: without the bounds all of them are held");
}

#[test]
fn control_frames_leave_room_to_the_payload_and_share_its_packet() {
    let mut world = settled(9);
    world.ends[0].channel.send_control(Control::NewId(new_id(1))).unwrap();
    world.ends[0].toy.send(0..1);
    let before = world.ends[0].sent.len();
    world.run(at(3_000));
    let sent = &world.ends[0].sent[before..];
    assert_eq!((sent.len(), sent[0].1.len), (1, MTU));
    assert_eq!(world.ends[1].toy.inbox.len(), 1);
    assert_eq!(world.ends[1].events, [ChannelEvent::NewId(new_id(1))]);
}
