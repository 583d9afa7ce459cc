use tng_base::Rng;
use tng_channel::{Armor, OpenError};
use tng_crypto::Secret32;

use super::{CHECKSUM_LEN, FORGERIES_MAX_WEAK, GROUP, Role, Sums, WeakArmor, checksum};

fn pair() -> (WeakArmor, WeakArmor) {
    let (up, down) = (Secret32::from_bytes([1; 32]), Secret32::from_bytes([2; 32]));
    (WeakArmor::new(Role::Initiator, &up, &down), WeakArmor::new(Role::Responder, &down, &up))
}

fn sealed(armor: &mut WeakArmor, number: u64, text: &[u8]) -> Vec<u8> {
    let mut packet = text.to_vec();
    packet.extend([0; CHECKSUM_LEN]);
    armor.seal(number, 8, &mut packet).unwrap();
    packet
}

#[test]
fn what_one_end_seals_the_other_opens() {
    let (mut a, mut b) = pair();
    for len in 8..200 {
        let text: Vec<u8> = (0..len).map(|i| i as u8).collect();
        let mut packet = sealed(&mut a, 1 << 40, &text);
        assert_eq!(b.open(1 << 40, false, 8, &mut packet), Ok(text.len() - 8));
        assert_eq!(packet[..text.len()], text);
    }
}

#[test]
fn groups_sum_like_words() {
    let mut rng = Rng::from_u64(1);
    for blocks in [0, 1, 2, 45, GROUP] {
        let noise: Vec<[u8; 32]> = (0..blocks).map(|_| rng.bytes()).collect();
        for group in [noise, vec![[0xff; 32]; blocks]] {
            let (mut one, mut other) = (Sums { a: 77, b: 99 }, Sums { a: 77, b: 99 });
            one.group(&group);
            for word in group.as_flattened().as_chunks::<2>().0 {
                other.word(u64::from(u16::from_be_bytes(*word)));
            }
            assert_eq!((one.a, one.b), (other.a, other.b), "{blocks} blocks");
        }
    }
}

#[test]
fn a_packet_of_every_size_has_the_checksum_that_wire_md_describes() {
    let mut rng = Rng::from_u64(4);
    for len in (0..200).chain([1452, 9000, 65_507]) {
        let mut packet = vec![0; len];
        rng.fill(&mut packet);
        let mut bytes = [&[0, 1][..], &77u64.to_be_bytes(), &packet, &[0x80]].concat();
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        let (mut a, mut b) = (0u64, 0u64);
        for word in bytes.chunks(2) {
            a = (a + u64::from(word[0]) * 256 + u64::from(word[1])) % 65_537;
            b = (b + a) % 65_537;
        }
        assert_eq!(checksum(Role::Responder, 77, &packet), ((b << 16) + a) as u32, "{len} bytes");
    }
}

#[test]
fn every_flipped_bit_and_every_swapped_word_shows() {
    let (mut a, mut b) = pair();
    let text = Rng::from_u64(2).bytes::<101>();
    let packet = sealed(&mut a, 7, &text);
    for bit in 0..packet.len() * 8 {
        let mut forged = packet.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(b.open(7, false, 8, &mut forged), Err(OpenError::Forged), "bit {bit}");
    }
    for word in 0..49 {
        let mut forged = packet.clone();
        forged[2 * word..2 * word + 4].rotate_left(2);
        if forged != packet {
            assert_eq!(b.open(7, false, 8, &mut forged), Err(OpenError::Forged), "word {word}");
        }
    }
    for cut in 0..packet.len() {
        assert_eq!(b.open(7, false, 8, &mut packet[..cut].to_vec()), Err(OpenError::Forged), "cut at {cut}");
    }
}

#[test]
fn the_whole_number_counts_although_little_of_it_is_sent() {
    let (mut a, mut b) = pair();
    let mut packet = sealed(&mut a, 5, b"headers and text");
    for wrong in [4, 5 + (1 << 32), 5 + (1 << 48)] {
        assert_eq!(b.open(wrong, false, 8, &mut packet), Err(OpenError::Forged));
    }
}

#[test]
fn a_packet_does_not_open_where_it_came_from() {
    let (mut a, _) = pair();
    let mut packet = sealed(&mut a, 5, b"headers and text");
    assert_eq!(a.open(5, false, 8, &mut packet), Err(OpenError::Forged));
    // The role alone makes the difference, even if both directions had one key.
    let secret = Secret32::from_bytes([1; 32]);
    let mut same = WeakArmor::new(Role::Initiator, &secret, &secret);
    let mut packet = sealed(&mut same, 5, b"headers and text");
    assert_eq!(same.open(5, false, 8, &mut packet), Err(OpenError::Forged));
}

#[test]
fn guesses_spread_over_all_checksums() {
    // A guesser without the key is right once in 2^32 only if checksums of like packets differ evenly.
    let mut rng = Rng::from_u64(3);
    let mut buckets = [0u32; 256];
    for _ in 0..65_536 {
        let sum = checksum(Role::Initiator, rng.u64(), &rng.bytes::<64>());
        buckets[(sum >> 24) as usize] += 1;
    }
    assert!(buckets.iter().all(|n| (150..370).contains(n)), "{buckets:?}");
}

#[test]
fn guessing_ends_the_channel() {
    let (mut a, mut b) = pair();
    let mut packet = sealed(&mut a, 5, b"headers and text");
    b.forgeries = FORGERIES_MAX_WEAK - 1;
    assert_eq!(b.open(6, false, 8, &mut packet.clone()), Err(OpenError::Forged));
    assert_eq!(b.open(5, false, 8, &mut packet), Err(OpenError::Exhausted));
}

#[test]
fn a_packet_too_short_for_its_number_is_not_unmasked() {
    let (mut a, _) = pair();
    assert_eq!(a.unprotect(7, &mut []), None);
    assert_eq!(a.unprotect(7, &mut [3; 14]), None);
    assert_eq!(a.unprotect(7, &mut [3; 15]), Some(()));
}

#[test]
fn a_packet_under_other_keys_is_refused() {
    let (mut a, mut b) = pair();
    let (up, down) = (Secret32::from_bytes([3; 32]), Secret32::from_bytes([2; 32]));
    let mut other = WeakArmor::new(Role::Initiator, &up, &down);
    assert_eq!(b.open(7, false, 8, &mut sealed(&mut other, 7, &[5; 40])), Err(OpenError::Forged));
    assert_eq!(b.open(7, false, 8, &mut sealed(&mut a, 7, &[5; 40])), Ok(32), "control: the peer's own is taken");
    let text = [5; 40];
    for guess in [0u32, 1] {
        let mut packet = [&text[..], &checksum(Role::Initiator, 7, &text).wrapping_add(guess).to_be_bytes()].concat();
        assert_eq!(b.open(7, false, 8, &mut packet), Err(OpenError::Forged), "a key of {guess}");
    }
}

#[test]
fn weak_armor_hides_nothing_but_its_keys_and_never_renews_them() {
    let (mut a, _) = pair();
    assert_eq!((a.tag_len(), a.sample_len()), (CHECKSUM_LEN, 0));
    assert!(!a.send_phase(0) && !a.send_phase(u64::MAX));
    assert_eq!(format!("{a:?}"), "WeakArmor { role: Initiator, .. }");
}
