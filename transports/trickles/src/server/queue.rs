//! The event queue, and what its owner does with it (Trickles 3.2 and 3.3, figure 11).

use tng_base::Instant;

use super::datagrams::Batch;
use super::{QUEUE_MAX, Server};
use crate::minisocket::{Answer, Application, Asked, Asks, InstallError, Minisocket, Sealing};
use crate::replay::Burnt;

impl<A: Application> Server<A> {
    /// Leaves what it grants in the queue when it is polled: its owner looks at the [events](Self::events) after each
    /// poll, takes some and [answers](Self::serve_all) the others. Without it each is answered at once. A queue that
    /// nobody empties is full some time, and what comes then is dropped.
    ///
    /// The key of an answer is drawn when its request is judged. So a copy of the whole process, as of a virtual
    /// machine, that is made while an event waits may seal two answers with one key. Who makes such copies leaves this
    /// off: what is answered at once is sealed with what is drawn in the same instant.
    pub const fn keep_events(&mut self, keep: bool) {
        self.keeps_events = keep;
    }

    /// The events that wait, the oldest first.
    pub fn events(&self) -> impl ExactSizeIterator<Item = &Minisocket> {
        self.queue.iter().map(|minisocket| &**minisocket)
    }

    /// Takes one of the [events](Self::events) off the queue, by its place in it: it is the caller's then, to be
    /// [answered](Self::converse) and [sent](Self::send), or dropped.
    pub fn detach(&mut self, at: usize) -> Option<Box<Minisocket>> {
        self.queue.remove(at)
    }

    /// What a minisocket asks for, and where its answer goes.
    pub fn converse<'a>(&'a mut self, now: Instant, minisocket: &'a mut Minisocket) -> (Asks<'a>, Answer<'a>) {
        let version = self.application.version();
        minisocket.converse(self.gate.context(now, version))
    }

    /// Tells `each` what a minisocket asks for, one thing after the other. Continuations that are not taken it is not
    /// told of: why they are not is in the answer then.
    pub fn hear<'a>(&'a mut self, now: Instant, minisocket: &'a mut Minisocket, mut each: impl FnMut(Asked<'a>)) {
        let version = self.application.version();
        minisocket.hear(self.gate.context(now, version), |asked, _| each(asked));
    }

    /// Lets a minisocket go unanswered.
    pub fn drop_minisocket(&mut self, mut minisocket: Box<Minisocket>) {
        if self.spare.len() < QUEUE_MAX {
            minisocket.sealing = Sealing::Nothing;
            self.spare.push(minisocket);
        }
    }

    /// What another server of the fleet can [install](Self::install) of a minisocket; nothing if it belongs to a
    /// set-up, or if this one seals nothing. This server lets it go.
    pub fn extract(&mut self, now: Instant, minisocket: Box<Minisocket>) -> Option<Vec<u8>> {
        let extracted = minisocket.extract(&self.gate.keys, self.gate.wall(now), self.gate.horizon.own);
        self.drop_minisocket(minisocket);
        extracted
    }

    /// Puts a minisocket into the queue that another server has [extracted](Self::extract). Once, and within the age
    /// limit.
    ///
    /// # Errors
    /// [`InstallError`].
    pub fn install(&mut self, now: Instant, extracted: &[u8]) -> Result<(), InstallError> {
        let gate = &mut self.gate;
        let (id, tag) = Minisocket::check(extracted, &gate.keys, &gate.horizon, gate.wall(now))?;
        if self.arrived.len() + self.queue.len() >= QUEUE_MAX {
            return Err(InstallError::Overloaded);
        }
        match gate.objects.admit(now, &id, &tag, &(0..0), 0) {
            Ok(_) => {
                self.keep(None, extracted);
                Ok(())
            }
            Err(Burnt::Full) => Err(InstallError::Overloaded),
            Err(_) => Err(InstallError::Again),
        }
    }

    /// Answers all that wait, in one go ("bulk").
    pub fn serve_all(&mut self, now: Instant) {
        while let Some(minisocket) = self.queue.pop_front() {
            self.serve(now, minisocket, &mut Batch::new(&mut []));
        }
    }
}
