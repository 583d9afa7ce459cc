//! From text to [`Scenario`].

use core::cell::RefCell;
use core::net::IpAddr;
use std::collections::BTreeMap;

use tng_congestion::Controllers;
use tng_sim::{Link, NAT_FORGETS, NatConfig, NatFilter, NatMapping, NatPorts, topology};

use super::change;
use super::lane::{LinkPatch, lane_keys, queue};
use super::ways::Ways;
use super::{
    DURATION_DEFAULT, FlowSpec, HelperQueue, INTERVAL_DEFAULT, INTERVALS_MAX, Kept, LinkSpec, NodeKind, NodeSpec,
    Scenario, TngSpec,
};
use tng_settings::{Document, Field, Result, Section, Source};
use tng_settings::{Fault, FaultLocation, SettingsError};

/// The smallest MTU that IPv6 allows (RFC 8200 section 5).
const IPV6_MTU_MIN: usize = 1280;
/// The most hosts that get addresses from the list that is used for those that name none.
const HOSTS_MAX: usize = u16::MAX as usize;

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// The first fault that is found, with its line.
    pub fn parse(text: &str) -> core::result::Result<Scenario, SettingsError> {
        Scenario::parse_with::<&str>(text, &[])
    }

    /// Reads a scenario, and puts values in place of the file's own: each a key, an equals sign and the value. A key is
    /// a path, `world.duration` or `link.uplink.rate`; if there are several of a section and no name or number (from 1)
    /// follows, all are meant. Values need no quotes.
    ///
    /// # Errors
    /// The first fault that is found, with its line in the file, or with the values.
    pub fn parse_with<S: AsRef<str>>(text: &str, values: &[S]) -> core::result::Result<Scenario, SettingsError> {
        let scenario = Scenario::parse_network(text, values)?;
        if scenario.flows.is_empty() {
            let problem = "nothing flows here: add a [[flow]] with from, to and bytes (docs/scenarios.md begins with a \
                           whole file)";
            return Err(Source(text).error(0..0, Fault::Contradiction(problem.into())));
        }
        Ok(scenario)
    }

    /// The same, for those who want the network alone: nothing need flow in it.
    ///
    /// # Errors
    /// As [`parse_with`](Scenario::parse_with).
    pub fn parse_network<S: AsRef<str>>(text: &str, values: &[S]) -> core::result::Result<Scenario, SettingsError> {
        Scenario::parse_under(text, values, &Controllers::default())
    }

    /// The same, with controllers of flows that a program has registered.
    ///
    /// # Errors
    /// As [`parse_with`](Scenario::parse_with).
    pub fn parse_under<S: AsRef<str>>(
        text: &str,
        values: &[S],
        controllers: &Controllers,
    ) -> core::result::Result<Scenario, SettingsError> {
        let scenario = read(&Document::parse(text)?, controllers)?;
        if values.is_empty() {
            return Ok(scenario);
        }
        let mut root = Document::parse(text)?;
        for value in values.iter().map(AsRef::as_ref) {
            change::put(root.root_mut(), value).map_err(|problem| SettingsError {
                place: FaultLocation::Values(value.to_owned()),
                fault: Fault::Contradiction(problem),
            })?;
        }
        // What stood in the file alone was right.
        let with: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
        let place = FaultLocation::Values(with.join(" "));
        read(&root, controllers).map_err(|error| SettingsError { place, ..error })
    }
}

fn read(document: &Document<'_>, controllers: &Controllers) -> Result<Scenario> {
    let file = document.section(&["world", "node", "link", "flow", "event"])?;
    let controllers = controllers.clone();
    let ways = RefCell::new(Ways::new(&[], &[]));
    Reader { file, controllers, nodes: Vec::new(), links: Vec::new(), ways, flows: Vec::new() }.read()
}

/// What a node can be.
const NODE_KINDS: &[&str] = &["host", "router", "helper", "nat"];
/// Place of the NAT there.
const NAT: usize = 3;
/// The keys of each.
const KEYS_OF_KINDS: [&[&str]; NODE_KINDS.len()] = [
    &["name", "kind", "addresses", "keep_alive", "keep", "streams_max", "weak"],
    &["name", "kind"],
    &["name", "kind", "addresses", "queue", "queue_time"],
    &["name", "kind", "addresses", "inside", "ports", "mapping", "filter", "forgets", "hairpin"],
];
/// The table of a node of that kind.
fn node_table<'t, 'i>(field: &Field<'t, 'i>, kind: usize) -> Result<Section<'t, 'i>> {
    field.table(&format!("a [[node]] of kind {:?}", NODE_KINDS[kind]), KEYS_OF_KINDS[kind])
}

/// Least number of streams that a peer may have at once.
const STREAMS_MIN: u64 = 16;

fn kept(field: &Field<'_, '_>) -> Result<Kept> {
    match field.as_text() {
        Some("forever") => Ok(Kept::Forever),
        _ => field.some_time().map(Kept::For),
    }
}

/// What a host's tng does otherwise than by default.
fn tng(section: &Section<'_, '_>) -> Result<TngSpec> {
    Ok(TngSpec {
        keep_alive: section.get("keep_alive").map(|field| field.some_time()).transpose()?,
        keep: section.get("keep").map(|field| kept(&field)).transpose()?,
        streams_max: section
            .get("streams_max")
            .map(|field| field.whole(STREAMS_MIN..u64::from(u32::MAX >> 1)))
            .transpose()?,
        weak: section.get("weak").map_or(Ok(false), |field| field.flag())?,
    })
}

/// What the operator of a helper decides otherwise than by default.
fn helper_queue(section: &Section<'_, '_>) -> Result<HelperQueue> {
    Ok(HelperQueue {
        discipline: section.get("queue").map(|field| queue(&field)).transpose()?,
        time: section.get("queue_time").map(|field| field.some_time()).transpose()?,
    })
}

/// What a NAT with these addresses is set to.
fn nat(section: &Section<'_, '_>, addresses: Vec<IpAddr>) -> Result<NatConfig> {
    const PORTS: [(&str, NatPorts); 2] = [("preserving", NatPorts::Preserving), ("random", NatPorts::Random)];
    const FILTERS: [(&str, NatFilter); 3] =
        [("none", NatFilter::None), ("address", NatFilter::Address), ("port", NatFilter::Port)];
    const MAPPINGS: [(&str, NatMapping); 2] = [("same", NatMapping::Same), ("each", NatMapping::Each)];
    let mapping = section.get("mapping").map(|field| field.choice("mapping", &MAPPINGS.map(|(name, _)| name)));
    let ports = section.get("ports").map(|field| field.choice("choice of ports", &PORTS.map(|(name, _)| name)));
    let filter = section.get("filter").map(|field| field.choice("filter", &FILTERS.map(|(name, _)| name)));
    Ok(NatConfig {
        addresses,
        ports: ports.transpose()?.map_or(NatPorts::default(), |at| PORTS[at].1),
        mapping: mapping.transpose()?.map_or(NatMapping::default(), |at| MAPPINGS[at].1),
        filter: filter.transpose()?.map_or(NatFilter::default(), |at| FILTERS[at].1),
        forgets: section.get("forgets").map_or(Ok(NAT_FORGETS), |field| field.some_time())?,
        hairpin: section.get("hairpin").map_or(Ok(false), |field| field.flag())?,
    })
}

/// What was read so far that names can refer to.
pub(super) struct Reader<'t, 'i> {
    file: Section<'t, 'i>,
    pub(super) controllers: Controllers,
    pub(super) nodes: Vec<NodeSpec>,
    pub(super) links: Vec<LinkSpec>,
    /// Those between them, once all are known.
    pub(super) ways: RefCell<Ways>,
    pub(super) flows: Vec<FlowSpec>,
}

impl<'t, 'i> Reader<'t, 'i> {
    fn read(&mut self) -> Result<Scenario> {
        let (mut seed, mut duration, mut interval) = (0, DURATION_DEFAULT, INTERVAL_DEFAULT);
        if let Some(world) = self.file.get("world") {
            let section = world.table("[world]", &["seed", "duration", "interval"])?;
            seed = section.get("seed").map_or(Ok(seed), |field| field.whole(0..1 << 63))?;
            duration = section.get("duration").map_or(Ok(duration), |field| field.time())?;
            interval = section.get("interval").map_or(Ok(interval), |field| field.some_time())?;
            if duration.as_nanos().div_ceil(interval.as_nanos()) > u128::from(INTERVALS_MAX) {
                return Err(section.contradiction(format!(
                    "the duration has more than {INTERVALS_MAX} intervals; make the interval longer"
                )));
            }
        }
        self.read_nodes()?;
        for field in self.file.all("link")? {
            let link = self.link(&field)?;
            self.links.push(link);
        }
        self.check_linked()?;
        self.read_nats()?;
        self.ways = RefCell::new(Ways::new(&self.nodes, &self.links));
        for field in self.file.all("flow")? {
            let flow = self.flow(&field)?;
            self.check_mtu(&flow)?;
            self.flows.push(flow);
        }
        let mut events = Vec::new();
        for field in self.file.all("event")? {
            events.push(self.event(&field)?);
        }
        // Stable: events at the same time happen in the order of the file.
        events.sort_by_key(|event| event.at);
        let (nodes, links) = (core::mem::take(&mut self.nodes), core::mem::take(&mut self.links));
        let (flows, controllers) = (core::mem::take(&mut self.flows), core::mem::take(&mut self.controllers));
        Ok(Scenario { seed, duration, interval, nodes, links, controllers, flows, events })
    }

    fn read_nodes(&mut self) -> Result<()> {
        let mut taken = BTreeMap::new();
        let mut numbered = 0;
        for field in self.file.all("node")? {
            let kind = field.entry("kind").map_or(Ok(0), |field| field.choice("kind of node", NODE_KINDS))?;
            if kind == 1 && KEYS_OF_KINDS[0][2..].iter().any(|key| field.entry(key).is_some()) {
                let name = field.entry("name").map_or(Ok(""), |field| field.text())?;
                let problem = format!("{name:?} is a router, and routers have no addresses and no connections");
                return Err(field.contradiction(problem));
            }
            let section = node_table(&field, kind)?;
            let name = section.need("name")?.text()?.to_owned();
            if self.nodes.iter().any(|node| node.name == name) {
                return Err(section.contradiction(format!("there are two nodes {name:?}")));
            }
            let addresses = || match section.get("addresses").map(|field| field.list()).transpose()? {
                Some(list) if list.is_empty() => Err(section.missing("at least one address")),
                Some(list) => list.iter().map(Field::unicast).collect::<Result<Vec<IpAddr>>>(),
                None if numbered < HOSTS_MAX => {
                    Ok(vec![topology::ipv4(numbered as u16), topology::ipv6(numbered as u16)])
                }
                None => Err(section.contradiction(format!("more than {HOSTS_MAX} nodes without addresses"))),
            };
            let kind = match kind {
                0 => NodeKind::Host { addresses: addresses()?, tng: tng(&section)? },
                1 => NodeKind::Router,
                2 => NodeKind::Helper { addresses: addresses()?, queue: helper_queue(&section)? },
                // Those behind it may stand below it: they are read when all nodes are known.
                _ => NodeKind::Nat { config: nat(&section, addresses()?)?, inside: Vec::new() },
            };
            let own = if let NodeKind::Nat { config, .. } = &kind { &config.addresses } else { kind.addresses() };
            numbered += usize::from(!own.is_empty());
            for address in own {
                if let Some(other) = taken.insert(*address, name.clone()) {
                    return Err(section.contradiction(format!("{address} is also an address of {other:?}")));
                }
            }
            self.nodes.push(NodeSpec { name, kind });
        }
        Ok(())
    }

    /// Who is behind each NAT.
    fn read_nats(&mut self) -> Result<()> {
        for (place, field) in self.file.all("node")?.iter().enumerate() {
            let NodeKind::Nat { config, .. } = self.nodes[place].kind.clone() else { continue };
            let section = node_table(field, NAT)?;
            let name = &self.nodes[place].name;
            let mut inside = Vec::new();
            for field in section.need("inside")?.list()? {
                let node = self.node(&field)?;
                let linked = |link: &LinkSpec| [[link.a, link.b], [link.b, link.a]].contains(&[place, node]);
                if !self.links.iter().any(linked) {
                    let problem = format!(
                        "no link is between the NAT {name:?} and {:?}; name the nodes at the other ends of its links",
                        self.nodes[node].name
                    );
                    return Err(field.wrong(problem));
                }
                if inside.contains(&node) {
                    return Err(field.wrong(format!("{:?} stands there twice; name it once", self.nodes[node].name)));
                }
                let own = self.nodes[node].kind.addresses();
                let version = |own: &IpAddr| config.addresses.iter().any(|address| address.is_ipv4() == own.is_ipv4());
                if !own.is_empty() && !own.iter().any(version) {
                    return Err(field.wrong(format!(
                        "{name:?} has no address of an IP version that {:?} has; give it one",
                        self.nodes[node].name
                    )));
                }
                inside.push(node);
            }
            let outside = |link: &LinkSpec| {
                let far = [(link.a, link.b), (link.b, link.a)].into_iter().find(|(near, _)| *near == place);
                far.is_some_and(|(_, far)| !inside.contains(&far))
            };
            if inside.is_empty() || !self.links.iter().any(outside) {
                let problem = format!("the NAT {name:?} needs a node inside, and a link to one that is not");
                return Err(section.contradiction(problem));
            }
            self.nodes[place].kind = NodeKind::Nat { config, inside };
        }
        Ok(())
    }

    /// Every node is on a link: one that is not was forgotten, or its link names another.
    fn check_linked(&self) -> Result<()> {
        let linked = |node| self.links.iter().any(|link| [link.a, link.b].contains(&node));
        match self.file.all("node")?.iter().zip(&self.nodes).enumerate().find(|(node, _)| !linked(*node)) {
            Some((_, (field, node))) if self.nodes.len() > 1 => Err(field.contradiction(format!(
                "no link leads to the node {:?}; add a [[link]] between it and another, or take it out",
                node.name
            ))),
            _ => Ok(()),
        }
    }

    fn link(&self, field: &Field<'t, 'i>) -> Result<LinkSpec> {
        const KEYS: &[&str] = lane_keys!["between", "name", "addresses", "forth", "back"];
        let section = field.table("[[link]]", KEYS)?;
        let between = section.need("between")?;
        let two = || between.wrong("write the names of two nodes, like [\"a\", \"b\"]");
        let ends = between.list().map_err(|_| two())?;
        let ends = ends.iter().map(|end| self.node(end)).collect::<Result<Vec<usize>>>()?;
        let [a, b] = ends[..] else { return Err(two()) };
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
        // The two directions say the rest of what makes sense together.
        let both = LinkPatch::read(&section)?.applied(&Link::new());
        let direction = |key| {
            let patch = section.get(key).map(|field| LinkPatch::read(&field.table(key, lane_keys![])?)).transpose()?;
            patch.unwrap_or_default().changed(&both).map_err(|problem| section.contradiction(problem))
        };
        let addresses = self.addresses_of(&section, [a, b])?;
        Ok(LinkSpec { name, a, b, addresses, forth: direction("forth")?, back: direction("back")? })
    }

    /// Addresses of a link's ends that are on no link yet.
    fn addresses_of(&self, section: &Section<'t, 'i>, ends: [usize; 2]) -> Result<Vec<IpAddr>> {
        let Some(field) = section.get("addresses") else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for field in field.list()? {
            let address = field.ip()?;
            let of_end = |end: &usize| self.addresses(*end).contains(&address);
            if !ends.iter().any(of_end) {
                return Err(field.wrong("write an address of one of the two hosts; give it to the host, too"));
            }
            if found.contains(&address) || self.links.iter().any(|link| link.addresses.contains(&address)) {
                return Err(field.wrong("an address is on one link, and named once"));
            }
            found.push(address);
        }
        Ok(found)
    }

    fn node(&self, field: &Field<'_, '_>) -> Result<usize> {
        let name = field.text()?;
        let found = self.nodes.iter().position(|node| node.name == name);
        found.ok_or_else(|| field.unknown("node", name, self.nodes.iter().map(|node| node.name.as_str())))
    }

    pub(super) fn host(&self, field: &Field<'_, '_>) -> Result<usize> {
        let node = self.node(field)?;
        match &self.nodes[node].kind {
            NodeKind::Host { .. } => Ok(node),
            other => Err(field.wrong(format!("{:?} is a {}; name a host", self.nodes[node].name, other.name()))),
        }
    }

    /// What runs something: a host or a helper.
    pub(super) fn machine(&self, field: &Field<'_, '_>) -> Result<usize> {
        let node = self.node(field)?;
        match &self.nodes[node].kind {
            NodeKind::Host { .. } | NodeKind::Helper { .. } => Ok(node),
            other => {
                Err(field.wrong(format!("{:?} is a {}; name a host or a helper", self.nodes[node].name, other.name())))
            }
        }
    }

    pub(super) fn helper(&self, field: &Field<'_, '_>) -> Result<usize> {
        let node = self.node(field)?;
        match &self.nodes[node].kind {
            NodeKind::Helper { .. } => Ok(node),
            other => {
                let problem =
                    format!("{:?} is a {}; name a node of kind = \"helper\"", self.nodes[node].name, other.name());
                Err(field.wrong(problem))
            }
        }
    }

    pub(super) fn named_link(&self, field: &Field<'_, '_>) -> Result<usize> {
        let name = field.text()?;
        let found = self.links.iter().position(|link| link.name == name);
        found.ok_or_else(|| field.unknown("link", name, self.links.iter().map(|link| link.name.as_str())))
    }

    /// Every link that may carry a flow takes the packets that it needs to begin.
    fn check_mtu(&self, flow: &FlowSpec) -> Result<()> {
        flow.legs().try_for_each(|leg| self.check_mtu_between(flow, leg))
    }

    fn check_mtu_between(&self, flow: &FlowSpec, (start, end): (usize, usize)) -> Result<()> {
        let (from, to) = (self.addresses(start), self.addresses(end));
        let v6 = from.iter().chain(to).any(IpAddr::is_ipv6)
            && [from, to].iter().any(|addresses| addresses.first().is_some_and(IpAddr::is_ipv6));
        let (least, needs) = match flow.protocol {
            _ if v6 => (IPV6_MTU_MIN, "IPv6"),
            _ => (flow.protocol.row().mtu_min, flow.protocol.name()),
        };
        let (near, far) = (self.reached(start), self.reached(end));
        let passes = |node: usize| node == start || node == end || self.nodes[node].kind.forwards();
        let carries = |link: &LinkSpec| {
            [(link.a, link.b), (link.b, link.a)].iter().any(|(a, b)| near.contains(a) && far.contains(b))
                && passes(link.a)
                && passes(link.b)
        };
        let mtu = |link: &LinkSpec| link.forth.mtu.min(link.back.mtu);
        let links = self.file.all("link")?;
        match links.iter().zip(&self.links).find(|(_, link)| carries(link) && mtu(link) < least) {
            Some((field, link)) => Err(field.contradiction(format!(
                "the link {:?} has an mtu of {}, and {needs} needs {least} at least, for the flow {:?}",
                link.name,
                mtu(link),
                flow.name
            ))),
            None => Ok(()),
        }
    }
}
