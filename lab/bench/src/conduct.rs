//! Rounds: every peer in turn, server, client and what stands between them each in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;
use crate::process::{Machine, Served, Usage};
use crate::report::{PeerReport, Report, figures};
use crate::role::{Asked, Said};
use crate::work::{Hello, PeerName, Work};

/// How long a server may lag behind a client that has closed its last connection.
const LAG_MAX: Duration = Duration::from_secs(5);

/// Where the ends are that have network namespaces of their own.
pub const SERVER_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 231, 0, 1)), 0);
/// The client's.
pub const CLIENT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 231, 0, 2)), 0);

/// One measurement of one peer.
#[derive(Debug)]
pub struct Sample {
    /// What the client tells.
    pub measured: crate::work::Measured,
    /// Processor time that the client used, in seconds.
    pub client_cpu_s: f64,
    /// Processor time that the server used, in seconds.
    pub server_cpu_s: f64,
    /// Bytes that the server held before.
    pub server_rss_before: f64,
    /// Bytes by which it grew.
    pub server_rss: f64,
    /// What the server has answered meanwhile, where it counts.
    pub served: Option<Served>,
    /// What stands between them, if something does.
    pub between: Option<Between>,
    /// The same measurement without idle flows, if there are some.
    pub busy_alone: Option<Box<Sample>>,
}

/// What a process that stands between client and server has used up.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    /// Processor time, in seconds.
    pub cpu_s: f64,
    /// Bytes by which it grew until all flows were there and quiet.
    pub rss: f64,
}

/// Has every peer do the work in every round. Where they begin changes from round to round.
///
/// # Errors
/// If a process cannot be started, or fails.
pub fn run(work: Work, peers: &[PeerName], rounds: u32) -> Result<Report, Failure> {
    let mut machine = Machine::now();
    let mut reports: Vec<PeerReport> = peers.iter().map(|&peer| PeerReport::new(peer)).collect();
    for round in 0..rounds {
        for turn in 0..peers.len() {
            let at = (turn + round as usize) % peers.len();
            let peer = peers[at];
            let told = |error| format!("{}: {error}", peer.name());
            let busy_alone = match work.without_idle() {
                Some(alone) => Some(Box::new(measure(&alone, peer, machine.pinned).map_err(told)?.0)),
                None => None,
            };
            let (mut sample, settings) = measure(&work, peer, machine.pinned).map_err(told)?;
            sample.busy_alone = busy_alone;
            let figures = figures(&work, &sample);
            let shown = figures.first().map_or_else(String::new, |(metric, value)| metric.show(*value));
            eprintln!("round {} of {rounds}: {} {shown}", round + 1, peer.name());
            reports[at].add(figures, settings);
        }
    }
    machine.over();
    Ok(Report { work, rounds, machine, peers: reports })
}

fn measure(
    work: &Work,
    peer: PeerName,
    pinned: Option<[usize; 2]>,
) -> Result<(Sample, crate::work::Settings), Failure> {
    let apart = if peer.is_apart() { Some(Apart::new()?) } else { None };
    let pinned = pinned.filter(|_| work.is_pinned());
    let place =
        |at: usize| Placement { cpu: pinned.map(|cpus| cpus[at]), namespace: apart.as_ref().map(|it| it.name(at)) };
    // What stands between them has a processor to itself.
    let mut server = Process::start("server", peer, work, place(usize::from(peer.is_between())))?;
    let mut hello = server.hello()?;
    let mut between = if peer.is_between() { Some(Process::start("between", peer, work, place(0))?) } else { None };
    if let Some(between) = &mut between {
        between.ask(&Asked::Server(hello))?;
        hello = between.hello()?;
    }
    let without_flows = usage_of(&mut between)?;
    let mut client = Process::start("client", peer, work, place(1))?;
    client.ask(&Asked::Server(hello))?;
    client.ready()?;
    let with_flows = usage_of(&mut between)?;
    if between.is_some() {
        client.ask(&Asked::Go)?;
        client.ready()?;
    }
    let between_before = usage_of(&mut between)?;
    let before = server.usage()?;
    client.ask(&Asked::Go)?;
    let Said::Done { measured, cpu_s, settings } = client.hear()? else {
        return Err("the client says something else than what it measured".into());
    };
    let between_after = usage_of(&mut between)?;
    let mut after = server.usage()?;
    if let Work::Handshakes { count, .. } = *work {
        // A client has a connection before its server has it.
        let until = Instant::now() + LAG_MAX;
        while after.accepted < before.accepted + count {
            if Instant::now() > until {
                let accepted = after.accepted - before.accepted;
                return Err(format!("the client made {count} connections, the server has accepted {accepted}").into());
            }
            std::thread::sleep(Duration::from_millis(10));
            after = server.usage()?;
        }
    }
    let between = match (without_flows, with_flows, between_before, between_after) {
        (Some(without), Some(with), Some(before), Some(after)) => {
            all_went_through(work, peer, &measured, before, after)?;
            Some(Between { cpu_s: after.cpu_s - before.cpu_s, rss: with.rss as f64 - without.rss as f64 })
        }
        _ => None,
    };
    let sample = Sample {
        measured,
        client_cpu_s: cpu_s,
        server_cpu_s: after.cpu_s - before.cpu_s,
        server_rss_before: before.rss as f64,
        server_rss: after.rss as f64 - before.rss as f64,
        served: before.served.zip(after.served).map(|(before, after)| after.since(before)),
        between,
        busy_alone: None,
    };
    Ok((sample, settings))
}

fn usage_of(process: &mut Option<Process>) -> Result<Option<Usage>, Failure> {
    process.as_mut().map(Process::usage).transpose()
}

/// Sees that nothing went another way than through what stands between.
fn all_went_through(
    work: &Work,
    peer: PeerName,
    measured: &crate::work::Measured,
    before: Usage,
    after: Usage,
) -> Result<(), Failure> {
    let bytes = measured.get("bytes").copied().unwrap_or(f64::NAN);
    if let Some((before, after)) = before.passed.zip(after.passed) {
        let passed = (after - before) as f64;
        if passed < bytes {
            return Err(format!("of {bytes} bytes only {passed} went through it").into());
        }
    }
    if peer == PeerName::Relay && after.accepted != work.flows() {
        return Err(format!("of {} flows it has {}", work.flows(), after.accepted).into());
    }
    Ok(())
}

/// Where a process runs.
struct Placement {
    cpu: Option<usize>,
    namespace: Option<String>,
}

/// Two network namespaces with a veth pair between them; they go with this value.
struct Apart;

impl Apart {
    fn new() -> Result<Apart, Failure> {
        let apart = Apart;
        let [server, client] = [apart.name(0), apart.name(1)];
        for name in [&server, &client] {
            ip(&["netns", "add", name])?;
        }
        ip(&["link", "add", "bench0", "netns", &server, "type", "veth", "peer", "name", "bench0", "netns", &client])?;
        for (name, address) in [(&server, SERVER_ADDRESS), (&client, CLIENT_ADDRESS)] {
            ip(&["-n", name, "addr", "add", &format!("{}/24", address.ip()), "dev", "bench0"])?;
            ip(&["-n", name, "link", "set", "bench0", "up"])?;
        }
        Ok(apart)
    }

    fn name(&self, at: usize) -> String {
        format!("tng-bench-{}-{at}", std::process::id())
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        for at in 0..2 {
            // It may not be there, if making the pair failed half-way.
            let _ = ip(&["netns", "del", &self.name(at)]);
        }
    }
}

fn ip(args: &[&str]) -> Result<(), Failure> {
    let said = Command::new("ip").args(args).output().map_err(|error| format!("`ip` of iproute2: {error}"))?;
    match said.status.success() {
        true => Ok(()),
        false => Err(format!("ip {}: {}", args.join(" "), String::from_utf8_lossy(&said.stderr).trim()).into()),
    }
}

/// A process in a role; it ends with this value.
struct Process {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    role: &'static str,
}

impl Process {
    fn start(role: &'static str, peer: PeerName, work: &Work, place: Placement) -> Result<Process, Failure> {
        let program = std::env::current_exe()?;
        let mut command = match &place.namespace {
            Some(name) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", name]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(["role", role, peer.name(), &serde_json::to_string(work)?]);
        if let Some(cpu) = place.cpu {
            command.args(["--cpu", &cpu.to_string()]);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let from = BufReader::new(child.stdout.take().ok_or("a process without an output")?);
        let to = child.stdin.take();
        Ok(Process { child, to, from, role })
    }

    fn ask(&mut self, asked: &Asked) -> Result<(), Failure> {
        let to = self.to.as_mut().ok_or("a process without an input")?;
        let mut line = serde_json::to_vec(asked)?;
        line.push(b'\n');
        Ok(to.write_all(&line)?)
    }

    fn hear(&mut self) -> Result<Said, Failure> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            // What went wrong it has said on stderr.
            return Err(format!("the {} has failed", self.role).into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    fn hello(&mut self) -> Result<Hello, Failure> {
        match self.hear()? {
            Said::Hello(hello) => Ok(hello),
            _ => Err(format!("the {} says something else than hello", self.role).into()),
        }
    }

    fn ready(&mut self) -> Result<(), Failure> {
        match self.hear()? {
            Said::Ready => Ok(()),
            _ => Err(format!("the {} says something else than that it is ready", self.role).into()),
        }
    }

    fn usage(&mut self) -> Result<Usage, Failure> {
        self.ask(&Asked::Usage)?;
        match self.hear()? {
            Said::Usage(usage) => Ok(usage),
            _ => Err(format!("the {} says something else than what it has used up", self.role).into()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Without an input it ends by itself, unless it hangs.
        self.to = None;
        for _ in 0..50 {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
