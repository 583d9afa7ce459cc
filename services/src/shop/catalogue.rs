//! What is for sale.

use core::fmt;

use crate::files::{SafePath, UnsafePath};

/// Longest catalogue, in bytes.
pub const CATALOGUE_LEN_MAX: u64 = 16 << 20;
/// Longest id of an item, in bytes.
pub const ITEM_ID_MAX: usize = 24;
/// Longest name of an item, in bytes.
pub const ITEM_NAME_MAX: usize = 128;
/// Highest price, in hundredths: a cart of the dearest has a sum.
pub const PRICE_MAX: u64 = 1_000_000_000;
/// Items that a search brings at once: the next begin where it says.
pub const PAGE: usize = 32;

/// The id of an item: letters, digits, `-`, `_` and `.`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ItemId(String);

impl ItemId {
    /// Checks a text.
    ///
    /// # Errors
    /// [`CatalogueError::Id`].
    pub fn parse(text: &str) -> Result<ItemId, CatalogueError> {
        let is_plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
        let is_id = (1..=ITEM_ID_MAX).contains(&text.len()) && text.bytes().all(is_plain);
        if is_id { Ok(ItemId(text.to_owned())) } else { Err(CatalogueError::Id) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// As wide as it is asked to be, for columns.
impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Something for sale.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What it is ordered by.
    pub id: ItemId,
    /// Hundredths of the shop's currency.
    pub price: u64,
    /// For people.
    pub name: String,
    /// Of digital goods: where they are, below the folder of the catalogue.
    pub file: Option<SafePath>,
}

/// All that is for sale, in the order of its file.
#[derive(Clone, Debug)]
pub struct Catalogue {
    items: Vec<Item>,
    version: u64,
}

/// Why a text is no catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CatalogueError {
    /// An id.
    #[error("an id has 1 to {ITEM_ID_MAX} letters, digits, - _ and .")]
    Id,
    /// Two items of one id.
    #[error("an item before it has the same id")]
    Twice,
    /// A price.
    #[error("a price is a number such as 12.50, of at most ten million")]
    Price,
    /// A name.
    #[error("a name has 1 to {ITEM_NAME_MAX} bytes and no control characters")]
    Name,
    /// The path of digital goods.
    #[error(transparent)]
    File(#[from] UnsafePath),
    /// Too few or too many fields.
    #[error("a line is ID, PRICE, NAME and perhaps FILE, with one tabulator between them")]
    Fields,
}

impl Catalogue {
    /// Reads one: a line for each item, of its id, price, name and perhaps file, with tabulators between them. Empty
    /// lines, and those that begin with `#`, are left out.
    ///
    /// # Errors
    /// The number of the first line that is none, and why.
    pub fn parse(text: &str) -> Result<Catalogue, (usize, CatalogueError)> {
        let (mut items, mut ids) = (Vec::new(), std::collections::BTreeSet::new());
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        for (number, line) in lines {
            let item = item(line).map_err(|error| (number, error))?;
            if !ids.insert(item.id.clone()) {
                return Err((number, CatalogueError::Twice));
            }
            items.push(item);
        }
        let hash = blake3::hash(text.as_bytes());
        let version = u64::from_be_bytes(*hash.as_bytes().first_chunk().expect("a hash is longer"));
        Ok(Catalogue { items, version })
    }

    /// What tells it from others.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// How many items there are.
    pub const fn count(&self) -> usize {
        self.items.len()
    }

    /// The item of an id.
    pub fn find(&self, id: &ItemId) -> Option<&Item> {
        self.items.iter().find(|item| item.id == *id)
    }

    /// The item at a place, as [`search`](Self::search) tells it.
    pub fn at(&self, place: u32) -> Option<&Item> {
        self.items.get(place as usize)
    }

    /// The items with all words of a query in their name or id, from that position among them on, each with its place.
    pub fn search<'a>(&'a self, query: &str, position: u64) -> impl Iterator<Item = (u32, &'a Item)> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let is_found = move |(_, item): &(u32, &Item)| {
            let (name, id) = (item.name.to_lowercase(), item.id.as_str().to_lowercase());
            words.iter().all(|word| name.contains(word) || id.contains(word))
        };
        (0..).zip(&self.items).filter(is_found).skip(usize::try_from(position).unwrap_or(usize::MAX))
    }
}

fn item(line: &str) -> Result<Item, CatalogueError> {
    let fields: Vec<&str> = line.trim_end_matches('\r').split('\t').collect();
    let (id, price_text, name, file) = match fields[..] {
        [id, price, name] => (id, price, name, None),
        [id, price, name, file] => (id, price, name, Some(file)),
        _ => return Err(CatalogueError::Fields),
    };
    if name.is_empty() || name.len() > ITEM_NAME_MAX || name.contains(char::is_control) {
        return Err(CatalogueError::Name);
    }
    let file = file.map(SafePath::parse).transpose()?.filter(|file| !file.is_root());
    let price = hundredths(price_text).filter(|price| *price <= PRICE_MAX).ok_or(CatalogueError::Price)?;
    Ok(Item { id: ItemId::parse(id)?, price, name: name.to_owned(), file })
}

fn hundredths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.len() <= 12 && text.bytes().all(|c| c.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 2 {
        return None;
    }
    let part: u64 = format!("{part:0<2}").parse().ok()?;
    Some(whole.parse::<u64>().ok()? * 100 + part)
}

/// A sum of hundredths, as people write it.
pub fn price(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
