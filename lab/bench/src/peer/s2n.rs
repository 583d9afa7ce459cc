//! s2n-quic: QUIC, cubic, default limits, with the same rustls as quinn.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use s2n_quic::client::Connect;
use s2n_quic::connection::Handle;
use s2n_quic::provider::{io, limits::Limits, tls::rustls as provider};
use s2n_quic::stream::{BidirectionalStream, ReceiveStream, SendStream};
use s2n_quic::{Client as Endpoint, Connection, Server};

use crate::Failure;
use crate::payload::{self, Checker};
use crate::peer::{self, HOST, LOOPBACK, SOCKET_BUFFER, secrets};
use crate::server::{Post, accepted};
use crate::work::{Hello, Mtu, PeerName, Proof, Settings, Work};

/// The largest UDP payload with which it is fastest on loopback, in bytes.
const MTU_BEST: u16 = 8_900;

/// Bytes of the headers of IPv4 and UDP, which it counts.
const HEADERS: u16 = 28;

/// Chunks that are read at once.
const CHUNKS: usize = 32;

/// A protocol's name: it does not go without.
const ALPN: &[u8] = b"bench";

fn mtu(work: &Work) -> u16 {
    match work.mtu() {
        Mtu::Bytes(bytes) => bytes,
        Mtu::Best => MTU_BEST,
    }
}

fn socket(work: &Work, addr: SocketAddr) -> Result<io::tokio::Provider, Failure> {
    let builder = io::tokio::Provider::builder()
        .with_rx_socket(peer::udp_socket_at(addr)?)?
        .with_max_mtu(mtu(work).saturating_add(HEADERS))?;
    Ok(builder.build()?)
}

fn limits(work: &Work) -> Result<Limits, Failure> {
    match work {
        Work::Streams { count } => Ok(Limits::new()
            .with_max_open_local_bidirectional_streams(*count)?
            .with_max_open_remote_bidirectional_streams(*count)?),
        _ => Ok(Limits::new()),
    }
}

/// Serves for ever.
pub async fn serve(work: Work, post: Post) -> Result<(), Failure> {
    let (mut tls, certificate) = secrets::server()?;
    tls.alpn_protocols = vec![ALPN.to_vec()];
    let tls = Arc::new(tls);
    let start = |addr| -> Result<Server, Failure> {
        let server = Server::builder().with_io(socket(&work, addr)?)?.with_limits(limits(&work)?)?;
        Ok(server.with_tls(provider::Server::from(Arc::clone(&tls)))?.start()?)
    };
    let first = start(LOOPBACK)?;
    let addr = first.local_addr()?;
    // As with quinn.
    for _ in 1..work.threads() {
        tokio::spawn(accept(start(addr)?, work.clone()));
    }
    post.hello(Hello { addr, proof: Some(Proof::Certificate(certificate)), ticket: String::new(), relay: None })?;
    accept(first, work).await;
    Ok(())
}

async fn accept(mut server: Server, work: Work) {
    while let Some(connection) = server.accept().await {
        accepted();
        tokio::spawn(serve_connection(connection, work.clone()));
    }
}

async fn serve_connection(mut connection: Connection, work: Work) {
    let mut held = Vec::new();
    while let Ok(Some(mut stream)) = connection.accept_bidirectional_stream().await {
        if matches!(work, Work::Streams { .. }) {
            // Its first byte; then it is idle.
            let first = stream.receive().await;
            held.extend(first.is_ok().then_some(stream));
        } else {
            let work = work.clone();
            tokio::spawn(async move {
                if let Err(error) = answer(stream, &work).await {
                    eprintln!("tng-bench: s2n's server: {error}");
                }
            });
        }
    }
}

async fn answer(stream: BidirectionalStream, work: &Work) -> Result<(), Failure> {
    let (mut recv, mut send) = stream.split();
    let mut checker = Checker::default();
    read_to_end(&mut recv, &mut checker).await?;
    write(&mut send, checker.checked(), work.answer(checker.checked())).await?;
    Ok(send.finish()?)
}

async fn read_to_end(recv: &mut ReceiveStream, checker: &mut Checker) -> Result<(), Failure> {
    let mut chunks = [const { Bytes::new() }; CHUNKS];
    loop {
        let (n, open) = recv.receive_vectored(&mut chunks).await?;
        for chunk in &mut chunks[..n] {
            checker.check(&std::mem::take(chunk))?;
        }
        if !open {
            return Ok(());
        }
    }
}

async fn write(send: &mut SendStream, from: u64, len: u64) -> Result<(), Failure> {
    let mut at = from;
    while at < from + len {
        let piece = payload::at(at, from + len - at);
        send.send(Bytes::from_static(piece)).await?;
        at += piece.len() as u64;
    }
    Ok(())
}

/// The client.
pub struct Client {
    tls: Arc<rustls::ClientConfig>,
    endpoint: Endpoint,
    work: Work,
    addr: SocketAddr,
    shared: tokio::sync::OnceCell<Connection>,
    settings: Settings,
}

impl Client {
    async fn connect_from(&self, endpoint: &Endpoint) -> Result<Connection, Failure> {
        Ok(endpoint.connect(Connect::new(self.addr).with_server_name(HOST)).await?)
    }
}

fn endpoint(work: &Work, tls: &Arc<rustls::ClientConfig>) -> Result<Endpoint, Failure> {
    let client = Endpoint::builder().with_io(socket(work, LOOPBACK)?)?.with_limits(limits(work)?)?;
    Ok(client.with_tls(provider::Client::from(Arc::clone(tls)))?.start()?)
}

impl peer::Client for Client {
    type Line = Line;
    type Held = Connection;

    async fn start(work: &Work, _: PeerName, hello: &Hello) -> Result<Client, Failure> {
        let mut tls = secrets::client(hello)?.config;
        tls.alpn_protocols = vec![ALPN.to_vec()];
        let tls = Arc::new(tls);
        let mut settings = secrets::settings(hello);
        settings.insert("s2n-quic".into(), peer::version("s2n-quic"));
        settings.insert("TLS".into(), "rustls (default: s2n-tls)".into());
        settings.insert("mtu discovery".into(), format!("to {} (default: 1472)", mtu(work)));
        settings.insert("socket buffers".into(), format!("{SOCKET_BUFFER} (default: the system's)"));
        if let Work::Streams { count } = work {
            settings.insert("max_open_bidirectional_streams".into(), format!("{count} (default: 100)"));
        }
        if work.threads() > 1 {
            settings.insert("server".into(), format!("{} endpoints on one port, SO_REUSEPORT", work.threads()));
        }
        Ok(Client {
            endpoint: endpoint(work, &tls)?,
            tls,
            work: work.clone(),
            addr: hello.addr,
            shared: tokio::sync::OnceCell::new(),
            settings,
        })
    }

    async fn apart(&self, lines: u64) -> Result<Vec<Line>, Failure> {
        let connection = match self.work.sockets_of_one() > 0 {
            true => self.connect_from(&endpoint(&self.work, &self.tls)?).await?,
            false => peer::Client::connect(self).await?,
        };
        let handle = connection.handle();
        let held = Arc::new(connection);
        Ok((0..lines).map(|_| Line { handle: handle.clone(), _held: Some(Arc::clone(&held)) }).collect())
    }

    async fn line(&self) -> Result<Line, Failure> {
        let connection = self.shared.get_or_try_init(|| peer::Client::connect(self)).await?;
        Ok(Line { handle: connection.handle(), _held: None })
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        self.connect_from(&self.endpoint).await
    }

    async fn close(connection: Connection) {
        connection.close(0_u32.into());
    }

    fn settings(&self) -> Settings {
        self.settings.clone()
    }
}

/// The connection, on which every exchange has a stream of its own.
pub struct Line {
    handle: Handle,
    /// It closes when the last of its lines goes.
    _held: Option<Arc<Connection>>,
}

impl peer::Line for Line {
    type Idle = BidirectionalStream;

    async fn exchange(&mut self, len: u64, answer: u64) -> Result<(), Failure> {
        let (mut recv, mut send) = self.handle.open_bidirectional_stream().await?.split();
        write(&mut send, 0, len).await?;
        send.finish()?;
        let mut checker = Checker::from(len);
        read_to_end(&mut recv, &mut checker).await?;
        checker.expect(len + answer)
    }

    fn datagrams(&self) -> Option<u64> {
        None
    }

    async fn open(&mut self) -> Result<Self::Idle, Failure> {
        let mut stream = self.handle.open_bidirectional_stream().await?;
        stream.send(Bytes::from_static(payload::at(0, 1))).await?;
        Ok(stream)
    }
}
