//! Two endpoints of quinn-proto in memory, which do tng's works: what quinn's driver does between a machine and its
//! socket, with the network left out.
//!
//! Settings are quinn's own, but that it knows from the start what fits into a packet, and that no packet is larger
//! than tng's. What is counted is as for tng (see [`crate::pair`]): from the application's bytes to sealed packets in
//! the driver's buffer, and back, without sockets, tasks and locks.

mod tls;
mod work;

use core::net::SocketAddr;
use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, Connection, ConnectionEvent, ConnectionHandle, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig,
    MtuDiscoveryConfig, ServerConfig, TransportConfig,
};

use crate::turns::{Desk, Pair, Turns};

pub use tls::cipher;
pub use work::{Answerer, Asker, Reader, Writer};

/// The largest UDP payload in bytes: as tng's between two such addresses.
const MTU: u16 = 1_472;

/// Datagrams of a batch at most, as quinn's driver has it.
const BATCH_DATAGRAMS: usize = 10;

/// After so many datagrams quinn's driver lets others work.
const DRIVE_DATAGRAMS: usize = 20;

/// After so many datagrams the other end has its turn: about as many as tng's four batches of 64 KiB.
const TURN_DATAGRAMS: usize = 176;

/// How far ahead the timer is set at least, as tng's: quinn's driver asks a timer of whole milliseconds.
const TIMER_FLOOR: Duration = Duration::from_millis(1);

/// An application at one end.
pub trait App {
    /// Does what there is to do on an event. Answers whether quinn's driver would be woken for it.
    fn handle_event(&mut self, connection: &mut Connection, event: quinn_proto::Event) -> bool;

    /// How much it has done, in whatever it counts.
    fn done(&self) -> u64 {
        0
    }
}

/// A batch of datagrams of one length, the last perhaps shorter.
pub struct Batch {
    buffer: Vec<u8>,
    segment_size: usize,
    ecn: Option<EcnCodepoint>,
}

impl Batch {
    fn empty() -> Batch {
        Batch { buffer: Vec::with_capacity(65_536), segment_size: 0, ecn: None }
    }

    fn datagrams(&self) -> usize {
        self.buffer.len().div_ceil(self.segment_size)
    }
}

/// An endpoint with its one connection, its application, and how much it has done.
pub struct End {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    app: Box<dyn App>,
    remote: SocketAddr,
    desk: Desk<Instant, Batch>,
    arrived: Vec<ConnectionEvent>,
    /// Datagrams that it has sent.
    pub sent: u64,
    /// Datagrams that it has received.
    pub received: u64,
}

impl End {
    fn new(endpoint: Endpoint, remote: SocketAddr, app: Box<dyn App>) -> End {
        End {
            endpoint,
            connection: None,
            app,
            remote,
            desk: Desk::new(Batch::empty),
            arrived: Vec::new(),
            sent: 0,
            received: 0,
        }
    }

    /// How much its application has done.
    pub fn done(&self) -> u64 {
        self.app.done()
    }

    /// The endpoint's driver: copies each batch that has come, and looks whose its datagrams are.
    fn receive(&mut self, now: Instant) {
        while let Some(batch) = self.desk.inbox.pop_front() {
            self.received += batch.datagrams() as u64;
            let mut data = BytesMut::from(&batch.buffer[..]);
            while !data.is_empty() {
                let datagram = data.split_to(batch.segment_size.min(data.len()));
                let mut answer = Vec::new();
                match self.endpoint.handle(now, self.remote, None, batch.ecn, datagram, &mut answer) {
                    Some(DatagramEvent::ConnectionEvent(_, event)) => self.arrived.push(event),
                    Some(DatagramEvent::NewConnection(incoming)) => {
                        self.connection = self.endpoint.accept(incoming, now, &mut answer, None).ok();
                    }
                    // Nobody but the two is there, who speak the same version.
                    Some(DatagramEvent::Response(_)) | None => {}
                }
            }
            self.desk.spare.push(batch);
        }
    }

    /// The connection's driver, once. Answers whether it is woken again at once.
    fn drive(&mut self, now: Instant) -> bool {
        let Some((handle, connection)) = &mut self.connection else { return false };
        for event in self.arrived.drain(..) {
            connection.handle_event(event);
        }
        let (mut transmitted, mut again) = (0, false);
        while !again {
            let mut batch = self.desk.spare.pop().unwrap_or_else(Batch::empty);
            batch.buffer.clear();
            batch.buffer.reserve(usize::from(connection.current_mtu()));
            let Some(transmit) = connection.poll_transmit(now, BATCH_DATAGRAMS, &mut batch.buffer) else {
                self.desk.spare.push(batch);
                break;
            };
            (batch.segment_size, batch.ecn) = (transmit.segment_size.unwrap_or(transmit.size), transmit.ecn);
            transmitted += batch.datagrams();
            self.desk.outbox.push(batch);
            again = transmitted >= DRIVE_DATAGRAMS;
        }
        self.sent += transmitted as u64;
        self.desk.deadline = connection.poll_timeout();
        if self.desk.is_due(now) {
            connection.handle_timeout(now);
            self.desk.deadline = connection.poll_timeout();
            again = true;
        }
        self.desk.deadline = self.desk.deadline.map(|deadline| deadline.max(now + TIMER_FLOOR));
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
                again = true;
            }
        }
        while let Some(event) = connection.poll() {
            again |= self.app.handle_event(connection, event);
        }
        again
    }
}

impl Turns for End {
    type Now = Instant;
    type Batch = Batch;

    fn desk(&mut self) -> &mut Desk<Instant, Batch> {
        &mut self.desk
    }

    /// What the drivers of endpoint and connection and then the application's tasks do when they are woken.
    fn turn(&mut self, now: Instant) {
        self.receive(now);
        let before = self.sent;
        self.desk.more = true;
        while self.desk.more && self.sent - before < TURN_DATAGRAMS as u64 {
            self.desk.more = self.drive(now);
        }
    }
}

/// Two endpoints, and a connection between them that has begun.
///
/// # Panics
/// If quinn refuses to connect, or the TLS library has lost what it needs.
#[expect(clippy::disallowed_methods, reason = "an origin to count virtual time from; nothing depends on which it is")]
pub fn pair(client: Box<dyn App>, server: Box<dyn App>) -> Pair<End> {
    let now = Instant::now();
    let [at_client, at_server] = [SocketAddr::from(([127, 0, 0, 1], 1)), SocketAddr::from(([127, 0, 0, 1], 2))];
    let transport = transport();
    let mut accepting = ServerConfig::with_crypto(Arc::new(tls::server()));
    accepting.transport_config(Arc::clone(&transport));
    let mut connecting = ClientConfig::new(Arc::new(tls::client()));
    connecting.transport_config(transport);
    let mut server = End::new(endpoint(22, Some(accepting)), at_client, server);
    let mut client = End::new(endpoint(11, None), at_server, client);
    let begun = client.endpoint.connect(now, connecting, at_server, "localhost");
    client.connection = Some(begun.expect("a new endpoint has room for a connection"));
    server.desk.more = false;
    Pair::new(now, client, server)
}

fn endpoint(seed: u8, server: Option<ServerConfig>) -> Endpoint {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some([seed; 32]));
    Endpoint::new(Arc::new(config), server.map(Arc::new), true, None)
}

fn transport() -> Arc<TransportConfig> {
    let (mut transport, mut discovery) = (TransportConfig::default(), MtuDiscoveryConfig::default());
    discovery.upper_bound(MTU);
    transport.initial_mtu(MTU).mtu_discovery_config(Some(discovery));
    Arc::new(transport)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::Side;

    fn steps(pair: &mut Pair<End>, count: u32) {
        for _ in 0..count {
            pair.step(|_| false);
        }
    }

    #[test]
    fn a_long_stream_arrives_as_it_was_written() {
        let mut pair = pair(Box::new(Writer::default()), Box::new(Reader::default()));
        steps(&mut pair, 300);
        // The reader itself looks at each byte.
        let read = pair.server.done();
        assert!(read > 10_000_000, "{read} bytes in 300 round trips");
    }

    #[test]
    fn packets_of_a_long_stream_are_as_large_as_tngs_and_leave_in_batches_of_ten() {
        let mut pair = pair(Box::new(Writer::default()), Box::new(Reader::default()));
        steps(&mut pair, 300);
        let (mut batches, mut full) = (0, 0);
        for _ in 0..100 {
            pair.turn(Side::Client, false);
            let sent = pair.server.desk.inbox.iter();
            batches += sent.clone().count();
            full += sent.filter(|batch| batch.segment_size == usize::from(MTU) && batch.datagrams() == 10).count();
            pair.turn(Side::Server, false);
        }
        assert!(batches > 500 && full * 10 > batches * 9, "{full} of {batches} batches are ten full packets");
    }

    #[test]
    fn requests_are_answered_by_as_many_bytes() {
        let mut pair = pair(Box::new(Asker::default()), Box::new(Answerer::default()));
        steps(&mut pair, 100);
        let (asked, answered) = (pair.client.done(), pair.server.done());
        assert!(asked > 64 * 50, "{asked} answers in 100 round trips");
        assert!(answered >= asked && answered <= asked + 64, "{answered} were answered, {asked} know it");
    }
}
