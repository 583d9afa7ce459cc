use super::*;

const NONCE: [u8; 16] = [9; 16];
const OWN: [u8; 8] = [1; 8];
const THEIRS: [u8; 8] = [2; 8];

fn at(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn eid(n: u8) -> Eid {
    Eid::from_bytes([n; 32])
}

fn introduction(n: u8, addresses: &[&str]) -> Introduction {
    let addresses = addresses.iter().map(|text| at(text)).collect();
    Introduction { eid: eid(n), addresses, nonce: [n; 16], begin_in: Duration::ZERO }
}

/// All that is sent until then, with the time.
fn sent(punches: &mut Punches, until: Instant) -> Vec<(Instant, SocketAddr)> {
    let (mut sent, mut now) = (Vec::new(), Instant::ZERO);
    while now <= until {
        sent.extend(core::iter::from_fn(|| punches.poll(now)).map(|(remote, _, _)| (now, remote)));
        let Some(next) = punches.poll_timeout() else { break };
        now = now.max(next);
    }
    sent
}

#[test]
fn an_introduction_sends_a_few_datagrams_to_a_few_addresses_and_no_more() {
    let mut punches = Punches::default();
    let many: Vec<String> = (1..=9).map(|n| format!("192.0.2.{n}:4860")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(punches.introduce(ms(0), &introduction(9, &many), OWN));
    let all = sent(&mut punches, ms(60_000));
    assert_eq!(all.len(), PUNCHES_MAX as usize * PUNCHED_ADDRESSES_MAX);
    let first: Vec<Instant> = all.iter().filter(|(_, to)| *to == at("192.0.2.1:4860")).map(|(at, _)| *at).collect();
    assert_eq!(first, [0, 100, 300, 700, 1_500, 3_100].map(ms));
}

#[test]
fn nobody_is_punched_who_cannot_be_anywhere() {
    let mut punches = Punches::default();
    let nowhere =
        ["0.0.0.0:1", "224.0.0.1:1", "255.255.255.255:1", "192.0.2.1:0", "[ff02::1]:1", "[::]:1", "[104::1]:1"];
    assert!(punches.introduce(ms(0), &introduction(9, &nowhere), OWN));
    assert_eq!(punches.poll(ms(0)), None);
}

#[test]
fn who_introduces_again_and_again_is_heeded_within_bounds_for_each_host_and_for_all() {
    let mut punches = Punches::default();
    let named = |nonce: u8, host: u8| Introduction { nonce: [nonce; 16], ..introduction(host, &["192.0.2.1:1"]) };
    assert!(punches.introduce(ms(0), &named(1, 1), OWN));
    assert!(!punches.introduce(ms(0), &named(1, 1), OWN), "the same again");
    assert!(!punches.introduce(ms(999), &named(2, 1), OWN), "the same host too soon");
    assert!(punches.introduce(ms(1_000), &named(2, 1), OWN));
    assert!(!punches.knows(&[1; 16]), "the later takes the place of the earlier");
    let other_process = introduction(1, &["192.0.2.1:2"]);
    assert!(punches.introduce(ms(1_000), &Introduction { nonce: [3; 16], ..other_process }, OWN));
    assert!(punches.knows(&[2; 16]), "several processes of one key are seen at several addresses");
    let mut punches = Punches::default();
    let heeded = (0..200_u8).filter(|n| punches.introduce(ms(0), &named(*n, *n), OWN)).count();
    assert_eq!(heeded as u64, INTRODUCTIONS_BURST);
    let heeded = (0..200_u8).filter(|n| punches.introduce(ms(1_000), &named(*n, *n), OWN)).count();
    assert_eq!(heeded as u64, INTRODUCTIONS_PER_S);
}

#[test]
fn a_punch_from_where_the_host_was_seen_is_told_of_once_and_one_that_answers_is_told_of_again() {
    let mut punches = Punches::default();
    punches.introduce(ms(0), &introduction(9, &["192.0.2.1:4860"]), OWN);
    let from = at("192.0.2.1:4860");
    let reached = Some(Reached { eid: eid(9), remote: from, learned: false });
    let punch = Punch { nonce: NONCE, own: THEIRS, echo: [0; 8] };
    assert_eq!(punches.handle(ms(1), from, None, &punch), reached);
    assert_eq!(punches.handle(ms(1), from, None, &punch), None);
    let answer = Punch { nonce: NONCE, own: OWN, echo: THEIRS };
    assert_eq!(punches.poll(ms(1)), Some((from, None, answer)));
    assert_eq!(punches.handle(ms(2), from, None, &Punch { echo: OWN, ..punch }), reached);
    assert_eq!(punches.handle(ms(2), from, None, &Punch { echo: OWN, ..punch }), None);
    assert!(punches.poll(ms(2)).is_some(), "the answer to that");
    assert_eq!(punches.poll(ms(9_000)), None, "nothing more has to be opened");
    assert_eq!(punches.handle(ms(11_000), from, None, &punch), None, "it is over");
}

#[test]
fn what_comes_from_elsewhere_is_believed_when_it_answers_what_was_sent_there_and_gets_no_more_than_it_brought() {
    let mut punches = Punches::default();
    punches.introduce(ms(0), &introduction(9, &["192.0.2.1:4860"]), OWN);
    while punches.poll(ms(0)).is_some() {}
    let (elsewhere, punch) = (at("192.0.2.1:50123"), Punch { nonce: NONCE, own: THEIRS, echo: [0; 8] });
    assert_eq!(punches.handle(ms(1), elsewhere, None, &punch), None);
    assert_eq!(punches.poll(ms(1)).map(|(to, ..)| to), Some(elsewhere));
    let wrong = Punch { echo: [7; 8], ..punch };
    assert_eq!(punches.handle(ms(2), elsewhere, None, &wrong), None);
    let right = Punch { echo: OWN, ..punch };
    let reached = Some(Reached { eid: eid(9), remote: elsewhere, learned: true });
    assert_eq!(punches.handle(ms(3), elsewhere, None, &right), reached);
    // Who knows the name, and sends it from anywhere, gets no more than it sends, and little of that.
    let mut told = 0;
    for n in 0..1_000_u16 {
        let from = SocketAddr::from(([198, 51, (n >> 8) as u8, n as u8], 9));
        for _ in 0..10 {
            assert_eq!(punches.handle(ms(4), from, None, &punch), None);
            told += core::iter::from_fn(|| punches.poll(ms(4))).filter(|(to, ..)| *to == from).count();
        }
    }
    assert_eq!(told as u32, (LEARNED_ADDRESSES_MAX as u32 - 1) * PUNCHES_ANSWERED_MAX);
}

#[test]
fn a_punch_that_names_no_introduction_is_nobodys() {
    let mut punches = Punches::default();
    punches.introduce(ms(0), &introduction(9, &["192.0.2.1:4860"]), OWN);
    while punches.poll(ms(0)).is_some() {}
    let punch = Punch { nonce: [8; 16], own: THEIRS, echo: OWN };
    assert_eq!(punches.handle(ms(1), at("192.0.2.1:4860"), None, &punch), None);
    assert_eq!(punches.poll(ms(1)), None);
}

#[test]
fn both_begin_when_whoever_introduced_them_says_but_nobody_waits_for_long() {
    for (wait, begins) in [(40, 40), (60_000, 2_000)] {
        let mut punches = Punches::default();
        let introduction =
            Introduction { begin_in: Duration::from_millis(wait), ..introduction(9, &["192.0.2.1:4860"]) };
        punches.introduce(ms(0), &introduction, OWN);
        assert_eq!(punches.poll(ms(0)), None);
        assert_eq!(punches.poll_timeout(), Some(ms(begins)));
    }
}
