//! What a page of `--help` has beside what clap writes: examples of its own command first, and at its end what its
//! terms mean.

use clap::Command;

use crate::talk::hung;

/// Where the options begin that every page has.
pub const GLOBAL_OPTIONS: &str = "Global options";

/// A term, the words that stand for it, and what it means.
type Term = (&'static str, &'static [&'static str], &'static str);

const TERMS: &[Term] = &[
    ("EID", &["eid", "eids"], "a host's public key, 52 letters and digits, which is its name; `tng id` prints it"),
    (
        "ticket",
        &["ticket", "tickets", "ticketfile"],
        "a word that begins with tng1: a host's EID, its addresses and, unless it is public, the key that opens it",
    ),
    (
        "relay",
        &["relay", "relays", "helper", "helpers"],
        "or helper: a host on the path that passes on others' encrypted flows, with congestion control of its own on \
         each side (`tng relay run`)",
    ),
    ("section", &["section", "sections"], "the part of a path from a host or relay to the next one"),
    (
        "registry",
        &["registry", "registries"],
        "a host that knows the addresses of others by their EIDs (`tng registry run`)",
    ),
    ("guest", &["guest", "guests"], "transport code that runs in a sandbox, at TCP's rate at most (docs/stp.md)"),
    ("module", &["module", "modules", "wasm"], "the code of a guest, as WebAssembly"),
    ("manifest", &["manifest"], "what a publisher says of a module, with signatures"),
    (
        "fleet",
        &["fleet"],
        "servers that share their keys, so that any of them continues what another one began (docs/trickles.md)",
    ),
    (
        "continuation",
        &["continuation", "continuations"],
        "the state of a connection, encrypted by the server and kept by the client, which sends it with each request",
    ),
    ("scenario", &["scenario", "scenarios"], "a file with nodes, links and flows (docs/scenarios.md)"),
];

/// What the terms of a page mean, those of the options aside that every page has. Nothing if it has none.
pub fn terms(page: &str) -> String {
    let own = page.split(&format!("\n{GLOBAL_OPTIONS}:")).next().unwrap_or_default();
    let words: Vec<String> = own.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let used = TERMS.iter().filter(|(_, forms, _)| words.iter().any(|word| forms.contains(&word.as_str())));
    let used: Vec<&Term> = used.collect();
    let Some(width) = used.iter().map(|(term, ..)| term.len()).max() else { return String::new() };
    let line = |(term, _, meaning): &&Term| hung(&format!("  {term:width$}  "), meaning) + "\n";
    format!("\nTerms:\n{}", used.iter().map(line).collect::<String>())
}

/// The examples of a command that has none of its own: those of the commands above it that run it. `page` is its help,
/// in which the usage says which command it is.
pub fn examples(root: &Command, page: &str) -> String {
    let usage = page.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or_default();
    let names: Vec<&str> = usage.split(' ').take_while(|word| word.starts_with(|c: char| c.is_lowercase())).collect();
    let path = names.join(" ");
    let mut at = root;
    let mut above = vec![root];
    for name in names.iter().skip(1) {
        let Some(next) = at.find_subcommand(name) else { break };
        above.push(next);
        at = next;
    }
    let texts = above.iter().rev().filter_map(|command| command.get_before_help()).map(ToString::to_string);
    if page.starts_with(HEADING) {
        return String::new();
    }
    let found = texts.map(|text| running(&text, &path)).find(|found| !found.is_empty());
    found.map(|found| format!("{HEADING}\n{found}\n")).unwrap_or_default()
}

const HEADING: &str = "Examples:";

/// Those of some examples that run a command, with what is said of them.
fn running(examples: &str, path: &str) -> String {
    let (mut out, mut is_meant) = (String::new(), false);
    for line in examples.lines().skip(1).take_while(|line| line.starts_with("  ")) {
        if !line.starts_with("   ") {
            let mut words = line.split_whitespace().skip_while(|word| *word != "tng");
            is_meant = path.split(' ').all(|name| words.next() == Some(name));
        }
        if is_meant {
            out += line;
            out.push('\n');
        }
    }
    out
}
