//! Endpoints of several threads.

use std::time::Duration;

use tng::{ConnectError, Connection, Endpoint, Request};

use crate::hosts::{builder, identity, pattern, public, target, within};

async fn server(threads: usize) -> Endpoint {
    let server = public().threads(threads).build().await.expect("it is bound");
    server.serve("echo", async |request: Request| request.into_body()).expect("a service");
    assert_eq!(server.threads(), threads);
    server
}

async fn client(threads: usize) -> Endpoint {
    builder().threads(threads).build().await.expect("it is bound")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_connections_of_one_host_begun_at_once_all_work_with_two_three_and_eight_threads() {
    for threads in [2, 3, 8] {
        let (server, client) = (server(threads).await, client(threads).await);
        let begun: Vec<_> = (0..64).map(|_| client.dial(target(&server)).expect("begun")).collect();
        let mut tasks = tokio::task::JoinSet::new();
        for (i, connecting) in begun.into_iter().enumerate() {
            tasks.spawn(async move {
                let connection = connecting.await.expect("connected");
                let body = pattern(1 + i * 997, i);
                assert_eq!(connection.request("echo", body.clone()).await.expect("answered"), body);
                connection
            });
        }
        let connections = within("all of them", tasks.join_all()).await;
        assert_eq!(connections.len(), 64);
        assert!(server.is_steered(), "this kernel steers");
        within("its end", client.close()).await;
        within("its end", server.close()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn peers_of_all_threads_are_accepted_and_the_end_of_all_is_told() {
    let server = public().threads(3).build().await.expect("it is bound");
    let mut held = Vec::new();
    for _ in 0..12 {
        let client = client(1).await;
        let accepted = async { server.accept().await.expect("a peer").accept().await.expect("it waits") };
        let to = target(&server);
        let (ours, theirs) = within("a connection", async { tokio::join!(client.connect(to), accepted) }).await;
        held.push((ours.expect("connected"), theirs, client));
    }
    within("its end", server.close()).await;
    assert!(within("no more", server.accept()).await.is_none());
    for (ours, _, _) in &held {
        within("the end", ours.closed()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn places_are_those_of_all_threads_together() {
    let places = 8;
    let server = public().threads(3).connections_max(places).build().await.expect("it is bound");
    server.serve("echo", async |request: Request| request.into_body()).expect("a service");
    let (mut held, mut refused) = (Vec::new(), 0);
    for i in 0..places + 4 {
        // Each from an address of its own, and so at whatever thread; what it asks goes on.
        let client = client(1).await;
        match within("an answer", client.connect(target(&server))).await {
            Ok(connection) => {
                assert_eq!(connection.request("echo", "in").await.expect("answered"), "in");
                held.push((client, connection));
                assert!(i < places, "one more than there are places");
            }
            Err(ConnectError::Refused { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        // The threads tell each other what they hold when they have something to do.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!((held.len(), refused), (places, 4), "nobody was refused while there was a place at any thread");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_further_path_that_comes_to_another_thread_finds_its_session() {
    let (server, client) = (server(8).await, client(1).await);
    let connection = within("a connection", client.connect(target(&server))).await.expect("connected");
    for i in 0..6 {
        // From another port, and so to another thread, as the system likes.
        client.rebind("127.0.0.1:0".parse().expect("an address")).expect("moved");
        let path = within("a path", connection.add_path(None, &[server.local_addr()])).await.expect("added");
        connection.detach(Some(connection.paths().iter().find(|up| up.path != path).expect("the old one").path));
        let body = pattern(10_000, i);
        assert_eq!(within("an answer", connection.request("echo", body.clone())).await.expect("answered"), body);
    }
    let handed = server.handed();
    assert!(handed.handed > 0 && handed.dropped == 0, "{handed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_of_several_threads_moves_and_its_connections_go_on() {
    let (server, client) = (server(3).await, client(3).await);
    let mut held = Vec::new();
    for _ in 0..6 {
        held.push(within("a connection", client.connect(target(&server))).await.expect("connected"));
    }
    client.rebind("127.0.0.1:0".parse().expect("an address")).expect("moved");
    for connection in &held {
        assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_forges_hints_gets_no_more_than_a_flood_of_unknown_ids_and_others_go_on() {
    let (server, client) = (server(3).await, client(1).await);
    let connection = within("a connection", client.connect(target(&server))).await.expect("connected");
    let peer = std::net::UdpSocket::bind("127.0.0.1:0").expect("bound");
    let packets = 3_000u32;
    for i in 0..packets {
        // Ids that name each thread in turn, in packets of a reset's size and others.
        let mut packet = vec![0x40; if i % 2 == 0 { 40 } else { 1_200 }];
        packet[1] = i as u8;
        packet[2..6].copy_from_slice(&i.to_be_bytes());
        let _ = peer.send_to(&packet, server.local_addr());
        if i % 100 == 0 {
            assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
        }
    }
    assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
    // What was handed on are questions about resets, within their budget: to each of the two others.
    let handed = server.handed();
    assert!(handed.handed < 2 * u64::from(packets) && handed.dropped == 0, "{handed:?}");
}

/// So many connections of one identity, each from an address of its own, and so at whatever thread.
async fn of_one_peer(server: &Endpoint, count: usize) -> Vec<(Endpoint, Connection)> {
    let mut held = Vec::new();
    for _ in 0..count {
        let client = builder().identity(identity(7)).build().await.expect("bound");
        let connection = within("a connection", client.connect(target(server))).await.expect("connected");
        assert_eq!(within("an answer", connection.request("echo", "in")).await.expect("answered"), "in");
        held.push((client, connection));
    }
    held
}

async fn is_there(connection: &Connection) -> bool {
    tokio::time::timeout(Duration::from_secs(30), connection.request("echo", "on")).await.is_ok_and(|it| it.is_ok())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_has_as_many_connections_as_one_may_with_all_threads_together_and_the_oldest_gives_way() {
    const MOST: usize = 3;
    for threads in [2, 3, 8] {
        let server = public().threads(threads).connections_per_peer(MOST).build().await.expect("bound");
        server.serve("echo", async |request: Request| request.into_body()).expect("a service");
        let other = of_one_peer(&server, 0).await;
        assert!(other.is_empty());
        let (stranger, beside) = {
            let client = client(1).await;
            let connection = within("a connection", client.connect(target(&server))).await.expect("connected");
            (client, connection)
        };
        let held = of_one_peer(&server, 12).await;
        // That which was heard of least lately gives way: which of the later ones are left is up to when each has
        // acknowledged its answer.
        let there = within("the end of all others", async {
            loop {
                let mut there = Vec::new();
                for (at, (_, connection)) in held.iter().enumerate() {
                    let is_over = tokio::time::timeout(Duration::from_millis(1), connection.closed()).await.is_ok();
                    there.extend((!is_over).then_some(at));
                }
                if there.len() <= MOST {
                    return there;
                }
            }
        })
        .await;
        assert_eq!(
            (there.len(), there.contains(&0), there.last()),
            (MOST, false, Some(&(held.len() - 1))),
            "{there:?}"
        );
        for at in there {
            assert!(is_there(&held[at].1).await, "{threads} threads: as many as it may have");
        }
        assert!(is_there(&beside).await, "{threads} threads: others have theirs");
        within("its end", server.close()).await;
        drop(stranger);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_spawned_where_a_connection_is_driven_runs_on_its_thread() {
    let (server, client) = (server(1).await, client(3).await);
    let mut runtimes = Vec::new();
    for _ in 0..3 {
        let connection = client.connect(target(&server)).await.expect("connected");
        let runtime = connection.runtime();
        let asked = async move {
            let here = tokio::runtime::Handle::current().id();
            (connection.request("echo", "hello").await.expect("answered"), here)
        };
        let (answer, here) = within("an answer", runtime.spawn(asked)).await.expect("no panic");
        assert_eq!((answer.as_ref(), here), (&b"hello"[..], runtime.id()));
        assert!(!runtimes.contains(&here) && here != tokio::runtime::Handle::current().id());
        runtimes.push(here);
    }
}
