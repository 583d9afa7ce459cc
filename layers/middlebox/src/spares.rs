//! Buffers of packets that have left, kept for packets to come.

/// Buffers of each size that a helper keeps, at most.
pub const SPARES_MAX: usize = 256;

/// Sizes of buffers, in bytes: a packet takes the least that holds it, so that an acknowledgment takes no more memory
/// than one. A packet that is larger than all takes what it needs, and its buffer is not kept.
pub const BUFFER_SIZES: [usize; 3] = [256, 768, 1_536];

/// One store for all queues of a helper: a flow for which nothing waits has no buffers, however many it has used. What
/// was put away last is taken first, since it is likely to be in the processor's cache.
#[derive(Debug, Default)]
pub struct Spares([Vec<Vec<u8>>; BUFFER_SIZES.len()]);

impl Spares {
    /// A copy of `packet`.
    #[inline]
    pub(crate) fn fill(&mut self, packet: &[u8]) -> Vec<u8> {
        let class = BUFFER_SIZES.iter().position(|size| packet.len() <= *size);
        let mut buf = match class {
            Some(class) => self.0[class].pop().unwrap_or_else(|| Vec::with_capacity(BUFFER_SIZES[class])),
            None => Vec::new(),
        };
        buf.clear();
        buf.extend_from_slice(packet);
        buf
    }

    /// Nobody needs this buffer any more.
    #[inline]
    pub(crate) fn keep(&mut self, buf: Vec<u8>) {
        if let Some(class) = BUFFER_SIZES.iter().position(|size| buf.capacity() == *size)
            && self.0[class].len() < SPARES_MAX
        {
            self.0[class].push(buf);
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
        let many: Vec<_> = (0..2 * SPARES_MAX).map(|_| spares.fill(&[1; 1_000])).collect();
        many.into_iter().for_each(|buf| spares.keep(buf));
        assert_eq!(spares.0.each_ref().map(Vec::len), [0, 0, SPARES_MAX]);
    }
}
