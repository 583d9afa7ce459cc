//! What a module, and all instances together, may have. What one instance may have is in
//! [`Quotas`](tng_stp_host::Quotas).

use core::time::Duration;

/// Bytes of a module.
pub const MODULE_MAX: usize = 1 << 20;
/// Instances of one module.
pub const INSTANCES_OF_MODULE_MAX: usize = 256;
/// Instances of one engine. Each has 4 GiB of addresses, few of them with memory.
pub const INSTANCES_MAX: usize = 4_096;

/// Types of functions in a module. Here and below: what a transport of a hundred times the size of ours would need.
pub(crate) const TYPES_MAX: u64 = 1_024;
/// Imports of a module. The border has fewer.
pub(crate) const IMPORTS_MAX: u64 = 64;
/// Functions of a module.
pub(crate) const FUNCTIONS_MAX: u64 = 4_096;
/// Tables of a module, each of [`Quotas::table`](tng_stp_host::Quotas) entries at most.
pub(crate) const TABLES_MAX: u64 = 1;
/// Memories of a module: WebAssembly 1.0 has one.
pub(crate) const MEMORIES_MAX: u64 = 1;
/// Globals of a module.
pub(crate) const GLOBALS_MAX: u64 = 256;
/// Exports of a module. The border asks for fewer, and compilers add some.
pub(crate) const EXPORTS_MAX: u64 = 256;
/// Segments of data, and of elements, in a module.
pub(crate) const SEGMENTS_MAX: u64 = 1_024;
/// Bytes of one function. Compilation takes more than linear time in them.
pub(crate) const BODY_MAX: u64 = 64 << 10;
/// Locals of one function, its parameters not counted.
pub(crate) const LOCALS_MAX: u64 = 4_096;

/// Fuel of a call into the host, and one for each byte that the host may have to copy, as `memory.copy` has.
pub(crate) const HOST_CALL_FUEL: u64 = 100;
/// Most bytes that the host copies in one call.
pub(crate) const COPIED_MAX: u64 = 256 << 10;
/// Fuel of `memory.grow`, which is a call into the system.
pub(crate) const GROW_FUEL: u8 = u8::MAX;

/// How often time is looked at.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// Ticks after which a call is stopped. Fuel stops it long before, wherever fuel is counted right.
pub(crate) const TICKS_MAX: u64 = 10;
