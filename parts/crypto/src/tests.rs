//! Published vectors, and what the vectors do not say.

use crate::{
    AeadKey, AgreementKey, BadPoint, Forged, HeaderKey, HmacKey, Secret32, SigningKey, Suite, TAG_LEN,
    agreement_secret, equal, hkdf, montgomery, sha256, verify,
};
use data_encoding::HEXLOWER;

mod macs;
mod noise;

fn hex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.as_bytes()).unwrap()
}

fn array<const N: usize>(text: &str) -> [u8; N] {
    hex(text).try_into().unwrap()
}

fn secret(text: &str) -> Secret32 {
    Secret32::from_bytes(array(text))
}

#[test]
fn x25519_agrees_with_rfc_7748() {
    let alice = AgreementKey::from_secret(&secret("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
    let bob = AgreementKey::from_secret(&secret("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
    assert_eq!(*alice.public(), array("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"));
    assert_eq!(*bob.public(), array("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
    let shared = array("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    assert_eq!(*alice.agree(bob.public()).unwrap().expose(), shared);
    assert_eq!(*bob.agree(alice.public()).unwrap().expose(), shared);
}

/// Every u-coordinate of low order, in its canonical spelling and the others (cr.yp.to/ecdh.html, "small subgroups").
const LOW_ORDER: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

#[test]
fn an_agreement_whose_result_everybody_knows_is_refused() {
    let key = AgreementKey::from_secret(&Secret32::from_bytes([7; 32]));
    for point in LOW_ORDER {
        assert_eq!(key.agree(&array(point)).map(|_| ()), Err(BadPoint), "{point}");
    }
}

#[test]
fn ed25519_agrees_with_rfc_8032() {
    let key = SigningKey::from_seed(&secret("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));
    assert_eq!(*key.public(), array("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"));
    let signature = key.sign(b"");
    assert_eq!(
        signature.to_vec(),
        hex(concat!(
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155",
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ))
    );
    assert!(verify(key.public(), b"", &signature));
    assert!(!verify(key.public(), b"x", &signature));
}

#[test]
fn a_signature_is_good_in_one_spelling_only() {
    let key = SigningKey::from_seed(&Secret32::from_bytes([3; 32]));
    let signature = key.sign(b"message");
    // s + L signs the same message unless s is checked to be below the order L.
    let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut other = signature;
    let mut carry = 0u16;
    for (byte, add) in other[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
    assert_eq!(carry, 0);
    assert!(verify(key.public(), b"message", &signature));
    assert!(!verify(key.public(), b"message", &other));
}

#[test]
fn public_keys_of_low_order_or_odd_spelling_are_refused() {
    // The identity, with which R = sB and any message verify; the order-2 point; y = p (a second spelling of zero).
    for point in [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0100000000000000000000000000000000000000000000000000000000000080",
    ] {
        assert_eq!(montgomery(&array(point)), Err(BadPoint), "{point}");
    }
    // The y below 19 have a second spelling, p + y, and some of these are points of high order.
    let mut usable = 0;
    for y in 2..19u8 {
        let (mut plain, mut odd) = ([0; 32], [0xff; 32]);
        plain[0] = y;
        odd[0] = 0xed + y;
        odd[31] = 0x7f;
        usable += usize::from(montgomery(&plain).is_ok());
        assert_eq!(montgomery(&odd), Err(BadPoint), "p + {y}");
    }
    assert!(usable > 4, "{usable}");
    // Control: without the check the identity is a key under which everything verifies.
    let identity = array::<32>("0100000000000000000000000000000000000000000000000000000000000000");
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&identity);
    let raw = aws_lc_rs::signature::UnparsedPublicKey::new(&aws_lc_rs::signature::ED25519, identity);
    assert!(raw.verify(b"anything", &signature).is_ok());
    assert!(!verify(&identity, b"anything", &signature));
}

#[test]
fn one_seed_gives_one_identity_on_both_curves() {
    for i in 0..16 {
        let seed = Secret32::from_bytes([i; 32]);
        let on_montgomery = AgreementKey::from_secret(&agreement_secret(&seed));
        let on_edwards = SigningKey::from_seed(&seed);
        assert_eq!(montgomery(on_edwards.public()), Ok(*on_montgomery.public()));
    }
}

#[test]
fn hkdf_agrees_with_rfc_5869() {
    let prk = hkdf::extract(&hex("000102030405060708090a0b0c"), &[&[0x0b; 22]]);
    assert_eq!(*prk.expose(), array("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
    let mut out = [0; 42];
    hkdf::expand_info(prk.expose(), &[&hex("f0f1f2f3f4"), &hex("f5f6f7f8f9")], &mut out);
    assert_eq!(
        out.to_vec(),
        hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    );
}

#[test]
fn hmac_agrees_with_rfc_4231_and_takes_no_short_tag() {
    let key = HmacKey::new(b"Jefe");
    let tag = key.tag(&[b"what do ya want ", b"for nothing?"]);
    assert_eq!(tag, array("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    assert!(key.verify(&[b"what do ya want for nothing?"], &tag[..16]));
    assert!(!key.verify(&[b"what do ya want for nothing?"], &tag[..15]));
    assert!(!key.verify(&[b"what do ya want for something?"], &tag));
}

#[test]
fn sha256_agrees_with_fips_180() {
    let abc = array("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(sha256(&[b"a", b"bc"]), abc);
    assert!(equal(&abc, &sha256(&[b"abc"])) && !equal(&abc, &abc[..31]));
}

#[test]
fn aes_gcm_agrees_with_its_specification() {
    let key = AeadKey::from_bytes(Suite::Aes128Gcm, &hex("feffe9928665731c6d6a8f9467308308"));
    let mut packet = hex(concat!(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72",
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    ));
    packet.extend([0; TAG_LEN]);
    key.seal(array("cafebabefacedbaddecaf888"), &hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"), &mut packet);
    assert_eq!(
        packet,
        hex(concat!(
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e",
            "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            "5bc94fbc3221a5db94fae95ae7121a47"
        ))
    );
}

#[test]
fn chacha_agrees_with_rfc_8439() {
    let key: Vec<u8> = (0x80..0xa0).collect();
    let key = AeadKey::from_bytes(Suite::ChaCha20Poly1305, &key);
    let mut packet = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
                       sunscreen would be it."
        .to_vec();
    packet.extend([0; TAG_LEN]);
    key.seal(array("070000004041424344454647"), &hex("50515253c0c1c2c3c4c5c6c7"), &mut packet);
    assert_eq!(packet[..16], hex("d31a8d34648e60db7b86afbc53ef7ec2"));
    assert_eq!(packet[packet.len() - TAG_LEN..], hex("1ae10b594f09e26a7e902ecbd0600691"));
}

#[test]
fn header_masks_agree_with_rfc_9001() {
    let aes = HeaderKey::from_bytes(Suite::Aes128Gcm, &hex("9f50449e04a0e810283a1e9933adedd2"));
    assert_eq!(aes.mask(&array("d1b1c98dd7689fb8ec11d242b123dc9b")), array("437b9aec36"));
    let chacha = HeaderKey::from_bytes(
        Suite::ChaCha20Poly1305,
        &hex("25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4"),
    );
    assert_eq!(chacha.mask(&array("5e5cd55c41f69080575d7999c25a5bfb")), array("aefefe7d03"));
}

#[test]
fn every_altered_byte_of_a_sealed_packet_shows() {
    for suite in [Suite::Aes128Gcm, Suite::ChaCha20Poly1305] {
        let key = AeadKey::from_bytes(suite, &[9; 32][..suite.key_len()]);
        let mut sealed = [5; 60];
        key.seal([1; 12], b"header", &mut sealed);
        for at in 0..sealed.len() {
            let mut forged = sealed;
            forged[at] ^= 0x10;
            assert_eq!(key.open([1; 12], b"header", &mut forged), Err(Forged), "{suite:?} at {at}");
        }
        assert_eq!(key.open([1; 12], b"headex", &mut sealed.clone()), Err(Forged));
        assert_eq!(key.open([2; 12], b"header", &mut sealed.clone()), Err(Forged));
        assert_eq!(key.open([1; 12], b"header", &mut []), Err(Forged));
        assert_eq!(key.open([1; 12], b"header", &mut sealed), Ok(44));
        assert_eq!(sealed[..44], [5; 44]);
    }
}

#[test]
fn a_packet_that_does_not_open_keeps_its_last_bytes() {
    // Where a stateless reset has its token.
    for suite in [Suite::Aes128Gcm, Suite::ChaCha20Poly1305] {
        let key = AeadKey::from_bytes(suite, &[9; 32][..suite.key_len()]);
        let mut packet: [u8; 43] = core::array::from_fn(|i| i as u8);
        assert_eq!(key.open([1; 12], b"header", &mut packet), Err(Forged));
        assert!(packet[27..].iter().copied().eq(27..43), "{suite:?}");
    }
}

#[test]
fn secrets_do_not_print() {
    let seed = Secret32::from_bytes([0x41; 32]);
    let key = AgreementKey::from_secret(&seed);
    let printed = format!("{seed:?} {key:?} {:?}", SigningKey::from_seed(&seed));
    assert_eq!(printed, "Secret32(..) AgreementKey(..) SigningKey(..)");
}
