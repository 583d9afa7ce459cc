//! Whether links do what they are asked to, measured by sockets at their two ends.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use serde::Serialize;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};

use crate::clock;
use crate::error::NetworkError;
use crate::network::{Names, Network};
use crate::plan::Topology;
use crate::system;

/// What was measured may be off by this share of what was asked.
pub const ERROR_MAX: f64 = 0.02;
/// Bytes of a full packet, IP header included.
const FULL_BYTES: usize = 1_500;
/// Bytes of the headers before a datagram.
const HEADER_BYTES: usize = 28;
/// Packets that are under way at most: fewer than the device of the sender holds.
const WINDOW: u64 = 3_000;
/// Bytes that the receiver's socket holds.
const RECEIVE_BUFFER: usize = 64 << 20;
/// Nobody waits longer for a packet.
const PATIENCE: Duration = Duration::from_secs(20);
/// Packets that a delay is measured with.
const DELAYS: u64 = 300;
/// Time between them.
const DELAY_STEP: Duration = Duration::from_millis(5);

/// One figure of a link.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Check {
    /// What it is.
    pub what: String,
    /// What was asked for.
    pub asked: f64,
    /// What was measured.
    pub measured: f64,
    /// The unit of both.
    pub unit: &'static str,
    /// Packets that it was measured with.
    pub packets: u64,
    /// Whether more than what was asked is as good.
    pub at_least: bool,
}

impl Check {
    /// By what share the measured is off.
    pub fn error(&self) -> f64 {
        self.measured / self.asked - 1.0
    }

    /// Whether that is no more than [`ERROR_MAX`].
    pub fn holds(&self) -> bool {
        self.error().abs() <= ERROR_MAX || self.at_least && self.measured >= self.asked
    }
}

/// Why a link could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A socket failed.
    #[error("measuring a link: {0}")]
    Socket(#[from] io::Error),
    /// Packets were lost on the way into the emulator, which was too slow for them.
    #[error(
        "{0} packets were too many for the emulator to take in; the machine is too slow or too busy to measure this"
    )]
    Unseen(u64),
}

/// Full packets, as fast as the link takes them, for about this long.
///
/// # Errors
/// See [`CheckError`].
pub fn rate(seed: u64, bps: u64, time: Duration) -> Result<Check, CheckError> {
    // A queue that never overflows, so that nothing but the rate decides.
    let queue = QueueConfig::DropTail(Limit::Packets(2 * WINDOW as usize));
    let link = Link::new().rate(bps).delay(Duration::from_millis(1)).queue(queue);
    let count = (bps as f64 * time.as_secs_f64() / 8.0 / FULL_BYTES as f64) as u64;
    let (packets, time) = stream(seed, &link, FULL_BYTES, count.max(100))?.between();
    let measured = packets as f64 * FULL_BYTES as f64 * 8.0 / time.as_secs_f64();
    Ok(Check {
        what: "rate".into(),
        asked: bps as f64 / 1e6,
        measured: measured / 1e6,
        unit: "Mbit/s",
        packets,
        at_least: false,
    })
}

/// Full packets over a link without a rate, as fast as the emulator carries them.
///
/// # Errors
/// See [`CheckError`].
pub fn capacity(seed: u64, asked_bps: u64, count: u64) -> Result<Check, CheckError> {
    let (packets, time) = stream(seed, &Link::new(), FULL_BYTES, count)?.between();
    let measured = packets as f64 * FULL_BYTES as f64 * 8.0 / time.as_secs_f64();
    let (asked, measured) = (asked_bps as f64 / 1e6, measured / 1e6);
    Ok(Check { what: "capacity".into(), asked, measured, unit: "Mbit/s", packets, at_least: true })
}

/// Small packets over a link that loses some.
///
/// # Errors
/// See [`CheckError`].
pub fn loss(seed: u64, share: f64, count: u64) -> Result<Check, CheckError> {
    let came = stream(seed, &Link::new().loss(Loss::Independent(share)), 64, count)?;
    let measured = 1.0 - came.times.len() as f64 / came.sent as f64;
    let (asked, measured) = (share * 100.0, measured * 100.0);
    Ok(Check { what: "loss".into(), asked, measured, unit: "%", packets: came.sent, at_least: false })
}

/// Single packets, some time apart: the median of the time from when one socket is told to send until the other's node has them.
///
/// # Errors
/// See [`CheckError`].
pub fn delay(seed: u64, delay: Duration) -> Result<Check, CheckError> {
    let network = Network::start(&Topology::pair(seed, &Link::new().delay(delay)), &Names::Private)?;
    let (sender, receiver) = sockets(&network)?;
    // When a packet came is the kernel's to say; a thread would have to wake up first.
    setsockopt(&receiver, sockopt::ReceiveTimestampns, &true).map_err(io::Error::from)?;
    let mut times = std::thread::scope(|scope| {
        let sending = scope.spawn(|| -> io::Result<Vec<Duration>> {
            let _ = system::run_first(1);
            let mut sent = Vec::new();
            for number in 0..DELAYS {
                clock::rest(DELAY_STEP);
                sent.push(clock::since_1970());
                sender.send(&number.to_le_bytes())?;
            }
            Ok(sent)
        });
        let came = (0..DELAYS).map(|_| arrival(&receiver)).collect::<io::Result<Vec<_>>>();
        let sent = sending.join().unwrap_or_else(|_| Err(io::Error::other("the sender panicked")))?;
        let times = sent.iter().zip(came?).map(|(sent, came)| came.saturating_sub(*sent));
        Ok::<_, io::Error>(times.collect::<Vec<_>>())
    })?;
    times.sort();
    let (asked, median) = (delay.as_secs_f64() * 1e3, times[times.len() / 2].as_secs_f64() * 1e3);
    Ok(Check { what: "delay".into(), asked, measured: median, unit: "ms", packets: DELAYS, at_least: false })
}

/// When the next packet came, since 1970.
fn arrival(socket: &UdpSocket) -> io::Result<Duration> {
    let mut packet = [0; 8];
    let mut control = nix::cmsg_space!(nix::sys::time::TimeSpec);
    let mut buffers = [io::IoSliceMut::new(&mut packet)];
    let received = recvmsg::<()>(socket.as_raw_fd(), &mut buffers, Some(&mut control), MsgFlags::empty())?;
    let time = received.cmsgs()?.find_map(|message| match message {
        ControlMessageOwned::ScmTimestampns(time) => Some(Duration::from(time)),
        _ => None,
    });
    time.ok_or_else(|| io::Error::other("the kernel does not say when packets come"))
}

/// What came of a stream of packets.
struct Came {
    sent: u64,
    times: Vec<Instant>,
}

impl Came {
    /// How many came in how long, once the link was busy; none if none came.
    fn between(&self) -> (u64, Duration) {
        let first = self.times.len() / 10;
        let last = self.times.len().saturating_sub(1);
        let time = |number: usize| self.times.get(number).copied();
        let span = time(last).zip(time(first)).map_or(Duration::ZERO, |(last, first)| last - first);
        ((last - first) as u64, span.max(Duration::from_nanos(1)))
    }
}

fn stream(seed: u64, link: &Link, bytes: usize, count: u64) -> Result<Came, CheckError> {
    let network = Network::start(&Topology::pair(seed, link), &Names::Private)?;
    let (sender, receiver) = sockets(&network)?;
    // The number of the latest packet that came, and one more.
    let reached = AtomicU64::new(0);
    let times = std::thread::scope(|scope| {
        let sending = scope.spawn(|| -> io::Result<()> {
            // The link is measured, not how long threads wait for a processor.
            let _ = system::run_first(1);
            let mut packet = vec![0; bytes - HEADER_BYTES];
            for number in 0..count {
                let began = clock::now();
                while number - reached.load(Ordering::Relaxed) > WINDOW {
                    if began.elapsed() > PATIENCE {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    clock::rest(Duration::from_micros(500));
                }
                packet[..8].copy_from_slice(&number.to_le_bytes());
                sender.send(&packet)?;
            }
            // The last ones, for a link that loses some.
            for number in count..count + 100 {
                packet[..8].copy_from_slice(&number.to_le_bytes());
                sender.send(&packet)?;
            }
            Ok(())
        });
        let receiving = scope.spawn(|| {
            let _ = system::run_first(1);
            receive(&receiver, count, &reached)
        });
        let received = receiving.join().unwrap_or_else(|_| Err(io::Error::other("the receiver panicked")));
        // A sender that waits for what never comes ends by itself.
        let sent = sending.join().unwrap_or_else(|_| Err(io::Error::other("the sender panicked")));
        received.and_then(|times| sent.map(|()| times))
    })?;
    match network.unseen().first() {
        Some(0) | None => Ok(Came { sent: count, times }),
        Some(unseen) => Err(CheckError::Unseen(*unseen)),
    }
}

/// The times at which packets came, until one came that is none of the `count`.
fn receive(socket: &UdpSocket, count: u64, reached: &AtomicU64) -> io::Result<Vec<Instant>> {
    let mut times = Vec::with_capacity(count as usize);
    let mut packet = [0; FULL_BYTES];
    loop {
        socket.recv(&mut packet)?;
        let mut number = [0; 8];
        number.copy_from_slice(&packet[..8]);
        let number = u64::from_le_bytes(number);
        if number >= count {
            return Ok(times);
        }
        times.push(clock::now());
        reached.store(number + 1, Ordering::Relaxed);
    }
}

/// One on each node of a pair, for the other alone: the first sends, the second receives.
fn sockets(network: &Network) -> io::Result<(UdpSocket, UdpSocket)> {
    let bind = |node, own: &str| network.run(node, || UdpSocket::bind(own))?;
    let (sender, receiver) = (bind(0, "10.0.0.1:9")?, bind(1, "10.0.0.2:9")?);
    sender.connect("10.0.0.2:9")?;
    receiver.connect("10.0.0.1:9")?;
    setsockopt(&receiver, sockopt::RcvBufForce, &RECEIVE_BUFFER)?;
    receiver.set_read_timeout(Some(PATIENCE))?;
    Ok((sender, receiver))
}
