//! The four scenarios of STP 3.3.1, and what both ends may prefer.

use super::*;

const FILES: Question<'static> = Question {
    purpose: Purpose::Carry,
    application: None,
    no_foreign: false,
    peer: None,
    service: "files",
    port: None,
};

/// Modules 1 to 3 are here, signed.
fn three() -> Knowledge {
    let of = |n: u8| (n, Some(signed(said_of(n, &format!("t{n}"), [1, 0, 0]), &[1])));
    knowing(&[of(1), of(2), of(3)])
}

fn answer(policy: &Policy, known: &Knowledge, offered: &[u8]) -> Answer {
    let offered: Vec<_> = offered.iter().map(|n| hash(*n)).collect();
    answer_offer(policy, known, &FILES, &offered, NOW)
}

#[test]
fn what_is_here_and_allowed_is_agreed_to_in_the_offerers_order() {
    let policy = acme(1, 1, "");
    assert_eq!(answer(&policy, &three(), &[1]), Answer::Ok(hash(1)));
    assert_eq!(answer(&policy, &three(), &[3, 1, 2]), Answer::Ok(hash(3)));
    assert_eq!(answer(&policy, &three(), &[9, 2]), Answer::Ok(hash(2)), "here goes before what must come first");
}

#[test]
fn what_is_allowed_and_not_here_is_asked_for() {
    let policy = acme(1, 1, "");
    assert_eq!(answer(&policy, &three(), &[8, 9]), Answer::SendMe(hash(8)));
    assert_eq!(answer(&acme(1, 1, "sources = \"file\""), &three(), &[8, 9]), Answer::No);
}

#[test]
fn what_is_to_come_from_a_host_alone_is_sought_there_and_the_peer_is_not_asked() {
    let policy = acme(1, 1, "sources = [\"file\", \"host:attic\"]");
    assert_eq!(answer(&policy, &three(), &[8, 9]), Answer::Seek(hash(8)));
    assert_eq!(answer(&policy, &three(), &[8, 1]), Answer::Ok(hash(1)), "here goes before what must come first");
    let both = acme(1, 1, "sources = [\"host:attic\", \"peer\"]");
    assert_eq!(answer(&both, &three(), &[8]), Answer::SendMe(hash(8)), "the peer that has it comes first");
    assert_eq!(policy.rule(&FILES).hosts().collect::<Vec<_>>(), ["attic"]);
}

#[test]
fn what_is_not_allowed_is_refused() {
    assert_eq!(answer(&acme(1, 1, "accept = \"none\""), &three(), &[1, 2, 8]), Answer::No);
    assert_eq!(answer(&acme(1, 1, "accept = \"pinned\""), &three(), &[1, 2, 8]), Answer::No);
    assert_eq!(answer(&acme(1, 1, ""), &three(), &[]), Answer::No, "and nothing was offered here");
    let mut flagged = three();
    flagged.index.flags.insert(hash(1), String::new());
    assert_eq!(answer(&acme(1, 1, ""), &flagged, &[1]), Answer::No);
}

#[test]
fn what_this_hosts_rule_prefers_is_used_if_it_is_here_and_allowed() {
    let policy = acme(1, 1, "prefer = [\"t9\", \"t2\", \"t3\"]");
    assert_eq!(answer(&policy, &three(), &[1]), Answer::Use(hash(2)));
    assert_eq!(answer(&policy, &three(), &[1, 2]), Answer::Ok(hash(2)), "it was offered, too");
    let mut flagged = three();
    flagged.index.flags.insert(hash(2), String::new());
    assert_eq!(answer(&policy, &flagged, &[1]), Answer::Use(hash(3)), "the next one is allowed");
    flagged.index.flags.insert(hash(3), String::new());
    assert_eq!(answer(&policy, &flagged, &[1]), Answer::Ok(hash(1)));
}

#[test]
fn what_carries_messages_is_neither_offered_nor_taken() {
    let policy = acme(1, 1, "prefer = [\"t1\", \"t2\"]");
    let mut known = three();
    known.index.modules.get_mut(&hash(1)).expect("here").kind = Kind::Messages;
    assert_eq!(offer(&policy, &known, &FILES, NOW), [hash(2)]);
    assert_eq!(answer(&policy, &known, &[1]), Answer::Use(hash(2)));
    assert_eq!(answer(&acme(1, 1, ""), &known, &[1]), Answer::No);
    assert_eq!(answer(&acme(1, 1, ""), &known, &[1, 3]), Answer::Ok(hash(3)));
    assert!(!settle_use(&policy, &known, &FILES, &hash(1), NOW));
}

#[test]
fn an_initiator_takes_what_the_responder_prefers_if_it_is_here_and_allowed() {
    let policy = acme(1, 1, "");
    assert!(settle_use(&policy, &three(), &FILES, &hash(2), NOW));
    assert!(!settle_use(&policy, &three(), &FILES, &hash(9), NOW), "it is not here");
    assert!(!settle_use(&acme(1, 1, "accept = \"none\""), &three(), &FILES, &hash(2), NOW));
}

#[test]
fn both_sides_preferring_another_come_to_the_responders_choice_or_to_the_default() {
    let (initiator, responder) = (acme(1, 1, "prefer = \"t1\""), acme(1, 1, "prefer = \"t2\""));
    let offered = offer(&initiator, &three(), &FILES, NOW);
    assert_eq!(offered, [hash(1)]);
    assert_eq!(answer_offer(&responder, &three(), &FILES, &offered, NOW), Answer::Use(hash(2)));
    assert!(settle_use(&initiator, &three(), &FILES, &hash(2), NOW));
    let lacks = knowing(&[(1, Some(signed(said_of(1, "t1", [1, 0, 0]), &[1])))]);
    assert!(!settle_use(&initiator, &lacks, &FILES, &hash(2), NOW), "and the default carries it");
}

#[test]
fn an_offer_is_what_the_rule_prefers_and_is_here_and_nothing_if_it_prefers_nothing() {
    assert_eq!(offer(&acme(1, 1, ""), &three(), &FILES, NOW), []);
    let policy = acme(1, 1, "prefer = [\"t3\", \"t9\", \"t1\", \"t3\"]");
    assert_eq!(offer(&policy, &three(), &FILES, NOW), [hash(3), hash(1)]);
}

#[test]
fn of_a_thousand_hashes_four_are_looked_at() {
    let policy = acme(1, 1, "");
    assert_eq!(answer(&acme(1, 1, "sources = \"file\""), &three(), &[9, 9, 9, 9, 1]), Answer::No);
    assert_eq!(answer(&policy, &three(), &[9, 8, 7, 1]), Answer::Ok(hash(1)), "control");
    let many: Vec<_> = (0..1_000_u32).map(|n| code_hash(&n.to_be_bytes())).collect();
    assert_eq!(answer_offer(&policy, &three(), &FILES, &many, NOW), Answer::SendMe(many[0]));
}
