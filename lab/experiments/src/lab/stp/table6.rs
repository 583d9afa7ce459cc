//! How large code is that travels: STP 5.4, Table 6.

use serde_json::json;
use tng_stp_sandbox::BUILT_IN;

use crate::lab::{Check, Context, Experiment, Goal, Outcome, RunError, Table, Worlds};

/// Sizes of modules.
pub static TABLE6: Experiment = Experiment {
    name: "stp/table6",
    title: "The size of code that travels",
    source: "STP 5.4, Table 6",
    claim: "whole transports are small enough to be shipped: 23 to 33 kB compressed, 3.5 % of a kernel",
    about: "Every guest that is built in: bytes of its module, of the module compressed (DEFLATE, estimated by the \
            entropy of its bytes), and of the text that it is written as.",
    params: &[],
    worlds: Worlds::Virtual,
    seeds: 1,
    run,
};

/// Bytes that an ideal code of single bytes would take: what DEFLATE comes to, about, and no less than that without
/// repetitions.
fn entropy_bytes(bytes: &[u8]) -> f64 {
    let mut counts = [0_u64; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let all = bytes.len() as f64;
    let bits: f64 =
        counts.iter().filter(|count| **count > 0).map(|count| -(*count as f64) * (*count as f64 / all).log2()).sum();
    bits / 8.0
}

fn run(_: &Context<'_>) -> Result<Outcome, RunError> {
    let mut table = Table::new(&["guest", "module", "by entropy", "what it is"]);
    let mut results = Vec::new();
    let mut largest = 0;
    for guest in BUILT_IN {
        let (bytes, entropy) = (guest.bytes.len(), entropy_bytes(guest.bytes));
        largest = largest.max(bytes);
        table.row(vec![guest.name.to_owned(), format!("{bytes} B"), format!("{entropy:.0} B"), guest.title.to_owned()]);
        results.push(json!({ "guest": guest.name, "module_bytes": bytes, "entropy_bytes": entropy }));
    }
    let outcome = Outcome::new(json!({ "guests": results })).table(table);
    Ok(outcome.check(
        Check::new("the largest module", largest as f64 / 1e3, "kB", Goal::AtMost(33.3))
            .paper("30.7 to 33.3 kB compressed, of transports in Cyclone"),
    ))
}
