//! Guests that do one thing wrong, and all else as UDP Flood does, or NewReno.

use stp_guest_flood::Flood;
use stp_guest_newreno::NewReno;
use tng_stp_abi::{Arrived, Guest, Host, Refused, SocketKind, UserRequest};

pub const GOOD: u8 = 0;
pub const PANICS_IN_ATTACH: u8 = 1;
pub const PANICS_IN_CONNECT: u8 = 2;
pub const PANICS_IN_ACCEPT: u8 = 3;
pub const PANICS_IN_ABORT: u8 = 4;
pub const PANICS_IN_INPUT: u8 = 5;
pub const PANICS_IN_TIMER: u8 = 6;
pub const PANICS_IN_REQUEST: u8 = 7;
pub const PANICS_IN_SHUTDOWN: u8 = 8;
pub const PANICS_IN_PATH_CHANGED: u8 = 9;
pub const PANICS_IN_CALL: u8 = 10;
/// It sends noise, with numbers and without.
pub const SENDS_NOISE: u8 = 11;
/// It does not take a wait for an answer.
pub const NEVER_WAITS: u8 = 12;
/// It hands in sums that it has made up.
pub const INVENTS_SUMS: u8 = 13;
/// It acknowledges what never came.
pub const ACKNOWLEDGES_NOTHING: u8 = 14;
/// It keeps every segment.
pub const KEEPS_ALL: u8 = 15;
/// It never says that it is done.
pub const STAYS: u8 = 16;
/// It says so, and goes on.
pub const SAYS_DONE_AND_GOES_ON: u8 = 17;
/// It sets all timers to nothing, again and again.
pub const SETS_TIMERS: u8 = 18;
/// It counts paths: call 2 answers how many it has heard of.
pub const COUNTS_PATHS: u8 = 19;

/// It answers whatever comes, answers too, with as much.
pub const ANSWERS_ALL: u8 = 20;
/// It takes its leave with a farewell.
pub const SAYS_FAREWELL: u8 = 21;

/// It takes no notice of anything, and says nothing.
pub const SAYS_NOTHING: u8 = 22;
/// The same until something arrives; then it panics.
pub const SAYS_NOTHING_AND_PANICS_IN_INPUT: u8 = 23;
/// The same, and before it panics it tells its application that the peer's writes nothing any more.
pub const SAYS_NOTHING_BUT_AN_END_AND_PANICS_IN_INPUT: u8 = 24;

/// Timer that flood does not use.
const TIMER_BAD: u32 = 5;

/// It does `WHAT` wrong.
pub struct Bad<const WHAT: u8> {
    flood: Flood,
    paths: u8,
}

impl<const WHAT: u8> Bad<WHAT> {
    fn panic_if(what: u8) {
        assert_ne!(WHAT, what, "on purpose");
    }

    fn begin(host: &mut impl Host) {
        if WHAT >= SENDS_NOISE && WHAT != SAYS_NOTHING {
            let _ = host.timer_reset(TIMER_BAD, 1);
        }
    }

    /// Once in a millisecond.
    fn misbehave(host: &mut impl Host) {
        let _ = host.timer_reset(TIMER_BAD, 1);
        match WHAT {
            SENDS_NOISE => {
                let noise: [u8; 64] = core::array::from_fn(|_| host.random() as u8);
                let len = 1 + host.random() as usize % 64;
                let _ = host.net_send(&noise[..len], 0..0);
                let _ = host.net_sendack(&noise[..len]);
            }
            NEVER_WAITS => {
                for _ in 0..2_000 {
                    let _ = host.net_send(&[2; 500], 0..0);
                }
            }
            INVENTS_SUMS => {
                let (from, sum) = (host.random() % 4, host.random());
                let _ = host.ack_sum(from..from + 3, sum, 0);
            }
            ACKNOWLEDGES_NOTHING => {
                for _ in 0..100 {
                    let _ = host.net_sendack(&[3, 0]);
                }
            }
            ANSWERS_ALL if host.net_budget() >= 1_000 => {
                let _ = host.net_send(&[9; 1_000], 0..0);
            }
            SETS_TIMERS => {
                for id in 0..2_000 {
                    let _ = host.timer_reset(id % 9, 0);
                }
            }
            _ => {}
        }
    }
}

impl<const WHAT: u8> Guest for Bad<WHAT> {
    const SOCKET: SocketKind = SocketKind::Message;

    fn attach(host: &mut impl Host) -> Bad<WHAT> {
        Bad::<WHAT>::panic_if(PANICS_IN_ATTACH);
        Bad { flood: Flood::attach(host), paths: 0 }
    }

    fn connect(&mut self, host: &mut impl Host) {
        Bad::<WHAT>::panic_if(PANICS_IN_CONNECT);
        Bad::<WHAT>::begin(host);
        self.flood.connect(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        Bad::<WHAT>::panic_if(PANICS_IN_ACCEPT);
        Bad::<WHAT>::begin(host);
        self.flood.accept(host);
    }

    fn abort(&mut self, host: &mut impl Host) {
        Bad::<WHAT>::panic_if(PANICS_IN_ABORT);
        self.flood.abort(host);
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        Bad::<WHAT>::panic_if(PANICS_IN_INPUT);
        if WHAT == SAYS_NOTHING {
            return;
        }
        if WHAT == KEEPS_ALL {
            for segment in arrived {
                let _ = host.seg_keep(segment.segment);
            }
        }
        if WHAT == ANSWERS_ALL {
            for _ in arrived {
                let _ = host.net_sendack(&[9; 1_000]);
            }
        }
        self.flood.input(host, arrived);
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        Bad::<WHAT>::panic_if(PANICS_IN_TIMER);
        if id == TIMER_BAD || WHAT == SETS_TIMERS {
            Bad::<WHAT>::misbehave(host);
        }
        self.flood.timer(host, id);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        Bad::<WHAT>::panic_if(PANICS_IN_REQUEST);
        if WHAT != SAYS_NOTHING {
            self.flood.usrreq(host, request);
        }
    }

    fn shutdown(&mut self, host: &mut impl Host, deadline_ms: u32) {
        Bad::<WHAT>::panic_if(PANICS_IN_SHUTDOWN);
        if WHAT != STAYS && WHAT != SAYS_FAREWELL {
            self.flood.shutdown(host, deadline_ms);
        }
        if WHAT == SAYS_FAREWELL {
            let _ = host.net_send(&[1; 100], 0..0);
            host.proto_done();
        }
        if WHAT == SAYS_DONE_AND_GOES_ON {
            while host.net_sendack(&[1; 100]).is_ok() || host.net_send(&[1; 100], 0..0).is_ok() {}
        }
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        Bad::<WHAT>::panic_if(PANICS_IN_PATH_CHANGED);
        self.paths += 1;
        self.flood.path_changed(host);
    }

    fn call(&mut self, host: &mut impl Host, number: u32, words: &mut [u8], len: usize) -> Result<usize, Refused> {
        Bad::<WHAT>::panic_if(PANICS_IN_CALL);
        if WHAT == COUNTS_PATHS && number == 2 {
            words[0] = self.paths;
            return Ok(1);
        }
        self.flood.call(host, number, words, len)
    }
}

/// A guest of a stream that breaks at once, or says nothing.
pub struct Breaks<const WHEN: u8>(NewReno);

impl<const WHEN: u8> Breaks<WHEN> {
    const SPEAKS: bool = WHEN < SAYS_NOTHING;
}

impl<const WHEN: u8> Guest for Breaks<WHEN> {
    const SOCKET: SocketKind = SocketKind::Stream;

    fn attach(host: &mut impl Host) -> Breaks<WHEN> {
        Breaks(NewReno::attach(host))
    }

    fn connect(&mut self, host: &mut impl Host) {
        if Breaks::<WHEN>::SPEAKS {
            self.0.connect(host);
        }
    }

    fn accept(&mut self, host: &mut impl Host) {
        Bad::<WHEN>::panic_if(PANICS_IN_ACCEPT);
        if Breaks::<WHEN>::SPEAKS {
            self.0.accept(host);
        }
    }

    fn abort(&mut self, host: &mut impl Host) {
        self.0.abort(host);
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        Bad::<WHEN>::panic_if(PANICS_IN_INPUT);
        Bad::<WHEN>::panic_if(SAYS_NOTHING_AND_PANICS_IN_INPUT);
        if WHEN == SAYS_NOTHING_BUT_AN_END_AND_PANICS_IN_INPUT {
            host.so_end();
        }
        Bad::<WHEN>::panic_if(SAYS_NOTHING_BUT_AN_END_AND_PANICS_IN_INPUT);
        if Breaks::<WHEN>::SPEAKS {
            self.0.input(host, arrived);
        }
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        if Breaks::<WHEN>::SPEAKS {
            self.0.timer(host, id);
        }
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        Bad::<WHEN>::panic_if(PANICS_IN_REQUEST);
        if Breaks::<WHEN>::SPEAKS {
            self.0.usrreq(host, request);
        }
    }

    fn shutdown(&mut self, host: &mut impl Host, deadline_ms: u32) {
        self.0.shutdown(host, deadline_ms);
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        self.0.path_changed(host);
    }
}
