//! Where a registry keeps what hosts say, as a word on a command line.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::json;
use tng::registry::{Memory, Store, StoreError};

use super::etcd::{EtcdConfig, EtcdStore, SESSION};
use super::file::FileStore;
use super::parts::Parts;
use crate::etcd::EtcdPlace;
use crate::failure::Failure;
use crate::talk::Talk;

/// Clusters of etcd that share the hosts.
pub const PARTS_MAX: usize = 64;

/// A place to keep what hosts say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum StorePlace {
    /// The process's memory: hosts register anew within seconds of its end.
    #[default]
    Memory,
    /// A file.
    File(PathBuf),
    /// A cluster of etcd, or several that share the hosts: one at least.
    Etcd(Vec<EtcdPlace>),
}

impl FromStr for StorePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<StorePlace, String> {
        match (text, text.strip_prefix("file:")) {
            ("memory", _) => Ok(StorePlace::Memory),
            (_, Some(path)) if !path.is_empty() => Ok(StorePlace::File(path.into())),
            _ if text.starts_with("etcd://") => {
                let places: Vec<EtcdPlace> = text.split(' ').map(str::parse).collect::<Result<_, _>>()?;
                match places.len() {
                    1..=PARTS_MAX => Ok(StorePlace::Etcd(places)),
                    _ => Err(format!("name {PARTS_MAX} clusters at most")),
                }
            }
            _ => Err("write memory, file:PATH, or etcd://IP:PORT,IP:PORT/PREFIX".to_owned()),
        }
    }
}

impl std::fmt::Display for StorePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StorePlace::Memory => f.write_str("memory"),
            StorePlace::File(path) => write!(f, "file:{}", path.display()),
            StorePlace::Etcd(places) => {
                let places: Vec<String> = places.iter().map(ToString::to_string).collect();
                f.write_str(&places.join(" "))
            }
        }
    }
}

impl StorePlace {
    /// What several words name together: clusters that share the hosts, or what the only one names.
    ///
    /// # Errors
    /// If they name what cannot be together.
    pub fn of(words: &[StorePlace]) -> Result<StorePlace, Failure> {
        match words {
            [] => Ok(StorePlace::Memory),
            [place] => Ok(place.clone()),
            several => {
                let texts: Vec<String> = several.iter().map(ToString::to_string).collect();
                texts.join(" ").parse().map_err(|_| {
                    Failure::usage("choosing the store", "only clusters of etcd share the hosts")
                        .or_try("--store once; or --store etcd://IP:PORT/PREFIX for each cluster")
                })
            }
        }
    }

    /// Whether it is reached by TCP.
    pub fn connects(&self) -> bool {
        matches!(self, StorePlace::Etcd(_))
    }

    /// The store, with room for so many hosts. To be called where tasks can be spawned.
    ///
    /// # Errors
    /// If it is not to be had.
    pub fn open(&self, hosts_max: usize, now_ms: u64, talk: Talk) -> Result<Arc<dyn Store>, Failure> {
        let store: Arc<dyn Store> = match self {
            StorePlace::Memory => Arc::new(Memory::new(hosts_max)),
            StorePlace::File(path) => Arc::new(FileStore::open(path, hosts_max, now_ms)?),
            StorePlace::Etcd(places) => {
                let part = |(which, place): (usize, &EtcdPlace)| {
                    let named = place.clone();
                    let tell = Arc::new(move |trouble: Option<&StoreError>| tell(&named, trouble, talk));
                    let part = (which, places.len());
                    let config = EtcdConfig { place: place.clone(), part, hosts_max, session: SESSION, tell };
                    let opened = EtcdStore::open(config);
                    let opened = opened.map_err(|error| Failure::read("drawing random numbers", &error))?;
                    Ok(Arc::new(opened) as Arc<dyn Store>)
                };
                let mut stores: Vec<_> = places.iter().enumerate().map(part).collect::<Result<_, Failure>>()?;
                match stores.len() {
                    1 => stores.remove(0),
                    _ => Arc::new(Parts::new(stores)),
                }
            }
        };
        Ok(store)
    }
}

/// Says whether a cluster answers.
fn tell(place: &EtcdPlace, trouble: Option<&StoreError>, talk: Talk) {
    let (place, why) = (place.to_string(), trouble.map(ToString::to_string));
    match &why {
        Some(why) => talk.warn(format_args!("{why}; until then {place} is answered for from memory")),
        None => talk.say(format_args!("{place} answers again")),
    }
    let name = if why.is_some() { "store_silent" } else { "store_answers" };
    talk.event(name, &json!({ "store": place, "why": why }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_as_it_is_shown() {
        let etcd = "etcd://127.0.0.1:2379,127.0.0.1:2380/tng";
        let two = "etcd://127.0.0.1:2379/a etcd://127.0.0.1:2380/b";
        for text in ["memory", "file:hosts.db", "file:/var/lib/tng-registry/hosts.db", etcd, two] {
            assert_eq!(text.parse::<StorePlace>().expect(text).to_string(), text);
        }
        for text in ["", "file:", "disk", "Memory", "etcd://", "etcd://127.0.0.1:1/a memory"] {
            assert!(text.parse::<StorePlace>().is_err(), "{text}");
        }
    }

    #[test]
    fn clusters_that_are_named_apart_share_the_hosts_and_nothing_else_does() {
        let of = |words: &[&str]| {
            let words: Vec<StorePlace> = words.iter().map(|word| word.parse().expect(word)).collect();
            StorePlace::of(&words).map(|place| place.to_string())
        };
        assert_eq!(of(&[]).expect("the usual one"), "memory");
        assert_eq!(of(&["file:a"]).expect("one"), "file:a");
        let two = of(&["etcd://127.0.0.1:1/a", "etcd://127.0.0.1:2/a"]);
        assert_eq!(two.expect("two clusters"), "etcd://127.0.0.1:1/a etcd://127.0.0.1:2/a");
        let failure = of(&["etcd://127.0.0.1:1/a", "memory"]).expect_err("not together");
        assert!(failure.remedy.contains("for each cluster"), "{failure}");
    }
}
