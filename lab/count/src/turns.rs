//! Two ends in memory that take turns, whatever they speak: what happens between their sockets.

use core::ops::AddAssign;
use core::time::Duration;
use std::collections::VecDeque;

use crate::callgrind::the_counted_turn;

/// From one end's turn to the other's: half a round trip.
pub const HALF_TRIP: Duration = Duration::from_micros(25);

/// Batches that there are at each end before any is sent.
const BATCHES: usize = 64;

/// One of the two ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Connects.
    Client,
    /// Accepts.
    Server,
}

/// What lies between an end and its socket, and when it is woken.
pub struct Desk<N, B> {
    pub deadline: Option<N>,
    /// It would be woken without the network or a timer.
    pub more: bool,
    pub inbox: VecDeque<B>,
    pub outbox: Vec<B>,
    /// Empty batches. Buffers change hands.
    pub spare: Vec<B>,
}

impl<N: Copy + Ord, B> Desk<N, B> {
    pub fn new(empty: impl FnMut() -> B) -> Desk<N, B> {
        Desk {
            deadline: None,
            more: true,
            inbox: VecDeque::new(),
            outbox: Vec::with_capacity(BATCHES),
            spare: core::iter::repeat_with(empty).take(BATCHES).collect(),
        }
    }

    fn has_work(&self, now: N) -> bool {
        self.more || !self.inbox.is_empty() || self.is_due(now)
    }

    pub fn is_due(&self, now: N) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }
}

/// An end with its application.
pub trait Turns {
    type Now: Copy + Ord + AddAssign<Duration>;
    type Batch;

    fn desk(&mut self) -> &mut Desk<Self::Now, Self::Batch>;

    /// What the driver and then the application's tasks do when they are woken.
    fn turn(&mut self, now: Self::Now);
}

/// Two ends, next to each other.
pub struct Pair<E: Turns> {
    now: E::Now,
    /// The end that connects.
    pub client: E,
    /// The end that accepts.
    pub server: E,
}

impl<E: Turns> Pair<E> {
    pub fn new(now: E::Now, client: E, server: E) -> Pair<E> {
        Pair { now, client, server }
    }

    /// Both ends have a turn. What those chosen do is counted.
    pub fn step(&mut self, counted: impl Fn(Side) -> bool) {
        let now = self.now;
        let [client, server] = [self.client.desk(), self.server.desk()];
        if !client.has_work(now) && !server.has_work(now) {
            let next = [client.deadline, server.deadline].into_iter().flatten().min();
            self.now = next.map_or(now, |next| next.max(now));
        }
        self.turn(Side::Client, counted(Side::Client));
        self.turn(Side::Server, counted(Side::Server));
    }

    pub fn turn(&mut self, side: Side, counted: bool) {
        self.now += HALF_TRIP;
        let now = self.now;
        let (end, other) = match side {
            Side::Client => (&mut self.client, &mut self.server),
            Side::Server => (&mut self.server, &mut self.client),
        };
        if !end.desk().has_work(now) {
            return;
        }
        match counted {
            true => the_counted_turn(end, |end| end.turn(now)),
            false => end.turn(now),
        }
        // What the kernel copies is not counted.
        let (desk, other) = (end.desk(), other.desk());
        for batch in desk.outbox.drain(..) {
            desk.spare.extend(other.spare.pop());
            other.inbox.push_back(batch);
        }
    }
}
