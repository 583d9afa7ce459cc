//! Every scenario file that we ship can be read.

use std::path::Path;

use tng_experiments::Scenario;

#[test]
fn every_scenario_file_is_right() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut count = 0;
    for entry in std::fs::read_dir(&directory).expect("the directory of scenarios") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!scenario.flows.is_empty(), "{}", path.display());
        count += 1;
    }
    assert!(count > 0);
}
