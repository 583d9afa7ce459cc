use std::collections::BTreeSet;

use tng_base::PathChange;

use super::*;
use crate::ANSWERS_BURST;

const FROM: &str = "192.0.2.1:7";

fn from() -> SocketAddr {
    FROM.parse().expect("an address")
}

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// A tenant whose packets are: a first byte, a number that is its id or what it begins, and anything.
#[derive(Debug, Default)]
struct Toy {
    first: u8,
    last: u8,
    knows: BTreeSet<u8>,
    serves: BTreeSet<u8>,
    /// Bytes in which it says of what it does not know that it does not.
    disowns: Option<usize>,
    silent: bool,
    /// The packets of each input that it got.
    heard: Vec<Vec<Vec<u8>>>,
    losses: Vec<u8>,
    moves: usize,
    entropy: Vec<u8>,
    called: usize,
    /// What it will say, the last first.
    says: Vec<Output<char>>,
    deadline: Option<Instant>,
    /// Whether it tells of every input.
    tells: bool,
}

impl Toy {
    fn reading(first: u8, last: u8) -> Toy {
        Toy { first, last, ..Toy::default() }
    }

    fn knowing(mut self, ids: &[u8]) -> Toy {
        self.knows.extend(ids);
        self
    }

    fn serving(mut self, ids: &[u8]) -> Toy {
        self.serves.extend(ids);
        self
    }

    fn disowning(self, bytes: usize) -> Toy {
        Toy { disowns: Some(bytes), ..self }
    }

    fn heard(&self) -> Vec<Vec<&[u8]>> {
        self.heard.iter().map(|input| input.iter().map(|packet| &packet[..]).collect()).collect()
    }
}

impl Machine for Toy {
    type Event = char;

    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        self.says.extend(self.tells.then_some(Output::Event('i')));
        match input {
            Input::Datagram(datagram) => {
                assert_eq!((datagram.remote, datagram.local, datagram.ecn), (from(), Some(from()), Ecn::Ce));
                self.heard.push(datagram.payload.chunks(datagram.segment_size).map(<[u8]>::to_vec).collect());
                datagram.payload.fill(0);
            }
            Input::LinkLoss(loss) => self.losses.push(loss.header[1]),
            Input::PathChange(_) | Input::Unreachable(_) => self.moves += 1,
            Input::Entropy(entropy) => self.entropy.push(entropy[0]),
        }
    }

    fn handle_timeout(&mut self, _: Instant) {
        self.called += 1;
        self.says.extend(self.tells.then_some(Output::Event('t')));
    }

    fn poll_output(&mut self, _: Instant, _: &mut [u8]) -> Output<char> {
        self.says.pop().unwrap_or(Output::Timeout(self.deadline))
    }
}

impl Tenant for Toy {
    fn reads(&self, first: u8) -> bool {
        (self.first..=self.last).contains(&first)
    }

    fn claim(&self, packet: &[u8]) -> Claim {
        let Some(id) = packet.get(1) else { return Claim::Neither };
        match self.disowns {
            _ if self.knows.contains(id) => Claim::Knows,
            _ if self.serves.contains(id) => Claim::Serves,
            Some(bytes) => Claim::Disowns(bytes),
            None => Claim::Neither,
        }
    }

    fn is_silent(&self) -> bool {
        self.silent
    }
}

/// Hands in packets of `size` bytes, all but the last.
fn hand<P: Tenants>(port: &mut Port<P>, size: usize, packets: &[&[u8]]) {
    assert!(packets.iter().rev().skip(1).all(|packet| packet.len() == size));
    let (mut payload, remote, ecn) = (packets.concat(), from(), Ecn::Ce);
    let datagram = Datagram { remote, local: Some(remote), ecn, segment_size: size, payload: &mut payload };
    port.handle_input(at(0), Input::Datagram(datagram));
}

/// What is said until there is nothing more, but for events, and when it wants to be called.
fn said<P: Tenants>(port: &mut Port<P>, now: Instant) -> (Vec<Vec<u8>>, Option<Instant>) {
    let (mut out, mut buf) = (Vec::new(), [0; 64]);
    loop {
        match port.poll_output(now, &mut buf) {
            Output::Transmit(transmit) => {
                assert_eq!((transmit.remote, transmit.local), (from(), Some(from())));
                out.push(buf[..transmit.len].to_vec());
            }
            Output::Timeout(at) => return (out, at),
            _ => {}
        }
    }
}

#[test]
fn the_first_byte_alone_tells_where_one_party_reads_it() {
    // Nobody is asked: neither knows anything.
    let mut port = Port::new((Toy::reading(0x40, 0x7f), Toy::reading(0xa0, 0xbf)));
    hand(&mut port, 2, &[&[0x40, 1], &[0xa0, 2], &[0xbf, 3], &[0x7f, 4], &[0x20, 5], &[0x41]]);
    let (a, b) = port.tenants();
    assert_eq!(a.heard(), [vec![&[0x40, 1][..]], vec![&[0x7f, 4]], vec![&[0x41]]]);
    assert_eq!(b.heard(), [vec![&[0xa0, 2][..], &[0xbf, 3]]], "what follows one another stays together");
    assert_eq!(said(&mut port, at(0)).0, Vec::<Vec<u8>>::new(), "of 0x20 nothing is said: it has no meaning");
}

#[test]
fn a_burst_stays_whole_where_one_party_gets_it() {
    let mut port = Port::new((Toy::reading(0x40, 0x7f),));
    let packets: Vec<[u8; 2]> = (0..40).map(|i| [0x40 | i, i]).collect();
    let packets: Vec<&[u8]> = packets.iter().map(|packet| &packet[..]).collect();
    hand(&mut port, 2, &packets);
    assert_eq!(port.tenants().0.heard(), [packets]);
}

#[test]
fn who_knows_it_goes_before_who_serves_it_and_the_first_in_the_table_before_the_others() {
    let toy = || Toy::reading(0x00, 0x0f).disowning(1);
    let tenants = (toy().serving(&[1, 2, 3]), toy().serving(&[1, 3]).knowing(&[2]), toy().knowing(&[3, 4]));
    let mut port = Port::new(tenants);
    for id in 1..=4 {
        hand(&mut port, 2, &[&[0x01, id]]);
    }
    let (a, b, c) = port.tenants();
    assert_eq!(a.heard(), [[&[1, 1][..]]]);
    assert_eq!(b.heard(), [[&[1, 2][..]]]);
    assert_eq!(c.heard(), [[&[1, 3][..]], [&[1, 4]]]);
}

#[test]
fn an_id_that_two_know_is_lost_to_neither() {
    let toy = || Toy::reading(0x40, 0x7f);
    let mut port = Port::new((toy().knowing(&[1, 2]), toy().knowing(&[2, 3]), toy()));
    hand(&mut port, 3, &[&[0x40, 1, 0], &[0x40, 2, 1], &[0x41, 2, 2], &[0x40, 3]]);
    let (a, b, c) = port.tenants();
    // Each opens packets in place, and finds them whole.
    assert_eq!(a.heard(), [vec![&[0x40, 1, 0][..]], vec![&[0x40, 2, 1], &[0x41, 2, 2]]]);
    assert_eq!(b.heard(), [vec![&[0x40, 2, 1][..], &[0x41, 2, 2]], vec![&[0x40, 3]]]);
    assert!(c.heard.is_empty());
}

#[test]
fn who_may_have_forgotten_it_says_so_in_no_more_bytes_than_came() {
    let toy = |bytes| Toy::reading(0x40, 0x7f).disowning(bytes);
    for (len, taken) in [(10, [0, 0, 0]), (23, [1, 0, 0]), (45, [1, 0, 1]), (66, [1, 1, 0]), (90, [1, 1, 1])] {
        let mut port = Port::new((toy(23), toy(43), toy(22)));
        hand(&mut port, len, &[&vec![0x40; len]]);
        let (a, b, c) = port.tenants();
        assert_eq!([a, b, c].map(|toy| toy.heard.len()), taken, "{len}");
    }
}

#[test]
fn nothing_is_handed_to_those_to_whom_it_is_nothing() {
    let toy = || Toy::reading(0x00, 0x0f);
    let mut port = Port::new((toy(), toy()));
    hand(&mut port, 2, &[&[0x07, 1], &[0x07]]);
    assert!(port.tenants().0.heard.is_empty() && port.tenants().1.heard.is_empty());
    assert_eq!(said(&mut port, at(0)).0, Vec::<Vec<u8>>::new());
}

#[test]
fn a_first_byte_of_nobody_is_answered_once_for_what_came_together() {
    for (first, answered) in [
        (0x00, false),
        (0x0f, false),
        (0x20, false),
        (0x40, false),
        (0x80, true),
        (0xa0, true),
        (0xdf, true),
        (0xe0, false),
    ] {
        let mut port = Port::new((Toy::reading(0x01, 0x01),));
        hand(&mut port, 2, &[&[first, 1], &[first | 1, 2], &[first, 3]]);
        let expected = if answered { vec![vec![0x06, first]] } else { Vec::new() };
        assert_eq!(said(&mut port, at(0)).0, expected, "{first:#x}");
    }
}

#[test]
fn what_nobody_is_told_of_keeps_nobody_from_being_told() {
    let mut port = Port::new((Toy::reading(0x01, 0x01),));
    hand(&mut port, 2, &[&[0x20, 1], &[0xa0, 2], &[0x01, 3], &[0xc0, 4]]);
    assert_eq!(said(&mut port, at(0)).0, [[0x06, 0xa0]]);
}

#[test]
fn a_byte_alone_is_answered_by_nothing_since_an_answer_is_longer() {
    let mut port = Port::new((Toy::reading(0x01, 0x01),));
    hand(&mut port, 1, &[&[0xa0], &[0xa0], &[0xa0]]);
    hand(&mut port, 2, &[&[0x01, 1], &[0xa0]]);
    assert_eq!(said(&mut port, at(0)).0, Vec::<Vec<u8>>::new());
}

#[test]
fn a_flood_of_what_nobody_reads_is_answered_within_the_budget_and_no_more_waits_than_may() {
    let mut port = Port::new((Toy::reading(0x01, 0x01), Toy::reading(0x01, 0x01)));
    for _ in 0..1_000 {
        hand(&mut port, 2, &[&[0xa0, 1]]);
    }
    assert_eq!(said(&mut port, at(0)).0.len(), UNSERVED_WAITING_MAX);
    let mut answers = UNSERVED_WAITING_MAX as u64;
    for _ in 0..1_000 {
        hand(&mut port, 2, &[&[0xa0, 1]]);
        answers += said(&mut port, at(0)).0.len() as u64;
    }
    assert_eq!(answers, ANSWERS_BURST);
}

#[test]
fn one_silent_party_makes_the_port_silent() {
    for silent in [false, true] {
        let mut port = Port::new((Toy::reading(0x01, 0x01), Toy { silent, ..Toy::reading(0x02, 0x02) }));
        hand(&mut port, 2, &[&[0xa0, 1]]);
        assert_eq!(said(&mut port, at(0)).0.is_empty(), silent);
    }
}

#[test]
fn an_empty_place_is_as_if_it_were_not_there() {
    let made = |second: Option<Toy>| Port::new((Toy::reading(0x40, 0x7f), second));
    let toy = || Toy { deadline: Some(at(5)), ..Toy::reading(0xa0, 0xbf) };
    let requests: &[&[u8]] = &[&[0x40, 1], &[0xa0, 1]];
    let mut port = made(None);
    hand(&mut port, 2, requests);
    port.handle_timeout(at(1));
    assert_eq!(said(&mut port, at(1)), (vec![vec![0x06, 0xa0]], None), "nobody serves it");
    assert_eq!(port.tenants().0.heard(), [[&[0x40, 1]]]);
    let mut port = made(Some(toy()));
    hand(&mut port, 2, requests);
    port.handle_timeout(at(1));
    assert_eq!(said(&mut port, at(1)), (vec![], Some(at(5))));
    let second = port.tenants().1.as_ref().expect("it is there");
    assert_eq!((second.heard(), second.called), (vec![vec![&[0xa0, 1][..]]], 1));
    // It is asked where others read the same, and its silence is the port's.
    let mut port = Port::new((toy(), Some(toy().knowing(&[1]))));
    hand(&mut port, 2, &[&[0xa0, 1]]);
    let heard = port.tenants().1.as_ref().map(|second| second.heard.len());
    assert_eq!((port.tenants().0.heard.len(), heard), (0, Some(1)));
    let mut port = made(Some(Toy { silent: true, ..toy() }));
    hand(&mut port, 2, &[&[0xc0, 1]]);
    assert_eq!(said(&mut port, at(0)).0, Vec::<Vec<u8>>::new());
}

#[test]
fn a_loss_is_told_to_those_who_know_the_packet() {
    let toy = || Toy::reading(0x40, 0x7f);
    let mut port = Port::new((toy().knowing(&[1]), toy().knowing(&[2]).serving(&[3]), Toy::reading(0x80, 0x80)));
    for header in [&[0x40, 1][..], &[0x40, 2], &[0x40, 3], &[0x80, 4], &[]] {
        port.handle_input(at(0), Input::LinkLoss(LinkLoss { remote: from(), header: header.to_vec() }));
    }
    let (a, b, c) = port.tenants();
    assert_eq!((&a.losses[..], &b.losses[..], &c.losses[..]), (&[1][..], &[2][..], &[4][..]));
}

#[test]
fn a_move_and_the_time_are_everybodys_business() {
    let mut port = Port::new((Toy::default(), Toy::default(), Toy::default()));
    port.handle_input(at(0), Input::PathChange(PathChange::LocalAddress { old: None, new: None }));
    port.handle_timeout(at(1));
    let (a, b, c) = port.tenants();
    assert_eq!([a, b, c].map(|toy| (toy.moves, toy.called)), [(1, 1); 3]);
}

#[test]
fn entropy_goes_to_who_asked_for_it_also_when_it_comes_late() {
    let asks = |times| Toy { says: (0..times).map(|_| Output::NeedsEntropy).collect(), ..Toy::default() };
    let mut port = Port::new((asks(0), asks(2), asks(1)));
    let mut buf = [0; 64];
    let needs = core::iter::from_fn(|| matches!(port.poll_output(at(0), &mut buf), Output::NeedsEntropy).then_some(()));
    assert_eq!(needs.count(), 3);
    for byte in 1..=3 {
        port.handle_input(at(0), Input::Entropy(&mut [byte; 32]));
    }
    let (a, b, c) = port.tenants();
    assert_eq!((&a.entropy[..], &b.entropy[..], &c.entropy[..]), (&[][..], &[1, 2][..], &[3][..]));
}

#[test]
fn everybody_has_a_turn_and_the_earliest_time_of_theirs_is_the_ports() {
    let says = |what: &[char], deadline| Toy {
        says: what.iter().rev().map(|event| Output::Event(*event)).collect(),
        deadline,
        ..Toy::reading(0x40, 0x7f)
    };
    let ms = |ms| Some(at(ms));
    let mut port = Port::new((says(&['a', 'b'], ms(30)), says(&[], None), says(&['c'], ms(20))));
    let mut buf = [0; 64];
    let mut events = Vec::new();
    let deadline = loop {
        match port.poll_output(at(0), &mut buf) {
            Output::Event(event) => events.push(event),
            Output::Timeout(at) => break at,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(events, [OneOf::First('a'), OneOf::Third('c'), OneOf::First('b')], "one thing each");
    assert_eq!(deadline, ms(20));
    // Who is used is polled again, whichever it is, in the midst of a round, too.
    port.tenants_mut().0.says.extend([Output::Event('d'), Output::Event('e')]);
    assert!(matches!(port.poll_output(at(0), &mut buf), Output::Event(OneOf::First('e'))));
    port.tenants_mut().2.deadline = ms(5);
    port.tenants_mut().1.says.push(Output::Event('f'));
    let rest = [port.poll_output(at(0), &mut buf), port.poll_output(at(0), &mut buf)];
    assert!(matches!(rest, [Output::Event(OneOf::Second('f')), Output::Event(OneOf::First('d'))]), "{rest:?}");
    assert_eq!(said(&mut port, at(0)).1, ms(5));
    // A tenant that got nothing keeps its time.
    port.tenants_mut().0.deadline = ms(40);
    said(&mut port, at(0));
    hand(&mut port, 2, &[&[0x40, 1]]);
    assert_eq!(said(&mut port, at(0)).1, ms(5));
}

#[test]
fn who_hears_something_is_polled_for_what_it_has_to_say_to_that() {
    type Two = Port<(Toy, Toy)>;
    let tells = |first| Toy { tells: true, ..Toy::reading(first, first) };
    let mut port = Two::new((tells(0x40), tells(0x41)));
    let mut told = |input: &mut dyn FnMut(&mut Two)| {
        let (mut buf, mut told) = ([0; 64], Vec::new());
        input(&mut port);
        while let Output::Event(event) = port.poll_output(at(0), &mut buf) {
            told.push(event);
        }
        told.sort_by_key(|event| matches!(event, OneOf::Second(_)));
        told
    };
    let (first, second) = (OneOf::First('i'), OneOf::Second('i'));
    assert_eq!(told(&mut |_| ()), []);
    assert_eq!(told(&mut |port| hand(port, 2, &[&[0x41, 1]])), [second]);
    let loss = LinkLoss { remote: from(), header: vec![0x41, 1] };
    assert_eq!(told(&mut |port| port.handle_input(at(0), Input::LinkLoss(loss.clone()))), [second]);
    assert_eq!(told(&mut |port| port.handle_input(at(0), Input::Entropy(&mut [1; 32]))), [first]);
    let moved = PathChange::LocalAddress { old: None, new: None };
    assert_eq!(told(&mut |port| port.handle_input(at(0), Input::PathChange(moved))), [first, second]);
    assert_eq!(told(&mut |port| port.handle_timeout(at(0))), [OneOf::First('t'), OneOf::Second('t')]);
}

#[test]
fn one_that_always_has_something_to_say_lets_the_others_say_something_after_each_thing() {
    let transmit = Transmit { remote: from(), local: Some(from()), ecn: Ecn::Ce, len: 1, segment_size: 1 };
    let talks = || Toy {
        says: (0..100).map(|_| Output::Transmit(transmit)).collect(),
        ..Toy::reading(0x40, 0x7f).knowing(&[1])
    };
    let says = |what| Toy { says: vec![Output::Event(what)], ..Toy::reading(0x40, 0x7f) };
    let mut port = Port::new((talks(), says('b'), says('c')));
    let (mut buf, mut told) = ([0; 64], Vec::new());
    for polled in 0..6 {
        // The driver's buffers are full after each output, and there is something new to hear and to do.
        hand(&mut port, 2, &[&[0x40, 1]]);
        port.handle_timeout(at(polled));
        if let Output::Event(event) = port.poll_output(at(polled), &mut buf) {
            told.push((polled, event));
        }
    }
    assert_eq!(told, [(1, OneOf::Second('b')), (2, OneOf::Third('c'))]);
}
