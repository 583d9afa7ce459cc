//! The help service, protocol [`PROTOCOL`]: where a client of a helper gets the capability that lets it use the helper.
//!
//! The opener of a stream writes one [`Ask`], the helper's own host one [`Answer`], and both directions end. What is
//! granted is good for a time; a client that wants help for longer asks again at half of it. `docs/wire.md` section 10
//! has the bytes.

mod token;
mod wire;

pub use token::{BadToken, Token};
pub use wire::{Answer, Ask, Denied, Terms, body_len};

/// The service's name.
pub const SERVICE: &str = "help";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-help/1";

/// Bytes before the body of a message: its type, and its length in two.
pub const HEAD_LEN: usize = crate::framed::HEAD_LEN;
/// Longest body of a message in bytes.
pub const BODY_MAX: usize = 1_024;
/// Longest token in bytes.
pub const TOKEN_MAX: usize = 64;
/// Most controllers that terms name.
pub const CONTROLLERS_MAX: usize = 16;
/// Longest name of a controller in bytes.
pub const CONTROLLER_NAME_MAX: usize = 32;
