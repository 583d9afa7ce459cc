//! TCP connections through streams: what both sides of the forward service share.

pub mod gate;
pub mod http;
pub mod link;
pub mod local;
pub mod look_ups;
pub mod own;
pub mod places;
pub mod queue;
pub mod remote;
pub mod room;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tng::{HostConfig, PipeRecv, PipeSend};
use tng_services::forward::{BODY_MAX, Destination, HEAD_LEN, Refusal, RefusalCode, body_len};
use tng_wire::{Reader, Repr, Writer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::failure::reason;
use crate::files::READ_MAX;
use crate::streams::Joined;

/// Bytes that a stream may be ahead of the TCP connection that it feeds.
pub const STREAM_WINDOW: u64 = 1 << 19;
/// How long looking a name up and connecting may take together.
pub const DIAL_TIME: Duration = Duration::from_secs(10);
/// How long one of several addresses may take to answer.
pub const ATTEMPT_TIME: Duration = Duration::from_secs(4);
/// Addresses of one name that are tried.
pub const ADDRESSES_MAX: usize = 8;

/// Bytes that one direction of a TCP connection reads at once as long as it does not fill them: there may be many
/// connections, and most have little to say at a time.
pub const READ_MIN: usize = 8 << 10;
/// Directions that read as many as `READ_MAX` bytes at once, of all connections at the most; the others go on as
/// before.
pub const LARGE_READS_MAX: usize = 64;

static LARGE_READS: Semaphore = Semaphore::const_new(LARGE_READS_MAX);

/// Streams that a peer may have beside those of TCP connections: those that ask for sockets to listen, and those on
/// which it is refused.
pub const STREAMS_SPARE: u64 = 256;

/// Streams carry so many TCP connections that may stand still for hours: none may take the credit of the others. What
/// they hold together is bounded by the host's budget all the same.
pub fn configure(config: &mut HostConfig, connections: usize) {
    let connections = connections as u64;
    config.streams.stream_window = STREAM_WINDOW;
    config.streams.host_window = config.streams.host_window.max(STREAM_WINDOW * connections);
    config.streams.streams_max = connections + STREAMS_SPARE;
    config.streams.backlog_max = usize::try_from(connections + STREAMS_SPARE).unwrap_or(usize::MAX);
}

/// Reads one message.
///
/// # Errors
/// If the stream fails, ends, or carries something else.
pub async fn read_message<T: for<'a> Repr<'a>>(recv: &mut (impl AsyncRead + Unpin)) -> io::Result<T> {
    let bad = |_| io::Error::new(io::ErrorKind::InvalidData, "this is not the forward protocol");
    let mut buf = [0; HEAD_LEN + BODY_MAX];
    let (head, body) = buf.split_at_mut(HEAD_LEN);
    recv.read_exact(head).await?;
    let len = body_len([head[0], head[1], head[2]]).map_err(bad)?;
    recv.read_exact(&mut body[..len]).await?;
    T::parse(&mut Reader::new(&buf[..HEAD_LEN + len])).map_err(bad)
}

/// Writes one message.
///
/// # Errors
/// If the stream fails.
pub async fn write_message(send: &mut (impl AsyncWrite + Unpin), message: &impl for<'a> Repr<'a>) -> io::Result<()> {
    let mut buf = [0; HEAD_LEN + BODY_MAX];
    let mut writer = Writer::new(&mut buf);
    message.emit(&mut writer).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let len = writer.position();
    send.write_all(&buf[..len]).await
}

/// Why a destination was not reached. Its words are for the people of this host: they name addresses.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DialError {
    /// It has no address.
    #[error("no such host: {0}")]
    NotFound(String),
    /// None of its addresses is permitted; the last of them.
    #[error("it leads to {0}, which is not permitted")]
    NotPermitted(IpAddr),
    /// Of the addresses that are permitted, none answers; the last of them.
    #[error("{address}: {}", Refusal::new(*.code, .why))]
    Failed {
        /// In which way it failed.
        code: RefusalCode,
        /// Where.
        address: SocketAddr,
        /// In the words of the system.
        why: String,
    },
    /// It took too long, looking it up included.
    #[error("gave up")]
    GaveUp,
}

impl DialError {
    /// The same for a peer: without addresses.
    pub fn refusal(&self, to: &Destination) -> Refusal {
        let (code, why) = match self {
            DialError::NotFound(why) => (RefusalCode::NotFound, why.as_str()),
            DialError::NotPermitted(_) => (RefusalCode::NotAllowed, "not from here"),
            DialError::Failed { code, why, .. } => (*code, why.as_str()),
            DialError::GaveUp => (RefusalCode::TimedOut, "gave up"),
        };
        Refusal::new(code, &format!("{to}: {why}"))
    }
}

/// Finds addresses of a destination that the user of this host has named, [`ADDRESSES_MAX`] at most.
///
/// # Errors
/// What the system says.
pub async fn look_up(to: &Destination) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host((to.host(), to.port())).await?.take(ADDRESSES_MAX).collect())
}

/// Connects to one of the addresses of a destination that is `permitted`, of those that are `found`. It is looked up
/// once: what is permitted is what is connected to.
///
/// # Errors
/// If there is none, or none answers.
pub async fn dial(
    found: impl Future<Output = io::Result<Vec<SocketAddr>>>,
    permitted: impl Fn(IpAddr) -> bool,
) -> Result<TcpStream, DialError> {
    let tried = async {
        let found = found.await.map_err(|error| DialError::NotFound(reason(&error)))?;
        let mut last = DialError::NotFound("it has no address".to_owned());
        for address in found {
            if !permitted(address.ip()) {
                // What was tried says more than what was not.
                if !matches!(last, DialError::Failed { .. }) {
                    last = DialError::NotPermitted(address.ip());
                }
                continue;
            }
            let (code, why) = match timeout(ATTEMPT_TIME, TcpStream::connect(address)).await {
                Ok(Ok(tcp)) => return Ok(tcp),
                Ok(Err(error)) => (code_of(&error), reason(&error)),
                Err(_) => (RefusalCode::TimedOut, "nobody answers".to_owned()),
            };
            last = DialError::Failed { code, address, why };
        }
        Err(last)
    };
    let tcp = timeout(DIAL_TIME, tried).await.unwrap_or(Err(DialError::GaveUp))?;
    quicken(&tcp);
    Ok(tcp)
}

/// Streams gather small writes already; TCP need not do it again.
pub fn quicken(tcp: &TcpStream) {
    if let Err(error) = tcp.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY");
    }
}

fn code_of(error: &io::Error) -> RefusalCode {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => RefusalCode::ConnectionRefused,
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => RefusalCode::Unreachable,
        io::ErrorKind::TimedOut => RefusalCode::TimedOut,
        _ => RefusalCode::Other,
    }
}

/// Joins a TCP connection to a stream until both directions have ended, each on its own: a side that wants no more may
/// still have something to say. `ahead` goes before what the TCP connection brings. If either side breaks, the other is
/// reset, so that nobody takes half for the whole. Returns what has passed.
pub async fn splice(mut tcp: TcpStream, ahead: &[u8], mut send: PipeSend, mut recv: PipeRecv) -> Joined {
    let mut joined = Joined::default();
    let (from, mut to) = tcp.split();
    let out = async {
        match pump(&mut ahead.chain(from), &mut send, &mut joined.sent).await {
            Ok(()) => send.shutdown().await.or(Ok(())),
            // The other direction goes on, and tells if it is more than that.
            Err(Broken::Write) => Ok(()),
            Err(Broken::Read(error)) => Err(error),
        }
    };
    let back = async {
        match pump(&mut recv, &mut to, &mut joined.received).await {
            // A socket that the other side has closed already has nothing to shut down.
            Ok(()) => to.shutdown().await.or(Ok(())),
            Err(Broken::Write) => {
                recv.stop(0);
                Ok(())
            }
            Err(Broken::Read(error)) => Err(error),
        }
    };
    let ended: io::Result<((), ())> = tokio::try_join!(out, back);
    if let Err(error) = ended {
        tracing::info!(%error, "a connection broke");
        abort(tcp);
    }
    joined
}

/// Which side of a pump broke.
enum Broken {
    Read(io::Error),
    Write,
}

async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    count: &mut u64,
) -> Result<(), Broken> {
    let (mut buf, mut place) = (vec![0; READ_MIN], None);
    loop {
        let n = from.read(&mut buf).await.map_err(Broken::Read)?;
        if n == 0 {
            return Ok(());
        }
        to.write_all(&buf[..n]).await.map_err(|_| Broken::Write)?;
        *count += n as u64;
        if n == READ_MIN && place.is_none() {
            place = LARGE_READS.try_acquire().ok();
        } else if n < READ_MIN {
            place = None;
        }
        let len = if place.is_some() { READ_MAX } else { READ_MIN };
        if len != buf.len() {
            buf = vec![0; len];
        }
    }
}

/// Closes a TCP connection so that the other side sees a failure and no end.
pub fn abort(tcp: TcpStream) {
    if let Err(error) = tcp.set_zero_linger() {
        tracing::debug!(%error, "SO_LINGER");
    }
}
