//! `tng listen`: joins stdin and stdout to the first `tng connect` that comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use tng::{Endpoint, Incoming, Stream};
use tng_services::pipe;
use tokio::sync::mpsc;

use super::connect::{join_standard, no_json};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{DoorArgs, attend};
use crate::pings;
use crate::talk::Talk;

/// Connections at once while one is waited for; of more, networks get the same share, and what is left alone gives way.
pub const CONNECTIONS_MAX: usize = 16;
/// The REFUSE code for a pipe that somebody has already (docs/wire.md, section 5).
const BUSY: u64 = 3;

/// Shown before everything else in `tng listen --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng listen                     then, elsewhere: tng connect TICKET
  tng listen > photos.tar        then, elsewhere: tar c photos | tng connect TICKET";

/// Arguments of `tng listen`.
#[derive(Args, Debug)]
pub struct ListenArgs {
    #[command(flatten)]
    door: DoorArgs,
}

/// Waits for one pipe and joins it; ends when both directions have ended.
///
/// # Errors
/// If there is no way to listen, or the pipe breaks.
pub async fn run(args: &ListenArgs, talk: Talk) -> Result<(), Failure> {
    no_json(talk)?;
    let door = args.door.open(b"pipe", &[(pipe::SERVICE, pipe::PROTOCOL)], CONNECTIONS_MAX).await?;
    pings::answer(&door.endpoint)?;
    talk.say(format_args!("listening for {}, at {}", door.open_to, door.endpoint.local_addr()));
    talk.say(format_args!("\nconnect with:\n  tng connect {}", door.target()));
    door.show(talk);
    let (tell, mut first) = mpsc::channel(1);
    attend(&door.endpoint, async {
        tokio::select! {
            () = welcome(&door.endpoint, tell) => {
                Err(Failure::new(Exit::Connect, "listening", "the endpoint is closed"))
            }
            ended = async {
                // The door holds a sender for as long as this can be waited for.
                let Some(stream) = first.recv().await else { return Ok(()) };
                join_standard(stream, talk).await
            } => ended,
        }
    })
    .await
}

/// Lets peers in for as long as the endpoint is open; the first pipe is told of, the others are refused.
async fn welcome(endpoint: &Endpoint, tell: mpsc::Sender<Stream>) {
    let taken = Arc::new(AtomicBool::new(false));
    while let Some(incoming) = endpoint.accept().await {
        let (tell, taken) = (tell.clone(), Arc::clone(&taken));
        tokio::spawn(async move { entertain(incoming, &tell, &taken).await });
    }
}

async fn entertain(incoming: Incoming, tell: &mpsc::Sender<Stream>, taken: &AtomicBool) {
    let (peer, remote) = (incoming.eid(), incoming.remote_address());
    let Ok(connection) = incoming.accept().await else { return };
    while let Ok(incoming) = connection.accept().await {
        if taken.swap(true, Ordering::Relaxed) {
            incoming.refuse(BUSY, "somebody else has the pipe");
        } else {
            tracing::info!(%peer, %remote, "has the pipe");
            let _ = tell.send(incoming.stream).await;
        }
    }
}
