//! What befalls the hosts of a run while they talk.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use tng_base::{Ecn, Instant, Machine, Output, Rng};
use tng_sim::topology::ipv4;
use tng_sim::{Carrier, Link, PORT};
use tng_stack::{Access, Host, HostConfig, Identity};

use super::ride::{A2, Ride};
use super::seat::NOBODY;

/// Datagrams of a flood at most; and remembered for it.
const FLOOD_MAX: u64 = 400;
const SEEN_MAX: usize = 64;

/// Something that happens. `who` is a party: 0 asks, 1 listens.
#[derive(Clone, Debug)]
pub(super) enum Blow {
    /// No packet passes on one link, or on both.
    Outage {
        first: bool,
        second: bool,
        ms: u64,
    },
    /// Packets wait on the first link, and then all come.
    Hold {
        ms: u64,
    },
    /// The road is another from now on.
    Road {
        forth: Box<Link>,
        back: Box<Link>,
    },
    /// The largest packet changes, in one direction or both.
    Mtu {
        forth: Option<usize>,
        back: Option<usize>,
    },
    /// The address of the party that asks changes.
    Move,
    /// The addresses of both change, or only of that which listens; the other is told where it is.
    MoveServer {
        both: bool,
    },
    /// A NAT forgets.
    Rebind,
    /// The party that asks wants a second path.
    SecondPath,
    /// The other one does.
    ServerAttaches,
    /// Both ask for a channel at the same moment.
    BothAttach,
    /// A request for a channel goes where nobody is.
    IntoTheVoid {
        who: usize,
    },
    /// A party gives up the channel that it has had longest, or all.
    DropOldest {
        who: usize,
    },
    Detach {
        who: usize,
    },
    /// A process ends, and another begins with the same key a while later.
    Restart {
        who: usize,
        away_ms: u64,
    },
    /// A host does not run for a while.
    Sleep {
        who: usize,
        ms: u64,
    },
    /// One more connection is asked for.
    Dial {
        who: usize,
    },
    /// A party closes what it has.
    HangUp {
        who: usize,
    },
    /// Somebody sends what he has seen, from elsewhere, perhaps damaged.
    Copies {
        count: u64,
        flipped: bool,
    },
    /// Somebody sends nonsense.
    Garbage {
        count: u64,
    },
    /// Somebody sends INITs from many addresses that are not his.
    Inits {
        count: u64,
    },
}

/// What an onlooker on the first link has seen.
pub(super) type Seen = Rc<RefCell<VecDeque<Vec<u8>>>>;

/// Lets an onlooker see what passes on a link towards the party that listens.
pub(super) fn look_on(ride: &mut Ride) -> Seen {
    let seen = Seen::default();
    let kept = Rc::clone(&seen);
    let lane = ride.link.forth();
    ride.world.intercept(lane, move |_, packet| {
        let mut seen = kept.borrow_mut();
        if seen.len() == SEEN_MAX {
            seen.pop_front();
        }
        seen.push_back(packet.payload.clone());
        true
    });
    seen
}

impl Blow {
    /// It happens now.
    pub fn strike(&self, ride: &mut Ride, rng: &mut Rng) {
        let now = ride.world.now();
        match self {
            Blow::Outage { first, second, ms } => {
                let (until, links) = (now + Duration::from_millis(*ms), (ride.link, ride.second));
                for link in first.then_some(links.0).into_iter().chain(links.1.filter(|_| *second)) {
                    ride.world.outage(link, now, until);
                }
            }
            Blow::Hold { ms } => {
                let lanes = ride.link.lanes();
                lanes.into_iter().for_each(|lane| ride.world.set_carrier(lane, Carrier::Holds));
                ride.world.at(now + Duration::from_millis(*ms), move |world| {
                    lanes.into_iter().for_each(|lane| world.set_carrier(lane, Carrier::Up));
                });
            }
            Blow::Road { forth, back } => {
                for (lane, to) in ride.link.lanes().into_iter().zip([forth, back]) {
                    let to = (**to).clone();
                    ride.world.change(lane, move |link| *link = Link { mtu: link.mtu, cost: link.cost, ..to });
                }
            }
            Blow::Mtu { forth, back } => {
                for (lane, mtu) in ride.link.lanes().into_iter().zip([forth, back]) {
                    if let Some(mtu) = *mtu {
                        ride.world.change(lane, |link| link.mtu = mtu);
                    }
                }
            }
            Blow::Move => ride.move_party(0),
            Blow::MoveServer { both } => {
                if *both {
                    ride.move_party(0);
                }
                ride.move_party(1);
                ride.tell_where(now + Duration::from_millis(100));
            }
            Blow::Rebind => ride.rebind(),
            Blow::SecondPath => {
                let server = ride.place(1);
                ride.each_connection(0, |host, now, id| {
                    // There may be too many, or none that is settled: then nothing happens.
                    let _ = host.attach(now, id, Some(A2), &[server]);
                });
            }
            Blow::ServerAttaches => {
                let at = if ride.second.is_some() { (A2, PORT).into() } else { ride.place(0) };
                ride.each_connection(1, |host, now, id| {
                    let _ = host.attach(now, id, None, &[at]);
                });
            }
            Blow::BothAttach => {
                for who in [0, 1] {
                    let other = ride.place(1 - who);
                    ride.each_connection(who, |host, now, id| {
                        let _ = host.attach(now, id, None, &[other]);
                    });
                }
            }
            Blow::IntoTheVoid { who } => ride.each_connection(*who, |host, now, id| {
                let _ = host.attach(now, id, None, &[(ipv4(99), PORT).into()]);
            }),
            Blow::DropOldest { who } => ride.each_connection(*who, |host, now, id| {
                let oldest = host.paths(id).first().map(|path| path.path);
                if oldest.is_some() {
                    host.detach(now, id, oldest);
                }
            }),
            Blow::Detach { who } => ride.each_connection(*who, |host, now, id| host.detach(now, id, None)),
            Blow::Restart { who, away_ms } => ride.restart(*who, Duration::from_millis(*away_ms)),
            Blow::Sleep { who, ms } => {
                if let Some(seat) = ride.seat(*who) {
                    seat.sleep(now, Duration::from_millis(*ms));
                }
            }
            Blow::Dial { who } => {
                let target = ride.target(1 - *who);
                if let Some(seat) = ride.seat(*who) {
                    seat.party.dial(target);
                }
            }
            Blow::HangUp { who } => ride.each_connection(*who, |host, now, id| host.close(now, id, 7, "by lot")),
            Blow::Copies { count, flipped } => {
                let seen: Vec<Vec<u8>> = ride.seen.borrow().iter().cloned().collect();
                for at in 0..(*count).min(FLOOD_MAX) {
                    let Some(copied) = seen.get(rng.below(seen.len().max(1) as u64) as usize) else { return };
                    let mut payload = copied.clone();
                    if *flipped && !payload.is_empty() {
                        let bit = rng.below(payload.len() as u64 * 8);
                        payload[(bit / 8) as usize] ^= 1 << (bit % 8);
                    }
                    flood(ride, rng, at, payload);
                }
            }
            Blow::Garbage { count } => {
                for at in 0..(*count).min(FLOOD_MAX) {
                    let most = [1, 8, 60, 1_300][rng.below(4) as usize];
                    let mut payload = vec![0; 1 + rng.below(most) as usize];
                    rng.fill(&mut payload);
                    if rng.chance(0.5) {
                        payload[0] = 1 + (payload[0] & 0x47);
                    }
                    flood(ride, rng, at, payload);
                }
            }
            Blow::Inits { count } => {
                let inits: Vec<Vec<u8>> = (0..6).filter_map(|_| init(ride, rng)).collect();
                for at in 0..(*count).min(FLOOD_MAX) {
                    let Some(init) = inits.get(rng.below(inits.len().max(1) as u64) as usize) else { return };
                    flood(ride, rng, at, init.clone());
                }
            }
        }
    }
}

/// The first datagram of a stranger.
fn init(ride: &mut Ride, rng: &mut Rng) -> Option<Vec<u8>> {
    let mut stranger = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed(rng.bytes()), rng.bytes());
    stranger.connect(Instant::ZERO, ride.target(1)).ok()?;
    let mut buf = vec![0; 65_536];
    match stranger.poll_output(Instant::ZERO, &mut buf) {
        Output::Transmit(transmit) => Some(buf[..transmit.segment_size].to_vec()),
        _ => None,
    }
}

/// One datagram of a flood: a hundred a millisecond, from addresses of nobody.
fn flood(ride: &mut Ride, rng: &mut Rng, at: u64, payload: Vec<u8>) {
    let [a, b, c] = NOBODY;
    let from = SocketAddr::new(IpAddr::from([a, b, c, rng.below(40) as u8]), 9);
    let (to, lane) = (ride.place(1), ride.link.forth());
    ride.world.at(ride.world.now() + Duration::from_micros(10 * at), move |world| {
        world.inject(lane, from, to, Ecn::NotEct, &payload);
    });
}
