//! Why requests are not granted.

use crate::replay::{Burnt, StoryError};
use crate::wire::Denial;
use crate::{Contradiction, ProofError};

/// Why a request is not granted. Its client hears of those that a [`Denial`] is for; others have not shown that they
/// may hear anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// Peer: it is no request.
    #[error("it is no request")]
    Malformed,
    /// Peer, or time: its keys are erased, or not made yet.
    #[error("its keys are not there")]
    Epoch,
    /// Somebody else: it was not sealed by its client, or was changed.
    #[error("it was not sealed by its client")]
    Forged,
    /// Peer: one of the two was told to leave seals out, and the other was not.
    #[error("it is not sealed as this server was told: one of the two leaves seals out (danger_plain)")]
    Armor,
    /// Peer: no server sealed its continuation for this connection in this place.
    #[error("its continuation was not sealed for it")]
    Unsealed,
    /// Environment: its continuation is of a time to come.
    #[error("its continuation is of a time to come: clocks differ by more than the skew")]
    Future,
    /// Time: its continuation is good for a timeout only.
    #[error("its continuation is too old to be spent")]
    Old,
    /// Time: its continuation may have been spent before this server started.
    #[error("its continuation is from before this server started")]
    BeforeStart,
    /// Time, or somebody else: its client asked for a timeout at another time than this server's. A copy that comes
    /// late is such, and what follows on a clock that was set.
    #[error("the time at which it asks for a timeout is not this server's")]
    Untimely,
    /// Peer, or somebody else: it is spent, or asked for too often.
    #[error(transparent)]
    Burnt(#[from] Burnt),
    /// Peer: what it shows is not what came.
    #[error(transparent)]
    Unproven(#[from] ProofError),
    /// Peer: it has told another story before.
    #[error(transparent)]
    Story(#[from] StoryError),
    /// Peer: its story does not go with its continuation.
    #[error("its losses do not go with its continuation")]
    Contradiction,
    /// Nothing wrong: its trickle ends here.
    #[error("it releases nothing")]
    Terminated,
    /// This server has too much to do.
    #[error("this server has too much to do")]
    Overloaded,
}

impl Refused {
    /// What the client is told, if it can do something about it.
    pub(super) const fn denial(self) -> Option<Denial> {
        match self {
            Refused::Old => Some(Denial::Old),
            Refused::BeforeStart => Some(Denial::BeforeStart),
            Refused::Untimely => Some(Denial::Untimely),
            // A timeout tells no story, so that it needs no room.
            Refused::Story(StoryError::Full) => Some(Denial::Untold),
            _ => None,
        }
    }
}

impl From<Contradiction> for Refused {
    fn from(Contradiction: Contradiction) -> Refused {
        Refused::Contradiction
    }
}
