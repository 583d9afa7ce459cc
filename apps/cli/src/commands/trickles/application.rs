//! What serves an application that keeps nothing of its clients: keys, a door, and the end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use tng::StatelessService;
use tng::trickles::{Application, BloomSize, FilterConfig, ServerConfig};

use super::serve::tell;
use crate::failure::Failure;
use crate::files::Own;
use crate::host::{Door, DoorArgs, Drive, attend_until_stopped};
use crate::talk::{Talk, shown};
use crate::trickles::Following;
use crate::trickles::daemon::{CONNECTIONS_MAX, FALSE_SHARE, tell_followed};
use crate::trickles::keys::{FleetKeys, KeysFile};

/// Who may come in, and with whom the server shares its work.
#[derive(Args, Debug)]
pub struct ApplicationArgs {
    /// File of the keys that all servers of a fleet share, of `tng trickles keys new`; it changes as time passes
    /// [default: beside the key file, IDENTITY.epochs, for a server alone]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    door: DoorArgs,
}

impl ApplicationArgs {
    /// The files that nobody may be given: the key of this host, and that of the fleet.
    ///
    /// # Errors
    /// If there is no place for them.
    pub fn own(&self) -> Result<[Own; 2], Failure> {
        self.door.key.load_or_create()?;
        let key = self.door.key.path()?;
        let own = |file: &Path| Own::beside(file).map_err(|error| Failure::read("looking for the keys", &error));
        Ok([own(&key)?, own(self.keys_file()?.path())?])
    }

    fn keys_file(&self) -> Result<KeysFile, Failure> {
        let key = self.door.key.path()?;
        self.keys.as_deref().map_or_else(|| Ok(KeysFile::beside(&key)), KeysFile::named)
    }

    /// Serves until a signal ends it. `kind` and `what` name it: with them tickets lead to the same. `announce` says
    /// what it is good for, and answers what programs are told of that.
    ///
    /// # Errors
    /// No keys, or no way to listen.
    pub async fn serve(
        &self,
        application: impl Application + Send + 'static,
        (kind, what): (&str, &Path),
        announce: impl FnOnce(&Door) -> Value,
        talk: Talk,
    ) -> Result<(), Failure> {
        self.door.key.load_or_create()?;
        let keys = self.keys_file()?;
        let FleetKeys { edition, secrets } = match &self.keys {
            Some(_) => keys.follow(None)?,
            None => {
                let (fleet, is_new) = keys.load_or_create()?;
                if is_new {
                    talk.say(format_args!("keys made: {}", shown(keys.path())));
                }
                fleet
            }
        };
        // What the servers of a fleet serve has one name, wherever it lies on each of them.
        let named = self.keys.as_deref().and_then(Path::file_name).map(OsString::from);
        let name = [kind.as_bytes(), b":", named.unwrap_or_else(|| what.into()).as_encoded_bytes()].concat();
        let mut config = ServerConfig::default();
        if self.keys.is_some() {
            config.filter = FilterConfig::Filters(BloomSize::PAPER, FALSE_SHARE);
        }
        config.set_up.silent = self.door.silent;
        // What it remembers between requests is one thread's.
        Drive { threads: 1, ..Drive::get() }.set();
        let mut application = Some(application);
        let one = move || application.take().expect("one thread has it");
        let service = StatelessService::new(secrets, one).config(config);
        let door = self.door.open_with(&name, &[], CONNECTIONS_MAX, |builder| builder.serve_stateless(service)).await?;
        talk.say(format_args!("serving {} to {}, at {}", shown(what), door.open_to, door.endpoint.local_addr()));
        let mut event = json!({
            "eid": door.ticket.eid().to_string(),
            "ticket": door.ticket.to_string(),
            "addresses": door.addresses(),
            "threads": door.endpoint.threads(),
            "path": what.to_string_lossy(),
            "keys": keys.path().to_string_lossy(),
            "fleet": edition.fleet(),
            "rotations": edition.rotations,
        });
        if let (Value::Object(event), Value::Object(more)) = (&mut event, announce(&door)) {
            event.extend(more);
        }
        door.show(talk);
        talk.event("serving", &event);
        let following = Following::new(keys, door.endpoint.clone(), edition, None);
        let following = tokio::spawn(following.keep(move |followed| tell_followed(followed, talk)));
        let ended = attend_until_stopped(&door.endpoint, talk, async {
            while let Some(incoming) = door.endpoint.accept().await {
                incoming.refuse("this is a Trickles server: it speaks nothing else");
            }
            Ok(())
        });
        let ended = ended.await;
        following.abort();
        tell(&door.endpoint, talk);
        ended
    }
}
