//! `tng id`: who this host is.

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::failure::Failure;
use crate::key::{self, KeyArgs};
use crate::registry::statements::{self, Rotated};
use crate::talk::Talk;

/// Shown before everything else in `tng id --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng id                      print this host's EID (public key); the key file
                              is made on first use
  tng id new --key ./box.key  make another key
  tng id rotate               change to a new key; the old EID leads to it once
                              this is published
  tng id revocation > away    a statement that the key is lost: keep it where
                              the key is not
  tng registry publish away   publish either at the registries given with
                              --registry";

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
    /// Make a new key; an existing key file is never overwritten
    New,
    /// Make a new key, and a statement signed by both keys that it follows the old one
    Rotate,
    /// Print a revocation of this key, to be published if the key is lost
    Revocation,
}

/// Prints the EID, or what revokes it, alone, to stdout.
///
/// # Errors
/// If the key file cannot be read or made.
pub fn run(args: &IdArgs, talk: Talk) -> Result<(), Failure> {
    let path = args.key.path()?;
    let identity = match args.action {
        Action::Show => args.key.load_or_create()?,
        Action::New => key::create(&path)?,
        Action::Rotate => {
            let Rotated { heir, kept, said } = statements::rotate(&path)?;
            talk.say(format_args!("the old key is kept in {}", kept.display()));
            talk.say(format_args!("tell of it, again within a year: tng registry publish {}", said.display()));
            talk.event("rotated", &json!({ "succession": said.to_string_lossy(), "old_key": kept.to_string_lossy() }));
            heir
        }
        Action::Revocation => {
            let statement = statements::revocation(&args.key.load_or_create()?);
            talk.payload(statements::to_text(&statement));
            talk.event("revocation", &json!({ "statement": statements::to_text(&statement) }));
            return Ok(());
        }
    };
    talk.payload(identity.eid());
    talk.say(format_args!("key file: {}", path.display()));
    talk.event("identity", &json!({ "eid": identity.eid().to_string(), "key": path.to_string_lossy() }));
    Ok(())
}
