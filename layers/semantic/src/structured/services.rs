//! Which top-level streams a host accepts.

use std::collections::BTreeMap;
use std::sync::Arc;

use tng_wire::Malformed;

use super::wire::Names;

/// What an application declares of a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ServiceOptions {
    /// When the data of a first packet is handed over.
    pub first_data: FirstData,
    /// Its streams, and their descendants, take substreams and datagrams from the moment they come into being. Without
    /// it they are refused until the application listens for them on the stream.
    pub substreams: bool,
}

/// When a service gets what came in the first packet of a peer, which may be a copy of somebody else's, or come from an
/// address that receives no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FirstData {
    /// When its sender has shown that it receives at its address and is no replay, one round trip later.
    #[default]
    Proven,
    /// At once, from any host. A service that says so declares two things: doing it twice does no harm, and what one
    /// datagram of it can make the service do is bounded and small, as an echo is. A service that reads or hashes what
    /// a peer names is none. It is done twice not only for copies that others make: an honest peer whose helpers do not
    /// answer in time asks again, directly and in another exchange, and nothing tells that the two belong together
    /// (docs/splitting.md, "Set-up").
    Unproven,
}

/// A top-level stream's rendezvous point. Many streams have the same one, and share it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) service: Arc<str>,
    pub(super) protocol: Arc<str>,
    /// Both as they stand on the wire.
    encoded: Box<[u8]>,
}

impl Name {
    pub(super) fn new(service: &str, protocol: &str) -> Name {
        let encoded = Names::encode(service, protocol).into();
        Name { service: service.into(), protocol: protocol.into(), encoded }
    }

    pub(super) fn names(&self) -> Names<'_> {
        Names::encoded(&self.encoded)
    }

    pub(super) fn is(&self, service: &str, protocol: &str) -> bool {
        *self.service == *service && *self.protocol == *protocol
    }
}

/// What a host offers under a name.
#[derive(Clone, Debug)]
struct Offer {
    name: Name,
    takes: Takes,
}

/// What a service takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Takes {
    /// Streams: [`accept`](super::Streams::accept) has them.
    Streams(ServiceOptions),
    /// Requests: [`next_request`](super::Streams::next_request) has them.
    Requests(FirstData),
}

impl Takes {
    pub(super) const fn first_data(self) -> FirstData {
        match self {
            Takes::Streams(options) => options.first_data,
            Takes::Requests(first_data) => first_data,
        }
    }
}

/// The services that a host offers: the rendezvous points of SST 4.3.2, pairs of service name and protocol name.
#[derive(Clone, Debug, Default)]
pub struct Services {
    offers: Vec<Offer>,
    /// Their numbers.
    offered: BTreeMap<Arc<str>, BTreeMap<Arc<str>, u32>>,
}

/// What a stream is for, by the number of the offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Offered(pub(super) u32);

/// The answer to a request for a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lookup {
    Offered(Offered, Takes),
    NoService,
    NoProtocol,
}

impl Services {
    /// No services: every stream is refused.
    pub const fn new() -> Services {
        Services { offers: Vec::new(), offered: BTreeMap::new() }
    }

    /// Offers `protocol` under the name `service`, or changes the options of one that is already offered. One whose
    /// streams are requests stays as it is: who answers them has it for good.
    pub fn listen(&mut self, service: &str, protocol: &str, options: ServiceOptions) {
        if !matches!(self.lookup(service, protocol), Lookup::Offered(_, Takes::Requests(_))) {
            self.offer(service, protocol, Takes::Streams(options));
        }
    }

    /// Offers a service whose streams are requests, in place of one that is offered under the same names.
    pub fn listen_for_requests(&mut self, service: &str, protocol: &str, first_data: FirstData) {
        self.offer(service, protocol, Takes::Requests(first_data));
    }

    fn offer(&mut self, service: &str, protocol: &str, takes: Takes) {
        let name = Name::new(service, protocol);
        let protocols = self.offered.entry(Arc::clone(&name.service)).or_default();
        let number = *protocols.entry(Arc::clone(&name.protocol)).or_insert(self.offers.len() as u32);
        match self.offers.get_mut(number as usize) {
            Some(offer) => offer.takes = takes,
            None => self.offers.push(Offer { name, takes }),
        }
    }

    pub(super) fn lookup(&self, service: &str, protocol: &str) -> Lookup {
        match self.offered.get(service).map(|protocols| protocols.get(protocol)) {
            None => Lookup::NoService,
            Some(None) => Lookup::NoProtocol,
            Some(Some(&number)) => Lookup::Offered(Offered(number), self.offers[number as usize].takes),
        }
    }

    /// As [`lookup`](Services::lookup), by the names as they stand on the wire. `last` is what was found before.
    pub(super) fn find(&self, names: Names<'_>, last: &mut Option<Offered>) -> Result<Lookup, Malformed> {
        if let Some(offered) = *last
            && let Some(offer) = self.offers.get(offered.0 as usize)
            && offer.name.names() == names
        {
            return Ok(Lookup::Offered(offered, offer.takes));
        }
        let (service, protocol) = names.texts()?;
        let lookup = self.lookup(service.exact(), protocol.exact());
        if let Lookup::Offered(offered, _) = lookup {
            *last = Some(offered);
        }
        Ok(lookup)
    }

    /// The names of service and protocol.
    pub(super) fn name(&self, offered: Offered) -> &Name {
        &self.offers[offered.0 as usize].name
    }
}
