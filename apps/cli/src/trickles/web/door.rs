//! Where programs come in.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use crate::http::{Method, Status, refusal};
use tng::trickles::ClientNetwork as Network;
use tng_services::files::SafePath;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::Names;
use super::exchange::attend;
use super::figures::{Account, End, Passed, Present, add};
use super::source::Broken;
use crate::clock;
use crate::daemon::locked;
use crate::forward::local::{accept, farewell};
use crate::forward::places::Places;
use crate::forward::{abort, quicken};

/// Connections of programs at once. One address, or one /64, has a quarter of those that the others leave.
pub const CLIENTS_MAX: usize = 512;
/// Connections that are told at once that there is no room; more are reset.
pub const FAREWELLS_MAX: usize = 32;

/// A door that leads to one file: who comes gets its bytes, and says nothing.
#[derive(Debug)]
pub struct Fixed {
    /// Where it is.
    pub listener: TcpListener,
    /// Which, of the servers that are meant where nobody says a name.
    pub path: SafePath,
}

/// All doors of a process, and the room behind them.
#[derive(Debug)]
pub struct Doors {
    names: Mutex<Arc<Names>>,
    account: Account,
    places: Arc<Places<[u8; Network::LEN]>>,
    farewells: Arc<Semaphore>,
}

impl Doors {
    /// With room for [`CLIENTS_MAX`] connections.
    pub fn new(names: Names, account: Account) -> Arc<Doors> {
        let (places, farewells) = (Arc::new(Places::of(CLIENTS_MAX)), Arc::new(Semaphore::new(FAREWELLS_MAX)));
        Arc::new(Doors { names: Mutex::new(Arc::new(names)), account, places, farewells })
    }

    /// What is called how for who comes now.
    pub fn names(&self) -> Arc<Names> {
        Arc::clone(&locked(&self.names))
    }

    /// From now on that is called so. Who is there already goes on with what was.
    pub fn set_names(&self, names: Names) {
        *locked(&self.names) = Arc::new(names);
    }

    /// What was done.
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// Says that there is no room, if there is room for that.
    fn turn_away(&self, tcp: TcpStream) {
        let Ok(place) = Arc::clone(&self.farewells).try_acquire_owned() else { return abort(tcp) };
        let words = "too many connections are open; close some, or ask again in a moment";
        let bytes = refusal(Status::ServiceUnavailable, words, Method::Get).to_bytes(clock::since_1970(), false);
        tokio::spawn(async move {
            farewell(tcp, &bytes).await;
            drop(place);
        });
    }
}

fn network(ip: IpAddr) -> [u8; Network::LEN] {
    *Network::of(ip).as_bytes()
}

/// Takes connections that speak HTTP for as long as the process lives.
pub async fn run(doors: Arc<Doors>, listener: TcpListener) {
    loop {
        let (tcp, from) = accept(&listener).await;
        quicken(&tcp);
        let Some(place) = doors.places.take(network(from.ip())) else {
            add(&doors.account.figures.turned_away, 1);
            doors.turn_away(tcp);
            continue;
        };
        let (doors, present) = (Arc::clone(&doors), Present::of(&doors.account.figures));
        tokio::spawn(async move {
            if let Err(error) = attend(tcp, from, &doors.names(), &doors.account).await {
                tracing::info!(%from, %error, "left");
            }
            drop((place, present));
        });
    }
}

/// Gives who comes the bytes of one file, for as long as the process lives.
pub async fn pour(doors: Arc<Doors>, Fixed { listener, path }: Fixed) {
    loop {
        let (tcp, from) = accept(&listener).await;
        let Some(place) = doors.places.take(network(from.ip())) else {
            add(&doors.account.figures.turned_away, 1);
            abort(tcp);
            continue;
        };
        let (doors, path, present) = (Arc::clone(&doors), path.clone(), Present::of(&doors.account.figures));
        tokio::spawn(async move {
            pour_once(tcp, from, &doors, &path).await;
            drop((place, present));
        });
    }
}

async fn pour_once(mut tcp: TcpStream, from: SocketAddr, doors: &Doors, path: &SafePath) {
    let (names, mut bytes) = (doors.names(), 0);
    let poured = async {
        let Some(source) = names.first() else { return Ok(false) };
        let (Some(path), Some(visit)) = (source.path(path), source.visit().await) else { return Ok(false) };
        let about = visit.about(&path).await?;
        visit.bring(&path, &about, 0..about.len, &mut tcp, &mut bytes).await?;
        Ok::<bool, Broken>(true)
    };
    let poured = poured.await;
    let end = match &poured {
        Ok(true) => End::Whole,
        Ok(false) | Err(Broken::Server(_)) => End::CutOff,
        Err(Broken::Client(_)) => End::Left,
    };
    doors.account.poured(from, path.as_str(), Passed { bytes, end });
    match poured {
        Ok(true) => farewell(tcp, &[]).await,
        // Nothing but its end says that a file is whole.
        Ok(false) => abort(tcp),
        Err(error) => {
            tracing::warn!(%from, ?error, "cut off");
            abort(tcp);
        }
    }
}
