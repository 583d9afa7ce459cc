//! One direction of a link without a world around it.

use core::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use tng_base::{Ecn, Instant};

use crate::lane::{Arrival, Context, Lane};
use crate::link::{Carrier, Link};
use crate::packet::Pool;
use crate::recorder::Recorder;
use crate::schedule::{Event, Schedule};
use crate::stats::{LaneStats, QueueLook};

/// Nobody asks where a packet comes from or goes to.
const NOWHERE: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));

/// The queue, sender, wire and faults of one direction of a [`Link`], on a clock that the caller reads: the same that a
/// world's links are made of, for packets that come from elsewhere.
///
/// What should happen at a time happens as of that time, however late [`advance`](LiveLane::advance) is called: a
/// caller that is late now and then delivers late, but the rate of the link does not suffer.
pub struct LiveLane {
    lane: Lane,
    schedule: Schedule,
    recorder: Recorder,
    pool: Pool,
    now: Instant,
}

impl LiveLane {
    /// A lane like `link`. The lots it draws are those of lane `number` of a world with this seed.
    pub fn new(seed: u64, number: usize, link: Link) -> LiveLane {
        LiveLane {
            lane: Lane::new(number, seed, link),
            schedule: Schedule::default(),
            recorder: Recorder::default(),
            pool: Pool::default(),
            now: Instant::ZERO,
        }
    }

    /// The parameters.
    pub fn link(&self) -> &Link {
        self.lane.link()
    }

    /// What the lane has seen, as of the last call.
    pub fn stats(&self) -> LaneStats {
        self.lane.stats(self.now)
    }

    /// Looks at the queue.
    pub fn look(&mut self) -> QueueLook {
        self.lane.look()
    }

    /// When something happens next; nothing does by itself before that.
    pub fn next(&self) -> Option<Instant> {
        self.schedule.next()
    }

    /// Takes a packet from the node at the near end. The link charges for the bytes of `packet` and no others. Call
    /// [`advance`](LiveLane::advance) before it.
    pub fn offer(&mut self, now: Instant, ecn: Ecn, packet: &[u8]) {
        let mut packet = self.pool.packet(NOWHERE, NOWHERE, ecn, packet);
        packet.whole = true;
        self.act(now, |lane, context| lane.offer(context, packet));
    }

    /// Lets happen what is due by `now`. What reaches the far end goes to `out`, in order, with the time when it was
    /// due there and its ECN codepoint, which need not be the one that it was offered with. Notices of losses
    /// ([`Link::notices`](crate::Link::notices)) go nowhere.
    pub fn advance(&mut self, now: Instant, mut out: impl FnMut(Instant, Ecn, &[u8])) {
        while let Some((time, event)) = self.schedule.pop_until(now) {
            match event {
                Event::Sent(_) => self.act(time, |lane, context| lane.handle_sent(context)),
                Event::Arrival(_) if self.lane.expects_arrival(time) => {
                    self.now = self.now.max(time);
                    while let Some(arrival) = self.lane.take_arrival(time) {
                        let packet = match arrival {
                            Arrival::Packet(packet) => {
                                out(time, packet.ecn, &packet.payload);
                                packet
                            }
                            Arrival::Notice(packet) => packet,
                        };
                        self.pool.recycle(packet);
                    }
                    self.lane.schedule_arrival(&mut self.schedule);
                }
                Event::Arrival(_) | Event::Node(_) | Event::Operation(_) => {}
            }
        }
        self.now = self.now.max(now);
    }

    /// Changes the parameters from now on, as [`World::change`](crate::World::change) does.
    pub fn change(&mut self, now: Instant, link: Link) {
        self.act(now, |lane, context| lane.set_link(context, link));
    }

    /// Changes whether the lane carries anything.
    pub fn set_carrier(&mut self, now: Instant, carrier: Carrier) {
        self.act(now, |lane, context| lane.set_carrier(context, carrier));
    }

    fn act(&mut self, now: Instant, act: impl FnOnce(&mut Lane, &mut Context<'_>)) {
        self.now = self.now.max(now);
        let (schedule, recorder, pool) = (&mut self.schedule, &mut self.recorder, &mut self.pool);
        act(&mut self.lane, &mut Context { now: self.now, schedule, recorder, pool });
    }
}
