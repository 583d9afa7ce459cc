//! Downloads of several processes with one key and at one address, from one host: the host's connections with them
//! share a flow.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::Instant;
use tng_congestion::Choice;
use tng_semantic::structured::{Read, ServiceOptions, StreamEvent, StreamId};
use tng_sim::{App, MachineNode, Node};
use tng_stack::{Access, Caution, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, Target};

const SERVICE: (&str, &str) = ("downloads", "test/1");

/// A download that nobody sees the end of.
pub(crate) const ENDLESS: u64 = 1 << 40;

/// The byte at an offset of every download.
fn byte(offset: u64) -> u8 {
    (offset ^ offset >> 8).wrapping_mul(31) as u8
}

/// What became of a download.
#[derive(Clone, Debug, Default)]
pub(crate) struct Got {
    pub bytes: u64,
    /// When the first byte came, and the last.
    pub first: Option<Instant>,
    pub last: Option<Instant>,
    /// What did not hold.
    pub wrong: Option<String>,
}

/// One who gives and those who fetch, all drawn from a seed.
pub(crate) struct Cast {
    pub seed: u64,
    pub controller: Choice,
    /// Of the one who gives.
    pub caution: Caution,
    /// All who fetch have one key. Else each has its own.
    pub one_key: bool,
}

impl Cast {
    fn identity(&self, role: u8) -> Identity {
        let mut bytes = [role; 32];
        bytes[..8].copy_from_slice(&self.seed.to_be_bytes());
        Identity::from_seed(bytes)
    }

    fn host(&self, role: u8, life: u16, access: Access) -> Host {
        let identity = if self.one_key { role } else { role + life as u8 };
        let mut config = HostConfig::new(access);
        (config.controller, config.caution) = (self.controller.clone(), self.caution);
        let mut seed = [role ^ 0x33; 32];
        seed[..8].copy_from_slice(&self.seed.to_be_bytes());
        seed[8..10].copy_from_slice(&life.to_be_bytes());
        Host::new(config, self.identity(identity), seed)
    }

    /// The one who gives.
    pub fn giver(&self) -> Box<dyn Node> {
        let (host, giver) = self.giving();
        Box::new(MachineNode::new(host, giver))
    }

    /// The same, in its parts.
    pub fn giving(&self) -> (Host, impl App<Host> + 'static) {
        let mut host = self.host(1, 0, Access::Public);
        host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
        (host, Giver::default())
    }

    /// A process that fetches `size` bytes from the giver, who is at this address; `life` tells it from others. And
    /// what becomes of that.
    pub fn getter(&self, life: u16, size: u64, at: core::net::SocketAddr) -> (Box<dyn Node>, Rc<RefCell<Got>>) {
        let (host, getter, got) = self.getting(life, size, vec![at]);
        (Box::new(MachineNode::new(host, getter)), got)
    }

    /// The same, in its parts, of a giver with these addresses.
    pub fn getting(
        &self,
        life: u16,
        size: u64,
        addresses: Vec<core::net::SocketAddr>,
    ) -> (Host, impl App<Host> + 'static, Rc<RefCell<Got>>) {
        let got = Rc::<RefCell<Got>>::default();
        let eid = self.identity(1).eid();
        let target = Some(Target { eid, addresses, capability: None, via: Vec::new() });
        let getter = Getter { target, size, got: Rc::clone(&got) };
        (self.host(2, life, Access::Nobody), getter, got)
    }
}

/// Answers each stream with as many bytes as its first eight say.
#[derive(Default)]
struct Giver {
    answers: BTreeMap<(ConnectionId, StreamId), Answer>,
}

#[derive(Default)]
struct Answer {
    request: Vec<u8>,
    sent: u64,
}

impl Answer {
    /// Answers whether all is said.
    fn advance(&mut self, host: &mut Host, connection: ConnectionId, id: StreamId) -> bool {
        let Some(streams) = host.streams(connection) else { return true };
        let mut buf = [0; 16 * 1024];
        while let Ok(Read::Bytes(n)) = streams.read(id, &mut buf) {
            self.request.extend(&buf[..n]);
        }
        let Some(len) = self.request.first_chunk().map(|bytes| u64::from_be_bytes(*bytes)) else { return false };
        while self.sent < len {
            let n = buf.len().min(usize::try_from(len - self.sent).unwrap_or(usize::MAX));
            for (at, offset) in buf[..n].iter_mut().zip(self.sent..) {
                *at = byte(offset);
            }
            match streams.write(id, &buf[..n]) {
                Ok(written) => self.sent += written as u64,
                Err(_) => return false,
            }
        }
        streams.finish(id).is_ok()
    }
}

impl App<Host> for Giver {
    fn handle_event(&mut self, _: Instant, host: &mut Host, event: HostEvent) {
        let connection = event.connection;
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = host.streams(connection).and_then(|streams| streams.accept()) {
                    let mut answer = Answer::default();
                    if !answer.advance(host, connection, incoming.id) {
                        self.answers.insert((connection, incoming.id), answer);
                    }
                }
            }
            EventKind::Stream(StreamEvent::Readable(id) | StreamEvent::Writable(id)) => {
                if let Some(answer) = self.answers.get_mut(&(connection, id))
                    && answer.advance(host, connection, id)
                {
                    self.answers.remove(&(connection, id));
                }
            }
            EventKind::Closed(_) => self.answers.retain(|(owner, _), _| *owner != connection),
            _ => {}
        }
    }

    fn poll(&mut self, _: Instant, _: &mut Host) -> Option<Instant> {
        None
    }
}

/// Connects, asks once, checks every byte.
struct Getter {
    target: Option<Target>,
    size: u64,
    got: Rc<RefCell<Got>>,
}

impl Getter {
    fn read(&self, now: Instant, host: &mut Host, connection: ConnectionId, id: StreamId) {
        let Some(streams) = host.streams(connection) else { return };
        let (mut got, mut buf) = (self.got.borrow_mut(), [0; 16 * 1024]);
        loop {
            match streams.read(id, &mut buf) {
                Ok(Read::Bytes(n)) => {
                    got.first.get_or_insert(now);
                    if buf[..n].iter().zip(got.bytes..).any(|(at, offset)| *at != byte(offset)) {
                        got.wrong = Some("a byte is another than was written".to_owned());
                    }
                    got.bytes += n as u64;
                }
                Ok(Read::Finished) => {
                    got.last.get_or_insert(now);
                    if got.bytes != self.size {
                        got.wrong = Some(format!("{} bytes of {}", got.bytes, self.size));
                    }
                    return;
                }
                Ok(Read::Blocked) => return,
                Err(error) => return got.wrong = Some(error.to_string()),
            }
        }
    }
}

impl App<Host> for Getter {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        match event.kind {
            EventKind::Stream(StreamEvent::Readable(id)) => self.read(now, host, event.connection, id),
            EventKind::ConnectFailed(error) => self.got.borrow_mut().wrong = Some(error.to_string()),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Some(target) = self.target.take() {
            let asked = host.connect(now, target).ok().is_some_and(|id| {
                host.streams(id).is_some_and(|streams| {
                    let opened = streams.open(SERVICE.0, SERVICE.1).ok();
                    opened.is_some_and(|id| streams.write(id, &self.size.to_be_bytes()) == Ok(8))
                })
            });
            if !asked {
                self.got.borrow_mut().wrong = Some("the request has no room".to_owned());
            }
        }
        None
    }
}
