//! A page whose end is gathered from the code: `TNG_WRITE=1 cargo test -p tng-cli --test TEST` writes it anew.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().expect("the project has a root")
}

/// Holds what `page` says after the line `begin` to what was `gathered`, or writes that there.
pub fn holds(page: &str, begin: &str, gathered: &str, test: &str) {
    let path = root().join(page);
    let text = fs::read_to_string(&path).expect("the page is there");
    let (before, written) = text.split_once(begin).expect("the page says where its tables begin");
    if std::env::var_os("TNG_WRITE").is_some() {
        fs::write(&path, format!("{before}{begin}{gathered}")).expect("the page can be written");
        return;
    }
    let missing: Vec<&str> = gathered.lines().filter(|line| !written.contains(line)).collect();
    let stale: Vec<&str> = written.lines().filter(|line| !gathered.contains(line)).collect();
    assert!(
        gathered == written,
        "{page} is not what the code says; `TNG_WRITE=1 cargo test -p tng-cli --test {test}` writes it anew.\n\
         missing: {missing:#?}\nno longer so: {stale:#?}"
    );
}

/// A number as people write it: digits in threes.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
