//! Helped paths: the messages that set sections up, and a helper among clients and neighbours who do what the bytes
//! say.

use std::net::SocketAddr;
use std::ops::Range;
use std::time::Duration;

use tng_base::{
    ChannelId, ChannelKey, Datagram, Ecn, Fate, Filled, Input, Instant, Machine, Output, PeerText, Protocol, Rng,
    Taken, Violation,
};
use tng_channel::wire::{Control, Mark, Renewal};
use tng_channel::{Channel, Config, Poll};
use tng_crypto::{Secret32, SecretRng};
use tng_flow::wire::{
    ANSWERED, Answered, DECLINED, Declined, Greeting, Instructions, JOIN, JOINED, Join, Joined, Order, Refusal, TUNNEL,
    VERSION,
};
use tng_flow::{
    Capability, Carries, End, HopKey, HopKeys, Itinerary, Stop, Wishes, join, joined, open_join, open_joined,
};
use tng_middlebox::{ClientTag, FlowId, Helper, HelperConfig, Neighbourhood, Network, Offers, Onward, RelayId, Terms};
use tng_wire::battery::emit;
use tng_wire::{Reader, Repr};

use crate::bytes::Script;
use crate::parsers::{parser, survives};
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[
    parser("helped_set_up", 400, (set_up, set_up_seeds)),
    Target {
        name: "helper_alone",
        kind: Kind::Stateful,
        len_max: 600,
        memory: (8 << 20, 64 << 10),
        run: alone,
        seeds: alone_seeds,
    },
];

const ID: ChannelId = ChannelId::from_u64(77);

fn set_up(bytes: &[u8]) {
    survives!(Join<'_>, bytes);
    survives!(Joined<'_>, bytes);
    survives!(Greeting, bytes);
    survives!(Answered<'_>, bytes);
    survives!(Declined, bytes);
    survives!(Order<'_>, bytes);
    survives!(Instructions<'_>, bytes);
    survives!(Wishes<&str>, bytes);
    if let Some(renewal) = Renewal::new(0, &bytes[..bytes.len().min(93)]) {
        let _judged = tng_flow::read_renewal(&renewal);
    }
}

fn set_up_seeds() -> Vec<Vec<u8>> {
    let (nonce, sealed) = ([3; 12], &[4; 42][..]);
    let next = "192.0.2.1:4860".parse().expect("an address");
    let (near, far) = (HopKey::from_bytes([1; 16]), HopKey::from_bytes([2; 16]));
    let wishes = Wishes { controller: Some("vegas"), queue_time: Some(Duration::from_millis(20)) };
    vec![
        emit(&Join { version: VERSION, sender: ID, nonce, greeting: sealed, onward: &[1, 2, 3] }),
        emit(&Joined { receiver: ID, nonce, greeting: sealed, reply: &[2; 20] }),
        emit(&Greeting { id: ID, reset_token: [9; 16], payload_max: 1_181, repair_ms: 40 }),
        emit(&Answered { receiver: ID, answer: &[3; 39] }),
        emit(&Declined { receiver: ID, refusal: Refusal::Loop }),
        emit(&Order { capability: &[5; 42], nonce, instructions: &[6; 90] }),
        emit(&Instructions { near: near.clone(), far: far.clone(), next, wishes: Wishes::default(), onward: &[1; 20] }),
        emit(&Instructions { near, far, next, wishes, onward: &[1; 20] }),
    ]
}

/// A neighbour of the helper that has the keys: its channel says what the bytes say.
struct Neighbour {
    channel: Channel,
    says: Says,
}

/// What stands above a neighbour's channel.
#[derive(Default)]
struct Says {
    next: Option<Vec<u8>>,
}

impl Protocol for Says {
    fn handle_packet(&mut self, _: Instant, _: ChannelKey, _: u64, _: Ecn, _: &mut [u8]) -> Result<Taken, Violation> {
        Ok(Taken::All)
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, _: Instant, _: ChannelKey, _: u64, buf: &mut [u8]) -> Option<Filled> {
        let next = self.next.take()?;
        let len = next.len().min(buf.len());
        buf[..len].copy_from_slice(&next[..len]);
        Some(Filled { len })
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        self.next.is_some()
    }

    fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, _: Fate) {}
}

/// A client's wish, and how far it got.
struct Wish {
    from: SocketAddr,
    itinerary: Itinerary,
    keys: HopKeys,
    id: ChannelId,
    tunnel: bool,
}

/// A helper, and all that it ever said.
struct World {
    now: Instant,
    helper: Helper,
    rng: Rng,
    wishes: Vec<Wish>,
    neighbours: Vec<Neighbour>,
    heard: Vec<(SocketAddr, Vec<u8>)>,
    buf: Vec<u8>,
}

fn place(which: u8) -> SocketAddr {
    SocketAddr::new([10, 0, 0, which % 8].into(), 4860)
}

const BUFFER: usize = 1 << 16;

/// What waits in all queues at most.
const HELD_MAX: u64 = 20_000;

impl World {
    fn new(script: &mut Script<'_>) -> World {
        let network = Network { address: place(0).ip(), bits: 8 };
        let repair = (script.u8() & 1 == 0).then_some(Duration::from_millis(500));
        let controllers = vec!["vegas".parse().expect("a controller")];
        let offers = Offers { controllers, queue_time_max: Some(Duration::from_millis(8)) };
        let elsewhere = Neighbourhood { repair, offers, ..Neighbourhood::default() };
        let onward = Onward::Listed(vec![network]);
        let config =
            HelperConfig { onward, elsewhere, relays_max: 6, held_bytes_max: HELD_MAX, ..HelperConfig::default() };
        let helper = Helper::new(config, &Secret32::from_bytes([3; 32]), 1_700_000_000_000, [4; 32]);
        World {
            now: Instant::ZERO,
            helper,
            rng: Rng::from_u64(5),
            wishes: Vec::new(),
            neighbours: Vec::new(),
            heard: Vec::new(),
            buf: vec![0; BUFFER],
        }
    }

    fn hand(&mut self, remote: SocketAddr, mut bytes: Vec<u8>) {
        let Some(segment_size) = Some(bytes.len()).filter(|len| *len > 0) else { return };
        let datagram = Datagram { remote, local: None, ecn: Ecn::Ect0, segment_size, payload: &mut bytes };
        self.helper.handle_input(self.now, Input::Datagram(datagram));
        let stats = self.helper.stats();
        assert!(stats.queued_bytes <= HELD_MAX && stats.relays <= 6, "{stats:?}");
    }

    fn drain(&mut self) {
        let mut buf = core::mem::take(&mut self.buf);
        for outputs in 0.. {
            assert!(outputs < 20_000, "the helper never comes to rest");
            match self.helper.poll_output(self.now, &mut buf) {
                Output::NeedsEntropy => self.helper.handle_input(self.now, Input::Entropy(&mut [9; 32])),
                Output::Timeout(_) => break,
                Output::Event(_) => {}
                Output::Transmit(sent) => {
                    for bytes in buf[..sent.len].chunks(sent.segment_size) {
                        self.hear(sent.remote, bytes);
                    }
                }
            }
        }
        self.buf = buf;
    }

    fn hear(&mut self, remote: SocketAddr, bytes: &[u8]) {
        for neighbour in &mut self.neighbours {
            let mut copy = bytes.to_vec();
            let _taken = neighbour.channel.handle_packet(self.now, Ecn::NotEct, &mut copy, None, &mut neighbour.says);
            while neighbour.channel.poll_event().is_some() {}
        }
        if self.heard.len() >= 32 {
            self.heard.remove(0);
        }
        self.heard.push((remote, bytes.to_vec()));
    }

    fn capability(&mut self, script: &mut Script<'_>) -> Capability {
        let client = ClientTag(u64::from(script.u8() % 3));
        let life = Duration::from_secs(u64::from(script.u8()) * 4);
        self.helper.office().issue(
            self.now,
            client,
            Terms { life, flows_max: 3, tunnels: true },
            self.rng.bytes::<32>(),
        )
    }

    /// Somebody with a capability asks for a section.
    fn wish(&mut self, script: &mut Script<'_>) {
        let capability = self.capability(script);
        let (from, next, asked) = (place(script.u8()), place(script.u8()), script.u8());
        let (tunnel, name) = (asked & 3 == 0, ["vegas", "newreno", "no-such"].get(usize::from(asked >> 2 & 3)));
        let queue_time = Some(Duration::from_millis(u64::from(asked >> 4))).filter(|time| !time.is_zero());
        let wishes = Wishes { controller: name.map(|name| (*name).to_owned()), queue_time };
        let stop = Stop { wishes, ..Stop::new(SocketAddr::new([10, 9, 9, 9].into(), 4860), capability) };
        let Ok(itinerary) = Itinerary::new(vec![stop], next) else { return };
        let keys = itinerary.draw_keys(&mut SecretRng::new(self.rng.bytes::<32>()));
        let wish = Wish { from, itinerary, keys, id: ChannelId::from_u64(self.rng.u64()), tunnel };
        self.wishes.push(wish);
        self.ask(self.wishes.len() - 1, script);
    }

    fn ask(&mut self, at: usize, script: &mut Script<'_>) {
        let Some(Wish { from, itinerary, keys, id, tunnel }) = self.wishes.get(at) else { return };
        let onward = if *tunnel { vec![TUNNEL] } else { script.piece().to_vec() };
        let orders = itinerary.orders(keys, &onward[..onward.len().min(1_000)]);
        let payload_max = 1_000 + u16::from(script.u8());
        let greeting = Greeting { id: *id, reset_token: [script.u8(); 16], payload_max, repair_ms: 7 };
        let mut message = join(keys.near(), &greeting, &orders);
        spoil(script, &mut message);
        let from = *from;
        self.hand(from, message);
    }

    /// The party that was asked, or answered, goes on with it, if it finds the message among those heard.
    fn follow(&mut self, script: &mut Script<'_>) {
        let pick = script.below(self.heard.len());
        let Some((to, bytes)) = self.heard.get(pick).cloned() else { return };
        let mut reader = Reader::new(&bytes);
        let found = match bytes.first() {
            Some(&JOIN) => Join::parse(&mut reader).ok().and_then(|message| {
                let key = self.wishes.iter().map(|wish| wish.keys.far()).find_map(|key| {
                    let greeting = open_join(key, &message).ok()?;
                    Some((key.clone(), greeting))
                })?;
                Some((key, End::Far, Carries::Sealed))
            }),
            Some(&JOINED) => Joined::parse(&mut reader).ok().and_then(|message| {
                let (key, tunnel) = self.wishes.iter().find_map(|Wish { keys, tunnel, .. }| {
                    let greeting = open_joined(keys.near(), &message).ok()?;
                    Some(((keys.near().clone(), greeting), *tunnel))
                })?;
                Some((key, End::Near, if tunnel { Carries::Plain } else { Carries::Sealed }))
            }),
            _ => None,
        };
        let Some(((key, greeting), end, carries)) = found else { return };
        let own = ChannelId::from_u64(self.rng.u64());
        if end == End::Far {
            let payload_max = 1_000 + u16::from(script.u8());
            let mine = Greeting { id: own, reset_token: [script.u8(); 16], payload_max, repair_ms: 0 };
            let mut message = joined(&key, greeting.id, &mine, script.piece());
            spoil(script, &mut message);
            self.hand(to, message);
        }
        let mut config = Config::new(ChannelKey(self.neighbours.len() as u64), greeting.id, self.rng.fork());
        config.mark = Mark::Section;
        let channel = Channel::new(config, Box::new(key.armor(end, carries)), self.now);
        if self.neighbours.len() < 8 {
            self.neighbours.push(Neighbour { channel, says: Says::default() });
        }
    }

    /// A neighbour with keys says something.
    fn say(&mut self, script: &mut Script<'_>) {
        let (pick, from) = (script.below(self.neighbours.len()), place(script.u8()));
        let renewal = Renewal::new(script.u8() & 1, script.take(40)).expect("short");
        let Some(Neighbour { channel, says }) = self.neighbours.get_mut(pick) else { return };
        let control = match script.below(8) {
            0 => Some(Control::PayloadMax { sequence: script.number(), bytes: script.u16() }),
            1 => Some(Control::Renew(renewal)),
            2 => Some(Control::Close { code: script.number(), reason: PeerText::new("enough") }),
            3 => Some(Control::RetireId { sequence: script.number() }),
            _ => None,
        };
        if let Some(control) = control {
            let _sent = channel.send_control(control);
        }
        let count = 1 + script.below(24);
        let payload = script.piece().to_vec();
        let (now, mut out) = (self.now, Vec::new());
        channel.set_grant(1 << 20);
        for _ in 0..count {
            says.next = Some(payload.clone()).filter(|payload| !payload.is_empty());
            let mut buf = vec![0; 1_200];
            if let Poll::Packet(sealed) = channel.poll_packet(now, None, &mut buf, says) {
                buf.truncate(sealed.len);
                out.push(buf);
            }
        }
        for mut packet in out {
            spoil(script, &mut packet);
            self.hand(from, packet);
        }
    }
}

/// Changes a message where the bytes say so, mostly not.
fn spoil(script: &mut Script<'_>, message: &mut [u8]) {
    let what = script.u8();
    if what >= 0xe0 && !message.is_empty() {
        let at = usize::from(script.u16()) % message.len();
        message[at] ^= what | 1;
    }
}

fn alone(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut world = World::new(&mut script);
    let mut tunnels: Vec<RelayId> = Vec::new();
    while !script.is_over() {
        match script.below(12) {
            0 => {
                let (from, mut message) = (place(script.u8()), script.piece().to_vec());
                if let Some(first) = message.first_mut() {
                    *first = [JOIN, JOINED, ANSWERED, DECLINED, 0x80, *first][usize::from(*first) % 6];
                }
                world.hand(from, message);
            }
            1..=2 => world.wish(&mut script),
            3 => {
                let at = script.below(world.wishes.len());
                world.ask(at, &mut script);
            }
            4..=5 => world.follow(&mut script),
            6..=7 => world.say(&mut script),
            8 => {
                let pick = script.below(world.heard.len());
                if let Some((remote, mut datagram)) = world.heard.get(pick).cloned() {
                    spoil(&mut script, &mut datagram);
                    world.hand(remote, datagram);
                }
            }
            9 => {
                world.now += Duration::from_micros(script.number() & 0x3fff_ffff);
                let now = world.now;
                world.helper.handle_timeout(now);
                for Neighbour { channel, says } in &mut world.neighbours {
                    channel.handle_timeout(now, None, says);
                }
            }
            10 => {
                let capability = world.capability(&mut script);
                let stop = Stop::new(place(script.u8()), capability);
                tunnels.extend(world.helper.open_tunnel(world.now, stop, place(script.u8())).ok());
            }
            _ => {
                let pick = script.below(tunnels.len());
                if let Some(&tunnel) = tunnels.get(pick) {
                    let flow = FlowId(script.u8().into());
                    let _taken = world.helper.offer(world.now, tunnel, flow, script.piece());
                    while world.helper.poll_brought(tunnel).is_some() {}
                }
            }
        }
        world.drain();
    }
    settle(world, &tunnels);
}

/// Nobody says anything any more: everything is over in time.
fn settle(mut world: World, tunnels: &[RelayId]) {
    for tunnel in tunnels {
        world.helper.close_tunnel(world.now, *tunnel);
    }
    world.drain();
    let end = world.now + Duration::from_secs(3_600);
    for _ in 0..20_000 {
        let next = loop {
            match world.helper.poll_output(world.now, &mut world.buf) {
                Output::NeedsEntropy => world.helper.handle_input(world.now, Input::Entropy(&mut [9; 32])),
                Output::Timeout(next) => break next,
                Output::Event(_) | Output::Transmit(_) => {}
            }
        };
        let Some(next) = next.filter(|next| *next <= end) else { break };
        world.now = world.now.max(next);
        let now = world.now;
        world.helper.handle_timeout(now);
    }
    assert!(world.helper.is_empty(), "something is left: {:?}", world.helper.stats());
}

fn alone_seeds() -> Vec<Vec<u8>> {
    let wish = [1, 1, 200, 1, 2, 1, 0, 4, 9, 9, 9, 9, 181, 0, 0];
    let follow = [4, 0, 181, 1, 0, 2, 7, 7, 0, 4, 1, 1, 1, 0, 0, 0];
    let say = [6, 0, 1, 0, 0, 7, 5, 0, 3, 8, 8, 8, 0, 0, 0, 0, 0, 0];
    let tunnel = [1, 1, 200, 1, 2, 0, 181, 0, 0, 10, 2, 100, 3, 4, 11, 0, 9, 0, 3, 1, 2, 3];
    let time = [9, 0x85, 1, 2, 3, 4];
    vec![
        [&[0][..], &wish, &follow, &say, &time, &say, &follow, &time].concat(),
        [&[1][..], &tunnel, &time, &wish, &follow, &[8, 0, 0, 3, 0], &say, &time].concat(),
    ]
}
