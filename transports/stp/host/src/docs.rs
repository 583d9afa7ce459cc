//! The table of the border in docs/stp.md.

use std::fs;
use std::path::Path;

const BEGIN: &str = "<!-- functions: begin -->\n";
const END: &str = "<!-- functions: end -->\n";

#[test]
fn the_table_in_the_docs_is_the_one_of_the_border() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/stp.md");
    let text = fs::read_to_string(&page).expect("the page is there");
    let (before, rest) = text.split_once(BEGIN).expect("the table begins");
    let (table, after) = rest.split_once(END).expect("the table ends");
    let wanted = format!("\n{}\n", tng_stp_abi::markdown());
    if std::env::var_os("TNG_WRITE").is_some() {
        fs::write(&page, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("the page can be written");
    } else {
        assert!(table == wanted, "TNG_WRITE=1 cargo test -p tng-stp-host docs writes it");
    }
}
