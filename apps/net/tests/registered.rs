//! Registries over real sockets on the loopback: hosts that are found by their keys, and introduced to each other.
#![allow(clippy::unwrap_used, reason = "these are tests")]
#![expect(clippy::disallowed_methods, reason = "records expire by the time of day")]

use std::collections::{BTreeSet, HashSet};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use tng::help::{HelpTerms, Token};
use tng::registry::{
    Denied, DeskConfig, Entry, Flaw, Heard, Memory, Policy, Put, Record, Registering, Registration, RegistryError,
    RegistryTarget, Role, Standing, Statement, Store, StoreError, Succession, TokenHash, Waits, Word, publish,
};
use tng::relay::{ClientTag, HelperConfig, Network, Onward, RelayService, Terms};
use tng::{
    Access, Builder, ConnectError, Connection, Eid, Endpoint, HostConfig, Identity, PathTaken, Received, Request,
    Secret32, Socket, Target, Transmit, UdpSocket,
};

/// A test that hangs says so.
async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.unwrap_or_else(|_| panic!("{what}: nothing for 30 s"))
}

const CLIENT: u8 = 1;
const SERVER: u8 = 3;
const HEIR: u8 = 4;

fn identity(n: u8) -> Identity {
    Identity::from_seed([n; 32])
}

fn builder(n: u8) -> Builder {
    let loopback: SocketAddr = "127.0.0.1:0".parse().unwrap();
    Endpoint::builder().identity(identity(n)).bind(loopback)
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

/// A registry over a store, and how it is asked.
async fn registry_over(n: u8, config: DeskConfig, store: Arc<dyn Store>) -> (Endpoint, RegistryTarget) {
    let endpoint = builder(n).access(Access::Public).build().await.unwrap();
    endpoint.serve_registry(config, &[endpoint.local_addr()], store).unwrap();
    let target = RegistryTarget { eid: endpoint.eid(), addresses: vec![endpoint.local_addr()], door: None };
    (endpoint, target)
}

async fn registry() -> (Endpoint, RegistryTarget) {
    registry_over(100, DeskConfig::default(), Arc::new(Memory::new(100))).await
}

async fn server(n: u8) -> Endpoint {
    let server = builder(n).access(Access::Public).build().await.unwrap();
    server.serve("echo", async |request: Request| request.into_body()).unwrap();
    server
}

async fn registered(server: &Endpoint, at: &RegistryTarget, policy: Policy) -> Registration {
    let what = Registering { policy, ..Registering::default() };
    within("registering", server.register(at, what)).await.unwrap()
}

#[tokio::test]
async fn a_host_is_reached_by_its_eid_alone_and_not_when_no_registry_is_known() {
    let (_registry, at) = registry().await;
    let server = server(SERVER).await;
    let registration = registered(&server, &at, Policy::Public).await;
    assert_eq!(registration.observed(), Some(server.local_addr()));

    let client = builder(CLIENT).registry(at).build().await.unwrap();
    let connection = within("connecting", client.connect(server.eid())).await.unwrap();
    assert_eq!(within("asking", connection.request("echo", "there?")).await.unwrap(), "there?");
    let found = within("looking up", client.look_up(server.eid())).await.unwrap();
    let attended = found.attended.unwrap();
    assert_eq!((found.eid, found.succeeded, attended.observed), (server.eid(), None, server.local_addr()));

    let nobody = builder(CLIENT + 1).build().await.unwrap();
    assert_eq!(nobody.connect(server.eid()).await.unwrap_err(), ConnectError::NoAddress);
    assert!(matches!(nobody.look_up(server.eid()).await, Err(RegistryError::NoneKnown)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_connects_to_a_registry_that_is_just_beginning_finds_its_service_there() {
    let socket = UdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let at = RegistryTarget { eid: identity(100).eid(), addresses: vec![address], door: None };
    let client = builder(CLIENT).registry(at).build().await.unwrap();
    // It asks before there is anybody who answers.
    let asking = tokio::spawn(async move { client.look_up(identity(SERVER).eid()).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let serve = |endpoint: &Endpoint| {
        std::thread::sleep(Duration::from_millis(100));
        endpoint.serve_registry(DeskConfig::default(), &[address], Arc::new(Memory::new(100)))
    };
    let builder = builder(100).socket(Arc::new(socket)).access(Access::Public);
    let (_endpoint, _registry) = builder.build_serving(serve).await.unwrap();
    let answer = within("an answer", asking).await.unwrap();
    assert!(matches!(answer, Err(RegistryError::Absent(_))), "{answer:?}");
}

#[tokio::test]
async fn who_may_not_look_a_host_up_is_told_that_it_is_not_there() {
    let (_registry, at) = registry().await;
    let (listed, hidden) = (server(SERVER).await, server(SERVER + 10).await);
    let _one = registered(&listed, &at, Policy::Listed(vec![identity(CLIENT).eid()])).await;
    let token = Token::new("sesame").unwrap();
    let _other = registered(&hidden, &at, Policy::Token(TokenHash::of(&token))).await;

    let client = builder(CLIENT).registry(at.clone()).build().await.unwrap();
    let stranger = builder(CLIENT + 1).registry(at).build().await.unwrap();
    assert!(client.look_up(listed.eid()).await.is_ok());
    assert!(stranger.look_up_with(hidden.eid(), Some(token)).await.is_ok());
    let nowhere = Eid::from_bytes([9; 32]);
    for (endpoint, eid) in [(&stranger, listed.eid()), (&client, hidden.eid()), (&client, nowhere)] {
        assert!(matches!(endpoint.look_up(eid).await, Err(RegistryError::Absent(absent)) if absent == eid));
    }
    let error = stranger.connect(listed.eid()).await.unwrap_err();
    assert!(matches!(&error, ConnectError::NotLocated(why) if why.contains("is not registered")), "{error}");
}

#[tokio::test]
async fn an_endpoint_shows_the_token_of_a_host_wherever_it_looks_for_it_and_is_introduced_to_it() {
    let (registry, at) = registry_that_relays().await;
    let server = server(SERVER).await;
    let token = Token::new("sesame").unwrap();
    let policy = Policy::Token(TokenHash::of(&token));
    let what = Registering { policy, addresses: Some(Vec::new()), lease: None };
    let registration = within("registering", server.register(&at, what)).await.unwrap();

    let stranger = builder(CLIENT + 1).registry(at.clone()).build().await.unwrap();
    let error = stranger.connect(server.eid()).await.unwrap_err();
    assert!(matches!(&error, ConnectError::NotLocated(why) if why.contains("is not registered")), "{error}");
    let wrong = Token::new("sesam").unwrap();
    assert!(matches!(stranger.look_up_with(server.eid(), Some(wrong)).await, Err(RegistryError::Absent(_))));

    let client = builder(CLIENT).registry(at).registry_token(server.eid(), token).build().await.unwrap();
    let connection = within("connecting", client.connect(server.eid())).await.unwrap();
    assert_eq!(registry.relay().unwrap().stats().joins, 1, "it was begun by way of the registry");
    let introduced = within("being introduced", registration.introduced()).await.unwrap();
    assert_eq!(introduced.peer, client.eid(), "the endpoint itself has asked for that");
    // A connection at rest asks for no other way.
    let asking = async {
        while !matches!(connection.path(), Some(PathTaken::Direct { .. })) {
            connection.request("echo", "still?").await.unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within("a direct path", asking).await;
}

#[tokio::test]
async fn a_host_that_is_registered_at_two_registries_says_the_same_at_both() {
    let (_one, first) = registry_over(100, DeskConfig::default(), Arc::new(Memory::new(100))).await;
    let (_two, second) = registry_over(101, DeskConfig::default(), Arc::new(Memory::new(100))).await;
    let server = server(SERVER).await;
    // So that the second would be signed in another millisecond.
    let _at_first = registered(&server, &first, Policy::Public).await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let _at_second = registered(&server, &second, Policy::Public).await;
    let mut said = Vec::new();
    for at in [first, second] {
        let client = builder(CLIENT).registry(at).build().await.unwrap();
        said.push(within("looking up", client.look_up(server.eid())).await.unwrap().record);
    }
    assert_eq!(said[0], said[1], "two that share a store would undo each other's");
}

/// A store that answers with what it was given, for every host.
struct Liar(Statement);

impl Store for Liar {
    fn put(&self, _: u64, _: Entry) -> Waits<'_, Put> {
        Box::pin(async { Ok(Put::New) })
    }

    fn get(&self, _: u64, _: Eid) -> Waits<'_, Option<Entry>> {
        let entry = Entry { statement: self.0.clone(), policy: Policy::Public, attended: None, until_ms: u64::MAX };
        Box::pin(async move { Ok(Some(entry)) })
    }

    fn remove_expired(&self, _: u64) -> Waits<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn count(&self, _: u64) -> usize {
        1
    }

    fn watch(&self, _: Heard) {}
}

fn record(of: u8, number: u64) -> Statement {
    let record = Record { number, expires_s: now_s() + 60, addresses: vec!["192.0.2.1:1".parse().unwrap()] };
    Statement::new(&identity(of), Word::Here(record))
}

#[tokio::test]
async fn a_registry_that_lies_is_found_out_and_the_next_one_is_asked() {
    let of = identity(SERVER).eid();
    let (_good, good) = registry_over(100, DeskConfig::default(), Arc::new(Liar(record(SERVER, 7)))).await;
    let forged = Statement { eid: of, ..record(HEIR, 8) };
    for (lie, seen) in [(record(HEIR, 8), Flaw::Stranger { seen: identity(HEIR).eid() }), (forged, Flaw::Signature)] {
        let (_bad, bad) = registry_over(101, DeskConfig::default(), Arc::new(Liar(lie))).await;
        let misled = builder(CLIENT).registry(bad.clone()).build().await.unwrap();
        match within("looking up", misled.look_up(of)).await {
            Err(RegistryError::Lie { registry, flaw, .. }) => assert_eq!((registry, flaw), (bad.eid, seen)),
            other => panic!("{other:?}"),
        }
        let careful = builder(CLIENT).registry(bad).registry(good.clone()).build().await.unwrap();
        assert_eq!(within("looking up", careful.look_up(of)).await.unwrap().record.number, 7);
    }
}

#[tokio::test]
async fn a_number_that_is_lower_than_one_seen_before_is_not_believed_by_the_next_process_either() {
    let of = identity(SERVER).eid();
    let (_new, new) = registry_over(100, DeskConfig::default(), Arc::new(Liar(record(SERVER, 8)))).await;
    let (_behind, behind) = registry_over(101, DeskConfig::default(), Arc::new(Liar(record(SERVER, 7)))).await;
    let folder = tempfile::tempdir().unwrap();
    let client = async |at: &RegistryTarget| {
        let builder = builder(CLIENT).registry(at.clone()).registry_memory(folder.path().join("seen"));
        builder.build().await.unwrap()
    };
    assert!(client(&behind).await.look_up(of).await.is_ok(), "control: nothing was seen");
    assert!(client(&new).await.look_up(of).await.is_ok());
    let error = client(&behind).await.look_up(of).await.unwrap_err();
    assert!(matches!(error, RegistryError::Behind { has, seen, .. } if (has.number, seen.number) == (7, 8)), "{error}");
}

#[tokio::test]
async fn a_key_that_was_replaced_leads_to_its_heir_and_to_no_other_and_one_that_was_revoked_leads_nowhere() {
    let (_registry, at) = registry().await;
    let heir = server(HEIR).await;
    let _registration = registered(&heir, &at, Policy::Public).await;
    let old = identity(SERVER);
    let succession =
        |heir: &Identity, made_s| Statement::new(&old, Word::Succeeded(Succession::new(old.eid(), heir, made_s)));
    let folder = tempfile::tempdir().unwrap();
    let client_of =
        |at: &RegistryTarget| builder(CLIENT).registry(at.clone()).registry_memory(folder.path().join("seen"));
    let client = client_of(&at).build().await.unwrap();
    within("publishing", publish(&client, &at, succession(&identity(HEIR), now_s()))).await.unwrap();
    let found = within("looking up", client.look_up(old.eid())).await.unwrap();
    assert_eq!((found.eid, found.succeeded), (heir.eid(), Some(old.eid())));

    // The old host says no more.
    let late = Statement::new(&old, Word::Here(Record { number: u64::MAX, expires_s: now_s(), addresses: Vec::new() }));
    let host = builder(SERVER).build().await.unwrap();
    assert!(matches!(publish(&host, &at, late).await, Err(RegistryError::Denied(Denied::Older(_)))));
    // Who has stolen the old key names another heir, later.
    let second = succession(&identity(9), now_s() + 1);
    let refused = within("publishing", publish(&client, &at, second.clone())).await.unwrap_err();
    assert!(matches!(refused, RegistryError::Denied(Denied::OtherHeir)), "{refused}");
    assert_eq!(within("looking up", client.look_up(old.eid())).await.unwrap().eid, heir.eid(), "the first one stays");
    let again = succession(&identity(HEIR), now_s() + 1);
    assert!(publish(&client, &at, again).await.is_ok(), "control: the same one may be told again");
    // Where it is told first, who knows the first heir is not led astray.
    let (_elsewhere, misled) = registry_over(101, DeskConfig::default(), Arc::new(Memory::new(10))).await;
    let client_there = client_of(&misled).build().await.unwrap();
    let later = succession(&identity(9), now_s() + 2);
    within("publishing", publish(&client_there, &misled, later)).await.unwrap();
    let error = client_there.look_up(old.eid()).await.unwrap_err();
    assert!(matches!(error, RegistryError::OtherHeir { first, .. } if first == heir.eid()), "{error}");

    let revoked = Statement::new(&old, Word::Revoked { made_s: 1 });
    within("publishing", publish(&client, &at, revoked)).await.unwrap();
    let stranger = builder(CLIENT + 1).registry(at).build().await.unwrap();
    assert!(matches!(stranger.look_up(old.eid()).await, Err(RegistryError::Revoked(eid)) if eid == old.eid()));
}

#[tokio::test]
async fn both_sides_of_an_introduction_are_told_of_each_other_under_one_name() {
    let (registry, at) = registry().await;
    let server = server(SERVER).await;
    let registration = registered(&server, &at, Policy::Public).await;
    let client = builder(CLIENT).registry(at).build().await.unwrap();
    let found = client.look_up(server.eid()).await.unwrap();
    assert_eq!(found.attended.as_ref().unwrap().registry, registry.eid());
    for _ in 0..2 {
        let called = async { within("being introduced", registration.introduced()).await.unwrap() };
        let (caller, called) = tokio::join!(within("introducing", client.introduce(&found)), called);
        let caller = caller.unwrap();
        assert_eq!((caller.peer, caller.role, caller.observed), (server.eid(), Role::Caller, server.local_addr()));
        assert_eq!((called.peer, called.role, called.observed), (client.eid(), Role::Called, client.local_addr()));
        assert_eq!(caller.nonce, called.nonce);
    }
    // Who introduces itself is not found by that.
    let other = builder(CLIENT + 1).registry(found_at(&registry)).build().await.unwrap();
    assert!(matches!(other.look_up(client.eid()).await, Err(RegistryError::Absent(_))));
}

fn found_at(registry: &Endpoint) -> RegistryTarget {
    RegistryTarget { eid: registry.eid(), addresses: vec![registry.local_addr()], door: None }
}

#[tokio::test]
async fn processes_of_one_key_ask_for_introductions_beside_each_other_and_a_server_among_them_stays_registered() {
    let (_registry, at) = registry().await;
    let called = server(SERVER).await;
    let registration = registered(&called, &at, Policy::Public).await;
    let server = server(CLIENT).await;
    let mut beside = registered(&server, &at, Policy::Public).await;
    let stranger = builder(CLIENT + 1).registry(at.clone()).build().await.unwrap();
    let mut seen = BTreeSet::new();
    let mut clients = Vec::new();
    for _ in 0..3 {
        let client = builder(CLIENT).registry(at.clone()).build().await.unwrap();
        let found = within("looking up", client.look_up(called.eid())).await.unwrap();
        within("introducing", client.introduce(&found)).await.unwrap();
        let introduction = within("being introduced", registration.introduced()).await.unwrap();
        assert_eq!((introduction.peer, introduction.observed), (server.eid(), client.local_addr()));
        seen.insert(introduction.observed);
        clients.push(client);
        let found = within("looking up", stranger.look_up(server.eid())).await.unwrap();
        assert_eq!(found.attended.as_ref().map(|attended| attended.observed), Some(server.local_addr()));
        assert_eq!(within("introducing", stranger.introduce(&found)).await.unwrap().observed, server.local_addr());
    }
    assert_eq!(seen.len(), 3);
    let changed = tokio::time::timeout(Duration::from_millis(1_500), beside.changed()).await;
    assert!(changed.is_err(), "{changed:?}");
}

#[tokio::test]
async fn a_host_that_is_gone_is_forgotten_when_its_lease_ends_and_watchers_hear_of_it() {
    let config = DeskConfig { lease: Duration::from_secs(1), ..DeskConfig::default() };
    let endpoint = builder(100).access(Access::Public).build().await.unwrap();
    let registry = endpoint.serve_registry(config, &[endpoint.local_addr()], Arc::new(Memory::new(100))).unwrap();
    let at = found_at(&endpoint);
    let client = builder(CLIENT).registry(at.clone()).build().await.unwrap();
    let mut watching = within("watching", client.watch(identity(SERVER).eid(), None)).await.unwrap();
    let mut next = async || within("watching", watching.next()).await.expect("it goes on");
    assert!(matches!(next().await, Err(RegistryError::Absent(_))));
    let server = server(SERVER).await;
    let registration = registered(&server, &at, Policy::Public).await;
    let (statement, attended) = next().await.unwrap();
    assert_eq!((statement.eid, attended.unwrap().observed), (server.eid(), server.local_addr()));
    // It is renewed for as long as it is there: several leases long.
    let renewed = async {
        while registry.stats().registrations < 10 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within("renewals", renewed).await;
    drop(registration);
    while !matches!(next().await, Err(RegistryError::Absent(_))) {}
    assert!(matches!(client.look_up(server.eid()).await, Err(RegistryError::Absent(_))));
}

#[tokio::test]
async fn what_is_registered_is_counted_at_once_and_who_closes_its_endpoint_is_found_no_more() {
    let endpoint = builder(100).access(Access::Public).build().await.unwrap();
    let store = Arc::new(Memory::new(100));
    let registry = endpoint.serve_registry(DeskConfig::default(), &[endpoint.local_addr()], store).unwrap();
    let at = found_at(&endpoint);
    let client = builder(CLIENT).registry(at.clone()).build().await.unwrap();
    let server = server(SERVER).await;
    let _registration = registered(&server, &at, Policy::Public).await;
    assert_eq!(registry.stats().registered, 1);
    assert!(client.look_up(server.eid()).await.is_ok(), "control");
    within("closing", server.close()).await;
    assert!(matches!(client.look_up(server.eid()).await, Err(RegistryError::Absent(_))));
}

#[tokio::test]
async fn who_watches_at_a_registry_that_dies_is_told_so_once() {
    let (registry, at) = registry().await;
    let client = builder(CLIENT).registry(at).build().await.unwrap();
    let mut watching = within("watching", client.watch(identity(SERVER).eid(), None)).await.unwrap();
    assert!(matches!(watching.next().await, Some(Err(RegistryError::Absent(_)))), "control: it goes on");
    registry.close().await;
    let told = within("its end", watching.next()).await;
    assert!(!matches!(told, Some(Ok(_))), "{told:?}");
    assert!(within("its end", watching.next()).await.is_none(), "nobody who asks again and again is kept busy");
}

#[tokio::test]
async fn a_registration_comes_about_when_the_registry_is_there_and_again_when_it_was_restarted() {
    let (first, at) = registry().await;
    let address = first.local_addr();
    first.close().await;
    drop(first);
    let server = server(SERVER).await;
    let mut registration = server.keep_registered(&at, Registering::default());
    for round in 0..2 {
        let socket = loop {
            // The one before may still hold the address.
            match tng::UdpSocket::bind(address) {
                Ok(socket) => break socket,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        let again = builder(100).socket(Arc::new(socket)).access(Access::Public).build().await.unwrap();
        again.serve_registry(DeskConfig::default(), &[address], Arc::new(Memory::new(10))).unwrap();
        let stands = async { while !matches!(registration.changed().await, Standing::Registered { .. }) {} };
        tokio::time::timeout(Duration::from_secs(60), stands).await.unwrap_or_else(|_| panic!("round {round}"));
        let client = builder(CLIENT).registry(at.clone()).build().await.unwrap();
        assert!(within("looking up", client.look_up(server.eid())).await.is_ok());
        again.close().await;
        let fails = async { while !matches!(registration.changed().await, Standing::Failing(_)) {} };
        tokio::time::timeout(Duration::from_secs(60), fails).await.unwrap_or_else(|_| panic!("round {round}"));
    }
}

#[tokio::test]
async fn a_host_whose_clock_went_back_registers_above_what_the_registry_has() {
    let (_registry, at) = registry().await;
    let future = u64::MAX / 2;
    let host = builder(SERVER).access(Access::Public).build().await.unwrap();
    within("publishing", publish(&host, &at, record(SERVER, future))).await.unwrap();
    let _registration = registered(&host, &at, Policy::Public).await;
    let client = builder(CLIENT).registry(at).build().await.unwrap();
    assert_eq!(client.look_up(host.eid()).await.unwrap().record.number, future + 1);
}

#[tokio::test]
async fn when_the_first_registry_is_dead_the_second_answers_soon() {
    let (dead, dead_at) = registry().await;
    dead.close().await;
    drop(dead);
    let (_alive, alive_at) = registry_over(101, DeskConfig::default(), Arc::new(Memory::new(10))).await;
    let server = server(SERVER).await;
    let _registration = registered(&server, &alive_at, Policy::Public).await;
    let client = builder(CLIENT).registry(dead_at).registry(alive_at).build().await.unwrap();
    // Far less than a dead host is waited for.
    let found = tokio::time::timeout(Duration::from_secs(8), client.look_up(server.eid())).await;
    assert_eq!(found.expect("in time").unwrap().eid, server.eid());
}

/// A store that does not answer while it is down.
struct Down(Memory, Arc<AtomicBool>);

impl Down {
    fn if_up<'a, T: Send + 'a>(&self, answer: Waits<'a, T>) -> Waits<'a, T> {
        match self.1.load(Ordering::Relaxed) {
            true => Box::pin(async { Err(StoreError("it is down".to_owned())) }),
            false => answer,
        }
    }
}

impl Store for Down {
    fn put(&self, now_ms: u64, entry: Entry) -> Waits<'_, Put> {
        self.if_up(self.0.put(now_ms, entry))
    }

    fn get(&self, now_ms: u64, eid: Eid) -> Waits<'_, Option<Entry>> {
        self.if_up(self.0.get(now_ms, eid))
    }

    fn remove_expired(&self, now_ms: u64) -> Waits<'_, ()> {
        self.if_up(self.0.remove_expired(now_ms))
    }

    fn count(&self, now_ms: u64) -> usize {
        self.0.count(now_ms)
    }

    fn watch(&self, heard: Heard) {
        self.0.watch(heard);
    }
}

#[tokio::test]
async fn a_store_that_is_down_is_told_of_by_name_and_what_was_registered_is_there_when_it_is_back() {
    let down = Arc::<AtomicBool>::default();
    let store = Arc::new(Down(Memory::new(10), Arc::clone(&down)));
    let (_registry, at) = registry_over(100, DeskConfig::default(), store).await;
    let server = server(SERVER).await;
    let _registration = registered(&server, &at, Policy::Public).await;
    let client = builder(CLIENT).registry(at).build().await.unwrap();
    down.store(true, Ordering::Relaxed);
    let error = client.look_up(server.eid()).await.unwrap_err();
    assert!(matches!(error, RegistryError::Denied(Denied::Unavailable)), "{error}");
    down.store(false, Ordering::Relaxed);
    assert!(client.look_up(server.eid()).await.is_ok());
}

#[tokio::test]
async fn a_host_that_asks_too_often_is_denied_by_name_and_others_are_not() {
    let config = DeskConfig { per_peer_s: 1, per_peer_burst: 5, ..DeskConfig::default() };
    let (_registry, at) = registry_over(100, config, Arc::new(Memory::new(10))).await;
    let server = server(SERVER).await;
    let _registration = registered(&server, &at, Policy::Public).await;
    let greedy = builder(CLIENT).registry(at.clone()).build().await.unwrap();
    let mut denied = 0;
    for _ in 0..50 {
        denied += u32::from(matches!(greedy.look_up(server.eid()).await, Err(RegistryError::Denied(Denied::TooOften))));
    }
    assert!(denied > 0, "control: it asks more than it may");
    let modest = builder(CLIENT + 1).registry(at).build().await.unwrap();
    assert!(modest.look_up(server.eid()).await.is_ok());
}

/// A registry that relays for everybody, to hosts on the loopback.
async fn registry_that_relays() -> (Endpoint, RegistryTarget) {
    let onward = Onward::Listed(vec![Network { address: [127, 0, 0, 0].into(), bits: 8 }]);
    let config = HelperConfig { onward, ..HelperConfig::default() };
    let service = RelayService::new(Secret32::from_bytes([9; 32]), config);
    let endpoint = builder(100).access(Access::Public).relay(service).build().await.unwrap();
    let granted = HelpTerms {
        client: ClientTag(7),
        terms: Terms { life: Duration::from_secs(60), flows_max: 64, tunnels: false },
        rate_max: None,
        held_max: None,
        controllers: Vec::new(),
        queue_time_max: None,
    };
    endpoint.serve_help(move |_, _| Ok(granted.clone())).unwrap();
    let own = endpoint.local_addr();
    endpoint.serve_registry(DeskConfig::default(), &[own], Arc::new(Memory::new(100))).unwrap();
    let target = found_at(&endpoint);
    (endpoint, target)
}

/// Registered as one is behind a NAT: it does not know where it is seen.
async fn registered_behind(server: &Endpoint, at: &RegistryTarget) -> Registration {
    let what = Registering { addresses: Some(Vec::new()), ..Registering::default() };
    within("registering", server.register(at, what)).await.unwrap()
}

async fn until_direct(connection: &Connection) {
    let direct = async {
        while !matches!(connection.path(), Some(PathTaken::Direct { .. })) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within("a direct path", direct).await;
}

#[tokio::test]
async fn a_host_behind_a_nat_is_reached_by_way_of_its_registry_at_first_and_then_directly() {
    let (registry, at) = registry_that_relays().await;
    let server = server(SERVER).await;
    let registration = registered_behind(&server, &at).await;
    let client = builder(CLIENT).registry(at).build().await.unwrap();
    let connection = within("connecting", client.connect(server.eid())).await.unwrap();
    assert_eq!(registry.relay().unwrap().stats().joins, 1, "it was begun by way of the registry");
    assert_eq!(within("asking", connection.request("echo", "there?")).await.unwrap(), "there?");
    let introduced = within("being introduced", registration.introduced()).await.unwrap();
    assert_eq!((introduced.peer, introduced.observed), (client.eid(), client.local_addr()));
    until_direct(&connection).await;
    assert_eq!(connection.remote_address(), Some(server.local_addr()));
    assert_eq!(within("asking", connection.request("echo", "still?")).await.unwrap(), "still?");
}

#[tokio::test]
async fn a_host_behind_a_nat_is_asked_directly_where_its_registry_does_not_relay() {
    let (_registry, at) = registry().await;
    let server = server(SERVER).await;
    let registration = registered_behind(&server, &at).await;
    let client = builder(CLIENT).registry(at).build().await.unwrap();
    let connection = within("connecting", client.connect(server.eid())).await.unwrap();
    assert!(matches!(connection.path(), Some(PathTaken::Direct { .. })));
    let introduced = within("being introduced", registration.introduced()).await.unwrap();
    assert_eq!(introduced.peer, client.eid());
}

#[tokio::test]
async fn a_host_that_says_itself_where_it_is_is_asked_there_and_no_relay_is_bothered() {
    let (registry, at) = registry_that_relays().await;
    let server = server(SERVER).await;
    let _registration = registered(&server, &at, Policy::Public).await;
    let client = builder(CLIENT).registry(at).build().await.unwrap();
    let connection = within("connecting", client.connect(server.eid())).await.unwrap();
    assert!(matches!(connection.path(), Some(PathTaken::Direct { .. })));
    assert_eq!(registry.relay().unwrap().stats().joins, 0);
}

/// A socket behind what lets in answers alone: nothing comes from an address to which nothing went.
#[derive(Debug)]
struct Guarded {
    socket: UdpSocket,
    asked: Mutex<HashSet<SocketAddr>>,
}

impl Guarded {
    fn bind() -> Arc<Guarded> {
        Arc::new(Guarded { socket: UdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap(), asked: Mutex::default() })
    }
}

impl Socket for Guarded {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
    fn segments_max(&self) -> usize {
        self.socket.segments_max()
    }
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.poll_readable(cx)
    }
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.poll_writable(cx)
    }
    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        self.asked.lock().unwrap().insert(transmit.remote);
        self.socket.try_send(transmit, payload)
    }
    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        let count = self.socket.try_receive(buffer, received)?;
        let asked = self.asked.lock().unwrap();
        received[..count].iter_mut().filter(|message| !asked.contains(&message.remote)).for_each(|lost| lost.len = 0);
        Ok(count)
    }
}

#[tokio::test]
async fn two_hosts_that_let_in_answers_alone_meet() {
    let (registry, at) = registry_that_relays().await;
    let server = builder(SERVER).socket(Guarded::bind()).access(Access::Public).build().await.unwrap();
    server.serve("echo", async |request: Request| request.into_body()).unwrap();
    let _registration = registered_behind(&server, &at).await;
    let target = Target { addresses: vec![server.local_addr()], ..Target::from(server.eid()) };
    let stranger = builder(CLIENT + 1).socket(Guarded::bind());
    let stranger = stranger.configure(|config| config.set_up_timeout = Duration::from_secs(2)).build().await.unwrap();
    assert_eq!(stranger.connect(target).await.unwrap_err(), ConnectError::TimedOut, "control: it is not let in");
    let client = builder(CLIENT).socket(Guarded::bind()).registry(at).build().await.unwrap();
    let connection = within("connecting", client.connect(server.eid())).await.unwrap();
    assert_eq!(within("asking", connection.request("echo", "there?")).await.unwrap(), "there?");
    assert_eq!(registry.relay().unwrap().stats().joins, 1, "it was begun by way of the registry");
    until_direct(&connection).await;
    assert_eq!(within("asking", connection.request("echo", "still?")).await.unwrap(), "still?");
}

#[tokio::test]
async fn a_host_that_has_moved_and_whose_word_does_not_reach_its_peer_is_found_by_its_registry() {
    let (_registry, at) = registry().await;
    let impatient = |config: &mut HostConfig| config.path_failed_after = Duration::from_secs(1);
    let server = builder(SERVER).access(Access::Public).configure(impatient).build().await.unwrap();
    server.serve("echo", async |request: Request| request.into_body()).unwrap();
    // Of one that shows itself for a token alone as of any other.
    let token = Token::new("sesame").unwrap();
    let _registration = registered(&server, &at, Policy::Token(TokenHash::of(&token))).await;
    let client = builder(CLIENT).socket(Guarded::bind()).registry(at).registry_token(server.eid(), token);
    let client = client.configure(impatient).build().await.unwrap();
    let connection = within("connecting", client.connect(server.eid())).await.unwrap();
    assert_eq!(within("asking", connection.request("echo", "there?")).await.unwrap(), "there?");
    server.rebind("127.0.0.1:0".parse().unwrap()).unwrap();
    assert_eq!(within("asking", connection.request("echo", "still?")).await.unwrap(), "still?");
    assert_eq!(connection.remote_address(), Some(server.local_addr()));
}
