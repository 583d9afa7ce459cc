//! What an operator decides.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::collections::BTreeMap;

use tng_congestion::{Choice, SectionChoice, Share};
use tng_endpoint::{IdSpace, MtuConfig, is_carried, is_public};
use tng_flow::{Caution, Lease, LinkName, Settings, Wishes};
use tng_queue::QueueConfig;

use crate::{ClientTag, QUEUE_TIME, discipline_for};

/// Relays at once, if nobody says otherwise.
pub const RELAYS_MAX: usize = 16_384;

/// Bytes of memory that a flow takes for which nothing waits, at most, on ways that it has for itself: whether it is
/// half-open, or has carried much and is silent now. Flows of one client on the same ways take a sixth less.
pub const FLOW_BYTES_MAX: usize = 8_192;

/// Bytes that wait in shared queues, and are kept for repair, if nobody says otherwise.
pub const HELD_BYTES_MAX: u64 = 64 << 20;

/// For how long a relay waits for the answer to its JOIN.
pub const HALF_OPEN_FOR: Duration = Duration::from_secs(10);

/// A section on which nothing has come for so long is over.
pub const SECTION_IDLE: Duration = Duration::from_secs(90);

/// A section that makes no progress for so long is over: long enough for a far section that is blocked.
pub const SECTION_FAILED_AFTER: Duration = Duration::from_secs(60);

/// The lowest port that flows are passed on to: below it listen services that were never meant to be reached so.
pub const PORT_MIN: u16 = 1_024;

/// The longest local repair.
pub const REPAIR_TIME_MAX: Duration = Duration::from_secs(4);

/// A range of addresses: those that agree with `address` in the first `bits`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    /// One of them.
    pub address: IpAddr,
    /// How many bits count.
    pub bits: u8,
}

impl Network {
    /// The one address.
    pub const fn only(address: IpAddr) -> Network {
        Network { address, bits: if address.is_ipv4() { 32 } else { 128 } }
    }

    /// Whether `ip` is one of them.
    pub fn contains(&self, ip: IpAddr) -> bool {
        let (a, b, width) = match (self.address, ip) {
            (IpAddr::V4(a), IpAddr::V4(b)) => (u128::from(u32::from(a)), u128::from(u32::from(b)), 32),
            (IpAddr::V6(a), IpAddr::V6(b)) => (u128::from(a), u128::from(b), 128),
            _ => return false,
        };
        let ignored = width - u32::from(self.bits).min(width);
        // A shift by the whole width would be no shift at all.
        ignored == width || (a ^ b).checked_shr(ignored).unwrap_or(0) == 0
    }
}

/// Where flows may be passed on to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Onward {
    /// Anywhere on the public Internet.
    #[default]
    Public,
    /// To these networks alone, whatever they are.
    Listed(Vec<Network>),
}

impl Onward {
    /// Whether a flow may be passed on to `next`.
    pub fn permits(&self, next: SocketAddr) -> bool {
        // By a carrier a helper sends nobody's flows on, whatever is listed.
        if next.port() < PORT_MIN || is_carried(next.ip()) {
            return false;
        }
        match self {
            Onward::Public => is_public(next.ip()),
            Onward::Listed(networks) => networks.iter().any(|network| network.contains(next.ip())),
        }
    }
}

/// How the sections with some neighbours are run.
#[derive(Clone, PartialEq, Debug)]
pub struct Neighbourhood {
    /// The controller.
    pub controller: SectionChoice,
    /// Whether packets are spread over the round trip.
    pub pacing: bool,
    /// The discipline of a queue that these sections feed, which drops and marks as it would in a router; what it drops
    /// on arrival is what [`queue_time`](Neighbourhood::queue_time) has no room for, and what its own limit has none
    /// for. None: what the controller expects of a router ([`discipline_for`]). Of a tunnel to these neighbours it is
    /// that of the queues that its section empties, one for each legacy flow; none:
    /// [`tunnel_discipline`](crate::tunnel_discipline).
    pub discipline: Option<QueueConfig>,
    /// What such a queue holds at most, whatever its discipline: what leaves it in so long.
    pub queue_time: Duration,
    /// Local repair: what is lost on these sections is sent again on them, until it is so late. Meant for a long and
    /// lossy way; both ends are told, and wait so much longer before they miss a packet. At most [`REPAIR_TIME_MAX`].
    /// None: no repair.
    pub repair: Option<Duration>,
    /// The way to all of these neighbours is one link with a rate (in bytes per second) and perhaps a window of its
    /// own, leased: it is divided evenly among the flows that use it, as they come and go. Their controller is `fixed`
    /// then, whatever `controller` says.
    pub lease: Option<Share>,
    /// What clients here may ask for.
    pub offers: Offers,
}

/// What clients may ask for of the section between them and the helper, in their orders (Tng 5.1). Of what is not
/// offered the helper takes no notice.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Offers {
    /// The controllers, which are asked for by their names, parameters included. Nobody can ask for one whose name has
    /// more than [`WISHED_NAME_LEN_MAX`](tng_flow::WISHED_NAME_LEN_MAX) bytes.
    pub controllers: Vec<SectionChoice>,
    /// The longest queue time; none: there is no choice.
    pub queue_time_max: Option<Duration>,
}

/// How the section with a client is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NearChoice {
    /// What governs it, unless the client moves to a leased link.
    pub controller: Choice,
    /// Whether that is what the client asked for.
    pub controller_asked: bool,
    /// What a queue that it feeds holds at most: what leaves it in so long.
    pub queue_time: Duration,
    /// Whether that is what the client asked for. If so, it bounds the queue that empties into the section, too.
    pub queue_time_asked: bool,
}

impl Default for Neighbourhood {
    fn default() -> Neighbourhood {
        Neighbourhood {
            controller: SectionChoice::default(),
            pacing: true,
            discipline: None,
            queue_time: QUEUE_TIME,
            repair: None,
            lease: None,
            offers: Offers::default(),
        }
    }
}

impl Neighbourhood {
    /// The discipline of a queue that these sections feed.
    pub fn discipline(&self) -> QueueConfig {
        self.discipline_under(&self.controller)
    }

    /// The same for sections that `controller` governs.
    fn discipline_under(&self, controller: &Choice) -> QueueConfig {
        self.discipline.clone().unwrap_or_else(|| discipline_for(controller))
    }

    /// How the section with a client is run that has these wishes.
    pub(crate) fn near_choice(&self, wishes: Wishes<&str>) -> NearChoice {
        let Offers { controllers, queue_time_max } = &self.offers;
        // A leased link has an owner, who sets the rate.
        let name = wishes.controller.filter(|_| self.lease.is_none());
        let granted = name.and_then(|name| controllers.iter().find(|offered| offered.name() == name));
        let operators = || if self.lease.is_some() { Choice::fixed() } else { self.controller.clone().into() };
        let queue_time = wishes.queue_time.filter(|time| queue_time_max.is_some_and(|most| *time <= most));
        NearChoice {
            controller: granted.map_or_else(operators, |granted| granted.clone().into()),
            controller_asked: granted.is_some(),
            queue_time: queue_time.unwrap_or(self.queue_time),
            queue_time_asked: queue_time.is_some(),
        }
    }
}

impl NearChoice {
    /// What holds where the operator decides otherwise now: what the client asked for and was granted stays.
    pub(crate) fn keeping(&self, decided: NearChoice) -> NearChoice {
        let NearChoice { controller_asked, queue_time_asked, .. } = *self;
        NearChoice {
            controller: if controller_asked { self.controller.clone() } else { decided.controller },
            controller_asked,
            queue_time: if queue_time_asked { self.queue_time } else { decided.queue_time },
            queue_time_asked,
        }
    }

    /// The controller that the client asked for and is granted.
    pub(crate) fn wished(&self) -> Option<&Choice> {
        self.controller_asked.then_some(&self.controller)
    }

    /// The discipline of the queue that the section feeds, in this neighbourhood.
    pub(crate) fn discipline(&self, around: &Neighbourhood) -> QueueConfig {
        self.wished().map_or_else(|| around.discipline(), |controller| around.discipline_under(controller))
    }

    /// The bound in time of the queue that empties into the section and would have this one.
    pub(crate) fn homeward_queue_time(&self, otherwise: Duration) -> Duration {
        if self.queue_time_asked { self.queue_time } else { otherwise }
    }
}

/// What one client may have of a helper, all its flows and tunnels together, also what has just ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClientLimits {
    /// Bytes that are passed on for it in a second, both ways together; what is beyond waits in the queues of its
    /// flows and tunnels. What a tunnel brings counts when it may be taken out. None: as many as its sections carry.
    pub rate_max: Option<u64>,
    /// Bytes that wait for it and are kept for repair; when there would be more, its flow or tunnel with the most gives
    /// way.
    /// None: as many as the helper holds.
    pub held_bytes_max: Option<u64>,
}

/// Settings of a [`Helper`](crate::Helper).
#[derive(Clone, Debug)]
pub struct HelperConfig {
    /// Where flows may be passed on to.
    pub onward: Onward,
    /// The helper's own addresses, as others see them: nothing is passed on to itself. Those that its driver names need
    /// not be told.
    pub own: Vec<IpAddr>,
    /// How sections are run with those neighbours that are in no other neighbourhood.
    pub elsewhere: Neighbourhood,
    /// Other neighbourhoods; of several that hold an address the first counts.
    pub neighbourhoods: Vec<(Network, Neighbourhood)>,
    /// How large packets may become.
    pub mtu: MtuConfig,
    /// Relays at once.
    pub relays_max: usize,
    /// Bytes that wait in all shared queues and tunnels, and are kept for repair, at most. When there would be more,
    /// the client with the most gives way, and of its flows and tunnels the one with the most. The tunnels that the
    /// helper has asked for are one client's.
    pub held_bytes_max: u64,
    /// What one client may have, beside what its capability says; none: only those in `limits_of` are served, whatever
    /// capabilities others have.
    pub limits: Option<ClientLimits>,
    /// The same of clients that have other limits.
    pub limits_of: BTreeMap<ClientTag, ClientLimits>,
    /// What one client may have that was offered help in the path; none: none of them is served.
    pub in_path: Option<ClientLimits>,
    /// Which of the helpers that share its address it is: it gives out names of sections that say so. This never
    /// changes.
    pub ids: IdSpace,
}

impl Default for HelperConfig {
    fn default() -> HelperConfig {
        HelperConfig {
            onward: Onward::default(),
            own: Vec::new(),
            elsewhere: Neighbourhood::default(),
            neighbourhoods: Vec::new(),
            mtu: MtuConfig::default(),
            relays_max: RELAYS_MAX,
            held_bytes_max: HELD_BYTES_MAX,
            limits: Some(ClientLimits::default()),
            limits_of: BTreeMap::new(),
            in_path: None,
            ids: IdSpace::WHOLE,
        }
    }
}

impl HelperConfig {
    /// Whether `next` is the helper itself, to which a datagram came at `local`. Where only listed networks are passed
    /// on to, hosts may share an address, but no port of it.
    pub(crate) fn is_own(&self, next: SocketAddr, local: Option<SocketAddr>) -> bool {
        let (ip, public) = (next.ip(), self.onward == Onward::Public);
        self.own.contains(&ip) || local.is_some_and(|local| local == next || public && local.ip() == ip)
    }

    /// What a client may have; none if it is not served.
    pub fn limits_of(&self, client: ClientTag) -> Option<ClientLimits> {
        if client.is_in_path() {
            return self.in_path;
        }
        self.limits_of.get(&client).copied().or(self.limits)
    }

    /// How the sections with the neighbour at `ip` are run.
    pub fn around(&self, ip: IpAddr) -> &Neighbourhood {
        self.place_of(ip).1
    }

    /// The same, and the name of the link that leads there.
    fn place_of(&self, ip: IpAddr) -> (LinkName, &Neighbourhood) {
        let listed = self.neighbourhoods.iter().find(|(network, _)| network.contains(ip));
        listed.map_or((None, &self.elsewhere), |(network, there)| (Some((network.address, network.bits)), there))
    }

    /// The leased links.
    pub(crate) fn leases(&self) -> impl Iterator<Item = Lease> {
        let listed = self.neighbourhoods.iter().map(|(network, there)| (Some((network.address, network.bits)), there));
        let all = listed.chain([(None, &self.elsewhere)]);
        all.filter_map(|(link, there)| there.lease.map(|whole| Lease { link, whole }))
    }

    /// For how long what is lost on a section with the neighbour at `ip` is repaired.
    pub(crate) fn repair_around(&self, ip: IpAddr) -> Option<Duration> {
        self.around(ip).repair.map(|time| time.min(REPAIR_TIME_MAX))
    }

    /// By how much packets may be late at most because of repair on the two sections of a flow, in milliseconds.
    pub(crate) fn repair_ms(&self, neighbours: [IpAddr; 2]) -> u16 {
        let ms = neighbours.into_iter().filter_map(|ip| self.repair_around(ip)).map(|time| time.as_millis() as u16);
        ms.sum()
    }

    /// The same as a section wants to have it.
    pub(crate) fn settings(&self, ip: IpAddr) -> Settings<'_> {
        let (link, Neighbourhood { controller, pacing, lease, .. }) = self.place_of(ip);
        let lease = lease.map(|whole| Lease { link, whole });
        Settings { controller, pacing: *pacing, mtu: self.mtu, keep_alive: None, lease, caution: Caution::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn a_helper_passes_nothing_on_to_itself_its_own_network_or_low_ports() {
        let public = Onward::Public;
        for fine in
            ["198.41.0.4:4860", "198.20.0.1:4860", "192.0.1.1:4860", "[2a00:1450::1]:4860", "[2001:db7::1]:4860"]
        {
            assert!(public.permits(at(fine)), "{fine}");
        }
        let never = [
            "127.0.0.1:4860",
            "10.1.2.3:4860",
            "192.168.0.1:4860",
            "169.254.1.1:4860",
            "100.64.0.1:4860",
            "0.0.0.0:4860",
            "224.0.0.1:4860",
            "255.255.255.255:4860",
            "198.41.0.4:53",
            "[::1]:4860",
            "[fe80::1]:4860",
            "[fd00::1]:4860",
            "[::ffff:10.0.0.1]:4860",
            "[ff02::1]:4860",
            "198.18.0.1:4860",
            "198.19.255.1:4860",
            "192.0.0.8:4860",
            "[2002:0a00:0001::1]:4860",
            "[2001:0:a00:1::1]:4860",
        ];
        for address in never {
            assert!(!public.permits(at(address)), "{address}");
        }
        let everywhere = Onward::Listed(vec![Network { address: at("[::]:0").ip(), bits: 0 }]);
        assert!(everywhere.permits(at("[2001:db8::1]:4860")) && !everywhere.permits(at("[104:c000:201::1]:4860")));
    }

    #[test]
    fn whoever_passes_on_to_everybody_knows_itself_by_what_it_was_told_and_by_where_datagrams_come_in() {
        let ip = |text: &str| text.parse::<IpAddr>().expect("an ip");
        let at = |text: &str| SocketAddr::new(ip(text), 4_860);
        let config = HelperConfig { own: vec![ip("198.41.0.4")], ..HelperConfig::default() };
        let port = |text: &str| SocketAddr::new(ip(text), 5_000);
        assert!(config.is_own(at("198.41.0.4"), None) && config.is_own(port("198.41.0.9"), Some(at("198.41.0.9"))));
        assert!(!config.is_own(at("198.41.0.9"), Some(at("198.41.0.4"))));
        let listed = HelperConfig { onward: Onward::Listed(Vec::new()), ..config };
        assert!(!listed.is_own(port("127.0.0.1"), Some(at("127.0.0.1"))));
        assert!(listed.is_own(at("127.0.0.1"), Some(at("127.0.0.1"))), "its very port");
    }

    #[test]
    fn what_is_listed_is_permitted_and_nothing_else() {
        let listed = Onward::Listed(vec![Network { address: "10.1.0.0".parse().expect("an ip"), bits: 16 }]);
        assert!(listed.permits(at("10.1.200.3:4860")));
        assert!(!listed.permits(at("10.2.0.3:4860")));
        assert!(!listed.permits(at("10.1.200.3:80")));
        assert!(!listed.permits(at("198.41.0.4:4860")));
        let all = Network { address: "0.0.0.0".parse().expect("an ip"), bits: 0 };
        assert!(all.contains("9.9.9.9".parse().expect("an ip")));
        assert!(!all.contains("::1".parse().expect("an ip")));
        assert!(Network::only("9.9.9.9".parse().expect("an ip")).contains("9.9.9.9".parse().expect("an ip")));
    }
}
