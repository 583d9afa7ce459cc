//! Tunnels between two relays: what goes in at one end comes out at the other.

use std::fs;
use std::net::UdpSocket;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tng_cli::relay::tunnels::oversize::OVERSIZE_TOLD_AFTER;

use crate::bench::{Bench, Ended, Serving, free_port, rest, wait};
use crate::namespaces::OWN;

/// Two relays on this host, with a tunnel between UDP ports: the first asks.
struct Pair {
    bench: Bench,
    ports: [u16; 2],
    relays: [Option<Serving>; 2],
    /// A program at the port of the first relay, and one at the peer of the second.
    programs: [UdpSocket; 2],
    ends: [u16; 2],
}

const NAMES: [&str; 2] = ["asking.toml", "asked.toml"];

impl Pair {
    fn new() -> Pair {
        let (bench, ports, ends) = (Bench::new(), [free_port(), free_port()], [free_port(), free_port()]);
        let programs = [0, 1].map(|_| {
            let program = UdpSocket::bind("127.0.0.1:0").expect("bound");
            program.set_read_timeout(Some(Duration::from_millis(50))).expect("set");
            program
        });
        let mut pair = Pair { bench, ports, relays: [None, None], programs, ends };
        let eids = [0, 1].map(|at| pair.eid(at));
        let peer = pair.programs[1].local_addr().expect("an address");
        let ends = pair.ends;
        pair.write(
            0,
            &format!(
                "[[tunnel]]\nname = 'office'\nto = '{}@127.0.0.1:{}'\nlisten = '127.0.0.1:{}'\n",
                eids[1], ports[1], ends[0]
            ),
        );
        let client = format!("[[client]]\nname = 'site'\neid = '{}'\ntunnels = true\n", eids[0]);
        let asked =
            format!("[[tunnel]]\nname = 'office'\nfrom = 'site'\nlisten = '127.0.0.1:{}'\npeer = '{peer}'\n", ends[1]);
        pair.write(1, &(client + &asked));
        for at in [1, 0] {
            pair.start(at);
        }
        pair
    }

    fn eid(&self, at: usize) -> String {
        let shown = Ended(self.bench.tng(&format!("{at}.id"), &["id"]).output().expect("it runs")).expect(0);
        String::from_utf8_lossy(&shown.0.stdout).trim().to_owned()
    }

    fn write(&self, at: usize, more: &str) {
        let place = |name: &str| self.bench.path(&format!("{at}.{name}")).display().to_string();
        let text = format!(
            "[relay]\nlisten = '127.0.0.1:{}'\nkey = '{}'\nsecret = '{}'\ncontrol = '{}'\n{more}",
            self.ports[at],
            place("id"),
            place("secret"),
            place("sock")
        );
        fs::write(self.bench.path(NAMES[at]), text).expect("written");
    }

    fn start(&mut self, at: usize) {
        let command = self.bench.tng("unused", &["relay", "run", "--json", "--config", NAMES[at]]);
        self.relays[at] = Some(self.bench.run(command));
    }

    fn ask(&self, at: usize, word: &str) -> Ended {
        let args = ["relay", word, "--control", &format!("{at}.sock"), "--json"];
        Ended(self.bench.tng("unused", &args).output().expect("it runs"))
    }

    fn tunnel(&self, at: usize) -> Value {
        let status: Value = serde_json::from_slice(&self.ask(at, "status").expect(0).0.stdout).expect("JSON");
        status["tunnels"][0].clone()
    }

    fn wait_for_failure(&self, at: usize, why: &str) {
        wait(why, || self.tunnel(at)["failure"].as_str().is_some_and(|failure| failure.contains(why)));
    }

    /// Sends datagrams until one has come back from the other side.
    fn echo(&self, said: &[u8]) {
        let [here, there] = &self.programs;
        let (mut buf, mut back) = ([0; 2_000], [0; 2_000]);
        wait("an echo", || {
            here.send_to(said, ("127.0.0.1", self.ends[0])).expect("sent");
            // Those of attempts before come first.
            while let Ok((len, from)) = there.recv_from(&mut buf) {
                assert_eq!(from.port(), self.ends[1], "it comes from the port that the other relay listens at");
                there.send_to(&buf[..len], from).expect("sent");
            }
            core::iter::from_fn(|| here.recv(&mut back).ok().map(|len| back[..len] == *said)).any(|same| same)
        });
    }
}

#[test]
fn datagrams_go_through_a_tunnel_and_back_and_go_on_after_either_relay_was_killed() {
    let mut pair = Pair::new();
    pair.echo(b"hello");
    pair.echo(&[7; 1_100]);
    let [asking, asked] = [0, 1].map(|at| pair.tunnel(at));
    assert_eq!((&asking["name"], &asking["end"], &asking["up"]), (&"office".into(), &"asking".into(), &true.into()));
    assert_eq!((&asked["of"], &asked["end"], &asked["up"]), (&"site".into(), &"asked".into(), &true.into()));
    assert_eq!(asking["section"]["neighbour"], format!("127.0.0.1:{}", pair.ports[1]));
    for at in [1, 0] {
        pair.relays[at].take().expect("it runs").kill();
        pair.start(at);
        pair.echo(&[at as u8; 300]);
    }
    // What only a restart changes.
    let path = pair.bench.path(NAMES[0]);
    let text = fs::read_to_string(&path).expect("there");
    fs::write(&path, text.replace("'office'", "'shop'")).expect("written");
    let refused = pair.ask(0, "reload").expect(2);
    assert!(refused.stderr().contains("tunnel.1.name changes with a restart alone"), "{}", refused.stderr());
}

#[test]
fn a_tunnel_follows_the_other_relay_to_another_of_its_addresses() {
    let mut pair = Pair::new();
    let edit = |pair: &Pair, at: usize, from: String, to: String| {
        let path = pair.bench.path(NAMES[at]);
        let text = fs::read_to_string(&path).expect("there");
        assert!(text.contains(&from), "{text}");
        fs::write(&path, text.replace(&from, &to)).expect("written");
    };
    let [here, there] = ["127.0.0.1", "127.0.0.2"].map(|ip| format!("{ip}:{}", pair.ports[1]));
    pair.relays[0].take().expect("it runs").kill();
    edit(&pair, 0, format!("@{here}"), format!("@{here},{there}"));
    pair.start(0);
    pair.echo(b"here");
    assert_eq!(pair.tunnel(0)["section"]["neighbour"], here);
    pair.relays[1].take().expect("it runs").kill();
    edit(&pair, 1, format!("listen = '{here}'"), format!("listen = '{there}'"));
    pair.start(1);
    pair.echo(b"there");
    assert_eq!(pair.tunnel(0)["section"]["neighbour"], there);
}

#[test]
fn a_tunnel_that_the_other_relay_does_not_know_carries_nothing_and_says_why() {
    let mut pair = Pair::new();
    pair.echo(b"control: it would");
    let path = pair.bench.path(NAMES[1]);
    let text = fs::read_to_string(&path).expect("there");
    pair.relays[1].take().expect("it runs").stop("TERM");
    fs::write(&path, text.split("[[client]]").next().expect("the rest")).expect("written");
    pair.relays[0].take().expect("it runs").kill();
    pair.start(1);
    pair.start(0);
    pair.wait_for_failure(0, "does not know this host");
    assert_eq!(pair.tunnel(0)["up"], false);
    pair.programs[0].send_to(b"anybody", ("127.0.0.1", pair.ends[0])).expect("sent");
    assert!(pair.programs[1].recv(&mut [0; 10]).is_err());
}

#[test]
fn a_relay_without_a_tunnel_says_that_it_is_asked_for_one_and_so_does_the_other() {
    let mut pair = Pair::new();
    pair.echo(b"control: it would");
    let path = pair.bench.path(NAMES[1]);
    let text = fs::read_to_string(&path).expect("there");
    pair.relays[1].take().expect("it runs").stop("TERM");
    fs::write(&path, text.split("[[tunnel]]").next().expect("the rest")).expect("written");
    pair.relays[0].take().expect("it runs").kill();
    pair.start(1);
    pair.start(0);
    pair.wait_for_failure(0, "it has no [[tunnel]] of this name from this client");
    assert_eq!(pair.tunnel(0)["up"], false);
    let asked = pair.relays[1].as_mut().expect("it runs");
    let mut told = asked.next_event();
    while told["event"] != "tunnel_unknown" {
        told = asked.next_event();
    }
    assert_eq!(told["of"], "site", "{told}");
}

#[test]
fn a_tunnel_that_goes_down_says_why_at_both_relays_and_in_their_logs() {
    let mut pair = Pair::new();
    pair.echo(b"control: it is up");
    wait("a tunnel that stays", || pair.tunnel(0)["failure"].is_null());
    pair.relays[1].take().expect("it runs").stop("TERM");
    pair.wait_for_failure(0, "the other relay has closed it");
    assert_eq!(pair.tunnel(0)["up"], false);
    let path = pair.bench.path(NAMES[1]);
    let text = fs::read_to_string(&path).expect("there");
    fs::write(&path, text.replace("'office'", "'offfice'")).expect("written");
    pair.start(1);
    pair.wait_for_failure(1, "the other relay has not asked for it");
    pair.wait_for_failure(0, "it has no [[tunnel]] of this name from this client");
    let [asking, asked] = [0, 1].map(|at| pair.relays[at].take().expect("it runs").kill());
    for (said, event) in [(&asking, "tunnel_up"), (&asking, "tunnel_down"), (&asked, "tunnel_unknown")] {
        assert!(said.contains(&format!("\"event\":\"{event}\"")), "{event}: {said}");
    }
}

#[test]
fn datagrams_that_are_too_large_for_a_tunnel_are_counted_and_told_with_what_would_fit() {
    let mut pair = Pair::new();
    pair.echo(b"control: it is up");
    // While the tunnel looks for its packet size nothing is told, which takes a while.
    let told_after = OVERSIZE_TOLD_AFTER.as_millis() as u64;
    for _ in 0..=told_after * 3 / 500 {
        pair.programs[0].send_to(&[7; 1_452], ("127.0.0.1", pair.ends[0])).expect("sent");
        rest(500);
    }
    let tunnel = pair.tunnel(0);
    assert!(tunnel["too_large"].as_u64() > Some(10), "{tunnel}");
    let said = pair.relays[0].take().expect("it runs").kill();
    let told: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).expect("NDJSON")).collect();
    let told: Vec<&Value> = told.iter().filter(|event| event["event"] == "tunnel_too_large").collect();
    let [told] = told[..] else { panic!("once: {said}") };
    assert_eq!((&told["bytes"], &told["max"], &told["wireguard_mtu"]), (&1_452.into(), &1_445.into(), &1_412.into()));
}

#[test]
fn what_others_than_its_peer_send_to_the_port_of_a_tunnel_goes_nowhere() {
    let pair = Pair::new();
    pair.echo(b"control: it is up");
    let stranger = UdpSocket::bind("127.0.0.1:0").expect("bound");
    for (sender, said) in [(&stranger, &b"stranger"[..]), (&pair.programs[1], b"peer")] {
        sender.send_to(said, ("127.0.0.1", pair.ends[1])).expect("sent");
    }
    let (mut buf, mut came) = ([0; 2_000], Vec::new());
    wait("what the peer sent", || {
        came.extend(core::iter::from_fn(|| pair.programs[0].recv(&mut buf).ok().map(|len| buf[..len].to_vec())));
        came.iter().any(|said| said == b"peer")
    });
    assert!(came.iter().all(|said| said != b"stranger"), "{came:?}");
}

/// Two relays in two network namespaces, with TUN devices; programs that know nothing of either speak TCP over both IP
/// versions, and go on after each relay was killed and started again. Ends with 99 if there are no such devices here.
const DEVICES: &str = r#"
    set -e
    mount -t tmpfs none /run
    ip netns add far
    ip link add near type veth peer name there netns far
    ip link set lo up && ip link set near up
    ip -n far link set lo up && ip -n far link set there up
    ip addr add 10.77.0.1/24 dev near && ip -n far addr add 10.77.0.2/24 dev there
    ip tuntap add dev probe mode tun && ip link del probe || exit 99
    here=$(TNG_KEY=$PWD/1.id "$TNG" id 2> /dev/null) there=$(TNG_KEY=$PWD/2.id "$TNG" id 2> /dev/null)
    relay() { echo "[relay]"; echo "listen = '10.77.0.$1:4860'"; echo "control = '$PWD/$1.sock'"
        echo "key = '$PWD/$1.id'"; echo "secret = '$PWD/$1.secret'"; }
    end() { echo "device = 'tng0'"; echo "addresses = ['10.200.0.$1/30', 'fd00:200::$1/64']"; }
    { relay 1; echo "[[tunnel]]"; echo "name = 'lan'"; echo "to = '$there@10.77.0.2:4860'"; end 1; } > 1.toml
    { relay 2; echo "[[client]]"; echo "eid = '$here'"; echo "tunnels = true"
        echo "[[tunnel]]"; echo "name = 'lan'"; echo "from = '$here'"; end 2; } > 2.toml
    begin1() { "$TNG" relay run --config 1.toml 2> said1 & one=$!; }
    begin2() { ip netns exec far "$TNG" relay run --config 2.toml 2> said2 & two=$!; }
    trap 'kill -9 $one $two $server' EXIT
    begin2; begin1
    ip netns exec far python3 server.py & server=$!
    for i in $(seq 1500); do [ ! -e listening ] || break; sleep 0.02; done
    python3 client.py 10.200.0.2 fd00:200::2
    kill -9 $two; wait $two || true; begin2
    python3 client.py 10.200.0.2 fd00:200::2
    kill -9 $one; wait $one || true; begin1
    python3 client.py 10.200.0.2 fd00:200::2
    "$TNG" relay status --control 1.sock
"#;

/// Sends back what comes.
const SERVER: &str = r#"
import socket, threading
def serve(connection):
    with connection:
        while data := connection.recv(65536):
            connection.sendall(data)
listener = socket.create_server(("::", 7000), family=socket.AF_INET6, dualstack_ipv6=True)
open("listening", "w").close()
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"#;

/// Pings each address by hand, and has a megabyte come back from there.
const CLIENT: &str = r#"
import os, socket, sys, threading, time
def ping(address):
    v6 = ":" in address
    s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_RAW,
                      socket.IPPROTO_ICMPV6 if v6 else socket.IPPROTO_ICMP)
    s.settimeout(0.5)
    body = b"\x00\x07\x00\x01" + b"tunnel" * 20
    total = 0
    head = b"\x80\x00" if v6 else b"\x08\x00"
    words = head + b"\0\0" + body
    total = sum(int.from_bytes(words[i:i + 2], "big") for i in range(0, len(words), 2))
    while total >> 16: total = (total & 0xffff) + (total >> 16)
    s.sendto(head + (0xffff ^ total).to_bytes(2, "big") + body, (address, 0))
    end = time.time() + 0.5
    while time.time() < end:
        got, of = s.recvfrom(2000)
        if body in got and (got[0] == 129 if v6 else got[20] == 0): return
    raise TimeoutError
def copy(address):
    data = os.urandom(1_000_000)
    with socket.create_connection((address, 7000), timeout=20) as s:
        threading.Thread(target=lambda: s.sendall(data), daemon=True).start()
        got = b""
        while len(got) < len(data):
            got += s.recv(65536)
        assert got == data
for address in sys.argv[1:]:
    end = time.time() + 45
    while True:
        try:
            ping(address)
            break
        except OSError as error:
            if time.time() > end: raise
            time.sleep(0.1)
    copy(address)
    print("good", address)
"#;

#[test]
fn programs_that_know_of_no_tunnel_use_its_devices_over_both_ip_versions_and_after_each_relay_was_killed() {
    let bench = Bench::new();
    fs::write(bench.path("server.py"), SERVER).expect("written");
    fs::write(bench.path("client.py"), CLIENT).expect("written");
    let mut command = Command::new("unshare");
    command.args(OWN).args(["sh", "-c", DEVICES]).current_dir(bench.path("."));
    let ended = command.env("TNG", env!("CARGO_BIN_EXE_tng")).output();
    let needed = std::env::var_os("TNG_NEED_LINK").is_some();
    let ended = match ended {
        Err(error) if !needed => return println!("skipped: no unshare here: {error}"),
        ended => Ended(ended.expect("it runs")),
    };
    let said = String::from_utf8_lossy(&ended.0.stdout).into_owned();
    let began = bench.path("said1").exists();
    if !needed && (ended.code() == Some(99) || !began) {
        return println!("skipped: no namespaces or TUN devices here: {}", ended.stderr());
    }
    let logs = || ["said1", "said2"].map(|name| fs::read_to_string(bench.path(name)).unwrap_or_default());
    assert_eq!(ended.code(), Some(0), "{said} {} {:?}", ended.stderr(), logs());
    assert_eq!(said.matches("good").count(), 6, "{said}");
    assert!(said.contains("tng0"), "{said}");
}

#[test]
fn a_device_that_may_not_be_made_is_told_with_what_to_try() {
    let bench = Bench::new();
    let eid = tng::Identity::from_seed([7; 32]).eid();
    let place = |name: &str| bench.path(name).display().to_string();
    let text = format!(
        "[relay]\nlisten = '127.0.0.1:0'\nkey = '{}'\nsecret = '{}'\ncontrol = '{}'\n[[tunnel]]\nname = 'lan'\n\
         to = '{eid}@127.0.0.1:9'\ndevice = 'tng0'\naddresses = ['10.200.0.1/30']\n",
        place("id"),
        place("secret"),
        place("sock")
    );
    fs::write(bench.path("relay.toml"), text).expect("written");
    // A process in a user namespace of its own, and not in a network namespace of that, has no right to devices here.
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-user=65534", env!("CARGO_BIN_EXE_tng"), "relay", "run", "--config", "relay.toml"]);
    command.current_dir(bench.path(".")).env("HOME", bench.path("."));
    let Ok(output) = command.output() else { return println!("skipped: no unshare here") };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("unshare") {
        return println!("skipped: no user namespaces here: {said}");
    }
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("tunnel \"lan\": making the TUN device tng0"), "{said}");
    assert!(said.contains("CAP_NET_ADMIN") || said.contains("modprobe tun"), "{said}");
}
