//! Guests whose calls are dear, as those of another process are: they hear of much at once.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stp_guest_newreno::NewReno;
use tng_base::{ChannelKey, Ecn, Instant, Protocol};
use tng_crypto::Secret32;
use tng_stp_abi::Role;
use tng_stp_host::{Around, Callback, Code, End, Fault, Instance, Life, SILENT_MAX, Workshop};

use crate::bad::{Bad, SAYS_NOTHING};
use crate::world::{Says, Setting};

const MS: Duration = Duration::from_millis(1);

/// Calls of all instances, and those of them that told of two things.
#[derive(Debug, Default)]
struct Calls {
    all: AtomicUsize,
    of_both: AtomicUsize,
}

/// A guest that is told so often.
#[derive(Debug)]
struct Dear {
    inner: Box<dyn Instance>,
    every: Option<Duration>,
    calls: Arc<Calls>,
}

impl Around for Dear {
    fn inner(&self) -> &dyn Instance {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Instance {
        &mut *self.inner
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        self.calls.all.fetch_add(1, Ordering::Relaxed);
        self.inner.call(callback)
    }

    fn call_both(&mut self, first: Callback, second: Callback) -> Result<i64, Fault> {
        self.calls.all.fetch_add(1, Ordering::Relaxed);
        self.calls.of_both.fetch_add(1, Ordering::Relaxed);
        self.inner.call_both(first, second)
    }

    fn told_every(&self) -> Option<Duration> {
        self.every
    }
}

/// Calls that a transfer takes both ways between two that are told so often, those of two things, and how long it
/// takes.
fn carries(every: Option<Duration>) -> (usize, usize, Duration) {
    let calls = Arc::new(Calls::default());
    let counts = Arc::clone(&calls);
    let code = Code::native::<NewReno>("dear").within(move |inner| Dear { inner, every, calls: Arc::clone(&counts) });
    let mut run = Setting::new(1).saying(Says { amount: 600_000, finishes: true, ..Says::default() }).start();
    let began = run.world.now();
    run.connect_as([&code, &code]);
    run.finish(Duration::from_secs(60));
    let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    (of(&calls.all), of(&calls.of_both), run.world.now().since(began))
}

#[test]
fn what_happens_soon_after_a_call_is_told_at_once_with_what_happens_then() {
    let (cheap, of_both, took) = carries(None);
    assert_eq!(of_both, 0, "where a call is cheap each is for one thing");
    let (dear, of_both, took_dear) = carries(Some(10 * MS));
    assert!(dear * 3 < cheap, "{dear} calls, and {cheap}");
    assert!(of_both > 0);
    assert!(took_dear < took * 2, "{took_dear:?}, and {took:?}");
}

#[test]
fn who_has_not_been_called_for_a_while_is_told_without_delay() {
    let (_, _, took) = carries(None);
    // Nothing is held back for longer than a packet takes.
    let (.., took_soon) = carries(Some(MS / 10));
    assert!(took_soon < took + took / 10, "{took_soon:?}, and {took:?}");
}

#[test]
fn who_says_nothing_is_stopped_in_time_also_if_two_segments_come_together_meanwhile() {
    let calls = Arc::new(Calls::default());
    let counts = Arc::clone(&calls);
    let within = move |inner| Dear { inner, every: Some(MS), calls: Arc::clone(&counts) };
    let code = Code::native::<Bad<SAYS_NOTHING>>("dear").within(within);
    let workshop = Workshop::new(&Secret32::from_bytes([7; 32]), [1; 32]);
    let mut guest = workshop.transport(&code, Role::Initiator).expect("room");
    let (channel, begins) = (ChannelKey(1), Instant::from_secs(1));
    guest.handle_attach(begins, channel);
    guest.handle_timeout(begins);
    guest.write(b"hello").expect("room");
    guest.handle_timeout(begins);
    let before = calls.all.load(Ordering::Relaxed);
    let comes = begins + Duration::from_secs(2);
    for at in [comes, comes + MS / 2] {
        // A segment without a number, of one byte.
        guest.handle_packet(at, channel, 1, Ecn::NotEct, &mut [0x30, 1]).expect("a segment");
        assert!(!guest.wants_to_send(at, channel));
    }
    assert_eq!(calls.all.load(Ordering::Relaxed), before + 1, "control: it has yet to hear of the second");
    guest.handle_timeout(comes + MS);
    assert_eq!(calls.all.load(Ordering::Relaxed), before + 2);
    assert_eq!(*guest.life(), Life::Running);
    guest.handle_timeout(begins + SILENT_MAX);
    assert_eq!(*guest.life(), Life::Ended(End::Stopped(Fault::Silent)));
}
