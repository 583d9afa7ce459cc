//! Structured streams below one control loop from end to end (Tng 4.4), whatever governs the sections that carry them.
//!
//! It is a semantic protocol of the lab's, registered like any other: a host composes no loops
//! (docs/decisions/0011-sections-share-queues.md). The loop sees what a protocol above a channel sees, the fates of its
//! packets, and counts their payloads.

use core::ops::Range;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, PathCondition, Protocol, Semantic, Taken, Violation};
use tng_congestion::{
    AckSample, Choice, LossCause, LossSample, Permission, Regulation, RegulationConfig, RttSample, SendStamp,
};
use tng_semantic::structured::{Allowance, Role, Services, StreamEvent, Streams};
use tng_stack::{ConnectError, ConnectionId, FIRST_WINDOW_MIN, FactoryError, Host, HostConfig, Target};

/// What it is called on the wire.
const LOOPED: &str = "looped/lab";

/// The largest payload, in bytes, until a packet has room for more.
const PAYLOAD_FIRST: u16 = 1_000;

/// So far behind the newest that was acknowledged, packets found lost are remembered, in case they have arrived.
const LOST_KEPT: u64 = 4_096;

/// A packet on its way, or found lost.
#[derive(Debug)]
struct Sent {
    bytes: u64,
    stamp: SendStamp,
    lost: bool,
}

/// Why nothing leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    /// Until then.
    At(Instant),
    /// Until a fate is known.
    ByWindow,
}

/// Packets that met their fate together.
#[derive(Default)]
struct Together {
    bytes: u64,
    /// Number and stamp of the last.
    newest: Option<(u64, SendStamp)>,
}

impl Together {
    fn add(&mut self, number: u64, sent: &Sent) {
        self.bytes += sent.bytes;
        self.newest = Some((number, sent.stamp));
    }

    fn loss(&self) -> Option<LossSample> {
        let (_, newest) = self.newest?;
        Some(LossSample { bytes: self.bytes, newest, cause: LossCause::Loss })
    }
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Looped {
    streams: Streams,
    regulation: Regulation,
    /// The largest payload so far, in bytes.
    payload_max: u16,
    sent: BTreeMap<(ChannelKey, u64), Sent>,
    /// The newest that was acknowledged.
    acked: (ChannelKey, u64),
    held: Option<Held>,
    events: VecDeque<StreamEvent>,
}

impl Looped {
    /// The streams of one end, with so much credit at first at most. This controller governs what the end sends.
    fn new(role: Role, (host, first): (&HostConfig, u64), services: Arc<Services>, controller: &Choice) -> Looped {
        let mut config = host.streams.clone();
        config.host_window_first = config.host_window_first.min(first);
        let regulation = controller.regulation(RegulationConfig { mtu: PAYLOAD_FIRST, ..RegulationConfig::default() });
        Looped {
            streams: Streams::new(role, config, services),
            regulation,
            payload_max: PAYLOAD_FIRST,
            sent: BTreeMap::new(),
            acked: (ChannelKey(0), 0),
            held: None,
            events: VecDeque::new(),
        }
    }

    /// Whether the loop lets a packet of so many bytes leave.
    fn permits(&mut self, now: Instant, room: usize) -> bool {
        let room = u16::try_from(room).unwrap_or(u16::MAX);
        if room > self.payload_max {
            self.payload_max = room;
            self.regulation.set_mtu(now, room);
        }
        self.held = match self.regulation.permission(now, room.into()) {
            Permission::Now => None,
            Permission::At(at) => Some(Held::At(at)),
            Permission::Blocked => Some(Held::ByWindow),
        };
        self.held.is_none()
    }

    fn note_acked(&mut self, now: Instant, channel: ChannelKey, numbers: Range<u64>) {
        let (mut acked, mut late) = (Together::default(), Together::default());
        let met = self.sent.extract_if((channel, numbers.start)..(channel, numbers.end), |_, _| true);
        for ((_, number), sent) in met {
            if sent.lost { late.add(number, &sent) } else { acked.add(number, &sent) }
        }
        if let Some(loss) = late.loss() {
            self.regulation.handle_spurious(now, &loss);
        }
        if let Some((number, newest)) = acked.newest {
            let is_newest = (channel, number) > self.acked;
            // How long the peer held the acknowledgment back is the channel's secret.
            let rtt = is_newest.then(|| RttSample { latest: now.since(newest.sent_at), ack_delay: Default::default() });
            self.acked = self.acked.max((channel, number));
            self.regulation.handle_ack(now, &AckSample { bytes: acked.bytes, newest, rtt });
        }
        while let Some(oldest) = self.sent.first_entry()
            && (oldest.get().lost && oldest.key().1 + LOST_KEPT < self.acked.1)
        {
            oldest.remove();
        }
    }

    fn note_lost(&mut self, now: Instant, channel: ChannelKey, numbers: Range<u64>) {
        let mut lost = Together::default();
        for ((_, number), sent) in self.sent.range_mut((channel, numbers.start)..(channel, numbers.end)) {
            if !core::mem::replace(&mut sent.lost, true) {
                lost.add(*number, sent);
            }
        }
        if let Some(loss) = lost.loss() {
            self.regulation.handle_loss(now, &loss);
        }
    }
}

/// Has a host speak it with these services, and govern what it sends by this controller.
pub(super) fn listen(host: &mut Host, services: Services, controller: Choice) {
    let (config, services) = (host.config().clone(), Arc::new(services));
    let registered = host.register(LOOPED, move |proposal| {
        let mut made = Looped::new(Role::Responder, (&config, proposal.memory), Arc::clone(&services), &controller);
        made.handle_set_up_item(proposal.set_up_item).map_err(|_| FactoryError::NotUnderstood)?;
        Ok(Box::new(made))
    });
    registered.expect("a new host has registered nothing of this name");
}

/// Connects to a host that [speaks it](listen).
///
/// # Errors
/// As [`Host::connect_speaking`].
pub(super) fn connect(
    now: Instant,
    host: &mut Host,
    target: Target,
    controller: &Choice,
) -> Result<ConnectionId, ConnectError> {
    let made = Looped::new(Role::Initiator, (host.config(), u64::MAX), Arc::default(), controller);
    host.connect_speaking(now, target, LOOPED, Box::new(made))
}

/// The next thing that has happened on the streams of a connection below a loop.
pub(super) fn next_event(host: &mut Host, id: ConnectionId) -> Option<StreamEvent> {
    host.protocol_as::<Looped>(id)?.events.pop_front()
}

/// The streams of a connection, below a loop or not.
pub(super) fn streams_of(host: &mut Host, id: ConnectionId) -> Option<&mut Streams> {
    match host.protocol_name(id) {
        Some(LOOPED) => host.protocol_as::<Looped>(id).map(|it| &mut it.streams),
        _ => host.streams(id),
    }
}

impl Protocol for Looped {
    fn handle_packet(
        &mut self,
        now: Instant,
        channel: ChannelKey,
        number: u64,
        ecn: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        self.streams.handle_packet(now, channel, number, ecn, payload)
    }

    fn replay_safe(&self, payload: &[u8]) -> bool {
        self.streams.replay_safe(payload)
    }

    fn poll_packet(&mut self, now: Instant, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        // The first packet is part of the set-up.
        if number > 0 && !self.permits(now, buf.len()) {
            return None;
        }
        let filled = self.streams.poll_packet(now, channel, number, buf).filter(|filled| filled.len > 0);
        let Some(Filled { len }) = filled else {
            self.regulation.handle_app_limited();
            return None;
        };
        let bytes = len as u64;
        let stamp = self.regulation.handle_sent(now, bytes);
        self.sent.insert((channel, number), Sent { bytes, stamp, lost: false });
        filled
    }

    fn wants_to_send(&mut self, now: Instant, channel: ChannelKey) -> bool {
        self.held.is_none() && self.streams.wants_to_send(now, channel)
    }

    fn handle_fates(&mut self, now: Instant, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        self.streams.handle_fates(now, channel, numbers.clone(), fate);
        match fate {
            Fate::Acked => self.note_acked(now, channel, numbers),
            Fate::Lost => self.note_lost(now, channel, numbers),
            Fate::Doubtful => return,
        }
        self.held = None;
    }

    fn handle_attach(&mut self, now: Instant, channel: ChannelKey) {
        self.streams.handle_attach(now, channel);
    }

    fn handle_detach(&mut self, now: Instant, channel: ChannelKey) {
        self.streams.handle_detach(now, channel);
        let gone = self.sent.extract_if((channel, 0)..=(channel, u64::MAX), |_, _| true);
        let bytes = gone.filter(|(_, sent)| !sent.lost).map(|(_, sent)| sent.bytes).sum();
        self.regulation.handle_discarded(bytes);
        self.held = None;
    }

    fn handle_path(&mut self, now: Instant, channel: ChannelKey, condition: PathCondition) {
        self.streams.handle_path(now, channel, condition);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let released = if let Some(Held::At(at)) = self.held { Some(at) } else { None };
        released.into_iter().chain(self.streams.poll_timeout()).min()
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.held.take_if(|held| matches!(held, Held::At(at) if *at <= now));
        self.streams.handle_timeout(now);
    }
}

impl Semantic for Looped {
    fn set_up_item(&self) -> Option<Vec<u8>> {
        Some(self.streams.setup_item())
    }

    fn handle_set_up_item(&mut self, item: Option<&[u8]>) -> Result<(), Violation> {
        item.map_or(Ok(()), |item| self.streams.set_peer_setup(item))
    }

    fn handle_set_up_packet(
        &mut self,
        now: Instant,
        _: ChannelKey,
        payload: &[u8],
        early: bool,
    ) -> Result<Taken, Violation> {
        self.streams.set_early(early);
        let taken = self.streams.handle_payload(now, payload);
        self.streams.set_early(false);
        taken
    }

    fn repeatable(&self, payload: &[u8]) -> bool {
        self.streams.repeatable(payload)
    }

    fn set_retired(&mut self, channel: ChannelKey, retired: bool) {
        self.streams.set_retired(channel, retired);
    }

    fn is_idle(&self) -> bool {
        self.streams.is_idle()
    }

    fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    fn bytes_held(&self) -> u64 {
        self.streams.bytes_held() as u64
    }

    fn bytes_promised(&self) -> u64 {
        self.streams.cost().saturating_sub(self.bytes_held())
    }

    fn progress(&self) -> u64 {
        self.streams.progress()
    }

    fn allow(&mut self, spare_bytes: i64) {
        self.streams.allow(Allowance { spare: spare_bytes, unread: spare_bytes, send_min: FIRST_WINDOW_MIN });
    }

    fn take_notice(&mut self) -> bool {
        let before = self.events.len();
        while let Some(event) = self.streams.poll_event() {
            self.events.push_back(event);
        }
        self.events.len() > before
    }

    fn handle_closed(&mut self) {
        self.streams.handle_closed();
    }
}
