//! `tng perf` as processes: a server, clients, and what they print.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

fn tng(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
    command.arg("perf").args(args).env_clear().env("HOME", home).stdin(Stdio::null());
    command
}

/// A process that prints a line of JSON for each event.
struct Talker {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Talker {
    fn start(mut command: Command) -> Talker {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        Talker { child, stdout }
    }

    /// The next event of that name; those before are passed over.
    fn event(&mut self, name: &str) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).expect("text") > 0, "it ended before {name:?}");
            let event: Value = serde_json::from_str(&line).expect("JSON");
            if event["event"] == name {
                return event;
            }
        }
    }

    /// Asks it to end.
    fn interrupt(&self) {
        let ended = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().expect("kill runs");
        assert!(ended.success());
    }

    fn code(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server, and who measures with it.
struct Bench {
    home: tempfile::TempDir,
    server: Talker,
    ticket: String,
    eid: String,
    address: String,
}

impl Bench {
    fn new(args: &[&str]) -> Bench {
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut server =
            Talker::start(tng(home.path(), &[&["-s", "--bind", "127.0.0.1:0", "--json-stream"], args].concat()));
        let serving = server.event("serving");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let (ticket, eid, address) = (text(&serving["ticket"]), text(&serving["eid"]), text(&serving["addresses"][0]));
        Bench { home, server, ticket, eid, address }
    }

    fn client(&self, args: &[&str]) -> Command {
        // The server's key is its own.
        let home = self.home.path().join("client");
        tng(&home, &[&["-c", &self.ticket], args].concat())
    }

    fn output(&self, args: &[&str]) -> Output {
        self.client(args).output().expect("it runs")
    }

    /// The document of a test that goes well.
    fn measure(&self, args: &[&str]) -> Value {
        let output = self.output(&[&["-J"], args].concat());
        let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
        assert!(output.status.success(), "{args:?}: {}", document["error"]);
        document
    }

    /// The error of one that does not, and its exit code.
    fn failure(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = self.output(&[&["-J"], args].concat());
        let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
        (output.status.code(), document["error"].as_str().expect("an error").to_owned())
    }
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no count: {value}"))
}

#[test]
fn what_one_side_sends_the_other_receives_in_either_direction_and_in_both() {
    let bench = Bench::new(&[]);
    for (flags, sums) in [
        (&[][..], &[("sum_sent", "sum_received", true)][..]),
        (&["-R"], &[("sum_sent", "sum_received", false)]),
        (
            &["--bidir"],
            &[("sum_sent", "sum_received", true), ("sum_sent_bidir_reverse", "sum_received_bidir_reverse", false)],
        ),
    ] {
        let document = bench.measure(&[&["-t", "0.4", "-i", "0.1"], flags].concat());
        let end = &document["end"];
        for (sent, received, sender) in sums {
            let (sent, received) = (&end[sent], &end[received]);
            assert_eq!((&sent["sender"], &received["sender"]), (&(*sender).into(), &(*sender).into()), "{flags:?}");
            assert!((1..=count(&sent["bytes"])).contains(&count(&received["bytes"])), "{flags:?}: {sent} {received}");
        }
        assert_eq!(end["streams"].as_array().map(Vec::len), Some(sums.len()));
        assert_eq!(document["start"]["test_start"]["reverse"], u8::from(flags == ["-R"]));
        let intervals = document["intervals"].as_array().expect("intervals");
        assert!((1..=4).contains(&intervals.len()), "{flags:?}: {} intervals", intervals.len());
        let here: u64 = intervals.iter().map(|interval| count(&interval["sum"]["bytes"])).sum();
        let counted = if flags == ["-R"] { &end["sum_received"] } else { &end["sum_sent"] };
        assert!(here <= count(&counted["bytes"]), "intervals have no more than the whole");
    }
}

#[test]
fn four_streams_are_measured_one_by_one_and_together() {
    let bench = Bench::new(&[]);
    let document = bench.measure(&["-P", "4", "-n", "8M", "-i", "0"]);
    let streams = document["end"]["streams"].as_array().expect("streams");
    let received: Vec<u64> = streams.iter().map(|stream| count(&stream["receiver"]["bytes"])).collect();
    assert_eq!(received.len(), 4);
    assert_eq!(received.iter().sum::<u64>(), count(&document["end"]["sum_received"]["bytes"]));
    assert_eq!(document["start"]["connected"].as_array().map(Vec::len), Some(4));
    assert_eq!(document["intervals"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_count_of_bytes_or_blocks_is_kept_to_the_byte() {
    let bench = Bench::new(&[]);
    for (flags, bytes) in [
        (&["-n", "3000001"][..], 3_000_001),
        (&["-n", "1.5M", "-R", "-P", "3"], 1_572_864),
        (&["-k", "77", "-l", "1000", "-P", "2"], 77_000),
        (&["-k", "100", "-u", "-l", "1K", "-b", "0"], 102_400),
        (&["-k", "100", "-u", "-l", "1K", "-b", "0", "-R"], 102_400),
    ] {
        let end = bench.measure(flags)["end"].clone();
        assert_eq!(count(&end["sum_sent"]["bytes"]), bytes, "{flags:?}");
        assert_eq!(count(&end["sum_received"]["bytes"]), bytes, "{flags:?}");
    }
    let both = bench.measure(&["-n", "1M", "--bidir"])["end"].clone();
    assert_eq!(count(&both["sum_received"]["bytes"]), 1 << 20);
    assert_eq!(count(&both["sum_received_bidir_reverse"]["bytes"]), 1 << 20);
}

#[test]
fn datagrams_at_a_gentle_rate_all_arrive_and_tell_of_jitter_and_order() {
    let bench = Bench::new(&[]);
    for flags in [&[][..], &["-R"], &["-P", "2"]] {
        let end = bench.measure(&[&["-u", "-b", "2M", "-t", "0.5"], flags].concat())["end"].clone();
        let sum = &end["sum"];
        assert!(count(&sum["packets"]) > 10, "{flags:?}: {sum}");
        assert_eq!((count(&sum["lost_packets"]), &sum["lost_percent"]), (0, &0.0.into()), "{flags:?}: {sum}");
        assert_eq!(end["sum_sent"]["packets"], end["sum_received"]["packets"], "{flags:?}");
        for stream in end["streams"].as_array().expect("streams") {
            let udp = &stream["udp"];
            assert!(udp["jitter_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{flags:?}: {udp}");
            assert_eq!(count(&udp["out_of_order"]), 0, "{flags:?}");
        }
    }
}

/// The names below a value, arrays looked into.
fn names(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::Array(values) => values.iter().flat_map(names).collect(),
        Value::Object(fields) => fields.keys().map(String::as_str).collect(),
        _ => BTreeSet::new(),
    }
}

#[track_caller]
fn has(value: &Value, expected: &str) {
    let names = names(value);
    for name in expected.split_whitespace() {
        assert!(names.contains(name), "no {name:?} in {value:#}");
    }
}

#[test]
fn the_document_has_the_names_that_scripts_for_iperf3_look_for() {
    let bench = Bench::new(&[]);
    let document = bench.measure(&["-t", "0.6", "-i", "0.1", "-T", "a title"]);
    assert_eq!(document["title"], "a title");
    has(&document, "start intervals end");
    has(
        &document["start"],
        "connected version system_info timestamp connecting_to cookie tcp_mss_default target_bitrate fq_rate \
         sock_bufsize sndbuf_actual rcvbuf_actual test_start",
    );
    has(&document["start"]["connected"], "socket local_host local_port remote_host remote_port");
    has(&document["start"]["timestamp"], "time timesecs");
    has(&document["start"]["connecting_to"], "host port");
    has(
        &document["start"]["test_start"],
        "protocol num_streams blksize omit duration bytes blocks reverse tos target_bitrate bidir fqrate interval",
    );
    let span = "start end seconds bytes bits_per_second sender";
    let interval = &document["intervals"][0];
    has(&interval["streams"], span);
    has(&interval["streams"], "socket retransmits snd_cwnd rtt rttvar pmtu omitted");
    has(&interval["sum"], span);
    has(&interval["sum"], "retransmits omitted");
    let end = &document["end"];
    has(end, "streams sum_sent sum_received cpu_utilization_percent sender_tcp_congestion receiver_tcp_congestion");
    let stream = &end["streams"][0];
    has(&stream["sender"], span);
    has(&stream["sender"], "socket retransmits max_snd_cwnd max_rtt min_rtt mean_rtt");
    has(&stream["receiver"], span);
    has(&end["sum_sent"], span);
    has(&end["sum_sent"], "retransmits");
    has(&end["sum_received"], span);
    has(&end["cpu_utilization_percent"], "host_total host_user host_system remote_total remote_user remote_system");
    assert_eq!(
        (&document["start"]["test_start"]["protocol"], &end["sender_tcp_congestion"]),
        (&"TCP".into(), &"bbr".into())
    );

    let document = bench.measure(&["-u", "-t", "0.6", "-i", "0.1", "-R"]);
    assert_eq!(document["start"]["test_start"]["protocol"], "UDP");
    let arrived = "jitter_ms lost_packets packets lost_percent";
    for value in [&document["intervals"][0]["streams"], &document["intervals"][0]["sum"]] {
        has(value, span);
        has(value, arrived);
    }
    let end = &document["end"];
    has(&end["streams"][0]["udp"], span);
    has(&end["streams"][0]["udp"], arrived);
    has(&end["streams"][0]["udp"], "socket out_of_order");
    for sum in ["sum", "sum_sent", "sum_received"] {
        has(&end[sum], span);
        has(&end[sum], arrived);
    }
}

#[test]
fn events_come_one_a_line_and_the_server_tells_of_the_same_test() {
    let mut bench = Bench::new(&[]);
    let output = bench.output(&["--json-stream", "-n", "1M"]);
    let events = String::from_utf8(output.stdout).expect("text");
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&events[0]["event"], &events[events.len() - 1]["event"]), (&"start".into(), &"end".into()));
    let here = &events[events.len() - 1]["data"]["sum_received"];
    let start = bench.server.event("start")["data"].clone();
    has(&start, "accepted_connection");
    let there = bench.server.event("end")["data"].clone();
    assert_eq!(here["bytes"], there["sum_received"]["bytes"]);
    assert_eq!((&here["sender"], &there["sum_received"]["sender"]), (&true.into(), &false.into()));
}

#[test]
fn tables_stand_on_stdout_with_the_title_before_every_line() {
    let bench = Bench::new(&[]);
    let output = bench.output(&["-n", "1M", "-P", "2", "-T", "here", "-f", "m", "--get-server-output"]);
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.lines().all(|line| line.starts_with("here:  ")), "{text}");
    // What the server says is its own, and may be JSON.
    let is_wide = |line: &&str| !line.contains('{') && line.chars().count() > 80 + "here:  ".len();
    assert_eq!(text.lines().find(is_wide), None, "they fit 80 columns: {text}");
    let sums: Vec<&str> = text.lines().filter(|line| line.contains("[SUM]")).collect();
    let [.., sent, received] = sums.as_slice() else { panic!("{text}") };
    assert!(sent.ends_with("sender") && received.ends_with("receiver"), "{text}");
    assert!(received.contains("1.00 MBytes") && received.contains(" Mbits/sec"), "{text}");
    assert!(text.contains("Server output:"), "{text}");
}

#[test]
fn what_is_omitted_does_not_count() {
    let bench = Bench::new(&[]);
    let document = bench.measure(&["-t", "0.6", "-O", "0.6", "-i", "0.1", "-b", "8M", "-l", "1K"]);
    let omitted = |interval: &&Value| interval["sum"]["omitted"] == true;
    let intervals = document["intervals"].as_array().expect("intervals");
    let before: u64 = intervals.iter().filter(omitted).map(|interval| count(&interval["sum"]["bytes"])).sum();
    assert!(before > 0, "{document:#}");
    let counted: Vec<&Value> = intervals.iter().filter(|interval| !omitted(interval)).collect();
    assert_eq!(counted[0]["sum"]["start"], 0.0, "time begins anew");
    let after: u64 = counted.iter().map(|interval| count(&interval["sum"]["bytes"])).sum();
    let sent = count(&document["end"]["sum_sent"]["bytes"]);
    assert!(after <= sent && sent < after + before, "{sent} in all, {after} in the intervals, {before} omitted");
}

#[test]
fn flags_that_make_no_sense_end_with_2() {
    let bench = Bench::new(&[]);
    for flags in [
        &["-s"][..],
        &["-t", "0"],
        &["-t", "x"],
        &["-t", "100000"],
        &["-n", "1M", "-t", "1"],
        &["-n", "0"],
        &["-n", "1M", "-k", "1"],
        &["-R", "--bidir"],
        &["-P", "0"],
        &["-P", "129"],
        &["-i", "0.01"],
        &["-i", "61"],
        &["-l", "0"],
        &["-l", "2M"],
        &["-u", "-l", "16"],
        &["-u", "-l", "64K"],
        &["-b", "fast"],
        &["-b", "1M/x"],
        &["-O", "601"],
        &["-f", "x"],
        &["-C", "nonsense"],
        &["-1"],
        &["-4", "-6"],
        &["--public"],
        &["--server-max-duration", "5"],
    ] {
        assert_eq!(bench.output(flags).status.code(), Some(2), "{flags:?}");
    }
    for flags in [&["-t", "1"][..], &["-u"], &["-R"], &["-P", "2"], &["-p", "1", "--bind", "127.0.0.1:0"]] {
        let mut command = tng(bench.home.path(), &[&["-s"], flags].concat());
        assert_eq!(command.output().expect("it runs").status.code(), Some(2), "{flags:?}");
    }
    assert_eq!(tng(bench.home.path(), &[]).output().expect("it runs").status.code(), Some(2));
}

#[test]
fn a_second_client_is_told_that_the_server_is_busy_and_a_later_one_is_served() {
    let mut bench = Bench::new(&[]);
    let mut first = Talker::start(bench.client(&["-t", "60", "-b", "1M", "--json-stream"]));
    bench.server.event("start");
    let (code, error) = bench.failure(&["-t", "1"]);
    assert_eq!(code, Some(9));
    assert!(error.starts_with("error - ") && error.contains("busy"), "{error}");
    first.interrupt();
    assert_eq!(first.code(), Some(130));
    bench.server.event("end");
    bench.measure(&["-n", "1K"]);
}

#[test]
fn who_stops_a_test_sees_what_was_measured_so_far() {
    let mut bench = Bench::new(&[]);
    let mut client = Talker::start(bench.client(&["-t", "60", "-i", "0.1", "-b", "1M", "-l", "1K", "--json-stream"]));
    client.event("interval");
    client.interrupt();
    let end = client.event("end");
    assert!(count(&end["data"]["sum_sent"]["bytes"]) > 0, "{end}");
    assert!(client.event("error")["data"].as_str().is_some_and(|error| error.contains("stopped")));
    assert_eq!(client.code(), Some(130));
    bench.server.event("end");
}

#[test]
fn a_server_that_goes_in_the_middle_is_an_error_after_the_intervals_so_far() {
    let bench = Bench::new(&[]);
    let mut client = Talker::start(bench.client(&["-t", "60", "-i", "0.1", "-b", "1M", "--json-stream"]));
    client.event("interval");
    bench.server.interrupt();
    let error = client.event("error");
    assert!(error["data"].as_str().is_some_and(|error| error.starts_with("error - measuring: ")), "{error}");
    assert_eq!(client.code(), Some(56));
}

#[test]
fn a_server_keeps_its_limits_before_and_within_a_test() {
    let limits = ["--server-max-duration", "2", "--server-max-streams", "2", "--server-max-bytes", "4M"];
    let bench = Bench::new(&[&limits[..], &["--server-bitrate-limit", "100M"]].concat());
    for (flags, words) in [
        (&["-t", "3"][..], "at most 2 s"),
        (&["-t", "2", "-O", "1"], "at most 2 s"),
        (&["-t", "1", "-P", "3"], "at most 2 parallel"),
        (&["-n", "5M"], "at most 4194304 bytes"),
        (&["-t", "1", "-b", "60M", "-P", "2"], "at most 100000000 bit/s"),
    ] {
        let (code, error) = bench.failure(flags);
        assert_eq!(code, Some(9), "{flags:?}: {error}");
        assert!(error.contains(words), "{flags:?}: {error}");
    }
    let (code, error) = bench.failure(&["-t", "2"]);
    assert_eq!(code, Some(18), "{error}");
    assert!(error.contains("more than 4194304 bytes"), "{error}");
    bench.measure(&["-n", "1K", "-P", "2"]);
}

#[test]
fn who_has_no_ticket_does_not_come_in() {
    let bench = Bench::new(&[]);
    let home = bench.home.path().join("stranger");
    let output = tng(&home, &["-J", "-c", &format!("{}@{}", bench.eid, bench.address)]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(9));
}

#[test]
fn a_server_for_one_test_leaves_after_it() {
    let mut bench = Bench::new(&["-1"]);
    bench.measure(&["-n", "1K"]);
    assert_eq!(bench.server.code(), Some(0));
}

#[test]
fn connecting_to_nobody_takes_no_longer_than_was_said() {
    let bench = Bench::new(&[]);
    let nobody = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let port = nobody.local_addr().expect("an address").port().to_string();
    let (code, error) = bench.failure(&["-p", &port, "--connect-timeout", "0.1"]);
    assert_eq!(code, Some(28), "{error}");
}

#[test]
fn a_test_that_is_not_over_in_time_is_given_up_by_either_side() {
    let bench = Bench::new(&["--max-time", "60"]);
    let (code, error) = bench.failure(&["-t", "60", "--max-time", "0.5"]);
    assert_eq!(code, Some(28), "{error}");
    assert!(error.contains("not everything was done within 0.5 s"), "{error}");
    // Control: the server goes on.
    bench.measure(&["-n", "1K"]);
}

#[test]
fn help_begins_with_examples() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let help = tng(home.path(), &["--help"]).output().expect("it runs").stdout;
    assert!(String::from_utf8(help).expect("text").starts_with("Examples:\n  tng perf -s"));
}
