//! How a network that stands is told things: a line of JSON each way, over a socket that only root can reach.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::status::Status;

/// Longest line of a request.
pub const REQUEST_BYTES_MAX: u64 = 64 * 1024;
/// Longest line of an answer.
pub const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// Nobody waits longer for the other side.
pub const PATIENCE_MAX: Duration = Duration::from_secs(10);

/// What a network can be asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// How it is.
    Status,
    /// Change a link.
    Change {
        /// Its number.
        link: usize,
        /// Whether forth, and whether back.
        lanes: [bool; 2],
        /// To what, in words of netem.
        words: String,
    },
    /// End.
    Down,
}

/// What it says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// How it is, or was to the end.
    Status(Status),
    /// It has not done what it was asked to, for this reason.
    Refused(String),
}

/// Answers requests with what `answer` says to them, until it has answered [`Request::Down`].
///
/// # Errors
/// The socket fails; what goes wrong with one caller does not end it.
pub fn serve(listener: &UnixListener, mut answer: impl FnMut(&Request) -> Answer) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept()?;
        let Ok(request) = read(&stream, REQUEST_BYTES_MAX) else { continue };
        // A caller that went away has what it asked for all the same.
        let _ = write(&stream, &answer(&request));
        if request == Request::Down {
            return Ok(());
        }
    }
}

/// Asks the network that listens there.
///
/// # Errors
/// Nobody does, or it takes too long.
pub fn ask(control: &Path, request: &Request) -> io::Result<Answer> {
    let stream = UnixStream::connect(control)?;
    write(&stream, request)?;
    read(&stream, ANSWER_BYTES_MAX)
}

fn write(mut stream: &UnixStream, value: &impl Serialize) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE_MAX))?;
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)
}

fn read<T: for<'de> Deserialize<'de>>(stream: &UnixStream, max: u64) -> io::Result<T> {
    stream.set_read_timeout(Some(PATIENCE_MAX))?;
    let mut line = String::new();
    BufReader::new(stream.take(max)).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_answers_until_it_is_told_to_end() {
        let folder = std::env::temp_dir().join(format!("tng-control-{}", std::process::id()));
        let _ = std::fs::remove_file(&folder);
        let listener = UnixListener::bind(&folder).expect("a socket");
        std::thread::scope(|scope| {
            let served = scope.spawn(|| {
                let mut heard = Vec::new();
                serve(&listener, |request| {
                    heard.push(request.clone());
                    Answer::Refused(format!("no {}", heard.len()))
                })
                .expect("it ends");
                heard
            });
            // Nonsense, silence and too long a line hurt nobody.
            UnixStream::connect(&folder).expect("there").write_all(b"{\"up\": 1}\n").expect("sent");
            drop(UnixStream::connect(&folder));
            let _ = UnixStream::connect(&folder).expect("there").write_all(&vec![b'['; 1 << 17]);
            let change = Request::Change { link: 1, lanes: [true, false], words: "loss 1%".to_owned() };
            assert_eq!(ask(&folder, &change).expect("an answer"), Answer::Refused("no 1".to_owned()));
            assert_eq!(ask(&folder, &Request::Down).expect("an answer"), Answer::Refused("no 2".to_owned()));
            assert_eq!(served.join().expect("no panic"), [change, Request::Down]);
        });
        std::fs::remove_file(&folder).expect("it was there");
    }
}
