//! What protects a channel's packets.

use core::fmt;

/// Why a packet was not opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenError {
    /// It is not authentic: forged, corrupted, or not for these keys.
    Forged,
    /// The keys have reached their limit: nothing more may be opened, the channel must end.
    Exhausted,
}

/// Protection of packets, one value per channel: AEAD with header protection (direct and end to end), a MAC (a
/// section), or a keyed checksum (weak mode, SST 4.2.3).
///
/// Key phases live in here: the channel writes [`send_phase`](Armor::send_phase) into what it sends and passes on the
/// phase bit that it received. Each direction ratchets on its own; either side renews whenever it wants to, with no
/// round trip.
pub trait Armor: fmt::Debug + Send {
    /// Bytes that sealing appends.
    fn tag_len(&self) -> usize;

    /// Bytes that [`protect`](Armor::protect) samples, four bytes after the start of the packet number; 0 if nothing is
    /// masked. The channel never makes a packet too short for it.
    fn sample_len(&self) -> usize {
        16
    }

    /// The phase bit for the next packet. May start a new phase: when this phase's packets are many enough and one of
    /// them has been acknowledged.
    fn send_phase(&mut self, number: u64) -> bool;

    /// Seals in place. `packet` is header, plaintext, and [`tag_len`](Armor::tag_len) bytes of room; `header_len` bytes
    /// are associated data. The phase is the one `send_phase` answered for this number.
    ///
    /// # Errors
    /// [`OpenError::Exhausted`] when the key limit is reached and could not be renewed.
    fn seal(&mut self, number: u64, header_len: usize, packet: &mut [u8]) -> Result<(), OpenError>;

    /// Masks the six low bits of the first byte and the `number_len` bytes at `number_at`, after sealing.
    fn protect(&self, number_at: usize, number_len: usize, packet: &mut [u8]);

    /// Removes the mask from the first byte and from up to four bytes at `number_at`; the true length of the number is
    /// in the unmasked first byte, and only so many bytes are unmasked. Answers `None` if the packet is too short for
    /// its sample.
    fn unprotect(&mut self, number_at: usize, packet: &mut [u8]) -> Option<()>;

    /// Opens in place what `unprotect` has unmasked; answers the length of the plaintext behind the header.
    ///
    /// # Errors
    /// When the packet is not authentic, or the keys are used up.
    fn open(&mut self, number: u64, phase: bool, header_len: usize, packet: &mut [u8]) -> Result<usize, OpenError>;

    /// A packet of ours was acknowledged; of those that one acknowledgment covers, the one with the highest number.
    fn handle_acked(&mut self, number: u64);

    /// Nothing is expected to be sealed or opened for a while: what can be made anew when it is may go.
    fn shrink(&mut self) {}
}
