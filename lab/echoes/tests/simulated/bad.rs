//! Names that nobody has, items that are not understood, factories that refuse, and what peers cannot make cost.

use core::ops::Range;
use core::time::Duration;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, Protocol, Taken, Violation};
use tng_echoes::{Echoes, NAME};
use tng_stack::{Access, BadProtocol, CloseCause, ConnectError, EventKind, FactoryError, Proposal, Semantic};

use crate::world::{Run, Setting, WINDOW, answering};

const LIMIT: Duration = Duration::from_secs(30);

/// Says and hears nothing, and holds what it is told to.
#[derive(Clone, Debug, Default)]
struct Odd {
    item: Option<Vec<u8>>,
    promised: u64,
    held: u64,
    /// It does so from its beginning, and not only once its peer has been heard of again.
    at_once: bool,
    /// Its peer has been.
    attached: bool,
    /// Something is open.
    open: bool,
}

impl Odd {
    /// What it holds and promises now.
    fn counts_for(&self) -> (u64, u64) {
        if self.at_once || self.attached { (self.held, self.promised) } else { (0, 0) }
    }
}

impl Protocol for Odd {
    fn handle_packet(&mut self, _: Instant, _: ChannelKey, _: u64, _: Ecn, _: &mut [u8]) -> Result<Taken, Violation> {
        Ok(Taken::All)
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, _: Instant, _: ChannelKey, _: u64, _: &mut [u8]) -> Option<Filled> {
        None
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        false
    }

    fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, _: Fate) {}

    fn handle_attach(&mut self, _: Instant, _: ChannelKey) {
        self.attached = true;
    }
}

impl Semantic for Odd {
    fn set_up_item(&self) -> Option<Vec<u8>> {
        self.item.clone()
    }

    fn handle_set_up_item(&mut self, _: Option<&[u8]>) -> Result<(), Violation> {
        Ok(())
    }

    fn is_idle(&self) -> bool {
        true
    }

    fn is_empty(&self) -> bool {
        !self.open
    }

    fn bytes_held(&self) -> u64 {
        self.counts_for().0
    }

    fn bytes_promised(&self) -> u64 {
        self.counts_for().1
    }

    fn progress(&self) -> u64 {
        0
    }

    fn take_notice(&mut self) -> bool {
        false
    }

    fn handle_closed(&mut self) {
        (self.promised, self.held) = (0, 0);
    }
}

/// A server that speaks this as `odd/1`, and numbered echoes.
fn run_with(
    seed: u64,
    factory: impl Fn(Proposal<'_>) -> Result<Box<dyn Semantic>, FactoryError> + Send + Sync + 'static,
) -> Run {
    let mut run = Setting::new(seed).start();
    let b = run.b;
    run.node(b).machine.register("odd/1", factory).expect("a free name");
    run
}

/// How an attempt to speak this ends.
fn refusal(run: &mut Run, name: &str, protocol: impl Semantic) -> (u64, String) {
    run.connect_speaking(name, Box::new(protocol));
    let a = run.a;
    run.world.wait_until(run.world.now() + LIMIT, |world| crate::world::node_of(world, a).app.end().is_some());
    let refusal = run.app(a).refusal();
    refusal.unwrap_or_else(|| panic!("refused: {:?}", run.app(a).events))
}

#[test]
fn a_protocol_that_nobody_has_is_refused_with_code_4() {
    let mut setting = Setting::new(1);
    setting.registered = false;
    let (code, reason) = refusal(&mut setting.start(), NAME, Echoes::new(WINDOW));
    assert_eq!(code, 4);
    assert!(reason.contains("does not speak this protocol"), "{reason}");
    // The control: a host that has it.
    let mut run = Setting::new(1).start();
    run.connect();
    run.finish(LIMIT);
}

#[test]
fn a_set_up_item_that_is_not_understood_is_refused_with_code_4_and_says_so() {
    for item in [None, Some(vec![]), Some(vec![9; 256])] {
        let (code, reason) = refusal(&mut Setting::new(2).start(), NAME, Odd { item, ..Odd::default() });
        assert_eq!(code, 4);
        assert!(reason.contains("does not understand the set-up"), "{reason}");
    }
}

#[test]
fn a_factory_that_refuses_is_heard_with_its_reason() {
    let mut run = run_with(3, |_| Err(FactoryError::Unwanted(format!("not on Sundays{}", "!".repeat(300)))));
    let (code, reason) = refusal(&mut run, "odd/1", Odd::default());
    assert_eq!(code, 6);
    assert!(reason.starts_with("not on Sundays!"), "{reason}");
    let mut run = run_with(3, |_| Err(FactoryError::Busy));
    assert_eq!(refusal(&mut run, "odd/1", Odd::default()).0, 5);
    assert!(run.host(run.b).accounting().connections == 0, "nothing is left of who was refused");
}

#[test]
fn a_factory_that_panics_refuses_that_peer_and_ends_nothing() {
    let mut run = run_with(3, |_| panic!("of a factory, on purpose"));
    assert_eq!(refusal(&mut run, "odd/1", Odd::default()).0, 5);
    assert_eq!(run.host(run.b).accounting().connections, 0);
    let id = run.connect();
    run.world.run_until(run.world.now() + Duration::from_secs(5));
    assert!(run.app(run.a).talks[&id].tally.is_done(), "others are served");
}

#[test]
fn what_does_not_fit_beside_what_helpers_are_told_goes_directly() {
    let mut run = Setting::helped(12, 5).start();
    let (a, b) = (run.a, run.b);
    let factory = |_: Proposal<'_>| Ok(Box::new(Odd::default()) as Box<dyn Semantic>);
    run.node(b).machine.register("odd/1", factory).expect("a free name");
    let id = run.connect_speaking("odd/1", Box::new(Odd { item: Some(vec![7; 256]), ..Odd::default() }));
    run.world.run_until(Instant::from_secs(5));
    assert_eq!(run.host(a).stats(id).map(|stats| stats.helpers), Some(0), "{:?}", run.app(a).events);
    // The control: what fits is helped.
    let id = run.connect_speaking("odd/1", Box::new(Odd::default()));
    run.world.run_until(Instant::from_secs(10));
    assert_eq!(run.host(a).stats(id).map(|stats| stats.helpers), Some(5), "{:?}", run.app(a).events);
}

#[test]
fn helpers_that_no_set_up_message_has_room_for_are_looked_for_again_without_a_packet() {
    for (helpers, helped) in [(8, 0), (5, 5)] {
        let mut setting = Setting::helped(13, helpers);
        setting.asks = [(900, Duration::from_millis(100)), (0, Duration::ZERO)];
        let mut run = setting.start();
        let a = run.a;
        let id = run.connect();
        // A connection that went without its helpers looks for them after 30 s, and does without again.
        run.world.run_until(Instant::from_secs(100));
        assert_eq!(run.host(a).stats(id).map(|stats| stats.helpers), Some(helped));
        let told: Vec<&EventKind> = run.app(a).events.iter().map(|(_, event)| &event.kind).collect();
        assert_eq!(told, [&EventKind::Connected], "no other channel came or went");
        assert!(run.app(a).is_done() && run.app(a).fault().is_none());
    }
}

#[test]
fn a_reply_whose_set_up_item_is_not_understood_brings_no_connection() {
    let mut run = run_with(4, |_| Ok(Box::new(Odd { item: Some(b"?".to_vec()), ..Odd::default() })));
    run.connect_speaking("odd/1", Box::new(Echoes::new(WINDOW)));
    run.world.run_until(Instant::from_secs(5));
    let end = run.app(run.a).end();
    let rejected = matches!(end, Some(EventKind::ConnectFailed(ConnectError::Rejected(it))) if it.code == 1);
    assert!(rejected, "{end:?}");
    let at_server = run.app(run.b).closed();
    assert!(matches!(at_server, Some(CloseCause::Peer { code: 1, .. })), "{at_server:?}");
}

#[test]
fn a_name_is_registered_once_and_fits_a_set_up_message() {
    let mut run = Setting::new(5).start();
    let b = run.b;
    let host = &mut run.node(b).machine;
    let mut register = |name: &str| host.register(name, |proposal| answering(proposal.set_up_item));
    assert_eq!(register(NAME), Err(BadProtocol::Taken));
    assert_eq!(register("structured"), Err(BadProtocol::BuiltIn));
    assert_eq!(register(""), Err(BadProtocol::NoName));
    assert_eq!(register(&"x".repeat(33)), Err(BadProtocol::NameTooLong(33)));
    assert_eq!(register(&"x".repeat(32)), Ok(()));
}

#[test]
fn a_connection_that_its_set_up_cannot_describe_is_not_begun() {
    let mut run = Setting::new(6).start();
    let (a, target) = (run.a, run.target.clone());
    let host = &mut run.node(a).machine;
    let mut connect = |name: &str, item: usize| {
        let protocol = Odd { item: Some(vec![0; item]), ..Odd::default() };
        let begun = host.connect_speaking(Instant::ZERO, target.clone(), name, Box::new(protocol));
        begun.map(|_| ()).map_err(|error| match error {
            ConnectError::BadProtocol(bad) => bad,
            other => panic!("{other}"),
        })
    };
    assert_eq!(connect("structured", 0), Err(BadProtocol::BuiltIn));
    assert_eq!(connect("", 0), Err(BadProtocol::NoName));
    assert_eq!(connect(&"x".repeat(33), 0), Err(BadProtocol::NameTooLong(33)));
    assert_eq!(connect("odd/1", 257), Err(BadProtocol::SetUpTooLong(257)));
    assert_eq!(connect("odd/1", 256), Ok(()));
    // A host whose own factory says too much refuses.
    let mut run = run_with(6, |_| Ok(Box::new(Odd { item: Some(vec![0; 257]), ..Odd::default() })));
    assert_eq!(refusal(&mut run, "odd/1", Odd::default()).0, 6);
}

#[test]
fn a_factory_is_not_asked_for_those_who_have_no_access() {
    for (access, calls) in [(Access::Listed([].into()), 0), (Access::Public, 1)] {
        let mut setting = Setting::new(7);
        setting.server.access = access;
        let mut run = setting.start();
        let (b, asked) = (run.b, Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&asked);
        let factory = move |_: Proposal<'_>| {
            count.fetch_add(1, Relaxed);
            Ok(Box::new(Odd::default()) as Box<dyn Semantic>)
        };
        run.node(b).machine.register("odd/1", factory).expect("a free name");
        run.connect_speaking("odd/1", Box::new(Odd::default()));
        run.world.run_until(Instant::from_secs(5));
        assert_eq!(asked.load(Relaxed), calls);
    }
}

/// Connections that each promise so many bytes, and how many a host with 4 MB has taken of 64.
fn taken(promised: u64) -> (usize, u64) {
    let mut setting = Setting::new(8);
    setting.server.memory_max = 4 << 20;
    (setting.server.connections_max, setting.server.half_open_max) = (64, 64);
    setting.server.connections_per_peer = 64;
    let mut run = setting.start();
    let b = run.b;
    let factory = move |_: Proposal<'_>| Ok(Box::new(Odd { promised, ..Odd::default() }) as Box<dyn Semantic>);
    run.node(b).machine.register("odd/1", factory).expect("a free name");
    for _ in 0..64 {
        run.connect_speaking("odd/1", Box::new(Odd::default()));
        run.world.run_until(run.world.now() + Duration::from_millis(200));
    }
    let host = run.host(b);
    assert_eq!(host.accounting(), host.recount());
    let peers = host.connections().filter(|id| host.stats(*id).is_some()).count();
    (peers, host.accounting().memory.0)
}

#[test]
fn what_registered_protocols_promise_counts_in_the_budget() {
    let (few, memory) = taken(400 << 10);
    assert!(few < 10 && memory <= 4 << 20, "{few} connections, {memory} bytes");
    // The control: what promises nothing has room.
    let (all, _) = taken(0);
    assert_eq!(all, 64);
}

/// Leaves no room for another connection.
const NEARLY_ALL: u64 = 4_150_000;

/// Eight connections with nothing open, and a ninth whose end at the server, with 4 MB, holds nearly all of that:
/// how many of the eight are there afterwards, and what the ninth was told.
fn crowd(at_once: bool) -> (usize, Option<(u64, String)>) {
    let mut setting = Setting::new(14);
    setting.server.memory_max = 4 << 20;
    (setting.server.connections_max, setting.server.half_open_max) = (64, 64);
    let mut run = setting.start();
    let b = run.b;
    let asked = AtomicUsize::new(0);
    let factory = move |proposal: Proposal<'_>| {
        assert!(proposal.memory < 1 << 20, "no first window is a quarter of all there is");
        let held = if asked.fetch_add(1, Relaxed) < 8 { 0 } else { NEARLY_ALL };
        Ok(Box::new(Odd { held, at_once, ..Odd::default() }) as Box<dyn Semantic>)
    };
    run.node(b).machine.register("odd/1", factory).expect("a free name");
    let eight = [(); 8].map(|()| {
        run.world.run_until(run.world.now() + Duration::from_millis(200));
        run.connect_speaking("odd/1", Box::new(Odd::default()))
    });
    // They are quiet by now.
    run.world.run_until(Instant::from_secs(6));
    run.connect_speaking("odd/1", Box::new(Odd::default()));
    run.world.run_until(Instant::from_secs(8));
    let host = run.host(b);
    assert_eq!(host.accounting(), host.recount());
    let there = eight.iter().filter(|id| run.host(run.a).stats(**id).is_some()).count();
    (there, run.app(run.a).refusal())
}

#[test]
fn what_holds_more_from_its_beginning_than_its_proposal_told_is_refused_and_nobody_gives_way_for_it() {
    let (there, refused) = crowd(true);
    assert!(refused.is_some_and(|(code, _)| code == 5));
    assert_eq!(there, 8);
    // The control: what holds as much once it is let in has others give way.
    let (there, refused) = crowd(false);
    assert!(there < 8 && refused.is_none(), "{there} are there: {refused:?}");
}

/// A connection whose end at the server is like this has taken nearly all memory for six seconds, and another peer's
/// comes: whether the first is there still, and what the second was told.
fn beside(first: Odd) -> (bool, Option<(u64, String)>) {
    let mut setting = Setting::new(10);
    setting.server.memory_max = 4 << 20;
    (setting.server.connections_max, setting.server.half_open_max) = (64, 64);
    let mut run = setting.start();
    let b = run.b;
    let firsts = Mutex::new(Some(first));
    let factory = move |_: Proposal<'_>| {
        let end = firsts.lock().expect("one thread").take();
        Ok(Box::new(end.unwrap_or_default()) as Box<dyn Semantic>)
    };
    run.node(b).machine.register("odd/1", factory).expect("a free name");
    let first = run.connect_speaking("odd/1", Box::new(Odd::default()));
    run.world.run_until(Instant::from_secs(6));
    let second = run.connect_speaking("odd/1", Box::new(Odd::default()));
    run.world.run_until(Instant::from_secs(12));
    let names: Vec<&str> = run.host(b).connections().filter_map(|id| run.host(b).protocol_name(id)).collect();
    assert!(names.iter().all(|name| *name == "odd/1"), "what was thrown away is not taken for streams: {names:?}");
    let there = [first, second].map(|id| run.host(run.a).stats(id).is_some());
    assert!(there[0] != there[1], "one of the two has room");
    (there[0], run.app(run.a).refusal())
}

#[test]
fn a_registered_protocol_that_holds_bytes_and_stands_still_gives_way_as_streams_do() {
    let (there, refused) = beside(Odd { held: NEARLY_ALL, open: true, ..Odd::default() });
    assert_eq!((there, refused), (false, None), "nobody takes what it holds");
    let (there, refused) = beside(Odd { promised: NEARLY_ALL, ..Odd::default() });
    assert_eq!((there, refused), (false, None), "nothing is open, and its peer is silent");
    // The control: one with something open that waits for nobody's reader stays.
    let (there, refused) = beside(Odd { promised: NEARLY_ALL, open: true, ..Odd::default() });
    assert!(there && refused.as_ref().is_some_and(|(code, _)| *code == 5), "{refused:?}");
}

#[test]
fn a_path_is_kept_awake_for_a_registered_protocol_while_something_is_open() {
    for open in [false, true] {
        let mut run = Setting::new(11).start();
        let b = run.b;
        run.node(b).machine.register("odd/1", |_| Ok(Box::new(Odd::default()))).expect("a free name");
        run.connect_speaking("odd/1", Box::new(Odd { open, ..Odd::default() }));
        run.world.run_until(Instant::from_secs(100));
        assert_eq!(run.host(run.a).accounting().flows, if open { (1, 1) } else { (0, 0) });
    }
}
