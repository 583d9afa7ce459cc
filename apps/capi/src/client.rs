//! A client of servers that keep nothing of it.

use core::mem::MaybeUninit;
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::os::fd::RawFd;
use std::path::Path;

use nix::errno::Errno;
use tng::{Identity, Ticket, TicketError, random_seed};
use tng_base::Instant;
use tng_trickles::client::{
    AskError, Client as Machine, ClientConfig, ClientError, Event as Happened, OBJECTS_MAX, ObjectError, ObjectId,
    Options, Policy, Read, Replicas,
};
use tng_trickles::set_up::Call;

use crate::errno::{Told, of_system};
use crate::events::{Event, MSK_CONNECTED, MSK_ENDED, MSK_FAILED, MSK_FINISHED, MSK_READABLE};
use crate::handles::{HandleError, Handles};
use crate::keys::{self, KeyFileError};
use crate::turns::{Taker, Turns};

/// Why a client is not opened.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Caller: it is no ticket.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// Caller: it names no address.
    #[error("the ticket names no address: ask for one with --address")]
    NoAddress,
    /// The file of the client's identity.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// Environment: no socket, or no random numbers.
    #[error("opening a socket: {0}")]
    System(#[from] io::Error),
}

impl Told for ConnectError {
    fn errno(&self) -> Errno {
        match self {
            ConnectError::Ticket(_) | ConnectError::NoAddress => Errno::EINVAL,
            ConnectError::File(error) => error.errno(),
            ConnectError::System(error) => of_system(error),
        }
    }
}

/// Why nothing is read of an object.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    /// The handle.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// Nothing has come yet.
    #[error("nothing has come yet: msk_poll says when, with MSK_READABLE")]
    Blocked,
    /// The object does not come. Its handle is gone.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The client has ended. The handle is gone.
    #[error(transparent)]
    Client(#[from] ClientError),
}

impl Told for ReceiveError {
    fn errno(&self) -> Errno {
        match self {
            ReceiveError::Handle(error) => error.errno(),
            ReceiveError::Blocked => Errno::EAGAIN,
            ReceiveError::Object(error) => error.errno(),
            ReceiveError::Client(error) => error.errno(),
        }
    }
}

/// What has become of the client, and waits for the program.
#[derive(Debug, Default)]
struct News(VecDeque<Happened>);

impl Taker<Machine> for News {
    fn take(&mut self, event: Happened) {
        self.0.push_back(event);
    }

    fn has_some(&self, _: &Machine) -> bool {
        !self.0.is_empty()
    }
}

/// An object that is asked for.
#[derive(Debug)]
struct Object {
    id: ObjectId,
    /// Why it does not come.
    failed: Option<ObjectError>,
}

/// A client.
#[derive(Debug)]
pub struct Client {
    turns: Turns<Machine>,
    news: News,
    objects: Handles<Object>,
    handles: BTreeMap<ObjectId, u64>,
    ended: Option<ClientError>,
}

impl Client {
    /// Opens a client of the servers that a ticket names; `key` is the file of its identity, or it has a new one.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub fn connect(ticket: &str, key: Option<&Path>) -> Result<Client, ConnectError> {
        let ticket: Ticket = ticket.trim().parse()?;
        let identity = match key {
            Some(key) => keys::identity(key)?,
            None => Identity::from_seed(random_seed()?),
        };
        let capability = Some(ticket.capability().to_vec()).filter(|capability| !capability.is_empty());
        let call = Call { capability, ..Call::new(ticket.eid()) };
        let replicas = Replicas::new(ticket.addresses().to_vec(), Policy::Stay).ok_or(ConnectError::NoAddress)?;
        let seed = random_seed()?;
        let machine = Machine::connect(ClientConfig::default(), identity, call, replicas, seed, Instant::ZERO);
        let any = SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0));
        Ok(Client {
            turns: Turns::new(any, || machine)?,
            news: News::default(),
            objects: Handles::new(OBJECTS_MAX),
            handles: BTreeMap::new(),
            ended: None,
        })
    }

    /// The descriptor to wait for.
    pub fn number(&self) -> RawFd {
        self.turns.number()
    }

    /// Asks for an object, for which `reserve` bytes of the row are set aside at first; 0 for as many as usual.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn request(&mut self, request: &[u8], reserve: u64) -> Result<u64, AskError> {
        let usual = Options::default();
        let options = Options { reserve: if reserve == 0 { usual.reserve } else { reserve }, ..usual };
        if self.objects.len() >= OBJECTS_MAX {
            return Err(AskError::TooMany);
        }
        let id = self.turns.machine_mut().ask(request, options)?;
        let handle = self.objects.insert(Object { id, failed: None }).map_err(|_| AskError::TooMany)?;
        self.handles.insert(id, handle);
        Ok(handle)
    }

    /// Sends what there is to send, and waits so long (`None`: as long as it takes) for something to happen. Answers
    /// how many events there are.
    ///
    /// # Errors
    /// What the system answers; `Interrupted` if a signal came.
    pub fn poll(&mut self, out: &mut [MaybeUninit<Event>], timeout: Option<Duration>) -> io::Result<usize> {
        let timeout = if self.news.0.is_empty() { timeout } else { Some(Duration::ZERO) };
        self.turns.run(timeout, &mut self.news)?;
        let mut count = 0;
        while count < out.len()
            && let Some(happened) = self.news.0.pop_front()
        {
            if let Some(event) = self.told(happened) {
                out[count].write(event);
                count += 1;
            }
        }
        Ok(count)
    }

    /// An event, unless it is of an object that the program has given up.
    fn told(&mut self, happened: Happened) -> Option<Event> {
        let handle = |id| self.handles.get(&id).copied();
        Some(match happened {
            Happened::Connected => Event::of_client(MSK_CONNECTED, 0),
            Happened::Readable(id) => Event::of_client(MSK_READABLE, handle(id)?),
            Happened::Finished(id) => Event::of_client(MSK_FINISHED, handle(id)?),
            Happened::Failed(id, error) => {
                let handle = handle(id)?;
                self.objects.get(handle).ok()?.failed = Some(error);
                Event::of_client(MSK_FAILED, handle)
            }
            Happened::Ended(error) => {
                self.ended = Some(error);
                Event::of_client(MSK_ENDED, 0)
            }
        })
    }

    /// Reads bytes of an object, in order: at least one, or 0 at its end. Then, and after an error that is not
    /// [`ReceiveError::Blocked`], its handle is gone.
    ///
    /// # Errors
    /// [`ReceiveError`].
    pub fn receive(&mut self, object: u64, out: &mut [u8]) -> Result<usize, ReceiveError> {
        let Object { id, failed } = self.objects.get(object)?;
        let (id, failed) = (*id, failed.clone());
        let read = self.turns.machine_mut().read(id, out);
        let why = match (read, failed, &self.ended) {
            (Read::Bytes(len), ..) => return Ok(len),
            (Read::End, ..) => {
                self.forget(object, id);
                return Ok(0);
            }
            (Read::Blocked | Read::Unknown, Some(error), _) => error.into(),
            (Read::Blocked | Read::Unknown, None, Some(ended)) => ended.clone().into(),
            (Read::Blocked | Read::Unknown, None, None) => return Err(ReceiveError::Blocked),
        };
        self.forget(object, id);
        Err(why)
    }

    /// Gives an object up.
    ///
    /// # Errors
    /// [`HandleError`].
    pub fn cancel(&mut self, object: u64) -> Result<(), HandleError> {
        let id = self.objects.get(object)?.id;
        self.turns.machine_mut().cancel(id);
        self.forget(object, id);
        Ok(())
    }

    fn forget(&mut self, object: u64, id: ObjectId) {
        // It was looked at before.
        let _ = self.objects.take(object);
        self.handles.remove(&id);
    }

    /// Ends, and tells a server so, which only a hint is.
    pub fn close(&mut self) {
        self.turns.machine_mut().close();
        // What cannot leave at once does not.
        let _ = self.turns.run(Some(Duration::ZERO), &mut self.news);
    }
}
