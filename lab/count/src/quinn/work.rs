//! Applications above quinn, which do what those above tng do (see [`crate::part`]). Builds with debug assertions look
//! at every byte that arrives.

use quinn_proto::{Connection, Dir, Event, ReadError, StreamEvent, StreamId, WriteError};

use super::App;
use crate::part::{AT_ONCE, BLOCK, REQUEST};

/// What a request says.
const ASKED: [u8; REQUEST] = [5; REQUEST];

/// What an answer says.
const ANSWERED: [u8; REQUEST] = [9; REQUEST];

/// After so many bytes a long stream repeats itself.
const PERIOD: usize = 251;

/// The byte at that place of a long stream.
const fn byte_at(place: usize) -> u8 {
    (place % PERIOD) as u8
}

/// What reading a stream has brought.
struct Taken {
    bytes: usize,
    end: bool,
    /// There is credit to be told.
    wakes: bool,
}

/// Copies what has come, in order, until `out` is full: as quinn's `RecvStream::read`. `None` if the stream is over.
fn read(connection: &mut Connection, id: StreamId, out: &mut [u8]) -> Option<Taken> {
    let mut stream = connection.recv_stream(id);
    let mut chunks = stream.read(true).ok()?;
    let (mut bytes, mut end) = (0, false);
    while bytes < out.len() && !end {
        match chunks.next(out.len() - bytes) {
            Ok(Some(chunk)) => {
                out[bytes..][..chunk.bytes.len()].copy_from_slice(&chunk.bytes);
                bytes += chunk.bytes.len();
            }
            Ok(None) => end = true,
            Err(ReadError::Blocked) => break,
            Err(error) => panic!("a stream failed between two endpoints in one process: {error}"),
        }
    }
    let wakes = chunks.finalize().should_transmit();
    Some(Taken { bytes, end, wakes })
}

/// Whether the peer's finish has come; what came before it is read, and is `expected`.
fn read_to_end(connection: &mut Connection, id: StreamId, expected: &[u8]) -> bool {
    let mut buf = [0; 2 * REQUEST];
    let mut place = 0;
    while let Some(Taken { bytes, end, .. }) = read(connection, id, &mut buf[place..]) {
        place += bytes;
        if end {
            debug_assert_eq!(&buf[..place], expected, "what was said arrives");
            return true;
        }
        if bytes == 0 {
            return false;
        }
    }
    false
}

/// Writes a message on a stream, and its end.
fn say(connection: &mut Connection, id: StreamId, message: &[u8]) {
    let mut stream = connection.send_stream(id);
    let said = stream.write(message) == Ok(message.len()) && stream.finish().is_ok();
    debug_assert!(said, "a new stream takes a small message");
}

/// Opens one stream and writes on it for ever.
pub struct Writer {
    /// Longer than what is written at once, so that this can begin anywhere in a period.
    block: Vec<u8>,
    written: usize,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer { block: (0..BLOCK + PERIOD).map(byte_at).collect(), written: 0 }
    }
}

impl Writer {
    fn write(&mut self, connection: &mut Connection, id: StreamId) -> bool {
        let mut stream = connection.send_stream(id);
        let before = self.written;
        loop {
            match stream.write(&self.block[self.written % PERIOD..][..BLOCK]) {
                Ok(bytes) => self.written += bytes,
                Err(WriteError::Blocked) => return self.written > before,
                Err(error) => panic!("a stream failed between two endpoints in one process: {error}"),
            }
        }
    }
}

impl App for Writer {
    fn handle_event(&mut self, connection: &mut Connection, event: Event) -> bool {
        match event {
            Event::Connected => match connection.streams().open(Dir::Bi) {
                Some(id) => self.write(connection, id),
                None => false,
            },
            Event::Stream(StreamEvent::Writable { id }) => self.write(connection, id),
            _ => false,
        }
    }
}

/// Accepts streams and reads what comes.
pub struct Reader {
    block: Vec<u8>,
    read: usize,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader { block: vec![0; BLOCK], read: 0 }
    }
}

impl Reader {
    fn read(&mut self, connection: &mut Connection, id: StreamId) -> bool {
        let mut wakes = false;
        while let Some(taken) = read(connection, id, &mut self.block) {
            wakes |= taken.wakes;
            if taken.bytes == 0 {
                break;
            }
            let mut places = self.block[..taken.bytes].iter().zip(self.read..);
            debug_assert!(places.all(|(byte, place)| *byte == byte_at(place)), "what was written arrives");
            self.read += taken.bytes;
        }
        wakes
    }
}

impl App for Reader {
    fn handle_event(&mut self, connection: &mut Connection, event: Event) -> bool {
        let mut wakes = false;
        match event {
            Event::Stream(StreamEvent::Opened { dir }) => {
                while let Some(id) = connection.streams().accept(dir) {
                    wakes |= self.read(connection, id);
                }
            }
            Event::Stream(StreamEvent::Readable { id }) => wakes = self.read(connection, id),
            _ => {}
        }
        wakes
    }

    /// In bytes.
    fn done(&self) -> u64 {
        self.read as u64
    }
}

/// Asks on new streams, each time an answer is there.
#[derive(Default)]
pub struct Asker {
    done: u64,
    open: usize,
}

impl Asker {
    fn ask(&mut self, connection: &mut Connection) -> bool {
        let before = self.open;
        while self.open < AT_ONCE
            && let Some(id) = connection.streams().open(Dir::Bi)
        {
            say(connection, id, &ASKED);
            self.open += 1;
        }
        self.open > before
    }
}

impl App for Asker {
    fn handle_event(&mut self, connection: &mut Connection, event: Event) -> bool {
        match event {
            Event::Connected | Event::Stream(StreamEvent::Available { .. }) => self.ask(connection),
            Event::Stream(StreamEvent::Readable { id }) if read_to_end(connection, id, &ANSWERED) => {
                self.done += 1;
                self.open -= 1;
                self.ask(connection)
            }
            _ => false,
        }
    }

    /// In answers.
    fn done(&self) -> u64 {
        self.done
    }
}

/// Answers what has been asked to the end.
#[derive(Default)]
pub struct Answerer {
    done: u64,
}

impl Answerer {
    fn answer(&mut self, connection: &mut Connection, id: StreamId) -> bool {
        let asked = read_to_end(connection, id, &ASKED);
        if asked {
            say(connection, id, &ANSWERED);
            self.done += 1;
        }
        asked
    }
}

impl App for Answerer {
    fn handle_event(&mut self, connection: &mut Connection, event: Event) -> bool {
        let mut wakes = false;
        match event {
            Event::Stream(StreamEvent::Opened { dir }) => {
                while let Some(id) = connection.streams().accept(dir) {
                    wakes |= self.answer(connection, id);
                }
            }
            Event::Stream(StreamEvent::Readable { id }) => wakes = self.answer(connection, id),
            _ => {}
        }
        wakes
    }

    /// In answers.
    fn done(&self) -> u64 {
        self.done
    }
}
