//! How large code is that travels: STP 5.4, Table 6.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use tng_stp_sandbox::built_in;

use crate::lab::sst::table2::{root, size_of};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};

/// Sizes of modules and of what they are made from.
pub static TABLE6: Experiment = Experiment {
    name: "stp/table6",
    title: "The size of code that travels",
    source: "STP 5.4, Table 6",
    claim: "whole transports are small enough to be shipped: compressed no module is larger than the paper's of the \
            same transport, and the largest is less than 3.5 % of the program that runs it",
    about: "The three transports of the paper as modules and as sources: bytes, bytes that gzip -9 makes of them, \
            lines, and lines that hold code. The source of a transport is its own crate and, for the two that are \
            TCPs, the crate that both share; what all guests share, the border and its heap, has a row of its own, as \
            the headers of a kernel would. The program is the one that runs this, as it stands on the disk.",
    params: &[Param::text(
        "source",
        "",
        "folder of the sources; unless given, the one around the current folder, or where this was built",
    )],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run,
};

/// A transport of the paper, and what the paper has of it.
struct Row {
    guest: &'static str,
    sources: &'static [&'static str],
    /// Bytes, of sources and of modules, compressed by gzip, in C and in Cyclone; then lines in Cyclone.
    paper: [u64; 4],
}

const ROWS: [Row; 3] = [
    Row { guest: "newreno", sources: &["newreno/src", "tcp/src"], paper: [86_670, 22_959, 30_680, 10_396] },
    Row { guest: "sack", sources: &["sack/src", "tcp/src"], paper: [94_829, 23_617, 33_317, 11_507] },
    Row { guest: "udp-flood", sources: &["flood/src"], paper: [10_215, 3_629, 6_659, 1_054] },
];
/// Where guests are.
const GUESTS: &str = "transports/stp/guests";
/// What every guest is built with.
const SHARED: [&str; 2] = ["transports/stp/abi/src", "transports/stp/guests/runtime/src"];
/// The paper's kernel, compressed.
const KERNEL: u64 = 964_780;

/// A source, all of it.
struct Source {
    bytes: u64,
    compressed: u64,
    lines: u64,
    code: u64,
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let root = root(&context.text("source"))?;
    let head = ["guest", "module", "compressed", "source", "compressed", "lines", "of code"];
    let mut table = Table::new(&head).titled("Now");
    let head = ["transport", "source, compressed", "module in C", "in Cyclone", "lines of Cyclone"];
    let mut paper = Table::new(&head).titled("The paper's, compressed");
    let (mut results, mut checks, mut largest) = (Vec::new(), Vec::new(), 0);
    for Row { guest, sources, paper: [source, c, cyclone, lines] } in ROWS {
        let module = built_in(guest).ok_or_else(|| RunError::broken(format_args!("{guest} is not built in")))?.bytes;
        let (bytes, compressed) = (module.len() as u64, gzip(module)?);
        let own = source_of(&below(&root.join(GUESTS), sources))?;
        table.row(vec![
            guest.to_owned(),
            format!("{bytes} B"),
            format!("{compressed} B"),
            format!("{} B", own.bytes),
            format!("{} B", own.compressed),
            own.lines.to_string(),
            own.code.to_string(),
        ]);
        let in_bytes = [source, c, cyclone].map(|bytes| format!("{bytes} B"));
        paper.row([guest.to_owned()].into_iter().chain(in_bytes).chain([lines.to_string()]).collect());
        let check = |what: &str, value: u64, most: u64, words: String| {
            Check::new(format!("{what} of {guest}, compressed"), value as f64, "B", Goal::AtMost(most as f64))
                .paper(words)
        };
        checks.push(check("module", compressed, cyclone, format!("{cyclone} B in Cyclone, {c} B in C")));
        checks.push(check("source", own.compressed, source, format!("{source} B")));
        largest = largest.max(bytes);
        results.push(json!({
            "guest": guest, "module_bytes": bytes, "module_gzip_bytes": compressed, "source_bytes": own.bytes,
            "source_gzip_bytes": own.compressed, "source_lines": own.lines, "code_lines": own.code,
        }));
    }
    let shared = source_of(&below(&root, &SHARED))?;
    let none = || "-".to_owned();
    table.row(vec![
        "what all are built with".to_owned(),
        none(),
        none(),
        format!("{} B", shared.bytes),
        format!("{} B", shared.compressed),
        shared.lines.to_string(),
        shared.code.to_string(),
    ]);
    let host = host_bytes()?;
    table.row(vec!["the program itself".to_owned(), format!("{host} B"), none(), none(), none(), none(), none()]);
    paper.row(vec!["kernel".to_owned(), none(), format!("{KERNEL} B"), none(), none()]);
    let share = largest as f64 / host as f64 * 100.0;
    let outcome = Outcome::new(json!({
        "guests": results, "shared_bytes": shared.bytes, "shared_gzip_bytes": shared.compressed,
        "shared_lines": shared.lines, "program_bytes": host, "largest_percent": share,
    }));
    let outcome = checks.into_iter().fold(outcome.table(table).table(paper), Outcome::check);
    Ok(outcome
        .check(
            Check::new("the largest module by the program, neither compressed", share, "%", Goal::AtMost(3.5))
                .paper("3.5 % of the kernel, both compressed"),
        )
        .note(
            "The paper's are compressed sources in Cyclone and kernel modules with their symbols; a module here is \
             stripped. A guest need not be shipped as source, since the sandbox holds whatever it is.",
        ))
}

/// Folders below one.
fn below(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| folder.join(name)).collect()
}

/// The files of Rust in these folders, together.
fn source_of(folders: &[PathBuf]) -> Result<Source, RunError> {
    let (mut text, mut code) = (Vec::new(), 0);
    for folder in folders {
        let broken = |error| RunError::broken(format_args!("reading {}: {error}", folder.display()));
        let entries = fs::read_dir(folder).map_err(broken)?;
        let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(broken)?;
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
            text.extend(fs::read(file).map_err(broken)?);
            code += size_of(file)?.lines;
        }
    }
    let lines = text.iter().filter(|byte| **byte == b'\n').count() as u64;
    Ok(Source { bytes: text.len() as u64, compressed: gzip(&text)?, lines, code })
}

/// Bytes that gzip makes of these.
fn gzip(bytes: &[u8]) -> Result<u64, RunError> {
    let missing = |error: std::io::Error| RunError::Environment {
        problem: format!("gzip: {error}"),
        remedy: "install gzip".to_owned(),
    };
    let mut command = Command::new("gzip");
    command.args(["-9", "-n", "-c"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(missing)?;
    let mut input = child.stdin.take().ok_or_else(|| RunError::broken("gzip has no input"))?;
    let (written, output) = std::thread::scope(|scope| {
        let writing = scope.spawn(move || input.write_all(bytes));
        (writing.join(), child.wait_with_output())
    });
    written.map_err(|_| RunError::broken("gzip takes no bytes"))?.map_err(missing)?;
    Ok(output.map_err(missing)?.stdout.len() as u64)
}

/// Bytes of the program that runs this.
fn host_bytes() -> Result<u64, RunError> {
    let of = std::env::current_exe().and_then(fs::metadata);
    of.map(|file| file.len()).map_err(|error| RunError::broken(format_args!("this program's file: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::measured;

    #[test]
    fn what_repeats_itself_is_small_and_what_does_not_is_as_large_as_before() {
        let mut state = 1_u32;
        let random: Vec<u8> = (0..10_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        assert!(gzip(&[7; 10_000]).expect("gzip") < 100);
        assert!(gzip(&random).expect("gzip") > 9_900);
    }

    #[test]
    fn a_whole_transport_is_counted_with_what_it_shares() {
        let record = measured(&TABLE6, 1, &[]);
        let guests = record.outcome.results["guests"].as_array().expect("guests").clone();
        let count = |at: usize, key: &str| guests[at][key].as_u64().expect(key);
        assert!(count(0, "source_lines") > 4 * count(2, "source_lines"), "{record}");
        assert!(count(0, "source_lines") > count(0, "code_lines"), "{record}");
        assert!(count(2, "module_gzip_bytes") < count(2, "module_bytes"), "{record}");
    }
}
