//! What streams cost.

use super::*;

impl Streams {
    /// Bytes of everything that grows with the number of streams.
    fn footprint(&self) -> usize {
        let rings = [&self.control, &self.told, &self.firsts, &self.datagram_turns, &self.brief];
        self.table.footprint()
            + self.scheduler.footprint()
            + rings.map(ring::Ring::footprint).iter().sum::<usize>()
            + self.backlog.capacity() * size_of::<Waiting>()
            + (self.children.len() + self.orphans.len()) * 2 * size_of::<(StreamId, StreamId)>()
    }
}

/// Two ends without anything between them.
struct Direct {
    ends: [Streams; 2],
    number: u64,
}

impl Direct {
    fn new(config: &Config) -> Direct {
        let end = |role| Streams::new(role, config.clone(), services());
        let mut ends = [end(Role::Initiator), end(Role::Responder)];
        for at in 0..2 {
            let item = ends[1 - at].setup_item();
            ends[at].set_peer_setup(&item).expect("good");
        }
        Direct { ends, number: 0 }
    }

    /// Everything that one end has to say reaches the other.
    fn exchange(&mut self, from: usize) {
        let mut buf = [0; 1200];
        while let Some(filled) = self.ends[from].poll_packet(Instant::ZERO, CHANNEL, self.number, &mut buf) {
            let taken = self.ends[1 - from].handle_payload(Instant::ZERO, &buf[..filled.len]);
            assert_eq!(taken, Ok(Taken::All));
            self.ends[from].handle_fates(Instant::ZERO, CHANNEL, self.number..self.number + 1, Fate::Acked);
            self.number += 1;
        }
    }

    fn settle(&mut self) {
        while self.ends.iter_mut().any(|end| end.wants_to_send(Instant::ZERO, CHANNEL)) {
            self.exchange(0);
            self.exchange(1);
        }
        for end in &mut self.ends {
            while end.poll_event().is_some() {}
        }
    }
}

#[test]
fn an_idle_stream_costs_at_most_96_bytes_at_either_side_whatever_it_has_done_before() {
    const COUNT: usize = 10_000;
    let config =
        Config { streams_max: 2 * COUNT as u64, backlog_max: COUNT, unsent_max: 64 << 10, ..Config::default() };
    let mut direct = Direct::new(&config);
    let before = [0, 1].map(|at| direct.ends[at].footprint());
    let ids: Vec<StreamId> = (0..COUNT).map(|_| direct.ends[0].open("www", "http").expect("credit")).collect();
    for &id in &ids {
        direct.ends[0].write(id, b"something").expect("room");
    }
    direct.settle();
    let mut buf = [0; 100];
    while let Some(incoming) = direct.ends[1].accept() {
        assert_eq!(direct.ends[1].read(incoming.id, &mut buf), Ok(Read::Bytes(9)));
        direct.ends[1].write(incoming.id, b"an answer").expect("room");
    }
    direct.settle();
    for &id in &ids {
        assert_eq!(direct.ends[0].read(id, &mut buf), Ok(Read::Bytes(9)));
    }
    direct.settle();
    for (at, before) in before.into_iter().enumerate() {
        let each = (direct.ends[at].footprint() - before) as f64 / COUNT as f64;
        println!("end {at}: {each:.1} bytes a stream, {} of them its own", size_of::<Option<stream::Stream>>());
        assert!(each <= 96.0, "end {at}: {each} bytes");
        let stats = direct.ends[at].stats();
        assert_eq!((stats.streams, stats.pages_held, stats.packets_recorded), (COUNT, 0, 0));
        assert!(stats.pages_free <= FREE_PAGES_KEPT);
    }
}

#[test]
fn streams_that_are_merely_permitted_cost_nothing() {
    let held = |streams_max: u64| {
        let most = streams_max as usize;
        let windows = (streams_max * 100_000, 32 << 20);
        let config = Config { streams_max, backlog_max: most, stream_window: windows.0, ..Config::default() };
        let mut direct = Direct::new(&config);
        for at in 0..50 {
            let id = direct.ends[0].open("www", "http").expect("credit");
            direct.ends[0].write(id, &vec![1; 100 * at]).expect("room");
            direct.settle();
            direct.ends[1].accept().expect("arrived");
        }
        direct.settle();
        direct.ends.map(|end| (end.footprint(), end.bytes_held(), end.stats().pages_free, size_of_val(&end)))
    };
    let (few, many) = (held(100), held(1_000_000));
    for (end, (few, many)) in few.into_iter().zip(many).enumerate() {
        assert!(
            many.0 <= few.0 && many.1 <= few.1 && many.2 <= few.2 && many.3 == few.3,
            "end {end}: {many:?}, not {few:?}"
        );
    }
}

#[test]
fn one_stream_after_a_rest_takes_as_much_room_as_the_first_however_many_there_were_before() {
    let mut direct = Direct::new(&Config { streams_max: 4_000, backlog_max: 2_000, ..Config::default() });
    let mut taken = Vec::new();
    for count in [1, 2_000, 1] {
        let ids: Vec<StreamId> = (0..count).map(|_| direct.ends[0].open("www", "http").expect("credit")).collect();
        for &id in &ids {
            direct.ends[0].write(id, b"x").expect("room");
            direct.ends[0].finish(id).expect("open");
        }
        direct.settle();
        taken.push([0, 1].map(|at| direct.ends[at].footprint()));
        while let Some(incoming) = direct.ends[1].accept() {
            assert_eq!(direct.ends[1].read(incoming.id, &mut [0; 9]), Ok(Read::Bytes(1)));
            assert_eq!(direct.ends[1].read(incoming.id, &mut [0; 9]), Ok(Read::Finished));
            direct.ends[1].finish(incoming.id).expect("open");
        }
        direct.settle();
        for id in ids {
            assert_eq!(direct.ends[0].read(id, &mut [0; 9]), Ok(Read::Finished));
        }
        direct.settle();
        direct.ends.iter_mut().for_each(Streams::shrink);
    }
    println!("with one stream, 2,000, and one again: {taken:?} bytes");
    assert_eq!(taken[2], taken[0]);
    assert!((0..2).all(|at| taken[1][at] > 50 * taken[0][at]), "{taken:?}");
}

impl Streams {
    /// Steps that choosing among streams has taken.
    fn steps(&self) -> u64 {
        let rings = [&self.control, &self.told, &self.firsts, &self.datagram_turns];
        self.scheduler.steps() + rings.iter().map(|ring| ring.steps()).sum::<u64>()
    }
}

/// Steps to choose what goes into 1,000 packets of 100 active streams, of so many open ones, at both ends.
fn steps(open: usize) -> [u64; 2] {
    let config = Config { streams_max: 2 * open as u64, backlog_max: open, ..Config::default() };
    let mut direct = Direct::new(&config);
    let ids: Vec<StreamId> = (0..open).map(|_| direct.ends[0].open("www", "http").expect("credit")).collect();
    direct.settle();
    while direct.ends[1].accept().is_some() {}
    direct.settle();
    let active: Vec<StreamId> = ids.iter().copied().step_by(open / 100).collect();
    let before = [0, 1].map(|at| direct.ends[at].steps());
    for &id in &active {
        direct.ends[0].write(id, &[1; 12_000]).expect("room");
    }
    direct.settle();
    let mut out = [0; 12_000];
    for &id in &active {
        assert_eq!(direct.ends[1].read(id, &mut out), Ok(Read::Bytes(12_000)));
    }
    direct.settle();
    [0, 1].map(|at| direct.ends[at].steps() - before[at])
}

#[test]
fn a_packet_costs_the_same_whether_a_hundred_streams_are_open_or_ten_thousand_of_which_a_hundred_are_active() {
    let (few, many) = (steps(100), steps(10_000));
    println!("steps for 1,000 packets: {few:?} with 100 open streams, {many:?} with 10,000");
    for end in 0..2 {
        assert!(many[end] <= few[end] + few[end] / 20, "end {end}: {} rather than {}", many[end], few[end]);
    }
}

/// `TNG_STREAMS=1000000 cargo test -p tng-semantic streams_one_after_another` runs the full count.
#[test]
fn streams_one_after_another_leave_nothing_behind_even_beside_one_that_stays() {
    let count: u64 = std::env::var("TNG_STREAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let mut direct = Direct::new(&Config::default());
    direct.ends[0].open("www", "http").expect("credit");
    direct.settle();
    let mut after_some = [0; 2];
    for at in 0..count {
        let id = direct.ends[0].open("www", "http").expect("credit");
        direct.ends[0].write(id, b"x").expect("room");
        direct.ends[0].finish(id).expect("open");
        direct.exchange(0);
        while let Some(incoming) = direct.ends[1].accept() {
            if incoming.id == id {
                assert_eq!(direct.ends[1].read(id, &mut [0; 9]), Ok(Read::Bytes(1)));
                assert_eq!(direct.ends[1].read(id, &mut [0; 9]), Ok(Read::Finished));
                direct.ends[1].finish(id).expect("open");
            }
        }
        direct.exchange(1);
        assert_eq!(direct.ends[0].read(id, &mut [0; 9]), Ok(Read::Finished));
        direct.settle();
        if at == 1_000 {
            after_some = [0, 1].map(|at| direct.ends[at].footprint());
        }
    }
    let after = [0, 1].map(|at| direct.ends[at].footprint());
    println!("{count} streams: {after:?} bytes, {after_some:?} after the first thousand");
    assert_eq!(after, after_some, "memory is flat");
    for end in &direct.ends {
        assert!(end.stats().streams == 1 && end.stats().pages_held == 0 && end.stats().pages_free <= 4);
        assert!(end.table.capacity() <= 4 && end.unseen.is_empty());
    }
}
