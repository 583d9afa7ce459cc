//! The process of `tng trickles spray`.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use super::engine::{Engine, Figures, SprayConfig};
use super::{SPRAYER, status};
use crate::daemon::control::Control;
use crate::daemon::lines::{Lines, LogPlace};
use crate::daemon::log::Log;
use crate::daemon::process::{self, Signals, starting};
use crate::daemon::sandbox::{self, Allowed, Sandboxed};
use crate::daemon::{Daemon, Kind, Life, metrics};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::Talk;
use crate::trickles::journal::Journal;

/// What a sprayer is told of its process.
#[derive(Clone, Debug)]
pub struct ProcessConfig {
    /// The socket by which it is asked.
    pub control: Option<PathBuf>,
    /// Where Prometheus asks.
    pub http: Option<SocketAddr>,
    /// A line for each client that begins, and that ends.
    pub access_log: Option<LogPlace>,
    /// Whether it gives up what it does not need.
    pub sandbox: bool,
}

/// A sprayer that runs.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it does.
    pub config: SprayConfig,
    /// What it has done.
    pub figures: Arc<Figures>,
    is_running: Arc<AtomicBool>,
    access_log: Option<LogPlace>,
    log: Log,
    life: Life,
}

impl Daemon for Running {
    const KIND: Kind = SPRAYER;

    fn life(&self) -> &Life {
        &self.life
    }

    fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Relaxed)
    }

    fn status(&self) -> Value {
        status::of(self)
    }

    fn told(&self) -> Value {
        json!([])
    }

    /// Opens the access log anew: that is all that it reads or writes.
    fn reload(&self) -> Result<(), Failure> {
        let opened = Lines::open(self.access_log.as_ref()).map(|lines| self.log.set_place(lines));
        self.life.note(opened)
    }

    fn measure(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
        status::measure(self, to)
    }
}

/// An engine on a thread of its own.
struct Threaded {
    address: SocketAddr,
    is_running: Arc<AtomicBool>,
    /// It ends with this.
    _until: oneshot::Sender<()>,
}

/// Notes that the thread has ended, however it did.
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Threaded {
    fn begin(config: SprayConfig, figures: Arc<Figures>, journal: Option<Journal>, talk: Talk) -> io::Result<Threaded> {
        let ((tell, told), (until, end)) = (mpsc::sync_channel(1), oneshot::channel());
        let is_running = Arc::new(AtomicBool::new(true));
        let ends = Ends(Arc::clone(&is_running));
        let work = move || {
            let _ends = ends;
            let bound = tokio::runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
                let inside = runtime.enter();
                let engine = Engine::bind(config, figures, journal, talk)?;
                let address = engine.local_addr()?;
                drop(inside);
                Ok((runtime, engine, address))
            });
            match bound {
                Ok((runtime, engine, address)) => {
                    let _ = tell.send(Ok(address));
                    LocalSet::new().block_on(&runtime, async {
                        tokio::select! {
                            ended = engine.run() => if let Err(error) = ended {
                                tracing::warn!("the sprayer's socket fails: {error}");
                            },
                            _ = end => {}
                        }
                    });
                }
                Err(error) => _ = tell.send(Err(error)),
            }
        };
        std::thread::Builder::new().name("spray".to_owned()).spawn(work)?;
        let address = told.recv().map_err(io::Error::other)??;
        Ok(Threaded { address, is_running, _until: until })
    }
}

/// What the command says of a sprayer.
#[derive(Clone, Copy)]
pub struct Shows {
    /// Where it listens, and what programs want to know of that.
    pub announce: fn(&Running, Value, Talk),
    /// What was done.
    pub tell: fn(&Running, Talk),
}

/// Sprays until a signal ends it, which is its usual end. To be called while the process has one thread.
///
/// # Errors
/// If there is no way to listen.
pub fn run(config: SprayConfig, process: ProcessConfig, talk: Talk, shows: Shows) -> Result<(), Failure> {
    let ProcessConfig { control, http, access_log, sandbox } = process;
    let http = http.map(|address| metrics::listen(address, "--http")).transpose()?;
    let control = control.as_deref().map(|path| Control::bind(SPRAYER, path).map(|it| (it, path))).transpose()?;
    let lines = Lines::open(access_log.as_ref())?;
    let log = match &access_log {
        Some(LogPlace::File(path)) => vec![sandbox::folder_of(path)],
        Some(LogPlace::Stdout) | None => Vec::new(),
    };
    let write = control.iter().map(|(_, path)| sandbox::folder_of(path)).collect();
    let sandboxed = sandbox.then(|| sandbox::enter(&Allowed { read: Vec::new(), write, log, connects: false }));
    let runtime = process::runtime(process::ASKERS_THREADS)?;
    let ended = runtime.block_on(async {
        let mut signals = Signals::heed(true).map_err(|error| starting(&error))?;
        let log = Log::begin(lines).map_err(|error| starting(&error))?;
        let journal = access_log.as_ref().map(|_| Journal::new(log.clone()));
        let figures = Arc::new(Figures::new(config.to.len()));
        let listen = config.listen;
        let threaded = Threaded::begin(config.clone(), Arc::clone(&figures), journal, talk).map_err(|error| {
            Failure::new(Exit::Connect, format!("listening on {listen}"), crate::failure::reason(&error))
                .or_try("another --listen address, or end the program that holds it")
        })?;
        let running = Arc::new(Running {
            address: threaded.address,
            config,
            figures,
            is_running: Arc::clone(&threaded.is_running),
            access_log,
            log,
            life: Life::begin(),
        });
        process::answer(&running, control.as_ref().map(|(control, _)| control), http, talk)?;
        if let Some(sandboxed) = &sandboxed {
            sandboxed.say(talk);
        }
        let more = json!({
            "sandbox": sandboxed.as_ref().map(Sandboxed::to_json),
            "control": control.as_ref().map(|(_, path)| path),
        });
        (shows.announce)(&running, more, talk);
        process::ready();
        let ended = process::attend(&*running, &mut signals, talk, std::future::pending()).await;
        drop(threaded);
        talk.say("stopped");
        (shows.tell)(&running, talk);
        ended
    });
    runtime.shutdown_background();
    ended
}
