//! What a policy decides. Each reason has a control: without its cause the same code runs.

use super::*;

const FILES: Question<'static> = Question {
    purpose: Purpose::Carry,
    application: None,
    no_foreign: false,
    peer: None,
    service: "files",
    port: None,
};

fn outcome(policy: &Policy, known: &Knowledge, n: u8, now: u64) -> Outcome {
    policy.decide(known, &FILES, &hash(n), now).outcome
}

fn reason(policy: &Policy, known: &Knowledge, n: u8) -> Option<Reason> {
    policy.decide(known, &FILES, &hash(n), NOW).refused().cloned()
}

#[test]
fn an_acceptance_lets_run_what_has_its_level_and_what_has_more() {
    let mut known = knowing(&[(1, None), (2, Some(signed(said_of(2, "acme", [1, 0, 0]), &[1]))), (3, None)]);
    known.index.pins.insert(hash(3));
    let guest = |n: u8| BuiltIn { name: "sack".to_owned(), hash: hash(n), kind: Kind::Transport, bytes: &[] };
    known.built_in.push(guest(4));
    for (accept, runs) in [
        ("none", [false, false, false, false]),
        ("pinned", [false, false, true, true]),
        ("signed", [false, true, true, true]),
        ("any", [true, true, true, true]),
    ] {
        let policy = acme(2, 1, &format!("accept = {accept:?}"));
        let decided = [1, 2, 3, 4].map(|n| policy.decide(&known, &FILES, &hash(n), NOW));
        assert_eq!([0, 1, 2, 3].map(|at| decided[at].limits().is_some()), runs, "{accept}");
        assert!(decided.iter().all(|verdict| &*verdict.rule == "default"));
        let levels = [0, 1, 2, 3].map(|at| decided[at].level);
        assert_eq!(levels, [Level::Any, Level::Signed, Level::Pinned, Level::BuiltIn]);
    }
    assert_eq!(reason(&acme(1, 1, "accept = \"none\""), &known, 4), Some(Reason::AcceptsNone));
    assert_eq!(reason(&acme(1, 1, "accept = \"pinned\""), &known, 2), Some(Reason::NotPinned));
    let unsigned = Reason::NotSigned { signatures: 0, threshold: 1 };
    assert_eq!(reason(&acme(1, 1, ""), &known, 1), Some(unsigned));
}

#[test]
fn as_many_keys_of_one_publisher_must_have_signed_as_its_threshold_says() {
    let policy = acme(3, 2, "");
    for (signers, runs) in
        [(&[1][..], false), (&[1, 9], false), (&[7, 8, 9], false), (&[1, 3], true), (&[1, 2, 3], true)]
    {
        let known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), signers)))]);
        assert_eq!(matches!(outcome(&policy, &known, 1, NOW), Outcome::Run(_)), runs, "{signers:?}");
    }
    let known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[1])))]);
    assert_eq!(reason(&policy, &known, 1), Some(Reason::NotSigned { signatures: 1, threshold: 2 }));
    let mut two = acme(1, 1, "");
    two.publishers[0].threshold = 2;
    two.publishers.push(Publisher { name: "b".to_owned(), keys: vec![publisher(2).public()], threshold: 2 });
    let known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[1, 2])))]);
    assert!(reason(&two, &known, 1).is_some(), "keys of two publishers do not add up");
}

#[test]
fn code_has_what_it_wants_and_no_more_than_its_level_may_have() {
    let wanting = |memory, fuel, cap| Manifest { wants: Wants { cap, memory, fuel }, ..said_of(1, "acme", [1, 0, 0]) };
    let policy = acme(1, 1, "accept = \"any\"\n[limits.signed]\nmemory = \"8MiB\"\nfuel = 5_000_000\n");
    let limits = |manifest: Manifest, by: &[u8]| {
        let known = knowing(&[(1, Some(signed(manifest, by)))]);
        *policy.decide(&known, &FILES, &hash(1), NOW).limits().expect("it runs")
    };
    let greedy = wanting(1 << 40, 1 << 40, Cap::Modern);
    assert_eq!(limits(greedy.clone(), &[1]), Limits { memory: 8 << 20, fuel: 5_000_000, cap: Cap::Modern });
    let any = policy.limits.any;
    assert_eq!(limits(greedy, &[9]), any, "what nobody vouches for is held to the equation, whatever it wants");
    let modest = wanting(1 << 20, 1_000, Cap::Equation);
    assert_eq!(limits(modest, &[1]), Limits { memory: 1 << 20, fuel: 1_000, cap: Cap::Equation });
}

#[test]
fn what_a_publisher_has_taken_back_does_not_run_even_if_it_is_pinned() {
    let mut known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[1])))]);
    known.index.pins.insert(hash(1));
    let policy = acme(2, 1, "");
    assert_eq!(reason(&policy, &known, 1), None, "control");
    let mut list = RevocationList::new(publisher(9).public());
    list.number = 1;
    list.revoke(hash(1)).expect("there is room");
    known.revocations.accept(list.sign(&publisher(9))).expect("it is new");
    assert_eq!(reason(&policy, &known, 1), None, "a stranger takes nothing back");
    let mut list = RevocationList::new(publisher(2).public());
    list.number = 1;
    list.revoke(hash(1)).expect("there is room");
    known.revocations.accept(list.sign(&publisher(2))).expect("it is new");
    assert_eq!(reason(&policy, &known, 1), Some(Reason::Revoked));
}

#[test]
fn signatures_of_a_key_that_was_taken_back_do_not_count() {
    let mut known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[1, 2])))]);
    let (one, two) = (acme(3, 1, ""), acme(3, 2, ""));
    assert_eq!((reason(&one, &known, 1), reason(&two, &known, 1)), (None, None), "control");
    let mut list = RevocationList::new(publisher(3).public());
    list.number = 1;
    list.revoke_key(publisher(1).public()).expect("there is room");
    known.revocations.accept(list.sign(&publisher(3))).expect("it is new");
    assert_eq!(reason(&one, &known, 1), None, "there is another key's signature");
    assert_eq!(reason(&two, &known, 1), Some(Reason::KeyRevoked(publisher(1).public())));
}

#[test]
fn signatures_end_and_a_clock_that_was_never_set_shows() {
    let known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[1])))]);
    let (policy, any) = (acme(1, 1, ""), acme(1, 1, "accept = \"any\""));
    let end = NOW + DAY;
    let expired = Outcome::Refuse(Reason::Expired { at_unix_s: end });
    assert!(matches!(outcome(&policy, &known, 1, end - 1), Outcome::Run(_)), "control");
    assert_eq!(outcome(&policy, &known, 1, end), expired);
    assert_eq!(outcome(&any, &known, 1, end), expired, "what its publisher says counts, whatever a rule accepts");
    assert_eq!(outcome(&policy, &known, 1, 1_000), Outcome::Refuse(Reason::Clock));
    let mut pinned = known;
    pinned.index.pins.insert(hash(1));
    assert!(matches!(outcome(&policy, &pinned, 1, end), Outcome::Run(_)), "who names the hash needs no signature");
}

#[test]
fn a_lower_version_than_has_been_here_is_refused_unless_this_user_pins_it() {
    let old = signed(said_of(1, "acme", [1, 0, 0]), &[1]);
    let mut known = knowing(&[(1, Some(old))]);
    let policy = acme(2, 1, "");
    assert_eq!(reason(&policy, &known, 1), None, "control");
    // Another key of the same publisher signs the next one, and that is gone again.
    known.index.keep_marks(&signed(said_of(2, "acme", [1, 0, 1]), &[2]), |_| true).expect("there is room");
    let downgrade = Reason::Downgrade { has: Version([1, 0, 1]) };
    assert_eq!(reason(&policy, &known, 1), Some(downgrade.clone()));
    assert_eq!(reason(&acme(2, 1, "accept = \"any\""), &known, 1), Some(downgrade));
    assert_eq!(reason(&acme(1, 1, ""), &known, 1), None, "another publisher's versions are its own");
    known.index.pins.insert(hash(1));
    assert_eq!(reason(&policy, &known, 1), None);
}

#[test]
fn other_code_with_the_same_name_and_version_is_refused() {
    let mut known = knowing(&[(2, Some(signed(said_of(2, "acme", [1, 0, 0]), &[1])))]);
    let policy = acme(1, 1, "");
    let twin = signed(said_of(1, "acme", [1, 0, 0]), &[1]);
    known.index.modules.insert(hash(1), entry(1, Origin::Peer(peer(1)), Some(twin)));
    assert_eq!(reason(&policy, &known, 1), Some(Reason::Substituted { by: hash(2) }));
    assert_eq!(reason(&policy, &known, 2), None, "control");
}

#[test]
fn a_stolen_key_that_was_taken_back_keeps_no_version_out() {
    let mut known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[2])))]);
    let stolen = signed(said_of(9, "acme", [u32::MAX, 0, 0]), &[1]);
    known.index.keep_marks(&stolen, |_| true).expect("there is room");
    let policy = acme(2, 1, "");
    assert!(matches!(reason(&policy, &known, 1), Some(Reason::Downgrade { .. })), "control");
    let mut list = RevocationList::new(publisher(2).public());
    list.number = 1;
    list.revoke_key(publisher(1).public()).expect("there is room");
    known.revocations.accept(list.sign(&publisher(2))).expect("it is new");
    assert_eq!(reason(&policy, &known, 1), None);
}

#[test]
fn who_goes_wrong_too_often_is_out_for_a_time_and_who_is_forgiven_is_in() {
    let mut known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[1])))]);
    let policy = acme(1, 1, "[violations]\nmost = 2\nwithin = \"1d\"\nout = \"3d\"\n");
    known.history.add(hash(1), Violation::Trapped, NOW - 3 * DAY);
    known.history.add(hash(1), Violation::Trapped, NOW);
    assert_eq!(reason(&policy, &known, 1), None, "control: they lie too far apart");
    known.history.add(hash(1), Violation::Cpu, NOW + 10);
    let until = NOW + 10 + 3 * DAY;
    let out = |now| matches!(outcome(&policy, &known, 1, now), Outcome::Refuse(Reason::Offender { .. }));
    assert!(out(NOW + 10) && out(until - 1));
    let mut late = known.clone();
    late.index.modules.get_mut(&hash(1)).expect("here").manifest =
        Some(signed(Manifest { expires_unix_s: None, ..said_of(1, "acme", [1, 0, 0]) }, &[1]));
    assert!(matches!(policy.decide(&late, &FILES, &hash(1), until).outcome, Outcome::Run(_)), "and then it is in");
    assert!(out(NOW - 100 * DAY), "a clock that was set back does not forgive");
    known.history.forgive(&hash(1));
    assert_eq!(reason(&policy, &known, 1), None);
}

#[test]
fn what_the_user_flags_does_not_run_though_somebody_vouches_for_it() {
    let mut known = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[1])))]);
    known.index.pins.insert(hash(1));
    known.built_in.push(BuiltIn { name: "b".to_owned(), hash: hash(2), kind: Kind::Transport, bytes: &[] });
    let policy = acme(1, 1, "accept = \"any\"");
    assert_eq!((reason(&policy, &known, 1), reason(&policy, &known, 2)), (None, None), "control");
    for n in [1, 2] {
        known.index.flags.insert(hash(n), "stalls".to_owned());
        assert_eq!(reason(&policy, &known, n), Some(Reason::Flagged { note: "stalls".to_owned() }));
    }
}

#[test]
fn an_application_or_a_rule_that_forbids_foreign_code_has_what_this_user_put_here() {
    let manifest = || Some(signed(said_of(1, "acme", [1, 0, 0]), &[1]));
    let strict = Question { no_foreign: true, ..FILES };
    let (policy, rule) = (acme(1, 1, ""), acme(1, 1, "foreign = false"));
    for (origin, foreign) in [
        (Origin::File(String::new()), false),
        (Origin::Peer(peer(1)), true),
        (Origin::Host("a".to_owned()), true),
        (Origin::Unknown, true),
    ] {
        let mut known = knowing(&[]);
        known.index.modules.insert(hash(1), entry(1, origin, manifest()));
        assert_eq!(reason(&policy, &known, 1), None, "control");
        let by_application = policy.decide(&known, &strict, &hash(1), NOW).refused().cloned();
        assert_eq!(by_application, foreign.then_some(Reason::ForeignToApplication));
        assert_eq!(reason(&rule, &known, 1), foreign.then_some(Reason::ForeignToRule));
    }
    let absent = policy.decide(&knowing(&[]), &strict, &hash(1), NOW).outcome;
    assert_eq!(absent, Outcome::Refuse(Reason::ForeignToApplication), "what would come from a peer is foreign");
}

#[test]
fn what_is_not_here_is_fetched_if_it_may_be_signed_and_the_rule_has_peers_as_a_source() {
    let known = knowing(&[]);
    let absent = |rest: &str| outcome(&acme(1, 1, rest), &known, 1, NOW);
    assert_eq!((absent(""), absent("accept = \"any\"")), (Outcome::Fetch, Outcome::Fetch));
    assert_eq!(absent("accept = \"pinned\""), Outcome::Refuse(Reason::NotPinned));
    let pinned = format!("accept = \"pinned\"\npins = [\"{}\"]", hash(1));
    assert_eq!(absent(&pinned), Outcome::Fetch);
    assert_eq!(absent("accept = \"none\""), Outcome::Refuse(Reason::AcceptsNone));
    assert_eq!(absent("sources = \"file\""), Outcome::Refuse(Reason::NotFromPeers));
    let mut flagged = known.clone();
    flagged.index.flags.insert(hash(1), String::new());
    assert!(matches!(reason(&acme(1, 1, ""), &flagged, 1), Some(Reason::Flagged { .. })), "of a hash alone");
}

#[test]
fn controllers_and_code_of_another_border_are_told() {
    let policy = acme(1, 1, "accept = \"any\"");
    let mut known = knowing(&[(1, None)]);
    known.index.modules.get_mut(&hash(1)).expect("here").kind = Kind::Controller;
    assert_eq!(reason(&policy, &known, 1), Some(Reason::NoTransport(Kind::Controller)));
    known.index.modules.get_mut(&hash(1)).expect("here").kind = Kind::Messages;
    assert_eq!(reason(&policy, &known, 1), Some(Reason::NoTransport(Kind::Messages)), "what is agreed on is a stream");
    let other = Manifest { abi: ABI_VERSION + 1, ..said_of(2, "acme", [1, 0, 0]) };
    let known = knowing(&[(2, Some(signed(other, &[1])))]);
    assert_eq!(reason(&policy, &known, 2), Some(Reason::Version { found: ABI_VERSION + 1 }));
}

#[test]
fn a_controller_regulates_if_somebody_vouches_for_it_and_what_carries_does_not() {
    let regulating = Question { purpose: Purpose::Regulate, service: "", ..FILES };
    let reason =
        |policy: &Policy, known: &Knowledge, n| policy.decide(known, &regulating, &hash(n), NOW).refused().cloned();
    let any = acme(1, 1, "accept = \"any\"");
    let mut known = knowing(&[(1, None), (2, None)]);
    known.index.modules.get_mut(&hash(1)).expect("here").kind = Kind::Controller;
    assert_eq!(reason(&any, &known, 1), Some(Reason::NobodyVouches), "there is no process to run it in");
    assert_eq!(reason(&any, &known, 2), Some(Reason::NoController(Kind::Transport)));
    assert_eq!(any.decide(&known, &FILES, &hash(2), NOW).refused(), None, "control: it carries");
    known.index.pins.insert(hash(1));
    assert_eq!(reason(&any, &known, 1), None);
    assert_eq!(reason(&acme(1, 1, "accept = \"none\""), &known, 1), Some(Reason::AcceptsNone));
    // Rules go by the application alone: there is no service, and no peer.
    let rules =
        "[[rule]]\nservice = \"files\"\naccept = \"none\"\n[[rule]]\napplication = \"relay\"\nforeign = false\n";
    let verdict = |known: &Knowledge, application| {
        let question = Question { application: Some(application), ..regulating };
        acme(1, 1, rules).decide(known, &question, &hash(1), NOW)
    };
    assert_eq!((&*verdict(&known, "relay").rule, &*verdict(&known, "perf").rule), ("rule 2", "default"));
    assert!(verdict(&known, "perf").limits().is_some(), "it is pinned");
    assert_eq!(verdict(&known, "relay").refused(), Some(&Reason::ForeignToRule), "it came from a peer");
    known.index.flags.insert(hash(1), String::new());
    assert!(matches!(verdict(&known, "perf").refused(), Some(Reason::Flagged { .. })));
}

#[test]
fn a_name_is_that_of_what_is_built_in_and_else_of_the_newest_that_somebody_vouches_for() {
    let policy = acme(1, 1, "accept = \"any\"");
    let mut known = knowing(&[]);
    let name: Choice = "acme".parse().expect("a name");
    assert_eq!(known.chosen(&policy, &name), None);
    let usurper = signed(said_of(3, "acme", [9, 0, 0]), &[8]);
    known.index.modules.insert(hash(3), entry(3, Origin::Peer(peer(1)), Some(usurper)));
    assert_eq!(known.chosen(&policy, &name), None, "what nobody vouches for takes no name");
    for (n, version) in [(1, [1, 0, 0]), (2, [1, 1, 0])] {
        let manifest = signed(said_of(n, "acme", version), &[1]);
        known.index.modules.insert(hash(n), entry(n, Origin::Peer(peer(1)), Some(manifest)));
    }
    assert_eq!(known.chosen(&policy, &name), Some(hash(2)));
    let mut called = [hash(1), hash(2), hash(3)];
    called.sort();
    assert_eq!(known.called("acme"), called, "all that call themselves so");
    known.built_in.push(BuiltIn { name: "acme".to_owned(), hash: hash(9), kind: Kind::Transport, bytes: &[] });
    assert_eq!(known.chosen(&policy, &name), Some(hash(9)), "though others are signed");
    let renaming = signed(said_of(9, "zzz", [1, 0, 0]), &[1]);
    known.index.modules.insert(hash(9), entry(9, Origin::Peer(peer(1)), Some(renaming)));
    assert_eq!(known.name(&hash(9)), Some("acme"), "a manifest renames nothing that is built in");
    assert_eq!(known.chosen(&policy, &Choice::Hash(hash(3))), Some(hash(3)));
    assert_eq!(known.chosen(&policy, &Choice::Hash(hash(7))), None, "it is not here");
}

#[test]
fn every_reason_says_a_word_of_its_own_and_what_to_do() {
    let all = [
        Reason::AcceptsNone,
        Reason::NotPinned,
        Reason::NotSigned { signatures: 0, threshold: 1 },
        Reason::KeyRevoked(publisher(1).public()),
        Reason::Revoked,
        Reason::Expired { at_unix_s: 1 },
        Reason::Clock,
        Reason::Downgrade { has: Version([1, 0, 0]) },
        Reason::Substituted { by: hash(1) },
        Reason::Flagged { note: String::new() },
        Reason::Offender { violations: 3, until_unix_s: 1 },
        Reason::ForeignToApplication,
        Reason::ForeignToRule,
        Reason::NotFromPeers,
        Reason::NotFromHost("a".to_owned()),
        Reason::NotFromFiles,
        Reason::NoTransport(Kind::Controller),
        Reason::NoController(Kind::Transport),
        Reason::NobodyVouches,
        Reason::Version { found: 2 },
        Reason::RefusedBefore,
    ];
    let words: std::collections::BTreeSet<_> = all.iter().map(Reason::word).collect();
    assert_eq!(words.len(), all.len());
    assert!(all.iter().all(|reason| reason.to_string().len() > 20));
}
