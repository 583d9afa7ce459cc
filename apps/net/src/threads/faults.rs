//! The swarm's faults between endpoints of several threads, on real sockets.

use core::time::Duration;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tng_base::Rng;
use tng_stack::{Access, Accounting, Identity, Target};
use tokio::net::UdpSocket;
use tokio::task::JoinSet;

use super::limits::{each, loopback, within};
use crate::endpoint::Endpoint;
use crate::serve::Request;

/// What becomes of a datagram: after how long each copy of it arrives, and which byte of it is another.
struct Fate {
    copies: Vec<Duration>,
    corrupted: Option<(u64, u8)>,
}

fn fate(dice: &Mutex<Rng>) -> Fate {
    let mut dice = dice.lock().expect("nobody panics");
    let mut copies = Vec::new();
    if !dice.chance(0.02) {
        copies.push(Duration::ZERO);
    }
    if dice.chance(0.02) {
        copies.push(Duration::from_millis(dice.below(5)));
    }
    if dice.chance(0.02) {
        // Others overtake it.
        copies.iter_mut().for_each(|after| *after += Duration::from_millis(5));
    }
    let corrupted = dice.chance(0.01).then(|| (dice.u64(), 1 << dice.below(8)));
    Fate { copies, corrupted }
}

async fn deliver(dice: &Mutex<Rng>, packet: &[u8], by: &Arc<UdpSocket>, to: SocketAddr) {
    let Fate { copies, corrupted } = fate(dice);
    let mut packet = packet.to_vec();
    if let Some((at, bits)) = corrupted {
        let len = packet.len() as u64;
        packet[(at % len) as usize] ^= bits;
    }
    for after in copies {
        if after.is_zero() {
            let _ = by.send_to(&packet, to).await;
            continue;
        }
        let (by, packet) = (Arc::clone(by), packet.clone());
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            let _ = by.send_to(&packet, to).await;
        });
    }
}

/// What the server answers to one client.
async fn bring_back(back: Arc<UdpSocket>, front: Arc<UdpSocket>, client: SocketAddr, dice: Arc<Mutex<Rng>>) {
    let mut buffer = vec![0; 65_536];
    loop {
        let Ok((len, _)) = back.recv_from(&mut buffer).await else { continue };
        deliver(&dice, &buffer[..len], &front, client).await;
    }
}

/// Stands before a server, with a port of its own for each client's, so that each comes to whatever thread.
async fn relay(server: SocketAddr, seed: u64) -> (SocketAddr, tokio::task::JoinHandle<()>) {
    let front = Arc::new(UdpSocket::bind(loopback()).await.expect("bound"));
    let (addr, dice) = (front.local_addr().expect("bound"), Arc::new(Mutex::new(Rng::from_u64(seed))));
    let task = tokio::spawn(async move {
        let (mut behind, mut backs) = (HashMap::<SocketAddr, Arc<UdpSocket>>::new(), JoinSet::new());
        let mut buffer = vec![0; 65_536];
        loop {
            let Ok((len, client)) = front.recv_from(&mut buffer).await else { continue };
            let back = match behind.get(&client) {
                Some(back) => Arc::clone(back),
                None => {
                    let back = Arc::new(UdpSocket::bind(loopback()).await.expect("bound"));
                    behind.insert(client, Arc::clone(&back));
                    backs.spawn(bring_back(Arc::clone(&back), Arc::clone(&front), client, Arc::clone(&dice)));
                    back
                }
            };
            deliver(&dice, &buffer[..len], &back, server).await;
        }
    });
    (addr, task)
}

fn body(len: usize, seed: u64) -> Vec<u8> {
    let mut body = vec![0; len];
    Rng::from_u64(seed).fill(&mut body);
    body
}

/// Waits until nothing is left of any connection.
async fn nothing_is_left(endpoint: &Endpoint, what: &str) {
    let left = || each(endpoint).into_iter().find(|held| !held.is_empty());
    for _ in 0..1_500 {
        if left().is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what}: {:?}", left().unwrap_or_else(Accounting::default));
}

/// Requests and long bodies both ways, of several clients at once, each with several connections.
async fn all_arrives(threads: usize, steered: bool, seed: u64) {
    let what = format!("{threads} threads, steered {steered}, seed {seed}");
    let builder = || Endpoint::builder().bind(loopback()).threads(threads).steered(steered);
    let server = builder().access(Access::Public).build().await.expect("bound");
    server.serve("echo", async |request: Request| request.into_body()).expect("a service");
    let (addr, task) = relay(server.local_addr(), seed).await;
    let to = Target { eid: server.eid(), addresses: vec![addr], capability: None, via: Vec::new() };
    let mut clients = JoinSet::new();
    for number in 0..3 {
        let client = builder().identity(Identity::from_seed([number; 32])).build().await.expect("bound");
        let to = to.clone();
        clients.spawn(async move {
            let mut connections = Vec::new();
            for _ in 0..4 {
                connections.push(client.connect(to.clone()).await.expect("connected"));
            }
            let mut asks = JoinSet::new();
            for (at, connection) in connections.iter().enumerate() {
                let connection = connection.clone();
                asks.spawn(async move {
                    for round in 0..12 {
                        let len = if round % 4 == 3 { 200_000 } else { 1 + 40 * round };
                        let body = body(len, seed ^ (at * 100 + round) as u64);
                        let answer = connection.request("echo", body.clone()).await.expect("answered");
                        assert!(answer == body, "connection {at}, round {round}: other bytes");
                    }
                });
            }
            asks.join_all().await;
            drop(connections);
            client
        });
    }
    for client in within(&what, clients.join_all()).await {
        // What each dropped handle closes is told to the server by as many packets as it takes.
        within(&what, client.close()).await;
        if !steered && threads > 1 {
            let handed = client.handed();
            assert!(handed.handed > 0, "{what}: nothing is handed over");
        }
        nothing_is_left(&client, &what).await;
    }
    within(&what, server.close()).await;
    nothing_is_left(&server, &what).await;
    task.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_sent_to_endpoints_of_several_threads_arrives_whole_under_faults_and_nothing_is_left() {
    for (threads, seed) in [(2, 1), (3, 2), (8, 3)] {
        all_arrives(threads, true, seed).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn threads_hand_packets_to_each_other_where_the_system_does_not_steer_and_all_arrives_under_faults() {
    for (threads, seed) in [(2, 4), (3, 5), (8, 6)] {
        all_arrives(threads, false, seed).await;
    }
}

/// Forged ids name each thread in turn, at an endpoint whose packets are all handed over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forged_hints_where_the_system_does_not_steer_cost_one_hand_over_each_and_others_go_on() {
    for threads in [2, 3, 8] {
        let builder = || Endpoint::builder().bind(loopback()).threads(threads).steered(false);
        let server = builder().access(Access::Public).build().await.expect("bound");
        assert!(!server.is_steered());
        server.serve("echo", async |request: Request| request.into_body()).expect("a service");
        let client = builder().build().await.expect("bound");
        let to = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
        let mut held = Vec::new();
        for _ in 0..threads {
            held.push(within("a connection", client.connect(to.clone())).await.expect("connected"));
        }
        let forger = std::net::UdpSocket::bind(loopback()).expect("bound");
        let (before, packets) = (server.handed(), 3_000_u32);
        for i in 0..packets {
            // Too long for a reset: the others would be asked about one.
            let mut packet = vec![[0x40, 0x90, 0x02, 0x08][i as usize / 7 % 4]; 1_200];
            packet[1] = i as u8;
            packet[2..6].copy_from_slice(&i.to_be_bytes());
            let _ = forger.send_to(&packet, server.local_addr());
            if i % 100 == 0 {
                let connection = &held[i as usize / 100 % held.len()];
                assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
            }
        }
        let own = 30 * 20;
        let handed = server.handed().handed - before.handed;
        assert!(handed > 0 && handed <= u64::from(packets) + own, "{threads} threads: {handed} for {packets} packets");
        for connection in &held {
            assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
        }
        within("its end", client.close()).await;
        within("its end", server.close()).await;
    }
}
