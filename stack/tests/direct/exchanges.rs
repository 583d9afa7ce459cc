//! Exchanges, the dearest thing that a stranger can ask for: how many are made, and with whom (docs/attacks.md, 2).

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{ChannelId, Instant, Machine, Rng};
use tng_crypto::{HmacKey, SecretRng, labels, sha256};
use tng_isolation::{CipherPolicy, Family, Identity, Initiator, Limits, Opening};
use tng_sim::PORT;
use tng_sim::topology::B;
use tng_stack::{ExchangeLimits, Host};

use crate::attack::answers;
use crate::world::Setting;

const AT_B: SocketAddr = SocketAddr::new(B, PORT);
/// What an exchange and any other datagram take of a processor, at most.
const EXCHANGE: Duration = Duration::from_micros(300);
const OTHER: Duration = Duration::from_micros(5);

fn at(network: u32, port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4((0xc633_6400 + network).into()), port)
}

/// A server that asks everybody for a cookie, or, if `limited` is not set, one that does so and then answers all.
fn setting(limited: bool) -> Setting {
    let mut setting = Setting::new(90);
    setting.server.cookie_above = 0;
    if !limited {
        setting.server.exchanges = ExchangeLimits::NONE;
    }
    setting
}

fn knock(setting: &Setting, n: u64, channel: u64) -> Initiator {
    let identity = Identity::from_seed([0xbb; 32]);
    let ciphers = CipherPolicy { hardware_aes: true, danger_weak: false };
    let limits = Limits { idle_timeout_ms: 0, udp_payload_max: 1_200, ack_delay_max_us: 0 };
    let opening = Opening::new(&identity, ChannelId::from_u64(channel), ciphers, limits, "structured");
    Initiator::new(
        Family::Channel,
        &identity,
        setting.target().eid,
        opening,
        &mut SecretRng::new(Rng::from_u64(n).bytes::<32>()),
    )
    .expect("a good opening")
}

/// The INIT of somebody at `from` who has returned the cookie that it was asked for.
fn proven(setting: &Setting, server: &mut Host, now: Instant, from: SocketAddr, n: u64) -> Vec<u8> {
    let mut initiator = knock(setting, n, n);
    let cookie = answers(server, now, from, initiator.datagram());
    assert!(initiator.handle_cookie(&cookie[0].1), "{cookie:?}");
    initiator.datagram().to_vec()
}

/// An INIT with another's cookie in it, and its first MAC put right.
fn with_cookie(setting: &Setting, mut init: Vec<u8>, cookie: &[u8]) -> Vec<u8> {
    init[9..41].copy_from_slice(cookie);
    let key = HmacKey::new(&sha256(&[labels::MAC1.as_bytes(), setting.target().eid.as_bytes()]));
    let (covered, mac1) = init.split_at_mut(1_184);
    mac1.copy_from_slice(&key.tag(&[covered])[..16]);
    init
}

#[test]
fn a_cookie_is_good_for_one_exchange() {
    let setting = setting(false);
    let mut server = setting.server_node(0).machine;
    let (now, from) = (Instant::from_secs(1), at(1, 9));
    let own = proven(&setting, &mut server, now, from, 0);
    let cookie = own[9..41].to_vec();
    for n in 1..300 {
        // Another exchange under the same channel id, and the same with anything behind its ephemeral key.
        let other = with_cookie(&setting, knock(&setting, n, 0).datagram().to_vec(), &cookie);
        let mut changed = own.clone();
        changed[100 + n as usize] ^= 1;
        for init in [other, with_cookie(&setting, changed, &cookie)] {
            assert_eq!(answers(&mut server, now, from, &init)[0].1[0], 0x03, "it is asked for a cookie of its own");
        }
    }
    assert_eq!(server.exchanges(), 0);
    for _ in 0..300 {
        answers(&mut server, now, from, &own);
    }
    assert_eq!(
        (server.exchanges(), server.half_open()),
        (1, 1),
        "control: in its own INIT it is good, and copies are known"
    );
}

/// How many exchanges a server makes with `inits` that come at once from so many networks, each having returned its
/// cookie.
fn made_at_once(limited: bool, inits: u32, networks: u32) -> u64 {
    let setting = setting(limited);
    let mut server = setting.server_node(0).machine;
    let now = Instant::from_secs(1);
    let proven: Vec<_> = (0..inits)
        .map(|n| {
            let from = at(n % networks, 1_000 + (n / networks) as u16);
            (from, proven(&setting, &mut server, now, from, n.into()))
        })
        .collect();
    assert_eq!(server.exchanges(), 0);
    for (from, init) in &proven {
        answers(&mut server, now, *from, init);
    }
    server.exchanges()
}

#[test]
fn one_network_has_its_share_of_exchanges_and_all_together_theirs() {
    let limits = ExchangeLimits::default();
    assert_eq!(made_at_once(true, 1_500, 1), limits.per_network.burst);
    assert_eq!(made_at_once(true, 1_500, 300), limits.in_all.burst);
    assert_eq!(made_at_once(false, 1_500, 1), 1_500, "control: without limits all of them are made");
}

/// A server under a flood of proven INITs from these networks for two seconds. Answers the part of the time in which it
/// makes exchanges, the longest that anything waits for it, and how many of the newcomers, one each 20 ms from
/// `newcomers`, are answered at once.
fn flooded(limited: bool, networks: u32, newcomers: impl Fn(u32) -> u32) -> (f64, Duration, u32) {
    let setting = setting(limited);
    let mut server = setting.server_node(0).machine;
    let began = Instant::from_secs(1);
    let (mut free_at, mut longest, mut answered, mut n) = (began, Duration::ZERO, 0, 0);
    for step in 0..2_000 {
        let now = began + Duration::from_millis(step);
        // Two a millisecond, and twice as many now and then.
        for _ in 0..2 + 2 * u32::from(step % 10 == 0) {
            n += 1;
            let from = at(n % networks, (n / networks) as u16);
            let init = proven(&setting, &mut server, now, from, n.into());
            give(&mut server, &mut free_at, now, from, &init);
        }
        if step % 20 == 0 {
            let from = at(newcomers(step as u32 / 20), 60_000);
            let init = proven(&setting, &mut server, now, from, (1 << 32) + step);
            answered += u32::from(give(&mut server, &mut free_at, now, from, &init));
        }
        longest = longest.max(free_at.since(now));
    }
    (server.exchanges() as f64 * EXCHANGE.as_secs_f64() / 2.0, longest, answered)
}

/// Gives a server whose processor is busy until `free_at` a datagram, after the one that asked for its cookie. Answers
/// whether a REPLY came of it.
fn give(server: &mut Host, free_at: &mut Instant, now: Instant, from: SocketAddr, init: &[u8]) -> bool {
    let before = server.exchanges();
    let said = answers(server, now, from, init);
    let exchanges = (server.exchanges() - before) as u32;
    *free_at = (*free_at).max(now) + 2 * OTHER + exchanges * EXCHANGE;
    said.iter().any(|(to, datagram)| *to == from && datagram[0] == 0x02)
}

#[test]
fn many_networks_together_take_no_more_than_half_of_a_processor_and_newcomers_go_first() {
    let (part, longest, answered) = flooded(true, 20, |i| 1_000 + i);
    assert!((0.3..0.55).contains(&part), "{part}");
    assert!(longest <= Duration::from_millis(40), "{longest:?}: a round trip of 40 ms is at most doubled");
    assert_eq!(answered, 100, "and each newcomer is answered at once");
    let (.., answered) = flooded(true, 20, |i| i % 20);
    assert!(answered < 60, "control: who comes from where the flood does has to wait, {answered}");
    let (part, longest, _) = flooded(false, 20, |i| 1_000 + i);
    assert!(part > 0.6, "control: without limits it takes what it likes, {part}, and {longest:?}");
}

#[test]
fn five_hundred_hosts_behind_one_address_are_in_within_seconds() {
    let setting = Setting::new(91);
    let mut server = setting.server_node(0).machine;
    let began = Instant::from_secs(1);
    let mut clients: Vec<(SocketAddr, Host)> = (0..500u32)
        .map(|i| {
            let mut seed = [91; 32];
            seed[..4].copy_from_slice(&i.to_be_bytes());
            let mut client = Host::new(setting.client.clone(), Identity::from_seed(seed), seed);
            client.connect(began, setting.target()).expect("an address");
            (at(1, 1_000 + i as u16), client)
        })
        .collect();
    let rtt = Duration::from_millis(40);
    let (mut now, mut on_the_way) = (began, Vec::new());
    while server.confirmed() < 500 {
        assert!(now.since(began) < Duration::from_secs(5), "{} are in", server.confirmed());
        // Whatever the clients say arrives at once, what is said to them a round trip later.
        let back = core::mem::take(&mut on_the_way);
        for (from, client) in &mut clients {
            client.handle_timeout(now);
            let heard = back.iter().filter(|(to, _): &&(SocketAddr, Vec<u8>)| to == from);
            let mut said = crate::attack::drain(client, now);
            said.extend(heard.flat_map(|(_, datagram)| answers(client, now, AT_B, datagram)));
            for (_, datagram) in said {
                on_the_way.extend(answers(&mut server, now, *from, &datagram));
            }
        }
        now += rtt;
        server.handle_timeout(now);
        on_the_way.extend(crate::attack::drain(&mut server, now));
    }
    println!("500 are in after {:?}", now.since(began));
    assert!(server.exchanges() >= 500);
}
