//! What an initiator asks a helper for, of the section that leads to it (Tng 5.1).

use core::time::Duration;

use tng_wire::{Full, Malformed, Reader, Repr, Writer, prefixed_len};

/// Longest name of a controller that can be asked for, in bytes.
pub const WISHED_NAME_LEN_MAX: usize = 32;

/// Longest queue time that can be asked for: what two bytes of milliseconds hold.
pub const WISHED_QUEUE_TIME_MAX: Duration = Duration::from_millis(u16::MAX as u64);

/// The flags of the parts that are there.
const CONTROLLER: u8 = 1;
const QUEUE_TIME: u8 = 2;

/// What an initiator asks a helper for, of the section by which it is reached. A helper grants what its operator offers
/// there, and of the rest does as its operator decided.
///
/// `Name` is `&str` in a message that is being read or written, and `String` in what is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wishes<Name = String> {
    /// What governs the section, by its name of 1 to [`WISHED_NAME_LEN_MAX`] bytes.
    pub controller: Option<Name>,
    /// For how long what waits in the two queues that meet the section lasts at most, from 1 ms to
    /// [`WISHED_QUEUE_TIME_MAX`] in whole milliseconds; what is beyond is cut off.
    pub queue_time: Option<Duration>,
}

impl Wishes {
    /// The same, to write.
    pub(crate) fn borrowed(&self) -> Wishes<&str> {
        Wishes { controller: self.controller.as_deref(), queue_time: self.queue_time }
    }

    /// Whether they can be told: the name has a length that fits.
    pub(crate) fn can_be_told(&self) -> bool {
        self.controller.as_ref().is_none_or(|name| (1..=WISHED_NAME_LEN_MAX).contains(&name.len()))
    }
}

impl<'a> Repr<'a> for Wishes<&'a str> {
    fn parse(reader: &mut Reader<'a>) -> Result<Wishes<&'a str>, Malformed> {
        let flags = reader.u8()?;
        if flags & !(CONTROLLER | QUEUE_TIME) != 0 {
            return Err(Malformed);
        }
        let mut wishes = Wishes::default();
        if flags & CONTROLLER != 0 {
            let name = reader.text(WISHED_NAME_LEN_MAX)?.into_exact();
            wishes.controller = Some(Some(name).filter(|name| !name.is_empty()).ok_or(Malformed)?);
        }
        if flags & QUEUE_TIME != 0 {
            let ms = Some(reader.u16()?).filter(|ms| *ms > 0).ok_or(Malformed)?;
            wishes.queue_time = Some(Duration::from_millis(ms.into()));
        }
        Ok(wishes)
    }

    fn wire_len(&self) -> usize {
        1 + self.controller.map_or(0, |name| prefixed_len(name.len())) + self.queue_time.map_or(0, |_| 2)
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let flag = |there, flag| if there { flag } else { 0 };
        writer.u8(flag(self.controller.is_some(), CONTROLLER) | flag(self.queue_time.is_some(), QUEUE_TIME))?;
        if let Some(name) = self.controller {
            writer.prefixed(name.as_bytes())?;
        }
        if let Some(time) = self.queue_time {
            writer.u16(time.min(WISHED_QUEUE_TIME_MAX).as_millis().max(1) as u16)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tng_wire::battery;

    use super::*;

    const BOTH: Wishes<&str> = Wishes { controller: Some("vegas"), queue_time: Some(Duration::from_millis(20)) };

    #[test]
    fn wishes_survive_the_wire_and_none_are_one_byte() {
        let longest = "x".repeat(WISHED_NAME_LEN_MAX).leak();
        for wishes in [
            BOTH,
            Wishes { controller: None, ..BOTH },
            Wishes { controller: Some(longest), queue_time: Some(WISHED_QUEUE_TIME_MAX) },
            Wishes { queue_time: None, ..BOTH },
        ] {
            battery::round_trip(&wishes);
        }
        assert_eq!(battery::emit(&BOTH), b"\x03\x05vegas\x00\x14");
        assert_eq!(battery::emit(&Wishes::<&str>::default()), [0]);
    }

    #[test]
    fn a_time_is_told_in_whole_milliseconds_within_its_bounds() {
        let told = |time| {
            let bytes = battery::emit(&Wishes { controller: None, queue_time: Some(time) });
            Wishes::parse(&mut Reader::new(&bytes)).expect("it is told").queue_time
        };
        assert_eq!(told(Duration::ZERO), Some(Duration::from_millis(1)));
        assert_eq!(told(Duration::from_micros(2_900)), Some(Duration::from_millis(2)));
        assert_eq!(told(Duration::MAX), Some(WISHED_QUEUE_TIME_MAX));
    }

    #[test]
    fn empty_names_no_time_and_unknown_flags_are_refused() {
        let longer = [&[1, 33][..], &[b'x'; 33]].concat();
        for bytes in [&[4][..], &[0x80], &[1, 0], &[1, 1, 0xff], &[2, 0, 0], &longer] {
            assert_eq!(Wishes::parse(&mut Reader::new(bytes)), Err(Malformed), "{bytes:?}");
        }
        assert_eq!(Wishes::parse(&mut Reader::new(&[2, 0, 1])).map(|wishes| wishes.controller), Ok(None), "control");
    }
}
