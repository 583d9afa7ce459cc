//! A helper between two hosts in memory: what it does for each packet that it passes on from one section to the other.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_middlebox::{ClientTag, Helper, HelperConfig, Network, Onward};
use tng_stack::structured::ServiceOptions;
use tng_stack::{Access, ConnectError, Host, HostConfig, Identity, Stop, Target, Via};

use crate::callgrind::the_counted_turn;
use crate::pair::{App, SERVICE};
use crate::seat::{Air, Seat};

/// From one machine's turn to the next: a quarter of a round trip.
const STEP: Duration = Duration::from_micros(25);

/// What the helper counts time from, in ms since 1970.
const EPOCH_MS: u64 = 1_700_000_000_000;

/// Where a client, a helper and a server are.
fn addresses() -> [SocketAddr; 3] {
    [1, 2, 3].map(|host| SocketAddr::from(([127, 0, 0, host], 4_860)))
}

/// A client that sends to a server through a helper.
pub struct Relay {
    now: Instant,
    client: Seat<Host>,
    helper: Seat<Helper>,
    server: Seat<Host>,
    apps: [Box<dyn App>; 2],
    air: Air,
    /// Packets that the helper has passed on toward the server.
    pub passed_on: u64,
}

impl Relay {
    /// `client` writes, `server` reads. The client's host has been told to connect through the helper, and uses no
    /// other path beside that one.
    ///
    /// # Errors
    /// If the host refuses to connect.
    pub fn new(client: Box<dyn App>, server: Box<dyn App>) -> Result<Relay, ConnectError> {
        let now = Instant::from_secs(1);
        let [at_client, at_helper, at_server] = addresses();
        let everywhere = Onward::Listed(vec![Network { address: at_server.ip(), bits: 8 }]);
        let config = HelperConfig { onward: everywhere, ..HelperConfig::default() };
        let helper = Helper::new(config, &Secret32::from_bytes([3; 32]), EPOCH_MS, [33; 32]);
        let capability = helper.office().issue(now, ClientTag(1), (Duration::from_secs(3_600), 16), [4; 32]);
        let via = Via::new(Identity::from_seed([3; 32]).eid(), Stop::new(at_helper, capability));
        let mut accepting = Host::new(HostConfig::new(Access::Public), Identity::from_seed([2; 32]), [22; 32]);
        accepting.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
        let target = Target { eid: accepting.eid(), addresses: vec![at_server], capability: None, via: vec![via] };
        let config = HostConfig { judge: None, ..HostConfig::new(Access::Nobody) };
        let mut connecting = Host::new(config, Identity::from_seed([1; 32]), [11; 32]);
        connecting.connect(now, target)?;
        Ok(Relay {
            now,
            client: Seat::new(connecting, at_client),
            helper: Seat::new(helper, at_helper),
            server: Seat::new(accepting, at_server),
            apps: [client, server],
            air: Air::default(),
            passed_on: 0,
        })
    }

    /// Client, helper, server and helper again have a turn each. The helper's are counted if `counted` is set.
    pub fn step(&mut self, counted: bool) {
        let Relay { now, client, helper, server, .. } = self;
        if !client.has_work(*now) && !helper.has_work(*now) && !server.has_work(*now) {
            let next = [client.deadline, helper.deadline, server.deadline].into_iter().flatten().min();
            *now = next.map_or(*now, |next| next.max(*now));
        }
        self.host(0);
        self.help(counted);
        self.host(1);
        self.help(counted);
    }

    fn host(&mut self, place: usize) {
        self.now += STEP;
        let Relay { now, client, server, apps, air, .. } = self;
        let host = if place == 0 { client } else { server };
        if host.has_work(*now) {
            host.turn(*now, air);
            host.hear(|machine, event| apps[place].handle_event(*now, machine, event));
            let from = host.at;
            self.deliver(from);
        }
    }

    fn help(&mut self, counted: bool) {
        self.now += STEP;
        let Relay { now, helper, air, .. } = self;
        if helper.has_work(*now) {
            match counted {
                true => the_counted_turn(helper, |helper| helper.turn(*now, air)),
                false => helper.turn(*now, air),
            }
            helper.hear(|_, _| {});
            let [_, from, to] = addresses();
            self.passed_on += air.sent_to(to);
            self.deliver(from);
        }
    }

    fn deliver(&mut self, from: SocketAddr) {
        let Relay { client, helper, server, air, .. } = self;
        air.deliver(from, &mut [client.inbox(), helper.inbox(), server.inbox()]);
    }
}
