//! Header bytes and code of the layers: the paper's Table 1.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use serde_json::json;
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
    claim: "layers that can be split cost few bytes: no more than the paper's composition of existing protocols, and a direct packet pays nothing for \
            what helpers need; and little code",
    about: "A transfer over two links that lose nothing, direct and by way of a helper, as captured on the second link: bytes of data packets that are \
            no application data, on average. A direct flow has one channel, which regulates and isolates; a helped one has a channel for each. And semicolons \
            and lines of the sources, as sst/table2 counts them.",
    params: &[
        Param::size("bytes", "5MB", "of the transfer"),
        Param::text(
            "source",
            "",
            "folder of the sources; unless given, the one around the current folder, or where this was built",
        ),
    ],
    worlds: Worlds::Virtual,
    run,
};

const LINKS: usize = 2;
const UDP_BYTES: f64 = 8.0;
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

/// Where the layers are, and the paper's counts of semicolons: SST's, and those of comparable protocols in Linux 2.6.28.
const CODE: [(&str, &[&str], &str, &str); 6] = [
    ("semantic", &["layers/semantic/src"], "1600", "5300"),
    ("isolation", &["layers/isolation/src"], "930, with flow", "5300"),
    ("flow", &["layers/flow/src", "parts/channel/src", "parts/congestion/src"], "", "2900"),
    ("endpoint", &["layers/endpoint/src"], "600", "600"),
    ("cryptography, not in the paper's count", &["parts/crypto/src"], "", ""),
    ("the helper, not in the paper's count", &["layers/middlebox/src", "parts/queue/src"], "", ""),
];
/// Those of them that the paper counts.
const LAYERS: usize = 4;

/// Header bytes of a helped packet in all.
const HELPED: Goal = Goal::AtMost(60.0);
/// The same of a direct one.
const DIRECT: Goal = Goal::AtMost(PAPER_TOTAL);

/// Bytes of a data packet that are no data, on average, those of UDP included; and how many packets there were.
fn headers(context: &Context<'_>, helped: bool) -> Result<(f64, u64), RunError> {
    let sections: &[&str] = if helped { &["cubic", "cubic"] } else { &["cubic"] };
    let bytes = context.size("bytes");
    let link = Link::new().delay(Duration::from_millis(5));
    let mut setting = row(context.seed, vec![link.into(); LINKS], sections);
    setting.step = Duration::from_millis(100);
    setting.parties.push(party("transfer", LINKS, sections).bytes(bytes));
    let mut run = setting.begin();
    let seen: Rc<RefCell<(u64, u64)>> = Rc::default();
    let counting = seen.clone();
    run.world.intercept(run.links[LINKS - 1].forth(), move |_, packet| {
        if packet.payload.len() >= DATA_MIN {
            let (packets, payload) = &mut *counting.borrow_mut();
            (*packets, *payload) = (*packets + 1, *payload + packet.payload.len() as u64);
        }
        true
    });
    run.finish(0, Duration::from_secs(60)).map_err(RunError::broken)?;
    if run.stats(0)[0].iter().any(|stats| stats.channel.lost > 0) || helped && run.helper_stats(0).joins == 0 {
        return Err(RunError::broken("packets were lost, or went another way"));
    }
    let (packets, payload) = *seen.borrow();
    Ok(((payload as f64 - bytes as f64) / packets as f64 + UDP_BYTES, packets))
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let ((direct, _), (helped, packets)) = (headers(context, false)?, headers(context, true)?);
    let (flow, semantic) = (helped - direct, direct - UDP_BYTES - CHANNEL_BYTES);
    let layers = [
        ("semantic", semantic, semantic),
        ("isolation", CHANNEL_BYTES, CHANNEL_BYTES),
        ("flow", 0.0, flow),
        ("endpoint", UDP_BYTES, UDP_BYTES),
    ];
    let head = ["layer", "direct", "helped", "the paper's SST", "legacy"];
    let mut table = Table::new(&head).titled("Header bytes of a data packet");
    let cell = |bytes: f64| format!("{bytes:.1}");
    for ((name, direct, helped), (_, sst, legacy, protocol)) in layers.iter().zip(PAPER) {
        table.row(vec![
            (*name).to_owned(),
            cell(*direct),
            cell(*helped),
            cell(sst),
            format!("{legacy:.0} ({protocol})"),
        ]);
    }
    table.row(vec!["all".into(), cell(direct), cell(helped), cell(PAPER_TOTAL), format!("{LEGACY_TOTAL:.0}")]);
    let root = root(&context.text("source"))?;
    let mut code = Table::new(&["layer", "semicolons", "lines of code", "the paper's SST", "legacy"]).titled("Code");
    let (mut all, mut sizes) = (Size::default(), Vec::new());
    for (place, (name, folders, sst, legacy)) in CODE.iter().enumerate() {
        let mut size = Size::default();
        for folder in *folders {
            size.add(size_of(&root.join(folder))?);
        }
        if place < LAYERS {
            all.add(size);
        }
        let cells = [*name, &size.semicolons.to_string(), &size.lines.to_string(), *sst, *legacy];
        code.row(cells.map(str::to_owned).to_vec());
        sizes.push(json!({ "name": name, "size": size }));
    }
    code.row(vec![
        "the four layers".into(),
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
        "direct_bytes": direct, "helped_bytes": helped, "flow_bytes": flow, "semantic_bytes": semantic,
        "packets": packets, "code": sizes, "layers": all,
    });
    Ok(Outcome::new(results)
        .table(table)
        .table(code)
        .plot(plot)
        .check(Check::new("header of a helped packet, UDP's included", helped, "B", HELPED).paper("52 B; legacy protocols 76 B"))
        .check(Check::new("header of a direct packet, UDP's included", direct, "B", DIRECT).paper("52 B"))
        .check(
            Check::new("semicolons of the four layers", all.semicolons as f64, "", Goal::AtMost(LEGACY_SEMICOLONS))
                .paper("3,130 of the prototype; 14,100 of legacy protocols"),
        )
        .note(
            "What is measured is the whole and, as the difference of the two, the flow layer's part; of the rest the channel's 25 bytes are those of its \
             format, and what remains is the stream's. Acknowledgments that data packets carry are in the averages.",
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
        assert!(!HELPED.holds(LEGACY_TOTAL), "legacy protocols are the control");
    }
}
