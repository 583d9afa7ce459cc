//! An allocator of a few hundred bytes of code: blocks of powers of two, a list of free ones for each size. A guest has
//! a handful of tables that grow by doubling; nothing is ever merged, and half of it at most is waste.
#![expect(unsafe_code, reason = "an allocator hands out memory that nobody else has")]

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

const PAGE: usize = 65_536;
/// The smallest block: 16 bytes.
const SMALLEST_BITS: u32 = 4;
const CLASSES: usize = 24;

struct Heap(UnsafeCell<Free>);

struct Free {
    /// Blocks given back, by size; the first word of each points at the next.
    lists: [*mut u8; CLASSES],
    /// Memory that was never handed out.
    from: usize,
    to: usize,
}

// A module has one thread.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new(Free { lists: [null_mut(); CLASSES], from: 0, to: 0 }));

unsafe extern "C" {
    /// Where the linker's data ends.
    static __heap_base: u8;
}

fn class(layout: &Layout) -> usize {
    let size = layout.size().max(layout.align()).max(1 << SMALLEST_BITS);
    (size.next_power_of_two().trailing_zeros() - SMALLEST_BITS) as usize
}

impl Free {
    fn take(&mut self, class: usize) -> *mut u8 {
        let Some(list) = self.lists.get_mut(class) else { return null_mut() };
        if !list.is_null() {
            let block = *list;
            // What was given back has the next one in its first word.
            *list = unsafe { block.cast::<*mut u8>().read() };
            return block;
        }
        let size = 1 << (class as u32 + SMALLEST_BITS);
        if self.to == 0 {
            (self.from, self.to) = ((&raw const __heap_base).addr(), memory_size(0) * PAGE);
        }
        // Blocks begin at multiples of their size, at most of a page, which is more than anything asks for.
        let start = self.from.next_multiple_of(size.min(PAGE));
        let short = (start + size).saturating_sub(self.to);
        if short > 0 {
            let pages = short.div_ceil(PAGE);
            if memory_grow(0, pages) == usize::MAX {
                return null_mut();
            }
            self.to += pages * PAGE;
        }
        self.from = start + size;
        start as *mut u8
    }
}

// One thread; blocks do not overlap, and are as large and aligned as their class.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { &mut *self.0.get() }.take(class(&layout))
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let free = unsafe { &mut *self.0.get() };
        if let Some(list) = free.lists.get_mut(class(&layout)) {
            unsafe { block.cast::<*mut u8>().write(*list) };
            *list = block;
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if class(&wanted) == class(&layout) {
            return block;
        }
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            unsafe {
                block.copy_to_nonoverlapping(moved, size.min(layout.size()));
                self.dealloc(block, layout);
            }
        }
        moved
    }
}
