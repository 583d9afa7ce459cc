//! A guest that does what bytes say, between a peer and an application that do the same.

use std::time::Duration;

use tng_base::{ChannelKey, Ecn, Footing, Instant, Protocol, Semantic};
use tng_crypto::Secret32;
use tng_stp_abi::{Arrived, Guest, Host, Receipts, Refused, Role, SocketKind, UserRequest};
use tng_stp_host::{Code, End, Fault, Life, Quotas, Segment, Transport, Workshop};
use tng_wire::{Reader, Repr};

use crate::bytes::Script;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] =
    &[Target { name: "shim", kind: Kind::Stateful, len_max: 800, memory: (2 << 20, 64 << 10), run: shim, seeds }];

/// Few of everything, so that all of them are reached. Memory, stack and fuel are for modules.
pub(crate) const QUOTAS: Quotas = Quotas {
    memory: 0,
    table: 0,
    stack: 0,
    fuel: 0,
    fuel_per_sec: 10_000_000,
    fuel_per_segment: 8_000,
    scoreboard: 64,
    send_buffer: 8 << 10,
    receive_buffer: 8 << 10,
    queued: 4 << 10,
    log_lines: 8,
    denials: 200,
};

/// What an end may hold and promise with these, and with rings of the largest segments that arrive here.
const HELD_MAX: u64 = 3 * (8 << 10) + 2 * (4 << 10) + 64 * 64 + 1_400 * 256;

/// Does what it is told by [`CALL`], then and in whatever it is called for next.
struct Told<const MESSAGES: bool> {
    script: Vec<u8>,
    receipts: Receipts,
    seen: Vec<u32>,
}

/// The call that tells it.
const CALL: u32 = 1;

impl<const MESSAGES: bool> Told<MESSAGES> {
    /// Goes on with what it was told, a few steps of it.
    fn go_on(&mut self, host: &mut impl Host) {
        let bytes = core::mem::take(&mut self.script);
        let mut script = Script::new(&bytes);
        for _ in 0..8 {
            if script.is_over() {
                break;
            }
            self.step(host, &mut script);
        }
        self.script = script.rest().to_vec();
    }

    fn step(&mut self, host: &mut impl Host, script: &mut Script<'_>) {
        let what = script.below(22);
        let segment = self.seen.get(script.below(8)).copied().unwrap_or(9);
        let small = script.number();
        match what {
            0..=3 => {
                let sent = host.so_sent();
                let start = sent.saturating_sub(small);
                let head = vec![7; script.below(80)];
                let body = start..start + u64::from(script.u8()) * 4;
                let _ = if what == 3 { host.net_resend(&head, body, small) } else { host.net_send(&head, body) };
            }
            4 => drop(host.net_sendack(&vec![8; script.u16() as usize % 2_000])),
            5 | 6 => {
                for (range, sum) in self.receipts.newest_first().take(3).collect::<Vec<_>>() {
                    let _ = host.ack_sum(range, sum, small as u32);
                }
            }
            7 => drop(host.ack_sum(small..small.saturating_add(script.number()), script.number(), 0)),
            8 => drop(host.nack(small)),
            9 => drop(host.so_drop(small)),
            10 | 11 => drop(host.so_append(segment, small as u32..u32::from(script.u16()))),
            12 => drop(host.so_append_bytes(&vec![9; small as usize % 3_000])),
            13 => drop(host.seg_keep(segment)),
            14 => drop(host.seg_free(segment)),
            15 => drop(host.seg_read(segment, small as u32, &mut [0; 300])),
            16 => drop(host.so_read(small, &mut [0; 300])),
            17 => drop(host.timer_reset(small as u32 % 10, u32::from(script.u8()))),
            18 => drop(host.timer_stop(small as u32)),
            19 => drop(host.log("a line")),
            20 => {
                let _ = (host.net_budget(), host.so_room(), host.gettick(), host.so_isdisconnecting(), host.random());
                host.so_connected();
                host.so_wakeup();
            }
            _ => match script.below(8) {
                0 => host.proto_done(),
                1 => host.so_error(small as u32),
                2 => host.so_end(),
                _ => {}
            },
        }
    }
}

impl<const MESSAGES: bool> Guest for Told<MESSAGES> {
    const SOCKET: SocketKind = if MESSAGES { SocketKind::Message } else { SocketKind::Stream };

    fn attach(host: &mut impl Host) -> Told<MESSAGES> {
        let _ = host.net_send(b"too early", 0..0);
        Told { script: Vec::new(), receipts: Receipts::default(), seen: Vec::new() }
    }

    fn connect(&mut self, host: &mut impl Host) {
        self.go_on(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.go_on(host);
    }

    fn abort(&mut self, host: &mut impl Host) {
        self.go_on(host);
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        self.seen.clear();
        for segment in arrived {
            if let Some((number, nonce)) = segment.numbered {
                self.receipts.receive(number, nonce);
            }
            self.seen.push(segment.segment);
        }
        self.go_on(host);
    }

    fn timer(&mut self, host: &mut impl Host, _: u32) {
        self.go_on(host);
    }

    fn usrreq(&mut self, host: &mut impl Host, _: UserRequest) {
        self.go_on(host);
    }

    fn shutdown(&mut self, host: &mut impl Host, _: u32) {
        self.go_on(host);
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        self.go_on(host);
    }

    fn call(&mut self, host: &mut impl Host, _: u32, words: &mut [u8], len: usize) -> Result<usize, Refused> {
        self.script.extend_from_slice(&words[..len]);
        self.go_on(host);
        Ok(len.min(3))
    }
}

/// Whatever the guest asks for, the peer sends and the application does: nothing panics, what is held stays within the
/// quotas, numbers that leave rise, acknowledgments that leave are as many as what came allows, and a guest that has
/// ended is not called again, and says nothing more.
fn shim(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let stream = script.below(2) == 0;
    let code = if stream { Code::native::<Told<false>>("told") } else { Code::native::<Told<true>>("told") };
    live(script, &code, QUOTAS, |guest| {
        let panicked = matches!(guest.life(), Life::Ended(End::Stopped(Fault::Trapped(_))));
        assert!(!panicked, "it does not panic by itself");
    });
}

/// The life of a guest that is told what to do by [`CALL`], and what holds of every guest.
pub(crate) fn live(mut script: Script<'_>, code: &Code, quotas: Quotas, check_more: impl Fn(&Transport)) {
    let mut workshop = Workshop::new(&Secret32::from_bytes([5; 32]), [6; 32]);
    workshop.quotas = quotas;
    let role = [Role::Initiator, Role::Responder][script.below(2)];
    let mut guest = workshop.transport(code, role).expect("there is room");
    let mut now = Instant::from_secs(5);
    let (began, mut channels) = (now, Vec::new());
    let (mut came, mut acknowledged, mut next) = (0u64, 0u64, 0);
    let mut left: Vec<Vec<u8>> = Vec::new();
    let mut calls_at_end = None;
    while !script.is_over() {
        match script.below(16) {
            0 => {
                let key = ChannelKey(channels.len() as u64);
                channels.push(key);
                guest.handle_attach(now, key);
            }
            1..=3 => drop(guest.call_guest(CALL, script.piece())),
            what @ 4..=6 => {
                let mut payload = match what {
                    4 => {
                        let len = 1 + script.below(40);
                        script.take(len).to_vec()
                    }
                    // What this end has sent comes back, so that nonces are good.
                    5 => left.get(script.below(32)).cloned().unwrap_or_default(),
                    _ => {
                        let bytes = vec![0; usize::from(script.u16() % 1_300)];
                        Segment { numbered: None, bytes: &bytes }.to_vec()
                    }
                };
                let key = channels.last().copied().unwrap_or(ChannelKey(0));
                // Others pay for no acknowledgment.
                let numbered =
                    Segment::parse(&mut Reader::new(&payload)).is_ok_and(|segment| segment.numbered.is_some());
                came += u64::from(numbered & guest.handle_packet(now, key, 1, Ecn::NotEct, &mut payload).is_ok());
            }
            7 | 8 => {
                now += Duration::from_millis(u64::from(script.u8()).pow(2) / 8);
                for _ in 0..4 {
                    if guest.poll_timeout().is_some_and(|at| at <= now) {
                        guest.handle_timeout(now);
                    }
                }
            }
            9 => drop(guest.write(script.piece())),
            10 => drop(guest.read(&mut [0; 500])),
            11..=13 => {
                let mut buf = vec![0; [1_400, 1_200, 90][script.below(3)]];
                let Some(key) = channels.last() else { continue };
                let Some(filled) = guest.poll_packet(now, *key, 1, &mut buf) else { continue };
                assert!(guest.failure().is_none() && filled.len <= buf.len() && filled.len > 1);
                buf.truncate(filled.len);
                let segment = Segment::parse(&mut Reader::new(&buf)).expect("what leaves is a segment");
                match segment.numbered {
                    None => acknowledged += 1,
                    Some((number, _)) => {
                        assert!(number >= next, "{number} after {next}");
                        next = number + 1;
                    }
                }
                if left.len() < 32 {
                    left.push(buf);
                }
            }
            14 => match script.below(8) {
                0 => guest.finish(),
                1 => guest.shut_down(),
                2 => guest.set_memory(script.number()),
                3 => drop(channels.pop().map(|key| guest.handle_detach(now, key))),
                4 => guest.handle_closed(),
                _ => drop(guest.take_notice()),
            },
            _ => {
                let Some(key) = channels.last().copied() else { continue };
                match script.below(2) {
                    0 => guest.handle_move(now, key),
                    _ => guest.handle_footing(now, Footing { parties: script.below(5), ipv6: true, marks: None }),
                }
            }
        }
        check(&guest, quotas);
        check_more(&guest);
        let seconds = now.since(began).as_secs() + 1;
        assert!(acknowledged <= came + 4 + 4 * seconds, "{acknowledged} acknowledgments for {came}");
        if matches!(guest.life(), Life::Ended(_)) {
            let calls = *calls_at_end.get_or_insert(guest.usage().calls);
            assert_eq!(guest.usage().calls, calls, "it is called no more");
        }
    }
}

fn check(guest: &Transport, quotas: Quotas) {
    let (held, promised) = (guest.bytes_held(), guest.bytes_promised());
    assert!(guest.usage().memory <= quotas.memory, "{} bytes of memory", guest.usage().memory);
    assert!(held + promised <= HELD_MAX + quotas.memory, "{held} and {promised}");
    assert!(guest.shim().outstanding() <= QUOTAS.scoreboard as u64);
    assert!(guest.shim().denials().faults() <= QUOTAS.denials + 64 || guest.failure().is_some());
}

fn seeds() -> Vec<Vec<u8>> {
    let tell = |ops: &[u8]| [&[1, 0, ops.len() as u8][..], ops].concat();
    let send = tell(&[0, 0, 10, 20, 2, 0, 0, 5, 60, 1]);
    let acknowledge = tell(&[4, 0, 0, 0, 9, 5, 0, 0, 5, 0, 1]);
    let keep = tell(&[13, 0, 0, 10, 0, 0, 0, 30, 14, 0, 0, 13, 1, 1]);
    let life = tell(&[17, 0, 1, 5, 20, 0, 0, 19, 0, 0, 9, 0, 60, 21, 0, 0, 0]);
    let write = [&[9, 0, 200][..], &[5; 200]].concat();
    // What left comes back: it is the peer's, and its proof too.
    let round = [&send[..], &[11, 0, 11, 0, 5, 0, 5, 1, 7, 30], &acknowledge, &[12, 0, 6, 2, 0], &keep, &[10, 8, 20]];
    let round = round.concat();
    let rounds = round.repeat(8);
    vec![
        [&[0, 0, 0][..], &write, &rounds, &[14, 1, 8, 255, 8, 255]].concat(),
        [&[1, 1, 0][..], &write, &write, &round, &[15, 0], &round, &life].concat(),
        [&[0, 1, 0][..], &life, &[4, 9, 1, 2, 3, 4, 5], &rounds, &[14, 4, 14, 3]].concat(),
        [&[0, 0, 0][..], &write, &send, &send, &[11, 0, 14, 3, 0, 11, 0, 11, 0], &round].concat(),
    ]
}
