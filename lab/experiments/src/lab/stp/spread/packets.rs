//! The same with hosts that send packets.

use core::time::Duration;
use std::sync::Arc;

use tng_base::Instant;
use tng_crypto::code_hash;
use tng_sim::{Link, Loss};
use tng_stack::Settled;
use tng_stp_sandbox::built_in;

use crate::lab::{Context, RunError};
use crate::peers::guests::modules::somebody_elses;
use crate::peers::guests::repertoire::Acceptance;
use crate::peers::shipping::{Ground, Resident, Spent, Town, Visit, Visited};

/// Hosts that meet.
#[derive(Debug)]
pub(super) struct Meeting<'a> {
    /// Who refuses.
    pub(super) refuses: &'a [bool],
    /// Who visits whom, one after the other.
    pub(super) lots: &'a [[usize; 2]],
    /// Pause between two.
    pub(super) every: Duration,
    /// Bytes that each is for.
    pub(super) bytes: u64,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Met {
    /// How many had the transport when each meeting began, and in the end.
    pub(super) had: Vec<usize>,
    /// Bytes that had been sent by then.
    pub(super) sent: Vec<u64>,
    /// What all hosts' transports cost.
    pub(super) spent: Spent,
    /// Meetings in which the transport carried what they were for, or another, or streams.
    pub(super) by_it: u64,
    /// Meetings that came to nothing, and why the first of them.
    pub(super) failed: u64,
    pub(super) why: Option<String>,
    /// Hosts that refuse and have it.
    pub(super) unwilling: u64,
}

/// The transport that spreads.
pub(super) fn module() -> Vec<u8> {
    somebody_elses("spread")
}

/// How long the last one may take.
const REST: Duration = Duration::from_secs(30);

impl Meeting<'_> {
    pub(super) fn hold(&self, context: &Context<'_>) -> Result<Met, RunError> {
        let common: Arc<[u8]> =
            built_in("newreno").ok_or_else(|| RunError::broken("newreno is not here"))?.bytes.into();
        let rare: Arc<[u8]> = module().into();
        let [common_hash, rare_hash] = [&common, &rare].map(|module| code_hash(module));
        let resident = |(host, refuses): (usize, &bool)| Resident {
            accepts: if *refuses { Acceptance::These(vec![common_hash]) } else { Acceptance::Any },
            has: [&common].into_iter().chain((host == 0).then_some(&rare)).map(Arc::clone).collect(),
            prefers: (host == 0).then_some(rare_hash),
        };
        let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
        let loss = context.share("loss");
        let town = Town {
            seed: context.seed,
            ground: Ground::Star,
            link: link.loss(if loss > 0.0 { Loss::Independent(loss) } else { Loss::None }),
            compiling: context.time("compiling"),
            residents: self.refuses.iter().enumerate().map(resident).collect(),
        };
        let mut standing = context.world(town).stand();
        let hosts = self.refuses.len();
        let (mut had, mut sent) = (Vec::new(), Vec::new());
        let ends = (0..=self.lots.len() as u32).map(|number| Instant::ZERO + self.every * number);
        for (lot, at) in self.lots.iter().map(Some).chain([None]).zip(ends) {
            standing.world.run_until(if lot.is_some() { at } else { at + REST });
            had.push((0..hosts).filter(|host| standing.courier(*host).has(&rare_hash)).count());
            sent.push(standing.bytes_sent());
            let Some([from, to]) = lot else { break };
            let offers = vec![if standing.courier(*from).has(&rare_hash) { rare_hash } else { common_hash }];
            let to = standing.targets[*to].clone();
            let visit = Visit { at, to, offers, bytes: self.bytes, asks: None };
            standing.courier_mut(*from).plan(visit);
        }
        let all = || (0..hosts).map(|host| standing.courier(host));
        let spent = all().fold(Spent::default(), |sum, courier| sum.plus(courier.spent));
        let visits = || all().flat_map(|courier| &courier.visits);
        let broken = || visits().filter(|visit| visit.whole.is_none());
        let by_it = |visit: &&Visited| visit.whole.is_some() && visit.settled == Some(Settled::Runs(rare_hash));
        Ok(Met {
            had,
            sent,
            spent,
            by_it: visits().filter(by_it).count() as u64,
            failed: broken().count() as u64,
            why: broken().find_map(|visit| visit.failed.clone()),
            unwilling: (0..hosts).filter(|host| self.refuses[*host] && standing.courier(*host).has(&rare_hash)).count()
                as u64,
        })
    }
}
