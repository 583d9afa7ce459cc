//! The serving side: connects, and listens, for peers.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tng::{CloseCause, Connection, Endpoint, Incoming, Pipe, PipeRecv, PipeSend, Stream, StreamId};
use tng_services::forward::{Allowed, Answer, Destination, Refusal, RefusalCode, Request};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::local::accept;
use super::look_ups::LookUps;
use super::queue::Queue;
use super::room::WAITING_TIME;
use super::{DialError, abort, dial, own, quicken, read_message, splice, write_message};
use crate::clock;
use crate::failure::reason;
use crate::guests::offer::{Chosen, transport_of};
use crate::talk::Talk;
use crate::visitors::{STREAMS, Visitors};

/// Peers at once; of more, networks get the same share, and what is left alone gives way.
pub const PEERS_MAX: usize = 64;
/// How long the opener of a stream may take to say what it wants.
pub const REQUEST_TIME: Duration = Duration::from_secs(10);
/// A destination that is not named is refused at whole multiples of this since it was asked for.
pub const REFUSAL_STEP: Duration = Duration::from_millis(250);
/// The REFUSE code for a stream too many (docs/wire.md, section 5).
const BUSY: u64 = 3;
/// Its reason.
const TOO_MANY: &str = "too many connections at once";

/// What peers may have from this host.
#[derive(Debug)]
pub struct Gate {
    /// Where to connect.
    pub allowed: Allowed,
    /// Where to listen.
    pub open: Vec<Destination>,
    /// TCP connections at once, for all peers together.
    pub connections: usize,
    /// The transports that it runs for those who offer them.
    pub runs: Option<Chosen>,
    /// Who is here.
    pub visitors: Visitors,
    /// What is said to people.
    pub talk: Talk,
}

impl Gate {
    /// Serves until the endpoint is closed.
    pub async fn serve(self: Arc<Gate>, endpoint: &Endpoint) {
        let (queue, look_ups) = (Queue::of(self.connections), LookUps::default());
        while let Some(incoming) = endpoint.accept().await {
            let (gate, queue, look_ups) = (Arc::clone(&self), queue.clone(), look_ups.of_another());
            tokio::spawn(async move { gate.welcome(incoming, queue, look_ups).await });
        }
    }

    async fn welcome(self: Arc<Gate>, incoming: Incoming, queue: Queue, look_ups: LookUps) {
        let (eid, remote) = (incoming.eid(), incoming.remote_address());
        let Ok(connection) = incoming.accept().await else { return };
        self.visitors.came(eid, remote);
        let cause = self.entertain(&connection, queue, look_ups).await;
        self.visitors.left(eid, &cause);
    }

    async fn entertain(self: &Arc<Gate>, connection: &Connection, queue: Queue, look_ups: LookUps) -> CloseCause {
        let look_ups = Arc::new(look_ups);
        // Until it is settled what runs there is nothing to take.
        let _ = connection.negotiation().await;
        if let Ok(guest) = connection.guest() {
            let mut claim = queue.claim(connection.peer());
            let has_place = match &mut claim {
                Some(claim) => claim.has_place().await,
                None => false,
            };
            if !has_place {
                connection.close(BUSY, TOO_MANY);
                return connection.closed().await;
            }
            self.visitors.goes_by(connection.peer(), &transport_of(self.runs.as_ref(), connection).await);
            if let Err(error) = self.answer(guest.into(), None, &queue, &look_ups).await {
                tracing::info!(%error, "a request ended early");
            }
            return connection.closed().await;
        }
        while let Ok(incoming) = connection.accept().await {
            let Some(mut claim) = queue.claim(connection.peer()) else {
                incoming.refuse(BUSY, TOO_MANY);
                continue;
            };
            self.visitors.goes_by(connection.peer(), STREAMS);
            let (gate, queue, look_ups) = (Arc::clone(self), queue.clone(), Arc::clone(&look_ups));
            tokio::spawn(async move {
                let (id, pipe) = (incoming.stream.id(), Pipe::from(incoming.stream));
                let ended = match claim.has_place().await {
                    true => gate.answer(pipe, Some(id), &queue, &look_ups).await,
                    false => gate.turn_away(pipe).await,
                };
                if let Err(error) = ended {
                    tracing::info!(%error, "a request ended early");
                }
                drop(claim);
            });
        }
        connection.closed().await
    }

    /// Refuses one for which there was no place in time.
    async fn turn_away(&self, pipe: Pipe) -> io::Result<()> {
        let peer = pipe.connection().peer();
        self.talk.remark(format_args!("{peer}: refused, all its connections are in use; --connections has more"));
        let (send, _recv) = pipe.split();
        let why = format!("none has ended within {} s", WAITING_TIME.as_secs());
        // A peer that takes nothing is not waited for: what waits here holds a turn of its share.
        timeout(REQUEST_TIME, refuse(send, Refusal::new(RefusalCode::Busy, &why))).await?
    }

    async fn answer(
        self: &Arc<Gate>,
        pipe: Pipe,
        stream: Option<StreamId>,
        queue: &Queue,
        look_ups: &LookUps,
    ) -> io::Result<()> {
        let connection = pipe.connection();
        let (mut send, mut recv) = pipe.split();
        let peer = connection.peer();
        match timeout(REQUEST_TIME, read_message(&mut recv)).await? {
            Ok(Request::Connect(to)) => match self.reach(&to, look_ups).await {
                Ok(tcp) => {
                    let address = tcp.peer_addr()?;
                    write_message(&mut send, &Answer::Ok { address }).await?;
                    let joined = splice(tcp, &[], send, recv).await;
                    tracing::info!(%peer, %to, ?joined, "closed");
                    Ok(())
                }
                Err(Unreached { refusal, why }) => {
                    self.talk.remark(format_args!("{peer} to {to}: {why}"));
                    refuse(send, refusal).await
                }
            },
            Ok(Request::Bind { .. }) if stream.is_none() => {
                let why = "a transport carries one connection; ask by a stream";
                refuse(send, Refusal::new(RefusalCode::BadRequest, why)).await
            }
            Ok(Request::Bind { host, port }) => match self.bind(&host, port).await {
                Ok(listener) => {
                    let address = listener.local_addr()?;
                    let opened = json!({ "peer": peer.to_string(), "address": address });
                    self.talk.note(format_args!("listening on TCP {address} for {peer}"), "opened", &opened);
                    write_message(&mut send, &Answer::Ok { address }).await?;
                    tokio::select! {
                        () = lead(&listener, &connection, stream, queue) => {}
                        () = until_over(recv) => {}
                    }
                    self.talk.remark(format_args!("no longer listening on TCP {address} for {peer}"));
                    Ok(())
                }
                Err(refusal) => {
                    self.talk.remark(format_args!("{peer} to listen: {refusal}"));
                    refuse(send, refusal).await
                }
            },
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                refuse(send, Refusal::new(RefusalCode::BadRequest, "")).await
            }
            Err(error) => Err(error),
        }
    }

    /// Connects. Of what is not named no peer learns whether there is such a name, or where it leads: what is not
    /// public and what does not exist is refused in the same words, at times that do not tell how long looking it up
    /// took.
    async fn reach(&self, to: &Destination, look_ups: &LookUps) -> Result<TcpStream, Unreached> {
        let closed = |why: String| {
            let refusal = Refusal::new(RefusalCode::NotAllowed, &format!("{to}: this host does not lead there"));
            Unreached { refusal, why }
        };
        if !self.allowed.allows(to) {
            return Err(closed("it is not on the list".to_owned()));
        }
        if self.allowed.names(to) {
            return dial(look_ups.look_up(to), |_| true)
                .await
                .map_err(|error| Unreached { refusal: error.refusal(to), why: error.to_string() });
        }
        let began = tokio::time::Instant::from_std(clock::now());
        let own =
            own::addresses().map_err(|error| closed(format!("the addresses of this host: {}", reason(&error))))?;
        let why = match dial(look_ups.look_up(to), |address| self.allowed.allows_at(to, address, &own)).await {
            // Addresses come and go, and a route may lead more of them here than any interface has.
            Ok(tcp) if leads_here(&tcp) => {
                abort(tcp);
                "it leads to this host".to_owned()
            }
            Ok(tcp) => return Ok(tcp),
            Err(error @ DialError::Failed { .. }) => {
                return Err(Unreached { refusal: error.refusal(to), why: error.to_string() });
            }
            Err(error) => error.to_string(),
        };
        let steps = began.elapsed().as_millis() / REFUSAL_STEP.as_millis() + 1;
        tokio::time::sleep_until(began + REFUSAL_STEP * u32::try_from(steps).unwrap_or(1)).await;
        Err(closed(why))
    }

    async fn bind(&self, host: &str, port: u16) -> Result<TcpListener, Refusal> {
        let host = if host.is_empty() { LOOPBACK } else { host };
        let asked = Destination::new(host, port).ok().filter(|asked| self.open.iter().any(|open| open.is(asked)));
        if asked.is_none() {
            return Err(Refusal::new(RefusalCode::NotAllowed, &format!("{host} port {port} is not open to peers")));
        }
        let bound = TcpListener::bind((host, port)).await;
        bound.map_err(|error| Refusal::new(RefusalCode::CannotBind, &format!("{host} port {port}: {}", reason(&error))))
    }
}

/// A destination that was not reached.
struct Unreached {
    /// What the peer is told.
    refusal: Refusal,
    /// What the people of this host are told.
    why: String,
}

/// Whether both ends of a connection have the same address: then they are the same host.
fn leads_here(tcp: &TcpStream) -> bool {
    match (tcp.local_addr(), tcp.peer_addr()) {
        (Ok(here), Ok(there)) => here.ip().to_canonical() == there.ip().to_canonical(),
        // It is gone already.
        _ => false,
    }
}

/// Where sockets listen unless something else is said.
pub const LOOPBACK: &str = "127.0.0.1";

async fn refuse(mut send: PipeSend, refusal: Refusal) -> io::Result<()> {
    write_message(&mut send, &Answer::Refused(refusal)).await?;
    send.finish().await
}

/// Opens a child of the stream that asked for each connection that comes to the socket.
async fn lead(listener: &TcpListener, connection: &Connection, asked: Option<StreamId>, queue: &Queue) {
    let Some(asked) = asked else { return };
    loop {
        let (tcp, from) = accept(listener).await;
        let Some(mut claim) = queue.claim(connection.peer()) else {
            abort(tcp);
            continue;
        };
        quicken(&tcp);
        let connection = connection.clone();
        tokio::spawn(async move {
            if !claim.has_place().await {
                return abort(tcp);
            }
            match connection.open_substream(asked).await {
                Ok(child) => hand_over(tcp, from, child).await,
                Err(_) => abort(tcp),
            }
            drop(claim);
        });
    }
}

async fn hand_over(tcp: TcpStream, address: SocketAddr, child: Stream) {
    let (mut send, recv) = Pipe::from(child).split();
    match write_message(&mut send, &Answer::Ok { address }).await {
        Ok(()) => drop(splice(tcp, &[], send, recv).await),
        Err(_) => abort(tcp),
    }
}

/// Waits for the end of a stream on which nothing more should come.
async fn until_over(mut recv: PipeRecv) {
    let mut buf = [0; 64];
    while let Ok(1..) = AsyncReadExt::read(&mut recv, &mut buf).await {}
}
