//! Which files of a listing go where.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use tng_services::files::{Entry, Kind, LeftOut, LeftOutWhy, Meta, SafePath, escaped};

use super::destination::{Base, Destination, part_of};
use super::root::split;
use super::{Errand, LinkJob, SameJob, Target};

/// A file to fetch.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to ask for.
    pub path: SafePath,
    /// Where it goes.
    pub target: Target,
    /// Its size when it was listed, or 0.
    pub size: u64,
    /// What else was known of it then.
    pub meta: Option<Meta>,
}

impl Errand for Job {
    fn path(&self) -> &SafePath {
        &self.path
    }

    fn here(&self) -> String {
        self.target.name()
    }

    fn size(&self) -> u64 {
        self.size
    }
}

/// All that makes a tree.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Folders to make, each after the one that it is in, and what is known of them.
    pub folders: Vec<(SafePath, Meta)>,
    /// Links to make.
    pub links: Vec<LinkJob>,
    /// Further names to give, and what to fetch where the first is not what it should be.
    pub same: Vec<(SameJob, Job)>,
    /// Files to fetch.
    pub jobs: Vec<Job>,
    /// Links that are not made because they lead out of the tree.
    pub left_out: Vec<LeftOut>,
}

impl Plan {
    /// The tree below `path`, whose listing is `entries`, to stand in the folder `to`.
    ///
    /// A scratch file gets a longer name if its usual one is that of a file of the tree. A file whose path would be too
    /// long to ask for is left out; there is none in a listing that an honest server made.
    pub fn new(path: &SafePath, entries: Vec<Entry>, to: &Arc<Base>) -> Plan {
        let mut taken: BTreeSet<[u8; 16]> = entries.iter().map(|entry| entry.path.fingerprint()).collect();
        let mut folders = BTreeMap::new();
        let (mut links, mut jobs, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let (mut files, mut same) = (BTreeSet::new(), Vec::new());
        for entry in entries {
            let Some((above, name)) = split(&entry.path) else { continue };
            let part = part(&above, &name, &mut taken);
            if !folders.contains_key(&above) {
                folders.insert(above.clone(), Meta::default());
            }
            let of = match entry.kind {
                Kind::Same(of) if files.contains(&of) => Some(of),
                // Of one that is not fetched this is the first.
                Kind::File | Kind::Same(_) => {
                    files.insert(entry.path.clone());
                    None
                }
                Kind::Folder => {
                    folders.insert(entry.path, entry.meta);
                    continue;
                }
                Kind::Link(target) if target.stays_below(&entry.path) => {
                    links.push(LinkJob { path: entry.path, target, meta: entry.meta });
                    continue;
                }
                Kind::Link(_) => {
                    left_out.push(LeftOut::new(LeftOutWhy::Link, entry.path.as_str()));
                    continue;
                }
            };
            let asked = entry.path.as_str().split('/').try_fold(path.clone(), |path, name| path.child(name));
            if let Ok(asked) = asked {
                let place = Destination { base: Arc::clone(to), name, above, part };
                let job =
                    Job { path: asked, target: Target::Destination(place), size: entry.size, meta: Some(entry.meta) };
                match of {
                    Some(of) => same.push((SameJob { path: entry.path, of }, job)),
                    None => jobs.push(job),
                }
            }
        }
        folders.remove(&SafePath::root());
        Plan { folders: folders.into_iter().collect(), links, same, jobs, left_out }
    }

    /// Bytes of all files.
    pub fn size(&self) -> u64 {
        self.jobs.iter().map(|job| job.size).fold(0, u64::saturating_add)
    }
}

/// A name for the scratch file of a file of the tree that no other file of the tree has.
fn part(above: &SafePath, name: &OsStr, taken: &mut BTreeSet<[u8; 16]>) -> OsString {
    let mut part = part_of(name);
    // A path that is too long is none of the tree.
    while let Some(path) = above.child(&escaped(part.as_bytes())).ok()
        && !taken.insert(path.fingerprint())
    {
        part = part_of(&part);
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: Kind, path: &str) -> Entry {
        Entry { kind, path: SafePath::parse(path).expect("a path"), size: 5, meta: Meta::default() }
    }

    fn place(job: &Job) -> (String, String) {
        let Target::Destination(place) = &job.target else { panic!("it goes to a place") };
        let above = place.above.as_str();
        (format!("{above}/{}", place.name.display()), format!("{above}/{}", place.part.display()))
    }

    fn base() -> (tempfile::TempDir, Arc<Base>) {
        let folder = tempfile::tempdir().expect("a folder");
        let base = Arc::new(Base::open(folder.path().to_owned()).expect("opened"));
        (folder, base)
    }

    #[test]
    fn a_tree_is_planned_below_its_folder() {
        let entries = vec![entry(Kind::Folder, "b"), entry(Kind::File, "b/x"), entry(Kind::Folder, "b/c")];
        let (folder, to) = base();
        let plan = Plan::new(&SafePath::parse("top/a").expect("a path"), entries, &to);
        let folders: Vec<&str> = plan.folders.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(folders, ["b", "b/c"]);
        assert_eq!(plan.jobs[0].path.as_str(), "top/a/b/x");
        assert_eq!(place(&plan.jobs[0]), ("b/x".into(), "b/x.part".into()));
        assert_eq!(plan.jobs[0].here(), folder.path().join("b/x").display().to_string());
        assert_eq!(plan.size(), 5);
    }

    #[test]
    fn a_scratch_file_never_takes_the_place_of_a_file_of_the_tree() {
        let entries = vec![entry(Kind::File, "d/x"), entry(Kind::File, "d/x.part")];
        let plan = Plan::new(&SafePath::root(), entries, &base().1);
        let parts: Vec<_> = plan.jobs.iter().map(place).collect();
        let expected = [("d/x", "d/x.part.part"), ("d/x.part", "d/x.part.part.part")];
        assert_eq!(parts, expected.map(|(to, part)| (to.to_owned(), part.to_owned())));
    }
}
