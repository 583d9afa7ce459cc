//! What happened, written down.
//!
//! * [`Digest`]: a fingerprint of everything that happened to packets, to show that two runs were the same.
//! * [`Memory`]: an output that is no file.
//! * [`Pcapng`]: captures for Wireshark, of datagrams that never had a header.
//! * [`Qlog`], [`Traces`]: what machines note of themselves, for qvis and other readers of qlog.
//!
//! Nothing here reads a clock or opens a file: times and outputs are given.
#![forbid(unsafe_code)]

mod digest;
mod memory;
mod pcapng;
mod qlog;
mod traces;

pub use digest::Digest;
pub use memory::Memory;
pub use pcapng::{COMMENT_LEN_MAX, COMMENTS_MAX, Captured, Direction, InterfaceId, IpProtocol, Pcapng};
pub use qlog::{Head, Qlog, Vantage};
pub use traces::{MakeOutput, TRACES_MAX, TRACES_OPEN_MAX, Traces};
