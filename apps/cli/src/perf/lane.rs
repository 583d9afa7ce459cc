//! Lanes: where the bytes of a test pass and are counted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tng::{Connection, GuestConnection, SendDatagramError, Stream, StreamId, SubstreamError};
use tng_services::perf::{Arrivals, STAMP_LEN, Stamp, Test};
use tng_wire::{Reader, Repr, Writer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::coop::consume_budget;
use tokio::time::sleep;

use super::figures::LaneId;
use crate::clock;

/// Bytes read at a time.
const READ_MAX: usize = 1 << 17;
/// How long a sender waits when as many datagrams wait as may.
const FULL_PAUSE: Duration = Duration::from_millis(1);

/// One lane. The task that moves its bytes counts them, the task that reports reads the counts.
#[derive(Debug)]
pub struct Lane {
    /// Which one it is.
    pub id: LaneId,
    bytes: AtomicU64,
    packets: AtomicU64,
    arrivals: Mutex<Arrivals>,
    /// A stream of the peer's has come for it.
    taken: AtomicBool,
    /// When its last byte passed, in microseconds from the beginning of the traffic; 0 as long as that is not known.
    ended_us: AtomicU64,
}

/// What a lane has counted so far.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Count {
    /// Bytes.
    pub bytes: u64,
    /// Datagrams sent from here.
    pub packets: u64,
    /// Datagrams that came here.
    pub arrivals: Arrivals,
}

impl Lane {
    fn new(id: LaneId) -> Lane {
        Lane {
            id,
            bytes: AtomicU64::new(0),
            packets: AtomicU64::new(0),
            arrivals: Mutex::default(),
            taken: AtomicBool::new(false),
            ended_us: AtomicU64::new(0),
        }
    }

    /// What it has counted so far.
    pub fn count(&self) -> Count {
        Count {
            bytes: self.bytes.load(Ordering::Relaxed),
            packets: self.packets.load(Ordering::Relaxed),
            arrivals: *self.arrivals.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// When its last byte passed, if that is known.
    pub fn ended(&self) -> Option<Duration> {
        Some(self.ended_us.load(Ordering::Relaxed)).filter(|us| *us > 0).map(Duration::from_micros)
    }

    /// The peer says how many datagrams it has sent in all.
    pub fn announced(&self, packets: u64) {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).announced(packets);
    }
}

/// All lanes of a test, and what their tasks need.
#[derive(Debug)]
pub struct Traffic {
    test: Test,
    connection: Connection,
    /// The stream below which it all happens.
    control: StreamId,
    /// When it began.
    pub began: Instant,
    /// The lanes, in the order of their numbers.
    pub lanes: Vec<Lane>,
    /// The first lane in which the peer sends.
    incoming_at: usize,
    /// Bytes that this side still has to send, if that ends the test.
    left: Option<AtomicU64>,
    /// What is sent again and again.
    block: Vec<u8>,
    /// What carries the lanes of this side, if it is guests.
    pub guests: Vec<GuestConnection>,
}

impl Traffic {
    /// Lanes without any traffic yet.
    pub fn new(
        test: Test,
        connection: Connection,
        control: StreamId,
        ids: &[LaneId],
        guests: Vec<GuestConnection>,
    ) -> Traffic {
        let left = match test.end {
            tng_services::perf::End::After(_) => None,
            tng_services::perf::End::Bytes(bytes) => Some(AtomicU64::new(bytes)),
        };
        Traffic {
            test,
            connection,
            control,
            began: clock::now(),
            lanes: ids.iter().copied().map(Lane::new).collect(),
            incoming_at: ids.iter().position(|lane| !lane.sends).unwrap_or(ids.len()),
            left,
            block: vec![0; test.block_len],
            guests,
        }
    }

    fn passed_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn end(&self, lane: &Lane) {
        lane.ended_us.store(self.passed_us().max(1), Ordering::Relaxed);
    }

    /// How much the next block of this side may hold; 0 when all was sent.
    fn take(&self) -> usize {
        let whole = self.test.block_len;
        let Some(left) = &self.left else { return whole };
        if self.began.elapsed() < Duration::from_millis(self.test.omit_ms) {
            return whole;
        }
        let less = |left: u64| Some(left.saturating_sub(whole as u64));
        let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).unwrap_or(0);
        usize::try_from(before).map_or(whole, |before| before.min(whole))
    }

    /// Fills the lane at `at` through a stream of its own, to the end of the test or for as long as the peer takes it.
    pub async fn send_stream(self: Arc<Traffic>, at: usize) {
        let lane = &self.lanes[at];
        let Ok(stream) = self.connection.open_substream(self.control).await else { return };
        // The other half is kept: giving it up would be a message.
        let (mut send, _recv) = stream.split();
        let number = u8::try_from(at % self.test.lanes).expect("as many as LANES_MAX fit");
        if send.write_all(&[number]).await.is_err() {
            return;
        }
        if self.pour(lane, &mut send).await {
            // Whether it was all taken is what the peer will tell.
            let _ = send.finish().await;
        }
        self.end(lane);
    }

    /// Writes blocks to the end of the test, or for as long as they are taken; answers whether all were.
    async fn pour(&self, lane: &Lane, to: &mut (impl AsyncWrite + Unpin)) -> bool {
        let mut pace = Pace::new(&self.test);
        loop {
            let mut rest = &self.block[..self.take()];
            if rest.is_empty() {
                return true;
            }
            pace.turn(rest.len()).await;
            while !rest.is_empty() {
                let Ok(n) = to.write(rest).await else { return false };
                lane.bytes.fetch_add(n as u64, Ordering::Relaxed);
                rest = &rest[n..];
            }
        }
    }

    /// Fills the lane at `at` through a guest's connection, as through a stream.
    pub async fn send_by_guest(self: Arc<Traffic>, at: usize, mut guest: GuestConnection) {
        let lane = &self.lanes[at];
        let number = u8::try_from(at % self.test.lanes).expect("as many as LANES_MAX fit");
        if guest.write_all(&[number]).await.is_err() {
            return;
        }
        // As with streams: what was taken is what the peer will tell.
        if self.pour(lane, &mut guest).await && guest.finish().is_ok() {
            let _ = guest.delivered().await;
        }
        self.end(lane);
    }

    /// Empties a guest's connection that the peer has begun for one of the lanes in which it sends.
    pub async fn receive_by_guest(self: Arc<Traffic>, mut guest: GuestConnection) {
        let mut number = [0];
        if !matches!(guest.read(&mut number).await, Ok(1)) {
            return;
        }
        let Some(lane) = self.incoming(number[0]).filter(|lane| !lane.taken.swap(true, Ordering::Relaxed)) else {
            return;
        };
        self.drink(lane, &mut guest).await;
        self.end(lane);
    }

    /// Empties a stream that the peer has opened for one of the lanes in which it sends.
    pub async fn receive_stream(self: Arc<Traffic>, stream: Stream) {
        let (_send, mut recv) = stream.split();
        let mut number = [0];
        if !matches!(recv.read(&mut number).await, Ok(1)) {
            return;
        }
        let Some(lane) = self.incoming(number[0]).filter(|lane| !lane.taken.swap(true, Ordering::Relaxed)) else {
            return;
        };
        self.drink(lane, &mut recv).await;
        self.end(lane);
    }

    async fn drink(&self, lane: &Lane, from: &mut (impl AsyncRead + Unpin)) {
        let mut buf = vec![0; READ_MAX];
        while let Ok(n @ 1..) = from.read(&mut buf).await {
            lane.bytes.fetch_add(n as u64, Ordering::Relaxed);
        }
    }

    /// The lane of that number in which the peer sends.
    fn incoming(&self, number: u8) -> Option<&Lane> {
        self.lanes.get(self.incoming_at + usize::from(number)).filter(|_| usize::from(number) < self.test.lanes)
    }

    /// Fills the lane at `at` with datagrams, to the end of the test.
    pub async fn send_datagrams(self: Arc<Traffic>, at: usize) {
        let lane = &self.lanes[at];
        let number = u8::try_from(at % self.test.lanes).expect("as many as LANES_MAX fit");
        let mut datagram = self.block.clone();
        let mut pace = Pace::new(&self.test);
        loop {
            // The last one may be shorter, but never without its stamp.
            let len = match self.take() {
                0 => break,
                len => len.max(STAMP_LEN),
            };
            pace.turn(len).await;
            let mut stamp = Stamp { lane: number, number: lane.packets.load(Ordering::Relaxed), sent_us: 0 };
            loop {
                stamp.sent_us = self.passed_us();
                stamp.emit(&mut Writer::new(&mut datagram)).expect("STAMP_LEN bytes are enough");
                match self.connection.send_datagram(self.control, &datagram[..len], None) {
                    Ok(()) => break,
                    Err(SendDatagramError::Full) => sleep(FULL_PAUSE).await,
                    Err(_) => return self.end(lane),
                }
            }
            lane.packets.fetch_add(1, Ordering::Relaxed);
            lane.bytes.fetch_add(len as u64, Ordering::Relaxed);
            consume_budget().await;
        }
        self.end(lane);
    }

    /// Takes the datagrams of all lanes in which the peer sends, until the connection ends.
    pub async fn receive_datagrams(self: Arc<Traffic>) -> SubstreamError {
        loop {
            let datagram = match self.connection.recv_datagram(self.control).await {
                Ok(datagram) => datagram,
                Err(error) => return error,
            };
            consume_budget().await;
            let Ok(stamp) = Stamp::parse(&mut Reader::new(&datagram)) else { continue };
            let Some(lane) = self.incoming(stamp.lane) else { continue };
            lane.arrivals.lock().unwrap_or_else(PoisonError::into_inner).arrive(stamp, self.passed_us());
            lane.bytes.fetch_add(datagram.len() as u64, Ordering::Relaxed);
            self.end(lane);
        }
    }

    /// Whether all datagrams that are known to have been sent have arrived.
    pub fn is_whole(&self) -> bool {
        self.lanes.iter().filter(|lane| !lane.id.sends).all(|lane| lane.count().arrivals.lost() == 0)
    }
}

/// Keeps a sender at the rate that was asked for.
struct Pace {
    rate: u64,
    burst: u64,
    began: Instant,
    bytes: u64,
    /// Blocks that may go without a look at the clock.
    free: u64,
}

impl Pace {
    fn new(test: &Test) -> Pace {
        Pace { rate: test.rate, burst: test.burst, began: clock::now(), bytes: 0, free: 0 }
    }

    /// Waits until the next block of `len` bytes is due. Who was kept from sending may make up for it.
    async fn turn(&mut self, len: usize) {
        if self.rate == 0 {
            return;
        }
        if self.free > 0 {
            self.free -= 1;
        } else {
            let due = Duration::try_from_secs_f64(self.bytes as f64 * 8.0 / self.rate as f64).unwrap_or(Duration::MAX);
            if let Some(early) = due.checked_sub(self.began.elapsed()) {
                sleep(early).await;
            }
            self.free = self.burst.saturating_sub(1);
        }
        self.bytes += len as u64;
    }
}
