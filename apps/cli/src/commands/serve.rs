//! `tng serve`: hands out a folder or a file, and takes files if it is told to.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use serde_json::json;
use tng::{
    Answer, Builder, CloseCause, Connection, Endpoint, FirstData, Incoming, MEMORY_MAX, MemoryShares, Pipe, PipeSend,
    Request, SendStream, ServeOptions, ServiceOptions, Stream,
};
use tng_base::{Eid, PeerText};
use tng_services::files::{self, Over};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::doctor;
use crate::failure::Failure;
use crate::files::{
    Account, BUFFERS_PART, Buffers, GiveError, Given, GivenKind, HASH_RATE, Held, Own, Quota, Ration, Root, Service,
    Taker, Uploads, answer, answer_listing,
};
use crate::guests;
use crate::guests::congestion::regulated;
use crate::guests::offer::{Chosen, RunArgs, has_guests, run_by, serve_code, transport_of};
use crate::host::{Door, DoorArgs, HALF_OPEN_MAX, attend_until_stopped, bind_failure, listens_at};
use crate::location::{SCHEME, escape};
use crate::pings;
use crate::talk::{Talk, bytes, merged, short, shown};
use crate::visitors::{STREAMS, Visitors};

/// Connections served at once; of more, networks get the same share, and what is left alone gives way.
pub const CONNECTIONS_MAX: usize = 256;
/// Streams of one connection at once that are parents of others.
pub const CONTROLS_MAX: usize = 16;
/// Listings that may be asked for on one connection and not be given yet; more are refused.
pub const LISTINGS_ASKED_MAX: usize = 16;
/// Longest request for a listing, in bytes: a type, a length and a message.
const LIST_MAX: usize = files::MESSAGE_MAX + 9;
/// Bytes that peers may bring in all unless `--quota` says otherwise.
pub const QUOTA_DEFAULT: u64 = 10_000_000_000;
/// Least that `--memory` may say, in bytes: a connection with its first window and a file on its way have room in it.
pub const MEMORY_MIN: u64 = 1_000_000;
/// Least that `--hash-rate` may say, in bytes a second: with less a peer waits for ever to go on with a file.
pub const HASH_RATE_MIN: u64 = 1_000_000;
/// The REFUSE code for a stream too many (docs/wire.md, section 5).
const BUSY: u64 = 3;

/// Shown before everything else in `tng serve --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng serve photos                     serve a folder to anyone with the ticket
                                       that this prints
  tng serve movie.mkv --public         serve one file to everybody
  tng serve photos --allow EID EID     only to these hosts; `tng id` prints a
                                       host's EID, its public key
  tng serve --writable inbox           accept files too: tng put FILE
                                       @TICKETFILE
  tng serve --writable --backup inbox  and let them replace existing ones, which
                                       stay as NAME.~1~

It serves until SIGINT (Ctrl-C), SIGTERM or SIGHUP ends it.";

/// Arguments of `tng serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// The folder or file to serve
    path: PathBuf,
    /// Accept files too: peers may add to the folder
    #[arg(long)]
    writable: bool,
    /// Let peers replace existing files
    #[arg(long, requires = "writable")]
    replace: bool,
    /// Let peers replace existing files; the old ones stay as NAME.~1~, NAME.~2~ and so on
    #[arg(long, requires = "writable", conflicts_with = "delete")]
    backup: bool,
    /// Let peers remove files, links and empty folders
    #[arg(long, requires = "writable")]
    delete: bool,
    /// Most bytes that peers may store in all: 500M, 20G. Each new name counts 4096
    #[arg(long, value_name = "SIZE", requires = "writable", value_parser = size)]
    quota: Option<u64>,
    /// Limit for hashing files on behalf of peers, in bytes a second: 500M, 2G; one peer gets half [default: 512 MB]
    #[arg(long, value_name = "SIZE", default_value_t = HASH_RATE, hide_default_value = true, value_parser = hash_rate)]
    hash_rate: u64,
    /// Confirm uploads before they are safe on the disk
    #[arg(long, requires = "writable")]
    no_sync: bool,
    /// Memory for the connections of all peers together: 500M, 2G; and an eighth more for files in transfer [default:
    /// 256 MiB]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
    #[command(flatten)]
    runs: RunArgs,
    #[command(flatten)]
    door: DoorArgs,
}

/// Reads a number of bytes: `500`, `20k`, `1.5G`.
///
/// # Errors
/// For what is none: how to write one.
pub fn size(text: &str) -> Result<u64, String> {
    let text = text.trim().trim_end_matches(['B', 'b']);
    let (number, unit) = match text.char_indices().next_back() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => (&text[..at], unit.to_ascii_uppercase()),
        _ => (text, ' '),
    };
    let exponent = [' ', 'K', 'M', 'G', 'T'].iter().position(|known| *known == unit);
    match (number.parse::<f64>(), exponent) {
        (Ok(number), Some(exponent)) if number.is_finite() && number >= 0.0 => {
            Ok((number * 1000_f64.powi(exponent as i32)) as u64)
        }
        _ => Err("write a number of bytes, such as 500M or 20G".to_owned()),
    }
}

/// Reads what `--hash-rate` says.
fn hash_rate(text: &str) -> Result<u64, String> {
    at_least(HASH_RATE_MIN, text, "with less, peers wait for ever to go on with a file")
}

/// Reads what `--memory` says.
fn memory(text: &str) -> Result<u64, String> {
    let read = at_least(MEMORY_MIN, text, "with less there is no room for a connection and a file on its way")?;
    match memory_of_machine() {
        Some(most) if read > most => Err(format!("at most {}: this machine has no more", bytes(most))),
        _ => Ok(read),
    }
}

/// Bytes of memory of this machine, where the system tells.
fn memory_of_machine() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

fn at_least(min: u64, text: &str, why: &str) -> Result<u64, String> {
    let read = size(text)?;
    if read >= min { Ok(read) } else { Err(format!("at least {}: {why}", bytes(min))) }
}

/// Serves until a signal ends it, which is its usual end.
///
/// # Errors
/// If there is nothing to serve or no way to listen.
pub async fn run(args: &ServeArgs, talk: Talk) -> Result<(), Failure> {
    let root = Root::new(&args.path)?;
    if args.writable && root.only().is_some() {
        return Err(Failure::usage(format!("serving {}", shown(&args.path)), "a file takes no files")
            .or_try("serve the folder that it is in"));
    }
    // Who may read one thing with a ticket may not write there when it is served so later.
    let kind: &[u8] = if args.writable { b"files+:" } else { b"files:" };
    let name = [kind, root.path().as_os_str().as_encoded_bytes()].concat();
    // A request of a few bytes can make this host read a whole folder or hash a whole file; what was written once,
    // written again, may bring back what was deleted since.
    let requests = ServiceOptions { first_data: FirstData::Proven, substreams: true };
    let services = [(files::SERVICE, files::PROTOCOL, requests)];
    let memory = args.memory.unwrap_or(MEMORY_MAX);
    let (runs, regulator) = (args.runs.chosen("serve", talk).await?, args.runs.regulator("serve", talk)?);
    let change = |builder: Builder| run_by(regulated(builder.memory_max(memory), regulator.as_ref()), runs.as_ref());
    let door = args.door.open_with(&name, &services, CONNECTIONS_MAX, change).await?;
    // Only now its files are there.
    let root = kept(root, args)?;
    let MemoryShares { guaranteed, peer_max, unread_max } = MemoryShares::of(memory, CONNECTIONS_MAX + HALF_OPEN_MAX);
    let files_max = memory / BUFFERS_PART;
    tracing::info!(
        connections_max = CONNECTIONS_MAX,
        memory_max = %bytes(memory),
        guaranteed_per_connection = %bytes(guaranteed),
        per_peer_max = %bytes(peer_max),
        unread_per_peer_max = %bytes(unread_max),
        files_on_their_way_max = %bytes(files_max),
        "what peers may have this host hold"
    );
    announce(&door, &root, args, talk);
    let quota = || Arc::new(Quota::new(args.quota.unwrap_or(QUOTA_DEFAULT)));
    let over = match (args.replace, args.backup) {
        (false, false) => Over::Refuse,
        (_, backup) => Over::Replace { backup },
    };
    let uploads = args.writable.then(|| Uploads { quota: quota(), over, remove: args.delete, sync: !args.no_sync });
    let service = Arc::new(Service::new(root, uploads, Ration::new(args.hash_rate), Buffers::new(files_max)));
    let (runs_there, visitors) = (runs.clone(), Visitors::new(talk));
    let server = Arc::new(Server { service, accounts: Mutex::default(), runs: runs_there, visitors, talk });
    server.offer_listings(&door.endpoint)?;
    let _desk = guests::tells_of(&door.endpoint, has_guests(runs.as_ref(), regulator.as_ref()), "serve");
    serve_code(&door.endpoint, runs.as_ref(), talk)?;
    pings::answer(&door.endpoint)?;
    door.tell_registrations(talk);
    doctor::peers::answer(&door.endpoint)?;
    attend_until_stopped(&door.endpoint, talk, async {
        while let Some(incoming) = door.endpoint.accept().await {
            let (server, account) = (Arc::clone(&server), server.account(incoming.eid()));
            tokio::spawn(async move { server.welcome(incoming, account).await });
        }
        Ok(())
    })
    .await
}

/// What is served without what is this host's own: who has its key is this host, who writes its tickets lets others in.
fn kept(root: Root, args: &ServeArgs) -> Result<Root, Failure> {
    let what = || format!("serving {}", shown(&args.path));
    let key = args.door.key.path()?;
    let root = root.without(Own::beside(&key).map_err(|error| Failure::read(what(), &error))?);
    match root.only().map(|only| root.look(only)) {
        Some(Err(fault)) => Err(Failure::usage(what(), fault).or_try("another file, or another --key FILE")),
        _ => Ok(root),
    }
}

/// How what is served is fetched.
pub(super) struct Fetching {
    /// Of the command, with what is fetched behind them: as everybody on the host may see it.
    pub(super) arguments: String,
    /// The whole location, its ticket in it.
    pub(super) url: String,
    /// What is fetched, quoted.
    place: String,
    /// What stands before it, for a folder.
    flags: String,
    /// What is fetched of the host.
    path: String,
}

/// How what is served behind that door is fetched.
pub(super) fn fetching(door: &Door, root: &Root) -> Fetching {
    let (flags, path) = match root.only() {
        Some(only) => (String::new(), escape(only)),
        None => {
            let path = root.path();
            let name = path.file_name().map_or_else(|| "fetched".to_owned(), |name| shown(name.as_ref()).to_string());
            (format!("-r -o {} ", quoted(&name)), String::new())
        }
    };
    let url = format!("{SCHEME}{}/{path}", door.ticket);
    // Where the ticket is a secret, it is read from its file.
    let place = match &door.file {
        Some(_) if path.is_empty() => door.target(),
        Some(_) => format!("{}//{path}", door.target()),
        None => url.clone(),
    };
    let place = quoted(&place);
    Fetching { arguments: format!("{flags}{place}"), url, place, flags, path }
}

impl Fetching {
    /// How it is fetched with a registry: from which location, and the whole command. Who needs a ticket has no use for
    /// that.
    fn found(&self, door: &Door, args: &DoorArgs) -> Option<(String, String)> {
        let registry = args.register.first().filter(|_| door.file.is_none())?;
        // What was read from stdin nobody can read again.
        let registry = if matches!(registry.as_str(), "-" | "@-") { "REGISTRY" } else { registry };
        let shown = args.register_token.as_ref().map_or_else(String::new, |token| {
            format!("--registry-token {} ", token.file().map_or_else(|| "TOKEN".to_owned(), |file| quoted(&file)))
        });
        let url = format!("{SCHEME}{}/{}", door.ticket.eid(), self.path);
        let command = format!("tng get --registry {} {shown}{}{}", quoted(registry), self.flags, quoted(&url));
        Some((url, command))
    }
}

/// Says how to fetch, the ticket last.
fn announce(door: &Door, root: &Root, args: &ServeArgs, talk: Talk) {
    let fetching = fetching(door, root);
    let found = fetching.found(door, &args.door);
    let Fetching { arguments, url, place, .. } = fetching;
    talk.say(format_args!("serving {} to {}, at {}", shown(&root.path()), door.open_to, listens_at(&door.endpoint)));
    talk.say(format_args!("\nfetch it with:\n  tng get {arguments}"));
    if let Some((_, command)) = &found {
        talk.say(format_args!("\nor, wherever this host is by then:\n  {command}"));
    }
    if args.writable {
        talk.say(format_args!("\nadd to it with:\n  tng put FILE {place}"));
    }
    door.show(talk);
    let registry_url = found.map(|(url, _)| url);
    let of_folder = json!({
        "url": url,
        "registry_url": registry_url,
        "path": root.path().to_string_lossy(),
        "writable": args.writable,
    });
    talk.event("serving", &merged([door.to_json(), of_folder]));
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-._~:@%+,=".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// What each peer may have done, over all its connections.
#[derive(Default)]
struct Accounts(BTreeMap<Eid, Arc<Account>>);

impl Accounts {
    fn of(&mut self, eid: Eid) -> Arc<Account> {
        // A peer without connections needs no entry once its hashing is paid for: so there are no more entries than
        // connections, and peers for whom this host has hashed within HASH_BURST.
        self.0.retain(|_, account| Arc::strong_count(account) > 1 || account.owes());
        Arc::clone(self.0.entry(eid).or_insert_with(|| Arc::new(Account::new(eid))))
    }
}

impl Taker for PipeSend {
    async fn gone(&self) {
        PipeSend::gone(self).await;
    }
}

impl Taker for SendStream {
    async fn gone(&self) {
        // That nobody can tell any more says the same.
        let _ = self.stopped().await;
    }
}

struct Server {
    service: Arc<Service>,
    accounts: Mutex<Accounts>,
    /// The transports that it runs for those who offer them.
    runs: Option<Chosen>,
    visitors: Visitors,
    talk: Talk,
}

impl Server {
    fn account(&self, eid: Eid) -> Arc<Account> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner).of(eid)
    }

    /// Has an endpoint answer requests for listings.
    fn offer_listings(self: &Arc<Server>, endpoint: &Endpoint) -> Result<(), Failure> {
        let options = ServeOptions {
            first_data: FirstData::Proven,
            request_max: LIST_MAX,
            requests_max: 2 * CONNECTIONS_MAX * LISTINGS_ASKED_MAX,
            requests_per_connection_max: LISTINGS_ASKED_MAX,
            bytes_max: 2 * CONNECTIONS_MAX * LIST_MAX,
            ..ServeOptions::default()
        };
        let server = Arc::clone(self);
        let listed = move |request: Request| {
            let server = Arc::clone(&server);
            // It is written as it is found: nobody holds all of it.
            async { Answer::written(async move |send| server.list(&request, send).await) }
        };
        endpoint.serve_with(files::SERVICE, options, listed).map_err(bind_failure)
    }

    async fn list(&self, request: &Request, send: SendStream) {
        let account = self.account(request.peer());
        let place = async {
            // The semaphore is never closed.
            let permit = Arc::clone(&account.requests).acquire_owned().await.ok()?;
            Some((permit, self.service.buffers.place(&account).await))
        };
        let place = tokio::select! {
            place = place => place,
            () = send.gone() => None,
        };
        let Some((_permit, held)) = place else { return };
        self.visitors.goes_by(account.eid, STREAMS);
        let given = answer_listing(Arc::clone(&self.service), account, held, request.body(), send).await;
        self.tell(request.peer(), given);
    }

    /// Lets a peer in, and stays with it until it leaves.
    async fn welcome(self: &Arc<Server>, incoming: Incoming, account: Arc<Account>) {
        let (eid, remote) = (incoming.eid(), incoming.remote_address());
        let connection = match incoming.accept().await {
            Ok(connection) => connection,
            Err(error) => return tracing::info!(%eid, %remote, %error, "did not come in"),
        };
        self.visitors.came(eid, remote);
        let cause = self.entertain(&connection, account).await;
        self.visitors.left(eid, &cause);
    }

    /// Answers what the peer asks for until the connection is over.
    async fn entertain(self: &Arc<Server>, connection: &Connection, account: Arc<Account>) -> CloseCause {
        // Until it is settled what runs there is nothing to take.
        let _ = connection.negotiation().await;
        if let Ok(guest) = connection.guest() {
            self.visitors.goes_by(account.eid, &transport_of(self.runs.as_ref(), connection).await);
            // The semaphore is never closed.
            if let Ok(permit) = Arc::clone(&account.requests).acquire_owned().await {
                let held = self.service.buffers.place(&account).await;
                self.give(account, held, guest.into(), permit).await;
            }
            return connection.closed().await;
        }
        let room = Arc::new(Semaphore::new(CONTROLS_MAX));
        while let Ok(incoming) = connection.accept().await {
            let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
                incoming.refuse(BUSY, "too many streams; a request is a child of another");
                continue;
            };
            let (server, account) = (Arc::clone(self), Arc::clone(&account));
            tokio::spawn(async move {
                server.requests(incoming.stream, account).await;
                drop(place);
            });
        }
        connection.closed().await
    }

    /// Answers requests until their parent ends.
    async fn requests(self: &Arc<Server>, control: Stream, account: Arc<Account>) {
        let (connection, id) = (control.connection(), control.id());
        // Held: without it there are no more children.
        let (_send, mut recv) = control.split();
        let mut nothing = [0; 16];
        let mut ended = std::pin::pin!(async { drop(recv.read(&mut nothing).await) });
        loop {
            // Only who asks for something has a place: any number of parents may stand by.
            let next = async {
                let stream = connection.accept_substream(id).await.ok()?;
                // The semaphore is never closed.
                let permit = Arc::clone(&account.requests).acquire_owned().await.ok()?;
                Some((stream, permit, self.service.buffers.place(&account).await))
            };
            let next = tokio::select! {
                biased;
                next = next => next,
                () = &mut ended => break,
            };
            let Some((stream, permit, held)) = next else { break };
            self.visitors.goes_by(account.eid, STREAMS);
            let (server, account) = (Arc::clone(self), Arc::clone(&account));
            tokio::spawn(async move { server.give(account, held, stream.into(), permit).await });
        }
    }

    async fn give(&self, account: Arc<Account>, held: Held, pipe: Pipe, _permit: OwnedSemaphorePermit) {
        let ((send, recv), peer) = (pipe.split(), account.eid);
        self.tell(peer, answer(Arc::clone(&self.service), account, held, recv, send).await);
    }

    fn tell(&self, peer: Eid, given: Result<Given, GiveError>) {
        // A line a request: docs/files.md has its fields.
        match given {
            Ok(given) => {
                let path = given.path.as_str();
                let outcome = given.fault.as_ref().map_or_else(|| "done".to_owned(), ToString::to_string);
                let (request, moved) = (given.kind.word(), given.moved);
                let (place, outcome) = (for_log(path), for_log(&outcome));
                match given.kind {
                    GivenKind::List => {
                        tracing::info!(%peer, request, path = %place, entries = moved, %outcome, "answered");
                    }
                    _ => tracing::info!(%peer, request, path = %place, bytes = moved, %outcome, "answered"),
                }
                if given.kind == GivenKind::Put && given.fault.is_none() {
                    let words = format!("{peer} brought {}: {}", short(path), bytes(given.moved));
                    let fields = json!({ "peer": peer.to_string(), "path": path, "moved": given.moved });
                    self.talk.note(words, "stored", &fields);
                }
            }
            Err(GiveError::Send(error, (kind, path))) => {
                let (path, outcome) = (for_log(path.as_str()), for_log(&format!("cut off: {error}")));
                tracing::info!(%peer, request = kind.word(), %path, %outcome, "answered");
            }
            Err(error) => tracing::info!(%peer, outcome = %for_log(&error.to_string()), "answered"),
        }
    }
}

/// A text that nobody's quotes end, for a line of a log, in the notation of names.
fn for_log(text: &str) -> String {
    format!("\"{}\"", PeerText::new(text.replace('"', r"\x22")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::REQUESTS_MAX;

    #[test]
    fn a_name_with_quotes_says_nothing_else_in_a_log() {
        assert_eq!(for_log(r#"a" outcome="done"#), r#""a\x22 outcome=\x22done""#);
        assert_eq!(for_log(r"esc\x1b"), r#""esc\x1b""#);
        assert_eq!(for_log("\u{202e}gpj"), r#""\xe2\x80\xaegpj""#);
    }

    #[test]
    fn a_peer_has_one_account_over_all_its_connections_and_none_when_it_has_left() {
        let (mut accounts, [a, b]) = (Accounts::default(), [1, 2].map(|n| Eid::from_bytes([n; 32])));
        let (first, second) = (accounts.of(a), accounts.of(a));
        let _held = first.requests.try_acquire_many(REQUESTS_MAX as u32).expect("all of it");
        assert_eq!(second.requests.available_permits(), 0);
        let other = accounts.of(b);
        assert_eq!((other.requests.available_permits(), accounts.0.len()), (REQUESTS_MAX, 2));
        drop(other);
        accounts.of(a);
        assert_eq!(accounts.0.len(), 1);
    }

    /// A server of what is in `folder`, and its ticket.
    async fn serving(folder: &std::path::Path) -> (tng::Endpoint, Arc<Server>) {
        let options = ServiceOptions { first_data: FirstData::Proven, substreams: true };
        let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        let endpoint = tng::Endpoint::builder().access(tng::Access::Public).bind(any);
        let endpoint = endpoint.listen(files::SERVICE, files::PROTOCOL, options).build().await.expect("bound");
        let root = Root::new(folder).expect("a folder");
        let service = Arc::new(Service::new(root, None, Ration::new(HASH_RATE), Buffers::new(32 << 20)));
        let talk = Talk { json: false, quiet: true, no_progress: true };
        let (runs, visitors) = (None, Visitors::new(talk));
        (endpoint, Arc::new(Server { service, accounts: Mutex::default(), runs, visitors, talk }))
    }

    #[tokio::test]
    async fn parents_that_ask_for_nothing_take_no_place_from_requests_of_their_peer() {
        use std::time::Duration;
        use tokio::time::timeout;
        let folder = tempfile::tempdir().expect("a folder");
        let (endpoint, server) = serving(folder.path()).await;
        let client = tng::Endpoint::builder().build().await.expect("bound");
        let account = Arc::new(Account::new(client.eid()));
        let (its, door) = (Arc::clone(&account), endpoint.clone());
        tokio::spawn(async move {
            while let Some(incoming) = door.accept().await {
                let (server, account) = (Arc::clone(&server), Arc::clone(&its));
                tokio::spawn(async move { server.welcome(incoming, account).await });
            }
        });
        let target = || tng::Target {
            eid: endpoint.eid(),
            addresses: vec![endpoint.local_addr()],
            capability: None,
            via: Vec::new(),
        };
        let mut idle = Vec::new();
        for _ in 0..=REQUESTS_MAX / CONTROLS_MAX {
            let connection = client.connect(target()).await.expect("connected");
            for _ in 0..CONTROLS_MAX - 1 {
                idle.push(connection.open(files::SERVICE, files::PROTOCOL).await.expect("opened"));
            }
        }
        assert!(idle.len() > REQUESTS_MAX);
        let connection = client.connect(target()).await.expect("connected");
        let control = connection.open(files::SERVICE, files::PROTOCOL).await.expect("opened");
        let ask = async || {
            let (mut send, mut recv) = control.open_substream().await.expect("opened").split();
            // No request, which has an answer too.
            send.write_all(&[9]).await.expect("written");
            send.finish().await.expect("finished");
            let mut answer = [0; 1];
            recv.read(&mut answer).await.expect("an answer")
        };
        assert_eq!(timeout(Duration::from_secs(20), ask()).await, Ok(1));
        // Control: as long as others have all places, it waits.
        let all = account.requests.acquire_many(REQUESTS_MAX as u32).await.expect("never closed");
        assert!(timeout(Duration::from_secs(1), ask()).await.is_err());
        drop(all);
    }

    #[test]
    fn less_memory_or_hashing_than_anybody_can_be_served_with_is_refused() {
        type Read = fn(&str) -> Result<u64, String>;
        for (read, min) in [(memory as Read, MEMORY_MIN), (hash_rate, HASH_RATE_MIN)] {
            for text in ["0", "1", "999999", "0.9M"] {
                let why = read(text).expect_err(text);
                assert!(why.contains("at least 1.0 MB"), "{why}");
            }
            assert_eq!((read("1M"), read("x")), (Ok(min), size("x")));
        }
    }

    #[test]
    fn more_memory_than_the_machine_has_is_refused_with_what_it_has() {
        let Some(most) = memory_of_machine() else { return println!("skipped: the system does not tell") };
        let why = memory("900000T").expect_err("no machine has it");
        assert!(why.contains(&format!("at most {}", bytes(most))), "{why}");
        assert_eq!(memory(&most.to_string()), Ok(most), "control");
    }

    #[test]
    fn a_quota_is_a_number_with_a_unit() {
        assert_eq!((size("500"), size("20k"), size("1.5G")), (Ok(500), Ok(20_000), Ok(1_500_000_000)));
        assert_eq!(size("2MB"), Ok(2_000_000));
        for text in ["", "x", "-1", "5Q", "nan"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_word_for_a_shell_is_quoted_if_it_needs_to_be() {
        assert_eq!(quoted("tng://tng1abc/a%20b"), "tng://tng1abc/a%20b");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
