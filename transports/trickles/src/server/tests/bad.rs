//! Requests that are not as they should be.

use super::*;
use crate::ProofError;
use crate::replay::StoryError;
use crate::wire::Fault;

fn refused(host: &mut Host, remote: SocketAddr, datagram: &[u8]) -> Option<Refused> {
    let before = host.server.stats().last_refused;
    let answers = host.ask(remote, datagram);
    assert!(answers.is_empty(), "{before:?}");
    host.server.stats().last_refused
}

#[test]
fn every_bit_of_a_request_counts_and_no_truncation_is_answered() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let held = client.held[0];
    let (datagram, _) = client.request(held, Kind::Spend, b"");
    for bit in 0..8 * datagram.len() {
        let mut changed = datagram.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(host.ask(home(), &changed).is_empty(), "bit {bit}");
    }
    (0..datagram.len()).for_each(|cut| assert!(host.ask(home(), &datagram[..cut]).is_empty()));
    assert_eq!(host.server.stats().spent, 0, "nothing is burnt by what was not sealed");
    assert_eq!(host.ask(home(), &datagram).len(), 10);
}

#[test]
fn continuations_of_others_of_elsewhere_and_changed_ones_are_refused_by_name() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut one = ByHand::new(&mut host, 1, put(4, "100000"));
    let mut other = ByHand::new(&mut host, 2, put(4, "100000"));
    let (stolen, own) = (one.held[0], other.held[0]);
    let (datagram, _) = other.request(stolen, Kind::Spend, b"");
    assert_eq!(refused(&mut host, home(), &datagram), Some(Refused::Unsealed), "another connection's");
    let (datagram, _) = other.request((own.0, stolen.1), Kind::Spend, b"");
    assert_eq!(refused(&mut host, home(), &datagram), Some(Refused::Unsealed), "spliced");
    let elsewhere = "192.0.2.2:7".parse().unwrap();
    let (datagram, _) = one.request(stolen, Kind::Spend, b"");
    assert_eq!(refused(&mut host, elsewhere, &datagram), Some(Refused::Unsealed), "another place");
    let mut richer = stolen;
    richer.0.root.growth = crate::Growth::new(0, 1_000, crate::WINDOW_MAX);
    let (datagram, _) = one.request(richer, Kind::Spend, b"");
    assert_eq!(refused(&mut host, home(), &datagram), Some(Refused::Unsealed), "a larger window");
    let (epoch, id) = (one.epoch, one.id);
    one.epoch = epoch.wrapping_add(9);
    let (datagram, _) = one.request(stolen, Kind::Spend, b"");
    assert_eq!(refused(&mut host, home(), &datagram), Some(Refused::Epoch), "an epoch that is not there");
    (one.epoch, one.id) = (epoch, other.id);
    let (datagram, _) = one.request(stolen, Kind::Spend, b"");
    assert_eq!(refused(&mut host, home(), &datagram), Some(Refused::Forged), "another connection's name");
    one.id = id;
    assert_eq!(one.spend(&mut host, b""), 10, "its own is good all the while");
}

#[test]
fn what_is_too_old_or_of_a_time_to_come_is_refused_by_name_whichever_way_the_clock_jumps() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let (datagram, seal) = client.request(client.held[0], Kind::Spend, b"");
    host.server.set_clock(WallClock::set(host.now, wall(Duration::from_secs(50))));
    assert_eq!(refused(&mut host, home(), &datagram), Some(Refused::Future));
    host.server.set_clock(WallClock::set(host.now, wall(Duration::from_secs(71))));
    assert_eq!(client.denied(&host.ask(home(), &datagram), &seal), Denial::Old);
    assert_eq!(host.server.stats().last_refused, Some(Refused::Old));
    let mut forged = datagram.clone();
    *forged.last_mut().unwrap() ^= 1;
    assert_eq!(refused(&mut host, home(), &forged), Some(Refused::Forged), "only what is genuine is told anything");
    host.server.set_clock(WallClock::set(host.now, wall(Duration::from_secs(60))));
    assert_eq!(host.ask(home(), &datagram).len(), 10);
}

#[test]
fn who_shows_a_packet_that_did_not_come_spends_its_continuation_for_nothing() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    let (continuation, seal) = client.held[2];
    let mut proof = Proof::with_room();
    let high = *continuation.numbers().end();
    proof.set((continuation.shown_from, high), core::iter::once(continuation.shown_from..high + 1), 77, None).unwrap();
    let demand = Demand::new(Kind::Spend, continuation, seal);
    let (datagram, _) = client.sealed(&demand, &proof, b"");
    assert_eq!(refused(&mut host, home(), &datagram), Some(Refused::Unproven(ProofError::Invented)));
    let (honest, _) = client.request((continuation, seal), Kind::Spend, b"");
    assert_eq!(refused(&mut host, home(), &honest), Some(Refused::Burnt(Burnt::Spent)), "no second guess");
}

#[test]
fn who_tells_another_story_is_refused_by_name() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    // Numbers 1 to 10, in five pairs. The last says that 3 and 4 are lost, the third that all came.
    let (third, last) = (client.held[2], client.held[4]);
    let mut gapped = ByHand { receipts: Receipts::new(0), ..client };
    let came = [1..3, 5..11];
    let (from, high) = (last.0.shown_from, *last.0.numbers().end());
    assert_eq!((from, high), (1, 10));
    let fold = came.iter().fold(0, |fold, range| fold ^ nonces(&host, &gapped, range.clone()));
    let mut proof = Proof::with_room();
    proof.set((from, high), came, fold, None).unwrap();
    let demand = |(continuation, seal): Held| Demand::new(Kind::Spend, continuation, seal);
    let (datagram, _) = gapped.sealed(&demand(last), &proof, b"");
    assert_eq!(host.ask(home(), &datagram).len(), 2, "it goes on, in the half that does");
    let fold = nonces(&host, &gapped, 1..7);
    proof.set((1, 6), core::iter::once(1..7), fold, None).unwrap();
    let (datagram, _) = gapped.sealed(&demand(third), &proof, b"");
    assert_eq!(refused(&mut host, home(), &datagram), Some(Refused::Story(StoryError::Contradicted)));
}

/// What a client that has all of these packets of the first line knows.
fn nonces(host: &Host, client: &ByHand, numbers: Range<u64>) -> u64 {
    let keying = Keying::of(host.server.gate.keys.present().number() as u8);
    crate::Nonces::new(&host.server.gate.keys, client.id, &keying).unwrap().fold(crate::Tag(0), numbers)
}

#[test]
fn user_continuations_of_others_and_of_other_versions_are_named_and_ranges_beyond_them_are() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut one = ByHand::new(&mut host, 1, put(4, "100000"));
    let mut other = ByHand::new(&mut host, 2, put(9, "100000"));
    one.spend(&mut host, b"");
    let (mine, stolen) = (one.outputs[0].1.clone(), other.outputs[0].1.clone());
    let want =
        |output: &[u8], start, end| asks(|writer| Ask::emit_want(output, &[Range { start, end }], writer).unwrap());
    one.spend(&mut host, &want(&stolen, AT, AT + 10));
    one.spend(&mut host, &want(&mine, AT + OBJECT_LEN - 1, AT + OBJECT_LEN + 1));
    let mut next_version = mine.clone();
    next_version[3] ^= 1;
    one.spend(&mut host, &want(&next_version, AT, AT + 10));
    assert_eq!(one.faults, [(9, Fault::Unsealed), (4, Fault::OutOfRange), (4, Fault::Unsealed)]);
    other.spend(&mut host, b"");
}

#[test]
fn a_server_that_has_too_much_to_do_drops_what_comes_and_answers_what_it_has() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let (datagram, _) = client.request(client.held[0], Kind::Spend, b"");
    (0..QUEUE_MAX).for_each(|_| host.take(home(), &datagram));
    let before = host.server.stats().dropped;
    (0..1_000).for_each(|_| host.take(home(), b"\xa8 more"));
    assert_eq!(host.server.stats().dropped - before, 1_000);
    assert_eq!(host.poll().len(), 10);
    assert_eq!(host.server.stats().spent, QUEUE_MAX as u64 - 1);
}
