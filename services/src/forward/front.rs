//! What a program says to a proxy before bytes flow.

use core::net::SocketAddr;

use super::{ASKING_MAX, Destination, Refusal, http, socks};

/// SOCKS4 begins with this.
const SOCKS4_VERSION: u8 = 4;
/// That a SOCKS4 request is rejected.
const SOCKS4_REJECTED: [u8; 8] = [0, 0x5b, 0, 0, 0, 0, 0, 0];

/// A proxy's side of the opening of one connection, SOCKS5 or HTTP by its first byte.
///
/// Holds at most [`ASKING_MAX`] bytes and one piece of input.
#[derive(Debug, Default)]
pub struct Front {
    /// What came and was not taken yet.
    asked: Vec<u8>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    #[default]
    First,
    /// SOCKS5 after the greeting.
    Greeted,
    /// HTTP, without an end of the head in so many bytes.
    Head(usize),
    Over,
}

/// What to do next.
#[derive(PartialEq, Eq, Debug)]
pub enum Step {
    /// Read on.
    More,
    /// Write this, then ask again with no further input.
    Reply(Vec<u8>),
    /// Connect, and answer as [`Manner`] says. The program's own bytes begin with `ahead`.
    Open {
        /// Where to.
        to: Destination,
        /// How to answer.
        manner: Manner,
        /// What to send to the destination first.
        ahead: Vec<u8>,
    },
    /// Write this and close. The program asks for what is not to be had, or speaks something else.
    Refuse(Vec<u8>),
}

/// How a program asked, and so how it is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// SOCKS5 (RFC 1928).
    Socks,
    /// HTTP CONNECT (RFC 9110 section 9.3.6).
    Connect,
    /// A plain HTTP request: the answer is the destination's.
    Plain,
}

impl Manner {
    /// What to write when the connection is there; `address` is where it leads.
    pub fn granted(self, address: SocketAddr) -> Vec<u8> {
        match self {
            Manner::Socks => socks::granted(address),
            Manner::Connect => http::ESTABLISHED.to_vec(),
            Manner::Plain => Vec::new(),
        }
    }

    /// What to write, before closing, when there will be none.
    pub fn refused(self, refusal: &Refusal) -> Vec<u8> {
        match self {
            Manner::Socks => socks::refused(refusal.code),
            Manner::Connect | Manner::Plain => http::refused(refusal.code, &refusal.to_string()),
        }
    }
}

impl Front {
    /// At the beginning of a connection.
    pub fn new() -> Front {
        Front::default()
    }

    /// Takes what the program sent and says what to do. After [`Step::Open`] and [`Step::Refuse`] there is nothing to
    /// ask any more.
    pub fn take(&mut self, input: &[u8]) -> Step {
        self.asked.extend_from_slice(input);
        let step = match self.stage {
            Stage::First => self.first(),
            Stage::Greeted => self.socks_request(),
            Stage::Head(seen) => self.http_request(seen),
            Stage::Over => Step::Refuse(Vec::new()),
        };
        if matches!(step, Step::Open { .. } | Step::Refuse(_)) {
            *self = Front { asked: Vec::new(), stage: Stage::Over };
        }
        step
    }

    fn first(&mut self) -> Step {
        match self.asked.first() {
            None => Step::More,
            Some(&socks::VERSION) => match socks::greeting(&self.asked) {
                None => Step::More,
                Some((_, false)) => Step::Refuse(socks::REFUSED_GREETING.to_vec()),
                Some((len, true)) => {
                    self.asked.drain(..len);
                    self.stage = Stage::Greeted;
                    Step::Reply(socks::ACCEPTED_GREETING.to_vec())
                }
            },
            Some(&SOCKS4_VERSION) => Step::Refuse(SOCKS4_REJECTED.to_vec()),
            Some(first) if first.is_ascii_alphabetic() => self.http_request(0),
            Some(_) => Step::Refuse(Vec::new()),
        }
    }

    fn socks_request(&mut self) -> Step {
        match socks::request(&self.asked) {
            None => Step::More,
            Some((_, Err(reply))) => Step::Refuse(reply),
            Some((len, Ok(to))) => Step::Open { to, manner: Manner::Socks, ahead: self.asked.split_off(len) },
        }
    }

    fn http_request(&mut self, seen: usize) -> Step {
        let len = match http::head_len(&self.asked, seen) {
            Some(len) if len <= ASKING_MAX => len,
            None if self.asked.len() < ASKING_MAX => {
                self.stage = Stage::Head(self.asked.len());
                return Step::More;
            }
            _ => return Step::Refuse(http::too_long()),
        };
        let rest = self.asked.split_off(len);
        match http::parse(&self.asked) {
            Err(reply) => Step::Refuse(reply),
            Ok(http::Asked::Connect(to)) => Step::Open { to, manner: Manner::Connect, ahead: rest },
            Ok(http::Asked::Plain(to, head)) => Step::Open { to, manner: Manner::Plain, ahead: [head, rest].concat() },
        }
    }
}

#[cfg(test)]
mod tests;
