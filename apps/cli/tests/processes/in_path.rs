//! A relay that nobody named, on a router between two hosts: nft hands it what passes.

use std::process::Command;

use crate::bench::{Bench, Ended, has};
use crate::namespaces::{OWN, possible};

/// A client, a router with a relay, a server; each in a network of its own. `RETURN` is how what comes back is routed:
/// by the router, or past it.
const SCRIPT: &str = r#"
    set -e
    mount -t tmpfs none /run
    for name in client router server; do ip netns add $name; ip -n $name link set lo up; done
    ip link add c0 netns client type veth peer name r0 netns router
    ip link add s0 netns server type veth peer name r1 netns router
    ip link add c1 netns client type veth peer name s1 netns server
    in_client() { ip netns exec client "$@"; }
    in_router() { ip netns exec router "$@"; }
    in_server() { ip netns exec server "$@"; }
    in_client ip addr add 10.1.0.2/24 dev c0; in_router ip addr add 10.1.0.1/24 dev r0
    in_server ip addr add 10.2.0.2/24 dev s0; in_router ip addr add 10.2.0.1/24 dev r1
    in_client ip addr add fd01::2/64 dev c0 nodad; in_router ip addr add fd01::1/64 dev r0 nodad
    in_server ip addr add fd02::2/64 dev s0 nodad; in_router ip addr add fd02::1/64 dev r1 nodad
    in_client ip addr add 10.3.0.1/24 dev c1; in_server ip addr add 10.3.0.2/24 dev s1
    for link in c0 c1; do in_client ip link set $link up; done
    for link in r0 r1; do in_router ip link set $link up; done
    for link in s0 s1; do in_server ip link set $link up; done
    in_client ip route add default via 10.1.0.1; in_client ip -6 route add default via fd01::1
    in_server ip -6 route add default via fd02::1
    in_server ip route add 10.1.0.0/24 via $RETURN
    in_router sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding'
    for name in client server router; do
        ip netns exec $name sh -c 'for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $f; done'
    done
    printf '[relay]\nown = ["10.1.0.1", "fd01::1"]\nonward = ["10.2.0.0/16", "fd02::/16"]\nkey = "%s/relay.key"\n' \
        "$PWD" > relay.toml
    printf 'secret = "%s/relay.secret"\ncontrol = "%s/relay.sock"\n' "$PWD" "$PWD" >> relay.toml
    printf '[in_path]\nclients = ["10.1.0.0/24", "fd01::/64"]\n' >> relay.toml
    "$TNG" relay nft --config relay.toml > rules
    in_router nft -f rules
    # The commands in the comments.
    grep -o 'ip .*rule add.*\|ip .*route add.*' rules | while read -r line; do in_router $line; done
    ip netns exec router "$TNG" relay run --config relay.toml 2> relay.said & pids=$!
    trap 'kill $pids 2> /dev/null' EXIT
    began() { for i in $(seq 1500); do if grep -qs "$1" "$2"; then return; fi; sleep 0.02; done; cat "$2" >&2; exit 1; }
    began . relay.said
    TNG_KEY=server.key ip netns exec server "$TNG" serve --public --bind "$ADDRESS" big 2> said & pids="$pids $!"
    began ^tng1 said
    ticket=$(grep -m 1 ^tng1 said)
    export TNG_KEY=client.key
    in_client "$TNG" $POLICY get --json -o copy "tng://$ticket/big"
    cmp big copy
    in_router "$TNG" relay status --config relay.toml --json > status
    cat status
    kill -s KILL $(echo $pids | cut -d' ' -f1)
    in_client "$TNG" ping --json -c 2 -i 0.05 "$ticket"
"#;

/// What the client and the relay say.
fn run(address: &str, back: &str, policy: &str) -> Ended {
    let bench = Bench::new();
    bench.write("big", 20_000_000, 1);
    let mut command = Command::new("unshare");
    command.args(OWN).args(["bash", "-c", SCRIPT]).current_dir(bench.path("."));
    command.env("TNG", env!("CARGO_BIN_EXE_tng")).env("ADDRESS", address).env("RETURN", back).env("POLICY", policy);
    Ended(command.output().expect("it runs")).expect(0)
}

fn is_possible() -> bool {
    has("nft", "TNG_NEED_NFT") && possible()
}

#[test]
fn a_relay_on_a_router_helps_who_has_not_named_it_and_nobody_misses_it_when_it_is_killed() {
    if !is_possible() {
        return;
    }
    for address in ["10.2.0.2:4860", "[fd02::2]:4860"] {
        let ended = run(address, "10.2.0.1", "");
        assert_eq!(ended.events("helped").len(), 1, "{address}: {}", ended.stderr());
        assert_eq!(ended.events("done")[0]["moved"], 20_000_000);
        assert_eq!(ended.events("ping").len(), 2, "{address}: without the relay");
    }
}

#[test]
fn who_forbids_it_and_whose_answers_go_another_way_is_not_helped_and_loses_nothing() {
    if !is_possible() {
        return;
    }
    for (back, policy) in [("10.2.0.1", "--helpers-in-path forbid"), ("10.3.0.1", "")] {
        let ended = run("10.2.0.2:4860", back, policy);
        assert_eq!(ended.events("helped").len(), 0, "{back} {policy}: {}", ended.stderr());
        assert_eq!(ended.events("done")[0]["moved"], 20_000_000);
    }
}
