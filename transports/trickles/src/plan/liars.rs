//! Clients that say that packets are lost which came, to some requests and not to others.
//!
//! A server that believes each request by itself makes W^2 / 4 trickles of W. One that holds a client to what it has
//! told first of each line gives it no more than the window.

use std::collections::{BTreeMap, HashSet};

use tng_base::Rng;

use super::tests::after;
use super::*;

/// What a server remembers of a client's stories, as [`crate::replay::Stories`] does; or nothing.
#[derive(Clone, Default)]
struct Server {
    is_forgetful: bool,
    losses: BTreeMap<Tag, u64>,
    heirs: BTreeMap<Tag, Tag>,
    /// Spent numbers, if it knows what is spent by number, and not by who gave it out.
    spent: Option<HashSet<(Tag, u64)>>,
}

impl Server {
    /// Whether the story goes with what was told.
    fn agrees(&self, told: Told) -> bool {
        match told {
            _ if self.is_forgetful => true,
            Told::Whole(tag, high) => self.losses.get(&tag).is_none_or(|first| *first > high),
            Told::Loss(tag, first) => self.losses.get(&tag).is_none_or(|known| *known == first),
            Told::Heir(tag, heir) => self.heirs.get(&tag).is_none_or(|known| *known == heir),
        }
    }

    fn remember(&mut self, told: Told) {
        match told {
            Told::Whole(..) => {}
            Told::Loss(tag, first) => drop(self.losses.insert(tag, first)),
            Told::Heir(tag, heir) => drop(self.heirs.insert(tag, heir)),
        }
    }

    fn release(&self, spent: &Spent, story: Story<'_>) -> Option<(Release, Vec<Told>)> {
        if self.spent.as_ref().is_some_and(|known| known.contains(&(spent.tag, *spent.numbers.start()))) {
            return None;
        }
        let (mut all, high) = (Vec::new(), *spent.numbers.end());
        let agreed = told(spent.root, story, high, after, |told| {
            all.push(told);
            if self.agrees(told) { Ok(()) } else { Err(()) }
        });
        agreed.ok()?;
        release(spent, story, after).ok().map(|release| (release, all))
    }
}

/// A client that spends what it has as it likes.
struct Liar {
    servers: Vec<Server>,
    /// What came, by its tag: what it has nonces of.
    came: HashSet<(Tag, u64)>,
    unspent: Vec<Unspent>,
    /// How many it was given in each round trip.
    given: Vec<u64>,
    /// Requests that took a cut back.
    taken_back: u64,
}

/// What it has not spent.
#[derive(Clone)]
struct Unspent {
    spent: Spent,
    /// Where proofs begin.
    from: u64,
    /// The story by which it came about, up to that number.
    lost: Lost,
    told: u64,
}

/// Ranges in order.
type Lost = Vec<Range<u64>>;

/// What is lost, and whether the first cut is taken back.
type Tale = (Lost, bool);

fn add(lost: &mut Lost, number: u64) {
    match lost.last_mut() {
        Some(range) if range.end == number => range.end += 1,
        _ => lost.push(number..number + 1),
    }
}

impl Liar {
    fn new(window: u64, servers: usize, is_forgetful: bool) -> Liar {
        Liar::in_slow_start((window, window), servers, is_forgetful)
    }

    /// One whose window grows by one for each packet up to `threshold`.
    fn in_slow_start((window, threshold): (u64, u64), servers: usize, is_forgetful: bool) -> Liar {
        let root = Line { growth: Growth::new(0, window, threshold), tag: Tag(1) };
        let of = |number| Spent { root, tag: root.tag, numbers: number..=number };
        let unspent = (1..=window).map(|number| Unspent { spent: of(number), from: 1, lost: Lost::new(), told: 0 });
        let unspent = unspent.collect();
        let servers = vec![Server { is_forgetful, ..Server::default() }; servers];
        Liar {
            servers,
            came: (1..=window).map(|number| (root.tag, number)).collect(),
            unspent,
            given: Vec::new(),
            taken_back: 0,
        }
    }

    /// The story that goes with `unspent` when all is hidden that `hides` says, and all that it cannot prove. It goes
    /// on from the one by which that came about, or its tag would be another.
    fn lost(&self, unspent: &Unspent, hides: impl Fn(u64) -> bool) -> Tale {
        (self.lost_when(unspent, false, hides), false)
    }

    fn lost_when(
        &self,
        Unspent { spent, from, lost: before, told }: &Unspent,
        is_undone: bool,
        hides: impl Fn(u64) -> bool,
    ) -> Lost {
        let (first, mut lost) = (*spent.numbers.start(), Lost::new());
        for number in *from..first {
            // Later losses do not change to which tag a number belongs.
            let mut tag = None;
            tags(spent.root, Story { lost: &lost, is_undone }, (number, number), after, |_, of| tag = Some(of));
            let hides =
                if number <= *told { before.iter().any(|range| range.contains(&number)) } else { hides(number) };
            if hides || tag.is_none_or(|tag| !self.came.contains(&(tag, number))) {
                add(&mut lost, number);
            }
        }
        lost
    }

    /// The same with the cut of the first window taken back, if it has the nonces of all that it says was lost of it.
    fn undone(&self, unspent: &Unspent, hides: impl Fn(u64) -> bool) -> Option<Tale> {
        let (lost, root) = (self.lost_when(unspent, true, hides), unspent.spent.root);
        let has_lost = first_gaps(&root.growth, &lost).next().is_some();
        let can = first_gaps(&root.growth, &lost).flatten().all(|number| self.came.contains(&(root.tag, number)));
        (has_lost && can).then_some((lost, true))
    }

    /// Spends everything, at each server, with the best of the stories that `tell` makes. What it is given arrives,
    /// but for what `is_dropped`.
    fn spend(&mut self, mut tell: impl FnMut(&Liar, &Unspent) -> Vec<Tale>, mut is_dropped: impl FnMut() -> bool) {
        let (mut given, mut next) = (0, Vec::new());
        for at in 0..self.unspent.len() {
            let unspent = self.unspent[at].clone();
            let stories = tell(self, &unspent);
            for server in &mut self.servers {
                let answer = |(lost, is_undone): &Tale| {
                    let story = Story { lost, is_undone: *is_undone };
                    let (release, told) = server.release(&unspent.spent, story)?;
                    Some((release, told, (lost.clone(), *is_undone)))
                };
                let best = stories.iter().filter_map(answer);
                let best = best.max_by_key(|(release, ..)| release.numbers.end - release.numbers.start);
                let Some((Release { root, tag, numbers, shown_from }, all, (lost, is_undone))) = best else { continue };
                self.taken_back += u64::from(is_undone);
                all.into_iter().for_each(|told| server.remember(told));
                if let Some(known) = &mut server.spent {
                    known.insert((unspent.spent.tag, *unspent.spent.numbers.start()));
                }
                given += numbers.end - numbers.start;
                let told = *unspent.spent.numbers.end();
                let from = shown_from.unwrap_or(told + 1);
                let of = |number| Spent { root, tag, numbers: number..=number };
                next.extend(numbers.map(|number| Unspent { spent: of(number), from, lost: lost.clone(), told }));
            }
        }
        next.retain(|_| !is_dropped());
        self.given.push(given);
        self.came.extend(next.iter().map(|Unspent { spent, .. }| (spent.tag, *spent.numbers.start())));
        next.sort_by_key(|Unspent { spent, .. }| (spent.root.growth.base(), *spent.numbers.start()));
        self.unspent = next;
    }
}

/// A few stories, each hiding something else.
fn stories(rng: &mut Rng, liar: &Liar, unspent: &Unspent) -> Vec<Tale> {
    let (from, first) = (unspent.from, *unspent.spent.numbers.start());
    let mut stories = vec![liar.lost(unspent, |_| false)];
    for _ in 0..rng.below(4) {
        let (one, share) = (from + rng.below(first - from + 1), rng.below(100));
        let mut draw = Rng::from_u64(rng.u64());
        let drawn: Vec<bool> = (from..=first).map(|_| draw.below(100) < share).collect();
        let way = rng.below(4);
        let hides = |number: u64| match way {
            0 => number == one,
            1 => number >= one,
            2 => number >= one && drawn[(number - from) as usize],
            _ => number >= one && (number - one) % 2 == share % 2,
        };
        stories.push(liar.lost(unspent, hides));
        stories.extend(liar.undone(unspent, hides));
    }
    stories.extend(liar.undone(unspent, |_| false));
    // Who prefers a lie tells no truth.
    let skip = if stories.len() > 1 { rng.below(2) as usize } else { 0 };
    stories.split_off(skip)
}

/// The most that a liar was given in one round trip, as a share of what an honest client without losses is given; and
/// how often it has taken a cut back.
fn gain(seed: u64, window: (u64, u64), servers: usize, is_forgetful: bool) -> (f64, u64) {
    let mut rng = Rng::from_u64(seed);
    let mut liar = Liar::in_slow_start(window, servers, is_forgetful);
    let (lies_until, drops) = (1 + rng.below(12), rng.below(3) * rng.below(40));
    let mut draw = Rng::from_u64(seed ^ 99);
    for round in 0..14 {
        let tell = |liar: &Liar, unspent: &Unspent| match round < lies_until {
            true => stories(&mut rng, liar, unspent),
            false => {
                [vec![liar.lost(unspent, |_| false)], liar.undone(unspent, |_| false).into_iter().collect()].concat()
            }
        };
        liar.spend(tell, || draw.below(1_000) < drops);
        if liar.unspent.len() > 400 {
            break;
        }
    }
    let mut honest = Liar::in_slow_start(window, 1, false);
    liar.given.iter().for_each(|_| honest.spend(|liar, unspent| vec![liar.lost(unspent, |_| false)], || false));
    let shares = liar.given.iter().zip(&honest.given).map(|(given, due)| *given as f64 / *due as f64);
    (shares.fold(0.0, f64::max), liar.taken_back)
}

/// The same of so many liars; every second one begins in slow start.
fn most(seeds: u64, is_forgetful: bool) -> (f64, u64) {
    let gains = (0..seeds).map(|seed| {
        let window = 4 + seed % 29;
        gain(seed, (window, window * (1 + 2 * (seed % 2))), 1, is_forgetful)
    });
    gains.fold((0.0, 0), |(most, all), (gain, taken_back)| (gain.max(most), all + taken_back))
}

fn seeds() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(2_000)
}

#[test]
fn clients_that_tell_each_request_another_story_are_given_no_more_than_the_window() {
    let (most, taken_back) = most(seeds(), false);
    println!("{} liars: at most {most:.3} of what an honest client is given in a round trip", seeds());
    println!("{taken_back} of their requests take a cut back");
    assert!(most <= 1.0 && taken_back > seeds(), "{most}, {taken_back} taken back");
}

#[test]
fn a_server_that_believes_each_request_by_itself_is_made_to_give_more() {
    let (most, _) = most(seeds().min(300), true);
    println!("a forgetful server: {most:.3}");
    assert!(most > 1.5, "{most}");
}

/// Each packet in the second half of the window of a pretended loss says that it alone has come.
fn each_alone(mut liar: Liar) -> u64 {
    let window = liar.unspent.len() as u64;
    liar.spend(|liar, unspent| vec![liar.lost(unspent, |_| true)], || false);
    for _ in 0..8 {
        liar.spend(|liar, unspent| vec![liar.lost(unspent, |number| number <= window)], || false);
    }
    liar.given.into_iter().max().unwrap_or(0)
}

#[test]
fn packets_that_each_say_that_they_alone_have_come_make_no_more_trickles_than_one_of_them() {
    assert!(each_alone(Liar::new(32, 1, false)) <= 32);
    let without = each_alone(Liar::new(32, 1, true));
    assert!(without > 200, "what it does without a memory: {without}");
}

#[test]
fn at_servers_that_know_what_is_spent_by_number_a_client_is_given_the_window_once_at_each() {
    for servers in 1..5 {
        let due = |at: u64| 32 + at + 1;
        let mut liar = Liar::new(32, servers, false);
        liar.servers.iter_mut().for_each(|server| server.spent = Some(HashSet::new()));
        (0..8).for_each(|_| liar.spend(|liar, unspent| vec![liar.lost(unspent, |_| false)], || false));
        assert!((0..8).all(|at| liar.given[at] == servers as u64 * due(at as u64)), "{:?}", liar.given);
        // By issuer and serial, what one gives for it is not known to another as the same.
        let mut liar = Liar::new(32, servers, false);
        (0..8).for_each(|_| liar.spend(|liar, unspent| vec![liar.lost(unspent, |_| false)], || false));
        assert_eq!(liar.given[7] > 10 * due(7), servers > 1, "{:?}", liar.given);
    }
}

#[test]
fn who_does_not_lie_is_given_the_window() {
    for window in 4..40 {
        let mut honest = Liar::new(window, 1, false);
        (0..14).for_each(|_| honest.spend(|liar, unspent| vec![liar.lost(unspent, |_| false)], || false));
        let due: Vec<u64> = (0..14).map(|at| window + at + 1).collect();
        assert_eq!(honest.given, due);
    }
}
