//! quinn: QUIC, cubic, default limits.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    Connection, Endpoint, EndpointConfig, MtuDiscoveryConfig, RecvStream, SendStream, TransportConfig, VarInt,
};

use crate::Failure;
use crate::payload::{self, Checker};
use crate::peer::{self, HOST, LOOPBACK, secrets};
use crate::server::{Post, accepted};
use crate::work::{Hello, Mtu, PeerName, Proof, Settings, Work};

/// The largest UDP payload with which it is fastest on loopback, in bytes. With more, its batches of ten outgrow what
/// one call of the kernel's segmentation takes, and it stalls.
const MTU_BEST: u16 = 6_500;

/// How long a connection may wait for its tickets.
const TICKET_WAIT: Duration = Duration::from_secs(5);

/// Chunks that are read at once.
const CHUNKS: usize = 32;

fn mtu(work: &Work) -> u16 {
    match work.mtu() {
        Mtu::Bytes(bytes) => bytes,
        Mtu::Best => MTU_BEST,
    }
}

fn transport(work: &Work) -> Arc<TransportConfig> {
    let mut transport = TransportConfig::default();
    let mut discovery = MtuDiscoveryConfig::default();
    discovery.upper_bound(mtu(work));
    transport.mtu_discovery_config(Some(discovery));
    if let Work::Streams { count } = work {
        transport.max_concurrent_bidi_streams(VarInt::try_from(*count).unwrap_or(VarInt::MAX));
    }
    Arc::new(transport)
}

fn endpoint(work: &Work, server: Option<quinn::ServerConfig>, addr: SocketAddr) -> Result<Endpoint, Failure> {
    let mut config = EndpointConfig::default();
    config.max_udp_payload_size(mtu(work).max(1_472))?;
    Ok(Endpoint::new(config, server, peer::udp_socket_at(addr)?, Arc::new(quinn::TokioRuntime))?)
}

/// Serves for ever.
pub async fn serve(work: Work, name: PeerName, post: Post) -> Result<(), Failure> {
    let (tls, proof) = match name {
        PeerName::QuinnRpk => secrets::raw_key_server()?,
        PeerName::QuinnResumed => secrets::ticket_server()?,
        _ => {
            let (tls, certificate) = secrets::server()?;
            (tls, Proof::Certificate(certificate))
        }
    };
    let mut config = quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?));
    config.transport_config(transport(&work));
    let first = endpoint(&work, Some(config.clone()), LOOPBACK)?;
    let addr = first.local_addr()?;
    // An endpoint has one driver: for more threads there are more endpoints on the same port.
    for _ in 1..work.threads() {
        tokio::spawn(accept(endpoint(&work, Some(config.clone()), addr)?, work.clone()));
    }
    post.hello(Hello { addr, proof: Some(proof), ticket: String::new(), relay: None })?;
    accept(first, work).await;
    Ok(())
}

async fn accept(endpoint: Endpoint, work: Work) {
    while let Some(incoming) = endpoint.accept().await {
        let work = work.clone();
        tokio::spawn(async move {
            let Ok(connection) = incoming.await else { return };
            accepted();
            serve_connection(connection, work).await;
        });
    }
}

async fn serve_connection(connection: Connection, work: Work) {
    let mut held = Vec::new();
    while let Ok((send, mut recv)) = connection.accept_bi().await {
        if matches!(work, Work::Streams { .. }) {
            // Its first byte; then it is idle.
            let first = recv.read(&mut [0]).await;
            held.extend(first.is_ok().then_some((send, recv)));
        } else {
            let work = work.clone();
            tokio::spawn(async move {
                if let Err(error) = answer(send, recv, &work).await {
                    eprintln!("tng-bench: quinn's server: {error}");
                }
            });
        }
    }
}

async fn answer(mut send: SendStream, mut recv: RecvStream, work: &Work) -> Result<(), Failure> {
    let mut checker = Checker::default();
    read_to_end(&mut recv, &mut checker).await?;
    write(&mut send, checker.checked(), work.answer(checker.checked())).await?;
    Ok(send.finish()?)
}

async fn read_to_end(recv: &mut RecvStream, checker: &mut Checker) -> Result<(), Failure> {
    let mut chunks = [const { Bytes::new() }; CHUNKS];
    while let Some(n) = recv.read_chunks(&mut chunks).await? {
        for chunk in &mut chunks[..n] {
            checker.check(&std::mem::take(chunk))?;
        }
    }
    Ok(())
}

async fn write(send: &mut SendStream, from: u64, len: u64) -> Result<(), Failure> {
    let mut at = from;
    while at < from + len {
        let piece = payload::at(at, from + len - at);
        send.write_chunk(Bytes::from_static(piece)).await?;
        at += piece.len() as u64;
    }
    Ok(())
}

/// The client.
pub struct Client {
    endpoint: Endpoint,
    config: quinn::ClientConfig,
    work: Work,
    addr: SocketAddr,
    shared: tokio::sync::OnceCell<Connection>,
    settings: Settings,
    /// How often the server has shown a key.
    verified: Arc<AtomicU64>,
}

impl Client {
    /// Connects until there are so many tickets. They come after the handshake, two for every one that is used.
    async fn collect(&self, tickets: &secrets::Tickets, enough: usize) -> Result<(), Failure> {
        while tickets.len() < enough {
            let before = tickets.len();
            let connection = peer::Client::connect(self).await?;
            let until = tokio::time::Instant::now() + TICKET_WAIT;
            while tickets.len() <= before {
                if tokio::time::Instant::now() > until {
                    return Err("the server gives no tickets".into());
                }
                tokio::task::yield_now().await;
            }
            <Self as peer::Client>::close(connection).await;
        }
        Ok(())
    }
}

impl peer::Client for Client {
    type Line = Line;
    type Held = Connection;

    async fn start(work: &Work, _: PeerName, hello: &Hello) -> Result<Client, Failure> {
        let secrets::Noting { config: tls, verified, tickets } = secrets::client(hello)?;
        let mut config = quinn::ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
        config.transport_config(transport(work));
        let mut settings = secrets::settings(hello);
        settings.insert("quinn".into(), peer::version("quinn"));
        settings.insert("mtu discovery".into(), format!("to {} (default: 1452)", mtu(work)));
        settings.insert("socket buffers".into(), format!("{} (default: the system's)", peer::SOCKET_BUFFER));
        if mtu(work) > 1_472 {
            settings.insert("max_udp_payload_size".into(), format!("{} (default: 1472)", mtu(work)));
        }
        if let Work::Streams { count } = work {
            settings.insert("max_concurrent_bidi_streams".into(), format!("{count} (default: 100)"));
        }
        if work.threads() > 1 {
            settings.insert("server".into(), format!("{} endpoints on one port, SO_REUSEPORT", work.threads()));
        }
        let client = Client {
            endpoint: endpoint(work, None, LOOPBACK)?,
            config,
            work: work.clone(),
            addr: hello.addr,
            shared: tokio::sync::OnceCell::new(),
            settings,
            verified,
        };
        if let (Some(tickets), Work::Handshakes { count, .. }) = (tickets, work) {
            client.collect(&tickets, *count as usize + 1).await?;
        }
        Ok(client)
    }

    async fn apart(&self, lines: u64) -> Result<Vec<Line>, Failure> {
        let connection = match self.work.sockets_of_one() > 0 {
            true => endpoint(&self.work, None, LOOPBACK)?.connect_with(self.config.clone(), self.addr, HOST)?.await?,
            false => self.connect().await?,
        };
        Ok((0..lines).map(|_| Line(connection.clone())).collect())
    }

    async fn line(&self) -> Result<Line, Failure> {
        Ok(Line(self.shared.get_or_try_init(|| self.connect()).await?.clone()))
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        Ok(self.endpoint.connect_with(self.config.clone(), self.addr, HOST)?.await?)
    }

    async fn close(connection: Connection) {
        connection.close(VarInt::from_u32(0), b"");
    }

    fn settings(&self) -> Settings {
        let mut settings = self.settings.clone();
        settings.insert("server's signatures verified".into(), self.verified.load(Ordering::Relaxed).to_string());
        if let Some(connection) = self.shared.get() {
            settings.insert("packet_bytes".into(), connection.stats().path.current_mtu.to_string());
        }
        settings
    }
}

/// The connection, on which every exchange has a stream of its own.
pub struct Line(Connection);

impl peer::Line for Line {
    type Idle = (SendStream, RecvStream);

    async fn exchange(&mut self, len: u64, answer: u64) -> Result<(), Failure> {
        let (mut send, mut recv) = self.0.open_bi().await?;
        write(&mut send, 0, len).await?;
        send.finish()?;
        let mut checker = Checker::from(len);
        read_to_end(&mut recv, &mut checker).await?;
        checker.expect(len + answer)
    }

    fn datagrams(&self) -> Option<u64> {
        let stats = self.0.stats();
        Some(stats.udp_tx.datagrams + stats.udp_rx.datagrams)
    }

    async fn open(&mut self) -> Result<Self::Idle, Failure> {
        let (mut send, recv) = self.0.open_bi().await?;
        send.write_all(payload::at(0, 1)).await?;
        Ok((send, recv))
    }
}
