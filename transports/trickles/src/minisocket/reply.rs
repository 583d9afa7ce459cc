//! Packets in the making.

use core::ops::Range;

use tng_wire::{Full, Writer};

use crate::wire::Tell;

/// The packets that one request releases, one behind the other in one buffer, each with room for its seal. What is told
/// goes into the first that has room for it, and never into one before.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    bytes: Vec<u8>,
    packets: Vec<Packet>,
    /// The one that is being filled.
    at: usize,
}

/// A packet, where it lies.
#[derive(Clone, Copy, Debug)]
struct Packet {
    start: usize,
    len: usize,
    /// As long as it may become, its seal not counted.
    most: usize,
    /// Bytes of its seal.
    seal: usize,
}

/// Less than this of a packet is not worth a further range of bytes.
const PIECE_MIN: usize = 32;

/// How many of these bytes go into a packet that still has so much room; 0 if the next packet is better.
fn piece(bytes: Range<u64>, room: usize) -> usize {
    let left = usize::try_from(bytes.end - bytes.start).unwrap_or(usize::MAX);
    let len = left.min(room.saturating_sub(Tell::data_overhead(bytes.start, room)));
    if len < PIECE_MIN && len < left { 0 } else { len }
}

/// Which bytes an answer still has room for, found out without telling any.
#[derive(Clone, Debug)]
pub struct Rehearsal<'a> {
    packets: &'a [Packet],
    /// Bytes that the first of them has been told.
    told: usize,
}

impl Rehearsal<'_> {
    /// As if [`Answer::send_with`](super::Answer::send_with) sent these: answers where they would end.
    pub fn send(&mut self, bytes: Range<u64>) -> u64 {
        let mut start = bytes.start;
        while start < bytes.end
            && let Some((packet, others)) = self.packets.split_first()
        {
            let len = piece(start..bytes.end, packet.most - packet.len - self.told);
            if len == 0 {
                (self.packets, self.told) = (others, 0);
                continue;
            }
            self.told += Tell::data_overhead(start, len) + len;
            start += len as u64;
        }
        start
    }
}

impl Reply {
    /// Begins anew, with the memory of before.
    pub(crate) fn clear(&mut self) {
        self.packets.clear();
        self.at = 0;
    }

    /// Bytes that it holds, filled or not.
    pub(crate) fn held(&self) -> usize {
        let Reply { bytes, packets, at: _ } = self;
        bytes.capacity() + packets.capacity() * size_of::<Packet>()
    }

    /// Adds a packet of at most `most` bytes and a seal, that begins with what `head` writes.
    pub(crate) fn add(
        &mut self,
        most: usize,
        seal: usize,
        head: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>,
    ) -> Result<(), Full> {
        let start = self.packets.last().map_or(0, |packet| packet.start + packet.most + packet.seal);
        if self.bytes.len() < start + most + seal {
            self.bytes.resize(start + most + seal, 0);
        }
        let mut writer = Writer::new(&mut self.bytes[start..start + most]);
        head(&mut writer)?;
        let len = writer.position();
        self.packets.push(Packet { start, len, most, seal });
        Ok(())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.packets.len()
    }

    /// Bytes that may still be told, in all packets together.
    pub(crate) fn room(&self) -> usize {
        self.packets[self.at.min(self.packets.len())..].iter().map(|packet| packet.most - packet.len).sum()
    }

    /// What there is room for.
    pub(crate) fn rehearse(&self) -> Rehearsal<'_> {
        Rehearsal { packets: &self.packets[self.at.min(self.packets.len())..], told: 0 }
    }

    /// Tells something that does not come in parts.
    pub(crate) fn tell(&mut self, tell: &Tell<'_>) -> Result<(), Full> {
        let told = (self.at..self.packets.len()).find(|at| self.write(*at, |writer| tell.emit(writer)).is_ok());
        told.map(|_| ()).ok_or(Full)
    }

    /// Tells as many of `bytes` as there is room for. `fill` writes those from the place that it is told. Answers where
    /// they end.
    pub(crate) fn data<E>(
        &mut self,
        bytes: Range<u64>,
        mut fill: impl FnMut(u64, &mut [u8]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut start = bytes.start;
        while start < bytes.end && self.at < self.packets.len() {
            let packet = self.packets[self.at];
            let room = packet.most - packet.len;
            let len = piece(start..bytes.end, room);
            if len == 0 {
                self.at += 1;
                continue;
            }
            let mut answer = Ok(());
            let written = self.write(self.at, |writer| {
                Tell::emit_data(start, len, writer, |buf| {
                    answer = fill(start, buf);
                    if answer.is_ok() { Ok(()) } else { Err(Full) }
                })
            });
            answer?;
            written.expect("it was made to fit");
            start += len as u64;
        }
        Ok(start)
    }

    fn write(&mut self, at: usize, write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Result<(), Full> {
        let packet = &mut self.packets[at];
        let mut writer = Writer::new(&mut self.bytes[packet.start + packet.len..packet.start + packet.most]);
        write(&mut writer)?;
        packet.len += writer.position();
        Ok(())
    }

    /// Each packet with the room for its seal, in order.
    pub(crate) fn sealed(&mut self, mut seal: impl FnMut(usize, &mut [u8])) {
        for (at, packet) in self.packets.iter().enumerate() {
            seal(at, &mut self.bytes[packet.start..packet.start + packet.len + packet.seal]);
        }
    }

    /// How long a packet may become, its seal not counted.
    pub(crate) fn most(&self, at: usize) -> usize {
        self.packets[at].most
    }

    /// A packet without its seal.
    pub(crate) fn text(&self, at: usize) -> &[u8] {
        let packet = self.packets[at];
        &self.bytes[packet.start..packet.start + packet.len]
    }
}

#[cfg(test)]
mod tests {
    use tng_base::Rng;

    use super::*;

    #[test]
    fn what_a_rehearsal_says_there_is_room_for_is_what_is_told() {
        let mut rng = Rng::from_u64(7);
        let mut cut = 0;
        for _ in 0..2_000 {
            let mut reply = Reply::default();
            for _ in 0..rng.below(4) {
                let most = 20 + rng.below(1_400) as usize;
                let used = rng.below(most as u64).min(200) as usize;
                reply.add(most, 16, |writer| writer.bytes(&vec![0; used])).expect("it has room");
            }
            let mut pieces: Vec<Range<u64>> = Vec::new();
            for _ in 0..1 + rng.below(4) {
                let start = pieces.last().map_or(rng.below(1 << 40), |last| last.end + rng.below(1 << 20));
                pieces.push(start..start + 1 + rng.below(2_000));
            }
            let mut rehearsal = reply.rehearse();
            let foreseen: Vec<u64> = pieces.iter().map(|piece| rehearsal.send(piece.clone())).collect();
            let told: Vec<u64> = pieces
                .iter()
                .map(|piece| reply.data(piece.clone(), |_, _| Ok::<(), core::convert::Infallible>(())).expect("filled"))
                .collect();
            assert_eq!(foreseen, told);
            cut += usize::from(told.last() < pieces.last().map(|last| &last.end));
        }
        assert!((200..1_800).contains(&cut), "control: some do not fit, and some do: {cut}");
    }
}
