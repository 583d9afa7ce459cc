//! What negotiation costs a set-up: STP 3.3.1, Table 3.

use core::net::IpAddr;
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::json;
use tng_base::{CodeHash, Instant};
use tng_crypto::code_hash;
use tng_sim::{App, Link, Loss, MachineNode, PORT, World, fork, topology};
use tng_stack::{
    Access, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, Settled, Target, TransportOffer,
};
use tng_stp_host::{Cap, Workshop};

use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::peers::guests::repertoire::{Acceptance, Repertoire};
use crate::peers::guests::{Guest, GuestRun, Ran};
use crate::peers::transport::tell;
use crate::settings::{Configured, Settings};

/// The four answers, both ways of the fourth, and no offer.
pub static SET_UP: Experiment = Experiment {
    name: "stp/set-up",
    title: "What it costs to negotiate a transport",
    source: "STP 3.3.1, Table 3",
    claim: "negotiation rides in the set-up: no flight, no round trip and no packet more, whatever is answered; and \
            the loss of any of its packets leaves both ends with the same transport",
    about: "A client connects to a server and offers it a transport, by hash. What the server has, lets run, and would \
            rather run, makes it answer OK, SENDME, NO or USE; the last the client follows or declines. Counted are \
            flights, round trips and bytes until each end knows that it is connected, and what runs; and then, with \
            each of the first packets of each direction lost in its turn, whether both ends say the same.",
    params: &[
        Param::rate("rate", "50mbit", "of the link"),
        Param::time("delay", "25ms", "of the link, each way"),
        Param::count("lost", "6", (0, 50), "packets of each direction that are lost in their turn"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run,
};

const LIMIT: Duration = Duration::from_secs(60);
/// More bytes of an INIT than without an offer.
const INIT_MORE: f64 = 48.0;

/// What one end has, lets run, and would rather run.
#[derive(Clone, Copy, Default)]
struct Side {
    here: &'static [Guest],
    allowed: &'static [Guest],
    prefers: Option<Guest>,
}

struct Case {
    name: &'static str,
    sides: [Side; 2],
    /// Whether anything is offered.
    offers: bool,
    settled: Option<Settled>,
}

fn hash(guest: Guest) -> CodeHash {
    code_hash(guest.name().as_bytes())
}

fn cases() -> [Case; 6] {
    const BOTH: &[Guest] = &[Guest::NewReno, Guest::Sack];
    const RENO: &[Guest] = &[Guest::NewReno];
    const SACK: &[Guest] = &[Guest::Sack];
    let of = |here, allowed| Side { here, allowed, prefers: None };
    let prefers = |side| Side { prefers: Some(Guest::Sack), ..side };
    let case = |name, sides, settled| Case { name, sides, offers: true, settled: Some(settled) };
    let (reno, sack) = (hash(Guest::NewReno), hash(Guest::Sack));
    [
        Case { name: "nothing offered", sides: [Side::default(); 2], offers: false, settled: None },
        case("OK", [of(RENO, RENO), of(RENO, RENO)], Settled::Runs(reno)),
        case("SENDME", [of(RENO, RENO), of(&[], RENO)], Settled::SendMe(reno)),
        case("NO", [of(RENO, RENO), of(&[], &[])], Settled::No),
        case("USE, followed", [of(BOTH, BOTH), prefers(of(SACK, SACK))], Settled::Runs(sack)),
        case("USE, declined", [of(RENO, RENO), prefers(of(SACK, SACK))], Settled::Declined(sack)),
    ]
}

fn policed(guest: Guest) -> GuestRun {
    GuestRun { guest, ran: Ran::Policed, cap: Cap::default() }
}

/// What a host goes by.
fn repertoire(side: Side, workshop: Workshop) -> Repertoire {
    let allowed = side.allowed.iter().map(|guest| hash(*guest)).collect();
    let repertoire = Repertoire::new(Acceptance::These(allowed), workshop);
    side.here.iter().for_each(|guest| repertoire.add(hash(*guest), policed(*guest).code()));
    side.prefers.into_iter().for_each(|guest| repertoire.prefer(hash(guest)));
    repertoire
}

/// When an end knew that it is connected, and what it said then.
#[derive(Default)]
struct End {
    known: Option<(Instant, ConnectionId)>,
}

impl App<Host> for End {
    fn handle_event(&mut self, now: Instant, _: &mut Host, event: HostEvent) {
        if matches!(event.kind, EventKind::Connected | EventKind::Accepted { .. }) {
            self.known.get_or_insert((now, event.connection));
        }
    }

    fn poll(&mut self, _: Instant, _: &mut Host) -> Option<Instant> {
        None
    }
}

type Node = MachineNode<Host, End>;

/// One set-up.
struct SetUp<'a> {
    case: &'a Case,
    link: Link,
    /// A packet that is lost, and whether on the way back.
    lost: Option<(u64, bool)>,
}

impl Configured for SetUp<'_> {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "between client and server", &self.link.clone().loss(Loss::None));
        tell::host(settings, "client", &HostConfig::new(Access::Nobody));
        tell::host(settings, "server", &HostConfig::new(Access::Public));
    }
}

/// What was seen of one.
struct Seen {
    /// Of client and server, until they knew.
    known: [Duration; 2],
    /// Direction and bytes of each packet until both knew.
    packets: Vec<(bool, usize)>,
    settled: [Option<Settled>; 2],
}

fn measure(context: &Context<'_>, setup: SetUp<'_>) -> Result<Seen, RunError> {
    let SetUp { case, link, lost } = context.world(setup);
    let mut world: World<Node> = World::new(context.seed);
    let [mut of_client, mut of_server] = [0, 1].map(|side| fork(context.seed, side));
    let called = Identity::from_seed(of_server.bytes::<32>());
    let eid = called.eid();
    let mut client = Host::new(
        HostConfig::new(Access::Nobody),
        Identity::from_seed(of_client.bytes::<32>()),
        of_client.bytes::<32>(),
    );
    let mut server = Host::new(HostConfig::new(Access::Public), called, of_server.bytes::<32>());
    for (host, side, rng) in
        [(&mut client, case.sides[0], &mut of_client), (&mut server, case.sides[1], &mut of_server)]
    {
        host.set_transports(Arc::new(repertoire(side, policed(Guest::NewReno).workshop(rng))));
    }
    let [left, right]: [IpAddr; 2] = [0, 1].map(topology::ipv4);
    let a = world.host("client", &[left], MachineNode::new(client, End::default()));
    let b = world.host("server", &[right], MachineNode::new(server, End::default()));
    let lanes = world.connect(a, b, &link);
    let packets: Rc<RefCell<Vec<(bool, usize)>>> = Rc::default();
    for (lane, forth) in [(lanes.forth(), true), (lanes.back(), false)] {
        let (packets, mut number) = (Rc::clone(&packets), 0);
        world.intercept(lane, move |_, packet| {
            packets.borrow_mut().push((forth, packet.payload.len()));
            number += 1;
            lost.is_none_or(|(at, back)| back == forth || at + 1 != number)
        });
    }
    let target = Target { eid, addresses: vec![(right, PORT).into()], capability: None, via: Vec::new() };
    let host = &mut world.node_mut(a).machine;
    let begun = match case.offers {
        true => {
            let offer = TransportOffer { service: "files".to_owned(), codes: vec![hash(Guest::NewReno)] };
            host.connect_offering(Instant::ZERO, target, offer)
        }
        false => host.connect(Instant::ZERO, target),
    };
    begun.map_err(RunError::broken)?;
    let both = |world: &World<Node>| [a, b].iter().all(|node| world.node(*node).app.known.is_some());
    if !world.wait_until(Instant::ZERO + LIMIT, both) {
        return Err(RunError::broken(format_args!("{}: they are not connected", case.name)));
    }
    let packets = packets.borrow().clone();
    let ends = [a, b].map(|node| {
        let Node { app, machine, .. } = world.node(node);
        let (at, id) = app.known.unwrap_or((Instant::ZERO, ConnectionId(u64::MAX)));
        (at.since(Instant::ZERO), machine.negotiation(id).map(|negotiation| negotiation.settled))
    });
    Ok(Seen { known: ends.map(|(at, _)| at), packets, settled: ends.map(|(_, settled)| settled) })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
    let round = 2.0 * context.time("delay").as_secs_f64();
    let head = ["answer", "client knows", "server knows", "packets", "bytes forth", "back", "agreed when one is lost"];
    let mut table = Table::new(&head).titled("Until both ends know that they are connected, and what runs");
    let (mut rows, mut wrong, mut lost_runs, mut lost_agreed) = (Vec::new(), 0, 0, 0);
    let (mut rounds_most, mut packets_more): (f64, f64) = (0.0, 0.0);
    let mut plain_packets = 0;
    for case in cases() {
        context.progress(format_args!("{}", case.name));
        let seen = measure(context, SetUp { case: &case, link: link.clone(), lost: None })?;
        wrong += seen.settled.iter().filter(|settled| **settled != case.settled).count();
        let (mut runs, mut agreed) = (0, 0);
        for at in 0..context.count("lost") {
            for back in [false, true] {
                let seen = measure(context, SetUp { case: &case, link: link.clone(), lost: Some((at, back)) })?;
                runs += 1;
                agreed += u64::from(seen.settled.iter().all(|settled| *settled == case.settled));
            }
        }
        (lost_runs, lost_agreed) = (lost_runs + runs, lost_agreed + agreed);
        let rounds = seen.known.map(|at| at.as_secs_f64() / round);
        let bytes = [true, false]
            .map(|forth| seen.packets.iter().filter(|(way, _)| *way == forth).map(|(_, bytes)| bytes).sum::<usize>());
        if case.offers {
            packets_more = packets_more.max(seen.packets.len() as f64 - plain_packets as f64);
        } else {
            plain_packets = seen.packets.len();
        }
        rounds_most = rounds_most.max(rounds[0]);
        table.row(vec![
            case.name.to_owned(),
            format!("{:.2} round trips", rounds[0]),
            format!("{:.2}", rounds[1]),
            seen.packets.len().to_string(),
            format!("{} B", bytes[0]),
            format!("{} B", bytes[1]),
            format!("{agreed} of {runs}"),
        ]);
        rows.push(json!({
            "answer": case.name, "client_round_trips": rounds[0], "server_round_trips": rounds[1],
            "packets": seen.packets.len(), "bytes_forth": bytes[0], "bytes_back": bytes[1],
            "lost_runs": runs, "lost_agreed": agreed,
        }));
    }
    let item = offer_bytes();
    let share = lost_agreed as f64 / lost_runs.max(1) as f64;
    Ok(Outcome::new(json!({ "answers": rows, "offer_bytes": item }))
        .table(table)
        .check(Check::new("ends that hold another answer than it was", wrong as f64, "", Goal::AtMost(0.0)))
        .check(Check::new("round trips until the client knows", rounds_most, "", Goal::AtMost(1.05)))
        .check(Check::new("packets more than without an offer", packets_more, "", Goal::AtMost(1.0)))
        .check(Check::new("bytes of an offer in the INIT, in place of padding", item, "B", Goal::AtMost(INIT_MORE)))
        .check(Check::new("set-ups with a packet lost whose ends agree", share, "", Goal::AtLeast(1.0))))
}

/// Bytes of the item that offers one transport for files.
fn offer_bytes() -> f64 {
    let offer = TransportOffer { service: "files".to_owned(), codes: vec![hash(Guest::NewReno)] };
    // A type and a length before it.
    2.0 + tng_wire::Repr::wire_len(&offer) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn negotiation_costs_no_round_trip_and_survives_the_loss_of_any_packet() {
        let record = measured(&SET_UP, 1, &["lost=3"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }
}
