//! Settings that change while flows go on, and the end of a helper that is being shut down.

use std::collections::VecDeque;

use tng_base::Instant;
use tng_flow::Wishes;

use super::{ANSWERS_WAITING_MAX, Helper, LeftBecause};
use crate::relay::{Far, RelayId};
use crate::{ClientLimits, HelperConfig};

/// Flows and tunnels that are to end, and why, the first first: as many at a time as their neighbours can be told.
pub(super) type Dismissals = VecDeque<(RelayId, LeftBecause)>;

impl Helper {
    /// The settings.
    pub fn config(&self) -> &HelperConfig {
        &self.config
    }

    /// Other settings hold from now on. Of flows under way:
    ///
    /// * one that leads where nothing may be passed on to any more ends, as does one of a client that is served no
    ///   more, and both neighbours are told;
    /// * a controller that the settings name differently for a neighbour takes the place of the one before, and so do
    ///   the discipline and the time of its queues; what waits in them stays, in its order;
    /// * a leased link with another rate or window is divided anew;
    /// * bounds hold at once for what comes; more flows than are permitted now stay until they end.
    ///
    /// Pacing, packet sizes, local repair, and whether a link is leased at all were settled when a flow began, and
    /// change for those that begin. Of a tunnel nothing changes but what its client may have.
    /// [`ids`](HelperConfig::ids) stays as it was.
    pub fn set_config(&mut self, now: Instant, config: HelperConfig) {
        let before = core::mem::replace(&mut self.config, config);
        self.config.ids = before.ids;
        for lease in self.config.leases() {
            self.flows.set_whole(lease);
        }
        for id in self.flow_ids() {
            let Some(relay) = self.relays.get(&id) else { continue };
            match self.config.limits_of(relay.grant.client) {
                Some(limits) if self.config.onward.permits(relay.next()) => self.align(now, id, limits, &before),
                _ => self.dismissals.push_back((id, LeftBecause::Forbidden)),
            }
        }
        self.set_limits();
        self.make_room(now);
        self.wake_called(now);
    }

    /// Has a flow go by the settings of now, where they differ from those of before. What its client asked for and had
    /// granted was agreed on, and stays.
    fn align(&mut self, now: Instant, id: RelayId, limits: ClientLimits, before: &HelperConfig) {
        let Helper { config, flows, relays, rng, spares, .. } = self;
        let Some(relay) = relays.get_mut(&id) else { return };
        relay.limits = limits;
        let [near_ip, far_ip] = [relay.near.path().remote.ip(), relay.next().ip()];
        let (near, far, far_before) = (config.around(near_ip), config.around(far_ip), before.around(far_ip));
        let choice = relay.near_choice.keeping(near.near_choice(Wishes::default()));
        let near_before = core::mem::replace(&mut relay.near_choice, choice);
        let choice = &relay.near_choice;
        if choice.controller != near_before.controller {
            relay.near.set_controller(now, choice.controller.clone(), flows);
        }
        if let (true, Far::Open(section)) = (far.controller != far_before.controller, &mut relay.far) {
            section.set_controller(now, (*far.controller).clone(), flows);
        }
        let outward = (choice.discipline(near), choice.queue_time);
        if outward != (near_before.discipline(before.around(near_ip)), near_before.queue_time) {
            relay.outward.set_discipline(now, (&outward.0, outward.1), rng.fork(), spares);
        }
        let homeward = (far.discipline(), choice.homeward_queue_time(far.queue_time));
        if homeward != (far_before.discipline(), near_before.homeward_queue_time(far_before.queue_time)) {
            relay.homeward.set_discipline(now, (&homeward.0, homeward.1), rng.fork(), spares);
        }
        self.wake(id);
    }

    /// Takes no JOIN any more, and ends all flows and tunnels: their neighbours are told, and go another way without
    /// loss. [`has_told_all`](Helper::has_told_all) says when that is done; a neighbour that hears nothing finds out by
    /// itself.
    pub fn drain(&mut self, now: Instant) {
        if core::mem::replace(&mut self.draining, true) {
            return;
        }
        let mut tunnels: Vec<RelayId> = self.tunnels.keys().copied().collect();
        tunnels.sort_unstable();
        let all = tunnels.into_iter().chain(self.flow_ids());
        self.dismissals = all.map(|id| (id, LeftBecause::Draining)).collect();
        self.dismiss_due(now);
    }

    /// Whether it is being shut down.
    pub fn is_draining(&self) -> bool {
        self.draining
    }

    /// Whether every neighbour that must hear of the shutdown has been told of it, or has been written to.
    pub fn has_told_all(&self) -> bool {
        self.draining && self.dismissals.is_empty() && self.answers.is_empty() && self.tunnels.is_empty()
    }

    /// Ends those flows and tunnels whose neighbours can be told now.
    pub(super) fn dismiss_due(&mut self, now: Instant) {
        while self.answers.len() + 2 <= ANSWERS_WAITING_MAX
            && let Some((id, because)) = self.dismissals.pop_front()
        {
            self.dismiss(now, id, because);
        }
    }
}
