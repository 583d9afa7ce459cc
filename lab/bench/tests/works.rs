//! Every work, too small to say anything about speed: that it is done, by everybody who can do it, and told as
//! promised.

use std::process::Command;

use serde_json::Value;

fn bench(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_tng-bench"))
        .args(arguments)
        .args(["--json", "--rounds", "1"])
        .output()
        .expect("the bench starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

/// That `peers` took part, that each has a positive figure of that name, and that tng's is compared with the others'.
fn holds(object: &Value, peers: &[&str], key: &str, ratio: &str) {
    let told: Vec<&str> = object["peers"].as_object().expect("peers").keys().map(String::as_str).collect();
    assert_eq!(told, peers);
    for peer in peers {
        let figure = object["peers"][peer][key].as_f64();
        assert!(figure.is_some_and(|figure| figure > 0.0), "{peer}'s {key}: {figure:?}");
        assert_eq!(object["peers"][peer]["rounds"].as_array().map(Vec::len), Some(1));
        if *peer != "tng" {
            let pair = &object["ratios"][format!("tng/{peer}")][ratio];
            assert!(pair.is_f64(), "tng/{peer} {ratio}: {pair}");
        }
    }
    assert!(object["machine"]["load_before"].is_number());
}

#[test]
fn a_bulk_transfer_arrives_whole_with_every_peer() {
    let object = bench(&["bulk", "--bytes", "3M"]);
    holds(&object, &["floor", "quinn", "tls", "tng", "tng-renewing"], "rate_gbit_per_s", "rate");
    assert_eq!(object["work"], "bulk");
    assert_eq!(object["params"]["bytes"], 3_000_000);
    for peer in ["tng", "quinn", "floor"] {
        let packet =
            object["peers"][peer]["settings"]["packet_bytes"].as_str().and_then(|text| text.parse::<u64>().ok());
        assert!(packet.is_some_and(|bytes| (1_200..=1_472).contains(&bytes)), "{peer}: {packet:?}");
    }
}

#[test]
fn a_bulk_transfer_arrives_whole_in_the_packets_that_suit_each() {
    holds(
        &bench(&["bulk", "--bytes", "3M", "--mtu", "best"]),
        &["floor", "quinn", "tls", "tng", "tng-renewing"],
        "cpu_s_per_gb",
        "cpu_s_per_gb",
    );
}

#[test]
fn requests_are_answered_one_at_a_time_and_many_at_once() {
    for (size, concurrency) in [("32", "1"), ("1024", "64"), ("65536", "8")] {
        let object = bench(&["rr", "--size", size, "--concurrency", concurrency, "--seconds", "0.1"]);
        holds(&object, &["floor", "quinn", "tls", "tng", "tng-requests"], "p50_us", "p50");
    }
}

#[test]
fn the_server_has_every_connection_that_the_client_has_made() {
    let object = bench(&["handshakes", "--count", "20"]);
    let peers = ["quinn", "quinn-resumed", "quinn-rpk", "tls", "tng", "tng-strangers"];
    holds(&object, &peers, "rate_per_s", "rate");
    // One connection is made before the count. Whoever resumes is shown a signature for the first ticket, and never
    // again.
    let signatures =
        |peer: &str| object["peers"][peer]["settings"]["server's signatures verified"].as_str().map(str::to_owned);
    assert_eq!(signatures("quinn").as_deref(), Some("21"));
    assert_eq!(signatures("quinn-rpk").as_deref(), Some("21"));
    assert_eq!(signatures("quinn-resumed").as_deref(), Some("1"));
}

#[test]
fn idle_connections_and_streams_take_memory() {
    let object = bench(&["idle", "--connections", "300", "--peers", "tng,quinn"]);
    holds(&object, &["quinn", "tng"], "rss_per_connection_bytes", "rss_per_connection");
    let object = bench(&["streams", "--count", "1500", "--peers", "tng,quinn,tls"]);
    holds(&object, &["quinn", "tng"], "rss_per_stream_bytes", "rss_per_stream");
}

#[test]
fn what_nobody_can_do_is_said() {
    let output = Command::new(env!("CARGO_BIN_EXE_tng-bench"))
        .args(["streams", "--peers", "tls"])
        .output()
        .expect("the bench starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("leave --peers out"));
}
