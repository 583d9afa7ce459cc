//! What was said and what was heard, on both sides of every stream: the truth that a run is judged by.

use core::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use tng_base::Eid;

/// Bytes at the start of every stream half that has any, and of every datagram: its number in the ledger.
pub(super) const HEAD: u64 = 8;

/// The byte at `offset` of the stream half or datagram with this number.
pub(super) fn byte(number: u64, offset: u64) -> u8 {
    if offset < HEAD {
        return number.to_be_bytes()[offset as usize];
    }
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ offset.wrapping_mul(0x00ff_51af_d7ed_558d);
    (mixed >> 24) as u8
}

/// Some stream halves are cut into messages of so many bytes.
pub(super) const fn message_len(number: u64) -> Option<u64> {
    if number.is_multiple_of(3) { Some(HEAD + 1 + number * 97 % 700) } else { None }
}

/// How a stream half ended, as its writer sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Said {
    /// It is still being written.
    Open,
    /// Its end was announced.
    Finished,
    /// The peer's host has everything, says the writer's.
    Confirmed,
    /// Its writer gave it up.
    Reset,
    /// Nobody wants it: stopped or refused by the peer.
    Unwanted,
    /// Its connection, or its writer, is gone.
    Lost,
}

/// How a stream half ended, as its reader sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Heard {
    /// Not yet.
    Waiting,
    /// The reader read to the end.
    Whole,
    /// The writer gave it up.
    Reset,
    /// The reader gave it up.
    Stopped,
    /// Its connection, or its reader, is gone.
    Lost,
}

#[derive(Clone, Debug)]
struct Half {
    writer: usize,
    /// At whom it is written.
    peer: usize,
    written: u64,
    said: Said,
    /// Who reads it, since somebody does.
    reader: Option<usize>,
    read: u64,
    heard: Heard,
}

/// Every stream half and datagram of a run.
#[derive(Default, Debug)]
pub(super) struct Ledger {
    halves: Vec<Half>,
    /// So many of the first are settled: what is settled stays so.
    settled: Cell<usize>,
    /// Datagrams sent, by number: their senders and lengths.
    datagrams: BTreeMap<u64, (usize, usize)>,
    /// Those that have arrived.
    arrived: BTreeSet<u64>,
    /// What went wrong first.
    wrong: Option<String>,
    /// Bytes read in all.
    pub bytes: u64,
    /// Who is who.
    pub parties: Vec<Eid>,
}

/// Datagrams have numbers of their own.
const DATAGRAMS: u64 = 1 << 40;

impl Ledger {
    /// Something is not as it must be.
    pub fn wrong(&mut self, what: impl FnOnce() -> String) {
        if self.wrong.is_none() {
            self.wrong = Some(what());
        }
    }

    /// What went wrong first, if anything did.
    pub fn verdict(&self) -> Option<&str> {
        self.wrong.as_deref()
    }

    /// Stream halves and datagrams so far.
    pub fn counts(&self) -> (u64, u64) {
        (self.halves.len() as u64, self.arrived.len() as u64)
    }

    /// A stream half begins to be written: its number.
    pub fn begin(&mut self, writer: usize, peer: usize) -> u64 {
        let (said, heard) = (Said::Open, Heard::Waiting);
        self.halves.push(Half { writer, peer, written: 0, said, reader: None, read: 0, heard });
        self.halves.len() as u64 - 1
    }

    /// A party's process has ended: what it wrote, and what was written to it, may come to nothing.
    pub fn lose_party(&mut self, party: usize) {
        for half in &mut self.halves {
            if half.writer == party || half.peer == party && half.heard == Heard::Waiting {
                half.said = Said::Lost;
            }
        }
    }

    pub fn note_written(&mut self, number: u64, bytes: u64) {
        self.halves[number as usize].written += bytes;
    }

    /// The writer's view of how it ended. What was lost stays lost, and an end is not taken back.
    pub fn note_said(&mut self, number: u64, said: Said) {
        let half = &mut self.halves[number as usize];
        match (half.said, said) {
            (Said::Open, _)
            | (Said::Finished, Said::Confirmed | Said::Unwanted | Said::Lost)
            | (Said::Confirmed, Said::Unwanted | Said::Lost) => half.said = said,
            (Said::Confirmed, Said::Confirmed) => self.wrong(|| format!("half {number} was confirmed twice")),
            _ => {}
        }
    }

    /// Somebody has begun to read a half, by what stands at its start. Answers whether this is how it is read: what was
    /// `early` may be a copy of a first packet, of whose streams nobody else ever hears.
    pub fn note_reader(&mut self, number: u64, reader: usize, early: bool) -> bool {
        match self.halves.get_mut(number as usize) {
            None => self.wrong(|| format!("party {reader} reads half {number}, which nobody has written")),
            Some(half) if half.peer != reader => self.wrong(|| format!("party {reader} reads half {number} of others")),
            Some(half) if half.reader.is_some() && early => return false,
            Some(half) if half.reader.is_some() => self.wrong(|| format!("half {number} is read twice")),
            Some(half) => half.reader = Some(reader),
        }
        true
    }

    /// `len` more bytes of a half were read, and they were as they were written if `exact`.
    pub fn note_read(&mut self, number: u64, len: u64, exact: bool) {
        self.bytes += len;
        let Some(half) = self.halves.get_mut(number as usize) else { return };
        let at = half.read;
        half.read += len;
        let (read, written) = (half.read, half.written);
        if !exact {
            self.wrong(|| format!("half {number} has a wrong byte among the {len} from {at} on"));
        } else if read > written {
            self.wrong(|| format!("of half {number} {read} bytes were read and {written} written"));
        }
    }

    /// The reader's view of how it ended.
    pub fn note_heard(&mut self, number: u64, heard: Heard) {
        let Some(half) = self.halves.get_mut(number as usize) else { return };
        half.heard = heard;
        let half = half.clone();
        let fits = match heard {
            Heard::Whole => half.read == half.written && !matches!(half.said, Said::Open | Said::Reset),
            Heard::Reset => matches!(half.said, Said::Reset | Said::Unwanted | Said::Lost),
            Heard::Waiting | Heard::Stopped | Heard::Lost => true,
        };
        if !fits {
            self.wrong(|| format!("half {number} ends otherwise than it was written: {half:?}"));
        }
    }

    /// A datagram is sent: its number.
    pub fn send_datagram(&mut self, sender: usize, len: usize) -> u64 {
        let number = DATAGRAMS + self.datagrams.len() as u64;
        self.datagrams.insert(number, (sender, len));
        number
    }

    /// It could not be sent.
    pub fn unsend_datagram(&mut self, number: u64) {
        self.datagrams.remove(&number);
    }

    /// A datagram has arrived.
    pub fn note_datagram(&mut self, reader: usize, bytes: &[u8]) {
        let number = bytes.first_chunk().map_or(0, |head| u64::from_be_bytes(*head));
        let exact = bytes.iter().zip(0..).all(|(found, offset)| *found == byte(number, offset));
        match self.datagrams.get(&number) {
            Some(&(sender, len)) if exact && len == bytes.len() && sender != reader => {
                if !self.arrived.insert(number) {
                    self.wrong(|| format!("datagram {number} came twice"));
                }
            }
            known => {
                let known = known.copied();
                self.wrong(|| format!("a datagram of {} bytes numbered {number} is none: {known:?}", bytes.len()));
            }
        }
    }

    /// A half that nobody has finished with: its number and what is known of it.
    pub fn unsettled(&self) -> Option<(usize, String)> {
        let open = (self.settled.get()..self.halves.len()).find(|number| !self.halves[*number].is_settled());
        self.settled.set(open.unwrap_or(self.halves.len()));
        open.map(|number| (number, format!("{:?}", self.halves[number])))
    }
}

impl Half {
    /// Whether both ends are done with it, and agree.
    fn is_settled(&self) -> bool {
        match (self.said, self.heard) {
            (Said::Open | Said::Finished, _) => false,
            // What has no byte has no name, either: its reader is not known.
            (Said::Confirmed, Heard::Waiting) => self.written == 0,
            // Its reader may never have seen any of it.
            (Said::Reset | Said::Unwanted | Said::Lost, _) => true,
            (Said::Confirmed, _) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> (Ledger, u64) {
        let mut ledger = Ledger::default();
        let number = ledger.begin(0, 1);
        ledger.note_written(number, 100);
        ledger.note_said(number, Said::Finished);
        ledger.note_reader(number, 1, false);
        (ledger, number)
    }

    fn wrong(act: impl FnOnce(&mut Ledger, u64)) -> bool {
        let (mut ledger, number) = ledger();
        act(&mut ledger, number);
        ledger.verdict().is_some()
    }

    #[test]
    fn a_half_that_is_read_as_it_was_written_is_right() {
        assert!(!wrong(|ledger, number| {
            ledger.note_read(number, 100, true);
            ledger.note_heard(number, Heard::Whole);
            assert!(ledger.unsettled().is_some(), "its writer does not know yet");
            ledger.note_said(number, Said::Confirmed);
            assert!(ledger.unsettled().is_none());
        }));
    }

    #[test]
    fn whatever_is_not_as_it_was_written_is_wrong() {
        assert!(wrong(|ledger, number| ledger.note_read(number, 100, false)), "another byte");
        assert!(wrong(|ledger, number| ledger.note_read(number, 101, true)), "one too many");
        assert!(wrong(|ledger, number| ledger.note_heard(number, Heard::Whole)), "an end too early");
        assert!(wrong(|ledger, number| ledger.note_heard(number, Heard::Reset)), "cut short by nobody");
        assert!(wrong(|ledger, number| assert!(ledger.note_reader(number, 1, false))), "read twice");
        assert!(wrong(|ledger, _| assert!(ledger.note_reader(7, 1, false))), "written by nobody");
        assert!(wrong(|ledger, number| {
            ledger.note_said(number, Said::Confirmed);
            ledger.note_said(number, Said::Confirmed);
        }));
    }

    #[test]
    fn a_datagram_comes_once_and_whole_to_whom_it_was_for() {
        let bytes: Vec<u8> = (0..50).map(|offset| byte(DATAGRAMS, offset)).collect();
        let arrive = |reader: usize, bytes: &[u8], times: usize| {
            let mut ledger = Ledger::default();
            assert_eq!(ledger.send_datagram(0, 50), DATAGRAMS);
            (0..times).for_each(|_| ledger.note_datagram(reader, bytes));
            ledger.verdict().is_none()
        };
        assert!(arrive(1, &bytes, 1));
        assert!(!arrive(1, &bytes, 2));
        assert!(!arrive(0, &bytes, 1));
        assert!(!arrive(1, &bytes[..49], 1));
        let mut torn = bytes.clone();
        torn[20] ^= 1;
        assert!(!arrive(1, &torn, 1));
    }
}
