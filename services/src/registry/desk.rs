//! What a registry decides, apart from what it keeps: who may ask, who is told what, and who meets whom.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::{Eid, Instant};
use tng_stack::{Network, TokenBucket, is_carried};

use super::{
    Answer, Ask, Attended, Denied, Entry, Flaw, Introduced, NONCE_LEN, Policy, REGISTRY_ADDRESSES_MAX, Role, Statement,
    Word,
};
use crate::help::Token;

/// So many are counted before it is looked for the first time who has not asked of late, and is forgotten.
pub const COUNTED_AT_FIRST: usize = 1_024;
/// Hosts whose requests are counted; of more, all begin anew.
pub const PEERS_COUNTED: usize = 65_536;
/// Networks whose requests are counted; of more, all begin anew.
pub const HOSTS_COUNTED: usize = 16_384;
/// Introductions that one host may ask for in a second, in the long run.
pub const INTRODUCES_PER_S: u64 = 1;
/// Introductions that one host may ask for at once.
pub const INTRODUCES_BURST: u64 = 8;
/// Introductions that one host is told of in a second, in the long run.
pub const INTRODUCED_PER_S: u64 = 4;
/// Introductions that one host is told of at once.
pub const INTRODUCED_BURST: u64 = 16;
/// As many of these are for callers of another network than the last one, so that no network uses up all.
pub const INTRODUCED_FOR_OTHERS: u64 = 8;

/// What a registry does for whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeskConfig {
    /// The lease of who asks for none.
    pub lease: Duration,
    /// The longest lease.
    pub lease_max: Duration,
    /// The lease of a succession or a revocation.
    pub standing_lease: Duration,
    /// Requests of one host in a second, in the long run.
    pub per_peer_s: u64,
    /// Requests of one host at once.
    pub per_peer_burst: u64,
    /// Requests from one network (an IPv4 address, an IPv6 /64) in a second, in the long run.
    pub per_network_s: u64,
    /// Requests from one network at once.
    pub per_network_burst: u64,
    /// Hosts that are attended to at once.
    pub attending_max: usize,
}

impl Default for DeskConfig {
    fn default() -> DeskConfig {
        DeskConfig {
            lease: Duration::from_secs(60),
            lease_max: Duration::from_secs(3_600),
            standing_lease: Duration::from_secs(400 * 86_400),
            per_peer_s: 4,
            per_peer_burst: 64,
            per_network_s: 256,
            per_network_burst: 2_048,
            attending_max: 100_000,
        }
    }
}

/// Who asks, and from where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// Its proven identity.
    pub eid: Eid,
    /// Where it is seen, proven as well.
    pub observed: SocketAddr,
    /// How far away it is.
    pub rtt: Duration,
}

/// What somebody else has to hear: an introduction, by the way that its host gave when it began to attend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Push<M> {
    /// The way.
    pub to: M,
    /// The introduction.
    pub introduced: Introduced,
}

/// How often each of many has asked of late.
#[derive(Debug)]
struct Paces<K> {
    of: BTreeMap<K, TokenBucket>,
    per_s: u64,
    burst: u64,
    counted_max: usize,
    /// Of so many those are forgotten who have not asked of late.
    swept_at: usize,
}

impl<K: Ord> Paces<K> {
    const fn new(per_s: u64, burst: u64, counted_max: usize) -> Paces<K> {
        Paces { of: BTreeMap::new(), per_s, burst, counted_max, swept_at: COUNTED_AT_FIRST }
    }

    fn permits(&mut self, now: Instant, who: K) -> bool {
        if self.of.len() >= self.swept_at && !self.of.contains_key(&who) {
            self.sweep(now);
        }
        let Paces { per_s, burst, .. } = *self;
        self.of.entry(who).or_insert_with(|| TokenBucket::new(per_s, burst)).take(now)
    }

    /// Forgets who might ask as much as a newcomer. What is left doubles before the next time, so that each request has
    /// its part in few.
    fn sweep(&mut self, now: Instant) {
        let burst = self.burst;
        // Of a full bucket all may be taken.
        self.of.retain(|_, bucket| !bucket.clone().take_above(now, burst.saturating_sub(1)));
        if self.of.len() >= self.counted_max {
            self.of.clear();
        }
        self.swept_at = (2 * self.of.len()).max(COUNTED_AT_FIRST).min(self.counted_max);
    }
}

/// A host that has a connection here.
#[derive(Debug)]
struct Guest<M> {
    observed: SocketAddr,
    rtt: Duration,
    way: M,
    /// Tells this stay from an earlier one of the host.
    stay: u64,
    told: TokenBucket,
    /// The network whose caller it was told of last.
    told_last: Option<Network>,
}

/// The desk of a registry: a plain value. `M` is a way to tell a host something.
#[derive(Debug)]
pub struct Desk<M> {
    config: DeskConfig,
    own: Eid,
    addresses: Vec<SocketAddr>,
    guests: BTreeMap<Eid, Guest<M>>,
    stays: u64,
    peers: Paces<Eid>,
    networks: Paces<Network>,
    callers: Paces<Eid>,
}

impl<M: Clone> Desk<M> {
    /// The desk of the registry `own`, which is at these addresses.
    pub fn new(config: DeskConfig, own: Eid, addresses: &[SocketAddr]) -> Desk<M> {
        let peers = Paces::new(config.per_peer_s, config.per_peer_burst, PEERS_COUNTED);
        let networks = Paces::new(config.per_network_s, config.per_network_burst, HOSTS_COUNTED);
        let callers = Paces::new(INTRODUCES_PER_S, INTRODUCES_BURST, PEERS_COUNTED);
        let addresses = addresses.iter().take(REGISTRY_ADDRESSES_MAX).copied().collect();
        Desk { config, own, addresses, guests: BTreeMap::new(), stays: 0, peers, networks, callers }
    }

    /// Whether the caller may ask anything now.
    ///
    /// # Errors
    /// [`Denied::TooOften`], by the host or by its network.
    pub fn admit(&mut self, now: Instant, caller: &Caller, ask: &Ask) -> Result<(), Denied> {
        // What is denied to one host costs others of its network nothing.
        let permitted = self.peers.permits(now, caller.eid)
            && (!matches!(ask, Ask::Introduce { .. }) || self.callers.permits(now, caller.eid))
            && self.networks.permits(now, Network::of(caller.observed.ip()));
        if permitted { Ok(()) } else { Err(Denied::TooOften) }
    }

    /// What the store keeps of a statement, and for how many seconds.
    ///
    /// # Errors
    /// If it is not its host's, has expired, or is another's record.
    pub fn entry(
        &self,
        unix_ms: u64,
        caller: &Caller,
        (lease_s, policy): (u32, Policy),
        statement: Statement,
    ) -> Result<(Entry, u32), Denied> {
        let is_record = matches!(statement.word, Word::Here(_));
        if is_record && statement.eid != caller.eid {
            return Err(Denied::NotSigned);
        }
        statement.check(statement.eid, unix_ms / 1_000).map_err(|flaw| match flaw {
            Flaw::Expired { .. } => Denied::Expired,
            Flaw::Signature | Flaw::Stranger { .. } => Denied::NotSigned,
        })?;
        // Who publishes one of the others is perhaps not its host, and hides it from nobody.
        let policy = if is_record { policy } else { Policy::Public };
        let DeskConfig { lease, lease_max, standing_lease, .. } = self.config;
        let wished = Duration::from_secs(lease_s.into());
        let lease = match (is_record, lease_s) {
            (false, _) => standing_lease,
            (true, 0) => lease,
            (true, _) => wished.min(lease_max),
        };
        let lease_s = u32::try_from(lease.as_secs()).unwrap_or(u32::MAX).max(1);
        let addresses = self.addresses.clone();
        let attended = is_record.then_some(Attended { registry: self.own, addresses, observed: caller.observed });
        let until_ms = unix_ms.saturating_add(u64::from(lease_s) * 1_000);
        Ok((Entry { statement, policy, attended, until_ms }, lease_s))
    }

    /// A statement is kept: if its host is here, that is where it is now.
    pub fn note_registered(&mut self, caller: &Caller) {
        if let Some(guest) = self.guests.get_mut(&caller.eid) {
            (guest.observed, guest.rtt) = (caller.observed, caller.rtt);
        }
    }

    /// What is kept of a host that is attended to here, and seen elsewhere than it was; nothing if it is not new.
    pub fn moved(&self, caller: &Caller, mut entry: Entry) -> Option<Entry> {
        let attended = entry.attended.as_mut().filter(|attended| attended.registry == self.own)?;
        if attended.observed == caller.observed || entry.statement.eid != caller.eid {
            return None;
        }
        attended.observed = caller.observed;
        Some(entry)
    }

    /// Attends to a host from now on, in the place of an earlier stay of it. Answers what tells this stay.
    ///
    /// # Errors
    /// [`Denied::Full`].
    pub fn attend(&mut self, caller: &Caller, way: M) -> Result<u64, Denied> {
        if self.guests.len() >= self.config.attending_max && !self.guests.contains_key(&caller.eid) {
            return Err(Denied::Full);
        }
        self.stays += 1;
        let told = TokenBucket::new(INTRODUCED_PER_S, INTRODUCED_BURST);
        let Caller { eid, observed, rtt } = *caller;
        self.guests.insert(eid, Guest { observed, rtt, way, stay: self.stays, told, told_last: None });
        Ok(self.stays)
    }

    /// A stay has ended.
    pub fn leave(&mut self, eid: Eid, stay: u64) {
        if self.guests.get(&eid).is_some_and(|guest| guest.stay == stay) {
            self.guests.remove(&eid);
        }
    }

    /// How many hosts are attended to.
    pub fn attending(&self) -> usize {
        self.guests.len()
    }

    /// What a caller is told of a host.
    pub fn found(&self, caller: Eid, token: Option<&Token>, entry: Option<Entry>) -> Answer {
        match entry.filter(|entry| entry.policy.permits(entry.statement.eid, caller, token)) {
            // Where a carrier leads is an address at this registry alone.
            Some(Entry { statement, attended, .. }) => {
                Answer::Found { statement, attended: attended.filter(|it| !is_carried(it.observed.ip())) }
            }
            None => Answer::Absent,
        }
    }

    /// Introduces a caller to the host of `entry`: what the caller is told, and what the host is. The caller needs no
    /// place here: it is where it asks from.
    ///
    /// # Errors
    /// See [`Denied`].
    pub fn introduce(
        &mut self,
        now: Instant,
        caller: &Caller,
        (nonce, token): ([u8; NONCE_LEN], Option<&Token>),
        entry: Option<&Entry>,
    ) -> Result<(Answer, Option<Push<M>>), Denied> {
        let Caller { eid: caller, observed: seen, rtt: caller_rtt } = *caller;
        let permitted = entry.filter(|entry| entry.policy.permits(entry.statement.eid, caller, token));
        let Some(Entry { statement, .. }) = permitted else { return Ok((Answer::Absent, None)) };
        let called = statement.eid;
        let reached = |guest: &&mut Guest<M>| !is_carried(guest.observed.ip()) && !is_carried(seen.ip());
        let Some(guest) = self.guests.get_mut(&called).filter(|_| called != caller).filter(reached) else {
            return Err(Denied::NotAttended);
        };
        let network = Some(Network::of(seen.ip()));
        let kept = if guest.told_last == network { INTRODUCED_FOR_OTHERS } else { 0 };
        if !guest.told.take_above(now, kept) {
            return Err(Denied::TooOften);
        }
        guest.told_last = network;
        let later = caller_rtt.max(guest.rtt);
        let begin_ms = |rtt: Duration| u16::try_from(((later - rtt) / 2).as_millis()).unwrap_or(u16::MAX);
        let told = |peer, role, rtt, observed| Introduced { peer, role, nonce, begin_ms: begin_ms(rtt), observed };
        let to_caller = told(called, Role::Caller, caller_rtt, guest.observed);
        let push = Push { to: guest.way.clone(), introduced: told(caller, Role::Called, guest.rtt, seen) };
        Ok((Answer::Introduced(to_caller), Some(push)))
    }
}

#[cfg(test)]
mod tests {
    use tng_stack::Identity;

    use super::super::{Record, Succession, TokenHash};
    use super::*;

    const UNIX_MS: u64 = 1_800_000_000_000;
    const NONCE: [u8; NONCE_LEN] = [5; NONCE_LEN];

    fn host(n: u8) -> Identity {
        Identity::from_seed([n; 32])
    }

    fn caller(n: u8) -> Caller {
        let rtt = Duration::from_millis(u64::from(n) * 10);
        Caller { eid: host(n).eid(), observed: ([198, 51, 100, n], 4_860).into(), rtt }
    }

    fn desk() -> Desk<u8> {
        Desk::new(DeskConfig::default(), host(200).eid(), &[([192, 0, 2, 1], 4_860).into()])
    }

    fn record(n: u8) -> Statement {
        let expires_s = UNIX_MS / 1_000 + 60;
        Statement::new(&host(n), Word::Here(Record { number: 1, expires_s, addresses: Vec::new() }))
    }

    fn entry(desk: &Desk<u8>, n: u8, policy: Policy) -> Entry {
        desk.entry(UNIX_MS, &caller(n), (0, policy), record(n)).expect("it is its own").0
    }

    #[test]
    fn a_host_that_is_seen_elsewhere_is_found_there_and_one_that_another_registry_attends_to_is_not_touched() {
        let (desk, here) = (desk(), caller(1));
        let entry = entry(&desk, 1, Policy::Public);
        assert_eq!(desk.moved(&here, entry.clone()), None, "it is where it was");
        let there = Caller { observed: ([203, 0, 113, 9], 9).into(), ..here };
        let moved = desk.moved(&there, entry.clone()).expect("it has moved");
        assert_eq!(moved.attended.as_ref().expect("it is seen").observed, there.observed);
        assert_eq!((&moved.statement, moved.until_ms), (&entry.statement, entry.until_ms));
        let elsewhere = Desk::<u8>::new(DeskConfig::default(), host(201).eid(), &[]);
        assert_eq!(elsewhere.moved(&there, entry), None);
    }

    #[test]
    fn a_record_is_taken_from_its_own_host_alone_and_a_revocation_from_everybody() {
        let desk = desk();
        let put = |by, statement| desk.entry(UNIX_MS, &caller(by), (0, Policy::Public), statement);
        let (entry, lease_s) = put(1, record(1)).expect("its own");
        assert_eq!((entry.until_ms, lease_s), (UNIX_MS + 60_000, 60));
        assert_eq!(entry.attended.expect("it is seen").observed, caller(1).observed);
        assert_eq!(put(2, record(1)), Err(Denied::NotSigned));
        let forged = Statement { eid: host(2).eid(), ..record(1) };
        assert_eq!(put(2, forged), Err(Denied::NotSigned));
        let (revoked, _) = put(2, Statement::new(&host(1), Word::Revoked { made_s: 1 })).expect("signed beforehand");
        assert_eq!(revoked.attended, None, "who publishes it is not the host");
        let succession = Word::Succeeded(Succession::new(host(1).eid(), &host(3), 1));
        assert!(put(3, Statement::new(&host(1), succession)).is_ok());
        let late = Statement::new(&host(1), Word::Here(Record { number: 1, expires_s: 1, addresses: Vec::new() }));
        assert_eq!(put(1, late), Err(Denied::Expired));
    }

    #[test]
    fn nobody_hides_a_revocation_or_a_succession_by_publishing_it_again() {
        let desk = desk();
        let succession = Word::Succeeded(Succession::new(host(1).eid(), &host(3), 1));
        for word in [Word::Revoked { made_s: 1 }, succession] {
            let statement = Statement::new(&host(1), word);
            let hidden = (0, Policy::Listed(Vec::new()));
            let (entry, _) = desk.entry(UNIX_MS, &caller(2), hidden, statement).expect("signed by its host");
            assert!(matches!(desk.found(host(4).eid(), None, Some(entry)), Answer::Found { .. }));
        }
    }

    #[test]
    fn a_lease_is_as_long_as_it_is_wished_for_within_bounds() {
        let desk = desk();
        let lease = |s| desk.entry(UNIX_MS, &caller(1), (s, Policy::Public), record(1)).expect("its own").1;
        assert_eq!([lease(0), lease(1), lease(600), lease(u32::MAX)], [60, 1, 600, 3_600]);
    }

    #[test]
    fn who_may_not_know_is_told_what_is_told_of_a_host_that_is_not_there() {
        let desk = desk();
        let token = Token::new("sesame").expect("a token");
        let entry = entry(&desk, 1, Policy::Token(TokenHash::of(&token)));
        let found = |token| desk.found(host(2).eid(), token, Some(entry.clone()));
        assert!(matches!(found(Some(&token)), Answer::Found { .. }));
        assert_eq!(found(None), Answer::Absent);
        assert_eq!(desk.found(host(2).eid(), None, None), Answer::Absent);
    }

    #[test]
    fn both_sides_are_told_where_the_other_is_seen_and_when_both_will_have_heard() {
        let mut desk = desk();
        let entry = entry(&desk, 1, Policy::Public);
        desk.attend(&caller(1), 1).expect("there is room");
        let (answer, push) =
            desk.introduce(Instant::ZERO, &caller(2), (NONCE, None), Some(&entry)).expect("both are here");
        let told = |n: u8, role, begin_ms| Introduced {
            peer: caller(n).eid,
            role,
            nonce: NONCE,
            begin_ms,
            observed: caller(n).observed,
        };
        assert_eq!(answer, Answer::Introduced(told(1, Role::Caller, 0)));
        assert_eq!(push, Some(Push { to: 1, introduced: told(2, Role::Called, 5) }), "the nearer one waits");
    }

    #[test]
    fn only_hosts_that_are_attended_to_are_called_and_only_by_whom_they_let_know() {
        let mut desk = desk();
        let open = entry(&desk, 1, Policy::Public);
        let hidden = entry(&desk, 1, Policy::Listed(Vec::new()));
        let introduce =
            |desk: &mut Desk<u8>, entry: &Entry| desk.introduce(Instant::ZERO, &caller(2), (NONCE, None), Some(entry));
        assert_eq!(introduce(&mut desk, &open), Err(Denied::NotAttended), "the called is not here");
        let stay = desk.attend(&caller(1), 1).expect("there is room");
        assert!(introduce(&mut desk, &open).is_ok(), "control");
        assert_eq!(introduce(&mut desk, &hidden), Ok((Answer::Absent, None)));
        desk.leave(host(1).eid(), stay);
        assert_eq!(introduce(&mut desk, &open), Err(Denied::NotAttended), "it has left");
        let first = desk.attend(&caller(1), 1).expect("there is room");
        desk.attend(&caller(1), 1).expect("again");
        desk.leave(host(1).eid(), first);
        assert!(introduce(&mut desk, &open).is_ok(), "the end of an earlier stay is not that of the later one");
    }

    #[test]
    fn processes_of_one_key_are_each_introduced_from_where_they_ask_and_a_server_among_them_keeps_its_place() {
        let mut desk = desk();
        let entry = entry(&desk, 1, Policy::Public);
        for n in [1, 2] {
            desk.attend(&caller(n), n).expect("there is room");
        }
        for port in [1, 2, 3] {
            let asking = Caller { observed: ([198, 51, 100, 2], port).into(), ..caller(2) };
            let (_, push) = desk.introduce(Instant::ZERO, &asking, (NONCE, None), Some(&entry)).expect("both are here");
            assert_eq!(push.expect("the called is told").introduced.observed, asking.observed);
        }
        let served = self::entry(&desk, 2, Policy::Public);
        let (answer, _) = desk.introduce(Instant::ZERO, &caller(3), (NONCE, None), Some(&served)).expect("it is here");
        assert!(matches!(answer, Answer::Introduced(told) if told.observed == caller(2).observed));
    }

    #[test]
    fn of_a_host_that_comes_by_a_carrier_nobody_is_told_where_it_is_seen() {
        let mut desk = desk();
        let carried = Caller { observed: "[104:c633:6401::9]:4860".parse().expect("an address"), ..caller(1) };
        let (entry, _) = desk.entry(UNIX_MS, &carried, (0, Policy::Public), record(1)).expect("its own");
        let found = desk.found(host(2).eid(), None, Some(entry.clone()));
        assert_eq!(found, Answer::Found { statement: record(1), attended: None });
        for (one, other) in [(carried, caller(2)), (caller(1), Caller { observed: carried.observed, ..caller(2) })] {
            desk.attend(&one, 1).expect("there is room");
            let introduced = desk.introduce(Instant::ZERO, &other, (NONCE, None), Some(&entry));
            assert_eq!(introduced, Err(Denied::NotAttended));
        }
    }

    #[test]
    fn a_host_is_told_of_so_many_introductions_and_a_caller_asks_for_so_many() {
        let mut desk = desk();
        let entry = entry(&desk, 1, Policy::Public);
        desk.attend(&caller(1), 1).expect("there is room");
        let mut told = |now: Instant, n: u8, times: usize| {
            let introduced = |_: &usize| desk.introduce(now, &caller(n), (NONCE, None), Some(&entry)).is_ok();
            (0..times).filter(introduced).count() as u64
        };
        assert_eq!(told(Instant::ZERO, 2, 100), INTRODUCED_BURST - INTRODUCED_FOR_OTHERS);
        assert_eq!(told(Instant::ZERO, 3, 1), 1, "another network finds room");
        let meanwhile: u64 = (1..=100).map(|n| told(Instant::from_millis(n * 100), 2, 1)).sum();
        assert!((35..=40).contains(&meanwhile), "as often as in the long run: {meanwhile}");
        assert_eq!(told(Instant::from_secs(10), 3, 1), 1, "however long the first goes on");
        let by_turns: u64 = (0..100).map(|n| told(Instant::from_secs(100), 2 + n % 2, 1)).sum();
        assert_eq!(by_turns, INTRODUCED_BURST, "and no more than these in all");
        let ask = Ask::Introduce { eid: host(1).eid(), nonce: NONCE, token: None };
        let asked = (0..100).filter(|_| desk.admit(Instant::ZERO, &caller(2), &ask).is_ok()).count() as u64;
        assert_eq!(asked, INTRODUCES_BURST);
    }

    #[test]
    fn a_flood_of_one_host_or_of_one_network_leaves_others_their_answers() {
        let mut desk = desk();
        let ask = Ask::LookUp { eid: host(1).eid(), token: None };
        let mut admitted = |eid: Eid, ip: [u8; 4], count: usize| {
            let caller = Caller { eid, observed: (ip, 1).into(), rtt: Duration::ZERO };
            (0..count).filter(|_| desk.admit(Instant::ZERO, &caller, &ask).is_ok()).count() as u64
        };
        let config = DeskConfig::default();
        assert_eq!(admitted(host(1).eid(), [192, 0, 2, 1], 10_000), config.per_peer_burst);
        assert_eq!(admitted(host(2).eid(), [192, 0, 2, 1], 1), 1, "not even others behind the same NAT are denied");
        let many: u64 = (0..3_000u16)
            .map(|n| {
                let mut bytes = [9; 32];
                bytes[..2].copy_from_slice(&n.to_be_bytes());
                admitted(Eid::from_bytes(bytes), [192, 0, 2, 3], 1)
            })
            .sum();
        assert_eq!(many, config.per_network_burst, "however many keys it makes");
        assert_eq!(admitted(host(2).eid(), [192, 0, 2, 2], 1), 1);
    }

    #[test]
    fn who_has_not_asked_of_late_is_forgotten_and_who_has_is_not() {
        let mut paces = Paces::new(1, 8, PEERS_COUNTED);
        let often = |paces: &mut Paces<u32>, now| (0..20).filter(|_| paces.permits(now, u32::MAX)).count();
        // A newcomer each 10 ms, for longer than a table of all has room.
        for n in 0..200_000_u32 {
            let now = Instant::from_millis(10 * u64::from(n));
            assert!(paces.permits(now, 1_000 + n));
            assert!(paces.of.len() <= 2 * COUNTED_AT_FIRST, "{}", paces.of.len());
        }
        let end = Instant::from_millis(2_000_000);
        assert_eq!(often(&mut paces, end), 8);
        for n in 0..4 * COUNTED_AT_FIRST as u32 {
            assert!(paces.permits(end, 500_000 + n));
        }
        assert_eq!(often(&mut paces, end), 0, "it has asked as often as it may");
    }

    #[test]
    fn no_more_hosts_are_attended_to_than_there_are_places() {
        let config = DeskConfig { attending_max: 1, ..DeskConfig::default() };
        let mut desk = Desk::new(config, host(200).eid(), &[]);
        assert!(desk.attend(&caller(1), 1).is_ok() && desk.attend(&caller(1), 1).is_ok());
        assert_eq!(desk.attend(&caller(2), 2), Err(Denied::Full));
    }
}
