//! (being built)

mod ticket;

pub use ticket::{Ticket, TicketError, TicketFull};
