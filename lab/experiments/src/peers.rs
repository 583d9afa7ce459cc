//! Who meets in a world, apart from the flows of a scenario: peers over every transport, and the worlds in which they
//! are compared.
//!
//! * [`contest`]: bulk transfers over tng, the reference TCP and guests through one bottleneck.
//! * [`exchange`]: requests and answers over TCP, SST, QUIC and Trickles; [`web`] has pages to ask for.
//! * [`helped`]: chains of routers with helpers beside them, and flows over parts of it.
//! * [`introduced`]: two hosts behind NATs that are introduced to each other.
//! * [`tunnelled`]: connections of the reference TCP in a tunnel between two helpers.
//! * [`guests`]: guests as parties, and how they are tried.
//! * `shipping`: hosts between which transports travel.
//! * [`quic`]: QUIC as a party of simulated worlds.
//! * `transport`: what transports with plain streams have in common; `downloads`: downloads of several processes from
//!   one host; `trial`: one transfer in real time.

pub mod carried;
pub mod contest;
pub(crate) mod downloads;
pub mod exchange;
pub mod guests;
pub mod helped;
pub mod introduced;
pub mod quic;
#[cfg(feature = "guests")]
pub mod shipping;
pub(crate) mod transport;
pub(crate) mod trial;
pub mod tunnelled;
pub mod web;
