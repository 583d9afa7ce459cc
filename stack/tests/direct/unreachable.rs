//! What ICMP says of where a peer is: a hint, which shortens waits and ends nothing by itself (decision 62).

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{CarrierNews, Hindrance, Input, Instant, Machine, PathChange, Unreachable};
use tng_endpoint::carried_address;
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::{CloseCause, ConnectError, EventKind, Target, UNREACHABLE_AFTER};

use crate::attack::{feed, pump, record, wait};
use crate::world::{Node, Run, Setting, Side};

const AT_A: SocketAddr = SocketAddr::new(A, PORT);
const AT_B: SocketAddr = SocketAddr::new(B, PORT);
const ALSO_B: SocketAddr = SocketAddr::new(B, 4_861);

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// Somebody says that what begins like this does not arrive.
fn told(remote: SocketAddr, why: Hindrance, sent: &[u8]) -> Unreachable {
    Unreachable { remote, why, quoted: sent[..sent.len().min(64)].to_vec(), by_system: false }
}

fn tell(node: &mut Node, now: Instant, told: Unreachable) -> Vec<(SocketAddr, Vec<u8>)> {
    node.machine.handle_input(now, Input::Unreachable(told));
    pump(node, now)
}

fn failure(node: &Node) -> Option<ConnectError> {
    let Side::Client(client) = &node.app else { unreachable!("it is a client") };
    match client.ended() {
        Some(EventKind::ConnectFailed(error)) => Some(error.clone()),
        _ => None,
    }
}

/// A client whose INITs to each of these addresses come back until `until`, with what `forge` makes of them.
fn bounced(to: &[SocketAddr], until: Instant, forge: impl Fn(SocketAddr, &[u8]) -> Unreachable) -> (Node, Instant) {
    let setting = Setting::new(90);
    let mut target = setting.target();
    target.addresses = to.to_vec();
    let (mut client, mut now) = (setting.client_node(target), Instant::ZERO);
    let mut sent = pump(&mut client, now);
    while failure(&client).is_none() && now < until {
        now += Duration::from_millis(10);
        for (remote, init) in core::mem::take(&mut sent) {
            sent.extend(tell(&mut client, now, forge(remote, &init)));
        }
        sent.extend(pump(&mut client, now));
    }
    (client, now)
}

#[test]
fn a_closed_port_is_told_within_a_second_and_not_by_one_report_alone() {
    let (client, when) = bounced(&[AT_B, ALSO_B], at(15_000), |remote, init| told(remote, Hindrance::Port, init));
    let error = failure(&client).expect("it has failed");
    assert!(matches!(error, ConnectError::Unreachable { address: AT_B, why: Hindrance::Port, .. }), "{error}");
    assert!(
        error.to_string().starts_with("refused: nobody listens at 10.0.0.2:4860 (ICMP port unreachable)"),
        "{error}"
    );
    assert!(when < at(500), "{when:?}");
    // One address of two is closed: the other has its time.
    let one = |remote, init: &[u8]| match remote {
        AT_B => told(remote, Hindrance::Port, init),
        _ => told(remote, Hindrance::Port, &[0; 64]),
    };
    let (client, when) = bounced(&[AT_B, ALSO_B], at(15_000), one);
    assert!(failure(&client).is_some() && when >= at(10_000), "{when:?}");
}

#[test]
fn a_carrier_that_does_not_come_up_is_not_waited_for_either_and_one_that_may_is() {
    let carried = carried_address(AT_B, 1);
    for breaks in [true, false] {
        let setting = Setting::new(95);
        let target = Target { addresses: vec![AT_B, carried], ..setting.target() };
        let (mut client, mut now) = (setting.client_node(target), Instant::ZERO);
        let mut sent = pump(&mut client, now);
        while failure(&client).is_none() && now < at(15_000) {
            now += Duration::from_millis(10);
            for (remote, init) in core::mem::take(&mut sent) {
                let input = match remote == carried {
                    true if !breaks => continue,
                    true => Input::PathChange(PathChange::Carrier { remote: carried.ip(), news: CarrierNews::Broken }),
                    false => Input::Unreachable(told(remote, Hindrance::Port, &init)),
                };
                client.machine.handle_input(now, input);
            }
            sent.extend(pump(&mut client, now));
        }
        let error = failure(&client).expect("it has failed");
        assert!(matches!(error, ConnectError::Unreachable { address: AT_B, .. }), "{error}");
        assert_eq!(now < at(1_000), breaks, "{now:?}");
    }
}

#[test]
fn reports_by_who_has_not_seen_the_init_end_no_dial() {
    let forgeries: [fn(SocketAddr, &[u8]) -> Unreachable; 4] = [
        |remote, init| told(remote, Hindrance::Port, &init[..8]),
        |remote, _| told(remote, Hindrance::Host, &[]),
        |remote, init| told(remote, Hindrance::Port, &[&init[..3], &[7; 61][..]].concat()),
        |_, init| told(SocketAddr::new(B, 9), Hindrance::Port, init),
    ];
    for forge in forgeries {
        let (client, _) = bounced(&[AT_B], at(9_900), forge);
        assert_eq!(failure(&client), None);
    }
    let seen = |remote, init: &[u8]| told(remote, Hindrance::Port, init);
    assert!(failure(&bounced(&[AT_B], at(9_900), seen).0).is_some(), "control");
}

#[test]
fn a_dial_of_which_one_init_is_said_to_be_lost_succeeds_with_the_next() {
    let setting = Setting::new(91);
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let (_, init) = pump(&mut client, at(0)).remove(0);
    assert!(tell(&mut client, at(10), told(AT_B, Hindrance::Host, &init)).is_empty(), "it is asked again, not at once");
    let again = wait(&mut client, at(10), at(250));
    assert_eq!(again.len(), 1, "but soon");
    for (_, reply) in feed(&mut server, at(250), AT_A, &again[0].1) {
        feed(&mut client, at(260), AT_B, &reply);
    }
    let Side::Client(app) = &client.app else { unreachable!("it is a client") };
    assert!(app.has(|kind| *kind == EventKind::Connected));
}

#[test]
fn a_path_that_is_too_narrow_for_a_set_up_is_told_by_its_size_and_one_that_is_not_is_no_news() {
    let narrow = |remote, init: &[u8]| told(remote, Hindrance::TooBig { mtu: 576 }, init);
    let (client, when) = bounced(&[AT_B], at(15_000), narrow);
    let error = failure(&client).expect("it has failed").to_string();
    assert!(error.contains("it passes packets of 576 bytes, and tng needs 1228"), "{error}");
    assert!(when < at(1_000), "{when:?}");
    let wide = |remote, init: &[u8]| told(remote, Hindrance::TooBig { mtu: 1_400 }, init);
    assert_eq!(failure(&bounced(&[AT_B], at(9_900), wide).0), None);
    // What this system says itself quotes nothing, and cannot be forged.
    let own = |remote: SocketAddr, _: &[u8]| Unreachable {
        by_system: true,
        ..told(SocketAddr::new(remote.ip(), 0), Hindrance::TooBig { mtu: 576 }, &[])
    };
    assert!(failure(&bounced(&[AT_B], at(9_900), own).0).is_some());
}

/// Has all that both ends send bounced for so long, as somebody on the path might who sees every packet.
fn bounce_all(run: &mut Run, ms: core::ops::Range<u64>) {
    let (forth, back) = (run.link.forth(), run.link.back());
    let (there, here) = (record(run, forth), record(run, back));
    for ms in ms.step_by(20) {
        run.world.run_until(at(ms));
        for (end, remote, sent) in [(run.a, AT_B, &there), (run.b, AT_A, &here)] {
            for packet in sent.take().iter().take(4) {
                run.host(end).handle_input(at(ms), Input::Unreachable(told(remote, Hindrance::Port, packet)));
            }
        }
    }
}

#[test]
fn an_established_connection_survives_forged_reports_of_every_packet() {
    let mut setting = Setting::new(92);
    setting.sizes = vec![40_000_000];
    (setting.client.unreachable_after, setting.server.unreachable_after) =
        (Some(Duration::from_secs(1)), Some(Duration::from_secs(1)));
    let mut run = setting.start();
    run.world.run_until(at(200));
    bounce_all(&mut run, 200..3_000);
    let took = run.finish(Duration::from_secs(60));
    assert!(took < Duration::from_secs(8), "nor is it slowed down: {took:?}");
}

/// How long after its server has been killed a client that waits for it learns so, if it asks after 3 s of silence.
fn noticed_after(bounces: bool, dead_after: Duration) -> (Duration, Option<EventKind>) {
    let mut setting = Setting::new(93);
    setting.client.keep_alive = Some(Duration::from_secs(3));
    setting.client.unreachable_after = Some(dead_after);
    setting.sizes = vec![100_000_000];
    let mut run = setting.start();
    run.world.run_until(at(1_000));
    run.world.outage(run.link, at(1_000), Instant::from_secs(1_000));
    let forth = run.link.forth();
    let sent = record(&mut run, forth);
    let mut now = at(1_000);
    while run.client().ended().is_none() && now < Instant::from_secs(200) {
        now += Duration::from_millis(20);
        run.world.run_until(now);
        for packet in sent.take().iter().filter(|_| bounces) {
            let a = run.a;
            run.host(a).handle_input(now, Input::Unreachable(told(AT_B, Hindrance::Port, packet)));
        }
    }
    (now.since(at(1_000)), run.client().ended().cloned())
}

#[test]
fn a_killed_peer_is_given_up_when_it_is_silent_for_as_long_as_was_set_after_the_report() {
    let (after, end) = noticed_after(true, Duration::from_secs(2));
    assert!(
        matches!(end, Some(EventKind::Closed(CloseCause::Unreachable { address: AT_B, why: Hindrance::Port }))),
        "{end:?}"
    );
    assert!(after > Duration::from_secs(2) && after < Duration::from_secs(6), "{after:?}");
    let (after, end) = noticed_after(true, UNREACHABLE_AFTER);
    assert!(matches!(end, Some(EventKind::Closed(CloseCause::Unreachable { .. }))), "{end:?}");
    assert!(after > UNREACHABLE_AFTER && after < UNREACHABLE_AFTER + Duration::from_secs(5), "{after:?}");
    // Control: silence alone is borne for longer, as an outage might be.
    let (after, end) = noticed_after(false, Duration::from_secs(2));
    assert!(matches!(end, Some(EventKind::Closed(CloseCause::Idle))), "{end:?}");
    assert!(after > Duration::from_secs(60), "{after:?}");
}

#[test]
fn a_peer_that_is_back_before_it_was_given_up_is_as_if_it_had_not_been_away() {
    let mut setting = Setting::new(94);
    setting.sizes = vec![20_000_000];
    setting.client.unreachable_after = Some(Duration::from_secs(5));
    setting.client.keep_alive = Some(Duration::from_secs(1));
    let mut run = setting.start();
    run.world.outage(run.link, at(500), at(5_000));
    let forth = run.link.forth();
    let sent = record(&mut run, forth);
    for ms in (500..5_000).step_by(20) {
        run.world.run_until(at(ms));
        for packet in sent.take() {
            let a = run.a;
            run.host(a).handle_input(at(ms), Input::Unreachable(told(AT_B, Hindrance::Host, &packet)));
        }
    }
    run.finish(Duration::from_secs(60));
}
