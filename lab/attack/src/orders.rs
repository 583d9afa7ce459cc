//! A hostile client of a relay (wire.md, section 2.8): orders that no relay may follow, between some that it may; and
//! JOINs without number, of who has overheard one.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{ChannelId, ChannelKey, Instant, Rng};
use tng_channel::wire::{Control, Mark as SectionMark};
use tng_channel::{Channel, Config, Poll};
use tng_crypto::{Secret32, SecretRng};
use tng_flow::wire::{DECLINED, Declined, Greeting, JOIN, JOIN_HEADER_LEN, JOINED, Join, Joined, Refusal, TUNNEL};
use tng_flow::{
    Capability, CapabilityKey, Carries, End, HOP_KEY_LEN, HopKeys, Itinerary, Stop, join, joined, open_join,
    open_joined,
};
use tng_middlebox::{ClientTag, Network, Office, SHOWN_LEN};
use tng_wire::{Reader, Repr};

use crate::attacker::PATIENCE;
use crate::helper::{Grip, Pit};
use crate::{Mark, PLACES_MAX, Tally};

/// How often an order is given that is not answered.
pub const ORDER_SENDS_MAX: u8 = 5;
/// The pause between two orders: a relay declines no more in a second than answers fit into its budget.
pub const ORDER_PAUSE: Duration = Duration::from_millis(5);
/// From which of its addresses a client of a relay asks, and at which it is asked to join.
const CLIENT: usize = 0;
const NEIGHBOUR: usize = 1;
/// Bytes of what an order hands on, in the place of an INIT.
const HANDED_ON_LEN: usize = 400;
/// A port that services of hosts are not at.
const PORT: u16 = 4_860;
/// Where nobody is asked (RFC 5737): the first address of a path stands in no message.
const NOWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 255)), PORT);

/// What a client has of a relay, its target.
#[derive(Clone, Debug)]
pub struct RelayClient {
    /// What the target gave out, and is good for a while.
    pub capability: Capability,
    /// For how many flows at once.
    pub flows_max: u16,
    /// What the target gave out, and is over.
    pub ended: Capability,
    /// What another helper gave out.
    pub foreign: Capability,
    /// The networks that the target passes flows on to; none: the public Internet.
    pub listed: Vec<Network>,
}

impl RelayClient {
    /// A capability of a helper that nobody has met, whose secret this is, good for an hour from a time of day in ms
    /// since 1970.
    pub fn of_another_helper(secret: &Secret32, now_ms: u64) -> Capability {
        let terms = (Duration::from_secs(3_600), 64);
        Office::new(secret, now_ms).issue(Instant::ZERO, ClientTag(1), terms, [1; 32])
    }

    /// Whether the target passes flows on to hosts at this address, however it is written.
    pub fn is_listed(&self, ip: IpAddr) -> bool {
        self.listed.iter().any(|network| network.contains(ip.to_canonical()))
    }
}

/// What came of orders of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OrderTally {
    /// Orders that were given, copies not counted.
    pub given: u64,
    /// Those that were declined for the reason that is due.
    pub declined: u64,
    /// Those that were declined for another.
    pub misnamed: u64,
    /// Those that were followed.
    pub followed: u64,
    /// Those that nobody answered, however often they were given.
    pub unanswered: u64,
}

impl OrderTally {
    pub(crate) fn add(&mut self, other: &OrderTally) {
        self.given += other.given;
        self.declined += other.declined;
        self.misnamed += other.misnamed;
        self.followed += other.followed;
        self.unanswered += other.unanswered;
    }
}

/// The name of the orders that may be followed.
pub(crate) const GOOD: &str = "as it should be";
/// The name of those for which the capability is used up.
const BEYOND: &str = "beyond its flows";

/// A kind of order.
#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    /// Why it may be declined; none: the target should follow it.
    due: &'static [Refusal],
    what: What,
}

/// What is wrong with an order.
#[derive(Clone, Copy, Debug)]
enum What {
    /// Nothing, or where it leads to.
    To(SocketAddr),
    /// A tunnel is to end at the target, which its capability does not allow.
    Tunnel,
    /// Behind the target comes the target.
    Circle,
    /// The words of a capability, and a key that somebody has guessed.
    Guessed,
    /// The order of somebody else under a greeting of one's own.
    Spliced,
    /// The words of a capability with a bit changed, and its key.
    Changed,
    /// A capability of another helper.
    Foreign,
    /// A capability that is over.
    Ended,
    /// One more than the capability is good for, while the others are in use.
    More,
}

/// Where nothing is passed on to.
const AWAY: &[Refusal] = &[Refusal::Forbidden, Refusal::Loop];

const fn v4(a: u8, b: u8, c: u8, d: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(a, b, c, d))
}

const fn v6(text: [u16; 8]) -> IpAddr {
    let [a, b, c, d, e, f, g, h] = text;
    IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h))
}

/// Addresses that a relay has no business with unless it is told to: none of them is a host of somebody.
const ADDRESSES: &[(&str, IpAddr)] = &[
    ("loopback", v4(127, 0, 0, 1)),
    ("loopback", v6([0, 0, 0, 0, 0, 0, 0, 1])),
    ("private", v4(10, 0, 0, 1)),
    ("private", v4(172, 16, 0, 1)),
    ("private", v4(192, 168, 0, 1)),
    ("private", v6([0xfd00, 0, 0, 0, 0, 0, 0, 1])),
    ("link-local", v4(169, 254, 169, 254)),
    ("link-local", v6([0xfe80, 0, 0, 0, 0, 0, 0, 1])),
    ("shared", v4(100, 64, 0, 1)),
    ("multicast", v4(224, 0, 0, 1)),
    ("multicast", v4(239, 255, 255, 250)),
    ("multicast", v6([0xff02, 0, 0, 0, 0, 0, 0, 1])),
    ("broadcast", v4(255, 255, 255, 255)),
    ("unspecified", v4(0, 0, 0, 0)),
    ("unspecified", v6([0; 8])),
    ("reserved", v4(240, 0, 0, 1)),
    ("unlisted", v4(203, 0, 113, 9)),
    ("unlisted", v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1])),
    // IPv4 addresses within IPv6 ones: mapped, of 6to4, of Teredo, of NAT64.
    ("embedded", v6([0, 0, 0, 0, 0, 0xffff, 0x7f00, 1])),
    ("embedded", v6([0, 0, 0, 0, 0, 0xffff, 0x0a00, 1])),
    ("embedded", v6([0x2002, 0x7f00, 1, 0, 0, 0, 0, 1])),
    ("embedded", v6([0x2001, 0, 0x7f00, 1, 0, 0, 0, 1])),
    ("embedded", v6([0x64, 0xff9b, 0, 0, 0, 0, 0x7f00, 1])),
];

/// Whether orders that are tallied under this name lead to an address that a relay passes flows on to if its operator
/// lists a network with it.
pub fn may_be_listed(order: &str) -> bool {
    ADDRESSES.iter().any(|(name, _)| *name == order)
}

/// A client of a relay.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// Where it stands, and where who is asked to join does: other places are more of the same.
    places: Vec<SocketAddr>,
    cases: Vec<Case>,
    step: usize,
    given: Option<Given>,
    next_at: Option<Instant>,
    /// Flows that are set up, by their keys.
    flows: Vec<HopKeys>,
    /// An order as it should be was not followed.
    is_kept_out: bool,
    /// The capability is used up, by these flows or those of an earlier attack.
    is_used_up: bool,
    /// Answers, and from where they leave.
    ready: VecDeque<(usize, Vec<u8>)>,
    /// What somebody else has sent to the target.
    overheard: Vec<u8>,
}

/// An order that is not answered yet.
#[derive(Debug)]
struct Given {
    case: Case,
    id: ChannelId,
    keys: HopKeys,
    message: Vec<u8>,
    sends: u8,
    until: Instant,
}

impl Orders {
    pub(crate) fn stand_at(&mut self, places: Vec<SocketAddr>) {
        self.places = places;
    }

    /// Where who is asked to join stands, if the target may ask there.
    fn neighbour(&self, client: &RelayClient) -> Option<SocketAddr> {
        self.places.get(NEIGHBOUR).copied().filter(|place| client.is_listed(place.ip()))
    }

    /// All that the attack tries on this target.
    fn cases(&self, attack: &str, mark: &Mark, client: &RelayClient) -> Vec<Case> {
        let away = |name, to| Case { name, due: AWAY, what: What::To(to) };
        if attack == "capability-theft" {
            let theft = |name, due, what| Case { name, due, what };
            let more = theft(BEYOND, &[Refusal::TooMany], What::More);
            let mut cases = vec![
                theft("with a guessed key", &[Refusal::Malformed], What::Guessed),
                theft("another's order", &[Refusal::Malformed], What::Spliced),
                theft("changed", &[Refusal::UnknownCapability], What::Changed),
                theft("of another helper", &[Refusal::UnknownCapability], What::Foreign),
                theft("over", &[Refusal::Expired], What::Ended),
            ];
            cases.extend(self.neighbour(client).map(|_| more));
            return cases;
        }
        let unlisted = ADDRESSES.iter().filter(|(_, ip)| !client.is_listed(*ip));
        let mut cases: Vec<Case> = unlisted.map(|(name, ip)| away(name, SocketAddr::new(*ip, PORT))).collect();
        let mapped = |address: SocketAddr| match address.ip() {
            IpAddr::V4(v4) => Some(SocketAddr::new(v4.to_ipv6_mapped().into(), address.port())),
            IpAddr::V6(_) => None,
        };
        for address in [Some(mark.address), mapped(mark.address)].into_iter().flatten() {
            cases.push(away("the relay itself", address));
        }
        for address in self.places.first().into_iter().flat_map(|place| [Some(*place), mapped(*place)]).flatten() {
            cases.push(away("back", address));
        }
        if let Some(place) = self.places.get(NEIGHBOUR) {
            cases.push(away("a low port", SocketAddr::new(place.ip(), 53)));
            if !client.is_listed(place.ip()) {
                cases.push(away("unlisted", *place));
            }
        }
        cases.push(Case { name: "a circle", due: AWAY, what: What::Circle });
        // Where the capability is used up, that is seen before.
        let due = &[Refusal::Forbidden, Refusal::TooMany];
        cases.push(Case { name: "a tunnel", due, what: What::Tunnel });
        cases
    }

    /// What comes next, and from which place: `None` while an answer is waited for.
    pub(crate) fn datagram(
        &mut self,
        attack: &str,
        now: Instant,
        mark: &Mark,
        (rng, keys): (&mut Rng, &mut SecretRng),
        tally: &mut Tally,
    ) -> Option<(usize, Vec<u8>)> {
        let client = mark.relay.as_ref()?;
        if let Some(answer) = self.ready.pop_front() {
            return Some(answer);
        }
        if let Some(given) = &mut self.given {
            if now < given.until {
                return None;
            }
            if given.sends < ORDER_SENDS_MAX {
                given.sends += 1;
                given.until = now + PATIENCE;
                return Some((CLIENT, given.message.clone()));
            }
            self.is_kept_out |= given.case.due.is_empty();
            tally.orders.entry(given.case.name).or_default().unanswered += 1;
            self.given = None;
        }
        if self.next_at.is_some_and(|at| now < at) {
            return None;
        }
        self.next_at = Some(now + ORDER_PAUSE);
        if self.cases.is_empty() {
            self.cases = self.cases(attack, mark, client);
        }
        let flows = if attack == "capability-theft" { usize::from(client.flows_max) } else { 1 };
        let good = self.neighbour(client).filter(|_| self.flows.len() < flows && !self.is_kept_out && !self.is_used_up);
        let case = match good {
            Some(neighbour) => Case { name: GOOD, due: &[], what: What::To(neighbour) },
            None => self.next_case()?,
        };
        let (id, keys, message) = self.order(case.what, mark, client, (rng, keys))?;
        tally.orders.entry(case.name).or_default().given += 1;
        self.given = Some(Given { case, id, keys, message: message.clone(), sends: 1, until: now + PATIENCE });
        Some((CLIENT, message))
    }

    fn next_case(&mut self) -> Option<Case> {
        for _ in 0..self.cases.len() {
            self.step += 1;
            let case = self.cases[self.step % self.cases.len()];
            if !(matches!(case.what, What::More) && self.is_kept_out) {
                return Some(case);
            }
        }
        None
    }

    /// An order, and the keys of the flow that would come of it.
    fn order(
        &self,
        what: What,
        mark: &Mark,
        client: &RelayClient,
        (rng, keys): (&mut Rng, &mut SecretRng),
    ) -> Option<(ChannelId, HopKeys, Vec<u8>)> {
        let elsewhere = SocketAddr::new(v4(203, 0, 113, 9), PORT);
        let neighbour = self.neighbour(client).unwrap_or(elsewhere);
        let good = || client.capability.clone();
        let guessed = |rng: &mut Rng| CapabilityKey::from_bytes(rng.bytes::<HOP_KEY_LEN>());
        let capability = match what {
            What::Guessed => Capability { key: guessed(rng), ..good() },
            What::Changed => Capability { shown: with_a_flipped_bit(&good().shown, rng), ..good() },
            What::Foreign => client.foreign.clone(),
            What::Ended => client.ended.clone(),
            What::To(_) | What::Tunnel | What::Circle | What::Spliced | What::More => good(),
        };
        let mut stops = vec![Stop::new(NOWHERE, capability)];
        if matches!(what, What::Circle) {
            stops.push(Stop::new(mark.address, good()));
        }
        let next = if let What::To(next) = what { next } else { neighbour };
        let handed_on = if matches!(what, What::Tunnel) { vec![TUNNEL] } else { handed_on(rng) };
        let itinerary = Itinerary::new(stops, next).ok()?;
        let keys_of_hops = itinerary.draw_keys(keys);
        let orders = itinerary.orders(&keys_of_hops, &handed_on);
        let (greeting, mut hops) = (greeting(rng), keys_of_hops);
        if matches!(what, What::Spliced) {
            // Of the flow in the order the thief has no key.
            hops = itinerary.draw_keys(keys);
        }
        let message = join(hops.near(), &greeting, &orders);
        Some((greeting.id, hops, message))
    }

    pub(crate) fn handle(&mut self, now: Instant, datagram: &mut [u8], rng: &mut Rng, tally: &mut Tally) {
        match datagram.first() {
            Some(&JOIN) => self.handle_join(datagram, rng, tally),
            Some(&JOINED) => self.handle_joined(now, datagram, rng, tally),
            Some(&DECLINED) => {
                let Ok(declined) = Declined::parse(&mut Reader::new(datagram)) else { return };
                let Some(given) = self.given.take_if(|given| given.id == declined.receiver) else { return };
                let orders = tally.orders.entry(given.case.name).or_default();
                if given.case.due.is_empty() && declined.refusal == Refusal::TooMany {
                    orders.given -= 1;
                    self.is_used_up = true;
                    let beyond = tally.orders.entry(BEYOND).or_default();
                    (beyond.given, beyond.declined) = (beyond.given + 1, beyond.declined + 1);
                    return;
                }
                match given.case.due.contains(&declined.refusal) {
                    true => orders.declined += 1,
                    false => orders.misnamed += 1,
                }
                self.is_kept_out |= given.case.due.is_empty();
            }
            _ => {}
        }
    }

    /// The target asks us to join somebody's flow: ours, or else one that it may not have begun.
    fn handle_join(&mut self, datagram: &[u8], rng: &mut Rng, tally: &mut Tally) {
        let Ok(message) = Join::parse(&mut Reader::new(datagram)) else { return };
        let answer = |keys: &HopKeys, rng: &mut Rng| {
            let theirs = open_join(keys.far(), &message).ok()?;
            Some(joined(keys.far(), theirs.id, &greeting(rng), &[0x02; 300]))
        };
        if let Some(given) = &self.given
            && let Some(answer) = answer(&given.keys, rng)
        {
            if given.case.due.is_empty() {
                self.ready.push_back((NEIGHBOUR, answer));
            } else {
                tally.orders.entry(given.case.name).or_default().followed += 1;
                self.given = None;
            }
        } else if !self.flows.iter().any(|keys| open_join(keys.far(), &message).is_ok()) {
            // Of an order that has been given up, or of none.
            tally.orders.entry("late").or_default().followed += 1;
        }
    }

    fn handle_joined(&mut self, now: Instant, datagram: &[u8], rng: &mut Rng, tally: &mut Tally) {
        let Ok(message) = Joined::parse(&mut Reader::new(datagram)) else { return };
        let Some(given) = self.given.take_if(|given| given.id == message.receiver) else { return };
        let orders = tally.orders.entry(given.case.name).or_default();
        orders.followed += 1;
        if !given.case.due.is_empty() {
            return;
        }
        tally.answered += 1;
        let Ok(theirs) = open_joined(given.keys.near(), &message) else { return };
        // What nobody is heard on is given away.
        self.ready.extend(first_packet(now, theirs.id, &given.keys, rng).map(|packet| (CLIENT, packet)));
        self.flows.push(given.keys);
    }

    /// A JOIN of somebody else each time, from any of many places: most of them of nobody's making.
    pub(crate) fn flood(&mut self, mark: &Mark, rng: &mut Rng, keys: &mut SecretRng) -> (usize, Vec<u8>) {
        let place = rng.below(PLACES_MAX as u64) as usize;
        if self.overheard.is_empty() {
            let neighbour = self.places.get(NEIGHBOUR).copied().unwrap_or(NOWHERE);
            let capability = mark.relay.as_ref().map_or_else(|| forged(SHOWN_LEN, rng), |it| it.capability.clone());
            self.overheard = flooded(capability, neighbour, rng, keys);
        }
        let mut message = self.overheard.clone();
        match rng.below(8) {
            0 | 1 => {}
            2 => message = with_a_flipped_bit(&message, rng),
            3 => message.truncate(rng.below(message.len() as u64) as usize),
            4 => message = flooded(forged(0, rng), NOWHERE, rng, keys),
            // Behind the greeting stands no order.
            5 => message[JOIN_HEADER_LEN] ^= 0x80,
            6 => message[1..3].copy_from_slice(&(rng.u64() as u16 | 0x100).to_be_bytes()),
            _ => message = flooded(forged(SHOWN_LEN, rng), NOWHERE, rng, keys),
        }
        (place, message)
    }
}

fn handed_on(rng: &mut Rng) -> Vec<u8> {
    let mut out = rng.bytes::<HANDED_ON_LEN>().to_vec();
    out[0] = 0x01;
    out
}

fn greeting(rng: &mut Rng) -> Greeting {
    Greeting { id: ChannelId::from_u64(rng.u64()), reset_token: rng.bytes(), payload_max: u16::MAX, repair_ms: 0 }
}

fn with_a_flipped_bit(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let bit = rng.below(8 * out.len().max(1) as u64) as usize;
    if let Some(byte) = out.get_mut(bit / 8) {
        *byte ^= 1 << (bit % 8);
    }
    out
}

/// A capability that nobody has given out.
fn forged(len: usize, rng: &mut Rng) -> Capability {
    let mut shown = vec![0; len];
    rng.fill(&mut shown);
    Capability { shown, key: CapabilityKey::from_bytes(rng.bytes()) }
}

/// A JOIN as a client that has this capability would write it.
fn flooded(capability: Capability, next: SocketAddr, rng: &mut Rng, keys: &mut SecretRng) -> Vec<u8> {
    let stop = SocketAddr::new(NOWHERE.ip(), 1);
    let Ok(itinerary) = Itinerary::new(vec![Stop::new(stop, capability)], next) else { return Vec::new() };
    let hops = itinerary.draw_keys(keys);
    join(hops.near(), &greeting(rng), &itinerary.orders(&hops, &handed_on(rng)))
}

/// The first packet of a client on its section with the target.
fn first_packet(now: Instant, remote: ChannelId, keys: &HopKeys, rng: &mut Rng) -> Option<Vec<u8>> {
    let mut config = Config::new(ChannelKey(1), remote, rng.fork());
    config.mark = SectionMark::Section;
    let armor = keys.near().armor(End::Near, Carries::Sealed);
    let mut channel = Channel::new(config, Box::new(armor), now);
    channel.set_grant(1 << 20);
    let _asked = channel.send_control(Control::Ping);
    let mut packet = vec![0; 1_200];
    let Poll::Packet(sealed) = channel.poll_packet(now, None, &mut packet, &mut Pit(Grip::Drops)) else { return None };
    packet.truncate(sealed.len);
    Some(packet)
}
