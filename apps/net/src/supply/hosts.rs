//! Code from hosts that the policy names (STP 3.2.2): the hash decides, so any of them will do.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::time::Duration;
use std::sync::{Arc, Weak};

use tng_base::{CodeHash, Eid};
use tng_services::code::Part;
use tng_stack::Target;
use tng_stp_manager::{Origin, Outcome, Question, Verdict};
use tokio::sync::mpsc;

use super::seeks::Seeks;
use super::{FollowUpError, Inner, PrepareError, Shipped, Supply};
use crate::code::{CodeError, fetch_code};
use crate::connection::Connection;
use crate::endpoint::{Endpoint, WeakEndpoint};
use crate::error::ConnectError;
use crate::lock::Clock;

/// How long a peer that was asked for code has before hosts are asked for it.
pub const PEER_SENDS_WITHIN: Duration = Duration::from_secs(10);
/// Missing code that hosts are asked for next.
pub const WISHES_WAITING_MAX: usize = 16;

/// Where a host is, when that is known; or why nobody knows.
pub type FindingHost<'a> = Pin<Box<dyn Future<Output = Result<Target, String>> + Send + 'a>>;

/// Who knows the hosts that a policy names.
pub trait Directory: Send + Sync {
    /// Where a host is, by its name in the policy.
    fn find<'a>(&'a self, name: &'a str) -> FindingHost<'a>;

    /// What came of code that a peer named and that hosts were asked for.
    fn heard(&self, _code: CodeHash, _came: Result<Verdict, HostsError>) {}
}

/// Why code did not come from a host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// Caller: nobody knows where it is.
    #[error("{0}")]
    Unknown(String),
    /// Environment, or peer: there is no connection to it.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Peer: it does not give it.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// Policy, or peer: what it gives is not installed.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

/// Why code did not come from any host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostsError {
    /// Policy: its rule names no host.
    #[error("the policy names no host to ask for code; `sources` in a rule does, as \"host:NAME\"")]
    NoneNamed,
    /// Caller: there is no endpoint to ask by.
    #[error("hosts cannot be asked by this program; let it run with an endpoint that is open")]
    NoWay,
    /// Each of them has its reason.
    #[error("no host that the policy names gave the code ({})", Listed(.0))]
    All(Vec<(String, HostError)>),
}

/// Hosts, each with its reason.
struct Listed<'a>(&'a [(String, HostError)]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (host, error)) in self.0.iter().enumerate() {
            let before = if at == 0 { "" } else { "; " };
            write!(f, "{before}{}: {error}", tng_base::PeerText::new(host))?;
        }
        Ok(())
    }
}

/// The way to hosts.
pub(super) struct Hosts {
    endpoint: WeakEndpoint,
    directory: Arc<dyn Directory>,
}

/// Code that a peer has named, and that is missing.
pub(super) struct Wish {
    pub(super) peer: Eid,
    pub(super) code: CodeHash,
    pub(super) service: String,
}

/// Where wishes go.
pub(super) type Wishes = mpsc::Sender<Wish>;

impl Supply {
    /// Has hosts that the policy names asked for code which peers do not send, by connections of this endpoint. Answers
    /// whether it is so from now on: the first way that is told stays.
    ///
    /// To be called on a tokio runtime.
    pub fn ask_hosts(&self, endpoint: &Endpoint, directory: impl Directory + 'static) -> bool {
        let hosts = Hosts { endpoint: endpoint.downgrade(), directory: Arc::new(directory) };
        if self.0.hosts.set(hosts).is_err() {
            return false;
        }
        let (wishes, waiting) = mpsc::channel(WISHES_WAITING_MAX);
        let _ = self.0.judge.wishes.set(wishes);
        tokio::spawn(seek(Arc::downgrade(&self.0), waiting));
        true
    }

    /// Fetches code from a host that the policy names for connections with `peer` to `service`, and has it ready to
    /// run. They are asked in the policy's order; each goes on where the one before was cut.
    ///
    /// # Errors
    /// See [`HostsError`].
    pub async fn fetch_from_hosts(&self, code: CodeHash, (peer, service): (Eid, &str)) -> Result<Verdict, HostsError> {
        let names = self.sources(&self.0.judge.question(Some(peer), service)).1;
        if names.is_empty() {
            return Err(HostsError::NoneNamed);
        }
        let hosts = self.0.hosts.get().ok_or(HostsError::NoWay)?;
        let (mut part, mut refused) = (None, Vec::new());
        for name in names {
            let endpoint = hosts.endpoint.upgrade().ok_or(HostsError::NoWay)?;
            match self.fetch_from(&endpoint, &*hosts.directory, (&*name, code), &mut part, (peer, service)).await {
                Ok(verdict) => return Ok(verdict),
                Err(error) => refused.push((name, error)),
            }
        }
        Err(HostsError::All(refused))
    }

    async fn fetch_from(
        &self,
        endpoint: &Endpoint,
        directory: &dyn Directory,
        (name, hash): (&str, CodeHash),
        part: &mut Option<Part>,
        of: (Eid, &str),
    ) -> Result<Verdict, HostError> {
        let target = directory.find(name).await.map_err(HostError::Unknown)?;
        let connection = endpoint.connect(target).await?;
        let code = fetch_code(&connection, hash, part).await?;
        Ok(self.install(hash, Shipped::of(code, Origin::Host(name.to_owned())), of).await?)
    }

    /// Fetches what the peer at the other end would rather have run.
    pub(super) async fn fetch_wanted(
        &self,
        connection: &Connection,
        hash: CodeHash,
        service: &str,
    ) -> Result<Verdict, FollowUpError> {
        let of = (connection.peer(), service);
        let (from_peer, hosts) = self.sources(&self.0.judge.question(Some(of.0), service));
        let code = match from_peer {
            true => fetch_code(connection, hash, &mut None).await,
            false => return Ok(self.fetch_from_hosts(hash, of).await?),
        };
        match code {
            Ok(code) => Ok(self.install(hash, Shipped::of(code, Origin::Peer(of.0)), of).await?),
            Err(_) if !hosts.is_empty() => Ok(self.fetch_from_hosts(hash, of).await?),
            Err(error) => Err(error.into()),
        }
    }

    /// Where code for a connection may come from: whether from the peer, and from which hosts.
    pub(super) fn sources(&self, question: &Question<'_>) -> (bool, Vec<String>) {
        self.manager().look(|policy, _| {
            let rule = policy.rule(question);
            (rule.takes_from_peers(), rule.hosts().map(str::to_owned).collect())
        })
    }
}

/// Asks hosts for what is wished for, as long as there is somebody who wants it.
async fn seek(inner: Weak<Inner>, mut waiting: mpsc::Receiver<Wish>) {
    let (mut seeks, clock) = (Seeks::default(), Clock::start());
    while let Some(wish) = waiting.recv().await {
        let Some(supply) = inner.upgrade().map(Supply) else { return };
        let (from_peer, hosts) = supply.sources(&supply.0.judge.question(Some(wish.peer), &wish.service));
        if !hosts.is_empty() && seeks.begin(clock.now(), wish.peer, wish.code) {
            tokio::spawn(come(inner.clone(), wish, from_peer));
        }
    }
}

/// Asks hosts for code, after the peer has had its time if it was asked first.
async fn come(inner: Weak<Inner>, wish: Wish, from_peer: bool) {
    let Wish { peer, code, service } = wish;
    if from_peer {
        tokio::time::sleep(PEER_SENDS_WITHIN).await;
    }
    let Some(supply) = inner.upgrade().map(Supply) else { return };
    if supply.decide(Some(peer), &service, &code).outcome != Outcome::Fetch {
        return;
    }
    let came = supply.fetch_from_hosts(code, (peer, &service)).await;
    if let Some(hosts) = supply.0.hosts.get() {
        hosts.directory.heard(code, came);
    }
}
