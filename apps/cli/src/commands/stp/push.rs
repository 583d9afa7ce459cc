//! `tng stp push`: code of the store goes to a peer that serves code.

use clap::Args;
use serde_json::json;
use tng::stp::shipping::{CodeError, Declined, push_code};

use super::place::{PlaceArgs, code, transport};
use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::supply::store_failure;
use crate::host::{attend, client};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser};
use crate::peer;
use crate::talk::{Talk, bytes};
use crate::via::ViaArgs;

/// Shown before everything else in `tng stp push --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  tng stp push fast TICKET         send a guest of the store, with its
                                   publisher's manifest
  tng stp push 0a1b2c3d attic      by the first digits of its hash, to a host
                                   that has a name here
  tng stp push --json fast TICKET  what the peer has decided, as an event

The peer serves code if it runs serve, listen, forward or perf with --transport,
or has a store or a policy. Whether it accepts code unasked, its policy says as
of a connection to no service; and also for which connections the code runs.

Exit code 0 if the peer has it now, or had it before; 9 if the peer's policy
declines, with the reason; 70 if the peer has no room, or accepts no more today.";

/// Arguments of `tng stp push`.
#[derive(Args, Debug)]
pub(super) struct PushArgs {
    /// A guest that is here: a hash or its beginning, or a name
    #[arg(value_name = "TRANSPORT")]
    code: String,
    /// Host to send it to: a ticket, EID@host:port, or a name from ~/.config/tng/config.toml
    #[arg(value_name = "HOST", value_parser = LocationParser)]
    host: Location,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Sends code, and says what the peer has decided.
///
/// # Errors
/// If it is not here, there is no connection, or the peer does not take it.
pub(super) async fn run(args: &PushArgs, talk: Talk) -> Result<(), Failure> {
    let manager = args.place.manager(talk)?;
    let hash = code(&manager, &args.code)?;
    let host = args.via.to(&args.host)?;
    let what = format!("pushing {} to {}", hash.short(), host.eid);
    transport(&manager, &hash, &what)?;
    let module = manager.module(&hash).map_err(|error| store_failure(&what, &error))?;
    let (len, manifest) = (module.len(), manager.manifest(&hash).unwrap_or_default());
    let name = manager.look(|_, known| known.name(&hash).map(str::to_owned));
    let endpoint = client(args.key.load_or_create()?).await?;
    let work = async {
        let connection = args.time.connecting(peer::connect(&endpoint, &host, talk)).await?;
        let pushed = push_code(&connection, module.into(), manifest).await;
        let (declined, pushed) = match pushed {
            Ok(()) => (None, Ok(())),
            Err(CodeError::Declined(Declined::AlreadyHere)) => (Some(Declined::AlreadyHere), Ok(())),
            Err(CodeError::Declined(declined)) => (Some(declined), pushed),
            Err(_) => return pushed.map_err(|error| failure(&what, &error)),
        };
        let decided = json!({
            "blake3": hash.to_string(),
            "name": name,
            "bytes": len,
            "peer": host.eid.to_string(),
            "decision": declined.map_or("taken", Declined::word),
        });
        talk.event("pushed", &decided);
        pushed.map_err(|error| failure(&what, &error))?;
        let called = name.as_deref().unwrap_or("it has no name");
        let short = hash.short();
        match declined {
            None => {
                talk.payload(format_args!("{short}  {called}  taken"));
                let len = bytes(len as u64);
                talk.say(format_args!("{} has taken {len}; it runs there where its policy lets it", host.eid));
            }
            Some(_) => {
                talk.payload(format_args!("{short}  {called}  already there"));
                talk.say(format_args!("{} has it already; nothing was sent", host.eid));
            }
        }
        Ok(())
    };
    attend(&endpoint, args.time.whole(work)).await
}

/// That code does not go to a peer, or come from it.
pub(super) fn failure(what: &str, error: &CodeError) -> Failure {
    let exit = match error {
        CodeError::Declined(declined) => match declined {
            Declined::NotAllowed
            | Declined::AlreadyHere
            | Declined::AcceptsNone
            | Declined::NotPinned
            | Declined::NotSigned
            | Declined::TakenBack
            | Declined::Expired
            | Declined::Older
            | Declined::Flagged
            | Declined::Offender
            | Declined::NotFromPeers
            | Declined::RefusedBefore => Exit::Denied,
            Declined::NotHere => Exit::NotFound,
            Declined::TooMuchToday | Declined::Busy | Declined::Unavailable | Declined::NoRoom => Exit::RemoteFull,
            Declined::TooLarge | Declined::WrongHash | Declined::Bomb => Exit::Receive,
            Declined::Unfit => Exit::NotRunnable,
            Declined::BadManifest => Exit::Read,
            Declined::Malformed | Declined::NotOffered => Exit::Protocol,
        },
        CodeError::NotServed(_) => Exit::Connect,
        CodeError::Fetch(_) | CodeError::Push(_) => Exit::Protocol,
        CodeError::TooLarge(_) | CodeError::ManifestTooLong(_) => Exit::Usage,
        CodeError::TooSlow(_) => Exit::Timeout,
        _ => Exit::Send,
    };
    Failure::told(exit, what, error)
}
