//! Anybody with access to the wire can write to a server that seals nothing.

use super::*;
use crate::wire::{Armor, PLAIN_REQUEST};
use crate::{Growth, Line, PACKETS_PER_RELEASE_MAX, Stamp, Tag};

fn plain() -> Host {
    Host::new(1, ServerConfig { danger_plain: true, ..ServerConfig::default() })
}

fn header() -> RequestHeader {
    RequestHeader { armor: Armor::Plain, epoch: SOME_EPOCH as u8, id: ConnectionId([9; 16]), count: 1 }
}

/// A request with a continuation that somebody has made up.
fn forged(rng: &mut Rng, host: &Host) -> Vec<u8> {
    let number = |rng: &mut Rng| match rng.below(4) {
        0 => rng.below(64),
        1 => rng.below(1 << 20),
        2 => rng.below(1 << 62),
        _ => (1 << 62) - 1 - rng.below(64),
    };
    let base = number(rng);
    let growth = Growth::new(base, 1 + rng.below(1 << 24), 1 + rng.below(1 << 24));
    let first = base.saturating_add(number(rng) % (1 << (1 + rng.below(61)))).min((1 << 62) - 1);
    let tag = Tag(rng.below(4) as u32);
    let wall = Stamp::of(wall(Duration::from_secs(55 + rng.below(10))));
    let continuation = Continuation {
        site: crate::Site(rng.below(2) as u16),
        issuer: crate::replay::Issuer(rng.below(3) as u32),
        serial: rng.below(1 << 40),
        first,
        is_pair: rng.chance(0.5),
        root: Line { growth, tag: Tag(rng.below(2) as u32) },
        tag,
        keying: Keying::of(SOME_EPOCH as u8),
        issued: wall,
        rtt: Rtt::default(),
        shown_from: if rng.chance(0.5) { first.min(base + 1) } else { first.saturating_sub(rng.below(100)) },
    };
    let (from, high) = (continuation.shown_from, *continuation.numbers().end());
    let mut came = Vec::new();
    let mut at = from;
    for _ in 0..rng.below(6) {
        let start = at + rng.below(5);
        let end = (start + 1 + rng.below(20)).min(high + 1);
        if start < end {
            came.push(start..end);
        }
        at = end + 1;
    }
    if came.last().is_none_or(|range| range.end <= first) && first >= at {
        came.push(first..high + 1);
    }
    let mut proof = Proof::with_room();
    let late = rng.chance(0.2).then_some(0);
    let kind = match rng.chance(0.3) {
        true => Kind::Timeout {
            count: rng.below(6) as u8,
            asked: Stamp::of(host.server.gate.wall(host.now)),
            moved_from: None,
        },
        false => Kind::Spend,
    };
    let demand = Demand::new(kind, continuation, [0; 16]);
    let mut bytes = vec![0; 2_000];
    let mut writer = Writer::new(&mut bytes);
    header().emit(&mut writer).unwrap();
    if proof.set((from, high), came, 0, late).is_ok() {
        demand.emit(Armor::Plain, &proof, &mut writer).unwrap();
        writer.bytes(&put(4, "5000")).unwrap();
    }
    let len = writer.position();
    bytes.truncate(len);
    // Some are damaged beside.
    if rng.chance(0.3) {
        let at = rng.below(len as u64) as usize;
        bytes[at] ^= 1 << rng.below(8);
        bytes[0] = PLAIN_REQUEST;
    }
    bytes
}

#[test]
fn whatever_is_made_up_releases_no_more_than_one_request_may_and_stops_no_server() {
    let count = std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20_000);
    let (mut rng, mut host) = (Rng::from_u64(7), plain());
    let (mut most, mut answered) = (0, 0);
    for _ in 0..count {
        let request = forged(&mut rng, &host);
        let answers = host.ask(home(), &request);
        answered += u32::from(!answers.is_empty());
        most = most.max(answers.len());
        if rng.chance(0.001) {
            host.now += Duration::from_secs(1);
        }
    }
    let stats = *host.server.stats();
    println!("seed 7: {answered} of {count} are answered, with {most} packets at most; {stats:?}");
    assert!(most as u64 <= PACKETS_PER_RELEASE_MAX && answered > count / 100, "{answered} {most}");
    // Control: a server that seals takes none of it.
    let mut sealed = Host::new(1, ServerConfig::default());
    let request = forged(&mut rng, &host);
    assert!(sealed.ask(home(), &request).is_empty());
    assert_eq!(sealed.server.stats().last_refused, Some(Refused::Armor));
}

#[test]
fn a_copy_is_answered_once_also_where_nothing_is_sealed_and_no_minisocket_leaves_such_a_server() {
    let mut host = plain();
    host.server.keep_events(true);
    let mut rng = Rng::from_u64(3);
    let good = core::iter::repeat_with(|| {
        let request = forged(&mut rng, &host);
        host.take(home(), &request);
        host.poll();
        (host.server.events().len() > 0).then_some(request)
    });
    let good = good.take(10_000).flatten().next().expect("one is granted");
    let minisocket = host.server.detach(0).expect("one is granted");
    assert!(host.server.extract(host.now, minisocket).is_none());
    let before = host.server.stats().spent + host.server.stats().refused;
    assert!(host.ask(home(), &good).is_empty());
    assert_eq!(host.server.stats().spent + host.server.stats().refused, before + 1);
}
