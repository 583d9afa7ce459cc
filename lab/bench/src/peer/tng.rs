//! tng, through its public library.

use core::time::Duration;

use bytes::Bytes;
use tng::carrier::{CarrierDial, CarrierListen};
use tng::relay::CapabilityKey;
use tng::{
    Access, Capability, Connection, Endpoint, ExchangeLimits, RecvStream, Request, SendStream, ServeOptions,
    ServiceOptions, Stop, Stream, Target, Ticket, Via,
};

use crate::Failure;
use crate::payload::{self, Checker};
use crate::peer::{self, LOOPBACK};
use crate::server::{Post, accepted};
use crate::work::{Hello, Mtu, PeerName, Settings, Work};

const SERVICE: (&str, &str) = ("bench", "bytes");

/// The largest UDP payload with which it is fastest on loopback, in bytes.
const MTU_BEST: u16 = 8_900;

/// Packets after which `tng-renewing` takes new keys.
const RENEW_AFTER: u64 = 1 << 16;

/// Connections that one host makes of many: a server lets a peer have 256 by default.
const CONNECTIONS_PER_HOST: u64 = 100;

/// Bytes that all connections of many may hold: with the default, 10,000 of them are refused.
const MEMORY_OF_MANY: u64 = 4 << 30;

/// How long a flow may be idle: longer than it takes to make thousands of others.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// Chunks that are taken at once.
const CHUNKS: usize = 64;

/// Bytes of a small answer.
const COPIED_MAX: usize = 1024;

/// How long `tng-busy` stays awake.
const BUSY_POLL: Duration = Duration::from_micros(200);

fn endpoint(work: &Work, name: PeerName) -> tng::Builder {
    let mut builder = Endpoint::builder().bind(LOOPBACK);
    if name == PeerName::TngBusy {
        builder = builder.busy_poll(BUSY_POLL);
    }
    if name == PeerName::TngNewreno {
        builder = builder.controller("newreno");
    }
    match work.mtu() {
        // The default.
        Mtu::Bytes(1_472) => {}
        Mtu::Bytes(bytes) => builder = builder.mtu(bytes.into()),
        Mtu::Best => builder = builder.mtu(MTU_BEST.into()),
    }
    if let Work::Streams { count } = work {
        builder = builder.streams_max(count + 16);
    }
    if matches!(work, Work::Many { .. } | Work::Relay { .. }) {
        builder = builder.memory_max(MEMORY_OF_MANY);
    }
    if matches!(work, Work::Relay { .. }) {
        builder = builder.configure(|config| {
            // A path through a relay is not to be left because another one is better.
            config.judge = None;
            config.idle_timeout = Some(IDLE_TIMEOUT);
        });
    }
    builder
}

/// Serves for ever.
pub async fn serve(work: Work, name: PeerName, post: Post) -> Result<(), Failure> {
    let mut builder = endpoint(&work, name);
    if name == PeerName::TngCarried {
        let carriers = CarrierListen::bind(LOOPBACK)?;
        builder = builder.bind(carriers.local_addr()?).carrier_listen(carriers);
    }
    let endpoint =
        // One address connects as fast as it can.
        builder
            .access(Access::Public)
            .exchange_limits(ExchangeLimits::NONE)
            .threads(work.threads())
            .listen(SERVICE.0, SERVICE.1, ServiceOptions::default())
            .build()
            .await?;
    let (asked, options) = (work.clone(), ServeOptions { request_max: 16 << 20, ..ServeOptions::default() });
    endpoint.serve_with(SERVICE.0, options, move |request| core::future::ready(answer_at_once(&request, &asked)))?;
    let ticket = endpoint.ticket()?.to_string();
    post.hello(Hello { addr: endpoint.local_addr(), proof: None, ticket, relay: None })?;
    while let Some(incoming) = endpoint.accept().await {
        let Ok(connection) = incoming.accept().await else { continue };
        accepted();
        connection.runtime().spawn(serve_connection(connection, work.clone()));
    }
    Ok(())
}

async fn serve_connection(connection: Connection, work: Work) {
    let mut held = Vec::new();
    while let Ok(incoming) = connection.accept().await {
        let mut stream = incoming.stream;
        if matches!(work, Work::Streams { .. }) {
            // Its first byte; then it is idle.
            let first = stream.read(&mut [0]).await;
            held.extend(first.is_ok().then_some(stream));
        } else {
            let work = work.clone();
            tokio::spawn(async move {
                if let Err(error) = answer(stream, &work).await {
                    eprintln!("tng-bench: tng's server: {error}");
                }
            });
        }
    }
}

/// The answer to a request, or 1 if that was not what is asked.
fn answer_at_once(request: &Request, work: &Work) -> Result<Vec<u8>, u64> {
    let mut checker = Checker::default();
    checker.check(request.body()).map_err(|_| 1u64)?;
    Ok(bytes(checker.checked(), work.answer(checker.checked())))
}

/// Bytes of the pattern, from one place on.
fn bytes(from: u64, len: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(len as usize);
    while (bytes.len() as u64) < len {
        let done = bytes.len() as u64;
        bytes.extend_from_slice(payload::at(from + done, len - done));
    }
    bytes
}

async fn answer(stream: Stream, work: &Work) -> Result<(), Failure> {
    let (mut send, mut recv) = stream.split();
    let mut checker = Checker::default();
    read_to_end(&mut recv, &mut checker, work.read_max()).await?;
    write(&mut send, checker.checked(), work.answer(checker.checked())).await?;
    Ok(send.end()?)
}

/// What is small is copied, what is large is had as it came.
async fn read_to_end(recv: &mut RecvStream, checker: &mut Checker, len: usize) -> Result<(), Failure> {
    if len > COPIED_MAX {
        let mut chunks = [const { Bytes::new() }; CHUNKS];
        while let Some(count) = recv.read_chunks(&mut chunks).await? {
            for chunk in &mut chunks[..count] {
                checker.check(&std::mem::take(chunk))?;
            }
        }
        return Ok(());
    }
    let mut buf = [0; COPIED_MAX];
    loop {
        match recv.read(&mut buf).await? {
            0 => return Ok(()),
            n => checker.check(&buf[..n])?,
        }
    }
}

async fn write(send: &mut SendStream, from: u64, len: u64) -> Result<(), Failure> {
    let mut at = from;
    while at < from + len {
        let piece = payload::at(at, from + len - at);
        send.write_bytes(Bytes::from_static(piece)).await?;
        at += piece.len() as u64;
    }
    Ok(())
}

/// Endpoints; the last is not used up.
#[derive(Default)]
struct Hosts {
    endpoints: Vec<Endpoint>,
    /// Connections of the last.
    connections: u64,
}

/// Where the client goes: by way of the relay, if there is one. The address is the one that it was told, which may be
/// that of a process that passes datagrams on.
fn target(hello: &Hello) -> Result<Target, Failure> {
    let mut target = Target::from(&hello.ticket.parse::<Ticket>()?);
    target.addresses = vec![hello.addr];
    if let Some(through) = &hello.relay {
        let key = CapabilityKey::from_bytes(through.key.as_slice().try_into()?);
        let capability = Capability { shown: through.shown.clone(), key };
        target.via = vec![Via::new(through.eid.parse()?, Stop::new(through.addr, capability))];
    }
    Ok(target)
}

/// The client.
pub struct Client {
    endpoint: Endpoint,
    target: Target,
    shared: tokio::sync::OnceCell<Connection>,
    /// Where connections of `many` come from.
    hosts: tokio::sync::Mutex<Hosts>,
    settings: Settings,
    work: Work,
    name: PeerName,
    /// Every connection is from an endpoint of its own.
    a_host_each: bool,
    /// Requests are made by one call.
    in_one_call: bool,
}

impl peer::Client for Client {
    type Line = Line;
    type Held = (Endpoint, Connection);

    async fn start(work: &Work, name: PeerName, hello: &Hello) -> Result<Client, Failure> {
        let mut settings = Settings::from([("tng".into(), env!("CARGO_PKG_VERSION").into())]);
        match work.mtu() {
            Mtu::Bytes(1_472) => {}
            Mtu::Bytes(bytes) => drop(settings.insert("mtu".into(), format!("{bytes} (default: 1472)"))),
            Mtu::Best => drop(settings.insert("mtu".into(), format!("{MTU_BEST} (default: 1472)"))),
        }
        if let Work::Streams { count } = work {
            settings.insert("streams_max".into(), format!("{} (default: 1024)", count + 16));
        }
        let a_host_each = matches!(work, Work::Idle { .. }) || name == PeerName::TngStrangers;
        if a_host_each {
            settings
                .insert("client".into(), "an endpoint for every connection, so that each has a peer of its own".into());
        }
        if matches!(work, Work::Many { .. }) {
            settings.insert("client".into(), format!("an endpoint for every {CONNECTIONS_PER_HOST} connections"));
            settings.insert("memory_max".into(), format!("{MEMORY_OF_MANY} (default: 268435456)"));
        }
        if let Work::Relay { .. } = work {
            let apart = work.sockets_of_one();
            settings.insert(
                "client".into(),
                format!("an endpoint for each of {apart} connections, and for every {CONNECTIONS_PER_HOST} others"),
            );
            settings.insert("memory_max".into(), format!("{MEMORY_OF_MANY} (default: 268435456)"));
            settings.insert("idle_timeout".into(), format!("{IDLE_TIMEOUT:?} (default: 30s)"));
            settings.insert("judge".into(), "none: a path through a relay is not left for another".into());
        }
        let mut builder = endpoint(work, name);
        if name == PeerName::TngBusy {
            settings.insert("busy_poll".into(), format!("{BUSY_POLL:?} (default: none)"));
        }
        if name == PeerName::TngNewreno {
            settings.insert("controller".into(), "newreno (default: cubic)".into());
        }
        if name == PeerName::TngCarried {
            settings.insert("carrier".into(), "only (default: none)".into());
            builder = builder.carrier(CarrierDial { only: true, at: vec![hello.addr], ..CarrierDial::default() });
        }
        if name == PeerName::TngRenewing {
            // The client is who sends.
            settings.insert("renew_keys_after".into(), format!("{RENEW_AFTER} packets (default: 4194304)"));
            builder = builder.renew_keys_after(RENEW_AFTER);
        }
        let endpoint = builder.build().await?;
        Ok(Client {
            endpoint,
            target: target(hello)?,
            shared: tokio::sync::OnceCell::new(),
            hosts: tokio::sync::Mutex::default(),
            settings,
            work: work.clone(),
            name,
            a_host_each,
            in_one_call: matches!(name, PeerName::TngRequests | PeerName::TngBusy),
        })
    }

    async fn apart(&self, lines: u64) -> Result<Vec<Line>, Failure> {
        let mut hosts = self.hosts.lock().await;
        let alone = hosts.endpoints.len() as u64 <= self.work.sockets_of_one();
        let room = if alone { 1 } else { CONNECTIONS_PER_HOST };
        if hosts.endpoints.is_empty() || hosts.connections == room {
            hosts.endpoints.push(endpoint(&self.work, self.name).build().await?);
            hosts.connections = 0;
        }
        hosts.connections += 1;
        let host = hosts.endpoints.last().ok_or("no endpoint")?.clone();
        drop(hosts);
        let connection = host.connect(self.target.clone()).await?;
        if let Work::Relay { .. } = self.work {
            // The first, whose settings are told.
            let _ = self.shared.set(connection.clone());
        }
        Ok((0..lines).map(|_| Line { connection: connection.clone(), in_one_call: self.in_one_call }).collect())
    }

    async fn line(&self) -> Result<Line, Failure> {
        let connection = self.shared.get_or_try_init(|| self.endpoint.connect(self.target.clone())).await?;
        Ok(Line { connection: connection.clone(), in_one_call: self.in_one_call })
    }

    async fn connect(&self) -> Result<Self::Held, Failure> {
        let endpoint = match self.a_host_each {
            true => endpoint(&self.work, self.name).build().await?,
            false => self.endpoint.clone(),
        };
        let connection = endpoint.connect(self.target.clone()).await?;
        Ok((endpoint, connection))
    }

    async fn close((_, connection): Self::Held) {
        connection.close(0, "");
    }

    fn settings(&self) -> Settings {
        let mut settings = self.settings.clone();
        if let Some(stats) = self.shared.get().and_then(Connection::stats) {
            settings.insert("packet_bytes".into(), stats.payload_max.to_string());
            settings.insert("cipher".into(), format!("{:?} (negotiated)", stats.cipher));
        }
        settings
    }
}

/// The connection, on which every exchange has a stream of its own.
pub struct Line {
    connection: Connection,
    in_one_call: bool,
}

impl peer::Line for Line {
    type Idle = Stream;

    async fn exchange(&mut self, len: u64, answer: u64) -> Result<(), Failure> {
        if self.in_one_call {
            let answered = self.connection.request(SERVICE.0, bytes(0, len)).await?;
            let mut checker = Checker::from(len);
            checker.check(&answered)?;
            return checker.expect(len + answer);
        }
        let (mut send, mut recv) = self.connection.open(SERVICE.0, SERVICE.1).await?.split();
        write(&mut send, 0, len).await?;
        send.end()?;
        let mut checker = Checker::from(len);
        read_to_end(&mut recv, &mut checker, answer as usize).await?;
        checker.expect(len + answer)
    }

    fn datagrams(&self) -> Option<u64> {
        let channel = self.connection.stats()?.channel;
        Some(channel.packets_sent + channel.packets_received)
    }

    async fn open(&mut self) -> Result<Stream, Failure> {
        let mut stream = self.connection.open(SERVICE.0, SERVICE.1).await?;
        stream.write_all(payload::at(0, 1)).await?;
        Ok(stream)
    }
}
