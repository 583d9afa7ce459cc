//! Where programs come in.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use crate::http::{Method, Status, refusal};
use tng::trickles::Place as Network;
use tng_services::files::SafePath;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::exchange::attend;
use super::source::Broken;
use super::{Names, Source};
use crate::clock;
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
    /// The servers that have it.
    pub source: Arc<Source>,
    /// Which.
    pub path: SafePath,
}

/// All doors of a process, and the room behind them.
#[derive(Debug)]
pub struct Doors {
    names: Names,
    places: Arc<Places<[u8; Network::LEN]>>,
    farewells: Arc<Semaphore>,
}

impl Doors {
    /// With room for [`CLIENTS_MAX`] connections.
    pub fn new(names: Names) -> Arc<Doors> {
        let farewells = Arc::new(Semaphore::new(FAREWELLS_MAX));
        Arc::new(Doors { names, places: Arc::new(Places::of(CLIENTS_MAX)), farewells })
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

/// Takes connections for as long as the process lives; those of `fixed` beside.
pub async fn run(doors: Arc<Doors>, listener: TcpListener, fixed: Vec<Fixed>) {
    for Fixed { listener, source, path } in fixed {
        tokio::spawn(pour(Arc::clone(&doors), listener, source, path));
    }
    loop {
        let (tcp, from) = accept(&listener).await;
        quicken(&tcp);
        let Some(place) = doors.places.take(network(from.ip())) else {
            doors.turn_away(tcp);
            continue;
        };
        let doors = Arc::clone(&doors);
        tokio::spawn(async move {
            if let Err(error) = attend(tcp, from, &doors.names).await {
                tracing::info!(%from, %error, "left");
            }
            drop(place);
        });
    }
}

/// Gives who comes the bytes of one file.
async fn pour(doors: Arc<Doors>, listener: TcpListener, source: Arc<Source>, path: SafePath) {
    loop {
        let (tcp, from) = accept(&listener).await;
        let Some(place) = doors.places.take(network(from.ip())) else {
            abort(tcp);
            continue;
        };
        let (source, path) = (Arc::clone(&source), path.clone());
        tokio::spawn(async move {
            pour_once(tcp, from, &source, &path).await;
            drop(place);
        });
    }
}

async fn pour_once(mut tcp: TcpStream, from: SocketAddr, source: &Source, path: &SafePath) {
    let poured = async {
        let (Some(path), Some(visit)) = (source.path(path), source.visit().await) else { return Ok(false) };
        let about = visit.about(&path).await?;
        visit.bring(&path, &about, 0..about.len, &mut tcp).await?;
        Ok::<bool, Broken>(true)
    };
    match poured.await {
        Ok(true) => farewell(tcp, &[]).await,
        // Nothing but its end says that a file is whole.
        Ok(false) => abort(tcp),
        Err(error) => {
            tracing::warn!(%from, ?error, "cut off");
            abort(tcp);
        }
    }
}
