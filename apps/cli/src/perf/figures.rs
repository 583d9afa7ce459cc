//! What a test has to show, before it is a table or JSON.

use std::net::SocketAddr;
use std::time::Duration;

use tng_base::PeerText;
use tng_services::perf::{Cpu, Direction, LaneResult, Test};

use super::Side;

/// One lane, as it is seen from here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneId {
    /// Its number, from 1, over both directions.
    pub number: usize,
    /// The client sends in it.
    pub client_sends: bool,
    /// This side sends in it.
    pub sends: bool,
}

/// The lanes of a test: those in which the client sends, then the others.
pub fn lanes(test: &Test, side: Side) -> Vec<LaneId> {
    let directions = [true, false].into_iter().filter(|client_sends| match test.direction {
        Direction::Forward => *client_sends,
        Direction::Reverse => !client_sends,
        Direction::Both => true,
    });
    let both = directions.flat_map(|client_sends| std::iter::repeat_n(client_sends, test.lanes));
    let lane =
        |(i, client_sends)| LaneId { number: i + 1, client_sends, sends: client_sends == (side == Side::Client) };
    both.enumerate().map(lane).collect()
}

/// What is known when a test begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    /// This side.
    pub side: Side,
    /// What is measured.
    pub test: Test,
    /// Its lanes.
    pub lanes: Vec<LaneId>,
    /// The address here.
    pub local: SocketAddr,
    /// The address there.
    pub remote: SocketAddr,
    /// What the other side is called: a name or an address, and a port.
    pub host: (String, u16),
    /// Time from one interval's figures to the next; zero for none.
    pub interval: Duration,
    /// The largest UDP payload known to pass, in bytes.
    pub payload_max: usize,
    /// The blocks that were asked for, if the end is a count of them.
    pub blocks: u64,
    /// The other side's EID.
    pub peer: String,
    /// The guest that carries the lanes of this side, if streams do not.
    pub guest: Option<String>,
    /// The path: `direct`, or the helpers on it.
    pub path: String,
    /// A name for the test that no other has.
    pub cookie: String,
    /// When it began, in seconds since 1970.
    pub time: u64,
}

/// A part of a test's time, in seconds from its beginning, or from the beginning of what is omitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    /// Its first moment.
    pub start: f64,
    /// Its last.
    pub end: f64,
}

impl Span {
    /// How long it is.
    pub fn seconds(&self) -> f64 {
        self.end - self.start
    }

    /// So many bytes in this time, in bits per second.
    pub fn rate(&self, bytes: u64) -> f64 {
        rate(bytes, self.seconds())
    }
}

/// Bits per second; 0 in no time at all.
pub fn rate(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 }
}

/// Figures of datagrams.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Datagrams {
    /// Sent, or known to have been.
    pub packets: u64,
    /// Not arrived.
    pub lost: u64,
    /// Arrived after a later one.
    pub out_of_order: u64,
    /// Interarrival jitter in milliseconds.
    pub jitter_ms: f64,
}

impl Datagrams {
    /// Those of a lane's result.
    pub fn of(result: &LaneResult) -> Datagrams {
        let jitter_ms = result.jitter_ns as f64 / 1e6;
        Datagrams { packets: result.packets, lost: result.lost, out_of_order: result.out_of_order, jitter_ms }
    }

    /// The lost part in percent.
    pub fn lost_percent(&self) -> f64 {
        if self.packets > 0 { self.lost as f64 * 100.0 / self.packets as f64 } else { 0.0 }
    }

    /// Those of several lanes together: counts are added, the jitter is the mean.
    pub fn sum(all: impl IntoIterator<Item = Datagrams>) -> Datagrams {
        let (mut sum, mut n) = (Datagrams::default(), 0);
        for one in all {
            sum.packets += one.packets;
            sum.lost += one.lost;
            sum.out_of_order += one.out_of_order;
            sum.jitter_ms += one.jitter_ms;
            n += 1;
        }
        sum.jitter_ms /= f64::from(n.max(1));
        sum
    }
}

/// What a congestion controller of this program has to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Regulated {
    /// Packets found lost in the interval; all of the connection's in its first lane.
    pub retransmits: u64,
    /// Congestion window in bytes.
    pub window: u64,
}

/// Figures of the path, which all lanes share unless guests carry them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// Packets found lost in the interval, and the congestion window in bytes; a guest tells neither.
    pub regulated: Option<Regulated>,
    /// Smoothed round-trip time in microseconds.
    pub rtt_us: u64,
    /// Its variation in microseconds.
    pub rtt_var_us: u64,
    /// The largest UDP payload known to pass, in bytes.
    pub payload_max: u64,
}

impl Path {
    /// With so many packets found lost, if that is known.
    #[must_use]
    pub fn with_retransmits(mut self, retransmits: u64) -> Path {
        if let Some(regulated) = &mut self.regulated {
            regulated.retransmits = retransmits;
        }
        self
    }
}

/// One lane in one interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// The lane.
    pub lane: LaneId,
    /// Bytes that passed.
    pub bytes: u64,
    /// If it carries datagrams.
    pub datagrams: Option<Datagrams>,
    /// If this side sends.
    pub path: Option<Path>,
}

/// All lanes in one interval.
#[derive(Clone, PartialEq, Debug)]
pub struct Interval {
    /// Its time.
    pub span: Span,
    /// It is not counted.
    pub omitted: bool,
    /// Its lanes.
    pub rows: Vec<Row>,
}

/// One lane over the whole test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneEnd {
    /// The lane.
    pub lane: LaneId,
    /// What its sender counted.
    pub sender: LaneResult,
    /// What its receiver counted.
    pub receiver: LaneResult,
}

/// What both sides have counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finish {
    /// The lanes.
    pub lanes: Vec<LaneEnd>,
    /// What it cost this side.
    pub here: Cpu,
    /// What it cost the other.
    pub there: Cpu,
    /// The controller here.
    pub controller_here: PeerText,
    /// The controller there.
    pub controller_there: PeerText,
}

/// The directions of a test, that of the client first: whether the client sends.
pub fn directions(lanes: impl Iterator<Item = LaneId> + Clone) -> impl Iterator<Item = bool> {
    [true, false].into_iter().filter(move |client_sends| lanes.clone().any(|lane| lane.client_sends == *client_sends))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_services::perf::End;

    fn test(direction: Direction) -> Test {
        let end = End::After(1);
        let (lanes, block_len) = (2, 1);
        Test { direction, datagrams: false, wants_output: false, lanes, end, omit_ms: 0, block_len, rate: 0, burst: 0 }
    }

    #[test]
    fn lanes_have_the_same_numbers_on_both_sides_and_the_clients_come_first() {
        for (direction, client_sends) in [
            (Direction::Forward, &[true, true][..]),
            (Direction::Reverse, &[false, false]),
            (Direction::Both, &[true, true, false, false]),
        ] {
            let (here, there) = (lanes(&test(direction), Side::Client), lanes(&test(direction), Side::Server));
            assert_eq!(here.iter().map(|lane| lane.client_sends).collect::<Vec<_>>(), client_sends);
            for (i, (here, there)) in here.iter().zip(&there).enumerate() {
                assert_eq!((here.number, there.number), (i + 1, i + 1));
                assert_eq!((here.sends, there.sends), (here.client_sends, !here.client_sends));
            }
        }
    }

    #[test]
    fn counts_of_datagrams_are_added_and_jitter_is_not() {
        let one = Datagrams { packets: 10, lost: 1, out_of_order: 2, jitter_ms: 3.0 };
        let sum = Datagrams::sum([one, Datagrams { jitter_ms: 1.0, ..one }]);
        assert_eq!(sum, Datagrams { packets: 20, lost: 2, out_of_order: 4, jitter_ms: 2.0 });
        assert_eq!((sum.lost_percent(), Datagrams::sum([]).lost_percent()), (10.0, 0.0));
    }

    #[test]
    fn a_rate_in_no_time_is_none() {
        assert_eq!((rate(100, 0.0), rate(100, 2.0)), (0.0, 400.0));
    }
}
