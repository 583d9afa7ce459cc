//! Messages, a host against a process that lies, and what a process has given up.

mod ends;
mod liars;
mod twins;

use std::env;
use std::fs::File;
use std::net::UdpSocket;
use std::process::{Command, Stdio};

use tng_base::Rng;
use tng_stp_abi::{AddressFamily, Kind, Role, SocketKind, UserRequest};
use tng_stp_host::{Callback, Fault, Quotas, Standing};
use tng_wire::{Reader, Repr, battery};

use crate::confine::Filter;
use crate::wire::{Allowed, Deed, Deeds, Done, Order, Question, Report, Stands, Turn};

const STANDS: Stands = Stands(Standing {
    tick: 7,
    send_buffer: (1, u64::MAX),
    receive_room: 1 << 40,
    messages: 3,
    kept: 1_024,
    next: 1 << 63,
    leave: u64::MAX,
    segments: 8_192,
    queue: 64 << 10,
    acknowledgments: 256,
    acknowledgment_bytes: 1 << 33,
    segment_max: 1_400,
    family: AddressFamily::V6,
    disconnecting: true,
    ended: false,
    said: true,
});

fn deeds() -> Vec<Deed<'static>> {
    vec![
        Deed::Done,
        Deed::Connected,
        Deed::End,
        Deed::Wakeup,
        Deed::Error { code: u32::MAX },
        Deed::Drop { until: u64::MAX },
        Deed::Append { segment: 1, bytes: 9..u32::MAX },
        Deed::AppendBytes(b"bytes"),
        Deed::Send { head: b"head", body: 5..1 << 50 },
        Deed::Resend { head: b"", body: 5..5, lost: u64::MAX },
        Deed::Sum { numbers: 0..u64::MAX, sum: u64::MAX, delay_us: 1 },
        Deed::Nack { number: 0 },
        Deed::SendAck(b"acknowledgment"),
        Deed::Keep { segment: 63 },
        Deed::Free { segment: u32::MAX },
        Deed::Timer { id: 7, in_ms: 1 },
        Deed::StopTimer { id: 0 },
        Deed::DeniedMemory,
        Deed::Crowded { len: 1_400 },
    ]
}

fn orders() -> Vec<Order<'static>> {
    let turn = |callback| Order::Turn(Turn { stands: STANDS, callback, then: None, bytes: b"what arrived" });
    let read = Callback::UserRequest(UserRequest::Received { until: 9 });
    let mut orders = vec![
        Order::Load { allowed: Allowed(Quotas::default()), module: b"\0asm" },
        Order::Begin {
            role: Role::Responder,
            socket: SocketKind::Message,
            allowed: Allowed(Quotas::default()),
            turn: Turn { stands: STANDS, callback: Callback::Attach, then: None, bytes: b"" },
        },
        Order::Turn(Turn { stands: STANDS, callback: Callback::Input, then: Some(read), bytes: b"" }),
        Order::Answer { number: -7, bytes: &[9; 40], stands: STANDS },
    ];
    orders.extend(
        [
            Callback::Attach,
            Callback::Connect,
            Callback::Accept,
            Callback::Abort,
            Callback::Input,
            Callback::Timer(u32::MAX),
            Callback::UserRequest(UserRequest::Send { until: u64::MAX }),
            Callback::UserRequest(UserRequest::Received { until: 0 }),
            Callback::UserRequest(UserRequest::Disconnect),
            Callback::Shutdown { deadline_ms: 2_000 },
            Callback::PathChanged,
            Callback::Call { number: 3 },
        ]
        .map(turn),
    );
    orders
}

fn reports() -> Vec<Report<'static>> {
    let done = |answer| Report::Done(Done { deeds: Deeds(&[4, 4]), answer, fuel: 1, memory: 65_536, area: b"area" });
    let mut reports = vec![Report::Ready(Kind::Messages), Report::Unfit("why"), done(Ok(-1))];
    let faults = [Fault::Cpu, Fault::Stack, Fault::Denied, Fault::Pointer, Fault::NoRoom];
    reports.extend(faults.into_iter().chain([Fault::Trapped("trap".to_owned())]).map(|fault| done(Err(fault))));
    let questions = [
        Question::Nothing,
        Question::Read { from: u64::MAX, len: 1 },
        Question::ReadSegment { segment: 1, from: 2, len: 3 },
        Question::Budget,
        Question::Random,
        Question::Log("a line"),
    ];
    let asked = deeds().into_iter().map(Question::Deed).chain(questions);
    reports.extend(asked.map(|question| Report::Ask(Deeds(&[1]), question)));
    reports
}

#[test]
fn messages_are_read_as_they_were_written_and_cut_ones_are_not() {
    deeds().iter().for_each(battery::round_trip);
    orders().iter().for_each(battery::round_trip);
    reports().iter().for_each(battery::round_trip);
    battery::round_trip(&STANDS);
    battery::round_trip(&Allowed(Quotas::default()));
}

/// There is one form of everything.
fn survives<'a, T: Repr<'a>>(bytes: &'a [u8]) {
    let mut reader = Reader::new(bytes);
    if let Ok(message) = T::parse(&mut reader) {
        assert_eq!(message.to_vec(), bytes[..reader.position()]);
    }
}

#[test]
fn any_bytes_are_a_message_or_none() {
    let mut rng = Rng::from_u64(4);
    let whole: Vec<Vec<u8>> = orders().iter().map(battery::emit).chain(reports().iter().map(battery::emit)).collect();
    for round in 0..40_000 {
        let mut bytes = whole[round % whole.len()].clone();
        for _ in 0..rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            bytes[at] = rng.u64() as u8;
        }
        bytes.truncate(rng.below(2 * bytes.len() as u64) as usize);
        survives::<Report<'_>>(&bytes);
        survives::<Order<'_>>(&bytes);
        survives::<Deed<'_>>(&bytes);
    }
}

#[test]
fn entries_of_the_ring_cross_with_the_buffers_of_their_segments() {
    let head = core::array::from_fn(|at| at as u8);
    let entries = [1, 2].map(|segment| tng_stp_abi::Arrived { segment, len: 70, numbered: Some((9, 10)), head });
    let mut bytes = Vec::new();
    for (entry, buffer) in entries.iter().zip([70, 1_400]) {
        crate::wire::tell(&mut bytes, entry, buffer);
    }
    let turn = Turn { stands: STANDS, callback: Callback::Input, then: None, bytes: &bytes };
    assert!(turn.arrived().eq(entries.into_iter().zip([70, 1_400])));
    assert_eq!(Turn { callback: Callback::Attach, ..turn }.arrived().count(), 0);
}

/// What the process that [`tries`] starts is to try, and behind which filter.
const TRIES: &str = "TNG_TRIES";

/// Whether a process with this filter, or none, can do that.
fn tries(what: &str, filter: &str) -> bool {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "tests::the_process_that_tries"]).env(TRIES, format!("{what} {filter}"));
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    match status.code() {
        Some(40) => true,
        Some(41) => false,
        _ => panic!("{what} behind {filter}: {status}"),
    }
}

/// Does nothing unless a test has started it as a process.
#[test]
fn the_process_that_tries() {
    let Ok(told) = env::var(TRIES) else { return };
    let (what, filter) = told.split_once(' ').unwrap();
    // Behind a filter there is not even an answer to that.
    let parent = rustix::process::getppid();
    match filter {
        "compiling" => Filter::Compiling.close().unwrap(),
        "running" => Filter::Running.close().unwrap(),
        _ => {}
    }
    let can = match what {
        "file" => File::open("/proc/self/status").is_ok(),
        "socket" => UdpSocket::bind("127.0.0.1:0").is_ok(),
        "program" => Command::new("/bin/true").spawn().is_ok(),
        "thread" => std::thread::Builder::new().spawn(|| {}).is_ok(),
        "signal" => parent.is_some_and(|parent| rustix::process::test_kill_process(parent).is_ok()),
        _ => panic!("{what}"),
    };
    std::process::exit(if can { 40 } else { 41 });
}

#[test]
fn behind_its_filters_a_process_has_no_files_no_network_no_programs_and_nobody_elses_signals() {
    for what in ["file", "socket", "program", "thread", "signal"] {
        assert!(tries(what, "none"), "without a filter nothing keeps it from a {what}");
        for filter in ["compiling", "running"] {
            assert!(!tries(what, filter), "a {what} behind {filter}");
        }
    }
}
