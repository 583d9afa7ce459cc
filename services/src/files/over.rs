//! What is done about another file that stands where one goes.

const KEEP: u8 = 1 << 1;
const UPDATE: u8 = 2 << 1;
const REPLACE: u8 = 3 << 1;
const BACKUP: u8 = 1 << 3;

/// What is done about another file, or link, that stands where one goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Over {
    /// It stays, and that is a failure.
    #[default]
    Refuse,
    /// It stays, whatever it is.
    Keep,
    /// It is replaced if it is older.
    Update {
        /// It gets another name first.
        backup: bool,
    },
    /// It is replaced.
    Replace {
        /// It gets another name first.
        backup: bool,
    },
}

impl Over {
    /// Whether something that stands there may be replaced at all.
    pub const fn may_replace(self) -> bool {
        matches!(self, Over::Update { .. } | Over::Replace { .. })
    }

    /// Whether what is replaced gets another name first.
    pub const fn backs_up(self) -> bool {
        matches!(self, Over::Update { backup: true } | Over::Replace { backup: true })
    }

    /// The same, where nothing that is replaced is lost.
    pub const fn backing_up(self) -> Over {
        match self {
            Over::Update { .. } => Over::Update { backup: true },
            Over::Replace { .. } => Over::Replace { backup: true },
            Over::Refuse | Over::Keep => self,
        }
    }

    /// Its bits on the wire; the lowest is free for others.
    pub(super) const fn as_flags(self) -> u8 {
        let what = match self {
            Over::Refuse => 0,
            Over::Keep => KEEP,
            Over::Update { .. } => UPDATE,
            Over::Replace { .. } => REPLACE,
        };
        if self.backs_up() { what | BACKUP } else { what }
    }

    pub(super) const fn from_flags(flags: u8) -> Option<Over> {
        let backup = flags & BACKUP != 0;
        match flags & !BACKUP {
            0 if !backup => Some(Over::Refuse),
            KEEP if !backup => Some(Over::Keep),
            UPDATE => Some(Over::Update { backup }),
            REPLACE => Some(Over::Replace { backup }),
            _ => None,
        }
    }
}
