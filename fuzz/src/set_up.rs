//! The set-up of Trickles: a server that keeps nothing, and clients in the hands of somebody between.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use tng_base::{Eid, Instant, Rng};
use tng_crypto::{HmacKey, Secret32, SecretRng, labels, sha256};
use tng_endpoint::{ExchangeLimits, Rate};
use tng_isolation::{Identity, Refusal};
use tng_trickles::set_up::{
    Access, AddressToken, Answer, Call, Dial, Dropped, Heard, Premises, SetUp, SetUpConfig, TOKEN_LIFE,
};
use tng_trickles::{ConnectionId, EPOCH, EpochSecret, Keys, Wall};

use crate::bytes::Script;
use crate::exchange::spoil;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[Target {
    name: "trickles_set_up",
    kind: Kind::Stateful,
    len_max: 300,
    memory: (1 << 20, 64 << 10),
    run: trickles_set_up,
    seeds,
}];

static ALICE: LazyLock<Identity> = LazyLock::new(|| Identity::from_seed([1; 32]));
static BOB: LazyLock<Eid> = LazyLock::new(|| Identity::from_seed([2; 32]).eid());
const EPOCH_AT_FIRST: u64 = 3_000_000;

/// What the server has said, and to whom: the bytes, the client's number, and the connection that they bring.
type Said = (Vec<u8>, usize, Option<ConnectionId>);

struct World {
    server: SetUp,
    now: Instant,
    wall: Wall,
    keys: Keys,
    rng: SecretRng,
    clients: Vec<Option<Dial>>,
    said: Vec<Said>,
    ids: BTreeSet<[u8; ConnectionId::LEN]>,
    /// With the place and the time of the set-ups that brought them.
    tokens: Vec<(AddressToken, u8, Wall)>,
}

fn place(byte: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, byte & 3], 1 + u16::from(byte >> 2)))
}

fn everybody(_: Eid, _: Option<&[u8]>) -> Result<(), Refusal> {
    Ok(())
}

/// The first MAC of an INIT to Bob.
fn repair(init: &mut [u8]) {
    let key = HmacKey::new(&sha256(&[labels::MAC1.as_bytes(), BOB.as_bytes()]));
    if let Some((covered, mac1)) = init.split_last_chunk_mut::<16>() {
        mac1.copy_from_slice(&key.tag(&[covered])[..16]);
    }
}

impl World {
    fn new(unproven: Rate) -> World {
        let wall = Wall::from_millis(EPOCH_AT_FIRST * EPOCH.as_millis() as u64);
        let secret = EpochSecret::new(EPOCH_AT_FIRST, Secret32::from_bytes([7; 32]));
        let exchanges = ExchangeLimits { unproven, ..ExchangeLimits::default() };
        let config = SetUpConfig { exchanges, ..SetUpConfig::default() };
        World {
            server: SetUp::new(Identity::from_seed([2; 32]), config, SecretRng::new([3; 32])),
            now: Instant::from_secs(1),
            wall,
            keys: Keys::new(secret, wall).expect("keys of today"),
            rng: SecretRng::new([4; 32]),
            clients: Vec::new(),
            said: Vec::new(),
            ids: BTreeSet::new(),
            tokens: Vec::new(),
        }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.wall = self.wall.after(time);
        self.keys.advance(self.wall).expect("no clock jumps that far");
    }

    fn call(&mut self, token: Option<AddressToken>) {
        let call = Call { token, first: vec![5; 40], ..Call::new(*BOB) };
        let seed = Rng::from_u64(self.clients.len() as u64).bytes::<32>();
        self.clients.push(Some(Dial::new(&ALICE, &call, &mut SecretRng::new(seed)).expect("a good call")));
    }

    /// A datagram comes to the server; it is the INIT of `client` if it is `genuine`.
    fn arrive(&mut self, client: usize, from: u8, datagram: &[u8], genuine: bool) {
        let access: &dyn Access = &everybody;
        let premises = Premises { now: self.now, wall: self.wall, keys: &self.keys, access };
        match self.server.answer(&premises, place(from), datagram, &mut self.rng) {
            Answer::Opened(opened) => {
                assert!(genuine, "a connection out of a changed INIT");
                assert_eq!((opened.peer(), opened.first()), (ALICE.eid(), &[5; 40][..]));
                assert!(opened.address_is_shown() || opened.may_send() == 3 * datagram.len() as u64);
                let id = opened.id();
                assert!(self.ids.insert(id.0), "an id twice");
                let reply = opened.reply(&[from], &mut self.rng).expect("it fits");
                self.said.push((reply, client, Some(id)));
            }
            Answer::Said(said) => {
                assert!(said.len() < datagram.len());
                self.said.push((said, client, None));
            }
            Answer::Dropped(Dropped::Bad(_)) => assert!(!genuine, "a good one is dropped"),
            Answer::Dropped(_) => {}
        }
    }

    /// A datagram comes to a client.
    fn hear(&mut self, client: usize, datagram: &[u8], from: Option<&Said>) {
        let Some(dial) = self.clients.get_mut(client).and_then(Option::take) else { return };
        let left = match dial.handle(datagram) {
            Heard::Waiting(dial) | Heard::Asked(dial) => Some(dial),
            Heard::Welcomed(welcomed) => {
                let (said, to, id) = from.expect("a welcome out of nothing");
                // What is under the seal, and who is addressed; the server's name in clear is for those between.
                assert!(said[..7] == datagram[..7] && said[13..] == datagram[13..], "a changed REPLY");
                assert_eq!((client, Some(welcomed.id)), (*to, *id));
                self.tokens.push((welcomed.token, welcomed.rest[0], self.wall));
                None
            }
            Heard::Failed(error) => panic!("{error:?}"),
        };
        self.clients[client] = left;
    }
}

fn trickles_set_up(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let burst = u64::from(script.u8() & 7);
    let mut world = World::new(Rate { per_s: burst, burst });
    world.call(None);
    while !script.is_over() {
        match script.below(8) {
            0 => world.pass(Duration::from_millis(u64::from(script.u16()) * 16)),
            1 if world.clients.len() < 8 => {
                let pick = script.u8();
                let token = world.tokens.get(usize::from(pick)).copied();
                world.call(token.map(|(token, ..)| token));
                let Some((token, at, since)) = token else { continue };
                // Of the time between the REPLY's making and its arrival the model knows nothing.
                let is_here = |place_of: u8| {
                    let place = tng_trickles::ClientNetwork::of(place(place_of).ip());
                    token.shows(&world.keys, world.wall, &place)
                };
                assert!(!is_here(at ^ 1), "a token is good in another place");
                assert!(!is_here(at) || world.wall.since(since) < TOKEN_LIFE, "a token is good for too long");
            }
            what @ 1..=3 => {
                let (client, from) = (script.below(world.clients.len()), script.u8());
                let Some(Some(dial)) = world.clients.get(client) else { continue };
                let genuine = dial.datagram().to_vec();
                let mut init = genuine.clone();
                if what == 3 {
                    spoil(&mut script, &mut init);
                    if script.below(2) == 0 {
                        repair(&mut init);
                    }
                }
                // A cookie is no part of what is sealed.
                let same = |at: core::ops::Range<usize>| genuine.get(at.clone()) == init.get(at);
                let is_genuine = init.len() == genuine.len() && same(0..9) && same(41..1_184);
                world.arrive(client, from, &init, is_genuine);
            }
            4 => {
                let datagram = script.piece();
                world.arrive(0, 0, datagram, false);
            }
            5 => {
                let client = script.below(world.clients.len());
                let datagram = script.piece();
                world.hear(client, datagram, None);
            }
            what => {
                let (client, pick) = (script.below(world.clients.len()), script.below(world.said.len()));
                let Some(said) = world.said.get(pick).cloned() else { continue };
                let mut datagram = said.0.clone();
                if what == 7 {
                    spoil(&mut script, &mut datagram);
                }
                world.hear(client, &datagram, Some(&said));
            }
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    vec![
        // An INIT, its REPLY; another with the token, from its place and from another.
        vec![7, 2, 0, 1, 6, 0, 0, 1, 0, 2, 1, 1, 2, 1, 2, 0, 200, 0, 6, 1, 1],
        // A cookie first, which comes back.
        vec![0, 2, 0, 1, 6, 0, 0, 2, 0, 1, 6, 0, 1],
        // Two clients, each other's answers, then changed ones.
        vec![7, 1, 9, 2, 0, 1, 2, 1, 2, 6, 0, 1, 6, 1, 0, 7, 0, 0, 2, 0, 50, 1, 3, 3, 0, 1, 1, 0, 9, 4, 0, 6, 1, 1],
        vec![7, 4, 0, 5, 0xa1, 1, 2, 3, 4, 5, 0, 0, 2, 6, 0xa1],
    ]
}
