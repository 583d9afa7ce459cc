//! The client of Trickles as a guest: a host that has never met the protocol downloads from a server that keeps nothing
//! of it (Trickles 7.2, docs/decisions/0045-a-guest-without-a-channel.md).
//!
//! The client is the one of `tng-trickles`. Its host sets connections up, seals what it sends and opens what comes.
//! What came, what is lost, which continuation is spent for what, and what proves it, is decided here.
//! What the application writes, up to where it finishes, asks for something. Three modules are made of it, each with a
//! [`Purpose`]:
//!
//! | module | the application writes | a server is asked for | the application reads |
//! |---|---|---|---|
//! | [`Trickles`] | what asks the server for an object | the object | the object |
//! | [`Watermark`] | what asks for a marked image | its head, and then pieces with SKIP markers of bits | the image |
//! | [`Http`] | a request of HTTP | the file, or the part, that it names | the bytes |
#![forbid(unsafe_code)]

mod http;
mod purpose;
mod watermark;

use core::time::Duration;

use tng_base::Instant;
use tng_stp_abi::{Arrived, Guest, Host, Refused, Route, SocketKind, UserRequest};
use tng_trickles::client::{ClientConfig, Event, Hosted, Introduction, ObjectId, Options, Read};
use tng_wire::{Reader, Repr};

pub use http::{BadRequest, FIELDS_MAX, Request};
pub use purpose::{Purpose, Unusable, Verbatim, Wanted};
pub use watermark::{HEAD_LEN_MAX, Image};

/// Downloads an object.
pub type Trickles = Client<Verbatim>;
/// Downloads an image, and joins it here.
pub type Watermark = Client<Image>;
/// Downloads what a request of HTTP asks for.
pub type Http = Client<Request>;

/// The call by which a host introduces the guest to a connection: an [`Introduction`].
pub use tng_stp_abi::CALL_INTRODUCE;
/// All of a segment that is no request: another connection is needed.
pub use tng_stp_abi::NEEDS_CONNECTION;

/// The connection has failed: the application asked for too much, for nothing, or not in the way of the guest.
pub const ERROR_ASKED: u32 = 1;
/// The connection has failed: the server does not give the object, asks for work before, or sends what is none.
pub const ERROR_OBJECT: u32 = 2;
/// The connection has failed: this end does not receive, it accepted.
pub const ERROR_ROLE: u32 = 3;

/// The one timer.
const TIMER: u32 = 0;
/// Bytes of what asks for an object.
const ASKED_MAX: usize = 4_096;
/// Bytes of the connection's row that are reserved for the object at first.
const RESERVE: u64 = 16 << 20;
/// Bytes of an object that wait here until they are read in order.
const BUFFER: u64 = 256 << 10;
/// Bytes that go to the application at once.
const PIECE: usize = 16 << 10;
/// Bytes of the largest datagram.
const DATAGRAM_MAX: usize = 1_500;
/// Requests in one call: what a loss held back is looked at piece by piece, since a call has so much fuel.
const REQUESTS_MAX: usize = 8;
/// A host that was asked for a connection is asked again after so long.
const AGAIN: Duration = Duration::from_secs(1);

/// One end.
#[derive(Debug)]
pub struct Client<P> {
    hosted: Hosted,
    asked: Asked<P>,
    /// [`PIECE`] bytes: one datagram, or what goes to the application.
    buffer: Vec<u8>,
    /// What the application reads next, which has had no room.
    left: Vec<u8>,
    /// Whether a call has left work undone.
    has_more: bool,
    link: Link,
}

/// Whether there is a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Link {
    /// The host sets up the first by itself.
    Awaited,
    There,
    /// Another was asked for then.
    AskedFor(Instant),
}

/// What has become of what the application wants.
#[derive(Debug)]
enum Asked<P> {
    Nothing,
    Object(P, ObjectId),
    /// All has come, and the application has not read it.
    Whole,
    Ended,
}

impl<P: Purpose> Client<P> {
    fn now(host: &mut impl Host) -> Instant {
        // A request of the first moment would seem to come from before all time.
        Instant::from_millis(1 + host.gettick())
    }

    fn ask(&mut self, host: &mut impl Host) {
        let until = host.so_sent();
        let mut said = vec![0; ASKED_MAX + 1];
        let len = host.so_read(0, &mut said).unwrap_or(0);
        if !(1..=ASKED_MAX).contains(&len) {
            return self.fail(host, ERROR_ASKED, "too much was written, or nothing");
        }
        match P::begin(&said[..len]) {
            Ok((purpose, wanted)) => self.want(host, purpose, wanted),
            Err(Unusable(why)) => return self.fail(host, ERROR_ASKED, &why),
        }
        let _ = host.so_drop(until);
    }

    fn want(&mut self, host: &mut impl Host, purpose: P, Wanted { bytes, from, until }: Wanted) {
        let options = Options { buffer: BUFFER, reserve: RESERVE, from, until, ..Options::default() };
        match self.hosted.ask(bytes, options) {
            Ok(object) => self.asked = Asked::Object(purpose, object),
            Err(error) => self.fail(host, ERROR_ASKED, &error.to_string()),
        }
    }

    fn fail(&mut self, host: &mut impl Host, code: u32, why: &str) {
        let _ = host.log(why);
        self.asked = Asked::Ended;
        host.so_error(code);
    }

    /// Hands the application as much of these as it has room for; answers how many it took.
    fn append(host: &mut impl Host, bytes: &[u8]) -> usize {
        let room = usize::try_from(host.so_room()).unwrap_or(usize::MAX);
        let fits = room.min(bytes.len());
        if fits > 0 && host.so_append_bytes(&bytes[..fits]).is_ok() { fits } else { 0 }
    }

    /// Hands the application what there is.
    fn deliver(&mut self, host: &mut impl Host) {
        while let Some(event) = self.hosted.poll_event() {
            if let Event::Failed(_, error) = event {
                return self.fail(host, ERROR_OBJECT, &error.to_string());
            }
        }
        let (mut has_some, mut worked) = (false, 0);
        self.has_more = false;
        loop {
            if !self.left.is_empty() {
                let taken = Self::append(host, &self.left);
                has_some |= taken > 0;
                self.left.drain(..taken);
                if !self.left.is_empty() {
                    break;
                }
                continue;
            }
            let (purpose, object) = match &mut self.asked {
                Asked::Object(purpose, object) => (purpose, *object),
                Asked::Whole => {
                    self.asked = Asked::Ended;
                    host.so_end();
                    host.so_wakeup();
                    host.proto_done();
                    return;
                }
                Asked::Nothing | Asked::Ended => break,
            };
            if worked >= P::AT_ONCE {
                self.has_more = true;
                break;
            }
            // With no room left the end can still be told.
            let room = usize::try_from(host.so_room()).unwrap_or(usize::MAX);
            let done = match self.hosted.read(object, &mut self.buffer[..room.min(PIECE)]) {
                Read::Bytes(0) | Read::Blocked => break,
                Read::Bytes(len) => {
                    worked += len;
                    purpose.take(&self.buffer[..len]).map(|bytes| {
                        let taken = Self::append(host, &bytes);
                        has_some |= taken > 0;
                        self.left.extend_from_slice(&bytes[taken..]);
                    })
                }
                Read::Unknown => return self.fail(host, ERROR_OBJECT, "the object was given up"),
                Read::End => purpose.end().map(|(bytes, next)| {
                    self.left = bytes;
                    let Asked::Object(purpose, _) = core::mem::replace(&mut self.asked, Asked::Whole) else { return };
                    if let Some(wanted) = next {
                        self.want(host, purpose, wanted);
                    }
                }),
            };
            if let Err(Unusable(why)) = done {
                return self.fail(host, ERROR_OBJECT, &why);
            }
        }
        if has_some {
            host.so_wakeup();
        }
    }

    /// Sends what there is to ask for, and sets the timer.
    fn output(&mut self, host: &mut impl Host) {
        let now = Self::now(host);
        self.deliver(host);
        if let Asked::Whole | Asked::Ended = self.asked {
            let _ = host.timer_stop(TIMER);
            return;
        }
        if self.hosted.needs_connection(now) {
            return self.need(host, now);
        }
        let most = usize::try_from(host.route(Route::SegmentMax)).unwrap_or(usize::MAX).min(DATAGRAM_MAX);
        for _ in 0..REQUESTS_MAX {
            let Some(len) = self.hosted.transmit(now, &mut self.buffer[..most]) else { break };
            // What is refused is a request that was lost.
            if host.net_sendack(&self.buffer[..len]).is_err() {
                break;
            }
        }
        // The next at the earliest in the next millisecond: time is told in these.
        match self.hosted.deadline(now) {
            _ if self.has_more => _ = host.timer_reset(TIMER, 1),
            Some(at) => {
                let ms = at.since(now).as_nanos().div_ceil(1_000_000).max(1);
                let _ = host.timer_reset(TIMER, u32::try_from(ms).unwrap_or(u32::MAX));
            }
            None => _ = host.timer_stop(TIMER),
        }
    }

    fn need(&mut self, host: &mut impl Host, now: Instant) {
        let is_due = match self.link {
            Link::Awaited => return,
            Link::There => true,
            Link::AskedFor(at) => now.since(at) >= AGAIN,
        };
        if is_due {
            self.link = Link::AskedFor(now);
            let _ = host.net_sendack(&NEEDS_CONNECTION);
        }
        let _ = host.timer_reset(TIMER, AGAIN.as_millis() as u32);
    }
}

impl<P: Purpose> Guest for Client<P> {
    const SOCKET: SocketKind = SocketKind::Stream;

    fn attach(_: &mut impl Host) -> Client<P> {
        // A receiver sends for what came: nothing twice.
        let config = ClientConfig { repeats_requests: false, ..ClientConfig::default() };
        Client {
            hosted: Hosted::new(config),
            asked: Asked::Nothing,
            buffer: vec![0; PIECE],
            left: Vec::new(),
            has_more: false,
            link: Link::Awaited,
        }
    }

    fn connect(&mut self, host: &mut impl Host) {
        host.so_connected();
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.fail(host, ERROR_ROLE, "it receives, and is accepted by nobody");
    }

    fn abort(&mut self, _: &mut impl Host) {
        self.asked = Asked::Ended;
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        let now = Self::now(host);
        for segment in arrived {
            // A call costs what it may have to copy.
            let room = DATAGRAM_MAX.min(segment.len as usize);
            if let Ok(len) = host.seg_read(segment.segment, 0, &mut self.buffer[..room]) {
                self.hosted.handle_datagram(now, &mut self.buffer[..len]);
            }
        }
        self.output(host);
    }

    fn timer(&mut self, host: &mut impl Host, _: u32) {
        self.hosted.handle_timeout();
        self.output(host);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        if request == UserRequest::Disconnect && matches!(self.asked, Asked::Nothing) {
            self.ask(host);
        }
        self.output(host);
    }

    fn shutdown(&mut self, host: &mut impl Host, _: u32) {
        self.asked = Asked::Ended;
        host.proto_done();
    }

    fn path_changed(&mut self, _: &mut impl Host) {}

    fn call(&mut self, host: &mut impl Host, number: u32, words: &mut [u8], len: usize) -> Result<usize, Refused> {
        if number != CALL_INTRODUCE {
            return Err(Refused::NotThere);
        }
        let introduction = Introduction::parse(&mut Reader::new(words.get(..len).ok_or(Refused::Length)?));
        let now = Self::now(host);
        let introduced = introduction.and_then(|introduction| self.hosted.introduce(now, introduction));
        introduced.map_err(|_| Refused::Unproven)?;
        self.link = Link::There;
        self.output(host);
        Ok(0)
    }
}
