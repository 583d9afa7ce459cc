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
    holds(&object, &["floor", "quinn", "s2n", "tls", "tng", "tng-renewing"], "rate_gbit_per_s", "rate");
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
        &["floor", "quinn", "s2n", "tls", "tng", "tng-renewing"],
        "cpu_s_per_gb",
        "cpu_s_per_gb",
    );
}

#[test]
fn a_guest_carries_a_stream_in_the_sandbox_compiled_in_and_without_its_policer() {
    let object = bench(&["guest", "--bytes", "3M"]);
    let peers = ["tng-guest", "tng-newreno", "tng-policed", "tng-unpoliced"];
    let told: Vec<&str> = object["peers"].as_object().expect("peers").keys().map(String::as_str).collect();
    assert_eq!(told, peers);
    for peer in peers {
        for key in ["rate_gbit_per_s", "client_cpu_s_per_gb", "server_cpu_s_per_gb"] {
            let figure = object["peers"][peer][key].as_f64();
            assert!(figure.is_some_and(|figure| figure > 0.0), "{peer}'s {key}: {figure:?}");
        }
    }
    // Each is compared with all that do less for the same bytes.
    for pair in ["tng-guest/tng-policed", "tng-guest/tng-unpoliced", "tng-policed/tng-unpoliced"] {
        assert!(object["ratios"][pair]["cpu_s_per_gb"].is_f64(), "{pair}");
    }
    assert_eq!(object["peers"]["tng-guest"]["settings"]["transport"], "newreno, a module in the sandbox");
}

#[test]
fn requests_are_answered_one_at_a_time_and_many_at_once() {
    for (size, concurrency) in [("32", "1"), ("1024", "64"), ("65536", "8")] {
        let object = bench(&["rr", "--size", size, "--concurrency", concurrency, "--seconds", "0.1"]);
        let mut peers = vec!["floor", "quinn", "s2n", "tls", "tng", "tng-requests"];
        // Of those that do not wait only the latency says something.
        if concurrency == "1" {
            peers.insert(1, "floor-spin");
            peers.insert(6, "tng-busy");
        }
        holds(&object, &peers, "p50_us", "p50");
    }
}

#[test]
fn the_server_has_every_connection_that_the_client_has_made() {
    let object = bench(&["handshakes", "--count", "20"]);
    let peers = ["quinn", "quinn-resumed", "quinn-rpk", "s2n", "tls", "tng", "tng-strangers"];
    holds(&object, &peers, "rate_per_s", "rate");
    // One connection is made before the count. A client that resumes is shown a signature for the first ticket, and
    // never again.
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
fn requests_are_answered_among_idle_connections_and_by_servers_of_several_threads() {
    let object = bench(&["many", "--connections", "150", "--active", "10", "--seconds", "0.1", "--peers", "tng,quinn"]);
    holds(&object, &["quinn", "tng"], "cpu_us_per_datagram", "cpu_per_datagram");
    // More requests than connections.
    let object = bench(&["many", "--connections", "3", "--active", "10", "--seconds", "0.1"]);
    holds(&object, &["quinn", "s2n", "tng", "tng-requests"], "server_cpu_us", "server_cpu");
    let object = bench(&["cores", "--threads", "2", "--connections", "4", "--bytes", "20M"]);
    holds(&object, &["quinn", "s2n", "tng"], "server_cpu_s_per_gb", "server_cpu_s_per_gb");
}

#[test]
fn flows_are_passed_on_by_a_relay_a_forwarder_and_a_proxy_busy_ones_and_idle_ones() {
    // haproxy may not be installed.
    let split = Command::new("haproxy").arg("-v").output().is_ok_and(|said| said.status.success());
    let peers: &[&str] = if split { &["forward", "relay", "split"] } else { &["forward", "relay"] };
    let object = bench(&["relay", "--bytes", "3M"]);
    let told: Vec<&str> = object["peers"].as_object().expect("peers").keys().map(String::as_str).collect();
    assert_eq!(told, peers);
    for peer in ["relay", "forward"] {
        let figures = &object["peers"][peer];
        let positive = |key: &str| figures[key].as_f64().is_some_and(|figure| figure > 0.0);
        assert!(
            positive("bytes_per_cpu_s") && positive("relay_cpu_s_per_gb") && positive("rate_gbit_per_s"),
            "{figures}"
        );
        let judge = figures["settings"]["judge"].as_str();
        assert!(judge.is_some_and(|judge| judge.starts_with("none")), "{judge:?}");
    }
    assert!(object["ratios"]["relay/forward"]["bytes_per_cpu_s"].is_f64(), "{}", object["ratios"]);
    let object = bench(&["relay", "--flows", "150", "--bytes", "3M", "--peers", "relay,forward"]);
    for peer in ["relay", "forward"] {
        let ratio = &object["peers"][peer]["rate_over_busy_alone"];
        assert!(ratio.as_f64().is_some_and(|ratio| ratio > 0.0), "{peer}: {ratio}");
    }
    let grown = &object["peers"]["relay"]["rss_per_flow_bytes"];
    assert!(grown.as_f64().is_some_and(|bytes| bytes > 0.0), "{grown}");
}

#[test]
fn downloads_from_a_server_without_state_are_measured_beside_others_and_an_echo() {
    let peers = |object: &Value| -> Vec<String> {
        object["peers"].as_object().expect("peers").keys().map(ToOwned::to_owned).collect()
    };
    let positive = |figure: &Value| figure.as_f64().is_some_and(|figure| figure > 0.0);
    let object = bench(&["stateless", "--clients", "4", "--bytes", "3M"]);
    assert_eq!(peers(&object), ["echo", "echo-gathered", "quinn", "tls", "tng-trickles"]);
    for (peer, figures) in object["peers"].as_object().expect("peers") {
        assert!(positive(&figures["server_bytes_per_cpu_s"]), "{peer}: {figures}");
        let counts = ["requests_per_packet", "packets_per_send", "server_cpu_us_per_packet"];
        let is_counted = peer.starts_with("echo") || peer == "tng-trickles";
        assert!(counts.iter().all(|count| positive(&figures[count]) == is_counted), "{peer}: {figures}");
    }
    for other in ["echo", "echo-gathered", "quinn", "tls"] {
        let ratios = &object["ratios"][format!("tng-trickles/{other}")];
        assert!(positive(&ratios["server_bytes_per_cpu_s"]), "{other}: {ratios}");
    }
    let object = bench(&["stateless", "--clients", "4", "--size", "1k", "--count", "20"]);
    assert_eq!(peers(&object), ["quinn", "tls", "tng-trickles"]);
    for (peer, figures) in object["peers"].as_object().expect("peers") {
        let keys = ["server_bytes_per_cpu_s", "rate_per_s", "p50_us", "server_cpu_us"];
        assert!(keys.iter().all(|key| positive(&figures[key])), "{peer}: {figures}");
    }
}

#[test]
fn a_server_does_not_grow_by_clients_in_the_middle_of_a_download() {
    let object = bench(&["downloads", "--clients", "300"]);
    let figures = &object["peers"]["tng-trickles"];
    let bytes = |key: &str| figures[key].as_f64().unwrap_or(f64::NAN);
    assert!(bytes("rss_bytes") < 2_097_152.0 && bytes("rss_at_all_bytes") > 0.0, "{figures}");
    assert_eq!(figures["settings"]["read to the end"], "1, one in 1000");
}

#[test]
fn continuations_are_verified_and_renewed_one_after_the_other() {
    let object = bench(&["continuations", "--seconds", "0.02"]);
    let rate = object["figures"]["renewed_per_cpu_s"].as_f64();
    assert!(rate.is_some_and(|rate| rate > 1_000.0), "{object}");
}

#[test]
fn the_variants_of_the_floor_are_measured_where_the_machine_has_them() {
    let object = bench(&["floors", "--small"]);
    let rows = object.as_object().expect("a row for each variant");
    assert!(rows.contains_key("floor") && rows.contains_key("floor-spin"), "{rows:?}");
    for (name, row) in rows {
        let figures = row.as_object().expect("figures");
        assert_eq!(figures.len(), 4, "{name}");
        assert!(figures.values().all(|figure| figure.as_f64().is_some_and(|figure| figure > 0.0)), "{name}: {row}");
    }
}

#[test]
fn all_works_become_one_picture() {
    let folder = std::env::temp_dir().join(format!("tng-bench-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (file, picture) = (folder.join("all.json"), folder.join("all.svg"));
    let objects = bench(&["all", "--small", "--peers", "tng,quinn"]);
    std::fs::write(&file, objects.to_string()).expect("written");
    let drawn = Command::new(env!("CARGO_BIN_EXE_tng-bench"))
        .arg("plot")
        .args([&file, &file])
        .arg("--out")
        .arg(&picture)
        .output()
        .expect("the bench starts");
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let drawn = std::fs::read_to_string(&picture).expect("a picture");
    std::fs::remove_dir_all(&folder).expect("removed");
    for work in ["bulk", "rr", "handshakes", "idle", "streams", "many", "cores"] {
        assert_eq!(drawn.matches(&format!("{work}: ")).count() % 2, 0, "{work}");
        assert!(drawn.contains(&format!("{work}: ")), "{work}");
    }
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

fn programs(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tng-bench")).arg("programs").args(arguments).output();
    let output = output.expect("the bench starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// The server of `examples/stateless/rust`, which is built with all examples; nothing is tried without it.
#[test]
fn two_programs_that_serve_files_are_held_against_each_other() {
    let built =
        std::path::Path::new(env!("CARGO_BIN_EXE_tng-bench")).with_file_name("examples").join("stateless_files");
    if !built.exists() {
        println!("not tried: {} is not built; cargo build -p tng --example stateless_files", built.display());
        return;
    }
    let command = |name: &str| format!("{name}={} FOLDER 127.0.0.1:0 STATE", built.display());
    let (one, other) = (command("one"), command("other"));
    let arguments = ["--program", &one, "--program", &other, "--bytes", "800k", "--rounds", "2", "--json"];
    let (is_done, told, why) = programs(&arguments);
    assert!(is_done, "{why}");
    let told: Value = serde_json::from_str(&told).expect("one object");
    for name in ["one", "other"] {
        let figures = &told["programs"][name];
        assert!(figures["cpu_ns_per_byte"].as_f64() > Some(0.0), "{told}");
        assert_eq!(figures["rounds"].as_array().map(Vec::len), Some(2));
    }
    assert!(told["ratios"]["one/other"]["median"].as_f64() > Some(0.0), "{told}");
}

#[test]
fn programs_that_do_not_serve_are_told_by_their_name() {
    for (arguments, words) in [
        (&["--program", "one=true"][..], "two programs"),
        (&["--program", "true"], "NAME=COMMAND"),
        (&["--program", "one=/nowhere/at/all", "--program", "other=true"], "one: /nowhere/at/all"),
        (
            &["--program", "one=echo hello", "--program", "other=true"],
            "one: the first line that it prints is no ticket",
        ),
        (&["--program", "one=true", "--program", "other=true", "--bytes", "7"], "8 at least"),
    ] {
        let (is_done, told, why) = programs(arguments);
        assert!(!is_done && told.is_empty() && why.contains(words), "{arguments:?}: {why}");
    }
}

#[test]
fn a_registry_renews_and_is_asked_over_each_store() {
    let small = ["--hosts", "300", "--renewals", "40", "--lookups", "40", "--connections", "4", "--seconds", "2"];
    let object = bench(&[&["registry", "--store", "memory,file"], &small[..]].concat());
    let figures = object["figures"].as_array().expect("a list");
    let stores: Vec<&str> = figures.iter().filter_map(|figure| figure["store"].as_str()).collect();
    assert_eq!(stores, ["memory", "file"]);
    for figure in figures {
        assert!(figure["renewed_per_s"].as_f64() > Some(1.0) && figure["not_renewed"] == 0, "{figure}");
        assert!(figure["look_up_ms"]["p99"].as_f64() > Some(0.0) && figure["missed"] == 0, "{figure}");
    }
}
