//! `tng trickles shop`: sells, and buys, while the shop remembers orders alone.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tng_services::shop::{
    Add, CATALOGUE_LEN_MAX, COUNT_MAX, CartId, Catalogue, ItemId, Line, QUERY_MAX, is_receipt_of, price,
};
use tokio::io::AsyncWriteExt;

use super::application::ApplicationArgs;
use super::seals::AskedSeals;
use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{Own, Root};
use crate::key::{KeyArgs, folder_of};
use crate::location::{Location, LocationParser};
use crate::signals::{stopped, stopped_failure};
use crate::talk::{Talk, bytes, shown};
use crate::trickles::Keeper;
use crate::trickles::shop::{Buyer, CartFile, Shop, Store};

/// Shown before everything else in `tng trickles shop --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles shop serve --catalogue goods/catalogue --store orders
        sell what a file lists, and store the orders in a folder
  tng trickles shop search @FILE blue mug
        search; FILE holds a ticket
  tng trickles shop add @FILE --cart cart mug=2 song-1
        two mugs and a song into the cart, a local file
  tng trickles shop checkout @FILE --cart cart --receipt receipt
        buy the cart, once, however often this is run
  tng trickles shop fetch @FILE --receipt receipt -o music song-1
        download digital goods that were bought";

const SERVE_EXAMPLES: &str = "\
Examples:
  tng trickles shop serve --catalogue goods/catalogue --store orders
        sell what goods/catalogue lists; digital goods are below goods
  tng trickles shop serve --catalogue goods/all --store orders \\
      --keys fleet.epochs --key fleet.key
        one of several servers: all have these three files and the folder of
        orders

A catalogue has a line per item: ID, PRICE, NAME, and for digital goods FILE,
separated by tabs:
  mug     12.50   A blue mug
  song-1  0.90    A blue song     songs/1.ogg
It is read when the server starts. Of its clients the shop stores only their
orders. SIGINT (Ctrl-C), SIGTERM or SIGHUP ends it.";

const SEARCH_EXAMPLES: &str = "\
Examples:
  tng trickles shop search @FILE blue mug
        items with both words in their name or id
  tng trickles shop search --from 32 @FILE blue
        results after the first 32
  tng trickles --json shop search @FILE
        everything, for programs";

const ADD_EXAMPLES: &str = "\
Examples:
  tng trickles shop add @FILE --cart cart mug=2 song-1
        two mugs and a song into the cart, which is made if missing
  tng trickles shop add @FILE --cart cart
        show the cart, and what it costs

The cart is encrypted by the shop, and stored only here. A command that fails
has added nothing.";

const CHECKOUT_EXAMPLES: &str = "\
Examples:
  tng trickles shop checkout @FILE --cart cart --receipt receipt
        buy the cart; it is deleted once the receipt is there

Run again, also after it was stopped or lost its server, it buys nothing twice,
and says so.";

const FETCH_EXAMPLES: &str = "\
Examples:
  tng trickles shop fetch @FILE --receipt receipt song-1
        to the working folder, under the item's id
  tng trickles shop fetch @FILE --receipt receipt -o music song-1 song-2
        to the folder music";

/// Arguments of `tng trickles shop`.
#[derive(Args, Debug)]
pub struct ShopArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Run a shop
    #[command(before_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// Search a shop's catalogue
    #[command(before_help = SEARCH_EXAMPLES)]
    Search(SearchArgs),
    /// Add items to a cart
    #[command(before_help = ADD_EXAMPLES)]
    Add(AddArgs),
    /// Buy the items of a cart
    #[command(before_help = CHECKOUT_EXAMPLES)]
    #[command(override_usage = "tng trickles shop checkout [OPTIONS] --cart FILE --receipt FILE SHOP")]
    Checkout(CheckoutArgs),
    /// Download digital goods that were bought
    #[command(before_help = FETCH_EXAMPLES)]
    Fetch(FetchArgs),
}

/// Arguments of `tng trickles shop serve`.
#[derive(Args, Debug)]
struct ServeArgs {
    /// File of the goods for sale; paths of digital goods are relative to its folder
    #[arg(long, value_name = "FILE")]
    catalogue: PathBuf,
    /// Folder of the orders, made if missing; several servers may share one
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    #[command(flatten)]
    application: ApplicationArgs,
}

/// The shop, and who buys.
#[derive(Args, Debug)]
struct Buying {
    /// The shop: @FILE with a ticket in FILE, or as `tng get --help` says
    #[arg(value_name = "SHOP", value_parser = LocationParser)]
    shop: Location,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    seals: AskedSeals,
    #[command(flatten)]
    key: KeyArgs,
}

/// Arguments of `tng trickles shop search`.
#[derive(Args, Debug)]
struct SearchArgs {
    #[command(flatten)]
    buying: Buying,
    /// Words to find in the name or id
    words: Vec<String>,
    /// Skip this many results
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
}

/// Arguments of `tng trickles shop add`.
#[derive(Args, Debug)]
struct AddArgs {
    #[command(flatten)]
    buying: Buying,
    /// File of the cart
    #[arg(long, value_name = "FILE")]
    cart: PathBuf,
    /// Items to add: ID, or ID=COUNT
    #[arg(value_name = "ITEM", value_parser = add_argument)]
    items: Vec<Add>,
}

/// Arguments of `tng trickles shop checkout`.
#[derive(Args, Debug)]
struct CheckoutArgs {
    #[command(flatten)]
    buying: Buying,
    /// File of the cart
    #[arg(long, value_name = "FILE")]
    cart: PathBuf,
    /// File to write the receipt to; it must not hold that of another cart
    #[arg(long, value_name = "FILE")]
    receipt: PathBuf,
}

/// Arguments of `tng trickles shop fetch`.
#[derive(Args, Debug)]
struct FetchArgs {
    #[command(flatten)]
    buying: Buying,
    /// File of the receipt
    #[arg(long, value_name = "FILE")]
    receipt: PathBuf,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// What to fetch
    #[arg(value_name = "ITEM", required = true, value_parser = item_argument)]
    items: Vec<ItemId>,
}

fn item_argument(text: &str) -> Result<ItemId, String> {
    ItemId::parse(text).map_err(|error| error.to_string())
}

fn add_argument(text: &str) -> Result<Add, String> {
    let (item, count) = text.split_once('=').unwrap_or((text, "1"));
    let count = count.parse().ok().filter(|count| (1..=COUNT_MAX).contains(count));
    let count = count.ok_or_else(|| format!("write ID or ID=COUNT, with a count from 1 to {COUNT_MAX}"))?;
    Ok(Add { item: item_argument(item)?, count })
}

/// Sells or buys.
///
/// # Errors
/// As each subcommand.
pub async fn run(args: &ShopArgs, talk: Talk) -> Result<(), Failure> {
    let done = async {
        match &args.action {
            Action::Serve(args) => return serve(args, talk).await,
            Action::Search(args) => args.buying.time.whole(search(args, talk)).await,
            Action::Add(args) => args.buying.time.whole(add(args, talk)).await,
            Action::Checkout(args) => args.buying.time.whole(checkout(args, talk)).await,
            Action::Fetch(args) => args.buying.time.whole(fetch(args, talk)).await,
        }
    };
    match &args.action {
        // It has an end of its own.
        Action::Serve(_) => done.await,
        _ => tokio::select! {
            done = done => done,
            () = stopped() => Err(stopped_failure()),
        },
    }
}

async fn serve(args: &ServeArgs, talk: Talk) -> Result<(), Failure> {
    let what = format!("reading the catalogue {}", shown(&args.catalogue));
    let metadata = fs::metadata(&args.catalogue).map_err(|error| Failure::read(&*what, &error))?;
    if metadata.len() > CATALOGUE_LEN_MAX {
        return Err(Failure::new(Exit::Read, what, format!("it is longer than {CATALOGUE_LEN_MAX} bytes")));
    }
    let text = fs::read_to_string(&args.catalogue).map_err(|error| Failure::read(&*what, &error))?;
    let catalogue = Catalogue::parse(&text).map_err(|(line, error)| {
        Failure::new(Exit::Read, &*what, format!("line {line}: {error}")).or_try("mend the line, and start it again")
    })?;
    let mut goods = Root::new(folder_of(&args.catalogue))?;
    for own in args.application.own()? {
        goods = goods.without(own);
    }
    let store = Store::open(&args.store)?;
    let own = Own::beside(&args.store.join("secret")).map_err(|error| Failure::read(&*what, &error))?;
    let own_orders = Own::beside(&args.store.join("orders")).map_err(|error| Failure::read(&*what, &error))?;
    let (count, orders) = (catalogue.count(), store.0.count());
    let shop = Shop::new(catalogue, goods.without(own).without(own_orders), store);
    let announce = |door: &crate::host::Door| {
        let target = door.target();
        talk.say(format_args!("{count} items for sale; {orders} orders so far, in {}", shown(&args.store)));
        talk.say(format_args!("\nsee what there is with:\n  tng trickles shop search {target}"));
        talk.say(format_args!("\nbuy with:\n  tng trickles shop add {target} --cart cart ITEM"));
        talk.say(format_args!("  tng trickles shop checkout {target} --cart cart --receipt receipt"));
        json!({ "items": count, "orders": orders, "store": args.store.to_string_lossy() })
    };
    args.application.serve(shop, ("trickles-shop", Keeper::Shop, &args.catalogue), announce, talk).await
}

async fn buyer(buying: &Buying) -> Result<Buyer, Failure> {
    Buyer::connect(buying.key.load_or_create()?, &buying.shop, buying.seals.config(), buying.time).await
}

async fn search(args: &SearchArgs, talk: Talk) -> Result<(), Failure> {
    let query = args.words.join(" ");
    if query.len() > QUERY_MAX {
        return Err(Failure::usage("searching", format!("the words have more than {QUERY_MAX} bytes")));
    }
    let found = buyer(&args.buying).await?.search(&query, args.from).await?;
    for (id, cost, is_digital, name) in &found.items {
        let name = tng_base::PeerText::new(name.as_str());
        let kind = if *is_digital { "  (digital)" } else { "" };
        talk.payload(format_args!("{id:<24}  {:>10}  {name}{kind}", price(*cost)));
        let item = json!({ "id": id.as_str(), "price": price(*cost), "name": name.exact(), "digital": is_digital });
        talk.event("item", &item);
    }
    match found.next {
        Some(next) => talk.say(format_args!("there are more: --from {next}")),
        None if found.items.is_empty() && args.from == 0 => talk.say("there is no such item"),
        None => {}
    }
    talk.event("found", &json!({ "items": found.items.len(), "next": found.next }));
    Ok(())
}

async fn add(args: &AddArgs, talk: Talk) -> Result<(), Failure> {
    let file = CartFile::cart(&args.cart);
    let token = file.load()?;
    let id = || {
        let drawn = tng::random_seed().map_err(|error| Failure::read("drawing random numbers", &error))?;
        Ok::<_, Failure>(CartId(*drawn.expose().first_chunk().expect("a seed is longer")))
    };
    let cart = match &token {
        Some(token) => Ok(&token[..]),
        None => Err(id()?),
    };
    let basket = buyer(&args.buying).await?.add(cart, &args.items).await?;
    file.store(&basket.token)?;
    for Line { item, count } in &basket.lines {
        talk.payload(format_args!("{item:<24}  {count:>5}"));
    }
    talk.say(format_args!("it costs {}; the cart is in {}", price(basket.total), shown(file.path())));
    let line = |line: &Line| json!({ "id": line.item.as_str(), "count": line.count });
    let lines: Vec<Value> = basket.lines.iter().map(line).collect();
    talk.event("cart", &json!({ "total": price(basket.total), "items": lines }));
    Ok(())
}

async fn checkout(args: &CheckoutArgs, talk: Talk) -> Result<(), Failure> {
    let (cart, receipt) = (CartFile::cart(&args.cart), CartFile::receipt(&args.receipt));
    let token = cart.load()?;
    if args.receipt.exists() {
        return bought(&cart, token.as_deref(), &receipt, talk);
    }
    crate::output::try_file(&args.receipt)?;
    let token = token.ok_or_else(|| {
        Failure::new(Exit::Read, "checking out", format!("there is no cart in {}", shown(cart.path())))
            .or_try("`tng trickles shop add` to begin one")
    })?;
    let paid = buyer(&args.buying).await?.check_out(&token).await?;
    receipt.store(&paid.receipt)?;
    // Who runs this again has either the cart, and is told the same, or the receipt.
    cart.remove()?;
    talk.say(format_args!("paid {}; the receipt is in {}", price(paid.total), shown(receipt.path())));
    let event = json!({ "total": price(paid.total), "at_s": paid.at_s, "receipt": args.receipt.to_string_lossy() });
    talk.event("paid", &event);
    Ok(())
}

/// There is a receipt: it is of what was in the cart, or the cart is another.
fn bought(cart: &CartFile, token: Option<&[u8]>, receipt: &CartFile, talk: Talk) -> Result<(), Failure> {
    let (cart_path, receipt_path) = (shown(cart.path()), shown(receipt.path()));
    let is_of_it = |receipt: &Vec<u8>| token.is_none_or(|token| is_receipt_of(receipt, token));
    if !receipt.load().is_ok_and(|receipt| receipt.is_some_and(|receipt| is_of_it(&receipt))) {
        let why = format!("{receipt_path} is there already, and is no receipt of the cart in {cart_path}");
        return Err(Failure::new(Exit::Exists, "checking out", why).or_try("another --receipt FILE"));
    }
    match token {
        Some(_) => talk.say(format_args!("bought already: {receipt_path} is the receipt of the cart in {cart_path}")),
        None => talk.say(format_args!(
            "nothing to buy: there is no cart in {cart_path} any more, and {receipt_path} is the receipt of what was \
             bought"
        )),
    }
    talk.event("bought_before", &json!({ "receipt": receipt.path().to_string_lossy() }));
    cart.remove()
}

async fn fetch(args: &FetchArgs, talk: Talk) -> Result<(), Failure> {
    let file = CartFile::receipt(&args.receipt);
    let receipt = file.load()?.ok_or_else(|| {
        Failure::new(Exit::Read, "fetching", format!("there is no receipt in {}", shown(file.path())))
            .or_try("the file that `tng trickles shop checkout` has written")
    })?;
    crate::output::make_folder(&args.output)?;
    let buyer = buyer(&args.buying).await?;
    for item in &args.items {
        let to = args.output.join(item.as_str());
        let len = fetch_to(&buyer, item, &receipt, &to).await?;
        talk.say(format_args!("{}: {}", shown(&to), bytes(len)));
        talk.event("fetched", &json!({ "id": item.as_str(), "path": to.to_string_lossy(), "bytes": len }));
    }
    Ok(())
}

/// Fetches an item beside its place, and puts it there when it is whole.
async fn fetch_to(buyer: &Buyer, item: &ItemId, receipt: &[u8], to: &Path) -> Result<u64, Failure> {
    let failed = |error: &std::io::Error| Failure::write(format!("writing {}", shown(to)), error);
    let beside = tempfile::Builder::new().prefix(".tng-").suffix(".part").tempfile_in(folder_of(to));
    let beside = beside.map_err(|error| failed(&error))?;
    let file = beside.as_file().try_clone().map_err(|error| failed(&error))?;
    let mut file = tokio::fs::File::from_std(file);
    let len = buyer.fetch(item, receipt, &mut file).await?;
    file.shutdown().await.map_err(|error| failed(&error))?;
    beside.persist(to).map_err(|error| failed(&error.error))?;
    Ok(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_an_item_or_so_many_of_one() {
        let add = |text: &str| add_argument(text).map(|add| (add.item.as_str().to_owned(), add.count));
        assert_eq!(add("mug"), Ok(("mug".to_owned(), 1)));
        assert_eq!(add("song-1=20"), Ok(("song-1".to_owned(), 20)));
        for bad in ["mug=0", "mug=1001", "mug=x", "=1", "m ug", ""] {
            assert!(add(bad).is_err(), "{bad}");
        }
    }
}
