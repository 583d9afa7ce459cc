//! A helper on its machine: it may stand still, and somebody watches what it holds and says.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output};
use tng_middlebox::{Helper, HelperEvent, RelayId};
use tng_sim::{Node, Outbox};

use super::super::ledger::Ledger;
use super::super::seat::NOBODY;
use super::Defect;
use super::legacy::Site;

/// Datagrams that wait for a helper that does not run; more are dropped, as by a socket.
const HELD_MAX: usize = 256;

/// Outputs of one round of polling at most.
const OUTPUTS_MAX: u32 = 100_000;

struct Held {
    remote: SocketAddr,
    local: Option<SocketAddr>,
    ecn: Ecn,
    payload: Vec<u8>,
}

/// A helper.
pub(super) struct Station {
    pub helper: Helper,
    /// Its end of the tunnel, if it has one.
    pub site: Option<Site>,
    ledger: Rc<RefCell<Ledger>>,
    defect: Defect,
    asleep_until: Instant,
    held: VecDeque<Held>,
    /// Bytes from and to addresses of nobody.
    traffic: BTreeMap<IpAddr, (u64, u64)>,
    timer: Option<Instant>,
    relays_before: usize,
    /// UDP datagrams sent.
    pub sent: u64,
}

impl Station {
    pub fn new(helper: Helper, site: Option<Site>, ledger: &Rc<RefCell<Ledger>>, defect: Defect) -> Station {
        Station {
            helper,
            site,
            ledger: Rc::clone(ledger),
            defect,
            asleep_until: Instant::ZERO,
            held: VecDeque::new(),
            traffic: BTreeMap::new(),
            timer: None,
            relays_before: 0,
            sent: 0,
        }
    }

    /// It does not run for so long.
    pub fn sleep(&mut self, now: Instant, time: Duration) {
        self.asleep_until = now + time;
    }

    /// Whether it runs now, and has for so long that what was due has been done.
    pub fn is_awake(&self, now: Instant, since: Duration) -> bool {
        self.asleep_until + since <= now
    }

    /// The tunnel whose end this is, if it is there or asked for.
    pub fn tunnel(&self) -> Option<RelayId> {
        self.site.as_ref()?.tunnel
    }

    fn wrong(&self, what: impl FnOnce() -> String) {
        self.ledger.borrow_mut().wrong(what);
    }

    fn deliver(&mut self, now: Instant) {
        while let Some(Held { remote, local, ecn, mut payload }) = self.held.pop_front() {
            let datagram = Datagram { remote, local, ecn, segment_size: payload.len().max(1), payload: &mut payload };
            self.helper.handle_input(now, Input::Datagram(datagram));
        }
    }

    /// Lets the machine speak until it has nothing to say: when it wants to be called again, and whether it said
    /// anything.
    fn drain(&mut self, now: Instant, outbox: &mut Outbox) -> (Option<Instant>, bool) {
        for outputs in 0.. {
            if outputs > OUTPUTS_MAX {
                self.wrong(|| "a helper has more and more to say at one moment".into());
                return (None, false);
            }
            match self.helper.poll_output(now, outbox.buffer()) {
                Output::Transmit(transmit) => {
                    self.sent += transmit.len.div_ceil(transmit.segment_size.max(1)) as u64;
                    let shouts = self.defect == Defect::Shouts;
                    self.note_sent(transmit.remote.ip(), if shouts { 12 * transmit.len } else { transmit.len });
                    outbox.send(transmit);
                }
                Output::Event(event) => self.handle_event(event),
                Output::NeedsEntropy => self.helper.handle_input(now, Input::Entropy(&mut outbox.entropy())),
                Output::Timeout(timer) => return (timer, outputs > 0),
            }
        }
        unreachable!("there is a bound")
    }

    fn handle_event(&mut self, event: HelperEvent) {
        let Some(site) = &mut self.site else { return };
        match event {
            HelperEvent::Tunnel { tunnel, .. } => site.tunnel = Some(tunnel),
            // Who has asked for a tunnel asks again for the same.
            HelperEvent::Left { relay, served: None, .. } if site.tunnel == Some(relay) && !site.asks => {
                site.tunnel = None;
            }
            _ => {}
        }
    }

    fn note_sent(&mut self, to: IpAddr, len: usize) {
        if !is_nobody(to) {
            return;
        }
        let traffic = self.traffic.entry(to).or_default();
        traffic.1 += len as u64;
        let (received, sent) = *traffic;
        if sent > 3 * received {
            self.wrong(|| format!("a helper sends {sent} bytes for the {received} that came from {to}"));
        }
    }

    /// What it holds is within its bounds.
    fn audit(&mut self) {
        let (stats, config) = (self.helper.stats(), self.helper.config());
        if stats.queued_bytes > config.held_bytes_max {
            self.wrong(|| format!("a helper holds {} bytes, of {}", stats.queued_bytes, config.held_bytes_max));
        }
        // Those that were there before there was a lower bound may stay.
        if stats.relays > config.relays_max.max(self.relays_before) {
            self.wrong(|| format!("a helper has {} flows, of {}", stats.relays, config.relays_max));
        }
        self.relays_before = stats.relays;
    }
}

fn is_nobody(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V4(ip) if ip.octets()[..3] == NOBODY)
}

impl Node for Station {
    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        // A router tells helpers nothing here.
        let Input::Datagram(Datagram { remote, local, ecn, payload, .. }) = input else { return };
        if is_nobody(remote.ip()) {
            self.traffic.entry(remote.ip()).or_default().0 += payload.len() as u64;
        }
        if self.held.len() < HELD_MAX {
            self.held.push_back(Held { remote, local, ecn, payload: payload.to_vec() });
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if now >= self.asleep_until && self.timer.is_some_and(|at| at <= now) {
            self.helper.handle_timeout(now);
        }
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        if now < self.asleep_until {
            return Some(self.asleep_until);
        }
        if self.timer.is_some_and(|at| at <= now) {
            self.helper.handle_timeout(now);
        }
        self.deliver(now);
        loop {
            let wanted = self.site.as_mut().and_then(|site| site.drive(now, &mut self.helper, &self.ledger));
            let (timer, said) = self.drain(now, outbox);
            if !said {
                self.timer = timer;
                self.audit();
                return [wanted, timer].into_iter().flatten().min();
            }
        }
    }
}
