//! Two hosts behind NATs of the kernel's, which know nothing of each other but an EID and a registry that is a relay.

use std::process::Command;

use crate::bench::{Bench, Ended, has};
use crate::namespaces::{OWN, possible};

/// A registry on the network between, and a NAT before each of the hosts. `CLIENT` and `SERVER` are what nft does
/// there, and `FORWARDED` what else it does with packets of the client's.
const WORLD: &str = r#"
    set -e
    mount -t tmpfs none /run
    for name in core gate1 gate2 client server; do ip netns add $name; ip -n $name link set lo up; done
    ip -n core link add net type bridge
    ip -n core link set net up
    ip -n core addr add 192.0.2.10/24 dev net
    behind() { # NUMBER HOST RULE FORWARDED
        ip link add core$1 netns core type veth peer name outer netns gate$1
        ip link add inner netns gate$1 type veth peer name way netns $2
        ip -n core link set core$1 master net up
        ip -n gate$1 addr add 192.0.2.$1/24 dev outer; ip -n gate$1 link set outer up
        ip -n gate$1 addr add 10.$1.0.1/24 dev inner; ip -n gate$1 link set inner up
        ip -n $2 addr add 10.$1.0.2/24 dev way; ip -n $2 link set way up
        ip -n $2 route add default via 10.$1.0.1
        ip netns exec gate$1 sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
        printf '%s\n' "table ip nat {" "chain out {" \
            "type nat hook postrouting priority srcnat; oifname \"outer\" $3;" "}" "}" "table ip filter {" "chain in {" \
            "type filter hook input priority filter; iifname \"outer\" ct state new drop;" "}" "chain on {" \
            "type filter hook forward priority filter; iifname \"outer\" ct state new drop; $4" "}" "}" |
            ip netns exec gate$1 nft -f -
    }
    behind 1 client "$CLIENT" "$FORWARDED"
    behind 2 server "$SERVER"
    printf '[relay]\nown = ["192.0.2.10"]\nonward = ["192.0.2.0/24"]\nkey = "%s/relay.key"\n' "$PWD" > relay.toml
    printf 'secret = "%s/relay.secret"\ncontrol = "%s/relay.sock"\n[terms]\nanyone = true\n' "$PWD" "$PWD" >> relay.toml
    printf '[registry]\nstore = "file:%s/hosts.db"\n' "$PWD" >> relay.toml
    relay() { ip netns exec core "$TNG" relay run --config relay.toml --carrier 192.0.2.10:443 2> relay.said & }
    relay; relay=$!; pids=
    trap 'kill $pids $relay 2> /dev/null' EXIT
    began() { for i in $(seq 1500); do if grep -qs "$1" "$2"; then return; fi; sleep 0.02; done; cat "$2" >&2; exit 1; }
    began . relay.said
    registry=$(ip netns exec core "$TNG" relay ticket --config relay.toml | grep -o 'tng1[a-z0-9]*')
    TNG_KEY=server.key ip netns exec server "$TNG" serve --public --register "$registry" big 2> said & pids="$pids $!"
    began "^registered at" said
    eid=$(TNG_KEY=server.key "$TNG" id | grep -o '[a-z2-7]\{52\}' | head -n 1)
    export TNG_KEY=client.key TNG_REGISTRY="$registry"
"#;

/// The client asks the server and fetches a file from it.
const TALKS: &str = r#"
    ip netns exec client "$TNG" ping --json -c "$COUNT" -i 0.1 "tng://$eid"
    ip netns exec client "$TNG" doctor --json "tng://$eid" || true
    ip netns exec client "$TNG" get --json -o copy "tng://$eid/big"
    cmp big copy
    ip netns exec core "$TNG" relay status --config relay.toml --json
"#;

/// The registry is killed while the client asks the server, and begins anew after a second.
const RESTARTS: &str = r#"
    ip netns exec client "$TNG" ping --json -c "$COUNT" -i 0.1 "tng://$eid" > pings & ping=$!
    began '"ping"' pings
    kill -9 $relay
    sleep 1
    relay; relay=$!
    wait $ping
    cat pings
    ip netns exec core "$TNG" relay status --config relay.toml --json
"#;

/// UDP is blocked before the client while it asks the server.
const BLOCKS: &str = r#"
    ip netns exec client "$TNG" ping --json -c "$COUNT" -i 0.1 "tng://$eid" > pings & ping=$!
    began '"ping"' pings
    ip netns exec gate1 nft insert rule ip filter on meta l4proto udp drop
    wait $ping
    cat pings
"#;

/// What the client and the relay say, with these NATs before the client and the server, when `what` is done.
fn run([client, server, forwarded]: [&str; 3], what: &str, pings: u32) -> Ended {
    let bench = Bench::new();
    bench.write("big", 2_000_000, 1);
    let mut command = Command::new("unshare");
    command.args(OWN).args(["bash", "-c", &[WORLD, what].concat()]).current_dir(bench.path("."));
    command.env("XDG_CONFIG_HOME", bench.path("user")).env("COUNT", pings.to_string());
    command.env("TNG", env!("CARGO_BIN_EXE_tng")).env("CLIENT", client).env("SERVER", server);
    Ended(command.env("FORWARDED", forwarded).output().expect("it runs")).expect(0)
}

fn is_possible() -> bool {
    has("nft", "TNG_NEED_NFT") && possible()
}

#[test]
fn two_hosts_behind_nats_that_keep_ports_begin_by_way_of_the_registry_and_go_on_directly() {
    if !is_possible() {
        return;
    }
    let ended = run(["masquerade", "masquerade", ""], TALKS, 50);
    let connected = &ended.events("connected")[0];
    assert!(connected["path"].as_str().is_some_and(|path| path.starts_with("via ")), "{connected}");
    let back = ended.events("back");
    assert!(back.iter().any(|event| event["address"] == "192.0.2.2:4860"), "{back:?}\n{}", ended.stderr());
    assert_eq!(ended.events("ping").len(), 50);
    let checks = ended.events("check");
    let peer = checks.iter().find(|check| check["check"] == "peer").expect("the host is looked at");
    let found = peer["found"].as_str().unwrap_or_default();
    assert!(peer["result"] == "good" && found.starts_with("192.0.2.2:4860 "), "{peer}");
    let status = ended.documents().into_iter().find(|document| document["registry"].is_object()).expect("a status");
    assert!(status["registry"]["counts"]["introductions"].as_u64().is_some_and(|count| count > 0), "{status}");
}

#[test]
fn two_hosts_behind_nats_that_give_another_port_to_each_go_on_by_way_of_the_registry() {
    if !is_possible() {
        return;
    }
    let ended = run(["masquerade random", "masquerade random", ""], TALKS, 20);
    assert_eq!(ended.events("back").len(), 0, "{}", ended.stderr());
    assert_eq!(ended.events("ping").len(), 20);
}

#[test]
fn who_has_no_udp_reaches_a_host_behind_a_nat_by_a_carrier_to_the_registrys_relay() {
    if !is_possible() {
        return;
    }
    let ended = run(["masquerade", "masquerade random", "meta l4proto udp drop;"], TALKS, 20);
    for connected in ended.events("connected") {
        let path = connected["path"].as_str().unwrap_or_default();
        assert!(path.starts_with("via ") && path.ends_with(" carried over TCP"), "{connected}");
    }
    assert_eq!(ended.events("ping").len(), 20);
    assert_eq!(ended.events("back").len(), 0, "{}", ended.stderr());
    let checks = ended.events("check");
    let peer = checks.iter().find(|check| check["check"] == "peer").expect("the host is looked at");
    assert!(
        peer["result"] == "lacking" && peer["found"].as_str().is_some_and(|it| it.contains("UDP is blocked")),
        "{peer}"
    );
}

#[test]
fn who_loses_udp_while_it_goes_by_way_of_a_relay_is_told_that_it_goes_on_by_tcp() {
    if !is_possible() {
        return;
    }
    let ended = run(["masquerade random", "masquerade random", ""], BLOCKS, 30);
    assert_eq!(ended.events("ping").len(), 30);
    let helped = ended.events("helped");
    let by_tcp =
        |event: &&serde_json::Value| event["path"].as_str().is_some_and(|it| it.ends_with(", carried over TCP"));
    assert!(helped.iter().any(|event| by_tcp(&event)), "{helped:?}\n{}", ended.stderr());
    let names: Vec<_> = ended.documents().iter().map(|event| event["event"].clone()).collect();
    let repeated = names.windows(2).any(|two| two[0] == "stalled" && two[1] == "stalled");
    assert!(!repeated, "once for each silence: {}", ended.stderr());
}

#[test]
fn hosts_behind_nats_go_on_when_the_relay_between_them_was_killed_and_is_there_again() {
    if !is_possible() {
        return;
    }
    let ended = run(["masquerade random", "masquerade random", ""], RESTARTS, 60);
    assert_eq!(ended.events("ping").len(), 60);
    let status = ended.documents().into_iter().find(|document| document["registry"].is_object()).expect("a status");
    assert!(status["counts"]["joins"].as_u64().is_some_and(|joins| joins > 0), "{status}");
}
