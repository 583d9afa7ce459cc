//! Which store of transports, and which policy.

use std::path::PathBuf;

use clap::Args;

/// Where the store and the policy are.
#[derive(Args, Clone, Debug, Default)]
pub struct PlaceArgs {
    /// Folder with the store of guests [default: ~/.local/share/tng/stp, made on first use]
    #[arg(long, value_name = "DIR", env = "TNG_STORE", hide_env_values = true)]
    pub store: Option<PathBuf>,
    /// File with the policy for guests: which may run [default: ~/.config/tng/stp.toml; without one, those that are
    /// pinned or built in]
    #[arg(long, value_name = "FILE", env = "TNG_POLICY", hide_env_values = true)]
    pub policy: Option<PathBuf>,
}
