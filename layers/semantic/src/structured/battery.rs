//! Checks of the frames' bytes for those who have bytes and no frames.

use tng_wire::{Reader, Repr, battery};

use super::wire::{Frame, Setup};

/// Reads a payload frame by frame, as far as it goes; each that is read survives its own emission, which is in the
/// shortest form. Answers how many there were.
///
/// # Panics
/// If one does not survive.
pub fn frames(payload: &[u8]) -> usize {
    let mut reader = Reader::new(payload);
    let mut count = 0;
    while !reader.is_empty() {
        let start = reader.position();
        let Ok(frame) = Frame::parse(&mut reader) else { return count };
        let bytes = battery::emit(&frame);
        assert!(bytes.len() <= reader.position() - start, "{frame:?} grew");
        assert_eq!(Frame::parse(&mut Reader::new(&bytes)), Ok(frame));
        count += 1;
    }
    count
}

/// Reads a set-up item; if it is one, it survives its own emission.
///
/// # Panics
/// If it does not.
pub fn setup(item: &[u8]) {
    battery::noise::<Setup>(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_up_to_the_first_that_is_none() {
        let init = [0x10, 2, 0, 3, b'w', b'w', b'w', 1, b'h'];
        // A length in two bytes where one would do: read, and written shorter.
        let data = [0x42, 2, 0x40, 1, b'x'];
        assert_eq!(frames(&[&init[..], &data, &[0, 0]].concat()), 4);
        assert_eq!(frames(&[&init[..], &[0xff], &data].concat()), 1);
        setup(&[0x50, 0, 0x50, 0, 16]);
    }
}
