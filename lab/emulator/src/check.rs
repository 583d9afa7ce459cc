//! Whether links do what they are asked to, measured by sockets at their two ends.

use std::io;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::sys::socket::{MsgFlags, setsockopt, sockopt};
use serde::Serialize;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};

use crate::clock;
use crate::error::NetworkError;
use crate::network::{Names, Network};
use crate::plan::Topology;
use crate::stamps::{self, Stamps};
use crate::system;
use crate::transfer::Origin;

/// What was measured may be off by this share of what was asked.
pub const ERROR_MAX: f64 = 0.02;
/// Bytes of a full packet, IP header included.
const FULL_BYTES: usize = 1_500;
/// Bytes of a small one.
const SMALL_BYTES: usize = 64;
/// Bytes of the headers before a datagram.
const HEADER_BYTES: usize = 28;
/// Packets that are under way at most: fewer than the device of the sender holds.
const WINDOW: u64 = 3_000;
/// Bytes that the receiver's socket holds.
const RECEIVE_BUFFER: usize = 64 << 20;
/// Nobody waits longer for a packet.
const PATIENCE: Duration = Duration::from_secs(20);
/// Packets that a delay is measured with, and time between them, where they are alone.
const ALONE: (u64, Duration) = (300, Duration::from_millis(5));
/// Rate of the link whose delay is measured while it carries half of that.
const LOADED_BPS: u64 = 20_000_000;
/// Packets that its delay is measured with.
const LOADED_PACKETS: u64 = 1_000;
/// Packets that jitter is measured with, and time between them: 3 standard errors are about 2 %.
const JITTER: (u64, Duration) = (5_000, Duration::from_micros(500));
/// Delay of the link whose jitter is measured.
const JITTER_DELAY: Duration = Duration::from_millis(20);
/// How much later than others packets come that are reordered.
const REORDER_EXTRA: Duration = Duration::from_millis(5);
/// After so long everything has come.
const SETTLE: Duration = Duration::from_millis(100);

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
    fn new(what: &str, asked: f64, measured: f64, unit: &'static str, packets: u64) -> Check {
        Check { what: what.to_owned(), asked, measured, unit, packets, at_least: false }
    }

    /// By what share the measured is off; nothing where more is as good.
    pub fn error(&self) -> Option<f64> {
        (!self.at_least).then(|| self.measured / self.asked - 1.0)
    }

    /// Whether that is no more than [`ERROR_MAX`], or the measured no less than what was asked.
    pub fn holds(&self) -> bool {
        self.error().map_or(self.measured >= self.asked, |error| error.abs() <= ERROR_MAX)
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
    Ok(Check::new("rate", bps as f64 / 1e6, measured / 1e6, "Mbit/s", packets))
}

/// Full packets over a link without a rate, as fast as the emulator carries them.
///
/// # Errors
/// See [`CheckError`].
pub fn capacity(seed: u64, asked_bps: u64, count: u64) -> Result<Check, CheckError> {
    let (packets, time) = stream(seed, &Link::new(), FULL_BYTES, count)?.between();
    let measured = packets as f64 * FULL_BYTES as f64 * 8.0 / time.as_secs_f64();
    let (asked, measured) = (asked_bps as f64 / 1e6, measured / 1e6);
    Ok(Check { at_least: true, ..Check::new("capacity", asked, measured, "Mbit/s", packets) })
}

/// Small packets over a link that loses some.
///
/// # Errors
/// See [`CheckError`].
pub fn loss(seed: u64, share: f64, count: u64) -> Result<Check, CheckError> {
    let came = stream(seed, &Link::new().loss(Loss::Independent(share)), SMALL_BYTES, count)?;
    let measured = 1.0 - came.times.len() as f64 / came.sent as f64;
    Ok(Check::new("loss", share * 100.0, measured * 100.0, "%", came.sent))
}

/// Small packets over a link that doubles some.
///
/// # Errors
/// See [`CheckError`].
pub fn duplication(seed: u64, share: f64, count: u64) -> Result<Check, CheckError> {
    let came = stream(seed, &Link::new().duplicate(share), SMALL_BYTES, count)?;
    let measured = came.times.len() as f64 / came.sent as f64 - 1.0;
    Ok(Check::new("duplication", share * 100.0, measured * 100.0, "%", came.sent))
}

/// Small packets over a link that keeps some back: those that come after one that was sent later (RFC 4737, section 3).
///
/// # Errors
/// See [`CheckError`].
pub fn reordering(seed: u64, share: f64, count: u64) -> Result<Check, CheckError> {
    let came = stream(seed, &Link::new().reorder(share, REORDER_EXTRA), SMALL_BYTES, count)?;
    let measured = came.overtaken as f64 / came.sent as f64;
    Ok(Check::new("reordering", share * 100.0, measured * 100.0, "%", came.sent))
}

/// Single packets, some time apart: the median of the time from when the kernel has them for the device at one end
/// until it has them of the device at the other. What system calls and sleeping programs take is theirs, as on any
/// host.
///
/// # Errors
/// See [`CheckError`].
pub fn delay(seed: u64, delay: Duration) -> Result<Check, CheckError> {
    let (count, step) = ALONE;
    let times = paced(seed, &Link::new().delay(delay), SMALL_BYTES, count, step)?;
    Ok(Check::new("delay", ms(delay), ms(median(times)), "ms", count))
}

/// The same of full packets that follow each other on a link of 20 Mbit/s and take half of it; the time that the link
/// takes to send one is part of what is asked for.
///
/// # Errors
/// See [`CheckError`].
pub fn delay_loaded(seed: u64, delay: Duration) -> Result<Check, CheckError> {
    let sending = Duration::from_secs(FULL_BYTES as u64 * 8) / LOADED_BPS as u32;
    let link = Link::new().rate(LOADED_BPS).delay(delay);
    let times = paced(seed, &link, FULL_BYTES, LOADED_PACKETS, 2 * sending)?;
    Ok(Check::new("delay, half loaded", ms(delay + sending), ms(median(times)), "ms", LOADED_PACKETS))
}

/// Packets over a link with jitter: how far from the middle the outermost are, of evenly spread delays with the
/// standard deviation that is measured.
///
/// # Errors
/// See [`CheckError`].
pub fn jitter(seed: u64, jitter: Duration) -> Result<Check, CheckError> {
    let (count, step) = JITTER;
    let link = Link::new().delay(JITTER_DELAY).jitter_reordering(jitter);
    let times: Vec<f64> = paced(seed, &link, SMALL_BYTES, count, step)?.into_iter().map(ms).collect();
    let mean = times.iter().sum::<f64>() / count as f64;
    let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / count as f64;
    Ok(Check::new("jitter", ms(jitter), (3.0 * variance).sqrt(), "ms", count))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Packets at even steps of time, without loss: how long each was under way, by the clock of the kernel.
fn paced(seed: u64, link: &Link, bytes: usize, count: u64, step: Duration) -> Result<Vec<Duration>, CheckError> {
    let network = Network::start(&Topology::pair(seed, link), &Names::Private)?;
    let (sender, receiver) = sockets(&network)?;
    let mut stamps = network.run(0, || Stamps::open("link0"))??;
    setsockopt(&receiver, sockopt::ReceiveTimestampns, &true).map_err(io::Error::from)?;
    let (sent, came) = std::thread::scope(|scope| {
        let sending = scope.spawn(|| -> io::Result<Vec<Duration>> {
            let _ = system::run_first(1);
            let mut packet = vec![0; bytes - HEADER_BYTES];
            let (origin, mut sent) = (Origin::now(), Vec::with_capacity(count as usize));
            for number in 0..count {
                origin.rest_until(step * number as u32);
                packet[..8].copy_from_slice(&number.to_le_bytes());
                sender.send(&packet)?;
                sent.push(stamps.came()?);
            }
            Ok(sent)
        });
        let mut control = nix::cmsg_space!(nix::sys::time::TimeSpec);
        let mut number = [0; 8];
        let mut arrival = || -> io::Result<(u64, Duration)> {
            let time = stamps::next(&receiver, &mut number, &mut control, MsgFlags::empty())?;
            Ok((u64::from_le_bytes(number), time))
        };
        let came = (0..count).map(|_| arrival()).collect::<io::Result<Vec<_>>>();
        let sent = sending.join().unwrap_or_else(|_| Err(io::Error::other("the sender panicked")))?;
        Ok::<_, io::Error>((sent, came?))
    })?;
    let under_way = |(number, came): (u64, Duration)| Some(came.saturating_sub(*sent.get(number as usize)?));
    Ok(came.into_iter().filter_map(under_way).collect())
}

/// What came of a stream of packets.
struct Came {
    sent: u64,
    times: Vec<Instant>,
    /// How many came after one that was sent later.
    overtaken: u64,
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
    let (times, overtaken) = std::thread::scope(|scope| {
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
                    clock::pause(Duration::from_micros(500));
                }
                packet[..8].copy_from_slice(&number.to_le_bytes());
                sender.send(&packet)?;
            }
            // The last ones, for a link that loses some, and when none that counts is under way any more.
            clock::pause(SETTLE);
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
        received.and_then(|came| sent.map(|()| came))
    })?;
    match network.unseen().first() {
        Some(0) | None => Ok(Came { sent: count, times, overtaken }),
        Some(unseen) => Err(CheckError::Unseen(*unseen)),
    }
}

/// The times at which packets came, until one came that is none of the `count`, and how many came after one that was
/// sent later.
fn receive(socket: &UdpSocket, count: u64, reached: &AtomicU64) -> io::Result<(Vec<Instant>, u64)> {
    let (mut times, mut overtaken, mut next) = (Vec::with_capacity(count as usize), 0, 0);
    let mut packet = [0; FULL_BYTES];
    loop {
        socket.recv(&mut packet)?;
        let mut number = [0; 8];
        number.copy_from_slice(&packet[..8]);
        let number = u64::from_le_bytes(number);
        if number >= count {
            return Ok((times, overtaken));
        }
        times.push(clock::now());
        overtaken += u64::from(number < next);
        next = next.max(number + 1);
        reached.store(next, Ordering::Relaxed);
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
