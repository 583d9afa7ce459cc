//! Scenarios that run to their end: what becomes of their flows.

mod asked;
mod middle;
mod protocols;
mod runs;
mod streams;

use tng_experiments::{Report, Run, Scenario};

/// Two hosts on a link, and more.
fn two(link: &str, more: &str) -> String {
    format!("[[node]]\nname='a'\n[[node]]\nname='b'\n[[link]]\nbetween=['a','b']\n{link}\n{more}")
}

/// Runs a scenario to its end.
fn run(text: &str) -> Report {
    let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Run::new(scenario).finish().expect("no capture that could fail")
}
