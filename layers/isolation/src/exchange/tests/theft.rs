//! Who recorded an exchange, and reads a host's memory later (docs/attacks.md, 25).

use super::*;

/// Draws between the exchange and the theft.
const DRAWS: u32 = 1_000_000;

/// How many exchanges the thief makes with each generator.
const TRIES: u32 = 100;

/// The generators that somebody can make who has read the memory of this one.
fn made_of(stolen: &SecretRng) -> [SecretRng; 2] {
    [SecretRng::new(stolen.stolen()), SecretRng::without_erasure(stolen.stolen())]
}

/// The traffic secrets of a recorded exchange, by who knows all of the initiator: its identity, what it says, and its
/// generator.
fn by_the_initiator(stolen: &SecretRng, init: &[u8], reply: &[u8]) -> Option<String> {
    let mut generators = made_of(stolen);
    let mut again = generators.iter_mut().flat_map(|rng| {
        (0..TRIES).map(|_| Initiator::new(Family::Channel, &alice(), bob().eid(), opening(HARDWARE), rng).unwrap())
    });
    let found = again.find(|initiator| initiator.datagram() == init)?;
    Some(established(found.handle_reply(reply)).0.key_log_line().to_string())
}

/// The same by who knows all of the responder.
fn by_the_responder(stolen: &SecretRng, init: &[u8], reply: &[u8]) -> Option<String> {
    let mut generators = made_of(stolen);
    let mut again =
        generators.iter_mut().flat_map(|rng| (0..TRIES).map(|_| accept_with(read(init).unwrap(), HARDWARE, rng)));
    again.find(|(_, other)| other == reply).map(|(established, _)| established.key_log_line().to_string())
}

#[test]
fn whoever_steals_a_host_s_memory_later_does_not_read_what_they_recorded_before() {
    let generators: [fn([u8; 32]) -> SecretRng; 2] = [SecretRng::new, SecretRng::without_erasure];
    for (new, erases) in generators.into_iter().zip([true, false]) {
        let (mut alice_s, mut bob_s) = (new([3; 32]), new([4; 32]));
        let initiator =
            Initiator::new(Family::Channel, &alice(), bob().eid(), opening(HARDWARE), &mut alice_s).unwrap();
        let init = initiator.datagram().to_vec();
        let (theirs, reply) = accept_with(read(&init).unwrap(), HARDWARE, &mut bob_s);
        for _ in 0..DRAWS {
            alice_s.secret();
            bob_s.secret();
        }
        let stolen = [by_the_initiator(&alice_s, &init, &reply), by_the_responder(&bob_s, &init, &reply)];
        // Without erasure the thief makes the recorded messages again, and has their keys.
        let keys = (!erases).then(|| theirs.key_log_line().to_string());
        assert_eq!(stolen, [keys.clone(), keys]);
    }
}
