//! Where carriers are taken: a port of TCP, and bounds for those who ask there.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use tng_base::Instant;
use tng_endpoint::Network;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::error::{CarrierError, CarrierListenError};
use super::link::Link;
use super::{CarrierEvent, Carriers, Of, task, tls};

/// Connections of TCP at a carrier's port at most, those whose handshake is not over included. More are closed at once.
pub const CARRIERS_MAX: usize = 4_096;

/// Of them, those of one network (an IPv4 address, or an IPv6 /64).
pub const CARRIERS_PER_NETWORK: usize = 64;

/// Time until the next connection is taken when the system has no descriptor for one.
const AGAIN_AFTER: core::time::Duration = core::time::Duration::from_millis(100);

/// Where an endpoint takes carriers, for [`Builder::carrier_listen`](crate::Builder::carrier_listen): a port of TCP that
/// is bound, so that a process may give up afterwards what it bound it with.
pub struct CarrierListen {
    listener: std::net::TcpListener,
    acceptor: TlsAcceptor,
}

impl core::fmt::Debug for CarrierListen {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CarrierListen").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl CarrierListen {
    /// Binds the port, and makes a certificate, which nobody need believe: the TLS of a carrier shows nobody who the
    /// other end is.
    ///
    /// # Errors
    /// If the address is not to be had.
    pub fn bind(addr: SocketAddr) -> Result<CarrierListen, CarrierListenError> {
        let bound = std::net::TcpListener::bind(addr);
        CarrierListen::given(bound.map_err(|source| CarrierListenError::Address { addr, source })?)
    }

    /// Takes a port that is bound, from a service manager for instance.
    ///
    /// # Errors
    /// If no certificate can be made.
    pub fn given(listener: std::net::TcpListener) -> Result<CarrierListen, CarrierListenError> {
        Ok(CarrierListen { listener, acceptor: tls::server(tls::made()?)? })
    }

    /// Shows the certificates of the file `chain` instead, whose key is in the file `key`, both in PEM: what looks at
    /// TLS from outside sees them.
    ///
    /// # Errors
    /// If the files hold none.
    pub fn certificate(self, chain: &Path, key: &Path) -> Result<CarrierListen, CarrierListenError> {
        Ok(CarrierListen { acceptor: tls::server(tls::read(chain, key)?)?, ..self })
    }

    /// Where it is bound.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Takes carriers for as long as the endpoint is there.
    ///
    /// # Errors
    /// If the runtime cannot wait for the port.
    pub(super) fn begin(self, carriers: &Arc<Carriers>) -> io::Result<()> {
        self.listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(self.listener)?;
        let (of, over) = (Arc::downgrade(carriers), carriers.over.subscribe());
        carriers.runtime.spawn(take(of, over, listener, self.acceptor));
        Ok(())
    }
}

async fn take(of: Of, mut over: watch::Receiver<()>, listener: TcpListener, acceptor: TlsAcceptor) {
    loop {
        let taken = tokio::select! {
            taken = listener.accept() => taken,
            _ = over.changed() => return,
        };
        let Some(carriers) = of.upgrade() else { return };
        match taken {
            Ok((stream, peer)) => {
                let peer = task::canonical_peer(peer);
                if carriers.admit(carriers.clock.now(), peer) {
                    carriers.runtime.spawn(serve(of.clone(), acceptor.clone(), stream, peer));
                }
            }
            // The system has none left, or who asked is gone again.
            Err(_) => tokio::time::sleep(AGAIN_AFTER).await,
        }
    }
}

async fn serve(of: Of, acceptor: TlsAcceptor, stream: TcpStream, peer: SocketAddr) {
    let answered = task::answer(acceptor, stream).await;
    let Some(carriers) = of.upgrade() else { return };
    match answered {
        Ok(stream) => {
            let link = carriers.note_accepted(peer);
            drop(carriers);
            task::serve(of.clone(), link, stream).await;
        }
        Err(error) => carriers.note_failed(peer, error),
    }
    if let Some(carriers) = of.upgrade() {
        carriers.leave(peer);
    }
}

impl Carriers {
    /// Whether another connection from there is taken; it has a place then.
    fn admit(&self, now: Instant, peer: SocketAddr) -> bool {
        let mut book = self.book();
        let (all, network) = (book.accepted.values().sum::<usize>(), Network::of(peer.ip()));
        let of_network = book.accepted.get(&network).copied().unwrap_or_default();
        let may_shake = || self.handshakes.lock().unwrap_or_else(PoisonError::into_inner).take_proven(now, network);
        let admitted = all < CARRIERS_MAX && of_network < CARRIERS_PER_NETWORK && may_shake();
        match admitted {
            true => *book.accepted.entry(network).or_default() += 1,
            false => book.counters.refused += 1,
        }
        admitted
    }

    /// It has gone, and gives up its place.
    fn leave(&self, peer: SocketAddr) {
        let (mut book, network) = (self.book(), Network::of(peer.ip()));
        let left = book.accepted.get(&network).map_or(0, |count| count.saturating_sub(1));
        match left {
            0 => _ = book.accepted.remove(&network),
            left => _ = book.accepted.insert(network, left),
        }
    }

    fn note_accepted(&self, peer: SocketAddr) -> Arc<Link> {
        let mut book = self.book();
        let number = book.take_number();
        let link = Arc::new(Link::new(number, peer, Arc::clone(&self.inboxes), false));
        book.links.insert(number, Arc::clone(&link));
        link
    }

    fn note_failed(&self, peer: SocketAddr, error: CarrierError) {
        self.book().counters.failed += 1;
        self.tell(CarrierEvent::Over { peer, error: Arc::new(error) });
    }
}

#[cfg(test)]
mod tests {
    use tng_endpoint::EXCHANGES_NETWORK_BURST;
    use tokio::runtime::Handle;

    use super::*;

    #[tokio::test]
    async fn who_comes_again_and_again_costs_no_more_handshakes_than_exchanges_by_udp() {
        let carriers = Carriers::new(Handle::current(), None, 1);
        let at = |last| SocketAddr::from(([192, 0, 2, last], 9));
        let comes = |now, last| {
            let admitted = carriers.admit(now, at(last));
            if admitted {
                carriers.leave(at(last));
            }
            admitted
        };
        let admitted = (0..1_000).filter(|_| comes(Instant::ZERO, 1)).count() as u64;
        assert_eq!(admitted, EXCHANGES_NETWORK_BURST);
        assert!(comes(Instant::ZERO, 2), "others have their own");
        assert!(comes(Instant::from_secs(1), 1), "a second later there is more");
    }
}
