use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;

fn walk(folder: &Path, limits: (usize, usize)) -> Walk {
    let walk = Root::new(folder).expect("a folder").walk(&SafePath::root()).expect("a folder");
    Walk { limits, ..walk }
}

/// The paths found, the most that was held meanwhile, and how it ended.
fn walked(mut walk: Walk) -> (Vec<String>, usize, Option<Fault>) {
    let (mut paths, mut held) = (Vec::new(), 0);
    loop {
        match walk.step() {
            Ok(Some(Found::Entry(entry))) => paths.push(entry.path.as_str().to_owned()),
            Ok(Some(Found::LeftOut(left))) => panic!("{left:?}"),
            Ok(None) => return (paths, held, None),
            Err(fault) => return (paths, held, Some(fault)),
        }
        held = held.max(walk.bytes());
    }
}

fn tree(files: usize, folders: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for i in 0..files {
        fs::write(folder.path().join(format!("{i:0>200}")), b"").expect("written");
    }
    for i in 0..folders {
        fs::create_dir(folder.path().join(format!("d{i:0>200}"))).expect("made");
        fs::write(folder.path().join(format!("d{i:0>200}/f")), b"").expect("written");
    }
    folder
}

#[test]
fn a_folder_of_any_size_is_walked_in_parts_and_each_name_comes_once() {
    let folder = tree(2_000, 20);
    let (all, held_in_one, fault) = walked(walk(folder.path(), (usize::MAX, usize::MAX)));
    assert_eq!((all.len(), fault), (2_040, None));
    assert!(held_in_one > 400_000, "control: all names of it at once: {held_in_one}");
    let (parts, held, fault) = walked(walk(folder.path(), (20_000, usize::MAX)));
    assert_eq!(fault, None);
    assert!(held < 20_000 + 256 + 20 * 201, "{held}");
    assert_eq!(parts.iter().collect::<BTreeSet<_>>(), all.iter().collect::<BTreeSet<_>>());
    assert_eq!(parts.len(), all.len());
}

#[test]
fn folders_that_nobody_has_looked_into_yet_have_a_bound() {
    let folder = tree(0, 100);
    let (all, held, fault) = walked(walk(folder.path(), (usize::MAX, usize::MAX)));
    assert_eq!((all.len(), fault), (200, None));
    assert!(held > 20_000, "control: {held}");
    let (some, held, fault) = walked(walk(folder.path(), (1_000, 5_000)));
    assert!(some.len() < 30 && held <= 5_000 + 201 + 1_000 + 256, "{} {held}", some.len());
    assert!(fault.is_some_and(|fault| fault.to_string().contains("too many folders")));
}

/// The paths found by a walk that rests after every one.
fn walked_with_rests(mut walk: Walk) -> Vec<String> {
    let mut paths = Vec::new();
    while let Some(found) = walk.next() {
        match found {
            Ok(Found::Entry(entry)) => paths.push(entry.path.as_str().to_owned()),
            other => panic!("{other:?}"),
        }
        walk.rest();
        assert!(walk.open.is_none(), "it holds no descriptor");
    }
    paths
}

#[test]
fn a_walk_that_rests_goes_on_where_it_was() {
    let folder = tree(300, 20);
    let unlimited = (usize::MAX, usize::MAX);
    let (all, _, _) = walked(walk(folder.path(), (20_000, usize::MAX)));
    assert_eq!(walked_with_rests(walk(folder.path(), (20_000, usize::MAX))), all);
    assert_eq!(walked_with_rests(walk(folder.path(), unlimited)), walked(walk(folder.path(), unlimited)).0);
}

#[test]
fn a_folder_that_has_gone_while_a_walk_rests_is_left_out_and_the_others_are_not() {
    let folder = tree(0, 3);
    let mut walk = walk(folder.path(), (usize::MAX, usize::MAX));
    let mut found = Vec::new();
    while let Some(next) = walk.next() {
        walk.rest();
        if found.is_empty() {
            fs::remove_dir_all(folder.path().join(format!("d{:0>200}", 1))).expect("removed");
        }
        found.push(next.expect("it goes on"));
    }
    let left = found.iter().filter(|found| matches!(found, Found::LeftOut(_))).count();
    assert_eq!((left, found.len()), (1, 2 + 2 + 1), "{found:?}");
}

/// What is counted is what is held, within a step of what is to come.
#[tokio::test]
async fn what_a_walk_holds_is_counted_for_its_peer_and_is_little_more_than_the_names() {
    use std::sync::Arc;
    let folder = tempfile::tempdir().expect("a folder");
    const FOLDERS: usize = 4_000;
    for i in 0..FOLDERS {
        fs::create_dir(folder.path().join(format!("{i:04}"))).expect("made");
    }
    let buffers = Arc::new(super::super::Buffers::new(64 << 20));
    let account = Arc::new(super::super::Account::new(tng_base::Eid::from_bytes([1; 32])));
    let counted = || account.in_hand.load(std::sync::atomic::Ordering::Relaxed) as usize;
    let mut walk = walk(folder.path(), (SORTED_MAX, PENDING_MAX)).counted(buffers.place(&account).await, 30_000);
    for _ in 0..FOLDERS {
        assert!(matches!(walk.next(), Some(Ok(Found::Entry(_)))));
    }
    walk.rest();
    // Five bytes each, as they came and as they wait, and a quarter more.
    let names = FOLDERS * 5 * 2;
    assert!((names..names * 5 / 4 + 2 * PENDING_STEP).contains(&walk.bytes()), "{}", walk.bytes());
    assert_eq!(counted(), (walk.bytes() + 30_000).max(super::super::PLACE_MIN as usize));
    // Control: as paths of their own they would be so much.
    assert!(walk.bytes() < FOLDERS * size_of::<SafePath>());
    drop(walk);
    assert_eq!(counted(), 0);
}

#[tokio::test]
async fn a_walk_whose_peer_has_used_its_share_goes_on_in_small_parts_and_has_no_more_folders_put_off() {
    use std::sync::Arc;
    let folder = tree(500, 0);
    let many = tree(0, 500);
    // A share for a place, and no more.
    let buffers = Arc::new(super::super::Buffers::new(4 * super::super::PLACE_MIN));
    let account = Arc::new(super::super::Account::new(tng_base::Eid::from_bytes([1; 32])));
    let counted = |walk: Walk, held| walk.counted(held, 30_000);
    let plain = walk(folder.path(), (SORTED_MAX, PENDING_MAX));
    let (paths, held, fault) = walked(counted(plain, buffers.place(&account).await));
    assert_eq!((paths.len(), fault), (500, None));
    assert!(held < 40_000, "control: the names alone are 100 kB: {held}");
    let (paths, held, fault) =
        walked(counted(walk(many.path(), (SORTED_MAX, PENDING_MAX)), buffers.place(&account).await));
    assert!(paths.len() < 500 && held <= super::super::PLACE_MIN as usize, "{} {held}", paths.len());
    assert!(fault.is_some_and(|fault| fault.to_string().contains("ask later")));
}
