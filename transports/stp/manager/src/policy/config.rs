//! A policy as people write it. docs/stp.md, "Policy", has the keys.

use core::ops::RangeInclusive;
use std::sync::Arc;

use tng_base::{CodeHash, Eid};
use tng_settings::{Document, Field, Result, Section, SettingsError};

use super::{Acceptance, Choice, LevelLimits, Limits, Offenders, Policy, Publisher, Rule, Source, Trust, When};
use crate::{Cap, HOST_MAX, PublisherKey, SIGNATURES_MAX};

/// Rules of a policy.
pub const RULES_MAX: usize = 256;
/// Publishers of a policy.
pub const PUBLISHERS_MAX: usize = 64;
/// Entries of one list of a policy.
pub const POLICY_LIST_MAX: usize = 1_024;
/// Letters of a name in a policy.
pub const POLICY_NAME_MAX: usize = 64;

/// The keys of the file.
const FILE: &[&str] = &[
    "accept",
    "foreign",
    "prefer",
    "sources",
    "pins",
    "applications",
    "services",
    "rule",
    "publishers",
    "limits",
    "violations",
];
/// The keys of a rule.
const RULE: &[&str] =
    &["name", "application", "peer", "service", "port", "accept", "foreign", "prefer", "sources", "trusts"];
/// The keys of a publisher.
const PUBLISHER: &[&str] = &["key", "keys", "threshold"];
/// The levels that have limits.
const LIMITS: &[&str] = &["pinned", "signed", "any"];
/// What a level has.
const LIMIT: &[&str] = &["memory", "fuel", "cap"];
/// When code is out.
const VIOLATIONS: &[&str] = &["most", "within", "out"];
/// What a host that code is fetched from begins with.
const HOST: &str = "host:";

/// Whether a host can be found by its name, or why not.
pub type HostCheck<'a> = dyn Fn(&str) -> core::result::Result<(), String> + 'a;

/// What the reader of a policy knows: a rule of something else would never apply, and is a slip of the pen.
#[derive(Clone, Copy, Default)]
pub struct Words<'a> {
    /// Applications that there are, beside those that the policy names in `applications`. None: any may be.
    pub applications: Option<&'a [&'a str]>,
    /// Services that there are, beside those that the policy names in `services`. None: any may be.
    pub services: Option<&'a [&'a str]>,
    /// How hosts of `sources` are looked for. None: they are not.
    pub host: Option<&'a HostCheck<'a>>,
}

impl Policy {
    /// Reads a policy. What it does not say is as in [`Policy::default`].
    ///
    /// # Errors
    /// The first fault that is found, with its line.
    pub fn parse(text: &str) -> core::result::Result<Policy, SettingsError> {
        Policy::parse_by(text, &Words::default())
    }

    /// The same; a name that is none of these words is a fault, too.
    ///
    /// # Errors
    /// The first fault that is found, with its line.
    pub fn parse_by(text: &str, words: &Words<'_>) -> core::result::Result<Policy, SettingsError> {
        let document = Document::parse(text)?;
        let file = document.section(FILE)?;
        let mut policy = Policy::default();
        if let Some(field) = file.get("publishers") {
            policy.publishers = publishers(&field)?;
        }
        if let Some(field) = file.get("pins") {
            policy.pins = values(&field, hash)?.into_iter().collect();
        }
        if let Some(field) = file.get("limits") {
            limits(&field.table("[limits]", LIMITS)?, &mut policy.limits)?;
        }
        if let Some(field) = file.get("violations") {
            policy.offenders = offenders(&field.table("[violations]", VIOLATIONS)?)?;
        }
        let names = |key: &str| file.get(key).map_or(Ok(Vec::new()), |field| values(&field, name_of));
        (policy.applications, policy.services) = (names("applications")?, names("services")?);
        says(&file, &mut policy.default, words)?;
        let rules = file.all("rule")?;
        if let Some(field) = rules.get(RULES_MAX) {
            return Err(field.wrong(format!("a policy has at most {RULES_MAX} rules")));
        }
        for (at, field) in rules.iter().enumerate() {
            let rule = rule(field, at, &policy, words)?;
            if rule.name == policy.default.name || policy.rules.iter().any(|other| other.name == rule.name) {
                let problem = format!("there are two rules called {:?}; give each a name of its own", &*rule.name);
                return Err(field.contradiction(problem));
            }
            policy.rules.push(rule);
        }
        Ok(policy)
    }
}

/// What a rule says, or the file for where none applies.
fn says(table: &Section<'_, '_>, rule: &mut Rule, words: &Words<'_>) -> Result<()> {
    if let Some(field) = table.get("accept") {
        rule.accept = Acceptance::ALL[field.choice("acceptance", &Acceptance::NAMES)?];
    }
    if let Some(field) = table.get("foreign") {
        rule.foreign = field.flag()?;
    }
    if let Some(field) = table.get("prefer") {
        rule.prefer = values(&field, choice)?;
    }
    if let Some(field) = table.get("sources") {
        rule.sources = values(&field, |field| source(field, words))?;
    }
    Ok(())
}

/// What a rule does not say is as where none applies.
fn rule(field: &Field<'_, '_>, at: usize, policy: &Policy, words: &Words<'_>) -> Result<Rule> {
    let table = field.table("[[rule]]", RULE)?;
    let mut rule = Rule { when: when(&table, policy, words)?, ..policy.default.clone() };
    rule.name = match table.get("name") {
        Some(name) => Arc::from(named(&name)?),
        None => format!("rule {}", at + 1).into(),
    };
    says(&table, &mut rule, words)?;
    if let Some(field) = table.get("trusts") {
        rule.trusts = Trust::ALL[field.choice("trust", &Trust::NAMES)?];
        if rule.trusts != Trust::Nothing && rule.when.peers.is_empty() {
            return Err(field.contradiction("trust is for peers by name; write peer beside it".to_owned()));
        }
    }
    Ok(rule)
}

fn when(table: &Section<'_, '_>, policy: &Policy, words: &Words<'_>) -> Result<When> {
    let of = |what: &'static str, own: &[String], known: Option<&[&str]>| {
        table.get(what).map_or(Ok(Vec::new()), |field| values(&field, |field| one_of(field, what, own, known)))
    };
    Ok(When {
        applications: of("application", &policy.applications, words.applications)?,
        services: of("service", &policy.services, words.services)?,
        peers: table.get("peer").map_or(Ok(Vec::new()), |field| values(&field, peer))?,
        ports: table.get("port").map_or(Ok(Vec::new()), |field| values(&field, ports))?,
    })
}

/// One value, or a list of them. An empty list would stand for all, and is none that anybody means.
fn values<T>(field: &Field<'_, '_>, read: impl Fn(&Field<'_, '_>) -> Result<T>) -> Result<Vec<T>> {
    let Ok(list) = field.list() else { return Ok(vec![read(field)?]) };
    match list.len() {
        0 => Err(field.wrong("the list is empty; leave the key out, or write what should be in it")),
        len if len > POLICY_LIST_MAX => Err(field.wrong(format!("a list has at most {POLICY_LIST_MAX} entries"))),
        _ => list.iter().map(read).collect(),
    }
}

fn named<'t>(field: &Field<'t, '_>) -> Result<&'t str> {
    let text = field.text()?;
    let fits = (1..=POLICY_NAME_MAX).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if fits { Ok(text) } else { Err(field.wrong(format!("write a name of 1 to {POLICY_NAME_MAX} letters"))) }
}

fn name_of(field: &Field<'_, '_>) -> Result<String> {
    named(field).map(str::to_owned)
}

/// A name of something that there is, if that is known.
fn one_of(field: &Field<'_, '_>, what: &'static str, own: &[String], known: Option<&[&str]>) -> Result<String> {
    let name = named(field)?;
    let all = known.into_iter().flatten().copied().chain(own.iter().map(String::as_str));
    match known.is_none() || all.clone().any(|known| known == name) {
        true => Ok(name.to_owned()),
        false => Err(field.unknown(what, name, all)),
    }
}

fn hash(field: &Field<'_, '_>) -> Result<CodeHash> {
    field.text()?.parse().map_err(|why: tng_base::NoCodeHash| field.wrong(why.to_string()))
}

fn choice(field: &Field<'_, '_>) -> Result<Choice> {
    let text = field.text()?;
    text.parse().map_err(|why| field.wrong(format!("{text:?} is no hash and no name: {why}")))
}

fn peer(field: &Field<'_, '_>) -> Result<Eid> {
    field.text()?.parse().map_err(|why: tng_base::EidError| field.wrong(why.to_string()))
}

/// A port, or from one to another: `4860`, `"5000-5999"`.
fn ports(field: &Field<'_, '_>) -> Result<RangeInclusive<u16>> {
    const WANTED: &str = "write a port, like 4860, or a range, like \"5000-5999\"";
    let Some(text) = field.as_text() else {
        let port = u16::try_from(field.whole(0..65_536)?).map_err(|_| field.wrong(WANTED))?;
        return Ok(port..=port);
    };
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (from.trim().parse(), to.trim().parse()) {
        (Ok(from), Ok(to)) if from <= to => Ok(from..=to),
        _ => Err(field.wrong(WANTED)),
    }
}

fn source(field: &Field<'_, '_>, words: &Words<'_>) -> Result<Source> {
    match field.text()? {
        "peer" => Ok(Source::Peer),
        "file" => Ok(Source::File),
        text => match text.strip_prefix(HOST).filter(|host| (1..=HOST_MAX).contains(&host.len())) {
            Some(host) => {
                let found = words.host.map_or(Ok(()), |find| find(host));
                found.map(|()| Source::Host(host.to_owned())).map_err(|why| field.wrong(why))
            }
            None => Err(field.wrong(format!("{text:?} is no source; write \"peer\", \"file\" or \"host:NAME\""))),
        },
    }
}

fn publishers(field: &Field<'_, '_>) -> Result<Vec<Publisher>> {
    let entries = field.entries()?;
    if entries.len() > PUBLISHERS_MAX {
        return Err(field.wrong(format!("a policy has at most {PUBLISHERS_MAX} publishers")));
    }
    let mut publishers: Vec<Publisher> = Vec::new();
    for field in entries {
        let publisher = publisher(&field)?;
        let has = |key: &PublisherKey| {
            publishers.iter().find(|other| other.keys.iter().any(|known| known.is_same_secret(key)))
        };
        if let Some(other) = publisher.keys.iter().find_map(has) {
            return Err(field.contradiction(format!("{} has one of its keys already", other.name)));
        }
        publishers.push(publisher);
    }
    Ok(publishers)
}

fn publisher(field: &Field<'_, '_>) -> Result<Publisher> {
    let name = field.key.clone();
    let table = field.table(&format!("[publishers.{name}]"), PUBLISHER)?;
    let listed = match (table.get("key"), table.get("keys")) {
        (Some(key), None) => key,
        (None, Some(keys)) => keys,
        (Some(_), Some(keys)) => return Err(keys.contradiction("write key or keys, not both".to_owned())),
        (None, None) => return Err(table.missing("key or keys")),
    };
    let read =
        |field: &Field<'_, '_>| field.text()?.parse().map_err(|why: crate::KeyTextError| field.wrong(why.to_string()));
    let keys: Vec<PublisherKey> = values(&listed, read)?;
    let twice = |at: usize| keys[..at].iter().any(|other| other.is_same_secret(&keys[at]));
    if (0..keys.len()).any(twice) {
        return Err(listed.wrong("a key is there twice, and would count twice"));
    }
    let most = keys.len().min(SIGNATURES_MAX);
    let threshold = match table.get("threshold") {
        Some(field) => usize::try_from(field.whole(1..most as u64 + 1)?).unwrap_or(most),
        None => 1,
    };
    Ok(Publisher { name, keys, threshold })
}

fn limits(table: &Section<'_, '_>, levels: &mut LevelLimits) -> Result<()> {
    for (key, level) in [("pinned", &mut levels.pinned), ("signed", &mut levels.signed), ("any", &mut levels.any)] {
        let Some(field) = table.get(key) else { continue };
        let name = format!("[limits.{key}]");
        let section = field.table(&name, LIMIT)?;
        let Limits { memory, fuel, cap } = level;
        if let Some(field) = section.get("memory") {
            *memory = field.some_size()?;
        }
        if let Some(field) = section.get("fuel") {
            *fuel = field.whole(1..1 << 40)?;
        }
        if let Some(field) = section.get("cap") {
            *cap = Cap::of(field.choice("cap", &Cap::NAMES)?).unwrap_or_default();
            if key == "any" && *cap == Cap::Modern {
                return Err(field.wrong("code that nobody vouches for is held to the equation; pin it, or sign it"));
            }
        }
    }
    Ok(())
}

fn offenders(table: &Section<'_, '_>) -> Result<Offenders> {
    let mut offenders = Offenders::default();
    if let Some(field) = table.get("most") {
        let most = field.whole(1..crate::VIOLATIONS_KEPT_MAX as u64 + 1)?;
        offenders.most = usize::try_from(most).unwrap_or(crate::VIOLATIONS_KEPT_MAX);
    }
    if let Some(field) = table.get("within") {
        offenders.within_s = field.some_time()?.as_secs();
    }
    if let Some(field) = table.get("out") {
        offenders.out_s = field.some_time()?.as_secs();
    }
    Ok(offenders)
}
