//! `tng put`: sends files and folders to a server that takes them.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tng::Endpoint;
use tng_services::files::{Entry, Kind, Meta, SafePath, escaped};
use tokio::task::spawn_blocking;

use crate::allowance::{RateArgs, TimeArgs};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::beneath::Linked;
use crate::files::{
    Filter, Found, JOBS, JOBS_MAX, Lanes, LinkJob, Order, Parcel, Root, is_fatal, link_all, make_all, meta, send_all,
};
use crate::guests;
use crate::guests::congestion::regulated;
use crate::guests::offer::{Chosen, OfferArgs, has_guests, run_by};
use crate::host::{attend, client_of};
use crate::key::KeyArgs;
use crate::location::{Location, location};
use crate::peer::{Peer, RETRIES};
use crate::talk::{Progress, Talk, short};
use crate::via::ViaArgs;
use crate::waits::Watch;

use super::sum::{Sum, Way};
use super::tree::{TreeArgs, taken};

/// Shown before everything else in `tng put --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng put movie.mkv @FILE                  to a host that runs `tng serve --writable`, with the ticket in FILE; again
                                           to resume
  tng put -r photos @FILE//2026            a folder, as 2026/photos
  tng put a.txt --name b.txt -             under another name; paste the ticket when asked
  pg_dump | tng put - --name dump @FILE    what comes on stdin
  tng put --via HELPER movie.mkv @FILE     by way of a helper
A ticket on the command line itself is seen by everybody who lists processes.";

/// Arguments of `tng put`.
#[derive(Args, Debug)]
#[command(override_usage = "tng put [OPTIONS] <FILE>... <URL>")]
pub struct PutArgs {
    /// What to send, - for stdin, and last where to: @FILE or @FILE//folder with a ticket in FILE, - to be asked for
    /// it, NAME//folder with a name from ~/.config/tng/config.toml, or tng://TICKET/folder
    // One list, so that options may stand anywhere between.
    #[arg(value_name = "FILE... URL", required = true, num_args = 1..)]
    places: Vec<PathBuf>,
    /// Folders, with all that is in them, as it is: modes and times are kept
    #[arg(short, long, visible_short_alias = 'a', visible_alias = "archive")]
    recursive: bool,
    #[command(flatten)]
    tree: TreeArgs,
    /// Say what would be sent, and send nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Follow symbolic links, and send what they lead to
    #[arg(short = 'L', long)]
    copy_links: bool,
    /// Its name there, for one file or folder [default: its own]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Replace files that are there, if the server lets us
    #[arg(long)]
    replace: bool,
    /// Large files sent at once; of small ones 16 times as many
    #[arg(long, value_name = "N", default_value_t = JOBS as u64)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=JOBS_MAX as u64))]
    jobs: u64,
    /// Which of them go first
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Order::Asked)]
    order: Order,
    /// How often to connect again when the connection is lost, since something went last
    #[arg(long, value_name = "N", default_value_t = RETRIES)]
    retry: u32,
    #[command(flatten)]
    rate: RateArgs,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    offer: OfferArgs,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// What came on stdin, in a file of its own until it is sent: its size is told before its bytes.
struct Spool {
    folder: PathBuf,
    file: PathBuf,
}

impl Spool {
    fn of_stdin(name: Option<&str>) -> Result<Spool, Failure> {
        let what = "reading stdin";
        if name.is_none() {
            return Err(Failure::usage(what, "it has no name").or_try("--name NAME"));
        }
        let failed = |error| Failure::write(what, &error);
        let name = format!("tng-{}-{}", std::process::id(), clock::since_1970().as_nanos());
        let folder = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&folder).map_err(failed)?;
        let spool = Spool { file: folder.join("stdin"), folder };
        let mut file = File::create_new(&spool.file).map_err(failed)?;
        io::copy(&mut io::stdin().lock(), &mut file).map_err(failed)?;
        Ok(spool)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // What is left there is cleared with all that is temporary.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What the command sends.
#[derive(Debug, Default)]
struct Plan {
    folders: Vec<(SafePath, Meta)>,
    links: Vec<LinkJob>,
    parcels: Vec<Parcel>,
    left_out: u64,
}

/// Sends everything.
///
/// # Errors
/// The first that went wrong. A file that cannot be read, or that the server does not take, does not keep the others.
pub async fn run(args: &PutArgs, talk: Talk) -> Result<(), Failure> {
    let Some((target, files @ [_, ..])) = args.places.split_last() else {
        return Err(Failure::usage("sending", "a FILE and a URL are needed").or_try("tng put FILE TICKET"));
    };
    let from_stdin = files.iter().any(|file| file == Path::new("-"));
    if from_stdin && (target == Path::new("-") || target.to_string_lossy().starts_with("@-")) {
        return Err(Failure::usage("sending", "stdin cannot bring both the file and the ticket")
            .or_try("@FILE with the ticket in FILE"));
    }
    let target = location(&target.to_string_lossy()).map_err(|error| Failure::told(Exit::Usage, "sending", error))?;
    let target = args.via.to(&target)?;
    if args.name.is_some() && files.len() > 1 {
        return Err(Failure::usage("sending", "one --name for several files"));
    }
    let filter = args.tree.filter()?;
    let mut plan = Plan::default();
    let spool = if from_stdin { Some(Spool::of_stdin(args.name.as_deref())?) } else { None };
    let files = files.iter().map(|file| match &spool {
        Some(spool) if file == Path::new("-") => spool.file.clone(),
        _ => file.clone(),
    });
    for file in files {
        let what = format!("sending {}", short(&file.to_string_lossy()));
        let to = place(&file, &target, args, &what)?;
        let (recursive, follow, filter) = (args.recursive, args.copy_links, filter.clone());
        let died = |error| Failure::new(Exit::Read, what.clone(), error);
        let part =
            spawn_blocking(move || look(&file, &to, (recursive, follow, &filter), talk)).await.map_err(died)??;
        plan.folders.extend(part.folders);
        plan.links.extend(part.links);
        plan.parcels.extend(part.parcels);
        plan.left_out += part.left_out;
    }
    if args.dry_run {
        for (deed, path) in plan.parcels.iter().map(|parcel| ("send", &parcel.to)).chain(links(&plan)) {
            talk.payload(format_args!("{deed} {path}"));
            talk.event("would", &json!({ "do": deed, "path": path.as_str() }));
        }
        return Ok(());
    }
    let (offered, regulator) = (args.offer.chosen("put", talk).await?, args.offer.regulator("put", talk)?);
    let change = |builder| run_by(regulated(builder, regulator.as_ref()), offered.as_ref());
    let endpoint = client_of(args.key.load_or_create()?, change).await?;
    let _desk = guests::tells_of(&endpoint, has_guests(offered.as_ref(), regulator.as_ref()), "put");
    let work = async {
        let sent = args.time.whole(send(&endpoint, plan, &target, (args, offered.clone()), talk)).await;
        if let Some(offered) = &offered {
            offered.stay().await;
        }
        sent
    };
    attend(&endpoint, work).await
}

fn links(plan: &Plan) -> impl Iterator<Item = (&'static str, &SafePath)> {
    plan.links.iter().map(|link| ("link", &link.path))
}

/// The place of a file or folder on the server.
fn place(file: &Path, target: &Location, args: &PutArgs, what: &str) -> Result<SafePath, Failure> {
    let own = || Some(escaped(file.canonicalize().ok()?.file_name()?.as_bytes()));
    let Some(name) = args.name.clone().or_else(own) else {
        return match file.canonicalize() {
            Err(error) => Err(Failure::read(what, &error)),
            Ok(_) => Err(Failure::usage(what, "it has no name that can be sent").or_try("--name NAME")),
        };
    };
    target.path.child(&name).map_err(|error| Failure::usage(what, error).or_try("--name NAME"))
}

/// What there is of a file or folder.
fn look(
    file: &Path,
    to: &SafePath,
    (recursive, follow, filter): (bool, bool, &Filter),
    talk: Talk,
) -> Result<Plan, Failure> {
    let what = || format!("sending {}", short(&file.to_string_lossy()));
    let root = Arc::new(Root::new(file)?);
    let mut plan = Plan::default();
    if let Some(only) = root.only().cloned() {
        let size = root.path().metadata().map_err(|error| Failure::read(what(), &error))?.len();
        plan.parcels.push(Parcel { root, from: only, to: to.clone(), size, shown: file.to_owned() });
        return Ok(plan);
    }
    if !recursive {
        return Err(Failure::usage(what(), "it is a folder").or_try("-r sends it with all that is in it"));
    }
    let itself = root.look(&SafePath::root()).map_err(|fault| Failure::new(Exit::Read, what(), fault))?;
    plan.folders.push((to.clone(), meta(&itself)));
    let walk = root.walk(&SafePath::root()).map_err(|fault| Failure::new(Exit::Read, what(), fault))?;
    let (mut entries, mut left_out) = (Vec::new(), Vec::new());
    for found in walk.following(follow) {
        match found.map_err(|fault| Failure::new(Exit::Read, what(), fault))? {
            Found::Entry(entry) => entries.push(entry),
            Found::LeftOut(left) => left_out.push(left),
        }
    }
    let (entries, left_out) = taken(filter, entries, left_out)?;
    let mut leave = |path: &str, why: &str| {
        plan.left_out += 1;
        talk.say(format_args!("left out: {}: {why}", short(path)));
        talk.event("left_out", &json!({ "path": path, "why": why }));
    };
    left_out.iter().for_each(|left| leave(left.path().exact(), &left.why.to_string()));
    for Entry { kind, path, size, meta } in entries {
        let place = path.as_str().split('/').try_fold(to.clone(), |place, name| place.child(name));
        match (place, kind) {
            (Ok(place), Kind::Folder) => plan.folders.push((place, meta)),
            (Ok(path), Kind::Link(target)) => plan.links.push(LinkJob { path, target, meta }),
            (Ok(place), Kind::File | Kind::Same(_)) => {
                let (shown, root) = (path.below(file), Arc::clone(&root));
                plan.parcels.push(Parcel { root, from: path, to: place, size, shown });
            }
            (Err(error), _) => leave(path.as_str(), &error.to_string()),
        }
    }
    Ok(plan)
}

async fn send(
    endpoint: &Endpoint,
    plan: Plan,
    target: &Location,
    (args, offered): (&PutArgs, Option<Chosen>),
    talk: Talk,
) -> Result<(), Failure> {
    let progress = Arc::new(Progress { talk, limit: args.rate.limit(), ..Progress::default() });
    let bar = talk.progress(&progress);
    let each = !args.recursive;
    let mut sum = Sum::new(Way::There, each, talk);
    sum.left_out = plan.left_out;
    let peer = args.time.connecting(Peer::connect(endpoint, target, args.retry, talk)).await?;
    let peer = peer.watching(&progress).offering(offered);
    let _watch = Watch::new(&progress, talk);
    Progress::add(&progress.files_total, plan.parcels.len() as u64);
    Progress::add(&progress.bytes_total, plan.parcels.iter().map(|parcel| parcel.size).sum());
    // Before what is in them, so that nobody sees what is private; and after it, for their times.
    let mut first = make_all(&peer, &plan.folders).await;
    if first.as_ref().is_err_and(is_fatal) {
        return first;
    }
    let lanes = Lanes::new(args.jobs as usize, args.order);
    let sent = send_all(&peer, plan.parcels, args.replace, lanes, &progress, |job, ended| sum.count(job, ended)).await;
    first = first.and(sent);
    if !first.as_ref().is_err_and(is_fatal) {
        let told = |link: &LinkJob, ended: &Result<bool, Failure>| {
            let linked = |unchanged| if unchanged { Linked::Unchanged } else { Linked::Made };
            sum.count_link(&link.path, None, &ended.clone().map(linked));
        };
        first = first.and(link_all(&peer, &plan.links, args.replace, told).await);
    }
    if !first.as_ref().is_err_and(is_fatal) {
        first = first.and(make_all(&peer, &plan.folders).await);
    }
    drop(bar);
    let ended = first;
    if ended.is_ok() || sum.files > 0 {
        sum.tell();
    }
    ended?;
    match sum.left_out {
        0 => Ok(()),
        n => Err(Failure::new(Exit::Partial, "sending all", format_args!("{n} of what is there cannot be sent"))),
    }
}
