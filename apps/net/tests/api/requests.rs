//! Requests and services: many at once, of any size, given up, unanswered, and gone wrong.

use core::future::pending;
use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tng::{
    Access, Connection, Endpoint, FirstData, PANICKED, Priority, Request, RequestError, ServeOptions, ServiceOptions,
    TOO_LONG,
};

async fn endpoint() -> Endpoint {
    Endpoint::builder().bind("127.0.0.1:0".parse().unwrap()).access(Access::Public).build().await.unwrap()
}

async fn connect(server: &Endpoint) -> (Endpoint, Connection) {
    let client = endpoint().await;
    let connection = client.connect(&server.ticket().unwrap()).await.unwrap();
    (client, connection)
}

async fn echo(request: Request) -> Bytes {
    request.into_body()
}

/// What is held of requests on a connection goes away soon.
async fn is_left_empty(connection: &Connection) {
    for _ in 0..200 {
        if connection.stream_stats().is_none_or(|stats| stats.streams == 0) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{:?}", connection.stream_stats());
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31 + at / 251) as u8).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_at_once_are_answered_each_with_its_own_answer() {
    let server = endpoint().await;
    server.serve("echo", echo).unwrap();
    let (_client, connection) = connect(&server).await;
    let asks: Vec<_> = (0..3_000u32)
        .map(|n| {
            let connection = connection.clone();
            tokio::spawn(async move { (n, connection.request("echo", n.to_be_bytes().to_vec()).await) })
        })
        .collect();
    for ask in asks {
        let (n, answer) = ask.await.unwrap();
        assert_eq!(answer.unwrap(), n.to_be_bytes()[..]);
    }
    is_left_empty(&connection).await;
}

#[tokio::test]
async fn requests_and_answers_have_any_size() {
    let server = endpoint().await;
    let options = ServeOptions { request_max: 8 << 20, ..ServeOptions::default() };
    server.serve_with("echo", options, echo).unwrap();
    let (_client, connection) = connect(&server).await;
    for len in [0, 1, 1_000, 1_400, 4_096, 4_097, 10_000, 70_000, 600_000, 3 << 20] {
        let body = bytes(len);
        let answer = connection.request("echo", body.clone()).await.unwrap();
        assert!(answer == body, "{len} bytes are not the same");
    }
    is_left_empty(&connection).await;
}

#[tokio::test]
async fn what_is_refused_is_refused_by_name() {
    let server = endpoint().await;
    server.serve("echo", echo).unwrap();
    let (_client, connection) = connect(&server).await;
    let Err(RequestError::Refused { reason, .. }) = connection.request("eho", "").await else { panic!() };
    assert_eq!(reason.to_string(), "no such service");
    let long = "x".repeat(300);
    assert_eq!(connection.request(&long, "").await, Err(RequestError::NameTooLong(300)));
    let again = server.serve("echo", echo).unwrap_err();
    assert_eq!(again.to_string(), "the service echo is answered already; serve it once, or under another name");
    // A general stream to a service of requests is one to another protocol.
    let mut stream = connection.open("echo", "bytes").await.unwrap();
    assert!(stream.read_to_end(1).await.unwrap_err().to_string().contains("no such protocol"));
}

#[tokio::test]
async fn a_handler_that_panics_fails_its_request_and_no_other() {
    let server = endpoint().await;
    let handler = async |request: Request| {
        match &request.body()[..] {
            b"now" => panic!("a test's"),
            b"later" => {
                tokio::time::sleep(Duration::from_millis(5)).await;
                panic!("a test's, too");
            }
            b"code" => return Err(7),
            _ => {}
        }
        Ok(request.into_body())
    };
    server.serve("moody", handler).unwrap();
    let (_client, connection) = connect(&server).await;
    let ask = |body: &'static str| connection.request("moody", body);
    let (a, b, c, d, e) = tokio::join!(ask("one"), ask("now"), ask("later"), ask("code"), ask("two"));
    assert_eq!((a.unwrap(), e.unwrap()), ("one".into(), "two".into()));
    assert_eq!(
        (b, c, d),
        (Err(RequestError::Failed(PANICKED)), Err(RequestError::Failed(PANICKED)), Err(RequestError::Failed(7)))
    );
    assert_eq!(ask("three").await.unwrap(), "three");
    is_left_empty(&connection).await;
}

#[tokio::test]
async fn a_handler_that_never_answers_is_bounded_and_leaves_room_for_others() {
    let server = endpoint().await;
    let options = ServeOptions { requests_max: 30, ..ServeOptions::default() };
    server.serve_with("never", options, async |_| pending::<Bytes>().await).unwrap();
    server.serve("echo", echo).unwrap();
    let (_client, greedy) = connect(&server).await;
    let asks: Vec<_> = (0..40)
        .map(|_| {
            let greedy = greedy.clone();
            tokio::spawn(async move { greedy.request("never", "").deadline(Duration::from_millis(600)).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let (_other, modest) = connect(&server).await;
    assert!(matches!(
        modest.request("never", "").deadline(Duration::from_millis(100)).await,
        Err(RequestError::TimedOut(_))
    ));
    assert_eq!(greedy.request("echo", "x").await.unwrap(), "x");
    let (mut refused, mut late) = (0, 0);
    for ask in asks {
        match ask.await.unwrap() {
            Err(RequestError::Refused { reason, .. }) => {
                assert!(reason.to_string().ends_with("requests to never are not answered yet"), "{reason}");
                refused += 1;
            }
            Err(RequestError::TimedOut(_)) => late += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((refused, late), (25, 15), "half of what is left is for each");
    is_left_empty(&greedy).await;
    // What was given up makes room.
    let answer = greedy.request("never", "").deadline(Duration::from_millis(100)).await;
    assert!(matches!(answer, Err(RequestError::TimedOut(_))), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_taken_back_half_way_leave_nothing() {
    let count: usize = std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(10_000);
    let server = endpoint().await;
    let alive = Arc::new(AtomicUsize::new(0));
    struct Alive(Arc<AtomicUsize>);
    impl Drop for Alive {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let counted = Arc::clone(&alive);
    let handler = move |request: Request| {
        counted.fetch_add(1, Ordering::SeqCst);
        let alive = Alive(Arc::clone(&counted));
        async move {
            let _alive = alive;
            if request.body().len().is_multiple_of(3) {
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
            request.into_body()
        }
    };
    server.serve("slow", handler).unwrap();
    let (_client, connection) = connect(&server).await;
    let mut at = 0;
    while at < count {
        let some: Vec<_> = (0..200)
            .map(|n| {
                let connection = connection.clone();
                // From given up at once to answered.
                let after = Duration::from_micros(n % 40 * 100);
                let body = bytes((n * 37 % 9_000) as usize);
                tokio::spawn(async move { connection.request("slow", body).deadline(after).await })
            })
            .collect();
        at += some.len();
        for (n, ask) in some.into_iter().enumerate() {
            if n % 5 == 0 {
                ask.abort();
            } else if let Err(error) = ask.await.unwrap() {
                assert!(matches!(error, RequestError::TimedOut(_)), "{error}");
            }
        }
    }
    is_left_empty(&connection).await;
    let stats = connection.stream_stats().unwrap();
    assert_eq!(stats.bytes_unread, 0);
    for _ in 0..100 {
        if alive.load(Ordering::SeqCst) == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(alive.load(Ordering::SeqCst), 0, "handlers of requests that nobody waits for");
    // As many may be asked as ever.
    assert_eq!(connection.request("slow", "x").await.unwrap(), "x");
}

#[tokio::test]
async fn what_is_too_long_is_not_taken() {
    let server = endpoint().await;
    let options = ServeOptions { request_max: 5_000, ..ServeOptions::default() };
    server.serve_with("echo", options, echo).unwrap();
    server.serve("long", async |request: Request| vec![1; request.body().len() * 1_000]).unwrap();
    let (_client, connection) = connect(&server).await;
    assert_eq!(connection.request("echo", bytes(5_000)).await.unwrap(), bytes(5_000));
    assert_eq!(connection.request("echo", bytes(5_001)).await, Err(RequestError::Failed(TOO_LONG)));
    assert_eq!(connection.request("echo", bytes(2 << 20)).await, Err(RequestError::Failed(TOO_LONG)));
    assert_eq!(connection.request("long", "12").answer_max(1_999).await, Err(RequestError::TooLong(1_999)));
    assert_eq!(connection.request("long", "12").answer_max(2_000).await.unwrap().len(), 2_000);
    assert_eq!(connection.request("long", bytes(500)).answer_max(499_999).await, Err(RequestError::TooLong(499_999)));
    is_left_empty(&connection).await;
}

#[tokio::test]
async fn a_program_that_accepts_peers_itself_has_their_requests_answered_and_their_streams() {
    let server = Endpoint::builder().bind("127.0.0.1:0".parse().unwrap()).access(Access::Public);
    let server = server.listen("bytes", "bytes", ServiceOptions::default()).build().await.unwrap();
    let asked = server.clone();
    let accepting = tokio::spawn(async move { asked.accept().await.unwrap().accept().await.unwrap() });
    tokio::task::yield_now().await;
    server.serve("echo", async |request: Request| request.peer().to_string()).unwrap();
    let (client, connection) = connect(&server).await;
    let theirs = accepting.await.unwrap();
    assert_eq!(connection.request("echo", "").await.unwrap(), client.eid().to_string());
    let mut stream = connection.open("bytes", "bytes").await.unwrap();
    stream.write_all(b"hello").await.unwrap();
    stream.finish().await.unwrap();
    assert_eq!(theirs.accept().await.unwrap().stream.read_to_end(10).await.unwrap(), b"hello");
    // Either end may serve.
    client.serve("back", echo).unwrap();
    drop(theirs);
    assert!(connection.request("echo", "").await.is_err(), "its last handle is gone");
}

#[tokio::test]
async fn requests_go_both_ways_and_the_most_urgent_first() {
    let server = endpoint().await;
    let client = endpoint().await;
    client.serve("echo", echo).unwrap();
    let ticket = server.ticket().unwrap();
    let (ours, theirs) = tokio::join!(async { client.connect(&ticket).await.unwrap() }, async {
        server.accept().await.unwrap().accept().await.unwrap()
    });
    server.serve("echo", echo).unwrap();
    assert_eq!(theirs.request("echo", "from the server").await.unwrap(), "from the server");
    let refused = ours.request("echo", "before it was served").await.unwrap_err();
    assert!(matches!(refused, RequestError::Refused { .. }), "of connections made from then on: {refused}");
    let urgent = Priority { level: Some(5), ..Priority::default() };
    assert_eq!(theirs.request("echo", bytes(100_000)).priority(urgent).await.unwrap(), bytes(100_000));
}

#[tokio::test]
async fn a_request_in_the_first_packet_is_answered_with_the_second() {
    let server = endpoint().await;
    let options = ServeOptions { first_data: FirstData::Unproven, ..ServeOptions::default() };
    server
        .serve_with("early", options, async |request: Request| if request.is_early() { "early" } else { "late" })
        .unwrap();
    server.serve("proven", async |request: Request| if request.is_early() { "early" } else { "late" }).unwrap();
    // Hosts that have met need no more than one packet each way.
    let client = endpoint().await;
    let ticket = server.ticket().unwrap();
    drop(client.connect(&ticket).await.unwrap());
    for (service, answer) in [("early", "early"), ("proven", "late")] {
        let dialled = client.dial(&ticket).unwrap();
        assert_eq!(dialled.connection().request(service, "").await.unwrap(), answer);
    }
}

#[tokio::test]
async fn the_end_of_a_connection_ends_its_requests_and_their_handlers() {
    let server = endpoint().await;
    let alive = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&alive);
    let handler = move |_: Request| {
        let alive = Arc::clone(&counted);
        async move {
            struct Alive(Arc<AtomicUsize>);
            impl Drop for Alive {
                fn drop(&mut self) {
                    self.0.fetch_sub(1, Ordering::SeqCst);
                }
            }
            alive.fetch_add(1, Ordering::SeqCst);
            let _alive = Alive(alive);
            pending::<Bytes>().await
        }
    };
    server.serve("never", handler).unwrap();
    let (_client, connection) = connect(&server).await;
    let asked = connection.clone();
    let ask = tokio::spawn(async move { asked.request("never", "").await });
    while alive.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    connection.close(1, "enough");
    assert!(matches!(ask.await.unwrap(), Err(RequestError::Connection(_))));
    while alive.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The same when the endpoint that serves goes away.
    let (_client, connection) = connect(&server).await;
    let ask = tokio::spawn(async move { connection.request("never", "").await });
    while alive.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.close().await;
    assert!(matches!(ask.await.unwrap(), Err(RequestError::Connection(_))));
    while alive.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
