//! Round trips that commands need, on wires that take their time.

use std::collections::BTreeMap;
use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::helped::{ANYONE, Helped, SERVE};

/// A packet, where it leaves, when, and for whom.
type Late = (Instant, Arc<UdpSocket>, SocketAddr, Vec<u8>);

/// Sends each packet when its time has come: they all take the same time, so in their order.
#[expect(clippy::disallowed_methods, reason = "a wire in real time")]
fn carry(packets: &Receiver<Late>) {
    while let Ok((at, from, to, packet)) = packets.recv() {
        thread::sleep(at.saturating_duration_since(Instant::now()));
        let _ = from.send_to(&packet, to);
    }
}

/// Hands over what comes to a socket, so much later.
#[expect(clippy::disallowed_methods, reason = "a wire in real time")]
fn listen(socket: &UdpSocket, mut each: impl FnMut(SocketAddr, Vec<u8>, Instant)) {
    let mut buf = [0; 65_536];
    while let Ok((len, from)) = socket.recv_from(&mut buf) {
        each(from, buf[..len].to_vec(), Instant::now());
    }
}

/// Who sends to the address that this answers reaches `to`, and is answered, after `delay` each way.
fn wire(to: SocketAddr, delay: Duration) -> SocketAddr {
    let bind = || Arc::new(UdpSocket::bind("127.0.0.1:0").expect("a socket"));
    let near = bind();
    let address = near.local_addr().expect("an address");
    let (forth, packets) = channel();
    thread::spawn(move || carry(&packets));
    thread::spawn(move || {
        // A socket for each who sends, as a NAT has.
        let mut far: BTreeMap<SocketAddr, Arc<UdpSocket>> = BTreeMap::new();
        let here = Arc::clone(&near);
        listen(&here, |from, packet, now| {
            let out = far.entry(from).or_insert_with(|| {
                let (out, back, near): (_, Sender<Late>, _) = (bind(), answers(), Arc::clone(&near));
                let answered = Arc::clone(&out);
                thread::spawn(move || {
                    listen(&answered, |_, packet, now| drop(back.send((now + delay, near.clone(), from, packet))));
                });
                out
            });
            let _ = forth.send((now + delay, Arc::clone(out), to, packet));
        });
    });
    address
}

/// A way back, with a thread of its own.
fn answers() -> Sender<Late> {
    let (back, packets) = channel();
    thread::spawn(move || carry(&packets));
    back
}

/// How long a command takes that ends well: the quickest of several, until one takes less than `enough`. A busy machine
/// makes any of them late, and none early.
#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn quickest(enough: Duration, mut command: impl FnMut()) -> Duration {
    let mut least = Duration::MAX;
    for _ in 0..TRIES {
        let began = Instant::now();
        command();
        least = least.min(began.elapsed());
        if least < enough {
            break;
        }
    }
    least
}

/// So often a command is run at most.
const TRIES: usize = 5;

#[test]
fn the_first_reply_by_way_of_a_named_relay_takes_as_many_round_trips_as_direct() {
    const EACH: Duration = Duration::from_millis(200);
    let helped = Helped::start(ANYONE, SERVE, "");
    fs::write(helped.bench.path("there/a"), "a").expect("written");
    let (relay, server) = (helped.relay.as_ref().expect("it runs"), &helped.server);
    let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
    // Half of the way is before the relay.
    let (relay_at, last) = (wire(address(&relay.address), EACH), wire(address(&server.address), EACH));
    let whole = wire(address(&server.address), 2 * EACH);
    helped.configure(&format!(
        "[hosts.attic]\neid = '{}'\naddress = '{relay_at}'\n[hosts.behind]\neid = '{1}'\naddress = '{last}'\n\
         [hosts.home]\neid = '{1}'\naddress = '{whole}'\n",
        relay.eid, server.eid
    ));
    // The file comes with the first round trip; with the second both ends know that it is over.
    let (trip, mut times) = (4 * EACH, 0);
    let mut get = |args: &[&str]| {
        times += u64::from(args.contains(&"attic"));
        helped.run(&[&["get", "-o", "copy"], args].concat()).expect(0);
        fs::remove_file(helped.bench.path("copy")).expect("it came");
    };
    let enough = 2 * trip + trip / 2;
    let direct = quickest(enough, || get(&["home/a"]));
    // Who has no capability asks for one first, and keeps it.
    let asking = quickest(enough + trip / 2, || {
        let _ = fs::remove_file(helped.bench.path("user/tng/capabilities"));
        get(&["--via", "attic", "behind/a"]);
    });
    let via = quickest(enough, || get(&["--via", "attic", "behind/a"]));
    println!("direct {direct:?}, by way of the relay {via:?}, which was asked before {asking:?}");
    assert_eq!(helped.joins(), times);
    assert!(direct > 2 * trip && direct < enough, "{direct:?}");
    assert!(via > 2 * trip && via < enough, "{via:?}, direct {direct:?}");
    assert!(asking > 2 * trip + trip / 4, "control: to ask first takes a round trip with the relay: {asking:?}");
}
