//! The swarm: worlds drawn by lot, whole families of them, and what must hold in every one.
//!
//! A seed draws roads, settings, two applications and more, their clocks, and what befalls them meanwhile. Whatever
//! that is:
//!
//! * every half of every stream is read as it was written, byte for byte, once and in order, and both ends know how it
//!   ended; a datagram arrives whole, and at most once; of numbered echoes, which some connections speak instead of
//!   streams, each number is echoed once;
//! * what a host counts equals what its tables hold, at every moment ([`tng_stack::Accounting`]); at the end nothing is
//!   left;
//! * an address that has proven nothing gets three times its bytes at most;
//! * everything is said and heard within a bound once nothing more happens, and then both sides fall silent; a host
//!   that hears nothing, or has nothing to do, does next to nothing;
//! * of processes that share a flow the living are served, whatever the dead had under way;
//! * however helpers are killed, drained and changed, no connection ends as long as there is a direct path, and they
//!   hold nothing in the end;
//! * a server that keeps nothing acts on each continuation once, sends no more than a window, and holds nothing in the
//!   end, however often it is killed;
//! * the same seed gives the same run, to the last bit.
//!
//! [`ride`] runs one, [`sweep`] many; a [`Soak`] goes on. What fails is told in one line, with the command that shows
//! it again.

mod blow;
mod clock;
mod echoes;
mod helpers;
mod ledger;
mod party;
mod passage;
mod plan;
mod ride;
mod seat;
mod shards;
mod siblings;
mod soak;
mod stream;
mod trickles;

use core::any::Any;
use core::fmt;
use core::str::FromStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde::{Deserialize, Serialize};
use tng_base::Rng;
use tng_stack::Caution;

use crate::lab::Shard;
use plan::Plan;

pub use shards::{Part, merge};
pub use soak::{Held, Soak, Soaked};

/// Of so many runs one is run twice, to compare.
pub const TWICE_EACH: u64 = 25;

/// Failures of a sweep that are kept; all are counted.
pub const FAILURES_MAX: usize = 100;

/// What a run is mostly about. Of 100 runs 32 have something of another family, too; those of the siblings, of
/// Trickles and of helpers never.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Loss, reordering, duplication, damage, jitter, marks; rates, delays and queues of every size, another one each
    /// way.
    Roads,
    /// The largest packet that passes changes while packets do.
    Sizes,
    /// NATs forget, hosts move, one or both at once.
    Moves,
    /// Nothing passes, for a moment or for longer than channels live.
    Outages,
    /// Channels are added, given up, asked for by both, or in vain.
    Paths,
    /// A process ends and another one begins with the same key.
    Restarts,
    /// Keys are renewed after a few packets.
    Keys,
    /// Strangers send copies, nonsense and openings from addresses that are not theirs.
    Floods,
    /// Many streams and descendants, datagrams, priorities, messages.
    Trees,
    /// Little credit, slow readers, streams cut short by either end.
    Credit,
    /// Both ends dial, more than once.
    Crossed,
    /// Clocks that go wrong in steps, late timers, hosts that do not run for a while.
    Clocks,
    /// Of several processes with one key and address some die in mid-transfer, and some stand still.
    Siblings,
    /// Servers that keep nothing: replicas are killed and started again, clients move.
    Trickles,
    /// Flows by way of helpers, several in a row, which are killed, drained and changed meanwhile; tunnels between two.
    Helpers,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 15] = [
        Family::Roads,
        Family::Sizes,
        Family::Moves,
        Family::Outages,
        Family::Paths,
        Family::Restarts,
        Family::Keys,
        Family::Floods,
        Family::Trees,
        Family::Credit,
        Family::Crossed,
        Family::Clocks,
        Family::Siblings,
        Family::Trickles,
        Family::Helpers,
    ];

    /// Those that a run of another may have something of: all but the last three, whose worlds are of another kind.
    const MIXED: &[Family] = {
        let [mixed @ .., Family::Siblings, Family::Trickles, Family::Helpers] = &Family::ALL else {
            panic!("they are the last")
        };
        mixed
    };

    /// Its name in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Roads => "roads",
            Family::Sizes => "sizes",
            Family::Moves => "moves",
            Family::Outages => "outages",
            Family::Paths => "paths",
            Family::Restarts => "restarts",
            Family::Keys => "keys",
            Family::Floods => "floods",
            Family::Trees => "trees",
            Family::Credit => "credit",
            Family::Crossed => "crossed",
            Family::Clocks => "clocks",
            Family::Siblings => "siblings",
            Family::Trickles => "trickles",
            Family::Helpers => "helpers",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(text: &str) -> Result<Family, String> {
        let names = || Family::ALL.map(Family::name).join(", ");
        let known = Family::ALL.into_iter().find(|family| family.name() == text);
        known.ok_or_else(|| format!("no family is called {text}; there are {}", names()))
    }
}

/// What runs came to, one or many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Runs.
    pub runs: u64,
    /// Bytes that applications read from streams.
    pub bytes: u64,
    /// Halves of streams that were written.
    pub halves: u64,
    /// Datagrams that arrived.
    pub datagrams: u64,
    /// Numbers that were echoed.
    pub echoes: u64,
    /// Bytes of UDP datagrams that helpers passed on.
    pub relayed: u64,
    /// UDP datagrams that hosts sent.
    pub packets: u64,
    /// UDP datagrams received.
    pub heard: u64,
    /// Timers that went off.
    pub timeouts: u64,
    /// Most UDP datagrams sent and timers handled, for each channel, in a second of a host that had nothing left to do.
    pub done_worst: u64,
    /// The same of a host that heard nothing.
    pub deaf_worst: u64,
    /// Virtual time until everything was said and heard.
    pub virtual_ns: u64,
    /// Of one run: every packet that arrived or was lost, with its time.
    #[serde(skip)]
    pub digest: [u8; 32],
}

impl Figures {
    /// Counts another run, or many.
    pub fn add(&mut self, more: &Figures) {
        self.runs += more.runs;
        self.bytes += more.bytes;
        self.halves += more.halves;
        self.datagrams += more.datagrams;
        self.echoes += more.echoes;
        self.relayed += more.relayed;
        self.packets += more.packets;
        self.heard += more.heard;
        self.timeouts += more.timeouts;
        self.done_worst = self.done_worst.max(more.done_worst);
        self.deaf_worst = self.deaf_worst.max(more.deaf_worst);
        self.virtual_ns += more.virtual_ns;
    }
}

/// A run in which something did not hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// Its family.
    pub family: Family,
    /// Its seed.
    pub seed: u64,
    /// What did not hold.
    pub what: String,
    /// What was drawn, in the words of the code.
    pub plan: String,
}

/// One line, with the command that shows it again.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { family, seed, what, .. } = self;
        write!(f, "{family} {seed}: {what}; again: tng sim swarm --family {family} --seeds {seed}")
    }
}

impl core::error::Error for Failure {}

fn lots(family: Family, seed: u64) -> Rng {
    Rng::from_u64(seed ^ (family as u64 + 1) << 56)
}

fn lots_apart(family: Family, seed: u64) -> Rng {
    Rng::from_u64(!seed ^ (family as u64 + 1) << 56)
}

/// What a seed draws in a family, in the words of the code.
pub fn plan(family: Family, seed: u64) -> String {
    let mut rng = lots(family, seed);
    match family {
        Family::Siblings => format!("{:?}", siblings::Plan::draw(&mut rng)),
        Family::Trickles => format!("{:?}", trickles::Plan::draw(&mut rng)),
        Family::Helpers => format!("{:?}", helpers::Plan::draw(&mut rng)),
        _ => format!("{:?}", Plan::draw(family, &mut rng, lots_apart(family, seed))),
    }
}

fn once(family: Family, seed: u64) -> Result<Figures, String> {
    let mut rng = lots(family, seed);
    let run = || match family {
        Family::Siblings => siblings::ride(seed, &siblings::Plan::draw(&mut rng), Caution::default()),
        Family::Trickles => {
            let plan = trickles::Plan::draw(&mut rng);
            trickles::ride(seed ^ (family as u64 + 1) << 56, &plan, rng)
        }
        Family::Helpers => {
            let plan = helpers::Plan::draw(&mut rng);
            helpers::ride(seed ^ (family as u64 + 1) << 56, &plan, rng)
        }
        _ => {
            let plan = Plan::draw(family, &mut rng, lots_apart(family, seed));
            ride::Ride::new(seed ^ (family as u64 + 1) << 56, plan, rng).run()
        }
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(panic_words(&*panic)))
}

/// What a panic said.
pub(crate) fn panic_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("without words"))
}

/// Runs one world.
///
/// # Errors
/// If anything did not hold.
pub fn ride(family: Family, seed: u64) -> Result<Figures, Box<Failure>> {
    let first = once(family, seed);
    let outcome = match first {
        Ok(figures) if seed.is_multiple_of(TWICE_EACH) => match once(family, seed) {
            Ok(again) if again == figures => Ok(figures),
            Ok(_) => Err("the same seed gives two different runs".into()),
            Err(what) => Err(format!("the second time only: {what}")),
        },
        outcome => outcome,
    };
    outcome.map_err(|what| Box::new(Failure { family, seed, what, plan: plan(family, seed) }))
}

/// What a sweep came to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Swept {
    /// Every family that was asked for, with what its runs came to.
    pub families: Vec<(Family, Figures)>,
    /// Runs in which something did not hold.
    pub failed: u64,
    /// The first of them, [`FAILURES_MAX`] at most, by family and seed.
    pub failures: Vec<Failure>,
}

impl Swept {
    /// Runs, those that failed included.
    pub fn runs(&self) -> u64 {
        self.families.iter().map(|(_, figures)| figures.runs).sum::<u64>() + self.failed
    }

    /// Nothing yet, of these families.
    pub fn of(families: &[Family]) -> Swept {
        Swept { families: families.iter().map(|family| (*family, Figures::default())).collect(), ..Swept::default() }
    }

    /// With what another sweep of the same families, with other seeds, came to.
    pub fn add(&mut self, other: &Swept) {
        for ((_, figures), (_, more)) in self.families.iter_mut().zip(&other.families) {
            figures.add(more);
        }
        self.failed += other.failed;
        other.failures.iter().for_each(|failure| self.keep(failure.clone()));
    }

    /// Keeps the first failures by family and seed, whichever was found first.
    fn keep(&mut self, failure: Failure) {
        let at = self.failures.partition_point(|kept| (kept.family, kept.seed) < (failure.family, failure.seed));
        self.failures.insert(at, failure);
        self.failures.truncate(FAILURES_MAX);
    }
}

/// Runs every seed of every family that falls to a shard, on `jobs` threads, until `stop` is set. Each failure is told
/// as it is found.
pub fn sweep(
    families: &[Family],
    seeds: &[u64],
    shard: Shard,
    jobs: usize,
    stop: &AtomicBool,
    tell: &(dyn Fn(&Failure) + Sync),
) -> Swept {
    let swept = Mutex::new(Swept::of(families));
    let (next, count) = (AtomicUsize::new(0), families.len());
    let total = seeds.len().saturating_mul(count);
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn >= total {
                        return;
                    }
                    if !shard.has(turn) {
                        continue;
                    }
                    let at = turn % count;
                    let outcome = ride(families[at], seeds[turn / count]);
                    let mut swept = swept.lock().unwrap_or_else(PoisonError::into_inner);
                    match outcome {
                        Ok(figures) => swept.families[at].1.add(&figures),
                        Err(failure) => {
                            tell(&failure);
                            swept.failed += 1;
                            swept.keep(*failure);
                        }
                    }
                }
            });
        }
    });
    swept.into_inner().unwrap_or_else(PoisonError::into_inner)
}
