//! `[registry]`: a relay that is a registry as well, and so reaches hosts behind NATs through the port to which they
//! keep a binding.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use tng::registry::{DeskConfig, Registry, Store};
use tng::{BindError, Endpoint};
use tng_settings::{Field, Result, Section};

use crate::clock;
use crate::commands::registry::{HOSTS_DEFAULT, HOSTS_MAX};
use crate::daemon::sandbox::folder_of;
use crate::daemon::told::{Teller, quoted};
use crate::failure::Failure;
use crate::registry::store::StorePlace;
use crate::talk::Talk;

/// What stands under `[registry]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegistryTable {
    /// Where it keeps what hosts say.
    pub store: StorePlace,
    /// Hosts that are registered, at most.
    pub hosts: usize,
}

impl RegistryTable {
    /// Its keys.
    pub const KEYS: &'static [&'static str] = &["store", "hosts"];

    pub(super) fn read(teller: &mut Teller, table: &Section<'_, '_>) -> Result<RegistryTable> {
        let at = (table, "registry");
        let store = |field: &Field<'_, '_>| match field.text()?.parse() {
            Ok(StorePlace::File(path)) if !path.is_absolute() => Err(field.wrong("write file: and a whole path")),
            parsed => parsed.map_err(|why: String| field.wrong(why)),
        };
        let hosts = |field: &Field<'_, '_>| field.whole(1..u64::from(HOSTS_MAX) + 1).map(|hosts| hosts as usize);
        Ok(RegistryTable {
            store: teller.value(at, "store", StorePlace::Memory, store, |store| quoted(store))?,
            hosts: teller.value(at, "hosts", HOSTS_DEFAULT as usize, hosts, usize::to_string)?,
        })
    }

    /// The folder in which it writes, if it does.
    pub fn folder(&self) -> Option<PathBuf> {
        match &self.store {
            StorePlace::Memory | StorePlace::Etcd(_) => None,
            StorePlace::File(path) => Some(folder_of(path)),
        }
    }

    /// What it keeps hosts in.
    ///
    /// # Errors
    /// If that is not to be had.
    pub fn open(&self, talk: Talk) -> core::result::Result<Arc<dyn Store>, Failure> {
        self.store.open(self.hosts, clock::since_1970().as_millis() as u64, talk)
    }

    /// Is a registry from now on, which keeps hosts there.
    ///
    /// # Errors
    /// If the endpoint serves it already.
    pub fn begin(
        &self,
        endpoint: &Endpoint,
        own: &[IpAddr],
        kept: Arc<dyn Store>,
    ) -> core::result::Result<Running, BindError> {
        let port = endpoint.local_addr().port();
        let own: Vec<_> = own.iter().map(|ip| SocketAddr::new(*ip, port)).collect();
        let addresses = if own.is_empty() { endpoint.local_addresses() } else { own };
        let desk = DeskConfig { attending_max: self.hosts, ..DeskConfig::default() };
        let registry = endpoint.serve_registry(desk, &addresses, kept)?;
        Ok(Running { registry, store: self.store.clone() })
    }
}

/// A registry that runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// What it does.
    pub registry: Registry,
    /// Where it keeps what hosts say.
    pub store: StorePlace,
}

#[cfg(test)]
mod tests {
    use super::super::config::RelayConfig;
    use super::*;
    use crate::daemon::told::{Origin, Places};

    fn config(text: &str) -> core::result::Result<RelayConfig, String> {
        let place = || ("/s".into(), Origin::Default);
        RelayConfig::parse(text, &Places { state: place(), runtime: place() }).map_err(|error| error.to_string())
    }

    #[test]
    fn a_relay_is_a_registry_where_its_file_says_so_and_keeps_hosts_in_memory_or_in_a_file() {
        assert_eq!(config("").expect("it is good").registry, None, "control: none that was not asked for");
        let plain = config("[registry]\n").expect("it is good").registry.expect("it is there");
        assert_eq!((&plain.store, plain.folder()), (&StorePlace::Memory, None));
        let kept = config("[registry]\nstore = 'file:/var/lib/r/hosts.db'\nhosts = 7\n").expect("it is good").registry;
        let kept = kept.expect("it is there");
        assert_eq!((kept.hosts, kept.folder()), (7, Some("/var/lib/r".into())));
        for (wrong, why) in [
            ("store = 'file:hosts.db'", "line 2: store: write file: and a whole path"),
            ("store = 'disk'", "line 2: store: write memory, file:PATH, or etcd://"),
            ("hosts = 0", "line 2: hosts: write a whole number from 1"),
            ("host = 1", "did you mean \"hosts\"?"),
        ] {
            let fault = config(&format!("[registry]\n{wrong}\n")).map(|_| ()).expect_err(wrong);
            assert!(fault.contains(why), "{fault}");
        }
    }
}
