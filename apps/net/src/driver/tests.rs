use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::collections::VecDeque;
use std::net::SocketAddr;

use tng_base::{Ecn, Transmit};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::*;
use crate::faulty::{Attempt, Faulty};
use crate::outbox::SendCounters;
use crate::socket::UdpSocket;

const SIZE: usize = 1200;
const WINDOW: usize = 40;

/// Sends every datagram back, batch for batch, until told to stop.
#[derive(Default)]
struct Echo {
    back: VecDeque<(Transmit, Vec<u8>)>,
    batches: Vec<usize>,
    stop: bool,
}

impl Machine for Echo {
    type Event = ();

    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        let Input::Datagram(Datagram { remote, local, ecn, segment_size, payload }) = input else { return };
        self.batches.push(payload.len().div_ceil(segment_size));
        self.back.push_back((Transmit { remote, local, ecn, len: payload.len(), segment_size }, payload.to_vec()));
    }

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll_output(&mut self, _: Instant, buf: &mut [u8]) -> Output<()> {
        match self.back.pop_front() {
            Some((transmit, payload)) => {
                buf[..payload.len()].copy_from_slice(&payload);
                Output::Transmit(transmit)
            }
            None => Output::Timeout(None),
        }
    }
}

impl Driven for Echo {
    type Machine = Echo;
    fn machine(&mut self) -> &mut Echo {
        self
    }
    fn handle_event(&mut self, _: Instant, (): (), _: &mut Vec<Waker>) -> usize {
        1
    }
    fn handle_stop(&mut self, _: &mut Vec<Waker>) {}
    fn is_finished(&self) -> bool {
        self.stop
    }
}

/// Sends `total` numbered datagrams to an echo, [`WINDOW`] at a time, and again what does not come back in 50 ms.
struct Caller {
    remote: SocketAddr,
    total: usize,
    back: usize,
    window_back: Vec<bool>,
    to_send: bool,
    resend_at: Option<Instant>,
    retransmissions: u32,
    events: VecDeque<()>,
    done: Option<oneshot::Sender<()>>,
}

impl Caller {
    fn new(remote: SocketAddr, total: usize) -> (Caller, oneshot::Receiver<()>) {
        assert!(total.is_multiple_of(WINDOW));
        let (done, wait) = oneshot::channel();
        let caller = Caller {
            remote,
            total,
            back: 0,
            window_back: vec![false; WINDOW],
            to_send: true,
            resend_at: None,
            retransmissions: 0,
            events: VecDeque::new(),
            done: Some(done),
        };
        (caller, wait)
    }
}

impl Machine for Caller {
    type Event = ();

    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        let Input::Datagram(datagram) = input else { return };
        for one in datagram.payload.chunks(datagram.segment_size) {
            assert!(one.len() == SIZE && one[8..].iter().all(|&b| b == one[0]), "a datagram was cut or mixed");
            let number = u64::from_be_bytes(one[..8].try_into().unwrap()) as usize & 0x00ff_ffff_ffff_ffff;
            if let Some(index) = number.checked_sub(self.back)
                && index < WINDOW
            {
                self.window_back[index] = true;
            }
        }
        if self.window_back.iter().all(|&back| back) {
            self.back += WINDOW;
            self.window_back.fill(false);
            self.resend_at = None;
            self.to_send = self.back < self.total;
            if !self.to_send {
                self.events.push_back(());
            }
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.resend_at.is_some_and(|at| at <= now) {
            self.to_send = true;
            self.retransmissions += 1;
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<()> {
        if let Some(()) = self.events.pop_front() {
            return Output::Event(());
        }
        if core::mem::take(&mut self.to_send) {
            let mut len = 0;
            for index in (0..WINDOW).filter(|&index| !self.window_back[index]) {
                let number = (self.back + index) as u64;
                let one = &mut buf[len..len + SIZE];
                let fill = number as u8 | 1;
                one.fill(fill);
                one[..8].copy_from_slice(&(number | u64::from(fill) << 56).to_be_bytes());
                len += SIZE;
            }
            self.resend_at = Some(now + Duration::from_millis(50));
            let (remote, ecn) = (self.remote, Ecn::Ect0);
            return Output::Transmit(Transmit { remote, local: None, ecn, len, segment_size: SIZE });
        }
        Output::Timeout(self.resend_at)
    }
}

impl Driven for Caller {
    type Machine = Caller;
    fn machine(&mut self) -> &mut Caller {
        self
    }
    fn handle_event(&mut self, _: Instant, (): (), _: &mut Vec<Waker>) -> usize {
        if let Some(done) = self.done.take() {
            let _ = done.send(());
        }
        1
    }
    fn handle_stop(&mut self, _: &mut Vec<Waker>) {
        self.done = None;
    }
    fn is_finished(&self) -> bool {
        self.back == self.total && self.events.is_empty()
    }
}

fn bind() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap()
}

/// What is left of a conversation over `caller_socket`.
struct Talk {
    batches: Vec<usize>,
    retransmissions: u32,
    sent: SendCounters,
}

async fn talk(socket: Arc<dyn Socket>, total: usize) -> Talk {
    let echo_socket = bind();
    let (caller, done) = Caller::new(echo_socket.local_addr().unwrap(), total);
    let echo = Arc::new(Shared::new(Echo::default()));
    let caller = Arc::new(Shared::new(caller));
    let echo_task = tokio::spawn(Driver::new(echo.clone(), Arc::new(echo_socket)));
    let caller_task = tokio::spawn(Driver::new(caller.clone(), socket));
    timeout(Duration::from_secs(20), done).await.expect("it ends").expect("the driver lives");
    caller_task.await.unwrap();
    {
        let mut echo = echo.lock();
        echo.stop = true;
        echo.wake_driver();
    }
    echo_task.await.unwrap();
    let mut caller = caller.lock();
    let batches = core::mem::take(&mut echo.lock().batches);
    Talk { batches, retransmissions: caller.retransmissions, sent: caller.sent() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_stay_whole_from_machine_to_machine() {
    let talk = talk(Arc::new(bind()), 100 * WINDOW).await;
    assert!(talk.batches.iter().sum::<usize>() >= 100 * WINDOW);
    assert!(talk.batches.len() < 200, "coalesced: {:?}", talk.batches);
    assert_eq!((talk.sent.sends, talk.sent.resent_batches), (100 + u64::from(talk.retransmissions), 0));
}

#[tokio::test]
async fn a_single_thread_drives_both_ends() {
    talk(Arc::new(bind()), 20 * WINDOW).await;
}

#[tokio::test]
async fn a_system_that_cannot_segment_loses_nothing() {
    let socket =
        Faulty::new(bind(), |attempt: &Attempt| (attempt.segments > 1).then(|| io::Error::from_raw_os_error(5)));
    let talk = talk(Arc::new(socket), 20 * WINDOW).await;
    assert_eq!(talk.sent.resent_batches, u64::from(crate::outbox::SEGMENTATION_STRIKES));
    assert_eq!(talk.sent.refused_datagrams, 0);
}

#[tokio::test]
async fn errors_of_single_sends_are_losses_that_the_machine_repairs() {
    let errors = [1, 11_001, 101, 105, 111];
    let count = AtomicU32::new(0);
    let socket = Faulty::new(bind(), move |_| {
        // Every third batch fails whole, with what a full buffer, a firewall or a dead route would answer.
        let n = count.fetch_add(1, Ordering::Relaxed);
        (n % 9 < 3).then(|| io::Error::from_raw_os_error(errors[n as usize % errors.len()]))
    });
    let talk = talk(Arc::new(socket), 5 * WINDOW).await;
    assert!(talk.retransmissions > 0 && talk.sent.refused_datagrams > 0);
}

#[tokio::test]
async fn a_socket_that_fails_to_receive_is_left_alone_for_a_while_and_then_works() {
    let socket = Faulty::new(bind(), |_| None);
    *socket.receive_errors.lock().unwrap() = 3 * RECEIVE_ERRORS_MAX + 1;
    let started = Clock::start();
    talk(Arc::new(socket), WINDOW).await;
    assert!(started.now() >= Instant::ZERO + 3 * RECEIVE_PAUSE);
}

#[tokio::test]
async fn a_blocked_socket_is_tried_again_when_it_is_writable() {
    let socket = Arc::new(Faulty::new(bind(), |_| None));
    socket.close_gate();
    let gate = socket.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        gate.open_gate();
    });
    let talk = talk(socket, 2 * WINDOW).await;
    assert_eq!(talk.sent.datagrams % WINDOW as u64, 0);
}

#[tokio::test]
async fn dropping_the_driver_tells_whoever_waits() {
    let (caller, done) = Caller::new("127.0.0.1:9".parse().unwrap(), WINDOW);
    let task = tokio::spawn(Driver::new(Arc::new(Shared::new(caller)), Arc::new(bind())));
    tokio::task::yield_now().await;
    task.abort();
    assert!(done.await.is_err());
}

#[tokio::test]
async fn an_idle_driver_sleeps() {
    // A machine whose timer lies in the past after every poll must not spin.
    struct Late(u32);
    impl Machine for Late {
        type Event = ();
        fn handle_input(&mut self, _: Instant, _: Input<'_>) {}
        fn handle_timeout(&mut self, _: Instant) {
            self.0 += 1;
        }
        fn poll_output(&mut self, _: Instant, _: &mut [u8]) -> Output<()> {
            Output::Timeout(Some(Instant::ZERO))
        }
    }
    impl Driven for Late {
        type Machine = Late;
        fn machine(&mut self) -> &mut Late {
            self
        }
        fn handle_event(&mut self, _: Instant, (): (), _: &mut Vec<Waker>) -> usize {
            1
        }
        fn handle_stop(&mut self, _: &mut Vec<Waker>) {}
        fn is_finished(&self) -> bool {
            false
        }
    }
    let shared = Arc::new(Shared::new(Late(0)));
    let task = tokio::spawn(Driver::new(shared.clone(), Arc::new(bind())));
    tokio::time::sleep(Duration::from_millis(50)).await;
    task.abort();
    let calls = shared.lock().0;
    assert!((1..=60).contains(&calls), "{calls} calls in 50 ms");
}

/// Asks for entropy at once and once more when it has come, and is finished when it has come twice.
#[derive(Default)]
struct Needy {
    asked: u32,
    given: Vec<[u8; 32]>,
}

impl Machine for Needy {
    type Event = ();

    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        let Input::Entropy(entropy) = input else { return };
        self.given.push(*entropy);
    }

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll_output(&mut self, _: Instant, _: &mut [u8]) -> Output<()> {
        if self.asked < 2 && self.given.len() == self.asked as usize {
            self.asked += 1;
            return Output::NeedsEntropy;
        }
        Output::Timeout(None)
    }
}

impl Driven for Needy {
    type Machine = Needy;
    fn machine(&mut self) -> &mut Needy {
        self
    }
    fn handle_event(&mut self, _: Instant, (): (), _: &mut Vec<Waker>) -> usize {
        1
    }
    fn handle_stop(&mut self, _: &mut Vec<Waker>) {}
    fn is_finished(&self) -> bool {
        self.given.len() == 2
    }
}

#[tokio::test]
async fn a_system_without_entropy_is_asked_again_until_it_has_some() {
    let needy = Arc::new(Shared::new(Needy::default()));
    let mut driver = Driver::new(needy.clone(), Arc::new(bind()));
    let tries = Arc::new(AtomicU32::new(0));
    let counted = tries.clone();
    driver.entropy = Entropy::new(move |out| {
        // The first three fail, and nobody asks in between.
        let n = counted.fetch_add(1, Ordering::Relaxed);
        out.fill(n as u8);
        n > 2
    });
    let started = Clock::start();
    timeout(Duration::from_secs(20), driver).await.expect("it comes");
    assert!(started.now() >= Instant::ZERO + 3 * ENTROPY_RETRY_AFTER);
    assert_eq!((tries.load(Ordering::Relaxed), &needy.lock().machine().given), (5, &vec![[3; 32], [4; 32]]));
}

/// Wants to be called in 300 us, again and again, and notes when it is.
struct Soon {
    next: Instant,
    late: Vec<Duration>,
}

const SOON: Duration = Duration::from_micros(300);
const CALLS: usize = 100;

impl Machine for Soon {
    type Event = ();
    fn handle_input(&mut self, _: Instant, _: Input<'_>) {}
    fn handle_timeout(&mut self, now: Instant) {
        self.late.push(now.since(self.next));
        self.next = now + SOON;
    }
    fn poll_output(&mut self, now: Instant, _: &mut [u8]) -> Output<()> {
        if self.next == Instant::ZERO {
            self.next = now + SOON;
        }
        Output::Timeout(Some(self.next))
    }
}

impl Driven for Soon {
    type Machine = Soon;
    fn machine(&mut self) -> &mut Soon {
        self
    }
    fn handle_event(&mut self, _: Instant, (): (), _: &mut Vec<Waker>) -> usize {
        1
    }
    fn handle_stop(&mut self, _: &mut Vec<Waker>) {}
    fn is_finished(&self) -> bool {
        self.late.len() == CALLS
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_driver_that_is_to_be_quick_keeps_a_timer_below_a_millisecond_to_a_part_of_one() {
    let shared = Arc::new(Shared::new(Soon { next: Instant::ZERO, late: Vec::new() }));
    let driver = Driver::new(shared.clone(), Arc::new(bind())).busy_poll(Duration::from_micros(1));
    timeout(Duration::from_secs(20), driver).await.expect("it ends");
    let mut late = shared.lock().late.clone();
    late.sort_unstable();
    // Control: tokio's timers come at the next whole millisecond after it, 700 us late at best. A busy machine makes
    // most of them late, and not all.
    assert!(late[CALLS / 10] < Duration::from_micros(500), "{late:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_timer_is_kept_however_often_the_driver_has_something_else_to_do() {
    let shared = Arc::new(Shared::new(Soon { next: Instant::ZERO, late: Vec::new() }));
    let driver = tokio::spawn(Driver::new(shared.clone(), Arc::new(bind())));
    let touching = tokio::spawn(async move {
        loop {
            shared.lock().wake_driver();
            tokio::task::yield_now().await;
        }
    });
    timeout(Duration::from_secs(20), driver).await.expect("it ends").expect("the driver lives");
    touching.abort();
}

/// Counts how often the system is asked unasked.
#[derive(Debug)]
struct Counted(UdpSocket, AtomicU32);

impl Socket for Counted {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
    fn segments_max(&self) -> usize {
        self.0.segments_max()
    }
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_readable(cx)
    }
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_writable(cx)
    }
    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        self.0.try_send(transmit, payload)
    }
    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        self.0.try_receive(buffer, received)
    }
    fn receive_unasked(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.receive_unasked(buffer, received)
    }
}

#[tokio::test]
async fn a_driver_that_is_to_stay_awake_does_after_a_packet_for_so_long_and_lets_others_run() {
    for busy in [Duration::ZERO, Duration::from_millis(150)] {
        let socket = Arc::new(Counted(bind(), AtomicU32::new(0)));
        let (echo, here) = (Arc::new(Shared::new(Echo::default())), socket.local_addr().unwrap());
        let task = tokio::spawn(Driver::new(echo.clone(), socket.clone()).busy_poll(busy));
        tokio::time::sleep(Duration::from_millis(5)).await;
        let asked = || socket.1.load(Ordering::Relaxed);
        assert_eq!(asked(), 0, "nothing has come");
        let peer = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let started = Clock::start();
        for _ in 0..2 {
            peer.send_to(b"hello", here).await.unwrap();
            // On the same thread as the driver.
            assert_eq!(peer.recv(&mut [0; 9]).await.unwrap(), 5);
        }
        while started.now() < Instant::ZERO + 4 * busy {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let until_then = asked();
        assert_eq!(until_then > 10, !busy.is_zero(), "asked {until_then} times");
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(asked(), until_then, "it sleeps");
        let mut hub = echo.lock();
        hub.stop = true;
        hub.wake_driver();
        drop(hub);
        task.await.unwrap();
    }
}
