//! Two ends in real time: one sends to the other, each driven on a thread of its own, and what that costs is counted.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::time::Duration;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Instant as Wall;

use serde_json::{Value, json};
use tng::{Driver, Shared, Socket, UdpSocket};
use tng_base::{Input, Instant, Machine, Output, Rng};
use tng_emulator::{Names, Network, NetworkError, Topology};
use tng_semantic::structured::ServiceOptions;
use tng_sim::{App, Link, PORT};
use tng_stack::{Access, Host, HostConfig, Identity};
use tng_stp_host::{Around, Callback, Cap, Code, Fault, Instance};

use crate::lab::RunError;
use crate::peers::guests::{Guest, GuestRun, Ran};
use crate::peers::transport::sst::{Connections, SERVICE, Sst};
use crate::peers::transport::stp::Stp;
use crate::peers::transport::{Event, News, OpenError, Read, Transport, choice, tell};
use crate::real::{Stage, Staged};
use crate::settings::{Configured, Settings};

/// The columns: what carries the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// tng's own streams, with newreno: neither border nor policer, and another source.
    Streams,
    /// NewReno in these ways.
    NewReno(Ran),
    /// Other code, as it is.
    Given(Guest),
}

impl Column {
    /// All of them.
    pub const ALL: [Column; 4] =
        [Column::Streams, Column::NewReno(Ran::Free), Column::NewReno(Ran::Policed), Column::NewReno(Ran::Module)];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Column::Streams => "streams",
            Column::NewReno(Ran::Free) => "native",
            Column::NewReno(Ran::Policed) => "policed",
            Column::NewReno(Ran::Trusting) => "trusting",
            Column::NewReno(Ran::Module) => "guest",
            Column::Given(guest) => guest.name(),
        }
    }
}

/// What each column is, for a page.
pub const COLUMNS: &str = "Streams: tng's own structured streams with newreno, neither border nor policer, and \
     another source. Native: the guest's source compiled in; it sends whenever it likes, but its calls go by the \
     border, and its segments are numbered, entered in the books and proven, so that the ends understand each other. \
     Policed: the same, and the policer decides when a segment leaves. Guest: the same source as a module in the \
     sandbox, behind all of that. All are sealed, and go by the same host, driver and system calls. Packets are as \
     large as the path allows.";

/// Where the two are.
#[derive(Clone, PartialEq, Debug)]
pub enum Way {
    /// On the loopback interface.
    Loopback,
    /// At the ends of a link of the emulator's.
    Emulated(Box<Link>),
}

/// Two ends, and what they do.
#[derive(Clone, Debug)]
pub struct Ends {
    /// Of identities and secrets.
    pub seed: u64,
    /// What carries the bytes.
    pub column: Column,
    /// Bytes of a UDP datagram, at most.
    pub packet: usize,
    /// Bits per second that the application writes; all that is taken if `None`.
    pub rate_bps: Option<u64>,
    /// Where.
    pub way: Way,
    /// Left out at the beginning, and then measured.
    pub settle: Duration,
    /// The same.
    pub time: Duration,
    /// Whether calls are timed, which takes time itself.
    pub timed: bool,
}

/// What one end has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Of the processor: the thread of this end, its work in the kernel included.
    pub cpu_ns: u64,
    /// In the host's `handle_input`, and datagrams that it took.
    pub input_ns: u64,
    /// Datagrams that it took.
    pub packets_in: u64,
    /// In its `poll_output`, where guests are called.
    pub output_ns: u64,
    /// Datagrams that it wrote.
    pub packets_out: u64,
    /// In the guest's callbacks, the host's work for it included.
    pub callbacks_ns: u64,
    /// How many there were.
    pub callbacks: u64,
    /// Of the processor, by all processes that this one has started; the sender's end alone tells.
    pub apart_ns: u64,
}

impl Spent {
    fn since(self, before: Spent) -> Spent {
        Spent {
            cpu_ns: self.cpu_ns - before.cpu_ns,
            input_ns: self.input_ns - before.input_ns,
            packets_in: self.packets_in - before.packets_in,
            output_ns: self.output_ns - before.output_ns,
            packets_out: self.packets_out - before.packets_out,
            callbacks_ns: self.callbacks_ns - before.callbacks_ns,
            callbacks: self.callbacks - before.callbacks,
            apart_ns: self.apart_ns.saturating_sub(before.apart_ns),
        }
    }

    /// Nanoseconds of a datagram's input.
    pub fn input(&self) -> f64 {
        self.input_ns as f64 / self.packets_in as f64
    }

    /// Nanoseconds of a datagram's output.
    pub fn output(&self) -> f64 {
        self.output_ns as f64 / self.packets_out as f64
    }
}

/// What came of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paced {
    /// Bits per second that the receiver read.
    pub rate_bps: f64,
    /// Bytes that it read.
    pub bytes: u64,
    /// What the sender has spent.
    pub sender: Spent,
    /// What the receiver has spent.
    pub receiver: Spent,
}

impl Configured for Ends {
    fn tell(&self, settings: &mut Settings) {
        match &self.way {
            Way::Loopback => settings.set("path", "kind", "the loopback interface"),
            Way::Emulated(link) => tell::link(settings, "path", link),
        }
        for (side, access) in [("sender", Access::Nobody), ("receiver", Access::Public)] {
            tell::host(settings, side, &self.host(access));
        }
        if let Some(run) = self.run() {
            tell::guest(settings, &format!("guest, {}", run.name()), &run);
        }
        let rate = self.rate_bps.map_or("all that is taken".to_owned(), |rate| format!("{rate} bit/s"));
        settings.set("application", "writes", rate);
        settings.set("application", "a thread at each end, calls timed", self.timed);
    }
}

impl Ends {
    fn run(&self) -> Option<GuestRun> {
        match self.column {
            Column::Streams => None,
            // The larger cap, so that on a fast path the policer is in the way of nobody who does as TCP does.
            Column::NewReno(ran) => Some(GuestRun { guest: Guest::NewReno, ran, cap: Cap::EquationOrCubic }),
            Column::Given(guest) => Some(GuestRun { guest, ran: Ran::Module, cap: Cap::EquationOrCubic }),
        }
    }

    fn host(&self, access: Access) -> HostConfig {
        let mut config = HostConfig { controller: choice("newreno"), ..HostConfig::new(access) };
        config.mtu.payload_max = self.packet;
        config
    }

    /// Runs it.
    ///
    /// # Errors
    /// If there can be no sockets or network here, or the connection ends.
    pub fn measure(&self) -> Result<Paced, RunError> {
        let network = match &self.way {
            Way::Loopback => None,
            Way::Emulated(link) => Some(Network::start(&Topology::pair(self.seed, link), &Names::Private).map_err(
                |error| match error {
                    NetworkError::NotRoot => RunError::Denied(error.to_string()),
                    error => RunError::Environment {
                        problem: error.to_string(),
                        remedy: "on Linux with /dev/net/tun and iproute2".to_owned(),
                    },
                },
            )?),
        };
        let to = match &network {
            None => IpAddr::V4(Ipv4Addr::new(127, 0, 0, 77)),
            Some(network) => network.topology().nodes[1].addresses[0],
        };
        let from =
            network.as_ref().map_or(Ipv4Addr::LOCALHOST.into(), |network| network.topology().nodes[0].addresses[0]);
        let places = Places { network: network.as_ref(), from, to };
        let mut rng = Rng::from_u64(self.seed);
        let [caller, called] = [0, 1].map(|_| Identity::from_seed(rng.bytes::<32>()));
        let eid = called.eid();
        let sender = Host::new(self.host(Access::Nobody), caller, rng.bytes::<32>());
        let mut receiver = Host::new(self.host(Access::Public), called, rng.bytes::<32>());
        let counts = [0, 1].map(|_| Arc::new(Callbacks::default()));
        match self.run() {
            None => {
                receiver.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
                let [mut sender, receiver] = [sender, receiver].map(|host| Sst::new(host, Connections::Each));
                sender.know(to, eid);
                self.both(&places, [sender, receiver], counts)
            }
            Some(run) => {
                let workshops = [0, 1].map(|_| run.workshop(&mut rng));
                let [of_sender, of_receiver] = [0, 1].map(|side| match self.timed {
                    true => watched(run, &counts[side]),
                    false => run.code(),
                });
                let [sends, receives] = workshops;
                let mut sender = Stp::new(sender, sends, of_sender);
                sender.know(SocketAddr::new(to, PORT), eid);
                let receiver = Stp::new(receiver, receives, of_receiver);
                self.both(&places, [sender, receiver], counts)
            }
        }
    }

    fn both<T>(&self, places: &Places<'_>, hosts: [T; 2], counts: [Arc<Callbacks>; 2]) -> Result<Paced, RunError>
    where
        T: Transport + Send + 'static,
        T::Stream: Send,
        T::Event: Send,
    {
        let (together, [sender, receiver], [by_sender, by_receiver]) = (Barrier::new(2), hosts, counts);
        let flow = |to| Flow::<T> { to, stream: None, rate_bps: self.rate_bps, began: None, bytes: 0, failure: None };
        let to = places.to;
        let (sent, read) = std::thread::scope(|scope| {
            let receiving = {
                let (together, flow) = (&together, flow(None));
                scope.spawn(move || self.end(places, (1, PORT), receiver, flow, &by_receiver, together))
            };
            let sent = self.end(places, (0, 0), sender, flow(Some(to)), &by_sender, &together);
            (sent, receiving.join())
        });
        let read = read.map_err(|_| RunError::broken("the receiver panicked"))??;
        let sent = sent?;
        let rate_bps = read.bytes as f64 * 8.0 / read.took.as_secs_f64();
        Ok(Paced { rate_bps, bytes: read.bytes, sender: sent.spent, receiver: read.spent })
    }

    /// One end, on this thread.
    fn end<T>(
        &self,
        places: &Places<'_>,
        at: (usize, u16),
        host: T,
        flow: Flow<T>,
        callbacks: &Callbacks,
        together: &Barrier,
    ) -> Result<Done, RunError>
    where
        T: Transport + Send + 'static,
        T::Stream: Send,
        T::Event: Send,
    {
        let system = |error: io::Error| RunError::broken(format_args!("the system refuses: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(system);
        let bound = runtime.and_then(|runtime| {
            let socket = places.bind(at, &runtime).map_err(system)?;
            Ok((runtime, socket))
        });
        // An end that cannot begin must not keep the other waiting.
        together.wait();
        let (runtime, socket) = bound?;
        let machine = Timed { inner: host, timed: self.timed, spent: Spent::default() };
        let shared = Arc::new(Shared::new(Stage(Staged::new(machine, flow))));
        let socket: Arc<dyn Socket> = Arc::new(socket);
        runtime.block_on(async {
            runtime.spawn(Driver::new(Arc::clone(&shared), socket));
            let look = || {
                let mut end = shared.lock();
                let (bytes, failure) = (end.0.app.bytes, end.0.app.failure.take());
                let (callbacks_ns, callbacks) = (load(&callbacks.ns), load(&callbacks.count));
                let spent = Spent { callbacks_ns, callbacks, ..end.0.machine.spent };
                match failure {
                    Some(why) => Err(RunError::broken(why)),
                    None => {
                        let apart_ns = if at.0 == 0 { super::process::started_cpu_ns() } else { 0 };
                        Ok((bytes, Spent { cpu_ns: thread_cpu()?, apart_ns, ..spent }))
                    }
                }
            };
            tokio::time::sleep(self.settle).await;
            let (began, (bytes, before)) = (wall(), look()?);
            tokio::time::sleep(self.time).await;
            let (took, (bytes_then, after)) = (began.elapsed(), look()?);
            Ok(Done { bytes: bytes_then - bytes, took, spent: after.since(before) })
        })
    }
}

/// What an end has done.
struct Done {
    bytes: u64,
    took: Duration,
    spent: Spent,
}

#[expect(clippy::disallowed_methods, reason = "measures what calls take in real time")]
pub(super) fn wall() -> Wall {
    Wall::now()
}

fn load(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

/// Nanoseconds of the processor that this thread has had.
fn thread_cpu() -> Result<u64, RunError> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    told.and_then(|told| told.split_whitespace().next()?.parse().ok()).ok_or_else(|| RunError::Environment {
        problem: "/proc/thread-self/schedstat does not say what a thread has had of the processor".to_owned(),
        remedy: "on Linux with CONFIG_SCHED_INFO".to_owned(),
    })
}

/// Where the ends are.
struct Places<'a> {
    network: Option<&'a Network>,
    from: IpAddr,
    to: IpAddr,
}

impl Places<'_> {
    fn bind(&self, (side, port): (usize, u16), runtime: &tokio::runtime::Runtime) -> io::Result<UdpSocket> {
        let bind = || {
            let _inside = runtime.enter();
            UdpSocket::bind(SocketAddr::new(if side == 0 { self.from } else { self.to }, port))
        };
        match self.network {
            None => bind(),
            Some(network) => network.run(side, bind)?,
        }
    }
}

/// What guests were called for.
#[derive(Debug, Default)]
struct Callbacks {
    ns: AtomicU64,
    count: AtomicU64,
}

/// A guest whose callbacks are timed.
fn watched(run: GuestRun, counts: &Arc<Callbacks>) -> Code {
    let counts = Arc::clone(counts);
    run.code().within(move |inner| Watched { inner, counts: Arc::clone(&counts) })
}

#[derive(Debug)]
struct Watched {
    inner: Box<dyn Instance>,
    counts: Arc<Callbacks>,
}

impl Watched {
    fn time(&mut self, call: impl FnOnce(&mut dyn Instance) -> Result<i64, Fault>) -> Result<i64, Fault> {
        let began = wall();
        let answer = call(&mut *self.inner);
        self.counts.ns.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.counts.count.fetch_add(1, Ordering::Relaxed);
        answer
    }
}

impl Around for Watched {
    fn inner(&self) -> &dyn Instance {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Instance {
        &mut *self.inner
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        self.time(|inner| inner.call(callback))
    }

    fn call_both(&mut self, first: Callback, second: Callback) -> Result<i64, Fault> {
        self.time(|inner| inner.call_both(first, second))
    }
}

/// A machine whose calls are timed.
struct Timed<T> {
    inner: T,
    timed: bool,
    spent: Spent,
}

impl<T> Timed<T> {
    fn time<R>(&mut self, call: impl FnOnce(&mut T) -> R) -> (R, u64) {
        if !self.timed {
            return (call(&mut self.inner), 0);
        }
        let began = wall();
        let result = call(&mut self.inner);
        (result, began.elapsed().as_nanos() as u64)
    }
}

impl<T: Machine> Machine for Timed<T> {
    type Event = T::Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        let packets = match &input {
            Input::Datagram(datagram) => datagram.payload.len().div_ceil(datagram.segment_size.max(1)),
            _ => 0,
        };
        let ((), took) = self.time(|inner| inner.handle_input(now, input));
        self.spent.input_ns += took;
        self.spent.packets_in += packets as u64;
    }

    fn handle_timeout(&mut self, now: Instant) {
        let ((), took) = self.time(|inner| inner.handle_timeout(now));
        self.spent.output_ns += took;
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<T::Event> {
        let (output, took) = self.time(|inner| inner.poll_output(now, buf));
        self.spent.output_ns += took;
        if let Output::Transmit(transmit) = &output {
            self.spent.packets_out += transmit.len.div_ceil(transmit.segment_size.max(1)) as u64;
        }
        output
    }
}

/// Writes to somebody, or reads what comes.
struct Flow<T: Transport> {
    to: Option<IpAddr>,
    stream: Option<T::Stream>,
    rate_bps: Option<u64>,
    began: Option<Instant>,
    /// Bytes written, or read.
    bytes: u64,
    failure: Option<String>,
}

/// How often an application that writes at a rate does so.
const EVERY: Duration = Duration::from_millis(1);

impl<T: Transport> App<Timed<T>> for Flow<T> {
    fn handle_event(&mut self, _: Instant, machine: &mut Timed<T>, event: T::Event) {
        let mut heard = Vec::new();
        machine.inner.hear(event, &mut heard);
        for event in heard {
            match event {
                Event::Stream(stream, News::Incoming | News::Readable) if self.to.is_none() => {
                    let mut room = [0; 64 << 10];
                    while let Read::Bytes(len) = machine.inner.read(stream, &mut room) {
                        self.bytes += len as u64;
                    }
                }
                Event::Lost { how, .. } => self.failure = Some(how),
                _ => {}
            }
        }
    }

    fn poll(&mut self, now: Instant, machine: &mut Timed<T>) -> Option<Instant> {
        static PIECE: [u8; 64 << 10] = [0x5a; 64 << 10];
        let (to, began) = (self.to?, *self.began.get_or_insert(now));
        if self.stream.is_none() {
            match machine.inner.open(now, to, None) {
                Ok(stream) => self.stream = Some(stream),
                Err(OpenError::Later) => return None,
                Err(OpenError::Refused(why)) => self.failure = Some(why),
            }
        }
        let stream = self.stream?;
        let due = self.rate_bps.map_or(u64::MAX, |rate| (rate as f64 / 8.0 * now.since(began).as_secs_f64()) as u64);
        while self.bytes < due {
            let want = (due - self.bytes).min(PIECE.len() as u64) as usize;
            match machine.inner.write(stream, &PIECE[..want]) {
                0 => break,
                written => self.bytes += written as u64,
            }
        }
        self.rate_bps.map(|_| now + EVERY)
    }
}

/// The run in the middle of several, by a figure.
///
/// # Errors
/// If there was none.
pub fn median(mut runs: Vec<Paced>, by: impl Fn(&Paced) -> f64) -> Result<Paced, RunError> {
    runs.sort_by(|a, b| by(a).total_cmp(&by(b)));
    runs.get(runs.len() / 2).copied().ok_or_else(|| RunError::broken("there was no run"))
}

/// A run for programs.
pub fn told(ran: &Paced) -> Value {
    let end = |spent: &Spent| {
        json!({
            "cpu_ns": spent.cpu_ns, "input_ns": spent.input_ns, "packets_in": spent.packets_in,
            "output_ns": spent.output_ns, "packets_out": spent.packets_out, "callbacks_ns": spent.callbacks_ns,
            "callbacks": spent.callbacks, "apart_ns": spent.apart_ns,
        })
    };
    json!({
        "rate_bps": ran.rate_bps, "bytes": ran.bytes, "sender": end(&ran.sender), "receiver": end(&ran.receiver),
    })
}
