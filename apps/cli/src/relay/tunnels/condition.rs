//! Whether a tunnel is up, and if not why: for the status, and in the log when that changes.

use std::fmt;
use std::sync::Mutex;

use serde_json::json;
use tng::relay::LeftBecause;

use crate::daemon::locked;
use crate::talk::Talk;

/// What is known of a tunnel's condition.
#[derive(Debug)]
pub(super) struct Condition {
    name: String,
    talk: Talk,
    now: Mutex<Now>,
}

#[derive(Debug, Default)]
struct Now {
    up: bool,
    why: Option<String>,
    /// It is for want of a capability.
    denied: bool,
    /// The reason that was logged last: one that comes again and again is logged once.
    logged: Option<String>,
}

impl Condition {
    pub(super) fn new(name: &str, talk: Talk) -> Condition {
        Condition { name: name.to_owned(), talk, now: Mutex::default() }
    }

    pub(super) fn is_up(&self) -> bool {
        locked(&self.now).up
    }

    /// Why it is not up, or what is amiss though it is.
    pub(super) fn why(&self) -> Option<String> {
        locked(&self.now).why.clone()
    }

    /// It is there, and stays; `of` is whom it leads to.
    pub(super) fn note_up(&self, of: &str) {
        let before = core::mem::replace(&mut *locked(&self.now), Now { up: true, ..Now::default() });
        if !before.up {
            let words = format!("tunnel {:?} is up, with {of}", self.name);
            self.talk.note(words, "tunnel_up", &json!({ "name": self.name, "of": of }));
        }
    }

    /// It is not there.
    pub(super) fn note_down(&self, why: impl fmt::Display) {
        self.down(why.to_string(), false);
    }

    fn down(&self, why: String, denied: bool) {
        let mut now = locked(&self.now);
        if now.logged.as_ref() != Some(&why) {
            let words = format!("tunnel {:?} is down: {why}", self.name);
            self.talk.note(words, "tunnel_down", &json!({ "name": self.name, "why": why }));
        }
        *now = Now { up: false, why: Some(why.clone()), denied, logged: Some(why) };
    }

    /// There is no capability: a tunnel that is up lives on the one before.
    pub(super) fn note_denied(&self, why: String) {
        if !self.is_up() {
            return self.down(why, true);
        }
        tracing::warn!("tunnel {:?}: no capability: {why}", self.name);
        locked(&self.now).why = Some(why);
    }

    /// There is a capability; whether there is a tunnel will be seen.
    pub(super) fn note_granted(&self) {
        let mut now = locked(&self.now);
        if now.up {
            now.why = None;
        } else if now.denied || now.why.is_none() {
            now.why = Some("it is asked for, and the other relay has not answered yet".to_owned());
        }
    }
}

/// Why the end that asks has lost a tunnel that was `settled`, or that was not.
pub(super) fn lost_here(because: LeftBecause, settled: bool) -> String {
    match because {
        LeftBecause::Closed if settled => {
            "the other relay has closed it: it ended, or was started again; it is asked for again".to_owned()
        }
        LeftBecause::Closed => {
            "the other relay closes it at once: it has no [[tunnel]] of this name from this client; \
                                compare name and from there with name here"
                .to_owned()
        }
        LeftBecause::Silent | LeftBecause::Unanswered => {
            "the other relay does not answer; check that it runs, and the way to it".to_owned()
        }
        LeftBecause::Declined(refusal) => format!("the other relay declines: {refusal}"),
        LeftBecause::CapabilityEnded => "the capability has ended; another is asked for".to_owned(),
        LeftBecause::Forbidden | LeftBecause::Draining => "this relay is being shut down".to_owned(),
    }
}

/// Why the end that was asked has lost a tunnel.
pub(super) fn lost_there(because: LeftBecause) -> String {
    let words = match because {
        LeftBecause::Closed => "the relay that asked has closed it: it ended, or was started again",
        LeftBecause::Silent => "nothing comes from the relay that asked; check that it runs, and the way from it",
        LeftBecause::Unanswered => "the relay that asked did not go on; check the way back to it",
        LeftBecause::Declined(refusal) => return format!("the relay that asked declines: {refusal}"),
        LeftBecause::CapabilityEnded => "its capability has ended; the relay that asked gets another if it is listed",
        LeftBecause::Forbidden | LeftBecause::Draining => "this relay is being shut down",
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> Condition {
        Condition::new("office", Talk { quiet: true, ..Talk::default() })
    }

    #[test]
    fn a_tunnel_that_is_down_says_why_until_it_is_up() {
        let condition = quiet();
        assert_eq!((condition.is_up(), condition.why()), (false, None));
        condition.note_down(lost_here(LeftBecause::Closed, false));
        condition.note_granted();
        assert!(condition.why().expect("told").contains("no [[tunnel]] of this name from this client"));
        condition.note_denied("no".to_owned());
        condition.note_granted();
        assert!(condition.why().expect("told").contains("has not answered yet"));
        condition.note_up("site");
        assert_eq!((condition.is_up(), condition.why()), (true, None));
        condition.note_down(lost_there(LeftBecause::Silent));
        assert!(!condition.is_up() && condition.why().expect("told").contains("nothing comes"));
    }

    #[test]
    fn a_renewal_that_is_denied_is_told_and_the_tunnel_stays_up() {
        let condition = quiet();
        condition.note_up("site");
        condition.note_denied("no".to_owned());
        assert_eq!((condition.is_up(), condition.why().as_deref()), (true, Some("no")));
        condition.note_granted();
        assert_eq!((condition.is_up(), condition.why()), (true, None));
        let down = quiet();
        down.note_denied("no".to_owned());
        assert_eq!((down.is_up(), down.why().as_deref()), (false, Some("no")), "control");
    }

    #[test]
    fn a_tunnel_that_was_there_for_a_while_is_not_taken_for_one_that_nobody_knows() {
        assert!(lost_here(LeftBecause::Closed, true).contains("it ended, or was started again"));
        assert!(lost_here(LeftBecause::Silent, true).contains("does not answer"));
    }
}
