//! Helpers over real sockets on the loopback: capabilities that are asked for, kept, renewed and declined.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::future::{Future, IntoFuture};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tng::help::{Denied, FileFault, HelpError, HelpTerms, HelperTarget, Token};
use tng::relay::{ClientTag, HelperConfig, Network, Onward, RelayService, Terms};
use tng::{
    Access, Builder, ConnectError, Connection, ConnectionEvent, Eid, Endpoint, Events, Identity, PathTaken, Refusal,
    Request, Secret32, Target, Wishes,
};
use tokio::net::UdpSocket;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// A test that hangs says so.
async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.unwrap_or_else(|_| panic!("{what}: nothing for 60 s"))
}

fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

fn builder(identity: u8) -> Builder {
    Endpoint::builder().identity(Identity::from_seed([identity; 32])).bind(loopback())
}

const CLIENT: u8 = 1;
const HELPER: u8 = 2;
const SERVER: u8 = 3;
const HOUR: Duration = Duration::from_secs(3_600);

/// A server that gives requests back, and whom to ask for it.
async fn server() -> (Endpoint, Target) {
    let server = builder(SERVER).access(Access::Public).build().await.unwrap();
    server.serve("echo", async |request: Request| request.into_body()).unwrap();
    let target = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
    (server, target)
}

/// A helper, and how often it was asked for a capability.
struct Helper {
    endpoint: Endpoint,
    asked: Arc<AtomicU32>,
}

impl Helper {
    async fn begin(addr: SocketAddr, secret: u8, life: Duration) -> Helper {
        Helper::with_desk(addr, secret, move |_, _| Ok(granted(life))).await
    }

    async fn with_desk(
        addr: SocketAddr,
        secret: u8,
        desk: impl Fn(Eid, Option<&Token>) -> Result<HelpTerms, Denied> + Send + Sync + 'static,
    ) -> Helper {
        Helper::with(addr, secret, |builder| builder, desk).await
    }

    async fn with(
        addr: SocketAddr,
        secret: u8,
        change: impl Fn(Builder) -> Builder,
        desk: impl Fn(Eid, Option<&Token>) -> Result<HelpTerms, Denied> + Send + Sync + 'static,
    ) -> Helper {
        let onward = Onward::Listed(vec![Network { address: [127, 0, 0, 0].into(), bits: 8 }]);
        let config = HelperConfig { onward, ..HelperConfig::default() };
        let service = || RelayService::new(Secret32::from_bytes([secret; 32]), config.clone());
        let begin = || change(builder(HELPER).bind(addr).access(Access::Public).relay(service())).build();
        // The one before may not have let go of the port yet.
        let endpoint = within("the port", async {
            loop {
                match begin().await {
                    Ok(endpoint) => return endpoint,
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            }
        });
        let (endpoint, asked) = (endpoint.await, Arc::<AtomicU32>::default());
        let counted = Arc::clone(&asked);
        let desk = move |client, ask: &tng::help::Ask| {
            counted.fetch_add(1, Ordering::Relaxed);
            desk(client, ask.token.as_ref())
        };
        endpoint.serve_help(desk).unwrap();
        Helper { endpoint, asked }
    }

    /// The same place again, with this secret.
    async fn restart(self, secret: u8) -> Helper {
        let addr = self.endpoint.local_addr();
        self.endpoint.close().await;
        drop(self);
        Helper::begin(addr, secret, HOUR).await
    }

    fn target(&self) -> HelperTarget {
        HelperTarget::new(self.endpoint.eid(), vec![self.endpoint.local_addr()])
    }

    fn asked(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }

    fn joins(&self) -> u64 {
        self.endpoint.relay().unwrap().stats().joins
    }
}

fn granted(life: Duration) -> HelpTerms {
    HelpTerms {
        client: ClientTag(1),
        terms: Terms { life, flows_max: 16, tunnels: false },
        rate_max: None,
        held_max: None,
        controllers: vec!["vegas".to_owned()],
        queue_time_max: Some(Duration::from_millis(50)),
    }
}

async fn echo(connection: &Connection) {
    assert_eq!(within("an echo", connection.request("echo", "hello")).await.unwrap(), "hello");
}

/// Connects through a helper and has a request answered.
async fn through(client: &Endpoint, target: &Target, helper: &HelperTarget) -> Connection {
    let via = within("a capability", client.via(helper)).await.unwrap();
    let target = Target { via: vec![via], ..target.clone() };
    let connection = within("a connection", client.connect(target)).await.unwrap();
    echo(&connection).await;
    connection
}

fn is_helped(connection: &Connection, by: &HelperTarget) -> bool {
    matches!(connection.path(), Some(PathTaken::Helped { helpers, .. }) if helpers == [by.eid])
}

/// The next event for which `wanted` answers something, while requests go on.
async fn event<T>(connection: &Connection, events: &mut Events, wanted: impl Fn(ConnectionEvent) -> Option<T>) -> T {
    let requests = async {
        loop {
            echo(connection).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let event = async {
        loop {
            if let Some(found) = wanted(events.next().await.expect("it goes on")) {
                return found;
            }
        }
    };
    within("an event", async {
        tokio::select! {
            found = event => found,
            () = requests => unreachable!("they go on"),
        }
    })
    .await
}

/// A place for a file, which is removed with what is in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let seed = tng::random_seed().unwrap();
        let name: String = seed.expose()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Folder(std::env::temp_dir().join(format!("tng-helped-{name}")))
    }

    fn file(&self) -> PathBuf {
        self.0.join("capabilities")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn a_request_goes_by_way_of_a_helper_that_is_asked_for_a_capability_once() {
    let ((_server, target), helper) = (server().await, Helper::begin(loopback(), 7, HOUR).await);
    let client = builder(CLIENT).build().await.unwrap();
    let connection = through(&client, &target, &helper.target()).await;
    assert!(is_helped(&connection, &helper.target()), "{:?}", connection.path());
    assert_eq!(connection.last_gap(), None, "the path has not changed");
    through(&client, &target, &helper.target()).await;
    assert_eq!((helper.asked(), helper.joins()), (1, 2));
}

#[tokio::test]
async fn of_many_who_want_a_capability_at_once_one_asks() {
    let helper = Helper::begin(loopback(), 7, HOUR).await;
    let client = builder(CLIENT).build().await.unwrap();
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (client, helper) = (client.clone(), helper.target());
        asking.spawn(async move { client.via(&helper).await.unwrap().stop.capability.shown });
    }
    let shown = within("capabilities", asking.join_all()).await;
    assert!(shown.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(helper.asked(), 1);
}

#[tokio::test]
async fn with_a_kept_capability_the_first_reply_needs_no_exchange_but_its_own() {
    let ((_server, target), helper, folder) = (server().await, Helper::begin(loopback(), 7, HOUR).await, Folder::new());
    for process in 1..=3 {
        let client = builder(CLIENT).capabilities(folder.file()).build().await.unwrap();
        let connection = through(&client, &target, &helper.target()).await;
        assert!(is_helped(&connection, &helper.target()), "{:?}", connection.path());
        assert_eq!((helper.asked(), helper.joins()), (1, process));
        assert!(client.take_capabilities_failure().is_none());
        client.close().await;
    }
    // Control: another identity has none, though it has the file.
    let other = builder(9).capabilities(folder.file()).build().await.unwrap();
    through(&other, &target, &helper.target()).await;
    assert_eq!(helper.asked(), 2);
}

#[tokio::test]
async fn a_capability_is_renewed_at_half_of_its_life_and_the_flow_goes_on() {
    let life = Duration::from_secs(4);
    let ((_server, target), helper) = (server().await, Helper::begin(loopback(), 7, life).await);
    let client = builder(CLIENT).threads(2).build().await.unwrap();
    let connection = through(&client, &target, &helper.target()).await;
    let mut events = connection.events();
    #[expect(clippy::disallowed_methods, reason = "lives are of real time")]
    let now = std::time::Instant::now;
    let began = now();
    // The first time, and three renewals.
    while helper.asked() < 4 {
        assert!(began.elapsed() < 10 * life, "it is asked {} times", helper.asked());
        tokio::time::sleep(Duration::from_millis(100)).await;
        echo(&connection).await;
    }
    assert!(began.elapsed() > life, "no sooner than it must: {:?}", began.elapsed());
    assert_eq!(helper.joins(), 1, "one flow, for longer than a life");
    assert!(is_helped(&connection, &helper.target()), "{:?}", connection.path());
    drop(connection);
    within("the end", async { while events.next().await.is_some() {} }).await;
}

#[tokio::test]
async fn a_capability_is_good_at_a_helper_that_was_restarted_with_its_secret() {
    let ((_server, target), helper, folder) = (server().await, Helper::begin(loopback(), 7, HOUR).await, Folder::new());
    let client = builder(CLIENT).capabilities(folder.file()).build().await.unwrap();
    through(&client, &target, &helper.target()).await;
    client.close().await;
    let helper = helper.restart(7).await;
    let client = builder(CLIENT).capabilities(folder.file()).build().await.unwrap();
    let connection = through(&client, &target, &helper.target()).await;
    assert!(is_helped(&connection, &helper.target()), "{:?}", connection.path());
    assert_eq!((helper.asked(), helper.joins()), (0, 1));
}

#[tokio::test]
async fn a_helper_with_another_secret_declines_is_asked_again_and_helps() {
    let ((_server, target), helper, folder) = (server().await, Helper::begin(loopback(), 7, HOUR).await, Folder::new());
    let client = builder(CLIENT).capabilities(folder.file()).build().await.unwrap();
    through(&client, &target, &helper.target()).await;
    client.close().await;
    let helper = helper.restart(8).await;
    let client = builder(CLIENT).capabilities(folder.file()).build().await.unwrap();
    let via = within("a capability", client.via(&helper.target())).await.unwrap();
    assert_eq!(helper.asked(), 0, "there is one, and nobody knows yet that it is good no more");
    let connecting = client.dial(Target { via: vec![via], ..target.clone() }).unwrap();
    let mut events = connecting.connection().events();
    let connection = within("a connection", connecting.into_future()).await.unwrap();
    let declined = |event| match event {
        ConnectionEvent::Declined { helpers, refusal } => Some((helpers, refusal)),
        _ => None,
    };
    let declined = event(&connection, &mut events, declined).await;
    assert_eq!(declined, (vec![helper.target().eid], Refusal::UnknownCapability));
    let helped = |event| matches!(event, ConnectionEvent::Helped { .. }).then_some(());
    event(&connection, &mut events, helped).await;
    assert!(is_helped(&connection, &helper.target()), "{:?}", connection.path());
    assert_eq!(connection.last_gap(), None, "nothing was lost: the helper took the place of a good path");
    assert_eq!((helper.asked(), helper.joins()), (1, 1));
    client.close().await;
    // The fresh one is kept.
    let client = builder(CLIENT).capabilities(folder.file()).build().await.unwrap();
    through(&client, &target, &helper.target()).await;
    assert_eq!((helper.asked(), helper.joins()), (1, 2));
}

#[tokio::test]
async fn whoever_gets_no_capability_is_told_why_by_name() {
    let desk = |client: Eid, token: Option<&Token>| match token {
        Some(token) if *token == Token::new("right").unwrap() => Ok(granted(HOUR)),
        Some(_) => Err(Denied::WrongToken),
        None if client == Identity::from_seed([CLIENT; 32]).eid() => Ok(granted(HOUR)),
        None => Err(Denied::NotAClient),
    };
    let helper = Helper::with_desk(loopback(), 7, desk).await;
    let ask = async |identity: u8, token: Option<&str>| {
        let client = builder(identity).build().await.unwrap();
        let token = token.map(|token| Token::new(token).unwrap());
        let helper = HelperTarget { token, ..helper.target() };
        within("an answer", client.via(&helper)).await.map(|via| via.eid)
    };
    assert_eq!(ask(CLIENT, None).await.unwrap(), helper.target().eid);
    assert_eq!(ask(9, Some("right")).await.unwrap(), helper.target().eid);
    assert!(matches!(ask(9, Some("wrong")).await, Err(HelpError::Denied(Denied::WrongToken))));
    assert!(matches!(ask(9, None).await, Err(HelpError::Denied(Denied::NotAClient))));
    helper.endpoint.relay().unwrap().drain(Duration::from_secs(1)).await;
    assert!(matches!(ask(CLIENT, None).await, Err(HelpError::Denied(Denied::Draining))));
}

#[tokio::test]
async fn what_is_no_helper_and_what_is_nowhere_is_told_apart() {
    let (server, _) = server().await;
    let client = builder(CLIENT).build().await.unwrap();
    let no_helper = HelperTarget::new(server.eid(), vec![server.local_addr()]);
    let error = within("an answer", client.via(&no_helper)).await.expect_err("it passes nothing on");
    assert!(matches!(error, HelpError::NoHelper(_)), "{error}");
    let other = HelperTarget::new(client.eid(), vec![server.local_addr()]);
    let error = within("an answer", client.via(&other)).await.expect_err("it is somebody else");
    assert!(matches!(error, HelpError::NotReached(ConnectError::WrongPeer { .. })), "{error}");
    let nowhere = HelperTarget::new(Eid::from_bytes([9; 32]), Vec::new());
    let error = within("an answer", client.via(&nowhere)).await.expect_err("it has no address");
    assert!(matches!(error, HelpError::NotReached(ConnectError::NoAddress)), "{error}");
}

#[tokio::test]
async fn wishes_beyond_the_terms_are_refused_before_the_helper_hears_of_them() {
    let ((_server, target), helper) = (server().await, Helper::begin(loopback(), 7, HOUR).await);
    let client = builder(CLIENT).build().await.unwrap();
    let wishing = |controller: &str, ms| {
        let wishes = Wishes { controller: Some(controller.to_owned()), queue_time: Some(Duration::from_millis(ms)) };
        HelperTarget { wishes, ..helper.target() }
    };
    let refused = async |wishes| within("an answer", client.via(&wishes)).await.expect_err("it is not offered");
    assert!(matches!(refused(wishing("eln", 50)).await, HelpError::Controller { wished, .. } if wished == "eln"));
    assert!(matches!(refused(wishing("vegas", 51)).await, HelpError::QueueTime { .. }));
    let connection = through(&client, &target, &wishing("vegas", 50)).await;
    assert!(is_helped(&connection, &helper.target()), "{:?}", connection.path());
    assert_eq!(helper.asked(), 1);
}

#[tokio::test]
async fn a_damaged_file_is_named_and_neither_used_nor_written_over() {
    let (helper, folder) = (Helper::begin(loopback(), 7, HOUR).await, Folder::new());
    let client = builder(CLIENT).capabilities(folder.file()).build().await.unwrap();
    within("a capability", client.via(&helper.target())).await.unwrap();
    let text = std::fs::read_to_string(folder.file()).unwrap();
    let damaged = text.replacen("00", "0g", 1);
    std::fs::write(folder.file(), &damaged).unwrap();
    let client = builder(CLIENT).capabilities(folder.file()).build().await.unwrap();
    let error = within("an answer", client.via(&helper.target())).await.expect_err("line 2 is damaged");
    assert!(matches!(&error, HelpError::File { path, fault: FileFault::Line(2) } if *path == folder.file()), "{error}");
    assert_eq!((std::fs::read_to_string(folder.file()).unwrap(), helper.asked()), (damaged, 1));
}

/// A NAT before `to`: at its address, and what has it forget.
async fn nat(to: SocketAddr) -> (SocketAddr, Arc<Notify>) {
    let (inner, forgets) = (UdpSocket::bind(loopback()).await.unwrap(), Arc::new(Notify::new()));
    let (address, told) = (inner.local_addr().unwrap(), Arc::clone(&forgets));
    tokio::spawn(async move {
        let mut outer = UdpSocket::bind(loopback()).await.unwrap();
        let (mut client, mut up, mut down) = (None, vec![0; 65_536], vec![0; 65_536]);
        loop {
            tokio::select! {
                () = told.notified() => outer = UdpSocket::bind(loopback()).await.unwrap(),
                Ok((len, from)) = inner.recv_from(&mut up) => {
                    client = Some(from);
                    outer.send_to(&up[..len], to).await.unwrap();
                }
                Ok((len, _)) = outer.recv_from(&mut down) => {
                    if let Some(client) = client {
                        inner.send_to(&down[..len], client).await.unwrap();
                    }
                }
            }
        }
    });
    (address, forgets)
}

/// A thread that does not know a flow answers its packets with no reset: it never gets them, or hands them on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flow_outlives_forgetful_nats_whichever_thread_of_the_helper_its_packets_reach() {
    for steered in [true, false] {
        let threads = move |builder: Builder| builder.threads(4).steered(steered);
        let helper = Helper::with(loopback(), 7, threads, |_, _| Ok(granted(HOUR))).await;
        let ((_server, target), (address, forgets)) = (server().await, nat(helper.endpoint.local_addr()).await);
        let client = builder(CLIENT).build().await.unwrap();
        let behind = HelperTarget { addresses: vec![address], ..helper.target() };
        let connection = through(&client, &target, &behind).await;
        assert!(is_helped(&connection, &behind), "{:?}", connection.path());
        for _ in 0..16 {
            forgets.notify_one();
            echo(&connection).await;
        }
        assert!(is_helped(&connection, &behind), "{:?}", connection.path());
        let (strays, handed) = (helper.endpoint.relay().unwrap().stats().strays, helper.endpoint.handed().handed);
        assert_eq!((helper.joins(), strays), (1, 0), "it is the flow that it was, and steered is {steered}");
        assert!(steered || handed > 0, "control: some came to a thread that does not know the flow");
    }
}

/// Stands before `to`, for every sender. Of packets that may be resets the first of each token passes. Answers where,
/// and the tokens that have passed.
async fn one_reset_each(to: SocketAddr) -> (SocketAddr, Arc<Mutex<HashSet<[u8; 16]>>>) {
    let inner = Arc::new(UdpSocket::bind(loopback()).await.unwrap());
    let (address, seen) = (inner.local_addr().unwrap(), Arc::new(Mutex::new(HashSet::new())));
    let passed = Arc::clone(&seen);
    tokio::spawn(async move {
        let (mut outers, mut up) = (HashMap::new(), vec![0; 65_536]);
        loop {
            let (len, from) = inner.recv_from(&mut up).await.unwrap();
            if let Entry::Vacant(entry) = outers.entry(from) {
                let outer = Arc::new(UdpSocket::bind(loopback()).await.unwrap());
                entry.insert(Arc::clone(&outer));
                let (inner, seen) = (Arc::clone(&inner), Arc::clone(&seen));
                tokio::spawn(async move {
                    let mut down = vec![0; 65_536];
                    while let Ok((len, _)) = outer.recv_from(&mut down).await {
                        let packet = &down[..len];
                        let token = packet.last_chunk::<16>().filter(|_| (23..=43).contains(&len));
                        if token.is_none_or(|token| seen.lock().unwrap().insert(*token)) {
                            inner.send_to(packet, from).await.unwrap();
                        }
                    }
                });
            }
            outers[&from].send_to(&up[..len], to).await.unwrap();
        }
    });
    (address, passed)
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// A reset is under a random name, which may be one of another thread's. The clients are gone, so that nobody but the
/// server tells the helper that a flow is over, and tells it once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_ends_the_flow_whichever_thread_of_the_helper_it_reaches() {
    const FLOWS: usize = 8;
    let threads = |builder: Builder| builder.threads(4);
    let helper = Helper::with(loopback(), 7, threads, |_, _| Ok(granted(HOUR))).await;
    let (home_of_server, home_of_client) = (runtime(), runtime());
    let (server, target) = home_of_server.spawn(server()).await.unwrap();
    let (at, via) = (server.local_addr(), helper.target());
    let (before_it, passed) = one_reset_each(at).await;
    let target = Target { addresses: vec![before_it], ..target };
    let client = home_of_client.spawn(async move {
        let client = builder(CLIENT).build().await.unwrap();
        let mut connections = Vec::new();
        for _ in 0..FLOWS {
            connections.push(through(&client, &target, &via).await);
        }
        (client, connections)
    });
    let (client, connections) = client.await.unwrap();
    let relays = || helper.endpoint.relay().unwrap().stats().relays;
    assert_eq!(relays(), FLOWS);
    home_of_server.shutdown_background();
    drop(server);
    let again = within("the port", async {
        loop {
            match builder(SERVER).bind(at).access(Access::Public).build().await {
                Ok(again) => return again,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    });
    let _again = again.await;
    assert_eq!(relays(), FLOWS, "control: nobody has said that they are over");
    let tokens = || passed.lock().unwrap().len();
    let before = tokens();
    // A probe of a section is too short to be answered by a reset.
    for connection in &connections {
        let asking = connection.clone();
        home_of_client.spawn(async move { asking.request("echo", "hello").await.map(drop) });
    }
    within("a reset for each", async {
        while tokens() < before + FLOWS {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    home_of_client.shutdown_background();
    let over = async {
        while relays() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let over = tokio::time::timeout(Duration::from_secs(10), over).await;
    assert!(over.is_ok(), "{} of {FLOWS} flows go on", relays());
    drop((client, connections));
}
