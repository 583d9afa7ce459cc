//! Rows 7 and 8 of docs/attacks.md, as far as continuations, seals, proofs and filters show them by themselves. The
//! server that does all of it in this order is in `server.rs`; replicas, restarts and clocks are in `replay/tests.rs`.

use core::ops::Range;
use core::time::Duration;

use tng_base::{Instant, Rng};
use tng_crypto::Secret32;

use super::*;
use crate::replay::{Issuer, Replay};
use crate::server::Refused;

/// Forgeries and lies: ten million in the full count.
fn attempts() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(200_000)
}

const EPOCH_NOW: u64 = 3;
const CLIENTS: u8 = 3;

fn id(client: u8) -> ConnectionId {
    ConnectionId([client; 16])
}

/// Clients of one place, so that only their names tell them apart.
fn place(client: u8) -> ClientNetwork {
    ClientNetwork::of([192, 0, 2, client / 2].into())
}

fn keys() -> Keys {
    let secret = EpochSecret::new(EPOCH_NOW - 1, Secret32::from_bytes([9; 32]));
    Keys::new(secret, Wall::from_millis(EPOCH_NOW * EPOCH.as_millis() as u64)).unwrap()
}

/// A line whose window is so large that no loss ends it before the numbers do that are looked at here.
fn continuation(serial: u64, first: u64) -> Continuation {
    let root = Line { growth: Growth::new(0, 400, 400), tag: Tag(5) };
    Continuation {
        site: Site(1),
        issuer: Issuer(1),
        serial,
        first,
        is_pair: true,
        root,
        tag: root.tag,
        keying: Keying::of(EPOCH_NOW as u8),
        issued: Stamp::of(Wall::from_millis(EPOCH_NOW * EPOCH.as_millis() as u64)),
        rtt: Rtt::default(),
        shown_from: 1,
    }
}

/// What a request says.
#[derive(Clone)]
struct Request {
    client: u8,
    place: ClientNetwork,
    continuation: Continuation,
    seal: [u8; 16],
}

/// A server's checks. For each there is a control without it.
struct Checks {
    keys: Keys,
    replay: Replay,
    has_seals: bool,
    has_filter: bool,
    binds_nonces: bool,
}

impl Checks {
    fn all() -> Checks {
        let replay = Replay::serials(Issuer(1), Instant::ZERO, 1 << 20, Duration::from_secs(15));
        Checks { keys: keys(), replay, has_seals: true, has_filter: true, binds_nonces: true }
    }

    fn nonces(&self, client: u8) -> Nonces<'_> {
        let keying = Keying::of(EPOCH_NOW as u8);
        match self.binds_nonces {
            true => Nonces::new(&self.keys, id(client), &keying).unwrap(),
            false => Nonces::of_any_connection(&self.keys, id(client), &keying).unwrap(),
        }
    }

    fn give(&self, client: u8, continuation: Continuation) -> Request {
        let seal = continuation.seal(self.keys.present(), &id(client), &place(client));
        Request { client, place: place(client), continuation, seal }
    }

    /// Whether the continuation is spent, in the order in which a server asks.
    fn spend(&mut self, request: &Request) -> Result<(), Refused> {
        let Request { client, place, continuation, seal } = request;
        let sealed_by = self.keys.by_last_byte(continuation.keying.epoch).ok_or(Refused::Epoch)?;
        if self.has_seals && !continuation.verify(sealed_by, &id(*client), place, seal) {
            return Err(Refused::Unsealed);
        }
        if self.has_filter {
            self.replay.burn(Instant::ZERO, &id(*client), continuation)?;
        }
        Ok(())
    }

    /// How many packets it releases.
    fn release(&self, client: u8, continuation: &Continuation, proof: &Proof) -> Result<u64, Refused> {
        let nonces = self.nonces(client);
        proof.verify(continuation, &nonces)?;
        let numbers = release(&continuation.spent(), proof.story(), |tag, turn| nonces.after(tag, turn))?.numbers;
        Ok(numbers.end - numbers.start)
    }
}

/// One change to what a client was given.
fn forged(rng: &mut Rng, given: &[Request]) -> Request {
    let mut request = given[rng.below(given.len() as u64) as usize].clone();
    let original = request.clone();
    let Request { client, place: at, continuation, seal } = &mut request;
    let spliced = &given[rng.below(given.len() as u64) as usize];
    let other = |rng: &mut Rng, not: u64, below: u64| (not + 1 + rng.below(below - 1)) % below;
    match rng.below(16) {
        // To be given more.
        0 => continuation.root.growth = Growth::new(0, 401 + rng.below(10_000), 401 + rng.below(10_000)),
        1 => continuation.root.growth = Growth::new(0, 400, 401 + rng.below(10_000)),
        2 => continuation.is_pair = false,
        // To spend it again.
        3 => continuation.serial = other(rng, continuation.serial, SERIAL_LIMIT),
        4 => continuation.issuer = Issuer(continuation.issuer.0.wrapping_add(1 + rng.below(1 << 31) as u32)),
        5 => continuation.first = other(rng, continuation.first, 1 << 40).max(1_000),
        6 => continuation.tag = Tag(other(rng, 5, 1 << 32) as u32),
        7 => continuation.root.tag = Tag(other(rng, 5, 1 << 32) as u32),
        // To forget losses, age, the path.
        8 => continuation.shown_from += 1 + rng.below(20),
        9 => continuation.issued = Stamp::of(Wall::from_millis(EPOCH_NOW * 600_000 + 1 + rng.below(1 << 23))),
        10 => continuation.rtt = Rtt::of(Duration::from_micros(10 + rng.below(1 << 24))),
        11 => continuation.keying = Keying::of([EPOCH_NOW - 1, EPOCH_NOW + 1][rng.below(2) as usize] as u8),
        // To use another's, from elsewhere, or as another.
        12 => *client = other(rng, u64::from(*client), u64::from(CLIENTS)) as u8,
        13 => *at = ClientNetwork::of([198, 51, 100, rng.below(256) as u8].into()),
        14 if spliced.seal != *seal => *seal = spliced.seal,
        // To guess.
        15 => seal[rng.below(16) as usize] ^= 1 << rng.below(8),
        _ => *seal = rng.bytes(),
    }
    let same = (original.client, original.place, original.continuation, original.seal);
    assert_ne!((request.client, request.place, request.continuation, request.seal), same);
    request
}

/// How many of so many forged requests are spent.
fn spent(mut checks: Checks, attempts: u64) -> u64 {
    let mut rng = Rng::from_u64(7);
    let serials = (0..CLIENTS).flat_map(|client| (0..20).map(move |at| (client, at)));
    let given: Vec<Request> = serials
        .map(|(client, at)| checks.give(client, continuation(20 * u64::from(client) + at, 100 + 2 * at)))
        .collect();
    let spent = (0..attempts).filter(|_| checks.spend(&forged(&mut rng, &given)).is_ok()).count() as u64;
    // What was given is as good as ever.
    assert!(given.iter().all(|given| checks.spend(given).is_ok()) || !checks.has_seals);
    spent
}

#[test]
fn no_forged_continuation_is_taken() {
    let attempts = attempts();
    assert_eq!(spent(Checks::all(), attempts), 0);
    println!("{attempts} forged continuations, none taken");
}

#[test]
fn without_seals_clients_would_write_continuations_themselves() {
    let without = Checks { has_seals: false, ..Checks::all() };
    let spent = spent(without, 2_000);
    assert!(spent > 500, "{spent} of 2,000 would be taken");
    // And what they say is what they are given.
    let mut checks = Checks { has_seals: false, ..Checks::all() };
    let mut seed = Continuation { is_pair: false, shown_from: 0, ..continuation(0, 0) };
    seed.root.growth = Growth::new(0, 100_000, 100_000);
    let seed = Request { seal: [0; 16], ..checks.give(0, seed) };
    assert_eq!(checks.spend(&seed).map(|()| seed.continuation.root.growth.first()), Ok(1..100_001));
}

#[test]
fn what_is_presented_again_is_acted_on_once_and_without_a_filter_each_time() {
    let acts = |mut checks: Checks| {
        let mut rng = Rng::from_u64(8);
        let given: Vec<Request> = (0..100).map(|at| checks.give(0, continuation(at, 2 * at + 1))).collect();
        let presented = (0..attempts() / 10).map(|_| &given[rng.below(100) as usize]);
        presented.filter(|request| checks.spend(request).is_ok()).count() as u64
    };
    assert_eq!(acts(Checks::all()), 100);
    let filters = crate::replay::TwoFilters::new(
        Instant::ZERO,
        Duration::from_secs(15),
        crate::replay::BloomSize::PAPER,
        0.000_1,
    );
    let key = tng_crypto::Blake3Key::from_bytes(Secret32::from_bytes([3; 32]));
    assert_eq!(acts(Checks { replay: Replay::filters(Issuer(1), key, filters), ..Checks::all() }), 100);
    assert_eq!(acts(Checks { has_filter: false, ..Checks::all() }), attempts() / 10, "the damage");
}

/// Numbers that a liar's story is about.
const SHOWN: u64 = 48;

/// A client that knows the nonces of what came to it: of a connection, which is not all, and whole of a second one, of
/// another line, and of the same connection under the keys of another epoch.
struct Liar {
    came: Vec<bool>,
    own: Vec<u64>,
    elsewhere: [Vec<u64>; 3],
    proof: Proof,
}

impl Liar {
    fn new(checks: &Checks, rng: &mut Rng) -> Liar {
        let all = |nonces: Nonces<'_>, tag| (0..SHOWN).map(|number| nonces.nonce(tag, number)).collect();
        let tag = Tag(5);
        let (root, other_epoch) = (checks.nonces(0), Keying::of((EPOCH_NOW + 1) as u8));
        let other_epoch = Nonces::new(&checks.keys, id(0), &other_epoch).unwrap();
        let elsewhere = [all(checks.nonces(1), tag), all(checks.nonces(0), Tag(6)), all(other_epoch, tag)];
        let came = (0..SHOWN).map(|_| rng.below(6) > 0).collect();
        Liar { came, own: all(root, tag), elsewhere, proof: Proof::with_room() }
    }

    fn known(&self, numbers: Range<u64>) -> u64 {
        numbers.filter(|number| self.came[*number as usize]).fold(0, |fold, number| fold ^ self.own[number as usize])
    }

    /// Sets the proof that goes with the pair at `first`: all came but for `gaps`, and that is its fold.
    fn tell(&mut self, first: u64, lost: &[u64], fold: u64, late: Option<u64>) -> Option<()> {
        let mut came: Vec<Range<u64>> = Vec::new();
        for number in (1..first + 2).filter(|number| !lost.contains(number)) {
            match came.last_mut() {
                Some(range) if range.end == number => range.end += 1,
                _ => came.push(number..number + 1),
            }
        }
        self.proof.set((1, first + 1), came, fold, late).ok()
    }

    fn lost(&self, first: u64) -> Vec<u64> {
        (1..first + 2).filter(|number| !self.came[*number as usize]).collect()
    }

    /// Hides some of what is lost. The way tells how the fold of it is made up.
    fn lie(&mut self, first: u64, way: u64, rng: &mut Rng) -> Option<()> {
        let (truth, mut fold) = (self.lost(first), self.known(1..first + 2));
        let hidden = *truth.get(rng.below(truth.len() as u64) as usize)?;
        let mut told: Vec<u64> = truth.iter().copied().filter(|number| *number != hidden).collect();
        let mut late = None;
        match way {
            0 => {}
            1 => fold ^= rng.u64(),
            2 => fold ^= 1 << rng.below(64),
            3 => fold ^= self.own[(hidden as usize + 1 + rng.below(SHOWN - 1) as usize) % SHOWN as usize],
            4..=6 => fold ^= self.elsewhere[way as usize - 4][hidden as usize],
            // All of them by something that is known.
            7 => {
                told.clear();
                fold = truth.iter().fold(fold, |fold, lost| fold ^ self.elsewhere[0][*lost as usize]);
            }
            8 => {
                let known = (1..SHOWN).filter(|number| self.came[*number as usize]);
                fold = known
                    .fold(0, |fold, number| if rng.below(2) == 0 { fold ^ self.own[number as usize] } else { fold });
            }
            // What is lost is told, and that it came late, which it did not.
            _ => {
                told.clone_from(&truth);
                late = Some(rng.u64() >> rng.below(64));
            }
        }
        self.tell(first, &told, fold, late)
    }
}

#[test]
fn no_invented_proof_is_believed_and_no_hidden_loss() {
    let (checks, mut rng) = (Checks::all(), Rng::from_u64(11));
    let (mut told, mut by_name) = (0, [0_u64; 3]);
    while told < attempts() {
        let mut liar = Liar::new(&checks, &mut rng);
        let nonces = checks.nonces(0);
        for _ in 0..1_000 {
            let first = 1 + rng.below(SHOWN - 3);
            let way = rng.below(10);
            if liar.lie(first, way, &mut rng).is_none() {
                continue;
            }
            told += 1;
            match liar.proof.verify(&continuation(0, first), &nonces) {
                Ok(()) => panic!("way {way}: {:?}", liar.proof),
                Err(ProofError::Invented) => by_name[0] += 1,
                Err(ProofError::OwnLost) => by_name[1] += 1,
                Err(ProofError::Outside) => by_name[2] += 1,
            }
        }
        // What is true is believed.
        let first = (1..SHOWN - 2).rev().find(|first| liar.came[*first as usize] && liar.came[*first as usize + 1]);
        let first = first.expect("two in a row came");
        let truth = (liar.lost(first), liar.known(1..first + 2));
        liar.tell(first, &truth.0, truth.1, None).unwrap();
        assert_eq!(liar.proof.verify(&continuation(0, first), &nonces), Ok(()));
    }
    assert!(by_name[0] > told / 2, "{by_name:?}");
    println!("{told} invented proofs, none believed: {by_name:?} invented, without their own packet, outside");
}

/// What a client is given that has lost a packet and says that it has not: what a second connection of its has come of
/// the same number stands in its place.
fn given_for_a_hidden_loss(checks: &Checks) -> Result<u64, Refused> {
    let mut liar = Liar::new(checks, &mut Rng::from_u64(1));
    liar.came.fill(true);
    liar.came[20] = false;
    let fold = liar.known(1..SHOWN) ^ liar.elsewhere[0][20];
    liar.tell(SHOWN - 2, &[], fold, None).unwrap();
    checks.release(0, &continuation(0, SHOWN - 2), &liar.proof)
}

#[test]
fn a_second_connection_does_not_hide_what_the_first_has_lost_and_without_its_id_in_the_nonces_it_would() {
    let checks = Checks::all();
    assert_eq!(given_for_a_hidden_loss(&checks), Err(Refused::Unproven(ProofError::Invented)));
    // The truth: in the first half of the window of a loss nothing is released.
    let mut honest = Liar::new(&checks, &mut Rng::from_u64(1));
    honest.came.fill(true);
    honest.came[20] = false;
    honest.tell(SHOWN - 2, &[20], honest.known(1..SHOWN), None).unwrap();
    assert_eq!(checks.release(0, &continuation(0, SHOWN - 2), &honest.proof), Ok(0));
    let unbound = Checks { binds_nonces: false, ..Checks::all() };
    assert_eq!(given_for_a_hidden_loss(&unbound), Ok(2), "the loss is hidden, the window stays");
}
