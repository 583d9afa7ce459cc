//! What stands above a channel.

use core::ops::Range;

use crate::{Arrivals, Ecn, Instant, PathCondition, Train};

/// A host's local handle for one of its channels, unique while the host runs. Never on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChannelKey(pub u64);

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The peer's protocol has taken everything reliable in it. Definitive (SST 4.3.4).
    Acked,
    /// It is considered lost. A late [`Acked`](Fate::Acked) may still follow.
    Lost,
    /// A probe is due and this packet's content is wanted again; it may well have arrived. Another fate follows.
    Doubtful,
}

/// What the protocol did with a packet's content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Every reliable frame was taken: the receipt may be redeemed.
    All,
    /// The content is held; its holder redeems the receipt when it passes it on. That is queue sharing (Tng 4.3).
    Later,
    /// Something reliable could not be taken for want of room. The packet will not be acknowledged and its sender will
    /// send the content again.
    Refused,
}

/// The peer broke the protocol: the connection closes with this code and text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// A close code (docs/wire.md, section 5): below 64 one that means the same in every protocol, as 1 does that the
    /// peer broke it; from 64 on the protocol's own, up to 2^62 - 2. What is beyond counts as that.
    pub code: u64,
    /// For people.
    pub reason: &'static str,
}

/// One packet's payload as the protocol wrote it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filled {
    /// Bytes written, at most as many as there was room for. A packet without any is none: it does not leave, and meets
    /// no fate.
    pub len: usize,
}

/// What a protocol that polices itself knows of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footing {
    /// Parties that send to the same destination by the same path, this one included: they are to share what one would
    /// have.
    pub parties: usize,
    /// Whether its addresses are IPv6.
    pub ipv6: bool,
    /// How often the peer has reported that routers marked what left on the channel; none if marks are not known to
    /// survive the path, or nothing is sent that could be marked.
    pub marks: Option<u64>,
}

/// A protocol over a channel: structured streams, the end-to-end channel of a helped path, a guest transport.
///
/// The channel numbers and protects packets and says what became of them; the protocol fills them. It never sees an
/// address, a congestion window or a key. One protocol value may have several channels to the same peer at once, which
/// `channel` tells apart.
///
/// The trait is object-safe, and has to stay so: a host holds registered protocols as `dyn`
/// [`Semantic`](crate::Semantic).
///
/// What is optional does nothing unless it is written: who keeps no account of channels and sets no timer needs none of
/// it.
///
/// # The order of calls
/// - Packet number 0 of a channel rides in the messages that set the channel up, so it is there before the channel is:
///   it is [polled](Protocol::poll_packet), the peer's is taken ([`handle_packet`](Protocol::handle_packet), or
///   [`handle_set_up_packet`](crate::Semantic::handle_set_up_packet)), and it may meet its
///   [fate](Protocol::handle_fates), all before [`handle_attach`](Protocol::handle_attach). If the exchange begins
///   anew, as when helpers do not answer, it is lost, and polled again under the same number.
/// - The peer may be ahead: a packet with a higher number, too, may come before `handle_attach`.
/// - After [`handle_detach`](Protocol::handle_detach) a channel is not heard of again: no packet, no fate. It may come
///   for one that never attached, whose exchange came to nothing.
pub trait Protocol {
    /// Packet `number` arrived for the first time, authenticated, with the codepoint `ecn`.
    ///
    /// # Errors
    /// When the peer broke the protocol.
    fn handle_packet(
        &mut self,
        now: Instant,
        channel: ChannelKey,
        number: u64,
        ecn: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation>;

    /// Whether it takes packets that arrive together in one call, of [`handle_run`](Protocol::handle_run). Always
    /// answered the same.
    fn takes_runs(&self) -> bool {
        false
    }

    /// Packets arrived as to [`handle_packet`](Protocol::handle_packet), together. Answers how many of them, from the
    /// first on, are [held](Taken::Later); the others are [refused](Taken::Refused).
    fn handle_run(&mut self, _now: Instant, _channel: ChannelKey, _arrivals: &Arrivals<'_>) -> usize {
        0
    }

    /// Whether `payload` asks only for what is safe to do twice, so that it may be handled before its sender has proven
    /// that it is not a replay.
    fn replay_safe(&self, payload: &[u8]) -> bool;

    /// Writes the payload of packet `number`, or answers `None` if there is nothing to send; nothing written is no
    /// packet either. `buf` is exactly as large as the packet may become.
    fn poll_packet(&mut self, now: Instant, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled>;

    /// Fills as many packets of a train as there is something for, the next numbers of the channel. Who has much to
    /// send does better here than packet by packet.
    fn poll_train(&mut self, now: Instant, channel: ChannelKey, train: &mut Train<'_>) {
        while train.left() > 0 {
            let number = train.number();
            let Some(filled) = self.poll_packet(now, channel, number, train.packet()) else { return };
            train.push(filled.len);
        }
    }

    /// Whether [`poll_packet`](Protocol::poll_packet) would write something on this channel.
    fn wants_to_send(&mut self, now: Instant, channel: ChannelKey) -> bool;

    /// Packets that `poll_packet` filled met their fate: those of the channel whose numbers are in `numbers`. Numbers
    /// in between that it did not fill are nobody's. The fate of packet number 0 may be known before the channel
    /// attaches.
    fn handle_fates(&mut self, now: Instant, channel: ChannelKey, numbers: Range<u64>, fate: Fate);

    /// A channel to the peer is ready for use: both ends have shown that they are there. Its packets number 0 have been
    /// written and, most times, taken.
    fn handle_attach(&mut self, _now: Instant, _channel: ChannelKey) {}

    /// A channel is gone: everything outstanding on it counts as lost, and no fate of it is told any more.
    fn handle_detach(&mut self, _now: Instant, _channel: ChannelKey) {}

    /// The condition of a channel's path changed.
    fn handle_path(&mut self, _now: Instant, _channel: ChannelKey, _condition: PathCondition) {}

    /// A channel's path is another one: the peer has proven that it has another address, or has found this host at one.
    fn handle_move(&mut self, _now: Instant, _channel: ChannelKey) {}

    /// Whether a policer of its own holds its rate, as that of a guest's transport does (STP 3.3.2). Then its packets
    /// are in the books of their path's flow, but the flow's window does not hold them back. Asked for a whole
    /// connection, and always answered the same.
    fn polices_itself(&self) -> bool {
        false
    }

    /// Whether who [polices itself](Protocol::polices_itself) heeds marks, so that routers may mark what it sends.
    /// Asked when a channel begins.
    fn heeds_marks(&self) -> bool {
        false
    }

    /// It is about to be polled for a channel whose path is like that. Told to who
    /// [polices itself](Protocol::polices_itself) alone.
    fn handle_footing(&mut self, _now: Instant, _footing: Footing) {}

    /// When [`handle_timeout`](Protocol::handle_timeout) wants to be called.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// Takes note that time has passed.
    fn handle_timeout(&mut self, _now: Instant) {}
}
