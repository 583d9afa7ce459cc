//! tng for programs: an async API over real UDP sockets.
#![deny(unsafe_code)]

mod driver;
#[cfg(test)]
mod faulty;
mod lock;
mod outbox;
mod socket;
mod ticket;

pub use driver::{Driver, RECEIVE_ERRORS_MAX, RECEIVE_PAUSE};
pub use lock::{Clock, Driven, Locked, Shared};
pub use outbox::{SEGMENTATION_STRIKES, SEND_BATCHES, SendCounters};
pub use socket::{RECEIVE_BATCH, RECEIVE_BUFFER, Received, SEND_MAX, SOCKET_BUFFER, Socket, UdpSocket};
pub use ticket::{Ticket, TicketError, TicketFull};
