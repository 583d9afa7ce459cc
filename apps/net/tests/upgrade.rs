//! Figure 2 of STP between two endpoints on sockets: a transport that one of them has spreads to the other.
#![cfg(feature = "guests")]

mod child;
mod echo;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tng::stp::manager::{
    BuiltIn, ByHand, InstallError, Manager, Origin, Outcome, Policy, PublisherPair, Question, RevocationList, Verdict,
};
use tng::stp::process::Processes;
use tng::stp::shipping::Allowance;
use tng::stp::{
    Application, BUILT_IN, Directory, Engine, FindingHost, FollowUpError, FollowedUp, HostsError, KEEPS_UP_EVERY,
    Quotas, Shipped, Signal, Supply, TransportOffer, code_hash,
};
use tng::{CodeHash, Eid, Endpoint, Pipe, Secret32, Settled, Target};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use child::this;
use echo::SERVICE;

const LIMIT: Duration = Duration::from_secs(60);
/// Whatever comes may run, in a process of its own.
const ANY: &str = "accept = \"any\"\n";

/// A module that comes with the library, as code that a host may have or not.
fn module(name: &str) -> (CodeHash, &'static [u8]) {
    let bytes = BUILT_IN.iter().find(|guest| guest.name == name).expect("it is built in").bytes;
    (code_hash(bytes), bytes)
}

/// What an application runs whose store is in this folder.
fn supply(folder: &Path, policy: &str) -> Supply {
    let policy = Policy::parse(policy).expect("a policy");
    let (manager, notes) =
        Manager::open(folder, policy, Vec::<BuiltIn>::new(), Secret32::from_bytes([7; 32])).expect("a store");
    assert!(notes.is_empty(), "{notes:?}");
    let engine = Engine::new(Quotas::default()).expect("an engine");
    let application = Application { name: "test".to_owned(), ..Application::default() };
    Supply::new(Arc::new(manager), engine, application, Some(Processes::new(this())))
}

/// The same with code that this user has put there.
async fn holding(folder: &Path, policy: &str, code: &str) -> Supply {
    let supply = supply(folder, policy);
    let (hash, bytes) = module(code);
    let kind = tng::stp::Module::new(&Engine::new(Quotas::default()).expect("an engine"), bytes).expect("good").kind();
    let arrived = tng::stp::manager::Arrived { bytes, kind, manifest: None, origin: &Origin::File(String::new()) };
    supply.manager().install_by_hand(&arrived, ByHand::default(), &Question::default(), 1_000).expect("room");
    supply.prepare(hash).await.expect("it runs");
    supply
}

async fn client(supply: &Supply) -> Endpoint {
    echo::client(supply.repertoire()).await
}

/// It gives back what comes by pipe, and gives and takes code.
async fn server(supply: &Supply) -> Endpoint {
    let server = echo::server(supply.repertoire()).await;
    server.serve_code(supply.clone(), Allowance::default()).expect("nobody else does");
    server
}

/// One connection: bytes go there and back, by whatever runs, and what is left to do is done beside them.
async fn connection(client: &Endpoint, server: &Endpoint, supply: &Supply, code: CodeHash) -> (Settled, Told) {
    let work = async {
        let offer = TransportOffer { service: SERVICE.0.to_owned(), codes: vec![code] };
        let pipe = client.pipe(&server.ticket().expect("room"), offer, SERVICE.1).await.expect("a pipe");
        let (connection, by_guest) = (pipe.connection(), pipe.guest().is_some());
        let settled = pipe.negotiation().await.expect("it is there").expect("an offer was made").settled;
        assert_eq!(by_guest, matches!(settled, Settled::Runs(_)));
        let (mut send, mut recv) = pipe.split();
        let (echoed, told) = tokio::join!(
            async {
                send.write_all(&[7; 50_000]).await.expect("room");
                send.finish().await.expect("it arrives");
                let mut heard = Vec::new();
                recv.read_to_end(&mut heard).await.expect("all of it");
                heard == vec![7; 50_000]
            },
            supply.follow_up(&connection),
        );
        assert!(echoed, "the same bytes");
        (settled, told)
    };
    timeout(LIMIT, work).await.expect("in time")
}

type Told = Result<FollowedUp, FollowUpError>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_connection_asks_for_the_code_and_the_next_runs_it() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let (newreno, _) = module("newreno");
    let (has, lacks) = (holding(folders[0].path(), ANY, "newreno").await, supply(folders[1].path(), ANY));
    let (client, server) = (client(&has).await, server(&lacks).await);
    let (settled, told) = connection(&client, &server, &has, newreno).await;
    assert_eq!(settled, Settled::SendMe(newreno));
    assert!(matches!(told, Ok(FollowedUp::Sent(hash)) if hash == newreno), "{told:?}");
    let (settled, told) = connection(&client, &server, &has, newreno).await;
    assert_eq!(settled, Settled::Runs(newreno));
    assert!(matches!(told, Ok(FollowedUp::Nothing)), "{told:?}");
    // It is there after a restart. What anybody's code is compiled to is kept nowhere: a process has made it.
    drop((client, server, lacks));
    let again = supply(folders[1].path(), ANY);
    let tag = Engine::new(Quotas::default()).expect("an engine").tag();
    assert!(again.manager().store().compiled(&newreno, &tag).expect("it can be read").is_none());
    again.prepare(newreno).await.expect("it runs");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_connections_that_bring_the_same_code_at_once_both_have_brought_it() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let (newreno, _) = module("newreno");
    let (has, lacks) = (holding(folders[0].path(), ANY, "newreno").await, supply(folders[1].path(), ANY));
    let (client, server) = (client(&has).await, server(&lacks).await);
    let ticket = server.ticket().expect("room");
    let mut pipes = Vec::new();
    for _ in 0..3 {
        let offer = TransportOffer { service: SERVICE.0.to_owned(), codes: vec![newreno] };
        let pipe = client.pipe(&ticket, offer, SERVICE.1).await.expect("a pipe");
        let settled = pipe.negotiation().await.expect("it is there").expect("an offer was made").settled;
        assert_eq!(settled, Settled::SendMe(newreno), "control: all are asked for it");
        pipes.push(pipe);
    }
    let connections: Vec<_> = pipes.iter().map(Pipe::connection).collect();
    let all = async {
        tokio::join!(has.follow_up(&connections[0]), has.follow_up(&connections[1]), has.follow_up(&connections[2]),)
    };
    let told = timeout(LIMIT, all).await.expect("in time");
    for told in [told.0, told.1, told.2] {
        assert!(matches!(told, Ok(FollowedUp::Sent(hash)) if hash == newreno), "{told:?}");
    }
    assert_eq!(connection(&client, &server, &has, newreno).await.0, Settled::Runs(newreno));
}

/// Asks a supply until the policy says so of code, and no longer than it may take.
async fn decides(supply: &Supply, code: &CodeHash, word: &str) {
    let asking = async {
        while supply.decide(None, SERVICE.0, code).refused().map_or("runs", |reason| reason.word()) != word {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(KEEPS_UP_EVERY * 10, asking).await.unwrap_or_else(|_| panic!("{word}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_program_says_of_code_and_another_policy_count_soon() {
    let folder = tempfile::tempdir().expect("a folder");
    let publisher = PublisherPair::from_seed([1; 32]);
    let known = format!("accept = \"any\"\n[publishers.acme]\nkey = \"{}\"\n", publisher.public());
    let ((newreno, _), (sack, _)) = (module("newreno"), module("sack"));
    let supply = holding(folder.path(), &known, "newreno").await;
    decides(&supply, &newreno, "runs").await;
    let policy = Policy::parse(&known).expect("a policy");
    let (other, _) = Manager::open(folder.path(), policy, Vec::new(), Secret32::from_bytes([7; 32])).expect("a store");
    other.flag(newreno, "slow").expect("written");
    decides(&supply, &newreno, "flagged").await;
    other.unflag(newreno).expect("written");
    decides(&supply, &newreno, "runs").await;
    // A list is a file of its own.
    for (number, code) in [(1, sack), (2, newreno)] {
        let mut list = RevocationList::new(publisher.public());
        (list.number, _) = (number, list.revoke(sack).expect("there is room"));
        list.revoke(code).expect("there is room");
        other.revoke(list.sign(&publisher)).expect("its key is the publisher's");
        decides(&supply, &newreno, if code == newreno { "revoked" } else { "runs" }).await;
    }
    let changed = Arc::new(Mutex::new(None));
    let asked = Arc::clone(&changed);
    supply.follow_policy(move || asked.lock().expect("nobody panicked").take());
    for (text, word) in [("accept = \"none\"", "accepts-none"), (ANY, "runs")] {
        *changed.lock().expect("nobody panicked") = Some(Policy::parse(text).expect("a policy"));
        decides(&supply, &newreno, word).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_the_store_counts_though_its_file_has_the_time_of_the_one_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let (newreno, _) = module("newreno");
    let supply = holding(folder.path(), ANY, "newreno").await;
    let index = folder.path().join("index");
    let at = std::fs::metadata(&index).and_then(|metadata| metadata.modified()).expect("it is there");
    tokio::time::sleep(KEEPS_UP_EVERY * 3).await;
    decides(&supply, &newreno, "runs").await;
    let policy = Policy::parse(ANY).expect("a policy");
    let (other, _) = Manager::open(folder.path(), policy, Vec::new(), Secret32::from_bytes([7; 32])).expect("a store");
    other.flag(newreno, "slow").expect("written");
    let file = std::fs::File::options().write(true).open(&index).expect("it is there");
    file.set_modified(at).expect("it is this user's");
    decides(&supply, &newreno, "flagged").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_program_installs_or_pins_while_an_endpoint_serves_runs_there_soon() {
    let (newreno, bytes) = module("newreno");
    // By a pin it runs in this process, by a policy that accepts anything in one of its own.
    for (text, pin) in [("accept = \"pinned\"\n", true), ("accept = \"any\"\nsources = [\"file\"]\n", false)] {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let (has, lacks) = (holding(folders[0].path(), ANY, "newreno").await, supply(folders[1].path(), text));
        let (client, server) = (client(&has).await, server(&lacks).await);
        assert_eq!(connection(&client, &server, &has, newreno).await.0, Settled::No, "control: it is not there");
        let (policy, key) = (Policy::parse(text).expect("a policy"), Secret32::from_bytes([7; 32]));
        let (other, _) = Manager::open(folders[1].path(), policy, Vec::new(), key).expect("a store");
        let kind = tng::stp::Kind::Transport;
        let arrived = tng::stp::manager::Arrived { bytes, kind, manifest: None, origin: &Origin::File(String::new()) };
        let by_hand = ByHand { pin, ..ByHand::default() };
        other.install_by_hand(&arrived, by_hand, &Question::default(), 1_000).expect("room");
        let offering = async {
            while connection(&client, &server, &has, newreno).await.0 != Settled::Runs(newreno) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        timeout(LIMIT, offering).await.expect("it is made ready");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_accepts_what_is_signed_alone_is_sent_nothing() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let (newreno, bytes) = module("newreno");
    let (has, strict) = (holding(folders[0].path(), ANY, "newreno").await, supply(folders[1].path(), ""));
    let (client, server) = (client(&has).await, server(&strict).await);
    let (settled, told) = connection(&client, &server, &has, newreno).await;
    // Whether it is signed shows only when it is there, so it is asked for; and then it is not taken.
    match settled {
        Settled::SendMe(_) => {
            let error = told.expect_err("nobody has signed it");
            assert!(matches!(error, FollowUpError::Code(_)), "{error}");
        }
        settled => assert_eq!(settled, Settled::No),
    }
    let (settled, _) = connection(&client, &server, &has, newreno).await;
    assert_eq!(settled, Settled::No, "what was refused once is not asked for again");
    let shipped = Shipped { bytes: bytes.to_vec(), manifest: None, origin: Origin::Peer(client.eid()) };
    let refused = strict.install(newreno, shipped, (client.eid(), SERVICE.0)).await;
    let refused = refused.expect_err("nobody has signed it");
    assert!(matches!(refused, tng::stp::PrepareError::Install(InstallError::Refused(_))), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peers_marks_are_congestion_where_a_rule_trusts_them_and_they_reach_it() {
    let (newreno, _) = module("newreno");
    for trusted in [true, false] {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let there = holding(folders[1].path(), ANY, "newreno").await;
        let server = server(&there).await;
        let eid = if trusted { server.eid() } else { Eid::from_bytes([9; 32]) };
        let rule = format!("{ANY}[[rule]]\npeer = \"{eid}\"\ntrusts = \"marks\"\n");
        let client = client(&holding(folders[0].path(), &rule, "newreno").await).await;
        let work = async {
            let offer = TransportOffer { service: SERVICE.0.to_owned(), codes: vec![newreno] };
            let pipe = client.pipe(&server.ticket().expect("room"), offer, SERVICE.1).await.expect("a pipe");
            let guest = pipe.guest().expect("both have it").clone();
            let (mut send, mut recv) = pipe.split();
            send.write_all(&[7; 50_000]).await.expect("room");
            send.finish().await.expect("it arrives");
            recv.read_to_end(&mut Vec::new()).await.expect("all of it");
            guest.with(|it| it.shim().policer().signal()).expect("it is there")
        };
        let signal = timeout(LIMIT, work).await.expect("in time");
        assert_eq!(signal, if trusted { Signal::Marks } else { Signal::Losses }, "trusted: {trusted}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_server_would_rather_run_comes_to_the_client() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let ((newreno, _), (sack, _)) = (module("newreno"), module("sack"));
    let has = holding(folders[0].path(), ANY, "newreno").await;
    let prefers = format!("accept = \"any\"\nprefer = [\"{sack}\"]\n");
    let wants = holding(folders[1].path(), &prefers, "sack").await;
    let (client, server) = (client(&has).await, server(&wants).await);
    let (settled, told) = connection(&client, &server, &has, newreno).await;
    assert_eq!(settled, Settled::Declined(sack));
    let Ok(FollowedUp::Came(hash, verdict)) = told else { panic!("{told:?}") };
    assert!(hash == sack && matches!(verdict.outcome, Outcome::Run(_)), "{verdict:?}");
    let (settled, _) = connection(&client, &server, &has, newreno).await;
    assert_eq!(settled, Settled::Runs(sack), "the server's choice, in place of what was offered");
}

/// One host that is called `attic`, and what came of asking for it.
#[derive(Clone)]
struct Attic(Target, Arc<Mutex<Vec<(CodeHash, bool)>>>);

impl Attic {
    fn of(endpoint: &Endpoint) -> Attic {
        Attic(Target::from(&endpoint.ticket().expect("room")), Arc::default())
    }
}

impl Directory for Attic {
    fn find<'a>(&'a self, name: &'a str) -> FindingHost<'a> {
        let found = if name == "attic" { Ok(self.0.clone()) } else { Err(format!("nobody knows {name}")) };
        Box::pin(core::future::ready(found))
    }

    fn heard(&self, code: CodeHash, came: Result<Verdict, HostsError>) {
        self.1.lock().expect("nobody panicked").push((code, came.is_ok()));
    }
}

/// Waits until code has come that a peer had named, or has not.
async fn came(attic: &Attic) -> (CodeHash, bool) {
    let waiting = async {
        loop {
            if let Some(came) = attic.1.lock().expect("nobody panicked").pop() {
                return came;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, waiting).await.expect("in time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_peer_was_asked_for_and_does_not_send_comes_from_a_host_that_the_policy_names() {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let (newreno, _) = module("newreno");
    let has = holding(folders[0].path(), ANY, "newreno").await;
    let lacks = supply(folders[1].path(), "accept = \"any\"\nsources = [\"peer\", \"host:nowhere\", \"host:attic\"]\n");
    let keeps = holding(folders[2].path(), ANY, "newreno").await;
    let (client, server, attic) = (client(&has).await, server(&lacks).await, server(&keeps).await);
    let directory = Attic::of(&attic);
    assert!(lacks.ask_hosts(&server, directory.clone()) && !lacks.ask_hosts(&server, directory.clone()));
    // It is asked, and says nothing.
    let offer = TransportOffer { service: SERVICE.0.to_owned(), codes: vec![newreno] };
    let pipe = client.pipe(&server.ticket().expect("room"), offer, SERVICE.1).await.expect("a pipe");
    let settled = pipe.negotiation().await.expect("it is there").expect("an offer was made").settled;
    assert_eq!(settled, Settled::SendMe(newreno));
    assert_eq!(came(&directory).await, (newreno, true));
    let from = lacks.manager().look(|_, known| known.index.module(&newreno).expect("it is here").origin.clone());
    assert_eq!(from, Origin::Host("attic".to_owned()));
    let (settled, _) = connection(&client, &server, &has, newreno).await;
    assert_eq!(settled, Settled::Runs(newreno));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_would_rather_run_and_does_not_serve_comes_from_a_host_too() {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let ((newreno, _), (sack, _)) = (module("newreno"), module("sack"));
    let policy = "accept = \"any\"\nsources = [\"file\", \"host:attic\"]\n";
    let has = holding(folders[0].path(), policy, "newreno").await;
    let prefers = format!("accept = \"any\"\nprefer = [\"{sack}\"]\n");
    let wants = holding(folders[1].path(), &prefers, "sack").await;
    let keeps = holding(folders[2].path(), ANY, "sack").await;
    let (client, server, attic) = (client(&has).await, server(&wants).await, server(&keeps).await);
    let (settled, told) = connection(&client, &server, &has, newreno).await;
    assert_eq!(settled, Settled::Declined(sack));
    assert!(matches!(told, Err(FollowUpError::Hosts(HostsError::NoWay))), "control: nobody has said where: {told:?}");
    assert!(has.ask_hosts(&client, Attic::of(&attic)));
    let (_, told) = connection(&client, &server, &has, newreno).await;
    assert!(matches!(told, Ok(FollowedUp::Came(hash, _)) if hash == sack), "{told:?}");
    let (settled, _) = connection(&client, &server, &has, newreno).await;
    assert_eq!(settled, Settled::Runs(sack));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_that_do_not_have_it_or_are_not_there_are_named_with_their_reasons() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let (newreno, _) = module("newreno");
    let lacks = supply(folders[0].path(), "accept = \"any\"\nsources = [\"host:attic\", \"host:nowhere\"]\n");
    let empty = supply(folders[1].path(), ANY);
    let (server, attic) = (server(&lacks).await, server(&empty).await);
    let of = (attic.eid(), SERVICE.0);
    assert!(matches!(lacks.fetch_from_hosts(newreno, of).await, Err(HostsError::NoWay)));
    assert!(matches!(empty.fetch_from_hosts(newreno, of).await, Err(HostsError::NoneNamed)));
    lacks.ask_hosts(&server, Attic::of(&attic));
    let error = lacks.fetch_from_hosts(newreno, of).await.expect_err("nobody has it").to_string();
    assert!(error.contains("attic: the peer's policy does not allow it"), "what it has not it does not give: {error}");
    assert!(error.contains("nowhere: nobody knows nowhere"), "{error}");
}
