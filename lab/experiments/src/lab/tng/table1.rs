//! Header bytes and code of the layers: the paper's Table 1.

use core::time::Duration;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::json;
use tng_base::Instant;
use tng_sim::Link;

use super::row::{party, row};
use crate::lab::sst::table2::{Size, root, size_of};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// Table 1.
pub static TABLE1: Experiment = Experiment {
    name: "tng/table1",
    title: "Header bytes and code of the layers",
    source: "Tng 7, Table 1",
    claim: "layers that can be split cost few bytes: no more than the paper's composition of existing protocols, and a \
            direct packet pays nothing for what helpers need; and little code",
    about: "A transfer over two links that lose nothing, direct and by way of a helper, as captured on the second \
            link: bytes of data packets that are no application data, on average. A direct flow has one channel, which \
            regulates and isolates; a helped one has a channel for each. And semicolons and lines of the sources, as \
            sst/table2 counts them.",
    params: &[
        Param::size("bytes", "5MB", "of the transfer"),
        Param::text(
            "source",
            "",
            "folder of the sources; unless given, the one around the current folder, or where this was built",
        ),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run,
};

const LINKS: usize = 2;
const UDP_BYTES: u64 = 8;
const LIMIT: Duration = Duration::from_secs(60);
/// Bytes that isolate: first byte, channel id and number (docs/wire.md section 3), and the tag.
const CHANNEL_BYTES: f64 = 9.0 + 16.0;
/// A packet with data of a long transfer has more bytes of UDP payload than any other.
const DATA_MIN: usize = 600;

/// The paper's Table 1, without UDP's row: layer, header bytes and semicolons of SST, of legacy protocols.
const PAPER: [(&str, f64, f64, &str); 4] = [
    ("semantic", 8.0, 20.0, "TCP"),
    ("isolation", 24.0, 32.0, "ESP"),
    ("flow", 12.0, 16.0, "DCCP"),
    ("endpoint", 8.0, 8.0, "UDP"),
];
const PAPER_TOTAL: f64 = 52.0;
const LEGACY_TOTAL: f64 = 76.0;
const LEGACY_SEMICOLONS: f64 = 14_100.0;

/// Where the layers are, and the paper's counts of semicolons: SST's, and those of comparable protocols in Linux
/// 2.6.28.
const CODE: [(&str, &[&str], &str, &str); 7] = [
    ("semantic", &["layers/semantic/src"], "1600", "5300"),
    ("isolation", &["layers/isolation/src"], "930, with flow", "5300"),
    ("flow", &["layers/flow/src", "parts/channel/src", "parts/congestion/src"], "", "2900"),
    ("endpoint", &["layers/endpoint/src", "parts/wire/src"], "600", "600"),
    ("what joins the four", &["stack/src"], "", ""),
    ("cryptography, not in the paper's count", &["parts/crypto/src"], "", ""),
    ("the helper, not in the paper's count", &["layers/middlebox/src", "parts/queue/src"], "", ""),
];
/// The first of them are counted: the paper's four, and what joins them, which in the prototype was part of these.
const COUNTED: usize = 5;

/// Header bytes of a helped packet in all.
const HELPED: Goal = Goal::AtMost(55.0);
/// The same of a direct one: what sst/table1 has of data in sealed packets, and UDP's.
const DIRECT: Goal = Goal::AtMost(38.0);

/// Bytes of data packets that are no data, those of UDP included.
struct Headers {
    mean: f64,
    /// What most packets have, what 99 % do not exceed, and the longest.
    most: u64,
    p99: u64,
    longest: u64,
    packets: usize,
}

impl Headers {
    fn json(&self) -> serde_json::Value {
        let Headers { mean, most, p99, longest, packets } = self;
        json!({
            "mean_bytes": mean, "most_have_bytes": most, "p99_bytes": p99, "longest_bytes": longest, "packets": packets,
        })
    }
}

/// Steps a lossless transfer packet by packet: what the server reads when one arrives is what was in it.
fn headers(context: &Context<'_>, helped: bool) -> Result<Headers, RunError> {
    let sections: &[&str] = if helped { &["cubic", "cubic"] } else { &["cubic"] };
    let link = Link::new().delay(Duration::from_millis(5));
    let mut setting = row(context.seed, vec![link.into(); LINKS], sections);
    setting.parties.push(party("transfer", LINKS, sections).bytes(context.size("bytes")));
    let mut run = context.world(setting).begin();
    let [to_server, _] = run.beside(run.hosts(0)[1]);
    let under_way: Rc<RefCell<VecDeque<usize>>> = Rc::default();
    let sees = under_way.clone();
    run.world.intercept(to_server, move |_, packet| {
        sees.borrow_mut().push_back(packet.payload.len());
        true
    });
    let mut headers = Vec::new();
    let (mut delivered, mut read) = (0, 0);
    while run.tally(0).complete == 0 && run.tally(0).failure.is_none() && run.world.now() < Instant::ZERO + LIMIT {
        run.world.step();
        let (delivered_before, read_before) = (delivered, read);
        (delivered, read) = (run.world.stats(to_server).delivered, run.bytes(0));
        let arrived: Vec<usize> = under_way.borrow_mut().drain(..(delivered - delivered_before) as usize).collect();
        if let ([packet], data @ 1..) = (&arrived[..], read - read_before)
            && *packet >= DATA_MIN
            // What came before it was not read at once.
            && data < *packet as u64
        {
            headers.push(*packet as u64 + UDP_BYTES - data);
        }
    }
    let tally = run.tally(0);
    if tally.complete == 0 {
        return Err(RunError::broken(tally.failure.unwrap_or("it took too long".to_owned())));
    }
    if run.stats(0)[0].iter().any(|stats| stats.channel.lost > 0) || helped && run.helper_stats(0).joins == 0 {
        return Err(RunError::broken("packets were lost, or went another way"));
    }
    headers.sort_unstable();
    let same = headers.chunk_by(|a, b| a == b).max_by_key(|same| same.len());
    let (Some(most), Some(longest)) = (same.map(|same| same[0]), headers.last().copied()) else {
        return Err(RunError::broken("there were no data packets"));
    };
    let mean = headers.iter().sum::<u64>() as f64 / headers.len() as f64;
    let p99 = headers[(headers.len() * 99).div_ceil(100) - 1];
    Ok(Headers { mean, most, p99, longest, packets: headers.len() })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (direct, helped) = (headers(context, false)?, headers(context, true)?);
    let (udp, of_direct, of_helped) = (UDP_BYTES as f64, direct.most as f64, helped.most as f64);
    let (flow, semantic) = (of_helped - of_direct, of_direct - udp - CHANNEL_BYTES);
    let layers = [
        ("semantic", semantic, semantic),
        ("isolation", CHANNEL_BYTES, CHANNEL_BYTES),
        ("flow", 0.0, flow),
        ("endpoint", udp, udp),
    ];
    let head = ["layer", "direct", "helped", "the paper's SST", "legacy"];
    let mut table = Table::new(&head).titled("Header bytes of a data packet");
    let cell = |bytes: f64| format!("{bytes}");
    for ((name, direct, helped), (_, sst, legacy, protocol)) in layers.iter().zip(PAPER) {
        table.row(vec![
            (*name).to_owned(),
            cell(*direct),
            cell(*helped),
            cell(sst),
            format!("{legacy:.0} ({protocol})"),
        ]);
    }
    table.row(vec!["all".into(), cell(of_direct), cell(of_helped), cell(PAPER_TOTAL), format!("{LEGACY_TOTAL:.0}")]);
    let mean = |headers: &Headers| format!("{:.2}", headers.mean);
    table.row(vec!["on average".into(), mean(&direct), mean(&helped)]);
    table.row(vec!["of 99 % at most".into(), direct.p99.to_string(), helped.p99.to_string()]);
    table.row(vec!["the longest".into(), direct.longest.to_string(), helped.longest.to_string()]);
    let root = root(&context.text("source"))?;
    let mut code = Table::new(&["layer", "semicolons", "lines of code", "the paper's SST", "legacy"]).titled("Code");
    let (mut all, mut sizes) = (Size::default(), Vec::new());
    for (place, (name, folders, sst, legacy)) in CODE.iter().enumerate() {
        let mut size = Size::default();
        for folder in *folders {
            size.add(size_of(&root.join(folder))?);
        }
        if place < COUNTED {
            all.add(size);
        }
        let cells = [*name, &size.semicolons.to_string(), &size.lines.to_string(), *sst, *legacy];
        code.row(cells.map(str::to_owned).to_vec());
        sizes.push(json!({ "name": name, "size": size }));
    }
    code.row(vec![
        "all that a host needs".into(),
        all.semicolons.to_string(),
        all.lines.to_string(),
        "3130".into(),
        "14100".into(),
    ]);
    let names = layers.map(|(name, ..)| name);
    let bars = |of: [f64; 4]| of.iter().enumerate().map(|(at, bytes)| (at as f64, *bytes)).collect();
    let plot = Plot::new("Header bytes of a data packet", Axis::names(&names), Axis::new("header", "B"))
        .series(Series::bars("direct", bars(layers.map(|(_, direct, _)| direct))))
        .series(Series::bars("helped", bars(layers.map(|(.., helped)| helped))))
        .series(Series::bars("the paper's SST", bars(PAPER.map(|(_, sst, ..)| sst))))
        .series(Series::bars("legacy", bars(PAPER.map(|(_, _, legacy, _)| legacy))));
    let results = json!({
        "direct": direct.json(), "helped": helped.json(), "flow_bytes": flow, "semantic_bytes": semantic,
        "code": sizes, "layers": all,
    });
    Ok(Outcome::new(results)
        .table(table)
        .table(code)
        .plot(plot)
        .check(
            Check::new(
                "header that 99 % of helped data packets do not exceed, UDP's \
                           included",
                helped.p99 as f64,
                "B",
                HELPED,
            )
            .paper("52 B; legacy protocols 76 B"),
        )
        .check(Check::new("header of most direct data packets, UDP's included", of_direct, "B", DIRECT).paper("52 B"))
        .check(
            Check::new(
                "semicolons of all that a host \
                        needs",
                all.semicolons as f64,
                "",
                Goal::AtMost(LEGACY_SEMICOLONS),
            )
            .paper("3,130 of the prototype; 14,100 of legacy protocols"),
        )
        .note(
            "What is measured is the whole and, as the difference of the two, the flow layer's part; of the rest the \
             channel's 25 bytes are those of its format, and what remains is the stream's. One packet in a hundred may \
             have more: the beginning of the stream, credit, and control of the channel and the section travel with \
             data. The paper's stack has 52 bytes, helped or not: its sequence numbers have 24 bits and its channel \
             header 8 bytes, where our ids have 48 bits and our numbers 64, and each section a MAC.",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_helped_packet_pays_for_its_section_and_a_direct_one_does_not() {
        let record = measured(&TABLE1, 1, &["bytes=4MB"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        let flow = record.outcome.results["flow_bytes"].as_f64().expect("a figure");
        assert!((16.0..20.0).contains(&flow), "{record}");
    }

    #[test]
    fn what_is_in_no_data_packet_is_seen_packet_by_packet() {
        let context = Context::new(1, TABLE1.params(&["bytes=300kB".to_owned()]).expect("values"), false, &|_| ());
        let headers = headers(&context, true).expect("it runs");
        assert!(headers.packets > 200 && headers.most <= headers.p99 && headers.p99 <= headers.longest);
        assert!(headers.longest > headers.most, "the beginning of the stream takes some");
    }
}
