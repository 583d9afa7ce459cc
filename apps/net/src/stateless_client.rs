//! Clients of servers that keep nothing of them (docs/trickles.md, "The client"), each on a socket of its own.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tng_base::{Datagram, Input, Instant, Machine, Transmit};
use tng_stack::{Identity, Target};
use tng_trickles::client::{
    AskError, Client, ClientConfig, ClientError, ClientStats, Event, ObjectError, ObjectId, Options, Policy, Read,
    Replicas,
};
use tng_trickles::set_up::Call;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::runtime::Handle;

use crate::address::local_toward;
use crate::driver::Driver;
use crate::endpoint::random_seed;
use crate::error::BindError;
use crate::lock::{Driven, Shared};
use crate::observer::Observer;
use crate::socket::Socket;

/// A client of servers that keep nothing: each object that it asks for is a [stream](ObjectStream). It goes on over
/// restarts of its servers, and changes of its own address, by itself. See
/// [`Builder::stateless`](crate::Builder::stateless). Cheap to clone; it ends with the last clone and stream.
#[derive(Clone, Debug)]
pub struct StatelessClient(Arc<Door>);

/// Closes the client when nobody has it any more.
struct Door(Arc<Shared<Tasks>>);

/// The machine, and who waits for it.
struct Tasks {
    client: Client,
    /// Those of streams that are there.
    asked: BTreeMap<ObjectId, Asked>,
    ended: Option<ClientError>,
    is_stopped: bool,
    observer: Option<Box<Observer>>,
    /// Where the socket sends from, at first and to the first server, for captures.
    bound: SocketAddr,
}

/// An object that is asked for.
#[derive(Default)]
struct Asked {
    /// Who waits for bytes of it.
    reader: Option<Waker>,
    /// Why it does not come.
    failed: Option<ObjectError>,
}

/// Why an object cannot be read to its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ObjectReadError {
    /// The object does not come.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The client has ended.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Environment: the runtime of the client's driver is gone, or its socket is.
    #[error("the client's driver is gone: its runtime has ended, or its socket failed")]
    Stopped,
}

impl From<ObjectReadError> for io::Error {
    fn from(error: ObjectReadError) -> io::Error {
        io::Error::other(error)
    }
}

/// What of [`Target`] a client without state is told, and who it is.
pub(crate) struct Calling {
    pub(crate) identity: Identity,
    pub(crate) target: Target,
    pub(crate) policy: Policy,
    pub(crate) config: ClientConfig,
    pub(crate) socket: Arc<dyn Socket>,
    pub(crate) observer: Option<Box<Observer>>,
    pub(crate) busy_poll: Duration,
}

impl StatelessClient {
    pub(crate) fn begin(calling: Calling, runtime: &Handle) -> Result<StatelessClient, BindError> {
        let Calling { identity, target, policy, config, socket, observer, busy_poll } = calling;
        let mut bound = socket.local_addr().map_err(BindError::System)?;
        if let Some(remote) = target.addresses.first().filter(|_| observer.is_some()) {
            bound = local_toward(bound, *remote);
        }
        let call = Call { capability: target.capability, ..Call::new(target.eid) };
        let replicas = Replicas::new(target.addresses, policy).ok_or(BindError::NoAddress)?;
        let seed = random_seed().map_err(BindError::System)?;
        let client = Client::connect(config, identity, call, replicas, seed, Instant::ZERO);
        let tasks = Tasks { client, asked: BTreeMap::new(), ended: None, is_stopped: false, observer, bound };
        let shared = Arc::new(Shared::new(tasks));
        runtime.spawn(Driver::new(Arc::clone(&shared), socket).busy_poll(busy_poll));
        Ok(StatelessClient(Arc::new(Door(shared))))
    }

    /// Asks for an object: `bytes` are for the server's application, which may be asked twice. What is asked for before
    /// anything is awaited goes with the first datagram.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn ask(&self, bytes: impl Into<Vec<u8>>, options: Options) -> Result<ObjectStream, AskError> {
        let mut tasks = self.0.0.lock();
        let id = tasks.client.ask(bytes, options)?;
        tasks.asked.insert(id, Asked::default());
        tasks.wake_driver();
        Ok(ObjectStream { client: self.clone(), id, end: None, is_over: false })
    }

    /// Ends it, with all its clones and streams: what its objects have not brought does not come. A server is told, for
    /// which it need not wait.
    pub fn close(&self) {
        let mut tasks = self.0.0.lock();
        tasks.client.close();
        tasks.wake_driver();
    }

    /// What it has done and seen.
    pub fn stats(&self) -> ClientStats {
        self.0.0.lock().client.stats()
    }

    /// Why a trace or capture is not written any more, once. What is written up to now reaches its place.
    pub fn take_observer_failure(&self) -> Option<io::Error> {
        let mut tasks = self.0.0.lock();
        let observer = tasks.observer.as_mut()?;
        observer.flush();
        observer.take_failure()
    }

    /// Why it has ended, if it has.
    pub fn ended(&self) -> Option<ClientError> {
        self.0.0.lock().ended.clone()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let mut tasks = self.0.lock();
        tasks.client.close();
        tasks.wake_driver();
    }
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door").finish_non_exhaustive()
    }
}

/// The bytes of an object, in order. No more is asked for than its reader has room for. Dropped, it is given up.
#[derive(Debug)]
pub struct ObjectStream {
    client: StatelessClient,
    id: ObjectId,
    /// Where it ends, for when the machine has forgotten it.
    end: Option<u64>,
    /// Its end was read.
    is_over: bool,
}

impl ObjectStream {
    /// Where the object ends, once that is known.
    pub fn end(&self) -> Option<u64> {
        self.client.0.0.lock().client.end(self.id).or(self.end)
    }

    /// Reads what has come, at least one byte; 0 at the end.
    ///
    /// # Errors
    /// [`ObjectReadError`].
    pub async fn read(&mut self, out: &mut [u8]) -> Result<usize, ObjectReadError> {
        core::future::poll_fn(|cx| self.poll(cx, out)).await
    }

    /// Reads all that comes, which may be `most` bytes.
    ///
    /// # Errors
    /// As an [`ObjectReadError`]; [`InvalidData`](io::ErrorKind::InvalidData) if it is more.
    pub async fn read_to_end(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        self.take((most as u64).saturating_add(1)).read_to_end(&mut all).await?;
        if all.len() > most { Err(io::ErrorKind::InvalidData.into()) } else { Ok(all) }
    }

    fn poll(&mut self, cx: &Context<'_>, out: &mut [u8]) -> Poll<Result<usize, ObjectReadError>> {
        if self.is_over {
            return Poll::Ready(Ok(0));
        }
        let mut tasks = self.client.0.0.lock();
        self.end = tasks.client.end(self.id).or(self.end);
        if let Some(error) = tasks.asked.get(&self.id).and_then(|asked| asked.failed.clone()) {
            return Poll::Ready(Err(error.into()));
        }
        match tasks.client.read(self.id, out) {
            Read::Bytes(len) => {
                // There is room for more.
                tasks.wake_driver();
                Poll::Ready(Ok(len))
            }
            Read::End => {
                self.is_over = true;
                Poll::Ready(Ok(0))
            }
            // What is not known any more has not ended.
            Read::Blocked | Read::Unknown => match &tasks.ended {
                Some(error) => Poll::Ready(Err(error.clone().into())),
                None if tasks.is_stopped => Poll::Ready(Err(ObjectReadError::Stopped)),
                None => {
                    if let Some(asked) = tasks.asked.get_mut(&self.id) {
                        asked.reader = Some(cx.waker().clone());
                    }
                    Poll::Pending
                }
            },
        }
    }
}

impl AsyncRead for ObjectStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let len = core::task::ready!(self.poll(cx, buf.initialize_unfilled()))?;
        buf.advance(len);
        Poll::Ready(Ok(()))
    }
}

impl Drop for ObjectStream {
    fn drop(&mut self) {
        let mut tasks = self.client.0.0.lock();
        tasks.client.cancel(self.id);
        tasks.asked.remove(&self.id);
        tasks.wake_driver();
    }
}

impl Tasks {
    /// All who wait.
    fn readers(&mut self) -> impl Iterator<Item = Waker> {
        self.asked.values_mut().filter_map(|asked| asked.reader.take())
    }
}

impl Driven for Tasks {
    type Machine = Client;

    fn machine(&mut self) -> &mut Client {
        &mut self.client
    }

    fn handle_event(&mut self, _: Instant, event: <Client as Machine>::Event, wakers: &mut Vec<Waker>) -> usize {
        match event {
            Event::Connected => {}
            Event::Readable(id) | Event::Finished(id) => {
                wakers.extend(self.asked.get_mut(&id).and_then(|asked| asked.reader.take()));
            }
            // Nothing is kept of a stream that was dropped meanwhile.
            Event::Failed(id, error) => {
                if let Some(asked) = self.asked.get_mut(&id) {
                    asked.failed = Some(error);
                    wakers.extend(asked.reader.take());
                }
            }
            Event::Ended(error) => {
                self.ended = Some(error);
                wakers.extend(self.readers());
            }
        }
        1
    }

    fn handle_datagram(&mut self, now: Instant, datagram: Datagram<'_>, _: &mut Vec<Waker>) {
        if let Some(observer) = &mut self.observer {
            observer.arrived(now, &datagram, self.bound);
        }
        self.client.handle_input(now, Input::Datagram(datagram));
    }

    fn handle_leaving(&mut self, now: Instant, transmit: &Transmit, bytes: &[u8]) {
        if let Some(observer) = &mut self.observer {
            observer.leaving(now, transmit, bytes, self.bound);
        }
    }

    fn handle_polled(&mut self, now: Instant, _: &mut Vec<Waker>) -> bool {
        if let Some(observer) = &mut self.observer {
            let (stats, ended) = (self.client.stats(), self.ended.as_ref());
            observer.attend_stateless(|watch| {
                watch.client(now, &stats);
                if let Some(error) = ended {
                    watch.end(now, &error.to_string());
                }
            });
        }
        false
    }

    fn handle_stop(&mut self, wakers: &mut Vec<Waker>) {
        if let Some(observer) = &mut self.observer {
            observer.flush();
        }
        self.is_stopped = true;
        wakers.extend(self.readers());
    }

    fn is_finished(&self) -> bool {
        self.ended.is_some()
    }
}
