//! One run: the world of a plan, what befalls it, and what must hold at every moment and at the end.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::{Instant, Rng};
use tng_sim::topology::{A, B, ipv4};
use tng_sim::{LinkId, NodeId, PORT, World};
use tng_stack::{ConnectionId, Host, Identity, Target};

use super::blow::{Blow, Seen, look_on};
use super::ledger::Ledger;
use super::party::{Party, SERVICE};
use super::passage::Passage;
use super::plan::{End, Plan};
use super::seat::{Gauge, Seat};
use super::soak::{Held, Soaked};
use super::{Figures, echoes};

/// The second address of the party that asks.
pub(super) const A2: IpAddr = ipv4(20);

/// Where further parties are.
const CROWD: u16 = 40;

/// Time for everything to be said and heard once nothing more befalls anybody.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// After this time who asks does so again, where that is needed.
const ASKS_AGAIN: Duration = Duration::from_secs(60);

/// Time for both sides to forget each other.
const FORGET: Duration = Duration::from_secs(2_000);

/// A run under way.
pub(super) struct Ride {
    pub world: World<Seat>,
    pub link: LinkId,
    pub second: Option<LinkId>,
    pub seen: Seen,
    nodes: Vec<NodeId>,
    places: Vec<IpAddr>,
    /// What others see of the party that asks, behind its NAT.
    seen_at: Option<SocketAddr>,
    /// How often anybody has moved.
    moves: u16,
    /// Processes that each party has had.
    lives: Vec<u32>,
    ledger: Rc<RefCell<Ledger>>,
    plan: Plan,
    rng: Rng,
    seed: u64,
    /// Events of processes that are gone.
    gone: Gauge,
}

impl Passage for Ride {
    type Party = Seat;

    fn world(&mut self) -> &mut World<Seat> {
        &mut self.world
    }

    fn verdict(&self) -> Result<(), String> {
        self.ledger.borrow().verdict().map_or(Ok(()), |wrong| Err(wrong.to_owned()))
    }
}

impl Ride {
    pub fn new(seed: u64, plan: Plan, mut rng: Rng) -> Ride {
        let ledger = Rc::new(RefCell::new(Ledger::default()));
        let parties = 2 + plan.crowd;
        ledger.borrow_mut().parties = (0..parties).map(|index| identity(seed, index).eid()).collect();
        let mut world = World::new(seed);
        world.record_digest();
        let mut ride_rng = rng.fork();
        let seat = |index, rng: &mut Rng| seat(seed, index, 0, &plan, &ledger, rng);
        let (a, b) = (seat(0, &mut ride_rng), seat(1, &mut ride_rng));
        let (a, b) = (world.host("a", &[], a), world.host("b", &[B], b));
        let link = world.connect_with(a, b, &plan.roads[0].0, &plan.roads[0].1);
        world.add_address(a, A, Some(link));
        let second = plan.roads.get(1).map(|(forth, back)| {
            let second = world.connect_with(a, b, forth, back);
            world.add_address(a, A2, Some(second));
            second
        });
        let (mut nodes, mut places) = (vec![a, b], vec![A, B]);
        for index in 2..parties {
            let place = ipv4(CROWD + index as u16);
            let node = world.host("c", &[place], seat(index, &mut ride_rng));
            world.connect_with(node, b, &plan.roads[0].0, &plan.roads[0].1);
            nodes.push(node);
            places.push(place);
        }
        let lives = vec![0; parties];
        let (seen, gone) = (Seen::default(), Gauge::default());
        let mut ride = Ride {
            world,
            link,
            second,
            seen,
            nodes,
            places,
            seen_at: None,
            moves: 0,
            lives,
            ledger,
            plan,
            rng,
            seed,
            gone,
        };
        for index in (0..parties).filter(|index| *index != 1) {
            ride.call(index, 1);
        }
        if ride.plan.crossed {
            ride.call(1, 0);
        }
        if ride.plan.onlooker {
            ride.seen = look_on(&mut ride);
        }
        ride
    }

    /// A party dials another, now and whenever it is cut off.
    fn call(&mut self, from: usize, to: usize) {
        let target = self.target(to);
        let again = self.plan.may_lose;
        if let Some(seat) = self.seat(from) {
            if again {
                seat.party.dial_again(target.clone());
            }
            seat.party.dial(target);
        }
    }

    /// A party's host, if it runs.
    pub fn seat(&mut self, who: usize) -> Option<&mut Seat> {
        let node = *self.nodes.get(who)?;
        self.world.running(node)?;
        Some(self.world.node_mut(node))
    }

    /// Where a party is now.
    pub fn place(&self, who: usize) -> SocketAddr {
        self.seen_at.filter(|_| who == 0).unwrap_or_else(|| (self.places[who], PORT).into())
    }

    pub fn target(&self, who: usize) -> Target {
        let eid = self.ledger.borrow().parties[who];
        Target { eid, addresses: vec![self.place(who)], capability: None, via: Vec::new() }
    }

    /// Does something with every connection of a party.
    pub fn each_connection(&mut self, who: usize, mut f: impl FnMut(&mut Host, Instant, ConnectionId)) {
        let now = self.world.now();
        let Some(seat) = self.seat(who) else { return };
        let shown = seat.now(now);
        for id in seat.host.connections().collect::<Vec<_>>() {
            f(&mut seat.host, shown, id);
        }
    }

    /// A party's address changes.
    pub fn move_party(&mut self, who: usize) {
        self.moves += 1;
        let new = ipv4(100 + self.moves);
        let old = core::mem::replace(&mut self.places[who], new);
        if who == 0 {
            self.seen_at = None;
        }
        self.world.change_address(self.nodes[who], old, Some(new));
    }

    /// The NAT of the party that asks forgets.
    pub fn rebind(&mut self) {
        self.moves += 1;
        let seen = (ipv4(100 + self.moves), 50_000 + self.moves).into();
        self.seen_at = Some(seen);
        self.world.rebind(self.nodes[0], self.places[0], seen);
    }

    /// The hosts that ask learn where the other one is.
    pub fn tell_where(&mut self, at: Instant) {
        let (place, target) = (self.place(1), self.target(1));
        let askers: Vec<NodeId> =
            self.nodes.iter().enumerate().filter(|(who, _)| *who != 1).map(|(_, node)| *node).collect();
        let again = self.plan.may_lose;
        self.world.at(at, move |world| {
            let now = world.now();
            for node in askers {
                if world.running(node).is_none() {
                    continue;
                }
                let seat = world.node_mut(node);
                let shown = seat.now(now);
                for id in seat.host.connections().collect::<Vec<_>>() {
                    seat.host.reach(shown, id, vec![place]);
                }
                if again {
                    seat.party.dial_again(target.clone());
                }
            }
        });
    }

    /// A process ends; the next begins with the same key, and nothing else.
    pub fn restart(&mut self, who: usize, away: Duration) {
        let Some(gone) = self.world.stop(self.nodes[who]) else { return };
        self.note_gone(&gone);
        self.ledger.borrow_mut().lose_party(who);
        self.lives[who] += 1;
        let mut fresh = seat(self.seed, who, self.lives[who], &self.plan, &self.ledger, &mut self.rng);
        let to = if who != 1 { Some(1) } else { self.plan.crossed.then_some(0) };
        if let Some(to) = to {
            fresh.party.dial_again(self.target(to));
            fresh.party.dial(self.target(to));
        }
        let node = self.nodes[who];
        self.world.at(self.world.now() + away, move |world| world.start(node, fresh));
    }

    fn note_gone(&mut self, seat: &Seat) {
        self.gone.add(&seat.gauge);
    }

    /// Waits until everything is said and heard: whether it was in time.
    fn finish(&mut self) -> Result<bool, String> {
        if !self.plan.asks_again {
            return self.wait(PATIENCE, Ride::is_done);
        }
        for _ in 0..PATIENCE.as_secs() / ASKS_AGAIN.as_secs() {
            if self.wait(ASKS_AGAIN, Ride::is_done)? {
                return Ok(true);
            }
            if let Some(seat) = self.seat(0) {
                seat.party.ask_more(1);
            }
        }
        self.wait(PATIENCE, Ride::is_done)
    }

    fn seats(&self) -> impl Iterator<Item = &Seat> {
        self.nodes.iter().filter_map(|node| self.world.running(*node))
    }

    fn is_done(&self) -> bool {
        self.seats().count() == self.nodes.len()
            && self.seats().all(|seat| seat.party.is_done())
            && self.ledger.borrow().unsettled().is_none()
    }

    /// Where no connection was lost, all that was asked in numbered echoes was answered, each number once.
    fn check_answers(&mut self) -> Result<(), String> {
        let mut sums = (0, 0);
        for who in 0..self.nodes.len() {
            let Some(Seat { host, party, .. }) = self.seat(who) else { continue };
            let (asked, answered) = party.echoes().asked_and_answered(host);
            sums = (sums.0 + asked, sums.1 + answered);
        }
        match sums.0 == sums.1 || self.plan.may_lose {
            true => Ok(()),
            false => Err(format!("{} numbers were asked, and {} answered", sums.0, sums.1)),
        }
    }

    /// What still waits, in words.
    fn waiting(&self) -> String {
        let parties: Vec<String> = self.seats().map(|seat| seat.party.describe()).collect();
        format!("half {:?}; {}", self.ledger.borrow().unsettled(), parties.join(" | "))
    }

    /// The whole run.
    ///
    /// # Errors
    /// What did not hold, in words.
    pub fn run(mut self) -> Result<Figures, String> {
        self.meet()?;
        let blows = self.take_blows();
        let quiet_from = self.round(&blows, Instant::ZERO)?;
        let done_at = self.world.now();
        self.part(quiet_from)?;
        if !self.forget(FORGET)? {
            let left: Vec<_> = self.seats().map(|seat| seat.host.accounting()).collect();
            return Err(format!("never idle: {left:?}"));
        }
        match self.seats().find(|seat| holds(seat)) {
            Some(seat) => Err(format!("something is left: {:?}, {}", seat.host.accounting(), seat.party.describe())),
            None => Ok(self.figures(done_at)),
        }
    }

    /// The same for so many rounds; in each, all befalls them again. After every `parted_each`th they part and forget
    /// each other, and then begin anew.
    ///
    /// # Errors
    /// What did not hold, in words.
    pub fn soak(
        mut self,
        rounds: u64,
        parted_each: u64,
        forget: Duration,
        tell: &dyn Fn(u64),
    ) -> Result<Soaked, String> {
        self.meet()?;
        let blows = self.take_blows();
        let (mut soaked, mut begins) = (Soaked::default(), Instant::ZERO);
        for round in 1..=rounds {
            let quiet_from = self.round(&blows, begins)?;
            soaked.rounds.push(self.held());
            if round.is_multiple_of(parted_each) || round == rounds {
                self.part(quiet_from)?;
                self.forget(forget)?;
                soaked.partings.push(self.held());
                soaked.left = soaked.left.max(self.seats().filter(|seat| holds(seat)).count());
                self.begin_anew()?;
            }
            for who in 0..self.nodes.len() {
                if let Some(seat) = self.seat(who) {
                    seat.party.ask_more(1);
                }
            }
            begins = self.world.now().max(quiet_from);
            tell(round);
        }
        soaked.figures = self.figures(begins);
        Ok(soaked)
    }

    /// After they have parted the roads are again as they were in the beginning, the hosts that ask do so again, and
    /// all meet.
    fn begin_anew(&mut self) -> Result<(), String> {
        for (link, (forth, back)) in [Some(self.link), self.second].into_iter().flatten().zip(&self.plan.roads) {
            for (lane, road) in link.lanes().into_iter().zip([forth, back]) {
                self.world.change(lane, |now| road.clone_into(now));
            }
        }
        for who in 0..self.nodes.len() {
            let may_lose = self.plan.may_lose;
            let Some(seat) = self.seat(who) else { continue };
            seat.note_busy();
            seat.party.begin_anew(may_lose);
            if who != 1 {
                self.call(who, 1);
            } else if self.plan.crossed {
                self.call(1, 0);
            }
        }
        self.meet()
    }

    /// Waits until everybody has been heard of again by whom it dials: before that there is nobody whom anything could
    /// befall. What is only half open at one end does not outlive it if the other moves, or is not heard of for the
    /// idle timeout: the INIT that comes again, from elsewhere or too late, begins another connection, and the first
    /// ends idle. Nothing was promised on it to anybody.
    fn meet(&mut self) -> Result<(), String> {
        let met = |ride: &Ride| {
            let asked_both_ways = usize::from(ride.plan.crossed);
            let (crowd, each) = (ride.plan.crowd, 1 + usize::from(ride.plan.echoes));
            let calls = |who| [1 + asked_both_ways, 1 + asked_both_ways + crowd].get(who).copied().unwrap_or(1);
            let expected = |who| each * calls(who);
            ride.seats().enumerate().all(|(who, seat)| seat.host.confirmed() >= expected(who))
        };
        self.wait(Duration::from_secs(600), met).map(drop)
    }

    /// What is going to happen, in order of time.
    fn take_blows(&mut self) -> Vec<(u64, Blow)> {
        let mut blows = core::mem::take(&mut self.plan.blows);
        blows.sort_by_key(|(at_ms, _)| *at_ms);
        blows
    }

    /// All of that happens, counted from `begins`, and everything is said and heard: since when nothing is under way.
    fn round(&mut self, blows: &[(u64, Blow)], begins: Instant) -> Result<Instant, String> {
        for (at_ms, blow) in blows {
            self.pass_until(begins + Duration::from_millis(*at_ms))?;
            let mut rng = self.rng.fork();
            blow.strike(self, &mut rng);
            // There is always something to carry across.
            for who in 0..self.nodes.len() {
                let opens = rng.below(3) as u32;
                if let Some(seat) = self.seat(who) {
                    seat.party.ask_more(opens);
                }
            }
        }
        if !self.finish()? {
            return Err(format!("not done within {} s: {}", PATIENCE.as_secs(), self.waiting()));
        }
        self.check_answers()?;
        // What was held up may come all at once yet, and be answered.
        let holds = blows.iter().map(|(at_ms, blow)| at_ms + if let Blow::Hold { ms } = blow { *ms } else { 0 });
        Ok(self.world.now().max(begins + Duration::from_millis(holds.max().unwrap_or(0))))
    }

    /// Nobody has anything left to do.
    fn part(&mut self, quiet_from: Instant) -> Result<(), String> {
        let now = self.world.now();
        for who in 0..self.nodes.len() {
            let close = self.plan.end == End::Close && (who != 1 || self.plan.crossed);
            let Some(seat) = self.seat(who) else { continue };
            seat.note_done(quiet_from);
            let shown = seat.now(now);
            seat.party.let_go(shown, &mut seat.host, close);
        }
        self.verdict()
    }

    /// Both sides forget each other: whether they fell silent.
    fn forget(&mut self, time: Duration) -> Result<bool, String> {
        let until = self.world.now() + time;
        let idle = self.world.run_until_idle(until);
        self.verdict().map(|()| idle)
    }

    /// What is held now.
    fn held(&self) -> Held {
        let none = Held { at_s: self.world.now().as_secs_f64(), ..Held::default() };
        self.seats().map(|seat| seat.host.accounting()).fold(none, |sum, held| Held {
            connections: sum.connections + held.connections,
            channels: sum.channels + held.channels,
            memory: sum.memory + held.memory.0,
            ..sum
        })
    }

    fn figures(&self, done_at: Instant) -> Figures {
        let mut sum = self.gone;
        self.seats().for_each(|seat| sum.add(&seat.gauge));
        let ledger = self.ledger.borrow();
        let (halves, datagrams) = ledger.counts();
        Figures {
            runs: 1,
            bytes: ledger.bytes,
            halves,
            datagrams,
            echoes: self.seats().map(|seat| seat.party.echoes().heard()).sum(),
            relayed: 0,
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

/// Whether a host or its application still holds anything.
fn holds(seat: &Seat) -> bool {
    !seat.host.accounting().is_empty() || seat.party.talks() > 0
}

fn identity(seed: u64, index: usize) -> Identity {
    let mut bytes = [0x5a; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    bytes[8] = index as u8;
    Identity::from_seed(bytes)
}

/// A party's host in one of its lives.
fn seat(seed: u64, index: usize, life: u32, plan: &Plan, ledger: &Rc<RefCell<Ledger>>, rng: &mut Rng) -> Seat {
    let side = usize::from(index == 1);
    let mut secret = [0xa5; 32];
    secret[..8].copy_from_slice(&seed.to_be_bytes());
    secret[8] = index as u8;
    secret[9..13].copy_from_slice(&life.to_be_bytes());
    let mut host = Host::new(plan.configs[side].clone(), identity(seed, index), secret);
    host.listen(SERVICE.0, SERVICE.1, plan.service);
    echoes::register(&mut host, plan.repair, !plan.onlooker);
    let habits = (plan.may_lose, plan.echoes, plan.repair);
    let party = Party::new(index, rng.fork(), ledger, plan.work[side].clone(), habits);
    Seat::new(host, party, ledger, plan.clocks[side].clone(), rng.fork())
}

#[cfg(test)]
mod tests {
    use tng_sim::Link;
    use tng_stack::HostConfig;

    use super::super::Family;
    use super::super::clock::Clock;
    use super::super::echoes::Repair;
    use super::super::party::Work;
    use super::*;

    /// A run of the family roads with numbered echoes.
    fn run(seed: u64, repair: Repair) -> Result<Figures, String> {
        let mut rng = Rng::from_u64(seed);
        let plan = Plan { echoes: true, repair, ..Plan::draw(Family::Roads, &mut rng, Rng::from_u64(!seed)) };
        Ride::new(seed, plan, rng).run()
    }

    /// Four rounds, each longer than an idle timeout; in each, the host that asks moves.
    #[test]
    fn who_has_parted_has_met_again_before_anything_befalls_it() {
        for seed in 0..10 {
            let mut rng = Rng::from_u64(seed);
            let plan = Plan::draw(Family::Trees, &mut rng, Rng::from_u64(!seed));
            let idle = |config: HostConfig| HostConfig { idle_timeout: Some(Duration::from_secs(10)), ..config };
            let road = Link::new().rate(2_000_000).delay(Duration::from_millis(60));
            let nothing = Blow::Mtu { forth: None, back: None };
            let plan = Plan {
                roads: vec![(road.clone(), road)],
                configs: plan.configs.map(idle),
                clocks: [Clock::PERFECT, Clock::PERFECT],
                blows: vec![(20, Blow::Move), (12_000, nothing)],
                ..plan
            };
            let soaked = Ride::new(seed, plan, rng).soak(4, 2, FORGET, &|_| {});
            assert_eq!(soaked.map(|soaked| soaked.left), Ok(0), "seed {seed}");
        }
    }

    /// What has been idle begins with a full window, and that nothing passes any more it cannot know.
    #[test]
    fn who_was_idle_and_begins_when_nothing_passes_is_no_storm() {
        for seed in 0..12 {
            let mut rng = Rng::from_u64(seed);
            let plan = Plan::draw(Family::Trees, &mut rng, Rng::from_u64(!seed));
            let [work, other] = plan.work;
            let work = [
                Work { opens: 32, size_max: 500, datagrams: 60, datagram_max: 30_000, ..work },
                Work { opens: 0, ..other },
            ];
            let idle = |config| HostConfig { idle_timeout: Some(Duration::from_secs(30)), keep_alive: None, ..config };
            let road = |rate, delay| Link::new().rate(rate).delay(Duration::from_millis(delay));
            let outage = Blow::Outage { first: true, second: true, ms: 6_000 };
            let plan = Plan {
                roads: vec![(road(2_000_000, 1), road(10_000_000, 60))],
                configs: plan.configs.map(idle),
                work,
                clocks: [Clock::PERFECT, Clock::PERFECT],
                blows: vec![(15_000, outage); 4],
                echoes: false,
                ..plan
            };
            assert_eq!(Ride::new(seed, plan, rng).run().err(), None, "seed {seed}");
        }
    }

    #[test]
    fn a_protocol_that_does_not_repair_what_is_lost_is_found_out() {
        let outcomes = |repair| (0..12).filter_map(move |seed| run(seed, repair).err()).collect::<Vec<_>>();
        assert_eq!(outcomes(Repair::On), Vec::<String>::new());
        let failures = outcomes(Repair::Off);
        assert!(failures.len() >= 6, "{failures:?}");
        // Whose numbers are missing waits in vain, or is given up.
        let found_out = |failure: &String| failure.contains("not done") || failure.contains("cut off");
        assert!(failures.iter().all(found_out), "{failures:?}");
    }
}
