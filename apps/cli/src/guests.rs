//! Transports that are guests: those that are built in, and pipes by them.

pub mod congestion;
pub mod controllers;
pub mod desk;
#[cfg(feature = "guests")]
pub mod modules;
#[cfg(feature = "guests")]
pub mod named;
pub mod offer;
pub mod place;
pub mod supply;

use serde_json::{Value, json};
use tng::congestion::{Choice, UnknownController};
use tng::stp::{self, Advisors, Denials, GUEST_PREFIX, Kind, Usage};
use tng::{Builder, Endpoint, GuestConnection, GuestError};

use crate::failure::Failure;
use crate::talk::{Talk, merged};
use controllers::Controllers;
use desk::Desk;
use place::PlaceArgs;

/// What regulates what an endpoint sends.
#[derive(Clone, Debug)]
pub enum Regulator {
    /// A controller of this program.
    Native(Choice),
    /// Guests, in sandboxes.
    Guests(Advisors),
}

impl Regulator {
    /// That of a name, for an application: a controller that comes with this program, or a guest, `guest-NAME` or
    /// `guest-HASH`.
    ///
    /// # Errors
    /// If there is none, it may not run, or the tool was built without guests.
    pub fn named(application: &'static str, text: &str, place: &PlaceArgs, talk: Talk) -> Result<Regulator, Failure> {
        let Some(name) = text.strip_prefix(GUEST_PREFIX) else {
            let unknown = |error: UnknownController| Failure::usage("choosing the congestion controller", error);
            return text.parse().map(Regulator::Native).map_err(unknown);
        };
        Controllers::open(application, place, talk)?.load(name).map(Regulator::Guests)
    }

    /// Has it regulate an endpoint.
    pub fn regulate(&self, builder: Builder) -> Builder {
        match self {
            Regulator::Native(choice) => builder.configure(|config| config.controller = choice.clone()),
            Regulator::Guests(advisors) => builder.advised(advisors.clone()),
        }
    }

    /// Whether guests are at work.
    pub fn has_guests(&self) -> bool {
        matches!(self, Regulator::Guests(_))
    }
}

/// Has `tng stp status` see the guests of an endpoint that has some, for as long as this is held.
pub fn tells_of(endpoint: &Endpoint, has_guests: bool, command: &'static str) -> Option<Desk> {
    has_guests.then(|| Desk::open(endpoint, command)).flatten()
}

/// What a guest is, as a word.
pub const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Controller => "controller",
        Kind::Transport => "stream",
        Kind::Messages => "messages",
    }
}

/// What a guest's connection has come to.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures(pub Value);

impl Figures {
    /// Of an end that is there still.
    ///
    /// # Errors
    /// If nothing is left of it.
    pub fn of(connection: &GuestConnection) -> Result<Figures, GuestError> {
        connection.with(|it| {
            let shim = it.shim();
            Figures(merged([policed(&shim.policer().figures()), used(&it.usage(), shim.denials())]))
        })
    }
}

/// What holds a guest's rate.
fn policed(policer: &stp::Figures) -> Value {
    json!({
        "state": format!("{:?}", policer.state).to_lowercase(),
        "cap_bps": policer.cap_bytes_per_sec.saturating_mul(8),
        "rtt_ms": policer.rtt_smoothed.as_secs_f64() * 1e3,
        "rtt_min_ms": policer.rtt_min.as_secs_f64() * 1e3,
        "loss": policer.loss_billionths as f64 / 1e9,
        "sent": policer.sent,
        "refused": policer.refused,
    })
}

/// What a guest has used, and how often it was denied something.
pub fn used(usage: &Usage, denials: &Denials) -> Value {
    json!({
        "denials": denials.faults(),
        "calls": usage.calls,
        "fuel": usage.fuel,
        "time_us": u64::try_from(usage.time.as_micros()).unwrap_or(u64::MAX),
        "memory": usage.memory,
    })
}
