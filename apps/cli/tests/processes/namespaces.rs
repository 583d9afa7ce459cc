//! Two hosts with a wire between them, as the kernel simulates them.

use std::process::Command;

use crate::bench::{Bench, Ended};

/// In namespaces of its own, so that nothing outside is touched: a second network namespace, a cable to it, a server there.
const SCRIPT: &str = r#"
    set -e
    mount -t tmpfs none /run
    ip netns add far
    ip link add near mtu "$MTU" type veth peer name there mtu "$MTU" netns far
    ip link set lo up && ip link set near up
    ip -n far link set lo up && ip -n far link set there up
    ip addr add 10.77.0.1/24 dev near && ip -n far addr add 10.77.0.2/24 dev there
    ip addr add fd77::1/64 dev near nodad && ip -n far addr add fd77::2/64 dev there nodad
    TNG_KEY=server.key ip netns exec far "$TNG" serve --public --bind "$ADDRESS" big 2> said &
    server=$!
    trap 'kill $server' EXIT
    while ! grep -qs ^tng1 said; do sleep 0.02; done
    ticket=$(grep -m 1 ^tng1 said)
    export TNG_KEY=client.key
    "$TNG" ping --json -c 3 -i 0.01 "$ticket"
    "$TNG" get --json -o copy "tng://$ticket/big"
    cmp big copy
"#;

/// Where a link is slow, what is asked for first comes first, although it is the largest. Ends with 99 if links cannot be
/// made slow here.
const ORDERED: &str = r#"
    set -e
    mount -t tmpfs none /run
    ip netns add far
    ip link add near type veth peer name there netns far
    ip link set lo up && ip link set near up
    ip -n far link set lo up && ip -n far link set there up
    ip addr add 10.77.0.1/24 dev near && ip -n far addr add 10.77.0.2/24 dev there
    ip netns exec far tc qdisc add dev there root tbf rate 100mbit burst 64k latency 50ms || exit 99
    TNG_KEY=server.key ip netns exec far "$TNG" serve --public --bind 10.77.0.2:4860 tree 2> said &
    server=$!
    trap 'kill $server' EXIT
    while ! grep -qs ^tng1 said; do sleep 0.02; done
    ticket=$(grep -m 1 ^tng1 said)
    export TNG_KEY=client.key
    "$TNG" get --json -o copy/ "tng://$ticket/0" "tng://$ticket/1" "tng://$ticket/2"
"#;

#[test]
fn what_was_asked_for_first_comes_first_though_it_is_the_largest() {
    if !possible() {
        return;
    }
    let bench = Bench::new();
    for (i, size) in [6_000_000, 3_000_000, 1_000_000].into_iter().enumerate() {
        bench.write(&format!("tree/{i}"), size, i as u64);
    }
    let mut command = Command::new("unshare");
    command.args(OWN).args(["sh", "-c", ORDERED]).current_dir(bench.path("."));
    let ended = Ended(command.env("TNG", env!("CARGO_BIN_EXE_tng")).output().expect("it runs"));
    if ended.code() == Some(99) {
        return println!("skipped: no slow links here: {}", ended.stderr());
    }
    let ended = ended.expect(0);
    let order: Vec<String> = ended.events("file").iter().map(|event| event["path"].to_string()).collect();
    assert_eq!(order, ["\"0\"", "\"1\"", "\"2\""]);
}

const OWN: [&str; 5] = ["--map-root-user", "--net", "--mount", "--propagation", "private"];

/// Whether this machine lets the test make namespaces of its own.
fn possible() -> bool {
    let probe = "mount -t tmpfs none /run && ip netns add far && ip link add near type veth peer name there netns far";
    match Command::new("unshare").args(OWN).args(["sh", "-c", probe]).output() {
        Ok(probe) if probe.status.success() => true,
        Ok(probe) => {
            println!("skipped: no namespaces here: {}", String::from_utf8_lossy(&probe.stderr));
            false
        }
        Err(error) => {
            println!("skipped: no unshare here: {error}");
            false
        }
    }
}

#[test]
fn files_arrive_from_another_network_namespace_over_both_ip_versions_and_a_small_mtu() {
    if !possible() {
        return;
    }
    for (address, mtu) in [("10.77.0.2:4860", "1500"), ("[fd77::2]:4860", "1280")] {
        let bench = Bench::new();
        bench.write("big", 5_000_000, 1);
        let mut command = Command::new("unshare");
        command.args(OWN).args(["sh", "-c", SCRIPT]).current_dir(bench.path("."));
        command.env("TNG", env!("CARGO_BIN_EXE_tng")).env("ADDRESS", address).env("MTU", mtu);
        let ended = Ended(command.output().expect("it runs")).expect(0);
        assert_eq!(ended.events("ping").len(), 3, "{address}");
        assert_eq!(ended.events("connected")[1]["address"], address);
        assert_eq!(ended.events("done")[1]["moved"], 5_000_000, "{address}");
    }
}
