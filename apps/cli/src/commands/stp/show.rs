//! `tng stp show`: all that is known of code, its text, and how fast it is loaded.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tng::stp::manager::{Manager, Question};
use tng::stp::shipping::{MODULE_MAX, fetch_text};
use tng::stp::{CompiledKey, Module, text};
use tng_base::{CodeHash, PeerText};

use super::install::{told, verdict_fields};
use super::list::about;
use super::place::{PlaceArgs, built_in_name, code, named_module};
use super::push;
use crate::allowance::TimeArgs;
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::modules::engine;
use crate::guests::supply::store_failure;
use crate::guests::word;
use crate::host::{attend, client};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser};
use crate::peer;
use crate::talk::{Talk, hung};

/// Shown before everything else in `tng stp show --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  tng stp show newreno      what is known of a guest: by name,
  tng stp show 0a1b2c3d     by the first digits of its hash,
  tng stp show fast.wasm    or as a file
  tng stp show fast --wat   its text form, on stdout
  tng stp show HASH --wat --from TICKET
                            the same of one that is not here, as a host that
                            serves code gives it
  tng stp show fast --load  how long it takes to load: compiled anew, and from
                            the cache";

/// How often code is loaded from the cache to say how long that takes.
const LOADS: usize = 101;

/// Arguments of `tng stp show`.
#[derive(Args, Debug)]
pub(super) struct ShowArgs {
    /// A hash or its beginning, a name, or a file
    #[arg(value_name = "HASH|NAME|FILE")]
    code: String,
    /// Print it as WebAssembly text
    #[arg(long)]
    wat: bool,
    /// Ask this host for the text: a ticket, EID@host:port, or a name from ~/.config/tng/config.toml
    #[arg(long, value_name = "HOST", requires = "wat", value_parser = LocationParser)]
    from: Option<Location>,
    /// Measure how long it takes to load
    #[arg(long, conflicts_with = "wat")]
    load: bool,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Shows it.
///
/// # Errors
/// If it is not here, or the store or the policy cannot be read.
pub(super) async fn run(args: &ShowArgs, talk: Talk) -> Result<(), Failure> {
    let manager = args.place.manager_there(talk)?;
    let hash = code(&manager, &args.code)?;
    match (args.wat, args.load, &args.from) {
        (true, _, Some(host)) => written(hash, &text_of_peer(args, hash, host, talk).await?, talk),
        (true, _, None) => {
            let what = format!("writing {} as text", hash.short());
            let module = module(&manager, hash, &args.code)?;
            let text = text(&module, MODULE_MAX).map_err(|error| Failure::told(Exit::Read, what, error))?;
            written(hash, &text, talk);
        }
        (false, true, _) => load(&manager, hash, &args.code, talk)?,
        (false, false, _) => know(&manager, hash, &args.code, talk)?,
    }
    Ok(())
}

/// Shows what is known of code, or what a file is, and what the policy makes of it where no rule applies in particular.
fn know(manager: &Manager, hash: CodeHash, named: &str, talk: Talk) -> Result<(), Failure> {
    let mut about = manager.look(|policy, known| about(policy, known, &hash));
    if !is_known(manager, &hash) {
        let what = format!("showing {}", hash.short());
        if named.parse::<CodeHash>().is_ok() {
            return Err(Failure::usage(what, "it is not here").or_try("tng stp list"));
        }
        let bytes = named_module(named)?;
        let module = Module::new(&engine()?, &bytes).map_err(|error| Failure::told(Exit::NotRunnable, what, error))?;
        (about["kind"], about["bytes"]) = (word(module.kind()).into(), bytes.len().into());
        (about["file"], about["origin"]) = (named.into(), "a file that is not in the store".into());
    }
    let verdict = manager.decide(&Question::default(), &hash, clock::seconds_since_1970());
    let fields = about.as_object().into_iter().flatten();
    // Of a time people are shown the other form.
    for (key, value) in fields.filter(|(key, value)| !value.is_null() && !key.ends_with("_unix_s")) {
        talk.payload(hung(&format!("{key:<15} "), &for_people(value)));
    }
    talk.payload(hung(&format!("{:<15} ", "policy"), &told(&verdict)));
    let mut fields = about;
    fields["verdict"] = verdict_fields(&verdict);
    talk.event("guest", &fields);
    Ok(())
}

/// A value of what is known, in words.
fn for_people(value: &Value) -> String {
    match value {
        Value::String(text) => PeerText::new(text.clone()).to_string(),
        Value::Array(values) => values.iter().map(for_people).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let shown = fields.iter().filter(|(key, value)| !value.is_null() && !key.ends_with("unix_s"));
            shown.map(|(key, value)| format!("{key} {}", for_people(value))).collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}

/// Whether anything is known of it.
fn is_known(manager: &Manager, hash: &CodeHash) -> bool {
    manager.look(|_, known| {
        let index = &known.index;
        known.is_here(hash) || index.is_pinned(hash) || index.flag(hash).is_some() || known.history.of(hash).is_some()
    })
}

/// A module that is here, or the file that was named.
fn module(manager: &Manager, hash: CodeHash, named: &str) -> Result<Vec<u8>, Failure> {
    if manager.look(|_, known| known.is_here(&hash)) {
        return manager.module(&hash).map_err(|error| store_failure(format!("reading {}", hash.short()), &error));
    }
    named_module(named).map_err(|failure| failure.or_try("tng stp show HASH --wat --from HOST"))
}

/// The text of code, as a host that serves code has it.
async fn text_of_peer(args: &ShowArgs, hash: CodeHash, host: &Location, talk: Talk) -> Result<String, Failure> {
    let endpoint = client(args.key.load_or_create()?).await?;
    let what = format!("asking {} for the text of {}", host.eid, hash.short());
    let fetching = async {
        let connection = args.time.connecting(peer::connect(&endpoint, host, talk)).await?;
        let code = fetch_text(&connection, hash, &mut None).await.map_err(|error| push::failure(&what, &error))?;
        talk.say("this is the peer's word: its text has no hash");
        String::from_utf8(code.module).map_err(|error| Failure::new(Exit::Protocol, &what, error))
    };
    let (told, heard) = tokio::sync::oneshot::channel();
    attend(&endpoint, async {
        let _ = told.send(args.time.whole(fetching).await?);
        Ok(())
    })
    .await?;
    heard.await.map_err(|error| Failure::new(Exit::Receive, &what, error))
}

/// Writes a text to stdout. Names and a peer's text may hold anything: what is not ASCII is escaped as in a string of
/// it.
fn written(hash: CodeHash, text: &str, talk: Talk) {
    let escaped = |c: char| match c {
        ' '..='~' | '\t' => c.to_string(),
        _ => c.escape_unicode().to_string(),
    };
    text.lines().for_each(|line| talk.payload(line.chars().map(escaped).collect::<String>()));
    talk.event("text", &json!({ "blake3": hash.to_string(), "text": text }));
}

/// Loads code as a command does that runs it, and says how long that takes: compiled anew once, then from the cache.
fn load(manager: &Manager, hash: CodeHash, named: &str, talk: Talk) -> Result<(), Failure> {
    if let Some(name) = built_in_name(manager, &hash) {
        let why = format!("{name} is built in: it is compiled when a command first runs it, and nothing of it is kept");
        let remedy = format!("tng stp show {name}, or code of the store");
        return Err(Failure::usage(format!("loading {name}"), why).or_try(remedy));
    }
    let what = format!("loading {}", hash.short());
    let bytes = module(manager, hash, named)?;
    let (engine, store) = (engine()?, manager.store());
    let (key, tag) = (CompiledKey::derive(store.key()), engine.tag());
    let began = clock::now();
    let module = Module::new(&engine, &bytes).map_err(|error| Failure::told(Exit::NotRunnable, &what, error))?;
    let compiling = began.elapsed();
    let compiled = module.compiled(&key, &hash).map_err(|error| Failure::told(Exit::NotRunnable, &what, error))?;
    store.keep_compiled(&hash, &tag, &compiled).map_err(|error| store_failure(&what, &error))?;
    let mut times = Vec::with_capacity(LOADS);
    for _ in 0..LOADS {
        let began = clock::now();
        let kept = store.compiled(&hash, &tag).map_err(|error| store_failure(&what, &error))?.unwrap_or_default();
        let loaded = Module::of_compiled(&engine, &key, &hash, &kept);
        times.push(began.elapsed());
        loaded.map_err(|error| Failure::told(Exit::NotRunnable, &what, error))?;
    }
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let [least, median, most] = [0, LOADS / 2, LOADS - 1].map(|at| ms(times[at]));
    talk.payload(format_args!("compiled         {:.2} ms, to {} bytes", ms(compiling), compiled.len()));
    talk.payload(format_args!(
        "from the cache   {median:.3} ms, the median of {LOADS}; {least:.3} at least, {most:.3} at most"
    ));
    let figures = json!({
        "blake3": hash.to_string(), "bytes": bytes.len(), "compiled_bytes": compiled.len(),
        "compiling_ms": ms(compiling), "cache_ms": median, "cache_least_ms": least, "cache_most_ms": most,
    });
    talk.event("loaded", &figures);
    Ok(())
}
