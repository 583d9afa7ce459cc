//! What clients ask for in their orders: they have what is offered, each flow its own, and nothing else.

use tng_middlebox::{NearChoice, Neighbourhood, Offers, RelayId};

use super::*;

const MS: fn(u64) -> Duration = Duration::from_millis;

/// A helper whose operator offers vegas and newreno, and up to 50 ms.
fn offering(seed: u8, around: Neighbourhood) -> Helper {
    let controllers = ["vegas", "newreno"].map(|name| name.parse().expect("a controller")).to_vec();
    let offers = Offers { controllers, queue_time_max: Some(MS(50)) };
    let onward = Onward::Listed(vec![Network { address: at(0).ip(), bits: 8 }]);
    let config = HelperConfig { onward, elsewhere: Neighbourhood { offers, ..around }, ..HelperConfig::default() };
    Helper::new(config, &Secret32::from_bytes([seed; 32]), 1_700_000_000_000, [seed ^ 0x55; 32])
}

fn wishes(controller: &str, queue_time_ms: u64) -> Wishes {
    let controller = Some(controller.to_owned()).filter(|name| !name.is_empty());
    Wishes { controller, queue_time: Some(MS(queue_time_ms)).filter(|time| !time.is_zero()) }
}

/// Asks for the flow `seed` with these wishes.
fn ask(helper: &mut Helper, seed: u64, wishes: Wishes) {
    let capability = capability(helper, 1, 16);
    let mut client = Client::new(seed, &capability, at(NEXT));
    client.wish(&capability, at(NEXT), wishes);
    hand(helper, Instant::ZERO, at(CLIENT), &client.join());
}

/// What governs the section with the client of each flow.
fn governing(helper: &Helper, flows: u64) -> Vec<&'static str> {
    let of = |id| helper.regulation(RelayId(id), End::Near).expect("a flow").controller_name();
    (1..=flows).map(of).collect()
}

fn chosen(helper: &Helper, flow: u64) -> (&str, bool, Duration, bool) {
    let NearChoice { controller, controller_asked, queue_time, queue_time_asked } =
        helper.near_choice(RelayId(flow)).expect("a flow");
    (controller.name(), *controller_asked, *queue_time, *queue_time_asked)
}

#[test]
fn flows_of_one_client_have_the_controllers_that_each_asked_for_and_those_that_ask_for_the_same_share_one() {
    let mut helper = offering(1, Neighbourhood::default());
    for (seed, name) in ["vegas", "newreno", "", "vegas"].into_iter().enumerate() {
        ask(&mut helper, seed as u64, wishes(name, 0));
    }
    assert_eq!(governing(&helper, 4), ["vegas", "newreno", "cubic", "vegas"]);
    assert_eq!(helper.stats().ways, 3);
    assert_eq!(chosen(&helper, 1), ("vegas", true, MS(100), false));
    assert_eq!(chosen(&helper, 3), ("cubic", false, MS(100), false));
}

#[test]
fn what_is_not_offered_or_unknown_is_as_if_it_had_not_been_asked_for() {
    let mut helper = offering(2, Neighbourhood::default());
    let ignored = ["eln", "unlimited", "Vegas", "vegas ", "v\u{e9}gas", "fixed:20mbit", "\u{1b}[2J", &"x".repeat(32)];
    for (seed, name) in ignored.into_iter().enumerate() {
        ask(&mut helper, seed as u64, wishes(name, 51));
        assert_eq!(chosen(&helper, seed as u64 + 1), ("cubic", false, MS(100), false), "{name:?}");
    }
    assert_eq!(helper.stats().ways, 1, "nor do they make ways of their own");
    ask(&mut helper, 90, wishes("eln", 50));
    assert_eq!(chosen(&helper, 9), ("cubic", false, MS(50), true), "each wish is granted by itself");
    let mut silent = super::helper(3);
    ask(&mut silent, 1, wishes("vegas", 1));
    assert_eq!(chosen(&silent, 1), ("cubic", false, MS(100), false), "who offers nothing grants nothing");
}

#[test]
fn a_join_that_comes_again_with_other_wishes_changes_nothing() {
    let mut helper = offering(4, Neighbourhood::default());
    let capability = capability(&helper, 1, 16);
    let mut client = Client::new(7, &capability, at(NEXT));
    for wishes in [wishes("vegas", 20), wishes("newreno", 40), Wishes::default()] {
        client.wish(&capability, at(NEXT), wishes);
        hand(&mut helper, Instant::ZERO, at(CLIENT), &client.join());
        assert_eq!((helper.stats().relays, helper.stats().joins, helper.stats().ways), (1, 1, 1));
        assert_eq!(chosen(&helper, 1), ("vegas", true, MS(20), true));
    }
    assert_eq!(governing(&helper, 1), ["vegas"]);
}

#[test]
fn on_a_leased_link_its_owner_decides_whatever_is_wished() {
    let lease = Some(tng_congestion::Share { rate: 1_200_000, window: None });
    let mut helper = offering(5, Neighbourhood { lease, ..Neighbourhood::default() });
    ask(&mut helper, 1, wishes("vegas", 20));
    ask(&mut helper, 2, wishes("newreno", 0));
    assert_eq!(governing(&helper, 2), ["fixed"; 2]);
    assert_eq!((helper.stats().ways, chosen(&helper, 1)), (1, ("fixed", false, MS(20), true)));
}

#[test]
fn an_order_for_a_tunnel_that_has_wishes_is_one_without() {
    let mut helper = offering(6, Neighbourhood::default());
    let capability = for_tunnels(&helper, 1);
    let mut client = Client::new(8, &capability, at(NEXT));
    client.wish(&capability, at(NEXT), wishes("vegas", 20));
    let orders = client.itinerary.orders(&client.keys, &[TUNNEL]);
    hand(&mut helper, Instant::ZERO, at(CLIENT), &join(client.keys.near(), &client.greeting, &orders));
    assert_eq!((helper.stats().tunnels, helper.stats().relays, helper.stats().ways), (1, 0, 1));
}
