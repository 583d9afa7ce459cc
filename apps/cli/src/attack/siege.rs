//! An attack on a target, from sockets of this host.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tng_attack::{Attack, Attacker, Mark, Tally};
use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::Secret32;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;

use crate::clock;
use crate::exit::Exit;
use crate::failure::{Failure, reason};

/// How much longer than it is told to an attack goes on for what must come of it: how far it gets in its time is up to
/// how busy the machine is.
pub const OVERTIME_MAX: Duration = Duration::from_secs(10);

/// Datagrams taken from one socket at a time.
const BATCH: usize = 16;

/// Under what circumstances targets are attacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// What choices are drawn from.
    pub seed: u64,
    /// How long.
    pub time: Duration,
    /// Datagrams a second, over all sources.
    pub rate: u32,
    /// Hosts that attack.
    pub sources: u16,
}

impl Pace {
    /// Sets the attackers of an attack going.
    ///
    /// # Errors
    /// If there are no random numbers to be had.
    pub fn begin(self, attack: &'static Attack, mark: &Mark) -> Result<JoinSet<std::io::Result<Tally>>, Failure> {
        let interval = Duration::from_secs(u64::from(self.sources)) / self.rate;
        let (mut seeds, mut sources) = (Rng::from_u64(self.seed), JoinSet::new());
        for index in 0..self.sources {
            let attacker = Attacker::new(attack, mark.clone(), seeds.u64(), secret()?, interval, Instant::ZERO);
            sources.spawn(drive(attack, attacker, (mark.address, source(mark.address, index)), self.time));
        }
        Ok(sources)
    }
}

/// The books of all attackers, when they have ended.
///
/// # Errors
/// If one had no socket.
pub async fn books(mut sources: JoinSet<std::io::Result<Tally>>) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    while let Some(ended) = sources.join_next().await {
        let ended = ended.map_err(|error| Failure::new(Exit::Send, "attacking", error))?;
        tally.add(&ended.map_err(|error| Failure::new(Exit::Send, "opening a socket", reason(&error)))?);
    }
    Ok(tally)
}

/// What keys are drawn from.
///
/// # Errors
/// If the system has none.
pub fn secret() -> Result<Secret32, Failure> {
    tng::random_seed().map_err(|why| Failure::new(Exit::Read, "drawing random numbers", why))
}

/// The address that an attacker sends from: on the loopback another than the honest host's, 127.0.0.1.
pub fn source(target: SocketAddr, index: u16) -> IpAddr {
    let [high, low] = index.to_be_bytes();
    match target.ip().to_canonical() {
        IpAddr::V4(v4) if v4.is_loopback() => Ipv4Addr::new(127, 0, high.wrapping_add(1), low).into(),
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

/// As which address of this host `target` sees who sends from `from`.
///
/// # Errors
/// If there is no way there.
pub fn seen_at(target: SocketAddr, from: IpAddr) -> std::io::Result<IpAddr> {
    if !from.is_unspecified() {
        return Ok(from);
    }
    let socket = std::net::UdpSocket::bind(SocketAddr::new(from, 0))?;
    socket.connect(target)?;
    Ok(socket.local_addr()?.ip().to_canonical())
}

/// Drives an attacker on sockets of its own for `time`, and on until the attack has come to what it must.
async fn drive(
    attack: &'static Attack,
    mut attacker: Attacker,
    (target, from): (SocketAddr, IpAddr),
    time: Duration,
) -> std::io::Result<Tally> {
    let (mut sockets, mut places) = (Vec::new(), Vec::new());
    let seen_at = seen_at(target, from)?;
    for _ in 0..attack.places() {
        let socket = UdpSocket::bind(SocketAddr::new(from, 0)).await?;
        places.push(SocketAddr::new(seen_at, socket.local_addr()?.port()));
        sockets.push(socket);
    }
    attacker.stand_at(places.clone());
    let began = clock::now();
    let elapsed = || Instant::ZERO + began.elapsed();
    let (mut out, mut inbox) = (vec![0; 65_536], vec![0; 65_536]);
    let (end, at_last) = (Instant::ZERO + time, Instant::ZERO + time + OVERTIME_MAX);
    loop {
        let now = elapsed();
        let tally = attacker.tally();
        if now >= at_last || now >= end && attack.missing(tally).is_none() && attack.is_under_way(tally) {
            return Ok(tally.clone());
        }
        let wake_at = match attacker.poll_output(now, &mut out) {
            // Whatever becomes of it: an attacker does not mind.
            Output::Transmit(transmit) => {
                let socket = &sockets[attacker.place() % sockets.len()];
                let _ = socket.send_to(&out[..transmit.len], transmit.remote).await;
                now
            }
            Output::Event(never) => match never {},
            Output::NeedsEntropy => now,
            Output::Timeout(at) => at.unwrap_or(end),
        };
        // What has come is taken first, up to a bound; then comes the wait.
        for (socket, place) in sockets.iter().zip(&places) {
            for _ in 0..BATCH {
                let Ok((len, remote)) = socket.try_recv_from(&mut inbox) else { break };
                let payload = &mut inbox[..len];
                take_at(&mut attacker, elapsed(), (Some(*place), remote), payload);
            }
        }
        if wake_at > now {
            tokio::select! {
                _ = sockets[0].readable() => {}
                () = tokio::time::sleep(wake_at.since(now)) => {}
            }
        }
    }
}

/// Hands a machine a datagram.
pub fn take(machine: &mut impl Machine, now: Instant, remote: SocketAddr, payload: &mut [u8]) {
    take_at(machine, now, (None, remote), payload);
}

/// The same, which has come at an address of its own that is told.
fn take_at(
    machine: &mut impl Machine,
    now: Instant,
    (local, remote): (Option<SocketAddr>, SocketAddr),
    payload: &mut [u8],
) {
    let segment_size = payload.len().max(1);
    machine.handle_input(now, Input::Datagram(Datagram { remote, local, ecn: Ecn::NotEct, segment_size, payload }));
}
