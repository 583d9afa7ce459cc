//! Structured streams: two ends over a pipe that does what the script says, and one end whose peer says what it likes.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tng_base::{ChannelId, ChannelKey, Ecn, Fate, Instant, Protocol, Rng, Train};
use tng_channel::testing::NoArmor;
use tng_channel::{Channel, Discard};
use tng_semantic::structured::{Config, PARTIAL_AGE_MAX, Role, Services, Streams};

use crate::Target;
use crate::app::{App, services};
use crate::bytes::Script;
use crate::exchange::stateful;
use crate::pair::{Bounds, CONDITIONS, PACKET_MAX, Pair, TRAIN_MAX};

pub(crate) const TARGETS: &[Target] = &[
    // What is allocated is bounded by the windows: every byte of a script may open a stream, write 8 KiB or send a
    // datagram.
    Target { memory: (12 << 20, 40 << 10), ..stateful("streams_pair", 400, (pair, pair_seeds)) },
    // A frame of three bytes may have a page lent for it, within credit.
    Target { memory: (1 << 20, 24 << 10), ..stateful("streams_peer", 600, (peer, peer_seeds)) },
    Target { memory: (1 << 20, 24 << 10), ..stateful("channel_peer", 600, (channel_peer, channel_seeds)) },
];

static OFFERED: LazyLock<Arc<Services>> = LazyLock::new(|| Arc::new(services()));

/// Windows as small as they come, or a little wider.
fn config(byte: u8) -> Config {
    Config {
        stream_window: 4096 + u64::from(byte & 3) * 3000,
        host_window: 4096 + u64::from(byte >> 2 & 3) * 9000,
        streams_max: 16,
        backlog_max: 2 + usize::from(byte >> 4 & 1) * 10,
        datagram_max: 1 << 20,
        unsent_max: 1 + u64::from(byte >> 5) * 2000,
        ..Config::default()
    }
}

/// An INIT with the longest names has to fit.
const BOUNDS: Bounds = Bounds { flights_max: 128, packet_holds_all: 600 };

/// Two ends with their applications.
struct Peers {
    pair: Pair<Streams>,
    apps: [App; 2],
    told: [bool; 2],
}

impl Peers {
    fn new(script: &mut Script<'_>) -> Peers {
        let both = config(script.u8());
        let mode = script.u8();
        let ends = [Role::Initiator, Role::Responder].map(|role| Streams::new(role, both.clone(), OFFERED.clone()));
        let pair = Pair::new(ends, 64 + usize::from(mode >> 1) * 10, BOUNDS);
        let mut peers = Peers { pair, apps: [App::new(0), App::new(1)], told: [false; 2] };
        peers.tell(1);
        if mode & 1 == 0 {
            peers.tell(0);
        }
        peers.pair.attach();
        peers
    }

    /// The other end's set-up item reaches `end`.
    fn tell(&mut self, end: usize) {
        if !core::mem::replace(&mut self.told[end], true) {
            let item = self.pair.ends[1 - end].setup_item();
            self.pair.ends[end].set_peer_setup(&item).expect("a good item");
        }
    }

    fn change_path(&mut self, script: &mut Script<'_>) {
        let condition = CONDITIONS[script.below(3)];
        if let Some(key) = self.pair.channel(script.below(2)) {
            self.pair.ends[script.below(2)].handle_path(self.pair.now, key, condition);
        }
    }

    fn events(&mut self) {
        for (app, streams) in self.apps.iter_mut().zip(&mut self.pair.ends) {
            app.events(streams);
        }
    }

    fn is_clean(&self) -> bool {
        self.pair.flights.is_empty() && self.pair.ends.iter().all(|end| end.is_idle() && end.stats().streams == 0)
    }

    /// From now on nothing is lost: everything that was begun comes to its end.
    fn settle(&mut self) {
        self.tell(0);
        self.pair.packet = self.pair.packet.max(1200);
        self.pair.mend();
        for _ in 0..3000 {
            self.events();
            for (app, streams) in self.apps.iter_mut().zip(&mut self.pair.ends) {
                app.settle(streams);
            }
            self.events();
            let busy = self.pair.exchange(64);
            self.pair.pass(Duration::from_millis(1));
            if !busy && self.apps.iter().all(App::is_done) && self.is_clean() {
                return;
            }
        }
        panic!("stuck: {:?}\n{:?}\n{:#?}", self.pair.ends[0].stats(), self.pair.ends[1].stats(), self.apps);
    }
}

/// Whatever two applications and the network between them do: bytes are exact, everything ends, nothing stays.
fn pair(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut peers = Peers::new(&mut script);
    while !script.is_over() {
        match script.below(8) {
            0..=2 => {
                let end = script.below(2);
                peers.apps[end].act(&mut peers.pair.ends[end], &mut script);
            }
            3 => {
                let end = script.below(2);
                peers.pair.send(end, 1 + script.below(8));
            }
            4..=5 => {
                if peers.pair.network(&mut script) {
                    peers.change_path(&mut script);
                }
            }
            6 => peers.pair.pass(Duration::from_micros(script.number() & 0xf_ffff)),
            _ => peers.tell(0),
        }
        peers.events();
    }
    peers.settle();
    peers.pair.pass(PARTIAL_AGE_MAX);
    for end in &peers.pair.ends {
        let stats = end.stats();
        assert_eq!((stats.pages_held, stats.packets_recorded, stats.bytes_unread), (0, 0, 0), "{stats:?}");
        assert_eq!((stats.datagram_bytes_held, end.poll_timeout()), (0, None), "{stats:?}");
    }
    peers.apps[0].compare(&peers.apps[1]);
}

/// One end, whose peer sends any payload; the application and the channel do as the script says.
fn peer(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let first = script.u8();
    let role = if first & 1 == 0 { Role::Initiator } else { Role::Responder };
    let mut streams = Streams::new(role, config(first >> 1), OFFERED.clone());
    let mut now = Instant::ZERO;
    let channel = ChannelKey(1);
    streams.handle_attach(now, channel);
    let mut ids = Vec::new();
    let mut sent = 0;
    let mut buf = [0; TRAIN_MAX * PACKET_MAX];
    while !script.is_over() {
        match script.below(12) {
            0..=3 => {
                let payload = script.piece();
                let _judged = (streams.replay_safe(payload), streams.repeatable(payload));
                streams.set_early(script.u8() & 7 == 0);
                if streams.handle_payload(now, payload).is_err() {
                    streams.handle_closed();
                }
            }
            4 => {
                if streams.set_peer_setup(script.piece()).is_err() {
                    streams.handle_closed();
                }
            }
            5 => call(&mut streams, &mut script, &mut ids),
            6..=7 => {
                let len = 1 + usize::from(script.u16()) % PACKET_MAX;
                let mut train = Train::new(sent, &mut buf, TRAIN_MAX, len, len);
                streams.poll_train(now, channel, &mut train);
                assert!(train.overfilled().is_none() && (train.packets() == 0 || train.last() > 0));
                sent += train.packets() as u64;
            }
            8 => {
                let fate = [Fate::Acked, Fate::Lost, Fate::Doubtful][script.below(3)];
                let (number, count) = (script.number(), 1 + script.below(TRAIN_MAX) as u64);
                streams.handle_fates(now, channel, number..number.saturating_add(count), fate);
            }
            9 => {
                now += Duration::from_millis(script.number() & 0xffff);
                streams.handle_timeout(now);
            }
            10 => {
                streams.handle_detach(now, channel);
                streams.handle_attach(now, channel);
                sent = 0;
            }
            _ => {
                for id in events(&mut streams) {
                    ids.push(id);
                }
            }
        }
        assert!(streams.bytes_held() < 1 << 20, "more than the windows grant: {:?}", streams.stats());
    }
}

type Ids = Vec<tng_semantic::structured::StreamId>;

/// Accepts what has come.
fn events(streams: &mut Streams) -> Ids {
    use tng_semantic::structured::StreamEvent;
    let mut ids = Vec::new();
    while let Some(event) = streams.poll_event() {
        match event {
            StreamEvent::Incoming => ids.extend(core::iter::from_fn(|| streams.accept()).map(|incoming| incoming.id)),
            StreamEvent::Requested => {
                ids.extend(core::iter::from_fn(|| streams.next_request()).map(|request| request.id));
            }
            StreamEvent::ChildIncoming { parent } if streams.recv_datagram(parent).is_none() => {
                ids.extend(streams.accept_child(parent));
            }
            _ => {}
        }
    }
    ids
}

/// Any call, about any stream that there is or was.
pub(crate) fn call(streams: &mut Streams, script: &mut Script<'_>, ids: &mut Ids) {
    use tng_semantic::structured::Priority;
    let what = script.below(21);
    if what == 0 || ids.is_empty() {
        let (service, protocol) = crate::app::SERVICES[script.below(4)];
        ids.extend(streams.open(service, protocol));
        return;
    }
    let id = ids[script.below(ids.len())];
    let mut buf = [0; 3000];
    let max = usize::from(script.u16()) % buf.len();
    let _answer: Option<()> = match what {
        1 => {
            ids.extend(streams.open_child(id));
            None
        }
        2..=4 => streams.write(id, &buf[..max]).ok().map(drop),
        5 => streams.write_message(id, &buf[..max]).ok().map(drop),
        6 => streams.finish(id).ok(),
        7 => {
            streams.reset(id, script.number());
            Some(())
        }
        8 => {
            streams.stop(id, script.number());
            Some(())
        }
        9 => streams.read(id, &mut buf[..max]).ok().map(drop),
        10 => streams.read_chunk(id, max).ok().map(drop),
        11 => streams.read_message(id, &mut Vec::new(), max).ok().map(drop),
        12 => streams.send_datagram(id, &buf[..max], None).ok(),
        13 => {
            streams.listen_children(id);
            Some(())
        }
        14 => {
            streams.refuse(id, script.number(), "no");
            Some(())
        }
        15 => {
            streams.request_priority(id, Priority { level: Some(script.u8() as i8), weight: script.u8() });
            Some(())
        }
        17 => {
            let (service, protocol) = crate::app::ASKED;
            let asked = streams.request(service, protocol, &buf[..max], Priority::default());
            asked.ok().map(|(id, _)| ids.push(id))
        }
        18 => streams.take_answer(id).ok().map(drop),
        19 => streams.answer(id, &buf[..max]).ok().map(drop),
        16 => {
            streams.set_priority(id, Priority { level: None, weight: script.u8() });
            Some(())
        }
        _ => {
            ids.extend(streams.accept_child(id));
            streams.recv_datagram(id).map(drop)
        }
    };
}

/// A channel and the streams above it, whose peer has the keys and sends any packet.
fn channel_peer(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut now = Instant::ZERO;
    let key = ChannelKey(1);
    let mut streams = Streams::new(Role::Responder, config(script.u8()), OFFERED.clone());
    let config = tng_channel::Config::new(key, ChannelId::from_u64(9), Rng::from_u64(1));
    let mut channel = Channel::new(config, Box::new(NoArmor), now);
    streams.handle_attach(now, key);
    channel.note_setup_received(now, true);
    let mut buf = [0; 1452];
    let mut ids = Vec::new();
    let mut number: u32 = 0;
    while !script.is_over() {
        match script.below(8) {
            0..=3 => {
                let flags = script.u8();
                number = number.wrapping_add(u32::from(flags >> 6) * u32::from(script.u8() & 3));
                let mut packet = vec![0x43 | flags & 0x38, 0, 0, 0, 0, 0, 9];
                packet.extend(number.to_be_bytes());
                packet.extend(script.piece());
                packet.extend([0; 16]);
                let ecn = Ecn::from_bits(flags);
                if let Err(Discard::Violation(violation)) =
                    channel.handle_packet(now, ecn, &mut packet, None, &mut streams)
                {
                    assert!(!violation.reason.is_empty());
                    return;
                }
            }
            4 => call(&mut streams, &mut script, &mut ids),
            5 => {
                channel.set_grant(u64::from(script.u16()));
                for _ in 0..script.below(8) {
                    match channel.poll_packet(now, None, &mut buf, &mut streams) {
                        tng_channel::Poll::Packet(_) => {}
                        _ => break,
                    }
                }
            }
            6 => {
                now += Duration::from_micros(script.number() & 0xff_ffff);
                channel.handle_timeout(now, None, &mut streams);
            }
            _ => {
                ids.extend(events(&mut streams));
                while channel.poll_event().is_some() {}
            }
        }
    }
}

// Seeds

fn pair_seeds() -> Vec<Vec<u8>> {
    let open = [0, 0, 0, 0, 0];
    let write = [1, 0, 2, 0, 4, 0];
    let send = [3, 0, 4];
    let deliver = [4, 0, 0];
    let rest = [4, 1, 0, 0, 0, 11, 0, 2, 0, 100, 200, 3, 1, 4, 8, 0, 4, 7, 0, 6, 5];
    vec![
        [&[0, 0][..], &open, &write, &send, &deliver, &rest].concat(),
        [&[0xff, 0xff][..], &open, &rest, &send].concat(),
    ]
}

fn peer_seeds() -> Vec<Vec<u8>> {
    let packet = |payload: &[u8]| [&[0, 0, payload.len() as u8][..], payload, &[1]].concat();
    let init = packet(&[0x10, 0, 0, 3, b'w', b'w', b'w', 4, b'h', b't', b't', b'p', 0x42, 0, 2, b'o', b'k']);
    let child = packet(&[0x10, 2, 1, 0x18, 4, 1, 0x53, 0, 9, 2, b'o', b'k', 0x40, 4, b'x']);
    let setup = [4, 0, 12, 0x80, 1, 0, 0, 0x80, 1, 0, 0, 0x40, 64, 0, 0];
    vec![
        [&[1][..], &init, &[11], &child, &[11, 5, 2, 0, 0, 9, 6, 4, 0, 8, 0, 0, 10]].concat(),
        [&[0][..], &setup, &[5, 0, 0, 5, 2, 0, 4, 0, 6, 4, 0, 8, 1, 0, 6, 4, 0, 9, 0]].concat(),
    ]
}

fn channel_seeds() -> Vec<Vec<u8>> {
    let packet = |flags: u8, body: &[u8]| [&[0, flags, 1, 0, body.len() as u8][..], body].concat();
    let init = packet(0x41, &[0x10, 0, 0, 3, b'w', b'w', b'w', 4, b'h', b't', b't', b'p', 0x42, 0, 2, b'o', b'k']);
    let ack = packet(0x52, &[1, 0, 0, 0]);
    let control = packet(0x48, &[12, 1, 5, 1, 2, 3, 4, 5, 6, 7, 8, 4, 0]);
    vec![[&[0][..], &init, &[7, 5, 40, 0, 3], &ack, &control, &[6, 0x85, 9, 9, 9, 9, 5, 40, 0, 3]].concat()]
}
