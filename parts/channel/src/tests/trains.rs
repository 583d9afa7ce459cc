//! Packets that go out together.

use super::world::{MTU, Toy, Verdict, at, regulation};
use crate::testing::ChecksumArmor;
use crate::wire::{Mark, NUMBER_AT};
use crate::{Channel, Config, Poll};
use tng_base::{ChannelId, ChannelKey, Ecn, Rng};
use tng_congestion::Regulation;

fn channel() -> Channel {
    let config = Config::new(ChannelKey(1), ChannelId::from_u64(1), Rng::from_u64(1));
    Channel::new(config, Box::new(ChecksumArmor::pair(1, 16, 1_000).0), at(0))
}

/// The two ends of a section, whose headers everybody can read.
fn section() -> [Channel; 2] {
    let (a, b) = ChecksumArmor::pair(1, 8, u64::MAX);
    let end = |key, armor: ChecksumArmor| {
        let config = Config::new(ChannelKey(key), ChannelId::from_u64(1), Rng::from_u64(key));
        Channel::new(Config { mark: Mark::Section, ..config }, Box::new(armor.unmasked()), at(0))
    };
    [end(1, a), end(2, b)]
}

/// What one end has to say of what came.
fn receipts(channel: &mut Channel, now: u64) -> Option<Vec<u8>> {
    let mut buf = vec![0; MTU];
    let sealed = channel.poll_receipts(at(now), None, &mut buf)?;
    buf.truncate(sealed.len);
    Some(buf)
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
fn packets_that_come_together_are_taken_as_they_would_have_been_one_by_one() {
    for verdict in [Verdict::Hold, Verdict::Queue, Verdict::Take, Verdict::Refuse] {
        let (mut together, mut runs) = (Vec::new(), 0);
        let all = [false, true].map(|as_runs| {
            let ([mut sender, mut receiver], mut toy, mut above) = (section(), Toy::default(), Toy::default());
            above.verdict = verdict;
            let mut figures = Vec::new();
            for round in 0..40 {
                toy.send(round * 1_000..round * 1_000 + 40);
                sender.set_grant(40 * MTU as u64);
                let mut packets = send(&mut sender, 10 * round, None, &mut toy, true);
                if round % 4 == 1 {
                    // One is lost, one damaged, and one a copy.
                    packets.remove(7);
                    packets[20][30] ^= 1;
                    packets[30] = packets[12].clone();
                }
                let mut batch = packets.concat();
                let mut rest = &mut batch[..];
                while !rest.is_empty() {
                    let run = match as_runs {
                        true => receiver.handle_run(at(10 * round), Ecn::Ect0, (&mut *rest, MTU), &mut above),
                        false => Ok(0),
                    };
                    let run = run.expect("nobody breaks a rule");
                    runs += usize::from(run > MTU);
                    let one = if run > 0 { 0 } else { MTU.min(rest.len()) };
                    if one > 0 {
                        let _ = receiver.handle_packet(at(10 * round), Ecn::Ect0, &mut rest[..one], None, &mut above);
                    }
                    rest = &mut rest[run + one..];
                }
                for (number, _) in core::mem::take(&mut above.held) {
                    receiver.redeem(at(10 * round), number, Ecn::Ect0);
                }
                let said = receipts(&mut receiver, 10 * round + 50);
                if let Some(said) = &said {
                    let heard =
                        sender.handle_packet(at(10 * round + 1), Ecn::NotEct, &mut said.clone(), None, &mut toy);
                    assert!(heard.is_ok(), "{heard:?}");
                }
                figures.push(format!("{said:?} {:?} {:?}", receiver.stats(), above.seen.len()));
            }
            together.push(figures);
            (toy.fates, above.inbox)
        });
        assert_eq!(together[0], together[1], "{verdict:?}");
        assert_eq!(all[0], all[1], "{verdict:?}");
        let wanted = matches!(verdict, Verdict::Hold | Verdict::Queue);
        assert_eq!(runs > 40, wanted, "{verdict:?}: {runs} runs");
    }
}

#[test]
fn an_acknowledgment_that_finds_no_room_follows_the_packets_that_cannot_be_cut() {
    let ([mut sender, mut receiver], mut above) = (section(), Toy::default());
    let (mut toy, mut heard) = (Toy::default(), Toy::default());
    for round in 0..100 {
        // Two come that need an acknowledgment at once.
        toy.send(2 * round..2 * round + 2);
        sender.set_grant(u64::MAX);
        for mut packet in send(&mut sender, 10 * round, None, &mut toy, false) {
            let came = receiver.handle_packet(at(10 * round), Ecn::NotEct, &mut packet, None, &mut above);
            came.expect("it is authentic");
        }
        // Payloads that fill a packet without an acknowledgment, and no more.
        (above.size, above.whole) = (Some(MTU - NUMBER_AT - 2 - 8 - 16), true);
        above.send(1_000 * round..1_000 * round + 3);
        receiver.set_grant(u64::MAX);
        let packets = send(&mut receiver, 10 * round, None, &mut above, true);
        let lens: Vec<_> = packets.iter().map(Vec::len).collect();
        assert_eq!(lens[..3], [MTU; 3], "round {round}: {lens:?}");
        assert_eq!(packets.len(), 4, "and the acknowledgment: {lens:?}");
        for mut packet in packets {
            sender.handle_packet(at(10 * round + 1), Ecn::NotEct, &mut packet, None, &mut heard).expect("authentic");
        }
        assert_eq!(sender.outstanding(), 0, "round {round}");
    }
}
