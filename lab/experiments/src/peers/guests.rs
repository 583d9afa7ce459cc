//! Guests that experiments run, and how.

#[cfg(feature = "guests")]
pub mod battery;
#[cfg(feature = "guests")]
pub mod modules;
#[cfg(feature = "guests")]
pub mod repertoire;

use core::ptr;

use tng_base::Rng;
use tng_crypto::Secret32;
use tng_stp_host::{Cap, Code, Quotas, Signal, Workshop};

/// Code that comes from elsewhere: for the end that connects, and for the one that accepts.
#[derive(Debug)]
pub struct Given(Code, Code);

impl PartialEq for Given {
    fn eq(&self, other: &Given) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Given {}

/// A transport that is a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guest {
    /// TCP NewReno (STP 5.1.2).
    NewReno,
    /// TCP with selective acknowledgments (STP 5.1.3).
    Sack,
    /// UDP Flood (STP 5.1.1).
    Flood,
    /// Code that is none of these, run as it is.
    Given(&'static Given),
}

impl Guest {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Guest::NewReno => "newreno",
            Guest::Sack => "sack",
            Guest::Flood => "udp-flood",
            Guest::Given(given) => given.0.name(),
        }
    }

    /// Code from elsewhere, kept for the life of the program: what runs it is copied about.
    pub fn given(code: Code) -> Guest {
        Guest::between(code.clone(), code)
    }

    /// The same with other code at the end that accepts, under one name.
    pub fn between(connects: Code, accepts: Code) -> Guest {
        Guest::Given(Box::leak(Box::new(Given(connects, accepts))))
    }
}

/// How a guest runs: the columns of the paper's tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ran {
    /// Compiled in, and nothing holds its rate.
    Free,
    /// Compiled in, behind the policer.
    Policed,
    /// The same, by a host that trusts what its peer's says of marks.
    Trusting,
    /// As a module, in the sandbox, behind the policer.
    #[cfg(feature = "guests")]
    Module,
}

/// A guest, and how it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuestRun {
    /// Which.
    pub guest: Guest,
    /// How.
    pub ran: Ran,
    /// What holds its rate.
    pub cap: Cap,
}

impl GuestRun {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match (self.guest, self.ran) {
            (Guest::NewReno, Ran::Free) => "newreno (native)",
            (Guest::NewReno, Ran::Policed) => "newreno (policed)",
            #[cfg(feature = "guests")]
            (Guest::NewReno, Ran::Module) => "newreno (guest)",
            (Guest::Sack, Ran::Free) => "sack (native)",
            (Guest::Sack, Ran::Policed) => "sack (policed)",
            #[cfg(feature = "guests")]
            (Guest::Sack, Ran::Module) => "sack (guest)",
            (Guest::Flood, Ran::Free) => "flood (native)",
            (Guest::Flood, Ran::Policed) => "flood (policed)",
            #[cfg(feature = "guests")]
            (Guest::Flood, Ran::Module) => "flood (guest)",
            (Guest::Given(_), _) | (_, Ran::Trusting) => self.guest.name(),
        }
    }

    /// Its code.
    ///
    /// # Panics
    /// If it is to run as a module, and its module cannot be read: it is a part of this program.
    pub(crate) fn code(self) -> Code {
        match (self.ran, self.guest) {
            (_, Guest::Given(given)) => given.0.clone(),
            #[cfg(feature = "guests")]
            (Ran::Module, guest) => modules::module(guest),
            (_, Guest::NewReno) => Code::native::<stp_guest_newreno::NewReno>(self.guest.name()),
            (_, Guest::Sack) => Code::native::<stp_guest_sack::Sack>(self.guest.name()),
            (_, Guest::Flood) => Code::native::<stp_guest_flood::Flood>(self.guest.name()),
        }
    }

    /// Its code at the end that accepts.
    pub(crate) fn accepting(self) -> Code {
        match self.guest {
            Guest::Given(given) => given.1.clone(),
            _ => self.code(),
        }
    }

    /// What a host makes its ends with.
    pub(crate) fn workshop(self, rng: &mut Rng) -> Workshop {
        let mut workshop = Workshop::new(&Secret32::from_bytes(rng.bytes()), rng.bytes());
        (workshop.quotas, workshop.cap) = (quotas(), self.cap);
        if self.ran == Ran::Trusting {
            workshop.signal = Signal::Marks;
        }
        if self.ran == Ran::Free { workshop.without_policer() } else { workshop }
    }
}

/// Buffers that are no limit on the paths of the paper.
pub(crate) fn quotas() -> Quotas {
    Quotas { send_buffer: 1 << 20, receive_buffer: 1 << 20, ..Quotas::default() }
}
