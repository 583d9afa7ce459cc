//! Transports that travel, by a policy manager: what may run, compiled and ready, and what comes (STP 3.2.2, 3.2.3).

mod advising;
mod hosts;
mod keeping;
mod managed;
mod seeks;
mod shelf;

use core::fmt;
use core::time::Duration;
use std::sync::{Arc, OnceLock, PoisonError};

use thiserror::Error;
use tng_base::{CodeHash, Eid};
use tng_crypto::code_hash;
use tng_services::code::{Code, Declined};
use tng_stack::structured::Role;
use tng_stack::{Asked, Negotiation, Settled};
use tng_stp_abi::{Kind, SocketKind};
use tng_stp_host::Quotas;
use tng_stp_manager::{
    Arrived, InstallError, Level, Manager, Origin, Outcome, Policy, Question, SignedManifest, StoreError, Verdict,
};
use tng_stp_process::{Nursery, Processes, StartError};
use tng_stp_sandbox::{CompiledKey, Engine, Module, ModuleError};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::code::{CodeError, push_code};
use crate::connection::Connection;
use crate::endpoint::{time_of_day, unix};
use crate::error::ConnectionError;
use crate::repertoire::{Confinement, Repertoire, TransportPolicy};
use hosts::Hosts;
use keeping::{keep_up, prepare_each};
use managed::Managed;

pub use hosts::{Directory, FindingHost, HostError, HostsError, PEER_SENDS_WITHIN, WISHES_WAITING_MAX};
pub use managed::{ASKED_REMEMBERED, PORTS_REMEMBERED};
pub use seeks::{SOUGHT_AGAIN_AFTER, SOUGHT_MAX, SOUGHT_OF_PEER_MAX};

/// What an application runs of the code that a policy manager has. Cheap to clone.
///
/// Code that nobody vouches for is compiled and run in processes of its own, if there is what starts them, and not at
/// all otherwise.
///
/// Code is compiled on threads of its own, one module at a time, and can be negotiated when that is done. Made on a
/// tokio runtime, it writes down what was used and what went wrong, and heeds what other programs do to the store, each
/// [`KEEPS_UP_EVERY`]: transports that come so, or that another policy lets run, are compiled one after the other, and
/// can be negotiated then.
#[derive(Clone)]
pub struct Supply(Arc<Inner>);

struct Inner {
    engine: Engine,
    key: CompiledKey,
    judge: Managed,
    repertoire: Arc<Repertoire>,
    processes: Option<Processes>,
    /// Held while something is compiled.
    compiling: Mutex<()>,
    /// The way to hosts that serve code, if there is one.
    hosts: OnceLock<Hosts>,
    /// Asked now and then whether there is another policy.
    policy: std::sync::Mutex<Option<PolicyChanges>>,
}

/// Answers a policy if it has changed.
type PolicyChanges = Box<dyn FnMut() -> Option<Policy> + Send>;

/// An application, as rules of the policy see it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Application {
    /// What it calls itself.
    pub name: String,
    /// It runs nothing that this user has not put here.
    pub no_foreign: bool,
}

/// Why code cannot run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// Environment: it cannot be had from the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Guest: it is none that the engine takes.
    #[error("the code is not taken: {0}")]
    Module(#[from] ModuleError),
    /// Caller: a controller carries nothing; it regulates what others send.
    #[error("it is a controller, and carries nothing; use it with -C guest-NAME")]
    Controller,
    /// Caller: it carries messages, and what hosts agree on carries a stream.
    #[error("it carries messages, where a stream is needed; choose a guest of kind stream")]
    Messages,
    /// Policy: it is not to run for this.
    #[error("it does not run, by {:?} of the policy{}", &*.0.rule, reason(.0))]
    Refused(Verdict),
    /// Policy, or peer: it is not installed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// Guest, or environment: there is no process for it.
    #[error("nobody vouches for the code, and it has no process of its own: {0}")]
    Process(#[from] StartError),
    /// Caller: nobody vouches for it, and this program starts no processes for guests.
    #[error(
        "nobody vouches for the code, and this program runs such code nowhere; pin it, or give the supply `Processes`"
    )]
    NoProcesses,
    /// Environment: the runtime is ending.
    #[error("the program is ending")]
    Ending,
}

fn reason(verdict: &Verdict) -> String {
    verdict.refused().map(|reason| format!(": {reason}")).unwrap_or_default()
}

impl fmt::Debug for Supply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supply").field("judge", &self.0.judge).field("repertoire", &self.0.repertoire).finish()
    }
}

impl Supply {
    /// What `manager` has for an application. What nobody vouches for runs in one of `processes`.
    pub fn new(
        manager: Arc<Manager>,
        engine: Engine,
        application: Application,
        processes: Option<Processes>,
    ) -> Supply {
        let key = CompiledKey::derive(manager.store().key());
        let judge = Managed::new(manager, application);
        let repertoire = Arc::new(Repertoire::new(judge.clone()));
        let (compiling, hosts, policy) = (Mutex::new(()), OnceLock::new(), std::sync::Mutex::default());
        let supply = Supply(Arc::new(Inner { engine, key, judge, repertoire, processes, compiling, hosts, policy }));
        if let Ok(runtime) = Handle::try_current() {
            let first = supply.0.runnable();
            runtime.spawn(keep_up(Arc::downgrade(&supply.0), first));
        }
        supply
    }

    /// Rules that name ports go by this one where this host accepts. The first one that is said stays.
    pub fn note_port(&self, port: u16) {
        self.0.judge.note_own_port(port);
    }

    /// They go by this one where this host opens a connection to that one.
    pub fn note_host_port(&self, host: Eid, port: u16) {
        self.0.judge.note_host_port(host, port);
    }

    /// Goes by what `changed` answers from then on. It is asked each [`KEEPS_UP_EVERY`], on a thread that may read
    /// files.
    pub fn follow_policy(&self, changed: impl FnMut() -> Option<Policy> + Send + 'static) {
        *self.0.policy.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(changed));
    }

    /// What an endpoint negotiates by: [`Builder::repertoire`](crate::Builder::repertoire).
    pub fn repertoire(&self) -> Arc<Repertoire> {
        Arc::clone(&self.0.repertoire)
    }

    /// The policy manager.
    pub fn manager(&self) -> &Arc<Manager> {
        &self.0.judge.manager
    }

    /// What the policy makes of code for a connection.
    pub fn decide(&self, peer: Option<Eid>, service: &str, hash: &CodeHash) -> Verdict {
        let judge = &self.0.judge;
        judge.manager.decide(&judge.question(peer, service), hash, now_unix_s())
    }

    /// What the policy would have offered to a peer, the best first.
    pub fn offer(&self, peer: Eid, service: &str) -> Vec<CodeHash> {
        let judge = &self.0.judge;
        judge.manager.offer(&judge.question_of(Role::Initiator, peer, service), now_unix_s())
    }

    /// Which of these can be offered to a peer now, in this order: what the policy lets run with it, and what is ready.
    /// The others are told to `left_out`.
    pub fn offerable(
        &self,
        (peer, service): (Eid, &str),
        codes: &[CodeHash],
        mut left_out: impl FnMut(CodeHash, NotOffered),
    ) -> Vec<CodeHash> {
        let judge = &self.0.judge;
        let question = judge.question_of(Role::Initiator, peer, service);
        let may = |hash: &CodeHash| {
            let verdict = judge.manager.decide(&question, hash, now_unix_s());
            match verdict.outcome {
                Outcome::Run(_) if self.0.repertoire.runs(hash, judge.place(hash)) => Ok(()),
                Outcome::Run(_) => Err(NotOffered::NotReady),
                Outcome::Fetch | Outcome::Refuse(_) => Err(NotOffered::Refused(verdict)),
            }
        };
        codes.iter().filter(|hash| may(hash).map_err(|why| left_out(**hash, why)).is_ok()).copied().collect()
    }

    /// Has code that is here ready to run: what was compiled before is taken as it was kept.
    ///
    /// # Errors
    /// See [`PrepareError`].
    pub async fn prepare(&self, hash: CodeHash) -> Result<(), PrepareError> {
        if self.0.repertoire.has(&hash, self.0.judge.place(&hash)) {
            return Ok(());
        }
        let _compiling = self.0.compiling.lock().await;
        let inner = Arc::clone(&self.0);
        spawn_blocking(move || inner.load(hash)).await.map_err(|_| PrepareError::Ending)?
    }

    /// Code that downloads from `server`, which keeps nothing of it ([`Builder::stateless_guest`]), and what it may use
    /// there as the policy says; `service` is what rules call what it asks for. Nothing if the policy does not let it
    /// run.
    ///
    /// [`Builder::stateless_guest`]: crate::Builder::stateless_guest
    ///
    /// # Errors
    /// See [`PrepareError`].
    pub async fn receiver(
        &self,
        server: Eid,
        service: &str,
        code: CodeHash,
    ) -> Result<Option<(tng_stp_host::Code, Quotas)>, PrepareError> {
        self.prepare(code).await?;
        let asked = Asked { code, role: Role::Initiator, peer: server, service, connections: 0, memory: u64::MAX };
        let mut quotas = Quotas::default();
        let terms = self.0.judge.limits(&asked, &mut quotas);
        let code = terms.and_then(|terms| self.0.repertoire.get(&code, terms.place));
        Ok(code.map(|code| (code, quotas)))
    }

    /// Has ready what somebody vouches for and was compiled before, so that it can be run in place of what is offered.
    /// What was not, as what comes with the program, is compiled meanwhile, one after the other, and counts from then
    /// on.
    pub async fn prepare_vouched(&self) {
        let all = self.manager().look(|_, known| known.transports()).into_iter();
        let vouched: Vec<CodeHash> = all.filter(|hash| self.manager().level(hash) != Level::Any).collect();
        let inner = Arc::clone(&self.0);
        let rest = {
            let _compiling = self.0.compiling.lock().await;
            spawn_blocking(move || -> Vec<CodeHash> {
                vouched.into_iter().filter(|hash| !inner.load_kept(*hash)).collect()
            })
            .await
        };
        tokio::spawn(prepare_each(Arc::downgrade(&self.0), rest.unwrap_or_default()));
    }

    /// Has everything ready that may run for anybody. What cannot is told by `failed`.
    pub async fn prepare_all(&self, mut failed: impl FnMut(CodeHash, PrepareError)) {
        for hash in self.manager().look(|_, known| known.transports()) {
            if let Err(error) = self.prepare(hash).await {
                failed(hash, error);
            }
        }
    }

    /// Installs code that has come for connections with `peer` to `service`, and has it ready to run.
    ///
    /// # Errors
    /// See [`PrepareError`]. Nothing of it is kept if it is not installed.
    pub async fn install(
        &self,
        asked: CodeHash,
        code: Shipped,
        (peer, service): (Eid, &str),
    ) -> Result<Verdict, PrepareError> {
        let _compiling = self.0.compiling.lock().await;
        let (inner, service) = (Arc::clone(&self.0), service.to_owned());
        let installing = move || inner.install(asked, &code, &inner.judge.question(Some(peer), &service));
        spawn_blocking(installing).await.map_err(|_| PrepareError::Ending)?
    }
}

/// Why code is not offered.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum NotOffered {
    /// Policy: this host's own does not let it run with that peer.
    #[error("this host's own policy does not let it run there, by {:?}{}", &*.0.rule, reason(.0))]
    Refused(Verdict),
    /// Environment: it is not compiled yet, or no process is ready for it. It counts from a later connection on.
    #[error("it is not ready yet, or no process is ready for it; connect again")]
    NotReady,
}

/// What a negotiation has left to do, and what came of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum FollowedUp {
    /// Nothing.
    Nothing,
    /// The peer asked for code, and has it now.
    Sent(CodeHash),
    /// The peer would rather have run code that was missing here, and now it is here.
    Came(CodeHash, Verdict),
    /// The peer would rather have run code that was here and not ready, and now it is.
    Ready(CodeHash),
    /// The peer would rather have run code that may not run here.
    Unwanted(CodeHash, Verdict),
}

/// Why what a negotiation has left to do came to nothing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FollowUpError {
    /// The connection is over.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The code did not go, or did not come.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// It is not here any more, or cannot run.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// Nor did it come from the hosts that the policy names.
    #[error(transparent)]
    Hosts(#[from] HostsError),
}

impl Supply {
    /// Does what a negotiation has left to do, by the connection that carries what was wanted meanwhile: sends the code
    /// that the peer has asked for, or fetches what the peer would rather have run, from the peer or from a
    /// [host](Supply::ask_hosts) that the policy names. It counts from the next connection on.
    ///
    /// # Errors
    /// See [`FollowUpError`].
    pub async fn follow_up(&self, connection: &Connection) -> Result<FollowedUp, FollowUpError> {
        let Some(Negotiation { offer, settled }) = connection.negotiation().await? else {
            return Ok(FollowedUp::Nothing);
        };
        match settled {
            Settled::SendMe(hash) => {
                let manager = Arc::clone(self.manager());
                let read = spawn_blocking(move || (manager.module(&hash), manager.manifest(&hash)));
                let (module, manifest) = read.await.map_err(|_| PrepareError::Ending)?;
                let module = module.map_err(PrepareError::from)?;
                match push_code(connection, module.into(), manifest.unwrap_or_default()).await {
                    // Another connection was faster.
                    Ok(()) | Err(CodeError::Declined(Declined::AlreadyHere)) => Ok(FollowedUp::Sent(hash)),
                    Err(error) => Err(error.into()),
                }
            }
            // It is the other end that has declined it; or no process was ready.
            Settled::Declined(hash) if self.0.repertoire.has(&hash, self.0.judge.place(&hash)) => {
                Ok(FollowedUp::Nothing)
            }
            Settled::Declined(hash) => {
                let verdict = self.decide(Some(connection.peer()), &offer.service, &hash);
                match verdict.outcome {
                    Outcome::Refuse(_) => Ok(FollowedUp::Unwanted(hash, verdict)),
                    Outcome::Run(_) => {
                        self.prepare(hash).await?;
                        Ok(FollowedUp::Ready(hash))
                    }
                    Outcome::Fetch => {
                        Ok(FollowedUp::Came(hash, self.fetch_wanted(connection, hash, &offer.service).await?))
                    }
                }
            }
            Settled::Runs(_) | Settled::No | Settled::Asked(_) => Ok(FollowedUp::Nothing),
        }
    }
}

/// How often what other programs have done to the store is read, and the policy.
pub const KEEPS_UP_EVERY: Duration = Duration::from_secs(1);
/// How often what was used and what went wrong is written down.
pub const WRITES_DOWN_EVERY: Duration = Duration::from_secs(5);

impl Drop for Inner {
    fn drop(&mut self) {
        // The last word on what was used and what went wrong; without room for it that is lost.
        let _ = self.judge.manager.save();
    }
}

/// Code that has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shipped {
    /// The module.
    pub bytes: Vec<u8>,
    /// What is said of it.
    pub manifest: Option<Vec<u8>>,
    /// Where it came from.
    pub origin: Origin,
}

impl Shipped {
    /// What a peer or a host has sent.
    fn of(code: Code, origin: Origin) -> Shipped {
        let manifest = Some(code.manifest).filter(|manifest| !manifest.is_empty());
        Shipped { bytes: code.module, manifest, origin }
    }
}

impl Inner {
    /// Reads a module, compiles it unless that was done before, and adds it.
    fn load(&self, hash: CodeHash) -> Result<(), PrepareError> {
        let place = self.judge.place(&hash);
        if self.repertoire.has(&hash, place) {
            return Ok(());
        }
        match place {
            Confinement::Apart => self.add_nursery(hash, &self.nursery(&self.judge.manager.module(&hash)?)?),
            Confinement::Here => self.add(hash, &self.compiled(hash)?),
        }
    }

    /// Adds a module for which somebody vouches, if it is there or was compiled before. Answers whether it was.
    fn load_kept(&self, hash: CodeHash) -> bool {
        self.repertoire.has(&hash, Confinement::Here)
            || self.kept(hash).is_some_and(|module| self.add(hash, &module).is_ok())
    }

    /// A module for which somebody vouches, compiled.
    fn compiled(&self, hash: CodeHash) -> Result<Module, PrepareError> {
        match self.kept(hash) {
            Some(module) => Ok(module),
            None => {
                let module = Module::new(&self.engine, &self.judge.manager.module(&hash)?)?;
                self.keep(hash, &module);
                Ok(module)
            }
        }
    }

    /// What it was compiled into before. What was kept of another engine, or damaged, is of no use; nothing is lost
    /// with it.
    fn kept(&self, hash: CodeHash) -> Option<Module> {
        let kept = self.judge.manager.store().compiled(&hash, &self.engine.tag()).ok().flatten()?;
        Module::of_compiled(&self.engine, &self.key, &hash, &kept).ok()
    }

    fn install(&self, asked: CodeHash, code: &Shipped, question: &Question<'_>) -> Result<Verdict, PrepareError> {
        let Shipped { bytes, manifest, origin } = code;
        let (manager, manifest) = (&self.judge.manager, manifest.as_deref());
        let found = code_hash(bytes);
        if found != asked {
            return Err(InstallError::WrongHash { found }.into());
        }
        let arrived = |kind| match kind {
            Kind::Controller => Err(PrepareError::Controller),
            kind => Ok(Arrived { bytes, kind, manifest, origin }),
        };
        // The policy is asked before anything is compiled, of what the code is said to be.
        let said = manifest.and_then(|bytes| SignedManifest::read(bytes).ok());
        let kind = said.map_or(Kind::Transport, |signed| signed.manifest.kind);
        manager.foresee(asked, &Arrived { bytes, kind, manifest, origin }, question, now_unix_s())?;
        // What nobody vouches for is not even compiled in this process.
        if manager.level_of(&asked, manifest) == Level::Any {
            let nursery = self.nursery(bytes)?;
            let verdict = manager.install(&asked, &arrived(nursery.kind())?, question, now_unix_s())?;
            self.add_nursery(asked, &nursery)?;
            return Ok(verdict);
        }
        let module = Module::new(&self.engine, bytes)?;
        let verdict = manager.install(&asked, &arrived(module.kind())?, question, now_unix_s())?;
        self.keep(asked, &module);
        self.add(asked, &module)?;
        Ok(verdict)
    }

    /// Keeps what a module was compiled into. That it cannot be kept costs compiling it again.
    fn keep(&self, hash: CodeHash, module: &Module) {
        if let Ok(compiled) = module.compiled(&self.key, &hash) {
            let _ = self.judge.manager.store().keep_compiled(&hash, &self.engine.tag(), &compiled);
        }
    }

    /// What was collected or removed is held no longer than a connection runs it: it was compiled, and is larger than
    /// its module.
    fn forget_what_is_gone(&self) {
        self.repertoire.retain(|hash| self.judge.manager.look(|_, known| known.is_here(hash)));
    }

    fn name(&self, hash: &CodeHash) -> String {
        let name = self.judge.manager.look(|_, known| known.name(hash).map(str::to_owned));
        name.unwrap_or_else(|| hash.short())
    }

    fn add(&self, hash: CodeHash, module: &Module) -> Result<(), PrepareError> {
        self.repertoire.add(hash, of_stream(module.code(&self.name(&hash)))?);
        Ok(())
    }

    /// Processes for a module; the first says what it is.
    fn nursery(&self, module: &[u8]) -> Result<Nursery, PrepareError> {
        let processes = self.processes.as_ref().ok_or(PrepareError::NoProcesses)?;
        Ok(processes.load(module, *self.engine.quotas())?)
    }

    fn add_nursery(&self, hash: CodeHash, nursery: &Nursery) -> Result<(), PrepareError> {
        self.repertoire.add_apart(hash, of_stream(nursery.code(&self.name(&hash)))?);
        Ok(())
    }
}

/// Code that carries a stream.
fn of_stream(code: Option<tng_stp_host::Code>) -> Result<tng_stp_host::Code, PrepareError> {
    match code {
        Some(code) if code.socket() == SocketKind::Stream => Ok(code),
        Some(_) => Err(PrepareError::Messages),
        None => Err(PrepareError::Controller),
    }
}

fn now_unix_s() -> u64 {
    unix(time_of_day()).as_secs()
}
