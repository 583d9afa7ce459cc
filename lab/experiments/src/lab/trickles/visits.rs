//! Clients who come, fetch a file, and come again, each time on a connection of their own; some leave in the middle and
//! say nothing.

use core::cell::{Cell, RefCell};
use core::time::Duration;
use std::rc::Rc;

use tng_base::Rng;
use tng_emulator::transfer::Origin;
use tokio::time;

use super::twins::{Standing, address_of, begins};
use crate::lab::causes::Causes;
use crate::real::used;
use crate::real::visitor::{Source, Wanted, fetch};

/// One who has failed comes again after so long.
const AGAIN_AFTER: Duration = Duration::from_millis(100);
/// One in so many who take their time leaves in the middle.
const LEAVES_ONE_IN: u64 = 5;
/// Bytes that one of them has room for.
const PACED_BUFFER: u32 = 4_000;

/// How they fetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::lab) enum Manner {
    /// As fast as it comes, and to the end.
    Greedy,
    /// So many bytes a second each, as one that plays what it fetches; one in five leaves in the middle.
    Paced(u64),
}

/// What became of them.
#[derive(Debug, Default)]
pub(in crate::lab) struct Visits {
    /// Bytes that came.
    pub(in crate::lab) came: Rc<Cell<u64>>,
    /// Files that came whole, every byte right.
    pub(in crate::lab) whole: Cell<u64>,
    /// Clients that left in the middle.
    pub(in crate::lab) left: Cell<u64>,
    /// Those to whom nothing came any more.
    pub(in crate::lab) failed: RefCell<Causes>,
}

/// What came in a while.
#[derive(Clone, Copy, Debug)]
pub(in crate::lab) struct Span {
    pub(in crate::lab) seconds: f64,
    pub(in crate::lab) bytes: u64,
    /// Processor time that the server's processes had meanwhile.
    pub(in crate::lab) process: Duration,
}

impl Visits {
    /// What comes in the next `span`, and what it takes of these processes.
    pub(in crate::lab) async fn measure(&self, pids: &[u32], span: Duration) -> Span {
        let (origin, came, process) = (Origin::now(), self.came.get(), used::processor(pids));
        time::sleep(span).await;
        let (seconds, bytes) = (origin.elapsed().as_secs_f64(), self.came.get() - came);
        Span { seconds, bytes, process: used::processor(pids) - process }
    }
}

fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

/// Lets so many come, one after the other at first, until the runtime of this thread ends.
pub(in crate::lab) fn begin(standing: &Standing, clients: u64, manner: Manner, rng: &mut Rng) -> Rc<Visits> {
    let visits: Rc<Visits> = Rc::default();
    for number in 0..clients {
        let (source, wanted, rng) = (standing.source(), standing.wanted(), rng.fork());
        tokio::task::spawn_local(come(number, (source, wanted), manner, rng, Rc::clone(&visits)));
    }
    visits
}

async fn come(number: u64, (source, wanted): (Source, Wanted), manner: Manner, mut rng: Rng, visits: Rc<Visits>) {
    time::sleep(begins(number)).await;
    let from = address_of(number);
    let wanted = match manner {
        Manner::Greedy => wanted,
        Manner::Paced(pace) => Wanted { buffer: Some(PACED_BUFFER), pace: Some(pace), ..wanted },
    };
    loop {
        let leaves = wanted.takes().filter(|_| rng.below(LEAVES_ONE_IN) == 0).map(|all| all.mul_f64(rng.unit()));
        let visit = fetch(&source, wanted.clone(), from, &mut rng, &visits.came);
        let visited = match leaves {
            Some(stays) => time::timeout(stays, visit).await.ok(),
            None => Some(visit.await),
        };
        match visited {
            Some(Ok(())) => count(&visits.whole),
            None => count(&visits.left),
            Some(Err(why)) => {
                visits.failed.borrow_mut().note(1, &why);
                time::sleep(AGAIN_AFTER).await;
            }
        }
    }
}
