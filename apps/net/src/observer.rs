//! What an endpoint writes down of itself: traces, a key log, a capture.

use core::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tng_base::{Datagram, Ecn, Eid, Instant, Transmit};
use tng_stack::{Host, Watch};
use tng_trace::{Captured, Direction, InterfaceId, IpProtocol, Pcapng, Traces};
use tng_trickles::Watch as Trickles;

/// An output that anybody may read later.
pub(crate) type Output = Box<dyn Write + Send>;

/// What an endpoint should write down.
#[derive(Default)]
pub(crate) struct Observing {
    pub(crate) traces: Option<PathBuf>,
    pub(crate) key_log: Option<Output>,
    pub(crate) capture: Option<Output>,
}

impl fmt::Debug for Observing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Observing { traces, key_log, capture } = self;
        let (key_log, capture) = (key_log.is_some(), capture.is_some());
        write!(f, "Observing {{ traces: {traces:?}, key_log: {key_log}, capture: {capture} }}")
    }
}

/// Writes it down, under the endpoint's lock: an endpoint that is observed is slower. The first error of an output ends
/// that output and nothing else.
pub(crate) struct Observer {
    traces: Option<Traces>,
    /// Of a client or server without state, which has one trace for all that it does.
    trickles: Option<(Trickles, Traces)>,
    key_log: Option<Output>,
    capture: Option<(Pcapng, InterfaceId, Output)>,
    /// What the clock's zero is, since 1970.
    origin: Duration,
    failure: Option<io::Error>,
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").field("traces", &self.traces).finish_non_exhaustive()
    }
}

impl Observing {
    /// What the host is to tell for it.
    pub(crate) fn watch(&self) -> Watch {
        Watch { notes: self.traces.is_some(), secrets: self.key_log.is_some() || self.capture.is_some() }
    }

    /// Whether anything is.
    pub(crate) fn is_wanted(&self) -> bool {
        self.watch() != Watch::default()
    }

    /// Begins, at the clock's zero, for an endpoint that is `eid`. `None` if it has nothing to write.
    ///
    /// # Errors
    /// If the folder of traces cannot be made, or the capture not begun.
    pub(crate) fn begin(self, eid: Eid, stateless: Stateless) -> io::Result<Option<Box<Observer>>> {
        if !self.is_wanted() {
            return Ok(None);
        }
        #[expect(clippy::disallowed_methods, reason = "traces and captures tell the time of day")]
        let now = SystemTime::now();
        let origin = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name: String = eid.to_string().chars().take(8).collect();
        let capture = match self.capture {
            Some(mut out) => {
                let mut capture = Pcapng::start(&mut out)?;
                let interface = capture.interface(&mut out, "tng")?;
                Some((capture, interface, out))
            }
            None => None,
        };
        let reference_ms = u64::try_from(origin.as_millis()).unwrap_or(u64::MAX);
        let begin = |name: &str| self.traces.as_ref().map(|folder| traces(folder, name, reference_ms)).transpose();
        let (traces, trickles) = (begin(&name)?, begin(&format!("{name}-trickles"))?);
        let trickles = trickles.filter(|_| stateless != Stateless::No);
        let trickles = trickles.map(|traces| (Trickles::new(Instant::ZERO, stateless == Stateless::Client), traces));
        Ok(Some(Box::new(Observer { traces, trickles, key_log: self.key_log, capture, origin, failure: None })))
    }
}

/// What an endpoint is without state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stateless {
    No,
    Client,
    Server,
}

fn traces(folder: &Path, name: &str, reference_ms: u64) -> io::Result<Traces> {
    std::fs::create_dir_all(folder)?;
    let (folder, process) = (folder.to_owned(), std::process::id());
    let make = move |name: &str| {
        let file = File::create(folder.join(format!("{process}-{name}")))?;
        Ok(Box::new(BufWriter::new(file)) as Output)
    };
    Ok(Traces::new(name, name, reference_ms, Box::new(make)))
}

impl Observer {
    /// Datagrams have arrived.
    pub(crate) fn arrived(&mut self, now: Instant, datagram: &Datagram<'_>, bound: SocketAddr) {
        let Datagram { remote, local, ecn, segment_size, ref payload } = *datagram;
        self.crossed(now, Direction::Inbound, (remote, here(bound, local, remote)), ecn, payload.chunks(segment_size));
    }

    /// Datagrams are about to leave. The keys that they may need have been [told](Self::take_keys).
    pub(crate) fn leaving(&mut self, now: Instant, transmit: &Transmit, bytes: &[u8], bound: SocketAddr) {
        let Transmit { remote, local, ecn, segment_size, .. } = *transmit;
        let ends = (here(bound, local, remote), remote);
        self.crossed(now, Direction::Outbound, ends, ecn, bytes.chunks(segment_size.max(1)));
    }

    /// The host has nothing more to say for now.
    pub(crate) fn attend(&mut self, host: &mut Host) {
        self.take_keys(host);
        while let Some(note) = host.poll_note() {
            let written = match &mut self.traces {
                Some(traces) => traces.note(note.connection.0, note.path.0, &note.note),
                None => Ok(()),
            };
            if let Err(error) = written {
                self.traces = None;
                self.failure.get_or_insert(error);
            }
        }
    }

    /// A client or server without state has nothing more to say for now; `notice` notes what has changed.
    pub(crate) fn attend_stateless(&mut self, notice: impl FnOnce(&mut Trickles)) {
        let Some((watch, traces)) = &mut self.trickles else { return };
        notice(watch);
        while let Some(note) = watch.pop() {
            if let Err(error) = traces.note(0, 0, &note) {
                self.trickles = None;
                self.failure.get_or_insert(error);
                return;
            }
        }
    }

    /// Takes keys that are new.
    pub(crate) fn take_keys(&mut self, host: &mut Host) {
        while let Some(line) = host.poll_key_line() {
            if let Some((capture, ..)) = &mut self.capture {
                capture.comment(&line);
            }
            // At once, for a capture that runs meanwhile.
            let write = |out: &mut Output| writeln!(out, "{line}").and_then(|()| out.flush());
            if let Some(Err(error)) = self.key_log.as_mut().map(write) {
                self.key_log = None;
                self.failure.get_or_insert(error);
            }
        }
    }

    fn crossed<'a>(
        &mut self,
        now: Instant,
        direction: Direction,
        (src, dst): (SocketAddr, SocketAddr),
        ecn: Ecn,
        payloads: impl Iterator<Item = &'a [u8]> + Clone,
    ) {
        if let Some((watch, _)) = &mut self.trickles {
            payloads.clone().for_each(|payload| watch.crossed(now, direction == Direction::Outbound, payload));
        }
        let Some((capture, interface, out)) = &mut self.capture else { return };
        let (time, protocol) = (now + self.origin, IpProtocol::Udp);
        let mut datagrams = payloads.map(|payload| Captured { time, direction, src, dst, ecn, protocol, payload });
        let written = datagrams.try_for_each(|datagram| capture.datagram(&mut *out, *interface, &datagram));
        if let Err(error) = written {
            self.capture = None;
            self.failure.get_or_insert(error);
        }
    }

    /// Why something is not written any more, once.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Has everything reach its output.
    pub(crate) fn flush(&mut self) {
        let traces = self.traces.as_mut().map_or(Ok(()), Traces::flush);
        let trickles = self.trickles.as_mut().map_or(Ok(()), |(_, traces)| traces.flush());
        let capture = self.capture.as_mut().map_or(Ok(()), |(_, _, out)| out.flush());
        if let Err(error) = traces.and(trickles).and(capture) {
            self.failure.get_or_insert(error);
        }
    }
}

/// This host's end of a datagram, as far as it is known.
fn here(bound: SocketAddr, local: Option<SocketAddr>, remote: SocketAddr) -> SocketAddr {
    let any = if remote.is_ipv4() { IpAddr::from([0; 4]) } else { IpAddr::from([0; 16]) };
    let bound_ip = Some(bound.ip()).filter(|ip| !ip.is_unspecified());
    SocketAddr::new(local.map(|local| local.ip()).or(bound_ip).unwrap_or(any), bound.port())
}
