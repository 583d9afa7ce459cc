//! Numbers for what C programs hold: minisockets, objects. A number is never given twice, so that one that is kept for
//! too long, or given to the wrong server, is known for what it is.

use core::sync::atomic::{AtomicU64, Ordering};

/// No handle: what a program that has forgotten to set one holds.
pub const NONE: u64 = 0;

/// Bits of a handle that say its place.
const PLACE_BITS: u32 = 16;

/// Of all servers and clients of the process, since one's handle may be given to another.
static SERIAL: AtomicU64 = AtomicU64::new(1);

/// Why a handle is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HandleError {
    /// Caller: it is 0.
    #[error("the handle is 0: no event or call has given it")]
    Null,
    /// Caller: what it stood for is gone, or was never here.
    #[error(
        "the handle stands for nothing here: it was answered, dropped or extracted before, belongs to another \
         descriptor, or an event was left to the next msk_poll without msk_detach"
    )]
    Stale,
}

/// There are as many as may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// What is held, by handle.
#[derive(Debug)]
pub struct Handles<T> {
    slots: Vec<(u64, Option<T>)>,
    free: Vec<u16>,
    most: usize,
}

impl<T> Handles<T> {
    /// Room for so many, at most 65,536.
    pub const fn new(most: usize) -> Handles<T> {
        Handles { slots: Vec::new(), free: Vec::new(), most }
    }

    /// How many are held.
    pub const fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether nothing is.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Holds something, and answers by what number it is known.
    ///
    /// # Errors
    /// [`Full`].
    pub fn insert(&mut self, held: T) -> Result<u64, Full> {
        let place = match self.free.pop() {
            Some(place) => usize::from(place),
            None if self.slots.len() < self.most => {
                self.slots.push((NONE, None));
                self.slots.len() - 1
            }
            None => return Err(Full),
        };
        let handle = SERIAL.fetch_add(1, Ordering::Relaxed) << PLACE_BITS | place as u64;
        self.slots[place] = (handle, Some(held));
        Ok(handle)
    }

    /// What a handle stands for.
    ///
    /// # Errors
    /// [`HandleError`].
    pub fn get(&mut self, handle: u64) -> Result<&mut T, HandleError> {
        if handle == NONE {
            return Err(HandleError::Null);
        }
        let (at, held) = self.slots.get_mut(place_of(handle)).ok_or(HandleError::Stale)?;
        held.as_mut().filter(|_| *at == handle).ok_or(HandleError::Stale)
    }

    /// Takes it out: the handle stands for nothing from now on.
    ///
    /// # Errors
    /// [`HandleError`].
    pub fn take(&mut self, handle: u64) -> Result<T, HandleError> {
        self.get(handle)?;
        let place = place_of(handle);
        self.free.push(place as u16);
        self.slots[place].1.take().ok_or(HandleError::Stale)
    }
}

const fn place_of(handle: u64) -> usize {
    (handle & ((1 << PLACE_BITS) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_good_until_it_is_taken_and_never_again() {
        let mut handles = Handles::new(2);
        let one = handles.insert("one").expect("room");
        let two = handles.insert("two").expect("room");
        assert_eq!(handles.insert("three"), Err(Full));
        assert_eq!((handles.get(one).copied(), handles.take(one)), (Ok("one"), Ok("one")));
        let three = handles.insert("three").expect("in the place of the first");
        assert_eq!(place_of(three), place_of(one));
        assert_eq!((handles.get(one).copied(), handles.take(one)), (Err(HandleError::Stale), Err(HandleError::Stale)));
        assert_eq!(
            (handles.get(three).copied(), handles.get(two).copied(), handles.len()),
            (Ok("three"), Ok("two"), 2)
        );
    }

    #[test]
    fn what_was_never_given_stands_for_nothing_nor_does_what_another_has_given() {
        let (mut here, mut there) = (Handles::new(9), Handles::new(9));
        let ours = here.insert(1).expect("room");
        there.insert(2).expect("room");
        assert_eq!(there.get(ours).copied(), Err(HandleError::Stale));
        assert_eq!(here.get(NONE).copied(), Err(HandleError::Null));
        for guess in [1, ours + 1, ours ^ 1 << 40, u64::MAX] {
            assert_eq!(here.get(guess).copied(), Err(HandleError::Stale), "{guess}");
        }
    }
}
