//! Connections whose transports are guests, over real sockets.

use core::time::Duration;
use std::sync::{Arc, Mutex};

use stp_guest_flood::Flood;
use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use tng::stp::{Advisor, Advisors, Cap, Code, End, Fault, Kind, Life, NativeAdvisor, Refused, Role};
use tng::{Access, Endpoint, GUESTS_KEPT, GuestConnectError, GuestConnection, GuestError, ServiceOptions, Ticket};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const LIMIT: Duration = Duration::from_secs(60);

async fn server(codes: &[Code]) -> (Endpoint, Ticket) {
    let mut builder = Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address")).access(Access::Public);
    builder = builder.listen("sink", "bytes", ServiceOptions::default());
    for code in codes {
        builder = builder.transport(code.clone());
    }
    let endpoint = builder.build().await.expect("an endpoint");
    let ticket = endpoint.ticket().expect("a ticket");
    (endpoint, ticket)
}

async fn accept(endpoint: &Endpoint) -> GuestConnection {
    let incoming = endpoint.accept().await.expect("it is open");
    incoming.accept().await.expect("a peer").guest().expect("it speaks a guest")
}

/// Both ends of a connection.
async fn pair(code: Code) -> (Endpoint, GuestConnection, GuestConnection) {
    let (server, ticket) = server(std::slice::from_ref(&code)).await;
    let client = Endpoint::builder().transport(code.clone()).build().await.expect("an endpoint");
    let (near, far) = tokio::join!(client.connect_transport(&ticket, code.name()), accept(&server));
    (server, near.expect("connected"), far)
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251) as u8).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_of_a_guest_carries_bytes_both_ways_up_to_their_ends() {
    for code in [Code::native::<NewReno>("newreno"), Code::native::<Sack>("sack")] {
        let (_server, mut near, mut far) = pair(code).await;
        let (there, back) = (bytes(3_000_000), bytes(1_000_000));
        let (sent_there, sent_back) = (there.clone(), back.clone());
        let near = tokio::spawn(async move {
            let (mut reading, mut got) = (near.clone(), Vec::new());
            let write = async {
                near.write_all(&sent_there).await.unwrap();
                near.shutdown().await.unwrap();
                near.delivered().await.unwrap();
            };
            tokio::join!(write, async { reading.read_to_end(&mut got).await.unwrap() });
            (got, near)
        });
        let far = tokio::spawn(async move {
            let (mut reading, mut got) = (far.clone(), Vec::new());
            let write = async {
                far.write_all(&sent_back).await.unwrap();
                far.finish().unwrap();
                far.delivered().await.unwrap();
            };
            tokio::join!(write, async { reading.read_to_end(&mut got).await.unwrap() });
            (got, far)
        });
        let (near, far) = tokio::time::timeout(LIMIT, async { tokio::join!(near, far) }).await.unwrap();
        // Until both have been told, both hold on to the connection.
        let ((near, _near), (far, _far)) = (near.unwrap(), far.unwrap());
        assert!(near == back && far == there);
    }
}

#[tokio::test]
async fn messages_of_a_guest_come_whole() {
    let (_server, mut near, mut far) = pair(Code::native::<Flood>("flood")).await;
    for len in [1, 100, 900] {
        near.write(&bytes(len)).await.unwrap();
    }
    let mut into = [0; 2_000];
    for len in [1, 100, 900] {
        assert_eq!(tokio::time::timeout(LIMIT, far.read(&mut into)).await.unwrap(), Ok(len));
        assert_eq!(into[..len], bytes(len));
    }
}

#[tokio::test]
async fn a_transport_that_an_end_does_not_have_is_refused_by_name() {
    let (_server, ticket) = server(&[]).await;
    let client = Endpoint::builder().transport(Code::native::<Sack>("sack")).build().await.unwrap();
    let error = client.connect_transport(&ticket, "newreno").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "this endpoint has no transport \"newreno\"; give it one with `Builder::transport` (it has: sack)"
    );
    let error = client.connect_transport(&ticket, "sack").await.unwrap_err();
    let GuestConnectError::Connect(error) = error else { panic!("{error}") };
    assert!(error.to_string().contains("does not speak this protocol"), "{error}");
}

#[tokio::test]
async fn a_guest_that_is_shut_down_takes_its_leave_and_its_peer_reads_the_end() {
    let (_server, near, mut far) = pair(Code::native::<NewReno>("newreno")).await;
    let mut writer = near.clone();
    writer.write_all(b"the last words").await.unwrap();
    tokio::time::timeout(LIMIT, near.shut_down()).await.unwrap().unwrap();
    let life = near.with(|it| it.life().clone()).unwrap();
    assert!(matches!(life, Life::Ended(End::Done | End::Late)), "{life:?}");
    assert!(matches!(writer.write(b"more").await, Err(GuestError::Write(_))));
    let mut got = [0; 14];
    tokio::time::timeout(LIMIT, far.read_exact(&mut got)).await.unwrap().unwrap();
    assert_eq!(&got, b"the last words");
}

#[tokio::test]
async fn a_stream_that_the_peer_leaves_without_its_end_does_not_look_whole() {
    let (server, mut near, mut far) = pair(Code::native::<NewReno>("newreno")).await;
    far.write_all(b"half").await.unwrap();
    let mut got = [0; 4];
    tokio::time::timeout(LIMIT, near.read_exact(&mut got)).await.unwrap().unwrap();
    server.close().await;
    let read = tokio::time::timeout(LIMIT, near.read(&mut got)).await.unwrap();
    assert!(matches!(read, Err(GuestError::Connection(_) | GuestError::Ended(_))), "{read:?}");
}

#[tokio::test]
async fn a_call_of_a_protocols_own_reaches_its_guest() {
    let (_server, near, mut far) = pair(Code::native::<Flood>("flood")).await;
    assert_eq!(near.call(9, &[]), Err(GuestError::Call(Refused::NotThere)));
    assert_eq!(near.call(stp_guest_flood::CALL_FILL, &[0]), Ok(Vec::new()));
    // What it makes itself is nothing that the application reads.
    let mut into = [0; 100];
    let read = tokio::time::timeout(Duration::from_millis(50), far.read(&mut into)).await;
    assert!(read.is_err());
}

#[tokio::test]
async fn an_endpoint_gives_account_of_its_guests_while_they_work_and_says_why_each_has_ended() {
    let (server, mut near, mut far) = pair(Code::native::<NewReno>("newreno")).await;
    let (sent, mut got) = (bytes(500_000), vec![0; 500_000]);
    let write = async {
        near.write_all(&sent).await.unwrap();
        near.delivered().await.unwrap();
    };
    let read = async { far.read_exact(&mut got).await.unwrap() };
    // Delivered it is before the stream has ended, too.
    tokio::time::timeout(LIMIT, async { tokio::join!(write, read) }).await.unwrap();

    let accounts = server.guests();
    let [account] = &accounts[..] else { panic!("{accounts:?}") };
    assert_eq!((account.name.as_str(), account.kind, &account.ended), ("newreno", Kind::Transport, &None));
    assert_eq!((account.role, account.peer), (Some(Role::Responder), Some(far.connection().peer())));
    let traffic = account.traffic;
    assert!(traffic.received_bytes >= 500_000 && traffic.received >= 500_000 / 1_500, "{traffic:?}");
    assert!((1..traffic.received).contains(&traffic.sent), "it acknowledges every second one: {traffic:?}");
    let usage = account.usage;
    assert!(usage.calls > 10 && !usage.time.is_zero() && usage.time < account.age, "{usage:?} in {:?}", account.age);
    assert!(usage.most >= account.held && usage.most > 1_000, "what waited in the ring: {usage:?}");
    let there = near.with(|it| *it.shim().traffic()).unwrap();
    assert!(there.sent >= traffic.received && there.sent_bytes >= 500_000, "{there:?}");

    drop((near, far));
    let left = async {
        loop {
            let accounts = server.guests();
            match &accounts[..] {
                [account] if matches!(account.ended, Some(GuestError::Connection(_))) => return account.clone(),
                _ => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    };
    let account = tokio::time::timeout(LIMIT, left).await.unwrap();
    assert_eq!(account.traffic.received, traffic.received);
}

#[tokio::test]
async fn accounts_of_guests_that_have_ended_are_kept_up_to_a_bound() {
    let code = Code::native::<NewReno>("newreno");
    let (server, ticket) = server(std::slice::from_ref(&code)).await;
    let client = Endpoint::builder().transport(code).build().await.unwrap();
    for _ in 0..GUESTS_KEPT + 3 {
        let (near, far) = tokio::join!(client.connect_transport(&ticket, "newreno"), accept(&server));
        drop((near.unwrap(), far));
    }
    // One that has ended is there itself, until its connection is over.
    let all_over = async {
        while server.guests().len() > GUESTS_KEPT {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, all_over).await.unwrap();
    let accounts = server.guests();
    assert!(accounts.len() == GUESTS_KEPT && accounts.iter().all(|account| account.ended.is_some()), "{accounts:?}");
}

/// Regulates as NewReno does before its first loss, and traps at the twentieth sample.
struct Trap(u32);

impl tng_stp_abi::Controller for Trap {
    fn new(_: u32) -> Trap {
        Trap(0)
    }

    fn handle(&mut self, host: &mut impl tng_stp_abi::Window, _: &tng_stp_abi::Sample) {
        self.0 += 1;
        assert!(self.0 < 20, "trapped");
        host.net_window(u64::from(self.0) * 12_000, 0);
    }
}

#[tokio::test]
async fn a_guest_that_regulates_has_an_account_and_when_it_traps_the_reason_is_told_and_the_connection_goes_on() {
    let (server, ticket) = server(&[]).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let make = |mtu| Ok(Box::new(NativeAdvisor::<Trap>::new(mtu)) as Box<dyn Advisor>);
    let tell = move |fault: &Fault| heard.lock().unwrap().push(fault.clone());
    let advisors = Advisors::new("trap", Cap::Equation, make, tell);
    let client = Endpoint::builder().advised(advisors).build().await.unwrap();
    let accepting = async { server.accept().await.unwrap().accept().await.unwrap() };
    let (connection, far) = tokio::join!(client.connect(&ticket), accepting);
    let connection = connection.unwrap();

    let accounts = client.guests();
    let [account] = &accounts[..] else { panic!("{accounts:?}") };
    assert_eq!((account.name.as_str(), account.kind, account.role), ("trap", Kind::Controller, None));
    assert!((1..20).contains(&account.usage.calls) && account.ended.is_none(), "{account:?}");

    let sent = bytes(2_000_000);
    let write = async {
        let (mut send, recv) = connection.open("sink", "bytes").await.unwrap().split();
        send.write_all(&sent).await.unwrap();
        send.finish().await.unwrap();
        recv
    };
    let read = async {
        let (_send, mut recv) = far.accept().await.unwrap().stream.split();
        recv.read_to_end(sent.len()).await.unwrap()
    };
    let (_recv, got) = tokio::time::timeout(LIMIT, async { tokio::join!(write, read) }).await.unwrap();
    assert!(got == sent, "by whatever regulates now");

    let fault = Fault::Trapped("panicked".to_owned());
    let accounts = client.guests();
    let [account] = &accounts[..] else { panic!("{accounts:?}") };
    assert_eq!((account.usage.calls, &account.ended), (20, &Some(GuestError::Ended(End::Stopped(fault.clone())))));
    assert_eq!(*told.lock().unwrap(), [fault]);
}
