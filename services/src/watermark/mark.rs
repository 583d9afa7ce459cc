//! Whose mark an image has.

use core::fmt;

use tng_crypto::Secret32;

use super::coder::{Coder, Sink, Spot};
use super::{Image, ImageError};

/// Longest name of a client, in bytes.
pub const NAME_MAX: usize = 64;
/// Bytes of what proves a name.
pub const TAG_LEN: usize = 8;
/// A mark repeats itself after so many rows of MCUs: a reader need not know which of an image it has.
pub const MARK_ROWS: u32 = 8;
/// Blocks that can hold a bit, at least, of an image that is served or read.
pub const CARRIERS_MIN: u32 = 256;
/// So many hundredths of a mark, at least, are found where it is: of another one hardly ever a third.
pub const SCORE_MIN_PERCENT: u32 = 50;
/// MCUs side by side whose bits come of one hash.
const GROUP: u32 = 32;
/// Bits that each of them has: a block beyond takes that of another.
const BITS_EACH: u32 = 8;
/// What is hashed stands behind one of these.
const OF_TAGS: u8 = 1;
const OF_MARKS: u8 = 2;

/// The secret that marks come from.
#[derive(Debug)]
pub struct Marks(Secret32);

/// The mark of a client.
#[derive(Clone, PartialEq, Eq)]
pub struct Mark([u8; 32]);

/// Why something is no name of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a name has 1 to {NAME_MAX} letters, digits, - and _")]
pub struct NameError;

impl Marks {
    /// The marks of a secret.
    pub const fn new(secret: Secret32) -> Marks {
        Marks(secret)
    }

    fn hash(&self, of: u8, name: &str) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(self.0.expose());
        hasher.update(&[of]).update(name.as_bytes());
        hasher.finalize()
    }

    fn tag(&self, name: &str) -> String {
        self.hash(OF_TAGS, name).to_hex()[..2 * TAG_LEN].to_owned()
    }

    /// The folder in which a client finds its images: its name, and what proves that it was given to it.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn folder(&self, name: &str) -> Result<String, NameError> {
        is_name(name).then(|| format!("{name}.{}", self.tag(name))).ok_or(NameError)
    }

    /// The name that a folder stands for, and its mark; nothing if the folder was not given to anybody.
    pub fn of_folder<'f>(&self, folder: &'f str) -> Option<(&'f str, Mark)> {
        let (name, tag) = folder.rsplit_once('.')?;
        let whole = |tag: &str| Some(blake3::Hash::from_bytes(*tag.as_bytes().first_chunk::<{ 4 * TAG_LEN }>()?));
        // Hashes are compared in constant time.
        let (shown, known) = (format!("{tag:0>32}"), format!("{:0>32}", self.tag(name)));
        let is_right = tag.len() == 2 * TAG_LEN && whole(&shown) == whole(&known);
        (is_name(name) && is_right).then(|| (name, self.mark(name)))
    }

    /// The mark of a name.
    pub fn mark(&self, name: &str) -> Mark {
        Mark(*self.hash(OF_MARKS, name).as_bytes())
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_plain)
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mark").finish_non_exhaustive()
    }
}

/// The bits of a mark, as they are needed.
pub(super) struct Pattern<'a> {
    mark: &'a Mark,
    /// For which row and group of columns.
    of: Option<(u32, u32)>,
    bits: [u8; 32],
}

impl<'a> Pattern<'a> {
    pub(super) const fn new(mark: &'a Mark) -> Pattern<'a> {
        Pattern { mark, of: None, bits: [0; 32] }
    }

    /// The bit for a place.
    pub(super) fn bit(&mut self, spot: Spot) -> u8 {
        let of = (spot.row % MARK_ROWS, spot.column / GROUP);
        if self.of != Some(of) {
            let place = [of.0.to_be_bytes(), of.1.to_be_bytes()].concat();
            self.bits = *blake3::keyed_hash(&self.mark.0, &place).as_bytes();
            self.of = Some(of);
        }
        let at = (spot.column % GROUP) * BITS_EACH + u32::from(spot.block) % BITS_EACH;
        self.bits[at as usize / 8] >> (at % 8) & 1
    }
}

/// The bits that an image holds, before it is known whose they are.
#[derive(Clone, Debug)]
pub struct Seen {
    /// For each row of the mark, column and block: how many ones more than zeros.
    sums: Vec<i32>,
    columns: u32,
    /// How many there are.
    carriers: u32,
}

/// Whose mark an image has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<'a> {
    /// The name.
    pub name: &'a str,
    /// How much of the mark agrees, in hundredths: 0 where there is none, 100 where nothing was changed.
    pub percent: u32,
}

/// Why it is not known whose mark an image has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unread {
    /// It has too few blocks that could hold one.
    #[error("too little is left of it: {0} of its blocks can hold a mark, {CARRIERS_MIN} are needed")]
    TooPlain(u32),
    /// It has none that is known.
    #[error(
        "it has the mark of none of the names: {percent} of 100 parts agree at most, {SCORE_MIN_PERCENT} are needed"
    )]
    Nobody {
        /// How much of the likeliest.
        percent: u32,
    },
}

impl Sink for Seen {
    fn bits(&mut self, _: u16, _: u8) {}

    fn carrier(&mut self, spot: Spot, bit: u8, _: [u8; 2]) -> u8 {
        let at = ((spot.row % MARK_ROWS) * self.columns + spot.column) * BITS_EACH + u32::from(spot.block) % BITS_EACH;
        self.sums[at as usize] += if bit == 1 { 1 } else { -1 };
        self.carriers += 1;
        bit
    }
}

/// Reads the bits of an image.
///
/// # Errors
/// [`ImageError`], if it is damaged.
pub fn look(image: &Image) -> Result<Seen, ImageError> {
    let columns = image.columns;
    let mut seen = Seen { sums: vec![0; (MARK_ROWS * columns * BITS_EACH) as usize], columns, carriers: 0 };
    let mut coder = Coder::new(image, 0, 0);
    while !coder.is_over() {
        coder.code(&mut seen)?;
    }
    coder.end()?;
    Ok(seen)
}

impl Seen {
    /// How many bits there are.
    pub const fn carriers(&self) -> u32 {
        self.carriers
    }

    /// How much of a mark agrees, in hundredths, whatever rows of MCUs are missing above.
    pub fn percent(&self, mark: &Mark) -> u32 {
        let mut pattern = Pattern::new(mark);
        let spots = (0..MARK_ROWS).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        let bits = spots.flat_map(|(row, column)| (0..BITS_EACH as u8).map(move |block| Spot { row, column, block }));
        let signs: Vec<i32> = bits.map(|spot| 2 * i32::from(pattern.bit(spot)) - 1).collect();
        let row = (self.columns * BITS_EACH) as usize;
        let agree = |missing: usize| {
            let signs = signs[missing * row..].iter().chain(&signs[..missing * row]);
            self.sums.iter().zip(signs).map(|(sum, sign)| i64::from(sum * sign)).sum::<i64>()
        };
        let best = (0..MARK_ROWS as usize).map(agree).max().unwrap_or_default();
        (100 * best.max(0) / i64::from(self.carriers.max(1))) as u32
    }

    /// Whose mark it is, of these names.
    ///
    /// # Errors
    /// [`Unread`].
    pub fn find<'n>(&self, marks: &Marks, names: impl IntoIterator<Item = &'n str>) -> Result<Found<'n>, Unread> {
        if self.carriers < CARRIERS_MIN {
            return Err(Unread::TooPlain(self.carriers));
        }
        let found = names.into_iter().map(|name| Found { name, percent: self.percent(&marks.mark(name)) });
        let best = found.max_by_key(|found| found.percent);
        match best {
            Some(found) if found.percent >= SCORE_MIN_PERCENT => Ok(found),
            best => Err(Unread::Nobody { percent: best.map_or(0, |best| best.percent) }),
        }
    }
}
