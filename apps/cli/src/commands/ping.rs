//! `tng ping`: how far away a peer is.

use std::time::Duration;

use clap::Args;
use serde_json::json;
use tng::{Cipher, Endpoint};
use tng_services::ping::PING_LEN;

use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{attend, client};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser};
use crate::peer;
use crate::pings::ping;
use crate::talk::Talk;
use crate::via::{ViaArgs, Words};

/// Shown before everything else in `tng ping --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng ping TICKET                four round trips to a `tng serve` or `tng
                                 listen`
  tng ping -c 100 -i 0.1 TICKET  a hundred, ten a second
  tng ping --registry REGISTRY tng://EID
                                 a host that a registry finds; or set
                                 TNG_REGISTRY
  tng ping --via HELPER TICKET   through a relay, with the round trip of each
                                 section";

/// Arguments of `tng ping`.
#[derive(Args, Debug)]
pub struct PingArgs {
    /// Host to ping: a ticket, EID@host:port, or a name from ~/.config/tng/config.toml
    #[arg(value_name = "TARGET", value_parser = LocationParser)]
    target: Location,
    /// Number of pings
    #[arg(short, long, value_name = "N", default_value_t = 4)]
    count: u64,
    /// Seconds between an answer and the next ping
    #[arg(short, long, value_name = "S", default_value = "1", value_parser = seconds)]
    interval: Duration,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    key: KeyArgs,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "write a number of seconds, such as 0.2".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Round trips that were measured.
#[derive(Default)]
struct Tally {
    sent: u64,
    times_ms: Vec<f64>,
    /// How long nothing came when a path was lost last.
    last_gap: Option<Duration>,
}

/// Times to remember; more are only counted.
pub const TIMES_MAX: usize = 1 << 20;

/// Measures round trips of requests: the peer's program, its transport and the network together.
///
/// # Errors
/// If there is no connection, or it breaks.
pub async fn run(args: &PingArgs, talk: Talk) -> Result<(), Failure> {
    let endpoint = client(args.key.load_or_create()?).await?;
    let mut tally = Tally::default();
    let ended = attend(&endpoint, args.time.whole(pings(&endpoint, args, talk, &mut tally))).await;
    tally.tell(talk);
    match ended {
        // Who stops it has seen enough.
        Err(failure) if failure.exit == Exit::Interrupted && !tally.times_ms.is_empty() => Ok(()),
        ended => ended,
    }
}

async fn pings(endpoint: &Endpoint, args: &PingArgs, talk: Talk, tally: &mut Tally) -> Result<(), Failure> {
    let target = args.via.to(&args.target)?;
    let connection = args.time.connecting(peer::connect(endpoint, &target, talk)).await?;
    let words = Words::of(&target);
    let cipher = connection.stats().map_or("nothing known", |stats| cipher_name(stats.cipher));
    for number in 0..args.count {
        if number > 0 {
            tokio::time::sleep(args.interval).await;
        }
        tally.sent += 1;
        let time = ping(&connection, number).await;
        let time = time.map_err(|error| peer::stream_failure("waiting for a ping", &error, Exit::Receive))?;
        let time_ms = time.as_secs_f64() * 1e3;
        if tally.times_ms.len() < TIMES_MAX {
            tally.times_ms.push(time_ms);
        }
        let address = connection.remote_address().map(tng::shown_address);
        let shown = address.as_deref().unwrap_or("nowhere");
        let path = connection.path();
        let split = words.split(path.as_ref()).map_or_else(String::new, |split| format!(", {split}"));
        talk.payload(format_args!(
            "{PING_LEN} bytes from {}, {} at {shown}, {cipher}: number {number}, {time_ms:.3} ms{split}",
            connection.peer(),
            words.word(path.as_ref())
        ));
        let mut fields = words.fields(&connection);
        let own = json!({ "number": number, "rtt_ms": time_ms, "address": address, "cipher": cipher });
        fields.extend(own.as_object().cloned().unwrap_or_default());
        talk.event("ping", &fields.into());
        tally.last_gap = connection.last_gap();
    }
    Ok(())
}

const fn cipher_name(cipher: Cipher) -> &'static str {
    match cipher {
        Cipher::Aes128Gcm => "AES-128-GCM",
        Cipher::ChaCha20Poly1305 => "ChaCha20-Poly1305",
        Cipher::WeakChecksum => "a keyed checksum, no secrecy",
    }
}

impl Tally {
    fn tell(&self, talk: Talk) {
        let times = &self.times_ms;
        if times.is_empty() {
            return;
        }
        let (min, max) = times.iter().fold((f64::MAX, 0.0_f64), |(min, max), time| (min.min(*time), max.max(*time)));
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let (sent, back) = (self.sent, times.len());
        let gap_ms = self.last_gap.map(|gap| gap.as_secs_f64() * 1e3);
        let gap = gap_ms.map_or_else(String::new, |gap| format!("; last gap {gap:.1} ms"));
        talk.payload(format_args!(
            "{sent} sent, {back} back; min {min:.3} ms, mean {mean:.3} ms, max {max:.3} ms{gap}"
        ));
        let mut fields =
            json!({ "sent": sent, "back": back, "rtt_min_ms": min, "rtt_mean_ms": mean, "rtt_max_ms": max });
        if let Some(gap) = gap_ms {
            fields["last_gap_ms"] = gap.into();
        }
        talk.event("done", &fields);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_number_of_seconds_that_can_be_waited() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["", "x", "-1", "nan", "inf"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
