//! TCP sockets of this host whose connections leave through a peer.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tng_services::forward::{Destination, Socks, SocksStep};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::http::{self, End};
use super::link::{Link, Reached};
use super::room::Room;
use super::{abort, quicken, splice};
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::talk::Talk;

/// How long a program may take to say what it wants of a proxy, from the connection on and from each answer on; an idle
/// connection closes then.
pub const ASKING_TIME: Duration = Duration::from_secs(30);
/// How long a program that was refused may go on sending, so that it comes to read why.
pub const FAREWELL_TIME: Duration = Duration::from_secs(1);
/// Pause after a connection that the system could not hand over; it is short of something.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What stands in an answer for an address that is not known (RFC 1928, section 6, leaves it to the server).
const UNKNOWN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// What is done with a connection that comes to a socket.
#[derive(Clone, Debug)]
pub enum Purpose {
    /// It goes there.
    Fixed(Destination),
    /// It says where it goes: SOCKS5 or HTTP.
    Proxy,
}

/// Listens.
///
/// # Errors
/// If the address is not to be had.
pub async fn listen(host: &str, port: u16) -> Result<(TcpListener, SocketAddr), Failure> {
    let failure = |error: io::Error| {
        Failure::new(Exit::Connect, format!("listening on TCP {host}:{port}"), reason(&error))
            .or_try("another port, or end the program that holds it")
    };
    let listener = TcpListener::bind((host, port)).await.map_err(failure)?;
    let address = listener.local_addr().map_err(failure)?;
    Ok((listener, address))
}

/// Waits for the next connection, whatever goes wrong with others.
pub async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Takes connections for as long as the process lives. Those that find no place in `room` are reset.
pub async fn take(listener: TcpListener, purpose: Purpose, link: Arc<Link>, room: Room, talk: Talk) {
    loop {
        let (tcp, from) = accept(&listener).await;
        quicken(&tcp);
        let (purpose, link, room) = (purpose.clone(), Arc::clone(&link), room.clone());
        tokio::spawn(async move {
            let Some(place) = room.place().await else {
                talk.say(format_args!("{from}: refused, {} connections are open; --connections has more", room.max));
                return abort(tcp);
            };
            match purpose {
                Purpose::Fixed(to) => fixed(tcp, from, &to, &link, talk).await,
                Purpose::Proxy => proxy(tcp, from, &link, talk).await,
            }
            drop(place);
        });
    }
}

async fn fixed(tcp: TcpStream, from: SocketAddr, to: &Destination, link: &Link, talk: Talk) {
    match link.reach(to).await {
        Ok(reached) => join(tcp, from, to, &[], reached).await,
        Err(refusal) => {
            talk.say(format_args!("{from} to {to}: {refusal}"));
            abort(tcp);
        }
    }
}

async fn proxy(tcp: TcpStream, from: SocketAddr, link: &Link, talk: Talk) {
    let mut first = [0];
    match timeout(ASKING_TIME, tcp.peek(&mut first)).await {
        Ok(Ok(1)) if Socks::begins_with(first[0]) => by_socks(tcp, from, link, talk).await,
        Ok(Ok(1)) if first[0].is_ascii_alphabetic() => by_http(tcp, from, link, talk).await,
        Ok(Ok(1)) => farewell(tcp, &[]).await,
        Ok(left) => tracing::info!(%from, ?left, "left without asking for anything"),
        Err(_) => tracing::info!(%from, "did not say what it wants"),
    }
}

async fn by_socks(mut tcp: TcpStream, from: SocketAddr, link: &Link, talk: Talk) {
    let (to, ahead) = match timeout(ASKING_TIME, asked(&mut tcp)).await {
        Ok(Ok(Ok(asked))) => asked,
        Ok(Ok(Err(reply))) => return farewell(tcp, &reply).await,
        Ok(Err(error)) => return tracing::info!(%from, %error, "left without asking for anything"),
        Err(_) => return tracing::info!(%from, "did not say what it wants"),
    };
    match link.reach(&to).await {
        Ok(reached) => {
            let address = match &reached {
                Reached::Through { address, .. } => Ok(*address),
                Reached::Direct(far) => far.peer_addr(),
            };
            match tcp.write_all(&Socks::granted(address.unwrap_or(UNKNOWN))).await {
                Ok(()) => join(tcp, from, &to, &ahead, reached).await,
                Err(error) => tracing::info!(%from, %error, "left before it was connected"),
            }
        }
        Err(refusal) => {
            talk.say(format_args!("{from} to {to}: {refusal}"));
            farewell(tcp, &Socks::refused(refusal.code)).await;
        }
    }
}

async fn by_http(mut tcp: TcpStream, from: SocketAddr, link: &Link, talk: Talk) {
    let reach = |to: Destination| async move {
        let reached = link.reach(&to).await;
        if let Err(refusal) = &reached {
            talk.say(format_args!("{from} to {to}: {refusal}"));
        }
        reached
    };
    match http::serve(&mut tcp, ASKING_TIME, reach).await {
        End::Tunnel { to, reached, ahead } => join(tcp, from, &to, &ahead, reached).await,
        End::Closed => farewell(tcp, &[]).await,
        End::Cut => abort(tcp),
    }
}

/// Where a program wants to be connected to, and what it has sent ahead.
pub type Asked = (Destination, Vec<u8>);

/// What a program that speaks SOCKS wants of a proxy, or how it is refused.
///
/// # Errors
/// If the connection breaks.
pub async fn asked(tcp: &mut TcpStream) -> io::Result<Result<Asked, Vec<u8>>> {
    let (mut socks, mut buf) = (Socks::default(), [0; 4096]);
    let mut step = SocksStep::More;
    loop {
        step = match step {
            SocksStep::More => match tcp.read(&mut buf).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => socks.take(&buf[..n]),
            },
            SocksStep::Reply(reply) => {
                tcp.write_all(&reply).await?;
                socks.take(&[])
            }
            SocksStep::Open { to, ahead } => return Ok(Ok((to, ahead))),
            SocksStep::Refuse(reply) => return Ok(Err(reply)),
        };
    }
}

async fn join(mut tcp: TcpStream, from: SocketAddr, to: &Destination, ahead: &[u8], reached: Reached) {
    match reached {
        Reached::Through { send, recv, .. } => {
            let joined = splice(tcp, ahead, send, recv).await;
            tracing::info!(%from, %to, ?joined, "closed");
        }
        Reached::Direct(mut far) => {
            let joined = match far.write_all(ahead).await {
                Ok(()) => copy_bidirectional(&mut tcp, &mut far).await,
                Err(error) => Err(error),
            };
            tracing::info!(%from, %to, ?joined, "closed, over plain TCP");
            if joined.is_err() {
                abort(tcp);
                abort(far);
            }
        }
    }
}

/// Says a last word and closes. What the program still sends is read for a moment: closing a socket with unread bytes
/// resets it, and the last word may be lost.
pub async fn farewell(mut tcp: TcpStream, words: &[u8]) {
    let said = async {
        tcp.write_all(words).await?;
        tcp.shutdown().await?;
        let mut buf = [0; 4096];
        while tcp.read(&mut buf).await? > 0 {}
        Ok::<_, io::Error>(())
    };
    // A program that does not wait for the last word misses it.
    let _ = timeout(FAREWELL_TIME, said).await;
}
