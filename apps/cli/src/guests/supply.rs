//! What a command runs of the transports that are here: those that are built in, and those of the store.

#[cfg(feature = "guests")]
pub use with_engine::{
    APPLICATIONS, PolicyFile, SERVICES, Supply, built_in_guests, find_host, is_wanted, open_manager, prefers,
    read_policy, store_failure, store_folder, write_down,
};
#[cfg(not(feature = "guests"))]
pub use without::{Supply, is_wanted, prefers};

#[cfg(feature = "guests")]
mod with_engine {
    use std::env;
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError, Weak};
    use std::time::SystemTime;

    use serde_json::json;
    use tng::stp::manager::{BuiltIn, HostCheck, Manager, Outcome, Policy, StoreError, Words, default_folder};
    use tng::stp::process::{Processes, Program};
    use tng::stp::shipping::Allowance;
    use tng::stp::{
        self, Application, BUILT_IN, Code, Directory, FindingHost, FollowedUp, HostsError, PrepareError, Quotas,
        RECEIVERS, code_hash, receiver_quotas,
    };
    use tng::{Builder, CodeHash, Connection, Eid, Endpoint, random_seed};

    use crate::config::{Config, read_text};
    use crate::exit::Exit;
    use crate::failure::Failure;
    use crate::guests::modules::{engine, module};
    use crate::guests::named::{Among, find};
    use crate::guests::offer::LeftOut;
    use crate::guests::place::PlaceArgs;
    use crate::host::bind_failure;
    use crate::key::folder_of_configuration;
    use crate::location::Location;
    use crate::talk::{Talk, shown};

    /// What this program is told to serve as the process of a guest.
    const SUBCOMMAND: &str = "guest-process";

    /// What rules of the policy call what is asked of servers that keep nothing.
    const RECEIVER_SERVICE: &str = "trickles";

    /// What the policy file is called, in the folder of configuration.
    const POLICY: &str = "stp.toml";

    /// The services of this tool, which rules may name.
    pub const SERVICES: [&str; 9] = [
        tng_services::code::SERVICE,
        tng_services::files::SERVICE,
        tng_services::forward::SERVICE,
        tng_services::help::SERVICE,
        tng_services::perf::SERVICE,
        tng_services::ping::SERVICE,
        tng_services::pipe::SERVICE,
        tng_services::seen::SERVICE,
        RECEIVER_SERVICE,
    ];

    /// What the commands of this tool that run transports call themselves, which rules may name.
    pub const APPLICATIONS: [&str; 9] =
        ["connect", "forward", "get", "listen", "perf", "proxy", "put", "relay", "serve"];

    /// See the [module](super).
    #[derive(Clone, Debug)]
    pub struct Supply {
        supply: stp::Supply,
        policy: PolicyFile,
    }

    /// Whether this user has put code here, or said what may run. A policy that is named is meant to be there.
    pub fn is_wanted(place: &PlaceArgs) -> bool {
        store_folder(place).is_some_and(|folder| folder.exists()) || PolicyFile::of(place).is_meant()
    }

    /// Whether the policy of this user prefers transports for some connections.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn prefers(place: &PlaceArgs) -> Result<bool, Failure> {
        let policy = PolicyFile::of(place).read()?;
        Ok(policy.rules.iter().chain([&policy.default]).any(|rule| !rule.prefer.is_empty()))
    }

    /// Where a policy is, and how its file was when it was last looked at.
    #[derive(Clone, Debug)]
    pub struct PolicyFile {
        path: Option<PathBuf>,
        named: bool,
        /// When it was read.
        seen: Option<(SystemTime, u64)>,
        /// When it was looked at last.
        glimpsed: Option<(SystemTime, u64)>,
        /// It was there, and is so no more, as was told.
        gone: bool,
    }

    /// What has become of a policy's file.
    #[derive(Debug)]
    pub enum PolicyNews {
        /// It says something else.
        Changed(Policy),
        /// What it says now is wrong.
        Wrong(Failure),
        /// It is not there any more.
        Gone,
        /// It is there again.
        Back(Policy),
    }

    impl PolicyFile {
        /// The one that is named, or the usual one.
        pub fn of(place: &PlaceArgs) -> PolicyFile {
            let usual = || Some(folder_of_configuration()?.join(POLICY));
            let (path, named) = (place.policy.clone().or_else(usual), place.policy.is_some());
            PolicyFile { path, named, seen: None, glimpsed: None, gone: false }
        }

        /// Where it is, if it is named or there is a home.
        pub fn path(&self) -> Option<&Path> {
            self.path.as_deref()
        }

        /// Whether one is there, or should be.
        pub fn is_meant(&self) -> bool {
            self.named || self.path().is_some_and(Path::exists)
        }

        /// Reads it. Without the usual one, what is usual holds; one that is named must be there.
        ///
        /// # Errors
        /// If it cannot be read, or is wrong.
        pub fn read(&mut self) -> Result<Policy, Failure> {
            self.seen = self.stamp();
            (self.glimpsed, self.gone) = (self.seen, false);
            match self.path() {
                Some(path) if self.is_meant() => read_policy(path, None),
                _ => Ok(Policy::default()),
            }
        }

        /// What has become of its file since it was read, if that is as it was when this was asked last: an editor may
        /// be about to write it, and a half of it may say anything.
        pub fn news(&mut self) -> Option<PolicyNews> {
            let (now, before) = (self.stamp(), self.glimpsed);
            self.glimpsed = now;
            if now != before {
                return None;
            }
            if now.is_none() {
                let is_news = self.seen.is_some() && !std::mem::replace(&mut self.gone, true);
                return is_news.then_some(PolicyNews::Gone);
            }
            let back = std::mem::take(&mut self.gone);
            if now == self.seen && !back {
                return None;
            }
            self.seen = now;
            Some(match read_policy(self.path()?, None) {
                Ok(policy) if back => PolicyNews::Back(policy),
                Ok(policy) => PolicyNews::Changed(policy),
                Err(failure) => PolicyNews::Wrong(failure),
            })
        }

        fn stamp(&self) -> Option<(SystemTime, u64)> {
            let metadata = std::fs::metadata(self.path()?).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        }
    }

    /// A host that a policy names as a source of code: by its name in this tool's configuration, or as EID@host:port.
    ///
    /// # Errors
    /// If it is neither.
    pub fn find_host(name: &str) -> Result<Location, Failure> {
        let what = || format!("looking for the host {} of the policy", shown(Path::new(name)));
        if let Some(host) = Config::load()?.host(name) {
            return Ok(Location::from(host));
        }
        let bad = |why| {
            Failure::new(Exit::Usage, what(), format_args!("it has no name in config.toml, and {why}"))
                .or_try("[hosts.NAME] with its ticket in config.toml, or \"host:EID@host:port\"")
        };
        let location: Location = name.parse().map_err(|why: crate::location::LocationError| bad(why.to_string()))?;
        if location.path.is_root() { Ok(location) } else { Err(bad("a path is none of a host".to_owned())) }
    }

    /// Finds the hosts of a policy, and tells what came of asking them.
    struct Hosts(Talk);

    impl Directory for Hosts {
        fn find<'a>(&'a self, name: &'a str) -> FindingHost<'a> {
            Box::pin(async move {
                let found = async { find_host(name)?.target().await };
                found.await.map_err(|failure: Failure| failure.to_string())
            })
        }

        fn heard(&self, code: CodeHash, came: Result<stp::manager::Verdict, HostsError>) {
            let (words, what) = match &came {
                Ok(verdict) => {
                    (format!("{} came from a host, by {:?} of the policy", code.short(), verdict.rule), "came")
                }
                Err(error) => (format!("{} did not come: {error}", code.short()), "missing"),
            };
            self.0.note(words, "code", &json!({ "what": what, "hash": code.to_string() }));
        }
    }

    /// The managers of this program's supplies. Tasks may hold a supply when a command ends, and end with the process.
    static OPEN: Mutex<Vec<Weak<Manager>>> = Mutex::new(Vec::new());

    /// Has what was used and what went wrong written down: the command is over.
    pub fn write_down() {
        let open = core::mem::take(&mut *OPEN.lock().unwrap_or_else(PoisonError::into_inner));
        for manager in open.into_iter().filter_map(|manager| manager.upgrade()) {
            // Without room for it that is lost.
            let _ = manager.save();
        }
    }

    /// Where the store is, if it is named or there is a home.
    pub fn store_folder(place: &PlaceArgs) -> Option<PathBuf> {
        let usual = || default_folder(env::var_os("XDG_DATA_HOME"), env::var_os("HOME")).ok();
        place.store.clone().or_else(usual)
    }

    /// The guests that are built in, as a policy manager knows them.
    pub fn built_in_guests() -> Vec<BuiltIn> {
        let of = |guest: &stp::BuiltIn| BuiltIn {
            name: guest.name.to_owned(),
            hash: code_hash(guest.bytes),
            kind: guest.kind,
            bytes: guest.bytes,
        };
        BUILT_IN.iter().map(of).collect()
    }

    /// The policy manager of this user, with the store that is meant and under this policy. What was found to be
    /// damaged there is told, with what is lost and what to do.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn open_manager(place: &PlaceArgs, policy: &mut PolicyFile, talk: Talk) -> Result<Manager, Failure> {
        let policy = policy.read()?;
        let nowhere = || store_failure("opening the store of transports", &StoreError::NoHome);
        let folder = store_folder(place).ok_or_else(nowhere)?;
        let fresh = random_seed().map_err(|error| Failure::read("asking the system for random bytes", &error))?;
        let opened = Manager::open(&folder, policy, built_in_guests(), fresh);
        let what = || format!("opening the store of transports in {}", shown(&folder));
        let (manager, notes) = opened.map_err(|error| store_failure(what(), &error))?;
        for note in &notes {
            let (aside, remedy) = (shown(&folder.join("aside")).to_string(), note.what.remedy());
            talk.warn(format_args!("{}: {note}\n  it is kept in {aside}\n  try: {remedy}", what()));
            let fields = json!({ "what": note.what.to_string(), "why": note.why, "aside": aside, "try": remedy });
            talk.event("damaged", &fields);
        }
        Ok(manager)
    }

    /// Reads a policy; hosts of `sources` are looked for by `host`, if it is there.
    ///
    /// # Errors
    /// If it cannot be read, or is wrong.
    pub fn read_policy(path: &Path, host: Option<&HostCheck<'_>>) -> Result<Policy, Failure> {
        let what = format!("reading the policy {}", shown(path));
        let missing = |failure: Failure, kind| match kind {
            io::ErrorKind::NotFound => failure.or_try("a file that is there, in --policy or TNG_POLICY"),
            _ => failure,
        };
        let file = File::open(path).map_err(|error| missing(Failure::read(&what, &error), error.kind()))?;
        let text = read_text(file, &what)?;
        let words = Words { applications: Some(&APPLICATIONS), services: Some(&SERVICES), host };
        Policy::parse_by(&text, &words)
            .map_err(|error| Failure::new(Exit::Usage, what, error).or_try("docs/stp.md, \"Policy\", has its keys"))
    }

    /// That the store does not do something.
    pub fn store_failure(what: impl Into<String>, error: &StoreError) -> Failure {
        let exit = match error {
            StoreError::Full { .. } | StoreError::Disk { .. } | StoreError::Quota { .. } | StoreError::TooMany(_) => {
                Exit::Write
            }
            StoreError::NoHome | StoreError::NotHere(_) => Exit::Usage,
            StoreError::Revocation(_) => Exit::Denied,
            _ => Exit::Read,
        };
        Failure::told(exit, what, error)
    }

    impl Supply {
        /// That of a command.
        ///
        /// # Errors
        /// If the store or the policy cannot be read.
        pub fn open(command: &str, place: &PlaceArgs, talk: Talk) -> Result<Supply, Failure> {
            let mut policy = PolicyFile::of(place);
            let manager = Arc::new(open_manager(place, &mut policy, talk)?);
            OPEN.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&manager));
            let application = Application { name: command.to_owned(), ..Application::default() };
            let processes = Processes::new(Program::this([SUBCOMMAND]));
            let supply = stp::Supply::new(manager, engine()?, application, Some(processes));
            Ok(Supply { supply, policy })
        }

        /// Has these ready to run, or all that are here if nothing is named; answers their hashes.
        ///
        /// # Errors
        /// If one of them is not there, or cannot run.
        pub async fn prepare(&self, names: &[String]) -> Result<Vec<CodeHash>, Failure> {
            if names.is_empty() {
                let tell = |hash: CodeHash, error| tracing::warn!("{} does not run: {error}", hash.short());
                self.supply.prepare_all(tell).await;
                return Ok(self.supply.manager().look(|_, known| known.transports()));
            }
            let mut hashes = Vec::new();
            for name in names {
                let hash = self.find(name)?;
                let failure = |error: PrepareError| Failure::new(Exit::NotRunnable, format!("loading {name}"), error);
                self.supply.prepare(hash).await.map_err(failure)?;
                if !hashes.contains(&hash) {
                    hashes.push(hash);
                }
            }
            Ok(hashes)
        }

        fn find(&self, text: &str) -> Result<CodeHash, Failure> {
            self.supply.manager().look(|policy, known| {
                find(policy, known, text, Among::Transports)
                    .map_err(|error| error.failure("choosing the transport", known, text, Among::Transports))
            })
        }

        /// Code with which a command downloads from a server that keeps nothing of it, by name or hash: a guest that is
        /// built in for that, else one of the store, as far as the policy lets it run there. Answers its hash, the
        /// code, and what it may use.
        ///
        /// # Errors
        /// If it is not there, cannot run, or may not.
        pub async fn receiver(
            (command, place): (&str, &PlaceArgs),
            server: Eid,
            text: &str,
            talk: Talk,
        ) -> Result<(CodeHash, Code, Quotas), Failure> {
            let is_meant = |guest: &&stp::BuiltIn| guest.name == text || code_hash(guest.bytes).to_string() == text;
            if let Some(guest) = RECEIVERS.iter().find(is_meant) {
                let code = module(&engine()?, guest)?.code(guest.name).expect("it is a transport");
                return Ok((code_hash(guest.bytes), code, receiver_quotas()));
            }
            let supply = Supply::open(command, place, talk)?;
            let hash = supply.find(text).map_err(|failure| {
                let names: Vec<&str> = RECEIVERS.iter().map(|guest| guest.name).collect();
                let why = format!("{}; built in for servers that keep nothing are {}", failure.why, names.join(", "));
                Failure { why, ..failure }
            })?;
            let failure = |error: PrepareError| Failure::new(Exit::NotRunnable, format!("loading {text}"), error);
            match supply.supply.receiver(server, RECEIVER_SERVICE, hash).await.map_err(failure)? {
                Some((code, quotas)) => Ok((hash, code, quotas)),
                None => {
                    let rule = supply.supply.decide(Some(server), RECEIVER_SERVICE, &hash).rule;
                    let why = format_args!("it may not run with this server, by {rule:?} of the policy");
                    Err(Failure::new(Exit::Denied, format!("choosing the guest {text}"), why)
                        .or_try("tng stp pin, or a rule for the service trickles"))
                }
            }
        }

        /// What the policy prefers for connections with a host to a service, ready to run. What cannot run is told.
        pub async fn preferred(&self, host: Eid, service: &str) -> Vec<CodeHash> {
            let mut ready = Vec::new();
            for hash in self.supply.offer(host, service) {
                match self.supply.prepare(hash).await {
                    Ok(()) => ready.push(hash),
                    Err(error) => tracing::warn!("{} does not run: {error}", hash.short()),
                }
            }
            ready
        }

        /// Which of these can be offered to a host now. Of each that cannot is told why, once.
        pub fn offerable(
            &self,
            (host, service): (Eid, &str),
            codes: &[CodeHash],
            told: &LeftOut,
            talk: Talk,
        ) -> Vec<CodeHash> {
            self.supply.offerable((host, service), codes, |hash, why| {
                if told.is_news(hash) {
                    let fields = json!({ "settled": "not-offered", "code": hash.to_string(), "why": why.to_string() });
                    talk.note(format_args!("{} is not offered: {why}", self.name(hash)), "transport", &fields);
                }
            })
        }

        /// Has what somebody vouches for ready in case the other end would rather run it: see
        /// [`stp::Supply::prepare_vouched`].
        pub async fn prepare_vouched(&self) {
            self.supply.prepare_vouched().await;
        }

        /// Rules that name ports go by this one where this host accepts.
        pub fn note_port(&self, port: u16) {
            self.supply.note_port(port);
        }

        /// Rules that name ports go by this one where this host connects to that one.
        pub fn note_host_port(&self, host: Eid, port: u16) {
            self.supply.note_host_port(host, port);
        }

        /// Has hosts that the policy names asked for code that peers do not send, and the policy followed when its file
        /// changes: one that is wrong is told once, and what held before holds.
        pub fn attend(&self, endpoint: &Endpoint, talk: Talk) {
            if !self.supply.ask_hosts(endpoint, Hosts(talk)) {
                return;
            }
            let mut file = self.policy.clone();
            self.supply.follow_policy(move || match file.news()? {
                PolicyNews::Changed(policy) => {
                    talk.note("the policy for transports was read anew", "policy", &json!({ "what": "changed" }));
                    Some(policy)
                }
                PolicyNews::Back(policy) => {
                    let words = "the policy for transports is there again, and was read";
                    talk.note(words, "policy", &json!({ "what": "back" }));
                    Some(policy)
                }
                PolicyNews::Wrong(failure) => {
                    talk.warn(format_args!("{failure}\n  the policy that was read before holds"));
                    talk.event("policy", &json!({ "what": "wrong", "why": failure.why }));
                    None
                }
                PolicyNews::Gone => {
                    let path = shown(file.path().unwrap_or(Path::new(POLICY))).to_string();
                    talk.warn(format_args!(
                        "the policy {path} is not there any more: the rules that were read last hold\n  try: put it \
                         back, or write another one; without a file for good, start this command again"
                    ));
                    talk.event("policy", &json!({ "what": "gone", "path": path }));
                    None
                }
            });
        }

        /// What code is called here.
        pub fn name(&self, code: CodeHash) -> String {
            let named = self.supply.manager().look(|_, known| known.name(&code).map(str::to_owned));
            named.unwrap_or_else(|| code.short())
        }

        /// Has an endpoint run it.
        pub fn run_by(&self, builder: Builder) -> Builder {
            builder.repertoire(self.supply.repertoire())
        }

        /// Has an endpoint give code to peers and take it from them, as the policy says.
        ///
        /// # Errors
        /// If the service is there already.
        pub fn serve(&self, endpoint: &Endpoint) -> Result<(), Failure> {
            endpoint.serve_code(self.supply.clone(), Allowance::default()).map_err(bind_failure)
        }

        /// Sends the code that the peer has asked for, or fetches what it would rather have run, and says so.
        pub async fn follow_up(&self, connection: &Connection, talk: Talk) {
            let (words, event, hash) = match self.supply.follow_up(connection).await {
                Ok(FollowedUp::Sent(hash)) => (format!("sent the code of {} to the peer", hash.short()), "sent", hash),
                Ok(FollowedUp::Came(hash, verdict)) => {
                    let rule = &verdict.rule;
                    let words = format!("the peer's {} is here, and runs by {rule:?} of the policy", hash.short());
                    (words, "came", hash)
                }
                Ok(FollowedUp::Ready(hash)) => {
                    (format!("the peer's {} is ready from the next connection on", hash.short()), "ready", hash)
                }
                Ok(FollowedUp::Unwanted(hash, verdict)) => {
                    let why = match &verdict.outcome {
                        Outcome::Refuse(reason) => format!(": {reason}"),
                        Outcome::Run(_) | Outcome::Fetch => String::new(),
                    };
                    let words =
                        format!("the peer's {} is not fetched, by {:?} of the policy{why}", hash.short(), verdict.rule);
                    (words, "unwanted", hash)
                }
                Ok(_) => return,
                Err(error) => return talk.say(format_args!("transport code did not go or come: {error}")),
            };
            talk.note(words, "code", &json!({ "what": event, "hash": hash.to_string() }));
        }
    }
}

#[cfg(not(feature = "guests"))]
mod without {
    use tng::{Builder, CodeHash, Connection, Eid, Endpoint};

    use crate::failure::Failure;
    use crate::guests::offer::LeftOut;
    use crate::guests::place::PlaceArgs;
    use crate::talk::Talk;

    /// There is none in a tool without guests.
    #[derive(Clone, Debug)]
    pub enum Supply {}

    /// Nothing is.
    pub fn is_wanted(_: &PlaceArgs) -> bool {
        false
    }

    /// There is no policy.
    ///
    /// # Errors
    /// There is none that could be wrong.
    pub fn prefers(_: &PlaceArgs) -> Result<bool, Failure> {
        Ok(false)
    }

    impl Supply {
        /// There is none.
        ///
        /// # Errors
        /// Always.
        pub fn open(_: &str, _: &PlaceArgs, _: Talk) -> Result<Supply, Failure> {
            Err(Failure::usage("choosing transports", "this tool was built without guests")
                .or_try("a build with the feature `guests`"))
        }

        /// See the tool with guests.
        ///
        /// # Errors
        /// There is none to ask.
        pub async fn prepare(&self, _: &[String]) -> Result<Vec<CodeHash>, Failure> {
            match *self {}
        }

        /// See the tool with guests.
        pub async fn preferred(&self, _: Eid, _: &str) -> Vec<CodeHash> {
            match *self {}
        }

        /// See the tool with guests.
        pub fn offerable(&self, _: (Eid, &str), _: &[CodeHash], _: &LeftOut, _: Talk) -> Vec<CodeHash> {
            match *self {}
        }

        /// See the tool with guests.
        pub async fn prepare_vouched(&self) {
            match *self {}
        }

        /// See the tool with guests.
        pub fn note_port(&self, _: u16) {
            match *self {}
        }

        /// See the tool with guests.
        pub fn note_host_port(&self, _: Eid, _: u16) {
            match *self {}
        }

        /// See the tool with guests.
        pub fn attend(&self, _: &Endpoint, _: Talk) {
            match *self {}
        }

        /// See the tool with guests.
        pub fn name(&self, _: CodeHash) -> String {
            match *self {}
        }

        /// See the tool with guests.
        pub fn run_by(&self, _: Builder) -> Builder {
            match *self {}
        }

        /// See the tool with guests.
        ///
        /// # Errors
        /// There is none to ask.
        pub fn serve(&self, _: &Endpoint) -> Result<(), Failure> {
            match *self {}
        }

        /// See the tool with guests.
        pub async fn follow_up(&self, _: &Connection, _: Talk) {
            match *self {}
        }
    }
}
