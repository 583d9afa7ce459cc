//! Listings of a server, and its names in what is said; also beside peers who do not read theirs.

use std::fs;
use std::net::UdpSocket;

use crate::bench::{Bench, Ended, wait};

/// Descriptors that a server has open which waits for peers: its own, and none for listings.
const DESCRIPTORS_MAX: usize = 32;

#[test]
fn many_who_ask_for_listings_and_read_none_hold_up_nobodys_and_have_no_file_open() {
    let bench = Bench::new();
    for folder in 0..20 {
        for file in 0..200 {
            bench.write(&format!("tree/{folder}/a name that takes some room {file:06}"), 1, 1);
        }
    }
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    for sources in ["8", "16"] {
        let args = ["attack", "storm-list", "--json", "--time", "2", "--rate", "400", "--sources", sources];
        let attack = bench.tng("honest.key", &[&args[..], &[&server.ticket]].concat()).output().expect("it runs");
        let attacked = Ended(attack).expect(0).events("attacked");
        assert_eq!((&attacked[0]["held"], &attacked[0]["untried"]), (&true.into(), &().into()), "{attacked:?}");
        assert!(attacked[0]["connections"].as_u64() >= sources.parse().ok(), "control: {attacked:?}");
    }
    // The attackers have gone without a word, and wait for their listings still. A walk that is under way takes a
    // moment.
    wait("the walks under way to end", || server.descriptors() < DESCRIPTORS_MAX);
    bench.get(&["-r", "-o", "copy", &server.url_of("")]).expect(0);
}

/// With what a terminal would obey, and what would turn the direction of what follows.
const NAMES: [(&str, &str); 4] = [
    ("esc\u{1b}[31mred", r"esc\x1b[31mred"),
    ("new\nline", r"new\x0aline"),
    ("back\\slash", r"back\x5cslash"),
    ("turned\u{202e}gnp.exe", r"turned\xe2\x80\xaegnp.exe"),
];

#[test]
fn get_put_and_ls_show_a_name_alike_and_take_it_as_it_is_shown() {
    let bench = Bench::new();
    fs::create_dir(bench.path("inbox")).expect("made");
    for (name, _) in NAMES {
        bench.write(&format!("tree/{name}"), 100, 1);
    }
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let taker = bench.serve(&["inbox", "--writable", "--bind", "127.0.0.1:0"]);
    for (name, seen) in NAMES {
        let listed = Ended(bench.tng("client.key", &["ls", &server.url, seen]).output().expect("it runs")).expect(0);
        let listed = String::from_utf8_lossy(&listed.0.stdout).into_owned();
        assert!(listed.contains(seen), "{listed:?}");
        let got = bench.get(&[&server.url_of(seen)]).expect(0).stderr();
        assert!(got.contains(&format!("fetched {seen}: 100 B")), "{got:?}");
        assert!(bench.path(name).is_file(), "it has its name");
        let sent = bench.put(&[&format!("tree/{name}"), &taker.url]).expect(0).stderr();
        assert!(sent.contains(&format!("sent tree/{seen}: 100 B")), "{sent:?}");
        let missing = bench.put(&[&format!("none/{name}"), &taker.url]).stderr();
        assert!(missing.contains(&format!("sending none/{seen}: ")), "{missing:?}");
        let same = bench.get(&[&server.url_of(seen)]).expect(0).stderr();
        assert!(same.contains("1 file, 100 B, unchanged\n") && !same.contains("bit/s"), "{same:?}");
    }
}

#[test]
fn a_date_before_1970_is_a_date() {
    let bench = Bench::new();
    let file = fs::File::open(bench.write("tree/old", 1, 1)).expect("there");
    let old = std::time::SystemTime::UNIX_EPOCH - std::time::Duration::from_secs(300_000_000);
    file.set_modified(old).expect("a file may be old");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let listed = Ended(bench.tng("client.key", &["ls", &server.url]).output().expect("it runs")).expect(0);
    let listed = String::from_utf8_lossy(&listed.0.stdout).into_owned();
    assert!(listed.contains("Wed, 29 Jun 1960 18:40:00 GMT"), "{listed}");
}

#[test]
fn a_command_that_is_out_of_time_says_which_option_ended_it() {
    let bench = Bench::new();
    let silent = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let url = format!("tng://{}@{}/a", bench.eid("server.key"), silent.local_addr().expect("an address"));
    let ended = bench.get(&["--max-time", "0.4", &url]).expect(28).stderr();
    assert!(ended.contains("stopped by --max-time: not everything was done within 0.4 s"), "{ended}");
    let ended = bench.get(&["--connect-timeout", "0.4", &url]).expect(28).stderr();
    assert!(ended.contains("connecting: there was no connection within 0.4 s"), "{ended}");
}

#[test]
fn a_link_that_leads_out_of_where_a_tree_goes_is_told_as_that() {
    let bench = Bench::new();
    bench.write("tree/sub/deep/file", 10, 1);
    for folder in ["copy", "outside"] {
        fs::create_dir(bench.path(folder)).expect("made");
    }
    std::os::unix::fs::symlink("../outside", bench.path("copy/sub")).expect("linked");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let ended = bench.get(&["-r", "-o", "copy", &server.url]);
    assert_ne!(ended.code(), Some(0));
    let said = ended.stderr();
    assert!(said.contains("leads out of the folder") && !said.contains("cross-device"), "{said}");
    assert!(fs::read_dir(bench.path("outside")).expect("a folder").next().is_none(), "nothing went through it");
}

#[test]
fn what_cannot_all_go_is_counted_in_plain_words() {
    let bench = Bench::new();
    bench.write("tree/file", 10, 1);
    std::os::unix::fs::symlink("/etc/passwd", bench.path("tree/out")).expect("linked");
    let server = bench.serve(&["tree", "--bind", "127.0.0.1:0"]);
    let got = bench.get(&["-r", "-o", "copy", &server.url]).expect(18).stderr();
    assert!(got.contains("fetching: 1 entry was left out"), "{got}");
}
