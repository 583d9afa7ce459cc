//! A helper that nobody named: it sees set-ups pass, and offers itself to who begins them (Tng 4.1, 7).

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::{HashMap, VecDeque};

use tng_base::{ChannelId, Instant};
use tng_crypto::{HmacKey, Secret32, SecretRng, hkdf, labels};
use tng_endpoint::{Network as OwnersNetwork, TokenBucket};
use tng_flow::{OfferKey, OfferTerms, PassingInit, passing_reply};

use crate::{ClientTag, Network, Office, Onward, Terms};

/// INITs that a helper in the path remembers until their answer passes; of more the oldest is forgotten.
pub const PASSING_MAX: usize = 4_096;

/// For how long it does.
pub const PASSING_FOR: Duration = Duration::from_secs(5);

/// What an operator decides of offers.
#[derive(Debug)]
pub struct InPathConfig {
    /// In whose name offers are made.
    pub key: OfferKey,
    /// Where the helper takes JOINs: one address of each family; clients of another are offered nothing.
    pub addresses: Vec<SocketAddr>,
    /// Who is offered something.
    pub clients: Vec<Network>,
    /// Where flows may be passed on to, as the helper is set to: to nobody is offered what would be declined.
    pub onward: Onward,
    /// What capabilities are good for; never for tunnels.
    pub life: Duration,
    /// And for how many flows of one client at once.
    pub flows_max: u16,
    /// The controllers that are advised for the section with clients, by their network; of several the first counts.
    pub advice: Vec<(Network, String)>,
}

/// A set-up that passes: who asks, whom, and under what name.
type Passing = (SocketAddr, SocketAddr, ChannelId);

/// Watches set-ups pass. A plain value beside the [`Helper`](crate::Helper) that takes the JOINs: the two share a
/// secret and nothing else.
///
/// Nothing waits for it: its driver passes every datagram on first, and the offer behind it.
#[derive(Debug)]
pub struct InPath {
    config: InPathConfig,
    office: Office,
    /// For the names of clients.
    tags: HmacKey,
    /// With the ephemeral key, and when the last copy of the INIT passed.
    seen: HashMap<Passing, ([u8; 32], Instant), foldhash::quality::RandomState>,
    /// The same, the oldest first.
    order: VecDeque<(Instant, Passing)>,
    budget: TokenBucket,
    /// A copy of this value draws the same; what it seals then is the same, or under another INIT's key.
    rng: SecretRng,
    stats: InPathStats,
}

/// Counts since it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InPathStats {
    /// INITs that were noted, copies not counted.
    pub inits: u64,
    /// Offers that were made.
    pub offers: u64,
    /// INITs whose answer never passed: the other direction goes elsewhere, or nobody is there.
    pub unanswered: u64,
}

impl InPath {
    /// Offers the help of the helper with this secret. [`Instant::ZERO`] is `epoch_ms` since 1970, and `seed` fresh
    /// entropy that nobody else has.
    pub fn new(config: InPathConfig, secret: &Secret32, epoch_ms: u64, seed: impl Into<Secret32>) -> InPath {
        InPath {
            config,
            office: Office::new(secret, epoch_ms),
            tags: HmacKey::new(hkdf::expand_secret(secret, labels::IN_PATH, &[]).expose()),
            seen: HashMap::default(),
            order: VecDeque::new(),
            budget: TokenBucket::default(),
            rng: SecretRng::new(seed),
            stats: InPathStats::default(),
        }
    }

    /// Counts.
    pub const fn stats(&self) -> InPathStats {
        self.stats
    }

    /// Set-ups whose answer has not passed yet.
    pub fn passing(&self) -> usize {
        self.seen.len()
    }

    /// A datagram passes, and is passed on whatever comes of it. Answers the OFFER to send behind it, to where it goes
    /// and as if from where it came.
    ///
    /// An INIT is noted, and its answer brings the OFFER about: so nothing is offered where the other direction goes by
    /// another way, or where nobody answers, and nothing is sent to who has asked in another's name but behind what is
    /// sent there anyway.
    pub fn pass(&mut self, now: Instant, from: SocketAddr, to: SocketAddr, datagram: &[u8]) -> Option<Vec<u8>> {
        self.forget(now);
        if let Some(init) = PassingInit::see(datagram) {
            if self.serves(from, to) {
                self.note(now, (from, to, init.channel), init.ephemeral);
            }
            return None;
        }
        let channel = passing_reply(datagram)?;
        let (ephemeral, _) = self.seen.remove(&(to, from, channel))?;
        if !self.budget.take(now) {
            return None;
        }
        let terms = Terms { life: self.config.life, flows_max: self.config.flows_max, tunnels: false };
        let capability = self.office.issue(now, self.tag(to), terms, self.rng.secret());
        let advised = self.config.advice.iter().find(|(network, _)| network.contains(to.ip()));
        let terms = OfferTerms {
            address: self.address_for(to)?,
            life: self.config.life,
            capability,
            controller: advised.map(|(_, name)| name.clone()),
        };
        let fresh = self.rng.secret();
        let offer = self.config.key.offer(&PassingInit { channel, ephemeral }, &terms, &fresh).ok()?;
        self.stats.offers += 1;
        Some(offer)
    }

    fn serves(&self, from: SocketAddr, to: SocketAddr) -> bool {
        let own = |ip| self.config.addresses.iter().any(|address| address.ip() == ip);
        self.config.clients.iter().any(|network| network.contains(from.ip()))
            && self.config.onward.permits(to)
            && self.address_for(from).is_some()
            && !own(from.ip())
            && !own(to.ip())
    }

    fn address_for(&self, client: SocketAddr) -> Option<SocketAddr> {
        self.config.addresses.iter().find(|address| address.is_ipv4() == client.is_ipv4()).copied()
    }

    /// What the helper shares its room by: clients are told apart by their networks, since nothing else is known of
    /// them.
    fn tag(&self, client: SocketAddr) -> ClientTag {
        let network = OwnersNetwork::of(client.ip()).address();
        let octets = match network {
            core::net::IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
            core::net::IpAddr::V6(ip) => ip.octets(),
        };
        let tag = self.tags.tag(&[&octets]);
        ClientTag::in_path(u64::from_be_bytes(core::array::from_fn(|at| tag[at])))
    }

    /// A copy of an INIT is no other set-up.
    fn note(&mut self, now: Instant, passing: Passing, ephemeral: [u8; 32]) {
        if self.seen.insert(passing, (ephemeral, now)).is_none() {
            self.stats.inits += 1;
        }
        self.order.push_back((now, passing));
        if self.order.len() > PASSING_MAX {
            self.forget_oldest();
        }
    }

    fn forget(&mut self, now: Instant) {
        while self.order.front().is_some_and(|(at, _)| now.since(*at) >= PASSING_FOR) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some((at, passing)) = self.order.pop_front() else { return };
        // A copy that came later keeps it.
        if self.seen.get(&passing).is_some_and(|(_, last)| *last == at) {
            self.seen.remove(&passing);
            self.stats.unanswered += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use tng_base::Eid;
    use tng_crypto::{AgreementKey, SigningKey, agreement_secret};
    use tng_flow::{Offer, open_offer};
    use tng_wire::{Reader, Repr};

    use super::*;

    const NOW: Instant = Instant::from_secs(10);

    fn at(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    fn network(text: &str, bits: u8) -> Network {
        Network { address: text.parse().expect("an address"), bits }
    }

    fn secret() -> Secret32 {
        Secret32::from_bytes([7; 32])
    }

    fn in_path() -> InPath {
        let seed = Secret32::from_bytes([1; 32]);
        let eid = Eid::from_bytes(*SigningKey::from_seed(&seed).public());
        let config = InPathConfig {
            key: OfferKey { eid, agreement: AgreementKey::from_secret(&agreement_secret(&seed)) },
            addresses: vec![at("198.51.100.1:4860")],
            clients: vec![network("203.0.113.0", 24)],
            onward: Onward::Listed(vec![network("192.0.2.0", 24)]),
            life: Duration::from_secs(600),
            flows_max: 4,
            advice: vec![(network("203.0.113.128", 25), "vegas".to_owned())],
        };
        InPath::new(config, &secret(), 0, [9; 32])
    }

    /// An INIT under an ephemeral key with this secret, and the REPLY to it.
    fn set_up(secret: u8) -> (Vec<u8>, Vec<u8>) {
        let mut init = vec![secret; 1_200];
        init[..3].copy_from_slice(&[1, 0, 1]);
        init[41..73].copy_from_slice(AgreementKey::from_secret(&Secret32::from_bytes([secret; 32])).public());
        (init, [&[2][..], &[secret; 6], &[0; 400]].concat())
    }

    const CLIENT: &str = "203.0.113.200:5000";
    const SERVER: &str = "192.0.2.1:4860";

    /// What passes between the two, INIT and REPLY; answers the offer.
    fn passes(in_path: &mut InPath, (client, server): (&str, &str), secret: u8) -> Option<Vec<u8>> {
        let (init, reply) = set_up(secret);
        assert_eq!(in_path.pass(NOW, at(client), at(server), &init), None, "nothing is said before there is an answer");
        in_path.pass(NOW, at(server), at(client), &reply)
    }

    #[test]
    fn the_answer_to_an_init_brings_an_offer_that_the_helper_keeps() {
        let mut in_path = in_path();
        let bytes = passes(&mut in_path, (CLIENT, SERVER), 3).expect("an offer");
        let offer = Offer::parse(&mut Reader::new(&bytes)).expect("an OFFER");
        let terms = open_offer(&Secret32::from_bytes([3; 32]), &offer).expect("it is for this INIT");
        assert_eq!((terms.address, terms.controller.as_deref()), (at("198.51.100.1:4860"), Some("vegas")));
        let grant = Office::new(&secret(), 0).open(NOW, &terms.capability.shown).expect("the helper knows it");
        assert!(grant.client.is_in_path() && !grant.tunnels && grant.flows_max == 4);
        assert_eq!(grant.key.expose(), terms.capability.key.expose());
        assert_eq!(in_path.stats(), InPathStats { inits: 1, offers: 1, unanswered: 0 });
        let (_, reply) = set_up(3);
        assert_eq!(in_path.pass(NOW, at(SERVER), at(CLIENT), &reply), None, "a copy of the answer brings no other");
        assert!(passes(&mut in_path, (CLIENT, SERVER), 3).is_some(), "nor does a lost one cost the offer");
    }

    #[test]
    fn to_who_is_not_listed_and_for_where_nothing_is_passed_on_to_nothing_is_offered() {
        for (client, server) in [
            ("203.0.112.1:5000", SERVER),
            (CLIENT, "192.0.3.1:4860"),
            (CLIENT, "192.0.2.1:53"),
            ("198.51.100.1:4860", SERVER),
            (CLIENT, "198.51.100.1:4860"),
            ("[2001:db8::1]:5000", "[2001:db8::2]:4860"),
        ] {
            let mut in_path = in_path();
            assert_eq!(passes(&mut in_path, (client, server), 3), None, "{client} to {server}");
            assert_eq!(in_path.passing(), 0, "nor is it noted");
        }
    }

    #[test]
    fn where_the_other_direction_goes_another_way_nothing_is_offered_and_all_is_forgotten() {
        let mut in_path = in_path();
        let (init, reply) = set_up(3);
        assert_eq!(in_path.pass(NOW, at(SERVER), at(CLIENT), &reply), None, "the one without the other");
        in_path.pass(NOW, at(CLIENT), at(SERVER), &init);
        assert_eq!(in_path.pass(NOW + PASSING_FOR, at(SERVER), at(CLIENT), &reply), None);
        assert_eq!((in_path.passing(), in_path.stats().unanswered), (0, 1));
    }

    #[test]
    fn a_flood_of_inits_takes_no_more_than_its_bound_and_the_newest_are_served() {
        let mut in_path = in_path();
        let (mut init, _) = set_up(3);
        for number in 0..2 * PASSING_MAX as u64 {
            init[3..9].copy_from_slice(&number.to_be_bytes()[2..]);
            in_path.pass(NOW, at(CLIENT), at(SERVER), &init);
        }
        assert_eq!((in_path.passing(), in_path.order.len()), (PASSING_MAX, PASSING_MAX));
        assert!(passes(&mut in_path, (CLIENT, SERVER), 4).is_some());
    }

    #[test]
    fn offers_are_made_no_faster_than_their_budget_refills() {
        let mut in_path = in_path();
        let made = (0..1_000).filter(|number| passes(&mut in_path, (CLIENT, SERVER), *number as u8).is_some()).count();
        assert_eq!(made as u64, tng_endpoint::ANSWERS_BURST);
    }
}
