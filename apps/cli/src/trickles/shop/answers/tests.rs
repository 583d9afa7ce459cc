//! A shop over paths that lose packets, and with several servers over one store.

use std::fs;

use tng_services::shop::CartId;
use tng_trickles::client::{ObjectError, Policy};
use tng_trickles::server::CacheConfig;

use super::*;
use crate::trickles::world::World;

fn id(text: &str) -> ItemId {
    ItemId::parse(text).expect("an id")
}

fn add(item: &str, count: u16) -> Add {
    Add { item: id(item), count }
}

/// A folder with a catalogue of many mugs and two songs, and a store.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mugs: String = (0..100).map(|n| format!("mug-{n:02}\t{n}.50\tA blue mug, number {n}\n")).collect();
    let songs = "song-1\t0.90\tA blue song\tsongs/1.ogg\nsong-2\t1\tA red song\tsongs/2.ogg\n";
    fs::write(folder.path().join("catalogue"), format!("{mugs}{songs}")).expect("written");
    fs::create_dir(folder.path().join("songs")).expect("made");
    fs::write(folder.path().join("songs/1.ogg"), song()).expect("written");
    fs::write(folder.path().join("songs/2.ogg"), b"two").expect("written");
    folder
}

fn song() -> Vec<u8> {
    (0..200_000_u32).map(|at| (at ^ at >> 8) as u8).collect()
}

fn open(folder: &tempfile::TempDir) -> Shop {
    let text = fs::read_to_string(folder.path().join("catalogue")).expect("there");
    let catalogue = Catalogue::parse(&text).expect("a catalogue");
    let store = Store::open(&folder.path().join("store")).expect("a store");
    Shop::new(catalogue, Root::new(folder.path()).expect("a folder"), store)
}

fn basket(world: &mut World<Shop>, cart: Result<&[u8], CartId>, adds: &[Add]) -> Result<Basket, ObjectError> {
    world.get(Asking::cart(cart, adds)).map(|bytes| Basket::parse(&bytes).expect("a basket"))
}

fn pay(world: &mut World<Shop>, cart: &[u8]) -> Result<Paid, ObjectError> {
    let got = world.get(Asking::Checkout { cart: cart.to_vec() }.to_bytes());
    got.map(|bytes| Paid::parse(&bytes).expect("a receipt"))
}

fn code<T: std::fmt::Debug>(got: Result<T, ObjectError>) -> u64 {
    match got {
        Err(ObjectError::Application { code, .. }) => code,
        got => panic!("{got:?}"),
    }
}

#[test]
fn results_of_a_search_go_on_from_the_position_that_the_last_have_told() {
    let folder = folder();
    let mut world = World::new(1, Policy::Spray, vec![open(&folder), open(&folder)]);
    world.loss = 0.1;
    let (mut position, mut found) = (Some(0), Vec::new());
    while let Some(from) = position {
        let asking = Asking::Search { position: from, query: "BLUE".to_owned() };
        let page = Found::parse(&world.get(asking.to_bytes()).expect("it comes")).expect("results");
        assert!(page.items.len() <= PAGE);
        position = page.next;
        found.extend(page.items);
    }
    assert_eq!(found.len(), 101);
    assert_eq!(found[100], (id("song-1"), 90, true, "A blue song".to_owned()));
    let none = Asking::Search { position: 7, query: "green".to_owned() };
    let none = Found::parse(&world.get(none.to_bytes()).expect("it comes")).expect("results");
    assert_eq!(none, Found { next: None, items: Vec::new() });
}

#[test]
fn a_shop_with_room_remembers_which_items_a_query_has_found_and_tells_the_same_whatever_it_forgets() {
    let folder = folder();
    let found = |caches: CacheConfig, lapse: f64| {
        let mut world = World::with(1, Policy::Stay, vec![open(&folder)], caches);
        (world.loss, world.lapse) = (0.1, lapse);
        let pages = [0, 32, 64, 96, 0, 32, 0].map(|position| {
            let asking = Asking::Search { position, query: "blue".to_owned() };
            world.get(asking.to_bytes()).expect("it comes")
        });
        (pages, world.caches(0).outputs)
    };
    let (pages, none) = found(CacheConfig::default(), 0.0);
    assert_eq!((none.hits, none.bytes), (0, 0), "control: by default each request looks through the catalogue");
    for lapse in [0.0, 0.2, 0.9] {
        let (same, counts) = found(CacheConfig::of_bytes(1 << 20), lapse);
        println!("{lapse}: {counts:?}");
        assert_eq!(same, pages, "{lapse}");
        // Which items they are takes less than what they are called.
        assert!(counts.hits > 0 && (lapse > 0.0 || counts.bytes < 2_000), "{counts:?}");
    }
}

#[test]
fn an_item_is_in_the_cart_once_however_often_its_request_is_lost_and_asked_again() {
    let folder = folder();
    for seed in 0..30 {
        let mut world = World::new(seed, Policy::Spray, vec![open(&folder), open(&folder)]);
        world.loss = 0.3;
        // More than one request may bring: each goes on with the cart that the one before has made.
        let adds: Vec<Add> = (0..12).map(|n| add(&format!("mug-{n:02}"), n + 1)).collect();
        let cart = basket(&mut world, Err(CartId([seed as u8; 16])), &adds).expect("it comes");
        let lines = |basket: &Basket| basket.lines.iter().map(|line| line.count).collect::<Vec<_>>();
        assert_eq!(lines(&cart), (1..=12).collect::<Vec<_>>());
        let more = basket(&mut world, Ok(&cart.token), &[add("mug-00", 5)]).expect("it comes");
        let again = basket(&mut world, Ok(&cart.token), &[add("mug-00", 5)]).expect("it comes");
        assert_eq!((lines(&more)[0], &more), (6, &again));
        assert_eq!(more.total, (0..12).map(|n| (100 * n + 50) * (n + 1)).sum::<u64>() + 5 * 50);
    }
}

#[test]
fn a_cart_that_is_asked_for_in_parts_of_any_length_is_the_same() {
    let folder = folder();
    let adds: Vec<Add> = (0..15).map(|n| add(&format!("mug-{n:02}"), 1)).collect();
    let mut world = World::new(1, Policy::Stay, vec![open(&folder)]);
    let whole = basket(&mut world, Err(CartId([1; 16])), &adds).expect("it comes");
    // Many at once have little room in each request.
    let asked: Vec<_> = (0..60).map(|_| world.ask(Asking::cart(Err(CartId([1; 16])), &adds))).collect();
    for id in asked {
        assert_eq!(Basket::parse(&world.finish(id).expect("it comes")), Ok(whole.clone()));
    }
}

#[test]
fn a_checkout_that_is_asked_a_thousand_times_of_two_servers_at_once_is_one_order() {
    let folder = folder();
    let mut world = World::new(1, Policy::Spray, vec![open(&folder), open(&folder)]);
    world.loss = 0.05;
    let cart = basket(&mut world, Err(CartId([1; 16])), &[add("mug-07", 2), add("song-1", 1)]).expect("it comes");
    let first = pay(&mut world, &cart.token).expect("paid");
    assert_eq!(first.total, 2 * 750 + 90);
    for _ in 0..10 {
        let asking = Asking::Checkout { cart: cart.token.clone() }.to_bytes();
        let asked: Vec<_> = (0..100).map(|_| world.ask(asking.clone())).collect();
        for id in asked {
            assert_eq!(Paid::parse(&world.finish(id).expect("it comes")), Ok(first.clone()));
        }
    }
    let lines = fs::read_to_string(folder.path().join("store/orders")).expect("there");
    assert_eq!(lines.lines().count(), 1, "1,001 times");
    // Control: another cart is another order.
    let other = basket(&mut world, Err(CartId([2; 16])), &[add("mug-07", 2)]).expect("it comes");
    pay(&mut world, &other.token).expect("paid");
    let lines = fs::read_to_string(folder.path().join("store/orders")).expect("there");
    assert_eq!(lines.lines().count(), 2);
}

#[test]
fn digital_goods_come_from_any_server_to_who_has_a_receipt_and_to_nobody_else() {
    let folder = folder();
    let mut world = World::new(1, Policy::Spray, vec![open(&folder), open(&folder)]);
    world.loss = 0.05;
    let cart = basket(&mut world, Err(CartId([1; 16])), &[add("song-1", 1), add("mug-01", 1)]).expect("it comes");
    let receipt = pay(&mut world, &cart.token).expect("paid").receipt;
    let goods =
        |item: &str, receipt: &[u8]| Asking::Goods { start: 0, item: id(item), receipt: receipt.to_vec() }.to_bytes();
    assert!(world.get(goods("song-1", &receipt)) == Ok(song()));
    assert_eq!(code(world.get(goods("song-2", &receipt))), NOT_BOUGHT, "that was not bought");
    assert_eq!(code(world.get(goods("mug-01", &receipt))), NOT_BOUGHT, "that comes by post");
    assert_eq!(code(world.get(goods("song-1", &cart.token))), NOT_SEALED, "a cart is no receipt");
    fs::remove_file(folder.path().join("songs/1.ogg")).expect("there");
    assert_eq!(code(world.get(goods("song-1", &receipt))), 65, "it is gone");
}

#[test]
fn what_is_not_sold_is_refused_by_name() {
    let folder = folder();
    let mut world = World::new(1, Policy::Stay, vec![open(&folder)]);
    let new = || Err(CartId([1; 16]));
    assert_eq!(code(basket(&mut world, new(), &[add("pot", 1)])), NO_SUCH_ITEM);
    assert_eq!(code(basket(&mut world, new(), &[add("mug-01", 0)])), NO_ROOM);
    let many: Vec<Add> = (0..16).map(|n| add(&format!("mug-{n:02}"), 1)).collect();
    assert_eq!(code(basket(&mut world, new(), &many)), NO_ROOM);
    let cart = basket(&mut world, new(), &[add("mug-01", 1)]).expect("it comes").token;
    let mut forged = cart.clone();
    forged[20] ^= 1;
    assert_eq!(code(basket(&mut world, Ok(&forged), &[add("mug-01", 1)])), NOT_SEALED);
    assert_eq!(code(pay(&mut world, &forged)), NOT_SEALED);
    let empty = basket(&mut world, new(), &[]).expect("it comes").token;
    assert_eq!(code(pay(&mut world, &empty)), EMPTY);
    pay(&mut world, &cart).expect("paid");
    let more = basket(&mut world, Ok(&cart), &[add("mug-02", 1)]).expect("it comes").token;
    assert_eq!(code(pay(&mut world, &more)), PAID_OTHERWISE);
    let half = Asking::cart(new(), &[add("mug-01", 1)]);
    assert_eq!(code(world.get(half[..half.len() - 1].to_vec())), 71);
    for nonsense in [&b"\x09"[..], b"\x01", b"\x02", b""] {
        assert_eq!(code(world.get(nonsense.to_vec())), 71, "{nonsense:?}");
    }
}

#[test]
fn a_shop_whose_catalogue_has_changed_says_so_and_goods_stay_with_who_has_bought_them() {
    let folder = folder();
    let mut world = World::new(1, Policy::Stay, vec![open(&folder)]);
    let cart = basket(&mut world, Err(CartId([1; 16])), &[add("mug-01", 1), add("song-2", 1)]).expect("it comes");
    let paid = pay(&mut world, &cart.token).expect("paid");
    let text = "song-2\t99\tA red song, dearer\tsongs/2.ogg\n";
    fs::write(folder.path().join("catalogue"), text).expect("written");
    let mut world = World::new(2, Policy::Stay, vec![open(&folder)]);
    assert_eq!(code(basket(&mut world, Ok(&cart.token), &[add("song-2", 1)])), NO_SUCH_ITEM, "no mugs any more");
    let goods = Asking::Goods { start: 0, item: id("song-2"), receipt: paid.receipt.clone() };
    assert_eq!(world.get(goods.to_bytes()), Ok(b"two".to_vec()));
    assert_eq!(pay(&mut world, &cart.token), Ok(paid), "what was paid was paid by the prices of then");
}
