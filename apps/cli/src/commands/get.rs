//! `tng get`: fetches files and folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use serde_json::json;
use tng::Endpoint;
use tng_services::files::SafePath;

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{AGAIN, Fetched, JOBS, Job, Outcome, Plan, REQUESTS_MAX, Target, fetch_all, list};
use crate::host::{attend, client};
use crate::key::KeyArgs;
use crate::location::Location;
use crate::peer::{Peer, RETRIES};
use crate::talk::{Progress, Talk, bytes, rate};

/// Shown before everything else in `tng get --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng get tng://TICKET/movie.mkv           fetch a file to here; again to resume, or to check it
  tng get -r -o photos TICKET              fetch all that is served
  tng get tng://EID@host:4860/a/b -o -     a file to stdout, from a host that is --public or lists us";

/// Arguments of `tng get`.
#[derive(Args, Debug)]
pub struct GetArgs {
    /// What to fetch: tng://TICKET/path, tng://EID@host:port/path, or a ticket
    #[arg(value_name = "URL", required = true)]
    urls: Vec<Location>,
    /// Where to: a file, a folder, or - for stdout [default: here, under its own name]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Folders, with all that is in them
    #[arg(short, long)]
    recursive: bool,
    /// Files fetched at once
    #[arg(long, value_name = "N", default_value_t = JOBS as u64, value_parser = clap::value_parser!(u64).range(1..=REQUESTS_MAX as u64))]
    jobs: u64,
    /// How often to connect again when the connection is lost
    #[arg(long, value_name = "N", default_value_t = RETRIES)]
    retry: u32,
    #[command(flatten)]
    key: KeyArgs,
}

/// One URL and the place of what it names.
struct Wanted<'a> {
    location: &'a Location,
    to: Target,
}

/// Fetches everything.
///
/// # Errors
/// The first that went wrong. Files that the server has not, or does not hand out, do not keep the others from coming.
pub async fn run(args: &GetArgs, talk: Talk) -> Result<(), Failure> {
    let wanted = wanted(args)?;
    if talk.json && wanted.iter().any(|wanted| wanted.to == Target::Stdout) {
        return Err(Failure::usage("fetching to stdout", "--json writes there too"));
    }
    let endpoint = client(args.key.load_or_create()?).await?;
    attend(&endpoint, fetch_wanted(&endpoint, wanted, args, talk)).await
}

/// Decides where everything goes.
fn wanted(args: &GetArgs) -> Result<Vec<Wanted<'_>>, Failure> {
    let what = |location: &Location| {
        format!("fetching {}", if location.path.is_root() { "all" } else { location.path.as_str() })
    };
    let several = args.urls.len() > 1;
    let mut places = BTreeSet::new();
    let mut wanted = Vec::new();
    for location in &args.urls {
        let name = location.path.as_str().rsplit('/').next().filter(|name| !name.is_empty());
        let to = match (&args.output, name) {
            (Some(output), _) if output == Path::new("-") => {
                if args.recursive {
                    return Err(Failure::usage(what(location), "a folder cannot go to stdout").or_try("-o FOLDER"));
                }
                wanted.push(Wanted { location, to: Target::Stdout });
                continue;
            }
            // A place is given, so the one file that may be served there needs no name.
            (Some(output), None) if !args.recursive && !several && !is_folder(output) => output.clone(),
            (_, None) if !args.recursive => {
                return Err(Failure::usage(what(location), "the URL names no file").or_try("add /path, or -r for all"));
            }
            (Some(output), Some(name)) if several || (!args.recursive && is_folder(output)) => {
                fs::create_dir_all(output)
                    .map_err(|error| Failure::write(format!("making the folder {}", output.display()), &error))?;
                output.join(name)
            }
            (Some(output), None) if several => {
                let why = format!("with several URLs, each needs a name below {}", output.display());
                return Err(Failure::usage(what(location), why).or_try("fetch it by itself"));
            }
            (Some(output), _) => output.clone(),
            (None, Some(name)) => name.into(),
            (None, None) => return Err(Failure::usage(what(location), "it has no name").or_try("-o FOLDER")),
        };
        if !places.insert(to.clone()) {
            return Err(Failure::usage(what(location), format!("two of the URLs go to {}", to.display())));
        }
        wanted.push(Wanted { location, to: Target::place(to) });
    }
    Ok(wanted)
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// What is said of everything together.
struct Sum {
    talk: Talk,
    began: Instant,
    progress: Arc<Progress>,
    /// Whether each file is worth a line to people.
    each: bool,
    files: u64,
    failed: u64,
    bytes: u64,
    moved: u64,
}

async fn fetch_wanted(endpoint: &Endpoint, wanted: Vec<Wanted<'_>>, args: &GetArgs, talk: Talk) -> Result<(), Failure> {
    let progress = Arc::new(Progress::default());
    let each = !args.recursive;
    let mut sum = Sum { talk, began: clock::now(), progress, each, files: 0, failed: 0, bytes: 0, moved: 0 };
    let bar = talk.progress(&sum.progress);
    let mut first = Ok(());
    let mut waiting = wanted;
    while let Some(host) = waiting.first().map(|wanted| wanted.location) {
        let (here, elsewhere) = waiting.into_iter().partition(|wanted| same_host(wanted.location, host));
        waiting = elsewhere;
        let peer = Peer::connect(endpoint, host, args.retry, talk).await?;
        let ended = fetch_from(&peer, here, args, &mut sum).await;
        if ended.as_ref().is_err_and(is_fatal) {
            first = ended;
            break;
        }
        first = first.and(ended);
    }
    drop(bar);
    first.map_err(|failure| sum.judge(failure))?;
    sum.tell();
    Ok(())
}

fn same_host(a: &Location, b: &Location) -> bool {
    (a.eid, &a.places, &a.capability) == (b.eid, &b.places, &b.capability)
}

fn is_fatal(failure: &Failure) -> bool {
    !matches!(failure.exit, Exit::NotFound | Exit::Denied)
}

/// Fetches what is wanted of one host.
async fn fetch_from(peer: &Peer, wanted: Vec<Wanted<'_>>, args: &GetArgs, sum: &mut Sum) -> Result<(), Failure> {
    let mut jobs = Vec::new();
    let mut first = Ok(());
    for Wanted { location, to } in wanted {
        match (args.recursive, &to) {
            (true, Target::Place { to, .. }) => match plan(peer, &location.path, to, sum).await {
                Ok(planned) => jobs.extend(planned),
                Err(failure) if is_fatal(&failure) => return Err(failure),
                Err(failure) => first = first.and(Err(failure)),
            },
            _ => jobs.push(Job { path: location.path.clone(), target: to, size: 0 }),
        }
    }
    Progress::add(&sum.progress.files_total, jobs.len() as u64);
    // To stdout, one after the other, in the order asked for.
    let at_once = if jobs.iter().any(|job| job.target == Target::Stdout) { 1 } else { args.jobs as usize };
    let progress = Arc::clone(&sum.progress);
    let ended = fetch_all(peer, jobs, at_once, &progress, |job, ended| sum.count(job, ended)).await;
    first.and(ended)
}

/// Lists a folder and makes its folders here.
async fn plan(peer: &Peer, path: &SafePath, to: &Path, sum: &Sum) -> Result<Vec<Job>, Failure> {
    let (entries, skipped) = list(peer, path).await?;
    if skipped > 0 {
        sum.talk.say(format_args!(
            "the server leaves out {skipped} things: what is neither file nor folder, links that lead out, names \
             that are not UTF-8 or hold control characters, and what it may not read"
        ));
    }
    let plan = Plan::new(path, &entries, to);
    for folder in &plan.folders {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::write(format!("making the folder {}", folder.display()), &error))?;
    }
    Progress::add(&sum.progress.bytes_total, plan.size());
    sum.talk.event(
        "listed",
        &json!({ "path": path.as_str(), "files": plan.jobs.len(), "bytes": plan.size(), "skipped": skipped }),
    );
    Ok(plan.jobs)
}

impl Sum {
    fn count(&mut self, job: &Job, ended: &Result<Fetched, Failure>) {
        let fetched = match ended {
            Ok(fetched) => fetched,
            Err(failure) => {
                self.failed += 1;
                // The first is told at the end.
                if self.failed > 1 {
                    self.talk.say(failure);
                }
                return;
            }
        };
        self.files += 1;
        self.bytes += fetched.size;
        self.moved += fetched.moved;
        let outcome = match fetched.outcome {
            Outcome::Fetched => "fetched",
            Outcome::Resumed => "resumed",
            Outcome::Unchanged => "unchanged",
        };
        if self.each {
            self.talk.say(format_args!("{outcome} {}: {}", job.target.name(), bytes(fetched.size)));
        }
        let fields = json!({
            "path": job.path.as_str(),
            "to": job.target.name(),
            "outcome": outcome,
            "bytes": fetched.size,
            "moved": fetched.moved,
            "blake3": blake3::Hash::from_bytes(fetched.hash).to_hex().as_str(),
        });
        self.talk.event("file", &fields);
    }

    /// A connection that was lost while some had arrived already leaves a part of the whole.
    fn judge(&self, failure: Failure) -> Failure {
        let some = self.files > 0 || self.progress.bytes.load(Ordering::Relaxed) > 0;
        if failure.lost && some { Failure { exit: Exit::Partial, ..failure }.or_try(AGAIN) } else { failure }
    }

    fn tell(&self) {
        let took = self.began.elapsed();
        let files = if self.files == 1 { "1 file".to_owned() } else { format!("{} files", self.files) };
        let moved =
            if self.moved == self.bytes { String::new() } else { format!(", {} of it moved", bytes(self.moved)) };
        let seconds = took.as_secs_f64();
        self.talk.say(format_args!(
            "{files}, {}{moved}, in {seconds:.2} s: {}",
            bytes(self.bytes),
            rate(self.moved, took)
        ));
        let fields = json!({ "files": self.files, "bytes": self.bytes, "moved": self.moved, "seconds": seconds });
        self.talk.event("done", &fields);
    }
}
