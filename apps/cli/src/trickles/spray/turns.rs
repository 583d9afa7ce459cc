//! Whose turn it is among the replicas of a fleet, and who is passed over.

use core::time::Duration;

use tng_base::Instant;
use tng_trickles::client::{PASSED_OVER_FOR, PASSED_OVER_MAX, RESTS_FOR, UNANSWERED_FOR, UNANSWERED_MAX};

/// Replicas behind one sprayer, at most.
pub const REPLICAS_MAX: usize = 16;

/// A client, as far as turns are concerned: they are of each client by itself, so that two clients that speak by turns
/// do not have one replica each.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// Whose turn it is.
    at: usize,
    /// Which replicas take nothing that others gave this client, since they were started lately or go by another time:
    /// each is asked again then, once.
    rests: [Option<Instant>; REPLICAS_MAX],
}

impl Asker {
    /// A replica has denied what this client asked for.
    pub fn denied(&mut self, which: usize, now: Instant) {
        self.rests[which].get_or_insert(now + RESTS_FOR);
    }

    /// It has granted something.
    pub fn granted(&mut self, which: usize) {
        self.rests[which] = None;
    }
}

/// How a replica is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Health {
    /// It has left so many datagrams in a row without an answer, the first of them sent then.
    Asked { unanswered: u32, since: Instant },
    /// It does not answer, and is asked again then.
    PassedOver { again: Instant, pause: Duration },
}

#[derive(Clone, Copy, Debug)]
struct Replica {
    health: Health,
    /// It has answered a ping: pings alone tell whether it is there, and cost no client anything.
    answers_pings: bool,
}

/// The replicas of a fleet, by their numbers.
#[derive(Clone, Debug)]
pub struct Turns {
    replicas: Vec<Replica>,
}

impl Turns {
    /// So many, [`REPLICAS_MAX`] at most and one at least, which all answer as far as is known.
    pub fn new(count: usize) -> Turns {
        let health = Health::Asked { unanswered: 0, since: Instant::ZERO };
        Turns { replicas: vec![Replica { health, answers_pings: false }; count.clamp(1, REPLICAS_MAX)] }
    }

    /// Where a request of a client goes: to the next that answers and that has not denied this client lately. Where all
    /// have, to the one that did so first: it takes what it gives out itself. Where none answers each has its turn.
    pub fn next(&mut self, now: Instant, asker: &mut Asker) -> usize {
        let (count, Asker { at: turn, rests }) = (self.replicas.len(), asker);
        let turns = (0..count).map(|ahead| (*turn + ahead) % count);
        let answering = turns.filter(|at| self.may_be_asked(*at, now));
        let resting = |at: &usize| rests[*at].filter(|until| now < *until);
        let found = answering.clone().find(|at| resting(at).is_none()).or_else(|| answering.min_by_key(resting));
        let at = found.unwrap_or(*turn);
        if let Some(until) = &mut rests[at]
            && *until <= now
        {
            *until = now + RESTS_FOR;
        }
        *turn = (at + 1) % count;
        self.asked(at, now);
        at
    }

    /// Where the first message of a client with this number goes, each time the same, for a cookie is good where it was
    /// made: unless that replica does not answer.
    pub fn home(&mut self, client: usize, now: Instant) -> usize {
        let count = self.replicas.len();
        let from = client % count;
        let at = (from..from + count).map(|at| at % count).find(|at| self.may_be_asked(*at, now)).unwrap_or(from);
        self.asked(at, now);
        at
    }

    /// A ping was sent to it.
    pub fn pinged(&mut self, which: usize, now: Instant) {
        // A silent one never answers any.
        if self.replicas[which].answers_pings {
            self.asked(which, now);
        }
    }

    /// It has answered. Tells whether it was passed over until now.
    pub fn answered(&mut self, which: usize, is_ping: bool) -> bool {
        let replica = &mut self.replicas[which];
        replica.answers_pings |= is_ping;
        let was = core::mem::replace(&mut replica.health, Health::Asked { unanswered: 0, since: Instant::ZERO });
        matches!(was, Health::PassedOver { .. })
    }

    /// Its host says that nobody is there. Tells whether it is passed over from now on, and was not before.
    pub fn refused(&mut self, which: usize, now: Instant) -> bool {
        self.pass_over(which, now)
    }

    /// Whether it is passed over from now on, and was not before, since it is silent.
    pub fn falls_silent(&mut self, which: usize, now: Instant) -> bool {
        match self.replicas[which].health {
            Health::Asked { unanswered, since } if unanswered >= UNANSWERED_MAX && now >= since + UNANSWERED_FOR => {
                self.pass_over(which, now)
            }
            _ => false,
        }
    }

    /// Whether it is passed over.
    pub fn is_passed_over(&self, which: usize) -> bool {
        matches!(self.replicas[which].health, Health::PassedOver { .. })
    }

    fn pass_over(&mut self, which: usize, now: Instant) -> bool {
        let health = &mut self.replicas[which].health;
        if matches!(health, Health::PassedOver { .. }) {
            return false;
        }
        *health = Health::PassedOver { again: now + PASSED_OVER_FOR, pause: PASSED_OVER_FOR };
        true
    }

    fn may_be_asked(&self, which: usize, now: Instant) -> bool {
        let Replica { health, answers_pings } = self.replicas[which];
        match health {
            Health::Asked { .. } => true,
            Health::PassedOver { again, .. } => !answers_pings && again <= now,
        }
    }

    fn asked(&mut self, which: usize, now: Instant) {
        match &mut self.replicas[which].health {
            Health::Asked { unanswered, since } => {
                if *unanswered == 0 {
                    *since = now;
                }
                *unanswered = unanswered.saturating_add(1);
            }
            Health::PassedOver { again, pause } if *again <= now => {
                *pause = (2 * *pause).min(PASSED_OVER_MAX);
                *again = now + *pause;
            }
            Health::PassedOver { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// Asks once each millisecond; those that are not `dead` answer. How often each was asked.
    fn ask(turns: &mut Turns, from: u64, until: u64, dead: &[usize]) -> Vec<u32> {
        let (mut asked, mut asker) = (vec![0; turns.replicas.len()], Asker::default());
        for at in from..until {
            let which = turns.next(ms(at), &mut asker);
            asked[which] += 1;
            if dead.contains(&which) {
                turns.falls_silent(which, ms(at));
            } else {
                turns.answered(which, false);
            }
        }
        asked
    }

    #[test]
    fn each_has_its_turn_and_one_that_is_silent_is_passed_over_and_asked_again_now_and_then() {
        let mut turns = Turns::new(3);
        assert_eq!(ask(&mut turns, 0, 300, &[]), [100; 3]);
        let within = UNANSWERED_FOR.as_millis() as u32 / 3;
        let asked = ask(&mut turns, 300, 1_200, &[1]);
        assert!((within..=within + 2).contains(&asked[1]) && asked[0] > 300 && asked[2] > 300, "{asked:?}");
        // After a second, two, four, up to 32.
        let asked = ask(&mut turns, 1_200, 100_000, &[1]);
        assert!((6..=8).contains(&asked[1]), "{asked:?}");
        let asked = ask(&mut turns, 133_000, 136_000, &[]);
        assert!(asked[1] > 900, "{asked:?}");
        let asked = ask(&mut turns, 136_000, 136_600, &[0, 1, 2]);
        assert!(asked.iter().all(|count| *count > 150), "where none answers each has its turn: {asked:?}");
    }

    #[test]
    fn one_that_refuses_is_passed_over_at_once_and_back_with_the_first_ping_that_it_answers() {
        let mut turns = Turns::new(2);
        assert!(!turns.answered(1, true) && turns.refused(1, ms(5)) && !turns.refused(1, ms(6)), "told once");
        // However long it is away: pings find it, and cost no client a datagram.
        assert_eq!(ask(&mut turns, 10, 60_000, &[]), [59_990, 0]);
        assert!(turns.is_passed_over(1) && turns.answered(1, true) && !turns.answered(1, true));
        assert_eq!(ask(&mut turns, 60_000, 60_100, &[]), [50, 50]);
        // Control: of one that answers no pings only requests find out.
        assert!(turns.refused(0, ms(60_100)) && ask(&mut turns, 60_100, 60_500, &[])[0] == 0);
        let mut silent = Turns::new(2);
        silent.refused(0, ms(0));
        assert!(ask(&mut silent, 0, 2_000, &[])[0] > 400);
    }

    #[test]
    fn pings_that_are_not_answered_count_unless_none_ever_was() {
        for (answers, passed_over) in [(true, true), (false, false)] {
            let mut turns = Turns::new(2);
            if answers {
                turns.answered(0, true);
            }
            let fell: Vec<u64> = (0..20)
                .map(|n| 50 * n)
                .filter(|at| {
                    turns.pinged(0, ms(*at));
                    turns.falls_silent(0, ms(*at))
                })
                .collect();
            assert_eq!((turns.is_passed_over(0), fell.len()), (passed_over, usize::from(passed_over)), "{fell:?}");
        }
    }

    #[test]
    fn a_replica_that_denies_a_client_is_asked_by_that_client_once_a_second_and_by_others_as_before() {
        let (mut turns, mut denied, mut other) = (Turns::new(2), Asker::default(), Asker::default());
        denied.denied(0, ms(0));
        let (mut ours, mut others) = ([0; 2], [0; 2]);
        for at in 0..5_000 {
            ours[turns.next(ms(at), &mut denied)] += 1;
            others[turns.next(ms(at), &mut other)] += 1;
            turns.answered(0, false);
            turns.answered(1, false);
        }
        assert!(ours[0] == 4 && ours[1] == 4_996 && others[0] > 2_000, "{ours:?} {others:?}");
        denied.granted(0);
        assert_ne!(turns.next(ms(5_000), &mut denied), turns.next(ms(5_000), &mut denied));
        // Where both do, it is always the same one.
        denied.denied(1, ms(6_000));
        denied.denied(0, ms(6_001));
        assert!((6_002..6_100).all(|at| turns.next(ms(at), &mut denied) == 1));
    }

    #[test]
    fn first_messages_of_a_client_go_to_one_replica_while_that_answers() {
        let mut turns = Turns::new(3);
        assert!(
            (0..9).all(|client| turns.home(client, ms(1)) == client % 3 && turns.home(client, ms(2)) == client % 3)
        );
        turns.answered(2, true);
        turns.refused(2, ms(3));
        assert_eq!([turns.home(2, ms(4)), turns.home(1, ms(4)), turns.home(5, ms(4))], [0, 1, 0]);
    }
}
