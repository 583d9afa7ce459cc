//! An address pair: proven or not, and what may be sent to it.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::Instant;

/// What may be sent to an unproven address, as a multiple of what came from it (RFC 9000 section 8).
pub const AMPLIFICATION_MAX: u64 = 3;

/// Challenges sent before an address is given up, at least.
pub const CHALLENGE_TRIES: u8 = 4;

/// Time for which an address is challenged before it is given up, at least: a short loss of a fast path is not to send
/// what follows back to where the peer no longer is (RFC 9000 section 8.2.4).
pub const CHALLENGED_FOR: Duration = Duration::from_secs(3);

/// Whether the peer is known to receive what is sent to an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Validation {
    /// Nothing has been proven; no challenge is out.
    Unproven,
    /// A challenge is out.
    Challenged {
        /// What a response must repeat.
        data: [u8; 8],
        /// When the next challenge is due.
        resend_at: Instant,
        /// Challenges sent.
        tries: u8,
        /// When the first was.
        began: Instant,
    },
    /// The peer has answered from there.
    Proven,
    /// The challenges went unanswered.
    Failed,
}

/// A path: where packets go, whether the peer is known to be there, and the amplification ledger.
#[derive(Clone, Debug)]
pub struct Path {
    /// The peer's address.
    pub remote: SocketAddr,
    /// Our address, if the driver names it. Port 0 if it does not name that.
    pub local: Option<SocketAddr>,
    validation: Validation,
    /// The peer has been there once, and so gets there what is meant for it.
    invited: bool,
    received_bytes: u64,
    sent_bytes: u64,
}

impl Path {
    /// A path on which nothing is proven.
    pub fn unproven(remote: SocketAddr, local: Option<SocketAddr>) -> Path {
        Path { remote, local, validation: Validation::Unproven, invited: false, received_bytes: 0, sent_bytes: 0 }
    }

    /// Whether it is of concern to this path that a host is not at its `old` address any more, or, if that is none,
    /// that it has another one: it is, if the path begins there, or nobody knows where it begins.
    pub fn is_bound_to(&self, old: Option<IpAddr>) -> bool {
        old.is_none_or(|old| self.local.is_none_or(|local| local.ip() == old))
    }

    /// A path whose peer is known to receive: it answered what only its receiver could.
    pub fn proven(remote: SocketAddr, local: Option<SocketAddr>) -> Path {
        Path { validation: Validation::Proven, invited: true, ..Path::unproven(remote, local) }
    }

    /// The state of the proof.
    pub fn validation(&self) -> Validation {
        self.validation
    }

    /// Whether the peer is known to receive here.
    pub fn is_proven(&self) -> bool {
        self.validation == Validation::Proven
    }

    /// Bytes came from there. Every byte on the path counts, authentic or not.
    pub fn handle_received(&mut self, bytes: usize) {
        self.received_bytes = self.received_bytes.saturating_add(bytes as u64);
    }

    /// Bytes went there.
    pub fn handle_sent(&mut self, bytes: usize) {
        self.sent_bytes = self.sent_bytes.saturating_add(bytes as u64);
        debug_assert!(self.invited || self.sent_bytes <= AMPLIFICATION_MAX * self.received_bytes, "amplified");
    }

    /// Bytes that may go there now.
    pub fn budget(&self) -> u64 {
        match self.invited {
            true => u64::MAX,
            false => AMPLIFICATION_MAX.saturating_mul(self.received_bytes).saturating_sub(self.sent_bytes),
        }
    }

    /// The peer has shown that it receives here.
    pub fn prove(&mut self) {
        self.validation = Validation::Proven;
        self.invited = true;
    }

    /// The challenge to send now, if one is due. `fresh` supplies its data if it is the first; `pto` spaces the tries.
    pub fn poll_challenge(&mut self, now: Instant, pto: Duration, fresh: impl FnOnce() -> [u8; 8]) -> Option<[u8; 8]> {
        let (data, tries, began) = match self.validation {
            Validation::Unproven => (fresh(), 0, now),
            Validation::Challenged { data, resend_at, tries, began } if resend_at <= now => (data, tries, began),
            _ => return None,
        };
        if tries >= CHALLENGE_TRIES && now.since(began) >= CHALLENGED_FOR {
            self.validation = Validation::Failed;
            return None;
        }
        let resend_at = now + pto * (1 << tries.min(8));
        self.validation = Validation::Challenged { data, resend_at, tries: tries.saturating_add(1), began };
        Some(data)
    }

    /// Asks for a proof although there is one: this host is somewhere else now. What the peer has once shown to receive
    /// is not throttled for that.
    pub fn doubt(&mut self) {
        self.validation = Validation::Unproven;
    }

    /// An authentic packet came from there: a proof that has failed, or is about to, is worth another try. What was
    /// tried before may have been too much for the bytes that had come.
    pub fn handle_sign_of_life(&mut self) {
        match self.validation {
            Validation::Failed => self.validation = Validation::Unproven,
            Validation::Challenged { data, tries, began, .. } if tries >= CHALLENGE_TRIES => {
                self.validation = Validation::Challenged { data, resend_at: began, tries: 1, began };
            }
            _ => {}
        }
    }

    /// A response arrived; answers whether it proves this path.
    pub fn handle_response(&mut self, response: [u8; 8]) -> bool {
        let proves = matches!(self.validation, Validation::Challenged { data, .. } if data == response);
        if proves {
            self.prove();
        }
        proves
    }

    /// When [`poll_challenge`](Path::poll_challenge) has something to do.
    pub fn poll_timeout(&self) -> Option<Instant> {
        match self.validation {
            Validation::Challenged { resend_at, .. } => Some(resend_at),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> Path {
        Path::unproven("192.0.2.1:4860".parse().expect("an address"), None)
    }

    #[test]
    fn an_unproven_address_gets_three_times_what_it_sent_and_a_proven_one_everything() {
        let mut path = path();
        assert_eq!(path.budget(), 0);
        path.handle_received(1200);
        assert_eq!(path.budget(), 3600);
        path.handle_sent(1200);
        assert_eq!(path.budget(), 2400);
        path.doubt();
        assert_eq!(path.budget(), 2400, "doubt does not forget what was sent");
        path.prove();
        assert_eq!(path.budget(), u64::MAX);
        path.doubt();
        assert_eq!(path.budget(), u64::MAX, "nor that the peer was there");
    }

    #[test]
    fn only_the_right_response_proves_a_path() {
        let mut path = path();
        assert!(!path.handle_response([0; 8]), "nothing was asked");
        let pto = Duration::from_millis(100);
        assert_eq!(path.poll_challenge(Instant::ZERO, pto, || [7; 8]), Some([7; 8]));
        assert!(!path.handle_response([8; 8]));
        assert!(path.handle_response([7; 8]));
        assert!(path.is_proven());
    }

    #[test]
    fn who_speaks_up_after_the_last_try_is_challenged_again_at_once_with_the_same_question() {
        let mut path = path();
        let pto = Duration::from_secs(1);
        for s in [0, 1, 3, 7] {
            path.handle_sign_of_life();
            assert_eq!(path.poll_challenge(Instant::from_secs(s), pto, || [7; 8]), Some([7; 8]));
        }
        assert_eq!(path.poll_challenge(Instant::from_secs(8), pto, || [8; 8]), None, "not due before 15 s");
        path.handle_sign_of_life();
        assert_eq!(path.poll_challenge(Instant::from_secs(8), pto, || [8; 8]), Some([7; 8]));
        assert!(path.poll_timeout().is_some_and(|at| at > Instant::from_secs(8)));
    }

    #[test]
    fn challenges_repeat_with_backoff_and_then_the_path_has_failed() {
        let mut path = path();
        let pto = Duration::from_millis(100);
        let mut sent = Vec::new();
        let mut now = Instant::ZERO;
        loop {
            if path.poll_challenge(now, pto, || [7; 8]).is_some() {
                sent.push(now.as_nanos() / 1_000_000);
            }
            match path.poll_timeout() {
                Some(at) => now = at,
                None => break,
            }
        }
        assert_eq!(sent, [0, 100, 300, 700, 1_500]);
        assert_eq!(path.validation(), Validation::Failed);
        path.handle_sign_of_life();
        assert_eq!(path.poll_challenge(now, pto, || [8; 8]), Some([8; 8]), "a peer speaking there is asked again");
    }

    #[test]
    fn a_path_minds_the_loss_of_its_own_address_and_of_any_if_it_has_none() {
        let ip = |text: &str| Some(text.parse::<IpAddr>().expect("an address"));
        let remote = path().remote;
        let bound = Path::unproven(remote, ip("192.0.2.2").map(|ip| SocketAddr::new(ip, 4_860)));
        assert!(bound.is_bound_to(ip("192.0.2.2")) && bound.is_bound_to(None));
        assert!(!bound.is_bound_to(ip("192.0.2.3")));
        assert!(path().is_bound_to(ip("192.0.2.3")));
    }

    #[test]
    fn a_path_is_proven_when_it_is_begun_so_and_until_it_is_doubted() {
        assert!(!path().is_proven());
        let mut proven = Path::proven(path().remote, None);
        let ask = |path: &mut Path| path.poll_challenge(Instant::ZERO, Duration::from_secs(1), || [7; 8]);
        assert!(proven.is_proven() && proven.budget() == u64::MAX);
        assert_eq!(ask(&mut proven), None, "there is nothing to ask");
        proven.doubt();
        assert!(!proven.is_proven());
        assert_eq!(ask(&mut proven), Some([7; 8]));
    }

    #[test]
    fn a_sign_of_life_between_tries_brings_none_forward() {
        let mut path = path();
        let pto = Duration::from_secs(1);
        assert_eq!(path.poll_challenge(Instant::ZERO, pto, || [7; 8]), Some([7; 8]));
        path.handle_sign_of_life();
        assert_eq!(path.poll_timeout(), Some(Instant::from_secs(1)));
        assert_eq!(path.poll_challenge(Instant::from_millis(999), pto, || [8; 8]), None);
    }
}
