//! Runs targets on inputs made from their corpora by a seed, on any toolchain. The same seed makes the same inputs.
//!
//! ```text
//! run TARGET|parsers|stateful|all [--execs N] [--seed S] [--keep]
//! run TARGET FILE...
//! run --list
//! ```
//!
//! An input that a target fails on is written to `failed/TARGET-NUMBER`, and the run ends. `--keep` writes the seeds of
//! a target into its corpus.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a target panics when something does not hold")]

use std::alloc::System;
use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;

use tng_fuzz::{ALLOCATOR, Kind, Mutator, Target, target, targets};

#[global_allocator]
static COUNTING: &stats_alloc::StatsAlloc<System> = ALLOCATOR;

thread_local! {
    /// The input under way, for the hook that hears of a failure.
    static INPUT: RefCell<(String, Vec<u8>)> = const { RefCell::new((String::new(), Vec::new())) };
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("run: {why}; see the head of src/bin/run.rs");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[String]) -> Result<(), String> {
    let value = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let number = |name: &str, otherwise| value(name).map_or(Ok(otherwise), |text| text.replace('_', "").parse());
    let execs: u64 = number("--execs", 100_000).map_err(|error| format!("--execs: {error}"))?;
    let seed: u64 = number("--seed", 1).map_err(|error| format!("--seed: {error}"))?;
    let named = words.first().ok_or("which target?")?;
    let chosen: Vec<Target> = match named.as_str() {
        "--list" => {
            targets().iter().for_each(|target| println!("{} {:?}", target.name, target.kind));
            return Ok(());
        }
        "all" => targets(),
        "parsers" => targets().into_iter().filter(|target| target.kind == Kind::Parser).collect(),
        "stateful" => targets().into_iter().filter(|target| target.kind == Kind::Stateful).collect(),
        name => vec![target(name).ok_or_else(|| format!("no target is called {name}; --list has them"))?],
    };
    tell_of_failures();
    let files = words[1..].iter().take_while(|word| !word.starts_with("--"));
    for file in files.clone() {
        let input = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        check(&chosen[0], &input);
        println!("{} {file}: nothing wrong", chosen[0].name);
    }
    if files.count() > 0 {
        return Ok(());
    }
    for target in chosen {
        let mut corpus = read_corpus(&target.corpus());
        if words.iter().any(|word| word == "--keep") {
            write_seeds(&target).map_err(|error| format!("{}: {error}", target.corpus().display()))?;
        }
        corpus.extend((target.seeds)());
        for input in &corpus {
            check(&target, input);
        }
        fuzz(&target, &corpus, execs, seed);
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the speed of a run is a figure for people, nothing depends on it")]
fn fuzz(target: &Target, corpus: &[Vec<u8>], execs: u64, seed: u64) {
    let began = std::time::Instant::now();
    let mut mutator = Mutator::new(seed, target.len_max);
    let mut input = Vec::new();
    for _ in 0..execs {
        mutator.next(corpus, &mut input);
        check(target, &input);
    }
    let spent = began.elapsed().as_secs_f64();
    println!("{:<18} {execs:>10} executions, seed {seed}, {spent:.1} s", target.name);
}

fn check(target: &Target, input: &[u8]) {
    INPUT.with_borrow_mut(|(name, bytes)| {
        target.name.clone_into(name);
        bytes.clear();
        bytes.extend_from_slice(input);
    });
    target.check(input);
}

/// From now on a failure leaves its input behind.
fn tell_of_failures() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        INPUT.with_borrow(|(name, input)| {
            let sum = input.iter().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(*byte)));
            let file = format!("failed/{name}-{sum:08x}");
            let written = std::fs::create_dir_all("failed").and_then(|()| std::fs::write(&file, input));
            match written {
                Ok(()) => eprintln!("{} bytes failed; again: run {name} {file}", input.len()),
                Err(error) => eprintln!("{file}: {error}; the input was {input:?}"),
            }
        });
    }));
}

/// The inputs of a folder, in the order of their names.
fn read_corpus(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    files.iter().filter_map(|file| std::fs::read(file).ok()).collect()
}

fn write_seeds(target: &Target) -> std::io::Result<()> {
    std::fs::create_dir_all(target.corpus())?;
    for (at, seed) in (target.seeds)().iter().enumerate() {
        std::fs::write(target.corpus().join(format!("seed-{at:02}")), seed)?;
    }
    Ok(())
}
