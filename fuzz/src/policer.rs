//! The policer and its books, led through a life of sends, proofs, lies and losses by a sender that knows no shame.

use std::time::Duration;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_nonce::{Direction, NonceKey, Purpose};
use tng_stp_host::{Books, Cap, FLOOR_SEGMENTS, Policer, PolicerConfig, SEGMENT_ADDED, State, Verdict};

use crate::bytes::Script;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[Target {
    name: "policer",
    kind: Kind::Stateful,
    len_max: 600,
    memory: (256 << 10, 4 << 10),
    run: policer,
    seeds,
}];

const SEGMENT: u64 = 1_200;
const ROOM: usize = 512;

/// What may have left since the first loss, by what the policer itself said that the rate was.
struct Account {
    at: Instant,
    /// The largest rate since then.
    pace: u64,
    allowed: f64,
    sent: f64,
    /// What no rate accounts for: bursts of a round trip, and what leaves although nothing is proven.
    spare: f64,
}

impl Account {
    /// Time has passed, and the rate is another one.
    fn note(&mut self, now: Instant, policer: &Policer) {
        self.allowed += self.pace as f64 * now.since(self.at).as_secs_f64();
        (self.at, self.pace) = (now, policer.pace());
    }
}

/// No lie is believed, what arrived is, and in the long run no more leaves than the rate allows: 1.05 of it, and 1.3 of
/// what it allows in a round trip.
fn policer(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let key = NonceKey::derive(&Secret32::from_bytes([3; 32]));
    let chain = key.chain(&[4; 16], Direction::Outward, Purpose::Policer);
    let cap = [Cap::Equation, Cap::EquationOrCubic][script.below(2)];
    let mut now = Instant::from_secs(1);
    let mut policer = Policer::new(PolicerConfig { cap, segment_max: SEGMENT as u16 }, now);
    let mut books = Books::new(ROOM);
    let mut account: Option<Account> = None;
    let mut sent_without_proof = 0;
    let mut proven = false;
    while !script.is_over() {
        match script.below(10) {
            // As many as it may, or some, of one size.
            what @ 0..=2 => {
                let size = [SEGMENT, 100, 1 + 5 * u64::from(script.u8())][what];
                for _ in 0..=script.below(64) {
                    if !books.has_room() || policer.check(now, size) != Verdict::Now {
                        policer.handle_refused(now);
                        break;
                    }
                    assert!(policer.budget(now) >= SEGMENT || size < SEGMENT, "what may leave is told");
                    if let Some(account) = &mut account {
                        account.note(now, &policer);
                        account.sent += (size + SEGMENT_ADDED) as f64;
                    }
                    policer.handle_sent(now, size);
                    books.handle_sent(now, size);
                    sent_without_proof += u64::from(!proven);
                }
            }
            3 | 4 => now += Duration::from_millis(u64::from(script.u8())),
            5 => now += Duration::from_millis(20 * u64::from(script.u8())),
            6 => {
                let start = books.next().saturating_sub(u64::from(script.u8()));
                let range = start..(start + 1 + script.below(32) as u64).min(books.next());
                let lie = if script.below(4) == 0 { script.number() } else { 0 };
                let sum = range.clone().fold(lie, |sum, number| sum ^ chain.nonce(number));
                let delay = Duration::from_micros(100 * u64::from(script.u8()));
                let said = books.handle_proof(now, range.clone(), sum, delay, &chain, &mut policer);
                assert_eq!(said.is_ok(), lie == 0 && !range.is_empty(), "{range:?}, {lie}");
                proven |= said.is_ok();
            }
            7 => {
                let number = books.next().saturating_sub(u64::from(script.u8()));
                let outstanding = books.outstanding();
                let said = books.handle_nack(now, number, &mut policer);
                assert!(said.is_err() || books.outstanding() < outstanding);
            }
            8 => policer.handle_path(now),
            _ => policer.set_parties(1 + script.below(4)),
        }
        if books.poll_timeout(&policer).is_some_and(|at| at <= now) {
            books.handle_timeout(now, &mut policer);
        }
        let waits = books.poll_timeout(&policer);
        assert!(waits.is_none_or(|at| at > now), "a sender that waits until {waits:?} at {now:?} waits for ever");
        assert!(books.outstanding() <= ROOM as u64);
        // Ten at first, and two more after each of doubled seconds.
        let since = now.since(Instant::from_secs(1)).as_secs() + 1;
        assert!(sent_without_proof <= 64 * 10 + 2 * u64::from(since.ilog2() + 1), "{sent_without_proof}");
        if policer.state() == State::SteadyState {
            let limit = policer.limit().max(FLOOR_SEGMENTS * (SEGMENT + SEGMENT_ADDED)) as f64;
            let account = account.get_or_insert_with(|| Account {
                at: now,
                pace: policer.pace(),
                allowed: 0.0,
                sent: 0.0,
                spare: 0.0,
            });
            account.spare = account.spare.max(limit);
            account.note(now, &policer);
            let most = 1.05 * account.allowed + 8.0 * account.spare;
            assert!(account.sent <= most, "{} of {most} bytes since the first loss", account.sent);
        } else if account.is_some() {
            account = None;
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    // Rounds of sends, a time, and proofs of nearly all.
    let round = |gap: u8, lose: u8| vec![0, 63, 3, gap, 6, 10, 9 - lose, 1, 0, 6, 64, 31, 1, 2, 4, 1];
    let rounds = |count: usize, gap: u8, lose: u8| (0..count).flat_map(|_| round(gap, lose)).collect::<Vec<u8>>();
    let script = |cap: u8, ops: &[Vec<u8>]| [&[cap], ops.concat().as_slice()].concat();
    let lies = vec![6, 3, 2, 0, 9, 0, 6, 5, 4, 0, 0xff, 1, 2, 3, 0];
    vec![
        script(0, &[rounds(20, 50, 0), vec![7, 3], rounds(15, 50, 1)]),
        script(1, &[rounds(10, 20, 2), vec![8], rounds(10, 90, 3), lies.clone()]),
        script(0, &[vec![0, 63, 5, 255, 0, 63, 5, 255, 0, 63], lies, rounds(3, 9, 1)]),
        script(1, &[rounds(6, 30, 1), vec![9, 3], rounds(6, 30, 1), vec![5, 200, 1, 63, 2, 7, 63]]),
    ]
}
