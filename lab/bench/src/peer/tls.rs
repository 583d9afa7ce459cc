//! TLS 1.3 over the kernel's TCP, with cubic. It has no streams: requests are messages on a connection for every
//! request under way.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, Type};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, TlsConnector, client};

use crate::Failure;
use crate::peer::messages::Messages;
use crate::peer::{self, HOST, LOOPBACK, messages, secrets};
use crate::server::{Post, accepted};
use crate::work::{Hello, PeerName, Proof, Settings, Work};

const CONTROLLER: &[u8] = b"cubic";

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
        relay: None,
    })?;
    loop {
        let (tcp, _) = listener.accept().await?;
        tune(&tcp)?;
        let (acceptor, work) = (acceptor.clone(), work.clone());
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(tcp).await else { return };
            accepted();
            // The client closes by going away.
            let _ = messages::answer_all(stream, &work).await;
        });
    }
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

    async fn apart(&self, lines: u64) -> Result<Vec<Line>, Failure> {
        let mut apart = Vec::new();
        for _ in 0..lines {
            apart.push(self.line().await?);
        }
        Ok(apart)
    }

    async fn line(&self) -> Result<Line, Failure> {
        Ok(Line(Messages::new(self.connect().await?)))
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
pub struct Line(Messages<client::TlsStream<TcpStream>>);

impl peer::Line for Line {
    type Idle = ();

    async fn exchange(&mut self, len: u64, answer: u64) -> Result<(), Failure> {
        self.0.exchange(len, answer).await
    }

    fn datagrams(&self) -> Option<u64> {
        None
    }

    async fn open(&mut self) -> Result<(), Failure> {
        Err("TLS over TCP has no streams".into())
    }
}
