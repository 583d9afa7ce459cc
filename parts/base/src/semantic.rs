//! What a host asks of a semantic protocol that was registered with it.

use core::any::Any;
use core::fmt::Debug;

use crate::{ChannelKey, Ecn, Instant, Protocol, Taken, Violation};

/// A semantic protocol for a whole connection, beside structured streams: what [`Protocol`] does on each channel, and
/// what the connection has to know of it.
///
/// A value lives as long as its connection, through any number of channels: [`handle_attach`](Protocol::handle_attach)
/// and [`handle_detach`](Protocol::handle_detach) tell which there are. With none it waits; what it has to say then
/// ([`is_idle`](Semantic::is_idle)) makes the host look for another.
///
/// Packet number 0 of a channel rides in the set-up messages, where there may be little room, or none:
/// [`poll_packet`](Protocol::poll_packet) answers `None` if nothing fits. Whatever a peer can make it hold has a bound
/// of the protocol's own, and counts in [`bytes_held`](Semantic::bytes_held) as soon as it is held.
///
/// # When it fails
/// A host catches the panics of every call here and in [`Protocol`], and what says that it
/// [filled](crate::Filled) more than there was room for. The value is not called again, and its connection ends, no
/// other: the peer is told close code 6, the application here that the protocol failed. So what a peer that has proven
/// nothing can make it do ends nothing of others. Panics are caught by unwinding: in a program built with
/// `panic = "abort"` each ends the program. Not caught are those of `Drop`, and of what the application calls itself.
pub trait Semantic: Protocol + Any + Debug + Send {
    /// What the set-up tells the peer's side of the protocol, opaque to all else; at most 256 bytes (docs/wire.md,
    /// section 2.3). Asked for once, when the connection begins.
    fn set_up_item(&self) -> Option<Vec<u8>>;

    /// What the peer's set-up says, at the end that began the connection. (The other end's value is made of it.)
    ///
    /// # Errors
    /// If it is not understood: there is no connection, the peer is told the code, and the protocol hears of nothing
    /// more but [the end](Semantic::handle_closed).
    fn handle_set_up_item(&mut self, item: Option<&[u8]>) -> Result<(), Violation>;

    /// What the peer's packet number 0 carried, which came in a set-up message. If `early`, the peer has not proven yet
    /// that the message is no replay, and [`replay_safe`](Protocol::replay_safe) has said that it may be handled.
    ///
    /// # Errors
    /// When the peer broke the protocol. If `early`, it is told when it has been heard of again, and the protocol is
    /// asked for nothing more.
    fn handle_set_up_packet(
        &mut self,
        now: Instant,
        channel: ChannelKey,
        payload: &[u8],
        _early: bool,
    ) -> Result<Taken, Violation> {
        self.handle_packet(now, channel, 0, Ecn::NotEct, &mut payload.to_vec())
    }

    /// Whether a payload that asks for a further channel may be taken twice in the same connection without harm.
    fn repeatable(&self, payload: &[u8]) -> bool {
        self.replay_safe(payload)
    }

    /// Whether a payload shows that the peer speaks this protocol, and not structured streams: by that a host learns
    /// what runs whose peer had the choice between the two (STP 3.3.1).
    fn recognizes(&self, _payload: &[u8]) -> bool {
        false
    }

    /// The peer had to leave the choice of the protocol to this end, and waits to hear of it: a packet that it
    /// [recognizes](Semantic::recognizes) is to leave soon, whether there is anything else to say or not.
    fn speak_first(&mut self) {}

    /// The channel gives way to others while there are any: what is on its way on it may arrive, and nothing new is to
    /// go by it. Or it does so no longer.
    fn set_retired(&mut self, _channel: ChannelKey, _retired: bool) {}

    /// Whether nothing waits to be sent and nothing sent awaits its fate.
    fn is_idle(&self) -> bool;

    /// Whether nothing is open: no path need be kept awake for it, channels may idle out, and the connection gives way
    /// to others when places are scarce.
    fn is_empty(&self) -> bool;

    /// Bytes of memory that it holds: of what waits to be sent, was sent and not acknowledged, has arrived and was not
    /// taken, with what they cost beside their bytes.
    fn bytes_held(&self) -> u64;

    /// Bytes of memory that the peer may still make it hold: they count for the host's budget like those it holds.
    fn bytes_promised(&self) -> u64 {
        0
    }

    /// A count that rises whenever something that is held was taken, by the application here or by the peer. A
    /// connection that holds bytes for long while it stands still gives way when memory is scarce.
    fn progress(&self) -> u64;

    /// From now on it may come to hold so many bytes more than it does; below zero, it is to become so much less.
    fn allow(&mut self, _spare_bytes: i64) {}

    /// Whether something has happened since this was last asked that the application is to look at. What that is, the
    /// protocol's own calls tell.
    ///
    /// The host asks whenever it has dealt with the connection: a packet, a timer, a call of the application. After a
    /// `true` it asks again, until there is none; and a last time before it tells that the connection is over.
    fn take_notice(&mut self) -> bool;

    /// Why it cannot go on, if so: the connection ends with this code. It is asked whenever the host has dealt with the
    /// connection.
    fn failure(&self) -> Option<Violation> {
        None
    }

    /// The connection is over. What has arrived can still be looked at; nothing leaves any more. The channels that it
    /// had need not have detached before.
    fn handle_closed(&mut self);
}

impl dyn Semantic {
    /// The protocol itself, if it is a `P`.
    pub fn downcast_ref<P: Semantic>(&self) -> Option<&P> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }

    /// The same, to change.
    pub fn downcast_mut<P: Semantic>(&mut self) -> Option<&mut P> {
        let any: &mut dyn Any = self;
        any.downcast_mut()
    }
}
