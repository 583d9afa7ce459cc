//! Transports that travel: what an initiator offers, and what the responder says to it (STP 3.3.1, Table 3).

use tng_base::{CODE_HASH_LEN, CodeHash};
use tng_wire::{Full, Malformed, Reader, Repr, Writer, varint_len};

/// Most transports in an offer.
pub const TRANSPORTS_MAX: usize = 4;
/// Most bytes of the service that an offer names.
pub const OFFER_SERVICE_MAX: usize = 64;

/// USE: transports that the initiator would rather speak than structured streams, preferred first, and what for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TransportOffer {
    /// The service that the initiator wants to speak to. The responder's policy may go by it.
    pub service: String,
    /// One to four, each once.
    pub codes: Vec<CodeHash>,
}

/// What a responder says to an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransportAnswer {
    /// NO: none of them may run here. Structured streams do.
    No,
    /// OK: this one of them runs.
    Ok(CodeHash),
    /// SENDME: this one of them may run here, and is missing. Structured streams run.
    SendMe(CodeHash),
    /// USE: the responder would rather run this one. The initiator decides: this one, or structured streams; its first
    /// packet says so.
    Use(CodeHash),
}

impl TransportOffer {
    /// Whether it keeps within its bounds.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self) -> Result<(), Malformed> {
        let mut before = self.codes.iter().enumerate().map(|(at, code)| self.codes[..at].contains(code));
        let possible = self.service.len() <= OFFER_SERVICE_MAX
            && (1..=TRANSPORTS_MAX).contains(&self.codes.len())
            && !before.any(|repeated| repeated);
        if possible { Ok(()) } else { Err(Malformed) }
    }

    /// Whether a responder may say that to it.
    pub(crate) fn admits(&self, answer: &TransportAnswer) -> bool {
        match answer {
            TransportAnswer::No => true,
            TransportAnswer::Ok(code) | TransportAnswer::SendMe(code) => self.codes.contains(code),
            // What the responder may choose by itself it is not to ask for.
            TransportAnswer::Use(code) => !self.codes.contains(code),
        }
    }
}

impl Repr<'_> for TransportOffer {
    fn parse(reader: &mut Reader<'_>) -> Result<TransportOffer, Malformed> {
        let service = reader.text(OFFER_SERVICE_MAX)?.exact().to_owned();
        let (codes, rest) = reader.rest().as_chunks::<CODE_HASH_LEN>();
        if !rest.is_empty() || codes.len() > TRANSPORTS_MAX {
            return Err(Malformed);
        }
        let offer = TransportOffer { service, codes: codes.iter().copied().map(CodeHash::from_bytes).collect() };
        offer.check()?;
        Ok(offer)
    }

    fn wire_len(&self) -> usize {
        varint_len(self.service.len() as u64) + self.service.len() + CODE_HASH_LEN * self.codes.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.prefixed(self.service.as_bytes())?;
        self.codes.iter().try_for_each(|code| writer.bytes(code.as_bytes()))
    }
}

impl Repr<'_> for TransportAnswer {
    fn parse(reader: &mut Reader<'_>) -> Result<TransportAnswer, Malformed> {
        let answer = match reader.u8()? {
            0 => TransportAnswer::No,
            1 => TransportAnswer::Ok(CodeHash::from_bytes(reader.array()?)),
            2 => TransportAnswer::SendMe(CodeHash::from_bytes(reader.array()?)),
            3 => TransportAnswer::Use(CodeHash::from_bytes(reader.array()?)),
            _ => return Err(Malformed),
        };
        if reader.is_empty() { Ok(answer) } else { Err(Malformed) }
    }

    fn wire_len(&self) -> usize {
        1 + match self {
            TransportAnswer::No => 0,
            TransportAnswer::Ok(_) | TransportAnswer::SendMe(_) | TransportAnswer::Use(_) => CODE_HASH_LEN,
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let (kind, code) = match self {
            TransportAnswer::No => return writer.u8(0),
            TransportAnswer::Ok(code) => (1, code),
            TransportAnswer::SendMe(code) => (2, code),
            TransportAnswer::Use(code) => (3, code),
        };
        writer.u8(kind)?;
        writer.bytes(code.as_bytes())
    }
}
