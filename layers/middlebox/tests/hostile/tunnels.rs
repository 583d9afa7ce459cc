//! Tunnels that others ask for, and what they may do to those of the operator.

use super::*;

/// One that tunnels may end with, too.
pub fn for_tunnels(helper: &Helper, client: u64) -> Capability {
    let terms = Terms { life: HOUR, flows_max: 64, tunnels: true };
    helper.office().issue(Instant::ZERO, ClientTag(client), terms, Rng::from_u64(client).bytes::<32>())
}

#[test]
fn tunnels_of_a_client_keep_neither_the_operator_nor_others_from_theirs_and_are_forgotten_if_nobody_follows_them_up() {
    let mut helper = helper(40);
    let plain = capability(&helper, 1, 64);
    let (_, out) = ask_for_tunnel(&mut helper, 1, &plain);
    assert_eq!(refusal(&out), Some(Refusal::Forbidden), "it is not for tunnels");
    let greedy = for_tunnels(&helper, 1);
    for seed in 0..TUNNEL_EXITS_PER_CLIENT_MAX as u64 {
        let mut section = follow_up(ask_for_tunnel(&mut helper, 100 + seed, &greedy));
        hand(&mut helper, Instant::ZERO, at(CLIENT), &said(&mut section, Instant::ZERO, b""));
    }
    let (_, out) = ask_for_tunnel(&mut helper, 200, &greedy);
    assert_eq!(refusal(&out), Some(Refusal::TooMany));
    let modest = for_tunnels(&helper, 2);
    let (_, out) = ask_for_tunnel(&mut helper, 201, &modest);
    assert_eq!(refusal(&out), None);
    let stop = Stop::new(at(NEXT), for_tunnels(&self::helper(41), 1));
    for _ in 0..TUNNELS_MAX {
        helper.open_tunnel(Instant::ZERO, stop.clone(), at(7)).expect("the operator's own");
    }
    assert!(helper.open_tunnel(Instant::ZERO, stop, at(7)).is_err());
    pass_time(&mut helper, Instant::ZERO, Instant::ZERO + HALF_OPEN_FOR);
    assert_eq!(helper.stats().tunnels, TUNNELS_MAX + TUNNEL_EXITS_PER_CLIENT_MAX, "that of client 2 is forgotten");
}

/// Asks a helper for a tunnel to `NEXT`; answers what asked and what went out.
pub fn ask_for_tunnel(helper: &mut Helper, seed: u64, capability: &Capability) -> (Client, Vec<(SocketAddr, Vec<u8>)>) {
    let client = Client::new(seed, capability, at(NEXT));
    let out = hand(helper, Instant::ZERO, at(CLIENT), &client.tunnel_join());
    (client, out)
}

/// The section of the client that has been granted this tunnel.
pub fn follow_up((client, out): (Client, Vec<(SocketAddr, Vec<u8>)>)) -> Channel {
    let message = Joined::parse(&mut Reader::new(&out[0].1)).expect("a JOINED");
    let greeting = open_joined(client.keys.near(), &message).expect("written for the client");
    neighbour(greeting.id, client.keys.near().armor(End::Near, Carries::Plain))
}

/// The tunnels that the helper tells its operator of while it is handed this.
fn tunnels_told(helper: &mut Helper, from: SocketAddr, bytes: &[u8]) -> usize {
    let mut bytes = bytes.to_vec();
    let segment_size = bytes.len();
    let datagram = Datagram { remote: from, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut bytes };
    helper.handle_input(Instant::ZERO, Input::Datagram(datagram));
    let (mut told, mut buf) = (0, vec![0; 65_507]);
    loop {
        match helper.poll_output(Instant::ZERO, &mut buf) {
            Output::Event(event) => told += usize::from(matches!(event, HelperEvent::Tunnel { .. })),
            Output::Timeout(_) => return told,
            _ => {}
        }
    }
}

#[test]
fn a_copy_of_the_join_for_a_tunnel_is_told_to_nobody_and_takes_no_tunnels_place() {
    let mut helper = helper(47);
    let mine = for_tunnels(&helper, 1);
    let seen: Vec<Vec<u8>> = (0..20).map(|seed| Client::new(500 + seed, &mine, at(NEXT)).tunnel_join()).collect();
    let mut followed = follow_up(ask_for_tunnel(&mut helper, 600, &mine));
    let told = tunnels_told(&mut helper, at(CLIENT), &said(&mut followed, Instant::ZERO, b""));
    assert_eq!(told, 1, "what the client says after its JOIN");
    assert_eq!(tunnels_told(&mut helper, at(CLIENT), &said(&mut followed, Instant::ZERO, b"")), 0, "it is told once");
    for join in &seen {
        assert_eq!(tunnels_told(&mut helper, at(7), join), 0, "a copy");
        assert!(helper.stats().tunnels <= TUNNEL_EXITS_PER_CLIENT_MAX, "{:?}", helper.stats());
    }
    // The client has the place of a copy each time, and what it follows up stays.
    for seed in 1..TUNNEL_EXITS_PER_CLIENT_MAX as u64 {
        let mut section = follow_up(ask_for_tunnel(&mut helper, 700 + seed, &mine));
        assert_eq!(tunnels_told(&mut helper, at(CLIENT), &said(&mut section, Instant::ZERO, b"")), 1, "{seed}");
    }
    let (stats, out) = (helper.stats(), hand(&mut helper, Instant::ZERO, at(7), &seen[0]));
    assert_eq!((stats.tunnels, stats.refused, refusal(&out)), (TUNNEL_EXITS_PER_CLIENT_MAX, 0, Some(Refusal::TooMany)));
    hand(&mut helper, Instant::ZERO, at(CLIENT), &said(&mut followed, Instant::ZERO, b""));
    assert_eq!((helper.stats().tunnels, helper.stats().strays), (TUNNEL_EXITS_PER_CLIENT_MAX, stats.strays));
}

#[test]
fn copies_of_a_join_for_a_tunnel_keep_no_flow_out() {
    let mut helper = helper(48);
    let terms = Terms { life: HOUR, flows_max: 4, tunnels: true };
    let mine = helper.office().issue(Instant::ZERO, ClientTag(1), terms, Rng::from_u64(1).bytes::<32>());
    for seed in 0..4 {
        hand(&mut helper, Instant::ZERO, at(7), &Client::new(500 + seed, &mine, at(NEXT)).tunnel_join());
    }
    open(&mut helper, Instant::ZERO, 48, &mine, at(NEXT));
    assert_eq!((helper.stats().relays, helper.stats().tunnels, helper.stats().refused), (1, 3, 0));
}

/// The JOINs that a helper sends in two minutes for a tunnel to one at `NEXT` that `answers`, and why it says that
/// there is none.
fn tunnel_joins(
    seed: u8,
    mut answers: impl FnMut(Instant, &[u8]) -> Vec<Vec<u8>>,
    stop: Stop,
) -> (usize, Vec<LeftBecause>) {
    let (mut entry, mut now, mut buf) = (helper(seed), Instant::ZERO, vec![0; 65_507]);
    let (mut joins, mut left) = (0, Vec::new());
    entry.open_tunnel(now, stop, at(7)).expect("a tunnel");
    loop {
        match entry.poll_output(now, &mut buf) {
            Output::Transmit(sent) => {
                joins += usize::from(buf[0] == JOIN);
                let remote = sent.remote;
                for bytes in buf[..sent.len].chunks(sent.segment_size) {
                    for mut answer in answers(now, bytes) {
                        let segment_size = answer.len();
                        let payload = &mut answer[..];
                        let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload };
                        entry.handle_input(now, Input::Datagram(datagram));
                    }
                }
            }
            Output::Event(HelperEvent::Left { because, .. }) => left.push(because),
            Output::Event(_) => {}
            Output::NeedsEntropy => entry.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::Timeout(Some(at)) if at <= Instant::from_secs(120) => {
                now = now.max(at);
                entry.handle_timeout(now);
            }
            Output::Timeout(_) => return (joins, left),
        }
    }
}

#[test]
fn who_grants_tunnels_and_takes_them_back_is_not_asked_all_the_time() {
    let exit = || helper(43);
    let stop = Stop::new(at(NEXT), for_tunnels(&exit(), 1));
    let mut granting = exit();
    let resets = |now, bytes: &[u8]| {
        // A JOIN is granted, and whatever comes then is not known any more.
        if bytes[0] != JOIN {
            granting = exit();
        }
        hand(&mut granting, now, at(CLIENT), bytes).into_iter().map(|(_, bytes)| bytes).collect()
    };
    let (joins, left) = tunnel_joins(44, resets, stop);
    assert!((5..10).contains(&joins), "{joins} JOINs");
    assert!(left.len() <= joins && left.iter().all(|because| *because == LeftBecause::Closed), "{left:?}");
}

#[test]
fn why_a_tunnel_is_declined_is_told_each_time_that_it_is_asked_for() {
    let mut exit = helper(45);
    let stop = Stop::new(at(NEXT), capability(&exit, 1, 4));
    let answers = |now, bytes: &[u8]| {
        let answers = hand(&mut exit, now, at(CLIENT), bytes);
        // A flood of them is no more than one.
        answers.into_iter().flat_map(|(_, bytes)| vec![bytes; 20]).collect()
    };
    let (joins, left) = tunnel_joins(46, answers, stop);
    assert!((5..10).contains(&joins), "{joins} JOINs");
    assert_eq!(left, vec![LeftBecause::Declined(Refusal::Forbidden); joins]);
}
