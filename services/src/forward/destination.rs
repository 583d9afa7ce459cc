//! Where a TCP connection is to go.

use core::fmt;
use core::net::SocketAddr;
use core::str::FromStr;

use tng_base::PeerText;

use super::HOST_MAX;

/// A host, by name or address, and a port; neither is empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Destination {
    host: String,
    port: u16,
}

/// Why a text is no [`Destination`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoDestination {
    /// No host or no port.
    #[error("write HOST:PORT; IPv6 addresses stand in brackets")]
    Form,
    /// The host is empty or too long, or has characters that no host has.
    #[error("that is no name of a host, and no address")]
    Host,
    /// The port is 0 or above 65535.
    #[error("a port is a number from 1 to 65535")]
    Port,
}

impl Destination {
    /// A destination; the host is an IPv4 address, an IPv6 address without brackets, or a name.
    ///
    /// # Errors
    /// If the host cannot be one, or the port is 0.
    pub fn new(host: &str, port: u16) -> Result<Destination, NoDestination> {
        // Whether there is such a host is for a resolver to say; here only what could confuse a reader is kept out.
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | ':' | '%');
        let is_shown = || PeerText::new(host).to_string() == host;
        if host.is_empty() || host.len() > HOST_MAX || !host.chars().all(fits) || !is_shown() {
            return Err(NoDestination::Host);
        }
        if port == 0 { Err(NoDestination::Port) } else { Ok(Destination { host: host.to_owned(), port }) }
    }

    /// The name or address, an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port; not 0.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Whether `other` is the same when letters of either case are the same, as in names of hosts.
    pub fn is(&self, other: &Destination) -> bool {
        self.port == other.port && self.host.eq_ignore_ascii_case(&other.host)
    }

    /// Reads `HOST:PORT` or `HOST`, which then has the port `default`; IPv6 addresses stand in brackets.
    ///
    /// # Errors
    /// See [`NoDestination`].
    pub fn parse(text: &str, default: Option<u16>) -> Result<Destination, NoDestination> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or(NoDestination::Form)?;
                if !host.contains(':') {
                    return Err(NoDestination::Host);
                }
                match port {
                    "" => (host, None),
                    port => (host, Some(port.strip_prefix(':').ok_or(NoDestination::Form)?)),
                }
            }
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let port = match (port, default) {
            // `str::parse` takes a sign as well.
            (Some(port), _) if port.bytes().all(|b| b.is_ascii_digit()) => {
                port.parse().map_err(|_| NoDestination::Port)?
            }
            (Some(_), _) => return Err(NoDestination::Port),
            (None, Some(port)) => port,
            (None, None) => return Err(NoDestination::Form),
        };
        Destination::new(host, port)
    }
}

impl From<SocketAddr> for Destination {
    /// A port of 0 becomes 1: both lead nowhere.
    fn from(address: SocketAddr) -> Destination {
        Destination { host: address.ip().to_string(), port: address.port().max(1) }
    }
}

impl FromStr for Destination {
    type Err = NoDestination;

    fn from_str(text: &str) -> Result<Destination, NoDestination> {
        Destination::parse(text, None)
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name may come from a peer, and not every letter can be seen.
        let (host, port) = (PeerText::new(&self.host), self.port);
        if self.host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_survives_its_text_form() {
        for text in ["example.org:80", "192.0.2.1:443", "[2001:db8::1]:22", "bücher.example:1"] {
            assert_eq!(text.parse::<Destination>().map(|d| d.to_string()).as_deref(), Ok(text));
        }
        assert_eq!(Destination::parse("[::1]", Some(80)).map(|d| d.to_string()).as_deref(), Ok("[::1]:80"));
    }

    #[test]
    fn what_is_no_destination_says_why() {
        use NoDestination::{Form, Host, Port};
        for (text, why) in [
            ("example.org", Form),
            ("[::1", Form),
            ("[::1]80", Form),
            ("[a]:80", Host),
            (":80", Host),
            ("a b:80", Host),
            ("user@a:80", Host),
            ("a\r\n:80", Host),
            ("\u{6ed}_.1:80", Host),
            ("a:0", Port),
            ("a:65536", Port),
            ("a:+80", Port),
            ("a:", Port),
            ("::1:80", Port),
        ] {
            assert_eq!(text.parse::<Destination>(), Err(why), "{text}");
        }
        assert_eq!(Destination::new(&"a".repeat(256), 1), Err(Host));
    }
}
