//! The same with processes, over the emulator.

use core::time::Duration;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::json;
use tng_base::Rng;
use tng_emulator::transfer::Origin;

use super::super::testbed::{LAN_RTT, RATE_BPS};
use super::super::twins::{Over, Twin, address_of, lan};
use super::{CLAIMED, Goals, PAPER, SMALL_MAX};
use crate::lab::{Check, Context, Outcome, RunError, Table};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::fault;
use crate::real::visitor::{Source, Wanted, fetch, inside};

/// How objects are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Asked {
    over: Over,
    /// Whether in the first datagram.
    at_once: bool,
    name: &'static str,
}

/// The one that the others are held against comes first.
const WAYS: [Asked; 3] = [
    Asked { over: Over::Tcp, at_once: false, name: "the kernel's TCP" },
    Asked { over: Over::Trickles, at_once: true, name: "Trickles, asked for in the first datagram" },
    Asked { over: Over::Trickles, at_once: false, name: "Trickles, asked for when the connection stands" },
];

/// Bits per second of so many objects of each size, one after the other, each on a connection of its own.
fn rates(context: &Context<'_>, rtt: Duration, asked: Asked) -> Result<Vec<f64>, RunError> {
    let (seed, sizes, objects) = (context.seed, context.sizes("sizes"), context.count("real-objects"));
    let (link, bytes) = (Some(lan(context, RATE_BPS, rtt)), sizes.iter().copied().max().unwrap_or(0));
    let twin = Twin { seed, link, over: asked.over, processes: 1, more: &[], bytes, clients: 1 };
    let standing = context.world(twin).begin()?;
    let of = |size: u64| Wanted {
        name: size.to_string(),
        bytes: Arc::from(&standing.file[..size as usize]),
        ..standing.wanted()
    };
    let all: Vec<Wanted> = sizes.into_iter().map(of).collect();
    for wanted in &all {
        standing.serving.add(&wanted.name, &wanted.bytes)?;
    }
    let source = match standing.source() {
        Source::Stateless(servers) => {
            Source::Stateless(crate::real::visitor::Keepless { first_data: asked.at_once, ..servers })
        }
        http @ Source::Http(_) => http,
    };
    let fetched = inside(&standing.network, standing.clients, || async move {
        let (mut rng, came, mut rates) = (Rng::from_u64(seed), Rc::default(), Vec::new());
        for wanted in all {
            // What the server reads from its disk first is in memory then.
            fetch(&source, wanted.clone(), address_of(0), &mut rng, &came).await?;
            let mut took = Vec::new();
            for _ in 0..objects {
                let began = Origin::now();
                fetch(&source, wanted.clone(), address_of(0), &mut rng, &came).await?;
                took.push(began.elapsed());
            }
            let seconds = took.iter().sum::<Duration>().as_secs_f64();
            rates.push(objects as f64 * wanted.bytes.len() as f64 * 8.0 / seconds);
        }
        Ok::<_, String>(rates)
    });
    fetched.map_err(fault)?.map_err(RunError::broken)
}

pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut outcome = Outcome::new(json!({}));
    let far = ("Longer round trip", context.time("rtt"), Some(CLAIMED));
    let mut results = Vec::new();
    for (title, rtt, goals) in [("LAN of 100 Mbit/s", LAN_RTT, None), far] {
        let mut all = Vec::new();
        for asked in WAYS {
            context.progress(format_args!("{title}: {}", asked.name));
            all.push(rates(context, rtt, asked)?);
        }
        outcome = told(outcome, title, &context.sizes("sizes"), &all, goals);
        results.push(json!({ "network": title, "ways": WAYS.map(|asked| asked.name), "rates_bps": all }));
    }
    outcome.results = json!({ "sizes": context.sizes("sizes"), "networks": results });
    Ok(outcome.note(
        "A rate is that of all objects of a size together, from before the socket of each is made until its last byte \
         is there. On the LAN a round trip is 100 µs of the link and some more of processes that wake each other, and \
         a set-up of Trickles is two exchanges of keys at either end, which TCP has not: there is no check there. The \
         paper's machines were on a Gigabit LAN, which this machine cannot carry between processes; its claim is \
         judged over the longer round trip. Of one object in one after the other no more is known than how fast it \
         comes.",
    ))
}

fn told(outcome: Outcome, title: &str, sizes: &[u64], all: &[Vec<f64>], goals: Option<Goals>) -> Outcome {
    let names = WAYS.map(|asked| asked.name);
    let mut table = Table::new(&["object", names[0], names[1], "by TCP", names[2], "by TCP"]).titled(title);
    let mut checks = Vec::new();
    for (place, size) in sizes.iter().enumerate() {
        let rate = |way: usize| all[way][place];
        let mbits = |way: usize| format!("{:.3} Mbit/s", rate(way) / 1e6);
        let by = |way: usize| rate(way) / rate(0);
        let ratio = |way: usize| format!("{:.3}", by(way));
        table.row(vec![format!("{size} B"), mbits(0), mbits(1), ratio(1), mbits(2), ratio(2)]);
        let Some(goals) = goals else { continue };
        let name = |way: usize| format!("{title}: {} by the kernel's TCP, {size} B", names[way]);
        checks.push(match *size <= SMALL_MAX {
            true => Check::new(name(1), by(1), "", goals.small).paper(PAPER),
            false => Check::new(name(1), by(1), "", goals.large).ours(),
        });
        checks.push(Check::new(name(2), by(2), "", goals.without).ours());
    }
    let plot = Plot::new(title, Axis::new("object", "B").log(), Axis::new("rate", "Mbit/s"));
    let plot = names.iter().zip(all).fold(plot, |plot, (name, rates)| {
        let points = sizes.iter().zip(rates).map(|(size, rate)| (*size as f64, rate / 1e6)).collect();
        plot.series(Series::line(name, points))
    });
    checks.into_iter().fold(outcome.table(table).plot(plot), Outcome::check)
}
