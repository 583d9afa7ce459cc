//! What a section makes of its path: it follows the moves of the peer and its own, proves where it sends, and asks and
//! answers for that.

use core::net::IpAddr;

use tng_base::{Instant, Transmit};
use tng_channel::wire::Control;
use tng_congestion::RegulationConfig;

use super::{Origin, Section};
use crate::Around;
use crate::route::Shown;

impl<Who: Copy + Eq> Section<Who> {
    /// The peer's newest packet came from another address: answer there from now on, but prove it first (RFC 9000
    /// section 9).
    pub(super) fn handle_peer_move(&mut self, now: Instant, origin: Origin, size: usize, around: &mut Around<'_, Who>) {
        let pto = around.flows.regulation(&self.share).rtt().pto_base();
        if self.route.handle_peer_move(now, origin, size, (pto, around.settings.caution)) {
            self.handle_new_path(now, around);
        }
    }

    /// Follows a move that was put off.
    #[inline]
    pub(super) fn poll_move(&mut self, now: Instant, around: &mut Around<'_, Who>) {
        if !self.route.is_to_move() {
            return;
        }
        let pto = around.flows.regulation(&self.share).rtt().pto_base();
        if self.route.poll_move(now, pto, around.settings.caution) {
            self.handle_new_path(now, around);
        }
    }

    fn handle_new_path(&mut self, now: Instant, around: &mut Around<'_, Who>) {
        if !around.flows.is_on(&self.share, &self.route.way(&self.party)) {
            self.sizes.start_over(around.settings.mtu);
            self.change_flow(now, around);
            self.note_mtu(now);
        }
        self.note_path(now, "tng:path_moved");
        self.take_fresh_name(around);
        self.route.tell_move();
    }

    /// Packets go another way from now on: its flow is another, or starts at the initial window.
    fn change_flow(&mut self, now: Instant, around: &mut Around<'_, Who>) {
        let Around { settings, flows, .. } = around;
        self.channel.change_path(now, Some(flows.regulation_mut(&self.share)));
        flows.come_back(&mut self.share);
        let (way, largest) = (self.route.way(&self.party), self.sizes.current_u16());
        if flows.is_on(&self.share, &way) {
            flows.regulation_mut(&self.share).reset_for_new_path(now);
            flows.settle(&self.share);
        } else {
            let initial_rtt = RegulationConfig::default().initial_rtt;
            let settings = settings.under(self.party.wished().or(self.controller.as_ref()));
            let remote = way.remote;
            flows.change(now, &mut self.share, way, largest, || settings.begin(remote, initial_rtt));
        }
    }

    /// Addresses the peer by a spare id of its own from now on, so that nobody can link the two paths.
    fn take_fresh_name(&mut self, around: &mut Around<'_, Who>) {
        if let Some(sequence) = self.names.advance(around.demux) {
            self.send_control(Control::RetireId { sequence });
            self.channel.set_remote_id(self.names.remote());
        }
    }

    fn note_path(&mut self, now: Instant, name: &'static str) {
        self.channel.note(now, name, || self.route.fields());
    }

    /// Our own address changed: everything must be proven again, under a fresh name.
    pub fn handle_local_move(&mut self, now: Instant, local: Option<IpAddr>, around: &mut Around<'_, Who>) {
        self.route.handle_local_move(local);
        self.note_path(now, "tng:path_moved");
        self.change_flow(now, around);
        self.take_fresh_name(around);
        self.send_control(Control::Ping);
    }

    pub(super) fn handle_response(&mut self, now: Instant, data: [u8; 8], around: &mut Around<'_, Who>) {
        match self.route.handle_response(now, data) {
            Shown::Nothing => {}
            Shown::Here => self.note_path(now, "tng:path_proven"),
            Shown::Back => self.handle_new_path(now, around),
        }
    }

    /// Answers a challenge on the path that it came by.
    #[inline]
    pub(super) fn poll_response(&mut self, now: Instant, buf: &mut [u8]) -> Option<Transmit> {
        let word = self.route.poll_response()?;
        self.say(now, buf, word)
    }

    pub(super) fn poll_challenge(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        around: &mut Around<'_, Who>,
    ) -> Option<Transmit> {
        // The REPLY is challenge enough for a peer that has not answered it yet.
        if self.path().is_proven() || !self.confirmed {
            return None;
        }
        let pto = around.flows.regulation(&self.share).rtt().pto_base();
        let word = self.route.poll_challenge(now, pto, || around.rng.bytes());
        if self.route.turn_back() {
            self.handle_new_path(now, around);
            return None;
        }
        self.say(now, buf, word?)
    }

    #[inline]
    pub(super) fn poll_question(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        around: &mut Around<'_, Who>,
    ) -> Option<Transmit> {
        let word = self.route.poll_question(now, || around.rng.bytes())?;
        self.say(now, buf, word)
    }
}
