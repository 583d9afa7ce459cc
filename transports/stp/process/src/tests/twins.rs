//! A guest whose code runs at the other end of a line does what it does here.

use core::time::Duration;
use std::collections::BTreeMap;
use std::os::unix::net::UnixStream;
use std::thread;

use tng_base::{ChannelKey, Ecn, Instant, Protocol, Rng, Semantic};
use tng_crypto::Secret32;
use tng_stp_abi::{Role, SocketKind};
use tng_stp_host::{Code, Instance, Quotas, Transport, Workshop};
use tng_stp_sandbox::{Engine, Module, built_in};

use crate::away::Away;
use crate::child::serve_module;
use crate::line::Line;
use crate::process::Process;

const CHANNEL: ChannelKey = ChannelKey(1);
const DELAY: Duration = Duration::from_millis(10);

fn module(name: &str) -> Module {
    let engine = Engine::new(Quotas::default()).unwrap();
    Module::new(&engine, built_in(name).unwrap().bytes).unwrap()
}

/// Its code with each instance on a thread, in place of a process.
fn apart(module: &Module) -> Code {
    let module = module.clone();
    Code::new("apart", SocketKind::Stream, move |shim| {
        let (here, there) = UnixStream::pair().unwrap();
        let module = module.clone();
        thread::spawn(move || serve_module(Line::new(there), &module));
        let mut process = Some(Process::of(here));
        Ok(Box::new(Away::new("apart".into(), move || process.take(), shim)) as Box<dyn Instance>)
    })
}

/// What came of a transfer.
#[derive(PartialEq, Eq, Debug)]
struct Carried {
    bytes: Vec<u8>,
    took: Duration,
    segments: [u64; 2],
}

/// Carries so many bytes from one end to the other, where one packet of so many is lost.
fn carry(codes: [&Code; 2], len: usize, loss: u64) -> Carried {
    let mut workshop = Workshop::new(&Secret32::from_bytes([5; 32]), [6; 32]);
    // What a host waits for takes real time, and is to change nothing here.
    (workshop.quotas.fuel, workshop.quotas.fuel_per_sec) = (1 << 40, 1 << 50);
    let mut ends = [
        workshop.transport(codes[0], Role::Initiator).unwrap(),
        workshop.transport(codes[1], Role::Responder).unwrap(),
    ];
    let sent: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
    let (mut written, mut bytes) = (0, Vec::new());
    let (began, mut rng) = (Instant::from_secs(1), Rng::from_u64(3));
    let (mut now, mut number) = (began, 0);
    let mut flying: BTreeMap<(Instant, u64), (usize, Vec<u8>)> = BTreeMap::new();
    ends.iter_mut().for_each(|end| end.handle_attach(now, CHANNEL));
    while bytes.len() < len {
        while let Some(at) = flying.first_key_value().map(|(at, _)| *at).filter(|at| at.0 <= now) {
            let (to, mut payload) = flying.remove(&at).unwrap();
            ends[to].handle_packet(now, CHANNEL, at.1, Ecn::NotEct, &mut payload).unwrap();
        }
        while written < len
            && let Ok(more) = ends[0].write(&sent[written..])
        {
            written += more;
        }
        let mut into = [0; 4_096];
        while let Some(len) = ends[1].read(&mut into) {
            bytes.extend_from_slice(&into[..len]);
        }
        for (at, end) in ends.iter_mut().enumerate() {
            if end.poll_timeout().is_some_and(|due| due <= now) {
                end.handle_timeout(now);
            }
            let mut buf = [0; 1_200];
            while let Some(filled) = end.poll_packet(now, CHANNEL, 1, &mut buf) {
                number += 1;
                if rng.below(loss) > 0 {
                    flying.insert((now + DELAY, number), (1 - at, buf[..filled.len].to_vec()));
                }
            }
            assert!(end.failure().is_none(), "{:?}", end.life());
        }
        let timers = ends.iter().filter_map(Transport::poll_timeout);
        let next = timers.chain(flying.first_key_value().map(|(at, _)| at.0)).min().expect("something happens");
        now = next.max(now + Duration::from_micros(1));
        assert!(now < began + Duration::from_secs(600), "{} of {len} bytes", bytes.len());
    }
    assert!(bytes == sent, "the same bytes");
    let segments = [0, 1].map(|at| ends[at].shim().traffic().sent);
    Carried { bytes, took: now.since(began), segments }
}

#[test]
fn a_transfer_arrives_whole_and_as_it_does_in_the_hosts_own_sandbox() {
    for name in ["newreno", "sack"] {
        let module = module(name);
        let (here, apart) = (module.code(name).unwrap(), apart(&module));
        for (len, loss) in [(300_000, u64::MAX), (300_000, 50)] {
            let expected = carry([&here, &here], len, loss);
            let found = carry([&apart, &apart], len, loss);
            assert!(found.bytes == expected.bytes);
            let ratio = found.took.as_secs_f64() / expected.took.as_secs_f64();
            assert!(
                (0.8..1.25).contains(&ratio),
                "{name}, one of {loss} lost: {:?} and {:?}",
                found.took,
                expected.took
            );
            carry([&here, &apart], len / 4, loss);
            carry([&apart, &here], len / 4, loss);
        }
    }
}
