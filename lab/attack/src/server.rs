//! A server with bad manners towards those who dial it.

use core::net::SocketAddr;
use std::collections::{BTreeMap, VecDeque};

use tng_base::{ChannelId, Ecn, Eid, Input, Instant, Machine, Output, Transmit};
use tng_crypto::{Secret32, SecretRng};
use tng_isolation::{CipherPolicy, Family, Hello, Identity, Limits, Offer, Refusal, RefusalCode, ResetToken, Terms};

use crate::Tally;
use crate::frames::{self, frame, message, text};
use crate::rogue::{Heard, Rogue};

/// What it tells people: sequences that a terminal obeys, an end of line, and a line that looks like one of the tool's
/// own; for those who look closer, characters that turn the direction of writing.
pub const HOSTILE_TEXT: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\r\nFORGED a line\n\u{202e}drawkcab\u{0}";

/// Answers that wait to be sent.
pub const WAITING_MAX: usize = 256;

/// The ways in which it ends a conversation, one for each who dials, in turn.
const WAYS: u64 = 3;

/// A server whose reasons are not for people: it refuses, or lets in and closes, or lets in and refuses the first
/// stream.
#[derive(Debug)]
pub struct Server {
    identity: Identity,
    keys: SecretRng,
    /// By the name that each was given; whether the server will refuse its first stream once there is one.
    inside: BTreeMap<ChannelId, (Rogue, bool)>,
    /// First messages that were answered, and how.
    known: BTreeMap<[u8; 32], u64>,
    waiting: VecDeque<(SocketAddr, Vec<u8>)>,
    tally: Tally,
}

impl Server {
    /// A server whose keys come from `secret`.
    pub fn new(secret: impl Into<Secret32>) -> Server {
        let mut keys = SecretRng::new(secret);
        let identity = Identity::from_seed(keys.secret());
        let (inside, known, waiting) = (BTreeMap::new(), BTreeMap::new(), VecDeque::new());
        Server { identity, keys, inside, known, waiting, tally: Tally::default() }
    }

    /// Who it is.
    pub fn eid(&self) -> Eid {
        self.identity.eid()
    }

    /// What was sent, and who came.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    fn say(&mut self, to: SocketAddr, datagram: Vec<u8>) {
        if self.waiting.len() < WAITING_MAX {
            self.waiting.push_back((to, datagram));
        }
    }

    fn handle_init(&mut self, remote: SocketAddr, datagram: &[u8]) -> Option<()> {
        let hello = Hello::parse(Family::Channel, datagram).ok()?;
        let next = self.known.len() as u64 % WAYS;
        let way = *self.known.entry(hello.ephemeral()).or_insert(next);
        let offer = Offer::read(&self.identity, &hello, None).ok()?;
        if way == 0 {
            let refusal = Refusal { code: RefusalCode::RefusedByApplication, reason: HOSTILE_TEXT.into() };
            let reply = offer.refuse(refusal, &mut self.keys).ok()?;
            self.tally.refusals += 1;
            self.say(remote, reply);
            return Some(());
        }
        let channel = ChannelId::from_u64(self.keys.visible().u64());
        let terms = Terms {
            channel,
            ciphers: CipherPolicy { hardware_aes: true, danger_weak: false },
            extensions: Vec::new(),
            path: Vec::new(),
            limits: Limits { idle_timeout_ms: 30_000, udp_payload_max: 1_472, ack_delay_max_us: 25_000 },
            reset_token: ResetToken::from_bytes(self.keys.visible().bytes()),
        };
        let mut acceptance = offer.negotiate(terms).ok()?;
        let begins = offer.opening().payload.is_some();
        acceptance.taken = begins;
        let (up, reply) = offer.accept(acceptance, &mut self.keys).ok()?;
        let mut rogue = Rogue::new(up);
        self.tally.connections += 1;
        self.say(remote, reply);
        let words = match way {
            1 => rogue.seal(&[], &frames::control(&hostile_close()), &[]),
            _ if begins => rogue.seal(&[], &[], &hostile_refusal()),
            _ => None,
        };
        words.into_iter().for_each(|words| self.say(remote, words));
        self.inside.insert(channel, (rogue, way != 1 && !begins));
        Some(())
    }

    fn handle_packet(&mut self, remote: SocketAddr, datagram: &mut [u8]) -> Option<()> {
        let id = ChannelId::from_bytes(datagram.get(1..7)?.try_into().ok()?);
        let (rogue, refuses) = self.inside.get_mut(&id)?;
        let words = match rogue.open(datagram) {
            Heard::Close(code) => {
                *self.tally.closes.entry(code).or_default() += 1;
                self.inside.remove(&id);
                return Some(());
            }
            Heard::Packet { payload } if !payload.is_empty() && core::mem::take(refuses) => hostile_refusal(),
            Heard::Packet { .. } => Vec::new(),
            Heard::Nothing => return None,
        };
        let acknowledgment = rogue.acknowledge();
        let packet = rogue.seal(&acknowledgment, &[], &words)?;
        self.say(remote, packet);
        Some(())
    }
}

/// The frame that ends a channel with the hostile text (wire.md, section 3.2).
pub(crate) fn hostile_close() -> Vec<u8> {
    frame(0x02, &[64], &text(HOSTILE_TEXT))
}

/// The frame that refuses a client's first stream, with the hostile text (wire.md, section 4).
fn hostile_refusal() -> Vec<u8> {
    frame(0x11, &[0, 1], &text(HOSTILE_TEXT))
}

impl Machine for Server {
    /// It tells nothing but its [`tally`](Server::tally).
    type Event = core::convert::Infallible;

    fn handle_input(&mut self, _now: Instant, input: Input<'_>) {
        let Input::Datagram(datagram) = input else { return };
        for one in datagram.payload.chunks_mut(datagram.segment_size.max(1)) {
            self.tally.note_received(one);
            let _ = match one.first() {
                Some(0x01) => self.handle_init(datagram.remote, one),
                _ => self.handle_packet(datagram.remote, one),
            };
        }
    }

    fn handle_timeout(&mut self, _now: Instant) {}

    fn poll_output(&mut self, _now: Instant, buf: &mut [u8]) -> Output<Self::Event> {
        let Some((remote, datagram)) = self.waiting.pop_front() else { return Output::Timeout(None) };
        let len = datagram.len();
        buf[..len].copy_from_slice(&datagram);
        self.tally.note_sent(len);
        Output::Transmit(Transmit { remote, local: None, ecn: Ecn::NotEct, len, segment_size: len })
    }
}

/// The answer to a LIST (wire.md, section 6) that does not end: files whose paths are as long as can be, each another.
#[derive(Clone, Debug, Default)]
pub struct Bomb {
    entries: u64,
}

/// Bytes of each path.
pub const BOMB_PATH_LEN: usize = 4_000;

impl Bomb {
    /// Entries so far.
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// The next entry.
    pub fn entry(&mut self) -> Vec<u8> {
        self.entries += 1;
        let folder = ["x".repeat(199), "/".to_owned()].concat().repeat(BOMB_PATH_LEN / 200 - 1);
        let path = format!("{folder}{:0200}", self.entries);
        let size_and_time = [1, 0];
        message(0x20, &[&[0][..], &text(&path), &size_and_time].concat())
    }
}
