//! `tng demo`: what tng does, measured here and now beside what its papers claim.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;
#[cfg(feature = "guests")]
use tng_experiments::lab::stp;
use tng_experiments::lab::{self, Experiment, Record, ours, sst, tng};
use tng_experiments::page::Page;

use crate::clock;
use crate::commands::lab::measure;
use crate::demo::{
    Leg, Part, Reached, Relayed, Survived, Transfers, possible, reached, relayed, serve_tcp, survived, tell_sum,
    transfers,
};
#[cfg(feature = "guests")]
use crate::demo::{Upgraded, upgraded};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::talk::{Steps, Talk};

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
  tng demo --only fleet        100 MB through sha256sum from three servers;
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
    let stage = Stage::new(args, talk);
    // What it measures is the speed of this machine: nothing else runs beside it.
    let transfers = stage.files().await?;
    // The others are held to the rates of their lines, or are over soon. Each is awaited, whatever becomes of the rest:
    // it has a folder and processes to clear away.
    let (records, processes, relayed, reached) =
        tokio::join!(stage.scenes(), stage.processes(), stage.relays(), stage.reach());
    let (records, (fleet, travelled), relayed, reached) = (records?, processes?, relayed?, reached?);
    let shown = Shown { transfers, fleet, travelled, relayed, reached };
    let (parts, took) = (stage.end(), began.elapsed());
    tell_sum(&parts, took, talk);
    match &args.report {
        Some(path) => {
            let html = page(args.seed, &shown, &records);
            std::fs::write(path, html)
                .map_err(|error| Failure::write(format!("writing {}", path.display()), &error))?;
            talk.say(format_args!("the page with tables, plots and settings is {}", path.display()));
        }
        None => talk.say("tables, plots and settings: tng demo --report demo.html"),
    }
    let holds = records.iter().all(Record::holds);
    let report = args.report.as_deref().map(Path::display).map(|path| path.to_string());
    let virtual_wall_s = shown.transfers.map(|transfers| transfers.virtual_wall.as_secs_f64());
    talk.event(
        "done",
        &json!({
            "wall_s": took.as_secs_f64(), "virtual_wall_s": virtual_wall_s, "holds": holds, "report": report,
        }),
    );
    Ok(())
}

/// Where the parts are shown, several at a time.
struct Stage<'a> {
    args: &'a DemoArgs,
    talk: Talk,
    steps: Steps,
    /// Those that run.
    running: RefCell<Vec<&'static str>>,
    /// Those that are over.
    parts: RefCell<Vec<Part>>,
}

impl<'a> Stage<'a> {
    fn new(args: &'a DemoArgs, talk: Talk) -> Stage<'a> {
        let steps = talk.steps(None, "");
        Stage { args, talk, steps, running: RefCell::default(), parts: RefCell::default() }
    }

    fn end(self) -> Vec<Part> {
        self.parts.into_inner()
    }

    fn wants(&self, scene: Scene) -> bool {
        self.args.only.is_empty() || self.args.only.contains(&scene)
    }

    /// Does what `what` names, and says so meanwhile. Answers how long it took, too.
    async fn during<T>(
        &self,
        what: &'static str,
        act: impl Future<Output = Result<T, Failure>>,
    ) -> Result<(T, Duration), Failure> {
        let show = || self.steps.teller().doing(self.running.borrow().join("; "));
        self.running.borrow_mut().push(what);
        show();
        let began = clock::now();
        let done = act.await;
        self.running.borrow_mut().retain(|other| *other != what);
        show();
        Ok((done?, began.elapsed()))
    }

    fn over(&self, part: Part) {
        self.steps.aside(|| part.tell(self.talk));
        self.parts.borrow_mut().push(part);
    }

    /// A part of transfers between processes: to programs, each of them first.
    fn over_with_legs(&self, title: &str, legs: &[Leg], note: String, took: Duration) {
        for Leg { path, bytes, clock, time, .. } in legs {
            let seconds = time.as_secs_f64();
            self.talk.event("leg", &json!({ "path": path, "bytes": bytes, "seconds": seconds, "clock": clock }));
        }
        self.over(Part::of_legs(title, legs, note, took));
    }

    async fn files(&self) -> Result<Option<Transfers>, Failure> {
        if !self.wants(Scene::Files) {
            return Ok(None);
        }
        let (transfers, took) = self.during("files between two processes", transfers(self.args.seed)).await?;
        let note = transfers_note(&transfers);
        self.over_with_legs("Files between two processes, and over a lossy path", &transfers.legs, note, took);
        Ok(Some(transfers))
    }

    /// The parts in virtual time, one after the other.
    async fn scenes(&self) -> Result<Vec<Record>, Failure> {
        let mut records = Vec::new();
        for (_, experiment, set) in SCENES.iter().filter(|(scene, ..)| self.wants(*scene)) {
            let set: Vec<String> = set.iter().map(|pair| (*pair).to_owned()).collect();
            let params = experiment.params(&set).map_err(|error| Failure::new(Exit::Read, experiment.name, error))?;
            let silent = Talk { quiet: true, ..self.talk };
            let (record, took) =
                self.during(experiment.name, measure(experiment, self.args.seed, params, false, silent)).await?;
            self.over(Part::of_record(&record, !self.args.only.is_empty(), took));
            self.talk.event("experiment", &json!({ "experiment": record, "holds": record.holds() }));
            records.push(record);
        }
        Ok(records)
    }

    /// The parts with processes of this machine that keep to a pace.
    async fn processes(&self) -> Result<(Option<Survived>, Option<(Vec<Leg>, String)>), Failure> {
        let mut shown = (None, None);
        if self.wants(Scene::Fleet) {
            let (fleet, took) =
                self.during("a fleet of which one is killed each second", survived(self.args.seed)).await?;
            self.over_with_legs("A fleet that is killed", &fleet.legs, survived_note(&fleet), took);
            let Survived { legs: _, kills, connections, asked } = &fleet;
            self.talk.event("fleet", &json!({ "kills": kills, "connections": connections, "asked": asked }));
            shown.0 = Some(fleet);
        }
        #[cfg(feature = "guests")]
        if self.wants(Scene::Upgrade) {
            let (Upgraded { legs, settled }, took) =
                self.during("a transport that travels", upgraded(self.args.seed)).await?;
            let words = settled.join(", ");
            let note = format!("the client offered its transport on each, and what was settled is: {words}");
            self.over_with_legs("A transport that travels", &legs, note.clone(), took);
            self.talk.event("upgrade", &json!({ "settled": settled }));
            shown.1 = Some((legs, note));
        }
        Ok(shown)
    }

    /// Does what needs networks of its own. Where there can be none, or a program for them is not there, it fails if
    /// the user asked for nothing else; of everything it is left out, and the user is told why.
    async fn with_networks<T>(
        &self,
        part: &str,
        what: &'static str,
        act: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Option<(T, Duration)>, Failure> {
        match self.during(what, act).await {
            Err(failure) if self.args.only.is_empty() && is_missing(&failure) => {
                self.steps.aside(|| self.talk.say(format_args!("{what} are left out: {failure}")));
                self.talk.event("left_out", &json!({ "part": part, "why": failure.to_json() }));
                Ok(None)
            }
            done => done.map(Some),
        }
    }

    async fn relays(&self) -> Result<Option<Relayed>, Failure> {
        if !self.wants(Scene::Relay) {
            return Ok(None);
        }
        let shown = self.with_networks("relay", "relays that are killed", relayed(self.args.seed)).await?;
        let Some((relayed, took)) = shown else { return Ok(None) };
        let title = "Relays between two sites, 80 ms and 1 % loss";
        self.over_with_legs(title, &relayed.legs, relayed_note(&relayed), took);
        Ok(Some(relayed))
    }

    async fn reach(&self) -> Result<Option<Reached>, Failure> {
        if !self.wants(Scene::Reach) {
            return Ok(None);
        }
        let shown = self.with_networks("reach", "two hosts behind NATs", reached(self.args.seed)).await?;
        let Some((reached, took)) = shown else { return Ok(None) };
        let legs = std::slice::from_ref(&reached.leg);
        self.over_with_legs("Two hosts behind NATs, and a registry", legs, reached_note(&reached), took);
        let Reached { leg: _, relayed, stall, introductions } = &reached;
        self.talk.event(
            "reached",
            &json!({
                "relayed_s": relayed.as_secs_f64(), "stall_s": stall.as_secs_f64(), "introductions": introductions,
            }),
        );
        Ok(Some(reached))
    }
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

fn transfers_note(transfers: &Transfers) -> String {
    let ([_, cubic, bbr], [cubic_digest, bbr_digest]) = (&transfers.legs, &transfers.digests);
    format!(
        "one packet lost in a thousand holds cubic, what most of TCP has, to {:.0} % of such a link, and bbr, the \
         default here, to {:.0} %; digests of all that happened to the packets: {} and {}",
        share(cubic),
        share(bbr),
        &cubic_digest[..8],
        &bbr_digest[..8]
    )
}

/// How much of the lossy link a transfer had, in percent.
fn share(leg: &Leg) -> f64 {
    leg.bytes as f64 * 8.0 / leg.time.as_secs_f64() / LOSSY_BPS * 100.0
}

/// What the lossy link of the virtual transfers carries.
const LOSSY_BPS: f64 = 100e6;

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
        page.paragraph(&format!("Over the lossy path, {}.", transfers_note(transfers)));
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
