//! A server answers the same whatever it remembers: caches save work, and nothing else.

use std::collections::BTreeMap;

use super::*;

/// Bytes of a link of a chain.
const LINK: u64 = 32;

/// Objects that are chains: each link is computed of the one before, so that the middle of one cannot be had without
/// all before it. What asks for one says its name and length; what is sealed is no more than that and the object's sum.
#[derive(Default)]
struct Chains {
    /// Links that were computed.
    work: u64,
    /// The same, by who asked.
    work_by: BTreeMap<SocketAddr, u64>,
}

fn next(link: u64) -> u64 {
    link.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(*bytes.first_chunk().unwrap())
}

impl Chains {
    /// The link of a chain at `to`, from another of it.
    fn link(&mut self, client: SocketAddr, (from, link): (u64, u64), to: u64) -> u64 {
        self.work += to - from;
        *self.work_by.entry(client).or_default() += to - from;
        (from..to).fold(link, |link, _| next(link))
    }

    fn send(&mut self, state: &[u8], start: u64, range: Range<u64>, answer: &mut Answer<'_>) {
        let (client, chain) = (answer.client().remote, number(state));
        let (first, at) = ((range.start - start) / LINK, |link: u64| [state, &link.to_be_bytes()].concat());
        let from = answer.resumed(&at(first)).map_or((0, chain), |link| (first, number(&link)));
        let mut reached = (first, self.link(client, from, first));
        let end = answer.send_with(range, |from, buf| {
            for (byte, place) in buf.iter_mut().zip(from - start..) {
                let of = place / LINK;
                reached = (of, self.link(client, reached, of));
                *byte = reached.1.to_be_bytes()[(place % 8) as usize];
            }
            Ok::<(), core::convert::Infallible>(())
        });
        let goes_on = (end.unwrap() - start) / LINK;
        let link = self.link(client, reached, goes_on);
        answer.suspend(&at(goes_on), goes_on, &link.to_be_bytes());
    }
}

impl Application for Chains {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, is_end: true, reserved, data, .. } => {
                if !answer.may_compute(object, data, &(0..0), 9) {
                    return;
                }
                let (chain, len, client) = (number(data), number(&data[8..]), answer.client().remote);
                let name = [b"sum ", data].concat();
                let sum = answer.remembered(&name).unwrap_or_else(|| {
                    let links = len / LINK;
                    let last = self.link(client, (0, chain), links).to_be_bytes();
                    // The state is the number of links beside: more than the output.
                    let kept = Kept::smaller(&[&last[..], &links.to_be_bytes()].concat(), &last);
                    answer.remember(&name, links, kept.clone());
                    kept
                });
                let state = [data, sum.bytes()].concat();
                let end = reserved.end.min(reserved.start + len);
                answer.output(object, reserved.start..end, &state);
                answer.skip(end..reserved.end);
                self.send(&state, reserved.start, reserved.start..end, answer);
            }
            Asked::Want { state, valid, ranges, .. } => {
                ranges.iter().for_each(|range| self.send(state, valid.start, range, answer));
            }
            _ => {}
        }
    }
}

fn serving(config: ServerConfig) -> Host<Chains> {
    let now = Instant::from_secs(105);
    Host::serving(Chains::default(), 1, config, now, WallClock::set(now, wall(Duration::from_secs(60))))
}

fn ask_for(chain: u64, len: u64) -> Vec<u8> {
    let (input, reserved) = (&[][..], AT..AT + OBJECT_LEN);
    let data = [chain.to_be_bytes(), len.to_be_bytes()].concat();
    asks(|writer| Ask::Put { object: 4, input, offset: 0, is_end: true, reserved, data: &data }.emit(writer).unwrap())
}

/// What has been told of an object from its beginning on without a gap.
fn reached(client: &ByHand) -> u64 {
    let mut got: Vec<(u64, u64)> = client.got.iter().map(|(start, data)| (*start, start + data.len() as u64)).collect();
    got.sort_unstable();
    got.into_iter().fold(AT, |end, (start, to)| if start <= end { end.max(to) } else { end })
}

/// Asks for what comes next of an object.
fn go_on(host: &mut Host<Chains>, client: &mut ByHand, len: u64) -> bool {
    let start = reached(client);
    if start >= AT + len || client.held.is_empty() {
        return false;
    }
    let output = client.outputs[0].1.clone();
    let want = asks(|writer| Ask::emit_want(&output, &[Range { start, end: AT + len }], writer).unwrap());
    client.spend(host, &want);
    true
}

const LEN: u64 = 60_000;

/// The objects of each client by place, and their bytes.
type Fetched = Vec<Vec<(u64, Vec<u8>)>>;

/// Six clients fetch three chains by turns. Answers what they get, what that takes, and what caches have done.
fn fetch(caches: CacheConfig, lose: Option<(u64, f64)>) -> (Fetched, u64, CachesCounts) {
    let mut host = serving(ServerConfig { caches, ..ServerConfig::default() });
    let mut rng = Rng::from_u64(lose.map_or(0, |(seed, _)| seed));
    let mut forget = |host: &mut Host<Chains>| {
        if let Some((_, chance)) = lose {
            host.server.lose_caches(&mut rng, chance);
        }
    };
    let mut clients: Vec<ByHand> = (0..6)
        .map(|which| {
            forget(&mut host);
            let mut client = ByHand::new(&mut host, which, ask_for(which % 3, LEN));
            client.spend(&mut host, b"");
            client
        })
        .collect();
    while clients.iter_mut().fold(false, |goes, client| {
        forget(&mut host);
        go_on(&mut host, client, LEN) | goes
    }) {
        host.now += Duration::from_millis(20);
    }
    for client in &clients {
        assert_eq!((reached(client) - AT, client.faults.len()), (LEN, 0));
    }
    (clients.into_iter().map(|client| client.got).collect(), host.server.application().work, host.server.caches())
}

#[test]
fn whatever_a_server_has_forgotten_it_gives_the_very_same_bytes_and_works_more() {
    let (plain, all, counts) = fetch(CacheConfig::default(), None);
    assert_eq!(counts, CachesCounts::default(), "control: nothing is kept unless somebody wants it");
    let (cached, least, counts) = fetch(CacheConfig::of_bytes(1 << 20), None);
    println!("{all} links without caches, {least} with them: {counts:?}");
    assert!(plain == cached && least < all / 5 && counts.sockets.hits > 0, "{least} of {all}");
    for seed in 0..20 {
        let chance = seed as f64 / 20.0;
        let (got, work, counts) = fetch(CacheConfig::of_bytes(1 << 20), Some((seed, chance)));
        println!("seed {seed}: {work} links where {chance:.2} is lost before each request: {counts:?}");
        assert!(got == plain, "seed {seed}");
        assert!((least..=all).contains(&work), "seed {seed}: {work}");
    }
    // One that is too small for all.
    let (got, work, counts) = fetch(CacheConfig::of_bytes(12_000), None);
    println!("{work} links in 12 kB: {counts:?}");
    assert!(got == plain && work <= all && counts.parses.bytes + counts.outputs.bytes <= 12_000);
}

#[test]
fn where_an_application_is_in_the_middle_of_something_is_known_for_a_while_and_then_the_server_is_stateless_again() {
    let caches = CacheConfig::of_bytes(1 << 20);
    let mut host = serving(ServerConfig { caches, ..ServerConfig::default() });
    let mut client = ByHand::new(&mut host, 1, ask_for(7, LEN));
    client.spend(&mut host, b"");
    go_on(&mut host, &mut client, LEN);
    let held = host.server.caches().parses;
    assert!(held.bytes > 0 && held.expired == 0, "{held:?}");
    // Its driver is told when to come back.
    let Output::Timeout(Some(at)) = host.server.poll_output(host.now, &mut [0; 2_000]) else { panic!("it waits") };
    assert!(at <= host.now + PARSES_KEPT_FOR, "{at:?}");
    host.now += PARSES_KEPT_FOR;
    host.server.handle_timeout(host.now);
    let over = host.server.caches().parses;
    assert_eq!((over.bytes, over.expired > 0), (0, true), "{over:?}");
    // Who goes on after that is answered out of the continuation alone: by all links before.
    let before = host.server.application().work;
    let kind = Kind::Timeout { count: 0, asked: client.held[0].0.issued.after(PARSES_KEPT_FOR), moved_from: None };
    let (start, output) = (reached(&client), client.outputs[0].1.clone());
    let want = asks(|writer| Ask::emit_want(&output, &[Range { start, end: AT + LEN }], writer).unwrap());
    let (datagram, _) = client.request(client.held[0], kind, &want);
    assert!(!host.ask(home(), &datagram).is_empty(), "{:?}", host.server.stats());
    let work = host.server.application().work - before;
    assert!(work >= (start - AT) / LINK, "{work}");
}

#[test]
fn who_has_a_server_compute_what_is_costliest_displaces_nothing_of_an_honest_client() {
    // The honest client's links, and its bytes, with so many places that ask for costlier things between its requests.
    let honest = |caches: CacheConfig, places: u8| {
        let mut host = serving(ServerConfig { caches, ..ServerConfig::default() });
        let mut client = ByHand::new(&mut host, 1, ask_for(1, LEN));
        client.spend(&mut host, b"");
        let at = |n: u8| SocketAddr::from(([198, 51, 100, n], 7));
        let mut others: Vec<ByHand> = (0..places)
            .map(|n| {
                let mut other = ByHand::at(at(n), &mut host, 100 + u64::from(n), Vec::new(), None).0;
                other.spend(&mut host, b"");
                other
            })
            .collect();
        let mut chain = 1_000;
        while go_on(&mut host, &mut client, LEN) {
            for other in &mut others {
                for _ in 0..60 / places.max(1) {
                    chain += 1;
                    other.spend(&mut host, &ask_for(chain, OBJECT_LEN));
                    let (output, end) = (other.outputs.pop().unwrap().1, AT + OBJECT_LEN);
                    let far = [Range { start: end - 4_000, end }];
                    other.spend(&mut host, &asks(|writer| Ask::emit_want(&output, &far, writer).unwrap()));
                }
            }
        }
        (host.server.application().work_by[&home()], client.got)
    };
    let caches = CacheConfig::of_bytes(64 << 10);
    let (alone, got) = honest(caches, 0);
    let (beside, beside_got) = honest(caches, 1);
    let (beset, beset_got) = honest(caches, 30);
    let (uncached, uncached_got) = honest(CacheConfig::default(), 1);
    println!("links of an honest client: {alone} alone, {beside} beside one that fills the caches, {beset} beside 30");
    println!("places that do, {uncached} without caches");
    assert!(got == beside_got && got == beset_got && got == uncached_got);
    assert!(beside <= alone && alone < uncached / 4, "{beside} {alone} {uncached}");
    // From many places they can be filled: then it is as without.
    assert!(beset > alone && beset <= uncached, "{beset}");
}
