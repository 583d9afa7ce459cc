use std::collections::BTreeMap;

use tng_base::Rng;

use super::*;

const PACKET: usize = 1200;

/// A tree of streams that all have more to send than there is room for.
fn busy(slots: u32) -> Tree {
    let mut tree = Tree::default();
    for slot in 0..slots {
        tree.enter(slot);
        tree.set(slot, false, true);
    }
    tree
}

/// Packets sent by each stream in so many turns.
fn turns(tree: &mut Tree, count: usize) -> BTreeMap<u32, usize> {
    let mut sent = BTreeMap::new();
    for _ in 0..count {
        let turn = tree.next(true, None).expect("someone is ready");
        let (Turn::Fresh(slot) | Turn::Again(slot)) = turn;
        *sent.entry(slot).or_default() += 1;
        tree.charge(turn, PACKET);
    }
    sent
}

fn level(level: i8) -> Priority {
    Priority { level: Some(level), ..Priority::default() }
}

fn weight(weight: u8) -> Priority {
    Priority { weight, ..Priority::default() }
}

/// Every pointer is where it should be, groups have two members, and none is too deep.
fn check(tree: &Tree, streams: &[u32], context: &str) {
    let mut members = BTreeMap::<u32, Vec<Member>>::new();
    let mut waiting: Vec<_> = streams.iter().map(|&slot| Member::leaf(slot)).collect();
    let mut seen = Vec::new();
    while let Some(member) = waiting.pop() {
        let up = tree.place(member).up;
        members.entry(up).or_default().push(member);
        if !seen.contains(&up) {
            seen.push(up);
            assert!(tree.depth(up) < DEPTH_MAX, "{context}");
            if tree.groups[up as usize].level.is_none() {
                waiting.push(Member::group(up));
            }
        }
    }
    for (&group, members) in &members {
        let group = &tree.groups[group as usize];
        assert_eq!(group.members as usize, members.len(), "{context}");
        assert!(group.level.is_some() || members.len() > 1, "{context}");
        assert_eq!(group.mix, members.iter().fold(0, |mix, member| mix ^ member.0), "{context}");
        let active = members.iter().filter(|&&member| match member.is_group() {
            true => !tree.groups[member.index() as usize].active.is_empty(),
            false => tree.leaves[member.index()].state.has(Bits::FRESH),
        });
        assert!(active.clone().all(|&member| tree.place(member).at != OUT), "{context}");
        let out = members.iter().filter(|&&member| tree.place(member).at == OUT).count();
        assert_eq!(active.count() + out, members.len(), "{context}");
    }
    for (&group, _) in members.iter().filter(|(group, _)| tree.groups[**group as usize].level.is_some()) {
        assert!(tree.levels.iter().any(|&(_, level)| level == group), "{context}");
    }
    // The first level stays without members.
    if !tree.groups.is_empty() {
        members.entry(ROOT).or_default();
    }
    assert_eq!(members.len() + tree.unused.len(), tree.groups.len(), "{context}: groups are lost");
    // A leaf that is awake without need sleeps when no stream has anything to send.
    let lull = tree.groups.first().is_none_or(|root| root.active.is_empty());
    assert!(!lull || tree.ahead.is_empty(), "{context}");
    let idle = streams.iter().filter(|&&slot| tree.leaves.is_plain(slot));
    idle.for_each(|&slot| assert!(!lull, "{context}: {slot} should rest"));
    let levels = members.keys().filter(|&&group| tree.groups[group as usize].level.is_some()).count();
    assert_eq!(levels, tree.levels.len(), "{context}");
}

#[test]
fn streams_share_by_bytes_whatever_the_size_of_their_packets() {
    let mut tree = busy(3);
    let mut sent = [0; 3];
    for _ in 0..10_000 {
        let turn = tree.next(true, None).expect("someone is ready");
        let Turn::Fresh(slot) = turn else { panic!("nothing was lost") };
        let packet = [1400, 700, 333][slot as usize];
        sent[slot as usize] += packet;
        tree.charge(turn, packet);
    }
    let (least, most) = (sent.iter().min().expect("three"), sent.iter().max().expect("three"));
    assert!(most - least <= 2 * 1400, "{sent:?}");
}

#[test]
fn a_higher_level_goes_first_and_a_change_takes_effect_at_once() {
    let mut tree = busy(3);
    tree.prioritize(1, level(5), None);
    tree.prioritize(2, level(-1), None);
    assert_eq!(turns(&mut tree, 10), [(1, 10)].into());
    tree.set(1, false, false);
    assert_eq!(turns(&mut tree, 10), [(0, 10)].into());
    tree.prioritize(2, level(127), None);
    assert_eq!(turns(&mut tree, 10), [(2, 10)].into());
    tree.prioritize(2, Priority::default(), None);
    assert_eq!(turns(&mut tree, 10), [(0, 5), (2, 5)].into());
    check(&tree, &[0, 1, 2], "at the end");
}

#[test]
fn streams_of_a_level_share_by_weight() {
    let mut tree = busy(3);
    tree.prioritize(1, weight(32), None);
    tree.prioritize(2, weight(1), None);
    let sent = turns(&mut tree, 490);
    assert!(sent[&0].abs_diff(160) <= 1 && sent[&1].abs_diff(320) <= 1 && sent[&2].abs_diff(10) <= 1, "{sent:?}");
}

#[test]
fn children_share_what_is_their_parents_and_theirs_share_with_them() {
    let mut tree = busy(6);
    // 0 beside 1; 2 and 3 below 1; 4 and 5 below 3.
    for (child, parent) in [(2, 1), (3, 1), (4, 3), (5, 3)] {
        tree.hang(child, parent);
    }
    check(&tree, &[0, 1, 2, 3, 4, 5], "three groups");
    let sent = turns(&mut tree, 1800);
    for (slot, share) in [(0, 900), (1, 300), (2, 300), (3, 100), (4, 100), (5, 100)] {
        assert!(sent[&slot].abs_diff(share) <= 2, "{sent:?}");
    }
    tree.set(1, false, false);
    tree.set(2, false, false);
    let sent = turns(&mut tree, 600);
    assert!(sent[&0].abs_diff(300) <= 2 && sent[&3].abs_diff(100) <= 2, "what some leave their group has: {sent:?}");
}

#[test]
fn a_child_with_a_level_of_its_own_leaves_its_parents_share_and_comes_back_without() {
    let mut tree = busy(3);
    tree.hang(2, 1);
    tree.prioritize(2, level(0), Some(1));
    let sent = turns(&mut tree, 300);
    assert!((0..3).all(|slot| sent[&slot].abs_diff(100) <= 1), "{sent:?}");
    tree.prioritize(2, Priority::default(), Some(1));
    let sent = turns(&mut tree, 400);
    assert!(sent[&0].abs_diff(200) <= 1 && sent[&2].abs_diff(100) <= 1, "{sent:?}");
    tree.prioritize(1, level(1), None);
    assert_eq!(turns(&mut tree, 10), [(1, 5), (2, 5)].into(), "and goes where its parent goes");
}

#[test]
fn when_a_parent_is_over_its_children_go_on_sharing_what_was_its() {
    let mut tree = busy(4);
    tree.prioritize(1, weight(48), None);
    tree.hang(2, 1);
    tree.hang(3, 1);
    tree.forget(1);
    let sent = turns(&mut tree, 800);
    assert!(sent[&0].abs_diff(200) <= 1 && sent[&2].abs_diff(300) <= 1 && sent[&3].abs_diff(300) <= 1, "{sent:?}");
    tree.forget(2);
    check(&tree, &[0, 3], "the last of them takes its place");
    assert_eq!(tree.priority(3).weight, 48);
    let sent = turns(&mut tree, 800);
    assert!(sent[&3].abs_diff(600) <= 1, "{sent:?}");
}

#[test]
fn who_was_idle_waits_for_no_round_and_has_saved_nothing_up() {
    let mut tree = busy(100);
    tree.set(7, false, false);
    turns(&mut tree, 10_000);
    tree.set(7, false, true);
    let sent = turns(&mut tree, 100);
    assert!(matches!(sent.get(&7), Some(1..=2)), "{sent:?}");
}

#[test]
fn who_stops_after_every_packet_gets_no_more_than_who_does_not() {
    let mut tree = busy(3);
    let mut sent = [0; 3];
    for _ in 0..3000 {
        let turn = tree.next(true, None).expect("someone is ready");
        let Turn::Fresh(slot) = turn else { panic!("nothing was lost") };
        sent[slot as usize] += 1;
        if slot == 2 {
            tree.set(2, false, false);
        }
        tree.charge(turn, PACKET);
        tree.set(2, false, true);
    }
    assert!(sent[2] <= 1001, "{sent:?}");
}

#[test]
fn streams_without_anything_to_send_have_no_leaves_whatever_they_sent_before() {
    let slots = || (0..2000).step_by(2);
    let mut tree = Tree::default();
    slots().for_each(|slot| {
        tree.enter(slot);
        tree.set(slot, false, true);
    });
    turns(&mut tree, 5000);
    tree.prioritize(14, weight(3), None);
    tree.hang(16, 14);
    let awake = tree.footprint();
    for slot in slots() {
        tree.set(slot, false, false);
        tree.charge(Turn::Fresh(slot), PACKET);
    }
    let left: Vec<u32> = slots().filter(|&slot| !tree.leaves.rests(slot)).collect();
    assert_eq!(left, [14, 16]);
    assert!(tree.footprint() * 5 < awake, "{} bytes of {awake}", tree.footprint());
    tree.prioritize(14, Priority::default(), None);
    tree.forget(16);
    assert!(tree.leaves.rests(14));
}

#[test]
fn lost_bytes_go_before_new_ones_of_their_level_and_do_not_wait_for_credit() {
    let mut tree = busy(2);
    tree.set(1, true, true);
    assert_eq!(tree.next(false, None), Some(Turn::Again(1)));
    assert_eq!(tree.next(true, None), Some(Turn::Again(1)));
    tree.set(1, false, true);
    assert_eq!(tree.next(false, None), None);
    assert!(matches!(tree.next(true, None), Some(Turn::Fresh(_))));
}

#[test]
fn new_bytes_of_an_urgent_stream_pass_lost_ones_by_but_not_for_ever() {
    let mut tree = busy(2);
    tree.prioritize(0, level(1), None);
    tree.set(1, true, true);
    let mut since = 0;
    let mut sent = 0;
    for _ in 0..1000 {
        let turn = tree.next(true, None).expect("both are ready");
        match turn {
            Turn::Fresh(slot) => {
                assert_eq!(slot, 0);
                since += PACKET;
            }
            Turn::Again(slot) => {
                assert_eq!(slot, 1);
                assert!((PASS_MAX..PASS_MAX + PACKET).contains(&since), "{since}");
                (since, sent) = (0, sent + 1);
            }
        }
        tree.charge(turn, PACKET);
    }
    assert!(sent > 60, "{sent}");
    tree.prioritize(1, level(2), None);
    assert_eq!(tree.next(true, None), Some(Turn::Again(1)), "its bytes that were lost before are urgent now");
}

#[test]
fn whatever_happens_to_a_tree_it_stays_one() {
    for seed in 0..30 {
        let mut rng = Rng::from_u64(seed);
        let mut tree = Tree::default();
        let mut streams: Vec<u32> = Vec::new();
        let mut parents = BTreeMap::new();
        for step in 0..600 {
            let slot = rng.below(30) as u32;
            let here = streams.contains(&slot);
            match rng.below(10) {
                0..3 if !here => {
                    tree.enter(slot);
                    parents.remove(&slot);
                    if let Some(&parent) = streams.get(rng.below(30) as usize) {
                        tree.hang(slot, parent);
                        parents.insert(slot, parent);
                    }
                    streams.push(slot);
                }
                3 if here => {
                    tree.forget(slot);
                    streams.retain(|&other| other != slot);
                    parents.retain(|_, parent| *parent != slot);
                }
                4..6 if here => {
                    let level = rng.chance(0.5).then(|| rng.below(4) as i8 - 2);
                    let priority = Priority { level, weight: rng.below(256) as u8 };
                    tree.prioritize(slot, priority, parents.get(&slot).copied());
                }
                _ if here => tree.set(slot, rng.chance(0.3), rng.chance(0.6)),
                _ => {}
            }
            if let Some(turn) = tree.next(rng.chance(0.8), None) {
                let (Turn::Fresh(slot) | Turn::Again(slot)) = turn;
                assert!(streams.contains(&slot), "seed {seed}, step {step}");
                tree.charge(turn, PACKET);
            }
            check(&tree, &streams, &format!("seed {seed}, step {step}"));
        }
        streams.iter().for_each(|&slot| tree.forget(slot));
        check(&tree, &[], &format!("seed {seed}, at the end"));
    }
}

#[test]
fn a_chain_of_a_thousand_streams_is_no_deeper_than_the_bound() {
    let mut tree = busy(1000);
    for slot in 1..1000 {
        tree.hang(slot, slot - 1);
    }
    let streams: Vec<_> = (0..1000).collect();
    check(&tree, &streams, "the chain");
    assert!(turns(&mut tree, 300_000).len() > 900, "and nobody starves");
}
