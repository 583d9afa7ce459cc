//! One stream of a party: what it will write there, and what it has read.

use tng_base::Rng;
use tng_semantic::structured::{Read, ReadChunk, ReadError, StreamId, Streams, WriteError};

use super::ledger::{self, HEAD, Heard, Ledger, Said};
use super::party::Work;

/// Code with which a party resets, and with which it stops.
const RESET: u64 = 77;
const STOP: u64 = 88;

/// Most bytes that are written or read by one call.
const PIECE: usize = 8 * 1024;

/// Streams that have datagrams for children, and no others: both ends must know.
pub(super) fn has_datagrams(id: StreamId) -> bool {
    id.as_u64().is_multiple_of(3)
}

/// When something is done, and by whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// A tick of the party's own, not only an event.
    pub ticks: bool,
    /// Which party.
    pub index: usize,
}

impl Moment {
    /// What a writer or reader may do until the next tick: all, or if it is slow, so many bytes. What is left of it may
    /// be done whenever there is room or something to read: with little room it would otherwise get a byte on at each
    /// tick.
    fn allow(self, slow: bool, allowed: &mut u64, work: &Work, rng: &mut Rng) {
        match (slow, self.ticks) {
            (false, _) => *allowed = u64::MAX,
            (true, true) => *allowed = 1 + rng.below(work.pace),
            (true, false) => {}
        }
    }
}

/// One stream of a party.
#[derive(Debug)]
pub(super) struct Use {
    /// The number of the half that is written here.
    number: u64,
    to_write: u64,
    written: u64,
    write_over: bool,
    /// What became of it is known.
    said: bool,
    reset_at: Option<u64>,
    slow_writer: bool,
    /// Bytes that it may still write before the next tick.
    may_write: u64,
    pub writable: bool,

    /// The first bytes of the half that is read here.
    head: Vec<u8>,
    heard: Option<u64>,
    read: u64,
    read_over: bool,
    stop_at: Option<u64>,
    slow_reader: bool,
    /// Bytes that it may still read before the next tick.
    may_read: u64,
    pub readable: bool,
    /// It came before its opener had proven that it is no copy.
    pub early: bool,
    /// It turned out to be one.
    copy: bool,
}

impl Use {
    pub fn draw(rng: &mut Rng, work: &Work, number: u64) -> Use {
        let sizes = [0, 1, 200, 2_000, work.size_max / 4, work.size_max];
        let size = sizes[rng.below(sizes.len() as u64) as usize].min(work.size_max);
        let to_write = if size == 0 { 0 } else { HEAD + rng.below(size) };
        Use {
            number,
            to_write,
            written: 0,
            write_over: false,
            said: false,
            reset_at: rng.chance(work.resets).then(|| rng.below(to_write + 1)),
            slow_writer: rng.chance(work.slow / 2.0),
            may_write: 0,
            writable: true,
            head: Vec::new(),
            heard: None,
            read: 0,
            read_over: false,
            stop_at: rng.chance(work.stops).then(|| HEAD + rng.below(work.size_max)),
            slow_reader: rng.chance(work.slow),
            may_read: 0,
            readable: true,
            early: false,
            copy: false,
        }
    }

    /// It came before its opener had proven that it is no copy.
    pub fn early(self, early: bool) -> Use {
        Use { early, ..self }
    }

    /// Whether there is something to do at the next tick that no event will bring about.
    pub fn wants_tick(&self) -> bool {
        self.slow_writer && self.writable && !self.write_over || self.slow_reader && self.readable && !self.read_over
    }

    /// Whether the party is through with it.
    pub fn is_over(&self) -> bool {
        self.said && self.write_over && self.read_over
    }

    /// The connection is gone.
    pub fn lose(&mut self, ledger: &mut Ledger) {
        self.say(ledger, Said::Lost);
        self.hear_end(ledger, Heard::Lost);
    }

    /// What is written here has come to this.
    pub fn say(&mut self, ledger: &mut Ledger, said: Said) {
        ledger.note_said(self.number, said);
        self.write_over = true;
        self.said = said != Said::Finished;
    }

    /// What is read here has come to this end.
    pub fn hear_end(&mut self, ledger: &mut Ledger, heard: Heard) {
        if core::mem::replace(&mut self.read_over, true) {
            return;
        }
        if let Some(number) = self.heard {
            ledger.note_heard(number, heard);
        }
    }

    /// Writes what can be written.
    pub fn write(
        &mut self,
        streams: &mut Streams,
        id: StreamId,
        moment: Moment,
        work: &Work,
        rng: &mut Rng,
        ledger: &mut Ledger,
    ) {
        moment.allow(self.slow_writer, &mut self.may_write, work, rng);
        while !self.write_over && self.writable && self.may_write > 0 {
            if self.reset_at.is_some_and(|at| self.written >= at) {
                streams.reset(id, RESET);
                self.say(ledger, Said::Reset);
                break;
            }
            if self.written == self.to_write {
                match streams.finish(id) {
                    Ok(()) => {
                        streams.tell_finished(id);
                        self.say(ledger, Said::Finished);
                    }
                    Err(error) => self.fail(error, moment, ledger),
                }
                break;
            }
            let until = self.reset_at.unwrap_or(self.to_write).min(self.to_write);
            let mut len = (until - self.written).min(self.may_write).min(PIECE as u64);
            let mut ends = false;
            if let Some(message) = ledger::message_len(self.number) {
                let left = message - self.written % message;
                (len, ends) = (len.min(left), len >= left);
            }
            let data: Vec<u8> =
                (self.written..self.written + len).map(|offset| ledger::byte(self.number, offset)).collect();
            match if ends { streams.write_message(id, &data) } else { streams.write(id, &data) } {
                Ok(n) => {
                    self.written += n as u64;
                    self.may_write -= n as u64;
                    ledger.note_written(self.number, n as u64);
                    self.writable = n == data.len();
                }
                Err(WriteError::Blocked) => self.writable = false,
                Err(error) => self.fail(error, moment, ledger),
            }
        }
    }

    fn fail(&mut self, error: WriteError, moment: Moment, ledger: &mut Ledger) {
        match error {
            WriteError::Stopped(_) | WriteError::Refused(_) => self.say(ledger, Said::Unwanted),
            WriteError::ConnectionLost => self.say(ledger, Said::Lost),
            error => {
                ledger.wrong(|| format!("party {} writes half {}: {error}", moment.index, self.number));
                self.say(ledger, Said::Lost);
            }
        }
    }

    /// Reads what can be read.
    pub fn read(
        &mut self,
        streams: &mut Streams,
        id: StreamId,
        moment: Moment,
        work: &Work,
        rng: &mut Rng,
        ledger: &mut Ledger,
    ) {
        moment.allow(self.slow_reader, &mut self.may_read, work, rng);
        let mut buf = [0; PIECE];
        while !self.read_over && self.readable && self.may_read > 0 {
            if self.stop_at.is_some_and(|at| self.read >= at) {
                streams.stop(id, STOP);
                self.hear_end(ledger, Heard::Stopped);
                return;
            }
            let max = self.may_read.min(1 + rng.below(PIECE as u64)) as usize;
            let read = if rng.chance(0.5) {
                streams.read(id, &mut buf[..max])
            } else {
                self.read_chunk(streams, id, &mut buf[..max], moment, ledger)
            };
            match read {
                Ok(Read::Bytes(n)) => {
                    self.may_read -= n as u64;
                    self.hear(&buf[..n], moment, ledger);
                }
                Ok(Read::Blocked) => self.readable = false,
                Ok(Read::Finished) => {
                    if !self.head.is_empty() && self.heard.is_none() && !self.copy {
                        ledger.wrong(|| format!("party {} reads a half of {} bytes", moment.index, self.read));
                    }
                    self.hear_end(ledger, Heard::Whole);
                }
                Err(ReadError::Reset(RESET | STOP)) => self.hear_end(ledger, Heard::Reset),
                Err(ReadError::Refused(_) | ReadError::ConnectionLost) => self.hear_end(ledger, Heard::Lost),
                Err(error) => {
                    ledger.wrong(|| format!("party {} reads stream {id}: {error}", moment.index));
                    self.hear_end(ledger, Heard::Lost);
                }
            }
        }
    }

    /// Reads without a copy, and looks where messages end.
    fn read_chunk(
        &mut self,
        streams: &mut Streams,
        id: StreamId,
        buf: &mut [u8],
        moment: Moment,
        ledger: &mut Ledger,
    ) -> Result<Read, ReadError> {
        match streams.read_chunk(id, buf.len())? {
            ReadChunk::Bytes(chunk) => {
                let (len, ends) = (chunk.len(), chunk.ends_message());
                buf[..len].copy_from_slice(&chunk);
                streams.recycle(chunk);
                let end = self.read + len as u64;
                if let Some(number) = self.heard {
                    let expected = ledger::message_len(number).is_some_and(|message| end.is_multiple_of(message));
                    if ends != expected {
                        ledger.wrong(|| format!("party {} finds half {number} cut at {end}: {ends}", moment.index));
                    }
                }
                Ok(Read::Bytes(len))
            }
            ReadChunk::Blocked => Ok(Read::Blocked),
            ReadChunk::Finished => Ok(Read::Finished),
        }
    }

    /// These bytes have come.
    fn hear(&mut self, bytes: &[u8], moment: Moment, ledger: &mut Ledger) {
        let missing = (HEAD as usize - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..missing]);
        let from = self.read;
        self.read += bytes.len() as u64;
        if self.heard.is_none()
            && !self.copy
            && let Some(head) = self.head.first_chunk()
        {
            let number = u64::from_be_bytes(*head);
            self.copy = !ledger.note_reader(number, moment.index, self.early);
            if !self.copy {
                self.heard = Some(number);
                ledger.note_read(number, from, true);
            }
        }
        if let Some(number) = self.heard {
            let exact = bytes.iter().zip(from..).all(|(found, offset)| *found == ledger::byte(number, offset));
            ledger.note_read(number, bytes.len() as u64, exact);
        }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use tng_base::{ChannelKey, Instant, Protocol};
    use tng_semantic::structured::{Config, Role, Services, StreamEvent};

    use super::*;

    fn work() -> Work {
        Work {
            opens: 1,
            size_max: 1,
            children: 0.0,
            datagrams: 0,
            datagram_max: 1,
            resets: 0.0,
            stops: 0.0,
            refusals: 0.0,
            astray: 0.0,
            slow: 1.0,
            pace: 2_000,
            priorities: 0.0,
            tick: Duration::from_millis(50),
            echoes: 0,
        }
    }

    #[test]
    fn a_slow_writer_does_its_part_of_a_tick_however_little_may_wait_to_be_sent() {
        let (channel, mut buf) = (ChannelKey(1), [0; 1_200]);
        let config = Config { unsent_max: 1, ..Config::default() };
        let mut streams = Streams::new(Role::Initiator, config, Services::new());
        streams.handle_attach(Instant::ZERO, channel);
        let id = streams.open("swarm", "lots").expect("there is credit");
        let (mut ledger, mut rng, work) = (Ledger::default(), Rng::from_u64(5), work());
        let number = ledger.begin(0, 1);
        let mut writer = Use::draw(&mut rng, &work, number);
        (writer.to_write, writer.reset_at, writer.slow_writer) = (1_000_000, None, true);

        let mut written = Vec::new();
        for packet in 0..4_000 {
            let ticks = packet % 2_000 == 0;
            writer.write(&mut streams, id, Moment { ticks, index: 0 }, &work, &mut rng, &mut ledger);
            if packet % 2_000 == 1_999 {
                written.push(writer.written);
            }
            streams.poll_packet(Instant::ZERO, channel, packet, &mut buf);
            while let Some(event) = streams.poll_event() {
                writer.writable |= event == StreamEvent::Writable(id);
            }
        }
        let [first, both] = written[..] else { panic!("two ticks: {written:?}") };
        assert!(first > 100 && both > first + 100, "{written:?}");
        assert!(first <= work.pace && both <= first + work.pace, "{written:?}");
    }
}
