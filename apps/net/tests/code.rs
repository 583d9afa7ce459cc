//! Transport code that goes from host to host, over real sockets.
#![cfg(feature = "guests")]

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tng::stp::shipping::{
    Allowance, Code, CodeError, DayLimits, Declined, FetchError, Form, MANIFEST_MAX, MODULE_MAX, Offer,
    PROTOCOL as CODE, Part, SERVICE as CODE_SERVICE, Shelf, UnpackError, fetch_code, fetch_text, push_code,
};
use tng::stp::{CodeHash, code_hash};
use tng::{Access, Connection, Eid, Endpoint, ServiceOptions};
use tng_services::code::{Answer, Packed, Request};
use tng_wire::{Reader, Repr};

const LIMIT: Duration = Duration::from_secs(60);

/// What a host has, and what it was brought; it takes nothing if `brought` is not there.
#[derive(Default)]
struct Memory {
    modules: BTreeMap<CodeHash, Arc<[u8]>>,
    brought: Option<Arc<Mutex<Vec<Code>>>>,
}

impl Memory {
    fn of(modules: &[&[u8]]) -> Memory {
        let modules = modules.iter().map(|module| (code_hash(module), Arc::from(*module))).collect();
        Memory { modules, brought: None }
    }
}

impl Shelf for Memory {
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        self.modules.get(&hash).cloned()
    }

    fn manifest(&self, _: CodeHash) -> Option<Vec<u8>> {
        Some(b"a manifest".to_vec())
    }

    fn text(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        self.modules.contains_key(&hash).then(|| Arc::from(&b"(module)"[..]))
    }

    fn wants(&self, _: Eid, _: CodeHash, _: &Offer) -> Result<(), Declined> {
        self.brought.as_ref().map(drop).ok_or(Declined::NotAllowed)
    }

    fn take(&self, _: Eid, code: Code) -> Result<(), Declined> {
        let brought = self.brought.as_ref().ok_or(Declined::NotAllowed)?;
        brought.lock().expect("nobody panicked").push(code);
        Ok(())
    }
}

fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut out = vec![0; len];
    blake3::Hasher::new().update(&seed.to_be_bytes()).finalize_xof().fill(&mut out);
    out
}

async fn endpoint() -> Endpoint {
    let builder = Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address")).access(Access::Public);
    builder.build().await.expect("an endpoint")
}

/// A host that serves this, and a connection to it.
async fn served(shelf: Memory, allowance: Allowance) -> (Endpoint, Endpoint, Connection) {
    let (server, client) = (endpoint().await, endpoint().await);
    server.serve_code(shelf, allowance).expect("not yet served");
    let connection = client.connect(&server.ticket().expect("a ticket")).await.expect("connected");
    (server, client, connection)
}

async fn fetch(connection: &Connection, module: &[u8]) -> Result<Code, CodeError> {
    tokio::time::timeout(LIMIT, fetch_code(connection, code_hash(module), &mut None)).await.expect("in time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_module_comes_with_its_manifest_however_long_it_is() {
    for module in [vec![7], noise(24_000, 1), noise(MODULE_MAX, 2), vec![0; MODULE_MAX]] {
        let (_server, _client, connection) = served(Memory::of(&[&module]), Allowance::default()).await;
        let code = fetch(&connection, &module).await.expect("it is there");
        assert!(code.module == module && code.hash == code_hash(&module) && code.form == Form::Binary);
        assert_eq!(code.manifest, b"a manifest");
        let text = fetch_text(&connection, code_hash(&module), &mut None).await.expect("it has a text");
        assert_eq!((text.form, text.module.as_slice()), (Form::Text, &b"(module)"[..]));
    }
}

#[tokio::test]
async fn who_was_connected_to_asks_as_well_as_who_connected() {
    let (server, client) = (endpoint().await, endpoint().await);
    client.serve_code(Memory::of(&[b"a module"]), Allowance::default()).expect("not yet served");
    let ticket = server.ticket().expect("a ticket");
    let (_near, far) = tokio::join!(client.connect(&ticket), async {
        server.accept().await.expect("it is open").accept().await.expect("a peer")
    });
    assert_eq!(fetch(&far, b"a module").await.expect("it is there").module, b"a module");
}

#[tokio::test]
async fn a_host_that_has_not_the_code_or_serves_none_says_so() {
    let (server, client, connection) = served(Memory::of(&[]), Allowance::default()).await;
    assert!(matches!(fetch(&connection, b"a module").await, Err(CodeError::Declined(Declined::NotHere))));
    assert!(server.serve_code(Memory::of(&[]), Allowance::default()).is_err(), "it is served already");
    let other = endpoint().await;
    other.serve("something", async |_: tng::Request| "else").expect("not yet served");
    let connection = client.connect(&other.ticket().expect("a ticket")).await.expect("connected");
    assert!(matches!(fetch(&connection, b"a module").await, Err(CodeError::NotServed(_))));
}

#[tokio::test]
async fn a_peer_that_asks_for_a_thousand_is_told_that_it_was_enough_today() {
    let (_server, _client, connection) = served(Memory::of(&[b"a module"]), Allowance::default()).await;
    for asked in 0..1_000u64 {
        match fetch(&connection, b"a module").await {
            Ok(_) => assert!(asked < DayLimits::PEER.transfers),
            Err(CodeError::Declined(declined)) => {
                assert!(asked >= DayLimits::PEER.transfers && declined == Declined::TooMuchToday);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_is_taken_or_declined() {
    let brought = Arc::default();
    let takes = Memory { brought: Some(Arc::clone(&brought)), ..Memory::default() };
    let (_server, _client, connection) = served(takes, Allowance::default()).await;
    for module in [b"a module".to_vec(), noise(MODULE_MAX, 3)] {
        let pushed = push_code(&connection, module.as_slice().into(), b"what it is".to_vec());
        tokio::time::timeout(LIMIT, pushed).await.expect("in time").expect("it is taken");
        let code: Code = brought.lock().expect("nobody panicked").pop().expect("it was brought");
        assert!(code.module == module && code.manifest == b"what it is");
    }
    let (_server, _client, connection) = served(Memory::of(&[]), Allowance::default()).await;
    let pushed = push_code(&connection, Arc::from(&b"a module"[..]), Vec::new()).await;
    assert!(matches!(pushed, Err(CodeError::Declined(Declined::NotAllowed))), "{pushed:?}");
    let pushed = push_code(&connection, Arc::from(&[][..]), Vec::new()).await;
    assert!(matches!(pushed, Err(CodeError::TooLarge(_))), "{pushed:?}");
    let pushed = push_code(&connection, Arc::from(&b"a module"[..]), vec![0; MANIFEST_MAX + 1]).await;
    assert!(matches!(pushed, Err(CodeError::ManifestTooLong(_))), "{pushed:?}");
}

/// A host that answers the next asks for code with these bytes, and then resets the stream or ends it.
async fn hostile(answers: Vec<(Vec<u8>, bool)>) -> (Endpoint, Endpoint, Connection) {
    let (server, client) = (endpoint().await, endpoint().await);
    server.listen(CODE_SERVICE, CODE, ServiceOptions::default()).expect("not yet served");
    let ticket = server.ticket().expect("a ticket");
    let (near, far) = tokio::join!(client.connect(&ticket), async {
        server.accept().await.expect("it is open").accept().await.expect("a peer")
    });
    tokio::spawn(async move {
        for (bytes, whole) in answers {
            let mut stream = far.accept().await.expect("it asks").stream;
            let asked = stream.read_to_end(1_000).await.expect("it ends");
            assert!(matches!(Request::parse(&mut Reader::new(&asked)), Ok(Request::Ask(_))));
            // Who is found out is not listened to.
            let _ = stream.write_all(&bytes).await;
            if whole {
                let _ = stream.finish().await;
            } else {
                // What has come by then is read, on a busy machine, too.
                tokio::time::sleep(Duration::from_secs(2)).await;
                stream.reset(0);
            }
        }
        far.closed().await
    });
    (server, client, near.expect("connected"))
}

fn sends(packed: &[u8], size: usize) -> Vec<u8> {
    let (packed_size, packed_hash) = (packed.len() as u32, *blake3::hash(packed).as_bytes());
    let offer = Offer { size: size as u32, packed_size, packed_hash, manifest: Vec::new() };
    [&Answer::Sends { offset: 0, offer }.to_vec(), packed].concat()
}

#[tokio::test]
async fn what_came_before_a_transfer_was_cut_need_not_come_again() {
    let module = noise(200_000, 4);
    let packed = Packed::new(&module).expect("small");
    let half = sends(packed.as_bytes(), module.len())[..100_000].to_vec();
    let (_hostile, _client, connection) = hostile(vec![(half, false)]).await;
    let mut part = None;
    let cut = fetch_code(&connection, code_hash(&module), &mut part).await;
    assert!(matches!(cut, Err(CodeError::Cut(_))), "{cut:?}");
    let there = part.as_ref().map_or(0, |part: &Part| part.as_bytes().len());
    assert!(there > 90_000, "{there} bytes are there");
    // Of an honest host so many bytes are taken as are left.
    let each = DayLimits { transfers: 9, bytes: (packed.as_bytes().len() - there) as u64 };
    let (_server, _client, honest) = served(Memory::of(&[&module]), Allowance::new(each, DayLimits::ALL)).await;
    let code = fetch_code(&honest, code_hash(&module), &mut part).await.expect("the rest is there");
    assert!(code.module == module && part.is_none());
    assert!(matches!(fetch(&honest, &module).await, Err(CodeError::Declined(Declined::TooMuchToday))), "control");
}

#[tokio::test]
async fn what_a_hostile_peer_sends_is_refused_by_name() {
    let module = noise(20_000, 5);
    let packed = Packed::new(&module).expect("small");
    let (bytes, size) = (packed.as_bytes(), module.len());
    let bomb = Packed::new(&vec![0; MODULE_MAX]).expect("it is as long as it may be");
    let answers = vec![
        (sends(b"another", 7), true),
        (sends(Packed::new(b"another").expect("small").as_bytes(), 7), true),
        (sends(bomb.as_bytes(), 9), true),
        (sends(bytes, size)[..9_000].to_vec(), true),
        (vec![0xff; 100], true),
        (sends(bytes, size), true),
    ];
    let (_hostile, _client, connection) = hostile(answers).await;
    let mut part = None;
    let mut failed = async || fetch_code(&connection, code_hash(&module), &mut part).await.expect_err("it is hostile");
    assert!(matches!(failed().await, CodeError::Fetch(FetchError::Unpack(UnpackError::Damaged))));
    assert!(matches!(failed().await, CodeError::Fetch(FetchError::WrongHash)));
    assert!(matches!(failed().await, CodeError::Fetch(FetchError::Unpack(UnpackError::Bomb(9)))));
    assert!(matches!(failed().await, CodeError::Fetch(FetchError::Cut { .. })));
    assert!(matches!(failed().await, CodeError::Fetch(FetchError::Malformed(_))));
    assert!(part.is_none(), "who does not keep to the protocol has brought nothing");
    assert!(fetch(&connection, &module).await.is_ok(), "control");
}
