//! What a fleet has in its file: a secret from which those of all later epochs come, and what takes its place when it
//! is rotated.

use core::fmt;

use tng_crypto::{Secret32, hkdf, labels};

use crate::{EPOCH, KeysError, Wall};

/// Steps from the epoch of a secret to the present one, at most: what a server computes when it starts. Some twenty
/// years.
pub const EPOCHS_BEHIND_MAX: u64 = 1 << 20;

/// A rotation holds from so many epochs after the present one on: servers know the keys of the next, and have 10 to 20
/// minutes to hear of it.
pub const EPOCHS_TO_ROTATION: u64 = 2;

/// Secrets of a fleet at once, at most: of the epoch before, of the present one, and of one to come.
pub const EPOCH_SECRETS_MAX: usize = 3;

/// The secret of one epoch. That of the next comes of it, and not the other way: who steals it reads what is to come,
/// and nothing of what was, once the keys of the epochs before are erased.
pub struct EpochSecret {
    /// Counted in [`EPOCH`]s since 1970.
    number: u64,
    secret: Secret32,
}

impl EpochSecret {
    /// The secret of epoch `number`.
    pub const fn new(number: u64, secret: Secret32) -> EpochSecret {
        EpochSecret { number, secret }
    }

    /// The epoch that it is `wall` in.
    pub const fn number_at(wall: Wall) -> u64 {
        wall.as_millis() / EPOCH.as_millis() as u64
    }

    /// Its epoch.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The secret, to be written down.
    pub const fn expose(&self) -> &[u8; 32] {
        self.secret.expose()
    }

    pub(crate) const fn secret(&self) -> &Secret32 {
        &self.secret
    }

    fn duplicate(&self) -> EpochSecret {
        EpochSecret::new(self.number, self.secret.duplicate())
    }

    fn next(&self) -> EpochSecret {
        EpochSecret { number: self.number + 1, secret: hkdf::expand_secret(&self.secret, labels::TRICKLES_NEXT, &[]) }
    }

    /// The secret of a later epoch that comes of it.
    fn at_epoch(mut self, number: u64) -> EpochSecret {
        while self.number < number {
            self = self.next();
        }
        self
    }
}

impl fmt::Debug for EpochSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EpochSecret").field("number", &self.number).finish_non_exhaustive()
    }
}

/// The secrets of a fleet, each good from its epoch on until the next begins: one, and more for a while after a
/// rotation, which brings a secret that comes of none before.
#[derive(Debug)]
pub struct EpochSecrets(Vec<EpochSecret>);

impl From<EpochSecret> for EpochSecrets {
    fn from(secret: EpochSecret) -> EpochSecrets {
        EpochSecrets(vec![secret])
    }
}

/// A rotation was asked for before the last one has begun: servers that have heard of that would not follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the last rotation begins with epoch {begins}, and it is epoch {now}")]
pub struct RotationPending {
    /// The epoch with which the last one begins.
    pub begins: u64,
    /// The epoch of the present.
    pub now: u64,
}

impl EpochSecrets {
    /// These, if there is at least one, at most [`EPOCH_SECRETS_MAX`], and each is of a later epoch than the one
    /// before.
    pub fn new(secrets: Vec<EpochSecret>) -> Option<EpochSecrets> {
        let rise = secrets.windows(2).all(|two| two[0].number < two[1].number);
        ((1..=EPOCH_SECRETS_MAX).contains(&secrets.len()) && rise).then_some(EpochSecrets(secrets))
    }

    /// Each, the earliest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &EpochSecret> {
        self.0.iter()
    }

    /// A copy, made on purpose.
    pub fn duplicate(&self) -> EpochSecrets {
        EpochSecrets(self.0.iter().map(EpochSecret::duplicate).collect())
    }

    /// What a server keeps of them at `now`: from the epoch before on, or from the first that there is. All that comes
    /// of them can be computed from that, and nothing of what was before.
    ///
    /// # Errors
    /// [`KeysError::Later`], [`KeysError::TooOld`].
    pub fn kept_at(mut self, now: Wall) -> Result<EpochSecrets, KeysError> {
        let epoch = EpochSecret::number_at(now);
        while self.0.get(1).is_some_and(|next| next.number < epoch) {
            self.0.remove(0);
        }
        let first = self.0.remove(0);
        if first.number > epoch {
            return Err(KeysError::Later { begin: first.number, now: epoch });
        }
        if epoch - first.number > EPOCHS_BEHIND_MAX {
            return Err(KeysError::TooOld { begin: first.number, now: epoch });
        }
        self.0.insert(0, first.at_epoch(epoch.saturating_sub(1)));
        Ok(self)
    }

    /// With one more, `fresh`, from [`EPOCHS_TO_ROTATION`] epochs after `now` on.
    ///
    /// # Errors
    /// [`RotationPending`]; [`KeysError`] has no part in it, for what is too old is erased later.
    pub fn rotated(mut self, now: Wall, fresh: Secret32) -> Result<EpochSecrets, RotationPending> {
        let epoch = EpochSecret::number_at(now);
        if let Some(begins) = self.0.last().map(EpochSecret::number).filter(|begins| *begins > epoch) {
            return Err(RotationPending { begins, now: epoch });
        }
        // Those that were over before the present one began.
        while self.0.get(1).is_some_and(|next| next.number < epoch) {
            self.0.remove(0);
        }
        self.0.push(EpochSecret::new(epoch + EPOCHS_TO_ROTATION, fresh));
        Ok(self)
    }

    /// The secret of one epoch, if there is one that it is or comes of.
    pub(crate) fn of(&self, number: u64) -> Option<EpochSecret> {
        let from = self.0.iter().rev().find(|secret| secret.number <= number)?;
        Some(from.duplicate().at_epoch(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(epoch: u64) -> Wall {
        Wall::from_millis(epoch * 600_000 + 1)
    }

    fn secret(number: u64, byte: u8) -> EpochSecret {
        EpochSecret::new(number, Secret32::from_bytes([byte; 32]))
    }

    fn numbers(secrets: &EpochSecrets) -> Vec<u64> {
        secrets.iter().map(EpochSecret::number).collect()
    }

    #[test]
    fn secrets_are_one_to_three_that_rise() {
        let of = |numbers: &[u64]| EpochSecrets::new(numbers.iter().map(|number| secret(*number, 1)).collect());
        assert!([&[4][..], &[4, 5], &[4, 6, 8]].iter().all(|good| of(good).is_some()));
        assert!([&[][..], &[4, 4], &[5, 4], &[1, 2, 3, 4]].iter().all(|bad| of(bad).is_none()));
    }

    #[test]
    fn a_rotation_begins_two_epochs_later_and_the_next_waits_for_that() {
        let once = EpochSecrets::from(secret(10, 1)).rotated(at(12), Secret32::from_bytes([2; 32])).unwrap();
        assert_eq!(numbers(&once), [10, 14]);
        for early in [12, 13] {
            let again = once.duplicate().rotated(at(early), Secret32::from_bytes([3; 32]));
            assert_eq!(again.err(), Some(RotationPending { begins: 14, now: early }));
        }
        let twice = once.rotated(at(14), Secret32::from_bytes([3; 32])).unwrap();
        assert_eq!(numbers(&twice), [10, 14, 16], "that of epoch 13 is made use of");
        let kept = twice.duplicate().kept_at(at(15)).unwrap();
        assert_eq!(numbers(&kept), [14, 16]);
        assert_eq!(kept.of(13).map(|secret| secret.number()), None, "erased");
        // Whenever it is asked, there are no more than three.
        let mut secrets = EpochSecrets::from(secret(10, 1));
        for epoch in 11..60 {
            secrets = match secrets.duplicate().rotated(at(epoch), Secret32::from_bytes([epoch as u8; 32])) {
                Ok(rotated) => rotated,
                Err(_) => secrets,
            };
            assert!((1..=EPOCH_SECRETS_MAX).contains(&secrets.iter().count()), "{secrets:?}");
        }
    }

    #[test]
    fn what_is_kept_gives_the_same_secrets_of_every_epoch_that_is_left() {
        let all = EpochSecrets::from(secret(10, 1)).rotated(at(12), Secret32::from_bytes([2; 32])).unwrap();
        for now in 10..20 {
            let kept = all.duplicate().kept_at(at(now)).unwrap();
            for number in now.saturating_sub(1).max(10)..now + 5 {
                let [here, there] = [&kept, &all].map(|secrets| *secrets.of(number).unwrap().expose());
                assert_eq!(here, there, "of {number} in {now}");
            }
            assert!(now < 12 || kept.of(now - 2).is_none(), "{now}");
        }
    }
}
