//! What stands between client and server, in a process of its own, and passes on what they send.

pub mod forward;
pub mod relay;
pub mod split;

use crate::Failure;
use crate::role::{Asked, next};
use crate::work::Hello;

/// The server to pass on to.
fn server() -> Result<Hello, Failure> {
    match next()? {
        Asked::Server(hello) => Ok(hello),
        _ => Err("told something else than where the server is".into()),
    }
}
