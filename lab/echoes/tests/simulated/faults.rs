//! Protocols that reject what comes, or fail: their own connection ends and says why, and no other.

use core::time::Duration;
use std::sync::{Arc, Mutex};

use tng_base::{Instant, Violation};
use tng_stack::{BadProtocol, CloseCause, ConnectError, ConnectionId, EventKind, ProtocolFault};

use crate::faulty::{Bug, Call, Faulty, NAME};
use crate::world::{Run, Setting};

/// What became of a connection beside one of numbered echoes.
struct Outcome {
    run: Run,
    /// Its name at the client; what it asked for and hung on to.
    id: ConnectionId,
}

/// A client whose end is `ours` connects to a server whose end is `theirs`, while the two hosts speak numbered echoes.
fn play(ours: Faulty, theirs: Faulty) -> Outcome {
    play_in(Setting::new(21), ours, theirs)
}

fn play_in(mut setting: Setting, ours: Faulty, theirs: Faulty) -> Outcome {
    setting.asks = [(1_000, Duration::from_millis(2)); 2];
    let mut run = setting.start();
    let (b, theirs) = (run.b, Mutex::new(Some(theirs)));
    let factory = move |_: tng_stack::Proposal<'_>| {
        let end = theirs.lock().expect("one thread").take();
        Ok(Box::new(end.unwrap_or_else(|| Faulty::new(Bug::None))) as Box<dyn tng_stack::Semantic>)
    };
    run.node(b).machine.register(NAME, factory).expect("a free name");
    run.connect();
    run.world.run_until(Instant::from_millis(200));
    let id = run.connect_speaking(NAME, Box::new(ours));
    run.world.run_until(Instant::from_secs(8));
    let talks = &run.app(run.a).talks;
    assert!(talks.values().all(|talk| talk.tally.is_done()) && talks.len() == 1, "the other connection goes on");
    Outcome { run, id }
}

impl Outcome {
    /// How it ended at the client.
    fn at_client(&self) -> Option<EventKind> {
        let end = |kind: &EventKind| matches!(kind, EventKind::ConnectFailed(_) | EventKind::Closed(_));
        let mut events = self.run.app(self.run.a).events.iter().map(|(_, event)| event);
        Some(events.find(|event| event.connection == self.id && end(&event.kind))?.kind.clone())
    }

    /// How a connection ended at the server, if its application has heard of one that did.
    fn at_server(&self) -> Option<CloseCause> {
        self.run.app(self.run.b).closed().cloned()
    }

    /// Connections that are left at client and server.
    fn left(&self) -> [usize; 2] {
        [self.run.a, self.run.b].map(|id| {
            let host = self.run.host(id);
            assert_eq!(host.accounting(), host.recount());
            host.connections().filter(|id| host.stats(*id).is_some()).count()
        })
    }
}

/// The code and the words that the peer closed with.
fn told(end: Option<EventKind>) -> (u64, String) {
    match end {
        Some(EventKind::Closed(CloseCause::Peer { code, reason })) => (code, reason.to_string()),
        other => panic!("told by the peer: {other:?}"),
    }
}

#[test]
fn who_sends_first_data_that_the_protocol_rejects_is_told_its_code_whether_it_came_early_or_not() {
    // A session's last word is never the code that ends one channel.
    let most = (1 << 62) - 2;
    for (code, seen) in [(1, 1), (99, 99), (most, most), (most + 1, most), (u64::MAX, most)] {
        for replay_safe in [false, true] {
            let theirs = Faulty { replay_safe, ..Faulty::new(Bug::RejectsPackets(code)) };
            let outcome = play(Faulty::new(Bug::None), theirs);
            assert_eq!(told(outcome.at_client()), (seen, "no packet is liked here".to_owned()), "early: {replay_safe}");
            assert_eq!((outcome.at_server(), outcome.left()), (None, [1, 1]), "nobody there has heard of it");
        }
    }
    // The control: one that likes them.
    let outcome = play(Faulty::new(Bug::None), Faulty::new(Bug::None));
    assert_eq!((outcome.at_client(), outcome.left()), (None, [2, 2]));
}

#[test]
fn a_packet_that_is_empty_is_none() {
    let theirs = Faulty::new(Bug::RejectsPackets(99));
    let heard = Arc::clone(&theirs.calls);
    let outcome = play(Faulty::new(Bug::WritesNothing), theirs);
    assert_eq!((outcome.at_client(), outcome.left()), (None, [2, 2]));
    assert!(heard.lock().expect("one thread").iter().all(|(call, _)| *call != Call::HandlePacket));
}

#[test]
fn an_end_that_rejects_the_answer_says_why_at_both_ends() {
    for bug in [Bug::RejectsItem(77), Bug::RejectsPackets(77)] {
        let ours = Faulty::new(bug);
        let calls = Arc::clone(&ours.calls);
        let outcome = play(ours, Faulty::new(Bug::None));
        let end = outcome.at_client();
        let rejected = |it: &Violation| it.code == 77;
        assert!(matches!(&end, Some(EventKind::ConnectFailed(ConnectError::Rejected(it))) if rejected(it)), "{end:?}");
        let there = outcome.at_server();
        assert!(matches!(there, Some(CloseCause::Peer { code: 77, .. })), "{there:?}");
        assert_eq!(outcome.left(), [1, 1]);
        let calls: Vec<Call> = calls.lock().expect("one thread").iter().map(|(call, _)| *call).collect();
        assert!(calls.contains(&Call::HandleClosed) && !calls.contains(&Call::HandleAttach), "{bug:?}: {calls:?}");
        let heard_more = calls.contains(&Call::HandleFates) || calls.contains(&Call::HandlePacket);
        assert_eq!(heard_more, matches!(bug, Bug::RejectsPackets(_)), "{bug:?}: {calls:?}");
    }
}

const ANYWHERE: [Call; 12] = [
    Call::HandlePacket,
    Call::PollPacket,
    Call::WantsToSend,
    Call::HandleFates,
    Call::HandleAttach,
    Call::PollTimeout,
    Call::HandleTimeout,
    Call::IsEmpty,
    Call::BytesHeld,
    Call::Allow,
    Call::Progress,
    Call::TakeNotice,
];

#[test]
fn a_protocol_that_panics_in_any_call_at_the_server_ends_its_own_connection_alone_and_the_peer_is_told() {
    for call in ANYWHERE.into_iter().chain([Call::ReplaySafe]) {
        let outcome = play(Faulty::new(Bug::None), Faulty::new(Bug::PanicsIn(call)));
        assert_eq!(told(outcome.at_client()).0, 6, "{call:?}");
        let there = outcome.at_server();
        let failed = Some(CloseCause::ProtocolFailed(ProtocolFault::Panicked));
        assert!(there.is_none() || there == failed, "{call:?}: {there:?}");
        assert_eq!(outcome.left(), [1, 1], "{call:?}");
    }
    let outcome = play(Faulty::new(Bug::None), Faulty::new(Bug::PanicsIn(Call::SetUpItem)));
    let refused = outcome.at_client();
    assert!(
        matches!(refused, Some(EventKind::ConnectFailed(ConnectError::Refused { code: 5, .. }))),
        "as a factory that panics: {refused:?}"
    );
}

#[test]
fn a_protocol_that_panics_in_any_call_at_the_client_ends_its_own_connection_alone() {
    for call in ANYWHERE.into_iter().chain([Call::HandleSetUpItem]) {
        let outcome = play(Faulty::new(Bug::PanicsIn(call)), Faulty::new(Bug::None));
        let end = outcome.at_client();
        let fault = ProtocolFault::Panicked;
        let failed = [
            EventKind::Closed(CloseCause::ProtocolFailed(fault)),
            EventKind::ConnectFailed(ConnectError::ProtocolFailed(fault)),
        ];
        assert!(end.as_ref().is_some_and(|end| failed.contains(end)), "{call:?}: {end:?}");
        let there = outcome.at_server();
        // What fails when its INIT has just left knows nothing of the answer to it.
        let told = matches!(there, None | Some(CloseCause::Peer { code: 6, .. } | CloseCause::Reset));
        assert!(told, "{call:?}: {there:?}");
        assert_eq!(outcome.left(), [1, 1], "{call:?}");
    }
    let mut run = Setting::new(21).start();
    let (a, target) = (run.a, run.target.clone());
    let protocol = Box::new(Faulty::new(Bug::PanicsIn(Call::SetUpItem)));
    let begun = run.node(a).machine.connect_speaking(Instant::ZERO, target, NAME, protocol);
    let failed = BadProtocol::Failed(ProtocolFault::Panicked);
    assert_eq!(begun.map(|_| ()), Err(ConnectError::BadProtocol(failed)));
}

#[test]
fn a_protocol_that_panics_late_on_a_quiet_connection_ends_it_at_once_though_no_silence_would() {
    let unending = || {
        let mut setting = Setting::new(21);
        (setting.client.idle_timeout, setting.server.idle_timeout) = (None, None);
        setting
    };
    let failed = EventKind::Closed(CloseCause::ProtocolFailed(ProtocolFault::Panicked));
    for call in [Call::HandleTimeout, Call::PollTimeout, Call::IsEmpty, Call::BytesHeld, Call::Allow, Call::Progress] {
        let outcome = play_in(unending(), Faulty::new(Bug::None), Faulty::new(Bug::PanicsLaterIn(call)));
        assert_eq!(told(outcome.at_client()).0, 6, "{call:?} at the server");
        assert_eq!(outcome.left(), [1, 1], "{call:?} at the server");
        let outcome = play_in(unending(), Faulty::new(Bug::PanicsLaterIn(call)), Faulty::new(Bug::None));
        assert_eq!(outcome.at_client(), Some(failed.clone()), "{call:?} at the client");
        assert_eq!(outcome.left(), [1, 1], "{call:?} at the client");
    }
    // The control: what panics in none of them stays.
    let outcome = play_in(unending(), Faulty::new(Bug::None), Faulty::new(Bug::None));
    assert_eq!((outcome.at_client(), outcome.left()), (None, [2, 2]));
}

#[test]
fn a_protocol_that_panics_when_it_is_told_of_the_end_changes_nothing_of_it() {
    let mut outcome = play(Faulty::new(Bug::PanicsIn(Call::HandleClosed)), Faulty::new(Bug::None));
    assert_eq!(outcome.at_client(), None);
    let (now, a, id) = (outcome.run.world.now(), outcome.run.a, outcome.id);
    outcome.run.node(a).machine.close(now, id, 70, "enough");
    outcome.run.world.run_until(Instant::from_secs(9));
    assert_eq!(outcome.at_client(), Some(EventKind::Closed(CloseCause::Local)));
    assert!(matches!(outcome.at_server(), Some(CloseCause::Peer { code: 70, .. })));
}

#[test]
fn a_protocol_that_says_it_wrote_more_than_there_was_room_for_ends_its_own_connection_alone() {
    let outcome = play(Faulty::new(Bug::Overfills), Faulty::new(Bug::None));
    let end = outcome.at_client();
    let fault = |fault: &ProtocolFault| matches!(fault, ProtocolFault::Overfilled { len, room } if *len == room + 1);
    assert!(
        matches!(&end, Some(EventKind::ConnectFailed(ConnectError::ProtocolFailed(it))) if fault(it)),
        "in its first packet: {end:?}"
    );
    assert_eq!(outcome.left(), [1, 1]);
    let outcome = play(Faulty::new(Bug::None), Faulty::new(Bug::Overfills));
    assert_eq!(told(outcome.at_client()).0, 6);
    assert_eq!(outcome.left(), [1, 1]);
}

#[test]
fn a_protocol_that_holds_more_than_it_may_from_its_beginning_is_refused_whatever_it_says_that_it_holds() {
    for held in [128 << 20, 1 << 50, u64::MAX] {
        let outcome = play(Faulty::new(Bug::None), Faulty { held, ..Faulty::new(Bug::None) });
        let refused = outcome.at_client();
        assert!(
            matches!(&refused, Some(EventKind::ConnectFailed(ConnectError::Refused { code: 5, .. }))),
            "{held}: {refused:?}"
        );
        assert_eq!(outcome.left(), [1, 1]);
    }
    // The control: what it may hold has room.
    let outcome = play(Faulty::new(Bug::None), Faulty { held: 8 << 20, ..Faulty::new(Bug::None) });
    assert_eq!((outcome.at_client(), outcome.left()), (None, [2, 2]));
}

#[test]
fn packet_number_0_is_said_heard_and_acknowledged_before_its_channel_attaches() {
    let (ours, theirs) = (Faulty::new(Bug::None), Faulty::new(Bug::None));
    let calls = [Arc::clone(&ours.calls), Arc::clone(&theirs.calls)];
    play(ours, theirs);
    let number_0 = Some(0);
    for (calls, end) in calls.iter().zip(["client", "server"]) {
        let calls = calls.lock().expect("one thread");
        let at = |call: Call, number: Option<u64>| {
            let at = calls.iter().position(|it| *it == (call, number));
            at.unwrap_or_else(|| panic!("{call:?} {number:?} at the {end}: {calls:?}"))
        };
        let attach = at(Call::HandleAttach, None);
        for call in [Call::PollPacket, Call::HandlePacket, Call::HandleFates] {
            assert!(at(call, number_0) < attach, "{call:?} at the {end}");
        }
    }
}
