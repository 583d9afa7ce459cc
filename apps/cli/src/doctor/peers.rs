//! What other hosts say: whether they are reached, how they see this one, and what time it is.

use std::net::SocketAddr;
use std::time::Duration;

use tng::{Connection, ConnectionEvent, Endpoint, FirstData, PathTaken, Request, ServeOptions, shown_address};
use tng_base::Eid;
use tng_services::seen::{SEEN_LEN, SERVICE, Seen};
use tokio::time::{sleep, timeout};

use super::{Finding, clock, nat};
use crate::allowance::TimeArgs;
use crate::clock::{now, since_1970};
use crate::failure::Failure;
use crate::host::bind_failure;
use crate::location::Location;
use crate::peer::connect;
use crate::talk::Talk;
use crate::via::{CARRIED, Words};

/// How long a peer may take to say how it sees this host.
const SAID_WITHIN: Duration = Duration::from_secs(5);

/// How long a path by way of a relay may take to become direct.
const DIRECT_WITHIN: Duration = Duration::from_secs(5);

/// The pause between two questions to a peer meanwhile.
const ASKED_EVERY: Duration = Duration::from_millis(100);

/// Has an endpoint say to peers from where it hears them, and what time it has.
///
/// # Errors
/// If it does already.
pub fn answer(endpoint: &Endpoint) -> Result<(), Failure> {
    // Where who asks only seems to be is nothing to tell.
    let options = ServeOptions { first_data: FirstData::Proven, request_max: 0, ..ServeOptions::default() };
    let say = async |request: Request| {
        let clock_ms = u64::try_from(since_1970().as_millis()).unwrap_or(u64::MAX);
        let address = request.remote_address();
        address.map(|address| Seen { address, clock_ms }.to_bytes().to_vec()).ok_or(0_u64)
    };
    endpoint.serve_with(SERVICE, options, say).map_err(bind_failure)
}

/// What one host was found to be.
struct Asked {
    findings: Vec<Finding>,
    seen: Option<SocketAddr>,
}

/// Asks these hosts, all from one socket, and adds what each of them comes to when it is known.
pub async fn ask(endpoint: &Endpoint, hosts: &[Location], time: TimeArgs, findings: &mut Vec<Finding>, talk: Talk) {
    let mut seen = Vec::new();
    for host in hosts {
        let asked = ask_one(endpoint, host, time, talk).await;
        findings.extend(asked.findings);
        seen.extend(asked.seen);
    }
    if hosts.is_empty() {
        findings.push(Finding::not_asked("peer", "tng doctor PEER, a ticket or EID@host:port"));
    }
    if !findings.iter().any(|finding| finding.name == "clock") {
        findings.push(clock::not_asked());
    }
    findings.push(nat::judge(&tng::local_addresses(endpoint.local_addr()), &seen));
}

async fn ask_one(endpoint: &Endpoint, host: &Location, time: TimeArgs, talk: Talk) -> Asked {
    let began = now();
    let connection = match time.connecting(connect(endpoint, host, talk)).await {
        Ok(connection) => connection,
        Err(failure) => {
            let remedy = if failure.remedy.is_empty() { UNREACHED.to_owned() } else { failure.remedy.clone() };
            let finding = Finding::failed("peer", format!("{}: {}", failure.what, failure.why), remedy);
            return Asked { findings: vec![finding], seen: None };
        }
    };
    let took_ms = began.elapsed().as_secs_f64() * 1e3;
    settle(&connection).await;
    let (path, address) = (connection.path(), connection.remote_address());
    let (at, reached) = reached(host.eid, path.as_ref(), address, took_ms);
    let mut findings = vec![reached];
    let asked = seen_by(&connection).await;
    // By way of a relay it sees the relay's address, and none of this host's.
    let is_direct = |path: Option<PathTaken>| matches!(path, Some(PathTaken::Direct { .. }));
    let is_seen_itself = is_direct(path) && is_direct(connection.path());
    let seen = match asked {
        Ok((seen, asked_at, rtt)) => {
            let own_ms = asked_at.as_millis() as u64;
            findings.push(clock::judge(own_ms, seen.clock_ms, rtt));
            Some(seen.address).filter(|_| is_seen_itself)
        }
        Err(why) => {
            findings.push(Finding::lacking(
                "clock",
                format!("{at} does not say how it sees this host: {why}"),
                "a peer that runs tng serve or tng listen of this version",
            ));
            None
        }
    };
    if let Some(stats) = connection.stats() {
        findings
            .push(Finding::good("path mtu", format!("packets of {} bytes or more pass to {at}", stats.payload_max)));
    }
    connection.close(0, "");
    Asked { findings, seen }
}

/// Waits until a path that leads through a relay at first has become direct, stays as it is, or has had its time.
async fn settle(connection: &Connection) {
    let mut events = connection.events();
    let settled = async {
        while matches!(connection.path(), Some(PathTaken::Helped { .. })) {
            match events.next().await {
                Some(ConnectionEvent::StaysRelayed { .. }) | None => return,
                Some(_) => {}
            }
        }
    };
    // A connection at rest asks for no other way.
    let asking = async {
        loop {
            let _ = seen_by(connection).await;
            sleep(ASKED_EVERY).await;
        }
    };
    let direct = async {
        tokio::select! {
            () = settled => {}
            () = asking => {}
        }
    };
    // What there is by then is told.
    let _ = timeout(DIRECT_WITHIN, direct).await;
}

/// What a host is called in what follows, and how it is reached.
fn reached(host: Eid, path: Option<&PathTaken>, address: Option<SocketAddr>, took_ms: f64) -> (String, Finding) {
    let took = format!("in {took_ms:.0} ms with its key proven");
    match path {
        Some(PathTaken::Helped { helpers, carried: true, .. }) => {
            let relays = Words::none().names(helpers);
            let found = format!("{host} is reached, {took}, by way of the relay {relays}, {}", carried("the relay"));
            (host.to_string(), Finding::lacking("peer", found, UDP_BLOCKED))
        }
        Some(PathTaken::Carried { .. }) => {
            let at = address.map_or_else(|| "nowhere".to_owned(), shown_address);
            let found = format!("{at} is reached, {took}, {}", carried("it"));
            (at, Finding::lacking("peer", found, UDP_BLOCKED))
        }
        Some(PathTaken::Helped { helpers, .. }) => {
            let relays = Words::none().names(helpers);
            let found = format!("{host} is reached, {took}, by way of the relay {relays}; no direct way has opened");
            (host.to_string(), Finding::lacking("peer", found, RELAYED))
        }
        _ => {
            let at = address.map_or_else(|| "nowhere".to_owned(), shown_address);
            let found = format!("{at} is reached, {took}");
            (at, Finding::good("peer", found))
        }
    }
}

/// That a carrier leads to a host, and why.
fn carried(whom: &str) -> String {
    match carrier_is_wanted() {
        true => format!("{CARRIED}, as --carrier says"),
        false => format!("{CARRIED}: UDP is blocked on the way to {whom}, or nothing answers it there"),
    }
}

#[cfg(feature = "carrier")]
fn carrier_is_wanted() -> bool {
    crate::carrier::is_only()
}

#[cfg(not(feature = "carrier"))]
const fn carrier_is_wanted() -> bool {
    false
}

const UDP_BLOCKED: &str = "let UDP out to its port, 4860 if it says no other, and answers in: over TCP all that is \
                           lost holds up the rest (docs/carrier.md)";
const RELAYED: &str = "a NAT that keeps ports and lets introduced hosts in at one of the two ends (docs/relay.md, \
                       \"Behind NATs\"), or a forwarded port";
const UNREACHED: &str = "tng ping with the same target; let UDP out to its port";

/// How the peer sees this host, when it said so by this one's clock, and how long the answer took.
async fn seen_by(connection: &Connection) -> Result<(Seen, Duration, Duration), String> {
    let began = now();
    let asked = timeout(SAID_WITHIN, async { connection.request(SERVICE, Vec::new()).answer_max(SEEN_LEN).await });
    let answer = asked.await.map_err(|_| "no answer".to_owned())?.map_err(|error| error.to_string())?;
    let seen = Seen::read(&answer).map_err(|_| "another answer than is meant".to_owned())?;
    Ok((seen, since_1970(), began.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn the_address_of_a_relay_is_not_told_as_that_of_the_host_behind_it() {
        let [host, relay] = [1, 2].map(|n| Eid::from_bytes([n; 32]));
        let (address, rtt) = ("192.0.2.9:4860".parse().expect("an address"), Duration::from_millis(9));
        let helped = PathTaken::Helped { helpers: vec![relay], carried: false, first: rtt, rest: rtt };
        let (called, finding) = reached(host, Some(&helped), Some(address), 5.0);
        assert_eq!((called, finding.verdict), (host.to_string(), Verdict::Lacking));
        assert!(finding.found.contains(&relay.to_string()) && !finding.found.contains("192.0.2.9"), "{finding:?}");
        // It is by TCP that it is reached: that is told, and no NAT is blamed.
        let by_tcp = PathTaken::Helped { helpers: vec![relay], carried: true, first: rtt, rest: rtt };
        for path in [by_tcp, PathTaken::Carried { rtt }] {
            let (_, finding) = reached(host, Some(&path), Some(address), 5.0);
            assert_eq!(finding.verdict, Verdict::Lacking);
            assert!(finding.found.contains("UDP is blocked") && !finding.remedy.contains("NAT"), "{finding:?}");
        }
        let (called, finding) = reached(host, Some(&PathTaken::Direct { rtt }), Some(address), 5.0);
        assert_eq!((&*called, finding.verdict), ("192.0.2.9:4860", Verdict::Good), "control");
    }
}
