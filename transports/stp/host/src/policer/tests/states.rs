//! The states and what takes from one to another.

use core::time::Duration;

use tng_base::Instant;

use crate::{
    Cap, Lost, Policer, PolicerConfig, Proven, REFUSALS_MAX, ROUNDS, SEGMENT_ADDED, Signal, State, VIOLATIONS_MAX,
    Verdict,
};

const SIZE: u64 = 1_200;
const WHOLE: u64 = SIZE + SEGMENT_ADDED;
const RTT: Duration = Duration::from_millis(50);

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// A policer, and what was sent by whom.
struct Flow {
    policer: Policer,
    position: u64,
    now: Instant,
}

impl Flow {
    fn new() -> Flow {
        let now = ms(1_000);
        Flow { policer: Policer::new(PolicerConfig::default(), now), position: 0, now }
    }

    /// Sends all that may leave now.
    fn fill(&mut self) -> u64 {
        let mut sent = 0;
        while self.policer.check(self.now, SIZE) == Verdict::Now {
            self.policer.handle_sent(self.now, SIZE);
            (self.position, sent) = (self.position + WHOLE, sent + 1);
        }
        sent
    }

    /// All that left a round trip ago is proven now.
    fn prove(&mut self, segments: u64) {
        self.policer.handle_proven(
            self.now,
            Proven {
                bytes: segments * WHOLE,
                newest_sent_at: self.now - RTT,
                position: self.position,
                rtt: Some(RTT),
                delay: Duration::ZERO,
            },
        );
    }

    /// Round trips in which all that may leave does, and arrives.
    fn rounds(&mut self, rounds: u32) -> u64 {
        let mut sent = 0;
        for _ in 0..rounds {
            sent = self.fill();
            self.now += RTT;
            self.prove(sent);
        }
        sent
    }

    fn lose(&mut self) {
        let lost = Lost { bytes: WHOLE, sent_at: self.now - RTT, position: self.position };
        self.policer.handle_lost(self.now, lost);
    }

    /// Segments in so long, sent whenever they may.
    fn sent_in(&mut self, time: Duration) -> u64 {
        let (end, mut sent) = (self.now + time, 0);
        loop {
            sent += self.fill();
            match self.policer.check(self.now, SIZE) {
                Verdict::At(at) if at < end => self.now = at,
                _ => break,
            }
        }
        self.now = end;
        sent
    }
}

#[test]
fn while_nothing_is_proven_two_more_leave_after_one_second_then_two_then_four() {
    let mut flow = Flow::new();
    assert_eq!(flow.fill(), 10);
    for wait in [1_000, 2_000, 4_000, 8_000] {
        assert_eq!(flow.policer.check(flow.now, SIZE), Verdict::At(flow.now + Duration::from_millis(wait)));
        flow.now += Duration::from_millis(wait - 1);
        assert_eq!(flow.fill(), 0);
        flow.now += Duration::from_millis(1);
        assert_eq!(flow.fill(), 2);
    }
    // Losses tell nothing, and neither silence nor another path is a way to more.
    flow.lose();
    flow.policer.handle_silence(flow.now);
    flow.policer.handle_path(flow.now);
    assert_eq!((flow.fill(), flow.policer.state()), (0, State::Init));
}

#[test]
fn before_the_first_loss_twice_as_much_leaves_in_a_round_trip_as_was_proven() {
    let mut flow = Flow::new();
    let sent: Vec<u64> = (0..6).map(|_| flow.rounds(1)).collect();
    assert_eq!(sent, [10, 20, 40, 80, 160, 320]);
    assert_eq!(flow.policer.state(), State::SlowStart);
    // Without proofs it is the initial window, and four times that until something is proven.
    flow.fill();
    flow.now += RTT * 2;
    assert!(flow.sent_in(RTT * 20) <= 40);
    assert_eq!(flow.policer.check(flow.now, SIZE), Verdict::Blocked);
}

#[test]
fn from_the_first_loss_on_the_cap_holds() {
    let mut flow = Flow::new();
    flow.rounds(4);
    flow.lose();
    let figures = flow.policer.figures();
    let states: Vec<State> = figures.transitions.iter().map(|to| to.to).collect();
    assert_eq!(states, [State::SlowStart, State::SteadyState]);
    // The first interval is that of the rate that was reached.
    let reached = 80.0 * WHOLE as f64 / RTT.as_secs_f64();
    assert!((0.95..1.05).contains(&(figures.cap_bytes_per_sec as f64 / reached)), "{figures:?}");
    let cap = Cap::Equation.rate(WHOLE, RTT.as_nanos() as u64, figures.loss_billionths);
    assert_eq!(figures.cap_bytes_per_sec, cap);
}

#[test]
fn where_marks_are_the_signal_a_mark_is_congestion_as_a_loss_is_elsewhere_and_a_loss_is_none() {
    let (mut flow, mut other) = (Flow::new(), Flow::new());
    flow.rounds(4);
    flow.policer.set_signal(Signal::Marks);
    flow.lose();
    assert_eq!(flow.policer.state(), State::SlowStart, "it is the link's");
    flow.policer.handle_marked(flow.now);
    other.rounds(4);
    other.lose();
    let cap = |flow: &Flow| flow.policer.figures().cap_bytes_per_sec as f64;
    assert_eq!(flow.policer.state(), State::SteadyState);
    assert!((0.9..1.1).contains(&(cap(&flow) / cap(&other))), "{} and {}", cap(&flow), cap(&other));
    // What arrives after all takes no mark back, nor where losses count again.
    for signal in [Signal::Losses, Signal::Marks] {
        flow.policer.set_signal(signal);
        flow.policer.handle_spurious(flow.now, WHOLE);
        assert_eq!(flow.policer.state(), State::SteadyState);
    }
    // Losses lower nothing; they do as soon as trust has ended.
    let lost_each_round = |flow: &mut Flow, rounds| {
        for _ in 0..rounds {
            flow.rounds(1);
            flow.lose();
        }
        cap(flow)
    };
    let before = cap(&flow);
    assert!(lost_each_round(&mut flow, 20) >= before);
    flow.policer.set_signal(Signal::Losses);
    let trusted = cap(&flow);
    assert!(lost_each_round(&mut flow, 20) < trusted / 2.0, "control");
}

#[test]
fn a_loss_that_was_none_is_taken_back() {
    let mut flow = Flow::new();
    flow.rounds(4);
    flow.lose();
    flow.policer.handle_spurious(flow.now, WHOLE);
    assert_eq!(flow.policer.state(), State::SlowStart);
    flow.rounds(1);
    flow.lose();
    flow.rounds(4);
    let before = flow.policer.figures().loss_billionths;
    flow.lose();
    flow.lose();
    let after = flow.policer.figures().loss_billionths;
    assert!(after > before);
    flow.policer.handle_spurious(flow.now, WHOLE);
    assert_eq!(flow.policer.figures().loss_billionths, after, "another one of the event is lost");
    flow.policer.handle_spurious(flow.now, WHOLE);
    assert_eq!(flow.policer.figures().loss_billionths, before);
}

#[test]
fn four_round_trips_without_a_segment_halve_the_rate_down_to_the_initial_window() {
    for lossy in [false, true] {
        let mut flow = Flow::new();
        flow.rounds(7);
        if lossy {
            flow.lose();
            flow.rounds(8);
        }
        let before = flow.policer.pace();
        let start = 10 * WHOLE * 20;
        let mut halves = Vec::new();
        for _ in 0..8 {
            flow.now += RTT * 4;
            flow.policer.check(flow.now, SIZE);
            halves.push(flow.policer.pace());
        }
        assert!(halves[7] == start, "{halves:?}, not {start}");
        if lossy {
            assert!(halves[0].abs_diff(before / 2) <= 2 && halves[1].abs_diff(before / 4) <= 2, "{before} {halves:?}");
            // And it doubles with each round trip of proofs.
            let sent: Vec<u64> = (0..4).map(|_| flow.rounds(1)).collect();
            assert!(sent[0] == 10 && sent[1] <= 20 && sent[2] <= 40 && sent[3] > 30, "{sent:?}");
        }
    }
}

#[test]
fn silence_halves_the_rate_again_and_again_down_to_a_segment_in_64_seconds() {
    let mut flow = Flow::new();
    flow.rounds(6);
    flow.lose();
    assert_eq!(flow.policer.timeout(), Duration::from_secs(1));
    let mut before = flow.policer.pace();
    for _ in 0..30 {
        flow.policer.handle_silence(flow.now);
        let pace = flow.policer.pace();
        assert!(pace.abs_diff(before / 2) <= 1 || pace == WHOLE / 64, "{before} {pace}");
        before = pace;
    }
    assert_eq!((before, flow.policer.timeout()), (WHOLE / 64, Duration::from_secs(64)));
    flow.fill();
    assert!((8..=10).contains(&flow.sent_in(Duration::from_secs(640))));
    // What is heard of comes back in a few round trips.
    flow.prove(1);
    assert_eq!(flow.policer.timeout(), Duration::from_secs(1));
    flow.rounds(6);
    assert!(flow.policer.pace() > 40 * WHOLE * 20, "{}", flow.policer.pace());
}

#[test]
fn parties_to_one_destination_have_equal_parts() {
    let mut flow = Flow::new();
    flow.rounds(6);
    flow.lose();
    let whole = flow.policer.pace();
    flow.policer.set_parties(4);
    flow.now += RTT;
    flow.policer.check(flow.now, SIZE);
    assert!(flow.policer.pace().abs_diff(whole / 4) <= 1);
    // However many they are: something leaves.
    flow.policer.set_parties(10_000);
    flow.now += RTT * 20;
    assert!((1..200).contains(&flow.sent_in(Duration::from_secs(100))));
}

#[test]
fn parties_that_begin_together_begin_with_one_initial_window() {
    let mut flow = Flow::new();
    flow.policer.set_parties(5);
    assert_eq!(flow.fill(), 2);
    flow.policer.set_parties(1);
    assert_eq!(flow.fill(), 0, "who was one of several has had its part");
}

#[test]
fn many_spans_pass_at_once_though_round_trips_have_become_short_in_the_first() {
    let mut flow = Flow::new();
    let proven = |flow: &mut Flow, rtt: Duration| {
        let (newest_sent_at, position) = (flow.now - rtt, flow.position);
        let proven = Proven { bytes: WHOLE, newest_sent_at, position, rtt: Some(rtt), delay: Duration::ZERO };
        flow.policer.handle_proven(flow.now, proven);
    };
    flow.fill();
    flow.now += Duration::from_secs(1_000);
    proven(&mut flow, Duration::from_secs(1_000));
    flow.lose();
    for _ in 0..200 {
        proven(&mut flow, Duration::from_millis(1));
    }
    flow.lose();
    // Hundreds of millions of spans of the new length.
    flow.now += Duration::from_secs(100_000);
    flow.policer.check(flow.now, SIZE);
    let (begins, round) = flow.policer.spans.round_of_span();
    assert!(flow.now.since(begins) < round && round < Duration::from_millis(10), "{round:?}");
}

#[test]
fn another_path_is_measured_anew_and_what_was_lost_stays_lost() {
    let mut flow = Flow::new();
    flow.rounds(6);
    flow.lose();
    let before = flow.policer.figures();
    flow.policer.handle_path(flow.now);
    let figures = flow.policer.figures();
    assert_eq!((figures.state, figures.loss_billionths), (State::SteadyState, before.loss_billionths));
    assert!(!flow.policer.rtt().has_sample());
    flow.now += RTT * 30;
    assert_eq!(flow.fill(), 10);
    // Proofs of what left by the other one say nothing of this one.
    let old = Proven {
        bytes: WHOLE,
        newest_sent_at: ms(1_000),
        position: flow.position,
        rtt: Some(Duration::from_millis(1)),
        delay: Duration::ZERO,
    };
    flow.policer.handle_proven(flow.now, old);
    assert!(!flow.policer.rtt().has_sample());
    flow.now += RTT;
    flow.prove(10);
    assert_eq!(flow.policer.rtt().smoothed(), RTT);
}

#[test]
fn a_claimed_delay_is_taken_off_to_25_ms_and_not_below_the_least_round_trip() {
    let mut flow = Flow::new();
    flow.rounds(2);
    for (latest, delay, wanted) in [(90, 20, 70), (90, 80, 65), (60, 25, 60), (50, 25, 50)] {
        let proven = |delay| Proven {
            bytes: WHOLE,
            newest_sent_at: flow.now,
            position: flow.position,
            rtt: Some(Duration::from_millis(latest)),
            delay: Duration::from_millis(delay),
        };
        let mut policer = flow.policer.clone();
        for _ in 0..200 {
            policer.handle_proven(flow.now, proven(delay));
        }
        let smoothed = policer.rtt().smoothed().as_micros() as u64;
        assert!(smoothed.abs_diff(wanted * 1_000) < 10, "{latest} ms less {delay}: {smoothed} us");
    }
}

#[test]
fn who_goes_on_asking_in_vain_is_a_violator() {
    let span = RTT * ROUNDS as u32;
    let violates = |asks: u64, spans: u32, pause: bool| {
        let asks = asks as u32;
        let mut flow = Flow::new();
        flow.rounds(1);
        for round in 0..spans {
            for ask in 0..asks {
                flow.policer.handle_refused(flow.now + span * ask / asks);
            }
            flow.now += if pause && round == spans / 2 { span * 3 } else { span };
        }
        flow.policer.handle_refused(flow.now);
        flow.policer.is_violator()
    };
    assert!(violates(REFUSALS_MAX + 1, VIOLATIONS_MAX, false));
    assert!(!violates(REFUSALS_MAX + 1, VIOLATIONS_MAX - 1, false));
    assert!(!violates(REFUSALS_MAX, 100, false));
    assert!(!violates(REFUSALS_MAX + 1, VIOLATIONS_MAX, true), "not in a row");
}
