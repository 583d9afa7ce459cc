//! Two hosts with a wire between them, as the kernel simulates them.

use std::process::Command;

use crate::bench::{Bench, Ended};

/// In namespaces of its own, so that nothing outside is touched: a second network namespace, a cable to it, a server
/// there.
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

/// Where a link is slow, what is asked for first comes first, although it is the largest. Ends with 99 if links cannot
/// be made slow here.
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

/// How `unshare` gives a test a network of its own.
pub const OWN: [&str; 5] = ["--map-root-user", "--net", "--mount", "--propagation", "private"];

/// Whether this machine lets the test make namespaces of its own.
pub fn possible() -> bool {
    let needed = std::env::var_os("TNG_NEED_LINK").is_some();
    let probe = "mount -t tmpfs none /run && ip netns add far && ip link add near type veth peer name there netns far";
    match Command::new("unshare").args(OWN).args(["sh", "-c", probe]).output() {
        Ok(probe) if probe.status.success() => true,
        Ok(probe) => {
            let why = String::from_utf8_lossy(&probe.stderr).into_owned();
            assert!(!needed, "no namespaces here: {why}");
            println!("skipped: no namespaces here: {why}");
            false
        }
        Err(error) => {
            assert!(!needed, "no unshare here: {error}");
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

/// A host with a public address of its own, a neighbour with another, and a page at every address of both: what
/// `forward --to any` leads to. Each line: a name, what CONNECT and what a plain request answer, and the words of the
/// latter.
const ANY: &str = r#"
    set -e
    mount -t tmpfs none /run
    ip netns add far
    ip link add near type veth peer name there netns far
    ip link set lo up && ip link set near up
    ip -n far link set lo up && ip -n far link set there up
    ip addr add 11.0.0.1/24 dev near && ip -n far addr add 11.0.0.2/24 dev there
    ip addr add 10.9.9.9/32 dev lo && ip route add local 11.5.0.0/16 dev lo
    printf '127.0.0.1 localhost\n11.0.0.1 own.example\n10.9.9.9 private.example\n11.0.0.2 other.example\n' > hosts
    printf 'hosts: files\n' > switch
    mount --bind hosts /etc/hosts && mount --bind switch /etc/nsswitch.conf
    began() { for i in $(seq 1500); do if grep -qs "$1" "$2"; then return; fi; sleep 0.02; done; cat "$2" >&2; exit 1; }
    export TNG_KEY=server.key
    "$TNG" forward --serve --bind 127.0.0.1:0 --to any $MORE 2> served & pids=$!
    trap 'kill $pids' EXIT
    began tng1 served
    ticket=$(grep -o 'tng1[a-z2-7]*' served | head -1)
    export TNG_KEY=client.key
    # A proxy is a page of its own, too: it answers 400 to who takes it for one.
    "$TNG" proxy --listen 0.0.0.0:81 "$ticket" 2> page & pids="$pids $!"
    ip netns exec far "$TNG" proxy --fallback-tcp --listen 0.0.0.0:81 "$FAR" 2> page2 & pids="$pids $!"
    "$TNG" proxy --listen 127.0.0.1:1080 "$ticket" 2> proxy & pids="$pids $!"
    began proxy page; began proxy page2; began proxy proxy
    asked() { curl -g -s -m 9 -x http://127.0.0.1:1080 "http://$host:81/" "$@"; }
    for host in 11.0.0.1 '[::ffff:11.0.0.1]' 11.5.1.1 own.example 10.9.9.9 private.example none.example 11.0.0.2 \
        other.example; do
        through=$(asked -o /dev/null -p -w '%{http_connect}' || true)
        words=$(asked | tr -d '\r\n')
        echo "$host $through $words"
    done
"#;

/// A host, what CONNECT to it answers, and the words of the answer to a plain request.
fn led(more: &str) -> Vec<(String, String, String)> {
    let bench = Bench::new();
    let mut command = Command::new("unshare");
    command.args(OWN).args(["sh", "-c", ANY]).current_dir(bench.path("."));
    // A peer that is not there: the page in the other namespace has no need of one.
    let far = format!("{}@127.0.0.1:9", tng::Identity::from_seed([7; 32]).eid());
    let ended =
        command.env("TNG", env!("CARGO_BIN_EXE_tng")).env("MORE", more).env("FAR", far).output().expect("it runs");
    let ended = Ended(ended).expect(0);
    let line = |line: &str| {
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        let mut word = || words.next().unwrap_or_default();
        (word(), word(), word())
    };
    String::from_utf8_lossy(&ended.0.stdout).lines().map(line).collect()
}

#[test]
fn any_leads_to_others_and_never_to_the_host_itself_nor_do_refusals_tell_its_names() {
    let curl = Command::new("curl").arg("--version").output().is_ok();
    if !curl || !possible() {
        return;
    }
    let (closed, open) = (led(""), led("--to 11.0.0.1:81 --to private.example:81"));
    assert_eq!(closed.len(), 9, "{closed:?}");
    for (host, through, words) in &closed {
        let others = host == "11.0.0.2" || host == "other.example";
        assert_eq!(through, if others { "200" } else { "403" }, "{host}: {words}");
        let refused = format!("{host}:81: this host does not lead there");
        // Whether there is such a name, and where it leads, is nobody's business: all refusals say the same.
        assert_eq!(words.contains(&refused), !others, "{host}: {words}");
        assert!(others || !words.replace(host, "").contains("10.9."), "{words}");
    }
    // Control: the pages are there, for who is let through.
    for (host, through, _) in &open {
        let named = ["11.0.0.1", "private.example", "11.0.0.2", "other.example"].contains(&host.as_str());
        assert_eq!(through, if named { "200" } else { "403" }, "{host}");
    }
}

/// A host of nothing but its loopback.
#[test]
fn where_the_system_has_no_way_to_the_peer_a_command_says_so_at_once() {
    if !possible() {
        return;
    }
    let bench = Bench::new();
    let peer = format!("{}@192.0.2.1:4860", bench.eid("server.key"));
    for args in [&["ping", &peer][..], &["get", "-o", "copy", &format!("{peer}/file")], &["connect", &peer]] {
        let tool = bench.tng("client.key", args);
        let mut alone = Command::new("unshare");
        alone.args(OWN).arg(tool.get_program()).args(tool.get_args()).current_dir(bench.path("."));
        let ended = Ended(alone.env("TNG_KEY", bench.path("client.key")).output().expect("it runs")).expect(7);
        let said = ended.stderr();
        assert!(said.contains("no way to 192.0.2.1:4860: network is unreachable"), "{said}");
    }
}

/// A host without a route by default, with two networks.
#[test]
fn a_ticket_has_the_addresses_of_all_networks_and_a_host_of_the_loopback_alone_says_so() {
    const NETWORKS: &str = "
        set -e
        mount -t tmpfs none /run
        ip link set lo up
        ip link add one type veth peer name other
        ip link set one up && ip link set other up
        ip addr add 10.77.0.1/24 dev one && ip addr add 198.18.0.1/24 dev other
    ";
    if !possible() {
        return;
    }
    let bench = Bench::new();
    bench.write("file", 10, 1);
    let serve = |before: &str| {
        let script = format!("{before}\nexec \"$TNG\" serve file --public --json 2> said");
        let mut command = Command::new("unshare");
        command.args(OWN).args(["sh", "-c", &script]).current_dir(bench.path("."));
        command.env("TNG", env!("CARGO_BIN_EXE_tng")).env("TNG_KEY", bench.path("server.key"));
        let server = bench.run(command);
        let addresses = server.said["addresses"].as_array().expect("a list").clone();
        server.kill();
        let said = std::fs::read_to_string(bench.path("said")).expect("it speaks");
        (addresses, said.contains("no other host can reach this one"))
    };
    let (addresses, warns) = serve(NETWORKS);
    assert!(!warns && addresses == ["198.18.0.1:4860", "10.77.0.1:4860"], "{addresses:?}");
    let (addresses, warns) = serve("ip link set lo up");
    assert!(warns && addresses.contains(&"127.0.0.1:4860".into()), "{addresses:?}");
}
