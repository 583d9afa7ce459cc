use tng_base::Rng;
use tng_channel::{Armor, OpenError};
use tng_crypto::{AeadKey, NONCE_LEN, SAMPLE_LEN, Secret32, Suite, TAG_LEN, hkdf, labels};

use super::{AeadArmor, KeyLimits};

const SUITES: [Suite; 2] = [Suite::Aes128Gcm, Suite::ChaCha20Poly1305];
const NUMBER_AT: usize = 7;

fn pair(suite: Suite, limits: KeyLimits) -> (AeadArmor, AeadArmor) {
    let (up, down) = (Secret32::from_bytes([1; 32]), Secret32::from_bytes([2; 32]));
    (
        AeadArmor::with_limits(suite, up.duplicate(), down.duplicate(), limits),
        AeadArmor::with_limits(suite, down, up, limits),
    )
}

fn default_pair(suite: Suite) -> (AeadArmor, AeadArmor) {
    pair(suite, KeyLimits::of(suite))
}

/// A packet as the channel makes it: first byte with phase, channel id, four bytes of number, text, tag; masked.
fn send(armor: &mut AeadArmor, number: u64, text: &[u8]) -> Result<Vec<u8>, OpenError> {
    let phase = armor.send_phase(number);
    let mut packet = vec![0x40 | u8::from(phase) << 5 | 3];
    packet.extend([0xcc; 6]);
    packet.extend((number as u32).to_be_bytes());
    packet.extend(text);
    packet.extend([0; TAG_LEN]);
    armor.seal(number, NUMBER_AT + 4, &mut packet)?;
    armor.protect(NUMBER_AT, 4, &mut packet);
    Ok(packet)
}

fn receive(armor: &mut AeadArmor, packet: &[u8]) -> Result<(u64, Vec<u8>), OpenError> {
    let mut packet = packet.to_vec();
    armor.unprotect(NUMBER_AT, &mut packet).ok_or(OpenError::Forged)?;
    let number = packet[NUMBER_AT..NUMBER_AT + 4].try_into().map(u32::from_be_bytes).unwrap();
    let phase = packet[0] & 0x20 != 0;
    let len = armor.open(u64::from(number), phase, NUMBER_AT + 4, &mut packet)?;
    Ok((u64::from(number), packet[NUMBER_AT + 4..][..len].to_vec()))
}

#[test]
fn packets_open_at_the_other_end_and_show_nothing_on_the_way() {
    for suite in SUITES {
        let (mut a, mut b) = default_pair(suite);
        for number in 0..50 {
            let packet = send(&mut a, number, b"attack at dawn").unwrap();
            assert_eq!(packet[0] & 0xc0, 0x40);
            assert!(!packet.windows(6).any(|w| w == b"attack"));
            assert_eq!(receive(&mut b, &packet), Ok((number, b"attack at dawn".to_vec())));
        }
    }
}

#[test]
fn every_flipped_bit_shows() {
    for suite in SUITES {
        let (mut a, mut b) = default_pair(suite);
        let packet = send(&mut a, 9, b"attack at dawn").unwrap();
        for bit in 0..packet.len() * 8 {
            let mut forged = packet.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(receive(&mut b, &forged), Err(OpenError::Forged), "{suite:?} bit {bit}");
        }
        for cut in 0..packet.len() {
            assert_eq!(receive(&mut b, &packet[..cut]), Err(OpenError::Forged), "{suite:?} cut at {cut}");
        }
        assert!(receive(&mut b, &packet).is_ok());
    }
}

#[test]
fn a_packet_does_not_open_where_it_came_from() {
    let (mut a, _) = default_pair(Suite::Aes128Gcm);
    let packet = send(&mut a, 1, b"echo").unwrap();
    assert_eq!(receive(&mut a, &packet), Err(OpenError::Forged));
}

#[test]
fn a_packet_without_a_sample_is_not_unmasked() {
    let (mut a, _) = default_pair(Suite::Aes128Gcm);
    assert_eq!(a.unprotect(NUMBER_AT, &mut []), None);
    assert_eq!(a.unprotect(NUMBER_AT, &mut [0x40; NUMBER_AT + 19]), None);
    assert_eq!(a.unprotect(NUMBER_AT, &mut [0x40; NUMBER_AT + 20]), Some(()));
}

#[test]
fn an_armor_at_rest_keeps_no_expanded_keys_and_goes_on_where_it_was() {
    for suite in SUITES {
        let (mut a, mut b) = pair(suite, often());
        for number in 0..3 {
            let packet = send(&mut a, number, b"again").unwrap();
            assert_eq!(receive(&mut b, &packet), Ok((number, b"again".to_vec())));
            assert!(a.keys.is_some() && b.keys.is_some());
            [&mut a, &mut b].into_iter().for_each(|armor| armor.shrink());
            assert!(a.keys.is_none() && b.keys.is_none());
        }
    }
}

fn often() -> KeyLimits {
    KeyLimits { renew_after: 1 << 10, seals_max: 1 << 11, forgeries_max: 1 << 20 }
}

#[test]
fn keys_renew_over_and_over_under_reordering_and_loss() {
    for suite in SUITES {
        for seed in 0..4 {
            let mut rng = Rng::from_u64(seed);
            let (mut a, mut b) = pair(suite, often());
            let mut under_way: Vec<(u64, Vec<u8>)> = Vec::new();
            let mut phases = 0;
            let mut phase = false;
            let (mut delivered, mut lost, mut late) = (0u64, 0u64, 0u64);
            for number in 0..20_000u64 {
                under_way.push((number, send(&mut a, number, &number.to_be_bytes()).unwrap()));
                if a.sender.phase != phase {
                    phase = a.sender.phase;
                    phases += 1;
                }
                // Out of order by up to 900 packets, one in ten lost, most acknowledgments too.
                // What is made anew is what it was, in whatever phase, and the one before still opens.
                [&mut a, &mut b].into_iter().filter(|_| rng.chance(0.01)).for_each(|armor| armor.shrink());
                while under_way.len() > 300 {
                    let overdue = under_way[0].0 + 900 < number;
                    let (number, packet) = under_way.remove(if overdue { 0 } else { rng.below(300) as usize });
                    if rng.chance(0.1) {
                        lost += 1;
                        continue;
                    }
                    late += u64::from(number < b.receiver.first);
                    let opened = receive(&mut b, &packet);
                    assert_eq!(opened, Ok((number, number.to_be_bytes().to_vec())), "{suite:?} seed {seed}");
                    delivered += 1;
                    if rng.chance(0.05) {
                        a.handle_acked(number);
                    }
                }
            }
            assert!((12..=20).contains(&phases), "{suite:?} seed {seed}: {phases} phases");
            assert!(delivered > 17_000 && lost > 1_500 && late > 500, "{delivered} {lost} {late}");
        }
    }
}

#[test]
fn each_direction_renews_on_its_own() {
    let (mut a, mut b) = pair(Suite::Aes128Gcm, often());
    for number in 0..3_000 {
        let packet = send(&mut a, number, b"up").unwrap();
        receive(&mut b, &packet).unwrap();
        a.handle_acked(number);
    }
    assert!(a.sender.first > 0 && b.receiver.first > 0);
    let packet = send(&mut b, 0, b"down").unwrap();
    assert_eq!(b.sender.first, 0);
    assert_eq!(receive(&mut a, &packet), Ok((0, b"down".to_vec())));
}

#[test]
fn no_phase_begins_before_the_peer_has_followed_into_the_last() {
    let (mut a, _) = pair(Suite::Aes128Gcm, often());
    let mut number = 0;
    let mut step = |a: &mut AeadArmor| {
        number += 1;
        send(a, number, b"x").map(|_| number)
    };
    for _ in 0..1 << 10 {
        step(&mut a).unwrap();
    }
    assert!(!a.send_phase(5_000), "nothing is acknowledged");
    a.handle_acked(3);
    let first_of_second = step(&mut a).unwrap();
    assert!(a.sender.phase);
    for _ in 0..1 << 10 {
        step(&mut a).unwrap();
    }
    a.handle_acked(first_of_second - 1);
    assert!(a.send_phase(6_000), "an acknowledgment of the phase before says nothing about this one");
    a.handle_acked(first_of_second);
    assert!(!a.send_phase(7_000));
}

#[test]
fn forgeries_never_move_the_phase() {
    for suite in SUITES {
        let (mut a, mut b) = default_pair(suite);
        for number in 0..100 {
            let packet = send(&mut a, number, b"text").unwrap();
            // With the phase bit flipped, at numbers on both sides of what arrived, and with noise behind it.
            for (i, mask) in [(0usize, 0x20u8), (NUMBER_AT, 0x40), (NUMBER_AT + 3, 0x01)] {
                let mut forged = packet.clone();
                forged[0] ^= 0x20;
                if i > 0 {
                    forged[i] ^= mask;
                }
                assert_eq!(receive(&mut b, &forged), Err(OpenError::Forged));
                assert!(!b.receiver.phase && b.receiver.previous.is_none(), "{suite:?}");
            }
            assert!(receive(&mut b, &packet).is_ok());
        }
        assert_eq!(b.receiver.forgeries, 300);
        assert_eq!(b.receiver.first, 0);
    }
}

#[test]
fn a_receiver_that_believed_the_bit_would_be_led_astray() {
    // The control of the test above: what one forged bit would do if it were followed before its packet opens.
    let (mut a, mut b) = default_pair(Suite::Aes128Gcm);
    let packets: Vec<_> = (0..10).map(|number| send(&mut a, number, b"text").unwrap()).collect();
    assert!(receive(&mut b, &packets[0]).is_ok());
    let AeadArmor { receiver, keys, .. } = &mut b;
    receiver.advance(Suite::Aes128Gcm, keys.as_mut().expect("it has opened something"), 1);
    assert_eq!(receive(&mut b, &packets[1]), Err(OpenError::Forged));
}

#[test]
fn a_sender_that_cannot_renew_stops_at_the_limit() {
    let (mut a, _) = pair(Suite::Aes128Gcm, often());
    for number in 0..1 << 11 {
        send(&mut a, number, b"x").unwrap();
    }
    assert_eq!(send(&mut a, 1 << 11, b"x"), Err(OpenError::Exhausted));
    // An acknowledgment, however late, saves it.
    a.handle_acked(17);
    assert!(send(&mut a, (1 << 11) + 1, b"x").is_ok());
}

#[test]
fn too_many_forgeries_end_the_channel() {
    let limits = KeyLimits { forgeries_max: 3, ..often() };
    let (mut a, mut b) = pair(Suite::ChaCha20Poly1305, limits);
    let packet = send(&mut a, 0, b"x").unwrap();
    let mut forged = packet.clone();
    forged[20] ^= 1;
    for _ in 0..3 {
        assert_eq!(receive(&mut b, &forged), Err(OpenError::Forged));
    }
    assert_eq!(receive(&mut b, &packet), Err(OpenError::Exhausted), "even what is authentic");
}

#[test]
fn the_limits_are_those_of_rfc_9001() {
    assert_eq!(KeyLimits::of(Suite::Aes128Gcm).seals_max, 1 << 23);
    assert_eq!(KeyLimits::of(Suite::Aes128Gcm).forgeries_max, 1 << 52);
    assert_eq!(KeyLimits::of(Suite::ChaCha20Poly1305).forgeries_max, 1 << 36);
}

#[test]
fn a_packet_that_does_not_open_keeps_its_last_bytes() {
    let (_, mut b) = default_pair(Suite::Aes128Gcm);
    let mut packet: [u8; 43] = core::array::from_fn(|i| i as u8);
    assert_eq!(b.open(1, false, 11, &mut packet), Err(OpenError::Forged));
    assert!(packet[27..].iter().copied().eq(27..43), "a stateless reset stays recognizable");
}

/// What wire.md, section 2.5, says: the nonce is the IV xor the packet number. Two packets under one nonce would give
/// away the key of their tags.
#[test]
fn every_number_has_a_nonce_of_its_own() {
    for suite in SUITES {
        let secret = Secret32::from_bytes([1; 32]);
        let key = AeadKey::derive(suite, &secret, labels::KEY);
        let mut iv = [0; NONCE_LEN];
        hkdf::expand(&secret, labels::IV, &[], &mut iv);
        for number in [0, 1, 0xff, 0x0102_0304_0506_0708, u64::MAX >> 2] {
            let mut counter = [0; NONCE_LEN];
            counter[4..].copy_from_slice(&number.to_be_bytes());
            let nonce = core::array::from_fn(|i| iv[i] ^ counter[i]);
            let mut expected = [7; 20 + TAG_LEN];
            key.seal(nonce, b"header", &mut expected);
            let mut packet = [b"header".as_slice(), &[7; 20 + TAG_LEN]].concat();
            default_pair(suite).0.seal(number, 6, &mut packet).expect("the first packet");
            assert_eq!(packet[6..], expected, "{suite:?} {number:#x}");
        }
    }
}

#[test]
fn a_mask_covers_the_low_bits_and_the_number_and_nothing_else() {
    for suite in SUITES {
        let armor = default_pair(suite).0;
        for number_len in 1..=4 {
            let mut packet = vec![0x5a; NUMBER_AT + 4 + armor.sample_len()];
            armor.protect(NUMBER_AT, number_len, &mut packet);
            assert_eq!(packet[0] & 0xc0, 0x40);
            assert_ne!(packet[..NUMBER_AT + number_len], vec![0x5a; NUMBER_AT + number_len]);
            assert!(packet[1..NUMBER_AT].iter().chain(&packet[NUMBER_AT + number_len..]).all(|byte| *byte == 0x5a));
        }
    }
}

#[test]
fn a_sample_is_as_long_as_the_mask_needs() {
    for suite in SUITES {
        let mut armor = default_pair(suite).0;
        assert_eq!(armor.sample_len(), SAMPLE_LEN);
        let mut short = vec![0x40; NUMBER_AT + 4 + armor.sample_len() - 1];
        assert!(armor.unprotect(NUMBER_AT, &mut short).is_none());
    }
}

#[test]
fn a_phase_lasts_for_four_million_packets() {
    for suite in SUITES {
        assert_eq!(KeyLimits::of(suite).renew_after, 4_194_304);
        let (mut a, _) = default_pair(suite);
        for number in 0..1_000 {
            assert_eq!(send(&mut a, number, b"x").expect("a fresh key")[0] & 0xc0, 0x40);
            a.handle_acked(number);
            assert!(!a.send_phase(number), "not yet");
        }
    }
}

#[test]
fn debugging_shows_no_key() {
    let shown = format!("{:?}", default_pair(Suite::Aes128Gcm).0);
    assert_eq!(shown, "AeadArmor { suite: Aes128Gcm, send_phase: false, receive_phase: false, .. }");
}
