//! `tng id`: who this host is.

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::failure::Failure;
use crate::key::{self, KeyArgs};
use crate::talk::Talk;

/// Shown before everything else in `tng id --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng id                        print this host's EID; the key file is made on first use
  tng id new --key ./box.key    make another identity";

/// Arguments of `tng id`.
#[derive(Args, Debug)]
pub struct IdArgs {
    /// What to do
    #[arg(value_enum, default_value_t)]
    action: Action,
    #[command(flatten)]
    key: KeyArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum Action {
    /// Print the EID
    #[default]
    Show,
    /// Make a new identity; an existing key file is never overwritten
    New,
}

/// Prints the EID, alone, to stdout.
///
/// # Errors
/// If the key file cannot be read or made.
pub fn run(args: &IdArgs, talk: Talk) -> Result<(), Failure> {
    let path = args.key.path()?;
    let identity = match args.action {
        Action::Show => args.key.load_or_create()?,
        Action::New => key::create(&path)?,
    };
    talk.payload(identity.eid());
    talk.say(format_args!("key file: {}", path.display()));
    talk.event("identity", &json!({ "eid": identity.eid().to_string(), "key": path.to_string_lossy() }));
    Ok(())
}
