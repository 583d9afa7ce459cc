//! A client that calls where structured streams alone are served.

use core::net::SocketAddr;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output};
use tng_crypto::SecretRng;
use tng_endpoint::Port;
use tng_stack::{Access, Host, HostConfig, Identity};
use tng_trickles::set_up::{Call, Dial, DialError, Heard};

fn server() -> Identity {
    Identity::from_seed([2; 32])
}

/// What a port with this host answers.
fn answers(config: HostConfig, init: &[u8]) -> Vec<Vec<u8>> {
    let mut port = Port::new((Host::new(config, server(), [3; 32]),));
    let (now, remote) = (Instant::from_secs(1), SocketAddr::from(([192, 0, 2, 1], 7)));
    let mut payload = init.to_vec();
    let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size: init.len(), payload: &mut payload };
    port.handle_input(now, Input::Datagram(datagram));
    let (mut said, mut buf) = (Vec::new(), vec![0; 65_536]);
    loop {
        match port.poll_output(now, &mut buf) {
            Output::Transmit(transmit) => said.push(buf[..transmit.len].to_vec()),
            Output::NeedsEntropy => port.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::Event(event) => panic!("{event:?}"),
            Output::Timeout(_) => return said,
        }
    }
}

#[test]
fn a_host_of_structured_streams_says_that_it_serves_no_trickles_and_the_client_understands() {
    let client = Identity::from_seed([1; 32]);
    let dial = Dial::new(&client, &Call::new(server().eid()), &mut SecretRng::new([4; 32])).expect("a good call");
    let said = answers(HostConfig::new(Access::Public), dial.datagram());
    assert_eq!(said, [[6, 0xa1]]);
    let Heard::Waiting(dial) = dial.handle(&said[0]) else { panic!("it is for people who look, and ends nothing") };
    assert_eq!(dial.give_up(), DialError::Unserved);

    let silent = HostConfig { silent: true, ..HostConfig::new(Access::Public) };
    let dial = Dial::new(&client, &Call::new(server().eid()), &mut SecretRng::new([4; 32])).expect("a good call");
    assert!(answers(silent, dial.datagram()).is_empty());
}
