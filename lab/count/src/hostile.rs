//! What each message of the resource model costs a host at its worst: a host in memory, and an attacker that sends it
//! nothing else.

use core::net::SocketAddr;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;

use tng_attack::{Attack, Attacker, Bomb, Mark, RESOURCES, Resource, Sender};
use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output};
use tng_endpoint::Port;
use tng_services::{files, forward, perf, ping, pipe};
use tng_stack::structured::{FirstData, Priority, Read, ServiceOptions, StreamEvent, StreamId, Streams};
use tng_stack::{Access, EventKind, Host, HostConfig, HostEvent, Identity, Target};

use crate::callgrind::{CountError, each_turn, instructions, the_counted_turn};
use crate::forgetful;
use crate::pair::SERVICE;

/// What was counted, as the model reads it.
const WORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../attack/src/work.rs");

/// Datagrams before counting begins: tables have grown, and thresholds are reached.
pub(crate) const WARM_UP: u64 = 100;

/// Datagrams that are counted; of the first the count is not exact, and it is left out.
pub(crate) const COUNTED: u64 = 129;

/// The protocol of requests (wire.md, section 4).
const REQUESTS: &str = "request";

/// The type of a LIST (wire.md, section 6).
const LIST: u8 = 0x01;

/// From one datagram to the next.
pub(crate) const INTERVAL: Duration = Duration::from_millis(1);

/// Attempts to get so many: some attackers wait for answers.
pub(crate) const TURNS_MAX: u64 = 10 * (WARM_UP + COUNTED);

/// What an attack costs.
#[derive(Clone, Copy, Debug)]
pub struct Toll {
    /// What it is counted for: one row, or several that it drives.
    pub row: &'static Resource,
    /// The attack.
    pub attack: &'static Attack,
    /// Instructions for the dearest datagram.
    pub most: u64,
    /// Instructions for a datagram, on average.
    pub mean: u64,
}

impl Toll {
    /// Whether the bound holds.
    pub fn passes(&self) -> bool {
        self.row.work_max().is_some_and(|most| self.most <= most)
    }
}

/// The rows that a host takes, with what drives them; each attack once.
pub fn rows() -> Vec<(&'static Resource, &'static Attack)> {
    let mut rows: Vec<(&Resource, &Attack)> = Vec::new();
    for row in RESOURCES {
        if let Some(attack) = row.counted_under()
            && rows.iter().all(|(_, counted)| counted.name != attack.name)
        {
            rows.push((row, attack));
        }
    }
    rows
}

/// Counts what attacks cost, as many at a time as there are processors.
///
/// # Errors
/// See [`CountError`].
pub fn count_all(rows: &[(&'static Resource, &'static Attack)]) -> Result<Vec<Toll>, CountError> {
    let (next, at_once) = (AtomicUsize::new(0), std::thread::available_parallelism().map_or(1, usize::from));
    let some = || -> Result<Vec<Toll>, CountError> {
        let mut tolls = Vec::new();
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            tolls.push(count(*row)?);
        }
        Ok(tolls)
    };
    std::thread::scope(|scope| {
        let counting: Vec<_> = (0..at_once).map(|_| scope.spawn(some)).collect();
        let mut tolls = Vec::new();
        for counted in counting {
            tolls.extend(counted.join().expect("counting does not panic")?);
        }
        tolls.sort_by_key(|toll| toll.attack.name);
        Ok(tolls)
    })
}

fn count((row, attack): (&'static Resource, &'static Attack)) -> Result<Toll, CountError> {
    let packets = row.from == Sender::Authenticated;
    let (mut most, mut sum, mut turns) = (0, 0, 0);
    each_turn(
        &format!("hostile {}", attack.name),
        &["attack-once", attack.name, &packets.to_string()],
        |turn, written| {
            if turn == Some(1) {
                return;
            }
            let count = instructions(written);
            (most, sum, turns) = (most.max(count), sum + count, turns + u64::from(count > 0));
        },
    )?;
    Ok(Toll { row, attack, most, mean: sum / turns.max(1) })
}

/// Writes what was counted to where the model reads it.
///
/// # Errors
/// If the file cannot be written.
pub fn write(tolls: &[Toll], built_for: &str) -> std::io::Result<()> {
    let text = std::fs::read_to_string(WORK)?;
    let words = text.split("/// Which processors").next().unwrap_or_default();
    let rows: String = tolls.iter().map(|toll| format!("    ({:?}, {}),\n", toll.attack.name, toll.most)).collect();
    let counted_for = format!(
        "/// Which processors and compiler they were counted for.\npub const COUNTED_FOR: &str = {built_for:?};\n\n"
    );
    let counted = format!("/// The attack, and the instructions.\npub const COUNTED: &[(&str, u64)] = &[\n{rows}];\n");
    std::fs::write(WORK, [words, &counted_for, &counted].concat())
}

/// A host and its port.
type Besieged = Port<(Host,)>;

/// What a host's application does on an event.
type App<'a> = &'a mut dyn FnMut(&mut Host, &HostEvent);

/// A turn that is counted.
fn counted_turn(host: &mut Besieged, now: Instant, came: &mut [u8], app: App<'_>, buf: &mut [u8]) -> Vec<Vec<u8>> {
    let mut said = Vec::new();
    the_counted_turn(&mut said, |said| *said = turn(host, now, came, app, buf));
    said
}

fn turn(host: &mut Besieged, now: Instant, came: &mut [u8], app: App<'_>, buf: &mut [u8]) -> Vec<Vec<u8>> {
    give(host, now, attacker_at(), came);
    said(host, now, app, buf)
}

pub(crate) fn give(machine: &mut impl Machine, now: Instant, remote: SocketAddr, payload: &mut [u8]) {
    let segment_size = payload.len().max(1);
    let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload };
    machine.handle_input(now, Input::Datagram(datagram));
}

/// The datagrams that a host says now.
fn said(host: &mut Besieged, now: Instant, app: App<'_>, buf: &mut [u8]) -> Vec<Vec<u8>> {
    host.handle_timeout(now);
    let mut said = Vec::new();
    loop {
        match host.poll_output(now, buf) {
            Output::Transmit(t) => said.extend(buf[..t.len].chunks(t.segment_size).map(<[u8]>::to_vec)),
            Output::Event(event) => app(host.sole_mut(), &event),
            Output::NeedsEntropy => host.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::Timeout(_) => return said,
        }
    }
}

pub(crate) fn attacker_at() -> SocketAddr {
    SocketAddr::from(([203, 0, 113, 5], 5))
}

pub(crate) fn target_at() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 2))
}

/// Reads whatever comes, and gives nothing back but the answers to pings.
fn serve(host: &mut Host, event: &HostEvent) {
    fn read(streams: &mut Streams, id: StreamId) {
        let mut buf = [0; 4_096];
        while let Ok(Read::Bytes(_)) = streams.read(id, &mut buf) {}
    }
    let (Some(streams), EventKind::Stream(told)) = (host.streams(event.connection), &event.kind) else { return };
    match told {
        StreamEvent::Incoming => {
            while let Some(incoming) = streams.accept() {
                read(streams, incoming.id);
            }
        }
        StreamEvent::ChildIncoming { parent } => {
            while let Some(child) = streams.accept_child(*parent) {
                read(streams, child);
            }
        }
        StreamEvent::Requested => {
            while let Some(request) = streams.next_request() {
                // Who has taken it back wants no answer.
                let _ = streams.answer(request.id, &request.body.unwrap_or_default());
            }
        }
        StreamEvent::Readable(id) => read(streams, *id),
        _ => {}
    }
}

/// A host that offers all services.
fn host() -> Besieged {
    let mut host = Host::new(HostConfig::new(Access::Public), Identity::from_seed([2; 32]), [22; 32]);
    let services = [
        SERVICE,
        (files::SERVICE, files::PROTOCOL),
        (forward::SERVICE, forward::PROTOCOL),
        (perf::SERVICE, perf::PROTOCOL),
        (pipe::SERVICE, pipe::PROTOCOL),
    ];
    for (service, protocol) in services {
        host.listen(service, protocol, ServiceOptions { substreams: true, ..ServiceOptions::default() });
    }
    for service in [ping::SERVICE, files::SERVICE] {
        host.listen_for_requests(service, REQUESTS, FirstData::Proven);
    }
    Port::new((host,))
}

/// Drives an attack on a host, counting its turns after a warm-up; of peers those with packets alone, if `packets` says
/// so. Answers how many were counted.
pub fn run(attack: &'static Attack, packets: bool) -> u64 {
    if attack.name == "listing-bomb" {
        return run_on_a_client();
    }
    if attack.is_stateless() {
        return forgetful::run(attack);
    }
    let mut host = host();
    let service = (SERVICE.0.to_owned(), SERVICE.1.to_owned());
    let file = Some(("file".to_owned(), 1 << 30));
    let mark = Mark {
        eid: host.sole().eid(),
        address: target_at(),
        capability: Vec::new(),
        service,
        file,
        relay: None,
        registered: None,
    };
    let mut now = Instant::from_secs(1);
    let mut attacker = Attacker::new(attack, mark, 1, [7; 32], INTERVAL, now);
    let (mut out, mut buf) = (vec![0; 65_536], vec![0; 65_536]);
    let (mut sent, mut counted) = (0, 0);
    for _ in 0..TURNS_MAX {
        while let Output::Transmit(t) = attacker.poll_output(now, &mut out) {
            let datagram = &mut out[..t.len];
            let of_kind = !packets || datagram.first().is_some_and(|first| *first >= 0x40);
            sent += u64::from(of_kind);
            let said = match of_kind && sent > WARM_UP {
                true => {
                    counted += 1;
                    counted_turn(&mut host, now, datagram, &mut serve, &mut buf)
                }
                false => turn(&mut host, now, datagram, &mut serve, &mut buf),
            };
            for mut datagram in said {
                give(&mut attacker, now, target_at(), &mut datagram);
            }
        }
        if counted >= COUNTED {
            break;
        }
        now += INTERVAL;
    }
    counted
}

/// The same of a client that lists what a server has: a listing that does not end. Here the client is the target.
fn run_on_a_client() -> u64 {
    let (mut server, mut client) =
        (host(), Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([1; 32]), [11; 32]));
    let target = Target { eid: server.sole().eid(), addresses: vec![attacker_at()], capability: None, via: Vec::new() };
    let (mut now, mut buf) = (Instant::from_secs(1), vec![0; 65_536]);
    client.connect(now, target).expect("an address");
    let mut client = Port::new((client,));
    let (mut bomb, mut rest, mut listing) = (Bomb::default(), Vec::new(), files::Listing::new());
    let mut pours = |host: &mut Host, event: &HostEvent| pour(host, event, &mut bomb, &mut rest);
    let mut lists = |host: &mut Host, event: &HostEvent| list(host, event, &mut listing);
    let (mut sent, mut counted) = (0, 0);
    for _ in 0..TURNS_MAX {
        for mut datagram in said(&mut client, now, &mut lists, &mut buf) {
            give(&mut server, now, target_at(), &mut datagram);
        }
        for mut datagram in said(&mut server, now, &mut pours, &mut buf) {
            sent += 1;
            let answers = match sent > WARM_UP {
                true => {
                    counted += 1;
                    counted_turn(&mut client, now, &mut datagram, &mut lists, &mut buf)
                }
                false => turn(&mut client, now, &mut datagram, &mut lists, &mut buf),
            };
            for mut answer in answers {
                give(&mut server, now, target_at(), &mut answer);
            }
        }
        if counted >= COUNTED {
            break;
        }
        now += INTERVAL;
    }
    counted
}

/// Answers each request with as much of a listing without end as anybody takes.
fn pour(host: &mut Host, event: &HostEvent, bomb: &mut Bomb, rest: &mut Vec<u8>) {
    let mut pour = |streams: &mut Streams, id: StreamId| {
        loop {
            if rest.is_empty() {
                *rest = bomb.entry();
            }
            match streams.write(id, rest) {
                Ok(written) if written > 0 => drop(rest.drain(..written)),
                _ => return,
            }
        }
    };
    let (Some(streams), EventKind::Stream(told)) = (host.streams(event.connection), &event.kind) else { return };
    match told {
        StreamEvent::Requested => {
            while let Some(request) = streams.next_request() {
                pour(streams, request.id);
            }
        }
        StreamEvent::Writable(id) => pour(streams, *id),
        _ => {}
    }
}

/// Asks for a listing, and reads it.
fn list(host: &mut Host, event: &HostEvent, listing: &mut files::Listing) {
    let Some(streams) = host.streams(event.connection) else { return };
    match event.kind {
        EventKind::Connected => {
            let asked = streams.request(files::SERVICE, REQUESTS, &[LIST, 1, 0], Priority::default());
            assert_eq!(asked.expect("credit").1, 3);
        }
        EventKind::Stream(StreamEvent::Readable(id)) => {
            let mut piece = [0; 16 * 1024];
            while let Ok(Read::Bytes(len)) = streams.read(id, &mut piece) {
                assert!(!listing.take(&piece[..len]).expect("it is not too large yet"), "it has no end");
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_that_a_host_takes_can_be_counted() {
        for (row, attack) in rows() {
            let counted = run(attack, row.from == Sender::Authenticated);
            assert!(counted > 0, "{} by {}", row.message, attack.name);
        }
    }
}
