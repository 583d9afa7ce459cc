use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;

impl Walk {
    /// Bytes of names and paths that it holds.
    fn held(&self) -> usize {
        let sorted = self.here.iter().flat_map(|here| here.sorted.as_slice()).map(|name| name.len()).sum::<usize>();
        sorted + self.pending_bytes
    }
}

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
        held = held.max(walk.held());
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
