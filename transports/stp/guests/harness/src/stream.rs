//! Applications that send streams, and see that they arrive as they were.

use std::collections::VecDeque;

use tng_stp_abi::Guest;

use crate::{Facts, LinkConfig, World, mix};

/// Bytes that nobody makes up.
pub fn pattern(len: usize, seed: u64) -> Vec<u8> {
    (0..len as u64).map(|at| mix(seed ^ (at / 8)) as u8).collect()
}

/// An application at each end, which writes as there is room, and reads at once.
#[derive(Debug)]
pub struct Run<A, B = A> {
    /// The two.
    pub world: World<A, B>,
    /// What is not written yet,
    pub left: [VecDeque<u8>; 2],
    /// and what has been read.
    pub got: [Vec<u8>; 2],
}

const SEND_BUFFER: usize = 256 << 10;

impl<A: Guest, B: Guest> Run<A, B> {
    /// Nothing has begun.
    pub fn new(there: LinkConfig, back: LinkConfig, seed: u64) -> Run<A, B> {
        Run { world: World::new(there, back, seed), left: Default::default(), got: Default::default() }
    }

    /// Both write what there is room for.
    pub fn write(&mut self) {
        for end in 0..2 {
            let host = if end == 0 { &self.world.a } else { &self.world.b };
            let room = SEND_BUFFER - host.sending.1.len();
            let len = room.min(self.left[end].len());
            let last = len == self.left[end].len() && !host.disconnecting;
            if !last && (len == 0 || room < SEND_BUFFER / 4) {
                continue;
            }
            let bytes: Vec<u8> = self.left[end].drain(..len).collect();
            if end == 0 {
                if len > 0 {
                    self.world.write_a(&bytes);
                }
                if last {
                    self.world.close_a();
                }
            } else {
                if len > 0 {
                    self.world.write_b(&bytes);
                }
                if last {
                    self.world.close_b();
                }
            }
        }
    }

    /// Until both have the end of both streams; answers microseconds.
    ///
    /// # Panics
    /// If nothing happens any more, or not before `until`.
    pub fn finish(&mut self, until: u64) -> u64 {
        loop {
            self.write();
            let more = self.world.step(until);
            self.got[1].extend(self.world.read_b().concat());
            self.got[0].extend(self.world.read_a().concat());
            if self.world.a.ended && self.world.b.ended {
                return self.world.now;
            }
            assert!(more, "stuck: {:?} {:?}", self.world.a, self.world.b.facts);
        }
    }
}

/// Carries streams of these lengths both ways, and sees that all is as it was; answers microseconds, and what the first
/// end has done.
///
/// # Panics
/// If anything is not as it should be.
pub fn whole<A: Guest, B: Guest>(lens: [usize; 2], there: LinkConfig, back: LinkConfig, seed: u64) -> (u64, Facts) {
    let mut run: Run<A, B> = Run::new(there, back, seed);
    run.left = [pattern(lens[0], seed).into(), pattern(lens[1], !seed).into()];
    run.world.begin();
    let took = run.finish(3_600_000_000);
    assert!(run.got[1] == pattern(lens[0], seed) && run.got[0] == pattern(lens[1], !seed), "seed {seed}");
    run.world.run_ms(200_000);
    for host in [&run.world.a, &run.world.b] {
        assert!(host.done && host.error.is_none() && host.connected, "seed {seed}: {:?}", host.facts);
        assert_eq!((host.facts.unproven, host.facts.refused, host.kept()), (0, 0, 0), "seed {seed}: {:?}", host.facts);
    }
    (took, run.world.a.facts)
}
