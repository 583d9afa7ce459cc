//! What each message costs a server that keeps nothing of a connection, at its worst: the server in memory, and an
//! attacker that sends it nothing else but what gets it in.

use core::convert::Infallible;

use tng_attack::{Attack, Attacker, Kind, Mark};
use tng_base::{Eid, Input, Instant, Machine, Output};
use tng_crypto::Secret32;
use tng_endpoint::Port;
use tng_isolation::{Identity, Refusal};
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::server::{Beginnings, Server, ServerConfig};
use tng_trickles::wire::REQUEST;
use tng_trickles::{EPOCH, EpochSecret, Keys, Wall, WallClock};

use crate::callgrind::the_counted_turn;
use crate::hostile::{COUNTED, INTERVAL, TURNS_MAX, WARM_UP, attacker_at, give, target_at};

/// Bytes of whatever is asked for.
const LEN: u64 = 40;
/// How often more than once a connection may have the same computed, as with files.
const RETRIES: u8 = 2;

/// Tells the same of whatever is asked for, as if that had to be computed. What computing costs is not in the count.
struct Oracle;

impl Application for Oracle {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let Asked::Put { object, reserved, data, .. } = asked else { return };
        if answer.may_compute(object, data, &(0..LEN), RETRIES) {
            answer.send(reserved.start, &[7; LEN as usize]);
            answer.skip(reserved.start + LEN..reserved.end);
        }
    }
}

type Besieged = Port<(Server<Oracle>,)>;

fn everybody(_: Eid, _: Option<&[u8]>) -> Result<(), Refusal> {
    Ok(())
}

fn server(identity: Identity, now: Instant) -> Besieged {
    // An epoch begins: none ends while anything is counted.
    let epoch = 3_000_000;
    let wall = Wall::from_millis(epoch * EPOCH.as_millis() as u64);
    let keys = Keys::new(EpochSecret::new(epoch, Secret32::from_bytes([7; 32])), wall);
    let beginnings = Beginnings {
        identity,
        keys: keys.expect("the secret of the present epoch"),
        access: Box::new(everybody),
        clock: WallClock::set(now, wall),
        entropy: [22; 32],
    };
    Port::new((Server::new(ServerConfig::default(), beginnings, Oracle, Instant::ZERO),))
}

fn turn(server: &mut Besieged, now: Instant, came: &mut [u8], buf: &mut [u8]) -> Vec<Vec<u8>> {
    give(server, now, attacker_at(), came);
    server.handle_timeout(now);
    let mut said = Vec::new();
    loop {
        match server.poll_output(now, buf) {
            Output::Transmit(t) => said.extend(buf[..t.len].chunks(t.segment_size).map(<[u8]>::to_vec)),
            Output::NeedsEntropy => server.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::Event(never) => never_happens(&never),
            Output::Timeout(_) => return said,
        }
    }
}

const fn never_happens(never: &Infallible) {
    match *never {}
}

/// Drives an attack on a server, counting its turns after a warm-up: those with requests, of a client that is let in.
/// Answers how many were counted.
pub fn run(attack: &'static Attack) -> u64 {
    let identity = Identity::from_seed([2; 32]);
    let file = Some(("file".to_owned(), 1 << 30));
    let service = (String::new(), String::new());
    let mark = Mark {
        eid: identity.eid(),
        address: target_at(),
        capability: Vec::new(),
        service,
        file,
        relay: None,
        registered: None,
    };
    // It has run for longer than clocks differ.
    let mut now = Instant::from_secs(60);
    let mut server = server(identity, now);
    let mut attacker = Attacker::new(attack, mark, 1, [7; 32], INTERVAL, now);
    let (mut out, mut buf) = (vec![0; 65_536], vec![0; 65_536]);
    let (mut sent, mut counted) = (0, 0);
    for _ in 0..TURNS_MAX {
        while let Output::Transmit(t) = attacker.poll_output(now, &mut out) {
            let datagram = &mut out[..t.len];
            let of_kind = attack.kind == Kind::Stranger || datagram.first() == Some(&REQUEST);
            sent += u64::from(of_kind);
            let mut said = Vec::new();
            match of_kind && sent > WARM_UP {
                true => {
                    counted += 1;
                    the_counted_turn(&mut said, |said| *said = turn(&mut server, now, datagram, &mut buf));
                }
                false => said = turn(&mut server, now, datagram, &mut buf),
            }
            for mut datagram in said {
                give(&mut attacker, now, target_at(), &mut datagram);
            }
        }
        if counted >= COUNTED {
            break;
        }
        now += INTERVAL;
    }
    counted
}
