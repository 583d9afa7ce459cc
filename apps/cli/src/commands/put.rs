//! `tng put`: sends files and folders to a server that takes them.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tng::Endpoint;
use tng_services::files::{Entry, Fault, FaultCode, Kind, Look, Meta, SafePath, Stored, escaped};
use tokio::task::spawn_blocking;

use crate::allowance::{RateArgs, TimeArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::beneath::Linked;
use crate::files::{
    Backups, Errand, Fetched, Filter, Found, JOBS, JOBS_MAX, Known, Lanes, LinkJob, LinkPlace, Opener, Order, Origin,
    OverArgs, Parcel, REFUSE, Root, SameJob, Sending, Spool, There, fault_failure, is_fatal, link_all, link_deed, list,
    make, make_all, meta, remove_all, same_all, send_all,
};
use crate::guests;
use crate::guests::congestion::regulated;
use crate::guests::offer::{Chosen, OfferArgs, has_guests, run_by};
use crate::host::{attend, client_of};
use crate::key::KeyArgs;
use crate::location::{Location, location};
use crate::peer::{Peer, RETRIES};
use crate::talk::{Progress, Talk, short, text_of};
use crate::via::ViaArgs;
use crate::waits::Watch;

use super::sum::{Sum, Way, Would, left_out};
use super::tree::{Taken, TreeArgs, taken, tell_of_no_delete};

/// Shown before everything else in `tng put --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng put movie.mkv @FILE               send a file to a `tng serve --writable`;
                                        FILE holds a ticket. Run again to resume
  tng put -r photos @FILE//2026         send a folder, as 2026/photos; run again
                                        to send what is new
  tng put -r --update --delete photos @FILE//2026
                                        send what has changed, and delete there
                                        what is gone here, if the server allows
                                        it
  tng put a.txt --name b.txt -          under another name; paste the ticket
                                        when asked
  pg_dump | tng put - --name dump @FILE
                                        send stdin
  tng put --via HELPER movie.mkv @FILE  through a relay

A ticket on the command line is visible to everybody who lists processes; a file
with it is not.";

/// Arguments of `tng put`.
#[derive(Args, Debug)]
#[command(override_usage = "tng put [OPTIONS] <FILE>... <URL>")]
pub struct PutArgs {
    /// What to send (- for stdin, by way of a temporary file), and last where to: @FILE[//FOLDER] (FILE holds a
    /// ticket), - (asks for the ticket), NAME//FOLDER (a name from ~/.config/tng/config.toml), or tng://TICKET/FOLDER
    // One list, so that options may stand anywhere between.
    #[arg(value_name = "FILE... URL", required = true, num_args = 1..)]
    places: Vec<PathBuf>,
    /// Copy folders with all that is in them; modes and times are kept
    #[arg(short, long, visible_short_alias = 'a', visible_alias = "archive")]
    recursive: bool,
    #[command(flatten)]
    tree: TreeArgs,
    /// Delete files at the server that are not here, once everything has been sent, if the server allows it
    #[arg(long, requires = "recursive")]
    delete: bool,
    /// Show what would be done to each file, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Follow symbolic links, and send what they lead to
    #[arg(short = 'L', long)]
    copy_links: bool,
    /// Name at the server, for one file or folder [default: its own]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    over: OverArgs,
    /// Compare files that are there by content, even if size and time are the same
    #[arg(long)]
    checksum: bool,
    /// Large files to send at the same time (and up to 16 times as many small ones)
    #[arg(long, value_name = "N", default_value_t = JOBS as u64)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=JOBS_MAX as u64))]
    jobs: u64,
    /// Which files go first
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Order::Asked)]
    order: Order,
    /// How often to reconnect when the connection is lost; the count starts anew when data is accepted
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

/// What the command sends.
#[derive(Debug, Default)]
struct Plan {
    folders: Vec<(SafePath, Meta)>,
    links: Vec<LinkJob>,
    parcels: Vec<Parcel>,
    /// Further names of files among them, and what to send where a server cannot give them.
    same: Vec<(SameJob, Parcel)>,
    /// The folders that were named, as they are on the server.
    tops: Vec<SafePath>,
    /// Where what comes on stdin goes, and its name.
    stdin: Option<(SafePath, String)>,
    left_out: u64,
}

impl Plan {
    fn extend(&mut self, part: Plan) {
        self.folders.extend(part.folders);
        self.links.extend(part.links);
        self.parcels.extend(part.parcels);
        self.same.extend(part.same);
        self.tops.extend(part.tops);
        self.left_out += part.left_out;
    }

    /// All that it has a name for.
    fn paths(&self) -> BTreeSet<&SafePath> {
        let folders = self.folders.iter().map(|(path, _)| path);
        let same = self.same.iter().map(|(same, _)| &same.path);
        let links = self.links.iter().map(|link| &link.path);
        folders.chain(same).chain(links).chain(self.parcels.iter().map(|parcel| &parcel.to)).collect()
    }
}

/// What the server has where everything goes.
#[derive(Debug, Default)]
struct Standing {
    entries: BTreeMap<SafePath, Entry>,
    /// It has more, and does not say what.
    skipped: u64,
}

impl Standing {
    /// Looks through a folder of the server; one that is not there has nothing in it.
    async fn look(&mut self, peer: &impl Opener, top: &SafePath, shallow: bool) -> Result<(), Failure> {
        let listed = match list(peer, top, Look { follow: false, shallow }).await {
            Err(failure) if failure.exit == Exit::NotFound => return Ok(()),
            listed => listed?,
        };
        self.skipped += listed.skipped;
        let whole = |mut entry: Entry| {
            if let Kind::Same(of) = &mut entry.kind {
                *of = within(top, of)?;
            }
            Some((within(top, &entry.path)?, entry))
        };
        self.entries.extend(listed.entries.into_iter().filter_map(whole));
        Ok(())
    }

    fn of(&self, path: &SafePath) -> Option<There> {
        self.entries.get(path).map(|Entry { kind, size, meta, .. }| match kind {
            Kind::File | Kind::Same(_) => There::File(Known { size: *size, meta: *meta }),
            Kind::Folder | Kind::Link(_) => There::Else,
        })
    }

    /// What stands where a link goes.
    fn at_link(&self, link: &LinkJob) -> LinkPlace {
        self.place_of(&link.path, |kind| matches!(kind, Kind::Link(target) if *target == link.target))
    }

    /// What stands where a further name of a file goes.
    fn at_same(&self, same: &SameJob) -> LinkPlace {
        let first = |path: &SafePath| match self.entries.get(path).map(|entry| &entry.kind) {
            Some(Kind::Same(first)) => Some(first.clone()),
            Some(Kind::File) => Some(path.clone()),
            _ => None,
        };
        let of = first(&same.of);
        self.place_of(&same.path, |_| of.is_some() && first(&same.path) == of)
    }

    fn place_of(&self, path: &SafePath, is_same: impl FnOnce(&Kind) -> bool) -> LinkPlace {
        match self.entries.get(path) {
            None => LinkPlace::Free,
            Some(entry) if is_same(&entry.kind) => LinkPlace::Same,
            Some(entry) if entry.kind == Kind::Folder => LinkPlace::Folder,
            Some(entry) => LinkPlace::Other(entry.meta),
        }
    }

    /// Whether a folder is there with this time.
    fn has_folder(&self, path: &SafePath, of: Meta) -> Option<bool> {
        let there = self.entries.get(path).filter(|entry| entry.kind == Kind::Folder)?;
        Some(there.meta.modified == of.modified)
    }

    /// What is there in the folders that were named, takes part, and is not sent.
    fn extra(&self, plan: &Plan, filter: &Filter, backups: Backups) -> Vec<(SafePath, Kind)> {
        let sent = plan.paths();
        let is_extra = |(path, entry): &(&SafePath, &Entry)| {
            // The entry has its path in the folder that was named.
            !sent.contains(path) && backups.may_go(path) && filter.takes(&entry.path, entry.kind == Kind::Folder)
        };
        let extra = self.entries.iter().filter(is_extra);
        extra.map(|(path, entry)| (path.clone(), entry.kind.clone())).collect()
    }
}

/// A path in the folder `top`.
fn within(top: &SafePath, path: &SafePath) -> Option<SafePath> {
    path.as_str().split('/').try_fold(top.clone(), |whole, name| whole.child(name).ok())
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
    for file in files.iter().cloned() {
        if file == Path::new("-") {
            let name = args.name.clone();
            let name = name.ok_or_else(|| Failure::usage("sending stdin", "it has no name").or_try("--name NAME"))?;
            plan.stdin = Some((place(&file, &target, args, &format!("sending {}", short(&name)))?, name));
            continue;
        }
        let what = format!("sending {}", short(&text_of(&file)));
        let to = place(&file, &target, args, &what)?;
        let (recursive, follow, filter) = (args.recursive, args.copy_links, filter.clone());
        let died = |error| Failure::new(Exit::Read, what.clone(), error);
        let part =
            spawn_blocking(move || look(&file, &to, (recursive, follow, &filter), talk)).await.map_err(died)??;
        plan.extend(part);
    }
    let (offered, regulator) = (args.offer.chosen("put", talk).await?, args.offer.regulator("put", talk)?);
    let change = |builder| run_by(regulated(builder, regulator.as_ref()), offered.as_ref());
    let endpoint = client_of(args.key.load_or_create()?, change).await?;
    let _desk = guests::tells_of(&endpoint, has_guests(offered.as_ref(), regulator.as_ref()), "put");
    let work = async {
        let sent = args.time.whole(send(&endpoint, plan, &target, (args, &filter, offered.clone()), talk)).await;
        if let Some(offered) = &offered {
            offered.stay().await;
        }
        sent
    };
    attend(&endpoint, work).await
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
    let remedy = match args.name.is_some() {
        true if name.contains('/') => {
            return Err(Failure::usage(what, format!("the --name {name} holds a /, and is no one name"))
                .or_try("the folder that it goes to behind the // of the URL, and the last name alone as --name"));
        }
        true => "another --name",
        false => "--name NAME",
    };
    target.path.child(&name).map_err(|error| Failure::usage(what, error).or_try(remedy))
}

/// What there is of a file or folder.
fn look(
    file: &Path,
    to: &SafePath,
    (recursive, follow, filter): (bool, bool, &Filter),
    talk: Talk,
) -> Result<Plan, Failure> {
    let what = || format!("sending {}", short(&text_of(file)));
    let root = Arc::new(Root::new(file).map_err(|failure| Failure { what: what(), ..failure })?);
    let mut plan = Plan::default();
    if let Some(only) = root.only().cloned() {
        let metadata = root.path().metadata().map_err(|error| Failure::read(what(), &error))?;
        let known = Known::from(&metadata);
        let from = Origin::Folder(root, only);
        plan.parcels.push(Parcel { from, to: to.clone(), known, shown: file.to_owned(), there: None });
        return Ok(plan);
    }
    if !recursive {
        return Err(Failure::usage(what(), "it is a folder").or_try("-r sends it with all that is in it"));
    }
    let itself = root.look(&SafePath::root()).map_err(|fault| Failure::new(Exit::Read, what(), fault))?;
    plan.folders.push((to.clone(), meta(&itself)));
    plan.tops.push(to.clone());
    let walk = root.walk(&SafePath::root()).map_err(|fault| Failure::new(Exit::Read, what(), fault))?;
    let (mut entries, mut left_out) = (Vec::new(), Vec::new());
    for found in walk.following(follow) {
        match found.map_err(|fault| Failure::new(Exit::Read, what(), fault))? {
            Found::Entry(entry) => entries.push(entry),
            Found::LeftOut(left) => left_out.push(left),
        }
    }
    let Taken { entries, left_out, missing } = taken(filter, entries, left_out);
    let mut leave = |path: &str, why: &str| {
        plan.left_out += 1;
        talk.say(format_args!("left out: {}: {why}", short(path)));
        talk.event("left_out", &json!({ "path": path, "why": why }));
    };
    left_out.iter().for_each(|left| leave(left.path().exact(), &left.why.to_string()));
    missing.iter().for_each(|path| leave(path.as_str(), "it is not there"));
    let mut files = BTreeSet::new();
    for Entry { kind, path, size, meta } in entries {
        let place = path.as_str().split('/').try_fold(to.clone(), |place, name| place.child(name));
        match (place, kind) {
            (Ok(place), Kind::Folder) => plan.folders.push((place, meta)),
            (Ok(path), Kind::Link(target)) => plan.links.push(LinkJob { path, target, meta }),
            (Ok(place), kind @ (Kind::File | Kind::Same(_))) => {
                let (shown, root, known) = (path.below(file), Arc::clone(&root), Known { size, meta });
                let from = Origin::Folder(root, path.clone());
                let parcel = Parcel { from, to: place.clone(), known, shown, there: None };
                match kind {
                    Kind::Same(of) if files.contains(&of) => {
                        let Some(of) = within(to, &of) else { continue };
                        plan.same.push((SameJob { path: place, of }, parcel));
                    }
                    // Of one that is not sent this is the first.
                    _ => {
                        files.insert(path);
                        plan.parcels.push(parcel);
                    }
                }
            }
            (Err(error), _) => leave(path.as_str(), &error.to_string()),
        }
    }
    Ok(plan)
}

async fn send(
    endpoint: &Endpoint,
    mut plan: Plan,
    target: &Location,
    (args, filter, offered): (&PutArgs, &Filter, Option<Chosen>),
    talk: Talk,
) -> Result<(), Failure> {
    let progress = Arc::new(Progress { talk, limit: args.rate.limit(), ..Progress::default() });
    let bar = talk.progress(&progress);
    let peer = args.time.connecting(Peer::connect(endpoint, target, args.retry, talk)).await?;
    let peer = peer.watching(&progress).offering(offered);
    if let Some((to, name)) = plan.stdin.take() {
        if !args.dry_run {
            // Where it goes is made first: a server that takes nothing says so before anybody waits for all of stdin.
            make(&peer, &target.path, Meta::default()).await?;
        }
        plan.parcels.push(spooled(to, &name).await?);
    }
    let mut sum = Sum::new(Way::There, !args.recursive, talk);
    sum.left_out = plan.left_out;
    let _watch = Watch::new(&progress, talk);
    let mut standing = Standing::default();
    for top in &plan.tops {
        standing.look(&peer, top, false).await?;
    }
    // A file that is sent by itself is compared by its content.
    let is_below = |parcel: &Parcel| plan.tops.iter().any(|top| within_top(top, &parcel.to));
    if args.dry_run && !plan.parcels.iter().all(is_below) {
        standing.look(&peer, &target.path, true).await?;
    }
    let parcels = plan.parcels.iter_mut().chain(plan.same.iter_mut().map(|(_, parcel)| parcel));
    parcels.for_each(|parcel| parcel.there = standing.of(&parcel.to));
    let sending = Sending { over: args.over.over(), checksum: args.checksum };
    let extra = match args.delete {
        true => standing.extra(&plan, filter, Backups::of(sending.over)),
        false => Vec::new(),
    };
    if args.delete {
        args.tree.tell_of_delete(talk);
    }
    if args.dry_run {
        drop(bar);
        would(&plan, (&standing, &extra), sending, talk)?;
        return whole(&sum);
    }
    let paths = || plan.parcels.iter().chain(plan.same.iter().map(|(_, parcel)| parcel));
    Progress::add(&progress.files_total, paths().count() as u64);
    Progress::add(&progress.bytes_total, paths().map(Errand::size).sum());
    let ended = send_whole(&peer, plan, (&standing, extra), (args, sending), (&mut sum, &progress)).await;
    drop(bar);
    if ended.is_ok() || sum.files > 0 {
        sum.tell();
    }
    ended?;
    whole(&sum)
}

/// Whether a path is that of a folder, or below it.
fn within_top(top: &SafePath, path: &SafePath) -> bool {
    path.as_str().strip_prefix(top.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// That all has gone, if it has.
fn whole(sum: &Sum) -> Result<(), Failure> {
    match sum.left_out {
        0 => Ok(()),
        n => Err(Failure::new(Exit::Partial, "sending", left_out(n))),
    }
}

/// What comes on stdin, when all of it has.
async fn spooled(to: SafePath, name: &str) -> Result<Parcel, Failure> {
    let spool = Spool::of_stdin().await?;
    let known = spool.known().map_err(|error| Failure::read(format!("sending {}", short(name)), &error))?;
    Ok(Parcel { from: Origin::Stdin(Arc::new(spool)), to, known, shown: name.into(), there: None })
}

/// Tells what would be done.
///
/// # Errors
/// The first of what would fail, as far as that is known.
fn would(
    plan: &Plan,
    (standing, extra): (&Standing, &[(SafePath, Kind)]),
    sending: Sending,
    talk: Talk,
) -> Result<(), Failure> {
    let files = plan
        .parcels
        .iter()
        .map(|parcel| (parcel.standing(sending).deed(sending.over, "send"), &parcel.to, parcel.known.size));
    let links = plan.links.iter().map(|link| {
        let deed = link_deed(link.meta, standing.at_link(link), sending.over);
        (deed, &link.path, 0)
    });
    let same = plan.same.iter().map(|(same, parcel)| {
        let deed = link_deed(parcel.known.meta, standing.at_same(same), sending.over);
        (deed, &same.path, 0)
    });
    let mut told = Would::new(talk);
    let mut first = Ok(());
    for (deed, path, bytes) in files.chain(links).chain(same) {
        told.tell(deed, path, Some(bytes), json!({ "path": path.as_str() }));
        if deed == REFUSE {
            let what = format!("sending {}", short(path.as_str()));
            first = first.and(Err(fault_failure(what, &Fault::new(FaultCode::Exists, ""))));
        }
    }
    match first.is_ok() && plan.left_out == 0 {
        true => {
            for (path, _) in extra {
                told.tell("delete", path, Some(0), json!({ "path": path.as_str() }));
            }
        }
        false if !extra.is_empty() => tell_of_no_delete(first.is_ok(), plan.left_out, talk),
        false => {}
    }
    told.sum();
    first
}

/// Sends what is planned: folders before what is in them, so that nobody sees what is private, and after it, for their
/// times.
async fn send_whole(
    peer: &Peer,
    plan: Plan,
    (standing, extra): (&Standing, Vec<(SafePath, Kind)>),
    (args, sending): (&PutArgs, Sending),
    (sum, progress): (&mut Sum, &Arc<Progress>),
) -> Result<(), Failure> {
    let talk = progress.talk;
    let Plan { folders, links, parcels, same, .. } = plan;
    let new = folders.iter().filter(|(path, meta)| standing.has_folder(path, *meta).is_none()).cloned();
    let mut first = make_all(peer, &new.collect::<Vec<_>>()).await;
    if first.as_ref().is_err_and(is_fatal) {
        return first;
    }
    let mut changes = false;
    // Files that are on the server as they are here.
    let mut arrived = BTreeSet::new();
    let lanes = Lanes::new(args.jobs as usize, args.order);
    let told = |parcel: &Parcel, ended: &Result<Fetched, Failure>| {
        if let Ok(sent) = ended {
            changes |= sent.changes();
            if sent.is_there() {
                arrived.insert(parcel.to.clone());
            }
        }
        sum.count(parcel, ended);
    };
    let sent = send_all(peer, parcels, sending, lanes, progress, told).await;
    if sent.as_ref().is_err_and(is_fatal) {
        return sent;
    }
    first = first.and(sent);
    let (named, mut unnamed): (Vec<_>, Vec<_>) = same.into_iter().partition(|(same, _)| arrived.contains(&same.of));
    let (named, parcels): (Vec<SameJob>, Vec<Parcel>) = named.into_iter().unzip();
    let mut refused = Vec::new();
    let told = |which: usize, ended: &Result<Stored, Failure>| match ended {
        // A server that cannot do that can take the file.
        Err(failure) if failure.exit != Exit::Exists => refused.push(which),
        ended => {
            changes |= matches!(ended, Ok(Stored::New));
            Progress::add(&progress.files, 1);
            Progress::add(&progress.bytes, parcels[which].size());
            sum.count_link(&named[which].path, None, &ended.clone().map(linked));
        }
    };
    match same_all(peer, &named, sending.over, told).await {
        Err(failure) if is_fatal(&failure) => return Err(failure),
        Err(failure) if failure.exit == Exit::Exists => first = first.and(Err(failure)),
        _ => {}
    }
    unnamed.extend(refused.into_iter().map(|which| (named[which].clone(), parcels[which].clone())));
    let unnamed = unnamed.into_iter().map(|(_, parcel)| parcel).collect();
    let told = |parcel: &Parcel, ended: &Result<Fetched, Failure>| {
        changes |= ended.as_ref().is_ok_and(Fetched::changes);
        sum.count(parcel, ended);
    };
    first = first.and(send_all(peer, unnamed, sending, lanes, progress, told).await);
    let told = |link: &LinkJob, ended: &Result<Stored, Failure>| {
        changes |= matches!(ended, Ok(Stored::New));
        sum.count_link(&link.path, None, &ended.clone().map(linked));
    };
    if !first.as_ref().is_err_and(is_fatal) {
        first = first.and(link_all(peer, &links, sending.over, told).await);
    }
    // What is not known to be here no more stays.
    let may_delete = first.is_ok() && sum.left_out == 0;
    if !may_delete && !extra.is_empty() {
        tell_of_no_delete(first.is_ok(), sum.left_out, talk);
    }
    if may_delete && !extra.is_empty() {
        changes = true;
        let told = |path: &SafePath| {
            talk.event("deleted", &json!({ "path": path.as_str() }));
            talk.say(format_args!("deleted {}", short(path.as_str())));
        };
        first = remove_all(peer, &extra, told).await;
    }
    if !first.as_ref().is_err_and(is_fatal) {
        let aged = folders.iter().filter(|(path, meta)| changes || standing.has_folder(path, *meta) != Some(true));
        first = first.and(make_all(peer, &aged.cloned().collect::<Vec<_>>()).await);
    }
    first
}

const fn linked(stored: Stored) -> Linked {
    match stored {
        Stored::New => Linked::Made,
        Stored::Unchanged => Linked::Unchanged,
        Stored::Kept => Linked::Kept,
    }
}
