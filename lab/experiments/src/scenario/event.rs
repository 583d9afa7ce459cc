//! Events.

use core::time::Duration;

use super::flow::priority;
use super::lane::{LinkPatch, lane_keys};
use super::parse::Reader;
use super::{End, EventKind, EventSpec, FlowProtocol, FlowSpec, PeerAction, StreamAction};
use tng_settings::{Field, Result, Section};

impl<'t, 'i> Reader<'t, 'i> {
    pub(super) fn event(&self, field: &Field<'t, 'i>) -> Result<EventSpec> {
        const KINDS: &[&str] = &[
            "outage", "link", "address", "rebind", "path", "reach", "restart", "stop", "priority", "pause", "resume",
            "finish", "reset",
        ];
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
            "after",
            "peer",
            "stream",
            "priority",
            "by",
            "code"
        ];
        let any = field.table("[[event]]", ALL)?;
        let kind = KINDS[any.need("kind")?.choice("kind of event", KINDS)?];
        let keys: &'static [&'static str] = match kind {
            "outage" => &["at", "kind", "link", "lasts", "holds"],
            "link" => lane_keys!["at", "kind", "link", "direction"],
            "address" => &["at", "kind", "node", "from", "to"],
            "rebind" => &["at", "kind", "node", "local", "seen"],
            "path" => &["at", "kind", "node", "peer", "local", "to"],
            "reach" => &["at", "kind", "node", "peer", "to"],
            "restart" => &["at", "kind", "node", "after"],
            "stop" if any.get("stream").is_some() => &["at", "kind", "stream", "code"],
            "stop" => &["at", "kind", "node"],
            "priority" => &["at", "kind", "stream", "priority", "by"],
            "reset" => &["at", "kind", "stream", "code"],
            _ => &["at", "kind", "stream"],
        };
        let section = field.table(&format!("an [[event]] of kind {kind:?}"), keys)?;
        let at = section.need("at")?.time()?;
        let node = || self.host(&section.need("node")?);
        let machine = || self.machine(&section.need("node")?);
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
            "address" => {
                let to = section.get("to").map(|field| field.unicast()).transpose()?;
                EventKind::Address { node: node()?, from: ip("from")?, to }
            }
            "rebind" => EventKind::Rebind { node: node()?, local: ip("local")?, seen: section.need("seen")?.socket()? },
            "path" | "reach" => {
                let (node, peer) = (node()?, self.host(&section.need("peer")?)?);
                let to = section.need("to")?.ip()?;
                let over =
                    |flow: &&FlowSpec| flow.protocol == FlowProtocol::TNG && [flow.from, flow.to].contains(&node);
                if node == peer || !self.flows.iter().filter(over).any(|flow| [flow.from, flow.to].contains(&peer)) {
                    return Err(section.contradiction("there is no flow over tng between these two hosts".into()));
                }
                let action = match kind {
                    "path" => PeerAction::Path { local: ip("local")?, to },
                    _ => PeerAction::Reach { to },
                };
                EventKind::Peer { node, peer, action }
            }
            "restart" => {
                let after = section.get("after").map_or(Ok(Duration::ZERO), |field| field.time())?;
                EventKind::Restart { node: machine()?, after }
            }
            "stop" if section.get("stream").is_none() => EventKind::Stop { node: machine()? },
            kind => {
                let stream = self.named_stream(&section.need("stream")?)?;
                let protocol = self.flows[stream.flow].protocol;
                if kind == "priority" && !protocol.row().structured {
                    let protocol = protocol.name();
                    return Err(section.contradiction(format!(
                        "the priority of a stream over {protocol} cannot change; only those over tng have one"
                    )));
                }
                if let Some(why) = protocol.lacks(kind).filter(|_| kind != "priority") {
                    let protocol = protocol.name();
                    return Err(section.contradiction(format!("nobody can {kind} a stream over {protocol}: {why}")));
                }
                EventKind::Stream { stream, action: action(kind, &section)? }
            }
        };
        Ok(EventSpec { at, kind })
    }
}

/// What happens to a stream.
fn action(kind: &str, section: &Section<'_, '_>) -> Result<StreamAction> {
    let code = || section.get("code").map_or(Ok(0), |field| field.whole(0..1 << 62));
    Ok(match kind {
        "priority" => {
            let by =
                section.get("by").map_or(Ok(0), |field| field.choice("end of a stream", &["sender", "receiver"]))?;
            let by = if by == 0 { End::Sender } else { End::Receiver };
            StreamAction::Priority { by, priority: priority(&section.need("priority")?)? }
        }
        "pause" => StreamAction::Pause,
        "resume" => StreamAction::Resume,
        "finish" => StreamAction::Finish,
        "reset" => StreamAction::Reset { code: code()? },
        _ => StreamAction::Stop { code: code()? },
    })
}
