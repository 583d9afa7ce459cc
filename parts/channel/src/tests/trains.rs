//! Packets that go out together.

use super::world::{MTU, Toy, at, regulation};
use crate::testing::ChecksumArmor;
use crate::{Channel, Config, Poll};
use tng_base::{ChannelId, ChannelKey, Rng};
use tng_congestion::Regulation;

fn channel() -> Channel {
    let config = Config::new(ChannelKey(1), ChannelId::from_u64(1), Rng::from_u64(1));
    Channel::new(config, Box::new(ChecksumArmor::pair(1, 16, 1_000).0), at(0))
}

/// Where the packets of a train stand: as those do that have something before and behind them.
const STRIDE: usize = MTU + 7;

/// Sends all that may leave at once; answers the bytes of each packet.
fn send(
    channel: &mut Channel,
    now: u64,
    mut regulation: Option<&mut Regulation>,
    toy: &mut Toy,
    together: bool,
) -> Vec<Vec<u8>> {
    let mut packets = Vec::new();
    let mut buf = vec![0; STRIDE * 64];
    while let Poll::Packet(sealed) = channel.poll_packet(at(now), regulation.as_deref_mut(), &mut buf[..MTU], toy) {
        packets.push(buf[..sealed.len].to_vec());
        if together && sealed.len == MTU {
            let train = channel.poll_train(at(now), regulation.as_deref_mut(), &mut buf, (MTU, STRIDE), toy);
            let full = train.len.saturating_sub(train.last);
            let lens = (1..=train.packets).map(|at| if at < train.packets { MTU } else { train.last });
            packets.extend(buf.chunks(STRIDE).zip(lens).map(|(packet, len)| packet[..len].to_vec()));
            assert_eq!(full, train.packets.saturating_sub(1) * MTU);
        }
    }
    packets
}

#[test]
fn a_train_is_sealed_and_booked_as_its_packets_would_have_been_one_by_one() {
    for (regulated, least) in [(true, 10), (false, 700)] {
        let all = [false, true].map(|together| {
            let (mut channel, mut regulation, mut toy) = (channel(), regulation("newreno"), Toy::default());
            let (mut bytes, mut figures) = (Vec::new(), Vec::new());
            for round in 0..40 {
                toy.send(round * 1_000..round * 1_000 + round);
                channel.set_grant(u64::MAX);
                let regulation = regulation.as_mut().filter(|_| regulated);
                bytes.extend(send(&mut channel, 10 * round, regulation, &mut toy, together));
                figures.push((channel.outstanding(), channel.booked(), channel.stats()));
            }
            let in_flight = regulation.expect("there is one").in_flight();
            (bytes, format!("{figures:?} {in_flight}"))
        });
        assert!(all[0].0.len() >= least, "{} packets", all[0].0.len());
        assert!(all[0].0 == all[1].0, "the same packets");
        assert_eq!(all[0].1, all[1].1);
    }
}

#[test]
fn a_train_takes_no_more_than_is_granted_and_ends_with_what_is_short() {
    let (mut channel, mut toy) = (channel(), Toy::default());
    let mut buf = vec![0; MTU * 64];
    toy.send(0..100);
    channel.set_grant(5 * MTU as u64);
    assert_eq!(send(&mut channel, 0, None, &mut toy, true).len(), 5);
    channel.set_grant(100 * MTU as u64);
    toy.size = Some(100);
    let train = channel.poll_train(at(0), None, &mut buf, (MTU, MTU), &mut toy);
    assert_eq!((train.packets, train.len), (1, train.last));
    assert!(train.last < MTU);
    assert_eq!(channel.outstanding(), 6);
}

#[test]
fn nothing_goes_as_a_train_while_an_acknowledgment_is_due() {
    let (mut channel, mut toy) = (channel(), Toy::default());
    toy.send(0..100);
    channel.set_grant(100 * MTU as u64);
    channel.note_setup_received(at(0), true);
    let mut buf = vec![0; MTU * 64];
    assert_eq!(channel.poll_train(at(0), None, &mut buf, (MTU, MTU), &mut toy).packets, 0);
}
