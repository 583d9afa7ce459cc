//! Proof of address without state (wire.md, section 2.4).

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::Instant;
use tng_crypto::{HmacKey, SecretRng};

use crate::Fingerprint;
use crate::wire::Cookie;

/// How long a cookie proves anything.
pub const COOKIE_LIFE: Duration = Duration::from_secs(10);
/// How long one key makes cookies; it is known for as long again.
pub const COOKIE_EPOCH: Duration = Duration::from_secs(60);

const TIME_LEN: usize = 8;

/// Makes and checks cookies. Remembers two keys, and none of the hosts that it gave cookies to.
#[derive(Debug)]
pub struct CookieJar {
    rng: SecretRng,
    epoch: u64,
    /// This epoch's key.
    current: HmacKey,
    /// The key of the epoch before.
    previous: HmacKey,
}

fn key(rng: &mut SecretRng) -> HmacKey {
    HmacKey::new(rng.secret().expose())
}

impl CookieJar {
    /// A jar whose keys come from `rng` and go nowhere else.
    pub fn new(mut rng: SecretRng) -> CookieJar {
        let (current, previous) = (key(&mut rng), key(&mut rng));
        CookieJar { rng, epoch: 0, current, previous }
    }

    /// The cookie for the initiator at `from` whose INIT is known by `init`.
    pub fn issue(&mut self, now: Instant, from: SocketAddr, init: &Fingerprint) -> Cookie {
        self.roll(now);
        let time_ms = millis(now).to_be_bytes();
        let mut cookie = Cookie::NONE;
        cookie.0[..TIME_LEN].copy_from_slice(&time_ms);
        cookie.0[TIME_LEN..].copy_from_slice(&tag(&self.current, time_ms, from, init)[..Cookie::LEN - TIME_LEN]);
        cookie
    }

    /// Whether `cookie` was issued to this address, for copies of this INIT and no other, within the last ten seconds.
    /// Constant time in what is secret.
    pub fn verify(&mut self, now: Instant, from: SocketAddr, init: &Fingerprint, cookie: Cookie) -> bool {
        self.roll(now);
        let (time_ms, seal) = cookie.0.split_at(TIME_LEN);
        let mut time = [0; TIME_LEN];
        time.copy_from_slice(time_ms);
        let issued = Instant::from_millis(u64::from_be_bytes(time));
        if issued > now || now.since(issued) > COOKIE_LIFE {
            return false;
        }
        let key = if epoch(issued) == self.epoch { &self.current } else { &self.previous };
        tng_crypto::equal(&tag(key, time, from, init)[..seal.len()], seal)
    }

    fn roll(&mut self, now: Instant) {
        let epoch = epoch(now);
        // One key for each epoch, asked for or not: jars that were made alike have the same.
        while epoch > self.epoch {
            let next = key(&mut self.rng);
            self.previous = core::mem::replace(&mut self.current, next);
            self.epoch += 1;
        }
    }
}

fn millis(at: Instant) -> u64 {
    at.as_nanos() / 1_000_000
}

fn epoch(at: Instant) -> u64 {
    at.as_nanos() / COOKIE_EPOCH.as_nanos() as u64
}

fn tag(key: &HmacKey, time_ms: [u8; TIME_LEN], from: SocketAddr, init: &Fingerprint) -> [u8; 32] {
    let address = match from.ip() {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    };
    key.tag(&[&time_ms, &address.octets(), &from.port().to_be_bytes(), init.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn init(n: u8) -> Fingerprint {
        Fingerprint::from_bytes([n; 32])
    }

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn from(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_cookie_is_good_for_ten_seconds_also_across_a_change_of_key() {
        for issued in [0, 1, 3_000, 55_000, 59_999, 60_000, 119_995] {
            let mut jar = CookieJar::new(SecretRng::new([1; 32]));
            let cookie = jar.issue(at(issued), from("192.0.2.1:4860"), &init(77));
            assert!(jar.verify(at(issued), from("192.0.2.1:4860"), &init(77), cookie), "{issued}");
            assert!(jar.verify(at(issued + 10_000), from("192.0.2.1:4860"), &init(77), cookie), "{issued}");
            assert!(!jar.verify(at(issued + 10_001), from("192.0.2.1:4860"), &init(77), cookie), "{issued}");
        }
    }

    #[test]
    fn jars_made_alike_take_each_other_s_cookies_however_seldom_they_are_asked() {
        let (mut busy, mut idle) = (CookieJar::new(SecretRng::new([1; 32])), CookieJar::new(SecretRng::new([1; 32])));
        for minute in 0..10 {
            busy.issue(at(minute * 60_000), from("192.0.2.1:4860"), &init(1));
        }
        let cookie = busy.issue(at(600_000), from("192.0.2.1:4860"), &init(77));
        assert!(idle.verify(at(600_001), from("192.0.2.1:4860"), &init(77), cookie));
    }

    #[test]
    fn a_cookie_is_good_for_one_address_and_one_init() {
        let mut jar = CookieJar::new(SecretRng::new([1; 32]));
        let cookie = jar.issue(at(5), from("192.0.2.1:4860"), &init(77));
        assert!(!jar.verify(at(6), from("192.0.2.2:4860"), &init(77), cookie));
        assert!(!jar.verify(at(6), from("192.0.2.1:4861"), &init(77), cookie));
        assert!(!jar.verify(at(6), from("192.0.2.1:4860"), &init(78), cookie));
        assert!(
            jar.verify(at(6), from("[::ffff:192.0.2.1]:4860"), &init(77), cookie),
            "the same address in its mapped form"
        );
    }

    #[test]
    fn no_cookie_but_the_jar_s_own_is_good() {
        let mut jar = CookieJar::new(SecretRng::new([1; 32]));
        let remote = from("[2001:db8::1]:1");
        let cookie = jar.issue(at(5_000), remote, &init(77));
        for bit in 0..Cookie::LEN * 8 {
            let mut forged = cookie;
            forged.0[bit / 8] ^= 1 << (bit % 8);
            assert!(!jar.verify(at(6_000), remote, &init(77), forged), "bit {bit}");
        }
        assert!(!jar.verify(at(4_999), remote, &init(77), cookie), "from the future");
        assert!(!jar.verify(at(0), remote, &init(77), Cookie::NONE));
        assert!(!CookieJar::new(SecretRng::new([2; 32])).verify(at(5_000), remote, &init(77), cookie));
        assert!(jar.verify(at(6_000), remote, &init(77), cookie));
    }

    #[test]
    fn a_key_is_forgotten_after_two_epochs() {
        let mut jar = CookieJar::new(SecretRng::new([1; 32]));
        let remote = from("192.0.2.1:4860");
        jar.issue(at(0), remote, &init(77));
        let first = jar.current.tag(&[b"x"]);
        jar.issue(at(60_000), remote, &init(77));
        jar.issue(at(120_000), remote, &init(77));
        assert!(jar.current.tag(&[b"x"]) != first && jar.previous.tag(&[b"x"]) != first);
    }
}
