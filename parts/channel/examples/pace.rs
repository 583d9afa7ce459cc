//! What a packet costs beyond its armor: `cargo run --release -p tng-channel --example pace`.
//!
//! A sender fills batches of 64 packets of 1,400 bytes, a receiver takes them and acknowledges each batch once; no
//! armor, one regulation without limit. Times are per packet. The floor is the same copy of the payload alone.
#![allow(clippy::disallowed_methods, reason = "measuring real time is the purpose")]

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant as Clock};

use tng_base::{ChannelId, ChannelKey, Ecn, Fate, Filled, Instant, Protocol, Rng, Taken, Violation};
use tng_channel::testing::NoArmor;
use tng_channel::{Channel, Config, Poll};
use tng_congestion::{Choice, Regulation, RegulationConfig};

const PACKET: usize = 1_400;
const BATCH: usize = 64;
const BATCHES: u64 = 20_000;

/// Sends the same bytes for ever.
struct Source {
    bytes: Vec<u8>,
    wants: bool,
    taken: u64,
}

impl Protocol for Source {
    fn handle_packet(
        &mut self,
        _: Instant,
        _: ChannelKey,
        _: u64,
        _: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        self.taken += payload.len() as u64;
        Ok(Taken::All)
    }
    fn replay_safe(&self, _payload: &[u8]) -> bool {
        true
    }
    fn poll_packet(&mut self, _: Instant, _: ChannelKey, _: u64, buf: &mut [u8]) -> Option<Filled> {
        buf.copy_from_slice(&self.bytes[..buf.len()]);
        Some(Filled { len: buf.len() })
    }
    fn wants_to_send(&mut self, _now: Instant, _channel: ChannelKey) -> bool {
        self.wants
    }
    fn handle_fates(&mut self, _: Instant, _: ChannelKey, numbers: Range<u64>, fate: Fate) {
        black_box((numbers, fate));
    }
}

struct End {
    channel: Channel,
    regulation: Regulation,
    above: Source,
}

fn end(which: u64, wants: bool) -> End {
    let config = Config::new(ChannelKey(which), ChannelId::from_u64(which), Rng::from_u64(which));
    let settings = RegulationConfig { mtu: PACKET as u16, ..RegulationConfig::default() };
    let regulation = "unlimited".parse::<Choice>().expect("a controller").regulation(settings);
    let above = Source { bytes: vec![0x5a; PACKET], wants, taken: 0 };
    End { channel: Channel::new(config, Box::new(NoArmor), Instant::ZERO), regulation, above }
}

fn main() {
    for (name, lose_every) in [("no loss", u64::MAX), ("1 % loss", 100)] {
        measure(name, lose_every);
    }
    let (source, mut target) = (vec![0x5a; PACKET], vec![0; PACKET * BATCH]);
    let start = Clock::now();
    for _ in 0..BATCHES {
        for packet in target.chunks_exact_mut(PACKET) {
            packet.copy_from_slice(black_box(&source));
        }
        black_box(&mut target);
    }
    println!("copy alone: {:.1} ns", per_packet(start.elapsed()));
}

fn per_packet(time: Duration) -> f64 {
    time.as_nanos() as f64 / (BATCHES * BATCH as u64) as f64
}

fn measure(name: &str, lose_every: u64) {
    let (mut sender, mut receiver) = (end(1, true), end(2, false));
    let mut now = Instant::from_millis(1);
    let mut batch = vec![0; PACKET * BATCH];
    let mut ack = vec![0; PACKET];
    let (mut send, mut receive, mut reply, mut learn) =
        (Duration::ZERO, Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut acks: std::collections::VecDeque<Vec<u8>> = std::collections::VecDeque::new();
    let mut count = 0u64;
    for _ in 0..BATCHES {
        now += Duration::from_micros(100);
        let start = Clock::now();
        for packet in batch.chunks_exact_mut(PACKET) {
            let poll = sender.channel.poll_packet(now, Some(&mut sender.regulation), packet, &mut sender.above);
            assert!(matches!(black_box(poll), Poll::Packet(_)), "{poll:?}");
        }
        send += start.elapsed();
        let start = Clock::now();
        for packet in batch.chunks_exact_mut(PACKET) {
            count += 1;
            if !count.is_multiple_of(lose_every) {
                let End { channel, regulation, above } = &mut receiver;
                let result = channel.handle_packet(now, Ecn::Ect0, packet, Some(regulation), above);
                assert!(black_box(&result).is_ok(), "{result:?}");
            }
        }
        receive += start.elapsed();
        let start = Clock::now();
        let poll = receiver.channel.poll_packet(now, Some(&mut receiver.regulation), &mut ack, &mut receiver.above);
        let Poll::Packet(sealed) = poll else { panic!("an acknowledgment is due") };
        reply += start.elapsed();
        acks.push_back(ack[..sealed.len].to_vec());
        // A window of 64 batches is under way.
        if acks.len() > 64 {
            let mut packet = acks.pop_front().expect("not empty");
            let start = Clock::now();
            let End { channel, regulation, above } = &mut sender;
            channel.handle_packet(now, Ecn::Ect0, &mut packet, Some(regulation), above).expect("honest");
            channel.handle_timeout(now, Some(regulation), above);
            learn += start.elapsed();
        }
    }
    println!(
        "{name}: send {:.1} ns, receive {:.1} ns, make acknowledgment {:.1} ns, take acknowledgment {:.1} ns ({} lost)",
        per_packet(send),
        per_packet(receive),
        per_packet(reply),
        per_packet(learn),
        sender.channel.stats().lost,
    );
}
