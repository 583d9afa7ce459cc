//! The border from inside a module: imports of `tng`, and the macros that export a guest.
#![expect(unsafe_code, reason = "imports are calls that the compiler cannot check; the host checks what it is handed")]

use core::cell::UnsafeCell;
use core::ops::Range;

use crate::{
    ARRIVED_LEN, Arrived, CALL_MAX, Guest, Host, Info, RING_ENTRIES, Refused, Route, SAMPLE_WORDS, Sample, UserRequest,
    Window,
};

mod raw {
    #[link(wasm_import_module = "tng")]
    unsafe extern "C" {
        pub(super) fn proto_info(what: u32) -> u64;
        pub(super) fn proto_done();
        pub(super) fn so_connected();
        pub(super) fn so_sent() -> u64;
        pub(super) fn so_read(from: u64, into: u32, len: u32) -> i64;
        pub(super) fn so_drop(until: u64) -> i64;
        pub(super) fn so_room() -> u64;
        pub(super) fn so_append(segment: u32, from: u32, to: u32) -> i64;
        pub(super) fn so_append_bytes(bytes: u32, len: u32) -> i64;
        pub(super) fn so_end();
        pub(super) fn so_wakeup();
        pub(super) fn so_isdisconnecting() -> u32;
        pub(super) fn so_error(code: u32);
        pub(super) fn net_send(head: u32, len: u32, from: u64, to: u64) -> i64;
        pub(super) fn net_resend(head: u32, len: u32, from: u64, to: u64, lost: u64) -> i64;
        pub(super) fn ack_sum(from: u64, to: u64, sum: u64, delay_us: u32) -> i64;
        pub(super) fn nack(number: u64) -> i64;
        pub(super) fn net_sendack(bytes: u32, len: u32) -> i64;
        pub(super) fn net_budget() -> u64;
        pub(super) fn net_window(window: u64, rate: u64);
        pub(super) fn gettick() -> u64;
        pub(super) fn seg_read(segment: u32, from: u32, into: u32, len: u32) -> i64;
        pub(super) fn seg_keep(segment: u32) -> i64;
        pub(super) fn seg_free(segment: u32) -> i64;
        pub(super) fn timer_reset(id: u32, in_ms: u32) -> i64;
        pub(super) fn timer_stop(id: u32) -> i64;
        pub(super) fn route(what: u32) -> u64;
        pub(super) fn log(text: u32, len: u32) -> i64;
        pub(super) fn random() -> u64;
    }
}

fn answer(number: i64) -> Result<u64, Refused> {
    u64::try_from(number).map_err(|_| Refused::of(number).unwrap_or(Refused::Closed))
}

fn at(bytes: &[u8]) -> (u32, u32) {
    (bytes.as_ptr() as u32, bytes.len() as u32)
}

/// The host of the module that this is compiled into.
#[derive(Clone, Copy, Debug)]
pub struct Imports;

// Every call hands the host numbers, and memory of this module that lives until the call returns.
impl Host for Imports {
    fn proto_info(&mut self, what: Info) -> u64 {
        unsafe { raw::proto_info(what as u32) }
    }

    fn proto_done(&mut self) {
        unsafe { raw::proto_done() }
    }

    fn so_connected(&mut self) {
        unsafe { raw::so_connected() }
    }

    fn so_sent(&mut self) -> u64 {
        unsafe { raw::so_sent() }
    }

    fn so_read(&mut self, from: u64, into: &mut [u8]) -> Result<usize, Refused> {
        let (into, len) = at(into);
        answer(unsafe { raw::so_read(from, into, len) }).map(|len| len as usize)
    }

    fn so_drop(&mut self, until: u64) -> Result<(), Refused> {
        answer(unsafe { raw::so_drop(until) }).map(|_| ())
    }

    fn so_room(&mut self) -> u64 {
        unsafe { raw::so_room() }
    }

    fn so_append(&mut self, segment: u32, bytes: Range<u32>) -> Result<(), Refused> {
        answer(unsafe { raw::so_append(segment, bytes.start, bytes.end) }).map(|_| ())
    }

    fn so_append_bytes(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let (bytes, len) = at(bytes);
        answer(unsafe { raw::so_append_bytes(bytes, len) }).map(|_| ())
    }

    fn so_end(&mut self) {
        unsafe { raw::so_end() }
    }

    fn so_wakeup(&mut self) {
        unsafe { raw::so_wakeup() }
    }

    fn so_isdisconnecting(&mut self) -> bool {
        unsafe { raw::so_isdisconnecting() != 0 }
    }

    fn so_error(&mut self, code: u32) {
        unsafe { raw::so_error(code) }
    }

    fn net_send(&mut self, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        let (head, len) = at(head);
        answer(unsafe { raw::net_send(head, len, body.start, body.end) })
    }

    fn net_resend(&mut self, head: &[u8], body: Range<u64>, lost: u64) -> Result<u64, Refused> {
        let (head, len) = at(head);
        answer(unsafe { raw::net_resend(head, len, body.start, body.end, lost) })
    }

    fn ack_sum(&mut self, numbers: Range<u64>, sum: u64, delay_us: u32) -> Result<(), Refused> {
        answer(unsafe { raw::ack_sum(numbers.start, numbers.end, sum, delay_us) }).map(|_| ())
    }

    fn nack(&mut self, number: u64) -> Result<(), Refused> {
        answer(unsafe { raw::nack(number) }).map(|_| ())
    }

    fn net_sendack(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let (bytes, len) = at(bytes);
        answer(unsafe { raw::net_sendack(bytes, len) }).map(|_| ())
    }

    fn net_budget(&mut self) -> u64 {
        unsafe { raw::net_budget() }
    }

    fn gettick(&mut self) -> u64 {
        unsafe { raw::gettick() }
    }

    fn seg_read(&mut self, segment: u32, from: u32, into: &mut [u8]) -> Result<usize, Refused> {
        let (into, len) = at(into);
        answer(unsafe { raw::seg_read(segment, from, into, len) }).map(|len| len as usize)
    }

    fn seg_keep(&mut self, segment: u32) -> Result<(), Refused> {
        answer(unsafe { raw::seg_keep(segment) }).map(|_| ())
    }

    fn seg_free(&mut self, segment: u32) -> Result<(), Refused> {
        answer(unsafe { raw::seg_free(segment) }).map(|_| ())
    }

    fn timer_reset(&mut self, id: u32, in_ms: u32) -> Result<(), Refused> {
        answer(unsafe { raw::timer_reset(id, in_ms) }).map(|_| ())
    }

    fn timer_stop(&mut self, id: u32) -> Result<(), Refused> {
        answer(unsafe { raw::timer_stop(id) }).map(|_| ())
    }

    fn route(&mut self, what: Route) -> u64 {
        unsafe { raw::route(what as u32) }
    }

    fn log(&mut self, text: &str) -> Result<(), Refused> {
        let (text, len) = at(text.as_bytes());
        answer(unsafe { raw::log(text, len) }).map(|_| ())
    }

    fn random(&mut self) -> u64 {
        unsafe { raw::random() }
    }
}

impl Window for Imports {
    fn net_window(&mut self, window: u64, rate: u64) {
        unsafe { raw::net_window(window, rate) }
    }
}

/// The one guest of a module. A module has one thread, and the host calls nothing while a call runs.
pub struct GuestCell<T>(UnsafeCell<T>);

// There is one thread.
unsafe impl<T> Sync for GuestCell<T> {}

impl<T> GuestCell<T> {
    /// A place that holds this.
    pub const fn new(value: T) -> GuestCell<T> {
        GuestCell(UnsafeCell::new(value))
    }

    /// Address of what it holds.
    pub fn address(&self) -> u32 {
        self.0.get() as u32
    }

    /// What it holds, for one call of the host's.
    #[expect(clippy::mut_from_ref, reason = "there is one thread, and no call within a call")]
    fn get(&self) -> &mut T {
        // Nobody else looks at it until the call returns.
        unsafe { &mut *self.0.get() }
    }
}

/// Where the host writes what arrived.
pub type Ring = GuestCell<[[u8; ARRIVED_LEN]; RING_ENTRIES]>;
/// What a call of `input` is handed.
pub type Batch = GuestCell<[Arrived; RING_ENTRIES]>;
/// Where calls of a protocol's own have their bytes.
pub type Area = GuestCell<[u8; CALL_MAX]>;
/// Where the host writes samples.
pub type Samples = GuestCell<[u64; SAMPLE_WORDS]>;

/// `attach`.
pub fn attach<G: Guest>(guest: &GuestCell<Option<G>>) {
    *guest.get() = Some(G::attach(&mut Imports));
}

/// Calls the guest, if it is attached.
pub fn with<G: Guest>(guest: &GuestCell<Option<G>>, call: impl FnOnce(&mut G, &mut Imports)) {
    if let Some(guest) = guest.get() {
        call(guest, &mut Imports);
    }
}

/// `input`.
pub fn input<G: Guest>(guest: &GuestCell<Option<G>>, ring: &Ring, batch: &Batch, first: u32, count: u32) {
    let count = RING_ENTRIES.min(count as usize);
    let arrived = &mut batch.get()[..count];
    for (at, entry) in arrived.iter_mut().enumerate() {
        *entry = Arrived::from_bytes(&ring.get()[(first as usize + at) % RING_ENTRIES]);
    }
    with(guest, |guest, host| guest.input(host, arrived));
}

/// `usrreq`.
pub fn usrreq<G: Guest>(guest: &GuestCell<Option<G>>, request: u32, until: u64) {
    if let Some(request) = UserRequest::of(request, until) {
        with(guest, |guest, host| guest.usrreq(host, request));
    }
}

/// `call`.
pub fn call<G: Guest>(guest: &GuestCell<Option<G>>, area: &Area, number: u32, len: u32) -> i64 {
    let mut answer = Err(Refused::Closed);
    with(guest, |guest, host| answer = guest.call(host, number, area.get(), CALL_MAX.min(len as usize)));
    answer.map_or_else(Refused::number, |len| len as i64)
}

/// `sample`.
pub fn sample<C: crate::Controller>(controller: &GuestCell<Option<C>>, samples: &Samples) {
    let sample = Sample::from_words(samples.get());
    let controller = controller.get().get_or_insert_with(|| C::new(sample.bytes as u32));
    controller.handle(&mut Imports, &sample);
}

/// Exports a transport from the module that this is written in.
#[macro_export]
macro_rules! export_transport {
    ($guest:ty) => {
        mod border {
            use $crate::wasm;

            static GUEST: wasm::GuestCell<Option<$guest>> = wasm::GuestCell::new(None);
            static RING: wasm::Ring = wasm::GuestCell::new([[0; $crate::ARRIVED_LEN]; $crate::RING_ENTRIES]);
            static BATCH: wasm::Batch = wasm::GuestCell::new([$crate::Arrived::EMPTY; $crate::RING_ENTRIES]);
            static AREA: wasm::Area = wasm::GuestCell::new([0; $crate::CALL_MAX]);

            #[unsafe(no_mangle)]
            extern "C" fn abi() -> u64 {
                $crate::abi_word($crate::Kind::of(<$guest as $crate::Guest>::SOCKET))
            }
            #[unsafe(no_mangle)]
            extern "C" fn ring() -> u32 {
                RING.address()
            }
            #[unsafe(no_mangle)]
            extern "C" fn area() -> u32 {
                AREA.address()
            }
            #[unsafe(no_mangle)]
            extern "C" fn attach() {
                wasm::attach(&GUEST);
            }
            #[unsafe(no_mangle)]
            extern "C" fn connect() {
                wasm::with(&GUEST, |guest, host| $crate::Guest::connect(guest, host));
            }
            #[unsafe(no_mangle)]
            extern "C" fn accept() {
                wasm::with(&GUEST, |guest, host| $crate::Guest::accept(guest, host));
            }
            #[unsafe(no_mangle)]
            extern "C" fn abort() {
                wasm::with(&GUEST, |guest, host| $crate::Guest::abort(guest, host));
            }
            #[unsafe(no_mangle)]
            extern "C" fn input(first: u32, count: u32) {
                wasm::input(&GUEST, &RING, &BATCH, first, count);
            }
            #[unsafe(no_mangle)]
            extern "C" fn timer(id: u32) {
                wasm::with(&GUEST, |guest, host| $crate::Guest::timer(guest, host, id));
            }
            #[unsafe(no_mangle)]
            extern "C" fn usrreq(request: u32, until: u64) {
                wasm::usrreq(&GUEST, request, until);
            }
            #[unsafe(no_mangle)]
            extern "C" fn shutdown(deadline_ms: u32) {
                wasm::with(&GUEST, |guest, host| $crate::Guest::shutdown(guest, host, deadline_ms));
            }
            #[unsafe(no_mangle)]
            extern "C" fn path_changed() {
                wasm::with(&GUEST, |guest, host| $crate::Guest::path_changed(guest, host));
            }
            #[unsafe(no_mangle)]
            extern "C" fn call(number: u32, len: u32) -> i64 {
                wasm::call(&GUEST, &AREA, number, len)
            }
        }
    };
}

/// Exports a controller from the module that this is written in.
#[macro_export]
macro_rules! export_controller {
    ($controller:ty) => {
        mod border {
            use $crate::wasm;

            static CONTROLLER: wasm::GuestCell<Option<$controller>> = wasm::GuestCell::new(None);
            static SAMPLES: wasm::Samples = wasm::GuestCell::new([0; $crate::SAMPLE_WORDS]);

            #[unsafe(no_mangle)]
            extern "C" fn abi() -> u64 {
                $crate::abi_word($crate::Kind::Controller)
            }
            #[unsafe(no_mangle)]
            extern "C" fn area() -> u32 {
                SAMPLES.address()
            }
            #[unsafe(no_mangle)]
            extern "C" fn sample() {
                wasm::sample(&CONTROLLER, &SAMPLES);
            }
        }
    };
}
