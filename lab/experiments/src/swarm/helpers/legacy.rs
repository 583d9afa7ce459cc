//! What goes through a tunnel: datagrams of flows that know nothing of it. Each comes out at most once, as it was, at
//! the other end.

use core::time::Duration;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::{Instant, Rng};
use tng_middlebox::{FlowId, Helper, RelayId};

use super::super::ledger::{HEAD, Ledger, byte};
use super::Defect;

/// The largest datagram that is offered: more than some sections carry.
const LEN_MAX: u64 = 1_300;

/// A datagram that is under way, or lost.
#[derive(Debug)]
struct Offered {
    /// Whether the end that has asked for the tunnel offered it.
    outward: bool,
    flow: FlowId,
    len: usize,
}

/// What both ends of a tunnel have offered.
#[derive(Default, Debug)]
pub(super) struct Books {
    next: u64,
    offered: BTreeMap<u64, Offered>,
    /// Datagrams that came out.
    pub came: u64,
}

/// One end of a tunnel, and the programs behind it.
pub(super) struct Site {
    pub tunnel: Option<RelayId>,
    /// It is the end that asks.
    pub asks: bool,
    every: Duration,
    flows: u32,
    /// When it offers the next one; none: no more.
    next_at: Option<Instant>,
    books: Rc<RefCell<Books>>,
    rng: Rng,
    defect: Defect,
}

impl Site {
    pub fn new(line: &super::plan::Line, asks: bool, books: &Rc<RefCell<Books>>, rng: Rng, defect: Defect) -> Site {
        let (every, flows) = (line.every, line.flows);
        let books = Rc::clone(books);
        Site { tunnel: None, asks, every, flows, next_at: Some(Instant::ZERO), books, rng, defect }
    }

    /// It offers nothing more.
    pub fn rest(&mut self) {
        self.next_at = None;
    }

    /// Takes what has come, and offers what is due. Answers when it wants to be called again.
    pub fn drive(&mut self, now: Instant, helper: &mut Helper, ledger: &RefCell<Ledger>) -> Option<Instant> {
        let tunnel = self.tunnel?;
        while let Some((flow, datagram)) = helper.poll_brought(tunnel) {
            for _ in 0..if self.defect == Defect::Doubles { 2 } else { 1 } {
                self.take(flow, &datagram).unwrap_or_else(|what| ledger.borrow_mut().wrong(|| what));
            }
        }
        let at = self.next_at?;
        if at <= now {
            self.next_at = Some(now + self.every);
            self.offer(now, tunnel, helper);
        }
        self.next_at
    }

    fn offer(&mut self, now: Instant, tunnel: RelayId, helper: &mut Helper) {
        let mut books = self.books.borrow_mut();
        let number = books.next;
        books.next += 1;
        let len = (HEAD + self.rng.below(LEN_MAX - HEAD)) as usize;
        let flow = FlowId(self.rng.below(u64::from(self.flows)) as u32);
        let datagram: Vec<u8> = (0..len as u64).map(|offset| byte(number, offset)).collect();
        // What does not fit, or finds no room, is lost, as in any router.
        if helper.offer(now, tunnel, flow, &datagram).is_ok() {
            books.offered.insert(number, Offered { outward: self.asks, flow, len });
        }
    }

    fn take(&mut self, flow: FlowId, datagram: &[u8]) -> Result<(), String> {
        let mut books = self.books.borrow_mut();
        let number = datagram.first_chunk().map(|head| u64::from_be_bytes(*head));
        let number = number.ok_or_else(|| format!("a tunnel brings {} bytes", datagram.len()))?;
        let Some(Offered { outward, flow: own, len }) = books.offered.remove(&number) else {
            return Err(format!("a tunnel brings datagram {number} twice, or nobody offered it"));
        };
        let exact = datagram.iter().zip(0..).all(|(got, offset)| *got == byte(number, offset));
        if outward == self.asks || flow != own || datagram.len() != len || !exact {
            return Err(format!(
                "a tunnel brings datagram {number} of {own:?} as {} bytes of {flow:?}",
                datagram.len()
            ));
        }
        books.came += 1;
        Ok(())
    }
}
