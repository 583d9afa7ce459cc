//! What servers share: a secret for each epoch, and what comes of it.

use tng_crypto::{Blake3Key, Secret32, SipKey, labels};
use tng_nonce::NonceKey;

use crate::{ConnectionId, EpochSecret, EpochSecrets, Wall};

/// Steps that a server takes at once while it runs: a week. A clock that is set further ahead than that is wrong more
/// often than right; steps are not taken back, and by the keys of 20 years ahead no other server would understand it.
pub const EPOCHS_PER_ADVANCE_MAX: u64 = 1_008;

/// The keys of one epoch: a domain each, so that nothing that is sealed for one use passes for another.
#[derive(Debug)]
pub struct EpochKeys {
    number: u64,
    /// Of transport continuations.
    pub transport: Blake3Key,
    /// Of user continuations.
    pub user: Blake3Key,
    /// Of minisockets that have left their server.
    pub extracted: Blake3Key,
    /// Of address tokens.
    pub address: Blake3Key,
    /// Of puzzles.
    pub puzzle: Blake3Key,
    /// Of range nonces.
    pub nonces: NonceKey,
    /// Of the tags of lines.
    pub tags: SipKey,
    connections: Blake3Key,
}

impl EpochKeys {
    /// Those that come of a secret.
    fn of(epoch: &EpochSecret) -> EpochKeys {
        let (number, secret) = (epoch.number(), epoch.secret());
        let mac = |label| Blake3Key::derive(secret, label);
        EpochKeys {
            number,
            transport: mac(labels::TRICKLES_TRANSPORT),
            user: mac(labels::TRICKLES_USER),
            extracted: mac(labels::TRICKLES_EXTRACTED),
            address: mac(labels::TRICKLES_ADDRESS),
            puzzle: mac(labels::TRICKLES_PUZZLE),
            connections: mac(labels::TRICKLES_CONNECTION),
            nonces: NonceKey::derive(secret),
            tags: SipKey::derive(secret, labels::TRICKLES_TAG),
        }
    }

    /// Its epoch.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The secret of the connection that has this id: told to the client in the set-up, and computed anew for each
    /// request.
    pub fn connection_secret(&self, id: &ConnectionId) -> Secret32 {
        self.connections.secret(&[&id.0])
    }
}

/// Why keys cannot be used at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KeysError {
    /// They begin later: a clock is wrong, or the file is of another day.
    #[error("the keys begin with epoch {begin}, and it is epoch {now}: set the clock, or use the keys of today")]
    Later {
        /// The first epoch that they have.
        begin: u64,
        /// The epoch of the present.
        now: u64,
    },
    /// The clock was set ahead by more than a server that runs follows.
    #[error("the clock has gone from epoch {from} to epoch {now} at once: set it, or start the server again")]
    Jump {
        /// The epoch that it was.
        from: u64,
        /// The epoch that it is said to be.
        now: u64,
    },
    /// They are so old that computing those of today would take too long.
    #[error("the keys are of epoch {begin}, too long before epoch {now}: make new ones")]
    TooOld {
        /// The first epoch that they have.
        begin: u64,
        /// The epoch of the present.
        now: u64,
    },
}

/// The keys of the epoch that it is, of the one before, and of the one to come: clocks differ, and what was sealed just
/// before a change is good after it. Those of all earlier epochs are erased.
#[derive(Debug)]
pub struct Keys {
    /// From the epoch before on, or from this one if there is none before.
    secrets: EpochSecrets,
    before: Option<EpochKeys>,
    present: EpochKeys,
    next: EpochKeys,
}

impl Keys {
    /// The keys that come of `secrets` at the time `now`.
    ///
    /// # Errors
    /// [`KeysError`].
    pub fn new(secrets: impl Into<EpochSecrets>, now: Wall) -> Result<Keys, KeysError> {
        let (secrets, epoch) = (secrets.into().kept_at(now)?, EpochSecret::number_at(now));
        let keys = |number| secrets.of(number).map(|secret| EpochKeys::of(&secret));
        let there = "secrets that are kept reach from the present on";
        let (present, next) = (keys(epoch).expect(there), keys(epoch + 1).expect(there));
        Ok(Keys { before: epoch.checked_sub(1).and_then(keys), present, next, secrets })
    }

    /// It is `now`: takes the steps that are due, and erases what is too old. A clock that goes back changes nothing;
    /// one that jumps too far ahead leaves the keys as they are, also if it is right: a machine that slept for a month
    /// is started again.
    ///
    /// # Errors
    /// [`KeysError::Jump`], for more than [`EPOCHS_PER_ADVANCE_MAX`].
    pub fn advance(&mut self, now: Wall) -> Result<(), KeysError> {
        let (from, epoch) = (self.present.number, EpochSecret::number_at(now));
        if epoch > from.saturating_add(EPOCHS_PER_ADVANCE_MAX) {
            return Err(KeysError::Jump { from, now: epoch });
        }
        if epoch > from {
            *self = Keys::new(self.secrets.duplicate(), now)?;
        }
        Ok(())
    }

    /// The keys that whatever is sealed now is sealed with.
    pub const fn present(&self) -> &EpochKeys {
        &self.present
    }

    /// The keys of an epoch by the last byte of its number, as it stands in messages; if they are still there, or there
    /// already.
    pub fn by_last_byte(&self, last: u8) -> Option<&EpochKeys> {
        [self.before.as_ref(), Some(&self.present), Some(&self.next)]
            .into_iter()
            .flatten()
            .find(|keys| keys.number as u8 == last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EPOCHS_BEHIND_MAX;

    fn at(epoch: u64) -> Wall {
        Wall::from_millis(epoch * 600_000 + 1)
    }

    fn secret(number: u64) -> EpochSecret {
        EpochSecret::new(number, Secret32::from_bytes([7; 32]))
    }

    /// The first epoch that has a secret.
    fn earliest(keys: &Keys) -> u64 {
        keys.secrets.iter().next().unwrap().number()
    }

    fn tag(keys: &EpochKeys) -> [u8; 16] {
        keys.transport.tag(&[b"x"])
    }

    #[test]
    fn servers_that_begin_with_one_secret_at_different_times_have_the_same_keys() {
        let mut early = Keys::new(secret(1_000), at(1_000)).unwrap();
        assert!(early.by_last_byte((999 % 256) as u8).is_none(), "nothing is known of before");
        for epoch in 1_001..1_300 {
            early.advance(at(epoch)).unwrap();
            let late = Keys::new(secret(1_000), at(epoch)).unwrap();
            for (which, is_there) in [(epoch - 2, false), (epoch - 1, true), (epoch, true), (epoch + 1, true)] {
                let (a, b) = (early.by_last_byte(which as u8), late.by_last_byte(which as u8));
                assert_eq!((a.is_some(), b.is_some()), (is_there, is_there), "{which} in {epoch}");
                assert_eq!(a.map(tag), b.map(tag));
            }
            assert_eq!(early.present().number(), epoch);
        }
    }

    #[test]
    fn a_server_that_is_handed_the_secret_of_another_has_its_keys() {
        let mut one = Keys::new(secret(10), at(12)).unwrap();
        let other = Keys::new(one.secrets.duplicate(), at(12)).unwrap();
        one.advance(at(12)).unwrap();
        for which in [11, 12, 13] {
            assert_eq!(one.by_last_byte(which).map(tag), other.by_last_byte(which).map(tag));
        }
        assert_eq!(earliest(&one), 11, "what was before is erased");
    }

    #[test]
    fn a_rotation_is_followed_by_servers_that_began_before_it_and_after_and_takes_no_key_of_now_away() {
        let old = EpochSecrets::from(secret(10));
        let rotated = old.duplicate().rotated(at(12), Secret32::from_bytes([8; 32])).unwrap();
        let tags = |keys: &Keys, of: [u8; 3]| of.map(|which| keys.by_last_byte(which).map(tag));
        let mut running = Keys::new(old.duplicate(), at(12)).unwrap();
        let held = tags(&running, [11, 12, 13]);
        running = Keys::new(rotated.duplicate(), at(12)).unwrap();
        assert_eq!(tags(&running, [11, 12, 13]), held, "what clients have been given stays good");
        // A server that does not hear of it has other keys from its epoch on, and none before.
        let mut deaf = Keys::new(old, at(12)).unwrap();
        for (epoch, same) in [(13, [true, true, false]), (14, [true, false, false]), (15, [false; 3])] {
            for keys in [&mut running, &mut deaf] {
                keys.advance(at(epoch)).unwrap();
            }
            let begun = Keys::new(rotated.duplicate(), at(epoch)).unwrap();
            let which = [epoch - 1, epoch, epoch + 1].map(|which| which as u8);
            assert_eq!(tags(&running, which), tags(&begun, which), "{epoch}");
            let (here, there) = (tags(&running, which), tags(&deaf, which));
            assert_eq!([0, 1, 2].map(|at| here[at] == there[at]), same, "{epoch}");
        }
        assert_eq!(running.secrets.iter().count(), 1, "what was before is erased");
    }

    #[test]
    fn no_two_domains_and_no_two_epochs_have_a_key_in_common() {
        let keys = Keys::new(secret(10), at(12)).unwrap();
        let mut tags: Vec<[u8; 16]> = [11, 12, 13]
            .into_iter()
            .filter_map(|which| keys.by_last_byte(which))
            .flat_map(|keys| {
                [&keys.transport, &keys.user, &keys.extracted, &keys.address, &keys.puzzle, &keys.connections]
            })
            .map(|key| key.tag(&[b"x"]))
            .collect();
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), 18);
    }

    #[test]
    fn keys_of_tomorrow_and_of_long_ago_are_refused_and_clocks_that_jump_change_nothing() {
        assert_eq!(Keys::new(secret(5), at(4)).err(), Some(KeysError::Later { begin: 5, now: 4 }));
        let now = 5 + EPOCHS_BEHIND_MAX + 1;
        assert_eq!(Keys::new(secret(5), at(now)).err(), Some(KeysError::TooOld { begin: 5, now }));
        let mut keys = Keys::new(secret(5), at(6)).unwrap();
        keys.advance(at(3)).unwrap();
        assert_eq!(keys.present().number(), 6);
        // Twenty years would be a million steps, taken by a server that answers others meanwhile.
        for ahead in [EPOCHS_PER_ADVANCE_MAX + 1, EPOCHS_BEHIND_MAX, EPOCHS_BEHIND_MAX + 1] {
            let now = 6 + ahead;
            assert_eq!(keys.advance(at(now)).err(), Some(KeysError::Jump { from: 6, now }));
        }
        assert!(keys.advance(Wall::from_millis(u64::MAX)).is_err());
        assert_eq!((keys.present().number(), earliest(&keys)), (6, 5), "nothing is erased");
        let other = Keys::new(secret(5), at(6)).unwrap();
        assert_eq!(
            [5, 6, 7].map(|which| keys.by_last_byte(which).map(tag)),
            [5, 6, 7].map(|which| other.by_last_byte(which).map(tag))
        );
        keys.advance(at(6 + EPOCHS_PER_ADVANCE_MAX)).unwrap();
        assert_eq!(keys.present().number(), 6 + EPOCHS_PER_ADVANCE_MAX);
    }

    #[test]
    fn secrets_of_connections_are_of_their_id_and_epoch() {
        let keys = Keys::new(secret(10), at(12)).unwrap();
        let (one, other) = (ConnectionId([1; 16]), ConnectionId([2; 16]));
        let secret = |keys: &EpochKeys, id| *keys.connection_secret(id).expose();
        assert_eq!(secret(keys.present(), &one), secret(keys.by_last_byte(12).unwrap(), &one));
        assert_ne!(secret(keys.present(), &one), secret(keys.present(), &other));
        assert_ne!(secret(keys.present(), &one), secret(keys.by_last_byte(13).unwrap(), &one));
        // That of the present still has the secret that it began with.
        let began = Keys::new(EpochSecret::new(10, Secret32::from_bytes([7; 32])), at(10)).unwrap();
        assert!([keys, began].iter().all(|keys| !format!("{keys:?}").contains("7, 7")));
    }
}
