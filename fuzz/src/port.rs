//! Several machines on one port: a table of toys beside a model of it, and a host and a helper that hear anything.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;

use tng_base::{Datagram, Ecn, Input, Instant, LinkLoss, Machine, Output, PathChange, Transmit};
use tng_crypto::Secret32;
use tng_endpoint::{Claim, Mode, OneOf, Port, Tenant, Tenants};
use tng_middlebox::{Helper, HelperConfig};
use tng_stack::{Access, Host, HostConfig, Identity};

use crate::bytes::Script;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] =
    &[Target { name: "port", kind: Kind::Stateful, len_max: 600, memory: (2 << 20, 64 << 10), run: port, seeds }];

/// Packets of one burst at most.
const BURST_MAX: usize = 24;

fn from() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 7))
}

fn port(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    match script.u8() & 3 {
        0 => real(script),
        _ => table(script),
    }
}

/// A tenant that does what its rules say, and keeps what it got.
#[derive(Clone, Default)]
struct Rules {
    reads: [u8; 2],
    /// What it says of packets by the low bits of their second byte.
    claims: [u8; 4],
}

impl Rules {
    fn draw(script: &mut Script<'_>) -> Rules {
        let (one, other) = (script.u8(), script.u8());
        let claims = std::array::from_fn(|_| script.u8());
        Rules { reads: [one.min(other), one.max(other)], claims }
    }

    fn reads(&self, first: u8) -> bool {
        (self.reads[0]..=self.reads[1]).contains(&first)
    }

    fn claim(&self, packet: &[u8]) -> Claim {
        let Some(second) = packet.get(1) else { return Claim::Neither };
        match self.claims[usize::from(second & 3)] {
            rule @ 0..=63 => Claim::Disowns(usize::from(rule)),
            64..=127 => Claim::Knows,
            128..=191 => Claim::Serves,
            _ => Claim::Neither,
        }
    }
}

/// What happened to a tenant, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Happened {
    Packet(Vec<u8>),
    Loss(Vec<u8>),
    Moved,
    Time,
    Entropy,
}

struct Toy {
    rules: Rules,
    happened: Rc<RefCell<Vec<Happened>>>,
    /// What it will say.
    says: VecDeque<u8>,
    deadline: Option<Instant>,
}

impl Machine for Toy {
    type Event = u8;

    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        let mut happened = self.happened.borrow_mut();
        match input {
            Input::Datagram(datagram) => {
                assert_eq!((datagram.remote, datagram.local, datagram.ecn), (from(), None, Ecn::Ect0));
                let packets = datagram.payload.chunks(datagram.segment_size);
                happened.extend(packets.map(|packet| Happened::Packet(packet.to_vec())));
                // As if it were opened in place.
                datagram.payload.fill(0);
            }
            Input::LinkLoss(loss) => happened.push(Happened::Loss(loss.header)),
            Input::PathChange(_) | Input::Unreachable(_) => happened.push(Happened::Moved),
            Input::Entropy(_) => happened.push(Happened::Entropy),
        }
    }

    fn handle_timeout(&mut self, _: Instant) {
        self.happened.borrow_mut().push(Happened::Time);
    }

    fn poll_output(&mut self, _: Instant, buf: &mut [u8]) -> Output<u8> {
        match self.says.pop_front() {
            None => Output::Timeout(self.deadline),
            Some(0..=31) => Output::NeedsEntropy,
            Some(what @ 32..=127) => Output::Event(what),
            Some(what) => {
                buf[0] = what;
                let (remote, ecn) = (from(), Ecn::NotEct);
                Output::Transmit(Transmit { remote, local: None, ecn, len: 1, segment_size: 1 })
            }
        }
    }
}

impl Tenant for Toy {
    fn reads(&self, first: u8) -> bool {
        self.rules.reads(first)
    }

    fn claim(&self, packet: &[u8]) -> Claim {
        self.rules.claim(packet)
    }
}

/// Three toys, and what has to happen to them.
struct Table {
    port: Port<(Toy, Toy, Toy)>,
    rules: [Rules; 3],
    happened: [Rc<RefCell<Vec<Happened>>>; 3],
    due: [Vec<Happened>; 3],
    /// What each is to say yet.
    says: [VecDeque<u8>; 3],
    asked: [u32; 3],
    deadlines: [Option<Instant>; 3],
    /// First bytes of what came and nobody reads, one for each burst.
    unread: VecDeque<u8>,
    now: Instant,
}

impl Table {
    fn new(script: &mut Script<'_>) -> Table {
        let rules: [Rules; 3] = std::array::from_fn(|_| Rules::draw(script));
        let happened: [Rc<RefCell<Vec<Happened>>>; 3] = Default::default();
        let toy = |at: usize| Toy {
            rules: rules[at].clone(),
            happened: Rc::clone(&happened[at]),
            says: VecDeque::new(),
            deadline: None,
        };
        let port = Port::new((toy(0), toy(1), toy(2)));
        Table {
            port,
            rules,
            happened,
            due: Default::default(),
            says: Default::default(),
            asked: [0; 3],
            deadlines: [None; 3],
            unread: VecDeque::new(),
            now: Instant::ZERO,
        }
    }

    /// Who has to get a packet, and whether nobody reads it: the rules, word for word.
    fn takers(&self, packet: &[u8]) -> (Vec<usize>, bool) {
        let readers: Vec<usize> = (0..3).filter(|at| self.rules[*at].reads(packet[0])).collect();
        if readers.len() < 2 {
            let nobody = readers.is_empty();
            return (readers, nobody);
        }
        let claims: Vec<(usize, Claim)> = readers.iter().map(|at| (*at, self.rules[*at].claim(packet))).collect();
        let who = |claim: Claim| claims.iter().filter(move |(_, of)| *of == claim).map(|(at, _)| *at);
        let known: Vec<usize> = who(Claim::Knows).collect();
        if !known.is_empty() {
            return (known, false);
        }
        if let Some(serves) = who(Claim::Serves).next() {
            return (vec![serves], false);
        }
        let mut left = packet.len();
        let fits = |(at, claim): &(usize, Claim)| match claim {
            Claim::Disowns(bytes) if *bytes <= left => {
                left -= bytes;
                Some(*at)
            }
            _ => None,
        };
        (claims.iter().filter_map(fits).collect(), false)
    }

    fn hand(&mut self, script: &mut Script<'_>) {
        let (size, count) = (1 + script.below(64), 1 + script.below(BURST_MAX));
        let mut payload: Vec<u8> = Vec::new();
        for _ in 0..count {
            let (head, fill) = ([script.u8(), script.u8()], script.u8());
            let mut packet = vec![fill; size];
            packet.iter_mut().zip(head).for_each(|(byte, head)| *byte = head);
            payload.extend(packet);
        }
        // The last one may be shorter.
        payload.truncate(payload.len() - script.below(size));
        let mut unread = None;
        for packet in payload.chunks(size) {
            let (takers, nobody) = self.takers(packet);
            for at in takers {
                self.due[at].push(Happened::Packet(packet.to_vec()));
            }
            let tells = matches!(Mode::of(packet[0]), Mode::Section | Mode::Trickles | Mode::Carrier);
            if nobody && tells && unread.is_none() && packet.len() > 1 {
                unread = Some(packet[0]);
            }
        }
        self.unread.extend(unread);
        let datagram =
            Datagram { remote: from(), local: None, ecn: Ecn::Ect0, segment_size: size, payload: &mut payload };
        self.port.handle_input(self.now, Input::Datagram(datagram));
    }

    fn lose(&mut self, script: &mut Script<'_>) {
        let header = script.take(2).to_vec();
        if let Some(first) = header.first() {
            let readers: Vec<usize> = (0..3).filter(|at| self.rules[*at].reads(*first)).collect();
            for at in &readers {
                if readers.len() == 1 || self.rules[*at].claim(&header) == Claim::Knows {
                    self.due[*at].push(Happened::Loss(header.clone()));
                }
            }
        }
        self.port.handle_input(self.now, Input::LinkLoss(LinkLoss { remote: from(), header }));
    }

    fn entropy(&mut self) {
        let at = self.asked.iter().position(|asked| *asked > 0).unwrap_or(0);
        self.asked[at] = self.asked[at].saturating_sub(1);
        self.due[at].push(Happened::Entropy);
        self.port.handle_input(self.now, Input::Entropy(&mut [9; 32]));
    }

    /// A tenant gets something to say.
    fn touch(&mut self, script: &mut Script<'_>) {
        let (at, says) = (script.below(3), script.take(3));
        let deadline = Some(Instant::from_millis(u64::from(script.u8()))).filter(|at| *at > Instant::from_millis(20));
        let (a, b, c) = self.port.tenants_mut();
        let toy = [a, b, c].into_iter().nth(at).expect("one of three");
        toy.says.extend(says);
        toy.deadline = deadline;
        self.says[at].extend(says);
        self.deadlines[at] = deadline;
    }

    /// Polls so often at most. What each says comes out in its order, and nothing else does but what the port says.
    fn poll(&mut self, most: usize) {
        let mut buf = [0; 64];
        for _ in 0..most {
            let output = self.port.poll_output(self.now, &mut buf);
            let (at, what) = match output {
                Output::Transmit(transmit) if transmit.len == 2 => {
                    let waits = self.unread.iter().position(|first| *first == buf[1]);
                    assert!(buf[0] == 0x06 && waits.is_some(), "{:?} was not to be said", &buf[..2]);
                    // Some before it may have been beyond the bounds.
                    self.unread.drain(..=waits.unwrap_or_default());
                    continue;
                }
                Output::Transmit(_) => {
                    let at = (0..3).find(|at| self.has_spoken(*at));
                    (at.expect("somebody has said it"), buf[0])
                }
                Output::Event(OneOf::First(what)) => (0, what),
                Output::Event(OneOf::Second(what)) => (1, what),
                Output::Event(OneOf::Third(what)) => (2, what),
                Output::NeedsEntropy => {
                    let at = (0..3).find(|at| self.has_spoken(*at)).expect("somebody has asked");
                    self.asked[at] += 1;
                    (at, self.says[at].front().copied().filter(|what| *what < 32).expect("it has to ask"))
                }
                Output::Timeout(at) => {
                    assert!(self.says.iter().all(VecDeque::is_empty), "{:?} is not said", self.says);
                    assert_eq!(at, self.deadlines.iter().flatten().min().copied());
                    self.unread.clear();
                    return;
                }
            };
            assert_eq!(self.says[at].pop_front(), Some(what), "of {at}");
        }
    }

    /// Whether a tenant has less to say than the model believes, so that it was its turn.
    fn has_spoken(&self, at: usize) -> bool {
        let (a, b, c) = self.port.tenants();
        [a, b, c][at].says.len() < self.says[at].len()
    }

    fn compare(&self) {
        for at in 0..3 {
            assert_eq!(*self.happened[at].borrow(), self.due[at], "to tenant {at}");
        }
    }
}

fn table(mut script: Script<'_>) {
    let mut table = Table::new(&mut script);
    while !script.is_over() {
        match script.below(8) {
            0..=2 => table.hand(&mut script),
            3 => table.lose(&mut script),
            4 => table.entropy(),
            5 => table.touch(&mut script),
            6 => {
                let most = script.below(6);
                table.poll(most);
            }
            _ => {
                let change = PathChange::LocalAddress { old: None, new: None };
                table.port.handle_input(table.now, Input::PathChange(change));
                table.now += std::time::Duration::from_millis(1);
                table.port.handle_timeout(table.now);
                table.due.iter_mut().for_each(|due| due.extend([Happened::Moved, Happened::Time]));
            }
        }
        table.compare();
    }
    table.poll(usize::MAX);
}

/// A host and a helper hear whatever the bytes are: no burst is answered with more than came.
fn real(mut script: Script<'_>) {
    let host = Host::new(HostConfig::new(Access::Public), Identity::from_seed([1; 32]), [2; 32]);
    let helper = Helper::new(HelperConfig::default(), &Secret32::from_bytes([3; 32]), 0, [4; 32]);
    match script.u8() & 1 {
        0 => answers(script, Port::new((host, helper))),
        _ => answers(script, Port::new((helper, host))),
    }
}

fn answers<P: Tenants>(mut script: Script<'_>, mut port: Port<P>) {
    let mut now = Instant::from_secs(1);
    let mut buf = vec![0; 4_096];
    while !script.is_over() {
        let (first, size, count) = (script.u8(), 1 + usize::from(script.u8()), 1 + script.below(4));
        let mut payload: Vec<u8> = Vec::new();
        for _ in 0..count {
            let mut packet = script.take(size).to_vec();
            packet.resize(size, first);
            packet[0] = first.wrapping_add(script.u8() & 1);
            payload.extend(packet);
        }
        let came = payload.len();
        let header = payload[..payload.len().min(64)].to_vec();
        let datagram =
            Datagram { remote: from(), local: None, ecn: Ecn::Ect0, segment_size: size, payload: &mut payload };
        port.handle_input(now, Input::Datagram(datagram));
        port.handle_input(now, Input::LinkLoss(LinkLoss { remote: from(), header }));
        let mut said = 0;
        loop {
            match port.poll_output(now, &mut buf) {
                Output::Transmit(transmit) => said += transmit.len,
                Output::NeedsEntropy => port.handle_input(now, Input::Entropy(&mut [9; 32])),
                Output::Event(_) => {}
                Output::Timeout(_) => break,
            }
        }
        assert!(said <= came, "{said} bytes for {came}");
        now += std::time::Duration::from_millis(5);
        port.handle_timeout(now);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    // Three tenants that read much the same, each of another mind.
    let rules = [0x40, 0xbf, 70, 130, 23, 200, 0x40, 0x9f, 70, 140, 30, 25, 0x80, 0xa0, 200, 70, 24, 80];
    let burst = |first: u8| -> Vec<u8> {
        let packets = (0..6_u8).flat_map(|at| [first, at, 7]);
        [0, 50, 5].into_iter().chain(packets).chain([3]).collect()
    };
    let lives: [&[u8]; 6] = [&[5, 0, 1, 40, 200, 90], &[6, 2], &[4], &[3, 0x80, 1], &[5, 2, 5, 6, 210, 30, 7], &[6, 5]];
    let table = |bursts: [u8; 3]| {
        let parts =
            bursts.into_iter().map(burst).zip(lives.chunks(2)).flat_map(|(burst, lives)| [burst, lives.concat()]);
        [&[1][..], &rules, &parts.collect::<Vec<_>>().concat()].concat()
    };
    let heard = |order: u8| {
        let packets = [0x07, 0x01, 0x40, 0x80, 0xa0, 0x0a].map(|first| [&[first, 60, 2][..], &[0; 30]].concat());
        [&[0, order][..], &packets.concat()].concat()
    };
    vec![table([0x40, 0x80, 0xa0]), table([0x81, 0xc0, 0x20]), heard(0), heard(1)]
}
