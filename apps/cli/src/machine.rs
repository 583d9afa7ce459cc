//! What figures were made on.

use std::time::Duration;

/// Where figures were made, and in how much time: a sentence without its end.
pub fn made(took: Duration) -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpu = field(&info, "model name").unwrap_or(std::env::consts::ARCH);
    let cores = std::thread::available_parallelism().map_or(1, Into::into);
    // What is behind the second point is the builder's business.
    let version: Vec<&str> = kernel.trim().splitn(3, '.').take(2).collect();
    let system = format!("{} {}", std::env::consts::OS, version.join("."));
    format!("{}, {cores} cores of {cpu}, {}, {:.1} s", build(), system.trim(), took.as_secs_f64())
}

/// What has made them.
pub fn build() -> String {
    let build = if cfg!(debug_assertions) { "a debug build" } else { "a release build" };
    format!("{build} of tng {}", env!("CARGO_PKG_VERSION"))
}

/// Where figures were made that several machines have come to.
pub fn merged(shards: usize) -> String {
    format!("{}, merged of {shards} shards", build())
}

/// The value of a field of the form `name : value`.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim_start_matches([':', ' ', '\t'])).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_what_stands_behind_its_colon() {
        let info = "processor\t: 0\nmodel name\t: A Processor @ 2 GHz\n";
        assert_eq!(field(info, "model name"), Some("A Processor @ 2 GHz"));
        assert_eq!(field("model name\t:\n", "model name"), None);
        assert_eq!(field("", "model name"), None);
    }

    #[test]
    fn it_says_how_long_it_took() {
        assert!(made(Duration::from_millis(1234)).ends_with("1.2 s"));
    }
}
