//! What a guest and its host say to each other (STP 3.2.1, Table 2), and what guests are written with.
//!
//! A *guest* is transport code that the host does not trust. It is a value of the trait [`Guest`], written once: a host
//! that trusts it compiles it in and calls it directly, and any other runs it as a WebAssembly module in a sandbox. A
//! *controller* is a smaller kind of guest, which hears what became of packets and answers a window and a rate.
//!
//! Everything that crosses the border is a number. Memory belongs to the guest; the host writes what arrived into a
//! [ring](Arrived) in it, and reads what the guest points at. [`TABLE`] has every function of both sides; the table in
//! docs/stp.md is made of it, and so are the types that the sandbox checks a module against.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]

extern crate alloc;

mod guest;
mod numbers;
mod receipts;
mod ring;
mod sample;
mod stateless;
mod table;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use guest::{Controller, Guest, Host, SocketKind, UserRequest, Window};
pub use numbers::{
    ABI_VERSION, AddressFamily, CALL_MAX, HEAD_MAX, Info, Kind, RING_ENTRIES, Refused, Role, Route, TIMER_SEND,
    TIMERS_MAX, abi_word, of_abi_word,
};
pub use receipts::{RECEIPT_RANGES, Receipts};
pub use ring::{ARRIVED_LEN, Arrived};
pub use sample::{SAMPLE_WORDS, Sample, SampleEvent};
pub use stateless::{CALL_INTRODUCE, NEEDS_CONNECTION};
pub use table::{Group, Row, Side, TABLE, Type, markdown};
