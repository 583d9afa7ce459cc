//! What a section needs of its owner.

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{ChannelId, Rng};
use tng_congestion::{Choice, RegulationConfig};
use tng_endpoint::{Demux, MtuConfig, is_carried};

use crate::{Begun, Flows, Lease};

/// What sections do because peers may die, lie, or be copied. All of it is on; a test that shows what it is for
/// switches one off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caution {
    /// A channel that hears nothing from its peer leaves the window to the others that share it.
    pub silence: bool,
    /// A peer moves once in a probe timeout, on the average.
    pub paced_moves: bool,
    /// A peer that seems to have moved is asked where it was whether it is still there.
    pub old_path: bool,
    /// A channel ends if its peer never acknowledges anything.
    pub unacknowledged: bool,
}

impl Caution {
    /// All of it.
    pub const ALL: Caution = Caution { silence: true, paced_moves: true, old_path: true, unacknowledged: true };
}

impl Default for Caution {
    fn default() -> Caution {
        Caution::ALL
    }
}

/// Settings of sections.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The controller of flows that begin, but for those on a leased link, which are under `fixed`.
    pub controller: &'a Choice,
    /// Whether packets are spread over the round trip.
    pub pacing: bool,
    /// How large packets may become.
    pub mtu: MtuConfig,
    /// How often to say something so that there is something.
    pub keep_alive: Option<Duration>,
    /// The leased link that flows which begin are to have a part of, if there is one.
    pub lease: Option<Lease>,
    /// What is on guard.
    pub caution: Caution,
}

/// What a section needs of its owner's surroundings for the length of a call. `Who` is whose packets arrive under a
/// name.
pub struct Around<'a, Who> {
    /// Settings.
    pub settings: Settings<'a>,
    /// Names and reset tokens to their owners.
    pub demux: &'a mut Demux<Who>,
    /// What sections on one path share.
    pub flows: &'a mut Flows<Who>,
    /// Draws that become visible on the wire.
    pub rng: &'a mut Rng,
    /// The reset token of a name of ours.
    pub reset_token: &'a dyn Fn(ChannelId) -> [u8; 16],
}

impl<'a> Settings<'a> {
    /// The same, but that `controller` governs flows that begin, if there is one.
    pub(crate) fn under<'b>(self, controller: Option<&'b Choice>) -> Settings<'b>
    where
        'a: 'b,
    {
        Settings { controller: controller.unwrap_or(self.controller), ..self }
    }

    /// What governs a flow to `remote` that begins. A byte stream has a congestion control of its own, and what it
    /// carries none: there would be two that do not know of each other.
    pub(crate) fn begin(&self, remote: IpAddr, initial_rtt: Duration) -> Begun {
        let config = RegulationConfig { initial_rtt, pacing: self.pacing, ..RegulationConfig::default() };
        if is_carried(remote) {
            return Begun { regulation: Choice::unlimited().regulation(config), lease: None };
        }
        let regulation = match self.lease {
            Some(_) => Choice::fixed().regulation(config),
            None => self.controller.regulation(config),
        };
        Begun { regulation, lease: self.lease }
    }
}
