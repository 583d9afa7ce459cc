//! `tng ticket`: who may come to what this host serves, and for how long.

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;
use tng::{Ticket, TicketId, Tickets};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::KeyArgs;
use crate::talk::{Talk, short};
use crate::tickets::{Book, Issued, Store, expires_s, left, lifetime};

/// Shown before everything else in `tng ticket --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng ticket new --name alice --expires 7d > alice.ticket
                           a ticket for alice, valid for a week; she uses it as
                           @alice.ticket
  tng ticket new --name bob --address 192.0.2.1:4860 --address 192.0.2.2:4860
                           one for two servers of a fleet (tng trickles serve
                           --keys)
  tng ticket list          list holders, what their tickets open, and until when
  tng ticket revoke alice  end alice's access, and her connections; with `tng
                           trickles serve`, which keeps no client state, after
                           10 to 20 minutes
  tng ticket revoke --all  revoke every ticket of this key; servers make new
                           ones when they start

Running servers have taken the change when the command ends, and need no
restart. The ticket that a server makes by itself is called `first`.";

/// Longest name of a ticket in bytes.
pub const NAME_MAX: usize = 64;

/// Arguments of `tng ticket`.
#[derive(Args, Debug)]
pub struct TicketArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Make a ticket and print it. An existing ticket of the same name becomes invalid
    New {
        /// Name of the holder
        #[arg(long, value_name = "NAME", value_parser = name)]
        name: String,
        /// Lifetime: 90s, 30m, 12h, 7d [default: until it is revoked]
        #[arg(long, value_name = "TIME", value_parser = lifetime)]
        expires: Option<Duration>,
        /// Address of the server; repeat for the servers of a fleet [default: where it was last]
        #[arg(long = "address", value_name = "ADDRESS")]
        addresses: Vec<SocketAddr>,
        #[command(flatten)]
        which: Which,
    },
    /// List the tickets, without their secrets
    List {
        #[command(flatten)]
        key: KeyArgs,
    },
    /// Revoke a ticket, and end the connections of its holders; with `tng trickles serve` these end when their keys do,
    /// after 10 to 20 minutes
    Revoke {
        /// Name of the holder
        #[arg(value_name = "NAME", required_unless_present = "all", conflicts_with = "all")]
        name: Option<String>,
        /// Revoke all tickets of this key
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        which: Which,
    },
}

#[derive(Args, Debug)]
struct Which {
    /// What it opens, if several things are served with this key: a part of the name in `tng ticket list`, such as
    /// files:
    #[arg(long = "for", value_name = "WHAT")]
    door: Option<String>,
    #[command(flatten)]
    key: KeyArgs,
}

fn name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_alphanumeric() || "-_.@".contains(c);
    let good = (1..=NAME_MAX).contains(&text.len()) && text.chars().all(fits);
    if good { Ok(text.to_owned()) } else { Err("a name has letters, digits and -_.@, 64 bytes at most".to_owned()) }
}

/// Makes, shows or revokes tickets.
///
/// # Errors
/// If the key or the list is not to be had, or there is no such ticket.
pub fn run(args: &TicketArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        Action::New { name, expires, addresses, which } => new(name, *expires, addresses, which, talk),
        Action::List { key } => list(key, talk),
        Action::Revoke { name, which, .. } => revoke(name.as_deref(), which, talk),
    }
}

/// The names of what is meant.
fn doors(book: &Book, wanted: Option<&str>) -> Vec<String> {
    book.doors.keys().filter(|door| wanted.is_none_or(|wanted| door.contains(wanted))).cloned().collect()
}

fn new(
    name: &str,
    expires: Option<Duration>,
    addresses: &[SocketAddr],
    which: &Which,
    talk: Talk,
) -> Result<(), Failure> {
    let what = || format!("making a ticket for {name}");
    if addresses.len() > Ticket::ADDRESSES_MAX {
        return Err(Failure::usage(what(), format!("it names {} addresses at most", Ticket::ADDRESSES_MAX)));
    }
    let identity = which.key.load_or_create()?;
    let fresh = Issued::new(expires_s(expires))?;
    let (label, door, issued) = Store::beside(&which.key.path()?).change(|book| {
        let label = match doors(book, which.door.as_deref()).as_slice() {
            [door] => door.clone(),
            [] => {
                return Err(Failure::usage(what(), "nothing like that has been served with this key yet")
                    .or_try("tng serve FOLDER first"));
            }
            several => {
                let choices: Vec<String> = several.iter().map(|door| format!("--for '{}'", short(door))).collect();
                return Err(Failure::usage(what(), format!("this key serves {} things", several.len()))
                    .or_try(choices.join(", or ")));
            }
        };
        let door = book.doors.entry(label.clone()).or_default();
        let before = door.tickets.get(name);
        // The old one is told to be old.
        let issued = before.map_or(fresh, |before| Issued {
            id: before.id,
            generation: before.generation.wrapping_add(1),
            ..fresh
        });
        door.tickets.insert(name.to_owned(), issued);
        Ok((label, door.clone(), issued))
    })?;
    let tickets = door.tickets(&Tickets::new(&identity, label.as_bytes()));
    let capability = tickets
        .capability(TicketId(issued.id))
        .ok_or_else(|| Failure::new(Exit::Write, what(), "there are too many"))?;
    let mut addresses = if addresses.is_empty() { door.addresses } else { addresses.to_vec() };
    addresses.truncate(Ticket::ADDRESSES_MAX);
    let ticket =
        Ticket::new(identity.eid(), addresses, capability).map_err(|error| Failure::new(Exit::Write, what(), error))?;
    // Its holder may use it at once.
    Store::settle();
    talk.payload(&ticket);
    talk.say(format_args!("for {name}, to {}; it {}", short(&label), left(issued.expires_s)));
    let event = json!({ "name": name, "for": label, "ticket": ticket.to_string(), "expires_unix_s": issued.expires_s });
    talk.event("ticket", &event);
    Ok(())
}

fn list(key: &KeyArgs, talk: Talk) -> Result<(), Failure> {
    let doors = Store::beside(&key.path()?).read()?.doors;
    if doors.values().any(|door| !door.tickets.is_empty()) {
        talk.say("HOLDER\tVALID\t\tOPENS");
    }
    for (label, door) in doors {
        for (name, issued) in door.tickets {
            talk.payload(format_args!("{name}\t{}\t{}", left(issued.expires_s), short(&label)));
            let (expires, generation) = (issued.expires_s, issued.generation);
            let event = json!({ "name": name, "for": label, "expires_unix_s": expires, "generation": generation });
            talk.event("listed", &event);
        }
    }
    Ok(())
}

fn revoke(name: Option<&str>, which: &Which, talk: Talk) -> Result<(), Failure> {
    let revoked = Store::beside(&which.key.path()?).change(|book| {
        let mut revoked = 0;
        for label in doors(book, which.door.as_deref()) {
            let Some(door) = book.doors.get_mut(&label) else { continue };
            let before = door.tickets.len();
            door.tickets.retain(|held, _| name.is_some_and(|name| held != name));
            revoked += before - door.tickets.len();
        }
        let none = || Failure::new(Exit::Usage, "revoking", "there is no such ticket").or_try("tng ticket list");
        if revoked == 0 { Err(none()) } else { Ok(revoked) }
    })?;
    Store::settle();
    talk.say(format_args!("revoked: {revoked}"));
    talk.event("revoked", &json!({ "tickets": revoked }));
    Ok(())
}
