use core::future::poll_fn;

use super::*;

fn bind(addr: &str) -> io::Result<UdpSocket> {
    UdpSocket::bind(addr.parse().unwrap())
}

fn transmit(remote: SocketAddr, len: usize, segment_size: usize, ecn: Ecn) -> Transmit {
    Transmit { remote, local: None, ecn, len, segment_size }
}

async fn send(socket: &UdpSocket, transmit: Transmit, payload: &[u8]) {
    poll_fn(|cx| socket.poll_writable(cx)).await.unwrap();
    socket.try_send(&transmit, payload).unwrap();
}

async fn receive(socket: &UdpSocket) -> (Received, Vec<u8>) {
    let mut buffer = vec![0; RECEIVE_BATCH * RECEIVE_BUFFER];
    let mut received = [Received::default(); RECEIVE_BATCH];
    loop {
        poll_fn(|cx| socket.poll_readable(cx)).await.unwrap();
        if let Ok(1..) = socket.try_receive(&mut buffer, &mut received) {
            return (received[0], buffer[..received[0].len].to_vec());
        }
    }
}

#[tokio::test]
async fn a_batch_arrives_as_a_batch_with_its_ecn_and_addresses() {
    for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        let (a, b) = (bind("127.0.0.1:0").unwrap(), bind("127.0.0.1:0").unwrap());
        assert_eq!(a.segments_max(), 64, "this kernel segments");
        let payload: Vec<u8> = (0..10_500u32).map(|i| i as u8).collect();
        send(&a, transmit(b.local_addr().unwrap(), payload.len(), 1000, ecn), &payload).await;
        let (meta, bytes) = receive(&b).await;
        assert_eq!(bytes, payload);
        let expected = Received {
            remote: a.local_addr().unwrap(),
            local: Some(b.local_addr().unwrap()),
            ecn,
            len: 10_500,
            segment_size: 1000,
        };
        assert_eq!(meta, expected);
    }
}

#[tokio::test]
async fn several_messages_come_in_one_call() {
    let b = bind("127.0.0.1:0").unwrap();
    let senders: Vec<UdpSocket> = (0..3).map(|_| bind("127.0.0.1:0").unwrap()).collect();
    for (i, a) in senders.iter().enumerate() {
        let payload = vec![i as u8; 100 + i];
        send(a, transmit(b.local_addr().unwrap(), payload.len(), payload.len(), Ecn::NotEct), &payload).await;
    }
    let mut buffer = vec![0; RECEIVE_BATCH * RECEIVE_BUFFER];
    let mut received = [Received::default(); RECEIVE_BATCH];
    poll_fn(|cx| b.poll_readable(cx)).await.unwrap();
    assert_eq!(b.try_receive(&mut buffer, &mut received).unwrap(), 3);
    for (i, a) in senders.iter().enumerate() {
        assert_eq!((received[i].remote, received[i].len), (a.local_addr().unwrap(), 100 + i));
        assert!(buffer[i * RECEIVE_BUFFER..][..100 + i].iter().all(|&byte| byte == i as u8));
    }
    assert_eq!(b.try_receive(&mut buffer, &mut received).unwrap_err().kind(), io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn ipv4_peers_of_a_dual_stack_socket_have_ipv4_addresses() {
    let both = bind("[::]:0").unwrap();
    if both.local_addr().unwrap().is_ipv4() {
        println!("skipped: this system has no IPv6");
        return;
    }
    let port = both.local_addr().unwrap().port();
    let four = bind("127.0.0.1:0").unwrap();
    send(&four, transmit((Ipv4Addr::LOCALHOST, port).into(), 2, 2, Ecn::Ect0), b"hi").await;
    let (meta, _) = receive(&both).await;
    assert_eq!(
        (meta.remote, meta.local, meta.ecn),
        (four.local_addr().unwrap(), Some((Ipv4Addr::LOCALHOST, port).into()), Ecn::Ect0)
    );
    // And back, from the address that the datagram was sent to.
    let back = Transmit { local: meta.local, ..transmit(meta.remote, 5, 2, Ecn::Ect0) };
    send(&both, back, b"hello").await;
    let (meta, bytes) = receive(&four).await;
    assert_eq!((meta.remote, meta.segment_size, meta.ecn), ((Ipv4Addr::LOCALHOST, port).into(), 2, Ecn::Ect0));
    assert_eq!(bytes, b"hello");
}

#[tokio::test]
async fn the_source_address_is_the_one_asked_for() {
    let (any, b) = (bind("0.0.0.0:0").unwrap(), bind("127.0.0.1:0").unwrap());
    let source: std::net::IpAddr = "127.0.0.2".parse().unwrap();
    let own = any.local_addr().unwrap().port();
    // A socket has one port, whatever is named.
    for port in [0, own, own ^ 1] {
        let local = Some(SocketAddr::new(source, port));
        let out = Transmit { local, ..transmit(b.local_addr().unwrap(), 1, 1, Ecn::NotEct) };
        send(&any, out, b"x").await;
        assert_eq!(receive(&b).await.0.remote, SocketAddr::new(source, own));
    }
}

#[tokio::test]
async fn an_ipv6_batch_arrives() {
    let (Ok(a), Ok(b)) = (bind("[::1]:0"), bind("[::1]:0")) else {
        println!("skipped: this system has no IPv6 loopback");
        return;
    };
    send(&a, transmit(b.local_addr().unwrap(), 3000, 1200, Ecn::Ect0), &[9; 3000]).await;
    let (meta, _) = receive(&b).await;
    assert_eq!((meta.remote, meta.len, meta.segment_size, meta.ecn), (a.local_addr().unwrap(), 3000, 1200, Ecn::Ect0));
}

#[tokio::test]
async fn a_destination_of_the_other_family_is_an_error_not_a_panic() {
    let a = bind("127.0.0.1:0").unwrap();
    poll_fn(|cx| a.poll_writable(cx)).await.unwrap();
    assert!(a.try_send(&transmit("[::1]:9".parse().unwrap(), 1, 1, Ecn::NotEct), b"x").is_err());
}

#[tokio::test]
async fn a_taken_address_is_an_error() {
    let a = bind("127.0.0.1:0").unwrap();
    assert_eq!(UdpSocket::bind(a.local_addr().unwrap()).unwrap_err().kind(), io::ErrorKind::AddrInUse);
}
