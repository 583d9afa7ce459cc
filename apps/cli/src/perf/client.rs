//! The side of a test that asks for it.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use tng::{Connection, Endpoint, PathTaken};
use tng_base::Eid;
use tng_services::perf::{End, Message, PROTOCOL, SERVICE, Test};

use super::control::Control;
use super::engine::{Engine, Guests, RunEnd, out_of_turn};
use super::figures::{Start, lanes};
use super::report::Report;
use super::{Side, ends};
use crate::allowance::TimeArgs;
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::offer::{Chosen, tell};
use crate::location::{HostAddress, Location};
use crate::peer;
use crate::signals::{stopped, stopped_failure};
use crate::talk::Talk;
use crate::via::Words;

/// Bytes of a block when nothing else is said.
pub const BLOCK_DEFAULT: usize = 128 << 10;
/// Bytes of a packet that a datagram leaves to headers when nothing is said of its length.
const HEADERS: usize = 64;
/// Characters of the random name of a test, as many as iperf3 gives it.
const COOKIE_LEN: usize = 36;

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The server.
    pub host: Location,
    /// What is measured, its block length aside.
    pub test: Test,
    /// Bytes of a block, if that was said.
    pub block_len: Option<usize>,
    /// The count of blocks that ends the test, if that was said.
    pub blocks: Option<u64>,
    /// Time from one interval's figures to the next; zero for none.
    pub interval: Duration,
    /// How long connecting may take.
    pub allowed: TimeArgs,
}

/// Measures, by one of the transports that are offered if the server runs one. A signal ends it, before the test at
/// once, within it with what was measured so far.
///
/// # Errors
/// If there is no connection, the server does not take part, it breaks, or a signal ended it.
pub async fn measure(
    endpoint: &Endpoint,
    plan: &Plan,
    offered: Option<&Chosen>,
    report: &mut Report,
    talk: Talk,
) -> Result<(), Failure> {
    let mut stop = pin!(stopped());
    let ready = tokio::select! {
        ready = prepare(endpoint, plan, offered, talk) => ready?,
        () = &mut stop => return Err(stopped_failure()),
    };
    let Ready { connection, mut control, test, guests } = ready;
    let (local, remote) = ends(&connection, endpoint.local_addr());
    let words = Words::of(&plan.host);
    let cookie = *tng::random_seed().map_err(|error| Failure::read("drawing a random name", &error))?.expose();
    report.start(&Start {
        side: Side::Client,
        test,
        lanes: lanes(&test, Side::Client),
        local,
        remote,
        host: called(&plan.host, remote, connection.path().as_ref()),
        interval: plan.interval,
        payload_max: payload_max(&connection),
        blocks: plan.blocks.unwrap_or(0),
        peer: connection.peer().to_string(),
        guest: guests.name.clone(),
        path: words.word(connection.path().as_ref()),
        cookie: Eid::from_bytes(cookie).to_string()[..COOKIE_LEN].to_owned(),
        time: clock::seconds_since_1970(),
    });
    control.say(&Message::Start).await?;
    let mut engine = Engine::start(Side::Client, test, &connection, control.id(), guests);
    let over = engine.run(&mut control, report, plan.interval, None, stop).await?;
    let mut ours = engine.stop().await;
    let guests = engine.guests();
    control.say(&Message::End(ours.clone())).await?;
    let theirs = loop {
        match control.answer().await? {
            Message::Results(theirs) => break theirs,
            // It had sent everything when the test was stopped.
            Message::Done => {}
            _ => return Err(out_of_turn()),
        }
    };
    engine.settle(&mut ours, &theirs).await?;
    control.say(&Message::Results(ours.clone())).await?;
    report.path(words.split(connection.path().as_ref()), words.fields(&connection));
    report.finish(&engine.finish(ours, theirs));
    if !guests.is_empty() {
        report.guests(guests.into());
    }
    if test.wants_output {
        match control.answer().await? {
            Message::Output(output) => report.server_output(&output),
            _ => return Err(out_of_turn()),
        }
    }
    control.finish().await;
    match over {
        RunEnd::Done => Ok(()),
        RunEnd::Stopped => Err(stopped_failure()),
        RunEnd::Ended(_) => Err(out_of_turn()),
    }
}

/// A server that waits for START.
struct Ready {
    connection: Connection,
    control: Control,
    test: Test,
    guests: Guests,
}

fn payload_max(connection: &Connection) -> usize {
    connection.stats().map_or(0, |stats| stats.payload_max)
}

/// Connects, and agrees on the test.
async fn prepare(endpoint: &Endpoint, plan: &Plan, offered: Option<&Chosen>, talk: Talk) -> Result<Ready, Failure> {
    let connection = plan.allowed.connecting(peer::connect(endpoint, &plan.host, talk)).await?;
    let opened = connection.open(SERVICE, PROTOCOL).await;
    let stream = opened.map_err(|error| peer::open_failure("asking for a test", error))?;
    let listening = stream.listen_substreams();
    listening.map_err(|error| peer::stream_failure("asking for a test", &error.into(), Exit::Receive))?;
    let block_len = plan.block_len.unwrap_or(match plan.test.datagrams {
        true => payload_max(&connection).saturating_sub(HEADERS).max(1000),
        false => BLOCK_DEFAULT,
    });
    let mut test = Test { block_len, ..plan.test };
    if let Some(blocks) = plan.blocks {
        test.end = End::Bytes(blocks.saturating_mul(block_len as u64));
    }
    if !test.is_valid() {
        return Err(Failure::usage("asking for a test", "there is no such test").or_try("smaller numbers"));
    }
    let (send, recv) = stream.split();
    let mut control = Control::new(send, recv);
    control.say(&Message::Test(test)).await?;
    match control.answer().await? {
        Message::Ready => {}
        _ => return Err(out_of_turn()),
    }
    let guests = match offered {
        Some(offered) => guests(endpoint, &plan.host, offered, test.lanes, talk).await?,
        None => Guests::default(),
    };
    Ok(Ready { connection, control, test, guests })
}

/// A connection by a transport for each lane; none if the server runs none of those that are offered, and streams have
/// to do.
async fn guests(
    endpoint: &Endpoint,
    host: &Location,
    offered: &Chosen,
    lanes: usize,
    talk: Talk,
) -> Result<Guests, Failure> {
    let mut guests = Guests::default();
    for lane in 0..lanes {
        match offered.guest(endpoint, host, SERVICE, talk).await? {
            Some(guest) => {
                if lane == 0 {
                    guests.name = offered.name(guest.connection()).await;
                    tell(guest.connection(), talk).await;
                }
                guests.ours.push(guest);
            }
            None if lane == 0 => break,
            None => {
                let why = format!("the server runs no transport for more than {lane} at once");
                return Err(Failure::new(Exit::Connect, "beginning a lane", why).or_try(format!("-P {lane}")));
            }
        }
    }
    Ok(guests)
}

/// What the server is called on the command line, if it has a name there, and its port. `remote` is where packets go:
/// to the first helper, if there is one, which is not the server.
fn called(host: &Location, remote: SocketAddr, path: Option<&PathTaken>) -> (String, u16) {
    let named = host.places.iter().find_map(|place| match place {
        HostAddress::Name(name, port) => Some((name.clone(), *port)),
        HostAddress::Address(_) => None,
    });
    let address = host.places.iter().find_map(|place| match place {
        HostAddress::Address(address) => Some(*address),
        HostAddress::Name(..) => None,
    });
    match (named, path, address) {
        (Some((name, port)), Some(PathTaken::Helped { .. } | PathTaken::Carried { .. }), _) => (name, port),
        (Some((name, _)), ..) => (name, remote.port()),
        (None, Some(PathTaken::Helped { .. } | PathTaken::Carried { .. }), Some(address)) => {
            (address.ip().to_string(), address.port())
        }
        (None, ..) => (remote.ip().to_string(), remote.port()),
    }
}

#[cfg(test)]
mod tests {
    use tng_services::files::SafePath;

    use super::*;

    #[test]
    fn a_test_by_way_of_a_helper_is_with_its_server_and_not_with_the_helper() {
        let host = |place: HostAddress| Location {
            eid: Eid::from_bytes([1; 32]),
            places: vec![place],
            capability: Vec::new(),
            path: SafePath::root(),
            via: Vec::new(),
        };
        let helper: SocketAddr = "192.0.2.1:4860".parse().expect("an address");
        let (first, rest) = (Duration::ZERO, Duration::ZERO);
        let helped = PathTaken::Helped { helpers: vec![Eid::from_bytes([2; 32])], carried: false, first, rest };
        let [address, name] = [
            HostAddress::Address("198.51.100.1:5000".parse().expect("an address")),
            HostAddress::Name("srv".to_owned(), 5_001),
        ];
        assert_eq!(called(&host(address.clone()), helper, Some(&helped)), ("198.51.100.1".to_owned(), 5_000));
        assert_eq!(called(&host(name.clone()), helper, Some(&helped)), ("srv".to_owned(), 5_001));
        let direct = PathTaken::Direct { rtt: Duration::ZERO };
        assert_eq!(called(&host(address), helper, Some(&direct)), ("192.0.2.1".to_owned(), 4_860), "control");
        assert_eq!(called(&host(name), helper, None), ("srv".to_owned(), 4_860), "control");
    }
}
