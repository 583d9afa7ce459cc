//! Keys of a connection, which nobody keeps on the server's side.

use core::fmt;

use tng_base::Instant;
use tng_crypto::{AeadKey, Blake3Key, NONCE_LEN, Secret32, SecretRng, Suite, TAG_LEN};

/// The secret of a connection: the server computes it anew out of the connection's id, the client was told.
pub struct ConnectionSecret(Blake3Key);

impl ConnectionSecret {
    /// What `secret` gives.
    pub fn new(secret: Secret32) -> ConnectionSecret {
        ConnectionSecret(Blake3Key::from_bytes(secret))
    }

    /// The key of requests. The client counts them.
    pub fn requests(&self) -> AeadKey {
        self.key(&[b"requests"])
    }

    /// The key of the responses to one request, which is known by its seal, of one instance of a server. The packets
    /// that the request releases are counted.
    pub fn responses(&self, instance: InstanceName, request: &[u8; TAG_LEN]) -> AeadKey {
        self.key(&[b"responses", &instance.0, request])
    }

    fn key(&self, parts: &[&[u8]]) -> AeadKey {
        AeadKey::from_bytes(Suite::Aes128Gcm, &self.0.secret(parts).expose()[..Suite::Aes128Gcm.key_len()])
    }
}

impl fmt::Debug for ConnectionSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConnectionSecret(..)")
    }
}

/// The nonce of the datagram with that count under a key: no two counts have one in common (RFC 5116, section 3.2).
pub fn aead_nonce(count: u64) -> [u8; NONCE_LEN] {
    let mut nonce = [0; NONCE_LEN];
    nonce[NONCE_LEN - size_of::<u64>()..].copy_from_slice(&count.to_be_bytes());
    nonce
}

/// The name of an instance of a server: 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InstanceName(pub [u8; InstanceName::LEN]);

impl InstanceName {
    /// Bytes of one.
    pub const LEN: usize = 8;
}

/// What a server is for an instant: responses of that time are sealed under keys of this name, for the next instant it
/// draws another.
///
/// A server keeps no count of what it has sealed, so no key may meet a count twice without one. The key of a response
/// is of the instance and of the request, and the count is the packet's place in what the request releases. The same
/// request is answered once by a server, whose filter says so; by another, or the same after it was started again, or a
/// copy of it, as another instance: each has drawn a name of its own, from entropy that came after the request.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    name: InstanceName,
    at: Instant,
}

impl Instance {
    /// Drawn for the instant `now`.
    pub fn draw(now: Instant, rng: &mut SecretRng) -> Instance {
        Instance { name: InstanceName(rng.visible().bytes()), at: now }
    }

    /// Its name, if it is of the instant `now`.
    pub fn name(&self, now: Instant) -> Option<InstanceName> {
        (self.at == now).then_some(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use tng_base::Rng;

    fn scale() -> u64 {
        std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20_000)
    }

    /// What a server does with entropy and requests, and nothing else.
    struct Model {
        rng: SecretRng,
        instance: Option<Instance>,
        answered: HashSet<u64>,
        now: Instant,
    }

    impl Model {
        fn new(entropy: &mut Rng, now: Instant) -> Model {
            let seed: [u8; 32] = entropy.bytes();
            Model { rng: SecretRng::new(seed), instance: None, answered: HashSet::new(), now }
        }

        /// A virtual machine that is copied, or comes back from a snapshot: the same memory to the last bit.
        fn copy(&self) -> Model {
            let rng = SecretRng::new(self.rng.stolen());
            Model { rng, instance: self.instance, answered: self.answered.clone(), now: self.now }
        }

        fn answer(&mut self, entropy: &mut Rng, request: u64) -> Option<InstanceName> {
            let is_new = self.answered.insert(request);
            if self.instance.and_then(|instance| instance.name(self.now)).is_none() {
                self.rng.reseed(&mut entropy.bytes());
                self.instance = Some(Instance::draw(self.now, &mut self.rng));
            }
            self.instance.and_then(|instance| instance.name(self.now)).filter(|_| is_new)
        }
    }

    #[test]
    fn servers_started_again_copied_and_replicated_never_seal_under_one_key_and_count_twice() {
        let (mut entropy, mut draw) = (Rng::from_u64(1), Rng::from_u64(2));
        let mut now = Instant::ZERO;
        let mut servers: Vec<Model> = (0..4).map(|_| Model::new(&mut entropy, now)).collect();
        let mut sealed = HashSet::new();
        let (mut blows, mut next) = (0, 0_u64);
        while blows < scale() {
            now += core::time::Duration::from_nanos(1 + draw.below(1_000_000));
            let at = draw.below(4) as usize;
            servers[at].now = now;
            // New requests, and old ones that somebody repeats.
            for _ in 0..1 + draw.below(4) {
                next += 1;
                let request = next - draw.below(next.min(200));
                if let Some(name) = servers[at].answer(&mut entropy, request) {
                    for place in 0..4 {
                        assert!(sealed.insert((name, request, place)), "{name:?} {request} {place}");
                    }
                }
            }
            match draw.below(3) {
                0 => {
                    servers[at] = Model::new(&mut entropy, now);
                    blows += 1;
                }
                1 => {
                    servers[draw.below(4) as usize] = servers[at].copy();
                    blows += 1;
                }
                _ => {}
            }
            if sealed.len() > 4_000_000 {
                // Requests are as good as their continuations are young.
                sealed.clear();
                servers.iter_mut().for_each(|server| server.answered.clear());
                next += 1_000;
            }
        }
    }

    #[test]
    fn a_server_that_drew_its_name_when_it_started_would_be_repeated_by_its_copy() {
        let (mut entropy, now) = (Rng::from_u64(1), Instant::ZERO);
        let mut server = Model::new(&mut entropy, now);
        server.answer(&mut entropy, 1);
        let (mut copy, mut original) = (server.copy(), server);
        // Time stands still for both: what a name for good would be.
        assert_eq!(original.answer(&mut entropy, 2), copy.answer(&mut entropy, 2));
        original.now = Instant::from_nanos(1);
        copy.now = Instant::from_nanos(1);
        assert_ne!(original.answer(&mut entropy, 3), copy.answer(&mut entropy, 3));
    }

    #[test]
    fn keys_are_of_the_connection_the_instance_and_the_request() {
        let secret = |byte| ConnectionSecret::new(Secret32::from_bytes([byte; 32]));
        let sealed = |key: AeadKey| {
            let mut text = [0; 24];
            key.seal(aead_nonce(1), b"", &mut text);
            text
        };
        let (one, other) = (InstanceName([1; 8]), InstanceName([2; 8]));
        let texts = [
            sealed(secret(1).requests()),
            sealed(secret(2).requests()),
            sealed(secret(1).responses(one, &[1; 16])),
            sealed(secret(1).responses(other, &[1; 16])),
            sealed(secret(1).responses(one, &[2; 16])),
            sealed(secret(2).responses(one, &[1; 16])),
        ];
        assert_eq!(texts.iter().collect::<HashSet<_>>().len(), texts.len());
        assert_eq!(sealed(secret(1).responses(one, &[1; 16])), texts[2]);
    }
}
