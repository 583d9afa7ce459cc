//! Asks the members of a cluster, over connections that stay.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::clock;
use crate::daemon::locked;

/// How long members have to answer what needs no other member. All are asked at once; the first to answer has as long
/// as for anything else.
pub const READ_WITHIN: Duration = Duration::from_millis(150);
/// How long one member has to answer what the cluster has to agree about.
pub const WRITE_WITHIN: Duration = Duration::from_millis(1_500);
/// Connections that are kept to a member while nobody asks.
const IDLE_KEPT: usize = 16;
/// The longest answer in bytes.
pub const ANSWER_MAX: usize = 32 << 20;

/// Codes of gRPC by which a member says that it cannot answer now: another may.
const NOT_NOW: [u64; 3] = [4, 8, 14];

/// Why etcd does not do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EtcdError {
    /// No member answers, or none that has the others with it.
    #[error("etcd does not answer ({0}); start its members, or see that they reach each other")]
    Silent(String),
    /// It answers, and does not want to.
    #[error("etcd refuses ({why}); see what its members say")]
    Refused {
        /// The code of gRPC.
        code: u64,
        /// In its words.
        why: String,
    },
    /// What answers is something else.
    #[error("what answers at {0} is no etcd v3; name members of a cluster")]
    Malformed(SocketAddr),
}

/// The members of a cluster.
#[derive(Debug)]
pub struct Etcd {
    members: Vec<Arc<Member>>,
    /// The one that has answered last.
    first: AtomicUsize,
}

#[derive(Debug)]
struct Member {
    at: SocketAddr,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
}

/// An answer that goes on: a document on each line.
#[derive(Debug)]
pub(super) struct Lines {
    at: SocketAddr,
    body: Incoming,
    read: Vec<u8>,
    /// How many of them hold no end of a line.
    looked: usize,
    // The connection ends with it.
    _sender: SendRequest<Full<Bytes>>,
}

impl Etcd {
    /// Those members; nobody is asked yet.
    pub fn new(members: &[SocketAddr]) -> Etcd {
        let members = members.iter().map(|at| Arc::new(Member { at: *at, idle: Mutex::default() })).collect();
        Etcd { members, first: AtomicUsize::new(0) }
    }

    /// Has the next member asked first from now on.
    pub fn pass_over(&self) {
        self.first.fetch_add(1, Ordering::Relaxed);
    }

    /// The members, the one that has answered last before the others.
    fn in_turn(&self) -> impl Iterator<Item = (usize, &Member)> {
        let (first, count) = (self.first.load(Ordering::Relaxed), self.members.len());
        (0..count).map(move |turn| (first.wrapping_add(turn)) % count).map(move |which| (which, &*self.members[which]))
    }

    /// Asks one member after the other, each for so long, until one answers.
    pub(super) async fn ask(&self, path: &str, body: &str, within: Duration) -> Result<Value, EtcdError> {
        let body = Bytes::copy_from_slice(body.as_bytes());
        let mut ended = silent("no member is named");
        for (which, member) in self.in_turn() {
            let answer = tokio::time::timeout(within, member.ask(path, body.clone())).await;
            match answer.unwrap_or_else(|_| Err(member.silent("it takes too long"))) {
                Err(error @ EtcdError::Silent(_)) => ended = error,
                answer => {
                    self.first.store(which, Ordering::Relaxed);
                    return answer;
                }
            }
        }
        Err(ended)
    }

    /// Asks all members at once: what those answer who do within a time, and the first one if that takes longer.
    pub(super) async fn ask_all(&self, path: &str, body: &str, within: Duration) -> Result<Vec<Value>, EtcdError> {
        let (path, body): (Arc<str>, _) = (path.into(), Bytes::copy_from_slice(body.as_bytes()));
        let mut asked = JoinSet::new();
        for member in &self.members {
            let (member, path, body) = (Arc::clone(member), Arc::clone(&path), body.clone());
            asked.spawn(async move {
                let answer = tokio::time::timeout(WRITE_WITHIN, member.ask(&path, body)).await;
                answer.unwrap_or_else(|_| Err(member.silent("it takes too long")))
            });
        }
        let (mut answers, mut ended) = (Vec::new(), silent("no member is named"));
        let soon = clock::ticks() + within;
        loop {
            let next = match answers.is_empty() {
                true => asked.join_next().await,
                false => tokio::time::timeout_at(soon, asked.join_next()).await.unwrap_or(None),
            };
            match next {
                Some(Ok(Ok(answer))) => answers.push(answer),
                Some(Ok(Err(error))) => ended = error,
                Some(Err(_)) => ended = silent("the task that asks has failed"),
                None if answers.is_empty() => return Err(ended),
                None => return Ok(answers),
            }
        }
    }

    /// Asks for what goes on, the same way.
    pub(super) async fn follow(&self, path: &str, body: &str) -> Result<Lines, EtcdError> {
        let body = Bytes::copy_from_slice(body.as_bytes());
        let mut ended = silent("no member is named");
        for (_, member) in self.in_turn() {
            let begun = tokio::time::timeout(WRITE_WITHIN, member.follow(path, body.clone())).await;
            match begun.unwrap_or_else(|_| Err(member.silent("it takes too long"))) {
                Err(error) => ended = error,
                begun => return begun,
            }
        }
        Err(ended)
    }
}

fn silent(why: &str) -> EtcdError {
    EtcdError::Silent(why.to_owned())
}

impl Member {
    fn silent(&self, why: impl std::fmt::Display) -> EtcdError {
        EtcdError::Silent(format!("{}: {why}", self.at))
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, EtcdError> {
        let stream = TcpStream::connect(self.at).await.map_err(|error| self.silent(crate::failure::reason(&error)))?;
        stream.set_nodelay(true).map_err(|error| self.silent(error))?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|error| self.silent(error))?;
        // What becomes of it, who asks hears.
        tokio::spawn(connection);
        Ok(sender)
    }

    fn request(&self, path: &str, body: Bytes) -> Result<Request<Full<Bytes>>, EtcdError> {
        let request = Request::post(path).header(HOST, self.at.to_string()).header(CONTENT_TYPE, "application/json");
        request.body(Full::new(body)).map_err(|_| EtcdError::Malformed(self.at))
    }

    async fn ask(&self, path: &str, body: Bytes) -> Result<Value, EtcdError> {
        let kept = locked(&self.idle).pop();
        if let Some(mut sender) = kept.filter(SendRequest::is_ready)
            && let Ok(response) = sender.send_request(self.request(path, body.clone())?).await
        {
            return self.read(sender, response).await;
        }
        // The member may have been started anew meanwhile: what is asked may be asked twice.
        let mut sender = self.connect().await?;
        let response = sender.send_request(self.request(path, body)?).await.map_err(|error| self.silent(error))?;
        self.read(sender, response).await
    }

    async fn read(
        &self,
        mut sender: SendRequest<Full<Bytes>>,
        response: Response<Incoming>,
    ) -> Result<Value, EtcdError> {
        let is_good = response.status().is_success();
        let body = Limited::new(response.into_body(), ANSWER_MAX).collect().await;
        let bytes = body.map_err(|error| self.silent(error))?.to_bytes();
        if sender.ready().await.is_ok() {
            let mut idle = locked(&self.idle);
            if idle.len() < IDLE_KEPT {
                idle.push(sender);
            }
        }
        if is_good { self.parse(&bytes) } else { Err(self.refused(&bytes)) }
    }

    /// A document; or several, each for itself: then a list of them.
    fn parse(&self, bytes: &[u8]) -> Result<Value, EtcdError> {
        let documents: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(bytes).into_iter().collect();
        let mut documents = documents.map_err(|_| EtcdError::Malformed(self.at))?;
        match documents.len() {
            0 => Err(EtcdError::Malformed(self.at)),
            1 => Ok(documents.remove(0)),
            _ => Ok(Value::Array(documents)),
        }
    }

    /// What it answers instead, as an error.
    fn refused(&self, bytes: &[u8]) -> EtcdError {
        let said: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let Some(why) = said["error"].as_str().or(said["message"].as_str()) else {
            return EtcdError::Malformed(self.at);
        };
        match said["code"].as_u64().unwrap_or_default() {
            code if NOT_NOW.contains(&code) => self.silent(why),
            code => EtcdError::Refused { code, why: why.to_owned() },
        }
    }

    async fn follow(&self, path: &str, body: Bytes) -> Result<Lines, EtcdError> {
        let mut sender = self.connect().await?;
        let response = sender.send_request(self.request(path, body)?).await.map_err(|error| self.silent(error))?;
        let is_good = response.status().is_success();
        if !is_good {
            let body = Limited::new(response.into_body(), ANSWER_MAX).collect().await;
            return Err(self.refused(&body.map_err(|error| self.silent(error))?.to_bytes()));
        }
        Ok(Lines { at: self.at, body: response.into_body(), read: Vec::new(), looked: 0, _sender: sender })
    }
}

impl Lines {
    /// The next document.
    pub(super) async fn next(&mut self) -> Result<Value, EtcdError> {
        let silent = |why: &str| EtcdError::Silent(format!("{}: {why}", self.at));
        loop {
            if let Some(end) = self.read[self.looked..].iter().position(|byte| *byte == b'\n') {
                let rest = self.read.split_off(self.looked + end + 1);
                let line = std::mem::replace(&mut self.read, rest);
                self.looked = 0;
                return serde_json::from_slice(&line).map_err(|_| EtcdError::Malformed(self.at));
            }
            self.looked = self.read.len();
            let frame = self.body.frame().await.ok_or_else(|| silent("it has ended the watch"))?;
            let data = frame.map_err(|error| silent(&error.to_string()))?;
            if let Some(data) = data.data_ref() {
                if self.read.len() + data.len() > ANSWER_MAX {
                    return Err(EtcdError::Malformed(self.at));
                }
                self.read.extend_from_slice(data);
            }
        }
    }
}
