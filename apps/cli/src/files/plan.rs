//! Which files of a listing go where.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use tng_services::files::{Entry, Kind, LeftOut, LeftOutWhy, Meta, SafePath};

use super::destination::{Base, Destination, has_reserved};
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

impl Job {
    /// The path here that it goes to, as it is; of what is no file its name.
    pub fn place(&self) -> PathBuf {
        match &self.target {
            Target::Destination(place) => place.shown(),
            Target::Outlet(_) => self.target.name().into(),
        }
    }
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
    /// What does not come here: links that lead out of the tree, names that are kept for unfinished files.
    pub left_out: Vec<LeftOut>,
}

impl Plan {
    /// The tree below `path`, whose listing is `entries`, to stand in the folder `to`.
    ///
    /// A file whose path would be too long to ask for is left out; there is none in a listing that an honest server
    /// made.
    pub fn new(path: &SafePath, entries: Vec<Entry>, to: &Arc<Base>) -> Plan {
        let mut folders = BTreeMap::new();
        let (mut links, mut jobs, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let (mut files, mut same) = (BTreeSet::new(), Vec::new());
        for entry in entries {
            let Some((above, name)) = split(&entry.path) else { continue };
            if has_reserved(&entry.path) {
                left_out.push(LeftOut::new(LeftOutWhy::Reserved, entry.path.as_str()));
                continue;
            }
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
                let place = Destination::new(Arc::clone(to), above, name);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: Kind, path: &str) -> Entry {
        Entry { kind, path: SafePath::parse(path).expect("a path"), size: 5, meta: Meta::default() }
    }

    fn place(job: &Job) -> String {
        let Target::Destination(place) = &job.target else { panic!("it goes to a place") };
        format!("{}/{}", place.above.as_str(), place.name.display())
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
        assert_eq!(place(&plan.jobs[0]), "b/x");
        assert_eq!(plan.jobs[0].here(), folder.path().join("b/x").display().to_string());
        assert_eq!(plan.size(), 5);
    }

    #[test]
    fn what_is_called_as_unfinished_files_are_is_left_out_by_name() {
        let reserved = [".tng-x.part", "d/.tng-y.part", ".tng-z.part/x"];
        let entries = [&reserved[..], &["d/x.part"]].concat().into_iter().map(|path| entry(Kind::File, path)).collect();
        let (_folder, to) = base();
        let plan = Plan::new(&SafePath::root(), entries, &to);
        assert_eq!(plan.jobs.iter().map(place).collect::<Vec<_>>(), ["d/x.part"]);
        assert_eq!(plan.folders.len(), 1);
        let left: Vec<_> = plan.left_out.iter().map(|left| (left.path().exact(), left.why)).collect();
        assert_eq!(left, reserved.map(|path| (path, LeftOutWhy::Reserved)));
    }
}
