use core::time::Duration;

use tng_base::{ChannelKey, Instant, Protocol};
use tng_stp_host::{End, Life, TOIL_MAX, Transport, Workshop};

use super::*;

const PAGE: u64 = 64 << 10;

#[test]
fn memory_grows_to_the_quota_and_no_further() {
    let guest = Wat::transport().body("timer", "(drop (memory.grow (local.get $id)))");
    let quotas = Quotas { memory: 10 * PAGE, ..Quotas::default() };
    let mut instance = guest.start(quotas);
    assert_eq!(instance.usage().memory, PAGE);
    instance.call(Callback::Timer(9)).unwrap();
    assert_eq!(instance.usage().memory, 10 * PAGE);
    for pages in [1, 65_535, u32::MAX] {
        instance.call(Callback::Timer(pages)).unwrap();
        assert_eq!(instance.usage().memory, 10 * PAGE, "{pages}");
    }
    assert!(instance.shim().denials().memory >= 2, "{:?}", instance.shim().denials());
}

#[test]
fn a_guest_that_goes_on_growing_is_stopped_for_it() {
    let guest = Wat::transport().body("attach", "(drop (memory.grow (i32.const 100)))");
    let quotas = Quotas { denials: 20, ..Quotas::default() };
    let mut instance = guest.start(quotas);
    for _ in 0..20 {
        assert_eq!(instance.call(Callback::Attach), Ok(0));
    }
    assert_eq!(instance.call(Callback::Attach), Err(Fault::Denied));
    let endless = Wat::transport().body("attach", "(loop $l (drop (memory.grow (i32.const 1))) br $l)");
    let mut instance = endless.start(Quotas::default());
    assert_eq!(instance.call(Callback::Attach), Err(Fault::Cpu), "growth costs fuel, too");
    assert_eq!(instance.usage().memory, Quotas::default().memory);
    let mut instance = endless.start(Quotas { fuel: 1 << 40, ..Quotas::default() });
    assert_eq!(instance.call(Callback::Attach), Err(Fault::Denied));
}

#[test]
fn an_instance_with_less_than_its_module_needs_does_not_start() {
    let module = Wat::transport().memory("(memory (export \"memory\") 3)").field("(table 9 funcref)").load().unwrap();
    let start = |quotas| Sandboxed::new(&module, shim(quotas)).map(|_| ());
    assert_eq!(start(Quotas { memory: 3 * PAGE, table: 9, ..Quotas::default() }), Ok(()));
    assert!(start(Quotas { memory: 3 * PAGE - 1, ..Quotas::default() }).is_err());
    assert!(start(Quotas { table: 8, ..Quotas::default() }).is_err());
    assert_eq!(module.instances(), 0);
}

#[test]
fn a_module_has_so_many_instances_and_places_are_given_back() {
    let module = Wat::transport().load().unwrap();
    let start = || Sandboxed::new(&module, shim(Quotas::default()));
    let mut all: Vec<_> = (0..crate::INSTANCES_OF_MODULE_MAX).map(|_| start().unwrap()).collect();
    assert_eq!(start().unwrap_err(), Fault::NoRoom);
    all.pop();
    all.push(start().unwrap());
    assert_eq!(start().unwrap_err(), Fault::NoRoom);
    drop(all);
    assert_eq!(module.instances(), 0);
}

#[test]
fn an_instance_finds_nothing_in_memory_that_another_left() {
    let guest = Wat::transport().body("attach", "(memory.fill (i32.const 0) (i32.const 0x55) (i32.const 65536))").body(
        "connect",
        "(local $at i32) (loop $l
               (if (i64.ne (i64.load (local.get $at)) (i64.const 0)) (then unreachable))
               (br_if $l (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const 65536))))",
    );
    let module = guest.load().unwrap();
    for _ in 0..50 {
        let mut instance = Sandboxed::new(&module, shim(Quotas::default())).unwrap();
        assert_eq!(instance.call(Callback::Connect), Ok(0));
        assert_eq!(instance.call(Callback::Attach), Ok(0));
    }
}

#[test]
fn a_module_of_another_kind_does_not_run_as_this_one() {
    let (transport, controller) = (Wat::transport().load().unwrap(), Wat::controller().load().unwrap());
    assert!(Sandboxed::new(&controller, shim(Quotas::default())).is_err());
    assert!(SandboxedController::new(&transport, Quotas::default()).is_err());
    assert_eq!((transport.instances(), controller.instances()), (0, 0));
}

/// A transport at work, of code that is called by the host alone.
fn transport(module: &Module, quotas: Quotas) -> Transport {
    let mut workshop = Workshop::new(&Secret32::from_bytes([7; 32]), [1; 32]);
    workshop.quotas = quotas;
    let mut transport = workshop.transport(&module.code("it").unwrap(), Role::Initiator).unwrap();
    transport.handle_attach(Instant::from_secs(1), ChannelKey(1));
    transport
}

/// A guest of timers that all go off again and again, with some hundred thousand steps each time.
fn busy() -> Module {
    let busy = "(local $n i32) (loop $all (drop (call $timer_reset (local.get $n) (i32.const 0)))
        (local.set $n (i32.add (local.get $n) (i32.const 1))) (br_if $all (i32.lt_u (local.get $n) (i32.const 8))))
        (loop $on (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br_if $on (i32.lt_u (local.get $n) (i32.const 200000))))";
    let first = "(drop (call $timer_reset (i32.const 0) (i32.const 0)))";
    Wat::transport().import("timer_reset").body("connect", first).body("timer", busy).load().unwrap()
}

#[test]
fn a_guest_that_burns_all_that_it_may_have_and_sends_nothing_of_what_was_written_is_stopped_for_that() {
    let mut guest = transport(&busy(), Quotas::default());
    let (begins, mut now) = (Instant::from_secs(1), Instant::from_secs(1));
    guest.handle_timeout(now);
    guest.write(b"hello").unwrap();
    while guest.life() == &Life::Running && now < begins + 2 * TOIL_MAX {
        guest.handle_timeout(now);
        now = guest.poll_timeout().unwrap_or(now).max(now + Duration::from_micros(1));
    }
    assert_eq!(guest.life(), &Life::Ended(End::Stopped(Fault::Busy)));
    assert!(now < begins + TOIL_MAX + Duration::from_secs(1), "{now:?}");
    assert_eq!(guest.take_back(false).as_deref(), Some(&b"hello"[..]), "nothing is lost");
}

#[test]
fn a_guest_of_many_timers_has_no_more_of_the_processor_than_its_quota_of_a_second() {
    let module = busy();
    let quotas = Quotas::default();
    let mut guest = transport(&module, quotas);
    let (begins, ends) = (Instant::from_secs(1), Instant::from_secs(11));
    let (mut now, mut turns) = (begins, 0);
    while now < ends {
        guest.handle_timeout(now);
        now = guest.poll_timeout().unwrap().max(now + Duration::from_micros(1));
        turns += 1;
    }
    let (used, may) = (guest.usage().fuel, 10 * quotas.fuel_per_sec + 5 * quotas.fuel);
    assert!(used <= may && used > may / 2, "{used} of {may}");
    assert!(turns < 5_000, "it waits until there is fuel, and the host with it: {turns} turns");
    assert!(matches!(guest.life(), Life::Running));
}

#[test]
fn a_guest_that_has_ended_gives_back_its_memory_and_its_place() {
    let module = Wat::transport().body("connect", "unreachable").load().unwrap();
    let mut guest = transport(&module, Quotas::default());
    assert_eq!((module.instances(), guest.usage().memory), (1, PAGE));
    guest.handle_timeout(Instant::from_secs(1));
    assert!(matches!(guest.life(), Life::Ended(End::Stopped(Fault::Trapped(_)))), "{:?}", guest.life());
    assert_eq!((module.instances(), guest.usage().memory), (0, 0));
    assert_eq!(guest.usage().calls, 2, "what it has done is told all the same");
}
