//! Worlds in which flows go by way of helpers: several in a row, which are killed, drained, changed and robbed while
//! flows go on, whose capabilities end, and which promise what clients ask for.

mod legacy;
mod place;
mod plan;
mod station;

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tng_base::{Ecn, Input, Instant, Rng};
use tng_crypto::Secret32;
use tng_middlebox::{ClientTag, FlowStatus, Helper, HelperConfig, HelperStats, Office, Terms};
use tng_sim::{Link, LinkId, Node, NodeId, Outbox, PORT, World};
use tng_stack::{Capability, ConnectionId, Host, Identity, Stop, Target, Via};

use super::ledger::Ledger;
use super::party::{Party, SERVICE};
use super::passage::Passage;
use super::plan::End;
use super::seat::{Gauge, NOBODY, Seat};
use super::{Figures, echoes};
use crate::peers::transport::{choice, section_choice};
use legacy::{Books, Site};
use plan::{Blow, Caller, Line};
use station::Station;

pub(super) use plan::Plan;

/// Time for everything to be said and heard once nothing more befalls anybody.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// After this time who asks does so again, where that is needed.
const ASKS_AGAIN: Duration = Duration::from_secs(60);

/// Time for all to forget each other.
const FORGET: Duration = Duration::from_secs(2_000);

/// Tunnels are used for so long after all that befalls anybody.
const TUNNELLED: Duration = Duration::from_secs(2);

/// A helper that is told to end is ended after so long, whether it has told everybody or not.
const DRAINED_AFTER: Duration = Duration::from_secs(2);

/// A helper that runs ends a flow so long after the capability for it at the latest.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// [`Instant::ZERO`] in milliseconds since 1970, for helpers.
const EPOCH_MS: u64 = 1_700_000_000_000;

/// The number of the host that listens; the others ask.
const SERVER: usize = 0;

/// Who has a tunnel.
const TUNNEL_CLIENT: ClientTag = ClientTag(99);

/// Packets to a helper that an onlooker remembers, and how many he sends in a flood at most.
const SEEN_MAX: usize = 64;
const FLOOD_MAX: u64 = 400;

/// What is broken by hand, to see that it is found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Defect {
    Nothing,
    /// Helpers give whatever is asked for.
    GrantsAll,
    /// Capabilities are good for an hour, whatever is written down.
    OutlivesTerms,
    /// Helpers say everything twelve times to a host that has shown nothing.
    Shouts,
    /// Nobody closes a tunnel.
    Keeps,
    /// What a tunnel brings is brought twice.
    Doubles,
    /// No way leads anywhere for longer than a connection is kept.
    Cut,
}

/// A node of the world.
enum Any {
    Host(Box<Seat>),
    Helper(Box<Station>),
}

impl Any {
    fn node(&mut self) -> &mut dyn Node {
        match self {
            Any::Host(seat) => &mut **seat,
            Any::Helper(station) => &mut **station,
        }
    }

    fn as_host(&self) -> Option<&Seat> {
        if let Any::Host(seat) = self { Some(seat) } else { None }
    }

    fn host(&mut self) -> Option<&mut Seat> {
        if let Any::Host(seat) = self { Some(seat) } else { None }
    }

    fn as_helper(&self) -> Option<&Station> {
        if let Any::Helper(station) = self { Some(station) } else { None }
    }

    fn helper(&mut self) -> Option<&mut Station> {
        if let Any::Helper(station) = self { Some(station) } else { None }
    }
}

impl Node for Any {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.node().handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.node().handle_timeout(now);
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        self.node().poll(now, outbox)
    }
}

/// A helper as its operator knows it: what outlives a process.
struct Operator {
    node: NodeId,
    link: LinkId,
    address: SocketAddr,
    config: HelperConfig,
    /// How often its secret was lost.
    secrets: u8,
    /// When it runs again, if it does not.
    back_at: Instant,
    /// What an onlooker has seen go there.
    seen: Rc<RefCell<VecDeque<Vec<u8>>>>,
    /// Counts of its processes that are over.
    gone: HelperStats,
}

/// A run under way.
struct Ride {
    world: World<Any>,
    ways: Vec<LinkId>,
    hosts: Vec<NodeId>,
    routers: Vec<usize>,
    places: Vec<IpAddr>,
    /// Where others see a host whose NAT has forgotten it.
    seen_at: Vec<Option<SocketAddr>>,
    moves: u16,
    operators: Vec<Operator>,
    /// When the last capability ends that a client has of a helper, by their numbers.
    until: BTreeMap<(ClientTag, usize), Instant>,
    books: Rc<RefCell<Books>>,
    ledger: Rc<RefCell<Ledger>>,
    plan: Plan,
    rng: Rng,
    seed: u64,
    defect: Defect,
}

impl Passage for Ride {
    type Party = Any;

    fn world(&mut self) -> &mut World<Any> {
        &mut self.world
    }

    fn verdict(&self) -> Result<(), String> {
        let wrong = self.ledger.borrow().verdict().map(str::to_owned);
        wrong.or_else(|| self.disagreement()).map_or(Ok(()), Err)
    }
}

impl Ride {
    fn new(seed: u64, plan: &Plan, mut rng: Rng, defect: Defect) -> Ride {
        let ledger = Rc::new(RefCell::new(Ledger::default()));
        let count = 1 + plan.callers.len();
        ledger.borrow_mut().parties = (0..count).map(|who| identity(seed, who).eid()).collect();
        let mut world: World<Any> = World::new(seed);
        world.record_digest();
        let nodes: Vec<NodeId> = (0..plan.routers).map(|n| world.router(&format!("router {n}"))).collect();
        let ways = plan.ways.iter();
        let ways = ways.map(|way| world.connect_with(nodes[way.ends.0], nodes[way.ends.1], &way.forth, &way.back));
        let ways = ways.collect();
        let routers: Vec<usize> = [plan.server_at].into_iter().chain(plan.callers.iter().map(|it| it.router)).collect();
        let (mut hosts, mut places) = (Vec::new(), Vec::new());
        for (who, router) in routers.iter().enumerate() {
            let place = place::host(*router, who);
            let seat = seat(seed, who, plan, &ledger, &mut rng);
            hosts.push(world.host(&format!("host {who}"), &[place], Any::Host(Box::new(seat))));
            world.connect(hosts[who], nodes[*router], &beside());
            places.push(place);
        }
        let mut ride = Ride {
            world,
            ways,
            seen_at: vec![None; count],
            hosts,
            routers,
            places,
            moves: 0,
            operators: Vec::new(),
            until: BTreeMap::new(),
            books: Rc::default(),
            ledger,
            plan: plan.clone(),
            rng,
            seed,
            defect,
        };
        for (which, post) in plan.posts.iter().enumerate() {
            ride.post(which, nodes[post.router], post);
        }
        for (which, post) in plan.posts.iter().enumerate() {
            ride.start_helper(which, Duration::from_millis(post.comes_ms.unwrap_or(0)));
        }
        for who in 1..count {
            let via = ride.via(who);
            let target = Target { via, ..ride.target(SERVER) };
            ride.seat(who).into_iter().for_each(|seat| seat.party.dial(target.clone()));
        }
        ride
    }

    /// Makes room for a helper beside its router: it does not run yet.
    fn post(&mut self, which: usize, router: NodeId, post: &plan::Post) {
        let own = place::helper(post.router, which);
        let config = HelperConfig { own: vec![own], ..post.config.clone() };
        let machine = Helper::new(config.clone(), &secret(self.seed, which, 0), EPOCH_MS, [0; 32]);
        let station = Station::new(machine, None, &self.ledger, self.defect);
        let node = self.world.host(&format!("helper {which}"), &[own], Any::Helper(Box::new(station)));
        self.world.stop(node);
        let link = self.world.connect(router, node, &beside());
        let seen: Rc<RefCell<VecDeque<Vec<u8>>>> = Rc::default();
        let kept = Rc::clone(&seen);
        self.world.intercept(link.forth(), move |_, packet| {
            let mut kept = kept.borrow_mut();
            if kept.len() == SEEN_MAX {
                kept.pop_front();
            }
            kept.push_back(packet.payload.clone());
            true
        });
        let (address, back_at, gone) = (SocketAddr::new(own, PORT), Instant::ZERO, HelperStats::default());
        self.operators.push(Operator { node, link, address, config, secrets: 0, back_at, seen, gone });
    }

    fn seat(&mut self, who: usize) -> Option<&mut Seat> {
        self.world.node_mut(self.hosts[who]).host()
    }

    fn seats(&self) -> impl Iterator<Item = &Seat> {
        self.hosts.iter().filter_map(|node| self.world.node(*node).as_host())
    }

    /// A helper, if it runs.
    fn station(&mut self, which: usize) -> Option<&mut Station> {
        let node = self.operators[which].node;
        self.world.running(node)?;
        self.world.node_mut(node).helper()
    }

    fn stations(&self) -> impl Iterator<Item = (usize, &Station)> {
        let running = self.operators.iter().map(|operator| self.world.running(operator.node));
        running.enumerate().filter_map(|(which, node)| Some((which, node?.as_helper()?)))
    }

    /// Where a host is seen now.
    fn place(&self, who: usize) -> SocketAddr {
        self.seen_at[who].unwrap_or_else(|| (self.places[who], PORT).into())
    }

    fn target(&self, who: usize) -> Target {
        let eid = self.ledger.borrow().parties[who];
        Target { eid, addresses: vec![self.place(who)], capability: None, via: Vec::new() }
    }

    /// A capability of a helper as it is now, which is written down.
    fn issue(&mut self, which: usize, client: ClientTag, terms: Terms) -> Capability {
        let (now, secret) = (self.world.now(), secret(self.seed, which, self.operators[which].secrets));
        let until = self.until.entry((client, which)).or_default();
        *until = (now + terms.life).max(*until);
        let life = if self.defect == Defect::OutlivesTerms { Duration::from_secs(3_600) } else { terms.life };
        Office::new(&secret, EPOCH_MS).issue(now, client, Terms { life, ..terms }, self.rng.bytes::<32>())
    }

    /// The helpers of a host that asks, each with a capability.
    fn via(&mut self, who: usize) -> Vec<Via> {
        let Caller { via, wishes, trusted, life, flows_max, .. } = self.plan.callers[who - 1].clone();
        let mut stops = Vec::new();
        for (which, wishes) in via.into_iter().zip(wishes) {
            let terms = Terms { life, flows_max, tunnels: false };
            let capability = self.issue(which, ClientTag(who as u64), terms);
            let stop = Stop { wishes, ..Stop::new(self.operators[which].address, capability) };
            stops.push(Via { trusted, ..Via::new(helper_eid(self.seed, which), stop) });
        }
        stops
    }

    fn each_connection(&mut self, who: usize, mut f: impl FnMut(&mut Host, Instant, ConnectionId)) {
        let now = self.world.now();
        let Some(seat) = self.seat(who) else { return };
        let shown = seat.now(now);
        for id in seat.host.connections().collect::<Vec<_>>() {
            f(&mut seat.host, shown, id);
        }
    }

    /// Ends a helper's process.
    fn stop_helper(&mut self, which: usize) {
        let Some(gone) = self.world.stop(self.operators[which].node) else { return };
        if let Some(station) = gone.as_helper() {
            let operator = &mut self.operators[which];
            operator.gone = operator.gone.and(station.helper.stats());
        }
    }

    /// Begins another one after a while.
    fn start_helper(&mut self, which: usize, away: Duration) {
        let at = self.world.now() + away;
        self.operators[which].back_at = at;
        let Operator { node, ref config, secrets, .. } = self.operators[which];
        let mut config = config.clone();
        if self.defect == Defect::GrantsAll {
            config.elsewhere.offers.controllers = plan::CONTROLLERS.map(section_choice).into();
        }
        let line = self.plan.tunnel.filter(|line| line.from == which || line.to == which);
        let asked = line.filter(|line| line.from == which).map(|line| self.tunnel_stop(line, line.life));
        let site = line.map(|line| Site::new(&line, asked.is_some(), &self.books, self.rng.fork(), self.defect));
        let machine = Helper::new(config, &secret(self.seed, which, secrets), EPOCH_MS, self.rng.bytes::<32>());
        let mut station = Station::new(machine, site, &self.ledger, self.defect);
        self.world.at(at, move |world| {
            if let (Some(stop), Some(site)) = (asked, &mut station.site) {
                site.tunnel = station.helper.open_tunnel(world.now(), stop, place::beyond()).ok();
            }
            world.start(node, Any::Helper(Box::new(station)));
        });
    }

    /// The other end of the tunnel, as the end that asks for it knows it.
    fn tunnel_stop(&mut self, line: Line, life: Duration) -> Stop {
        let capability = self.issue(line.to, TUNNEL_CLIENT, Terms { life, flows_max: 4, tunnels: true });
        Stop::new(self.operators[line.to].address, capability)
    }

    fn strike(&mut self, blow: &Blow) {
        let (now, ms) = (self.world.now(), Duration::from_millis);
        match *blow {
            Blow::Kill { which, away_ms } => self.restart(which, ms(away_ms)),
            Blow::LoseSecret { which, away_ms } => {
                self.operators[which].secrets += 1;
                self.restart(which, ms(away_ms));
            }
            Blow::Sleep { which, ms: time } => {
                self.station(which).into_iter().for_each(|station| station.sleep(now, ms(time)));
            }
            Blow::Drain { which, away_ms } => self.drain(which, ms(away_ms)),
            Blow::Settings { which, ref config } => {
                let own = self.operators[which].config.own.clone();
                let config = HelperConfig { own, ..(**config).clone() };
                self.operators[which].config = config.clone();
                self.station(which).into_iter().for_each(|station| station.helper.set_config(now, config.clone()));
            }
            Blow::Renew { who, life } => self.renew(who, life),
            Blow::RenewTunnel { life } => {
                let Some(line) = self.plan.tunnel else { return };
                let stop = self.tunnel_stop(line, life);
                if let Some(station) = self.station(line.from)
                    && let Some(tunnel) = station.tunnel()
                {
                    station.helper.renew_tunnel(tunnel, &stop.capability);
                }
            }
            Blow::Govern { who, controller } => {
                self.each_connection(who, |host, now, id| host.set_controller(now, id, choice(controller)));
            }
            Blow::Outage { way, ms: time } => self.world.outage(self.ways[way], now, now + ms(time)),
            Blow::Road { way, ref forth, ref back } => {
                for (lane, to) in self.ways[way].lanes().into_iter().zip([forth, back]) {
                    let to = (**to).clone();
                    self.world.change(lane, move |link| *link = Link { mtu: link.mtu, cost: link.cost, ..to });
                }
            }
            Blow::Move { who } => self.move_host(who),
            Blow::Rebind { who } => {
                self.moves += 1;
                let seen = (place::moved(self.routers[who], self.moves), 50_000 + self.moves).into();
                self.seen_at[who] = Some(seen);
                self.world.rebind(self.hosts[who], self.places[who], seen);
            }
            Blow::Detach { who } => self.each_connection(who, |host, now, id| host.detach(now, id, None)),
            Blow::Attach { who } => {
                let server = self.place(SERVER);
                self.each_connection(who, |host, now, id| {
                    // There may be too many, or none that is settled: then nothing happens.
                    let _ = host.attach(now, id, None, &[server]);
                });
            }
            Blow::SleepHost { who, ms: time } => {
                self.seat(who).into_iter().for_each(|seat| seat.sleep(now, ms(time)));
            }
            Blow::Copies { which, count, flipped } => self.copy(which, count, flipped),
        }
    }

    fn restart(&mut self, which: usize, away: Duration) {
        if self.world.running(self.operators[which].node).is_some() {
            self.stop_helper(which);
            self.start_helper(which, away);
        }
    }

    /// A helper is told to end, and ends when it has told everybody.
    fn drain(&mut self, which: usize, away: Duration) {
        let now = self.world.now();
        let Some(station) = self.station(which) else { return };
        station.helper.drain(now);
        let node = self.operators[which].node;
        // What it says leaves before it ends.
        self.world.run_until(now + Duration::from_millis(1));
        self.world.wait_until(now + DRAINED_AFTER, |world| {
            world.node(node).as_helper().is_none_or(|station| station.helper.has_told_all())
        });
        self.restart(which, away);
    }

    /// A host that asks gets fresh capabilities.
    fn renew(&mut self, who: usize, life: Duration) {
        let Caller { via, flows_max, .. } = self.plan.callers[who - 1].clone();
        for which in via {
            let terms = Terms { life, flows_max, tunnels: false };
            let capability = self.issue(which, ClientTag(who as u64), terms);
            let eid = helper_eid(self.seed, which);
            if let Some(seat) = self.seat(who) {
                seat.host.renew(eid, &capability);
            }
        }
    }

    fn move_host(&mut self, who: usize) {
        self.moves += 1;
        let new = place::moved(self.routers[who], self.moves);
        let old = core::mem::replace(&mut self.places[who], new);
        self.seen_at[who] = None;
        self.world.change_address(self.hosts[who], old, Some(new));
        if who != SERVER {
            return;
        }
        // Those who ask learn where it is.
        let (place, hosts) = (self.place(SERVER), self.hosts.clone());
        self.world.at(self.world.now() + Duration::from_millis(100), move |world| {
            let now = world.now();
            for node in hosts.into_iter().skip(1) {
                let Some(seat) = world.node_mut(node).host() else { continue };
                let shown = seat.now(now);
                for id in seat.host.connections().collect::<Vec<_>>() {
                    seat.host.reach(shown, id, vec![place]);
                }
            }
        });
    }

    /// Copies of what has gone to a helper, a hundred a millisecond, from addresses of nobody.
    fn copy(&mut self, which: usize, count: u64, flipped: bool) {
        let seen: Vec<Vec<u8>> = self.operators[which].seen.borrow().iter().cloned().collect();
        let (lane, to) = (self.operators[which].link.forth(), self.operators[which].address);
        for at in 0..count.min(FLOOD_MAX) {
            let Some(copied) = seen.get(self.rng.below(seen.len().max(1) as u64) as usize) else { return };
            let mut payload = copied.clone();
            if flipped && !payload.is_empty() {
                let bit = self.rng.below(payload.len() as u64 * 8);
                payload[(bit / 8) as usize] ^= 1 << (bit % 8);
            }
            let [a, b, c] = NOBODY;
            let from = SocketAddr::new(IpAddr::from([a, b, c, self.rng.below(40) as u8]), 9);
            self.world.at(self.world.now() + Duration::from_micros(10 * at), move |world| {
                world.inject(lane, from, to, Ecn::NotEct, &payload);
            });
        }
    }

    /// What of the flows of helpers is not as their clients and operators agreed.
    fn disagreement(&self) -> Option<String> {
        let now = self.world.now();
        self.stations().find_map(|(which, station)| {
            let awake = station.is_awake(now, ENDS_WITHIN);
            let helper = &station.helper;
            helper.flow_ids().into_iter().filter_map(|id| helper.flow_status(id)).find_map(|flow| {
                let until = self.until.get(&(flow.client, which)).copied().unwrap_or_default();
                if awake && now > until + ENDS_WITHIN {
                    return Some(format!("helper {which} helps {:?} at {now:?}, until {until:?}", flow.client));
                }
                self.granted_wrongly(which, &flow)
            })
        })
    }

    /// Whether a flow is run as its client asked for, if and only if that is offered.
    fn granted_wrongly(&self, which: usize, flow: &FlowStatus) -> Option<String> {
        let caller = self.plan.callers.get((flow.client.0 as usize).checked_sub(1)?)?;
        let wishes = &caller.wishes[caller.via.iter().position(|via| *via == which)?];
        let (offers, choice) = (&self.plan.posts[which].offers, &flow.near_choice);
        let named = |name: &String| offers.controllers.iter().any(|offered| offered.name() == name);
        let wished = wishes.controller.as_ref().filter(|name| named(name));
        let time = wishes.queue_time.filter(|time| offers.queue_time_max.is_some_and(|most| *time <= most));
        // On a leased link nobody has a choice, and whether it was leased when the flow began is not written down.
        let leases = self.plan.leases(which);
        let controller = choice.controller_asked.then(|| choice.controller.name().to_owned());
        let wrong = match (&controller, wished) {
            (Some(runs), Some(name)) => runs != name,
            (Some(_), None) => true,
            (None, Some(_)) => !leases,
            (None, None) => false,
        };
        let times_differ = choice.queue_time_asked.then_some(choice.queue_time) != time;
        (wrong || times_differ)
            .then(|| format!("helper {which} was asked for {wishes:?}, offers {offers:?}: {choice:?}"))
    }

    fn is_done(&self) -> bool {
        self.seats().all(|seat| seat.party.is_done()) && self.ledger.borrow().unsettled().is_none()
    }

    /// Waits until everybody has been heard of: before that nobody can be found again who moves.
    fn meet(&mut self) -> Result<(), String> {
        let each = 1 + usize::from(self.plan.echoes);
        let expected = |who| each * if who == SERVER { self.plan.callers.len() } else { 1 };
        let expected: Vec<usize> = (0..self.hosts.len()).map(expected).collect();
        let met = move |ride: &Ride| ride.seats().zip(&expected).all(|(seat, most)| seat.host.confirmed() >= *most);
        self.wait(Duration::from_secs(600), met).map(drop)
    }

    /// Waits until everything is said and heard.
    fn finish(&mut self) -> Result<(), String> {
        let asks_again = self.plan.asks_again();
        for _ in 0..PATIENCE.as_secs() / ASKS_AGAIN.as_secs() {
            if self.wait(ASKS_AGAIN, Ride::is_done)? {
                return self.check_answers();
            }
            if asks_again {
                self.ask_more(|_| 1);
            }
        }
        let parties: Vec<String> = self.seats().map(|seat| seat.party.describe()).collect();
        let half = self.ledger.borrow().unsettled();
        Err(format!("not done within {PATIENCE:?}: half {half:?}; {}", parties.join(" | ")))
    }

    fn ask_more(&mut self, mut opens: impl FnMut(usize) -> u32) {
        for who in 0..self.hosts.len() {
            let more = opens(who);
            self.seat(who).into_iter().for_each(|seat| seat.party.ask_more(more));
        }
    }

    /// All that was asked in numbered echoes was answered, each number once.
    fn check_answers(&mut self) -> Result<(), String> {
        let mut sums = (0, 0);
        for who in 0..self.hosts.len() {
            let Some(Seat { host, party, .. }) = self.seat(who) else { continue };
            let (asked, answered) = party.echoes().asked_and_answered(host);
            sums = (sums.0 + asked, sums.1 + answered);
        }
        match sums.0 == sums.1 {
            true => Ok(()),
            false => Err(format!("{} numbers were asked, and {} answered", sums.0, sums.1)),
        }
    }

    /// Nobody has anything left to do, and all forget each other.
    fn part(&mut self) -> Result<(), String> {
        let back_at = self.operators.iter().map(|operator| operator.back_at).max().unwrap_or_default();
        self.pass_until(back_at)?;
        let (now, close) = (self.world.now(), self.plan.end == End::Close);
        for who in 0..self.hosts.len() {
            let Some(seat) = self.seat(who) else { continue };
            seat.note_done(now);
            let shown = seat.now(now);
            seat.party.let_go(shown, &mut seat.host, close && who != SERVER);
        }
        let keeps = self.defect == Defect::Keeps;
        for which in 0..self.operators.len() {
            let Some(station) = self.station(which) else { continue };
            let (tunnel, Some(site)) = (station.tunnel(), &mut station.site) else { continue };
            // One that has been started again since has begun anew.
            site.rest();
            if let (Some(tunnel), true) = (tunnel, site.asks && !keeps) {
                station.helper.close_tunnel(now, tunnel);
            }
        }
        self.verdict()?;
        let idle = self.world.run_until_idle(now + FORGET);
        self.verdict()?;
        let held = self.seats().map(|seat| seat.host.accounting()).find(|held| !held.is_empty());
        let holder = self.stations().find(|(_, station)| !station.helper.is_empty());
        match (held, holder, idle) {
            (None, None, true) => Ok(()),
            (None, None, false) => Err("never idle".into()),
            (Some(held), ..) => Err(format!("something is left: {held:?}")),
            (None, Some((which, station)), _) => {
                Err(format!("helper {which} holds something in the end: {:?}", station.helper.stats()))
            }
        }
    }

    fn run(mut self) -> Result<Figures, String> {
        self.meet()?;
        if self.defect == Defect::Cut {
            let (now, kept) = (self.world.now(), self.plan.configs[0].keep.time.unwrap_or_default());
            for way in self.ways.clone() {
                self.world.outage(way, now, now + 3 * kept);
            }
        }
        for (at_ms, blow) in self.plan.blows.clone() {
            self.pass_until(Instant::from_millis(at_ms))?;
            self.strike(&blow);
            // There is always something to carry across.
            let mut rng = self.rng.fork();
            self.ask_more(|_| rng.below(4) as u32);
        }
        self.pass_until(self.world.now() + TUNNELLED)?;
        for which in 0..self.operators.len() {
            let site = self.station(which).and_then(|station| station.site.as_mut());
            site.into_iter().for_each(Site::rest);
        }
        self.finish()?;
        let done_at = self.world.now();
        self.part()?;
        Ok(self.figures(done_at))
    }

    fn figures(&self, done_at: Instant) -> Figures {
        let mut sum = Gauge::default();
        self.seats().for_each(|seat| sum.add(&seat.gauge));
        let ledger = self.ledger.borrow();
        let (halves, datagrams) = ledger.counts();
        let gone = self.operators.iter().map(|operator| operator.gone.sent_bytes).sum::<u64>();
        Figures {
            runs: 1,
            bytes: ledger.bytes,
            halves,
            datagrams: datagrams + self.books.borrow().came,
            echoes: self.seats().map(|seat| seat.party.echoes().heard()).sum(),
            relayed: gone + self.stations().map(|(_, station)| station.helper.stats().sent_bytes).sum::<u64>(),
            packets: sum.sent,
            heard: sum.heard,
            timeouts: sum.timeouts,
            done_worst: sum.done_worst,
            deaf_worst: sum.deaf_worst,
            virtual_ns: done_at.as_nanos(),
            digest: self.world.digest().unwrap_or_default(),
        }
    }
}

/// What joins a host or a helper to its router: never the limit.
fn beside() -> Link {
    Link::new().rate(10_000_000_000).delay(Duration::from_micros(20))
}

fn identity(seed: u64, who: usize) -> Identity {
    let mut bytes = [0x3c; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    bytes[8] = who as u8;
    Identity::from_seed(bytes)
}

/// A helper's secret, which it may lose so many times.
fn secret(seed: u64, which: usize, lost: u8) -> Secret32 {
    let mut bytes = [0xc3; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    (bytes[8], bytes[9]) = (which as u8, lost);
    Secret32::from_bytes(bytes)
}

fn helper_eid(seed: u64, which: usize) -> tng_base::Eid {
    let mut bytes = [0x33; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    bytes[8] = which as u8;
    Identity::from_seed(bytes).eid()
}

fn seat(seed: u64, who: usize, plan: &Plan, ledger: &Rc<RefCell<Ledger>>, rng: &mut Rng) -> Seat {
    let side = usize::from(who == SERVER);
    let mut host = Host::new(plan.configs[side].clone(), identity(seed, who), rng.bytes::<32>());
    host.listen(SERVICE.0, SERVICE.1, plan.service);
    echoes::register(&mut host, plan.repair, false);
    // No connection ends before its time.
    let habits = (false, plan.echoes, plan.repair);
    let party = Party::new(who, rng.fork(), ledger, plan.work[side].clone(), habits);
    Seat::new(host, party, ledger, plan.clocks[side].clone(), rng.fork())
}

/// One run, judged.
///
/// # Errors
/// What did not hold, in words.
pub(super) fn ride(seed: u64, plan: &Plan, rng: Rng) -> Result<Figures, String> {
    Ride::new(seed, plan, rng, Defect::Nothing).run()
}

#[cfg(test)]
mod tests;
