//! `tng attack`: a hostile peer, for hosts on this machine or a private network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tng::relay::Network;
use tng::{MEMORY_MAX, REQUESTS};
use tng_attack::{ATTACKS, Attack, Mark, REGISTRIES, RELAYS, STATELESS, STORMS, TargetKind, find};
use tng_services::ping::SERVICE;

use crate::allowance::TimeArgs;
use crate::attack::dialers;
use crate::attack::footprint::{Footprint, Process};
use crate::attack::outcome::{Outcome, growth_max};
use crate::attack::registries::Registry;
use crate::attack::relays::Relay;
use crate::attack::siege::{Pace, books, source};
use crate::attack::witness::Witness;
use crate::clock;
use crate::commands::serve::size;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{attend, client};
use crate::key::KeyArgs;
use crate::location::{HostAddress, Location, LocationParser};
use crate::relay::config::parse_network;
use crate::talk::{Talk, folded, hung};

/// Shown before everything else in `tng attack --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng serve photos --bind 127.0.0.1:0   a target, in another terminal
  tng attack list                       list the attacks
  tng attack init-flood TICKET          one attack for 3 s, and whether the
                                        target holds
  tng attack all TICKET                 every attack in turn
  tng attack messages TICKET            a flood of every message that no attack
                                        uses
  tng attack continuation-forge TICKET  on `tng trickles serve`: some attacks
                                        are on servers without client state
  tng attack open-relay --onward 127.0.0.0/8 EID@127.0.0.1:4860
                                        on `tng relay run`, whose own `onward`
                                        is the same
  tng attack introduce-flood TICKET     on `tng registry run`, or a relay that
                                        is a registry
  tng attack bitflip --seed 7 --json TICKET";

/// Longest time in which an honest host must be served while the target is under attack, and after, if it did not take
/// long before ([`HONEST_TIMES_MAX`]).
pub const HONEST_MAX: Duration = Duration::from_secs(3);

/// The same for an honest host that has to share its address with the attackers, since only 127.0.0.0/8 has others to
/// attack from: its share of half-open entries is theirs until these are given up.
pub const SHARED_MAX: Duration = Duration::from_secs(15);

/// So many times the time that it took before the attack it may take, if that is more: how long anything takes is up to
/// how busy the machine is.
pub const HONEST_TIMES_MAX: u32 = 20;

/// Most sockets to attack from.
pub const SOURCES_MAX: u16 = 256;

/// Datagrams a second, over all sources, if nothing else is said.
pub const RATE_DEFAULT: u32 = 4_000;

/// Arguments of `tng attack`.
#[derive(Args, Debug)]
pub struct AttackArgs {
    /// Name of the attack, `all` for each in turn, `messages` for a flood of each message, or `list` to list them
    #[arg(value_name = "NAME")]
    name: String,
    /// Host to attack: a ticket, or EID@host:port; only on this host, in a private network or on the same link. Some
    /// attacks on clients need none
    #[arg(value_name = "TARGET", value_parser = LocationParser)]
    target: Option<Location>,
    /// Seed of the attack's choices; keys and timing are new each time
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Seconds that each attack lasts
    #[arg(short, long, value_name = "S", default_value = "3", value_parser = seconds)]
    time: Duration,
    /// Datagrams a second, over all sources
    #[arg(long, value_name = "N", default_value_t = RATE_DEFAULT)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: u32,
    /// Sockets to attack from; some attacks use more
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(SOURCES_MAX)))]
    sources: u16,
    /// The target's own --memory [default: 256 MiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
    /// A network that the target, a relay, forwards to, as its own `onward` says. May be given more than once [default:
    /// the public Internet]
    #[arg(long, value_name = "NETWORK", value_parser = parse_network)]
    onward: Vec<Network>,
    #[command(flatten)]
    limits: TimeArgs,
    /// Of the honest host that looks in before, during and after
    #[command(flatten)]
    key: KeyArgs,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "write a number of seconds, such as 0.5".to_owned())?;
    if seconds <= 0.0 {
        return Err("an attack takes some time".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Attacks a host, and says whether its defences held.
///
/// # Errors
/// If there is no such attack, the target is not near or does not answer, or a defence did not hold.
pub async fn run(args: &AttackArgs, talk: Talk) -> Result<(), Failure> {
    if args.name == "list" {
        list(talk);
        return Ok(());
    }
    let attacks: Vec<&'static Attack> = match find(&args.name) {
        Some(attack) => vec![attack],
        None if args.name == "all" => STATELESS.iter().chain(RELAYS).chain(REGISTRIES).chain(ATTACKS).collect(),
        None if args.name == "messages" => STORMS.iter().collect(),
        None => {
            let what = format!("attacking by {}", args.name);
            return Err(Failure::usage(what, "there is no such attack").or_try("tng attack list"));
        }
    };
    let pace = Pace { seed: args.seed, time: args.time, rate: args.rate, sources: args.sources };
    let Some(target) = &args.target else {
        if let [attack] = attacks[..]
            && !attack.wants_a_target()
        {
            let outcome = args.limits.whole(dialers::attack(attack, None, pace)).await?;
            outcome.tell(args.seed, None, talk);
            return judged(&args.name, &[outcome]);
        }
        return Err(Failure::usage("attacking", "the target is missing")
            .or_try("tng serve FOLDER --bind 127.0.0.1:0 prints one"));
    };
    let address = near(target).await?;
    let target = Location { places: vec![HostAddress::Address(address)], ..target.clone() };
    let endpoint = client(args.key.load_or_create()?).await?;
    let work = async {
        let meeting = Witness::new(&args.key, endpoint.clone(), target.clone());
        let mut witness = args.limits.connecting(meeting).await?;
        let on_relays = attacks.iter().any(|attack| attack.is_on_relays());
        let relay = match witness.target_is_stateless() || !on_relays {
            true => Relay::None,
            false => Relay::meet(&endpoint, &target, address, &args.onward).await?,
        };
        let on_registries = attacks.iter().any(|attack| attack.is_on_registries());
        let registry = match witness.target_is_stateless() || !on_registries {
            true => Registry::None,
            false => Registry::meet(&target, address).await?,
        };
        let kinds = match witness.target_is_stateless() {
            true => vec![TargetKind::Stateless],
            false => {
                let of_relay = (!matches!(relay, Relay::None)).then_some(TargetKind::Relay);
                let of_registry = (!matches!(registry, Registry::None)).then_some(TargetKind::Registry);
                [Some(TargetKind::Host), of_relay, of_registry].into_iter().flatten().collect()
            }
        };
        let does_not_fit = |attack: &&Attack| attack.misfit(&kinds).is_some();
        let (misfits, attacks): (Vec<&'static Attack>, Vec<_>) = attacks.into_iter().partition(does_not_fit);
        if let ([misfit, ..], []) = (&misfits[..], &attacks[..]) {
            let what = format!("attacking {address} by {}", args.name);
            return Err(Failure::new(Exit::Partial, what, misfit.misfit(&kinds).unwrap_or_default())
                .or_try("tng attack all TARGET, which makes those that fit the target"));
        }
        let limit = if source(address, 0).is_loopback() { HONEST_MAX } else { SHARED_MAX };
        let file = witness.explore().await.map(|served| (served.largest.0.as_str().to_owned(), served.largest.1));
        let service = (SERVICE.to_owned(), REQUESTS.to_owned());
        let (client, closed) = match relay {
            Relay::None => (None, None),
            Relay::Closed(why) => (None, Some(why)),
            Relay::Open(client, helped) => {
                talk.say(helped.words(!args.onward.is_empty()));
                witness.be_helped(*helped);
                (Some(*client), None)
            }
        };
        let (registered, unregistered) = match registry {
            Registry::None => (None, None),
            Registry::Closed(why) => (None, Some(why)),
            Registry::Open(registered) => {
                let host = registered.host();
                witness.be_registered(*registered);
                (Some(host), None)
            }
        };
        let capability = target.capability.clone();
        let mark = Mark { eid: target.eid, address, capability, service, file, relay: client, registered };
        let Some(took) = witness.look(SHARED_MAX).await else {
            let what = format!("reaching {address} before the attack");
            return Err(Failure::new(Exit::Connect, what, "an honest host is not served").or_try("tng ping TARGET"));
        };
        // Later looks raise it no more: a target that one attack has slowed has no more time in the next.
        let limit = limit.max(took * HONEST_TIMES_MAX);
        // What one attack leaves behind counts for the next, too.
        let watched = Process::at(address).and_then(|process| process.memory_bytes().map(|bytes| (process, bytes)));
        let mut outcomes = Vec::new();
        for attack in attacks {
            let outcome = match attack.kind.hits_dialers() {
                true => dialers::attack(attack, Some(&mark), pace).await?,
                false if attack.is_on_relays() && closed.is_some() => {
                    Outcome::untried(attack, closed.as_deref().unwrap_or_default())
                }
                false if attack.is_on_registries() && unregistered.is_some() => {
                    Outcome::untried(attack, unregistered.as_deref().unwrap_or_default())
                }
                false => Outcome {
                    growth_max: growth_max(if attack.is_stateless() || attack.is_on_relays() {
                        // It is told to hold nothing.
                        0
                    } else {
                        args.memory.unwrap_or(MEMORY_MAX)
                    }),
                    networks_unnamed: args.onward.is_empty(),
                    ..assault(attack, &mark, pace, (&witness, limit), watched.as_ref()).await?
                },
            };
            outcome.tell(args.seed, Some(address), talk);
            outcomes.push(outcome);
        }
        if matches!(&*args.name, "all" | "messages") {
            tell_all(&args.name, &outcomes, (&broken(&outcomes), &misfits), address, talk);
        }
        judged(&args.name, &outcomes)
    };
    attend(&endpoint, args.limits.whole(work)).await
}

/// Attacks that a defence did not hold off.
fn broken(outcomes: &[Outcome]) -> Vec<&'static str> {
    outcomes.iter().filter(|outcome| !outcome.faults().is_empty()).map(|outcome| outcome.attack.name).collect()
}

/// What they came to, for who waits for the exit code.
fn judged(name: &str, outcomes: &[Outcome]) -> Result<(), Failure> {
    match (&broken(outcomes)[..], outcomes) {
        ([], [Outcome { untried: Some(why), .. }]) => {
            Err(Failure::new(Exit::Partial, format!("attacking by {name}"), why))
        }
        ([], _) => Ok(()),
        (broken, _) => {
            let what = format!("attacking by {}", broken.join(", "));
            let usual = "again with the same --seed, and -v at the target";
            let suggestion = outcomes.iter().find_map(Outcome::suggestion).unwrap_or(usual);
            Err(Failure::new(Exit::Protocol, what, "a defence did not hold").or_try(suggestion))
        }
    }
}

/// The verdict on all attacks in one.
fn tell_all(
    name: &str,
    outcomes: &[Outcome],
    (broken, misfits): (&[&str], &[&Attack]),
    address: SocketAddr,
    talk: Talk,
) {
    let misfits: Vec<&str> = misfits.iter().map(|attack| attack.name).collect();
    let untried: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| outcome.untried.is_some() && !broken.contains(&outcome.attack.name))
        .map(|outcome| outcome.attack.name)
        .collect();
    let held = outcomes.len() - broken.len() - untried.len();
    let also = |what: &str, names: &[&str]| match names {
        [] => String::new(),
        names => format!("; {what}: {}", names.join(", ")),
    };
    talk.payload(format_args!(
        "{name}: {held} of {} held{}{}{}",
        outcomes.len(),
        also("NOT HELD", broken),
        also("not tried", &untried),
        also("not for a target of this kind", &misfits)
    ));
    talk.event(
        "attacked_all",
        &json!({
            "name": name, "target": address.to_string(), "attacks": outcomes.len(), "held_count": held,
            "broken": broken, "untried": untried, "misfits": misfits, "held": broken.is_empty(),
        }),
    );
}

fn list(talk: Talk) {
    talk.say(folded(
        "stranger, peer, client: towards the target; server, beside: towards clients of this program, which the tool \
         starts",
    ));
    for attack in ATTACKS.iter().chain(STATELESS).chain(RELAYS).chain(REGISTRIES).chain(STORMS) {
        let who = attack.kind.name();
        talk.payload(hung(&format!("{:<16} {who:<9} ", attack.name), attack.about));
        talk.event(
            "attack",
            &json!({
                "name": attack.name, "by": who, "about": attack.about, "number": attack.number,
                "closes_with": attack.closes_with, "hits_dialers": attack.kind.hits_dialers(),
                "stateless": attack.is_stateless(), "on_relays": attack.is_on_relays(),
                "on_registries": attack.is_on_registries(),
            }),
        );
    }
}

/// Whether an address is on this host, a link, or a private network (RFC 1918, RFC 4193).
fn is_near(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(v4) => is_near_v4(v4),
        IpAddr::V6(v6) => v6 == Ipv6Addr::LOCALHOST || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

const fn is_near_v4(v4: Ipv4Addr) -> bool {
    v4.is_loopback() || v4.is_private() || v4.is_link_local()
}

/// The first address of the target that may be attacked.
async fn near(target: &Location) -> Result<SocketAddr, Failure> {
    let addresses = target.resolve().await?;
    addresses.iter().copied().find(|address| is_near(address.ip())).ok_or_else(|| {
        let far: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
        let why = "only hosts on this machine, a private network or a link may be attacked, no matter who owns them";
        Failure::usage(format!("attacking {}", far.join(", ")), why)
            .or_try("tng serve FOLDER --bind 127.0.0.1:0, and its ticket")
    })
}

async fn assault(
    attack: &'static Attack,
    mark: &Mark,
    pace: Pace,
    (witness, limit): (&Witness, Duration),
    watched: Option<&(Process, u64)>,
) -> Result<Outcome, Failure> {
    if mark.file.is_none() && attack.wants_a_file() {
        return Ok(Outcome::untried(attack, "the target hands out no file"));
    }
    let sources = pace.sources.clamp(attack.sources_min(), attack.sources_max());
    let (witness, pace) = (witness.of(attack), Pace { sources, ..pace });
    let before = witness.look(limit).await;
    let began = clock::now();
    let going_on = async {
        let sources = pace.begin(attack, mark)?;
        tokio::time::sleep(pace.time / 2).await;
        let during = witness.look(limit).await;
        let tally = books(sources).await?;
        Ok::<_, Failure>((during, tally, witness.look(limit).await))
    };
    let (done, footprint) = Footprint::during(watched, going_on).await;
    let (during, tally, after) = done?;
    let honest = Some([before, during, after]);
    Ok(Outcome { tally, honest, footprint, took: began.elapsed(), ..Outcome::of(attack) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_may_be_attacked() {
        let near = [
            "127.0.0.1",
            "127.8.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "172.31.0.1",
            "169.254.1.1",
            "::1",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
        ];
        let far = [
            "8.8.8.8",
            "172.32.0.1",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "2001:db8::1",
            "::",
            "ff02::1",
            "::ffff:8.8.8.8",
        ];
        for (texts, expected) in [(near, true), (far, false)] {
            for text in texts {
                assert_eq!(is_near(text.parse().expect("an address")), expected, "{text}");
            }
        }
    }
}
