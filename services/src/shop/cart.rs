//! Carts, sealed for their clients.

use tng_crypto::Secret32;
use tng_wire::{Full, Malformed, Reader, Writer};

use super::catalogue::{Catalogue, ITEM_ID_MAX, ItemId};
use crate::stateless::written;

/// Different items in a cart, at most: it fits into a continuation.
pub const CART_LINES_MAX: usize = 15;
/// Pieces of an item in a cart, at most.
pub const COUNT_MAX: u16 = 1_000;
/// Longest cart, in bytes.
pub const CART_LEN_MAX: usize = CartId::LEN + CART_LINES_MAX * (1 + ITEM_ID_MAX + 2);
/// Longest sealed cart or receipt, in bytes.
pub const TOKEN_LEN_MAX: usize = CART_LEN_MAX + TAG_LEN;
const TAG_LEN: usize = 16;

/// What tells a cart from all others: its client draws it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CartId(pub [u8; CartId::LEN]);

impl CartId {
    /// Bytes.
    pub const LEN: usize = 16;
}

/// So many of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The item.
    pub item: ItemId,
    /// How many, at least one.
    pub count: u16,
}

/// What a client wants to buy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cart {
    /// Which cart.
    pub id: CartId,
    lines: Vec<Line>,
}

/// Why something is not put into a cart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CartError {
    /// It holds as many items as it may.
    #[error("a cart holds {CART_LINES_MAX} different items; check this one out and begin another")]
    Full,
    /// It holds as many pieces of the item as it may.
    #[error("a cart holds {COUNT_MAX} pieces of an item at most, and not none")]
    Count,
}

impl Cart {
    /// One with nothing in it.
    pub const fn new(id: CartId) -> Cart {
        Cart { id, lines: Vec::new() }
    }

    /// What is in it.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The same with so many more of an item.
    ///
    /// # Errors
    /// [`CartError`].
    pub fn with(&self, item: &ItemId, count: u16) -> Result<Cart, CartError> {
        let mut cart = self.clone();
        let known = cart.lines.iter().position(|line| line.item == *item);
        if known.is_none() && cart.lines.len() == CART_LINES_MAX {
            return Err(CartError::Full);
        }
        let at = known.unwrap_or_else(|| {
            cart.lines.push(Line { item: item.clone(), count: 0 });
            cart.lines.len() - 1
        });
        let line = &mut cart.lines[at];
        line.count =
            line.count.checked_add(count).filter(|all| (1..=COUNT_MAX).contains(all)).ok_or(CartError::Count)?;
        Ok(cart)
    }

    /// What it costs, in hundredths.
    ///
    /// # Errors
    /// The first item that is not for sale.
    pub fn total(&self, catalogue: &Catalogue) -> Result<u64, ItemId> {
        let cost = |line: &Line| {
            let item = catalogue.find(&line.item).ok_or_else(|| line.item.clone())?;
            Ok(item.price * u64::from(line.count))
        };
        self.lines.iter().map(cost).sum()
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        written(CART_LEN_MAX, |writer| self.emit(writer))
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(&self.id.0)?;
        self.lines.iter().try_for_each(|Line { item, count }| {
            writer.prefixed(item.as_str().as_bytes())?;
            writer.u16(*count)
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(bytes: &[u8]) -> Result<Cart, Malformed> {
        let mut reader = Reader::new(bytes);
        let mut cart = Cart::new(CartId(reader.array()?));
        while !reader.is_empty() {
            let item = core::str::from_utf8(reader.prefixed(ITEM_ID_MAX)?).map_err(|_| Malformed)?;
            let item = ItemId::parse(item).map_err(|_| Malformed)?;
            let known = cart.lines.len();
            cart = cart.with(&item, reader.u16()?).map_err(|_| Malformed)?;
            if cart.lines.len() == known {
                return Err(Malformed);
            }
        }
        Ok(cart)
    }
}

/// Whether a sealed receipt is of that sealed cart, as far as who cannot open them sees: what is sealed is the same.
pub fn is_receipt_of(receipt: &[u8], cart: &[u8]) -> bool {
    fn sealed(token: &[u8]) -> Option<&[u8]> {
        token.split_last_chunk::<TAG_LEN>().map(|(sealed, _)| sealed)
    }
    sealed(cart).is_some() && sealed(receipt) == sealed(cart)
}

/// What seals carts and receipts: who has it makes receipts.
#[derive(Debug)]
pub struct Seal(Secret32);

const OF_CARTS: u8 = 1;
const OF_RECEIPTS: u8 = 2;

impl Seal {
    /// With a secret.
    pub const fn new(secret: Secret32) -> Seal {
        Seal(secret)
    }

    fn tag(&self, of: u8, bytes: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(self.0.expose());
        hasher.update(&[of]).update(bytes);
        let mut tag = [0; 32];
        tag[..TAG_LEN].copy_from_slice(&hasher.finalize().as_bytes()[..TAG_LEN]);
        blake3::Hash::from_bytes(tag)
    }

    fn seal(&self, of: u8, cart: &Cart) -> Vec<u8> {
        let bytes = cart.to_bytes();
        [&bytes[..], &self.tag(of, &bytes).as_bytes()[..TAG_LEN]].concat()
    }

    fn open(&self, of: u8, token: &[u8]) -> Option<Cart> {
        let (bytes, shown) = token.split_last_chunk::<TAG_LEN>()?;
        let mut tag = [0; 32];
        tag[..TAG_LEN].copy_from_slice(shown);
        // Hashes are compared in constant time.
        (self.tag(of, bytes) == blake3::Hash::from_bytes(tag)).then(|| Cart::parse(bytes).ok())?
    }

    /// A cart for its client.
    pub fn cart(&self, cart: &Cart) -> Vec<u8> {
        self.seal(OF_CARTS, cart)
    }

    /// The cart of a client; nothing if it was not sealed here.
    pub fn open_cart(&self, token: &[u8]) -> Option<Cart> {
        self.open(OF_CARTS, token)
    }

    /// That a cart was paid.
    pub fn receipt(&self, cart: &Cart) -> Vec<u8> {
        self.seal(OF_RECEIPTS, cart)
    }

    /// The cart that was paid; nothing if this is no receipt of this shop.
    pub fn open_receipt(&self, token: &[u8]) -> Option<Cart> {
        self.open(OF_RECEIPTS, token)
    }
}
