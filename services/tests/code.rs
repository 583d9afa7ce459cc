//! The two sides of the code service, put together without any stream between them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tng_base::{CodeHash, Eid, Instant};
use tng_crypto::code_hash;
use tng_services::code::{
    Allowance, Answer, Ask, Code, DayLimits, Declined, Desk, Direction, Fetch, FetchError, Form, Give, Have,
    MANIFEST_MAX, MODULE_MAX, Offer, PACKED_MAX, PIECE_MAX, Packed, Part, Push, PushError, Pushed, Reply, Request,
    Shelf, Step, TooLarge, UnpackError, unpack,
};
use tng_wire::{Reader, Repr, battery};

const NEWRENO: &[u8] = include_bytes!("../../transports/stp/guests/modules/newreno.wasm");
const NEWRENO_TEXT: &[u8] = include_bytes!("../../transports/stp/guests/modules/newreno.wat");
const NOW: Instant = Instant::from_secs(5);

fn peer(number: u64) -> Eid {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Eid::from_bytes(bytes)
}

/// A shelf in memory, which takes what is pushed if `takes`.
#[derive(Default)]
struct Memory {
    modules: BTreeMap<CodeHash, (Arc<[u8]>, Vec<u8>)>,
    text: Option<Arc<[u8]>>,
    shuts_out: Option<Eid>,
    takes: bool,
    taken: Mutex<Vec<Code>>,
}

impl Memory {
    fn of(module: &[u8]) -> Memory {
        let mut shelf = Memory { takes: true, ..Memory::default() };
        shelf.modules.insert(code_hash(module), (module.into(), b"a manifest".to_vec()));
        shelf
    }

    fn taken(&self) -> Vec<Code> {
        self.taken.lock().expect("nobody panicked").clone()
    }
}

impl Shelf for Memory {
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        self.modules.get(&hash).map(|(module, _)| Arc::clone(module))
    }

    fn manifest(&self, hash: CodeHash) -> Option<Vec<u8>> {
        self.modules.get(&hash).map(|(_, manifest)| manifest.clone())
    }

    fn text(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        self.text.clone().filter(|_| self.modules.contains_key(&hash))
    }

    fn gives(&self, peer: Eid, _: CodeHash) -> bool {
        self.shuts_out != Some(peer)
    }

    fn wants(&self, _: Eid, hash: CodeHash, _: &Offer) -> Result<(), Declined> {
        match self.takes {
            true if self.modules.contains_key(&hash) => Err(Declined::AlreadyHere),
            true => Ok(()),
            false => Err(Declined::NotAllowed),
        }
    }

    fn take(&self, _: Eid, code: Code) -> Result<(), Declined> {
        self.taken.lock().expect("nobody panicked").push(code);
        Ok(())
    }
}

/// Bytes that do not pack, and differ by `seed`.
fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut out = vec![0; len];
    blake3::Hasher::new().update(&seed.to_be_bytes()).finalize_xof().fill(&mut out);
    out
}

/// What a desk sends for an ASK, all of it.
fn asked(desk: &mut Desk, shelf: &Memory, from: Eid, ask: Ask) -> Vec<u8> {
    match desk.answer(shelf, NOW, from, Request::Ask(ask)) {
        Reply::Answer(answer) => battery::emit(&answer),
        Reply::Supply(supply) => {
            let (packed, offset) = supply.rest();
            let bytes = [&battery::emit(&supply.head()), &packed[offset..]].concat();
            desk.sent(&supply, packed.len() - offset);
            bytes
        }
    }
}

fn answer(desk: &mut Desk, shelf: &Memory, from: Eid, request: &Request) -> Answer {
    let bytes = battery::emit(request);
    let request = Request::parse(&mut Reader::new(&bytes)).expect("it was written");
    match desk.answer(shelf, NOW, from, request) {
        Reply::Answer(answer) => answer,
        Reply::Supply(_) => panic!("nobody asked"),
    }
}

/// Takes bytes, cut into pieces: how it went.
fn take(fetch: &mut Fetch, bytes: &[u8], cut: usize) -> Result<(), FetchError> {
    for mut input in bytes.chunks(cut) {
        while fetch.step(&mut input)?.is_some() {}
    }
    fetch.ended()
}

/// Fetches from a desk of its own, building on a part.
fn fetch(module: &[u8], part: Option<Part>, cut: usize) -> Result<Code, FetchError> {
    let (shelf, mut desk) = (Memory::of(module), Desk::default());
    let mut fetch = Fetch::new(code_hash(module), Form::Binary, part);
    let bytes = asked(&mut desk, &shelf, peer(1), fetch.ask());
    take(&mut fetch, &bytes, cut)?;
    fetch.open()
}

#[test]
fn a_module_arrives_whole_however_the_stream_is_cut() {
    for module in [NEWRENO.to_vec(), vec![0; MODULE_MAX], noise(MODULE_MAX, 1), vec![7]] {
        for cut in [1, 2, 3, 7, 1000, usize::MAX] {
            if module.len() / cut < 100_000 {
                let code = fetch(&module, None, cut).expect("it is there");
                assert!(code.module == module && code.hash == code_hash(&module), "{} by {cut}", module.len());
                assert_eq!((code.form, code.manifest.as_slice()), (Form::Binary, &b"a manifest"[..]));
            }
        }
    }
}

#[test]
fn modules_of_this_suite_are_small_when_they_are_packed() {
    for (name, module, most) in [
        ("newreno", NEWRENO, 16_000),
        ("sack", &include_bytes!("../../transports/stp/guests/modules/sack.wasm")[..], 16_000),
        ("cubic", include_bytes!("../../transports/stp/guests/modules/cubic.wasm"), 12_000),
        ("vegas", include_bytes!("../../transports/stp/guests/modules/vegas.wasm"), 5_000),
        ("flood", include_bytes!("../../transports/stp/guests/modules/flood.wasm"), 6_000),
        ("template", include_bytes!("../../transports/stp/guests/modules/template.wasm"), 3_000),
        ("c-example", include_bytes!("../../transports/stp/guests/modules/c-example.wasm"), 1_500),
        ("newreno, as text", NEWRENO_TEXT, 100_000),
    ] {
        let packed = Packed::new(module).expect("small").as_bytes().len();
        println!("{name}: {} bytes, packed {packed}", module.len());
        assert!(packed <= most, "{name}: {packed}");
    }
    // STP 5.4 has 23 to 33 kB of compiled transports, and asks of ours no more than 48.
    assert!(Packed::new(NEWRENO).expect("small").as_bytes().len() <= 48_000);
}

#[test]
fn the_same_module_packs_to_the_same_bytes() {
    for module in [NEWRENO, NEWRENO_TEXT, &noise(300_000, 2)] {
        assert_eq!(Packed::new(module), Packed::new(module));
    }
}

#[test]
fn what_is_no_module_by_its_length_is_not_packed() {
    assert_eq!(Packed::new(&[]), Err(TooLarge(0)));
    assert_eq!(Packed::new(&vec![0; MODULE_MAX + 1]), Err(TooLarge(MODULE_MAX + 1)));
    let longest = Packed::new(&noise(MODULE_MAX, 3)).expect("it is as long as it may be");
    assert!((MODULE_MAX..=PACKED_MAX).contains(&longest.as_bytes().len()));
}

#[test]
fn a_transfer_that_was_cut_at_any_byte_goes_on_from_there_over_another_connection() {
    let (shelf, hash) = (Memory::of(NEWRENO), code_hash(NEWRENO));
    let whole = asked(&mut Desk::default(), &shelf, peer(1), Fetch::new(hash, Form::Binary, None).ask());
    for cut in (0..whole.len()).step_by(97).chain([whole.len() - 1, whole.len()]) {
        let mut first = Fetch::new(hash, Form::Binary, None);
        let came = take(&mut first, &whole[..cut], 1000);
        assert_eq!(came.is_ok(), cut == whole.len());
        let there = first.offset() as usize;
        let mut second = Fetch::new(hash, Form::Binary, first.into_part());
        // Another host, and nothing is known of it.
        let more = asked(&mut Desk::default(), &shelf, peer(2), second.ask());
        assert_eq!(take(&mut second, &more, 1000), Ok(()), "cut at {cut}");
        assert_eq!(more.len() + there, whole.len(), "only what was missing came, cut at {cut}");
        assert!(second.open().expect("whole").module == NEWRENO);
    }
}

#[test]
fn a_part_of_another_packed_form_is_dropped() {
    let packed = Packed::new(NEWRENO).expect("small");
    let other = Part::new([1; 32], packed.as_bytes()[..5_000].to_vec());
    assert!(fetch(NEWRENO, other, 999).expect("all came").module == NEWRENO);
    let longer = Part::new(*packed.hash(), noise(packed.as_bytes().len() + 1, 4));
    assert!(fetch(NEWRENO, longer, 999).expect("all came").module == NEWRENO);
}

#[test]
fn a_damaged_part_is_found_out_and_the_next_transfer_begins_anew() {
    let packed = Packed::new(NEWRENO).expect("small");
    let damaged = Part::new(*packed.hash(), vec![0; 5_000]);
    assert_eq!(fetch(NEWRENO, damaged, 999), Err(FetchError::WrongHash));
    assert!(Part::new([1; 32], Vec::new()).is_none() && Part::new([1; 32], vec![0; PACKED_MAX + 1]).is_none());
}

/// What a peer would send that has packed `bytes` and says that they unpack to `size`.
fn sent(packed: &[u8], size: u32) -> Vec<u8> {
    let offer = Offer {
        size,
        packed_size: packed.len() as u32,
        packed_hash: *blake3::hash(packed).as_bytes(),
        manifest: Vec::new(),
    };
    [&battery::emit(&Answer::Sends { offset: 0, offer }), packed].concat()
}

fn opened(bytes: &[u8], hash: CodeHash, form: Form) -> Result<Code, FetchError> {
    let mut fetch = Fetch::new(hash, form, None);
    take(&mut fetch, bytes, 1000)?;
    fetch.open()
}

/// A frame of `blocks` blocks of 128 KiB of zeros, and of as many bytes in all as it takes: 4 a block.
fn bomb(blocks: usize) -> Vec<u8> {
    let window = 0x38;
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, window];
    for left in (0..blocks).rev() {
        let head = (128 << 10) << 3 | 1 << 1 | usize::from(left == 0);
        frame.extend_from_slice(&head.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

#[test]
fn a_bomb_is_cut_at_what_was_told() {
    let zeros = vec![0; MODULE_MAX];
    assert_eq!(unpack(&bomb(8), MODULE_MAX as u32).as_deref(), Ok(&zeros[..]), "control: it is a frame");
    for (bomb, size) in [(bomb(9), MODULE_MAX as u32), (bomb(200_000), MODULE_MAX as u32), (bomb(1), 1)] {
        let error = opened(&sent(&bomb, size), code_hash(&zeros), Form::Binary);
        assert_eq!(error, Err(FetchError::Unpack(UnpackError::Bomb(size))), "{} bytes", bomb.len());
    }
}

#[test]
fn a_frame_of_a_window_beyond_a_module_is_refused_before_anything_is_held_for_it() {
    for window in [0x58, 0x78, 0xff] {
        let mut frame = bomb(1);
        frame[5] = window;
        assert_eq!(unpack(&frame, 128 << 10), Err(UnpackError::Damaged), "{window:#x}");
    }
}

#[test]
fn what_is_no_frame_alone_or_has_less_than_was_told_does_not_open() {
    let packed = Packed::new(NEWRENO).expect("small");
    let (bytes, size) = (packed.as_bytes(), NEWRENO.len() as u32);
    assert!(unpack(bytes, size).as_deref() == Ok(NEWRENO), "control");
    let twice = [&bytes[..], bytes].concat();
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0][..], bytes].concat();
    let more = [&bytes[..], &[0]].concat();
    for (what, frame) in
        [("two", &twice[..]), ("skipped", &skipped), ("more", &more), ("none", NEWRENO), ("cut", &bytes[..9_000])]
    {
        assert_eq!(unpack(frame, size), Err(UnpackError::Damaged), "{what}");
    }
    assert_eq!(unpack(bytes, size + 1), Err(UnpackError::Damaged));
    assert_eq!(unpack(bytes, size - 1), Err(UnpackError::Bomb(size - 1)));
}

#[test]
fn an_endless_transfer_is_cut_at_what_was_told() {
    let packed = Packed::new(NEWRENO).expect("small");
    let bytes = sent(packed.as_bytes(), NEWRENO.len() as u32);
    assert!(opened(&bytes, code_hash(NEWRENO), Form::Binary).is_ok(), "control");
    let mut fetch = Fetch::new(code_hash(NEWRENO), Form::Binary, None);
    let error = take(&mut fetch, &[&bytes[..], &[0]].concat(), 1000);
    assert_eq!(error, Err(FetchError::Endless(packed.as_bytes().len() as u32)));
    assert_eq!(fetch.offset() as usize, packed.as_bytes().len(), "nothing more is held");
}

#[test]
fn nothing_is_held_for_a_length_that_is_only_claimed() {
    let mut fetch = Fetch::new(code_hash(NEWRENO), Form::Binary, None);
    let offer = Offer { size: 1, packed_size: PACKED_MAX as u32, packed_hash: [0; 32], manifest: Vec::new() };
    let head = battery::emit(&Answer::Sends { offset: 0, offer });
    assert_eq!(take(&mut fetch, &head, 7), Err(FetchError::Cut { at: 0, of: PACKED_MAX as u32 }));
    assert!(fetch.into_part().is_none());
}

#[test]
fn other_code_than_was_asked_for_is_found_out() {
    let other = sent(Packed::new(b"another module").expect("small").as_bytes(), 14);
    assert_eq!(opened(&other, code_hash(NEWRENO), Form::Binary), Err(FetchError::WrongHash));
    let mut changed = sent(Packed::new(NEWRENO).expect("small").as_bytes(), NEWRENO.len() as u32);
    let last = changed.len() - 1;
    changed[last] ^= 1;
    assert_eq!(opened(&changed, code_hash(NEWRENO), Form::Binary), Err(FetchError::WrongHash));
}

#[test]
fn a_stream_that_ends_early_is_an_error_at_every_byte() {
    let bytes = sent(Packed::new(&NEWRENO[..2_000]).expect("small").as_bytes(), 2_000);
    for cut in 0..bytes.len() {
        let error = opened(&bytes[..cut], code_hash(NEWRENO), Form::Binary);
        assert!(matches!(error, Err(FetchError::Cut { .. })), "{cut}: {error:?}");
    }
}

#[test]
fn a_peer_that_breaks_the_rules_is_caught() {
    let offer = Packed::new(NEWRENO).expect("small").offer(Vec::new());
    for (what, answer) in [
        ("an offset that nobody asked for", Answer::Sends { offset: 5, offer }),
        ("it takes", Answer::Take { offset: 0 }),
        ("it has taken", Answer::Taken),
    ] {
        let error = opened(&battery::emit(&answer), code_hash(NEWRENO), Form::Binary);
        assert!(matches!(error, Err(FetchError::Malformed(_))), "{what}: {error:?}");
    }
    for bytes in [&[0x77, 0, 0][..], &[0x10, 0xff, 0xff], &[0x3f, 0, 0]] {
        let error = opened(bytes, code_hash(NEWRENO), Form::Binary);
        assert!(matches!(error, Err(FetchError::Malformed(_))), "{bytes:?}: {error:?}");
    }
}

#[test]
fn the_text_comes_on_request_and_is_nobodys_word_but_the_peers() {
    let mut shelf = Memory::of(NEWRENO);
    let hash = code_hash(NEWRENO);
    let text_of = |shelf: &Memory| {
        let mut fetch = Fetch::new(hash, Form::Text, None);
        let bytes = asked(&mut Desk::default(), shelf, peer(1), fetch.ask());
        take(&mut fetch, &bytes, 1000)?;
        fetch.open()
    };
    assert_eq!(text_of(&shelf), Err(FetchError::Declined(Declined::NotHere)));
    shelf.text = Some(NEWRENO_TEXT.into());
    let code = text_of(&shelf).expect("it has a text");
    assert!(code.form == Form::Text && code.module == NEWRENO_TEXT);
}

#[test]
fn what_is_not_there_not_allowed_or_damaged_is_declined_by_name() {
    let declined = |shelf: &Memory, hash| {
        let bytes = asked(&mut Desk::default(), shelf, peer(1), Fetch::new(hash, Form::Binary, None).ask());
        opened(&bytes, hash, Form::Binary).map(drop)
    };
    let hash = code_hash(NEWRENO);
    let mut shelf = Memory::of(NEWRENO);
    assert_eq!(declined(&shelf, hash), Ok(()), "control");
    assert_eq!(declined(&shelf, code_hash(b"other")), Err(FetchError::Declined(Declined::NotHere)));
    shelf.shuts_out = Some(peer(1));
    assert_eq!(declined(&shelf, hash), Err(FetchError::Declined(Declined::NotAllowed)));
    let mut shelf = Memory::of(NEWRENO);
    shelf.modules.insert(hash, (NEWRENO[1..].into(), Vec::new()));
    assert_eq!(declined(&shelf, hash), Err(FetchError::Declined(Declined::NotHere)), "its bytes are others");
    shelf.modules.insert(hash, (NEWRENO.into(), vec![0; MANIFEST_MAX + 1]));
    assert_eq!(declined(&shelf, hash), Err(FetchError::Declined(Declined::TooLarge)));
}

/// Pushes until the end, or until so many requests were made.
fn push(desk: &mut Desk, shelf: &Memory, from: Eid, module: &[u8], most: usize) -> Result<Pushed, PushError> {
    let packed = Packed::new(module).expect("small");
    let mut push = Push::new(code_hash(module), packed, b"a manifest".to_vec());
    let mut pushed = Pushed::Goes { at: 0, of: 0 };
    for _ in 0..most {
        pushed = push.heard(&answer(desk, shelf, from, &push.request()))?;
        if pushed == Pushed::Taken {
            break;
        }
    }
    Ok(pushed)
}

#[test]
fn a_push_is_taken_in_pieces_or_declined_with_the_reason() {
    let (mut desk, mut shelf) = (Desk::default(), Memory { takes: true, ..Memory::default() });
    for module in [NEWRENO.to_vec(), noise(MODULE_MAX, 5)] {
        assert_eq!(push(&mut desk, &shelf, peer(1), &module, 99), Ok(Pushed::Taken));
        let code = shelf.taken().pop().expect("it was taken");
        assert!(code.module == module && code.hash == code_hash(&module) && code.manifest == b"a manifest");
    }
    let has = Memory::of(NEWRENO);
    assert_eq!(push(&mut desk, &has, peer(1), NEWRENO, 99), Err(PushError::Declined(Declined::AlreadyHere)));
    shelf.takes = false;
    assert_eq!(push(&mut desk, &shelf, peer(1), NEWRENO, 99), Err(PushError::Declined(Declined::NotAllowed)));
    assert_eq!(shelf.taken().len(), 2);
}

#[test]
fn a_push_that_was_cut_goes_on_where_it_was_and_another_peers_does_not() {
    let (mut desk, shelf) = (Desk::default(), Memory { takes: true, ..Memory::default() });
    let module = noise(MODULE_MAX, 6);
    let cut = push(&mut desk, &shelf, peer(1), &module, 11);
    let at = 10 * PIECE_MAX as u32;
    assert!(matches!(cut, Ok(Pushed::Goes { at: reached, .. }) if reached == at), "{cut:?}");
    let again = push(&mut desk, &shelf, peer(1), &module, 1);
    assert!(matches!(again, Ok(Pushed::Goes { at: reached, .. }) if reached == at), "{again:?}");
    let other = push(&mut desk, &shelf, peer(2), &module, 1);
    assert!(matches!(other, Ok(Pushed::Goes { at: 0, .. })), "what one peer brought is no other's: {other:?}");
    assert_eq!(push(&mut desk, &shelf, peer(1), &module, 99), Ok(Pushed::Taken));
    assert!(shelf.taken()[0].module == module);
}

#[test]
fn what_is_pushed_under_another_hash_damaged_or_as_a_bomb_is_declined_by_name() {
    let shelf = Memory { takes: true, ..Memory::default() };
    let hash = code_hash(NEWRENO);
    let ends = |packed: &[u8], packed_hash: [u8; 32], size: u32| {
        let mut desk = Desk::default();
        let offer = Offer { size, packed_size: packed.len() as u32, packed_hash, manifest: Vec::new() };
        let take = answer(&mut desk, &shelf, peer(1), &Request::Push { hash, offer });
        assert_eq!(take, Answer::Take { offset: 0 });
        let give = Give { hash, offset: 0, piece: packed.to_vec() };
        let end = answer(&mut desk, &shelf, peer(1), &Request::Give(give.clone()));
        let after = answer(&mut desk, &shelf, peer(1), &Request::Give(give));
        assert_eq!(after, Answer::Declined(Declined::NotOffered), "it is over");
        end
    };
    let packed = Packed::new(NEWRENO).expect("small");
    let (bytes, size) = (packed.as_bytes(), NEWRENO.len() as u32);
    assert_eq!(ends(bytes, *packed.hash(), size), Answer::Taken, "control");
    assert_eq!(ends(bytes, [0; 32], size), Answer::Declined(Declined::WrongHash));
    let other = Packed::new(b"another module").expect("small");
    assert_eq!(ends(other.as_bytes(), *other.hash(), 14), Answer::Declined(Declined::WrongHash));
    let bomb = bomb(100);
    assert_eq!(ends(&bomb, *blake3::hash(&bomb).as_bytes(), 9), Answer::Declined(Declined::Bomb));
    assert_eq!(shelf.taken().len(), 1);
}

#[test]
fn pieces_out_of_turn_are_asked_for_again_and_small_ones_end_the_push() {
    let (mut desk, shelf) = (Desk::default(), Memory { takes: true, ..Memory::default() });
    let packed = Packed::new(NEWRENO).expect("small");
    let hash = code_hash(NEWRENO);
    let give = |desk: &mut Desk, offset: u32, piece: &[u8]| {
        answer(desk, &shelf, peer(1), &Request::Give(Give { hash, offset, piece: piece.to_vec() }))
    };
    let offer = packed.offer(Vec::new());
    answer(&mut desk, &shelf, peer(1), &Request::Push { hash, offer });
    assert_eq!(give(&mut desk, 7, &packed.as_bytes()[7..]), Answer::Take { offset: 0 });
    assert_eq!(give(&mut desk, 0, &packed.as_bytes()[..7]), Answer::Declined(Declined::Malformed));
    assert_eq!(give(&mut desk, 0, packed.as_bytes()), Answer::Declined(Declined::NotOffered));
}

#[test]
fn a_receiver_that_wants_the_same_again_and_again_or_what_is_not_there_is_left() {
    let packed = Packed::new(&noise(200_000, 7)).expect("small");
    let mut push = Push::new(code_hash(NEWRENO), packed, Vec::new());
    assert!(push.heard(&Answer::Take { offset: 5 }).is_ok());
    for _ in 0..2 {
        assert!(push.heard(&Answer::Take { offset: 5 }).is_ok());
    }
    assert!(matches!(push.heard(&Answer::Take { offset: 5 }), Err(PushError::Malformed(_))));
    assert!(matches!(push.heard(&Answer::Take { offset: PACKED_MAX as u32 }), Err(PushError::Malformed(_))));
    let offer = Packed::new(NEWRENO).expect("small").offer(Vec::new());
    assert!(matches!(push.heard(&Answer::Sends { offset: 0, offer }), Err(PushError::Malformed(_))));
}

#[test]
fn pushes_under_way_have_a_bound_and_what_is_silent_gives_way() {
    let shelf = Memory { takes: true, ..Memory::default() };
    let mut desk = Desk::default();
    let offered = |desk: &mut Desk, now, from: u64, number: u64| {
        let offer = Offer { size: 9, packed_size: 9, packed_hash: [1; 32], manifest: Vec::new() };
        let request = Request::Push { hash: code_hash(&number.to_be_bytes()), offer };
        match desk.answer(&shelf, now, peer(from), request) {
            Reply::Answer(answer) => answer,
            Reply::Supply(_) => panic!("nobody asked"),
        }
    };
    for number in 0..20 {
        assert_eq!(offered(&mut desk, NOW, 1, number), Answer::Take { offset: 0 }, "its own give way");
    }
    for from in 2..8 {
        assert_eq!(offered(&mut desk, NOW, from, 0), Answer::Take { offset: 0 });
    }
    assert_eq!(offered(&mut desk, NOW, 9, 0), Answer::Declined(Declined::Busy));
    let later = NOW + core::time::Duration::from_secs(60);
    assert_eq!(offered(&mut desk, later, 9, 0), Answer::Take { offset: 0 });
}

#[test]
fn a_peer_that_asks_for_a_thousand_gets_what_a_day_allows_and_another_has_its_own() {
    let mut shelf = Memory::default();
    let modules: Vec<_> = (0..1_000).map(|number| noise(100, number)).collect();
    for module in &modules {
        shelf.modules.insert(code_hash(module), (module.as_slice().into(), Vec::new()));
    }
    let mut desk = Desk::default();
    let got = |desk: &mut Desk, now, from| {
        let gets = |module: &&Vec<u8>| {
            let ask = Fetch::new(code_hash(module), Form::Binary, None).ask();
            match desk.answer(&shelf, now, peer(from), Request::Ask(ask)) {
                Reply::Supply(_) => true,
                Reply::Answer(answer) => {
                    assert_eq!(answer, Answer::Declined(Declined::TooMuchToday));
                    false
                }
            }
        };
        modules.iter().filter(gets).count() as u64
    };
    assert_eq!(got(&mut desk, NOW, 1), DayLimits::PEER.transfers);
    assert_eq!(got(&mut desk, NOW, 1), 0);
    assert_eq!(got(&mut desk, NOW, 2), DayLimits::PEER.transfers);
    let tomorrow = Instant::from_secs(24 * 60 * 60);
    assert_eq!(got(&mut desk, tomorrow, 1), DayLimits::PEER.transfers);
    // Control: without limits it has them all.
    let all = DayLimits { transfers: u64::MAX, bytes: u64::MAX };
    assert_eq!(got(&mut Desk::new(Allowance::new(all, all)), NOW, 1), 1_000);
}

#[test]
fn bytes_are_limited_by_peer_and_day_in_each_direction_and_what_is_not_sent_is_given_back() {
    let each = DayLimits { transfers: 99, bytes: 250_000 };
    let mut desk = Desk::new(Allowance::new(each, DayLimits::ALL));
    let module = noise(100_000, 8);
    let shelf = Memory::of(&module);
    let ask = Fetch::new(code_hash(&module), Form::Binary, None).ask();
    let supply = |desk: &mut Desk| match desk.answer(&shelf, NOW, peer(1), Request::Ask(ask)) {
        Reply::Supply(supply) => Ok(supply),
        Reply::Answer(answer) => Err(answer),
    };
    let (first, _second) = (supply(&mut desk).expect("there is room"), supply(&mut desk).expect("there is room"));
    assert_eq!(supply(&mut desk).err(), Some(Answer::Declined(Declined::TooMuchToday)));
    desk.sent(&first, 40_000);
    let third = supply(&mut desk).expect("what was not sent is there again");
    desk.sent(&third, usize::MAX);
    assert_eq!(supply(&mut desk).err(), Some(Answer::Declined(Declined::TooMuchToday)));
    // The other direction has its own.
    let takes = Memory { takes: true, ..Memory::default() };
    assert_eq!(push(&mut desk, &takes, peer(1), &noise(200_000, 9), 99), Ok(Pushed::Taken));
    let more = push(&mut desk, &takes, peer(1), &noise(200_000, 10), 99);
    assert_eq!(more, Err(PushError::Declined(Declined::TooMuchToday)));
}

#[test]
fn all_peers_together_have_a_limit_and_few_are_counted_one_by_one() {
    let all = DayLimits { transfers: 5_000, bytes: 5_000 };
    let mut allowance = Allowance::new(DayLimits { transfers: 2, bytes: 99 }, all);
    let heavy = peer(1 << 40);
    for _ in 0..2 {
        allowance.begin(NOW, heavy, Direction::Given).expect("the first two");
    }
    for number in 0..4_998 {
        allowance.begin(NOW, peer(number), Direction::Given).expect("there is room");
        let _kept = allowance.reserve(NOW, peer(number), Direction::Given, 1).expect("there is room");
    }
    assert_eq!(allowance.begin(NOW, peer(7_000), Direction::Given), Err(Declined::TooMuchToday));
    assert!(allowance.begin(NOW, peer(7_000), Direction::Taken).is_ok());
    assert_eq!(allowance.peers(), 1_024);
    assert!(allowance.reserve(NOW, peer(7_000), Direction::Given, 3).is_err());
    let kept = allowance.reserve(NOW, peer(7_000), Direction::Given, 2).expect("so much is left");
    allowance.give_back(kept, 2);
    assert!(allowance.reserve(NOW, peer(7_000), Direction::Given, 2).is_ok(), "it was given back");
}

#[test]
fn what_was_set_aside_yesterday_is_not_given_back_today() {
    let each = DayLimits { transfers: 9, bytes: 100 };
    let mut allowance = Allowance::new(each, DayLimits::ALL);
    let yesterday = allowance.reserve(NOW, peer(1), Direction::Given, 80).expect("there is room");
    let today = Instant::from_secs(24 * 60 * 60);
    let _kept = allowance.reserve(today, peer(1), Direction::Given, 90).expect("another day");
    allowance.give_back(yesterday, 80);
    assert!(allowance.reserve(today, peer(1), Direction::Given, 11).is_err());
    assert!(allowance.reserve(NOW, peer(1), Direction::Given, 11).is_err(), "a clock that goes back makes no new day");
}

#[test]
fn what_was_there_already_is_only_checked() {
    let packed = Packed::new(NEWRENO).expect("small");
    let part = Part::new(*packed.hash(), packed.as_bytes().to_vec());
    let mut fetch = Fetch::new(code_hash(NEWRENO), Form::Binary, part);
    let have = Have { len: packed.as_bytes().len() as u32, packed_hash: *packed.hash() };
    assert_eq!(fetch.ask().have, Some(have));
    let bytes = asked(&mut Desk::default(), &Memory::of(NEWRENO), peer(1), fetch.ask());
    let mut input = &bytes[..];
    assert!(matches!(fetch.step(&mut input), Ok(Some(Step::Begin { .. }))));
    assert!(input.is_empty());
    assert_eq!(fetch.step(&mut input), Ok(Some(Step::Whole)));
    assert!(fetch.open().expect("whole").module == NEWRENO);
}
