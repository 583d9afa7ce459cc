//! What a setting's world is made of, for the page.

use super::build::{beside, coming};
use super::{Party, Setting, Speaks};
use crate::peers::contest;
use crate::peers::transport::tell::{self, host, link, tcp};
use crate::settings::{Configured, Settings};

impl Configured for Setting {
    fn tell(&self, settings: &mut Settings) {
        for (n, span) in self.links.iter().enumerate() {
            let name = |from: usize, to: usize| format!("router {from} to router {to}");
            link(settings, &name(n, n + 1), &span.forth);
            link(settings, &name(n + 1, n), &span.back);
        }
        link(settings, "hosts to their routers", &self.leaving());
        link(settings, "routers to their hosts", &coming());
        for (place, post) in self.helpers.iter().enumerate() {
            let name = format!("helper {place}");
            settings.set(&name, "router", post.router);
            if post.in_path {
                settings.set(&name, "in the path", "it sees what passes its router, and offers itself");
            }
            tell::helper(settings, &name, &post.config);
            for (router, config) in &post.toward {
                tell::neighbourhood(settings, &format!("helper {place} toward router {router}"), config);
            }
            link(settings, "routers to and from their helpers", &beside());
        }
        self.parties.iter().for_each(|party| party.tell(settings));
        settings.set("samples", "step", format_args!("{:?}", self.step));
    }
}

impl Party {
    fn tell(&self, settings: &mut Settings) {
        let Party { name, between, direction, speaks, connections, bytes, start, stop, ping } = self;
        let amount = bytes.map_or("endless".to_owned(), |bytes| bytes.to_string());
        settings.set(name, "between routers", format_args!("{} and {}", between.0, between.1));
        settings.set(name, "direction", format_args!("{direction:?}"));
        settings.set(name, "connections", connections);
        settings.set(name, "bytes of each", amount);
        settings.set(name, "start", format_args!("{start:?}"));
        stop.iter().for_each(|stop| settings.set(name, "stop", format_args!("{stop:?}")));
        ping.iter().for_each(|ping| settings.set(name, "ping", format_args!("{ping:?}")));
        match speaks {
            Speaks::Tcp { controller } => {
                let bulk = contest::Party::new(contest::Transport::Tcp, controller.name());
                tcp(settings, name, &contest::tcp_config(&bulk));
            }
            Speaks::Tng { client, server, via, wishes, above } => {
                settings.set(name, "helpers", format_args!("{via:?}"));
                let wished = wishes.controller.iter();
                wished.for_each(|wished| settings.set(name, "controller asked of helpers", wished));
                above.iter().for_each(|above| settings.set(name, "loop above", above));
                host(settings, &format!("client of {name}"), client);
                host(settings, &format!("server of {name}"), server);
            }
        }
    }
}
