//! The first byte of a datagram.

/// Which protocol reads a datagram, by its first byte (docs/wire.md, section 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A set-up message.
    SetUp,
    /// A channel packet, end to end.
    Channel,
    /// A section packet, between neighbours on a helped path.
    Section,
    /// A Trickles request or response.
    Trickles,
    /// A carrier frame.
    Carrier,
    /// No assigned meaning.
    Unassigned,
}

/// The ordered table from first byte to mode.
const RANGES: [(u8, u8, Mode); 5] = [
    (0x00, 0x0f, Mode::SetUp),
    (0x40, 0x7f, Mode::Channel),
    (0x80, 0x9f, Mode::Section),
    (0xa0, 0xbf, Mode::Trickles),
    (0xc0, 0xdf, Mode::Carrier),
];

impl Mode {
    /// The mode of a datagram that starts with `first`.
    pub fn of(first: u8) -> Mode {
        RANGES.iter().find(|(low, high, _)| (*low..=*high).contains(&first)).map_or(Mode::Unassigned, |row| row.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_first_byte_has_exactly_one_mode() {
        for first in 0..=u8::MAX {
            let rows = RANGES.iter().filter(|(low, high, _)| (*low..=*high).contains(&first)).count();
            assert_eq!(rows, usize::from(Mode::of(first) != Mode::Unassigned), "{first:#04x}");
        }
        assert_eq!(Mode::of(0x01), Mode::SetUp);
        assert_eq!(Mode::of(0x7f), Mode::Channel);
        assert_eq!(Mode::of(0x20), Mode::Unassigned);
        assert_eq!(Mode::of(0xff), Mode::Unassigned);
    }
}
