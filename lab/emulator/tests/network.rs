//! Networks that stand, where they may. Where not, the tests say so and check nothing; with `TNG_NEED_LINK` set they
//! fail instead.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

use tng_emulator::transfer::Origin;
use tng_emulator::{
    Amount, Names, Network, Span, Topology, TopologyLink, TopologyNat, TopologyNode, Transfer, check, hindrance, tcp,
};
use tng_sim::{Carrier, DeliveryTrace, DropCause, Link, Loss, NatConfig, NatPorts, topology};

const MS: Duration = Duration::from_millis(1);

/// Whether this machine lets tests make networks; says so if not.
fn stands() -> bool {
    match hindrance() {
        Ok(()) => true,
        Err(why) => {
            assert!(std::env::var_os("TNG_NEED_LINK").is_none(), "there are no networks: {why}");
            eprintln!("skipped: {why}");
            false
        }
    }
}

fn start(topology: &Topology) -> Network {
    Network::start(topology, &Names::Private).expect("a network")
}

/// A socket on each end, for each other alone.
fn sockets(network: &Network) -> [UdpSocket; 2] {
    let bind = |node: usize, address: &str| {
        let bound = network.run(node, || UdpSocket::bind(address)).expect("a thread").expect("a socket");
        bound.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        bound
    };
    let (a, b) = (bind(0, "10.0.0.1:7"), bind(1, "10.0.0.2:7"));
    a.connect("10.0.0.2:7").expect("connected");
    b.connect("10.0.0.1:7").expect("connected");
    [a, b]
}

#[test]
fn bytes_of_kernel_tcp_cross_a_bad_link_in_order() {
    if !stands() {
        return;
    }
    let link = Link::new().rate(100_000_000).delay(2 * MS).loss(Loss::Independent(0.05)).duplicate(0.01).ecn_mark(0.1);
    let network = start(&Topology::pair(5, &link));
    let listener = network.run(1, || TcpListener::bind("[fd00::2]:80")).expect("a thread").expect("a listener");
    let sent: Vec<u8> = (0..300_000_u32).map(|n| (n.wrapping_mul(n) >> 7) as u8).collect();
    let received = std::thread::scope(|scope| {
        scope.spawn(|| {
            let stream = network.run(0, || TcpStream::connect("[fd00::2]:80")).expect("a thread");
            stream.expect("a connection").write_all(&sent).expect("sent");
        });
        let mut received = Vec::new();
        listener.accept().expect("a connection").0.read_to_end(&mut received).expect("received");
        received
    });
    assert!(received == sent, "{} of {} bytes", received.len(), sent.len());
    let figures = network.figures();
    assert!(figures[0].stats.dropped_for(DropCause::Loss) > 0, "{:?}", figures[0].stats);
    assert_eq!(figures[0].lateness.percentiles().count, figures[0].stats.delivered);
}

#[test]
fn a_link_loses_the_packets_that_the_same_link_of_a_world_would_lose() {
    if !stands() {
        return;
    }
    let network = start(&Topology::pair(5, &Link::new().loss(Loss::numbers([1, 2, 5]))));
    let [a, b] = sockets(&network);
    for n in 0..8 {
        a.send(&[n]).expect("sent");
    }
    let mut came = Vec::new();
    while came.len() < 5 {
        let mut byte = [0];
        b.recv(&mut byte).expect("received");
        came.push(byte[0]);
    }
    assert_eq!(came, [0, 3, 4, 6, 7]);
}

#[test]
fn a_link_can_be_cut_and_changed_while_it_stands() {
    if !stands() {
        return;
    }
    let network = start(&Topology::pair(5, &Link::new()));
    let [a, b] = sockets(&network);
    let mut byte = [0];
    network.set_carrier(0, Carrier::Drops);
    // The answer comes after the change.
    network.figures();
    a.send(&[1]).expect("sent");
    while network.figures()[0].stats.offered == 0 {
        std::thread::yield_now();
    }
    network.set_carrier(0, Carrier::Up);
    network.change(0, Link::new().loss(Loss::Independent(1.0)), Link::new());
    network.figures();
    a.send(&[2]).expect("sent");
    while network.figures()[0].stats.offered == 1 {
        std::thread::yield_now();
    }
    network.change(0, Link::new(), Link::new());
    network.figures();
    a.send(&[3]).expect("sent");
    b.recv(&mut byte).expect("received");
    assert_eq!(byte, [3]);
    let stats = &network.figures()[0].stats;
    assert_eq!((stats.dropped_for(DropCause::Outage), stats.dropped_for(DropCause::Loss)), (1, 1));
}

#[test]
fn a_link_that_follows_a_trace_lets_packets_go_at_its_opportunities() {
    if !stands() {
        return;
    }
    // Three full packets every 400 ms.
    let trace = DeliveryTrace::new(vec![100, 100, 400]).expect("a trace");
    let network = start(&Topology::pair(5, &Link::new().trace(trace)));
    let [a, b] = sockets(&network);
    let mut packet = [0; 1_472];
    for _ in 0..7 {
        a.send(&packet).expect("sent");
    }
    for _ in 0..7 {
        assert_eq!(b.recv(&mut packet).expect("received"), 1_472);
    }
    // By the clock of the lane, whatever else this machine does: the first waits for less than a round, the last for
    // two more.
    let waited = network.figures()[0].stats.sojourn_max;
    assert!((700 * MS..=1_100 * MS).contains(&waited), "{waited:?}");
}

#[test]
fn routers_forward_between_links() {
    if !stands() {
        return;
    }
    let node = |name: &str, addresses| TopologyNode { name: name.to_owned(), addresses, nat: None };
    let link = |a, b| TopologyLink { name: format!("{a}-{b}"), a, b, forth: Link::new(), back: Link::new() };
    let topology = Topology {
        seed: 1,
        nodes: vec![
            node("a", vec![topology::ipv4(0), topology::ipv6(0)]),
            node("b", vec![topology::ipv4(1), topology::ipv6(1)]),
            node("r1", vec![]),
            node("r2", vec![]),
        ],
        links: vec![link(0, 2), link(2, 3), link(3, 1)],
    };
    let network = start(&topology);
    let [a, b] = sockets(&network);
    a.send(b"there").expect("sent");
    let mut bytes = [0; 10];
    assert_eq!(b.recv(&mut bytes).expect("received"), 5);
    b.send(b"back").expect("sent");
    assert_eq!(a.recv(&mut bytes).expect("received"), 4);
    let delivered: Vec<u64> = network.figures().iter().map(|lane| lane.stats.delivered).collect();
    assert_eq!(delivered, [1; 6], "and nothing else was on the links");
}

#[test]
fn a_nat_stands_for_those_behind_it_over_udp_and_tcp_and_lets_nobody_else_in() {
    if !stands() {
        return;
    }
    let node = |name: &str, addresses| TopologyNode { name: name.to_owned(), addresses, nat: None };
    let link = |a, b| TopologyLink { name: format!("{a}-{b}"), a, b, forth: Link::new(), back: Link::new() };
    let own: IpAddr = "192.0.2.1".parse().expect("an address");
    let config = NatConfig { ports: NatPorts::Random, ..NatConfig::new(vec![own, topology::ipv6(9)]) };
    let home = TopologyNode { nat: Some(TopologyNat { config, inside: vec![0] }), ..node("home", vec![]) };
    let topology = Topology {
        seed: 1,
        nodes: vec![
            node("phone", vec![topology::ipv4(0), topology::ipv6(0)]),
            node("server", vec![topology::ipv4(1), topology::ipv6(1)]),
            home,
        ],
        links: vec![link(0, 2), link(2, 1)],
    };
    let network = start(&topology);
    let udp = |node: usize, ip: IpAddr| {
        let socket = network.run(node, || UdpSocket::bind((ip, 7))).expect("a thread").expect("a socket");
        socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        socket
    };
    for (ip, server, own) in
        [(topology::ipv4(0), topology::ipv4(1), own), (topology::ipv6(0), topology::ipv6(1), topology::ipv6(9))]
    {
        let (phone, server, mut bytes) = (udp(0, ip), udp(1, server), [0; 16]);
        phone.send_to(b"there", server.local_addr().expect("bound")).expect("sent");
        let (len, seen) = server.recv_from(&mut bytes).expect("received");
        assert!(&bytes[..len] == b"there" && seen.ip() == own && seen.port() != 7, "{seen}");
        // To the phone's own address nothing comes, and what comes to the NAT's from elsewhere neither.
        server.send_to(b"lost", (ip, 7)).expect("sent");
        let stranger = network.run(1, || UdpSocket::bind((server.local_addr().expect("bound").ip(), 8)));
        stranger.expect("a thread").expect("a socket").send_to(b"lost", seen).expect("sent");
        server.send_to(b"back", seen).expect("sent");
        let (len, from) = phone.recv_from(&mut bytes).expect("received");
        assert!(&bytes[..len] == b"back" && from == server.local_addr().expect("bound"), "{from}");
    }
    let refused: u64 = network.figures().iter().map(|lane| lane.refused).sum();
    assert_eq!(refused, 4);
    let listener = network.run(1, || TcpListener::bind((topology::ipv4(1), 80))).expect("a thread").expect("a socket");
    let there = listener.local_addr().expect("bound");
    let received = std::thread::scope(|scope| {
        scope.spawn(|| {
            let stream = network.run(0, || TcpStream::connect(there)).expect("a thread");
            stream.expect("a connection").write_all(&[7; 300_000]).expect("sent");
        });
        let (mut stream, from) = listener.accept().expect("a connection");
        assert_eq!(from.ip(), own);
        let mut received = Vec::new();
        stream.read_to_end(&mut received).expect("received");
        received
    });
    assert_eq!(received.len(), 300_000);
}

#[test]
fn transfers_of_kernel_tcp_tell_what_came_of_them() {
    if !stands() {
        return;
    }
    let network = start(&Topology::pair(1, &Link::new().rate(200_000_000).delay(MS)));
    let transfer = |from: usize, to: usize, amount| Transfer {
        from,
        to,
        controller: Some("reno".to_owned()),
        start: Duration::ZERO,
        amount,
    };
    let transfers = [transfer(0, 1, Amount::Bytes(1_000_000)), transfer(1, 0, Amount::Forever)];
    let receivers = tcp::listen(&network, &transfers).expect("they listen");
    let (origin, span) = (Origin::now(), Span { limit: 600 * MS, interval: 100 * MS });
    let figures: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> =
            receivers.into_iter().map(|receiver| scope.spawn(|| receiver.run(&network, origin, span))).collect();
        running.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    for one in &figures {
        assert_eq!((&one.controller[..], &one.failure), ("reno", &None), "{figures:?}");
        assert_eq!(one.bytes_per_interval.iter().sum::<u64>(), one.bytes);
    }
    assert!(figures[1].bytes > 0 && figures[1].completion_s.is_none(), "{figures:?}");
    assert!(figures[0].bytes <= 1_000_000 && (figures[0].bytes == 1_000_000) == figures[0].completion_s.is_some());
    assert!(figures[0].rtt_min_us.is_some_and(|us| us >= 2_000.0), "{figures:?}");
    let unknown = Transfer { controller: Some("nosuch".to_owned()), ..transfers[0].clone() };
    assert!(tcp::listen(&network, &[unknown]).expect_err("refused").to_string().contains("it has"));
}

#[test]
fn links_are_measured_by_packets_that_cross_them() {
    if !stands() {
        return;
    }
    let near = |check: &check::Check, share: f64| (check.measured - share).abs() < 5.0 && check.packets == 2_000;
    let loss = check::loss(1, 0.5, 2_000).expect("a figure");
    assert!(near(&loss, 50.0), "{loss:?}");
    let duplication = check::duplication(1, 0.5, 2_000).expect("a figure");
    assert!(near(&duplication, 50.0), "{duplication:?}");
    let reordering = check::reordering(1, 0.25, 2_000).expect("a figure");
    assert!(near(&reordering, 25.0), "{reordering:?}");
    // However busy the machine is, it is so for both.
    let [slow, fast] = [2_000_000, 8_000_000].map(|bps| check::rate(1, bps, 400 * MS).expect("a figure").measured);
    assert!((2.0..8.0).contains(&(fast / slow)), "{fast} and {slow}");
    // Nothing comes before its time.
    let delay = check::delay(1, MS).expect("a figure");
    assert!(delay.measured >= 1.0 && delay.packets == 300, "{delay:?}");
}
