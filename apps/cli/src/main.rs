//! The `tng` tool.
#![forbid(unsafe_code)]
fn main() {}
