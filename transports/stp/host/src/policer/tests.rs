//! What the policer lets leave, and what not.

mod compliant;
mod hostile;
mod judge;
mod link;
mod states;

/// Seeds of a test of behaviour: what is asked for by `TNG_SEEDS`, else as many as take no time.
pub(crate) fn seeds(usual: u64) -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
