//! Who does not behave is held to the cap.

use core::time::Duration;

use tng_base::{Instant, Rng};

use super::judge::judge;
use super::link::{Path, Sender, World};
use super::seeds;
use crate::{Cap, PolicerConfig, State, TRANSITIONS_KEPT};

/// When it sends.
#[derive(Clone, Copy, PartialEq, Debug)]
enum When {
    /// Whenever it may.
    Always,
    /// On and off, for so many hundredths of a round trip each.
    OnOff(u64, u64),
    /// Now and then as many as it may.
    Bursts,
}

/// How large its segments are.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Size {
    Large,
    Small,
    /// By lot.
    Mixed,
    /// Small ones for some round trips, then large ones.
    Alternating,
}

/// What the receiver, who is of its party, does with proofs.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Proofs {
    Honest,
    /// Claims to have waited for so many milliseconds.
    Delay(u64),
    /// Holds some of them back for good.
    Withheld(f64),
    /// Hands them in late, each by another time up to that, in hundredths of a round trip.
    Late(u64),
    /// Hands all of them in together, each so many hundredths of a round trip.
    Heaped(u64),
}

#[derive(Clone, Copy, Debug)]
struct Plan {
    when: When,
    size: Size,
    proofs: Proofs,
    /// Round trips after which the path is another one, again and again.
    moves: Option<u32>,
}

struct Hostile {
    plan: Plan,
    rtt: Duration,
    wakes: Option<Instant>,
    bursting_until: Instant,
    /// Segments that it still sends, where nothing else would stop it.
    left: u64,
}

impl Hostile {
    fn part(&self, hundredths: u64) -> Duration {
        self.rtt * hundredths as u32 / 100
    }
}

impl Sender for Hostile {
    fn wants(&mut self, now: Instant, rng: &mut Rng) -> Option<u64> {
        self.wakes = self.wakes.filter(|at| *at > now);
        if self.left == 0 {
            return None;
        }
        match self.plan.when {
            When::Always => {}
            When::OnOff(on, off) => {
                let period = (self.part(on) + self.part(off)).as_nanos() as u64;
                let phase = now.as_nanos() % period;
                if phase >= self.part(on).as_nanos() as u64 {
                    self.wakes = Some(now + Duration::from_nanos(period - phase));
                    return None;
                }
            }
            When::Bursts => {
                if now > self.bursting_until {
                    let later = now + self.part(1 + rng.below(1_200));
                    self.wakes = Some(later);
                    self.bursting_until = later;
                    return None;
                }
                if now < self.bursting_until {
                    self.wakes = Some(self.bursting_until);
                    return None;
                }
            }
        }
        Some(match self.plan.size {
            Size::Large => 1_200,
            Size::Small => 100,
            Size::Mixed => 40 + rng.below(1_161),
            Size::Alternating => [60, 1_200][(now.as_nanos() / (3 * self.rtt.as_nanos() as u64) % 2) as usize],
        })
    }

    fn sent(&mut self, _now: Instant, _number: u64) {
        self.left = self.left.saturating_sub(1);
    }

    fn hands_in(&mut self, now: Instant, rng: &mut Rng) -> Option<(Instant, Duration)> {
        match self.plan.proofs {
            Proofs::Honest => Some((now, Duration::ZERO)),
            Proofs::Delay(ms) => Some((now, Duration::from_millis(ms))),
            Proofs::Withheld(part) => (!rng.chance(part)).then_some((now, Duration::ZERO)),
            Proofs::Late(most) => Some((now + self.part(rng.below(most + 1)), Duration::ZERO)),
            Proofs::Heaped(every) => {
                let period = self.part(every).as_nanos() as u64;
                Some((Instant::from_nanos((now.as_nanos() / period + 1) * period), Duration::ZERO))
            }
        }
    }

    fn wakes(&mut self) -> Option<Instant> {
        self.wakes
    }
}

fn draw(rng: &mut Rng) -> (Plan, Path, Cap) {
    let when = match rng.below(4) {
        0 | 1 => When::Always,
        2 => When::OnOff(1 + rng.below(400), 1 + rng.below(400)),
        _ => When::Bursts,
    };
    let size = [Size::Large, Size::Small, Size::Mixed, Size::Alternating][rng.below(4) as usize];
    let proofs = match rng.below(6) {
        0 | 1 => Proofs::Honest,
        2 => Proofs::Delay(rng.below(60)),
        3 => Proofs::Withheld(0.9 * rng.unit()),
        4 => Proofs::Late(rng.below(300)),
        _ => Proofs::Heaped(1 + rng.below(300)),
    };
    let rtt = Duration::from_micros(5_000 + rng.below(295_000));
    // From 1e-4 to 0.1.
    let loss = 10f64.powf(-4.0 + 3.0 * rng.unit());
    let cap = [Cap::Equation, Cap::EquationOrCubic][rng.below(2) as usize];
    let moves = rng.chance(0.2).then(|| 1 + rng.below(60) as u32);
    (Plan { when, size, proofs, moves }, Path { rtt, loss, bottleneck: None }, cap)
}

fn world(seed: u64, plan: Plan, path: Path, cap: Cap) -> World<Hostile> {
    let sender = Hostile { plan, rtt: path.rtt, wakes: None, bursting_until: Instant::ZERO, left: u64::MAX };
    World::new(seed, path, PolicerConfig { cap, segment_max: 1_200 }, sender)
}

/// Runs until so many segments have left, or so many round trips are over.
fn play(world: &mut World<Hostile>, segments: usize, rounds: u32) {
    let end = world.now + world.path.rtt * rounds + Duration::from_secs(2);
    for round in 1.. {
        if world.log.len() >= segments || world.now >= end {
            return;
        }
        let until = world.now + world.path.rtt;
        world.run(until);
        if world.sender.plan.moves.is_some_and(|every| round % every == 0) {
            world.policer.handle_path(world.now);
        }
    }
}

/// `TNG_SEEDS=20000 cargo test --release -p tng-stp-host hostile` plays more.
#[test]
fn whatever_a_sender_does_it_is_not_beyond_the_cap() {
    let mut steady = 0;
    for seed in 0..seeds(400) {
        let mut rng = Rng::from_u64(seed);
        let (plan, path, cap) = draw(&mut rng);
        let mut world = world(seed, plan, path, cap);
        play(&mut world, 20_000, 400);
        let figures = world.policer.figures();
        if figures.transitions.len() == TRANSITIONS_KEPT {
            // When the last one was is not known.
            continue;
        }
        let Some(since) = figures.transitions.last().filter(|last| last.to == State::SteadyState) else { continue };
        steady += 1;
        let worst = judge(&world.log, &world.paces, &world.rounds, since.at);
        let said = format!("seed {seed}: {worst:?} {plan:?} {path:?} {cap}");
        assert!(worst.round <= 1.0, "{said}");
        assert!(worst.mean <= 1.05, "{said}");
    }
    assert!(steady * 10 >= seeds(400) * 6, "{steady} lost something");
}

/// Bytes a second, in the mean over seeds, when what was reached before the first loss is forgotten.
fn rate(plan: Plan, path: Path) -> f64 {
    let rate = |seed| {
        let mut world = world(seed, plan, path, Cap::Equation);
        play(&mut world, (30.0 / path.loss) as usize, 3_000);
        let (since, sent) = (world.now, world.policer.figures().sent);
        let segments = world.log.len() + (60.0 / path.loss) as usize;
        play(&mut world, segments, 3_000);
        (world.policer.figures().sent - sent) as f64 / world.now.since(since).as_secs_f64()
    };
    (0..seeds(2)).map(rate).sum::<f64>() / seeds(2) as f64
}

#[test]
fn no_lie_earns_more_than_the_truth() {
    let honest = Plan { when: When::Always, size: Size::Large, proofs: Proofs::Honest, moves: None };
    let mut plans = Vec::new();
    for proofs in [Proofs::Delay(60), Proofs::Withheld(0.3), Proofs::Late(30), Proofs::Late(300), Proofs::Heaped(150)] {
        plans.push(Plan { proofs, ..honest });
    }
    for size in [Size::Small, Size::Mixed, Size::Alternating] {
        plans.push(Plan { size, ..honest });
    }
    for when in [When::OnOff(100, 100), When::OnOff(12, 13), When::OnOff(900, 400), When::Bursts] {
        plans.push(Plan { when, ..honest });
    }
    for moves in [3, 40] {
        plans.push(Plan { moves: Some(moves), ..honest });
    }
    for (rtt, loss) in [(5, 0.001), (30, 0.01), (100, 0.002), (100, 0.05)] {
        let path = Path::random(rtt, loss);
        let truth = rate(honest, path);
        let cap = Cap::Equation.rate(1_276, rtt * 1_000_000, (loss * 1e9) as u64) as f64;
        // The estimate of the loss rate is of eight intervals, and errs.
        assert!((0.8..1.25).contains(&(truth / cap)), "{rtt} ms, {loss}: {truth} of {cap}");
        for plan in &plans {
            let lied = rate(*plan, path);
            assert!(lied <= 1.15 * truth, "{rtt} ms, {loss}: {plan:?} earns {lied}, the truth {truth}");
        }
    }
}

#[test]
fn without_the_policer_there_is_no_bound() {
    let plan = Plan { when: When::OnOff(50, 50), size: Size::Large, proofs: Proofs::Honest, moves: None };
    let path = Path { bottleneck: Some((12_500_000, 1_000)), ..Path::random(30, 0.01) };
    let mut world = world(1, plan, path, Cap::Equation);
    world.policed = false;
    world.sender.left = 150;
    // A flood: all that a fast line takes, and much that it does not.
    for _ in 0..40 {
        let until = world.now + Duration::from_millis(10);
        world.sender.left = 150;
        world.run(until);
    }
    let worst = judge(&world.log, &world.paces, &world.rounds, Instant::from_secs(1));
    assert!(worst.round > 4.0 && worst.mean > 4.0, "{worst:?}");
}
