//! Which top-level streams a host accepts.

use std::collections::BTreeMap;

/// What an application declares of a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ServiceOptions {
    /// A stream's first data may be handed over before its sender has proven that it is not a replay: doing it twice does
    /// no harm.
    pub replay_safe: bool,
    /// Its streams, and their descendants, take substreams and datagrams from the moment they come into being. Without it they are
    /// refused until the application listens for them on the stream.
    pub substreams: bool,
}

/// The services that a host offers: the rendezvous points of SST 4.3.2, pairs of service name and protocol name.
#[derive(Clone, Debug, Default)]
pub struct Services {
    offered: BTreeMap<String, BTreeMap<String, ServiceOptions>>,
}

/// The answer to a request for a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lookup {
    Offered(ServiceOptions),
    NoService,
    NoProtocol,
}

impl Services {
    /// No services: every stream is refused.
    pub const fn new() -> Services {
        Services { offered: BTreeMap::new() }
    }

    /// Offers `protocol` under the name `service`, or changes the options of one that is already offered.
    pub fn listen(&mut self, service: &str, protocol: &str, options: ServiceOptions) {
        self.offered.entry(service.to_owned()).or_default().insert(protocol.to_owned(), options);
    }

    pub(super) fn lookup(&self, service: &str, protocol: &str) -> Lookup {
        match self.offered.get(service).map(|protocols| protocols.get(protocol)) {
            None => Lookup::NoService,
            Some(None) => Lookup::NoProtocol,
            Some(Some(&options)) => Lookup::Offered(options),
        }
    }
}
