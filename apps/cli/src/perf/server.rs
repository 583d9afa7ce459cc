//! The side of a test that takes part in it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tng::{Connection, Eid, Endpoint, GuestConnection, Incoming, IncomingStream};
use tng_services::perf::{Fault, FaultCode, LANES_MAX, Limits, Message};
use tokio::sync::{Notify, Semaphore, mpsc};

use super::control::Control;
use super::engine::{Engine, Guests, RunEnd, out_of_turn};
use super::figures::{Start, lanes};
use super::report::{Report, Style};
use super::{Side, ends, fault_failure};
use crate::clock;
use crate::failure::Failure;
use crate::talk::Talk;
use crate::via::Words;

/// Connections at once; of more, networks get the same share, and what is left alone gives way.
pub const CONNECTIONS_MAX: usize = 64;
/// Streams of one connection that are answered at once: tests that run or are told that another does.
pub const REQUESTS_MAX: usize = 16;

/// The code for what cannot be taken now (docs/wire.md, section 5).
const BUSY: u64 = 3;

/// A server.
#[derive(Debug)]
pub struct Server {
    endpoint: Endpoint,
    limits: Limits,
    interval: Duration,
    style: Style,
    one_off: bool,
    talk: Talk,
    /// Whose test runs has this.
    slot: Semaphore,
    /// Whose test runs, and where the guests' connections go that it begins.
    visited: Mutex<Option<(Eid, mpsc::Sender<GuestConnection>)>>,
    /// A test is over.
    over: Notify,
}

impl Server {
    /// A server that has not begun to accept yet.
    pub fn new(
        endpoint: Endpoint,
        limits: Limits,
        interval: Duration,
        style: Style,
        one_off: bool,
        talk: Talk,
    ) -> Server {
        let (slot, over) = (Semaphore::new(1), Notify::new());
        Server { endpoint, limits, interval, style, one_off, talk, slot, visited: Mutex::default(), over }
    }

    /// Takes part in one test after the other, or in one.
    pub async fn serve(self: Arc<Server>) {
        loop {
            let incoming = tokio::select! {
                incoming = self.endpoint.accept() => incoming,
                () = self.over.notified(), if self.one_off => return,
            };
            let Some(incoming) = incoming else { return };
            let server = Arc::clone(&self);
            tokio::spawn(async move { server.welcome(incoming).await });
        }
    }

    async fn welcome(self: &Arc<Server>, incoming: Incoming) {
        let Ok(connection) = incoming.accept().await else { return };
        // Until it is settled what runs there is nothing to take.
        let Ok(_) = connection.negotiation().await else { return };
        if let Ok(guest) = connection.guest() {
            return self.take_guest(guest);
        }
        let room = Arc::new(Semaphore::new(REQUESTS_MAX));
        while let Ok(incoming) = connection.accept().await {
            let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
                incoming.refuse(BUSY, "too many requests at once");
                continue;
            };
            let (server, connection) = (Arc::clone(self), connection.clone());
            tokio::spawn(async move {
                server.answer(&connection, incoming).await;
                drop(place);
            });
        }
    }

    /// A connection by a guest carries a lane of its peer's test, if one runs.
    fn take_guest(&self, guest: GuestConnection) {
        let connection = guest.connection().clone();
        let visited = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = visited.as_ref().filter(|(peer, _)| *peer == connection.peer());
        if taken.is_none_or(|(_, lanes)| lanes.try_send(guest).is_err()) {
            connection.close(BUSY, "no test of yours waits for this");
        }
    }

    async fn answer(&self, connection: &Connection, incoming: IncomingStream) {
        let (send, recv) = incoming.stream.split();
        let mut control = Control::new(send, recv);
        let mut report = None;
        let ended = self.test(connection, &mut control, &mut report).await;
        if let Err(failure) = &ended {
            self.talk.say(format_args!("{}: {failure}", connection.peer()));
        }
        if let Some(mut report) = report {
            if let Err(failure) = &ended {
                report.failure(failure);
            }
            report.close();
            self.over.notify_one();
        }
    }

    async fn test(
        &self,
        connection: &Connection,
        control: &mut Control,
        shown: &mut Option<Report>,
    ) -> Result<(), Failure> {
        let test = match control.answer().await? {
            Message::Test(test) => test,
            _ => return self.refuse(control, Fault::new(FaultCode::BadRequest, "a test is described first")).await,
        };
        let Ok(slot) = self.slot.try_acquire() else {
            return self.refuse(control, Fault::new(FaultCode::Busy, "")).await;
        };
        if let Err(fault) = self.limits.check(&test) {
            return self.refuse(control, fault).await;
        }
        let (lanes_of_guests, theirs) = mpsc::channel(LANES_MAX);
        let visit = (connection.peer(), lanes_of_guests);
        *self.visited.lock().unwrap_or_else(PoisonError::into_inner) = Some(visit);
        control.say(&Message::Ready).await?;
        match control.answer().await? {
            Message::Start => {}
            _ => return Err(out_of_turn()),
        }
        let (local, remote) = ends(connection, self.endpoint.local_addr());
        let report = shown.insert(Report::new(self.style.clone(), test.wants_output));
        report.start(&Start {
            side: Side::Server,
            test,
            lanes: lanes(&test, Side::Server),
            local,
            remote,
            host: (remote.ip().to_string(), remote.port()),
            interval: self.interval,
            payload_max: connection.stats().map_or(0, |stats| stats.payload_max),
            blocks: 0,
            peer: connection.peer().to_string(),
            guest: None,
            path: Words::none().word(connection.path().as_ref()),
            cookie: String::new(),
            time: clock::seconds_since_1970(),
        });
        let guests = Guests { name: None, ours: Vec::new(), theirs: Some(theirs) };
        let mut engine = Engine::start(Side::Server, test, connection, control.id(), guests);
        let theirs = match engine.run(control, report, self.interval, Some(&self.limits), std::future::pending()).await
        {
            Ok(RunEnd::Ended(theirs)) => theirs,
            Ok(RunEnd::Done | RunEnd::Stopped) => return Err(out_of_turn()),
            Err(failure) => {
                // If the client is still there, it shall know; the next one does not wait for that.
                drop((slot, engine));
                let fault = Fault::new(FaultCode::Exceeded, &failure.why);
                if control.say(&Message::Fault(fault)).await.is_ok() {
                    control.finish().await;
                }
                return Err(failure);
            }
        };
        let mut ours = engine.stop().await;
        engine.settle(&mut ours, &theirs).await?;
        control.say(&Message::Results(ours.clone())).await?;
        let theirs = match control.answer().await? {
            Message::Results(theirs) if theirs.lanes.len() == ours.lanes.len() => theirs,
            _ => return Err(out_of_turn()),
        };
        report.finish(&engine.finish(ours, theirs));
        if test.wants_output {
            control.say(&Message::Output(report.output())).await?;
        }
        drop(slot);
        control.finish().await;
        Ok(())
    }

    async fn refuse(&self, control: &mut Control, fault: Fault) -> Result<(), Failure> {
        control.say(&Message::Fault(fault.clone())).await?;
        control.finish().await;
        Err(fault_failure(&fault))
    }
}
