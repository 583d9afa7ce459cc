//! Transports of messages in Table 1 of STP, each as a guest, and one that is not there: media with parity.
//!
//! TFRC, RAP and DCCP send a message once ([`Datagrams`]) and differ in the [`Pace`]. SCTP and T/TCP send it until it
//! has arrived.
#![forbid(unsafe_code)]

extern crate alloc;

mod books;
mod clock;
mod dccp;
mod media;
mod once;
mod pace;
mod rap;
mod reports;
mod sctp;
mod tfrc;
mod transactions;

pub use books::{LOST_BEHIND, Left};
pub use dccp::{CALL_CCID, Ccid};
pub use media::{CALL_DEADLINE, DEADLINE_MS, GROUP, Media};
pub use once::Datagrams;
pub use pace::{News, Pace, Turn};
pub use rap::Additive;
pub use sctp::{STREAMS, Sctp};
pub use tfrc::{ByReceiver, BySender};
pub use transactions::Transactions;

/// TFRC (RFC 3448): the receiver counts loss events, and the sender sends at the rate that TCP would have.
pub type Tfrc = Datagrams<ByReceiver>;
/// RAP (Rejaie, Handley and Estrin 1999): a packet a round trip more in each, and half the rate after a loss.
pub type Rap = Datagrams<Additive>;
/// DCCP with CCID 2 or 3 (RFC 4341, 4342), as the application says.
pub type Dccp = Datagrams<Ccid>;
/// T/TCP (RFC 1644): a request goes with the segment that begins its connection.
pub type Ttcp = Transactions<true>;
/// The same over connections as TCP begins them, to compare.
pub type ThreeWay = Transactions<false>;
