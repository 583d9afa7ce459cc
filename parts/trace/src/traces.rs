//! The traces of a host: one for each channel, since packet numbers are a channel's own.

use std::collections::BTreeMap;
use std::io::{self, Write};

use tng_base::{Instant, Note, Value};

use crate::qlog::{Head, Qlog, Vantage};

/// Traces that a host has open at once, at most; beyond it the one that has been quiet for longest ends early.
pub const TRACES_OPEN_MAX: usize = 256;

/// Traces that a host writes in its life, at most; a peer that connects again and again must not fill a disk with
/// files.
pub const TRACES_MAX: u64 = 4_096;

/// The first note of a channel, and the one that its state changes with.
const STARTED: &str = "tng:channel_started";
const STATE: &str = "connectivity:connection_state_updated";

/// Makes the output of a trace of this name.
pub type MakeOutput = Box<dyn FnMut(&str) -> io::Result<Box<dyn Write + Send>> + Send>;

/// Writes the notes of one host, each channel's to an output of its own, named `HOST-CONNECTION-CHANNEL.sqlog`.
pub struct Traces {
    host: String,
    title: String,
    reference_ms: u64,
    make: MakeOutput,
    open: BTreeMap<(u64, u64), Open>,
    made: u64,
}

struct Open {
    qlog: Qlog,
    out: Box<dyn Write + Send>,
    last: Instant,
}

impl Traces {
    /// Nothing is written yet. `reference_ms` is what the notes' times count from, in milliseconds since 1970, or 0;
    /// `make` makes an output by its name.
    pub fn new(host: &str, title: &str, reference_ms: u64, make: MakeOutput) -> Traces {
        Traces { host: host.into(), title: title.into(), reference_ms, make, open: BTreeMap::new(), made: 0 }
    }

    /// Writes down a note of a `channel` of a `connection`.
    ///
    /// # Errors
    /// Those of the output.
    pub fn note(&mut self, connection: u64, channel: u64, note: &Note) -> io::Result<()> {
        let key = (connection, channel);
        if note.name == STARTED && self.made < TRACES_MAX {
            self.make_room()?;
            let open = self.start(key, note)?;
            self.open.insert(key, open);
        }
        let Some(open) = self.open.get_mut(&key) else { return Ok(()) };
        open.last = note.time;
        open.qlog.note(&mut *open.out, note)?;
        let over = |state: &Value| matches!(state, Value::Word("closing" | "draining"));
        if note.name == STATE && note.data.get("new").is_some_and(over) {
            open.out.flush()?;
            self.open.remove(&key);
        }
        Ok(())
    }

    fn start(&mut self, (connection, channel): (u64, u64), note: &Note) -> io::Result<Open> {
        self.made += 1;
        // The generation in the upper half tells connections apart that came into the same place.
        let (place, life) = (connection & u64::from(u32::MAX), connection >> 32);
        let mut out = (self.make)(&format!("{}-{place}.{life}-{channel}.sqlog", self.host))?;
        let asked = note.data.get("initiator") == Some(&Value::Flag(true));
        let vantage = if asked { Vantage::Client } else { Vantage::Server };
        let head = Head { title: &self.title, host: &self.host, vantage, reference_ms: self.reference_ms };
        Ok(Open { qlog: Qlog::start(&mut *out, &head)?, out, last: note.time })
    }

    fn make_room(&mut self) -> io::Result<()> {
        if self.open.len() < TRACES_OPEN_MAX {
            return Ok(());
        }
        let quietest = self.open.iter().min_by_key(|(_, open)| open.last).map(|(key, _)| *key);
        quietest.and_then(|key| self.open.remove(&key)).map_or(Ok(()), |mut open| open.out.flush())
    }

    /// Has everything written so far reach its output.
    ///
    /// # Errors
    /// The first that an output met.
    pub fn flush(&mut self) -> io::Result<()> {
        self.open.values_mut().try_for_each(|open| open.out.flush())
    }
}

impl core::fmt::Debug for Traces {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Traces").field("host", &self.host).field("open", &self.open.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tng_base::Fields;

    use super::*;
    use crate::Memory;

    type Files = Arc<Mutex<BTreeMap<String, Memory>>>;

    fn traces() -> (Files, Traces) {
        let files = Files::default();
        let known = files.clone();
        let make = move |name: &str| {
            let file = Memory::default();
            known.lock().unwrap().insert(name.to_owned(), file.clone());
            Ok(Box::new(file) as Box<dyn Write + Send>)
        };
        (files, Traces::new("h", "t", 0, Box::new(make)))
    }

    fn note(traces: &mut Traces, channel: u64, at: u64, name: &'static str, data: Fields) {
        let note = Note { time: Instant::from_nanos(at), name, data };
        traces.note(1 << 32, channel, &note).unwrap();
    }

    fn records(files: &Files, name: &str) -> usize {
        files.lock().unwrap()[name].bytes().into_iter().filter(|byte| *byte == 0x1e).count()
    }

    #[test]
    fn each_channel_has_a_trace_of_its_own_until_it_closes() {
        let (files, mut traces) = traces();
        note(&mut traces, 7, 0, "tng:early", Fields::new());
        note(&mut traces, 7, 1, STARTED, Fields::new().with("initiator", true));
        note(&mut traces, 8, 2, STARTED, Fields::new().with("initiator", false));
        note(&mut traces, 7, 3, STATE, Fields::new().with("new", "draining"));
        note(&mut traces, 7, 4, "tng:late", Fields::new());
        assert_eq!(files.lock().unwrap().keys().collect::<Vec<_>>(), ["h-0.1-7.sqlog", "h-0.1-8.sqlog"]);
        assert_eq!((records(&files, "h-0.1-7.sqlog"), records(&files, "h-0.1-8.sqlog")), (3, 2));
        let head = files.lock().unwrap()["h-0.1-8.sqlog"].bytes();
        assert!(String::from_utf8(head).unwrap().contains("\"type\":\"server\""));
    }

    #[test]
    fn of_too_many_traces_the_quietest_ends_and_beyond_the_last_none_begins() {
        let (files, mut traces) = traces();
        for channel in 0..TRACES_OPEN_MAX as u64 {
            note(&mut traces, channel, channel, STARTED, Fields::new());
        }
        note(&mut traces, 0, 1_000, "tng:test", Fields::new());
        note(&mut traces, 500, 1_001, STARTED, Fields::new());
        assert_eq!(traces.open.len(), TRACES_OPEN_MAX);
        for channel in [0, 1] {
            note(&mut traces, channel, 1_002, "tng:test", Fields::new());
        }
        let kept = |channel| records(&files, &format!("h-0.1-{channel}.sqlog"));
        assert_eq!((kept(0), kept(1), kept(500)), (4, 2, 2), "channel 1 was quiet for longest");
        traces.made = TRACES_MAX;
        note(&mut traces, 501, 1_003, STARTED, Fields::new());
        assert!(!files.lock().unwrap().contains_key("h-0.1-501.sqlog"));
    }
}
