//! The bytes of a stream between application and wire: pages, on loan from one store, and scraps of pages that are
//! shared.

use core::fmt;
use core::ops::{Deref, Range};
use std::collections::{BTreeSet, VecDeque};

use super::recv::Arriving;
use super::send::Outgoing;

/// Bytes in a page.
pub const PAGE: usize = 4096;

/// Most pages that a connection keeps for reuse while others are lent: 8 MiB, and no more than were lent at once
/// lately. So a transfer allocates nothing in its stride, although what it holds rises and falls.
pub const FREE_PAGES_MAX: usize = 2048;

/// Pages that a connection keeps for reuse when its streams hold none: 256 KiB. The others it gives back.
pub const FREE_PAGES_KEPT: usize = 64;

/// A peak of pages lent is forgotten by this part with every page that comes back.
const PEAK_DECAY: usize = 1024;

/// Boxes of a kind that are kept for reuse.
const SPARE_MAX: usize = 16;

/// A list of pages that has grown beyond this many is not kept for reuse when its stream becomes empty.
const IDLE_CAPACITY: usize = 64;

/// Bytes in order that a stream holds in a page that it shares with others, rather than in pages of its own.
pub const SCRAP_MAX: usize = 1024;

type Page = Box<[u8; PAGE]>;

/// Few bytes of a stream, in order, in a page that it shares. Given back to the [store](Pages), or its page is never
/// free.
#[derive(Debug, Default)]
pub(super) struct Scrap {
    page: u32,
    at: u16,
    len: u16,
}

impl Scrap {
    pub(super) fn len(&self) -> usize {
        usize::from(self.len)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of the page that it lies in.
    pub(super) fn page(&self) -> Option<u32> {
        (!self.is_empty()).then_some(self.page)
    }
}

/// A page that streams share. It is filled from its beginning, and again when nothing is left in it.
struct SharedPage {
    page: Page,
    used: u16,
    scraps: u16,
}

/// Received bytes of a stream in the page that they arrived in: at least one, at most [`PAGE`].
///
/// Its owner may keep it as long as it likes; it counts against no credit any more. So that it holds no more than it is
/// worth, one of less than a quarter of a page is a copy of its own size. Dropped it frees its memory;
/// [`recycle`](super::Streams::recycle) gives the page to the connection for reuse.
pub struct Chunk {
    held: Held,
    ends_message: bool,
}

/// Where a chunk's bytes are.
enum Held {
    Page(Page, Range<u16>),
    Few(Box<[u8]>),
}

/// A chunk of fewer bytes holds no page.
pub const CHUNK_PAGE_MIN: usize = PAGE / 4;

impl Chunk {
    /// Whether a message ends with the last of these bytes. No message ends before.
    pub fn ends_message(&self) -> bool {
        self.ends_message
    }

    pub(super) fn ending_message(self) -> Chunk {
        Chunk { ends_message: true, ..self }
    }

    /// Bytes of memory that it holds: at most four times as many as it has.
    pub fn footprint(&self) -> usize {
        match &self.held {
            Held::Page(..) => PAGE,
            Held::Few(bytes) => bytes.len(),
        }
    }

    fn few(bytes: &[u8]) -> Chunk {
        Chunk { held: Held::Few(bytes.into()), ends_message: false }
    }
}

impl Deref for Chunk {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.held {
            Held::Page(page, at) => &page[usize::from(at.start)..usize::from(at.end)],
            Held::Few(bytes) => bytes,
        }
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

/// Boxes of one kind for reuse, so that what wakes and rests all the time allocates nothing.
#[derive(Debug)]
pub(super) struct Spare<T>(Vec<Box<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Spare<T> {
        Spare(Vec::new())
    }
}

impl<T> Spare<T> {
    pub(super) fn fill(&mut self, value: T) -> Box<T> {
        match self.0.pop() {
            Some(mut spare) => {
                *spare = value;
                spare
            }
            None => Box::new(value),
        }
    }

    /// Takes a box that is not needed any more, whatever is in it.
    pub(super) fn keep(&mut self, spare: Box<T>) {
        if self.0.len() < SPARE_MAX {
            self.0.push(spare);
        }
    }
}

/// The page store of one connection.
#[derive(Default)]
pub(super) struct Pages {
    pub(super) arriving: Spare<Arriving>,
    pub(super) outgoing: Spare<Outgoing>,
    free: Vec<Page>,
    lent: usize,
    /// Bytes that applications have given away, and that lie in no page.
    pub(super) given: usize,
    /// Most pages lent at once, slowly forgotten.
    peak: usize,
    /// Pages that streams share, where scraps say.
    shared: Vec<Option<SharedPage>>,
    /// Places for more of them.
    vacant: Vec<u32>,
    /// The one that is being filled.
    filling: Option<u32>,
    /// Lists of pages, empty.
    #[expect(clippy::vec_box, reason = "the box is what is lent")]
    lists: Vec<Box<List>>,
}

/// The pages of a stream that holds some.
#[derive(Default)]
pub(super) struct List {
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

    fn write(&mut self, store: &mut Pages, offset: u64, mut data: &[u8]) {
        // What comes first was overtaken by what came later.
        while offset / (PAGE as u64) < self.first {
            self.pages.push_front(None);
            self.first -= 1;
        }
        let mut at = self.index(offset).expect("a window fits memory");
        let mut skip = (offset % PAGE as u64) as usize;
        while !data.is_empty() {
            if at >= self.pages.len() {
                self.pages.resize_with(at + 1, || None);
            }
            let page = self.pages[at].get_or_insert_with(|| store.take());
            let n = data.len().min(PAGE - skip);
            page[skip..skip + n].copy_from_slice(&data[..n]);
            data = &data[n..];
            skip = 0;
            at += 1;
        }
    }

    fn read(&self, offset: u64, mut out: &mut [u8]) {
        let mut at = self.index(offset).expect("only bytes that were written are read");
        let mut skip = (offset % PAGE as u64) as usize;
        while !out.is_empty() {
            let n = out.len().min(PAGE - skip);
            let (now, later) = out.split_at_mut(n);
            now.copy_from_slice(&self.page(at)[skip..skip + n]);
            out = later;
            skip = 0;
            at += 1;
        }
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

    /// Takes the page of a chunk that is not needed any more. It has not counted as lent since it was handed out.
    pub(super) fn recycle(&mut self, chunk: Chunk) {
        if let Held::Page(page, _) = chunk.held {
            self.keep(page);
        }
    }

    /// Gives back the memory that nobody uses, if no page is lent.
    pub(super) fn shrink(&mut self) {
        if self.lent == 0 {
            *self = Pages { given: self.given, ..Pages::default() };
        }
    }

    fn keep(&mut self, page: Page) {
        self.free.push(page);
        self.peak = match self.lent {
            0 => 0,
            lent => lent.max(self.peak - self.peak / PEAK_DECAY),
        };
        self.free.truncate((self.peak + FREE_PAGES_KEPT).min(FREE_PAGES_MAX));
    }

    /// Whether so many more bytes can follow a scrap where it is, or begin one.
    pub(super) fn fits(&self, scrap: &Scrap, more: usize) -> bool {
        scrap.len() + more <= SCRAP_MAX
            && (scrap.is_empty()
                || self.filling == Some(scrap.page)
                    && self.shared(scrap.page).is_some_and(|shared| {
                        shared.used == scrap.at + scrap.len && usize::from(shared.used) + more <= PAGE
                    }))
    }

    /// Has bytes follow those of a scrap, or begin one. Answers whether there was room.
    pub(super) fn append(&mut self, scrap: &mut Scrap, data: &[u8]) -> bool {
        if data.is_empty() {
            return true;
        }
        if !self.fits(scrap, data.len()) {
            return false;
        }
        let fits = |shared: &SharedPage| usize::from(shared.used) + data.len() <= PAGE;
        let number = match self.filling.filter(|&number| self.shared(number).is_some_and(fits)) {
            Some(number) => number,
            None => self.share(),
        };
        let Some(Some(shared)) = self.shared.get_mut(number as usize) else { return false };
        let start = usize::from(shared.used);
        shared.page[start..start + data.len()].copy_from_slice(data);
        shared.used += data.len() as u16;
        if scrap.is_empty() {
            shared.scraps += 1;
            *scrap = Scrap { page: number, at: start as u16, len: 0 };
        }
        scrap.len += data.len() as u16;
        true
    }

    /// The bytes of a scrap.
    pub(super) fn bytes(&self, scrap: &Scrap) -> &[u8] {
        match self.shared(scrap.page) {
            Some(shared) if !scrap.is_empty() => &shared.page[usize::from(scrap.at)..][..scrap.len()],
            _ => &[],
        }
    }

    /// A copy of the first bytes of a scrap.
    pub(super) fn chunk(&self, scrap: &Scrap, len: usize) -> Chunk {
        Chunk::few(&self.bytes(scrap)[..len])
    }

    /// Takes the first bytes of a scrap back.
    pub(super) fn release(&mut self, scrap: &mut Scrap, len: usize) {
        if len < scrap.len() {
            scrap.at += len as u16;
            scrap.len -= len as u16;
            return;
        }
        if scrap.is_empty() {
            return;
        }
        let number = core::mem::take(scrap).page;
        let Some(place) = self.shared.get_mut(number as usize) else { return };
        let Some(shared) = place else { return };
        shared.scraps -= 1;
        if shared.scraps == 0
            && let Some(shared) = place.take()
        {
            self.vacant.push(number);
            self.filling = self.filling.filter(|&filling| filling != number);
            self.give(shared.page);
        }
    }

    fn shared(&self, number: u32) -> Option<&SharedPage> {
        self.shared.get(number as usize)?.as_ref()
    }

    /// A page more to share.
    fn share(&mut self) -> u32 {
        let shared = Some(SharedPage { page: self.take(), used: 0, scraps: 0 });
        let number = match self.vacant.pop() {
            Some(number) => {
                self.shared[number as usize] = shared;
                number
            }
            None => {
                self.shared.push(shared);
                self.shared.len() as u32 - 1
            }
        };
        self.filling = Some(number);
        number
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

    /// Frees what is kept for reuse.
    pub(super) fn trim(&mut self) {
        (self.free, self.peak) = (Vec::new(), self.lent);
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

/// A window onto a stream's bytes, by offset: a scrap as long as they are few and in order, else the pages that
/// something was written to, and nothing without any.
///
/// Who owns it knows which bytes are there; reading others gives whatever the page held before.
#[derive(Default)]
pub(super) enum Buffer {
    #[default]
    Empty,
    Scrap {
        /// Offset of its first byte.
        first: u64,
        scrap: Scrap,
    },
    Pages(Box<List>),
}

impl Buffer {
    /// Of a scrap that begins at `first`.
    pub(super) fn new(first: u64, scrap: Scrap) -> Buffer {
        if scrap.is_empty() { Buffer::Empty } else { Buffer::Scrap { first, scrap } }
    }

    /// Writes `data` at `offset`.
    pub(super) fn write(&mut self, store: &mut Pages, offset: u64, data: &[u8]) {
        match self {
            _ if data.is_empty() => {}
            Buffer::Pages(list) => list.write(store, offset, data),
            Buffer::Empty => {
                let mut scrap = Scrap::default();
                *self = if store.append(&mut scrap, data) {
                    Buffer::Scrap { first: offset, scrap }
                } else {
                    let mut list = store.list(offset);
                    list.write(store, offset, data);
                    Buffer::Pages(list)
                };
            }
            Buffer::Scrap { first, scrap } => {
                if offset == *first + scrap.len() as u64 && store.append(scrap, data) {
                    return;
                }
                let (mut list, mut few) = (store.list(*first), [0; SCRAP_MAX]);
                let few = &mut few[..scrap.len()];
                few.copy_from_slice(store.bytes(scrap));
                store.release(scrap, few.len());
                list.write(store, *first, few);
                list.write(store, offset, data);
                *self = Buffer::Pages(list);
            }
        }
    }

    /// Copies the bytes from `offset` on into `out`.
    pub(super) fn read(&self, store: &Pages, offset: u64, out: &mut [u8]) {
        match self {
            _ if out.is_empty() => {}
            Buffer::Pages(list) => list.read(offset, out),
            Buffer::Scrap { first, scrap } => {
                let skip = (offset - first) as usize;
                out.copy_from_slice(&store.bytes(scrap)[skip..skip + out.len()]);
            }
            Buffer::Empty => debug_assert!(false, "only bytes that were written are read"),
        }
    }

    /// Hands out `len` bytes from `offset` on, which lie in one page. If nothing else in that page is `needed`, it is
    /// the page itself and nothing is copied, unless it is shared.
    pub(super) fn hand_out(&mut self, store: &mut Pages, offset: u64, len: usize, needed: bool) -> Chunk {
        let start = (offset % PAGE as u64) as usize;
        debug_assert!(len > 0 && start + len <= PAGE, "a chunk lies in one page");
        match self {
            Buffer::Pages(list) if !needed && len >= CHUNK_PAGE_MIN => {
                let at = list.index(offset).expect("only bytes that were written are read");
                store.lent -= 1;
                let page = list.pages[at].take().expect("only bytes that were written are read");
                Chunk { held: Held::Page(page, start as u16..(start + len) as u16), ends_message: false }
            }
            _ if len < CHUNK_PAGE_MIN => {
                let mut few = [0; CHUNK_PAGE_MIN];
                self.read(store, offset, &mut few[..len]);
                Chunk::few(&few[..len])
            }
            _ => {
                let mut page = store.free.pop().unwrap_or_else(|| Box::new([0; PAGE]));
                self.read(store, offset, &mut page[..len]);
                Chunk { held: Held::Page(page, 0..len as u16), ends_message: false }
            }
        }
    }

    /// Gives back what lies below `offset`: bytes of a scrap, or whole pages.
    pub(super) fn release_below(&mut self, store: &mut Pages, offset: u64) {
        let is_empty = match self {
            Buffer::Empty => false,
            Buffer::Scrap { first, scrap } => {
                let len = offset.saturating_sub(*first).min(scrap.len() as u64);
                store.release(scrap, len as usize);
                *first += len;
                scrap.is_empty()
            }
            Buffer::Pages(list) => {
                while list.first < offset / PAGE as u64
                    && let Some(page) = list.pages.pop_front()
                {
                    page.into_iter().for_each(|page| store.give(page));
                    list.first += 1;
                }
                list.pages.is_empty()
            }
        };
        if is_empty {
            self.clear(store);
        }
    }

    /// Pages that it holds alone; the number of one that it shares goes to `shared`.
    pub(super) fn pages(&self, shared: &mut BTreeSet<u32>) -> usize {
        match self {
            Buffer::Empty => 0,
            Buffer::Scrap { scrap, .. } => {
                shared.extend(scrap.page());
                0
            }
            Buffer::Pages(list) => list.pages.iter().flatten().count(),
        }
    }

    /// Gives back everything.
    pub(super) fn clear(&mut self, store: &mut Pages) {
        match core::mem::take(self) {
            Buffer::Empty => {}
            Buffer::Scrap { mut scrap, .. } => store.release(&mut scrap, usize::MAX),
            Buffer::Pages(mut list) => {
                for page in list.pages.drain(..).flatten() {
                    store.give(page);
                }
                store.give_list(list);
            }
        }
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
        match self {
            Buffer::Empty => write!(f, "nothing"),
            Buffer::Scrap { scrap, .. } => write!(f, "{} bytes", scrap.len),
            Buffer::Pages(list) => write!(f, "{} pages", list.pages.iter().flatten().count()),
        }
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
        buffer.read(&store, 5_000, &mut out);
        assert_eq!(out, bytes[5_000..17_000]);
        buffer.release_below(&mut store, 17_000);
        assert_eq!(store.lent(), 1);
        buffer.read(&store, 17_000, &mut out[..3_000]);
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
        assert_eq!((store.lent(), store.lists.len(), matches!(buffer, Buffer::Empty)), (0, 0, true));
    }

    #[test]
    fn many_who_hold_few_bytes_share_a_page_and_it_is_free_when_the_last_has_let_go() {
        let mut store = Pages::default();
        let mut buffers: Vec<Buffer> = (0..1_000).map(|_| Buffer::default()).collect();
        for (at, buffer) in buffers.iter_mut().enumerate() {
            buffer.write(&mut store, 7 * at as u64, &[at as u8; 4]);
        }
        assert_eq!(store.lent(), 1, "4,000 bytes");
        for (at, buffer) in buffers.iter_mut().enumerate().filter(|(at, _)| at % 2 == 0) {
            buffer.write(&mut store, 7 * at as u64 + 4, &[at as u8; 3_000]);
            let mut out = [0; 3_000];
            buffer.release_below(&mut store, 7 * at as u64 + 1);
            buffer.read(&store, 7 * at as u64 + 1, &mut out);
            assert_eq!(out, [at as u8; 3_000]);
            buffer.clear(&mut store);
        }
        assert_eq!(store.lent(), 1, "half of them are still there");
        for (at, buffer) in buffers.iter_mut().enumerate().filter(|(at, _)| at % 2 == 1) {
            let chunk = buffer.hand_out(&mut store, 7 * at as u64 + 1, 3, true);
            assert_eq!(*chunk, [at as u8; 3]);
            buffer.release_below(&mut store, 7 * at as u64 + 4);
        }
        assert_eq!((store.lent(), store.vacant.len(), store.filling), (0, store.shared.len(), None));
    }

    #[test]
    fn a_scrap_grows_where_it_lies_and_moves_when_it_cannot() {
        let mut store = Pages::default();
        let [mut one, mut other] = [Buffer::default(), Buffer::default()];
        let bytes: Vec<u8> = (0..6_000).map(|i| (i * 7 % 251) as u8).collect();
        for (at, byte) in bytes[..SCRAP_MAX].iter().enumerate() {
            one.write(&mut store, at as u64, &[*byte]);
        }
        assert!(matches!(one, Buffer::Scrap { .. }) && store.lent() == 1);
        other.write(&mut store, 0, &bytes[..10]);
        one.release_below(&mut store, 100);
        one.write(&mut store, SCRAP_MAX as u64, &bytes[SCRAP_MAX..SCRAP_MAX + 1]);
        assert!(matches!(one, Buffer::Pages(_)) && store.lent() == 2, "another's bytes lie behind it");
        one.write(&mut store, SCRAP_MAX as u64 + 1, &bytes[SCRAP_MAX + 1..]);
        let mut out = vec![0; 5_900];
        one.read(&store, 100, &mut out);
        assert_eq!(out, bytes[100..]);
        one.clear(&mut store);
        other.clear(&mut store);
        assert_eq!(store.lent(), 0);
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
