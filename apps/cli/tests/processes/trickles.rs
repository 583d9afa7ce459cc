//! `tng trickles`: servers that keep nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::bench::{Bench, Ended};

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
