//! The floor in all its variants: what another way into the kernel would save.

use serde_json::{Map, Value, json};

use crate::work::{Mtu, PeerName, Work};
use crate::{Failure, conduct};

/// The columns: what is done, its figure, and the figure's name in the table.
fn columns(small: bool) -> [(Work, &'static [&'static str], &'static str); 4] {
    let bytes = if small { 3_000_000 } else { 4_000_000_000 };
    let seconds = if small { 0.1 } else { 2.0 };
    let rr = |concurrency| Work::Rr { size: 32, concurrency, seconds };
    let (bulk, both): (&[&str], &[&str]) = (&["cpu_s_per_gb"], &["client_cpu_us", "server_cpu_us"]);
    [
        (Work::Bulk { bytes, mtu: Mtu::Bytes(1_472) }, bulk, "ns a byte, 1,472-byte packets"),
        (rr(64), both, "us a small packet, 64 at once"),
        (rr(1), both, "us a small packet, one at a time"),
        (rr(1), &["p50_us"], "p50 of a round trip, us"),
    ]
}

/// Measures them, and prints a table in Markdown, or one JSON object.
///
/// # Errors
/// If the plain floor cannot be measured. Variants that this machine does not have are named and left out.
pub fn run(small: bool, rounds: u32, json: bool) -> Result<(), Failure> {
    let probe = Work::Rr { size: 32, concurrency: 1, seconds: 0.05 };
    let mut here = Vec::new();
    for peer in PeerName::FLOORS {
        match conduct::run(probe.clone(), &[peer], 1) {
            Ok(_) => here.push(peer),
            Err(error) if peer != PeerName::Floor => eprintln!("left out, as it does not work here: {error}"),
            Err(error) => return Err(error),
        }
    }
    let mut objects: Vec<(Work, Value)> = Vec::new();
    let mut rows: Map<String, Value> = here.iter().map(|peer| (peer.name().to_owned(), json!({}))).collect();
    for (work, figures, name) in columns(small) {
        let known = objects.iter().find(|(done, _)| *done == work).map(|(_, object)| object.clone());
        let object = match known {
            Some(object) => object,
            None => conduct::run(work.clone(), &here, rounds)?.json()?,
        };
        for peer in &here {
            let sum: f64 = figures.iter().filter_map(|figure| object["peers"][peer.name()][figure].as_f64()).sum();
            // A request is a packet each way, which each side sends or receives.
            let packets = if figures.len() == 2 { 2.0 } else { 1.0 };
            rows[peer.name()][name] = json!(sum / packets);
        }
        objects.push((work, object));
    }
    if json {
        println!("{}", Value::from(rows));
        return Ok(());
    }
    let names: Vec<&str> = columns(small).iter().map(|(_, _, name)| *name).collect();
    println!("| variant | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    let first = PeerName::Floor.name();
    for peer in &here {
        let cells = names.iter().map(|name| {
            let of = |peer: &str| rows[peer][*name].as_f64().unwrap_or(f64::NAN);
            format!("{:.3} ({:.2})", of(peer.name()), of(peer.name()) / of(first))
        });
        println!("| `{}` | {} |", peer.name(), cells.collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}
