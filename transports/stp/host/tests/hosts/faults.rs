//! What a guest does wrong ends its own connection, by name, and nothing else.

use core::time::Duration;

use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use tng_base::Instant;
use tng_sim::topology::A;
use tng_stack::{BadProtocol, CloseCause, ConnectError, ConnectionId, EventKind, ProtocolFault};
use tng_stp_abi::{Refused, Role, SocketKind};
use tng_stp_host::{
    Code, End, Fault, GUEST_FAILED, GUEST_STOPPED, GUEST_UNUSED, Life, Quotas, SHUTDOWN, SILENT_MAX, Transport,
};

use crate::bad::*;
use crate::world::{ELSEWHERE, Run, Says, Setting, len_of, pattern};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn code<const WHAT: u8>() -> Code {
    Code::native::<Bad<WHAT>>("bad")
}

/// Messages without end, both ways, and a stream and another guest beside them.
fn beside() -> (Run, ConnectionId) {
    let says = Says { amount: u64::MAX, message: 200, every: 20 * MS, ..Says::default() };
    let mut run = Setting::new(1).saying(says).start();
    run.stream();
    let good = run.connect(&Code::native::<Bad<GOOD>>("good"));
    run.pass(100 * MS);
    (run, good)
}

/// How the bad guest's end is to end: at the client, or at the server.
struct Ended {
    run: Run,
    id: ConnectionId,
    at_client: bool,
    began: Instant,
}

impl Ended {
    /// A bad guest at one end, and a good one at the other.
    fn begin<const WHAT: u8>(at_client: bool) -> Ended {
        let (mut run, _) = beside();
        let (bad, good) = (code::<WHAT>(), code::<GOOD>());
        let began = run.world.now();
        let id = run.connect_as(if at_client { [&bad, &good] } else { [&good, &bad] });
        Ended { run, id, at_client, began }
    }

    /// The connection's number at the bad end and at its peer. The server has accepted as many as the client has
    /// begun.
    fn sides(&self) -> [(tng_sim::NodeId, ConnectionId); 2] {
        let (a, b) = ((self.run.a, self.id), (self.run.b, self.id));
        if self.at_client { [a, b] } else { [b, a] }
    }

    fn life(&self) -> Life {
        let (node, id) = self.sides()[0];
        self.run.app(node).talks[&id].life().clone()
    }

    /// The bad end has ended like this, its peer was told, and the others of the two hosts go on.
    fn check(&mut self, fault: &Fault) {
        self.run.pass(4 * SECOND);
        let life = self.life();
        match (&life, fault) {
            (Life::Ended(End::Stopped(Fault::Trapped(_))), Fault::Trapped(_)) => {}
            _ => assert_eq!(life, Life::Ended(End::Stopped(fault.clone()))),
        }
        let [(bad, bad_id), (peer, peer_id)] = self.sides();
        let here = self.run.app(bad).closed(bad_id);
        let Some(CloseCause::ProtocolFailed(ProtocolFault::Stopped { code, reason })) = here else {
            panic!("{here:?}")
        };
        assert!([GUEST_STOPPED, GUEST_UNUSED].contains(code) && *reason == fault.told(), "{here:?}");
        let there = self.run.app(peer).closed(peer_id);
        let named = |told: u64, why: &str| (told, why) == (*code, *reason);
        let told = matches!(there, Some(CloseCause::Peer { code, reason }) if named(*code, reason.exact()));
        let heard_of_it = |kind: &EventKind| matches!(kind, EventKind::Accepted { .. } | EventKind::Connected);
        let mut events = self.run.app(peer).events.iter();
        let known = events.any(|(_, event)| event.connection == peer_id && heard_of_it(&event.kind));
        assert!(told || !known && there.is_none(), "{there:?}");
        self.others_go_on();
    }

    fn others_go_on(&mut self) {
        let (a, b, good) = (self.run.a, self.run.b, ConnectionId(1));
        let heard = |run: &Run| {
            let [at_a, at_b] = [a, b].map(|id| run.app(id).talks[&good].heard);
            (at_a, at_b, run.app(b).streamed)
        };
        let before = heard(&self.run);
        self.run.pass(SECOND);
        let after = heard(&self.run);
        // The stream fills the queue: a round trip is long.
        assert!(after.0 > before.0 + 4 && after.1 > before.1 + 4, "{before:?}, then {after:?}");
        assert!(after.2 > before.2 + 100_000, "{before:?}, then {after:?}");
        for id in [a, b] {
            assert_eq!(self.run.app(id).talks[&good].wrong, None);
            assert_eq!(*self.run.app(id).talks[&good].life(), Life::Running);
        }
    }
}

fn trapped() -> Fault {
    Fault::Trapped(String::new())
}

#[test]
fn a_panic_in_a_callback_ends_that_connection_and_no_other() {
    for at_client in [true, false] {
        Ended::begin::<PANICS_IN_INPUT>(at_client).check(&trapped());
        Ended::begin::<PANICS_IN_TIMER>(at_client).check(&trapped());
        Ended::begin::<PANICS_IN_REQUEST>(at_client).check(&trapped());
    }
    // Of this one the peer's application has not heard.
    Ended::begin::<PANICS_IN_CONNECT>(true).check(&trapped());
    Ended::begin::<PANICS_IN_ACCEPT>(false).check(&trapped());
}

#[test]
fn a_panic_when_the_path_changes_the_application_calls_or_the_host_shuts_down_ends_that_connection_and_no_other() {
    let mut moved = Ended::begin::<PANICS_IN_PATH_CHANGED>(true);
    moved.run.pass(SECOND);
    assert_eq!(moved.life(), Life::Running);
    moved.run.world.change_address(moved.run.a, A, Some(ELSEWHERE));
    moved.check(&trapped());
    let mut called = Ended::begin::<PANICS_IN_CALL>(true);
    called.run.pass(SECOND);
    let id = called.id;
    assert_eq!(called.run.guest(id).call_guest(7, b"?"), Err(Refused::Closed));
    called.check(&trapped());
    let mut shut = Ended::begin::<PANICS_IN_SHUTDOWN>(true);
    shut.run.pass(SECOND);
    shut.run.guest(id).shut_down();
    shut.check(&trapped());
}

#[test]
fn a_guest_that_panics_when_its_connection_is_over_harms_nobody() {
    for at_client in [true, false] {
        let mut ended = Ended::begin::<PANICS_IN_ABORT>(at_client);
        ended.run.pass(SECOND);
        let (now, a, id) = (ended.run.world.now(), ended.run.a, ended.id);
        ended.run.node(a).machine.close(now, id, 9, "");
        ended.run.pass(SECOND);
        assert!(matches!(ended.life(), Life::Ended(End::Stopped(Fault::Trapped(_)))), "{:?}", ended.life());
        let b = ended.run.b;
        let there = ended.run.app(b).closed(id);
        assert!(matches!(there, Some(CloseCause::Peer { code: 9, .. })), "{there:?}");
        ended.others_go_on();
    }
}

#[test]
fn a_guest_that_panics_before_its_connection_begins_has_none() {
    let (mut run, _) = beside();
    let attached = run.workshops[0].transport(&code::<PANICS_IN_ATTACH>(), Role::Initiator).expect("room");
    assert!(matches!(attached.life(), Life::Ended(End::Stopped(Fault::Trapped(_)))), "{:?}", attached.life());
    let (now, target, a) = (run.world.now(), run.target.clone(), run.a);
    let begun = run.node(a).machine.connect_speaking(now, target, "stp:bad", Box::new(attached));
    let why = begun.expect_err("nobody speaks it");
    assert!(matches!(why, ConnectError::BadProtocol(BadProtocol::Failed(_))), "{why:?}");
    let mut ended = Ended::begin::<PANICS_IN_ATTACH>(false);
    ended.run.pass(SECOND);
    let (a, id) = (ended.run.a, ended.id);
    let failed = ended.run.app(a).events.iter().find(|(_, event)| event.connection == id);
    let refused = |kind: &EventKind| matches!(kind, EventKind::ConnectFailed(ConnectError::Refused { .. }));
    assert!(failed.is_some_and(|(_, event)| refused(&event.kind)), "{failed:?}");
    ended.others_go_on();
}

#[test]
fn who_never_waits_is_stopped_for_pushing() {
    for at_client in [true, false] {
        let mut ended = Ended::begin::<NEVER_WAITS>(at_client);
        // Four spans of eight round trips.
        ended.run.pass(20 * SECOND);
        ended.check(&Fault::Pushing);
    }
}

#[test]
fn who_has_something_to_send_and_says_nothing_is_stopped_in_three_seconds() {
    for at_client in [true, false] {
        let mut ended = Ended::begin::<SAYS_NOTHING>(at_client);
        ended.run.pass(SILENT_MAX - 500 * MS);
        assert_eq!(ended.life(), Life::Running, "a guest has its time");
        ended.check(&Fault::Silent);
    }
}

#[test]
fn who_has_nothing_to_send_may_say_nothing() {
    let mut run = Setting::new(1).start();
    let id = run.connect(&code::<SAYS_NOTHING>());
    run.pass(10 * SECOND);
    assert_eq!(*run.guest(id).life(), Life::Running);
}

/// What was given back at the client of what it had written, where one end's guest of a stream breaks, and how its
/// connection ended.
fn given_back<const WHEN: u8>(at_client: bool) -> (Option<Vec<u8>>, CloseCause) {
    let mut run = Setting::new(1).saying(Says { amount: 5_000, finishes: true, ..Says::default() }).start();
    let (bad, good) = (Code::native::<Breaks<WHEN>>("it"), Code::native::<Breaks<GOOD>>("it"));
    let id = run.connect_as(if at_client { [&bad, &good] } else { [&good, &bad] });
    run.pass(SILENT_MAX + SECOND);
    let app = run.app(run.a);
    (app.talks[&id].back.clone(), app.closed(id).expect("it has ended").clone())
}

#[test]
fn who_ends_before_anything_has_left_gives_back_what_was_written() {
    let written: Vec<u8> = (0..5_000).map(|at| pattern(len_of(SocketKind::Stream), at)).collect();
    for (back, cause) in [given_back::<PANICS_IN_REQUEST>(true), given_back::<SAYS_NOTHING>(true)] {
        assert!(back.as_ref() == Some(&written), "{cause:?}");
        let named = matches!(cause, CloseCause::ProtocolFailed(ProtocolFault::Stopped { code: GUEST_UNUSED, .. }));
        assert!(named, "{cause:?}");
    }
}

#[test]
fn who_has_sent_is_given_it_back_if_the_peers_application_has_nothing_of_it() {
    let written: Vec<u8> = (0..5_000).map(|at| pattern(len_of(SocketKind::Stream), at)).collect();
    let unsaid = given_back::<SAYS_NOTHING_AND_PANICS_IN_INPUT>(false);
    for (back, cause) in [given_back::<PANICS_IN_ACCEPT>(false), unsaid] {
        assert!(back.as_ref() == Some(&written), "{cause:?}");
        let CloseCause::Peer { code: GUEST_UNUSED, reason } = &cause else { panic!("{cause:?}") };
        assert_eq!(reason.exact(), "a guest was stopped: it trapped");
    }
    let (back, cause) = given_back::<PANICS_IN_INPUT>(true);
    assert_eq!(back, None, "control: what has left may have arrived: {cause:?}");
}

#[test]
fn nothing_is_given_back_where_the_peers_application_has_seen_an_end() {
    let (back, cause) = given_back::<SAYS_NOTHING_BUT_AN_END_AND_PANICS_IN_INPUT>(false);
    let stopped = matches!(cause, CloseCause::Peer { code: GUEST_STOPPED, .. });
    assert!(stopped && back.is_none(), "{cause:?}");
}

#[test]
fn who_invents_sums_is_stopped_after_sixteen() {
    for at_client in [true, false] {
        Ended::begin::<INVENTS_SUMS>(at_client).check(&Fault::Unproven);
    }
}

#[test]
fn who_acknowledges_what_never_came_is_stopped_and_little_has_left() {
    let mut ended = Ended::begin::<ACKNOWLEDGES_NOTHING>(true);
    ended.check(&Fault::Denied);
    let took = ended.run.app(ended.run.a).talks[&ended.id].lives.last().expect("it ended").0.since(ended.began);
    assert!(took < SECOND, "{took:?}");
}

#[test]
fn who_keeps_every_segment_never_has_more_than_its_buffer_and_harms_nobody() {
    let (mut run, _) = beside();
    let (bad, good) = (code::<KEEPS_ALL>(), code::<GOOD>());
    let id = run.connect_as([&good, &bad]);
    run.pass(100 * MS);
    run.guest(id).call_guest(stp_guest_flood::CALL_FILL, &[1]).expect("flood fills");
    let mut ended = Ended { began: run.world.now(), run, id, at_client: false };
    ended.run.pass(60 * SECOND);
    let talk = &ended.run.app(ended.run.b).talks[&id];
    let most = 2 * (256 << 10) + (128 << 10) + (1_500 << 7);
    assert!(talk.memory.0 < most, "{:?} of {most}", talk.memory);
    assert_eq!(*talk.life(), Life::Running, "a buffer that is full is no fault");
    ended.others_go_on();
}

#[test]
fn noise_ends_nobody_and_proves_nothing() {
    for good in [Code::native::<NewReno>("noise"), Code::native::<Sack>("noise"), Code::native::<Bad<GOOD>>("noise")] {
        let (mut run, _) = beside();
        let bad = Code::native::<Bad<SENDS_NOISE>>("noise");
        let id = run.connect_as([&bad, &good]);
        run.pass(5 * SECOND);
        assert_eq!(*run.app(run.b).talks[&id].life(), Life::Running, "what its peer says is no fault of a guest");
        let mut ended = Ended { began: run.world.now(), run, id, at_client: true };
        ended.others_go_on();
    }
}

#[test]
fn timers_without_end_go_off_a_thousand_times_a_second_at_most() {
    let mut ended = Ended::begin::<SETS_TIMERS>(true);
    ended.run.pass(SECOND);
    let id = ended.id;
    let calls = ended.run.guest(id).usage().calls;
    assert!(calls < 8 * 1_000 + 500, "{calls} calls in a second, of eight timers");
    ended.others_go_on();
}

#[test]
fn a_guest_has_two_seconds_to_take_its_leave_and_no_more() {
    let mut ended = Ended::begin::<STAYS>(true);
    ended.run.pass(SECOND);
    let (id, since) = (ended.id, ended.run.world.now());
    ended.run.guest(id).shut_down();
    ended.run.pass(100 * MS);
    let Life::Leaving { deadline } = *ended.run.guest(id).life() else { panic!("it takes its leave") };
    assert!(deadline >= since + SHUTDOWN && deadline < since + SHUTDOWN + 100 * MS, "{deadline:?}");
    ended.run.pass(SHUTDOWN + SECOND);
    let (a, b) = (ended.run.a, ended.run.b);
    let lives = &ended.run.app(a).talks[&id].lives;
    assert_eq!(lives.last(), Some(&(deadline, Life::Ended(End::Late))), "{lives:?}");
    let there = ended.run.app(b).closed(id);
    assert!(matches!(there, Some(CloseCause::Peer { code: GUEST_FAILED, .. })), "both are told: {there:?}");
    ended.others_go_on();
}

#[test]
fn who_says_that_it_is_done_is_not_called_again_and_sends_nothing_more() {
    let mut ended = Ended::begin::<SAYS_DONE_AND_GOES_ON>(true);
    ended.run.pass(SECOND);
    let (id, since) = (ended.id, ended.run.world.now());
    ended.run.guest(id).shut_down();
    ended.run.pass(SECOND);
    assert_eq!(*ended.run.guest(id).life(), Life::Ended(End::Done));
    let calls = ended.run.guest(id).usage().calls;
    ended.run.pass(SECOND);
    assert_eq!(ended.run.guest(id).usage().calls, calls);
    let a = ended.run.a;
    let took = ended.run.app(a).talks[&id].lives.last().expect("it ended").0.since(since);
    assert!(took < 100 * MS, "{took:?}");
}

#[test]
fn whatever_goes_on_shutting_down_takes_two_seconds_at_most() {
    for code in [Code::native::<NewReno>("it"), Code::native::<Sack>("it"), Code::native::<Bad<GOOD>>("it")] {
        for outage in [false, true] {
            let says = Says { amount: 1 << 30, message: 900, ..Says::default() };
            let mut run = Setting::new(1).saying(says).start();
            let id = run.connect(&code);
            run.pass(SECOND);
            if outage {
                run.world.outage(run.links[0], run.world.now(), Instant::from_secs(100));
            }
            run.guest(id).shut_down();
            run.pass(SHUTDOWN + 100 * MS);
            let life = run.app(run.a).talks[&id].life();
            assert!(matches!(life, Life::Ended(End::Done | End::Late)), "{}, outage {outage}: {life:?}", code.name());
        }
    }
}

#[test]
fn a_guest_hears_of_each_path_that_it_comes_to() {
    let mut ended = Ended::begin::<COUNTS_PATHS>(true);
    ended.run.pass(SECOND);
    let id = ended.id;
    let paths = |ended: &mut Ended| ended.run.guest(id).call_guest(2, b"").expect("it counts");
    assert_eq!(paths(&mut ended), [0]);
    ended.run.world.change_address(ended.run.a, A, Some(ELSEWHERE));
    ended.run.pass(2 * SECOND);
    assert_eq!(paths(&mut ended), [1]);
}

#[test]
fn two_that_answer_each_others_answers_send_no_more_than_the_policer_lets_leave_and_an_answer_to_each() {
    let quotas = Quotas { denials: u64::MAX, ..Quotas::default() };
    let mut run = Setting { quotas, ..Setting::new(1) }.start();
    let id = run.connect(&code::<ANSWERS_ALL>());
    run.pass(20 * SECOND);
    let (a, b) = (run.a, run.b);
    let account = |run: &mut Run, node| {
        let guest: &mut Transport = run.node(node).machine.protocol_as(id).expect("it is there");
        (guest.shim().traffic().sent_bytes, guest.shim().policer().figures().sent)
    };
    let closed = (run.app(a).closed(id), run.app(b).closed(id));
    assert_eq!(closed, (None, None), "{:?}", run.app(a).talks[&id].lives);
    let both = [account(&mut run, a), account(&mut run, b)];
    let (left, policed) = both.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(policed > 40_000 && left < 2 * policed, "{left} bytes left, {policed} of them policed");
}

#[test]
fn what_is_written_after_a_silence_leaves_then_and_not_when_the_silence_began() {
    let says = Says { amount: 10, message: 500, every: 5 * SECOND, ..Says::default() };
    let mut run = Setting::new(1).saying(says).start();
    let id = run.connect(&Code::native::<stp_guest_flood::Flood>("flood"));
    run.pass(60 * SECOND);
    for node in [run.a, run.b] {
        assert_eq!(run.app(node).talks[&id].heard, 10);
        let guest: &mut Transport = run.node(node).machine.protocol_as(id).expect("it is there");
        let figures = guest.shim().policer().figures();
        assert_eq!((figures.loss_billionths, guest.shim().outstanding()), (0, 0));
        assert!(figures.rtt_smoothed < 200 * MS, "{:?}", figures.rtt_smoothed);
    }
}

#[test]
fn who_says_done_with_its_last_word_waiting_is_done_when_that_has_left() {
    let mut run = Setting::new(1).saying(Says { amount: 1, message: 900, ..Says::default() }).start();
    let id = run.connect(&code::<SAYS_FAREWELL>());
    run.pass(SECOND);
    let (a, since) = (run.a, run.world.now());
    run.guest(id).shut_down();
    run.pass(SHUTDOWN + SECOND);
    let (at, life) = run.app(a).talks[&id].lives.last().expect("it ended").clone();
    assert!(life == Life::Ended(End::Done) && at.since(since) < SECOND, "{life:?}");
}
