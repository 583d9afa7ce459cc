//! Many files at once: which run, and which of them goes first.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use tng_services::files::SafePath;

use super::{Fetched, Limit};
use crate::exit::Exit;
use crate::failure::Failure;

/// Small files are many, and cost a round trip each if they go one by one: so many for each large one.
pub const SMALL_PER_LARGE: usize = 16;
/// Files at once, small ones and large ones, where there is a limit, however low.
const LIMITED_MIN: usize = 4;
/// Files of at most this many bytes are small.
pub const SMALL_MAX: u64 = 64 << 10;

/// Which of the files on their way goes first where they compete.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Urgency {
    /// When there is room.
    #[default]
    Rest,
    /// Of all large ones it was asked for first.
    First,
    /// It is small, and soon over.
    Small,
}

impl Urgency {
    /// The level of a stream's priority (SST 5.6).
    pub const fn level(self) -> i8 {
        match self {
            Urgency::Rest => 0,
            Urgency::First => 1,
            Urgency::Small => 2,
        }
    }
}

/// In which order files come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Order {
    /// In the order asked for; small files before large ones
    Asked,
    /// Files on their way share the rate evenly
    Even,
}

/// Gives a stream another urgency while it is used.
pub type Knob = Box<dyn Fn(Urgency) + Send>;

/// The urgency of one file, and the stream that it is on at the moment.
#[derive(Default)]
pub struct Dial(Mutex<(Urgency, Option<Knob>)>);

impl fmt::Debug for Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dial").finish_non_exhaustive()
    }
}

impl Dial {
    /// The file is on this stream from now on.
    pub fn attach(&self, knob: Knob) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 != Urgency::default() {
            knob(state.0);
        }
        state.1 = Some(knob);
    }

    fn turn(&self, urgency: Urgency) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut state.0, urgency) != urgency
            && let Some(knob) = &state.1
        {
            knob(urgency);
        }
    }
}

/// How many files at once, and in which order.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Large files at once.
    pub large: usize,
    /// Small files at once, beside them.
    pub small: usize,
    /// Which go first.
    pub order: Order,
}

impl Lanes {
    /// The usual proportion.
    pub const fn new(large: usize, order: Order) -> Lanes {
        Lanes { large, small: large * SMALL_PER_LARGE, order }
    }

    /// The same, or fewer under a limit: what waits for its turn too long is given up by the other side.
    pub(super) fn under(self, limit: Option<&Limit>) -> Lanes {
        let Some(limit) = limit else { return self };
        let all = limit.turns().max(LIMITED_MIN);
        let large = self.large.min(all / 2);
        Lanes { large, small: self.small.min(all - large), ..self }
    }

    /// One file after the other.
    pub const ONE: Lanes = Lanes { large: 1, small: 0, order: Order::Asked };
}

/// A file that goes or comes.
pub trait Errand: Send + 'static {
    /// Its name at the server.
    fn path(&self) -> &SafePath;
    /// Its place here, for people.
    fn here(&self) -> String;
    /// Its size as far as it is known, in bytes.
    fn size(&self) -> u64;
}

/// Whether a failure makes every further attempt vain.
pub fn is_fatal(failure: &Failure) -> bool {
    use Exit::{Denied, Exists, NotFound, Partial, Read, Receive, RemoteFull, Send, Write};
    let own = [NotFound, Denied, Write, Read, Send, Receive, Partial, Exists, RemoteFull];
    failure.lost.is_something() || !own.contains(&failure.exit)
}

/// Does `work` for every job, as many at a time as there are lanes; tells `each` how every one ended, in the order in
/// which they end. A file that fails does not stop the others unless they must fail too.
///
/// # Errors
/// The first failure, if there was one.
pub async fn run_all<E, F>(
    jobs: Vec<E>,
    lanes: Lanes,
    work: impl Fn(E, Arc<Dial>) -> F,
    mut each: impl FnMut(&E, &Result<Fetched, Failure>),
) -> Result<(), Failure>
where
    E: Errand,
    F: Future<Output = (E, Result<Fetched, Failure>)> + Send + 'static,
{
    let is_small = |job: &E| lanes.small > 0 && job.size() > 0 && job.size() <= SMALL_MAX;
    let (mut small, mut large): (VecDeque<E>, VecDeque<E>) = jobs.into_iter().partition(is_small);
    let mut running = JoinSet::new();
    let (mut smalls, mut larges) = (0, BTreeMap::<u64, Arc<Dial>>::new());
    let (mut number, mut first) = (0, Ok(()));
    loop {
        while smalls < lanes.small
            && let Some(job) = small.pop_front()
        {
            let dial = Arc::<Dial>::default();
            if lanes.order == Order::Asked {
                dial.turn(Urgency::Small);
            }
            let working = work(job, dial);
            running.spawn(async move { (None, working.await) });
            smalls += 1;
        }
        while larges.len() < lanes.large.max(1)
            && let Some(job) = large.pop_front()
        {
            let dial = Arc::<Dial>::default();
            larges.insert(number, Arc::clone(&dial));
            let (working, this) = (work(job, dial), number);
            running.spawn(async move { (Some(this), working.await) });
            number += 1;
        }
        if let Some(dial) = larges.values().next().filter(|_| lanes.order == Order::Asked && lanes.large > 1) {
            dial.turn(Urgency::First);
        }
        let Some(ended) = running.join_next().await else {
            return first;
        };
        let (which, (job, ended)) = ended.map_err(|error| Failure::new(Exit::Receive, "moving files", error))?;
        match which {
            Some(number) => drop(larges.remove(&number)),
            None => smalls -= 1,
        }
        each(&job, &ended);
        if let Err(failure) = ended {
            let fatal = is_fatal(&failure);
            first = first.and(Err(failure));
            if fatal {
                // Dropping the set stops the others where they are; their scratch files stay.
                return first;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Job, Outcome, Outlet, Target};
    use tokio::sync::oneshot;

    fn job(name: &str, size: u64) -> Job {
        Job { path: SafePath::parse(name).expect("a path"), target: Target::Outlet(Outlet::Stdout), size, meta: None }
    }

    #[test]
    fn under_a_low_limit_few_files_are_on_their_way_at_once() {
        let lanes = |rate: Option<u64>| {
            let lanes = Lanes::new(8, Order::Asked).under(rate.map(Limit::new).as_ref());
            (lanes.large, lanes.small)
        };
        let found = [None, Some(1_000), Some(1_000_000), Some(100_000_000)].map(lanes);
        assert_eq!(found, [(8, 128), (2, 2), (8, 53), (8, 128)]);
        let one = Lanes::ONE.under(Some(&Limit::new(1)));
        assert_eq!((one.large, one.small), (1, 0));
    }

    #[tokio::test]
    async fn the_first_asked_goes_first_then_the_next_and_small_files_before_all() {
        let (seen, stops) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Mutex<BTreeMap<String, _>>>::default());
        let work = |job: Job, dial: Arc<Dial>| {
            let name = job.path.as_str().to_owned();
            let (stop, stopped) = oneshot::channel::<()>();
            stops.lock().expect("no panic").insert(name.clone(), stop);
            let (seen, knob) = (Arc::clone(&seen), name);
            dial.attach(Box::new(move |urgency| seen.lock().expect("no panic").push(format!("{knob} {urgency:?}"))));
            async move {
                // Ends when its sender is gone.
                let _ = stopped.await;
                let fetched =
                    Fetched { outcome: Outcome::Fetched, size: 1, moved: 1, copied: 0, discarded: 0, hash: None };
                (job, Ok(fetched))
            }
        };
        let jobs = vec![job("a", 0), job("b", SMALL_MAX + 1), job("c", 0), job("d", 0), job("s", SMALL_MAX)];
        let end = |name: &str| drop(stops.lock().expect("no panic").remove(name));
        let mut next = ["b", "a", "c", "d"].into_iter();
        let lanes = Lanes { large: 3, small: 1, order: Order::Asked };
        let all = run_all(jobs, lanes, work, |_, _| next.next().into_iter().for_each(end));
        let ending = async { end("s") };
        tokio::join!(all, ending).0.expect("all ended");
        assert_eq!(*seen.lock().expect("no panic"), ["s Small", "a First", "c First", "d First"]);
    }
}
