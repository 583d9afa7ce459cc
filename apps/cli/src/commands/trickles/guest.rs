//! `tng trickles get --guest`: fetches by a client that is a guest (docs/stp.md, "Systems together").

use std::path::Path;

use serde_json::json;
use tng::stp::{CodeHash, End, ReceiverError, built_in, code_hash};
use tng::{Endpoint, GuestDownload, GuestDownloadError};
use tng_services::stateless::{Asking, What};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::super::get::GetArgs;
use super::whole;
use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::READ_MAX;
use crate::guests::place::PlaceArgs;
use crate::guests::supply::Supply;
use crate::guests::used;
use crate::host::bind_failure;
use crate::location::{Location, escape};
use crate::signals::{stopped, stopped_failure};
use crate::talk::{Talk, bytes, merged, shown};
use crate::trickles::dial_failure;

/// Fetches one file by the guest of this name or hash, which is built in or in this store.
///
/// # Errors
/// There is no such guest, or it may not run; or the file does not come by it, or cannot be written.
pub(super) async fn run(args: &GetArgs, (name, place): (&str, &PlaceArgs), talk: Talk) -> Result<(), Failure> {
    let what = "fetching by a guest";
    let (location, to, key, time) = args.alone(what)?;
    if talk.json && to == Path::new("-") {
        return Err(Failure::usage("fetching to stdout", "--json writes there too"));
    }
    let identity = key.load_or_create()?;
    let to = &*to;
    let (hash, code, quotas) = Supply::receiver(("get", place), location.eid, name, talk).await?;
    let asked = asked(&hash, location)?;
    let builder = Endpoint::builder().identity(identity).transport_quotas(quotas);
    let guest = builder.stateless_guest(location.target().await?, &code, &asked).map_err(bind_failure)?;
    let mut fetching = Fetching { location, guest, time };
    let len = tokio::select! {
        len = time.whole(whole::write(to, async |out| fetching.bring(out).await)) => len?,
        () = stopped() => return Err(stopped_failure()),
    };
    let (usage, traffic, denials) = fetching.guest.with(|guest| {
        let shim = guest.shim();
        (guest.usage(), *shim.traffic(), *shim.denials())
    });
    let fuel = usage.fuel / len.max(1);
    talk.say(format_args!("{}: {} by the guest {name}, for {fuel} of fuel a byte", shown(to), bytes(len)));
    let fetched = json!({
        "path": to.to_string_lossy(),
        "bytes": len,
        "guest": code.name(),
        "hash": hash.to_string(),
        "sent": traffic.sent,
        "received": traffic.received,
        // With what its host held for it; of the guest itself nothing is left.
        "memory_most": usage.most,
    });
    talk.event("fetched", &merged([fetched, used(&usage, &denials)]));
    Ok(())
}

/// What the guest's application writes: a request of HTTP, if it is the guest that is built in for that, else what asks
/// a server of files or images for one.
fn asked(hash: &CodeHash, location: &Location) -> Result<Vec<u8>, Failure> {
    let Location { path, eid, .. } = location;
    if built_in("http").is_some_and(|guest| code_hash(guest.bytes) == *hash) {
        let target = escape(path);
        return Ok(format!("GET /{target} HTTP/1.1\r\nHost: {eid}\r\nUser-Agent: tng\r\n\r\n").into_bytes());
    }
    let asking = Asking { what: What::File, start: 0, path: path.clone() };
    asking.to_bytes().map_err(|bad| Failure::usage(format!("fetching {path}"), bad))
}

struct Fetching<'a> {
    location: &'a Location,
    guest: GuestDownload,
    time: TimeArgs,
}

impl Fetching<'_> {
    async fn bring(&mut self, out: &mut (dyn AsyncWrite + Unpin)) -> Result<u64, Failure> {
        let (mut piece, mut all) = (vec![0; READ_MAX], 0);
        let failed = |error: &std::io::Error| Failure::write("writing the file", error);
        loop {
            let time = self.time;
            let reading = async { self.guest.read(&mut piece).await.map_err(|error| self.failure(error)) };
            // It is connected when the first byte comes.
            match if all == 0 { time.connecting(reading).await? } else { reading.await? } {
                0 => break,
                len => {
                    out.write_all(&piece[..len]).await.map_err(|error| failed(&error))?;
                    all += len as u64;
                }
            }
        }
        out.flush().await.map_err(|error| failed(&error))?;
        Ok(all)
    }

    /// Why nothing comes. What a guest has to say of that is the last line of its log.
    fn failure(&self, error: GuestDownloadError) -> Failure {
        let what = format!("fetching {}", self.location.path);
        match &error {
            GuestDownloadError::Receiver(ReceiverError::Dial(dial)) => dial_failure(what, dial),
            GuestDownloadError::Receiver(ReceiverError::Guest(End::Failed(_))) => {
                let last = self.guest.with(|guest| guest.shim().lines().last().cloned());
                let why = last.unwrap_or_else(|| error.to_string());
                Failure::new(Exit::Receive, what, format_args!("the guest says: {why}"))
                    .or_try("without --guest, whose client has more to say")
            }
            _ => Failure::new(Exit::Receive, what, &error),
        }
    }
}
