//! A relay that stands in the path: what its file says of that, and the rules by which the system hands it what passes.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tng::Identity;
use tng::relay::passing::{InPathConfig, OfferKey, Passing, PassingError};
use tng::relay::{ClientLimits, HelperConfig, Network};
use tng_settings::{Field, Result, Section};

use super::clients::{FLOWS, LIFE_MAX};
use super::config::{network, shown_network};
use crate::daemon::told::{Teller, or_none, quoted, shown_if, shown_time};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::location::DEFAULT_PORT;

/// The port at which the system hands over what passes, if nobody says otherwise.
pub const PASSING_PORT: u16 = 4_861;

/// How long a capability is good that was offered, if nobody says otherwise: flows that last longer go on directly.
pub const OFFERED_LIFE: Duration = Duration::from_secs(12 * 3_600);

/// Ports of servers that are named, at most.
pub const SERVER_PORTS_MAX: usize = 16;

/// The mark of packets that are handed over, and the routing table that leads them here.
const MARK: u32 = 0x746e;

/// What stands under `[in_path]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InPathTable {
    /// Where the system hands over what passes.
    pub port: u16,
    /// Whom something is offered.
    pub clients: Vec<Network>,
    /// The ports of servers whose set-ups are looked at.
    pub ports: Vec<u16>,
    /// What capabilities are good for.
    pub life: Duration,
    /// And for how many flows of one client at once.
    pub flows: u16,
    /// What one client may have.
    pub limits: ClientLimits,
}

impl InPathTable {
    /// Its keys.
    pub const KEYS: &'static [&'static str] = &["port", "clients", "ports", "life", "flows", "rate", "held"];

    pub(super) fn read(teller: &mut Teller, table: &Section<'_, '_>) -> Result<InPathTable> {
        let at = (table, "in_path");
        let port = |field: &Field<'_, '_>| field.whole(1..65_536).map(|port| port as u16);
        let ports = |field: &Field<'_, '_>| match field.list()?.iter().map(port).collect::<Result<Vec<u16>>>()? {
            ports if (1..=SERVER_PORTS_MAX).contains(&ports.len()) => Ok(ports),
            _ => Err(field.wrong(format!("name 1 to {SERVER_PORTS_MAX} ports"))),
        };
        let networks = |field: &Field<'_, '_>| field.list()?.iter().map(network).collect::<Result<Vec<Network>>>();
        let shown = |networks: &Vec<Network>| {
            format!("[{}]", networks.iter().map(shown_network).collect::<Vec<_>>().join(", "))
        };
        let life = |field: &Field<'_, '_>| match field.some_time()? {
            time if (Duration::from_secs(1)..=LIFE_MAX).contains(&time) => Ok(time),
            _ => Err(field.wrong(format!("write \"1s\" to \"{}h\"", LIFE_MAX.as_secs() / 3_600))),
        };
        let flows =
            |field: &Field<'_, '_>| field.whole(1..u64::from(tng::relay::FLOWS_MAX) + 1).map(|flows| flows as u16);
        let rate = or_none(|field| Ok((field.rate()? / 8).max(1)));
        let shown_rate = shown_if(|bytes: &u64| quoted(format_args!("{}bit", bytes * 8)));
        table.need("clients")?;
        Ok(InPathTable {
            port: teller.value(at, "port", PASSING_PORT, port, u16::to_string)?,
            clients: teller.value(at, "clients", Vec::new(), networks, shown)?,
            ports: teller.value(at, "ports", vec![DEFAULT_PORT], ports, |ports| format!("{ports:?}"))?,
            life: teller.value(at, "life", OFFERED_LIFE, life, shown_time)?,
            flows: teller.value(at, "flows", FLOWS, flows, u16::to_string)?,
            limits: ClientLimits {
                rate_max: teller.value(at, "rate", None, rate, shown_rate)?,
                held_bytes_max: teller.value(
                    at,
                    "held",
                    None,
                    or_none(|field| field.some_size()),
                    shown_if(u64::to_string),
                )?,
            },
        })
    }

    /// What is offered, in the name of `identity`, by a relay with these settings that listens at `port`.
    pub fn offers(&self, identity: &Identity, helper: &HelperConfig, port: u16) -> InPathConfig {
        let all = ["0.0.0.0", "::"].map(|all| Network { address: all.parse().expect("an address"), bits: 0 });
        let places = helper.neighbourhoods.iter().map(|(network, there)| (*network, there));
        let places = places.chain(all.map(|all| (all, &helper.elsewhere)));
        // What is not offered there would govern the client's end alone.
        let advised = places.filter(|(_, there)| there.offers.controllers.contains(&there.controller));
        InPathConfig {
            key: OfferKey { eid: identity.eid(), agreement: identity.agreement_key() },
            addresses: helper.own.iter().map(|ip| SocketAddr::new(*ip, port)).collect(),
            clients: self.clients.clone(),
            onward: helper.onward.clone(),
            life: self.life,
            flows_max: self.flows,
            advice: advised.map(|(network, there)| (network, there.controller.name().to_owned())).collect(),
        }
    }

    /// The sockets for what passes.
    ///
    /// # Errors
    /// If the system has none for this process.
    pub fn bind(&self) -> core::result::Result<Passing, Failure> {
        let what = format!("taking packets of others at port {}", self.port);
        Passing::bind(self.port).map_err(|error| match error {
            PassingError::NotPermitted | PassingError::System => Failure::told(Exit::Denied, what, error),
            PassingError::Kernel(_) | PassingError::Socket(_) => Failure::told(Exit::Connect, what, error),
        })
    }

    /// The rules, for `nft -f`, and the routes as commands in comments.
    pub fn rules(&self) -> String {
        let [v4, v6] = [true, false].map(|v4| {
            let of = |network: &&Network| network.address.is_ipv4() == v4;
            self.clients.iter().filter(of).map(bare).collect::<Vec<_>>().join(", ")
        });
        let ports = self.ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
        let families: Vec<_> = [("ip", v4), ("ip6", v6)].into_iter().filter(|(_, listed)| !listed.is_empty()).collect();
        // So long, of version 1.
        let init = |(family, listed): &(&str, String)| {
            format!("{family} saddr {{ {listed} }} udp dport {{ {ports} }} udp length 1208 @th,64,24 0x010001")
        };
        let back = |(family, listed): &(&str, String)| format!("{family} daddr {{ {listed} }} udp sport {{ {ports} }}");
        let hand_over = |family| format!("tproxy {family} to :{} meta mark set {MARK:#x}", self.port);
        let mut rules = format!(
            "# Read by: nft -f FILE. What is handed over is led here by these routes, until the next start:\n\
             #   ip rule add fwmark {MARK:#x} lookup {MARK}\n\
             #   ip route add local default dev lo table {MARK}\n\
             #   ip -6 rule add fwmark {MARK:#x} lookup {MARK}\n\
             #   ip -6 route add local default dev lo table {MARK}\n\
             # This host forwards: sysctl -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1\n\
             # A firewall of its own lets in what has that mark: meta mark {MARK:#x} accept, in its input chain\n\
             table inet tng_in_path\ndelete table inet tng_in_path\ntable inet tng_in_path {{\n\
             \tchain inits {{\n\
             \t\ttype filter hook prerouting priority raw; policy accept;\n\
             \t\tfib daddr type local accept\n"
        );
        // A NAT knows a flow by what the relay passes on; and by this, if there is no relay at that port.
        families.iter().for_each(|family| {
            rules += &format!("\t\t{} {} notrack accept\n", init(family), hand_over(family.0));
        });
        // Behind a NAT's own translation of what comes back.
        rules += "\t}\n\tchain replies {\n\t\ttype filter hook prerouting priority dstnat + 10; policy accept;\n\
                  \t\tfib daddr type local accept\n";
        families.iter().for_each(|family| {
            rules += &format!("\t\t{} @th,64,8 0x02 {} accept\n", back(family), hand_over(family.0));
        });
        // A NAT has it translated already: REPLYs, and OFFERs behind them.
        rules += "\t}\n\tchain passed {\n\t\ttype filter hook output priority raw; policy accept;\n";
        families
            .iter()
            .for_each(|family| rules += &format!("\t\t{} @th,64,8 {{ 0x02, 0x0d }} notrack\n", back(family)));
        rules + "\t}\n}\n"
    }
}

/// A network as nft reads it.
fn bare(network: &Network) -> String {
    let whole = network.bits == if network.address.is_ipv4() { 32 } else { 128 };
    let address: IpAddr = network.address;
    if whole { address.to_string() } else { format!("{address}/{}", network.bits) }
}

#[cfg(test)]
mod tests {
    use super::super::config::RelayConfig;
    use super::*;
    use crate::daemon::told::{Origin, Places};

    fn config(text: &str) -> core::result::Result<RelayConfig, String> {
        let place = || ("/s".into(), Origin::Default);
        RelayConfig::parse(text, &Places { state: place(), runtime: place() }).map_err(|error| error.to_string())
    }

    const OWN: &str = "[relay]\nown = ['192.0.2.1']\n";

    #[test]
    fn rules_hand_over_set_ups_of_the_listed_networks_and_nothing_else() {
        let text =
            format!("{OWN}[in_path]\nclients = ['10.1.0.0/16', '10.2.0.1', '2001:db8::/32']\nports = [4860, 5000]\n");
        let rules = config(&text).expect("it is good").in_path.expect("it is there").rules();
        for row in [
            "ip saddr { 10.1.0.0/16, 10.2.0.1 } udp dport { 4860, 5000 } udp length 1208 @th,64,24 0x010001 tproxy ip \
             to :4861 meta mark set 0x746e notrack accept",
            "ip6 daddr { 2001:db8::/32 } udp sport { 4860, 5000 } @th,64,8 0x02 tproxy ip6 to :4861 meta mark set 0x746e accept",
            "fib daddr type local accept",
            "ip route add local default dev lo table 29806",
        ] {
            assert!(rules.contains(row), "{row} in\n{rules}");
        }
        let v4 = config(&format!("{OWN}[in_path]\nclients = ['10.1.0.0/16']\n")).expect("it is good");
        assert!(!v4.in_path.expect("it is there").rules().contains("ip6 "), "nobody there has such an address");
    }

    #[test]
    fn a_relay_in_the_path_has_to_say_for_whom_and_where_it_is() {
        let fault = |text: &str| config(text).map(|_| ()).expect_err("a fault");
        assert!(fault(&format!("{OWN}[in_path]\n")).contains("clients"));
        let homeless = fault("[in_path]\nclients = ['10.0.0.0/8']\n");
        assert!(homeless.contains("own"), "{homeless}");
        for wrong in ["ports = []", "life = '0s'", "flows = 0", "port = 0", "nonsense = 1"] {
            fault(&format!("{OWN}[in_path]\nclients = ['10.0.0.0/8']\n{wrong}\n"));
        }
        assert_eq!(config(OWN).expect("it is good").in_path, None, "control: none that was not asked for");
    }

    #[test]
    fn what_governs_the_section_is_advised_where_orders_may_ask_for_it() {
        let text = format!(
            "{OWN}[elsewhere]\ncontroller = 'newreno'\n[[neighbourhood]]\nnetwork = '10.1.0.0/16'\n\
             controller = 'vegas'\n[terms]\ncontrollers = ['vegas']\n[in_path]\nclients = ['10.0.0.0/8']\n"
        );
        let config = config(&text).expect("it is good");
        let helper = config.helper(|_| Err("no guest")).expect("no guest is named");
        let offers = config.in_path.expect("it is there").offers(&Identity::from_seed([1; 32]), &helper, 4_860);
        assert_eq!(
            offers.advice.iter().map(|(network, name)| (network.bits, &**name)).collect::<Vec<_>>(),
            [(16, "vegas")]
        );
        assert_eq!(offers.addresses, ["192.0.2.1:4860".parse().expect("an address")]);
        assert!(helper.in_path.is_some(), "those who were offered help get it");
    }
}
