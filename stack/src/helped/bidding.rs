//! Helpers that nobody named, and that have seen an INIT of ours pass: what becomes of their offers.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{ChannelKey, Instant};
use tng_congestion::SectionChoice;
use tng_crypto::Secret32;
use tng_endpoint::is_public;
use tng_flow::wire::VERSION;
use tng_flow::{OFFER_LEN_MAX, Offer, OfferTerms, Stop, Wishes, open_offer};
use tng_wire::{Reader, Repr};

use crate::{HelpersInPath, PathMonitorConfig, Via};

/// For how long after the REPLY an offer may come: each leaves right behind it.
pub const OFFERS_FOR: Duration = Duration::from_secs(1);

/// Helpers in the path that one way leads through at most, the nearest first.
pub const OFFERS_MAX: usize = 4;

/// Offers for one exchange that are opened at most, each for two Diffie-Hellmans.
pub const OFFERS_TRIED_MAX: u8 = 8;

/// For how long others are waited for when the first has come: an eighth of the round trip, but no less, ...
pub const OFFERS_COLLECTED_MIN: Duration = Duration::from_millis(1);

/// ... and no more.
pub const OFFERS_COLLECTED_MAX: Duration = Duration::from_millis(20);

/// Ports below belong to services that were never meant to be reached so.
const PORT_MIN: u16 = 1_024;

/// What an exchange of ours may still bring beside the channel: helpers in its path offer themselves to the holder of
/// the INIT's ephemeral key.
#[derive(Debug)]
pub(crate) struct Bidding {
    secret: Secret32,
    /// Of the exchange.
    channel: ChannelKey,
    /// Where the peer is.
    peer: SocketAddr,
    until: Instant,
    collects: Duration,
    tried: u8,
    /// In the order in which they came, which is that of the path: each passes the REPLY on before it says something.
    offered: Vec<Via>,
    due: Option<Instant>,
    judge: Option<PathMonitorConfig>,
}

impl Bidding {
    /// The channel came about now, with a peer at `peer`, by an INIT whose ephemeral key has this `secret`.
    pub(crate) fn new(
        now: Instant,
        (channel, peer): (ChannelKey, SocketAddr),
        secret: Secret32,
        rtt: Duration,
        judge: Option<PathMonitorConfig>,
    ) -> Bidding {
        let collects = (rtt / 8).clamp(OFFERS_COLLECTED_MIN, OFFERS_COLLECTED_MAX);
        let until = now + OFFERS_FOR;
        Bidding { secret, channel, peer, until, collects, tried: 0, offered: Vec::new(), due: None, judge }
    }

    /// Takes an OFFER for the exchange of `channel`. What was made for another INIT, by somebody who does not hold the
    /// EID's key, or by nobody whom the host lets on its way, is as if it had not come.
    pub(crate) fn handle_offer(&mut self, now: Instant, channel: ChannelKey, policy: &HelpersInPath, packet: &[u8]) {
        if channel != self.channel || now >= self.until || packet.len() > OFFER_LEN_MAX {
            return;
        }
        let Ok(offer) = Offer::parse(&mut Reader::new(packet)) else { return };
        let known = self.offered.iter().any(|via| via.eid == offer.eid);
        let full = self.offered.len() >= OFFERS_MAX || self.tried >= OFFERS_TRIED_MAX;
        if offer.version != VERSION || known || full || !policy.permits(offer.eid) {
            return;
        }
        self.tried += 1;
        let Ok(terms) = open_offer(&self.secret, &offer) else { return };
        let listed = matches!(policy, HelpersInPath::Listed(_));
        let taken = self.offered.iter().any(|via| via.stop.address == terms.address);
        if taken || !may_be_asked(terms.address, self.peer, listed) {
            return;
        }
        self.offered.push(via(offer.eid, terms));
        self.due.get_or_insert(now + self.collects);
    }

    /// When the helpers are known that offer themselves.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether nothing more comes of it.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.due.is_none() && self.until <= now
    }

    /// The helpers that offer themselves, and how paths through them are judged.
    pub(crate) fn into_offered(self) -> (Vec<Via>, Option<PathMonitorConfig>) {
        (self.offered, self.judge)
    }
}

/// Nobody vouches for a helper in the path: the guard stays.
fn via(eid: tng_base::Eid, terms: OfferTerms) -> Via {
    let wishes = Wishes { controller: terms.controller.filter(|name| may_govern(name)), queue_time: None };
    Via::new(eid, Stop { wishes, ..Stop::new(terms.address, terms.capability) })
}

/// Whether what a stranger advises may govern what this host sends: a controller that finds its rate by itself.
fn may_govern(name: &str) -> bool {
    !name.contains(':') && name != "fixed" && name.parse::<SectionChoice>().is_ok()
}

/// Whether a stranger may have this host send a JOIN there: not to what only this host or its network reaches, unless
/// the peer is there, too, or the user has listed the helper.
fn may_be_asked(helper: SocketAddr, peer: SocketAddr, listed: bool) -> bool {
    let broadcast = matches!(helper.ip(), IpAddr::V4(ip) if ip.is_broadcast());
    let nowhere = helper.ip().is_unspecified() || helper.ip().is_multicast() || broadcast;
    let astray = helper.ip().is_loopback() && !peer.ip().is_loopback();
    helper.port() >= PORT_MIN
        && helper.is_ipv4() == peer.is_ipv4()
        && helper != peer
        && !nowhere
        && !astray
        && (listed || is_public(helper.ip()) || !is_public(peer.ip()))
}

#[cfg(test)]
mod tests {
    use tng_base::ChannelId;
    use tng_crypto::AgreementKey;
    use tng_flow::{Capability, CapabilityKey, OfferKey, PassingInit};
    use tng_isolation::Identity;

    use super::*;

    const CHANNEL: ChannelKey = ChannelKey(3);

    fn at_ms(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn secret(of: u8) -> Secret32 {
        Secret32::from_bytes([of; 32])
    }

    fn helper(of: u8) -> Identity {
        Identity::from_seed([of; 32])
    }

    /// An offer of the helper for the INIT whose ephemeral key has this secret.
    fn offer(of: u8, init: u8, address: &str) -> Vec<u8> {
        let (identity, channel) = (helper(of), ChannelId::from_u64(9));
        let key = OfferKey { eid: identity.eid(), agreement: identity.agreement_key() };
        let terms = OfferTerms {
            address: address.parse().expect("an address"),
            life: Duration::from_secs(60),
            capability: Capability { shown: vec![of; 42], key: CapabilityKey::from_bytes([of; 16]) },
            controller: Some("vegas".to_owned()),
        };
        let init = PassingInit { channel, ephemeral: *AgreementKey::from_secret(&secret(init)).public() };
        key.offer(&init, &terms, &secret(of ^ 0x80)).expect("a usable key")
    }

    fn bidding() -> Bidding {
        let peer = "192.0.2.9:4860".parse().expect("an address");
        Bidding::new(at_ms(0), (CHANNEL, peer), secret(1), Duration::from_millis(80), None)
    }

    /// Who is asked once these have come.
    fn asked(policy: &HelpersInPath, offers: &[Vec<u8>]) -> Vec<u8> {
        let mut bidding = bidding();
        offers.iter().for_each(|offer| bidding.handle_offer(at_ms(5), CHANNEL, policy, offer));
        bidding.into_offered().0.iter().map(|via| via.stop.capability.shown[0]).collect()
    }

    #[test]
    fn offers_are_collected_for_an_eighth_of_the_round_trip_and_lead_the_way_in_their_order() {
        let mut bidding = bidding();
        assert_eq!(bidding.due(), None);
        for (ms, of) in [(5, 7), (8, 6)] {
            let offer = offer(of, 1, &format!("198.51.100.{of}:4860"));
            bidding.handle_offer(at_ms(ms), CHANNEL, &HelpersInPath::Allowed, &offer);
            assert_eq!(bidding.due(), Some(at_ms(15)));
        }
        let (offered, _) = bidding.into_offered();
        let who: Vec<_> = offered.iter().map(|via| via.eid).collect();
        assert_eq!(who, [helper(7).eid(), helper(6).eid()]);
        assert!(offered.iter().all(|via| !via.trusted && via.stop.wishes.controller.as_deref() == Some("vegas")));
    }

    #[test]
    fn a_host_that_forbids_it_opens_no_offer_and_one_that_lists_some_those_of_no_other() {
        let offers = [offer(7, 1, "198.51.100.7:4860"), offer(8, 1, "198.51.100.8:4860")];
        assert_eq!(asked(&HelpersInPath::Allowed, &offers), [7, 8]);
        assert_eq!(asked(&HelpersInPath::Listed(vec![helper(8).eid()]), &offers), [8]);
        assert_eq!(asked(&HelpersInPath::Forbidden, &offers), [0; 0]);
    }

    #[test]
    fn an_offer_for_another_init_a_copy_and_one_that_comes_late_bring_nothing() {
        let good = offer(7, 1, "198.51.100.7:4860");
        assert_eq!(asked(&HelpersInPath::Allowed, &[offer(7, 2, "198.51.100.7:4860")]), [0; 0], "replayed");
        assert_eq!(asked(&HelpersInPath::Allowed, &[good.clone(), good.clone()]), [7]);
        let mut bidding = bidding();
        bidding.handle_offer(at_ms(0) + OFFERS_FOR, CHANNEL, &HelpersInPath::Allowed, &good);
        bidding.handle_offer(at_ms(5), ChannelKey(4), &HelpersInPath::Allowed, &good);
        assert_eq!(bidding.due(), None);
        assert!(bidding.is_over(at_ms(0) + OFFERS_FOR) && !bidding.is_over(at_ms(5)));
        bidding.handle_offer(at_ms(5), CHANNEL, &HelpersInPath::Allowed, &good);
        assert!(bidding.due().is_some(), "control");
    }

    #[test]
    fn more_than_so_many_are_neither_opened_nor_taken() {
        let good = |of: u8| offer(of, 1, &format!("198.51.100.{of}:4860"));
        let all: Vec<Vec<u8>> = (10..20).map(good).collect();
        assert_eq!(asked(&HelpersInPath::Allowed, &all).len(), OFFERS_MAX);
        let mut forged: Vec<Vec<u8>> =
            (20..20 + OFFERS_TRIED_MAX).map(|of| offer(of, 2, "198.51.100.1:4860")).collect();
        forged.push(good(7));
        assert_eq!(asked(&HelpersInPath::Allowed, &forged), [0; 0], "who floods has no help, and costs no more");
        assert_eq!(asked(&HelpersInPath::Allowed, &forged[1..]), [7], "control");
    }

    #[test]
    fn no_offer_leads_to_this_host_its_network_or_where_no_helper_listens() {
        let may = |helper: &str, peer: &str, listed| {
            may_be_asked(helper.parse().expect("an address"), peer.parse().expect("an address"), listed)
        };
        let (public, private) = ("8.8.8.8:4860", "10.0.0.9:4860");
        assert!(may("9.9.9.9:4860", public, false) && may("10.0.0.1:4860", private, false));
        assert!(!may("10.0.0.1:4860", public, false) && may("10.0.0.1:4860", public, true));
        assert!(!may("127.0.0.1:4860", private, true) && may("127.0.0.1:5000", "127.0.0.1:4860", false));
        for never in
            ["9.9.9.9:53", "0.0.0.0:4860", "224.0.0.1:4860", "255.255.255.255:4860", public, "[2620:fe::9]:4860"]
        {
            assert!(!may(never, public, true), "{never}");
        }
    }

    #[test]
    fn nobody_has_this_host_send_at_a_rate_that_it_does_not_find_itself() {
        assert!(may_govern("vegas") && may_govern("eln"));
        for name in ["fixed", "fixed:10gbit", "bbr", "nonsense", ""] {
            assert!(!may_govern(name), "{name}");
        }
    }
}
