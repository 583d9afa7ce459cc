//! Where a registry keeps what hosts say, as a word on a command line.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use tng::registry::{Memory, Store};

use super::file::FileStore;
use crate::failure::Failure;

/// A place to keep what hosts say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum StorePlace {
    /// The process's memory: hosts register anew within seconds of its end.
    #[default]
    Memory,
    /// A file.
    File(PathBuf),
}

impl FromStr for StorePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<StorePlace, String> {
        match (text, text.strip_prefix("file:")) {
            ("memory", _) => Ok(StorePlace::Memory),
            (_, Some(path)) if !path.is_empty() => Ok(StorePlace::File(path.into())),
            _ => Err("write memory, or file:PATH".to_owned()),
        }
    }
}

impl std::fmt::Display for StorePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StorePlace::Memory => f.write_str("memory"),
            StorePlace::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

impl StorePlace {
    /// The store, with room for so many hosts.
    ///
    /// # Errors
    /// If it is not to be had.
    pub fn open(&self, hosts_max: usize, now_ms: u64) -> Result<Arc<dyn Store>, Failure> {
        let store: Arc<dyn Store> = match self {
            StorePlace::Memory => Arc::new(Memory::new(hosts_max)),
            StorePlace::File(path) => Arc::new(FileStore::open(path, hosts_max, now_ms)?),
        };
        Ok(store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_as_it_is_shown() {
        for text in ["memory", "file:hosts.db", "file:/var/lib/tng-registry/hosts.db"] {
            assert_eq!(text.parse::<StorePlace>().expect(text).to_string(), text);
        }
        for text in ["", "file:", "disk", "Memory"] {
            assert!(text.parse::<StorePlace>().is_err(), "{text}");
        }
    }
}
