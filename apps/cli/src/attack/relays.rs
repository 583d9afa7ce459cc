//! What an attack on a relay needs: capabilities that the target gives out, and an honest client that it helps.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tng::help::{Denied, HelpError, HelperTarget, Terms, Wanted, ask};
use tng::relay::Network;
use tng::{Access, Connection, Endpoint, Identity, PathTaken, Target};
use tng_attack::RelayClient;

use super::siege::{secret, seen_at, source};
use crate::clock;
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::host::bind_failure;
use crate::location::Location;
use crate::pings;

/// Flows at once that the attackers' capability is good for.
pub const FLOWS: u16 = 2;

/// How long after it was given a capability is over that is good for a second.
const OVER_AFTER: Duration = Duration::from_millis(1_500);

/// Among the addresses of the loopback, that of the server behind the target.
const BEHIND: u16 = 0x7f01;

/// What a target is, to those who ask it to pass their flows on.
#[derive(Debug)]
pub enum Relay {
    /// It is no relay.
    None,
    /// It gives us no capability, and why.
    Closed(String),
    /// It is one that can be attacked.
    Open(Box<RelayClient>, Box<Helped>),
}

/// An honest client of a relay.
#[derive(Clone, Debug)]
pub struct Helped {
    endpoint: Endpoint,
    helper: HelperTarget,
    /// The address that the server has for the target.
    server_ip: IpAddr,
    /// Whom it is helped to, if the relay passes flows on to where that is.
    server: Option<(Endpoint, Target)>,
}

impl Relay {
    /// Asks the target for what an attack needs. `listed` are the networks that it passes flows on to.
    ///
    /// # Errors
    /// If this host has no room for a socket, or its configuration is wrong.
    pub async fn meet(
        endpoint: &Endpoint,
        target: &Location,
        address: SocketAddr,
        listed: &[Network],
    ) -> Result<Relay, Failure> {
        let known = Config::load()?;
        let token = known.with_eid(target.eid).and_then(|host| host.token.clone());
        let door = Some(target.capability.clone()).filter(|door| !door.is_empty());
        let helper = HelperTarget { door, token, ..HelperTarget::new(target.eid, vec![address]) };
        match ask(endpoint, &helper, Wanted::default()).await {
            Err(HelpError::NoHelper(_)) => return Ok(Relay::None),
            Err(error) => return Ok(Relay::Closed(error.to_string())),
            Ok(_) => {}
        }
        // Somebody else than the honest client, if anybody is let in.
        let other = endpoint_of(Access::Nobody, None).await?;
        let mut attacker = &other;
        let wanted = Wanted { flows: FLOWS, ..Wanted::default() };
        let mut given = ask(attacker, &helper, wanted).await;
        if matches!(given, Err(HelpError::Denied(Denied::NotAClient))) {
            attacker = endpoint;
            given = ask(attacker, &helper, wanted).await;
        }
        let ended = ask(attacker, &helper, Wanted { life_s: 1, ..Wanted::default() }).await;
        let (given, ended): (Terms, Terms) = match (given, ended) {
            (Ok((given, _)), Ok((ended, _))) => (given, ended),
            (Err(error), _) | (_, Err(error)) => return Ok(Relay::Closed(error.to_string())),
        };
        tokio::time::sleep(OVER_AFTER).await;
        let now_ms = u64::try_from(clock::since_1970().as_millis()).unwrap_or(u64::MAX);
        let client = RelayClient {
            capability: given.capability(),
            flows_max: given.flows_max,
            ended: ended.capability(),
            foreign: RelayClient::of_another_helper(&secret()?, now_ms),
            listed: listed.to_vec(),
        };
        let ip = seen_at(address, source(address, BEHIND))
            .map_err(|error| Failure::new(Exit::Send, "opening a socket", reason(&error)))?;
        let server = match client.is_listed(ip) {
            true => {
                let server = endpoint_of(Access::Public, Some(SocketAddr::new(ip, 0))).await?;
                pings::answer(&server)?;
                let (eid, addresses) = (server.eid(), vec![server.local_addr()]);
                Some((server, Target { eid, addresses, capability: None, via: Vec::new() }))
            }
            false => None,
        };
        let helped = Helped { endpoint: endpoint.clone(), helper, server_ip: ip, server };
        Ok(Relay::Open(Box::new(client), Box::new(helped)))
    }
}

/// Somebody whom nobody has met, at this address if one is named.
///
/// # Errors
/// If this host has no room for a socket.
pub(super) async fn endpoint_of(access: Access, bound: Option<SocketAddr>) -> Result<Endpoint, Failure> {
    let mut builder = Endpoint::builder().identity(Identity::from_seed(secret()?)).access(access);
    if let Some(address) = bound {
        builder = builder.bind(address);
    }
    builder.build().await.map_err(bind_failure)
}

impl Helped {
    /// To where it is helped, or why it is not. `onward`: some networks were named.
    pub fn words(&self, onward: bool) -> String {
        words(self.server.as_ref().map(|(server, _)| server.local_addr()), self.server_ip, onward)
    }

    /// Is helped to its server, or, without one, is given a capability.
    pub async fn attempt(&self) -> Option<()> {
        let Some((_, server)) = &self.server else {
            return ask(&self.endpoint, &self.helper, Wanted::default()).await.ok().map(drop);
        };
        let via = vec![self.endpoint.via(&self.helper).await.ok()?];
        let connection = self.endpoint.connect(Target { via, ..server.clone() }).await.ok()?;
        let helped = is_helped(&connection) && pings::ping(&connection, 1).await.is_ok() && is_helped(&connection);
        connection.close(0, "");
        helped.then_some(())
    }
}

fn words(server: Option<SocketAddr>, server_ip: IpAddr, onward: bool) -> String {
    match (server, onward) {
        (Some(server), _) => format!("an honest client is helped to {server}"),
        (None, true) => format!(
            "an honest client is given capabilities, and not helped: its server is at {server_ip}, which no --onward \
             holds"
        ),
        (None, false) => "an honest client is given capabilities; with --onward NETWORK it is helped, too".to_owned(),
    }
}

fn is_helped(connection: &Connection) -> bool {
    matches!(connection.path(), Some(PathTaken::Helped { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_names_networks_without_this_host_is_told_so_and_not_to_name_some() {
        let ip = IpAddr::from([10, 71, 1, 1]);
        assert!(words(None, ip, true).ends_with("its server is at 10.71.1.1, which no --onward holds"));
        assert!(words(None, ip, false).contains("with --onward NETWORK"), "control");
        assert!(words(Some(SocketAddr::new(ip, 1)), ip, true).ends_with("helped to 10.71.1.1:1"));
    }
}
