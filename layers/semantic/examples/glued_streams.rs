//! How fast streams alone are: two ends glued together, no channel, no network.
//!
//! `cargo run --release -p tng-semantic --example glued_streams`

#![allow(clippy::disallowed_methods, reason = "this program measures time")]

use std::fs;
use std::time::{Duration, Instant as Clock};

use tng_base::{ChannelKey, Fate, Instant, Protocol, Taken};
use tng_semantic::structured::{Config, Read, Role, ServiceOptions, Services, StreamId, Streams};

const CHANNEL: ChannelKey = ChannelKey(0);
const PACKET: usize = 1400;
const BATCH: usize = 46;

struct Ends {
    a: Streams,
    b: Streams,
    number: u64,
    /// Numbers below have met their fate.
    acked: u64,
    /// Time spent in each end.
    spent: [Duration; 2],
    packets: u64,
}

fn ends() -> Ends {
    let mut services = Services::new();
    services.listen("bench", "bulk", ServiceOptions::default());
    let mut a = Streams::new(Role::Initiator, Config::default(), services.clone());
    let mut b = Streams::new(Role::Responder, Config::default(), services);
    b.set_peer_setup(&a.setup_item()).expect("good");
    a.set_peer_setup(&b.setup_item()).expect("good");
    Ends { a, b, number: 0, acked: 0, spent: [Duration::ZERO; 2], packets: 0 }
}

impl Ends {
    fn open(&mut self) -> StreamId {
        self.a.open("bench", "bulk").expect("credit");
        let mut buf = [0; PACKET];
        let filled = self.a.poll_packet(Instant::ZERO, CHANNEL, self.number, &mut buf).expect("an opening");
        self.b.handle_payload(Instant::ZERO, &buf[..filled.len]).expect("good");
        self.a.handle_fates(Instant::ZERO, CHANNEL, self.number..self.number + 1, Fate::Acked);
        self.number += 1;
        self.b.accept().expect("arrived").id
    }

    /// Moves `total` bytes, spread over `ids`, `flight` batches in flight.
    fn bulk(&mut self, ids: &[StreamId], total: u64, flight: u64) {
        let chunk = vec![0x5a; 64 << 10];
        let mut sink = vec![0; 64 << 10];
        let mut batch = vec![0; PACKET * BATCH];
        let (mut read, mut turn) = (0, 0);
        while read < total {
            let began = Clock::now();
            let id = ids[turn % ids.len()];
            turn += 1;
            while self.a.write(id, &chunk).is_ok_and(|n| n == chunk.len()) {}
            let mut sizes = [0; BATCH];
            for (i, slot) in batch.chunks_mut(PACKET).enumerate() {
                let Some(filled) = self.a.poll_packet(Instant::ZERO, CHANNEL, self.number + i as u64, slot) else {
                    break;
                };
                sizes[i] = filled.len;
            }
            let sent = Clock::now();
            for (slot, len) in batch.chunks(PACKET).zip(sizes).filter(|(_, len)| *len > 0) {
                let taken = self.b.handle_payload(Instant::ZERO, &slot[..len]);
                assert_eq!(taken, Ok(Taken::All));
                self.packets += 1;
            }
            for &id in ids {
                while let Ok(Read::Bytes(n)) = self.b.read(id, &mut sink) {
                    read += n as u64;
                }
            }
            let received = Clock::now();
            self.number += sizes.iter().filter(|len| **len > 0).count() as u64;
            let due = self.number.saturating_sub(flight * BATCH as u64).max(self.acked);
            for number in self.acked..due {
                self.a.handle_fates(Instant::ZERO, CHANNEL, number..number + 1, Fate::Acked);
            }
            self.acked = due;
            while self.a.poll_event().is_some() {}
            let settled = Clock::now();
            while self.b.poll_event().is_some() {}
            let mut back = [0; PACKET];
            while let Some(filled) = self.b.poll_packet(Instant::ZERO, CHANNEL, self.number, &mut back) {
                self.a.handle_payload(Instant::ZERO, &back[..filled.len]).expect("good");
                self.b.handle_fates(Instant::ZERO, CHANNEL, self.number..self.number + 1, Fate::Acked);
                self.number += 1;
            }
            let ended = Clock::now();
            self.spent[0] += (sent - began) + (settled - received);
            self.spent[1] += (received - sent) + (ended - settled);
        }
    }
}

/// Time that this thread has had a processor, where the system tells (Linux); else the time of day.
fn busy() -> Duration {
    let told = fs::read_to_string("/proc/self/schedstat").ok();
    let ns = told.and_then(|text| text.split(' ').next()?.parse().ok());
    ns.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

static START: std::sync::LazyLock<Clock> = std::sync::LazyLock::new(Clock::now);

fn report(what: &str, streams: usize, total: u64, flight: u64) {
    let mut ends = ends();
    let ids: Vec<_> = (0..streams).map(|_| ends.open()).collect();
    ends.bulk(&ids, total / 10, flight);
    ends.spent = [Duration::ZERO; 2];
    ends.packets = 0;
    let began = busy();
    ends.bulk(&ids, total, flight);
    let both = busy() - began;
    let share = ends.spent[0].as_secs_f64() / (ends.spent[0] + ends.spent[1]).as_secs_f64();
    let per_packet = both.as_nanos() as f64 / ends.packets as f64;
    println!(
        "{what}: {:.2} GB/s; per packet of {PACKET} bytes: sender {:.0} ns, receiver {:.0} ns; {:?}",
        total as f64 / both.as_secs_f64() / 1e9,
        per_packet * share,
        per_packet * (1.0 - share),
        ends.a.stats(),
    );
}

fn churn(count: u64) {
    let mut ends = ends();
    let mut buf = [0; PACKET];
    let began = busy();
    for number in 0..count {
        let id = ends.a.open("bench", "bulk").expect("credit");
        ends.a.write(id, b"question").expect("room");
        ends.a.finish(id).expect("open");
        pass(&mut ends.a, &mut ends.b, number, &mut buf);
        let id = ends.b.accept().expect("arrived").id;
        while let Ok(Read::Bytes(_)) = ends.b.read(id, &mut [0; 64]) {}
        ends.b.write(id, b"answer").expect("room");
        ends.b.finish(id).expect("open");
        pass(&mut ends.b, &mut ends.a, number, &mut buf);
        while let Ok(Read::Bytes(_)) = ends.a.read(id, &mut [0; 64]) {}
        while ends.a.poll_event().is_some() {}
        while ends.b.poll_event().is_some() {}
    }
    let spent = busy() - began;
    println!(
        "{count} streams one after another: {} ns each, both ends; then {:?}",
        spent.as_nanos() as u64 / count,
        ends.a.stats()
    );
}

fn pass(from: &mut Streams, to: &mut Streams, number: u64, buf: &mut [u8]) {
    if let Some(filled) = from.poll_packet(Instant::ZERO, CHANNEL, number, buf) {
        to.handle_payload(Instant::ZERO, &buf[..filled.len]).expect("good");
        from.handle_fates(Instant::ZERO, CHANNEL, number..number + 1, Fate::Acked);
    }
}

fn main() {
    report("one stream, 1 batch in flight", 1, 2_000_000_000, 1);
    report("one stream, 64 batches in flight", 1, 2_000_000_000, 64);
    report("100 streams, 16 batches in flight", 100, 2_000_000_000, 16);
    churn(1_000_000);
}
