//! The table.

use core::time::Duration;

use stp_guest_datagrams as datagrams;
use stp_guest_variants as tcp;
use tng_sim::Loss;
use tng_stp_host::Code;
use tng_stp_sandbox::{Engine, Module, built_in};

use super::bulk::Bulk;
use super::talk::Talk;
use super::{By, Entry, Extension, Mark, Show, policed, shown};
use crate::lab::Goal;
use crate::peers::guests::quotas;

/// In both ends or not at all.
const BOTH: [bool; 2] = [false, false];
const SENDER: [bool; 2] = [true, false];

fn tahoe(name: &str) -> Code {
    Code::native::<tcp::Tahoe>(name)
}

/// What all of these have in common: the rate of a transfer, and TCP of 1988.
const RATE: Entry = Entry {
    module: "tahoe",
    code: tahoe,
    baseline: tahoe,
    one_end: BOTH,
    what: "",
    unit: "Mbit/s",
    less: false,
    goal: Goal::AtLeast(1.1),
    measure: |bench, guest| Bulk::new(5_000_000, 60).of(bench, guest),
};

const fn guest(number: &'static str, name: &'static str, paper: Option<Mark>, entry: Entry) -> Extension {
    Extension { number, name, paper, ours: Mark::Yes, by: By::Guest(entry) }
}

const fn host(number: &'static str, name: &'static str, paper: Option<Mark>, shown: Show) -> Extension {
    Extension { number, name, paper, ours: Mark::Yes, by: By::Host(shown) }
}

const YES: Option<Mark> = Some(Mark::Yes);

/// All of them, in the order of the paper's Table 1.
pub static EXTENSIONS: [Extension; 27] = [
    host("1.1", "Connection migration", YES, shown::migration),
    guest(
        "1.2",
        "SACK",
        YES,
        Entry {
            module: "sack",
            code: |name| Code::native::<stp_guest_sack::Sack>(name),
            what: "rate where two to four in a row are lost",
            measure: |bench, guest| bursts(2, 4).of(bench, guest),
            ..RATE
        },
    ),
    guest(
        "1.3",
        "D-SACK",
        YES,
        Entry {
            module: "d-sack",
            code: |name| Code::native::<tcp::Dsack>(name),
            what: "rate where one in a hundred comes 20 ms late",
            measure: |bench, guest| late(0.01).of(bench, guest),
            ..RATE
        },
    ),
    guest(
        "1.4",
        "FACK",
        YES,
        Entry {
            module: "fack",
            code: |name| Code::native::<tcp::Fack>(name),
            what: "rate where four to eight in a row are lost",
            measure: |bench, guest| bursts(4, 8).of(bench, guest),
            ..RATE
        },
    ),
    guest(
        "1.5",
        "RFC 1323",
        YES,
        Entry {
            module: "rfc1323",
            code: |name| Code::native::<tcp::HighPerformance>(name),
            what: "rate over 20 Mbit/s and 200 ms",
            goal: Goal::AtLeast(1.5),
            measure: |bench, guest| Bulk { queue: 400, ..Bulk::new(20_000_000, 200) }.of(bench, guest),
            ..RATE
        },
    ),
    guest(
        "1.6",
        "TCPSAT",
        YES,
        Entry {
            module: "tcpsat",
            code: |name| Code::native::<tcp::Satellite>(name),
            what: "seconds for 1 MB over a satellite: 10 Mbit/s and 550 ms",
            unit: "s",
            less: true,
            goal: Goal::AtLeast(1.3),
            measure: |bench, guest| Bulk { queue: 600, ..Bulk::new(10_000_000, 550) }.takes(bench, guest, 1_000_000),
            ..RATE
        },
    ),
    host("1.7", "ECN", YES, shown::ecn),
    host("1.8", "ECN nonce", YES, shown::nonce),
    guest(
        "1.9",
        "RR-TCP",
        YES,
        Entry {
            module: "rr-tcp",
            code: |name| Code::native::<tcp::RrTcp>(name),
            what: "rate where one in twenty comes 20 ms late",
            measure: |bench, guest| late(0.05).of(bench, guest),
            ..RATE
        },
    ),
    Extension {
        number: "1.10",
        name: "WTCP",
        paper: Some(Mark::No),
        ours: Mark::No,
        by: By::Held("wtcp", shown::wtcp, shown::wtcp_trusted),
    },
    guest(
        "1.11",
        "The Eifel algorithm",
        YES,
        Entry {
            module: "eifel",
            code: |name| Code::native::<tcp::Eifel>(name),
            // What it is about; fast recovery is another extension.
            baseline: |name| Code::native::<tcp::FastRecovery>(name),
            // Longer than a timeout, and not so long that the host takes the path for a failed one: by then it opens
            // another channel, and with that both begin anew.
            what: "rate over a line that stands still for 350 ms in every 5 s, by fast recovery",
            goal: Goal::AtLeast(1.05),
            measure: |bench, guest| {
                Bulk { stands: Some((5_000, 350)), queue: 400, ..Bulk::new(5_000_000, 100) }.of(bench, guest)
            },
            ..RATE
        },
    ),
    guest(
        "1.12",
        "T/TCP",
        YES,
        Entry {
            module: "t-tcp",
            code: |name| Code::native::<datagrams::Ttcp>(name),
            // Transactions over connections as TCP begins them: a stream has none.
            baseline: |name| Code::native::<datagrams::ThreeWay>(name),
            what: "milliseconds of a request and its answer at 100 ms, by a three-way handshake each",
            unit: "ms",
            less: true,
            goal: Goal::AtLeast(1.8),
            measure: |bench, guest| {
                Talk { answered: true, ..Talk::new(10_000_000, 100, 40, 200, 500) }.mean_ms(bench, policed(guest))
            },
            ..RATE
        },
    ),
    guest(
        "1.13",
        "TFRC",
        YES,
        Entry {
            module: "tfrc",
            code: |name| Code::native::<datagrams::Tfrc>(name),
            what: "variation of the rate in half seconds, alone at 1 % of loss",
            unit: "%",
            less: true,
            measure: |bench, guest| lossy().varies(bench, guest),
            ..RATE
        },
    ),
    Extension {
        number: "1.14",
        name: "DCCP",
        paper: Some(Mark::Part),
        ours: Mark::Part,
        by: By::Guest(Entry {
            module: "dccp",
            code: |name| Code::native::<datagrams::Dccp>(name),
            what: "share of messages heard within 150 ms, 50 a second at 2 % of loss",
            unit: "",
            goal: Goal::AtLeast(1.02),
            measure: |bench, guest| voice().in_time(bench, policed(guest), Duration::from_millis(150)),
            ..RATE
        }),
    },
    guest(
        "1.15",
        "SCTP",
        YES,
        Entry {
            module: "sctp",
            code: |name| Code::native::<datagrams::Sctp>(name),
            what: "milliseconds of a message in the mean, 50 a second in 16 streams at 2 % of loss",
            unit: "ms",
            less: true,
            measure: |bench, guest| voice().mean_ms(bench, policed(guest)),
            ..RATE
        },
    ),
    guest(
        "1.16",
        "RAP",
        YES,
        Entry {
            module: "rap",
            code: |name| Code::native::<datagrams::Rap>(name),
            what: "share of messages heard within 150 ms, 50 a second at 2 % of loss",
            unit: "",
            goal: Goal::AtLeast(1.02),
            measure: |bench, guest| voice().in_time(bench, policed(guest), Duration::from_millis(150)),
            ..RATE
        },
    ),
    guest(
        "2.1",
        "NewReno",
        YES,
        Entry {
            module: "newreno",
            code: |name| Code::native::<stp_guest_newreno::NewReno>(name),
            one_end: SENDER,
            what: "rate where two in a row are lost",
            measure: |bench, guest| bursts(2, 2).of(bench, guest),
            ..RATE
        },
    ),
    guest(
        "2.2",
        "TCP Vegas",
        YES,
        Entry {
            module: "vegas-tcp",
            code: |name| Code::native::<tcp::VegasTcp>(name),
            one_end: SENDER,
            what: "rate over a line with a queue of 12 packets",
            measure: |bench, guest| Bulk { queue: 12, ..Bulk::new(5_000_000, 60) }.of(bench, guest),
            ..RATE
        },
    ),
    Extension {
        number: "2.3",
        name: "TCP Westwood",
        paper: Some(Mark::No),
        ours: Mark::No,
        by: By::Held("westwood", shown::westwood, shown::westwood_trusted),
    },
    guest(
        "2.4",
        "Karn/Partridge algorithm",
        YES,
        Entry {
            module: "karn",
            code: |name| Code::native::<tcp::Karn>(name),
            one_end: SENDER,
            what: "packets for a message a second, where round trips grow from 100 to 440 ms",
            unit: "packets",
            less: true,
            measure: |bench, guest| {
                let longer = Some((Duration::from_secs(15), Duration::from_millis(340)));
                Talk { longer, ..Talk::new(10_000_000, 100, 60, 400, 1_000) }.packets(bench, policed(guest))
            },
            ..RATE
        },
    ),
    host("2.5", "Congestion manager", YES, shown::congestion_manager),
    guest(
        "3.1",
        "Header prediction",
        None,
        Entry {
            module: "header-prediction",
            code: |name| module("header-prediction", name),
            baseline: |name| module("tahoe", name),
            one_end: [true, true],
            what: "instructions for a message of a segment, at both ends",
            unit: "fuel",
            less: true,
            goal: Goal::AtLeast(1.05),
            measure: |bench, guest| {
                let talk = Talk::new(50_000_000, 20, 4_000, 1_100, 2);
                bench.mean(|seed| {
                    let [talks, hears] = talk.run(bench, seed, policed(guest))?.fuel;
                    Ok((talks + hears) as f64 / talk.count as f64)
                })
            },
        },
    ),
    guest(
        "3.2",
        "Fast recovery",
        None,
        Entry {
            module: "fast-recovery",
            code: |name| Code::native::<tcp::FastRecovery>(name),
            one_end: SENDER,
            what: "rate at 0.5 % of loss",
            measure: |bench, guest| {
                Bulk { loss: Loss::Independent(0.005), ..Bulk::new(5_000_000, 60) }.of(bench, guest)
            },
            ..RATE
        },
    ),
    host("3.3", "SYN cookies", None, shown::cookies),
    guest(
        "3.4",
        "Limited transmit",
        None,
        Entry {
            module: "limited-transmit",
            code: |name| Code::native::<tcp::LimitedTransmit>(name),
            one_end: SENDER,
            what: "rate at 6 % of loss, where windows are of a few segments",
            goal: Goal::AtLeast(1.05),
            measure: |bench, guest| {
                Bulk { loss: Loss::Independent(0.06), secs: 80, ..Bulk::new(2_000_000, 60) }.of(bench, guest)
            },
            ..RATE
        },
    ),
    guest(
        "3.5",
        "Appropriate byte counting",
        None,
        Entry {
            module: "byte-counting",
            code: |name| Code::native::<tcp::ByteCounting>(name),
            one_end: SENDER,
            what: "seconds for 300 kB over 10 Mbit/s and 100 ms",
            unit: "s",
            less: true,
            goal: Goal::AtLeast(1.05),
            measure: |bench, guest| Bulk { queue: 200, ..Bulk::new(10_000_000, 100) }.takes(bench, guest, 300_000),
            ..RATE
        },
    ),
    guest(
        "3.6",
        "TCP Nice",
        None,
        Entry {
            module: "nice",
            code: |name| Code::native::<tcp::Nice>(name),
            one_end: SENDER,
            what: "rate that a flow of TCP has beside it on 5 Mbit/s",
            goal: Goal::AtLeast(1.3),
            measure: |bench, guest| Bulk { queue: 60, ..Bulk::new(5_000_000, 60) }.beside(bench, guest),
            ..RATE
        },
    ),
];

/// One for users, which is in no table.
pub static MEDIA: Entry = Entry {
    module: "media",
    code: |name| Code::native::<datagrams::Media>(name),
    what: "share of messages heard within 150 ms, 50 a second at 2 % of loss",
    unit: "",
    goal: Goal::AtLeast(1.03),
    measure: |bench, guest| voice().in_time(bench, policed(guest), Duration::from_millis(150)),
    ..RATE
};

fn bursts(least: u32, most: u32) -> Bulk {
    Bulk { loss: Loss::bursts(0.01, least..=most), secs: 80, ..Bulk::new(2_000_000, 100) }
}

fn late(share: f64) -> Bulk {
    Bulk { late: Some((share, 20)), ..Bulk::new(5_000_000, 60) }
}

fn lossy() -> Bulk {
    Bulk { loss: Loss::Independent(0.01), ..Bulk::new(5_000_000, 60) }
}

fn voice() -> Talk {
    Talk { loss: Loss::Independent(0.02), ..Talk::new(5_000_000, 80, 2_000, 200, 20) }
}

/// A module of the catalogue.
fn module(of: &str, name: &str) -> Code {
    let engine = Engine::new(quotas()).expect("this machine runs modules");
    let bytes = built_in(of).expect("it comes with the sandbox").bytes;
    let module = Module::new(&engine, bytes).expect("it is one that was built and tested");
    module.code(name).expect("it is a transport")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_21_extensions_the_paper_has_18_two_not_and_one_in_part_and_so_have_we() {
        let count = |mark| EXTENSIONS.iter().filter(|one| one.paper == Some(mark)).count();
        assert_eq!([Mark::Yes, Mark::No, Mark::Part].map(count), [18, 2, 1]);
        for extension in &EXTENSIONS {
            assert!(extension.paper.is_none_or(|paper| paper == extension.ours), "{}", extension.name);
            if let Some(module) = extension.module() {
                assert!(built_in(module).is_some(), "{} has no module", extension.name);
            }
        }
        assert!(built_in(MEDIA.module).is_some());
    }
}
