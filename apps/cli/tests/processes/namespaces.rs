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

#[test]
fn files_arrive_from_another_network_namespace_over_both_ip_versions_and_a_small_mtu() {
    let own = ["--map-root-user", "--net", "--mount", "--propagation", "private"];
    let probe = "mount -t tmpfs none /run && ip netns add far && ip link add near type veth peer name there netns far";
    let probe = Command::new("unshare").args(own).args(["sh", "-c", probe]).output();
    match probe {
        Ok(probe) if probe.status.success() => {}
        Ok(probe) => return println!("skipped: no namespaces here: {}", String::from_utf8_lossy(&probe.stderr)),
        Err(error) => return println!("skipped: no unshare here: {error}"),
    }
    for (address, mtu) in [("10.77.0.2:4860", "1500"), ("[fd77::2]:4860", "1280")] {
        let bench = Bench::new();
        bench.write("big", 5_000_000, 1);
        let mut command = Command::new("unshare");
        command.args(own).args(["sh", "-c", SCRIPT]).current_dir(bench.path("."));
        command.env("TNG", env!("CARGO_BIN_EXE_tng")).env("ADDRESS", address).env("MTU", mtu);
        let ended = Ended(command.output().expect("it runs")).expect(0);
        assert_eq!(ended.events("ping").len(), 3, "{address}");
        assert_eq!(ended.events("connected")[1]["address"], address);
        assert_eq!(ended.events("done")[1]["moved"], 5_000_000, "{address}");
    }
}
