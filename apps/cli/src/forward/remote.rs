//! TCP sockets of a peer whose connections come here.

use std::io;

use tng::{Connection, Pipe, SendStream, Stream};
use tng_services::forward::{Answer, Destination, RefusalCode, Request};
use tokio::time::timeout;

use super::link::{ANSWER_TIME, Link, ask};
use super::room::Room;
use super::{dial, look_up, read_message, splice};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::peer::{RETRY_PAUSE, stream_failure};
use crate::talk::Talk;

/// A socket of a peer.
#[derive(Clone, Debug)]
pub struct Remote {
    /// Where the peer is to listen.
    pub bind: Request,
    /// Where connections go from here.
    pub to: Destination,
}

/// A socket that is there.
struct Bound {
    connection: Connection,
    /// The socket lasts as long as this.
    control: SendStream,
}

impl Remote {
    /// Has the peer listen and takes what comes, again after each loss of the connection.
    ///
    /// # Errors
    /// If the peer does not listen, the first time or after a loss.
    pub async fn take(&self, link: &Link, room: &Room, talk: Talk) -> Result<(), Failure> {
        loop {
            let bound = self.bind(link, talk).await?;
            let parent = bound.control.id();
            while let Ok(child) = bound.connection.accept_substream(parent).await {
                let (to, room) = (self.to.clone(), room.clone());
                tokio::spawn(async move {
                    let Some(place) = room.place().await else {
                        // Dropped, its stream is reset.
                        return talk.say(format_args!("a connection was refused, {} are open", room.max));
                    };
                    if let Err(error) = come(child, &to, talk).await {
                        tracing::info!(%to, %error, "a connection did not come");
                    }
                    drop(place);
                });
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    async fn bind(&self, link: &Link, talk: Talk) -> Result<Bound, Failure> {
        const WHAT: &str = "having the peer listen";
        let connection = link.connection().await?;
        match timeout(ANSWER_TIME, ask(&connection, &self.bind)).await {
            Ok(Ok((control, _, Answer::Ok { address }))) => {
                talk.say(format_args!("the peer listens on TCP {address}, for {}", self.to));
                talk.event("bound", &serde_json::json!({ "address": address.to_string(), "to": self.to.to_string() }));
                Ok(Bound { connection, control })
            }
            Ok(Ok((_, _, Answer::Refused(refusal)))) if refusal.code == RefusalCode::Busy => {
                Err(Failure::new(Exit::RemoteFull, WHAT, refusal).or_try("again later, or more --connections there"))
            }
            Ok(Ok((_, _, Answer::Refused(refusal)))) => Err(Failure::new(Exit::Denied, WHAT, refusal)
                .or_try("have the server run with --open and the same address and port")),
            Ok(Err(error)) => Err(stream_failure(WHAT, &error, Exit::Receive)),
            Err(_) => Err(Failure::new(Exit::Timeout, WHAT, "the peer is silent")),
        }
    }
}

async fn come(child: Stream, to: &Destination, talk: Talk) -> io::Result<()> {
    let (send, mut recv) = Pipe::from(child).split();
    let Answer::Ok { address } = read_message(&mut recv).await? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    match dial(look_up(to), |_| true).await {
        Ok(tcp) => {
            let joined = splice(tcp, &[], send, recv).await;
            tracing::info!(from = %address, %to, ?joined, "closed");
        }
        // Dropped, the stream is reset, and so is the connection at its other end.
        Err(refusal) => talk.say(format_args!("{address} to {to}: {refusal}")),
    }
    Ok(())
}
