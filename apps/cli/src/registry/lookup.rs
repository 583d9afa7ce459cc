//! What is found at registries, and what becomes of a command that finds nothing.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tng::Endpoint;
use tng::registry::{Denied, Found, RegistryError, RegistryTarget};
use tng_base::Eid;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::registry::known;
use crate::route;
use crate::talk::Talk;

/// Where a host is, as the registries of the endpoint say.
///
/// # Errors
/// See [`failure`].
pub async fn find(endpoint: &Endpoint, eid: Eid, talk: Talk) -> Result<Found, Failure> {
    let token = known::token_of(eid)?;
    reachable(&endpoint.registries_asked(), || format!("looking up {eid}"))?;
    let found = endpoint.look_up_with(eid, token).await.map_err(|error| failure(eid, error))?;
    if let Some(error) = endpoint.take_registry_failure() {
        tracing::warn!("what was seen is not kept: {error}");
    }
    if let Some(old) = found.succeeded {
        talk.say(format_args!("{old} goes by another key now, and has signed that: {}", found.eid));
    }
    talk.event("found", &to_json(&found));
    Ok(found)
}

/// That the system has a way to one of these registries, which need not be waited for if it has none.
///
/// # Errors
/// By the first of them.
pub fn reachable(registries: &[RegistryTarget], what: impl Fn() -> String) -> Result<(), Failure> {
    let addresses: Vec<SocketAddr> = registries.iter().flat_map(|registry| registry.addresses.clone()).collect();
    let what = || registries.first().map_or_else(&what, |first| format!("{} at the registry {}", what(), first.eid));
    route::missing(&addresses, what).map_or(Ok(()), Err)
}

/// What was found, for programs.
pub fn to_json(found: &Found) -> Value {
    let texts = |addresses: &[SocketAddr]| addresses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let attended = found.attended.as_ref().map(|attended| {
        json!({
            "registry": attended.registry.to_string(),
            "registry_addresses": texts(&attended.addresses),
            "observed": attended.observed.to_string(),
        })
    });
    json!({
        "eid": found.eid.to_string(),
        "succeeded": found.succeeded.map(|eid| eid.to_string()),
        "number": found.record.number,
        "expires_unix_s": found.record.expires_s,
        "addresses": texts(&found.record.addresses),
        "attended": attended,
    })
}

/// That a host was not found. What is said in its name and it has not signed ends as a wrong key does.
pub fn failure(eid: Eid, error: RegistryError) -> Failure {
    let what = format!("looking up {eid}");
    match error {
        RegistryError::NoneKnown => {
            Failure::new(Exit::Resolve, what, "no registry is known that could say where it is")
                .or_try("--registry REGISTRY or TNG_REGISTRY; or EID@host:port, or a ticket")
        }
        error => Failure::told(exit_of(&error), what, error),
    }
}

fn exit_of(error: &RegistryError) -> Exit {
    match error {
        RegistryError::Lie { .. } | RegistryError::Revoked(_) | RegistryError::OtherHeir { .. } => Exit::WrongPeer,
        RegistryError::Denied(Denied::Unavailable | Denied::NotAttended | Denied::Full) => Exit::Connect,
        RegistryError::Denied(_) => Exit::Denied,
        RegistryError::NoRegistry(_) | RegistryError::Malformed => Exit::Protocol,
        RegistryError::NotReached { error: tng::ConnectError::WrongPeer { .. }, .. } => Exit::WrongPeer,
        RegistryError::NotReached { error: tng::ConnectError::Refused { .. }, .. } => Exit::Denied,
        RegistryError::NotReached { .. } | RegistryError::NoAnswer { .. } => Exit::Connect,
        RegistryError::Seen { .. } => Exit::Read,
        _ => Exit::Resolve,
    }
}

#[cfg(test)]
mod tests {
    use tng::RequestError;
    use tng::registry::{Flaw, Order};

    use super::*;

    #[test]
    fn a_registry_to_which_there_is_no_way_is_not_waited_for() {
        let at = |text: &str| RegistryTarget {
            eid: Eid::from_bytes([1; 32]),
            addresses: vec![text.parse().expect("an address")],
            door: None,
        };
        let asked = |registries: &[RegistryTarget]| reachable(registries, || "looking up".to_owned());
        // Of no interface.
        let failure = asked(&[at("[fe80::1]:9")]).expect_err("no way");
        assert!(failure.exit == Exit::Connect && failure.what.contains("at the registry"), "{failure}");
        assert_eq!(asked(&[at("[fe80::1]:9"), at("127.0.0.1:9")]), Ok(()), "control: to one there is");
        assert_eq!(asked(&[]), Ok(()), "that none is known is told otherwise");
    }

    #[test]
    fn a_lie_ends_as_a_wrong_key_does_and_an_absence_as_a_name_without_an_address() {
        let [of, registry] = [1, 2].map(|n| Eid::from_bytes([n; 32]));
        let order = |number| Order { rank: 0, number };
        let addresses = vec!["192.0.2.1:4860".parse().expect("an address")];
        let dead = || Box::new(RegistryTarget { eid: registry, addresses: addresses.clone(), door: None });
        let late = RequestError::TimedOut(std::time::Duration::from_secs(5));
        for (error, exit) in [
            (RegistryError::Lie { registry, of, flaw: Flaw::Signature }, Exit::WrongPeer),
            (RegistryError::Revoked(of), Exit::WrongPeer),
            (RegistryError::Absent(of), Exit::Resolve),
            (RegistryError::Behind { registry, of, has: order(1), seen: order(2) }, Exit::Resolve),
            (RegistryError::NoneKnown, Exit::Resolve),
            (RegistryError::Denied(Denied::TooOften), Exit::Denied),
            (RegistryError::NotReached { registry: dead(), error: tng::ConnectError::TimedOut }, Exit::Connect),
            (RegistryError::NoAnswer { registry: dead(), error: late }, Exit::Connect),
        ] {
            let failure = failure(of, error);
            if exit == Exit::Connect {
                assert!(failure.why.contains(&format!("{registry}@192.0.2.1:4860")), "{failure}");
            }
            assert_eq!(failure.exit, exit, "{failure}");
            assert!(!failure.remedy.is_empty(), "{failure}");
        }
    }
}
