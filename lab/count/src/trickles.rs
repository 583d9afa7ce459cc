//! A client of Trickles that fetches an object without end, and its server: what an answer costs the server, which
//! keeps nothing, and what each of its packets costs the client, which keeps all.

use core::convert::Infallible;
use core::net::SocketAddr;

use tng_base::{Eid, Instant};
use tng_crypto::Secret32;
use tng_isolation::{Identity, Refusal};
use tng_trickles::client::{Client, ClientConfig, Event, Options, Policy, Read, Replicas};
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::server::{Beginnings, CacheConfig, Server, ServerConfig};
use tng_trickles::set_up::Call;
use tng_trickles::{EPOCH, EpochSecret, Keys, Wall, WallClock};

use crate::callgrind::the_counted_turn;
use crate::seat::{Air, Seat};
use crate::turns::{HALF_TRIP, Side};

/// Bytes that are reserved for the object: more than anybody fetches.
const RESERVED: u64 = 1 << 40;

/// The turn of the server whose datagrams are lost: slow start ends there.
const LOST_TURN: u64 = 12;

/// Bytes that the client reads at once.
const BLOCK: usize = 64 * 1024;

/// Serves one object, which has no end.
struct Endless;

impl Application for Endless {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let fill = |_: u64, buf: &mut [u8]| {
            buf.fill(7);
            Ok::<(), Infallible>(())
        };
        match asked {
            Asked::Put { object, reserved, .. } => {
                answer.output(object, reserved.clone(), &[]);
                let Ok(_) = answer.send_with(reserved, fill);
            }
            Asked::Want { ranges, .. } => {
                for range in ranges.iter() {
                    let Ok(_) = answer.send_with(range, fill);
                }
            }
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

fn everybody(_: Eid, _: Option<&[u8]>) -> Result<(), Refusal> {
    Ok(())
}

/// The client, the server and what is between them.
pub struct Trickles {
    now: Instant,
    client: Seat<Client>,
    server: Seat<Server<Endless>>,
    air: Air,
    block: Vec<u8>,
    turns: u64,
}

impl Trickles {
    /// Two that have not said anything. The client has been told what to ask for; the server may remember so much, and
    /// both leave seals out or do not.
    pub fn new(caches: CacheConfig, danger_plain: bool) -> Trickles {
        let now = Instant::from_secs(1);
        let [at_client, at_server] = [1, 2].map(|host| SocketAddr::from(([127, 0, 0, host], 4_860)));
        // An epoch begins: none ends while anything is counted.
        let epoch = 3_000_000;
        let wall = Wall::from_millis(epoch * EPOCH.as_millis() as u64);
        let keys = Keys::new(EpochSecret::new(epoch, Secret32::from_bytes([7; 32])), wall);
        let beginnings = Beginnings {
            identity: Identity::from_seed([2; 32]),
            keys: keys.expect("the secret of the present epoch"),
            access: Box::new(everybody),
            clock: WallClock::set(now, wall),
            entropy: [22; 32],
        };
        let config = ServerConfig { caches, danger_plain, ..ServerConfig::default() };
        let server = Server::new(config, beginnings, Endless, now);
        let replicas = Replicas::new(vec![at_server], Policy::Stay).expect("there is one");
        let call = Call::new(Identity::from_seed([2; 32]).eid());
        let identity = Identity::from_seed([1; 32]);
        let config = ClientConfig { danger_plain, ..ClientConfig::default() };
        let mut client = Client::connect(config, identity, call, replicas, [11; 32], now);
        client.ask("", Options { reserve: RESERVED, ..Options::default() }).expect("nothing was asked for before");
        Trickles {
            now,
            client: Seat::new(client, at_client),
            server: Seat::new(server, at_server),
            air: Air::default(),
            block: vec![0; BLOCK],
            turns: 0,
        }
    }

    /// Requests that the server has answered.
    pub fn answered(&self) -> u64 {
        self.server.machine.stats().answered
    }

    /// Packets that the client has taken.
    pub fn taken(&self) -> u64 {
        self.client.machine.stats().packets
    }

    /// Both ends have a turn. What the one chosen does is counted.
    pub fn step(&mut self, counted: Option<Side>) {
        let Trickles { now, client, server, air, block, turns } = self;
        if !client.has_work(*now) && !server.has_work(*now) {
            let next = [client.deadline, server.deadline].into_iter().flatten().min();
            *now = next.map_or(*now, |next| next.max(*now));
        }
        *now += HALF_TRIP;
        if client.has_work(*now) {
            match counted {
                Some(Side::Client) => the_counted_turn(client, |client| fetch(client, *now, air, block)),
                _ => fetch(client, *now, air, block),
            }
            air.deliver(client.at, &mut [server.inbox()]);
        }
        *now += HALF_TRIP;
        if server.has_work(*now) {
            match counted {
                Some(Side::Server) => the_counted_turn(server, |server| server.turn(*now, air)),
                _ => server.turn(*now, air),
            }
            *turns += 1;
            if *turns == LOST_TURN {
                air.lose();
            }
            air.deliver(server.at, &mut [client.inbox()]);
        }
    }
}

/// What the driver and the client's application do when they are woken.
fn fetch(client: &mut Seat<Client>, now: Instant, air: &mut Air, block: &mut [u8]) {
    client.turn(now, air);
    client.hear(|client, event| {
        if let Event::Readable(object) = event {
            while let Read::Bytes(_) = client.read(object, block) {}
        }
    });
}
