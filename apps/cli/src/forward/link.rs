//! The way out: a connection to a peer that connects for us, found again when it is lost.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tng::{Connection, Endpoint, PipeRecv, PipeSend, RecvStream, SendStream};
use tng_services::forward::{Answer, Destination, PROTOCOL, Refusal, RefusalCode, Request, SERVICE};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::{DIAL_TIME, dial, look_up, read_message, write_message};
use crate::clock;
use crate::exit::Exit;
use crate::failure::{Failure, Lost, reason};
use crate::guests::offer::{Chosen, tell};
use crate::location::Location;
use crate::peer::{self, RETRY_PAUSE};
use crate::talk::Talk;

/// How long a peer may take to answer a request: as long as it may dial, and the way there and back.
pub const ANSWER_TIME: Duration = DIAL_TIME.saturating_add(Duration::from_secs(4));
/// How long a peer that does not answer is left alone when there is another way.
pub const FALLBACK_TIME: Duration = Duration::from_secs(30);

/// The way out.
#[derive(Debug)]
pub struct Link {
    endpoint: Endpoint,
    host: Location,
    /// Without the peer, connections leave from here over plain TCP.
    fallback_tcp: bool,
    talk: Talk,
    way: Mutex<Way>,
    /// Transports that are offered for each connection, as long as the peer runs one of them.
    offered: Option<Offered>,
}

/// Transports that are offered for each connection.
#[derive(Debug)]
struct Offered {
    chosen: Chosen,
    /// When the peer ran none of them. It may have got one since.
    declined_at: Mutex<Option<Instant>>,
    /// That one of them runs.
    told: AtomicBool,
}

#[derive(Debug)]
enum Way {
    Untried,
    Up(Connection),
    Lost { failure: Failure, at: Instant },
}

/// A connection to a destination.
#[derive(Debug)]
pub enum Reached {
    /// Through the peer.
    Through {
        /// To the destination.
        send: PipeSend,
        /// From the destination.
        recv: PipeRecv,
        /// Which address the peer has connected to.
        address: SocketAddr,
    },
    /// Over plain TCP.
    Direct(TcpStream),
}

impl Link {
    /// A way that leads through `host`.
    pub fn new(endpoint: Endpoint, host: Location, fallback_tcp: bool, talk: Talk) -> Link {
        Link { endpoint, host, fallback_tcp, talk, way: Mutex::new(Way::Untried), offered: None }
    }

    /// Each connection goes by one of these transports as long as the peer runs one, if there are any.
    pub fn offering(self, chosen: Option<Chosen>) -> Link {
        let offered =
            chosen.map(|chosen| Offered { chosen, declined_at: Mutex::default(), told: AtomicBool::new(false) });
        Link { offered, ..self }
    }

    /// A request to the peer, by a transport that both run; nothing if there is none, and streams have to do.
    async fn ask_by_transport(&self, request: &Request) -> io::Result<Option<(PipeSend, PipeRecv, Answer)>> {
        let Some(Offered { chosen, declined_at, told }) = &self.offered else { return Ok(None) };
        let declined = *declined_at.lock().await;
        if declined.is_some_and(|at| clock::now() < at + FALLBACK_TIME) {
            return Ok(None);
        }
        let Ok(Some(pipe)) = chosen.pipe(&self.endpoint, &self.host, (SERVICE, PROTOCOL), None, self.talk).await else {
            // That the peer is not there, or does not let this host in, is for streams to say.
            return Ok(None);
        };
        if pipe.guest().is_none() {
            *declined_at.lock().await = Some(clock::now());
            tell(&pipe.connection(), self.talk).await;
            return Ok(None);
        }
        if !told.swap(true, Ordering::Relaxed) {
            tell(&pipe.connection(), self.talk).await;
        }
        let (send, recv) = pipe.split();
        ask_on(send, recv, request).await.map(Some)
    }

    /// A request has failed; answers whether something is lost, and another attempt worth it. A guest is not asked
    /// again: streams are there.
    fn note_lost(&self, error: &io::Error) -> bool {
        let lost = peer::lost(error);
        if lost == Lost::Guest
            && let Some(Offered { chosen, .. }) = &self.offered
            && chosen.rest(self.host.eid)
        {
            let why = reason(error);
            self.talk.say(format_args!("the guest has failed ({why}); structured streams carry on"));
            self.talk.event("transport", &json!({ "settled": "failed", "why": why }));
        }
        lost.is_something()
    }

    /// Connects for the first time.
    ///
    /// # Errors
    /// If the peer cannot be reached and there is no other way.
    pub async fn prepare(&self) -> Result<(), Failure> {
        match self.connection().await {
            Err(failure) if !self.falls_back(&failure) => Err(failure),
            _ => Ok(()),
        }
    }

    /// Whether this failure means that the far side is no tng, and there is leave to do without.
    fn falls_back(&self, failure: &Failure) -> bool {
        self.fallback_tcp && failure.exit == Exit::Connect
    }

    /// The connection, made anew if it is over. Those who wait for an attempt share its outcome.
    pub(super) async fn connection(&self) -> Result<Connection, Failure> {
        let asked = clock::now();
        let mut way = self.way.lock().await;
        match &*way {
            Way::Up(connection) => match ended(connection).await {
                None => return Ok(connection.clone()),
                Some(cause) => self.talk.say(format_args!("connection lost ({cause}); connecting again")),
            },
            Way::Lost { failure, at } => {
                let pause = if self.falls_back(failure) { FALLBACK_TIME } else { RETRY_PAUSE };
                if asked < *at + pause {
                    return Err(failure.clone());
                }
            }
            Way::Untried => {}
        }
        let connected = match &*way {
            Way::Untried => peer::connect(&self.endpoint, &self.host, self.talk).await,
            Way::Up(_) | Way::Lost { .. } => peer::connect_again(&self.endpoint, &self.host, self.talk).await,
        };
        match connected {
            Ok(connection) => {
                *way = Way::Up(connection.clone());
                Ok(connection)
            }
            Err(failure) => {
                if self.falls_back(&failure) {
                    let words = "UNPROTECTED: connections go over plain TCP from here, as --fallback-tcp asks";
                    self.talk.warn(format_args!("{failure}\n{words}"));
                    self.talk.event("fallback", &failure.to_json());
                }
                *way = Way::Lost { failure: failure.clone(), at: clock::now() };
                Err(failure)
            }
        }
    }

    /// Connects to a destination.
    ///
    /// # Errors
    /// If the peer cannot be reached, or will not or cannot connect.
    pub async fn reach(&self, to: &Destination) -> Result<Reached, Refusal> {
        let request = Request::Connect(to.clone());
        // A connection may turn out to be over only when it is used.
        for last in [false, true] {
            let connection = match self.connection().await {
                Ok(connection) => connection,
                Err(failure) if self.falls_back(&failure) => {
                    let tcp = dial(look_up(to), |_| true).await.map_err(|error| error.refusal(to))?;
                    let address = tcp.peer_addr().map(|address| address.to_string()).ok();
                    self.talk.event("unprotected", &json!({ "to": to.to_string(), "address": address }));
                    return Ok(Reached::Direct(tcp));
                }
                Err(failure) => return Err(Refusal::new(code_of(&failure), &failure.line())),
            };
            let asking = async {
                Ok(match self.ask_by_transport(&request).await? {
                    Some(asked) => asked,
                    None => {
                        let (send, recv, answer) = ask(&connection, &request).await?;
                        (send.into(), recv.into(), answer)
                    }
                })
            };
            match timeout(ANSWER_TIME, asking).await {
                Ok(Ok((send, recv, Answer::Ok { address }))) => return Ok(Reached::Through { send, recv, address }),
                Ok(Ok((_, _, Answer::Refused(refusal)))) => return Err(refusal),
                Ok(Err(error)) if !last && self.note_lost(&error) => {}
                Ok(Err(error)) => return Err(Refusal::new(RefusalCode::Other, &reason(&error))),
                Err(_) => return Err(Refusal::new(RefusalCode::TimedOut, "the peer is silent")),
            }
        }
        Err(Refusal::new(RefusalCode::Other, "the connection to the peer is lost"))
    }
}

fn code_of(failure: &Failure) -> RefusalCode {
    match failure.exit {
        Exit::Connect | Exit::Timeout => RefusalCode::TimedOut,
        _ => RefusalCode::Other,
    }
}

async fn ended(connection: &Connection) -> Option<tng::CloseCause> {
    tokio::select! {
        biased;
        cause = connection.closed() => Some(cause),
        () = std::future::ready(()) => None,
    }
}

/// Asks on a new stream, which takes children from now on if it asks to bind.
pub(super) async fn ask(connection: &Connection, request: &Request) -> io::Result<(SendStream, RecvStream, Answer)> {
    let stream = connection.open(SERVICE, PROTOCOL).await?;
    if matches!(request, Request::Bind { .. }) {
        stream.listen_substreams()?;
    }
    let (send, recv) = stream.split();
    ask_on(send, recv, request).await
}

async fn ask_on<S, R>(mut send: S, mut recv: R, request: &Request) -> io::Result<(S, R, Answer)>
where
    S: AsyncWrite + Unpin,
    R: AsyncRead + Unpin,
{
    write_message(&mut send, request).await?;
    let answer = read_message(&mut recv).await?;
    Ok((send, recv, answer))
}
