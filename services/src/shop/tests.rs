use tng_base::Rng;
use tng_crypto::Secret32;
use tng_wire::Reader;

use super::*;

fn id(text: &str) -> ItemId {
    ItemId::parse(text).expect("an id")
}

fn seal() -> Seal {
    Seal::new(Secret32::from_bytes([3; 32]))
}

const TEXT: &str =
    "# what we have\nmug\t12.50\tA blue mug\n\npot\t30\tA red pot\r\nsong-1\t0.9\tA blue song\tsongs/1.ogg\n";

#[test]
fn a_catalogue_is_read_line_by_line_and_searched_by_words_from_any_position_on() {
    let catalogue = Catalogue::parse(TEXT).expect("a catalogue");
    assert_eq!(catalogue.count(), 3);
    let found = |query: &str, from| catalogue.search(query, from).map(|(_, item)| item.id.as_str()).collect::<Vec<_>>();
    assert_eq!(found("BLUE", 0), ["mug", "song-1"]);
    assert_eq!(found("blue", 1), ["song-1"]);
    assert_eq!(found("a blue song", 0), ["song-1"]);
    assert_eq!((found("", 0).len(), found("green", 0).len(), found("", u64::MAX).len()), (3, 0, 0));
    let song = catalogue.find(&id("song-1")).expect("there");
    assert_eq!((song.price, song.file.as_ref().map(|file| file.as_str())), (90, Some("songs/1.ogg")));
    assert_eq!((price(1_250), price(5)), ("12.50".to_owned(), "0.05".to_owned()));
    assert_eq!(format!("{:<8}{:>4}", id("song-1"), id("pot")), "song-1   pot", "in columns");
    for (line, error) in [
        ("mug\t1", CatalogueError::Fields),
        ("mug\t1\tA\tb\tc", CatalogueError::Fields),
        ("m ug\t1\tA", CatalogueError::Id),
        ("mug\t1\tA\nmug\t2\tB", CatalogueError::Twice),
        ("mug\t1.234\tA", CatalogueError::Price),
        ("mug\t-1\tA", CatalogueError::Price),
        ("mug\t99999999999\tA", CatalogueError::Price),
        ("mug\t1\t", CatalogueError::Name),
        ("mug\t1\tA\t../b", CatalogueError::File(crate::files::UnsafePath::Dots)),
    ] {
        let number = 2 + line.matches('\n').count();
        assert_eq!(Catalogue::parse(&format!("# \n{line}")).map(|_| ()), Err((number, error)), "{line}");
    }
}

#[test]
fn what_is_added_to_a_cart_makes_the_same_cart_each_time_and_no_more_than_fits() {
    let cart = Cart::new(CartId([1; 16]));
    let once = cart.with(&id("mug"), 2).expect("room");
    assert_eq!(once, cart.with(&id("mug"), 2).expect("room"), "the same again is the same");
    assert_eq!(once.with(&id("mug"), 1).expect("room").lines(), [Line { item: id("mug"), count: 3 }]);
    assert_eq!(cart.with(&id("mug"), 0), Err(CartError::Count));
    assert_eq!(once.with(&id("mug"), COUNT_MAX), Err(CartError::Count));
    let long = |n: usize| id(&format!("{n:0>ITEM_ID_MAX$}"));
    let full = (0..CART_LINES_MAX).try_fold(cart, |cart, n| cart.with(&long(n), COUNT_MAX)).expect("room");
    assert_eq!(full.with(&id("mug"), 1), Err(CartError::Full));
    assert_eq!((full.to_bytes().len(), Cart::parse(&full.to_bytes())), (CART_LEN_MAX, Ok(full.clone())));
    let catalogue = Catalogue::parse(TEXT).expect("a catalogue");
    assert_eq!(once.total(&catalogue), Ok(2_500));
    assert_eq!(full.total(&catalogue), Err(long(0)));
}

#[test]
fn a_cart_is_no_receipt_and_neither_is_forged() {
    let (seal, other) = (seal(), Seal::new(Secret32::from_bytes([4; 32])));
    let cart = Cart::new(CartId([1; 16])).with(&id("mug"), 2).expect("room");
    let (token, receipt) = (seal.cart(&cart), seal.receipt(&cart));
    assert_eq!((seal.open_cart(&token), seal.open_receipt(&receipt)), (Some(cart.clone()), Some(cart)));
    assert_eq!((seal.open_receipt(&token), seal.open_cart(&receipt)), (None, None));
    assert_eq!((other.open_cart(&token), other.open_receipt(&receipt)), (None, None));
    let more = seal.cart(&Cart::new(CartId([1; 16])).with(&id("mug"), 3).expect("room"));
    assert_eq!([&token[..], &more, &[]].map(|cart| is_receipt_of(&receipt, cart)), [true, false, false]);
    assert!(!is_receipt_of(&[], &[]));
    for at in 0..token.len() {
        assert_eq!(seal.open_cart(&token[..at]), None);
        let mut changed = token.clone();
        changed[at] ^= 1;
        assert_eq!(seal.open_cart(&changed), None);
    }
}

#[test]
fn what_asks_a_shop_and_what_it_says_are_read_as_they_were_written() {
    let token = vec![7; 99];
    let askings = [
        Asking::Search { position: 64, query: "blue ä".to_owned() },
        Asking::Checkout { cart: token.clone() },
        Asking::Goods { start: 9, item: id("song-1"), receipt: token.clone() },
    ];
    for asking in askings {
        assert_eq!(Asking::parse(&asking.to_bytes()), Ok(asking));
    }
    let adds = [Add { item: id("mug"), count: 2 }, Add { item: id("pot"), count: 1 }];
    for cart in [Ok(&token[..]), Err(CartId([5; 16]))] {
        let bytes = Asking::cart(cart, &adds);
        let mut reader = Reader::new(&bytes);
        assert_eq!(Asking::parse_cart(&mut reader), Ok(Some(cart)));
        let read: Vec<Add> = (0..2).map(|_| Add::parse(&mut reader).expect("an add")).collect();
        assert!(read == adds && reader.is_empty());
    }
    let found = Found { next: Some(32), items: vec![(id("mug"), 1_250, false, "A mug".to_owned())] };
    assert_eq!(Found::parse(&found.to_bytes()), Ok(found));
    let basket = Basket { total: 7, token: token.clone(), lines: vec![Line { item: id("mug"), count: 2 }] };
    assert_eq!(Basket::parse(&basket.to_bytes()), Ok(basket));
    let paid = Paid { total: 7, at_s: 1_800_000_000, receipt: token };
    assert_eq!(Paid::parse(&paid.to_bytes()), Ok(paid));
}

#[test]
fn noise_is_read_as_nothing_or_as_something_and_never_panics() {
    let mut rng = Rng::from_u64(1);
    for _ in 0..20_000 {
        let mut bytes = rng.bytes::<64>();
        bytes[0] %= 6;
        let bytes = &bytes[..rng.below(65) as usize];
        let _ = (Asking::parse(bytes), Found::parse(bytes), Basket::parse(bytes), Paid::parse(bytes));
        let _ = (Cart::parse(bytes), Asking::parse_cart(&mut Reader::new(bytes)), seal().open_cart(bytes));
    }
}
