//! What stands between a NewReno that means no harm and its host.

use core::ops::Range;

use stp_guest_tcp::{Modern, Tcp};
use tng_stp_abi::{Arrived, Guest, Host, Info, Refused, Route, SocketKind, UserRequest};

/// What a bad guest does where a good one sends and acknowledges. Left alone, it does what a good one does.
pub trait Wile: Default {
    /// A call is over.
    fn after(&mut self, _host: &mut impl Host) {}

    /// A segment is to leave.
    fn net_send(&mut self, host: &mut impl Host, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        host.net_send(head, body)
    }

    /// One is to leave again.
    fn net_resend(&mut self, host: &mut impl Host, head: &[u8], body: Range<u64>, lost: u64) -> Result<u64, Refused> {
        host.net_resend(head, body, lost)
    }

    /// The peer proves something.
    fn ack_sum(&mut self, host: &mut impl Host, numbers: Range<u64>, sum: u64, delay_us: u32) -> Result<(), Refused> {
        host.ack_sum(numbers, sum, delay_us)
    }

    /// Something is lost.
    fn nack(&mut self, host: &mut impl Host, number: u64) -> Result<(), Refused> {
        host.nack(number)
    }

    /// An acknowledgment is to leave.
    fn net_sendack(&mut self, host: &mut impl Host, bytes: &[u8]) -> Result<(), Refused> {
        host.net_sendack(bytes)
    }
}

/// A NewReno with a wile.
#[derive(Debug)]
pub struct Bad<W> {
    tcp: Tcp<Modern>,
    wile: W,
}

impl<W: Wile> Bad<W> {
    fn with<H: Host>(&mut self, host: &mut H, call: impl FnOnce(&mut Tcp<Modern>, &mut Between<'_, H, W>)) {
        call(&mut self.tcp, &mut Between { host, wile: &mut self.wile });
        self.wile.after(host);
    }
}

impl<W: Wile> Guest for Bad<W> {
    const SOCKET: SocketKind = SocketKind::Stream;

    fn attach(host: &mut impl Host) -> Bad<W> {
        Bad { tcp: Tcp::attach(host), wile: W::default() }
    }

    fn connect(&mut self, host: &mut impl Host) {
        self.with(host, |tcp, host| tcp.connect(host));
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.with(host, |tcp, host| tcp.accept(host));
    }

    fn abort(&mut self, host: &mut impl Host) {
        self.tcp.abort(host);
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        self.with(host, |tcp, host| tcp.input(host, arrived));
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        self.with(host, |tcp, host| tcp.timer(host, id));
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        self.with(host, |tcp, host| tcp.usrreq(host, request));
    }

    fn shutdown(&mut self, host: &mut impl Host, deadline_ms: u32) {
        self.with(host, |tcp, host| tcp.shutdown(host, deadline_ms));
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        self.with(host, |tcp, host| tcp.path_changed(host));
    }
}

/// The host, as the good part of a bad guest sees it.
struct Between<'a, H, W> {
    host: &'a mut H,
    wile: &'a mut W,
}

impl<H: Host, W: Wile> Host for Between<'_, H, W> {
    fn proto_info(&mut self, what: Info) -> u64 {
        self.host.proto_info(what)
    }

    fn proto_done(&mut self) {
        self.host.proto_done()
    }

    fn so_connected(&mut self) {
        self.host.so_connected()
    }

    fn so_sent(&mut self) -> u64 {
        self.host.so_sent()
    }

    fn so_read(&mut self, from: u64, into: &mut [u8]) -> Result<usize, Refused> {
        self.host.so_read(from, into)
    }

    fn so_drop(&mut self, until: u64) -> Result<(), Refused> {
        self.host.so_drop(until)
    }

    fn so_room(&mut self) -> u64 {
        self.host.so_room()
    }

    fn so_append(&mut self, segment: u32, bytes: Range<u32>) -> Result<(), Refused> {
        self.host.so_append(segment, bytes)
    }

    fn so_append_bytes(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        self.host.so_append_bytes(bytes)
    }

    fn so_end(&mut self) {
        self.host.so_end()
    }

    fn so_wakeup(&mut self) {
        self.host.so_wakeup()
    }

    fn so_isdisconnecting(&mut self) -> bool {
        self.host.so_isdisconnecting()
    }

    fn so_error(&mut self, code: u32) {
        self.host.so_error(code)
    }

    fn net_send(&mut self, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        self.wile.net_send(self.host, head, body)
    }

    fn net_resend(&mut self, head: &[u8], body: Range<u64>, lost: u64) -> Result<u64, Refused> {
        self.wile.net_resend(self.host, head, body, lost)
    }

    fn ack_sum(&mut self, numbers: Range<u64>, sum: u64, delay_us: u32) -> Result<(), Refused> {
        self.wile.ack_sum(self.host, numbers, sum, delay_us)
    }

    fn nack(&mut self, number: u64) -> Result<(), Refused> {
        self.wile.nack(self.host, number)
    }

    fn net_sendack(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        self.wile.net_sendack(self.host, bytes)
    }

    fn net_budget(&mut self) -> u64 {
        self.host.net_budget()
    }

    fn gettick(&mut self) -> u64 {
        self.host.gettick()
    }

    fn seg_read(&mut self, segment: u32, from: u32, into: &mut [u8]) -> Result<usize, Refused> {
        self.host.seg_read(segment, from, into)
    }

    fn seg_keep(&mut self, segment: u32) -> Result<(), Refused> {
        self.host.seg_keep(segment)
    }

    fn seg_free(&mut self, segment: u32) -> Result<(), Refused> {
        self.host.seg_free(segment)
    }

    fn timer_reset(&mut self, id: u32, in_ms: u32) -> Result<(), Refused> {
        self.host.timer_reset(id, in_ms)
    }

    fn timer_stop(&mut self, id: u32) -> Result<(), Refused> {
        self.host.timer_stop(id)
    }

    fn route(&mut self, what: Route) -> u64 {
        self.host.route(what)
    }

    fn log(&mut self, text: &str) -> Result<(), Refused> {
        self.host.log(text)
    }

    fn random(&mut self) -> u64 {
        self.host.random()
    }
}
