//! A shop that keeps nothing of its clients but what they have bought (docs/wire.md section 6.3).

mod answers;
mod client;
mod store;

pub use answers::Shop;
pub use client::{Buyer, CartFile};
pub use store::{ORDERS_MAX, Order, Store, StoreError};
