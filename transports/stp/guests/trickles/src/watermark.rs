//! Joins the pieces of a marked image, bit by bit, so that its server need not: custom data reconstruction (Trickles
//! 6.2, 7.2).

use std::borrow::Cow;

use tng_services::files::SafePath;
use tng_services::watermark::wire::{Asking, What};
use tng_services::watermark::{Assembler, Unassembled};

use crate::purpose::{Purpose, Unusable, Wanted};

/// Bytes of what is not made of MCUs that are held: memory is scarce here.
pub const HEAD_LEN_MAX: usize = 1 << 20;

/// Asks for the head of an image and for its pieces in the place of the file that the application asks for, which reads
/// the file nonetheless.
#[derive(Debug)]
pub struct Image {
    path: SafePath,
    /// None when all has come.
    assembler: Option<Assembler>,
}

impl Image {
    fn wanted(&self, what: What) -> Result<Wanted, Unusable> {
        Ok(Wanted::whole(Asking { what, path: self.path.clone() }.to_bytes()?))
    }

    fn assembler(&mut self) -> Result<&mut Assembler, Unusable> {
        Ok(self.assembler.as_mut().ok_or(Unassembled::NoEnd)?)
    }
}

impl Purpose for Image {
    // Some 100 of fuel a byte, beside what the client takes.
    const AT_ONCE: usize = 16 << 10;

    fn begin(said: &[u8]) -> Result<(Image, Wanted), Unusable> {
        let Asking { what: What::File { start: 0 }, path } = Asking::parse(said)? else {
            return Err(Unusable(
                "what was written asks for something else than an image from its beginning".to_owned(),
            ));
        };
        let image = Image { path, assembler: Some(Assembler::new(HEAD_LEN_MAX)) };
        let wanted = image.wanted(What::Head)?;
        Ok((image, wanted))
    }

    fn take<'a>(&mut self, came: &'a [u8]) -> Result<Cow<'a, [u8]>, Unusable> {
        Ok(Cow::Owned(self.assembler()?.take(came)?))
    }

    fn end(&mut self) -> Result<(Vec<u8>, Option<Wanted>), Unusable> {
        let assembler = self.assembler()?;
        let is_head = assembler.head().is_none();
        let mut whole = assembler.end_object()?;
        if let Some((of, _)) = assembler.head().filter(|_| is_head) {
            return Ok((whole, Some(self.wanted(What::Skips { of })?)));
        }
        whole.extend(self.assembler.take().map_or(Err(Unassembled::NoEnd), Assembler::finish)?);
        Ok((whole, None))
    }
}
