//! What is sealed for a client.

use tng::trickles::STATE_LEN_MAX;
use tng_services::files::SafePath;
use tng_services::watermark::wire::PATH_MAX;
use tng_services::watermark::{Layout, Way};
use tng_wire::{Full, Reader, Writer};

use super::super::given::Stamp;

/// An object that was found, from some byte on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Given {
    pub(super) kind: Kind,
    /// The byte with which the reserved part of the client's row begins.
    pub(super) at: u64,
    pub(super) stamp: Stamp,
    /// The client's folder, and the image in it.
    pub(super) path: SafePath,
}

/// What it is, and what makes any bytes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// What is laid out: the image, or pieces with room for any mark.
    Laid(Way, Layout),
    /// What is not made of MCUs.
    Head,
    /// Pieces of so many MCUs from one on, which begins at that bit of the source.
    Mcus { first: u32, count: u32, source: u32 },
}

const ALIGNMENTS: u8 = 1;
const HEAD: u8 = 2;
const SKIPS: u8 = 3;
const MCUS: u8 = 4;

/// Bytes of a [`Given`] beside its path and layout.
const AROUND: usize = 1 + 8 + 28 + 2;
const _: () = assert!(AROUND + PATH_MAX + 200 <= STATE_LEN_MAX, "there is room for a layout");

impl Given {
    /// Its bytes.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = vec![0; STATE_LEN_MAX];
        let mut writer = Writer::new(&mut out);
        self.emit(&mut writer).expect("a path that was taken fits");
        let len = writer.position();
        out.truncate(len);
        if let Kind::Laid(_, layout) = &self.kind {
            out.extend(layout.write(STATE_LEN_MAX - len).expect("one place has room"));
        }
        out
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(match self.kind {
            Kind::Laid(Way::Alignments, _) => ALIGNMENTS,
            Kind::Laid(Way::Skips, _) => SKIPS,
            Kind::Head => HEAD,
            Kind::Mcus { .. } => MCUS,
        })?;
        writer.u64(self.at)?;
        self.stamp.emit(writer)?;
        writer.prefixed(self.path.as_str().as_bytes())?;
        match self.kind {
            Kind::Mcus { first, count, source } => {
                [first, count, source].into_iter().try_for_each(|number| writer.u32(number))
            }
            Kind::Laid(..) | Kind::Head => Ok(()),
        }
    }

    /// Reads what this server, or another, has sealed.
    pub(super) fn read(bytes: &[u8]) -> Option<Given> {
        let mut reader = Reader::new(bytes);
        let (kind, at) = (reader.u8().ok()?, reader.u64().ok()?);
        let stamp = Stamp::parse(&mut reader).ok()?;
        let path = core::str::from_utf8(reader.prefixed(PATH_MAX).ok()?).ok()?;
        let path = SafePath::parse(path).ok()?;
        let kind = match kind {
            ALIGNMENTS => Kind::Laid(Way::Alignments, Layout::read(Way::Alignments, &mut reader).ok()?),
            SKIPS => Kind::Laid(Way::Skips, Layout::read(Way::Skips, &mut reader).ok()?),
            HEAD => Kind::Head,
            MCUS => {
                let mut next = || reader.u32().ok();
                Kind::Mcus { first: next()?, count: next()?, source: next()? }
            }
            _ => return None,
        };
        Some(Given { kind, at, stamp, path })
    }
}
