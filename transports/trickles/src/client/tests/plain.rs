//! Both ends were told to leave seals out, or one was.

use tng_base::{Datagram, Ecn, Input, Machine};

use super::world::*;
use crate::client::{ClientConfig, ClientError, Event};
use crate::server::Refused;
use crate::set_up::DialError;
use crate::wire::{PLAIN_REQUEST, REQUEST};

fn world(seed: u64, client: bool, server: bool) -> World {
    let config = ClientConfig { danger_plain: client, ..ClientConfig::default() };
    let mut world = World::with(seed, Plan { config, ..Plan::default() });
    let config = crate::server::ServerConfig { danger_plain: server, ..world.config.clone() };
    world.put_in_place(0, config);
    world
}

#[test]
fn who_were_both_told_so_leave_seals_out_and_all_bytes_come_over_a_path_that_loses_and_reorders() {
    for seed in 0..20 {
        let mut world = world(seed, true, true);
        (world.down.loss, world.up.loss) = (0.02, 0.01);
        (world.down.held_up, world.down.twice) = ((0.02, ms(5)), 0.01);
        let asked = [world.ask(300_000), world.ask(20_000)];
        world.finish(ms(60_000));
        assert!(asked.iter().all(|id| world.has_finished(*id)), "seed {seed}");
        let stats = *world.server(0).stats();
        assert_eq!((stats.refused, world.stats().connections), (0, 1), "seed {seed}: {stats:?}");
    }
}

#[test]
fn without_seals_a_packet_carries_forty_bytes_more() {
    let packets = |is_plain| {
        let mut world = world(1, is_plain, is_plain);
        world.ask(1_000_000);
        world.finish(ms(60_000));
        world.server(0).stats().packets
    };
    let (sealed, plain) = (packets(false), packets(true));
    println!("{sealed} packets with seals, {plain} without");
    assert!((0.955..0.97).contains(&(plain as f64 / sealed as f64)), "{sealed} {plain}");
}

#[test]
fn who_was_told_so_alone_has_no_connection_and_each_end_says_why() {
    for plain_here in [true, false] {
        let mut world = world(1, plain_here, !plain_here);
        world.ask(1_000);
        world.run(ms(5_000));
        let error = DialError::SealsDiffer { plain_here };
        println!("{error}");
        assert_eq!(world.events, [Event::Ended(ClientError::Dial(error))]);
        assert_eq!((world.server(0).stats().opened, world.down_count), (0, 1), "it is refused at once");
    }
}

/// What a connection that is sealed says when somebody on the way makes its datagrams such as are not, and what a
/// server says that takes none.
#[test]
fn nobody_on_the_way_has_two_ends_leave_seals_out_that_were_not_told_to() {
    let mut world = world(1, false, false);
    let id = world.ask(200_000);
    world.run_until(world.now + ms(1_000), |world| world.got[&id] > 20_000);
    let (before, packets) = (world.got[&id], world.stats().packets);
    // A request whose seals were cut out, in the name of the client; and a response in that of the server.
    for first in [PLAIN_REQUEST, PLAIN_REQUEST | 1] {
        let (mut bytes, client) = (vec![first; 400], world.client_at);
        let (remote, now, segment_size) = (if first == PLAIN_REQUEST { client } else { server_at(0) }, world.now, 400);
        let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut bytes };
        match first {
            PLAIN_REQUEST => world.server(0).handle_input(now, Input::Datagram(datagram)),
            _ => world.client.handle_input(now, Input::Datagram(datagram)),
        }
    }
    world.run_until(world.now + ms(1), |_| false);
    assert_eq!(world.server(0).stats().last_refused, Some(Refused::Armor));
    world.finish(ms(60_000));
    assert!(world.got[&id] > before && world.stats().packets > packets && world.stats().connections == 1);
    // And a server that seals nothing takes nothing that is sealed.
    let mut plain = self::world(2, true, true);
    plain.ask(1_000);
    plain.finish(ms(5_000));
    let (mut bytes, remote, now) = (vec![REQUEST; 400], plain.client_at, plain.now);
    let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size: 400, payload: &mut bytes };
    plain.server(0).handle_input(now, Input::Datagram(datagram));
    plain.run_until(now + ms(1), |_| false);
    assert_eq!(plain.server(0).stats().last_refused, Some(Refused::Armor));
}
