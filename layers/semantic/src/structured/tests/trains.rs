//! Packets that are filled together.

use super::*;

const SIZE: usize = 1200;

/// What a writer sends in `packets` packets: one by one, or together.
fn sent(streams: &mut Streams, together: bool, packets: usize) -> Vec<Vec<u8>> {
    let mut buf = vec![0; SIZE * packets];
    if !together {
        let one = |number: usize| {
            let mut buf = [0; SIZE];
            let filled = streams.poll_packet(Instant::ZERO, CHANNEL, number as u64, &mut buf)?;
            Some(buf[..filled.len].to_vec())
        };
        return (0..packets).map_while(one).collect();
    }
    let mut train = Train::new(0, &mut buf, packets, SIZE, SIZE);
    streams.poll_train(Instant::ZERO, CHANNEL, &mut train);
    let (packets, last) = (train.packets(), train.last());
    let len = |nth| if nth + 1 == packets { last } else { SIZE };
    buf.chunks(SIZE).take(packets).enumerate().map(|(nth, packet)| packet[..len(nth)].to_vec()).collect()
}

/// A writer whose peer has said what it grants.
fn writer() -> Streams {
    let [mut writer, peer] =
        [Role::Initiator, Role::Responder].map(|role| Streams::new(role, Config::default(), Services::default()));
    writer.set_peer_setup(&peer.setup_item()).expect("a good item");
    writer
}

#[test]
fn a_train_of_one_stream_holds_what_its_packets_would_have_held_one_by_one() {
    for written in [1, SIZE, 3 * SIZE + 7, 40 * SIZE, 200_000] {
        let [alone, together] = [false, true].map(|together| {
            let mut writer = writer();
            let id = writer.open("service", "protocol").expect("credit");
            let bytes: Vec<u8> = (0..written).map(|at| (at % 251) as u8).collect();
            assert_eq!(writer.write(id, &bytes), Ok(written));
            writer.finish(id).expect("open");
            sent(&mut writer, together, 300)
        });
        assert!(alone == together, "{written} bytes");
    }
}

#[test]
fn of_streams_that_all_have_much_to_send_each_fills_a_few_packets_of_a_train_in_turn() {
    let mut writer = writer();
    let ids = [(); 3].map(|()| {
        let id = writer.open("service", "protocol").expect("credit");
        writer.write(id, &[7; 100_000]).expect("room");
        id
    });
    let packets = sent(&mut writer, true, 60);
    assert_eq!(packets.len(), 60);
    let whose: Vec<u8> = packets[1..].iter().map(|packet| packet[1]).collect();
    let runs: Vec<usize> = whose.chunk_by(|a, b| a == b).map(<[u8]>::len).collect();
    assert!(runs.iter().all(|run| *run <= TURN_PACKETS as usize + 1), "{runs:?}");
    for id in ids {
        let share = whose.iter().filter(|first| u64::from(**first) == id.0).count();
        assert!((14..=26).contains(&share), "{id:?} has {share} of {}", whose.len());
    }
}

#[test]
fn of_a_train_that_meets_its_fate_in_parts_only_what_was_lost_goes_again() {
    let mut writer = writer();
    let id = writer.open("service", "protocol").expect("credit");
    writer.write(id, &[7; 100_000]).expect("room");
    let packets = sent(&mut writer, true, 40);
    assert_eq!(packets.len(), 40);
    writer.handle_fates(Instant::ZERO, CHANNEL, 0..40, Fate::Doubtful);
    writer.handle_fates(Instant::ZERO, CHANNEL, 0..17, Fate::Acked);
    writer.handle_fates(Instant::ZERO, CHANNEL, 17..20, Fate::Lost);
    writer.handle_fates(Instant::ZERO, CHANNEL, 20..40, Fate::Acked);
    let before = writer.stats();
    let mut buf = [0; SIZE];
    let mut number = 100;
    while writer.poll_packet(Instant::ZERO, CHANNEL, number, &mut buf).is_some() {
        number += 1;
    }
    let resent = writer.stats().bytes_resent - before.bytes_resent;
    assert!((2 * SIZE as u64..=3 * SIZE as u64).contains(&resent), "{resent} bytes went again");
}
