//! What a module needs that has no standard library: an allocator, and what a panic does. Natively it is nothing.
//!
//! A guest's crate names it once: `use stp_guest_runtime as _;`.
#![no_std]

#[cfg(target_arch = "wasm32")]
mod heap;

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
