//! What the paper's machines were connected by, and what is measured on it.

use core::time::Duration;

use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss, Reorder};

use crate::lab::{Goal, RunError};
use crate::peers::exchange::{Crowd, Errand, Habit, Origin, Page, Usage, Visit, Way};

/// Bits per second of the bottleneck of most figures.
pub const RATE_BPS: u64 = 100_000_000;
/// Bits per second of what leads to it.
pub const ACCESS_BPS: u64 = 1_000_000_000;
/// Round trip where no delay is added: that of a switched LAN.
pub const LAN_RTT: Duration = Duration::from_micros(100);
/// Packets that wait for the bottleneck at most: the transmit queue of an Ethernet card under Linux 2.4.
pub const QUEUE_PACKETS: usize = 100;
/// Bytes of a request.
pub const REQUEST_BYTES: u32 = 100;
/// Bytes of the objects of most figures.
pub const OBJECT_BYTES: u64 = 100_000_000;
/// What Trickles is held against, and Trickles.
pub const WAYS: [Way; 2] = [Way::Tcp, Way::Trickles(Usage::USUAL)];
/// What Trickles has of the reference's throughput.
pub const AS_FAST: Goal = Goal::Within(0.95, 1.05);
/// On which share of seeds, where losses fall by lot: a run of 100 MB strays by a few percent from one to the next.
pub const AS_FAST_ON: f64 = 0.8;
/// Bytes of the largest packet, as a link counts them.
const PACKET_BYTES: u64 = 1_500;
/// Most time that clients are given in a world.
const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The network between servers and clients.
#[derive(Clone, PartialEq, Debug)]
pub struct Testbed {
    /// Bits per second of the link that all share, each way.
    pub rate_bps: u64,
    /// Round trip of it.
    pub rtt: Duration,
    /// Packets that wait for it, each way.
    pub queue_packets: usize,
    /// Loss on the way to clients.
    pub loss_down: Loss,
    /// Loss on the way to servers.
    pub loss_up: Loss,
    /// What else befalls packets on the way to clients.
    pub reorder: Option<Reorder>,
    /// What leaves servers is delayed by up to this much, in steady order, so that flows of the same kind are not in
    /// step with the queue (S. Floyd, V. Jacobson: On Traffic Phase Effects in Packet-Switched Gateways, 1992).
    pub shake: Duration,
}

impl Default for Testbed {
    /// 100 Mbit/s and nothing else.
    fn default() -> Testbed {
        Testbed {
            rate_bps: RATE_BPS,
            rtt: LAN_RTT,
            queue_packets: QUEUE_PACKETS,
            loss_down: Loss::None,
            loss_up: Loss::None,
            reorder: None,
            shake: Duration::ZERO,
        }
    }
}

impl Testbed {
    /// With so long a round trip; a shorter one than the LAN's is that.
    pub fn rtt(self, rtt: Duration) -> Testbed {
        Testbed { rtt: rtt.max(LAN_RTT), ..self }
    }

    /// How long the bottleneck takes for the largest packet.
    pub fn packet_time(&self) -> Duration {
        Duration::from_nanos(PACKET_BYTES * 8 * 1_000_000_000 / self.rate_bps)
    }

    /// With what leaves servers shaken by up to a packet's time.
    pub fn shaken(self) -> Testbed {
        self.shaken_by(1)
    }

    /// With what leaves servers shaken by up to the time of so many packets.
    pub fn shaken_by(self, packets: u32) -> Testbed {
        Testbed { shake: packets * self.packet_time(), ..self }
    }

    /// Servers that speak so, and clients.
    pub fn crowd(&self, seed: u64, servers: Vec<Way>, clients: Vec<Visit>) -> Crowd {
        let queue = QueueConfig::DropTail(Limit::Packets(self.queue_packets));
        let shared = Link::new().rate(self.rate_bps).delay(self.rtt / 2).queue(queue);
        let access = Link::new().rate(ACCESS_BPS.max(10 * self.rate_bps));
        let from_server = access.clone().jitter(self.shake / 2).delay(self.shake / 2);
        Crowd {
            seed,
            controller: "reno".to_owned(),
            down: Link { reorder: self.reorder.clone(), ..shared.clone().loss(self.loss_down.clone()) },
            up: shared.loss(self.loss_up.clone()),
            servers: servers.into_iter().map(|way| Origin { way, access: from_server.clone() }).collect(),
            client_access: access,
            clients,
            dispatch: None,
            kills: Vec::new(),
        }
    }

    /// One server, and one client that fetches objects of these sizes one after the other, each on a connection of its
    /// own.
    pub fn alone(&self, seed: u64, way: Way, objects: impl IntoIterator<Item = u64>) -> Crowd {
        self.crowd(seed, vec![way], vec![one_by_one(0, objects)])
    }
}

/// A client that fetches objects of these sizes from a server, one after the other, each on a connection of its own.
pub fn one_by_one(server: usize, objects: impl IntoIterator<Item = u64>) -> Visit {
    Visit::new(server, Errand::new(Habit::ONE_BY_ONE, Page::sequence(REQUEST_BYTES, objects)))
}

/// Bits per second of a world's first client, from its first request to its last byte.
///
/// # Errors
/// What a client failed at, or that it had nothing to load.
pub fn goodput_bps(crowd: &Crowd) -> Result<f64, RunError> {
    goodput(crowd).map(|(rate_bps, _)| rate_bps)
}

/// The same, and what its transport has done, in words.
///
/// # Errors
/// What a client failed at, or that it had nothing to load.
pub fn goodput(crowd: &Crowd) -> Result<(f64, String), RunError> {
    let mut scene = crowd.begin().map_err(RunError::broken)?;
    let pages = scene.finish(TIME_MAX).map_err(RunError::broken)?.into_iter().next().unwrap_or_default();
    let (Some(first), Some(last)) = (pages.first(), pages.last()) else {
        return Err(RunError::broken("the client has nothing to load"));
    };
    let bytes: u64 = pages.iter().map(|page| page.bytes).sum();
    Ok((bytes as f64 * 8.0 / last.ended.since(first.begun).as_secs_f64(), scene.account(0)))
}

/// Bits per second of each client of a world from `from` to `to` after the start.
///
/// # Errors
/// What a client failed at.
pub fn rates_bps(crowd: &Crowd, from: Duration, to: Duration) -> Result<Vec<f64>, RunError> {
    crowd.begin().and_then(|mut scene| scene.rates_bps(from, to)).map_err(RunError::broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_object_alone_has_what_headers_leave_of_the_link() {
        // 1,448 of the 1,500 bytes of a packet.
        let rate = goodput_bps(&Testbed::default().alone(1, Way::Tcp, [20_000_000])).expect("it is loaded");
        assert!((0.94..0.966).contains(&(rate / RATE_BPS as f64)), "{rate}");
    }

    #[test]
    fn a_client_without_anything_to_load_is_an_error_and_not_a_rate() {
        assert!(goodput_bps(&Testbed::default().alone(1, Way::Tcp, [])).is_err());
    }
}
