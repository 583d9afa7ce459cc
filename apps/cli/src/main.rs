//! The `tng` tool.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    tng_cli::main()
}
