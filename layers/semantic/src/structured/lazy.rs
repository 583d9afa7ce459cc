//! What takes no memory until it is used.

use core::ops::{Deref, DerefMut};

/// What has a value to look at while there is none.
pub(super) trait Empty: Default + 'static {
    /// The same as the default.
    const EMPTY: &'static Self;
}

/// A value in a box that is made when it is changed first. Until then it is seen as empty.
#[derive(Debug)]
pub(super) struct Lazy<T>(Option<Box<T>>);

impl<T> Default for Lazy<T> {
    fn default() -> Lazy<T> {
        Lazy(None)
    }
}

impl<T: Empty> Deref for Lazy<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::EMPTY)
    }
}

impl<T: Empty> DerefMut for Lazy<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::inbox::Inbox;
    use super::super::scheduler::Tree;
    use super::*;

    fn looks_as_new<T: Empty + core::fmt::Debug>() -> bool {
        format!("{:?}", *Lazy::<T>::default()) == format!("{:?}", T::default())
    }

    #[test]
    fn what_is_not_there_yet_looks_as_what_is_new() {
        assert!(looks_as_new::<Tree>() && looks_as_new::<Inbox>());
    }
}
