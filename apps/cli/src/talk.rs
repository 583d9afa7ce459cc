//! Where words go: payload and NDJSON to stdout, everything said to people to stderr.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value, json};
use tng_base::{PeerText, is_visible};
use tng_services::files::escaped;

use crate::failure::Failure;
use crate::files::Limit;
use crate::notes;

/// Version of the NDJSON that `--json` gives. It rises when a field changes its meaning or goes away.
pub const SCHEMA: u64 = 1;

/// How often a progress bar looks for news.
const TICK: Duration = Duration::from_millis(100);

/// How much is said, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Talk {
    /// Events as NDJSON on stdout.
    pub json: bool,
    /// Nothing to people but errors.
    pub quiet: bool,
    /// No progress bars even on a terminal.
    pub no_progress: bool,
}

/// One event as a line of JSON, without its end.
pub fn event_line(name: &str, fields: &Value) -> String {
    let mut event = Map::new();
    event.insert("schema".to_owned(), SCHEMA.into());
    event.insert("event".to_owned(), name.into());
    if let Value::Object(fields) = fields {
        event.extend(fields.clone());
    }
    json_text(&Value::Object(event).to_string())
}

/// Columns that a table for people has at most.
pub const COLUMNS: usize = 80;

/// Words behind a head, in lines that fit [`COLUMNS`]; the others begin where the first one does.
pub fn hung(head: &str, words: &str) -> String {
    let indent = head.chars().count();
    let (mut out, mut at) = (head.to_owned(), indent);
    for (which, word) in words.split_whitespace().enumerate() {
        let len = word.chars().count();
        match which {
            0 => {}
            _ if at + 1 + len > COLUMNS => {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                at = indent;
            }
            _ => {
                out.push(' ');
                at += 1;
            }
        }
        out.push_str(word);
        at += len;
    }
    out
}

/// Lines that fit [`COLUMNS`]: a longer one goes on below, by words, two columns further in than it begins.
pub fn folded(text: &str) -> String {
    text.lines().map(folded_line).collect::<Vec<_>>().join("\n")
}

fn folded_line(line: &str) -> String {
    let indent = " ".repeat(line.len() - line.trim_start().len() + 2);
    let (mut out, mut rest, mut room) = (String::new(), line, COLUMNS);
    while rest.chars().count() > room {
        // One word is not cut.
        let fits = rest.char_indices().take_while(|(at, _)| rest[..*at].chars().count() <= room);
        let is_break = |(at, c): &(usize, char)| *c == ' ' && !rest[..*at].trim().is_empty();
        let Some((at, _)) = fits.filter(is_break).last().or_else(|| rest.char_indices().find(is_break)) else { break };
        out.push_str(rest[..at].trim_end());
        out.push('\n');
        out.push_str(&indent);
        rest = rest[at..].trim_start();
        room = COLUMNS.saturating_sub(indent.len());
    }
    out + rest
}

/// So many of something: `1 module`, `2 modules`.
pub fn counted(count: impl TryInto<u64>, one: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// One object of several.
pub fn merged(objects: impl IntoIterator<Item = Value>) -> Value {
    let fields = objects.into_iter().filter_map(|object| match object {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    Value::Object(fields.flatten().collect())
}

/// JSON that shows itself as what it is: the same values, with what cannot be seen in a peer's texts written as `\u`.
/// Line ends stay.
pub fn json_text(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_visible(c) || c == '\n' {
            out.push(c);
        } else {
            // RFC 8259, section 7: beyond 16 bits as a pair of surrogates.
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

impl Talk {
    /// Says something to people.
    pub fn say(&self, words: impl fmt::Display) {
        if !self.quiet {
            // In one piece, so that a line is whole for who watches, and others do not write into it.
            let _ = io::stderr().lock().write_all(format!("{words}\n").as_bytes());
        }
    }

    /// Says something that people must not miss, quiet or not.
    pub fn warn(&self, words: impl fmt::Display) {
        let _ = io::stderr().lock().write_all(format!("tng: {words}\n").as_bytes());
    }

    /// Tells programs of an event; `fields` is a JSON object.
    pub fn event(&self, name: &str, fields: &Value) {
        if self.json {
            // A reader that went away is no reason to stop the work.
            let _ = io::stdout().lock().write_all(format!("{}\n", event_line(name, fields)).as_bytes());
        }
    }

    /// Says what a peer did. Nobody waits for that to be read: see
    /// [`NOTES_WAITING_MAX`](crate::notes::NOTES_WAITING_MAX).
    pub fn remark(&self, words: impl fmt::Display) {
        if !self.quiet {
            notes::say(words.to_string());
        }
    }

    /// Says and tells programs what a peer did, as [`remark`](Talk::remark) does.
    pub fn note(&self, words: impl fmt::Display, name: &str, fields: &Value) {
        self.remark(words);
        if self.json {
            notes::event(event_line(name, fields), |lines| event_line("dropped", &json!({ "lines": lines })));
        }
    }

    /// A line of payload, unless events stand for it.
    pub fn payload(&self, line: impl fmt::Display) {
        if !self.json {
            let _ = writeln!(io::stdout().lock(), "{line}");
        }
    }

    /// Says what went wrong, quiet or not.
    pub fn failure(&self, failure: &Failure) {
        let _ = io::stderr().lock().write_all(format!("tng: {failure}\n").as_bytes());
        self.event("error", &failure.to_json());
    }

    /// Shows the progress of a transfer, on a terminal only.
    pub fn progress(&self, progress: &Arc<Progress>) -> Bar {
        let shown = !self.quiet && !self.json && !self.no_progress && io::stderr().is_terminal();
        if !shown {
            return Bar(None);
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        bar.set_style(style("{msg}"));
        bar.set_message("connecting");
        let (shown, progress) = (bar.clone(), Arc::clone(progress));
        let ticker = tokio::spawn(async move {
            loop {
                tokio::time::sleep(TICK).await;
                progress.show(&shown);
            }
        });
        Bar(Some((bar, ticker)))
    }
}

impl Talk {
    /// Shows, on a terminal only, what is being done, and how many of `total` steps are done if their number is known.
    pub fn steps(&self, total: Option<u64>, doing: &str) -> Steps {
        let shown = !self.quiet && !self.no_progress && io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(total, target);
        bar.set_style(style(if total.is_some() { STEPS } else { DOING }));
        bar.enable_steady_tick(TICK);
        bar.set_message(doing.to_owned());
        Steps(bar)
    }
}

/// What is being done, gone when dropped.
#[derive(Debug)]
pub struct Steps(ProgressBar);

impl Steps {
    /// What tells of it from elsewhere.
    pub fn teller(&self) -> StepsTeller {
        StepsTeller(self.0.clone())
    }

    /// Writes something else to the terminal, out of the way of what is shown.
    pub fn aside(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Tells how far something is.
#[derive(Clone, Debug)]
pub struct StepsTeller(ProgressBar);

impl StepsTeller {
    /// What is being done.
    pub fn doing(&self, words: String) {
        self.0.set_message(words);
    }

    /// So many steps are done.
    pub fn done(&self, steps: u64) {
        self.0.set_position(steps);
    }
}

/// Counts of a transfer in progress, updated from wherever the bytes pass.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes that are in place.
    pub bytes: AtomicU64,
    /// Bytes that there will be, as far as known.
    pub bytes_total: AtomicU64,
    /// Files that are in place.
    pub files: AtomicU64,
    /// Files that there will be, as far as known.
    pub files_total: AtomicU64,
    /// Bytes that have come or gone, those of attempts that failed as well.
    pub moved: AtomicU64,
    /// How fast they may.
    pub limit: Option<Limit>,
    /// How what is waited for is said.
    pub talk: Talk,
}

impl Progress {
    /// Adds to one of the counts.
    pub fn add(count: &AtomicU64, n: u64) {
        count.fetch_add(n, Ordering::Relaxed);
    }

    /// Takes back what was added to one of the counts.
    pub fn sub(count: &AtomicU64, n: u64) {
        count.fetch_sub(n, Ordering::Relaxed);
    }

    fn show(&self, bar: &ProgressBar) {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let total = get(&self.bytes_total).max(get(&self.bytes));
        // Before anything is known there is nothing to be so much of.
        if total == 0 {
            return;
        }
        let first = bar.length() == Some(0);
        bar.set_length(total);
        bar.set_position(get(&self.bytes));
        if first {
            bar.set_message("");
            bar.set_style(style(BAR));
        }
        if get(&self.files_total) > 1 {
            bar.set_message(format!("{}/{} files", get(&self.files), get(&self.files_total)));
        }
    }
}

/// The bar takes what room the rest leaves, so that a line is never longer than the terminal.
const BAR: &str = "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}";

/// The same of steps.
const STEPS: &str = "{wide_bar} {pos}/{len} {eta} {msg}";

/// The same of something without steps.
const DOING: &str = "{spinner} {wide_msg}";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A progress bar, gone when dropped.
#[derive(Debug)]
pub struct Bar(Option<(ProgressBar, tokio::task::JoinHandle<()>)>);

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some((bar, ticker)) = self.0.take() {
            ticker.abort();
            bar.finish_and_clear();
        }
    }
}

/// Longest path in a message, in characters.
pub const SHOWN_MAX: usize = 60;

/// A path as it stands in messages, safe to print whatever its names are: of a long one the middle is left out.
pub fn short(path: &str) -> String {
    let len = path.chars().count();
    if len <= SHOWN_MAX {
        return PeerText::new(path).to_string();
    }
    let (front, back) = (SHOWN_MAX / 3, SHOWN_MAX - SHOWN_MAX / 3 - 1);
    let (front, back) = (path.chars().take(front), path.chars().skip(len - back));
    PeerText::new(front.chain(['…']).chain(back).collect::<String>()).to_string()
}

/// A path of this host as a text, in which nothing is lost: bytes that are no text, control characters and backslashes
/// are written as `\x` and two digits, as in a [`SafePath`](tng_services::files::SafePath).
pub fn text_of(path: &Path) -> String {
    escaped(path.as_os_str().as_bytes())
}

/// A path of this host as it stands in messages. A peer may have chosen names in it.
pub fn shown(path: &Path) -> PeerText {
    PeerText::new(text_of(path))
}

/// A count of bytes for people.
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.2} GB", n as f64 / 1e9),
    }
}

/// A rate for people, in bits per second.
pub fn rate(bytes: u64, time: Duration) -> String {
    let bits = bytes as f64 * 8.0 / time.as_secs_f64().max(1e-9);
    if bits >= 1e9 { format!("{:.2} Gbit/s", bits / 1e9) } else { format!("{:.1} Mbit/s", bits / 1e6) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_is_one_line_that_names_its_schema() {
        let line = event_line("file", &json!({ "path": "a\nb", "size": 3 }));
        let back: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(back, json!({ "schema": 1, "event": "file", "path": "a\nb", "size": 3 }));
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn what_cannot_be_seen_is_escaped_for_people_and_for_programs() {
        let evil = "a\u{9b}2J\u{202e}\u{e0001}\nb";
        let line = event_line("file", &json!({ "path": evil }));
        assert!(line.chars().all(is_visible), "{line:?}");
        let back: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(back["path"], evil, "control: and yet all of it is there");
        assert!(short(evil).chars().all(is_visible) && shown(Path::new(evil)).to_string().chars().all(is_visible));
        assert!(short(&evil.repeat(99)).chars().all(is_visible));
    }

    #[test]
    fn a_name_of_this_host_is_shown_as_one_of_a_server_is() {
        use std::ffi::OsStr;
        for (name, seen) in [
            (&b"esc\x1b[31m"[..], r"esc\x1b[31m"),
            (b"new\nline", r"new\x0aline"),
            (b"no text \xff\xfe", r"no text \xff\xfe"),
            (b"back\\slash", r"back\x5cslash"),
            ("turned\u{202e}gnp.exe".as_bytes(), r"turned\xe2\x80\xaegnp.exe"),
        ] {
            assert_eq!(shown(Path::new(OsStr::from_bytes(name))).to_string(), seen);
            let path = tng_services::files::SafePath::of_bytes(name).expect("a name");
            assert_eq!((path.to_string(), short(path.as_str())), (seen.to_owned(), seen.to_owned()));
            let written = crate::location::typed(seen).expect("what is shown may be written");
            assert_eq!(written, path, "{seen}");
        }
    }

    #[test]
    fn of_a_long_path_the_middle_is_left_out() {
        assert_eq!(short("a/b"), "a/b");
        let long = format!("front/{}/größe.txt", "x".repeat(300));
        let short = short(&long);
        assert_eq!(short.chars().count(), SHOWN_MAX);
        assert!(short.starts_with("front/") && short.ends_with("/größe.txt") && short.contains('…'), "{short}");
    }

    #[test]
    fn words_behind_a_head_are_wrapped_below_each_other_and_fit_eighty_columns() {
        let text = hung("name  ", &"word ".repeat(40));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() > 2 && lines.iter().all(|line| line.len() <= COLUMNS), "{text}");
        assert!(lines[0].starts_with("name  word ") && lines[1].starts_with("      word "), "{text}");
        assert_eq!(text.split_whitespace().count(), 41);
        assert_eq!(hung("a ", &"x".repeat(99)).lines().count(), 1, "one word is not cut");
    }

    #[test]
    fn long_lines_go_on_below_by_words_and_others_stay_as_they_are() {
        let lines = format!("  sent      5 bytes\n  target    {}\n{}", "word ".repeat(30), "x".repeat(99));
        let text = folded(&lines);
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS || !line.contains(' ')), "{text}");
        assert!(text.starts_with("  sent      5 bytes\n  target    word word"), "{text}");
        assert!(text.contains("word\n    word"), "{text}");
        assert_eq!(text.split_whitespace().count(), lines.split_whitespace().count());
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|count: u64| counted(count, "module")), ["0 modules", "1 module", "2 modules"]);
    }

    #[test]
    fn counts_are_readable() {
        assert_eq!(
            (bytes(999), bytes(1_500), bytes(300_000_000)),
            ("999 B".into(), "1.5 kB".into(), "300.0 MB".into())
        );
        assert_eq!(rate(1_000_000_000, Duration::from_secs(2)), "4.00 Gbit/s");
    }
}
