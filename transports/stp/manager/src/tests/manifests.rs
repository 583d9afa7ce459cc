use tng_wire::battery;

use super::*;

#[test]
fn a_manifest_that_was_signed_is_read_with_its_signers_whatever_it_says() {
    for (kind, cap, expires) in [
        (Kind::Controller, Cap::Equation, None),
        (Kind::Transport, Cap::Modern, Some(NOW)),
        (Kind::Messages, Cap::Equation, Some(tng_wire::VARINT_MAX)),
    ] {
        for signers in [&[][..], &[1], &[3, 1, 2], &[1, 2, 3, 4, 5, 6, 7, 8]] {
            let wants = Wants { cap, memory: 1 << 40, fuel: 7 };
            let manifest = Manifest { kind, wants, expires_unix_s: expires, ..said_of(1, "a-b_c.9", [1, 0, 70_000]) };
            let signed = signed(manifest, signers);
            battery::round_trip(&signed);
            let read = SignedManifest::read_of(&signed.to_vec(), &hash(1), kind).expect("it is good");
            assert_eq!((&read, read.signers().count()), (&signed, signers.len()));
            assert!(read.wire_len() <= MANIFEST_MAX);
        }
    }
}

#[test]
fn a_change_of_any_bit_of_a_signed_manifest_is_refused_with_a_reason() {
    let good = signed(said_of(1, "acme", [1, 2, 3]), &[1, 2]).to_vec();
    SignedManifest::read(&good).expect("control: it is good");
    for bit in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        let refused = SignedManifest::read(&bad).expect_err("it was changed");
        assert!(matches!(refused, ManifestError::Malformed | ManifestError::BadSignature(_)), "bit {bit}: {refused}");
    }
    for more in [&[0][..], &good] {
        assert_eq!(SignedManifest::read(&[&good, more].concat()), Err(ManifestError::Malformed), "more behind it");
    }
}

#[test]
fn a_manifest_of_other_code_or_of_another_kind_is_told_from_one_of_this() {
    let signed = signed(said_of(1, "acme", [1, 0, 0]), &[1]).to_vec();
    let other = SignedManifest::read_of(&signed, &hash(2), Kind::Transport);
    assert_eq!(other, Err(ManifestError::OtherCode { named: hash(1) }));
    let kind = SignedManifest::read_of(&signed, &hash(1), Kind::Messages);
    assert_eq!(kind, Err(ManifestError::OtherKind(Kind::Transport)));
}

#[test]
fn a_signature_of_a_manifest_is_good_under_no_other_and_for_no_revocation() {
    let mut moved = signed(said_of(1, "acme", [1, 0, 0]), &[1]);
    moved.manifest.version = Version([2, 0, 0]);
    assert_eq!(SignedManifest::read(&moved.to_vec()), Err(ManifestError::BadSignature(publisher(1).public())));
    let mut stolen = signed(said_of(1, "acme", [1, 0, 0]), &[1]);
    stolen.signatures[0].key = publisher(2).public();
    assert_eq!(SignedManifest::read(&stolen.to_vec()), Err(ManifestError::BadSignature(publisher(2).public())));
}

#[test]
fn who_signs_again_takes_the_place_of_the_signature_and_a_ninth_finds_none() {
    let mut full = signed(said_of(1, "acme", [1, 0, 0]), &[1, 2, 3, 4, 5, 6, 7, 8]);
    full.sign(&publisher(3)).expect("it has a place");
    assert_eq!(full.signers().count(), SIGNATURES_MAX);
    assert_eq!(full.sign(&publisher(9)), Err(ManifestError::TooMany));
}

#[test]
fn a_signature_that_is_there_twice_is_malformed_so_that_nobody_counts_twice() {
    let mut twice = signed(said_of(1, "acme", [1, 0, 0]), &[1]);
    let again = twice.signatures[0];
    twice.signatures.push(again);
    assert_eq!(SignedManifest::read(&twice.to_vec()), Err(ManifestError::Malformed));
}

#[test]
fn versions_are_ordered_as_numbers_and_names_are_plain() {
    let version = |text: &str| text.parse::<Version>();
    assert!(Version([1, 10, 0]) > Version([1, 9, 9]) && Version([2, 0, 0]) > Version([1, 99, 99]));
    assert_eq!(version("0.0.7").map(|it| it.to_string()), Ok("0.0.7".to_owned()));
    for text in ["", "1", "1.2", "1.2.3.4", "1.2.", "+1.0.0", "-1.0.0", "1.0.4294967296", "1.0.x", " 1.0.0"] {
        assert_eq!(version(text), Err(VersionError), "{text:?}");
    }
    for text in ["a", "tcp-sack", "x.1_2", &"n".repeat(NAME_MAX)] {
        assert_eq!(text.parse::<Name>().map(|name| name.to_string()), Ok(text.to_owned()));
    }
    for text in ["", "-a", ".a", "A", "a b", "ä", "a/b", &"n".repeat(NAME_MAX + 1)] {
        assert_eq!(text.parse::<Name>(), Err(NameError), "{text:?}");
    }
}
