//! What looks after servers that keep nothing, sprayers and gateways: `tng trickles check`, `dump`, `status` and
//! `reload`.

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use tng_settings::Document;

use crate::config::read_text;
use crate::daemon::Kind;
use crate::daemon::control::{self, Socket};
use crate::daemon::told::{self, Origin, Places, Told};
use crate::failure::Failure;
use crate::talk::Talk;
use crate::trickles::web::{self, GATEWAY};
use crate::trickles::{TRICKLES, config, spray, status};

/// Shown before everything else in `tng trickles check --help`.
pub const CHECK_EXAMPLES: &str = "\
Examples:
  tng trickles check --config /etc/tng/trickles.toml
        check a file before a server reads it
  tng trickles check --config /etc/tng/gateway.toml
        and that of a gateway, with the tickets in it";

/// Shown before everything else in `tng trickles dump --help`.
pub const DUMP_EXAMPLES: &str = "\
Examples:
  tng trickles dump --config /etc/tng/trickles.toml
        every value, and the line or default that it comes from";

/// Shown before everything else in `tng trickles status --help`.
pub const STATUS_EXAMPLES: &str = "\
Examples:
  tng trickles status  what the server on this host has done, by thread
  tng trickles status --json --control /run/tng-trickles/tng-trickles.sock
                       the same for programs, from a given control socket
  tng trickles status --control /run/tng-gateway/tng-gateway.sock
                       what a gateway has done; the same for a sprayer";

/// Shown before everything else in `tng trickles reload --help`.
pub const RELOAD_EXAMPLES: &str = "\
Examples:
  tng trickles reload  reload its configuration and keys, and open its access
                       log anew; a bad file changes nothing";

/// Arguments of `tng trickles check` and `dump`.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    /// The configuration
    #[arg(long, value_name = "FILE", env = "TNG_TRICKLES_CONFIG")]
    config: PathBuf,
}

/// Arguments of `tng trickles status` and `reload`.
#[derive(Args, Debug)]
pub struct ControlArgs {
    /// Its control socket [default: that of a server of this user, else /run/tng-trickles/tng-trickles.sock]
    #[arg(long, value_name = "SOCKET")]
    control: Option<PathBuf>,
    /// Its configuration, which names its control socket
    #[arg(long, value_name = "FILE", conflicts_with = "control", env = "TNG_TRICKLES_CONFIG")]
    config: Option<PathBuf>,
}

/// What a configuration says, a server's or a gateway's.
struct Said {
    kind: Kind,
    told: Vec<Told>,
    control: Option<PathBuf>,
    /// What `check` warns of, though the file is good.
    remark: Option<&'static str>,
}

/// Reads a configuration of a server or of a gateway: its table says which.
fn read(path: &Path) -> Result<Said, Failure> {
    let places = Places::of_environment();
    if is_of_gateway(path) {
        let config = web::config::read(path, &places)?;
        return Ok(Said { kind: GATEWAY, told: config.told, control: config.control, remark: None });
    }
    let config = config::read(path, &places)?;
    let remark = config
        .state
        .is_none()
        .then_some("no `state`: a server that is ended leaves nothing to the next, which begins as after a crash");
    Ok(Said { kind: TRICKLES, told: config.told, control: config.control, remark })
}

/// Whether a file has a table of a gateway, and none of a server. What cannot be read is none.
fn is_of_gateway(path: &Path) -> bool {
    let Some(text) = File::open(path).ok().and_then(|file| read_text(file, "").ok()) else { return false };
    Document::parse(&text)
        .is_ok_and(|document| document.section(&["gateway"]).is_ok_and(|it| it.get("gateway").is_some()))
}

impl ControlArgs {
    fn ask(&self, word: &str) -> Result<Value, Failure> {
        let runtime = Places::of_environment().runtime;
        let (kind, socket) = match (&self.control, &self.config) {
            (Some(path), _) => (TRICKLES, Socket::named(path.clone(), "--control")),
            (None, None) => (TRICKLES, Socket::usual(TRICKLES, &runtime)),
            (None, Some(path)) => {
                let Said { kind, told, control, .. } = read(path)?;
                let is_named = |told: &Told| told.key.ends_with(".control") && matches!(told.origin, Origin::File(_));
                // What the file leaves out is elsewhere for a daemon under systemd.
                let control = control.filter(|_| told.iter().any(is_named));
                let usual = || Socket::usual(kind, &runtime);
                (kind, control.map_or_else(usual, |control| Socket::named(control, path.display().to_string())))
            }
        };
        control::asked(kind, &socket, word)
    }
}

/// Says whether a configuration is good.
///
/// # Errors
/// What is wrong with it.
pub fn check(args: &ConfigArgs, talk: Talk) -> Result<(), Failure> {
    if let Some(remark) = read(&args.config)?.remark {
        talk.warn(remark);
    }
    talk.say(format_args!("{} is good", args.config.display()));
    talk.event("good", &json!({}));
    Ok(())
}

/// Prints every value of a configuration, and where it comes from.
///
/// # Errors
/// What is wrong with it.
pub fn dump(args: &ConfigArgs, talk: Talk) -> Result<(), Failure> {
    let told = read(&args.config)?.told;
    match talk.json {
        true => document(json!({ "values": told::dump(&told) }), talk),
        false => told::print(&told, talk),
    }
    Ok(())
}

/// Shows what a daemon has done.
///
/// # Errors
/// If there is none, or it does not answer.
pub fn show(args: &ControlArgs, talk: Talk) -> Result<(), Failure> {
    let answer = args.ask("status")?;
    let table = match () {
        () if talk.json => {
            document(answer, talk);
            return Ok(());
        }
        () if spray::status::is_one(&answer) => spray::status::table(&answer),
        () if web::status::is_one(&answer) => web::status::table(&answer),
        () => status::table(&answer),
    };
    talk.payload(table.trim_end());
    Ok(())
}

/// Has a daemon read its files again.
///
/// # Errors
/// If there is none, or a file is bad.
pub fn reload(args: &ControlArgs, talk: Talk) -> Result<(), Failure> {
    args.ask("reload")?;
    talk.say("reloaded");
    talk.event("reloaded", &json!({}));
    Ok(())
}

/// A document, and not events.
fn document(value: Value, talk: Talk) {
    Talk { json: false, ..talk }.payload(value);
}
