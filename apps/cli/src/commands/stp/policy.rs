//! `tng stp policy`: whether it is right, and what it decides.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use tng::stp::manager::{Choice, Purpose, Question, Trust};
use tng_base::Eid;
use tng_settings::nearest;

use super::install::{told, verdict_fields};
use super::place::{PlaceArgs, code};
use crate::clock;
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::supply::{APPLICATIONS, PolicyFile, SERVICES, find_host, read_policy};
use crate::key::NO_HOME;
use crate::talk::{Talk, counted, hung, shown};

/// Shown before everything else in `tng stp policy --help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  tng stp policy check                check this user's policy, and show what is
                                      in it
  tng stp policy check stp.toml       check this file
  tng stp policy explain attic files  which rule decides for connections with
                                      the host attic, and what becomes of each
                                      guest that is here
  tng stp policy explain - files --application get --port 4860 fast
                                      for any peer, an application, and one
                                      guest

docs/stp.md, \"Policy\", has the keys.";

/// Arguments of `tng stp policy`.
#[derive(Args, Debug)]
pub(super) struct PolicyArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Check a policy; errors are shown with their line
    Check {
        /// The file [default: ~/.config/tng/stp.toml]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Show which rule decides, what, and why
    Explain(ExplainArgs),
}

#[derive(Args, Debug)]
struct ExplainArgs {
    /// The peer: an EID, a name from ~/.config/tng/config.toml, or - for anybody else
    #[arg(value_name = "PEER")]
    peer: String,
    /// The service that is asked for, or - for none, as with `tng stp push`
    #[arg(value_name = "SERVICE")]
    service: String,
    /// The local application
    #[arg(long, value_name = "NAME")]
    application: Option<String>,
    /// The application forbids foreign code
    #[arg(long)]
    no_foreign: bool,
    /// This host's port if it accepts, the peer's if it opens
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// The guest: a hash or its beginning, a name, or a file [default: all that are here]
    #[arg(value_name = "HASH|NAME|FILE")]
    code: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Checks or explains a policy.
///
/// # Errors
/// If it is wrong, or names what is not there.
pub(super) fn run(args: &PolicyArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        Action::Check { file, place } => {
            check(file.clone().or_else(|| PolicyFile::of(place).path().map(Path::to_owned)), talk)
        }
        Action::Explain(args) => explain(args, talk),
    }
}

fn check(file: Option<PathBuf>, talk: Talk) -> Result<(), Failure> {
    let path = file.ok_or_else(|| Failure::usage("finding the policy", NO_HOME).or_try("name its file"))?;
    let find =
        |host: &str| find_host(host).map(drop).map_err(|failure| format!("{host:?} is no host: {}", failure.why));
    let policy = read_policy(&path, Some(&find))?;
    talk.say(format_args!(
        "{} is right: {} and the one at the end, which accepts {}; {}, {}",
        shown(&path),
        counted(policy.rules.len(), "rule"),
        policy.default.accept,
        counted(policy.publishers.len(), "publisher"),
        counted(policy.pins.len(), "pin")
    ));
    for rule in policy.rules.iter().chain([&policy.default]) {
        let prefer: Vec<String> = rule.prefer.iter().map(ToString::to_string).collect();
        let preferred: Vec<String> = rule.prefer.iter().map(short).collect();
        talk.payload(format_args!(
            "{:<20} accepts {:<6}  foreign {}  trusts {:<7}  prefers {}",
            &*rule.name,
            rule.accept.to_string(),
            if rule.foreign { "yes" } else { "no " },
            rule.trusts.to_string(),
            if preferred.is_empty() { "nothing".to_owned() } else { preferred.join(", ") }
        ));
        let fields = json!({
            "name": &*rule.name,
            "accept": rule.accept.to_string(),
            "foreign": rule.foreign,
            "trusts": rule.trusts.to_string(),
            "prefer": prefer,
            "from_peers": rule.takes_from_peers(),
            "from_hosts": rule.hosts().collect::<Vec<_>>(),
        });
        talk.event("rule", &fields);
    }
    Ok(())
}

fn short(choice: &Choice) -> String {
    match choice {
        Choice::Hash(hash) => hash.short(),
        Choice::Name(name) => name.to_string(),
    }
}

fn peer(text: &str) -> Result<Option<Eid>, Failure> {
    if text == "-" {
        return Ok(None);
    }
    if let Ok(eid) = text.parse() {
        return Ok(Some(eid));
    }
    match Config::load()?.host(text) {
        Some(host) => Ok(Some(host.eid)),
        None => {
            let why = format!("{text:?} is no EID, and no host of this tool's configuration");
            Err(Failure::new(Exit::Usage, "looking for the peer", why).or_try("an EID, or - for anybody else"))
        }
    }
}

/// Checks that there is such a thing: of something else no rule would ever be asked.
fn is_known(what: &str, name: &str, known: &[&str], own: &[String]) -> Result<(), Failure> {
    let all = || known.iter().copied().chain(own.iter().map(String::as_str));
    if all().any(|known| known == name) {
        return Ok(());
    }
    let failure = Failure::usage("asking the policy", format!("there is no {what} {name:?}"));
    Err(failure.or_try(match nearest(name, all()) {
        Some(nearest) => nearest.to_owned(),
        None => format!("one of {}, or name it in {what}s = [...] of the policy", all().collect::<Vec<_>>().join(", ")),
    }))
}

fn explain(args: &ExplainArgs, talk: Talk) -> Result<(), Failure> {
    let peer = peer(&args.peer)?;
    let manager = args.place.manager_there(talk)?;
    let service = if args.service == "-" { "" } else { &args.service };
    manager.look(|policy, _| {
        if !service.is_empty() {
            is_known("service", service, &SERVICES, &policy.services)?;
        }
        let application = args.application.as_deref();
        application.map_or(Ok(()), |name| is_known("application", name, &APPLICATIONS, &policy.applications))
    })?;
    let question = Question {
        purpose: Purpose::Carry,
        application: args.application.as_deref(),
        no_foreign: args.no_foreign,
        peer,
        service,
        port: args.port,
    };
    let hashes = match &args.code {
        Some(text) => vec![code(&manager, text)?],
        None => manager.look(|_, known| known.all().map(|(hash, _)| hash).collect()),
    };
    let rule = manager.look(|policy, _| policy.rule(&question).clone());
    let trusts = match rule.trusts {
        Trust::Nothing => String::new(),
        trust => format!(", and trusts the peer's {trust}"),
    };
    talk.say(format_args!("{:?} decides: it accepts {}{trusts}", &*rule.name, rule.accept));
    let now = clock::seconds_since_1970();
    for hash in hashes {
        // A controller is asked for by nobody else, and regulates.
        let kind = manager.look(|_, known| known.all().find(|(known, _)| *known == hash).map(|(_, kind)| kind));
        let question = Question { purpose: kind.map(Purpose::of).unwrap_or_default(), ..question };
        let verdict = manager.decide(&question, &hash, now);
        let name = manager.look(|_, known| known.name(&hash).map(str::to_owned));
        let head = format!("{}  {:<10} ", hash.short(), name.as_deref().unwrap_or("-"));
        talk.payload(hung(&head, &told(&verdict)));
        let mut fields = verdict_fields(&verdict);
        fields["blake3"] = hash.to_string().into();
        fields["name"] = name.into();
        talk.event("verdict", &fields);
    }
    let offer = manager.offer(&question, now);
    if !offer.is_empty() {
        let short: Vec<String> = offer.iter().map(tng_base::CodeHash::short).collect();
        talk.say(format_args!("a connection that this host opens offers {}", short.join(", ")));
    }
    let offered: Vec<String> = offer.iter().map(ToString::to_string).collect();
    talk.event("offer", &json!({ "rule": &*rule.name, "offered": offered }));
    Ok(())
}
