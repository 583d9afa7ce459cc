//! Which keys the nonces of a connection's packets are made with: as a continuation says it.

use core::time::Duration;

/// How long the keys of an epoch are made use of. They are accepted for as long again.
pub const EPOCH: Duration = Duration::from_secs(600);

/// Which epochs' keys make the nonces of a connection's packets: those of one, and from some number on those of
/// another. A connection that lives longer than the keys moves on in this way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Keying {
    /// The last byte of the epoch's number.
    pub epoch: u8,
    /// From that number on, those of this epoch.
    pub then: Option<Renewal>,
}

/// From that packet on, the keys of another epoch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Renewal {
    /// The first packet.
    pub from: u64,
    /// The last byte of the epoch's number.
    pub epoch: u8,
}

impl Keying {
    /// The keys of one epoch.
    pub const fn of(epoch: u8) -> Keying {
        Keying { epoch, then: None }
    }

    /// What is left when all below `number` is settled.
    pub const fn settled(self, number: u64) -> Keying {
        match self.then {
            Some(Renewal { from, epoch }) if from <= number => Keying::of(epoch),
            _ => self,
        }
    }
}
