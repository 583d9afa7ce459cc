//! The `tng` tool.
#![forbid(unsafe_code)]

// The system's allocator keeps what many connections have freed: 240 MB after 300 peers, for good
// (docs/performance.md).
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    tng_cli::main()
}
