//! What translates this host's addresses, as others see it.

use std::net::SocketAddr;

use super::Finding;

const NAME: &str = "nat";

/// What others see of one socket of this host's, which has these addresses.
pub fn judge(own: &[SocketAddr], seen: &[SocketAddr]) -> Finding {
    let (Some(first), untranslated) = (seen.first(), seen.iter().all(|seen| own.contains(seen))) else {
        return Finding::not_asked(NAME, "tng doctor PEER PEER, two hosts of different addresses");
    };
    if untranslated {
        return Finding::good(NAME, format!("none: {first} is this host's own address"));
    }
    let alike = |other: &&SocketAddr| other.is_ipv4() == first.is_ipv4();
    let Some(second) = seen[1..].iter().find(alike) else {
        let found = format!("there is one: others see {first}; of which kind takes a second host to tell");
        return Finding::lacking(NAME, found, "tng doctor PEER PEER, two hosts of different addresses");
    };
    if first == second {
        let kept = if own.iter().any(|own| own.port() == first.port()) { ", and the port is kept" } else { "" };
        return Finding::good(
            NAME,
            format!("there is one: all see {first}{kept}; hosts that are introduced reach this one directly"),
        );
    }
    Finding::lacking(
        NAME,
        format!(
            "there is one, with another address or port for each host: {first}, {second}; hosts behind others reach \
                 this one by a relay"
        ),
        "a NAT that keeps ports (nft masquerade without random), a forwarded port, or a relay",
    )
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn the_kind_of_a_nat_is_told_by_what_two_hosts_see() {
        let own: Vec<SocketAddr> = vec!["10.0.0.2:5000".parse().expect("an address")];
        let judged = |seen: &[&str]| {
            let seen: Vec<SocketAddr> = seen.iter().map(|seen| seen.parse().expect("an address")).collect();
            judge(&own, &seen)
        };
        assert_eq!(judged(&[]).verdict, Verdict::NotAsked);
        assert!(judged(&["10.0.0.2:5000"]).found.starts_with("none"));
        assert_eq!(judged(&["192.0.2.1:5000"]).verdict, Verdict::Lacking, "one host cannot tell");
        assert_eq!(judged(&["192.0.2.1:5000", "[2001:db8::1]:5000"]).verdict, Verdict::Lacking);
        let kept = judged(&["192.0.2.1:5000", "192.0.2.1:5000"]);
        assert_eq!((kept.verdict, kept.found.contains("port is kept")), (Verdict::Good, true), "{kept:?}");
        let mapped = judged(&["192.0.2.1:61", "192.0.2.1:61"]);
        assert_eq!((mapped.verdict, mapped.found.contains("port is kept")), (Verdict::Good, false), "{mapped:?}");
        for random in [["192.0.2.1:61", "192.0.2.1:62"], ["192.0.2.1:61", "192.0.2.2:61"]] {
            assert_eq!(judged(&random).verdict, Verdict::Lacking);
        }
    }
}
