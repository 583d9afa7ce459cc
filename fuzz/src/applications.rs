//! Applications without state: images that are marked, and what a shop is asked.

use std::sync::LazyLock;

use tng_crypto::Secret32;
use tng_services::shop::{Asking as ShopAsking, Basket, Cart, Catalogue, Found, Paid};
use tng_services::watermark::battery::Sample;
use tng_services::watermark::wire::{Asking, Head};
use tng_services::watermark::{Assembler, Image, Joiner, Layout, Mark, Marks, Way, Work, look};
use tng_wire::Reader;

use crate::parsers::parser;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "jpeg",
        kind: Kind::Parser,
        len_max: 8 << 10,
        // Tables, and what is seen of a mark in each column.
        memory: (8 << 20, 256),
        run: jpeg,
        seeds: jpeg_seeds,
    },
    parser("watermark_messages", 600, (watermark_messages, watermark_seeds)),
    Target {
        name: "shop_messages",
        kind: Kind::Parser,
        len_max: 700,
        memory: (64 << 10, 256),
        run: shop_messages,
        seeds: shop_seeds,
    },
];

static MARK: LazyLock<Mark> = LazyLock::new(|| Marks::new(Secret32::from_bytes([7; 32])).mark("alice"));

/// What is marked is an image of the same MCUs that holds the mark whole, in whichever way it is made.
fn jpeg(bytes: &[u8]) {
    let Ok(image) = Image::parse(bytes) else { return };
    let mut work = Work::default();
    let skips = Layout::skips(&image, &mut work);
    let layout = match Layout::alignments(&image, &MARK, &mut work) {
        Ok((layout, _)) => layout,
        Err(error) => return assert_eq!(skips.err(), Some(error)),
    };
    let all = layout.bytes(&image, &MARK, 0..layout.len(&image), &mut work).expect("it was laid out");
    let skips = skips.expect("it was laid out for one");
    let slots = skips.bytes(&image, &MARK, 0..skips.len(&image), &mut work).expect("it was laid out");
    let mut joiner = Joiner::default();
    assert_eq!(joiner.join(&slots), Ok(slots.len()));
    assert_eq!([image.head(), &joiner.take(), image.tail()].concat(), all);
    // With few places, from the middle on.
    let sealed = layout.write(64).expect("one place has room");
    let few = Layout::read(Way::Alignments, &mut Reader::new(&sealed)).expect("it was written");
    let from = all.len() as u64 / 2;
    let half = few.bytes(&image, &MARK, from..all.len() as u64, &mut work).expect("it was laid out");
    assert_eq!(half, all[from as usize..]);
    let marked = Image::parse(&all).expect("it is an image still");
    assert_eq!(marked.mcus(), image.mcus());
    assert_eq!(look(&marked).expect("whole").percent(&MARK), 100);
}

fn jpeg_seeds() -> Vec<Vec<u8>> {
    let small = |sampling, interval, is_optimised| {
        let sample = Sample { width: 136, height: 136, sampling, interval, is_optimised, plain_percent: 5 };
        sample.draw(1)
    };
    vec![small(None, 0, false), small(None, 7, true), small(Sample::SAMPLINGS[3], 5, true)]
}

/// Says that what was read is written and read as the same.
macro_rules! again {
    ($parse:expr, $bytes:expr, $write:expr) => {
        if let Ok(value) = $parse($bytes) {
            assert_eq!($parse(&$write(&value)).ok(), Some(value));
        }
    };
}

fn watermark_messages(bytes: &[u8]) {
    again!(Asking::parse, bytes, |asking: &Asking| asking.to_bytes().expect("it was read"));
    again!(Head::parse, bytes, Head::to_bytes);
    for way in [Way::Alignments, Way::Skips] {
        let _ = Layout::read(way, &mut Reader::new(bytes));
    }
    let (head, pieces) = bytes.split_at(bytes.len().min(12));
    assert_eq!(assembled(head, pieces, 1), assembled(head, pieces, usize::MAX));
    // However it is cut, the same is joined of it.
    let (mut whole, mut cut) = (Joiner::default(), Joiner::default());
    let taken = whole.join(bytes);
    let (mut from, mut ended) = (0, Ok(()));
    for to in 0..=bytes.len() {
        match cut.join(&bytes[from..to]) {
            Ok(more) => from += more,
            Err(error) => {
                ended = Err(error);
                break;
            }
        }
    }
    assert_eq!(taken.is_ok(), ended.is_ok());
    if let Ok(taken) = taken {
        assert_eq!((taken, whole.take()), (from, cut.take()));
    }
}

/// The file that a client makes of a head and pieces that come so many bytes at once.
fn assembled(head: &[u8], pieces: &[u8], at_once: usize) -> Option<Vec<u8>> {
    let (mut assembler, mut file) = (Assembler::new(Head::LEN_MAX), Vec::new());
    for object in [head, pieces] {
        for bytes in object.chunks(at_once) {
            file.extend(assembler.take(bytes).ok()?);
        }
        file.extend(assembler.end_object().ok()?);
    }
    file.extend(assembler.finish().ok()?);
    Some(file)
}

fn watermark_seeds() -> Vec<Vec<u8>> {
    let head = Head { of: 9, mcus: 12, head: vec![1, 2], tail: vec![3] };
    vec![
        b"\x01\x4d\x61lice.0011223344556677/a.jpg".to_vec(),
        b"\x07\x10\0\0\0\0\0\0\0\x09\x20a.0011223344556677/a.jpg".to_vec(),
        head.to_bytes(),
        vec![0, 0, 0, 11, 0, 5, 0xaa, 0xa0, 1, 0, 0, 3, 0, 5, 0xe0, 2, 0, 0, 8, 0, 0, 0x55],
        vec![16, 0x43, 0x00, 0x41, 0x00, 0x41, 0x10, 3],
    ]
}

fn shop_messages(bytes: &[u8]) {
    again!(ShopAsking::parse, bytes, ShopAsking::to_bytes);
    again!(Found::parse, bytes, Found::to_bytes);
    again!(Basket::parse, bytes, Basket::to_bytes);
    again!(Paid::parse, bytes, Paid::to_bytes);
    again!(Cart::parse, bytes, Cart::to_bytes);
    let _ = ShopAsking::parse_cart(&mut Reader::new(bytes));
    if let Ok(catalogue) =
        core::str::from_utf8(bytes).map_err(drop).and_then(|text| Catalogue::parse(text).map_err(drop))
    {
        assert_eq!(catalogue.search("", 0).count(), catalogue.count());
        assert!(
            catalogue
                .search("", 0)
                .all(|(at, item)| catalogue.find(&item.id) == Some(item) && catalogue.at(at) == Some(item))
        );
    }
}

fn shop_seeds() -> Vec<Vec<u8>> {
    vec![
        b"mug\t12.50\tA blue mug\nsong-1\t0.9\tA song\tsongs/1.ogg\n".to_vec(),
        b"\x01\x20blue mug".to_vec(),
        b"\x03aaaaaaaaaaaaaaaa\x03mug\0\x02bbbbbbbbbbbbbbbb".to_vec(),
        b"\x04\x00\x06song-1aaaaaaaaaaaaaaaa\x06song-1\0\x01bbbbbbbbbbbbbbbb".to_vec(),
        b"aaaaaaaaaaaaaaaa\x03mug\0\x02\x03pot\0\x01".to_vec(),
        b"\x01\x20\x03mug\x44\xe2\x00\x05A mug".to_vec(),
        b"\x02\x00aaaaaaaaaaaaaaaa\x03mug\0\x02".to_vec(),
    ]
}
