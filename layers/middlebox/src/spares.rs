//! Buffers of packets that have left, kept for packets to come.

/// Sizes of buffers, in bytes: packets take the least that holds them, so that an acknowledgment takes no more memory
/// than one. The first three are for a packet alone, the others for those that came together. What is larger than all
/// takes what it needs, and its buffer is not kept.
pub const BUFFER_SIZES: [usize; 9] = [256, 768, 1_536, 3_072, 6_144, 12_288, 24_576, 49_152, 65_536];

/// Buffers of each size that a helper keeps, at most.
pub const SPARES_MAX: [usize; BUFFER_SIZES.len()] = [256, 256, 256, 8, 8, 8, 8, 8, 8];

/// One store for all queues of a helper: a flow for which nothing waits has no buffers, however many it has used. What
/// was put away last is taken first, since it is likely to be in the processor's cache.
#[derive(Debug, Default)]
pub struct Spares {
    stacks: [Vec<Vec<u8>>; BUFFER_SIZES.len()],
}

impl Spares {
    /// A copy of `bytes`.
    pub(crate) fn fill(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut buf = match BUFFER_SIZES.iter().position(|size| bytes.len() <= *size) {
            Some(class) => self.stacks[class].pop().unwrap_or_else(|| Vec::with_capacity(BUFFER_SIZES[class])),
            None => Vec::with_capacity(bytes.len()),
        };
        buf.clear();
        buf.extend_from_slice(bytes);
        buf
    }

    /// Nobody needs this buffer any more.
    pub(crate) fn keep(&mut self, buf: Vec<u8>) {
        let Some(class) = BUFFER_SIZES.iter().position(|size| buf.capacity() == *size) else { return };
        if self.stacks[class].len() < SPARES_MAX[class] {
            self.stacks[class].push(buf);
        }
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
        assert_eq!(spares.stacks.map(|stack| stack.len()), SPARES_MAX);
    }
}
