//! For whom a relay passes flows on, and on what terms.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tng::congestion::SectionChoice;
use tng::help::{Ask, Denied, HelpTerms};
use tng::relay::{ClientLimits, ClientTag, FLOWS_MAX, Offers, Terms};
use tng::stp::GUEST_PREFIX;
use tng_base::Eid;
use tng_crypto::sha256;
use tng_services::help::{CONTROLLER_NAME_MAX, CONTROLLERS_MAX};
use tng_settings::{Field, Result, Section};

use super::config::{BOUNDLESS, controller, is_boundless};
use crate::daemon::told::{Origin, Teller, or_none, quoted, shown_if, shown_time};
use crate::hex::unhex;

/// Clients that a configuration lists, at most.
pub const CLIENTS_LISTED_MAX: usize = 65_536;

/// How long a capability is good, if nobody says otherwise.
pub const LIFE: Duration = Duration::from_secs(12 * 3_600);

/// The longest life of a capability: what a client was given cannot be taken back before.
pub const LIFE_MAX: Duration = Duration::from_secs(30 * 86_400);

/// Flows at once, if nobody says otherwise.
pub const FLOWS: u16 = 64;

/// What clients without an entry of their own are called.
const ANYONE: &str = "any client not listed";

/// What a client is known by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Who {
    /// The key of its host.
    Eid(Eid),
    /// The SHA-256 of a token.
    Token([u8; 32]),
}

impl Who {
    /// What the helper shares its room by: of the SHA-256 of this, the first 62 bits. That is no tag of who was offered
    /// help in the path.
    pub fn tag(&self) -> ClientTag {
        let hash = match self {
            Who::Eid(eid) => sha256(&[b"eid", eid.as_bytes()]),
            Who::Token(hash) => sha256(&[b"token", hash]),
        };
        ClientTag(u64::from_be_bytes(core::array::from_fn(|at| hash[at])) >> 2)
    }
}

/// What a client is granted.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// What the status calls it.
    pub name: String,
    /// What its capabilities are good for.
    pub terms: Terms,
    /// What it may have.
    pub limits: ClientLimits,
}

impl ClientConfig {
    /// The keys of `[terms]`.
    pub const TERMS: &'static [&'static str] =
        &["life", "flows", "tunnels", "rate", "held", "anyone", "controllers", "queue_time_max"];
    const CLIENT: &'static [&'static str] =
        &["name", "eid", "token_sha256", "life", "flows", "tunnels", "rate", "held"];

    fn read(
        teller: &mut Teller,
        at: (&Section<'_, '_>, &str),
        name: String,
        (otherwise, origin): (&ClientConfig, Origin),
    ) -> Result<ClientConfig> {
        let (Terms { life, flows_max, tunnels }, limits) = (otherwise.terms, otherwise.limits);
        let from = || origin.clone();
        let whole = |field: &Field<'_, '_>| match field.some_time()? {
            time if time < Duration::from_secs(1) => Err(field.wrong("write at least \"1s\"")),
            time if time > LIFE_MAX => Err(field.wrong(format!("write at most \"{}h\"", LIFE_MAX.as_secs() / 3_600))),
            time => Ok(time),
        };
        let flows = |field: &Field<'_, '_>| field.whole(1..u64::from(FLOWS_MAX) + 1).map(|flows| flows as u16);
        let rate = |field: &Field<'_, '_>| Ok((field.rate()? / 8).max(1));
        let shown_rate = |bytes: &u64| quoted(format_args!("{}bit", bytes * 8));
        let terms = Terms {
            life: teller.value_from(at, "life", (life, from()), whole, shown_time)?,
            flows_max: teller.value_from(at, "flows", (flows_max, from()), flows, u16::to_string)?,
            tunnels: teller.value_from(at, "tunnels", (tunnels, from()), |field| field.flag(), bool::to_string)?,
        };
        let (rate, held) = (or_none(rate), or_none(|field| field.some_size()));
        let limits = ClientLimits {
            rate_max: teller.value_from(at, "rate", (limits.rate_max, from()), rate, shown_if(shown_rate))?,
            held_bytes_max: teller.value_from(
                at,
                "held",
                (limits.held_bytes_max, from()),
                held,
                shown_if(u64::to_string),
            )?,
        };
        Ok(ClientConfig { name, terms, limits })
    }
}

/// Those for whom flows are passed on.
#[derive(Clone, Debug)]
pub struct Clients {
    listed: BTreeMap<Who, ClientConfig>,
    names: BTreeMap<ClientTag, String>,
    /// What others get, and whether they get anything.
    others: ClientConfig,
    anyone: bool,
    /// What orders may ask for.
    offers: Offers,
}

impl Clients {
    pub(super) fn read(teller: &mut Teller, terms: &Section<'_, '_>, listed: &[Field<'_, '_>]) -> Result<Clients> {
        let granted = Terms { life: LIFE, flows_max: FLOWS, tunnels: false };
        let standard = ClientConfig { name: String::new(), terms: granted, limits: ClientLimits::default() };
        let at = (terms, "terms");
        let others = ClientConfig::read(teller, at, String::new(), (&standard, Origin::Default))?;
        let anyone = teller.value(at, "anyone", false, |field| field.flag(), bool::to_string)?;
        let choices = |field: &Field<'_, '_>| -> Result<Vec<SectionChoice>> {
            let list = field.list()?;
            if list.len() > CONTROLLERS_MAX {
                return Err(field.wrong(format!("name at most {CONTROLLERS_MAX}")));
            }
            let is_guest = |field: &Field<'_, '_>| field.as_text().is_some_and(|text| text.starts_with(GUEST_PREFIX));
            let named = |field: &Field<'_, '_>| match controller(field) {
                Err(_) if is_guest(field) => Err(field.wrong(
                    "what an order asks for governs both ends of its section, and a guest governs this one; name it \
                     under [elsewhere] or in a [[neighbourhood]]",
                )),
                Err(error) => Err(error),
                Ok(choice) if is_boundless(&choice) => Err(field.wrong(format!("{choice:?} {BOUNDLESS}"))),
                Ok(choice) if choice.name().len() > CONTROLLER_NAME_MAX => {
                    Err(field.wrong(format!("an order cannot ask for a name of more than {CONTROLLER_NAME_MAX} bytes")))
                }
                Ok(choice) => Ok(choice),
            };
            list.iter().map(named).collect()
        };
        let shown = |choices: &Vec<SectionChoice>| {
            format!("[{}]", choices.iter().map(|choice| quoted(&**choice)).collect::<Vec<_>>().join(", "))
        };
        let controllers = teller.value(at, "controllers", Vec::new(), choices, shown)?;
        let queue_time_max =
            teller.value(at, "queue_time_max", None, or_none(|field| field.some_time()), shown_if(shown_time))?;
        let (mut found, mut names, mut called_so) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for (nth, field) in listed.iter().enumerate() {
            let (table, name) = (field.table("a [[client]]", ClientConfig::CLIENT)?, format!("client.{}", nth + 1));
            if nth >= CLIENTS_LISTED_MAX {
                return Err(table.contradiction(format!("more than {CLIENTS_LISTED_MAX} clients are listed")));
            }
            let who = who(&table)?;
            let otherwise = match who {
                Who::Eid(eid) => eid.to_string(),
                Who::Token(_) => name.clone(),
            };
            let text = |field: &Field<'_, '_>| field.text().map(str::to_owned);
            let called = teller.value((&table, &name), "name", otherwise, text, |name| quoted(name))?;
            for key in ["eid", "token_sha256"] {
                if let Some(field) = table.get(key) {
                    teller.tell(format!("{name}.{key}"), field.raw().to_owned(), Origin::File(field.place()));
                }
            }
            let config =
                ClientConfig::read(teller, (&table, &name), called.clone(), (&others, Origin::Table("[terms]")))?;
            if found.insert(who, config).is_some() {
                return Err(table.contradiction(format!("{called:?} is listed twice")));
            }
            // Status and log tell clients apart by their names, and so does `from`.
            if !called_so.insert(called.clone()) {
                return Err(
                    table.contradiction(format!("two clients are called {called:?}; give each a name of its own"))
                );
            }
            names.insert(who.tag(), called);
        }
        let offers = Offers { controllers, queue_time_max };
        Ok(Clients { listed: found, names, others, anyone, offers })
    }

    /// The limits of those who are not listed, if they are served, and of those who are.
    pub fn limits(&self) -> (Option<ClientLimits>, BTreeMap<ClientTag, ClientLimits>) {
        (
            self.anyone.then_some(self.others.limits),
            self.listed.iter().map(|(who, client)| (who.tag(), client.limits)).collect(),
        )
    }

    /// What orders may ask for, wherever their clients are.
    pub fn offers(&self) -> &Offers {
        &self.offers
    }

    /// What a client is called.
    pub fn name(&self, client: ClientTag) -> String {
        self.names.get(&client).cloned().unwrap_or_else(|| format!("{:016x}", client.0))
    }

    /// What the helper knows the client by that is called so, and whether tunnels of it may end here.
    pub fn called(&self, name: &str) -> Option<(ClientTag, bool)> {
        let (who, client) = self
            .listed
            .iter()
            .find(|(who, client)| client.name == name || matches!(who, Who::Eid(eid) if eid.to_string() == name))?;
        Some((who.tag(), client.terms.tunnels))
    }

    /// How many are listed, and whether others are served.
    pub fn count(&self) -> (usize, bool) {
        (self.listed.len(), self.anyone)
    }

    /// Clients that may each take all of so many flows, and so keep others from being helped: their names, in the order
    /// of the alphabet, and with how many flows. Nobody if there are no others.
    pub fn takes_all(&self, flows_max: usize) -> Vec<(&str, u16)> {
        // Clients that are not listed are many.
        if self.listed.len() < 2 && !self.anyone {
            return Vec::new();
        }
        let others = self.anyone.then_some((ANYONE, self.others.terms.flows_max));
        let listed = self.listed.values().map(|client| (&*client.name, client.terms.flows_max));
        let mut all: Vec<_> = listed.chain(others).filter(|(_, flows)| usize::from(*flows) >= flows_max).collect();
        all.sort_unstable();
        all
    }

    /// What a host is granted that asks.
    ///
    /// # Errors
    /// If it is none of those for whom flows are passed on.
    pub fn decide(&self, eid: Eid, ask: &Ask) -> core::result::Result<HelpTerms, Denied> {
        let shown = ask.token.as_ref().map(|token| Who::Token(sha256(&[token.expose()])));
        let (who, client) = match shown {
            Some(who) => (who, self.listed.get(&who).ok_or(Denied::WrongToken)?),
            None => {
                let who = Who::Eid(eid);
                let others = self.anyone.then_some(&self.others);
                (who, self.listed.get(&who).or(others).ok_or(Denied::NotAClient)?)
            }
        };
        Ok(HelpTerms {
            client: who.tag(),
            terms: client.terms,
            rate_max: client.limits.rate_max,
            held_max: client.limits.held_bytes_max,
            controllers: self.offers.controllers.iter().map(|choice| choice.to_string()).collect(),
            queue_time_max: self.offers.queue_time_max,
        })
    }
}

fn who(table: &Section<'_, '_>) -> Result<Who> {
    match (table.get("eid"), table.get("token_sha256")) {
        (Some(field), None) => {
            let text = field.text()?;
            text.parse().map(Who::Eid).map_err(|why| field.wrong(format!("{text:?} is no EID: {why}")))
        }
        (None, Some(field)) => {
            let wrong = || field.wrong("write the 64 hexadecimal digits that `tng relay token` prints");
            unhex(field.text()?).map(|hash| Who::Token(*hash)).ok_or_else(wrong)
        }
        (Some(_), Some(_)) => Err(table.contradiction("a client has an eid or a token, not both".to_owned())),
        (None, None) => Err(table.missing("eid or token_sha256")),
    }
}
