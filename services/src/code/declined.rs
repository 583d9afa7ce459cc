//! Why a host neither gives nor takes code.

/// Why a host does not give code that it was asked for, or does not take what it was offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[repr(u8)]
pub enum Declined {
    /// Caller: the peer does not have it, or not in this form.
    #[error("the peer does not have this code; ask another host that serves code")]
    NotHere = 1,
    /// Policy: the peer gives it, or takes it, not from or for this host.
    #[error("the peer's policy does not allow it; have its operator allow this host, or use another source")]
    NotAllowed = 2,
    /// Policy: the limits of a day are used up.
    #[error("the peer's limits of this day are used up; ask again tomorrow, or ask another host")]
    TooMuchToday = 3,
    /// Caller: it is longer than a module may be.
    #[error("the code is longer than a module may be; make it smaller")]
    TooLarge = 4,
    /// Caller: the request could not be understood.
    #[error("the peer did not understand the request; use the same version at both ends")]
    Malformed = 5,
    /// Caller: it has the code already.
    #[error("the peer has this code already; push nothing")]
    AlreadyHere = 6,
    /// Caller: what arrived is not what was offered.
    #[error("what arrived at the peer does not have the hash that was offered; offer what there is")]
    WrongHash = 7,
    /// Caller: what arrived unpacks to more than was offered.
    #[error("what arrived at the peer unpacks to more than was offered; pack it anew")]
    Bomb = 8,
    /// Environment: it does too much at once.
    #[error("the peer has too many transfers under way; ask again in a minute")]
    Busy = 9,
    /// Caller: nobody offered it, or too long ago.
    #[error("the peer does not know of an offer; push from the beginning")]
    NotOffered = 10,
    /// Policy: the peer's rule accepts no code at all.
    #[error("the peer's rule accepts no code (accept = none); have its operator change it")]
    AcceptsNone = 11,
    /// Policy: the peer's rule accepts what is pinned there, and this is not.
    #[error("the peer's rule accepts pinned code only; have its operator pin this hash")]
    NotPinned = 12,
    /// Policy: too few keys of a publisher whom the peer knows have signed it.
    #[error(
        "the peer's rule accepts signed code, and this lacks signatures of a publisher in the peer's policy; have it \
         signed, or its operator add the publisher"
    )]
    NotSigned = 13,
    /// Policy: a publisher of the peer has taken back the code, or a key that has signed it.
    #[error("a publisher in the peer's policy has taken back this code, or a key under it; push another version")]
    TakenBack = 14,
    /// Policy: its signatures have ended, or the peer's clock is not set.
    #[error("its signatures have ended, by the peer's clock; have it signed again")]
    Expired = 15,
    /// Policy: a later version has been there, or other code of its name and version.
    #[error("the peer has had a later version, or other code of this name and version; push a newer version")]
    Older = 16,
    /// Policy: the peer's user has flagged it as buggy.
    #[error("the peer's user has flagged this code as buggy; ask them what is wrong with it")]
    Flagged = 17,
    /// Policy: it has gone wrong too often there.
    #[error("this code has gone wrong too often at the peer; ask its operator to forgive it")]
    Offender = 18,
    /// Policy: the peer's rule takes code from elsewhere.
    #[error("the peer's rule takes no code from peers; have its operator install it from a file")]
    NotFromPeers = 19,
    /// Caller: it is no module that the peer's sandbox takes, or no transport.
    #[error("to the peer this is no transport that its sandbox takes; try it with `tng stp test`")]
    Unfit = 20,
    /// Caller: what is said of it is not of it, or has a bad signature.
    #[error("the peer does not take its manifest, which is damaged or of other code; have it signed again")]
    BadManifest = 21,
    /// Environment: the peer's store or disk has no room for it.
    #[error("the peer's store has no room for it; have its operator make some")]
    NoRoom = 22,
    /// Policy: the peer has refused it a while ago, and has not changed its mind.
    #[error("the peer has refused this code before; have its operator install it, or change the policy")]
    RefusedBefore = 23,
    /// Environment: it cannot now, or for a reason that this version does not know.
    #[error("the peer cannot give or take code now; ask again later, or ask another host")]
    Unavailable = 0,
}

impl Declined {
    /// All of them, each at its number on the wire.
    pub const ALL: [Declined; 24] = [
        Declined::Unavailable,
        Declined::NotHere,
        Declined::NotAllowed,
        Declined::TooMuchToday,
        Declined::TooLarge,
        Declined::Malformed,
        Declined::AlreadyHere,
        Declined::WrongHash,
        Declined::Bomb,
        Declined::Busy,
        Declined::NotOffered,
        Declined::AcceptsNone,
        Declined::NotPinned,
        Declined::NotSigned,
        Declined::TakenBack,
        Declined::Expired,
        Declined::Older,
        Declined::Flagged,
        Declined::Offender,
        Declined::NotFromPeers,
        Declined::Unfit,
        Declined::BadManifest,
        Declined::NoRoom,
        Declined::RefusedBefore,
    ];

    /// Its number on the wire.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// A word for programs.
    pub const fn word(self) -> &'static str {
        match self {
            Declined::Unavailable => "unavailable",
            Declined::NotHere => "not-here",
            Declined::NotAllowed => "not-allowed",
            Declined::TooMuchToday => "too-much-today",
            Declined::TooLarge => "too-large",
            Declined::Malformed => "malformed",
            Declined::AlreadyHere => "already-here",
            Declined::WrongHash => "wrong-hash",
            Declined::Bomb => "bomb",
            Declined::Busy => "busy",
            Declined::NotOffered => "not-offered",
            Declined::AcceptsNone => "accepts-none",
            Declined::NotPinned => "not-pinned",
            Declined::NotSigned => "not-signed",
            Declined::TakenBack => "taken-back",
            Declined::Expired => "expired",
            Declined::Older => "older",
            Declined::Flagged => "flagged",
            Declined::Offender => "offender",
            Declined::NotFromPeers => "not-from-peers",
            Declined::Unfit => "unfit",
            Declined::BadManifest => "bad-manifest",
            Declined::NoRoom => "no-room",
            Declined::RefusedBefore => "refused-before",
        }
    }

    /// What has that number.
    pub const fn of_code(code: u8) -> Declined {
        let code = code as usize;
        if code < Declined::ALL.len() { Declined::ALL[code] } else { Declined::Unavailable }
    }
}
