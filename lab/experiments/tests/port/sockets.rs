//! Ports over real sockets on the loopback, driven by the driver that endpoints have.

use core::net::{Ipv4Addr, SocketAddr};
use core::task::Waker;
use core::time::Duration;
use std::sync::Arc;

use tng::{Access, Connection, Driven, Driver, Endpoint, ServiceOptions, Shared, Socket, Target, UdpSocket};
use tng_base::{Instant, Machine};
use tng_endpoint::Port;
use tng_middlebox::{ClientTag, Helper, HelperConfig, HelperEvent, Network, Onward};
use tng_sim::App;
use tng_stack::{Stop, Via};

use super::apps::{Alone, Both, Echo, Log, SERVICE, host, identity, pattern};
use super::toy::{self, Toy};

const LEN: usize = 500_000;

/// A machine and its application behind the driver's lock.
struct Stage<M, A> {
    machine: M,
    app: A,
}

impl<M: Machine + Send + 'static, A: App<M> + Send + 'static> Driven for Stage<M, A> {
    type Machine = M;

    fn machine(&mut self) -> &mut M {
        &mut self.machine
    }

    fn handle_event(&mut self, now: Instant, event: M::Event, _: &mut Vec<Waker>) -> usize {
        self.app.handle_event(now, &mut self.machine, event);
        1
    }

    fn handle_stop(&mut self, _: &mut Vec<Waker>) {}

    fn is_finished(&self) -> bool {
        false
    }
}

fn loopback() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

/// Has a machine driven over a socket of its own; answers where it is.
fn drive<M: Machine + Send + 'static, A: App<M> + Send + 'static>(machine: M, app: A) -> SocketAddr {
    let socket = UdpSocket::bind(loopback()).unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(Driver::new(Arc::new(Shared::new(Stage { machine, app })), Arc::new(socket)));
    address
}

fn target(number: u8, address: SocketAddr) -> Target {
    Target { eid: identity(number).eid(), addresses: vec![address], capability: None, via: Vec::new() }
}

/// A test that hangs says so.
async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("nothing for a minute")
}

/// Whether what a client sends to an echo comes back.
async fn is_echoed(target: Target, number: u8) -> bool {
    let client = Endpoint::builder().bind(loopback()).identity(identity(number)).build().await.unwrap();
    let connection: Connection = within(client.connect(target)).await.unwrap();
    let (mut send, mut recv) = connection.open(SERVICE.0, SERVICE.1).await.unwrap().split();
    let sent = pattern(LEN, number);
    let writing = async {
        send.write_all(&sent).await.unwrap();
        send.finish().await.unwrap();
    };
    let (back, ()) = within(async { tokio::join!(recv.read_to_end(LEN), writing) }).await;
    back.unwrap() == sent
}

/// Whatever comes to a plain socket within a time.
async fn heard(socket: &tokio::net::UdpSocket, time: Duration) -> Option<Vec<u8>> {
    let mut buf = [0; 2_000];
    let (len, _) = tokio::time::timeout(time, socket.recv_from(&mut buf)).await.ok()?.unwrap();
    Some(buf[..len].to_vec())
}

#[tokio::test]
async fn two_hosts_share_a_socket() {
    let port = drive(Port::new((host(1), host(2))), Both(Echo::default(), Echo::default()));
    let (first, second) = tokio::join!(is_echoed(target(1, port), 11), is_echoed(target(2, port), 12));
    assert!(first && second);
}

#[tokio::test]
async fn a_host_and_a_helper_share_a_socket() {
    let onward = Onward::Listed(vec![Network { address: Ipv4Addr::LOCALHOST.into(), bits: 8 }]);
    let config = HelperConfig { onward, ..HelperConfig::default() };
    let helper = Helper::new(config, &[7; 32].into(), 1_700_000_000_000, [8; 32]);
    let capability = helper.office().issue(Instant::ZERO, ClientTag(1), (Duration::from_secs(600), 4), [9; 32]);
    let (log, beyond) = (Log::<HelperEvent>::default(), Echo::default());
    let (told, peers) = (log.0.clone(), beyond.peers.clone());
    let port = drive(Port::new((host(1), helper)), Both(Echo::default(), log));
    let other = drive(Port::new((host(2),)), Alone(beyond));
    let via = vec![Via::new(identity(90).eid(), Stop::new(port, capability))];
    let helped = Target { via, ..target(2, other) };
    let (direct, helped) = tokio::join!(is_echoed(target(1, port), 11), is_echoed(helped, 12));
    assert!(direct && helped);
    assert!(matches!(told.open()[..], [HelperEvent::Joined { toward, .. }, ..] if toward == other));
    assert_eq!(peers.open().first(), Some(&port), "the flow came by the helper");
}

#[tokio::test]
async fn a_host_and_another_protocol_share_a_socket() {
    let port = drive(Port::new((host(1), Toy::default())), Both(Echo::default(), Log::<u8>::default()));
    let asks = async {
        let socket = tokio::net::UdpSocket::bind(loopback()).await.unwrap();
        let mut answered = 0;
        for number in 0..50 {
            // A datagram may be lost, on the loopback too.
            for _ in 0..5 {
                socket.send_to(&toy::question(number), port).await.unwrap();
                if heard(&socket, Duration::from_secs(2)).await.as_deref() == Some(&toy::answer(number)[..]) {
                    answered += 1;
                    break;
                }
            }
        }
        answered
    };
    let (echoed, answered) = tokio::join!(is_echoed(target(1, port), 11), asks);
    assert!(echoed);
    assert_eq!(answered, 50);
}

#[tokio::test]
async fn a_socket_tells_what_nobody_behind_it_reads_and_an_endpoint_does_the_same() {
    let port = drive(Port::new((host(1), Toy::default())), Both(Echo::default(), Log::<u8>::default()));
    let endpoint = |silent| {
        let service = ServiceOptions::default();
        let builder = Endpoint::builder().bind(loopback()).access(Access::Public).silent(silent);
        builder.listen(SERVICE.0, SERVICE.1, service).build()
    };
    let (loud, silent) = (endpoint(false).await.unwrap(), endpoint(true).await.unwrap());
    let socket = tokio::net::UdpSocket::bind(loopback()).await.unwrap();
    for (address, first, said) in [
        (port, 0xc0, Some(vec![0x06, 0xc0])),
        (port, 0x20, None),
        (loud.local_addr(), 0xc0, Some(vec![0x06, 0xc0])),
        (loud.local_addr(), 0xa0, Some(vec![0x06, 0xa0])),
        (silent.local_addr(), 0xa0, None),
    ] {
        let wait = if said.is_some() { Duration::from_secs(10) } else { Duration::from_millis(200) };
        socket.send_to(&[first; 60], address).await.unwrap();
        assert_eq!(heard(&socket, wait).await, said, "{first:#x} to {address}");
    }
}
