//! `tng stp`: transports that are guests.

mod install;
mod judge;
mod list;
pub(crate) mod place;
mod policy;
mod publish;
mod push;
mod show;
pub mod status;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use tng::stp::built_in;
use tng_experiments::peers::guests::battery::{Row, page, try_out};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::supply::{is_wanted, store_failure};
use crate::machine::made;
use crate::output;
use crate::signals::{stopped, stopped_failure};
use crate::talk::{Talk, hung, shown};
use judge::Judgement;
use place::PlaceArgs;

/// Shown before everything else in `tng stp --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng stp list                         the guests that are built in, and those
                                       in the store
  tng stp test mine.wasm               does it conform, keep to its quotas, and
                                       to TCP's rate
  tng stp test newreno --report page.md
                                       a guest that does, with a report
  tng stp keygen acme.key              publisher: make a key, then sign a
                                       module's manifest
  tng stp sign fast.wasm --key acme.key --name fast --version 1.0.0
  tng stp install fast.wasm            user: install it, with fast.manifest
                                       beside it
  tng stp policy explain - files fast  may it run, by which rule, and why
  tng stp push fast TICKET             send it to a host that serves code, if
                                       its policy accepts it
  tng stp status                       what running guests use and do
  tng listen --transport               then, elsewhere: tng connect --transport
                                       newreno TICKET

docs/stp.md says what a guest is, and what it may do.";

/// Shown before everything else in `tng stp test --help`.
const TEST_EXAMPLES: &str = "\
Examples:
  tng stp test mine.wasm         test it in virtual time, in some seconds
  tng stp test mine.wasm --json  a line for each finding
  tng stp test newreno           a guest that is built in
  tng stp test mine.wasm --report mine.md
                                 with a page: verdict, reasons, measurements and
                                 conditions

A row says what was tried, whether it holds, and what was seen. Exit code 0 if
all hold, else 1.";

/// Arguments of `tng stp`.
#[derive(Args, Debug)]
pub struct StpArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List the guests that are built in or in the store
    #[command(before_help = list::LIST_EXAMPLES)]
    List(list::ListArgs),
    /// Show all that is known of a guest, and what the policy says of it
    #[command(before_help = show::EXAMPLES)]
    Show(show::ShowArgs),
    /// Install a module into the store
    #[command(before_help = install::EXAMPLES)]
    Install(install::InstallArgs),
    /// Send a guest to a host that serves code, if its policy accepts it
    #[command(before_help = push::EXAMPLES)]
    Push(push::PushArgs),
    /// Remove a module from the store
    #[command(before_help = judge::EXAMPLES)]
    Remove(judge::CodeArgs),
    /// Allow code by its hash, signed or not
    #[command(before_help = judge::EXAMPLES)]
    Pin(judge::CodeArgs),
    /// Stop allowing code by its hash
    #[command(before_help = judge::EXAMPLES)]
    Unpin(judge::CodeArgs),
    /// Flag code as buggy: it runs no more
    #[command(before_help = judge::FLAG_EXAMPLES)]
    Flag(judge::FlagArgs),
    /// Take a flag back, and clear the history of violations
    #[command(before_help = judge::EXAMPLES)]
    Unflag(judge::CodeArgs),
    /// Shrink the store: the least recently used goes first
    #[command(before_help = judge::COLLECT_EXAMPLES)]
    Collect(judge::CollectArgs),
    /// Make a publisher's key
    #[command(before_help = publish::KEYGEN_EXAMPLES)]
    Keygen(publish::KeygenArgs),
    /// Write a module's manifest, and sign it
    #[command(before_help = publish::SIGN_EXAMPLES)]
    Sign(publish::SignArgs),
    /// Verify the store, or a module with its manifest
    #[command(before_help = publish::VERIFY_EXAMPLES)]
    Verify(publish::VerifyArgs),
    /// Revoke code or keys, or import a publisher's revocation list
    #[command(before_help = publish::REVOKE_EXAMPLES)]
    Revoke(publish::RevokeArgs),
    /// Check or explain the policy
    #[command(before_help = policy::EXAMPLES)]
    Policy(policy::PolicyArgs),
    /// Test a guest in virtual time: conformance, quotas, policing
    #[command(before_help = TEST_EXAMPLES)]
    Test(TestArgs),
    /// Show the guests of running processes: what they use, and why some ended
    #[command(before_help = status::EXAMPLES)]
    Status(status::StatusArgs),
}

#[derive(Args, Debug)]
struct TestArgs {
    /// A module, or one that is built in or in the store, by name or hash
    #[arg(value_name = "GUEST.wasm|NAME|HASH")]
    guest: String,
    /// Write a page in Markdown: verdict, findings, reasons, measurements, seeds and settings
    #[arg(long, value_name = "PAGE.md")]
    report: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Does what is asked for.
///
/// # Errors
/// If a module cannot be read, or something about it does not hold.
pub async fn run(args: StpArgs, talk: Talk) -> Result<(), Failure> {
    match args.action {
        Action::List(args) => list::list(&args, talk),
        Action::Show(args) => show::run(&args, talk).await,
        Action::Install(args) => install::run(&args, talk),
        Action::Push(args) => push::run(&args, talk).await,
        Action::Remove(args) => judge::judge(Judgement::Remove, &args, talk),
        Action::Pin(args) => judge::judge(Judgement::Pin, &args, talk),
        Action::Unpin(args) => judge::judge(Judgement::Unpin, &args, talk),
        Action::Flag(args) => judge::flag(&args, talk),
        Action::Unflag(args) => judge::judge(Judgement::Unflag, &args, talk),
        Action::Collect(args) => judge::collect(&args, talk),
        Action::Keygen(args) => publish::keygen(&args, talk),
        Action::Sign(args) => publish::sign(&args, talk),
        Action::Verify(args) => publish::verify(&args, talk),
        Action::Revoke(args) => publish::revoke(&args, talk),
        Action::Policy(args) => policy::run(&args, talk),
        Action::Test(args) => test(&args, talk).await,
        Action::Status(args) => status::run(&args, talk).await,
    }
}

/// A page is Markdown, and a file that can be written.
fn page_file(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("html") || it.eq_ignore_ascii_case("htm")) {
        let why = "the page is Markdown; give a name that ends in .md";
        return Err(Failure::usage(format!("writing {}", path.display()), why));
    }
    output::try_file(path)
}

/// The module that is meant: one that is built in, a file, or one of the store, whether or not it may run.
fn module(args: &TestArgs, talk: Talk) -> Result<Vec<u8>, Failure> {
    if let Some(guest) = built_in(&args.guest) {
        return Ok(guest.bytes.to_vec());
    }
    match place::named_module(&args.guest) {
        Err(failure) if is_wanted(&args.place) => {
            let manager = args.place.manager_there(talk)?;
            match place::code(&manager, &args.guest).ok().map(|hash| manager.module(&hash)) {
                Some(module) => module.map_err(|error| store_failure(format!("reading {}", args.guest), &error)),
                None => Err(failure),
            }
        }
        read => read,
    }
}

async fn test(args: &TestArgs, talk: Talk) -> Result<(), Failure> {
    args.report.as_deref().map_or(Ok(()), page_file)?;
    let began = clock::now();
    let bytes = module(args, talk)?;
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
        talk.payload(hung(&format!("{word}  {:<12} ", part.word()), &format!("{what}: {why}")));
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
