//! Parties that speak TCP.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;

use tng_base::{Instant, Rng};
use tng_sim::{App, MachineNode, Node};
use tng_tcp::{Config, ConnectionId, End, Event, Host, News};

use super::{Figures, Party, Seat};

/// Where receivers listen.
const PORT: u16 = 80;

pub(super) fn pair(party: &Party, seat: &Seat, rngs: [Rng; 2], at: [IpAddr; 2]) -> [Box<dyn Node>; 2] {
    let config = Config { controller: party.controller.clone(), pacing: party.pacing, ..Config::default() };
    let [mut sender, mut receiver] = {
        let mut rngs = rngs.into_iter();
        at.map(|address| {
            let rng = rngs.next().expect("one for each");
            Host::new(address, config.clone(), rng).expect("a party's controller exists")
        })
    };
    sender.stop_listening(PORT);
    receiver.listen(PORT).expect("nobody else listens there");
    let to = SocketAddr::new(at[1], PORT);
    let sending = Sender {
        open: Some((Instant::ZERO + party.start, party.connections)),
        to,
        bytes: party.bytes.unwrap_or(u64::MAX),
        left: BTreeMap::new(),
        zeros: vec![0; 64 << 10],
        seat: seat.clone(),
    };
    let receiving = Receiver { buffer: vec![0; 64 << 10], seat: seat.clone() };
    [Box::new(MachineNode::new(sender, sending)), Box::new(MachineNode::new(receiver, receiving))]
}

struct Sender {
    open: Option<(Instant, usize)>,
    to: SocketAddr,
    bytes: u64,
    /// Bytes to be written.
    left: BTreeMap<ConnectionId, u64>,
    zeros: Vec<u8>,
    seat: Seat,
}

impl Sender {
    fn write(&mut self, host: &mut Host, id: ConnectionId) {
        let Some(left) = self.left.get_mut(&id) else { return };
        while *left > 0 {
            let want = (*left).min(self.zeros.len() as u64) as usize;
            match host.write(id, &self.zeros[..want]) {
                Ok(count @ 1..) => *left -= count as u64,
                Ok(0) => return,
                Err(gone) => return self.seat.fail(gone.to_string()),
            }
        }
        self.left.remove(&id);
        if let Err(gone) = host.finish(id) {
            self.seat.fail(gone.to_string());
        }
    }
}

impl App<Host> for Sender {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: Event) {
        match event.news {
            News::Connected | News::Writable => self.write(host, event.id),
            News::Closed { end, .. } if end != End::Finished => self.seat.fail(format!("closed: {end:?}")),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Some((_, count)) = self.open.take_if(|(at, _)| *at <= now) {
            for _ in 0..count {
                match host.connect(now, self.to) {
                    Ok(id) => drop(self.left.insert(id, self.bytes)),
                    Err(error) => self.seat.fail(error.to_string()),
                }
            }
        }
        let mut sum = Figures::default();
        for stats in host.connections().filter_map(|id| host.stats(id).ok()) {
            sum.sent += stats.segments_sent;
            sum.lost += stats.retransmits;
            sum.timeouts += stats.timeouts;
            sum.reductions += stats.reductions;
            sum.undone += stats.undone;
        }
        self.seat.with(|tally| tally.figures = sum);
        self.open.map(|(at, _)| at)
    }
}

struct Receiver {
    buffer: Vec<u8>,
    seat: Seat,
}

impl App<Host> for Receiver {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: Event) {
        while let Ok(count @ 1..) = host.read(event.id, &mut self.buffer) {
            self.seat.read(count as u64);
        }
        if event.news == News::PeerFinished {
            self.seat.complete(now);
            // Nothing is to be said in the other direction.
            let _ = host.finish(event.id);
        }
    }

    fn poll(&mut self, _now: Instant, _host: &mut Host) -> Option<Instant> {
        None
    }
}
