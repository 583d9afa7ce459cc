//! Why a host neither gives nor takes code.

/// Why a host does not give code that it was asked for, or does not take what it was offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Declined {
    /// Caller: the peer does not have it, or not in this form.
    #[error("the peer does not have this code; ask another host that serves code")]
    NotHere,
    /// Policy: the peer gives it, or takes it, not from or for this host.
    #[error("the peer's policy does not allow it; have its operator allow this host, or use another source")]
    NotAllowed,
    /// Policy: the limits of a day are used up.
    #[error("the peer's limits of this day are used up; ask again tomorrow, or ask another host")]
    TooMuchToday,
    /// Caller: it is longer than a module may be.
    #[error("the code is longer than a module may be; make it smaller")]
    TooLarge,
    /// Caller: the request could not be understood.
    #[error("the peer did not understand the request; use the same version at both ends")]
    Malformed,
    /// Policy: it has the code already, or does not want it.
    #[error("the peer wants no such code, or has it; push nothing")]
    NotWanted,
    /// Caller: what arrived is not what was offered.
    #[error("what arrived at the peer does not have the hash that was offered; offer what there is")]
    WrongHash,
    /// Caller: what arrived unpacks to more than was offered.
    #[error("what arrived at the peer unpacks to more than was offered; pack it anew")]
    Bomb,
    /// Environment: it does too much at once.
    #[error("the peer has too many transfers under way; ask again in a minute")]
    Busy,
    /// Caller: nobody offered it, or too long ago.
    #[error("the peer does not know of an offer; push from the beginning")]
    NotOffered,
    /// Environment: it cannot now, or for a reason that this version does not know.
    #[error("the peer cannot give or take code now; ask again later, or ask another host")]
    Unavailable,
}

impl Declined {
    /// Its number on the wire.
    pub const fn code(self) -> u8 {
        match self {
            Declined::NotHere => 1,
            Declined::NotAllowed => 2,
            Declined::TooMuchToday => 3,
            Declined::TooLarge => 4,
            Declined::Malformed => 5,
            Declined::NotWanted => 6,
            Declined::WrongHash => 7,
            Declined::Bomb => 8,
            Declined::Busy => 9,
            Declined::NotOffered => 10,
            Declined::Unavailable => 0,
        }
    }

    /// A word for programs.
    pub const fn word(self) -> &'static str {
        match self {
            Declined::NotHere => "not-here",
            Declined::NotAllowed => "not-allowed",
            Declined::TooMuchToday => "too-much-today",
            Declined::TooLarge => "too-large",
            Declined::Malformed => "malformed",
            Declined::NotWanted => "not-wanted",
            Declined::WrongHash => "wrong-hash",
            Declined::Bomb => "bomb",
            Declined::Busy => "busy",
            Declined::NotOffered => "not-offered",
            Declined::Unavailable => "unavailable",
        }
    }

    /// What has that number.
    pub const fn of_code(code: u8) -> Declined {
        match code {
            1 => Declined::NotHere,
            2 => Declined::NotAllowed,
            3 => Declined::TooMuchToday,
            4 => Declined::TooLarge,
            5 => Declined::Malformed,
            6 => Declined::NotWanted,
            7 => Declined::WrongHash,
            8 => Declined::Bomb,
            9 => Declined::Busy,
            10 => Declined::NotOffered,
            _ => Declined::Unavailable,
        }
    }
}
