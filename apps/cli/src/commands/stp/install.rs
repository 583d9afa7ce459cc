//! `tng stp install`: a module goes into the store.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tng::stp::manager::{Arrived, ByHand, MANIFEST_MAX, Origin, Outcome, Purpose, Question, Verdict};
use tng::stp::{CompiledKey, Module};
use tng_crypto::code_hash;

use super::place::{PlaceArgs, install_failure, read_file, read_module};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::modules::engine;
use crate::guests::word;
use crate::talk::{Talk, shown};

/// Shown before everything else in `tng stp install --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  tng stp install fast.wasm        with fast.manifest, if that lies beside it
  tng stp install fast.wasm --pin  and allow it by its hash, signed or not
  tng stp install fast.wasm --store DIR
                                   into another store

The module is checked, compiled and stored. Whether the policy lets it run is
shown; `tng stp policy explain` shows it for any peer.";

/// Arguments of `tng stp install`.
#[derive(Args, Debug)]
pub(super) struct InstallArgs {
    /// The module
    #[arg(value_name = "FILE.wasm")]
    file: PathBuf,
    /// The publisher's manifest [default: the .manifest file beside the module, if there is one]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Also pin it: allow it by its hash
    #[arg(long)]
    pin: bool,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Installs.
///
/// # Errors
/// If it is no module, may not be here, or the store does not take it.
pub(super) fn run(args: &InstallArgs, talk: Talk) -> Result<(), Failure> {
    let what = format!("installing {}", shown(&args.file));
    let bytes = read_module(&args.file)?;
    let manifest = manifest(args)?;
    let engine = engine()?;
    let manager = args.place.manager(talk)?;
    let module = Module::new(&engine, &bytes).map_err(|error| Failure::told(Exit::NotRunnable, &what, error))?;
    let hash = code_hash(&bytes);
    // What it is compiled into comes with it, so that nobody waits for that later.
    let compiled = module.compiled(&CompiledKey::derive(manager.store().key()), &hash);
    let compiled = compiled.map_err(|error| Failure::told(Exit::NotRunnable, &what, error))?;
    let tag = engine.tag();
    let by_hand = ByHand { pin: args.pin, compiled: Some((&tag, &compiled)) };
    let origin = Origin::file(&std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone()));
    let arrived = Arrived { bytes: &bytes, kind: module.kind(), manifest: manifest.as_deref(), origin: &origin };
    let question = Question { purpose: Purpose::of(arrived.kind), ..Question::default() };
    let verdict = manager
        .install_by_hand(&arrived, by_hand, &question, clock::seconds_since_1970())
        .map_err(|error| install_failure(&what, &error))?;
    let name = manager.look(|_, known| known.name(&hash).map(str::to_owned));
    talk.payload(format_args!("{}  {}  {}", hash.short(), word(module.kind()), name.as_deref().unwrap_or("-")));
    talk.say(told(&verdict));
    let mut fields = verdict_fields(&verdict);
    fields["blake3"] = hash.to_string().into();
    fields["kind"] = word(module.kind()).into();
    fields["name"] = name.into();
    talk.event("installed", &fields);
    Ok(())
}

fn manifest(args: &InstallArgs) -> Result<Option<Vec<u8>>, Failure> {
    let beside = beside(&args.file);
    match &args.manifest {
        Some(path) => read_file(path, "manifest", MANIFEST_MAX).map(Some).map_err(|(failure, _)| failure),
        None if beside.exists() => {
            read_file(&beside, "manifest", MANIFEST_MAX).map(Some).map_err(|(failure, _)| failure)
        }
        None => Ok(None),
    }
}

/// Where the manifest of a module lies, unless it is said.
pub(super) fn beside(module: &Path) -> PathBuf {
    module.with_extension("manifest")
}

/// A verdict for people.
pub(super) fn told(verdict: &Verdict) -> String {
    let by = format!("by {:?} of the policy", &*verdict.rule);
    match &verdict.outcome {
        Outcome::Run(limits) => format!(
            "runs ({}) {by}: {} bytes of memory, {} of fuel a call, cap {}",
            verdict.level.word(),
            limits.memory,
            limits.fuel,
            limits.cap
        ),
        Outcome::Fetch => format!("is not here, and may be asked for {by}"),
        Outcome::Refuse(reason) => format!("does not run {by}: {reason}"),
    }
}

/// A verdict for programs.
pub(super) fn verdict_fields(verdict: &Verdict) -> serde_json::Value {
    let outcome = match &verdict.outcome {
        Outcome::Run(_) => "run",
        Outcome::Fetch => "fetch",
        Outcome::Refuse(_) => "refuse",
    };
    json!({
        "rule": &*verdict.rule,
        "level": verdict.level.word(),
        "outcome": outcome,
        "memory": verdict.limits().map(|limits| limits.memory),
        "fuel": verdict.limits().map(|limits| limits.fuel),
        "cap": verdict.limits().map(|limits| limits.cap.to_string()),
        "reason": verdict.refused().map(|reason| reason.word()),
        "why": verdict.refused().map(ToString::to_string),
    })
}
