//! Who does not behave is held to the cap.

use core::time::Duration;

use tng_base::{Instant, Rng};

use super::judge::judge;
use super::link::{Path, Sender, World};
use super::seeds;
use crate::{Cap, PolicerConfig, State};

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
}

struct Hostile {
    plan: Plan,
    rtt: Duration,
    wakes: Option<Instant>,
    bursting_until: Instant,
}

impl Hostile {
    fn part(&self, hundredths: u64) -> Duration {
        self.rtt * hundredths as u32 / 100
    }
}

impl Sender for Hostile {
    fn wants(&mut self, now: Instant, rng: &mut Rng) -> Option<u64> {
        self.wakes = self.wakes.filter(|at| *at > now);
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
    (Plan { when, size, proofs }, Path { rtt, loss, bottleneck: None }, cap)
}

fn world(seed: u64, plan: Plan, path: Path, cap: Cap) -> World<Hostile> {
    let sender = Hostile { plan, rtt: path.rtt, wakes: None, bursting_until: Instant::ZERO };
    World::new(seed, path, PolicerConfig { cap, segment_max: 1_200 }, sender)
}

/// Runs until so many segments have left, or so many round trips are over.
fn play(world: &mut World<Hostile>, segments: usize, rounds: u32) {
    let end = world.now + world.path.rtt * rounds + Duration::from_secs(2);
    while world.log.len() < segments && world.now < end {
        let until = world.now + world.path.rtt;
        world.run(until);
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
        let Some(since) = figures.transitions.iter().rev().find(|to| to.to == State::SteadyState) else { continue };
        steady += u64::from(figures.state == State::SteadyState);
        let worst = judge(&world.log, &world.paces, &world.rounds, since.at);
        let said = format!("seed {seed}: {worst:?} {plan:?} {path:?} {cap}");
        assert!(worst.round <= 1.0, "{said}");
        assert!(worst.mean <= 1.05, "{said}");
    }
    assert!(steady * 10 >= seeds(400) * 7, "{steady} lost something");
}
