//! Where others see this host, and what that says of the NAT before it (RFC 4787, section 4.1).

use core::net::SocketAddr;
use std::collections::VecDeque;

/// Observers that are remembered, at most; beyond it the one that has told something longest ago is forgotten.
pub const OBSERVERS_MAX: usize = 8;

/// Which addresses and ports a NAT gives a host, as far as others have told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mapping {
    /// Nobody has told, or one alone.
    #[default]
    Unknown,
    /// The same, whomever it sends to: two observers see it alike.
    Same,
    /// Others to each whom it sends to: two observers do not see it alike.
    Each,
}

/// Where others see this host: by what each has told last.
#[derive(Clone, Default, Debug)]
pub struct Sightings {
    /// Who, and where. The latest is last.
    seen: VecDeque<(SocketAddr, SocketAddr)>,
}

impl Sightings {
    /// An observer tells where it sees this host now.
    pub fn note(&mut self, observer: SocketAddr, seen: SocketAddr) {
        self.seen.retain(|(by, _)| *by != observer);
        self.seen.push_back((observer, seen));
        if self.seen.len() > OBSERVERS_MAX {
            self.seen.pop_front();
        }
    }

    /// What the NAT before this host does; of the IP version where it is worse, if they differ.
    pub fn mapping(&self) -> Mapping {
        match (self.of_version(true), self.of_version(false)) {
            (Mapping::Each, _) | (_, Mapping::Each) => Mapping::Each,
            (Mapping::Same, _) | (_, Mapping::Same) => Mapping::Same,
            _ => Mapping::Unknown,
        }
    }

    fn of_version(&self, is_v4: bool) -> Mapping {
        let mut seen = self.seen.iter().map(|(_, seen)| *seen).filter(|seen| seen.is_ipv4() == is_v4);
        let (Some(first), Some(second)) = (seen.next(), seen.next()) else { return Mapping::Unknown };
        let alike = second == first && seen.all(|other| other == first);
        if alike { Mapping::Same } else { Mapping::Each }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn two_observers_tell_whether_a_nat_gives_another_port_to_each() {
        let mut sightings = Sightings::default();
        assert_eq!(sightings.mapping(), Mapping::Unknown);
        sightings.note(at("198.51.100.1:4860"), at("192.0.2.1:4861"));
        assert_eq!(sightings.mapping(), Mapping::Unknown, "it may be that of another host");
        sightings.note(at("198.51.100.2:4860"), at("192.0.2.1:4861"));
        assert_eq!(sightings.mapping(), Mapping::Same);
        sightings.note(at("[2001:db8::1]:4860"), at("[2001:db8::77]:4860"));
        assert_eq!(sightings.mapping(), Mapping::Same, "IPv4 and IPv6 differ anyway");
        sightings.note(at("198.51.100.2:4860"), at("192.0.2.1:50123"));
        assert_eq!(sightings.mapping(), Mapping::Each);
        sightings.note(at("198.51.100.1:4860"), at("192.0.2.1:50123"));
        assert_eq!(sightings.mapping(), Mapping::Same, "it has another translation now");
    }

    #[test]
    fn observers_beyond_the_bound_take_the_place_of_the_oldest() {
        let mut sightings = Sightings::default();
        for n in 0..20 {
            sightings.note(SocketAddr::from(([198, 51, 100, n], 1)), at("192.0.2.1:7"));
        }
        assert_eq!(sightings.seen.len(), OBSERVERS_MAX);
        assert_eq!(sightings.seen[0].0, SocketAddr::from(([198, 51, 100, 12], 1)));
    }
}
