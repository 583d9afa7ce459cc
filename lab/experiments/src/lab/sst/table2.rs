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
    claim: "structured streams, security included, are not more code than transports that do less",
    about: "Semicolons of the sources, as the paper counts them, without comments, texts and tests; and lines that hold code, since \
            Rust gets by with fewer semicolons than the C and C++ of the paper's table.",
    params: &[Param::text(
        "source",
        "",
        "folder of the sources; unless given, the one around the current folder, or where this was built",
    )],
    worlds: Worlds::Virtual,
    run,
};

/// What is counted: a name, its folders, and whether it is a part of what the paper calls SST.
const COMPONENTS: [(&str, &[&str], bool); 8] = [
    ("structured streams", &["layers/semantic"], true),
    ("channel: numbers, acks, loss detection", &["parts/channel"], true),
    ("congestion control", &["parts/congestion", "layers/flow"], true),
    ("key exchange and encryption", &["layers/isolation", "parts/crypto"], true),
    ("addresses and paths", &["layers/endpoint"], true),
    ("a host: connections, migration", &["stack"], true),
    ("what all use: time, bytes", &["parts/base", "parts/wire"], true),
    ("reference TCP, without congestion control", &["transports/tcp"], false),
];

/// The paper's counts of semicolons.
const PAPER: [(&str, u64); 12] = [
    ("SST, prototype", 4_400),
    ("TCP, prototype", 540),
    ("TCP, Linux 2.6.20", 5_400),
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

/// Semicolons of everything that the paper calls SST: no more than its largest transport has, Linux's SCTP.
const SST: Goal = Goal::AtMost(8_000.0);
/// Semicolons of the reference TCP: no more than Linux's.
const TCP: Goal = Goal::AtMost(5_400.0);

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
    let (mut sizes, mut sst, mut tcp, mut bars) = (Vec::new(), Size::default(), Size::default(), Vec::new());
    let row = |table: &mut Table, name: &str, size: Size| {
        table.row(vec![name.to_owned(), size.semicolons.to_string(), size.lines.to_string()]);
    };
    for (name, folders, of_sst) in COMPONENTS {
        let mut size = Size::default();
        for folder in folders {
            size.add(folder_size(&root.join(folder).join("src"))?);
        }
        if of_sst {
            sst.add(size)
        } else {
            tcp.add(size)
        }
        row(&mut table, name, size);
        sizes.push(json!({ "name": name, "size": size }));
    }
    row(&mut table, "all of it but TCP", sst);
    let mut paper = Table::new(&["the paper's", "semicolons"]).titled("As published in 2007");
    for (name, count) in PAPER {
        paper.row(vec![name.to_owned(), count.to_string()]);
        bars.push((name, count));
    }
    bars.splice(0..0, [("ours, all but TCP", sst.semicolons), ("ours, TCP", tcp.semicolons)]);
    let names: Vec<&str> = bars.iter().map(|(name, _)| *name).collect();
    let points = bars.iter().enumerate().map(|(place, (_, count))| (place as f64, *count as f64)).collect();
    let plot = Plot::new("Code size", Axis::names(&names), Axis::new("semicolons", ""))
        .series(Series::bars("semicolons", points));
    let ours = sst.semicolons as f64;
    Ok(Outcome::new(json!({ "components": sizes, "sst": sst, "tcp": tcp }))
        .table(table)
        .table(paper)
        .plot(plot)
        .check(Check::new("semicolons, all but TCP", ours, "", SST).paper("4,400, and 8,000 of Linux's SCTP"))
        .check(
            Check::new("semicolons, reference TCP", tcp.semicolons as f64, "", TCP).paper("540, and 5,400 of Linux's"),
        ))
}

/// The folder of the sources.
fn root(given: &str) -> Result<PathBuf, RunError> {
    let is_root = |folder: &Path| {
        COMPONENTS
            .iter()
            .all(|(_, folders, _)| folders.iter().all(|component| folder.join(component).join("src").is_dir()))
    };
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

/// All Rust below a folder, tests left out.
fn folder_size(folder: &Path) -> Result<Size, RunError> {
    let broken = |error| RunError::Environment {
        problem: format!("reading {}: {error}", folder.display()),
        remedy: "a folder that may be read".to_owned(),
    };
    let mut size = Size::default();
    for entry in fs::read_dir(folder).map_err(broken)? {
        let path = entry.map_err(broken)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "tests" {
            size.add(folder_size(&path)?);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            size.add(text_size(&fs::read_to_string(&path).map_err(broken)?));
        }
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
    fn a_folder_without_them_is_refused() {
        let params = TABLE2.params(&["source=/nowhere".to_owned()]).expect("a text");
        let error = TABLE2.measure(1, params, false, &|_| ()).expect_err("nothing to count");
        assert!(matches!(&error, RunError::Environment { remedy, .. } if remedy.contains("--set source=")), "{error}");
    }
}
