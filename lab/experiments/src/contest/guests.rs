//! Guests beside the reference TCP.

use core::time::Duration;

use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};
use tng_stp_host::Cap;

use super::{Contest, Party, Transport};
use crate::guests::{Guest, GuestRun, Ran};

fn alone(transport: Transport, rtt_ms: u64, loss: f64, seed: u64) -> f64 {
    let queue = QueueConfig::DropTail(Limit::Packets(100));
    let bottleneck = Link::new().rate(10_000_000).delay(Duration::from_millis(rtt_ms / 2)).queue(queue);
    let loss = if loss > 0.0 { Loss::Independent(loss) } else { Loss::None };
    let parties = vec![Party::new(transport, "newreno")];
    let contest = Contest { seed, bottleneck, loss, jitter: Duration::ZERO, parties };
    contest.rates_bps(Duration::from_secs(2), Duration::from_secs(32))[0]
}

#[test]
fn table() {
    for (rtt, loss) in [(20, 0.01), (50, 0.002), (50, 0.01), (100, 0.005), (200, 0.002)] {
        let run = |guest, ran| Transport::Stp(GuestRun { guest, ran, cap: Cap::Equation });
        let all = [
            Transport::Tcp,
            run(Guest::NewReno, Ran::Free),
            run(Guest::NewReno, Ran::Policed),
            run(Guest::Sack, Ran::Policed),
            run(Guest::Flood, Ran::Policed),
        ];
        let mean = |transport| (1..=3).map(|seed| alone(transport, rtt, loss, seed)).sum::<f64>() / 3e6;
        let all: Vec<String> = all.into_iter().map(|it| format!("{} {:.2}", it.name(), mean(it))).collect();
        println!("{rtt} ms {loss}: {}", all.join(", "));
    }
}
