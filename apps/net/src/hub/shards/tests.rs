//! Who gives way, of all threads.

use std::sync::mpsc;
use std::thread;

use tng_stack::Target;

use super::*;
use crate::builder::Builder;
use crate::connection::Connection;
use crate::endpoint::Endpoint;
use crate::lock::Clock;
use crate::serve::Request;
use crate::threads::limits::{Writer, each, loopback, server, until, within};

const MEMORY: u64 = 64 << 20;

/// Somebody who has written much falls silent, and its streams are kept.
async fn is_left(server: &Endpoint, left: &Writer, at: usize) {
    until("much", || each(server)[at].streams.unread_bytes > 1 << 20).await;
    left.fall_silent();
    until("its end", || each(server)[at].kept > 0).await;
}

/// Waits until somebody has come, to whichever thread.
async fn thread_of(before: &[usize], server: &Endpoint) -> usize {
    loop {
        let now = residents(server);
        if let Some(at) = (0..now.len()).find(|at| now[*at] > before[*at]) {
            return at;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Holds a thread up.
struct Stall {
    shared: Arc<Shards>,
    end: mpsc::Sender<()>,
    thread: thread::JoinHandle<()>,
}

impl Stall {
    fn begin(server: &Endpoint, at: usize) -> Stall {
        let (begin, begun) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let lock = Arc::clone(&server.shards()[at]);
        let thread = thread::spawn(move || {
            let hub = lock.lock();
            let shared = Arc::clone(&hub.shard.as_ref().expect("it has others").shared);
            begin.send(shared).expect("told");
            let _ = ended.recv();
            drop(hub);
        });
        Stall { shared: begun.recv().expect("it stalls"), end, thread }
    }

    fn end(self) {
        self.end.send(()).expect("told");
        self.thread.join().expect("it ends");
    }
}

fn residents(server: &Endpoint) -> Vec<usize> {
    each(server).iter().map(|held| held.residents).collect()
}

/// A client whose connection is at another thread than `but`, and that thread.
async fn elsewhere(server: &Endpoint, but: usize) -> (Writer, usize) {
    for who in 10.. {
        let before = residents(server);
        let writer = Writer::begin(server, who, true).await;
        let at = within("a peer", thread_of(&before, server)).await;
        if at != but {
            return (writer, at);
        }
        writer.connection.close(0, "");
        within("its end", writer.connection.closed()).await;
        while residents(server)[at] > before[at] {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    unreachable!("addresses differ")
}

/// A connection in use: it asks again and again, and stops at the first request that is not answered.
struct Asker {
    answers: Arc<AtomicU64>,
    task: tokio::task::JoinHandle<String>,
    /// Held open.
    _client: Endpoint,
}

impl Asker {
    async fn begin(server: &Endpoint) -> Asker {
        let client = Endpoint::builder().bind(loopback()).build().await.expect("bound");
        let to = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
        let connection = within("a connection", client.connect(to)).await.expect("connected");
        let answers = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&answers);
        let task = tokio::spawn(async move {
            loop {
                match connection.request("echo", "on").await {
                    Ok(answer) if answer == "on" => counted.fetch_add(1, Ordering::Relaxed),
                    other => return format!("{other:?}"),
                };
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        Asker { answers, task, _client: client }
    }

    /// Waits for the answer to a request that has not been made yet.
    async fn is_answered(&mut self) {
        // One may have been on its way.
        let enough = self.answers.load(Ordering::Relaxed) + 2;
        let answered = async {
            while self.answers.load(Ordering::Relaxed) < enough {
                assert!(!self.task.is_finished(), "what is in use gave way: {:?}", (&mut self.task).await);
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        within("an answer", answered).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_left_alone_at_an_idle_thread_gives_way_before_what_is_in_use_at_another_though_a_third_stalls() {
    for threads in [3, 8] {
        let config = |builder: Builder| builder.memory_max(MEMORY).idle_timeout(Some(Duration::from_secs(1)));
        let server = server(threads, config).await;
        server.serve("echo", async |request: Request| request.into_body()).expect("a service");
        let none = residents(&server);
        let mut in_use = Asker::begin(&server).await;
        in_use.is_answered().await;
        let busy = within("a peer", thread_of(&none, &server)).await;
        let (left, idle) = elsewhere(&server, busy).await;
        is_left(&server, &left, idle).await;
        // A third thread holds all that there may be, says that one of its own would go first, and then nothing.
        let third = (0..threads).find(|at| *at != busy && *at != idle).expect("there are three");
        let stall = Stall::begin(&server, third);
        let says = Elsewhere { memory: MEMORY, gives_way: GivesWay(0), ..Elsewhere::default() };
        stall.shared.publish(third as u8, server.shards()[busy].clock().now(), says);
        let held = |at: usize| server.shards()[at].lock().host().accounting();
        let began = Clock::start();
        while held(idle).kept > 0 {
            in_use.is_answered().await;
            assert!(began.now() < Instant::from_secs(10), "nothing gives way");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // It is all that does: who holds less than its part keeps what is in use.
        for _ in 0..30 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            in_use.is_answered().await;
        }
        stall.end();
        in_use.is_answered().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_left_alone_at_one_thread_gives_way_to_who_comes_to_another() {
    for threads in [3, 8] {
        let config = |builder: Builder| builder.memory_max(MEMORY).idle_timeout(Some(Duration::from_millis(300)));
        // Nobody accepts, who would wait for the thread that stalls.
        let sink = tng_stack::structured::ServiceOptions::default();
        let builder = Endpoint::builder().bind(loopback()).threads(threads);
        let builder = config(builder.access(tng_stack::Access::Public).listen("sink", "bytes", sink));
        let server = builder.build().await.expect("bound");
        server.serve("echo", async |request: Request| request.into_body()).expect("a service");
        let (left, idle) = elsewhere(&server, usize::MAX).await;
        is_left(&server, &left, idle).await;
        let (eid, addresses) = (server.eid(), vec![server.local_addr()]);
        let to = Target { eid, addresses, capability: None, via: Vec::new() };
        // All but what is held here is held by a third thread, which does not move.
        let third = (0..threads).find(|at| *at != idle).expect("there are three");
        let stall = Stall::begin(&server, third);
        let held = server.shards()[idle].lock().host().accounting().memory.0;
        let says = Elsewhere { memory: MEMORY - held, ..Elsewhere::default() };
        stall.shared.publish(third as u8, server.shards()[idle].clock().now(), says);
        let mut clients = Vec::new();
        for tried in 0.. {
            assert!(tried < 8, "nobody is let in");
            // Who comes to the third waits for it.
            let client = Endpoint::builder().bind(loopback()).build().await.expect("bound");
            let came = tokio::time::timeout(Duration::from_secs(4), client.connect(to.clone())).await;
            clients.push(client);
            if let Ok(connection) = came {
                connection.expect("nobody is refused while somebody may give way");
                break;
            }
        }
        assert_eq!(server.shards()[idle].lock().host().accounting().kept, 0, "{threads} threads: it gave way");
        stall.end();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_accepts_lets_peers_in_at_all_threads_from_the_first_call_on() {
    let builder = || Endpoint::builder().bind(loopback());
    let server = builder().access(tng_stack::Access::Public).threads(3).build().await.expect("bound");
    server.serve("echo", async |request: Request| request.into_body()).expect("a service");
    let to = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
    let come = async || {
        let client = builder().build().await.expect("bound");
        (client.dial(to.clone()).expect("begun"), client)
    };
    let mut held = Vec::new();
    while residents(&server).contains(&0) {
        let (connecting, client) = come().await;
        held.push((within("a connection", connecting.into_future()).await.expect("connected"), client));
    }
    let ask = || server.shards().iter().map(|shared| shared.lock().asking.len()).sum::<usize>();
    assert_eq!(ask(), 0, "the service has let them in");
    let first = within("the first", server.accept()).await.expect("it is there").accept().await.expect("in time");
    for _ in 0..8 {
        let (connecting, client) = come().await;
        held.push((connecting.connection().clone(), client));
        tokio::spawn(connecting.into_future());
    }
    until("all others", || ask() == held.len() - 1).await;
    drop(first);
}

/// A connection of a client.
struct Caller {
    connection: Connection,
    /// Held open.
    _client: Endpoint,
}

impl Caller {
    async fn begin(server: &Endpoint, who: u8) -> Caller {
        let client = Endpoint::builder().bind(loopback()).identity(tng_stack::Identity::from_seed([who; 32]));
        let client = client.build().await.expect("bound");
        let to = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
        let connection = within("a connection", client.connect(to)).await.expect("connected");
        let caller = Caller { connection, _client: client };
        caller.ask().await;
        caller
    }

    async fn ask(&self) {
        assert_eq!(within("an answer", self.connection.request("echo", "on")).await.expect("answered"), "on");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn that_of_a_peer_s_connections_gives_way_which_was_heard_of_least_lately_since_the_last_one_came() {
    let builder = Endpoint::builder().bind(loopback()).access(tng_stack::Access::Public).threads(2);
    let server = builder.connections_per_peer(2).build().await.expect("bound");
    server.serve("echo", async |request: Request| request.into_body()).expect("a service");
    // The last comes to either thread.
    for who in 0..8 {
        let come = async || {
            let before = residents(&server);
            let caller = Caller::begin(&server, who).await;
            (caller, within("a peer", thread_of(&before, &server)).await)
        };
        let (older, there) = come().await;
        let younger = loop {
            let (caller, at) = come().await;
            if at != there {
                break caller;
            }
            let before = residents(&server)[at];
            caller.connection.close(0, "");
            until("its end", || residents(&server)[at] < before).await;
        };
        // What the younger has to acknowledge is acknowledged.
        tokio::time::sleep(Duration::from_millis(250)).await;
        older.ask().await;
        let last = Caller::begin(&server, who).await;
        within("the end of the one that was silent", younger.connection.closed()).await;
        older.ask().await;
        last.ask().await;
        drop((older, last));
        until("the end of all", || residents(&server) == [0, 0]).await;
    }
}
