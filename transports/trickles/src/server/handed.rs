//! A server that ends hands over what it knows of the past to the one that takes its place.

use tng_base::Instant;
use tng_wire::Reader;

use super::Server;
use crate::minisocket::Application;
use crate::replay::{HandedError, Issuer};
use crate::{Horizon, PREDECESSORS_MAX, Wall};

impl<A: Application> Server<A> {
    /// Judges nothing from now on, and answers what the server that takes its place is to know: what is spent, and what
    /// clients have told of losses (docs/wire.md section 11.2). What it has judged it still answers.
    pub fn retire(&mut self, now: Instant) -> Vec<u8> {
        self.is_retired = true;
        self.arrived.clear();
        let mut out = Vec::new();
        out.extend_from_slice(&self.gate.horizon.started.as_millis().to_be_bytes());
        let Horizon { own, predecessors, .. } = self.gate.horizon;
        let line: Vec<Issuer> = [Some(own)].into_iter().chain(predecessors).flatten().take(PREDECESSORS_MAX).collect();
        out.push(line.len() as u8);
        line.iter().for_each(|issuer| out.extend_from_slice(&issuer.0.to_be_bytes()));
        self.gate.replay.write(now, &mut out);
        self.gate.stories.write(now, &mut out);
        out
    }

    /// Takes the place of a server that has [retired](Self::retire), before anything is judged: what was given out
    /// since that one began to know is good for what it is. Once for each that retires: what is spent from then on it
    /// does not say.
    ///
    /// # Errors
    /// [`HandedError`]: nothing is taken over, and it is as after a crash.
    pub fn take_over(&mut self, now: Instant, handed: &[u8]) -> Result<(), HandedError> {
        let gate = &mut self.gate;
        let mut reader = Reader::new(handed);
        let started = Wall::from_millis(reader.u64()?);
        if started > gate.wall(now) {
            return Err(HandedError::Future);
        }
        let mut predecessors = [None; PREDECESSORS_MAX];
        let count = usize::from(reader.u8()?);
        for place in predecessors.get_mut(..count).ok_or(HandedError::Malformed)? {
            *place = Some(Issuer(reader.u32()?));
        }
        let replay = gate.replay.taking_over(now, &mut reader)?;
        let stories = gate.stories.taking_over(now, &mut reader)?;
        if !reader.rest().is_empty() {
            return Err(HandedError::Malformed);
        }
        (gate.replay, gate.stories) = (replay, stories);
        gate.horizon.predecessors = predecessors;
        gate.known_before = gate.clock.at(gate.begun).since(started);
        gate.set_clock(gate.clock);
        Ok(())
    }
}
