//! Figure 28: a near replica and a far one.

use core::time::Duration;

use tng_base::Rng;

use super::fig27::Path;
use super::testbed::{ACCESS_BPS, OBJECT_BYTES, Testbed, one_by_one};
use crate::exchange::{Crowd, Origin, Way};

/// Runs in each of the paper's two experiments, evenly over pairs of a near and a far node.
pub const PAPER_RUNS: usize = 90;
/// Medians of how many times as fast as TCP from one server Trickles with both to choose from was: from the near one,
/// from the far one.
pub const PAPER_MEDIANS: (f64, f64) = (1.0, 1.5);

/// The bin of round trips of [`fig27`](super::fig27) from which near replicas are drawn, and those of far ones.
const BINS: (u32, [u32; 4]) = (0, [2, 3, 4, 5]);

/// The paths to the two, which differ in the round trip alone: "geographically" near and far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Replicas {
    /// To the near one.
    pub near: Path,
    /// To the far one.
    pub far: Path,
}

impl Replicas {
    /// Draws a pair.
    pub fn draw(rng: &mut Rng) -> Replicas {
        let near = Path::draw(rng, BINS.0);
        let bin = BINS.1[rng.below(BINS.1.len() as u64) as usize];
        let far = Path::draw(rng, bin);
        Replicas { near, far: Path { rtt: far.rtt, ..near } }
    }
}

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replica {
    /// The near one, server 0 of the world.
    Near,
    /// The far one, server 1.
    Far,
}

/// Both in one world, and a client that fetches objects of 100 MB from one of them, for `time`. What its path is stands
/// in the access link of each. [`rates_bps`](super::testbed::rates_bps) measures it.
pub fn unicast(seed: u64, way: Way, replicas: &Replicas, from: Replica, time: Duration) -> Crowd {
    let paths = [replicas.near, replicas.far];
    let rate_bps = paths[0].rate_bps.max(paths[1].rate_bps);
    let objects = rate_bps as f64 * time.as_secs_f64() / 8.0 / OBJECT_BYTES as f64;
    let visit = one_by_one(from as usize, core::iter::repeat_n(OBJECT_BYTES, objects as usize + 1));
    let crowd = Testbed { rate_bps: ACCESS_BPS, ..Testbed::default() }.crowd(seed, Vec::new(), vec![visit]);
    let origin = |path: Path| Origin { way, access: path.testbed().crowd(seed, Vec::new(), Vec::new()).down };
    Crowd { servers: paths.map(origin).into(), ..crowd }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::rates_bps;
    use super::*;

    #[test]
    fn the_reference_is_faster_from_the_near_one() {
        let (mut rng, time) = (Rng::from_u64(6), Duration::from_secs(20));
        for seed in 0..3 {
            let replicas = Replicas::draw(&mut rng);
            let [near, far] = [Replica::Near, Replica::Far].map(|from| {
                let crowd = unicast(seed, Way::Tcp, &replicas, from, time);
                rates_bps(&crowd, Duration::ZERO, time).expect("nobody fails")[0]
            });
            assert!(near > far, "{near}, {far}: {replicas:?}");
        }
    }
}
