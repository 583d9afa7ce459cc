//! The two sides of the file service, put together without any stream between them.

use tng_services::files::{
    Answer, DATA_MAX, Decoder, Entry, Fault, FaultCode, Fetch, FetchError, Fragment, Have, Kind, LeftOut, LeftOutWhy,
    Listing, ListingError, Meta, Mtime, Piece, Request, SafePath, Step, Supply,
};
use tng_wire::{Reader, Repr, battery};

fn fragment(bytes: &[u8]) -> Fragment {
    let mut fragment = Fragment::new();
    fragment.update(bytes);
    fragment
}

fn path(text: &str) -> SafePath {
    SafePath::parse(text).expect("a safe path")
}

/// What a server with `file` answers.
const META: Meta = Meta { mode: Some(0o640), modified: Mtime::new(-99, 7), holes: false };

fn answer(file: &[u8], have: Option<Have>) -> Vec<u8> {
    let size = file.len() as u64;
    let checked = Supply::to_check(size, have) as usize;
    let mut supply = Supply::new(size, have, fragment(&file[..checked]));
    let mut out = battery::emit(&supply.head(META));
    for piece in file[supply.offset() as usize..].chunks(DATA_MAX) {
        let mut head = [0; Answer::DATA_HEAD_MAX];
        out.extend_from_slice(supply.data(piece, &mut head));
        out.extend_from_slice(piece);
    }
    out.extend(battery::emit(&supply.end(true)));
    out
}

/// Runs a fetch of `file` by a client that has `fragment`, `cut` bytes at a time. Gives the file and the bytes moved.
fn fetch(file: &[u8], mut local: Vec<u8>, cut: usize) -> Result<(Vec<u8>, usize), FetchError> {
    let mut fetch = Fetch::new(fragment(&local));
    let bytes = battery::emit(&fetch.request(path("f"), false));
    let Ok(Request::Get { have, .. }) = Request::parse(&mut Reader::new(&bytes)) else { panic!("a GET") };
    let mut moved = 0;
    for mut input in answer(file, have).chunks(cut) {
        while let Some(step) = fetch.step(&mut input)? {
            match step {
                Step::Begin { size, offset, meta } => {
                    assert_eq!((size, meta), (file.len() as u64, META));
                    local.truncate(offset as usize);
                }
                Step::Write(data) => {
                    moved += data.len();
                    local.extend_from_slice(data);
                }
                Step::Copy { .. } => panic!("nobody was told of any blocks"),
                Step::Done { hash } => assert_eq!(hash, *blake3::hash(&local).as_bytes()),
            }
        }
    }
    fetch.ended()?;
    Ok((local, moved))
}

fn sample(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251) as u8).collect()
}

#[test]
fn a_file_arrives_whole_however_the_stream_is_cut() {
    for len in [0, 1, 100, DATA_MAX, DATA_MAX + 1, 3 * DATA_MAX + 17] {
        let file = sample(len);
        for cut in [1, 2, 3, 7, 1000, 65536, usize::MAX] {
            if len / cut < 100_000 {
                assert_eq!(fetch(&file, Vec::new(), cut), Ok((file.clone(), len)), "{len} bytes, cut by {cut}");
            }
        }
    }
}

#[test]
fn a_fragment_is_built_upon() {
    let file = sample(200_000);
    assert_eq!(fetch(&file, file[..150_000].to_vec(), 4096), Ok((file.clone(), 50_000)));
}

#[test]
fn a_whole_file_moves_nothing() {
    let file = sample(200_000);
    assert_eq!(fetch(&file, file.clone(), 4096), Ok((file, 0)));
}

#[test]
fn what_is_copied_counts_as_what_arrives_and_nothing_is_copied_that_was_not_told_of() {
    let (old, file) = (sample(9_000), [b"new", &sample(9_000)[..7_000]].concat());
    let stream = |from, len: u64, rest: &[u8]| {
        let mut supply = Supply::new(file.len() as u64, None, Fragment::new());
        let mut out = battery::emit(&supply.head(META));
        out.extend_from_slice(supply.data(&file[..3], &mut [0; Answer::DATA_HEAD_MAX]));
        out.extend_from_slice(&file[..3]);
        out.extend(battery::emit(&Answer::Copy { from, len }));
        supply.copied(rest);
        out.extend(battery::emit(&supply.end(true)));
        out
    };
    let taken = |told, bytes: &[u8]| {
        let (mut fetch, mut out, mut input) = (Fetch::new(Fragment::new()).with_blocks_of(told), Vec::new(), bytes);
        while let Some(step) = fetch.step(&mut input)? {
            match step {
                Step::Write(data) => out.extend_from_slice(data),
                Step::Copy { from, len } => {
                    let piece = &old[from as usize..(from + len) as usize];
                    fetch.copied(piece);
                    out.extend_from_slice(piece);
                }
                Step::Begin { .. } | Step::Done { .. } => {}
            }
        }
        fetch.ended().map(|()| out)
    };
    let right = stream(0, 7_000, &file[3..]);
    assert_eq!(taken(7_000, &right), Ok(file.clone()));
    for cut in 0..right.len() {
        assert!(matches!(taken(7_000, &right[..cut]), Err(FetchError::Cut { .. })), "{cut}");
    }
    assert!(matches!(taken(6_999, &right), Err(FetchError::Protocol(_))));
    assert!(matches!(taken(9_000, &stream(1_000, 7_001, &file[3..])), Err(FetchError::Protocol(_))));
    assert!(matches!(taken(u64::MAX, &stream((1 << 62) - 1, 7_001, &file[3..])), Err(FetchError::Protocol(_))));
    assert_eq!(taken(9_000, &stream(1_000, 7_000, &file[3..])), Err(FetchError::WrongHash));
}

#[test]
fn a_fragment_of_another_file_is_dropped() {
    let file = sample(200_000);
    assert_eq!(fetch(&file, vec![9; 150_000], 4096), Ok((file.clone(), 200_000)));
    assert_eq!(fetch(&file, vec![9; 250_000], 4096), Ok((file.clone(), 200_000)), "longer than the file");
}

#[test]
fn a_changed_byte_is_noticed_at_the_end() {
    let bytes = {
        let mut bytes = answer(&sample(1000), None);
        bytes[500] ^= 1;
        bytes
    };
    let mut fetch = Fetch::new(Fragment::new());
    let mut input = bytes.as_slice();
    let end = loop {
        match fetch.step(&mut input) {
            Ok(Some(Step::Done { .. })) => panic!("the hash was not checked"),
            Ok(step) => assert!(step.is_some(), "the answer is whole"),
            Err(error) => break error,
        }
    };
    assert_eq!(end, FetchError::WrongHash);
}

#[test]
fn a_stream_that_ends_early_is_an_error_at_every_byte() {
    let bytes = answer(&sample(300), None);
    for cut in 0..bytes.len() {
        let mut fetch = Fetch::new(Fragment::new());
        let mut input = &bytes[..cut];
        while fetch.step(&mut input).expect("a true prefix").is_some() {}
        assert!(matches!(fetch.ended(), Err(FetchError::Cut { .. })), "{cut}");
    }
}

#[test]
fn a_server_that_breaks_the_rules_is_caught() {
    let file = |size, offset| battery::emit(&Answer::File { size, offset, meta: Meta::default() });
    let data = |n: usize| [Answer::data_head(n, &mut [0; Answer::DATA_HEAD_MAX]), &vec![0; n][..]].concat();
    let end = || battery::emit(&Answer::End { hash: *blake3::hash(&[]).as_bytes() });
    for (what, bytes) in [
        ("data first", data(5)),
        ("end first", end()),
        ("more than told", [file(4, 0), data(5)].concat()),
        ("less than told", [file(4, 0), data(3), end()].concat()),
        ("an offset not asked for", file(4, 2)),
        ("two heads", [file(4, 0), file(4, 0)].concat()),
        ("an entry", battery::emit(&Answer::Listed { entries: 0, skipped: 0, folder: META })),
        ("more after the end", [file(0, 0), end(), end()].concat()),
        ("an empty piece of data", vec![0x11, 0]),
        ("a piece of data that is too long", vec![0x11, 0x80, 0x01, 0x00, 0x01]),
        ("a message that is too long", vec![0x20, 0x80, 0x01, 0x00, 0x00]),
    ] {
        let mut fetch = Fetch::new(Fragment::new());
        let mut input = bytes.as_slice();
        let error = loop {
            match fetch.step(&mut input) {
                Ok(Some(_)) => {}
                Ok(None) => panic!("{what} was accepted"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, FetchError::Protocol(_)), "{what}: {error}");
    }
}

#[test]
fn a_fault_reaches_the_client_at_any_point() {
    let fault = Fault::new(FaultCode::Changed, "it grew");
    for before in [vec![], battery::emit(&Answer::File { size: 4, offset: 0, meta: Meta::default() })] {
        let bytes = [before, battery::emit(&Answer::Fault(fault.clone()))].concat();
        let mut fetch = Fetch::new(Fragment::new());
        let mut input = bytes.as_slice();
        let error = std::iter::repeat_with(|| fetch.step(&mut input)).find_map(Result::err);
        assert_eq!(error, Some(FetchError::Fault(fault.clone())));
    }
}

#[test]
fn a_file_that_changed_while_it_was_read_has_no_hash() {
    let mut supply = Supply::new(10, None, Fragment::new());
    supply.data(&[0; 5], &mut [0; Answer::DATA_HEAD_MAX]);
    assert!(matches!(supply.end(true), Answer::Fault(fault) if fault.code == FaultCode::Changed), "it shrank");
    assert!(matches!(Supply::new(0, None, Fragment::new()).end(false), Answer::Fault(_)), "it was written to");
}

fn entry(name: &str) -> Vec<u8> {
    battery::emit(&Answer::Entry(Entry { kind: Kind::File, path: path(name), size: 1, meta: META }))
}

fn listed(entries: u64) -> Vec<u8> {
    battery::emit(&Answer::Listed { entries, skipped: 3, folder: META })
}

fn left_out() -> LeftOut {
    LeftOut::new(LeftOutWhy::Link, "b/link")
}

#[test]
fn a_listing_arrives_however_it_is_cut() {
    let left = battery::emit(&Answer::LeftOut(left_out()));
    let bytes = [entry("a"), left, entry("b/c"), listed(2)].concat();
    for cut in 1..=bytes.len() {
        let mut listing = Listing::new();
        let pieces: Vec<bool> = bytes.chunks(cut).map(|piece| listing.take(piece).expect("a true listing")).collect();
        assert_eq!(pieces.last(), Some(&true));
        let listed = listing.ended().expect("whole");
        assert_eq!((listed.entries.len(), listed.skipped, listed.folder), (2, 3, META));
        assert_eq!(listed.entries[1].path.as_str(), "b/c");
        assert_eq!(listed.left_out, [left_out()]);
    }
}

#[test]
fn a_listing_that_lies_or_ends_early_is_caught() {
    for (what, bytes) in [
        ("too few", [entry("a"), listed(2)].concat()),
        ("more left out than counted", [battery::emit(&Answer::LeftOut(left_out())).repeat(4), listed(0)].concat()),
        ("twice", [entry("a"), entry("a"), listed(2)].concat()),
        ("after the last", [listed(0), listed(0)].concat()),
        ("data", vec![0x11, 1, 7]),
        ("a way out", vec![0x20, 8, 0, 4, b'.', b'.', b'/', b'x', 0, 0]),
    ] {
        let error = Listing::new().take(&bytes).expect_err(what);
        assert!(matches!(error, ListingError::Protocol(_)), "{what}: {error}");
    }
    let mut listing = Listing::new();
    assert_eq!(listing.take(&entry("a")), Ok(false));
    assert_eq!(listing.ended(), Err(ListingError::Cut(1)));
}

#[test]
fn a_decoder_knows_when_a_stream_may_end() {
    let bytes = answer(&sample(100), None);
    let mut decoder = Decoder::new();
    assert!(decoder.is_between_messages());
    let mut input = &bytes[..20];
    while let Some(piece) = decoder.next(&mut input).expect("a true prefix") {
        assert!(matches!(piece, Piece::Answer(_) | Piece::Data(_)));
    }
    assert!(!decoder.is_between_messages());
}
