//! The thread that carries packets between devices.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use tng_base::Instant;
use tng_sim::{Carrier, LaneStats, Link, LiveLane, Nat, QueueLook};

use crate::clock::Clock;
use crate::lateness::Lateness;
use crate::plan::{Crossing, Topology, TopologyNode};
use crate::stamps::Stamps;
use crate::waking::Waking;
use crate::{ip, system};

/// Largest packet that is read from a device: the largest that IP has.
pub const PACKET_MAX: usize = 65_535;
/// Packets that are read from one device before the others have their turn.
pub const READ_BATCH: usize = 32;
/// Packets of a batch whose times the kernel is asked for.
const STAMPED_BATCH: usize = 8;
/// The emulator looks around at least so often.
const REST_MAX: Duration = Duration::from_secs(1);

/// Before threads that measure links, too.
const PRIORITY: i32 = 2;
/// Packets that are due within so long of each other leave together, when there is no allowance to wait awake.
const GATHER: Duration = Duration::from_micros(30);

/// What one direction of a link has done.
#[derive(Clone, Debug)]
pub struct LaneFigures {
    /// Its parameters now.
    pub link: Link,
    /// What it has seen.
    pub stats: LaneStats,
    /// What waits in its queue, and most since somebody asked last.
    pub queue: QueueLook,
    /// How late its packets were written.
    pub lateness: Lateness,
    /// Packets that the far device, or a NAT at either end, did not take.
    pub refused: u64,
    /// How long the far end's kernel had to do with packets while they were written: what they make it do comes first,
    /// such as answering acknowledgments with further segments.
    pub writing: Duration,
}

enum Command {
    Change(usize, Box<Link>),
    Carry(usize, Carrier),
    Tell(mpsc::Sender<Vec<LaneFigures>>),
    Stop,
}

/// One end of a link.
#[derive(Debug)]
pub(crate) struct Device {
    tun: File,
    stamps: Option<Stamps>,
    /// There may be stamps of packets that were read without them.
    stale: bool,
}

impl Device {
    pub(crate) fn new(tun: File, stamps: Option<Stamps>) -> Device {
        Device { tun, stamps, stale: false }
    }

    /// Reads the next packet, if there is one: its length, and how long ago it came.
    ///
    /// Asking the kernel when costs as much as reading. It matters for packets that have woken the emulator; where they
    /// are many (`wakes` is false), it reads them as they come. A stamp may be missing, but never belongs to an earlier
    /// packet, so no packet is taken for older than it is.
    fn read(&mut self, wakes: bool, packet: &mut [u8]) -> Option<(usize, Duration)> {
        let Ok(len) = (&self.tun).read(packet) else {
            if self.stale {
                self.stamps.iter_mut().for_each(Stamps::forget);
                self.stale = false;
            }
            return None;
        };
        let stamps = self.stamps.as_mut().filter(|_| wakes && !self.stale);
        let age = stamps.and_then(Stamps::age);
        self.stale |= age.is_none();
        Some((len, age.unwrap_or_default()))
    }
}

/// A running emulator; it stops when dropped, and its devices are gone then.
#[derive(Debug)]
pub struct Emulator {
    commands: mpsc::Sender<Command>,
    waker: PipeWriter,
    thread: Option<JoinHandle<()>>,
    first: bool,
}

impl Emulator {
    /// Starts to carry packets: what is read from device `n` goes through lane number `n` of the topology and is
    /// written to device `n ^ 1`.
    ///
    /// # Errors
    /// The system has no more threads or pipes.
    pub(crate) fn start(topology: &Topology, devices: Vec<Device>) -> io::Result<Emulator> {
        debug_assert_eq!(topology.lanes().count(), devices.len());
        let topology = topology.clone();
        let (commands, inbox) = mpsc::channel();
        let (wakened, waker) = io::pipe()?;
        let (ready, started) = mpsc::channel();
        let thread = std::thread::Builder::new().name("emulator".to_owned()).spawn(move || {
            // Without it the kernel rounds every wake-up up by 50 microseconds.
            let _ = nix::sys::prctl::set_timerslack(1);
            let _ = ready.send(system::run_first(PRIORITY).is_ok());
            carry(&topology, devices, &inbox, wakened);
        })?;
        let first = started.recv().unwrap_or(false);
        Ok(Emulator { commands, waker, thread: Some(thread), first })
    }

    /// Whether it runs before all ordinary threads of this machine; without that its packets are later.
    pub fn runs_first(&self) -> bool {
        self.first
    }

    /// Changes the parameters of a lane; see [`tng_sim::World::change`].
    pub fn change(&self, lane: usize, link: Link) {
        self.tell(Command::Change(lane, Box::new(link)));
    }

    /// Changes whether a lane carries anything.
    pub fn set_carrier(&self, lane: usize, carrier: Carrier) {
        self.tell(Command::Carry(lane, carrier));
    }

    /// What each lane has done so far.
    pub fn figures(&self) -> Vec<LaneFigures> {
        let (sender, figures) = mpsc::channel();
        self.tell(Command::Tell(sender));
        // It answers unless it has panicked, and then there is nothing to tell.
        figures.recv().unwrap_or_default()
    }

    fn tell(&self, command: Command) {
        let _ = self.commands.send(command);
        let _ = (&self.waker).write(&[0]);
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.tell(Command::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Lane {
    lane: LiveLane,
    crossing: Crossing,
    lateness: Lateness,
    refused: u64,
    writing: Duration,
}

impl Lane {
    /// Writes what is due at the far end, as far as a NAT there lets it in.
    fn release(&mut self, until: Instant, clock: Clock, far: &File, nats: &mut Nats, scratch: &mut [u8]) {
        let Lane { lane, crossing, lateness, refused, writing } = self;
        let mut nat = crossing.enters.and_then(|place| nats.get_mut(&place));
        lane.advance(until, |due, ecn, packet| {
            let before = clock.now();
            let marked = ip::ecn(packet).is_some_and(|before| before != ecn);
            let written = if marked || nat.is_some() {
                let changed = &mut scratch[..packet.len()];
                changed.copy_from_slice(packet);
                if marked {
                    ip::set_ecn(changed, ecn);
                }
                match nat.as_mut().is_none_or(|nat| ip::enter(nat, due, changed)) {
                    true => (&mut &*far).write(changed),
                    false => Err(io::ErrorKind::PermissionDenied.into()),
                }
            } else {
                (&mut &*far).write(packet)
            };
            let after = clock.now();
            *writing += after.since(before);
            match written {
                Ok(_) => lateness.count(after.since(due)),
                Err(_) => *refused += 1,
            }
        });
    }
}

/// By the place of their nodes.
type Nats = BTreeMap<usize, Nat>;

/// What a NAT draws its ports from, above what links draw from.
const NAT_LOTS: u64 = 0x4e << 56;

/// The lanes at work.
struct Carrying {
    clock: Clock,
    /// By number of the lane.
    lanes: Vec<Lane>,
    /// By number of the lane that leaves there.
    devices: Vec<Device>,
    nats: Nats,
    scratch: Box<[u8]>,
}

/// Carries packets until told to stop, or until a device is gone.
fn carry(topology: &Topology, devices: Vec<Device>, inbox: &mpsc::Receiver<Command>, mut wakened: PipeReader) {
    let lane = |(number, (link, crossing)): (usize, (&Link, Crossing))| Lane {
        lane: LiveLane::new(topology.seed, number, link.clone()),
        crossing,
        lateness: Lateness::default(),
        refused: 0,
        writing: Duration::ZERO,
    };
    let lanes = topology.lanes().zip(topology.crossings()).enumerate().map(lane).collect();
    let nat = |(place, node): (usize, &TopologyNode)| {
        let rng = tng_sim::fork(topology.seed, NAT_LOTS | place as u64);
        Some((place, Nat::new(node.nat.as_ref()?.config.clone(), rng)))
    };
    let nats = topology.nodes.iter().enumerate().filter_map(nat).collect();
    let scratch = vec![0; PACKET_MAX].into_boxed_slice();
    let mut carrying = Carrying { clock: Clock::start(), lanes, devices, nats, scratch };
    let mut packet = vec![0; PACKET_MAX];
    let tuns: io::Result<Vec<File>> = carrying.devices.iter().map(|device| device.tun.try_clone()).collect();
    let (Ok(tuns), Ok(wakening)) = (tuns, wakened.try_clone()) else { return };
    let watched = tuns.iter().map(|tun| tun.as_fd()).chain([wakening.as_fd()]);
    let mut watched: Vec<PollFd<'_>> = watched.map(|file| PollFd::new(file, PollFlags::POLLIN)).collect();
    let mut waking = Waking::new(carrying.clock.now());
    loop {
        let now = carrying.clock.now();
        let rest = carrying.rest(now);
        let sleep = waking.sleep(now, rest).unwrap_or(GATHER.max(rest));
        match ppoll(&mut watched, Some(TimeSpec::from_duration(sleep)), None) {
            Ok(0) if !sleep.is_zero() => waking.woke(carrying.clock.now().since(now + sleep)),
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(_) => return,
        }
        for (number, _) in watched.iter().enumerate().filter(|(_, file)| file.any().unwrap_or(false)) {
            if number < tuns.len() {
                carrying.take(number, &mut packet);
                continue;
            }
            let _ = wakened.read(&mut [0; 64]);
            while let Ok(command) = inbox.try_recv() {
                if !carrying.obey(command) {
                    return;
                }
            }
        }
        carrying.release_all();
    }
}

impl Carrying {
    /// Writes what is due by then.
    fn release(&mut self, number: usize, until: Instant) {
        let Carrying { clock, lanes, devices, nats, scratch } = self;
        lanes[number].release(until, *clock, &devices[number ^ 1].tun, nats, scratch);
    }

    fn release_all(&mut self) {
        (0..self.lanes.len()).for_each(|number| self.release(number, self.clock.now()));
    }

    /// How long there is nothing to do by itself.
    fn rest(&self, now: Instant) -> Duration {
        let next = self.lanes.iter().filter_map(|lane| lane.lane.next()).min().unwrap_or(Instant::FAR_FUTURE);
        next.since(now).min(REST_MAX)
    }

    /// Reads what a device has.
    fn take(&mut self, number: usize, packet: &mut [u8]) {
        for place in 0..READ_BATCH {
            let Some((len, age)) = self.devices[number].read(place < STAMPED_BATCH, packet) else { return };
            let packet = &mut packet[..len];
            let Some(ecn) = ip::ecn(packet).filter(|_| !ip::is_local_multicast(packet)) else { continue };
            let now = self.clock.now();
            let came = Instant::from_nanos(now.as_nanos().saturating_sub(age.as_nanos() as u64));
            // What the lane did before the packet came.
            self.release(number, came);
            let Carrying { lanes, nats, .. } = self;
            let lane = &mut lanes[number];
            let nat = lane.crossing.leaves.and_then(|place| nats.get_mut(&place));
            match nat.is_none_or(|nat| ip::leave(nat, came, packet)) {
                true => lane.lane.offer(came, ecn, packet),
                false => lane.refused += 1,
            }
        }
    }

    /// Does what it is told: whether it should go on.
    fn obey(&mut self, command: Command) -> bool {
        self.release_all();
        let now = self.clock.now();
        match command {
            Command::Change(number, link) => self.lanes[number].lane.change(now, *link),
            Command::Carry(number, carrier) => self.lanes[number].lane.set_carrier(now, carrier),
            Command::Tell(to) => {
                let figures = self.lanes.iter_mut().map(|lane| LaneFigures {
                    link: lane.lane.link().clone(),
                    stats: lane.lane.stats(),
                    queue: lane.lane.look(),
                    lateness: lane.lateness.clone(),
                    refused: lane.refused,
                    writing: lane.writing,
                });
                let _ = to.send(figures.collect());
            }
            Command::Stop => return false,
        }
        true
    }
}
