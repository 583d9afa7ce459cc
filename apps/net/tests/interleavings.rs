//! The driver and the tasks that use its machine share one lock, and under it a flag and wakers; threads of an
//! endpoint, and who waits for an answer, have further ones. Here the very same files, with loom's locks in the place
//! of the system's, run in every order that threads can come in: nobody may sleep on what concerns him.

use core::future::poll_fn;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};
use std::sync::Arc;
use std::task::Wake;

use loom::future::block_on;
use loom::thread;
use tng_base::{Eid, Input, Instant, Machine, Output, SessionId};

use answered::Answered;
use board::Board;
use handover::{HandedOver, Handover};
use lock::{Driven, Locked, Shared};
use reply::{Outcome, Reply};
use sessions::Sessions;

#[path = "../src/lock.rs"]
#[expect(dead_code, reason = "its users are not here")]
mod lock;

#[path = "../src/handover.rs"]
mod handover;

#[path = "../src/hub/shards/board.rs"]
mod board;

#[path = "../src/hub/shards/answered.rs"]
mod answered;

#[path = "../src/hub/shards/sessions.rs"]
mod sessions;

#[path = "../src/hub/reply.rs"]
#[expect(dead_code, reason = "its users are not here")]
mod reply;

mod sync {
    pub use loom::sync::atomic::{AtomicBool, AtomicU64};
    pub use loom::sync::{Mutex, MutexGuard};
}

mod error {
    pub type ReadError = ();
}

mod outbox {
    pub type SendCounters = u64;
}

mod socket {
    pub trait Socket: Send + Sync + core::fmt::Debug {}
}

/// A machine that answers as often as it is asked.
#[derive(Default)]
struct Desk {
    asked: u32,
}

impl Machine for Desk {
    type Event = ();

    fn handle_input(&mut self, _: Instant, _: Input<'_>) {}

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll_output(&mut self, _: Instant, _: &mut [u8]) -> Output<()> {
        match self.asked.checked_sub(1) {
            Some(left) => {
                self.asked = left;
                Output::Event(())
            }
            None => Output::Timeout(None),
        }
    }
}

/// The desk, and who waits for an answer.
#[derive(Default)]
struct Office {
    desk: Desk,
    waiting: Vec<Waker>,
    answers: u32,
    leaving: u32,
    stopped: bool,
}

impl Driven for Office {
    type Machine = Desk;

    fn machine(&mut self) -> &mut Desk {
        &mut self.desk
    }

    fn handle_event(&mut self, _: Instant, (): (), wakers: &mut Vec<Waker>) -> usize {
        self.answers += 1;
        wakers.append(&mut self.waiting);
        1
    }

    fn handle_stop(&mut self, wakers: &mut Vec<Waker>) {
        self.stopped = true;
        wakers.append(&mut self.waiting);
    }

    fn is_finished(&self) -> bool {
        self.leaving == 0
    }
}

fn office(tasks: u32) -> Arc<Shared<Office>> {
    Arc::new(Shared::new(Office { leaving: tasks, ..Office::default() }))
}

/// What a task does: asks, waits for an answer, and says that it leaves.
fn ask(shared: &Shared<Office>) {
    let mut office = shared.lock();
    office.machine().asked += 1;
    office.wake_driver();
    drop(office);
    block_on(poll_fn(|cx| {
        let mut office = shared.lock();
        match office.answers.checked_sub(1) {
            Some(left) => {
                office.answers = left;
                Poll::Ready(())
            }
            None => {
                office.waiting.push(cx.waker().clone());
                Poll::Pending
            }
        }
    }));
    let mut office = shared.lock();
    office.leaving -= 1;
    office.wake_driver();
}

fn serve(office: &mut Locked<'_, Office>, wakers: &mut Vec<Waker>) {
    while let Output::Event(()) = office.machine().poll_output(Instant::ZERO, &mut []) {
        office.handle_event(Instant::ZERO, (), wakers);
    }
}

fn wake(wakers: Vec<Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

/// What the driver does when it is polled: nothing unless somebody has touched the machine. Answers whether nobody
/// needs it any more.
fn turn(shared: &Shared<Office>, driver: &Waker) -> bool {
    let mut wakers = Vec::new();
    let mut office = shared.lock();
    if !office.take_touched(driver) {
        return false;
    }
    serve(&mut office, &mut wakers);
    let finished = office.is_finished();
    drop(office);
    wake(wakers);
    finished
}

/// A driver that says in a step of its own whom to wake, and does not look again.
fn turn_with_a_gap(shared: &Shared<Office>, driver: &Waker) -> bool {
    let mut wakers = Vec::new();
    let mut office = shared.lock();
    serve(&mut office, &mut wakers);
    let finished = office.is_finished();
    drop(office);
    wake(wakers);
    shared.lock().take_touched(driver);
    finished
}

/// Runs the driver here and `tasks` others beside it. If all sleep, loom says so and aborts.
fn run(tasks: u32) {
    let shared = office(tasks);
    let tasks: Vec<_> = (0..tasks)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || ask(&shared))
        })
        .collect();
    block_on(poll_fn(|cx| match turn(&shared, cx.waker()) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    }));
    for task in tasks {
        task.join().expect("the task ends");
    }
}

#[test]
fn a_task_and_its_driver_never_sleep_on_each_other() {
    loom::model(|| run(1));
}

#[test]
fn two_tasks_are_answered_in_whatever_order_they_come() {
    let mut model = loom::model::Builder::new();
    // A thread is interrupted at most so often: the gap below shows with one.
    model.preemption_bound = Some(2);
    model.check(|| run(2));
}

/// Notes that it was woken.
#[derive(Default)]
struct Bell(AtomicBool);

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A driver is polled once while somebody touches the machine: either it has seen that, or it is woken.
fn poll_once(turn: fn(&Shared<Office>, &Waker) -> bool) {
    loom::model(move || {
        let (shared, bell) = (office(1), Arc::<Bell>::default());
        let task = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut office = shared.lock();
                office.machine().asked += 1;
                office.wake_driver();
            })
        };
        turn(&shared, &Waker::from(Arc::clone(&bell)));
        task.join().expect("the task ends");
        let seen = shared.lock().answers == 1;
        assert!(seen || bell.0.load(Ordering::SeqCst), "the driver sleeps on what it was told");
    });
}

#[test]
fn a_touch_is_seen_or_wakes_the_driver() {
    poll_once(turn);
}

#[test]
#[should_panic(expected = "the driver sleeps on what it was told")]
fn a_driver_with_a_gap_between_looking_and_lying_down_is_found() {
    poll_once(turn_with_a_gap);
}

#[test]
fn who_waits_for_the_flush_is_told_even_when_the_driver_goes() {
    loom::model(|| {
        let shared = office(1);
        let task = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let told = shared.lock().flushed();
                // An error is an answer: the driver is gone.
                let _ = block_on(told);
            })
        };
        let flushed = shared.lock().take_awaits_flush();
        for tell in flushed {
            assert!(tell.send(()).is_ok(), "who asked still waits");
        }
        let mut wakers = Vec::new();
        let mut office = shared.lock();
        office.set_gone();
        office.handle_stop(&mut wakers);
        drop(office);
        wake(wakers);
        task.join().expect("the task ends");
    });
}

/// Two threads hand something to each other, each under its own machine's lock, as drivers do; neither sleeps on what
/// was handed to it.
#[test]
fn threads_that_hand_over_to_each_other_wait_for_nobody_and_miss_nothing() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let queues = Arc::new([Handover::<u32>::new(100), Handover::new(100)]);
        let shared = [office(1), office(1)];
        let drive = |here: usize| {
            let (queues, shared) = (Arc::clone(&queues), Arc::clone(&shared[here]));
            move || {
                let (mut given, mut taken) = (false, Vec::new());
                block_on(poll_fn(|cx| {
                    let office = shared.lock();
                    let _ = queues[here].take(cx.waker(), &mut taken);
                    let woken = match core::mem::replace(&mut given, true) {
                        false => queues[1 - here].push(7, 10),
                        true => HandedOver::Taken(None),
                    };
                    drop(office);
                    match woken {
                        HandedOver::Taken(waker) => wake(waker.into_iter().collect()),
                        HandedOver::Full | HandedOver::Gone(_) => panic!("there is room"),
                    }
                    if taken.is_empty() { Poll::Pending } else { Poll::Ready(()) }
                }));
                assert_eq!(taken, [7]);
            }
        };
        let other = thread::spawn(drive(1));
        drive(0)();
        other.join().expect("it ends");
    });
}

/// A thread that is called looks, though its queue is full and nothing is handed to it.
#[test]
fn a_thread_that_is_called_has_a_turn_however_full_its_queue_is() {
    loom::model(|| {
        let queue = Arc::new(Handover::<u32>::new(10));
        assert!(matches!(queue.push(1, 10), HandedOver::Taken(None)));
        let caller = {
            let queue = Arc::clone(&queue);
            thread::spawn(move || wake(queue.call().into_iter().collect()))
        };
        let (mut taken, mut called) = (Vec::new(), false);
        block_on(poll_fn(|cx| {
            called |= queue.take(cx.waker(), &mut taken);
            if called { Poll::Ready(()) } else { Poll::Pending }
        }));
        assert_eq!(taken, [1]);
        caller.join().expect("it ends");
        assert!(!queue.take(Waker::noop(), &mut taken), "it was called once");
    });
}

#[test]
fn what_is_handed_to_one_who_goes_comes_back_or_goes_with_him() {
    loom::model(|| {
        let queue = Arc::new(Handover::<u32>::new(15));
        let giver = {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                let first = queue.push(1, 10);
                let second = queue.push(2, 10);
                // There is room for one.
                assert!(!matches!((first, second), (HandedOver::Taken(_), HandedOver::Taken(_))));
            })
        };
        queue.close();
        giver.join().expect("it ends");
        assert!(matches!(queue.push(3, 1), HandedOver::Gone(3)));
        let mut taken = Vec::new();
        queue.take(Waker::noop(), &mut taken);
        assert_eq!(taken, []);
    });
}

/// As a table of peers is written to and taken from: who finds something there already does not tell again.
#[test]
fn what_is_written_for_a_thread_is_taken_by_it_once_and_none_is_left_behind() {
    loom::model(|| {
        let board = Arc::new(Board::new(Vec::new(), 2));
        let write = |item: u32| {
            let board = Arc::clone(&board);
            move || {
                board.write(|items, news| {
                    if items.is_empty() {
                        news.tell(1);
                    }
                    items.push(item);
                });
            }
        };
        let writers = [thread::spawn(write(1)), thread::spawn(write(2))];
        let mut taken = Vec::new();
        let _ = board.take(1, |items, _| taken.append(items));
        for writer in writers {
            writer.join().expect("it ends");
        }
        let _ = board.take(1, |items, _| taken.append(items));
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
        assert!(board.take(0, |_, _| ()).is_none(), "there is nothing for others");
    });
}

/// One thread writes something for another and calls it, and that one for a third, as is done until one of a peer's
/// connections gives way.
#[test]
fn threads_that_are_called_find_what_was_written_for_them() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let board = Arc::new(Board::new(0, 2));
        let queues = Arc::new([Handover::<u32>::new(0), Handover::new(0)]);
        let drive = |here: usize| {
            let (board, queues) = (Arc::clone(&board), Arc::clone(&queues));
            move || {
                block_on(poll_fn(|cx| {
                    let _ = queues[here].take(cx.waker(), &mut Vec::new());
                    let found = board.take(here, |passed, news| {
                        *passed += 1;
                        if here == 0 {
                            news.tell(1);
                        }
                    });
                    if found.is_none() {
                        return Poll::Pending;
                    }
                    if here == 0 {
                        wake(queues[1].call().into_iter().collect());
                    }
                    Poll::Ready(())
                }));
            }
        };
        let others = [thread::spawn(drive(0)), thread::spawn(drive(1))];
        board.write(|_, news| news.tell(0));
        wake(queues[0].call().into_iter().collect());
        for other in others {
            other.join().expect("it ends");
        }
        board.write(|passed, _| assert_eq!(*passed, 2));
    });
}

#[test]
fn an_init_that_was_answered_anywhere_is_told_to_each_thread_once() {
    loom::model(|| {
        let answered = Arc::new(Answered::new());
        let note = |init: u8| {
            let answered = Arc::clone(&answered);
            move || answered.note([init; 32])
        };
        let others = [thread::spawn(note(1)), thread::spawn(note(2))];
        let (mut known, mut told) = (0, Vec::new());
        answered.catch_up(&mut known, |init| told.push(init[0]));
        for other in others {
            other.join().expect("it ends");
        }
        answered.catch_up(&mut known, |init| told.push(init[0]));
        told.sort_unstable();
        assert_eq!((known, told), (2, vec![1, 2]));
        answered.catch_up(&mut known, |_| panic!("it is known"));
    });
}

#[test]
fn a_session_that_ends_at_one_thread_while_it_begins_at_another_is_there() {
    loom::model(|| {
        let sessions = Arc::<Sessions>::default();
        let session = (Eid::from_bytes([1; 32]), SessionId::from_bytes([2; 16]));
        sessions.enter(session, 0);
        let other = {
            let sessions = Arc::clone(&sessions);
            thread::spawn(move || {
                sessions.enter(session, 1);
                assert_eq!(sessions.elsewhere(session, 1), None);
            })
        };
        let gone = {
            let sessions = Arc::clone(&sessions);
            thread::spawn(move || sessions.leave_all(2))
        };
        sessions.leave(session, 0);
        other.join().expect("it ends");
        gone.join().expect("it ends");
        assert_eq!(sessions.elsewhere(session, 0), Some(1));
        sessions.leave_all(1);
        assert_eq!(sessions.elsewhere(session, 0), None);
    });
}

#[test]
fn who_waits_for_an_answer_never_sleeps_on_it() {
    for outcome in [|| Outcome::Whole(Ok(Vec::new().into())), || Outcome::Streams, || Outcome::Lost] {
        loom::model(move || {
            let reply = Arc::<Reply>::default();
            let teller = {
                let reply = Arc::clone(&reply);
                thread::spawn(move || wake(reply.tell(outcome()).into_iter().collect()))
            };
            let told = block_on(poll_fn(|cx| reply.poll(cx)));
            assert_eq!(core::mem::discriminant(&told), core::mem::discriminant(&outcome()));
            teller.join().expect("it ends");
        });
    }
}

/// A request moves from one task to another, as futures may.
#[test]
fn an_answer_is_seen_or_wakes_who_looked_last() {
    loom::model(|| {
        let (reply, bell) = (Arc::<Reply>::default(), Arc::<Bell>::default());
        let teller = {
            let reply = Arc::clone(&reply);
            thread::spawn(move || wake(reply.tell(Outcome::Streams).into_iter().collect()))
        };
        let last = Waker::from(Arc::clone(&bell));
        let look = |waker: &Waker| reply.poll(&Context::from_waker(waker)).is_ready();
        let seen = look(Waker::noop()) || look(&last);
        teller.join().expect("it ends");
        assert!(seen || bell.0.load(Ordering::SeqCst), "who waits sleeps on an answer");
    });
}
