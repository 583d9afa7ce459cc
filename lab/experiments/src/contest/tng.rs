//! Parties that speak tng.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;

use tng_base::{Instant, Rng};
use tng_semantic::structured::{Read, ServiceOptions, StreamEvent, StreamId, WriteError};
use tng_sim::{App, MachineNode, Node, PORT};
use tng_stack::{Access, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, Target};

use super::{Figures, Party, Seat, Transport};

/// Service and protocol of the transfers.
const SERVICE: (&str, &str) = ("bulk", "lab/1");

pub(super) fn pair(party: &Party, seat: &Seat, rngs: [Rng; 2], at: [IpAddr; 2]) -> [Box<dyn Node>; 2] {
    let [mut left, mut right] = rngs;
    let config = |access| HostConfig {
        controller: party.controller.clone(),
        pacing: party.pacing,
        danger_weak: party.transport == Transport::TngWeak,
        ..HostConfig::new(access)
    };
    let (caller, called) = (Identity::generate(&mut left), Identity::generate(&mut right));
    let target = Target { eid: called.eid(), addresses: vec![SocketAddr::new(at[1], PORT)], capability: None };
    let sender = Host::new(config(Access::Nobody), caller, left.bytes());
    let mut receiver = Host::new(config(Access::Public), called, right.bytes());
    receiver.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    let sending = Sender {
        open: Some((Instant::ZERO + party.start, party.connections)),
        target,
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
    target: Target,
    bytes: u64,
    /// Bytes to be written.
    left: BTreeMap<(ConnectionId, StreamId), u64>,
    zeros: Vec<u8>,
    seat: Seat,
}

impl Sender {
    fn begin(&mut self, now: Instant, host: &mut Host) -> Result<(), String> {
        let id = host.connect(now, self.target.clone()).map_err(|error| error.to_string())?;
        let streams = host.streams(id).ok_or("the connection has no streams")?;
        let stream = streams.open(SERVICE.0, SERVICE.1).map_err(|error| error.to_string())?;
        self.left.insert((id, stream), self.bytes);
        self.write(host, id, stream);
        Ok(())
    }

    fn write(&mut self, host: &mut Host, id: ConnectionId, stream: StreamId) {
        let Some(streams) = host.streams(id) else { return };
        let Some(left) = self.left.get_mut(&(id, stream)) else { return };
        while *left > 0 {
            let want = (*left).min(self.zeros.len() as u64) as usize;
            match streams.write(stream, &self.zeros[..want]) {
                Ok(count) => *left -= count as u64,
                Err(WriteError::Blocked) => return,
                Err(error) => return self.seat.fail(error.to_string()),
            }
        }
        self.left.remove(&(id, stream));
        if let Err(error) = streams.finish(stream) {
            self.seat.fail(error.to_string());
        }
    }
}

impl App<Host> for Sender {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: HostEvent) {
        match event.kind {
            EventKind::Stream(StreamEvent::Writable(stream)) => self.write(host, event.connection, stream),
            EventKind::ConnectFailed(error) => self.seat.fail(error.to_string()),
            EventKind::Closed(cause) => self.seat.fail(cause.to_string()),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Some((_, count)) = self.open.take_if(|(at, _)| *at <= now) {
            for _ in 0..count {
                if let Err(error) = self.begin(now, host) {
                    self.seat.fail(error);
                }
            }
        }
        let mut sum = Figures::default();
        for stats in host.connections().filter_map(|id| host.stats(id)) {
            sum.sent += stats.channel.packets_sent;
            sum.lost += stats.channel.lost;
            sum.timeouts += stats.channel.probe_timeouts;
            sum.reductions += stats.regulation.reductions;
            sum.undone += stats.regulation.undone;
        }
        self.seat.with(|tally| tally.figures = sum);
        self.open.map(|(at, _)| at)
    }
}

struct Receiver {
    buffer: Vec<u8>,
    seat: Seat,
}

impl Receiver {
    fn read(&mut self, now: Instant, host: &mut Host, id: ConnectionId, stream: StreamId) {
        let Some(streams) = host.streams(id) else { return };
        loop {
            match streams.read(stream, &mut self.buffer) {
                Ok(Read::Bytes(count)) => self.seat.read(count as u64),
                Ok(Read::Blocked) => return,
                Ok(Read::Finished) => {
                    self.seat.complete(now);
                    // Nothing is to be said in the other direction.
                    let _ = streams.finish(stream);
                    return;
                }
                Err(error) => return self.seat.fail(error.to_string()),
            }
        }
    }
}

impl App<Host> for Receiver {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let id = event.connection;
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = host.streams(id).and_then(|streams| streams.accept()) {
                    self.read(now, host, id, incoming.id);
                }
            }
            EventKind::Stream(StreamEvent::Readable(stream)) => self.read(now, host, id, stream),
            _ => {}
        }
    }

    fn poll(&mut self, _now: Instant, _host: &mut Host) -> Option<Instant> {
        None
    }
}
