//! `tng trickles serve`: hands out a folder or a file to clients that keep everything themselves.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tng::StatelessService;
use tng::trickles::ServerConfig;

use crate::failure::Failure;
use crate::files::{Own, Root};
use crate::host::{Door, DoorArgs, attend_until_stopped};
use crate::talk::{Talk, shown};
use crate::trickles::Files;
use crate::trickles::keys::KeysFile;

/// Shown before everything else in `tng trickles serve --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles serve photos            hand out a folder to anyone who has the ticket that this prints
  tng trickles serve photos --public   to everybody
  tng trickles serve photos --keys fleet.epochs --key fleet.key
                                       one of several servers: all have both files, and any answers for any
It may be killed at any moment and started again: downloads go on, and lose at most what was on its way.";

/// Connections of the other protocols, which this serves nothing: it only says so.
const CONNECTIONS_MAX: usize = 16;

/// Arguments of `tng trickles serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// The folder, or the file
    path: PathBuf,
    /// File of the keys that all servers of a fleet share; it is made if it is not there, and changes as time passes
    /// [default: beside the key file, IDENTITY.epochs]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    door: DoorArgs,
}

/// Serves until a signal ends it, which is its usual end.
///
/// # Errors
/// If there is nothing to serve, no keys, or no way to listen.
pub async fn run(args: &ServeArgs, talk: Talk) -> Result<(), Failure> {
    let root = Root::new(&args.path)?;
    // The identity first: its folder is where the keys are made by default.
    args.door.key.load_or_create()?;
    let key = args.door.key.path()?;
    let keys = args.keys.clone().map_or_else(|| KeysFile::beside(&key), KeysFile::new);
    let (secret, is_new) = keys.load_or_create()?;
    if is_new {
        talk.say(format_args!(
            "keys made: {}; further servers of the same fleet need a copy of it",
            shown(keys.path())
        ));
    }
    let root = without_own(without_own(root, &args.path, &key)?, &args.path, keys.path())?;
    if let Some(Err(fault)) = root.only().map(|only| root.look(only)) {
        let what = format!("serving {}", shown(&args.path));
        return Err(Failure::usage(what, fault).or_try("another file, or another --key FILE or --keys FILE"));
    }
    let name = [&b"trickles:"[..], root.path().as_os_str().as_encoded_bytes()].concat();
    let mut config = ServerConfig::default();
    config.set_up.silent = args.door.silent;
    let service = StatelessService::new(secret, Files::new(root.clone())?).config(config);
    let door = args.door.open_with(&name, &[], CONNECTIONS_MAX, |builder| builder.serve_stateless(service)).await?;
    announce(&door, &root, &keys, talk);
    let following = tokio::spawn(keys.keep_following());
    let ended = attend_until_stopped(&door.endpoint, talk, async {
        while let Some(incoming) = door.endpoint.accept().await {
            incoming.refuse("this host serves only clients that keep everything themselves (docs/trickles.md)");
        }
        Ok(())
    });
    let ended = ended.await;
    following.abort();
    ended
}

/// What is served without what is this host's own.
fn without_own(root: Root, path: &Path, file: &Path) -> Result<Root, Failure> {
    let own = Own::beside(file).map_err(|error| Failure::read(format!("serving {}", shown(path)), &error))?;
    Ok(root.without(own))
}

/// Says what is served, the ticket last.
fn announce(door: &Door, root: &Root, keys: &KeysFile, talk: Talk) {
    talk.say(format_args!("serving {} to {}, at {}", shown(&root.path()), door.open_to, door.endpoint.local_addr()));
    talk.say(format_args!("nothing is kept of who fetches; it may be stopped and started again at any moment"));
    door.show(talk);
    talk.event(
        "serving",
        &json!({
            "eid": door.ticket.eid().to_string(),
            "ticket": door.ticket.to_string(),
            "addresses": door.addresses(),
            "path": root.path().to_string_lossy(),
            "keys": keys.path().to_string_lossy(),
        }),
    );
}
