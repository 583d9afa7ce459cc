//! A host that has never met Trickles is shipped its client by a server without state, and downloads from that server,
//! over real sockets.
#![cfg(feature = "guests")]

use core::convert::Infallible;
use core::time::Duration;
use std::sync::Arc;
use std::time::SystemTime;

use tng::stp::shipping::{Allowance, Shelf, fetch_code};
use tng::stp::{Code, CodeHash, Engine, Module, code_hash, receiver_quotas};
use tng::trickles::{Answer, Application, Asked, Bytes, EpochSecret, Fault, Wall};
use tng::{Access, Endpoint, StatelessService, Target};

const CLIENT: &[u8] = include_bytes!("../../../transports/stp/guests/modules/trickles.wasm");
const LIMIT: Duration = Duration::from_secs(60);

/// Serves objects that are as long as what asks for them says.
#[derive(Clone)]
struct Lengths;

fn byte(at: u64) -> u8 {
    (at ^ at >> 8 ^ at >> 16) as u8
}

impl Application for Lengths {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let fill = |start: u64| {
            move |at: u64, buf: &mut [u8]| -> Result<(), Infallible> {
                buf.iter_mut().zip(at - start..).for_each(|(place, at)| *place = byte(at));
                Ok(())
            }
        };
        match asked {
            Asked::Put { object, reserved, data, .. } => {
                let len = str::from_utf8(data).ok().and_then(|text| text.parse::<u64>().ok());
                let Some(len) = len.filter(|len| *len < reserved.end - reserved.start) else {
                    answer.fault(object, Fault::Application(77), "no such object");
                    return;
                };
                let bytes = reserved.start..reserved.start + len;
                if answer.output(object, bytes.clone(), &[]) {
                    answer.skip(bytes.end..reserved.end);
                    let Ok(_) = answer.send_with(bytes, fill(reserved.start));
                }
            }
            Asked::Want { valid, ranges, .. } => ranges.iter().for_each(|range: Bytes| {
                let Ok(_) = answer.send_with(range, fill(valid.start));
            }),
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

struct Shop;

impl Shelf for Shop {
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        (hash == code_hash(CLIENT)).then(|| CLIENT.into())
    }

    fn manifest(&self, _: CodeHash) -> Option<Vec<u8>> {
        None
    }
}

/// A server that keeps nothing of its clients, with the code of one on its shelf, at this address.
async fn server(address: &str, identity: u8) -> Endpoint {
    #[expect(clippy::disallowed_methods, reason = "keys are of the day")]
    let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    let wall = Wall::from_millis(unix.as_millis() as u64);
    let secret = EpochSecret::new(EpochSecret::number_at(wall) - 1, [7; 32].into());
    let endpoint = Endpoint::builder()
        .bind(address.parse().expect("an address"))
        .identity(tng::Identity::from_seed([identity; 32]))
        .access(Access::Public)
        .serve_stateless(StatelessService::new(secret, || Lengths))
        .build()
        .await
        .expect("an endpoint");
    endpoint.serve_code(Shop, Allowance::default()).expect("not yet served");
    endpoint
}

/// What a stranger has that knows the hash alone.
async fn shipped(server: &Endpoint) -> Code {
    let stranger = Endpoint::builder().build().await.expect("an endpoint");
    let connection = stranger.connect(&server.ticket().expect("a ticket")).await.expect("connected");
    let code = fetch_code(&connection, code_hash(CLIENT), &mut None).await.expect("it is there");
    let engine = Engine::new(receiver_quotas()).expect("an engine");
    Module::new(&engine, &code.module).expect("a good module").code("trickles").expect("a transport")
}

fn target(server: &Endpoint) -> Target {
    Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() }
}

/// Reads up to `most` bytes that begin at `from`; answers how many came.
async fn read(download: &mut tng::GuestDownload, from: u64, most: u64) -> u64 {
    let (mut at, mut piece) = (from, vec![0; 65_536]);
    while at < from + most {
        let n = match download.read(&mut piece).await {
            Ok(n) => n,
            Err(error) => panic!("behind {at}: {error}; {:?}", download.with(|it| (it.usage(), *it.shim().denials()))),
        };
        assert!(piece[..n].iter().zip(at..).all(|(have, at)| *have == byte(at)), "behind {at}");
        at += n as u64;
        if n == 0 {
            break;
        }
    }
    at - from
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_is_shipped_the_client_and_downloads_though_the_server_is_started_again_in_the_middle() {
    const LEN: u64 = 8_000_000;
    tokio::time::timeout(LIMIT, async {
        let first = server("127.0.0.1:0", 1).await;
        let (code, target) = (shipped(&first).await, target(&first));
        let address = first.local_addr().to_string();
        let builder =
            Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address")).transport_quotas(receiver_quotas());
        let asked = LEN.to_string();
        let mut download = builder.stateless_guest(target, &code, asked.as_bytes()).expect("a guest");
        let came = read(&mut download, 0, LEN / 4).await;
        // What it knew is gone, but for its keys.
        drop(first);
        let _again = loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if std::net::UdpSocket::bind(&address).is_ok() {
                break server(&address, 1).await;
            }
        };
        let rest = read(&mut download, came, LEN).await;
        assert_eq!(came + rest, LEN);
        let (usage, traffic) = download.with(|guest| (guest.usage(), *guest.shim().traffic()));
        println!("{usage:?}, {traffic:?}");
        assert!(traffic.sent <= traffic.received + 64, "{traffic:?}");
    })
    .await
    .expect("in time");
}
