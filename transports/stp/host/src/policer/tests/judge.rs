//! Looks at every segment that left, by the definition and not by spans.

use core::time::Duration;

use tng_base::Instant;

use super::link::{Sent, Since};

/// The most that was found, over what is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worst {
    /// In a round trip that ends with a segment, over 1.3 of the cap in it.
    pub(crate) round: f64,
    /// In eight of them, over the cap in them.
    pub(crate) mean: f64,
}

/// Something by the second, summed up over time.
struct Sums<'a, T> {
    log: &'a [Since<T>],
    per_sec: fn(T) -> f64,
    until: Vec<f64>,
}

impl<T: Copy> Sums<'_, T> {
    fn new(log: &[Since<T>], per_sec: fn(T) -> f64) -> Sums<'_, T> {
        let mut sum = 0.0;
        let mut until = vec![sum];
        for pair in log.windows(2) {
            sum += per_sec(pair[0].is) * pair[1].at.since(pair[0].at).as_secs_f64();
            until.push(sum);
        }
        Sums { log, per_sec, until }
    }

    fn up_to(&self, at: Instant) -> f64 {
        let place = self.log.partition_point(|since| since.at <= at).max(1) - 1;
        self.until[place] + (self.per_sec)(self.log[place].is) * at.since(self.log[place].at).as_secs_f64()
    }

    /// When the sum was so much.
    fn when(&self, sum: f64) -> Instant {
        let place = self.until.partition_point(|until| *until <= sum).max(1) - 1;
        let secs = (sum - self.until[place]).max(0.0) / (self.per_sec)(self.log[place].is);
        self.log[place].at + Duration::from_secs_f64(secs)
    }
}

/// Judges what left from `since` on. Where round trips change, as many are over as the time over them adds up to.
pub(crate) fn judge(log: &[Sent], paces: &[Since<u64>], rounds: &[Since<Duration>], since: Instant) -> Worst {
    let allowed = Sums::new(paces, |rate| rate as f64);
    let rounds = Sums::new(rounds, |round| 1.0 / round.as_secs_f64());
    let mut worst = Worst { round: 0.0, mean: 0.0 };
    let mut sums = vec![0.0];
    for sent in log {
        sums.push(sums[sums.len() - 1] + sent.bytes as f64);
    }
    for (place, sent) in log.iter().enumerate() {
        let over = rounds.up_to(sent.at);
        if over < rounds.up_to(since) + 9.0 {
            continue;
        }
        let sent_since = |time: Instant| sums[place + 1] - sums[log.partition_point(|other| other.at <= time)];
        worst.round = worst.round.max(sent_since(rounds.when(over - 1.0)) / sent.limit.max(sent.bytes) as f64);
        let eight_ago = rounds.when(over - 8.0);
        let cap = allowed.up_to(sent.at) - allowed.up_to(eight_ago);
        // Where less than a segment may leave in eight round trips, one leaves alone.
        worst.mean = worst.mean.max(sent_since(eight_ago) / cap.max(sent.bytes as f64 / 1.05));
    }
    worst
}
