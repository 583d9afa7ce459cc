//! Links in a row, and a helper beside every router between two of them.

use core::time::Duration;

use crate::lab::{Check, Goal};
use crate::peers::helped::{Direction, Party, Post, Setting, Span};

/// A row of links, and a helper between each two, with these controllers for their sections; without helpers if there
/// is but one controller, which has the whole path.
pub(super) fn row(seed: u64, links: Vec<Span>, sections: &[&str]) -> Setting {
    let mut setting = Setting::new(seed, links);
    let posts = sections.windows(2).enumerate();
    setting.helpers = posts.map(|(at, pair)| Post::at(at + 1).elsewhere(pair[0]).toward(at + 2, pair[1])).collect();
    setting
}

/// An endless transfer along such a row, by way of all its helpers.
pub(super) fn party(name: &str, links: usize, sections: &[&str]) -> Party {
    let ends = [sections[0], sections[sections.len() - 1]];
    let helpers: Vec<usize> = (1..sections.len()).map(|at| at - 1).collect();
    Party::tng(name, (0, links), Direction::Up, ends).via(&helpers)
}

/// What `percent` of some times do not exceed, in milliseconds; `NaN` of none.
pub(super) fn percentile_ms(times: impl IntoIterator<Item = Duration>, percent: usize) -> f64 {
    let mut times: Vec<Duration> = times.into_iter().collect();
    times.sort_unstable();
    let at = (times.len() * percent).div_ceil(100).saturating_sub(1);
    times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

/// That a flow whose figures are told as those of a helped one was one all the time
/// ([`Run::helped_percent`](crate::peers::helped::Run::helped_percent)).
pub(super) fn stays_helped(name: &str, percent: f64) -> Check {
    Check::new(format!("{name}: steps by way of helpers"), percent, "%", Goal::AtLeast(100.0)).ours()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let times = (1..=20).map(Duration::from_millis);
        assert_eq!([5, 50, 95, 100].map(|percent| percentile_ms(times.clone(), percent)), [1.0, 10.0, 19.0, 20.0]);
        assert!(percentile_ms([], 95).is_nan());
    }
}
