//! Parameters of a link in the words of netem.

use tng_queue::{Limit, QUEUE_PACKETS_MAX, QueueConfig};
use tng_sim::{Loss, Reorder};

use super::lane::LinkPatch;
use tng_settings::nearest;
use tng_settings::units;

/// The words that begin something.
const WORDS: &[&str] = &["delay", "loss", "duplicate", "corrupt", "reorder", "rate", "limit"];

/// Words of netem that have no meaning here, each with what to write instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("slot", "links here have no slots; leave it out"),
    ("ecn", "to mark instead of dropping, give the link a queue: queue = { kind = \"codel\", ecn = true }"),
    ("state", "the Markov model of four states is not there; write \"loss gemodel P R\""),
    ("distribution", "jitter is uniform; leave it out"),
    ("correlation", "packets are independent of each other; leave it out"),
    ("gap", "packets are reordered by chance; leave it out"),
    ("seed", "the seed stands in [world]"),
];

impl LinkPatch {
    /// Reads words of netem: `delay 50ms 10ms loss 1% rate 20mbit`. What they do not name stays as it is.
    ///
    /// As with netem, jitter lets packets overtake each other, and `reorder 5%` sends so many packets without the
    /// delay, whichever delay the link has by then; `reorder 0%` ends that. Other than with netem, `limit` is about
    /// packets that wait for the link, not about those that are under way.
    ///
    /// # Errors
    /// What is wrong with them, and what to write.
    pub fn netem(text: &str) -> Result<LinkPatch, String> {
        let mut words = Words { words: text.split_whitespace().collect(), at: 0 };
        let mut patch = LinkPatch::default();
        while let Some(word) = words.next() {
            match word {
                "delay" | "latency" => {
                    patch.delay = Some(words.needs(word, units::time)?);
                    if let Some(jitter) = words.may(units::time) {
                        (patch.jitter, patch.jitter_reorders) = (Some(jitter), Some(true));
                        words.no_correlation(word)?;
                    }
                }
                "loss" | "drop" => patch.loss = Some(words.loss()?),
                "duplicate" => patch.duplicate = Some(words.share(word)?),
                "corrupt" => patch.corrupt = Some(words.share(word)?),
                "reorder" => {
                    let probability = words.share(word)?;
                    patch.reorder = Some((probability > 0.0).then_some(Reorder::Ahead { probability }));
                }
                "rate" => patch.rate_bps = Some(Some(words.needs(word, units::rate)?)),
                "limit" => patch.queue = Some(QueueConfig::DropTail(Limit::Packets(words.needs(word, packets)?))),
                other => return Err(unknown(other)),
            }
        }
        if words.words.is_empty() {
            return Err("write words of netem, like \"delay 50ms loss 1% rate 20mbit\"".into());
        }
        Ok(patch)
    }
}

/// Words, read one by one.
struct Words<'t> {
    words: Vec<&'t str>,
    at: usize,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let word = self.words.get(self.at).copied()?;
        self.at += 1;
        Some(word)
    }

    /// The value that a word must have.
    fn needs<T>(&mut self, word: &str, read: fn(&str) -> Result<T, String>) -> Result<T, String> {
        let value = self.next().ok_or_else(|| format!("{word} needs a value"))?;
        read(value).map_err(|problem| format!("{word}: {problem}"))
    }

    /// A value, if the next word is one.
    fn may<T>(&mut self, read: fn(&str) -> Result<T, String>) -> Option<T> {
        let value = read(self.words.get(self.at)?).ok()?;
        self.at += 1;
        Some(value)
    }

    /// Refuses what netem takes for a correlation with the packet before: a second share behind a chance or a jitter.
    fn no_correlation(&mut self, of: &str) -> Result<(), String> {
        match self.may(units::share) {
            Some(share) if share > 0.0 => {
                let instead = match of {
                    "loss" => ", or, for losses in runs, write \"loss gemodel P R\"",
                    _ => "",
                };
                let percent = share * 100.0;
                Err(format!(
                    "{of}: the second share, {percent}%, is a correlation, and packets here are independent of each \
                     other; leave it out{instead}"
                ))
            }
            _ => Ok(()),
        }
    }

    fn share(&mut self, word: &str) -> Result<f64, String> {
        let share = self.needs(word, units::share)?;
        self.no_correlation(word)?;
        Ok(share)
    }

    fn loss(&mut self) -> Result<Loss, String> {
        match self.words.get(self.at).copied() {
            Some("random") => self.at += 1,
            Some("gemodel") => {
                self.at += 1;
                let to_bad = self.needs("loss gemodel", units::share)?;
                let to_good = self.may(units::share).unwrap_or(1.0 - to_bad);
                let loss_bad = self.may(units::share).unwrap_or(1.0);
                let loss_good = self.may(units::share).unwrap_or(0.0);
                return Ok(Loss::GilbertElliott { to_bad, to_good, loss_good, loss_bad });
            }
            Some("state") => return Err(unknown("state")),
            _ => {}
        }
        self.share("loss").map(Loss::Independent)
    }
}

fn packets(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(packets) if (1..=QUEUE_PACKETS_MAX).contains(&packets) => Ok(packets),
        _ => Err(format!("write a number of packets from 1 to {QUEUE_PACKETS_MAX}")),
    }
}

fn unknown(word: &str) -> String {
    if let Some((_, instead)) = ELSEWHERE.iter().find(|(known, _)| *known == word) {
        return format!("{word}: {instead}");
    }
    match nearest(word, WORDS.iter().copied()) {
        Some(known) => format!("netem has no word {word:?} that is known here; did you mean {known:?}?"),
        None => format!("netem has no word {word:?} that is known here; there is {}", WORDS.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use tng_sim::Link;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_words_of_netem_describe_a_link() {
        let patch = LinkPatch::netem("delay 50ms 10ms loss 1% rate 20mbit limit 100 duplicate 0.5% corrupt 0.1%");
        assert_eq!(
            patch,
            Ok(LinkPatch {
                delay: Some(50 * MS),
                jitter: Some(10 * MS),
                jitter_reorders: Some(true),
                loss: Some(Loss::Independent(0.01)),
                rate_bps: Some(Some(20_000_000)),
                queue: Some(QueueConfig::DropTail(Limit::Packets(100))),
                duplicate: Some(0.005),
                corrupt: Some(0.001),
                ..LinkPatch::default()
            })
        );
        assert_eq!(LinkPatch::netem("loss random 2%").map(|patch| patch.loss), Ok(Some(Loss::Independent(0.02))));
        let model = Loss::GilbertElliott { to_bad: 0.01, to_good: 0.3, loss_good: 0.0, loss_bad: 1.0 };
        assert_eq!(LinkPatch::netem("loss gemodel 1% 30%").map(|patch| patch.loss), Ok(Some(model)));
    }

    #[test]
    fn the_last_delay_is_the_one_that_packets_have_and_reordering_lasts_until_it_is_ended() {
        let mut link = Link::new();
        let mut change = |words| {
            link = LinkPatch::netem(words).expect("words of netem").changed(&link).expect("it makes sense");
            (link.delay, link.reorder.clone())
        };
        let quarter = Some(Reorder::Ahead { probability: 0.25 });
        assert_eq!(change("delay 10ms reorder 25%"), (10 * MS, quarter.clone()));
        assert_eq!(change("delay 50ms"), (50 * MS, quarter.clone()));
        assert_eq!(change("loss 5% reorder 0%"), (50 * MS, None));
        assert_eq!(change("reorder 25%"), (50 * MS, quarter));
        assert_eq!(change("delay 5ms reorder 0%"), (5 * MS, None));
    }

    #[test]
    fn reordering_needs_a_delay() {
        let link = Link::new();
        let wrong = LinkPatch::netem("reorder 25%").expect("words of netem").changed(&link);
        assert!(wrong.is_err_and(|problem| problem.contains("name a delay too")));
        let none = LinkPatch::netem("delay 0ms").expect("words of netem");
        assert!(none.changed(&link.delay(MS).reorder_ahead(0.1)).is_err_and(|problem| problem.contains("reorder 0%")));
    }

    #[test]
    fn other_words_are_named_with_what_to_write() {
        let wrong = |text| LinkPatch::netem(text).expect_err("not netem's");
        assert!(wrong("dely 50ms").contains("did you mean \"delay\"?"));
        assert!(wrong("delay 50").contains("delay: \"50\" is not a time"));
        assert!(wrong("delay").contains("delay needs a value"));
        assert!(wrong("loss 1% 25%").contains("loss: the second share, 25%, is a correlation"));
        assert!(wrong("loss 1% 25%").contains("gemodel") && !wrong("duplicate 1% 25%").contains("gemodel"));
        assert!(wrong("delay 50ms 10ms 25%").contains("delay: the second share"));
        assert!(wrong("loss state 1%").contains("gemodel"));
        assert!(wrong("delay 1ms distribution normal").contains("uniform"));
        assert!(wrong("limit 0").contains("from 1 to"));
        assert!(wrong("rate 1mbps").contains("write it as mbit"));
        assert!(wrong("").contains("like \"delay 50ms"));
    }
}
