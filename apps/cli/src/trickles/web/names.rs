//! Which servers are meant by the name of a host.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tng_services::forward::Destination;

use super::Source;
use crate::location::Location;

/// What servers are called that were given no name.
pub const NAME_DEFAULT: &str = "files";
/// The port of `http:`: what is asked for by a name is asked for there.
const HTTP_PORT: u16 = 80;

/// Servers, and what they are called.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// The name of a host; nothing for those that are meant when none is named.
    pub name: Option<String>,
    /// What is called so.
    pub of: T,
}

impl<T> Named<T> {
    /// The name before a target, and the target. No target begins with a name and `=`.
    pub(super) fn split(text: &str) -> (Option<&str>, &str) {
        match text.split_once('=').filter(|(name, _)| is_name(name)) {
            Some((name, target)) => (Some(name), target),
            None => (None, text),
        }
    }
}

impl Named<Location> {
    /// Reads `NAME=TARGET`, or a target alone, by what reads a target.
    ///
    /// # Errors
    /// As `location`.
    pub fn parse(
        text: &str,
        location: impl FnOnce(&str) -> Result<Location, String>,
    ) -> Result<Named<Location>, String> {
        let (name, target) = Named::<Location>::split(text);
        Ok(Named { name: name.map(str::to_ascii_lowercase), of: location(target)? })
    }
}

/// That no two are called the same.
///
/// # Errors
/// What two are called.
pub fn check_names<T>(all: &[Named<T>]) -> Result<(), String> {
    let is_again = |at: usize| all[..at].iter().any(|before| before.name == all[at].name);
    match (0..all.len()).find(|at| is_again(*at)).map(|at| all[at].name.as_deref()) {
        None => Ok(()),
        Some(None) => Err("two targets have no name".to_owned()),
        Some(Some(name)) => Err(format!("two targets are called {name}")),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

/// For whom the door is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// For programs of this host, which have it as their proxy as well. A browser is one of them, and pages that it
    /// shows may have any name lead here (DNS rebinding): what is asked for by a name that is not known gets nothing.
    Proxy,
    /// For others, who know servers by names that are this gateway's.
    Gateway,
}

/// How a program says which servers it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Said<'a> {
    /// It asks here; with the field Host, if there is one.
    Here(Option<&'a Destination>),
    /// It wants to be led there.
    There(&'a Destination),
}

/// What is called how.
#[derive(Debug)]
pub struct Names<T = Arc<Source>> {
    role: Role,
    default: Option<T>,
    named: Vec<(String, T)>,
}

impl<T> Names<T> {
    /// Names for these.
    pub fn new(role: Role, all: Vec<Named<T>>) -> Names<T> {
        let (mut default, mut named) = (None, Vec::new());
        for Named { name, of } in all {
            match name {
                Some(name) => named.push((name, of)),
                None => default = Some(of),
            }
        }
        Names { role, default, named }
    }

    /// For whom.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// All names, as programs may use them.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.pairs().map(|(name, _)| name)
    }

    /// What is meant where nobody says a name at all: what has none, or the first.
    pub(super) fn first(&self) -> Option<&T> {
        self.default.as_ref().or_else(|| self.named.first().map(|(_, of)| of))
    }

    /// All, and what each is called.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &T)> {
        let named = self.named.iter().map(|(name, of)| (&name[..], of));
        self.default.iter().map(|of| (NAME_DEFAULT, of)).chain(named)
    }

    /// What is meant by who came to `local`.
    pub(super) fn find(&self, said: Said<'_>, local: SocketAddr) -> Option<&T> {
        let (to, is_here) = match said {
            Said::Here(None) => return self.default.as_ref(),
            Said::Here(Some(to)) => (to, true),
            Said::There(to) => (to, self.role == Role::Gateway),
        };
        if is_own(to, local) {
            return self.default.as_ref();
        }
        // A program that asks here has come to the right port already.
        let named =
            self.named.iter().find(|(name, _)| is_here_or_http(is_here, to) && to.host().eq_ignore_ascii_case(name));
        let fallback = || match self.role {
            Role::Gateway => self.default.as_ref(),
            Role::Proxy if is_here_or_http(is_here, to) && to.host().eq_ignore_ascii_case(NAME_DEFAULT) => {
                self.default.as_ref()
            }
            Role::Proxy => None,
        };
        named.map(|(_, of)| of).or_else(fallback)
    }
}

fn is_here_or_http(is_here: bool, to: &Destination) -> bool {
    is_here || to.port() == HTTP_PORT
}

/// Whether a destination is this very door.
fn is_own(to: &Destination, local: SocketAddr) -> bool {
    let ip = to.host().parse::<IpAddr>();
    let is_host =
        to.host().eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.is_loopback() || ip == local.ip());
    is_host && to.port() == local.port()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(role: Role) -> Names<u8> {
        let named = |name: Option<&str>, of| Named { name: name.map(str::to_owned), of };
        Names::new(role, vec![named(None, 0), named(Some("films"), 1)])
    }

    fn found(role: Role, host: &str, is_here: bool) -> Option<u8> {
        let to: Destination = host.parse().expect("a destination");
        let said = if is_here { Said::Here(Some(&to)) } else { Said::There(&to) };
        names(role).find(said, "127.0.0.1:8080".parse().expect("an address")).copied()
    }

    #[test]
    fn a_proxy_answers_to_its_own_address_and_to_names_that_were_given() {
        for (host, here, there) in [
            ("127.0.0.1:8080", Some(0), Some(0)),
            ("localhost:8080", Some(0), Some(0)),
            ("[::1]:8080", Some(0), Some(0)),
            ("films:80", Some(1), Some(1)),
            ("FILMS:80", Some(1), Some(1)),
            ("films:8080", Some(1), None),
            ("files:80", Some(0), Some(0)),
            ("films:443", Some(1), None),
            // A page of somebody's that has its name lead here.
            ("evil.example:8080", None, None),
            ("evil.example:80", None, None),
            ("127.0.0.1:80", None, None),
            ("192.0.2.1:8080", None, None),
        ] {
            assert_eq!((found(Role::Proxy, host, true), found(Role::Proxy, host, false)), (here, there), "{host}");
        }
        let address = "127.0.0.1:8080".parse().expect("an address");
        assert_eq!(names(Role::Proxy).find(Said::Here(None), address), Some(&0));
    }

    #[test]
    fn a_gateway_has_names_of_its_own_and_all_others_mean_the_same() {
        for (host, of) in [("films:80", 1), ("www.example:80", 0), ("192.0.2.1:80", 0), ("films:8080", 1)] {
            assert_eq!(found(Role::Gateway, host, true), Some(of), "{host}");
            assert_eq!(found(Role::Gateway, host, false), Some(of), "{host}, as it is said to a proxy");
        }
        let alone = Names::new(Role::Gateway, vec![Named { name: Some("films".to_owned()), of: 1 }]);
        let to: Destination = "www.example:80".parse().expect("a destination");
        assert_eq!(alone.find(Said::Here(Some(&to)), "127.0.0.1:80".parse().expect("an address")), None::<&i32>);
    }

    #[test]
    fn a_name_stands_before_a_target_and_a_path_may_have_what_looks_like_one() {
        let eid = tng::Identity::from_seed([7; 32]).eid();
        let parse = |text: &str| Named::parse(text, |text| text.parse::<Location>().map_err(|error| error.to_string()));
        let target = format!("{eid}@192.0.2.7/a=b");
        let plain = parse(&target).expect("fine");
        assert_eq!((plain.name, plain.of.path.as_str()), (None, "a=b"));
        let named = parse(&format!("Films={target}")).expect("fine");
        assert_eq!((named.name.as_deref(), named.of.path.as_str()), (Some("films"), "a=b"));
        assert!(parse("films=x").is_err());
    }
}
