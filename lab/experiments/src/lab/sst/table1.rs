//! What headers cost: the paper's Table 1.

use core::time::Duration;
use std::collections::BTreeMap;

use serde_json::json;
use tng_sim::IpProtocol;
use tng_trace::Memory;

use crate::Run;
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds, simulate};
use crate::page::{Axis, Plot, Series};
use crate::scenario::FlowProtocol;

/// Table 1.
pub static TABLE1: Experiment = Experiment {
    name: "sst/table1",
    title: "Header bytes of packets",
    source: "SST 5.7, Table 1",
    claim: "with a keyed checksum structured streams cost no more bytes of headers than TCP without options, but for 4 \
            where data goes with acks, and in UDP no more than TCP with the timestamps that it has today; datagrams \
            no more than in SST's prototype; encrypted they cost no more than QUIC",
    about: "Small writes on one stream between two hosts, captured as they leave these; what is no application data in \
            a packet is its header. Forth alone for data and acks, both ways for data with acks, with losses forth for \
            selective acks. As in the paper headers of IP do not count, nor UDP's 8 bytes, since ours could stand on \
            IP without them; rows and checks of their own have them.",
    params: &[
        Param::size("size", "100B", "of each write, from 64 B, more than any ack has, to 1 kB"),
        Param::share("loss", "3%", "of packets forth, where selective acks are looked for: mostly of one gap"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run,
};

/// Kinds of packets: the rows of the paper's table for streams, and its data packets of datagrams.
const KINDS: [&str; 6] = ["data", "ack", "selective ack", "data and ack", "data and selective ack", "datagram"];

/// Bytes of each kind of packet, where it was seen.
type Row = [Option<f64>; KINDS.len()];

/// The paper's figures; a `+` there is left out, and 0 where it has none.
const PAPER: [(&str, [u32; KINDS.len()]); 5] = [
    ("SST, with its light checksum", [20, 20, 20, 20, 20, 16]),
    ("TCP", [20, 20, 32, 20, 32, 0]),
    ("SCTP", [28, 28, 28, 44, 44, 0]),
    ("UDP", [0, 0, 0, 0, 0, 8]),
    ("DCCP", [0, 16, 20, 16, 20, 12]),
];

/// Writes are so far apart that each is a packet of its own, and every ack has time to leave.
const EVERY: Duration = Duration::from_millis(50);
/// When the other end writes, if both do: what it has to acknowledge still waits.
const LATER: Duration = Duration::from_millis(3);
/// Set-up, which does not count.
const SET_UP: Duration = Duration::from_secs(1);
/// What is sent in this time from the first write on does not count: a connection's first acks tell of marks, too.
const SETTLED: Duration = Duration::from_secs(3);
/// How long writes go on.
const WRITES: Duration = Duration::from_secs(20);
/// Step of the series, which nobody looks at here.
const STEP: Duration = Duration::from_millis(100);

const A: [u8; 4] = [10, 0, 0, 1];

/// What a write has at least: a packet that is shorter has none.
const SIZE_MIN: u64 = 64;
/// Bytes of the header of UDP.
const UDP_LEN: u64 = 8;

/// Most bytes with a keyed checksum: those that TCP without options has, but 4 more where data goes with an ack and 6
/// less in a selective ack; of a datagram, which TCP has not, those of the prototype.
const MOST: [f64; KINDS.len()] = [20.0, 20.0, 26.0, 24.0, 32.0, 16.0];
/// Bytes less than another protocol has in the same kind of packet.
const BELOW: Goal = Goal::AtLeast(0.0);

/// Who is measured.
#[derive(Clone, Copy)]
struct Party {
    name: &'static str,
    protocol: FlowProtocol,
    weak: bool,
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let size = context.size("size");
    if !(SIZE_MIN..=1000).contains(&size) {
        let why = format!("a write has from {SIZE_MIN} B to 1 kB, so that each is a packet and longer than any ack");
        return Err(RunError::Params(why));
    }
    let parties = [
        ("tng, keyed checksum", FlowProtocol::TNG, true),
        ("tng, encrypted", FlowProtocol::TNG, false),
        ("QUIC, encrypted", FlowProtocol::QUIC, false),
        ("TCP with timestamps", FlowProtocol::TCP, false),
    ];
    let head: Vec<&str> = ["protocol"].into_iter().chain(KINDS).collect();
    let mut table = Table::new(&head).titled("Bytes of headers, measured");
    let mut plot = Plot::new("Bytes of headers", Axis::names(&KINDS), Axis::new("header", "B"));
    let mut figures = Vec::new();
    let (mut rows, mut in_udp) = (Vec::new(), Vec::new());
    for (name, protocol, weak) in parties {
        let party = Party { name, protocol, weak };
        context.progress(party.name);
        let row = headers(context, party, size)?;
        add(&mut table, party.name, &row);
        plot.series.push(series(party.name, &row));
        if protocol.row().seat.protocol == IpProtocol::Udp {
            in_udp.push((format!("{name}, in UDP"), row.map(|bytes| bytes.map(|bytes| bytes + UDP_LEN as f64))));
        }
        figures.push(json!({ "protocol": party.name, "kinds": KINDS, "header_bytes": row }));
        rows.push(row);
    }
    in_udp.iter().for_each(|(name, row)| add(&mut table, name, row));
    let mut paper = Table::new(&head).titled("As published in 2007");
    for (name, row) in PAPER {
        let (name, row) = (format!("{name}, published"), row.map(|bytes| (bytes > 0).then_some(f64::from(bytes))));
        add(&mut paper, &name, &row);
        plot.series.push(series(&name, &row));
    }
    let of = |party: usize, kind: usize| rows[party][kind].unwrap_or(f64::NAN);
    let mut checks = Vec::new();
    for (kind, (name, most)) in KINDS.into_iter().zip(MOST).enumerate() {
        let [sst, tcp] = [0, 1].map(|party: usize| PAPER[party].1[kind]);
        let published = if tcp > 0 { format!("{sst} B, TCP without options {tcp} B") } else { format!("{sst} B") };
        let check = Check::new(format!("{name}: keyed checksum"), of(0, kind), "B", Goal::AtMost(most));
        checks.push(check.paper(published));
    }
    let (ours, sealed, quic, tcp) = (0, 1, 2, 3);
    for (words, of_ours, in_udp, theirs, whose) in [
        ("keyed checksum", ours, 0, tcp, "TCP with timestamps"),
        ("keyed checksum in UDP", ours, UDP_LEN, tcp, "TCP with timestamps"),
        ("encrypted", sealed, 0, quic, "QUIC"),
    ] {
        for (kind, name) in KINDS.into_iter().enumerate() {
            if let Some(theirs) = rows[theirs][kind] {
                let less = theirs - of(of_ours, kind) - in_udp as f64;
                checks.push(Check::new(format!("{name}: {words}, shorter than {whose} by"), less, "B", BELOW));
            }
        }
    }
    let outcome = Outcome::new(json!({ "measured": figures })).table(table).table(paper).plot(plot);
    let mut outcome = checks.into_iter().fold(outcome, Outcome::check);
    outcome = outcome.note(
        "The keyed checksum and TCP's have no secrecy; encryption adds what any sealed protocol adds. The most \
         frequent size of a kind counts; now and then a packet also carries other control.",
    );
    outcome = outcome.note(
        "TCP measured here has timestamps, 12 B, as it has wherever it is spoken today; the paper's has no options. \
         Ours and QUIC are both in UDP, so that between them it makes no difference.",
    );
    outcome = outcome.note(
        "Where others have no figure for data with a selective ack, none was seen: they fill a hole before the next \
         write comes.",
    );
    outcome = outcome.note(
        "A channel of ours is named by 6 bytes that cannot be guessed, the prototype's by one; and an acknowledgment \
         is a range and a delay, not a number alone. Counts of marks go with it where marks are not what was foreseen, \
         4 bytes and more, until they are known to have arrived: so do the first acks of a connection. From 16,384 \
         packets on the number that an ack tells takes 2 bytes more.",
    );
    Ok(outcome)
}

fn add(table: &mut Table, name: &str, row: &Row) {
    let cell = |bytes: &Option<f64>| bytes.map_or("–".to_owned(), |bytes| format!("{bytes:.0}"));
    table.row([name.to_owned()].into_iter().chain(row.iter().map(cell)).collect());
}

fn series(name: &str, row: &Row) -> Series {
    let points = row.iter().enumerate().filter_map(|(kind, bytes)| Some((kind as f64, (*bytes)?)));
    Series::points(name, points.collect())
}

/// Bytes of headers of each kind of packet.
fn headers(context: &Context<'_>, party: Party, size: u64) -> Result<Row, RunError> {
    let stream = |name: &str, direction: &str, later: Duration| {
        let start = (SET_UP + later).as_millis();
        format!(
            "[[flow.stream]]\nname='{name}'\ndirection='{direction}'\nstart='{start}ms'\nchunk={size}\n\
             interval='{}ms'\nduration='{}ms'\n",
            EVERY.as_millis(),
            WRITES.as_millis()
        )
    };
    let forth = stream("forth", "forth", Duration::ZERO);
    let both = format!("{forth}{}", stream("back", "back", LATER));
    let datagrams = format!(
        "[[flow.datagrams]]\nname='d'\nsize={size}\ninterval='{}ms'\nduration='{}ms'\n",
        EVERY.as_millis(),
        WRITES.as_millis()
    );
    let plain = capture(context, party, &forth, "0%")?;
    let mutual = capture(context, party, &both, "0%")?;
    let [lossy, lossy_mutual] = [&forth, &both].map(|flow| capture(context, party, flow, context.given("loss")));
    let (lossy, lossy_mutual) = (lossy?, lossy_mutual?);
    let datagram = match party.protocol.lacks("datagrams") {
        Some(_) => None,
        None => frequent(with(&capture(context, party, &datagrams, "0%")?[0], size)),
    };
    let (ack, data_ack) = (frequent(alone(&plain[1], size)), frequent(with(&mutual[1], size)));
    // Of what says more than an ack does where nothing is lost.
    let more = |than: Option<u64>| move |len: &u64| than.is_some_and(|than| *len > than);
    let selective = frequent(alone(&lossy[1], size).filter(more(ack)));
    let data_selective = frequent(with(&lossy_mutual[1], size).filter(more(data_ack)));
    let row = [frequent(with(&plain[0], size)), ack, selective, data_ack, data_selective, datagram];
    Ok(row.map(|bytes| bytes.map(|bytes| bytes as f64)))
}

/// Bytes of headers of packets with a write.
fn with(sizes: &[u64], size: u64) -> impl Iterator<Item = u64> {
    sizes.iter().filter_map(move |len| len.checked_sub(size))
}

/// Bytes of packets without one.
fn alone(sizes: &[u64], size: u64) -> impl Iterator<Item = u64> {
    sizes.iter().copied().filter(move |len| *len < size)
}

/// The most frequent of some sizes; of several the smallest.
fn frequent(sizes: impl Iterator<Item = u64>) -> Option<u64> {
    let mut counts = BTreeMap::new();
    sizes.for_each(|size| *counts.entry(size).or_insert(0_u32) += 1);
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(size, _)| size)
}

/// Bytes behind the IP header, and UDP's, of every packet once the connection has settled: those that leave the sender,
/// and its receiver.
fn capture(context: &Context<'_>, party: Party, flow: &str, loss: &str) -> Result<[Vec<u64>; 2], RunError> {
    let Party { protocol, weak, .. } = party;
    // The connection is there before anybody writes: otherwise each end would begin one.
    let greeting = "[[flow.stream]]\nname='greeting'\nbytes='1kB'\n";
    let text = format!(
        "[world]\nduration='{}ms'\n\
         [[node]]\nname='a'\naddresses=['10.0.0.1']\nweak={weak}\n\
         [[node]]\nname='b'\naddresses=['10.0.0.2']\nweak={weak}\n\
         [[link]]\nbetween=['a','b']\nrate='10mbit'\ndelay='1ms'\nforth={{loss='{loss}'}}\n\
         [[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='{}'\n{greeting}{flow}",
        (SET_UP + 2 * WRITES).as_millis(),
        protocol.name()
    );
    let scenario = simulate::scenario(&text, &[], context.seed, STEP)?;
    let out = Memory::default();
    let mut run = Run::new(context.world(scenario));
    run.capture(Box::new(out.clone())).map_err(RunError::broken)?;
    let report = run.finish().map_err(RunError::broken)?;
    if let Some(why) = report.flows.iter().find_map(|flow| flow.failure.as_ref()) {
        return Err(RunError::broken(why));
    }
    let mut sizes = [Vec::new(), Vec::new()];
    for frame in frames(&out.bytes()) {
        let place = if frame.src == A { 0 } else { 1 };
        // Each host's own end of the link: as it left.
        if frame.interface == place as u32 && frame.time >= SET_UP + SETTLED {
            sizes[place].push(frame.len);
        }
    }
    Ok(sizes)
}

/// An IPv4 packet of a capture.
struct Frame {
    interface: u32,
    time: Duration,
    src: [u8; 4],
    /// Bytes behind the IP header, and UDP's.
    len: u64,
}

/// The IPv4 packets of a pcapng file of our own: little endian, times in nanoseconds.
fn frames(file: &[u8]) -> Vec<Frame> {
    const ENHANCED_PACKET: u32 = 6;
    const UDP: u8 = 17;
    const IP_LEN: u64 = 20;
    let u32_at = |at: usize| file.get(at..at + 4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    let (mut at, mut found) = (0, Vec::new());
    while let (Some(kind), Some(total)) = (u32_at(at), u32_at(at + 4)) {
        let words = [8, 12, 16, 24].map(|offset| u32_at(at + offset));
        if let (ENHANCED_PACKET, [Some(interface), Some(high), Some(low), Some(len)]) = (kind, words)
            && let Some(ip) = file.get(at + 28..at + 28 + 20)
            && ip[0] == 0x45
        {
            let headers = if ip[9] == UDP { IP_LEN + UDP_LEN } else { IP_LEN };
            let src = [ip[12], ip[13], ip[14], ip[15]];
            let time = Duration::from_nanos(u64::from(high) << 32 | u64::from(low));
            found.push(Frame { interface, time, src, len: u64::from(len).saturating_sub(headers) });
        }
        at += (total as usize).max(12);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn headers_are_as_short_as_is_claimed_and_tcp_has_those_of_its_specification() {
        let record = measured(&TABLE1, 1, &[]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        let tcp = record.outcome.results["measured"].as_array().and_then(|rows| {
            rows.iter().find(|row| row["protocol"].as_str().is_some_and(|name| name.starts_with("TCP")))
        });
        // 20 bytes and timestamps with padding; a selective ack of one block has 12 more.
        let tcp = tcp.expect("TCP is measured");
        assert_eq!(tcp["header_bytes"], json!([32.0, 32.0, 44.0, 32.0, null, null]), "{record}");
    }

    #[test]
    fn headers_do_not_depend_on_the_size_of_what_they_stand_before() {
        // But for the length of numbers: offsets, which grow with what was sent before.
        let of = |size: &str| measured(&TABLE1, 1, &[size]).outcome.results["measured"][0]["header_bytes"][0].clone();
        assert_eq!(of("size=400B"), of("size=800B"));
    }

    #[test]
    fn encrypted_packets_are_too_long_for_the_goal_of_light_ones() {
        let record = measured(&TABLE1, 1, &[]);
        let encrypted = record.outcome.results["measured"][1]["header_bytes"][0].as_f64().expect("a figure");
        assert!(encrypted > MOST[0], "{record}");
    }

    #[test]
    fn writes_that_could_be_taken_for_acks_are_refused() {
        let params = TABLE1.params(&["size=16B".to_owned()]).expect("a size");
        let error = TABLE1.measure(1, params, false, &|_| ()).expect_err("too short");
        assert!(error.to_string().contains("from 64 B to 1 kB"), "{error}");
        let of = |size: &str| measured(&TABLE1, 1, &[size]).outcome.results["measured"].clone();
        let (least, most) = (of("size=64B"), of("size=300B"));
        for party in 0..4 {
            let ack = |of: &serde_json::Value| of[party]["header_bytes"][1].clone();
            assert!(ack(&least).is_number() && ack(&least) == ack(&most), "{least} {most}");
        }
    }

    #[test]
    fn the_most_frequent_size_counts() {
        assert_eq!(frequent([3, 1, 2, 3, 2].into_iter()), Some(2));
        assert_eq!(frequent([].into_iter()), None);
    }

    #[test]
    fn what_is_no_capture_has_no_frames() {
        assert!(frames(&[]).is_empty());
        assert!(frames(&[6, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]).is_empty());
    }
}
