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
use crate::talk::{Talk, shown};
use judge::Judgement;
use place::PlaceArgs;

/// Shown before everything else in `tng stp --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng stp list                               the guests that are built in, and those in the store
  tng stp test mine.wasm                     does it keep to the border, to its quotas, and to what TCP would have
  tng stp test newreno --report page.md      one that does, and a page of it
  tng stp keygen acme.key                    who publishes: a key, then what a module is, signed
  tng stp sign fast.wasm --key acme.key --name fast --version 1.0.0
  tng stp install fast.wasm                  who uses it: into the store, with fast.manifest beside it
  tng stp policy explain - files fast        may it run, by which rule, and why
  tng stp push fast TICKET                   to a host that serves code: its policy decides
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
    /// The guests that are built in, and those in the store: what they are for, bytes, BLAKE3 hash
    #[command(before_help = list::LIST_EXAMPLES)]
    List(list::ListArgs),
    /// All that is known of one, and what the policy makes of it
    #[command(before_help = show::EXAMPLES)]
    Show(show::ShowArgs),
    /// Put a module into the store
    #[command(before_help = install::EXAMPLES)]
    Install(install::InstallArgs),
    /// Send a transport to a host that serves code; its policy decides whether it is taken
    #[command(before_help = push::EXAMPLES)]
    Push(push::PushArgs),
    /// Take a module out of the store
    #[command(before_help = judge::EXAMPLES)]
    Remove(judge::CodeArgs),
    /// Let code run by its hash, signed or not
    #[command(before_help = judge::EXAMPLES)]
    Pin(judge::CodeArgs),
    /// Do so no more
    #[command(before_help = judge::EXAMPLES)]
    Unpin(judge::CodeArgs),
    /// Say that code is buggy: it runs no more
    #[command(before_help = judge::FLAG_EXAMPLES)]
    Flag(judge::FlagArgs),
    /// Say so no more, and forgive what it has done
    #[command(before_help = judge::EXAMPLES)]
    Unflag(judge::CodeArgs),
    /// Make room: what was not used for longest goes
    #[command(before_help = judge::COLLECT_EXAMPLES)]
    Collect(judge::CollectArgs),
    /// Make a publisher's key
    #[command(before_help = publish::KEYGEN_EXAMPLES)]
    Keygen(publish::KeygenArgs),
    /// Say what a module is, and sign that
    #[command(before_help = publish::SIGN_EXAMPLES)]
    Sign(publish::SignArgs),
    /// Verify what is in the store, or a module with its manifest
    #[command(before_help = publish::VERIFY_EXAMPLES)]
    Verify(publish::VerifyArgs),
    /// Take code or keys back, or take in what a publisher has taken back
    #[command(before_help = publish::REVOKE_EXAMPLES)]
    Revoke(publish::RevokeArgs),
    /// Check the policy, or have it explained
    #[command(before_help = policy::EXAMPLES)]
    Policy(policy::PolicyArgs),
    /// Try a guest in virtual time: conformance, quotas, policing
    #[command(before_help = TEST_EXAMPLES)]
    Test(TestArgs),
    /// What the guests of running processes have used and done, and why some ended
    #[command(before_help = status::EXAMPLES)]
    Status(status::StatusArgs),
}

#[derive(Args, Debug)]
struct TestArgs {
    /// A module, or one that is built in or in the store, by name or hash
    #[arg(value_name = "GUEST.wasm|NAME|HASH")]
    guest: String,
    /// Write the verdict to a page in Markdown: findings, reasons, what was measured, seeds and settings
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
