//! What a guest in the receiver's role cannot do.

use core::time::Duration;

use stp_guest_flood::Flood;
use stp_guest_trickles::{CALL_INTRODUCE, Trickles};
use tng_stp_abi::{Arrived, Guest, Host, Refused, SocketKind, UserRequest};
use tng_stp_host::{ACKS_AT_ONCE, Code, End, Workshop};
use tng_stp_receiver::{Event, ReceiverError};

use crate::world::{Run, path};

const SECOND: Duration = Duration::from_secs(1);

/// Does as the client of Trickles does, and after each call sends what `SENDS` says, a hundred times.
#[derive(Debug)]
struct More<const SENDS: u8> {
    inner: Trickles,
    /// The last introduction, from which requests are made up.
    id: [u8; 17],
    count: u32,
}

/// Requests on the connection, each with a count of its own.
const REQUESTS: u8 = 0;
/// Requests on another connection.
const OTHERS: u8 = 1;
/// First messages of set-ups.
const INITS: u8 = 2;
/// Segments that want to be acknowledged.
const NUMBERED: u8 = 3;
/// Nothing: it says that it has done everything.
const LEAVES: u8 = 4;

impl<const SENDS: u8> More<SENDS> {
    fn more(&mut self, host: &mut impl Host) {
        if SENDS == LEAVES {
            return host.proto_done();
        }
        let mut bytes = [0; 100];
        bytes[0] = if SENDS == INITS { 0xa1 } else { 0xa8 };
        bytes[1] = self.id[16];
        bytes[2..18].copy_from_slice(&self.id[..16]);
        if SENDS == OTHERS {
            bytes[2] ^= 1;
        }
        for _ in 0..100 {
            self.count += 1;
            // Above those of the client, which begin with 1.
            bytes[18..22].copy_from_slice(&(1_000_000 + self.count).to_be_bytes());
            let _ = match SENDS {
                NUMBERED => host.net_send(&bytes, 0..0).map(|_| ()),
                _ => host.net_sendack(&bytes),
            };
        }
    }
}

impl<const SENDS: u8> Guest for More<SENDS> {
    const SOCKET: SocketKind = SocketKind::Stream;

    fn attach(host: &mut impl Host) -> Self {
        More { inner: Trickles::attach(host), id: [0; 17], count: 0 }
    }

    fn connect(&mut self, host: &mut impl Host) {
        self.inner.connect(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.inner.accept(host);
    }

    fn abort(&mut self, host: &mut impl Host) {
        self.inner.abort(host);
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        self.inner.input(host, arrived);
        self.more(host);
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        self.inner.timer(host, id);
        self.more(host);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        self.inner.usrreq(host, request);
    }

    fn shutdown(&mut self, host: &mut impl Host, deadline_ms: u32) {
        self.inner.shutdown(host, deadline_ms);
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        self.inner.path_changed(host);
    }

    fn call(&mut self, host: &mut impl Host, number: u32, words: &mut [u8], len: usize) -> Result<usize, Refused> {
        if number == CALL_INTRODUCE && len >= 17 {
            self.id.copy_from_slice(&words[..17]);
        }
        let answer = self.inner.call(host, number, words, len);
        self.more(host);
        answer
    }
}

/// What a guest of that kind has done.
struct Done {
    /// Datagrams that went to the server, and came from it.
    sent: u64,
    came: u64,
    /// How it was told to have ended.
    events: Vec<Event>,
    /// What it wanted to send beyond its bound.
    denied: u64,
}

impl Done {
    /// Whether no more left than what came pays for, the INIT, and a few a second.
    fn is_held(&self) -> bool {
        self.sent <= 1 + self.came + ACKS_AT_ONCE * (1 + 5)
    }
}

fn run<const SENDS: u8>(len: u64) -> Done {
    run_by::<SENDS>(len, |workshop| workshop)
}

fn run_by<const SENDS: u8>(len: u64, change: impl FnOnce(Workshop) -> Workshop) -> Done {
    let mut run = Run::new(1, &path());
    let (forth, back) = (run.link.forth(), run.link.back());
    // What is shipped is not counted.
    run.shipped();
    run.world.run_until(run.world.now() + SECOND);
    let before = [forth, back].map(|lane| run.world.stats(lane).offered);
    let id = run.ask(&Code::native::<More<SENDS>>("more"), len.to_string().as_bytes(), change);
    run.until(id, len as usize, 5 * SECOND);
    let [sent, came] = [forth, back].map(|lane| run.world.stats(lane).offered);
    let node = run.receiver(id);
    let denied = node.machine.transport().shim().denials().acknowledgments;
    Done { sent: sent - before[0], came: came - before[1], events: node.app.events.clone(), denied }
}

#[test]
fn as_many_datagrams_leave_as_came_and_a_few_a_second_however_many_a_guest_sends() {
    let held = run::<REQUESTS>(400_000);
    println!("{} sent, {} came, {} denied; {:?}", held.sent, held.came, held.denied, held.events);
    assert!(held.is_held(), "{} sent, {} came", held.sent, held.came);
    assert!(held.denied > 10 * held.sent, "it wanted to send many more: {}", held.denied);
    let free = run_by::<REQUESTS>(400_000, Workshop::without_ack_bound);
    println!("without the bound: {} sent, {} came, {} denied", free.sent, free.came, free.denied);
    assert!(!free.is_held(), "control: without the bound {} leave, and {} come", free.sent, free.came);
    assert!(free.sent > 10 * held.sent, "control: {} and {}", free.sent, held.sent);
}

#[test]
fn a_guest_that_sends_for_another_connection_or_sets_some_up_is_stopped_and_nothing_of_it_leaves() {
    for Done { sent, events, .. } in [run::<OTHERS>(100_000), run::<INITS>(100_000)] {
        assert_eq!(events, [Event::Connected, Event::Ended(ReceiverError::Foreign)]);
        assert!(sent <= 2, "the INIT, and a request: {sent}");
    }
}

#[test]
fn a_guest_that_sends_what_wants_to_be_acknowledged_is_stopped_and_nothing_of_it_leaves() {
    let Done { sent, events, .. } = run::<NUMBERED>(100_000);
    assert_eq!(events, [Event::Connected, Event::Ended(ReceiverError::Sends)]);
    assert!(sent <= 2, "the INIT, and a request: {sent}");
}

#[test]
fn a_guest_that_leaves_before_all_is_there_ends_the_download_by_name() {
    let events = run::<LEAVES>(100_000).events;
    assert_eq!(events.last(), Some(&Event::Ended(ReceiverError::Guest(End::Done))), "{events:?}");
}

#[test]
fn code_that_is_no_receivers_does_not_take_the_connection() {
    let mut run = Run::new(1, &path());
    let id = run.download(&Code::native::<Flood>("flood"), 1_000);
    run.until(id, 1, 5 * SECOND);
    assert_eq!(run.receiver(id).app.events, [Event::Ended(ReceiverError::NotTaken)]);
}
