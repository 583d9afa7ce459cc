//! Transfers by machines of the lab whose streams are bytes and an end, on the sockets of the system.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tng::Shared;
use tng_base::{Instant, Rng};
use tng_emulator::Network;
use tng_emulator::transfer::{Amount, Origin, Span, Tally, Transfer, TransferFigures};
use tng_sim::App;
use tokio::runtime::Runtime;

use super::machine::{Stage, Staged, drive};
use super::{Made, Ready, RealError, Row};
use crate::engine::plain::scripted::Scripted;
use crate::peers::quic::{Config, Controller, Host};
use crate::peers::transport::quic::{PORT, Quic};
use crate::peers::transport::{Event, News, OpenError, Read, tell};
use crate::settings::Settings;

/// Bytes that are written and read at once.
const CHUNK: usize = 128 * 1024;
/// How often it is looked whether all has been read.
const LOOK: Duration = Duration::from_millis(1);
/// What each stream begins with: the number of its transfer.
const NUMBER_LEN: usize = 4;
/// Streams that a peer may have at once: as many as there may be transfers, and more.
const STREAMS_MAX: u32 = 1_000;

/// QUIC, as quinn has it.
pub(super) static QUIC: Row = Row { name: "quic", ready: quic, tell };

/// What a host is with a controller of this name.
fn config(controller: &str) -> Result<Config, RealError> {
    let controller: Controller = controller.parse().map_err(|error| RealError::Host(format!("{error}")))?;
    Ok(Config { controller, streams_max: STREAMS_MAX, ..Config::default() })
}

fn tell(settings: &mut Settings, part: &str, controller: &str) {
    config(controller).iter().for_each(|config| tell::quic(settings, part, config));
}

fn quic(network: &Network, transfers: Vec<Transfer>) -> Made {
    let mut rng = Rng::from_u64(network.topology().seed);
    Machines::start(network, transfers, PORT, |controller| {
        let controller = controller.unwrap_or(Controller::DEFAULT.name());
        let mut host = Host::new(&config(controller)?, rng.fork());
        host.listen();
        Ok((Quic::new(host), controller.to_owned()))
    })
}

type Seat<T> = Arc<Shared<Stage<T, Bulk<T>>>>;

/// Machines that are ready, each on its node, and what they are to transfer.
struct Machines<T: Scripted + Send + 'static>
where
    T::Stream: Send,
{
    runtime: Runtime,
    /// By node, with the name of the controller.
    seats: BTreeMap<usize, (Seat<T>, String)>,
    transfers: Vec<Transfer>,
}

impl<T: Scripted + Send + 'static> Machines<T>
where
    T::Stream: Send,
{
    /// A machine on every node that transfers need; `make` is told the controller that they name there.
    fn start(
        network: &Network,
        transfers: Vec<Transfer>,
        port: u16,
        mut make: impl FnMut(Option<&str>) -> Result<(T, String), RealError>,
    ) -> Made {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build().map_err(RealError::System)?;
        let mut seats = BTreeMap::new();
        for node in transfers.iter().flat_map(|transfer| [transfer.from, transfer.to]) {
            let Entry::Vacant(seat) = seats.entry(node) else { continue };
            let named = transfers.iter().filter(|transfer| transfer.from == node);
            let (machine, controller) = make(named.filter_map(|transfer| transfer.controller.as_deref()).next())?;
            let staged = Staged::new(machine, Bulk::default());
            seat.insert((drive(network, &runtime, (node, port), staged)?, controller));
        }
        Ok(Box::new(Machines { runtime, seats, transfers }))
    }
}

impl<T: Scripted + Send + 'static> Ready for Machines<T>
where
    T::Stream: Send,
{
    fn run(self: Box<Self>, network: &Network, origin: Origin, span: Span) -> Vec<TransferFigures> {
        let Machines { runtime, seats, transfers } = *self;
        let tally = |transfer: &Transfer| Mutex::new(Tally::new(origin, span, transfer.start));
        let tallies: Tallies = Arc::new(transfers.iter().map(tally).collect());
        let address = |node: usize| network.topology().nodes[node].addresses[0];
        for (node, (seat, _)) in &seats {
            let mut seat = seat.lock();
            let now = seat.now();
            let app = &mut seat.0.app;
            app.tallies = Arc::clone(&tallies);
            let own = transfers.iter().enumerate().filter(|(_, transfer)| transfer.from == *node);
            app.outgoing = own
                .map(|(number, transfer)| {
                    let at = |time: Duration| now + origin.until(time);
                    Outgoing::new(number, address(transfer.to), transfer, at)
                })
                .collect();
            seat.wake_driver();
        }
        let failure = |number: usize| {
            let seat = seats[&transfers[number].from].0.lock();
            seat.0.app.outgoing.iter().find(|one| one.number == number).and_then(|one| one.failure.clone())
        };
        let open = |number: usize| !lock(&tallies[number]).has_ended() && failure(number).is_none();
        while (0..transfers.len()).any(open) && !origin.until(span.limit).is_zero() {
            origin.rest_until(origin.elapsed() + LOOK);
        }
        let figures = transfers.iter().enumerate().map(|(number, transfer)| {
            let (seat, controller) = &seats[&transfer.from];
            let seat = seat.lock();
            let own = seat.0.app.outgoing.iter().find(|one| one.number == number);
            let rtt = own.and_then(|own| own.stream).and_then(|stream| Scripted::rtt(&seat.0.machine, stream));
            let us = |time: Duration| time.as_nanos() as f64 / 1e3;
            let figures = lock(&tallies[number]).figures();
            TransferFigures {
                controller: controller.clone(),
                rtt_smoothed_us: rtt.map(|rtt| us(rtt.smoothed)),
                rtt_min_us: rtt.map(|rtt| us(rtt.min)),
                failure: own.and_then(|own| own.failure.clone()),
                ..figures
            }
        });
        let figures = figures.collect();
        runtime.shutdown_background();
        figures
    }
}

/// What receivers have, by number of the transfer.
type Tallies = Arc<Vec<Mutex<Tally>>>;

/// Nobody panics while counting.
fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A transfer that leaves here.
struct Outgoing<S> {
    number: usize,
    to: IpAddr,
    start: Instant,
    /// When it is cut off, if by time.
    until: Option<Instant>,
    /// Bytes left to be written, the number included.
    left: u64,
    /// Of the number.
    unnumbered: usize,
    stream: Option<S>,
    finished: bool,
    failure: Option<String>,
}

impl<S> Outgoing<S> {
    fn new(number: usize, to: IpAddr, transfer: &Transfer, at: impl Fn(Duration) -> Instant) -> Outgoing<S> {
        let (left, until) = match transfer.amount {
            Amount::Bytes(bytes) => (bytes + NUMBER_LEN as u64, None),
            Amount::For(time) => (u64::MAX, Some(at(transfer.start + time))),
            Amount::Forever => (u64::MAX, None),
        };
        let start = at(transfer.start);
        Outgoing {
            number,
            to,
            start,
            until,
            left,
            unnumbered: NUMBER_LEN,
            stream: None,
            finished: false,
            failure: None,
        }
    }
}

/// A transfer that arrives here.
#[derive(Default)]
struct Arriving {
    number: [u8; NUMBER_LEN],
    have: usize,
}

/// Opens streams when their time has come, writes, and counts what comes.
struct Bulk<T: Scripted> {
    outgoing: Vec<Outgoing<T::Stream>>,
    arriving: BTreeMap<T::Stream, Arriving>,
    tallies: Tallies,
    chunk: Vec<u8>,
}

impl<T: Scripted> Default for Bulk<T> {
    fn default() -> Bulk<T> {
        let (tallies, chunk) = (Tallies::default(), vec![0x5a; CHUNK]);
        Bulk { outgoing: Vec::new(), arriving: BTreeMap::new(), tallies, chunk }
    }
}

impl<T: Scripted> Bulk<T> {
    /// Reads what there is.
    fn read(&mut self, machine: &mut T, stream: T::Stream) {
        let arriving = self.arriving.entry(stream).or_default();
        let mut room = vec![0; CHUNK];
        loop {
            match machine.read(stream, &mut room) {
                Read::Bytes(len) => {
                    let numbered = (NUMBER_LEN - arriving.have).min(len);
                    arriving.number[arriving.have..arriving.have + numbered].copy_from_slice(&room[..numbered]);
                    arriving.have += numbered;
                    if let Some(tally) = self.tallies.get(u32::from_le_bytes(arriving.number) as usize)
                        && arriving.have == NUMBER_LEN
                    {
                        lock(tally).count(len - numbered);
                    }
                }
                Read::Finished => {
                    if let Some(tally) = self.tallies.get(u32::from_le_bytes(arriving.number) as usize)
                        && arriving.have == NUMBER_LEN
                        && !lock(tally).has_ended()
                    {
                        lock(tally).end();
                    }
                    return;
                }
                Read::Blocked | Read::Reset(_) | Read::Gone => return,
            }
        }
    }
}

impl<T: Scripted> App<T> for Bulk<T> {
    fn handle_event(&mut self, _: Instant, machine: &mut T, event: T::Event) {
        let mut heard = Vec::new();
        machine.hear(event, &mut heard);
        for event in heard {
            match event {
                Event::Stream(stream, News::Incoming | News::Readable) => self.read(machine, stream),
                Event::Stream(stream, News::Stopped(code)) => {
                    for one in self.outgoing.iter_mut().filter(|one| one.stream == Some(stream)) {
                        one.failure = Some(format!("the receiver gave it up with code {code}"));
                    }
                }
                Event::Lost { carrier, peer, how, .. } => {
                    let lost = |one: &&mut Outgoing<T::Stream>| match one.stream {
                        Some(stream) => T::carrier(stream) == carrier,
                        None => Some(one.to) == peer,
                    };
                    self.outgoing.iter_mut().filter(lost).for_each(|one| one.failure = Some(how.clone()));
                }
                // What can be written or opened is, whenever the machine has been polled.
                Event::Stream(..) | Event::Ready | Event::Datagrams(_) => {}
            }
        }
    }

    fn poll(&mut self, now: Instant, machine: &mut T) -> Option<Instant> {
        let mut wanted = None;
        let mut want = |at: Instant| wanted = Some(wanted.map_or(at, |other: Instant| other.min(at)));
        for one in self.outgoing.iter_mut().filter(|one| !one.finished && one.failure.is_none()) {
            if one.start > now {
                want(one.start);
                continue;
            }
            if one.stream.is_none() {
                match machine.open(now, one.to, None) {
                    Ok(stream) => one.stream = Some(stream),
                    Err(OpenError::Later) => continue,
                    Err(OpenError::Refused(why)) => {
                        one.failure = Some(why);
                        continue;
                    }
                }
            }
            let Some(stream) = one.stream else { continue };
            let over = one.until.is_some_and(|until| until <= now);
            while one.left > 0 && (!over || one.unnumbered > 0) {
                let number = (one.number as u32).to_le_bytes();
                let most = self.chunk.len().min(usize::try_from(one.left).unwrap_or(usize::MAX));
                let bytes = match one.unnumbered {
                    0 => &self.chunk[..most],
                    left => &number[NUMBER_LEN - left..],
                };
                let written = machine.write(stream, bytes);
                one.unnumbered -= written.min(one.unnumbered);
                one.left -= written as u64;
                if written == 0 {
                    break;
                }
            }
            if one.left == 0 || over && one.unnumbered == 0 {
                machine.finish(stream);
                one.finished = true;
            } else if let Some(until) = one.until {
                want(until);
            }
        }
        wanted
    }
}
