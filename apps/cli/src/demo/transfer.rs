//! A tree of files between two processes, and as many bytes over a lossy path in virtual time.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tng_experiments::{Report, Run, Scenario};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;

use super::tree::{Sown, sow, wrong};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::leash;
use crate::signals::{stopped, stopped_failure};
use crate::talk::{bytes, rate};

/// Longest wait for the server process to say where it is.
pub const START_MAX: Duration = Duration::from_secs(10);

/// How often the temporary files are removed, if something is still writing them.
const CLEANINGS: usize = 50;
/// The time between.
const CLEANING_PAUSE: Duration = Duration::from_millis(20);

/// One transfer.
#[derive(Clone, PartialEq, Debug)]
pub struct Leg {
    /// From where to where.
    pub path: &'static str,
    /// How many files.
    pub files: String,
    /// How many bytes.
    pub bytes: u64,
    /// How long it took.
    pub time: Duration,
    /// By which clock: real or virtual.
    pub clock: &'static str,
    /// What was compared with what had been sent.
    pub checked: &'static str,
}

/// All transfers.
#[derive(Clone, PartialEq, Debug)]
pub struct Transfers {
    /// Between two processes; over the lossy path under cubic, and under bbr.
    pub legs: [Leg; 3],
    /// What the virtual ones took in real time.
    pub virtual_wall: Duration,
    /// Digests of everything that happened to the packets of those.
    pub digests: [String; 2],
}

/// What the lossy path is crossed under, and as what that is shown: what most of TCP has, and the default here.
const CONTROLLERS: [(&str, &str); 2] =
    [("cubic", "100 Mbit/s, 50 ms, 0.1 % loss, cubic"), ("bbr", "100 Mbit/s, 50 ms, 0.1 % loss, bbr")];

impl Leg {
    /// Heads of the columns that [`cells`](Leg::cells) gives.
    pub const HEAD: [&str; 6] = ["path", "files", "bytes", "time", "rate", "checked"];

    /// A row of a table.
    pub fn cells(&self) -> [String; 6] {
        let time = format!("{:.2} s {}", self.time.as_secs_f64(), self.clock);
        let rate = rate(self.bytes, self.time);
        [self.path.to_owned(), self.files.clone(), bytes(self.bytes), time, rate, self.checked.to_owned()]
    }
}

/// Makes the files in a temporary folder and moves them. Nothing is left behind, even if Ctrl-C ends it.
///
/// # Errors
/// If anything does not arrive as it was sent, and at Ctrl-C.
pub async fn transfers(seed: u64) -> Result<Transfers, Failure> {
    in_a_folder(async |folder| both(folder, seed).await).await
}

/// Does something in a temporary folder, until Ctrl-C at most, and leaves nothing of it.
pub(super) async fn in_a_folder<T>(act: impl AsyncFnOnce(&Path) -> Result<T, Failure>) -> Result<T, Failure> {
    let folder = tempfile::Builder::new().prefix("tng-demo-").tempdir();
    let folder = folder.map_err(|error| Failure::write("making a temporary folder", &error))?;
    let ended = tokio::select! {
        ended = act(folder.path()) => ended,
        () = stopped() => Err(stopped_failure()),
    };
    // A thread that is still writing can get between; it ends when it finds its folder gone.
    for _ in 0..CLEANINGS {
        match std::fs::remove_dir_all(folder.path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => tokio::time::sleep(CLEANING_PAUSE).await,
            _ => break,
        }
    }
    ended
}

async fn both(folder: &Path, seed: u64) -> Result<Transfers, Failure> {
    let tree = folder.join("tree");
    let sown = Arc::new(blocking("making files", move || sow(&tree, seed)).await?);
    let total = sown.iter().map(|file| file.size).sum();
    let real = processes(folder, &sown, total).await?;
    let began = clock::now();
    let simulated = spawn_blocking(move || -> Result<_, Failure> {
        let [one, other] = CONTROLLERS.map(|(controller, path)| -> Result<_, Failure> {
            let report = simulate(seed, total, controller)?;
            Ok((virtual_leg(path, &report, total)?, report.digest))
        });
        Ok([one?, other?])
    });
    let simulated = simulated.await.map_err(|error| Failure::new(Exit::Read, "simulating", error))?;
    let [(cubic, cubic_digest), (bbr, bbr_digest)] = simulated?;
    let virtual_wall = began.elapsed();
    Ok(Transfers { legs: [real, cubic, bbr], virtual_wall, digests: [cubic_digest, bbr_digest] })
}

pub(super) async fn blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let done = spawn_blocking(work).await.map_err(|error| Failure::new(Exit::Write, what, error))?;
    done.map_err(|error| Failure::write(what, &error))
}

/// What a client says until it ends well.
pub(super) async fn heard_out(client: &mut Child) -> Result<String, Failure> {
    // To wait for it would close that.
    let _stdin = client.stdin.take();
    let mut events = String::new();
    if let Some(stdout) = client.stdout.as_mut() {
        let read = stdout.read_to_string(&mut events).await;
        read.map_err(|error| Failure::read("listening to the client", &error))?;
    }
    let ended = client.wait().await.map_err(|error| Failure::read("waiting for the client", &error))?;
    if !ended.success() {
        let why = events.lines().last().unwrap_or("without a word");
        return Err(Failure::new(Exit::Partial, format!("the client ended with {ended}"), why));
    }
    Ok(events)
}

/// Moves `folder/tree` to `folder/copy` with this very program, as `tng serve` and `tng get`, and checks every hash.
async fn processes(folder: &Path, sown: &Arc<Vec<Sown>>, total: u64) -> Result<Leg, Failure> {
    let (_server, url) = server(folder, "tree").await?;
    let began = clock::now();
    let mut client = tng(folder, "client", &["get", "-r", "-o", "copy", &url, "--json"])?;
    heard_out(&mut client).await?;
    let time = began.elapsed();
    let (copy, expected) = (folder.join("copy"), Arc::clone(sown));
    let missing = blocking("checking", move || Ok(wrong(&copy, &expected)?.map(|file| file.path.clone()))).await?;
    if let Some(path) = missing {
        return Err(Failure::new(Exit::Receive, path, "it is not what was sent"));
    }
    let files = sown.len().to_string();
    Ok(Leg { path: "loopback, two processes", files, bytes: total, time, clock: "real", checked: "every hash" })
}

/// Starts this program again, with a key, a store and a policy of its own, by this name.
pub(super) fn tng(folder: &Path, name: &str, args: &[&str]) -> Result<Child, Failure> {
    let what = || format!("starting the {name}");
    let program = std::env::current_exe().map_err(|error| Failure::read(what(), &error))?;
    let mut command = Command::new(program);
    let of = |kind: &str| folder.join(format!("{name}.{kind}"));
    command.env("TNG_KEY", of("key")).env("TNG_STORE", of("store"));
    // No policy of this user's either.
    command.env("XDG_CONFIG_HOME", of("config")).env_remove("TNG_POLICY");
    if of("toml").exists() {
        command.env("TNG_POLICY", of("toml"));
    }
    command.args(args).arg("--quiet").current_dir(folder);
    command.stdout(Stdio::piped()).kill_on_drop(true);
    leash::tie(command.as_std_mut(), folder);
    command.spawn().map_err(|error| Failure::read(what(), &error))
}

/// `tng serve` of this, and the URL by which it is reached.
pub(super) async fn server(folder: &Path, what: &str) -> Result<(Child, String), Failure> {
    let mut server = tng(folder, "server", &["serve", what, "--bind", "127.0.0.1:0", "--json"])?;
    let stdout = server.stdout.take().ok_or_else(|| Failure::new(Exit::Read, "starting the server", "no output"))?;
    let mut line = String::new();
    let said = tokio::time::timeout(START_MAX, BufReader::new(stdout).read_line(&mut line)).await;
    let url = match (said, serde_json::from_str::<Value>(&line)) {
        (Ok(Ok(_)), Ok(event)) => event["url"].as_str().map(str::to_owned),
        _ => None,
    };
    let url = url.ok_or_else(|| Failure::new(Exit::Connect, "starting the server", "it does not say where it is"))?;
    Ok((server, url))
}

/// As many bytes, on one stream, over 100 Mbit/s, 50 ms of round trip, one packet in a thousand lost.
fn simulate(seed: u64, total: u64, controller: &str) -> Result<Report, Failure> {
    let broken = |why: &dyn std::fmt::Display| Failure::new(Exit::Read, "simulating", why);
    let text = format!(
        r#"
        [world]
        seed = {seed}
        duration = "3600s"
        [[node]]
        name = "client"
        [[node]]
        name = "server"
        [[link]]
        between = ["client", "server"]
        rate = "100mbit"
        delay = "25ms"
        loss = "0.1%"
        queue = {{ time = "100ms" }}
        [[flow]]
        from = "server"
        to = "client"
        bytes = "{total}B"
        controller = "{controller}"
        "#
    );
    let scenario = Scenario::parse(&text).map_err(|error| broken(&error))?;
    Run::new(scenario).finish().map_err(|error| broken(&error))
}

fn virtual_leg(path: &'static str, report: &Report, total: u64) -> Result<Leg, Failure> {
    let what = "the virtual transfer";
    let flow = report.flows.first().ok_or_else(|| Failure::new(Exit::Partial, what, "it did not begin"))?;
    match (flow.completion_s, &flow.failure) {
        (Some(seconds), None) if flow.bytes == total => Ok(Leg {
            path,
            files: "1 stream".to_owned(),
            bytes: total,
            time: Duration::from_secs_f64(seconds),
            clock: "virtual",
            checked: "every byte",
        }),
        (_, failure) => Err(Failure::new(Exit::Partial, what, failure.as_deref().unwrap_or("it did not end"))),
    }
}
