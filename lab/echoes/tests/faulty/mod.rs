//! A protocol that does one thing wrong.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, Protocol, Semantic, Taken, Violation};

/// What it is called.
pub const NAME: &str = "faulty/1";

/// A call that a host makes in the life of every connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    SetUpItem,
    HandleSetUpItem,
    HandlePacket,
    ReplaySafe,
    PollPacket,
    WantsToSend,
    HandleFates,
    HandleAttach,
    PollTimeout,
    HandleTimeout,
    IsEmpty,
    BytesHeld,
    Allow,
    Progress,
    TakeNotice,
    HandleClosed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// It does all as it should.
    None,
    /// It panics.
    PanicsIn(Call),
    /// It panics, but not before its timer has gone off: when nothing else goes on.
    PanicsLaterIn(Call),
    /// It says that it wrote more than there was room for.
    Overfills,
    /// It says that it wrote nothing, and goes on wanting to.
    WritesNothing,
    /// It rejects every packet, with this code.
    RejectsPackets(u64),
    /// It rejects what the peer's set-up says.
    RejectsItem(u64),
}

/// Calls, each with the number of the packet that it is about.
pub type Calls = Arc<Mutex<Vec<(Call, Option<u64>)>>>;

/// Says so many packets of one byte.
#[derive(Debug)]
pub struct Faulty {
    pub bug: Bug,
    pub to_say: u32,
    pub replay_safe: bool,
    pub held: u64,
    /// What it was asked to do, in order.
    pub calls: Calls,
    pub timed_out: bool,
}

impl Faulty {
    pub fn new(bug: Bug) -> Faulty {
        Faulty { bug, to_say: 3, replay_safe: true, held: 0, calls: Arc::default(), timed_out: false }
    }

    fn called(&self, call: Call, number: Option<u64>) {
        self.calls.lock().expect("no panic under it").push((call, number));
        assert_ne!(self.bug, Bug::PanicsIn(call), "on purpose");
        assert!(!self.timed_out || self.bug != Bug::PanicsLaterIn(call), "on purpose");
    }
}

impl Protocol for Faulty {
    fn handle_packet(
        &mut self,
        _: Instant,
        _: ChannelKey,
        number: u64,
        _: Ecn,
        _: &mut [u8],
    ) -> Result<Taken, Violation> {
        self.called(Call::HandlePacket, Some(number));
        match self.bug {
            Bug::RejectsPackets(code) => Err(Violation { code, reason: "no packet is liked here" }),
            _ => Ok(Taken::All),
        }
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        self.called(Call::ReplaySafe, None);
        self.replay_safe
    }

    fn poll_packet(&mut self, _: Instant, _: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        self.called(Call::PollPacket, Some(number));
        self.to_say = self.to_say.checked_sub(1)?;
        match self.bug {
            Bug::Overfills => Some(Filled { len: buf.len() + 1 }),
            Bug::WritesNothing => Some(Filled { len: 0 }),
            _ => {
                *buf.first_mut()? = 7;
                Some(Filled { len: 1 })
            }
        }
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        self.called(Call::WantsToSend, None);
        self.to_say > 0
    }

    fn handle_fates(&mut self, _: Instant, _: ChannelKey, numbers: Range<u64>, _: Fate) {
        numbers.for_each(|number| self.called(Call::HandleFates, Some(number)));
    }

    fn handle_attach(&mut self, _: Instant, _: ChannelKey) {
        self.called(Call::HandleAttach, None);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.called(Call::PollTimeout, None);
        (!self.timed_out).then_some(Instant::from_millis(500))
    }

    fn handle_timeout(&mut self, _: Instant) {
        self.timed_out = true;
        // A change that the host takes note of.
        self.held += 1;
        self.called(Call::HandleTimeout, None);
    }
}

impl Semantic for Faulty {
    fn set_up_item(&self) -> Option<Vec<u8>> {
        self.called(Call::SetUpItem, None);
        None
    }

    fn handle_set_up_item(&mut self, _: Option<&[u8]>) -> Result<(), Violation> {
        self.called(Call::HandleSetUpItem, None);
        match self.bug {
            Bug::RejectsItem(code) => Err(Violation { code, reason: "no set-up is liked here" }),
            _ => Ok(()),
        }
    }

    fn is_idle(&self) -> bool {
        self.to_say == 0
    }

    fn is_empty(&self) -> bool {
        self.called(Call::IsEmpty, None);
        // A path is kept awake for it.
        false
    }

    fn bytes_held(&self) -> u64 {
        self.called(Call::BytesHeld, None);
        self.held
    }

    fn allow(&mut self, _: i64) {
        self.called(Call::Allow, None);
    }

    fn progress(&self) -> u64 {
        self.called(Call::Progress, None);
        0
    }

    fn take_notice(&mut self) -> bool {
        self.called(Call::TakeNotice, None);
        false
    }

    fn handle_closed(&mut self) {
        self.called(Call::HandleClosed, None);
    }
}
