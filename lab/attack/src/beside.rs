//! Somebody beside the path of two others: sees what passes, changes nothing, and says something of its own.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Eid, Rng};
use tng_crypto::Secret32;
use tng_flow::{Capability, CapabilityKey, OfferKey, OfferTerms, PassingInit};
use tng_isolation::Identity;

use crate::{Tally, frames};

/// Cookies forged for each first message: as many as an initiator takes.
pub const FORGED_PER_INIT: usize = 8;

/// Bytes of the question for a reset: enough for an answer (wire.md, section 3.3).
pub const QUESTION_LEN: usize = 60;

/// What one who listens says to those who dial.
#[derive(Debug)]
pub struct Beside {
    rng: Rng,
    /// The first message that was seen before the last.
    earlier: Option<PassingInit>,
    tally: Tally,
}

/// Offers of help that somebody makes who has seen a first message.
#[derive(Debug)]
pub struct Offers {
    /// As a helper in the path makes it: the control.
    pub true_one: Vec<u8>,
    /// Sealed for an earlier first message, in another's name, for another channel, cut short, or of no meaning.
    pub false_ones: Vec<Vec<u8>>,
}

impl Beside {
    /// Somebody who draws what it forges from `seed`.
    pub fn new(seed: u64) -> Beside {
        Beside { rng: Rng::from_u64(seed), earlier: None, tally: Tally::default() }
    }

    /// What was said.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Answers that ask the sender of a first message for a cookie which nobody gave (wire.md, section 2.4), by
    /// somebody who knows the name of its channel, its address and those that it asks, and has not seen the message
    /// itself.
    pub fn forge_cookies(&mut self, overheard: &[u8]) -> Vec<Vec<u8>> {
        let (Some(0x01), Some(id)) = (overheard.first(), overheard.get(3..9)) else { return Vec::new() };
        let forged = (0..FORGED_PER_INIT).map(|_| [&[0x03][..], id, &self.rng.bytes::<48>()].concat());
        let forged: Vec<Vec<u8>> = forged.collect();
        forged.iter().for_each(|forged| self.tally.note_sent(forged.len()));
        forged
    }

    /// The same by somebody on the path, who has seen the message: nothing tells them from the responder's. Such a one
    /// could keep the answer back as well.
    pub fn forge_cookies_on_the_path(&mut self, overheard: &[u8], responder: &Eid) -> Vec<Vec<u8>> {
        let forged = (0..FORGED_PER_INIT).map_while(|_| {
            overheard.first().filter(|first| **first == 0x01)?;
            frames::cookie_for(overheard, self.rng.bytes(), responder)
        });
        let forged: Vec<Vec<u8>> = forged.collect();
        forged.iter().for_each(|forged| self.tally.note_sent(forged.len()));
        forged
    }

    /// Offers of help (wire.md, section 2.13) that would lead the sender of a first message to `lure`. `None` if it is
    /// no first message, or the first that was seen: to be replayed an offer has to be for an earlier one.
    pub fn offer_help(&mut self, overheard: &[u8], lure: SocketAddr) -> Option<Offers> {
        let init = PassingInit::see(overheard)?;
        let earlier = self.earlier.replace(init).filter(|earlier| *earlier != init)?;
        let [own, other] = [0, 1].map(|_| Identity::from_seed(self.rng.bytes::<32>()));
        let key = |named: &Identity| OfferKey { eid: named.eid(), agreement: own.agreement_key() };
        let terms = OfferTerms {
            address: lure,
            life: Duration::from_secs(3_600),
            capability: Capability { shown: vec![7; 42], key: CapabilityKey::from_bytes(self.rng.bytes()) },
            controller: None,
        };
        let mut offer = |of: &Identity, init: PassingInit| {
            key(of).offer(&init, &terms, &Secret32::from_bytes(self.rng.bytes())).ok()
        };
        let replayed = offer(&own, PassingInit { channel: init.channel, ..earlier })?;
        let in_anothers_name = offer(&other, init)?;
        let for_nobody = offer(&own, earlier)?;
        let true_one = offer(&own, init)?;
        let mut touched = true_one.clone();
        *touched.last_mut()? ^= 1;
        let cut = true_one[..true_one.len() / 2].to_vec();
        let mut noise = vec![0; true_one.len()];
        self.rng.fill(&mut noise);
        noise[..7].copy_from_slice(&true_one[..7]);
        let false_ones = vec![replayed, in_anothers_name, for_nobody, touched, cut, noise];
        Some(Offers { true_one, false_ones })
    }

    /// Something was said.
    pub fn note_said(&mut self, datagram: &[u8]) {
        self.tally.note_sent(datagram.len());
    }

    /// A packet that nobody can read, of the channel whose packet this is, for another host that has the same key: what
    /// that answers is what the channel's own host would answer had it forgotten the channel.
    pub fn ask_for_reset(&mut self, overheard: &[u8]) -> Option<Vec<u8>> {
        let id = overheard.get(1..7).filter(|_| matches!(overheard[0], 0x40..=0x7f))?;
        let mut question = vec![0; QUESTION_LEN];
        self.rng.fill(&mut question);
        question[0] = 0x40 | question[0] & 0x3f;
        question[1..7].copy_from_slice(id);
        self.tally.note_sent(question.len());
        Some(question)
    }
}
