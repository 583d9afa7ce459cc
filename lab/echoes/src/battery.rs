//! Checks of the wire for those who have bytes and no frames.

use tng_wire::{Reader, Repr, battery};

use crate::wire::{Frame, SetUp};

/// Reads a payload frame by frame, as far as it goes; each that is read survives its own emission. Answers how many
/// there were.
///
/// # Panics
/// If one does not survive.
pub fn frames(payload: &[u8]) -> usize {
    let mut reader = Reader::new(payload);
    let mut count = 0;
    while !reader.is_empty() {
        let Ok(frame) = Frame::parse(&mut reader) else { return count };
        assert_eq!(Frame::parse(&mut Reader::new(&battery::emit(&frame))), Ok(frame));
        count += 1;
    }
    count
}

/// Reads a set-up item; if it is one, it survives its own emission.
///
/// # Panics
/// If it does not.
pub fn set_up(item: &[u8]) {
    battery::noise::<SetUp>(item);
}
