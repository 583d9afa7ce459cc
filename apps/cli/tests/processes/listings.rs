//! Listings of a server beside peers who do not read theirs.

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
