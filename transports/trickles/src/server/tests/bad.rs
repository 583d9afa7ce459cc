//! Requests that are not as they should be.

use super::*;
use crate::ProofError;
use crate::replay::StoryError;
use crate::wire::ITEMS_PER_REQUEST_MAX;
use crate::{State, StateKind};

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
fn what_another_version_has_sealed_is_named_so() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, Vec::new());
    client.spend(&mut host, b"");
    // The server's is 3.
    let want = |version| {
        let kind = StateKind::Output { valid: AT..AT + OBJECT_LEN };
        let mut out = [0; crate::SEALED_STATE_LEN_MAX];
        let state = State { version, object: 4, kind, bytes: b"state" };
        let sealed = state.seal(&keys(), &client.id, &mut out).unwrap();
        asks(|writer| Ask::emit_want(sealed, &[Range { start: AT, end: AT + 10 }], writer).unwrap())
    };
    let [ours, older, newer] = [3, 2, 4].map(want);
    client.spend(&mut host, &older);
    client.spend(&mut host, &newer);
    assert_eq!(client.faults, [(4, Fault::Version); 2]);
    assert_eq!(client.checked(), 0);
    client.spend(&mut host, &ours);
    assert_eq!((client.faults.len(), client.checked()), (2, 10), "control: its own is good");
}

/// The same request of two clients of a server that remembers so many stories: each tells the same loss.
fn of_two_that_tell_a_loss(stories: usize) -> (Host, ByHand, Vec<Vec<u8>>, [u8; 16]) {
    let mut host = Host::new(1, ServerConfig { stories, ..ServerConfig::default() });
    let mut clients = [1, 2].map(|seed| {
        let mut client = ByHand::new(&mut host, seed, put(4, "100000"));
        client.spend(&mut host, b"");
        client
    });
    let mut told = clients.iter_mut().map(|client| {
        // Numbers 1 to 10, in five pairs; 3 and 4 are lost.
        let (came, (continuation, seal)) = ([1..3, 5..11], client.held[4]);
        let fold = came.iter().fold(0, |fold, range| fold ^ nonces(&host, client, range.clone()));
        let mut proof = Proof::with_room();
        proof.set((1, 10), came, fold, None).unwrap();
        let (datagram, seal) = client.sealed(&Demand::new(Kind::Spend, continuation, seal), &proof, b"");
        (host.ask(home(), &datagram), seal)
    });
    let (first, second) = (told.next().unwrap(), told.next().unwrap());
    drop(told);
    assert_eq!(first.0.len(), 2);
    let [_, client] = clients;
    (host, client, second.0, second.1)
}

#[test]
fn who_tells_of_a_loss_that_there_is_no_room_to_remember_is_told_so_and_asks_for_a_timeout() {
    let (mut host, mut client, answers, seal) = of_two_that_tell_a_loss(1);
    assert_eq!(client.denied(&answers, &seal), Denial::Untold);
    assert_eq!(host.server.stats().last_refused, Some(Refused::Story(StoryError::Full)));
    let held = client.held[4];
    let kind = Kind::Timeout { count: 0, asked: held.0.issued, moved_from: None };
    let (datagram, _) = client.request(held, kind, b"");
    assert_eq!(host.ask(home(), &datagram).len(), 10, "which tells nothing");
    // Control: where there is room the second is answered as the first.
    assert_eq!(of_two_that_tell_a_loss(2).2.len(), 2);
}

#[test]
fn a_continuation_at_the_end_of_all_numbers_releases_nothing() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    // Nobody gets there; it is sealed by hand. Behind the pair there is room for so many numbers.
    let mut answers = |held: usize, room: u64| {
        let (continuation, _) = client.held[held];
        let first = crate::NUMBER_LIMIT - 2 - room;
        let growth = crate::Growth::new(first - 1, 10, 10);
        let root = crate::Line { growth, tag: crate::Tag(0) };
        let continuation = Continuation { first, root, shown_from: first, ..continuation };
        let seal = continuation.seal(host.server.gate.keys.present(), &client.id, &ClientNetwork::of(home().ip()));
        let fold = nonces(&host, &client, first..first + 2);
        let mut proof = Proof::with_room();
        proof.set((first, first + 1), core::iter::once(first..first + 2), fold, None).unwrap();
        let (datagram, _) = client.sealed(&Demand::new(Kind::Spend, continuation, seal), &proof, b"");
        let answers = host.ask(home(), &datagram).len();
        (answers, host.server.stats().last_refused)
    };
    // The pair releases the two numbers behind the ten that are under way.
    assert_eq!(answers(0, 13), (2, None), "control: while there are numbers");
    assert_eq!(answers(1, 10), (0, Some(Refused::Contradiction)));
}

#[test]
fn who_has_moved_and_takes_no_datagrams_as_short_as_three_times_its_request_is_sent_none() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    let elsewhere: SocketAddr = "198.51.100.7:99".parse().unwrap();
    let (held, from) = (client.held[0], Some(ClientNetwork::of(home().ip())));
    let mut ask = |client: &mut ByHand, datagram_len| {
        let asked = Stamp::of(host.server.gate.wall(host.now));
        let kind = Kind::Timeout { count: 0, asked, moved_from: from };
        let mut proof = Proof::with_room();
        let (low, high) = (held.0.shown_from, *held.0.numbers().end());
        proof.set((low, high), core::iter::once(low..high + 1), nonces(&host, client, low..high + 1), None).unwrap();
        let demand = Demand { datagram_len, ..Demand::new(kind, held.0, held.1) };
        let (datagram, _) = client.sealed(&demand, &proof, &[0; 300]);
        let answers = host.ask(elsewhere, &datagram).len();
        host.now += Duration::from_secs(1);
        (answers, host.server.stats().last_refused)
    };
    assert_eq!(ask(&mut client, DATAGRAM_LEN_MAX), (0, Some(Refused::Overloaded)));
    assert_eq!(ask(&mut client, DATAGRAM_LEN_MIN).0, 1, "control: in shorter ones it gets something");
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

#[test]
fn of_what_a_request_asks_for_so_many_items_are_looked_at_and_no_more() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, Vec::new());
    let many: Vec<u8> = (0..ITEMS_PER_REQUEST_MAX as u64 + 20).flat_map(|object| put(object, "1")).collect();
    assert_eq!(client.spend(&mut host, &many), 10);
    assert_eq!(host.server.application().put, ITEMS_PER_REQUEST_MAX as u32);
    assert_eq!((client.outputs.len(), client.faults.len()), (ITEMS_PER_REQUEST_MAX, 0));
}

#[test]
fn a_request_is_looked_at_for_two_solutions_once_however_many_it_has_and_however_much_it_asks_for() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, Vec::new());
    client.spend(&mut host, b"");
    host.server.application_mut().is_expensive = true;
    host.server.set_load(0.6);
    client.spend(&mut host, &put(1, "1"));
    let puzzle = *client.puzzles.first().expect("it has its price");
    // Solutions of another continuation are none for this one: as many before the right one.
    let id = client.id;
    let asking = |held: &Held, wrong: u64| {
        let good = puzzle.solve(&held.1, 0, u64::MAX).unwrap();
        let verifies = |solution: &crate::Solution| {
            let place = ClientNetwork::of(home().ip());
            let keys = keys();
            solution.verify(&keys, wall(Duration::from_secs(60)), &id, &place, &held.1).is_ok()
        };
        assert!(verifies(&good));
        let bad = (0..).filter_map(|from| puzzle.solve(&[9; 16], from, 1).ok()).find(|bad| !verifies(bad)).unwrap();
        let solutions = (0..wrong).map(|_| bad).chain([good]);
        let mut asked: Vec<u8> =
            solutions.flat_map(|solution| asks(|writer| Ask::Solved(solution).emit(writer).unwrap())).collect();
        (0..4).for_each(|object| asked.extend(put(10 * wrong + object, &format!("{}", 100 * wrong + object + 1))));
        asked
    };
    for (wrong, is_found) in [(0, true), (1, true), (2, false), (8, false)] {
        let held = client.held.remove(0);
        let asked = asking(&held, wrong);
        client.puzzles.clear();
        client.outputs.clear();
        let before = crate::puzzle::verified();
        client.spend_this(&mut host, held, &asked);
        assert_eq!(crate::puzzle::verified() - before, (wrong + 1).min(2), "for four items together");
        let due = if is_found { (4, 0) } else { (0, 4) };
        assert_eq!((client.outputs.len(), client.puzzles.len()), due, "{wrong} wrong ones before");
    }
}

#[test]
fn a_request_that_is_longer_than_any_is_refused_before_it_is_copied() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let held = client.held[0];
    let padded = |client: &mut ByHand, len: usize| {
        let shortest = client.request(held, Kind::Spend, b"").0.len();
        client.request(held, Kind::Spend, &vec![0; len - shortest]).0
    };
    let long = padded(&mut client, DATAGRAM_LEN_MAX + 1);
    let before = host.server.held();
    host.take(home(), &long);
    assert_eq!(host.server.held(), before);
    assert_eq!(refused(&mut host, home(), &long), Some(Refused::Malformed));
    let longest = padded(&mut client, DATAGRAM_LEN_MAX);
    assert_eq!(host.ask(home(), &longest).len(), 10);
}

/// How many copies of a request for a timeout are acted on, of one each second for an hour and a half.
fn copies_acted_on(horizon: impl FnOnce(&mut Host)) -> usize {
    let mut host = Host::new(1, ServerConfig::default());
    horizon(&mut host);
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let held = client.held[0];
    let kind = Kind::Timeout { count: 0, asked: held.0.issued, moved_from: None };
    let (datagram, _) = client.request(held, kind, b"");
    let copies = (0..5_400).filter(|_| {
        host.now += Duration::from_secs(1);
        host.ask(home(), &datagram).len() > 1
    });
    copies.count()
}

#[test]
fn a_copy_of_a_request_for_a_timeout_is_acted_on_once_and_without_its_time_as_long_as_its_keys_live() {
    assert_eq!(copies_acted_on(|_| ()), 1);
    // Control: a server to which no time is too late, that knows copies again for as long as always.
    let damage = copies_acted_on(|host| host.server.gate.horizon.age_max = 10 * EPOCH);
    assert!(damage > 20, "{damage}");
}

#[test]
fn a_copy_does_not_stand_in_the_way_of_what_its_client_asks_for() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let held = client.held[0];
    let asked = |at: u64| {
        let asked = held.0.issued.after(Duration::from_secs(at));
        Kind::Timeout { count: 0, asked, moved_from: None }
    };
    let (datagram, _) = client.request(held, asked(0), b"");
    assert_eq!(host.ask(home(), &datagram).len(), 10);
    for at in 1..60 {
        host.now += Duration::from_secs(1);
        host.ask(home(), &datagram);
        let (again, _) = client.request(held, asked(at), b"");
        assert_eq!(host.ask(home(), &again).len(), 10, "{at}");
    }
}

#[test]
fn who_asks_for_a_timeout_at_another_time_is_told_the_time_and_asks_again() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    let held = client.held[0];
    // The clock is set ahead by five minutes: the client does not know of it.
    let clock = wall(Duration::from_secs(360));
    host.server.set_clock(WallClock::set(host.now, clock));
    let kind = |asked| Kind::Timeout { count: 0, asked, moved_from: None };
    let (datagram, seal) = client.request(held, kind(held.0.issued), b"");
    let (denial, told) = client.denied_at(&host.ask(home(), &datagram), &seal);
    assert_eq!((denial, told.near(clock)), (Denial::Untimely, clock));
    let (datagram, _) = client.request(held, kind(told), b"");
    assert_eq!(host.ask(home(), &datagram).len(), 10);
    // To the second in which it is good: from the skew ahead to the age limit behind.
    let answers = [-6_i64, -5, 9, 10, 11].map(|behind| {
        host.now += Duration::from_secs(20);
        let asked = Wall::from_millis((host.server.gate.wall(host.now).as_millis() as i64 - 1_000 * behind) as u64);
        let (datagram, _) = client.request(held, kind(Stamp::of(asked)), b"");
        host.ask(home(), &datagram).len()
    });
    assert_eq!(answers, [1, 10, 10, 10, 1]);
}
