//! Buffers of packets that have left, kept for packets to come.

/// Buffers of each size that a helper keeps, at most.
pub const SPARES_MAX: usize = 256;

/// Sizes of buffers, in bytes: a packet takes the least that holds it, so that an acknowledgment takes no more memory
/// than one. A packet that is larger than all takes what it needs, and its buffer is not kept.
pub const BUFFER_SIZES: [usize; 3] = [256, 768, 1_536];

const SMALL: usize = BUFFER_SIZES[0];
const MIDDLE: usize = BUFFER_SIZES[1];
const LARGE: usize = BUFFER_SIZES[2];
const ABOVE_SMALL: usize = SMALL + 1;
const ABOVE_MIDDLE: usize = MIDDLE + 1;

/// One store for all queues of a helper: a flow for which nothing waits has no buffers, however many it has used. What
/// was put away last is taken first, since it is likely to be in the processor's cache.
#[derive(Debug, Default)]
pub struct Spares {
    small: Stack,
    middle: Stack,
    large: Stack,
}

/// Buffers of one size, in room for [`SPARES_MAX`] that is there from the first one on.
#[derive(Debug, Default)]
struct Stack {
    places: Vec<Vec<u8>>,
    kept: usize,
}

impl Stack {
    #[inline(always)]
    fn pop(&mut self) -> Option<Vec<u8>> {
        let last = self.kept.checked_sub(1)?;
        self.kept = last;
        self.places.get_mut(last).map(core::mem::take)
    }

    /// One more than there is room for goes.
    #[inline(always)]
    fn push(&mut self, buf: Vec<u8>) {
        match self.places.get_mut(self.kept) {
            Some(place) => {
                *place = buf;
                self.kept += 1;
            }
            None => self.push_first(buf),
        }
    }

    #[cold]
    #[inline(never)]
    fn push_first(&mut self, buf: Vec<u8>) {
        if self.places.is_empty() {
            self.places.resize_with(SPARES_MAX, Vec::new);
            self.push(buf);
        }
    }
}

impl Spares {
    /// A copy of `packet`.
    #[inline(always)]
    pub(crate) fn fill(&mut self, packet: &[u8]) -> Vec<u8> {
        // Of what is much, most is large.
        let spare = if packet.len() > MIDDLE && packet.len() <= LARGE { self.large.pop() } else { None };
        let mut buf = spare.unwrap_or_else(|| self.take(packet.len()));
        buf.clear();
        buf.extend_from_slice(packet);
        buf
    }

    /// A buffer for a packet of so many bytes.
    #[inline(never)]
    fn take(&mut self, bytes: usize) -> Vec<u8> {
        let (spares, size) = match bytes {
            0..=SMALL => (&mut self.small, SMALL),
            ABOVE_SMALL..=MIDDLE => (&mut self.middle, MIDDLE),
            ABOVE_MIDDLE..=LARGE => (&mut self.large, LARGE),
            _ => return Vec::with_capacity(bytes),
        };
        spares.pop().unwrap_or_else(|| Vec::with_capacity(size))
    }

    /// The same as [`keep`](Spares::keep), for where most packets go.
    #[inline(always)]
    pub(crate) fn keep_large(&mut self, buf: Vec<u8>) {
        if buf.capacity() == LARGE {
            self.large.push(buf);
        } else {
            self.keep(buf);
        }
    }

    /// Nobody needs this buffer any more.
    #[inline(never)]
    pub(crate) fn keep(&mut self, buf: Vec<u8>) {
        let spares = match buf.capacity() {
            LARGE => &mut self.large,
            SMALL => &mut self.small,
            MIDDLE => &mut self.middle,
            _ => return,
        };
        spares.push(buf);
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
        assert_eq!([spares.small, spares.middle, spares.large].map(|stack| stack.kept), [0, 0, SPARES_MAX]);
    }
}
