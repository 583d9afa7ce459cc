//! Where code came from.

use core::fmt;

use tng_base::Eid;

/// Letters of the name of a host that code came from.
pub const HOST_MAX: usize = 128;

/// Bytes of the path of a file that code came from. Of a longer one the end is kept.
pub const FILE_NAME_MAX: usize = 128;

/// Where code came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// From a file, by this user: its path, or the end of that.
    File(String),
    /// From a peer that offered it.
    Peer(Eid),
    /// From another host that was asked for it, by its name or address.
    Host(String),
    /// Nobody knows any more: the index was lost.
    Unknown,
}

impl Origin {
    /// From the file at this path.
    pub fn file(path: &std::path::Path) -> Origin {
        let path = path.to_string_lossy();
        let from = (path.len().saturating_sub(FILE_NAME_MAX)..).find(|at| path.is_char_boundary(*at));
        Origin::File(path[from.unwrap_or(0)..].to_owned())
    }

    /// Whether this user has not put it here.
    pub const fn is_foreign(&self) -> bool {
        !matches!(self, Origin::File(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(_) => f.write_str("file"),
            Origin::Peer(eid) => write!(f, "peer {eid}"),
            Origin::Host(name) => write!(f, "host {}", tng_base::PeerText::new(name)),
            Origin::Unknown => f.write_str("unknown"),
        }
    }
}
