//! `tng demo`: what tng does, measured here and now beside what its papers claim.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;
#[cfg(feature = "guests")]
use tng_experiments::lab::stp;
use tng_experiments::lab::{self, Experiment, Record, Table, ours, sst, tng};
use tng_experiments::page::Page;

use crate::clock;
use crate::commands::lab::measure;
use crate::demo::{
    Leg, Reached, Relayed, Survived, Transfers, possible, reached, relayed, serve_tcp, survived, transfers,
};
#[cfg(feature = "guests")]
use crate::demo::{Upgraded, upgraded};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::talk::Talk;

/// Shown before everything else in `tng demo --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng demo                     2,000 files between two processes; then, in
                               virtual time: the same over a lossy path, 100
                               replies at once, changing priorities, a move to
                               another network, a server that is killed again
                               and again, relays on a lossy path, a guest that
                               floods
  tng demo --report demo.html  the same, with plots, as a page
  tng demo --only forget       one part of it
  tng demo --only upgrade      a guest transport that one process ships to
                               another
  tng demo --only fleet        200 MB through sha256sum from three servers;
                               one is killed each second
  sudo tng demo --only relay   relays that are killed, as processes in network
                               namespaces
  sudo tng demo --only reach   two hosts behind NATs find each other by EID
                               (public key) and registry; one moves
  tng demo --seed 7            other files, other losses";

/// Arguments of `tng demo`.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// Seed of the files and the losses
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Show only this part. May be given more than once
    #[arg(long, value_name = "PART")]
    only: Vec<Scene>,
    /// Write the results as one HTML page with plots
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Be the server over TCP that the part `fleet` kills, of this file
    #[arg(long, value_name = "FILE", hide = true, requires = "serve_tcp_at")]
    serve_tcp: Option<PathBuf>,
    /// Where that is
    #[arg(long, value_name = "IP:PORT", hide = true)]
    serve_tcp_at: Option<String>,
}

/// A part of the demonstration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Scene {
    /// Files between two processes, and their bytes over a lossy path
    Files,
    /// 100 replies at once on streams of their own, and over one stream
    HeadOfLine,
    /// Three downloads whose priorities change
    Priorities,
    /// A move to another network in the middle of a download
    Move,
    /// A server without client state, killed again and again during a download
    Forget,
    /// A download through sha256sum from three servers without client state; each second one of them is killed. Beside
    /// it, one over TCP
    Fleet,
    /// A long and lossy path with helpers and without; both helpers are killed during a download
    Helper,
    /// The same with relays as processes in network namespaces; needs root
    Relay,
    /// Two hosts behind NATs find each other through a registry, start relayed, become direct, and one moves; needs
    /// root and nftables
    Reach,
    /// A guest that floods a slow link beside TCP, with the policer and without
    #[cfg(feature = "guests")]
    Police,
    /// A guest transport that one process ships to another, which runs it, and then refuses it by its policy
    #[cfg(feature = "guests")]
    Upgrade,
}

/// The parts that run in virtual time: experiments of the lab, and what is set of them.
const SCENES: &[(Scene, &Experiment, &[&str])] = &[
    (Scene::HeadOfLine, &ours::head_of_line::HEAD_OF_LINE, &["losses=2%"]),
    (Scene::Priorities, &sst::fig9::FIG9, &[]),
    (Scene::Move, &ours::movement::MOVE, &[]),
    (Scene::Forget, &ours::forget::FORGET, &[]),
    (Scene::Helper, &tng::fig10::FIG10, &["losses=0%,1%", "step=4s", "bytes=4MB"]),
    #[cfg(feature = "guests")]
    (Scene::Police, &stp::police::POLICE, &["time=40s"]),
];

/// What the parts outside the lab showed; `None` of those that were left out.
struct Shown {
    transfers: Option<Transfers>,
    fleet: Option<Survived>,
    travelled: Option<(Vec<Leg>, String)>,
    relayed: Option<Relayed>,
    reached: Option<Reached>,
}

/// Runs the demonstration and prints what came of it.
///
/// # Errors
/// If anything does not arrive as it was sent, or the page cannot be written.
pub async fn run(args: &DemoArgs, talk: Talk) -> Result<(), Failure> {
    if let (Some(path), Some(at)) = (&args.serve_tcp, &args.serve_tcp_at) {
        return serve_tcp(path.clone(), at).await;
    }
    let began = clock::now();
    args.report.as_deref().map_or(Ok(()), output::try_file)?;
    let seed = args.seed;
    let wanted = |scene| args.only.is_empty() || args.only.contains(&scene);
    let transfers = match wanted(Scene::Files) {
        true => Some(transfers(seed, talk).await?),
        false => None,
    };
    transfers.iter().for_each(|transfers| tell(transfers, talk));
    let fleet = match wanted(Scene::Fleet) {
        true => Some(survived(seed, talk).await?),
        false => None,
    };
    if let Some(fleet) = &fleet {
        tell_legs(&fleet.legs, talk);
        talk.say(format_args!("{}\n", survived_note(fleet)));
        let Survived { legs: _, kills, connections, asked } = fleet;
        talk.event("fleet", &json!({ "kills": kills, "connections": connections, "asked": asked }));
    }
    #[cfg(feature = "guests")]
    let travelled = match wanted(Scene::Upgrade) {
        true => Some(upgrade(seed, talk).await?),
        false => None,
    };
    #[cfg(not(feature = "guests"))]
    let travelled = None;
    let mut records = Vec::new();
    for (_, experiment, set) in SCENES.iter().filter(|(scene, ..)| wanted(*scene)) {
        let set: Vec<String> = set.iter().map(|pair| (*pair).to_owned()).collect();
        let params = experiment.params(&set).map_err(|error| Failure::new(Exit::Read, experiment.name, error))?;
        let record = measure(experiment, seed, params, false, talk).await?;
        talk.payload(&record);
        talk.event("experiment", &json!({ "experiment": record, "holds": record.holds() }));
        records.push(record);
    }
    let relayed = match wanted(Scene::Relay) {
        true => relays(args, talk).await?,
        false => None,
    };
    let reached = match wanted(Scene::Reach) {
        true => reach(args, talk).await?,
        false => None,
    };
    let shown = Shown { transfers, fleet, travelled, relayed, reached };
    if let Some(path) = &args.report {
        let html = page(seed, &shown, &records);
        std::fs::write(path, html).map_err(|error| Failure::write(format!("writing {}", path.display()), &error))?;
        talk.say(format_args!("the page with the plots is {}", path.display()));
    }
    let wall_s = began.elapsed().as_secs_f64();
    talk.say(format_args!("everything took {wall_s:.1} s of real time"));
    let holds = records.iter().all(Record::holds);
    let report = args.report.as_deref().map(Path::display).map(|path| path.to_string());
    let virtual_wall_s = shown.transfers.map(|transfers| transfers.virtual_wall.as_secs_f64());
    talk.event(
        "done",
        &json!({ "wall_s": wall_s, "virtual_wall_s": virtual_wall_s, "holds": holds, "report": report }),
    );
    Ok(())
}

/// The part with a transport that travels: its connections, and what the demonstration says of them.
#[cfg(feature = "guests")]
async fn upgrade(seed: u64, talk: Talk) -> Result<(Vec<Leg>, String), Failure> {
    let Upgraded { legs, settled } = upgraded(seed, talk).await?;
    tell_legs(&legs, talk);
    let note = format!("the client offered its transport on each, and what was settled is: {}", settled.join(", "));
    talk.say(format_args!("{note}\n"));
    talk.event("upgrade", &json!({ "settled": settled }));
    Ok((legs, note))
}

/// The part that needs networks of its own. Where there can be none, it fails if the user asked for nothing else; of
/// everything it is left out, and the user is told why.
async fn relays(args: &DemoArgs, talk: Talk) -> Result<Option<Relayed>, Failure> {
    if let (Err(failure), true) = (possible(), args.only.is_empty()) {
        talk.say(format_args!("relays as processes are left out: {failure}"));
        talk.event("left_out", &json!({ "part": "relay", "why": failure.to_json() }));
        return Ok(None);
    }
    let relayed = relayed(args.seed, talk).await?;
    tell_legs(&relayed.legs, talk);
    talk.say(format_args!("{}\n", relayed_note(&relayed)));
    Ok(Some(relayed))
}

/// The part with NATs, in the same way.
async fn reach(args: &DemoArgs, talk: Talk) -> Result<Option<Reached>, Failure> {
    let found = match possible() {
        Ok(()) => reached(args.seed, talk).await,
        Err(failure) => Err(failure),
    };
    let reached = match found {
        Ok(reached) => reached,
        // No networks, or no nft.
        Err(failure) if !args.only.is_empty() || !is_missing(&failure) => return Err(failure),
        Err(failure) => {
            talk.say(format_args!("hosts behind NATs are left out: {failure}"));
            talk.event("left_out", &json!({ "part": "reach", "why": failure.to_json() }));
            return Ok(None);
        }
    };
    tell_legs(std::slice::from_ref(&reached.leg), talk);
    talk.say(format_args!("{}\n", reached_note(&reached)));
    let Reached { leg: _, relayed, stall, introductions } = &reached;
    talk.event(
        "reached",
        &json!({
            "relayed_s": relayed.as_secs_f64(), "stall_s": stall.as_secs_f64(), "introductions": introductions,
        }),
    );
    Ok(Some(reached))
}

/// Whether something of this machine is missing for a part.
fn is_missing(failure: &Failure) -> bool {
    failure.exit == Exit::NoProgram || possible().is_err()
}

fn reached_note(reached: &Reached) -> String {
    let [relayed, stall] = [reached.relayed, reached.stall].map(|time| time.as_secs_f64());
    format!(
        "found by an EID alone, by way of the registry for {relayed:.2} s, and then directly; when the client came from \
         another address, and nobody was told, nothing came for {stall:.2} s at most"
    )
}

fn relayed_note(relayed: &Relayed) -> String {
    let [direct, helped, _] = &relayed.legs;
    let times = direct.time.as_secs_f64() / helped.time.as_secs_f64();
    format!("by way of relays {times:.1} times as fast; those that were killed were used again when they were back")
}

fn tell_legs(legs: &[Leg], talk: Talk) {
    let mut table = Table::new(&Leg::HEAD);
    for leg in legs {
        table.row(leg.cells().to_vec());
        let Leg { path, bytes, clock, .. } = leg;
        let seconds = leg.time.as_secs_f64();
        talk.event("leg", &json!({ "path": path, "bytes": bytes, "seconds": seconds, "clock": clock }));
    }
    talk.payload(format_args!("\n{table}"));
}

fn tell(transfers: &Transfers, talk: Talk) {
    tell_legs(&transfers.legs, talk);
    talk.say(LOSS_NOTE);
    let wall = transfers.virtual_wall.as_secs_f64();
    talk.say(format_args!("the virtual transfer took {wall:.1} s of real time; digest {}\n", &transfers.digest[..16]));
}

const LOSS_NOTE: &str = "one packet lost in a thousand holds any loss-based controller to about a tenth of such a link";

fn survived_note(fleet: &Survived) -> String {
    let Survived { legs: _, kills: [kills, tcp_kills], connections, asked } = fleet;
    format!(
        "of three servers {kills} were killed with -9, and the download had {connections} connection; the server over \
         TCP was killed {tcp_kills} times, and had to be asked {asked} times"
    )
}

fn page(seed: u64, shown: &Shown, records: &[Record]) -> String {
    let Shown { transfers, fleet, travelled, relayed, reached } = shown;
    let mut page = Page::new("tng demo");
    page.paragraph(&format!(
        "What tng does, measured beside what its papers claim. Everything in virtual time is the same for the same \
         seed; this was seed {seed}."
    ));
    if let Some(transfers) = transfers {
        page.section("Files").table(&Leg::HEAD, transfers.legs.iter().map(Leg::cells));
        page.paragraph(&format!("On the second path, {LOSS_NOTE}."));
    }
    if let Some(fleet) = fleet {
        page.section("A fleet").table(&Leg::HEAD, fleet.legs.iter().map(Leg::cells));
        page.paragraph(&format!("Read as over a line of 100 Mbit/s: {}.", survived_note(fleet)));
    }
    if let Some((legs, note)) = travelled {
        page.section("A transport that travels").table(&Leg::HEAD, legs.iter().map(Leg::cells));
        page.paragraph(&format!("Between two processes: {note}."));
    }
    if let Some(relayed) = relayed {
        page.section("Relays").table(&Leg::HEAD, relayed.legs.iter().map(Leg::cells));
        let note = relayed_note(relayed);
        page.paragraph(&format!("Two sites 80 ms apart, between them 20 Mbit/s and 1 % loss: {note}."));
    }
    if let Some(reached) = reached {
        page.section("Behind NATs").table(&Leg::HEAD, [reached.leg.cells()]);
        page.paragraph(&format!("Two hosts behind NATs, and a registry that relays: {}.", reached_note(reached)));
    }
    records.iter().for_each(|record| lab::write(record, &mut page));
    page.to_html()
}
