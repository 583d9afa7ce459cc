//! A server that keeps nothing of a connection: a function of keys, time, a request, an application and filters.
//!
//! ```text
//! datagram ─▶ INIT     SetUp ───────▶ Minisocket ─┐
//!          └▶ REQUEST  Gate::judge ─▶ Minisocket ─┴▶ queue ─▶ Application ─▶ sealed ─▶ datagrams
//! ```

mod backlog;
mod caches;
mod datagrams;
mod gate;
mod handed;
mod queue;
mod refused;
mod settings;

use core::convert::Infallible;
use core::fmt;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Input, Instant, Machine, Output};
use tng_crypto::{Blake3Key, DatagramKey, SecretRng, SipKey, TAG_LEN};
use tng_endpoint::{Claim, Tenant};
use tng_wire::{Repr, Writer};

use self::backlog::Backlog;
pub use self::backlog::{RELIEF_EVERY, STANDING_MIN};
pub(crate) use self::caches::Outputs;
use self::caches::Sockets;
pub use self::caches::{CacheConfig, CachesCounts, PARSES_KEPT_FOR};
use self::datagrams::{Batch, Datagrams, Way};
use self::gate::{Denied, Gate, Giver, Grant, Granted};
pub use self::refused::Refused;
pub use self::settings::{Beginnings, FilterConfig, ServerConfig};
use crate::foresee::INITIAL_WINDOW;
use crate::minisocket::{Application, Client, Context, Event, Minisocket, Reply, Sealing};
use crate::replay::{Burnt, Issuer, OBJECTS_REMEMBERED, Objects, Replay, Stories, Timeouts, TwoFilters};
use crate::set_up::{Access, Opened, Premises, SetUp, SetUpConfig};
use crate::wire::{
    Armor, DATAGRAM_LEN_MAX, DATAGRAM_LEN_MIN, Denial, Given, INIT, PLAIN_REQUEST, REQUEST, ResponseHeader, Tell,
};
use crate::{
    ClientNetwork, EpochSecrets, Horizon, Instance, Keying, Keys, KeysError, Proof, Release, Rtt, Stamp, Throttle,
    WallClock,
};

/// Requests that wait for the application, at most. What comes beyond is dropped.
pub const QUEUE_MAX: usize = 1_024;
pub use crate::wire::UNASKED;

/// What a server has done: all that it knows of the past.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ServerStats {
    /// Connections that it has granted.
    pub opened: u64,
    /// Set-ups that it has not granted: refused, asked for a cookie, dropped.
    pub not_opened: u64,
    /// Requests that it has answered.
    pub answered: u64,
    /// Packets that it has sent in answer.
    pub packets: u64,
    /// Requests that were spent before.
    pub spent: u64,
    /// Requests that released nothing.
    pub terminated: u64,
    /// Requests that were refused for another reason.
    pub refused: u64,
    /// Of those, requests whose continuations another server has stamped further ahead than clocks may differ: one of
    /// the two clocks is wrong.
    pub ahead: u64,
    /// Of those, requests whose continuations may have been spent before this server started.
    pub before_start: u64,
    /// Requests that were dropped because the application was behind.
    pub dropped: u64,
    /// The last reason for which a request was refused.
    pub last_refused: Option<Refused>,
}

impl ServerStats {
    /// What two servers have done together.
    #[must_use]
    pub fn and(self, other: ServerStats) -> ServerStats {
        ServerStats {
            opened: self.opened + other.opened,
            not_opened: self.not_opened + other.not_opened,
            answered: self.answered + other.answered,
            packets: self.packets + other.packets,
            spent: self.spent + other.spent,
            terminated: self.terminated + other.terminated,
            refused: self.refused + other.refused,
            ahead: self.ahead + other.ahead,
            before_start: self.before_start + other.before_start,
            dropped: self.dropped + other.dropped,
            last_refused: self.last_refused.or(other.last_refused),
        }
    }
}

/// A server, beside others on a port. It polls its application when it is polled itself.
pub struct Server<A> {
    set_up: SetUp,
    access: Box<dyn Access + Send>,
    gate: Gate,
    rng: SecretRng,
    instance: Option<Instance>,
    /// Whether it has asked for entropy for the present instant.
    has_asked: bool,
    /// What came, and has not been judged.
    arrived: VecDeque<Arrived>,
    queue: VecDeque<Box<Minisocket>>,
    /// Whether they wait there for the owner.
    keeps_events: bool,
    /// Whether it has handed over what it knows, and judges nothing any more.
    is_retired: bool,
    /// What waits, if it sheds load.
    backlog: Option<Backlog>,
    /// Whether more waits where its driver takes it from.
    has_more_elsewhere: bool,
    /// Kept for their memory.
    #[expect(clippy::vec_box, reason = "they are large, and are moved between here, the queue and their users")]
    spare: Vec<Box<Minisocket>>,
    spare_bytes: Vec<Vec<u8>>,
    datagrams: Datagrams,
    stats: ServerStats,
    application: A,
}

/// What waits for entropy.
struct Arrived {
    /// Where it came from and went to; nothing if it is a minisocket of another server.
    from: Option<Way>,
    bytes: Vec<u8>,
}

impl<A: Application> Server<A> {
    /// A server that starts at `now`.
    pub fn new(config: ServerConfig, beginnings: Beginnings, application: A, now: Instant) -> Server<A> {
        let Beginnings { identity, keys, access, clock, entropy } = beginnings;
        let mut rng = SecretRng::new(entropy);
        let own = Issuer(rng.visible().u64() as u32);
        let horizon = Horizon { skew_max: config.skew_max, ..Horizon::new(own, clock.at(now)) };
        let remembered = horizon.remembered();
        let replay = match config.filter {
            FilterConfig::Serials(serials) => Replay::serials(own, now, serials, remembered),
            FilterConfig::Filters(size, share) => {
                let key = Blake3Key::from_bytes(rng.secret());
                Replay::filters(own, key, TwoFilters::new(now, remembered, size, share))
            }
        };
        let mut key = || SipKey::from_bytes(rng.visible().bytes());
        let armor = Armor::of(config.danger_plain);
        let gate = Gate {
            site: config.site,
            armor,
            horizon,
            replay,
            timeouts: Timeouts::new(key(), config.timeouts, remembered),
            delta_encoding: config.delta_encoding,
            renews: config.renews,
            stories: Stories::new(key(), horizon.held_to_story(), config.stories),
            objects: Objects::new(key(), remembered, OBJECTS_REMEMBERED),
            throttle: Throttle::new(key()),
            proof: Proof::with_room(),
            sockets: Sockets::new(config.caches.sockets),
            outputs: Outputs::new(&config.caches),
            keys,
            clock,
            begun: now,
            known_before: Duration::ZERO,
        };
        let backlog = config.sheds_load.then(|| Backlog::new(now));
        let set_up = SetUp::new(identity, SetUpConfig { armor, ..config.set_up }, rng.fork());
        Server {
            set_up,
            access,
            gate,
            rng,
            instance: None,
            has_asked: false,
            arrived: VecDeque::new(),
            queue: VecDeque::new(),
            keeps_events: false,
            is_retired: false,
            backlog,
            has_more_elsewhere: false,
            spare: Vec::new(),
            spare_bytes: Vec::new(),
            datagrams: Datagrams::default(),
            stats: ServerStats::default(),
            application,
        }
    }

    /// What it has done.
    pub const fn stats(&self) -> &ServerStats {
        &self.stats
    }

    /// What answers.
    pub const fn application(&self) -> &A {
        &self.application
    }

    /// What answers, to be changed.
    pub const fn application_mut(&mut self) -> &mut A {
        &mut self.application
    }

    /// How much it has to do, from 0 to 1, as its owner sees it: more than half, and it grants less.
    pub fn set_load(&mut self, load: f64) {
        self.gate.throttle.set_load(load);
    }

    /// Who is let in from now on.
    pub fn set_access(&mut self, access: Box<dyn Access + Send>) {
        self.access = access;
    }

    /// Whether it gives connections the secret of the next epoch: [`ServerConfig::renews`].
    pub const fn renews(&self) -> bool {
        self.gate.renews
    }

    /// It gives nobody the secret of another epoch from now on: [`ServerConfig::renews`].
    pub const fn renew_no_more(&mut self) {
        self.gate.renews = false;
    }

    /// The secrets of its fleet were rotated: what is sealed from the epoch of the new one on is sealed with that. What
    /// clients hold is good as long as its keys are among these.
    ///
    /// # Errors
    /// [`KeysError`]: they are of another time, and nothing is changed.
    pub fn set_secrets(&mut self, now: Instant, secrets: EpochSecrets) -> Result<(), KeysError> {
        self.gate.keys = Keys::new(secrets, self.gate.wall(now))?;
        // Of epochs whose keys are others now.
        self.gate.sockets.clear();
        Ok(())
    }

    /// Its clock was set: when it started is told by that one, too.
    pub fn set_clock(&mut self, clock: WallClock) {
        self.gate.set_clock(clock);
    }

    /// Forgets all that it can compute again, and gives back the memory that it keeps for what comes next.
    pub fn drop_caches(&mut self) {
        self.set_up.forget_callers();
        self.gate.sockets.clear();
        self.gate.outputs.clear();
        (self.spare, self.spare_bytes) = (Vec::new(), Vec::new());
        self.arrived.shrink_to_fit();
        self.queue.shrink_to_fit();
        self.datagrams.give_back();
    }

    /// Has the system give all the memory of filters and tables at once: by default it gives what is not written to yet
    /// only when that happens, and a process seems to grow with its first clients.
    pub fn prefault_memory(&mut self) {
        let Gate { replay, timeouts, stories, objects, .. } = &mut self.gate;
        replay.prefault();
        timeouts.prefault();
        stories.prefault();
        objects.prefault();
    }

    /// Of what it [holds](Self::held), bytes of filters, and of tables of what is told and computed once: they are as
    /// large as they were told to be, but for a ring of serials for each server that it has met.
    pub fn held_by_filters(&self) -> usize {
        self.gate.held_by_filters()
    }

    /// Bytes that it holds for all its clients together: filters, what is under way, caches, and the memory that it
    /// keeps for what comes next. What its application and its access hold is not among them.
    pub fn held(&self) -> usize {
        // Without `..`: a new field of a server is counted here, or said not to grow.
        let Server {
            set_up,
            access: _,
            gate,
            rng: _,
            instance: _,
            has_asked: _,
            arrived,
            queue,
            keeps_events: _,
            is_retired: _,
            backlog: _,
            has_more_elsewhere: _,
            spare,
            spare_bytes,
            datagrams,
            stats: _,
            application: _,
        } = self;
        let waiting: usize = arrived.iter().map(|Arrived { from: _, bytes }| bytes.capacity()).sum();
        let kept: usize = spare_bytes.iter().map(Vec::capacity).sum();
        let minisockets: usize = queue.iter().chain(spare).map(|minisocket| minisocket.held()).sum();
        let places = arrived.capacity() * size_of::<Arrived>()
            + (queue.capacity() + spare.capacity()) * size_of::<Box<Minisocket>>()
            + spare_bytes.capacity() * size_of::<Vec<u8>>();
        set_up.held() + gate.held() + waiting + kept + minisockets + places + datagrams.held()
    }

    /// Seals the answer of a minisocket, and sends it.
    pub fn send(&mut self, minisocket: Box<Minisocket>) {
        self.send_with(minisocket, &mut Batch::new(&mut []));
    }

    fn send_with(&mut self, mut minisocket: Box<Minisocket>, batch: &mut Batch<'_>) {
        let Client { remote, local, .. } = minisocket.client;
        let way = (remote, local);
        match core::mem::replace(&mut minisocket.sealing, Sealing::Nothing) {
            Sealing::Nothing => {}
            Sealing::Responses { header, key, .. } => {
                self.push_responses(way, (&mut minisocket.reply, 0), (header, key.as_ref()), batch);
                (self.stats.answered, self.stats.packets) =
                    (self.stats.answered + 1, self.stats.packets + minisocket.reply.count() as u64);
            }
            Sealing::SetUp { opened, responses } => {
                let reply =
                    opened.reply(minisocket.reply.text(0), &mut self.rng).expect("it was given the room that there is");
                self.stats.opened += 1;
                self.datagrams.push(way, &reply, batch);
                if let Some((header, key)) = responses {
                    self.push_responses(way, (&mut minisocket.reply, 1), (header, key.as_ref()), batch);
                }
            }
        }
        self.drop_minisocket(minisocket);
    }

    /// Seals the packets of a reply from that one on, as responses, or sends them as they are.
    fn push_responses(
        &mut self,
        way: Way,
        (reply, from): (&mut Reply, usize),
        (header, key): (ResponseHeader, Option<&DatagramKey>),
        batch: &mut Batch<'_>,
    ) {
        reply.sealed(|at, datagram| {
            if let Some(index) = at.checked_sub(from) {
                if let Some(key) = key {
                    ResponseHeader { index: index as u8, ..header }.seal(key, datagram);
                }
                self.datagrams.push(way, datagram, batch);
            }
        });
    }

    fn keep(&mut self, from: Option<Way>, bytes: &[u8]) {
        let mut copy = self.spare_bytes.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(bytes);
        self.arrived.push_back(Arrived { from, bytes: copy });
    }

    /// Answers one of the queue with its application.
    fn serve(&mut self, now: Instant, mut minisocket: Box<Minisocket>, batch: &mut Batch<'_>) {
        if matches!(minisocket.client.event, Event::Open { .. }) {
            self.application.open(&minisocket.client);
        }
        let Server { application, gate, .. } = self;
        let version = application.version();
        minisocket.hear(gate.context(now, version), |asked, answer| application.handle(asked, answer));
        self.send_with(minisocket, batch);
    }

    /// Whether what comes next may be answered first, because the answer goes where the batch goes, and may leave with
    /// it.
    fn is_gathering(&self, now: Instant, batch: &Batch<'_>) -> bool {
        let judged = self.queue.front().map(|minisocket| (minisocket.client.remote, minisocket.client.local));
        let next = judged.or_else(|| self.arrived.front().and_then(|arrived| arrived.from));
        !self.keeps_events
            && self.instance.as_ref().is_some_and(|instance| instance.is_of(now))
            && next.is_some_and(|way| self.datagrams.gathers(way, batch))
    }

    /// Judges the next of what came.
    fn judge_arrived(&mut self, now: Instant, batch: &mut Batch<'_>) {
        // Keys that cannot follow a clock that jumps stay as they are: what they do not open is refused.
        let _: Result<(), KeysError> = self.gate.advance(now);
        self.look_at_backlog(now);
        if let Some(mut arrived) = self.arrived.pop_front() {
            self.judge(now, &mut arrived, batch);
            self.spare_bytes.push(arrived.bytes);
        }
    }

    /// Judges a datagram.
    fn judge(&mut self, now: Instant, Arrived { from, bytes }: &mut Arrived, batch: &mut Batch<'_>) {
        let Some(instance) = &mut self.instance else { return };
        match (*from, bytes.first()) {
            (Some(from), Some(&(REQUEST | PLAIN_REQUEST))) => self.judge_request(now, from, bytes, batch),
            (Some(from), _) => self.judge_init(now, from, bytes, batch),
            (None, _) => {
                let mut minisocket = self.spare.pop().unwrap_or_default();
                let name = |request: &_| instance.name(now, request);
                if minisocket.install(bytes, &self.gate.keys, name).is_some() {
                    self.queue.push_back(minisocket);
                }
            }
        }
    }

    fn judge_request(&mut self, now: Instant, (remote, local): Way, bytes: &mut [u8], batch: &mut Batch<'_>) {
        let Some(instance) = &mut self.instance else { return };
        let granted = self.gate.judge(now, remote, instance, bytes);
        let granted = granted
            .and_then(|grant| if grant.release.count() > 0 { Ok(grant) } else { Err(Refused::Terminated.into()) });
        let grant = match granted {
            Ok(grant) => grant,
            Err(Denied { refused, told }) => {
                match refused {
                    Refused::Burnt(Burnt::Spent) => self.stats.spent += 1,
                    Refused::Terminated => self.stats.terminated += 1,
                    _ => self.stats.refused += 1,
                }
                self.stats.ahead += u64::from(refused == Refused::Future);
                self.stats.before_start += u64::from(refused == Refused::BeforeStart);
                self.stats.last_refused = Some(refused);
                if let Some((denial, header, key)) = told {
                    let mut datagram = [0; Denial::RESPONSE_LEN];
                    let len = denial.seal(Stamp::of(self.gate.wall(now)), header, key.as_ref(), &mut datagram);
                    self.datagrams.push((remote, local), &datagram[..len], batch);
                }
                return;
            }
        };
        let asks = &bytes[grant.asks_from..grant.asks_from + grant.asks_len];
        let mut minisocket = self.spare.pop().unwrap_or_default();
        minisocket.asks.clear();
        minisocket.asks.extend_from_slice(asks);
        match self.prepare(now, (remote, local), grant, &mut minisocket) {
            Some(()) => self.queue.push_back(minisocket),
            // The keys of what it would be given are erased.
            None => self.stats.refused += 1,
        }
    }

    /// Gives a minisocket the packets that a grant has.
    fn prepare(&mut self, now: Instant, (remote, local): Way, grant: Grant, minisocket: &mut Minisocket) -> Option<()> {
        let Grant {
            id,
            header,
            key,
            epoch,
            request,
            spent,
            seal,
            keying,
            release,
            rtt,
            datagram_len,
            wants_secret,
            ..
        } = grant;
        minisocket.client = Client { event: Event::Request, id, remote, local, rtt };
        (minisocket.seal, minisocket.sealing) = (seal, Sealing::Responses { header, key, epoch, request });
        minisocket.reply.clear();
        let from = (spent, keying, rtt);
        self.gate.packets(
            now,
            (id, ClientNetwork::of(remote.ip())),
            from,
            &release,
            datagram_len,
            header,
            minisocket,
        )?;
        if wants_secret && self.gate.renews {
            let keys = self.gate.keys.present();
            let secret = keys.connection_secret(&id);
            let _ = minisocket.reply.tell(&Tell::Secret { epoch: keys.number() as u8, secret: secret.expose() });
        }
        Some(())
    }

    fn judge_init(&mut self, now: Instant, (remote, local): Way, bytes: &[u8], batch: &mut Batch<'_>) {
        let wall = self.gate.wall(now);
        let premises = Premises { now, wall, keys: &self.gate.keys, access: &*self.access };
        match self.set_up.answer(&premises, remote, bytes, &mut self.rng) {
            crate::set_up::Answer::Opened(opened) => {
                let seal = bytes.last_chunk().copied().unwrap_or([0; TAG_LEN]);
                match self.open(now, (remote, local), opened, seal) {
                    Some(minisocket) => self.queue.push_back(minisocket),
                    None => self.stats.not_opened += 1,
                }
            }
            crate::set_up::Answer::Said(datagram) => {
                self.stats.not_opened += 1;
                self.datagrams.push((remote, local), &datagram, batch);
            }
            crate::set_up::Answer::Dropped(_) => self.stats.not_opened += 1,
        }
    }

    /// A minisocket for a set-up. Who has shown its address gets the first window at once; others spend the seed.
    fn open(
        &mut self,
        now: Instant,
        (remote, local): Way,
        opened: Box<Opened>,
        init_seal: [u8; TAG_LEN],
    ) -> Option<Box<Minisocket>> {
        let (id, place) = (opened.id(), opened.place());
        let room = opened.room().min(usize::try_from(opened.may_send()).unwrap_or(usize::MAX));
        let epoch = self.gate.keys.present().number() as u8;
        let initial = self.gate.throttle.initial_window(INITIAL_WINDOW);
        let mut seed = gate::seed(epoch, initial);
        let mut minisocket = self.spare.pop().unwrap_or_default();
        let client = Client { event: Event::Open { peer: opened.peer() }, id, remote, local, rtt: Rtt::default() };
        minisocket.client = client;
        minisocket.asks.clear();
        minisocket.asks.extend_from_slice(opened.first());
        minisocket.reply.clear();
        (seed.site, seed.issued) = (self.gate.site, Stamp::of(self.gate.wall(now)));
        (seed.issuer, seed.serial) = self.gate.replay.issue();
        let keys = self.gate.keys.present();
        let (armor, seal) = (self.gate.armor, seed.seal(keys, &id, &place));
        let nonces = crate::Nonces::new(&self.gate.keys, id, &seed.keying)?;
        let given = Given { nonce: nonces.nonce(seed.tag, seed.first), continuation: seed, seal };
        minisocket.reply.add(room, 0, |writer| given.emit(armor, None, writer)).ok()?;
        minisocket.seal = seal;
        let mut responses = None;
        // Who has asked for nothing spends the seed when it does: a window of empty packets would help nobody.
        if opened.address_is_shown() && !opened.first().is_empty() {
            let release = Release::of_line(seed.root);
            let end = self.gate.throttle.allow(now, &place, initial, initial, release.numbers.clone()).end;
            let granted = Granted { release, end, is_foreseen: true, place_told: None };
            if granted.count() == 0 || self.gate.replay.burn(now, &id, &seed).is_err() {
                // Its place was sent all that it may be, or there is no room to note what is spent: the seed is good
                // for what is asked later.
                minisocket.sealing = Sealing::SetUp { opened, responses: None };
                return Some(minisocket);
            }
            let name = self.instance.as_mut()?.name(now, &init_seal)?;
            let handle = *id.0.first_chunk().expect("an id is longer than a handle");
            let header = ResponseHeader { armor, handle, instance: name, count: UNASKED, index: 0 };
            let from = (seed, Keying::of(epoch), Rtt::default());
            self.gate.packets(now, (id, place), from, &granted, DATAGRAM_LEN_MIN, header, &mut minisocket)?;
            let key = (!armor.is_plain()).then(|| opened.secret().responses(name, &init_seal));
            responses = Some((header, key));
        }
        minisocket.sealing = Sealing::SetUp { opened, responses };
        Some(minisocket)
    }
}

impl Gate {
    fn context(&mut self, now: Instant, version: u16) -> Context<'_> {
        let wall = self.wall(now);
        let Gate { keys, objects, throttle, outputs, .. } = self;
        Context { keys, now, wall, version, objects, throttle, outputs }
    }

    fn held_by_filters(&self) -> usize {
        self.replay.held() + self.timeouts.held() + self.stories.held() + self.objects.held()
    }

    fn held(&self) -> usize {
        // Without `..`, as in Server::held. Filters are counted by themselves.
        let Gate {
            keys: _,
            clock: _,
            begun: _,
            known_before: _,
            site: _,
            armor: _,
            horizon: _,
            replay: _,
            timeouts: _,
            delta_encoding: _,
            renews: _,
            stories: _,
            objects: _,
            throttle,
            proof,
            sockets,
            outputs,
        } = self;
        self.held_by_filters() + throttle.held() + proof.held() + sockets.held() + outputs.held()
    }

    /// Adds the packets of what is granted.
    #[expect(clippy::too_many_arguments, reason = "all of it is what a packet is made of")]
    fn packets(
        &mut self,
        now: Instant,
        who: (crate::ConnectionId, ClientNetwork),
        from: (crate::Continuation, Keying, Rtt),
        granted: &Granted,
        datagram_len: usize,
        header: ResponseHeader,
        minisocket: &mut Minisocket,
    ) -> Option<()> {
        let stamp = (self.site, Stamp::of(self.wall(now)));
        let (Gate { keys, replay, delta_encoding, .. }, armor) = (self, header.armor);
        let mut giver = Giver::new(keys, who, from, (granted, armor))?;
        for index in 0..granted.count() {
            let index = index as u8;
            let (given, foreseen) = giver.give(index, stamp, keys, || replay.issue())?;
            let head = |writer: &mut Writer<'_>| {
                ResponseHeader { index, ..header }.emit(writer)?;
                given.emit(armor, foreseen.as_ref().filter(|_| *delta_encoding), writer)?;
                // Any of them may be the one that arrives.
                granted.place_told.map_or(Ok(()), |place| Tell::ClientNetwork(place).emit(writer))
            };
            minisocket.reply.add(datagram_len - armor.tag_len(), armor.tag_len(), head).ok()?;
        }
        Some(())
    }
}

impl<A: Application> Machine for Server<A> {
    type Event = Infallible;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(_) if self.is_retired => {}
            Input::Datagram(datagram) => {
                let segment = datagram.segment_size.max(1);
                for bytes in datagram.payload.chunks(segment) {
                    if bytes.len() > DATAGRAM_LEN_MAX {
                        self.stats.refused += 1;
                        self.stats.last_refused = Some(Refused::Malformed);
                        continue;
                    }
                    if self.arrived.len() + self.queue.len() >= QUEUE_MAX {
                        self.stats.dropped += 1;
                        continue;
                    }
                    self.keep(Some((datagram.remote, datagram.local)), bytes);
                }
            }
            Input::Entropy(entropy) => {
                self.rng.reseed(entropy);
                self.instance = Some(Instance::draw(now, &mut self.rng));
                self.has_asked = false;
            }
            Input::LinkLoss(_) | Input::Unreachable(_) | Input::PathChange(_) => {}
        }
    }

    /// Keys of epochs that are over are erased also when nobody asks for anything, and so is what is kept for a while.
    fn handle_timeout(&mut self, now: Instant) {
        let _: Result<(), KeysError> = self.gate.advance(now);
        self.gate.outputs.parses.expire(now);
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<Infallible> {
        let mut batch = Batch::new(buf);
        loop {
            if !self.is_gathering(now, &batch)
                && let Some(transmit) = self.datagrams.poll(&mut batch)
            {
                return Output::Transmit(transmit);
            }
            if !self.keeps_events
                && let Some(minisocket) = self.queue.pop_front()
            {
                self.serve(now, minisocket, &mut batch);
                continue;
            }
            if self.arrived.is_empty() {
                self.look_at_backlog(now);
                return Output::Timeout(Some(self.gate.deadline(now)));
            }
            if !self.instance.as_ref().is_some_and(|instance| instance.is_of(now)) {
                if !self.has_asked {
                    self.has_asked = true;
                    return Output::NeedsEntropy;
                }
                return Output::Timeout(Some(self.gate.deadline(now)));
            }
            self.judge_arrived(now, &mut batch);
        }
    }
}

impl<A: Application> Tenant for Server<A> {
    fn reads(&self, first: u8) -> bool {
        matches!(first, REQUEST | PLAIN_REQUEST | INIT)
    }

    /// Requests that are not sealed as this one was told it refuses by that name, and not as somebody else's.
    ///
    /// Requests are not for one of several servers behind a port: a request that this one cannot open is nobody's.
    fn claim(&self, packet: &[u8]) -> Claim {
        let is_request = matches!(packet.first(), Some(&(REQUEST | PLAIN_REQUEST)));
        if is_request || self.set_up.is_for(packet) { Claim::Serves } else { Claim::Neither }
    }

    fn is_silent(&self) -> bool {
        self.set_up.is_silent()
    }
}

impl<A> fmt::Debug for Server<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("stats", &self.stats).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
