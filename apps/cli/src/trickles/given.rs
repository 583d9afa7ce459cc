//! What the server seals for a client: all that it would have kept.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use tng::trickles::STATE_LEN_MAX;
use tng_services::files::SafePath;
use tng_services::stateless::{ASKING_MAX, PATH_MAX, What};
use tng_wire::{Full, Malformed, Reader, Writer};

/// Bytes of a [`Given`] beside its path.
const AROUND: usize = 1 + 8 + 8 + 8 + 8 + 4;

const _: () = assert!(AROUND + PATH_MAX <= STATE_LEN_MAX && ASKING_MAX < STATE_LEN_MAX, "it can be sealed");

/// What a file was when it was asked for; of a listing, its hash and length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    pub(super) id: u64,
    pub(super) len: u64,
    pub(super) modified: (i64, u32),
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Stamp {
        let modified = (metadata.mtime(), metadata.mtime_nsec() as u32);
        Stamp { id: metadata.ino(), len: metadata.len(), modified }
    }

    /// Its bytes.
    pub(super) fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let Stamp { id, len, modified: (s, ns) } = *self;
        [id, len, s.cast_unsigned()].iter().try_for_each(|number| writer.u64(*number))?;
        writer.u32(ns)
    }

    /// Reads what was written.
    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Stamp, Malformed> {
        let (id, len, s) = (reader.u64()?, reader.u64()?, reader.u64()?);
        Ok(Stamp { id, len, modified: (s.cast_signed(), reader.u32()?) })
    }

    /// What tells it from others.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut bytes = [0; 28];
        self.emit(&mut Writer::new(&mut bytes)).expect("so long is a stamp");
        Stamp::of_text(&bytes).id
    }

    pub(super) fn of_text(text: &[u8]) -> Stamp {
        let hash = blake3::hash(text);
        let id = u64::from_be_bytes(*hash.as_bytes().first_chunk().expect("a hash is longer"));
        Stamp { id, len: text.len() as u64, modified: (0, 0) }
    }
}

/// An object that was found, from some byte on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Given {
    pub(super) what: What,
    /// The byte with which the reserved part of the client's row begins.
    pub(super) at: u64,
    pub(super) stamp: Stamp,
    pub(super) path: SafePath,
}

impl Given {
    /// Its bytes.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = vec![0; AROUND + self.path.as_str().len()];
        let mut writer = Writer::new(&mut out);
        let written = writer.u8(self.what.number()).and_then(|()| writer.u64(self.at));
        let written = written.and_then(|()| self.stamp.emit(&mut writer));
        let written = written.and_then(|()| writer.bytes(self.path.as_str().as_bytes()));
        written.expect("so long it is");
        out
    }

    /// Reads what this server, or another, has sealed.
    pub(super) fn read(bytes: &[u8]) -> Option<Given> {
        let mut reader = Reader::new(bytes);
        let what = What::of(reader.u8().ok()?)?;
        let (at, stamp) = (reader.u64().ok()?, Stamp::parse(&mut reader).ok()?);
        let path = SafePath::parse(std::str::from_utf8(reader.rest()).ok()?).ok()?;
        Some(Given { what, at, stamp, path })
    }
}
