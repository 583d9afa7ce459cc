//! tng for programs: connections to hosts known by their keys, and streams on them, over UDP, on tokio.
//!
//! * [`Endpoint`]: one identity on one socket; [connects](Endpoint::connect) and [accepts](Endpoint::accept).
//! * [`Connection`]: to one peer, which has proven its key; [opens](Connection::open) and [accepts](Connection::accept)
//!   streams.
//! * [`Stream`], [`SendStream`], [`RecvStream`]: bytes, as tokio's `AsyncRead` and `AsyncWrite` too; streams fork into
//!   [substreams](Stream::open_substream).
//! * [`Ticket`]: how to reach a host, as one word.
//! * [`Driver`], [`Socket`]: drive any other machine over UDP.
//!
//! ```
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use tng::{Access, Endpoint, ServiceOptions, Target};
//!
//! let server = Endpoint::builder()
//!     .bind("127.0.0.1:0".parse()?)
//!     .access(Access::Public)
//!     .listen("greeting", "text", ServiceOptions::default())
//!     .build()
//!     .await?;
//! let target = Target { eid: server.eid(), addresses: server.local_addresses(), capability: None };
//! tokio::spawn(async move {
//!     let peer = server.accept().await.ok_or("closed")?.accept().await?;
//!     let mut stream = peer.accept().await?.stream;
//!     stream.write_all(b"hello").await?;
//!     stream.finish().await?;
//!     Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
//! });
//!
//! let client = Endpoint::builder().build().await?;
//! let connection = client.connect(target).await?;
//! let mut stream = connection.open("greeting", "text").await?;
//! assert_eq!(stream.read_to_end(100).await?, b"hello");
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(example()).unwrap();
//! ```
#![deny(unsafe_code)]

mod address;
mod connection;
mod driver;
mod endpoint;
mod error;
mod events;
#[cfg(test)]
mod faulty;
mod hub;
mod incoming;
mod lock;
mod outbox;
mod path;
mod socket;
mod stream;
mod ticket;

pub use connection::{Connecting, Connection, LINGER_MAX};
pub use driver::{Driver, RECEIVE_ERRORS_MAX, RECEIVE_PAUSE};
pub use endpoint::{Builder, Endpoint, random_seed};
pub use error::{
    AcceptError, AddPathError, BindError, CloseCause, ConnectError, ConnectionError, NotConnected, OpenError,
    ReadError, SendDatagramError, SubstreamError, WriteError,
};
pub use events::{ConnectionEvent, EVENTS_KEPT, Events};
pub use incoming::{Incoming, IncomingStream};
pub use lock::{Clock, Driven, Locked, Shared};
pub use outbox::{SEGMENTATION_STRIKES, SEND_BATCHES, SendCounters};
pub use socket::{RECEIVE_BATCH, RECEIVE_BUFFER, Received, SEND_MAX, SOCKET_BUFFER, Socket, UdpSocket};
pub use stream::{RecvStream, SendStream, Stream};
pub use ticket::{Ticket, TicketError, TicketFull};
pub use tng_base::{Ecn, Eid, PathCondition, Transmit};
pub use tng_stack::structured::{Priority, ServiceOptions, Stats as StreamStats, StreamId};
pub use tng_stack::{Access, Cipher, ConnectionStats, HostConfig, Identity, Keep, PathId, PathStats, Target, Usid};
