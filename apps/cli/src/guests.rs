//! Transports that are guests: those that are built in, and pipes by them.

pub mod desk;
#[cfg(feature = "guests")]
pub mod modules;

use std::io::IsTerminal;

use serde_json::{Value, json};
use tng::congestion::{Choice, UnknownController};
use tng::stp::{self, Advisors, Code, Denials, Kind, Usage};
use tng::{Builder, Endpoint, GuestConnection, GuestError};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::peer;
use crate::streams::{JoinError, Joined, join};
use crate::talk::bytes;
use desk::Desk;

/// The transports of these names, or all that are built in if no name is given. They carry streams.
///
/// # Errors
/// If a name is not that of a transport with streams, or the tool was built without any.
pub fn transports(names: &[String]) -> Result<Vec<Code>, Failure> {
    #[cfg(feature = "guests")]
    return modules::transports(names);
    #[cfg(not(feature = "guests"))]
    return Err(Failure::usage(
        format!("choosing the transport {}", names.join(", ")),
        "this tool was built without guests",
    )
    .or_try("a build with the feature `guests`"));
}

/// What regulates what an endpoint sends.
#[derive(Clone, Debug)]
pub enum Regulator {
    /// A controller of this program.
    Native(Choice),
    /// Guests, in sandboxes.
    Guests(Advisors),
}

impl Regulator {
    /// That of a name: a controller that is built in, or `guest-NAME`.
    ///
    /// # Errors
    /// If there is none, or the tool was built without guests.
    pub fn named(text: &str) -> Result<Regulator, String> {
        let Some(name) = text.strip_prefix("guest-") else {
            let choice = text.parse().map_err(|error: UnknownController| error.to_string());
            return choice.map(Regulator::Native);
        };
        #[cfg(feature = "guests")]
        return modules::advisors(name).map(Regulator::Guests).map_err(|failure| failure.to_string());
        #[cfg(not(feature = "guests"))]
        return Err(format!("{name}: this tool was built without guests; build it with the feature `guests`"));
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

/// Has an endpoint speak these transports.
pub fn speaking(builder: Builder, codes: &[Code]) -> Builder {
    codes.iter().cloned().fold(builder, Builder::transport)
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
fn used(usage: &Usage, denials: &Denials) -> Value {
    json!({
        "denials": denials.faults(),
        "calls": usage.calls,
        "fuel": usage.fuel,
        "time_us": u64::try_from(usage.time.as_micros()).unwrap_or(u64::MAX),
        "memory": usage.memory,
    })
}

/// One object of several.
fn merged(objects: impl IntoIterator<Item = Value>) -> Value {
    let fields = objects.into_iter().filter_map(|object| match object {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    Value::Object(fields.flatten().collect())
}

/// Joins stdin and stdout to a guest's connection, until both directions have ended and the peer's guest has all.
///
/// # Errors
/// If one of them fails before.
pub async fn join_standard(connection: &GuestConnection) -> Result<(), Failure> {
    let (recv, send) = (connection.clone(), connection.clone());
    let with_peer = std::io::stdin().is_terminal();
    let joined = join((tokio::io::stdin(), tokio::io::stdout()), (recv, send), with_peer).await;
    let Joined { sent, received } = joined.map_err(JoinError::failure)?;
    connection.delivered().await.map_err(|error| peer::guest_failure("sending", &error, Exit::Send))?;
    tracing::info!("{} sent and confirmed, {} received", bytes(sent), bytes(received));
    if let Ok(Figures(figures)) = Figures::of(connection) {
        tracing::info!("the guest: {figures}");
    }
    Ok(())
}
