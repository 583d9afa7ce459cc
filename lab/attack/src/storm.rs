//! Cookies that are returned as they should be, and shown again with what they were not given for.

use std::collections::VecDeque;

use tng_base::ChannelId;
use tng_crypto::SecretRng;

use crate::attacker::Mark;
use crate::frames::with_cookie;
use crate::rogue::{Wish, knock_as_anybody};

/// First messages without a cookie that one may still come for.
pub const BARE_MAX: usize = 64;

/// First messages that one cookie is shown with, its own among them.
pub const USES_MAX: u32 = 5;

/// What is known of cookies, and where each is shown.
#[derive(Debug, Default)]
pub(crate) struct Storm {
    bare: VecDeque<(ChannelId, Vec<u8>)>,
    held: Option<Held>,
}

/// A cookie that came.
#[derive(Debug)]
struct Held {
    id: ChannelId,
    cookie: [u8; 32],
    /// The message that it came for.
    own: Vec<u8>,
    uses: u32,
    replies: u32,
}

impl Storm {
    /// The next first message: one of nobody's without a cookie, the same with the one that came for it, or others of
    /// the same name with that one.
    pub(crate) fn datagram(&mut self, mark: &Mark, keys: &mut SecretRng) -> Vec<u8> {
        match &mut self.held {
            Some(held) if held.uses == 0 => {
                held.uses = 1;
                with_cookie(&held.own, held.cookie, &mark.eid)
            }
            Some(held) if held.uses < USES_MAX => {
                held.uses += 1;
                let (id, cookie) = (held.id, held.cookie);
                init(mark, Some(id), keys).map_or(Vec::new(), |(_, other)| with_cookie(&other, cookie, &mark.eid))
            }
            _ => {
                let Some((id, init)) = init(mark, None, keys) else { return Vec::new() };
                if self.bare.len() == BARE_MAX {
                    self.bare.pop_front();
                }
                self.bare.push_back((id, init.clone()));
                init
            }
        }
    }

    /// What came back. True if the target has answered a first message by a cookie that it gave for another.
    pub(crate) fn handle(&mut self, datagram: &[u8]) -> bool {
        let Some(id) = datagram.get(1..7).and_then(|id| id.try_into().ok()).map(ChannelId::from_bytes) else {
            return false;
        };
        match (datagram.first(), &mut self.held) {
            (Some(0x03), held) if held.as_ref().is_none_or(|held| held.uses >= USES_MAX) => {
                let found = self.bare.iter().position(|(bare, _)| *bare == id);
                let own = found.and_then(|at| self.bare.remove(at));
                let cookie = datagram.get(7..).and_then(|rest| rest.first_chunk().copied());
                if let (Some((id, own)), Some(cookie)) = (own, cookie) {
                    *held = Some(Held { id, cookie, own, uses: 0, replies: 0 });
                }
                false
            }
            (Some(0x02), Some(held)) if held.id == id => {
                held.replies += 1;
                held.replies > 1
            }
            _ => false,
        }
    }
}

/// A first message of somebody whom nobody has seen before, and the name of its channel.
fn init(mark: &Mark, channel: Option<ChannelId>, keys: &mut SecretRng) -> Option<(ChannelId, Vec<u8>)> {
    let wish = Wish { capability: mark.capability.clone(), channel, ..Wish::default() };
    let initiator = knock_as_anybody(mark.eid, wish, keys)?;
    Some((initiator.local_id(), initiator.datagram().to_vec()))
}
