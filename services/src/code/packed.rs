//! The packed form of code: one zstd frame (RFC 8878).

use std::io::Read;
use std::sync::Arc;

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{MODULE_MAX, Offer, PACKED_MAX};

/// Code in its packed form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed {
    size: u32,
    bytes: Arc<[u8]>,
    hash: [u8; 32],
}

/// Caller: this is no code that can be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("code has 1 to {MODULE_MAX} bytes, this has {0}; make it smaller")]
pub struct TooLarge(pub usize);

/// Why bytes do not unpack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnpackError {
    /// Peer: there is more in it than was told. No more than that was unpacked.
    #[error("it unpacks to more than the {0} bytes that were told; take it from another host")]
    Bomb(u32),
    /// Peer: it is no zstd frame, or not one alone, or there is less in it than was told.
    #[error("it does not unpack to what was told; take it from another host")]
    Damaged,
}

impl Packed {
    /// Packs code; the same code to the same bytes.
    ///
    /// # Errors
    /// If it is empty, or longer than [`MODULE_MAX`].
    pub fn new(code: &[u8]) -> Result<Packed, TooLarge> {
        if code.is_empty() || code.len() > MODULE_MAX {
            return Err(TooLarge(code.len()));
        }
        let bytes: Arc<[u8]> = compress_to_vec(code, CompressionLevel::Fastest).into();
        if bytes.len() > PACKED_MAX {
            return Err(TooLarge(code.len()));
        }
        Ok(Packed { size: code.len() as u32, hash: *blake3::hash(&bytes).as_bytes(), bytes })
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// BLAKE3 of its bytes.
    pub const fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// What is told of it; `manifest` has at most [`MANIFEST_MAX`](super::MANIFEST_MAX) bytes.
    pub fn offer(&self, manifest: Vec<u8>) -> Offer {
        Offer { size: self.size, packed_size: self.bytes.len() as u32, packed_hash: self.hash, manifest }
    }
}

/// Unpacks code of `size` bytes, from 1 to [`MODULE_MAX`]. Holds no more than that, the longest window and a block,
/// whatever the bytes say.
///
/// # Errors
/// See [`UnpackError`].
pub fn unpack(packed: &[u8], size: u32) -> Result<Vec<u8>, UnpackError> {
    let mut rest = packed;
    let decoder = StreamingDecoder::new_with_max_window_size(&mut rest, MODULE_MAX as u64);
    let mut decoder = decoder.map_err(|_| UnpackError::Damaged)?;
    let mut code = Vec::new();
    // One more than was told is enough to know.
    (&mut decoder).take(u64::from(size) + 1).read_to_end(&mut code).map_err(|_| UnpackError::Damaged)?;
    drop(decoder);
    match code.len().cmp(&(size as usize)) {
        core::cmp::Ordering::Greater => Err(UnpackError::Bomb(size)),
        core::cmp::Ordering::Equal if rest.is_empty() => Ok(code),
        _ => Err(UnpackError::Damaged),
    }
}
