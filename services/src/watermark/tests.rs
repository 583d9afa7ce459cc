//! Marks are put into drawn images, and read again; any bytes of an image are made again by each way.

use std::io::Write;
use std::process::{Command, Stdio};

use tng_base::Rng;
use tng_crypto::Secret32;

use super::battery::{Sample, cut};
use super::wire::{Asking, Head, What};
use super::*;
use crate::files::SafePath;

fn marks() -> Marks {
    Marks::new(Secret32::from_bytes([7; 32]))
}

/// A file with the mark of a name.
fn marked(file: &[u8], name: &str) -> Vec<u8> {
    let (image, mark, mut work) = (Image::parse(file).expect("an image"), marks().mark(name), Work::default());
    let (layout, hash) = Layout::alignments(&image, &mark, &mut work).expect("whole");
    let all = layout.bytes(&image, &mark, 0..layout.len(&image), &mut work).expect("whole");
    assert_eq!(hash, *blake3::hash(&all).as_bytes());
    all
}

/// The same, joined of pieces.
fn joined(image: &Image, pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let (mut joiner, mut out, mut waiting) = (Joiner::default(), image.head().to_vec(), Vec::new());
    for piece in pieces {
        waiting.extend(piece);
        let taken = joiner.join(&waiting).expect("pieces");
        waiting.drain(..taken);
        out.extend(joiner.take());
    }
    assert!(joiner.is_over() && waiting.is_empty());
    out.extend(image.tail());
    out
}

fn percent(file: &[u8], name: &str) -> u32 {
    look(&Image::parse(file).expect("an image")).expect("whole").percent(&marks().mark(name))
}

#[test]
fn any_bytes_of_an_image_are_made_again_from_a_sealed_layout_alone() {
    for seed in 0..40 {
        let mut rng = Rng::from_u64(seed);
        let sample = Sample::drawn(&mut rng);
        println!("seed {seed}: {sample:?}");
        let file = sample.draw(seed);
        let (image, mark, mut work) = (Image::parse(&file).expect("an image"), marks().mark("alice"), Work::default());
        for way in [Way::Alignments, Way::Skips] {
            let layout = match way {
                Way::Alignments => Layout::alignments(&image, &mark, &mut work).expect("whole").0,
                Way::Skips => Layout::skips(&image, &mut work).expect("whole"),
            };
            let all = layout.bytes(&image, &mark, 0..layout.len(&image), &mut work).expect("whole");
            assert_eq!(all.len() as u64, layout.len(&image));
            // With few places it costs more, and the bytes are the same.
            for room in [20, 100, 400, 4_000] {
                let sealed = layout.write(room).expect("room for one");
                let read = Layout::read(way, &mut tng_wire::Reader::new(&sealed)).expect("read");
                for _ in 0..10 {
                    let from = rng.below(all.len() as u64);
                    let to = from + 1 + rng.below((all.len() as u64 - from).min(2_000));
                    let bytes = read.bytes(&image, &mark, from..to, &mut work).expect("whole");
                    assert_eq!(bytes, all[from as usize..to as usize], "{way:?} {room} {from}..{to}");
                }
            }
        }
    }
}

#[test]
fn three_ways_lead_to_the_same_bytes_which_differ_by_client() {
    for seed in 100..140 {
        let sample = Sample::drawn(&mut Rng::from_u64(seed));
        println!("seed {seed}: {sample:?}");
        let file = sample.draw(seed);
        let (image, mark, mut work) = (Image::parse(&file).expect("an image"), marks().mark("alice"), Work::default());
        let by_alignments = marked(&file, "alice");
        let layout = Layout::skips(&image, &mut work).expect("whole");
        assert_eq!((work.coded, work.surveyed), (0, image.mcus().into()), "no mark is needed for that");
        let slots = layout.bytes(&image, &mark, 0..layout.len(&image), &mut work).expect("whole");
        let by_skips = joined(&image, slots.chunks(1_000).map(<[u8]>::to_vec));
        let firsts = (0..image.mcus()).step_by(2 * PIECE_MCUS as usize);
        let by_mcus = joined(
            &image,
            firsts.map(|first| {
                let place = layout.place(first).expect("a multiple");
                pieces(&image, &mark, (first, place.source), first + 2 * PIECE_MCUS, &mut Work::default())
                    .expect("whole")
            }),
        );
        assert!(by_alignments == by_skips && by_alignments == by_mcus);
        assert_ne!(by_alignments, marked(&file, "bob"));
        assert_eq!((percent(&by_mcus, "alice"), percent(&file, "alice") < 40), (100, true));
    }
}

#[test]
fn a_mark_is_read_from_a_hundred_images_of_a_hundred_and_from_what_is_left_of_64_rows_of_mcus() {
    let names: Vec<String> = (0..100).map(|number| format!("client-{number}")).collect();
    let mut likest = 0;
    for seed in 0..100_u64 {
        let mut rng = Rng::from_u64(1_000 + seed);
        let sampling = Sample::SAMPLINGS[seed as usize % 6];
        let row = if matches!(sampling, Some(((_, 2), _))) { 16 } else { 8 };
        let rows = 66 + rng.below(20) as u16;
        let (height, width) = (rows * row - 3, 64 + rng.below(60) as u16);
        let sample = Sample { height, width, sampling, interval: 0, ..Sample::drawn(&mut rng) };
        let name = &names[seed as usize];
        let file = marked(&sample.draw(seed), name);
        let first = rng.below(u64::from(rows - 64)) as u32;
        for file in [&file, &cut(&file, first, 64)] {
            let seen = look(&Image::parse(file).expect("an image")).expect("whole");
            let found = seen.find(&marks(), names.iter().map(String::as_str)).expect("found");
            assert_eq!((found.name, found.percent), (&name[..], 100), "seed {seed}");
            let others = names.iter().map(String::as_str).filter(|other| other != name);
            match seen.find(&marks(), others) {
                Err(Unread::Nobody { percent }) => likest = likest.max(percent),
                found => panic!("seed {seed}: {found:?}"),
            }
        }
    }
    println!("100 of 100, whole and cut; of other marks {likest} of 100 parts agree at most");
}

#[test]
fn what_is_no_baseline_image_has_an_error_of_its_own() {
    let file = Sample::default().draw(1);
    let change = |at: &[u8], to: &[u8]| {
        let mut changed = file.clone();
        let place = file.windows(at.len()).position(|bytes| bytes == at).expect("there");
        changed[place..place + to.len()].copy_from_slice(to);
        Image::parse(&changed).map(|_| ())
    };
    assert_eq!(Image::parse(&file).map(|_| ()), Ok(()), "control");
    assert_eq!(Image::parse(b"GIF89a").map(|_| ()), Err(ImageError::NotJpeg));
    assert_eq!(Image::parse(&vec![0; IMAGE_LEN_MAX + 1]).map(|_| ()), Err(ImageError::TooLong));
    assert_eq!(change(&[0xff, 0xc0], &[0xff, 0xc2]), Err(ImageError::Progressive));
    assert_eq!(change(&[0xff, 0xc0], &[0xff, 0xc9]), Err(ImageError::Kind(0xc9)));
    let frame = [0xff, 0xc0, 0, 17, 8, 0, 150, 0, 200, 3];
    assert_eq!(change(&frame, &[0xff, 0xc0, 0, 17, 8, 0, 150, 0, 200, 4]), Err(ImageError::Colours(4)), "CMYK");
    assert_eq!(change(&frame, &[0xff, 0xc0, 0, 17, 8, 0, 1, 0, 1]), Err(ImageError::TooSmall), "1 by 1 pixel");
    assert_eq!(change(&[0xff, 0xda, 0, 12, 3], &[0xff, 0xda, 0, 12, 1]), Err(ImageError::Scans));
    let damaged = change(&[0xff, 0xc4, 0], &[0xff, 0xc3, 0]).expect_err("without a table");
    assert_eq!(damaged, ImageError::Kind(0xc3));
    for len in 0..file.len() {
        let error = Image::parse(&file[..len]).map(|_| ()).expect_err("cut");
        assert!(matches!(error, ImageError::Truncated | ImageError::NotJpeg), "{len}: {error}");
    }
    let plain = Sample { plain_percent: 100, ..Sample::default() }.draw(1);
    let plain = Image::parse(&plain).expect("an image");
    let survey = Layout::skips(&plain, &mut Work::default()).map(|_| ());
    assert_eq!(survey, Err(ImageError::TooPlain(0)));
    assert_eq!(Layout::alignments(&plain, &marks().mark("a"), &mut Work::default()).map(|_| ()), survey);
    assert_eq!(look(&plain).expect("whole").find(&marks(), ["a"]), Err(Unread::TooPlain(0)));
}

#[test]
fn damaged_data_is_told_or_served_as_it_is_and_nothing_panics() {
    let (mut told, mut rng) = (0, Rng::from_u64(3));
    for seed in 0..300 {
        let sample = Sample::drawn(&mut rng);
        let mut file = sample.draw(seed);
        for _ in 0..=rng.below(3) {
            let at = rng.below(file.len() as u64) as usize;
            file[at] = rng.below(256) as u8;
        }
        let survey = Image::parse(&file).and_then(|image| Layout::skips(&image, &mut Work::default()));
        told += u32::from(survey.is_err());
        if let Ok(image) = Image::parse(&file) {
            let alignments = Layout::alignments(&image, &marks().mark("alice"), &mut Work::default());
            assert_eq!(alignments.map(|_| ()), survey.map(|_| ()), "seed {seed}");
        }
    }
    println!("{told} of 300");
    assert!(told > 100);
}

#[test]
fn a_folder_is_a_clients_whose_name_it_proves() {
    let marks = marks();
    let folder = marks.folder("alice_2-B").expect("a name");
    assert_eq!(marks.of_folder(&folder), Some(("alice_2-B", marks.mark("alice_2-B"))));
    let other = Marks::new(Secret32::from_bytes([8; 32]));
    assert_eq!(other.of_folder(&folder), None);
    for at in 0..folder.len() {
        let mut changed = folder.clone().into_bytes();
        changed[at] ^= 1;
        assert_eq!(marks.of_folder(core::str::from_utf8(&changed).expect("ASCII")), None, "{at}");
        assert_eq!(marks.of_folder(&folder[..at]), None, "{at}");
    }
    for name in ["", "a b", "a.b", "ä", &"x".repeat(NAME_MAX + 1)] {
        assert_eq!(marks.folder(name), Err(NameError), "{name}");
    }
}

#[test]
fn what_asks_for_an_image_and_what_is_told_of_it_are_read_as_they_were_written() {
    let whats = [
        What::File { start: 77 },
        What::Hash,
        What::About,
        What::Head,
        What::Skips { of: u64::MAX },
        What::Mcus { of: 3, first: 4_096, count: 32 },
    ];
    for what in whats {
        let asking = Asking { what, path: SafePath::parse("alice.00/a.jpg").expect("a path") };
        assert_eq!(Asking::parse(&asking.to_bytes().expect("short")), Ok(asking));
    }
    let head = Head { of: 9, mcus: 12, head: vec![1, 2], tail: vec![3] };
    assert_eq!(Head::parse(&head.to_bytes()), Ok(head));
    for bad in [&b""[..], b"\x02\x00a", b"\x08\x00a", b"\x03\x01a", b"\x07\x00"] {
        assert!(Asking::parse(bad).is_err(), "{bad:?}");
    }
}

/// Runs a program of libjpeg with a file; nothing if it is not installed here.
fn foreign(program: &str, args: &[&str], file: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    let started = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match started {
        Err(error) if std::env::var_os("TNG_NEED_JPEG").is_none() => {
            println!("skipped: {program}: {error}; install libjpeg-turbo-progs");
            return None;
        }
        started => started.expect("TNG_NEED_JPEG is set: install libjpeg-turbo-progs"),
    };
    let (mut stdin, file) = (child.stdin.take().expect("piped"), file.to_vec());
    let writing = std::thread::spawn(move || stdin.write_all(&file));
    let output = child.wait_with_output().expect("it ends");
    writing.join().expect("no panic").expect("written");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{program}: {said}");
    Some(output.stdout)
}

#[test]
fn a_foreign_decoder_takes_what_is_marked_and_sees_hardly_a_difference() {
    for seed in 200..224 {
        let mut sample = Sample::drawn(&mut Rng::from_u64(seed));
        sample.sampling = Sample::SAMPLINGS[seed as usize % 6];
        let file = sample.draw(seed);
        let Some(before) = foreign("djpeg", &["-strict"], &file) else { return };
        let (alice, bob) = (marked(&file, "alice"), marked(&file, "bob"));
        let after = foreign("djpeg", &["-strict"], &alice).expect("it was there");
        assert_ne!(after, foreign("djpeg", &["-strict"], &bob).expect("it was there"), "seed {seed}");
        assert_eq!(before.len(), after.len());
    }
    // What another program has made, by optimised tables and with restart markers.
    let pixels = |at: u32| [(at % 251) as u8, (at / 300 % 255) as u8, (at * at / 7_001 % 200) as u8];
    let ppm = [&b"P6 300 200 255\n"[..], &(0..60_000).flat_map(pixels).collect::<Vec<_>>()].concat();
    for args in [&["-quality", "75"][..], &["-optimize", "-restart", "2"], &["-grayscale"], &["-sample", "1x1"]] {
        let file = foreign("cjpeg", args, &ppm).expect("it was there");
        let alice = marked(&file, "alice");
        let (before, after) =
            (foreign("djpeg", &[], &file).expect("there"), foreign("djpeg", &[], &alice).expect("there"));
        let sum: u64 = before.iter().zip(&after).map(|(a, b)| u64::from(a.abs_diff(*b)).pow(2)).sum();
        let psnr = 10.0 * (255.0_f64.powi(2) * before.len() as f64 / sum as f64).log10();
        println!("{args:?}: {} bytes, marked {}, PSNR {psnr:.1} dB", file.len(), alice.len());
        assert!(psnr > 30.0 && percent(&alice, "alice") == 100, "{args:?}: {psnr}");
    }
    let file = foreign("cjpeg", &["-progressive"], &ppm).expect("there");
    assert_eq!(Image::parse(&file).map(|_| ()), Err(ImageError::Progressive));
    // Another program cuts it without loss.
    let tall = Sample { height: 1_100, width: 128, is_optimised: true, ..Sample::default() };
    let alice = marked(&tall.draw(5), "alice");
    for (args, rows) in [(["-crop", "128x1024+0+0"], "the first"), (["-crop", "128x1024+0+48"], "later ones")] {
        let left = foreign("jpegtran", &[&args[..], &["-optimize"]].concat(), &alice).expect("there");
        assert_eq!(percent(&left, "alice"), 100, "{rows}");
        assert!(percent(&left, "bob") < SCORE_MIN_PERCENT);
    }
}
