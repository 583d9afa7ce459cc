//! An output in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// An output in memory, for code that looks at a trace, a capture or a key log without a file. Clones are the same
/// output: the one is given away to be written to, the other is looked at. It grows with what is written; nothing
/// bounds it.
#[derive(Clone, Default, Debug)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    /// A copy of what has been written so far.
    pub fn bytes(&self) -> Vec<u8> {
        // A writer that panicked left whole pieces.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_clone_writes_the_other_has() {
        let kept = Memory::default();
        let mut given = kept.clone();
        given.write_all(b"ab").unwrap();
        given.write_all(b"c").unwrap();
        assert_eq!(kept.bytes(), b"abc");
        assert!(Memory::default().bytes().is_empty());
    }
}
