//! A scenario under way.

use std::io::{self, Write};
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::Tap;
use tng_stack::{ConnectionStats, DEFAULT_CONTROLLER};

use crate::ledger::{Ledger, State};
use crate::report::{FlowReport, LaneReport, LinkReport, Report, fairness};
use crate::scenario::{Built, FlowSpec, Scenario};
use crate::tng::{Plan, TngNode};

/// A scenario whose hosts run tng with default settings but for the controllers that the flows name.
pub struct Run {
    scenario: Scenario,
    built: Built<TngNode>,
    ledger: Ledger,
}

impl Run {
    /// Makes the world; nothing has happened in it.
    pub fn new(scenario: Scenario) -> Run {
        let (plan, ledger) = (Rc::new(Plan::new(&scenario)), Ledger::new(scenario.flows.len()));
        let books = ledger.clone();
        let mut built = scenario.build(move |place, start| plan.node(&books, place, start));
        built.world.record_digest();
        Run { scenario, built, ledger }
    }

    /// Captures every datagram at both ends of every link, in pcapng, until the run ends.
    ///
    /// # Errors
    /// Those of the output when it begins.
    pub fn capture(&mut self, out: Box<dyn Write>) -> io::Result<()> {
        self.built.world.capture(out, Tap::World)
    }

    /// The time in the world.
    pub fn now(&self) -> Instant {
        self.built.world.now()
    }

    /// Runs until every flow is done or has failed, or the scenario's duration is over.
    ///
    /// # Errors
    /// The first that a capture's output met.
    pub fn finish(mut self) -> io::Result<Report> {
        let end = Instant::ZERO + self.scenario.duration;
        let ledger = &self.ledger;
        let settled = !self.scenario.flows.is_empty() && self.built.world.wait_until(end, |_| ledger.is_settled());
        if !settled {
            self.built.world.run_until(end);
        }
        self.built.world.stop_capture()?;
        Ok(self.report())
    }

    fn report(&self) -> Report {
        let world = &self.built.world;
        let time_s = world.now().as_secs_f64();
        let flows: Vec<FlowReport> =
            self.scenario.flows.iter().enumerate().map(|(number, flow)| self.flow(number, flow)).collect();
        let moved: Vec<f64> = flows.iter().map(|flow| flow.goodput_bps).filter(|bps| *bps > 0.0).collect();
        let links = self.scenario.links.iter().zip(&self.built.links).map(|(spec, link)| {
            let [forth, back] =
                link.lanes().map(|lane| LaneReport::new(&world.stats(lane), world.lane(lane).rate_bps, time_s));
            LinkReport { name: spec.name.clone(), forth, back }
        });
        let digest = world.digest().unwrap_or_default();
        Report {
            seed: self.scenario.seed,
            time_s,
            links: links.collect(),
            fairness: fairness(&moved),
            flows,
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    fn flow(&self, number: usize, flow: &FlowSpec) -> FlowReport {
        let account = self.ledger.account(number);
        let start = account.started;
        let after = |time: Instant| start.map(|start| time.since(start).as_secs_f64());
        let (end, failure) = match account.state {
            State::Done(time) => (Some(time), None),
            State::Failed(reason) => (None, Some(reason)),
            State::Waiting | State::Running => (None, None),
        };
        let completion_s = end.and_then(after);
        let elapsed_s = completion_s.or_else(|| after(self.now())).unwrap_or(0.0);
        let connection = self.connection_stats(flow);
        FlowReport {
            name: flow.name.clone(),
            protocol: "tng",
            controller: self.scenario.controller_of(flow.from).unwrap_or(DEFAULT_CONTROLLER).to_owned(),
            bytes: account.received,
            start_s: start.map(Instant::as_secs_f64),
            first_byte_s: account.first_byte.and_then(after),
            completion_s,
            goodput_bps: if elapsed_s > 0.0 { account.received as f64 * 8.0 / elapsed_s } else { 0.0 },
            failure,
            rtt_smoothed_s: connection.map(|stats| stats.regulation.rtt.smoothed().as_secs_f64()),
            rtt_min_s: connection.map(|stats| stats.regulation.rtt.min().as_secs_f64()),
        }
    }

    /// The sender's figures, if its host runs and has a connection to the receiver.
    fn connection_stats(&self, flow: &FlowSpec) -> Option<ConnectionStats> {
        let node = self.built.world.running(self.built.nodes[flow.from])?;
        let (_, connection) = node.app.connections().find(|(peer, _)| *peer == flow.to)?;
        node.machine.stats(connection)
    }
}
