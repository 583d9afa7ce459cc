//! The bare floor: UDP in batches (GSO, GRO), one copy, AES-128-GCM; no loss detection, no congestion control, no
//! streams. What is under way is bounded by a window that the sockets' buffers hold, so nothing is lost on loopback; if
//! it is, the run fails.
//!
//! A packet: number (8 bytes) | bytes of the message that follow this packet's (8) | sealed payload | tag (16).
//!
//! How batches get into the kernel and out of it is a [`Pipe`]; the variants of the floor differ in nothing else.

mod udp;
mod uring;
mod zerocopy;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

use crate::Failure;
use crate::client::{Bench, WARM_UP, WARM_UP_BYTES, latencies, nanos};
use crate::conduct::{CLIENT_ADDRESS, SERVER_ADDRESS};
use crate::payload::{self, Checker};
use crate::peer::LOOPBACK;
use crate::role::{Asked, Said, next};
use crate::server::{Post, say};
use crate::work::{Hello, Mtu, PeerName, Settings, Work};

const HEAD_LEN: usize = 16;
const TAG_LEN: usize = 16;

/// The most that one call sends, in bytes.
const BATCH_MAX: usize = 65_507;

/// Bytes under way at most in one direction: what the kernel counts for them stays well below
/// [`crate::peer::SOCKET_BUFFER`].
const WINDOW: u64 = 3 << 20;

/// A receiver of a bulk transfer tells this often for each window what has arrived.
const RECEIPTS_PER_WINDOW: u64 = 4;

/// Nothing takes so long on loopback: something was lost.
const LOST_AFTER: Duration = Duration::from_secs(2);

/// The largest UDP payload with which it is fastest on loopback, in bytes.
const MTU_BEST: usize = 8_900;

/// Which of the two directions an end seals, and whether it waits for ever.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Server,
    Client,
}

impl Side {
    /// How long it waits for a packet. A server waits for its client as long as it takes.
    fn patience(self) -> Option<Duration> {
        (self == Side::Client).then_some(LOST_AFTER)
    }
}

/// A way for batches of packets into the kernel and out of it.
trait Pipe: Sized {
    /// At that address.
    fn open(at: SocketAddr, side: Side) -> Result<Self, Failure>;

    /// Where it is.
    fn addr(&self) -> Result<SocketAddr, Failure>;

    /// Packets that may be sent at once.
    fn packets_max(&self) -> usize;

    /// Sends packets of `segment` bytes (the last may be shorter), and leaves an empty buffer.
    fn send(&mut self, to: SocketAddr, packets: &mut Vec<u8>, segment: usize) -> Result<(), Failure>;

    /// Waits for packets, and hands over each with where it is from. May return without one.
    fn receive(&mut self, each: impl FnMut(SocketAddr, &mut [u8]) -> Result<(), Failure>) -> Result<(), Failure>;

    /// What else there is to say of it.
    fn settings(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// One end.
struct End<P> {
    pipe: P,
    remote: SocketAddr,
    seals: LessSafeKey,
    opens: LessSafeKey,
    mtu: usize,
    number: u64,
    out: Vec<u8>,
    /// Length of each packet in `out` but the last.
    segment: usize,
}

impl<P: Pipe> End<P> {
    fn new(work: &Work, peer: PeerName, side: Side, remote: SocketAddr) -> Result<End<P>, Failure> {
        let at = match (peer.is_apart(), side) {
            (false, _) => LOOPBACK,
            (true, Side::Server) => SERVER_ADDRESS,
            (true, Side::Client) => CLIENT_ADDRESS,
        };
        let mtu = match work.mtu() {
            Mtu::Bytes(bytes) => bytes.into(),
            Mtu::Best => MTU_BEST,
        };
        // The price is the same with any key.
        let key = |byte: u8| UnboundKey::new(&AES_128_GCM, &[byte; 16]).map(LessSafeKey::new);
        let (seals, opens) = match side {
            Side::Server => (key(1)?, key(2)?),
            Side::Client => (key(2)?, key(1)?),
        };
        Ok(End {
            pipe: P::open(at, side)?,
            remote,
            seals,
            opens,
            mtu,
            number: 0,
            out: Vec::with_capacity(BATCH_MAX),
            segment: 0,
        })
    }

    fn payload_max(&self) -> usize {
        self.mtu - HEAD_LEN - TAG_LEN
    }

    /// Puts a packet into the batch, which is sent when it is full. `left`: bytes of its message that follow.
    fn push(&mut self, payload: &[u8], left: u64) -> Result<(), Failure> {
        let len = HEAD_LEN + payload.len() + TAG_LEN;
        let batched = if self.segment == 0 { 0 } else { self.out.len().div_ceil(self.segment) };
        // The kernel cuts a batch into equal packets; only the last may be shorter.
        let fits = batched < self.pipe.packets_max() && self.out.len() + len <= BATCH_MAX;
        if batched > 0 && !(fits && len <= self.segment && self.out.len().is_multiple_of(self.segment)) {
            self.flush()?;
        }
        if self.out.is_empty() {
            self.segment = len;
        }
        self.number += 1;
        let at = self.out.len();
        self.out.extend_from_slice(&self.number.to_le_bytes());
        self.out.extend_from_slice(&left.to_le_bytes());
        self.out.extend_from_slice(payload);
        let (head, body) = self.out[at..].split_at_mut(HEAD_LEN);
        let tag = self.seals.seal_in_place_separate_tag(nonce(self.number), Aad::from(&*head), body)?;
        self.out.extend_from_slice(tag.as_ref());
        Ok(())
    }

    fn push_message(&mut self, from: u64, len: u64) -> Result<(), Failure> {
        let mut done = 0;
        while done < len {
            let piece = payload::at(from + done, (len - done).min(self.payload_max() as u64));
            done += piece.len() as u64;
            self.push(piece, len - done)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        if !self.out.is_empty() {
            self.pipe.send(self.remote, &mut self.out, self.segment)?;
            self.segment = 0;
        }
        Ok(())
    }

    /// Waits for packets, and hands each to `each`: its payload, and how much of its message follows.
    fn receive(&mut self, mut each: impl FnMut(&[u8], u64) -> Result<(), Failure>) -> Result<(), Failure> {
        let End { pipe, remote, opens, .. } = self;
        pipe.receive(|from, packet| {
            *remote = from;
            let (head, sealed) = packet.split_at_mut_checked(HEAD_LEN).ok_or("a packet without a head")?;
            let (number, left) = head.split_at(HEAD_LEN / 2);
            let (number, left) = (word(number), word(left));
            let payload = opens.open_in_place(nonce(number), Aad::from(&*head), sealed)?;
            each(payload, left)
        })
    }
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn nonce(number: u64) -> Nonce {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(nonce)
}

/// Serves for ever.
pub fn serve(work: &Work, peer: PeerName, post: Post) -> Result<(), Failure> {
    match peer {
        PeerName::FloorSpin => serve_on::<udp::Spinning>(work, peer, post),
        PeerName::FloorZerocopy => serve_on::<zerocopy::Pipe>(work, peer, post),
        PeerName::FloorUring => serve_on::<uring::Copying>(work, peer, post),
        PeerName::FloorUringZerocopy => serve_on::<uring::Zerocopy>(work, peer, post),
        _ => serve_on::<udp::Waiting>(work, peer, post),
    }
}

fn serve_on<P: Pipe>(work: &Work, peer: PeerName, post: Post) -> Result<(), Failure> {
    let mut end = End::<P>::new(work, peer, Side::Server, LOOPBACK)?;
    post.hello(Hello { addr: end.pipe.addr()?, proof: None, ticket: String::new(), relay: None })?;
    let bulk = matches!(work, Work::Bulk { .. });
    let mut checker = Checker::default();
    let (mut told, mut answers) = (0, VecDeque::new());
    loop {
        end.receive(|payload, left| {
            checker.check(payload)?;
            if left == 0 {
                answers.push_back(std::mem::take(&mut checker).checked());
            }
            Ok(())
        })?;
        if bulk && checker.checked() >= told + WINDOW / RECEIPTS_PER_WINDOW {
            told = checker.checked();
            end.push(&told.to_le_bytes(), 1)?;
        }
        for len in answers.drain(..) {
            told = 0;
            end.push_message(len, work.answer(len))?;
        }
        end.flush()?;
    }
}

/// Does the work, and tells the bench.
pub fn client(work: &Work, peer: PeerName) -> Result<(), Failure> {
    match peer {
        PeerName::FloorSpin => client_on::<udp::Spinning>(work, peer),
        PeerName::FloorZerocopy => client_on::<zerocopy::Pipe>(work, peer),
        PeerName::FloorUring => client_on::<uring::Copying>(work, peer),
        PeerName::FloorUringZerocopy => client_on::<uring::Zerocopy>(work, peer),
        _ => client_on::<udp::Waiting>(work, peer),
    }
}

fn settings<P: Pipe>(end: &End<P>) -> Settings {
    let mut settings = Settings::from([
        ("cipher".to_owned(), "AES-128-GCM, of aws-lc-rs".to_owned()),
        ("packet_bytes".to_owned(), end.mtu.to_string()),
        ("under way at most".to_owned(), format!("{} bytes", WINDOW)),
    ]);
    settings.extend(end.pipe.settings().into_iter().map(|(name, value)| (name.to_owned(), value)));
    settings
}

fn client_on<P: Pipe>(work: &Work, peer: PeerName) -> Result<(), Failure> {
    let Asked::Server(hello) = next()? else { return Err("no server".into()) };
    let mut end = End::<P>::new(work, peer, Side::Client, hello.addr)?;
    match *work {
        Work::Bulk { bytes, .. } => {
            transfer(&mut end, bytes.min(WARM_UP_BYTES))?;
            let bench = start()?;
            transfer(&mut end, bytes)?;
            bench.tell(vec![("elapsed_s", bench.elapsed_s()), ("bytes", bytes as f64)], settings(&end))
        }
        Work::Rr { size, concurrency, seconds } => {
            let under_way = concurrency.min((WINDOW / size).max(1));
            let time = Duration::try_from_secs_f64(seconds)?;
            requests(&mut end, size, under_way, WARM_UP.min(time))?;
            let bench = start()?;
            let times = requests(&mut end, size, under_way, time)?;
            bench.tell(latencies(times, bench.elapsed_s()), settings(&end))
        }
        _ => Err("the floor has no connections".into()),
    }
}

fn start() -> Result<Bench, Failure> {
    say(&Said::Ready)?;
    let Asked::Go = next()? else { return Err("told something else than to go".into()) };
    Bench::started()
}

fn transfer<P: Pipe>(end: &mut End<P>, bytes: u64) -> Result<(), Failure> {
    let (mut sent, mut arrived) = (0, 0);
    let batch = (BATCH_MAX / end.mtu).min(end.pipe.packets_max()).max(1) * end.payload_max();
    let mut answer = Checker::from(bytes);
    let mut answered = false;
    while !answered {
        while sent < bytes && sent + batch as u64 <= arrived + WINDOW {
            let piece = payload::at(sent, (bytes - sent).min(batch as u64));
            for payload in piece.chunks(end.payload_max()) {
                sent += payload.len() as u64;
                end.push(payload, bytes - sent)?;
            }
            end.flush()?;
        }
        end.receive(|payload, left| {
            answered |= left == 0;
            if left == 0 {
                answer.check(payload)?;
            } else {
                arrived = word(payload);
            }
            Ok(())
        })
        .map_err(lost)?;
    }
    Ok(())
}

/// Keeps `under_way` requests under way for `time`; answers how long each took, in ns.
fn requests<P: Pipe>(end: &mut End<P>, size: u64, under_way: u64, time: Duration) -> Result<Vec<u32>, Failure> {
    let (mut times, mut began) = (Vec::new(), VecDeque::new());
    let mut now = Instant::now();
    let until = now + time;
    let mut checker = Checker::from(size);
    loop {
        while now < until && (began.len() as u64) < under_way {
            end.push_message(0, size)?;
            began.push_back(now);
        }
        end.flush()?;
        if began.is_empty() {
            return Ok(times);
        }
        let mut answered = 0;
        end.receive(|payload, left| {
            checker.check(payload)?;
            if left == 0 {
                std::mem::replace(&mut checker, Checker::from(size)).expect(2 * size)?;
                answered += 1;
            }
            Ok(())
        })
        .map_err(lost)?;
        now = Instant::now();
        times.extend(began.drain(..answered).map(|then| nanos(now - then)));
    }
}

fn lost(error: Failure) -> Failure {
    format!("{error}: a packet may have been lost; the floor has nothing against that. Try again with less load").into()
}
