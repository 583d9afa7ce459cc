//! House rules that neither the compiler nor clippy can hold us to. Each rule is a function from a file to its
//! complaints, so that each can be seen to complain.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines of logic that a file may have; around 400 is comfortable.
const LINES_MAX: usize = 800;

/// Module names that say nothing about what is inside.
// A helper is one of the things that this project is about.
const NAMELESS: [&str; 6] = ["util", "utils", "common", "misc", "shared", "stuff"];

/// What may hold `unsafe`: system calls, io_uring, the border of guests as seen from inside a module, and guests'
/// allocator, the C ABI, and compiled code of guests that was kept.
const UNSAFE: [&str; 6] =
    ["lab/emulator", "lab/bench", "transports/stp/abi", "transports/stp/guests", "transports/stp/sandbox", "apps/capi"];

/// Of the C ABI, the one file with calls for C; the rest of the crate is as any other.
const CALLS_FOR_C: &str = "apps/capi/src/calls.rs";
/// Of the sandbox, the one file that takes compiled code; the rest of the crate is as any other.
const COMPILED: &str = "transports/stp/sandbox/src/compiled.rs";

/// A file's path from the root of the project, and its text.
type File<'a> = (&'a str, &'a str);

/// Code lines up to the test module: neither blank nor comment.
fn lines_of_logic(text: &str) -> usize {
    let logic = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    logic.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

fn too_long((path, text): File<'_>) -> Option<String> {
    let lines = lines_of_logic(text);
    (!is_test(path) && lines > LINES_MAX).then(|| format!("{path}: {lines} lines of logic, {LINES_MAX} is a smell"))
}

fn nameless((path, _): File<'_>) -> Option<String> {
    let inner = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs"))?;
    let name = inner.rsplit('/').next()?;
    NAMELESS.contains(&name).then(|| format!("{path}: a module named for what it is not"))
}

fn may_be_unsafe((path, text): File<'_>) -> Option<String> {
    let (home, _) = path.split_once("/src/lib.rs").or_else(|| path.split_once("/src/main.rs"))?;
    let listed = UNSAFE.iter().any(|listed| Path::new(home).starts_with(listed));
    (!listed && !text.contains("#![forbid(unsafe_code)]")).then(|| format!("{path}: lacks #![forbid(unsafe_code)]"))
}

/// Tests, examples and build scripts are crates of their own; the lints of the workspace deny it there.
fn switches_unsafe_on((path, text): File<'_>) -> Option<String> {
    let alone = |home: &str, file: &str| path.starts_with(home) && path != file;
    let inside = alone("apps/capi/src/", CALLS_FOR_C) || alone("transports/stp/sandbox/", COMPILED);
    let listed = UNSAFE.iter().any(|home| path.starts_with(home)) && !inside;
    let switched = ["allow", "warn", "expect"].iter().any(|level| text.contains(&format!("{level}(unsafe_code")));
    (!listed && switched).then(|| format!("{path}: permits unsafe code"))
}

fn unexplained_exception((path, text): File<'_>) -> Option<String> {
    let attributes = text.split("#[").skip(1).chain(text.split("#![").skip(1));
    let bare = |attribute: &str| {
        let (name, rest) = attribute.split_once('(').unwrap_or((attribute, ""));
        matches!(name, "allow" | "expect") && !rest.split(")]").next().is_some_and(|body| body.contains("reason"))
    };
    attributes.into_iter().any(bare).then(|| format!("{path}: a lint is switched off without a reason"))
}

fn own_lints((path, text): File<'_>) -> Option<String> {
    (path.ends_with("Cargo.toml") && text.contains("[package]") && !text.contains("[lints]\nworkspace = true"))
        .then(|| format!("{path}: does not take the lints of the workspace"))
}

/// Words that hide who does what. In two parts, since this file is looked at as well.
const MUDDY: [[&str; 2]; 5] =
    [["who", "ever "], ["of w", "hich "], ["of w", "hom "], [" is to", " be "], [" are to", " be "]];

/// Characters that a line of prose has at most.
const WIDTH_MAX: usize = 120;

/// Lines of prose: the comments of code, and a document but for its tables and code. What is measured and what is
/// generated is left out.
fn prose((path, text): File<'_>) -> Vec<(usize, String)> {
    let is_document = path.ends_with(".md");
    if path.starts_with("docs/results/") {
        return Vec::new();
    }
    let mut in_code = false;
    let lines = text.lines().enumerate().filter(|(_, line)| match is_document {
        true => {
            let is_fence = line.trim_start().starts_with("```");
            in_code ^= is_fence;
            !in_code && !is_fence && !line.trim_start().starts_with('|')
        }
        false => line.trim_start().starts_with("//"),
    });
    lines.map(|(number, line)| (number + 1, line.to_owned())).collect()
}

fn muddy((path, text): File<'_>) -> Option<String> {
    let bare = |line: &str| line.trim().trim_start_matches(['/', '!']).trim().to_lowercase();
    let lines = prose((path, text));
    // A line may end between two of the words.
    let all: String = lines.iter().map(|(_, line)| bare(line) + " ").collect();
    let found = MUDDY.iter().map(|parts| parts.concat()).find(|words| format!(" {all}").contains(words))?;
    let (number, _) = lines.iter().find(|(_, line)| format!(" {} ", bare(line)).contains(&found)).unwrap_or(&lines[0]);
    Some(format!("{path}:{number}: says who does it by \"{}\"", found.trim()))
}

fn too_wide((path, text): File<'_>) -> Option<String> {
    let wide = |line: &str| line.chars().count() > WIDTH_MAX && !line.contains("](") && !line.contains("://");
    let (number, _) = prose((path, text)).into_iter().find(|(_, line)| wide(line))?;
    Some(format!("{path}:{number}: more than {WIDTH_MAX} characters in a line"))
}

/// Paths of ours that a page names: in back quotes, or as the target of a link.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2).filter(|quote| quote.contains('/'));
    let linked = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let ending = |path: &&str| [".rs", ".md", ".toml", ".svg", ".ci/run"].iter().any(|end| path.ends_with(end));
    quoted.chain(linked).filter(ending).filter(|path| !path.contains(['*', ' ', '<']) && !path.starts_with("http"))
}

fn lost_paths<'a>(root: &Path, (path, text): File<'a>) -> Vec<&'a str> {
    let beside = root.join(path).parent().map(Path::to_owned).unwrap_or_default();
    named_paths(text).filter(|name| !root.join(name).exists() && !beside.join(name).exists()).collect()
}

/// Deeper than any folder of the listing stands.
const DEEPER: &str = "        ";

/// The folders of the listing in docs/architecture.md, each with whether it is only reserved.
fn listing(page: &str) -> Vec<(String, bool)> {
    let block = page.split("```").nth(1).expect("docs/architecture.md begins with its listing");
    let mut group = "";
    let mut folders = Vec::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        let (reserved, entry) = match line.strip_prefix('·') {
            Some(rest) => (true, rest.strip_prefix(' ').unwrap_or(rest)),
            None => (false, line.strip_prefix("  ").unwrap_or(line)),
        };
        let name = entry.split_whitespace().next().unwrap_or_default();
        // What is said of a folder goes on in a further line.
        if entry.starts_with(DEEPER) {
            continue;
        }
        if entry.starts_with(' ') {
            folders.push((format!("{group}{name}"), reserved));
        } else {
            group = name;
            folders.push((name.to_owned(), reserved));
        }
    }
    folders
}

fn listing_faults(page: &str, exists: impl Fn(&str) -> bool, members: &[String]) -> Vec<String> {
    let folders = listing(page);
    let wrong = folders.iter().filter(|(folder, reserved)| exists(folder) == *reserved);
    let missing =
        members.iter().filter(|member| !folders.iter().any(|(folder, _)| folder.trim_end_matches('/') == **member));
    wrong
        .map(|(folder, reserved)| match reserved {
            true => format!("{folder} is marked as reserved and is there"),
            false => format!("{folder} is listed and is not there"),
        })
        .chain(missing.map(|member| format!("{member} is not in the listing")))
        .collect()
}

fn root() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().expect("the project has a root")
}

/// Every text file of the project that ends in one of `endings`.
fn project(endings: &[&str]) -> Vec<(String, String)> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project can be read").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if endings.iter().any(|end| name.ends_with(end)) {
                let short = path.strip_prefix(&root).expect("below the root").display().to_string();
                found.push((short, fs::read_to_string(&path).expect("a text file can be read")));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "the project has files ending in {endings:?}");
    found
}

fn complaints(endings: &[&str], rule: impl Fn(File<'_>) -> Option<String>) {
    let found: Vec<String> = project(endings).iter().filter_map(|(path, text)| rule((path, text))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_file_is_too_long_to_read() {
    complaints(&[".rs"], too_long);
}

#[test]
fn a_file_that_is_too_long_is_seen_and_its_tests_do_not_count() {
    let (long, half) = ("let x = 1;\n".repeat(801), "let x = 1;\n\n// why\n".repeat(500));
    assert!(too_long(("a/src/b.rs", &long)).is_some());
    assert!(too_long(("a/src/b/tests.rs", &long)).is_none());
    assert!(too_long(("a/src/b.rs", &half)).is_none());
    assert!(too_long(("a/src/b.rs", &format!("{half}#[cfg(test)]\nmod tests {{\n{long}}}"))).is_none());
}

#[test]
fn every_module_is_named_for_what_it_holds() {
    complaints(&[".rs"], nameless);
}

#[test]
fn a_nameless_module_is_seen() {
    assert!(nameless(("a/src/util.rs", "")).is_some());
    assert!(nameless(("a/src/common/mod.rs", "")).is_some());
    assert!(nameless(("a/src/utility_function.rs", "")).is_none());
}

#[test]
fn unsafe_code_is_forbidden_outside_the_listed_crates() {
    complaints(&[".rs"], may_be_unsafe);
    complaints(&[".rs"], switches_unsafe_on);
}

#[test]
fn a_library_that_does_not_forbid_unsafe_code_is_seen() {
    assert!(may_be_unsafe(("parts/base/src/lib.rs", "//! Base.\n")).is_some());
    assert!(may_be_unsafe(("parts/base/src/lib.rs", "#![forbid(unsafe_code)]\n")).is_none());
    assert!(may_be_unsafe(("apps/capi/src/lib.rs", "//! C.\n")).is_none());
    assert!(may_be_unsafe(("parts/base/src/time.rs", "//! Time.\n")).is_none());
}

#[test]
fn a_test_that_permits_unsafe_code_is_seen() {
    let permission = ["#![expect", "(unsafe_code, reason = \"fast\")]"].concat();
    assert!(switches_unsafe_on(("apps/net/tests/loopback.rs", &permission)).is_some());
    assert!(switches_unsafe_on(("apps/capi/src/server.rs", &permission)).is_some());
    assert!(switches_unsafe_on((CALLS_FOR_C, &permission)).is_none());
    assert!(switches_unsafe_on(("transports/stp/sandbox/src/module.rs", &permission)).is_some());
    assert!(switches_unsafe_on((COMPILED, &permission)).is_none());
}

#[test]
fn every_lint_that_is_switched_off_says_why() {
    complaints(&[".rs"], unexplained_exception);
}

#[test]
fn a_lint_switched_off_without_a_reason_is_seen() {
    let attribute = |inner: &str| format!("#[{inner}]\nfn f() {{}}\n");
    assert!(unexplained_exception(("a.rs", &attribute("allow(dead_code)"))).is_some());
    assert!(unexplained_exception(("a.rs", &format!("#!{}", &attribute("expect(dead_code)")[1..]))).is_some());
    assert!(unexplained_exception(("a.rs", &attribute("allow(dead_code, reason = \"kept for …\")"))).is_none());
    assert!(unexplained_exception(("a.rs", &attribute("cfg(test)"))).is_none());
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    complaints(&["Cargo.toml"], own_lints);
}

#[test]
fn a_crate_with_lints_of_its_own_is_seen() {
    assert!(own_lints(("a/Cargo.toml", "[package]\nname = \"a\"\n")).is_some());
    assert!(own_lints(("a/Cargo.toml", "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n")).is_none());
}

#[test]
fn sentences_have_a_subject_that_acts() {
    complaints(&[".rs", ".md"], muddy);
}

#[test]
fn no_line_of_prose_is_too_wide() {
    complaints(&[".rs", ".md"], too_wide);
}

#[test]
fn muddy_words_and_wide_lines_are_seen() {
    let [one, other] = MUDDY[1];
    assert!(muddy(("a.rs", &format!("/// The most {one}{other}are.\n"))).is_some());
    let split = format!("/// The most {}\n/// {}are.\n", &format!("{one}{other}")[..2], &format!("{one}{other}")[3..]);
    assert!(muddy(("a.rs", &split)).is_some_and(|said| said.starts_with("a.rs:1")));
    assert!(muddy(("a.rs", &format!("let it = \"the most {one}{other}are\";\n"))).is_none());
    assert!(muddy(("a.md", &format!("The most {one}{other}are.\n"))).is_some());
    assert!(muddy(("docs/results/a.md", &format!("The most {one}{other}are.\n"))).is_none());
    let wide = "word ".repeat(30);
    assert!(too_wide(("a.rs", &format!("// {wide}\n"))).is_some());
    assert!(too_wide(("a.md", &format!("| {wide} |\n```\n{wide}\n```\n"))).is_none());
}

#[test]
fn every_file_that_the_documents_name_exists() {
    let root = root();
    let pages = project(&[".md"]);
    let lost = pages.iter().flat_map(|(path, text)| {
        lost_paths(&root, (path, text)).into_iter().map(move |name| format!("{path} names {name}, which is not there"))
    });
    let lost: Vec<String> = lost.collect();
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn a_document_that_names_a_lost_file_is_seen() {
    let page =
        "See `parts/base/src/lib.rs`, `parts/base/src/gone.rs`, [wire](wire.md#1), [old](old.md) and `a b/c.rs`.";
    assert_eq!(lost_paths(&root(), ("docs/page.md", page)), ["parts/base/src/gone.rs", "old.md"]);
}

#[test]
fn the_listing_of_the_house_is_the_house() {
    let (root, pages) = (root(), project(&["architecture.md"]));
    let exists = |folder: &str| fs::read_dir(root.join(folder)).is_ok_and(|mut entries| entries.next().is_some());
    let manifests = project(&["Cargo.toml"]);
    let folders = |kind: &'static str| {
        let of_kind = manifests.iter().filter(move |(_, text)| text.contains(kind));
        of_kind.filter_map(|(path, _)| Some(path.strip_suffix("/Cargo.toml")?.to_owned()))
    };
    // A workspace of its own is one place, whatever is in it.
    let inner = |member: &String| folders("[workspace]").any(|of| of != *member && Path::new(member).starts_with(of));
    let members: Vec<String> = folders("[package]").filter(|member| !inner(member)).collect();
    let faults = listing_faults(&pages[0].1, exists, &members);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_listing_that_lies_is_seen() {
    let page = "```\n  parts/      mechanisms\n    base/       time\n                and more of it\n\
                ·   nonce/      later\n    gone/       lost\n```";
    let exists = |folder: &str| ["parts/", "parts/base/", "parts/nonce/"].contains(&folder);
    let members = ["parts/base".to_owned(), "parts/new".to_owned()];
    assert_eq!(
        listing_faults(page, exists, &members),
        [
            "parts/nonce/ is marked as reserved and is there",
            "parts/gone/ is listed and is not there",
            "parts/new is not in the listing"
        ]
    );
}
