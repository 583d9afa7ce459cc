//! The process of `tng relay run`: from its sockets to its end.

use std::fmt;
use std::fs::File;
use std::future::pending;
use std::net::{TcpListener as StdTcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use listenfd::ListenFd;
use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};
#[cfg(feature = "carrier")]
use tng::carrier::CarrierListen;
use tng::congestion::SectionChoice;
use tng::relay::passing::{Passing, Watching};
use tng::relay::{HelperConfig, Relay, RelayService};
use tng::{Access, Bound, Endpoint, Identity, Secret32, place_of};
use tokio::sync::oneshot;

use super::clients::Clients;
use super::config::{Fixed, GuestNamed, RelayConfig};
use super::denials::Denials;
use super::in_path::InPathTable;
use super::journal::{self, Ended};
use super::registry::{self, RegistryTable};
use super::tunnels::end::OpenEnd;
use super::tunnels::look_ups::look_up;
use super::tunnels::{self, Tunnels};
use super::{RELAY, SECRET, remarks, status};
#[cfg(feature = "carrier")]
use crate::carrier;
use crate::config::read_text;
use crate::daemon::control::Control;
use crate::daemon::lines::{Lines, LogPlace};
use crate::daemon::log::Log;
use crate::daemon::metrics::{self, counter, counters, gauge};
use crate::daemon::process::{self, Signals, starting};
use crate::daemon::sandbox::{self, Allowed, Sandboxed};
use crate::daemon::told::{self, Places};
use crate::daemon::{Daemon, Kind, Life, Listed, locked};
use crate::doctor::peers;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::controllers::Controllers;
use crate::guests::place::PlaceArgs;
use crate::host::{bind_failure, carried_at, listens_at, observed};
use crate::key::{KeyArgs, open_to_others};
use crate::notes;
use crate::pings;
use crate::registry::daemon::CONNECTIONS_SPARE;
use crate::registry::status as registry_status;
use crate::talk::Talk;

/// Reads a configuration.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn read(path: &Path, places: &Places) -> Result<RelayConfig, Failure> {
    let what = format!("reading {}", path.display());
    let file = File::open(path).map_err(|error| {
        let remedy = "another --config FILE, or write it: docs/relay.md has the smallest useful one";
        Failure::read(&what, &error).or_try(remedy)
    })?;
    let mode = open_to_others(&file.metadata().map_err(|error| Failure::read(&what, &error))?);
    let text = read_text(file, &what)?;
    let config = RelayConfig::parse(&text, places).map_err(|error| {
        Failure::new(Exit::Usage, &*what, error).or_try("docs/relay.md, \"Every key\", has what may stand there")
    })?;
    match mode {
        Some(mode) if config.has_tokens() => {
            let why = format!("there is a token in it, and others can read it (mode {mode:03o})");
            let remedy = format!("chmod 600 {}; or token_file in the place of token", path.display());
            Err(Failure::new(Exit::Read, what, why).or_try(remedy))
        }
        _ => Ok(config),
    }
}

/// The same, and the guests that govern sections are here, and may.
///
/// # Errors
/// If it cannot be read, is none, or one of the guests is not here, or may not.
pub fn read_with_guests(path: &Path, places: &Places, controllers: &Controllers) -> Result<RelayConfig, Failure> {
    let config = read(path, places)?;
    for GuestNamed { name, place } in &config.guests {
        controllers.check(name).map_err(|failure| Failure {
            what: format!("reading {}", path.display()),
            why: format!("{place}: controller: {}", failure.why),
            ..failure
        })?;
    }
    Ok(config)
}

/// The settings of a helper, with the guests of its configuration: compiled, unless they were before.
///
/// # Errors
/// If one of them cannot run.
pub fn helper(config: &RelayConfig, controllers: &Controllers) -> Result<HelperConfig, Failure> {
    config.helper(|name| {
        let choice = controllers.load(name)?.choice();
        SectionChoice::try_from(choice).map_err(|error| Failure::told(Exit::Usage, format!("loading {name}"), error))
    })
}

/// Everything that a relay needs of the system, had before it gives up the rest.
struct Prepared {
    path: PathBuf,
    places: Places,
    config: RelayConfig,
    controllers: Controllers,
    /// Which of its files it has made.
    made: Vec<&'static str>,
    identity: Identity,
    secret: Secret32,
    place: Vec<u8>,
    bound: Bound,
    /// Where carriers are taken.
    #[cfg(feature = "carrier")]
    carried: Option<CarrierListen>,
    http: Option<StdTcpListener>,
    control: Control,
    lines: Lines,
    ends: Vec<OpenEnd>,
    /// Sockets for what passes, if it stands in the path.
    passing: Option<Passing>,
    handed_over: bool,
}

impl Prepared {
    fn new(path: &Path, guests: &PlaceArgs, places: Places, talk: Talk) -> Result<Prepared, Failure> {
        let controllers = Controllers::open(RELAY.name, guests, talk)?;
        let config = read_with_guests(path, &places, &controllers)?;
        told::check_home("running a relay", &config.told)?;
        let addresses = look_up(&config.tunnels, talk)?;
        let fixed = &config.fixed;
        let key = KeyArgs { key: Some(fixed.key.clone()) };
        let made =
            [("identity", &fixed.key), ("secret", &fixed.secret)].map(|(what, path)| (what, path, !path.exists()));
        let (identity, secret) = (key.load_or_create()?, SECRET.load_or_create(&fixed.secret)?);
        let made: Vec<&'static str> = made
            .into_iter()
            .filter(|(.., is_new)| *is_new)
            .map(|(what, path, _)| {
                talk.say(format_args!("made a new {what} in {}", path.display()));
                what
            })
            .collect();
        let mut given = ListenFd::from_env();
        let (bound, handed_over) = bind(fixed, &mut given)?;
        let address = bound.local_addr().map_err(|error| Failure::read("asking for the relay's address", &error))?;
        let place = [place_of(address), format!(" {}", key.place()?).into_bytes()].concat();
        let http = fixed.http.map(|address| metrics::listen(address, "http under [relay]")).transpose()?;
        let control = Control::bind(RELAY, &fixed.control)?;
        let lines = Lines::open(fixed.access_log.as_ref())?;
        let ends = config.tunnels.iter().zip(addresses).map(OpenEnd::open).collect::<Result<Vec<_>, Failure>>()?;
        let passing = config.in_path.as_ref().map(InPathTable::bind).transpose()?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(Prepared {
            path,
            places,
            config,
            controllers,
            made,
            identity,
            secret,
            place,
            bound,
            #[cfg(feature = "carrier")]
            carried: carrier::listening()?,
            http,
            control,
            lines,
            ends,
            passing,
            handed_over,
        })
    }

    /// What it still needs of files: its configuration again and the guests of that, the end of its socket, and its log
    /// anew.
    fn allowed(&self) -> Allowed {
        let log = match &self.config.fixed.access_log {
            Some(LogPlace::File(path)) => vec![sandbox::folder_of(path)],
            Some(LogPlace::Stdout) | None => Vec::new(),
        };
        let configuration = [sandbox::folder_of(&self.path), "/etc/machine-id".into()];
        let kept = self.config.registry.as_ref().and_then(RegistryTable::folder);
        Allowed {
            read: configuration.into_iter().chain(self.controllers.folders()).collect(),
            write: [sandbox::folder_of(&self.config.fixed.control)].into_iter().chain(kept).collect(),
            log,
            connects: self.config.registry.as_ref().is_some_and(|table| table.store.connects()),
        }
    }
}

/// The socket that systemd has handed over, or others, and which of the two.
fn bind(fixed: &Fixed, given: &mut ListenFd) -> Result<(Bound, bool), Failure> {
    for at in 0..given.len() {
        let socket: Option<UdpSocket> = given.take_udp_socket(at).unwrap_or_default();
        if let Some(socket) = socket {
            let bound = Bound::given(socket).map(|bound| (bound, true));
            return bound.map_err(|error| Failure::read("taking the socket that was handed over", &error));
        }
    }
    let addr = fixed.listen;
    let bound = Bound::new(addr, fixed.threads).map(|bound| (bound, false));
    bound.map_err(|error| Failure::port(format!("listening on {addr}"), "listen under [relay]", &error))
}

/// Why there are fewer threads than were asked for, if there are.
fn fewer_threads(asked: usize, threads: usize, handed_over: bool) -> Option<String> {
    let why = match handed_over {
        true => "systemd has handed over one socket; without tng-relay.socket the relay binds one for each thread",
        false => "this system does not divide a port among sockets",
    };
    (threads < asked).then(|| format!("relay.threads is {asked}, and it runs on {threads}: {why}"))
}

/// A relay that runs.
pub struct Running {
    /// Its endpoint.
    pub endpoint: Endpoint,
    /// Its helper.
    pub relay: Relay,
    tunnels: Tunnels,
    path: PathBuf,
    places: Places,
    config: Mutex<RelayConfig>,
    controllers: Controllers,
    /// What it sees pass, if it stands in the path.
    watching: Option<Watching>,
    /// The registry that it is as well.
    registry: Option<registry::Running>,
    /// For those who need them at each event.
    clients: Arc<Mutex<Arc<Clients>>>,
    denials: Arc<Denials>,
    ended: Arc<Mutex<Ended>>,
    log: Log,
    life: Life,
}

impl Daemon for Running {
    const KIND: Kind = RELAY;

    fn life(&self) -> &Life {
        &self.life
    }

    fn is_running(&self) -> bool {
        self.relay.is_running()
    }

    fn status(&self) -> Value {
        let clients = Arc::clone(&locked(&self.clients));
        let (relay, clients) = ((&self.relay, &self.tunnels, &self.controllers), (&*clients, &*self.denials));
        let mut status = status::of(&self.endpoint, relay, clients, (&self.path, &self.life));
        status["registry"] = match &self.registry {
            Some(running) => registry_status::of_registry(&running.registry, &running.store),
            None => Value::Null,
        };
        status["in_path_failure"] = self.watching.as_ref().and_then(Watching::trouble).into();
        status
    }

    /// Its flows.
    fn list(&self) -> Option<(&'static str, Listed)> {
        let clients = Arc::clone(&locked(&self.clients));
        let flows =
            self.relay.flows().map(move |flows| flows.iter().map(|flow| status::flow(flow, &clients)).collect());
        Some(("flows", Box::new(flows)))
    }

    fn told(&self) -> Value {
        told::dump(&locked(&self.config).told)
    }

    /// Opens the access log anew as well.
    fn reload(&self) -> Result<(), Failure> {
        let mut config = locked(&self.config);
        let read = |path: &Path, places: &Places| {
            self.controllers.reload()?;
            read_with_guests(path, places, &self.controllers)
        };
        let next = told::read_again((&self.path, &self.places), read, |next| config.check_reload(next));
        let read = next.and_then(|next| {
            let helper = helper(&next, &self.controllers)?;
            // Somebody has moved it away, perhaps.
            let lines = Lines::reopen(next.fixed.access_log.as_ref(), next.fixed.sandbox)?;
            Ok((next, helper, lines))
        });
        let reloaded = read.map(|(next, helper, lines)| {
            self.log.set_place(lines);
            self.relay.set_config(&helper);
            *locked(&self.clients) = Arc::new(next.clients.clone());
            *config = next;
        });
        self.life.note(reloaded)
    }

    fn measure(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let (stats, sent, ended) = (self.relay.stats(), self.endpoint.sent(), locked(&self.ended).clone());
        let [missed, unwritten] = self.log.lost().counts();
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        gauge(to, "flows", "Flows helped or about to be", signed(stats.relays))?;
        gauge(to, "flows_ending", "Flows that are over and whose end is being told", signed(stats.endings))?;
        gauge(to, "tunnels", "Tunnels, there or asked for", signed(stats.tunnels))?;
        gauge(to, "queued_bytes", "Bytes waiting in shared queues", stats.queued_bytes as i64)?;
        counter(to, "joins", "JOINs taken, repeated ones not counted", stats.joins)?;
        counter(to, "refused", "JOINs refused", stats.refused)?;
        counter(to, "strays", "Datagrams that belong to nothing known", stats.strays)?;
        counter(to, "dropped_packets", "Packets dropped by shared queues", stats.dropped)?;
        counter(to, "marked_packets", "Packets marked by shared queues", stats.marked)?;
        counter(to, "received_bytes", "Bytes of datagrams for flows that came", stats.received_bytes)?;
        counter(to, "relayed_bytes", "Bytes of datagrams of flows that left", stats.sent_bytes)?;
        counter(to, "sent_datagrams", "Datagrams that left, of whatever kind", sent.datagrams)?;
        counter(to, "log_lines_unwritten", "Lines of the access log that could not be written", unwritten)?;
        counter(to, "log_lines_missed", "Lines of the access log that came faster than they were written", missed)?;
        counter(to, "events_missed", "Ends of flows and the like that came faster than they were taken", ended.missed)?;
        let passed = self.watching.as_ref().map(Watching::stats).unwrap_or_default();
        counter(to, "offers", "Offers to who has sent a set-up past it", passed.offers)?;
        counter(to, "passing_inits", "INITs that passed and were noted", passed.inits)?;
        counter(to, "passing_unanswered", "Those whose answer never passed", passed.unanswered)?;
        let takes = i64::from(self.watching.as_ref().is_none_or(|watching| watching.trouble().is_none()));
        gauge(to, "passing_good", "0 while packets of others cannot be taken", takes)?;
        if let Some(running) = &self.registry {
            registry_status::measure_registry(&running.registry, "registry_", to)?;
        }
        let denied = ("denied", "Hosts that asked for help and were denied it, by the reason", "reason");
        counters(to, denied, self.denials.counts())?;
        let by_reason = ended.by_reason.iter().map(|(reason, count)| (*reason, *count));
        counters(to, ("flows_ended", "Flows that are over, by the reason", "reason"), by_reason)
    }
}

/// Runs a relay until a signal ends it. To be called while the process has one thread.
///
/// # Errors
/// If something that it needs is not to be had.
pub fn run(path: &Path, guests: &PlaceArgs, places: Places, talk: Talk) -> Result<(), Failure> {
    let prepared = Prepared::new(path, guests, places, talk)?;
    let sandboxed = prepared.config.fixed.sandbox.then(|| sandbox::enter(&prepared.allowed()));
    let runtime = process::runtime(process::ASKERS_THREADS)?;
    let ended = runtime.block_on(serve(prepared, sandboxed, talk));
    runtime.shutdown_background();
    ended
}

async fn serve(prepared: Prepared, sandboxed: Option<Sandboxed>, talk: Talk) -> Result<(), Failure> {
    let Prepared {
        path,
        places,
        config,
        controllers,
        made,
        identity,
        secret,
        place,
        bound,
        #[cfg(feature = "carrier")]
        carried,
        http,
        control,
        lines,
        ends,
        passing,
        handed_over,
    } = prepared;
    let mut signals = Signals::heed(true).map_err(|e| starting(&e))?;
    // An engine has a thread of its own, which is to have given up as much as the others.
    let settings = helper(&config, &controllers)?;
    let watching = match config.in_path.as_ref().zip(passing) {
        Some((in_path, passing)) => {
            let port = bound.local_addr().map_err(|error| starting(&error))?.port();
            let offers = in_path.offers(&identity, &settings, port);
            Some(passing.watch(offers, &secret).map_err(|error| starting(&error))?)
        }
        None => None,
    };
    let service = RelayService::new(secret, settings);
    let builder = Endpoint::builder().identity(identity).access(Access::Public).place(place).relay(service);
    #[cfg(feature = "carrier")]
    let builder = match carried {
        Some(listen) => builder.carrier_listen(listen),
        None => builder,
    };
    let builder = match &config.registry {
        Some(table) => builder.connections_max(table.hosts + CONNECTIONS_SPARE),
        None => builder,
    };
    let clients = Arc::new(Mutex::new(Arc::new(config.clients.clone())));
    let denials = Arc::<Denials>::default();
    let (deciding, denied) = (Arc::clone(&clients), Arc::clone(&denials));
    let decide = move |eid, ask: &_| {
        let clients = Arc::clone(&locked(&deciding));
        clients.decide(eid, ask).inspect_err(|why| denied.note(eid, *why, talk))
    };
    let kept = config.registry.as_ref().map(|table| table.open(talk)).transpose()?;
    let serve = |endpoint: &Endpoint| {
        endpoint.serve_help(decide)?;
        let registry = config.registry.as_ref().zip(kept);
        registry.map(|(table, kept)| table.begin(endpoint, &config.helper.own, kept)).transpose()
    };
    let (endpoint, registry) = observed(builder)?.bound(bound).build_serving(serve).await.map_err(bind_failure)?;
    #[cfg(feature = "carrier")]
    carrier::follow(&endpoint);
    let relay = endpoint.relay().expect("it was asked for");
    pings::answer(&endpoint)?;
    peers::answer(&endpoint)?;
    let ended = Arc::<Mutex<Ended>>::default();
    let (end_journal, journal_ends) = oneshot::channel();
    let log = Log::begin(lines).map_err(|e| starting(&e))?;
    let (counts, names) = (Arc::clone(&ended), Arc::clone(&clients));
    let journal = journal::keep((relay.events(), journal_ends), log.clone(), counts, names);
    let journal = tokio::spawn(journal);
    let naming = Arc::clone(&clients);
    let called = move |client| locked(&naming).name(client);
    let tunnels = tunnels::begin(&endpoint, &relay, ends, called, talk).map_err(|e| starting(&e))?;
    let running = Arc::new(Running {
        endpoint: endpoint.clone(),
        relay: relay.clone(),
        tunnels,
        path,
        places,
        config: Mutex::new(config),
        controllers,
        watching,
        registry,
        clients,
        denials,
        ended,
        log: log.clone(),
        life: Life::begin(),
    });
    process::answer(&running, Some(&control), http, talk)?;
    greet(&running, (sandboxed.as_ref(), handed_over), &made, talk);
    process::attend(&*running, &mut signals, talk, pending()).await?;
    let most = locked(&running.config).drain;
    talk.say("ending: the neighbours are told");
    talk.event("draining", &json!({ "most_ms": most.as_millis() as u64 }));
    let told = tokio::time::timeout(most, async {
        relay.drain(most).await;
        endpoint.close().await;
        // Flows that ended last are written, too.
        drop(end_journal);
        let _ = journal.await;
        log.written().await;
    });
    tokio::select! {
        _ = told => {}
        () = signals.end() => return Ok(()),
    }
    notes::flush();
    talk.event("ended", &json!({}));
    Ok(())
}

fn greet(running: &Running, (sandboxed, handed_over): (Option<&Sandboxed>, bool), made: &[&str], talk: Talk) {
    let (eid, address) = (running.endpoint.eid(), listens_at(&running.endpoint));
    let (listed, anyone) = locked(&running.clients).count();
    let threads = running.endpoint.threads();
    let plural = if threads == 1 { "" } else { "s" };
    let (control, asked) = {
        let fixed = &locked(&running.config).fixed;
        (fixed.control.display().to_string(), fixed.threads)
    };
    talk.say(format_args!("relay {eid} at {address}, on {threads} thread{plural}"));
    talk.say(format_args!("socket: {control}"));
    if let Some(why) = fewer_threads(asked, threads, handed_over) {
        talk.warn(why);
    }
    let remarks = remarks::of(&locked(&running.config));
    remarks.iter().filter(|_| !talk.quiet).for_each(|remark| talk.warn(remark));
    if let Some(sandboxed) = sandboxed {
        sandboxed.say(talk);
    }
    let addresses: Vec<String> = running.endpoint.local_addresses().iter().map(ToString::to_string).collect();
    let event = json!({
        "eid": eid.to_string(), "addresses": addresses, "carrier_addresses": carried_at(&running.endpoint),
        "sandbox": sandboxed.map(Sandboxed::to_json),
        "threads": threads, "control": control,
        "clients": listed, "anyone": anyone, "made": made, "remarks": remarks,
    });
    talk.event("ready", &event);
    process::ready();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_more_threads_than_there_are_sockets_is_told_why_there_are_fewer() {
        let said = fewer_threads(2, 1, true).expect("fewer");
        assert!(said.starts_with("relay.threads is 2, and it runs on 1: systemd has handed over one"), "{said}");
        assert!(fewer_threads(2, 1, false).expect("fewer").contains("this system"));
        assert_eq!((fewer_threads(2, 2, false), fewer_threads(1, 1, true)), (None, None), "control");
    }
}
