//! `tng connect`: joins stdin and stdout to a `tng listen` elsewhere.

use std::io::IsTerminal;

use clap::Args;
use serde_json::json;
use tng::{Endpoint, Stream};
use tng_services::pipe;

use crate::failure::Failure;
use crate::guests;
use crate::host::{FAREWELL_MAX, attend, client_of};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser};
use crate::peer;
use crate::policed::PolicedArgs;
use crate::streams::{JoinError, Joined, join};
use crate::talk::{Talk, bytes};
use crate::via::ViaArgs;

/// Shown before everything else in `tng connect --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng connect TICKET                       type to the one who runs `tng listen`
  tar c photos | tng connect TICKET        there: tng listen | tar x
  tng connect --via HELPER TICKET          by way of a helper
  tng connect --transport newreno TICKET   by a transport that is a guest (tng stp list); there:
                                           tng listen --transport";

/// Arguments of `tng connect`.
#[derive(Args, Debug)]
pub struct ConnectArgs {
    /// Whom to connect to: a ticket, EID@host:port, or a name from ~/.config/tng/config.toml
    #[arg(value_name = "TARGET", value_parser = LocationParser)]
    target: Location,
    /// By this transport, a guest in a sandbox, which the other end must have too: see tng stp list
    #[arg(long, value_name = "NAME")]
    transport: Option<String>,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    policed: PolicedArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// Joins stdin and stdout to a stream to the target.
///
/// # Errors
/// If there is no connection, or it breaks before both directions have ended.
pub async fn run(args: &ConnectArgs, talk: Talk) -> Result<(), Failure> {
    no_json(talk)?;
    let target = args.via.to(&args.target)?;
    if let Some(name) = &args.transport {
        let codes = guests::transports(std::slice::from_ref(name))?;
        let endpoint =
            client_of(args.key.load_or_create()?, |builder| guests::speaking(args.policed.hold(builder), &codes))
                .await?;
        let _desk = guests::tells_of(&endpoint, !codes.is_empty(), "connect");
        return attend(&endpoint, join_by(&endpoint, &target, name, talk)).await;
    }
    let endpoint = client_of(args.key.load_or_create()?, |builder| args.policed.hold(builder)).await?;
    attend(&endpoint, join_target(&endpoint, &target, talk)).await
}

async fn join_target(endpoint: &Endpoint, target: &Location, talk: Talk) -> Result<(), Failure> {
    let connection = peer::connect(endpoint, target, talk).await?;
    let opened = connection.open(pipe::SERVICE, pipe::PROTOCOL).await;
    let stream = opened.map_err(|error| peer::open_failure("opening the pipe", error))?;
    join_standard(stream, talk).await?;
    // The listener closes when all has been said in both directions; leaving before it could cost it the last word.
    let _ = tokio::time::timeout(FAREWELL_MAX, connection.closed()).await;
    Ok(())
}

async fn join_by(endpoint: &Endpoint, target: &Location, name: &str, talk: Talk) -> Result<(), Failure> {
    let connection = peer::connect_transport(endpoint, target, name, talk).await?;
    guests::join_standard(&connection).await?;
    // The listener closes when it has written all. Until then its guest may have some of it, which would go with this
    // end.
    connection.connection().closed().await;
    Ok(())
}

/// A pipe has stdout for itself.
///
/// # Errors
/// If events are to go there too.
pub(super) fn no_json(talk: Talk) -> Result<(), Failure> {
    if talk.json { Err(Failure::usage("opening a pipe", "stdout carries it, so there is no --json")) } else { Ok(()) }
}

/// Joins stdin and stdout to a stream.
///
/// # Errors
/// If one of them fails before both directions have ended.
pub(super) async fn join_standard(stream: Stream, talk: Talk) -> Result<(), Failure> {
    let (send, recv) = stream.split();
    let with_peer = std::io::stdin().is_terminal();
    let joined = join((tokio::io::stdin(), tokio::io::stdout()), (recv, send), with_peer).await;
    let Joined { sent, received } = joined.map_err(JoinError::failure)?;
    tracing::info!("{} sent and confirmed, {} received", bytes(sent), bytes(received));
    talk.event("done", &json!({ "sent": sent, "received": received }));
    Ok(())
}
