//! What a server is opened with.

use core::ffi::{c_char, c_int};

use tng::trickles::{BloomSize, FilterConfig, ServerConfig};

/// Where a server listens if it says nothing else: all addresses, at tng's port.
pub const ADDRESS_DEFAULT: &str = "[::]:4860";

/// In how many cases a server of a fleet may take a fresh packet for a spent one (Trickles 2.2).
pub const FALSE_SHARE: f64 = 0.000_2;

/// What msk_listen is told. Set it to zero, then `size`, `key` and `epochs`; the rest has defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// sizeof(struct msk_settings).
    pub size: usize,
    /// IP address and port; NULL: `[::]:4860`. With port 0 the system chooses one, and msk_ticket says which.
    pub address: *const c_char,
    /// File of the server's identity, from `tng id new --key FILE`.
    pub key: *const c_char,
    /// File of the secrets that its fleet shares, from `tng trickles keys new FILE`.
    pub epochs: *const c_char,
    /// What opens its door, at most 64 bytes, which msk_ticket puts into the ticket; NULL: everybody comes in.
    pub capability: *const c_char,
    /// Whether other servers have the same file of epochs: what clients have spent is known by packet then, whichever
    /// server gave it out, and a fresh packet is taken for a spent one in 2 of 10,000 cases.
    pub fleet: c_int,
    /// Version of what the program seals. What another version has sealed, clients ask for anew.
    pub version: u16,
}

/// Settings of the server's machine.
pub fn config(is_one_of_several: bool) -> ServerConfig {
    let mut config = ServerConfig::default();
    if is_one_of_several {
        config.filter = FilterConfig::Filters(BloomSize::PAPER, FALSE_SHARE);
    }
    config
}
