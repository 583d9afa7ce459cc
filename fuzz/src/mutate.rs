//! Changes to inputs, by a seed.

use tng_base::Rng;

/// Values that have gone wrong before: ends of varints and of integers.
const EDGES: [&[u8]; 12] = [
    &[0],
    &[0x3f],
    &[0x40, 0x40],
    &[0x7f, 0xff],
    &[0x80, 0, 0x40, 0],
    &[0xbf, 0xff, 0xff, 0xff],
    &[0xc0, 0, 0, 0, 0x40, 0, 0, 0],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0xff, 0xff],
    &[0x80, 0],
    b"\r\n\r\n",
    b"\xc3\xa9",
];

/// Makes inputs out of others.
#[derive(Debug)]
pub struct Mutator {
    rng: Rng,
    len_max: usize,
}

impl Mutator {
    /// One that makes inputs of at most `len_max` bytes. The same seed makes the same inputs.
    pub fn new(seed: u64, len_max: usize) -> Mutator {
        Mutator { rng: Rng::from_u64(seed), len_max }
    }

    /// Puts the next input into `out`: one of the corpus, changed a little or a lot, or noise.
    pub fn next(&mut self, corpus: &[Vec<u8>], out: &mut Vec<u8>) {
        out.clear();
        if corpus.is_empty() || self.rng.below(64) == 0 {
            let len = self.rng.below(self.len_max as u64 + 1) as usize;
            out.resize(len, 0);
            self.rng.fill(out);
            return;
        }
        out.extend_from_slice(&corpus[self.below(corpus.len())]);
        let most = 1 << self.rng.below(4);
        for _ in 0..1 + self.rng.below(most) {
            self.change(corpus, out);
        }
        out.truncate(self.len_max);
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound.max(1) as u64) as usize
    }

    /// A part of some bytes, short ones before long ones.
    fn part(&mut self, len: usize) -> core::ops::Range<usize> {
        let start = self.below(len + 1);
        let most = (len - start).min(1 << self.below(8));
        start..start + self.below(most + 1)
    }

    fn change(&mut self, corpus: &[Vec<u8>], out: &mut Vec<u8>) {
        let at = self.below(out.len());
        match self.below(11) {
            0 | 1 => {
                if let Some(byte) = out.get_mut(at) {
                    *byte ^= 1 << self.rng.below(8);
                }
            }
            2 => {
                if let Some(byte) = out.get_mut(at) {
                    *byte = self.rng.u64() as u8;
                }
            }
            3 => {
                let step = self.rng.below(16) as u8 + 1;
                if let Some(byte) = out.get_mut(at) {
                    *byte = if self.rng.below(2) == 0 { byte.wrapping_add(step) } else { byte.wrapping_sub(step) };
                }
            }
            4 => drop(out.drain(self.part(out.len()))),
            5 => {
                let part = self.part(out.len());
                let copy = out[part].to_vec();
                out.splice(at..at, copy);
            }
            6 => {
                let edge = EDGES[self.below(EDGES.len())];
                let end = if self.rng.below(2) == 0 { at } else { (at + edge.len()).min(out.len()) };
                out.splice(at..end, edge.iter().copied());
            }
            7 => out.truncate(at),
            8 => {
                let noise: [u8; 8] = self.rng.bytes();
                let len = self.below(9);
                out.splice(at..at, noise[..len].iter().copied());
            }
            9 => {
                let (one, two) = (self.below(out.len()), at);
                if !out.is_empty() {
                    out.swap(one, two);
                }
            }
            _ => {
                let other = &corpus[self.below(corpus.len())];
                let part = self.part(other.len());
                let end = if self.rng.below(2) == 0 { at } else { (at + part.len()).min(out.len()) };
                out.splice(at..end, other[part].iter().copied());
            }
        }
    }
}
