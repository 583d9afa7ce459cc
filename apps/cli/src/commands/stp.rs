//! `tng stp`: transports that are guests.

pub mod status;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use tng::stp::{BUILT_IN, built_in};
use tng_experiments::peers::guests::battery::{MODULE_MAX, Row, page, try_out};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::modules::{engine, module};
use crate::guests::word;
use crate::machine::made;
use crate::output;
use crate::signals::{stopped, stopped_failure};
use crate::talk::{Talk, shown};

/// Shown before everything else in `tng stp --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng stp list                               the guests that are built in
  tng stp test mine.wasm                     does it keep to the border, to its quotas, and to what TCP would have
  tng stp test newreno --report page.md      one that does, and a page of it
  tng stp status                             what those use and do that run now
  tng listen --transport                     then, elsewhere: tng connect --transport newreno TICKET
docs/stp.md says what a guest is, and what it may do.";

/// Shown before everything else in `tng stp test --help`.
const TEST_EXAMPLES: &str = "\
Examples:
  tng stp test mine.wasm          all of it, in virtual time: some seconds
  tng stp test mine.wasm --json   a line for each finding
  tng stp test newreno            a guest that is built in
  tng stp test mine.wasm --report mine.md
                                  and a page: the verdict with its reasons, what was measured, and in what
A row says what was tried, whether it holds, and what was seen. It ends with 0 if all hold, and with 1 if not.";

/// Arguments of `tng stp`.
#[derive(Args, Debug)]
pub struct StpArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// The guests that are built in: what they are for, bytes, BLAKE3 hash
    List,
    /// Try a guest in virtual time: conformance, quotas, policing
    #[command(before_help = TEST_EXAMPLES)]
    Test(TestArgs),
    /// What the guests of running processes have used and done, and why some ended
    #[command(before_help = status::EXAMPLES)]
    Status(status::StatusArgs),
}

#[derive(Args, Debug)]
struct TestArgs {
    /// A module, or the name of one that is built in
    #[arg(value_name = "GUEST.wasm|NAME")]
    guest: String,
    /// Write the verdict to a page in Markdown: findings, reasons, what was measured, seeds and settings
    #[arg(long, value_name = "PAGE.md")]
    report: Option<PathBuf>,
}

/// Lists guests, or tries one.
///
/// # Errors
/// If a module cannot be read, or something about it does not hold.
pub async fn run(args: StpArgs, talk: Talk) -> Result<(), Failure> {
    match args.action {
        Action::List => list(talk),
        Action::Test(args) => test(&args, talk).await,
        Action::Status(args) => status::run(&args, talk).await,
    }
}

fn list(talk: Talk) -> Result<(), Failure> {
    let engine = engine()?;
    talk.payload(format_args!("{:<10} {:<10} {:>7}  {:<64}  what it is", "name", "kind", "bytes", "BLAKE3"));
    for guest in BUILT_IN {
        let (name, title, bytes) = (guest.name, guest.title, guest.bytes.len());
        let kind = word(module(&engine, guest)?.kind());
        let hash = blake3::hash(guest.bytes).to_hex();
        talk.payload(format_args!("{name:<10} {kind:<10} {bytes:>7}  {hash}  {title}"));
        let fields = json!({ "name": name, "kind": kind, "bytes": bytes, "blake3": hash.as_str(), "title": title });
        talk.event("guest", &fields);
    }
    Ok(())
}

/// A page is Markdown, and a file that can be written.
fn page_file(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("html") || it.eq_ignore_ascii_case("htm")) {
        let why = "the page is Markdown; give a name that ends in .md";
        return Err(Failure::usage(format!("writing {}", path.display()), why));
    }
    output::try_file(path)
}

async fn test(args: &TestArgs, talk: Talk) -> Result<(), Failure> {
    args.report.as_deref().map_or(Ok(()), page_file)?;
    let began = clock::now();
    let bytes = match built_in(&args.guest) {
        Some(guest) => guest.bytes.to_vec(),
        None => read(Path::new(&args.guest))?,
    };
    let steps = talk.steps(None, "loading");
    let teller = steps.teller();
    let trying = tokio::task::spawn_blocking(move || {
        let trial = try_out(&bytes, |doing| teller.doing(doing.to_owned()));
        (bytes, trial)
    });
    let (bytes, trial) = tokio::select! {
        tried = trying => tried.map_err(|error| Failure::new(Exit::Unmet, "trying the guest", error))?,
        () = stopped() => return Err(stopped_failure()),
    };
    drop(steps);
    for row in &trial.rows {
        let Row { part, what, holds, why } = row;
        let word = if *holds { "holds" } else { "FAILS" };
        talk.payload(format_args!("{word}  {:<12} {what}: {why}", part.word()));
        talk.event("check", &json!({ "part": part.word(), "what": what, "holds": holds, "why": why }));
    }
    if let Some(path) = &args.report {
        let name = Path::new(&args.guest).file_name().unwrap_or(args.guest.as_ref());
        let text = page(&shown(Path::new(name)).to_string(), &bytes, &trial, &made(began.elapsed()));
        std::fs::write(path, text).map_err(|error| Failure::write(format!("writing {}", path.display()), &error))?;
        talk.say(format_args!("the page is {}", path.display()));
    }
    let (failed, checks) = (trial.failed().count(), trial.rows.len());
    talk.event("verdict", &json!({ "guest": args.guest, "holds": failed == 0, "checks": checks, "failed": failed }));
    if failed == 0 {
        return Ok(());
    }
    let why = format!("{failed} of {checks} checks do not hold");
    Err(Failure::new(Exit::Unmet, format!("testing {}", shown(Path::new(&args.guest))), why))
}

/// A module's bytes; of one that is too large so many that this shows.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MODULE_MAX as u64 + 1).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| {
        let failure = Failure::read(format!("reading the module {}", shown(path)), &error);
        if error.kind() == io::ErrorKind::NotFound {
            failure.or_try("a file, or one of the names in `tng stp list`")
        } else {
            failure
        }
    })
}
