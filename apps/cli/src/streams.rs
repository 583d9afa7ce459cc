//! Joins a stream to a terminal or a pipe.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::peer;

/// Bytes that went each way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Joined {
    /// From here to the peer.
    pub sent: u64,
    /// From the peer to here.
    pub received: u64,
}

/// Why a joint broke.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// Reading what to send.
    #[error("reading stdin: {0}")]
    Read(io::Error),
    /// Sending it.
    #[error("sending: {0}")]
    Send(io::Error),
    /// Receiving.
    #[error("receiving: {0}")]
    Receive(io::Error),
    /// Writing what was received.
    #[error("writing stdout: {0}")]
    Write(io::Error),
}

impl JoinError {
    /// The same, as the end of a run.
    pub fn failure(self) -> Failure {
        match self {
            JoinError::Read(error) => Failure::read("reading stdin", &error),
            JoinError::Write(error) => Failure::write("writing stdout", &error),
            JoinError::Send(error) => peer::stream_failure("sending", &error, Exit::Send),
            JoinError::Receive(error) => peer::stream_failure("receiving", &error, Exit::Receive),
        }
    }
}

/// Joins two local halves to the two halves of a stream, until both directions have ended. If `with_peer`, the end of
/// what the peer sends ends the other direction as well: a person at a terminal has nobody left to type to.
///
/// # Errors
/// The first thing that fails; what had passed before has passed.
pub async fn join(
    (mut input, mut output): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    (mut recv, mut send): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    with_peer: bool,
) -> Result<Joined, JoinError> {
    let peer_finished = Notify::new();
    let out = async {
        let mut sent = 0;
        tokio::select! {
            pumped = pump(&mut input, &mut send, &mut sent, JoinError::Read, JoinError::Send) => pumped?,
            () = peer_finished.notified(), if with_peer => {}
        }
        send.shutdown().await.map_err(JoinError::Send)?;
        Ok(sent)
    };
    let back = async {
        let mut received = 0;
        pump(&mut recv, &mut output, &mut received, JoinError::Receive, JoinError::Write).await?;
        peer_finished.notify_one();
        Ok(received)
    };
    let (sent, received) = tokio::try_join!(out, back)?;
    Ok(Joined { sent, received })
}

/// Copies until the end, flushing after every piece: somebody may be waiting for it.
async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    count: &mut u64,
    reading: fn(io::Error) -> JoinError,
    writing: fn(io::Error) -> JoinError,
) -> Result<(), JoinError> {
    let mut buf = vec![0; crate::files::READ_MAX];
    loop {
        let n = from.read(&mut buf).await.map_err(reading)?;
        if n == 0 {
            return Ok(());
        }
        to.write_all(&buf[..n]).await.map_err(writing)?;
        to.flush().await.map_err(writing)?;
        *count += n as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{duplex, split};

    #[tokio::test]
    async fn both_directions_are_joined_to_their_ends() {
        let (near, far) = duplex(1000);
        let (far_recv, far_send) = split(far);
        let (recv, send) = split(near);
        let (mut here, mut there) = (Vec::new(), Vec::new());
        let long = vec![7; 300_000];
        let (a, b) = tokio::join!(
            join((&b"short"[..], &mut here), (recv, send), false),
            join((&long[..], &mut there), (far_recv, far_send), false),
        );
        assert_eq!(a.expect("joined"), Joined { sent: 5, received: 300_000 });
        assert_eq!(b.expect("joined"), Joined { sent: 300_000, received: 5 });
        assert_eq!((here, there), (long, b"short".to_vec()));
    }

    #[tokio::test]
    async fn a_person_at_a_terminal_is_let_go_when_the_peer_has_finished() {
        let (near, mut far) = duplex(1000);
        let (terminal, _never_typed_at) = duplex(10);
        far.write_all(b"bye").await.expect("written");
        far.shutdown().await.expect("finished");
        let (recv, send) = split(near);
        let mut shown = Vec::new();
        let joined = join((terminal, &mut shown), (recv, send), true).await.expect("joined");
        assert_eq!((joined.received, shown), (3, b"bye".to_vec()));
        assert_eq!(far.read_to_end(&mut Vec::new()).await.expect("our side is finished, not broken"), 0);
    }
}
