//! `tng connect`: joins stdin and stdout to a `tng listen` elsewhere.

use std::io::IsTerminal;

use clap::Args;
use serde_json::json;
use tng::{Endpoint, Pipe};
use tng_services::pipe;

use crate::allowance::TimeArgs;
use crate::failure::Failure;
use crate::guests::congestion::regulated;
use crate::guests::offer::{Chosen, OfferArgs, has_guests, run_by, tell};
use crate::guests::{self, Figures};
use crate::host::{FAREWELL_MAX, PatienceArgs, attend, client_of};
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
  tng connect TICKET                  type to the one who runs `tng listen`
  tar c photos | tng connect TICKET   there: tng listen | tar x
  tng connect -n TICKET > photos.tar  receive only; do not read stdin
  tng connect --registry REGISTRY tng://EID
                                      to a host that a registry finds; or set
                                      TNG_REGISTRY
  tng connect --via HELPER TICKET     through a relay
  tng connect --transport newreno TICKET
                                      over a guest transport (`tng stp list`);
                                      there: tng listen --transport

A ticket on the command line is visible to everybody who lists processes; a file
with it is not.";

/// Arguments of `tng connect`.
#[derive(Args, Debug)]
pub struct ConnectArgs {
    /// Host to connect to: a ticket, EID@host:port, or a name from ~/.config/tng/config.toml
    #[arg(value_name = "TARGET", value_parser = LocationParser)]
    target: Location,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    offer: OfferArgs,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    policed: PolicedArgs,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    patience: PatienceArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// What is read of this end's.
#[derive(Args, Clone, Copy, Debug)]
pub struct InputArgs {
    /// Do not read stdin, as with `ssh -n`: this direction ends at once
    #[arg(short = 'n', long)]
    no_input: bool,
}

/// Joins stdin and stdout to a stream to the target.
///
/// # Errors
/// If there is no connection, or it breaks before both directions have ended.
pub async fn run(args: &ConnectArgs, talk: Talk) -> Result<(), Failure> {
    no_json(talk)?;
    let target = args.via.to(&args.target)?;
    let (offered, regulator) = (args.offer.chosen("connect", talk).await?, args.offer.regulator("connect", talk)?);
    let change = |builder| {
        run_by(args.patience.hold(args.policed.hold(regulated(builder, regulator.as_ref()))), offered.as_ref())
    };
    let endpoint = client_of(args.key.load_or_create()?, change).await?;
    let _desk = guests::tells_of(&endpoint, has_guests(offered.as_ref(), regulator.as_ref()), "connect");
    let joining = join_target(&endpoint, &target, (offered, args.input, args.time), talk);
    attend(&endpoint, args.time.whole(joining)).await
}

async fn join_target(
    endpoint: &Endpoint,
    target: &Location,
    (offered, input, time): (Option<Chosen>, InputArgs, TimeArgs),
    talk: Talk,
) -> Result<(), Failure> {
    let by_transport = match &offered {
        Some(offered) => {
            let opening = offered.pipe(endpoint, target, (pipe::SERVICE, pipe::PROTOCOL), None, talk);
            time.connecting(opening).await?
        }
        None => None,
    };
    let pipe = match by_transport {
        Some(pipe) => pipe,
        None => {
            let connection = time.connecting(peer::connect(endpoint, target, talk)).await?;
            let opened = connection.open(pipe::SERVICE, pipe::PROTOCOL).await;
            opened.map_err(|error| peer::open_failure("opening the pipe", error))?.into()
        }
    };
    let carrier = pipe.carrier();
    tell(&carrier.connection(), talk).await;
    join_standard(pipe, input, talk).await?;
    if let Some(offered) = offered {
        offered.stay().await;
    }
    // The listener closes when all has been said in both directions; leaving before it could cost it the last word.
    let _ = tokio::time::timeout(FAREWELL_MAX, carrier.connection().closed()).await;
    Ok(())
}

/// A pipe has stdout for itself.
///
/// # Errors
/// If events are to go there too.
pub(super) fn no_json(talk: Talk) -> Result<(), Failure> {
    if talk.json { Err(Failure::usage("opening a pipe", "stdout carries it, so there is no --json")) } else { Ok(()) }
}

/// Joins stdin and stdout to a pipe.
///
/// # Errors
/// If one of them fails before both directions have ended.
pub(super) async fn join_standard(pipe: Pipe, input: InputArgs, talk: Talk) -> Result<(), Failure> {
    let guest = pipe.guest().cloned();
    let (send, recv) = pipe.split();
    let with_peer = std::io::stdin().is_terminal();
    let joined = match input.no_input {
        true => join((tokio::io::empty(), tokio::io::stdout()), (recv, send), false).await,
        false => join((tokio::io::stdin(), tokio::io::stdout()), (recv, send), with_peer).await,
    };
    let Joined { sent, received } = joined.map_err(JoinError::failure)?;
    tracing::info!("{} sent and confirmed, {} received", bytes(sent), bytes(received));
    talk.event("done", &json!({ "sent": sent, "received": received }));
    if let Some(guest) = guest {
        if let Ok(Figures(figures)) = Figures::of(&guest) {
            tracing::info!("the guest: {figures}");
        }
        // The peer's guest has all; now it learns that this is the end. If it has left, it knows.
        let _ = guest.shut_down().await;
    }
    Ok(())
}
