//! A cluster of etcd, and what of it is ours.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

/// Members of a cluster that may be named.
pub const MEMBERS_MAX: usize = 16;

/// `etcd://IP:PORT[,IP:PORT...]/PREFIX`. Members are named by their addresses: who asks them has given up the files by
/// which names are found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EtcdPlace {
    /// Where its members answer clients.
    pub members: Vec<SocketAddr>,
    /// What all keys begin with that are ours, without a `/` at its ends.
    pub prefix: String,
}

impl EtcdPlace {
    /// Whether what is said to it, which is not sealed, stays on this host.
    pub fn is_near(&self) -> bool {
        self.members.iter().all(|member| member.ip().is_loopback())
    }
}

impl FromStr for EtcdPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<EtcdPlace, String> {
        let wrong = || "write etcd://IP:PORT[,IP:PORT...]/PREFIX".to_owned();
        let (members, prefix) = text.strip_prefix("etcd://").and_then(|rest| rest.split_once('/')).ok_or_else(wrong)?;
        let prefix = prefix.trim_end_matches('/');
        if prefix.is_empty() || prefix.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(wrong());
        }
        let members: Vec<SocketAddr> =
            members.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        if members.len() > MEMBERS_MAX {
            return Err(format!("name {MEMBERS_MAX} members at most"));
        }
        Ok(EtcdPlace { members, prefix: prefix.to_owned() })
    }
}

impl fmt::Display for EtcdPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<String> = self.members.iter().map(ToString::to_string).collect();
        write!(f, "etcd://{}/{}", members.join(","), self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_to_a_cluster_stays_on_this_host_only_if_all_members_are_there() {
        let is_near = |text: &str| text.parse::<EtcdPlace>().expect(text).is_near();
        assert!(is_near("etcd://127.0.0.1:2379,[::1]:2379/tng"));
        assert!(!is_near("etcd://127.0.0.1:2379,10.0.0.1:2379/tng"));
    }

    #[test]
    fn a_cluster_is_named_as_it_is_shown_and_what_is_none_is_told() {
        for text in ["etcd://127.0.0.1:2379/tng", "etcd://10.0.0.1:2379,[fd00::2]:2379/fleets/one"] {
            assert_eq!(text.parse::<EtcdPlace>().expect(text).to_string(), text);
        }
        for text in ["etcd://127.0.0.1:2379", "etcd://127.0.0.1:2379/", "etcd:///tng", "etcd://one:2379/a", "file:a"] {
            assert!(text.parse::<EtcdPlace>().expect_err(text).contains("etcd://IP:PORT"), "{text}");
        }
        let many = vec!["127.0.0.1:1"; MEMBERS_MAX + 1].join(",");
        assert!(format!("etcd://{many}/p").parse::<EtcdPlace>().expect_err("too many").contains("at most"));
    }
}
