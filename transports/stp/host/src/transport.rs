//! A connection whose transport is a guest: the semantic protocol `stp:NAME`.

use core::ops::Range;
use core::time::Duration;

use tng_base::{ChannelKey, Ecn, Fate, Filled, Footing, Instant, Protocol, Semantic, Taken, Train, Violation};
use tng_stp_abi::{ABI_VERSION, Refused, Role, SocketKind, UserRequest};
use tng_wire::{Reader, Repr, Writer};

use crate::fuel::FuelAllowance;
use crate::here::Here;
use crate::shim::Said;
use crate::silence::{SILENT_MAX, Silence};
use crate::socket::{Socket, WriteError};
use crate::toil::Toil;
use crate::wire::{HERE_PACKET, Segment, SetUp, is_guests};
use crate::{Beside, Callback, Fault, Instance, Shim, Usage};

/// In front of the name of a guest, where connections say what they speak.
pub const PROTOCOL_PREFIX: &str = "stp:";

/// A guest has so long to take its leave: two maximum segment lifetimes (STP 4.2).
pub const SHUTDOWN: Duration = Duration::from_secs(2);

/// Close code: the guest at the other end was stopped.
pub const GUEST_STOPPED: u64 = 65;

/// Close code: the guest at the other end says that the connection has failed, or did not take its leave in time.
pub const GUEST_FAILED: u64 = 66;

/// Close code: the guest at the other end has ended, for whatever reason, before anything of it had left and before its
/// application had anything, or knew of an end. What was written here is lost to nobody, and may be sent again by
/// another transport.
pub const GUEST_UNUSED: u64 = 67;

/// Bytes of a segment that the largest message leaves to its guest's head: all that the ring shows, and more.
pub const MESSAGE_HEAD: usize = tng_stp_abi::HEAD_MAX + 32;

/// Calls of a guest in one turn of the host, so that what arrives meanwhile is not kept waiting.
const CALLS_MAX: usize = 16;

mod violation {
    use super::Violation;

    pub(super) const MALFORMED: Violation = Violation { code: 1, reason: "not a segment of a guest" };
    pub(super) const SET_UP: Violation = Violation { code: 1, reason: "not a set-up item of a guest's connection" };
    pub(super) const VERSION: Violation = Violation { code: 64, reason: "another version of the border of guests" };
}

/// Where a guest stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Life {
    /// Its connection begins.
    Attached,
    /// It has a path.
    Running,
    /// It takes its leave.
    Leaving {
        /// When it is taken down.
        deadline: Instant,
    },
    /// It is not called any more.
    Ended(End),
}

/// How a guest has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The connection is over, or the guest had nothing to do any more.
    Done,
    /// It did not take its leave in time.
    Late,
    /// It says that the connection has failed, with its protocol's own code.
    Failed(u32),
    /// It was stopped.
    Stopped(Fault),
}

/// One end of a connection whose transport is a guest (STP 3).
///
/// The application writes, reads and finishes here; the host's channel carries the guest's segments. Whatever the guest
/// does wrong ends this connection and nothing else.
#[derive(Debug)]
pub struct Transport {
    instance: Box<dyn Instance>,
    life: Life,
    /// Channels to the peer, the newest last.
    channels: Vec<ChannelKey>,
    met: Met,
    fuel: FuelAllowance,
    /// What the application has done since the guest was told last.
    asked: Asked,
    behind: Behind,
    /// Until when it is told nothing, where a call is dear: then it hears of all that has happened at once.
    rests_until: Instant,
    silence: Silence,
    toil: Toil,
    /// Since when there has been a channel, and nothing that calls the guest.
    unready_since: Option<Instant>,
    /// Polls in a row in which the next segment did not fit.
    misfits: u32,
    here: Here,
    /// When the guest was called last, or looked after.
    seen_at: Instant,
    closed: bool,
}

/// Whether the guest has heard of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Met {
    /// There is none.
    No,
    /// There is one, and it hears of it as soon as the host says who else uses the path.
    Soon,
    Yes,
}

/// Whether there is more to tell the guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Behind {
    No,
    /// It hears of it when its rest is over: so short a time excuses nobody's silence.
    Rests,
    /// There is more than one turn allows, or it is out of fuel.
    Waits,
}

/// What the guest has yet to hear of the application.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Asked {
    send: bool,
    received: bool,
    disconnect: bool,
    /// That it is to take its leave.
    leave: bool,
}

impl Asked {
    fn is_something(&self) -> bool {
        let Asked { send, received, disconnect, leave } = *self;
        send || received || disconnect || leave
    }

    /// The next request, as the socket stands now.
    fn take(&mut self, socket: &mut Socket) -> Option<UserRequest> {
        if core::mem::take(&mut self.received) {
            return Some(UserRequest::Received { until: socket.taken() });
        }
        if self.send {
            let until = socket.take_unsaid();
            self.send = socket.has_unsaid();
            return Some(UserRequest::Send { until });
        }
        core::mem::take(&mut self.disconnect).then_some(UserRequest::Disconnect)
    }
}

/// A packet has shown so often that the next segment does not fit: packets have become smaller.
const MISFITS_MAX: u32 = 4;

impl Transport {
    /// One end, with a guest that is not attached yet.
    pub fn new(instance: Box<dyn Instance>) -> Transport {
        let fuel = FuelAllowance::new(instance.shim().quotas());
        let mut transport = Transport {
            instance,
            life: Life::Attached,
            channels: Vec::new(),
            met: Met::No,
            fuel,
            asked: Asked::default(),
            behind: Behind::No,
            rests_until: Instant::ZERO,
            silence: Silence::default(),
            toil: Toil::default(),
            unready_since: None,
            misfits: 0,
            here: Here::Known,
            seen_at: Instant::ZERO,
            closed: false,
        };
        transport.call(Callback::Attach);
        transport
    }

    // The application

    /// Writes as much of `bytes` as there is room for, or a whole message; answers how many bytes. The guest hears of
    /// it when the host polls.
    ///
    /// # Errors
    /// See [`WriteError`]. On [`WriteError::Full`] a notice tells when there is room.
    pub fn write(&mut self, bytes: &[u8]) -> Result<usize, WriteError> {
        if !self.is_up() {
            return Err(WriteError::Closed);
        }
        let len = self.instance.shim_mut().socket.write(bytes)?;
        self.asked.send |= len > 0;
        Ok(len)
    }

    /// Reads what there is, or a message; `None` if there is nothing now.
    pub fn read(&mut self, into: &mut [u8]) -> Option<usize> {
        let len = self.instance.shim_mut().socket.read(into)?;
        self.asked.received = true;
        Some(len)
    }

    /// Nothing more is written; what was written still goes.
    pub fn finish(&mut self) {
        let socket = &mut self.instance.shim_mut().socket;
        self.asked.disconnect |= !socket.is_disconnecting();
        socket.disconnect();
    }

    /// Bytes of a message that fits one segment, with room for a guest's head of [`MESSAGE_HEAD`] bytes.
    pub fn message_max(&self) -> usize {
        self.instance.shim().segment_max().saturating_sub(MESSAGE_HEAD)
    }

    /// The host lets the connection have no more than so many bytes: the receive buffer is what is left of them.
    pub fn set_memory(&mut self, bytes: u64) {
        self.instance.shim_mut().socket.set_receive_max(bytes / 2);
    }

    /// All that was written, if no connection has any of it: the guest has ended before anything of it had left, or
    /// the peer's has before its application had anything (`peer_unused`, by its close code [`GUEST_UNUSED`]), and
    /// nothing has come from there.
    pub fn take_back(&self, peer_unused: bool) -> Option<Vec<u8>> {
        let shim = self.instance.shim();
        let unused = if peer_unused { !shim.socket.has_something() } else { shim.is_unused() };
        shim.socket.written().filter(|_| unused && !self.is_up() && shim.socket.kind() == SocketKind::Stream)
    }

    /// Has the guest take its leave, within [`SHUTDOWN`]; it hears of that when the host polls.
    pub fn shut_down(&mut self) {
        self.asked.leave = true;
    }

    /// A call of the protocol's own: what the guest answers to `bytes`. To the guest it is the time at which the host
    /// polled last.
    ///
    /// # Errors
    /// What the guest refuses, and [`Refused::Closed`] if it is not there any more.
    pub fn call_guest(&mut self, number: u32, bytes: &[u8]) -> Result<Vec<u8>, Refused> {
        if bytes.len() > tng_stp_abi::CALL_MAX {
            return Err(Refused::Length);
        }
        let area = self.instance.shim_mut().area();
        area.clear();
        area.extend_from_slice(bytes);
        let answer = self.call(Callback::Call { number }).ok_or(Refused::Closed)?;
        let len = usize::try_from(answer).map_err(|_| Refused::of(answer).unwrap_or(Refused::NotThere))?;
        self.instance.shim_mut().area().get(..len).map(<[u8]>::to_vec).ok_or(Refused::Length)
    }

    /// The socket.
    pub fn socket(&self) -> &Socket {
        &self.instance.shim().socket
    }

    /// The host's side of the guest.
    pub fn shim(&self) -> &Shim {
        self.instance.shim()
    }

    /// What the guest has used.
    pub fn usage(&self) -> Usage {
        self.instance.usage()
    }

    /// Where the guest stands.
    pub fn life(&self) -> &Life {
        &self.life
    }

    fn is_up(&self) -> bool {
        !matches!(self.life, Life::Ended(_))
    }

    // The guest

    /// Calls the guest, if it is there still, and looks at what it has done.
    fn call(&mut self, callback: Callback) -> Option<i64> {
        self.call_by(|instance| instance.call(callback))
    }

    fn call_by(&mut self, call: impl FnOnce(&mut dyn Instance) -> Result<i64, Fault>) -> Option<i64> {
        if !self.is_up() {
            return None;
        }
        let before = self.instance.usage();
        let answer = call(&mut *self.instance);
        let after = self.instance.usage();
        self.fuel.handle_used(after.fuel - before.fuel);
        self.fuel.handle_waited(after.waited - before.waited);
        self.seen_at = self.instance.shim().now();
        self.instance.shim_mut().end_call();
        self.note_silence();
        let shim = self.instance.shim();
        let fault = match (&answer, shim.said()) {
            (Err(fault), _) => End::Stopped(fault.clone()),
            _ if shim.is_denied_too_much() => End::Stopped(Fault::Denied),
            _ if shim.is_unproven_too_often() => End::Stopped(Fault::Unproven),
            _ if shim.is_pushing() => End::Stopped(Fault::Pushing),
            (_, Some(Said::Failed(code))) => End::Failed(code),
            // It may have said its last word, and still has to send it.
            (_, Some(Said::Done)) if !shim.wants_to_send() => End::Done,
            _ => return answer.ok(),
        };
        self.end(fault);
        answer.ok()
    }

    /// When to look after a guest that is not called. Before there is a channel there is nothing to look after.
    fn look_at(&self) -> Option<Instant> {
        let every = self.instance.looked_after_every().filter(|_| self.met != Met::No)?;
        Some(self.seen_at + every)
    }

    fn look_after(&mut self, now: Instant) {
        if self.is_up() && self.look_at().is_some_and(|at| at <= now) {
            self.seen_at = now;
            if let Err(fault) = self.instance.look_after() {
                self.end(End::Stopped(fault));
            }
        }
    }

    /// Whether the guest has sent something, or cannot: who is not called says nothing.
    fn note_silence(&mut self) {
        let uncalled = self.is_out_of_fuel() || self.behind == Behind::Waits;
        let shim = self.instance.shim();
        self.silence.note(shim.now(), shim.has_sent(), uncalled || shim.is_held_back());
    }

    /// A guest that never says anything is not waited for.
    fn end_silence(&mut self, now: Instant) {
        self.note_silence();
        if self.is_up() && self.silence.until().is_some_and(|until| until <= now) {
            self.end(End::Stopped(Fault::Silent));
        }
    }

    fn end(&mut self, how: End) {
        self.life = Life::Ended(how);
        self.instance.release();
        self.instance.shim_mut().close();
    }

    /// The guest has said that it has nothing to do any more, and its last word may have left.
    fn note_done(&mut self) {
        let shim = self.instance.shim();
        if self.is_up() && shim.said() == Some(Said::Done) && !shim.wants_to_send() {
            self.end(End::Done);
        }
    }

    /// Whether the guest has to wait before it is called again: it has used the time that it may have.
    fn is_out_of_fuel(&mut self) -> bool {
        self.fuel.advance(self.instance.shim().now());
        let out = self.fuel.next().is_some();
        if out && self.has_unsent() {
            let shim = self.instance.shim();
            self.toil.begin(shim.now(), self.instance.usage().fuel, shim.traffic().sent);
        }
        out
    }

    /// Whether the peer lacks something that the application has written.
    fn has_unsent(&self) -> bool {
        self.met == Met::Yes && self.socket().sent() != self.socket().dropped()
    }

    /// A guest that burns all that it may have, and gets nowhere, is not waited for.
    fn end_toil(&mut self, now: Instant) {
        let (fuel, shim) = (self.instance.usage().fuel, self.instance.shim());
        let over = self.toil.is_over(now, fuel, shim.traffic().sent, shim.quotas().fuel_per_sec);
        if over && self.is_up() && self.has_unsent() {
            self.end(End::Stopped(Fault::Busy));
        }
    }

    /// Tells the guest what has arrived, what the application has done, and what it may do again.
    fn pump(&mut self) {
        if self.behind != Behind::No {
            // Its time to say something begins when it is told what there is to say.
            self.note_silence();
            self.behind = Behind::No;
        }
        if self.met == Met::Soon && self.is_up() {
            self.prepare();
        }
        if self.met == Met::Yes && self.has_to_send() {
            self.silence.begin(self.instance.shim().now());
        }
        self.tell();
        if self.asked.leave && self.behind == Behind::No {
            self.take_leave();
        }
    }

    /// Meets the guest as soon as it can be called.
    fn prepare(&mut self) {
        let now = self.instance.shim().now();
        match self.instance.prepare() {
            Ok(true) => {
                (self.met, self.unready_since) = (Met::Yes, None);
                self.meet();
            }
            Ok(false) if now.since(*self.unready_since.get_or_insert(now)) < SILENT_MAX => {}
            Ok(false) => self.end(End::Stopped(Fault::NoRoom)),
            Err(fault) => self.end(End::Stopped(fault)),
        }
    }

    /// Whether the application has said something that the guest has to tell the peer: of messages there may be none.
    fn has_to_send(&self) -> bool {
        let socket = self.socket();
        self.asked.send || self.asked.disconnect && socket.kind() == SocketKind::Stream
    }

    /// It knows what was written.
    fn take_leave(&mut self) {
        self.asked.leave = false;
        if matches!(self.life, Life::Attached | Life::Running) {
            let deadline = self.instance.shim().now() + SHUTDOWN;
            self.life = Life::Leaving { deadline };
            self.call(Callback::Shutdown { deadline_ms: SHUTDOWN.as_millis() as u32 });
        }
    }

    fn tell(&mut self) {
        let every = self.instance.told_every();
        if self.rests() {
            self.behind = match self.has_news() {
                false => Behind::No,
                true if self.is_out_of_fuel() => Behind::Waits,
                true => Behind::Rests,
            };
            return;
        }
        for _ in 0..CALLS_MAX {
            if !self.is_up() || self.met != Met::Yes {
                return;
            }
            if self.is_out_of_fuel() {
                self.behind = Behind::Waits;
                return;
            }
            let shim = self.instance.shim_mut();
            let now = shim.now();
            if shim.has_arrivals() {
                let request = every.and_then(|_| self.asked.take(&mut shim.socket));
                match request {
                    Some(request) => {
                        self.call_by(|it| it.call_both(Callback::Input, Callback::UserRequest(request)));
                    }
                    None => drop(self.call(Callback::Input)),
                }
            } else if let Some(request) = self.asked.take(&mut shim.socket) {
                self.call(Callback::UserRequest(request));
            } else if shim.take_release() {
                self.call(Callback::Timer(tng_stp_abi::TIMER_SEND));
            } else {
                return;
            }
            self.rests_until = every.map_or(Instant::ZERO, |every| now + every);
        }
        self.behind = Behind::Waits;
    }

    /// Whether to let more happen before the guest is told. Who has no room for more, or nothing more to send, is told.
    fn rests(&self) -> bool {
        let shim = self.instance.shim();
        shim.now() < self.rests_until && !shim.ring_is_full() && !shim.has_run_dry()
    }

    /// Whether there is something to tell the guest, or may be in a moment.
    fn has_news(&self) -> bool {
        let shim = self.instance.shim();
        self.is_up()
            && self.met == Met::Yes
            && (shim.has_arrivals() || self.asked.is_something() || shim.is_held_back())
    }

    /// There is a channel, or another.
    fn handle_path_change(&mut self) {
        if self.met == Met::Yes {
            self.instance.shim_mut().handle_path();
            self.call(Callback::PathChanged);
        } else {
            self.met = Met::Soon;
        }
    }

    fn meet(&mut self) {
        if self.life == Life::Attached {
            self.life = Life::Running;
        }
        let role = tng_stp_abi::Host::role(self.instance.shim_mut());
        self.instance.shim_mut().begin();
        self.call(if role == Role::Initiator { Callback::Connect } else { Callback::Accept });
    }

    /// A packet with so much room was filled, or was not.
    fn note_fit(&mut self, fits: bool, room: usize) {
        let shim = self.instance.shim_mut();
        if fits || !shim.wants_to_send() {
            self.misfits = 0;
            return;
        }
        self.misfits += 1;
        if self.misfits >= MISFITS_MAX {
            shim.set_room(room);
            shim.skip_misfit(room);
        }
    }

    fn is_current(&self, channel: ChannelKey) -> bool {
        self.channels.last() == Some(&channel)
    }
}

impl Protocol for Transport {
    fn handle_packet(
        &mut self,
        now: Instant,
        _: ChannelKey,
        _: u64,
        _: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        if let Some(fault) = self.failure() {
            return Err(fault);
        }
        if *payload == HERE_PACKET {
            return Ok(Taken::All);
        }
        let segment = Segment::parse(&mut Reader::new(payload)).map_err(|_| violation::MALFORMED)?;
        let shim = self.instance.shim_mut();
        shim.set_now(now);
        shim.handle_segment(segment);
        self.fuel.handle_segments(1);
        if self.instance.shim().ring_is_full() {
            self.pump();
        }
        Ok(Taken::All)
    }

    /// What a guest does with a segment, nobody knows.
    fn replay_safe(&self, _: &[u8]) -> bool {
        false
    }

    fn poll_packet(&mut self, now: Instant, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        // Nothing rides in the set-up: the guest has no path yet.
        if number == 0 || !self.wants_to_send(now, channel) {
            return None;
        }
        if self.here.is_due() {
            let len = HERE_PACKET.len();
            buf.get_mut(..len)?.copy_from_slice(&HERE_PACKET);
            self.here = Here::Sent { channel, number };
            return Some(Filled { len });
        }
        let shim = self.instance.shim_mut();
        shim.note_room(buf.len());
        let filled = shim.fill(buf).map(|len| Filled { len });
        self.fuel.handle_segments(u64::from(filled.is_some()));
        self.note_fit(filled.is_some(), buf.len());
        self.note_done();
        filled
    }

    fn poll_train(&mut self, now: Instant, channel: ChannelKey, train: &mut Train<'_>) {
        if !self.wants_to_send(now, channel) {
            return;
        }
        if self.here.is_due() {
            // It leaves by itself.
            return;
        }
        let shim = self.instance.shim_mut();
        while train.left() > 0 {
            let Some(len) = shim.fill(train.packet()) else { break };
            train.push(len);
        }
        self.fuel.handle_segments(train.packets() as u64);
        self.note_fit(train.packets() > 0, train.room());
        self.note_done();
    }

    fn wants_to_send(&mut self, now: Instant, channel: ChannelKey) -> bool {
        self.instance.shim_mut().set_now(now);
        self.pump();
        self.is_current(channel) && (self.here.is_due() || self.instance.shim().wants_to_send())
    }

    /// What became of segments, the guests tell each other.
    fn handle_fates(&mut self, _: Instant, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        self.here.handle_fates(channel, &numbers, fate);
    }

    fn handle_attach(&mut self, now: Instant, channel: ChannelKey) {
        self.instance.shim_mut().set_now(now);
        self.channels.push(channel);
        self.handle_path_change();
    }

    fn handle_detach(&mut self, now: Instant, channel: ChannelKey) {
        self.instance.shim_mut().set_now(now);
        self.here.handle_detach(channel);
        let current = self.is_current(channel);
        self.channels.retain(|held| *held != channel);
        if current && !self.channels.is_empty() {
            self.handle_path_change();
        }
    }

    fn handle_move(&mut self, now: Instant, channel: ChannelKey) {
        self.instance.shim_mut().set_now(now);
        if self.is_current(channel) {
            self.handle_path_change();
        }
    }

    fn polices_itself(&self) -> bool {
        true
    }

    fn heeds_marks(&self) -> bool {
        self.instance.shim().heeds_marks()
    }

    fn handle_footing(&mut self, now: Instant, footing: Footing) {
        let shim = self.instance.shim_mut();
        shim.set_now(now);
        shim.set_footing(footing);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let deadline = match &self.life {
            Life::Leaving { deadline } => Some(*deadline),
            Life::Attached | Life::Running => None,
            Life::Ended(_) => return None,
        };
        let shim = self.instance.shim();
        let told = self.asked.is_something() && (self.met == Met::Yes || self.asked.leave);
        let meets = self.met == Met::Soon && self.unready_since.is_none();
        let at_once = (self.behind != Behind::No || told || meets).then(|| shim.now().max(self.rests_until));
        let next = [at_once, shim.poll_timeout()].into_iter().flatten().min();
        let next = next.map(|at| self.fuel.next().map_or(at, |fuel_at| at.max(fuel_at)));
        [deadline, next, self.silence.until(), self.toil.until(), self.look_at()].into_iter().flatten().min()
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.instance.shim_mut().set_now(now);
        self.look_after(now);
        self.note_done();
        self.pump();
        for _ in 0..CALLS_MAX {
            if !self.is_up() {
                return;
            }
            if matches!(self.life, Life::Leaving { deadline } if deadline <= now) {
                return self.end(End::Late);
            }
            if self.is_out_of_fuel() {
                break;
            }
            let Some(id) = self.instance.shim_mut().take_due() else { break };
            self.call(Callback::Timer(id));
        }
        self.pump();
        self.end_silence(now);
        self.end_toil(now);
    }
}

impl Semantic for Transport {
    fn set_up_item(&self) -> Option<Vec<u8>> {
        let item = SetUp { abi: ABI_VERSION.into() };
        let mut bytes = vec![0; item.wire_len()];
        item.emit(&mut Writer::new(&mut bytes)).ok()?;
        Some(bytes)
    }

    fn handle_set_up_item(&mut self, item: Option<&[u8]>) -> Result<(), Violation> {
        let item = SetUp::parse(&mut Reader::new(item.unwrap_or_default())).map_err(|_| violation::SET_UP)?;
        if item.abi == u64::from(ABI_VERSION) { Ok(()) } else { Err(violation::VERSION) }
    }

    fn recognizes(&self, payload: &[u8]) -> bool {
        is_guests(payload)
    }

    fn speak_first(&mut self) {
        self.here = Here::Due;
    }

    fn is_idle(&self) -> bool {
        self.here == Here::Known && self.instance.shim().is_idle()
    }

    fn is_empty(&self) -> bool {
        let socket = self.socket();
        let done = socket.is_disconnecting() && socket.is_at_end() && self.instance.shim().is_idle();
        !self.is_up() || done
    }

    fn bytes_held(&self) -> u64 {
        self.instance.shim().held() + self.instance.usage().memory
    }

    fn bytes_promised(&self) -> u64 {
        if self.is_up() { self.shim().receive_room() } else { 0 }
    }

    fn progress(&self) -> u64 {
        self.socket().taken() + self.socket().dropped()
    }

    fn take_notice(&mut self) -> bool {
        self.instance.shim_mut().take_notice()
    }

    fn failure(&self) -> Option<Violation> {
        let (code, reason) = match &self.life {
            Life::Ended(End::Stopped(fault)) => (GUEST_STOPPED, fault.told()),
            Life::Ended(End::Failed(_)) => (GUEST_FAILED, "a guest says that the connection has failed"),
            Life::Ended(End::Late) => (GUEST_FAILED, "a guest did not take its leave in time"),
            Life::Ended(End::Done) | Life::Attached | Life::Running | Life::Leaving { .. } => return None,
        };
        let code = if self.shim().is_unused() { GUEST_UNUSED } else { code };
        Some(Violation { code, reason })
    }

    fn handle_closed(&mut self) {
        if !core::mem::replace(&mut self.closed, true) {
            // What came with the end, the last acknowledgment perhaps, it has not heard of yet. Who has not met it gets
            // nothing scarce for that.
            if self.met == Met::Yes {
                self.rests_until = Instant::ZERO;
                self.pump();
            }
            self.call(Callback::Abort);
            if self.is_up() {
                self.end(End::Done);
            }
            self.instance.shim_mut().note_notice();
        }
    }
}
