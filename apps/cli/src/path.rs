//! What becomes of the path to a peer, as it is told.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tng::{CloseCause, ConnectionEvent, Events, KEPT_FOR, PathCondition, PathId, Refusal, Wait, is_carried};

use crate::daemon::locked;
use crate::talk::Talk;
use crate::via::{CARRIED, Words, tells_carried};
use crate::waits;

/// Whether a peer is sought for the first time, or was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialing {
    /// Nothing was said of it yet.
    First,
    /// That it is sought was told.
    Again,
}

/// The path that the streams of a connection take, as far as was told.
#[derive(Clone, Debug)]
pub struct Path(Arc<Mutex<Taken>>);

#[derive(Debug)]
struct Taken {
    helped: Helped,
    /// A direct path is there.
    direct: bool,
}

/// By which path that leads through helpers.
#[derive(PartialEq, Debug)]
enum Helped {
    No,
    /// The first of the connection, if it does.
    First,
    By(PathId),
}

impl Path {
    /// Tells what becomes of it, as long as there is a connection.
    pub fn follow(events: Events, words: Words, (talk, dialing): (Talk, Dialing)) -> Path {
        let helped = if words.is_empty() { Helped::No } else { Helped::First };
        let path = Path(Arc::new(Mutex::new(Taken { helped, direct: false })));
        tokio::spawn(path.clone().tell(events, words, (talk, dialing)));
        path
    }

    /// The first is direct.
    pub fn note_direct(&self) {
        self.change(Helped::No, true);
    }

    fn change(&self, helped: Helped, direct: bool) {
        *locked(&self.0) = Taken { helped, direct };
    }

    /// This one is gone. If it was the one that leads through helpers, answers whether a direct one is there.
    fn lose(&self, path: PathId) -> Option<bool> {
        let mut taken = locked(&self.0);
        if taken.helped != Helped::First && taken.helped != Helped::By(path) {
            return None;
        }
        taken.helped = Helped::No;
        Some(taken.direct)
    }

    async fn tell(self, mut events: Events, words: Words, (talk, dialing): (Talk, Dialing)) {
        // It was told that the peer does not answer, and it has not since.
        let mut is_silent = false;
        // The path that was added last leads to its first helper by a carrier.
        let mut by_carrier = false;
        while let Some(event) = events.next().await {
            is_silent &= !shows_life(&event);
            match event {
                ConnectionEvent::Condition { condition: PathCondition::Stalled, .. } if !is_silent => {
                    is_silent = true;
                    talk.say("the peer does not answer; looking for another way to it");
                    talk.event("stalled", &json!({}));
                }
                ConnectionEvent::PathAdded { remote, helped: true, .. } => by_carrier = is_carried(remote.ip()),
                ConnectionEvent::PathLost { path, cause } => {
                    if let Some(direct) = self.lose(path) {
                        let why = match cause {
                            CloseCause::Left(sign) => sign.to_string(),
                            other => other.to_string(),
                        };
                        let (word, words) = if direct { ("direct", "; the path is direct") } else { ("away", "") };
                        talk.say(format_args!("the helpers were left: {why}{words}"));
                        talk.event("left", &json!({ "why": why, "path": word }));
                    }
                }
                ConnectionEvent::PathAdded { remote, helped: false, .. } => {
                    locked(&self.0).direct = true;
                    if is_carried(remote.ip()) {
                        talk.say(tells_carried());
                        talk.event("back", &json!({ "path": CARRIED }));
                    } else {
                        talk.say(format_args!("reached the peer at {remote}; going on directly"));
                        talk.event("back", &json!({ "address": remote.to_string(), "path": "direct" }));
                    }
                }
                ConnectionEvent::Helped { path, helpers } => {
                    self.change(Helped::By(path), false);
                    let path = words.via(&helpers, by_carrier);
                    talk.say(format_args!("going on {path}"));
                    talk.event("helped", &json!({ "path": path }));
                }
                ConnectionEvent::Declined { helpers, refusal } => {
                    locked(&self.0).helped = Helped::No;
                    let (names, why) = (words.names(&helpers), why_declined(refusal));
                    talk.say(format_args!("no help from {names}: {why}"));
                    talk.event("declined", &json!({ "helpers": names, "why": why }));
                }
                ConnectionEvent::HelpersRefused { helpers, reason } => {
                    locked(&self.0).helped = Helped::No;
                    let names = words.names(&helpers);
                    talk.say(format_args!("the peer takes nobody through {names}: {reason}"));
                    talk.event("refused", &json!({ "helpers": names, "why": reason.to_string() }));
                }
                ConnectionEvent::StaysRelayed { why } => {
                    talk.say(format_args!("going on by way of helpers: {why}"));
                    talk.event("relayed", &json!({ "why": why.to_string() }));
                }
                ConnectionEvent::Moved { remote, .. } => talk.event("moved", &json!({ "address": remote.to_string() })),
                ConnectionEvent::Away => {
                    talk.say(format_args!("no way to the peer is left; looking for it, for {} s", KEPT_FOR.as_secs()));
                    talk.event("away", &json!({ "kept_s": KEPT_FOR.as_secs() }));
                }
                // That a lost peer is sought was told.
                ConnectionEvent::Waits { wait: Wait::Answer { .. } } if dialing == Dialing::Again => {}
                ConnectionEvent::WaitOver { wait: Wait::Answer { .. }, .. } if dialing == Dialing::Again => {}
                ConnectionEvent::Waits { wait } => waits::begin(&wait, talk),
                ConnectionEvent::WaitOver { lasted, .. } => waits::end(lasted, talk),
                _ => {}
            }
        }
    }
}

/// Whether the peer has answered, as far as an event tells.
const fn shows_life(event: &ConnectionEvent) -> bool {
    matches!(
        event,
        ConnectionEvent::PathAdded { .. } | ConnectionEvent::Condition { condition: PathCondition::Good, .. }
    )
}

/// Why a helper has declined, and what is done about it here, if anything is.
fn why_declined(refusal: Refusal) -> String {
    match refusal {
        Refusal::UnknownCapability => "it does not know the capability that is kept; asking it for another".to_owned(),
        Refusal::Expired => "the capability has expired; asking it for another".to_owned(),
        other => other.to_string(),
    }
}
