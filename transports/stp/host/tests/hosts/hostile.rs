//! Peers that speak no guest's language.

use core::ops::Range;
use core::time::Duration;
use std::sync::{Arc, Mutex};

use stp_guest_newreno::NewReno;
use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, Protocol, Semantic, Taken, Violation};
use tng_stack::{CloseCause, ConnectError, EventKind, HostEvent};
use tng_stp_host::{Code, Life};

use crate::world::{Run, Says, Setting};

const SECOND: Duration = Duration::from_secs(1);
/// What each end says at the set-up.
const ITEM: [u8; 2] = [1, 1];

/// Says one thing, whatever it hears.
#[derive(Debug)]
struct Odd {
    item: Option<Vec<u8>>,
    payload: Option<Vec<u8>>,
    /// It has said a packet that is well-formed: so its peer's application hears of the connection.
    begun: bool,
}

impl Protocol for Odd {
    fn handle_packet(&mut self, _: Instant, _: ChannelKey, _: u64, _: Ecn, _: &mut [u8]) -> Result<Taken, Violation> {
        Ok(Taken::All)
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, _: Instant, _: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        if number == 0 {
            return None;
        }
        let payload = if core::mem::replace(&mut self.begun, true) { self.payload.take()? } else { vec![0x30, 0] };
        buf[..payload.len()].copy_from_slice(&payload);
        Some(Filled { len: payload.len() })
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        self.payload.is_some()
    }

    fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, _: Fate) {}
}

impl Semantic for Odd {
    fn set_up_item(&self) -> Option<Vec<u8>> {
        self.item.clone()
    }

    fn handle_set_up_item(&mut self, _: Option<&[u8]>) -> Result<(), Violation> {
        Ok(())
    }

    fn is_idle(&self) -> bool {
        self.payload.is_none()
    }

    fn is_empty(&self) -> bool {
        true
    }

    fn bytes_held(&self) -> u64 {
        0
    }

    fn progress(&self) -> u64 {
        0
    }

    fn take_notice(&mut self) -> bool {
        false
    }

    fn handle_closed(&mut self) {}
}

fn newreno() -> Code {
    Code::native::<NewReno>("newreno")
}

/// A client that says this to a server that runs guests, beside a connection that goes on.
fn meet(item: Option<&[u8]>, payload: Option<&[u8]>) -> (Run, Vec<EventKind>, Vec<EventKind>) {
    let says = Says { amount: 1 << 30, every: Duration::from_millis(1), ..Says::default() };
    let mut run = Setting::new(1).saying(says).start();
    let good = run.connect(&newreno());
    run.pass(SECOND);
    let odd = Odd { item: item.map(<[u8]>::to_vec), payload: payload.map(<[u8]>::to_vec), begun: false };
    let id = run.connect_speaking(&newreno().protocol(), Box::new(odd));
    run.pass(SECOND);
    let of = |events: &[(Instant, HostEvent)]| {
        events.iter().filter(|(_, event)| event.connection == id).map(|(_, event)| event.kind.clone()).collect()
    };
    let (client, server) = (of(&run.app(run.a).events), of(&run.app(run.b).events));
    for node in [run.a, run.b] {
        let talk = &run.app(node).talks[&good];
        assert!(*talk.life() == Life::Running && talk.wrong.is_none() && talk.heard > 1_000, "the other goes on");
    }
    (run, client, server)
}

#[test]
fn a_payload_that_is_no_segment_ends_the_connection_with_code_1() {
    let numbered_without_nonce = [0x31, 5, 0, 0, 0];
    let cases: [&[u8]; 6] =
        [&[0x30], &[0x33, 1, 1], &[0xff; 30], &[0x31], &numbered_without_nonce, &[0x31, 5, 0, 0, 0, 0, 0, 0, 0, 0]];
    for payload in cases {
        let (_run, client, server) = meet(Some(&ITEM), Some(payload));
        let closed = |kinds: &[EventKind]| match kinds.last() {
            Some(EventKind::Closed(cause)) => cause.clone(),
            other => panic!("{payload:?}: {other:?}"),
        };
        assert!(matches!(closed(&client), CloseCause::Peer { code: 1, .. }), "{payload:?}: {client:?}");
        assert!(matches!(closed(&server), CloseCause::Violation(why) if why.code == 1), "{payload:?}: {server:?}");
    }
}

#[test]
fn a_segment_of_any_bytes_ends_nothing() {
    // Without a number, and with one that nobody has sent.
    for payload in [&[0x30, 1, 2, 3][..], &[0x32], &[0x31, 0x40, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xff, 0xff]] {
        let (_run, client, server) = meet(Some(&ITEM), Some(payload));
        assert!(matches!(client[..], [EventKind::Connected]), "{client:?}");
        assert!(matches!(server[..], [EventKind::Accepted { .. }]), "{server:?}");
    }
}

#[test]
fn a_client_with_another_border_or_none_is_refused() {
    let cases: [Option<&[u8]>; 6] = [None, Some(&[]), Some(&[1, 2]), Some(&[2, 1]), Some(&[1]), Some(&[1, 1, 0])];
    for item in cases {
        let (_run, client, server) = meet(item, None);
        let refused = matches!(client[..], [EventKind::ConnectFailed(ConnectError::Refused { code: 4, .. })]);
        assert!(refused && server.is_empty(), "{item:?}: {client:?}");
    }
}

#[test]
fn a_server_with_another_border_is_rejected_with_64_and_one_with_none_with_1() {
    let cases: [(Option<&[u8]>, u64); 5] =
        [(Some(&[1, 2]), 64), (None, 1), (Some(&[]), 1), (Some(&[2, 1]), 1), (Some(&[1, 1, 0]), 1)];
    for (item, code) in cases {
        let mut run = Setting::new(2).start();
        let (b, says) = (run.b, Arc::new(Mutex::new(item.map(<[u8]>::to_vec))));
        let factory = move |_: tng_stack::Proposal<'_>| {
            let item = says.lock().expect("one thread").clone();
            Ok(Box::new(Odd { item, payload: None, begun: true }) as Box<dyn Semantic>)
        };
        run.node(b).machine.register(&newreno().protocol(), factory).expect("a free name");
        let guest = run.workshops[0].transport(&newreno(), tng_stp_abi::Role::Initiator).expect("room");
        run.connect_speaking(&newreno().protocol(), Box::new(guest));
        run.pass(5 * SECOND);
        let here = run.app(run.a).end();
        let rejected = matches!(here, Some(EventKind::ConnectFailed(ConnectError::Rejected(why))) if why.code == code);
        assert!(rejected, "{item:?}: {here:?}");
        // The application there has not heard of it, so it need not hear of the end.
        assert!(run.app(run.b).end().is_none() && run.host(run.b).connections().next().is_none());
    }
}
