//! Images are served over paths that lose packets, by servers that forget.

use std::collections::BTreeMap;
use std::fs;
use std::iter::once;
use std::time::Duration;

use tng_base::{RangeSet, Rng};
use tng_crypto::Secret32;
use tng_services::files::Answer as Message;
use tng_services::watermark::battery::Sample;
use tng_services::watermark::wire::IMAGE_FAULT_BASE;
use tng_services::watermark::{Joiner, look};
use tng_trickles::ConnectionId;
use tng_trickles::client::{ObjectError, Policy};
use tng_trickles::server::CacheConfig;
use tng_wire::{Reader, Repr};

use super::super::images::LAYOUTS_WAITING_MAX;
use super::*;
use crate::trickles::world::World;

/// MCUs that are asked for at once.
const MCUS: u32 = crate::trickles::watermark::MCUS_PER_ASKING;
const WAYS: [&str; 3] = ["alignments", "skips", "mcus"];

fn marks() -> Marks {
    Marks::new(Secret32::from_bytes([7; 32]))
}

fn serve(folder: &tempfile::TempDir) -> Marked {
    serve_with(folder, 64 << 20)
}

fn serve_with(folder: &tempfile::TempDir, bytes: usize) -> Marked {
    Marked::new(Root::new(folder.path()).expect("a folder"), marks(), bytes).expect("a thread").at_once()
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).expect("written"));
    folder
}

/// The path of an image for a client.
fn path(name: &str, image: &str) -> SafePath {
    SafePath::parse(&format!("{}/{image}", marks().folder(name).expect("a name"))).expect("a path")
}

fn asking(what: What, path: &SafePath) -> Vec<u8> {
    Asking { what, path: path.clone() }.to_bytes().expect("short")
}

/// Fetches an image in one of the ways.
fn fetch<A: Application>(world: &mut World<A>, path: &SafePath, way: &str) -> Result<Vec<u8>, ObjectError> {
    if way == "alignments" {
        return world.get(asking(What::File { start: 0 }, path));
    }
    let head = Head::parse(&world.get(asking(What::Head, path))?).expect("a head");
    let mut pieces = Vec::new();
    if way == "skips" {
        pieces = world.get(asking(What::Skips { of: head.of }, path))?;
    } else {
        let firsts: Vec<u32> = (0..head.mcus).step_by(MCUS as usize).collect();
        for firsts in firsts.chunks(64) {
            let ask = |first: &u32| world.ask(asking(What::Mcus { of: head.of, first: *first, count: MCUS }, path));
            let asked: Vec<_> = firsts.iter().map(ask).collect();
            for id in asked {
                pieces.extend(world.finish(id)?);
            }
        }
    }
    let mut joiner = Joiner::default();
    assert_eq!(joiner.join(&pieces), Ok(pieces.len()));
    assert!(joiner.is_over());
    Ok([head.head, joiner.take(), head.tail].concat())
}

/// The version of an image.
fn version<A: Application>(world: &mut World<A>, path: &SafePath) -> u64 {
    Head::parse(&world.get(asking(What::Head, path)).expect("told")).expect("a head").of
}

/// What the whole would be.
fn marked(file: &[u8], name: &str) -> Vec<u8> {
    let (image, mark, mut work) = (Image::parse(file).expect("an image"), marks().mark(name), Work::default());
    let (layout, _) = Layout::alignments(&image, &mark, &mut work).expect("whole");
    layout.bytes(&image, &mark, 0..layout.len(&image), &mut work).expect("whole")
}

#[test]
fn three_ways_bring_the_same_bytes_over_a_path_that_loses_packets_from_servers_that_forget_all_the_time() {
    for seed in 0..12 {
        let sample = Sample { width: 300, height: 260, ..Sample::drawn(&mut Rng::from_u64(seed)) };
        let file = sample.draw(seed);
        let folder = folder(&[("a.jpg", &file)]);
        let expected = marked(&file, "alice");
        for way in WAYS {
            let mut world = World::new(seed, Policy::Spray, vec![serve(&folder), serve(&folder)]);
            (world.loss, world.meddle) = (0.05, Marked::drop_all);
            let got = fetch(&mut world, &path("alice", "a.jpg"), way).expect("it comes");
            assert!(got == expected, "{way} {sample:?}");
            assert_ne!(got, fetch(&mut world, &path("bob", "a.jpg"), way).expect("it comes"));
        }
        let seen = look(&Image::parse(&expected).expect("an image")).expect("whole");
        assert_eq!(seen.find(&marks(), ["bob", "alice", "carol"]).map(|found| found.name), Ok("alice"));
    }
}

/// What of an answer to a put is an output continuation, and what stands around bytes.
const NO_BYTES_OF_FILES: u64 = 900;

/// Counts what is coded for bytes that are asked for the first time, and for bytes that were sent before.
struct Counting {
    marked: Marked,
    /// Of the row of each connection.
    sent: BTreeMap<[u8; ConnectionId::LEN], RangeSet>,
    first: u64,
    again: u64,
}

impl Application for Counting {
    fn version(&self) -> u16 {
        self.marked.version()
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        // Not all the room is for bytes of a file.
        let room = (answer.room() as u64).saturating_sub(NO_BYTES_OF_FILES);
        let ranges: Vec<Bytes> = match &asked {
            Asked::Put { reserved, .. } => once(reserved.start..reserved.end.min(reserved.start + room)).collect(),
            Asked::Want { ranges, .. } => ranges.iter().collect(),
            Asked::Close | Asked::Bad { .. } => Vec::new(),
        };
        let len = |ranges: &[Bytes]| ranges.iter().map(|range| range.end - range.start).sum::<u64>();
        let sent = self.sent.entry(answer.client().id.0).or_default();
        let sent_before = |range: &Bytes| (range.clone()).step_by(64).filter(|at| sent.covers(*at..at + 1)).count();
        let asked_again = 64 * ranges.iter().map(sent_before).sum::<usize>() as u64;
        let all = len(&ranges).max(1);
        ranges.into_iter().for_each(|range| _ = sent.insert(range));
        let before = self.marked.work().coded;
        self.marked.handle(asked, answer);
        let coded = self.marked.work().coded - before;
        // What one request costs is shared by all its bytes.
        let again = (coded * asked_again.min(all)).div_ceil(all);
        (self.first, self.again) = (self.first + coded - again, self.again + again);
    }
}

/// MCUs that are coded for an image in 20 worlds: for what is asked for the first time, and again; and how many packets
/// are lost.
fn work(folder: &tempfile::TempDir, way: &str, loss: f64, forget: Option<fn(&mut Counting)>) -> (u64, u64, u64) {
    let (mut first, mut again, mut lost) = (0, 0, 0);
    for seed in 0..20 {
        let counting = Counting { marked: serve(folder), sent: BTreeMap::new(), first: 0, again: 0 };
        let mut world = World::new(seed, Policy::Stay, vec![counting]);
        let path = path("alice", "a.jpg");
        // Where MCUs begin is found once, whatever is lost later: it is not counted.
        world.get(asking(What::About, &path)).expect("told");
        let start = world.application(0);
        (start.first, start.again) = (0, 0);
        world.loss = loss;
        if let Some(forget) = forget {
            let what = match way {
                "alignments" => What::File { start: 0 },
                _ => What::Skips { of: version(&mut world, &path) },
            };
            let id = world.ask(asking(what, &path));
            world.run_until(|world| world.has_come(id) > 0);
            world.meddle = forget;
            world.finish(id).expect("it comes");
        } else {
            fetch(&mut world, &path, way).expect("it comes");
        }
        lost += world.stats().lost;
        let counting = world.application(0);
        (first, again) = (first + counting.first, again + counting.again);
    }
    (first, again, lost)
}

#[test]
fn losses_of_one_packet_in_a_hundred_cost_at_most_two_hundredths_of_the_work() {
    let large = Sample { width: 1_600, height: 1_200, ..Sample::default() };
    let small = Sample { width: 800, height: 600, ..Sample::default() };
    let forgets: Option<fn(&mut Counting)> = Some(|counting| counting.marked.forget_places());
    // What is remembered of places and not of clients helps all; without it, by what was sealed alone, it is the same.
    let cases = [
        ("alignments", &large, None),
        ("skips", &large, None),
        ("mcus", &large, None),
        ("alignments", &small, forgets),
        ("skips", &small, forgets),
    ];
    for (way, sample, forget) in cases {
        let folder = folder(&[("a.jpg", &sample.draw(1))]);
        let ((free, none, _), (first, again, lost)) =
            (work(&folder, way, 0.0, forget), work(&folder, way, 0.01, forget));
        let (ratio, served) = ((first + again) as f64 / first as f64, 20 * sample.mcus());
        println!("{way}: {served} MCUs served; {free} coded without losses, none of them again ({none})");
        println!("{way}: {first} with {lost} packets lost, and {again} again: {ratio:.4}");
        assert!(lost > 10 && ratio > 1.0 && ratio <= 1.02, "{way}: {ratio}");
    }
}

#[test]
fn a_server_with_room_goes_on_in_the_mcu_where_a_request_has_ended_and_the_same_bytes_cost_less() {
    let sample = Sample { width: 1_600, height: 1_200, ..Sample::default() };
    let file = sample.draw(1);
    let (folder, path) = (folder(&[("a.jpg", &file)]), path("alice", "a.jpg"));
    for way in ["alignments", "skips"] {
        let coded = |caches: CacheConfig, lapse: f64| {
            let mut world = World::with(3, Policy::Stay, vec![serve(&folder)], caches);
            // By what was sealed alone, which has room for a few places.
            (world.meddle, world.lapse) = (Marked::forget_places, lapse);
            let got = fetch(&mut world, &path, way).expect("it comes");
            assert!(got == marked(&file, "alice"), "{way}");
            (world.application(0).work().coded, world.caches(0).parses)
        };
        let (all, none) = coded(CacheConfig::default(), 0.0);
        let (least, counts) = coded(CacheConfig::of_bytes(1 << 20), 0.0);
        let (between, lossy) = coded(CacheConfig::of_bytes(1 << 20), 0.1);
        println!("{way}: {} MCUs; {all} coded, {least} where a request's end is known: {counts:?}", sample.mcus());
        println!("{way}: {between} where one in ten is forgotten: {lossy:?}");
        assert_eq!((none.hits, none.bytes), (0, 0), "control");
        assert!(counts.hits > 50 && least < between && between < all, "{way}: {least} {between} {all}");
        // The layout, which was forgotten and is asked for twice, and what is served: beside it a third is left.
        let mcus = u64::from(sample.mcus());
        let floor = if way == "skips" { mcus } else { 3 * mcus };
        assert!(3 * (least - floor) < all - floor, "{way}: {least} of {all}");
    }
}

#[test]
fn what_is_no_image_to_mark_is_refused_by_name() {
    let good = Sample::default().draw(1);
    let changed = |at: &[u8], to: &[u8]| {
        let mut changed = good.clone();
        let place = good.windows(at.len()).position(|bytes| bytes == at).expect("there");
        changed[place..place + to.len()].copy_from_slice(to);
        changed
    };
    let frame = [0xff, 0xc0, 0, 17, 8, 0, 150, 0, 200, 3];
    let images = [
        ("text", b"no image".to_vec(), 0, "no JPEG"),
        ("progressive", changed(&[0xff, 0xc0], &[0xff, 0xc2]), 2, "progressive"),
        ("arithmetic", changed(&[0xff, 0xc0], &[0xff, 0xc9]), 3, "baseline"),
        ("cmyk", changed(&frame, &[0xff, 0xc0, 0, 17, 8, 0, 150, 0, 200, 4]), 4, "CMYK"),
        ("scans", changed(&[0xff, 0xda, 0, 12, 3], &[0xff, 0xda, 0, 12, 1]), 5, "one scan"),
        ("truncated", good[..good.len() / 2].to_vec(), 6, "truncated"),
        ("damaged", changed(&frame, &[0xff, 0xc0, 0, 17, 8, 0, 151, 1, 200, 3]), 7, "damaged"),
        ("pixel", changed(&frame, &[0xff, 0xc0, 0, 17, 8, 0, 1, 0, 1, 3]), 8, "too small"),
        ("plain", Sample { plain_percent: 100, ..Sample::default() }.draw(2), 9, "too plain"),
    ];
    let files: Vec<(&str, &[u8])> = images.iter().map(|(name, bytes, ..)| (*name, &bytes[..])).collect();
    let folder = folder(&files);
    fs::write(folder.path().join("good.jpg"), &good).expect("written");
    let mut world = World::new(1, Policy::Stay, vec![serve(&folder)]);
    for (name, _, code, words) in images {
        for what in [What::About, What::File { start: 0 }] {
            match world.get(asking(what, &path("alice", name))) {
                Err(ObjectError::Application { code: told, text }) => {
                    assert!(told == IMAGE_FAULT_BASE + code && text.contains(words), "{name}: {told} {text}");
                }
                got => panic!("{name}: {got:?}"),
            }
        }
    }
    assert_eq!(world.get(asking(What::File { start: 0 }, &path("alice", "good.jpg"))), Ok(marked(&good, "alice")));
    let fault = |world: &mut World<Marked>, bytes: Vec<u8>| match world.get(bytes) {
        Err(ObjectError::Application { code, .. }) => code,
        got => panic!("{got:?}"),
    };
    let stranger = SafePath::parse("alice.0000000000000000/good.jpg").expect("a path");
    assert_eq!(fault(&mut world, asking(What::About, &stranger)), 68, "a folder that nobody was given");
    assert_eq!(fault(&mut world, asking(What::About, &SafePath::root())), 68);
    assert_eq!(fault(&mut world, asking(What::About, &path("alice", "none.jpg"))), 65);
    let of = version(&mut world, &path("alice", "good.jpg"));
    let mcus = |of, first, count| asking(What::Mcus { of, first, count }, &path("alice", "good.jpg"));
    assert_eq!(fault(&mut world, mcus(of, 7, 16)), 71, "no piece begins there");
    assert_eq!(fault(&mut world, mcus(of, 0, u32::MAX)), 71, "more than may be asked for");
    assert_eq!(fault(&mut world, mcus(of, 1 << 20, 16)), 71, "behind the end");
    assert_eq!(fault(&mut world, mcus(of ^ 1, 0, 16)), 70, "of another version of the image");
    assert_eq!(fault(&mut world, b"\x02\x00what is there".to_vec()), 68, "images are fetched one by one");
    assert_eq!(fault(&mut world, b"\xff\x00what is there".to_vec()), 71);
}

#[test]
fn what_is_told_of_an_image_is_its_size_with_a_mark_and_its_hash() {
    let file = Sample::default().draw(1);
    let folder = folder(&[("a.jpg", &file)]);
    let mut world = World::new(1, Policy::Stay, vec![serve(&folder)]);
    for name in ["alice", "bob"] {
        let expected = marked(&file, name);
        let told = world.get(asking(What::Hash, &path(name, "a.jpg"))).expect("told");
        let mut reader = Reader::new(&told);
        let size = match Message::parse(&mut reader) {
            Ok(Message::File { size, offset: 0, .. }) => size,
            told => panic!("{told:?}"),
        };
        assert_eq!(size, expected.len() as u64);
        assert_eq!(Message::parse(&mut reader), Ok(Message::End { hash: *blake3::hash(&expected).as_bytes() }));
        // From the middle on, as one goes on who has the beginning.
        let got = world.get(asking(What::File { start: size / 2 }, &path(name, "a.jpg"))).expect("it comes");
        assert_eq!(got, expected);
    }
}

#[test]
fn an_image_that_changes_while_it_is_fetched_is_told() {
    let file = Sample { width: 800, height: 600, ..Sample::default() }.draw(1);
    let folder = folder(&[("a.jpg", &file)]);
    for way in ["alignments", "skips"] {
        fs::write(folder.path().join("a.jpg"), &file).expect("written");
        let mut world = World::new(1, Policy::Stay, vec![serve(&folder)]);
        let path = path("alice", "a.jpg");
        let of = version(&mut world, &path);
        let what = if way == "skips" { What::Skips { of } } else { What::File { start: 0 } };
        let id = world.ask(asking(what, &path));
        world.run_until(|world| world.has_come(id) > 20_000);
        fs::write(folder.path().join("a.jpg"), Sample::default().draw(2)).expect("written");
        match world.finish(id) {
            Err(ObjectError::Application { code: 70, .. }) => {}
            got => panic!("{:?}", got.map(|got| got.len())),
        }
    }
}

#[test]
fn a_large_image_is_laid_out_beside_and_who_asks_meanwhile_is_told_to_ask_again() {
    let file = Sample { width: 1_600, height: 1_200, ..Sample::default() }.draw(1);
    let folder = folder(&[("a.jpg", &file)]);
    let slow = Marked { at_once_max: 0, ..serve(&folder) };
    let mut world = World::new(1, Policy::Stay, vec![slow]);
    // The clock of the world runs while the thread has its own: so the client asks often.
    world.meddle = |marked| {
        if marked.work() == Work::default() {
            crate::clock::rest(Duration::from_millis(100));
        }
    };
    let got = world.get(asking(What::File { start: 0 }, &path("alice", "a.jpg"))).expect("it comes");
    assert!(got == marked(&file, "alice"));
}

#[test]
fn images_and_layouts_stay_within_their_room_and_what_comes_is_the_same_with_room_or_without() {
    let files: Vec<(String, Vec<u8>)> = (0..12)
        .map(|n| {
            (format!("{n}.jpg"), Sample { width: 300, height: 260, ..Sample::drawn(&mut Rng::from_u64(n)) }.draw(n))
        })
        .collect();
    let named: Vec<(&str, &[u8])> = files.iter().map(|(name, file)| (&name[..], &file[..])).collect();
    let folder = folder(&named);
    let names = ["alice", "bob", "carol", "dave"];
    let largest = files.iter().map(|(_, file)| Image::parse(file).expect("an image").held()).max().expect("some");
    let held_with = |bytes: usize| {
        let mut world = World::new(1, Policy::Stay, vec![serve_with(&folder, bytes)]);
        for name in names {
            for (image, file) in &files {
                let got = fetch(&mut world, &path(name, image), "alignments").expect("it comes");
                assert!(got == marked(file, name), "{name} {image}");
            }
        }
        world.application(0).held()
    };
    let all = held_with(64 << 20);
    let room = (all[0] + all[1]) / 2;
    for room in [room, 0] {
        let [images, layouts] = held_with(room);
        println!("{images} + {layouts} B in {room}; {all:?} with room for all");
        assert!(images <= (room - room / 3).max(largest + 20), "{images} in {room}");
        // What was laid out for those who may wait is kept in any case.
        let least = all[1] * LAYOUTS_WAITING_MAX / (files.len() * names.len()) * 5 / 4;
        assert!(layouts <= (room / 3).max(least), "{layouts} in {room}");
    }
    assert!(all[0] > room - room / 3, "control: with more room there is more: {all:?}");
}
