//! Peers that are not there, or not any more.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, Ended, free_port};
use crate::namespaces::{OWN, possible};

/// Twice what is stated, for busy machines.
const CLOSED_PORT: Duration = Duration::from_secs(2);
const KILLED: Duration = Duration::from_secs(10);

/// A path that both ends take for a wider one, and a router that says otherwise; and one that is narrow where
/// it begins.
const NARROW: &str = r#"
    set -e
    mount -t tmpfs none /run
    ip netns add router && ip netns add far
    ip link add near type veth peer name left netns router
    ip -n router link add right type veth peer name there netns far
    ip link set lo up && ip link set near up
    for end in left right; do ip -n router link set $end up; done
    ip -n far link set there up
    ip addr add 10.77.0.1/24 dev near && ip -n router addr add 10.77.0.9/24 dev left
    ip -n router addr add 10.78.0.9/24 dev right && ip -n far addr add 10.78.0.2/24 dev there
    ip route add 10.78.0.0/24 via 10.77.0.9 && ip -n far route add 10.77.0.0/24 via 10.78.0.9
    ip netns exec router sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
    if [ "$NARROW" = far ]; then ip -n router link set right mtu 576; else ip link set near mtu 576; fi
    "$TNG" get -o copy "tng://$EID@10.78.0.2:4860/file"
"#;

/// Ends in time, and answers how.
#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn ends_within(limit: Duration, mut child: Child) -> Ended {
    let begun = Instant::now();
    while child.try_wait().expect("it runs").is_none() {
        if begun.elapsed() > limit {
            child.kill().expect("it runs");
            panic!("it does not end: {}", Ended(child.wait_with_output().expect("it ends")).stderr());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    println!("after {:?}", begun.elapsed());
    Ended(child.wait_with_output().expect("it has ended"))
}

#[test]
fn a_port_at_which_nobody_listens_is_told_at_once_with_exit_7() {
    let bench = Bench::new();
    let eid = bench.eid("other.key");
    for host in ["127.0.0.1", "[::1]"] {
        let address = format!("{host}:{}", free_port());
        for args in [&["get", "-o", "copy"][..], &["connect", "-n"], &["ping", "-c", "1"]] {
            let target = match args[0] {
                "get" => format!("tng://{eid}@{address}/file"),
                _ => format!("{eid}@{address}"),
            };
            let mut command = bench.tng("client.key", &[args, &[&target]].concat());
            let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
            let said = ends_within(CLOSED_PORT, child.expect("it runs")).expect(7).stderr();
            let expected = format!("refused: nobody listens at {address} (ICMP port unreachable)");
            assert!(said.contains(&expected), "{said}");
        }
    }
}

#[test]
fn either_end_of_a_pipe_ends_soon_after_the_other_was_killed() {
    for kill_connecter in [true, false] {
        let bench = Bench::new();
        let mut listener = bench.tng("server.key", &["listen", "--bind", "127.0.0.1:0"]);
        let said = bench.path("said");
        let listener = listener.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut listener = listener.stderr(std::fs::File::create(&said).expect("made")).spawn().expect("it runs");
        let ticket = || {
            let said = std::fs::read_to_string(&said).ok()?;
            said.lines().find(|line| line.starts_with("tng1")).map(str::to_owned)
        };
        crate::bench::wait("the ticket", || ticket().is_some());
        let mut connecter = bench.tng("client.key", &["connect", &ticket().expect("waited for")]);
        let connecter = connecter.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut connecter = connecter.spawn().expect("it runs");
        // It has come when it is heard of, and then both wait for each other.
        let (mut near, far) = (connecter.stdin.take().expect("piped"), listener.stdin.take().expect("piped"));
        std::io::Write::write_all(&mut near, b"x").expect("written");
        std::io::Read::read_exact(listener.stdout.as_mut().expect("piped"), &mut [0]).expect("it comes");
        let (mut killed, other) = if kill_connecter { (connecter, listener) } else { (listener, connecter) };
        killed.kill().expect("it runs");
        killed.wait().expect("it has ended");
        let ended = ends_within(KILLED, other);
        assert_ne!(ended.code(), Some(0), "nothing was agreed");
        drop((near, far));
    }
}

#[test]
fn a_path_that_is_too_narrow_is_told_by_its_size() {
    if !possible() {
        return;
    }
    for narrow in ["near", "far"] {
        let bench = Bench::new();
        let eid = bench.eid("other.key");
        let mut command = Command::new("unshare");
        command.args(OWN).args(["sh", "-c", NARROW]).current_dir(bench.path("."));
        command
            .env("TNG", env!("CARGO_BIN_EXE_tng"))
            .env("NARROW", narrow)
            .env("EID", eid)
            .env("TNG_KEY", "client.key");
        let said = Ended(command.output().expect("it runs")).expect(7).stderr();
        assert!(said.contains("it passes packets of 576 bytes, and tng needs 1228"), "{narrow}: {said}");
    }
}
