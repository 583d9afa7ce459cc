//! A leased link, divided among the flows that use it (Tng 6.2).

use std::collections::BTreeMap;

use crate::Share;
use crate::integers::mul_div;

/// Most flows that share a leased link.
pub const LEASED_FLOWS_MAX: usize = 4_096;

/// The link is shared by as many flows as it may be; serve the flow another way, or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkFull;

impl core::fmt::Display for LinkFull {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{LEASED_FLOWS_MAX} flows share this link already; send this one another way")
    }
}

impl core::error::Error for LinkFull {}

/// The rate and the window of a leased link, and the flows among which they are divided: max-min fair, as XCP's
/// fairness controller would have it. The owner of the link keeps it. After every change the owner gives each flow its
/// [`share`](Self::shares) by [`Regulation::set_share`](crate::Regulation::set_share).
#[derive(Clone, Debug)]
pub struct LeasedLink {
    whole: Share,
    /// What each flow can use at most, in bytes per second, where that is known.
    flows: BTreeMap<u64, Option<u64>>,
}

impl LeasedLink {
    /// A link that nobody uses. The window is divided in proportion to the rate.
    pub fn new(whole: Share) -> LeasedLink {
        LeasedLink { whole, flows: BTreeMap::new() }
    }

    /// The link has another rate, or another window, from now on.
    pub fn set_whole(&mut self, whole: Share) {
        self.whole = whole;
    }

    /// A flow comes, under a number of the owner's choice, and wants whatever it can get.
    ///
    /// # Errors
    /// When [`LEASED_FLOWS_MAX`] others are there.
    pub fn join(&mut self, flow: u64) -> Result<(), LinkFull> {
        if self.flows.len() >= LEASED_FLOWS_MAX && !self.flows.contains_key(&flow) {
            return Err(LinkFull);
        }
        self.flows.insert(flow, None);
        Ok(())
    }

    /// A flow goes. One that is not there changes nothing.
    pub fn leave(&mut self, flow: u64) {
        self.flows.remove(&flow);
    }

    /// A flow can use no more than so many bytes per second (its far section brings no more, or it has little to say);
    /// none: whatever it gets. One that is not there changes nothing.
    pub fn set_demand(&mut self, flow: u64, rate: Option<u64>) {
        if let Some(demand) = self.flows.get_mut(&flow) {
            *demand = rate;
        }
    }

    /// Flows on the link.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Each flow's part, by its number, ascending. Together they are no more than the link; at most a byte per second
    /// and flow is left over. No flow has less than another unless it wants no more. If all together want less than the
    /// whole, they divide the rest evenly.
    pub fn shares(&self) -> Vec<(u64, Share)> {
        let mut demands: Vec<u64> = self.flows.values().map(|demand| demand.unwrap_or(u64::MAX)).collect();
        demands.sort_unstable();
        // The level to which all are filled who want so much.
        let (mut left, mut level) = (self.whole.rate, u64::MAX);
        for (served, &demand) in demands.iter().enumerate() {
            let even = left / (demands.len() - served) as u64;
            if demand > even {
                level = even;
                break;
            }
            left -= demand;
        }
        let rest = if level == u64::MAX { left / demands.len().max(1) as u64 } else { 0 };
        let share = |(&flow, demand): (&u64, &Option<u64>)| {
            let rate = demand.unwrap_or(u64::MAX).min(level).saturating_add(rest);
            let window = self.whole.window.map(|window| mul_div(window, rate, self.whole.rate.max(1)));
            (flow, Share { rate, window })
        };
        self.flows.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_base::Rng;

    fn rates(link: &LeasedLink) -> Vec<u64> {
        link.shares().iter().map(|(_, share)| share.rate).collect()
    }

    fn link(flows: u64) -> LeasedLink {
        let mut link = LeasedLink::new(Share { rate: 1_000_000, window: Some(300_000) });
        (0..flows).for_each(|flow| link.join(flow).unwrap());
        link
    }

    #[test]
    fn flows_have_equal_parts_as_they_come_and_go() {
        let mut link = link(1);
        assert_eq!(link.shares(), [(0, Share { rate: 1_000_000, window: Some(300_000) })]);
        link.join(9).unwrap();
        assert_eq!(rates(&link), [500_000, 500_000]);
        link.join(4).unwrap();
        assert_eq!(rates(&link), [333_333; 3]);
        assert_eq!(link.shares()[1], (4, Share { rate: 333_333, window: Some(99_999) }));
        link.leave(0);
        link.leave(0);
        assert_eq!((rates(&link), link.flows()), (vec![500_000; 2], 2));
    }

    #[test]
    fn what_one_cannot_use_the_others_divide() {
        let mut link = link(4);
        link.set_demand(2, Some(100_000));
        assert_eq!(rates(&link), [300_000, 300_000, 100_000, 300_000]);
        link.set_demand(0, Some(0));
        assert_eq!(rates(&link), [0, 450_000, 100_000, 450_000]);
        (0..4).for_each(|flow| link.set_demand(flow, Some(100_000)));
        assert_eq!(rates(&link), [250_000; 4], "all want less: they divide the rest");
        link.set_demand(7, Some(1));
        assert_eq!(link.flows(), 4, "who is not there changes nothing");
    }

    #[test]
    fn the_parts_are_the_whole_and_nobody_is_envious() {
        let mut rng = Rng::from_u64(5);
        for round in 0..500 {
            let mut link = link(1 + rng.below(20));
            for flow in 0..20 {
                let demand = rng.chance(0.5).then(|| rng.below(200_000));
                link.set_demand(flow, demand);
            }
            let (rates, n) = (rates(&link), link.flows() as u64);
            let sum: u64 = rates.iter().sum();
            assert!(sum <= 1_000_000 && sum + n >= 1_000_000, "round {round}: {rates:?}");
            let most = rates.iter().copied().max().unwrap();
            for (rate, demand) in rates.iter().zip(link.flows.values()) {
                assert!(*rate == most || demand.is_some_and(|demand| *rate >= demand), "round {round}: {rates:?}");
            }
        }
    }

    #[test]
    fn a_link_has_room_for_so_many_flows() {
        let mut link = link(LEASED_FLOWS_MAX as u64);
        assert_eq!(link.join(u64::MAX), Err(LinkFull));
        assert_eq!(link.join(7), Ok(()), "one that is there");
        link.leave(8);
        assert_eq!(link.join(u64::MAX), Ok(()));
    }
}
