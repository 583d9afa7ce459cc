//! The relay as a process: its file, its socket, its signals.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::bench::{Bench, Ended, PATIENCE, Serving, free_port, wait};

pub struct Relay {
    pub bench: Bench,
    pub serving: Option<Serving>,
    http: u16,
}

impl Relay {
    /// The file says this beside what makes it a relay of the test.
    pub fn write(bench: &Bench, http: u16, more: &str) {
        let place = |name: &str| bench.path(name).display().to_string();
        let text = format!(
            "[relay]\nlisten = '127.0.0.1:0'\nkey = '{}'\nsecret = '{}'\ncontrol = '{}'\nhttp = '127.0.0.1:{http}'\n\
             access_log = '{}'\n{more}",
            place("id"),
            place("secret"),
            place("sock"),
            place("log")
        );
        fs::write(bench.path("relay.toml"), text).expect("written");
    }

    pub fn start(more: &str) -> Relay {
        let (bench, http) = (Bench::new(), free_port());
        Relay::write(&bench, http, more);
        let serving = bench.run(bench.tng("unused", &["relay", "run", "--json", "--config", "relay.toml"]));
        Relay { bench, serving: Some(serving), http }
    }

    pub fn ask(&self, args: &[&str]) -> Ended {
        let args = [&["relay"], args, &["--control", "sock", "--json"]].concat();
        Ended(self.bench.tng("unused", &args).output().expect("it runs"))
    }

    pub fn status(&self) -> Value {
        serde_json::from_slice(&self.ask(&["status"]).expect(0).0.stdout).expect("JSON")
    }

    /// What the relay answers to GET.
    pub fn get(&self, path: &str) -> String {
        self.request("GET", path)
    }

    /// What it answers, at once.
    fn request(&self, method: &str, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.http)).expect("connected");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: relay\r\n\r\n").expect("asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        answer
    }

    pub fn serving(&self) -> &Serving {
        self.serving.as_ref().expect("it runs")
    }
}

#[test]
fn who_takes_carriers_says_at_which_address_of_tcp() {
    let (bench, at) = (Bench::new(), format!("127.0.0.1:{}", free_port()));
    bench.write("there/a.bin", 10, 1);
    let serve = ["serve", "there", "--public", "--bind", "127.0.0.1:0", "--carrier", &at];
    let said = bench.words(&serve, "serving ");
    assert!(said.contains(&format!(", and by TCP at {at}\n")), "{said}");
    let server = bench.start(&serve);
    assert_eq!(server.said["carrier_addresses"], json!([at]));
    drop(server);
    let plain = bench.serve(&["there", "--public", "--bind", "127.0.0.1:0"]);
    assert_eq!(plain.said["carrier_addresses"], json!([]), "control");
    Relay::write(&bench, free_port(), "");
    let relay = ["relay", "run", "--json", "--config", "relay.toml", "--carrier", &at];
    assert_eq!(bench.run(bench.tng("unused", &relay)).said["carrier_addresses"], json!([at]));
    let said = bench.words(&[&relay[..2], &relay[3..]].concat(), "relay ");
    assert!(said.contains(&format!(", and by TCP at {at}")), "{said}");
}

#[test]
fn a_relay_tells_what_it_is_reloads_what_is_good_and_keeps_what_it_had_otherwise() {
    let mut relay = Relay::start("onward = ['127.0.0.0/8']\n[terms]\nanyone = true\n");
    let status = relay.status();
    assert_eq!(
        (&status["reloads"], &status["clients"]["anyone"], &status["draining"]),
        (&0.into(), &true.into(), &false.into())
    );
    assert_eq!(status["eid"], relay.serving().eid);
    let secret = fs::metadata(relay.bench.path("secret")).expect("made").permissions();
    assert_eq!(secret.mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(relay.bench.path("sock")).expect("made").permissions().mode() & 0o777, 0o600);
    let metrics = relay.get("/metrics");
    assert!(metrics.starts_with("HTTP/1.1 200") && metrics.contains("\ntng_relay_flows 0\n"), "{metrics}");
    assert!(metrics.trim_end().ends_with("# EOF"), "{metrics}");
    assert!(relay.get("/healthz").ends_with("ok\n") && relay.get("/other").starts_with("HTTP/1.1 404"));

    Relay::write(&relay.bench, relay.http, "onward = 'public'\n[[client]]\nname = 'a'\ntoken_sha256 = 'x'\n");
    let refused = relay.ask(&["reload"]).expect(2);
    let file = relay.bench.path("relay.toml").display().to_string();
    assert!(refused.stderr().contains(&format!("reading {file}: line 11: token_sha256")), "{}", refused.stderr());
    relay.serving().signal("HUP");
    Relay::write(&relay.bench, relay.http, "threads = 3\n");
    let refused = relay.ask(&["reload"]).expect(2);
    assert!(refused.stderr().contains("line 8: relay.threads changes with a restart alone"), "{}", refused.stderr());
    assert_eq!(refused.events("error")[0]["try"], "restart the relay, or take the change back");
    let status = relay.status();
    assert_eq!((&status["reloads"], &status["clients"]["anyone"]), (&0.into(), &true.into()), "it has what it had");
    assert!(status["config_error"].as_str().expect("told").contains("relay.threads"));
    assert!(relay.get("/metrics").contains("\ntng_relay_config_good 0\n"));

    Relay::write(&relay.bench, relay.http, "onward = 'public'\n");
    relay.ask(&["reload"]).expect(0);
    relay.serving().signal("HUP");
    wait("a second reload", || relay.status()["reloads"] == 2);
    let status = relay.status();
    assert_eq!((&status["clients"]["anyone"], &status["config_error"]), (&false.into(), &Value::Null));
    fs::remove_file(relay.bench.path("relay.toml")).expect("removed");
    let gone = relay.ask(&["reload"]).expect(26);
    assert!(gone.stderr().contains(&format!("reading {file}: no such file")), "{}", gone.stderr());
    let second = relay.bench.tng("unused", &["relay", "run", "--config", "relay.toml"]).output().expect("it runs");
    assert_eq!(second.status.code(), Some(26));

    relay.serving.take().expect("it runs").stop("TERM");
    assert!(!relay.bench.path("sock").exists());
    let gone = relay.ask(&["status"]).expect(7);
    assert!(gone.stderr().contains("no relay answers there (so says --control)"), "{}", gone.stderr());
}

#[test]
fn a_relay_that_was_killed_is_started_again_and_a_second_one_is_refused() {
    let mut relay = Relay::start("[terms]\nanyone = true\n");
    let eid = relay.serving().eid.clone();
    let second = relay.bench.tng("unused", &["relay", "run", "--config", "relay.toml"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    // Its metrics' port is taken, before the socket is.
    assert!(second.status.code() == Some(7) && said.contains(&relay.http.to_string()), "{said}");
    assert!(said.contains("try: another http under [relay], or end the program that holds it"), "{said}");
    relay.serving.take().expect("it runs").kill();
    let again = relay.bench.run(relay.bench.tng("unused", &["relay", "run", "--json", "--config", "relay.toml"]));
    assert_eq!(again.eid, eid, "it is who it was");
    relay.serving = Some(again);
    assert_eq!(relay.status()["draining"], false);
}

#[test]
fn a_reload_opens_the_access_log_anew_though_the_relay_may_use_no_other_files() {
    // The log is alone in a folder, in which the relay may do nothing else.
    let (bench, logs, http) = (Bench::new(), Bench::new(), free_port());
    Relay::write(&bench, http, "[terms]\nanyone = true\n");
    let text = fs::read_to_string(bench.path("relay.toml")).expect("there");
    let log = logs.path("log");
    let here = bench.path("log").display().to_string();
    fs::write(bench.path("relay.toml"), text.replace(&here, &log.display().to_string())).expect("written");
    let serving = bench.run(bench.tng("unused", &["relay", "run", "--json", "--config", "relay.toml"]));
    let relay = Relay { bench, serving: Some(serving), http };
    fs::rename(&log, logs.path("log.1")).expect("moved");
    relay.ask(&["reload"]).expect(0);
    assert_eq!(fs::metadata(&log).expect("made anew").permissions().mode() & 0o777, 0o600);
    fs::remove_file(&log).expect("removed");
    fs::create_dir(&log).expect("made");
    let refused = relay.ask(&["reload"]).expect(23);
    assert!(refused.stderr().contains("opening the access log"), "control: {}", refused.stderr());
    assert_eq!(relay.status()["reloads"], 1);
    if !relay.serving().said["sandbox"]["files"].as_str().is_some_and(|files| files.starts_with("its own")) {
        return eprintln!("not tried: this kernel has no landlock");
    }
    // Another folder of the same name is another folder.
    fs::remove_dir_all(logs.path("")).expect("removed");
    fs::create_dir(logs.path("")).expect("made");
    let refused = relay.ask(&["reload"]).expect(23);
    let said = refused.stderr();
    assert!(said.contains("the sandbox keeps to the folder that was there at the start"), "{said}");
    assert!(said.contains("try: restart it"), "{said}");
}

#[test]
fn a_host_that_is_denied_help_is_counted_by_the_reason_and_named_in_the_log() {
    let mut relay = Relay::start(&format!("[[client]]\nname = 'us'\ntoken_sha256 = '{}'\n", "ab".repeat(32)));
    let (relay_at, bench) = (format!("{}@{}", relay.serving().eid, relay.serving().address), Bench::new());
    let eid = |key: &str| {
        let shown = Ended(bench.tng(key, &["id"]).output().expect("it runs")).expect(0);
        String::from_utf8_lossy(&shown.0.stdout).trim().to_owned()
    };
    let (client, nobody) = (eid("client.key"), format!("{}@127.0.0.1:9", eid("other.key")));
    let ping = |via: &str, home: &str| {
        let args = ["ping", "-c", "1", "--via", via, &nobody];
        let mut command = bench.tng("client.key", &args);
        Ended(command.env("XDG_CONFIG_HOME", bench.path(home)).output().expect("it runs")).expect(9)
    };
    ping(&relay_at, "none");
    fs::create_dir_all(bench.path("home/tng")).expect("made");
    let (eid, address) = (&relay.serving().eid, &relay.serving().address);
    let host = format!("[hosts.attic]\neid = '{eid}'\naddress = '{address}'\ntoken = 'guessed'\n");
    fs::write(bench.path("home/tng/config.toml"), host).expect("written");
    fs::set_permissions(bench.path("home/tng/config.toml"), fs::Permissions::from_mode(0o600)).expect("changed");
    ping("attic", "home");
    let counts = &relay.status()["counts"]["denied"];
    assert_eq!((&counts["not_a_client"], &counts["wrong_token"]), (&1.into(), &1.into()));
    let metrics = relay.get("/metrics");
    for reason in ["not_a_client", "wrong_token"] {
        assert!(metrics.contains(&format!("\ntng_relay_denied_total{{reason=\"{reason}\"}} 1\n")), "{metrics}");
        let event = relay.serving.as_mut().expect("it runs").next_event();
        assert_eq!(
            (&event["event"], &event["eid"], &event["why"]),
            (&"denied".into(), &client.as_str().into(), &reason.into())
        );
    }
}

#[test]
fn connections_that_say_nothing_keep_nobody_from_the_metrics() {
    let relay = Relay::start("[terms]\nanyone = true\n");
    let silent: Vec<TcpStream> =
        (0..40).map(|_| TcpStream::connect(("127.0.0.1", relay.http)).expect("connected")).collect();
    for _ in 0..20 {
        assert!(relay.get("/healthz").ends_with("ok\n"));
    }
    // Those that gave way were told.
    let mut first = &silent[0];
    assert_eq!(first.read(&mut [0; 1]).unwrap_or(0), 0);
}

#[test]
fn head_is_answered_as_get_without_a_body_and_options_with_what_may_be_done() {
    let relay = Relay::start("[terms]\nanyone = true\n");
    for path in ["/healthz", "/metrics"] {
        let (head, get) = (relay.request("HEAD", path), relay.get(path));
        let (head_of_get, body) = get.split_once("\r\n\r\n").expect("a body");
        let lines =
            |text: &str| text.lines().filter(|line| !line.starts_with("date")).map(str::to_owned).collect::<Vec<_>>();
        assert!(!body.is_empty() && head.ends_with("\r\n\r\n"), "{head}");
        if path == "/healthz" {
            assert_eq!(lines(head.trim_end()), lines(head_of_get));
        }
        let options = relay.request("OPTIONS", path);
        assert!(options.starts_with("HTTP/1.1 204") && options.contains("allow: GET, HEAD, OPTIONS"), "{options}");
        let refused = relay.request("POST", path);
        assert!(refused.starts_with("HTTP/1.1 405") && refused.contains("allow: GET, HEAD, OPTIONS"), "{refused}");
    }
}

#[test]
fn a_relay_says_which_files_it_has_made_and_what_a_check_says_of_its_configuration() {
    let mut relay = Relay::start("onward = ['0.0.0.0/0']\n[terms]\nanyone = true\n");
    let said = &relay.serving().said;
    assert_eq!(said["made"], serde_json::json!(["identity", "secret"]));
    let check = |args: &[&str]| {
        let args = [args, &["relay", "check", "--config", "relay.toml"]].concat();
        Ended(relay.bench.tng("unused", &args).output().expect("it runs")).expect(0)
    };
    let checked = check(&["--json"]);
    assert_eq!(checked.events("good")[0]["remarks"], said["remarks"]);
    assert!(checked.stderr().contains("this is an open relay"), "{}", checked.stderr());
    assert_eq!(check(&["-q"]).stderr(), "");
    relay.serving.take().expect("it runs").stop("TERM");
    let again = relay.bench.run(relay.bench.tng("unused", &["relay", "run", "--json", "--config", "relay.toml"]));
    assert_eq!(again.said["made"], serde_json::json!([]));
}

#[test]
fn a_reload_is_in_the_log_of_the_relay_whoever_asks_for_it() {
    let mut relay = Relay::start("[terms]\nanyone = true\n");
    relay.ask(&["reload"]).expect(0);
    fs::write(relay.bench.path("relay.toml"), "nonsense").expect("written");
    relay.ask(&["reload"]).expect(2);
    let serving = relay.serving.as_mut().expect("it runs");
    assert_eq!(serving.next_event()["event"], "reloaded");
    let failed = serving.next_event();
    assert!(failed["event"] == "reload_failed" && failed["why"].as_str().is_some_and(|why| why.contains("line 1")));
}

#[test]
fn a_name_that_has_no_address_yet_is_looked_up_again() {
    let (bench, http) = (Bench::new(), free_port());
    let shown = Ended(bench.tng("other.key", &["id"]).output().expect("it runs")).expect(0);
    let eid = String::from_utf8_lossy(&shown.0.stdout).trim().to_owned();
    let tunnel = format!("[[tunnel]]\nname = 'a'\nto = '{eid}@relay.invalid'\nlisten = '127.0.0.1:0'\n");
    Relay::write(&bench, http, &tunnel);
    let mut serving = bench.run(bench.tng("unused", &["relay", "run", "--json", "--config", "relay.toml"]));
    for event in [serving.said.clone(), serving.next_event()] {
        assert_eq!((&event["event"], &event["name"]), (&"look_up_failed".into(), &"relay.invalid:4860".into()));
    }
}

#[test]
fn what_a_relay_cannot_be_told_on_the_command_line_or_without_a_home_is_refused_by_name() {
    let (bench, http) = (Bench::new(), free_port());
    Relay::write(&bench, http, "[terms]\nanyone = true\n");
    let run = |args: &[&str]| Ended(bench.tng("unused", args).output().expect("it runs"));
    let refused = run(&["--threads", "2", "relay", "run", "--config", "relay.toml"]).expect(2);
    assert!(refused.stderr().contains("try: threads = 2 under [relay] in relay.toml"), "{}", refused.stderr());
    fs::write(bench.path("bare.toml"), "[terms]\nanyone = true\n").expect("written");
    let refused = run(&["relay", "run", "--config", "bare.toml"]).expect(2);
    let why = "finding relay.key: neither XDG_CONFIG_HOME nor HOME is set to a whole path";
    assert!(refused.stderr().contains(why), "{}", refused.stderr());
    run(&["relay", "check", "--config", "bare.toml"]).expect(0);
    // A name in a ticket.
    run(&["id", "new", "--key", "id"]).expect(0);
    let made = run(&["relay", "ticket", "--json", "--config", "relay.toml", "--address", "localhost:5000"]).expect(0);
    let addresses = &made.events("ticket")[0]["addresses"];
    assert!(addresses.as_array().is_some_and(|all| all.iter().any(|at| at == "127.0.0.1:5000")), "{addresses}");
}

#[test]
fn a_token_that_others_can_read_is_refused_wherever_it_is() {
    let (bench, http) = (Bench::new(), free_port());
    let shown = Ended(bench.tng("other.key", &["id"]).output().expect("it runs")).expect(0);
    let eid = String::from_utf8_lossy(&shown.0.stdout).trim().to_owned();
    let (config, token) = (bench.path("relay.toml"), bench.path("token"));
    fs::write(&token, "sesame\n").expect("written");
    let check = |said: &str| {
        let tunnel = format!("[[tunnel]]\nname = 'a'\nto = '{eid}@127.0.0.1:9'\n{said}\nlisten = '127.0.0.1:0'\n");
        Relay::write(&bench, http, &tunnel);
        let checked = |mode: [u32; 2]| {
            for (path, mode) in [&config, &token].into_iter().zip(mode) {
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
            }
            let args = ["relay", "check", "--config", "relay.toml"];
            Ended(bench.tng("unused", &args).output().expect("it runs"))
        };
        [[0o600, 0o600], [0o644, 0o600], [0o600, 0o640]].map(|mode| checked(mode).code())
    };
    assert_eq!(check("token = 'sesame'"), [Some(0), Some(26), Some(0)]);
    assert_eq!(check(&format!("token_file = '{}'", token.display())), [Some(0), Some(0), Some(26)]);
}

#[test]
fn a_port_that_is_taken_is_told_with_the_key_that_names_it() {
    let relay = Relay::start("[terms]\nanyone = true\n");
    let place = |name: &str| relay.bench.path(name).display().to_string();
    let text = format!(
        "[relay]\nlisten = '{}'\nkey = '{}'\nsecret = '{}'\ncontrol = '{}'\n",
        relay.serving().address,
        place("id"),
        place("secret"),
        place("other-sock")
    );
    fs::write(relay.bench.path("other.toml"), text).expect("written");
    let args = ["relay", "run", "--json", "--config", "other.toml"];
    let taken = Ended(relay.bench.tng("unused", &args).output().expect("it runs")).expect(7);
    let remedy = "another listen under [relay], or end the program that holds it";
    assert_eq!(taken.events("error")[0]["try"], remedy);
}

#[test]
fn what_is_no_socket_stays_where_a_relay_was_to_listen() {
    let (bench, http) = (Bench::new(), free_port());
    Relay::write(&bench, http, "[terms]\nanyone = true\n");
    fs::write(bench.path("sock"), "somebody's notes").expect("written");
    let refused = Ended(bench.tng("unused", &["relay", "run", "--config", "relay.toml"]).output().expect("it runs"));
    let said = refused.expect(73).stderr();
    assert!(said.contains("something that is no socket is there"), "{said}");
    assert_eq!(fs::read_to_string(bench.path("sock")).expect("there"), "somebody's notes");
}

#[test]
fn a_thousand_hangups_change_nothing_and_leave_no_descriptor_behind() {
    let relay = Relay::start("[terms]\nanyone = true\n");
    relay.status();
    let before = relay.serving().descriptors();
    for _ in 0..1_000 {
        relay.serving().signal("HUP");
    }
    wait("the last reload", || relay.status()["reloads"].as_u64().is_some_and(|reloads| reloads > 0));
    assert_eq!(relay.status()["config_error"], Value::Null);
    wait("descriptors to be as many as before", || relay.serving().descriptors() <= before);
}

#[test]
fn a_token_is_drawn_and_its_hash_is_what_the_file_wants() {
    let bench = Bench::new();
    let run = |args: &[&str]| Ended(bench.tng("unused", args).output().expect("it runs")).expect(0);
    let drawn: Value = serde_json::from_slice(&run(&["relay", "token", "--json"]).0.stdout).expect("JSON");
    let hash = drawn["token_sha256"].as_str().expect("a hash");
    fs::write(bench.path("relay.toml"), format!("[[client]]\ntoken_sha256 = '{hash}'\n")).expect("written");
    run(&["relay", "check", "--config", "relay.toml"]);
    let two = format!(
        "[relay]\nflows_max = 64\n[terms]\nanyone = true\nflows = 63\n[[client]]\nname = 'us'\nflows = 64\n\
                       token_sha256 = '{hash}'\n"
    );
    fs::write(bench.path("two.toml"), two).expect("written");
    let remark = run(&["relay", "check", "--config", "two.toml"]);
    assert!(remark.stderr().contains("so that nobody else is helped: us (64); give them fewer"), "{}", remark.stderr());
    let dump = run(&["relay", "dump", "--config", "relay.toml"]);
    let dump = String::from_utf8_lossy(&dump.0.stdout).into_owned();
    assert!(dump.contains("terms.life = \"12h\"") && dump.contains("# default"), "{dump}");
    assert!(dump.contains(&format!("client.1.token_sha256 = '{hash}'")), "{dump}");
}

/// A client, a server and a relay on one wire; the client's end of it carries 50 Mbit/s. Each line of the file `kills`
/// is a download during which the relay is killed (or stopped) after so many milliseconds, and started again (or
/// continued) after so many more. Ends with 99 if links cannot be made slow here.
const KILLS: &str = r#"
    set -e
    mount -t tmpfs none /run
    ip link add wire type bridge
    ip link set wire up && ip link set lo up
    for at in 1:client 2:server 3:relay; do
        name=${at#*:}
        ip netns add $name
        ip link add to-$name type veth peer name eth0 netns $name
        ip link set to-$name master wire up
        ip -n $name link set lo up && ip -n $name link set eth0 up
        ip -n $name addr add 11.0.0.${at%%:*}/24 dev eth0
    done
    tc qdisc add dev to-client root tbf rate 50mbit burst 64k latency 50ms || exit 99
    tc -n client qdisc add dev eth0 root tbf rate 50mbit burst 64k latency 50ms || exit 99
    relay() { ip netns exec relay "$TNG" relay run --config relay.toml >> relay.out 2>&1 & relay=$!; }
    began() { for i in $(seq 1500); do if grep -qs "$1" "$2"; then return; fi; sleep 0.02; done; cat "$2" >&2; exit 1; }
    relay
    began '^relay ' relay.out
    via=$(sed -n 's/^relay \([a-z0-9]*\) .*/\1/p' relay.out)@11.0.0.3:4860
    TNG_KEY=server.key ip netns exec server "$TNG" serve --public --bind 11.0.0.2:4860 big 2> said &
    server=$!
    trap 'kill -CONT $relay; kill -9 $server $relay' EXIT
    began ^tng1 said
    ticket=$(grep -m 1 ^tng1 said)
    export TNG_KEY=client.key
    while read how after again; do
        ip netns exec client "$TNG" get --json --no-progress --via "$via" -o copy "tng://$ticket/big" > got 2> got.err &
        get=$!
        sleep $after
        case $how in
        kill) kill -9 $relay; wait $relay || true; sleep $again; relay ;;
        stop) kill -STOP $relay; sleep $again; kill -CONT $relay ;;
        esac
        wait $get || { echo "the download fails: $how $after $again" >&2; cat got got.err >&2; exit 1; }
        cmp big copy
        rm copy
        cat got
        "$TNG" relay status --control sock --json
    done < kills
    # Nothing is left but what was started, and it ends when it is told to.
    kill $relay && wait $relay
    kill $server && wait $server || true
    trap - EXIT
    ! pgrep -x tng > left || { cat left >&2; exit 1; }
"#;

/// The bytes of a download, and how long it takes at the rate of the wire at least.
const BIG: (usize, f64) = (64 << 20, 10.7);

/// How much longer a download may take than without a kill, beside the time in which there was no relay.
const LATE_S: f64 = 3.0;

#[test]
fn a_download_by_way_of_a_relay_arrives_whole_and_in_time_though_the_relay_is_killed_or_stopped() {
    if !crate::namespaces::possible() {
        return;
    }
    let count = |name: &str, few: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(few);
    let (kills, stops, bench) = (count("TNG_KILLS", 3), count("TNG_STOPS", 1), Bench::new());
    let seed = count("TNG_FROM", 20);
    println!("seed {seed}");
    let mut rng = tng_base::Rng::from_u64(seed);
    let mut lines: Vec<(f64, String)> = Vec::new();
    for _ in 0..kills {
        let (after, again) = (0.05 + 1.95 * rng.unit(), rng.unit());
        lines.push((again, format!("kill {after:.3} {again:.3}")));
    }
    lines.extend((0..stops).map(|_| (5.0, format!("stop {:.3} 5", 0.5 + rng.unit()))));
    let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
    println!("{text}");
    fs::write(bench.path("kills"), text).expect("written");
    bench.write("big", BIG.0, 3);
    fs::write(
        bench.path("relay.toml"),
        format!(
            "[relay]\nlisten = '11.0.0.3:4860'\nkey = '{0}/id'\nsecret = '{0}/secret'\ncontrol = '{0}/sock'\n\
             own = ['11.0.0.3']\n[terms]\nanyone = true\n",
            bench.path(".").display().to_string().trim_end_matches("/.")
        ),
    )
    .expect("written");
    let mut command = std::process::Command::new("unshare");
    command.args([
        "--map-root-user",
        "--net",
        "--mount",
        "--propagation",
        "private",
        "--pid",
        "--fork",
        "--mount-proc",
    ]);
    command.args(["sh", "-c", KILLS]).current_dir(bench.path("."));
    command.env("XDG_CONFIG_HOME", bench.path("config")).env("HOME", bench.path("."));
    let ended = Ended(command.env("TNG", env!("CARGO_BIN_EXE_tng")).output().expect("it runs"));
    if ended.code() == Some(99) {
        assert!(std::env::var_os("TNG_NEED_LINK").is_none(), "no slow links here: {}", ended.stderr());
        return println!("skipped: no slow links here: {}", ended.stderr());
    }
    let ended = ended.expect(0);
    let done = ended.events("done");
    assert_eq!(done.len(), lines.len(), "{}", ended.stderr());
    // Of the process that was there last: one that was killed was not asked for anything any more.
    let joins: Vec<u64> = ended.documents().iter().filter_map(|it| it.pointer("/counts/joins")?.as_u64()).collect();
    assert_eq!(joins.len(), lines.len());
    for ((event, (again, line)), joins) in done.iter().zip(&lines).zip(joins) {
        println!("{line}: {joins} joins, {event}");
        let seconds = event["seconds"].as_f64().expect("told");
        // So no gap was longer than that, either: the wire makes up for none.
        assert!(seconds < BIG.1 + again + LATE_S, "{line}: {seconds} s");
        assert!(joins > 0, "{line}: the download went by no relay");
    }
}
