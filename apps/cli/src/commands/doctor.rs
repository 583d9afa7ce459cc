//! `tng doctor`: what of this machine and its network stands in the way.

use clap::Args;
use serde_json::json;
use tng::Identity;

use crate::allowance::TimeArgs;
use crate::doctor::{Finding, Verdict, machine, network, peers};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{attend, client};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser};
use crate::talk::Talk;

/// Shown before everything else in `tng doctor --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng doctor                       check this machine: sockets, buffers, links,
                                   devices, namespaces
  tng doctor TICKET                also the path to that host, how it sees this
                                   one, and its clock
  tng doctor TICKET EID@host:port  with two hosts: what kind of NAT is between
  tng --json doctor                one event per check

Missing features cost speed, or some commands; a failed check gives exit code 1.";

/// Arguments of `tng doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Hosts to check the path to: tickets, EID@host:port, or names from ~/.config/tng/config.toml
    #[arg(value_name = "PEER", value_parser = LocationParser)]
    peers: Vec<Location>,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// Who this host is. Without a key file it is somebody for the time being, so that the rest can be looked at.
fn identity(key: &KeyArgs) -> Result<(Identity, Finding), Failure> {
    match key.load_or_create() {
        Ok(identity) => {
            let found = format!("this host is {}", identity.eid());
            Ok((identity, Finding::good("key file", found)))
        }
        Err(failure) => {
            let seed = tng::random_seed().map_err(|error| Failure::read("drawing random numbers", &error))?;
            Ok((Identity::from_seed(seed), Finding::of("key file", &failure)))
        }
    }
}

/// Looks at everything, and says what to try where something is not as it should be.
///
/// # Errors
/// If something does not work that has to.
pub async fn run(args: &DoctorArgs, talk: Talk) -> Result<(), Failure> {
    let mut findings = network::sockets().await;
    findings.extend([network::links(), machine::buffers(), machine::tun(), machine::namespaces()]);
    let (identity, key) = identity(&args.key)?;
    findings.push(key);
    let asked = match client(identity).await {
        Ok(endpoint) => {
            let quiet = Talk { json: false, quiet: true, ..talk };
            let asking = peers::ask(&endpoint, &args.peers, args.time, &mut findings, quiet);
            let asking = async {
                asking.await;
                Ok(())
            };
            match attend(&endpoint, args.time.whole(asking)).await {
                // What was found so far is told.
                Err(failure) if failure.exit == Exit::Timeout => Err(failure),
                ended => Ok(ended?),
            }
        }
        Err(failure) => {
            findings.push(Finding::of("endpoint", &failure));
            Ok(())
        }
    };
    for finding in &findings {
        talk.payload(finding.rows());
        talk.event("check", &finding.to_json());
    }
    let count = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let (failed, lacking) = (count(Verdict::Failed), count(Verdict::Lacking));
    talk.event("done", &json!({ "checks": findings.len(), "failed": failed, "lacking": lacking }));
    asked?;
    match failed {
        0 => Ok(()),
        _ => Err(Failure::new(Exit::Unmet, "looking at this machine", format!("{failed} of {} fail", findings.len()))
            .or_try("what stands beside each")),
    }
}
