//! A ticket of a relay, made of its configuration and its key, whether it runs or not. It opens nothing, and is no
//! secret: whom the relay helps is settled by capabilities.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tng::Ticket;

use super::config::RelayConfig;
use crate::daemon::told::{self, Origin};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key;

/// Where the unit of this repository has a relay's key.
pub const SYSTEM_KEY: &str = "/var/lib/tng-relay/relay-identity";

const WHAT: &str = "making a ticket of the relay";

/// A ticket of the relay that is so configured: by its key, or that in `key`; at `addresses`, or where it says that it
/// is.
///
/// # Errors
/// If it is not said where it is, or there is no key yet: none is made, which would be another relay's.
pub fn ticket(config: &RelayConfig, key: Option<&Path>, addresses: &[SocketAddr]) -> Result<Ticket, Failure> {
    let addresses = places(config, addresses)?;
    let key = match key {
        Some(key) => key.to_owned(),
        None => key_of(config, Path::new(SYSTEM_KEY))?,
    };
    let never_begun = "start the relay once, which makes its key; or --key FILE with that of the relay";
    let identity = key::load(&key).map_err(|failure| match failure.remedy.is_empty() {
        true => failure.or_try(never_begun),
        false => failure,
    })?;
    Ticket::new(identity.eid(), addresses, Vec::new()).map_err(|error| Failure::usage(WHAT, error))
}

/// The file of its key: where the configuration says, else this user's, else that of the unit at `system`.
fn key_of(config: &RelayConfig, system: &Path) -> Result<PathBuf, Failure> {
    let told = config.told.iter().find(|told| told.key == "relay.key");
    let (own, origin) = (&config.fixed.key, told.map(|told| &told.origin));
    match origin {
        Some(Origin::Homeless) if !system.exists() => told::check_home(WHAT, &config.told)?,
        Some(Origin::Default | Origin::Homeless) if system.exists() => {}
        _ => return Ok(own.clone()),
    }
    if origin == Some(&Origin::Default) && own.exists() {
        let why = format!("there are keys of two relays, {} and {}", own.display(), system.display());
        return Err(Failure::usage(WHAT, why).or_try(format!("--key {}, or the other", system.display())));
    }
    Ok(system.to_owned())
}

/// Where it is.
fn places(config: &RelayConfig, given: &[SocketAddr]) -> Result<Vec<SocketAddr>, Failure> {
    let (listen, own) = (config.fixed.listen, &config.helper.own);
    let places: Vec<SocketAddr> = match (given, &own[..]) {
        ([], []) => vec![listen],
        ([], own) => own.iter().map(|ip| SocketAddr::new(*ip, listen.port())).collect(),
        (given, _) => given.to_vec(),
    };
    let is_place = |place: &SocketAddr| !place.ip().is_unspecified() && place.port() != 0;
    if !places.iter().all(is_place) {
        return Err(Failure::new(Exit::Usage, WHAT, "its configuration does not say where clients find it")
            .or_try("--address HOST:PORT; or its addresses in own, under [relay]"));
    }
    if places.len() > Ticket::ADDRESSES_MAX {
        let why = format!("it is at {} addresses, and a ticket names {} at most", places.len(), Ticket::ADDRESSES_MAX);
        return Err(Failure::usage(WHAT, why).or_try("--address HOST:PORT for each that it should name"));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::daemon::told::Places;

    fn config(folder: &Path, more: &str) -> RelayConfig {
        let state = || (folder.to_owned(), Origin::Default);
        RelayConfig::parse(&format!("[relay]\n{more}"), &Places { state: state(), runtime: state() })
            .expect("it is good")
    }

    #[test]
    fn a_ticket_of_a_relay_names_its_key_and_its_own_addresses_and_opens_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = folder.path().join("relay-identity");
        let config = config(folder.path(), "own = ['192.0.2.1', '2001:db8::1']\nlisten = ':5000'\n");
        let none = ticket(&config, None, &[]).expect_err("there is no key");
        assert!(none.remedy.starts_with("start the relay once") && !key.exists(), "none is made: {none}");
        let eid = key::create(&key).expect("made").eid();
        let made = ticket(&config, None, &[]).expect("made");
        let addresses: Vec<String> = made.addresses().iter().map(ToString::to_string).collect();
        assert_eq!((made.eid(), addresses), (eid, vec!["192.0.2.1:5000".to_owned(), "[2001:db8::1]:5000".to_owned()]));
        assert_eq!(made.capability(), [0; 0]);
        let given = "198.51.100.1:4860".parse().expect("an address");
        assert_eq!(ticket(&config, Some(&key), &[given]).expect("made").addresses(), [given]);
    }

    #[test]
    fn a_relay_that_is_nowhere_in_particular_has_no_ticket_unless_its_address_is_given() {
        let folder = tempfile::tempdir().expect("a folder");
        key::create(&folder.path().join("relay-identity")).expect("made");
        let listens = |more: &str| ticket(&config(folder.path(), more), None, &[]).map_err(|failure| failure.remedy);
        assert!(listens("").expect_err("it listens everywhere").starts_with("--address HOST:PORT"));
        assert!(listens("listen = '192.0.2.1:0'").is_err(), "at any port");
        assert!(listens("listen = '192.0.2.1:4860'").is_ok(), "control");
    }

    #[test]
    fn of_two_keys_none_is_guessed() {
        let folder = tempfile::tempdir().expect("a folder");
        let system = folder.path().join("system");
        let own = folder.path().join("relay-identity");
        let config = config(folder.path(), "");
        assert_eq!(key_of(&config, &system), Ok(own.clone()));
        fs::write(&system, "").expect("written");
        assert_eq!(key_of(&config, &system), Ok(system.clone()), "the unit's alone");
        fs::write(own, "").expect("written");
        assert!(key_of(&config, &system).expect_err("two").remedy.starts_with("--key "));
    }
}
