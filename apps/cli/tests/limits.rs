//! docs/limits.md against the code: the tables of the page are the bounds of the code with the words that stand above
//! them.
//!
//! `TNG_WRITE=1 cargo test -p tng-cli --test limits` writes the page anew.

mod page;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use page::{grouped, root};

/// A constant of one of the number types whose name has one of these words is a bound or a default; one of type
/// `Duration` is anyway.
const WORDS: [&str; 35] = [
    "TURN",
    "MAX",
    "MIN",
    "LIMIT",
    "TRIES",
    "LIFE",
    "WINDOW",
    "BURST",
    "PER",
    "INITIAL",
    "BATCH",
    "BATCHES",
    "BUFFER",
    "DEFAULT",
    "JOBS",
    "SPARE",
    "PROBES",
    "STRIKES",
    "REMEMBERED",
    "AFTER",
    "ROUNDS",
    "KEPT",
    "CREDIT",
    "RANGES",
    "THRESHOLD",
    "DIVISOR",
    "INTERVALS",
    "FUEL",
    "ONCE",
    "ENTRIES",
    "TENTHS",
    "HUNDREDTHS",
    "FLOOR",
    "BEHIND",
    "ACK",
];

const BEGIN: &str = "<!-- gathered from the code by apps/cli/tests/limits.rs -->\n";

#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Bound {
    file: String,
    name: String,
    value: String,
    words: String,
}

/// The bounds in one file.
fn bounds(file: &str, text: &str) -> Vec<Bound> {
    let logic = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let (mut found, mut words) = (Vec::new(), Vec::new());
    let mut lines = logic.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if let Some(comment) = line.strip_prefix("///") {
            words.push(comment.trim());
            continue;
        }
        if line.starts_with("#[") {
            continue;
        }
        let mut item = line.to_owned();
        let public = ["pub const ", "pub(crate) const ", "pub(super) const ", "const "]
            .iter()
            .find_map(|p| line.strip_prefix(p));
        if let Some(declared) = public.filter(|declared| declared.contains(':') && !declared.starts_with("fn ")) {
            while !item.ends_with(';') {
                let Some(more) = lines.next() else { break };
                item = format!("{item} {more}");
            }
            let name = declared.split(':').next().unwrap_or_default().trim();
            let (kind, value) = item.split_once(": ").and_then(|(_, rest)| rest.split_once(" = ")).unwrap_or_default();
            let number = ["usize", "u8", "u16", "u32", "u64", "f64"].contains(&kind);
            let is_bound = kind.ends_with("Duration") || number && name.split('_').any(|word| WORDS.contains(&word));
            // What is public has words, or does not compile; a private one without any is of no interest.
            if is_bound && !words.is_empty() {
                found.push(Bound {
                    file: file.to_owned(),
                    name: name.to_owned(),
                    value: readable(value.trim_end_matches(';')),
                    words: plain(&words),
                });
            }
        }
        words.clear();
    }
    found
}

/// The ends of the names of types whose first values are defaults.
const OF_DEFAULTS: [&str; 3] = ["Config", "Options", "Quotas"];

/// The defaults in one file: the fields of each type of [`OF_DEFAULTS`] with the values that its first constructor
/// gives them.
fn defaults(file: &str, text: &str) -> Vec<Bound> {
    let logic = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    for after in logic.split("pub struct ").skip(1) {
        let Some((name, rest)) = after.split_once(" {\n") else { continue };
        if !OF_DEFAULTS.iter().any(|end| name.ends_with(end)) {
            continue;
        }
        let Some((fields, rest)) = rest.split_once("\n}") else { continue };
        let Some((_, body)) = rest.split_once(&format!("\n        {name} {{")) else { continue };
        let values = parts(body);
        let mut words = Vec::new();
        for line in fields.lines().map(str::trim) {
            if let Some(comment) = line.strip_prefix("///") {
                words.push(comment.trim());
            } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
                let value = values.iter().find_map(|value| value.trim().strip_prefix(&format!("{field}:")));
                found.extend(value.map(|value| Bound {
                    file: file.to_owned(),
                    name: format!("{name}::{field}"),
                    value: readable(value.trim()),
                    words: plain(&words),
                }));
                words.clear();
            }
        }
    }
    found
}

/// What stands between the commas of a literal, up to its closing brace.
fn parts(body: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, c) in body.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(&body[from..at]);
                from = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// Words of a comment as a cell of a table: without links to items, which lead nowhere there.
fn plain(words: &[&str]) -> String {
    let linked = words.join(" ");
    let (mut out, mut rest) = (String::new(), linked.as_str());
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let (inner, behind) = after.split_once(']').unwrap_or((after, ""));
        let target = behind.strip_prefix('(').and_then(|behind| behind.split_once(')'));
        rest = match target {
            Some((item, behind)) if item.contains("::") => behind,
            None if inner.starts_with('`') => behind,
            _ => {
                out.push('[');
                after
            }
        };
        if rest.len() < after.len() {
            out.push_str(inner);
        }
    }
    (out + rest).replace('|', "\\|")
}

/// A value as people write it: `1 << 13` is 8,192.
fn readable(value: &str) -> String {
    if let Some(inner) = value.strip_prefix("Some(").and_then(|value| value.strip_suffix(')')) {
        return readable(inner);
    }
    for (call, unit) in [("secs", "s"), ("millis", "ms"), ("micros", "µs"), ("nanos", "ns")] {
        let inner = value.split_once(&format!("Duration::from_{call}(")).and_then(|(_, rest)| rest.strip_suffix(')'));
        if let Some(n) = inner.and_then(number) {
            return format!("{} {unit}", grouped(n));
        }
    }
    number(value).map_or_else(|| format!("`{value}`"), grouped)
}

fn number(value: &str) -> Option<u64> {
    if let Some((a, b)) = value.split_once(" << ") {
        return number(a)?.checked_shl(u32::try_from(number(b)?).ok()?);
    }
    if let Some((a, b)) = value.split_once(" * ") {
        return number(a)?.checked_mul(number(b)?);
    }
    value.replace('_', "").parse().ok()
}

fn tables(crates: &[String], bounds: &[Bound]) -> String {
    let mut out = String::new();
    for home in crates {
        let mut rows = bounds.iter().filter(|bound| bound.file.starts_with(&format!("{home}/"))).peekable();
        if rows.peek().is_some() {
            let _ = write!(out, "\n### {home}\n\n| bound | value | where | what and why |\n|---|---|---|---|\n");
        }
        for Bound { file, name, value, words } in rows {
            let _ = writeln!(out, "| `{name}` | {value} | `{file}` | {words} |");
        }
    }
    out
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_test = path.file_name().is_some_and(|name| name == "tests" || name == "tests.rs");
        if path.is_dir() && !is_test {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !is_test {
            found.push(path);
        }
    }
}

/// The bounds and defaults of one crate.
fn of_crate(root: &Path, home: &str) -> Vec<Bound> {
    let (mut files, mut found) = (Vec::new(), Vec::new());
    sources(&root.join(home).join("src"), &mut files);
    files.sort();
    for path in files {
        let short = path.strip_prefix(root).expect("below the root").display().to_string();
        let text = fs::read_to_string(&path).expect("a source file");
        found.extend(bounds(&short, &text));
        found.extend(defaults(&short, &text));
    }
    found
}

/// They measure and try what runs elsewhere: their bounds hold nobody to anything.
const TOOLS: [&str; 2] = ["lab/bench", "fuzz"];

/// The folders of the workspace's crates in the order of its manifest, which is that of the page: none can be
/// forgotten.
fn crates(root: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("the workspace has a manifest");
    let listed = manifest.split_once("\nmembers = [").and_then(|(_, rest)| rest.split_once(']')).unwrap_or_default().0;
    listed.split('"').skip(1).step_by(2).filter(|home| !TOOLS.contains(home)).map(str::to_owned).collect()
}

#[test]
fn the_page_lists_every_bound_of_the_code_and_nothing_else() {
    let root = root();
    let crates = crates(&root);
    let found: Vec<Bound> = crates.iter().flat_map(|home| of_crate(&root, home)).collect();
    assert!(found.len() > 50, "the code has more bounds than {}", found.len());
    page::holds("docs/limits.md", BEGIN, &tables(&crates, &found), "limits");
}

#[test]
fn every_crate_of_the_workspace_is_looked_through() {
    let crates = crates(&root());
    let is_crate = |home: &String| root().join(home).join("Cargo.toml").is_file();
    assert!(crates.len() > 20 && crates.iter().all(is_crate), "{crates:?}");
    for home in ["parts/base", "transports/stp/sandbox", "apps/cli"] {
        assert!(crates.iter().any(|found| found == home), "{home} is not in {crates:?}");
    }
}

#[test]
fn a_default_is_found_with_its_value_and_its_words() {
    let text = "pub struct PondConfig {\n    /// Frogs, at\n    /// most.\n    pub frogs: usize,\n    /// Sleep.\n    \
                pub nap: Option<Duration>,\n}\n\nimpl Default for PondConfig {\n    fn default() -> PondConfig \
                {\n        PondConfig { frogs: 7, nap: Some(Duration::from_secs(3)) }\n    }\n}\n";
    let show = |b: &Bound| format!("{} = {}: {}", b.name, b.value, b.words);
    let found = defaults("a.rs", text);
    let expected = ["PondConfig::frogs = 7: Frogs, at most.", "PondConfig::nap = 3 s: Sleep."];
    assert_eq!(found.iter().map(show).collect::<Vec<_>>(), expected);
}

#[test]
fn a_bound_is_found_with_its_value_and_its_words() {
    let text = "/// Most frogs in the pond,\n/// so that [`POND`] and [`a` road](crate::ROAD) hold [1](a.md).\n\
                pub const FROGS_MAX: usize = 1 << 13;\n\
                /// Not a bound.\npub const CODE: u64 = 4;\n\
                /// Pause.\n#[must_use]\nconst NAP: Duration = Duration::from_millis(1_500);\n\
                /// More.\nconst OTHERS_MAX: u32 =\n    FROGS_MAX + 1;\n\
                #[cfg(test)]\nmod tests {\nconst T_MAX: u8 = 1;";
    let found = bounds("a.rs", text);
    let show = |b: &Bound| format!("{} = {}: {}", b.name, b.value, b.words);
    assert_eq!(
        found.iter().map(show).collect::<Vec<_>>(),
        [
            "FROGS_MAX = 8,192: Most frogs in the pond, so that `POND` and `a` road hold [1](a.md).",
            "NAP = 1,500 ms: Pause.",
            "OTHERS_MAX = `FROGS_MAX + 1`: More."
        ]
    );
}
