//! What is made of what applications write, whole, cut and changed.

use stp_guest_trickles::{Image, Purpose, Request};
use tng_base::Rng;
use tng_services::files::SafePath;
use tng_services::stateless::{self, BadAsking};
use tng_services::watermark::wire;

/// As a program writes it that knows no better than to write all bytes of a path as three.
fn request(path: &str, range: Option<(u64, Option<u64>)>) -> String {
    let path: String = path.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let last = |last: Option<u64>| last.map_or_else(String::new, |last| last.to_string());
    let range = range.map_or_else(String::new, |(first, end)| format!("Range: bytes={first}-{}\r\n", last(end)));
    format!("GET /{path} HTTP/1.1\r\nHost: a\r\n{range}Accept: */*\r\n\r\n")
}

/// What a request of HTTP becomes is what the server reads; it is told which bytes it wants by that, and by its
/// options.
fn check(said: &[u8]) -> Option<stateless::Asking> {
    let (_, wanted) = Request::begin(said).ok()?;
    let asking = stateless::Asking::parse(&wanted.bytes).expect("the server takes what was prepared");
    assert_eq!((asking.what, asking.start), (stateless::What::File, wanted.from));
    assert!(wanted.until.is_none_or(|until| until > wanted.from));
    assert!(!asking.path.is_root() && wanted.bytes.len() <= stateless::ASKING_MAX);
    Some(asking)
}

#[test]
fn a_request_becomes_what_the_server_reads_as_the_same_path_and_first_byte() {
    let mut rng = Rng::from_u64(1);
    for _ in 0..2_000 {
        let names: Vec<String> = (0..1 + rng.below(4)).map(|_| format!("ä b%{}", rng.below(1_000))).collect();
        let (path, first) = (names.join("/"), rng.below(1 << 40));
        let last = (rng.below(2) == 0).then(|| first + rng.below(1_000));
        let asking = check(request(&path, Some((first, last))).as_bytes()).expect("a good one");
        assert_eq!((asking.path.as_str(), asking.start), (&path[..], first));
        assert_eq!(check(request(&path, None).as_bytes()).expect("a good one").start, 0);
    }
}

#[test]
fn a_request_that_is_cut_is_refused_wherever_that_is() {
    let whole = request("films/a.mkv", Some((5, Some(9))));
    for len in 0..whole.len() {
        assert!(Request::begin(&whole.as_bytes()[..len]).is_err(), "{len}");
    }
    assert!(check(whole.as_bytes()).is_some());
}

#[test]
fn whatever_is_written_is_refused_or_becomes_what_the_server_reads() {
    let mut rng = Rng::from_u64(2);
    let (http, image) = (request("films/a.mkv", Some((5, Some(9)))).into_bytes(), b"\x01\x00alice/a.jpg".to_vec());
    let (mut good, mut bad) = (0, 0);
    for _ in 0..50_000 {
        let mut said = if rng.below(2) == 0 { http.clone() } else { image.clone() };
        for _ in 0..rng.below(4) {
            let at = rng.below(said.len() as u64) as usize;
            match rng.below(3) {
                0 => said[at] = rng.below(256) as u8,
                1 => _ = said.remove(at),
                _ => said.insert(at, rng.below(256) as u8),
            }
        }
        let taken = check(&said).is_some();
        let joined = Image::begin(&said).ok().map(|(_, wanted)| wanted);
        if let Some(wanted) = &joined {
            let asking = wire::Asking::parse(&wanted.bytes).expect("the server takes what was prepared");
            assert_eq!((asking.what, wanted.from, wanted.until), (wire::What::Head, 0, None));
        }
        let is_good = taken || joined.is_some();
        (good, bad) = (good + u32::from(is_good), bad + u32::from(!is_good));
    }
    assert!(good > 1_000 && bad > 1_000, "{good} and {bad}");
}

#[test]
fn a_path_is_as_long_as_the_server_allows_and_no_longer() {
    let path = |len: usize| ["n".repeat(200), "n".repeat(200), "n".repeat(len - 402)].join("/");
    let longest = path(stateless::PATH_MAX);
    assert_eq!(longest.len(), stateless::PATH_MAX);
    assert!(check(request(&longest, None).as_bytes()).is_some());
    let longer = path(stateless::PATH_MAX + 1);
    assert_eq!(
        Request::begin(request(&longer, None).as_bytes()).expect_err("too long").0,
        BadAsking::TooLong.to_string()
    );
    assert!(SafePath::parse(&longer).is_ok(), "control: others take it");
}
