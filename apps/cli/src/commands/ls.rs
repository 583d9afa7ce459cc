//! `tng ls`: what a server hands out.

use clap::Args;
use serde_json::{Value, json};
use tng_services::files::{Entry, Kind, Listed, Look, SafePath};

use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::list;
use crate::host::{attend, client};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser, typed};
use crate::peer::{Peer, RETRIES};
use crate::perf::units::date;
use crate::talk::{Talk, short};
use crate::via::ViaArgs;

/// Shown before everything else in `tng ls --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng ls @FILE                 list what is served; FILE holds a ticket
  tng ls -R @FILE photos/2026  a folder of it, with all that is in it
  tng ls srv//movie.mkv        one file, of a host with a name in
                               ~/.config/tng/config.toml

In names, control characters, \\, bytes that are not UTF-8, and characters that
cannot be seen are shown as \\x and two hexadecimal digits for each byte, and may
be written so.";

/// Arguments of `tng ls`.
#[derive(Args, Debug)]
pub struct LsArgs {
    /// What to list: @FILE[//PATH] (FILE holds a ticket), - (asks for the ticket), NAME//PATH (a name from
    /// ~/.config/tng/config.toml), tng://TICKET/PATH, or tng://EID@host:port/PATH
    #[arg(value_name = "URL", value_parser = LocationParser)]
    location: Location,
    /// A path below that
    #[arg(value_name = "PATH", value_parser = path)]
    below: Option<SafePath>,
    /// List folders with all that is in them
    #[arg(short = 'R', long)]
    recursive: bool,
    /// Follow symbolic links, and list what they lead to
    #[arg(short = 'L', long)]
    copy_links: bool,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    key: KeyArgs,
}

fn path(text: &str) -> Result<SafePath, String> {
    typed(text.strip_suffix('/').unwrap_or(text)).map_err(|error| error.to_string())
}

/// Lists a folder, or a file.
///
/// # Errors
/// If there is no connection, or no such folder.
pub async fn run(args: &LsArgs, talk: Talk) -> Result<(), Failure> {
    let target = args.via.to(&args.location)?;
    let below = args.below.iter().flat_map(|below| below.as_str().split('/')).filter(|name| !name.is_empty());
    let path = below.into_iter().try_fold(target.path.clone(), |path, name| path.child(name));
    let path = path.map_err(|error| Failure::usage("listing", error))?;
    let endpoint = client(args.key.load_or_create()?).await?;
    let look = Look { follow: args.copy_links, shallow: !args.recursive };
    let listing = async {
        let peer = args.time.connecting(Peer::connect(&endpoint, &target, RETRIES, talk)).await?;
        find(&peer, &path, look).await
    };
    let listed = attend(&endpoint, args.time.whole(listing)).await?;
    for entry in &listed.entries {
        talk.payload(line(entry));
        talk.event("entry", &fields(entry));
    }
    for left in &listed.left_out {
        talk.say(format_args!("left out: {}: {}", short(left.path().exact()), left.why));
        talk.event("left_out", &json!({ "path": left.path().exact(), "why": left.why.to_string() }));
    }
    let named = listed.left_out.len() as u64;
    if listed.skipped > named {
        talk.say(format_args!("left out: {} more", listed.skipped - named));
    }
    talk.event("listed", &json!({ "entries": listed.entries.len(), "skipped": listed.skipped }));
    Ok(())
}

/// What is in a folder; of a file, the file.
async fn find(peer: &Peer, path: &SafePath, look: Look) -> Result<Listed, Failure> {
    let failure = match list(peer, path, look).await {
        Err(failure) if failure.exit == Exit::NotFound && !path.is_root() => failure,
        listed => return listed,
    };
    let (above, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    let above = SafePath::parse(above).map_err(|error| Failure::usage("listing", error))?;
    let Ok(mut listed) = list(peer, &above, Look { shallow: true, ..look }).await else { return Err(failure) };
    listed.entries.retain(|entry| entry.path.as_str() == name);
    (listed.left_out, listed.skipped) = (Vec::new(), 0);
    if listed.entries.is_empty() { Err(failure) } else { Ok(listed) }
}

/// As `ls -l` has it, without what no peer is told.
fn line(entry: &Entry) -> String {
    let Entry { kind, path, size, meta } = entry;
    let letter = match kind {
        Kind::File | Kind::Same(_) => '-',
        Kind::Folder => 'd',
        Kind::Link(_) => 'l',
    };
    let permissions: String = match meta.mode {
        None => "?????????".to_owned(),
        Some(mode) => {
            let bit = |at: u32| if mode >> at & 1 == 1 { ['x', 'w', 'r'][at as usize % 3] } else { '-' };
            (0..9).rev().map(bit).collect()
        }
    };
    let time = meta.modified.map_or_else(|| "-".to_owned(), |modified| date(modified.s()));
    let more = match kind {
        Kind::Link(target) => format!(" -> {target}"),
        Kind::Same(first) => format!(" = {first}"),
        Kind::File | Kind::Folder => String::new(),
    };
    format!("{letter}{permissions} {size:>14} {time:<29} {path}{more}")
}

fn fields(entry: &Entry) -> Value {
    let Entry { kind, path, size, meta } = entry;
    let mut fields =
        json!({ "path": path.as_str(), "bytes": size, "mode": meta.mode.map(|mode| format!("{mode:04o}")) });
    let (kind, target) = match kind {
        Kind::File => ("file", None),
        Kind::Folder => ("folder", None),
        Kind::Link(target) => ("link", Some(target.as_str())),
        Kind::Same(first) => ("same", Some(first.as_str())),
    };
    fields["kind"] = kind.into();
    if let Some(target) = target {
        fields["target"] = target.into();
    }
    if let Some(modified) = meta.modified {
        (fields["modified_s"], fields["modified_ns"]) = (modified.s().into(), modified.ns().into());
    }
    fields
}
