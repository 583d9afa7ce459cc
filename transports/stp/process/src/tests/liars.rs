//! A host before a process that says what it likes.

use core::time::Duration;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use tng_base::{ChannelKey, Instant, Protocol};
use tng_crypto::Secret32;
use tng_stp_abi::{Role, SocketKind};
use tng_stp_host::{Code, End, Fault, Instance, Life, Transport, Workshop};

use crate::away::{ANSWER_MAX, Away};
use crate::line::{Line, LineError, now};
use crate::nursery::Shared;
use crate::process::Process;
use crate::wire::{Deed, Deeds, Done, Order, Question, Report};

/// The process's end: a line, and the socket below it.
struct Liar {
    line: Line,
    socket: UnixStream,
}

impl Liar {
    /// The next call, or the answer to a question.
    fn hear(&mut self) -> Result<(), LineError> {
        self.line.receive::<Order<'_>>(None).map(drop)
    }

    fn say(&mut self, report: &Report<'_>) {
        // Nobody may listen any more.
        let _ = self.line.send(report);
    }

    fn done(&mut self, deeds: &[Deed<'_>]) {
        let deeds: Vec<u8> = deeds.iter().flat_map(tng_wire::battery::emit).collect();
        self.say(&Report::Done(Done { deeds: Deeds(&deeds), answer: Ok(0), fuel: 0, memory: 65_536, area: &[] }));
    }

    /// Says nothing for so long.
    fn wait(&mut self, time: Duration) {
        self.line.set_patience(time).unwrap();
        let _ = self.hear();
        self.line.set_patience(ANSWER_MAX * 20).unwrap();
    }

    /// Does nothing until it is let go.
    fn serve(&mut self) {
        while self.hear().is_ok() {
            self.done(&[]);
        }
    }
}

/// A host's end whose guest runs in this process.
fn host_of(process: Process) -> Transport {
    let process = Arc::new(Mutex::new(Some(process)));
    let code = Code::new("liar", SocketKind::Stream, move |shim| {
        let process = Arc::clone(&process);
        Ok(Box::new(Away::new("liar".into(), move || process.lock().unwrap().take(), shim)) as Box<dyn Instance>)
    });
    let workshop = Workshop::new(&Secret32::from_bytes([5; 32]), [6; 32]);
    workshop.transport(&code, Role::Initiator).unwrap()
}

/// There is a path: the guest is attached, and told.
fn meets(host: &mut Transport) {
    let at = Instant::from_secs(1);
    host.handle_attach(at, ChannelKey(1));
    let _ = host.wants_to_send(at, ChannelKey(1));
}

/// What a host makes of a process that is told of the beginning and a path, and then does `what`; and how long the host
/// stood still.
fn ended(what: impl FnOnce(&mut Liar) + Send + 'static) -> (Life, Duration) {
    let (here, there) = UnixStream::pair().unwrap();
    let liar: JoinHandle<()> = thread::spawn(move || {
        let mut liar = Liar { socket: there.try_clone().unwrap(), line: Line::new(there) };
        liar.hear().expect("it begins");
        liar.done(&[]);
        liar.hear().expect("there is a path");
        what(&mut liar);
    });
    let mut host = host_of(Process::of(here));
    let began = now();
    let at = Instant::from_secs(1);
    host.handle_attach(at, ChannelKey(1));
    for turn in 0..20 {
        let _ = host.write(&[7; 100]);
        let _ = host.wants_to_send(at + Duration::from_millis(turn), ChannelKey(1));
    }
    let (life, took) = (host.life().clone(), began.elapsed());
    drop(host);
    liar.join().expect("it tells the truth of itself");
    (life, took)
}

fn stopped(what: impl FnOnce(&mut Liar) + Send + 'static) -> Fault {
    match ended(what).0 {
        Life::Ended(End::Stopped(fault)) => fault,
        life => panic!("{life:?}"),
    }
}

#[test]
fn a_process_that_does_what_it_was_let_goes_on() {
    let (life, _) = ended(|process| {
        process.done(&[Deed::Connected, Deed::SendAck(b"hello"), Deed::Timer { id: 1, in_ms: 5 }]);
        process.serve();
    });
    assert_eq!(life, Life::Running);
    let (life, _) = ended(|process| {
        process.say(&Report::Ask(Deeds(&[]), Question::Random));
        process.hear().expect("an answer");
        process.done(&[]);
        process.serve();
    });
    assert_eq!(life, Life::Running);
}

#[test]
fn a_process_that_is_gone_ends_its_connection_by_name() {
    assert_eq!(stopped(|_| {}), Fault::ProcessGone { signal: None });
}

#[test]
fn a_process_that_closes_its_line_and_lives_on_is_strange() {
    let (here, there) = UnixStream::pair().unwrap();
    let (home, child) = (Shared::of_one(), Command::new("sleep").arg("60").spawn().unwrap());
    let mut host = host_of(Process::with(here, Some(child), Arc::clone(&home)));
    drop(there);
    meets(&mut host);
    assert_eq!(*host.life(), Life::Ended(End::Stopped(Fault::ProcessStrange)));
    home.dig();
}

#[test]
fn a_process_that_says_no_message_or_more_than_it_was_asked_for_is_strange() {
    let bytes = |bytes: &'static [u8]| move |liar: &mut Liar| liar.socket.write_all(bytes).unwrap();
    assert_eq!(stopped(bytes(&[0, 0, 0, 1, 99])), Fault::ProcessStrange);
    assert_eq!(stopped(bytes(&[255; 9])), Fault::ProcessStrange);
    // A message with a byte too many.
    assert_eq!(stopped(bytes(&[0, 0, 0, 3, 1, 2, 0])), Fault::ProcessStrange);
    assert_eq!(stopped(|liar| liar.say(&Report::Unfit("me"))), Fault::ProcessStrange);
    // At once: the host might take each for the answer to another call.
    let twice = |liar: &mut Liar| {
        let done = Done { deeds: Deeds(&[]), answer: Ok(0), fuel: 0, memory: 65_536, area: &[] };
        let done = tng_wire::battery::emit(&Report::Done(done));
        let len = u32::try_from(done.len()).expect("short").to_be_bytes();
        liar.socket.write_all(&[&len[..], &done, &len, &done].concat()).unwrap();
    };
    assert_eq!(stopped(twice), Fault::ProcessStrange);
}

#[test]
fn a_process_that_does_what_it_was_not_let_is_strange() {
    let body = 0..0;
    let too_much: Vec<Deed<'_>> = (0..20).map(|_| Deed::Send { head: &[9; 1_000], body: body.clone() }).collect();
    assert_eq!(stopped(move |liar| liar.done(&too_much)), Fault::ProcessStrange);
    for deed in [
        Deed::Append { segment: 3, bytes: 0..1 },
        Deed::Keep { segment: 3 },
        Deed::Free { segment: 3 },
        Deed::Timer { id: 8, in_ms: 1 },
        Deed::Drop { until: 1 << 40 },
        Deed::Send { head: &[9; 9], body: 1 << 40..1 << 41 },
        Deed::Send { head: &[9; 9_000], body: 0..0 },
        Deed::AppendBytes(&[0; 300_000]),
        Deed::Crowded { len: 9 },
        Deed::Crowded { len: u32::MAX },
    ] {
        let told = deed.clone();
        assert_eq!(stopped(move |liar| liar.done(&[told])), Fault::ProcessStrange, "{deed:?}");
    }
    let claims = |fuel, memory| {
        let done = Done { deeds: Deeds(&[]), answer: Ok(0), fuel, memory, area: &[] };
        stopped(move |liar| liar.say(&Report::Done(done)))
    };
    assert_eq!((claims(1 << 60, 0), claims(0, 1 << 60)), (Fault::ProcessStrange, Fault::ProcessStrange));
}

/// It took longer than it had, which is told by name.
fn slow() -> Fault {
    let fault = Fault::ProcessSlow { guest: "liar".into(), after: ANSWER_MAX };
    assert!(fault.to_string().contains("the guest liar did not answer a call within 500 ms"), "{fault}");
    fault
}

#[test]
fn a_process_that_does_not_answer_or_asks_without_end_holds_its_host_up_once_and_not_for_long() {
    // A machine may be busy; without the bound it would be for ever.
    let most = ANSWER_MAX * 20;
    let (life, took) = ended(|liar| {
        let _ = liar.hear();
    });
    assert_eq!(life, Life::Ended(End::Stopped(slow())));
    assert!(took >= ANSWER_MAX && took < most, "{took:?}");
    let (life, took) = ended(|liar| {
        loop {
            liar.say(&Report::Ask(Deeds(&[4]), Question::Budget));
            if liar.hear().is_err() {
                return;
            }
        }
    });
    assert_eq!(life, Life::Ended(End::Stopped(slow())));
    assert!(took >= ANSWER_MAX && took < most, "{took:?}");
}

#[test]
fn to_begin_and_the_first_call_have_the_time_of_one_call_together() {
    let (here, there) = UnixStream::pair().unwrap();
    let liar = thread::spawn(move || {
        let mut liar = Liar { socket: there.try_clone().unwrap(), line: Line::new(there) };
        let _ = liar.hear();
        liar.wait(ANSWER_MAX * 3 / 5);
        liar.done(&[]);
        let _ = liar.hear();
        liar.wait(ANSWER_MAX * 3 / 5);
        liar.say(&Report::Ask(Deeds(&[]), Question::Random));
        let _ = liar.hear();
        liar.done(&[]);
    });
    let mut host = host_of(Process::of(here));
    meets(&mut host);
    assert_eq!(*host.life(), Life::Ended(End::Stopped(slow())));
    drop(host);
    liar.join().expect("it ends");
}

#[test]
fn sums_that_prove_nothing_and_growth_that_was_denied_count_as_here() {
    let sums: Vec<Deed<'_>> = (0..20).map(|_| Deed::Sum { numbers: 0..5, sum: 1, delay_us: 0 }).collect();
    assert_eq!(stopped(move |liar| liar.done(&sums)), Fault::Unproven);
    let grows = vec![Deed::DeniedMemory; 10_001];
    assert_eq!(stopped(move |liar| liar.done(&grows)), Fault::Denied);
}

#[test]
fn what_a_host_waits_for_is_the_guests_to_pay() {
    let (life, took) = ended(|liar| {
        loop {
            thread::park_timeout(Duration::from_millis(50));
            liar.done(&[]);
            if liar.hear().is_err() {
                return;
            }
        }
    });
    assert_eq!(life, Life::Running);
    // Twenty turns of the host with something to tell would have been a second.
    assert!(took < Duration::from_millis(600), "{took:?}");
}
