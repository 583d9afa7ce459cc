//! What a server has in common with the others of its fleet: keys, the name of its door, how it knows what is spent. A
//! server without a file of keys that somebody has named is alone.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tng::trickles::{BloomSize, FilterConfig, ServerConfig};

use super::keys::{Edition, FleetKeys, KeysFile};
use crate::failure::Failure;
use crate::talk::{Talk, shown};

/// Connections of the other protocols, which these servers serve nothing: they only say so.
pub const CONNECTIONS_MAX: usize = 16;

/// In how many cases a server of a fleet may take a fresh packet for one that was spent, as in the paper.
pub const FALSE_SHARE: f64 = 0.000_2;

/// The fleet that a server belongs to.
#[derive(Clone, Debug)]
pub struct Membership {
    /// The file of keys that was named.
    named: Option<PathBuf>,
    file: KeysFile,
}

impl Membership {
    /// That of a server whose identity is in the file `key`, with the file of keys that was named for it.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn of(named: Option<&Path>, key: &Path) -> Result<Membership, Failure> {
        let file = named.map_or_else(|| Ok(KeysFile::beside(key)), KeysFile::named)?;
        Ok(Membership { named: named.map(Path::to_owned), file })
    }

    /// The file of keys.
    pub fn file(&self) -> &KeysFile {
        &self.file
    }

    /// The keys to begin with. `seen` is what the server has gone by before; who is alone has none.
    ///
    /// # Errors
    /// As [`KeysFile::follow`] and [`KeysFile::load_or_create`].
    pub fn keys(&self, seen: Option<Edition>, talk: Talk) -> Result<FleetKeys, Failure> {
        // Who mistypes the name would have a fleet of its own.
        if self.named.is_some() {
            return self.file.follow(seen);
        }
        let (keys, is_new) = self.file.load_or_create()?;
        if is_new {
            talk.say(format_args!("keys made: {}", shown(self.file.path())));
        }
        Ok(keys)
    }

    /// The name of the door to what is served at `path`. Servers of a fleet have one, wherever that lies on each of
    /// them: a ticket is good at all.
    pub fn door(&self, kind: &str, path: &Path) -> Vec<u8> {
        let named: Option<&OsStr> = self.named.as_deref().and_then(Path::file_name);
        [kind.as_bytes(), b":", named.unwrap_or(path.as_os_str()).as_encoded_bytes()].concat()
    }

    /// The settings of such a server, `silent` to who does not know its key.
    pub fn server_config(&self, silent: bool) -> ServerConfig {
        let mut config = ServerConfig::default();
        // By issuer and serial a server does not see that what two servers gave out stands for one packet.
        if self.named.is_some() {
            config.filter = FilterConfig::Filters(BloomSize::PAPER, FALSE_SHARE);
        }
        config.set_up.silent = silent;
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doors_of_a_fleet_have_one_name_and_those_of_servers_alone_have_one_each() {
        let door = |named: Option<&str>, path: &str| {
            let member = Membership::of(named.map(Path::new), Path::new("/tmp/key")).expect("the folder is there");
            String::from_utf8(member.door("shop", Path::new(path))).expect("text")
        };
        assert_eq!(door(Some("/tmp/fleet.epochs"), "/one"), door(Some("/tmp/fleet.epochs"), "/two"));
        assert_eq!(door(Some("/tmp/fleet.epochs"), "/one"), "shop:fleet.epochs");
        assert_eq!((door(None, "/one"), door(None, "/two")), ("shop:/one".into(), "shop:/two".into()));
    }

    #[test]
    fn a_server_of_a_fleet_knows_by_packet_what_is_spent_and_one_alone_by_serial() {
        let filter = |named: Option<&str>| {
            let member = Membership::of(named.map(Path::new), Path::new("/tmp/key")).expect("the folder is there");
            member.server_config(false).filter
        };
        assert!(matches!(filter(Some("/tmp/fleet.epochs")), FilterConfig::Filters(..)));
        assert!(!matches!(filter(None), FilterConfig::Filters(..)));
    }
}
