use super::world::*;
use crate::replay::StoryError;
use crate::server::Refused;

/// How many milliseconds an object of 500 kB takes over a path that loses one packet in a hundred, at a server that
/// remembers so many stories; how many timeouts that needs, and whether the server had no room for one.
fn took(stories: usize) -> (u64, u64, bool) {
    let mut world = World::new(8);
    world.config.stories = stories;
    world.start(0, Files::default());
    world.down.loss = 0.01;
    let (id, began) = (world.ask(500_000), world.now);
    let mut was_full = false;
    let has_come = world.run_until(began + ms(60_000), |world| {
        was_full |= world.server(0).stats().last_refused == Some(Refused::Story(StoryError::Full));
        world.has_finished(id)
    });
    assert!(has_come && world.stats().connections == 1, "{:?}", world.stats());
    (world.now.since(began).as_millis() as u64, world.stats().timeouts, was_full)
}

#[test]
fn a_client_that_loses_packets_goes_on_though_others_have_filled_the_table_of_losses() {
    let (one, many) = (took(1), took(1 << 16));
    println!("{one:?} where one loss is remembered, {many:?} where all are");
    assert_eq!((one.2, many.1, many.2), (true, 0, false));
    // Each loss costs a line; nobody waits out a timeout for it before those of a second are used up.
    assert!(one.1 > 2 && one.0 < 3_000, "{one:?}");
}

#[test]
fn a_client_of_a_server_under_full_load_gets_what_is_left_for_it_and_all_in_the_end() {
    let run = |load: f64| {
        let mut world = World::new(8);
        world.server(0).set_load(load);
        let id = world.ask(200_000);
        let mut most = 0;
        while !world.has_finished(id) {
            let before = world.down_count;
            // The second of a server begins when that of the world does.
            world.run(ms(1_000));
            most = most.max(world.down_count - before);
            assert!(world.now.since(EARLIER) < ms(120_000), "{:?}", world.stats());
        }
        most
    };
    // A REPLY is not of the share.
    let (loaded, idle) = (run(1.0), run(0.0));
    println!("{loaded} packets a second at most under load, {idle} without");
    assert!(loaded <= 64 + 1 && idle > 150, "{loaded} {idle}");
}
