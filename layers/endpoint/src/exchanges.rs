//! How many exchanges (Diffie-Hellman) a host makes with those who connect to it: the dearest thing that a stranger can
//! ask for.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use tng_base::Instant;

use crate::{Network, TokenBucket};

/// Exchanges per second with addresses that have shown nothing, if nobody says otherwise: at the 140 to 300 µs that one
/// takes, less than a twelfth of a core. Beyond it a stranger must return a cookie.
pub const EXCHANGES_UNPROVEN_PER_S: u64 = 256;

/// The same at once.
pub const EXCHANGES_UNPROVEN_BURST: u64 = 128;

/// Exchanges per second with the addresses of one network (an IPv4 address, or an IPv6 /64) that have returned their
/// cookies, if nobody says otherwise.
pub const EXCHANGES_NETWORK_PER_S: u64 = 256;

/// The same at once. 500 clients behind one NAT that have all lost their connections are in again after some 3 s.
pub const EXCHANGES_NETWORK_BURST: u64 = 64;

/// Exchanges per second with the addresses of all networks that have returned their cookies, if nobody says otherwise:
/// with those before, half of a core, so that what this host does for others takes twice its time at most.
pub const EXCHANGES_ALL_PER_S: u64 = 1_500;

/// The same at once.
pub const EXCHANGES_ALL_BURST: u64 = 128;

/// Of those at once, the part that is kept for networks with which there was no exchange lately.
const KEPT_PART: u64 = 4;

/// Networks that are known at once. By default fewer are, since each must have had an exchange in the last second.
pub const EXCHANGES_NETWORKS_MAX: usize = 4_096;

/// So many, again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Per second, in the long run.
    pub per_s: u64,
    /// At once.
    pub burst: u64,
}

impl Rate {
    const NONE: Rate = Rate { per_s: u32::MAX as u64, burst: u32::MAX as u64 };

    fn bucket(self) -> TokenBucket {
        TokenBucket::new(self.per_s, self.burst)
    }
}

/// How many exchanges a host makes with those who connect to it. Every INIT that is not a copy of one that is known
/// costs one, whatever comes of it. What is beyond the limits is dropped, and comes again if it is honest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExchangeLimits {
    /// With addresses that have shown nothing. Beyond it they are asked for a cookie.
    pub unproven: Rate,
    /// With the addresses of one IPv4 address, or one IPv6 /64, that have returned their cookies.
    pub per_network: Rate,
    /// With all of these together. When it runs short, networks that had no exchange for a second go before others.
    pub in_all: Rate,
}

impl ExchangeLimits {
    /// None worth the name: for measurements of how fast a host is.
    pub const NONE: ExchangeLimits =
        ExchangeLimits { unproven: Rate::NONE, per_network: Rate::NONE, in_all: Rate::NONE };
}

impl Default for ExchangeLimits {
    fn default() -> ExchangeLimits {
        ExchangeLimits {
            unproven: Rate { per_s: EXCHANGES_UNPROVEN_PER_S, burst: EXCHANGES_UNPROVEN_BURST },
            per_network: Rate { per_s: EXCHANGES_NETWORK_PER_S, burst: EXCHANGES_NETWORK_BURST },
            in_all: Rate { per_s: EXCHANGES_ALL_PER_S, burst: EXCHANGES_ALL_BURST },
        }
    }
}

/// The exchanges of a host, and what is left of what it allows.
#[derive(Debug)]
pub struct Exchanges {
    limits: ExchangeLimits,
    unproven: TokenBucket,
    in_all: TokenBucket,
    /// Those with which there was one lately: all others have all that a network may have.
    networks: BTreeMap<Network, Lately>,
    /// The exchanges of that time, the oldest first.
    order: VecDeque<(Instant, Network)>,
    made: u64,
}

#[derive(Debug)]
struct Lately {
    bucket: TokenBucket,
    at: Instant,
}

impl Exchanges {
    /// Those that `limits` allow.
    pub fn new(limits: ExchangeLimits) -> Exchanges {
        Exchanges {
            unproven: limits.unproven.bucket(),
            in_all: limits.in_all.bucket(),
            networks: BTreeMap::new(),
            order: VecDeque::new(),
            made: 0,
            limits,
        }
    }

    /// Bytes that it holds, of networks with which there were exchanges lately.
    pub fn held(&self) -> usize {
        let Exchanges { limits: _, unproven: _, in_all: _, networks, order, made: _ } = self;
        networks.len() * size_of::<(Network, Lately)>() + order.len() * size_of::<(Instant, Network)>()
    }

    /// How many there were.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// One is made.
    pub fn note(&mut self) {
        self.made += 1;
    }

    /// Takes the right to one with an address that has shown nothing, if there is one. Nobody is held to a share: it
    /// may be anybody's address.
    pub fn take_unproven(&mut self, now: Instant) -> bool {
        self.unproven.take(now)
    }

    /// Takes the right to one with an address that has returned a cookie, if there is one.
    pub fn take_proven(&mut self, now: Instant, network: Network) -> bool {
        self.forget(now);
        let granted = match self.networks.get_mut(&network) {
            Some(lately) => {
                let kept = self.limits.in_all.burst / KEPT_PART;
                let granted = !lately.bucket.is_spent(now) && self.in_all.take_above(now, kept);
                if granted {
                    lately.bucket.take(now);
                    lately.at = now;
                }
                granted
            }
            None => {
                let mut bucket = self.limits.per_network.bucket();
                let granted = self.in_all.take(now) && bucket.take(now);
                if granted {
                    self.networks.insert(network, Lately { bucket, at: now });
                }
                granted
            }
        };
        if granted {
            self.order.push_back((now, network));
        }
        granted
    }

    /// Forgets networks that have all again that they may have, and have had no exchange for a second. There are no
    /// more than the exchanges with all of them in that time; of more than the bound, the one longest without any is
    /// forgotten.
    fn forget(&mut self, now: Instant) {
        let Rate { per_s, burst } = self.limits.per_network;
        let lately = Duration::from_secs(burst.div_ceil(per_s.max(1)).max(1));
        while let Some((at, network)) = self.order.front().copied()
            && (at + lately <= now || self.order.len() >= EXCHANGES_NETWORKS_MAX)
        {
            self.order.pop_front();
            if self.networks.get(&network).is_some_and(|lately| lately.at == at) {
                self.networks.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(i: u32) -> Network {
        Network::of(core::net::Ipv4Addr::from_bits(i).into())
    }

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn exchanges(per_network: Rate, in_all: Rate) -> Exchanges {
        Exchanges::new(ExchangeLimits { per_network, in_all, ..ExchangeLimits::default() })
    }

    #[test]
    fn a_network_has_its_burst_and_then_its_rate_whatever_others_have() {
        let mut exchanges = exchanges(Rate { per_s: 100, burst: 10 }, Rate { per_s: 10_000, burst: 1_000 });
        let mut granted = |network, ms| usize::from(exchanges.take_proven(at(ms), network));
        assert_eq!((0..50).map(|_| granted(network(1), 0)).sum::<usize>(), 10);
        assert_eq!((0..50).map(|_| granted(network(2), 0)).sum::<usize>(), 10);
        assert_eq!((0..1_000).map(|ms| granted(network(1), ms)).sum::<usize>(), 99, "a second's worth");
    }

    #[test]
    fn addresses_that_have_shown_nothing_have_a_rate_together() {
        let limits = ExchangeLimits { unproven: Rate { per_s: 100, burst: 10 }, ..ExchangeLimits::default() };
        let mut exchanges = Exchanges::new(limits);
        assert_eq!((0..50).filter(|_| exchanges.take_unproven(at(0))).count(), 10);
        assert_eq!((0..1_000).filter(|ms| exchanges.take_unproven(at(*ms))).count(), 99, "a second's worth");
        assert!(exchanges.take_proven(at(1_000), network(1)), "which is not that of those who returned a cookie");
    }

    #[test]
    fn when_all_is_spent_networks_that_had_none_lately_go_before_those_that_had() {
        let per_network = Rate { per_s: 1_000, burst: 1_000 };
        let mut exchanges = exchanges(per_network, Rate { per_s: 100, burst: 40 });
        assert_eq!((0..100).filter(|_| exchanges.take_proven(at(0), network(1))).count(), 30, "all but a quarter");
        assert_eq!(
            (2..100).filter(|i| exchanges.take_proven(at(0), network(*i))).count(),
            10,
            "and that is for others"
        );
        // One each 10 ms: a network that had one must wait until the quarter is there again.
        assert!(!exchanges.take_proven(at(10), network(1)) && exchanges.take_proven(at(10), network(200)));
        assert!(exchanges.take_proven(at(2_000), network(1)), "a second later it is like any other");
    }

    #[test]
    fn no_more_networks_are_known_than_there_were_exchanges_lately() {
        let rate = Rate { per_s: 1_000, burst: 100 };
        let mut exchanges = exchanges(Rate { per_s: 100, burst: 10 }, rate);
        let (mut most, mut made) = (0, 0_u64);
        for i in 0..100_000u32 {
            made += u64::from(exchanges.take_proven(Instant::from_micros(u64::from(i) * 100), network(i)));
            most = most.max(exchanges.networks.len());
        }
        assert!((10_000..=10_100).contains(&made), "{made}");
        assert!((1_000..=1_101).contains(&most), "a second of them: {most}");
        exchanges.forget(at(12_000));
        assert_eq!((exchanges.networks.len(), exchanges.order.len()), (0, 0));
        let mut without = Exchanges::new(ExchangeLimits::NONE);
        assert!((0..100_000).all(|i| without.take_proven(at(0), network(i))));
        assert_eq!(without.networks.len(), EXCHANGES_NETWORKS_MAX, "control: and never more than that");
    }
}
