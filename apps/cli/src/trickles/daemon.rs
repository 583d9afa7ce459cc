//! The process of `tng trickles serve`: from its files to its end.

use std::fmt;
use std::net::TcpListener as StdTcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};
use tng::trickles::{ServerConfig, Site};
use tng::{Access, Endpoint, StatelessService};

use super::config::{ServeConfig, read};
use super::journal::Journal;
use super::keys::{Edition, FleetKeys};
use super::left::{Left, Spent, Whose};
use super::membership::{CONNECTIONS_MAX, Membership};
use super::{Files, Following, Keeper, TRICKLES, status};
use crate::daemon::control::Control;
use crate::daemon::lines::{Lines, LogPlace};
use crate::daemon::log::Log;
use crate::daemon::process::{self, Signals, starting};
use crate::daemon::sandbox::{self, Allowed, Sandboxed};
use crate::daemon::told::{self, Places};
use crate::daemon::{Daemon, Kind, Life, locked, metrics};
use crate::failure::Failure;
use crate::files::{Own, Root};
use crate::host::{Door, Drive, farewell};
use crate::key::folder_of_configuration;
use crate::talk::{Talk, shown};

/// How often what there was to do is said, if somebody wants to know it.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// A server that runs.
pub struct Running {
    /// Its endpoint.
    pub endpoint: Endpoint,
    /// How it goes by its keys.
    pub following: Arc<Following>,
    /// What it tells of itself that does not change.
    pub about: About,
    /// Where its configuration is, if it has one.
    file: Option<(PathBuf, Places)>,
    config: Mutex<ServeConfig>,
    pub(super) log: Log,
    talk: Talk,
    life: Life,
}

/// What a server tells of itself that does not change while it runs.
#[derive(Clone, Debug)]
pub struct About {
    /// Its configuration, as it was named.
    pub config: Option<String>,
    /// What it hands out.
    pub path: String,
    /// To whom, when it began.
    pub open_to: String,
    /// Where its keys are.
    pub keys: String,
    /// Where it is.
    pub site: u16,
    /// By how much clocks may differ.
    pub skew: Duration,
    /// Whether it leaves seals out.
    pub danger_plain: bool,
    /// Whether it knows what was spent before it began.
    pub taken_over: bool,
    /// Why not, if something was left for it.
    pub not_taken_over: Option<String>,
}

impl Daemon for Running {
    const KIND: Kind = TRICKLES;

    fn life(&self) -> &Life {
        &self.life
    }

    fn is_running(&self) -> bool {
        self.endpoint.is_running()
    }

    fn status(&self) -> Value {
        status::of(self)
    }

    fn told(&self) -> Value {
        told::dump(&locked(&self.config).told)
    }

    /// Reads the file of keys again as well, and opens the access log anew.
    fn reload(&self) -> Result<(), Failure> {
        let mut config = locked(&self.config);
        let check = |next: &ServeConfig| config.check_reload(next);
        let again = |(path, places): &(PathBuf, Places)| told::read_again((path, places), read, check);
        let next = self.file.as_ref().map(again).transpose();
        let reloaded = next.and_then(|next| {
            // Somebody has moved it away, perhaps.
            let lines = Lines::reopen(config.access_log.as_ref(), config.sandbox)?;
            let is_rotated = self.following.look()?;
            self.log.set_place(lines);
            if is_rotated {
                tell_followed(Ok(self.following.edition()), self.talk);
            }
            if let Some(next) = next {
                if !next.has_tickets() {
                    let DoorAccess(access) = DoorAccess::of(&next);
                    self.endpoint.set_access(access);
                }
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

/// Who is let in where nobody needs a ticket.
struct DoorAccess(Access);

impl DoorAccess {
    fn of(config: &ServeConfig) -> DoorAccess {
        DoorAccess(match config.door.public {
            true => Access::Public,
            false => Access::Listed(config.door.allow.iter().copied().collect()),
        })
    }
}

/// What it needs of the system, had before it gives up the rest.
struct Prepared {
    config: ServeConfig,
    file: Option<(PathBuf, Places)>,
    root: Root,
    member: Membership,
    fleet: FleetKeys,
    left: Option<(Arc<Left>, Whose)>,
    spent: Spent,
    http: Option<StdTcpListener>,
    control: Option<Control>,
    lines: Lines,
}

impl Prepared {
    fn new(config: ServeConfig, file: Option<(PathBuf, Places)>, talk: Talk) -> Result<Prepared, Failure> {
        let root = Root::new(&config.path)?;
        // The identity first: its folder is where the keys are made by default.
        let identity = config.door.key.load_or_create()?;
        let key = config.door.key.path()?;
        let left = config.state.as_deref().map(Left::open).transpose()?;
        let seen = left.as_ref().map(Left::seen).transpose()?.flatten();
        let member = Membership::of(config.keys.as_ref(), &key)?;
        let fleet = member.keys(seen, talk)?;
        let mut root = without_own(root, &config.path, &key)?;
        if let Some(path) = member.place().path() {
            root = without_own(root, &config.path, path)?;
        }
        let root = match &left {
            Some(left) => without_own(root, &config.path, &left.folder().join("spent"))?,
            None => root,
        };
        if let Some(Err(fault)) = root.only().map(|only| root.look(only)) {
            let what = format!("serving {}", shown(&config.path));
            return Err(Failure::usage(what, fault).or_try("another file, or another --key FILE or --keys FILE"));
        }
        let http = config.http.map(|address| metrics::listen(address, "http under [serve]")).transpose()?;
        let control = config.control.as_deref().map(|path| Control::bind(TRICKLES, path)).transpose()?;
        let lines = Lines::open(config.access_log.as_ref())?;
        // Last: what is taken is not found again.
        let (left, spent) = match left {
            Some(left) => {
                left.note(fleet.edition)?;
                let whose = Whose { eid: identity.eid(), fleet: fleet.edition.fleet };
                let spent = left.take(whose);
                (Some((Arc::new(left), whose)), spent)
            }
            None => (None, Spent::Nothing),
        };
        Ok(Prepared { config, file, root, member, fleet, left, spent, http, control, lines })
    }

    /// What it still needs of files.
    fn allowed(&self) -> Result<Allowed, Failure> {
        let served = self.root.path();
        let mut read = vec![served.clone(), sandbox::folder_of(&served), "/etc/machine-id".into()];
        if self.root.only().is_none() {
            read.remove(1);
        }
        read.extend(self.file.as_ref().map(|(path, _)| sandbox::folder_of(path)));
        read.extend(folder_of_configuration());
        let keys = self.member.place().path();
        let mut write = vec![sandbox::folder_of(&self.config.door.key.path()?)];
        write.extend(keys.map(sandbox::folder_of));
        write.extend(self.left.as_ref().map(|(left, _)| left.folder().to_owned()));
        write.extend(self.config.control.as_deref().map(sandbox::folder_of));
        let log = match &self.config.access_log {
            Some(LogPlace::File(path)) => vec![sandbox::folder_of(path)],
            Some(LogPlace::Stdout) | None => Vec::new(),
        };
        Ok(Allowed { read, write, log, connects: keys.is_none() })
    }

    fn server_config(&self) -> ServerConfig {
        let ServeConfig { site, skew, door, means, danger_plain, .. } = &self.config;
        let config = means.of(Keeper::Files, self.member.server_config(door.silent));
        ServerConfig { site: Site(*site), skew_max: *skew, danger_plain: *danger_plain, ..config }
    }
}

/// What is served without what is this host's own.
fn without_own(root: Root, path: &Path, file: &Path) -> Result<Root, Failure> {
    let own = Own::beside(file).map_err(|error| Failure::read(format!("serving {}", shown(path)), &error))?;
    Ok(root.without(own))
}

/// Serves until a signal ends it, which is its usual end. `announce` says how what is served is fetched; `tell` says in
/// the end what was done, and now and then to those who want to know it. To be called while the process has one thread.
///
/// # Errors
/// If there is nothing to serve, no keys, or no way to listen.
pub fn run(
    config: ServeConfig,
    file: Option<(PathBuf, Places)>,
    drive: Drive,
    talk: Talk,
    shows: Shows,
) -> Result<(), Failure> {
    Drive { threads: config.threads.unwrap_or(drive.threads), ..drive }.set();
    let file = file.map(|(path, places)| (std::path::absolute(&path).unwrap_or(path), places));
    let prepared = Prepared::new(config, file, talk)?;
    let sandboxed = match prepared.config.sandbox {
        true => Some(sandbox::enter(&prepared.allowed()?)),
        false => None,
    };
    let runtime = process::runtime(process::ASKERS_THREADS)?;
    let ended = runtime.block_on(serve(prepared, sandboxed, talk, shows));
    runtime.shutdown_background();
    ended
}

/// What the command says of a server.
#[derive(Clone, Copy)]
pub struct Shows {
    /// How what is served is fetched, and what programs want to know of that.
    pub announce: fn(&Door, &Root, Value, Talk),
    /// What was done.
    pub tell: fn(&Endpoint, Talk),
    /// What was done so far, for the log.
    pub note: fn(&Endpoint),
}

async fn serve(prepared: Prepared, sandboxed: Option<Sandboxed>, talk: Talk, shows: Shows) -> Result<(), Failure> {
    let server_config = prepared.server_config();
    let Prepared { config, file, root, member, fleet, left, spent, http, control, lines } = prepared;
    // As behind `tng serve`: who may read there may read here.
    let (name, keys) = (member.door("files", &root.path()), member.place().clone());
    let mut signals = Signals::heed(file.is_some() || config.keys.is_some()).map_err(|e| starting(&e))?;
    let (log, mut files) = (
        Log::begin(lines).map_err(|e| starting(&e))?,
        Files::new(root.clone(), config.means.own_bytes(Keeper::Files))?,
    );
    if config.access_log.is_some() {
        files = files.noted(Journal::new(log.clone()));
    }
    let (handed, mut not_taken_over) = match spent {
        Spent::Known(parts) => (parts, None),
        Spent::Nothing => (Vec::new(), None),
        Spent::Useless(failure) => {
            talk.warn(format_args!("{failure}; it is as after a crash"));
            (Vec::new(), Some(failure.why))
        }
    };
    let was_handed = !handed.is_empty();
    let service = StatelessService::new(fleet.secrets, move || files.another()).config(server_config);
    let service = service.taking_over(handed);
    let door = config.door.open_with(&name, &[], CONNECTIONS_MAX, |builder| builder.serve_stateless(service)).await?;
    let endpoint = door.endpoint.clone();
    if let Some(why) = endpoint.stateless_lost() {
        talk.warn(format_args!("what is spent is not taken over: {why}; it is as after a crash"));
        not_taken_over = Some(why.to_string());
    }
    let about = About {
        config: file.as_ref().map(|(path, _)| path.display().to_string()),
        path: root.path().to_string_lossy().into_owned(),
        open_to: door.open_to.clone(),
        keys: keys.to_string(),
        site: config.site,
        skew: config.skew,
        danger_plain: config.danger_plain,
        taken_over: was_handed && not_taken_over.is_none(),
        not_taken_over,
    };
    let noted = left.as_ref().map(|(left, _)| Arc::clone(left));
    let following = Following::new(keys, endpoint.clone(), fleet.edition, noted);
    let running = Arc::new(Running {
        endpoint: endpoint.clone(),
        following: Arc::clone(&following),
        about,
        file,
        config: Mutex::new(config),
        log,
        talk,
        life: Life::begin(),
    });
    process::answer(&running, control.as_ref(), http, talk)?;
    if let Some(sandboxed) = &sandboxed {
        sandboxed.say(talk);
    }
    let About { taken_over, not_taken_over, .. } = &running.about;
    let more = json!({
        "keys": running.about.keys,
        "shares_keys": locked(&running.config).keys.is_some(),
        "fleet": fleet.edition.fleet(),
        "rotations": fleet.edition.rotations,
        "taken_over": taken_over,
        "not_taken_over": not_taken_over,
        "sandbox": sandboxed.as_ref().map(Sandboxed::to_json),
        "control": locked(&running.config).control,
    });
    (shows.announce)(&door, &root, more, talk);
    process::ready();
    let beside = async {
        tokio::select! {
            () = Arc::clone(&following).keep(|followed| tell_followed(followed, talk)) => {}
            () = keep_noting(&endpoint, shows.note) => {}
            () = turn_away(&endpoint) => {}
        }
        Ok(())
    };
    let ended = process::attend(&*running, &mut signals, talk, beside).await;
    // Nothing is spent from here on, so that what is left says all.
    let handed = endpoint.retire_stateless();
    if let Some((left, whose)) = &left {
        match left.leave(*whose, &handed) {
            Ok(bytes) => {
                talk.say(format_args!("what is spent is left for the next server: {bytes} bytes"));
                talk.event("left", &json!({ "bytes": bytes }));
            }
            Err(failure) => talk.warn(failure),
        }
    }
    tokio::select! {
        () = farewell(&endpoint) => {}
        () = signals.end() => {}
    }
    talk.say("stopped");
    (shows.tell)(&endpoint, talk);
    ended
}

/// Says what came of keys that were changed.
pub fn tell_followed(followed: Result<Edition, &Failure>, talk: Talk) {
    match followed {
        Ok(edition) => {
            talk.say(format_args!("rotation {} of fleet {} taken up", edition.rotations, edition.fleet()));
            talk.event("keys_rotated", &json!({ "fleet": edition.fleet(), "rotations": edition.rotations }));
        }
        Err(failure) => {
            talk.warn(format_args!("what the keys were before holds: {failure}"));
            talk.event("keys_refused", &failure.to_json());
        }
    }
}

async fn keep_noting(endpoint: &Endpoint, note: fn(&Endpoint)) {
    let mut before = None;
    loop {
        tokio::time::sleep(TOLD_EVERY).await;
        let stats = endpoint.stateless_stats();
        if stats != before {
            note(endpoint);
            before = stats;
        }
    }
}

/// Tells those who speak another protocol that this is none for them.
async fn turn_away(endpoint: &Endpoint) {
    while let Some(incoming) = endpoint.accept().await {
        incoming.refuse("this is tng trickles serve: tng trickles get fetches from it, and it takes nothing");
    }
}
