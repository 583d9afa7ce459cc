//! What asks for a marked image (docs/wire.md section 6.2), and what is told of it.

use tng_wire::{Malformed, Reader, Writer};

#[cfg(feature = "hosts")]
use super::ImageError;
use crate::files::SafePath;
use crate::stateless::{BadAsking, written};

/// The protocol's name. Nobody says it on the wire: who serves without state serves this, or another.
pub const PROTOCOL: &str = "tng-trickles-watermark/1";
/// Longest image, in bytes.
pub const IMAGE_LEN_MAX: usize = 32 << 20;
/// Most bytes of a path: what is sealed has to have room for places beside it.
pub const PATH_MAX: usize = 200;
/// Most bytes of what asks for an object.
pub const ASKING_MAX: usize = 1 + 8 + 8 + 8 + PATH_MAX;
/// MCUs that may be asked for at once.
pub const MCUS_MAX: u32 = 4_096;

/// What codes of faults of images begin with.
pub const IMAGE_FAULT_BASE: u64 = 112;

/// The code on the wire of an image that takes no mark.
#[cfg(feature = "hosts")]
pub const fn fault_code(error: ImageError) -> u64 {
    IMAGE_FAULT_BASE
        + match error {
            ImageError::NotJpeg => 0,
            ImageError::TooLong => 1,
            ImageError::Progressive => 2,
            ImageError::Kind(_) => 3,
            ImageError::Colours(_) => 4,
            ImageError::Scans => 5,
            ImageError::Truncated => 6,
            ImageError::Damaged(_) => 7,
            ImageError::TooSmall => 8,
            ImageError::TooPlain(_) => 9,
        }
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The file itself, from that byte on first.
    File {
        /// Which.
        start: u64,
    },
    /// FILE and END of [`files`](crate::files): its size, time and hash.
    Hash,
    /// FILE: its size and time.
    About,
    /// What is not made of MCUs: a [`Head`].
    Head,
    /// Pieces with room for any mark.
    Skips {
        /// Of this version of the image.
        of: u64,
    },
    /// Pieces of MCUs, as long as they are.
    Mcus {
        /// Of this version of the image.
        of: u64,
        /// The first, a multiple of [`PIECE_MCUS`](super::PIECE_MCUS).
        first: u32,
        /// How many, at most [`MCUS_MAX`].
        count: u32,
    },
}

const FILE: u8 = 1;
const HASH: u8 = 3;
const ABOUT: u8 = 4;
const HEAD: u8 = 5;
const SKIPS: u8 = 6;
const MCUS: u8 = 7;

/// What asks for an object: the bytes of its PUT. Those of files and hashes are as in
/// [`stateless`](crate::stateless).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asking {
    /// What is asked for.
    pub what: What,
    /// The client's folder, and the image in it.
    pub path: SafePath,
}

impl Asking {
    /// Reads one.
    ///
    /// # Errors
    /// [`BadAsking`].
    pub fn parse(bytes: &[u8]) -> Result<Asking, BadAsking> {
        let mut reader = Reader::new(bytes);
        let what = what(&mut reader).map_err(|Malformed| BadAsking::Malformed)?;
        let path = reader.rest();
        if path.len() > PATH_MAX {
            return Err(BadAsking::TooLong);
        }
        let path = core::str::from_utf8(path).map_err(|_| BadAsking::Malformed)?;
        Ok(Asking { what, path: SafePath::parse(path)? })
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
        let mut bytes = [0; ASKING_MAX];
        let mut writer = Writer::new(&mut bytes);
        let (number, start, of, count) = match self.what {
            What::File { start } => (FILE, start, None, None),
            What::Hash => (HASH, 0, None, None),
            What::About => (ABOUT, 0, None, None),
            What::Head => (HEAD, 0, None, None),
            What::Skips { of } => (SKIPS, 0, Some(of), None),
            What::Mcus { of, first, count } => (MCUS, first.into(), Some(of), Some(count)),
        };
        if start > tng_wire::VARINT_MAX {
            return Err(BadAsking::Malformed);
        }
        let written = writer.u8(number).and_then(|()| writer.varint(start));
        let written = written.and_then(|()| of.map_or(Ok(()), |of| writer.u64(of)));
        let written = written.and_then(|()| count.map_or(Ok(()), |count| writer.varint(count.into())));
        written.and_then(|()| writer.bytes(path)).expect("there is room for the longest");
        let len = writer.position();
        Ok(bytes[..len].to_vec())
    }
}

fn what(reader: &mut Reader<'_>) -> Result<What, Malformed> {
    let (number, start) = (reader.u8()?, reader.varint()?);
    let small = |number: u64| u32::try_from(number).map_err(|_| Malformed);
    Ok(match number {
        FILE => What::File { start },
        HASH if start == 0 => What::Hash,
        ABOUT => What::About,
        HEAD => What::Head,
        SKIPS => What::Skips { of: reader.u64()? },
        MCUS => What::Mcus { of: reader.u64()?, first: small(start)?, count: small(reader.varint()?)? },
        _ => return Err(Malformed),
    })
}

/// What of an image is not made of MCUs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The version of the image.
    pub of: u64,
    /// How many MCUs it has.
    pub mcus: u32,
    /// All before its data.
    pub head: Vec<u8>,
    /// All behind it.
    pub tail: Vec<u8>,
}

impl Head {
    /// Longest, in bytes.
    pub const LEN_MAX: usize = IMAGE_LEN_MAX + 32;

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        written(8 + 8 + 8 + self.head.len() + self.tail.len(), |writer| {
            writer.u64(self.of)?;
            writer.varint(self.mcus.into())?;
            writer.prefixed(&self.head)?;
            writer.bytes(&self.tail)
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(bytes: &[u8]) -> Result<Head, Malformed> {
        let mut reader = Reader::new(bytes);
        let (of, mcus) = (reader.u64()?, u32::try_from(reader.varint()?).map_err(|_| Malformed)?);
        let head = reader.prefixed(IMAGE_LEN_MAX)?.to_vec();
        Ok(Head { of, mcus, head, tail: reader.rest().to_vec() })
    }
}
