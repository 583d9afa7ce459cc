//! The `tng` tool.
fn main() {}
