use super::*;
use crate::battery;
use crate::{LossCause, Permission, Regulation, RegulationConfig, RttSample};

fn with(share: Share) -> Regulation {
    Regulation::new(Box::new(Fixed::new(1_200, Some(share))), RegulationConfig::default())
}

#[test]
fn fixed_passes_the_battery_of_those_whom_the_path_does_not_govern() {
    battery::administered(&|mtu| Box::new(Fixed::new(mtu, None)));
    for window in [None, Some(500_000), Some(0), Some(u64::MAX)] {
        battery::administered(&|mtu| Box::new(Fixed::new(mtu, Some(Share { rate: 2_500_000, window }))));
    }
}

#[test]
fn it_sends_at_its_rate_from_the_first_packet_on() {
    let mut regulation = with(Share { rate: 1_200_000, window: Some(1 << 40) });
    let (mut now, mut sent) = (Instant::ZERO, 0);
    while now < Instant::from_secs(10) {
        match regulation.permission(now, 1_200) {
            Permission::Now => {
                regulation.handle_sent(now, 1_200);
                sent += 1;
            }
            Permission::At(later) => now = later,
            Permission::Blocked => panic!("the window is large enough"),
        }
    }
    // A thousand packets a second, and the burst of the start.
    assert!((10_000..=10_012).contains(&sent), "{sent} packets in 10 s");
}

#[test]
fn a_window_that_is_not_given_is_what_the_rate_carries_in_a_round_trip_and_a_margin() {
    let mut regulation = with(Share { rate: 8_000_000, window: None });
    let margin = FIXED_MARGIN_PACKETS * 1_200;
    assert_eq!(regulation.window(), 2_664_000 / 8 * 9 + margin, "the round trip that is taken for granted");
    let stamp = regulation.handle_sent(Instant::ZERO, 1_200);
    let rtt = Some(RttSample { latest: Duration::from_millis(100), ack_delay: Duration::ZERO });
    regulation.handle_ack(Instant::from_millis(100), &AckSample { bytes: 1_200, newest: stamp, rtt });
    assert_eq!(regulation.window(), 900_000 + margin);
}

#[test]
fn a_share_holds_from_when_it_is_given() {
    let mut regulation = with(Share { rate: 8_000_000, window: Some(400_000) });
    regulation.set_share(Instant::ZERO, Share { rate: 2_000_000, window: Some(100_000) });
    assert_eq!((regulation.window(), regulation.stats().pacing_rate), (100_000, Some(2_000_000)));
    let stamp = regulation.handle_sent(Instant::ZERO, 1_200);
    for cause in [LossCause::Loss, LossCause::PersistentCongestion, LossCause::Ecn] {
        regulation.handle_loss(Instant::from_secs(1), &LossSample { bytes: 0, newest: stamp, cause });
        assert_eq!((regulation.window(), regulation.stats().pacing_rate), (100_000, Some(2_000_000)));
    }
}
