use tng_base::Rng;

use super::*;

const NOW: Instant = Instant::ZERO;
const ONE: ChannelKey = ChannelKey(1);
const TWO: ChannelKey = ChannelKey(2);

/// Two ends that have heard each other's set-up.
fn pair(window: u64) -> [Echoes; 2] {
    let mut a = Echoes::new(window);
    let mut b = Echoes::answering(window, a.set_up_item().as_deref()).expect("a set-up item");
    a.handle_set_up_item(b.set_up_item().as_deref()).expect("a set-up item");
    a.handle_attach(NOW, ONE);
    b.handle_attach(NOW, ONE);
    [a, b]
}

/// The packet that an end sends now.
fn packet(end: &mut Echoes, channel: ChannelKey, number: u64) -> Vec<u8> {
    let mut buf = vec![0; 400];
    let Filled { len } = end.poll_packet(NOW, channel, number, &mut buf).expect("something to send");
    buf.truncate(len);
    buf
}

fn handle(end: &mut Echoes, payload: &[u8]) -> Result<Taken, Violation> {
    end.handle_packet(NOW, ONE, 0, Ecn::NotEct, &mut payload.to_vec())
}

#[test]
fn each_number_is_echoed_once_whatever_becomes_of_packets() {
    for seed in 0..200 {
        let mut rng = Rng::from_u64(seed);
        let (mut ends, mut way, mut numbers) = (pair(40), [Vec::new(), Vec::new()], [[0u64; 3]; 2]);
        let mut heard = [Vec::new(), Vec::new()];
        let mut keys = vec![ONE];
        for round in 0..4_000 {
            let at = rng.below(2) as usize;
            if round < 1_500 && rng.below(3) == 0 {
                let body = vec![rng.below(256) as u8; rng.below(BODY_MAX as u64) as usize];
                let _ = ends[at].ask(&body);
            }
            // A second channel comes and goes.
            if round < 3_000 && rng.below(200) == 0 {
                let gone = keys.pop_if(|key| *key == TWO);
                for end in &mut ends {
                    match gone {
                        Some(key) => end.handle_detach(NOW, key),
                        None => end.handle_attach(NOW, TWO),
                    }
                }
                if gone.is_none() {
                    keys.push(TWO);
                } else {
                    way.iter_mut().for_each(|way: &mut Vec<(ChannelKey, u64, Vec<u8>)>| way.retain(|it| it.0 == ONE));
                }
            }
            let key = keys[rng.below(keys.len() as u64) as usize];
            if ends[at].wants_to_send(NOW, key) {
                let number = &mut numbers[at][key.0 as usize];
                *number += 1;
                let payload = packet(&mut ends[at], key, *number);
                way[at].push((key, *number, payload));
            }
            if !way[at].is_empty() {
                let (key, number, payload) = way[at].swap_remove(rng.below(way[at].len() as u64) as usize);
                let fate = match rng.below(8) {
                    0 if round < 3_000 => Fate::Lost,
                    // It arrives, and nobody hears of it.
                    1 if round < 3_000 => {
                        assert_ne!(handle(&mut ends[1 - at], &payload), Err(violation::MALFORMED));
                        Fate::Lost
                    }
                    _ => match handle(&mut ends[1 - at], &payload).expect("honest") {
                        Taken::All => Fate::Acked,
                        Taken::Later | Taken::Refused => Fate::Lost,
                    },
                };
                ends[at].handle_fates(NOW, key, number..number + 1, fate);
            }
            while let Some(echo) = ends[at].take_echo() {
                heard[at].push(echo.number);
            }
        }
        for at in 0..2 {
            let stats = ends[at].stats();
            heard[at].sort_unstable();
            assert_eq!(heard[at], (0..stats.asked).collect::<Vec<_>>(), "seed {seed}: {:?}", ends[at]);
            assert!(stats.asked > 200 && stats.resent > 0, "seed {seed}: {stats:?}");
            assert_eq!(ends[1 - at].stats().answered, stats.asked);
            assert!(ends[at].is_empty() && ends[at].is_idle() && ends[at].bytes_held() == 0);
        }
    }
}

#[test]
fn a_request_that_comes_again_is_not_echoed_again() {
    let [mut a, mut b] = pair(16);
    a.ask(b"once").expect("room");
    let request = packet(&mut a, ONE, 1);
    assert_eq!(handle(&mut b, &request), Ok(Taken::All));
    let echo = packet(&mut b, ONE, 1);
    assert_eq!(handle(&mut b, &request), Ok(Taken::All));
    assert!(!b.wants_to_send(NOW, ONE));
    assert_eq!((handle(&mut a, &echo), handle(&mut a, &echo)), (Ok(Taken::All), Ok(Taken::All)));
    assert_eq!(a.take_echo(), Some(Echo { number: 0, body: b"once".to_vec() }));
    assert_eq!(a.take_echo(), None);
}

#[test]
fn who_asks_ahead_of_the_window_waits_and_is_told_when_there_is_room() {
    let [mut a, mut b] = pair(WINDOW_MIN);
    for number in 0..WINDOW_MIN {
        assert_eq!(a.ask(b""), Ok(number));
    }
    assert_eq!(a.ask(b""), Err(AskError::Blocked));
    assert_eq!(a.ask(&[0; BODY_MAX + 1]), Err(AskError::TooLong(BODY_MAX + 1)));
    let request = packet(&mut a, ONE, 1);
    handle(&mut b, &request).expect("honest");
    let echoes = packet(&mut b, ONE, 1);
    handle(&mut a, &echoes).expect("honest");
    assert!(a.take_notice() && !a.take_notice());
    assert_eq!(a.ask(b""), Err(AskError::Blocked), "echoes that nobody has taken count too");
    a.take_echo().expect("an echo");
    assert!(a.take_notice());
    assert_eq!(a.ask(b""), Ok(WINDOW_MIN));
    a.handle_closed();
    assert_eq!(a.ask(b""), Err(AskError::Closed));
}

#[test]
fn a_peer_that_keeps_to_no_rule_is_found_out_and_one_that_acknowledges_nothing_is_not_obeyed_for_ever() {
    let [mut a, mut b] = pair(WINDOW_MIN);
    assert_eq!(handle(&mut b, &[9]), Err(violation::MALFORMED));
    assert_eq!(handle(&mut b, &[1, WINDOW_MIN as u8, 0]), Err(violation::BEYOND_WINDOW));
    assert_eq!(handle(&mut a, &[2, 0, 0]), Err(violation::NEVER_ASKED));
    a.ask(b"x").expect("room");
    assert_eq!(handle(&mut a, &[2, 0, 1, b'y']), Err(violation::NEVER_ASKED), "not what was asked");
    let held = b.bytes_held() + b.bytes_promised();
    for number in 0..WINDOW_MIN as u8 * 2 {
        assert_eq!(handle(&mut b, &[1, number, 0]), Ok(Taken::All));
    }
    assert_eq!(handle(&mut b, &[1, WINDOW_MIN as u8 * 2, 0]), Ok(Taken::Refused));
    assert_eq!((b.bytes_held(), b.bytes_promised()), (held, 0), "no more than was promised");
    assert!(b.handle_set_up_item(None).is_err() && b.handle_set_up_item(Some(b"?")).is_err());
}
