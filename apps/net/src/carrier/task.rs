//! What moves the bytes of a carrier.

#![expect(clippy::disallowed_methods, reason = "a carrier is beside the driver, and as that in real time")]

use core::future::Future;
use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use tng_endpoint::Frames;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;

use super::error::CarrierError;
use super::inbox::Came;
use super::link::Link;
use super::{CARRIER_ALPN, Of};

/// How long TCP and TLS have until a carrier is there.
pub const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);

/// How long the first frame has to come whole, and any that has begun.
pub const FRAME_WITHIN: Duration = Duration::from_secs(10);

/// A carrier by which nothing came for this long is closed.
pub const IDLE_AFTER: Duration = Duration::from_secs(60);

/// How long what is written may wait for TCP to take it.
pub const WRITE_WITHIN: Duration = Duration::from_secs(20);

/// Bytes that TCP holds and has not sent, at most (`TCP_NOTSENT_LOWAT`): what waits, waits where it can still go
/// another way.
pub const NOTSENT_LOWAT: u32 = 128 * 1024;

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Sets what a carrier wants of its socket.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    socket2::SockRef::from(stream).set_tcp_notsent_lowat(NOTSENT_LOWAT)?;
    Ok(())
}

/// Begins a carrier, and moves its bytes until it is over.
pub(super) async fn dial(of: Of, link: Arc<Link>) {
    let Some(connector) = of.upgrade().map(|carriers| carriers.tls.connector()) else { return };
    let name = ServerName::IpAddress(link.peer.ip().into());
    let begun = async {
        let stream = TcpStream::connect(link.peer).await.map_err(CarrierError::Unreachable)?;
        prepare(&stream).map_err(CarrierError::Broken)?;
        let stream = connector.connect(name, stream).await.map_err(not_shaken)?;
        let alpn = stream.get_ref().1.alpn_protocol() == Some(CARRIER_ALPN.as_bytes());
        if alpn { Ok(stream) } else { Err(CarrierError::NotCarrier) }
    };
    let begun = within(HANDSHAKE_WITHIN, begun).await;
    match begun {
        Ok(stream) => {
            link.note_up();
            serve(of, link, stream).await;
        }
        Err(error) => {
            if let Some(carriers) = of.upgrade() {
                carriers.note_over(&link, false, error);
            }
        }
    }
}

/// Answers a connection of TCP: the TLS of a carrier, or nothing.
pub(super) async fn answer(
    acceptor: TlsAcceptor,
    stream: TcpStream,
) -> Result<tokio_rustls::server::TlsStream<TcpStream>, CarrierError> {
    prepare(&stream).map_err(CarrierError::Broken)?;
    let begun = async {
        let stream = acceptor.accept(stream).await.map_err(not_shaken)?;
        let alpn = stream.get_ref().1.alpn_protocol() == Some(CARRIER_ALPN.as_bytes());
        if alpn { Ok(stream) } else { Err(CarrierError::NotCarrier) }
    };
    within(HANDSHAKE_WITHIN, begun).await
}

async fn within<T>(time: Duration, begun: impl Future<Output = Result<T, CarrierError>>) -> Result<T, CarrierError> {
    let late = CarrierError::HandshakeTooSlow { within_ms: ms(time) };
    timeout(time, begun).await.unwrap_or(Err(late))
}

/// A server that has another protocol behind TLS says so in the handshake.
fn not_shaken(error: io::Error) -> CarrierError {
    let alert = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match alert {
        Some(
            rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol)
            | rustls::Error::NoApplicationProtocol,
        ) => CarrierError::NotCarrier,
        _ => CarrierError::Handshake(error),
    }
}

/// Moves the bytes of a carrier that is there until it is over.
pub(super) async fn serve(of: Of, link: Arc<Link>, stream: impl AsyncRead + AsyncWrite) {
    match of.upgrade() {
        Some(carriers) => carriers.note_up(&link),
        None => return,
    }
    let (reads, writes) = tokio::io::split(stream);
    let error = tokio::select! {
        error = read(&of, &link, reads) => error,
        error = write(&link, writes) => error,
    };
    if let Some(carriers) = of.upgrade() {
        carriers.note_over(&link, true, error);
    }
}

async fn read(of: &Of, link: &Arc<Link>, mut stream: impl AsyncRead + Unpin) -> CarrierError {
    let mut frames = Frames::default();
    let mut by = Some(Instant::now() + FRAME_WITHIN);
    loop {
        link.has_room().await;
        let wait = by.unwrap_or_else(|| Instant::now() + IDLE_AFTER);
        let came = match timeout_at(wait, stream.read(frames.room())).await {
            Err(_) if by.is_some() => return CarrierError::FrameTooSlow { within_ms: ms(FRAME_WITHIN) },
            Err(_) => return CarrierError::Idle { for_ms: ms(IDLE_AFTER) },
            Ok(Ok(0)) => return CarrierError::Closed,
            Ok(Ok(len)) => len,
            // Who closes without a word of TLS has closed all the same: what runs inside says what it has to say.
            Ok(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => return CarrierError::Closed,
            Ok(Err(error)) => return CarrierError::Broken(error),
        };
        frames.filled(came);
        if of.strong_count() == 0 {
            return CarrierError::Local;
        }
        let (mut group, mut whole) = (None::<Came>, false);
        let garbage = loop {
            match frames.next() {
                Ok(Some(datagram)) => {
                    whole = true;
                    if !group.as_mut().is_some_and(|group| group.push(datagram)) {
                        let before = group.replace(Came::new(link.address, datagram));
                        before.into_iter().for_each(|before| link.push(before));
                    }
                }
                Ok(None) => break None,
                Err(garbage) => break Some(garbage),
            }
        };
        group.into_iter().for_each(|group| link.push(group));
        if let Some(garbage) = garbage {
            return garbage.into();
        }
        by = match frames.is_within() {
            true if whole => Some(Instant::now() + FRAME_WITHIN),
            true => by.or_else(|| Some(Instant::now() + FRAME_WITHIN)),
            false => None,
        };
    }
}

async fn write(link: &Link, mut stream: impl AsyncWrite + Unpin) -> CarrierError {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if !link.take_out(&mut bytes).await {
            // Whether the other end hears of it does not matter.
            let _ = timeout(WRITE_WITHIN, stream.shutdown()).await;
            return CarrierError::Local;
        }
        let written = timeout(WRITE_WITHIN, async {
            stream.write_all(&bytes).await?;
            stream.flush().await
        });
        match written.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return CarrierError::Broken(error),
            Err(_) => return CarrierError::Hangs { for_ms: ms(WRITE_WITHIN) },
        }
    }
}

/// Who asks, by TCP.
pub(super) fn canonical_peer(peer: SocketAddr) -> SocketAddr {
    crate::socket::canonical(peer)
}
