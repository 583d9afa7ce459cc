//! Two guests against each other in virtual time: a host that polices nothing but holds them to the border, a link that
//! loses, delays, reorders and doubles, and an application at each end.
#![forbid(unsafe_code)]

mod end;
mod link;
mod mock;
mod rng;
mod stream;
mod world;

pub use end::{Callback, End};
pub use link::{Link, LinkConfig};
pub use mock::{Facts, Mock};
pub use rng::{Rng, mix};
pub use stream::{Run, pattern, whole};
pub use world::World;
