//! Servers that keep nothing of their clients (docs/trickles.md), and their clients, through the public library.

pub mod downloads;

use core::convert::Infallible;
use std::time::SystemTime;

use tng::trickles::{
    Answer, Application, Asked, Bytes, ClientConfig, EpochSecret, ObjectOptions, Policy, ServerConfig, Wall,
};
use tng::{
    Access, Endpoint, ExchangeLimits, Identity, Secret32, StatelessClient, StatelessService, Target, Ticket,
    random_seed,
};
use tokio::sync::OnceCell;

use crate::Failure;
use crate::payload::{self, Checker};
use crate::peer::{self, LOOPBACK};
use crate::process::{Served, Usage};
use crate::server::Post;
use crate::work::{ASKING_LEN, Hello, PeerName, Settings, Work};

/// The largest datagrams: what the others send.
const DATAGRAM_LEN: usize = 1_472;

/// Bytes that are read at once.
const READ_MAX: usize = 256 * 1024;

/// Hands out one object to every client, whatever it asks for: the payload behind what is asked with.
struct Object {
    len: u64,
}

impl Object {
    fn send(start: u64, range: Bytes, answer: &mut Answer<'_>) {
        let Ok(_) = answer.send_with(range, |at, buf| {
            buf.copy_from_slice(payload::at(ASKING_LEN + (at - start), buf.len() as u64));
            Ok::<(), Infallible>(())
        });
    }
}

impl Application for Object {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, reserved, .. } => {
                let end = reserved.end.min(reserved.start + self.len);
                answer.output(object, reserved.start..end, &[]);
                answer.skip(end..reserved.end);
                Object::send(reserved.start, reserved.start..end, answer);
            }
            Asked::Want { valid, ranges, .. } => {
                ranges.iter().for_each(|range| Object::send(valid.start, range, answer));
            }
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

/// Serves for ever.
pub async fn serve(work: Work, post: Post) -> Result<(), Failure> {
    let len = work.answer(ASKING_LEN);
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    let epoch = EpochSecret::number_at(Wall::from_millis(since_1970.as_millis() as u64));
    let secret = EpochSecret::new(epoch, Secret32::from_bytes(*random_seed()?.expose()));
    let mut config = ServerConfig::default();
    // One address connects as fast as it can.
    config.set_up.exchanges = ExchangeLimits::NONE;
    let service = StatelessService::new(secret, move || Object { len }).config(config);
    let endpoint = Endpoint::builder().bind(LOOPBACK).access(Access::Public).serve_stateless(service).build().await?;
    let ticket = endpoint.ticket()?.to_string();
    let hello = Hello { addr: endpoint.local_addr(), proof: None, ticket, relay: None };
    post.hello_with(hello, move || {
        let stats = endpoint.stateless_stats().unwrap_or_default();
        let (requests, packets) = (stats.answered, stats.packets);
        let served = Served { requests, packets, sends: endpoint.sent().sends };
        Ok(Usage { served: Some(served), ..Usage::now(stats.opened)? })
    })?;
    core::future::pending().await
}

/// The client: each of its lines is one with a socket and a connection of its own.
pub struct Client {
    target: Target,
    /// Who all of them are: a host that the server has met, as with `tng`.
    identity: Identity,
    reserve: u64,
    first: OnceCell<StatelessClient>,
}

impl Client {
    fn begin(&self) -> Result<StatelessClient, Failure> {
        let config = ClientConfig { datagram_len: DATAGRAM_LEN, ..ClientConfig::default() };
        let builder = Endpoint::builder().bind(LOOPBACK).identity(self.identity.duplicate());
        let client = builder.stateless(self.target.clone(), Policy::Stay, config)?;
        // The first, whose figures are told.
        let _ = self.first.set(client.clone());
        Ok(client)
    }
}

impl peer::Client for Client {
    type Line = Line;
    type Held = StatelessClient;

    async fn start(work: &Work, _: PeerName, hello: &Hello) -> Result<Client, Failure> {
        let mut target = Target::from(&hello.ticket.parse::<Ticket>()?);
        target.addresses = vec![hello.addr];
        let identity = Identity::from_seed(random_seed()?);
        // The end of the object stands in it, too.
        Ok(Client { target, identity, reserve: work.answer(ASKING_LEN) + 1, first: OnceCell::new() })
    }

    async fn apart(&self, lines: u64) -> Result<Vec<Line>, Failure> {
        let client = self.begin()?;
        Ok((0..lines).map(|_| Line { client: client.clone(), reserve: self.reserve }).collect())
    }

    async fn line(&self) -> Result<Line, Failure> {
        Ok(Line { client: self.begin()?, reserve: self.reserve })
    }

    async fn connect(&self) -> Result<StatelessClient, Failure> {
        self.begin()
    }

    async fn close(held: StatelessClient) {
        held.close();
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::from([
            ("tng".into(), env!("CARGO_PKG_VERSION").into()),
            ("datagram_len".into(), format!("{DATAGRAM_LEN} (default: 1200)")),
            ("exchanges".into(), "as many as are asked for (default: 256 a second of one address)".into()),
            ("client".into(), "a socket of its own for each connection, and one key for all".into()),
        ]);
        if let Some(stats) = self.first.get().map(StatelessClient::stats).filter(|stats| stats.packets > 0) {
            settings.insert("window of the first client".into(), format!("{} packets", stats.window));
            settings.insert("its round trip".into(), format!("{:?}", stats.rtt));
            settings.insert("its packets and losses".into(), format!("{} and {}", stats.packets, stats.lost));
        }
        settings
    }
}

/// A client, by which each exchange is an object.
pub struct Line {
    client: StatelessClient,
    reserve: u64,
}

impl peer::Line for Line {
    type Idle = ();

    async fn exchange(&mut self, len: u64, answer: u64) -> Result<(), Failure> {
        let options = ObjectOptions { reserve: self.reserve, ..ObjectOptions::default() };
        let mut object = self.client.ask(payload::at(0, len), options)?;
        let (mut checker, mut buf) = (Checker::from(len), vec![0; READ_MAX.min(answer as usize)]);
        loop {
            match object.read(&mut buf).await? {
                0 => return checker.expect(len + answer),
                n => checker.check(&buf[..n])?,
            }
        }
    }

    fn datagrams(&self) -> Option<u64> {
        let stats = self.client.stats();
        Some(stats.requests + stats.packets)
    }

    async fn open(&mut self) -> Result<(), Failure> {
        Err("Trickles has no streams".into())
    }
}
