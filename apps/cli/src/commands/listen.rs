//! `tng listen`: joins stdin and stdout to the first `tng connect` that comes.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use tng::{Connection, Eid, Endpoint, Incoming, Pipe, ServiceOptions, Stream};
use tng_services::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::connect::{InputArgs, join_standard, no_json};
use crate::allowance::TimeArgs;
use crate::doctor;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests;
use crate::guests::congestion::regulated;
use crate::guests::offer::{RunArgs, has_guests, run_by, serve_code};
use crate::host::{DoorArgs, PatienceArgs, attend, listens_at};
use crate::pings;
use crate::policed::PolicedArgs;
use crate::talk::Talk;

/// Connections at once while one is waited for; of more, networks get the same share, and what is left alone gives way.
pub const CONNECTIONS_MAX: usize = 16;
/// The REFUSE code for a pipe that somebody has already (docs/wire.md, section 5).
const BUSY: u64 = 3;
const TAKEN: &str = "somebody else has the pipe";
/// A peer whose guest has ended before it was of use has so long to come again.
pub const AGAIN_WITHIN: Duration = Duration::from_secs(10);
/// What it comes again with may arrive so long before the news that the guest has ended.
const NEWS_WITHIN: Duration = Duration::from_secs(1);

/// Shown before everything else in `tng listen --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng listen               then, elsewhere: tng connect TICKET
  tng listen > photos.tar  then, elsewhere: tar c photos | tng connect TICKET
  tng listen --transport   then, elsewhere: tng connect --transport newreno
                           TICKET

It serves one connection, and ends with it, or by SIGINT (Ctrl-C), SIGTERM or
SIGHUP.";

/// Arguments of `tng listen`.
#[derive(Args, Debug)]
pub struct ListenArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    runs: RunArgs,
    #[command(flatten)]
    policed: PolicedArgs,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    patience: PatienceArgs,
    #[command(flatten)]
    door: DoorArgs,
}

/// Waits for one pipe and joins it; ends when both directions have ended.
///
/// # Errors
/// If there is no way to listen, or the pipe breaks.
pub async fn run(args: &ListenArgs, talk: Talk) -> Result<(), Failure> {
    no_json(talk)?;
    let services = [(pipe::SERVICE, pipe::PROTOCOL, ServiceOptions::default())];
    let (runs, regulator) = (args.runs.chosen("listen", talk).await?, args.runs.regulator("listen", talk)?);
    let change =
        |builder| run_by(args.patience.hold(args.policed.hold(regulated(builder, regulator.as_ref()))), runs.as_ref());
    let door = args.door.open_with(b"pipe", &services, CONNECTIONS_MAX, change).await?;
    let _desk = guests::tells_of(&door.endpoint, has_guests(runs.as_ref(), regulator.as_ref()), "listen");
    serve_code(&door.endpoint, runs.as_ref(), talk)?;
    pings::answer(&door.endpoint)?;
    door.tell_registrations(talk);
    doctor::peers::answer(&door.endpoint)?;
    talk.say(format_args!("listening for {}, at {}", door.open_to, listens_at(&door.endpoint)));
    let by = args.runs.offered_by();
    talk.say(format_args!("\nconnect with:\n  tng connect {by}{}", door.target()));
    door.show(talk);
    let (tell, mut first) = mpsc::channel(1);
    let work = async {
        tokio::select! {
            () = welcome(&door.endpoint, tell) => {
                Err(Failure::new(Exit::Connect, "listening", "the endpoint is closed"))
            }
            ended = async {
                // The door holds a sender for as long as this can be waited for.
                let Some(pipe) = args.time.connecting(async { Ok(first.recv().await) }).await? else { return Ok(()) };
                join_standard(pipe, args.input, talk).await
            } => ended,
        }
    };
    attend(&door.endpoint, args.time.whole(work)).await
}

/// Lets peers in for as long as the endpoint is open; the first pipe is told of, the others are refused.
async fn welcome(endpoint: &Endpoint, tell: mpsc::Sender<Pipe>) {
    let taken = Arc::new(Mutex::new(Taken::No));
    while let Some(incoming) = endpoint.accept().await {
        let (tell, taken) = (tell.clone(), Arc::clone(&taken));
        tokio::spawn(async move { entertain(incoming, &tell, &taken).await });
    }
}

/// Who has the pipe.
enum Taken {
    No,
    /// Somebody, for good.
    Yes,
    /// This peer, by a guest on this connection. It may come again with a stream if the guest ends too early.
    ByGuest(Eid, Connection, oneshot::Sender<Stream>),
}

/// Takes the pipe for good, or by a guest; false if somebody has it.
fn take(taken: &Mutex<Taken>, by: Taken) -> bool {
    let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
    let free = matches!(*taken, Taken::No);
    if free {
        *taken = by;
    }
    free
}

/// The way for a stream of a peer whose guest had the pipe, if it has ended and the pipe still waits for one.
async fn heir(taken: &Mutex<Taken>, peer: Eid) -> Option<oneshot::Sender<Stream>> {
    let guests = match &*taken.lock().unwrap_or_else(PoisonError::into_inner) {
        Taken::ByGuest(by, connection, _) if *by == peer => connection.clone(),
        _ => return None,
    };
    timeout(NEWS_WITHIN, guests.closed()).await.ok()?;
    match std::mem::replace(&mut *taken.lock().unwrap_or_else(PoisonError::into_inner), Taken::Yes) {
        Taken::ByGuest(.., heir) if !heir.is_closed() => Some(heir),
        Taken::ByGuest(..) | Taken::No | Taken::Yes => None,
    }
}

async fn entertain(incoming: Incoming, tell: &mpsc::Sender<Pipe>, taken: &Mutex<Taken>) {
    let (peer, remote) = (incoming.eid(), tng::shown_address(incoming.remote_address()));
    let Ok(connection) = incoming.accept().await else { return };
    // Until it is settled what runs there is nothing to take.
    let Ok(_) = connection.negotiation().await else { return };
    if let Ok(guest) = connection.guest() {
        let (heir, comes) = oneshot::channel();
        if take(taken, Taken::ByGuest(peer, connection.clone(), heir)) {
            tracing::info!(%peer, %remote, "has the pipe, by a guest");
            let again = async {
                let gone = || io::Error::new(io::ErrorKind::NotConnected, "the peer has not come again");
                timeout(AGAIN_WITHIN, comes).await.ok().and_then(Result::ok).ok_or_else(gone)
            };
            let _ = tell.send(Pipe::from(guest).or_else(again)).await;
        } else {
            connection.close(BUSY, TAKEN);
        }
        return;
    }
    while let Ok(mut incoming) = connection.accept().await {
        if take(taken, Taken::Yes) {
            tracing::info!(%peer, %remote, "has the pipe");
            let _ = tell.send(incoming.stream.into()).await;
        } else if let Some(heir) = heir(taken, peer).await {
            match heir.send(incoming.stream) {
                Ok(()) => tracing::info!(%peer, %remote, "has the pipe still, by a stream"),
                // The pipe has ended meanwhile.
                Err(stream) => {
                    incoming.stream = stream;
                    incoming.refuse(BUSY, TAKEN);
                }
            }
        } else {
            incoming.refuse(BUSY, TAKEN);
        }
    }
}
