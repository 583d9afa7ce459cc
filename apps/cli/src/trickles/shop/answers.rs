//! Answers requests to a shop.

use std::io;
use std::os::unix::fs::FileExt;

use tng::trickles::{Answer, Application, Asked, Bytes, Fault, Kept, Ranges, STATE_LEN_MAX};
use tng_services::files;
use tng_services::shop::{
    ADDS_PER_REQUEST_MAX, ASKING_MAX, Add, Asking, Basket, CART_LEN_MAX, Cart, CartError, Catalogue, Found, ItemId,
    PAGE, Paid, QUERY_MAX, Seal, TOKEN_LEN_MAX,
};
use tng_services::stateless::{BadAsking, FAULT_BASE, What};
use tng_wire::{Malformed, Reader, Writer};

use super::super::descriptors::Descriptors;
use super::super::gather::{
    Objects, Part, Sealed, Wanted, begin, handle, take, tell_whole, too_long_for_what_is_reserved,
};
use super::super::given::Given;
use super::super::{Wrong, changed};
use super::store::{Store, StoreError};
use crate::clock;
use crate::files::Root;

/// The version of what is sealed.
const VERSION: u16 = 1;
/// What begins the input continuation of a cart that is filled, of the beginning of one, and a continuation of results.
/// One of goods begins as that of a file.
const CART: u8 = 0xc0;
const HEAD: u8 = 0xc1;
const RESULTS: u8 = 0xc2;
/// Longest beginning of what asks for a cart.
const HEAD_MAX: usize = 1 + 2 + TOKEN_LEN_MAX;

/// Codes of faults of a shop.
const NO_SUCH_ITEM: u64 = FAULT_BASE + 80;
const NO_ROOM: u64 = FAULT_BASE + 81;
const NOT_SEALED: u64 = FAULT_BASE + 82;
const NOT_BOUGHT: u64 = FAULT_BASE + 83;
const PAID_OTHERWISE: u64 = FAULT_BASE + 84;
const EMPTY: u64 = FAULT_BASE + 85;

/// A shop for clients that keep everything themselves. Of them it remembers what they have bought.
pub struct Shop {
    catalogue: Catalogue,
    /// Below it are digital goods.
    goods: Root,
    store: Store,
    seal: Seal,
    descriptors: Descriptors,
}

impl Shop {
    /// Sells what is in `catalogue`, whose digital goods are below `goods`.
    pub fn new(catalogue: Catalogue, goods: Root, (store, seal): (Store, Seal)) -> Shop {
        Shop { catalogue, goods, store, seal, descriptors: Descriptors::default() }
    }

    /// How many orders it knows of.
    pub fn orders(&self) -> usize {
        self.store.count()
    }

    /// Puts more into a cart. What that makes is a function of the cart and of what is added: the same request makes
    /// the same cart each time, and the client goes on with the first that it gets.
    fn fill(
        &self,
        before: Filling<'_>,
        Part { data, offset, is_end, .. }: Part<'_>,
        wanted: &Wanted,
        answer: &mut Answer<'_>,
    ) -> Result<(), Wrong> {
        let kept = before.kept().len();
        let text = [before.kept(), data].concat();
        let mut reader = Reader::new(&text);
        let go_on = |taken: usize, state: &[u8], answer: &mut Answer<'_>| {
            let taken = offset + taken as u64;
            // More at once is not taken.
            let until = taken + (ADDS_PER_REQUEST_MAX * Add::LEN_MAX) as u64;
            answer.input(wanted.object, taken, Some(until), state);
            Ok(())
        };
        let mut cart = match before {
            Filling::Cart(cart, _) => cart,
            Filling::Head(_) => match Asking::parse_cart(&mut reader) {
                Ok(Some(Ok(token))) => self.seal.open_cart(token).ok_or_else(not_sealed)?,
                Ok(Some(Err(id))) => Cart::new(id),
                Err(Malformed) if !is_end && text.len() <= HEAD_MAX => {
                    return go_on(data.len(), &[&[HEAD][..], &text].concat(), answer);
                }
                Ok(None) | Err(Malformed) => return Err(BadAsking::Malformed.into()),
            },
        };
        for _ in 0..ADDS_PER_REQUEST_MAX {
            let mut next = reader.clone();
            let Ok(Add { item, count }) = Add::parse(&mut next) else { break };
            if self.catalogue.find(&item).is_none() {
                return Err(no_such_item(&item));
            }
            cart = cart.with(&item, count)?;
            reader = next;
        }
        let (taken, rest) = (reader.position(), &text[reader.position()..]);
        if rest.is_empty() && is_end {
            let total = cart.total(&self.catalogue).map_err(|item| no_such_item(&item))?;
            let basket = Basket { total, token: self.seal.cart(&cart), lines: cart.lines().to_vec() };
            return tell_whole(wanted, &basket.to_bytes(), answer);
        }
        match Add::parse(&mut reader) {
            // The next request brings it, with this cart.
            Ok(_) => go_on(taken - kept, &sealed_cart(&cart, &[]), answer),
            Err(Malformed) if !is_end && rest.len() < Add::LEN_MAX => {
                go_on(data.len(), &sealed_cart(&cart, rest), answer)
            }
            Err(Malformed) => Err(BadAsking::Malformed.into()),
        }
    }

    fn check_out(&mut self, cart: &Cart) -> Result<Paid, Wrong> {
        if cart.lines().is_empty() {
            return Err(wrong(EMPTY, "there is nothing in the cart"));
        }
        // What was paid was paid by the prices of then: those of now are for carts that were not.
        let order = match self.store.known(cart)? {
            Some(order) => order,
            None => {
                let total = cart.total(&self.catalogue).map_err(|item| no_such_item(&item))?;
                self.store.check_out(cart, total, clock::seconds_since_1970())?
            }
        };
        tracing::info!(total = order.total, at_s = order.at_s, "paid");
        Ok(Paid { total: order.total, at_s: order.at_s, receipt: self.seal.receipt(cart) })
    }

    /// Where the digital goods are that somebody has bought.
    fn bought(&self, bought: &Cart, item: &ItemId) -> Result<files::SafePath, Wrong> {
        if !bought.lines().iter().any(|line| line.item == *item) {
            return Err(wrong(NOT_BOUGHT, &format!("{item} is not on this receipt")));
        }
        let file = self.catalogue.find(item).and_then(|item| item.file.clone());
        file.ok_or_else(|| wrong(NOT_BOUGHT, &format!("{item} is nothing that can be sent this way")))
    }

    /// Results of a search. A server with room remembers them, or which items they are, whichever is less; others look
    /// through the catalogue for each request.
    fn page(&self, query: &str, position: u64, answer: &mut Answer<'_>) -> Vec<u8> {
        let name = self.sealed_results(position, query);
        match answer.remembered(&name) {
            Some(Kept::Output(page)) => return page.to_vec(),
            Some(Kept::State(state)) => {
                if let Some(page) = Page::read(&state) {
                    return self.shown(&page, position);
                }
            }
            None => {}
        }
        let mut items = self.catalogue.search(query, position).map(|(place, _)| place);
        let places: Vec<u32> = items.by_ref().take(PAGE).collect();
        let behind = items.next();
        // As many items were looked at.
        let work = behind.map_or(self.catalogue.count() as u64, |place| u64::from(place) + 1);
        let page = Page { is_last: behind.is_none(), places };
        let shown = self.shown(&page, position);
        answer.remember(&name, work, Kept::smaller(&page.write(), &shown));
        shown
    }

    fn shown(&self, page: &Page, position: u64) -> Vec<u8> {
        let next = (!page.is_last).then_some(position + PAGE as u64);
        let items = page.places.iter().filter_map(|place| self.catalogue.at(*place));
        let items = items.map(|item| (item.id.clone(), item.price, item.file.is_some(), item.name.clone()));
        Found { next, items: items.collect() }.to_bytes()
    }

    fn sealed_results(&self, position: u64, query: &str) -> Vec<u8> {
        let numbers = [self.catalogue.version().to_be_bytes(), position.to_be_bytes()].concat();
        [&[RESULTS][..], &numbers, query.as_bytes()].concat()
    }

    fn hand_over(&mut self, given: Given, from: u64, wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let seal = |at| Given { at, ..given.clone() }.write();
        let now = begin(wanted, (given.at, from, given.stamp.len), seal, answer);
        self.send_goods(&given, wanted.reserved.start, now, answer)
    }

    fn send_goods(&mut self, given: &Given, start: u64, range: Bytes, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        if range.is_empty() {
            return Ok(());
        }
        let (file, stamp) = self.descriptors.open(&self.goods, &given.path)?;
        if stamp != given.stamp {
            return Err(changed());
        }
        let sent = answer.send_with(range, |place, buf| file.read_exact_at(buf, given.at + (place - start)));
        match sent {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(changed()),
            sent => Ok(sent.map(|_| ())?),
        }
    }
}

/// Which items are found: what a page of results is made of again.
struct Page {
    is_last: bool,
    places: Vec<u32>,
}

impl Page {
    fn write(&self) -> Vec<u8> {
        let places = self.places.iter().flat_map(|place| place.to_be_bytes());
        core::iter::once(u8::from(self.is_last)).chain(places).collect()
    }

    fn read(bytes: &[u8]) -> Option<Page> {
        let (is_last, places) = bytes.split_first()?;
        let (places, _) = places.as_chunks::<4>();
        Some(Page { is_last: *is_last != 0, places: places.iter().map(|place| u32::from_be_bytes(*place)).collect() })
    }
}

/// The position in the results of a query, and the query, that were sealed.
fn results(state: &[u8]) -> Option<(u64, &str)> {
    let [RESULTS, numbers @ ..] = state else { return None };
    let (numbers, query) = numbers.split_first_chunk::<16>()?;
    let position = u64::from_be_bytes(*numbers.last_chunk()?);
    Some((position, std::str::from_utf8(query).ok().filter(|query| query.len() <= QUERY_MAX)?))
}

/// What has come of a cart: how it begins; or it, and what has come of something to be added.
enum Filling<'a> {
    Head(&'a [u8]),
    Cart(Cart, &'a [u8]),
}

impl<'a> Filling<'a> {
    /// What a request has to do with a cart; nothing if it asks for something else.
    fn of(state: Option<&'a [u8]>, data: &[u8]) -> Option<Result<Filling<'a>, BadAsking>> {
        match state {
            None => Asking::is_of_cart(data).then_some(Ok(Filling::Head(&[]))),
            Some([HEAD, head @ ..]) => Some(Ok(Filling::Head(head))),
            Some([CART, rest @ ..]) => {
                let mut reader = Reader::new(rest);
                let cart = reader.prefixed(CART_LEN_MAX).and_then(Cart::parse);
                let filling = cart.map(|cart| Filling::Cart(cart, reader.rest()));
                Some(filling.map_err(|Malformed| BadAsking::Malformed))
            }
            Some(_) => None,
        }
    }

    /// What was kept to be read together with what comes next.
    const fn kept(&self) -> &'a [u8] {
        match self {
            Filling::Head(kept) | Filling::Cart(_, kept) => kept,
        }
    }
}

fn sealed_cart(cart: &Cart, kept: &[u8]) -> Vec<u8> {
    const LEN_MAX: usize = 1 + 2 + CART_LEN_MAX + Add::LEN_MAX;
    const _: () = assert!(LEN_MAX <= STATE_LEN_MAX && HEAD_MAX < STATE_LEN_MAX, "it fits into a continuation");
    let mut out = vec![0; LEN_MAX];
    let mut writer = Writer::new(&mut out);
    let written = writer.u8(CART).and_then(|()| writer.prefixed(&cart.to_bytes())).and_then(|()| writer.bytes(kept));
    written.expect("it is no longer than that");
    let len = writer.position();
    out.truncate(len);
    out
}

/// Sends the part of an object that begins at `start` of the row, as much as there is room for.
fn send(object: &[u8], start: u64, range: Bytes, answer: &mut Answer<'_>) -> Result<(), Wrong> {
    if range.is_empty() {
        return Ok(());
    }
    let bytes = object.get((range.start - start) as usize..(range.end - start) as usize).ok_or_else(changed)?;
    answer.send(range.start, bytes);
    Ok(())
}

fn wrong(code: u64, text: &str) -> Wrong {
    Wrong { fault: Fault::Application(code), text: text.to_owned() }
}

fn no_such_item(item: &ItemId) -> Wrong {
    wrong(NO_SUCH_ITEM, &format!("{item} is not for sale"))
}

fn not_sealed() -> Wrong {
    wrong(NOT_SEALED, "this cart or receipt is not of this shop")
}

impl From<CartError> for Wrong {
    fn from(error: CartError) -> Wrong {
        wrong(NO_ROOM, &error.to_string())
    }
}

impl From<StoreError> for Wrong {
    fn from(error: StoreError) -> Wrong {
        match error {
            StoreError::PaidOtherwise => wrong(PAID_OTHERWISE, &error.to_string()),
            StoreError::Disk(error) => error.into(),
            StoreError::Full | StoreError::Damaged(_) => {
                files::Fault::new(files::FaultCode::Io, &error.to_string()).into()
            }
        }
    }
}

impl Application for Shop {
    fn version(&self) -> u16 {
        VERSION
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        handle(self, asked, answer);
    }
}

impl Objects for Shop {
    const ASKING_MAX: usize = ASKING_MAX;

    fn put(&mut self, part: Part<'_>, wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        match Filling::of(part.state, part.data) {
            Some(before) => self.fill(before?, part, wanted, answer),
            None => take(self, part, wanted, answer),
        }
    }

    fn find(&mut self, asking: &[u8], wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        match Asking::parse(asking).map_err(|Malformed| BadAsking::Malformed)? {
            Asking::Search { position, query } => {
                let page = self.page(&query, position, answer);
                let end = wanted.reserved.start + page.len() as u64;
                if end >= wanted.reserved.end {
                    return Err(too_long_for_what_is_reserved());
                }
                let state = self.sealed_results(position, &query);
                let now = begin(wanted, (0, 0, page.len() as u64), |_| state.clone(), answer);
                send(&page, wanted.reserved.start, now, answer)
            }
            Asking::Checkout { cart } => {
                let cart = self.seal.open_cart(&cart).ok_or_else(not_sealed)?;
                let paid = self.check_out(&cart)?;
                tell_whole(wanted, &paid.to_bytes(), answer)
            }
            Asking::Goods { start, item, receipt } => {
                let bought = self.seal.open_receipt(&receipt).ok_or_else(not_sealed)?;
                let path = self.bought(&bought, &item)?;
                let stamp = self.descriptors.open(&self.goods, &path)?.1;
                self.hand_over(Given { what: What::File, at: 0, stamp, path }, start, wanted, answer)
            }
        }
    }

    fn go_on(&mut self, state: &[u8], wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let given = Given::read(state).ok_or(BadAsking::Malformed)?;
        let from = given.at;
        self.hand_over(given, from, wanted, answer)
    }

    fn want(&mut self, by: Sealed<'_>, ranges: Ranges<'_>, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let Sealed { state, valid, .. } = by;
        if let Some((position, query)) = results(state) {
            let page = self.page(query, position, answer);
            if state != self.sealed_results(position, query) {
                return Err(changed());
            }
            return ranges.iter().try_for_each(|range| send(&page, valid.start, range, answer));
        }
        let given = Given::read(state).ok_or(BadAsking::Malformed)?;
        ranges.iter().try_for_each(|range| self.send_goods(&given, valid.start, range, answer))
    }
}

#[cfg(test)]
mod tests;
