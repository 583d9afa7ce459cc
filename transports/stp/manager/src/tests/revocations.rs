use tng_wire::battery;

use super::*;

fn list(by: u8, number: u64, hashes: &[u8], keys: &[u8]) -> SignedRevocations {
    let mut list = RevocationList::new(publisher(by).public());
    list.number = number;
    hashes.iter().for_each(|n| list.revoke(hash(*n)).expect("there is room"));
    keys.iter().for_each(|n| list.revoke_key(publisher(*n).public()).expect("there is room"));
    list.sign(&publisher(by))
}

#[test]
fn a_list_that_was_signed_is_read_and_a_change_of_any_bit_is_refused() {
    for signed in [list(1, 0, &[], &[]), list(1, 300, &[3, 1, 2, 1], &[9, 8])] {
        battery::round_trip(&signed);
        let good = signed.to_vec();
        assert_eq!(SignedRevocations::read(&good), Ok(signed));
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let refused = SignedRevocations::read(&bad).expect_err("it was changed");
            assert!(matches!(refused, RevocationError::Malformed | RevocationError::BadSignature), "bit {bit}");
        }
        assert_eq!(SignedRevocations::read(&[&good[..], &[0]].concat()), Err(RevocationError::Malformed));
    }
}

#[test]
fn the_highest_number_is_remembered_and_an_older_list_is_refused() {
    let mut all = Revocations::default();
    assert_eq!(all.accept(list(1, 7, &[1], &[])), Ok(()));
    assert_eq!(all.accept(list(1, 7, &[1, 2], &[])), Err(RevocationError::Old { here: 7 }));
    assert_eq!(all.accept(list(1, 6, &[1, 2], &[])), Err(RevocationError::Old { here: 7 }));
    assert_eq!(all.accept(list(2, 1, &[3], &[])), Ok(()), "another key has numbers of its own");
    assert_eq!(all.accept(list(1, 8, &[1, 2], &[])), Ok(()));
    let keys = [publisher(1).public()];
    assert!(all.takes_back(&hash(2), &keys) && !all.takes_back(&hash(3), &keys), "whose list it is counts");
}

#[test]
fn nothing_is_taken_off_a_list_again() {
    let mut all = Revocations::default();
    all.accept(list(1, 1, &[1], &[5])).expect("it is new");
    assert_eq!(all.accept(list(1, 2, &[2], &[5])), Err(RevocationError::Shrunk));
    assert_eq!(all.accept(list(1, 2, &[1], &[])), Err(RevocationError::Shrunk));
    assert!(all.takes_back_key(&publisher(5).public(), &[publisher(1).public()]), "and it is so still");
}

#[test]
fn a_key_is_taken_back_in_both_its_forms() {
    let mut all = Revocations::default();
    all.accept(list(1, 1, &[], &[5])).expect("it is new");
    let mut bytes = *publisher(5).public().as_bytes();
    bytes[31] ^= 0x80;
    assert!(all.takes_back_key(&PublisherKey::from_bytes(bytes), &[publisher(1).public()]));
}

#[test]
fn a_list_and_the_keys_whose_lists_are_kept_are_bounded() {
    let mut list = RevocationList::new(publisher(1).public());
    for n in 0..1_024_u32 {
        list.revoke(code_hash(&n.to_be_bytes())).expect("there is room");
    }
    assert_eq!(list.revoke(hash(1)), Err(RevocationError::Full));
    for n in 0..64 {
        list.revoke_key(publisher(n).public()).expect("there is room");
    }
    assert_eq!(list.revoke_key(publisher(99).public()), Err(RevocationError::Full));
    let bytes = list.sign(&publisher(1)).to_vec();
    SignedRevocations::read(&bytes).expect("a full list can be read");
    let mut all = Revocations::default();
    for n in 0..64 {
        all.accept(super::revocations::list(n, 1, &[], &[])).expect("there is room");
    }
    assert_eq!(all.accept(super::revocations::list(99, 1, &[], &[])), Err(RevocationError::TooMany));
}
