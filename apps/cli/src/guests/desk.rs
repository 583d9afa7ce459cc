//! Where a process tells of its guests: a socket of this user's, which `tng stp status` asks.
//!
//! A program that connects is given one JSON document, and nothing is read from it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::unistd::geteuid;
use serde_json::{Value, json};
use tng::{Endpoint, GuestAccount};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixListener;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::{policed, used, word};
use crate::failure::reason;
use crate::talk::{SCHEMA, merged};

/// How long taking the answer may take. Others wait meanwhile.
pub const TAKEN_WITHIN: Duration = Duration::from_secs(1);
/// Pause when nobody can be let in, for want of descriptors perhaps.
pub const DESK_PAUSE: Duration = Duration::from_millis(100);

/// What answers for this process; the socket goes when it is dropped.
#[derive(Debug)]
pub struct Desk {
    path: PathBuf,
    answering: JoinHandle<()>,
}

impl Desk {
    /// One for the guests of an endpoint, of this command of the tool. That there is none is no failure: it is a view.
    pub fn open(endpoint: &Endpoint, command: &'static str) -> Option<Desk> {
        let opened = folder().and_then(|folder| Desk::open_in(&folder, endpoint, command));
        opened.inspect_err(|error| tracing::info!("`tng stp status` will not see this process: {}", reason(error))).ok()
    }

    fn open_in(folder: &Path, endpoint: &Endpoint, command: &'static str) -> io::Result<Desk> {
        let path = folder.join(format!("{}.sock", std::process::id()));
        // Of a process that had this number before.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let (listener, endpoint) = (UnixListener::bind(&path)?, endpoint.clone());
        let say = move || document(command, &endpoint.guests()).to_string();
        Ok(Desk { path, answering: tokio::spawn(answer(listener, say)) })
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.answering.abort();
        let _ = fs::remove_file(&self.path);
    }
}

/// One after the other.
async fn answer(listener: UnixListener, say: impl Fn() -> String) {
    loop {
        let Ok((mut asker, _)) = listener.accept().await else {
            sleep(DESK_PAUSE).await;
            continue;
        };
        // Who does not take it goes without.
        let _ = timeout(TAKEN_WITHIN, asker.write_all(say().as_bytes())).await;
    }
}

fn document(command: &str, guests: &[GuestAccount]) -> Value {
    let guests: Vec<Value> = guests.iter().map(account).collect();
    json!({ "schema": SCHEMA, "pid": std::process::id(), "command": command, "guests": guests })
}

/// A guest's account, for programs.
fn account(account: &GuestAccount) -> Value {
    let GuestAccount { usage, denials, traffic, .. } = account;
    let per_second = |bytes: u64| bytes as f64 / account.age.as_secs_f64().max(1e-3);
    let always = json!({
        "guest": account.name,
        "kind": word(account.kind),
        "age_s": account.age.as_secs_f64(),
        "held": account.held,
        "most": usage.most,
        "ended": account.ended.as_ref().map(ToString::to_string),
    });
    let Some(policer) = &account.policer else {
        return merged([used(usage, denials), always, json!({ "time_us": null })]);
    };
    let of_connection = json!({
        "role": account.role.map(|role| format!("{role:?}").to_lowercase()),
        "peer": account.peer.map(|peer| peer.to_string()),
        "remote": account.remote.map(|remote| remote.to_string()),
        "packets_sent": traffic.sent,
        "bytes_sent": traffic.sent_bytes,
        "packets_received": traffic.received,
        "bytes_received": traffic.received_bytes,
        "sent_bps": per_second(traffic.sent_bytes) * 8.0,
        "received_bps": per_second(traffic.received_bytes) * 8.0,
        "denied": denials.kinds().into_iter().collect::<BTreeMap<_, _>>(),
    });
    merged([policed(policer), used(usage, denials), always, of_connection])
}

/// The folder of this user's sockets, which is made if it is not there: nobody else can put anything into it, or look.
///
/// # Errors
/// If it cannot be made, or is somebody else's.
pub fn folder() -> io::Result<PathBuf> {
    let uid = geteuid().as_raw();
    let folder = place(std::env::var_os("XDG_RUNTIME_DIR"), &std::env::temp_dir(), uid);
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    check(&folder, uid)?;
    Ok(folder)
}

fn place(runtime: Option<OsString>, temporary: &Path, uid: u32) -> PathBuf {
    match runtime.filter(|folder| Path::new(folder).is_absolute()) {
        Some(folder) => Path::new(&folder).join("tng"),
        // Everybody may write there.
        None => temporary.join(format!("tng-{uid}")),
    }
}

fn check(folder: &Path, uid: u32) -> io::Result<()> {
    let found = fs::symlink_metadata(folder)?;
    if found.is_dir() && found.uid() == uid && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    let why = format!("{} is not a folder of this user's alone (mode 0700)", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;

    use super::*;

    #[tokio::test]
    async fn who_does_not_take_the_answer_is_dropped_and_the_next_one_has_his() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("1.sock");
        let listener = UnixListener::bind(&path).expect("bound");
        // More than a socket of the system takes by itself.
        let said = "x".repeat(8 << 20);
        let answering = tokio::spawn(answer(listener, move || said.clone()));
        let slow = UnixStream::connect(&path).await.expect("heard");
        let mut next = UnixStream::connect(&path).await.expect("heard");
        let mut got = Vec::new();
        timeout(TAKEN_WITHIN * 10, next.read_to_end(&mut got)).await.expect("in time").expect("read");
        assert_eq!(got.len(), 8 << 20);
        drop(slow);
        answering.abort();
    }

    #[test]
    fn sockets_are_in_the_users_runtime_folder_or_in_one_of_his_own() {
        let place = |runtime: Option<&str>| place(runtime.map(Into::into), Path::new("/tmp"), 1_000);
        assert_eq!(place(Some("/run/user/1000")), Path::new("/run/user/1000/tng"));
        assert_eq!(place(None), Path::new("/tmp/tng-1000"));
        assert_eq!(place(Some("relative")), Path::new("/tmp/tng-1000"));
    }

    #[test]
    fn a_folder_that_others_may_use_or_have_put_there_is_refused() {
        let (held, uid) = (tempfile::tempdir().expect("a folder"), geteuid().as_raw());
        let folder = held.path().join("tng");
        DirBuilder::new().mode(0o700).create(&folder).expect("made");
        check(&folder, uid).expect("control: it is this user's alone");
        assert!(check(&folder, uid + 1).is_err(), "somebody else's");
        let link = held.path().join("link");
        symlink(&folder, &link).expect("made");
        assert!(check(&link, uid).is_err(), "a link, which its owner may point elsewhere");
        for mode in [0o750, 0o701, 0o777] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("set");
            assert!(check(&folder, uid).is_err(), "{mode:o}");
        }
    }
}
