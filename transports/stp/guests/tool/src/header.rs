//! The border for guests that are written in C.

use std::fmt::Write;

use tng_stp_abi::{
    ABI_VERSION, ARRIVED_LEN, CALL_MAX, HEAD_MAX, Kind, RING_ENTRIES, Refused, Row, Side, TABLE, TIMER_SEND,
    TIMERS_MAX, Type, abi_word,
};

const REFUSED: [(&str, Refused); 7] = [
    ("WOULD_BLOCK", Refused::WouldBlock),
    ("LENGTH", Refused::Length),
    ("FULL", Refused::Full),
    ("CLOSED", Refused::Closed),
    ("NOT_THERE", Refused::NotThere),
    ("UNPROVEN", Refused::Unproven),
    ("UNASKED", Refused::Unasked),
];

/// `tng.h`.
pub fn header() -> String {
    let mut text = String::from(
        "/* The border between a guest and its host. Written by stp-guest-tool from the table in transports/stp/abi.\n \
         * Addresses are of this module's memory. What is below zero is one of the TNG_ numbers. */\n\
         #ifndef TNG_H\n#define TNG_H\n\n\
         typedef unsigned char u8;\ntypedef unsigned int u32;\ntypedef unsigned long long u64;\n\
         typedef long long i64;\n\n",
    );
    let numbers = [
        ("TNG_ABI_VERSION", u64::from(ABI_VERSION)),
        ("TNG_CONTROLLER", abi_word(Kind::Controller)),
        ("TNG_TRANSPORT", abi_word(Kind::Transport)),
        ("TNG_HEAD_MAX", HEAD_MAX as u64),
        ("TNG_RING_ENTRIES", RING_ENTRIES as u64),
        ("TNG_CALL_MAX", CALL_MAX as u64),
        ("TNG_TIMERS_MAX", u64::from(TIMERS_MAX)),
        ("TNG_TIMER_SEND", u64::from(TIMER_SEND)),
    ];
    for (name, number) in numbers {
        line(&mut text, format_args!("#define {name} {number}u"));
    }
    for (name, refused) in REFUSED {
        line(&mut text, format_args!("#define TNG_{name} ({})", refused.number()));
    }
    line(&mut text, format_args!("\n/* An entry of the ring: {ARRIVED_LEN} bytes. */\nstruct tng_arrived {{"));
    for field in ["u32 segment;", "u32 len;", "u64 number;", "u64 nonce;", "u32 numbered;", "u32 zero;"] {
        line(&mut text, format_args!("    {field}"));
    }
    line(&mut text, format_args!("    u8 head[TNG_HEAD_MAX];\n}};\n"));
    for (side, attribute) in [(Side::Import, "import_module(\"tng\"), import_name"), (Side::Export, "export_name")] {
        line(&mut text, format_args!("/* {} */", if side == Side::Import { "The host's." } else { "The guest's." }));
        for row in TABLE.iter().filter(|row| row.side == side) {
            line(&mut text, format_args!("/* {} */", row.doc.replace("\\|", "|")));
            let prefix = if side == Side::Import { "tng" } else { "guest" };
            line(
                &mut text,
                format_args!("__attribute__(({attribute}(\"{}\")))\n{};", row.name, declaration(prefix, row)),
            );
        }
        text.push('\n');
    }
    text.push_str("#endif\n");
    text
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Nothing refuses to grow.
    let _ = writeln!(text, "{line}");
}

fn declaration(prefix: &str, row: &Row) -> String {
    let result = row.result.map_or("void", of);
    let parameters: Vec<String> = row.parameters.iter().map(|(name, kind)| format!("{} {name}", of(*kind))).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    format!("{result} {prefix}_{}({parameters})", row.name)
}

fn of(kind: Type) -> &'static str {
    match kind {
        Type::U32 => "u32",
        Type::U64 => "u64",
        Type::I64 => "i64",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_header_beside_the_example_is_that_of_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../c-example/tng.h");
        let there = std::fs::read_to_string(path).expect("the header is there");
        assert!(there == super::header(), "run `build`");
    }
}
