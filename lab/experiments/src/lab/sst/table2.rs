//! How much code it is: the paper's Table 2.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// Table 2.
pub static TABLE2: Experiment = Experiment {
    name: "sst/table2",
    title: "Code size",
    source: "SST 5.8, Table 2",
    claim: "structured streams with their security are no more code than the paper's prototype, and with it less than \
            Linux's TCP is without; the TCP that they are measured beside is no more than the paper's",
    about: "Semicolons of the sources, as the paper counts them, without comments, texts and tests; and lines that \
            hold code, since Rust gets by with fewer semicolons than the C and C++ of the paper's table. Structured \
            streams and TCP each count with all that they use of this project: what both use counts in both. Of \
            congestion controllers structured streams have all, TCP one, as the paper's has. Ciphers, hashes and \
            signatures are other libraries' on both sides.",
    params: &[Param::text(
        "source",
        "",
        "folder of the sources; unless given, the one around the current folder, or where this was built",
    )],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run,
};

/// What a component is a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// What the paper calls SST, which has security.
    Streams,
    /// The same: its security.
    Security,
    /// The reference TCP.
    Tcp,
    /// Structured streams and the reference TCP.
    Both,
}

/// What is counted: a name, its folders and files, and what it is a part of.
const COMPONENTS: [(&str, &[&str], Part); 10] = [
    ("structured streams", &["layers/semantic/src"], Part::Streams),
    ("channel: numbers, acks, loss detection", &["parts/channel/src"], Part::Streams),
    ("flows, sections, and controllers that TCP does without", &CONTROLLERS, Part::Streams),
    ("key exchange and encryption", &["layers/isolation/src", "parts/crypto/src"], Part::Security),
    ("addresses and paths", &["layers/endpoint/src"], Part::Streams),
    ("a host: connections, migration", &["stack/src"], Part::Streams),
    ("the reference TCP", &["transports/tcp/src"], Part::Tcp),
    ("congestion control with NewReno, and pacing", &NEWRENO, Part::Both),
    ("time, events, random numbers", &["parts/base/src"], Part::Both),
    ("bytes on the wire", &["parts/wire/src"], Part::Both),
];

/// Congestion control with one controller.
const NEWRENO: [&str; 10] = [
    "parts/congestion/src/controller.rs",
    "parts/congestion/src/integers.rs",
    "parts/congestion/src/lib.rs",
    "parts/congestion/src/newreno.rs",
    "parts/congestion/src/pacer.rs",
    "parts/congestion/src/registry.rs",
    "parts/congestion/src/regulation.rs",
    "parts/congestion/src/rtt.rs",
    "parts/congestion/src/slow_start.rs",
    "parts/congestion/src/window.rs",
];

/// What else there is of congestion control.
const CONTROLLERS: [&str; 13] = [
    "layers/flow/src",
    "parts/congestion/src/bbr.rs",
    "parts/congestion/src/bbr",
    "parts/congestion/src/cubic.rs",
    "parts/congestion/src/eln.rs",
    "parts/congestion/src/equation.rs",
    "parts/congestion/src/equation",
    "parts/congestion/src/fixed.rs",
    "parts/congestion/src/lease.rs",
    "parts/congestion/src/reno.rs",
    "parts/congestion/src/sections.rs",
    "parts/congestion/src/unlimited.rs",
    "parts/congestion/src/vegas.rs",
];

/// Semicolons of the paper's prototypes.
const PROTOTYPE: u64 = 4_400;
const PROTOTYPE_TCP: u64 = 540;
/// Semicolons of TCP in Linux 2.6.20.
const LINUX_TCP: u64 = 5_400;

/// The paper's counts of semicolons.
const PAPER: [(&str, u64); 12] = [
    ("SST, prototype", PROTOTYPE),
    ("TCP, prototype", PROTOTYPE_TCP),
    ("TCP, Linux 2.6.20", LINUX_TCP),
    ("SCTP, Linux 2.6.20", 8_000),
    ("DCCP, Linux 2.6.20", 2_900),
    ("UDP, Linux 2.6.20", 630),
    ("TCP, FreeBSD 5.4", 4_400),
    ("UDP, FreeBSD 5.4", 510),
    ("TCP, 4.3BSD", 990),
    ("RDP, 4.3BSD", 900),
    ("UDP, 4.3BSD", 170),
    ("libssl, OpenSSL 0.9.8e", 13_000),
];

/// Semicolons of all that structured streams use: no more than the paper's count of the same thing.
const OURS: Goal = Goal::AtMost(PROTOTYPE as f64);
/// The same: no more than the transport has that everybody uses. So it is in the paper.
const SMALLER: Goal = Goal::AtMost(LINUX_TCP as f64);
/// Semicolons of all that the reference TCP uses: no more than the paper's count of its own.
const TCP: Goal = Goal::AtMost(PROTOTYPE_TCP as f64);

/// Files that hold tests alone, those of other crates included.
const TESTS: [&str; 2] = ["tests.rs", "battery.rs"];

/// What some files hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Size {
    pub(crate) semicolons: u64,
    pub(crate) lines: u64,
}

impl Size {
    pub(crate) fn add(&mut self, other: Size) {
        self.semicolons += other.semicolons;
        self.lines += other.lines;
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let root = root(&context.text("source"))?;
    let mut table = Table::new(&["ours", "semicolons", "lines of code"]).titled("Counted now");
    let (mut sizes, mut bars) = (Vec::new(), Vec::new());
    let (mut streams, mut security, mut tcp) = (Size::default(), Size::default(), Size::default());
    let row = |table: &mut Table, name: &str, size: Size| {
        table.row(vec![name.to_owned(), size.semicolons.to_string(), size.lines.to_string()]);
    };
    for (name, places, part) in COMPONENTS {
        let mut size = Size::default();
        for place in places {
            size.add(size_of(&root.join(place))?);
        }
        match part {
            Part::Streams => streams.add(size),
            Part::Security => security.add(size),
            Part::Tcp => tcp.add(size),
            Part::Both => {
                streams.add(size);
                tcp.add(size);
            }
        }
        row(&mut table, name, size);
        sizes.push(json!({ "name": name, "size": size }));
    }
    let mut sst = streams;
    sst.add(security);
    row(&mut table, "all of structured streams", sst);
    row(&mut table, "the same without security", streams);
    row(&mut table, "all of TCP, with one controller", tcp);
    let mut paper = Table::new(&["the paper's", "semicolons"]).titled("As published in 2007");
    for (name, count) in PAPER {
        paper.row(vec![name.to_owned(), count.to_string()]);
        bars.push((name, count));
    }
    bars.splice(0..0, [("ours, structured streams", sst.semicolons), ("ours, TCP", tcp.semicolons)]);
    let names: Vec<&str> = bars.iter().map(|(name, _)| *name).collect();
    let points = bars.iter().enumerate().map(|(place, (_, count))| (place as f64, *count as f64)).collect();
    let plot = Plot::new("Code size", Axis::names(&names), Axis::new("semicolons", ""))
        .series(Series::bars("semicolons", points));
    let count =
        |name: &str, size: Size, goal| Check::new(format!("semicolons, {name}"), size.semicolons as f64, "", goal);
    Ok(Outcome::new(json!({ "components": sizes, "sst": sst, "sst_without_security": streams, "tcp": tcp }))
        .table(table)
        .table(paper)
        .plot(plot)
        .check(count("structured streams with their security", sst, OURS).paper("4,400 of the prototype of SST"))
        .check(count("the same beside Linux's TCP", sst, SMALLER).paper("4,400 of SST, 5,400 of Linux's TCP"))
        .check(count("reference TCP", tcp, TCP).paper("540 of the bare-bones TCP beside SST"))
        .note(format!(
            "By the paper's prototypes: {:.2} times for structured streams, {:.2} times for TCP. The prototype of SST \
             lacks flow control and path MTU discovery, and has one congestion controller; that of TCP has only what \
             the paper's experiments need, while the reference TCP here has SACK, window scaling, timestamps and \
             reordering that is found out.",
            sst.semicolons as f64 / PROTOTYPE as f64,
            tcp.semicolons as f64 / PROTOTYPE_TCP as f64
        )))
}

/// The folder of the sources.
pub(crate) fn root(given: &str) -> Result<PathBuf, RunError> {
    let is_root =
        |folder: &Path| COMPONENTS.iter().all(|(_, places, _)| places.iter().all(|place| folder.join(place).exists()));
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let here = std::env::current_dir().unwrap_or_default();
    let found = match given {
        "" => here.ancestors().chain(built).find(|folder| is_root(folder)).map(Path::to_owned),
        given => Some(PathBuf::from(given)).filter(|folder| is_root(folder)),
    };
    found.ok_or_else(|| RunError::Environment {
        problem: "there are no sources here".to_owned(),
        remedy: "run it in a clone of the project, or name one with --set source=FOLDER".to_owned(),
    })
}

/// A file of Rust, or all below a folder, tests left out.
pub(crate) fn size_of(path: &Path) -> Result<Size, RunError> {
    let broken = |error| RunError::Environment {
        problem: format!("reading {}: {error}", path.display()),
        remedy: "a folder that may be read".to_owned(),
    };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut size = Size::default();
    if path.is_dir() && name != "tests" {
        for entry in fs::read_dir(path).map_err(broken)? {
            size.add(size_of(&entry.map_err(broken)?.path())?);
        }
    } else if name.ends_with(".rs") && !TESTS.contains(&name) {
        size = text_size(&fs::read_to_string(path).map_err(broken)?);
    }
    Ok(size)
}

/// A file's size, without the test module at its end.
fn text_size(text: &str) -> Size {
    let logic = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let bare = bare(logic);
    let lines = bare.lines().filter(|line| !line.trim().is_empty()).count();
    Size { semicolons: bare.matches(';').count() as u64, lines: lines as u64 }
}

/// Rust without its comments, and with texts and characters that hold nothing; line ends stay.
fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (len, kept) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), "")
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), "")
        } else if let Some(len) = raw_text(rest) {
            (len, "\"\"")
        } else if first == '"' {
            (quoted(rest, '"'), "\"\"")
        } else if first == '\'' && is_character(rest) {
            (quoted(rest, '\''), "''")
        } else {
            bare.push(first);
            (first.len_utf8(), "")
        };
        bare.push_str(kept);
        rest = &rest[len..];
    }
    bare
}

/// The length of a raw text that stands here: `r"..."`, `r#"..."#`.
fn raw_text(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('r')?;
    let hashes = behind.len() - behind.trim_start_matches('#').len();
    let inner = behind[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let len = inner.find(&end).map_or(inner.len(), |at| at + end.len());
    Some(1 + hashes + 1 + len)
}

/// The length of what stands in quotes here.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            char if char == quote => return at + char.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Whether a character stands here, and not a lifetime.
fn is_character(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    chars.next() == Some('\\') || chars.next() == Some('\'')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::measured;

    #[test]
    fn only_code_counts() {
        for (text, semicolons, lines) in [
            ("let a = 1;\n\n// b;\nlet c = 2; // d;\n", 2, 2),
            ("/* a;\n b; */ let c;", 1, 1),
            ("let a = \";\\\";\"; let b = ';'; let c = '\\'';", 3, 1),
            ("fn a<'b>(c: &'b str) { d; }", 1, 1),
            ("let a = r#\"; \"; \"#; let b = r\";\";", 2, 1),
            ("let attr;\nlet for_r = 1;", 2, 2),
            ("use a;\n#[cfg(test)]\nmod tests {\n    use b;\n}\n", 1, 1),
            ("", 0, 0),
        ] {
            assert_eq!(text_size(text), Size { semicolons, lines }, "{text:?}");
        }
    }

    #[test]
    fn the_sources_of_this_project_are_counted_and_what_both_use_counts_in_both() {
        let record = measured(&TABLE2, 1, &[]);
        let count = |of: &serde_json::Value| of["semicolons"].as_u64().expect("a count");
        let results = &record.outcome.results;
        let sizes = results["components"].as_array().expect("components");
        let sum = |parts: &[Part]| -> u64 {
            let of = COMPONENTS.iter().zip(sizes).filter(|((.., part), _)| parts.contains(part));
            of.map(|(_, size)| count(&size["size"])).sum()
        };
        assert!(sizes.iter().all(|size| count(&size["size"]) > 0), "{record}");
        assert_eq!(count(&results["sst"]), sum(&[Part::Streams, Part::Security, Part::Both]), "{record}");
        assert_eq!(count(&results["tcp"]), sum(&[Part::Tcp, Part::Both]), "{record}");
        assert!(sum(&[Part::Both]) > 300 && count(&results["sst"]) > 3_000, "{record}");
    }

    #[test]
    fn every_file_of_congestion_control_is_counted_once() {
        let root = root("").expect("the sources");
        let all = size_of(&root.join("parts/congestion/src")).expect("a folder");
        let mut counted = Size::default();
        let places = NEWRENO.iter().chain(CONTROLLERS.iter().filter(|place| place.starts_with("parts/")));
        places.for_each(|place| counted.add(size_of(&root.join(place)).expect(place)));
        assert_eq!(counted, all);
    }

    #[test]
    fn counts_above_what_a_goal_allows_do_not_hold() {
        assert!(OURS.holds(4_400.0) && !OURS.holds(4_401.0));
        assert!(SMALLER.holds(5_400.0) && !SMALLER.holds(5_401.0));
        assert!(TCP.holds(540.0) && !TCP.holds(541.0));
    }

    #[test]
    fn a_folder_without_them_is_refused() {
        let params = TABLE2.params(&["source=/nowhere".to_owned()]).expect("a text");
        let error = TABLE2.measure(1, params, false, &|_| ()).expect_err("nothing to count");
        assert!(matches!(&error, RunError::Environment { remedy, .. } if remedy.contains("--set source=")), "{error}");
    }
}
