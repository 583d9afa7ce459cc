//! Servers that keep nothing of a client, and clients of them.

use core::convert::Infallible;
use core::future::Future;
use std::io;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tng::trickles::{
    Answer, Application, AskError, Asked, BloomSize, Bytes, ClientConfig, ClientError, DialError, EpochSecret,
    EpochSecrets, Fault, FilterConfig, HandedError, ObjectError, ObjectOptions, Policy, ServerConfig, ServerStats,
    Wall,
};
use tng::{Access, Endpoint, ObjectReadError, StatelessClient, StatelessService, Target};
use tokio::task::JoinHandle;

use crate::hosts::{builder, identity, pattern, public, target, within};

/// An object that is asked for while this one is under way has time to be.
const LARGE: usize = 8_000_000;
/// Serves objects that are as long as what asks for them says, in decimal digits.
#[derive(Clone, Default)]
struct Numbers {
    closed: Arc<AtomicU64>,
}

/// The byte that stands there in every object.
fn byte(at: u64) -> u8 {
    (at ^ at >> 8 ^ at >> 16) as u8
}

fn object(len: usize) -> Vec<u8> {
    (0..len as u64).map(byte).collect()
}

/// Writes the bytes of an object that begins at `start` of its client's row.
fn fill(start: u64) -> impl FnMut(u64, &mut [u8]) -> Result<(), Infallible> {
    move |at, buf| {
        buf.iter_mut().zip(at - start..).for_each(|(place, at)| *place = byte(at));
        Ok(())
    }
}

impl Application for Numbers {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, reserved, data, .. } => {
                let len = str::from_utf8(data).ok().and_then(|text| text.parse::<u64>().ok());
                let Some(len) = len.filter(|len| *len < reserved.end - reserved.start) else {
                    answer.fault(object, Fault::Application(77), "no such object");
                    return;
                };
                let bytes = reserved.start..reserved.start + len;
                if bytes.is_empty() || answer.output(object, bytes.clone(), &[]) {
                    answer.skip(bytes.end..reserved.end);
                    let Ok(_) = answer.send_with(bytes, fill(reserved.start));
                }
            }
            Asked::Want { valid, ranges, .. } => ranges.iter().for_each(|range: Bytes| {
                let Ok(_) = answer.send_with(range, fill(valid.start));
            }),
            Asked::Close => _ = self.closed.fetch_add(1, Ordering::Relaxed),
            Asked::Bad { .. } => {}
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "keys are of the day")]
fn wall() -> Wall {
    let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Wall::from_millis(unix.as_millis() as u64)
}

fn secrets() -> EpochSecrets {
    EpochSecret::new(EpochSecret::number_at(wall()) - 1, [7; 32].into()).into()
}

/// The servers of a fleet have the same keys, and know what is spent by packet.
fn service(application: Numbers) -> StatelessService {
    let filter = FilterConfig::Filters(BloomSize::PAPER, 0.000_2);
    StatelessService::new(secrets(), move || application.clone())
        .config(ServerConfig { filter, ..ServerConfig::default() })
}

async fn server_of(numbers: Numbers) -> Endpoint {
    let builder = builder().access(Access::Public).identity(identity(1));
    builder.serve_stateless(service(numbers)).build().await.unwrap()
}

async fn server() -> Endpoint {
    server_of(Numbers::default()).await
}

fn stats(server: &Endpoint) -> ServerStats {
    server.stateless_stats().unwrap()
}

fn of(servers: &[&Endpoint]) -> Target {
    Target { addresses: servers.iter().map(|server| server.local_addr()).collect(), ..target(servers[0]) }
}

fn client_with(target: Target, policy: Policy, config: ClientConfig) -> StatelessClient {
    builder().identity(identity(2)).stateless(target, policy, config).unwrap()
}

fn client(servers: &[&Endpoint], policy: Policy) -> StatelessClient {
    client_with(of(servers), policy, ClientConfig::default())
}

fn ask(client: &StatelessClient, len: usize) -> tng::ObjectStream {
    let options = ObjectOptions { reserve: len as u64 + 1, ..ObjectOptions::default() };
    client.ask(len.to_string(), options).unwrap()
}

/// Reads so many bytes of an object, which begin at `from`.
async fn read(stream: &mut tng::ObjectStream, from: usize, len: usize) {
    let (mut got, mut piece) = (from, vec![0; 65_536]);
    while got < from + len {
        let most = piece.len().min(from + len - got);
        let n = stream.read(&mut piece[..most]).await.unwrap();
        assert!(n > 0 && piece[..n].iter().zip(got as u64..).all(|(have, at)| *have == byte(at)), "at {got}");
        got += n;
    }
}

/// Reads an object in a task of its own, which says so when half of it came.
fn reading(mut stream: tng::ObjectStream) -> (JoinHandle<()>, impl Future<Output = ()>) {
    let (tell, told) = tokio::sync::oneshot::channel();
    let task = tokio::spawn(async move {
        read(&mut stream, 0, LARGE / 2).await;
        tell.send(()).unwrap();
        read(&mut stream, LARGE / 2, LARGE / 2).await;
        assert_eq!(stream.read(&mut [0]).await.unwrap(), 0, "and then it ends");
        assert_eq!(stream.end(), Some(LARGE as u64));
    });
    (task, async move { told.await.unwrap() })
}

#[tokio::test]
async fn objects_come_together_over_one_connection_and_the_counts_say_so() {
    let server = server().await;
    let client = client(&[&server], Policy::Stay);
    let mut streams: Vec<_> = [0, 1, 300_000].map(|len| (len, ask(&client, len))).into();
    let mut missing = client.ask("x", ObjectOptions::default()).unwrap();
    for (len, stream) in &mut streams {
        assert!(within("an object", stream.read_to_end(*len)).await.unwrap() == object(*len));
        assert_eq!(within("and its end again", stream.read(&mut [0])).await, Ok(0));
    }
    let error = within("none", missing.read(&mut [0])).await.unwrap_err();
    let text = "no such object".to_owned();
    assert_eq!(error, ObjectReadError::Object(ObjectError::Application { code: 77, text }));
    let (here, there) = (client.stats(), stats(&server));
    assert_eq!((here.connections, there.opened, there.refused), (1, 1, 0));
    assert!(here.requests > 0 && here.packets > 250 && there.packets >= here.packets, "{here:?} {there:?}");
    assert!(here.rtt_min > Duration::ZERO && client.ended().is_none());
    assert!(client.take_observer_failure().is_none(), "nothing is written down");
}

#[tokio::test]
async fn an_object_goes_on_at_the_other_server_when_its_own_is_gone_in_the_middle() {
    let (one, other) = (server().await, server().await);
    let client = client(&[&one, &other], Policy::Stay);
    let (task, half) = reading(ask(&client, LARGE));
    within("half", half).await;
    assert_eq!(stats(&other).answered, 0, "who stays asks one");
    drop(one);
    within("the rest", task).await.unwrap();
    let (here, there) = (client.stats(), stats(&other));
    assert_eq!((here.connections, there.opened), (1, 0), "the same connection");
    assert!(here.timeouts_granted >= 1 && there.answered > 0, "{here:?} {there:?}");
}

#[tokio::test]
async fn an_object_goes_on_when_its_server_is_gone_and_started_again() {
    let first = server().await;
    let address = first.local_addr();
    let client = client(&[&first], Policy::Stay);
    let (task, half) = reading(ask(&client, LARGE));
    within("half", half).await;
    first.close().await;
    drop(first);
    let second = within("the address", async {
        loop {
            let builder = Endpoint::builder().bind(address).access(Access::Public).identity(identity(1));
            match builder.serve_stateless(service(Numbers::default())).build().await {
                Ok(server) => return server,
                // The socket closes when the driver comes to it.
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    });
    let second = second.await;
    within("the rest", task).await.unwrap();
    assert_eq!((client.stats().connections, stats(&second).opened), (1, 0));
}

#[tokio::test]
async fn who_sprays_asks_both_servers_and_goes_on_with_one() {
    let (one, other) = (server().await, server().await);
    // Those that were just started do not take what the other gives out: clocks may differ by as much.
    tokio::time::sleep(Duration::from_millis(5_200)).await;
    let client = client(&[&one, &other], Policy::Spray);
    let mut stream = ask(&client, LARGE);
    within("the first part", read(&mut stream, 0, 600_000)).await;
    let answered = [&one, &other].map(|server| stats(server).answered);
    assert!(answered.iter().all(|count| *count > 20), "{answered:?}");
    assert_eq!(stats(&one).opened + stats(&other).opened, 1);
    let before = client.stats();
    drop(one);
    // Requests go to where nobody is until that one is passed over.
    within("more", async {
        let mut piece = vec![0; 65_536];
        while client.stats().packets < before.packets + 500 {
            assert!(stream.read(&mut piece).await.unwrap() > 0);
        }
    })
    .await;
    assert!(stats(&other).answered > answered[1] && client.stats().connections == 1);
}

#[tokio::test]
async fn who_looks_for_the_nearest_asks_all_and_stays_with_the_one_that_answers_first() {
    // Nobody answers there, and the far one is too far for the first try.
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let at_silent = |server: &Endpoint| {
        let mut target = target(server);
        target.addresses.insert(0, silent.local_addr().unwrap());
        target
    };
    let near = server().await;
    for (policy, tries) in [(Policy::Nearest, 0), (Policy::Stay, 1)] {
        let mut quickest = Duration::MAX;
        // A busy machine may make anybody wait, and not each time.
        for _ in 0..3 {
            let client = client_with(at_silent(&near), policy, ClientConfig::default());
            #[expect(clippy::disallowed_methods, reason = "a pause of a second is told from none")]
            let now = std::time::Instant::now;
            let began = now();
            let mut stream = ask(&client, 100_000);
            assert!(within("an object", stream.read_to_end(100_000)).await.unwrap() == object(100_000));
            quickest = quickest.min(now() - began);
        }
        // Control: who stays waits for the first of the list.
        assert_eq!(quickest.as_secs().min(1), tries, "{policy:?}");
    }
    // Of two that are there both grant a connection, and one is asked for more.
    let (one, other) = (server().await, server().await);
    let client = client(&[&one, &other], Policy::Nearest);
    within("an object", ask(&client, 300_000).read_to_end(300_000)).await.unwrap();
    let both = [&one, &other].map(stats);
    assert_eq!(both.map(|stats| stats.opened), [1, 1]);
    assert_eq!(both.iter().filter(|stats| stats.answered == 0).count(), 1, "{both:?}");
}

#[tokio::test]
async fn a_stream_that_is_dropped_is_asked_for_no_more_and_the_others_go_on() {
    // A thousand times what comes before the drop.
    const HUGE: usize = 1_000_000_000;
    let server = server().await;
    let client = client(&[&server], Policy::Stay);
    let mut given_up = ask(&client, HUGE);
    within("its beginning", read(&mut given_up, 0, 100_000)).await;
    // Somebody waits for another, and hears of that one alone.
    let (task, half) = reading(ask(&client, LARGE));
    drop(given_up);
    within("half", half).await;
    within("the other", task).await.unwrap();
    // What was asked for and failed, and what nobody has heard of yet.
    drop(client.ask("x", ObjectOptions::default()).unwrap());
    within("a third", ask(&client, 10).read_to_end(10)).await.unwrap();
    let packets = stats(&server).packets;
    assert!(packets < 4 * (LARGE as u64 / 1_000), "{packets}");
    let places = (0..tng::trickles::OBJECTS_MAX).map(|_| client.ask("0", ObjectOptions::default()).unwrap());
    let places: Vec<_> = places.collect();
    assert_eq!(client.ask("0", ObjectOptions::default()).unwrap_err(), AskError::TooMany);
    drop(places);
    within("a last", ask(&client, 10).read_to_end(10)).await.unwrap();
}

#[tokio::test]
async fn an_object_that_is_longer_than_may_be_is_told_and_not_held() {
    let server = server().await;
    let client = client(&[&server], Policy::Stay);
    let mut long = ask(&client, 300_000);
    let error = within("too long", long.read_to_end(299_999)).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    // Controls: what is as long as may be, and any length.
    assert_eq!(within("all", ask(&client, 300_000).read_to_end(300_000)).await.unwrap().len(), 300_000);
    assert_eq!(within("all", ask(&client, 300_000).read_to_end(usize::MAX)).await.unwrap().len(), 300_000);
}

#[tokio::test]
async fn who_waits_is_told_when_the_client_is_closed_and_the_server_hears_of_it() {
    let numbers = Numbers::default();
    let server = server_of(numbers.clone()).await;
    let client = client(&[&server], Policy::Stay);
    within("a connection", ask(&client, 10).read_to_end(10)).await.unwrap();
    // Two wait in tasks of their own for more than comes.
    let wait = |mut stream: tng::ObjectStream| tokio::spawn(async move { stream.read_to_end(usize::MAX).await });
    let waiting = [0, 1].map(|_| wait(ask(&client, 1_000_000_000)));
    let mut late = ask(&client, 1_000_000_000);
    within("its beginning", read(&mut late, 0, 10_000)).await;
    let clone = client.clone();
    clone.close();
    for task in waiting {
        let error = within("told", task).await.unwrap().unwrap_err();
        assert!(error.to_string().contains("the client was closed"), "{error}");
    }
    assert_eq!(client.ended(), Some(ClientError::Closed));
    // Who asks afterwards has what came, and is told then.
    let error = within("told late", async {
        let mut piece = vec![0; 65_536];
        loop {
            if let Err(error) = late.read(&mut piece).await {
                break error;
            }
        }
    });
    assert_eq!(error.await, ObjectReadError::Client(ClientError::Closed));
    assert_eq!(client.ask("0", ObjectOptions::default()).unwrap_err(), AskError::Ended);
    within("the hint", async {
        while numbers.closed.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    client.close();
    assert_eq!(client.stats().connections, 1, "its counts are there still");
}

#[tokio::test]
async fn a_client_goes_on_for_a_stream_whose_handles_are_dropped_and_ends_with_it() {
    let numbers = Numbers::default();
    let server = server_of(numbers.clone()).await;
    let client = client(&[&server], Policy::Stay);
    let mut stream = ask(&client, LARGE);
    drop(client);
    within("all of it", read(&mut stream, 0, LARGE)).await;
    assert_eq!(numbers.closed.load(Ordering::Relaxed), 0);
    drop(stream);
    within("the hint", async {
        while numbers.closed.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn all_who_wait_are_told_when_no_server_answers() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let nobody = Target {
        eid: identity(1).eid(),
        addresses: vec![silent.local_addr().unwrap()],
        capability: None,
        via: Vec::new(),
    };
    let config = ClientConfig { set_up_timeout: Duration::from_secs(1), ..ClientConfig::default() };
    let client = client_with(nobody, Policy::Stay, config);
    let wait = |mut stream: tng::ObjectStream| tokio::spawn(async move { stream.read(&mut [0]).await.unwrap_err() });
    let mut late = ask(&client, 10);
    let waiting = [0, 1].map(|_| wait(ask(&client, 10)));
    let silence = ObjectReadError::Client(ClientError::Dial(DialError::Silence));
    for task in waiting {
        assert_eq!(within("told", task).await.unwrap(), silence);
    }
    assert_eq!(within("told late", late.read(&mut [0])).await, Err(silence));
    assert_eq!(client.ended(), Some(ClientError::Dial(DialError::Silence)));
}

#[tokio::test]
async fn a_host_that_serves_others_only_is_named_and_so_is_one_that_does_not_let_in() {
    let streams = public().build().await.unwrap();
    let nobody = client(&[&streams], Policy::Stay);
    let error = within("named", ask(&nobody, 10).read(&mut [0])).await.unwrap_err();
    assert_eq!(error, ObjectReadError::Client(ClientError::Dial(DialError::Unserved)));
    let builder = builder().access(Access::Nobody).identity(identity(1));
    let closed = builder.serve_stateless(service(Numbers::default())).build().await.unwrap();
    let error = within("refused", ask(&client(&[&closed], Policy::Stay), 10).read(&mut [0])).await.unwrap_err();
    assert!(matches!(error, ObjectReadError::Client(ClientError::Dial(DialError::Refused(_)))), "{error}");
}

#[test]
fn who_waits_is_told_that_the_clients_runtime_is_gone() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (of_client, of_reader) = (runtime(), runtime());
    let server = of_reader.block_on(server());
    let client = of_client.block_on(async { client(&[&server], Policy::Stay) });
    let mut stream = ask(&client, 1_000_000_000);
    of_reader.block_on(within("its beginning", read(&mut stream, 0, 100_000)));
    let waiting = of_reader.spawn(async move {
        let mut piece = vec![0; 65_536];
        loop {
            if let Err(error) = stream.read(&mut piece).await {
                break error;
            }
        }
    });
    drop(of_client);
    let error = of_reader.block_on(within("told", waiting)).unwrap();
    assert_eq!(error, ObjectReadError::Stopped);
    let mut late = ask(&client, 10);
    assert_eq!(of_reader.block_on(within("told at once", late.read(&mut [0]))), Err(ObjectReadError::Stopped));
}

/// A place for captures that has room for some bytes.
#[derive(Clone, Default)]
struct Place {
    room: usize,
    written: Arc<Mutex<Vec<u8>>>,
}

impl io::Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.written.lock().unwrap();
        if written.len() + bytes.len() > self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_capture_that_fails_is_told_once_and_objects_come_all_the_same() {
    let server = server().await;
    for (room, is_whole) in [(10_000, false), (10_000_000, true)] {
        let place = Place { room, ..Place::default() };
        let client = builder().capture(place.clone()).stateless(target(&server), Policy::Stay, ClientConfig::default());
        let client = client.unwrap();
        within("an object", ask(&client, 300_000).read_to_end(300_000)).await.unwrap();
        let failure = client.take_observer_failure();
        assert_eq!(failure.map(|error| error.kind()), (!is_whole).then_some(io::ErrorKind::StorageFull));
        assert!(client.take_observer_failure().is_none(), "once");
        assert_eq!(place.written.lock().unwrap().len() > 300_000, is_whole);
    }
}

#[tokio::test]
async fn streams_and_objects_are_served_at_one_port_at_the_same_time() {
    let numbers = service(Numbers::default());
    let server = public().identity(identity(1)).serve_stateless(numbers).build().await.unwrap();
    let echoing = {
        let server = server.clone();
        tokio::spawn(async move {
            let there = server.accept().await.unwrap().accept().await.unwrap();
            let (mut send, mut recv) = there.accept().await.unwrap().stream.split();
            tokio::io::copy(&mut recv, &mut send).await.unwrap();
            send.finish().await.unwrap();
        })
    };
    // Both are under way before either has ended: each goes on when the other has brought half.
    let stateless = client(&[&server], Policy::Stay);
    let (task, half) = reading(ask(&stateless, LARGE));
    let structured = builder().identity(identity(3)).build().await.unwrap();
    let here = within("a connection", structured.connect(target(&server))).await.unwrap();
    let (mut up, mut down) = here.open("plain", "bytes").await.unwrap().split();
    let data = pattern(LARGE, 1);
    let sending = async {
        up.write_all(&data[..LARGE / 2]).await.unwrap();
        half.await;
        up.write_all(&data[LARGE / 2..]).await.unwrap();
        up.finish().await.unwrap();
    };
    let receiving = async { assert!(down.read_to_end(LARGE).await.unwrap() == data) };
    within("both", async { tokio::join!(sending, receiving, async { task.await.unwrap() }) }).await;
    within("echo", echoing).await.unwrap();
    let there = stats(&server);
    assert!((there.opened, there.refused) == (1, 0) && there.packets > 6_000, "{there:?}");
    assert_eq!(stateless.stats().connections, 1);
}

/// Where packets pass between a client and a server, and each request is sent again from other ports, which may lead to
/// other threads of the server. Answers how many there were, and how many copies.
async fn copying(server: std::net::SocketAddr, counts: Arc<[AtomicU64; 2]>) -> std::net::SocketAddr {
    const COPIES: usize = 3;
    /// The first byte of a request.
    const REQUEST: u8 = 0xa8;
    let bound = || async { tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap() };
    let (near, far) = (bound().await, bound().await);
    let mut others = Vec::new();
    for _ in 0..COPIES {
        others.push(bound().await);
    }
    let (at, others) = (near.local_addr().unwrap(), Arc::new(others));
    tokio::spawn(async move {
        let (mut up, mut down, mut client) = (vec![0; 65_536], vec![0; 65_536], None);
        loop {
            tokio::select! {
                came = near.recv_from(&mut up) => {
                    let (len, from) = came.unwrap();
                    client = Some(from);
                    far.send_to(&up[..len], server).await.unwrap();
                    if up[0] == REQUEST {
                        counts[0].fetch_add(1, Ordering::Relaxed);
                        let (others, counts) = (Arc::clone(&others), Arc::clone(&counts));
                        let copy = up[..len].to_vec();
                        // Later: who is answered first is who came first, and a copy would take the answer.
                        tokio::spawn(async move {
                            tokio::time::sleep(Duration::from_millis(20)).await;
                            for other in others.iter() {
                                other.send_to(&copy, server).await.unwrap();
                                counts[1].fetch_add(1, Ordering::Relaxed);
                            }
                        });
                    }
                }
                came = far.recv_from(&mut down) => {
                    let (len, _) = came.unwrap();
                    near.send_to(&down[..len], client.unwrap()).await.unwrap();
                }
            }
        }
    });
    at
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_divided_among_threads_and_a_copy_is_noticed_whichever_thread_it_comes_to() {
    for steered in [true, false] {
        let builder = builder().access(Access::Public).identity(identity(1)).threads(3).steered(steered);
        let server = builder.serve_stateless(service(Numbers::default())).build().await.unwrap();
        assert_eq!((server.threads(), server.is_steered()), (3, steered));
        let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let mut objects = Vec::new();
        for _ in 0..24 {
            let at = copying(server.local_addr(), Arc::clone(&counts)).await;
            let target = Target { addresses: vec![at], ..target(&server) };
            objects.push(tokio::spawn(async move {
                let client = builder_of_a_client().stateless(target, Policy::Stay, ClientConfig::default()).unwrap();
                let read = within("an object", ask(&client, 100_000).read_to_end(100_000)).await.unwrap();
                assert!(read == object(100_000));
            }));
        }
        for object in objects {
            object.await.unwrap();
        }
        // The last copies.
        tokio::time::sleep(Duration::from_millis(200)).await;
        let [requests, copies] = [0, 1].map(|at: usize| counts[at].load(Ordering::Relaxed));
        let (each, all) = (server.stateless_threads(), stats(&server));
        println!("steered {steered}: {requests} requests, {copies} copies: {all:?}, {:?}", server.handed());
        assert!(each.len() == 3 && each.iter().all(|of| of.opened > 0 && of.answered > 0), "{each:?}");
        assert!(all.answered <= requests && copies > 300, "{requests} requests, {copies} copies: {all:?}");
        assert!(all.spent as f64 > 0.8 * copies as f64, "{copies} copies: {all:?}");
        assert_eq!(server.handed().handed == 0, steered, "{:?}", server.handed());
    }
}

fn builder_of_a_client() -> tng::Builder {
    builder().identity(identity(2))
}

#[tokio::test]
async fn what_a_request_is_granted_leaves_in_one_batch() {
    let server = server().await;
    let client = client(&[&server], Policy::Stay);
    within("an object", ask(&client, LARGE).read_to_end(LARGE)).await.unwrap();
    let (sent, stats) = (server.sent(), stats(&server));
    println!("{sent:?}, {stats:?}");
    assert!(sent.datagrams as f64 > 3.0 * sent.sends as f64, "{sent:?}");
}

#[tokio::test]
async fn a_server_that_runs_takes_rotated_secrets_up_and_its_clients_go_on() {
    let server = server().await;
    let client = client(&[&server], Policy::Stay);
    let (task, half) = reading(ask(&client, LARGE));
    half.await;
    let rotated = secrets().rotated(wall(), [8; 32].into()).unwrap();
    server.set_stateless_secrets(&rotated).unwrap();
    within("the rest", task).await.unwrap();
    assert_eq!((client.stats().connections, stats(&server).refused), (1, 0));
    // Control: with others in the place of all it must begin anew.
    let (task, half) = reading(ask(&client, LARGE));
    half.await;
    let others = EpochSecret::new(secrets().iter().next().unwrap().number(), [9; 32].into());
    server.set_stateless_secrets(&others.into()).unwrap();
    within("the rest", task).await.unwrap();
    assert_eq!(client.stats().connections, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_takes_the_place_of_one_that_has_retired_and_its_clients_lose_no_window() {
    for (threads, is_handed) in [(1, true), (2, true), (1, false)] {
        let builder = |addr: std::net::SocketAddr| {
            builder().bind(addr).access(Access::Public).identity(identity(1)).threads(threads)
        };
        let before =
            builder("127.0.0.1:0".parse().unwrap()).serve_stateless(service(Numbers::default())).build().await.unwrap();
        let addr = before.local_addr();
        let client = client(&[&before], Policy::Stay);
        let (task, half) = reading(ask(&client, LARGE));
        half.await;
        let handed = before.retire_stateless();
        assert_eq!(handed.len(), threads);
        before.close().await;
        drop(before);
        let after = loop {
            // As soon as the port is free.
            match builder(addr).serve_stateless(service_again(&handed, is_handed)).build().await {
                Ok(after) => break after,
                Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        };
        within("the rest", task).await.unwrap();
        let stats = stats(&after);
        println!("{threads} threads, handed over {is_handed}: {stats:?}");
        assert_eq!((after.stateless_lost(), client.stats().connections), (None, 1));
        // Of one that was handed nothing the client may ask for a timeout at once, and is not refused.
        assert!(!is_handed || stats.before_start == 0, "{stats:?}");
    }
}

fn service_again(handed: &[Vec<u8>], is_handed: bool) -> StatelessService {
    service(Numbers::default()).taking_over(if is_handed { handed.to_vec() } else { Vec::new() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_of_other_threads_has_handed_over_is_refused_by_name() {
    let before = server().await;
    let handed = before.retire_stateless();
    let service = service(Numbers::default()).taking_over(handed);
    let after = builder().access(Access::Public).identity(identity(1)).threads(2).serve_stateless(service);
    assert_eq!(after.build().await.unwrap().stateless_lost(), Some(HandedError::Threads));
}
