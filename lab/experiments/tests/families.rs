//! The swarm: 12 families, 200 seeds of each. `TNG_SEEDS=5000 cargo test --release -p tng-experiments --test families` runs
//! more; `tng sim swarm` as many as you like.

use tng_experiments::swarm::{Family, Figures, ride};

/// Runs a family, and answers what it came to.
fn swarm(family: Family) -> Figures {
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let (mut sum, mut failures) = (Figures::default(), Vec::new());
    for seed in 0..seeds {
        match ride(family, seed) {
            Ok(figures) => sum.add(&figures),
            Err(failure) => {
                println!("{failure}\n    {}", failure.plan);
                failures.push(failure.to_string());
            }
        }
    }
    println!("{family}: {sum:?}");
    assert!(failures.is_empty(), "{} of {seeds}:\n{}", failures.len(), failures.join("\n"));
    assert!(sum.bytes > 1_000 * seeds && sum.halves > 2 * seeds, "{family} did next to nothing: {sum:?}");
    sum
}

#[test]
fn roads() {
    swarm(Family::Roads);
}

#[test]
fn sizes() {
    swarm(Family::Sizes);
}

#[test]
fn moves() {
    swarm(Family::Moves);
}

#[test]
fn outages() {
    swarm(Family::Outages);
}

#[test]
fn paths() {
    swarm(Family::Paths);
}

#[test]
fn restarts() {
    swarm(Family::Restarts);
}

#[test]
fn keys() {
    swarm(Family::Keys);
}

#[test]
fn floods() {
    swarm(Family::Floods);
}

#[test]
fn trees() {
    swarm(Family::Trees);
}

#[test]
fn credit() {
    swarm(Family::Credit);
}

#[test]
fn crossed() {
    swarm(Family::Crossed);
}

#[test]
fn clocks() {
    swarm(Family::Clocks);
}
