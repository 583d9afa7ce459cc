//! From text to [`Scenario`].

use core::net::IpAddr;
use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use tng_congestion::registry;
use tng_sim::{Link, topology};
use toml::de::DeTable;

use super::error::{Fault, ScenarioError};
use super::lane::{LinkPatch, lane_keys};
use super::section::{Field, Result, Section, Source};
use super::{
    Amount, DURATION_DEFAULT, EventKind, EventSpec, FlowProtocol, FlowSpec, LinkSpec, NodeKind, NodeSpec, Scenario,
    controller_of,
};

/// The most hosts that get addresses from the list that is used for those that name none.
const HOSTS_MAX: usize = u16::MAX as usize;

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// The first fault that is found, with its line.
    pub fn parse(text: &str) -> core::result::Result<Scenario, ScenarioError> {
        let source = Source(text);
        let root = DeTable::parse(text).map_err(|error| {
            source.error(error.span().unwrap_or(0..0), Fault::Syntax(error.message().replace('\n', "; ")))
        })?;
        let file = Section::new(source, "the file", 0..0, root.get_ref(), &["world", "node", "link", "flow", "event"])?;
        let mut reader = Reader { file, nodes: Vec::new(), links: Vec::new() };
        reader.read()
    }
}

/// What was read so far that names can refer to.
struct Reader<'t, 'i> {
    file: Section<'t, 'i>,
    nodes: Vec<NodeSpec>,
    links: Vec<LinkSpec>,
}

impl<'t, 'i> Reader<'t, 'i> {
    fn read(&mut self) -> Result<Scenario> {
        let (mut seed, mut duration) = (0, DURATION_DEFAULT);
        if let Some(world) = self.file.get("world") {
            let section = world.table("[world]", &["seed", "duration"])?;
            seed = section.get("seed").map_or(Ok(seed), |field| field.whole(0..1 << 63))?;
            duration = section.get("duration").map_or(Ok(duration), |field| field.time())?;
        }
        self.read_nodes()?;
        for field in self.all("link")? {
            let link = self.link(&field)?;
            self.links.push(link);
        }
        let flows = self.read_flows()?;
        let mut events = Vec::new();
        for field in self.all("event")? {
            events.push(self.event(&field)?);
        }
        // Stable: events at the same time happen in the order of the file.
        events.sort_by_key(|event| event.at);
        let (nodes, links) = (core::mem::take(&mut self.nodes), core::mem::take(&mut self.links));
        Ok(Scenario { seed, duration, nodes, links, flows, events })
    }

    /// The tables of an array of tables.
    fn all(&self, key: &str) -> Result<Vec<Field<'t, 'i>>> {
        self.file.get(key).map_or(Ok(Vec::new()), |field| {
            field.list().map_err(|_| field.wrong(format!("write [[{key}]], with double brackets")))
        })
    }

    fn read_nodes(&mut self) -> Result<()> {
        let mut taken = BTreeMap::new();
        let mut hosts = 0;
        for field in self.all("node")? {
            let section = field.table("[[node]]", &["name", "kind", "addresses"])?;
            let name = section.need("name")?.text()?.to_owned();
            if self.nodes.iter().any(|node| node.name == name) {
                return Err(section.contradiction(format!("there are two nodes {name:?}")));
            }
            let kind = section.get("kind").map_or(Ok(0), |field| field.choice("kind of node", &["host", "router"]))?;
            let addresses = section.get("addresses").map(|field| field.list()).transpose()?;
            let kind = if kind == 1 {
                if addresses.is_some() {
                    return Err(section.contradiction(format!("{name:?} is a router, and routers have no addresses")));
                }
                NodeKind::Router
            } else {
                let addresses: Vec<IpAddr> = match addresses {
                    Some(list) if list.is_empty() => return Err(section.missing("at least one address")),
                    Some(list) => list.iter().map(Field::ip).collect::<Result<_>>()?,
                    None if hosts < HOSTS_MAX => vec![topology::ipv4(hosts as u16), topology::ipv6(hosts as u16)],
                    None => return Err(section.contradiction(format!("more than {HOSTS_MAX} hosts without addresses"))),
                };
                hosts += 1;
                for address in &addresses {
                    if let Some(other) = taken.insert(*address, name.clone()) {
                        return Err(section.contradiction(format!("{address} is also an address of {other:?}")));
                    }
                }
                NodeKind::Host { addresses }
            };
            self.nodes.push(NodeSpec { name, kind });
        }
        Ok(())
    }

    fn link(&self, field: &Field<'t, 'i>) -> Result<LinkSpec> {
        const KEYS: &[&str] = lane_keys!["between", "name", "forth", "back"];
        let section = field.table("[[link]]", KEYS)?;
        let between = section.need("between")?;
        let ends = between.list()?.iter().map(|end| self.node(end)).collect::<Result<Vec<usize>>>()?;
        let [a, b] = ends[..] else {
            return Err(between.wrong("write the names of two nodes, like [\"a\", \"b\"]"));
        };
        if a == b {
            return Err(between.wrong("a link is between two different nodes"));
        }
        let name = match section.get("name") {
            Some(name) => name.text()?.to_owned(),
            None => format!("{}-{}", self.nodes[a].name, self.nodes[b].name),
        };
        if self.links.iter().any(|link| link.name == name) {
            return Err(section.contradiction(format!("there are two links {name:?}; give one another name")));
        }
        let both = LinkPatch::read(&section)?.applied(&Link::new());
        let direction = |key| match section.get(key) {
            Some(field) => Ok(LinkPatch::read(&field.table(key, lane_keys![])?)?.applied(&both)),
            None => Ok(both.clone()),
        };
        Ok(LinkSpec { name, a, b, forth: direction("forth")?, back: direction("back")? })
    }

    fn read_flows(&self) -> Result<Vec<FlowSpec>> {
        let mut flows: Vec<FlowSpec> = Vec::new();
        for field in self.all("flow")? {
            let keys = &["name", "from", "to", "protocol", "bytes", "duration", "start", "controller"];
            let section = field.table("[[flow]]", keys)?;
            let (from, to) = (self.host(&section.need("from")?)?, self.host(&section.need("to")?)?);
            if from == to {
                return Err(section.contradiction("a flow is between two different hosts".into()));
            }
            if !self.connected(from, to) {
                let (from, to) = (&self.nodes[from].name, &self.nodes[to].name);
                return Err(section.contradiction(format!("no links lead from {from:?} to {to:?}")));
            }
            section.get("protocol").map_or(Ok(0), |field| field.choice("protocol", &["tng"]))?;
            let amount = match (section.get("bytes"), section.get("duration")) {
                (Some(bytes), None) => Amount::Bytes(bytes.size()?),
                (None, Some(time)) => Amount::For(time.time()?),
                (None, None) => return Err(section.missing("bytes or duration")),
                (Some(_), Some(_)) => {
                    return Err(section.contradiction("a flow has bytes or a duration, not both".into()));
                }
            };
            let controller = section.get("controller").map(|field| controller(&field)).transpose()?;
            if let (Some(name), Some(other)) = (&controller, controller_of(&flows, from))
                && name != other
            {
                let host = &self.nodes[from].name;
                return Err(section.contradiction(format!(
                    "{host:?} sends with {other:?} already, and a host has one congestion controller; use another host"
                )));
            }
            let name = match section.get("name") {
                Some(name) => name.text()?.to_owned(),
                None => free_name(format!("{}->{}", self.nodes[from].name, self.nodes[to].name), &flows),
            };
            if flows.iter().any(|flow| flow.name == name) {
                return Err(section.contradiction(format!("there are two flows {name:?}")));
            }
            let start = section.get("start").map_or(Ok(Duration::ZERO), |field| field.time())?;
            flows.push(FlowSpec { name, from, to, protocol: FlowProtocol::Tng, amount, start, controller });
        }
        Ok(flows)
    }

    fn event(&self, field: &Field<'t, 'i>) -> Result<EventSpec> {
        const KINDS: &[&str] = &["outage", "link", "address", "rebind", "restart", "stop"];
        const ALL: &[&str] = lane_keys![
            "at",
            "kind",
            "link",
            "lasts",
            "holds",
            "direction",
            "node",
            "from",
            "to",
            "local",
            "seen",
            "after"
        ];
        let any = field.table("[[event]]", ALL)?;
        let kind = KINDS[any.need("kind")?.choice("kind of event", KINDS)?];
        let keys: &'static [&'static str] = match kind {
            "outage" => &["at", "kind", "link", "lasts", "holds"],
            "link" => lane_keys!["at", "kind", "link", "direction"],
            "address" => &["at", "kind", "node", "from", "to"],
            "rebind" => &["at", "kind", "node", "local", "seen"],
            "restart" => &["at", "kind", "node", "after"],
            _ => &["at", "kind", "node"],
        };
        let section = field.table(&format!("an [[event]] of kind {kind:?}"), keys)?;
        let at = section.need("at")?.time()?;
        let node = || self.host(&section.need("node")?);
        let ip = |key| section.get(key).map(|field| field.ip()).transpose();
        let kind = match kind {
            "outage" => EventKind::Outage {
                link: self.named_link(&section.need("link")?)?,
                lasts: section.need("lasts")?.time()?,
                holds: section.get("holds").map_or(Ok(false), |field| field.flag())?,
            },
            "link" => {
                let directions = ["both", "forth", "back"];
                let direction =
                    section.get("direction").map_or(Ok(0), |field| field.choice("direction", &directions))?;
                let patch = LinkPatch::read(&section)?;
                if patch.cost.is_some() {
                    return Err(section.contradiction("routes are static: the cost of a link cannot change".into()));
                }
                if patch == LinkPatch::default() {
                    return Err(section.missing("a parameter to change"));
                }
                let link = self.named_link(&section.need("link")?)?;
                EventKind::Link { link, lanes: [direction != 2, direction != 1], patch: Box::new(patch) }
            }
            "address" => EventKind::Address { node: node()?, from: ip("from")?, to: ip("to")? },
            "rebind" => EventKind::Rebind { node: node()?, local: ip("local")?, seen: section.need("seen")?.socket()? },
            "restart" => {
                let after = section.get("after").map_or(Ok(Duration::ZERO), |field| field.time())?;
                EventKind::Restart { node: node()?, after }
            }
            _ => EventKind::Stop { node: node()? },
        };
        Ok(EventSpec { at, kind })
    }

    fn node(&self, field: &Field<'_, '_>) -> Result<usize> {
        let name = field.text()?;
        let found = self.nodes.iter().position(|node| node.name == name);
        found.ok_or_else(|| field.unknown("node", name, self.nodes.iter().map(|node| node.name.as_str())))
    }

    fn host(&self, field: &Field<'_, '_>) -> Result<usize> {
        let node = self.node(field)?;
        match self.nodes[node].kind {
            NodeKind::Host { .. } => Ok(node),
            NodeKind::Router => Err(field.wrong(format!("{:?} is a router; name a host", self.nodes[node].name))),
        }
    }

    fn named_link(&self, field: &Field<'_, '_>) -> Result<usize> {
        let name = field.text()?;
        let found = self.links.iter().position(|link| link.name == name);
        found.ok_or_else(|| field.unknown("link", name, self.links.iter().map(|link| link.name.as_str())))
    }

    /// Whether links lead from one host to another; hosts on the way do not forward.
    fn connected(&self, from: usize, to: usize) -> bool {
        let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(node) = open.pop() {
            if node != from && matches!(self.nodes[node].kind, NodeKind::Host { .. }) {
                continue;
            }
            for link in &self.links {
                for (near, far) in [(link.a, link.b), (link.b, link.a)] {
                    if near == node && reached.insert(far) {
                        open.push(far);
                    }
                }
            }
        }
        reached.contains(&to)
    }
}

fn controller(field: &Field<'_, '_>) -> Result<String> {
    let name = field.text()?;
    match registry::ENTRIES.iter().find(|entry| entry.name == name) {
        Some(entry) => Ok(entry.name.to_owned()),
        None => Err(field.unknown("congestion controller", name, registry::ENTRIES.iter().map(|entry| entry.name))),
    }
}

/// `name`, or with a number behind it if some flow has it.
fn free_name(name: String, flows: &[FlowSpec]) -> String {
    let taken = |name: &str| flows.iter().any(|flow| flow.name == name);
    if !taken(&name) {
        return name;
    }
    let mut number = 2;
    while taken(&format!("{name} {number}")) {
        number += 1;
    }
    format!("{name} {number}")
}
