//! A log that a thread of its own writes: a disk that does not answer, or a reader that stands still, costs lines and
//! stops nobody.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::sync::oneshot;

use super::lines::Lines;
use super::locked;

/// Lines that wait to be written, at most; those beyond are lost, and counted.
pub const LINES_WAITING_MAX: usize = 4_096;

/// Where a daemon says what happens. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Log {
    to: SyncSender<Entry>,
    place: Arc<Mutex<Arc<Lines>>>,
    lost: Arc<Lost>,
}

#[derive(Debug)]
enum Entry {
    Line(Value),
    /// To be dropped when it is its turn.
    Mark(#[expect(dead_code, reason = "that it is dropped is what it says")] oneshot::Sender<()>),
}

/// Lines that did not reach the log.
#[derive(Debug, Default)]
pub struct Lost {
    /// They came faster than they were written.
    missed: AtomicU64,
    /// They could not be written.
    unwritten: AtomicU64,
}

impl Lost {
    /// Those that came faster than they were written, and those that could not be.
    pub fn counts(&self) -> [u64; 2] {
        [&self.missed, &self.unwritten].map(|count| count.load(Ordering::Relaxed))
    }
}

impl Log {
    /// One that writes to `lines`. The thread ends with the last who may say something.
    ///
    /// # Errors
    /// If the system has no thread.
    pub fn begin(lines: Lines) -> std::io::Result<Log> {
        let (to, from) = sync_channel(LINES_WAITING_MAX);
        let log = Log { to, place: Arc::new(Mutex::new(Arc::new(lines))), lost: Arc::default() };
        let (place, lost) = (Arc::clone(&log.place), Arc::clone(&log.lost));
        std::thread::Builder::new().name("log".to_owned()).spawn(move || write(&from, &place, &lost))?;
        Ok(log)
    }

    /// Writes a line when it is its turn.
    pub fn say(&self, line: Value) {
        if self.to.try_send(Entry::Line(line)).is_err() {
            self.lost.missed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Lines go there from now on.
    pub fn set_place(&self, lines: Lines) {
        *locked(&self.place) = Arc::new(lines);
    }

    /// Waits until all that was said before is written; not if as many lines wait as may: they are not waited for.
    pub async fn written(&self) {
        let (mark, passed) = oneshot::channel();
        if self.to.try_send(Entry::Mark(mark)).is_ok() {
            let _ = passed.await;
        }
    }

    /// How many lines were lost.
    pub fn lost(&self) -> &Lost {
        &self.lost
    }
}

fn write(from: &Receiver<Entry>, place: &Mutex<Arc<Lines>>, lost: &Lost) {
    for entry in from {
        let Entry::Line(line) = entry else { continue };
        // Not under the lock: who opens the log anew does not wait for the old one.
        let lines = Arc::clone(&locked(place));
        // Once: a full disk stays full.
        if let Err(error) = lines.write(&line.to_string())
            && lost.unwritten.fetch_add(1, Ordering::Relaxed) == 0
        {
            tracing::warn!("the access log cannot be written, and all goes on without: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::fs::{File, OpenOptions};
    use std::io::Read;

    use serde_json::json;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_log_that_nobody_reads_stops_nobody_and_goes_on_in_another_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let (pipe, file) = (folder.path().join("pipe"), folder.path().join("log"));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        let both = OpenOptions::new().read(true).write(true).open(&pipe).expect("opened");
        let mut reader = both.try_clone().expect("opened");
        let log = Log::begin(Lines::File(both)).expect("a thread");
        let long = "x".repeat(1_000);
        log.say(json!(long));
        assert_eq!(reader.read(&mut [0]).expect("read"), 1, "the thread has begun");
        (0..2 * LINES_WAITING_MAX).for_each(|_| log.say(json!(long)));
        assert!(log.lost().counts()[0] > LINES_WAITING_MAX as u64 / 2);
        assert!(
            timeout(Duration::from_millis(50), log.written()).await.is_err()
                || log.to.try_send(Entry::Line(json!(1))).is_err()
        );
        log.set_place(Lines::File(File::create(&file).expect("made")));
        // The one that it waits for is read, and the others go to the other place.
        std::thread::spawn(move || while reader.read(&mut [0; 1 << 16]).is_ok_and(|len| len > 0) {});
        timeout(Duration::from_secs(10), async {
            while std::fs::metadata(&file).expect("there").len() < 1_000_000 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await
        .expect("it is written");
    }
}
