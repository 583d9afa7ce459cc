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
    claim: "structured streams are not more code than transports that do less: without their security no more than Linux's TCP, one \
            stream without any; with it no more than SCTP, the table's other transport of many streams and addresses, without any",
    about: "Semicolons of the sources, as the paper counts them, without comments, texts and tests; and lines that hold code, since \
            Rust gets by with fewer semicolons than the C and C++ of the paper's table. The reference TCP, which has SACK, window scaling and \
            timestamps, is counted with one congestion controller, as the table's TCPs of its time have it.",
    params: &[Param::text(
        "source",
        "",
        "folder of the sources; unless given, the one around the current folder, or where this was built",
    )],
    worlds: Worlds::Virtual,
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
}

/// What is counted: a name, its folders and files, and what it is a part of.
const COMPONENTS: [(&str, &[&str], Part); 9] = [
    ("structured streams", &["layers/semantic/src"], Part::Streams),
    ("channel: numbers, acks, loss detection", &["parts/channel/src"], Part::Streams),
    ("congestion control", &["parts/congestion/src", "layers/flow/src"], Part::Streams),
    ("key exchange and encryption", &["layers/isolation/src", "parts/crypto/src"], Part::Security),
    ("addresses and paths", &["layers/endpoint/src"], Part::Streams),
    ("a host: connections, migration", &["stack/src"], Part::Streams),
    ("what all use: time, bytes", &["parts/base/src", "parts/wire/src"], Part::Streams),
    ("reference TCP, without congestion control", &["transports/tcp/src"], Part::Tcp),
    ("NewReno for it", &NEWRENO, Part::Tcp),
];

/// One congestion controller, and what it stands on.
const NEWRENO: [&str; 6] = [
    "parts/congestion/src/controller.rs",
    "parts/congestion/src/fixed.rs",
    "parts/congestion/src/newreno.rs",
    "parts/congestion/src/rtt.rs",
    "parts/congestion/src/slow_start.rs",
    "parts/congestion/src/window.rs",
];

/// Semicolons of the paper's prototypes.
const PROTOTYPE: u64 = 4_400;
const PROTOTYPE_TCP: u64 = 540;
/// Semicolons of transports in Linux 2.6.20.
const LINUX_TCP: u64 = 5_400;
const LINUX_SCTP: u64 = 8_000;

/// The paper's counts of semicolons.
const PAPER: [(&str, u64); 12] = [
    ("SST, prototype", PROTOTYPE),
    ("TCP, prototype", PROTOTYPE_TCP),
    ("TCP, Linux 2.6.20", LINUX_TCP),
    ("SCTP, Linux 2.6.20", LINUX_SCTP),
    ("DCCP, Linux 2.6.20", 2_900),
    ("UDP, Linux 2.6.20", 630),
    ("TCP, FreeBSD 5.4", 4_400),
    ("UDP, FreeBSD 5.4", 510),
    ("TCP, 4.3BSD", 990),
    ("RDP, 4.3BSD", 900),
    ("UDP, 4.3BSD", 170),
    ("libssl, OpenSSL 0.9.8e", 13_000),
];

/// Semicolons of what the paper calls SST, without its security: no more than the transport has that everybody uses, for one
/// stream, and with as many congestion controllers.
const BARE: Goal = Goal::AtMost(LINUX_TCP as f64);
/// With it: no more than the one other transport of the table with many streams and several addresses has without.
const SECURE: Goal = Goal::AtMost(LINUX_SCTP as f64);
/// Semicolons of the reference TCP: no more than the smallest whole TCP of the table, 4.3BSD's. The paper's own lacks what its experiments
/// do not need.
const TCP: Goal = Goal::AtMost(990.0);

/// Files that hold tests alone, those of other crates included.
const TESTS: [&str; 2] = ["tests.rs", "battery.rs"];

/// What some files hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
struct Size {
    semicolons: u64,
    lines: u64,
}

impl Size {
    fn add(&mut self, other: Size) {
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
        }
        row(&mut table, name, size);
        sizes.push(json!({ "name": name, "size": size }));
    }
    let mut sst = streams;
    sst.add(security);
    row(&mut table, "all of structured streams", sst);
    row(&mut table, "the same without security", streams);
    row(&mut table, "all of TCP", tcp);
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
        .check(count("structured streams without security", streams, BARE).paper("5,400 of Linux's TCP"))
        .check(
            count("structured streams with security", sst, SECURE)
                .paper("8,000 of Linux's SCTP; 4,400 of the prototype"),
        )
        .check(count("reference TCP with one controller", tcp, TCP).paper("990 of 4.3BSD's; 540 of a bare-bones one"))
        .note(format!(
            "Both are larger than the paper's prototypes: {:.2} times for structured streams, {:.2} times for TCP. The prototype of SST lacks flow control \
             and path MTU discovery, and has one congestion controller; that of TCP has only what the paper's experiments need.",
            sst.semicolons as f64 / PROTOTYPE as f64,
            tcp.semicolons as f64 / PROTOTYPE_TCP as f64
        )))
}

/// The folder of the sources.
fn root(given: &str) -> Result<PathBuf, RunError> {
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
fn size_of(path: &Path) -> Result<Size, RunError> {
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
    fn the_sources_of_this_project_are_counted() {
        let record = measured(&TABLE2, 1, &[]);
        assert!(record.holds(), "{record}");
        let count = |name: &str| record.outcome.results[name]["semicolons"].as_u64().expect("a count");
        assert!(count("sst") > 3_000 && count("tcp") > 300, "{record}");
    }

    #[test]
    fn counts_above_what_a_goal_allows_do_not_hold() {
        assert!(BARE.holds(5_400.0) && !BARE.holds(5_401.0));
        assert!(SECURE.holds(8_000.0) && !SECURE.holds(8_001.0));
        assert!(TCP.holds(990.0) && !TCP.holds(991.0));
    }

    #[test]
    fn a_folder_without_them_is_refused() {
        let params = TABLE2.params(&["source=/nowhere".to_owned()]).expect("a text");
        let error = TABLE2.measure(1, params, false, &|_| ()).expect_err("nothing to count");
        assert!(matches!(&error, RunError::Environment { remedy, .. } if remedy.contains("--set source=")), "{error}");
    }
}
