//! Files without state (docs/wire.md section 6.1): what asks a stateless server for an object. A file comes as its
//! bytes and nothing else; all other objects are messages of [`files`](crate::files).

use tng_wire::{Full, Malformed, Reader, VARINT_MAX, Writer};

use crate::files::{FaultCode, SafePath, UnsafePath};

/// The protocol's name. Nobody says it on the wire: who serves without state serves this, or another.
pub const PROTOCOL: &str = "tng-trickles-files/1";
/// Most bytes of a path: it stands in what the server seals for the client.
pub const PATH_MAX: usize = 448;
/// Most bytes of what asks for an object.
pub const ASKING_MAX: usize = 1 + 8 + PATH_MAX;
/// What codes of faults have more than those of [`files`](crate::files).
pub const FAULT_BASE: u64 = 64;
/// The code of a path that is too long for this protocol.
pub const PATH_TOO_LONG: u64 = FAULT_BASE + 32;

/// The code on the wire of a fault.
pub const fn fault_code(code: FaultCode) -> u64 {
    FAULT_BASE + code.as_u64()
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The bytes of a file.
    File,
    /// What is in a folder, not in the folders in it: ENTRY, LEFT_OUT, LISTED.
    Listing,
    /// FILE and END: size, time and BLAKE3 hash of a file, or of its beginning.
    Hash,
    /// FILE: size and time of a file.
    About,
}

const FILE: u8 = 1;
const LISTING: u8 = 2;
const HASH: u8 = 3;
const ABOUT: u8 = 4;

impl What {
    /// Its number on the wire.
    pub const fn number(self) -> u8 {
        match self {
            What::File => FILE,
            What::Listing => LISTING,
            What::Hash => HASH,
            What::About => ABOUT,
        }
    }

    /// What has that number.
    pub const fn of(number: u8) -> Option<What> {
        Some(match number {
            FILE => What::File,
            LISTING => What::Listing,
            HASH => What::Hash,
            ABOUT => What::About,
            _ => return None,
        })
    }
}

/// What asks for an object: the bytes of its PUT.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asking {
    /// What is asked for.
    pub what: What,
    /// The byte of the object with which the answer begins; all can be asked for by its range later. Of a hash: how
    /// many of the file's first bytes it is of, 0 for all.
    pub start: u64,
    /// The path that it is about.
    pub path: SafePath,
}

/// Why something asks for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadAsking {
    /// Peer: it is no asking.
    #[error("it asks for nothing that is known here")]
    Malformed,
    /// Peer: the path is too long.
    #[error("the path is too long: {PATH_MAX} bytes are allowed where the server keeps nothing")]
    TooLong,
    /// Peer: it is no path below a folder.
    #[error(transparent)]
    Unsafe(#[from] UnsafePath),
}

impl Asking {
    /// Reads one.
    ///
    /// # Errors
    /// [`BadAsking`].
    pub fn parse(bytes: &[u8]) -> Result<Asking, BadAsking> {
        let mut reader = Reader::new(bytes);
        let mut head = || Ok::<_, Malformed>((reader.u8()?, reader.varint()?));
        let (what, start) = head().map_err(|Malformed| BadAsking::Malformed)?;
        let what = What::of(what).ok_or(BadAsking::Malformed)?;
        let path = reader.rest();
        if path.len() > PATH_MAX {
            return Err(BadAsking::TooLong);
        }
        let path = core::str::from_utf8(path).map_err(|_| BadAsking::Malformed)?;
        Ok(Asking { what, start, path: SafePath::parse(path)? })
    }

    /// Its bytes.
    ///
    /// # Errors
    /// [`BadAsking::TooLong`]; [`BadAsking::Malformed`] for a start of 2^62 or more.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BadAsking> {
        let path = self.path.as_str().as_bytes();
        if path.len() > PATH_MAX {
            return Err(BadAsking::TooLong);
        }
        if self.start > VARINT_MAX {
            return Err(BadAsking::Malformed);
        }
        let mut bytes = [0; ASKING_MAX];
        let mut writer = Writer::new(&mut bytes);
        let written = writer
            .u8(self.what.number())
            .and_then(|()| writer.varint(self.start))
            .and_then(|()| writer.bytes(path))
            .map(|()| writer.position());
        Ok(bytes[..written.expect("there is room for the longest")].to_vec())
    }
}

/// What `write` writes, in at most `most` bytes.
pub(crate) fn written(most: usize, write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
    let mut out = vec![0; most];
    let mut writer = Writer::new(&mut out);
    write(&mut writer).expect("it is no longer than that");
    let len = writer.position();
    out.truncate(len);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_for_an_object_is_read_as_it_was_written_and_nothing_else_is() {
        for what in [What::File, What::Listing, What::Hash, What::About] {
            for (start, path) in [(0, ""), (77, "a/b"), (VARINT_MAX, "x")] {
                let asking = Asking { what, start, path: SafePath::parse(path).unwrap() };
                assert_eq!(Asking::parse(&asking.to_bytes().unwrap()), Ok(asking));
            }
        }
        for bad in [&b""[..], b"\x01", b"\x05\x00a", b"\x00\x00a", b"\x01\x00\xff"] {
            assert_eq!(Asking::parse(bad), Err(BadAsking::Malformed), "{bad:?}");
        }
        assert_eq!(Asking::parse(b"\x01\x00../a"), Err(BadAsking::Unsafe(UnsafePath::Dots)));
        assert_eq!(Asking::parse(b"\x01\x00/a"), Err(BadAsking::Unsafe(UnsafePath::Absolute)));
    }

    #[test]
    fn a_path_that_does_not_fit_into_what_is_sealed_is_refused_at_both_ends() {
        let path = |len: usize| {
            let names: Vec<_> = (0..len.div_ceil(100)).map(|n| "n".repeat((len - 100 * n).min(99))).collect();
            SafePath::parse(&names.join("/")).unwrap()
        };
        let asking = |path| Asking { what: What::File, start: VARINT_MAX, path };
        let longest = path(PATH_MAX);
        assert_eq!(longest.as_str().len(), PATH_MAX);
        assert_eq!(asking(longest).to_bytes().unwrap().len(), ASKING_MAX);
        assert_eq!(asking(path(PATH_MAX + 1)).to_bytes(), Err(BadAsking::TooLong));
        let bytes = [&b"\x01\x00"[..], path(PATH_MAX + 1).as_str().as_bytes()].concat();
        assert_eq!(Asking::parse(&bytes), Err(BadAsking::TooLong));
    }
}
