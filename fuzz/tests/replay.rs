//! Every input of the committed corpora, and some made of them.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a target panics when something does not hold")]

use std::alloc::System;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tng_fuzz::{ALLOCATOR, Kind, Mutator, Target, targets};

#[global_allocator]
static COUNTING: &stats_alloc::StatsAlloc<System> = ALLOCATOR;

/// Bytes that the corpora may have in all.
const CORPORA_MAX: usize = 1 << 20;

/// What is allocated is counted for the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn corpus(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = target.corpus();
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    files.iter().map(|file| (file.display().to_string(), fs::read(file).expect("a file"))).collect()
}

/// Says what was under way if the test fails.
struct Witness(String);

impl Drop for Witness {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}

#[test]
fn every_target_withstands_its_corpus_and_what_is_made_of_it() {
    let _alone = alone();
    a_target_that_allocates_by_what_the_input_claims_is_found_out();
    let mut bytes = 0;
    for target in targets() {
        let inputs = corpus(&target);
        assert!(!inputs.is_empty(), "{} has no corpus", target.name);
        for (name, input) in &inputs {
            bytes += input.len();
            let _witness = Witness(format!("{name}, of {} bytes", input.len()));
            target.check(input);
        }
        let inputs: Vec<Vec<u8>> = inputs.into_iter().map(|(_, input)| input).collect();
        let (mut mutator, mut input) = (Mutator::new(1, target.len_max), Vec::new());
        let rounds = if target.kind == Kind::Parser { 2_000 } else { 100 };
        for round in 0..rounds {
            mutator.next(&inputs, &mut input);
            let _witness = Witness(format!("{}, seed 1, round {round}: {input:?}", target.name));
            target.check(&input);
        }
    }
    assert!(bytes <= CORPORA_MAX, "the corpora have {bytes} bytes, {CORPORA_MAX} are allowed: minimize them");
}

/// Corpora of inputs that were grown have others in their place.
#[test]
fn a_corpus_that_was_written_by_hand_has_all_that_is_written_now() {
    let _alone = alone();
    let (mut by_hand, mut inputs) = (0, 0);
    for target in targets() {
        let corpus = corpus(&target);
        if !corpus.iter().any(|(name, _)| name.ends_with("seed-00")) {
            continue;
        }
        by_hand += 1;
        for seed in (target.seeds)() {
            inputs += 1;
            let name = target.name;
            assert!(corpus.iter().any(|(_, input)| *input == seed), "`run {name} --execs 0 --keep` writes {seed:?}");
        }
    }
    assert!(by_hand >= 9 && inputs > 30, "{inputs} inputs of {by_hand} targets");
}

#[test]
fn the_same_seed_makes_the_same_inputs() {
    let _alone = alone();
    let inputs = |seed| {
        let (mut mutator, mut input) = (Mutator::new(seed, 64), Vec::new());
        let corpus = [b"some text".to_vec()];
        [(); 50].map(|()| {
            mutator.next(&corpus, &mut input);
            input.clone()
        })
    };
    assert_eq!(inputs(3), inputs(3));
    assert_ne!(inputs(3), inputs(4));
}

/// What cannot fail shows nothing.
fn a_target_that_allocates_by_what_the_input_claims_is_found_out() {
    let greedy = Target {
        run: |input| drop(vec![0u8; input.first().map_or(0, |claim| usize::from(*claim) << 16)]),
        ..targets()[0]
    };
    greedy.check(&[0]);
    let found = std::panic::catch_unwind(|| greedy.check(&[200]));
    assert!(found.is_err(), "thirteen million bytes for one");
}
