//! What C programs call, as they call it: servers and clients of one thread, and callers that do everything wrong.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "these are tests")]
#![expect(unsafe_code, reason = "the calls are C's")]

mod place;

use std::ffi::{CStr, CString, c_int, c_void};
use std::fs::{self, File, Permissions};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::ptr::{null, null_mut};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tng::trickles::SKEW_MAX;
use tng_msk::calls::*;
use tng_msk::events::*;
use tng_msk::server::{DETACHED_MAX, MSK_NOT_YET};
use tng_msk::settings::Settings;

use place::Place;

/// Rounds before something that must happen has not.
const PATIENCE: u32 = 5_000;

fn text(text: &str) -> CString {
    CString::new(text).unwrap()
}

fn why() -> String {
    // SAFETY: it is a text, good until the next call fails.
    unsafe { CStr::from_ptr(msk_strerror()) }.to_str().unwrap().to_owned()
}

/// The call failed with that, and said so.
#[track_caller]
fn refused<R: Into<i64>>(answer: R, errno: Errno, words: &str) {
    assert_eq!((answer.into(), Errno::last()), (-1, errno), "{}", why());
    assert!(why().contains(words), "{words}: {}", why());
}

/// Opens a server of this place.
fn listen_with(place: &Place, change: impl FnOnce(&mut Settings)) -> c_int {
    let path = |name: &str| text(place.path(name).to_str().unwrap());
    let (address, key, epochs) = (text("127.0.0.1:0"), path("key"), path("epochs"));
    let mut settings = Settings {
        size: size_of::<Settings>(),
        address: address.as_ptr(),
        key: key.as_ptr(),
        epochs: epochs.as_ptr(),
        capability: null(),
        fleet: 1,
        version: 1,
    };
    change(&mut settings);
    // SAFETY: the texts are there.
    unsafe { msk_listen(&settings) }
}

fn listen(place: &Place) -> c_int {
    let fd = listen_with(place, |_| {});
    assert!(fd >= 0, "{}", why());
    fd
}

fn ticket(server: c_int) -> CString {
    let mut out = [0_u8; 1_024];
    // SAFETY: there is so much room.
    let len = unsafe { msk_ticket(server, out.as_mut_ptr().cast(), out.len()) };
    assert!(len > 0, "{}", why());
    CStr::from_bytes_until_nul(&out).unwrap().to_owned()
}

fn connect(server: c_int) -> c_int {
    // SAFETY: it is a text.
    let fd = unsafe { msk_connect(ticket(server).as_ptr(), null()) };
    assert!(fd >= 0, "{}", why());
    fd
}

/// What has happened, within a millisecond.
fn events(fd: c_int) -> Vec<Event> {
    let mut out = [const { MaybeUninit::<Event>::uninit() }; 8];
    // SAFETY: there is so much room.
    let count = unsafe { msk_poll(fd, out.as_mut_ptr().cast(), out.len() as c_int, 1) };
    assert!(count >= 0, "{}", why());
    // SAFETY: so many were written.
    out[..count as usize].iter().map(|event| unsafe { event.assume_init() }).collect()
}

fn asks(event: &Event) -> &[Ask] {
    // SAFETY: the event says that there are so many.
    if event.asks_len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(event.asks, event.asks_len) } }
}

fn send(fd: c_int, msk: Minisock, bytes: &[u8]) -> i64 {
    // SAFETY: they are there.
    unsafe { msk_send(fd, msk, bytes.as_ptr().cast(), bytes.len()) }
}

fn request(fd: c_int, bytes: &[u8]) -> Object {
    // SAFETY: they are there.
    let object = unsafe { msk_request(fd, bytes.as_ptr().cast(), bytes.len(), 0) };
    assert_ne!(object, 0, "{}", why());
    object
}

/// The bytes of all objects, by their place in them.
fn pattern(from: u64, len: u64) -> Vec<u8> {
    (from..from + len).map(|at| (at * 7 + at / 251) as u8).collect()
}

/// Answers with an object of as many bytes as it is asked for.
fn answer(fd: c_int, event: &Event) {
    let mut pieces = Vec::new();
    let data: Vec<(u64, Vec<u8>)> = asks(event)
        .iter()
        .map(|ask| match ask.kind {
            MSK_PUT => {
                // SAFETY: the event says that they are there.
                let asked = unsafe { std::slice::from_raw_parts(ask.data, ask.data_len) };
                let len: u64 = std::str::from_utf8(asked).unwrap().parse().unwrap();
                let end = ask.start + len;
                let how = Ucont { kind: MSK_OUTPUT, object: ask.object, start: ask.start, end, taken: 0, until: 0 };
                // SAFETY: it is there, and there is no state.
                assert_eq!(unsafe { msk_setucont(fd, event.msk, &how, null(), 0) }, 0, "{}", why());
                assert_eq!(msk_skip(fd, event.msk, end, ask.end), 0, "{}", why());
                let granted = msk_grant(fd, event.msk, ask.start);
                assert!(granted >= 0, "{}", why());
                (ask.start, pattern(0, len.min(granted as u64)))
            }
            _ => (ask.start, pattern(ask.start - ask.valid_start, ask.end - ask.start)),
        })
        .collect();
    for (place, data) in &data {
        pieces.push(Bytes { place: *place, base: data.as_ptr().cast(), len: data.len() });
    }
    // SAFETY: they are there.
    let sent = unsafe { msk_sendv(fd, event.msk, pieces.as_ptr(), pieces.len() as c_int) };
    assert!(sent >= 0, "{}", why());
}

/// Polls both until the server has an event that asks for something.
fn asked(server: c_int, client: c_int) -> Event {
    for _ in 0..PATIENCE {
        events(client);
        if let Some(event) = events(server).into_iter().find(|event| event.asks_len > 0) {
            return event;
        }
    }
    panic!("nobody asks");
}

/// A server and a client whose connection is open, with a request for an object of so many bytes in the server's hand.
fn hand(place: &Place, len: u64) -> (c_int, c_int, Event) {
    let server = listen(place);
    let client = connect(server);
    let first = request(client, b"1");
    fetch(server, client, first, 1);
    request(client, len.to_string().as_bytes());
    let event = asked(server, client);
    assert_eq!(event.kind, MSK_REQUEST);
    (server, client, event)
}

fn fetch(server: c_int, client: c_int, object: Object, len: u64) {
    let mut got = Vec::new();
    for _ in 0..PATIENCE {
        events(server).iter().for_each(|event| answer(server, event));
        events(client);
        let mut buf = [0_u8; 4_096];
        loop {
            // SAFETY: there is so much room.
            match unsafe { msk_recv(client, object, buf.as_mut_ptr().cast(), buf.len()) } {
                0 => {
                    assert!(got == pattern(0, len), "{} bytes of {len}", got.len());
                    return;
                }
                len @ 1.. => got.extend_from_slice(&buf[..len as usize]),
                _ => {
                    assert_eq!(Errno::last(), Errno::EAGAIN, "{}", why());
                    break;
                }
            }
        }
    }
    panic!("it does not come: {} bytes of {len}", got.len());
}

#[test]
fn an_object_comes_as_it_was_sent_and_its_handle_is_gone_at_its_end() {
    let place = Place::new();
    let server = listen(&place);
    let client = connect(server);
    for len in [1, 1_000, 70_000] {
        let object = request(client, len.to_string().as_bytes());
        fetch(server, client, object, len);
        let mut byte = 0_u8;
        // SAFETY: there is room for one.
        refused(unsafe { msk_recv(client, object, (&raw mut byte).cast(), 1) }, Errno::EBADF, "stands for nothing");
    }
    let mut stats = Stats::default();
    // SAFETY: there is room for it.
    assert_eq!(unsafe { msk_stats(server, &mut stats) }, 0);
    assert_eq!((stats.opened, stats.refused), (1, 0));
    assert!(stats.answered > 3 && stats.packets >= stats.answered, "{stats:?}");
    assert_eq!((msk_close(client), msk_close(server)), (0, 0));
}

#[test]
fn null_stale_and_freed_minisockets_are_refused_and_nothing_else_happens() {
    let place = Place::new();
    let (server, client, event) = hand(&place, 10);
    let every = |msk: Minisock, words: &str| {
        let how = Ucont { kind: MSK_OUTPUT, object: 0, start: 0, end: 1, taken: 0, until: 0 };
        let (mut room, mut len) = ([0_u8; 4_096], 4_096_usize);
        refused(send(server, msk, b""), Errno::EBADF, words);
        refused(send(server, msk, b"x"), Errno::EBADF, words);
        // SAFETY: all that is pointed at is there, and a null points at nothing.
        unsafe {
            refused(msk_sendv(server, msk, null(), 0), Errno::EBADF, words);
            refused(msk_sendfilev(server, msk, null(), 0), Errno::EBADF, words);
            refused(msk_setucont(server, msk, &how, null(), 0), Errno::EBADF, words);
            refused(msk_fault(server, msk, 0, 64, null()), Errno::EBADF, words);
            refused(msk_may_compute(server, msk, 0, null(), 0, 0), Errno::EBADF, words);
            refused(msk_extract_events(server, &msk, 1, room.as_mut_ptr().cast(), &mut len), Errno::EBADF, words);
            let mut bulk = [Desc { msk, base: null(), len: 0, error: 0 }];
            assert_eq!(msk_sendbulk(server, bulk.as_mut_ptr(), 1), 0);
            assert_eq!(bulk[0].error, Errno::EBADF as i32);
        }
        refused(msk_skip(server, msk, 0, 1), Errno::EBADF, words);
        refused(msk_grant(server, msk, 0), Errno::EBADF, words);
        refused(msk_drop(server, msk), Errno::EBADF, words);
        refused(msk_detach(server, msk), Errno::EBADF, words);
    };
    every(0, "the handle is 0");
    for guess in [1, event.msk + 1, event.msk ^ 1 << 40, u64::MAX] {
        every(guess, "stands for nothing");
    }
    // Of another server.
    let other = listen(&place);
    refused(send(other, event.msk, b"x"), Errno::EBADF, "another");
    // Answered, and then once more.
    answer(server, &event);
    every(event.msk, "answered, dropped or extracted before");
    // Dropped.
    request(client, b"10");
    let event = asked(server, client);
    assert_eq!(msk_drop(server, event.msk), 0);
    every(event.msk, "stands for nothing");
    // Left to the next poll; the client asks again, and has another handle.
    let again = asked(server, client);
    events(server);
    every(again.msk, "without msk_detach");
    let last = asked(server, client);
    assert!(last.msk != again.msk && last.msk != event.msk, "no handle is given twice");
    for fd in [client, server, other] {
        assert_eq!(msk_close(fd), 0);
    }
}

#[test]
fn more_than_may_be_sent_is_refused_and_the_minisocket_is_as_it_was() {
    let place = Place::new();
    let (server, client, event) = hand(&place, 70_000);
    let start = asks(&event)[0].start;
    let granted = msk_grant(server, event.msk, start);
    assert!(granted > 500 && granted < 70_000, "{granted}");
    refused(send(server, event.msk, &vec![0; granted as usize + 1]), Errno::EMSGSIZE, "msk_grant");
    refused(send(server, event.msk, &vec![0; 10_000_000]), Errno::EMSGSIZE, "more than");
    let huge = [Bytes { place: start, base: [0_u8; 8].as_ptr().cast(), len: usize::MAX }];
    // SAFETY: it is refused before it is looked at.
    refused(unsafe { msk_sendv(server, event.msk, huge.as_ptr(), 1) }, Errno::EINVAL, "larger than memory");
    // Two that fit alone, and not together.
    let half = vec![0_u8; granted as usize * 2 / 3];
    let halves =
        [start, start + half.len() as u64].map(|place| Bytes { place, base: half.as_ptr().cast(), len: half.len() });
    // SAFETY: they are there.
    refused(unsafe { msk_sendv(server, event.msk, halves.as_ptr(), 2) }, Errno::EMSGSIZE, "more than");
    // Of a state, too.
    let how = Ucont { kind: MSK_OUTPUT, object: 0, start, end: start + 1, taken: 0, until: 0 };
    // SAFETY: it is there.
    refused(unsafe { msk_setucont(server, event.msk, &how, half.as_ptr().cast(), 513) }, Errno::EMSGSIZE, "512 bytes");
    assert_eq!(msk_grant(server, event.msk, start), granted, "all of it is as it was");
    answer(server, &event);
    msk_close(client);
    msk_close(server);
}

#[test]
fn numbers_that_the_protocol_does_not_have_are_refused() {
    let place = Place::new();
    let (server, client, event) = hand(&place, 10);
    let msk = event.msk;
    let how = Ucont { kind: MSK_OUTPUT, object: 1, start: 0, end: 1, taken: 0, until: 0 };
    for bad in [
        Ucont { object: 1 << 62, ..how },
        Ucont { end: 1 << 62, ..how },
        Ucont { start: 2, ..how },
        Ucont { kind: MSK_INPUT, taken: u64::MAX, ..how },
        Ucont { kind: MSK_INPUT, until: u64::MAX, ..how },
    ] {
        // SAFETY: it is there.
        refused(unsafe { msk_setucont(server, msk, &bad, null(), 0) }, Errno::EINVAL, "below 2^62");
    }
    // SAFETY: it is there.
    refused(unsafe { msk_setucont(server, msk, &Ucont { kind: 9, ..how }, null(), 0) }, Errno::EINVAL, "MSK_OUTPUT");
    refused(msk_skip(server, msk, 3, 2), Errno::EINVAL, "below 2^62");
    refused(msk_skip(server, msk, 3, u64::MAX), Errno::EINVAL, "below 2^62");
    refused(msk_grant(server, msk, u64::MAX), Errno::EINVAL, "below 2^62");
    for code in [0, 1, 63, 1 << 62] {
        // SAFETY: a null is no text.
        refused(unsafe { msk_fault(server, msk, 1, code, null()) }, Errno::EINVAL, "no code");
    }
    let byte = [0_u8];
    for place in [u64::MAX, (1 << 62) - 1] {
        let piece = Bytes { place, base: byte.as_ptr().cast(), len: 1 };
        // SAFETY: it is there.
        refused(unsafe { msk_sendv(server, msk, &piece, 1) }, Errno::EINVAL, "below 2^62");
    }
    answer(server, &event);
    msk_close(client);
    msk_close(server);
}

#[test]
fn nulls_and_counts_below_zero_are_refused_by_name() {
    let place = Place::new();
    let (server, client, event) = hand(&place, 10);
    // SAFETY: nulls point at nothing, and the rest is there.
    unsafe {
        refused(msk_listen(null()), Errno::EFAULT, "settings is NULL");
        refused(msk_connect(null(), null()), Errno::EFAULT, "ticket is NULL");
        refused(msk_connect(c"tng1nonsense".as_ptr(), null()), Errno::EINVAL, "ticket");
        refused(msk_ticket(server, null_mut(), 9), Errno::EFAULT, "out is NULL");
        refused(msk_ticket(server, [0_u8; 9].as_mut_ptr().cast(), 9), Errno::ERANGE, "too short");
        refused(msk_ticket(server, null_mut(), 0), Errno::ERANGE, "too short");
        refused(msk_poll(server, null_mut(), 4, 0), Errno::EFAULT, "events is NULL");
        refused(msk_poll(server, null_mut(), 0, 0), Errno::EINVAL, "max");
        refused(msk_poll(server, null_mut(), -1, 0), Errno::EINVAL, "max");
        refused(msk_send(server, event.msk, null(), 5), Errno::EFAULT, "buf is NULL");
        refused(msk_sendv(server, event.msk, null(), 5), Errno::EFAULT, "pieces is NULL");
        refused(msk_sendv(server, event.msk, null(), -5), Errno::EINVAL, "count");
        let piece = Bytes { place: 0, base: null(), len: 3 };
        refused(msk_sendv(server, event.msk, &piece, 1), Errno::EFAULT, "base is NULL");
        let file = FileBytes { place: 0, file: -1, offset: 0, len: 1, base: null() };
        refused(msk_sendfilev(server, event.msk, &file, 1), Errno::EBADF, "no descriptor");
        let memory = FileBytes { file: MSK_MEMORY, ..file };
        refused(msk_sendfilev(server, event.msk, &memory, 1), Errno::EFAULT, "base is NULL");
        refused(msk_setucont(server, event.msk, null(), null(), 0), Errno::EFAULT, "how is NULL");
        refused(msk_sendbulk(server, null_mut(), 2), Errno::EFAULT, "answers is NULL");
        refused(msk_extract_events(server, null(), 1, null_mut(), &mut 0), Errno::EFAULT, "in is NULL");
        refused(msk_extract_events(server, &event.msk, 1, null_mut(), null_mut()), Errno::EFAULT, "outlen is NULL");
        refused(msk_install_events(server, null(), 9), Errno::EFAULT, "collection is NULL");
        refused(msk_stats(server, null_mut()), Errno::EFAULT, "out is NULL");
        refused(msk_recv(client, 1, null_mut(), 9), Errno::EFAULT, "buf is NULL");
        refused(msk_hash(-1, 0, [0_u8; 32].as_mut_ptr()), Errno::EBADF, "no descriptor");
        refused(msk_hash(0, 0, null_mut()), Errno::EFAULT, "hash is NULL");
        assert_eq!((msk_request(client, null(), 5, 0), Errno::last()), (0, Errno::EFAULT));
    }
    answer(server, &event);
    msk_close(client);
    msk_close(server);
}

#[test]
fn a_descriptor_that_is_closed_of_the_other_kind_or_of_another_thread_is_refused() {
    let place = Place::new();
    let server = listen(&place);
    let client = connect(server);
    refused(send(client, 1, b""), Errno::EOPNOTSUPP, "is a client's");
    // SAFETY: there are no bytes.
    assert_eq!((unsafe { msk_request(server, null(), 0, 0) }, Errno::last()), (0, Errno::EOPNOTSUPP));
    assert!(why().contains("is a server's"), "{}", why());
    let elsewhere = std::thread::spawn(move || (msk_drop(server, 1), Errno::last(), why())).join().unwrap();
    assert_eq!((elsewhere.0, elsewhere.1), (-1, Errno::EBADF));
    assert!(elsewhere.2.contains("each thread opens its own"), "{}", elsewhere.2);
    assert_eq!((msk_close(client), msk_close(server)), (0, 0));
    for fd in [client, server, -1, 0, c_int::MAX] {
        refused(msk_close(fd), Errno::EBADF, "was closed");
        refused(msk_drop(fd, 1), Errno::EBADF, "was closed");
    }
    let what = std::thread::spawn(why).join().unwrap();
    assert_eq!(what, "no call of this thread has failed");
}

#[test]
fn what_a_server_is_opened_with_is_checked_and_each_fault_says_what_to_do() {
    let place = Place::new();
    let refuse = |change: &dyn Fn(&mut Settings), errno, words: &str| {
        refused(listen_with(&place, change), errno, words);
    };
    refuse(&|settings| settings.size -= 1, Errno::EINVAL, "sizeof(struct msk_settings)");
    refuse(&|settings| settings.address = c"localhost".as_ptr(), Errno::EINVAL, "IP:PORT");
    refuse(&|settings| settings.address = c"192.0.2.1:0".as_ptr(), Errno::EADDRNOTAVAIL, "another address");
    refuse(&|settings| settings.key = null(), Errno::EFAULT, "settings.key is NULL");
    refuse(&|settings| settings.epochs = null(), Errno::EFAULT, "settings.epochs is NULL");
    refuse(&|settings| settings.key = c"/none/key".as_ptr(), Errno::ENOENT, "tng id new");
    refuse(&|settings| settings.epochs = c"/none/epochs".as_ptr(), Errno::ENOENT, "tng trickles keys new");
    let long = text(&"x".repeat(65));
    refuse(&|settings| settings.capability = long.as_ptr(), Errno::EINVAL, "64 bytes at most");
    let whole = fs::read_to_string(place.path("epochs")).unwrap();
    for damaged in ["", "tngepochs2", &whole[..whole.len() - 3], &whole.replacen('0', "1", 1), "\u{e4}\n"] {
        place.secret("epochs", damaged);
        refuse(&|_| {}, Errno::EBADMSG, "damaged");
    }
    fs::write(place.path("epochs"), [0xff, 0xfe]).unwrap();
    refuse(&|_| {}, Errno::EBADMSG, "damaged");
    place.secret("epochs", &whole);
    fs::set_permissions(place.path("epochs"), Permissions::from_mode(0o640)).unwrap();
    refuse(&|_| {}, Errno::EPERM, "chmod 600");
    place.secret("epochs", &whole);
    let server = listen(&place);
    assert_eq!(msk_rekey(server), 0);
    place.secret("epochs", "gone");
    refused(msk_rekey(server), Errno::EBADMSG, "damaged");
    msk_close(server);
}

#[test]
fn what_is_detached_outlives_polls_up_to_a_bound() {
    let place = Place::new();
    let (server, client, event) = hand(&place, 10);
    assert_eq!((msk_detach(server, event.msk), msk_detach(server, event.msk)), (0, 0), "twice is once");
    events(server);
    let mut kept = vec![event.msk];
    answer(server, &event);
    refused(msk_drop(server, event.msk), Errno::EBADF, "stands for nothing");
    kept.clear();
    for _ in 0..PATIENCE {
        // Answered by none: the client asks again and again, for another object as well.
        events(client);
        for event in events(server) {
            assert_eq!(msk_detach(server, event.msk), 0);
            kept.push(event.msk);
        }
        if kept.len() > 2 {
            break;
        }
        // SAFETY: there are no bytes.
        unsafe { msk_request(client, null(), 0, 0) };
    }
    assert!(kept.len() > 2 && kept.len() < DETACHED_MAX);
    for msk in &kept {
        assert_eq!(msk_drop(server, *msk), 0);
    }
    msk_close(client);
    msk_close(server);
}

#[expect(clippy::disallowed_methods, reason = "servers on sockets go by real clocks")]
#[test]
fn an_extracted_minisocket_is_answered_by_another_server_once() {
    let place = Place::new();
    let other = listen(&place);
    // What was given out less than the skew after a server has started may have been spent before, to that server.
    std::thread::sleep(SKEW_MAX + Duration::from_millis(200));
    let (server, client, event) = hand(&place, 900);
    let mut room = [0_u8; 8_192];
    let mut len = 10;
    // SAFETY: there is so much room.
    let extract = |msk: &[Minisock], room: &mut [u8], len: &mut usize| unsafe {
        msk_extract_events(server, msk.as_ptr(), msk.len() as c_int, room.as_mut_ptr().cast(), len)
    };
    refused(extract(&[event.msk], &mut room[..10], &mut len), Errno::ENOSPC, "no room");
    assert_eq!(len, 0);
    len = room.len();
    assert_eq!(extract(&[event.msk, event.msk], &mut room, &mut len), 1, "it is there once");
    assert_eq!(Errno::last(), Errno::EBADF);
    assert!(len > 100);
    // SAFETY: they are there.
    let install = |bytes: &[u8]| unsafe { msk_install_events(other, bytes.as_ptr().cast(), bytes.len()) };
    let mut forged = room;
    forged[60] ^= 1;
    refused(install(&forged[..len]), Errno::EBADMSG, "changed");
    refused(install(&room[..len - 1]), Errno::EBADMSG, "no minisocket");
    refused(install(&[]), Errno::EBADMSG, "no minisocket");
    assert_eq!(install(&room[..len]), 1, "{}", why());
    refused(install(&room[..len]), Errno::EALREADY, "before");
    let moved = events(other);
    assert_eq!((moved.len(), moved[0].connection, moved[0].kind), (1, event.connection, MSK_REQUEST));
    answer(other, &moved[0]);
    // What asks within a set-up stays where it is.
    let newcomer = connect(server);
    request(newcomer, b"10");
    let open = asked(server, newcomer);
    assert_eq!(open.kind, MSK_OPEN);
    assert!(open.peer != [0; 32]);
    len = room.len();
    refused(extract(&[open.msk], &mut room, &mut len), Errno::EOPNOTSUPP, "MSK_OPEN");
    answer(server, &open);
    for fd in [client, newcomer, server, other] {
        assert_eq!(msk_close(fd), 0);
    }
}

#[test]
fn several_are_answered_in_one_call_and_each_says_how_it_went() {
    let place = Place::new();
    let server = listen(&place);
    let clients: Vec<c_int> = (0..3).map(|_| connect(server)).collect();
    for client in &clients {
        // SAFETY: there are no bytes.
        assert_ne!(unsafe { msk_request(*client, b"5".as_ptr().cast(), 1, 0) }, 0);
    }
    let mut bulk: Vec<Desc> = Vec::new();
    for _ in 0..PATIENCE {
        clients.iter().for_each(|client| drop(events(*client)));
        let asked = events(server);
        bulk.extend(asked.iter().map(|event| {
            assert_eq!(msk_detach(server, event.msk), 0);
            Desc { msk: event.msk, base: b"abcde".as_ptr().cast(), len: 5, error: 7 }
        }));
        if bulk.len() >= 3 {
            break;
        }
    }
    let large = vec![0_u8; 1_000_000];
    (bulk[1].base, bulk[1].len) = (large.as_ptr().cast(), large.len());
    let first = bulk[0].msk;
    bulk.push(Desc { msk: first, ..bulk[0] });
    // SAFETY: they are there.
    let sent = unsafe { msk_sendbulk(server, bulk.as_mut_ptr(), bulk.len() as c_int) };
    let errors: Vec<i32> = bulk.iter().map(|answer| answer.error).collect();
    assert_eq!(sent as usize, bulk.len() - 2);
    assert_eq!(errors[..3], [0, Errno::EMSGSIZE as i32, 0]);
    assert_eq!(errors.last(), Some(&(Errno::EBADF as i32)));
    clients.into_iter().chain([server]).for_each(|fd| assert_eq!(msk_close(fd), 0));
}

#[test]
fn a_file_is_read_into_packets_and_one_that_ends_early_or_is_none_is_told() {
    let place = Place::new();
    let (server, client, event) = hand(&place, 200);
    fs::write(place.path("file"), pattern(0, 150)).unwrap();
    let file = File::open(place.path("file")).unwrap();
    let start = asks(&event)[0].start;
    let mut piece = FileBytes { place: start, file: file.as_raw_fd(), offset: 0, len: 200, base: null() };
    // SAFETY: the file is open.
    let send = |piece: &FileBytes| unsafe { msk_sendfilev(server, event.msk, piece, 1) };
    refused(send(&piece), Errno::ENODATA, "msk_fault");
    piece.file = 999;
    refused(send(&piece), Errno::EBADF, "reading the file");
    let mut hash = [0; 32];
    // SAFETY: the file is open, and there is room.
    assert_eq!(unsafe { msk_hash(file.as_raw_fd(), 100, hash.as_mut_ptr()) }, 0);
    assert_eq!(hash, *blake3::hash(&pattern(0, 100)).as_bytes());
    // SAFETY: the text is there.
    assert_eq!(unsafe { msk_fault(server, event.msk, asks(&event)[0].object, 99, c"it has ended".as_ptr()) }, 0);
    piece.file = MSK_MEMORY;
    (piece.len, piece.base) = (0, null());
    assert_eq!(send(&piece), 0, "{}", why());
    let mut said = String::new();
    let object = (0..PATIENCE).find_map(|_| {
        events(server).iter().for_each(|event| _ = msk_drop(server, event.msk));
        events(client).iter().find(|event| event.kind == MSK_FAILED).map(|event| event.object)
    });
    let mut byte = 0_u8;
    // SAFETY: there is room for one.
    if unsafe { msk_recv(client, object.unwrap(), (&raw mut byte).cast::<c_void>(), 1) } < 0 {
        assert_eq!(Errno::last(), Errno::EREMOTEIO);
        said = why();
    }
    assert!(said.contains("it has ended (code 99)"), "{said}");
    msk_close(client);
    msk_close(server);
}

#[test]
fn the_descriptor_is_readable_when_there_is_something_to_do_and_else_is_not() {
    let place = Place::new();
    let server = listen(&place);
    let is_readable = |fd: c_int, ms: u8| {
        // SAFETY: it is open.
        let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        poll(&mut [PollFd::new(fd, PollFlags::POLLIN)], PollTimeout::from(ms)).unwrap() > 0
    };
    let mut out = [const { MaybeUninit::<Event>::uninit() }; 1];
    // SAFETY: there is room for one.
    let once = |fd: c_int, out: &mut [MaybeUninit<Event>; 1]| unsafe { msk_poll(fd, out.as_mut_ptr().cast(), 1, 0) };
    assert_eq!(once(server, &mut out), 0);
    assert!(!is_readable(server, 20), "nobody has asked");
    let client = connect(server);
    request(client, b"10");
    assert!(is_readable(client, 0), "it has something to send");
    assert_eq!(once(client, &mut out), 0);
    assert!(is_readable(server, 255), "somebody asks");
    assert_eq!(once(server, &mut out), 1);
    // SAFETY: it was written.
    answer(server, &unsafe { out[0].assume_init() });
    assert!(is_readable(server, 0), "the answer has not left");
    assert_eq!(once(server, &mut out), 0);
    assert!(!is_readable(server, 20), "it has");
    assert!(is_readable(client, 255), "and it came");
    msk_close(client);
    msk_close(server);
}

#[test]
fn an_object_that_is_not_there_yet_is_asked_for_again_and_one_that_is_given_up_is_gone() {
    let place = Place::new();
    let (server, client, event) = hand(&place, 40);
    let object = asks(&event)[0].object;
    // SAFETY: a null is no text.
    assert_eq!(unsafe { msk_fault(server, event.msk, object, MSK_NOT_YET, null()) }, 0);
    assert_eq!(send(server, event.msk, b""), 0);
    let again = asked(server, client);
    assert_eq!(again.asks_len, 1);
    assert_eq!(msk_drop(server, again.msk), 0);
    let other = request(client, b"3");
    let mut byte = 0_u8;
    // SAFETY: there is room for one.
    refused(unsafe { msk_recv(client, other, (&raw mut byte).cast(), 1) }, Errno::EAGAIN, "MSK_READABLE");
    assert_eq!(msk_cancel(client, other), 0);
    refused(msk_cancel(client, other), Errno::EBADF, "stands for nothing");
    msk_close(client);
    msk_close(server);
}
