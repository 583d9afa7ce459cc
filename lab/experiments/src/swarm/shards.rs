//! A swarm that is spread over machines.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Swept;
use crate::lab::{MergeError, Shard};

/// What a shard of a swarm has written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Which.
    pub shard: Shard,
    /// By this version.
    pub version: String,
    /// With its part of these seeds.
    pub seeds: String,
    /// What it came to.
    pub swept: Swept,
}

/// What shards have written, by the names of their files, as one machine would have come to it.
///
/// # Errors
/// If it is not all shards of one swarm, each once.
pub fn merge(written: &[(String, String)]) -> Result<Swept, MergeError> {
    let mut parts: BTreeMap<Shard, (&String, Part)> = BTreeMap::new();
    for (file, text) in written {
        let unreadable = |error: serde_json::Error| MergeError::Unreadable(file.clone(), error.to_string());
        let part: Part = serde_json::from_str(text).map_err(unreadable)?;
        if let Some((other, first)) = parts.values().next()
            && !part.is_of_one_job_with(first)
        {
            return Err(MergeError::Others((*other).clone(), file.clone()));
        }
        let shard = part.shard;
        if let Some((other, _)) = parts.insert(shard, (file, part)) {
            return Err(MergeError::Twice(other.clone(), file.clone(), shard));
        }
    }
    let (_, first) = parts.values().next().ok_or(MergeError::Nothing)?;
    if let Some(missing) = first.shard.all().find(|shard| !parts.contains_key(shard)) {
        return Err(MergeError::Missing(missing));
    }
    let families: Vec<_> = first.swept.families.iter().map(|(family, _)| *family).collect();
    let mut swept = Swept::of(&families);
    parts.values().for_each(|(_, part)| swept.add(&part.swept));
    Ok(swept)
}

impl Part {
    fn is_of_one_job_with(&self, other: &Part) -> bool {
        let families = |part: &Part| part.swept.families.iter().map(|(family, _)| *family).collect::<Vec<_>>();
        let of = |part: &Part| (part.shard.count(), part.version.clone(), part.seeds.clone(), families(part));
        of(self) == of(other)
    }
}
