//! The counts that a change is held to.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

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
    /// Which processors and compiler the counts are for, as [`built_for`] says it.
    pub built_for: String,
    /// Instructions per unit.
    pub parts: BTreeMap<Part, Cost>,
}

/// So many allocations for each unit may be more in any case: tables that grow now and then.
const ALLOCATIONS_MORE: f64 = 0.02;

const HEAD: &str = "\
# Instructions for each unit of a work, as `tng-count --write` counted them: `own` is all but the crypto library's,
# which is `cipher`; `allocations` is how often memory was asked for.
# `tng-count --check` fails when a part costs more than is allowed, and says when it costs so much less that the limit
# should follow. docs/performance.md tells what the parts are.
";

/// The processors and the compiler that this program was built for and by. Others count differently.
pub fn built_for() -> String {
    let version = Command::new("rustc").arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    format!("{}, {}", std::env::consts::ARCH, String::from_utf8_lossy(&version).trim())
}

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
    pub fn adopt(&mut self, counts: &[Count], built_for: &str) {
        if self.built_for != built_for {
            self.parts.clear();
            self.built_for = built_for.into();
        }
        let ours = counts.iter().filter(|count| count.part.has_limit());
        self.parts.extend(ours.map(|count| (count.part, count.cost())));
    }

    /// What to say of one part.
    pub fn judge(&self, part: Part, cost: Cost, built_for: &str) -> Verdict {
        if !part.has_limit() {
            return Verdict::NoLimit;
        }
        let Some(written) = self.parts.get(&part) else { return Verdict::Unwritten };
        let growth = |now: f64, then: f64| (now / then.max(1.0) - then / then.max(1.0)) * 100.0;
        let (own, cipher) = (growth(cost.own, written.own), growth(cost.cipher, written.cipher));
        if self.built_for != built_for {
            Verdict::OtherBuild { percent: own }
        } else if own > self.growth_max_percent {
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
    /// It is another's code that works, which no limit is for.
    NoLimit,
    /// Nothing is written of it.
    Unwritten,
    /// What is written is for other processors or another compiler.
    OtherBuild {
        /// What it costs more, in percent.
        percent: f64,
    },
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
        matches!(self, Verdict::NoLimit | Verdict::Within { .. } | Verdict::Dropped { .. } | Verdict::OtherBuild { .. })
    }
}

impl core::fmt::Display for Verdict {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Verdict::NoLimit => write!(f, "no limit: another's code works"),
            Verdict::Unwritten => write!(f, "no limit is written; run with --write"),
            Verdict::OtherBuild { percent } => {
                write!(f, "{percent:+.1} %, not checked: the limits are for another build")
            }
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
    use crate::callgrind::Profile;

    const BUILD: &str = "pdp11, rustc 1.0.0";

    fn limits() -> Limits {
        let parts = BTreeMap::from([(Part::BulkSend, Cost { own: 1_000.0, cipher: 500.0, allocations: 0.0 })]);
        Limits {
            growth_max_percent: 3.0,
            drop_max_percent: 5.0,
            cipher_growth_max_percent: 25.0,
            built_for: BUILD.into(),
            parts,
        }
    }

    fn judged(own: f64, cipher: f64) -> Verdict {
        limits().judge(Part::BulkSend, Cost { own, cipher, allocations: 0.0 }, BUILD)
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
        let judged =
            |allocations| limits().judge(Part::BulkSend, Cost { own: 1_000.0, cipher: 500.0, allocations }, BUILD);
        assert!(judged(0.02).passes());
        assert_eq!(judged(1.0), Verdict::MoreAllocations { written: 0.0 });
    }

    #[test]
    fn a_part_without_a_limit_does_not_pass() {
        assert!(!limits().judge(Part::IdleTimer, Cost { own: 1.0, cipher: 0.0, allocations: 0.0 }, BUILD).passes());
    }

    #[test]
    fn limits_for_another_build_hold_nobody() {
        let cost = Cost { own: 2_000.0, cipher: 0.0, allocations: 0.0 };
        let verdict = limits().judge(Part::BulkSend, cost, "x86_64, rustc 2.0.0");
        assert_eq!(verdict, Verdict::OtherBuild { percent: 100.0 });
    }

    #[test]
    fn limits_of_two_builds_are_not_mixed() {
        let mut limits = limits();
        limits.adopt(&[], BUILD);
        assert_eq!(limits.parts.len(), 1);
        limits.adopt(&[], "x86_64, rustc 2.0.0");
        assert!(limits.parts.is_empty());
    }

    #[test]
    fn a_part_that_asks_nothing_of_the_crypto_library_may_go_on_so() {
        let mut limits = limits();
        limits.parts.insert(Part::IdleTimer, Cost { own: 100.0, cipher: 0.0, allocations: 0.0 });
        assert!(limits.judge(Part::IdleTimer, Cost { own: 100.0, cipher: 0.0, allocations: 0.0 }, BUILD).passes());
        assert!(!limits.judge(Part::IdleTimer, Cost { own: 100.0, cipher: 40.0, allocations: 0.0 }, BUILD).passes());
    }

    #[test]
    fn what_quinn_costs_has_no_limit_and_fails_nobody() {
        let (mut limits, units) = (limits(), 1);
        let cost = Cost { own: 1e9, cipher: 1e9, allocations: 1e9 };
        assert!(limits.judge(Part::QuinnBulkSend, cost, BUILD).passes());
        let count = |part| Count { part, units, profile: Profile::default() };
        limits.adopt(&[count(Part::QuinnBulkSend), count(Part::IdleTimer)], BUILD);
        assert_eq!(limits.parts.keys().copied().collect::<Vec<_>>(), [Part::BulkSend, Part::IdleTimer]);
    }

    #[test]
    fn the_committed_limits_name_every_part_of_ours() {
        let limits = Limits::read(Path::new(crate::LIMITS)).expect("limits.toml can be read");
        assert!(Part::ALL.iter().all(|part| limits.parts.contains_key(part) == part.has_limit()));
    }
}
