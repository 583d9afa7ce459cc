//! Meetings alone: who has a transport when so many have met, if it goes over whenever one has it and the other takes
//! it.

use tng_base::Rng;

/// Who may meet whom.
#[derive(Debug)]
pub(super) enum Acquaintance {
    /// Any two of so many.
    Everybody(usize),
    /// These pairs, each as often as any other.
    Pairs(Vec<[u32; 2]>),
}

impl Acquaintance {
    /// Hosts whose numbers of acquaintances are drawn from a power law, from `least` to the root of their number, and
    /// who are joined at random: a host of many acquaintances meets as many more others.
    pub(super) fn by_power_law(hosts: usize, exponent: f64, least: u32, rng: &mut Rng) -> Acquaintance {
        let most = (hosts as f64).sqrt();
        let mut ends = Vec::new();
        for host in 0..hosts as u32 {
            let drawn = f64::from(least) * (1.0 - rng.unit()).powf(-1.0 / (exponent - 1.0));
            let degree = drawn.min(most) as usize;
            ends.extend(core::iter::repeat_n(host, degree));
        }
        shuffle(&mut ends, rng);
        // Who would be joined to itself meets nobody by that.
        let pairs = ends.chunks_exact(2).filter(|pair| pair[0] != pair[1]).map(|pair| [pair[0], pair[1]]);
        Acquaintance::Pairs(pairs.collect())
    }

    /// The next two that meet, by lot.
    pub(super) fn meet(&self, rng: &mut Rng) -> [usize; 2] {
        match self {
            Acquaintance::Everybody(hosts) => {
                let hosts = *hosts as u64;
                let (one, other) = (rng.below(hosts), rng.below(hosts - 1));
                [one, if other < one { other } else { other + 1 }].map(|host| host as usize)
            }
            Acquaintance::Pairs(pairs) => pairs[rng.below(pairs.len() as u64) as usize].map(|host| host as usize),
        }
    }
}

fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for left in (1..items.len()).rev() {
        items.swap(left, rng.below(left as u64 + 1) as usize);
    }
}

/// Who takes nothing: this share of hosts, by lot, but for the first, which has the transport.
pub(super) fn refusing(hosts: usize, share: f64, rng: &mut Rng) -> Vec<bool> {
    let mut others: Vec<usize> = (1..hosts).collect();
    shuffle(&mut others, rng);
    let mut refuses = vec![false; hosts];
    others.iter().take((hosts as f64 * share).round() as usize).for_each(|host| refuses[*host] = true);
    refuses
}

/// Who has it.
#[derive(Debug)]
pub(super) struct Epidemic<'a> {
    has: Vec<bool>,
    refuses: &'a [bool],
    count: usize,
}

impl<'a> Epidemic<'a> {
    /// The first host alone.
    pub(super) fn new(refuses: &'a [bool]) -> Epidemic<'a> {
        let mut has = vec![false; refuses.len()];
        has[0] = true;
        Epidemic { has, refuses, count: 1 }
    }

    /// Two meet.
    pub(super) fn meet(&mut self, [one, other]: [usize; 2]) {
        let lacks = match (self.has[one], self.has[other]) {
            (true, false) => other,
            (false, true) => one,
            _ => return,
        };
        if !self.refuses[lacks] {
            self.has[lacks] = true;
            self.count += 1;
        }
    }

    /// How many have it.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

/// Meetings until so many of `hosts` have it, when `willing` of these take it, in the mean of all lots: where any two
/// meet.
pub(super) fn expected(hosts: usize, willing: usize, until: usize) -> f64 {
    let pairs = hosts as f64 * (hosts as f64 - 1.0) / 2.0;
    (1..until).map(|have| pairs / (have as f64 * (willing as f64 - have as f64))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_hundred_have_it_after_as_many_meetings_as_the_formula_says() {
        let (mut rng, refuses) = (Rng::from_u64(1), vec![false; 100]);
        let runs = 400;
        let mut sum = 0_u64;
        for _ in 0..runs {
            let mut epidemic = Epidemic::new(&refuses);
            while epidemic.count() < 50 {
                epidemic.meet(Acquaintance::Everybody(100).meet(&mut rng));
                sum += 1;
            }
        }
        let (mean, expected) = (sum as f64 / f64::from(runs), expected(100, 100, 50));
        assert!((mean / expected - 1.0).abs() < 0.05, "{mean} of {expected}");
    }

    #[test]
    fn nobody_who_refuses_has_it_and_everybody_else_has_it_in_the_end() {
        let mut rng = Rng::from_u64(2);
        let refuses = refusing(100, 0.3, &mut rng);
        assert!(!refuses[0] && refuses.iter().filter(|refuses| **refuses).count() == 30);
        let mut epidemic = Epidemic::new(&refuses);
        (0..20_000).for_each(|_| epidemic.meet(Acquaintance::Everybody(100).meet(&mut rng)));
        assert_eq!(epidemic.count(), 70);
    }

    #[test]
    fn acquaintances_follow_the_power_law() {
        let hosts = 100_000;
        let Acquaintance::Pairs(pairs) = Acquaintance::by_power_law(hosts, 2.5, 2, &mut Rng::from_u64(3)) else {
            panic!("pairs")
        };
        let mut degrees = vec![0_u32; hosts];
        pairs.iter().flatten().for_each(|host| degrees[*host as usize] += 1);
        let beyond = |least: u32| degrees.iter().filter(|degree| **degree >= least).count() as f64;
        // P(at least k) falls as k^(1 - 2.5).
        let slope = (beyond(8) / beyond(64)).log(8.0);
        assert!((1.35..1.65).contains(&slope), "{slope}");
    }
}
