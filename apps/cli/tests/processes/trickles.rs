//! `tng trickles`: servers that keep nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use crate::bench::{Bench, Ended, same};

/// Bytes of a file that takes a while.
const LARGE: usize = 40_000_000;
/// How often the server is killed meanwhile.
const KILLS: usize = 3;

/// Runs `tng trickles get` to its end.
fn get(bench: &Bench, args: &[&str]) -> Ended {
    Ended(bench.tng("client.key", &[&["trickles", "get", "--json"], args].concat()).output().expect("it runs"))
}

#[test]
fn a_file_arrives_whole_though_its_server_is_killed_and_started_again_in_the_middle() {
    let bench = Bench::new();
    let large = bench.write("tree/large", LARGE, 1);
    let args = ["trickles", "serve", "tree", "--bind"];
    let mut server = bench.start(&[&args[..], &["127.0.0.1:0"]].concat());
    let (address, url) = (server.address.clone(), format!("tng://{}/large", server.ticket));
    let mut getting = bench.tng("client.key", &["trickles", "get", "--json", "-o", "copy", &url]);
    let getting = getting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    for part in 1..=KILLS {
        bench.wait_for("copy.part", (LARGE * part / (KILLS + 1)) as u64);
        server.kill();
        server = bench.start(&[&args[..], &[&address]].concat());
    }
    let ended = Ended(getting.wait_with_output().expect("it ends")).expect(0);
    assert!(same(&large, &bench.path("copy")));
    let file = &ended.events("file")[0];
    assert_eq!((&file["outcome"], &file["moved"]), (&"fetched".into(), &LARGE.into()), "and nothing came twice");
    assert!(ended.events("reconnecting").is_empty());
}

#[test]
fn files_and_folders_are_fetched_resumed_and_checked() {
    let bench = Bench::new();
    let large = bench.write("tree/large", 300_000, 1);
    bench.write("tree/sub/deep/small", 10, 2);
    bench.write("tree/empty", 0, 3);
    let server = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    let url = |path: &str| format!("tng://{}/{path}", server.ticket);
    let outcome = |ended: Ended| {
        let file = ended.expect(0).events("file").remove(0);
        (file["outcome"].as_str().unwrap_or_default().to_owned(), file["moved"].as_u64().unwrap_or(u64::MAX))
    };
    let tree = get(&bench, &["-r", "-o", "copy", &url("")]).expect(0);
    assert_eq!(tree.events("file").len(), 3);
    for name in ["large", "sub/deep/small", "empty"] {
        assert!(same(&bench.path(&format!("tree/{name}")), &bench.path(&format!("copy/{name}"))), "{name}");
    }
    assert_eq!(outcome(get(&bench, &["-o", "copy/large", &url("large")])), ("unchanged".to_owned(), 0));
    let data = fs::read(large).expect("there");
    fs::write(bench.path("copy/large"), &data[..200_000]).expect("cut");
    assert_eq!(outcome(get(&bench, &["-o", "copy/large", &url("large")])), ("resumed".to_owned(), 100_000));
    fs::write(bench.path("copy/large"), vec![7; 200_000]).expect("another");
    assert_eq!(outcome(get(&bench, &["-o", "copy/large", &url("large")])), ("fetched".to_owned(), 300_000));
    assert!(same(&bench.path("tree/large"), &bench.path("copy/large")));
}

#[test]
fn what_does_not_come_ends_with_the_codes_of_get() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    symlink("/etc/passwd", bench.path("tree/out")).expect("linked");
    let server = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    let url = |path: &str| format!("tng://{}/{path}", server.ticket);
    for (path, code) in [("gone", 78), ("out", 9), ("a", 0)] {
        get(&bench, &["-o", "x", &url(path)]).expect(code);
    }
    // Without the capability of the ticket.
    get(&bench, &["-o", "y", &format!("tng://{}@{}/a", server.eid, server.address)]).expect(9);
    // A server of another kind.
    let other = bench.serve(&["tree", "--public", "--bind", "127.0.0.1:0"]);
    let ended = get(&bench, &["-o", "z", &other.url_of("a")]).expect(7);
    assert!(ended.stderr().contains("no Trickles server"), "{}", ended.stderr());
}

fn serve(bench: &Bench, args: &[&str]) -> Ended {
    let serve = [&["trickles", "serve", "--bind", "127.0.0.1:0", "--json"], args].concat();
    Ended(bench.tng("server.key", &serve).output().expect("it runs"))
}

#[test]
fn a_server_makes_its_keys_for_its_owner_alone_and_leaves_at_a_signal() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    let args = ["trickles", "serve", "tree", "--bind", "127.0.0.1:0", "--keys", "fleet/epochs"];
    let server = bench.start(&args);
    assert!(server.ticket.starts_with("tng1") && server.address.starts_with("127.0.0.1:"));
    let made = fs::read(bench.path("fleet/epochs")).expect("made");
    assert_eq!(fs::metadata(bench.path("fleet/epochs")).expect("there").permissions().mode() & 0o777, 0o600);
    server.stop("TERM");
    // A replica with the same keys, and one with its own beside its identity.
    let replica = bench.start(&args);
    assert_eq!(fs::read(bench.path("fleet/epochs")).expect("there"), made);
    let own = bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0"]);
    assert!(bench.path("server.key.epochs").exists());
    replica.stop("INT");
    drop(own);
}

#[test]
fn keys_that_others_can_read_end_with_26_and_a_remedy() {
    let bench = Bench::new();
    bench.write("tree/a", 10, 1);
    bench.start(&["trickles", "serve", "tree", "--bind", "127.0.0.1:0", "--keys", "epochs"]).stop("TERM");
    fs::set_permissions(bench.path("epochs"), fs::Permissions::from_mode(0o644)).expect("changed");
    let ended = serve(&bench, &["tree", "--keys", "epochs"]).expect(26);
    assert!(ended.stderr().contains("others can read it (mode 644)") && ended.stderr().contains("chmod 600"));
    fs::write(bench.path("nonsense"), "hello").expect("written");
    fs::set_permissions(bench.path("nonsense"), fs::Permissions::from_mode(0o600)).expect("changed");
    let ended = serve(&bench, &["tree", "--keys", "nonsense"]).expect(26);
    assert!(ended.stderr().contains("tngepochs1"), "{}", ended.stderr());
    serve(&bench, &["gone"]).expect(26);
    fs::set_permissions(bench.path("epochs"), fs::Permissions::from_mode(0o600)).expect("changed");
    let ended = serve(&bench, &["epochs", "--keys", "epochs"]).expect(2);
    assert!(ended.stderr().contains("the server's own"), "{}", ended.stderr());
}
