//! tng for programs: connections to hosts known by their keys, and streams on them, over UDP, on tokio.
//!
//! # Five minutes
//!
//! ## A server, a client, a request
//!
//! A host is its public key, its [`Eid`]. A client that connects proves a key of its own, and the server says who may:
//! [`Access`] has no default that lets anybody in. A server [serves](Endpoint::serve) by name and function, and clients
//! [ask](Connection::request).
//!
//! ```
//! # async fn tour() -> Result<(), Box<dyn std::error::Error>> {
//! use tng::{Access, Endpoint, Request};
//!
//! let server = Endpoint::builder().bind("127.0.0.1:0".parse()?).access(Access::Public).build().await?;
//! server.serve("shout", async |request: Request| request.body().to_ascii_uppercase())?;
//! let ticket = server.ticket()?;
//!
//! let client = Endpoint::builder().build().await?;
//! let connection = client.connect(&ticket).await?;
//! assert_eq!(connection.request("shout", "hello").await?, "HELLO");
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(tour()).unwrap();
//! ```
//!
//! Many requests at once share packets, and none waits for another, as long as they are no more than the
//! [streams](Builder::streams_max) that the peer allows. Each may have a [priority](Requesting::priority) and a
//! [deadline](Requesting::deadline), and one whose future is dropped is taken back.
//!
//! ## A stream
//!
//! What is no single question is a stream: bytes both ways, for as long as both like. Streams are for services, too, by
//! name and protocol.
//!
//! ```
//! # async fn tour() -> Result<(), Box<dyn std::error::Error>> {
//! use tng::{Access, Endpoint, ServiceOptions};
//!
//! let server = Endpoint::builder()
//!     .bind("127.0.0.1:0".parse()?)
//!     .access(Access::Public)
//!     .listen("greeting", "text", ServiceOptions::default())
//!     .build()
//!     .await?;
//! let ticket = server.ticket()?;
//! tokio::spawn(async move {
//!     let peer = server.accept().await.ok_or("closed")?.accept().await?;
//!     let mut stream = peer.accept().await?.stream;
//!     stream.write_all(b"hello").await?;
//!     stream.finish().await?;
//!     Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
//! });
//!
//! let client = Endpoint::builder().build().await?;
//! let connection = client.connect(&ticket).await?;
//! let mut stream = connection.open("greeting", "text").await?;
//! assert_eq!(stream.read_to_end(100).await?, b"hello");
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(tour()).unwrap();
//! ```
//!
//! A [`Ticket`] is one word to paste that says who a host is, where, and what opens its door; [`Target`] is the same
//! for programs. A client in a hurry [dials](Endpoint::dial), opens and writes before it awaits the connection: all of
//! it goes with the first packet. With [`Access::Tickets`] the host's door is opened by tickets alone, each
//! [issued](Endpoint::issue) for a time and [taken back](Endpoint::revoke) at any moment; who came in with it is then
//! shown out.
//!
//! ## What a stream can do
//!
//! A [`Stream`] is two halves, which [split](Stream::split) and are tokio's `AsyncWrite` and `AsyncRead` too.
//! [`finish`](SendStream::finish) resolves when the peer's host has everything, so it is safe to go away after it. What
//! is dropped unfinished never looks whole: the peer's reader gets [`ReadError::Reset`].
//! [Messages](SendStream::write_message) keep their bounds, and [`read_chunk`](RecvStream::read_chunk) hands bytes out
//! without copying them.
//!
//! ```
//! # async fn tour() -> Result<(), Box<dyn std::error::Error>> {
//! # use tng::{Access, Endpoint, ServiceOptions};
//! # let server = Endpoint::builder().bind("127.0.0.1:0".parse()?).access(Access::Public);
//! # let server = server.listen("log", "lines", ServiceOptions::default()).build().await?;
//! # let ticket = server.ticket()?;
//! # let client = Endpoint::builder().build().await?;
//! # let answer = async { server.accept().await.unwrap().accept().await.unwrap() };
//! # let (ours, theirs) = tokio::join!(client.connect(&ticket), answer);
//! # let ours = ours?;
//! let (mut send, _recv) = ours.open("log", "lines").await?.split();
//! send.write_message(b"started").await?;
//! send.write_message(b"stopped, and nobody knows why").await?;
//! send.finish().await?;
//!
//! let mut log = theirs.accept().await?.stream;
//! assert_eq!(log.read_message(100).await?.as_deref(), Some(&b"started"[..]));
//! assert_eq!(log.read_chunk(7).await?.as_deref(), Some(&b"stopped"[..]));
//! assert_eq!(log.read_to_end(1_000).await?, b", and nobody knows why");
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(tour()).unwrap();
//! ```
//!
//! ## Substreams and datagrams
//!
//! A stream forks: either side [opens a substream](Stream::open_substream) of it, at no cost in round trips, and the
//! other side [accepts](Stream::accept_substream) it there. So a reply of many parts, or one conversation of many,
//! needs no numbering and no framing. A [datagram](Stream::send_datagram) is a substream in one call: whole or not at
//! all, of any size, sent once or again by what it would cost to lose it, and dropped when its lifetime is over before
//! it could leave.
//!
//! ```
//! # async fn tour() -> Result<(), Box<dyn std::error::Error>> {
//! # use tng::{Access, Endpoint, ServiceOptions};
//! # use std::time::Duration;
//! # let options = ServiceOptions { substreams: true, ..ServiceOptions::default() };
//! # let server = Endpoint::builder().bind("127.0.0.1:0".parse()?).access(Access::Public);
//! # let server = server.listen("page", "text", options).listen("game", "positions", options).build().await?;
//! # let ticket = server.ticket()?;
//! # let client = Endpoint::builder().build().await?;
//! # let answer = async { server.accept().await.unwrap().accept().await.unwrap() };
//! # let (ours, theirs) = tokio::join!(client.connect(&ticket), answer);
//! # let ours = ours?;
//! // The services were offered with `ServiceOptions { substreams: true, .. }`: their streams take substreams from the
//! // start.
//! let page = ours.open("page", "text").await?;
//! let mut photo = page.open_substream().await?;
//! photo.write_all(b"a photo").await?;
//! photo.finish().await?;
//!
//! let page = theirs.accept().await?.stream;
//! assert_eq!(page.accept_substream().await?.read_to_end(100).await?, b"a photo");
//!
//! let game = ours.open("game", "positions").await?;
//! game.send_datagram(b"x 3, y 4", Some(Duration::from_millis(100)))?;
//!
//! let game = theirs.accept().await?.stream;
//! assert_eq!(game.recv_datagram().await?, b"x 3, y 4"[..]);
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(tour()).unwrap();
//! ```
//!
//! ## Who goes first
//!
//! Streams share the path by [`Priority`]: higher levels first, always; by weight within a level; a stream and its
//! substreams share what their parent gets. Either end changes it at any time, [the writer](SendStream::set_priority)
//! at once, [the reader](RecvStream::request_priority) by asking.
//!
//! ```
//! # async fn tour() -> Result<(), Box<dyn std::error::Error>> {
//! # use tng::{Access, Endpoint, ServiceOptions};
//! # let server = Endpoint::builder().bind("127.0.0.1:0".parse()?).access(Access::Public);
//! # let server = server.listen("films", "bytes", ServiceOptions::default()).build().await?;
//! # let ticket = server.ticket()?;
//! # let client = Endpoint::builder().build().await?;
//! # let answer = async { server.accept().await.unwrap().accept().await.unwrap() };
//! # let (ours, _theirs) = tokio::join!(client.connect(&ticket), answer);
//! # let ours = ours?;
//! use tng::Priority;
//!
//! let film = ours.open("films", "bytes").await?;
//! film.request_priority(Priority { level: Some(1), weight: 32 });
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(tour()).unwrap();
//! ```
//!
//! ## Moving about
//!
//! A connection belongs to two keys, not to two addresses. It survives that its endpoint [moves](Endpoint::rebind),
//! uses [several paths](Connection::add_path) at once, and is [kept](Connection::keep_for) while the peer is away;
//! streams need not notice. Who wants to know follows its [events](Connection::events).
//!
//! ```
//! # async fn tour() -> Result<(), Box<dyn std::error::Error>> {
//! # use tng::{Access, Endpoint, ServiceOptions};
//! # let server = Endpoint::builder().bind("127.0.0.1:0".parse()?).access(Access::Public);
//! # let server = server.listen("backup", "bytes", ServiceOptions::default()).build().await?;
//! # let ticket = server.ticket()?;
//! # let client = Endpoint::builder().bind("127.0.0.1:0".parse()?).build().await?;
//! # let answer = async { server.accept().await.unwrap().accept().await.unwrap() };
//! # let (ours, theirs) = tokio::join!(client.connect(&ticket), answer);
//! # let ours = ours?;
//! use tng::ConnectionEvent;
//!
//! let mut backup = ours.open("backup", "bytes").await?;
//! let mut events = theirs.events();
//! backup.write_all(b"before, ").await?;
//! client.rebind("127.0.0.1:0".parse()?)?;
//! backup.write_all(b"after").await?;
//! backup.finish().await?;
//!
//! assert_eq!(theirs.accept().await?.stream.read_to_end(100).await?, b"before, after");
//! assert!(matches!(events.next().await, Some(ConnectionEvent::Moved { remote, .. }) if remote ==
//! client.local_addr()));
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(tour()).unwrap();
//! ```
//!
//! ## When it goes wrong
//!
//! Every operation has an error type of its own, whose variants say whose fault it is and whose text says what to do.
//! All of them turn into [`std::io::Error`]. A connection that ends says why: [`Connection::closed`]. What has arrived
//! by then can still be read.
//!
//! # Where to look
//!
//! * [`Endpoint`], [`Builder`]: identity, access, services, limits, timeouts, congestion control.
//! * [`Connection::request`], [`Endpoint::serve`]: requests, and functions that answer them.
//! * [`Incoming`]: a peer that asks to come in: accept it, refuse it, or make it show its address first.
//! * [`Connection`]: streams, [figures](Connection::stats), [paths](Connection::paths),
//!   [keying material](Connection::export_keying_material) for other protocols.
//! * [`Builder::register`] (with a whole protocol as its example), [`Endpoint::connect_speaking`], [`Speaking`]:
//!   protocols beside structured streams, on the same connections: helped, moved, resumed.
//! * [`Driver`], [`Socket`]: drive any other machine over UDP, or tng over something that is not a kernel socket.
//! * The examples of this crate: `cargo run -p tng --example` `requests`, `echo`, `substreams`, `datagrams`,
//!   `priorities`, `move_host`, `chat`, `bulk`.
//! * Who knows TAPS (RFC 9622) finds its terms in docs/taps.md.
#![forbid(unsafe_code)]

mod address;
mod builder;
#[cfg(feature = "carrier")]
pub mod carrier;
#[cfg(feature = "guests")]
mod code;
mod connection;
mod driver;
mod endpoint;
mod error;
mod events;
#[cfg(test)]
mod faulty;
mod guest;
mod handover;
pub mod help;
mod hub;
mod incoming;
mod lock;
mod observer;
mod outbox;
mod path;
mod pipe;
pub mod registry;
pub mod relay;
mod repertoire;
mod request;
mod serve;
mod socket;
mod speaking;
mod stateless;
mod stateless_client;
mod stateless_guest;
mod stream;
#[cfg(feature = "guests")]
mod supply;
mod sync;
mod threads;
mod ticket;

/// What a program needs to bring a protocol of its own, beside structured streams: [`Builder::register`].
pub mod semantic {
    pub use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, PathCondition, Protocol, Semantic, Taken, Violation};
    pub use tng_stack::{BadProtocol, FactoryError, PROTOCOL, Proposal, ProtocolFault};
}

/// What a program needs to serve clients that keep everything themselves, and to be one: [`Builder::serve_stateless`],
/// [`Builder::stateless`].
pub mod trickles {
    pub use tng_trickles::client::{
        AskError, ClientConfig, ClientError, ClientStats, OBJECTS_MAX, ObjectError, Options as ObjectOptions, Policy,
    };
    pub use tng_trickles::minisocket::{Answer, Application, Asked, Client, Event};
    pub use tng_trickles::replay::{BloomSize, HandedError};
    pub use tng_trickles::server::{
        CacheConfig, CachesCounts, FilterConfig, PARSES_KEPT_FOR, Refused, ServerConfig, ServerStats,
    };
    pub use tng_trickles::set_up::DialError;
    pub use tng_trickles::wire::{Bytes, Fault, Ranges};
    pub use tng_trickles::{
        Cache, CacheCounts, ClientNetwork, EPOCH, EpochSecret, EpochSecrets, Kept, KeysError, RotationPending, Rtt,
        SKEW_MAX, STATE_LEN_MAX, Site, Wall,
    };
}

/// What a program needs to bring transports of its own: [`Builder::transport`].
pub mod stp {
    pub use tng_base::{CODE_HASH_LEN, CodeHash, NoCodeHash};
    pub use tng_crypto::code_hash;
    pub use tng_stack::{Asked, TransportAnswer, TransportOffer};
    pub use tng_stp_abi::{
        Arrived, Guest, Host, Info, Kind, Receipts, Refused, Role, Route, SocketKind, TIMER_SEND, TIMERS_MAX,
        UserRequest,
    };
    pub use tng_stp_host::{
        Advised, Advisor, AdvisorAccount, AdvisorTotal, Advisors, Cap, Code, Denials, End, Fault, Figures,
        GUEST_PREFIX, Instance, Life, Maker, Native, NativeAdvisor, Policed, Policer, PolicerConfig, Quotas, Shim,
        Signal, Socket, State, Traffic, Transport, Usage, WriteError,
    };
    /// The policy manager: what may run here, and what is kept.
    #[cfg(feature = "guests")]
    pub use tng_stp_manager as manager;
    pub use tng_stp_receiver::{ReceiverError, quotas as receiver_quotas};
    #[cfg(feature = "guests")]
    pub use tng_stp_sandbox::{
        BUILT_IN, BuiltIn, CompiledError, CompiledKey, Engine, EngineError, Module, ModuleError, RECEIVERS, TextError,
        built_in, text,
    };

    /// Guests in processes of their own, for code that nobody vouches for: `Supply::new` takes what starts them, and
    /// the program that they run calls `serve` first.
    #[cfg(feature = "guests")]
    pub mod process {
        pub use tng_stp_process::{Nursery, PROCESSES_MAX, Processes, Program, StartError, serve};
    }

    /// Code on its way between hosts: `Endpoint::serve_code`, and what asks there.
    #[cfg(feature = "guests")]
    pub mod shipping {
        pub use crate::code::{
            CodeError, FETCH_WITHIN, PUSH_WITHIN, TRANSFERS_MAX, TRANSFERS_PER_CONNECTION_MAX, fetch_code, fetch_text,
            push_code,
        };
        pub use tng_services::code::{
            Allowance, Code, DayLimits, Declined, FetchError, Form, MANIFEST_MAX, MODULE_MAX, Offer, PROTOCOL, Part,
            PushError, SERVICE, Shelf, TooLarge, UnpackError,
        };
    }

    #[cfg(feature = "guests")]
    pub use crate::supply::{
        ASKED_REMEMBERED, Application, Directory, FindingHost, FollowUpError, FollowedUp, HostError, HostsError,
        KEEPS_UP_EVERY, NotOffered, PEER_SENDS_WITHIN, PORTS_REMEMBERED, PrepareError, SOUGHT_AGAIN_AFTER, SOUGHT_MAX,
        SOUGHT_OF_PEER_MAX, Shipped, Supply, WISHES_WAITING_MAX, WRITES_DOWN_EVERY,
    };
}

/// What a program needs to bring a congestion controller of its own: [`Builder::controllers`].
pub use tng_congestion as congestion;

pub use address::{local_addresses, on_every_link, shown_address, told_addresses};
pub use builder::{Builder, DEFAULT_CONTROLLER, THREADS_MAX, place_of};
pub use connection::{Connecting, Connection, LINGER_MAX};
pub use driver::{Driver, ENTROPY_RETRY_AFTER, Inbox, RECEIVE_ERRORS_MAX, RECEIVE_PAUSE};
pub use endpoint::{Endpoint, TIME_TOLD_EVERY, random_seed};
pub use error::{
    AcceptError, AddPathError, BindError, CloseCause, ConnectError, ConnectionError, IssueError, NotConnected,
    OpenError, ReadError, RequestError, SendDatagramError, SubstreamError, WriteError,
};
pub use events::{ConnectionEvent, EVENTS_KEPT, Events};
pub use guest::{GUESTS_OF_PEER_MAX, GuestAccount, GuestConnectError, GuestConnection, GuestError};
pub use hub::{GUESTS_KEPT, HANDED_OVER_MAX, HandedCounters, REQUESTS};
pub use incoming::{Incoming, IncomingStream};
pub use lock::{Clock, Driven, Locked, Shared};
pub use outbox::{Outbox, SEGMENTATION_STRIKES, SEND_BATCHES, SendCounters};
pub use pipe::{Carrier, NoStream, Pipe, PipeError, PipeRecv, PipeSend};
pub use repertoire::{Confinement, Repertoire, Terms, TransportPolicy, WhatIsHere};
pub use request::{ANSWER_MAX, AnswerStream, Requesting};
pub use serve::{Answer, CODE_MAX, PANICKED, Request, ServeOptions, TOO_LONG, TOO_SLOW};
#[cfg(unix)]
pub use socket::PolledSocket;
pub use socket::{RECEIVE_BATCH, RECEIVE_BUFFER, Received, SEND_MAX, SOCKET_BUFFER, Socket, UdpSocket};
pub use speaking::Speaking;
pub use stateless::StatelessService;
pub use stateless_client::{ObjectReadError, ObjectStream, StatelessClient};
pub use stateless_guest::{GuestDownload, GuestDownloadError};
pub use stream::{RecvStream, SendStream, Stream};
pub use threads::Bound;
pub use ticket::{Ticket, TicketError, TicketFull, TicketPart};
pub use tng_base::{CodeHash, Ecn, Eid, PathCondition, PeerText, Transmit, Unreachable};
pub use tng_crypto::Secret32;
pub use tng_endpoint::is_carried;
pub use tng_stack::structured::{FirstData, Priority, ServiceOptions, Stats as StreamStats, StreamId};
pub use tng_stack::{
    Access, Capability, CapabilityKey, Carried, Cipher, ConnectionStats, ExchangeLimits, Helpers, HelpersInPath,
    HostConfig, Identity, Introduction, KEPT_FOR, Keep, ListedTicket, MEMORY_MAX, Mapping, MemoryShares, Negotiation,
    PathId, PathStats, PathTaken, Rate, Refusal, Relayed, Settled, Sign, Stop, TRANSPORTS_MAX, Target, TicketFlaw,
    TicketId, Tickets, UNREACHABLE_AFTER, Usid, Via, WAIT_TOLD_AFTER, WISHED_NAME_LEN_MAX, WISHED_QUEUE_TIME_MAX, Wait,
    Wishes,
};
