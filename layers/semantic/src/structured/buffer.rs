//! The bytes of a stream between application and wire: pages, on loan from one store.

use core::fmt;
use core::ops::{Deref, Range};
use std::collections::VecDeque;

/// Bytes in a page.
pub const PAGE: usize = 4096;

/// Most pages that a connection keeps for reuse while others are lent: 8 MiB, and no more than were lent at once lately. So a
/// transfer allocates nothing in its stride, although what it holds rises and falls.
pub const FREE_PAGES_MAX: usize = 2048;

/// Pages that a connection keeps for reuse when its streams hold none: 256 KiB. The others it gives back.
pub const FREE_PAGES_KEPT: usize = 64;

/// A peak of pages lent is forgotten by this part with every page that comes back.
const PEAK_DECAY: usize = 1024;

/// A list of pages that has grown beyond this many is not kept for reuse when its stream becomes empty.
const IDLE_CAPACITY: usize = 64;

type Page = Box<[u8; PAGE]>;

/// Received bytes of a stream in the page that they arrived in: at least one, at most [`PAGE`].
///
/// Its owner may keep it as long as it likes; it counts against no credit any more. Dropped it frees its page;
/// [`recycle`](super::Streams::recycle) gives the page to the connection for reuse.
pub struct Chunk {
    page: Page,
    at: Range<u16>,
    ends_message: bool,
}

impl Chunk {
    /// Whether a message ends with the last of these bytes. No message ends before.
    pub fn ends_message(&self) -> bool {
        self.ends_message
    }

    pub(super) fn ending_message(self) -> Chunk {
        Chunk { ends_message: true, ..self }
    }

    pub(super) fn into_page(self) -> Page {
        self.page
    }
}

impl Deref for Chunk {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.page[usize::from(self.at.start)..usize::from(self.at.end)]
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// Says how much there is, never what: it is the application's.
impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// The page store of one connection.
#[derive(Default)]
pub(super) struct Pages {
    free: Vec<Page>,
    lent: usize,
    /// Most pages lent at once, slowly forgotten.
    peak: usize,
    /// Lists of pages, empty.
    #[expect(clippy::vec_box, reason = "the box is what is lent")]
    lists: Vec<Box<List>>,
}

/// The pages of a stream that holds some.
#[derive(Default)]
struct List {
    pages: VecDeque<Option<Page>>,
    /// Number of the first page: offset / PAGE.
    first: u64,
}

impl List {
    /// Where the page that holds `offset` stands.
    fn index(&self, offset: u64) -> Option<usize> {
        usize::try_from((offset / PAGE as u64).checked_sub(self.first)?).ok()
    }

    fn page(&self, at: usize) -> &Page {
        self.pages.get(at).and_then(Option::as_ref).expect("only bytes that were written are read")
    }
}

impl Pages {
    fn take(&mut self) -> Page {
        self.lent += 1;
        self.peak = self.peak.max(self.lent);
        self.free.pop().unwrap_or_else(|| Box::new([0; PAGE]))
    }

    fn give(&mut self, page: Page) {
        self.lent -= 1;
        self.keep(page);
    }

    /// A page came back that was not counted as lent any more.
    pub(super) fn keep(&mut self, page: Page) {
        self.free.push(page);
        self.peak = match self.lent {
            0 => 0,
            lent => lent.max(self.peak - self.peak / PEAK_DECAY),
        };
        self.free.truncate((self.peak + FREE_PAGES_KEPT).min(FREE_PAGES_MAX));
    }

    fn list(&mut self, offset: u64) -> Box<List> {
        let mut list = self.lists.pop().unwrap_or_default();
        list.first = offset / PAGE as u64;
        list
    }

    fn give_list(&mut self, list: Box<List>) {
        if list.pages.capacity() <= IDLE_CAPACITY && self.lists.len() < FREE_PAGES_KEPT {
            self.lists.push(list);
        }
    }

    /// Pages that streams hold.
    pub(super) fn lent(&self) -> usize {
        self.lent
    }

    /// Pages kept for reuse.
    pub(super) fn free(&self) -> usize {
        self.free.len()
    }
}

/// A window onto a stream's bytes, by offset. Holds only the pages that something was written to, and nothing without any.
///
/// Who owns it knows which bytes are there; reading others gives whatever the page held before.
#[derive(Default)]
pub(super) struct Buffer(Option<Box<List>>);

impl Buffer {
    /// Writes `data` at `offset`.
    pub(super) fn write(&mut self, store: &mut Pages, offset: u64, mut data: &[u8]) {
        if data.is_empty() {
            return;
        }
        let list = self.0.get_or_insert_with(|| store.list(offset));
        // What comes first was overtaken by what came later.
        while offset / (PAGE as u64) < list.first {
            list.pages.push_front(None);
            list.first -= 1;
        }
        let mut at = list.index(offset).expect("a window fits memory");
        let mut skip = (offset % PAGE as u64) as usize;
        while !data.is_empty() {
            if at >= list.pages.len() {
                list.pages.resize_with(at + 1, || None);
            }
            let page = list.pages[at].get_or_insert_with(|| store.take());
            let n = data.len().min(PAGE - skip);
            page[skip..skip + n].copy_from_slice(&data[..n]);
            data = &data[n..];
            skip = 0;
            at += 1;
        }
    }

    /// Copies the bytes from `offset` on into `out`.
    pub(super) fn read(&self, offset: u64, mut out: &mut [u8]) {
        let Some((list, mut at)) = self.0.as_ref().and_then(|list| Some((list, list.index(offset)?))) else {
            debug_assert!(out.is_empty(), "only bytes that were written are read");
            return;
        };
        let mut skip = (offset % PAGE as u64) as usize;
        while !out.is_empty() {
            let n = out.len().min(PAGE - skip);
            let (now, later) = out.split_at_mut(n);
            now.copy_from_slice(&list.page(at)[skip..skip + n]);
            out = later;
            skip = 0;
            at += 1;
        }
    }

    /// Hands out `len` bytes from `offset` on, which lie in one page. If nothing else in that page is `needed`, it is the page
    /// itself and nothing is copied.
    pub(super) fn hand_out(&mut self, store: &mut Pages, offset: u64, len: usize, needed: bool) -> Chunk {
        let start = (offset % PAGE as u64) as usize;
        debug_assert!(len > 0 && start + len <= PAGE, "a chunk lies in one page");
        let list = self.0.as_mut().expect("only bytes that were written are read");
        let at = list.index(offset).expect("only bytes that were written are read");
        let page = if needed {
            let mut copy = store.free.pop().unwrap_or_else(|| Box::new([0; PAGE]));
            copy[start..start + len].copy_from_slice(&list.page(at)[start..start + len]);
            copy
        } else {
            store.lent -= 1;
            list.pages[at].take().expect("only bytes that were written are read")
        };
        Chunk { page, at: start as u16..(start + len) as u16, ends_message: false }
    }

    /// Gives back every page that lies wholly below `offset`.
    pub(super) fn release_below(&mut self, store: &mut Pages, offset: u64) {
        let Some(list) = &mut self.0 else { return };
        while list.first < offset / PAGE as u64
            && let Some(page) = list.pages.pop_front()
        {
            page.into_iter().for_each(|page| store.give(page));
            list.first += 1;
        }
        if list.pages.is_empty() {
            self.clear(store);
        }
    }

    /// Pages that it holds.
    pub(super) fn pages(&self) -> usize {
        self.0.iter().flat_map(|list| &list.pages).flatten().count()
    }

    /// Gives back every page.
    pub(super) fn clear(&mut self, store: &mut Pages) {
        let Some(mut list) = self.0.take() else { return };
        for page in list.pages.drain(..).flatten() {
            store.give(page);
        }
        store.give_list(list);
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pages lent, {} free", self.lent, self.free.len())
    }
}

/// Says how much there is, never what: it is the application's.
impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pages", self.pages())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_written_out_of_order_come_back_in_order() {
        let (mut store, mut buffer) = (Pages::default(), Buffer::default());
        let bytes: Vec<u8> = (0..20_000).map(|i| (i * 7 % 251) as u8).collect();
        buffer.write(&mut store, 10_001, &bytes[10_001..]);
        buffer.write(&mut store, 0, &bytes[..10_001]);
        let mut out = vec![0; 12_000];
        buffer.read(5_000, &mut out);
        assert_eq!(out, bytes[5_000..17_000]);
        buffer.release_below(&mut store, 17_000);
        assert_eq!(store.lent(), 1);
        buffer.read(17_000, &mut out[..3_000]);
        assert_eq!(out[..3_000], bytes[17_000..]);
        buffer.clear(&mut store);
        assert_eq!((store.lent(), store.free()), (0, 5));
    }

    #[test]
    fn a_byte_far_ahead_costs_one_page() {
        let (mut store, mut buffer) = (Pages::default(), Buffer::default());
        buffer.write(&mut store, 8 << 20, &[1]);
        assert_eq!(store.lent(), 1);
        buffer.clear(&mut store);
        assert!(store.lists.iter().all(|list| list.pages.capacity() <= IDLE_CAPACITY));
        buffer.write(&mut store, 9 << 20, &[1]);
        buffer.write(&mut store, 8 << 20, &[2]);
        buffer.release_below(&mut store, (9 << 20) + PAGE as u64);
        assert_eq!((store.lent(), store.lists.len(), buffer.0.is_none()), (0, 0, true));
    }

    #[test]
    fn the_store_keeps_no_more_than_its_bound() {
        let (mut store, mut buffer) = (Pages::default(), Buffer::default());
        buffer.write(&mut store, 0, &vec![0; 2 * FREE_PAGES_MAX * PAGE]);
        assert_eq!((store.lent(), store.free()), (2 * FREE_PAGES_MAX, 0));
        buffer.release_below(&mut store, (FREE_PAGES_MAX * PAGE) as u64);
        assert_eq!((store.lent(), store.free()), (FREE_PAGES_MAX, FREE_PAGES_MAX));
        buffer.clear(&mut store);
        assert_eq!((store.lent(), store.free()), (0, FREE_PAGES_KEPT));
    }
}
