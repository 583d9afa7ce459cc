//! A channel in use: the value that joins it with its path, its names and its share in a flow.

mod batch;
mod moves;

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{ChannelId, Ecn, Fields, Footing, Instant, PathCondition, PeerText, Protocol, Transmit};
use tng_base::{Unreachable, Violation};
use tng_channel::wire::{CLOSE_REASON_MAX, Control, Renewal};
use tng_channel::{Channel, ChannelEvent, ControlKind, Discard, PROTOCOL_VIOLATION, Poll, Sealed, Verdict};
use tng_congestion::{Choice, Regulation};
use tng_endpoint::{Path, RemoteIds};

use self::batch::Batch;
pub use self::batch::{BATCH_BYTES_MAX, BATCH_DATAGRAMS_MAX};
use crate::join::HELPERS_MAX;
use crate::names::Names;
use crate::route::{Route, To, Word};
use crate::sizes::Sizes;
use crate::wire::CARRIED_MIN;
use crate::{Around, Flows, Party, Settings, Share};

/// Renewals that wait to be looked at, at most, one for each helper that a path may have; of more the first are
/// forgotten.
pub const RENEWALS_MAX: usize = HELPERS_MAX;

/// Control frames unacknowledged with which nothing more of what others say is passed on: a neighbour that says much is
/// not to make the one on the other side look as if it acknowledged nothing.
pub const PASSED_ON_MAX: usize = 32;

/// Idle timeouts after which a section ends whose peer is heard of and acknowledges nothing: one that hears nothing has
/// given up long before.
pub const UNACKNOWLEDGED_IDLES: u32 = 2;

/// Longest time for which a closed section is remembered.
pub const LINGER_MAX: Duration = Duration::from_secs(30);

/// Longest silence of a channel with open streams, so that NATs on its way do not forget it: Linux forgets a UDP flow
/// that was never answered after 30 s, others after 2 min (RFC 4787, REQ-5).
pub const NAT_KEEP_ALIVE: Duration = Duration::from_secs(25);

/// Where a datagram came from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// Its source.
    pub remote: SocketAddr,
    /// The local address that it was sent to, where the driver knows it. Port 0 where it does not know that.
    pub local: Option<SocketAddr>,
    /// The codepoint that it arrived with.
    pub ecn: Ecn,
}

/// Why a section ends.
#[derive(Debug)]
pub enum Ended {
    /// The peer closed it.
    Peer {
        /// Its code.
        code: u64,
        /// For people.
        reason: PeerText,
    },
    /// The peer broke the protocol.
    Violation(Violation),
    /// Nothing came for the idle timeout.
    Idle,
    /// Packets come, and none that left is acknowledged, for [`UNACKNOWLEDGED_IDLES`] idle timeouts.
    Unacknowledged,
    /// The keys have reached their limit.
    KeysUsedUp,
}

/// What a datagram was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// A packet of the peer's.
    Authentic,
    /// Nothing of the peer's, or not for the first time.
    Discarded,
}

fn choked() -> Ended {
    Ended::Violation(Violation { code: PROTOCOL_VIOLATION, reason: "acknowledges no control frames" })
}

/// A channel with its path, its names and its share in a flow.
#[derive(Debug)]
pub struct Section<Who> {
    names: Names<Who>,
    /// With whom its flow is.
    party: Party,
    /// The channel.
    pub channel: Channel,
    /// What governs the flows that begin for it, if that is not what its owner's settings say, and nothing was asked.
    controller: Option<Choice>,
    /// In the flow on its path.
    share: Share<Who>,
    route: Route,
    sizes: Sizes,
    idle_timeout: Option<Duration>,
    idle_times: u32,
    last_sent: Instant,
    /// When it began.
    began_at: Instant,
    /// When the pacer releases the next batch.
    release_at: Option<Instant>,
    /// The path's new condition, to be told.
    condition: Option<PathCondition>,
    /// The peer wants the channel, which has stood by, to carry what stands above.
    carries: bool,
    /// The peer acknowledges no control frames.
    choked: bool,
    /// The peer has spoken under the new keys.
    confirmed: bool,
    /// What brings the peer the keys went to another address than its packets go to.
    answered_elsewhere: bool,
    /// This end asked for it.
    began: bool,
    renewals: Vec<Renewal>,
}

/// What a section is made of: what its set-up came to.
#[derive(Debug)]
pub struct SectionStart<Who> {
    /// Under whom its names stand in the tables.
    pub owner: Who,
    /// With whom its flow is.
    pub party: Party,
    /// The channel.
    pub channel: Channel,
    /// What governs the flows that begin for it, if that is not what its owner's settings say, and nothing was asked.
    pub controller: Option<Choice>,
    /// Where its packets go.
    pub path: Path,
    /// RTT of the path before the first sample, if nobody knows it better.
    pub initial_rtt: Duration,
    /// This end asked for it.
    pub began: bool,
    /// This end's name for it.
    pub local_id: ChannelId,
    /// The peer's.
    pub remote_ids: RemoteIds,
    /// The shorter of the two ends'.
    pub idle_timeout: Option<Duration>,
    /// How many times that must pass: behind a neighbour there may be something that is blocked.
    pub idle_times: u32,
    /// The largest UDP payload that the peer takes.
    pub payload_max: usize,
}

impl<Who: Copy + Eq> Section<Who> {
    /// A section in use from now on.
    pub fn new(now: Instant, up: SectionStart<Who>, around: &mut Around<'_, Who>) -> Section<Who> {
        let SectionStart { owner, party, channel, path, initial_rtt, began, local_id, .. } = up;
        let SectionStart { controller, remote_ids, idle_timeout, idle_times, payload_max, .. } = up;
        let names = Names::new(owner, local_id, remote_ids, around.demux);
        let sizes = Sizes::new(now, around.settings.mtu, payload_max);
        let route = Route::new(path);
        let settings = around.settings.under(party.wished().or(controller.as_ref()));
        let (way, largest) = (route.way(&party), sizes.current_u16());
        let remote = way.remote;
        let share = around.flows.join(now, owner, way, largest, || settings.begin(remote, initial_rtt));
        Section {
            names,
            party,
            channel,
            controller,
            share,
            route,
            sizes,
            idle_timeout,
            idle_times,
            last_sent: now,
            began_at: now,
            release_at: None,
            condition: None,
            carries: false,
            choked: false,
            confirmed: false,
            answered_elsewhere: false,
            began,
            renewals: Vec::new(),
        }
    }

    /// This governs it from now on, with all that have a share in its flow, unless the flow has a leased link; and the
    /// flows that begin for it later. A section for which something was asked keeps that.
    pub fn set_controller(&mut self, now: Instant, controller: Choice, flows: &mut Flows<Who>) {
        if self.party.wished().is_none() {
            flows.set_controller(now, &self.share, &controller);
        }
        self.controller = Some(controller);
    }

    /// What governs it.
    pub fn regulation<'a>(&self, flows: &'a Flows<Who>) -> &'a Regulation {
        flows.regulation(&self.share)
    }

    /// The path that its packets take.
    pub fn path(&self) -> &Path {
        self.route.path()
    }

    /// The largest UDP payload known to pass, in bytes.
    pub fn mtu(&self) -> usize {
        self.sizes.current()
    }

    /// At the set-up the peer has said that end-to-end packets of `theirs` bytes go on from it at most, and was told
    /// `ours`.
    pub fn note_greetings(&mut self, theirs: u16, ours: u16) {
        self.sizes.note_greetings(theirs, ours);
    }

    /// The largest end-to-end packet that this section carries now, in bytes.
    pub fn largest_carried(&self) -> usize {
        self.sizes.carried()
    }

    /// The largest that this section carries and that goes on behind it.
    pub fn largest_onward(&self) -> usize {
        self.sizes.onward()
    }

    /// Tells the peer how large end-to-end packets may be that go on from here, if that has changed.
    /// If much that others have said waits for acknowledgment, it waits, too, for the next call.
    pub fn announce(&mut self, bytes: usize) {
        if self.may_pass_on()
            && let Some(control) = self.sizes.announce(bytes)
        {
            self.send_control(control);
        }
    }

    /// Gives a helper on the way a fresh capability, unless much that others have said waits for acknowledgment.
    /// Answers whether it does.
    pub fn renew(&mut self, renewal: Renewal) -> bool {
        let may = self.may_pass_on();
        if may {
            self.send_control(Control::Renew(renewal));
        }
        may
    }

    /// Whether what others have said goes on by this section now.
    pub fn may_pass_on(&self) -> bool {
        self.channel.controls_unacked() < PASSED_ON_MAX
    }

    /// A fresh capability, if the peer has brought one.
    pub fn take_renewal(&mut self) -> Option<Renewal> {
        self.renewals.pop()
    }

    /// The peer has spoken under the new keys: it may have spare ids.
    pub fn confirm(&mut self, now: Instant, around: &mut Around<'_, Who>) {
        self.confirmed = true;
        self.channel
            .note(now, "connectivity:connection_state_updated", || Fields::new().with("new", "handshake_confirmed"));
        self.issue_ids(around);
    }

    /// Where the peer has shown that it receives, if it has.
    pub fn proven_remote(&self) -> Option<SocketAddr> {
        self.route.proven_remote()
    }

    /// The peer's new address, once it is proven.
    pub fn take_move(&mut self) -> Option<SocketAddr> {
        self.route.take_move()
    }

    /// The path's condition, if it changed.
    pub fn take_condition(&mut self) -> Option<PathCondition> {
        self.condition.take()
    }

    /// Whether the peer has said that the channel carries what stands above from now on.
    pub fn take_carry(&mut self) -> bool {
        core::mem::take(&mut self.carries)
    }

    /// Tells the peer so.
    pub fn say_carry(&mut self) {
        self.send_control(Control::Carry);
    }

    /// A set-up message of `len` bytes carried our packet number 0 at `sent_at`.
    pub fn note_set_up_sent(&mut self, sent_at: Instant, len: usize, flows: &mut Flows<Who>) {
        self.channel.note_setup_sent(sent_at, len, true, Some(flows.regulation_mut(&self.share)));
    }

    /// The REPLY said that our packet number 0 was taken.
    pub fn acknowledge_set_up(&mut self, now: Instant, above: &mut (impl Protocol + ?Sized), flows: &mut Flows<Who>) {
        self.channel.setup_acked(now, Some(flows.regulation_mut(&self.share)), above);
        flows.settle(&self.share);
    }

    /// The first name that the peer was given for it.
    pub fn local_id(&self) -> ChannelId {
        self.names.local()
    }

    /// What asked for it came again, in `len` bytes.
    pub fn note_repeated_set_up(&mut self, len: usize) {
        self.route.handle_received(self.path().remote, len);
    }

    /// What answers the set-up also goes to another address that asked for it: that the peer has read it does not say
    /// that it receives where its packets go.
    pub fn note_answered_elsewhere(&mut self) {
        self.answered_elsewhere = true;
    }

    /// A set-up message of `len` bytes is on its way.
    pub fn note_sent(&mut self, now: Instant, len: usize) {
        self.route.handle_sent(self.path().remote, len);
        self.last_sent = now;
    }

    /// Gives the peer the spare ids that it is short of.
    fn issue_ids(&mut self, around: &mut Around<'_, Who>) {
        while let Some(new) = self.names.issue(around) {
            self.send_control(Control::NewId(new));
        }
    }

    /// The names under which the peer may address this link, and the tokens whose arrival would end it.
    pub fn names(&self) -> (usize, impl Iterator<Item = [u8; 16]> + '_) {
        self.names.known()
    }

    /// The flow that it has a share in.
    pub fn flow(&self) -> usize {
        self.share.flow()
    }

    /// Bytes that it has in flight in the books of its flow.
    pub fn booked(&self) -> u64 {
        self.channel.booked()
    }

    /// The channel has ended: what it had in flight is others' to use.
    pub fn leave(&mut self, flows: &mut Flows<Who>) {
        self.channel.forget_in_flight(flows.regulation_mut(&self.share));
        flows.leave(&mut self.share);
    }

    /// Forgets every name of this link.
    pub fn release(&mut self, around: &mut Around<'_, Who>) {
        self.names.release(around.demux);
    }

    /// Takes one datagram whose channel id is one of ours.
    #[inline]
    pub fn handle_datagram(
        &mut self,
        now: Instant,
        origin: Origin,
        packet: &mut [u8],
        above: &mut (impl Protocol + ?Sized),
        around: &mut Around<'_, Who>,
    ) -> Result<Arrival, Ended> {
        self.note_received(origin.remote, packet.len());
        let arrival = self.handle_packet(now, origin, packet, above, around)?;
        self.taken(arrival, around.flows)
    }

    /// Takes datagrams whose channel id is the same one of ours, each of `size` bytes but the last, which may have
    /// fewer. Answers whether any of them was the peer's; what comes behind one that ends the section is lost.
    pub fn handle_datagrams(
        &mut self,
        now: Instant,
        origin: Origin,
        (packets, size): (&mut [u8], usize),
        above: &mut (impl Protocol + ?Sized),
        around: &mut Around<'_, Who>,
    ) -> Result<Arrival, Ended> {
        self.note_received(origin.remote, packets.len());
        let (mut rest, mut arrival) = (packets, Arrival::Discarded);
        while !rest.is_empty() {
            // What follows what came before, where it comes from, needs no more.
            let follows = self.confirmed && origin.remote == self.path().remote;
            let run = match follows {
                true => self.channel.handle_run(now, origin.ecn, (&mut *rest, size), above),
                false => Ok(0),
            };
            let run = run.map_err(|violation| self.broken(violation, around.flows))?;
            let (packets, others) = rest.split_at_mut(if run > 0 { run } else { size.max(1).min(rest.len()) });
            rest = others;
            if run > 0 {
                self.route.handle_sign_of_life(now, origin.local, true);
                arrival = Arrival::Authentic;
            } else if self.handle_packet(now, origin, packets, above, around)? == Arrival::Authentic {
                arrival = Arrival::Authentic;
            }
        }
        self.taken(arrival, around.flows)
    }

    /// What came is taken: what that did to others in the flow, and whether the section lives on.
    #[inline]
    fn taken(&mut self, arrival: Arrival, flows: &mut Flows<Who>) -> Result<Arrival, Ended> {
        self.note_fates(flows);
        if self.choked { Err(choked()) } else { Ok(arrival) }
    }

    #[inline]
    fn handle_packet(
        &mut self,
        now: Instant,
        origin: Origin,
        packet: &mut [u8],
        above: &mut (impl Protocol + ?Sized),
        around: &mut Around<'_, Who>,
    ) -> Result<Arrival, Ended> {
        let size = packet.len();
        let regulation = Some(around.flows.regulation_mut(&self.share));
        let received = match self.channel.handle_packet(now, origin.ecn, packet, regulation, above) {
            Ok(received) => received,
            Err(Discard::Violation(violation)) => return Err(self.broken(violation, around.flows)),
            Err(_) => return Ok(Arrival::Discarded),
        };
        if !self.confirmed {
            around.flows.regulation_mut(&self.share).note_arrived(self.began_at);
            // The sender has read the REPLY, and so receives where that went, if it went nowhere else. Where this came
            // from is another matter.
            if !self.answered_elsewhere {
                self.route.prove();
            }
            self.confirm(now, around);
        }
        if origin.remote == self.path().remote {
            self.route.handle_sign_of_life(now, origin.local, received.newest);
        } else if received.newest {
            self.handle_peer_move(now, origin, size, around);
        }
        if self.channel.has_events() {
            self.note_fates(around.flows);
            self.handle_channel_events(now, Some(origin), around)?;
        }
        Ok(Arrival::Authentic)
    }

    /// The neighbour broke the protocol.
    fn broken(&mut self, violation: Violation, flows: &mut Flows<Who>) -> Ended {
        self.note_fates(flows);
        Ended::Violation(violation)
    }

    /// `len` bytes came from `remote`, authentic or not.
    pub fn note_received(&mut self, remote: SocketAddr, len: usize) {
        self.route.handle_received(remote, len);
    }

    fn send_control(&mut self, control: Control<'static>) {
        self.choked |= self.channel.send_control(control).is_err();
    }

    fn handle_channel_events(
        &mut self,
        now: Instant,
        origin: Option<Origin>,
        around: &mut Around<'_, Who>,
    ) -> Result<(), Ended> {
        let violation = |reason| Ended::Violation(Violation { code: PROTOCOL_VIOLATION, reason });
        while let Some(event) = self.channel.poll_event() {
            match event {
                ChannelEvent::Close { code, reason } => return Err(Ended::Peer { code, reason }),
                ChannelEvent::Exhausted => return Err(Ended::KeysUsedUp),
                ChannelEvent::NewId(new) => {
                    let retired = self.names.handle_new(new, around.demux);
                    for sequence in retired.map_err(|_| violation("too many channel ids, or contradictory ones"))? {
                        self.send_control(Control::RetireId { sequence });
                    }
                    self.channel.set_remote_id(self.names.remote());
                }
                ChannelEvent::RetireId { sequence } => {
                    let retired = self.names.handle_retired(sequence, around.demux);
                    retired.map_err(|_| violation("retired a channel id that was never issued"))?;
                    self.issue_ids(around);
                }
                ChannelEvent::Challenge(data) => self.route.handle_challenge(data, origin),
                ChannelEvent::Response(data) => self.handle_response(now, data, around),
                ChannelEvent::MtuProbe { number, acked, .. } => {
                    self.handle_probe_fate(now, number, acked, around.flows)
                }
                ChannelEvent::Condition(condition) => {
                    self.condition = Some(condition);
                    self.channel
                        .note(now, "tng:path_condition", || Fields::new().with("condition", format!("{condition:?}")));
                }
                ChannelEvent::PayloadMax { bytes, .. } if bytes < CARRIED_MIN => {
                    return Err(violation("passes on less than every section carries"));
                }
                ChannelEvent::PayloadMax { sequence, bytes } => {
                    self.sizes.handle_onward(sequence, bytes);
                }
                ChannelEvent::Renew(renewal) => {
                    if self.renewals.len() >= RENEWALS_MAX {
                        self.renewals.remove(0);
                    }
                    self.renewals.push(renewal);
                }
                ChannelEvent::Carry => self.carries = true,
                ChannelEvent::EcnFailed => {}
            }
        }
        if self.choked { Err(choked()) } else { Ok(()) }
    }

    /// Nothing may be heard of this channel any more: then what it has in flight, which may be for ever, is not to keep
    /// the window from others who share it, nor from those who come later.
    fn yield_flow(&mut self, now: Instant, around: &mut Around<'_, Who>) {
        let flows = &mut *around.flows;
        if !self.channel.is_asked() || !around.settings.caution.silence {
            return;
        }
        if !flows.is_shared(&self.share) {
            return flows.note_silent(&self.share);
        }
        let regulation = flows.regulation_mut(&self.share);
        if self.channel.silent_at(regulation).is_some_and(|at| at <= now) {
            let verdict = if self.confirmed { Verdict::Silence } else { Verdict::None };
            self.channel.step_aside(now, regulation, verdict);
            flows.step_aside(&mut self.share);
        }
    }

    /// Packets have been acknowledged or found lost.
    fn note_fates(&mut self, flows: &mut Flows<Who>) {
        if !self.channel.is_aside() {
            flows.come_back(&mut self.share);
        }
        flows.settle(&self.share);
    }

    fn handle_probe_fate(&mut self, now: Instant, number: u64, acked: bool, flows: &mut Flows<Who>) {
        if self.sizes.handle_probe_fate(number, acked) {
            self.apply_mtu(now, flows);
        }
    }

    fn apply_mtu(&mut self, now: Instant, flows: &mut Flows<Who>) {
        self.note_mtu(now);
        flows.set_mtu(now, &self.share, self.sizes.current_u16());
    }

    fn note_mtu(&mut self, now: Instant) {
        let mtu = self.sizes.current_u16();
        self.channel.note(now, "connectivity:mtu_updated", || Fields::new().with("new", u64::from(mtu)));
    }

    /// The next datagrams to send, if any may leave now.
    #[inline]
    pub fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        above: &mut (impl Protocol + ?Sized),
        around: &mut Around<'_, Who>,
    ) -> Option<Transmit> {
        self.release_at = None;
        self.yield_flow(now, around);
        self.poll_move(now, around);
        let transmit = self
            .poll_response(now, buf)
            .or_else(|| self.poll_challenge(now, buf, around))
            .or_else(|| self.poll_question(now, buf, around))
            .or_else(|| self.poll_mtu_probe(now, buf, around.flows))
            .or_else(|| self.poll_batch(now, buf, above, around.flows))?;
        self.last_sent = now;
        Some(transmit)
    }

    /// Whether a larger size may be tried once it is time: the path is known to work, and not in doubt.
    fn may_probe(&self) -> bool {
        self.path().is_proven() && self.channel.unanswered_probes() == 0
    }

    fn poll_mtu_probe(&mut self, now: Instant, buf: &mut [u8], flows: &mut Flows<Who>) -> Option<Transmit> {
        if !self.may_probe() {
            return None;
        }
        let size = self.sizes.poll_probe(now)?;
        let room = buf.len().min(size);
        let (kind, regulation) = (ControlKind::MtuProbe, Some(flows.regulation_mut(&self.share)));
        let sealed = self.channel.build_control(now, &[Control::Ping], Some(size), &mut buf[..room], kind, regulation);
        self.sizes.handle_probe_sent(sealed.as_ref().map(|sealed| sealed.number));
        Some(self.departed(sealed?, self.route.to()))
    }

    fn say(&mut self, now: Instant, buf: &mut [u8], word: Word<'_>) -> Option<Transmit> {
        let Word { control, pad_to, to } = word;
        let room = buf.len().min(pad_to.unwrap_or(tng_endpoint::BASE_PAYLOAD));
        let sealed = self.channel.build_control(now, &[control], pad_to, &mut buf[..room], ControlKind::Plain, None)?;
        Some(self.departed(sealed, to))
    }

    fn departed(&mut self, sealed: Sealed, (remote, local): To) -> Transmit {
        self.route.handle_sent(remote, sealed.len);
        Transmit { remote, local, ecn: sealed.ecn, len: sealed.len, segment_size: sealed.len }
    }

    /// Fills `buf` with packets of one size.
    #[inline]
    fn poll_batch(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        above: &mut (impl Protocol + ?Sized),
        flows: &mut Flows<Who>,
    ) -> Option<Transmit> {
        let (remote, local) = self.route.to();
        if self.channel.waiting_since().is_some() && flows.is_shared(&self.share) {
            self.channel.note_turn(now, flows.regulation(&self.share));
        }
        let policed = above.polices_itself();
        let regulation = if policed {
            let (regulation, parties) = flows.begin_policed(now, &mut self.share);
            above.handle_footing(now, Footing { parties, ipv6: remote.is_ipv6(), marks: self.channel.marks() });
            regulation
        } else {
            flows.begin_turn(now, &self.share, self.channel.in_flight())
        };
        let (mut refused, mut release_at) = (false, None);
        let mut batch = Batch::new(buf, self.sizes.current());
        while let Some(room) = batch.next(self.route.room(self.confirmed)) {
            match self.channel.poll_packet(now, Some(&mut *regulation), room, above) {
                Poll::Packet(sealed) => {
                    let is_full = batch.push(&sealed);
                    self.route.handle_sent(remote, sealed.len);
                    // Only packets of one size can be in a batch, and only the full size is worth one, or what a guest
                    // takes for it.
                    if !batch.is_even() || !is_full && !policed {
                        break;
                    }
                    if is_full {
                        self.sizes.handle_filled(now);
                    }
                    let (room, size) = batch.spare_room(self.route.room(self.confirmed));
                    let train = self.channel.poll_train(now, Some(&mut *regulation), room, (size, size), above);
                    batch.push_train(&train);
                    self.route.handle_sent(remote, train.len);
                    if !batch.is_even() {
                        break;
                    }
                }
                Poll::At(at) => {
                    release_at = Some(at);
                    break;
                }
                Poll::Blocked => {
                    refused = true;
                    break;
                }
                Poll::Nothing => break,
            }
        }
        if let Some(room) = batch.tail(self.route.room(self.confirmed))
            && let Some(sealed) = self.channel.poll_receipts(now, Some(&mut *regulation), room)
        {
            batch.push(&sealed);
            self.route.handle_sent(remote, sealed.len);
        }
        let batch = batch.finish();
        let held = release_at.is_some() || refused && flows.refuses(&self.share);
        if flows.end_turn(&mut self.share, batch.map_or(0, |(len, ..)| len), held) {
            self.release_at = release_at;
        }
        batch.map(|(len, segment_size, ecn)| Transmit { remote, local, ecn, len, segment_size })
    }

    /// The datagram that says that this section is closed, and carries `payload`, the last that there is.
    pub fn farewell(&mut self, now: Instant, code: u64, payload: &[u8]) -> Option<(Vec<u8>, Transmit)> {
        let mut buf = vec![0; self.path().budget().min(self.sizes.current() as u64) as usize];
        let sealed = self.channel.build_farewell(now, code, payload, &mut buf)?;
        buf.truncate(sealed.len);
        Some((buf, self.departed(sealed, self.route.to())))
    }

    /// The datagram that says that this link is closed; without the reason if an unproven address may not get so much,
    /// none if not even that.
    pub fn close_packet(&mut self, now: Instant, code: u64, reason: &str) -> Option<(Vec<u8>, Transmit)> {
        let mut buf = vec![0; self.path().budget().min(tng_endpoint::BASE_PAYLOAD as u64) as usize];
        let reason = PeerText::new(reason);
        let to = self.route.to();
        let transmit = [reason.cut(CLOSE_REASON_MAX), PeerText::default()].into_iter().find_map(|reason| {
            self.say(now, &mut buf, Word { control: Control::Close { code, reason }, pad_to: None, to })
        })?;
        buf.truncate(transmit.len);
        Some((buf, transmit))
    }

    /// Takes note that time has passed; `wanted` says whether something above needs the path to be known to work.
    ///
    /// # Errors
    /// When the section ends.
    pub fn handle_timeout(
        &mut self,
        now: Instant,
        above: &mut (impl Protocol + ?Sized),
        around: &mut Around<'_, Who>,
        wanted: bool,
    ) -> Result<(), Ended> {
        if self.idle_at().is_some_and(|at| at <= now) {
            return Err(Ended::Idle);
        }
        if self.unacknowledged_at(&around.settings).is_some_and(|at| at <= now) {
            return Err(Ended::Unacknowledged);
        }
        self.channel.handle_timeout(now, Some(around.flows.regulation_mut(&self.share)), above);
        self.yield_flow(now, around);
        self.note_fates(around.flows);
        if self.sizes.handle_unanswered(self.channel.unanswered_probes()) {
            self.apply_mtu(now, around.flows);
        }
        self.handle_channel_events(now, None, around)?;
        if self.keep_alive_at(&around.settings, wanted).is_some_and(|at| at <= now) {
            self.ask_whether_there(now);
        }
        Ok(())
    }

    /// Whether what is said not to arrive was sent on this section: only who has seen that can quote the neighbour's
    /// name for it, of 48 bits that nobody guesses.
    pub fn has_sent(&self, told: &Unreachable) -> bool {
        let path = self.path().remote;
        (path.ip(), path.port()) == (told.remote.ip(), told.remote.port())
            && told.quoted.get(1..7) == Some(&self.names.remote().to_bytes()[..])
    }

    /// Asks the peer for a sign of life.
    pub fn ask_whether_there(&mut self, now: Instant) {
        self.send_control(Control::Ping);
        // The next is due as much later, even if this one cannot leave.
        self.last_sent = now;
    }

    /// When [`handle_timeout`](Section::handle_timeout) wants to be called.
    #[inline]
    pub fn poll_timeout(
        &mut self,
        now: Instant,
        (settings, flows): (&Settings<'_>, &Flows<Who>),
        wanted: bool,
    ) -> Option<Instant> {
        let channel = self.channel.poll_timeout(Some(flows.regulation(&self.share)));
        // What is due and may not be sent waits for the peer, not for the clock.
        let channel = channel.filter(|at| *at > now || !self.route.is_choked(self.confirmed));
        let yields = self.channel.is_asked() && settings.caution.silence && flows.is_shared(&self.share);
        let silent = yields.then(|| self.channel.silent_at(flows.regulation(&self.share))).flatten();
        [
            channel,
            silent,
            self.release_at,
            self.idle_at(),
            self.unacknowledged_at(settings),
            self.keep_alive_at(settings, wanted),
            self.route.poll_timeout(),
            self.sizes.probe_at().filter(|at| *at > now && self.may_probe()),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Since when nothing has come or gone.
    pub fn quiet_since(&self) -> Instant {
        self.channel.last_received().max(self.last_sent)
    }

    /// When something was sent last, if more waits and others in the flow have their turn.
    pub fn waits_for_turn(&self) -> Option<Instant> {
        self.share.waits().then_some(self.last_sent)
    }

    fn idle_at(&self) -> Option<Instant> {
        self.idle_timeout.map(|timeout| self.channel.idle_since() + timeout * self.idle_times)
    }

    fn unacknowledged_at(&self, settings: &Settings<'_>) -> Option<Instant> {
        let since = self.channel.unacknowledged_since().filter(|_| settings.caution.unacknowledged)?;
        self.idle_timeout.map(|timeout| since + timeout * (UNACKNOWLEDGED_IDLES * self.idle_times))
    }

    /// When to send something only so that there is something. While streams are open the path must be known to work:
    /// who only waits for data would never learn that a NAT on the way has forgotten it. Who asked for the channel asks
    /// first, being likelier to sit behind one.
    #[inline]
    fn keep_alive_at(&self, settings: &Settings<'_>, wanted: bool) -> Option<Instant> {
        let part = if self.began { 2 } else { 3 };
        let by_need = self.idle_timeout.filter(|_| wanted).map(|timeout| (timeout / 4 * part).min(NAT_KEEP_ALIVE));
        let interval = [settings.keep_alive, by_need].into_iter().flatten().min();
        interval.filter(|_| self.confirmed).map(|interval| self.last_sent + interval)
    }

    /// The time for which a closed link must still be remembered: three probe timeouts (RFC 9000 section 10.2), but not
    /// more than [`LINGER_MAX`].
    pub fn linger(&self, flows: &Flows<Who>) -> Duration {
        (flows.regulation(&self.share).rtt().pto_base() * 3).min(LINGER_MAX)
    }
}
