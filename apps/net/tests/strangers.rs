//! Code that nobody vouches for runs in processes of its own, which have nothing and end nobody else's connections.
#![cfg(all(feature = "guests", target_os = "linux"))]

mod child;
mod echo;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tng::stp::manager::{BuiltIn, ByHand, Manager, Origin, Policy, Question};
use tng::stp::process::{Processes, Program, StartError};
use tng::stp::{Application, BUILT_IN, Engine, Kind, PrepareError, Quotas, Supply, TransportOffer, code_hash};
use tng::{CodeHash, Endpoint, Pipe, PipeRecv, PipeSend, Secret32, Settled, Target};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UdpSocket;
use tokio::time::timeout;

use child::this;
use echo::{SERVICE, client, server};

/// Processes of a module that are ready.
const SPARES: usize = 4;
const LIMIT: Duration = Duration::from_secs(60);

fn newreno() -> (CodeHash, &'static [u8]) {
    let bytes = BUILT_IN.iter().find(|guest| guest.name == "newreno").expect("it is built in").bytes;
    (code_hash(bytes), bytes)
}

/// Puts a module into a supply's store, as one that nobody vouches for.
fn install(manager: &Manager, bytes: &[u8]) -> CodeHash {
    let origin = Origin::File(String::new());
    let arrived = tng::stp::manager::Arrived { bytes, kind: Kind::Transport, manifest: None, origin: &origin };
    manager.install_by_hand(&arrived, ByHand::default(), &Question::default(), 1_000).expect("room");
    code_hash(bytes)
}

/// What an application runs that has newreno as a stranger's, by `accept = "any"`.
fn supply(folder: &Path, processes: Option<Processes>) -> Supply {
    let policy = Policy::parse("accept = \"any\"\n").expect("a policy");
    let (manager, _) =
        Manager::open(folder, policy, Vec::<BuiltIn>::new(), Secret32::from_bytes([7; 32])).expect("a store");
    install(&manager, newreno().1);
    let engine = Engine::new(Quotas::default()).expect("an engine");
    Supply::new(Arc::new(manager), engine, Application { name: "test".to_owned(), ..Application::default() }, processes)
}

/// Two endpoints that have it ready; the second gives back what comes, by whatever runs, piece by piece.
async fn ends(folders: [&Path; 2]) -> (Endpoint, Endpoint, [Supply; 2]) {
    let supplies = folders.map(|folder| supply(folder, Some(Processes::new(this()))));
    for supply in &supplies {
        supply.prepare(newreno().0).await.expect("it runs");
    }
    (client(supplies[0].repertoire()).await, server(supplies[1].repertoire()).await, supplies)
}

/// Where datagrams go on to a server, and nothing comes back from there.
async fn one_way(to: SocketAddr) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let address = socket.local_addr().expect("an address");
    tokio::spawn(async move {
        let mut datagram = [0; 2_048];
        while let Ok((len, from)) = socket.recv_from(&mut datagram).await {
            if from != to {
                let _ = socket.send_to(&datagram[..len], to).await;
            }
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_set_ups_takes_no_process_and_an_honest_client_beside_it_has_one_at_once() {
    const SET_UPS: usize = 24;
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let work = async {
        let (code, _) = newreno();
        let processes = [(); 2].map(|()| Processes::new(this()));
        let here = supply(folders[0].path(), Some(processes[0].clone()));
        let there = supply(folders[1].path(), Some(processes[1].clone()));
        for (supply, processes) in [&here, &there].into_iter().zip(&processes) {
            supply.prepare(code).await.expect("it runs");
            while processes.running() < SPARES {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        let (flooder, honest, server) =
            (client(here.repertoire()).await, client(here.repertoire()).await, server(there.repertoire()).await);
        let address = one_way(server.local_addr()).await;
        let nowhere = Target { eid: server.eid(), addresses: vec![address], capability: None, via: Vec::new() };
        let offer = || TransportOffer { service: SERVICE.0.to_owned(), codes: vec![code] };
        let flood: Vec<_> =
            (0..SET_UPS).map(|_| flooder.dial_offering(nowhere.clone(), offer()).expect("an address")).collect();
        let flood = tokio::spawn(async move {
            for dial in flood {
                let _ = dial.await;
            }
        });
        // They are repeated meanwhile.
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(processes[1].running(), SPARES, "nobody has proven anything");
        let pipe = honest.pipe(&server.ticket().expect("room"), offer(), SERVICE.1).await.expect("a pipe");
        assert!(pipe.guest().is_some(), "at the first attempt: {:?}", pipe.negotiation().await);
        let (mut send, mut recv) = pipe.split();
        echoes((&mut send, &mut recv), 100_000).await;
        // The control: a set-up that is completed takes one, and the next is started.
        while processes[1].running() == SPARES {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        flood.abort();
    };
    timeout(LIMIT, work).await.expect("in time");
}

async fn pipe(client: &Endpoint, server: &Endpoint, codes: Vec<CodeHash>) -> Pipe {
    let runs = !codes.is_empty();
    let ticket = server.ticket().expect("room");
    if !runs {
        let connection = client.connect(&ticket).await.expect("a connection");
        return connection.open(SERVICE.0, SERVICE.1).await.expect("a stream").into();
    }
    loop {
        let offer = TransportOffer { service: SERVICE.0.to_owned(), codes: codes.clone() };
        let pipe = client.pipe(&ticket, offer, SERVICE.1).await.expect("a pipe");
        match pipe.negotiation().await.expect("it is there").expect("an offer was made").settled {
            Settled::Runs(code) if codes.contains(&code) => return pipe,
            // No process is ready.
            Settled::No => tokio::time::sleep(Duration::from_millis(20)).await,
            settled => panic!("{settled:?}"),
        }
    }
}

/// The process in which the guest of a pipe runs: it takes one when the host has told it of its channel.
async fn process_of(pipe: &Pipe) -> u32 {
    loop {
        let shown = pipe.guest().expect("a guest's").with(|it| format!("{it:?}")).expect("it is there");
        if let Some((_, rest)) = shown.split_once("process: Some(") {
            return rest.split_once(')').and_then(|(number, _)| number.parse().ok()).expect("a number");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[expect(clippy::disallowed_methods, reason = "how soon a death is noticed is a time of the real world")]
fn clock() -> Instant {
    Instant::now()
}

async fn echoes((send, recv): (&mut PipeSend, &mut PipeRecv), len: usize) {
    let sent: Vec<u8> = (0..len).map(|at| (at % 253) as u8).collect();
    let mut heard = vec![0; len];
    let (written, read) = tokio::join!(send.write_all(&sent), recv.read_exact(&mut heard));
    written.expect("room");
    read.expect("all of it");
    assert!(heard == sent, "the same bytes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_is_killed_ends_its_own_connection_by_name_and_soon_and_no_other() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let work = async {
        let (client, server, _supplies) = ends([folders[0].path(), folders[1].path()]).await;
        let (code, _) = newreno();
        let (one, other) = (pipe(&client, &server, vec![code]).await, pipe(&client, &server, vec![code]).await);
        let streams = pipe(&client, &server, Vec::new()).await;
        let process = process_of(&one).await;
        assert_ne!(process, process_of(&other).await, "each has its own");
        has_nothing(process);
        let guest = one.guest().expect("a guest's").clone();
        let (mut one, mut other, mut streams) = (one.split(), other.split(), streams.split());
        for pipe in [&mut one, &mut other, &mut streams] {
            echoes((&mut pipe.0, &mut pipe.1), 300_000).await;
        }
        // Nothing is under way, so nobody calls it.
        let status = Command::new("kill").args(["-9", &process.to_string()]).status().expect("kill runs");
        assert!(status.success());
        let killed = clock();
        let error = one.1.read(&mut [0; 100]).await.expect_err("it is over");
        let noticed = killed.elapsed();
        assert!(error.to_string().contains("signal 9"), "{error}");
        // Else at the next call, which comes never, or when the connection has been idle for as long as it may.
        assert!(noticed < Duration::from_secs(10), "{noticed:?}");
        println!("noticed after {noticed:?}");
        assert!(guest.with(|it| format!("{:?}", it.life())).is_ok_and(|life| life.contains("ProcessGone")));
        for pipe in [&mut other, &mut streams] {
            echoes((&mut pipe.0, &mut pipe.1), 300_000).await;
        }
        // And there is another for the next.
        let mut again = pipe(&client, &server, vec![code]).await.split();
        echoes((&mut again.0, &mut again.1), 100_000).await;
    };
    timeout(LIMIT, work).await.expect("in time");
}

/// As the system tells it, from outside: no environment, no descriptor but a pair of sockets and the module's image,
/// filters that are closed for good.
fn has_nothing(process: u32) {
    let told = |what: &str| fs::read(format!("/proc/{process}/{what}")).expect("it is this user's");
    assert_eq!(told("environ"), b"");
    let status = String::from_utf8(told("status")).expect("text");
    for line in ["Seccomp:\t2", "NoNewPrivs:\t1"] {
        assert!(status.contains(line), "{line} in {status}");
    }
    let held: Vec<String> = fs::read_dir(format!("/proc/{process}/fd"))
        .expect("it is this user's")
        .map(|entry| fs::read_link(entry.expect("an entry").path()).expect("a link").display().to_string())
        .collect();
    let (sockets, others): (Vec<&String>, Vec<_>) = held.iter().partition(|held| held.starts_with("socket:"));
    assert_eq!(sockets.len(), 1, "{held:?}");
    assert!(others.iter().all(|held| held.starts_with("/memfd:")), "{held:?}");
    // The control: this process has more.
    assert!(!fs::read("/proc/self/environ").expect("its own").is_empty());
    let own = fs::read_to_string("/proc/self/status").expect("its own");
    assert!(own.contains("Seccomp:\t0") || own.contains("NoNewPrivs:\t0"), "{own}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_processes_nobody_runs_what_nobody_vouches_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, _) = newreno();
    let error = supply(folder.path(), None).prepare(code).await.expect_err("there is nowhere to run it");
    assert_eq!(error, PrepareError::NoProcesses);
    // Nor with a program that is no guest's process.
    let processes = Processes::new(Program::new("/bin/true", [""; 0]));
    let error = supply(folder.path(), Some(processes)).prepare(code).await.expect_err("it says nothing");
    assert_eq!(error, PrepareError::Process(StartError::NoChild));
}

async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_connections_and_modules_take_is_given_back_when_they_have_come_and_gone() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let work = async {
        let processes = [(); 2].map(|()| Processes::new(this()));
        let [here, there] = [0, 1].map(|at: usize| supply(folders[at].path(), Some(processes[at].clone())));
        let (code, bytes) = newreno();
        for supply in [&here, &there] {
            supply.prepare(code).await.expect("it runs");
        }
        let (client, server) = (client(here.repertoire()).await, server(there.repertoire()).await);
        let at_work = |end: &Endpoint| end.guests().iter().filter(|guest| guest.ended.is_none()).count();
        let held = || [(at_work(&client), processes[0].running()), (at_work(&server), processes[1].running())];
        until(|| held() == [(0, SPARES); 2]).await;
        for _ in 0..10 {
            let (mut send, mut recv) = pipe(&client, &server, vec![code]).await.split();
            echoes((&mut send, &mut recv), 20_000).await;
            until(|| at_work(&client) == 1).await;
            send.finish().await.expect("room");
            while recv.read(&mut [0; 1_000]).await.expect("its end") > 0 {}
        }
        until(|| held() == [(0, SPARES); 2]).await;
        // Modules, each with processes that are ready.
        let modules = ["one", "two"].map(|name| {
            // A custom section (WebAssembly 5.5.3): a name and nothing in it.
            let module = [bytes, &[0, name.len() as u8 + 1, name.len() as u8], name.as_bytes()].concat();
            install(here.manager(), &module)
        });
        for module in &modules {
            here.prepare(*module).await.expect("it runs");
        }
        assert!(processes[0].running() > SPARES);
        for module in &modules {
            here.manager().remove(module).expect("it is there");
        }
        until(|| held() == [(0, SPARES); 2]).await;
    };
    timeout(LIMIT, work).await.expect("in time");
}
