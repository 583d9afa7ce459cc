//! Guests of cubic and vegas do to the byte what the native controllers do.

use core::time::Duration;

use stp_guest_harness::Rng;
use tng_base::Instant;
use tng_congestion::{
    AckSample, Cubic, DeliveryRate, INITIAL_RTT, LossCause, LossSample, PathState, RttEstimator, RttSample, SendStamp,
    SlowStart, Vegas,
};
use tng_stp_abi::{Controller, Sample, SampleEvent, Window};

/// What a guest said last.
#[derive(Default)]
struct Told {
    window: u64,
    rate: u64,
    times: u64,
}

impl Window for Told {
    fn net_window(&mut self, window: u64, rate: u64) {
        (self.window, self.rate, self.times) = (window, rate, self.times + 1);
    }
}

/// What a host writes of an event: the way back of what the crate reads.
fn sample(event: SampleEvent, now: Instant, bytes: u64, newest: &SendStamp, path: &PathState) -> Sample {
    let rate = path.rate.map_or((0, 0), |rate| (rate.bytes, nanos(rate.interval)));
    let rtt = path.rtt;
    let known = |duration: Duration| if rtt.has_sample() { nanos(duration) } else { 0 };
    Sample {
        event: event as u64,
        now_ns: now.as_nanos(),
        bytes,
        sent_ns: newest.sent_at.as_nanos(),
        first_sent_ns: newest.first_sent_at.as_nanos(),
        sent_delivered: newest.delivered,
        sent_delivered_ns: newest.delivered_at.as_nanos(),
        sent_lost: newest.lost,
        sent_in_flight: newest.in_flight,
        app_limited: u64::from(newest.app_limited),
        smoothed_ns: known(rtt.smoothed()),
        variation_ns: known(rtt.var()),
        min_ns: known(rtt.min()),
        latest_ns: known(rtt.latest()),
        in_flight: path.in_flight,
        delivered: path.delivered,
        delivered_ns: path.delivered_at.as_nanos(),
        lost: path.lost,
        rate_bytes: rate.0,
        rate_ns: rate.1,
        window_limited: u64::from(path.window_limited),
        ..Sample::default()
    }
}

fn nanos(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

fn agree<C: Controller>(mut native: impl tng_congestion::Controller, seed: u64) {
    let mut rng = Rng(seed);
    let mut told = Told::default();
    let mut guest = C::new(1_200);
    let (mut now, mut delivered, mut lost) = (Instant::from_millis(1), 0u64, 0u64);
    let mut rtt = RttEstimator::new(INITIAL_RTT);
    for _ in 0..20_000 {
        now += Duration::from_micros(rng.below(8_000));
        let back = Duration::from_micros(20_000 + rng.below(30_000)).min(now.since(Instant::ZERO));
        let sent_at = Instant::from_nanos(now.as_nanos() - nanos(back));
        let newest = SendStamp {
            sent_at,
            first_sent_at: sent_at,
            delivered,
            delivered_at: sent_at,
            lost,
            in_flight: native.window().min(1 << 40),
            app_limited: rng.chance(0.1),
        };
        let bytes = 1_200 * (1 + rng.below(4));
        let measured = rng.chance(0.8).then_some(RttSample { latest: back, ack_delay: Duration::ZERO });
        if let Some(measured) = measured {
            rtt.handle_sample(now, measured);
        }
        delivered += bytes;
        let rate = DeliveryRate { bytes, interval: back.max(Duration::from_nanos(1)), app_limited: newest.app_limited };
        let path = PathState {
            rtt,
            in_flight: native.window().min(1 << 40),
            delivered,
            delivered_at: now,
            lost,
            first_sent_at: sent_at,
            rate: rng.chance(0.9).then_some(rate),
            window_limited: rng.chance(0.8),
        };
        let write = |event, bytes| sample(event, now, bytes, &newest, &path);
        let heard = match rng.below(1_000) {
            0..6 => {
                let (cause, number) = [
                    (LossCause::Loss, 0),
                    (LossCause::Ecn, 1),
                    (LossCause::PersistentCongestion, 2),
                    (LossCause::Link, 3),
                ][rng.below(4) as usize];
                lost += bytes;
                native.handle_loss(now, &LossSample { bytes, newest, cause }, &path);
                Sample { cause: number, ..write(SampleEvent::Lost, bytes) }
            }
            6..8 => {
                native.handle_spurious(now, &LossSample { bytes, newest, cause: LossCause::Loss });
                write(SampleEvent::Spurious, bytes)
            }
            8 => {
                native.handle_idle(2);
                write(SampleEvent::Idle, 2)
            }
            9 if rng.chance(0.2) => {
                native.reset();
                write(SampleEvent::Reset, 0)
            }
            10 => {
                let mtu = 1_200 + rng.below(300);
                native.set_mtu(mtu as u16);
                write(SampleEvent::Mtu, mtu)
            }
            _ => {
                native.handle_ack(now, &AckSample { bytes, newest, rtt: measured }, &path);
                let rtt_ns = measured.map_or(0, |measured| nanos(measured.latest));
                Sample { rtt_ns, ..write(SampleEvent::Acked, bytes) }
            }
        };
        guest.handle(&mut told, &Sample::from_words(&heard.to_words()));
        assert_eq!((told.window, told.rate), (native.window(), native.pacing_rate().unwrap_or_default()), "{heard:?}");
    }
    assert!(told.times > 100 && told.times < 20_000, "{}", told.times);
}

#[test]
fn a_guest_of_a_native_controller_says_the_same_windows() {
    for seed in 0..10 {
        agree::<stp_guest_cubic::Cubic>(Cubic::new(1_200, SlowStart::hystart()), seed);
        agree::<stp_guest_vegas::Vegas>(Vegas::new(1_200), seed);
    }
}

#[test]
fn an_event_that_is_not_known_says_nothing() {
    let mut told = Told::default();
    let mut guest = <stp_guest_cubic::Cubic as Controller>::new(u32::MAX);
    guest.handle(&mut told, &Sample { event: 99, bytes: u64::MAX, ..Sample::default() });
    let before = told.window;
    guest.handle(&mut told, &Sample { event: u64::MAX, now_ns: u64::MAX, ..Sample::default() });
    assert_eq!((told.window, told.times), (before, 1));
}
