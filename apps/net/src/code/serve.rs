//! The side that is asked.

use core::time::Duration;
use std::sync::Arc;

use tng_services::code::{
    self, Allowance, Declined, Desk, PRIORITY, PROTOCOL, REQUEST_MAX, Reply, SERVICE, Shelf, Supply,
};
use tng_stack::structured::FirstData;
use tng_wire::{Reader, Repr};
use tokio::sync::Mutex;

use crate::endpoint::Endpoint;
use crate::error::BindError;
use crate::lock::Clock;
use crate::serve::{Answer, Request, ServeOptions};
use crate::stream::SendStream;

/// Requests for code, and pieces of it, that may be worked on at once, of all peers.
pub const TRANSFERS_MAX: usize = 64;
/// The same of one connection.
pub const TRANSFERS_PER_CONNECTION_MAX: usize = 4;
/// How long a request may take to come whole: it goes behind all else that its peer sends.
const REQUEST_WITHIN: Duration = Duration::from_secs(120);
/// Bytes of a supply that are written under one lock.
const WRITE_MAX: usize = 16 << 10;

impl Endpoint {
    /// Gives transport code to peers, and takes it from them, by the service `code`, at the lowest priority: what there
    /// is, and who may have and bring it, says the shelf; how much in a day, the allowance. The shelf is called on
    /// threads for what takes its time, one call at a time, and may read and write files.
    ///
    /// # Errors
    /// If the service is there already.
    pub fn serve_code(&self, shelf: impl Shelf + Send + Sync + 'static, allowance: Allowance) -> Result<(), BindError> {
        let options = ServeOptions {
            protocol: PROTOCOL,
            // A request of a few bytes brings back a mebibyte.
            first_data: FirstData::Proven,
            request_max: REQUEST_MAX,
            requests_max: TRANSFERS_MAX,
            requests_per_connection_max: TRANSFERS_PER_CONNECTION_MAX,
            request_within: REQUEST_WITHIN,
            bytes_max: TRANSFERS_MAX * REQUEST_MAX,
        };
        let desk = Arc::new(Mutex::new(Desk::new(allowance)));
        let (shelf, clock) = (Arc::new(shelf), Clock::start());
        self.serve_with(SERVICE, options, move |request: Request| {
            let (shelf, desk) = (Arc::clone(&shelf), Arc::clone(&desk));
            async move {
                let mut reader = Reader::new(request.body());
                let asked = code::Request::parse(&mut reader).ok().filter(|_| reader.is_empty());
                let Some(asked) = asked else { return declined(Declined::Malformed) };
                let peer = request.peer();
                let mut at_desk = Arc::clone(&desk).lock_owned().await;
                let work = move || at_desk.answer(&*shelf, clock.now(), peer, asked);
                match tokio::task::spawn_blocking(work).await {
                    Ok(Reply::Answer(answer)) => Answer::from(answer.to_vec()),
                    Ok(Reply::Supply(supply)) => Answer::written(move |send| give(send, desk, supply)),
                    // The shelf panicked.
                    Err(_) => declined(Declined::Unavailable),
                }
            }
        })
    }
}

fn declined(declined: Declined) -> Answer {
    Answer::from(code::Answer::Declined(declined).to_vec())
}

/// Writes code; what the peer did not want of it is given back to its allowance.
async fn give(mut send: SendStream, desk: Arc<Mutex<Desk>>, supply: Supply) {
    send.set_priority(PRIORITY);
    let (packed, offset) = supply.rest();
    let (mut written, rest) = (0, &packed[offset..]);
    let all = async {
        send.write_all(&supply.head().to_vec()).await?;
        while written < rest.len() {
            let piece = &rest[written..rest.len().min(written + WRITE_MAX)];
            written += send.write(piece).await?;
        }
        send.finish().await
    };
    let _ = all.await;
    desk.lock().await.sent(&supply, written);
}
