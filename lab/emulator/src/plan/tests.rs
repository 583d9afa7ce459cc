//! What nodes become.

use super::*;

fn node(name: &str, addresses: &[&str]) -> TopologyNode {
    let addresses = addresses.iter().map(|text| text.parse().expect("an address")).collect();
    TopologyNode { name: name.to_owned(), addresses, nat: None }
}

fn link(a: usize, b: usize, cost: u32) -> TopologyLink {
    let lane = Link::new().cost(cost);
    TopologyLink { name: format!("{a}-{b}"), a, b, forth: lane.clone(), back: lane }
}

#[test]
fn two_hosts_reach_each_other_by_the_device_between_them() {
    let plans = plan(&Topology::pair(0, &Link::new().mtu(1400))).expect("a topology");
    assert_eq!(
        plans[0].commands,
        "link set dev lo up\n\
         address add 10.0.0.1/32 dev lo\n\
         address add fd00::1/128 dev lo nodad\n\
         link set dev link0 mtu 1400 txqueuelen 4096 up\n\
         route add 10.0.0.2/32 dev link0 src 10.0.0.1\n\
         route add fd00::2/128 dev link0 src fd00::1\n"
    );
    assert_eq!(plans[0].ports, [Port { lane: 0, device: "link0".to_owned() }]);
    assert_eq!(plans[1].ports, [Port { lane: 1, device: "link0".to_owned() }]);
    assert!(!plans[0].forwards && !plans[1].forwards);
}

#[test]
fn routes_lead_along_the_path_of_least_cost_over_routers_only() {
    let topology = Topology {
        seed: 0,
        nodes: vec![
            node("a", &["10.0.0.1"]),
            node("b", &["10.0.0.2"]),
            node("near", &[]),
            node("far", &[]),
            node("detour", &[]),
        ],
        links: vec![link(0, 2, 1), link(2, 3, 5), link(2, 4, 1), link(4, 3, 1), link(3, 1, 1)],
    };
    let plans = plan(&topology).expect("a topology");
    let routes = |place: usize| -> Vec<&str> {
        plans[place].commands.lines().filter(|line| line.starts_with("route")).collect()
    };
    assert_eq!(routes(0), ["route add 10.0.0.2/32 dev link0 src 10.0.0.1"]);
    assert_eq!(
        routes(2),
        ["route add 10.0.0.1/32 dev link0 src 198.18.0.3", "route add 10.0.0.2/32 dev link2 src 198.18.0.3"]
    );
    assert!(plans[2].forwards && plans[2].ports.len() == 3);
}

#[test]
fn what_cannot_stand_is_named() {
    let wrong = |change: fn(&mut Topology)| {
        let mut topology = Topology::pair(0, &Link::new());
        change(&mut topology);
        plan(&topology).expect_err("it cannot stand").to_string()
    };
    assert!(wrong(|topology| topology.nodes[1].name = "../b".to_owned()).contains("\"../b\" cannot name"));
    assert!(wrong(|topology| topology.nodes[1].name = "a".to_owned()).contains("two nodes would be called \"a\""));
    assert!(wrong(|topology| topology.links.clear()).contains("no link"));
    assert!(wrong(|topology| topology.links = vec![link(0, 1, 1); LINKS_MAX + 1]).contains("at most 256"));
}

#[test]
fn names_are_made_plain_where_they_must_be() {
    assert_eq!(plain_name("tng sender/2"), "tng-sender-2");
    let mut topology = Topology::pair(0, &Link::new());
    topology.nodes[0].name = "the sender".to_owned();
    assert!(plan(&topology).is_ok());
    topology.nodes[1].name = "the-sender".to_owned();
    assert_eq!(plan(&topology), Err(TopologyError::Twice("the-sender".to_owned())));
}

#[test]
fn a_link_has_the_mtu_that_the_addresses_of_its_hosts_need() {
    let mut topology = Topology::pair(0, &Link::new().mtu(1279));
    let refused = plan(&topology).expect_err("too small");
    assert!(refused.to_string().starts_with("the link \"a-b\" has an mtu of 1279, and IPv6 needs 1280; "), "{refused}");
    topology.nodes.iter_mut().for_each(|node| node.addresses.retain(|address| address.is_ipv4()));
    plan(&topology).expect("IPv4 takes that");
    topology.links[0].back.mtu = 67;
    assert!(plan(&topology).is_err_and(|error| error.to_string().contains("IPv4 needs 68")));
}

#[test]
fn a_nat_is_a_router_whose_addresses_lead_to_it_and_are_not_its_own() {
    let mut nat = node("nat", &[]);
    nat.nat = Some(TopologyNat { config: NatConfig::new(vec!["192.0.2.1".parse().expect("an ip")]), inside: vec![0] });
    let topology = Topology {
        seed: 0,
        nodes: vec![node("phone", &["10.0.0.1"]), nat, node("server", &["10.0.0.2"])],
        links: vec![link(0, 1, 1), link(2, 1, 1)],
    };
    let plans = plan(&topology).expect("a topology");
    assert!(plans[1].forwards && !plans[1].commands.contains("192.0.2.1"), "{}", plans[1].commands);
    assert!(plans[2].commands.contains("route add 192.0.2.1/32 dev link1 src 10.0.0.2"), "{}", plans[2].commands);
    let [into, out, up, down] = topology.crossings().collect::<Vec<_>>()[..] else { panic!("two links") };
    assert_eq!((into, out), (Crossing::default(), Crossing::default()), "the inside is not translated");
    assert_eq!((up.enters, up.leaves, down.enters, down.leaves), (Some(1), None, None, Some(1)));
}
