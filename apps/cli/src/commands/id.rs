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
  tng id                        print this host's EID; the key file is made on first use
  tng id new --key ./box.key    make another identity
  tng id rotate                 go by a new key; who looks the old one up is led to it once that is published
  tng id revocation > away      what says that the key is lost: keep it where the key is not
  tng registry publish away     publish either, at the registries that --registry names";

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
    /// Put a new key in the place of the old one, and write down what both have signed of it
    Rotate,
    /// Print what says that this key is not to be believed any more, for the day when it is lost
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
