//! A server that runs goes by its fleet's secrets: what is over is erased where they are, and what was rotated is taken
//! up.

use std::sync::{Arc, Mutex};

use tng::Endpoint;

use super::keys::{Edition, FleetKeys, KeysPlace};
use super::left::Left;
use crate::daemon::locked;
use crate::exit::Exit;
use crate::failure::Failure;

/// Where the secrets of a server are, and what was made of them.
#[derive(Debug)]
pub struct Following {
    place: KeysPlace,
    /// One looks at a time: what is read may take a while.
    looking: Mutex<()>,
    endpoint: Endpoint,
    /// Where it is noted what the server goes by.
    left: Option<Arc<Left>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    edition: Edition,
    /// Why it goes by what it had, if it could not take up what they are now.
    failure: Option<Failure>,
}

impl Following {
    /// A server that has begun with this edition of them.
    pub fn new(place: KeysPlace, endpoint: Endpoint, edition: Edition, left: Option<Arc<Left>>) -> Arc<Following> {
        let state = Mutex::new(State { edition, failure: None });
        Arc::new(Following { place, looking: Mutex::default(), endpoint, left, state })
    }

    /// What it goes by.
    pub fn edition(&self) -> Edition {
        locked(&self.state).edition
    }

    /// Why it has not taken up what they are.
    pub fn failure(&self) -> Option<Failure> {
        locked(&self.state).failure.clone()
    }

    /// Reads them, and goes by them from now on. Answers whether they were rotated.
    ///
    /// # Errors
    /// If they are not to be had, or not to be gone by: what was before holds.
    pub fn look(&self) -> Result<bool, Failure> {
        let _one = locked(&self.looking);
        let seen = self.edition();
        let followed = self.place.follow(Some(seen)).and_then(|FleetKeys { edition, secrets }| {
            let taken = self.endpoint.set_stateless_secrets(&secrets);
            taken.map_err(|error| Failure::new(Exit::Read, "taking the keys of the fleet", error))?;
            locked(&self.state).edition = edition;
            let is_rotated = edition != seen;
            if let Some(left) = self.left.as_ref().filter(|_| is_rotated) {
                left.note(edition)?;
            }
            Ok(is_rotated)
        });
        locked(&self.state).failure = followed.as_ref().err().cloned();
        followed
    }

    /// Looks whenever they may have changed, and twice in an epoch, for as long as it is polled. `tell` hears what came
    /// of it: each failure once.
    pub async fn keep(self: Arc<Following>, tell: impl Fn(Result<Edition, &Failure>)) {
        let (mut signs, mut told) = (self.place.signs(), None);
        loop {
            signs.next().await;
            let looks = Arc::clone(&self);
            let looked = tokio::task::spawn_blocking(move || looks.look()).await;
            match looked.unwrap_or_else(|error| Err(Failure::new(Exit::Read, "looking for keys", error))) {
                Ok(rotated) => {
                    told = None;
                    if rotated {
                        tell(Ok(self.edition()));
                    }
                }
                Err(failure) => {
                    // Which member of etcd was asked last is nothing new.
                    let kind = Some((failure.what.clone(), failure.remedy.clone()));
                    if told != kind {
                        tell(Err(&failure));
                        told = kind;
                    }
                }
            }
        }
    }
}
