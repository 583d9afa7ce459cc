//! Traces in qlog's streaming form: JSON text sequences (RFC 7464) of a header and then one event each
//! (draft-ietf-quic-qlog-main-schema-02, `qlog_version` 0.3), which qvis opens.

use std::io::{self, Write};

use tng_base::{Instant, Note, Value};

/// Begins every record (RFC 7464 section 2.2).
const RECORD_SEPARATOR: u8 = 0x1e;

/// Whose view a trace is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vantage {
    /// Of the end that asked for the channel.
    Client,
    /// Of the end that was asked.
    Server,
}

/// What stands at the head of a trace.
#[derive(Clone, Debug)]
pub struct Head<'a> {
    /// What the trace is of, for people.
    pub title: &'a str,
    /// The host.
    pub host: &'a str,
    /// Which end it is.
    pub vantage: Vantage,
    /// What the times of the events count from, in milliseconds since 1970; 0 in a world with a time of its own.
    pub reference_ms: u64,
}

/// Writes one trace. The output is given to every call, and must be the same one each time.
#[derive(Debug, Default)]
pub struct Qlog {
    /// The record being made; kept for its memory.
    record: String,
}

impl Qlog {
    /// Begins a trace.
    ///
    /// # Errors
    /// Those of the output.
    pub fn start(out: &mut dyn Write, head: &Head<'_>) -> io::Result<Qlog> {
        let vantage = match head.vantage {
            Vantage::Client => "client",
            Vantage::Server => "server",
        };
        let mut qlog = Qlog::default();
        let record = &mut qlog.record;
        record.push_str("{\"qlog_version\":\"0.3\",\"qlog_format\":\"JSON-SEQ\",\"title\":");
        put_text(record, head.title);
        record.push_str(",\"trace\":{\"vantage_point\":{\"name\":");
        put_text(record, head.host);
        record.push_str(",\"type\":");
        put_text(record, vantage);
        record.push_str(
            "},\"common_fields\":{\"protocol_type\":[\"TNG\"],\"time_format\":\"relative\",\"reference_time\":",
        );
        record.push_str(&head.reference_ms.to_string());
        record.push_str("}}}");
        qlog.end(out)?;
        Ok(qlog)
    }

    /// Adds an event.
    ///
    /// # Errors
    /// Those of the output.
    pub fn note(&mut self, out: &mut dyn Write, note: &Note) -> io::Result<()> {
        let record = &mut self.record;
        record.push_str("{\"time\":");
        put_ms(record, u128::from(note.time.since(Instant::ZERO).as_nanos() as u64));
        record.push_str(",\"name\":");
        put_text(record, note.name);
        record.push_str(",\"data\":");
        put_fields(record, note.data.iter());
        record.push('}');
        self.end(out)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.record.push('\n');
        out.write_all(&[RECORD_SEPARATOR])?;
        out.write_all(self.record.as_bytes())?;
        self.record.clear();
        Ok(())
    }
}

fn put_value(out: &mut String, value: &Value) {
    match value {
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::Time(time) => put_ms(out, time.as_nanos()),
        Value::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Word(word) => put_text(out, word),
        Value::Text(text) => put_text(out, text),
        Value::List(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                put_value(out, value);
            }
            out.push(']');
        }
        Value::Fields(fields) => put_fields(out, fields.iter()),
    }
}

fn put_fields<'a>(out: &mut String, fields: impl Iterator<Item = (&'static str, &'a Value)>) {
    out.push('{');
    for (at, (name, value)) in fields.enumerate() {
        if at > 0 {
            out.push(',');
        }
        put_text(out, name);
        out.push(':');
        put_value(out, value);
    }
    out.push('}');
}

/// Nanoseconds, as milliseconds.
fn put_ms(out: &mut String, ns: u128) {
    out.push_str(&format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000));
}

/// A JSON string (RFC 8259 section 7).
fn put_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", c as u32)),
            _ => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use tng_base::Fields;

    use super::*;

    #[test]
    fn every_record_begins_with_the_separator_and_ends_with_a_line_feed() {
        let mut out = Vec::new();
        let head = Head { title: "a \"title\"\n", host: "h", vantage: Vantage::Server, reference_ms: 12 };
        let mut qlog = Qlog::start(&mut out, &head).unwrap();
        let frames = vec![Value::List(vec![3u64.into(), true.into()]), Fields::frame("ping").into()];
        let data = Fields::new().with("rtt", Duration::from_nanos(1_500_001)).with("frames", frames);
        let time = Instant::from_nanos(2_000_000_007);
        qlog.note(&mut out, &Note { time, name: "tng:test", data }).unwrap();
        let text = String::from_utf8(out).unwrap();
        let records: Vec<&str> = text.split('\x1e').collect();
        assert_eq!(records[0], "", "nothing stands before the first");
        let head = "{\"qlog_version\":\"0.3\",\"qlog_format\":\"JSON-SEQ\",\"title\":\"a \\\"title\\\"\\u000a\",\
                    \"trace\":{\"vantage_point\":{\"name\":\"h\",\"type\":\"server\"},\
                    \"common_fields\":{\"protocol_type\":[\"TNG\"],\
                    \"time_format\":\"relative\",\"reference_time\":12}}}\n";
        assert_eq!(records[1], head);
        let event = "{\"time\":2000.000007,\"name\":\"tng:test\",\"data\":{\"rtt\":1.500001,\"frames\":[[3,true],\
                     {\"frame_type\":\"ping\"}]}}\n";
        assert_eq!(records[2..], [event]);
    }
}
