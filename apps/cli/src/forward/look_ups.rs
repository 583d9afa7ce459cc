//! Names that are looked up for peers, on threads of their own: a name server may be silent for half a minute, and a
//! peer that asks for such names must hold up neither other peers nor disks.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread;

use tng_services::forward::Destination;
use tokio::sync::{Semaphore, oneshot};

use super::ADDRESSES_MAX;

/// Names looked up at once, each on a thread, for all peers together.
pub const LOOK_UPS_MAX: usize = 128;
/// The same for one connection with a peer.
pub const LOOK_UPS_PER_PEER_MAX: usize = 2;

/// Leave to look names up.
#[derive(Debug)]
pub struct LookUps {
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
}

impl Default for LookUps {
    fn default() -> LookUps {
        LookUps::beside(&Arc::new(Semaphore::new(LOOK_UPS_MAX)))
    }
}

impl LookUps {
    fn beside(all: &Arc<Semaphore>) -> LookUps {
        LookUps { own: Arc::new(Semaphore::new(LOOK_UPS_PER_PEER_MAX)), all: Arc::clone(all) }
    }

    /// The leave of another peer of the same host.
    #[must_use]
    pub fn of_another(&self) -> LookUps {
        LookUps::beside(&self.all)
    }

    /// Finds addresses of a destination, [`ADDRESSES_MAX`] at most.
    ///
    /// # Errors
    /// What the system says.
    pub async fn look_up(&self, to: &Destination) -> io::Result<Vec<SocketAddr>> {
        if let Ok(ip) = to.host().parse() {
            return Ok(vec![SocketAddr::new(ip, to.port())]);
        }
        let (host, port) = (to.host().to_owned(), to.port());
        let work = move || (host.as_str(), port).to_socket_addrs().map(|found| found.take(ADDRESSES_MAX).collect());
        self.on_a_thread(work).await?
    }

    /// Does `work` when there is leave. That lasts as long as the work, even if nobody waits for it any more.
    async fn on_a_thread<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        // Never closed. First its own, so that who waits keeps none from others.
        let own = Arc::clone(&self.own).acquire_owned().await;
        let leave = (own, Arc::clone(&self.all).acquire_owned().await);
        let (tell, told) = oneshot::channel();
        thread::Builder::new().name("look-up".to_owned()).spawn(move || {
            // Nobody may be left to be told.
            let _ = tell.send(work());
            drop(leave);
        })?;
        told.await.map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;
    use crate::DISK_THREADS_MAX;

    #[tokio::test]
    async fn a_peer_whose_names_nobody_answers_for_holds_up_no_other_and_no_disk() {
        let (slow, begun) = (Arc::new(LookUps::default()), Arc::new(AtomicUsize::new(0)));
        let honest = slow.of_another();
        let mut answers = Vec::new();
        let asking: Vec<_> = (0..2 * DISK_THREADS_MAX)
            .map(|_| {
                let (answer, silence) = mpsc::channel::<()>();
                answers.push(answer);
                let (slow, begun) = (Arc::clone(&slow), Arc::clone(&begun));
                tokio::spawn(async move {
                    let work = move || {
                        begun.fetch_add(1, Ordering::Relaxed);
                        silence.recv().is_err()
                    };
                    slow.on_a_thread(work).await
                })
            })
            .collect();
        let patience = Duration::from_secs(20);
        assert_eq!(timeout(patience, honest.on_a_thread(|| 7)).await.expect("at once").expect("a thread"), 7);
        let disk = tokio::task::spawn_blocking(|| 8);
        assert_eq!(timeout(patience, disk).await.expect("at once").expect("a thread"), 8);
        // Control: with the leave of the same peer it waits.
        assert!(timeout(Duration::from_millis(500), slow.on_a_thread(|| 9)).await.is_err());
        assert_eq!(begun.load(Ordering::Relaxed), LOOK_UPS_PER_PEER_MAX);
        drop(answers);
        for asking in asking {
            assert!(asking.await.expect("it ends").expect("a thread"));
        }
    }

    #[tokio::test]
    async fn leave_comes_back_when_the_work_ends_and_not_when_nobody_waits_for_it() {
        let (one, (answer, silence)) = (LookUps::default(), mpsc::channel::<()>());
        let work = move || silence.recv().is_err();
        assert!(timeout(Duration::from_millis(100), one.on_a_thread(work)).await.is_err());
        assert_eq!(one.own.available_permits(), LOOK_UPS_PER_PEER_MAX - 1);
        drop(answer);
        let all = one.own.acquire_many(LOOK_UPS_PER_PEER_MAX as u32);
        drop(timeout(Duration::from_secs(20), all).await.expect("soon").expect("never closed"));
    }

    #[tokio::test]
    async fn an_address_needs_no_looking_up_and_a_name_has_few() {
        let one = LookUps::default();
        let to = |host: &str| Destination::new(host, 7).expect("a destination");
        let found = one.look_up(&to("127.0.0.1")).await.expect("an address");
        assert_eq!(found, [SocketAddr::from(([127, 0, 0, 1], 7))]);
        assert!(one.look_up(&to("localhost")).await.is_ok_and(|found| (1..=ADDRESSES_MAX).contains(&found.len())));
    }
}
