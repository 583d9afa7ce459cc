//! The bare floor: UDP in batches (GSO, GRO), one copy, AES-128-GCM; no loss detection, no congestion control, no
//! streams. What is under way is bounded by a window that the sockets' buffers hold, so nothing is lost on loopback; if
//! it is, the run fails.
//!
//! A packet: number (8 bytes) | bytes of the message that follow this packet's (8) | sealed payload | tag (16).

use std::collections::VecDeque;
use std::io::IoSliceMut;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use quinn_udp::{RecvMeta, Transmit, UdpSocketState};

use crate::Failure;
use crate::client::{Bench, WARM_UP, WARM_UP_BYTES, latencies, nanos};
use crate::payload::{self, Checker};
use crate::peer::{self, SOCKET_BUFFER};
use crate::role::{Asked, Said, next};
use crate::server::{Post, say};
use crate::work::{Hello, Mtu, Settings, Work};

const HEAD_LEN: usize = 16;
const TAG_LEN: usize = 16;

/// The most that one call sends, in bytes.
const BATCH_MAX: usize = 65_507;

/// Bytes under way at most in one direction: what the kernel counts for them stays well below [`SOCKET_BUFFER`].
const WINDOW: u64 = 3 << 20;

/// A receiver of a bulk transfer tells after so many bytes what has arrived.
const RECEIPT_AFTER: u64 = WINDOW / 4;

/// Nothing takes so long on loopback: something was lost.
const LOST_AFTER: Duration = Duration::from_secs(2);

/// The largest UDP payload with which it is fastest on loopback, in bytes.
const MTU_BEST: usize = 8_900;

/// One end.
struct End {
    socket: UdpSocket,
    state: UdpSocketState,
    remote: SocketAddr,
    seals: LessSafeKey,
    opens: LessSafeKey,
    mtu: usize,
    number: u64,
    out: Vec<u8>,
    /// Length of each packet in `out` but the last.
    segment: usize,
    inbox: Vec<u8>,
}

/// Which of the two directions an end seals.
#[derive(Clone, Copy)]
enum Side {
    Server,
    Client,
}

impl End {
    fn new(work: &Work, side: Side, remote: SocketAddr) -> Result<End, Failure> {
        let socket = peer::udp_socket()?;
        let state = UdpSocketState::new((&socket).into())?;
        socket.set_nonblocking(false)?;
        // A server waits for its client as long as it takes.
        socket.set_read_timeout(matches!(side, Side::Client).then_some(LOST_AFTER))?;
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
        let inbox = vec![0; 1 << 16];
        Ok(End {
            socket,
            state,
            remote,
            seals,
            opens,
            mtu,
            number: 0,
            out: Vec::with_capacity(BATCH_MAX),
            segment: 0,
            inbox,
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
        let fits = batched < self.state.max_gso_segments() && self.out.len() + len <= BATCH_MAX;
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
            let segment_size = (self.segment < self.out.len()).then_some(self.segment);
            let transmit =
                Transmit { destination: self.remote, ecn: None, contents: &self.out, segment_size, src_ip: None };
            self.state.try_send((&self.socket).into(), &transmit)?;
            self.out.clear();
            self.segment = 0;
        }
        Ok(())
    }

    /// Waits for a batch, and hands each packet of it to `each`: its payload, and how much of its message follows.
    fn receive(&mut self, mut each: impl FnMut(&[u8], u64) -> Result<(), Failure>) -> Result<(), Failure> {
        let mut metas = [RecvMeta::default()];
        // One buffer: with more, a blocking call waits until all are full.
        let mut bufs = [IoSliceMut::new(&mut self.inbox)];
        if self.state.recv((&self.socket).into(), &mut bufs, &mut metas)? == 0 {
            return Ok(());
        }
        let [meta] = metas;
        self.remote = meta.addr;
        for packet in self.inbox[..meta.len].chunks_mut(meta.stride) {
            let (head, sealed) = packet.split_at_mut_checked(HEAD_LEN).ok_or("a packet without a head")?;
            let (number, left) = head.split_at(HEAD_LEN / 2);
            let (number, left) = (word(number), word(left));
            let payload = self.opens.open_in_place(nonce(number), Aad::from(&*head), sealed)?;
            each(payload, left)?;
        }
        Ok(())
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
pub fn serve(work: &Work, post: Post) -> Result<(), Failure> {
    let mut end = End::new(work, Side::Server, peer::LOOPBACK)?;
    post.hello(Hello { addr: end.socket.local_addr()?, proof: None, ticket: String::new() })?;
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
        if bulk && checker.checked() >= told + RECEIPT_AFTER {
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
pub fn client(work: &Work) -> Result<(), Failure> {
    let Asked::Server(hello) = next()? else { return Err("no server".into()) };
    let mut end = End::new(work, Side::Client, hello.addr)?;
    let settings = Settings::from([
        ("cipher".to_owned(), "AES-128-GCM, of aws-lc-rs".to_owned()),
        ("packet_bytes".to_owned(), end.mtu.to_string()),
        ("socket buffers".to_owned(), SOCKET_BUFFER.to_string()),
        ("under way at most".to_owned(), format!("{WINDOW} bytes")),
    ]);
    match *work {
        Work::Bulk { bytes, .. } => {
            transfer(&mut end, bytes.min(WARM_UP_BYTES))?;
            let bench = start()?;
            transfer(&mut end, bytes)?;
            bench.tell(vec![("elapsed_s", bench.elapsed_s()), ("bytes", bytes as f64)], settings)
        }
        Work::Rr { size, concurrency, seconds } => {
            let under_way = concurrency.min((WINDOW / size).max(1));
            let time = Duration::try_from_secs_f64(seconds)?;
            requests(&mut end, size, under_way, WARM_UP.min(time))?;
            let bench = start()?;
            let times = requests(&mut end, size, under_way, time)?;
            bench.tell(latencies(times, bench.elapsed_s()), settings)
        }
        _ => Err("the floor has no connections".into()),
    }
}

fn start() -> Result<Bench, Failure> {
    say(&Said::Ready)?;
    let Asked::Go = next()? else { return Err("told something else than to go".into()) };
    Bench::started()
}

fn transfer(end: &mut End, bytes: u64) -> Result<(), Failure> {
    let (mut sent, mut arrived) = (0, 0);
    let batch = (BATCH_MAX / end.mtu).min(end.state.max_gso_segments()).max(1) * end.payload_max();
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
fn requests(end: &mut End, size: u64, under_way: u64, time: Duration) -> Result<Vec<u32>, Failure> {
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
