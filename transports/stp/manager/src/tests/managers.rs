//! The manager of an endpoint.

use super::*;

fn acme_file(n: u8, version: [u32; 3]) -> SignedManifest {
    signed(said_of(n, "acme", version), &[1])
}

fn refused(result: Result<Verdict, InstallError>) -> Reason {
    match result.expect_err("it is refused") {
        InstallError::Refused(verdict) => verdict.refused().expect("with a reason").clone(),
        InstallError::Forbidden(reason) => reason,
        other => panic!("{other}"),
    }
}

#[test]
fn what_a_peer_sends_is_kept_if_it_may_run_and_is_here_after_a_restart() {
    let folder = folder();
    let first = manager(&folder, acme(1, 1, ""));
    let question = Question::default();
    assert_eq!(first.answer_offer(&question, &[hash(1)], NOW), Answer::SendMe(hash(1)));
    let verdict = from_peer(&first, 1, Some(&acme_file(1, [1, 0, 0]))).expect("it is signed");
    assert_eq!((verdict.level, verdict.limits().is_some()), (Level::Signed, true));
    assert_eq!(first.answer_offer(&question, &[hash(1)], NOW), Answer::Ok(hash(1)));
    assert_eq!(first.module(&hash(1)), Ok(module(1)));
    drop(first);
    let again = manager(&folder, acme(1, 1, ""));
    assert_eq!(again.answer_offer(&question, &[hash(1)], NOW), Answer::Ok(hash(1)));
    assert_eq!(again.manifest(&hash(1)), Some(acme_file(1, [1, 0, 0]).to_vec()));
    assert_eq!(again.look(|_, known| known.index.module(&hash(1)).map(|it| it.origin.clone())), {
        Some(Origin::Peer(peer(1)))
    });
}

#[test]
fn what_a_peer_sends_and_may_not_run_is_not_kept_nor_asked_for_again() {
    let folder = folder();
    let manager = manager(&folder, acme(1, 1, ""));
    let question = Question::default();
    assert_eq!(refused(from_peer(&manager, 1, None)), Reason::NotSigned { signatures: 0, threshold: 1 });
    assert!(manager.module(&hash(1)).is_err());
    assert_eq!(manager.answer_offer(&question, &[hash(1)], NOW), Answer::No);
    assert_eq!(manager.decide(&question, &hash(1), NOW).refused(), Some(&Reason::RefusedBefore));
    manager.reload().expect("it can be read");
    assert_eq!(manager.answer_offer(&question, &[hash(1)], NOW), Answer::No, "control: nothing is new");
    super::manager(&folder, acme(1, 1, "")).pin(hash(9), true).expect("written");
    manager.reload().expect("it can be read");
    assert_eq!(manager.answer_offer(&question, &[hash(1)], NOW), Answer::SendMe(hash(1)), "with what is new, it may");
    refused(from_peer(&manager, 1, None));
    manager.set_policy(acme(1, 1, "accept = \"any\""));
    assert_eq!(manager.answer_offer(&question, &[hash(1)], NOW), Answer::SendMe(hash(1)), "by another policy, too");
}

#[test]
fn who_sends_code_with_nothing_said_of_it_or_a_lie_has_it_refused_of_nobody_else() {
    let folder = folder();
    let manager = manager(&folder, acme(1, 1, ""));
    let of = |n| Question { peer: Some(peer(n)), ..Question::default() };
    let lie = signed(Manifest { kind: Kind::Messages, ..said_of(1, "acme", [1, 0, 0]) }, &[5]).to_vec();
    let bytes = module(1);
    for (n, kind, manifest) in [(1, Kind::Transport, None), (2, Kind::Messages, Some(&lie[..]))] {
        let origin = Origin::Peer(peer(n));
        let arrived = Arrived { bytes: &bytes, kind, manifest, origin: &origin };
        refused(manager.foresee(hash(1), &arrived, &of(n), NOW));
        assert_eq!(manager.answer_offer(&of(n), &[hash(1)], NOW), Answer::No, "it is not asked again");
        assert_eq!(manager.answer_offer(&of(3), &[hash(1)], NOW), Answer::SendMe(hash(1)));
        assert_eq!(manager.decide(&of(3), &hash(1), NOW).outcome, Outcome::Fetch);
    }
    let said = acme_file(1, [1, 0, 0]);
    let installed =
        arrive(1, Some(&said), &Origin::Peer(peer(3)), |arrived| manager.install(&hash(1), arrived, &of(3), NOW));
    installed.expect("it is signed");
    assert_eq!(manager.answer_offer(&of(1), &[hash(1)], NOW), Answer::Ok(hash(1)), "it is here, and runs for all");
}

#[test]
fn bytes_of_another_hash_than_was_asked_for_are_refused_and_may_come_from_somebody_else() {
    let folder = folder();
    let manager = manager(&folder, acme(1, 1, ""));
    let said = acme_file(1, [1, 0, 0]).to_vec();
    let (other, origin) = (module(2), Origin::Peer(peer(1)));
    let arrived = Arrived { bytes: &other, kind: Kind::Transport, manifest: Some(&said), origin: &origin };
    let installed = manager.install(&hash(1), &arrived, &Question::default(), NOW);
    assert_eq!(installed, Err(InstallError::WrongHash { found: hash(2) }));
    assert_eq!(manager.answer_offer(&Question::default(), &[hash(1)], NOW), Answer::SendMe(hash(1)));
    from_peer(&manager, 1, Some(&acme_file(1, [1, 0, 0]))).expect("control");
}

#[test]
fn code_is_taken_from_where_the_rule_says_whether_or_not_it_was_asked_for() {
    let origins = [Origin::Peer(peer(1)), Origin::Host("a".to_owned()), Origin::Host("b".to_owned())];
    let said = acme_file(1, [1, 0, 0]);
    for (sources, taken) in [
        ("[\"peer\"]", [true, false, false]),
        ("[\"host:a\"]", [false, true, false]),
        ("[\"file\", \"host:b\", \"peer\"]", [true, false, true]),
    ] {
        let came = [0, 1, 2].map(|at: usize| {
            let folder = folder();
            let manager = manager(&folder, acme(1, 1, &format!("sources = {sources}")));
            arrive(1, Some(&said), &origins[at], |arrived| {
                manager.install(&hash(1), arrived, &Question::default(), NOW).is_ok()
            })
        });
        assert_eq!(came, taken, "{sources}");
        let folder = folder();
        let manager = manager(&folder, acme(1, 1, &format!("sources = {sources}")));
        let by_hand = by_hand(&manager, 1, Some(&said));
        assert_eq!(by_hand.is_ok(), sources.contains("file"), "{sources}");
    }
}

#[test]
fn a_manifest_of_other_code_or_with_a_bad_signature_is_refused() {
    let folder = folder();
    let manager = manager(&folder, acme(1, 1, ""));
    let other = from_peer(&manager, 2, Some(&acme_file(1, [1, 0, 0])));
    assert_eq!(other, Err(InstallError::Manifest(ManifestError::OtherCode { named: hash(1) })));
    let mut bad = acme_file(1, [1, 0, 0]);
    bad.signatures[0].bytes[0] ^= 1;
    let bad = from_peer(&manager, 1, Some(&bad));
    assert_eq!(bad, Err(InstallError::Manifest(ManifestError::BadSignature(publisher(1).public()))));
}

#[test]
fn an_older_version_does_not_come_back_even_when_the_newer_is_gone() {
    let folder = folder();
    let first = manager(&folder, acme(1, 1, ""));
    from_peer(&first, 1, Some(&acme_file(1, [1, 0, 0]))).expect("it is signed");
    from_peer(&first, 2, Some(&acme_file(2, [1, 1, 0]))).expect("it is newer");
    let question = Question::default();
    assert_eq!(first.answer_offer(&question, &[hash(1)], NOW), Answer::No, "the old one does not run any more");
    first.remove(&hash(1)).expect("it is here");
    first.remove(&hash(2)).expect("it is here");
    drop(first);
    let again = manager(&folder, acme(1, 1, ""));
    let downgrade = Reason::Downgrade { has: Version([1, 1, 0]) };
    assert_eq!(refused(from_peer(&again, 1, Some(&acme_file(1, [1, 0, 0])))), downgrade);
    assert_eq!(refused(by_hand(&again, 1, Some(&acme_file(1, [1, 0, 0])))), downgrade, "nor by hand");
    let twin = Reason::Substituted { by: hash(2) };
    assert_eq!(refused(from_peer(&again, 3, Some(&acme_file(3, [1, 1, 0])))), twin);
    again.pin(hash(1), true).expect("written");
    by_hand(&again, 1, Some(&acme_file(1, [1, 0, 0]))).expect("it is pinned");
    assert_eq!(again.answer_offer(&question, &[hash(1)], NOW), Answer::Ok(hash(1)));
}

#[test]
fn what_comes_by_hand_is_kept_and_the_verdict_says_whether_it_runs() {
    let folder = folder();
    let manager = manager(&folder, acme(1, 1, ""));
    let verdict = by_hand(&manager, 1, None).expect("it is kept");
    assert_eq!(verdict.refused(), Some(&Reason::NotSigned { signatures: 0, threshold: 1 }));
    manager.pin(hash(1), true).expect("written");
    assert!(manager.decide(&Question::default(), &hash(1), NOW).limits().is_some());
    manager.pin(hash(1), false).expect("written");
    assert!(manager.decide(&Question::default(), &hash(1), NOW).limits().is_none());
}

#[test]
fn a_violation_counts_at_once_and_after_a_restart() {
    let folder = folder();
    let first = manager(&folder, acme(1, 1, ""));
    from_peer(&first, 1, Some(&acme_file(1, [1, 0, 0]))).expect("it is signed");
    for _ in 0..3 {
        assert!(first.decide(&Question::default(), &hash(1), NOW).limits().is_some());
        first.record(&hash(1), Violation::Trapped, NOW);
    }
    let out = |manager: &Manager| {
        matches!(manager.decide(&Question::default(), &hash(1), NOW).refused(), Some(Reason::Offender { .. }))
    };
    assert!(out(&first), "before it is written down");
    first.reload().expect("it can be read");
    assert!(out(&first), "what waits counts still");
    first.save().expect("written");
    drop(first);
    let again = manager(&folder, acme(1, 1, ""));
    assert!(out(&again));
    again.unflag(hash(1)).expect("written");
    assert!(!out(&again) && !out(&manager(&folder, acme(1, 1, ""))));
}

#[test]
fn a_flag_a_pin_and_a_list_of_another_process_are_seen_after_a_reload() {
    let folder = folder();
    let (one, other) = (manager(&folder, acme(1, 1, "")), manager(&folder, acme(1, 1, "")));
    from_peer(&one, 1, Some(&acme_file(1, [1, 0, 0]))).expect("it is signed");
    assert_eq!(other.answer_offer(&Question::default(), &[hash(1)], NOW), Answer::SendMe(hash(1)));
    other.reload().expect("it can be read");
    assert_eq!(other.answer_offer(&Question::default(), &[hash(1)], NOW), Answer::Ok(hash(1)));
    one.flag(hash(1), "slow").expect("written");
    other.reload().expect("it can be read");
    assert_eq!(other.answer_offer(&Question::default(), &[hash(1)], NOW), Answer::No);
    other.unflag(hash(1)).expect("written");
    let mut list = RevocationList::new(publisher(1).public());
    list.number = 1;
    list.revoke(hash(1)).expect("there is room");
    other.revoke(list.clone().sign(&publisher(1))).expect("its key is the publisher's");
    one.reload().expect("it can be read");
    assert_eq!(one.decide(&Question::default(), &hash(1), NOW).refused(), Some(&Reason::Revoked));
    assert_eq!(refused(by_hand(&one, 1, None)), Reason::Revoked, "not even by hand");
    let stranger = RevocationList { issuer: publisher(5).public(), ..list }.sign(&publisher(5));
    let refused = one.revoke(stranger).expect_err("nobody knows it");
    assert_eq!(refused, StoreError::Revocation(RevocationError::Stranger(publisher(5).public())));
}

#[test]
fn what_is_used_stays_when_room_is_made() {
    let folder = folder();
    let manager = manager(&folder, acme(1, 1, ""));
    for n in 1..=3 {
        by_hand(&manager, n, None).expect("it is kept");
    }
    manager.used(&hash(1), NOW + 5);
    manager.save().expect("written");
    manager.pin(hash(2), true).expect("written");
    manager.collect(module(1).len() as u64 * 2).expect("written");
    let left: Vec<_> = manager.look(|_, known| known.index.modules().map(|(hash, _)| *hash).collect());
    let mut wanted = [hash(1), hash(2)];
    wanted.sort();
    assert_eq!(left, wanted, "the one that was not used and is not pinned has gone");
}

#[test]
fn a_module_that_is_installed_again_without_a_manifest_keeps_what_is_said_of_it() {
    let folder = folder();
    let first = manager(&folder, acme(1, 1, ""));
    let (older, newer) = (acme_file(1, [1, 0, 0]), acme_file(1, [1, 1, 0]));
    by_hand(&first, 1, Some(&older)).expect("it is signed");
    let again = by_hand(&first, 1, None).expect("it is here");
    assert_eq!((again.level, first.manifest(&hash(1))), (Level::Signed, Some(older.to_vec())));
    by_hand(&first, 1, Some(&newer)).expect("it is signed");
    assert_eq!(first.manifest(&hash(1)), Some(newer.to_vec()), "control: another one takes its place");
    // One that this manager has not seen come.
    let other = manager(&folder, acme(1, 1, ""));
    by_hand(&first, 2, Some(&acme_file(2, [1, 2, 0]))).expect("it is signed");
    by_hand(&other, 2, None).expect("it is here");
    drop((first, other));
    let restarted = manager(&folder, acme(1, 1, ""));
    assert_eq!(restarted.manifest(&hash(1)), Some(newer.to_vec()));
    assert_eq!(restarted.manifest(&hash(2)), Some(acme_file(2, [1, 2, 0]).to_vec()));
}

#[test]
fn a_pin_and_compiled_code_come_with_what_is_installed_by_hand_and_a_pin_lets_an_old_version_in() {
    let folder = folder();
    let manager = manager(&folder, acme(1, 1, ""));
    by_hand(&manager, 2, Some(&acme_file(2, [1, 1, 0]))).expect("it is signed");
    let old = acme_file(1, [1, 0, 0]);
    let install = |pin| {
        let by_hand = ByHand { pin, compiled: Some(("tag", b"code")) };
        arrive(1, Some(&old), &Origin::File(String::new()), |arrived| {
            manager.install_by_hand(arrived, by_hand, &Question::default(), NOW)
        })
    };
    assert!(matches!(refused(install(false)), Reason::Downgrade { .. }));
    assert_eq!(manager.look(|_, known| known.index.pins().count()), 0);
    assert_eq!(manager.store().compiled(&hash(1), "tag"), Ok(None));
    assert_eq!(install(true).expect("it is pinned").level, Level::Pinned);
    assert_eq!(manager.store().compiled(&hash(1), "tag"), Ok(Some(b"code".to_vec())));
}
