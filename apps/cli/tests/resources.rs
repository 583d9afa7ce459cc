//! docs/resources.md against the code: the page is the resource model (lab/attack/src/resources.rs), and the model has
//! a row for every message of the wire formats.
//!
//! `TNG_WRITE=1 cargo test -p tng-cli --test resources` writes the page anew.

mod page;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use page::{grouped, root};
use tng_attack::{Drive, Layer, RESOURCES, Resource};

const BEGIN: &str = "<!-- gathered from lab/attack/src/resources.rs by apps/cli/tests/resources.rs -->\n";

/// Where the messages of a layer are, and how they are written there.
const FORMATS: [(Layer, &str, Form); 11] = [
    (Layer::SetUp, "layers/endpoint/src/wire.rs", Form::Constants),
    (Layer::SetUp, "layers/isolation/src/wire/setup.rs", Form::Constants),
    (Layer::SetUp, "layers/isolation/src/wire/small.rs", Form::Constants),
    (Layer::SetUp, "layers/flow/src/wire.rs", Form::Constants),
    (Layer::Trickles, "transports/trickles/src/wire.rs", Form::Constants),
    (Layer::Control, "parts/channel/src/wire.rs", Form::Variants("Control<'a>")),
    (Layer::Streams, "layers/semantic/src/structured/wire.rs", Form::Variants("Frame<'a>")),
    (Layer::Files, "services/src/files/wire.rs", Form::Constants),
    (Layer::Forward, "services/src/forward/wire.rs", Form::Constants),
    (Layer::Perf, "services/src/perf/wire.rs", Form::Constants),
    (Layer::Echo, "services/src/ping.rs", Form::Service),
];

/// How a file names the messages that it reads.
#[derive(Clone, Copy)]
enum Form {
    /// `const NAME: u8 = 0x..;`
    Constants,
    /// Variants of the enum of this name.
    Variants(&'static str),
    /// The service itself: it has bytes, and no messages.
    Service,
}

/// The messages that a file of a wire format reads.
fn messages(text: &str, form: Form) -> Vec<String> {
    match form {
        Form::Constants => {
            let constants = text.lines().filter_map(|line| line.trim().split_once(": u8 = 0x"));
            let names = constants.filter_map(|(declared, _)| declared.rsplit_once("const ").map(|(_, name)| name));
            names.map(str::to_owned).collect()
        }
        Form::Variants(name) => {
            let (_, body) = text.split_once(&format!("enum {name} {{\n")).unwrap_or_else(|| panic!("no {name}"));
            let body = body.split("\n}").next().unwrap_or_default();
            // A variant is indented once.
            let variants = body.lines().filter_map(|line| line.strip_prefix("    "));
            let words = variants.map(|line| line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default());
            words.filter(|word| word.starts_with(char::is_uppercase)).map(shouted).collect()
        }
        Form::Service => vec!["ping".to_owned()],
    }
}

/// `NewId` as `NEW_ID`.
fn shouted(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if at > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

/// The name in the model: without what tells its circumstances.
fn row_of(layer: Layer, message: &str) -> bool {
    RESOURCES.iter().any(|row| row.layer == layer && row.message == message)
}

#[test]
fn every_message_of_the_wire_formats_has_a_row() {
    let mut found = BTreeSet::new();
    for (layer, file, form) in FORMATS {
        let text = fs::read_to_string(root().join(file)).expect("a wire format");
        let names = messages(text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default(), form);
        assert!(!names.is_empty(), "{file} has messages");
        for name in names {
            assert!(row_of(layer, &name), "{file} reads {name}, which has no row in lab/attack/src/resources.rs");
            found.insert((layer, name));
        }
    }
    assert!(found.len() > 50, "there are more messages than {}", found.len());
    // Nor has the model rows for what nobody reads; in words of their own are circumstances of a message, and
    // what stands around it.
    for row in RESOURCES.iter().filter(|row| row.message.chars().all(|c| c.is_uppercase() || c == '_')) {
        let known = found.contains(&(row.layer, row.message.to_owned())) || row.message == "INIT_DATAGRAM";
        // Trickles' INIT is that of isolation, under a first byte of its own.
        let known = known || (row.layer, row.message) == (Layer::Trickles, "INIT");
        assert!(known, "{:?}: nobody reads {}", row.layer, row.message);
    }
}

#[test]
fn a_message_is_found_however_it_is_declared() {
    let constants = "const INIT: u8 = 0x01;\npub(super) const DATA: u8 = 0x11;\nconst RESUME: u8 = 1;\n";
    assert_eq!(messages(constants, Form::Constants), ["INIT", "DATA"]);
    let variants = "enum Pond<'a> {\n    /// Words.\n    NewFrog(u8),\n    Leap {\n        /// How far.\n        \
                    Far: u8,\n    },\n    Croak,\n}\nenum Other {\n    Toad,\n}";
    assert_eq!(messages(variants, Form::Variants("Pond<'a>")), ["NEW_FROG", "LEAP", "CROAK"]);
}

/// Bytes as people write them.
fn bytes(n: u64) -> String {
    match n {
        0 => "–".to_owned(),
        n if n.is_multiple_of(1 << 20) => format!("{} MiB", n >> 20),
        n => format!("{} KiB", n >> 10),
    }
}

fn table(layer: Layer) -> String {
    let mut out = format!(
        "\n### {}\n\n\
         | message | from | instructions a datagram, counted | at most | held for one | for all | driven by | \
         what bounds it |\n\
         |---|---|---|---|---|---|---|---|\n",
        layer.title()
    );
    for row in RESOURCES.iter().filter(|row| row.layer == layer) {
        let Resource { message, from, held_max, held_host_max, drive, why, .. } = row;
        let drive = match drive {
            Drive::Attack(name) => format!("`{name}`"),
            Drive::Process(name) => format!("`{name}`, processes alone"),
            Drive::None => "nothing: argued".to_owned(),
        };
        let [work, work_max] = [row.work(), row.work_max()].map(|work| work.map_or("–".to_owned(), grouped));
        let (held, all) = (bytes(*held_max), bytes(*held_host_max));
        let _ =
            writeln!(out, "| {message} | {} | {work} | {work_max} | {held} | {all} | {drive} | {why} |", from.name());
    }
    out
}

#[test]
fn the_page_is_what_the_code_says() {
    page::holds("docs/resources.md", BEGIN, &Layer::ALL.map(table).concat(), "resources");
}
