//! What a host offers, and what it can run in place of that: by its policy, and by what is ready.
#![cfg(feature = "guests")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tng::stp::manager::{Arrived, BuiltIn, ByHand, InstallError, Manager, Origin, Policy, Question, Reason};
use tng::stp::process::{Processes, Program};
use tng::stp::shipping::{Code, Declined, Form, Offer, Shelf};
use tng::stp::{
    Application, BUILT_IN, Engine, FollowedUp, NotOffered, PrepareError, Quotas, Shipped, Supply, TransportOffer,
    code_hash,
};
use tng::{Access, CodeHash, Confinement, Eid, Endpoint, Secret32, ServiceOptions, Settled};
use tokio::time::timeout;

const SERVICE: (&str, &str) = ("echo", "bytes/1");
const LIMIT: Duration = Duration::from_secs(60);

fn hash(name: &str) -> CodeHash {
    code_hash(bytes(name))
}

fn bytes(name: &str) -> &'static [u8] {
    BUILT_IN.iter().find(|guest| guest.name == name).expect("it is built in").bytes
}

fn eid(n: u8) -> Eid {
    Eid::from_bytes([n; 32])
}

/// What an application runs by a policy, of these guests, which come with the program.
fn supply(folder: &Path, policy: &str, guests: &[&str], processes: Option<Processes>) -> Supply {
    let policy = Policy::parse(policy).expect("a policy");
    let of = |guest: &&tng::stp::BuiltIn| BuiltIn {
        name: guest.name.to_owned(),
        hash: code_hash(guest.bytes),
        kind: guest.kind,
        bytes: guest.bytes,
    };
    let built_in = BUILT_IN.iter().filter(|guest| guests.contains(&guest.name));
    let built_in: Vec<BuiltIn> = built_in.map(|guest| of(&guest)).collect();
    let (manager, _) = Manager::open(folder, policy, built_in, Secret32::from_bytes([7; 32])).expect("a store");
    let engine = Engine::new(Quotas::default()).expect("an engine");
    Supply::new(Arc::new(manager), engine, Application { name: "test".to_owned(), ..Application::default() }, processes)
}

#[tokio::test]
async fn what_the_policy_refuses_a_peer_or_is_not_ready_or_carries_messages_is_not_offered_and_why_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let refuses = format!("[[rule]]\nname = \"not-there\"\npeer = \"{}\"\naccept = \"none\"\n", eid(1));
    let supply = supply(folder.path(), &refuses, &["newreno", "sack", "udp-flood"], None);
    let all = ["newreno", "udp-flood", "sack"].map(hash);
    supply.prepare(hash("newreno")).await.expect("it runs");
    let error = supply.prepare(hash("udp-flood")).await.expect_err("it carries messages");
    assert_eq!(error, PrepareError::Messages);
    let offerable = |peer| {
        let mut left_out = Vec::new();
        let offered = supply.offerable((peer, SERVICE.0), &all, |code, why| left_out.push((code, why)));
        (offered, left_out)
    };
    let (offered, left_out) = offerable(eid(2));
    assert_eq!(offered, [hash("newreno")]);
    let [(flood, NotOffered::Refused(verdict)), (sack, NotOffered::NotReady)] = &left_out[..] else {
        panic!("{left_out:?}")
    };
    assert_eq!((*flood, *sack), (hash("udp-flood"), hash("sack")));
    assert!(matches!(verdict.refused(), Some(Reason::NoTransport(_))), "{verdict:?}");
    supply.prepare(hash("sack")).await.expect("it runs");
    assert_eq!(offerable(eid(2)).0, [hash("newreno"), hash("sack")], "now it is ready");
    let (offered, left_out) = offerable(eid(1));
    assert!(offered.is_empty() && left_out.len() == 3, "{offered:?}");
    let told = left_out[0].1.to_string();
    assert!(told.contains("\"not-there\""), "{told}");
}

#[tokio::test]
async fn a_rule_goes_by_the_port_of_each_host_and_not_by_the_first_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = "[[rule]]\nname = \"lab\"\nport = 5000\nprefer = \"newreno\"\n";
    let supply = supply(folder.path(), rule, &["newreno"], None);
    supply.note_port(5_000);
    supply.note_host_port(eid(1), 4_860);
    supply.note_host_port(eid(2), 5_000);
    assert_eq!(supply.offer(eid(1), "files"), []);
    assert_eq!(supply.offer(eid(2), "files"), [hash("newreno")]);
    assert_eq!(supply.offer(eid(3), "files"), [], "where it is asked nobody has said");
    assert_eq!(&*supply.decide(Some(eid(3)), "files", &hash("newreno")).rule, "lab", "it comes to this host's port");
}

#[tokio::test]
async fn what_a_peer_pushes_is_judged_by_the_port_where_this_host_accepts() {
    let rule = "accept = \"any\"\n[[rule]]\nname = \"closed\"\nport = 5000\naccept = \"none\"\n";
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let offer = Offer { size: 1, packed_size: 1, packed_hash: [0; 32], manifest: Vec::new() };
    let closed = supply(folders[0].path(), rule, &[], None);
    closed.note_port(5_000);
    closed.note_host_port(eid(1), 4_860);
    assert_eq!(closed.wants(eid(1), hash("newreno"), &offer), Err(Declined::AcceptsNone));
    let (module, manifest) = (bytes("newreno").to_vec(), Vec::new());
    let code = Code { hash: hash("newreno"), form: Form::Binary, module, manifest };
    assert_eq!(closed.take(eid(1), code), Err(Declined::AcceptsNone));
    let open = supply(folders[1].path(), rule, &[], None);
    open.note_port(4_860);
    open.note_host_port(eid(1), 5_000);
    assert_eq!(open.wants(eid(1), hash("newreno"), &offer), Ok(()));
}

#[tokio::test]
async fn what_somebody_vouches_for_and_what_has_a_process_of_its_own_are_two_ways_to_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let supply = supply(folder.path(), "accept = \"any\"\n", &[], None);
    let arrived = Arrived {
        bytes: bytes("newreno"),
        kind: tng::stp::Kind::Transport,
        manifest: None,
        origin: &Origin::File(String::new()),
    };
    supply.manager().install_by_hand(&arrived, ByHand::default(), &Question::default(), 1_000).expect("room");
    supply.manager().pin(hash("newreno"), true).expect("written");
    supply.prepare(hash("newreno")).await.expect("it runs here");
    let repertoire = supply.repertoire();
    assert!(
        repertoire.has(&hash("newreno"), Confinement::Here) && !repertoire.has(&hash("newreno"), Confinement::Apart)
    );
    supply.manager().pin(hash("newreno"), false).expect("written");
    let error = supply.prepare(hash("newreno")).await.expect_err("what is ready here is not for it any more");
    assert_eq!(error, PrepareError::NoProcesses);
    let refused =
        supply.offerable((eid(1), "files"), &[hash("newreno")], |_, why| assert_eq!(why, NotOffered::NotReady));
    assert!(refused.is_empty());
}

#[tokio::test]
async fn the_policy_is_asked_before_code_is_compiled() {
    let folder = tempfile::tempdir().expect("a folder");
    let nobody = || Some(Processes::new(Program::new("/bin/false", [""; 0])));
    let rule = format!("accept = \"any\"\n[[rule]]\nname = \"not-here\"\npeer = \"{}\"\naccept = \"none\"\n", eid(1));
    let supply = supply(folder.path(), &rule, &[], nobody());
    let comes_from = |peer| {
        let shipped = Shipped { bytes: bytes("newreno").to_vec(), manifest: None, origin: Origin::Peer(peer) };
        supply.install(hash("newreno"), shipped, (peer, SERVICE.0))
    };
    let error = comes_from(eid(1)).await.expect_err("it may not run");
    let PrepareError::Install(InstallError::Refused(verdict)) = &error else { panic!("{error}") };
    assert_eq!(&*verdict.rule, "not-here");
    let error = comes_from(eid(2)).await.expect_err("control: that is no guest's process");
    assert!(matches!(error, PrepareError::Process(_)), "{error}");
}

/// What is settled where the client offers newreno and the server would rather run sack; what the client does next.
async fn connected(client: &Endpoint, server: &Endpoint, supply: &Supply) -> (Settled, FollowedUp) {
    let work = async {
        let offer = TransportOffer { service: SERVICE.0.to_owned(), codes: vec![hash("newreno")] };
        let pipe = client.pipe(&server.ticket().expect("room"), offer, SERVICE.1).await.expect("a pipe");
        let settled = pipe.negotiation().await.expect("it is there").expect("an offer was made").settled;
        (settled, supply.follow_up(&pipe.connection()).await.expect("nothing goes wrong"))
    };
    timeout(LIMIT, work).await.expect("in time")
}

async fn endpoints(client: &Supply, server: &Supply) -> (Endpoint, Endpoint) {
    let local = "127.0.0.1:0".parse().expect("an address");
    let server = Endpoint::builder().bind(local).access(Access::Public).repertoire(server.repertoire());
    let server = server.listen(SERVICE.0, SERVICE.1, ServiceOptions::default()).build().await.expect("a socket");
    let serving = server.clone();
    tokio::spawn(async move {
        while let Some(incoming) = serving.accept().await {
            tokio::spawn(async move {
                if let Ok(connection) = incoming.accept().await {
                    connection.closed().await;
                }
            });
        }
    });
    let client = Endpoint::builder().bind(local).repertoire(client.repertoire()).build().await.expect("a socket");
    (client, server)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_other_end_would_rather_run_and_is_built_in_here_runs() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let both = ["newreno", "sack"];
    let here = supply(folders[0].path(), "", &both, None);
    let there = supply(folders[1].path(), "prefer = \"sack\"\n", &both, None);
    here.prepare(hash("newreno")).await.expect("it runs");
    there.prepare_all(|_, error| panic!("{error}")).await;
    let (client, server) = endpoints(&here, &there).await;
    // It is not ready, so it is made ready.
    let (settled, next) = connected(&client, &server, &here).await;
    assert_eq!(settled, Settled::Declined(hash("sack")));
    assert!(matches!(next, FollowedUp::Ready(code) if code == hash("sack")), "{next:?}");
    let (settled, next) = connected(&client, &server, &here).await;
    assert_eq!(settled, Settled::Runs(hash("sack")));
    assert!(matches!(next, FollowedUp::Nothing), "{next:?}");
    // Who has everything ready that comes with the program runs it from the first connection on.
    let folder = tempfile::tempdir().expect("a folder");
    let again = supply(folder.path(), "", &both, None);
    again.prepare_vouched().await;
    ready(&again, "sack").await;
    let (client, server) = endpoints(&again, &there).await;
    assert_eq!(connected(&client, &server, &again).await.0, Settled::Runs(hash("sack")));
}

/// Waits until code that comes with the program is compiled.
async fn ready(supply: &Supply, name: &str) {
    let compiled = async {
        while !supply.repertoire().has(&hash(name), Confinement::Here) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, compiled).await.expect("it is compiled meanwhile");
}

/// On one thread: what is done meanwhile has not begun before this test waits for it.
#[tokio::test]
async fn nobody_waits_for_what_comes_with_the_program_and_was_not_named_to_be_compiled() {
    let folder = tempfile::tempdir().expect("a folder");
    let supply = supply(folder.path(), "", &["newreno", "sack"], None);
    supply.prepare_vouched().await;
    assert!(["newreno", "sack"].iter().all(|name| !supply.repertoire().has(&hash(name), Confinement::Here)));
    ready(&supply, "newreno").await;
    ready(&supply, "sack").await;
}
