//! Where the figures of a test go.

use std::io::{self, Write};

use serde_json::{Map, Value};
use tng_base::PeerText;

use super::document::{self, Document};
use super::figures::{Finish, Interval, Start};
use super::table::Table;
use super::units::Format;
use crate::failure::Failure;
use crate::talk::json_text;

/// Most of its own output that a server keeps for a client that wants to see it, in bytes.
pub const OUTPUT_KEPT_MAX: usize = 1 << 19;

/// How figures are shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Style {
    /// For people, or for programs.
    pub kind: Kind,
    /// The unit of rates in tables.
    pub format: Format,
    /// More of everything.
    pub verbose: bool,
    /// Stands before every line, and in the JSON.
    pub title: Option<String>,
}

/// For whom figures are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Tables for people.
    Table,
    /// One JSON document when all is over.
    Document,
    /// One line of JSON for each event.
    Events,
}

/// Shows figures as they come.
#[derive(Debug)]
pub struct Report {
    style: Style,
    table: Table,
    document: Document,
    /// What was printed, if somebody wants to see it.
    kept: Option<String>,
}

impl Report {
    /// Shows nothing yet; `keep`s what it prints.
    pub fn new(style: Style, keep: bool) -> Report {
        let table = Table::new(style.format, style.verbose);
        Report { table, document: Document::new(style.title.clone()), style, kept: keep.then(String::new) }
    }

    /// A test begins.
    pub fn start(&mut self, start: &Start) {
        match self.style.kind {
            Kind::Table => {
                let lines = self.table.start(start);
                self.print(&lines);
            }
            Kind::Document => self.document.start(start),
            Kind::Events => self.event("start", &document::start(start)),
        }
    }

    /// An interval is over.
    pub fn interval(&mut self, interval: &Interval) {
        match self.style.kind {
            Kind::Table => {
                let lines = self.table.interval(interval);
                self.print(&lines);
            }
            Kind::Document => self.document.interval(interval),
            Kind::Events => self.event("interval", &document::interval(interval)),
        }
    }

    /// Both sides have told what they counted.
    pub fn finish(&mut self, finish: &Finish) {
        match self.style.kind {
            Kind::Table => {
                let lines = self.table.finish(finish);
                self.print(&lines);
            }
            Kind::Document => self.document.finish(finish),
            Kind::Events => self.event("end", &self.document.end(finish)),
        }
    }

    /// What the server printed has come.
    pub fn server_output(&mut self, output: &tng_services::perf::Output) {
        match self.style.kind {
            Kind::Table => self.print(&document::server_lines(output)),
            Kind::Document => self.document.server_output(output),
            Kind::Events => {
                let (name, value) = document::server_output(output);
                self.event(name, &value);
            }
        }
    }

    /// The path at the end of the test, and what to say of it if it was helped. A direct one that was never lost is
    /// what anybody expects.
    pub fn path(&mut self, split: Option<String>, fields: Map<String, Value>) {
        match self.style.kind {
            Kind::Table => {
                let gap = fields.get("last_gap_ms").and_then(Value::as_f64);
                let gap = gap.map(|gap| format!("last gap {gap:.1} ms"));
                let more: Vec<String> = split.into_iter().chain(gap).collect();
                if let (Some(path), false) = (fields.get("path").and_then(Value::as_str), more.is_empty()) {
                    self.print(&[format!("Path: {path}, {}", more.join(", "))]);
                }
            }
            Kind::Document => self.document.path(fields.into()),
            Kind::Events => self.event("path", &fields.into()),
        }
    }

    /// What the guests did that carried this side's lanes.
    pub fn guests(&mut self, figures: Value) {
        match self.style.kind {
            Kind::Table => {
                figures.as_array().into_iter().flatten().for_each(|guest| tracing::info!("the guest: {guest}"))
            }
            Kind::Document => self.document.guests(figures),
            Kind::Events => self.event("guests", &figures),
        }
    }

    /// It went wrong.
    pub fn failure(&mut self, failure: &Failure) {
        let words = format!("error - {failure}");
        match self.style.kind {
            Kind::Table => {}
            Kind::Document => self.document.failure(&words),
            Kind::Events => self.event("error", &words.into()),
        }
    }

    /// Nothing more comes.
    pub fn close(&mut self) {
        if self.style.kind == Kind::Document {
            let text = json_text(&format!("{:#}\n", self.document.take()));
            self.put(&text);
        }
    }

    /// What was printed, for a client that wants to see it.
    pub fn output(&self) -> tng_services::perf::Output {
        use tng_services::perf::Output;
        match self.style.kind {
            Kind::Document => {
                let text = self.document.to_string();
                // What is cut is no JSON.
                if text.len() <= OUTPUT_KEPT_MAX {
                    Output::Json(PeerText::new(text))
                } else {
                    Output::Text("too long to be sent".into())
                }
            }
            Kind::Table | Kind::Events => Output::Text(PeerText::new(self.kept.clone().unwrap_or_default())),
        }
    }

    fn event(&mut self, name: &str, data: &Value) {
        self.put(&json_text(&format!("{}\n", serde_json::json!({ "event": name, "data": data }))));
    }

    fn print(&mut self, lines: &[String]) {
        let title = self.style.title.as_ref().map_or_else(String::new, |title| format!("{title}:  "));
        let text: String = lines.iter().map(|line| format!("{title}{line}\n")).collect();
        self.put(&text);
    }

    fn put(&mut self, text: &str) {
        // A reader that went away is no reason to stop the test.
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        if let Some(kept) = &mut self.kept
            && kept.len() + text.len() <= OUTPUT_KEPT_MAX
        {
            kept.push_str(text);
        }
    }
}
