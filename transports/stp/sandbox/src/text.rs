//! The text form of modules (WebAssembly 6), for people.

use core::fmt;

use wasmprinter::{Config, PrintFmtWrite};

/// Why a module has no text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextError {
    /// Guest: it is no module.
    NoModule(String),
    /// Guest: its text would be longer.
    TooLong(usize),
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::NoModule(why) => write!(f, "it is no module that can be written as text ({why}); get it anew"),
            TextError::TooLong(most) => {
                write!(f, "its text has more than {most} bytes; look at a part of it with a disassembler")
            }
        }
    }
}

impl core::error::Error for TextError {}

/// A text that grows no longer than it may.
struct Bounded {
    text: String,
    most: usize,
    is_full: bool,
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if piece.len() > self.most - self.text.len() {
            self.is_full = true;
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

/// A module's text form, of `most` bytes at most.
///
/// # Errors
/// See [`TextError`].
pub fn text(module: &[u8], most: usize) -> Result<String, TextError> {
    let mut printed = PrintFmtWrite(Bounded { text: String::new(), most, is_full: false });
    let ended = Config::new().print(module, &mut printed);
    match (ended, printed.0) {
        (_, Bounded { is_full: true, .. }) => Err(TextError::TooLong(most)),
        (Ok(()), Bounded { text, .. }) => Ok(text),
        (Err(error), _) => Err(TextError::NoModule(error.to_string())),
    }
}
