//! The modules that are committed do what the crates do that they were built from, segment by segment.

use std::sync::LazyLock;

use stp_guest_flood::Flood;
use stp_guest_harness::{Callback, End, Facts, LinkConfig, Mock, World, mix};
use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use stp_guest_template::StopAndWait;
use tng_stp_abi::{ARRIVED_LEN, Host, Info, RING_ENTRIES, Refused, Role, Route, SocketKind};
use wasmi::{Caller, Engine, Extern, Instance, Linker, Memory, Module, Store, WasmParams};

const STREAM: u8 = SocketKind::Stream as u8;
const MESSAGE: u8 = SocketKind::Message as u8;

const NEWRENO: usize = 0;
const SACK: usize = 1;
const FLOOD: usize = 2;
const TEMPLATE: usize = 3;
const C_EXAMPLE: usize = 4;

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);
static MODULES: LazyLock<Vec<Module>> = LazyLock::new(|| {
    let names = ["newreno", "sack", "flood", "template", "c-example"];
    let load = |name| {
        let path = format!("{}/../modules/{name}.wasm", env!("CARGO_MANIFEST_DIR"));
        Module::new(&ENGINE, std::fs::read(path).expect("the module is there")).expect("it is one")
    };
    names.map(load).into()
});

/// A module at one end. While it runs, its store has the host's side.
struct Guest<const MODULE: usize, const KIND: u8> {
    store: Store<Mock>,
    instance: Instance,
    ring: usize,
}

impl<const MODULE: usize, const KIND: u8> Guest<MODULE, KIND> {
    fn run<P: WasmParams>(&mut self, host: &mut Mock, name: &str, parameters: P) {
        core::mem::swap(self.store.data_mut(), host);
        let function = self.instance.get_typed_func::<P, ()>(&self.store, name).expect(name);
        function.call(&mut self.store, parameters).expect(name);
        core::mem::swap(self.store.data_mut(), host);
    }
}

impl<const MODULE: usize, const KIND: u8> End for Guest<MODULE, KIND> {
    const KIND: SocketKind = if KIND == STREAM { SocketKind::Stream } else { SocketKind::Message };

    fn begin(host: &mut Mock) -> Self {
        let mut store = Store::new(&ENGINE, Mock::new(Role::Initiator, SocketKind::Stream, 0));
        let instance = linker().instantiate_and_start(&mut store, &MODULES[MODULE]).expect("its imports are there");
        let ring = instance.get_typed_func::<(), i32>(&store, "ring").and_then(|ring| ring.call(&mut store, ()));
        let mut guest = Guest { store, instance, ring: ring.expect("it has one") as usize };
        guest.run(host, "attach", ());
        guest
    }

    fn call(&mut self, host: &mut Mock, callback: Callback<'_>) {
        match callback {
            Callback::Connect => self.run(host, "connect", ()),
            Callback::Accept => self.run(host, "accept", ()),
            Callback::Timer(id) => self.run(host, "timer", id as i32),
            Callback::Request(request) => {
                let (request, until) = request.to_numbers();
                self.run(host, "usrreq", (request as i32, until as i64));
            }
            Callback::Input(arrived) => {
                let memory = self.instance.get_memory(&self.store, "memory").expect("it has one");
                assert!(arrived.len() <= RING_ENTRIES);
                for (at, entry) in arrived.iter().enumerate() {
                    memory.write(&mut self.store, self.ring + at * ARRIVED_LEN, &entry.to_bytes()).expect("a ring");
                }
                self.run(host, "input", (0, arrived.len() as i32));
            }
        }
    }
}

type Call<'a> = Caller<'a, Mock>;

fn memory(caller: &Call<'_>) -> Memory {
    caller.get_export("memory").and_then(Extern::into_memory).expect("it has one")
}

fn bytes(caller: &Call<'_>, at: i32, len: i32) -> Vec<u8> {
    let mut bytes = vec![0; len as u32 as usize];
    memory(caller).read(caller, at as u32 as usize, &mut bytes).expect("its memory");
    bytes
}

type Read = Result<usize, Refused>;

fn write(caller: &mut Call<'_>, at: i32, len: i32, read: impl FnOnce(&mut Mock, &mut [u8]) -> Read) -> i64 {
    let mut bytes = vec![0; len as u32 as usize];
    let answer = read(caller.data_mut(), &mut bytes);
    if let Ok(len) = answer {
        memory(caller).write(caller, at as u32 as usize, &bytes[..len]).expect("its memory");
    }
    number(answer.map(|len| len as u64))
}

fn number(answer: Result<u64, Refused>) -> i64 {
    answer.map_or_else(Refused::number, |number| number as i64)
}

fn done(answer: Result<(), Refused>) -> i64 {
    number(answer.map(|()| 0))
}

fn linker() -> Linker<Mock> {
    let mut linker = Linker::new(&ENGINE);
    macro_rules! host {
        ($($name:ident: $call:expr),* $(,)?) => {
            $(linker.func_wrap("tng", stringify!($name), $call).expect("once");)*
        };
    }
    host! {
        proto_info: |mut c: Call<'_>, what: i32| c.data_mut().proto_info(Info::of(what as u32).expect("one")) as i64,
        proto_done: |mut c: Call<'_>| c.data_mut().proto_done(),
        so_connected: |mut c: Call<'_>| c.data_mut().so_connected(),
        so_sent: |mut c: Call<'_>| c.data_mut().so_sent() as i64,
        so_read: |mut c: Call<'_>, from: i64, at: i32, len: i32| {
            write(&mut c, at, len, |host, into| host.so_read(from as u64, into))
        },
        so_drop: |mut c: Call<'_>, until: i64| done(c.data_mut().so_drop(until as u64)),
        so_room: |mut c: Call<'_>| c.data_mut().so_room() as i64,
        so_append: |mut c: Call<'_>, segment: i32, from: i32, to: i32| {
            done(c.data_mut().so_append(segment as u32, from as u32..to as u32))
        },
        so_append_bytes: |mut c: Call<'_>, at: i32, len: i32| {
            let bytes = bytes(&c, at, len);
            done(c.data_mut().so_append_bytes(&bytes))
        },
        so_end: |mut c: Call<'_>| c.data_mut().so_end(),
        so_wakeup: |mut c: Call<'_>| c.data_mut().so_wakeup(),
        so_isdisconnecting: |mut c: Call<'_>| i32::from(c.data_mut().so_isdisconnecting()),
        so_error: |mut c: Call<'_>, code: i32| c.data_mut().so_error(code as u32),
        net_send: |mut c: Call<'_>, at: i32, len: i32, from: i64, to: i64| {
            let head = bytes(&c, at, len);
            number(c.data_mut().net_send(&head, from as u64..to as u64))
        },
        net_resend: |mut c: Call<'_>, at: i32, len: i32, from: i64, to: i64, lost: i64| {
            let head = bytes(&c, at, len);
            number(c.data_mut().net_resend(&head, from as u64..to as u64, lost as u64))
        },
        ack_sum: |mut c: Call<'_>, from: i64, to: i64, sum: i64, delay_us: i32| {
            done(c.data_mut().ack_sum(from as u64..to as u64, sum as u64, delay_us as u32))
        },
        net_sendack: |mut c: Call<'_>, at: i32, len: i32| {
            let bytes = bytes(&c, at, len);
            done(c.data_mut().net_sendack(&bytes))
        },
        gettick: |mut c: Call<'_>| c.data_mut().gettick() as i64,
        seg_keep: |mut c: Call<'_>, segment: i32| done(c.data_mut().seg_keep(segment as u32)),
        seg_free: |mut c: Call<'_>, segment: i32| done(c.data_mut().seg_free(segment as u32)),
        timer_reset: |mut c: Call<'_>, id: i32, ms: i32| done(c.data_mut().timer_reset(id as u32, ms as u32)),
        timer_stop: |mut c: Call<'_>, id: i32| done(c.data_mut().timer_stop(id as u32)),
        route: |mut c: Call<'_>, what: i32| c.data_mut().route(Route::of(what as u32).expect("one")) as i64,
        log: |mut c: Call<'_>, at: i32, len: i32| {
            let text = String::from_utf8(bytes(&c, at, len)).expect("text");
            done(c.data_mut().log(&text))
        },
    }
    linker
}

/// Both ends write, lose, and read; what each did and got.
fn run<A: End, B: End>(messages: bool, seed: u64) -> (Facts, Facts, Vec<Vec<u8>>, Vec<Vec<u8>>, u64) {
    let link = LinkConfig { loss: 0.05, held: 0.05, doubled: 0.02, ..LinkConfig::default() };
    let mut world: World<A, B> = World::new(link.clone(), link, seed);
    world.a.rate = Some(150_000);
    world.begin();
    let (mut at_a, mut at_b) = (Vec::new(), Vec::new());
    for turn in 0..300u64 {
        let len = if messages { 1 + mix(seed + turn) % 1_000 } else { 1 + mix(seed + turn) % 2_000 };
        let bytes: Vec<u8> = (0..len).map(|at| mix(turn + at) as u8).collect();
        world.write_a(&bytes);
        if turn % 3 == 0 {
            world.write_b(&bytes);
        }
        world.run_ms(20);
        at_a.extend(world.read_a());
        at_b.extend(world.read_b());
    }
    world.close_a();
    world.close_b();
    for _ in 0..1_000 {
        world.run_ms(100);
        at_a.extend(world.read_a());
        at_b.extend(world.read_b());
    }
    assert!(world.a.done && world.a.facts.numbered > 50 && world.a.facts.unproven == 0);
    (world.a.facts, world.b.facts, at_a, at_b, world.links[0].bytes)
}

fn alike<N: End, const MODULE: usize, const KIND: u8>() {
    for seed in 0..3 {
        let messages = KIND == MESSAGE;
        let native = run::<N, N>(messages, seed);
        assert!(run::<Guest<MODULE, KIND>, Guest<MODULE, KIND>>(messages, seed) == native, "both ends, {seed}");
        assert!(run::<N, Guest<MODULE, KIND>>(messages, seed) == native, "one end, {seed}");
    }
}

#[test]
fn a_module_does_what_its_crate_does() {
    alike::<NewReno, NEWRENO, STREAM>();
    alike::<Sack, SACK, STREAM>();
    alike::<Flood, FLOOD, MESSAGE>();
    alike::<StopAndWait, TEMPLATE, MESSAGE>();
}

#[test]
fn the_example_in_c_does_what_the_template_does() {
    alike::<StopAndWait, C_EXAMPLE, MESSAGE>();
}
