use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tng_wire::{VARINT_MAX, battery};

use super::*;
use crate::files::{BLOCKS_PER_MESSAGE, Mtime};

fn safe_path() -> impl Strategy<Value = SafePath> {
    proptest::collection::vec("[a-zA-Z0-9_ ü]{1,12}", 0..5)
        .prop_filter_map("a safe path", |names| SafePath::parse(&names.join("/")).ok())
}

fn named_path() -> impl Strategy<Value = SafePath> {
    safe_path().prop_filter("it has a name", |path| !path.is_root())
}

fn over() -> impl Strategy<Value = Over> {
    let backup = any::<bool>();
    prop_oneof![
        Just(Over::Refuse),
        Just(Over::Keep),
        backup.prop_map(|backup| Over::Update { backup }),
        any::<bool>().prop_map(|backup| Over::Replace { backup }),
    ]
}

fn target() -> impl Strategy<Value = LinkTarget> {
    "[a-z./ü]{1,20}".prop_filter_map("a target", |text| LinkTarget::new(&text))
}

fn meta() -> impl Strategy<Value = Meta> {
    let modified = proptest::option::of((-(1i64 << 60)..(1 << 60), 0u32..1_000_000_000));
    (proptest::option::of(0u16..=0o7777), modified, any::<bool>()).prop_map(|(mode, modified, holes)| Meta {
        mode,
        modified: modified.and_then(|(s, ns)| Mtime::new(s, ns)),
        holes,
    })
}

fn have() -> impl Strategy<Value = Option<Have>> {
    let have = proptest::option::of((1..VARINT_MAX, any::<[u8; 32]>()));
    have.prop_map(|have| have.and_then(|(len, hash)| Some(Have { len: NonZeroU64::new(len)?, hash })))
}

fn request() -> impl Strategy<Value = Request> {
    let have = have();
    prop_oneof![
        (named_path(), target(), meta(), over()).prop_map(|(path, target, meta, over)| Request::Link {
            path,
            target,
            meta,
            over
        }),
        (named_path(), named_path(), over()).prop_map(|(path, of, over)| Request::Same { path, of, over }),
        (named_path(), any::<bool>()).prop_map(|(path, is_folder)| Request::Remove { path, is_folder }),
        (safe_path(), any::<bool>(), any::<bool>())
            .prop_map(|(path, follow, shallow)| Request::List { path, look: Look { follow, shallow } }),
        (safe_path(), have, any::<bool>()).prop_map(|(path, have, blocks)| Request::Get { path, have, blocks }),
        (safe_path(), meta()).prop_map(|(path, meta)| Request::Make { path, meta }),
        (named_path(), 0..3, over()).prop_map(|(path, how, over)| Request::Put {
            path,
            terms: Terms { resume: how > 0, blocks: how == 2, over }
        }),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let code = (0u64..14).prop_map(FaultCode::from_u64);
    let kind = prop_oneof![
        Just(Kind::File),
        Just(Kind::Folder),
        target().prop_map(Kind::Link),
        safe_path().prop_map(Kind::Same)
    ];
    let entry_path = safe_path().prop_filter("an entry has a name", |path| !path.is_root());
    prop_oneof![
        (0..VARINT_MAX, 0..VARINT_MAX, meta()).prop_map(|(a, b, meta)| Answer::File {
            size: a.max(b),
            offset: a.min(b),
            meta
        }),
        any::<[u8; 32]>().prop_map(|hash| Answer::End { hash }),
        have().prop_map(Answer::Have),
        proptest::collection::vec((1..=BLOCK_MAX as u32, any::<[u8; 16]>()), 1..20)
            .prop_map(|blocks| Answer::Blocks(blocks.into_iter().map(|(len, name)| Block { len, name }).collect())),
        (0..VARINT_MAX, 1..VARINT_MAX).prop_map(|(from, len)| Answer::Copy { from, len }),
        proptest::sample::select(vec![Stored::New, Stored::Unchanged, Stored::Kept]).prop_map(Answer::Stored),
        (0u8..7, ".{0,80}").prop_map(|(why, path)| Answer::LeftOut(LeftOut::new(LeftOutWhy::from_u8(why), &path))),
        (kind, entry_path, 0..VARINT_MAX, meta()).prop_map(|(kind, path, size, meta)| Answer::Entry(Entry {
            kind,
            path,
            size,
            meta
        })),
        (0..VARINT_MAX, 0..VARINT_MAX, meta()).prop_map(|(entries, skipped, folder)| Answer::Listed {
            entries,
            skipped,
            folder
        }),
        (code, ".{0,80}").prop_map(|(code, reason)| Answer::Fault(Fault::new(code, &reason))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn requests_survive_the_wire(request in request()) {
        battery::round_trip(&request);
    }

    #[test]
    fn answers_survive_the_wire(answer in answer()) {
        battery::round_trip(&answer);
    }

    #[test]
    fn noise_is_refused_or_understood(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        battery::noise::<Request>(&bytes);
        battery::noise::<Answer>(&bytes);
    }

    #[test]
    fn a_message_with_one_byte_changed_is_refused_or_understood(
        answer in answer(),
        at in 0usize..400,
        to in any::<u8>(),
    ) {
        let mut bytes = battery::emit(&answer);
        let at = at % bytes.len();
        bytes[at] = to;
        battery::noise::<Answer>(&bytes);
    }
}

#[test]
fn the_longest_request_and_the_longest_entry_fit_their_bound() {
    let path = SafePath::parse(&format!("ab{}", "/x".repeat(2047))).expect("a long path");
    assert_eq!(path.as_str().len(), PATH_MAX);
    let target = LinkTarget::new(&"x".repeat(PATH_MAX)).expect("a long one");
    let have = Some(Have { len: NonZeroU64::MIN.saturating_add(VARINT_MAX - 1), hash: [7; 32] });
    battery::round_trip(&Request::Get { path: path.clone(), have, blocks: true });
    let meta = Meta { mode: Some(0o7777), modified: Mtime::new(-(1 << 60), 999_999_999), holes: true };
    battery::round_trip(&Request::Link { path: path.clone(), target: target.clone(), meta, over: Over::Keep });
    battery::round_trip(&Request::Same { path: path.clone(), of: path.clone(), over: Over::Refuse });
    battery::round_trip(&Answer::Entry(Entry { kind: Kind::Link(target), path, size: VARINT_MAX, meta }));
    battery::round_trip(&Answer::Blocks(vec![Block { len: BLOCK_MAX as u32, name: [7; 16] }; BLOCKS_PER_MESSAGE]));
}

#[test]
fn a_length_beyond_the_bound_is_refused_before_its_bytes_are_there() {
    let mut bytes = [0; 16];
    let mut writer = Writer::new(&mut bytes);
    frame(&mut writer, LIST, MESSAGE_MAX + 1).expect("room");
    assert_eq!(Request::parse(&mut Reader::new(&bytes)), Err(Malformed));
}

#[test]
fn a_path_that_leads_out_is_refused_on_both_sides() {
    for path in ["../x", "/etc/passwd", "a//b", "a\\b"] {
        let mut bytes = vec![LIST, path.len() as u8 + 2, 0, path.len() as u8];
        bytes.extend_from_slice(path.as_bytes());
        assert_eq!(Request::parse(&mut Reader::new(&bytes)), Err(Malformed), "{path}");
        let mut bytes = vec![ENTRY, path.len() as u8 + 4, 0, path.len() as u8];
        bytes.extend_from_slice(path.as_bytes());
        bytes.extend_from_slice(&[0, 0]);
        assert_eq!(Answer::parse(&mut Reader::new(&bytes)), Err(Malformed), "{path}");
    }
}

#[test]
fn bytes_after_the_last_field_of_a_message_are_refused() {
    assert_eq!(Request::parse(&mut Reader::new(&[LIST, 4, 0, 1, b'a', 9])), Err(Malformed));
    assert_eq!(Request::parse(&mut Reader::new(&[LIST, 3, 4, 1, b'a'])), Err(Malformed), "a flag that there is not");
    for over in [8, 10, 16, 1] {
        let link = [LINK, 6, over, 1, b'a', 1, b'b', 0];
        assert_eq!(Request::parse(&mut Reader::new(&link)), Err(Malformed), "{over}: it says nothing that there is");
    }
    assert_eq!(Request::parse(&mut Reader::new(&[GET, 4, 1, 1, b'a', 0])), Err(Malformed), "a flag that there is not");
    assert_eq!(Request::parse(&mut Reader::new(&[PUT, 3, 16, 1, b'a'])), Err(Malformed), "blocks without have");
    assert_eq!(Answer::parse(&mut Reader::new(&[COPY, 2, 1, 0])), Err(Malformed), "a copy of nothing");
    assert_eq!(Answer::parse(&mut Reader::new(&[BLOCKS, 0])), Err(Malformed), "no blocks");
    for len in [vec![0], vec![0x80, 4, 0, 1]] {
        let block = [&[BLOCKS, 16 + len.len() as u8][..], &len, &[7; 16]].concat();
        assert_eq!(Answer::parse(&mut Reader::new(&block)), Err(Malformed), "a block of nothing, or too long");
    }
    assert_eq!(Answer::parse(&mut Reader::new(&[BLOCKS, 3, 5, 7, 7])), Err(Malformed), "a name that is cut");
    assert_eq!(Request::parse(&mut Reader::new(&[REMOVE, 3, 2, 1, b'a'])), Err(Malformed));
    assert_eq!(Request::parse(&mut Reader::new(&[REMOVE, 2, 1, 0])), Err(Malformed), "what is served itself");
}

#[test]
fn a_reason_prints_as_words_and_is_cut_at_a_character() {
    assert_eq!(Fault::new(FaultCode::Write, "done").to_string(), "it could not be written: done");
    assert_eq!(Fault::new(FaultCode::Io, "a\u{1b}[2Jb").to_string(), r"the disk failed: a\x1b[2Jb");
    let fault = Fault::new(FaultCode::Io, &"ü".repeat(200));
    assert_eq!(fault.reason().len(), 254);
    battery::round_trip(&Answer::Fault(fault));
}

#[test]
fn the_bytes_are_those_of_the_document() {
    let path = SafePath::parse("l").expect("a path");
    let kind = Kind::Link(LinkTarget::new("a").expect("a target"));
    let link = Answer::Entry(Entry { kind, path, size: 0, meta: Meta::default() });
    assert_eq!(battery::emit(&link), [0x20, 7, 2, 1, b'l', 0, 0, 1, b'a']);
    let get = Request::Get { path: SafePath::parse("a/b").expect("a path"), have: None, blocks: true };
    assert_eq!(battery::emit(&get), [0x02, 6, 16, 3, b'a', b'/', b'b', 0]);
    let (path, of) = (SafePath::parse("b").expect("a path"), SafePath::parse("a").expect("a path"));
    let terms = Terms { resume: true, blocks: true, over: Over::Update { backup: true } };
    assert_eq!(battery::emit(&Request::Put { path: path.clone(), terms }), [0x03, 3, 29, 1, b'b']);
    let same = Request::Same { path: path.clone(), of, over: Over::Keep };
    assert_eq!(battery::emit(&same), [0x06, 5, 2, 1, b'b', 1, b'a']);
    assert_eq!(battery::emit(&Request::Remove { path, is_folder: true }), [0x07, 3, 1, 1, b'b']);
    assert_eq!(battery::emit(&Answer::Stored(Stored::Kept)), [0x14, 1, 2]);
    let block = Answer::Blocks(vec![Block { len: 300, name: [7; 16] }]);
    assert_eq!(battery::emit(&block), [&[0x15, 18, 0x41, 0x2c][..], &[7; 16]].concat());
    assert_eq!(battery::emit(&Answer::Copy { from: 5, len: 300 }), [0x16, 3, 5, 0x41, 0x2c]);
    let meta = Meta { mode: Some(0o755), modified: Mtime::new(-2, 5), holes: false };
    let file = Answer::File { size: 300, offset: 0, meta };
    assert_eq!(battery::emit(&file), [0x10, 8, 0x41, 0x2c, 0, 3, 0x01, 0xed, 3, 5]);
    let bare = Answer::File { size: 3, offset: 0, meta: Meta::default() };
    assert_eq!(battery::emit(&bare), [0x10, 3, 3, 0, 0]);
    let mut buf = [0; Answer::DATA_HEAD_MAX];
    assert_eq!(Answer::data_head(DATA_MAX, &mut buf), [0x11, 0x80, 0x01, 0x00, 0x00]);
    assert_eq!(battery::emit(&Answer::Fault(Fault::new(FaultCode::NotFound, "x"))), [0x3f, 3, 1, 1, b'x']);
}
