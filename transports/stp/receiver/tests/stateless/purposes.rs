//! Clients that do more than bring an object: one joins images, one prepares what its server reads.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stp_guest_trickles::{ERROR_ASKED, ERROR_OBJECT, HEAD_LEN_MAX, Http, Watermark};
use tng_crypto::Secret32;
use tng_services::files::SafePath;
use tng_services::stateless;
use tng_services::watermark::battery::Sample;
use tng_services::watermark::wire::{Asking, Head, What};
use tng_services::watermark::{Image, Layout, Marks, PIECE_HEAD, Work};
use tng_stp_host::{Code, End};
use tng_stp_receiver::{Event, ReceiverError};

use crate::world::{Library, Run, byte, compiled, path, seeds};

const SECOND: Duration = Duration::from_secs(1);
const WATERMARK: &[u8] = include_bytes!("../../../guests/modules/watermark.wasm");
const HTTP: &[u8] = include_bytes!("../../../guests/modules/http.wasm");

/// A marked image in the ways in which a server has it.
struct Photo(BTreeMap<Vec<u8>, Vec<u8>>);

fn asking(what: What) -> Vec<u8> {
    Asking { what, path: SafePath::parse("alice/a.jpg").expect("a path") }.to_bytes().expect("a short one")
}

const VERSION: u64 = 77;

impl Photo {
    fn of(file: &[u8]) -> Photo {
        let (image, mut work) = (Image::parse(file).expect("an image"), Work::default());
        let mark = Marks::new(Secret32::from_bytes([7; 32])).mark("alice");
        let (whole, _) = Layout::alignments(&image, &mark, &mut work).expect("whole");
        let skips = Layout::skips(&image, &mut work).expect("whole");
        let [whole, skips] = [whole, skips]
            .map(|layout| layout.bytes(&image, &mark, 0..layout.len(&image), &mut Work::default()).expect("whole"));
        let (head, tail) = (image.head().to_vec(), image.tail().to_vec());
        let head = Head { of: VERSION, mcus: image.mcus(), head, tail }.to_bytes();
        Photo(BTreeMap::from([
            (asking(What::File { start: 0 }), whole),
            (asking(What::Head), head),
            (asking(What::Skips { of: VERSION }), skips),
        ]))
    }

    /// The file, as its client is to have it.
    fn file(&self) -> Vec<u8> {
        self.0[&asking(What::File { start: 0 })].clone()
    }

    /// What the server has in the place of one of them.
    fn with(mut self, what: What, change: impl FnOnce(&mut Vec<u8>)) -> Photo {
        change(self.0.get_mut(&asking(what)).expect("it is there"));
        self
    }
}

impl Library for Photo {
    fn find(&self, asked: &[u8]) -> Option<(u64, u64)> {
        Some((self.0.get(asked)?.len() as u64, 0))
    }

    fn fill(&self, asked: &[u8], from: u64, buf: &mut [u8]) {
        buf.copy_from_slice(&self.0[asked][from as usize..][..buf.len()]);
    }
}

#[test]
fn an_image_that_comes_in_pieces_is_joined_at_the_client_bit_by_bit_and_read_whole() {
    for seed in seeds(3) {
        let interval = [0, 3, 16][seed as usize % 3];
        let sample = Sample { width: 1_600, height: 1_200, interval, is_optimised: true, ..Sample::default() };
        let photo = Photo::of(&sample.draw(seed));
        let file = photo.file();
        let mut run = Run::of(Arc::new(photo), seed, &path());
        let id = run.ask(&compiled(WATERMARK), &asking(What::File { start: 0 }), |workshop| workshop);
        let took = run.end(id, 60 * SECOND);
        let node = run.receiver(id);
        let fuel = node.machine.transport().usage().fuel / file.len() as u64;
        println!("an image of {} bytes took {took:?}, and {fuel} of fuel a byte", file.len());
        assert!(node.app.got == file, "seed {seed}: another image: {} bytes", node.app.got.len());
        assert_eq!(node.app.events, [Event::Connected]);
    }
}

#[test]
fn the_module_that_joins_does_what_the_guest_compiled_in_does() {
    let file = Sample { width: 500, height: 400, ..Sample::default() }.draw(3);
    let of = |code: &Code| {
        let mut run = Run::of(Arc::new(Photo::of(&file)), 1, &path());
        let id = run.ask(code, &asking(What::File { start: 0 }), |workshop| workshop);
        (run.end(id, 60 * SECOND), *run.receiver(id).machine.transport().shim().traffic())
    };
    assert_eq!(of(&Code::native::<Watermark>("watermark")), of(&compiled(WATERMARK)));
}

/// How a guest ends that is told this, and what it has logged.
fn refused(library: impl Library + 'static, code: &Code, said: &[u8]) -> (u32, String, usize) {
    let mut run = Run::of(Arc::new(library), 1, &path());
    let id = run.ask(code, said, |workshop| workshop);
    run.until(id, usize::MAX, 20 * SECOND);
    let node = run.receiver(id);
    let ended = node.app.events.iter().find_map(|event| match event {
        Event::Ended(ReceiverError::Guest(End::Failed(code))) => Some(*code),
        _ => None,
    });
    let shim = node.machine.transport().shim();
    let code = ended.unwrap_or_else(|| panic!("{:?}, {:?}", node.app.events, shim.lines()));
    (code, shim.lines().join("; "), node.app.got.len())
}

/// Where the last piece begins.
fn last_piece(pieces: &[u8]) -> usize {
    let (mut at, mut last) = (0, 0);
    while let Some([_, a, b, c, d, e]) = pieces[at..].first_chunk::<PIECE_HEAD>() {
        let bits = u32::from_be_bytes([0, *a, *b, *c]) + u32::from(u16::from_be_bytes([*d, *e]));
        (last, at) = (at, at + PIECE_HEAD + bits as usize / 8);
    }
    last
}

#[test]
fn pieces_that_make_no_image_are_told_from_one() {
    let photo = || Photo::of(&Sample { width: 300, height: 200, ..Sample::default() }.draw(5));
    let skips = What::Skips { of: VERSION };
    let code = Code::native::<Watermark>("watermark");
    let said = asking(What::File { start: 0 });
    for (photo, words) in [
        (photo().with(What::Head, |head| head.truncate(7)), "the head of the image is none"),
        (photo().with(What::Head, |head| head.resize(HEAD_LEN_MAX + 1, 0)), "longer than"),
        (photo().with(skips, |pieces| pieces.truncate(pieces.len() - 1)), "half a piece"),
        (photo().with(skips, |pieces| pieces.truncate(PIECE_HEAD - 1)), "half a piece"),
        (photo().with(skips, |pieces| pieces[0] = 9), "no piece of an image"),
        (photo().with(skips, |pieces| pieces.extend(pieces.clone())), "do not make an image"),
        (photo().with(skips, |pieces| pieces.truncate(last_piece(pieces))), "no end"),
    ] {
        println!("wanted: {words}");
        let (code, line, _) = refused(photo, &code, &said);
        assert_eq!(code, ERROR_OBJECT, "{line}");
        assert!(line.contains(words), "{words}: {line}");
    }
    for said in [&b"alice/a.jpg"[..], &asking(What::Head), &asking(What::File { start: 1 })] {
        let (code, line, got) = refused(photo(), &code, said);
        assert_eq!((code, got), (ERROR_ASKED, 0), "{line}");
    }
}

/// A file of 300,000 bytes, of a server that takes nothing but what the protocol of files has, and counts what it was
/// asked.
#[derive(Clone, Default)]
struct Files {
    asked: Arc<AtomicUsize>,
}

impl Library for Files {
    fn find(&self, asked: &[u8]) -> Option<(u64, u64)> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let stateless::Asking { what, start, path } = stateless::Asking::parse(asked).expect("the guest prepares it");
        (what == stateless::What::File && path.as_str() == "films/a b.mkv").then_some((300_000, start))
    }

    fn fill(&self, _: &[u8], from: u64, buf: &mut [u8]) {
        buf.iter_mut().zip(from..).for_each(|(place, at)| *place = byte(at));
    }
}

#[test]
fn a_request_of_http_is_parsed_at_the_client_and_its_server_takes_what_that_prepares() {
    let browser = "Host: films.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nCookie: a=b\r\n";
    let codes = [compiled(HTTP), Code::native::<Http>("http")];
    for (range, wanted) in [
        ("", 0..300_000),
        ("Range: bytes=0-0\r\n", 0..1),
        ("Range: bytes=100000-199999\r\n", 100_000..200_000),
        ("range: Bytes=299990-\r\n", 299_990..300_000),
        ("Range: bytes=299990-999999\r\n", 299_990..300_000),
        ("Range: lines=1-2\r\n", 0..300_000),
    ] {
        let said = format!("GET /films/a%20b.mkv HTTP/1.1\r\n{browser}{range}\r\n");
        for code in &codes {
            let mut run = Run::of(Arc::new(Files::default()), 1, &path());
            let id = run.ask(code, said.as_bytes(), |workshop| workshop);
            run.end(id, 60 * SECOND);
            let got = &run.receiver(id).app.got;
            assert!(got.iter().copied().eq(wanted.clone().map(byte)), "{range:?}: {} bytes", got.len());
        }
    }
}

#[test]
fn text_that_is_no_request_is_refused_at_the_client_and_nothing_of_it_is_sent() {
    let get = |target: &str, fields: &str| format!("GET {target} HTTP/1.1\r\n{fields}\r\n");
    for (said, words) in [
        ("films/a b.mkv".to_owned(), "no request of HTTP"),
        ("GET /a HTTP/1.1\r\n".to_owned(), "no request of HTTP"),
        ("GET /a HTTP/2\r\n\r\n".to_owned(), "no request of HTTP"),
        (get("/a", "") + "more", "no request of HTTP"),
        (get("/a", &"a: b\r\n".repeat(40)), "no request of HTTP"),
        ("PUT /a HTTP/1.1\r\n\r\n".to_owned(), "and no more: GET"),
        (get("/a", "Content-Length: 4\r\n"), "it has a body"),
        (get("/a", "Transfer-Encoding: chunked\r\n"), "it has a body"),
        (get("/", ""), "no path of a file"),
        (get("a", ""), "no path of a file"),
        (get("/a?b=c", ""), "no path of a file"),
        (get("http://host/a", ""), "no path of a file"),
        (get("/a%2", ""), "two hexadecimal digits"),
        (get("/a%ff", ""), "UTF-8"),
        (get("/a/%2e%2e/%2e%2e/etc/passwd", ""), "could lead out of the folder"),
        (get("//etc/passwd", ""), "the path is absolute"),
        (get(&format!("/{}", "a/".repeat(300) + "b"), ""), "too long"),
        (get("/a", "Range: bytes=-5\r\n"), "one range"),
        (get("/a", "Range: bytes=0-1,4-5\r\n"), "one range"),
        (get("/a", "Range: bytes=5-2\r\n"), "one range"),
        (get("/a", "Range: bytes=0-1\r\nRange: bytes=0-1\r\n"), "one range"),
        (String::new(), "nothing"),
        (get("/a", &format!("a: {}\r\n", "b".repeat(5_000))), "too much"),
    ] {
        let files = Files::default();
        let (code, line, got) = refused(files.clone(), &Code::native::<Http>("http"), said.as_bytes());
        assert_eq!((code, got), (ERROR_ASKED, 0), "{said:?}: {line}");
        assert!(line.contains(words), "{said:?}: {line}");
        assert_eq!(files.asked.load(Ordering::Relaxed), 0, "{said:?}: nobody is asked");
    }
}
