//! What an application seals for itself (Trickles 4): user continuations.

use core::ops::Range;

use tng_crypto::BLAKE3_TAG_LEN;
use tng_wire::{Malformed, Reader, VARINT_MAX, Writer};

use crate::{ConnectionId, Keys, STATE_LEN_MAX};

/// What a user continuation is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StateKind {
    /// To go on with the bytes that ask for an object, after so many have been taken.
    Input {
        /// How many.
        taken: u64,
    },
    /// To make these of a connection's bytes: `validStart` and `validEnd` of the paper.
    Output {
        /// Which.
        valid: Range<u64>,
    },
}

/// A user continuation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State<'a> {
    /// The version of the application that made it.
    pub version: u16,
    /// Which of the client's objects it belongs to.
    pub object: u64,
    /// What it is for.
    pub kind: StateKind,
    /// What the application has written.
    pub bytes: &'a [u8],
}

/// Why a user continuation is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StateError {
    /// It is not one.
    #[error("it is not a user continuation")]
    Malformed,
    /// Its keys are erased, or not made yet.
    #[error("it is of an epoch whose keys are not there: ask for the object anew")]
    Epoch,
    /// It was not sealed by a server of this fleet for this connection.
    #[error("it was not sealed for this connection")]
    Unsealed,
    /// Another version of the application made it.
    #[error("it is of version {0} of the application: ask for the object anew")]
    Version(u16),
}

const INPUT: u8 = 1;
const OUTPUT: u8 = 2;

impl<'a> State<'a> {
    /// Seals it for a connection, with the keys of the present epoch, into `out`. Answers what was written, or nothing
    /// if it has more than [`STATE_LEN_MAX`] bytes or there is no room.
    pub fn seal<'o>(&self, keys: &Keys, id: &ConnectionId, out: &'o mut [u8]) -> Option<&'o [u8]> {
        if self.bytes.len() > STATE_LEN_MAX {
            return None;
        }
        let keys = keys.present();
        let mut writer = Writer::new(out);
        self.write(keys.number() as u8, &mut writer).ok()?;
        let tag = keys.user.tag(&[&id.0, writer.written()]);
        writer.bytes(&tag).ok()?;
        let len = writer.position();
        Some(&out[..len])
    }

    fn write(&self, epoch: u8, writer: &mut Writer<'_>) -> Result<(), tng_wire::Full> {
        writer.u8(epoch)?;
        writer.u8(if matches!(self.kind, StateKind::Input { .. }) { INPUT } else { OUTPUT })?;
        writer.u16(self.version)?;
        writer.varint(self.object)?;
        match &self.kind {
            StateKind::Input { taken } => writer.varint(*taken)?,
            StateKind::Output { valid } => {
                writer.varint(valid.start)?;
                writer.varint(valid.end - valid.start)?;
            }
        }
        writer.bytes(self.bytes)
    }

    /// Opens what a server sealed for the connection.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn open(sealed: &'a [u8], keys: &Keys, id: &ConnectionId, version: u16) -> Result<State<'a>, StateError> {
        let (text, tag) = sealed.split_last_chunk::<BLAKE3_TAG_LEN>().ok_or(StateError::Malformed)?;
        let epoch = *text.first().ok_or(StateError::Malformed)?;
        let keys = keys.by_last_byte(epoch).ok_or(StateError::Epoch)?;
        if !keys.user.verify(&[&id.0, text], tag) {
            return Err(StateError::Unsealed);
        }
        let state = State::read(&text[1..]).map_err(|Malformed| StateError::Malformed)?;
        if state.version == version { Ok(state) } else { Err(StateError::Version(state.version)) }
    }

    /// Which object it says that it belongs to, sealed or not.
    pub(crate) fn object_of(sealed: &[u8]) -> Option<u64> {
        let mut reader = Reader::new(sealed.get(4..)?);
        reader.varint().ok()
    }

    fn read(text: &'a [u8]) -> Result<State<'a>, Malformed> {
        let mut reader = Reader::new(text);
        let (kind, version, object) = (reader.u8()?, reader.u16()?, reader.varint()?);
        let kind = match kind {
            INPUT => StateKind::Input { taken: reader.varint()? },
            OUTPUT => {
                let (start, len) = (reader.varint()?, reader.varint()?);
                let end = start.checked_add(len).filter(|end| *end <= VARINT_MAX).ok_or(Malformed)?;
                StateKind::Output { valid: start..end }
            }
            _ => return Err(Malformed),
        };
        Ok(State { version, object, kind, bytes: reader.rest() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EpochSecret, SEALED_STATE_LEN_MAX, Wall};
    use tng_crypto::Secret32;

    fn keys(epoch: u64) -> Keys {
        let secret = EpochSecret::new(3, Secret32::from_bytes([9; 32]));
        Keys::new(secret, Wall::from_millis(epoch * 600_000)).unwrap()
    }

    const ID: ConnectionId = ConnectionId([1; 16]);

    fn output(bytes: &[u8]) -> State<'_> {
        State { version: 7, object: 12, kind: StateKind::Output { valid: 1_000..80_000 }, bytes }
    }

    #[test]
    fn what_is_sealed_is_opened_for_its_connection_its_version_and_as_long_as_its_keys_live() {
        let (bytes, mut out) = ([5; STATE_LEN_MAX], [0; SEALED_STATE_LEN_MAX]);
        let input = State { version: 7, object: 1, kind: StateKind::Input { taken: 9 }, bytes: b"half" };
        for state in [output(b"/some/file"), output(&bytes), input] {
            let sealed = state.seal(&keys(3), &ID, &mut out).unwrap().to_vec();
            assert_eq!(State::open(&sealed, &keys(3), &ID, 7), Ok(state.clone()));
            assert_eq!(State::open(&sealed, &keys(4), &ID, 7), Ok(state.clone()), "an epoch later");
            assert_eq!(State::open(&sealed, &keys(5), &ID, 7), Err(StateError::Epoch), "two epochs later");
            assert_eq!(State::open(&sealed, &keys(3), &ID, 8), Err(StateError::Version(7)));
            assert_eq!(State::open(&sealed, &keys(3), &ConnectionId([2; 16]), 7), Err(StateError::Unsealed));
            for cut in 0..sealed.len() {
                assert!(State::open(&sealed[..cut], &keys(3), &ID, 7).is_err());
            }
            for bit in 8..8 * sealed.len() {
                let mut changed = sealed.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(State::open(&changed, &keys(3), &ID, 7), Err(StateError::Unsealed), "bit {bit}");
            }
        }
    }

    #[test]
    fn more_than_the_most_is_not_sealed() {
        let (bytes, mut out) = ([5; STATE_LEN_MAX + 1], [0; 2 * SEALED_STATE_LEN_MAX]);
        assert_eq!(output(&bytes).seal(&keys(3), &ID, &mut out), None);
    }
}
