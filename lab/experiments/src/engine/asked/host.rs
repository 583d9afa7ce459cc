//! The machine of a host: a server of what it sends, and clients of those that it receives from.

use core::convert::Infallible;
use core::net::SocketAddr;
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::{Datagram, Input, Instant, Machine, Output, Rng};
use tng_trickles::Site;
use tng_trickles::client::{Client, ClientConfig, Event, Policy, Replicas};
use tng_trickles::minisocket::{Answer, Application, Asked};
use tng_trickles::server::Server;
use tng_trickles::set_up::Call;
use tng_trickles::wire::{Fault, INIT, REQUEST};

use super::PORT;
use crate::engine::plan::{HEADER_LEN, PATTERN_LEN, Plan};
use crate::peers::transport::trickles::{Usage, client_config, serve};
use crate::scenario::{Amount, FlowProtocol};

/// Bytes of an answer whose end its receiver decides.
const ENDLESS: u64 = 1 << 40;
/// The place of a server's keys among its lots: they outlive its starts.
const KEYS: u32 = u32::MAX - 1;
/// Codes of faults.
const NO_STREAM: u64 = 64;
const WRONG_BYTE: u64 = 65;

/// Answers with the pattern, as much as the scenario says.
struct Patterns {
    plan: Rc<Plan>,
    place: usize,
}

impl Patterns {
    /// How much a stream of this host's has.
    fn len(&self, number: u32) -> Option<u64> {
        let planned = self.plan.streams.get(number as usize)?;
        let is_ours = planned.protocol == FlowProtocol::TRICKLES && planned.sender == self.place;
        is_ours.then_some(if let Amount::Bytes(bytes) = planned.amount { bytes } else { ENDLESS })
    }

    /// Writes what stands there of an object that begins at `start`.
    fn fill(&self, start: u64) -> impl FnMut(u64, &mut [u8]) -> Result<(), Infallible> {
        move |from, buf| {
            let mut at = ((from - start) % PATTERN_LEN as u64) as usize;
            for chunk in buf.chunks_mut(PATTERN_LEN) {
                let first = chunk.len().min(PATTERN_LEN - at);
                let (head, tail) = chunk.split_at_mut(first);
                head.copy_from_slice(&self.plan.pattern[at..at + first]);
                tail.copy_from_slice(&self.plan.pattern[..tail.len()]);
                at = (at + chunk.len()) % PATTERN_LEN;
            }
            Ok(())
        }
    }
}

impl Application for Patterns {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        match asked {
            Asked::Put { object, state, offset, is_end, reserved, data } => {
                let (number, request) = match state {
                    Some(state) => (state.first_chunk(), data),
                    None => (data.first_chunk::<HEADER_LEN>(), data.get(HEADER_LEN..).unwrap_or_default()),
                };
                let number = number.map(|number| u32::from_be_bytes(*number));
                let Some((number, len)) = number.and_then(|number| Some((number, self.len(number)?))) else {
                    answer.fault(object, Fault::Application(NO_STREAM), "there is no such stream");
                    return;
                };
                if !self.plan.matches(offset.saturating_sub(HEADER_LEN as u64), request) {
                    answer.fault(object, Fault::Application(WRONG_BYTE), "a wrong byte in what asks for it");
                    return;
                }
                if !is_end {
                    answer.input(object, offset + data.len() as u64, None, &number.to_be_bytes());
                    return;
                }
                let end = reserved.start + len;
                if len > 0 {
                    answer.output(object, reserved.start..end, &[]);
                }
                answer.skip(end..reserved.end);
                let Ok(_) = answer.send_with(reserved.start..end, self.fill(reserved.start));
            }
            Asked::Want { valid, ranges, .. } => {
                for range in ranges.iter() {
                    let Ok(_) = answer.send_with(range, self.fill(valid.start));
                }
            }
            Asked::Close | Asked::Bad { .. } => {}
        }
    }
}

/// Who wants entropy.
#[derive(Clone, Copy)]
enum Asker {
    Server,
    Client(usize),
}

/// A server, and clients of other hosts, by their places.
pub(super) struct Host {
    plan: Rc<Plan>,
    place: usize,
    config: ClientConfig,
    lots: Rng,
    /// None before anything comes: it begins when its host does.
    server: Option<Server<Patterns>>,
    pub(super) clients: BTreeMap<usize, Client>,
    asker: Option<Asker>,
}

impl Host {
    /// The host at `place`, started for the `start`th time.
    pub(super) fn new(plan: Rc<Plan>, place: usize, start: u32) -> Host {
        let lots = plan.node_rng(place, FlowProtocol::TRICKLES, start);
        let config = ClientConfig { datagram_len: plan.datagram_len(), ..client_config(Usage::USUAL) };
        Host { plan, place, config, lots, server: None, clients: BTreeMap::new(), asker: None }
    }

    fn server(&mut self, now: Instant) -> &mut Server<Patterns> {
        let Host { plan, place, lots, server, .. } = self;
        server.get_or_insert_with(|| {
            let key = plan.node_rng(*place, FlowProtocol::TRICKLES, KEYS);
            let patterns = Patterns { plan: plan.clone(), place: *place };
            serve(now, (Usage::USUAL, Site::default()), plan.identity(*place), patterns, (key, lots.fork()))
        })
    }

    /// The client of a host, a new one if there is none.
    pub(super) fn client(&mut self, now: Instant, peer: usize) -> &mut Client {
        let Host { plan, place, config, lots, clients, .. } = self;
        clients.entry(peer).or_insert_with(|| {
            let address = SocketAddr::new(plan.address(peer), PORT);
            let replicas = Replicas::new(vec![address], Policy::Stay).expect("there is one");
            let call = Call::new(plan.identity(peer).eid());
            Client::connect(config.clone(), plan.identity(*place), call, replicas, lots.bytes::<32>(), now)
        })
    }
}

impl Machine for Host {
    /// Of the client of that host.
    type Event = (usize, Event);

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(datagram) => {
                let Datagram { remote, payload, .. } = &datagram;
                let Host { plan, clients, .. } = self;
                if asks(payload) {
                    return self.server(now).handle_input(now, Input::Datagram(datagram));
                }
                let client = clients.iter_mut().find(|(peer, _)| plan.address(**peer) == remote.ip());
                if let Some((_, client)) = client {
                    client.handle_input(now, Input::Datagram(datagram));
                }
            }
            Input::Entropy(entropy) => match self.asker.take() {
                Some(Asker::Server) => self.server(now).handle_input(now, Input::Entropy(entropy)),
                Some(Asker::Client(peer)) => {
                    if let Some(client) = self.clients.get_mut(&peer) {
                        client.handle_input(now, Input::Entropy(entropy));
                    }
                }
                None => {}
            },
            Input::PathChange(change) => {
                self.clients.values_mut().for_each(|client| client.handle_input(now, Input::PathChange(change)));
            }
            Input::LinkLoss(_) | Input::Unreachable(_) => {}
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.server.iter_mut().for_each(|server| server.handle_timeout(now));
        self.clients.values_mut().for_each(|client| client.handle_timeout(now));
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<(usize, Event)> {
        let mut timeout: Option<Instant> = None;
        if let Some(server) = &mut self.server {
            match server.poll_output(now, buf) {
                Output::Transmit(transmit) => return Output::Transmit(transmit),
                Output::Event(never) => match never {},
                Output::NeedsEntropy => {
                    self.asker = Some(Asker::Server);
                    return Output::NeedsEntropy;
                }
                Output::Timeout(at) => timeout = at,
            }
        }
        for (peer, client) in &mut self.clients {
            match client.poll_output(now, buf) {
                Output::Transmit(transmit) => return Output::Transmit(transmit),
                Output::Event(event) => return Output::Event((*peer, event)),
                Output::NeedsEntropy => {
                    self.asker = Some(Asker::Client(*peer));
                    return Output::NeedsEntropy;
                }
                Output::Timeout(at) => timeout = [timeout, at].into_iter().flatten().min(),
            }
        }
        Output::Timeout(timeout)
    }
}

/// Whether a datagram asks something of a server.
fn asks(datagram: &[u8]) -> bool {
    datagram.first().is_some_and(|first| [INIT, REQUEST].contains(first))
}
