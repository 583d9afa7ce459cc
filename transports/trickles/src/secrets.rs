//! Keys of a connection, which nobody keeps on the server's side.

use core::fmt;

use tng_base::Instant;
use tng_crypto::{Blake3Key, DatagramKey, NONCE_LEN, Secret32, SecretRng, TAG_LEN};

use crate::InstanceName;

/// The secret of a connection: the server computes it anew out of the connection's id, the client was told.
pub struct ConnectionSecret(Blake3Key);

impl ConnectionSecret {
    /// What `secret` gives.
    pub fn new(secret: Secret32) -> ConnectionSecret {
        ConnectionSecret(Blake3Key::from_bytes(secret))
    }

    /// A copy, made on purpose.
    pub(crate) fn duplicate(&self) -> ConnectionSecret {
        ConnectionSecret(self.0.duplicate())
    }

    /// The key of requests. The client counts them.
    pub fn requests(&self) -> DatagramKey {
        self.key(&[b"requests"])
    }

    /// The key of the responses to one request, which is known by its seal, of one instance of a server. The packets
    /// that the request releases are counted.
    pub fn responses(&self, instance: InstanceName, request: &[u8; TAG_LEN]) -> DatagramKey {
        self.key(&[b"responses", &instance.0, request])
    }

    fn key(&self, parts: &[&[u8]]) -> DatagramKey {
        DatagramKey::from_secret(&self.0.secret(parts))
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

/// What a server is for an instant: for the next it draws another.
///
/// A server keeps no count of what it has sealed, so no key may meet a count twice without one. The key of a response
/// is of an instance's name and of the request, and the count is the packet's place in what the request releases. The
/// same request is answered once by a server, whose filter says so; by another, or the same after it was started again,
/// under another name, drawn from entropy that came after the request.
///
/// A copy of a server that is made within an instant has its entropy, too. So names follow from what was drawn and from
/// all that was answered under it: as soon as the two answer something else they have other names. Up to there they are
/// one and the same: the same requests at the same time, with the same next serials, are answered with the same bytes,
/// and sealing the same bytes twice tells nobody anything.
#[derive(Debug)]
pub struct Instance {
    secret: Secret32,
    last: InstanceName,
    at: Instant,
}

impl Instance {
    /// Drawn for the instant `now`.
    pub fn draw(now: Instant, rng: &mut SecretRng) -> Instance {
        Instance { secret: rng.secret(), last: InstanceName([0; InstanceName::LEN]), at: now }
    }

    /// Whether it was drawn for the instant `now`.
    pub fn is_of(&self, now: Instant) -> bool {
        self.at == now
    }

    /// The name for the answer to the request with this seal, if it is of the instant `now`.
    pub fn name(&mut self, now: Instant, request: &[u8; TAG_LEN]) -> Option<InstanceName> {
        if self.at != now {
            return None;
        }
        let tag = Blake3Key::from_bytes(self.secret.duplicate()).tag(&[&self.last.0, request]);
        self.last = InstanceName(*tag.first_chunk().expect("a tag is longer than a name"));
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Ring;
    use std::collections::{HashMap, HashSet};
    use tng_base::Rng;

    /// Restarts and copies: a million in the full count.
    fn blows() -> u64 {
        std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20_000)
    }

    /// Requests that a server remembers.
    const REMEMBERED: u64 = 500;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Names {
        /// As [`Instance`] gives them.
        OfTheInstance,
        /// The control: one for all that is answered within an instant.
        OfTheDraw,
    }

    /// What a server does with entropy and requests, and nothing else.
    struct Model {
        names: Names,
        rng: SecretRng,
        instance: Option<Instance>,
        /// The first name of the instance.
        drawn: Option<InstanceName>,
        answered: Ring,
        /// What its next answer says: continuations have serials, and answers differ by them.
        serial: u64,
    }

    impl Model {
        fn new(names: Names, entropy: &mut Rng) -> Model {
            let seed: [u8; 32] = entropy.bytes();
            let answered = Ring::new(REMEMBERED, 0);
            Model { names, rng: SecretRng::new(seed), instance: None, drawn: None, answered, serial: 0 }
        }

        /// A virtual machine that is copied, or comes back from a snapshot: the same memory to the last bit.
        fn copy(&self) -> Model {
            let same = |instance: &Instance| Instance { secret: instance.secret.duplicate(), ..*instance };
            let instance = self.instance.as_ref().map(same);
            Model { rng: SecretRng::new(self.rng.stolen()), instance, answered: self.answered.clone(), ..*self }
        }

        /// Under which name it answers, and what.
        fn answer(&mut self, now: Instant, entropy: &mut Rng, request: u64) -> Option<(InstanceName, u64)> {
            self.answered.burn(request).ok()?;
            let seal = u128::from(request).to_be_bytes();
            let name = match self.instance.as_mut().and_then(|instance| instance.name(now, &seal)) {
                Some(name) => name,
                None => {
                    self.rng.reseed(&mut entropy.bytes());
                    let instance = self.instance.insert(Instance::draw(now, &mut self.rng));
                    let name = instance.name(now, &seal).expect("it is of now");
                    self.drawn = Some(name);
                    name
                }
            };
            self.serial += 1;
            match self.names {
                Names::OfTheInstance => Some((name, self.serial)),
                Names::OfTheDraw => self.drawn.map(|drawn| (drawn, self.serial)),
            }
        }
    }
    /// What seals of four servers show to somebody who has all of them, and repeats requests.
    #[derive(Default, Debug)]
    struct Shown {
        sealed: u64,
        /// Under one key and nonce, the same bytes.
        same_text: u64,
        /// Under one key and nonce, two texts: their sum is known, and what authenticates is forged from then on.
        two_texts: u64,
    }

    fn run(names: Names, seed: u64, blows: u64) -> Shown {
        let (mut entropy, mut draw) = (Rng::from_u64(seed), Rng::from_u64(seed + 1));
        let mut now = Instant::ZERO;
        let mut servers: Vec<Model> = (0..4).map(|_| Model::new(names, &mut entropy)).collect();
        let mut sealed = HashMap::new();
        let (mut shown, mut dealt, mut next) = (Shown::default(), 0, 0_u64);
        while dealt < blows {
            // Often time stands still between a blow and the next answer, as if a copy were made at that very instant.
            now += core::time::Duration::from_nanos(draw.below(3) / 2);
            let at = draw.below(4) as usize;
            match draw.below(3) {
                0 => {
                    // New requests, and old ones that somebody repeats, at one server or at several.
                    for _ in 0..1 + draw.below(3) {
                        next += 1;
                        let back = 1 + draw.below(200);
                        let request = next - draw.below(next.min(back));
                        for server in servers.iter_mut().skip(at) {
                            let Some((name, text)) = server.answer(now, &mut entropy, request) else { continue };
                            for place in 0..2_u8 {
                                shown.sealed += 1;
                                match sealed.insert((name, request, place), text) {
                                    Some(before) if before == text => shown.same_text += 1,
                                    Some(_) => shown.two_texts += 1,
                                    None => {}
                                }
                            }
                        }
                    }
                }
                1 => {
                    servers[at] = Model::new(names, &mut entropy);
                    dealt += 1;
                }
                _ => {
                    servers[draw.below(4) as usize] = servers[at].copy();
                    dealt += 1;
                }
            }
            if sealed.len() > 1_000_000 {
                // Requests are as good as their continuations are young: none of these comes again.
                sealed.clear();
                next += 1_000;
            }
        }
        shown
    }

    #[test]
    fn servers_started_again_and_copied_at_any_instant_never_seal_two_texts_under_one_key_and_count() {
        let shown = run(Names::OfTheInstance, 1, blows());
        println!("{} restarts and copies: {shown:?}", blows());
        assert_eq!(shown.two_texts, 0, "{shown:?}");
        assert!(shown.same_text > 0, "no copy answered what its original did: {shown:?}");
    }

    #[test]
    fn under_one_name_for_an_instant_copies_would_seal_two_texts_under_one_key_and_count() {
        let shown = run(Names::OfTheDraw, 1, 20_000);
        assert!(shown.two_texts > 100, "{shown:?}");
    }

    #[test]
    fn a_name_is_good_for_its_instant_and_one_answer() {
        let mut rng = SecretRng::new([1; 32]);
        let (now, later) = (Instant::from_millis(1), Instant::from_millis(2));
        let mut instance = Instance::draw(now, &mut rng);
        let names = [instance.name(now, &[1; 16]), instance.name(now, &[1; 16]), instance.name(now, &[2; 16])];
        assert_eq!(names.iter().flatten().collect::<HashSet<_>>().len(), 3);
        assert_eq!(instance.name(later, &[3; 16]), None);
        assert_ne!(Instance::draw(now, &mut rng).name(now, &[1; 16]), names[0]);
    }

    #[test]
    fn keys_are_of_the_connection_the_instance_and_the_request() {
        let secret = |byte| ConnectionSecret::new(Secret32::from_bytes([byte; 32]));
        let sealed = |key: DatagramKey| {
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
