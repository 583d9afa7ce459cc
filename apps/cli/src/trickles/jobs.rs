//! What takes too long for the task that answers requests: a thread does it beside, and what comes of it is kept until
//! somebody asks again.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tng::trickles::ClientNetwork;

/// Something that is done beside.
pub(super) trait Job: Send + 'static {
    /// What tells it from others.
    type Key: Clone + PartialEq + Send;
    /// What comes of it.
    type Done: Clone + Send;

    /// What tells it from others.
    fn key(&self) -> &Self::Key;

    /// Bytes that what came of one holds, with its key.
    fn held(key: &Self::Key, done: &Self::Done) -> usize;

    /// Does all of it, or as much as is one job's turn.
    fn go_on(&mut self) -> Turn<Self::Done>;
}

/// What a turn of a job comes to.
#[derive(Debug)]
pub(super) enum Turn<D> {
    /// All is done.
    Done(D),
    /// It goes on when all others have had their turn.
    More,
    /// Nothing comes of it: who asks again is told why.
    Nothing,
}

/// What is known of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known<D> {
    /// What came of it.
    Done(D),
    /// It is being done.
    UnderWay,
    /// Nothing.
    No,
}

/// How many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// What came of so many is kept: each look goes through all.
    pub(super) kept: usize,
    /// So many bytes have they, but for the last: what came of as many as may wait is kept until it is asked for.
    pub(super) kept_bytes: usize,
    /// So many wait, or are being done.
    pub(super) waiting: usize,
    /// So many of them for clients at one address, or in one network of IPv6 (/64).
    pub(super) waiting_each: usize,
}

/// What the thread shares with who asks.
struct State<J: Job> {
    bounds: Bounds,
    /// The oldest first.
    known: VecDeque<(J::Key, J::Done)>,
    /// Whose turn it is, first; and where the client is that asked for it.
    waiting: VecDeque<(ClientNetwork, J)>,
    /// What the thread has in its hands.
    at_work: Option<(ClientNetwork, J::Key)>,
    is_over: bool,
}

impl<J: Job> State<J> {
    fn under_way(&self) -> impl Iterator<Item = (&ClientNetwork, &J::Key)> {
        let waiting = self.waiting.iter().map(|(place, job)| (place, job.key()));
        waiting.chain(self.at_work.iter().map(|(place, key)| (place, key)))
    }

    fn has_room(&self, place: &ClientNetwork) -> bool {
        let of_one = self.under_way().filter(|(other, _)| *other == place).count();
        self.under_way().count() < self.bounds.waiting && of_one < self.bounds.waiting_each
    }

    fn held(&self) -> usize {
        self.known.iter().map(|(key, done)| J::held(key, done)).sum()
    }

    fn remember(&mut self, key: J::Key, done: J::Done) {
        self.known.retain(|(other, _)| *other != key);
        self.known.push_back((key, done));
        let Bounds { kept, kept_bytes, waiting, .. } = self.bounds;
        let mut held = self.held();
        while self.known.len() > kept || self.known.len() > waiting && held > kept_bytes {
            held -= self.known.pop_front().map_or(0, |(key, done)| J::held(&key, &done));
        }
    }
}

struct Shared<J: Job> {
    state: Mutex<State<J>>,
    changed: Condvar,
}

impl<J: Job> Shared<J> {
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Jobs, and the thread that does them.
pub(super) struct Jobs<J: Job>(Arc<Shared<J>>);

impl<J: Job> Jobs<J> {
    /// Starts the thread, which ends with this.
    ///
    /// # Errors
    /// If the system has none.
    pub(super) fn start(name: &str, bounds: Bounds) -> io::Result<Jobs<J>> {
        let (known, waiting) = (VecDeque::new(), VecDeque::new());
        let state = Mutex::new(State { bounds, known, waiting, at_work: None, is_over: false });
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let own = Arc::clone(&shared);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&own))?;
        Ok(Jobs(shared))
    }

    pub(super) fn look(&self, key: &J::Key) -> Known<J::Done> {
        let state = self.0.lock();
        match state.known.iter().find(|(other, _)| other == key) {
            Some((_, done)) => Known::Done(done.clone()),
            None if state.under_way().any(|(_, other)| other == key) => Known::UnderWay,
            None => Known::No,
        }
    }

    /// Keeps what came of something that was done elsewhere.
    pub(super) fn remember(&self, key: J::Key, done: J::Done) {
        self.0.lock().remember(key, done);
    }

    /// Whether one more can be done for a client there: there are not too many, for all or for one place.
    pub(super) fn has_room(&self, place: &ClientNetwork) -> bool {
        self.0.lock().has_room(place)
    }

    /// Has something done, if [`look`](Jobs::look) found nothing. Answers whether there is room.
    pub(super) fn request(&self, place: ClientNetwork, job: J) -> bool {
        let mut state = self.0.lock();
        let has_room = state.has_room(&place);
        if has_room {
            state.waiting.push_back((place, job));
            self.0.changed.notify_one();
        }
        has_room
    }

    /// Bytes that what came of all holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.0.lock().held()
    }

    /// Forgets what came of all.
    #[cfg(test)]
    pub(super) fn forget(&self) {
        self.0.lock().known.clear();
    }
}

impl<J: Job> Drop for Jobs<J> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_one();
    }
}

fn work<J: Job>(shared: &Shared<J>) {
    let mut state = shared.lock();
    while !state.is_over {
        let Some((place, mut job)) = state.waiting.pop_front() else {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.at_work = Some((place, job.key().clone()));
        drop(state);
        let turn = job.go_on();
        state = shared.lock();
        state.at_work = None;
        match turn {
            Turn::Done(done) => state.remember(job.key().clone(), done),
            Turn::More => state.waiting.push_back((place, job)),
            Turn::Nothing => {}
        }
    }
}
