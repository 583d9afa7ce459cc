//! Helped paths: a chain of routers, helpers beside some of them, and flows over parts of it.
//!
//! A [`Setting`] is a chain: router `n` is joined to router `n + 1` by link `n`, and each end of a [`Party`] is a host
//! on a fast link of its own at one of the routers. So the first link may be a DSL line and router 0 the modem; what a
//! link tells of lost packets ([`Link::notices`]) reaches hosts and helpers at the router where it ends. A party speaks
//! tng, directly or by way of helpers, or the reference TCP.
//!
//! ```
//! # use core::time::Duration;
//! # use tng_experiments::peers::helped::{Direction, Party, Post, Setting, Span};
//! # use tng_sim::Link;
//! let slow = Link::new().rate(1_000_000).delay(Duration::from_millis(10));
//! let core = Link::new().rate(10_000_000).delay(Duration::from_millis(50));
//! let mut setting = Setting::new(1, vec![slow.into(), core.into()]);
//! setting.helpers.push(Post::at(1).elsewhere("newreno").toward(0, "vegas"));
//! setting.parties.push(Party::tng("split", (0, 2), Direction::Up, ["vegas", "newreno"]).via(&[0]).bytes(100_000));
//! let mut run = setting.begin();
//! run.run_until(Duration::from_secs(5));
//! assert_eq!(run.tally(0).complete, 1);
//! assert!(run.samples(0).iter().any(|sample| sample.helped));
//! ```

mod build;
mod end;
mod looped;
pub(crate) mod real;
mod run;
mod tally;
mod tell;
#[cfg(test)]
mod tests;

use crate::peers::transport::{choice, section_choice};
use core::time::Duration;

use tng_congestion::Choice;
use tng_middlebox::{ClientLimits, HelperConfig, Neighbourhood, Network, Offers, Onward};
use tng_queue::QueueConfig;
use tng_sim::{Link, topology};
use tng_stack::{Access, HelpersInPath, HostConfig, Wishes};

pub use end::End;
pub use run::{Any, Run, Sample};
pub use tally::{Delay, Side, Tally, Told};

/// A link of the chain, with settings for each direction.
#[derive(Clone, PartialEq, Debug)]
pub struct Span {
    /// From the lower router to the higher one.
    pub forth: Link,
    /// The opposite direction.
    pub back: Link,
}

impl From<Link> for Span {
    fn from(link: Link) -> Span {
        Span { forth: link.clone(), back: link }
    }
}

/// A helper and the router that it stands beside.
#[derive(Clone, Debug)]
pub struct Post {
    /// Number of the router.
    pub router: usize,
    /// What its operator decides.
    pub config: HelperConfig,
    /// The neighbourhoods that [`toward`](Post::toward) names, by router: hosts and helpers there are in it.
    pub toward: Vec<(usize, Neighbourhood)>,
    /// Whether it sees what passes its router, and offers itself to who begins a set-up there.
    pub in_path: bool,
}

impl Post {
    /// A helper with defaults, which passes on to everywhere.
    pub fn at(router: usize) -> Post {
        let everywhere = Onward::Listed(vec![Network { address: topology::ipv4(0), bits: 8 }]);
        let config = HelperConfig { onward: everywhere, ..HelperConfig::default() };
        Post { router, config, toward: Vec::new(), in_path: false }
    }

    /// With this controller for sections with hosts and helpers in no neighbourhood.
    #[must_use]
    pub fn elsewhere(mut self, controller: &str) -> Post {
        self.config.elsewhere.controller = section_choice(controller);
        self
    }

    /// With this controller for sections with hosts and helpers at a router.
    #[must_use]
    pub fn toward(mut self, router: usize, controller: &str) -> Post {
        let neighbourhood = Neighbourhood { controller: section_choice(controller), ..self.config.elsewhere.clone() };
        self.toward.push((router, neighbourhood));
        self
    }

    /// With this controller for sections with those hosts and helpers at a router that ask for it.
    #[must_use]
    pub fn offering(mut self, router: usize, controller: &str) -> Post {
        let offers = Offers { controllers: vec![section_choice(controller)], ..Offers::default() };
        self.toward.push((router, Neighbourhood { offers, ..self.config.elsewhere.clone() }));
        self
    }

    /// In the path of what passes its router. It advises clients of what governs its section with them where that is
    /// among what it [offers](Post::advising).
    #[must_use]
    pub fn in_path(mut self) -> Post {
        self.config.in_path = Some(ClientLimits::default());
        Post { in_path: true, ..self }
    }

    /// With this controller for sections with hosts and helpers at a router, which they may ask for as well.
    #[must_use]
    pub fn advising(mut self, router: usize, controller: &str) -> Post {
        let controller = section_choice(controller);
        let offers = Offers { controllers: vec![controller.clone()], ..Offers::default() };
        self.toward.push((router, Neighbourhood { controller, offers, ..self.config.elsewhere.clone() }));
        self
    }

    /// With this discipline for any of its queues, whatever their controllers.
    #[must_use]
    pub fn discipline(mut self, discipline: &QueueConfig) -> Post {
        self.config.elsewhere.discipline = Some(discipline.clone());
        self.toward.iter_mut().for_each(|(_, neighbourhood)| neighbourhood.discipline = Some(discipline.clone()));
        self
    }

    /// With this time for what waits in any of its queues at most.
    #[must_use]
    pub fn queue_time(mut self, time: Duration) -> Post {
        self.config.elsewhere.queue_time = time;
        self.toward.iter_mut().for_each(|(_, neighbourhood)| neighbourhood.queue_time = time);
        self
    }
}

/// Where data flows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the client, which connects, to the server.
    Up,
    /// From the server to the client.
    Down,
}

/// What a party speaks.
#[derive(Clone, Debug)]
pub enum Speaks {
    /// Structured streams over an encrypted channel.
    Tng {
        /// Settings of the client; its controller runs the first section, or the whole path where there is but one.
        client: Box<HostConfig>,
        /// Settings of the server; its controller runs the last section, or the whole path.
        server: Box<HostConfig>,
        /// The helpers that the client asks for, by their place in [`Setting::helpers`].
        via: Vec<usize>,
        /// What it asks each of them for.
        wishes: Wishes,
        /// What governs one loop from end to end above the sections, at both ends, if there is one (Tng 4.4).
        above: Option<Choice>,
    },
    /// The reference TCP, with this controller.
    Tcp {
        /// By name.
        controller: Choice,
    },
}

/// A client, a server, and what they transfer.
#[derive(Clone, Debug)]
pub struct Party {
    /// Its name, for tables.
    pub name: String,
    /// The routers at which client and server are.
    pub between: (usize, usize),
    /// Where the data flows.
    pub direction: Direction,
    /// What it speaks.
    pub speaks: Speaks,
    /// Connections, each with one transfer.
    pub connections: usize,
    /// Bytes of each transfer; endless if `None`.
    pub bytes: Option<u64>,
    /// When it begins.
    pub start: Duration,
    /// When it is broken off, if it is.
    pub stop: Option<Duration>,
    /// A datagram goes with the data every so often, ahead of it where it waits for its turn in the sender, and is
    /// echoed; tng alone.
    pub ping: Option<Duration>,
}

impl Party {
    /// One endless transfer from the start, over tng, with these controllers of client and server.
    pub fn tng(name: &str, between: (usize, usize), direction: Direction, controllers: [&str; 2]) -> Party {
        let [client, server] = controllers;
        let config = |controller: &str, access| {
            Box::new(HostConfig { controller: choice(controller), ..HostConfig::new(access) })
        };
        let (client, server) = (config(client, Access::Nobody), config(server, Access::Public));
        Party::new(
            name,
            between,
            direction,
            Speaks::Tng { client, server, via: Vec::new(), wishes: Wishes::default(), above: None },
        )
    }

    /// The same over the reference TCP.
    pub fn tcp(name: &str, between: (usize, usize), direction: Direction, controller: &str) -> Party {
        Party::new(name, between, direction, Speaks::Tcp { controller: choice(controller) })
    }

    fn new(name: &str, between: (usize, usize), direction: Direction, speaks: Speaks) -> Party {
        Party {
            name: name.to_owned(),
            between,
            direction,
            speaks,
            connections: 1,
            bytes: None,
            start: Duration::ZERO,
            stop: None,
            ping: None,
        }
    }

    /// By way of these helpers, in their order; TCP knows of none.
    #[must_use]
    pub fn via(mut self, helpers: &[usize]) -> Party {
        if let Speaks::Tng { via, .. } = &mut self.speaks {
            helpers.clone_into(via);
        }
        self
    }

    /// With a client that goes through helpers in its path if this allows it; TCP never does.
    #[must_use]
    pub fn in_path(mut self, policy: HelpersInPath) -> Party {
        if let Speaks::Tng { client, .. } = &mut self.speaks {
            client.in_path = policy;
        }
        self
    }

    /// Asking its helpers for this controller on the sections that lead to them; TCP asks nobody.
    #[must_use]
    pub fn wishing(mut self, controller: &str) -> Party {
        if let Speaks::Tng { wishes, .. } = &mut self.speaks {
            wishes.controller = Some(controller.to_owned());
        }
        self
    }

    /// With a loop of this controller from end to end above its sections; TCP has none.
    #[must_use]
    pub fn looped(mut self, controller: &str) -> Party {
        if let Speaks::Tng { above, .. } = &mut self.speaks {
            *above = Some(choice(controller));
        }
        self
    }

    /// With so many bytes for each transfer.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> Party {
        Party { bytes: Some(bytes), ..self }
    }

    /// From then on.
    #[must_use]
    pub fn start(self, start: Duration) -> Party {
        Party { start, ..self }
    }

    /// With a datagram that is echoed every so often.
    #[must_use]
    pub fn ping(self, every: Duration) -> Party {
        Party { ping: Some(every), ..self }
    }
}

/// A chain of routers, and who is on it.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Determines every lot.
    pub seed: u64,
    /// Link `n` joins routers `n` and `n + 1`.
    pub links: Vec<Span>,
    /// What leaves a host is late by up to this much, in steady order: real hosts are not in step, and packets that all
    /// take the same time would make a drop-tail queue always hit the same flow.
    pub jitter: Duration,
    /// Helpers.
    pub helpers: Vec<Post>,
    /// Flows.
    pub parties: Vec<Party>,
    /// How far samples are from each other.
    pub step: Duration,
}

impl Setting {
    /// A chain that nobody uses, sampled every second.
    pub fn new(seed: u64, links: Vec<Span>) -> Setting {
        let (helpers, parties) = (Vec::new(), Vec::new());
        Setting { seed, links, jitter: Duration::ZERO, helpers, parties, step: Duration::from_secs(1) }
    }
}
