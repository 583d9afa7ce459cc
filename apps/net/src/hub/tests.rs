//! What is noted of streams, and for how long.

use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};

use tng_stack::Access;

use super::*;
use crate::connection::Connection;
use crate::endpoint::Endpoint;
use crate::error::RequestError;
use crate::serve::{Answer, Request, ServeOptions, TOO_LONG};
use crate::threads::limits::{loopback, until, within};

async fn endpoint() -> Endpoint {
    Endpoint::builder().bind(loopback()).access(Access::Public).build().await.expect("bound")
}

async fn connect(server: &Endpoint) -> (Endpoint, Connection) {
    let client = endpoint().await;
    let connection = client.connect(&server.ticket().expect("an address")).await.expect("connected");
    (client, connection)
}

/// Streams that the endpoint has noted something of.
fn noted(endpoint: &Endpoint) -> usize {
    let of = |hub: &Hub| hub.peers.iter().map(|(_, peer)| peer.slots.len()).sum::<usize>();
    endpoint.shards().iter().map(|shared| of(&shared.lock())).sum()
}

async fn nothing_is_noted(endpoint: &Endpoint) {
    until("what is noted of streams", || noted(endpoint) == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_noted_of_a_request_whose_service_gave_up_before_it_had_all_of_it() {
    let server = endpoint().await;
    let options = ServeOptions { request_max: 5_000, ..ServeOptions::default() };
    server.serve_with("short", options, async |request: Request| request.into_body()).expect("a service");
    let (client, connection) = connect(&server).await;
    for _ in 0..20 {
        let answer = within("an answer", connection.request("short", vec![7; 400_000])).await;
        assert!(matches!(answer, Err(RequestError::Failed(TOO_LONG))), "{answer:?}");
    }
    nothing_is_noted(&client).await;
    nothing_is_noted(&server).await;
}

/// The peer has acknowledged all but so many streams.
async fn are_left(connection: &Connection, streams: usize) {
    until("the end of streams", || connection.stream_stats().expect("open").streams <= streams).await;
}

/// A service's function that holds up all others while it is called; it returns when told to.
fn busy() -> (impl Fn() + Send + Sync, Receiver<()>, Sender<()>) {
    let ((begin, begun), (end, ended)) = (mpsc::channel(), mpsc::channel());
    let ended = Mutex::new(ended);
    let hold = move || {
        begin.send(()).expect("told");
        ended.lock().expect("no panic").recv().expect("told");
    };
    (hold, begun, end)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn nothing_is_noted_of_half_requests_that_are_given_up_before_anybody_looked() {
    let server = endpoint().await;
    let (hold, begun, end) = busy();
    let answer = move |request: Request| {
        hold();
        async { request.into_body() }
    };
    server.serve("busy", answer).expect("a service");
    let (client, connection) = connect(&server).await;
    let first = tokio::spawn(connection.request("busy", "first"));
    begun.recv().expect("told");
    let mut halves = Vec::new();
    for _ in 0..50 {
        let mut half = connection.open("busy", REQUESTS).await.expect("opened");
        half.write_all(b"h").await.expect("written");
        halves.push(half);
    }
    until("half requests", || noted(&server) > 50).await;
    for mut half in halves {
        half.stop(1);
        half.reset(1);
    }
    are_left(&connection, 1).await;
    end.send(()).expect("told");
    assert_eq!(within("an answer", first).await.expect("no panic").expect("answered"), "first");
    nothing_is_noted(&server).await;
    nothing_is_noted(&client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_answer_that_nobody_waits_for_may_hold_the_last_handle_of_a_connection_of_the_same_endpoint() {
    let (server, upstream) = (endpoint().await, endpoint().await);
    upstream.serve("nothing", async |_| "").expect("a service");
    let onward = server.connect(&upstream.ticket().expect("an address")).await.expect("connected");
    let onward = Mutex::new(Some(onward));
    let (hold, begun, end) = busy();
    let go = Arc::<Notify>::default();
    let (gone, going) = mpsc::channel();
    let (waits, waiting) = mpsc::channel();
    let proxy = {
        let go = Arc::clone(&go);
        move |request: Request| {
            let kind = request.into_body();
            if kind == "busy" {
                hold();
            }
            let onward = onward.lock().expect("no panic").take_if(|_| kind == "onward");
            let (go, gone, waits) = (Arc::clone(&go), gone.clone(), waits.clone());
            async move {
                let Some(onward) = onward else { return Answer::from("well") };
                waits.send(()).expect("told");
                go.notified().await;
                gone.send(()).expect("told");
                Answer::written(async move |_send| drop(onward))
            }
        }
    };
    server.serve("proxy", proxy).expect("a service");
    let (_client, connection) = connect(&server).await;
    let taken_back = tokio::spawn(connection.request("proxy", "onward"));
    // It is answered while the service is busy with another, and by then nobody waits.
    let first = within("an answer", connection.request("proxy", "first")).await;
    assert_eq!(first.expect("answered"), "well");
    // Else the thread that is busy might be the one that has yet to begin it.
    waiting.recv().expect("told");
    let busy = tokio::spawn(connection.request("proxy", "busy"));
    begun.recv().expect("told");
    go.notify_one();
    going.recv().expect("told");
    taken_back.abort();
    are_left(&connection, 1).await;
    end.send(()).expect("told");
    assert_eq!(within("an answer", busy).await.expect("no panic").expect("answered"), "well");
    let last = within("an answer", connection.request("proxy", "last")).await;
    assert_eq!(last.expect("answered"), "well");
}
