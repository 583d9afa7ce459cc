//! `tng get`: fetches files and folders.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;
use serde_json::json;
use tng::trickles::{ClientConfig, Policy};
use tng_services::files::{LeftOut, Look, Meta, SafePath};

use crate::allowance::{RateArgs, TimeArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::beneath::{Folder, Linked};
use crate::files::{
    AGAIN, Backups, Base, Care, FETCHED, Fetched, Filter, JOBS, JOBS_MAX, Job, Lanes, OVER, Opener, Order, Outlet,
    OverArgs, Plan, REFUSE, Target, Tree, extra, fetch_all, is_fatal, link_deed, list, making, place_of_link,
    place_of_same,
};
use crate::guests;
use crate::guests::congestion::regulated;
use crate::guests::offer::{OfferArgs, has_guests, run_by};
use crate::host::{attend, client_of};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser};
use crate::peer::{Peer, RETRIES};
use crate::signals::{stopped, stopped_failure};
use crate::talk::{Progress, Talk, short, shown, text_of};
use crate::trickles::{PlainUrl, Spare, Ways};
use crate::via::ViaArgs;
use crate::waits::Watch;

use super::sum::{Sum, Way, Would, left_out};
use super::tree::{Taken, TreeArgs, taken, tell_of_no_delete};

/// Shown before everything else in `tng get --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng get @FILE//movie.mkv              fetch a file; FILE holds a ticket. Run
                                        again to resume, or to check it
  tng get -r -o photos -                fetch all that is served; paste the
                                        ticket when asked
  tng get -r --update -o photos @FILE   fetch what has changed, replacing older
                                        files here
  tng get tng://EID@host:4860/a/b -o -  a file to stdout, from a host that is
                                        --public or lists us
  tng get srv//movie.mkv                from a host with a name in
                                        ~/.config/tng/config.toml
  tng get --registry REGISTRY tng://EID/movie.mkv
                                        from a host that a registry finds; or
                                        set TNG_REGISTRY
  tng get --via HELPER @FILE//movie.mkv
                                        through a relay

A ticket on the command line is visible to everybody who lists processes; a file
with it is not.";

/// What is fetched, and where to.
#[derive(Args, Debug)]
pub struct GetArgs {
    /// What to fetch: @FILE[//PATH] (FILE holds a ticket), - (asks for the ticket), NAME//PATH (a name from
    /// ~/.config/tng/config.toml), tng://TICKET/PATH, or tng://EID@host:port/PATH; more addresses of the same host
    /// after commas
    #[arg(value_name = "URL", required = true, value_parser = LocationParser)]
    urls: Vec<Location>,
    /// Write to this file, folder, pipe or device, or - for stdout [default: the working folder, under its own name]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Copy folders with all that is in them; modes and times are kept
    #[arg(short, long, visible_short_alias = 'a', visible_alias = "archive")]
    recursive: bool,
    /// Follow symbolic links, and fetch what they lead to
    #[arg(short = 'L', long)]
    copy_links: bool,
    #[command(flatten)]
    tree: TreeArgs,
    /// Delete local files that the server does not have, once everything has arrived
    #[arg(long, requires = "recursive")]
    delete: bool,
    /// Show what would be done to each file, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    over: OverArgs,
    /// Compare files that are here by content, even if size and time are the same
    #[arg(long)]
    checksum: bool,
    /// Large files to fetch at the same time (and up to 16 times as many small ones)
    #[arg(long, value_name = "N", default_value_t = JOBS as u64)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=JOBS_MAX as u64))]
    jobs: u64,
    /// Which files go first
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Order::Asked)]
    order: Order,
    /// How often to reconnect when the connection is lost; the count starts anew when data arrives
    #[arg(long, value_name = "N", default_value_t = RETRIES)]
    retry: u32,
    #[command(flatten)]
    rate: RateArgs,
    #[command(flatten)]
    time: TimeArgs,
    /// Do not wait for fsync: faster, but a power cut may lose files that were reported as done
    #[arg(long)]
    no_sync: bool,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// Arguments of `tng get`, which goes by connections.
#[derive(Args, Debug)]
pub struct OfferingGetArgs {
    #[command(flatten)]
    get: GetArgs,
    #[command(flatten)]
    offer: OfferArgs,
}

impl GetArgs {
    /// The one file that is fetched by `what`, which does no more than that, where it goes, by whom and in what time.
    ///
    /// # Errors
    /// If more is asked for.
    pub(super) fn alone(&self, what: &str) -> Result<(&Location, PathBuf, &KeyArgs, TimeArgs), Failure> {
        self.via.refuse(what, "who keeps nothing of its clients is reached directly")?;
        let ([location], false) = (&self.urls[..], self.recursive) else {
            return Err(Failure::usage(what, "it fetches one file").or_try("one URL, and no -r"));
        };
        let name = location.path.names().next_back();
        let name = name.ok_or_else(|| Failure::usage(what, "the URL names no file").or_try("add /path"))?;
        Ok((location, self.output.clone().unwrap_or_else(|| name.into()), &self.key, self.time))
    }
}

/// One URL and the place of what it names.
struct Wanted<'a> {
    location: &'a Location,
    to: To,
}

/// Where what a URL names goes.
enum To {
    File(Target),
    Folder(PathBuf),
}

/// Fetches everything.
///
/// # Errors
/// The first that went wrong. Files that the server has not, or does not hand out, do not keep the others from coming.
pub async fn run(args: &OfferingGetArgs, talk: Talk) -> Result<(), Failure> {
    let OfferingGetArgs { get: args, offer } = args;
    let wanted = wanted(args, talk)?;
    let (offered, regulator) = (offer.chosen("get", talk).await?, offer.regulator("get", talk)?);
    let change = |builder| run_by(regulated(builder, regulator.as_ref()), offered.as_ref());
    let endpoint = client_of(args.key.load_or_create()?, change).await?;
    let _desk = guests::tells_of(&endpoint, has_guests(offered.as_ref(), regulator.as_ref()), "get");
    let via = args.via.helpers()?;
    let connect = async |host: &Location, progress: &Arc<Progress>| {
        let host = Location { via: via.clone(), ..host.clone() };
        let peer = Peer::connect(&endpoint, &host, args.retry, talk).await?;
        Ok(peer.watching(progress).offering(offered.clone()))
    };
    let work = async {
        let fetched = args.time.whole(fetch_wanted(connect, wanted, args, talk)).await;
        if let Some(offered) = &offered {
            offered.stay().await;
        }
        fetched
    };
    attend(&endpoint, work).await
}

/// The same from servers that keep nothing: `policy` picks among them, for a client of that `config`; where there are
/// none, by structured streams, and where nobody answers, from `plain` if that is somewhere.
///
/// # Errors
/// As [`run`].
pub async fn run_stateless(
    args: &GetArgs,
    plain: Option<PlainUrl>,
    (policy, config): (Policy, ClientConfig),
    talk: Talk,
) -> Result<(), Failure> {
    args.via.refuse("fetching", "who keeps nothing of its clients is reached directly")?;
    let wanted = wanted(args, talk)?;
    let spare = Arc::new(Spare::new(args.key.load_or_create()?, args.retry, plain, policy, talk));
    let connect = async |host: &Location, _: &Arc<Progress>| {
        let ways = Ways::begin_with(&spare, host, config.clone()).await?;
        // Else the first request finds out.
        if args.time.limits_connecting() {
            ways.settle().await?;
        }
        Ok(ways)
    };
    let ended = tokio::select! {
        ended = args.time.whole(fetch_wanted(connect, wanted, args, talk)) => ended,
        () = stopped() => Err(stopped_failure()),
    };
    spare.close().await;
    ended
}

/// Decides where everything goes.
fn wanted(args: &GetArgs, talk: Talk) -> Result<Vec<Wanted<'_>>, Failure> {
    let what = |location: &Location| {
        format!(
            "fetching {}",
            if location.path.is_root() { "the served folder".to_owned() } else { short(location.path.as_str()) }
        )
    };
    let several = args.urls.len() > 1;
    let mut places = BTreeSet::new();
    let mut wanted = Vec::new();
    for location in &args.urls {
        let name = location.path.names().next_back();
        let to = match (&args.output, name) {
            (Some(output), _) if output == Path::new("-") => {
                if args.recursive {
                    return Err(Failure::usage(what(location), "a folder cannot go to stdout").or_try("-o FOLDER"));
                }
                wanted.push(Wanted { location, to: To::File(Target::Outlet(Outlet::Stdout)) });
                continue;
            }
            // A place is given, so the one file that may be served there needs no name.
            (Some(output), None) if !args.recursive && !several && !is_folder(output) => output.clone(),
            (_, None) if !args.recursive => {
                return Err(Failure::usage(what(location), "the URL names no file").or_try("add /path, or -r for all"));
            }
            (Some(output), Some(name)) if several || (!args.recursive && is_folder(output)) => {
                if !args.dry_run {
                    fs::create_dir_all(output)
                        .map_err(|error| Failure::write(format!("making the folder {}", shown(output)), &error))?;
                }
                output.join(name)
            }
            (Some(output), None) if several => {
                let why = format!("with several URLs, each needs a name below {}", shown(output));
                return Err(Failure::usage(what(location), why).or_try("fetch it by itself"));
            }
            (Some(output), _) => output.clone(),
            (None, Some(name)) => name.into(),
            (None, None) => return Err(Failure::usage(what(location), "it has no name").or_try("-o FOLDER")),
        };
        if !places.insert(to.clone()) {
            return Err(Failure::usage(what(location), format!("two of the URLs go to {}", shown(&to))));
        }
        let to = if args.recursive { To::Folder(to) } else { To::File(Target::named(&to)?) };
        wanted.push(Wanted { location, to });
    }
    if talk.json && wanted.iter().any(|wanted| matches!(&wanted.to, To::File(to) if to.is_stdout())) {
        return Err(Failure::usage("fetching to stdout", "--json writes there too"));
    }
    Ok(wanted)
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Things left out that are said.
pub const LEFT_OUT_SAID_MAX: usize = 20;

/// What is fetched, and what comes of it.
struct Fetching {
    talk: Talk,
    progress: Arc<Progress>,
    sum: Sum,
    /// What is told in place of doing it.
    would: Would,
    /// What of trees takes part.
    filter: Filter,
}

async fn fetch_wanted<O: Opener>(
    connect: impl AsyncFn(&Location, &Arc<Progress>) -> Result<O, Failure>,
    wanted: Vec<Wanted<'_>>,
    args: &GetArgs,
    talk: Talk,
) -> Result<(), Failure> {
    let filter = args.tree.filter()?;
    let progress = Arc::new(Progress { talk, limit: args.rate.limit(), ..Progress::default() });
    let sum = Sum::new(Way::Here, !args.recursive, talk);
    if args.delete {
        args.tree.tell_of_delete(talk);
    }
    let mut fetching = Fetching { talk, progress, sum, would: Would::new(talk), filter };
    let bar = talk.progress(&fetching.progress);
    let mut first = Ok(());
    let mut waiting = wanted;
    while let Some(host) = waiting.first().map(|wanted| wanted.location) {
        let (here, elsewhere) = waiting.into_iter().partition(|wanted| same_host(wanted.location, host));
        waiting = elsewhere;
        let peer = args.time.connecting(connect(host, &fetching.progress)).await?;
        let _watch = Watch::new(&fetching.progress, talk);
        let ended = fetch_from(&peer, here, args, &mut fetching).await;
        if ended.as_ref().is_err_and(is_fatal) {
            first = ended;
            break;
        }
        first = first.and(ended);
    }
    drop(bar);
    let ended = first.map_err(|failure| fetching.judge(failure));
    match args.dry_run {
        true => fetching.would.sum(),
        false if ended.is_ok() || fetching.sum.files > 0 => fetching.sum.tell(),
        false => {}
    }
    ended?;
    fetching.whole()
}

fn same_host(a: &Location, b: &Location) -> bool {
    (a.eid, &a.places, &a.capability) == (b.eid, &b.places, &b.capability)
}

/// Fetches what is wanted of one host.
async fn fetch_from(
    peer: &impl Opener,
    wanted: Vec<Wanted<'_>>,
    args: &GetArgs,
    fetching: &mut Fetching,
) -> Result<(), Failure> {
    let care = Care { sync: !args.no_sync, over: args.over.over(), checksum: args.checksum, ..FETCHED };
    let (mut jobs, mut trees, mut surplus) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = Ok(());
    for Wanted { location, to } in wanted {
        match to {
            To::Folder(to) => match plan(peer, &location.path, &to, (args, care), fetching).await {
                Ok(Planned { jobs: planned, tree, extra, missing }) => {
                    jobs.extend(planned);
                    trees.extend(tree);
                    surplus.extend(extra);
                    first = first.and(missing);
                }
                Err(failure) if is_fatal(&failure) => return Err(failure),
                Err(failure) => first = first.and(Err(failure)),
            },
            To::File(target) => jobs.push(Job { path: location.path.clone(), target, size: 0, meta: None }),
        }
    }
    if args.dry_run {
        for job in &jobs {
            let size = job.meta.map(|_| job.size);
            first =
                first.and(fetching.would(job.standing(care).deed(care.over, "fetch"), &job.path, (&job.place(), size)));
        }
        if args.delete && fetching.may_delete(first.is_ok()) {
            for (here, path) in surplus {
                first = first.and(fetching.would("delete", &path, (&here, Some(0))));
            }
        }
        return first;
    }
    Progress::add(&fetching.progress.files_total, jobs.len() as u64);
    // Into what takes them as they come, one after the other, in the order asked for.
    let as_they_come = jobs.iter().any(|job| matches!(job.target, Target::Outlet(_)));
    let lanes = if as_they_come { Lanes::ONE } else { Lanes::new(args.jobs as usize, args.order) };
    let Fetching { progress, sum, .. } = &mut *fetching;
    let mut missing = BTreeSet::new();
    let told = |job: &Job, ended: &Result<Fetched, Failure>| {
        if let (Target::Destination(place), false) = (&job.target, ended.as_ref().is_ok_and(Fetched::is_there)) {
            missing.insert(place.shown());
        }
        sum.count(job, ended);
    };
    let ended = fetch_all(peer, jobs, care, lanes, progress, told).await;
    // Before what is merely missing: that does not keep the rest, and this does.
    if ended.as_ref().is_err_and(is_fatal) {
        return ended;
    }
    let mut ended = first.and(ended);
    let apart: Vec<Job> = trees.iter_mut().flat_map(|(tree, _): &mut (Tree, _)| tree.apart(&missing)).collect();
    Progress::add(&progress.files_total, apart.len() as u64);
    let rest = fetch_all(peer, apart, care, lanes, progress, |job, ended| sum.count(job, ended)).await;
    if rest.as_ref().is_err_and(is_fatal) {
        return rest;
    }
    ended = ended.and(rest);
    for (tree, there) in trees {
        if args.delete && fetching.may_delete(ended.is_ok()) {
            ended = fetching.delete(&tree, &there, Backups::of(care.over));
        }
        let sum = &mut fetching.sum;
        let told = |path: &SafePath, ended: &Result<Linked, Failure>| {
            sum.count_link(path, Some(&tree.shown(path)), ended);
        };
        ended = ended.and(tree.finish(told));
    }
    ended
}

/// What a folder takes.
struct Planned {
    jobs: Vec<Job>,
    /// Its folders and links, and all that there is.
    tree: Option<(Tree, BTreeSet<SafePath>)>,
    /// What a dry run says would be removed, if all else could be done.
    extra: Vec<(PathBuf, SafePath)>,
    /// Whether something was named that is not there.
    missing: Result<(), Failure>,
}

/// Lists a folder and makes its folders here.
async fn plan(
    peer: &impl Opener,
    path: &SafePath,
    to: &Path,
    (args, care): (&GetArgs, Care),
    fetching: &mut Fetching,
) -> Result<Planned, Failure> {
    let mut listed = list(peer, path, Look { follow: args.copy_links, shallow: false }).await?;
    let there: BTreeSet<SafePath> = match args.delete {
        true => listed.entries.iter().map(|entry| entry.path.clone()).collect(),
        false => BTreeSet::new(),
    };
    let named = listed.left_out.len();
    let Taken { entries, left_out, missing } = taken(&fetching.filter, listed.entries, listed.left_out);
    (listed.entries, listed.left_out) = (entries, left_out);
    listed.skipped -= (named - listed.left_out.len()) as u64;
    let missing = missing.iter().map(|path| fetching.misses(path)).reduce(|first, _| first).map_or(Ok(()), Err);
    fetching.left_out(&listed.left_out, listed.skipped, "by the server");
    let is_new = !to.exists();
    let base = match args.dry_run && is_new {
        true => nothing_at(to),
        false => fs::create_dir_all(to).and_then(|()| Base::open(to.to_owned())),
    };
    let base = Arc::new(base.map_err(|error| making(to, error))?);
    let plan = Plan::new(path, listed.entries, &base);
    fetching.left_out(&plan.left_out, plan.left_out.len() as u64, "here");
    if args.dry_run {
        let mut first = missing;
        for link in &plan.links {
            let deed = link_deed(link.meta, place_of_link(&base, link), care.over);
            first = first.and(fetching.would(deed, &link.path, (&link.path.below(to), Some(0))));
        }
        for (same, job) in &plan.same {
            let deed = link_deed(job.meta.unwrap_or_default(), place_of_same(&base, same), care.over);
            first = first.and(fetching.would(deed, &same.path, (&same.path.below(to), Some(0))));
        }
        let extra = match args.delete && !is_new {
            true => extra(to, &there, (&fetching.filter, Backups::of(care.over)))?,
            false => Vec::new(),
        };
        let extra = extra.into_iter().map(|(path, _)| (path.below(to), path)).collect();
        return Ok(Planned { jobs: plan.jobs, tree: None, extra, missing: first });
    }
    Progress::add(&fetching.progress.bytes_total, plan.size());
    fetching.talk.event(
        "listed",
        &json!({ "path": path.as_str(), "files": plan.jobs.len(), "bytes": plan.size(), "skipped": listed.skipped }),
    );
    // What was there already keeps its mode.
    let top = Meta { mode: listed.folder.mode.filter(|_| is_new), ..listed.folder };
    let tree = Tree::make(&base, top, plan.folders, (plan.links, plan.same), care)?;
    Ok(Planned { jobs: plan.jobs, tree: Some((tree, there)), extra: Vec::new(), missing })
}

/// An empty folder, for one that is not there at `to` and is not to be made.
fn nothing_at(to: &Path) -> io::Result<Base> {
    let empty = tempfile::tempdir()?;
    Ok(Base { folder: Folder::open(empty.path())?, shown: to.to_owned() })
}

impl Fetching {
    /// Tells what would be done to something of so many bytes that goes to `here`. If that is refused, it is a failure.
    fn would(
        &mut self,
        deed: &'static str,
        path: &SafePath,
        (here, bytes): (&Path, Option<u64>),
    ) -> Result<(), Failure> {
        let fields = json!({ "path": path.as_str(), "to": text_of(here) });
        self.would.tell(deed, shown(here), bytes, fields);
        match deed {
            REFUSE => {
                let what = format!("writing {}", short(&text_of(here)));
                Err(Failure::new(Exit::Exists, what, "something else is there already").or_try(OVER))
            }
            _ => Ok(()),
        }
    }

    /// Something that was named is not there.
    fn misses(&mut self, path: &SafePath) -> Failure {
        let failure = Failure::new(Exit::NotFound, format!("looking for {}", short(path.as_str())), "it is not there");
        self.sum.failed(path, &failure);
        failure
    }

    /// Whether what is here and not there is known to be so, where `all` has come, or not. Says so if not.
    fn may_delete(&self, all: bool) -> bool {
        let may = all && self.sum.left_out == 0;
        if !may {
            tell_of_no_delete(all, self.sum.left_out, self.talk);
        }
        may
    }

    /// Removes what is here of a tree and not among what is there.
    fn delete(&self, tree: &Tree, there: &BTreeSet<SafePath>, backups: Backups) -> Result<(), Failure> {
        let extra = extra(&tree.shown(&SafePath::root()), there, (&self.filter, backups))?;
        tree.delete(&extra, |path| {
            self.talk.event("deleted", &json!({ "path": path.as_str() }));
            self.talk.say(format_args!("deleted {}", short(path.as_str())));
        })
    }

    /// Says what is left out, and by whom: `skipped` things, and those of them that are known by name.
    fn left_out(&mut self, named: &[LeftOut], skipped: u64, who: &str) {
        self.sum.left_out += skipped;
        for left in named {
            self.talk.event("left_out", &json!({ "path": left.path().exact(), "why": left.why.to_string() }));
        }
        for left in named.iter().take(LEFT_OUT_SAID_MAX) {
            self.talk.say(format_args!("left out {who}: {}: {}", short(left.path().exact()), left.why));
        }
        let more = skipped.saturating_sub(named.len().min(LEFT_OUT_SAID_MAX) as u64);
        if more > 0 {
            self.talk.say(format_args!("left out {who}: {more} more"));
        }
    }

    /// That all has come, if it has.
    fn whole(&self) -> Result<(), Failure> {
        match self.sum.left_out {
            0 => Ok(()),
            n => Err(Failure::new(Exit::Partial, "fetching", left_out(n))),
        }
    }

    /// A connection that was lost while some had arrived already leaves a part of the whole.
    fn judge(&self, failure: Failure) -> Failure {
        let some = self.sum.files > 0 || self.progress.bytes.load(Ordering::Relaxed) > 0;
        if failure.lost.is_something() && some {
            Failure { exit: Exit::Partial, ..failure }.or_try(AGAIN)
        } else {
            failure
        }
    }
}
