//! What asks a shop for something, and what it says.

use tng_wire::{Full, Malformed, Reader, VARINT_MAX, Writer};

use super::cart::{CART_LINES_MAX, CartId, Line, TOKEN_LEN_MAX};
use super::catalogue::{ITEM_ID_MAX, ITEM_NAME_MAX, ItemId, PAGE};
use crate::stateless::written;

/// Longest query, in bytes.
pub const QUERY_MAX: usize = 128;
/// Most bytes of what asks for anything but a cart.
pub const ASKING_MAX: usize = 1 + 8 + 1 + ITEM_ID_MAX + 2 + TOKEN_LEN_MAX;
/// Adds that one request may bring: what is more comes with the next, and with the cart that these have made.
pub const ADDS_PER_REQUEST_MAX: usize = 4;

const SEARCH: u8 = 1;
const CART: u8 = 2;
const CHECKOUT: u8 = 3;
const GOODS: u8 = 4;

/// What asks for an object: the bytes of its PUT.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asking {
    /// What there is, from a position in the results on: the answer is [`Found`].
    Search {
        /// So many results are left out.
        position: u64,
        /// Words.
        query: String,
    },
    /// To buy what is in a sealed cart: the answer is [`Paid`].
    Checkout {
        /// The cart.
        cart: Vec<u8>,
    },
    /// Digital goods, from that byte on first: the answer is their bytes.
    Goods {
        /// The first byte.
        start: u64,
        /// The item.
        item: ItemId,
        /// That it was bought.
        receipt: Vec<u8>,
    },
}

impl Asking {
    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        written(ASKING_MAX.max(1 + 8 + QUERY_MAX), |writer| match self {
            Asking::Search { position, query } => {
                writer.u8(SEARCH)?;
                writer.varint((*position).min(VARINT_MAX))?;
                writer.bytes(&query.as_bytes()[..query.floor_char_boundary(QUERY_MAX)])
            }
            Asking::Checkout { cart } => {
                writer.u8(CHECKOUT)?;
                writer.bytes(cart)
            }
            Asking::Goods { start, item, receipt } => {
                writer.u8(GOODS)?;
                writer.varint((*start).min(VARINT_MAX))?;
                writer.prefixed(item.as_str().as_bytes())?;
                writer.bytes(receipt)
            }
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(bytes: &[u8]) -> Result<Asking, Malformed> {
        let mut reader = Reader::new(bytes);
        Ok(match reader.u8()? {
            SEARCH => {
                let position = reader.varint()?;
                let query = core::str::from_utf8(reader.rest()).map_err(|_| Malformed)?;
                if query.len() > QUERY_MAX {
                    return Err(Malformed);
                }
                Asking::Search { position, query: query.to_owned() }
            }
            CHECKOUT => Asking::Checkout { cart: token(&mut reader)? },
            GOODS => {
                let start = reader.varint()?;
                Asking::Goods { start, item: item(&mut reader)?, receipt: token(&mut reader)? }
            }
            _ => return Err(Malformed),
        })
    }

    /// What asks for a cart with more in it: a cart that is new or sealed, and what is added to it, one by one.
    pub fn cart(cart: Result<&[u8], CartId>, adds: &[Add]) -> Vec<u8> {
        let token = cart.unwrap_or_default();
        written(1 + 2 + TOKEN_LEN_MAX + CartId::LEN + adds.len() * Add::LEN_MAX, |writer| {
            writer.u8(CART)?;
            writer.prefixed(token)?;
            if let Err(id) = cart {
                writer.bytes(&id.0)?;
            }
            adds.iter().try_for_each(|add| add.emit(writer))
        })
    }

    /// Whether that is how bytes begin.
    pub fn is_of_cart(bytes: &[u8]) -> bool {
        bytes.first() == Some(&CART)
    }

    /// Reads how it begins: a sealed cart, or the id of a new one. Nothing if it asks for something else.
    ///
    /// # Errors
    /// [`Malformed`], also if not all of it has come.
    pub fn parse_cart<'a>(reader: &mut Reader<'a>) -> Result<Option<Result<&'a [u8], CartId>>, Malformed> {
        if reader.u8()? != CART {
            return Ok(None);
        }
        let token = reader.prefixed(TOKEN_LEN_MAX)?;
        Ok(Some(if token.is_empty() { Err(CartId(reader.array()?)) } else { Ok(token) }))
    }
}

fn token(reader: &mut Reader<'_>) -> Result<Vec<u8>, Malformed> {
    let token = reader.rest();
    if token.len() > TOKEN_LEN_MAX { Err(Malformed) } else { Ok(token.to_vec()) }
}

fn item(reader: &mut Reader<'_>) -> Result<ItemId, Malformed> {
    let text = core::str::from_utf8(reader.prefixed(ITEM_ID_MAX)?).map_err(|_| Malformed)?;
    ItemId::parse(text).map_err(|_| Malformed)
}

/// So many of an item, to be put into a cart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Add {
    /// The item.
    pub item: ItemId,
    /// How many.
    pub count: u16,
}

impl Add {
    /// Longest, in bytes.
    pub const LEN_MAX: usize = 1 + ITEM_ID_MAX + 2;

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.prefixed(self.item.as_str().as_bytes())?;
        writer.u16(self.count)
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`Malformed`], also if not all of it has come.
    pub fn parse(reader: &mut Reader<'_>) -> Result<Add, Malformed> {
        Ok(Add { item: item(reader)?, count: reader.u16()? })
    }
}

/// What a search finds: [`PAGE`] items at most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where the next begin, if there are more.
    pub next: Option<u64>,
    /// For each: its id, price in hundredths, whether it is digital, and name.
    pub items: Vec<(ItemId, u64, bool, String)>,
}

impl Found {
    /// Longest, in bytes.
    pub const LEN_MAX: usize = 1 + 8 + PAGE * (1 + ITEM_ID_MAX + 8 + 1 + 2 + ITEM_NAME_MAX);

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        written(Found::LEN_MAX, |writer| {
            writer.u8(self.next.is_some().into())?;
            writer.varint(self.next.unwrap_or(0))?;
            self.items.iter().try_for_each(|(id, price, is_digital, name)| {
                writer.prefixed(id.as_str().as_bytes())?;
                writer.varint(*price)?;
                writer.u8((*is_digital).into())?;
                writer.prefixed(name.as_bytes())
            })
        })
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(bytes: &[u8]) -> Result<Found, Malformed> {
        let mut reader = Reader::new(bytes);
        let (has_next, next) = (reader.u8()?, reader.varint()?);
        let mut items = Vec::new();
        while !reader.is_empty() {
            let (id, price, is_digital) = (item(&mut reader)?, reader.varint()?, reader.u8()?);
            let name = core::str::from_utf8(reader.prefixed(ITEM_NAME_MAX)?).map_err(|_| Malformed)?;
            items.push((id, price, is_digital == 1, name.to_owned()));
        }
        let is_whole = has_next <= 1 && items.len() <= PAGE && (has_next == 1 || next == 0);
        if is_whole { Ok(Found { next: (has_next == 1).then_some(next), items }) } else { Err(Malformed) }
    }
}

/// A cart, as its client is told of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Basket {
    /// What it costs, in hundredths.
    pub total: u64,
    /// It, sealed.
    pub token: Vec<u8>,
    /// What is in it.
    pub lines: Vec<Line>,
}

impl Basket {
    /// Longest, in bytes.
    pub const LEN_MAX: usize = 8 + 2 + TOKEN_LEN_MAX + CART_LINES_MAX * Add::LEN_MAX;

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        written(Basket::LEN_MAX, |writer| {
            writer.varint(self.total)?;
            writer.prefixed(&self.token)?;
            self.lines.iter().try_for_each(|Line { item, count }| {
                writer.prefixed(item.as_str().as_bytes())?;
                writer.u16(*count)
            })
        })
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(bytes: &[u8]) -> Result<Basket, Malformed> {
        let mut reader = Reader::new(bytes);
        let (total, token) = (reader.varint()?, reader.prefixed(TOKEN_LEN_MAX)?.to_vec());
        let mut lines = Vec::new();
        while !reader.is_empty() {
            let Add { item, count } = Add::parse(&mut reader)?;
            lines.push(Line { item, count });
        }
        if lines.len() > CART_LINES_MAX { Err(Malformed) } else { Ok(Basket { total, token, lines }) }
    }
}

/// That a cart was paid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paid {
    /// What was taken for it, in hundredths.
    pub total: u64,
    /// When, in seconds since 1970.
    pub at_s: u64,
    /// What opens the digital goods in it.
    pub receipt: Vec<u8>,
}

impl Paid {
    /// Longest, in bytes.
    pub const LEN_MAX: usize = 8 + 8 + TOKEN_LEN_MAX;

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        written(Paid::LEN_MAX, |writer| {
            writer.varint(self.total)?;
            writer.varint(self.at_s)?;
            writer.bytes(&self.receipt)
        })
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(bytes: &[u8]) -> Result<Paid, Malformed> {
        let mut reader = Reader::new(bytes);
        let (total, at_s) = (reader.varint()?, reader.varint()?);
        Ok(Paid { total, at_s, receipt: token(&mut reader)? })
    }
}
