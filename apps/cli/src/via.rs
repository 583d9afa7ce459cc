//! Helpers on the way to a peer: which are meant by `--via`, how they come to help, and in which words a path is told.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value, json};
use tng::help::{Denied, HelpError, HelperTarget, Token};
use tng::{ConnectError, Connection, Endpoint, PathTaken, Via, Wishes};
use tng_base::Eid;
use tng_crypto::montgomery;

use crate::config::{Config, is_name};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::location::{HostAddress, Location, location, resolve};
use crate::talk::Talk;

/// Helpers on one way, at most.
pub const VIA_MAX: usize = 8;

/// The path inside a TCP connection, in a word.
pub const CARRIED: &str = "carried over TCP";

/// Tells people that a path is carried.
pub fn tells_carried() -> String {
    #[cfg(feature = "carrier")]
    if crate::carrier::is_only() {
        return format!("the path is {CARRIED}, as --carrier says");
    }
    format!("UDP does not reach the peer; the path is {CARRIED}")
}

/// Which helpers to go through.
#[derive(Args, Clone, Debug, Default)]
pub struct ViaArgs {
    /// Go through this relay (helper): EID@host:port, a ticket, @FILE, or a name from ~/.config/tng/config.toml. Repeat
    /// for several, nearest first; at most 8
    #[arg(long, value_name = "HELPER")]
    via: Vec<String>,
}

/// A helper, as this user knows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Helper {
    /// What it is called here.
    pub name: String,
    /// Who it is.
    pub eid: Eid,
    /// Where to look, best first.
    pub places: Vec<HostAddress>,
    /// What opens its door; empty if none is needed.
    pub door: Vec<u8>,
    /// What shows that this host is a client of it.
    pub token: Option<Token>,
    /// What is asked of it, of the section that leads to it.
    pub wishes: Wishes,
    /// Whether it is believed what it says that it has taken.
    pub trusted: bool,
}

impl fmt::Debug for Helper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Helper").field("name", &self.name).field("eid", &self.eid).finish_non_exhaustive()
    }
}

impl ViaArgs {
    /// Whether any is asked for.
    pub fn is_empty(&self) -> bool {
        self.via.is_empty()
    }

    /// The same way to `host`, through these helpers.
    ///
    /// # Errors
    /// As [`helpers`](ViaArgs::helpers).
    pub fn to(&self, host: &Location) -> Result<Location, Failure> {
        Ok(Location { via: self.helpers()?, ..host.clone() })
    }

    /// The helpers that are asked for.
    ///
    /// # Errors
    /// If one of them cannot be made out, or they are too many.
    pub fn helpers(&self) -> Result<Vec<Helper>, Failure> {
        if self.via.len() > VIA_MAX {
            return Err(Failure::usage("going by way of helpers", format_args!("at most {VIA_MAX} of them")));
        }
        if self.via.is_empty() {
            return Ok(Vec::new());
        }
        let config = Config::load()?;
        let helpers = self.via.iter().map(|text| helper(text, &config)).collect::<Result<Vec<_>, _>>()?;
        for (at, helper) in helpers.iter().enumerate() {
            if let Some(before) = helpers[..at].iter().find(|before| before.eid == helper.eid) {
                let why = match before.name == helper.name {
                    true => format!("{} stands there twice", helper.name),
                    false => format!("{} and {} are the same", before.name, helper.name),
                };
                return Err(Failure::usage(WHAT, why).or_try("each helper once"));
            }
        }
        Ok(helpers)
    }

    /// That a command has no use for helpers.
    ///
    /// # Errors
    /// If some are asked for.
    pub fn refuse(&self, what: &str, why: &str) -> Result<(), Failure> {
        if self.is_empty() { Ok(()) } else { Err(Failure::usage(what, why).or_try("without --via")) }
    }
}

/// What fails if helpers cannot be made out.
const WHAT: &str = "going by way of a helper";

fn helper(text: &str, config: &Config) -> Result<Helper, Failure> {
    let helper = match config.host(text) {
        Some(helper) => helper.clone(),
        None => helper_at(text, config)?,
    };
    // Not every text of the right length is a key.
    match montgomery(helper.eid.as_bytes()) {
        Ok(_) => Ok(helper),
        Err(_) => {
            let why = format!("{} is the key of nobody", helper.eid);
            Err(Failure::usage(WHAT, why).or_try("the EID that `tng relay ticket` or `tng relay status` prints there"))
        }
    }
}

/// A helper that has no name here.
fn helper_at(text: &str, config: &Config) -> Result<Helper, Failure> {
    // What is wrong with it is told without it: it may be most of a ticket.
    let found = location(text).map_err(|why| match is_name(text) && text.parse::<Eid>().is_err() {
        true => unknown(WHAT, config),
        false => Failure::told(Exit::Usage, WHAT, why),
    })?;
    if !found.path.is_root() {
        return Err(Failure::usage(WHAT, "a helper has no path").or_try("what stands before the /"));
    }
    let Location { eid, places, capability: door, .. } = found;
    let name = places.first().map_or_else(|| eid.to_string(), HostAddress::to_string);
    Ok(Helper { name, eid, places, door, token: None, wishes: Wishes::default(), trusted: false })
}

fn unknown(what: &str, config: &Config) -> Failure {
    let names: Vec<&str> = config.names().collect();
    let known = if names.is_empty() { "there is none".to_owned() } else { format!("there is {}", names.join(", ")) };
    let place = Config::path().map_or_else(|| "config.toml".to_owned(), |path| path.display().to_string());
    Failure::usage(what, format!("there is no host of that name in {place}; {known}"))
        .or_try("EID@host:port, or a ticket")
}

impl Helper {
    /// The same for the library, names looked up.
    async fn target(&self) -> Result<HelperTarget, Failure> {
        let addresses: Vec<SocketAddr> = resolve(&self.places).await?;
        let door = Some(self.door.clone()).filter(|door| !door.is_empty());
        let (token, wishes) = (self.token.clone(), self.wishes.clone());
        Ok(HelperTarget { door, token, wishes, trusted: self.trusted, ..HelperTarget::new(self.eid, addresses) })
    }
}

/// Has helpers help: those that are not there now, or take nobody new, are left out, and that is said.
///
/// # Errors
/// If one of them does not let us, is somebody else, or is none. A wish for what it does not do is given up, and that
/// is said, too.
pub async fn ways(endpoint: &Endpoint, helpers: &[Helper], talk: Talk) -> Result<Vec<Via>, Failure> {
    let ask = |helper: &Helper| {
        let (endpoint, helper) = (endpoint.clone(), helper.clone());
        // All at once.
        tokio::spawn(async move {
            let (mut target, mut ungranted) = (helper.target().await.map_err(Asked::Nowhere)?, Vec::new());
            loop {
                let error = match endpoint.via(&target).await {
                    Ok(via) => return Ok((via, ungranted)),
                    Err(error) => error,
                };
                // It helps as its operator has decided.
                let wishes = &mut target.wishes;
                match error {
                    HelpError::Controller { .. } if wishes.controller.is_some() => wishes.controller = None,
                    HelpError::QueueTime { .. } if wishes.queue_time.is_some() => wishes.queue_time = None,
                    error => return Err(Asked::Helper(error)),
                }
                ungranted.push(error);
            }
        })
    };
    let asked: Vec<_> = helpers.iter().map(ask).collect();
    let mut via = Vec::new();
    for (helper, asked) in helpers.iter().zip(asked) {
        let what = || format!("asking {} for help", helper.name);
        let error = match asked.await.map_err(|error| Failure::new(Exit::Receive, what(), error))? {
            Ok((found, ungranted)) => {
                for error in ungranted {
                    talk.say(format_args!("{}: {error}; going on as its operator has decided", helper.name));
                    let fields = json!({ "helper": helper.name, "why": error.to_string() });
                    talk.event("ungranted", &fields);
                }
                via.push(found);
                continue;
            }
            Err(error) => error,
        };
        match &error {
            Asked::Helper(error) if let Some(exit) = exit_of(error) => {
                return Err(refused(exit, what(), error, helper));
            }
            error => {
                talk.say(format_args!("{} does not help: {error}; going on without it", helper.name));
                let fields = json!({ "helper": helper.name, "eid": helper.eid.to_string(), "why": error.to_string() });
                talk.event("unhelped", &fields);
            }
        }
    }
    if let Some(error) = endpoint.take_capabilities_failure() {
        tracing::warn!("what helpers gave is not kept: {error}");
    }
    Ok(via)
}

/// Why a helper does not help.
#[derive(Debug, thiserror::Error)]
enum Asked {
    #[error("{0}")]
    Nowhere(Failure),
    #[error("{0}")]
    Helper(HelpError),
}

/// How a command ends for which a helper does not help for good; none if it may help later.
fn exit_of(error: &HelpError) -> Option<Exit> {
    match error {
        HelpError::Denied(Denied::NotAClient | Denied::WrongToken) => Some(Exit::Denied),
        HelpError::NotReached(ConnectError::Refused { code: 1 | 2 | 6, .. }) => Some(Exit::Denied),
        HelpError::NotReached(ConnectError::WrongPeer { .. }) => Some(Exit::WrongPeer),
        HelpError::NoHelper(_) | HelpError::Malformed => Some(Exit::Protocol),
        HelpError::TooMany => Some(Exit::Usage),
        HelpError::File { .. } => Some(Exit::Read),
        _ => None,
    }
}

/// That a helper does not help for good, and what to do about it here.
fn refused(exit: Exit, what: String, error: &HelpError, helper: &Helper) -> Failure {
    let failure = Failure::told(exit, what, error);
    let file = Config::path().map_or_else(|| "config.toml".to_owned(), |path| path.display().to_string());
    match error {
        HelpError::Denied(Denied::NotAClient) if helper.token.is_none() => failure.or_try(format!(
            "have its operator list the EID that `tng id` prints; or, with a token of the operator's, write \
             [hosts.NAME] with eid, address and token into {file}, and use --via NAME (docs/relay.md)"
        )),
        HelpError::Denied(Denied::WrongToken) => {
            let name = &helper.name;
            failure.or_try(format!("look at token under [hosts.{name}] in {file}; or ask its operator for another"))
        }
        _ => failure,
    }
}

/// The words for the paths of a connection, by the names that its helpers have here.
#[derive(Clone, Debug)]
pub struct Words(Vec<Helper>);

impl Words {
    /// The words for paths to this host.
    pub fn of(host: &Location) -> Words {
        Words(host.via.clone())
    }

    /// The words of a host that knows no helper by name.
    pub fn none() -> Words {
        Words(Vec::new())
    }

    /// Whether no helper is asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What helpers are called.
    pub fn names(&self, eids: &[Eid]) -> String {
        let name = |eid: &Eid| {
            let known = self.0.iter().find(|helper| helper.eid == *eid);
            known.map_or_else(|| eid.to_string(), |helper| helper.name.clone())
        };
        eids.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The path in a word: `direct`, `carried over TCP`, or `via` and the helpers, and `carried over TCP` if they are.
    pub fn word(&self, path: Option<&PathTaken>) -> String {
        match path {
            Some(PathTaken::Helped { helpers, carried, .. }) => self.via(helpers, *carried),
            Some(PathTaken::Direct { .. }) => "direct".to_owned(),
            Some(PathTaken::Carried { .. }) => CARRIED.to_owned(),
            None => "away".to_owned(),
        }
    }

    /// A path through helpers, to which a carrier leads or not.
    pub fn via(&self, helpers: &[Eid], carried: bool) -> String {
        let by = if carried { format!(", {CARRIED}") } else { String::new() };
        format!("via {}{by}", self.names(helpers))
    }

    /// Where a helped path is split, and the round trips of both parts.
    pub fn split(&self, path: Option<&PathTaken>) -> Option<String> {
        match path {
            Some(PathTaken::Helped { helpers, first, rest, .. }) => {
                Some(format!("split at {}: {:.1} ms + {:.1} ms", self.names(helpers), ms(*first), ms(*rest)))
            }
            _ => None,
        }
    }

    /// The path of a connection for programs.
    pub fn fields(&self, connection: &Connection) -> Map<String, Value> {
        let (path, gap) = (connection.path(), connection.last_gap());
        let mut fields = Map::new();
        fields.insert("path".to_owned(), self.word(path.as_ref()).into());
        if let Some(PathTaken::Helped { helpers, first, rest, .. }) = &path {
            let helper = |eid: &Eid| json!({ "name": self.names(&[*eid]), "eid": eid.to_string() });
            fields.insert("helpers".to_owned(), helpers.iter().map(helper).collect());
            fields.insert("sections_ms".to_owned(), json!([ms(*first), ms(*rest)]));
        }
        if let Some(why) = connection.relayed() {
            fields.insert("relayed".to_owned(), why.to_string().into());
        }
        if let Some(gap) = gap {
            fields.insert("last_gap_ms".to_owned(), ms(gap).into());
        }
        fields
    }
}

fn ms(time: Duration) -> f64 {
    // Beyond microseconds nothing was measured.
    time.as_micros() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Words {
        let helper = |name: &str, n: u8| Helper {
            name: name.to_owned(),
            eid: Eid::from_bytes([n; 32]),
            places: Vec::new(),
            door: Vec::new(),
            token: None,
            wishes: Wishes::default(),
            trusted: false,
        };
        Words(vec![helper("attic", 1), helper("relay.example:4860", 2)])
    }

    #[test]
    fn a_path_is_direct_or_named_by_its_helpers_in_their_order() {
        let helped = |numbers: &[u8]| PathTaken::Helped {
            helpers: numbers.iter().map(|n| Eid::from_bytes([*n; 32])).collect(),
            carried: numbers.len() == 3,
            first: Duration::from_micros(12_345),
            rest: Duration::from_micros(45_600),
        };
        let direct = PathTaken::Direct { rtt: Duration::from_millis(7) };
        assert_eq!((known().word(Some(&direct)), known().split(Some(&direct))), ("direct".to_owned(), None));
        assert_eq!(known().word(Some(&helped(&[2, 1]))), "via relay.example:4860, attic");
        assert_eq!(known().split(Some(&helped(&[1]))).as_deref(), Some("split at attic: 12.3 ms + 45.6 ms"));
        assert_eq!(known().word(Some(&helped(&[1, 1, 1]))), "via attic, attic, attic, carried over TCP");
        let stranger = Eid::from_bytes([9; 32]).to_string();
        assert_eq!(known().word(Some(&helped(&[9]))), format!("via {stranger}"));
        assert_eq!(known().word(None), "away");
    }

    #[test]
    fn a_helper_that_denies_ends_the_command_as_a_server_does_and_one_that_is_away_does_not() {
        assert_eq!(exit_of(&Denied::WrongToken.into()), Some(Exit::Denied));
        assert_eq!(exit_of(&Denied::NotAClient.into()), Some(Exit::Denied));
        assert_eq!(exit_of(&HelpError::Malformed), Some(Exit::Protocol));
        for error in [Denied::Draining.into(), Denied::TooOften.into(), HelpError::NotReached(ConnectError::TimedOut)] {
            assert_eq!(exit_of(&error), None, "{error}");
        }
    }

    #[test]
    fn who_is_not_let_in_is_told_where_a_token_belongs() {
        let helper = known().0.remove(0);
        let denied = |why: Denied| refused(Exit::Denied, "asking attic".to_owned(), &why.into(), &helper);
        let failure = denied(Denied::NotAClient);
        assert_eq!(failure.why, "the helper does not know this host and was shown no token");
        assert!(failure.remedy.contains("[hosts.NAME]") && failure.remedy.contains("config.toml"), "{failure}");
        assert!(denied(Denied::WrongToken).remedy.starts_with("look at token under [hosts.attic] in "));
    }

    #[test]
    fn a_helper_that_is_named_twice_and_one_whose_key_is_none_are_refused_before_anybody_is_asked() {
        let refused = |via: &[String]| ViaArgs { via: via.to_vec() }.helpers().expect_err("refused");
        let [one, other] = [1, 2].map(|n| tng::Identity::from_seed([n; 32]).eid());
        let twice = [format!("{one}@192.0.2.1"), format!("{other}@192.0.2.2"), format!("{one}@192.0.2.3:5000")];
        let failure = refused(&twice);
        assert_eq!((failure.exit, &*failure.why), (Exit::Usage, "192.0.2.1:4860 and 192.0.2.3:5000 are the same"));
        assert_eq!(ViaArgs { via: twice[..2].to_vec() }.helpers().expect("control").len(), 2);
        let nobody = Eid::from_bytes([0; 32]);
        let failure = refused(&[format!("{nobody}@192.0.2.1")]);
        assert_eq!((failure.exit, failure.why), (Exit::Usage, format!("{nobody} is the key of nobody")));
    }

    #[test]
    fn more_than_eight_helpers_are_refused() {
        let args = ViaArgs { via: vec!["x".to_owned(); VIA_MAX + 1] };
        assert_eq!(args.helpers().expect_err("too many").exit, Exit::Usage);
        assert_eq!(ViaArgs::default().helpers().expect("none is fine"), []);
    }
}
