//! Which files of a listing go where.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tng_services::files::{Entry, Kind, SafePath};

use super::Target;
use super::draft::part_of;

/// A file to fetch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// What to ask for.
    pub path: SafePath,
    /// Where it goes.
    pub target: Target,
    /// Its size when it was listed.
    pub size: u64,
}

/// All that makes a tree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// Folders to make, each after the one that it is in.
    pub folders: Vec<PathBuf>,
    /// Files to fetch.
    pub jobs: Vec<Job>,
}

impl Plan {
    /// The tree below `path`, whose listing is `entries`, to stand in the folder `to`.
    ///
    /// A scratch file gets a longer name if its usual one is that of a file of the tree. A file whose path would be too
    /// long to ask for is left out; there is none in a listing that an honest server made.
    pub fn new(path: &SafePath, entries: &[Entry], to: &Path) -> Plan {
        let mut taken: BTreeSet<PathBuf> = entries.iter().map(|entry| entry.path.below(to)).collect();
        let mut folders = BTreeSet::from([to.to_owned()]);
        let mut jobs = Vec::new();
        for entry in entries {
            let place = entry.path.below(to);
            folders.extend(place.parent().map(Path::to_owned));
            if entry.kind == Kind::Folder {
                folders.insert(place);
                continue;
            }
            let asked = entry.path.as_str().split('/').try_fold(path.clone(), |path, name| path.child(name));
            if let Ok(asked) = asked {
                let mut part = part_of(&place);
                while !taken.insert(part.clone()) {
                    part = part_of(&part);
                }
                jobs.push(Job { path: asked, target: Target::Place { to: place, part }, size: entry.size });
            }
        }
        Plan { folders: folders.into_iter().collect(), jobs }
    }

    /// Bytes of all files.
    pub fn size(&self) -> u64 {
        self.jobs.iter().map(|job| job.size).fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: Kind, path: &str) -> Entry {
        Entry { kind, path: SafePath::parse(path).expect("a path"), size: 5, modified_ms: 0 }
    }

    #[test]
    fn a_tree_is_planned_below_its_folder() {
        let entries = [entry(Kind::Folder, "b"), entry(Kind::File, "b/x"), entry(Kind::Folder, "b/c")];
        let plan = Plan::new(&SafePath::parse("top/a").expect("a path"), &entries, Path::new("/to"));
        assert_eq!(plan.folders, [Path::new("/to"), Path::new("/to/b"), Path::new("/to/b/c")]);
        assert_eq!(plan.jobs[0].path.as_str(), "top/a/b/x");
        assert_eq!(plan.jobs[0].target, Target::place("/to/b/x".into()));
        assert_eq!(plan.size(), 5);
    }

    #[test]
    fn a_scratch_file_never_takes_the_place_of_a_file_of_the_tree() {
        let entries = [entry(Kind::File, "x"), entry(Kind::File, "x.part")];
        let plan = Plan::new(&SafePath::root(), &entries, Path::new("/to"));
        let parts: Vec<_> = plan.jobs.iter().map(|job| job.target.clone()).collect();
        let target = |to: &str, part: &str| Target::Place { to: to.into(), part: part.into() };
        assert_eq!(parts, [target("/to/x", "/to/x.part.part"), target("/to/x.part", "/to/x.part.part.part")]);
    }
}
