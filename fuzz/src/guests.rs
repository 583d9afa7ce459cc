//! Guests: modules that do what bytes say, modules of any bytes, and two ends of the built-in ones.

use core::fmt::Write;
use std::sync::LazyLock;
use std::time::Duration;

use tng_base::{Footing, Protocol, Semantic};
use tng_crypto::Secret32;
use tng_stp_abi::{ARRIVED_LEN, CALL_MAX, Kind as GuestKind, RING_ENTRIES, Role, Row, Side, TABLE, Type, abi_word};
use tng_stp_host::{Code, End, Life, Quotas, Transport, Workshop};
use tng_stp_sandbox::{Engine, Module};

use crate::bytes::Script;
use crate::pair::{Bounds, CONDITIONS, Pair};
use crate::{Kind, Target, allocated, shim};

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "guest_abi",
        kind: Kind::Stateful,
        len_max: 800,
        memory: (COMPILING, 64 << 10),
        run: guest_abi,
        seeds: abi_seeds,
    },
    Target {
        name: "guest_module",
        kind: Kind::Parser,
        len_max: 6_000,
        memory: (COMPILING, 64 << 10),
        run: guest_module,
        seeds: module_seeds,
    },
    Target {
        name: "guest_pair",
        kind: Kind::Stateful,
        len_max: 400,
        memory: (4 << 20, 64 << 10),
        run: guest_pair,
        seeds: pair_seeds,
    },
];

/// Bytes that compiling a module may take: most of it tables of the compiler.
const COMPILING: usize = 64 << 20;

// A module that does what it is told

const QUOTAS: Quotas = Quotas { memory: 4 << 16, table: 16, stack: 32 << 10, fuel: 20_000, ..shim::QUOTAS };
/// Where the puppet has what it has.
const RING: usize = 1_024;
const AREA: usize = RING + RING_ENTRIES * ARRIVED_LEN;
const SCRIPT: usize = 32 << 10;
/// Beside the host's functions: it grows its memory, stops, goes on for ever, calls itself for ever, and writes over
/// what it has.
const MORE: [&str; 5] = [
    "(drop (memory.grow (i32.wrap_i64 (call $word))))",
    "unreachable",
    "(loop $ever (br $ever))",
    "(call $deeper)",
    "(i64.store (i32.wrap_i64 (call $word)) (call $word))",
];

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(QUOTAS).expect("this machine runs modules"));
static PUPPET: LazyLock<Code> = LazyLock::new(|| {
    let bytes = wat::parse_str(puppet()).expect("it is well formed");
    let module = Module::new(&ENGINE, &bytes).expect("it is a guest");
    module.code("puppet").expect("a transport")
});

/// The text of a module whose every callback goes on with the script that `call` brought: a byte says what to do, its
/// numbers follow.
fn puppet() -> String {
    let mut text = "(module\n".to_owned();
    let rows = |side| TABLE.iter().filter(move |row| row.side == side && !matches!(row.name, "net_window" | "sample"));
    let mut steps = Vec::new();
    for row in rows(Side::Import) {
        writeln!(text, "(import \"tng\" {0:?} (func ${0} {1}))", row.name, signature(row)).expect("a string");
        let mut call = format!("(call ${}", row.name);
        for (_, kind) in row.parameters {
            call += if *kind == Type::U32 { " (i32.wrap_i64 (call $word))" } else { " (call $word)" };
        }
        steps.push(if row.result.is_some() { format!("(drop {call}))") } else { call + ")" });
    }
    steps.extend(MORE.map(str::to_owned));
    text += "(memory (export \"memory\") 1)
        (global $at (mut i32) (i32.const 0)) (global $end (mut i32) (i32.const 0))
        (func $byte (result i32)
            (if (i32.ge_u (global.get $at) (global.get $end)) (then (return (i32.const 0))))
            (i32.load8_u (global.get $at)) (global.set $at (i32.add (global.get $at) (i32.const 1))))
        (func $deeper (call $deeper) (call $deeper))\n";
    // Two bits of the first byte say how many follow; 63 is a word of the ring, where nonces are.
    write!(
        text,
        "(func $word (result i64) (local $first i32) (local $left i32) (local $word i64)
            (local.set $first (call $byte))
            (if (i32.eq (local.get $first) (i32.const 63)) (then
                (return (i64.load offset={RING} (i32.shl (call $byte) (i32.const 3))))))
            (local.set $word (i64.extend_i32_u (i32.and (local.get $first) (i32.const 63))))
            (local.set $left
                (i32.and (i32.shl (i32.const 1) (i32.shr_u (local.get $first) (i32.const 6))) (i32.const 14)))
            (loop $more (if (local.get $left) (then
                (local.set $word
                    (i64.or (i64.shl (local.get $word) (i64.const 8)) (i64.extend_i32_u (call $byte))))
                (local.set $left (i32.sub (local.get $left) (i32.const 1)))
                (br $more))))
            (local.get $word))\n"
    )
    .expect("a string");
    writeln!(text, "(func $step (local $what i32)").expect("a string");
    writeln!(text, "(local.set $what (i32.rem_u (call $byte) (i32.const {})))", steps.len()).expect("a string");
    for (what, step) in steps.iter().enumerate() {
        let condition = format!("(i32.eq (local.get $what) (i32.const {what}))");
        writeln!(text, "(if {condition} (then {step} return))").expect("a string");
    }
    text += ")
        (func $go (local $left i32)
            (local.set $left (i32.const 8))
            (loop $more (if (i32.and (i32.lt_u (global.get $at) (global.get $end)) (i32.gt_s (local.get $left)
                (i32.const 0))) (then
                    (call $step) (local.set $left (i32.sub (local.get $left) (i32.const 1))) (br $more)))))\n";
    for row in rows(Side::Export) {
        let body = match row.name {
            "abi" => format!("(i64.const {})", abi_word(GuestKind::Transport)),
            "ring" => format!("(i32.const {RING})"),
            "area" => format!("(i32.const {AREA})"),
            "call" => format!(
                "(memory.copy (i32.const {SCRIPT}) (i32.const {AREA}) (local.get $len))
                (global.set $at (i32.const {SCRIPT}))
                (global.set $end (i32.add (i32.const {SCRIPT}) (local.get $len)))
                (call $go) (call $word)"
            ),
            _ => "(call $go)".to_owned(),
        };
        writeln!(text, "(func (export {:?}) {} {body})", row.name, signature(row)).expect("a string");
    }
    text + ")"
}

fn signature(row: &Row) -> String {
    let of = |kind| if kind == Type::U32 { "i32" } else { "i64" };
    let mut text = String::new();
    for (name, kind) in row.parameters {
        write!(text, "(param ${name} {}) ", of(*kind)).expect("a string");
    }
    if let Some(kind) = row.result {
        write!(text, "(result {})", of(kind)).expect("a string");
    }
    text
}

const _: () = assert!(AREA + CALL_MAX <= SCRIPT);

/// What holds of every guest, of a module that calls whatever it likes with whatever numbers it likes.
fn guest_abi(bytes: &[u8]) {
    LazyLock::force(&PUPPET);
    let before = allocated();
    shim::live(Script::new(bytes), &PUPPET, QUOTAS, |_| ());
    assert_eq!(ENGINE.instances(), 0, "what has ended is gone");
    let spent = allocated() - before;
    assert!(spent <= (2 << 20) + (64 << 10) * bytes.len(), "{spent} bytes for {}", bytes.len());
}

/// Any bytes as a module: it is refused with a reason, or it is one, and then whatever it does is held.
fn guest_module(bytes: &[u8]) {
    match Module::new(&ENGINE, bytes) {
        Err(refusal) => assert!(!refusal.to_string().is_empty()),
        Ok(module) => {
            let Some(code) = module.code("any") else { return };
            let life = [0, 0, 0, 1, 0, 1, 9, 0, 3, 1, 2, 3, 11, 0, 4, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 7, 40, 14, 4];
            shim::live(Script::new(&life), &code, QUOTAS, |_| ());
            drop(code);
            assert_eq!(module.instances(), 0);
        }
    }
}

// Two ends

const BOUNDS: Bounds = Bounds { flights_max: 64, packet_holds_all: usize::MAX };
/// Bytes that an end says in all.
const SAID_MAX: u64 = 60_000;
const PAIR_QUOTAS: Quotas = Quotas { send_buffer: 16 << 10, receive_buffer: 16 << 10, ..shim::QUOTAS };

/// Two ends with their applications; each says bytes by a pattern of its own.
struct Peers {
    pair: Pair<Transport>,
    said: [u64; 2],
    heard: [u64; 2],
}

fn pattern(end: usize, at: u64) -> u8 {
    (at.wrapping_mul(7) ^ at >> 8 ^ (end as u64) << 6) as u8
}

impl Peers {
    fn new(script: &mut Script<'_>, code: &Code) -> Peers {
        let mut workshop = Workshop::new(&Secret32::from_bytes([9; 32]), [3; 32]);
        workshop.quotas = Quotas { scoreboard: 1_024, queued: 16 << 10, ..PAIR_QUOTAS };
        let asks = workshop.transport(code, Role::Initiator).expect("there is room");
        let item = asks.set_up_item();
        let answers = workshop.answer(code, item.as_deref(), 1 << 20).expect("a good item");
        let mut pair = Pair::new([asks, answers], 400 + usize::from(script.u8()) * 8, BOUNDS);
        pair.attach();
        Peers { pair, said: [0; 2], heard: [0; 2] }
    }

    fn say(&mut self, end: usize, len: u64) {
        let len = len.min(SAID_MAX - self.said[end]);
        let bytes: Vec<u8> = (self.said[end]..self.said[end] + len).map(|at| pattern(end, at)).collect();
        self.said[end] += self.pair.ends[end].write(&bytes).unwrap_or(0) as u64;
    }

    fn hear(&mut self, end: usize) {
        let mut bytes = [0; 2_048];
        while let Some(len) = self.pair.ends[end].read(&mut bytes) {
            for byte in &bytes[..len] {
                assert_eq!(*byte, pattern(1 - end, self.heard[end]), "byte {} at end {end}", self.heard[end]);
                self.heard[end] += 1;
            }
        }
        assert!(self.heard[end] <= self.said[1 - end]);
        let life = self.pair.ends[end].life();
        assert!(!matches!(life, Life::Ended(End::Stopped(_) | End::Failed(_) | End::Late)), "{life:?}");
    }

    fn change_path(&mut self, script: &mut Script<'_>) {
        let Some(key) = self.pair.channel(script.below(2)) else { return };
        let (now, end) = (self.pair.now, &mut self.pair.ends[script.below(2)]);
        match script.below(5) {
            at @ 0..=2 => end.handle_path(now, key, CONDITIONS[at]),
            3 => end.handle_move(now, key),
            _ => {
                let (parties, bits) = (1 + script.below(4), script.u8());
                let marks = (bits & 2 != 0).then(|| script.below(9) as u64);
                end.handle_footing(now, Footing { parties, ipv6: bits & 1 == 1, marks });
            }
        }
    }

    /// From now on nothing is lost: all that was said is heard, and nothing stays.
    fn settle(&mut self) {
        self.pair.mend();
        for end in &mut self.pair.ends {
            end.finish();
        }
        for _ in 0..6_000 {
            self.pair.exchange(8);
            (0..2).for_each(|end| self.hear(end));
            if self.pair.ends.iter().all(Semantic::is_empty) {
                return;
            }
            self.pair.pass(Duration::from_millis(50));
        }
        panic!("stuck after {:?} of {:?} bytes: {:?}", self.heard, self.said, self.pair.ends);
    }
}

/// Whatever the network does to two ends of one guest: bytes come as they were written, both ends come to an end, and
/// no honest guest is stopped.
fn guest_pair(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let code = match script.below(2) {
        0 => Code::native::<stp_guest_newreno::NewReno>("newreno"),
        _ => Code::native::<stp_guest_sack::Sack>("sack"),
    };
    pair_of(script, &code);
}

fn pair_of(mut script: Script<'_>, code: &Code) {
    let mut peers = Peers::new(&mut script, code);
    while !script.is_over() {
        match script.below(9) {
            0 | 1 => {
                let (end, len) = (script.below(2), u64::from(script.u16() & 0x1fff));
                peers.say(end, len);
            }
            2 | 3 => {
                let (end, most) = (script.below(2), 1 + script.below(8));
                peers.pair.send(end, most);
            }
            4..=6 => {
                if peers.pair.network(&mut script) {
                    peers.change_path(&mut script);
                }
            }
            // In all too little time for a guest to give its peer up.
            7 => peers.pair.pass(Duration::from_millis(u64::from(script.u8()))),
            _ => {
                let end = script.below(2);
                peers.hear(end);
            }
        }
    }
    peers.settle();
    assert_eq!(peers.heard, [peers.said[1], peers.said[0]], "all that was said was heard");
    for end in &peers.pair.ends {
        assert!(end.socket().is_at_end());
    }
}

// Seeds

fn abi_seeds() -> Vec<Vec<u8>> {
    let tell = |ops: &[u8]| [&[1, 0, ops.len() as u8][..], ops].concat();
    let at = |name: &str| {
        let imports = TABLE.iter().filter(|row| row.side == Side::Import && row.name != "net_window");
        imports.map(|row| row.name).position(|found| found == name).expect("an import") as u8
    };
    let write = [&[9, 0, 200][..], &[5; 200]].concat();
    let send = tell(&[at("net_send"), 0, 8, 0, 60, at("net_send"), 4, 8, 10, 20, at("net_sendack"), 0, 30]);
    let acknowledge = tell(&[at("ack_sum"), 0, 1, 63, 2, 0, at("ack_sum"), 0, 2, 63, 18, 5, at("nack"), 1]);
    let keep = tell(&[at("seg_keep"), 0, at("so_append"), 0, 0, 30, at("seg_read"), 0, 0, 0x50, 0, 0, 30]);
    let time = tell(&[at("timer_reset"), 2, 20, at("log"), 0, 9, at("so_read"), 0, 0x48, 0, 0, 20, at("random")]);
    let round = [&send[..], &[11, 0, 11, 0, 12, 0, 5, 0, 5, 1, 7, 30], &acknowledge, &keep, &[10, 8, 20]].concat();
    let more = |which: u8| tell(&[(at("random") + 1) + which, 0x40, 40, 1, at("gettick")]);
    vec![
        [&[0, 0][..], &write, &round.repeat(6), &[14, 1, 8, 255, 8, 255]].concat(),
        [&[1, 0][..], &write, &round, &[15, 0], &round, &time, &[8, 60], &more(0), &more(4)].concat(),
        [&[0, 0][..], &time, &more(2), &round].concat(),
        [&[0, 0][..], &round, &more(3), &time].concat(),
        [&[0, 0][..], &round, &more(1), &[14, 4]].concat(),
    ]
}

fn module_seeds() -> Vec<Vec<u8>> {
    let built_in = tng_stp_sandbox::BUILT_IN.iter().filter(|guest| guest.bytes.len() < 6_000);
    let small = "(module (memory (export \"memory\") 1) (func (export \"abi\") (result i64) (i64.const 256)))";
    let small = wat::parse_str(small).expect("it is well formed");
    built_in.map(|guest| guest.bytes.to_vec()).chain([small]).collect()
}

fn pair_seeds() -> Vec<Vec<u8>> {
    let say = [0, 0, 30, 200, 1, 1, 4, 0];
    let send = [2, 0, 7, 3, 1, 7];
    let deliver = [4, 0, 0, 4, 1, 0, 5, 2, 1, 6, 0, 2];
    let trouble = [4, 6, 0, 5, 4, 1, 6, 3, 0, 7, 90, 4, 7, 0, 4, 9, 0, 3, 5, 8, 0];
    let hear = [8, 0, 8, 1, 7, 200];
    vec![
        [&[0, 100][..], &say, &send, &deliver, &hear, &send, &trouble, &send, &deliver, &hear].concat(),
        [&[1, 125][..], &say, &say, &send, &trouble, &send, &deliver, &send, &trouble, &hear].concat(),
        [&[1, 3][..], &send, &deliver, &say, &send, &hear, &trouble, &trouble, &say, &send, &hear].concat(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_stp_abi::{Arrived, Guest, Host, SocketKind, UserRequest};

    /// Says something, sends it, and what was sent is lost.
    const LOSES: [u8; 12] = [100, 0, 0, 1, 0, 2, 0, 7, 4, 6, 0, 7];

    /// Sends every byte once, and says once that there are no more.
    struct Careless(u64);

    impl Careless {
        fn send(&mut self, host: &mut impl Host) {
            while self.0 < host.so_sent() {
                let end = host.so_sent().min(self.0 + 300);
                if host.net_send(&[1], self.0..end).is_err() {
                    return;
                }
                self.0 = end;
            }
        }
    }

    impl Guest for Careless {
        const SOCKET: SocketKind = SocketKind::Stream;

        fn attach(_: &mut impl Host) -> Careless {
            Careless(0)
        }

        fn connect(&mut self, _: &mut impl Host) {}

        fn accept(&mut self, _: &mut impl Host) {}

        fn abort(&mut self, _: &mut impl Host) {}

        fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
            for segment in arrived {
                let _ = host.so_append(segment.segment, 1..segment.len);
            }
        }

        fn timer(&mut self, host: &mut impl Host, _: u32) {
            self.send(host);
        }

        fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
            self.send(host);
            if request == UserRequest::Disconnect {
                let _ = host.net_send(&[1], self.0..self.0);
            }
        }

        fn shutdown(&mut self, _: &mut impl Host, _: u32) {}

        fn path_changed(&mut self, _: &mut impl Host) {}
    }

    #[test]
    fn two_ends_that_lose_a_packet_and_send_it_again_come_to_an_end() {
        pair_of(Script::new(&LOSES), &Code::native::<stp_guest_newreno::NewReno>("newreno"));
    }

    #[test]
    #[should_panic(expected = "stuck after [0, 0] of [256, 0] bytes")]
    fn two_ends_that_send_nothing_again_are_found_out() {
        pair_of(Script::new(&LOSES), &Code::native::<Careless>("careless"));
    }

    #[test]
    fn the_puppet_calls_every_function_of_the_host() {
        let code = &*PUPPET;
        let mut workshop = Workshop::new(&Secret32::from_bytes([5; 32]), [6; 32]);
        workshop.quotas = QUOTAS;
        let imports = TABLE.iter().filter(|row| row.side == Side::Import && row.name != "net_window").count();
        for what in 0..imports {
            let mut guest = workshop.transport(code, Role::Initiator).expect("there is room");
            let _ = guest.call_guest(1, &[what as u8, 0, 0, 0, 0, 0, 0, 0]);
            let life = guest.life();
            assert!(matches!(life, Life::Attached | Life::Ended(End::Done | End::Failed(_))), "{what}: {life:?}");
        }
        let ends = |step: usize| {
            let mut guest = workshop.transport(code, Role::Initiator).expect("there is room");
            let _ = guest.call_guest(1, &[(imports + step) as u8, 0, 0]);
            matches!(guest.life(), Life::Ended(End::Stopped(_)))
        };
        assert_eq!([0, 1, 2, 3, 4].map(ends), [false, true, true, true, false]);
    }
}
