//! Guests for which there are few processes, and that hold their host up: who has proven nothing takes none.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stp_guest_newreno::NewReno;
use tng_base::{ChannelKey, CodeHash, Instant, Protocol, Semantic};
use tng_crypto::code_hash;
use tng_sim::Loss;
use tng_stack::{CloseCause, ConnectionId, EventKind, Settled, TransportOffer};
use tng_stp_abi::{Role, SocketKind};
use tng_stp_host::{
    Around, Callback, Code, End, Fault, GUEST_UNUSED, Instance, Life, Native, SILENT_MAX, Transport, Usage,
};

use crate::negotiation::{Shelf, end_of};
use crate::world::{Run, Says, Setting};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
/// Processes that are ready.
const STOCK: usize = 4;

/// A guest that takes one of few things before its first call, which its host may have to wait for.
#[derive(Debug)]
struct Scarce {
    inner: Native<NewReno>,
    stock: Arc<AtomicUsize>,
    has: bool,
    /// For so long, at its first call.
    holds_up: Duration,
    waited: Duration,
    /// What it was told then, and hears with the next.
    owed: Option<Callback>,
}

impl Around for Scarce {
    fn inner(&self) -> &dyn Instance {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Instance {
        &mut self.inner
    }

    fn prepare(&mut self) -> Result<bool, Fault> {
        let take = |left: usize| left.checked_sub(1);
        self.has |= self.stock.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        Ok(self.has)
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        if callback != Callback::Attach && self.waited < self.holds_up {
            (self.waited, self.owed) = (self.holds_up, Some(callback));
            return Ok(0);
        }
        if let Some(owed) = self.owed.take() {
            self.inner.call(owed)?;
        }
        self.inner.call(callback)
    }

    fn usage(&self) -> Usage {
        Usage { waited: self.waited, ..self.inner.usage() }
    }

    fn looked_after_every(&self) -> Option<Duration> {
        Some(40 * MS)
    }
}

/// Code that has room for so many instances at once. Each holds its host up for so long.
fn scarce(stock: usize, holds_up: Duration) -> (Arc<AtomicUsize>, (CodeHash, Code)) {
    let stock = Arc::new(AtomicUsize::new(stock));
    let of = Arc::clone(&stock);
    let code = Code::new("scarce", SocketKind::Stream, move |shim| {
        let (inner, stock) = (Native::new(shim), Arc::clone(&of));
        Ok(Box::new(Scarce { inner, stock, has: false, holds_up, waited: Duration::ZERO, owed: None })
            as Box<dyn Instance>)
    });
    (stock, (code_hash(b"scarce"), code))
}

/// A server where the code is scarce, and a client where it is not.
fn ends(stock: usize) -> (Run, Arc<AtomicUsize>, CodeHash) {
    let mut run = Setting::new(1).saying(Says { amount: 30_000, finishes: true, ..Says::default() }).start();
    let (stock, (hash, code)) = scarce(stock, Duration::ZERO);
    let plenty = (hash, Code::native::<NewReno>("plenty"));
    for (at, here) in [plenty, (hash, code)].into_iter().enumerate() {
        let (id, workshop) = ([run.a, run.b][at], Arc::clone(&run.workshops[at]));
        run.node(id).machine.set_transports(Arc::new(Shelf::of(end_of(&[here]), workshop)));
    }
    (run, stock, hash)
}

fn connect(run: &mut Run, code: CodeHash) -> ConnectionId {
    let (now, target, a) = (run.world.now(), run.target.clone(), run.a);
    let offer = TransportOffer { service: "files".into(), codes: vec![code] };
    run.node(a).machine.connect_offering(now, target, offer).expect("an address")
}

fn goes_there_and_back(run: &mut Run, id: ConnectionId) {
    let a = run.a;
    let until = run.world.now() + 10 * SECOND;
    let heard = run
        .world
        .wait_until(until, |world| crate::world::node_of(world, a).app.talks.get(&id).is_some_and(|talk| talk.at_end));
    assert!(heard && run.app(a).talks[&id].wrong.is_none(), "{:?}", run.app(a).events);
    assert!(matches!(run.host(a).negotiation(id).expect("an offer").settled, Settled::Runs(_)));
}

#[test]
fn set_ups_that_prove_nothing_take_none() {
    let (mut run, stock, code) = ends(STOCK);
    // Nothing comes back: to the server they are as from forged addresses.
    let back = run.links[0].back();
    run.world.change(back, |link| *link = link.clone().loss(Loss::Independent(1.0)));
    let begun: Vec<ConnectionId> = (0..20).map(|_| connect(&mut run, code)).collect();
    run.pass(SECOND);
    assert_eq!(stock.load(Ordering::Relaxed), STOCK);
    let (now, a) = (run.world.now(), run.a);
    begun.into_iter().for_each(|id| run.node(a).machine.close(now, id, 0, ""));
    run.world.change(back, |link| *link = link.clone().loss(Loss::Independent(0.0)));
    let honest = connect(&mut run, code);
    goes_there_and_back(&mut run, honest);
    assert_eq!(stock.load(Ordering::Relaxed), STOCK - 1);
}

#[test]
fn more_at_once_than_there_are_wait_for_the_next_one() {
    let (mut run, stock, code) = ends(STOCK);
    let all: Vec<ConnectionId> = (0..=STOCK).map(|_| connect(&mut run, code)).collect();
    run.pass(500 * MS);
    assert_eq!(stock.load(Ordering::Relaxed), 0);
    stock.store(1, Ordering::Relaxed);
    all.into_iter().for_each(|id| goes_there_and_back(&mut run, id));
}

#[test]
fn where_there_is_none_for_long_the_peer_is_told_and_nothing_is_lost() {
    let (mut run, _, code) = ends(0);
    let (id, began) = (connect(&mut run, code), run.world.now());
    run.pass(SILENT_MAX + SECOND);
    let (a, b) = (run.a, run.b);
    let Some(CloseCause::Peer { code: GUEST_UNUSED, reason }) = run.app(a).closed(id) else {
        panic!("{:?}", run.app(a).events)
    };
    assert_eq!(reason.exact(), "there was no room for a guest");
    let talk = &run.app(a).talks[&id];
    assert_eq!(talk.back.as_ref().map(Vec::len), Some(30_000));
    let there = run.app(b).talks.values().next().expect("it was let in");
    assert_eq!(*there.life(), Life::Ended(End::Stopped(Fault::NoRoom)));
    let closed = run.app(a).events.iter().find(|(_, event)| matches!(event.kind, EventKind::Closed(_)));
    let took = closed.map(|(at, _): &(Instant, _)| at.since(began)).expect("it was closed");
    assert!(took < SILENT_MAX + SECOND, "{took:?}");
}

#[test]
fn a_connection_that_ends_before_its_guest_was_met_takes_none() {
    let (stock, (_, code)) = scarce(STOCK, Duration::ZERO);
    let mut guest = Setting::new(1).workshop(0).transport(&code, Role::Initiator).expect("room");
    guest.handle_attach(Instant::from_secs(1), ChannelKey(1));
    guest.handle_closed();
    assert!(matches!(guest.life(), Life::Ended(_)), "{:?}", guest.life());
    assert_eq!(stock.load(Ordering::Relaxed), STOCK);
}

#[test]
fn who_is_not_called_since_it_has_held_its_host_up_is_not_silent() {
    let mut run = Setting::new(1).saying(Says { amount: 3_000, finishes: true, ..Says::default() }).start();
    // It has used up its processor for more than four seconds.
    let (_, (_, code)) = scarce(STOCK, SECOND);
    let (id, b) = (run.connect_as([&Code::native::<NewReno>("scarce"), &code]), run.b);
    run.pass(SILENT_MAX + 500 * MS);
    let guest: &mut Transport = run.node(b).machine.protocol_as(id).expect("it is there");
    assert_eq!((guest.life(), guest.shim().traffic().sent), (&Life::Running, 0));
    run.finish(60 * SECOND);
}
