//! What is damaged, cut, put together wrongly or made up: refused with a named reason, or harmless. Code that was not
//! signed never runs as signed, code never runs under another's hash, and no version comes back.

use tng_base::Rng;

use super::*;

/// Changes bytes as damage and malice do.
fn change(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    // Some stay as they are, so that what is good is seen to be taken.
    if rng.chance(0.02) {
        return;
    }
    for _ in 0..=rng.below(3) {
        let at = usize::try_from(rng.below(bytes.len().max(1) as u64)).expect("small");
        match rng.below(7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << rng.below(8),
            1 if !bytes.is_empty() => bytes[at] = rng.bytes::<1>()[0],
            2 => bytes.truncate(at),
            3 => bytes.splice(at..at, rng.bytes::<3>()).for_each(drop),
            4 if !bytes.is_empty() => drop(bytes.remove(at)),
            5 => {
                let from = usize::try_from(rng.below(other.len().max(1) as u64)).expect("small");
                let piece = &other[from.min(other.len())..(from + 40).min(other.len())];
                let until = (at + piece.len()).min(bytes.len());
                bytes.splice(at.min(until)..until, piece.iter().copied()).for_each(drop);
            }
            _ => bytes.extend_from_slice(&other[..other.len().min(at)]),
        }
    }
}

/// `cargo test -p tng-stp-manager mutations` with `TNG_SEEDS=10000` runs all of them.
fn each(what: &str, mut trial: impl FnMut(&mut Rng) -> &'static str) {
    let full = count(10_000);
    let mut outcomes = std::collections::BTreeMap::new();
    for seed in 0..full {
        let mut rng = Rng::from_u64(seed);
        *outcomes.entry(trial(&mut rng)).or_insert(0_u64) += 1;
    }
    println!("{what}: {full} mutations: {outcomes:?}");
    assert!(outcomes.len() > 1, "control: there is more than one outcome");
}

#[test]
fn mutated_modules_never_run_under_the_hash_that_was_asked_for() {
    let folder = folder();
    let manager = manager(&folder, acme(1, 1, ""));
    let said = signed(said_of(1, "acme", [1, 0, 0]), &[1]).to_vec();
    let (good, other, origin) = (module(1), module(2), Origin::Peer(peer(1)));
    each("modules", |rng| {
        let mut bytes = good.clone();
        change(rng, &mut bytes, &other);
        let arrived = Arrived { bytes: &bytes, kind: Kind::Transport, manifest: Some(&said), origin: &origin };
        match manager.install(&hash(1), &arrived, &Question::default(), NOW) {
            Ok(_) => {
                assert_eq!(bytes, good, "nothing else has this hash");
                "unchanged"
            }
            Err(InstallError::WrongHash { found }) => {
                // Its sender may call it by its own hash: then nothing vouches for it.
                let own = manager.install(&found, &arrived, &Question::default(), NOW);
                assert!(matches!(own, Err(InstallError::Manifest(ManifestError::OtherCode { .. }))), "{own:?}");
                "wrong hash"
            }
            Err(error) => panic!("{error}"),
        }
    });
    assert!(manager.look(|_, known| known.index.modules().all(|(found, _)| *found == hash(1))));
}

#[test]
fn mutated_manifests_are_never_taken_as_signed_unless_they_say_the_same() {
    let policy = acme(2, 2, "");
    let good = signed(said_of(1, "acme", [1, 0, 0]), &[1, 2]);
    let (bytes, other) = (good.to_vec(), signed(said_of(2, "acme", [9, 0, 0]), &[2]).to_vec());
    let folder = folder();
    let manager = manager(&folder, policy);
    each("manifests", |rng| {
        let mut mutated = bytes.clone();
        change(rng, &mut mutated, &other);
        let (module, origin) = (module(1), Origin::Peer(peer(1)));
        let arrived = Arrived { bytes: &module, kind: Kind::Transport, manifest: Some(&mutated), origin: &origin };
        match manager.install(&hash(1), &arrived, &Question::default(), NOW) {
            Ok(verdict) => {
                let read = SignedManifest::read(&mutated).expect("it was taken");
                assert_eq!((&read, verdict.level), (&good, Level::Signed));
                "says the same"
            }
            Err(InstallError::Manifest(ManifestError::Malformed)) => "malformed",
            Err(InstallError::Manifest(ManifestError::BadSignature(_))) => "bad signature",
            Err(InstallError::Manifest(ManifestError::OtherCode { .. })) => "other code",
            Err(InstallError::Refused(verdict)) => {
                assert!(verdict.refused().is_some());
                "refused by the policy"
            }
            Err(error) => panic!("{error}"),
        }
    });
}

#[test]
fn mutated_manifests_bring_no_older_version_back() {
    let folder = folder();
    let manager = manager(&folder, acme(2, 1, "accept = \"any\""));
    from_peer(&manager, 9, Some(&signed(said_of(9, "acme", [2, 0, 0]), &[1]))).expect("it is signed");
    let old = signed(said_of(1, "acme", [1, 0, 0]), &[1, 2]);
    let newer = signed(said_of(9, "acme", [2, 0, 0]), &[1]);
    each("downgrades", |rng| {
        let mut mutated = match rng.below(8) {
            0 => signed(old.manifest.clone(), &[]),
            1 => signed(old.manifest.clone(), &[1 + rng.bytes::<1>()[0] % 4]),
            2 => SignedManifest { signatures: newer.signatures.clone(), ..old.clone() },
            3 => SignedManifest { manifest: said_of(1, "acme", [3, 0, 0]), ..old.clone() },
            4 => SignedManifest { manifest: Manifest { expires_unix_s: None, ..old.manifest.clone() }, ..old.clone() },
            _ => old.clone(),
        }
        .to_vec();
        if rng.chance(0.4) {
            change(rng, &mut mutated, &newer.to_vec());
        }
        let (module, origin) = (module(1), Origin::Peer(peer(1)));
        let arrived = Arrived { bytes: &module, kind: Kind::Transport, manifest: Some(&mutated), origin: &origin };
        match manager.install(&hash(1), &arrived, &Question::default(), NOW) {
            // With its signatures taken off it is what nobody vouches for, has no name, and is held to less.
            Ok(verdict) => {
                assert_eq!(verdict.level, Level::Any);
                assert_eq!(manager.look(|policy, known| known.chosen(policy, &"acme".parse().expect("a name"))), {
                    Some(hash(9))
                });
                manager.remove(&hash(1)).expect("it is here");
                "without its name"
            }
            Err(InstallError::Forbidden(Reason::Downgrade { .. })) => "downgrade",
            Err(InstallError::Manifest(_)) => "no manifest",
            Err(error) => panic!("{error}"),
        }
    });
}

#[test]
fn mutated_lists_are_refused_or_say_the_same() {
    let list = |number, n: u8| {
        let mut list = RevocationList::new(publisher(1).public());
        list.number = number;
        list.revoke(hash(1)).expect("there is room");
        list.revoke(hash(n)).expect("there is room");
        list.sign(&publisher(1))
    };
    let (good, other) = (list(3, 2), list(2, 3).to_vec());
    each("revocation lists", |rng| {
        let mut bytes = good.to_vec();
        change(rng, &mut bytes, &other);
        match SignedRevocations::read(&bytes) {
            Ok(read) => {
                assert_eq!(read, good);
                "says the same"
            }
            Err(RevocationError::Malformed) => "malformed",
            Err(RevocationError::BadSignature) => "bad signature",
            Err(error) => panic!("{error}"),
        }
    });
}

#[test]
fn mutated_policies_are_told_with_a_place_or_decide_something() {
    let key = publisher(1).public();
    let good = format!(
        "accept = \"signed\"\nforeign = true\nprefer = [\"sack\"]\nsources = [\"peer\", \"host:a\"]\n[[rule]]\n\
         name = \"lab\"\nservice = [\"files\", \"ping\"]\nport = [4860, \"5000-5999\"]\npeer = \"{}\"\n\
         accept = \"any\"\n[publishers.acme]\nkeys = [\"{key}\"]\nthreshold = 1\n[limits.signed]\nmemory = \"8MiB\"\n\
         cap = \"modern\"\n[violations]\nmost = 2\nwithin = \"1d\"\n",
        peer(1)
    );
    Policy::parse(&good).expect("control: it is fine");
    let known = knowing(&[(1, None), (2, Some(signed(said_of(2, "acme", [1, 0, 0]), &[1])))]);
    each("policies", |rng| {
        let mut bytes = good.clone().into_bytes();
        change(rng, &mut bytes, b"threshold = 0\n[[rule]]\naccept = \"none\"\nport = \"9-1\"\n[limits.any]\n");
        let Ok(text) = String::from_utf8(bytes) else { return "no text" };
        match Policy::parse(&text) {
            Err(error) => {
                assert!(error.to_string().starts_with("line "), "{error}");
                "told"
            }
            Ok(policy) => {
                for n in [1, 2, 3] {
                    let verdict = policy.decide(&known, &Question::default(), &hash(n), NOW);
                    assert!(!verdict.rule.is_empty(), "each verdict names its rule");
                    let modern = verdict.limits().is_some_and(|limits| limits.cap == Cap::Modern);
                    assert!(!modern || verdict.level <= Level::Signed);
                }
                "decides"
            }
        }
    });
}

#[test]
fn a_mutated_history_or_index_is_named_and_never_half_read() {
    let mut history = History::default();
    let what = |n: u8| Violation::ALL[usize::from(n) % Violation::ALL.len()];
    (0..20).for_each(|n| history.add(hash(n % 5), what(n), NOW + u64::from(n)));
    let mut index = knowing(&[(1, Some(signed(said_of(1, "acme", [1, 0, 0]), &[1]))), (2, None)]).index;
    index.modules.values_mut().for_each(|entry| entry.manifest = None);
    index.flags.insert(hash(3), "slow".to_owned());
    let (histories, indices) = (history.to_file(), index.to_file());
    each("histories and indices", |rng| {
        let (mut one, mut other) = (histories.clone(), indices.clone());
        change(rng, &mut one, &indices);
        change(rng, &mut other, &histories);
        let read = (History::read(&one), Index::read(&other));
        assert!(read.0.is_err() || read.0.as_ref() == Ok(&history));
        assert!(read.1.is_err() || read.1.as_ref() == Ok(&index));
        match read {
            (Ok(_), _) | (_, Ok(_)) => "unchanged",
            (Err(HistoryError::Damaged), Err(IndexError::Damaged)) => "damaged",
            (Err(_), Err(_)) => "of another version",
        }
    });
}
