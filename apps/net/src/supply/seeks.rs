//! How often hosts are asked for code that peers have only named.

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{CodeHash, Eid, Instant};

/// Code that was sought is sought again after so long.
pub const SOUGHT_AGAIN_AFTER: Duration = Duration::from_secs(600);
/// Hashes that are sought within that time: a peer can name new ones without end.
pub const SOUGHT_MAX: usize = 64;
/// The same of those that one peer has named.
pub const SOUGHT_OF_PEER_MAX: usize = 4;

/// What was sought of late, for whom; the newest last.
#[derive(Debug, Default)]
pub(super) struct Seeks(VecDeque<(Instant, Eid, CodeHash)>);

impl Seeks {
    /// Counts that code is sought which a peer has named; false if it is not to be.
    pub(super) fn begin(&mut self, now: Instant, peer: Eid, code: CodeHash) -> bool {
        while self.0.front().is_some_and(|(at, ..)| now.since(*at) >= SOUGHT_AGAIN_AFTER) {
            self.0.pop_front();
        }
        let of_peer = self.0.iter().filter(|(_, of, _)| *of == peer).count();
        let sought = self.0.iter().any(|(.., hash)| *hash == code);
        let begins = !sought && of_peer < SOUGHT_OF_PEER_MAX && self.0.len() < SOUGHT_MAX;
        if begins {
            self.0.push_back((now, peer, code));
        }
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eid(n: u8) -> Eid {
        Eid::from_bytes([n; 32])
    }

    fn code(n: u16) -> CodeHash {
        let mut bytes = [0; 32];
        bytes[..2].copy_from_slice(&n.to_be_bytes());
        CodeHash::from_bytes(bytes)
    }

    #[test]
    fn code_is_sought_once_in_a_time_and_a_peer_that_names_more_and_more_is_not_heeded() {
        let (mut seeks, now) = (Seeks::default(), Instant::from_secs(1));
        assert!(seeks.begin(now, eid(1), code(0)));
        assert!(!seeks.begin(now, eid(2), code(0)), "it is sought already");
        let more = (1..1_000).filter(|n| seeks.begin(now, eid(1), code(*n))).count();
        assert_eq!(more, SOUGHT_OF_PEER_MAX - 1);
        assert!(seeks.begin(now, eid(2), code(5_000)), "control: another peer is heeded");
        assert!(seeks.begin(now + SOUGHT_AGAIN_AFTER, eid(1), code(0)), "and so is this one after a time");
    }

    #[test]
    fn a_thousand_peers_have_no_more_sought_than_all_may() {
        let (mut seeks, now) = (Seeks::default(), Instant::from_secs(1));
        let begun = (0..1_000_u16).filter(|n| seeks.begin(now, eid((n % 250) as u8), code(*n))).count();
        assert_eq!(begun, SOUGHT_MAX);
    }
}
