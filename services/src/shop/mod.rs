//! A shop without state (Trickles 7.1), as plain values: what is for sale, carts that lie with their clients, and what
//! asks for each (docs/wire.md section 6.3).
//!
//! A cart is sealed and given to the client, so that adding to it is a function of the cart and of what is added: the
//! same again makes the same cart. What must not be done twice is to take the money; a server remembers orders for
//! that. Their receipts are sealed carts again, and open what was bought.
mod cart;
mod catalogue;
mod wire;

pub use cart::{
    CART_LEN_MAX, CART_LINES_MAX, COUNT_MAX, Cart, CartError, CartId, Line, Seal, TOKEN_LEN_MAX, is_receipt_of,
};
pub use catalogue::{
    CATALOGUE_LEN_MAX, Catalogue, CatalogueError, ITEM_ID_MAX, ITEM_NAME_MAX, Item, ItemId, PAGE, PRICE_MAX, price,
};
pub use wire::{ADDS_PER_REQUEST_MAX, ASKING_MAX, Add, Asking, Basket, Found, Paid, QUERY_MAX};

/// The protocol's name. Nobody says it on the wire: who serves without state serves this, or another.
pub const PROTOCOL: &str = "tng-trickles-shop/1";

#[cfg(test)]
mod tests;
