//! Hosts that ask for help and are denied it: how many, and a line in the log of some of them.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tng::help::Denied;
use tng_base::Eid;

use crate::clock;
use crate::daemon::locked;
use crate::talk::Talk;

/// Lines of hosts that are denied, at once.
pub const DENIALS_TOLD_AT_ONCE: u32 = 8;

/// The time from one such line to the next, in the long run: anybody may ask, and be denied.
pub const DENIALS_TOLD_EVERY: Duration = Duration::from_secs(10);

/// Why hosts are denied: for programs, and for people.
const REASONS: [(Denied, &str); 2] = [(Denied::NotAClient, "not_a_client"), (Denied::WrongToken, "wrong_token")];

/// Counts of hosts that were denied, and who of them is told of.
#[derive(Debug, Default)]
pub struct Denials(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// In the order of [`REASONS`].
    by_reason: [u64; REASONS.len()],
    /// When as many lines as may be at once are due again.
    rested_at: Option<Instant>,
    /// Denied since the last line, and not told of.
    untold: u64,
}

impl Counts {
    /// Counts one. If a line is due for it, answers how many had none since the last line.
    fn note(&mut self, now: Instant, at: usize) -> Option<u64> {
        self.by_reason[at] += 1;
        let rested_at = self.rested_at.map_or(now, |rested_at| rested_at.max(now));
        if rested_at - now > DENIALS_TOLD_EVERY * (DENIALS_TOLD_AT_ONCE - 1) {
            self.untold += 1;
            return None;
        }
        self.rested_at = Some(rested_at + DENIALS_TOLD_EVERY);
        Some(core::mem::take(&mut self.untold))
    }
}

impl Denials {
    /// Notes that a host is denied.
    pub fn note(&self, eid: Eid, why: Denied, talk: Talk) {
        // Other reasons are for clients.
        let Some(at) = REASONS.iter().position(|(reason, _)| *reason == why) else { return };
        if let Some(untold) = locked(&self.0).note(clock::now(), at) {
            let fields = json!({ "eid": eid.to_string(), "why": REASONS[at].1, "untold": untold });
            talk.note(words(eid, why, untold), "denied", &fields);
        }
    }

    /// How many were denied, by a word for why.
    pub fn counts(&self) -> [(&'static str, u64); REASONS.len()] {
        let counts = locked(&self.0).by_reason;
        core::array::from_fn(|at| (REASONS[at].1, counts[at]))
    }

    /// The same for the status.
    pub fn status(&self) -> Value {
        self.counts().into_iter().map(|(why, count)| (why.to_owned(), Value::from(count))).collect()
    }
}

fn words(eid: Eid, why: Denied, untold: u64) -> String {
    let why = match why {
        Denied::WrongToken => "it shows a token that no client has; compare token_sha256",
        _ => "it is no client, and shows no token; if it should be one, add a [[client]] with that eid",
    };
    let more = if untold > 0 { format!(" ({untold} more were denied since the last line)") } else { String::new() };
    format!("denied help to {eid}: {why}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_who_are_denied_are_counted_and_so_many_told_of_that_a_log_stays_small() {
        let (mut counts, began) = (Counts::default(), clock::now());
        let told = (0..1_000).filter(|_| counts.note(began, 0).is_some()).count();
        assert_eq!(told, DENIALS_TOLD_AT_ONCE as usize);
        assert_eq!(counts.note(began + DENIALS_TOLD_EVERY / 2, 1), None);
        let untold = 1_001 - u64::from(DENIALS_TOLD_AT_ONCE);
        assert_eq!(counts.note(began + DENIALS_TOLD_EVERY, 1), Some(untold), "with those that were not");
        assert_eq!(counts.by_reason, [1_000, 2]);
        let rested = began + DENIALS_TOLD_EVERY * 100;
        let told = (0..1_000).filter(|_| counts.note(rested, 0).is_some()).count();
        assert_eq!(told, DENIALS_TOLD_AT_ONCE as usize, "no more for having been silent");
    }

    #[test]
    fn who_is_denied_is_named_with_what_would_make_it_a_client() {
        let eid = Eid::from_bytes([7; 32]);
        assert!(words(eid, Denied::NotAClient, 0).starts_with(&format!("denied help to {eid}: it is no client")));
        let token = words(eid, Denied::WrongToken, 3);
        assert!(token.contains("a token that no client has") && token.contains("(3 more"), "{token}");
    }
}
