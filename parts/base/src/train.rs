//! Packets that are filled in one turn, and those that arrive in one.

use core::ops::Range;

use crate::Ecn;

/// Packets of one channel that leave together, to be filled: consecutive numbers, the same room in each. All but the
/// last are full; the first that is not ends the train.
#[derive(Debug)]
pub struct Train<'a> {
    buf: &'a mut [u8],
    first: u64,
    stride: usize,
    room: usize,
    most: usize,
    packets: usize,
    last: usize,
    overfilled: Option<usize>,
}

impl<'a> Train<'a> {
    /// A train of `most` packets from number `first` on. The payload of each has `room` bytes and begins `stride` bytes
    /// after that of the one before, the first at the start of `buf`.
    ///
    /// # Panics
    /// If `buf` does not hold them all.
    pub fn new(first: u64, buf: &'a mut [u8], most: usize, stride: usize, room: usize) -> Train<'a> {
        assert!(room <= stride && most.saturating_sub(1) * stride + room <= buf.len(), "a train fits its buffer");
        Train { buf, first, stride, room, most, packets: 0, last: 0, overfilled: None }
    }

    /// Packets that may still be filled.
    pub fn left(&self) -> usize {
        self.most - self.packets
    }

    /// Bytes of room in each.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Number of the next packet.
    pub fn number(&self) -> u64 {
        self.first + self.packets as u64
    }

    /// The room of the next packet.
    ///
    /// # Panics
    /// If none are [left](Train::left).
    #[inline]
    pub fn packet(&mut self) -> &mut [u8] {
        assert!(self.packets < self.most, "no packet is left");
        let at = self.packets * self.stride;
        &mut self.buf[at..at + self.room]
    }

    /// The room of the packets that are [left](Train::left), and the stride in it, to fill some of them at once.
    pub fn spare_room(&mut self) -> (&mut [u8], usize) {
        let rest = match self.left().checked_sub(1) {
            Some(behind) => &mut self.buf[self.packets * self.stride..][..behind * self.stride + self.room],
            None => &mut [],
        };
        (rest, self.stride)
    }

    /// The next packet has so many bytes. If they are fewer than there is room for, it is the last; if they are none,
    /// or more than there is room for, it is no packet, and the train ends before it.
    #[inline]
    pub fn push(&mut self, len: usize) {
        if len > self.room {
            self.overfilled = Some(len);
        } else if len > 0 && self.packets < self.most {
            self.packets += 1;
            self.last = len;
        }
        if len != self.room {
            self.most = self.packets;
        }
    }

    /// How many bytes were said to be in a packet that cannot hold them.
    pub fn overfilled(&self) -> Option<usize> {
        self.overfilled
    }

    /// Packets filled.
    pub fn packets(&self) -> usize {
        self.packets
    }

    /// Bytes of the last packet that was filled.
    pub fn last(&self) -> usize {
        self.last
    }
}

/// Packets of one channel that arrived together, of consecutive numbers: as they stand in the buffer that they came in,
/// each opened where it is. All payloads have the same length but the last, which may be shorter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrivals<'a> {
    /// Their numbers.
    pub numbers: Range<u64>,
    /// The codepoint that they came with.
    pub ecn: Ecn,
    /// From the first byte of the first payload to the last byte of the last one.
    pub bytes: &'a [u8],
    /// By how many bytes each payload begins after the one before it.
    pub stride: usize,
    /// Bytes of each payload but the last.
    pub len: usize,
}

impl Arrivals<'_> {
    /// How many they are.
    pub fn packets(&self) -> usize {
        (self.numbers.end - self.numbers.start) as usize
    }

    /// Bytes of the payload of one of them, by its place.
    pub fn packet_len(&self, place: usize) -> usize {
        self.len.min(self.bytes.len().saturating_sub(place * self.stride))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_stand_a_stride_apart_and_the_first_that_is_short_ends_the_train() {
        let mut buf = [0; 34];
        let mut train = Train::new(7, &mut buf, 4, 10, 4);
        for (i, len) in [(1, 4), (2, 4), (3, 2)] {
            assert_eq!((train.number(), train.left()), (6 + i, 5 - i as usize));
            train.packet().fill(i as u8);
            train.push(len);
        }
        assert_eq!((train.packets(), train.last(), train.left()), (3, 2, 0));
        assert_eq!(train.overfilled(), None);
        assert_eq!([buf[0], buf[3], buf[4], buf[10], buf[23], buf[24], buf[30]], [1, 1, 0, 2, 3, 0, 0]);
    }

    #[test]
    fn those_that_are_left_can_be_filled_at_once() {
        let mut buf = [0; 34];
        let mut train = Train::new(7, &mut buf, 4, 10, 4);
        train.push(4);
        for (packets, len) in [(1, 24), (2, 14), (3, 4), (4, 0)] {
            assert_eq!((train.packets(), train.spare_room().0.len(), train.spare_room().1), (packets, len, 10));
            if let Some(first) = train.spare_room().0.first_mut() {
                *first = packets as u8;
            }
            train.push(4);
        }
        assert_eq!([buf[0], buf[10], buf[20], buf[30]], [0, 1, 2, 3]);
    }

    #[test]
    fn what_does_not_fit_is_no_packet_and_nor_is_nothing() {
        for (len, overfilled) in [(5, Some(5)), (0, None)] {
            let mut buf = [0; 34];
            let mut train = Train::new(7, &mut buf, 4, 10, 4);
            train.push(4);
            train.push(len);
            assert_eq!((train.packets(), train.left(), train.overfilled()), (1, 0, overfilled));
        }
    }
}
