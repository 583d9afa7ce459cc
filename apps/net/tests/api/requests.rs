//! Requests and services: many at once, of any size, given up, unanswered, and gone wrong.

use core::future::pending;
use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tng::{
    Access, Answer, Connection, Endpoint, FirstData, PANICKED, Priority, REQUESTS, ReadError, Request, RequestError,
    SendStream, ServeOptions, ServiceOptions, Stream, TOO_LONG, TOO_SLOW, WriteError,
};
use tokio::sync::Notify;

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
    for _ in 0..1_500 {
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
            tokio::spawn(async move { greedy.request("never", "").deadline(Duration::from_secs(2)).await })
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
    for _ in 0..1_500 {
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

/// Half of a request: a stream that nobody ends.
async fn half(connection: &Connection, service: &str, len: usize) -> Stream {
    let mut stream = connection.open(service, "request").await.unwrap();
    stream.write_all(&bytes(len)).await.unwrap();
    stream
}

#[tokio::test]
async fn a_request_that_does_not_come_whole_in_its_time_fails_by_name() {
    let server = endpoint().await;
    let options = ServeOptions { request_within: Duration::from_millis(150), ..ServeOptions::default() };
    server.serve_with("echo", options, echo).unwrap();
    let (_client, connection) = connect(&server).await;
    let mut slow = half(&connection, "echo", 10_000).await;
    // One that is only slow to be answered is no slow one.
    server
        .serve_with("long", ServeOptions { request_within: Duration::from_millis(1), ..ServeOptions::default() }, {
            async |request: Request| {
                tokio::time::sleep(Duration::from_millis(100)).await;
                request.into_body()
            }
        })
        .unwrap();
    let given_up = tokio::time::timeout(Duration::from_secs(30), slow.read_to_end(10)).await;
    assert_eq!(given_up.expect("in time"), Err(ReadError::Reset(TOO_SLOW)));
    let stopped = slow.write_all(b"more").await;
    assert!(matches!(stopped, Err(WriteError::Stopped(TOO_SLOW))), "{stopped:?}");
    drop(slow);
    is_left_empty(&connection).await;
    let (_client, later) = connect(&server).await;
    assert_eq!(later.request("long", "x").await.unwrap(), "x");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_with_very_many_half_sent_requests_holds_its_share_and_an_honest_one_is_answered() {
    const EACH: usize = 40_000;
    let server = endpoint().await;
    // Nothing fails for its slowness meanwhile, however busy the machine is.
    let patient = ServeOptions { request_within: Duration::from_secs(300), ..ServeOptions::default() };
    let options = ServeOptions { request_max: 200_000, bytes_max: 2_000_000, ..patient };
    server.serve_with("echo", options, echo).unwrap();
    let (_client, greedy) = connect(&server).await;
    let (_other, honest) = connect(&server).await;
    let mut halves = Vec::new();
    for at in 0..900 {
        halves.push(half(&greedy, "echo", EACH).await);
        if at % 100 == 0 {
            assert_eq!(honest.request("echo", bytes(200_000)).await.unwrap(), bytes(200_000));
        }
    }
    let asked = honest.request("echo", bytes(200_000)).deadline(Duration::from_secs(60)).await;
    assert_eq!(asked.unwrap(), bytes(200_000));
    // Refusals may be on their way, and come one after the other: who is told nothing until nothing comes any more is
    // held.
    let mut refused = 0;
    for _ in 0..600 {
        let (before, mut silent) = (refused, Vec::new());
        for mut half in halves {
            match tokio::time::timeout(
                Duration::from_millis(if silent.is_empty() { 100 } else { 1 }),
                half.read(&mut [0]),
            )
            .await
            {
                Ok(Err(ReadError::Refused { reason, .. })) => {
                    assert!(reason.to_string().ends_with("bytes of requests to echo are not answered yet"), "{reason}");
                    refused += 1;
                }
                Err(_) => silent.push(half),
                Ok(other) => panic!("{other:?}"),
            }
        }
        halves = silent;
        if refused == before && halves.len() * EACH <= 4_000_000 / 3 {
            break;
        }
    }
    let held = halves.len();
    assert!(held * EACH <= 4_000_000 / 3 && held >= 10, "{held} are held, {refused} were refused");
    drop(halves);
    is_left_empty(&greedy).await;
    // What was given up makes room.
    assert_eq!(greedy.request("echo", bytes(200_000)).await.unwrap(), bytes(200_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_keeps_asking_keeps_no_connection_that_the_application_has_dropped() {
    let server = endpoint().await;
    let handler = async |_: Request| {
        tokio::time::sleep(Duration::from_millis(100)).await;
        "done"
    };
    let asked = server.clone();
    let accepting = tokio::spawn(async move { asked.accept().await.unwrap().accept().await.unwrap() });
    tokio::task::yield_now().await;
    server.serve("slow", handler).unwrap();
    let (_client, connection) = connect(&server).await;
    let theirs = accepting.await.unwrap();
    // Each lasts until after the next has begun. They are too large to be taken as anything but streams.
    let answered = Arc::new(AtomicUsize::new(0));
    let asking: Vec<_> = (0..10)
        .map(|n| {
            let (connection, answered) = (connection.clone(), Arc::clone(&answered));
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(n * 10)).await;
                let mut is_first = true;
                loop {
                    match connection.request("slow", bytes(9_000)).await {
                        Ok(_) if is_first => {
                            answered.fetch_add(1, Ordering::SeqCst);
                            is_first = false;
                        }
                        Ok(_) => {}
                        Err(RequestError::Refused { .. }) => tokio::time::sleep(Duration::from_millis(5)).await,
                        Err(RequestError::Connection(_)) => return,
                        Err(other) => panic!("{other}"),
                    }
                }
            })
        })
        .collect();
    let all = async {
        while answered.load(Ordering::SeqCst) < asking.len() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), all).await.expect("control: each is answered while it is there");
    drop(theirs);
    tokio::time::timeout(Duration::from_secs(60), connection.closed()).await.expect("nobody keeps it");
    for one in asking {
        one.await.unwrap();
    }
}

#[tokio::test]
async fn answers_that_are_on_their_way_arrive_after_the_last_handle_of_the_endpoint_is_gone() {
    const ASKED: usize = 200;
    let server = endpoint().await;
    let (called, all) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (counted, notify) = (Arc::clone(&called), Arc::clone(&all));
    let handler = move |request: Request| {
        if counted.fetch_add(1, Ordering::SeqCst) + 1 == ASKED {
            notify.notify_one();
        }
        // Small ones are answered in one piece, and every tenth as a stream.
        let body = bytes(if request.body().len() > 1 { 60_000 } else { 4_000 });
        async move { body }
    };
    server.serve("bytes", handler).unwrap();
    let (_client, connection) = connect(&server).await;
    let asks: Vec<_> = (0..ASKED)
        .map(|n| {
            let connection = connection.clone();
            tokio::spawn(async move { connection.request("bytes", if n % 10 == 0 { "xx" } else { "x" }).await })
        })
        .collect();
    all.notified().await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    drop(server);
    let mut lens = Vec::new();
    for ask in asks {
        lens.push(ask.await.unwrap().expect("it was answered").len());
    }
    assert_eq!(lens.iter().sum::<usize>(), ASKED * 4_000 + ASKED / 10 * 56_000);
    let closed = tokio::time::timeout(Duration::from_secs(30), connection.closed()).await;
    closed.expect("soon after the last is there");
}

#[tokio::test]
async fn answers_that_are_on_their_way_arrive_after_the_connection_was_dropped() {
    let server = endpoint().await;
    let asked = server.clone();
    let accepting = tokio::spawn(async move { asked.accept().await.unwrap().accept().await.unwrap() });
    tokio::task::yield_now().await;
    let (called, notify) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (counted, all) = (Arc::clone(&called), Arc::clone(&notify));
    let handler = move |_: Request| {
        if counted.fetch_add(1, Ordering::SeqCst) + 1 == 100 {
            notify.notify_one();
        }
        async { bytes(4_000) }
    };
    server.serve("bytes", handler).unwrap();
    let (_client, connection) = connect(&server).await;
    let theirs = accepting.await.unwrap();
    let asks: Vec<_> = (0..100)
        .map(|_| {
            let connection = connection.clone();
            tokio::spawn(async move { connection.request("bytes", "").await })
        })
        .collect();
    all.notified().await;
    drop(theirs);
    for ask in asks {
        assert_eq!(ask.await.unwrap().expect("it was answered"), bytes(4_000));
    }
    let closed = tokio::time::timeout(Duration::from_secs(30), connection.closed()).await;
    closed.expect("soon after the last is there");
}

#[tokio::test]
async fn a_program_that_accepts_late_gets_those_who_were_let_in_before() {
    let server = endpoint().await;
    server.serve("echo", echo).unwrap();
    let (client, connection) = connect(&server).await;
    let (gone_client, gone) = connect(&server).await;
    let (_turned_client, turned) = connect(&server).await;
    for connection in [&connection, &gone, &turned] {
        assert_eq!(connection.request("echo", "x").await.unwrap(), "x");
    }
    let incoming = tokio::time::timeout(Duration::from_secs(30), server.accept()).await.expect("it waits").unwrap();
    assert_eq!(incoming.eid(), client.eid());
    let theirs = incoming.accept().await.unwrap();
    assert_eq!(connection.request("echo", "y").await.unwrap(), "y");
    client.serve("back", echo).unwrap();
    // The one that has gone meanwhile is not among them.
    gone.close(0, "");
    gone_client.close().await;
    // What the server hears afterwards it answers afterwards.
    assert_eq!(connection.request("echo", "z").await.unwrap(), "z");
    let second = tokio::time::timeout(Duration::from_secs(30), server.accept()).await.expect("it waits").unwrap();
    second.refuse("not you");
    let cause = tokio::time::timeout(Duration::from_secs(30), turned.closed()).await.expect("closed");
    assert!(cause.to_string().contains("not you"), "{cause}");
    let third = tokio::time::timeout(Duration::from_millis(100), server.accept()).await;
    assert!(third.is_err(), "{third:?}");
    // From now on it is the program that has them.
    drop(theirs);
    tokio::time::timeout(Duration::from_secs(30), connection.closed()).await.expect("its last handle is gone");
}

#[tokio::test]
async fn a_program_that_listens_under_the_name_of_a_service_takes_none_of_its_requests() {
    let before = Endpoint::builder().bind("127.0.0.1:0".parse().unwrap()).access(Access::Public);
    let server = before.listen("echo", "request", ServiceOptions::default()).build().await.unwrap();
    server.serve("echo", echo).unwrap();
    server.listen("echo", "request", ServiceOptions::default()).unwrap();
    let (_client, connection) = connect(&server).await;
    let answer = connection.request("echo", "x").deadline(Duration::from_secs(30)).await;
    assert_eq!(answer.unwrap(), "x");
}

#[tokio::test]
async fn a_long_answer_is_written_and_read_as_it_comes_about() {
    const PIECES: u32 = 3_000;
    let server = endpoint().await;
    let given_up = Arc::new(Notify::new());
    let notify = Arc::clone(&given_up);
    let handler = move |request: Request| {
        let notify = Arc::clone(&notify);
        async move {
            let endless = request.body() == "endless";
            Answer::written(async move |mut send: SendStream| {
                for n in 0u32.. {
                    if n == PIECES && !endless {
                        let _ = send.finish().await;
                        return;
                    }
                    if send.write_all(&[n as u8; 4_096]).await.is_err() {
                        return notify.notify_one();
                    }
                }
            })
        }
    };
    server.serve("pieces", handler).unwrap();
    let (_client, connection) = connect(&server).await;
    // More than any answer that is taken whole, and more than either end would hold.
    let mut answer = connection.request("pieces", bytes(9_000)).into_stream().await.unwrap();
    let mut len = 0;
    while let Some(chunk) = answer.read_chunk(usize::MAX).await.unwrap() {
        assert!(chunk.iter().enumerate().all(|(at, &byte)| byte == ((len + at) / 4_096) as u8));
        len += chunk.len();
    }
    assert_eq!(len, PIECES as usize * 4_096);
    assert_eq!(connection.request("pieces", "").await.unwrap().len(), len);
    assert_eq!(connection.request("pieces", "").answer_max(9_999).await, Err(RequestError::TooLong(9_999)));
    drop(connection.request("pieces", "endless").into_stream().await.unwrap());
    tokio::time::timeout(Duration::from_secs(30), given_up.notified()).await.expect("who writes is told");
    is_left_empty(&connection).await;
    // What is refused says so when it is read.
    let mut refused = connection.request("none", "").into_stream().await.unwrap();
    assert!(matches!(refused.read(&mut [0]).await, Err(ReadError::Refused { .. })));
}

#[tokio::test]
async fn a_connection_has_no_more_requests_at_once_than_one_may_have_whatever_room_there_is() {
    let server = endpoint().await;
    let options = ServeOptions { requests_per_connection_max: 3, ..ServeOptions::default() };
    server.serve_with("never", options, async |_| pending::<Bytes>().await).unwrap();
    let (_client, connection) = connect(&server).await;
    let ask = || connection.request("never", "").deadline(Duration::from_millis(300));
    let (a, b, c, d) = tokio::join!(ask(), ask(), ask(), ask());
    let late = [&a, &b, &c, &d].into_iter().filter(|end| matches!(end, Err(RequestError::TimedOut(_)))).count();
    let refused = [&a, &b, &c, &d].into_iter().filter(|end| matches!(end, Err(RequestError::Refused { .. }))).count();
    assert_eq!((late, refused), (3, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_beyond_every_window_may_be_answered_while_it_is_read() {
    const LEN: usize = 48 << 20;
    let builder = Endpoint::builder().bind("127.0.0.1:0".parse().unwrap()).access(Access::Public);
    let server = builder.listen("echo", REQUESTS, ServiceOptions::default()).build().await.unwrap();
    let serving = server.clone();
    tokio::spawn(async move {
        let connection = serving.accept().await.unwrap().accept().await.unwrap();
        let (mut send, mut recv) = connection.accept().await.unwrap().stream.split();
        while let Some(chunk) = recv.read_chunk(usize::MAX).await.unwrap() {
            send.write_bytes(chunk).await.unwrap();
        }
        send.finish().await.unwrap();
    });
    let (_client, connection) = connect(&server).await;
    let body = bytes(LEN);
    let echoed = async {
        let mut answer = connection.request("echo", body.clone()).into_stream().await.unwrap();
        answer.read_to_end(LEN).await.unwrap()
    };
    let echoed = tokio::time::timeout(Duration::from_secs(120), echoed).await.expect("neither waits for the other");
    assert!(echoed == body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_answer_takes_the_request_back_and_what_is_left_of_it_keeps_no_connection() {
    let builder = Endpoint::builder().bind("127.0.0.1:0".parse().unwrap()).access(Access::Public);
    let server = builder.listen("slow", REQUESTS, ServiceOptions::default()).build().await.unwrap();
    let accepting = async { server.accept().await.unwrap().accept().await.unwrap() };
    let ((_client, connection), accepted) = tokio::join!(connect(&server), accepting);
    // More than every window holds, and nobody reads it.
    let answer = connection.request("slow", bytes(48 << 20)).into_stream().await.unwrap();
    let mut stream = accepted.accept().await.unwrap().stream;
    drop(answer);
    let gone = async {
        let mut buf = vec![0; 65_536];
        let error = loop {
            match stream.read(&mut buf).await {
                Ok(n) => assert!(n > 0, "it is not whole"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, ReadError::Reset(0)), "{error:?}");
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.expect("it is taken back");
    drop(connection);
    tokio::time::timeout(Duration::from_secs(60), accepted.closed()).await.expect("nothing keeps it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_handler_fails_with_is_told_from_what_the_library_fails_with() {
    let server = endpoint().await;
    server.serve("fails", async |_: Request| Err::<Bytes, u64>(u64::MAX)).unwrap();
    server.serve("panics", async |_: Request| -> Bytes { panic!("on purpose") }).unwrap();
    let (_client, connection) = connect(&server).await;
    let failed = connection.request("fails", "").await.unwrap_err();
    assert!(matches!(failed, RequestError::Failed(code) if code == tng::CODE_MAX), "{failed:?}");
    let panicked = connection.request("panics", "").await.unwrap_err();
    assert_eq!(panicked.to_string(), "the peer gave no answer: its handler of the request panicked");
    let too_long = connection.request("fails", vec![0; (1 << 20) + 1]).await.unwrap_err();
    assert!(too_long.to_string().contains("longer than the service takes"), "{too_long}");
}
