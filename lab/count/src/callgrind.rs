//! Callgrind: runs this program under it, and reads what it wrote.

use core::hint::black_box;
use std::collections::BTreeMap;
use std::io;
use std::process::Command;

use serde::Deserialize;
use serde::Serialize;

use crate::part::Part;

/// Callgrind forgets what it has counted on entry into [`the_counted_turn`], and writes down on its return what it has
/// counted since. It takes only one wish for one pattern: so there are two patterns for the function.
const COUNTED: [&str; 2] = ["--zero-before=*::the_counted_turn*", "--dump-after=*the_counted_turn*"];

/// What the C library is told, lest it copies or fills much memory by one instruction that repeats itself: callgrind
/// counts each repetition, so that a long copy would cost several times as much as the same bytes in short ones.
const NO_REPETITION: (&str, &str) =
    ("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=1073741824:glibc.cpu.x86_rep_stosb_threshold=1073741824");

/// How what it writes on that return differs from what it writes in the end.
const ON_RETURN: &str = "desc: Trigger: --dump-after";

/// A turn of somebody, in which instructions are counted from entry to return: callgrind knows it by its name.
#[inline(never)]
pub fn the_counted_turn<S: ?Sized>(somebody: &mut S, turn: impl FnOnce(&mut S)) {
    turn(somebody);
    // Something must follow the call, lest it become a jump and the return is never seen.
    black_box(somebody);
}

/// Why nothing was counted.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// There is no valgrind.
    #[error("valgrind does not start ({0}); install it: apt-get install valgrind")]
    NoValgrind(io::Error),
    /// It or the program under it failed.
    #[error(
        "counting {what} failed under valgrind; run `tng-count run` by itself to see whether it works without\n{said}"
    )]
    Failed {
        /// What was counted.
        what: String,
        /// What it said.
        said: String,
    },
    /// Files.
    #[error("a temporary file: {0}; is there room in the folder for such?")]
    File(#[from] io::Error),
}

/// What one part costs.
#[derive(Clone, Debug)]
pub struct Count {
    /// What.
    pub part: Part,
    /// In how many units.
    pub units: u64,
    /// Instructions in all.
    pub profile: Profile,
}

impl Count {
    /// Instructions and allocations for each unit.
    pub fn cost(&self) -> Cost {
        let per_unit = |count: u64, scale: f64| (count as f64 / self.units as f64 * scale).round() / scale;
        Cost {
            own: per_unit(self.profile.own(), 10.0),
            cipher: per_unit(self.profile.cipher, 10.0),
            allocations: per_unit(self.profile.allocations, 100.0),
        }
    }
}

/// Instructions and allocations for each unit.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// All but the crypto library's.
    pub own: f64,
    /// The crypto library's.
    pub cipher: f64,
    /// How often memory was asked for.
    pub allocations: f64,
}

impl Cost {
    /// All instructions.
    pub fn together(&self) -> f64 {
        self.own + self.cipher
    }
}

/// Counts one part.
///
/// # Errors
/// See [`CountError`].
pub fn count(part: Part) -> Result<Count, CountError> {
    let (name, mut tally) = (part.to_string(), Tally::default());
    let said = each_turn(&name, &["run", &name], |_, written| tally.add(written))?;
    let units = said.parse().map_err(|_| CountError::Failed { what: name, said })?;
    Ok(Count { part, units, profile: tally.profile() })
}

/// Runs this program under callgrind, hands over the number of each counted turn, from 1, and what is written down for
/// it, and answers what the program said. What is written when the program ends has no number.
///
/// The first turn is not exact: callgrind may leave in it what it counted before, tens of thousands of instructions.
///
/// # Errors
/// See [`CountError`].
pub fn each_turn(what: &str, args: &[&str], mut take: impl FnMut(Option<u64>, &str)) -> Result<String, CountError> {
    let program = std::env::current_exe()?;
    let folder = tempfile::tempdir()?;
    let output = Command::new("valgrind")
        .env(NO_REPETITION.0, NO_REPETITION.1)
        .args(["--quiet", "--tool=callgrind"])
        .args(COUNTED)
        .arg(format!("--callgrind-out-file={}", folder.path().join("turn").display()))
        .arg(program)
        .args(args)
        .output()
        .map_err(CountError::NoValgrind)?;
    let failed = |said: String| CountError::Failed { what: what.to_owned(), said };
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let mut seen = false;
    for file in std::fs::read_dir(folder.path())? {
        let file = file?.path();
        let written = std::fs::read_to_string(&file)?;
        seen |= written.lines().any(|line| line.starts_with(ON_RETURN));
        take(file.extension().and_then(|number| number.to_str()?.parse().ok()), &written);
    }
    if !seen {
        return Err(failed("the counted function was never seen: was it inlined, or the program stripped?".into()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Instructions of a counted turn, the crypto library's included; 0 for what was written when the program ended.
pub fn instructions(written: &str) -> u64 {
    let mut tally = Tally::default();
    tally.add(written);
    tally.profile().total
}

/// What callgrind wrote, in instructions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// All.
    pub total: u64,
    /// In the crypto library and what it calls.
    pub cipher: u64,
    /// Calls that ask for memory.
    pub allocations: u64,
    /// In each function itself, the greatest first.
    pub functions: Vec<(String, u64)>,
}

impl Profile {
    /// All but the crypto library's.
    pub fn own(&self) -> u64 {
        self.total - self.cipher
    }
}

/// What was counted from entry to return, all turns together.
#[derive(Default)]
struct Tally {
    cipher: u64,
    allocations: u64,
    functions: BTreeMap<String, u64>,
}

impl Tally {
    /// Reads callgrind's format, version 1: lines that name a function, and cost lines of a position and a count. The
    /// cost after a `calls=` line is of everything called, and no cost of the function itself.
    fn add(&mut self, text: &str) {
        if !text.lines().any(|line| line.starts_with(ON_RETURN)) {
            return;
        }
        let mut names: BTreeMap<&str, &str> = BTreeMap::new();
        let mut functions: BTreeMap<&str, u64> = BTreeMap::new();
        let (mut caller, mut callee, mut called) = ("", "", false);
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                caller = resolved(&mut names, name);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                callee = resolved(&mut names, name);
            } else if let Some(calls) = line.strip_prefix("calls=") {
                called = true;
                if is_allocator(callee) && !is_allocator(caller) {
                    self.allocations += calls.split(' ').next().and_then(|calls| calls.parse().ok()).unwrap_or(0);
                }
            } else if let Some(cost) = cost(line) {
                match core::mem::take(&mut called) {
                    true if is_cipher(callee) && is_rust(caller) => self.cipher += cost,
                    true => {}
                    false => *functions.entry(caller).or_default() += cost,
                }
            }
        }
        for (name, cost) in functions {
            *self.functions.entry(name.to_owned()).or_default() += cost;
        }
    }

    fn profile(self) -> Profile {
        let Tally { cipher, allocations, functions } = self;
        let total = functions.values().sum();
        let mut functions: Vec<(String, u64)> = functions.into_iter().collect();
        functions.sort_by_key(|(_, cost)| core::cmp::Reverse(*cost));
        Profile { total, cipher, allocations, functions }
    }
}

/// Whether it is a function of a crypto library that others may call. The libraries are written in C and assembler, so
/// none of it is inlined into ours.
fn is_cipher(function: &str) -> bool {
    (function.starts_with("aws_lc_") || function.starts_with("ring_core_")) && !is_rust(function)
}

/// Whether it is one of the system's functions that ask for memory. They call each other, too.
fn is_allocator(function: &str) -> bool {
    matches!(function, "malloc" | "calloc" | "realloc" | "posix_memalign" | "aligned_alloc" | "memalign")
}

/// Whether the name has a path in it, as every Rust function's.
fn is_rust(function: &str) -> bool {
    function.contains("::")
}

/// A name is written once, after its number in parentheses; later only its number.
fn resolved<'a>(names: &mut BTreeMap<&'a str, &'a str>, text: &'a str) -> &'a str {
    match text.split_once(' ') {
        Some((number, name)) => {
            names.insert(number, name);
            name
        }
        None => names.get(text).copied().unwrap_or(text),
    }
}

/// The count of a cost line: `position count`, the position being a number, `+number`, `-number` or `*`.
fn cost(line: &str) -> Option<u64> {
    let (position, count) = line.split_once(' ')?;
    let is_position = position == "*" || position.trim_start_matches(['+', '-']).parse::<u64>().is_ok();
    is_position.then(|| count.split(' ').next()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "\
version: 1
creator: callgrind-3.19.0
desc: Trigger: --dump-after=tng_count::callgrind::the_counted_turn
positions: line
events: Ir
summary: 1250

ob=(1) /tmp/program
fl=(1) ???
fn=(1) aws_lc_rs::aead::seal
0 100
cfn=(2) aws_lc_0_47_0_EVP_AEAD_CTX_seal_scatter
calls=2 0
0 900
+3 10
cob=(2) /lib/libc.so.6
cfn=(3) memcpy
calls=5 0
* 50
cfn=(6) realloc
calls=3 0
* 90
-3 40

fn=(2)
0 600
cfn=(4) seal_impl
calls=2 0
0 300

fn=(4)
0 100
cfn=(5) aws_lc_0_47_0_CRYPTO_gcm128_encrypt
calls=2 0
0 200

fn=(5)
0 200

ob=(2)
fn=(3)
0 110

fn=(6)
0 30
cfn=(7) malloc
calls=2 0
0 60

fn=(7)
0 60
totals: 1250
";

    fn profile(written: &[&str]) -> Profile {
        let mut tally = Tally::default();
        written.iter().for_each(|text| tally.add(text));
        tally.profile()
    }

    #[test]
    fn what_the_crypto_library_calls_is_its_own_and_counted_once() {
        let profile = profile(&[WRITTEN]);
        assert_eq!((profile.total, profile.cipher, profile.own()), (1_250, 900, 350));
    }

    #[test]
    fn what_a_function_calls_is_no_cost_of_its_own() {
        let costs = profile(&[WRITTEN]).functions;
        let costs: Vec<(&str, u64)> = costs.iter().map(|(name, cost)| (name.as_str(), *cost)).collect();
        assert_eq!(
            costs,
            [
                ("aws_lc_0_47_0_EVP_AEAD_CTX_seal_scatter", 600),
                ("aws_lc_0_47_0_CRYPTO_gcm128_encrypt", 200),
                ("aws_lc_rs::aead::seal", 150),
                ("memcpy", 110),
                ("seal_impl", 100),
                ("malloc", 60),
                ("realloc", 30),
            ]
        );
    }

    #[test]
    fn turns_are_added_and_what_is_between_them_is_not() {
        let end = WRITTEN.replace(ON_RETURN, "desc: Trigger: Program termination");
        assert_eq!(profile(&[WRITTEN, &end, WRITTEN]).total, 2_500);
    }

    #[test]
    fn memory_is_asked_for_as_often_as_others_than_the_allocator_ask() {
        assert_eq!(profile(&[WRITTEN]).allocations, 3);
    }

    #[test]
    fn every_part_does_its_work_without_callgrind() {
        for &part in Part::ALL {
            assert!(part.run().unwrap_or_else(|stuck| panic!("{stuck}")) > 0, "{part}");
        }
    }
}
