//! A download through `sha256sum` from three servers that keep nothing, while one of them is killed each second; and
//! the same from a server over TCP that is killed as often.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tng_base::Rng;
use tng_crypto::sha256;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

use super::transfer::{Leg, START_MAX, blocking, in_a_folder};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::hex::hex;
use crate::leash;

/// How many servers there are.
const SERVERS: usize = 3;
/// Bytes of the file.
const BYTES: u64 = 100_000_000;
/// Bytes that are read in a second, from either: as over a line of 100 Mbit/s. The loopback would be over too soon.
const PACE: u64 = 12_500_000;
/// How often one server is killed.
const EVERY: Duration = Duration::from_secs(1);
/// How long may nothing come.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// Until a server is asked again that is not there.
const AGAIN: Duration = Duration::from_millis(20);

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Survived {
    /// From the servers that keep nothing; over TCP.
    pub legs: [Leg; 2],
    /// Kills while either was under way.
    pub kills: [u64; 2],
    /// Connections that servers granted to the first download.
    pub connections: u64,
    /// How often the server over TCP had to be asked.
    pub asked: u64,
}

/// Fetches both at the same time. Nothing is left behind, even if Ctrl-C ends it.
///
/// # Errors
/// If anything does not arrive as it was sent, or `sha256sum` is not there.
pub async fn survived(seed: u64) -> Result<Survived, Failure> {
    in_a_folder(async |folder| both(folder, seed).await).await
}

async fn both(folder: &Path, seed: u64) -> Result<Survived, Failure> {
    let place = folder.join("file");
    let sum = blocking("making a file", move || {
        let mut content = vec![0; BYTES as usize];
        Rng::from_u64(seed).fill(&mut content);
        std::fs::write(&place, &content)?;
        Ok(hex(&sha256(&[&content])))
    });
    let sum = sum.await?;
    let stateless = stateless(folder, &sum);
    let tcp = tcp(folder, &sum);
    let ((time, kills, connections), (tcp_time, tcp_kills, asked)) = tokio::try_join!(stateless, tcp)?;
    let leg =
        |path, time| Leg { path, files: "1".to_owned(), bytes: BYTES, time, clock: "real", checked: "by its SHA-256" };
    let legs = [leg("three servers that keep nothing, killed", time), leg("a server over TCP, killed", tcp_time)];
    Ok(Survived { legs, kills: [kills, tcp_kills], connections, asked })
}

/// From servers that keep nothing: how long it took, kills, and connections.
async fn stateless(folder: &Path, sum: &str) -> Result<(Duration, u64, u64), Failure> {
    if !ended(&mut tng(folder, &["trickles", "keys", "new", "fleet.epochs"])?).await?.success() {
        return Err(Failure::new(Exit::Write, "making keys", "it fails"));
    }
    let mut servers = Vec::new();
    for which in 0..SERVERS {
        servers.push(server(folder, which, "127.0.0.1:0").await?);
    }
    let addresses: Vec<String> = servers.iter().map(|(_, said)| text(&said["addresses"][0])).collect();
    let url = format!("tng://{}@{}/file", text(&servers[0].1["eid"]), addresses.join(","));
    let began = clock::now();
    let mut client = tng(folder, &["trickles", "get", "-o", "-", &url])?;
    let from = client.stdout.take().ok_or_else(|| Failure::new(Exit::Read, "fetching", "no output"))?;
    let mut kills = 0;
    let killing = async {
        loop {
            tokio::time::sleep(EVERY).await;
            let which = kills as usize % SERVERS;
            end(&mut servers[which].0).await?;
            kills += 1;
            servers[which] = server(folder, which, &addresses[which]).await?;
        }
    };
    let told = tokio::select! {
        told = summed(from) => told?,
        failed = killing => return failed,
    };
    let time = began.elapsed();
    let ended = ended(&mut client).await?;
    if !ended.success() || told != sum {
        return Err(Failure::new(Exit::Receive, "the download", format!("{ended}, and its sum is {told}")));
    }
    let mut connections = 0;
    for which in 0..SERVERS {
        let log = std::fs::read_to_string(folder.join(format!("log-{which}"))).unwrap_or_default();
        connections += log.lines().filter(|line| line.contains("\"opened\"")).count() as u64;
    }
    Ok((time, kills, connections))
}

/// Over TCP, from a process that is killed as often: how long it took, kills, and how often it had to be asked.
async fn tcp(folder: &Path, sum: &str) -> Result<(Duration, u64, u64), Failure> {
    let (mut serving, said) = plain(folder, "127.0.0.1:0").await?;
    let (address, mut kills, mut asked) = (text(&said["address"]), 0, 0);
    let mut summer = Summer::begin()?;
    let began = clock::now();
    let fetching = async {
        let (mut have, mut piece, mut pace) = (0, vec![0; PIECE], pace());
        while have < BYTES {
            let Ok(mut stream) = TcpStream::connect(&address).await else {
                tokio::time::sleep(AGAIN).await;
                continue;
            };
            asked += 1;
            if stream.write_all(format!("{have}\n").as_bytes()).await.is_err() {
                continue;
            }
            // What breaks off ends as what is over does: only how much has come tells.
            while let Ok(len @ 1..) = stream.read(&mut piece).await {
                have += len as u64;
                summer.take(&piece[..len]).await?;
                pace.rest(len).await;
            }
        }
        Ok::<_, Failure>(())
    };
    let killing = async {
        loop {
            tokio::time::sleep(EVERY).await;
            end(&mut serving).await?;
            kills += 1;
            serving = plain(folder, &address).await?.0;
        }
    };
    tokio::select! {
        fetched = fetching => fetched?,
        failed = killing => return failed,
    }
    let time = began.elapsed();
    match summer.end().await? {
        told if told == sum => Ok((time, kills, asked)),
        told => Err(Failure::new(Exit::Receive, "the download over TCP", format!("its sum is {told}"))),
    }
}

/// Reads at a pace what a process writes, and has it summed.
async fn summed(mut from: impl AsyncRead + Unpin) -> Result<String, Failure> {
    let (mut summer, mut piece, mut pace) = (Summer::begin()?, vec![0; PIECE], pace());
    loop {
        let read = tokio::time::timeout(SILENCE_MAX, from.read(&mut piece)).await;
        let read = read.map_err(|_| Failure::new(Exit::Timeout, "the download", "nothing comes any more"))?;
        match read.map_err(|error| Failure::read("the download", &error))? {
            0 => return summer.end().await,
            len => {
                summer.take(&piece[..len]).await?;
                pace.rest(len).await;
            }
        }
    }
}

/// How fast is read.
struct Pace {
    began: std::time::Instant,
    bytes: u64,
}

fn pace() -> Pace {
    Pace { began: clock::now(), bytes: 0 }
}

impl Pace {
    /// So much more was read.
    async fn rest(&mut self, len: usize) {
        self.bytes += len as u64;
        let due = Duration::from_micros(self.bytes * 1_000_000 / PACE);
        // Who was held up makes up for it.
        tokio::time::sleep(due.saturating_sub(self.began.elapsed())).await;
    }
}

/// `sha256sum`.
struct Summer(Child);

impl Summer {
    fn begin() -> Result<Summer, Failure> {
        let mut command = Command::new("sha256sum");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn();
        child.map(Summer).map_err(|error| Failure::new(Exit::NoProgram, "sha256sum", crate::failure::reason(&error)))
    }

    async fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let Some(stdin) = &mut self.0.stdin else { return Ok(()) };
        stdin.write_all(bytes).await.map_err(|error| Failure::write("sha256sum", &error))
    }

    async fn end(mut self) -> Result<String, Failure> {
        drop(self.0.stdin.take());
        let told = self.0.wait_with_output().await.map_err(|error| Failure::read("sha256sum", &error))?;
        Ok(String::from_utf8_lossy(&told.stdout).split(' ').next().unwrap_or_default().to_owned())
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Starts this program again.
fn tng(folder: &Path, args: &[&str]) -> Result<Child, Failure> {
    let what = || format!("starting tng {}", args[0]);
    let program = std::env::current_exe().map_err(|error| Failure::read(what(), &error))?;
    let mut command = Command::new(program);
    command.args(args).args(["--quiet", "--no-progress"]).env("TNG_KEY", folder.join("fleet.key"));
    command.current_dir(folder).stdout(Stdio::piped()).kill_on_drop(true);
    leash::tie(command.as_std_mut(), folder);
    command.spawn().map_err(|error| Failure::read(what(), &error))
}

/// A server that keeps nothing, and what it says when it serves.
async fn server(folder: &Path, which: usize, at: &str) -> Result<(Child, Value), Failure> {
    let log = format!("log-{which}");
    let args = ["trickles", "serve", "file", "--public", "--keys", "fleet.epochs", "--json", "--bind", at];
    said(tng(folder, &[&args[..], &["--access-log", &log]].concat())?, "a server").await
}

/// A server over TCP, and where it is.
async fn plain(folder: &Path, at: &str) -> Result<(Child, Value), Failure> {
    said(tng(folder, &["demo", "--serve-tcp", "file", "--serve-tcp-at", at])?, "a server over TCP").await
}

async fn said(mut child: Child, who: &str) -> Result<(Child, Value), Failure> {
    let mut line = String::new();
    if let Some(stdout) = &mut child.stdout {
        let _ = tokio::time::timeout(START_MAX, BufReader::new(stdout).read_line(&mut line)).await;
    }
    match serde_json::from_str(&line) {
        Ok(said) => Ok((child, said)),
        Err(_) => Err(Failure::new(Exit::Connect, format!("starting {who}"), "it does not say where it is")),
    }
}

/// How a process ended that does so by itself.
async fn ended(child: &mut Child) -> Result<ExitStatus, Failure> {
    // To wait for it would close that, and so end it.
    let _stdin = child.stdin.take();
    child.wait().await.map_err(|error| Failure::read("waiting for a process", &error))
}

/// Ends a process at once.
async fn end(child: &mut Child) -> Result<(), Failure> {
    child.kill().await.map_err(|error| Failure::read("killing a server", &error))
}

/// Hands out a file over plain TCP, from the byte on that a line names: what the demonstration holds beside servers
/// that keep nothing. Ends with its process.
///
/// # Errors
/// If the address is not to be had.
pub async fn serve_tcp(path: PathBuf, at: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::new(Exit::Connect, format!("listening on {at}"), error);
    let listener = TcpListener::bind(at).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    println!("{}", json!({ "address": address.to_string() }));
    loop {
        let (stream, _) = listener.accept().await.map_err(failed)?;
        let path = path.clone();
        // Who goes away in the middle has had what it wanted.
        tokio::spawn(async move { hand_out(stream, &path).await });
    }
}

async fn hand_out(stream: TcpStream, path: &Path) -> io::Result<()> {
    let (reading, mut writing) = stream.into_split();
    let mut line = String::new();
    BufReader::new(reading.take(32)).read_line(&mut line).await?;
    let from = line.trim().parse().map_err(io::Error::other)?;
    let mut file = tokio::fs::File::open(path).await?;
    tokio::io::AsyncSeekExt::seek(&mut file, io::SeekFrom::Start(from)).await?;
    tokio::io::copy(&mut file, &mut writing).await.map(drop)
}
