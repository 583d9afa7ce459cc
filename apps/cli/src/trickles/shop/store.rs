//! Orders: the one thing that a shop remembers, so that a cart is paid once.
//!
//! One file, to which each order is a line. Several servers may have it: who writes holds its lock, and reads first
//! what others have written.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use tng_services::shop::{Cart, CartId, Seal};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::hex::hex;
use crate::key::make_private_folder;
use crate::secret::SecretFile;
use crate::talk::shown;

/// Orders that a store holds, at most; then it is moved away, and a new one begun.
pub const ORDERS_MAX: usize = 1 << 20;
/// What seals the carts of a store: all servers that have it share it.
const SECRET: SecretFile =
    SecretFile { what: "the secret of the shop", prefix: "tngshop1 ", name: "secret", remedy: "another --store DIR" };
/// Bytes of an order: id and digest of the cart, total, time, check, four blanks and the end of the line.
const LINE_LEN: usize = 32 + 32 + 16 + 16 + 16 + 5;
/// Lines that are read at once.
const LINES_AT_ONCE: usize = 1_024;

/// An order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// What of the cart tells it from others.
    digest: [u8; 16],
    /// What was taken for it, in hundredths.
    pub total: u64,
    /// When, in seconds since 1970.
    pub at_s: u64,
}

/// Why an order is not taken.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The cart was paid when something else was in it.
    #[error("this cart was paid already, when something else was in it; begin another")]
    PaidOtherwise,
    /// There are as many orders as a store holds.
    #[error("the store holds {ORDERS_MAX} orders; move it away and begin another")]
    Full,
    /// What is in it was not written by a shop.
    #[error("the store is damaged at byte {0}; mend it or begin another")]
    Damaged(u64),
    /// The disk fails: nothing was taken.
    #[error(transparent)]
    Disk(#[from] io::Error),
}

/// The orders in a folder.
#[derive(Debug)]
pub struct Store {
    file: File,
    /// Those that were read, and where the next begins.
    orders: BTreeMap<CartId, Order>,
    read_to: u64,
}

impl Store {
    /// The store in a folder, which is made if it is not there, and what seals its carts.
    ///
    /// # Errors
    /// If it cannot be made, read or trusted.
    pub fn open(folder: &Path) -> Result<(Store, Seal), Failure> {
        let what = || format!("opening the store in {}", shown(folder));
        make_private_folder(folder).map_err(|error| Failure::write(what(), &error))?;
        let seal = Seal::new(SECRET.load_or_create(&folder.join(SECRET.name))?);
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).mode(0o600).open(folder.join("orders"));
        let file = file.map_err(|error| Failure::write(what(), &error))?;
        let mut store = Store { file, orders: BTreeMap::new(), read_to: 0 };
        let read = store.locked(Store::catch_up);
        read.map_err(|error| Failure::new(Exit::Read, what(), error).or_try("another --store DIR"))?;
        Ok((store, seal))
    }

    /// How many orders are known here.
    pub fn count(&self) -> usize {
        self.orders.len()
    }

    /// The order of a cart that was paid, as far as it was read here.
    ///
    /// # Errors
    /// [`StoreError::PaidOtherwise`].
    pub fn known(&self, cart: &Cart) -> Result<Option<Order>, StoreError> {
        match self.orders.get(&cart.id) {
            Some(order) if order.digest != digest(cart) => Err(StoreError::PaidOtherwise),
            order => Ok(order.copied()),
        }
    }

    /// Takes `total` for a cart now, or says that it was taken: once, however often and wherever this is asked.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn check_out(&mut self, cart: &Cart, total: u64, now_s: u64) -> Result<Order, StoreError> {
        let order = Order { digest: digest(cart), total, at_s: now_s };
        self.locked(|store| {
            if !store.orders.contains_key(&cart.id) {
                // Another server may have taken it.
                store.catch_up()?;
            }
            if let Some(known) = store.known(cart)? {
                return Ok(known);
            }
            if store.orders.len() >= ORDERS_MAX {
                return Err(StoreError::Full);
            }
            store.append(&line(cart.id, &order))?;
            store.orders.insert(cart.id, order);
            Ok(order)
        })
    }

    /// Does something while nobody else has the file.
    fn locked<T>(&mut self, work: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.file.lock()?;
        let done = work(self);
        self.file.unlock()?;
        done
    }

    /// Reads what others have written. What the last of them has not written to its end was not taken: it goes away.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        let len = self.file.metadata()?.len();
        if len < self.read_to {
            return Err(StoreError::Damaged(len));
        }
        let mut lines = vec![0; LINE_LEN * LINES_AT_ONCE];
        while self.read_to + LINE_LEN as u64 <= len {
            let most = ((len - self.read_to) as usize / LINE_LEN * LINE_LEN).min(lines.len());
            self.file.read_exact_at(&mut lines[..most], self.read_to)?;
            for line in lines[..most].chunks(LINE_LEN) {
                let Some((id, order)) = parse(line) else {
                    // A line of zeros, as some file systems leave it where power failed.
                    if self.read_to + LINE_LEN as u64 == len {
                        break;
                    }
                    return Err(StoreError::Damaged(self.read_to));
                };
                self.orders.insert(id, order);
                self.read_to += LINE_LEN as u64;
            }
            if self.read_to + LINE_LEN as u64 == len {
                break;
            }
        }
        if self.read_to < len {
            self.file.set_len(self.read_to)?;
            self.file.sync_all()?;
        }
        Ok(())
    }

    /// Writes a line that is safe on the disk afterwards, or none.
    fn append(&mut self, line: &[u8]) -> Result<(), StoreError> {
        let written = io::Write::write_all(&mut self.file, line).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // If this fails as well, the next checkout cuts off what is not a whole line.
            let _ = self.file.set_len(self.read_to);
            return Err(error.into());
        }
        self.read_to += line.len() as u64;
        Ok(())
    }
}

fn digest(cart: &Cart) -> [u8; 16] {
    *blake3::hash(&cart.to_bytes()).as_bytes().first_chunk().expect("a hash is longer")
}

fn check(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

fn line(id: CartId, order: &Order) -> Vec<u8> {
    let text = format!("{} {} {:016x} {:016x}", hex(&id.0), hex(&order.digest), order.total, order.at_s);
    format!("{text} {}\n", check(&text)).into_bytes()
}

fn parse(line: &[u8]) -> Option<(CartId, Order)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (text, shown) = line.rsplit_once(' ')?;
    let fields: Vec<&str> = text.split(' ').collect();
    let [id, digest, total, at_s] = fields[..] else { return None };
    if shown != check(text) {
        return None;
    }
    let wide = |text: &str| u128::from_str_radix(text, 16).map(u128::to_be_bytes).ok();
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    Some((CartId(wide(id)?), Order { digest: wide(digest)?, total: number(total)?, at_s: number(at_s)? }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::thread;

    use tng_services::shop::ItemId;

    use super::*;

    fn cart(number: u8) -> Cart {
        Cart::new(CartId([number; 16])).with(&ItemId::parse("mug").expect("an id"), 1).expect("room")
    }

    fn open(folder: &tempfile::TempDir) -> Store {
        Store::open(&folder.path().join("store")).expect("a store").0
    }

    fn length(folder: &tempfile::TempDir) -> u64 {
        fs::metadata(folder.path().join("store/orders")).expect("there").len()
    }

    #[test]
    fn a_cart_is_paid_once_though_it_is_asked_a_thousand_times_and_by_eight_servers_at_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut stores: Vec<Store> = (0..8).map(|_| open(&folder)).collect();
        let orders: Vec<Vec<Order>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..)
                .zip(&mut stores)
                .map(|(which, store)| {
                    scope.spawn(move || {
                        let ask = |turn| store.check_out(&cart(turn as u8 % 5), 100 + which, which * 1_000 + turn);
                        (0..125).map(ask).map(|order| order.expect("taken")).collect()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(length(&folder), 5 * LINE_LEN as u64, "1,000 times, 5 carts");
        for turn in 0..125 {
            assert!(orders.iter().all(|of_one| of_one[turn] == orders[0][turn % 5]), "all are told the same");
        }
        assert_eq!(open(&folder).count(), 5);
    }

    #[test]
    fn what_was_paid_is_known_after_a_restart_and_another_cart_of_the_same_id_is_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let first = open(&folder).check_out(&cart(1), 1_250, 7).expect("taken");
        let mut store = open(&folder);
        // A price that has changed meanwhile changes nothing.
        assert_eq!(store.check_out(&cart(1), 9_999, 8).expect("known"), first);
        let other = cart(1).with(&ItemId::parse("pot").expect("an id"), 1).expect("room");
        assert!(matches!(store.check_out(&other, 1, 8), Err(StoreError::PaidOtherwise)));
        let path = folder.path().join("store/secret");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("changed");
        let failure = Store::open(&folder.path().join("store")).expect_err("others can read it");
        assert!(failure.remedy.contains("chmod 600"), "{failure}");
    }

    #[test]
    fn what_a_full_disk_has_no_room_for_is_not_taken_and_the_disk_is_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(open(&folder));
        let path = folder.path().join("store/orders");
        fs::remove_file(&path).expect("there");
        // A device that has no room, and cannot be cut back either.
        std::os::unix::fs::symlink("/dev/full", &path).expect("linked");
        let file = OpenOptions::new().read(true).append(true).open(&path).expect("a device");
        let mut store = Store { file, orders: BTreeMap::new(), read_to: 0 };
        for _ in 0..2 {
            let full = store.check_out(&cart(1), 1, 1).expect_err("no room");
            assert!(matches!(&full, StoreError::Disk(error) if error.kind() == io::ErrorKind::StorageFull), "{full}");
            assert_eq!((store.count(), store.read_to), (0, 0));
        }
    }

    #[test]
    fn a_line_that_a_crash_has_cut_was_not_taken_and_a_store_with_a_hole_is_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("store/orders");
        let mut store = open(&folder);
        for number in 1..=3 {
            store.check_out(&cart(number), 1, 1).expect("taken");
        }
        let whole = fs::read(&path).expect("there");
        for cut in 2 * LINE_LEN..whole.len() {
            fs::write(&path, &whole[..cut]).expect("written");
            let mut store = open(&folder);
            assert_eq!((store.count(), length(&folder)), (2, 2 * LINE_LEN as u64), "cut at {cut}");
            store.check_out(&cart(3), 1, 1).expect("taken");
            assert_eq!(fs::read(&path).expect("there"), whole);
        }
        let mut zeros = whole.clone();
        zeros[2 * LINE_LEN..].fill(0);
        fs::write(&path, &zeros).expect("written");
        assert_eq!(open(&folder).count(), 2, "zeros where the last was to be");
        let mut hole = whole.clone();
        hole[LINE_LEN + 3] ^= 1;
        fs::write(&path, &hole).expect("written");
        let failure = Store::open(&folder.path().join("store")).expect_err("a hole");
        assert!(failure.why.contains("damaged at byte"), "{failure}");
        // Somebody has cut it while a server has it open.
        fs::write(&path, &whole).expect("written");
        let mut store = open(&folder);
        fs::write(&path, b"").expect("written");
        assert!(matches!(store.check_out(&cart(9), 1, 1), Err(StoreError::Damaged(0))));
    }
}
