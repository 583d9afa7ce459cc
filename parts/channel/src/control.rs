//! Control frames on their way, and what a channel tells its owner.

use std::collections::VecDeque;

use tng_base::{PathCondition, PeerText};

use crate::wire::{Control, NewId, Renewal};

/// Most control frames queued and unacknowledged.
pub const CONTROLS_MAX: usize = 64;
/// Most events waiting for their owner; a packet that adds one more breaks the protocol.
pub const EVENTS_MAX: usize = 64;
/// Most challenges among them; further ones are ignored.
pub const CHALLENGES_MAX: usize = 3;

/// The queue of control frames is full: the peer does not acknowledge what it was sent, or asks for too much. Close the
/// channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the peer leaves {CONTROLS_MAX} control frames unacknowledged; close the channel")]
pub struct ControlsFull;

/// What a channel tells the stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChannelEvent {
    /// The peer closes the channel.
    Close {
        /// Its code.
        code: u64,
        /// For people.
        reason: PeerText,
    },
    /// The peer gave another id of its own.
    NewId(NewId),
    /// The peer will not use this id of ours again.
    RetireId {
        /// Which.
        sequence: u64,
    },
    /// The peer asks for this to be sent back from where it arrived.
    Challenge([u8; 8]),
    /// The peer sent this back.
    Response([u8; 8]),
    /// A probe of the path's MTU arrived, or did not within its time.
    MtuProbe {
        /// Its packet number.
        number: u64,
        /// Its size in bytes of UDP payload.
        size: usize,
        /// Whether it arrived.
        acked: bool,
    },
    /// Of a section: the largest end-to-end packet that goes on from the peer.
    PayloadMax {
        /// The highest counts.
        sequence: u64,
        /// Its bytes.
        bytes: u16,
    },
    /// Of a section: a fresh capability for a helper.
    Renew(Renewal),
    /// ECN does not work on this path; nothing is marked any more.
    EcnFailed,
    /// The path's condition changed.
    Condition(PathCondition),
    /// The peer says that the channel carries what stands above from now on.
    Carry,
    /// The keys have reached their limit: nothing more can be sent.
    Exhausted,
}

/// Control frames to send. NEW_ID, RETIRE_ID, CARRY, PAYLOAD_MAX and RENEW are sent until they are acknowledged, the
/// others once.
#[derive(Debug)]
pub struct Controls {
    queue: VecDeque<Control<'static>>,
    /// Reliable frames in flight, by packet number, ascending.
    in_flight: VecDeque<(u64, Control<'static>)>,
    max: usize,
}

impl Default for Controls {
    fn default() -> Controls {
        Controls { queue: VecDeque::new(), in_flight: VecDeque::new(), max: CONTROLS_MAX }
    }
}

fn is_reliable(control: &Control<'_>) -> bool {
    matches!(control, Control::NewId(_) | Control::RetireId { .. } | Control::Carry) || control.is_of_sections()
}

impl Controls {
    /// Frames that have not left, or whose acknowledgment is waited for.
    pub fn unacked(&self) -> usize {
        self.queue.len() + self.in_flight.len()
    }

    /// Whether something waits to be sent.
    pub fn is_pending(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Queues a frame; a PING not behind another one, which serves as well.
    pub fn push(&mut self, control: Control<'static>) -> Result<(), ControlsFull> {
        if control == Control::Ping && self.queue.contains(&control) {
            return Ok(());
        }
        if self.unacked() >= self.max {
            return Err(ControlsFull);
        }
        self.queue.push_back(control);
        Ok(())
    }

    /// Frames to send, in order.
    pub fn queued(&self) -> impl Iterator<Item = &Control<'static>> + Clone {
        self.queue.iter()
    }

    /// The first `count` queued frames left in packet `number`; answers whether any of them must arrive.
    pub fn handle_sent(&mut self, number: u64, count: usize) -> bool {
        let before = self.in_flight.len();
        self.in_flight.extend(self.queue.drain(..count).filter(is_reliable).map(|control| (number, control)));
        let are_reliable = self.in_flight.len() > before;
        self.shrink();
        are_reliable
    }

    /// Packet `number` arrived.
    pub fn handle_acked(&mut self, number: u64) {
        self.in_flight.retain(|(n, _)| *n != number);
        self.shrink();
    }

    /// Control frames are few and far between: what held them takes no memory meanwhile.
    fn shrink(&mut self) {
        if self.unacked() == 0 {
            (self.queue, self.in_flight) = (VecDeque::new(), VecDeque::new());
        }
    }

    /// Packet `number` did not arrive, or may not have: its frames are sent again.
    pub fn handle_lost(&mut self, number: u64) {
        let queue = &mut self.queue;
        self.in_flight.retain(|(n, control)| {
            if *n == number {
                queue.push_back(*control);
            }
            *n != number
        });
    }
}

/// Events for the owner of the channel.
#[derive(Debug)]
pub struct Events {
    queue: VecDeque<ChannelEvent>,
    challenges: usize,
    max: usize,
    challenges_max: usize,
}

impl Default for Events {
    fn default() -> Events {
        Events { queue: VecDeque::new(), challenges: 0, max: EVENTS_MAX, challenges_max: CHALLENGES_MAX }
    }
}

impl Events {
    /// Adds one of the channel's own.
    pub fn push(&mut self, event: ChannelEvent) {
        self.queue.push_back(event);
    }

    /// Adds what a peer's control frame says, if anything; answers whether there was room.
    pub fn push_control(&mut self, control: Control<'_>) -> bool {
        let event = match control {
            Control::Pad | Control::Ping | Control::Lost { .. } => return true,
            Control::Challenge(_) if self.challenges >= self.challenges_max => return true,
            Control::Challenge(bytes) => ChannelEvent::Challenge(bytes),
            Control::Response(bytes) => ChannelEvent::Response(bytes),
            Control::Close { code, reason } => ChannelEvent::Close { code, reason: reason.owned() },
            Control::NewId(new) => ChannelEvent::NewId(new),
            Control::RetireId { sequence } => ChannelEvent::RetireId { sequence },
            Control::PayloadMax { sequence, bytes } => ChannelEvent::PayloadMax { sequence, bytes },
            Control::Renew(renewal) => ChannelEvent::Renew(renewal),
            Control::Carry => ChannelEvent::Carry,
        };
        if self.queue.len() >= self.max {
            return false;
        }
        self.challenges += usize::from(matches!(event, ChannelEvent::Challenge(_)));
        self.queue.push_back(event);
        true
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The next event.
    #[inline]
    pub fn pop(&mut self) -> Option<ChannelEvent> {
        if self.queue.is_empty() { None } else { self.pop_some() }
    }

    fn pop_some(&mut self) -> Option<ChannelEvent> {
        let event = self.queue.pop_front()?;
        self.challenges -= usize::from(matches!(event, ChannelEvent::Challenge(_)));
        if self.queue.is_empty() {
            self.queue = VecDeque::new();
        }
        Some(event)
    }
}

/// Without the bounds, to show what they are for.
#[cfg(test)]
impl Controls {
    pub(crate) fn unbounded() -> Controls {
        Controls { max: usize::MAX, ..Controls::default() }
    }
}

#[cfg(test)]
impl Events {
    pub(crate) fn unbounded() -> Events {
        Events { max: usize::MAX, challenges_max: usize::MAX, ..Events::default() }
    }
}
