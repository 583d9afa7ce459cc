//! The helper's side of the help service: who gets a capability, and for what.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tng_base::{Eid, Instant, PeerText};
use tng_endpoint::TokenBucket;
use tng_services::help::{self, Answer, Ask, Denied, PROTOCOL, SERVICE};
use tng_stack::structured::FirstData;
use tng_wire::{Reader, Repr};

use crate::endpoint::Endpoint;
use crate::error::BindError;
use crate::lock::Clock;
use crate::relay::{ClientTag, Relay, Terms};
use crate::serve::{self, Request, ServeOptions};

/// Capabilities that one client is given in a second, in the long run.
pub const GRANTS_PER_S: u64 = 1;
/// Capabilities that one client is given at once.
pub const GRANTS_BURST: u64 = 32;
/// Clients whose requests are counted; of more, all begin anew.
pub const GRANTS_COUNTED: usize = 4_096;

/// Code of a request that is no [`Ask`].
const MALFORMED: u64 = 1;

/// What a client is granted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HelpTerms {
    /// What the helper knows the client by.
    pub client: ClientTag,
    /// What the capability is good for, at most: a client that asks for less gets that.
    pub terms: Terms,
    /// Bytes in a second that are passed on for the client, if there is a bound: to be told, the helper's own
    /// settings keep it.
    pub rate_max: Option<u64>,
    /// Bytes that wait for the client, if there is a bound of its own: to be told as well.
    pub held_max: Option<u64>,
    /// Controllers that its orders may ask for.
    pub controllers: Vec<String>,
    /// The longest queue time that they may ask for.
    pub queue_time_max: Option<Duration>,
}

/// How often each client has been granted something of late.
#[derive(Default)]
struct Pace(Mutex<BTreeMap<Eid, TokenBucket>>);

impl Pace {
    fn permits(&self, now: Instant, client: Eid) -> bool {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.len() >= GRANTS_COUNTED && !counted.contains_key(&client) {
            counted.clear();
        }
        counted.entry(client).or_insert_with(|| TokenBucket::new(GRANTS_PER_S, GRANTS_BURST)).take(now)
    }
}

impl Endpoint {
    /// Gives out capabilities for what the endpoint [passes on](crate::Builder::relay), by the service `help`: `desk`
    /// says who gets one, by the client's EID and what it asks for, and on what terms. It is called in the endpoint's
    /// tasks, and must not wait.
    ///
    /// # Errors
    /// If the service is there already.
    pub fn serve_help(
        &self,
        desk: impl Fn(Eid, &Ask) -> Result<HelpTerms, Denied> + Send + Sync + 'static,
    ) -> Result<(), BindError> {
        let options = ServeOptions {
            protocol: PROTOCOL,
            // To be granted the same twice does no harm, and the answer is sealed for who asked.
            first_data: FirstData::Unproven,
            request_max: help::HEAD_LEN + help::BODY_MAX,
            request_within: Duration::from_secs(10),
            ..ServeOptions::default()
        };
        let (relay, desk, pace, clock) = (self.relay(), Arc::new(desk), Arc::<Pace>::default(), Clock::start());
        self.serve_with(SERVICE, options, move |request: Request| {
            let (relay, desk, pace) = (relay.clone(), Arc::clone(&desk), Arc::clone(&pace));
            async move {
                let mut reader = Reader::new(request.body());
                let Ok(ask) = Ask::parse(&mut reader) else {
                    return serve::Answer::from(Err::<Vec<u8>, u64>(MALFORMED));
                };
                let client = request.peer();
                let answer = match desk(client, &ask) {
                    Err(denied) => Answer::Denied(denied),
                    Ok(_) if !pace.permits(clock.now(), client) => Answer::Denied(Denied::TooOften),
                    Ok(granted) => grant(relay.as_ref(), &granted, &ask),
                };
                serve::Answer::from(answer.to_vec())
            }
        })
    }
}

/// What the client asks for, as far as it is granted.
fn grant(relay: Option<&Relay>, granted: &HelpTerms, ask: &Ask) -> Answer {
    let Some(relay) = relay else { return Answer::Denied(Denied::Unavailable) };
    let life_s = u32::try_from(granted.terms.life.as_secs()).unwrap_or(u32::MAX).max(1);
    let least = |asked: u32, most: u32| if asked == 0 { most } else { asked.min(most) };
    let life_s = least(ask.life_s, life_s);
    let flows_max = least(ask.flows.into(), granted.terms.flows_max.into()) as u16;
    let tunnels = granted.terms.tunnels && ask.tunnels;
    let terms = Terms { life: Duration::from_secs(life_s.into()), flows_max, tunnels };
    let capability = match relay.issue(granted.client, terms) {
        Ok(Some(capability)) => capability,
        Ok(None) => return Answer::Denied(Denied::Draining),
        Err(_) => return Answer::Denied(Denied::Unavailable),
    };
    let names = granted.controllers.iter().take(help::CONTROLLERS_MAX);
    Answer::Granted(help::Terms {
        life_s,
        flows_max: flows_max.max(1),
        tunnels,
        rate_max: granted.rate_max.unwrap_or(0),
        held_max: granted.held_max.unwrap_or(0),
        controllers: names.map(|name| PeerText::new(name).owned()).collect(),
        queue_time_max_ms: granted.queue_time_max.map_or(0, |time| time.as_millis().min(u16::MAX.into()) as u16),
        shown: capability.shown,
        key: capability.key,
    })
}
