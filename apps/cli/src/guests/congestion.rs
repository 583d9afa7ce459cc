//! `-C`: what regulates what a command sends.

use clap::Args;
use tng::Builder;

use super::Regulator;
use super::place::PlaceArgs;
use crate::failure::Failure;
use crate::talk::Talk;

/// Arguments of commands that send in bulk.
#[derive(Args, Clone, Debug, Default)]
pub struct CongestionArgs {
    /// Congestion controller for what this side sends [default: bbr]. guest-NAME and guest-HASH run in a sandbox:
    /// guest-cubic, guest-vegas, and those in the store
    #[arg(short = 'C', long, value_name = "NAME", alias = "linux-congestion")]
    congestion: Option<String>,
}

impl CongestionArgs {
    /// Whether one is named.
    pub const fn is_given(&self) -> bool {
        self.congestion.is_some()
    }

    /// The one that is named, for an application.
    ///
    /// # Errors
    /// As [`Regulator::named`].
    pub fn regulator(
        &self,
        application: &'static str,
        place: &PlaceArgs,
        talk: Talk,
    ) -> Result<Option<Regulator>, Failure> {
        self.congestion.as_deref().map(|name| Regulator::named(application, name, place, talk)).transpose()
    }
}

/// Has an endpoint be regulated by what was named, if anything was.
pub fn regulated(builder: Builder, regulator: Option<&Regulator>) -> Builder {
    match regulator {
        Some(regulator) => regulator.regulate(builder),
        None => builder,
    }
}
