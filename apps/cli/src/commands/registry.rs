//! `tng registry`: hosts that are found by their keys.

use std::net::{Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tng::registry::{DeskConfig, RegistryError, RegistryTarget, Statement, WATCH_AGAIN_AFTER, Watching, Word, publish};
use tng::{Access, Endpoint};
use tng_base::Eid;

use crate::allowance::TimeArgs;
use crate::daemon::control::{self, Socket};
use crate::daemon::told::Places;
use crate::failure::Failure;
use crate::host::{attend, attend_until_stopped, bind_address, client};
use crate::key::KeyArgs;
use crate::location::{DEFAULT_PORT, Location, LocationParser};
use crate::registry::daemon::{self, RunConfig};
use crate::registry::store::StorePlace;
use crate::registry::{REGISTRY, known, lookup, statements, status};
use crate::talk::{Talk, folded};
use crate::tickets::lifetime;

/// Hosts that a registry has room for, unless `--hosts` says otherwise.
pub const HOSTS_DEFAULT: u32 = 100_000;
/// The most that `--hosts` may say.
pub const HOSTS_MAX: u32 = 10_000_000;

/// Shown before everything else in `tng registry --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng registry run                      run a registry, in memory; prints the
                                        ticket that names it
  tng registry run --store file:hosts.db
                                        the same, with registrations that
                                        outlive a crash
  tng registry run --store etcd://10.0.0.1:2379,10.0.0.2:2379/tng
                                        one of several registries that share
                                        registrations
  tng registry status                   what the registry on this host has done
  tng registry publish away             publish what `tng id rotate` or
                                        `tng id revocation` made
  tng serve photos --register REGISTRY  let others find this host by its EID
                                        (public key) alone
  tng get --registry REGISTRY tng://EID/a.jpg
                                        find a host by its EID; or set
                                        TNG_REGISTRY
  tng registry lookup --registry REGISTRY EID
  tng registry watch --registry REGISTRY EID
                                        where a host is, now and at each change
  tng serve photos --public --register REGISTRY --register-token @secret
  tng get --registry REGISTRY --registry-token @secret tng://EID/a.jpg
                                        be found only by those who hold the
                                        token in that file

docs/registry.md says what a registry is trusted with, and what not.";

/// Arguments of `tng registry`.
#[derive(Args, Debug)]
pub struct RegistryArgs {
    #[command(subcommand)]
    command: RegistryCommand,
}

#[derive(Subcommand, Debug)]
enum RegistryCommand {
    /// Run a registry until SIGTERM, SIGINT or SIGHUP ends it
    Run(Box<RunArgs>),
    /// Show the counters of a registry on this host
    Status(StatusArgs),
    /// Look up where a host is
    Lookup(LookupArgs),
    /// Follow where a host is: now, and at each change
    Watch(LookupArgs),
    /// Publish the rotation or revocation of a key
    Publish(PublishArgs),
}

#[derive(Args, Debug)]
struct PublishArgs {
    /// File that `tng id rotate` made, or with the output of `tng id revocation`
    file: PathBuf,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    key: KeyArgs,
}

#[derive(Args, Debug)]
struct RunArgs {
    /// Address to listen on: IP:PORT, IP, or :PORT [default: every address, port 4860]
    #[arg(long, value_name = "ADDR", value_parser = bind_address)]
    bind: Option<SocketAddr>,
    /// Address where hosts find it. May be given more than once [default: the addresses of this host]
    #[arg(long = "address", value_name = "IP:PORT")]
    addresses: Vec<SocketAddr>,
    /// Where to keep registrations: memory, file:PATH, or etcd://IP:PORT,IP:PORT/PREFIX, which several registries
    /// share. Repeat to spread hosts evenly over several etcd clusters [default: memory]
    #[arg(long = "store", value_name = "STORE")]
    stores: Vec<StorePlace>,
    /// Most hosts that may be registered
    #[arg(long, value_name = "N", default_value_t = HOSTS_DEFAULT)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(HOSTS_MAX)))]
    hosts: u32,
    /// Lifetime of a registration that is not renewed: 30s, 5m [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = lifetime)]
    lease: Option<Duration>,
    /// Requests a second from one host, on average [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    per_host: Option<u32>,
    /// Requests a second from one address, on average [default: 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    per_address: Option<u32>,
    /// Let only these hosts register and look up: EIDs [default: everybody]
    #[arg(long, value_name = "EID", num_args = 1.., value_delimiter = ',')]
    allow: Vec<Eid>,
    /// Control socket, for `tng registry status` [default: that of a registry of this user]
    #[arg(long, value_name = "SOCKET")]
    control: Option<PathBuf>,
    /// Serve /metrics (for Prometheus) and /healthz over HTTP at this address
    #[arg(long, value_name = "IP:PORT")]
    http: Option<SocketAddr>,
    /// Do not enter the sandbox (Landlock, seccomp)
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    key: KeyArgs,
}

#[derive(Args, Debug)]
struct StatusArgs {
    /// The registry's control socket [default: that of a registry of this user]
    #[arg(long, value_name = "SOCKET")]
    control: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct LookupArgs {
    /// The host: its EID, a ticket, @FILE, or a name from ~/.config/tng/config.toml
    #[arg(value_name = "HOST", value_parser = LocationParser)]
    host: Location,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl RunArgs {
    fn config(&self) -> Result<RunConfig, Failure> {
        let defaults = DeskConfig::default();
        let (per_peer_s, per_network_s) = (
            self.per_host.map_or(defaults.per_peer_s, u64::from),
            self.per_address.map_or(defaults.per_network_s, u64::from),
        );
        let lease = self.lease.unwrap_or(defaults.lease);
        let desk = DeskConfig {
            lease,
            lease_max: defaults.lease_max.max(lease),
            per_peer_s,
            per_peer_burst: defaults.per_peer_burst.max(per_peer_s),
            per_network_s,
            per_network_burst: defaults.per_network_burst.max(per_network_s),
            attending_max: self.hosts as usize,
            ..defaults
        };
        let any = SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), DEFAULT_PORT);
        let access = match self.allow.is_empty() {
            true => Access::Public,
            false => Access::Listed(self.allow.iter().copied().collect()),
        };
        // The key's folder may be that of the socket, and is made with the first key.
        let (identity, own_place) = (self.key.load_or_create()?, self.key.place()?);
        let control = match &self.control {
            Some(path) => Some(path.clone()),
            None => {
                let (runtime, _) = Places::of_environment().runtime;
                runtime.is_dir().then(|| runtime.join(format!("{}.sock", REGISTRY.unit)))
            }
        };
        Ok(RunConfig {
            identity,
            own_place,
            listen: self.bind.unwrap_or(any),
            addresses: self.addresses.clone(),
            access,
            store: StorePlace::of(&self.stores)?,
            hosts_max: self.hosts as usize,
            desk,
            control,
            http: self.http,
            sandbox: !self.no_sandbox,
        })
    }
}

impl RegistryArgs {
    /// Does what has to begin while there is one thread, if that is asked for.
    pub fn run_alone(&self, talk: Talk) -> Option<Result<(), Failure>> {
        match &self.command {
            RegistryCommand::Run(args) => Some(args.config().and_then(|config| daemon::run(config, talk))),
            _ => None,
        }
    }
}

/// Does what is asked.
///
/// # Errors
/// If it cannot be done.
pub async fn run(args: &RegistryArgs, json: bool, talk: Talk) -> Result<(), Failure> {
    match &args.command {
        RegistryCommand::Run(_) => Err(Failure::usage("running a registry", "it is too late for that")),
        RegistryCommand::Status(args) => {
            let socket = match &args.control {
                Some(path) => Socket::named(path.clone(), "--control"),
                None => Socket::usual(REGISTRY, &Places::of_environment().runtime),
            };
            let answer = status::told(control::asked(REGISTRY, &socket, "status")?).ok_or_else(|| {
                Failure::usage("asking the registry", "a relay answers there, which is none")
                    .or_try("tng relay status; or [registry] in its configuration, and start it again")
            })?;
            match json {
                // A document, and not events.
                true => Talk { json: false, ..talk }.payload(answer),
                false => talk.payload(folded(status::table(&answer).trim_end())),
            }
            Ok(())
        }
        RegistryCommand::Lookup(args) => {
            let endpoint = client(args.key.load_or_create()?).await?;
            let work = async {
                let found = args.time.connecting(lookup::find(&endpoint, args.host.eid, talk)).await?;
                found.addresses().iter().for_each(|address| talk.payload(address));
                Ok(())
            };
            attend(&endpoint, args.time.whole(work)).await
        }
        RegistryCommand::Watch(args) => watch(args, talk).await,
        RegistryCommand::Publish(args) => {
            let (statement, targets) = (statements::read(&args.file)?, known::targets().await?);
            let endpoint = client(args.key.load_or_create()?).await?;
            let publishing = publish_at(&endpoint, &targets, &statement, args.time, talk);
            attend(&endpoint, args.time.whole(publishing)).await
        }
    }
}

/// Publishes a statement at all of these registries. Fails as the last that failed; of those before it is told here.
async fn publish_at(
    endpoint: &Endpoint,
    targets: &[RegistryTarget],
    statement: &Statement,
    time: TimeArgs,
    talk: Talk,
) -> Result<(), Failure> {
    let mut ended: Result<(), Failure> = Ok(());
    for target in targets {
        let what = || format!("publishing what {} says of its key", statement.eid);
        let published = match lookup::reachable(std::slice::from_ref(target), what) {
            Ok(()) => {
                let publishing = async {
                    publish(endpoint, target, statement.clone()).await.map_err(|error| Failure {
                        what: format!("publishing at {}", target.eid),
                        ..lookup::failure(statement.eid, error)
                    })
                };
                time.connecting(publishing).await
            }
            Err(failure) => Err(failure),
        };
        match published {
            Ok(kept) => {
                let days = kept.as_secs() / 86_400;
                let said = shown(statement, None);
                talk.say(format_args!("{} is {said}: {} keeps that for {days} days", statement.eid, target.eid));
                let mut event = changed(statement, None);
                event["registry"] = target.eid.to_string().into();
                event["kept_s"] = kept.as_secs().into();
                talk.event("published", &event);
            }
            Err(failure) => {
                if let Err(before) = std::mem::replace(&mut ended, Err(failure)) {
                    talk.warn(before);
                }
            }
        }
    }
    ended
}

/// Says where a host is at each change, until a signal ends it.
async fn watch(args: &LookupArgs, talk: Talk) -> Result<(), Failure> {
    let endpoint = client(args.key.load_or_create()?).await?;
    let watching = watched(&endpoint, args.host.eid, args.time, talk);
    attend_until_stopped(&endpoint, talk, args.time.whole(watching)).await
}

/// Says where a host is at each change. A registry that has ended it is waited for.
async fn watched(endpoint: &Endpoint, eid: Eid, time: TimeArgs, talk: Talk) -> Result<(), Failure> {
    let token = known::token_of(eid)?;
    lookup::reachable(&endpoint.registries_asked(), || format!("watching {eid}"))?;
    let begin = || endpoint.watch(eid, token.clone());
    let first = async { begin().await.map_err(|error| lookup::failure(eid, error)) };
    let (mut watching, mut last) = (time.connecting(first).await?, None);
    loop {
        let why = told(&mut watching, eid, &mut last, talk).await?;
        talk.say(format_args!("{why}\nwaiting until a registry answers"));
        talk.event("waiting", &json!({ "eid": eid.to_string(), "why": why }));
        watching = loop {
            tokio::time::sleep(WATCH_AGAIN_AFTER).await;
            match begin().await {
                Ok(watching) => break watching,
                Err(error) if error.may_pass() => {}
                Err(error) => return Err(lookup::failure(eid, error)),
            }
        };
        let registry = watching.registry().to_string();
        talk.say(format_args!("the registry {registry} answers"));
        talk.event("resumed", &json!({ "eid": eid.to_string(), "registry": registry }));
    }
}

/// Says what a registry tells of a host and is not the `last` that was said, until it tells no more: why.
async fn told(watching: &mut Watching, eid: Eid, last: &mut Option<String>, talk: Talk) -> Result<String, Failure> {
    loop {
        let (line, event, fields) = match watching.next().await {
            Some(Ok((statement, attended))) => {
                let observed = attended.map(|attended| attended.observed.to_string());
                let line = shown(&statement, observed.as_deref());
                (line, "changed", changed(&statement, observed.as_deref()))
            }
            Some(Err(error @ RegistryError::Absent(_))) => {
                let fields = json!({ "eid": eid.to_string(), "why": error.to_string() });
                ("absent".to_owned(), "absent", fields)
            }
            Some(Err(error)) if error.may_pass() => return Ok(error.to_string()),
            Some(Err(error)) => return Err(lookup::failure(eid, error)),
            None => return Ok(format!("the registry {} has ended it", watching.registry())),
        };
        if last.as_ref() != Some(&line) {
            talk.payload(&line);
            talk.event(event, &fields);
            *last = Some(line);
        }
    }
}

/// What a host says of itself, on a line.
fn shown(statement: &Statement, observed: Option<&str>) -> String {
    match &statement.word {
        Word::Here(record) => {
            let mut places: Vec<String> = record.addresses.iter().map(ToString::to_string).collect();
            places.extend(observed.filter(|at| !places.iter().any(|place| place == at)).map(str::to_owned));
            format!("number {} at {}", record.number, places.join(", "))
        }
        Word::Succeeded(succession) => format!("succeeded by {}", succession.heir),
        Word::Revoked { .. } => "revoked".to_owned(),
    }
}

fn changed(statement: &Statement, observed: Option<&str>) -> Value {
    let eid = statement.eid.to_string();
    match &statement.word {
        Word::Here(record) => {
            let addresses: Vec<String> = record.addresses.iter().map(ToString::to_string).collect();
            json!({ "eid": eid, "number": record.number, "addresses": addresses, "observed": observed })
        }
        Word::Succeeded(succession) => json!({ "eid": eid, "succeeded_by": succession.heir.to_string() }),
        Word::Revoked { .. } => json!({ "eid": eid, "revoked": true }),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    fn parsed(args: &[&str]) -> Result<RegistryArgs, clap::Error> {
        let command = RegistryArgs::augment_args(Command::new("registry"));
        RegistryArgs::from_arg_matches(&command.try_get_matches_from([&["registry"], args].concat())?)
    }

    #[test]
    fn a_registry_is_told_its_store_and_its_bounds_and_nothing_that_leaves_nobody_an_answer() {
        assert!(parsed(&["run", "--store", "file:hosts.db", "--hosts", "10", "--per-host", "1"]).is_ok());
        for bad in [&["--store", "disk"][..], &["--hosts", "0"], &["--per-host", "0"], &["--lease", "0s"]] {
            assert!(parsed(&[&["run"], bad].concat()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_bound_that_is_above_the_burst_takes_the_burst_along() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = folder.path().join("key");
        let args = ["run", "--per-host", "1000", "--lease", "2h", "--key", key.to_str().expect("text")];
        let RegistryCommand::Run(args) = parsed(&args).expect("parsed").command else { panic!("it is run") };
        let desk = args.config().expect("a key is made").desk;
        assert_eq!((desk.per_peer_s, desk.per_peer_burst), (1_000, 1_000));
        assert_eq!((desk.lease, desk.lease_max), (Duration::from_secs(7_200), Duration::from_secs(7_200)));
    }
}
