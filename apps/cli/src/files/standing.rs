//! What stands already where a file goes, and what is done about it.

use std::fs::Metadata;

use clap::Args;
use tng_services::files::{Meta, Over};

use super::beneath::set_meta;
use super::root::meta;
use super::{Care, Destination, Job, Target};

/// What is done about other files that are there already.
#[derive(Args, Clone, Copy, Debug)]
pub struct OverArgs {
    /// Replace existing files that differ and are older; of large ones only what differs moves
    #[arg(long, conflicts_with_all = ["replace", "no_clobber"])]
    update: bool,
    /// Replace existing files that differ; without this they are left as they are, and the exit code is 73. Sending: if
    /// the server allows it
    #[arg(long, conflicts_with = "no_clobber")]
    replace: bool,
    /// Replace existing files that differ, and keep the old ones as NAME.~1~, NAME.~2~ and so on
    #[arg(long, conflicts_with = "no_clobber")]
    backup: bool,
    /// Skip files that exist, and copy the rest
    #[arg(long)]
    no_clobber: bool,
}

impl OverArgs {
    /// What is asked for.
    pub const fn over(self) -> Over {
        match self {
            OverArgs { update: true, backup, .. } => Over::Update { backup },
            OverArgs { replace, backup, .. } if replace || backup => Over::Replace { backup },
            OverArgs { no_clobber: true, .. } => Over::Keep,
            _ => Over::Refuse,
        }
    }
}

/// Whether a file is newer than another, as far as is known.
pub fn is_newer(one: Meta, other: Meta) -> bool {
    one.modified.zip(other.modified).is_some_and(|(one, other)| one > other)
}

/// What is known of a file without its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its size in bytes.
    pub size: u64,
    /// What else.
    pub meta: Meta,
}

impl From<&Metadata> for Known {
    fn from(metadata: &Metadata) -> Known {
        Known { size: metadata.len(), meta: meta(metadata) }
    }
}

/// What is known of a file that goes somewhere, before any of its bytes go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Nothing is there.
    Nothing,
    /// A file is there that has the size and the time of this one.
    Unchanged,
    /// Something is there that is not replaced.
    Kept,
    /// Something is there that may be another.
    Other {
        /// Its size tells that it is.
        surely: bool,
    },
}

/// The deed of who does nothing, which is a failure.
pub const REFUSE: &str = "refuse";

/// What is done about something that stands where a link goes: the same, or another thing. As [`Standing::deed`].
pub fn link_deed(one: Meta, there: LinkPlace, over: Over) -> &'static str {
    match (there, over) {
        (LinkPlace::Free, _) => "link",
        (LinkPlace::Same, _) => "unchanged",
        (LinkPlace::Folder, _) | (LinkPlace::Other(_), Over::Refuse) => REFUSE,
        (LinkPlace::Other(_), Over::Keep) => "keep",
        (LinkPlace::Other(there), Over::Update { .. }) if !is_newer(one, there) => "keep",
        (LinkPlace::Other(_), Over::Update { .. } | Over::Replace { .. }) => "replace",
    }
}

/// What stands where a link goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkPlace {
    /// Nothing.
    Free,
    /// The same link.
    Same,
    /// A folder, or what no link replaces.
    Folder,
    /// A file, or another link.
    Other(Meta),
}

impl Standing {
    /// Of the file `there`, where `one` goes.
    pub fn of(one: Known, there: Known, over: Over, checksum: bool) -> Standing {
        let (same_size, modified) = (one.size == there.size, there.meta.modified);
        let same_time = modified.is_some() && modified == one.meta.modified;
        match over {
            Over::Keep => Standing::Kept,
            _ if same_time && same_size && !checksum => Standing::Unchanged,
            Over::Update { .. } if !is_newer(one.meta, there.meta) && !same_time => Standing::Kept,
            _ => Standing::Other { surely: !same_size },
        }
    }

    /// What is done then, in a word; `bring` is the word for a file that is not there.
    pub const fn deed(self, over: Over, bring: &'static str) -> &'static str {
        match (self, over) {
            (Standing::Nothing, _) => bring,
            (Standing::Unchanged, _) => "unchanged",
            (Standing::Kept, _) => "keep",
            (Standing::Other { surely: true }, Over::Refuse) => REFUSE,
            // Contents decide, and perhaps times that are not known yet.
            (Standing::Other { surely: false }, _) => "compare",
            (Standing::Other { surely: true }, _) => "replace",
        }
    }
}

impl Job {
    /// What stands where it goes.
    pub fn standing(&self, care: Care) -> Standing {
        match &self.target {
            Target::Destination(place) => self.standing_at(place, care),
            Target::Outlet(_) => Standing::Nothing,
        }
    }

    fn standing_at(&self, place: &Destination, care: Care) -> Standing {
        let Some(there) = place.there() else { return Standing::Nothing };
        match self.meta.filter(|_| there.is_file()) {
            Some(meta) => Standing::of(Known { size: self.size, meta }, (&there).into(), care.over, care.checksum),
            None if care.over == Over::Keep => Standing::Kept,
            None => Standing::Other { surely: false },
        }
    }

    /// Gives a file that is unchanged the mode of this one.
    pub fn restamp(&self) {
        if let (Target::Destination(place), Some(listed)) = (&self.target, self.meta)
            && let Ok(file) = place.folder().and_then(|folder| folder.read(&place.name))
            && file.metadata().is_ok_and(|there: Metadata| there.is_file() && meta(&there).mode != listed.mode)
        {
            set_meta(&file, listed);
        }
    }
}
