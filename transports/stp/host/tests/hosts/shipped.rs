//! Code that came by shipping, where helpers are: a transport whose helper is killed, and a controller that governs the
//! section of one.

use core::time::Duration;
use std::sync::{Arc, Mutex};

use tng_base::{CodeHash, Eid, Instant};
use tng_congestion::{Choice, SectionChoice};
use tng_crypto::code_hash;
use tng_queue::{Limit, QueueConfig};
use tng_services::code::{Desk, Fetch, Form, Reply, Request, Shelf};
use tng_sim::DropCause;
use tng_stack::EventKind;
use tng_stp_abi::{Kind, abi_word};
use tng_stp_host::{Advised, AdvisorAccount, Advisors, Cap, Code, Fault, Quotas};
use tng_stp_sandbox::{Engine, Module, built_in};
use tng_wire::battery;

use crate::world::{Any, Run, Says, Setting, seeds};

const SECOND: Duration = Duration::from_secs(1);

/// Who has one module.
struct Author(Vec<u8>);

impl Shelf for Author {
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        (hash == code_hash(&self.0)).then(|| self.0.as_slice().into())
    }

    fn manifest(&self, _: CodeHash) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}

/// The module as a host has it that knew its hash alone and asked for it: every byte is one of `tng-code/1`.
fn shipped(module: &[u8]) -> Module {
    let mut fetch = Fetch::new(code_hash(module), Form::Binary, None);
    let peer = Eid::from_bytes([7; 32]);
    let reply = Desk::default().answer(&Author(module.to_vec()), Instant::ZERO, peer, Request::Ask(fetch.ask()));
    let Reply::Supply(supply) = reply else { panic!("the author has it: {reply:?}") };
    let (packed, offset) = supply.rest();
    let bytes = [&battery::emit(&supply.head()), &packed[offset..]].concat();
    for piece in bytes.chunks(1_000) {
        let mut input = piece;
        while fetch.step(&mut input).expect("an honest author").is_some() {}
    }
    let code = fetch.open().expect("it has the hash");
    Module::new(&Engine::new(Quotas::default()).expect("an engine"), &code.module).expect("a good module")
}

fn of_name(name: &str) -> Module {
    shipped(built_in(name).expect("it comes with the sandbox").bytes)
}

#[test]
fn a_shipped_transport_carries_everything_though_a_helper_is_killed_in_the_middle() {
    for (seed, helpers) in seeds(3).flat_map(|seed| [(seed, 1), (seed, 2)]) {
        let code: Code = of_name("newreno").code("newreno").expect("a transport");
        let says = Says { amount: 400_000, finishes: true, ..Says::default() };
        // A helper behind another one dies unseen, but by who judges what the whole path does.
        let mut run = Setting { judged: true, ..Setting::helped(seed, helpers) }.saying(says).start();
        let id = run.connect(&code);
        let b = run.b;
        let half = |world: &tng_sim::World<Any>| {
            crate::world::node_of(world, b).app.talks.values().any(|talk| talk.heard > 150_000)
        };
        assert!(run.world.wait_until(Instant::ZERO + 20 * SECOND, half), "seed {seed}");
        assert_eq!(run.host(run.a).stats(id).expect("up").helpers, helpers);
        run.world.stop(run.helpers[seed as usize % helpers]);
        let killed = run.world.now();
        let took = run.finish(60 * SECOND);
        println!("seed {seed}, {helpers} helpers: killed at {killed:?}, whole after {took:?}");
        assert_eq!(run.host(run.a).stats(id).expect("up").helpers, 0, "seed {seed}: it goes on without");
        let lost = |kind: &EventKind| matches!(kind, EventKind::PathLost { .. });
        let events = &run.app(run.a).events;
        assert_eq!(events.iter().filter(|(_, event)| lost(&event.kind)).count(), 1, "seed {seed}: {events:?}");
        run.end();
    }
}

/// A controller that does this with each sample.
fn controller(sample: &str) -> Module {
    let text = format!(
        "(module
           (import \"tng\" \"net_window\" (func $net_window (param i64 i64)))
           (memory (export \"memory\") 1)
           (global $samples (mut i64) (i64.const 0))
           (func (export \"abi\") (result i64) (i64.const {}))
           (func (export \"area\") (result i32) (i32.const 8192))
           (func (export \"sample\") {sample}))",
        abi_word(Kind::Controller)
    );
    shipped(&wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// Guests of a module that govern sections, and what is told of them.
fn advisors(name: &str, module: &Module) -> (Advisors, Arc<Mutex<Vec<Fault>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let (module, heard) = (module.clone(), Arc::clone(&told));
    let make = move |_| module.advisor(Quotas::default());
    let tell = move |fault: &Fault| heard.lock().expect("nothing panics").push(fault.clone());
    (Advisors::new(name, Cap::default(), make, tell), told)
}

/// What a section toward the server was like, over which a stream goes as fast as it may.
#[derive(Debug)]
struct Section {
    controller: String,
    /// Bytes in front of its bottleneck, the mean of many looks.
    waiting: u64,
    /// Packets that its bottleneck had no room for.
    dropped: u64,
    /// Bytes that came to the server in a second.
    rate: u64,
}

/// A stream by way of a helper, whose section toward the server is under `choice`: 8 Mbit/s, and a queue of half a
/// second in front of them.
fn governed_by(choice: Choice) -> Section {
    let mut setting = Setting::helped(3, 1);
    setting.section = SectionChoice::try_from(choice).expect("fit for sections");
    let queue = QueueConfig::DropTail(Limit::Bytes(500_000));
    setting.links[0] = setting.links[0].clone().rate(8_000_000).queue(queue);
    let mut run: Run = setting.start();
    let id = run.stream();
    run.pass(5 * SECOND);
    assert_eq!(run.host(run.a).stats(id).expect("up").helpers, 1);
    let [relay] = run.helper(0).flow_ids()[..] else { panic!("one flow goes by way of the helper") };
    let lane = run.links[1].forth();
    let (before, mut waiting) = (run.app(run.b).streamed, 0);
    for _ in 0..100 {
        run.pass(SECOND / 10);
        waiting += run.world.look(lane).bytes / 100;
    }
    let status = run.helper(0).flow_status(relay).expect("it goes on");
    let section = Section {
        controller: status.far.expect("it is there").controller,
        waiting,
        dropped: run.world.stats(lane).dropped_for(DropCause::Queue),
        rate: (run.app(run.b).streamed - before) / 10,
    };
    println!("{section:?}");
    section
}

/// Calls, and why they ended if they did.
fn accounts(advisors: &Advisors) -> Vec<(u64, Option<Fault>)> {
    let of = |account: AdvisorAccount| (account.usage.calls, account.fault);
    advisors.accounts().into_iter().map(of).collect()
}

#[test]
fn a_shipped_controller_keeps_the_queue_short_that_the_sections_own_one_would_fill() {
    let (vegas, told) = advisors("vegas", &of_name("vegas"));
    let by_guest = governed_by(vegas.choice());
    let usual = governed_by(Choice::default());
    assert_eq!((&*by_guest.controller, &*usual.controller), ("guest-vegas", "cubic"));
    assert!(by_guest.waiting * 5 < usual.waiting, "{by_guest:?}, and without it {usual:?}");
    // It costs nothing of the rate: 8 Mbit/s, less what stands around bytes.
    assert!(by_guest.rate > 850_000 && usual.rate > 850_000, "{by_guest:?}, and without it {usual:?}");
    assert_eq!(*told.lock().expect("nothing panics"), []);
}

#[test]
fn a_shipped_controller_that_wants_everything_is_held_to_what_tcp_would_have() {
    let greedy = controller("(call $net_window (i64.const -1) (i64.const -1))");
    let (held, told) = advisors("greedy", &greedy);
    let held = governed_by(held.choice());
    // Control: the same code without the policer.
    let free =
        governed_by(Choice::of("free", move |mtu| Box::new(Advised::new(greedy.advisor(Quotas::default()), mtu))));
    assert!(held.dropped * 10 < free.dropped, "{held:?}, and unpoliced {free:?}");
    assert!(held.rate > 500_000, "{held:?}");
    assert_eq!(*told.lock().expect("nothing panics"), [], "to ask is no fault");
}

#[test]
fn a_shipped_controller_that_never_returns_is_replaced_on_its_section_and_the_stream_goes_on() {
    let endless = controller(
        "(global.set $samples (i64.add (global.get $samples) (i64.const 1)))
         (if (i64.gt_u (global.get $samples) (i64.const 200)) (then (loop $again (br $again))))",
    );
    let (endless, told) = advisors("endless", &endless);
    let section = governed_by(endless.choice());
    assert_eq!(*told.lock().expect("nothing panics"), [Fault::Cpu], "the operator is told once");
    assert_eq!(section.controller, "newreno", "it says who governs it");
    assert!(section.rate > 850_000, "NewReno governs it: {section:?}");
    // The section is over with its run; of who was stopped the account is kept.
    assert_eq!(accounts(&endless), [(201, Some(Fault::Cpu))]);
}
