//! What a server has in common with the others of its fleet: keys, the name of its door, how it knows what is spent. A
//! server without keys that somebody has named is alone.

use std::ffi::OsStr;
use std::path::Path;

use tng::trickles::{BloomSize, FilterConfig, ServerConfig};

use super::keys::{Edition, FleetKeys, KeysName, KeysPlace};
use crate::failure::Failure;
use crate::talk::Talk;

/// Connections of the other protocols, which these servers serve nothing: they only say so.
pub const CONNECTIONS_MAX: usize = 16;

/// In how many cases a server of a fleet may take a fresh packet for one that was spent, as in the paper.
pub const FALSE_SHARE: f64 = 0.000_2;

/// The fleet that a server belongs to.
#[derive(Clone, Debug)]
pub struct Membership {
    /// What was named.
    named: Option<KeysName>,
    place: KeysPlace,
}

impl Membership {
    /// That of a server whose identity is in the file `key`, with the keys that were named for it.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn of(named: Option<&KeysName>, key: &Path) -> Result<Membership, Failure> {
        let place = named.map_or_else(|| Ok(KeysPlace::beside(key)), KeysPlace::named)?;
        Ok(Membership { named: named.cloned(), place })
    }

    /// Where the keys are.
    pub fn place(&self) -> &KeysPlace {
        &self.place
    }

    /// The keys to begin with. `seen` is what the server has gone by before; who is alone has none.
    ///
    /// # Errors
    /// As [`KeysPlace::follow`] and [`KeysPlace::load_or_create`].
    pub fn keys(&self, seen: Option<Edition>, talk: Talk) -> Result<FleetKeys, Failure> {
        // Who mistypes the name would have a fleet of its own.
        if self.named.is_some() {
            return self.place.follow(seen);
        }
        let (keys, is_new) = self.place.load_or_create()?;
        if is_new {
            talk.say(format_args!("keys made: {}", self.place));
        }
        Ok(keys)
    }

    /// The name of the door to what is served at `path`. Servers of a fleet have one, wherever that lies on each of
    /// them: a ticket is good at all.
    pub fn door(&self, kind: &str, path: &Path) -> Vec<u8> {
        let named: Option<&OsStr> = self.named.as_ref().and_then(KeysName::last);
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
            let named: Option<KeysName> = named.map(|named| named.parse().expect(named));
            let member = Membership::of(named.as_ref(), Path::new("/tmp/key")).expect("the folder is there");
            String::from_utf8(member.door("shop", Path::new(path))).expect("text")
        };
        assert_eq!(door(Some("/tmp/fleet.epochs"), "/one"), door(Some("/tmp/fleet.epochs"), "/two"));
        assert_eq!(door(Some("/tmp/fleet.epochs"), "/one"), "shop:fleet.epochs");
        assert_eq!(door(Some("etcd://127.0.0.1:1/fleets/one"), "/one"), "shop:fleets/one");
        assert_eq!((door(None, "/one"), door(None, "/two")), ("shop:/one".into(), "shop:/two".into()));
    }

    #[test]
    fn a_server_of_a_fleet_knows_by_packet_what_is_spent_and_one_alone_by_serial() {
        let filter = |named: Option<&str>| {
            let named: Option<KeysName> = named.map(|named| named.parse().expect(named));
            let member = Membership::of(named.as_ref(), Path::new("/tmp/key")).expect("the folder is there");
            member.server_config(false).filter
        };
        assert!(matches!(filter(Some("/tmp/fleet.epochs")), FilterConfig::Filters(..)));
        assert!(!matches!(filter(None), FilterConfig::Filters(..)));
    }
}
