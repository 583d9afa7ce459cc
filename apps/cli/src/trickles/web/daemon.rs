//! The process of `tng trickles gateway`, and of `tng trickles proxy`.

use std::fmt;
use std::net::{SocketAddr, TcpListener as StdTcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};
use tng::Identity;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::config::{Outlet, WebConfig, read};
use super::source::may_pass;
use super::{Account, Doors, Figures, Fixed, GATEWAY, Named, Names, Role, Source, pour, run as take, status};
use crate::daemon::control::Control;
use crate::daemon::lines::{Lines, LogPlace};
use crate::daemon::log::Log;
use crate::daemon::process::{self, Signals, starting};
use crate::daemon::sandbox::{self, Allowed, Sandboxed};
use crate::daemon::told::{self, Places};
use crate::daemon::{Daemon, Kind, Life, locked, metrics};
use crate::failure::Failure;
use crate::host::Drive;
use crate::key::folder_of_configuration;
use crate::location::{HostAddress, Location};
use crate::talk::Talk;
use crate::trickles::journal::Journal;

/// Where the system keeps what it finds names by.
const NAMES: [&str; 4] = ["/etc", "/run/systemd/resolve", "/lib", "/usr/lib"];

/// A gateway that runs.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where it gives away one file each.
    pub outlets: Vec<Outlet>,
    /// Its doors.
    pub doors: Arc<Doors>,
    pub(super) log: Log,
    /// Where its configuration is, if it has one.
    file: Option<(PathBuf, Places)>,
    config: Mutex<WebConfig>,
    identity: Identity,
    tasks: Vec<JoinHandle<()>>,
    talk: Talk,
    life: Life,
}

impl Daemon for Running {
    const KIND: Kind = GATEWAY;

    fn life(&self) -> &Life {
        &self.life
    }

    fn is_running(&self) -> bool {
        !self.tasks.iter().any(JoinHandle::is_finished)
    }

    fn status(&self) -> Value {
        status::of(self)
    }

    fn told(&self) -> Value {
        told::dump(&locked(&self.config).told)
    }

    /// Reads the tickets again as well, and opens the access log anew. Who is being answered is answered by the servers
    /// that were.
    fn reload(&self) -> Result<(), Failure> {
        let mut config = locked(&self.config);
        let check = |next: &WebConfig| config.check_reload(next);
        let again = |(path, places): &(PathBuf, Places)| told::read_again((path, places), read, check);
        let next = self.file.as_ref().map(again).transpose();
        let reloaded = next.and_then(|next| {
            let lines = Lines::reopen(config.access_log.as_ref(), config.sandbox)?;
            self.log.set_place(lines);
            if let Some(next) = next {
                let (before, figures) = (self.doors.names(), &self.doors.account().figures);
                let sources = sources(&next, Some(&before), &self.identity, figures, self.talk);
                self.doors.set_names(Names::new(next.role, sources));
                *config = next;
            }
            Ok(())
        });
        self.life.note(reloaded)
    }

    fn measure(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
        status::measure(self, to)
    }
}

impl Running {
    /// Its configuration, as it was named.
    pub(super) fn config_path(&self) -> Option<String> {
        self.file.as_ref().map(|(path, _)| path.display().to_string())
    }
}

/// The servers of a configuration; those that were asked in the same way before are the same, with their connections.
fn sources(
    config: &WebConfig,
    before: Option<&Names>,
    identity: &Identity,
    figures: &Arc<Figures>,
    talk: Talk,
) -> Vec<Named<Arc<Source>>> {
    let of = |host: &Location| {
        let known = before.and_then(|names| names.pairs().find(|(_, source)| source.is(host, &config.settings)));
        let fresh = || {
            let (host, settings, figures) = (host.clone(), config.settings.clone(), Arc::clone(figures));
            Arc::new(Source::new(host, identity.duplicate(), settings, figures, talk))
        };
        known.map_or_else(fresh, |(_, source)| Arc::clone(source))
    };
    config.targets.iter().map(|named| Named { name: named.name.clone(), of: of(&named.of) }).collect()
}

/// What it needs of the system, had before it gives up the rest.
struct Prepared {
    config: WebConfig,
    file: Option<(PathBuf, Places)>,
    identity: Identity,
    listener: StdTcpListener,
    outlets: Vec<StdTcpListener>,
    http: Option<StdTcpListener>,
    control: Option<Control>,
    lines: Lines,
}

fn bind(at: SocketAddr, key: &str) -> Result<StdTcpListener, Failure> {
    let bound = StdTcpListener::bind(at);
    let bound = bound.and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    bound.map_err(|error| Failure::port(format!("listening on TCP {at}"), key, &error))
}

impl Prepared {
    fn new(config: WebConfig, file: Option<(PathBuf, Places)>) -> Result<Prepared, Failure> {
        let identity = config.key.load_or_create()?;
        let listener = bind(config.listen, "--listen address")?;
        let outlets = config.outlets.iter().map(|outlet| bind(outlet.at, "--tcp address"));
        let outlets = outlets.collect::<Result<Vec<_>, Failure>>()?;
        let http = config.http.map(|address| metrics::listen(address, "--http")).transpose()?;
        let control = config.control.as_deref().map(|path| Control::bind(GATEWAY, path)).transpose()?;
        let lines = Lines::open(config.access_log.as_ref())?;
        Ok(Prepared { config, file, identity, listener, outlets, http, control, lines })
    }

    /// What it still needs of files, and whether it connects to anybody.
    fn allowed(&self) -> Allowed {
        let WebConfig { targets, settings, control, access_log, tickets, .. } = &self.config;
        let is_name = |place: &HostAddress| matches!(place, HostAddress::Name(..));
        let looks_up = settings.plain.is_some() || targets.iter().any(|named| named.of.places.iter().any(is_name));
        let mut read: Vec<PathBuf> = vec!["/etc/machine-id".into()];
        read.extend(self.file.as_ref().map(|(path, _)| sandbox::folder_of(path)));
        read.extend(tickets.iter().map(|path| sandbox::folder_of(path)));
        read.extend(folder_of_configuration());
        // A reload may bring names where there were addresses.
        if looks_up || self.file.is_some() {
            read.extend(NAMES.map(PathBuf::from));
        }
        let log = match access_log {
            Some(LogPlace::File(path)) => vec![sandbox::folder_of(path)],
            Some(LogPlace::Stdout) | None => Vec::new(),
        };
        let write = control.iter().map(|path| sandbox::folder_of(path)).collect();
        Allowed { read, write, log, connects: looks_up || self.file.is_some() }
    }
}

/// What the command says of it.
#[derive(Clone, Copy)]
pub struct Shows {
    /// Where it listens, and what programs want to know of that.
    pub announce: fn(&Running, Role, Value, Talk),
    /// What was done.
    pub tell: fn(&Running, Role, Talk),
}

/// Serves programs until a signal ends it, which is its usual end. To be called while the process has one thread.
///
/// # Errors
/// If an address is not to be had, or there are no servers.
pub fn run(
    config: WebConfig,
    file: Option<(PathBuf, Places)>,
    drive: Drive,
    talk: Talk,
    shows: Shows,
) -> Result<(), Failure> {
    drive.set();
    let file = file.map(|(path, places)| (std::path::absolute(&path).unwrap_or(path), places));
    let prepared = Prepared::new(config, file)?;
    let sandboxed = prepared.config.sandbox.then(|| sandbox::enter(&prepared.allowed()));
    // It is these threads that pass files on.
    let threads = std::thread::available_parallelism().map_or(1, core::num::NonZero::get);
    let runtime = process::runtime(threads)?;
    let ended = runtime.block_on(serve(prepared, sandboxed, talk, shows));
    runtime.shutdown_background();
    ended
}

async fn serve(prepared: Prepared, sandboxed: Option<Sandboxed>, talk: Talk, shows: Shows) -> Result<(), Failure> {
    let Prepared { config, file, identity, listener, outlets, http, control, lines } = prepared;
    let mut signals = Signals::heed(file.is_some()).map_err(|error| starting(&error))?;
    let log = Log::begin(lines).map_err(|error| starting(&error))?;
    let journal = config.access_log.as_ref().map(|_| Journal::new(log.clone()));
    let figures = Arc::new(Figures::default());
    let sources = sources(&config, None, &identity, &figures, talk);
    let of_tokio = |listener| TcpListener::from_std(listener).map_err(|error| starting(&error));
    let address = listener.local_addr().map_err(|error| starting(&error))?;
    let listener = of_tokio(listener)?;
    let (mut open, mut fixed) = (Vec::new(), Vec::new());
    for (listener, Outlet { path, .. }) in outlets.into_iter().zip(&config.outlets) {
        let at = listener.local_addr().map_err(|error| starting(&error))?;
        open.push(Outlet { at, path: path.clone() });
        fixed.push(Fixed { listener: of_tokio(listener)?, path: path.clone() });
    }
    let preparing = async {
        for Named { of, .. } in &sources {
            match of.prepare().await {
                // It may be there later: who asks until then is told that nobody answers.
                Err(failure) if file.is_some() && may_pass(&failure) => talk.warn(failure),
                prepared => prepared?,
            }
        }
        Ok::<(), Failure>(())
    };
    tokio::select! {
        prepared = preparing => prepared?,
        () = signals.end() => {
            talk.say("stopped");
            return Ok(());
        }
    }
    let role = config.role;
    let doors = Doors::new(Names::new(role, sources), Account { figures, journal });
    let mut tasks = vec![tokio::spawn(take(Arc::clone(&doors), listener))];
    tasks.extend(fixed.into_iter().map(|fixed| tokio::spawn(pour(Arc::clone(&doors), fixed))));
    let running = Arc::new(Running {
        address,
        outlets: open,
        doors,
        log,
        file,
        config: Mutex::new(config),
        identity,
        tasks,
        talk,
        life: Life::begin(),
    });
    process::answer(&running, control.as_ref(), http, talk)?;
    if let Some(sandboxed) = &sandboxed {
        sandboxed.say(talk);
    }
    let more = json!({
        "sandbox": sandboxed.as_ref().map(Sandboxed::to_json),
        "control": locked(&running.config).control,
    });
    (shows.announce)(&running, role, more, talk);
    process::ready();
    let ended = process::attend(&*running, &mut signals, talk, std::future::pending()).await;
    talk.say("stopped");
    (shows.tell)(&running, role, talk);
    ended
}
