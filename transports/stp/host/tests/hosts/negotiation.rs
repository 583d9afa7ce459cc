//! Two hosts settle in the set-up which transport runs (STP 3.3.1, Figure 2).

use core::time::Duration;
use std::sync::{Arc, Mutex};

use stp_guest_flood::Flood;
use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use tng_base::{CodeHash, Eid, Semantic};
use tng_crypto::code_hash;
use tng_sim::{Link, Loss};
use tng_stack::{
    Asked, ConnectionId, EventKind, FactoryError, Settled, TransportAnswer, TransportOffer, Transports, structured,
};
use tng_stp_abi::Role;
use tng_stp_host::{Code, Workshop};

use crate::world::{Run, Says, Setting, seeds};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn newreno() -> (CodeHash, Code) {
    (code_hash(b"newreno"), Code::native::<NewReno>("newreno"))
}

fn sack() -> (CodeHash, Code) {
    (code_hash(b"sack"), Code::native::<Sack>("sack"))
}

/// What a host has, and what it lets run.
#[derive(Debug)]
pub struct Shelf {
    here: Vec<(CodeHash, Code)>,
    allowed: Vec<CodeHash>,
    prefers: Option<CodeHash>,
    workshop: Arc<Workshop>,
    asked: Mutex<u32>,
}

impl Shelf {
    /// What a host has by which this end is so.
    pub fn of(End { here, allowed, prefers }: End, workshop: Arc<Workshop>) -> Shelf {
        Shelf { here, allowed, prefers, workshop, asked: Mutex::default() }
    }

    fn has(&self, code: &CodeHash) -> bool {
        self.here.iter().any(|(here, _)| here == code)
    }
}

impl Transports for Shelf {
    fn answer(&self, _: Eid, offer: &TransportOffer) -> TransportAnswer {
        *self.asked.lock().expect("nothing panics") += 1;
        let mut allowed = offer.codes.iter().filter(|code| self.allowed.contains(code));
        match self.prefers.filter(|code| !offer.codes.contains(code)) {
            Some(code) => TransportAnswer::Use(code),
            None => match allowed.clone().find(|code| self.has(code)) {
                Some(code) => TransportAnswer::Ok(*code),
                None => allowed.next().map_or(TransportAnswer::No, |code| TransportAnswer::SendMe(*code)),
            },
        }
    }

    fn follows(&self, _: Eid, _: &TransportOffer, code: CodeHash) -> bool {
        self.allowed.contains(&code) && self.has(&code)
    }

    fn make(&self, asked: Asked<'_>) -> Result<Box<dyn Semantic>, FactoryError> {
        let (_, code) = self.here.iter().find(|(here, _)| *here == asked.code).ok_or(FactoryError::Busy)?;
        let role = match asked.role {
            structured::Role::Initiator => Role::Initiator,
            structured::Role::Responder => Role::Responder,
        };
        let mut transport = self.workshop.transport(code, role).map_err(|_| FactoryError::Busy)?;
        transport.set_memory(asked.memory);
        Ok(Box::new(transport))
    }
}

/// What one end has, lets run, and would rather run.
#[derive(Clone, Default)]
pub struct End {
    here: Vec<(CodeHash, Code)>,
    allowed: Vec<CodeHash>,
    prefers: Option<CodeHash>,
}

impl End {
    fn of(here: &[(CodeHash, Code)]) -> End {
        End { here: here.to_vec(), allowed: here.iter().map(|(code, _)| *code).collect(), prefers: None }
    }

    fn allowing(mut self, code: CodeHash) -> End {
        self.allowed.push(code);
        self
    }

    fn preferring(self, code: CodeHash) -> End {
        End { prefers: Some(code), ..self }
    }
}

/// An end that has these, and lets them run.
pub fn end_of(here: &[(CodeHash, Code)]) -> End {
    End::of(here)
}

/// An outcome of the set-up: what the ends are like, what is offered, what comes of it.
struct Case {
    name: &'static str,
    ends: [End; 2],
    offer: Vec<CodeHash>,
    settled: Settled,
}

fn cases() -> Vec<Case> {
    let (reno, sack) = (newreno(), sack());
    let (of_reno, of_sack) = (End::of(&[newreno()]), End::of(core::slice::from_ref(&sack)));
    let both = End::of(&[newreno(), sack.clone()]);
    let case = |name, ends, offer: &[CodeHash], settled| Case { name, ends, offer: offer.to_vec(), settled };
    vec![
        case("OK", [of_reno.clone(), of_reno.clone()], &[reno.0], Settled::Runs(reno.0)),
        case("OK to the second", [both.clone(), of_sack.clone()], &[reno.0, sack.0], Settled::Runs(sack.0)),
        case("SENDME", [of_reno.clone(), End::default().allowing(reno.0)], &[reno.0], Settled::SendMe(reno.0)),
        case("NO", [of_reno.clone(), End::default()], &[reno.0], Settled::No),
        case("USE", [both.clone(), of_sack.clone().preferring(sack.0)], &[reno.0], Settled::Runs(sack.0)),
        case("USE of what is not here", [of_reno, of_sack.preferring(sack.0)], &[reno.0], Settled::Declined(sack.0)),
    ]
}

fn offering(run: &mut Run, case: &Case) -> ConnectionId {
    for (at, end) in case.ends.iter().enumerate() {
        let (id, workshop) = ([run.a, run.b][at], Arc::clone(&run.workshops[at]));
        run.node(id).machine.set_transports(Arc::new(Shelf::of(end.clone(), workshop)));
    }
    let (now, target, a) = (run.world.now(), run.target.clone(), run.a);
    let offer = TransportOffer { service: "files".into(), codes: case.offer.clone() };
    run.node(a).machine.connect_offering(now, target, offer).expect("an address")
}

/// What the two ends say that was settled, and what they speak.
fn settled(run: &Run) -> [Option<(Settled, bool)>; 2] {
    [run.a, run.b].map(|id| {
        let events = &run.app(id).events;
        let (_, event) =
            events.iter().find(|(_, it)| matches!(it.kind, EventKind::Connected | EventKind::Accepted { .. }))?;
        let host = run.host(id);
        let settled = host.negotiation(event.connection)?.settled;
        Some((settled, host.protocol_name(event.connection)?.starts_with("stp:")))
    })
}

/// Runs until something has gone from the client to the server, and checks that both ends are of one mind.
fn check(mut run: Run, case: &Case, about: &str) {
    let id = offering(&mut run, case);
    let guest = matches!(case.settled, Settled::Runs(_));
    let b = run.b;
    let heard = run.world.wait_until(tng_base::Instant::ZERO + 60 * SECOND, |world| {
        let app = &crate::world::node_of(world, b).app;
        if guest { app.talks.values().any(|talk| talk.at_end) } else { app.streamed > 20_000 }
    });
    let expected = Some((case.settled, guest));
    assert_eq!(settled(&run), [expected, expected], "{}, {about}", case.name);
    assert!(heard, "{}, {about}: bytes arrive", case.name);
    assert!(run.app(b).talks.values().all(|talk| talk.wrong.is_none()), "{}, {about}", case.name);
    let a = run.a;
    assert!(run.app(a).closed(id).is_none(), "{}, {about}", case.name);
    run.end();
}

fn saying(seed: u64) -> Setting {
    Setting::new(seed).saying(Says { amount: 30_000, finishes: true, ..Says::default() })
}

#[test]
fn each_outcome_of_a_set_up_is_the_same_at_both_ends() {
    for case in cases() {
        for seed in seeds(3) {
            check(saying(seed).start(), &case, &format!("seed {seed}"));
        }
    }
}

#[test]
fn each_outcome_comes_about_by_way_of_helpers_too() {
    for case in cases() {
        let says = Says { amount: 30_000, finishes: true, ..Says::default() };
        check(Setting::helped(1, 2).saying(says).start(), &case, "two helpers");
    }
}

#[test]
fn each_outcome_survives_the_loss_of_each_packet_of_the_set_up() {
    for case in cases() {
        for lost in 0..6 {
            for back in [false, true] {
                let mut run = saying(lost).start();
                let lane = if back { run.links[0].back() } else { run.links[0].forth() };
                run.world.change(lane, |link| *link = link.clone().loss(Loss::numbers([lost])));
                check(run, &case, &format!("packet {lost} lost, {}", if back { "back" } else { "forth" }));
            }
        }
    }
}

#[test]
fn each_outcome_survives_packets_that_come_twice_late_and_in_another_order() {
    for case in cases() {
        for seed in seeds(5) {
            let mut setting = saying(seed);
            let link: Link = setting.links[0].clone().duplicate(0.5).reorder(0.5, 30 * MS);
            setting.links[0] = link.loss(Loss::Independent(0.1));
            check(setting.start(), &case, &format!("seed {seed}, a bad path"));
        }
    }
}

#[test]
fn each_outcome_comes_about_if_the_server_asks_for_cookies() {
    for case in cases() {
        check(Setting { cookies: true, ..saying(4) }.start(), &case, "cookies");
    }
}

#[test]
fn who_had_no_say_learns_what_runs_though_nobody_says_anything() {
    for case in cases().into_iter().filter(|case| case.name.starts_with("USE")) {
        for lost in [None, Some(1), Some(2)] {
            let mut run = Setting::new(3).start();
            run.world.change(run.links[0].forth(), |link| *link = link.clone().loss(Loss::numbers(lost)));
            // Streams would say something.
            let a = run.a;
            run.node(a).app.quiet = true;
            offering(&mut run, &case);
            run.pass(10 * SECOND);
            let expected = Some((case.settled, matches!(case.settled, Settled::Runs(_))));
            assert_eq!(settled(&run), [expected, expected], "{}, lost {lost:?}", case.name);
            run.end();
        }
    }
}

#[test]
fn a_host_that_knows_of_no_transports_says_nothing_and_streams_run() {
    let case = &cases()[0];
    let mut run = saying(5).start();
    let (now, target, a) = (run.world.now(), run.target.clone(), run.a);
    let offer = TransportOffer { service: "files".into(), codes: case.offer.clone() };
    run.node(a).machine.connect_offering(now, target, offer).expect("an address");
    run.pass(SECOND);
    assert_eq!(settled(&run), [Some((Settled::No, false)), None]);
    assert!(run.app(run.b).streamed > 20_000);
    run.end();
}

#[test]
fn an_offer_that_may_not_be_sent_is_refused_to_the_caller() {
    let mut run = Setting::new(5).start();
    let (now, target, a) = (run.world.now(), run.target.clone(), run.a);
    let codes = (0..5).map(|code| CodeHash::from_bytes([code; 32])).collect();
    let offer = TransportOffer { service: "files".into(), codes };
    assert!(run.node(a).machine.connect_offering(now, target, offer).is_err());
}

#[test]
fn a_transport_that_the_answerer_cannot_make_is_answered_no() {
    let (reno, code) = newreno();
    // It says that it has what it has not.
    #[derive(Debug)]
    struct Liar;
    impl Transports for Liar {
        fn answer(&self, _: Eid, offer: &TransportOffer) -> TransportAnswer {
            TransportAnswer::Ok(offer.codes[0])
        }
        fn follows(&self, _: Eid, _: &TransportOffer, _: CodeHash) -> bool {
            true
        }
        fn make(&self, _: Asked<'_>) -> Result<Box<dyn Semantic>, FactoryError> {
            panic!("it has none")
        }
    }
    let case = Case {
        name: "no room",
        ends: [End::of(&[(reno, code)]), End::default()],
        offer: vec![reno],
        settled: Settled::No,
    };
    let mut run = saying(6).start();
    offering(&mut run, &case);
    let b = run.b;
    run.node(b).machine.set_transports(Arc::new(Liar));
    run.pass(2 * SECOND);
    let expected = Some((Settled::No, false));
    assert_eq!(settled(&run), [expected, expected]);
    assert!(run.app(b).streamed > 20_000);
    run.end();
}

#[test]
fn one_that_speaks_messages_is_settled_alike() {
    let flood = (code_hash(b"flood"), Code::native::<Flood>("flood"));
    let end = End::of(core::slice::from_ref(&flood));
    let case =
        Case { name: "messages", ends: [end.clone(), end], offer: vec![flood.0], settled: Settled::Runs(flood.0) };
    let says = Says { amount: 20, message: 500, every: 10 * MS, ..Says::default() };
    let mut run = Setting::new(2).saying(says).start();
    offering(&mut run, &case);
    run.pass(2 * SECOND);
    assert_eq!(settled(&run), [Some((case.settled, true)); 2]);
    assert!(run.app(run.b).talks.values().any(|talk| talk.heard > 15));
    run.end();
}
