//! What an application asks and hears: the oracle of every test with numbered echoes.

use tng_base::RangeSet;

use crate::{BODY_MAX, Echo, Echoes};

/// What the application at one end of one connection has asked and heard. Each number must be echoed once, with what
/// was asked.
#[derive(Clone, Debug)]
pub struct Tally {
    seed: u64,
    asked: u64,
    heard: RangeSet,
    fault: Option<String>,
}

impl Tally {
    /// Nothing yet. Bodies are derived from `seed`.
    pub fn new(seed: u64) -> Tally {
        Tally { seed, asked: 0, heard: RangeSet::new(), fault: None }
    }

    fn body(&self, number: u64) -> Vec<u8> {
        let mixed = (number ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let len = (mixed >> 32) as usize % (BODY_MAX + 1);
        (0..len).map(|at| (mixed >> (at % 8 * 8)) as u8 ^ at as u8).collect()
    }

    /// Asks until so many have been asked in all, or the peer lets no more be open.
    pub fn ask(&mut self, echoes: &mut Echoes, most: u64) {
        while self.asked < most {
            match echoes.ask(&self.body(self.asked)) {
                Ok(number) if number == self.asked => self.asked += 1,
                Ok(number) => {
                    self.fault.get_or_insert_with(|| format!("asked with {number} instead of {}", self.asked));
                    return;
                }
                Err(_) => return,
            }
        }
    }

    /// Takes the echoes that have come.
    pub fn hear(&mut self, echoes: &mut Echoes) {
        while let Some(Echo { number, body }) = echoes.take_echo() {
            let fault = if number >= self.asked {
                "was echoed and never asked"
            } else if self.heard.contains(number) {
                "was echoed twice"
            } else if body != self.body(number) {
                "was echoed with what was not asked"
            } else {
                self.heard.insert(number..number + 1);
                continue;
            };
            self.fault.get_or_insert_with(|| format!("{number} {fault}"));
        }
    }

    /// Requests so far.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Numbers that were echoed.
    pub fn heard(&self) -> u64 {
        self.heard.size()
    }

    /// Whether everything asked was echoed.
    pub fn is_done(&self) -> bool {
        self.heard() == self.asked
    }

    /// What has gone wrong first, if anything has.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use tng_base::{ChannelKey, Ecn, Instant, Protocol};

    use super::*;

    const NOW: Instant = Instant::ZERO;
    const ONE: ChannelKey = ChannelKey(1);

    fn told(end: &mut Echoes, payload: &[u8]) {
        end.handle_packet(NOW, ONE, 0, Ecn::NotEct, &mut payload.to_vec()).expect("frames");
    }

    #[test]
    fn a_tally_finds_every_fault_that_a_protocol_could_have() {
        let tally = |asked: u64| {
            let (mut end, mut tally) = (Echoes::new(16), Tally::new(3));
            tally.ask(&mut end, asked);
            assert_eq!((tally.asked(), tally.is_done()), (asked, false));
            (end, tally)
        };
        let echo = |tally: &Tally, number: u64| {
            let body = tally.body(number);
            [&[2, number as u8, body.len() as u8][..], &body].concat()
        };
        let (mut end, mut honest) = tally(2);
        told(&mut end, &echo(&honest, 1));
        honest.hear(&mut end);
        assert_eq!((honest.heard(), honest.is_done()), (1, false));
        told(&mut end, &echo(&honest, 0));
        honest.hear(&mut end);
        assert_eq!((honest.fault(), honest.is_done()), (None, true));

        // Another end's protocol takes the same echoes for its own.
        let (mut other, _) = tally(2);
        told(&mut other, &echo(&honest, 0));
        honest.hear(&mut other);
        assert_eq!(honest.fault(), Some("0 was echoed twice"));
        let (mut other, _) = tally(2);
        told(&mut other, &echo(&honest, 1));
        let (_, mut fewer) = tally(1);
        fewer.hear(&mut other);
        assert_eq!(fewer.fault(), Some("1 was echoed and never asked"));
        let (mut other, _) = tally(2);
        told(&mut other, &echo(&honest, 1));
        let mut elsewhere = Tally { seed: 4, ..tally(2).1 };
        elsewhere.hear(&mut other);
        assert_eq!(elsewhere.fault(), Some("1 was echoed with what was not asked"));
    }
}
