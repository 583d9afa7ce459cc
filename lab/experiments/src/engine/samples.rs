//! What is looked at once in every interval of a run.

use tng_sim::{LinkId, Node, QueueLook, World};

/// Series of all flows and links, as far as the run has come.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// By flow: smoothed round-trip time at the sender, where it is known.
    pub(crate) rtts_s: Vec<Vec<Option<f64>>>,
    /// By link: forth and back.
    pub(crate) links: Vec<[LaneSeries; 2]>,
}

/// One direction of a link.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneSeries {
    /// Bytes waiting at the end of each interval.
    pub(crate) queue_bytes: Vec<u64>,
    /// Most that waited in it.
    pub(crate) queue_bytes_max: Vec<u64>,
    /// Packets dropped in it.
    pub(crate) dropped: Vec<u64>,
    dropped_before: u64,
}

impl Samples {
    /// Of so many flows and links.
    pub(crate) fn new(flows: usize, links: usize) -> Samples {
        let mut samples = Samples::default();
        samples.rtts_s.resize_with(flows, Vec::new);
        samples.links.resize_with(links, Default::default);
        samples
    }

    /// An interval is over.
    pub(crate) fn take<N: Node>(
        &mut self,
        world: &mut World<N>,
        links: &[LinkId],
        rtts_s: impl Iterator<Item = Option<f64>>,
    ) {
        self.rtts_s.iter_mut().zip(rtts_s).for_each(|(series, rtt_s)| series.push(rtt_s));
        for (series, link) in self.links.iter_mut().zip(links) {
            for (series, lane) in series.iter_mut().zip(link.lanes()) {
                let (look, dropped) = (world.look(lane), world.stats(lane).dropped());
                series.push(look, dropped);
            }
        }
    }
}

impl LaneSeries {
    /// An interval is over; so many were dropped since the run began.
    pub(crate) fn push(&mut self, look: QueueLook, dropped: u64) {
        self.queue_bytes.push(look.bytes);
        self.queue_bytes_max.push(look.bytes_max);
        self.dropped.push(dropped - self.dropped_before);
        self.dropped_before = dropped;
    }
}
