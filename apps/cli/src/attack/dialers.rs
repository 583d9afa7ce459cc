//! Attacks on those who dial: the clients, and where two servers are needed these too, are processes of this very
//! program.

use std::fs::{self, File};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tng::{Access, Answer, Endpoint, Identity, SendStream, ServiceOptions, Ticket};
use tng_attack::{Attack, Beside, Bomb, Mark, Offers, Server, Tally, find};
use tng_base::{Instant, Machine, Output};
use tng_services::files;
use tokio::net::UdpSocket;

use super::footprint::{LOOK_EVERY, Process};
use super::outcome::Outcome;
use super::siege::{Pace, books, secret, take};
use crate::clock;
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::host::bind_failure;
use crate::leash;

/// Longest time that a client of an attack on those who dial may take.
pub const DIAL_MAX: Duration = Duration::from_secs(20);

/// Most bytes of memory that a client may hold: a listing of 128 MiB, and itself.
pub const DIALER_MEMORY_MAX: u64 = 192 << 20;

/// Dials that are made while somebody forges.
const DIALS: usize = 3;

/// Datagrams a second that make the target ask for cookies.
const FLOOD_RATE: u32 = 1_000;

/// Datagrams of a client after which its reset is asked for.
const SETTLED_AFTER: u64 = 20;

/// Bytes of a listing that are written at once.
const LISTING_PIECE: usize = 64 * 1024;

/// Makes an attack on those who dial. `mark` is whom they dial where that need not be the attacker; some dial nobody
/// else.
///
/// # Errors
/// If this host has no room for a file, a socket or a process.
pub async fn attack(attack: &'static Attack, mark: Option<&Mark>, pace: Pace) -> Result<Outcome, Failure> {
    let began = clock::now();
    let folder = tempfile::tempdir().map_err(|error| Failure::write("making a folder for clients", &error))?;
    let outcome = match (attack.name, mark) {
        ("text-escape", Some(mark)) => text_escape(attack, mark, pace, &folder).await,
        ("listing-bomb", _) => listing_bomb(attack, &folder).await,
        ("forged-cookies", Some(mark)) => forged_cookies(attack, mark, pace, &folder).await,
        ("offer-replay", Some(mark)) => offer_replay(attack, mark, pace, &folder).await,
        ("reset-oracle", _) => reset_oracle(attack, pace, &folder).await,
        #[cfg(feature = "guests")]
        ("stp-swap" | "stp-downgrade", _) => super::codes::attack(attack, &folder).await,
        _ => Ok(Outcome::untried(attack, "this program does not know how")),
    }?;
    Ok(Outcome { took: began.elapsed(), ..outcome })
}

fn socket_failure(error: &io::Error) -> Failure {
    Failure::new(Exit::Send, "opening a socket", reason(error))
}

async fn socket() -> Result<UdpSocket, Failure> {
    UdpSocket::bind("127.0.0.1:0").await.map_err(|error| socket_failure(&error))
}

fn address(socket: &UdpSocket) -> Result<SocketAddr, Failure> {
    socket.local_addr().map_err(|error| socket_failure(&error))
}

/// A process of this program, ended when it is dropped, and when this process ends in any other way.
pub(super) struct Dialer {
    child: Child,
    said: [PathBuf; 2],
    most_bytes: u64,
}

impl Dialer {
    /// Starts this program with a key of its own; what it says goes to files.
    fn start(folder: &Path, key: &str, args: &[&str]) -> Result<Dialer, Failure> {
        Dialer::start_with(folder, key, args, &[])
    }

    /// The same with these variables in its environment. Its stdin is its leash, and has nothing to read.
    pub(super) fn start_with(
        folder: &Path,
        key: &str,
        args: &[&str],
        variables: &[(&str, &Path)],
    ) -> Result<Dialer, Failure> {
        let failed = |error: io::Error| Failure::read("starting a client", &error);
        let count = fs::read_dir(folder).map_err(failed)?.count();
        let said = ["out", "err"].map(|end| folder.join(format!("{count}.{end}")));
        let [out, err] = [File::create(&said[0]).map_err(failed)?, File::create(&said[1]).map_err(failed)?];
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.args(args).current_dir(folder).env_clear().env("TNG_KEY", folder.join(key)).env("RUST_LOG", "info");
        command.envs(variables.iter().copied());
        leash::tie(&mut command, folder);
        let child = command.stdout(out).stderr(err).spawn().map_err(failed)?;
        Ok(Dialer { child, said, most_bytes: 0 })
    }

    /// All that it has said so far.
    pub(super) fn said(&self) -> String {
        let said = self.said.iter().map(|path| fs::read(path).unwrap_or_default());
        said.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
    }

    /// Waits until it has ended, or has taken more time or memory than it may; answers its exit code, if it has ended.
    async fn ended(&mut self) -> Option<i32> {
        let process = Process::of(self.child.id());
        let began = clock::now();
        while began.elapsed() < DIAL_MAX && self.most_bytes <= DIALER_MEMORY_MAX {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.code();
            }
            self.most_bytes = self.most_bytes.max(process.memory_bytes().unwrap_or_default());
            tokio::time::sleep(LOOK_EVERY).await;
        }
        None
    }

    /// The same, in words.
    pub(super) async fn end(&mut self) -> (Option<i32>, String) {
        let ended = self.ended().await;
        (ended, ended.map_or("did not end".to_owned(), |code| format!("ended with {code}")))
    }

    /// Waits for the first thing that it tells programs.
    async fn first_event(&self) -> Result<Value, Failure> {
        let began = clock::now();
        while began.elapsed() < DIAL_MAX {
            let said = fs::read_to_string(&self.said[0]).unwrap_or_default();
            if let Some((line, _)) = said.split_once('\n')
                && let Ok(event) = serde_json::from_str(line)
            {
                return Ok(event);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(Failure::new(Exit::Connect, "starting a server", "it says nothing"))
    }
}

impl Drop for Dialer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a terminal or a log would do anything with it but show it.
fn is_hostile(c: char) -> bool {
    !matches!(c, '\n' | '\t') && c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What is wrong with what was shown to people.
fn hostile(said: &str) -> Option<String> {
    if let Some(line) = said.lines().find(|line| line.starts_with("FORGED")) {
        return Some(format!("a line was forged: {line:?}"));
    }
    said.chars().find(|c| is_hostile(*c)).map(|c| format!("{c:?} reached the terminal"))
}

/// A server of ours that tells clients what is not for people, and peers of ours that do the same to the target and to
/// a server of this program, whose log can be read.
async fn text_escape(attack: &'static Attack, mark: &Mark, pace: Pace, folder: &TempDir) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::of(attack);
    let socket = socket().await?;
    let mut server = Server::new(secret()?);
    let target = format!("{}@{}", server.eid(), address(&socket)?);
    for way in ["refused", "let in, and closed", "let in, and its stream refused"] {
        let mut dialer = Dialer::start(folder.path(), "client.key", &["ping", "-c", "1", "-v", &target])?;
        tokio::select! {
            _ = dialer.ended() => {}
            served = serve(&mut server, &socket) => return Err(socket_failure(&served)),
        }
        let wrong = hostile(&dialer.said());
        outcome.dialled.push(format!("{way}: {}", wrong.as_deref().unwrap_or("what it showed is for people")));
        outcome.faults.extend(wrong.map(|wrong| format!("a client that was {way}: {wrong}")));
    }
    let listening = Dialer::start(
        folder.path(),
        "server.key",
        &["serve", ".", "--public", "--bind", "127.0.0.1:0", "-v", "--json"],
    )?;
    let event = listening.first_event().await?;
    let own = whereabouts(&event).map(|(eid, address)| Mark { eid, address, capability: Vec::new(), ..mark.clone() });
    for (who, mark) in [("the target", Some(mark.clone())), ("a server of this program", own)] {
        let Some(mark) = mark else { continue };
        let tally = books(Pace { sources: 1, rate: 200, ..pace }.begin(attack, &mark)?).await?;
        outcome.tally.add(&tally);
        outcome.dialled.push(format!("{who} took {} such peers in", tally.connections));
    }
    let wrong = hostile(&listening.said());
    outcome.dialled.push(format!("its log: {}", wrong.as_deref().unwrap_or("what it showed is for people")));
    outcome.faults.extend(wrong.map(|wrong| format!("a server: {wrong}")));
    Ok(outcome)
}

/// Who says that it serves, and where.
fn whereabouts(event: &Value) -> Option<(tng_base::Eid, SocketAddr)> {
    Some((event["eid"].as_str()?.parse().ok()?, event["addresses"][0].as_str()?.parse().ok()?))
}

/// Drives a server until its socket fails.
async fn serve(server: &mut Server, socket: &UdpSocket) -> io::Error {
    let (mut inbox, mut out) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        match socket.recv_from(&mut inbox).await {
            Ok((len, remote)) => take(server, Instant::ZERO, remote, &mut inbox[..len]),
            Err(error) => return error,
        }
        while let Output::Transmit(transmit) = server.poll_output(Instant::ZERO, &mut out) {
            let _ = socket.send_to(&out[..transmit.len], transmit.remote).await;
        }
    }
}

/// A server whose folder has no end.
async fn listing_bomb(attack: &'static Attack, folder: &TempDir) -> Result<Outcome, Failure> {
    let options = ServiceOptions { substreams: true, ..ServiceOptions::default() };
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let builder = Endpoint::builder().identity(Identity::from_seed(secret()?)).access(Access::Public).bind(any);
    let endpoint = builder.listen(files::SERVICE, files::PROTOCOL, options).build().await;
    let endpoint = endpoint.map_err(|error| Failure::new(Exit::Connect, "opening a socket", error))?;
    let url = format!("tng://{}@{}/", endpoint.eid(), endpoint.local_addr());
    let sent = Arc::<Sent>::default();
    let counts = Arc::clone(&sent);
    let bomb = move |_| {
        let sent = Arc::clone(&counts);
        async { Answer::written(async move |send| drop_bomb(send, &sent).await) }
    };
    endpoint.serve(files::SERVICE, bomb).map_err(bind_failure)?;
    let mut dialer = Dialer::start(folder.path(), "client.key", &["get", "-r", "-o", "fetched", &url])?;
    let (ended, how) = dialer.end().await;
    let mut outcome = Outcome::of(attack);
    let [listed, packets, packet_bytes] =
        [&sent.listed, &sent.packets, &sent.packet_bytes].map(|count| count.load(Ordering::Relaxed));
    let most = dialer.most_bytes;
    let mib = |bytes: u64| bytes >> 20;
    outcome.dialled.push(format!("{how}; it held {} MiB; {} MiB of a listing were sent", mib(most), mib(listed)));
    outcome.tally = Tally { sent: packets, sent_bytes: packet_bytes, connections: 1, ..Tally::default() };
    if most > DIALER_MEMORY_MAX {
        let told = format!("a client held {} MiB, and may hold {}", mib(most), mib(DIALER_MEMORY_MAX));
        outcome.faults.push(told);
    } else if ended.is_none_or(|code| code == 0) {
        outcome.faults.push(format!("a client took a listing without end, and {how}"));
    }
    if listed == 0 {
        outcome.faults.push("nothing was sent: nothing was tried".to_owned());
    }
    Ok(outcome)
}

/// What listings without end came to.
#[derive(Default)]
struct Sent {
    /// Bytes of them.
    listed: AtomicU64,
    /// Packets, each a datagram, and their bytes, of the connection that sent the most.
    packets: AtomicU64,
    packet_bytes: AtomicU64,
}

async fn drop_bomb(mut send: SendStream, sent: &Sent) {
    let connection = send.connection();
    let (mut bomb, mut piece) = (Bomb::default(), Vec::new());
    loop {
        piece.clear();
        while piece.len() < LISTING_PIECE {
            piece.extend(bomb.entry());
        }
        let written = send.write_all(&piece).await;
        if let Some(stats) = connection.stats() {
            sent.packets.fetch_max(stats.channel.packets_sent, Ordering::Relaxed);
            sent.packet_bytes.fetch_max(stats.channel.bytes_sent, Ordering::Relaxed);
        }
        if written.is_err() {
            return;
        }
        sent.listed.fetch_add(piece.len() as u64, Ordering::Relaxed);
    }
}

/// What somebody beside the path does.
#[derive(Clone, Copy)]
enum Deed<'a> {
    /// Forges cookies, from another address than the server's.
    Cookies(&'a UdpSocket),
    /// Asks another listener, to which this socket leads, for a reset.
    Oracle(&'a UdpSocket),
    /// Offers help behind each REPLY that would lead the client to this address: true offers, or all others.
    Offers(SocketAddr, bool),
}

/// The path between a client and a server, and somebody who listens in.
struct Between {
    near: UdpSocket,
    far: UdpSocket,
    beside: Beside,
    /// Datagrams of the client.
    seen: u64,
    /// First messages of the client, before and after it was done harm.
    begun: u64,
    /// Cookies that the server gave.
    cookies: u64,
    /// Resets that were drawn, and given to the client.
    resets: u64,
}

impl Between {
    async fn to(server: SocketAddr, seed: u64) -> Result<Between, Failure> {
        let (near, far) = (socket().await?, socket().await?);
        far.connect(server).await.map_err(|error| socket_failure(&error))?;
        Ok(Between { near, far, beside: Beside::new(seed), seen: 0, begun: 0, cookies: 0, resets: 0 })
    }

    /// Carries what passes, until the socket fails.
    async fn carry(&mut self, deed: Deed<'_>) -> io::Error {
        let (mut to_server, mut to_client) = (vec![0; 65_536], vec![0; 65_536]);
        let (mut client, mut offers) = (None, None);
        loop {
            let drawn = async {
                let mut drawn = vec![0; 2_048];
                let Deed::Oracle(oracle) = deed else { return std::future::pending().await };
                oracle.recv(&mut drawn).await.map(|len| drawn[..len].to_vec())
            };
            tokio::select! {
                came = self.near.recv_from(&mut to_server) => {
                    let Ok((len, from)) = came else { continue };
                    client = Some(from);
                    let datagram = &to_server[..len];
                    self.seen += 1;
                    self.begun += u64::from(datagram.first() == Some(&0x01));
                    match deed {
                        Deed::Cookies(elsewhere) => {
                            for forged in self.beside.forge_cookies(datagram) {
                                let _ = elsewhere.send_to(&forged, from).await;
                            }
                        }
                        Deed::Oracle(oracle) if self.seen > SETTLED_AFTER && self.resets == 0 => {
                            if let Some(question) = self.beside.ask_for_reset(datagram) {
                                let _ = oracle.send(&question).await;
                            }
                        }
                        Deed::Oracle(_) => {}
                        Deed::Offers(lure, _) => offers = self.beside.offer_help(datagram, lure).or(offers),
                    }
                    let _ = self.far.send(&to_server[..len]).await;
                }
                came = self.far.recv(&mut to_client) => {
                    let Ok(len) = came else { continue };
                    self.cookies += u64::from(to_client.first() == Some(&0x03));
                    if let Some(client) = client {
                        let _ = self.near.send_to(&to_client[..len], client).await;
                        let made = if to_client.first() == Some(&0x02) { offers.take() } else { None };
                        if let (Deed::Offers(_, truly), Some(Offers { true_one, false_ones })) = (deed, made) {
                            for offer in if truly { vec![true_one] } else { false_ones } {
                                self.beside.note_said(&offer);
                                let _ = self.near.send_to(&offer, client).await;
                            }
                        }
                    }
                }
                came = drawn => {
                    let Ok(drawn) = came else { continue };
                    self.resets += 1;
                    // From where it seems to come is the liar's choice.
                    if let Some(client) = client {
                        let _ = self.near.send_to(&drawn, client).await;
                    }
                }
            }
        }
    }
}

/// Clients dial the target through a path beside which somebody forges, while a flood makes it ask for cookies.
async fn forged_cookies(
    attack: &'static Attack,
    mark: &Mark,
    pace: Pace,
    folder: &TempDir,
) -> Result<Outcome, Failure> {
    let flood = find("spoof-flood").expect("it is in the catalogue");
    let mut outcome = Outcome::of(attack);
    let elsewhere = socket().await?;
    let mut path = Between::to(mark.address, pace.seed).await?;
    let ticket = Ticket::new(mark.eid, vec![address(&path.near)?], mark.capability.clone());
    let ticket = ticket.map_err(|error| Failure::new(Exit::Handshake, "making the ticket", error))?.to_string();
    // Until the last client has what it came for.
    let flooding = Pace { rate: FLOOD_RATE, time: DIAL_MAX * DIALS as u32, ..pace }.begin(flood, mark)?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    for dial in 1..=DIALS {
        let mut dialer = Dialer::start(folder.path(), "client.key", &["ping", "-c", "1", &ticket])?;
        let (ended, how) = tokio::select! {
            end = dialer.end() => end,
            carried = path.carry(Deed::Cookies(&elsewhere)) => return Err(socket_failure(&carried)),
        };
        outcome.dialled.push(format!("dial {dial} {how}"));
        if ended != Some(0) {
            outcome.faults.push(format!("dial {dial} beside {} forged cookies {how}", path.beside.tally().sent));
        }
    }
    drop(flooding);
    outcome.dialled.push(format!("cookies of the target that passed: {}", path.cookies));
    outcome.tally = path.beside.tally().clone();
    if path.cookies == 0 {
        outcome.untried = Some("the target asked for no cookie".to_owned());
    }
    Ok(outcome)
}

/// Clients dial the target through a path beside which somebody offers help that was not meant for them. What they are
/// offered last is as a helper makes it, so that it is known that they would have gone.
async fn offer_replay(attack: &'static Attack, mark: &Mark, pace: Pace, folder: &TempDir) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::of(attack);
    let (lure, mut path) = (socket().await?, Between::to(mark.address, pace.seed).await?);
    let ticket = Ticket::new(mark.eid, vec![address(&path.near)?], mark.capability.clone());
    let ticket = ticket.map_err(|error| Failure::new(Exit::Handshake, "making the ticket", error))?.to_string();
    // The others are offered what was made for the first set-up.
    for (dial, truly) in [false, false, false, true].into_iter().enumerate() {
        let mut dialer = Dialer::start(folder.path(), "client.key", &["ping", "-c", "8", "-i", "0.05", &ticket])?;
        let deed = Deed::Offers(address(&lure)?, truly);
        let (ended, how) = tokio::select! {
            end = dialer.end() => end,
            carried = path.carry(deed) => return Err(socket_failure(&carried)),
        };
        let (mut taken, mut datagram) = (0, vec![0; 2_048]);
        while lure.try_recv(&mut datagram).is_ok() {
            taken += 1;
        }
        let offered = if truly { "a true offer" } else { "false offers" };
        outcome.dialled.push(format!("dial {dial} beside {offered} {how}; {taken} JOINs came of it"));
        if ended != Some(0) {
            outcome.faults.push(format!("dial {dial} beside {offered} {how}"));
        }
        match truly {
            false if taken > 0 => outcome.faults.push(format!("dial {dial} took an offer that was not for it")),
            true if taken == 0 => outcome.untried = Some("the client takes no offers".to_owned()),
            _ => {}
        }
    }
    outcome.tally = path.beside.tally().clone();
    Ok(outcome)
}

/// Two servers of this program have one key; a client talks with the first, and the second is asked for the reset of
/// its channel.
async fn reset_oracle(attack: &'static Attack, pace: Pace, folder: &TempDir) -> Result<Outcome, Failure> {
    let arguments = ["serve", ".", "--public", "--bind", "127.0.0.1:0", "--json"];
    let first = Dialer::start(folder.path(), "server.key", &arguments)?;
    let second = (first.first_event().await?, Dialer::start(folder.path(), "server.key", &arguments)?);
    let (told, other) = (second.0, second.1.first_event().await?);
    let (Some((eid, at)), Some((same, beside))) = (whereabouts(&told), whereabouts(&other)) else {
        return Ok(Outcome::untried(attack, "a server did not say where it is"));
    };
    debug_assert_eq!(eid, same, "both have one key");
    let mut outcome = Outcome::of(attack);
    let mut path = Between::to(at, pace.seed).await?;
    let oracle = socket().await?;
    oracle.connect(beside).await.map_err(|error| socket_failure(&error))?;
    let target = format!("{eid}@{}", address(&path.near)?);
    let mut dialer = Dialer::start(folder.path(), "client.key", &["ping", "-c", "60", "-i", "0.05", &target])?;
    let (ended, how) = tokio::select! {
        end = dialer.end() => end,
        carried = path.carry(Deed::Oracle(&oracle)) => return Err(socket_failure(&carried)),
    };
    outcome.tally = path.beside.tally().clone();
    outcome.dialled.push(format!(
        "{how}; {} questions for a reset drew {}; it began {} channels",
        outcome.tally.sent, path.resets, path.begun
    ));
    if outcome.tally.sent == 0 {
        outcome.untried = Some("the client was not seen to say enough".to_owned());
    } else if path.begun > 1 || ended != Some(0) {
        outcome.faults.push("the answer of another listener ended a channel".to_owned());
    }
    Ok(outcome)
}
