use core::future::poll_fn;
use core::time::Duration;
use std::net::{Ipv6Addr, SocketAddr};

use nix::libc;
use tng_base::{Ecn, Hindrance, Transmit, Unreachable};
use tokio::time::timeout;

use super::linux::told;
use crate::socket::{RECEIVE_BATCH, RECEIVE_BUFFER, Received, Socket, UdpSocket};

/// A busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(20);

fn bind(addr: &str) -> UdpSocket {
    UdpSocket::bind(addr.parse().expect("an address")).expect("bound")
}

async fn send(socket: &UdpSocket, remote: SocketAddr, payload: &[u8]) {
    poll_fn(|cx| socket.poll_writable(cx)).await.expect("a runtime");
    let len = payload.len();
    let transmit = Transmit { remote, local: None, ecn: Ecn::NotEct, len, segment_size: len };
    socket.try_send(&transmit, payload).expect("sent");
}

/// What the system says next; the driver is woken for it.
async fn said(socket: &UdpSocket) -> Unreachable {
    let (mut buffer, mut received) = (vec![0; RECEIVE_BATCH * RECEIVE_BUFFER], [Received::default(); RECEIVE_BATCH]);
    let next = poll_fn(|cx| {
        while socket.poll_readable(cx).is_ready() {
            let _ = socket.try_receive(&mut buffer, &mut received);
        }
        socket.take_unreachable().map_or(core::task::Poll::Pending, core::task::Poll::Ready)
    });
    timeout(PATIENCE, next).await.expect("the system says so")
}

/// An address at which nobody listens.
fn closed(at: &str) -> SocketAddr {
    std::net::UdpSocket::bind(at).and_then(|socket| socket.local_addr()).expect("bound")
}

#[tokio::test]
async fn a_closed_port_is_told_with_what_was_sent_there() {
    let v6 = std::net::UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
    let cases = [("127.0.0.1:0", "127.0.0.1:0", true), ("[::]:0", "127.0.0.1:0", v6), ("[::]:0", "[::1]:0", v6)];
    for (from, to, _) in cases.into_iter().filter(|(.., possible)| *possible) {
        let (socket, remote) = (bind(from), closed(to));
        let payload: Vec<u8> = (0..200).collect();
        send(&socket, remote, &payload).await;
        let expected = Unreachable { remote, why: Hindrance::Port, quoted: payload[..64].to_vec(), by_system: false };
        assert_eq!(said(&socket).await, expected, "{from}");
        assert_eq!(socket.take_unreachable(), None);
    }
}

#[tokio::test]
async fn a_driver_that_never_waits_hears_of_errors_by_calls_that_fail() {
    let (socket, nobody) = (bind("127.0.0.1:0"), closed("127.0.0.1:0"));
    let next = async {
        loop {
            send(&socket, nobody, b"is anybody there?").await;
            match socket.take_unreachable() {
                Some(told) => break told,
                None => tokio::task::yield_now().await,
            }
        }
    };
    let told = timeout(PATIENCE, next).await.expect("the next datagram fails");
    assert_eq!((told.remote, told.why), (nobody, Hindrance::Port));
}

#[tokio::test]
async fn what_is_said_of_one_address_keeps_nothing_from_others() {
    let (socket, other, nobody) = (bind("127.0.0.1:0"), bind("127.0.0.1:0"), closed("127.0.0.1:0"));
    let (mut buffer, mut received) = (vec![0; RECEIVE_BATCH * RECEIVE_BUFFER], [Received::default(); RECEIVE_BATCH]);
    let there = other.local_addr().expect("bound");
    for number in 0..100u8 {
        // The system answers at once, and the next call would fail for it.
        send(&socket, nobody, &[0; 40]).await;
        send(&socket, there, &[number]).await;
    }
    let mut came = Vec::new();
    while came.len() < 100 {
        timeout(PATIENCE, poll_fn(|cx| other.poll_readable(cx))).await.expect("all come").expect("a runtime");
        let count = other.try_receive(&mut buffer, &mut received).unwrap_or(0);
        came.extend((0..count).map(|at| buffer[at * RECEIVE_BUFFER]));
    }
    assert_eq!(came, (0..100).collect::<Vec<u8>>());
}

#[test]
fn every_kind_of_report_is_read_and_none_needs_a_quote() {
    let remote: SocketAddr = "192.0.2.1:4860".parse().expect("an address");
    let said = |ee_origin, ee_type, ee_code, ee_info| libc::sock_extended_err {
        ee_errno: libc::EMSGSIZE as u32,
        ee_origin,
        ee_type,
        ee_code,
        ee_pad: 0,
        ee_info,
        ee_data: 0,
    };
    let (v4, v6, own) = (libc::SO_EE_ORIGIN_ICMP, libc::SO_EE_ORIGIN_ICMP6, libc::SO_EE_ORIGIN_LOCAL);
    let cases = [
        (said(v4, 3, 3, 0), Some(Hindrance::Port)),
        (said(v4, 3, 0, 0), Some(Hindrance::Host)),
        (said(v4, 3, 1, 0), Some(Hindrance::Host)),
        (said(v4, 3, 13, 0), Some(Hindrance::Prohibited)),
        (said(v4, 3, 4, 576), Some(Hindrance::TooBig { mtu: 576 })),
        (said(v4, 11, 0, 0), None),
        (said(v4, 255, 255, u32::MAX), None),
        (said(v6, 1, 4, 0), Some(Hindrance::Port)),
        (said(v6, 1, 0, 0), Some(Hindrance::Host)),
        (said(v6, 1, 1, 0), Some(Hindrance::Prohibited)),
        (said(v6, 2, 0, 1_280), Some(Hindrance::TooBig { mtu: 1_280 })),
        (said(v6, 3, 0, 0), None),
        (said(own, 0, 0, 576), Some(Hindrance::TooBig { mtu: 576 })),
        (said(77, 3, 3, 0), None),
    ];
    let quoted = [5; 64];
    for (said, why) in cases {
        for cut in 0..=quoted.len() {
            let expected = why.map(|why| Unreachable {
                remote,
                why,
                quoted: quoted[..cut].to_vec(),
                by_system: said.ee_origin == own,
            });
            assert_eq!(told(remote, &said, &quoted[..cut]), expected);
        }
    }
}
