//! The counts that a change is held to.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::callgrind::{Cost, Count};
use crate::part::Part;

/// What `limits.toml` says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// A part may cost so much more than written, in percent.
    pub growth_max_percent: f64,
    /// A part that costs so much less deserves a lower limit, in percent.
    pub drop_max_percent: f64,
    /// What the crypto library may cost more, in percent: its code depends on the processor.
    pub cipher_growth_max_percent: f64,
    /// The processors that the counts are for, as Rust calls them.
    pub arch: String,
    /// Instructions per unit.
    pub parts: BTreeMap<Part, Cost>,
}

/// So many allocations for each unit may be more in any case: tables that grow now and then.
const ALLOCATIONS_MORE: f64 = 0.02;

const ARCH: &str = std::env::consts::ARCH;

const HEAD: &str = "\
# Instructions for each unit of a work, as `tng-count --write` counted them: `own` is all but the crypto library's, which is `cipher`;
# `allocations` is how often memory was asked for.
# `tng-count --check` fails when a part costs more than is allowed, and says when it costs so much less that the limit should
# follow. docs/performance.md tells what the parts are.
";

impl Limits {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(path: &Path) -> Result<Limits, crate::Failure> {
        let told = |error: &dyn core::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
        Ok(toml::from_str(&text).map_err(|error| told(&error))?)
    }

    /// Writes it.
    ///
    /// # Errors
    /// Those of files.
    pub fn write(&self, path: &Path) -> Result<(), crate::Failure> {
        Ok(std::fs::write(path, format!("{HEAD}{}", toml::to_string(self)?))?)
    }

    /// Makes the costs of what was counted the written ones.
    pub fn adopt(&mut self, counts: &[Count]) {
        if self.arch != ARCH {
            self.parts.clear();
            self.arch = ARCH.into();
        }
        self.parts.extend(counts.iter().map(|count| (count.part, count.cost())));
    }

    /// What to say of one part.
    pub fn judge(&self, part: Part, cost: Cost) -> Verdict {
        if self.arch != ARCH {
            return Verdict::OtherArch;
        }
        let Some(written) = self.parts.get(&part) else { return Verdict::Unwritten };
        let growth = |now: f64, then: f64| (now / then.max(1.0) - then / then.max(1.0)) * 100.0;
        let (own, cipher) = (growth(cost.own, written.own), growth(cost.cipher, written.cipher));
        if own > self.growth_max_percent {
            Verdict::Grown { percent: own, written: written.own }
        } else if cipher > self.cipher_growth_max_percent {
            Verdict::CipherGrown { percent: cipher, written: written.cipher }
        } else if cost.allocations > written.allocations * (1.0 + self.growth_max_percent / 100.0) + ALLOCATIONS_MORE {
            Verdict::MoreAllocations { written: written.allocations }
        } else if own < -self.drop_max_percent {
            Verdict::Dropped { percent: -own }
        } else {
            Verdict::Within { percent: own }
        }
    }
}

/// How a cost compares with what is written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// Nothing is written of it.
    Unwritten,
    /// What is written is for other processors, whose instructions do other things.
    OtherArch,
    /// It is as it should be.
    Within {
        /// What it costs more, in percent.
        percent: f64,
    },
    /// It costs too much.
    Grown {
        /// So much more.
        percent: f64,
        /// Than this.
        written: f64,
    },
    /// The crypto library is asked for too much.
    CipherGrown {
        /// So much more.
        percent: f64,
        /// Than this.
        written: f64,
    },
    /// Memory is asked for more often.
    MoreAllocations {
        /// Than this.
        written: f64,
    },
    /// It costs so much less that the limit should follow.
    Dropped {
        /// So much.
        percent: f64,
    },
}

impl Verdict {
    /// Whether a change with it may pass.
    pub fn passes(self) -> bool {
        matches!(self, Verdict::Within { .. } | Verdict::Dropped { .. } | Verdict::OtherArch)
    }
}

impl core::fmt::Display for Verdict {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Verdict::Unwritten => write!(f, "no limit is written; run with --write"),
            Verdict::OtherArch => write!(f, "not checked: the limits are for other processors"),
            Verdict::Within { percent } => write!(f, "{percent:+.1} %"),
            Verdict::Grown { percent, written } => write!(f, "TOO MUCH: {percent:+.1} % on {written}"),
            Verdict::CipherGrown { percent, written } => {
                write!(f, "TOO MUCH in the crypto library: {percent:+.1} % on {written}")
            }
            Verdict::MoreAllocations { written } => write!(f, "TOO MANY ALLOCATIONS: {written} are written"),
            Verdict::Dropped { percent } => write!(f, "-{percent:.1} %: lower the limit with --write"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let parts = BTreeMap::from([(Part::BulkSend, Cost { own: 1_000.0, cipher: 500.0, allocations: 0.0 })]);
        Limits {
            growth_max_percent: 3.0,
            drop_max_percent: 5.0,
            cipher_growth_max_percent: 25.0,
            arch: ARCH.into(),
            parts,
        }
    }

    fn judged(own: f64, cipher: f64) -> Verdict {
        limits().judge(Part::BulkSend, Cost { own, cipher, allocations: 0.0 })
    }

    #[test]
    fn what_costs_a_little_more_or_less_passes() {
        assert!(judged(1_029.0, 620.0).passes());
        assert!(matches!(judged(951.0, 500.0), Verdict::Within { .. }));
    }

    #[test]
    fn what_costs_more_than_allowed_does_not_pass() {
        assert!(!judged(1_031.0, 500.0).passes());
        assert!(!judged(1_000.0, 630.0).passes(), "a second pass of the cipher");
    }

    #[test]
    fn what_costs_much_less_passes_and_asks_for_a_lower_limit() {
        assert!(matches!(judged(900.0, 500.0), Verdict::Dropped { percent } if (percent - 10.0).abs() < 1e-9));
        assert!(judged(900.0, 500.0).passes());
    }

    #[test]
    fn what_asks_for_memory_more_often_does_not_pass() {
        let judged = |allocations| limits().judge(Part::BulkSend, Cost { own: 1_000.0, cipher: 500.0, allocations });
        assert!(judged(0.02).passes());
        assert_eq!(judged(1.0), Verdict::MoreAllocations { written: 0.0 });
    }

    #[test]
    fn a_part_without_a_limit_does_not_pass() {
        assert!(!limits().judge(Part::IdleTimer, Cost { own: 1.0, cipher: 0.0, allocations: 0.0 }).passes());
    }

    #[test]
    fn limits_for_other_processors_hold_nobody() {
        let limits = Limits { arch: "pdp11".into(), ..limits() };
        assert_eq!(
            limits.judge(Part::BulkSend, Cost { own: 9_000.0, cipher: 0.0, allocations: 0.0 }),
            Verdict::OtherArch
        );
    }

    #[test]
    fn a_part_that_asks_nothing_of_the_crypto_library_may_go_on_so() {
        let mut limits = limits();
        limits.parts.insert(Part::IdleTimer, Cost { own: 100.0, cipher: 0.0, allocations: 0.0 });
        assert!(limits.judge(Part::IdleTimer, Cost { own: 100.0, cipher: 0.0, allocations: 0.0 }).passes());
        assert!(!limits.judge(Part::IdleTimer, Cost { own: 100.0, cipher: 40.0, allocations: 0.0 }).passes());
    }

    #[test]
    fn the_committed_limits_name_every_part() {
        let limits = Limits::read(Path::new(crate::LIMITS)).expect("limits.toml can be read");
        assert!(Part::ALL.iter().all(|part| limits.parts.contains_key(part)));
    }
}
