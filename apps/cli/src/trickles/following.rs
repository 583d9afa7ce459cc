//! A server that runs goes by its fleet's file: what is over is erased in it, and what was rotated is taken up.

use std::sync::{Arc, Mutex};

use tng::Endpoint;
use tng::trickles::EPOCH;
use tokio::time::MissedTickBehavior;

use super::keys::{Edition, FleetKeys, KEYS_LOOKED_AT_EVERY, KeysFile};
use super::left::Left;
use crate::clock;
use crate::daemon::locked;
use crate::exit::Exit;
use crate::failure::Failure;

/// The file of a server, and what was made of it.
#[derive(Debug)]
pub struct Following {
    file: KeysFile,
    endpoint: Endpoint,
    /// Where it is noted what the server goes by.
    left: Option<Arc<Left>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    edition: Edition,
    /// Why it goes by what it had, if it could not take up what the file says now.
    failure: Option<Failure>,
}

impl Following {
    /// A server that has begun with this edition of the file.
    pub fn new(file: KeysFile, endpoint: Endpoint, edition: Edition, left: Option<Arc<Left>>) -> Arc<Following> {
        Arc::new(Following { file, endpoint, left, state: Mutex::new(State { edition, failure: None }) })
    }

    /// What it goes by.
    pub fn edition(&self) -> Edition {
        locked(&self.state).edition
    }

    /// Why it has not taken up what the file says.
    pub fn failure(&self) -> Option<Failure> {
        locked(&self.state).failure.clone()
    }

    /// Reads the file, and goes by it from now on. Answers whether it was rotated.
    ///
    /// # Errors
    /// If it is not to be had, or not to be gone by: what was before holds.
    pub fn look(&self) -> Result<bool, Failure> {
        let mut state = locked(&self.state);
        let followed = self.file.follow(Some(state.edition)).and_then(|FleetKeys { edition, secrets }| {
            let taken = self.endpoint.set_stateless_secrets(&secrets);
            taken.map_err(|error| Failure::new(Exit::Read, "taking the keys of the fleet", error))?;
            let is_rotated = core::mem::replace(&mut state.edition, edition) != edition;
            if let Some(left) = self.left.as_ref().filter(|_| is_rotated) {
                left.note(edition)?;
            }
            Ok(is_rotated)
        });
        state.failure = followed.as_ref().err().cloned();
        followed
    }

    /// Looks whenever the file was changed, and twice in an epoch, for as long as it is polled. `tell` hears what came
    /// of it: each failure once.
    pub async fn keep(self: Arc<Following>, tell: impl Fn(Result<Edition, &Failure>)) {
        let (mut stamp, mut looked) = (self.file.stamp(), clock::now());
        let mut ticks = tokio::time::interval(KEYS_LOOKED_AT_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut told = None;
        loop {
            ticks.tick().await;
            // Before it is read: what changes in between is seen the next time.
            let now = self.file.stamp();
            if now == stamp && looked.elapsed() < EPOCH / 2 {
                continue;
            }
            (stamp, looked) = (now, clock::now());
            match self.look() {
                Ok(rotated) => {
                    told = None;
                    if rotated {
                        tell(Ok(self.edition()));
                    }
                }
                Err(failure) if told.as_ref() != Some(&failure) => {
                    tell(Err(&failure));
                    told = Some(failure);
                }
                Err(_) => {}
            }
        }
    }
}
