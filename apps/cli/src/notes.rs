//! Lines about what peers do. How many there are is up to the peers, and how fast they are read is not up to this host:
//! they wait in a bounded queue, never the work.

use std::io::{self, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Lines about peers that wait for the reader of stdout, and as many for that of stderr; further ones are dropped, and
/// how many is told when there is room again.
pub const NOTES_WAITING_MAX: usize = 1_024;

/// How long the last lines may take when the tool ends.
pub const NOTES_FLUSH_MAX: Duration = Duration::from_millis(500);

enum Note {
    Line(String),
    /// Everything before it is written.
    Flush(SyncSender<()>),
}

/// A stream of the process, written by a thread of its own.
struct Notes {
    queue: SyncSender<Note>,
    dropped: AtomicU64,
}

static STDOUT: LazyLock<Notes> = LazyLock::new(|| Notes::new(|line| io::stdout().lock().write_all(line)));
static STDERR: LazyLock<Notes> = LazyLock::new(|| Notes::new(|line| io::stderr().lock().write_all(line)));

impl Notes {
    fn new(write: impl FnMut(&[u8]) -> io::Result<()> + Send + 'static) -> Notes {
        let (queue, lines) = sync_channel(NOTES_WAITING_MAX);
        thread::spawn(move || write_all(&lines, write));
        Notes { queue, dropped: AtomicU64::new(0) }
    }

    /// Queues a line if there is room; `missing` makes the line that stands for those for which there was none.
    fn add(&self, line: String, missing: impl FnOnce(u64) -> String) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        let lines = if dropped > 0 { format!("{}\n{line}\n", missing(dropped)) } else { format!("{line}\n") };
        if self.queue.try_send(Note::Line(lines)).is_err() {
            self.dropped.fetch_add(dropped + 1, Ordering::Relaxed);
        }
    }

    fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.queue.try_send(Note::Flush(done)).is_ok() {
            // A reader that has stopped is not waited for.
            let _ = written.recv_timeout(NOTES_FLUSH_MAX);
        }
    }
}

fn write_all(lines: &Receiver<Note>, mut write: impl FnMut(&[u8]) -> io::Result<()>) {
    for note in lines {
        match note {
            // A reader that went away is no reason to stop the work.
            Note::Line(line) => drop(write(line.as_bytes())),
            Note::Flush(done) => drop(done.send(())),
        }
    }
}

/// Queues a line of NDJSON for stdout.
pub(crate) fn event(line: String, missing: impl FnOnce(u64) -> String) {
    STDOUT.add(line, missing);
}

/// Queues a line for people.
pub(crate) fn say(line: String) {
    STDERR.add(line, |dropped| format!("{dropped} lines left out: nobody read them in time"));
}

/// Waits for what is queued to be written, a moment at most.
pub(crate) fn flush() {
    for notes in [&STDOUT, &STDERR] {
        if let Some(notes) = LazyLock::get(notes) {
            notes.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn lines_that_nobody_reads_are_dropped_and_counted_and_hold_nobody_up() {
        let (gate, opened) = channel::<()>();
        let (tell, told) = channel();
        let (take, taken) = channel();
        let opened = Mutex::new(opened);
        let notes = Notes::new(move |line| {
            let _ = take.send(());
            // Closed for good once the test lets go of it.
            let _ = opened.lock().expect("no panic").recv();
            tell.send(String::from_utf8(line.to_vec()).expect("text")).map_err(io::Error::other)
        });
        let missing = |dropped| format!("{dropped} missing");
        let sent = 2 * NOTES_WAITING_MAX as u64;
        // The thread may begin late: it has taken one before there are more than it can.
        notes.add("0".to_owned(), missing);
        taken.recv().expect("the thread begins");
        (1..sent).for_each(|i| notes.add(i.to_string(), missing));
        let dropped = notes.dropped.load(Ordering::Relaxed);
        assert_eq!(dropped, sent - 1 - NOTES_WAITING_MAX as u64);
        drop(gate);
        let kept = (0..sent - dropped).map(|_| told.recv().expect("written")).collect::<Vec<_>>();
        assert_eq!(kept.first().map(String::as_str), Some("0\n"), "control: the first are kept");
        notes.add("last".to_owned(), missing);
        assert_eq!(told.recv().expect("written"), format!("{dropped} missing\nlast\n"));
    }
}
