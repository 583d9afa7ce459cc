//! How many continuations a processor verifies and renews.

#[path = "../../count/src/renewal.rs"]
mod renewal;

use serde_json::json;

use crate::Failure;
use crate::process::{Usage, cpus, pin};

/// Renewals between two looks at how much time has gone.
const BLOCK: u64 = 10_000;

/// Measures it for `seconds` of processor time in each round, and prints the median, or one JSON object.
///
/// # Errors
/// If the system does not tell what this process has used up.
pub fn run(seconds: f64, rounds: u32, json: bool) -> Result<(), Failure> {
    if let Some(cpu) = cpus().first() {
        pin(*cpu)?;
    }
    let mut trickle = renewal::Trickle::new();
    (0..BLOCK).for_each(|_| trickle.renew());
    let mut rates = Vec::new();
    for _ in 0..rounds {
        let (from, renewed) = (Usage::now(0)?.cpu_s, trickle.renewed);
        let mut used = 0.0;
        while used < seconds {
            (0..BLOCK).for_each(|_| trickle.renew());
            used = Usage::now(0)?.cpu_s - from;
        }
        rates.push((trickle.renewed - renewed) as f64 / used);
    }
    let mut sorted = rates.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN);
    if json {
        let figures = json!({ "renewed_per_cpu_s": median, "ns_each": 1e9 / median, "rounds": rates });
        println!("{}", json!({ "work": "continuations", "params": { "seconds": seconds }, "figures": figures }));
    } else {
        println!(
            "{median:.0} continuations verified and renewed in a second of a processor, {:.0} ns each",
            1e9 / median
        );
        println!("least {:.0}, most {:.0} of {rounds} rounds", sorted[0], sorted[sorted.len() - 1]);
    }
    Ok(())
}
