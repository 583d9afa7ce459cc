//! Commands whose bytes go by a transport that both ends run: files, forwarded TCP, a proxy.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::bench::{Bench, Ended, PATIENCE, Serving, free_port, has, same, wait};

/// What was settled, of the first connection.
fn settled(ended: &Ended) -> String {
    ended
        .events("transport")
        .first()
        .map(|told| told["settled"].as_str().expect("a word").to_owned())
        .unwrap_or_default()
}

#[test]
fn files_come_and_go_by_a_transport_that_both_ends_run() {
    let bench = Bench::new();
    let (whole, up) = (bench.write("folder/whole", 3_000_000, 1), bench.write("up", 1_000_000, 2));
    for at in 0..40 {
        bench.write(&format!("folder/many/{at}"), 10_000 + at, at as u64);
    }
    let server = bench.serve(&["folder", "--writable", "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let got = bench.get(&["--transport", "sack", &server.url_of("whole"), "-o", "got"]).expect(0);
    assert_eq!(settled(&got), "runs");
    assert!(same(&whole, &bench.path("got")));
    let got = bench.get(&["-r", "--transport", "newreno", &server.url_of("many"), "-o", "all"]).expect(0);
    assert_eq!(settled(&got), "runs");
    for at in 0..40 {
        assert!(same(&bench.path(&format!("folder/many/{at}")), &bench.path(&format!("all/{at}"))), "{at}");
    }
    let put = bench.put(&["--transport", "newreno", "up", &server.url_of("")]).expect(0);
    assert_eq!(settled(&put), "runs");
    assert!(same(&up, &bench.path("folder/up")));
    server.stop("INT");
}

#[test]
fn files_come_by_streams_where_the_server_runs_no_transport() {
    let bench = Bench::new();
    let whole = bench.write("folder/whole", 1_000_000, 1);
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0"]);
    let got = bench.get(&["--transport", "sack", &server.url_of("whole"), "-o", "got"]).expect(0);
    assert_eq!(settled(&got), "no");
    assert!(same(&whole, &bench.path("got")));
    server.stop("INT");
}

/// Installs a guest of the zoo, as its user's own choice.
fn pinned(bench: &Bench, key: &str, guest: &str) {
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules");
    fs::copy(format!("{modules}/{guest}.wasm"), bench.path("zoo.wasm")).expect("it is there");
    let args = ["stp", "install", "zoo.wasm", "--pin"];
    Ended(bench.tng(key, &args).output().expect("it runs")).expect(0);
}

fn hash_of(guest: &str) -> String {
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules");
    tng_crypto::code_hash(&fs::read(format!("{modules}/{guest}.wasm")).expect("it is there")).to_string()
}

#[test]
fn a_file_comes_whole_and_soon_though_the_guest_that_was_to_bring_it_traps_or_does_nothing() {
    let bench = Bench::new();
    let whole = bench.write("folder/whole", 300_000, 1);
    for (guest, named) in
        [("zoo-trap", "trapped"), ("zoo-timer-bomb", "sent nothing in time"), ("zoo-busy", "used all of the processor")]
    {
        for key in ["client.key", "server.key"] {
            pinned(&bench, key, guest);
        }
        let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0", "--transport", &hash_of(guest)]);
        let got = bench.get(&["--transport", &hash_of(guest), &server.url_of("whole"), "-o", "got"]).expect(0);
        assert!(same(&whole, &bench.path("got")), "{guest}");
        let told = got.events("transport");
        let words: Vec<&str> = told.iter().map(|told| told["settled"].as_str().expect("a word")).collect();
        assert_eq!(words, ["runs", "gave-way"], "{guest}: {told:?}");
        assert!(told[1]["why"].as_str().is_some_and(|why| why.contains(named)), "{guest}: {told:?}");
        fs::remove_file(bench.path("got")).expect("it is there");
        server.stop("INT");
    }
}

#[test]
fn what_a_guest_did_wrong_is_remembered_though_the_command_that_ran_it_ends_with_it() {
    let bench = Bench::new();
    bench.write("folder/whole", 3_000_000, 1);
    let (guest, hash) = ("zoo-ack-flooder", hash_of("zoo-ack-flooder"));
    for key in ["client.key", "server.key"] {
        pinned(&bench, key, guest);
    }
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0", "--transport", &hash]);
    let get = || bench.get(&["--retry", "0", "--transport", &hash, &server.url_of("whole"), "-o", "got"]);
    get().expect(18);
    let args = ["stp", "show", &hash, "--json"];
    let shown = Ended(bench.tng("client.key", &args).output().expect("it runs")).expect(0);
    let text = String::from_utf8_lossy(&shown.0.stdout).into_owned();
    let told: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    assert!(told["violations"].as_u64() >= Some(1), "{told}");
    server.stop("INT");
}

#[test]
fn a_file_goes_on_by_streams_from_what_has_come_where_its_guest_misbehaves_in_the_middle() {
    let bench = Bench::new();
    let whole = bench.write("folder/whole", 3_000_000, 1);
    let hash = hash_of("zoo-ack-flooder");
    for key in ["client.key", "server.key"] {
        pinned(&bench, key, "zoo-ack-flooder");
    }
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0", "--transport", &hash]);
    let got = bench.get(&["--transport", &hash, &server.url_of("whole"), "-o", "got"]).expect(0);
    assert!(same(&whole, &bench.path("got")));
    let told = got.events("transport");
    let words: Vec<&str> = told.iter().map(|told| told["settled"].as_str().expect("a word")).collect();
    assert_eq!(words, ["runs", "failed"], "{told:?}");
    assert!(told[1]["why"].as_str().is_some_and(|why| why.contains("guest")), "{told:?}");
    let said = got.stderr();
    assert!(said.contains(&format!("{} has failed", told[1]["name"].as_str().expect("a name"))), "{said}");
    assert_eq!(got.events("file")[0]["outcome"], "resumed", "what the guest has brought does not come again");
    server.stop("INT");
}

#[test]
fn a_visitor_is_told_of_once_however_many_connections_its_transport_takes() {
    let bench = Bench::new();
    bench.write("folder/whole", 100_000, 1);
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let url = server.url_of("whole");
    bench.get(&["--transport", "sack", &url, "-o", "a"]).expect(0);
    // Somebody else: the first may not have left yet.
    Ended(bench.tng("other.key", &["get", &url, "-o", "b"]).output().expect("it runs")).expect(0);
    // What it tells of the last one may be under way.
    let mut events = Vec::new();
    let mut server = server;
    while events.iter().filter(|event: &&serde_json::Value| event["event"] == "closed").count() < 2 {
        events.push(server.next_event());
    }
    server.stop("INT");
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    assert_eq!((of("accepted").len(), of("closed").len()), (2, 2), "{events:?}");
    let left: Vec<_> = of("closed").iter().map(|event| (event["transports"].clone(), event["why"].clone())).collect();
    assert_eq!(left[0], (vec!["sack"].into(), "it was done".into()));
    assert_eq!(left[1], (vec!["structured streams"].into(), "it was done".into()));
}

/// The processes that this one has started, and has not waited for.
fn children(of: u32) -> Vec<u32> {
    let stat = |id: u32| fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let parent = |id: u32| stat(id).rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)?.parse::<u32>().ok());
    let all = fs::read_dir("/proc").expect("it is there").flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| parent(*id) == Some(of)).collect()
}

#[test]
fn spare_processes_of_guests_that_are_killed_are_buried_and_replaced_though_nobody_asks_for_one() {
    // As docs/limits.md has it.
    const SPARES: usize = 4;
    let bench = Bench::new();
    let whole = bench.write("folder/whole", 200_000, 1);
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../transports/stp/guests/modules");
    // Nobody vouches for it: a section of its own makes it another code than what is built in.
    let mut module = fs::read(format!("{modules}/newreno.wasm")).expect("it is there");
    module.extend_from_slice(&[0, 2, 1, b'n']);
    fs::write(bench.path("mine.wasm"), &module).expect("written");
    let hash = tng_crypto::code_hash(&module).to_string();
    let install = ["stp", "install", "mine.wasm", "--pin"];
    Ended(bench.tng("client.key", &install).output().expect("it runs")).expect(0);
    fs::write(bench.path("server.toml"), "accept = \"any\"\n").expect("written");
    let mut install = bench.tng("server.key", &["stp", "install", "mine.wasm"]);
    install.env("TNG_POLICY", bench.path("server.toml"));
    Ended(install.output().expect("it runs")).expect(0);
    let mut command = bench.tng("server.key", &["serve", "folder", "--public", "--bind", "127.0.0.1:0", "--json"]);
    command.env("TNG_POLICY", bench.path("server.toml"));
    let server = bench.run(command);
    wait("processes that are ready", || children(server.id()).len() == SPARES);
    let first = children(server.id());
    for id in &first {
        let killed = Command::new("kill").args(["-s", "KILL", &id.to_string()]).status();
        assert!(killed.expect("kill runs").success());
    }
    wait("others in their place, and the first buried", || {
        let now = children(server.id());
        now.len() == SPARES && now.iter().all(|id| !first.contains(id))
    });
    let got = bench.get(&["--transport", &hash, &server.url_of("whole"), "-o", "got"]).expect(0);
    assert!(same(&whole, &bench.path("got")));
    assert_eq!(settled(&got), "runs");
    server.stop("INT");
}

#[test]
fn what_the_users_own_policy_refuses_is_not_offered_and_what_carries_messages_is_no_transport() {
    let bench = Bench::new();
    let whole = bench.write("folder/whole", 100_000, 1);
    let server = bench.serve(&["folder", "--public", "--bind", "127.0.0.1:0", "--transport", "newreno,sack"]);
    let rule = format!("[[rule]]\nname = \"plain\"\npeer = \"{}\"\naccept = \"none\"\n", server.eid);
    fs::write(bench.path("stp.toml"), rule).expect("written");
    let url = server.url_of("whole");
    let get = |transport: &str, policy: &str| {
        let mut command = bench.tng("client.key", &["get", "--json", "--transport", transport, &url, "-o", "got"]);
        command.env("TNG_POLICY", bench.path(policy));
        Ended(command.output().expect("it runs"))
    };
    let got = get("newreno", "stp.toml").expect(0);
    let told = &got.events("transport")[0];
    assert_eq!(told["settled"], "not-offered", "{told}");
    assert!(told["why"].as_str().is_some_and(|why| why.contains("\"plain\"")), "{told}");
    assert!(same(&whole, &bench.path("got")), "streams bring it");
    let messages = get("udp-flood", "stp.toml").expect(2).stderr();
    assert!(messages.contains("carries messages"), "{messages}");
    server.stop("INT");
}

/// What says where it listens, until it is dropped.
struct Door {
    address: String,
    _process: Killed,
}

impl Door {
    fn open(mut command: Command) -> Door {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let address = loop {
            let line = lines.next().expect("it says where").expect("text");
            let said: serde_json::Value = serde_json::from_str(&line).expect("JSON alone");
            if said["event"] == "listening" {
                break said["address"].as_str().expect("text").to_owned();
            }
        };
        // It may go on talking.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Door { address, _process: Killed(child) }
    }
}

/// A process that is ended when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends back what comes, up to its end.
fn echo() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for tcp in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || drop(std::io::copy(&mut &tcp, &mut &tcp)));
        }
    });
    address.to_string()
}

fn goes_there_and_back(address: &str, what: &[u8]) {
    let tcp = TcpStream::connect(address).expect("a connection");
    tcp.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let (mut write, said) = (tcp.try_clone().expect("a clone"), what.to_vec());
    let writing = thread::spawn(move || {
        write.write_all(&said).expect("room");
        write.shutdown(std::net::Shutdown::Write).expect("open");
    });
    let mut heard = Vec::new();
    (&tcp).read_to_end(&mut heard).expect("all of it");
    writing.join().expect("it ends");
    assert!(heard == what, "{} of {} bytes", heard.len(), what.len());
}

#[test]
fn programs_that_know_nothing_of_it_go_by_a_transport_through_forward_and_proxy() {
    let (bench, to) = (Bench::new(), echo());
    let server = bench.start(&["forward", "--serve", "--to", &to, "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let route = format!("0:{to}");
    let args = ["forward", "--json", "-q", "-L", &route, "--transport", "newreno", &server.ticket];
    let forward = Door::open(bench.tng("client.key", &args));
    let bytes: Vec<u8> = (0..500_000_u32).map(|at| (at % 251) as u8).collect();
    for _ in 0..3 {
        goes_there_and_back(&forward.address, &bytes);
    }
    let args = ["proxy", "--json", "-q", "--listen", "127.0.0.1:0", "--transport", "sack", &server.ticket];
    let proxy = Door::open(bench.tng("other.key", &args));
    // What carries them shows while they are open.
    let mut tcp = TcpStream::connect(&proxy.address).expect("a connection");
    tcp.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    write!(tcp, "CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n").expect("room");
    let mut reader = BufReader::new(tcp.try_clone().expect("a clone"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("an answer");
    assert!(line.starts_with("HTTP/1.1 200"), "{line}");
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).expect("a header");
    }
    tcp.write_all(b"hello").expect("room");
    let mut five = [0; 5];
    reader.read_exact(&mut five).expect("it comes back");
    assert_eq!(&five, b"hello");
    let status = Ended(bench.tng("client.key", &["stp", "status", "--json"]).output().expect("it runs")).expect(0);
    let guests = format!("{:?}", status.documents());
    assert!(guests.contains("sack"), "the proxy's connection is a guest's: {guests}");
    server.stop("INT");
}

/// Serves this to every client that asks by HTTP, and says where.
fn web(body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for mut tcp in listener.incoming().map_while(Result::ok) {
            let mut head = BufReader::new(tcp.try_clone().expect("a clone")).lines().map_while(Result::ok);
            while head.next().is_some_and(|line| !line.is_empty()) {}
            let _ = write!(tcp, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = tcp.write_all(&body);
        }
    });
    address
}

/// Fetches a page by curl through a proxy.
fn curl(bench: &Bench, address: &str, proxy: &Door) {
    let (to, through) = (format!("http://{address}/"), format!("socks5h://{}", proxy.address));
    let mut curl = Command::new("curl");
    curl.args(["-sS", "--max-time", "60", "-x", &through, &to, "-o"]).arg(bench.path("fetched"));
    Ended(curl.output().expect("it runs")).expect(0);
    assert!(same(&bench.path("page"), &bench.path("fetched")));
}

#[test]
fn curl_goes_by_a_transport_through_the_proxy() {
    if !has("curl", "TNG_NEED_HTTP") {
        return;
    }
    let bench = Bench::new();
    let page = bench.write("page", 400_000, 5);
    let address = web(fs::read(&page).expect("there"));
    let server =
        bench.start(&["forward", "--serve", "--to", &address, "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let args = ["proxy", "--json", "-q", "--listen", "127.0.0.1:0", "--transport", "newreno", &server.ticket];
    let proxy = Door::open(bench.tng("client.key", &args));
    curl(&bench, &address, &proxy);
    server.stop("INT");
}

/// A command of somebody whose policy has a rule for this server alone, at this port, that prefers a transport.
fn ruled(bench: &Bench, server: &Serving, port: u16, args: &[&str]) -> Door {
    let rule = format!(
        "[[rule]]\nname = \"there\"\npeer = \"{}\"\nservice = \"forward\"\nport = {port}\nprefer = \"newreno\"\n",
        server.eid
    );
    fs::write(bench.path("stp.toml"), rule).expect("written");
    let mut command = bench.tng("client.key", args);
    command.env("TNG_POLICY", bench.path("stp.toml"));
    Door::open(command)
}

/// The names of the guests that processes of this bench have had, and those of commands that had none.
fn guests(bench: &Bench, command: &str) -> Vec<String> {
    let status = Ended(bench.tng("client.key", &["stp", "status", "--json"]).output().expect("it runs")).expect(0);
    let told = status.events("guest").into_iter().filter(|guest| guest["command"] == command);
    told.map(|guest| guest["guest"].as_str().expect("a name").to_owned()).collect()
}

fn port_of(server: &Serving) -> u16 {
    server.address.parse::<std::net::SocketAddr>().expect("an address").port()
}

#[test]
fn a_rule_of_the_policy_has_curl_go_by_a_transport_through_a_proxy_that_is_told_nothing() {
    if !has("curl", "TNG_NEED_HTTP") {
        return;
    }
    let bench = Bench::new();
    let page = bench.write("page", 300_000, 6);
    let address = web(fs::read(&page).expect("there"));
    let server =
        bench.start(&["forward", "--serve", "--to", &address, "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let args = ["proxy", "--json", "-q", "--listen", "127.0.0.1:0", &server.ticket];
    let port = port_of(&server);
    let other = ruled(&bench, &server, port ^ 1, &args);
    curl(&bench, &address, &other);
    assert_eq!(guests(&bench, "proxy"), Vec::<String>::new(), "control: the rule is for another port");
    drop(other);
    let proxy = ruled(&bench, &server, port, &args);
    curl(&bench, &address, &proxy);
    assert_eq!(guests(&bench, "proxy"), ["newreno"]);
    server.stop("INT");
}

#[test]
fn a_rule_of_the_policy_has_iperf3_go_by_a_transport_through_a_forwarded_port() {
    if !has("iperf3", "TNG_NEED_IPERF3") {
        return;
    }
    let bench = Bench::new();
    let free = free_port();
    let (to, free) = (format!("127.0.0.1:{free}"), free.to_string());
    let server = bench.start(&["forward", "--serve", "--to", &to, "--public", "--bind", "127.0.0.1:0", "--transport"]);
    let route = format!("0:{to}");
    let args = ["forward", "--json", "-q", "-L", &route, &server.ticket];
    let forward = ruled(&bench, &server, port_of(&server), &args);
    let mut iperf3 = Command::new("iperf3");
    let iperf3 = iperf3.args(["-s", "-B", "127.0.0.1", "-p", &free]).stdout(Stdio::null()).stderr(Stdio::null());
    let _measured = Killed(iperf3.spawn().expect("it runs"));
    let port = forward.address.rsplit_once(':').expect("a port").1;
    let mut measured = Vec::new();
    // It may take a moment until it listens.
    wait("iperf3 to be measured", || {
        let args = ["-c", "127.0.0.1", "-p", port, "-t", "1", "-J"];
        let ended = Command::new("iperf3").args(args).output().expect("it runs");
        measured = ended.stdout;
        ended.status.success()
    });
    let said: serde_json::Value = serde_json::from_slice(&measured).expect("JSON");
    let bytes = said["end"]["sum_received"]["bytes"].as_u64().expect("a count");
    println!("iperf3: {bytes} bytes in a second");
    assert!(bytes > 100_000, "{said}");
    let guests = guests(&bench, "forward");
    assert!(guests.len() >= 2 && guests.iter().all(|name| name == "newreno"), "control and data: {guests:?}");
    server.stop("INT");
}
