//! Keyed BLAKE3, SipHash-2-4 and AES-128 on single blocks: the published vectors, and what the vectors do not say.

use serde::Deserialize;

use super::{array, hex};
use crate::{BLOCK_LEN, Blake3Key, BlockKey, NH_KEY_LEN, NhKey, Secret32, SipKey, labels};

#[derive(Deserialize)]
struct Blake3 {
    key: String,
    cases: Vec<Blake3Case>,
}

#[derive(Deserialize)]
struct Blake3Case {
    input_len: usize,
    keyed_hash: String,
}

#[derive(Deserialize)]
struct Sip {
    key: String,
    tags: Vec<String>,
}

/// All ways to cut `input` in three that differ in what they put where, a few of them.
fn cuts(input: &[u8]) -> impl Iterator<Item = [&[u8]; 3]> {
    let len = input.len();
    [(0, 0), (1, 1), (1, 3), (len / 3, len / 2), (len / 2, len), (len, len)]
        .into_iter()
        .filter(move |(a, b)| a <= b && *b <= len)
        .map(|(a, b)| [&input[..a], &input[a..b], &input[b..]])
}

#[test]
fn keyed_blake3_agrees_with_its_official_vectors() {
    let file: Blake3 = serde_json::from_str(include_str!("../../vectors/blake3_keyed.json")).unwrap();
    let key = Blake3Key::from_bytes(Secret32::from_bytes(file.key.as_bytes().try_into().unwrap()));
    assert_eq!(file.cases.len(), 35);
    for case in file.cases {
        let input: Vec<u8> = (0..251).cycle().take(case.input_len).collect();
        let tag = hex(&case.keyed_hash[..32]);
        assert_eq!(key.tag(&[&input]).to_vec(), tag, "{}", case.input_len);
        for parts in cuts(&input) {
            assert_eq!(key.tag(&parts).to_vec(), tag, "{} in parts", case.input_len);
        }
        assert!(key.verify(&[&input], &tag));
    }
}

#[test]
fn siphash_agrees_with_its_reference_vectors() {
    let file: Sip = serde_json::from_str(include_str!("../../vectors/siphash_2_4.json")).unwrap();
    let key = SipKey::from_bytes(array(&file.key));
    assert_eq!(file.tags.len(), 64);
    for (len, tag) in file.tags.iter().enumerate() {
        let input: Vec<u8> = (0..len as u8).collect();
        assert_eq!(key.tag(&[&input]).to_vec(), hex(tag), "{len}");
        for parts in cuts(&input) {
            assert_eq!(key.tag(&parts).to_vec(), hex(tag), "{len} in parts");
        }
        assert!(key.verify(&[&input], &hex(tag)));
    }
}

#[test]
fn aes_agrees_with_fips_197_and_sp_800_38a() {
    // FIPS 197, appendix C.1.
    let key = BlockKey::from_bytes(&array("000102030405060708090a0b0c0d0e0f"));
    assert_eq!(key.prf(0x00112233_44556677_8899aabb_ccddeeff), 0x69c4e0d8_6a7b0430_d8cdb780_70b4c55a);
    // FIPS 197, appendix B.
    let key = BlockKey::from_bytes(&array("2b7e151628aed2a6abf7158809cf4f3c"));
    assert_eq!(key.prf(0x3243f6a8_885a308d_313198a2_e0370734), 0x3925841d_02dc09fb_dc118597_196a0b32);
    // SP 800-38A, appendix F.1.1, four blocks under the same key.
    let plain = [
        0x6bc1bee2_2e409f96_e93d7e11_7393172a,
        0xae2d8a57_1e03ac9c_9eb76fac_45af8e51,
        0x30c81c46_a35ce411_e5fbc119_1a0a52ef,
        0xf69f2445_df4f9b17_ad2b417b_e66c3710,
    ];
    let sealed = [
        0x3ad77bb4_0d7a3660_a89ecaf3_2466ef97,
        0xf5d3d585_03b9699d_e785895a_96fdbaaf,
        0x43b1cd7f_598ece23_881b00e3_ed030688,
        0x7b0c785e_27e8ad3f_82232071_04725dd4,
    ];
    assert_eq!(key.prf_all(plain), sealed);
    assert_eq!(plain.map(|block| key.prf(block)), sealed);
}

#[test]
fn many_blocks_at_once_are_those_one_by_one() {
    let key = BlockKey::from_bytes(&[7; BLOCK_LEN]);
    let blocks: [u128; 33] = core::array::from_fn(|i| (i as u128) << 61);
    assert_eq!(key.prf_all(blocks), blocks.map(|block| key.prf(block)));
    assert_eq!(key.prf_all([]), []);
}

#[test]
fn every_altered_byte_of_what_a_mac_covers_shows() {
    let (blake3, sip) = (Blake3Key::from_bytes([1; 32]), SipKey::from_bytes([1; 16]));
    let message: [u8; 70] = core::array::from_fn(|i| i as u8);
    let (long, short) = (blake3.tag(&[&message]), sip.tag(&[&message]));
    for at in 0..message.len() {
        let mut other = message;
        other[at] ^= 0x10;
        assert!(!blake3.verify(&[&other], &long) && !sip.verify(&[&other], &short), "{at}");
        assert!(!blake3.verify(&[&message[..at]], &long) && !sip.verify(&[&message[..at]], &short), "cut at {at}");
    }
    for at in 0..16 {
        let (mut l, mut s) = (long, short);
        l[at] ^= 1;
        s[at / 2] ^= 1;
        assert!(!blake3.verify(&[&message], &l) && !sip.verify(&[&message], &s), "tag at {at}");
        assert!(!blake3.verify(&[&message], &long[..at]) && !sip.verify(&[&message], &short[..at / 2]), "{at} bytes");
    }
    assert!(!blake3.verify(&[&message], &[]) && !sip.verify(&[&message], &[]));
    assert!(blake3.verify(&[&message], &long) && sip.verify(&[&message], &short));
    // Another key.
    assert!(!Blake3Key::from_bytes([2; 32]).verify(&[&message], &long));
    assert!(!SipKey::from_bytes([2; 16]).verify(&[&message], &short));
}

/// What [`NhKey`]'s page says, word for word: key bytes, number, length, message.
fn nh_by_the_page(key: &[u8], number: u64, len: u32, message: &[u8]) -> [u8; 8] {
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word: u128, byte| word << 8 | u128::from(*byte));
    let (k, f, sip) = (&key[..128], &key[128..192], SipKey::from_bytes(key[192..].try_into().unwrap()));
    let mut hashes = Vec::new();
    let chunks: Vec<_> = if message.is_empty() { vec![(0, 0)] } else { Vec::new() };
    let starts = (0..message.len()).step_by(128).map(|at| (at, message.len().min(at + 128)));
    for (start, end) in chunks.into_iter().chain(starts) {
        let mut nh = 0u128;
        for (at, key_at) in (start..end.max(1)).step_by(16).zip((0..).step_by(16)) {
            let mut block = message[at..end.min(at + 16)].to_vec();
            if block.len() < 16 && message.len() >= 16 {
                block = message[message.len() - 16..].to_vec();
            }
            block.resize(16, 0);
            let sum = |half: usize| (word(&block[half..half + 8]) + word(&k[key_at + half..][..8])) % (1 << 64);
            nh = nh.wrapping_add(sum(0) * sum(8));
        }
        let lens = u128::from(number >> 56) << 56 | (message.len() as u128) << 32 | u128::from(len);
        let inputs = [1, lens, nh >> 64, nh & u128::from(u64::MAX)];
        let folded = f.chunks(16).zip(inputs).fold(0u128, |sum, (f, x)| sum.wrapping_add(word(f).wrapping_mul(x)));
        hashes.extend(((folded >> 64) as u64).to_be_bytes());
    }
    hashes.extend(&number.to_be_bytes()[1..]);
    sip.tag(&[&hashes])
}

#[test]
fn the_mac_of_numbered_packets_is_that_of_its_page_for_every_length() {
    let key: [u8; NH_KEY_LEN] = core::array::from_fn(|at| (at * 89 + 7) as u8);
    let mac = NhKey::from_bytes(&key);
    let message: Vec<u8> = (0..1_500).map(|at| (at * 31 + at / 256) as u8).collect();
    for len in (0..=300).chain([383, 384, 385, 1_472, 1_500]) {
        let message = &message[..len];
        for (number, whole) in [(0, 0), (7, len as u32), ((1 << 62) - 1, u32::MAX)] {
            let tag = nh_by_the_page(&key, number, whole, message);
            assert_eq!(mac.tag(number, whole, message), tag, "{len} bytes, number {number}");
            assert!(mac.verify(number, whole, message, &tag));
        }
    }
    // By another program that reads the page.
    assert_eq!(mac.tag(7, 1_200, &message[..41]).to_vec(), hex("f0cf33241773c80c"));
    assert_eq!(mac.tag((1 << 61) + 9, 1_492, &message[..1_492]).to_vec(), hex("12462f553436f908"));
}

#[test]
fn every_altered_bit_of_a_numbered_packet_shows_and_its_number_and_lengths_do() {
    let mac = NhKey::derive(&Secret32::from_bytes([1; 32]), labels::HOP_OUTWARD);
    for len in [1, 15, 16, 17, 41, 128, 129, 300] {
        let message: Vec<u8> = (0..len).map(|at| at as u8).collect();
        let tag = mac.tag(7, 900, &message);
        for bit in 0..8 * len {
            let mut other = message.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!mac.verify(7, 900, &other, &tag), "bit {bit} of {len} bytes");
        }
        for (number, whole) in [(6, 900), (7 + (1 << 32), 900), (7 + (1 << 56), 900), (7, 899), (7, 900 + (1 << 31))] {
            assert!(!mac.verify(number, whole, &message, &tag), "{number}, {whole}");
        }
        assert!(!mac.verify(7, 900, &message[..len - 1], &tag));
        assert!(!mac.verify(7, 900, &[&message[..], &[0]].concat(), &tag), "a zero more");
        for at in 0..tag.len() {
            assert!(!mac.verify(7, 900, &message, &tag[..at]), "{at} bytes of it");
        }
        assert!(mac.verify(7, 900, &message, &tag));
    }
}

#[test]
fn keys_of_two_labels_and_of_two_secrets_differ() {
    let secrets = [Secret32::from_bytes([1; 32]), Secret32::from_bytes([2; 32])];
    let of = |secret: &Secret32, label| {
        let tags = (Blake3Key::derive(secret, label).tag(&[b"x"]), SipKey::derive(secret, label).tag(&[b"x"]));
        (tags, BlockKey::derive(secret, label).prf(0))
    };
    let (a, b) = (of(&secrets[0], labels::RANGE_NONCE), of(&secrets[0], labels::NONCE));
    let c = of(&secrets[1], labels::RANGE_NONCE);
    assert_eq!(a, of(&secrets[0], labels::RANGE_NONCE));
    for (x, y) in [(a, b), (a, c), (b, c)] {
        assert!(x.0.0 != y.0.0 && x.0.1 != y.0.1 && x.1 != y.1, "{x:?}, {y:?}");
    }
}

#[test]
fn keys_do_not_print() {
    let printed = format!(
        "{:?} {:?} {:?}",
        Blake3Key::from_bytes([0x41; 32]),
        SipKey::from_bytes([0x41; 16]),
        BlockKey::from_bytes(&[0x41; BLOCK_LEN])
    ) + &format!(" {:?}", NhKey::from_bytes(&[0x41; NH_KEY_LEN]));
    assert_eq!(printed, "Blake3Key(..) SipKey(..) BlockKey(..) NhKey(..)");
}

#[test]
fn what_is_put_together_to_be_hashed_at_once_has_the_tag_of_what_is_hashed_part_by_part() {
    let key = Blake3Key::from_bytes([3; 32]);
    let bytes: Vec<u8> = (0..300).map(|at| at as u8).collect();
    for len in [0, 1, 63, 64, 65, 127, 128, 129, 300] {
        let (whole, cut) = (key.tag(&[&bytes[..len]]), len / 3);
        assert_eq!(key.tag(&[&bytes[..cut], &[], &bytes[cut..len]]), whole, "{len}");
        assert_eq!(key.secret(&[&bytes[..cut], &bytes[cut..len]]).expose()[..16], whole, "{len}");
    }
}
