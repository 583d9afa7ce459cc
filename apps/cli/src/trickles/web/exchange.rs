//! One connection of a program: what it asks for, one after the other.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::http::{
    BadRequest, Heads, Method, Part, Reply, Request, Status, Target, answer, escape, listing, redirect, refusal,
};
use tng_services::files::{FaultCode, SafePath};
use tng_services::forward::{Destination, RefusalCode, Socks};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::reading::Unread;
use super::figures::{Account, End, Passed};
use super::names::Said;
use super::source::{Broken, Visit, put};
use super::{Names, Role, Source};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::forward::abort;
use crate::forward::local::{asked, farewell};
use crate::hex::hex;

/// How long a connection may be silent between two requests.
pub const IDLE_TIME: Duration = Duration::from_secs(60);
/// How long a request's head may take, from its first byte on.
pub const HEAD_TIME: Duration = Duration::from_secs(20);
/// Requests that are answered on one connection, at most.
pub const REQUESTS_PER_CONNECTION: u32 = 1_000;
/// Bytes of requests that are read at once.
const REQUEST_READ: usize = 4 << 10;

/// How a connection goes on.
enum Next {
    /// With another request.
    Kept,
    /// It ends, after what was said.
    Closed,
    /// It ends as one that has failed: something was cut off.
    Cut,
}

/// One connection.
struct Exchange<'a> {
    tcp: TcpStream,
    from: SocketAddr,
    local: SocketAddr,
    names: &'a Names,
    account: &'a Account,
    /// Where a tunnel was made to: all that is asked for is asked for there.
    inside: Option<Arc<Source>>,
    heads: Heads,
}

/// Answers what a program asks for on a connection, until either side has enough.
pub(super) async fn attend(tcp: TcpStream, from: SocketAddr, names: &Names, account: &Account) -> io::Result<()> {
    let local = tcp.local_addr()?;
    let mut exchange = Exchange { tcp, from, local, names, account, inside: None, heads: Heads::new() };
    if names.role() == Role::Proxy && !exchange.opened().await? {
        return Ok(());
    }
    for left in (0..REQUESTS_PER_CONNECTION).rev() {
        let request = match exchange.request().await? {
            Some(Ok(request)) => request,
            Some(Err(reply)) => {
                account.answered(from, None, reply.head.status, Passed::WORDS);
                farewell(exchange.tcp, &reply.to_bytes(clock::since_1970(), false)).await;
                return Ok(());
            }
            None => return Ok(()),
        };
        match exchange.answer(&request, left > 0 && request.is_kept).await? {
            Next::Kept => {}
            Next::Closed => {
                farewell(exchange.tcp, &[]).await;
                return Ok(());
            }
            Next::Cut => {
                abort(exchange.tcp);
                return Ok(());
            }
        }
    }
    Ok(())
}

impl Exchange<'_> {
    /// Reads what came, for so long. Answers whether anything did.
    async fn read(&mut self, time: Duration) -> io::Result<bool> {
        let mut buf = [0; REQUEST_READ];
        let len = timeout(time, self.tcp.read(&mut buf)).await.map_err(|_| io::ErrorKind::TimedOut)??;
        self.heads.take(&buf[..len]);
        Ok(len > 0)
    }

    /// Makes a tunnel, if the first byte says that one is wanted by SOCKS. Answers whether anything follows.
    async fn opened(&mut self) -> io::Result<bool> {
        let mut first = [0];
        let peeked = timeout(IDLE_TIME, self.tcp.peek(&mut first)).await;
        if peeked.map_err(|_| io::ErrorKind::TimedOut)?? == 0 {
            return Ok(false);
        }
        if !Socks::begins_with(first[0]) {
            return Ok(true);
        }
        let asked = timeout(HEAD_TIME, asked(&mut self.tcp)).await;
        let (to, ahead) = match asked.map_err(|_| io::ErrorKind::TimedOut)?? {
            Ok(asked) => asked,
            Err(reply) => {
                self.tcp.write_all(&reply).await?;
                return Ok(false);
            }
        };
        let Some(source) = self.names.find(Said::There(&to), self.local) else {
            self.tcp.write_all(&Socks::refused(RefusalCode::NotAllowed)).await?;
            return Ok(false);
        };
        self.inside = Some(Arc::clone(source));
        self.tcp.write_all(&Socks::granted(self.local)).await?;
        self.heads.take(&ahead);
        Ok(true)
    }

    /// The next request, or how it is refused; nothing if no more comes.
    async fn request(&mut self) -> io::Result<Option<Result<Request, Reply>>> {
        let mut deadline = None;
        loop {
            match self.heads.request() {
                Ok(Some(request)) => return Ok(Some(Ok(request))),
                Ok(None) => {}
                Err(bad) => return Ok(Some(Err(bad.into()))),
            }
            let time = if self.heads.has_begun() {
                let deadline = *deadline.get_or_insert_with(|| clock::now() + HEAD_TIME);
                deadline.saturating_duration_since(clock::now())
            } else {
                IDLE_TIME
            };
            match self.read(time).await {
                Ok(true) => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut && self.heads.has_begun() => {
                    let words = format!("the request did not come within {} s; send it at once", HEAD_TIME.as_secs());
                    return Ok(Some(Err(refusal(Status::RequestTimeout, &words, Method::Get))));
                }
                // Nobody waits for an answer.
                Ok(false) | Err(_) => return Ok(None),
            }
        }
    }

    async fn answer(&mut self, request: &Request, is_kept: bool) -> io::Result<Next> {
        let (host, is_absolute, path, is_folder) = match &request.target {
            Target::Authority(to) => return self.tunnel(request, to, is_kept).await,
            Target::Resource { host, is_absolute, path, is_folder } => (host, *is_absolute, path, *is_folder),
        };
        let source = match (&self.inside, host) {
            (Some(source), _) => Some(Arc::clone(source)),
            (None, Some(host)) if is_absolute => self.names.find(Said::There(host), self.local).cloned(),
            (None, host) => self.names.find(Said::Here(host.as_ref()), self.local).cloned(),
        };
        let Some(source) = source else {
            return self
                .say(request, refusal(Status::Misdirected, &unknown(self.names), request.method), is_kept)
                .await;
        };
        if !matches!(request.method, Method::Get | Method::Head) {
            let words = "files are handed out, and no more: GET and HEAD";
            return self.say(request, refusal(Status::MethodNotAllowed, words, request.method), false).await;
        }
        let Some(whole) = source.path(path) else {
            return self.say(request, BadRequest::TargetTooLong.into(), is_kept).await;
        };
        let Some(visit) = source.visit().await else {
            let words = "too much is asked for at once; ask again in a moment";
            return self.say(request, refusal(Status::ServiceUnavailable, words, request.method), is_kept).await;
        };
        let found = match is_folder {
            true => visit.folder(&whole).await.map(|entries| Reply::page(listing(path, &entries), request.method)),
            false => return self.file(request, path, &whole, &visit, is_kept).await,
        };
        let reply = found.unwrap_or_else(|unread| told(&unread, request.method));
        drop(visit);
        self.say(request, reply, is_kept).await
    }

    async fn file(
        &mut self,
        request: &Request,
        asked: &SafePath,
        path: &SafePath,
        visit: &Visit<'_>,
        is_kept: bool,
    ) -> io::Result<Next> {
        let about = match visit.about(path).await {
            Ok(about) => about,
            Err(Unread::Fault(fault)) if fault.code == FaultCode::IsFolder => {
                let reply = redirect(&format!("/{}/", escape(asked.as_str())), request.method);
                return self.say(request, reply, is_kept).await;
            }
            Err(unread) => return self.say(request, told(&unread, request.method), is_kept).await,
        };
        let boundary = boundary()?;
        let reply = answer(request, asked.as_str(), &about, &boundary);
        let Reply { head, parts } = reply;
        let mut bytes = 0;
        let passed = async {
            put(&mut self.tcp, &head.to_bytes(clock::since_1970(), is_kept)).await.map_err(Broken::Client)?;
            for part in parts {
                match part {
                    Part::Text(text) => put(&mut self.tcp, &text).await.map_err(Broken::Client)?,
                    Part::File(range) => visit.bring(path, &about, range, &mut self.tcp, &mut bytes).await?,
                }
            }
            Ok::<(), Broken>(())
        };
        let passed = passed.await;
        let end = match &passed {
            Ok(()) => End::Whole,
            Err(Broken::Client(_)) => End::Left,
            Err(Broken::Server(_)) => End::CutOff,
        };
        let asked = Some((request.method.word(), asked.as_str()));
        self.account.answered(self.from, asked, head.status, Passed { bytes, end });
        match passed {
            Ok(()) => Ok(if is_kept { Next::Kept } else { Next::Closed }),
            Err(Broken::Client(error)) => Err(error),
            Err(Broken::Server(unread)) => {
                // That it is not whole shows by its length.
                tracing::warn!(from = %self.from, %path, ?unread, "cut off");
                Ok(Next::Cut)
            }
        }
    }

    /// Makes a tunnel in which HTTP is spoken.
    async fn tunnel(&mut self, request: &Request, to: &Destination, is_kept: bool) -> io::Result<Next> {
        let source = match (self.names.role(), &self.inside) {
            (Role::Proxy, None) => self.names.find(Said::There(to), self.local).cloned(),
            _ => None,
        };
        let Some(source) = source else {
            let reply = refusal(Status::Misdirected, &unknown(self.names), Method::Connect);
            return self.say(request, reply, is_kept).await;
        };
        self.inside = Some(source);
        put(&mut self.tcp, b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
        Ok(Next::Kept)
    }

    /// Says what has no file in it.
    async fn say(&mut self, request: &Request, reply: Reply, is_kept: bool) -> io::Result<Next> {
        let path = match &request.target {
            Target::Resource { path, .. } => path.as_str(),
            Target::Authority(to) => to.host(),
        };
        self.account.answered(self.from, Some((request.method.word(), path)), reply.head.status, Passed::WORDS);
        put(&mut self.tcp, &reply.to_bytes(clock::since_1970(), is_kept)).await?;
        Ok(if is_kept { Next::Kept } else { Next::Closed })
    }
}

/// What stands between parts of a body: drawn, so that no file has it.
fn boundary() -> io::Result<String> {
    let drawn = tng::random_seed()?;
    Ok(hex(&drawn.expose()[..16]))
}

fn unknown(names: &Names) -> String {
    let all: Vec<&str> = names.all().collect();
    format!("nothing of that name is here; ask http://NAME/ for NAME of: {}", all.join(", "))
}

/// Why there is no file, as it is told to a program.
pub(super) fn told(unread: &Unread, method: Method) -> Reply {
    match unread {
        Unread::Fault(fault) => {
            let (status, remedy) = match fault.code {
                FaultCode::NotFound => {
                    (Status::NotFound, "ask for its folder, with / at the end, to see what there is")
                }
                FaultCode::NotFolder => (Status::NotFound, "ask without / at the end"),
                FaultCode::IsFolder => (Status::NotFound, "ask with / at the end"),
                FaultCode::NotAllowed => (Status::Forbidden, "the servers do not hand it out"),
                FaultCode::NoRoom => (Status::Forbidden, "ask for a file by its name"),
                FaultCode::BadRequest => (Status::NotFound, "ask for a shorter path"),
                FaultCode::Busy => (Status::ServiceUnavailable, "ask again in a moment"),
                FaultCode::Changed => (Status::ServiceUnavailable, "ask again"),
                _ => (Status::BadGateway, "look at the server's log, and its disk"),
            };
            refusal(status, &format!("{fault}; {remedy}"), method)
        }
        Unread::Lost(Failure { exit, why, remedy, .. }) => {
            let (status, else_try) = match exit {
                Exit::Connect | Exit::Timeout | Exit::Receive | Exit::Partial => {
                    (Status::GatewayTimeout, "ask again when a server runs")
                }
                Exit::Resolve => (Status::GatewayTimeout, "ask again when names are found"),
                _ => (Status::BadGateway, "ask who runs this"),
            };
            let remedy = if remedy.is_empty() { else_try } else { remedy };
            refusal(status, &format!("{why}; {remedy}"), method)
        }
    }
}
