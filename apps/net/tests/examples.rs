//! The examples run, and do what they say.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::future::Future;
use std::time::Duration;

macro_rules! example {
    ($name:ident, $file:literal) => {
        #[path = $file]
        #[allow(dead_code, reason = "an example is a program: its `main` is for `cargo run`")]
        mod $name;
    };
}

example!(chat, "../examples/chat.rs");
example!(datagrams, "../examples/datagrams.rs");
example!(echo, "../examples/echo.rs");
#[cfg(feature = "guests")]
example!(guest, "../examples/guest.rs");
example!(move_host, "../examples/move_host.rs");
example!(priorities, "../examples/priorities.rs");
example!(requests, "../examples/requests.rs");
example!(stateless_cart, "../../../examples/stateless/rust/cart.rs");
example!(substreams, "../examples/substreams.rs");

/// An example that hangs says so.
async fn within<T, E: std::fmt::Debug>(future: impl Future<Output = Result<T, E>>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("60 s are enough").unwrap()
}

#[tokio::test]
async fn requests_are_answered_at_once_or_taken_back() {
    assert_eq!(within(requests::run()).await, "100 answers, one too late: true, 1048576 bytes as they came");
}

#[tokio::test]
async fn a_cart_lies_with_its_client_and_what_is_added_is_there_once() {
    let cart = within(stateless_cart::run()).await;
    assert_eq!(cart, "mug 2\nsong-1 1\ncup-0 3\ncup-1 3\ncup-2 3\n");
}

#[tokio::test]
async fn echo_says_what_was_said() {
    assert_eq!(within(echo::run()).await, "is there anybody?");
}

#[tokio::test]
async fn substreams_bring_every_part_and_the_small_one_before_the_film() {
    let log = within(substreams::run()).await;
    assert_eq!(log[0], "index has 3 parts");
    let place = |line| log.iter().position(|other| other == line).unwrap_or_else(|| panic!("{line} in {log:?}"));
    assert!(place("style: 2000 bytes") < place("film: 4000000 bytes"), "{log:?}");
    place("photo: 300000 bytes");
}

#[tokio::test]
async fn datagrams_of_all_sizes_arrive_whole_and_old_ones_do_not_leave() {
    let log = within(datagrams::run()).await;
    let numbers: Vec<u32> = log[0].split(' ').filter_map(|word| word.parse().ok()).collect();
    let &[arrived, dropped] = numbers.as_slice() else { panic!("{log:?}") };
    assert_eq!(arrived + dropped, 900, "{log:?}");
    assert!(log[0].ends_with("here I am"), "{log:?}");
    assert_eq!(
        log[1..],
        [
            "12 bytes in one piece",
            "20000 bytes in one piece",
            "2000000 bytes in one piece",
            "a datagram as a stream",
            "no answer is taken"
        ]
    );
}

#[tokio::test]
async fn a_priority_changes_in_the_middle() {
    let progress = within(priorities::run()).await;
    // They shared evenly, and then not at all.
    assert!(progress.asked[0] > progress.asked[1] / 4, "{progress:?}");
    assert!(progress.done[0] < 100, "{progress:?}");
}

#[tokio::test]
async fn a_transfer_survives_the_move_of_its_host() {
    let log = within(move_host::run()).await;
    assert_eq!(log[0], "8000000 bytes, every one as it was");
    let told = |event| log.iter().any(|line| line == event);
    assert!(told("the laptop moved"), "{log:?}");
    // Where there is no IPv6 there is no second network.
    assert!(log.len() == 2 || told("it has a second path"), "{log:?}");
}

#[cfg(feature = "guests")]
#[tokio::test]
async fn a_module_carries_a_stream_as_a_transport() {
    let module = tng::stp::built_in("newreno").unwrap().bytes;
    assert_eq!(within(guest::run(module)).await, "100000 bytes came");
}

#[tokio::test]
async fn a_chat_carries_voice_text_and_a_file_at_once() {
    let report = within(chat::run()).await;
    assert_eq!((report.pieces, report.text.lines().count()), (64, 4));
    assert!(!report.voice.is_empty());
}
