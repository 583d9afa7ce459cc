//! What a scenario's world is made of, for the page.

use super::seats;
use crate::engine::helper;
use crate::engine::plan::Plan;
use crate::peers::transport::tell::link;
use crate::scenario::{DatagramSpec, FlowSpec, NodeKind, Scenario, StreamSpec};
use crate::settings::{Configured, Settings};

impl Configured for Scenario {
    fn tell(&self, settings: &mut Settings) {
        let plan = Plan::new(self);
        for one in &self.links {
            let [a, b] = [one.a, one.b].map(|node| &self.nodes[node].name);
            link(settings, &format!("{}, {a} to {b}", one.name), &one.forth);
            link(settings, &format!("{}, {b} to {a}", one.name), &one.back);
        }
        for (place, node) in self.nodes.iter().enumerate() {
            match &node.kind {
                NodeKind::Host { .. } => {
                    for protocol in seats(self, place) {
                        let part = format!("{} over {}", node.name, protocol.name());
                        (protocol.row().tell)(&plan, place, &part, settings);
                    }
                }
                NodeKind::Helper { .. } => helper::tell(self, place, settings),
                NodeKind::Nat { config, inside } => {
                    settings.describe(&node.name, config);
                    let inside: Vec<_> = inside.iter().map(|node| &*self.nodes[*node].name).collect();
                    settings.set(&node.name, "inside", inside.join(", "));
                }
                NodeKind::Router => {}
            }
        }
        self.flows.iter().for_each(|flow| self.tell_flow(flow, settings));
        for event in &self.events {
            settings.set("events", &format!("{:?}", event.at), self.describe(event));
        }
        settings.set("world", "duration", format_args!("{:?}", self.duration));
        settings.set("world", "interval", format_args!("{:?}", self.interval));
    }
}

impl Scenario {
    fn tell_flow(&self, flow: &FlowSpec, settings: &mut Settings) {
        let FlowSpec { name, group: _, from, to, protocol, via, controller, policed, streams, datagrams, web } = flow;
        let part = format!("flow {name}");
        let [from, to] = [from, to].map(|node| &self.nodes[*node].name);
        settings.set(&part, "from", format_args!("{from} to {to}"));
        settings.set(&part, "protocol", protocol.name());
        if !via.is_empty() {
            let via: Vec<_> = via.iter().map(|node| &*self.nodes[*node].name).collect();
            settings.set(&part, "via", via.join(", "));
        }
        controller.iter().for_each(|controller| settings.set(&part, "controller", controller));
        policed.iter().for_each(|policed| settings.set(&part, "policed", policed));
        for stream in streams {
            let (part, usual) =
                (format!("stream {}", stream.name), StreamSpec::new(String::new(), stream.amount, stream.start));
            settings.configure(
                &part,
                "stream",
                &["amount", "start"],
                &StreamSpec { name: String::new(), ..stream.clone() },
                &usual,
            );
        }
        for group in datagrams {
            settings
                .describe(&format!("datagrams {}", group.name), &DatagramSpec { name: String::new(), ..group.clone() });
        }
        web.iter().for_each(|web| settings.describe(&format!("pages of {name}"), web));
    }
}
