//! The header for C against the code: `TNG_WRITE=1 cargo test -p tng-capi --test header` writes it anew.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::fs;
use std::path::Path;

use cbindgen::{Config, ExportConfig, FunctionConfig, Language, ParseConfig, RenameRule, Style};

/// What C calls what.
const NAMES: [(&str, &str); 11] = [
    ("Minisock", "minisock"),
    ("Object", "msk_object"),
    ("Settings", "msk_settings"),
    ("Event", "msk_event"),
    ("Ask", "msk_ask"),
    ("Ucont", "msk_ucont"),
    ("Bytes", "msk_bytes"),
    ("FileBytes", "msk_file_bytes"),
    ("Desc", "msk_desc"),
    ("Stats", "msk_stats"),
    ("DETACHED_MAX", "MSK_DETACHED_MAX"),
];

const BEGINNING: &str = "\
/* Minisockets: servers that keep nothing of their clients, and clients of them (docs/guides/stateless.md, lesson 6).
 *
 * Every call that fails sets errno, and msk_strerror() says what to do. EBADF: a handle or a descriptor that is closed,
 * used up, of somebody else, or 0. EMSGSIZE: more bytes than a client may be sent, or a state of more than 512.
 *
 * This file is generated: TNG_WRITE=1 cargo test -p tng-capi --test header */";

fn generated() -> String {
    let names = NAMES.iter().map(|(ours, theirs)| ((*ours).to_owned(), (*theirs).to_owned())).collect();
    let config = Config {
        language: Language::C,
        header: Some(BEGINNING.to_owned()),
        include_guard: Some("TNG_MSK_H".to_owned()),
        cpp_compat: true,
        no_includes: true,
        sys_includes: vec!["stddef.h".to_owned(), "stdint.h".to_owned()],
        usize_is_size_t: true,
        style: Style::Tag,
        line_length: 100,
        documentation_length: cbindgen::DocumentationLength::Full,
        export: ExportConfig { rename: names, exclude: vec!["FALSE_SHARE".to_owned()], ..ExportConfig::default() },
        function: FunctionConfig { sort_by: None, rename_args: RenameRule::None, ..FunctionConfig::default() },
        parse: ParseConfig::default(),
        ..Config::default()
    };
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in ["settings", "events", "server", "calls"] {
        builder = builder.with_src(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{file}.rs")));
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    // A heading of Rust's; what is below it is as good without.
    String::from_utf8(header).unwrap().replace(" * # Safety\n", "")
}

#[test]
fn the_header_says_what_the_code_has() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/tng_msk.h");
    let header = generated();
    if std::env::var_os("TNG_WRITE").is_some() {
        fs::write(&path, &header).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(there == header, "TNG_WRITE=1 cargo test -p tng-capi --test header");
}

#[test]
fn every_call_is_in_the_header_with_what_it_does() {
    let header = generated();
    let calls = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/calls.rs")).unwrap();
    let names = calls.split("extern \"C\" fn ").skip(1).filter_map(|rest| rest.split('(').next());
    let mut count = 0;
    for name in names {
        let at = header.rfind(&format!("{name}(")).unwrap_or_else(|| panic!("{name} is missing"));
        assert!(header[..at].rsplit("*/").next().is_some_and(|between| between.len() < 80), "{name} says nothing");
        count += 1;
    }
    assert!(count > 20, "control: {count}");
}
