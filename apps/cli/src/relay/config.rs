//! The configuration of `tng relay run`: a TOML file, read key by key (docs/relay.md, "Every key").

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use tng::congestion::{Choice, NotForSections, SectionChoice, Share};
use tng::relay::{HelperConfig, Neighbourhood, Network, Onward, RELAYS_MAX, REPAIR_TIME_MAX};
use tng::stp::GUEST_PREFIX;
use tng_experiments::scenario::queue;
use tng_queue::QueueConfig;
use tng_settings::SettingsError;
use tng_settings::{Document, Field, Result, Section};

use super::clients::{ClientConfig, Clients};
use super::in_path::InPathTable;
use super::registry::RegistryTable;
use super::tunnels::config::{Side, TokenPlace, TunnelConfig};
use crate::daemon::lines::LogPlace;
use crate::daemon::told::{
    NeedsRestart, Origin, Places, Teller, Told, check_restart, listen, log_place, or_none, path, quoted, shown_if,
    shown_log, shown_path, shown_time,
};
use crate::location::DEFAULT_PORT;

/// Threads of a relay at most.
pub const RELAY_THREADS_MAX: u64 = tng::THREADS_MAX as u64;

/// How long a relay takes to tell its neighbours that it ends, at most, if nobody says otherwise.
pub const DRAIN_TIME: Duration = Duration::from_secs(2);

const FILE: &[&str] = &["relay", "elsewhere", "neighbourhood", "terms", "client", "tunnel", "in_path", "registry"];
const RELAY: &[&str] = &[
    "listen",
    "threads",
    "key",
    "secret",
    "control",
    "http",
    "access_log",
    "drain",
    "sandbox",
    "own",
    "onward",
    "flows_max",
    "held_max",
    "mtu",
];
const ELSEWHERE: &[&str] = &["controller", "pacing", "queue", "queue_time", "repair", "lease"];
const NEIGHBOURHOOD: &[&str] = &["network", "controller", "pacing", "queue", "queue_time", "repair", "lease"];

/// What a configuration says.
#[derive(Clone, Debug)]
pub struct RelayConfig {
    /// What was settled when the relay began.
    pub fixed: Fixed,
    /// How long it takes to tell its neighbours that it ends, at most.
    pub drain: Duration,
    /// What it passes on, and how; but where a guest governs sections, that place is held by the default controller:
    /// [`helper`](Self::helper) puts the guest there.
    pub helper: HelperConfig,
    /// The guests that govern sections.
    pub guests: Vec<GuestNamed>,
    /// For whom.
    pub clients: Clients,
    /// Its tunnels, which only a restart changes.
    pub tunnels: Vec<TunnelConfig>,
    /// How it stands in the path, which only a restart changes; none: it waits to be named.
    pub in_path: Option<InPathTable>,
    /// The registry that it is as well, which only a restart changes.
    pub registry: Option<RegistryTable>,
    /// Every value, and where it comes from, in the order of the keys.
    pub told: Vec<Told>,
}

/// A guest that governs sections, as the file names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuestNamed {
    /// Its name or its hash.
    pub name: String,
    /// Where that stands.
    pub place: String,
}

/// Settings that only a restart changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fixed {
    /// Where it listens.
    pub listen: SocketAddr,
    /// On how many threads.
    pub threads: usize,
    /// The file of its identity.
    pub key: PathBuf,
    /// The file of its secret.
    pub secret: PathBuf,
    /// The socket by which it is asked and told.
    pub control: PathBuf,
    /// Where it tells metrics and health, if anywhere.
    pub http: Option<SocketAddr>,
    /// Where a line for each flow goes, if anywhere.
    pub access_log: Option<LogPlace>,
    /// Whether the process gives up what it does not need, once it is bound.
    pub sandbox: bool,
}

/// A range of addresses, `10.0.0.0/8` or one address.
pub(super) fn network(field: &Field<'_, '_>) -> Result<Network> {
    parse_network(field.text()?).map_err(|why| field.wrong(why))
}

/// A network as it is typed: an address and its bits, or one address.
///
/// # Errors
/// What is wrong with it.
pub fn parse_network(text: &str) -> core::result::Result<Network, String> {
    let wrong = || format!("{text:?} is no network; write an address and its bits, like \"10.0.0.0/8\"");
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| wrong())?)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let most = Network::only(address).bits;
    let bits = bits.unwrap_or(most);
    if bits > most {
        return Err(wrong());
    }
    // Bits that do not count would be a mistake that nobody sees.
    if lowest(address, bits) != address {
        let lowest = lowest(address, bits);
        return Err(format!("{text:?} has bits beyond the first {bits}; write \"{lowest}/{bits}\""));
    }
    Ok(Network { address, bits })
}

/// The address with its first `bits` kept, and zeros behind.
fn lowest(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(ip) => {
            let kept = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::from((u32::from(ip) & kept).to_be_bytes())
        }
        IpAddr::V6(ip) => {
            let kept = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::from((u128::from(ip) & kept).to_be_bytes())
        }
    }
}

pub(super) fn shown_network(network: &Network) -> String {
    quoted(format_args!("{}/{}", network.address, network.bits))
}

fn onward(field: &Field<'_, '_>) -> Result<Onward> {
    if let Some(text) = field.as_text() {
        return match text {
            "public" => Ok(Onward::Public),
            _ => Err(field.wrong("write \"public\", or a list of networks")),
        };
    }
    field.list()?.iter().map(network).collect::<Result<Vec<Network>>>().map(Onward::Listed)
}

fn shown_onward(onward: &Onward) -> String {
    match onward {
        Onward::Public => quoted("public"),
        Onward::Listed(networks) => {
            let networks: Vec<String> = networks.iter().map(shown_network).collect();
            format!("[{}]", networks.join(", "))
        }
    }
}

/// A controller of sections.
pub(super) fn controller(field: &Field<'_, '_>) -> Result<SectionChoice> {
    let text = field.text()?;
    text.parse::<SectionChoice>().map_err(|why| field.wrong(why.to_string()))
}

/// The same, or a guest, whose place is held until it is loaded.
fn governor(field: &Field<'_, '_>) -> Result<SectionChoice> {
    match field.as_text().filter(|text| text.starts_with(GUEST_PREFIX)) {
        Some(text) => Choice::of(text, |mtu| Choice::default().make(mtu))
            .try_into()
            .map_err(|why: NotForSections| field.wrong(why.to_string())),
        None => controller(field),
    }
}

/// Whether a controller keeps to the rate that it is told, and is told none.
pub(super) fn is_boundless(choice: &SectionChoice) -> bool {
    choice.name().rsplit(':').next() == Some(FIXED_RATE)
}

/// What is wrong with such a one.
pub(super) const BOUNDLESS: &str = "keeps to a rate, and none is said; write one, such as \"fixed:20mbit\"";

/// The controller of leased links, whose rate is that of the lease.
const FIXED_RATE: &str = "fixed";

fn lease(field: &Field<'_, '_>) -> Result<Share> {
    let table = field.table("a lease", &["rate", "window"])?;
    let rate = table.need("rate")?.rate()? / 8;
    let window = table.get("window").map(|field| field.some_size()).transpose()?;
    Ok(Share { rate, window })
}

fn shown_lease(lease: &Share) -> String {
    let window = lease.window.map(|bytes| format!(", window = {bytes}")).unwrap_or_default();
    format!("{{ rate = \"{}bit\"{window} }}", lease.rate * 8)
}

/// How the sections with some neighbours are run; what is not said is as `otherwise`, which comes from `origin`.
fn neighbourhood(
    teller: &mut Teller,
    at: (&Section<'_, '_>, &str),
    (otherwise, origin): (&Neighbourhood, &Origin),
) -> Result<Neighbourhood> {
    let Neighbourhood { controller, pacing, discipline, queue_time, repair, lease, offers } = otherwise.clone();
    let from = || origin.clone();
    let shown_queue = |discipline: &Option<QueueConfig>| match discipline {
        Some(discipline) => format!("{discipline:?}"),
        None => quoted("auto"),
    };
    let read_queue = |field: &Field<'_, '_>| match field.as_text() {
        Some("auto") => Ok(None),
        _ => queue(field).map(Some),
    };
    let shown_controller = |choice: &SectionChoice| quoted(&**choice);
    let some_time = or_none(|field| match field.some_time()? {
        time if time > REPAIR_TIME_MAX => Err(field.wrong(format!("write at most \"{}s\"", REPAIR_TIME_MAX.as_secs()))),
        time => Ok(time),
    });
    let is_leased = match at.0.get("lease") {
        Some(field) => or_none(self::lease)(&field)?.is_some(),
        None => lease.is_some(),
    };
    let governed = |field: &Field<'_, '_>| match governor(field)? {
        choice if is_leased && choice.name() != FIXED_RATE => {
            let problem = format!(
                "a leased way is under \"{FIXED_RATE}\", at the rate of the lease; leave {choice:?} out, or write \
                 lease = \"none\""
            );
            Err(field.contradiction(problem))
        }
        choice if !is_leased && is_boundless(&choice) => {
            Err(field.contradiction(format!("{choice:?} {BOUNDLESS}, or a lease = {{ rate = \"20mbit\" }}")))
        }
        choice => Ok(choice),
    };
    let (controller, origin_of) = match is_leased {
        // Of leased links elsewhere: these are none.
        false if is_boundless(&controller) => (Neighbourhood::default().controller, Origin::Default),
        true => (controller, Origin::Table("the lease")),
        false => (controller, from()),
    };
    // The discipline of a queue that a leased link feeds is by the controller that would be there without.
    let shown_controller =
        |choice: &SectionChoice| if is_leased { quoted(FIXED_RATE) } else { shown_controller(choice) };
    Ok(Neighbourhood {
        controller: teller.value_from(at, "controller", (controller, origin_of), governed, shown_controller)?,
        pacing: teller.value_from(at, "pacing", (pacing, from()), |field| field.flag(), bool::to_string)?,
        discipline: teller.value_from(at, "queue", (discipline, from()), read_queue, shown_queue)?,
        queue_time: teller.value_from(at, "queue_time", (queue_time, from()), |field| field.some_time(), shown_time)?,
        repair: teller.value_from(at, "repair", (repair, from()), some_time, shown_if(shown_time))?,
        lease: teller.value_from(at, "lease", (lease, from()), or_none(self::lease), shown_if(shown_lease))?,
        offers,
    })
}

impl RelayConfig {
    /// Reads a configuration.
    ///
    /// # Errors
    /// The first fault that is found, with its line.
    pub fn parse(text: &str, places: &Places) -> Result<RelayConfig> {
        let document = Document::parse(text)?;
        let file = document.section(FILE)?;
        let (mut teller, empty) = (Teller::default(), Document::parse("")?);
        let table = |key: &str, known: &'static [&'static str]| match file.get(key) {
            Some(field) => field.table(&format!("[{key}]"), known),
            None => empty.section(known),
        };
        let relay = table("relay", RELAY)?;
        let (fixed, drain) = fixed(&mut teller, &relay, places)?;
        let defaults = HelperConfig::default();
        let at = (&relay, "relay");
        let own =
            |field: &Field<'_, '_>| field.list()?.iter().map(|field| field.unicast()).collect::<Result<Vec<IpAddr>>>();
        let shown_ips = |ips: &Vec<IpAddr>| format!("[{}]", ips.iter().map(quoted).collect::<Vec<_>>().join(", "));
        let own = teller.value(at, "own", Vec::new(), own, shown_ips)?;
        let onward = teller.value(at, "onward", defaults.onward, onward, shown_onward)?;
        let flows = |field: &Field<'_, '_>| field.whole(1..RELAYS_MAX as u64 + 1).map(|flows| flows as usize);
        let relays_max = teller.value(at, "flows_max", defaults.relays_max, flows, usize::to_string)?;
        let held_bytes_max =
            teller.value(at, "held_max", defaults.held_bytes_max, |field| field.some_size(), u64::to_string)?;
        let mut mtu = defaults.mtu;
        let payload = |field: &Field<'_, '_>| field.whole(1_200..65_508).map(|bytes| bytes as usize);
        mtu.payload_max = teller.value(at, "mtu", mtu.payload_max, payload, usize::to_string)?;
        let elsewhere = (&table("elsewhere", ELSEWHERE)?, "elsewhere");
        let mut guests = Vec::new();
        let mut note_guest = |table: &Section<'_, '_>| {
            let field = table.get("controller");
            let named = field.as_ref().and_then(|field| Some((field, field.as_text()?.strip_prefix(GUEST_PREFIX)?)));
            guests.extend(named.map(|(field, name)| GuestNamed { name: name.to_owned(), place: field.place() }));
        };
        note_guest(elsewhere.0);
        let elsewhere = neighbourhood(&mut teller, elsewhere, (&defaults.elsewhere, &Origin::Default))?;
        let mut neighbourhoods: Vec<(Network, Neighbourhood)> = Vec::new();
        for (nth, field) in file.all("neighbourhood")?.iter().enumerate() {
            let (table, name) =
                (field.table("a [[neighbourhood]]", NEIGHBOURHOOD)?, format!("neighbourhood.{}", nth + 1));
            let place = table.need("network")?;
            let network = network(&place)?;
            teller.tell(format!("{name}.network"), shown_network(&network), Origin::File(place.place()));
            if let Some((wider, _)) = neighbourhoods.iter().find(|(wider, _)| covers(wider, &network)) {
                let (wider, network) = (shown_network(wider), shown_network(&network));
                let problem = match wider == network {
                    true => format!("{network} has a [[neighbourhood]] already, and that one counts; leave one out"),
                    false => format!("{network} lies in {wider}, which stands before it and counts; put it first"),
                };
                return Err(place.contradiction(problem));
            }
            note_guest(&table);
            let otherwise = (&elsewhere, &Origin::Table("[elsewhere]"));
            neighbourhoods.push((network, neighbourhood(&mut teller, (&table, &name), otherwise)?));
        }
        let terms = table("terms", ClientConfig::TERMS)?;
        let clients = Clients::read(&mut teller, &terms, &file.all("client")?)?;
        let tunnels = super::tunnels::config::read(&mut teller, &file.all("tunnel")?, (&clients, fixed.listen))?;
        let in_path = match file.get("in_path") {
            Some(field) => {
                let table = field.table("[in_path]", InPathTable::KEYS)?;
                if own.is_empty() {
                    let why = "clients are told where the relay is: list its addresses in own under [relay]";
                    return Err(field.contradiction(why.to_owned()));
                }
                Some(InPathTable::read(&mut teller, &table)?)
            }
            None => None,
        };
        let registry = match file.get("registry") {
            Some(field) => Some(RegistryTable::read(&mut teller, &field.table("[registry]", RegistryTable::KEYS)?)?),
            None => None,
        };
        let (limits, limits_of) = clients.limits();
        let offering = |around: Neighbourhood| Neighbourhood { offers: clients.offers().clone(), ..around };
        let neighbourhoods = neighbourhoods.into_iter().map(|(network, around)| (network, offering(around))).collect();
        let elsewhere = offering(elsewhere);
        let helper = HelperConfig {
            own,
            onward,
            relays_max,
            held_bytes_max,
            mtu,
            elsewhere,
            neighbourhoods,
            limits,
            limits_of,
            in_path: in_path.as_ref().map(|in_path| in_path.limits),
            ..HelperConfig::default()
        };
        Ok(RelayConfig { fixed, drain, helper, guests, clients, tunnels, in_path, registry, told: teller.0 })
    }

    /// What it passes on, and how, with `guest` for each guest that governs sections, by its name.
    ///
    /// # Errors
    /// The first of `guest`.
    pub fn helper<E>(
        &self,
        mut guest: impl FnMut(&str) -> core::result::Result<SectionChoice, E>,
    ) -> core::result::Result<HelperConfig, E> {
        let mut helper = self.helper.clone();
        let listed = helper.neighbourhoods.iter_mut().map(|(_, there)| there);
        for around in listed.chain([&mut helper.elsewhere]) {
            if let Some(name) = around.controller.name().strip_prefix(GUEST_PREFIX) {
                around.controller = guest(name)?;
            }
        }
        Ok(helper)
    }

    /// Whether there is anything in it that is for nobody else.
    pub fn has_tokens(&self) -> bool {
        self.tokens().any(|token| matches!(token, TokenPlace::Text(_)))
    }

    /// What shows other relays that this one is their client.
    pub fn tokens(&self) -> impl Iterator<Item = &TokenPlace> {
        self.tunnels.iter().filter_map(|tunnel| match &tunnel.side {
            Side::To(there) => there.token.as_ref(),
            Side::From { .. } => None,
        })
    }

    /// That another configuration, in this text, wants what only a restart changes: the first such key, with its place.
    ///
    /// # Errors
    /// If it does.
    pub fn check_reload(&self, next: &RelayConfig) -> core::result::Result<(), NeedsRestart> {
        let is_fixed = |key: &str| {
            let of_relay = |key| RELAY[..FIXED].contains(&key) && key != "drain";
            key.strip_prefix("relay.").is_some_and(of_relay)
                || key.starts_with("tunnel.")
                || key.starts_with("in_path.")
                || key.starts_with("registry.")
        };
        check_restart(super::RELAY.name, (&self.told, &next.told), is_fixed)?;
        // Of a token no value is told.
        match self.tunnels.iter().zip(&next.tunnels).position(|(before, next)| before != next) {
            Some(nth) => {
                let key = format!("tunnel.{}.token", nth + 1);
                let told = next.told.iter().find(|told| told.key == key);
                let origin = told.map_or(Origin::Default, |told| told.origin.clone());
                Err(NeedsRestart { key, origin, name: super::RELAY.name })
            }
            None => Ok(()),
        }
    }
}

/// So many keys of [`RELAY`] are those that only a restart changes, but for `drain`.
const FIXED: usize = 9;

/// Whether all addresses of one network are in another.
fn covers(wide: &Network, narrow: &Network) -> bool {
    wide.bits <= narrow.bits && wide.contains(narrow.address)
}

fn fixed(teller: &mut Teller, relay: &Section<'_, '_>, places: &Places) -> Result<(Fixed, Duration)> {
    let at = (relay, "relay");
    let Places { state: (state, state_origin), runtime: (runtime, runtime_origin) } = places;
    let everywhere = SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), DEFAULT_PORT);
    let in_state = |name: &str| (state.join(name), state_origin.clone());
    let threads = |field: &Field<'_, '_>| field.whole(1..RELAY_THREADS_MAX + 1).map(|threads| threads as usize);
    let fixed = Fixed {
        listen: teller.value(at, "listen", everywhere, listen, |addr| quoted(addr))?,
        threads: teller.value(at, "threads", 1, threads, usize::to_string)?,
        key: teller.value_from(at, "key", in_state("relay-identity"), path, |path| shown_path(path))?,
        secret: teller.value_from(at, "secret", in_state("relay-secret"), path, |path| shown_path(path))?,
        control: teller.value_from(
            at,
            "control",
            (runtime.join("tng-relay.sock"), runtime_origin.clone()),
            path,
            |path| shown_path(path),
        )?,
        http: teller.value(at, "http", None, or_none(|field| field.socket()), shown_if(|addr| quoted(addr)))?,
        access_log: teller.value(at, "access_log", None, or_none(log_place), shown_if(shown_log))?,
        sandbox: teller.value(at, "sandbox", true, |field| field.flag(), bool::to_string)?,
    };
    Ok((fixed, teller.value(at, "drain", DRAIN_TIME, |field| field.some_time(), shown_time)?))
}

/// A fault of a configuration.
pub type ConfigError = SettingsError;

#[cfg(test)]
mod tests;
