//! Packet number 0 rides in the set-up.

use core::ops::Range;

use crate::testing::{ChecksumArmor, NoArmor};
use crate::{Channel, ChannelEvent, Config, Discard, Poll};
use tng_base::{ChannelId, ChannelKey, Ecn, Fate, Instant, Rng};

use super::world::{MTU, Toy, at, ms, regulation};

fn config(which: u64) -> Config {
    Config::new(ChannelKey(which), ChannelId::from_u64(which), Rng::from_u64(which))
}

fn pair() -> (Channel, Channel) {
    let (a, b) = ChecksumArmor::pair(1, 16, 1_000);
    (Channel::new(config(1), Box::new(a), at(0)), Channel::new(config(2), Box::new(b), at(0)))
}

fn packet(
    channel: &mut Channel,
    now: Instant,
    toy: &mut Toy,
    regulation: Option<&mut tng_congestion::Regulation>,
) -> Vec<u8> {
    let mut buf = vec![0; MTU];
    match channel.poll_packet(now, regulation, &mut buf, toy) {
        Poll::Packet(sealed) => buf[..sealed.len].to_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_answer_says_was_taken_is_acknowledged_and_timed() {
    let (mut channel, _) = pair();
    let (mut toy, mut regulation) = (Toy::default(), regulation("newreno"));
    channel.note_setup_sent(at(0), 1_200, true, regulation.as_mut());
    assert!(channel.is_outstanding());
    assert_eq!(regulation.as_ref().unwrap().in_flight(), 1_200);
    channel.setup_acked(at(70), regulation.as_mut(), &mut toy);
    assert_eq!(toy.fates, [(0, Fate::Acked)]);
    let regulation = regulation.unwrap();
    assert_eq!((regulation.in_flight(), regulation.rtt().latest()), (0, ms(70)));
}

#[test]
fn a_repeated_set_up_is_not_timed_and_counts_once() {
    let (mut channel, _) = pair();
    let (mut toy, mut regulation) = (Toy::default(), regulation("newreno"));
    channel.note_setup_sent(at(0), 1_200, true, regulation.as_mut());
    channel.note_setup_sent(at(50), 1_200, true, regulation.as_mut());
    assert_eq!(regulation.as_ref().unwrap().in_flight(), 1_200);
    channel.setup_acked(at(70), regulation.as_mut(), &mut toy);
    let regulation = regulation.unwrap();
    assert_eq!(regulation.in_flight(), 0);
    assert!(!regulation.rtt().has_sample(), "nobody knows which copy was answered");
}

#[test]
fn what_was_held_in_the_set_up_is_acknowledged_once_it_is_taken() {
    let (mut initiator, mut responder) = pair();
    let (mut toy, mut other, mut regulation) = (Toy::default(), Toy::default(), regulation("newreno"));
    initiator.note_setup_sent(at(0), 1_200, true, regulation.as_mut());
    responder.note_setup_received(at(10), false);
    assert_eq!(responder.poll_timeout(None), None, "nothing to acknowledge yet");
    responder.note_setup_taken(at(30));
    let due = responder.poll_timeout(None).unwrap();
    assert_eq!(due, at(70));
    let mut ack = packet(&mut responder, due, &mut other, None);
    initiator.handle_packet(at(80), Ecn::NotEct, &mut ack, regulation.as_mut(), &mut toy).unwrap();
    assert_eq!(toy.fates, [(0, Fate::Acked)]);
    assert!(!initiator.is_outstanding());
}

#[test]
fn a_lost_set_up_payload_is_probed_on_the_channel() {
    let (mut channel, _) = pair();
    let (mut toy, mut regulation) = (Toy::default(), regulation("newreno"));
    toy.carried.insert(0, 5);
    channel.note_setup_sent(at(0), 1_200, true, regulation.as_mut());
    let due = channel.poll_timeout(regulation.as_ref()).unwrap();
    channel.handle_timeout(due, regulation.as_mut(), &mut toy);
    assert_eq!(toy.fates, [(0, Fate::Doubtful)]);
    packet(&mut channel, due, &mut toy, regulation.as_mut());
    assert!(toy.carried.iter().any(|(&number, &message)| number > 0 && message == 5));
}

#[test]
fn number_0_never_comes_as_a_packet() {
    let (_, mut responder) = pair();
    let mut toy = Toy::default();
    let mut packet = vec![0; 60];
    let mut armor = ChecksumArmor::pair(1, 16, 1_000).0;
    packet[0] = 0x40;
    crate::Armor::seal(&mut armor, 0, 8, &mut packet).unwrap();
    crate::Armor::protect(&armor, 7, 1, &mut packet);
    let result = responder.handle_packet(at(1), Ecn::NotEct, &mut packet, None, &mut toy);
    assert_eq!(result, Err(Discard::Replayed));
}

#[test]
fn the_shortest_payloads_survive_every_length_of_tag() {
    for tag_len in [1, 4, 8, 16] {
        for len in 0..24 {
            let (a, b) = ChecksumArmor::pair(1, tag_len, 1_000);
            let mut sender = Channel::new(config(1), Box::new(a), at(0));
            let mut receiver = Channel::new(config(2), Box::new(b), at(0));
            let mut toy = Short { len, got: None };
            // With and without an acknowledgment and control frames before it.
            if len % 2 == 1 {
                sender.note_setup_received(at(0), true);
            }
            if len % 3 == 1 {
                sender.send_control(crate::wire::Control::Ping).unwrap();
            }
            let mut buf = vec![0; MTU];
            sender.set_grant(u64::MAX);
            let poll = sender.poll_packet(at(20), None, &mut buf, &mut toy);
            let Poll::Packet(sealed) = poll else {
                assert_eq!(len, 0, "{poll:?}");
                continue;
            };
            let received = receiver.handle_packet(at(21), Ecn::NotEct, &mut buf[..sealed.len], None, &mut toy).unwrap();
            assert_eq!(received.eliciting, sealed.eliciting);
            assert_eq!(toy.got, (len > 0).then(|| vec![0xa5; len]), "tag {tag_len}, payload {len}");
        }
    }
}

/// One payload of `len` bytes.
#[derive(Debug)]
struct Short {
    len: usize,
    got: Option<Vec<u8>>,
}

impl tng_base::Protocol for Short {
    fn handle_packet(
        &mut self,
        _: Instant,
        _: ChannelKey,
        _: u64,
        _: Ecn,
        payload: &mut [u8],
    ) -> Result<tng_base::Taken, tng_base::Violation> {
        self.got = Some(payload.to_vec());
        Ok(tng_base::Taken::All)
    }
    fn replay_safe(&self, _payload: &[u8]) -> bool {
        true
    }
    fn poll_packet(&mut self, _: Instant, _: ChannelKey, _: u64, buf: &mut [u8]) -> Option<tng_base::Filled> {
        buf[..self.len].fill(0xa5);
        Some(tng_base::Filled { len: self.len })
    }
    fn wants_to_send(&mut self, _now: Instant, _channel: ChannelKey) -> bool {
        true
    }
    fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, _: Fate) {}
}

#[test]
fn used_up_keys_end_the_sending() {
    let mut armor = ChecksumArmor::pair(1, 16, 1_000).0;
    armor.set_limit(5);
    let mut channel = Channel::new(config(1), Box::new(armor), at(0));
    let (mut toy, mut buf) = (Toy::default(), vec![0; MTU]);
    toy.send(0..100);
    channel.set_grant(u64::MAX);
    let mut sent = 0;
    while let Poll::Packet(_) = channel.poll_packet(at(1), None, &mut buf, &mut toy) {
        sent += 1;
    }
    assert_eq!(sent, 5);
    assert_eq!(channel.poll_event(), Some(ChannelEvent::Exhausted));
    assert_eq!(channel.poll_packet(at(1), None, &mut buf, &mut toy), Poll::Nothing);
    channel.note_setup_taken(at(1));
    assert!(channel.poll_timeout(None).is_none_or(|t| t > at(1)), "no timer that cannot be served");
}

#[test]
fn a_buffer_too_small_for_any_packet_holds_none() {
    let mut channel = Channel::new(config(1), Box::new(NoArmor), at(0));
    let mut toy = Toy::default();
    toy.send(0..1);
    channel.set_grant(u64::MAX);
    channel.note_setup_taken(at(0));
    for len in 0..29 {
        assert_eq!(channel.poll_packet(at(100), None, &mut vec![0; len], &mut toy), Poll::Nothing, "{len}");
    }
}
