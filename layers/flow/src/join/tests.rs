use core::time::Duration;

use super::*;

fn address(i: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, i], 4_860))
}

fn stop(i: u8) -> Stop {
    Stop::new(address(i), Capability { shown: vec![i; 54], key: CapabilityKey::from_bytes([i; 16]) })
}

fn greeting(id: u64) -> Greeting {
    Greeting { id: ChannelId::from_u64(id), reset_token: [4; 16], payload_max: 1_181, repair_ms: 0 }
}

#[test]
fn each_helper_reads_its_own_order_and_wishes_and_nobody_elses() {
    let wishes = Wishes { controller: Some("vegas".to_owned()), queue_time: Some(Duration::from_millis(20)) };
    let asked = Stop { wishes: wishes.clone(), ..stop(2) };
    let way = Itinerary::new(vec![stop(1), asked, stop(3)], address(9)).expect("a way");
    let (init, keys) = (vec![1; 500], way.draw_keys(&mut SecretRng::new([1; 32])));
    let sections: Vec<&HopKey> = keys.of_helpers().chain([keys.far()]).collect();
    let mut onward = way.orders(&keys, &init);
    assert_eq!(JOIN_HEADER_LEN + onward.len(), way.overhead() + init.len());
    for i in 1..=3u8 {
        let bytes = onward.clone();
        let order = Order::parse(&mut Reader::new(&bytes)).expect("an order");
        assert_eq!(order.capability, [i; 54]);
        let mut buf = Vec::new();
        let other = CapabilityKey::from_bytes([i + 1; 16]);
        assert_eq!(open_instructions(&other, &order, &mut buf), Err(Malformed), "without the key");
        let instructions =
            open_instructions(&CapabilityKey::from_bytes([i; 16]), &order, &mut buf).expect("its holder wrote it");
        let at = usize::from(i) - 1;
        assert_eq!(instructions.near.expose(), sections[at].expose());
        assert_eq!(instructions.far.expose(), sections[at + 1].expose());
        assert_eq!(instructions.next, address(if i == 3 { 9 } else { i + 1 }));
        let asked = if i == 2 { wishes.borrowed() } else { Wishes::default() };
        assert_eq!(instructions.wishes, asked);
        onward = instructions.onward.to_vec();
    }
    assert_eq!(onward, init);
}

#[test]
fn ways_that_cannot_be_are_refused() {
    let way = |stops: Vec<Stop>, to| Itinerary::new(stops, to).map(|_| ());
    assert_eq!(way(Vec::new(), address(9)), Err(BadItinerary::Length));
    assert_eq!(way((0..9).map(stop).collect(), address(99)), Err(BadItinerary::Length));
    assert_eq!(way(vec![stop(1), stop(2), stop(1)], address(9)), Err(BadItinerary::Loop));
    assert_eq!(way(vec![stop(1)], address(1)), Err(BadItinerary::Loop));
    let long = Capability { shown: vec![0; 256], key: CapabilityKey::from_bytes([0; 16]) };
    assert_eq!(way(vec![Stop::new(address(1), long)], address(9)), Err(BadItinerary::Capability));
    for name in [String::new(), "x".repeat(WISHED_NAME_LEN_MAX + 1)] {
        let wishes = Wishes { controller: Some(name), queue_time: None };
        assert_eq!(way(vec![Stop { wishes, ..stop(1) }], address(9)), Err(BadItinerary::Controller));
    }
}

#[test]
fn greetings_are_read_under_their_own_key_direction_and_message_alone() {
    let mut rng = SecretRng::new([3; 32]);
    let (key, other) = (HopKey::draw(&mut rng), HopKey::draw(&mut rng));
    let bytes = join(&key, &greeting(7), b"onward");
    let message = Join::parse(&mut Reader::new(&bytes)).expect("a JOIN");
    assert_eq!(open_join(&key, &message), Ok(greeting(7)));
    assert_eq!(open_join(&other, &message), Err(Malformed));
    let moved = Join { sender: ChannelId::from_u64(8), ..message };
    assert_eq!(open_join(&key, &moved), Err(Malformed), "the id in clear is part of it");

    let receiver = ChannelId::from_u64(7);
    let bytes = joined(&key, receiver, &greeting(9), b"reply");
    let message = Joined::parse(&mut Reader::new(&bytes)).expect("a JOINED");
    assert_eq!(open_joined(&key, &message), Ok(greeting(9)));
    assert_eq!(open_joined(&other, &message), Err(Malformed));
    assert_eq!(
        open_joined(&key, &Joined { reply: b"rep1y", ..message }),
        Err(Malformed),
        "what it carries is part of it"
    );
    let mirrored = Join { version: 1, sender: receiver, nonce: message.nonce, greeting: message.greeting, onward: b"" };
    assert_eq!(open_join(&key, &mirrored), Err(Malformed), "nor does one direction open as the other");
}

#[test]
fn five_helpers_leave_an_init_of_500_bytes() {
    let way = Itinerary::new((1..=5).map(stop).collect(), address(9)).expect("a way");
    assert!(1_200 - way.overhead() >= 500, "{} bytes of overhead", way.overhead());
}

#[test]
fn a_nonce_comes_again_with_the_same_words_alone() {
    let (way, init) = (Itinerary::new(vec![stop(1)], address(9)).expect("a way"), [1; 500]);
    let nonce_of = |bytes: &[u8]| Order::parse(&mut Reader::new(bytes)).expect("an order").nonce;
    let keys = |seed| way.draw_keys(&mut SecretRng::new([seed; 32]));
    let order = |seed| nonce_of(&way.orders(&keys(seed), &init));
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2), "other hop keys under the same capability");
    assert_ne!(order(1), nonce_of(&way.orders(&keys(1), &[2; 500])), "another INIT");

    let key = HopKey::from_bytes([5; 16]);
    let nonce = |id| Join::parse(&mut Reader::new(&join(&key, &greeting(id), b""))).expect("a JOIN").nonce;
    assert_eq!(nonce(7), nonce(7));
    assert_ne!(nonce(7), nonce(8));
}
