//! A setting under way.

use core::time::Duration;

use tng_base::{Input, Instant};
use tng_middlebox::{Helper, HelperStats};
use tng_sim::{LaneId, LinkId, MachineNode, Node, NodeId, Outbox, World};
use tng_stack::{ConnectionStats, Host, PathStats};

use super::end::End;
use super::tally::{Seat, Tally};
use super::{Setting, Speaks, build};
use crate::lab::Curve;
use crate::peers::contest;

/// A node on the chain.
pub enum Any {
    /// A client or server that speaks tng.
    End(Box<MachineNode<Host, End>>),
    /// A helper.
    Helper(Box<MachineNode<Helper, ()>>),
    /// Anything else.
    Plain(Box<dyn Node>),
}

impl Any {
    fn node(&mut self) -> &mut dyn Node {
        match self {
            Any::End(node) => &mut **node,
            Any::Helper(node) => &mut **node,
            Any::Plain(node) => &mut **node,
        }
    }
}

impl Node for Any {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.node().handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.node().handle_timeout(now);
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        self.node().poll(now, outbox)
    }
}

/// A step of a party.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Bytes read in it.
    pub bytes: u64,
    /// Whether at its end any of the client's connections led to a helper.
    pub helped: bool,
    /// Whether one led elsewhere; both are false as long as there is no channel.
    pub direct: bool,
}

/// Where a party's figures are.
pub(super) enum Score {
    Tng(Seat),
    Tcp(contest::Seat),
}

/// A party in the world.
pub(super) struct Seated {
    score: Score,
    nodes: [NodeId; 2],
    bytes_before: u64,
    samples: Vec<Sample>,
}

impl Seated {
    pub(super) fn new(score: Score, nodes: [NodeId; 2]) -> Seated {
        Seated { score, nodes, bytes_before: 0, samples: Vec::new() }
    }
}

/// A setting under way.
pub struct Run {
    /// The world. A caller that lets time pass in it other than by [`Run::run_until`] misses samples.
    pub world: World<Any>,
    /// The links of the chain; `forth` leads to higher routers.
    pub links: Vec<LinkId>,
    /// The hosts of the helpers.
    pub helpers: Vec<NodeId>,
    setting: Setting,
    seated: Vec<Seated>,
    /// How often each helper was started again.
    lives: Vec<u64>,
    next_sample: Duration,
}

impl Run {
    pub(super) fn new(
        world: World<Any>,
        setting: Setting,
        links: Vec<LinkId>,
        helpers: Vec<NodeId>,
        seated: Vec<Seated>,
    ) -> Run {
        let (lives, next_sample) = (vec![0; helpers.len()], setting.step);
        Run { world, links, helpers, setting, seated, lives, next_sample }
    }

    /// The setting.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Lets time pass until `at` after the start, with a sample at each step.
    pub fn run_until(&mut self, at: Duration) {
        while self.next_sample <= at {
            self.world.run_until(Instant::ZERO + self.next_sample);
            self.next_sample += self.setting.step;
            self.sample();
        }
        self.world.run_until(Instant::ZERO + at);
    }

    /// Lets time pass until every transfer of a party is complete, or it failed, but not beyond `limit`; looks at every
    /// step. Answers when the last was complete.
    ///
    /// # Errors
    /// What went wrong, or that the time was not enough.
    pub fn finish(&mut self, party: usize, limit: Duration) -> Result<Duration, String> {
        loop {
            let tally = self.tally(party);
            if let Some(reason) = tally.failure {
                return Err(reason);
            }
            if let (true, Some(at)) = (tally.complete >= self.setting.parties[party].connections, tally.completed_at) {
                return Ok(at.since(Instant::ZERO));
            }
            if self.next_sample > limit {
                return Err(format!("{} bytes, and not complete within {limit:?}", tally.bytes));
            }
            self.run_until(self.next_sample);
        }
    }

    fn sample(&mut self) {
        for number in 0..self.seated.len() {
            let (bytes, helped, direct) = (self.bytes(number), self.is_helped(number), self.is_direct(number));
            let seated = &mut self.seated[number];
            seated.samples.push(Sample { bytes: bytes - seated.bytes_before, helped, direct });
            seated.bytes_before = bytes;
        }
    }

    /// Bytes that a party has read.
    pub fn bytes(&self, party: usize) -> u64 {
        match &self.seated[party].score {
            Score::Tng(seat) => seat.with(|tally| tally.bytes),
            Score::Tcp(seat) => seat.bytes(),
        }
    }

    /// What became of a party; of one that speaks TCP its bytes and failure alone.
    pub fn tally(&self, party: usize) -> Tally {
        match &self.seated[party].score {
            Score::Tng(seat) => seat.with(|tally| tally.clone()),
            Score::Tcp(seat) => Tally { bytes: seat.bytes(), failure: seat.failure(), ..Tally::default() },
        }
    }

    /// Its samples, one for each whole step.
    pub fn samples(&self, party: usize) -> &[Sample] {
        &self.seated[party].samples
    }

    /// Steps at whose end a party led by way of a helper, percent of all from the first at whose end it led anywhere;
    /// not a number if it never did.
    pub fn helped_percent(&self, party: usize) -> f64 {
        let steps = || self.samples(party).iter().skip_while(|sample| !sample.helped && !sample.direct);
        100.0 * steps().filter(|sample| sample.helped).count() as f64 / steps().count() as f64
    }

    /// What a party read over time.
    pub fn curve(&self, party: usize) -> Curve {
        let bytes = self.samples(party).iter().map(|sample| sample.bytes).collect();
        Curve { name: self.setting.parties[party].name.clone(), step_s: self.setting.step.as_secs_f64(), bytes }
    }

    /// Hosts of a party: the client's and the server's.
    pub fn hosts(&self, party: usize) -> [NodeId; 2] {
        self.seated[party].nodes
    }

    /// The client of a party that speaks tng.
    ///
    /// # Panics
    /// If it does not, or its host is stopped.
    pub fn client(&self, party: usize) -> &MachineNode<Host, End> {
        self.end(self.seated[party].nodes[0])
    }

    /// The server of a party that speaks tng.
    ///
    /// # Panics
    /// If it does not, or its host is stopped.
    pub fn server(&self, party: usize) -> &MachineNode<Host, End> {
        self.end(self.seated[party].nodes[1])
    }

    fn end(&self, id: NodeId) -> &MachineNode<Host, End> {
        match self.world.node(id) {
            Any::End(node) => node,
            _ => panic!("{} does not speak tng", self.world.name(id)),
        }
    }

    /// Figures of the client's connections, then of the server's.
    pub fn stats(&self, party: usize) -> [Vec<ConnectionStats>; 2] {
        self.seated[party].nodes.map(|id| {
            let host = &self.end(id).machine;
            host.connections().filter_map(|id| host.stats(id)).collect()
        })
    }

    /// The lanes that join a host to its router: to the host, and from it.
    ///
    /// # Panics
    /// If the host has no address now.
    pub fn beside(&mut self, host: NodeId) -> [LaneId; 2] {
        let own = self.world.address(host).ip();
        let [client, server] = self.hosts(0);
        let elsewhere = self.world.address(if host == client { server } else { client }).ip();
        let from = self.world.route(host, elsewhere).expect("every host is on a link");
        let router = self.world.ends(from).1;
        [self.world.route(router, own).expect("links lead both ways"), from]
    }

    /// Channels of the client's connections, then of the server's.
    pub fn paths(&self, party: usize) -> [Vec<PathStats>; 2] {
        self.seated[party].nodes.map(|id| {
            let host = &self.end(id).machine;
            host.connections().flat_map(|id| host.paths(id)).collect()
        })
    }

    /// Whether the best channel of any connection of a party's client leads to a helper.
    pub fn is_helped(&self, party: usize) -> bool {
        self.leads(party).any(|helped| helped)
    }

    /// Whether that of any leads elsewhere.
    pub fn is_direct(&self, party: usize) -> bool {
        self.leads(party).any(|helped| !helped)
    }

    /// Of each of its connections that has a channel, whether the best leads to a helper; nothing of TCP.
    fn leads(&self, party: usize) -> impl Iterator<Item = bool> + '_ {
        let client = match (&self.setting.parties[party].speaks, self.world.running(self.seated[party].nodes[0])) {
            (Speaks::Tng { .. }, Some(Any::End(client))) => Some(client),
            _ => None,
        };
        let is_helper = |ip| self.helpers.iter().any(|helper| self.world.addresses(*helper).any(|own| own == ip));
        client.into_iter().flat_map(move |client| {
            let remote = |id| client.machine.remote_address(id);
            client.app.connections().filter_map(remote).map(move |remote| is_helper(remote.ip())).collect::<Vec<_>>()
        })
    }

    /// A helper, if it runs.
    pub fn helper(&self, place: usize) -> Option<&Helper> {
        match self.world.running(self.helpers[place])? {
            Any::Helper(node) => Some(&node.machine),
            _ => None,
        }
    }

    /// Counts of a helper since it was last started; all zero if it does not run.
    pub fn helper_stats(&self, place: usize) -> HelperStats {
        self.helper(place).map(Helper::stats).unwrap_or_default()
    }

    /// Takes a helper away: what comes for it is dropped.
    pub fn stop_helper(&mut self, place: usize) {
        self.world.stop(self.helpers[place]);
    }

    /// Starts a helper anew: it knows its secret, and nothing of any flow.
    pub fn restart_helper(&mut self, place: usize) {
        self.lives[place] += 1;
        let config = self.setting.helper_config(place);
        let machine = build::helper(self.setting.seed, place, self.lives[place], config);
        self.world.start(self.helpers[place], Any::Helper(Box::new(MachineNode::new(machine, ()))));
    }
}
