//! Fuzz targets: plain functions of bytes, for every parser and every machine.
//!
//! A target panics when a property does not hold; whatever else the bytes are, it returns. Three things run them: the
//! tests of this crate replay the committed corpora, the binary `run` mutates them by the seed, on any toolchain, and
//! the binary `guided` is libFuzzer, which follows the code that an input reaches. docs/fuzzing.md has the commands and
//! the figures.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a target panics when something does not hold")]

mod allocation;
mod app;
mod applications;
mod bytes;
mod code;
mod echoes;
mod exchange;
mod guests;
mod helpers;
mod hosts;
mod http;
mod manager;
mod mutate;
mod negotiation;
mod nonces;
mod pair;
mod parsers;
mod policer;
mod port;
mod process;
mod set_up;
mod shim;
mod streams;
mod text;
mod trickles;
mod trickles_pair;

use std::path::PathBuf;

pub use allocation::{ALLOCATOR, allocated};
pub use mutate::Mutator;

/// What a target is about: how many executions are asked of it (issue "Hard and fast").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Bytes in, a value or a refusal out.
    Parser,
    /// A machine, or two of them, led by the bytes through a life.
    Stateful,
}

/// What a target runs, and what makes its seeds.
type Functions = (fn(&[u8]), fn() -> Vec<Vec<u8>>);

/// A function to be called with any bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is called, and the folder of its corpus.
    pub name: &'static str,
    /// What it is about.
    pub kind: Kind,
    /// Longest input that is worth trying, in bytes.
    pub len_max: usize,
    /// Most bytes that one run may allocate: a fixed part, and as many for each byte of the input.
    pub memory: (usize, usize),
    /// The function. It panics when a property does not hold.
    pub run: fn(&[u8]),
    /// Good inputs, from which a corpus begins.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    /// Runs the function and checks what it allocates on the way.
    ///
    /// # Panics
    /// If a property does not hold.
    pub fn check(&self, input: &[u8]) {
        let before = allocated();
        (self.run)(input);
        let spent = allocated() - before;
        let (fixed, each) = self.memory;
        let most = fixed + each * input.len();
        assert!(
            spent <= most,
            "{}: {spent} bytes allocated for {} of input, {most} are allowed",
            self.name,
            input.len()
        );
    }

    /// Where its corpus is: small files, one input each.
    pub fn corpus(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpora").join(self.name)
    }
}

/// Every target.
pub fn targets() -> Vec<Target> {
    let groups = [
        parsers::TARGETS,
        code::TARGETS,
        negotiation::TARGETS,
        text::TARGETS,
        manager::TARGETS,
        http::TARGETS,
        nonces::TARGETS,
        exchange::TARGETS,
        streams::TARGETS,
        echoes::TARGETS,
        hosts::TARGETS,
        helpers::TARGETS,
        port::TARGETS,
        set_up::TARGETS,
        policer::TARGETS,
        shim::TARGETS,
        process::TARGETS,
        guests::TARGETS,
        trickles::TARGETS,
        trickles_pair::TARGETS,
        applications::TARGETS,
    ];
    groups.concat()
}

/// The target of that name.
pub fn target(name: &str) -> Option<Target> {
    targets().into_iter().find(|target| target.name == name)
}
