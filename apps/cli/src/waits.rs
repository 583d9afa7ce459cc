//! Waits of more than a second, said to people and told to programs, whatever it is that is waited for.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tng::{WAIT_TOLD_AFTER, Wait};
use tokio::task::JoinHandle;

use crate::talk::{Progress, Talk};

/// How often it is looked whether bytes still move.
const LOOK: Duration = Duration::from_millis(100);

/// Tells that something is waited for.
pub fn begin(wait: &Wait, talk: Talk) {
    let times = |n: u32| if n == 1 { "once".to_owned() } else { format!("{n} times") };
    let (reason, words) = match wait {
        Wait::Entropy => ("entropy", "the system has no random numbers to give yet".to_owned()),
        Wait::Answer { sends } => ("answer", format!("no answer from the peer yet, asked {}", times(*sends))),
        Wait::Exchange { .. } => {
            ("exchange", "the peer is there and busy: it takes new connections in turn, some a second".to_owned())
        }
        Wait::Helpers => ("helpers", "no answer through the helpers yet".to_owned()),
        Wait::Acknowledgment { .. } => {
            ("acknowledgment", "what was sent is not acknowledged: the peer or the path is silent".to_owned())
        }
        Wait::Turn { .. } => ("turn", "others with this key use all that may be on the way to the peer".to_owned()),
        Wait::Credit { .. } => ("credit", "the peer takes no more for now".to_owned()),
        Wait::Streams => ("streams", "the peer allows no more streams for now".to_owned()),
        _ => ("other", "something is waited for".to_owned()),
    };
    tell_begin(reason, &words, talk);
}

/// Tells that something is not waited for any more.
pub fn end(lasted: Duration, talk: Talk) {
    talk.say(format_args!("going on after {:.1} s", lasted.as_secs_f64()));
    talk.event("waited", &json!({ "lasted_ms": lasted.as_millis() as u64 }));
}

fn tell_begin(reason: &str, words: &str, talk: Talk) {
    talk.say(format_args!("waiting: {words}"));
    talk.event("waiting", &Value::from_iter([("for", reason)]));
}

/// Looks whether bytes move, until it is dropped.
#[derive(Debug)]
pub struct Watch(JoinHandle<()>);

impl Watch {
    /// Tells when nothing of a transfer has moved for a second, in either direction, and when something does again.
    pub fn new(progress: &Arc<Progress>, talk: Talk) -> Watch {
        let progress = Arc::clone(progress);
        Watch(tokio::spawn(async move {
            let mut stillness = Stillness::default();
            loop {
                tokio::time::sleep(LOOK).await;
                let moved = progress.bytes.load(Ordering::Relaxed) + progress.files.load(Ordering::Relaxed);
                match stillness.look(moved) {
                    Some(News::Still) => tell_begin("bytes", "no byte of the files has moved for a second", talk),
                    Some(News::Moves { lasted }) => end(lasted, talk),
                    None => {}
                }
            }
        }))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// For how long a count has stood still.
#[derive(Debug, Default)]
struct Stillness {
    count: u64,
    lasted: Duration,
}

#[derive(PartialEq, Eq, Debug)]
enum News {
    Still,
    Moves { lasted: Duration },
}

impl Stillness {
    /// Looks at the count, [`LOOK`] after it did last.
    fn look(&mut self, count: u64) -> Option<News> {
        if count == self.count {
            self.lasted += LOOK;
            return (self.lasted == WAIT_TOLD_AFTER).then_some(News::Still);
        }
        self.count = count;
        let lasted = core::mem::take(&mut self.lasted);
        (lasted >= WAIT_TOLD_AFTER).then_some(News::Moves { lasted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stillness_is_told_once_after_a_second_and_so_is_its_end() {
        let mut stillness = Stillness::default();
        let news: Vec<_> = [0; 25].into_iter().chain([1, 2, 2, 3]).map(|count| stillness.look(count)).collect();
        let lasted = Duration::from_millis(2_500);
        let mut expected: Vec<Option<News>> = (0..29).map(|_| None).collect();
        (expected[9], expected[25]) = (Some(News::Still), Some(News::Moves { lasted }));
        assert_eq!(news, expected);
    }
}
