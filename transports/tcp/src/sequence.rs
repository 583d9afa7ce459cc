//! Sequence numbers: 32 bits on the wire, 64 inside, so that nothing in a connection wraps.

/// The internal number of a SYN. What lies far behind it is still positive, so that comparisons need no care.
pub(crate) const SYN: u64 = 1 << 32;

/// One direction's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    /// The SYN's number on the wire.
    initial: u32,
}

impl Space {
    pub(crate) fn new(initial: u32) -> Space {
        Space { initial }
    }

    /// The number as it goes on the wire.
    pub(crate) fn wire(self, internal: u64) -> u32 {
        self.initial.wrapping_add(internal as u32)
    }

    /// The number that `wire` means, the nearest to `near`.
    pub(crate) fn internal(self, wire: u32, near: u64) -> u64 {
        let offset = wire.wrapping_sub(self.wire(near)) as i32;
        near.saturating_add_signed(i64::from(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_wire_around_every_wrap() {
        for initial in [0, 1, u32::MAX, 0x8000_0000, 0xffff_fff0] {
            let space = Space::new(initial);
            assert_eq!(space.wire(SYN), initial);
            for near in [SYN, SYN + 1, SYN + 0x7fff_ffff, SYN + 0xffff_ffff, SYN + (7 << 32)] {
                for offset in [-0x7fff_ffff_i64, -1, 0, 1, 0x7fff_ffff] {
                    let number = near.saturating_add_signed(offset);
                    assert_eq!(space.internal(space.wire(number), near), number, "initial {initial}, near {near}");
                }
            }
        }
    }
}
