//! Downloads from a server that keeps nothing of them.

use core::time::Duration;
use std::sync::atomic::Ordering;

use stp_guest_trickles::Trickles;
use tng_crypto::code_hash;
use tng_stp_host::Code;
use tng_stp_receiver::Event;

use crate::world::{Any, MODULE, MOST, Run, compiled, path, seeds};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_host_that_has_never_met_trickles_is_shipped_its_client_and_downloads_from_a_server_without_state() {
    const LEN: u64 = 1_000_000;
    for seed in seeds(3) {
        let mut run = Run::new(seed, &path());
        let shipped = run.shipped();
        println!("shipped after {:?}: {} bytes", run.world.now(), shipped.module.len());
        assert_eq!(shipped.hash, code_hash(MODULE));
        let id = run.download(&compiled(&shipped.module), LEN);
        let took = run.finish(id, LEN, 60 * SECOND);
        let node = run.receiver(id);
        let usage = node.machine.transport().usage();
        let most = MOST.load(Ordering::Relaxed);
        println!("{LEN} bytes took {took:?}; {usage:?}; at most {most} of fuel in a call");
        assert_eq!(node.app.events, [Event::Connected]);
        assert!(took < 6 * SECOND, "seed {seed}: {took:?}, of 20 Mbit/s with one packet in a hundred lost");
    }
}

#[test]
fn the_server_is_killed_in_the_middle_and_the_guest_goes_on_where_it_was() {
    const LEN: u64 = 2_000_000;
    for seed in seeds(3) {
        let mut run = Run::new(seed, &path());
        let id = run.download(&compiled(MODULE), LEN);
        assert!(run.until(id, 600_000, 60 * SECOND));
        run.restart(9, SECOND / 10);
        let took = run.finish(id, LEN, 60 * SECOND);
        println!("the rest took {took:?}");
        assert_eq!(run.receiver(id).app.events, [Event::Connected], "seed {seed}: over the same connection");
    }
}

#[test]
fn where_the_servers_keys_are_lost_the_guest_asks_for_another_connection_and_its_object_goes_on() {
    const LEN: u64 = 1_000_000;
    for seed in seeds(2) {
        let mut run = Run::new(seed, &path());
        let id = run.download(&Code::native::<Trickles>("trickles"), LEN);
        assert!(run.until(id, 300_000, 60 * SECOND));
        run.restart(10, SECOND / 10);
        run.finish(id, LEN, 120 * SECOND);
        assert_eq!(run.receiver(id).app.events, [Event::Connected, Event::Connected], "seed {seed}");
    }
}

#[test]
fn an_application_that_reads_slowly_has_every_byte_also_over_another_connection() {
    const LEN: u64 = 1_000_000;
    for seed in seeds(3) {
        for code in [Code::native::<Trickles>("trickles"), compiled(MODULE)] {
            let mut run = Run::new(seed, &path());
            let id = run.download(&code, LEN);
            run.reads_every(id, SECOND / 20);
            assert!(run.until(id, 300_000, 60 * SECOND));
            run.restart(10, 5 * SECOND);
            run.finish(id, LEN, 120 * SECOND);
            assert_eq!(run.receiver(id).app.events, [Event::Connected, Event::Connected], "seed {seed}");
        }
    }
}

#[test]
fn a_guest_compiled_in_and_the_module_of_the_same_source_do_the_same() {
    const LEN: u64 = 300_000;
    let of = |code: &Code| {
        let mut run = Run::new(1, &path());
        let id = run.download(code, LEN);
        let took = run.finish(id, LEN, 60 * SECOND);
        (took, *run.receiver(id).machine.transport().shim().traffic())
    };
    assert_eq!(of(&Code::native::<Trickles>("trickles")), of(&compiled(MODULE)));
}

#[test]
fn a_server_holds_nothing_of_a_guest_that_downloads() {
    const LEN: u64 = 200_000;
    let held = |run: &Run| match run.world.node(run.server) {
        Any::Server(node) => node.machine.held(),
        _ => unreachable!("it is the server"),
    };
    let mut run = Run::new(1, &path());
    let before = held(&run);
    let id = run.download(&compiled(MODULE), LEN);
    run.finish(id, LEN, 60 * SECOND);
    // Buffers of what is under way, at either end.
    assert!(held(&run) < before + (64 << 10), "{} and then {}", before, held(&run));
}
