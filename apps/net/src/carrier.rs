//! Carriers: where UDP does not pass, datagrams travel inside TLS 1.3 over TCP (docs/carrier.md).
//!
//! Machines see a carried peer at an address of a form of its own, and nothing else of it. Everything here is behind
//! the driver's [`Socket`]: a `CarrierSocket` sends to such addresses by their carriers, and to all others
//! by UDP.

mod error;
mod inbox;
mod link;
mod listen;
mod options;
mod socket;
mod task;
mod tls;

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::time::Duration;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tng_endpoint::{ExchangeLimits, Exchanges, Network, carried_address, carrier_number, is_carried};
use tng_stack::ADDRESSES_MAX;
use tokio::runtime::Handle;
use tokio::sync::{broadcast, watch};

pub use self::error::{CarrierError, CarrierListenError};
use self::inbox::Inbox;
use self::link::Link;
pub use self::link::{OUT_FULL, OUT_MAX};
pub use self::listen::{CARRIERS_MAX, CARRIERS_PER_NETWORK, CarrierListen};
pub use self::options::{CARRIER_PORT, CarrierDial};
use self::socket::CarrierSocket;
pub use self::task::{FRAME_WITHIN, HANDSHAKE_WITHIN, IDLE_AFTER, NOTSENT_LOWAT, WRITE_WITHIN};
use crate::lock::Clock;
use crate::socket::{Socket, Underlay};

/// The protocol's name in the TLS handshake.
pub const CARRIER_ALPN: &str = "tng-carrier/1";

/// Peers at most that an endpoint has carriers of its own to; beyond it the one that was asked for first is forgotten.
pub const DIALED_MAX: usize = 1_024;

/// Least time between two attempts to begin a carrier to one peer; doubles with each that fails, to [`AGAIN_MAX`].
pub const AGAIN_FIRST: Duration = Duration::from_millis(100);

/// Longest such time.
pub const AGAIN_MAX: Duration = Duration::from_secs(4);

/// What has become of a carrier, for people.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CarrierEvent {
    /// One is there.
    Up {
        /// Where its other end is, by TCP.
        peer: SocketAddr,
    },
    /// One is not there any more, or did not come about. What was on its way is sent again by whatever way there is.
    Over {
        /// Where its other end was, by TCP.
        peer: SocketAddr,
        /// Why.
        error: Arc<CarrierError>,
    },
}

/// Addresses of a peer at most that are tried by carriers.
pub const CARRIED_ADDRESSES_MAX: usize = 4;

/// How long the last that an endpoint has to say may take to leave by its carriers.
pub const FLUSHED_WITHIN: Duration = Duration::from_millis(500);

/// Events that are kept for who watches.
const EVENTS_KEPT: usize = 64;

/// What carriers have done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CarrierCounters {
    /// Those that are there now.
    pub up: u64,
    /// That have come about.
    pub begun: u64,
    /// Connections of TCP that were closed at once, because there were or came too many, in all or of one network.
    pub refused: u64,
    /// Connections of TCP and carriers that ended by a fault: in the handshake, by what came, or by what did not come.
    pub failed: u64,
    /// Datagrams that were dropped, because a carrier was not there or took no more.
    pub dropped: u64,
}

/// All carriers of an endpoint. Its sockets hold it; with the last of them it ends.
pub(crate) struct Carriers {
    runtime: Handle,
    dial: Option<CarrierDial>,
    tls: tls::Client,
    book: Mutex<Book>,
    clock: Clock,
    /// Handshakes with those who come: one costs what an exchange of keys by UDP does.
    handshakes: Mutex<Exchanges>,
    /// One for each thread of the endpoint.
    inboxes: Arc<[Inbox]>,
    events: broadcast::Sender<CarrierEvent>,
    /// Gone when it is: those who wait for it have an end.
    over: watch::Sender<()>,
}

/// Which carriers there are.
#[derive(Default)]
struct Book {
    next: u64,
    links: BTreeMap<u64, Arc<Link>>,
    /// Those that this end begins, by where their other end is.
    dialed: BTreeMap<SocketAddr, u64>,
    /// Accepted ones, by the networks that they come from.
    accepted: BTreeMap<Network, usize>,
    counters: CarrierCounters,
}

impl fmt::Debug for Carriers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carriers").field("dial", &self.dial).field("counters", &self.counters()).finish_non_exhaustive()
    }
}

impl Carriers {
    /// None yet, for an endpoint of so many threads.
    pub(crate) fn new(runtime: Handle, dial: Option<CarrierDial>, threads: usize) -> Carriers {
        let inboxes = core::iter::repeat_with(Inbox::default).take(threads).collect();
        let (book, events) = (Mutex::default(), broadcast::Sender::new(EVENTS_KEPT));
        let (clock, handshakes) = (Clock::start(), Mutex::new(Exchanges::new(ExchangeLimits::default())));
        let (tls, over) = (tls::Client::default(), watch::Sender::default());
        Carriers { runtime, dial, tls, book, clock, handshakes, inboxes, events, over }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What they have done.
    pub(crate) fn counters(&self) -> CarrierCounters {
        self.book().counters
    }

    fn tell(&self, event: CarrierEvent) {
        // Nobody need watch.
        let _ = self.events.send(event);
    }

    fn link(&self, number: u64) -> Option<Arc<Link>> {
        self.book().links.get(&number).cloned()
    }

    /// The address of the carrier to `peer`, a port of TCP, which is begun by what is first sent there.
    pub(crate) fn address_of(&self, peer: SocketAddr) -> SocketAddr {
        let mut book = self.book();
        if let Some(number) = book.dialed.get(&peer) {
            return carried_address(peer, *number);
        }
        if book.dialed.len() >= DIALED_MAX
            && let Some((oldest, number)) = book.dialed.iter().map(|(at, number)| (*at, *number)).min_by_key(|it| it.1)
        {
            book.dialed.remove(&oldest);
            if let Some(link) = book.links.remove(&number) {
                link.end();
            }
        }
        let number = book.take_number();
        let link = Link::new(number, peer, Arc::clone(&self.inboxes), true);
        book.dialed.insert(peer, number);
        book.links.insert(number, Arc::new(link));
        carried_address(peer, number)
    }

    /// Sends datagrams of `size` bytes, the last perhaps shorter, by a carrier.
    pub(super) fn send(self: &Arc<Self>, thread: usize, to: IpAddr, size: usize, datagrams: &[u8]) {
        let link = carrier_number(to).and_then(|number| self.link(number));
        let count = datagrams.len().div_ceil(size.max(1)) as u64;
        let Some(link) = link else {
            self.book().counters.dropped += count;
            return;
        };
        let sent = link.send(thread, size, datagrams);
        if sent.dropped {
            self.book().counters.dropped += count;
        }
        if sent.begins {
            self.runtime.spawn(task::dial(Arc::downgrade(self), link));
        }
    }

    /// A carrier is there.
    fn note_up(&self, link: &Link) {
        let mut book = self.book();
        book.counters.up += 1;
        book.counters.begun += 1;
        drop(book);
        self.tell(CarrierEvent::Up { peer: link.peer });
    }

    /// A carrier is over, or one that was begun did not come about.
    fn note_over(&self, link: &Link, was_up: bool, error: CarrierError) {
        let mut book = self.book();
        book.counters.up -= u64::from(was_up);
        book.counters.failed += u64::from(!error.is_farewell());
        if !link.is_dialed {
            book.links.remove(&link.number);
        }
        drop(book);
        link.reset();
        self.tell(CarrierEvent::Over { peer: link.peer, error: Arc::new(error) });
    }
}

impl Book {
    fn take_number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl Drop for Carriers {
    fn drop(&mut self) {
        self.book().links.values().for_each(|link| link.end());
        // What waits knows its carrier, and that knows where it waits.
        self.inboxes.iter().for_each(Inbox::clear);
    }
}

/// The carriers, for what works for them: with them it ends.
type Of = Weak<Carriers>;

/// What an endpoint is to have of carriers.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) dial: Option<CarrierDial>,
    pub(crate) listen: Vec<CarrierListen>,
}

impl Wanted {
    /// Begins them, for an endpoint of so many threads. `None` if nothing is wanted.
    pub(crate) fn begin(self, runtime: &Handle, threads: usize) -> io::Result<Option<CarrierHandle>> {
        if self.dial.is_none() && self.listen.is_empty() {
            return Ok(None);
        }
        let carriers = Arc::new(Carriers::new(runtime.clone(), self.dial, threads));
        let mut listening = Vec::new();
        for listen in self.listen {
            listening.push(listen.local_addr()?);
            listen.begin(&carriers)?;
        }
        Ok(Some(CarrierHandle { carriers, listening: listening.into() }))
    }
}

/// The carriers of an endpoint, to watch.
#[derive(Clone, Debug)]
pub struct CarrierHandle {
    carriers: Arc<Carriers>,
    listening: Arc<[SocketAddr]>,
}

impl CarrierHandle {
    /// Where they are taken, by TCP.
    pub fn listening(&self) -> &[SocketAddr] {
        &self.listening
    }

    /// What they have done.
    pub fn counters(&self) -> CarrierCounters {
        self.carriers.counters()
    }

    /// What becomes of them from now on.
    pub fn events(&self) -> broadcast::Receiver<CarrierEvent> {
        self.carriers.events.subscribe()
    }

    /// The other end, by TCP, of the carrier that leads to an address at which a peer is seen. `None` if that is none
    /// of a carrier's, or it is over.
    pub fn peer_of(&self, remote: SocketAddr) -> Option<SocketAddr> {
        carrier_number(remote.ip()).and_then(|number| self.carriers.link(number)).map(|link| link.peer)
    }

    pub(crate) fn underlay(&self) -> Arc<dyn Underlay> {
        Arc::new(Underneath(Arc::clone(&self.carriers)))
    }
}

/// All that an endpoint has of carriers, to its threads.
#[derive(Debug)]
struct Underneath(Arc<Carriers>);

impl Underlay for Underneath {
    fn wrap(&self, thread: usize, socket: Arc<dyn Socket>) -> Arc<dyn Socket> {
        Arc::new(CarrierSocket::new(Arc::clone(&self.0), thread, socket))
    }

    fn add_addresses(&self, addresses: &mut Vec<SocketAddr>) {
        // Such an address means something at this host alone: who names one would have it send to somebody else.
        addresses.retain(|address| !is_carried(address.ip()));
        let Some(dial) = &self.0.dial else { return };
        let mut carried: Vec<SocketAddr> = Vec::new();
        for peer in dial.peers(addresses) {
            let address = self.0.address_of(peer);
            if !carried.contains(&address) {
                carried.push(address);
            }
        }
        carried.truncate(CARRIED_ADDRESSES_MAX);
        addresses.truncate(ADDRESSES_MAX - carried.len());
        addresses.append(&mut carried);
    }

    fn flushed(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let links: Vec<Arc<Link>> = self.0.book().links.values().cloned().collect();
        Box::pin(async move {
            let flushed = async {
                for link in links {
                    link.flushed().await;
                }
            };
            let _ = tokio::time::timeout(FLUSHED_WITHIN, flushed).await;
        })
    }
}
