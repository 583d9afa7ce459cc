//! What a test costs the processor.

use std::time::Instant;

use tng_services::perf::Cpu;

use crate::clock;

/// Ticks per second in which Linux gives processor times to programs, on every machine.
pub const TICKS_PER_SECOND: u32 = 100;

/// Measures the processor time of this process from its making on.
#[derive(Debug)]
pub struct CpuMeter {
    began: Instant,
    ticks: (u64, u64),
}

impl CpuMeter {
    /// Begins to measure.
    pub fn new() -> CpuMeter {
        CpuMeter { began: clock::now(), ticks: ticks() }
    }

    /// What has been used so far, all threads together. Nothing where the system has no `/proc`.
    pub fn used(&self) -> Cpu {
        let (user, system) = ticks();
        let passed = self.began.elapsed().as_secs_f64().max(1e-3);
        let share = |ticks: u64| (ticks as f64 / f64::from(TICKS_PER_SECOND) / passed * 100_000.0) as u64;
        Cpu { user: share(user.saturating_sub(self.ticks.0)), system: share(system.saturating_sub(self.ticks.1)) }
    }
}

impl Default for CpuMeter {
    fn default() -> CpuMeter {
        CpuMeter::new()
    }
}

fn ticks() -> (u64, u64) {
    std::fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(ticks_of).unwrap_or_default()
}

/// User and system time, in ticks, in the text of proc(5), `/proc/pid/stat`. The name of the program may hold anything,
/// so fields are counted from its end.
pub fn ticks_of(stat: &str) -> Option<(u64, u64)> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "12 (a) b (c)) S 1 1 1 0 -1 4194560 5 0 0 0 71 23 0 0 20 0 1 0 100 0 0";
        assert_eq!(ticks_of(stat), Some((71, 23)));
        assert_eq!(ticks_of("12 (a"), None);
    }
}
