//! TLS 1.3 over the kernel's TCP, with cubic. It has no streams: a request is its length and its bytes, on a connection
//! for every request under way.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, Type};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

use crate::Failure;
use crate::payload::{self, Checker};
use crate::peer::{self, HOST, LOOPBACK, secrets};
use crate::server::{Post, accepted};
use crate::work::{Hello, PeerName, Proof, Settings, Work};

const CONTROLLER: &[u8] = b"cubic";

/// Bytes that are read at once.
const READ_MAX: usize = 256 * 1024;

/// Before each request and its answer: how long it is, in bytes.
const LENGTH_LEN: usize = 8;

/// Connections that the kernel holds until they are accepted.
const BACKLOG: i32 = 1_024;

fn tune(tcp: &TcpStream) -> Result<(), Failure> {
    tcp.set_nodelay(true)?;
    Ok(SockRef::from(tcp).set_tcp_congestion(CONTROLLER)?)
}

/// Serves for ever.
pub async fn serve(work: Work, post: Post) -> Result<(), Failure> {
    let (tls, certificate) = secrets::server()?;
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    socket.bind(&SockAddr::from(LOOPBACK))?;
    socket.listen(BACKLOG)?;
    let listener = TcpListener::from_std(socket.into())?;
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    post.hello(Hello {
        addr: listener.local_addr()?,
        proof: Some(Proof::Certificate(certificate)),
        ticket: String::new(),
    })?;
    loop {
        let (tcp, _) = listener.accept().await?;
        tune(&tcp)?;
        let (acceptor, work) = (acceptor.clone(), work.clone());
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(tcp).await else { return };
            accepted();
            // The client closes by going away.
            let _ = serve_connection(stream, &work).await;
        });
    }
}

async fn serve_connection(mut stream: server::TlsStream<TcpStream>, work: &Work) -> Result<(), Failure> {
    let mut buf = Vec::new();
    loop {
        let mut checker = Checker::default();
        // Nothing is allocated before there is something to read, as with the others.
        let mut length = [0; LENGTH_LEN];
        stream.read_exact(&mut length).await?;
        buf.resize(work.read_max().min(READ_MAX), 0);
        read(&mut stream, &mut checker, &mut buf, u64::from_le_bytes(length)).await?;
        write(&mut stream, checker.checked(), work.answer(checker.checked())).await?;
    }
}

async fn read(
    from: &mut (impl AsyncRead + Unpin),
    checker: &mut Checker,
    buf: &mut [u8],
    len: u64,
) -> Result<(), Failure> {
    let end = checker.checked() + len;
    while checker.checked() < end {
        let most = (end - checker.checked()).min(buf.len() as u64) as usize;
        match from.read(&mut buf[..most]).await? {
            0 => return Err("the connection ended in the middle of a message".into()),
            n => checker.check(&buf[..n])?,
        }
    }
    Ok(())
}

async fn write(to: &mut (impl AsyncWrite + Unpin), from: u64, len: u64) -> Result<(), Failure> {
    let mut at = from;
    let first = payload::at(at, len);
    if len == first.len() as u64 {
        // In one record, where it fits.
        to.write_all(&[&len.to_le_bytes(), first].concat()).await?;
    } else {
        to.write_all(&len.to_le_bytes()).await?;
        while at < from + len {
            let piece = payload::at(at, from + len - at);
            to.write_all(piece).await?;
            at += piece.len() as u64;
        }
    }
    Ok(to.flush().await?)
}

/// The client.
pub struct Client {
    connector: TlsConnector,
    addr: std::net::SocketAddr,
    settings: Settings,
}

impl peer::Client for Client {
    type Line = Line;
    type Held = client::TlsStream<TcpStream>;

    async fn start(_: &Work, _: PeerName, hello: &Hello) -> Result<Client, Failure> {
        let tls = secrets::client(hello)?.config;
        let mut settings = secrets::settings(hello);
        settings.insert("rustls".into(), peer::version("rustls"));
        settings.insert("TCP_CONGESTION".into(), "cubic".into());
        settings.insert("TCP_NODELAY".into(), "on".into());
        settings.insert("requests".into(), "a connection for every one under way: there are no streams".into());
        Ok(Client { connector: TlsConnector::from(Arc::new(tls)), addr: hello.addr, settings })
    }

    async fn apart(&self, _: u64) -> Result<Vec<Line>, Failure> {
        Err("TLS over TCP has no streams".into())
    }

    async fn line(&self) -> Result<Line, Failure> {
        Ok(Line { stream: self.connect().await?, buf: vec![0; READ_MAX] })
    }

    async fn connect(&self) -> Result<Self::Held, Failure> {
        let tcp = TcpStream::connect(self.addr).await?;
        tune(&tcp)?;
        Ok(self.connector.connect(ServerName::try_from(HOST)?, tcp).await?)
    }

    async fn close(mut held: Self::Held) {
        // If the server went first there is nobody to tell.
        let _ = held.shutdown().await;
    }

    fn settings(&self) -> Settings {
        self.settings.clone()
    }
}

/// A connection of its own.
pub struct Line {
    stream: client::TlsStream<TcpStream>,
    buf: Vec<u8>,
}

impl peer::Line for Line {
    type Idle = ();

    async fn exchange(&mut self, len: u64, answer: u64) -> Result<(), Failure> {
        write(&mut self.stream, 0, len).await?;
        let mut length = [0; LENGTH_LEN];
        self.stream.read_exact(&mut length).await?;
        let mut checker = Checker::from(len);
        read(&mut self.stream, &mut checker, &mut self.buf, u64::from_le_bytes(length)).await?;
        checker.expect(len + answer)
    }

    fn datagrams(&self) -> Option<u64> {
        None
    }

    async fn open(&mut self) -> Result<(), Failure> {
        Err("TLS over TCP has no streams".into())
    }
}
