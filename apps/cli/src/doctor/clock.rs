//! Whether this host's clock is that of others.

use std::time::Duration;

use super::Finding;

/// By how much clocks may differ: what servers of Trickles take of a client's.
pub const CLOCK_OFF_MAX: Duration = Duration::from_secs(5);

const NAME: &str = "clock";

/// What a peer's clock says beside ours, when its answer took `rtt`; both in ms since 1970.
pub fn judge(own_ms: u64, peer_ms: u64, rtt: Duration) -> Finding {
    // It was read somewhere between question and answer.
    let doubt_ms = rtt.as_millis() as u64 / 2;
    let expected = own_ms.saturating_sub(doubt_ms);
    let off_ms = expected.abs_diff(peer_ms).saturating_sub(doubt_ms);
    let way = if expected > peer_ms { "ahead of" } else { "behind" };
    if Duration::from_millis(off_ms) <= CLOCK_OFF_MAX {
        return Finding::good(NAME, format!("{:.1} s {way} the peer's at most", (off_ms + doubt_ms) as f64 / 1e3));
    }
    Finding::failed(
        NAME,
        format!("{:.0} s {way} the peer's: tickets and keys of fleets expire at the wrong time", off_ms as f64 / 1e3),
        "timedatectl set-ntp true, on whichever of the two is wrong",
    )
}

/// Nobody has said what time it is.
pub fn not_asked() -> Finding {
    Finding::not_asked(NAME, "tng doctor PEER, a host that runs tng serve, listen or relay")
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn a_clock_that_is_off_by_more_than_the_way_explains_is_told_with_its_direction() {
        let rtt = Duration::from_secs(2);
        assert_eq!(judge(100_000, 99_000, rtt).verdict, Verdict::Good, "the middle of the way");
        assert_eq!(judge(100_000, 105_000, rtt).verdict, Verdict::Good, "5 s beside what the way may be");
        let ahead = judge(3_700_000, 100_000, rtt);
        assert_eq!((ahead.verdict, ahead.found.contains("ahead of")), (Verdict::Failed, true), "{ahead:?}");
        let behind = judge(100_000, 3_700_000, rtt);
        assert_eq!((behind.verdict, behind.found.contains("behind")), (Verdict::Failed, true), "{behind:?}");
    }
}
