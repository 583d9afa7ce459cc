//! `tng stp status`: what the guests of running processes have used and done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tng_base::PeerText;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::guests::desk::folder;
use crate::talk::{Talk, bytes, counted, hung};

/// Shown before everything else in `tng stp status --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  tng stp status         the guests of all tng processes of this user on this
                         machine
  tng stp status 4711    those of one process
  tng stp status --json  one line for the total, one per process, and one per
                         guest with all counters

Processes that offer or accept guests (by --transport, by the policy, or with
`perf -C guest-NAME`) are asked through a socket of this user's. The last 16
guests that ended are shown with the reason. docs/stp.md says more.";

/// How long a process may take to answer. Another one may be asking it.
pub const ANSWERED_WITHIN: Duration = Duration::from_secs(5);
/// Bytes of an answer; a process with all guests that it may have says less.
pub const STATUS_MAX: u64 = 1 << 20;

/// Arguments of `tng stp status`.
#[derive(Args, Debug)]
pub(super) struct StatusArgs {
    /// Only this process
    #[arg(value_name = "PID")]
    pid: Option<u32>,
}

/// Asks, and shows what was answered.
///
/// # Errors
/// If there is no place where processes could be found, or the one that is asked for does not answer.
pub(super) async fn run(args: &StatusArgs, talk: Talk) -> Result<(), Failure> {
    let folder = folder().map_err(|error| Failure::read("looking for processes with guests", &error))?;
    let sockets = sockets(&folder).map_err(|error| Failure::read(format!("reading {}", folder.display()), &error))?;
    let mut answers = Vec::new();
    for (pid, socket) in sockets.into_iter().filter(|(pid, _)| args.pid.is_none_or(|wanted| wanted == *pid)) {
        match ask(&socket).await {
            Ok(answer) => answers.push(answer),
            // Nobody listens: it was killed.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => drop(fs::remove_file(&socket)),
            // It has just ended.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => talk.warn(format_args!("process {pid} does not say what its guests do: {}", reason(&error))),
        }
    }
    match args.pid {
        Some(pid) if answers.is_empty() => {
            let why = "no process of tng with guests has this number, or it does not answer";
            return Err(Failure::new(Exit::Connect, format!("asking process {pid}"), why).or_try("tng stp status"));
        }
        None if answers.is_empty() => talk.say("no process of tng on this machine runs guests for this user"),
        Some(_) | None => {}
    }
    show(&answers, talk);
    Ok(())
}

/// The sockets in the folder, by process.
fn sockets(folder: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let of = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let pid = name.to_str()?.strip_suffix(".sock")?.parse().ok()?;
        Some((pid, entry.path()))
    };
    let mut found: Vec<_> = fs::read_dir(folder)?.map_while(Result::ok).filter_map(of).collect();
    found.sort();
    Ok(found)
}

async fn ask(socket: &Path) -> io::Result<Value> {
    let mut said = Vec::new();
    let asking = async {
        let stream = UnixStream::connect(socket).await?;
        stream.take(STATUS_MAX).read_to_end(&mut said).await
    };
    timeout(ANSWERED_WITHIN, asking).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    Ok(serde_json::from_slice(&said)?)
}

fn show(answers: &[Value], talk: Talk) {
    let processes: Vec<&Value> = answers.iter().map(|answer| &answer["pid"]).collect();
    talk.event("status", &json!({ "processes": processes }));
    for answer in answers {
        let (pid, command) = (&answer["pid"], text(&answer["command"]));
        let guests = answer["guests"].as_array().map_or(&[][..], Vec::as_slice);
        talk.event("process", &json!({ "pid": pid, "command": command, "guests": guests.len() }));
        if guests.is_empty() {
            talk.say(format_args!("process {pid}, {command}: no guest has begun to work"));
            continue;
        }
        talk.payload(format_args!("process {pid}, {command}: {}", counted(guests.len(), "guest")));
        // Those that are at work first, the newest behind.
        let mut guests: Vec<&Value> = guests.iter().collect();
        guests.sort_by_key(|guest| guest["ended"].is_string());
        for guest in guests {
            talk.event("guest", &with(guest, &json!({ "pid": pid, "command": command })));
            talk.payload(lines(guest).join("\n"));
        }
    }
}

fn with(guest: &Value, more: &Value) -> Value {
    let objects = [more, guest].into_iter().filter_map(Value::as_object);
    Value::Object(objects.flat_map(|object| object.clone()).collect())
}

/// A guest for people. Programs are told more.
fn lines(guest: &Value) -> Vec<String> {
    let number = |key: &str| guest[key].as_u64().unwrap_or(0);
    let with = guest["remote"].as_str().map(|remote| format!(", with {remote}")).unwrap_or_default();
    let age = guest["age_s"].as_f64().map(|age| format!(", for {age:.0} s")).unwrap_or_default();
    let mut told = vec![hung("  ", &format!("{} ({}){with}{age}", text(&guest["guest"]), text(&guest["kind"])))];
    let mut tell = |what: &str, words: Vec<String>| {
        if !words.is_empty() {
            told.push(hung(&format!("    {what:<9} "), &words.join("; ")));
        }
    };
    // A controller sends nothing itself, and its time is not measured.
    let rate = |key: &str| guest[key].as_f64().map(mbit);
    let held = rate("cap_bps").map(|cap| format!("{} at most now, {}", cap, text(&guest["state"])));
    tell("held to", held.into_iter().collect());
    for (what, way) in [("sent", "sent"), ("received", "received")] {
        let moved = guest[format!("packets_{way}")].as_u64().map(|packets| {
            let (moved, packets) = (bytes(number(&format!("bytes_{way}"))), counted(packets, "packet"));
            format!(
                "{moved} in {packets}, {} on average",
                rate(&format!("{way}_bps")).unwrap_or_else(|| "-".to_owned())
            )
        });
        tell(what, moved.into_iter().collect());
    }
    let (now, most) = (number("memory") + number("held"), number("most"));
    let time = guest["time_us"].as_f64().map(|time| format!("{:.1} ms of CPU", time / 1e3));
    let memory = format!("{} of memory, {} at most", bytes(now), bytes(most.max(now)));
    tell("used", time.into_iter().chain([format!("{} of fuel", number("fuel")), memory]).collect());
    tell("denied", vec![denied(&guest["denied"])]);
    tell("ended", guest["ended"].as_str().map(|why| PeerText::new(why).to_string()).into_iter().collect());
    told
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

fn mbit(bps: f64) -> String {
    format!("{:.2} Mbit/s", bps / 1e6)
}

/// What was denied at all, by its kind.
fn denied(kinds: &Value) -> String {
    let count = |(kind, count): (&String, &Value)| match count.as_u64() {
        None | Some(0) => None,
        Some(count) => Some(format!("{kind} {count}")),
    };
    let counts: Vec<String> = kinds.as_object().into_iter().flatten().filter_map(count).collect();
    if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::talk::COLUMNS;

    #[test]
    fn sockets_are_found_by_their_process_and_nothing_else_is() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["12.sock", "7.sock", "x.sock", "9", ".sock", "-1.sock"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let found: Vec<u32> = sockets(folder.path()).expect("read").into_iter().map(|(pid, _)| pid).collect();
        assert_eq!(found, [7, 12]);
    }

    #[test]
    fn what_was_denied_is_named_and_what_was_not_is_left_out() {
        assert_eq!(denied(&json!({ "memory": 0, "proofs": 3, "policed": 12 })), "policed 12, proofs 3");
        assert_eq!(denied(&json!({ "memory": 0 })), "nothing");
        assert_eq!(lines(&json!({})).len(), 3, "of what is not said there is nothing");
    }

    #[test]
    fn what_is_told_of_a_guest_fits_eighty_columns() {
        let long = u64::MAX;
        let guest = json!({
            "guest": "header-prediction", "kind": "controller",
            "remote": "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535",
            "age_s": 1e6, "state": "steadystate", "cap_bps": 1e10, "packets_sent": long, "bytes_sent": long,
            "sent_bps": 1e10, "packets_received": long, "bytes_received": long, "received_bps": 1e10,
            "time_us": 1e12, "fuel": long, "memory": 1_u64 << 40, "most": long,
            "denied": { "memory": long, "policed": long, "proofs": long, "acknowledgments": long },
            "ended": "the guest went on asking for what its quotas deny; look at its denials ".repeat(3),
        });
        let told = lines(&guest).join("\n");
        assert!(told.lines().all(|line| line.chars().count() <= COLUMNS), "{told}");
        for words in ["header-prediction", "10000.00 Mbit/s", "CPU", "policed", "look at its denials"] {
            assert!(told.contains(words), "{words} in {told}");
        }
    }

    #[tokio::test]
    async fn an_answer_that_has_no_end_is_cut_off_and_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("1.sock");
        let listener = tokio::net::UnixListener::bind(&path).expect("bound");
        tokio::spawn(async move {
            let (mut asker, _) = listener.accept().await.expect("asked");
            while tokio::io::AsyncWriteExt::write_all(&mut asker, &[b' '; 4_096]).await.is_ok() {}
        });
        assert_eq!(ask(&path).await.expect_err("no document").kind(), io::ErrorKind::UnexpectedEof);
    }
}
