//! What a client is for.

use core::fmt;
use std::borrow::Cow;

/// How what an application writes becomes what asks a server, and what comes becomes what the application reads.
pub trait Purpose: fmt::Debug + Sized {
    /// Bytes of objects that are worked on in one call: a call has so much fuel.
    const AT_ONCE: usize;

    /// What the application has written, up to where it finished.
    ///
    /// # Errors
    /// [`Unusable`]: nothing is sent then.
    fn begin(said: &[u8]) -> Result<(Self, Wanted), Unusable>;

    /// What has come of the object, in order; answers what the application reads for it.
    ///
    /// # Errors
    /// [`Unusable`].
    fn take<'a>(&mut self, came: &'a [u8]) -> Result<Cow<'a, [u8]>, Unusable>;

    /// The object has ended; answers what the application reads for that, and what is asked for next. Without a next
    /// all has come.
    ///
    /// # Errors
    /// [`Unusable`].
    fn end(&mut self) -> Result<(Vec<u8>, Option<Wanted>), Unusable>;
}

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// What asks the server's application.
    pub bytes: Vec<u8>,
    /// The first byte of the object that is wanted.
    pub from: u64,
    /// Behind the last byte that is wanted, if not all are.
    pub until: Option<u64>,
}

impl Wanted {
    /// All of an object.
    pub const fn whole(bytes: Vec<u8>) -> Wanted {
        Wanted { bytes, from: 0, until: None }
    }
}

/// Why nothing can be done with what the application has written, or a server sent; for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unusable(pub String);

impl<E: core::error::Error> From<E> for Unusable {
    fn from(error: E) -> Unusable {
        Unusable(error.to_string())
    }
}

/// An object as it is, by what asks for it as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verbatim;

impl Purpose for Verbatim {
    const AT_ONCE: usize = usize::MAX;

    fn begin(said: &[u8]) -> Result<(Verbatim, Wanted), Unusable> {
        Ok((Verbatim, Wanted::whole(said.to_vec())))
    }

    fn take<'a>(&mut self, came: &'a [u8]) -> Result<Cow<'a, [u8]>, Unusable> {
        Ok(Cow::Borrowed(came))
    }

    fn end(&mut self) -> Result<(Vec<u8>, Option<Wanted>), Unusable> {
        Ok((Vec::new(), None))
    }
}
