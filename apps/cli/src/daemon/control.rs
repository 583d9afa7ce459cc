//! The socket by which a daemon is asked and told, by those who may use it: a word, and a document in JSON.

use core::fmt::Write as _;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener as StdListener, UnixStream as StdStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::Mode;
use rustix::process::umask;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;

use super::told::Origin;
use super::{Daemon, Kind, process};
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::talk::Talk;

/// Bytes of a word.
pub const WORD_MAX: u64 = 64;

/// Those who ask at once; more wait.
pub const ASKERS_MAX: usize = 8;

/// How long somebody may take to ask and to take the answer.
pub const ASK_TIME: Duration = Duration::from_secs(10);

/// Bytes of an answer that are read, at most: the longest list of flows, of as many threads as there may be, is half of
/// it.
pub const ANSWER_MAX: u64 = 256 << 20;

/// The socket, and its place, which is cleared when it is over.
#[derive(Debug)]
pub struct Control {
    listener: StdListener,
    path: PathBuf,
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Listens for this user alone, from the first moment on. The process has one thread.
fn listen(path: &Path) -> io::Result<StdListener> {
    let before = umask(Mode::RWXG | Mode::RWXO | Mode::XUSR);
    let listener = StdListener::bind(path);
    umask(before);
    listener
}

impl Control {
    /// Listens at `path`, for this user alone. What a daemon that was killed has left there goes away.
    ///
    /// # Errors
    /// If another one listens there, or nobody can.
    pub fn bind(kind: Kind, path: &Path) -> Result<Control, Failure> {
        let what = || format!("listening at {}", path.display());
        let failed = |error: &io::Error| Failure::write(what(), error);
        let listener = match listen(path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                if StdStream::connect(path).is_ok() {
                    let Kind { name, command, .. } = kind;
                    return Err(Failure::new(Exit::Busy, what(), format!("another {name} listens there"))
                        .or_try(format!("`{command} status`; a second {name} needs a `control` of its own")));
                }
                let there = std::fs::symlink_metadata(path).map_err(|error| failed(&error))?;
                if !there.file_type().is_socket() {
                    return Err(Failure::new(Exit::Exists, what(), "something that is no socket is there")
                        .or_try("another place for `control`"));
                }
                std::fs::remove_file(path).map_err(|error| failed(&error))?;
                listen(path)
            }
            bound => bound,
        }
        .map_err(|error| failed(&error))?;
        listener.set_nonblocking(true).map_err(|error| failed(&error))?;
        Ok(Control { listener, path: path.to_owned() })
    }

    /// Answers for as long as the process lives. What it is told to do is said.
    ///
    /// # Errors
    /// If the runtime cannot wait for it.
    pub fn serve<D: Daemon>(&self, daemon: Arc<D>, talk: Talk) -> io::Result<()> {
        let listener = UnixListener::from_std(self.listener.try_clone()?)?;
        tokio::spawn(async move {
            let room = Arc::new(Semaphore::new(ASKERS_MAX));
            loop {
                // Never closed.
                let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                let daemon = Arc::clone(&daemon);
                tokio::spawn(async move {
                    // Who breaks off has had what it wanted.
                    let _ = tokio::time::timeout(ASK_TIME, answer(stream, &*daemon, talk)).await;
                    drop(place);
                });
            }
        });
        Ok(())
    }
}

async fn answer(stream: UnixStream, daemon: &impl Daemon, talk: Talk) -> io::Result<()> {
    let (reading, mut writing) = stream.into_split();
    let mut word = String::new();
    BufReader::new(reading.take(WORD_MAX)).read_line(&mut word).await?;
    let answer = match word.trim() {
        "status" => return tell(&mut writing, daemon).await,
        "dump" => json!({ "values": daemon.told() }),
        "reload" => match process::reload(daemon, talk) {
            Ok(()) => json!({ "reloaded": true }),
            Err(failure) => failure.to_json(),
        },
        other => {
            let what = format!("asking the {}", kind_of(daemon).name);
            Failure::usage(what, format_args!("{other:?} is no word that it knows")).to_json()
        }
    };
    let mut line = answer.to_string();
    line.push('\n');
    writing.write_all(line.as_bytes()).await
}

fn kind_of<D: Daemon>(_: &D) -> Kind {
    D::KIND
}

/// The status, with a list if there is one: one document, and no more of it is held than is told at a time.
async fn tell(writing: &mut (impl AsyncWrite + Unpin), daemon: &impl Daemon) -> io::Result<()> {
    let mut text = daemon.status().to_string();
    if let Some((name, list)) = daemon.list() {
        // The list goes before the end of the object. Writing to a String does not fail.
        text.truncate(text.len() - 1);
        let _ = write!(text, ",{name:?}:[");
        let mut first = true;
        for items in list {
            for item in items {
                if !core::mem::take(&mut first) {
                    text.push(',');
                }
                let _ = write!(text, "{item}");
            }
            writing.write_all(text.as_bytes()).await?;
            text.clear();
        }
        text.push_str("]}");
    }
    text.push('\n');
    writing.write_all(text.as_bytes()).await
}

/// Where a daemon is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Socket {
    /// Its path.
    pub path: PathBuf,
    /// Where that comes from, for people.
    pub from: String,
}

impl Socket {
    /// One that somebody has named, and where.
    pub fn named(path: PathBuf, by: impl Into<String>) -> Socket {
        Socket { path, from: format!("so says {}", by.into()) }
    }

    /// That of a daemon that nobody has named: this user's if there is one, else that of the unit. `runtime` is the
    /// folder of this user's sockets, and where that was said.
    pub fn usual(kind: Kind, (runtime, origin): &(PathBuf, Origin)) -> Socket {
        let (own, of_unit) =
            (runtime.join(format!("{}.sock", kind.unit)), PathBuf::from(format!("/run/{0}/{0}.sock", kind.unit)));
        let of_user = match origin {
            Origin::Environment(name) => format!("{name} says where"),
            _ => "in ~/.config/tng, as XDG_RUNTIME_DIR is not set".to_owned(),
        };
        match (origin, own.exists()) {
            (Origin::Homeless, _) => {
                let from = "the socket of the unit, as neither XDG_RUNTIME_DIR nor HOME is set".to_owned();
                Socket { path: of_unit, from }
            }
            (_, true) => Socket { path: own, from: format!("the socket of this user, {of_user}") },
            (_, false) => {
                let from = format!("the socket of the unit, as there is no {} ({of_user})", own.display());
                Socket { path: of_unit, from }
            }
        }
    }
}

/// Asks the daemon at a socket, and waits [`ASK_TIME`] at most for each part of the answer.
///
/// # Errors
/// If there is none, or its answer is none.
pub fn ask(kind: Kind, socket: &Socket, word: &str) -> Result<Value, Failure> {
    ask_within(kind, socket, word, ASK_TIME)
}

fn ask_within(kind: Kind, socket: &Socket, word: &str, time: Duration) -> Result<Value, Failure> {
    let path = &socket.path;
    let what = || format!("asking the {} at {}", kind.name, path.display());
    let mut stream = StdStream::connect(path).map_err(|error| no_way(kind, what(), (socket, word), &error))?;
    let mut text = String::new();
    let asked = stream
        .set_read_timeout(Some(time))
        .and_then(|()| stream.set_write_timeout(Some(time)))
        .and_then(|()| writeln!(stream, "{word}"))
        .and_then(|()| stream.take(ANSWER_MAX).read_to_string(&mut text));
    asked.map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            let why = format!("it does not answer for {} s: it is stopped, or has far too much to do", time.as_secs());
            Failure::new(Exit::Timeout, what(), why)
                .or_try("kill -CONT its process, if that is stopped; else restart it")
        }
        _ => Failure::new(Exit::Receive, what(), reason(&error)).or_try("again: it has ended, or was restarted"),
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::new(Exit::Protocol, what(), format!("its answer is cut off, or no JSON: {error}"))
            .or_try("again; and restart it if it is of another version than this tool")
    })
}

/// That nobody can be asked there.
fn no_way(kind: Kind, what: String, (socket, word): (&Socket, &str), error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
            let (name, from) = (kind.name, &socket.from);
            Failure::new(Exit::Connect, what, format!("no {name} answers there ({from})")).or_try(format!(
                "start it; or name its socket with --control SOCKET: a {name} prints it when it starts"
            ))
        }
        io::ErrorKind::PermissionDenied => Failure::new(Exit::Denied, what, "it is another user's").or_try(format!(
            "sudo {} {word} --control {}",
            kind.command,
            socket.path.display()
        )),
        _ => Failure::new(Exit::Connect, what, reason(error)).or_try("another socket, with --control SOCKET"),
    }
}

/// The answer, or the failure that it tells of.
///
/// # Errors
/// As [`ask`], and what the daemon says.
pub fn asked(kind: Kind, socket: &Socket, word: &str) -> Result<Value, Failure> {
    let answer = ask(kind, socket, word)?;
    let code = answer.get("exit").and_then(Value::as_u64);
    match (answer.get("why").and_then(Value::as_str), code) {
        (Some(why), Some(code)) => {
            let exit = Exit::ALL.into_iter().find(|exit| u64::from(exit.code()) == code).unwrap_or(Exit::Usage);
            let said = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
            Err(Failure::new(exit, said("what"), why).or_try(said("try")))
        }
        _ => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { name: "relay", command: "tng relay", unit: "tng-relay", metrics: "tng_relay" };

    #[test]
    fn a_relay_that_is_stopped_is_told_from_one_that_is_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = Socket::named(folder.path().join("sock"), "--control");
        let none = ask(KIND, &socket, "status").expect_err("nobody is there");
        assert_eq!((none.exit, &*none.why), (Exit::Connect, "no relay answers there (so says --control)"));
        assert!(none.what.ends_with(&format!("at {}", socket.path.display())), "{none}");
        assert!(none.remedy.contains("--control SOCKET"), "{none}");
        let _listens_and_never_answers = StdListener::bind(&socket.path).expect("bound");
        let stopped = ask_within(KIND, &socket, "status", Duration::from_millis(20)).expect_err("no answer");
        assert_eq!(stopped.exit, Exit::Timeout);
        assert!(stopped.why.contains("it is stopped") && stopped.remedy.contains("kill -CONT"), "{stopped}");
    }

    #[test]
    fn who_asks_another_users_relay_is_told_to_ask_as_root() {
        let socket = Socket::named("/run/tng-relay/tng-relay.sock".into(), "--control");
        let denied = no_way(KIND, "asking".to_owned(), (&socket, "reload"), &io::ErrorKind::PermissionDenied.into());
        let remedy = "sudo tng relay reload --control /run/tng-relay/tng-relay.sock";
        assert_eq!((denied.exit, &*denied.remedy), (Exit::Denied, remedy));
    }

    #[test]
    fn a_socket_that_nobody_has_named_is_this_users_if_there_is_one_and_it_is_said_why_it_is_that_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path().join("tng-relay.sock");
        let usual = |origin| Socket::usual(KIND, &(folder.path().to_owned(), origin));
        let of_unit = usual(Origin::Environment("XDG_RUNTIME_DIR"));
        assert_eq!(of_unit.path, Path::new("/run/tng-relay/tng-relay.sock"));
        assert!(of_unit.from.contains(&format!("there is no {} (XDG_RUNTIME_DIR", own.display())), "{of_unit:?}");
        let _listens = StdListener::bind(&own).expect("bound");
        assert_eq!(usual(Origin::Default).path, own);
        assert!(usual(Origin::Default).from.contains("XDG_RUNTIME_DIR is not set"));
        assert_eq!(usual(Origin::Homeless).path, of_unit.path, "nobody's");
    }
}
