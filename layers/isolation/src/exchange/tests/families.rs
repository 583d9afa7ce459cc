//! What is made to set up one thing sets up nothing else.

use tng_wire::{Repr, battery};

use super::*;
use crate::wire::{CookieAnswer, Reply, WrongKey};

const FAMILIES: [Family; 2] = [Family::Channel, Family::Trickles];

fn other(family: Family) -> Family {
    FAMILIES.into_iter().find(|it| *it != family).unwrap()
}

fn initiate(family: Family) -> Initiator {
    Initiator::new(family, &alice(), bob().eid(), opening(HARDWARE), &mut secrets(1)).unwrap()
}

fn read(family: Family, datagram: &[u8]) -> Result<Offer, OfferError> {
    Offer::read(&bob(), &Hello::parse(family, datagram).unwrap(), None)
}

/// The message under the first byte of the other family.
fn recast(family: Family, message: &[u8]) -> Vec<u8> {
    let mut recast = message.to_vec();
    recast[0] = other(family).first_byte(message[0] & 0x0f);
    assert_ne!(recast, message);
    recast
}

#[test]
fn every_family_has_its_exchange_under_first_bytes_of_its_own() {
    for (family, base) in [(Family::Channel, 0x00), (Family::Trickles, 0xa0)] {
        let initiator = initiate(family);
        assert_eq!(initiator.datagram()[0], base | 1);
        let (theirs, reply) = accept(read(family, initiator.datagram()).unwrap(), HARDWARE);
        assert_eq!(reply[0], base | 2);
        let (ours, _) = established(initiator.handle_reply(&reply));
        assert_eq!(ours.handshake_hash, theirs.handshake_hash);
    }
}

#[test]
fn an_init_of_one_family_is_none_of_another() {
    for family in FAMILIES {
        let initiator = initiate(family);
        assert!(Hello::parse(other(family), initiator.datagram()).is_err(), "its first byte says so");
        let mut forged = recast(family, initiator.datagram());
        assert!(Hello::parse(family, &forged).is_err());
        assert_eq!(read(other(family), &forged).err(), Some(OfferError::NotForUs), "its first MAC covers that byte");
        // An attacker that knows the EID, which is no secret, repairs the MAC.
        write_mac1(&mac1_key(&bob().eid()), &mut forged);
        assert_eq!(read(other(family), &forged).err(), Some(OfferError::Forged), "the exchange begins otherwise");
        assert!(read(family, initiator.datagram()).is_ok(), "control");
    }
}

#[test]
fn no_answer_of_one_family_is_taken_for_one_of_another() {
    for family in FAMILIES {
        let mut initiator = initiate(family);
        // Made with the same keys by the same generator, it differs in its family alone.
        let mut theirs = initiate(other(family));
        let init = initiator.datagram().to_vec();
        let hello = Hello::parse(family, &init).unwrap();
        let carol = Identity::from_seed([3; 32]);
        let cookie = cookie_answer(&bob(), family, HERE, crate::Cookie([7; 32]), &hello.fingerprint());
        let version = version_answer(&bob(), &hello, &[2]);
        let wrong = wrong_key(&carol, &hello);
        battery::round_trip(&cookie);
        battery::round_trip(&version);
        battery::round_trip(&wrong);

        let recasts = [emit(&cookie), emit(&version), emit(&wrong)].map(|answer| recast(family, &answer));
        for (to, answer) in [(&mut initiator, recasts), (&mut theirs, [emit(&cookie), emit(&version), emit(&wrong)])] {
            assert!(!to.handle_cookie(&answer[0]));
            assert_eq!(to.handle_version(&answer[1]), None);
            assert_eq!(to.handle_wrong_key(&answer[2]), None);
        }
        // Somebody who has seen the INIT, and says in the other family what is true in this one.
        let renamed = CookieAnswer { mac: [0; 16], family: other(family), ..cookie };
        assert!(!initiator.handle_cookie(&emit(&renamed)));
        assert_eq!(initiator.handle_wrong_key(&emit(&WrongKey { family: other(family), ..wrong })), None);

        let (_, reply) = accept(read(family, &init).unwrap(), HARDWARE);
        assert_eq!(Reply::parse(&mut tng_wire::Reader::new(&reply)).map(|reply| reply.family), Ok(family));
        ignored(theirs.handle_reply(&recast(family, &reply)));
        let mut initiator = ignored(initiator.handle_reply(&recast(family, &reply)));

        assert_eq!(initiator.handle_version(&emit(&version)), Some(vec![2]), "control");
        assert_eq!(initiator.handle_wrong_key(&emit(&wrong)), Some(carol.eid()), "control");
        assert!(initiator.handle_cookie(&emit(&cookie)), "control");
        established(initiator.handle_reply(&reply));
    }
}
