//! Buys from a shop that keeps nothing: the cart and the receipts lie here, in files.

use std::fs;
use std::path::{Path, PathBuf};

use tng::trickles::ClientConfig;
use tng::{Identity, ObjectReadError};
use tng_services::shop::{Add, Asking, Basket, CartId, Found, ItemId, Paid, TOKEN_LEN_MAX};
use tng_wire::Malformed;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::super::Stateless;
use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::READ_MAX;
use crate::hex::hex;
use crate::key::{KEY_FILE_MAX, read_private, write_over};
use crate::location::Location;
use crate::talk::shown;

/// Longest answer that comes in one piece: more is no answer of a shop.
const ANSWER_MAX: usize = Found::LEN_MAX + Basket::LEN_MAX + Paid::LEN_MAX;

/// Who buys.
#[derive(Debug)]
pub struct Buyer {
    host: Stateless,
}

impl Buyer {
    /// A client of a shop.
    ///
    /// # Errors
    /// If the location has no address, the system has no socket, or nobody answers in the time for that.
    pub async fn connect(
        identity: Identity,
        location: &Location,
        config: ClientConfig,
        time: TimeArgs,
    ) -> Result<Buyer, Failure> {
        Ok(Buyer { host: Stateless::reach(identity, location, config, time).await? })
    }

    /// What there is, from a position in the results on.
    ///
    /// # Errors
    /// It does not come, or is not what a shop may say.
    pub async fn search(&self, query: &str, position: u64) -> Result<Found, Failure> {
        let what = "searching";
        let asked = Asking::Search { position, query: query.to_owned() };
        read(what, Found::parse(&self.ask(what, asked.to_bytes()).await?))
    }

    /// The cart with more in it; nothing was done if this fails.
    ///
    /// # Errors
    /// As [`search`](Buyer::search), or if something is not for sale.
    pub async fn add(&self, cart: Result<&[u8], CartId>, adds: &[Add]) -> Result<Basket, Failure> {
        let what = "adding to the cart";
        read(what, Basket::parse(&self.ask(what, Asking::cart(cart, adds)).await?))
    }

    /// Buys what is in a cart, once, however often this is called.
    ///
    /// # Errors
    /// As [`search`](Buyer::search), or if it is not sold.
    pub async fn check_out(&self, cart: &[u8]) -> Result<Paid, Failure> {
        let what = "checking out";
        read(what, Paid::parse(&self.ask(what, Asking::Checkout { cart: cart.to_vec() }.to_bytes()).await?))
    }

    /// Fetches digital goods that were bought, and writes them. Answers how long they are.
    ///
    /// # Errors
    /// As [`search`](Buyer::search), or if it was not bought, or cannot be written.
    pub async fn fetch(
        &self,
        item: &ItemId,
        receipt: &[u8],
        out: &mut (impl AsyncWrite + Unpin),
    ) -> Result<u64, Failure> {
        let what = format!("fetching {item}");
        let asking = Asking::Goods { start: 0, item: item.clone(), receipt: receipt.to_vec() };
        let mut object = self.host.ask(&what, asking.to_bytes())?;
        let (mut piece, mut all) = (vec![0; READ_MAX], 0);
        loop {
            let len = self.heard(&what, object.read(&mut piece).await)?;
            if len == 0 {
                out.flush().await.map_err(|error| Failure::write(&*what, &error))?;
                return Ok(all);
            }
            out.write_all(&piece[..len]).await.map_err(|error| Failure::write(&*what, &error))?;
            all += len as u64;
        }
    }

    async fn ask(&self, what: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let mut object = self.host.ask(what, bytes)?;
        let (mut all, mut piece) = (Vec::new(), vec![0; READ_MAX]);
        loop {
            match self.heard(what, object.read(&mut piece).await)? {
                0 => return Ok(all),
                len => all.extend_from_slice(&piece[..len]),
            }
            if all.len() > ANSWER_MAX {
                return read(what, Err(Malformed));
            }
        }
    }

    fn heard<T>(&self, what: &str, read: Result<T, ObjectReadError>) -> Result<T, Failure> {
        read.map_err(|error| self.host.failure(what.to_owned(), error))
    }
}

fn read<T>(what: &str, read: Result<T, Malformed>) -> Result<T, Failure> {
    read.map_err(|Malformed| {
        Failure::new(Exit::Protocol, what, "the answer is not that of a shop")
            .or_try("the address of a `tng trickles shop serve`, or update the older of the two programs")
    })
}

/// A file with a cart or a receipt: one line, for its owner alone.
#[derive(Clone, Debug)]
pub struct CartFile {
    path: PathBuf,
    prefix: &'static str,
}

impl CartFile {
    /// One with a cart.
    pub fn cart(path: &Path) -> CartFile {
        CartFile { path: path.to_owned(), prefix: "tngcart1" }
    }

    /// One with a receipt.
    pub fn receipt(path: &Path) -> CartFile {
        CartFile { path: path.to_owned(), prefix: "tngreceipt1" }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it; nothing if it is not there.
    ///
    /// # Errors
    /// If it cannot be read, trusted or understood.
    pub fn load(&self) -> Result<Option<Vec<u8>>, Failure> {
        if !self.path.exists() {
            return Ok(None);
        }
        let what = || format!("reading {}", shown(&self.path));
        const _: () = assert!(16 + 2 * TOKEN_LEN_MAX as u64 <= KEY_FILE_MAX, "it is read whole");
        read_private(&self.path, what, "cart", |text| {
            let token = text.trim_end().strip_prefix(self.prefix).and_then(|rest| rest.strip_prefix(' '));
            token.and_then(bytes).map(Some).ok_or_else(|| {
                Failure::new(Exit::Read, what(), format!("it is no line that begins with {}", self.prefix))
                    .or_try("the file that `tng trickles shop` has written, or move it away for a new one")
            })
        })
    }

    /// Writes it anew: who looks sees the old one or the new.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store(&self, token: &[u8]) -> Result<(), Failure> {
        write_over(&self.path, &format!("{} {}", self.prefix, hex(token)))
            .map_err(|error| Failure::write(format!("writing {}", shown(&self.path)), &error))
    }

    /// Takes it away, if it is there.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn remove(&self) -> Result<(), Failure> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::write(format!("removing {}", shown(&self.path)), &error))
            }
            _ => Ok(()),
        }
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let is_hex = hex.len().is_multiple_of(2) && hex.len() <= 2 * TOKEN_LEN_MAX && hex.is_ascii();
    let at = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok();
    is_hex.then(|| (0..hex.len() / 2).map(at).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cart_is_read_as_it_was_written_and_is_no_receipt() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("cart");
        let cart = CartFile::cart(&path);
        assert_eq!(cart.load().expect("none"), None);
        for token in [vec![0xab; TOKEN_LEN_MAX], vec![1, 2, 3]] {
            cart.store(&token).expect("written");
            assert_eq!(cart.load().expect("read"), Some(token));
        }
        let failure = CartFile::receipt(&path).load().expect_err("a cart");
        assert!(failure.why.contains("tngreceipt1") && !failure.remedy.is_empty(), "{failure}");
        fs::write(&path, "tngcart1 0g").expect("written");
        assert!(cart.load().is_err());
        cart.remove().and_then(|()| cart.remove()).expect("gone");
    }
}
