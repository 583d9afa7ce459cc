//! What there is to try.

use crate::orders::GOOD;
use crate::registrants;
use crate::{Introductions, OrderTally, PLACES_MAX, STORMS, Tally};

/// Who attacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Somebody who never shows to be where the datagrams come from. At most three bytes may come back for one.
    Stranger,
    /// A peer that the target lets in, and that then misbehaves.
    Peer,
    /// A server, towards those who dial it.
    Server,
    /// A client of a relay, which has given it a capability.
    Client,
    /// Somebody beside the path, towards those who dial over it, who sees the packets and cannot change them.
    Beside,
}

impl Kind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Stranger => "stranger",
            Kind::Peer => "peer",
            Kind::Server => "server",
            Kind::Client => "client",
            Kind::Beside => "beside",
        }
    }

    /// Whether it hits those who dial: it is shown against a client of the build that the attack is of, and not only
    /// against a target.
    pub const fn hits_dialers(self) -> bool {
        matches!(self, Kind::Server | Kind::Beside)
    }
}

/// What a target does for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetKind {
    /// It serves structured streams.
    Host,
    /// It serves those who keep everything themselves (docs/trickles.md).
    Stateless,
    /// It passes flows of others on (docs/relay.md).
    Relay,
    /// It tells where others are (docs/registry.md).
    Registry,
}

/// One attack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attack {
    /// Its name, as typed.
    pub name: &'static str,
    /// Who makes it.
    pub kind: Kind,
    /// What is done, in one line.
    pub about: &'static str,
    /// The number in `docs/attacks.md`.
    pub number: u8,
    /// The code (wire.md, section 5) with which the target must end the connection, if it must.
    pub closes_with: Option<u64>,
}

impl Attack {
    /// Sockets that it sends from, in turn.
    pub fn places(&self) -> usize {
        match (self.name, self.kind) {
            ("path-hop" | "join-flood", _) => PLACES_MAX,
            ("introduce-flood", _) => registrants::PLACES,
            // Where it asks from, and where it is asked.
            (_, Kind::Client) => 2,
            _ => 1,
        }
    }

    /// Whether it is made on a target that somebody names: else the tool starts all that it takes.
    pub fn wants_a_target(&self) -> bool {
        !matches!(self.name, "listing-bomb" | "reset-oracle" | "stp-swap" | "stp-downgrade")
    }

    /// Whether there is nothing to try unless the target hands out a file.
    pub fn wants_a_file(&self) -> bool {
        matches!(self.name, "hash-flood" | "unread-answers") || self.is_about_listings()
    }

    /// Whether it is about listings: whether it holds is seen by somebody who asks for one.
    pub fn is_about_listings(&self) -> bool {
        self.name == "storm-list"
    }

    /// Hosts that it takes at least: one alone has its share and no more.
    pub fn sources_min(&self) -> u16 {
        if self.is_about_listings() { LISTERS_MIN } else { 1 }
    }

    /// Hosts that it takes at most: what a capability is good for, one client uses up.
    pub fn sources_max(&self) -> u16 {
        if self.kind == Kind::Client { 1 } else { u16::MAX }
    }

    /// What is missing for the attack to have been made and answered as it must be; `None` if it has.
    pub fn missing(&self, tally: &Tally) -> Option<String> {
        match (self.kind, self.closes_with) {
            (Kind::Stranger, _) if tally.sent == 0 => Some("nothing was sent".to_owned()),
            (Kind::Stranger, _) if self.name == "cookie-storm" && !tally.kinds.contains_key("cookie") => {
                Some("the target never asked for a cookie: nothing was tried".to_owned())
            }
            (Kind::Peer, _) if tally.connections == 0 => Some("it was never let in: nothing was tried".to_owned()),
            (_, Some(code)) if !tally.closes.contains_key(&code) => {
                Some(format!("no connection was ended with code {code}"))
            }
            _ if self.is_stateless() && tally.answered == 0 && self.kind == Kind::Peer => {
                Some("no honest request between the others was answered: nothing was tried".to_owned())
            }
            (Kind::Stranger, _) if self.is_stateless() && tally.received == 0 => {
                Some("no first message was answered: nothing was tried".to_owned())
            }
            (Kind::Stranger, _) if self.is_on_relays() && !tally.kinds.contains_key("declined") => {
                Some("no JOIN was declined: nothing was tried".to_owned())
            }
            (Kind::Client, _) => missing_orders(tally),
            _ if self.is_on_registries() && tally.answered == 0 => {
                Some("no record was kept: nothing was tried".to_owned())
            }
            _ if self.name == "introduce-flood" && tally.introductions.told == 0 => {
                Some("nobody was introduced: nothing was tried".to_owned())
            }
            _ => None,
        }
    }

    /// Whether enough was done for it to be seen what comes of it, beside that nothing is [`missing`](Self::missing): a
    /// peer that was let in has hardly begun.
    pub fn is_under_way(&self, tally: &Tally) -> bool {
        let is_counted = self.kind == Kind::Peer && !self.is_stateless() && self.name != "credit-burst";
        !is_counted || tally.packets >= PACKETS_MIN
    }

    /// Whether it is on servers that keep nothing of a connection (docs/trickles.md).
    pub fn is_stateless(&self) -> bool {
        STATELESS.iter().any(|one| one.name == self.name)
    }

    /// Whether it is on those who pass flows of others on (docs/relay.md).
    pub fn is_on_relays(&self) -> bool {
        RELAYS.iter().any(|one| one.name == self.name)
    }

    /// Whether it is on those who tell where others are (docs/registry.md).
    pub fn is_on_registries(&self) -> bool {
        REGISTRIES.iter().any(|one| one.name == self.name)
    }

    /// Whether at most three bytes may come of it for each that is sent: to strangers, and of introductions to both
    /// sides together.
    pub fn may_not_amplify(&self) -> bool {
        self.kind == Kind::Stranger || self.name == "introduce-flood"
    }

    /// Why it cannot be made on a target that is no more than this; a relay and a registry are hosts as well.
    pub fn misfit(&self, target: &[TargetKind]) -> Option<&'static str> {
        let (wanted, why) = match self {
            _ if self.is_stateless() => (TargetKind::Stateless, "the target does not serve Trickles"),
            _ if self.is_on_relays() => (TargetKind::Relay, "the target is no relay"),
            _ if self.is_on_registries() => (TargetKind::Registry, "the target is no registry"),
            // Who has nothing to serve asks for cookies by its rate of exchanges alone, and by turns does not.
            Attack { kind: Kind::Stranger, name, .. } if *name != "cookie-storm" => return None,
            _ => (TargetKind::Host, "the target serves no structured streams"),
        };
        (!target.contains(&wanted)).then_some(why)
    }

    /// What the target did that it may not, by the books of the attack.
    pub fn faults(&self, tally: &Tally) -> Vec<String> {
        let mut faults = Vec::new();
        if tally.reused_cookies > 0 {
            faults.push(format!("{} first messages were answered for a cookie of another", tally.reused_cookies));
        }
        if tally.acted_on > 0 {
            faults.push(format!("{} packets came for what was forged, invented, or spent before", tally.acted_on));
        }
        faults.extend(tally.orders.iter().filter(|(name, _)| **name != GOOD).flat_map(order_faults));
        faults.extend(introduction_faults(&tally.introductions));
        // USE is of one of its own.
        if let Some(agreed) = tally.offers.get("ok") {
            faults.push(format!("{agreed} offers of transports that nobody has were agreed to"));
        }
        if tally.promised_bytes > PROMISED_MAX {
            let mib = |bytes: u64| bytes >> 20;
            let (promised, allowed) = (mib(tally.promised_bytes), mib(PROMISED_MAX));
            faults.push(format!("one peer was promised room for {promised} MiB at once, and may be for {allowed}"));
        }
        faults
    }
}

/// What is missing of orders for it to be known that a relay has judged them.
fn missing_orders(tally: &Tally) -> Option<String> {
    let given: u64 = tally.orders.values().map(|orders| orders.given).sum();
    let good = tally.orders.get(GOOD).copied().unwrap_or_default();
    if good.given > 0 && good.followed == 0 {
        return Some("no order was followed that may be: nothing was tried".to_owned());
    }
    (given <= good.given).then(|| "no order was given: nothing was tried".to_owned())
}

/// What a relay did with orders of one kind that it may not.
fn order_faults((name, orders): (&&'static str, &OrderTally)) -> Vec<String> {
    let told = |count: u64, what: &str| (count > 0).then(|| format!("{name}: {count} orders {what}"));
    let faults = [
        told(orders.followed, "were followed"),
        told(orders.unanswered, "were not declined"),
        told(orders.misnamed, "were declined for another reason than is due"),
    ];
    faults.into_iter().flatten().collect()
}

/// What a registry did with requests for introductions that it may not.
fn introduction_faults(made: &Introductions) -> Vec<String> {
    let Introductions { misled, strayed_bytes, stranger_bytes, stranger_others, .. } = *made;
    let misled = (misled > 0).then(|| format!("{misled} introductions named an address that nobody has proven"));
    let others = (stranger_others > 0).then(|| format!("{stranger_others} datagrams of others came to a stranger"));
    let drawn = (stranger_bytes > 3 * strayed_bytes)
        .then(|| format!("{stranger_bytes} bytes came to a stranger for {strayed_bytes} in its name"));
    [misled, others, drawn].into_iter().flatten().collect()
}

pub(crate) const fn stranger(number: u8, name: &'static str, about: &'static str) -> Attack {
    Attack { name, kind: Kind::Stranger, about, number, closes_with: None }
}

pub(crate) const fn peer(number: u8, name: &'static str, closes_with: Option<u64>, about: &'static str) -> Attack {
    Attack { name, kind: Kind::Peer, about, number, closes_with }
}

const fn server(number: u8, name: &'static str, about: &'static str) -> Attack {
    Attack { name, kind: Kind::Server, about, number, closes_with: None }
}

const fn client(number: u8, name: &'static str, about: &'static str) -> Attack {
    Attack { name, kind: Kind::Client, about, number, closes_with: None }
}

const fn beside(number: u8, name: &'static str, about: &'static str) -> Attack {
    Attack { name, kind: Kind::Beside, about, number, closes_with: None }
}

/// Packets over connections that a peer sends before its attack is under way.
pub const PACKETS_MIN: u64 = 16;

/// Bytes that all connections of one peer together may be promised room for.
pub const PROMISED_MAX: u64 = 128 << 20;

/// Hosts that ask for listings and do not read them, at least.
pub const LISTERS_MIN: u16 = 8;

/// All of them.
pub const ATTACKS: &[Attack] = &[
    stranger(1, "init-replay", "one first message, again and again, its answers ignored"),
    stranger(1, "spoof-flood", "a first message of somebody else each time, whose answers nobody takes"),
    stranger(2, "init-flood", "the same, one in five damaged, cut short or with something behind it"),
    stranger(2, "attach-flood", "requests for streams that nobody has"),
    stranger(2, "cookie-replay", "a cookie shown again and again, with first messages that it is not for"),
    stranger(3, "truncate", "first messages cut at any byte"),
    stranger(3, "bitflip", "first messages with a flipped bit"),
    stranger(3, "junk", "datagrams of any length with anything in them"),
    stranger(3, "unserved", "packets of modes that are not served"),
    stranger(2, "wrong-key", "first messages for another host, each of which asks for a signature"),
    stranger(14, "empty", "datagrams of no byte, or of one"),
    stranger(15, "reset-probe", "packets of channels that nobody has, to draw resets"),
    stranger(15, "reset-echo", "the same, and every reset is sent back"),
    peer(4, "nonsense", Some(1), "sealed packets with frames of no meaning"),
    peer(5, "gap-bomb", None, "single bytes at every second offset"),
    peer(5, "credit-lie", Some(2), "data beyond the credit that was given"),
    peer(6, "optimistic-ack", Some(4), "acknowledgments of packets that were never sent"),
    peer(6, "ack-bomb", None, "every second packet number, so that acknowledgments have as many ranges as can be"),
    peer(6, "no-ack", None, "requests whose answers are never acknowledged"),
    peer(9, "number-jump", None, "packet numbers far ahead, then copies of what was sent"),
    peer(10, "challenge-flood", None, "challenges without end, acknowledgments withheld"),
    peer(10, "id-storm", Some(1), "more channel ids than may be held"),
    peer(10, "retire-storm", Some(1), "retires channel ids that it was never given"),
    peer(16, "stream-bomb", Some(3), "streams up to what was granted and one beyond"),
    peer(16, "depth-bomb", None, "children of children, until no more are granted"),
    peer(16, "id-reuse", None, "streams whose ids are opened again, with other parents and other data"),
    peer(16, "priority-flood", None, "requests for other priorities without end"),
    peer(16, "datagram-flood", None, "pieces of datagrams that never end"),
    stranger(
        2,
        "cookie-storm",
        "cookies returned as they should be, and then shown with first messages that they were not given for",
    ),
    peer(
        33,
        "hash-flood",
        None,
        "requests to compare a whole file, from the first packet on, by peers that leave at once",
    ),
    peer(37, "unread-answers", None, "many files asked for by each of many peers, and none of them read"),
    peer(38, "credit-burst", None, "many connections of one peer at the same moment, each of which is promised room"),
    peer(32, "path-hop", None, "each packet from another address, and nothing acknowledged"),
    server(29, "text-escape", "reasons, refusals and names with control characters, for terminals and logs"),
    server(36, "listing-bomb", "a listing that does not end, of paths as long as can be"),
    server(19, "stp-swap", "code whose hash was asked for, and other code that is sent in its place"),
    server(19, "stp-downgrade", "an older version of a transport that its publisher has replaced, well signed"),
    beside(23, "forged-cookies", "cookies from elsewhere, while the target asks for cookies"),
    beside(63, "offer-replay", "offers of help for other set-ups, in others' names, and damaged, to those who dial"),
    beside(15, "reset-oracle", "the reset of a channel, drawn from another listener of the same key"),
    peer(
        19,
        "stp-offer-flood",
        None,
        "transports that nobody has, four in each set-up, and requests for more, by peers that leave at once",
    ),
    peer(16, "slowloris", None, "connections that are begun, confirmed, and left alone"),
];

/// Those on servers that keep nothing of a connection.
pub const STATELESS: &[Attack] = &[
    peer(8, "continuation-forge", None, "continuations that no server has sealed so, between honest ones"),
    peer(8, "continuation-replay", None, "continuations that are spent, in the same request and in others"),
    peer(7, "proof-forge", None, "proofs that packets came whose nonces are not known"),
    peer(45, "expensive-requests", None, "hashes and listings, as many as a request has room for"),
    // Last, for it takes the exchanges of the next moments.
    stranger(44, "trickles-init-spoof", "first messages of a Trickles client, of somebody else each time, or damaged"),
];

/// Those on relays.
pub const RELAYS: &[Attack] = &[
    stranger(50, "join-flood", "JOINs without number from many ports: forged, without a capability, copies"),
    client(52, "open-relay", "orders that lead to where no relay passes flows on to, to itself, or back"),
    // Last, for its flows are in use for a while.
    client(51, "capability-theft", "capabilities without their key, of others, of another helper, over, used up"),
];

/// Those on registries.
pub const REGISTRIES: &[Attack] = &[
    peer(60, "register-flood", None, "hosts that come, register, look up, watch, forge, revoke, and leave at once"),
    peer(60, "introduce-flood", None, "introductions as often as can be, from several places, with others' addresses"),
];

/// The attack of this name, of those that make up the suite or of the resource model's storms.
pub fn find(name: &str) -> Option<&'static Attack> {
    ATTACKS.iter().chain(STATELESS).chain(RELAYS).chain(REGISTRIES).chain(STORMS).find(|attack| attack.name == name)
}
