//! What stands already where a file goes, and what is done about it.

use std::fs::Metadata;

use clap::Args;

use super::beneath::set_meta;
use super::root::meta;
use super::{Care, Job, Place, Target};
use tng_services::files::Meta;

/// What is done about another file, or link, that stands where one goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Over {
    /// It stays, and that is a failure.
    #[default]
    Refuse,
    /// It stays, whatever it is.
    Keep,
    /// It is replaced if it is older.
    Update,
    /// It is replaced.
    Replace,
    /// It is replaced, and gets another name.
    Backup,
}

impl Over {
    /// Whether something that stands there may be replaced at all.
    pub const fn may_replace(self) -> bool {
        matches!(self, Over::Update | Over::Replace | Over::Backup)
    }
}

/// What is done about files that are there already.
#[derive(Args, Clone, Copy, Debug)]
#[group(multiple = false)]
pub struct OverArgs {
    /// Replace files here that differ and are older
    #[arg(long)]
    update: bool,
    /// Replace files here that differ
    #[arg(long)]
    replace: bool,
    /// Replace files here that differ; what was there is NAME.~1~ then, or NAME.~2~ and so on
    #[arg(long)]
    backup: bool,
    /// Leave what is here as it is, and fetch the rest
    #[arg(long)]
    no_clobber: bool,
}

impl OverArgs {
    /// What is asked for.
    pub const fn over(self) -> Over {
        match self {
            OverArgs { update: true, .. } => Over::Update,
            OverArgs { replace: true, .. } => Over::Replace,
            OverArgs { backup: true, .. } => Over::Backup,
            OverArgs { no_clobber: true, .. } => Over::Keep,
            _ => Over::Refuse,
        }
    }
}

/// Whether a file is newer than another, as far as is known.
pub fn is_newer(one: Meta, other: Meta) -> bool {
    one.modified.zip(other.modified).is_some_and(|(one, other)| one > other)
}

/// What is known of a file that goes somewhere, before it is asked for.
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

impl Standing {
    /// What is done then, in a word.
    pub const fn deed(self, over: Over) -> &'static str {
        match (self, over) {
            (Standing::Nothing, _) => "fetch",
            (Standing::Unchanged, _) => "unchanged",
            (Standing::Kept, _) => "keep",
            (Standing::Other { surely: true }, Over::Refuse) => "refuse",
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
            Target::Place(place) => self.standing_at(place, care),
            Target::Outlet(_) => Standing::Nothing,
        }
    }

    fn standing_at(&self, place: &Place, care: Care) -> Standing {
        let Some(there) = place.there() else { return Standing::Nothing };
        let Some(listed) = self.meta.filter(|_| there.is_file()) else {
            return if care.over == Over::Keep { Standing::Kept } else { Standing::Other { surely: false } };
        };
        let (size, own) = (there.len(), meta(&there));
        let same_time = own.modified.is_some() && own.modified == listed.modified;
        match care.over {
            Over::Keep => Standing::Kept,
            _ if same_time && size == self.size && !care.checksum => Standing::Unchanged,
            Over::Update if !is_newer(listed, own) && !same_time => Standing::Kept,
            _ => Standing::Other { surely: size != self.size },
        }
    }

    /// Gives a file that is unchanged the mode of this one.
    pub fn restamp(&self) {
        if let (Target::Place(place), Some(listed)) = (&self.target, self.meta)
            && let Ok(file) = place.folder().and_then(|folder| folder.read(&place.name))
            && file.metadata().is_ok_and(|there: Metadata| there.is_file() && meta(&there).mode != listed.mode)
        {
            set_meta(&file, listed);
        }
    }
}
