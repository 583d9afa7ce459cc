//! One channel of a connection, from its INIT to its last farewell (SST 4.3.1: what attaches streams to a channel).

use core::net::SocketAddr;

use crate::semantics::Semantics;
use tng_base::{ChannelKey, Ecn, Instant, PathCondition, Transmit, Value, Violation};
use tng_channel::Channel;
use tng_endpoint::is_carried;
use tng_isolation::wire::Attach;
use tng_isolation::{Identity, Offer};

use crate::ConnectError;
use crate::dial::Dial;
use crate::helped::{Joining, Standing};
use crate::host_wide::{Flows, HostWide};
use crate::link::{Link, Severed};
use crate::watch::{self, SetUp};
use tng_flow::{Arrival, Origin};

/// Farewells repeated to a peer that keeps talking to a closed channel.
const FAREWELLS_MAX: u32 = 16;

#[derive(Debug)]
pub(crate) enum State {
    /// Our INIT is out.
    Dialing(Box<Dial>),
    /// The peer's INIT is in; the REPLY is not yet built.
    Offered(Box<Offered>),
    /// The channel is up.
    Open(Box<Open>),
    /// We have closed; the farewell is repeated to a peer that still talks.
    Closing(Box<Closing>),
    /// The peer has closed, or vanished; late packets are swallowed.
    Draining { link: Box<Link>, until: Instant },
    /// Nothing is left of it.
    Ended,
}

#[derive(Debug)]
pub(crate) struct Offered {
    pub offer: Offer,
    pub origin: Origin,
    /// Bytes that came from there so far.
    pub init_len: usize,
    /// The helper that asks, if one does.
    pub joining: Option<Joining>,
    pub until: Instant,
    /// The host will build the REPLY, with whatever the application has to say by then.
    pub accepted: bool,
    /// What came with the INIT has been taken.
    pub taken: bool,
    /// Or rejected, for this.
    pub rejected: Option<Violation>,
}

#[derive(Debug)]
pub(crate) struct Open {
    pub link: Link,
    /// Set until the peer's first channel packet.
    pub unconfirmed: Option<Box<Unconfirmed>>,
}

/// The REPLY side of a half-open entry: what is kept until the initiator's first channel packet.
#[derive(Debug)]
pub(crate) struct Unconfirmed {
    /// The REPLY, for every repetition of the INIT.
    pub reply: Vec<u8>,
    pub reply_due: bool,
    /// It carries our packet number 0.
    pub filled: bool,
    /// What that holds, if somebody watches.
    pub frames: Vec<Value>,
    /// Data of the INIT for services that must not see it twice.
    pub held: Option<Vec<u8>>,
    /// Why what came with the INIT was rejected. Who sent it is told when it has been heard of again.
    pub rejected: Option<Violation>,
    pub until: Instant,
}

/// What tells a half-open entry from others: the initiator's address and the ephemeral key of its INIT, so that only
/// copies of the INIT find it.
pub(crate) type HalfOpen = (SocketAddr, [u8; 32]);

#[derive(Debug)]
pub(crate) struct Closing {
    link: Box<Link>,
    farewell: Vec<u8>,
    transmit: Transmit,
    /// Packets heard since closing; a farewell goes out at 1, 2, 4, 8, ...
    heard: u32,
    due: bool,
    until: Instant,
}

/// How a channel was lost.
#[derive(Debug)]
pub(crate) enum Lost {
    /// Its exchange came to nothing.
    Dial(ConnectError),
    /// The other end, or the application here, never answered: nothing was promised to anybody.
    Unanswered,
    /// It was up.
    Link(Severed),
}

#[derive(Debug)]
pub(crate) struct Attachment {
    pub key: ChannelKey,
    pub state: State,
    pub standing: Standing,
    /// `None` for the channel that began the session.
    pub attach: Option<Attach>,
    /// What the half-open table knows it as.
    pub half_open_as: Option<Box<HalfOpen>>,
    /// This host asked for it while it had another, for the sake of helpers: nobody waits for it.
    pub unasked: bool,
}

impl Attachment {
    pub(crate) fn new(key: ChannelKey, state: State, attach: Option<Attach>) -> Attachment {
        Attachment { key, state, standing: Standing::Carries, attach, half_open_as: None, unasked: false }
    }

    pub(crate) fn link(&self) -> Option<&Link> {
        match &self.state {
            State::Open(open) => Some(&open.link),
            _ => None,
        }
    }

    /// The link, also of a channel that is closed and still remembered.
    pub(crate) fn remembered_link(&self) -> Option<&Link> {
        match &self.state {
            State::Open(open) => Some(&open.link),
            State::Closing(closing) => Some(&closing.link),
            State::Draining { link, .. } => Some(link),
            State::Dialing(_) | State::Offered(_) | State::Ended => None,
        }
    }

    /// The channel, also one that is closed and still remembered.
    pub(crate) fn channel_mut(&mut self) -> Option<&mut Channel> {
        match &mut self.state {
            State::Open(open) => Some(open.link.channel_mut()),
            State::Closing(closing) => Some(closing.link.channel_mut()),
            State::Draining { link, .. } => Some(link.channel_mut()),
            State::Dialing(_) | State::Offered(_) | State::Ended => None,
        }
    }

    /// Whether its peer has shown that it receives at its address.
    pub(crate) fn is_confirmed(&self) -> bool {
        matches!(&self.state, State::Open(open) if open.unconfirmed.is_none())
    }

    /// Whether it carries the streams: its peer has shown that it receives, and no other has taken its place.
    pub(crate) fn carries(&self) -> bool {
        self.standing == Standing::Carries && self.is_confirmed()
    }

    /// Whether it is there, and carries nothing yet.
    pub(crate) fn stands_by(&self) -> bool {
        self.standing == Standing::StandsBy && self.is_confirmed()
    }

    /// Whether the peer was heard of at this instant, on a channel that does not merely stand by.
    pub(crate) fn heard_at(&self, now: Instant) -> bool {
        let heard = self.link().is_some_and(|link| link.channel().last_received() == now);
        heard && self.is_confirmed() && self.standing != Standing::StandsBy
    }

    /// Whether it leads through helpers, as far as it is up.
    pub(crate) fn is_helped(&self) -> bool {
        self.link().is_some_and(Link::is_helped)
    }

    /// Whether it leads to the other end, or to the first helper, by a carrier, as far as it is up.
    pub(crate) fn is_carried(&self) -> bool {
        self.link().is_some_and(|link| is_carried(link.section.path().remote.ip()))
    }

    /// Whether it counts against the bound on half-open entries.
    pub(crate) fn is_half_open(&self) -> bool {
        match &self.state {
            State::Offered(_) => true,
            State::Open(open) => open.unconfirmed.is_some(),
            _ => false,
        }
    }

    /// Whether it is up and its path in good condition.
    pub(crate) fn is_good(&self) -> bool {
        self.link().is_some_and(|link| link.condition() == PathCondition::Good)
    }

    pub(crate) fn is_dialing(&self) -> bool {
        matches!(self.state, State::Dialing(_))
    }

    /// Whether it is up or may still come up.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.state, State::Dialing(_) | State::Offered(_) | State::Open(_))
    }

    /// Whether it is closed and still remembered.
    pub(crate) fn is_lingering(&self) -> bool {
        matches!(self.state, State::Closing(_) | State::Draining { .. })
    }

    pub(crate) fn is_ended(&self) -> bool {
        matches!(self.state, State::Ended)
    }

    /// Takes a channel packet.
    pub(crate) fn handle_packet(
        &mut self,
        now: Instant,
        origin: Origin,
        packet: &mut [u8],
        semantics: &mut Semantics,
        wide: &mut HostWide,
    ) -> Result<Arrival, Severed> {
        match &mut self.state {
            State::Open(open) => open.link.handle_datagram(now, origin, packet, semantics, wide),
            State::Closing(closing) => {
                closing.handle_heard(now, origin, packet.len());
                Ok(Arrival::Discarded)
            }
            _ => Ok(Arrival::Discarded),
        }
    }

    /// The INIT came again: its REPLY was lost, or the peer is impatient.
    pub(crate) fn handle_repeated_init(&mut self, len: usize) {
        match &mut self.state {
            State::Offered(offered) => offered.init_len += len,
            State::Open(open) => {
                open.link.section.note_repeated_set_up(len);
                if let Some(unconfirmed) = &mut open.unconfirmed {
                    unconfirmed.reply_due = true;
                }
            }
            _ => {}
        }
    }

    /// Whether a peer waits to be answered.
    pub(crate) fn is_offered(&self) -> bool {
        matches!(self.state, State::Offered(_))
    }

    /// Ends the channel from this side and tells the peer.
    pub(crate) fn close(&mut self, now: Instant, code: u64, reason: &str, wide: &mut HostWide) {
        match core::mem::replace(&mut self.state, State::Ended) {
            State::Open(open) => {
                let mut link = Box::new(open.link);
                let until = now + link.section.linger(&wide.flows);
                let packet = link.close_packet(now, code, reason);
                link.section.leave(&mut wide.flows);
                watch::note_state(now, link.channel_mut(), "closing");
                link.rest_keys();
                self.state = match packet {
                    Some((farewell, transmit)) => {
                        let heard = 0;
                        State::Closing(Box::new(Closing { link, farewell, transmit, heard, due: true, until }))
                    }
                    None => State::Draining { link, until },
                };
            }
            State::Dialing(dial) => wide.demux.remove_id(dial.local_id()),
            State::Offered(_) => {}
            over => self.state = over,
        }
    }

    /// Ends the channel in silence: late packets are swallowed.
    pub(crate) fn drain(&mut self, now: Instant, wide: &mut HostWide) {
        match core::mem::replace(&mut self.state, State::Ended) {
            State::Open(open) => {
                let mut link = Box::new(open.link);
                let until = now + link.section.linger(&wide.flows);
                link.section.leave(&mut wide.flows);
                watch::note_state(now, link.channel_mut(), "draining");
                link.rest_keys();
                self.state = State::Draining { link, until };
            }
            State::Dialing(dial) => wide.demux.remove_id(dial.local_id()),
            State::Offered(_) => {}
            over => self.state = over,
        }
    }

    /// Forgets the channel at once: whatever still arrives for it is unknown here.
    pub(crate) fn forget(&mut self, wide: &mut HostWide) {
        match core::mem::replace(&mut self.state, State::Ended) {
            State::Open(mut open) => {
                open.link.section.leave(&mut wide.flows);
                wide.with_section(|around| open.link.section.release(around));
            }
            State::Closing(mut closing) => wide.with_section(|around| closing.link.section.release(around)),
            State::Draining { mut link, .. } => wide.with_section(|around| link.section.release(around)),
            State::Dialing(dial) => wide.demux.remove_id(dial.local_id()),
            State::Offered(_) | State::Ended => {}
        }
    }

    /// The next datagrams to send.
    ///
    /// # Errors
    /// If the INIT cannot be made.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        semantics: &mut Semantics,
        identity: &Identity,
        wide: &mut HostWide,
    ) -> Result<Option<Transmit>, ConnectError> {
        Ok(match &mut self.state {
            State::Dialing(dial) => {
                dial.lose_patience(now, self.key, semantics);
                if dial.is_to_begin(now) {
                    let Some(mut rng) = wide.secrets.for_exchange() else { return Ok(None) };
                    // Named anew, since the entropy came after the name. No direct channel is to have an id that
                    // helpers know, either, with the token that resets what it names.
                    dial.rename(wide.rename(dial.local_id()));
                    let token = wide.reset_token(dial.local_id());
                    let caller = (identity, &wide.config, token, &mut wide.called);
                    dial.begin(now, (self.key, self.attach), semantics, caller, &mut rng)?;
                }
                dial.poll_transmit(now, buf, wide.reset_token(dial.local_id()))
            }
            State::Open(open) => {
                if let Some(unconfirmed) = &mut open.unconfirmed
                    && let Some(transmit) = unconfirmed.poll_reply(now, buf, &mut open.link, &mut wide.flows)
                {
                    return Ok(Some(transmit));
                }
                open.link.poll_transmit(now, buf, semantics, wide)
            }
            State::Closing(closing) => core::mem::take(&mut closing.due).then(|| {
                buf[..closing.farewell.len()].copy_from_slice(&closing.farewell);
                closing.transmit
            }),
            _ => None,
        })
    }

    /// Has a channel that is up rest, if it is time.
    pub(crate) fn shrink(&mut self, now: Instant) -> bool {
        match &mut self.state {
            State::Open(open) => open.link.shrink(now),
            _ => false,
        }
    }

    /// Until when it is remembered, if it is closed.
    fn lingers_until(&self) -> Option<Instant> {
        match &self.state {
            State::Closing(closing) => Some(closing.until),
            State::Draining { until, .. } => Some(*until),
            State::Dialing(_) | State::Offered(_) | State::Open(_) | State::Ended => None,
        }
    }

    /// Takes note that time has passed; answers if the channel was lost by that. Only a lost exchange has been cleared
    /// away.
    pub(crate) fn handle_timeout(
        &mut self,
        now: Instant,
        semantics: &mut Semantics,
        wide: &mut HostWide,
    ) -> Option<Lost> {
        match &mut self.state {
            State::Dialing(dial) => {
                let error = dial.handle_timeout(now)?;
                self.forget(wide);
                Some(Lost::Dial(error))
            }
            State::Offered(offered) if offered.until <= now => {
                self.forget(wide);
                Some(Lost::Unanswered)
            }
            State::Open(open) => {
                if open.unconfirmed.as_ref().is_some_and(|unconfirmed| unconfirmed.until <= now) {
                    self.forget(wide);
                    return Some(Lost::Unanswered);
                }
                open.link.handle_timeout(now, semantics, wide).err().map(Lost::Link)
            }
            State::Closing(_) | State::Draining { .. } => {
                if self.lingers_until().is_some_and(|until| until <= now) {
                    self.forget(wide);
                }
                None
            }
            State::Offered(_) | State::Ended => None,
        }
    }

    pub(crate) fn poll_timeout(&mut self, now: Instant, wide: &HostWide, streams_open: bool) -> Option<Instant> {
        match &mut self.state {
            State::Dialing(dial) => dial.poll_timeout(),
            State::Offered(offered) => Some(offered.until),
            State::Open(open) => {
                let until = open.unconfirmed.as_ref().map(|unconfirmed| unconfirmed.until);
                [until, open.link.poll_timeout(now, wide, streams_open)].into_iter().flatten().min()
            }
            State::Closing(_) | State::Draining { .. } => self.lingers_until(),
            State::Ended => None,
        }
    }
}

impl Closing {
    /// The peer, or somebody in its name, still talks.
    fn handle_heard(&mut self, now: Instant, origin: Origin, len: usize) {
        self.link.section.note_received(origin.remote, len);
        self.heard = self.heard.saturating_add(1);
        let again = self.heard.is_power_of_two() && self.heard < 1 << FAREWELLS_MAX && !self.due;
        if again && self.link.section.path().budget() >= self.farewell.len() as u64 {
            self.link.section.note_sent(now, self.farewell.len());
            self.due = true;
        }
    }
}

impl Unconfirmed {
    /// The REPLY, if it is due: once at first, and again for every repetition of the INIT.
    fn poll_reply(&mut self, now: Instant, buf: &mut [u8], link: &mut Link, flows: &mut Flows) -> Option<Transmit> {
        let len = self.reply.len();
        if !core::mem::take(&mut self.reply_due) || link.section.path().budget() < len as u64 {
            return None;
        }
        buf[..len].copy_from_slice(&self.reply);
        link.section.note_sent(now, len);
        if self.filled {
            link.note_set_up_sent(now, len, flows);
        }
        watch::note_set_up(now, link.channel_mut(), true, (SetUp::Reply, len), || self.frames.clone());
        let (remote, local) = (link.section.path().remote, link.section.path().local);
        Some(Transmit { remote, local, ecn: Ecn::NotEct, len, segment_size: len })
    }
}
