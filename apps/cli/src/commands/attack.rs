//! `tng attack`: a hostile peer, for hosts on this machine or a private network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tng::Endpoint;
use tng_attack::{ATTACKS, Attack, Attacker, Kind, Mark, Tally, find};
use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_services::ping::{PROTOCOL, SERVICE};
use tokio::net::UdpSocket;
use tokio::task::JoinSet;

use crate::clock;
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::host::{attend, client};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser, Place};
use crate::peer;
use crate::talk::Talk;

/// Shown before everything else in `tng attack --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng serve photos --bind 127.0.0.1:0     a target, in another terminal
  tng attack list                         what there is
  tng attack init-flood TICKET            one attack for 3 s, and whether the target holds
  tng attack bitflip --seed 7 --json TICKET";

/// Longest time in which an honest host must be connected while the target is under attack, and after.
pub const HONEST_MAX: Duration = Duration::from_secs(3);

/// The same for an honest host that has to share its address with the attackers, since only 127.0.0.0/8 has others to attack from:
/// its share of half-open entries is theirs until these are given up.
pub const SHARED_MAX: Duration = Duration::from_secs(15);

/// How much longer than it is told to an attack goes on for what must come of it: how far it gets in its time is up to how busy the
/// machine is.
pub const OVERTIME_MAX: Duration = Duration::from_secs(10);

/// Most bytes that may come back to a stranger for each that it sent.
pub const AMPLIFICATION_MAX: f64 = 3.0;

/// The honest host's pause after an attempt that failed.
pub const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Most sockets to attack from.
pub const SOURCES_MAX: u16 = 256;

/// Datagrams a second, over all sources, if nothing else is said.
pub const RATE_DEFAULT: u32 = 4_000;

/// Arguments of `tng attack`.
#[derive(Args, Debug)]
pub struct AttackArgs {
    /// Which attack, or `list` for what there is
    #[arg(value_name = "NAME")]
    name: String,
    /// Whom to attack: a ticket, or EID@host:port. On this host, a private network or a link; nowhere else
    #[arg(value_name = "TARGET", value_parser = LocationParser)]
    target: Option<Location>,
    /// What the attack draws its choices from; keys and timing are new each time
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How long, in seconds
    #[arg(short, long, value_name = "S", default_value = "3", value_parser = seconds)]
    time: Duration,
    /// Datagrams a second, over all sources
    #[arg(long, value_name = "N", default_value_t = RATE_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: u32,
    /// Sockets to attack from
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=i64::from(SOURCES_MAX)))]
    sources: u16,
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

/// What an attack came to.
#[derive(Debug)]
struct Outcome {
    attack: &'static Attack,
    tally: Tally,
    /// How long an honest host took to connect before, during and after; `None` if it failed within [`HONEST_MAX`].
    honest: [Option<Duration>; 3],
    took: Duration,
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
    let Some(attack) = find(&args.name) else {
        let what = format!("attacking by {}", args.name);
        return Err(Failure::usage(what, "there is no such attack").or_try("tng attack list"));
    };
    let Some(target) = &args.target else {
        return Err(Failure::usage("attacking", "the target is missing")
            .or_try("tng serve FOLDER --bind 127.0.0.1:0 prints one"));
    };
    let address = near(target).await?;
    let target = Location { places: vec![Place::Address(address)], ..target.clone() };
    let endpoint = client(args.key.load_or_create()?).await?;
    attend(&endpoint, async {
        let outcome = assault(attack, args, &target, address, &endpoint).await?;
        outcome.tell(args, address, talk);
        match outcome.faults().is_empty() {
            true => Ok(()),
            false => {
                Err(Failure::new(Exit::Protocol, format!("attacking by {}", attack.name), "a defence did not hold")
                    .or_try("again with the same --seed, and -v at the target"))
            }
        }
    })
    .await
}

fn list(talk: Talk) {
    for attack in ATTACKS {
        let who = who(attack.kind);
        talk.payload(format_args!("{:<16} {who:<9} {}", attack.name, attack.about));
        talk.event(
            "attack",
            &json!({ "name": attack.name, "by": who, "about": attack.about, "number": attack.number, "closes_with": attack.closes_with }),
        );
    }
}

const fn who(kind: Kind) -> &'static str {
    match kind {
        Kind::Stranger => "stranger",
        Kind::Peer => "peer",
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
        let why = "only hosts on this machine, a private network or a link may be attacked, whoever they belong to";
        Failure::usage(format!("attacking {}", far.join(", ")), why)
            .or_try("tng serve FOLDER --bind 127.0.0.1:0, and its ticket")
    })
}

async fn assault(
    attack: &'static Attack,
    args: &AttackArgs,
    target: &Location,
    address: SocketAddr,
    endpoint: &Endpoint,
) -> Result<Outcome, Failure> {
    let limit = if source(address, 0).is_loopback() { HONEST_MAX } else { SHARED_MAX };
    let before = honest(endpoint, target, limit).await;
    if before.is_none() {
        let what = format!("reaching {address} before the attack");
        return Err(Failure::new(Exit::Connect, what, "an honest host cannot connect").or_try("tng ping TARGET"));
    }
    let began = clock::now();
    let service = (SERVICE.to_owned(), PROTOCOL.to_owned());
    let mark = Mark { eid: target.eid, address, capability: target.capability.clone(), service };
    let interval = Duration::from_secs(u64::from(args.sources)) / args.rate;
    let (mut seeds, mut sources) = (Rng::from_u64(args.seed), JoinSet::new());
    for index in 0..args.sources {
        let secret = tng::random_seed().map_err(|why| Failure::new(Exit::Read, "drawing random numbers", why))?;
        let attacker = Attacker::new(attack, mark.clone(), seeds.u64(), secret, interval, Instant::ZERO);
        sources.spawn(drive(attack, attacker, source(address, index), args.time));
    }
    tokio::time::sleep(args.time / 2).await;
    let during = honest(endpoint, target, limit).await;
    let mut tally = Tally::default();
    while let Some(ended) = sources.join_next().await {
        let ended = ended.map_err(|error| Failure::new(Exit::Send, "attacking", error))?;
        tally.add(&ended.map_err(|error| Failure::new(Exit::Send, "opening a socket", reason(&error)))?);
    }
    let after = honest(endpoint, target, limit).await;
    Ok(Outcome { attack, tally, honest: [before, during, after], took: began.elapsed() })
}

/// The address that an attacker sends from: on the loopback another than the honest host's, 127.0.0.1.
fn source(target: SocketAddr, index: u16) -> IpAddr {
    let [high, low] = index.to_be_bytes();
    match target.ip().to_canonical() {
        IpAddr::V4(v4) if v4.is_loopback() => Ipv4Addr::new(127, 0, high.wrapping_add(1), low).into(),
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

/// How long an honest host takes to connect, if no longer than `limit`.
async fn honest(endpoint: &Endpoint, target: &Location, limit: Duration) -> Option<Duration> {
    let began = clock::now();
    let silent = Talk { json: false, quiet: true, no_progress: true };
    let attempts = async {
        loop {
            match peer::connect(endpoint, target, silent).await {
                Ok(connection) => return connection.close(0, ""),
                Err(_) => tokio::time::sleep(RETRY_PAUSE).await,
            }
        }
    };
    tokio::time::timeout(limit, attempts).await.ok()?;
    Some(began.elapsed())
}

/// Drives an attacker on a socket of its own for `time`, and on until the attack has come to what it must.
async fn drive(
    attack: &'static Attack,
    mut attacker: Attacker,
    from: IpAddr,
    time: Duration,
) -> std::io::Result<Tally> {
    let socket = UdpSocket::bind(SocketAddr::new(from, 0)).await?;
    let began = clock::now();
    let elapsed = || Instant::ZERO + began.elapsed();
    let (mut out, mut inbox) = (vec![0; 65_536], vec![0; 65_536]);
    let (end, at_last) = (Instant::ZERO + time, Instant::ZERO + time + OVERTIME_MAX);
    loop {
        let now = elapsed();
        if now >= at_last || now >= end && attack.missing(attacker.tally()).is_none() {
            return Ok(attacker.tally().clone());
        }
        let wake_at = match attacker.poll_output(now, &mut out) {
            // Whatever becomes of it: an attacker does not mind.
            Output::Transmit(transmit) => {
                let _ = socket.send_to(&out[..transmit.len], transmit.remote).await;
                now
            }
            Output::Event(never) => match never {},
            Output::NeedsEntropy => now,
            Output::Timeout(at) => at.unwrap_or(end),
        };
        // What has come is taken first, up to a bound; then comes the wait.
        for _ in 0..16 {
            let Ok((len, remote)) = socket.try_recv_from(&mut inbox) else { break };
            take(&mut attacker, elapsed(), remote, &mut inbox[..len]);
        }
        if wake_at > now {
            tokio::select! {
                _ = socket.readable() => {}
                () = tokio::time::sleep(wake_at.since(now)) => {}
            }
        }
    }
}

fn take(attacker: &mut Attacker, now: Instant, remote: SocketAddr, payload: &mut [u8]) {
    let segment_size = payload.len().max(1);
    attacker
        .handle_input(now, Input::Datagram(Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload }));
}

impl Outcome {
    /// Which defences did not hold.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (when, honest) in ["before", "during", "after"].iter().zip(self.honest) {
            if honest.is_none() {
                faults.push(format!("an honest host could not connect in time {when} the attack"));
            }
        }
        if self.attack.kind == Kind::Stranger && self.tally.amplification() > AMPLIFICATION_MAX {
            faults.push(format!("{:.2} bytes came back for each", self.tally.amplification()));
        }
        faults.extend(self.attack.missing(&self.tally));
        faults
    }

    fn tell(&self, args: &AttackArgs, address: SocketAddr, talk: Talk) {
        let (faults, tally) = (self.faults(), &self.tally);
        let held = if faults.is_empty() { "held".to_owned() } else { format!("NOT HELD: {}", faults.join("; ")) };
        let ms = self.honest.map(|honest| honest.map(|honest| honest.as_secs_f64() * 1e3));
        let honest = ms.map(|ms| ms.map_or("none".to_owned(), |ms| format!("{ms:.1} ms")));
        let count = |map: Vec<String>| if map.is_empty() { "nothing".to_owned() } else { map.join(", ") };
        let kinds = count(tally.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect());
        let closes = count(tally.closes.iter().map(|(code, count)| format!("{count} with code {code}")).collect());
        talk.payload(format_args!("{}: {held}", self.attack.name));
        talk.payload(format_args!(
            "  sent      {} datagrams, {} bytes, seed {}",
            tally.sent, tally.sent_bytes, args.seed
        ));
        talk.payload(format_args!(
            "  came back {} bytes, {:.3} for each: {kinds}",
            tally.received_bytes,
            tally.amplification()
        ));
        if self.attack.kind == Kind::Peer {
            talk.payload(format_args!("  let in    {} times; ended by the target: {closes}", tally.connections));
        }
        talk.payload(format_args!("  honest    before {}, during {}, after {}", honest[0], honest[1], honest[2]));
        let map =
            |pairs: Vec<(String, u64)>| Value::Object(pairs.into_iter().map(|(key, n)| (key, n.into())).collect());
        talk.event(
            "attacked",
            &json!({
                "name": self.attack.name, "by": who(self.attack.kind), "number": self.attack.number,
                "target": address.to_string(), "seed": args.seed, "seconds": self.took.as_secs_f64(),
                "sent": tally.sent, "sent_bytes": tally.sent_bytes,
                "received": tally.received, "received_bytes": tally.received_bytes,
                "amplification": tally.amplification(),
                "kinds": map(tally.kinds.iter().map(|(kind, n)| ((*kind).to_owned(), *n)).collect()),
                "connections": tally.connections, "refusals": tally.refusals,
                "closes": map(tally.closes.iter().map(|(code, n)| (code.to_string(), *n)).collect()),
                "honest_ms": { "before": ms[0], "during": ms[1], "after": ms[2] },
                "held": faults.is_empty(), "faults": faults,
            }),
        );
    }
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
