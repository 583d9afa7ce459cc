//! Buffers of packets that have left, kept for packets to come.

use tng_base::Instant;

use crate::relay::REST_AFTER;

/// Sizes of buffers, in bytes: packets take the least that holds them, so that an acknowledgment takes no more memory
/// than one. The first three are for a packet alone, the others for those that came together. What is larger than all
/// takes what it needs, and its buffer is not kept.
pub const BUFFER_SIZES: [usize; 9] = [256, 768, 1_536, 3_072, 6_144, 12_288, 24_576, 49_152, 65_536];

/// Buffers of each size that a helper keeps, at most: 9.2 MiB of all sizes together, while they are used.
pub const SPARES_MAX: [usize; BUFFER_SIZES.len()] = [256, 256, 256, 64, 64, 64, 64, 64, 64];

/// Bytes of the buffer that `len` bytes are copied to.
pub(crate) fn buffer_size(len: usize) -> usize {
    BUFFER_SIZES.into_iter().find(|size| len <= *size).unwrap_or(len)
}

/// One store for all queues of a helper: a flow for which nothing waits has no buffers, however many it has used. What
/// was put away last is taken first, since it is likely to be in the processor's cache.
#[derive(Debug, Default)]
pub struct Spares {
    stacks: [Stack; BUFFER_SIZES.len()],
    looked_at: Instant,
}

/// Buffers of one size.
#[derive(Debug, Default)]
struct Stack {
    bufs: Vec<Vec<u8>>,
    /// The fewest that there were since the last look: so many were not needed.
    fewest: usize,
}

impl Spares {
    /// A copy of `bytes`.
    pub(crate) fn fill(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut buf = match BUFFER_SIZES.iter().position(|size| bytes.len() <= *size) {
            Some(class) => self.stacks[class].take().unwrap_or_else(|| Vec::with_capacity(BUFFER_SIZES[class])),
            None => Vec::with_capacity(bytes.len()),
        };
        buf.clear();
        buf.extend_from_slice(bytes);
        buf
    }

    /// Nobody needs this buffer any more.
    pub(crate) fn keep(&mut self, buf: Vec<u8>) {
        let Some(class) = BUFFER_SIZES.iter().position(|size| buf.capacity() == *size) else { return };
        if self.stacks[class].bufs.len() < SPARES_MAX[class] {
            self.stacks[class].bufs.push(buf);
        }
    }

    /// When to [`shrink`](Spares::shrink) next, if there is anything.
    pub(crate) fn rest_at(&self) -> Option<Instant> {
        self.stacks.iter().any(|stack| !stack.bufs.is_empty()).then(|| self.looked_at + REST_AFTER)
    }

    /// Gives back the memory of buffers that nobody has needed since the last look, if that is [`REST_AFTER`] ago.
    pub(crate) fn shrink(&mut self, now: Instant) {
        if now >= self.looked_at + REST_AFTER {
            self.looked_at = now;
            self.stacks.iter_mut().for_each(Stack::shrink);
        }
    }
}

impl Stack {
    #[inline]
    fn take(&mut self) -> Option<Vec<u8>> {
        let buf = self.bufs.pop();
        self.fewest = self.fewest.min(self.bufs.len());
        buf
    }

    fn shrink(&mut self) {
        self.bufs.drain(..self.fewest);
        self.bufs.shrink_to(2 * self.bufs.len());
        self.fewest = self.bufs.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_for_what_is_about_as_large_and_so_many_are_kept_and_no_more() {
        let mut spares = Spares::default();
        let [small, large] = [40, 1_400].map(|len| spares.fill(&vec![7; len]));
        assert!(small.capacity() < 300 && large.capacity() < 1_600 && small == [7; 40], "{small:?}");
        let (at, huge) = (small.as_ptr(), spares.fill(&[1; 9_000]));
        for buf in [small, large, huge] {
            spares.keep(buf);
        }
        let other = spares.fill(&[8; 1_200]);
        assert_ne!(other.as_ptr(), at);
        let again = spares.fill(&[9; 100]);
        assert_eq!((again.as_ptr(), &again[..]), (at, &[9; 100][..]));
        for (size, most) in BUFFER_SIZES.into_iter().zip(SPARES_MAX) {
            let many: Vec<_> = (0..2 * most).map(|_| spares.fill(&vec![1; size])).collect();
            many.into_iter().for_each(|buf| spares.keep(buf));
        }
        assert_eq!(spares.stacks.map(|stack| stack.bufs.len()), SPARES_MAX);
    }

    #[test]
    fn buffers_that_nobody_needed_for_a_while_are_given_back_and_no_others() {
        let mut spares = Spares::default();
        let len = |spares: &Spares| spares.stacks[8].bufs.len();
        let use_at_once = |spares: &mut Spares, count: usize| {
            let bufs: Vec<_> = (0..count).map(|_| spares.fill(&[1; 60_000])).collect();
            bufs.into_iter().for_each(|buf| spares.keep(buf));
        };
        let looks = |count: u32| Instant::ZERO + REST_AFTER * count;
        use_at_once(&mut spares, 20);
        spares.shrink(looks(1));
        assert_eq!(len(&spares), 20);
        use_at_once(&mut spares, 5);
        spares.shrink(looks(2));
        assert_eq!(len(&spares), 5);
        spares.shrink(looks(2));
        assert_eq!(len(&spares), 5, "not even a while has passed");
        spares.shrink(looks(3));
        assert_eq!(len(&spares), 0);
    }
}
