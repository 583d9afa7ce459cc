//! What serves an application that keeps nothing of its clients: keys, a door, and the end.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};
use tng::StatelessService;
use tng::trickles::{Application, ServerConfig};

use super::seals::ServedSeals;
use super::serve::tell;
use crate::failure::Failure;
use crate::files::Own;
use crate::host::{Door, DoorArgs, Drive, attend_until_stopped};
use crate::talk::{Talk, merged, shown};
use crate::trickles::daemon::tell_followed;
use crate::trickles::keys::{FleetKeys, KeysName};
use crate::trickles::membership::{CONNECTIONS_MAX, Membership};
use crate::trickles::{Following, Keeper, Means};

/// Who may come in, and with whom the server shares its work.
#[derive(Args, Debug)]
pub struct ApplicationArgs {
    /// File with the keys that all servers of a fleet share (`tng trickles keys new`), or
    /// etcd://IP:PORT,IP:PORT/PREFIX; servers rotate them [default: IDENTITY.epochs beside the key file, for a single
    /// server]
    #[arg(long, value_name = "FILE")]
    keys: Option<KeysName>,
    #[command(flatten)]
    means: Means,
    #[command(flatten)]
    seals: ServedSeals,
    #[command(flatten)]
    door: DoorArgs,
}

impl ApplicationArgs {
    /// The files that nobody may be given: the key of this host, and the file of the fleet's.
    ///
    /// # Errors
    /// If there is no place for them.
    pub fn own(&self) -> Result<Vec<Own>, Failure> {
        self.door.key.load_or_create()?;
        let key = self.door.key.path()?;
        let own = |file: &Path| Own::beside(file).map_err(|error| Failure::read("looking for the keys", &error));
        [Some(&*key), self.member()?.place().path()].into_iter().flatten().map(own).collect()
    }

    /// Bytes that the application itself may remember.
    pub fn own_bytes(&self, keeper: Keeper) -> usize {
        self.means.own_bytes(keeper)
    }

    fn member(&self) -> Result<Membership, Failure> {
        Membership::of(self.keys.as_ref(), &self.door.key.path()?)
    }

    /// Serves until a signal ends it. `kind` and `what` name it: with them tickets lead to the same. `announce` says
    /// what it is good for, and answers what programs are told of that.
    ///
    /// # Errors
    /// No keys, or no way to listen.
    pub async fn serve(
        &self,
        application: impl Application + Send + 'static,
        (kind, keeper, what): (&str, Keeper, &Path),
        announce: impl FnOnce(&Door) -> Value,
        talk: Talk,
    ) -> Result<(), Failure> {
        self.door.key.load_or_create()?;
        let member = self.member()?;
        let FleetKeys { edition, secrets } = member.keys(None, talk)?;
        let name = member.door(kind, what);
        let config = self.means.of(keeper, member.server_config(self.door.silent));
        let config = ServerConfig { danger_plain: self.seals.danger_plain, ..config };
        // What it remembers between requests is one thread's.
        Drive { threads: 1, ..Drive::get() }.set();
        let mut application = Some(application);
        let one = move || application.take().expect("one thread has it");
        let service = StatelessService::new(secrets, one).config(config);
        let door = self.door.open_with(&name, &[], CONNECTIONS_MAX, |builder| builder.serve_stateless(service)).await?;
        talk.say(format_args!("serving {} to {}, at {}", shown(what), door.open_to, door.endpoint.local_addr()));
        let of_fleet = json!({
            "path": what.to_string_lossy(),
            "keys": member.place().to_string(),
            "fleet": edition.fleet(),
            "rotations": edition.rotations,
        });
        if self.seals.danger_plain {
            talk.say("nothing is sealed: clients are told --danger-plain, too");
        }
        let event = merged([door.to_json(), of_fleet, announce(&door)]);
        door.show(talk);
        talk.event("serving", &event);
        let following = Following::new(member.place().clone(), door.endpoint.clone(), edition, None);
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
