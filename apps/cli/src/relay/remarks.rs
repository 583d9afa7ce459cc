//! What is good in a configuration, and perhaps not meant: `tng relay check` says it, and a relay that begins.

use tng::relay::Onward;

use super::config::RelayConfig;
use crate::daemon::told::Origin;

/// Clients that a remark names, at most.
const NAMED_MAX: usize = 8;

/// Whether flows may go everywhere, also where they would not by default.
fn leads_everywhere(onward: &Onward) -> bool {
    matches!(onward, Onward::Listed(networks) if networks.iter().any(|network| network.bits == 0))
}

/// What is perhaps not meant in a configuration, for people.
pub fn of(config: &RelayConfig) -> Vec<String> {
    let (mut remarks, onward) = (Vec::new(), &config.helper.onward);
    let (listed, anyone) = config.clients.count();
    if listed == 0 && !anyone && config.tunnels.is_empty() && config.in_path.is_none() {
        remarks.push(
            "no client is listed, so that nobody is helped: add a [[client]], or anyone = true under [terms]"
                .to_owned(),
        );
    }
    if matches!(onward, Onward::Listed(networks) if networks.is_empty()) {
        remarks.push(
            "relay.onward has no network, so that no flow can be passed on: name some, or write \"public\"".to_owned(),
        );
    }
    if anyone && leads_everywhere(onward) {
        remarks.push(
            "anyone is helped to any address, also of this host and of private networks: this is an open relay; write \
             onward = \"public\", or anyone = false"
                .to_owned(),
        );
    }
    let (flows_max, greedy) = (config.helper.relays_max, config.clients.takes_all(config.helper.relays_max));
    if !greedy.is_empty() {
        let mut named: Vec<String> =
            greedy.iter().take(NAMED_MAX).map(|(name, flows)| format!("{name} ({flows})")).collect();
        named.extend(greedy.len().checked_sub(NAMED_MAX + 1).map(|more| format!("and {} more", more + 1)));
        remarks.push(format!(
            "each of these clients may have all of the {flows_max} flows of relay.flows_max, so that nobody else is \
             helped: {}; give them fewer flows",
            named.join(", ")
        ));
    }
    let own = config.told.iter().find(|told| told.key == "relay.own");
    if own.is_some_and(|told| told.origin == Origin::Default) {
        remarks.push(
            "relay.own names no address of this relay: behind a NAT it would pass flows on to itself once before they \
             end"
            .to_owned(),
        );
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::told::Places;

    fn remarks(text: &str) -> Vec<String> {
        let place = || ("/s".into(), Origin::Default);
        let config = RelayConfig::parse(text, &Places { state: place(), runtime: place() }).expect("it is good");
        of(&config)
    }

    #[test]
    fn a_relay_that_helps_nobody_or_everybody_everywhere_is_remarked_upon() {
        let says = |text: &str, what: &str| remarks(text).iter().any(|remark| remark.contains(what));
        let own = "own = ['192.0.2.1']\n";
        assert!(says("", "no client is listed") && says("", "relay.own names no address"));
        let in_path = format!("[relay]\n{own}[in_path]\nclients = ['10.0.0.0/8']\n");
        assert!(!says(&in_path, "no client is listed"), "who is in the path helps those");
        assert!(says("[relay]\nonward = []\n", "no flow can be passed on"));
        for everywhere in ["0.0.0.0/0", "::/0"] {
            let text = format!("[relay]\n{own}onward = ['10.0.0.0/8', '{everywhere}']\n[terms]\n");
            assert!(says(&format!("{text}anyone = true\n"), "an open relay"), "{everywhere}");
            assert!(!says(&text, "an open relay"), "control: for nobody");
        }
        let good = format!("[relay]\n{own}onward = ['10.0.0.0/8']\n[terms]\nanyone = true\n");
        assert_eq!(remarks(&good), [""; 0], "control");
    }
}
