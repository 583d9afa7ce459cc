//! The word that tells a peer which transport runs, where the peer had to leave the choice to this end.

use core::ops::Range;

use tng_base::{ChannelKey, Fate};

/// Whether that word is to leave: once, and again as long as it is lost.
///
/// Every segment says the same, and whatever comes first counts: the word is for a guest that has nothing to send. (The
/// third packet of the paper's set-up can be lost without anybody noticing, STP 3.3.1.)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Here {
    /// The peer knows, or need not.
    #[default]
    Known,
    /// It is to leave.
    Due,
    /// It is on its way.
    Sent {
        /// By which channel.
        channel: ChannelKey,
        /// In which packet.
        number: u64,
    },
}

impl Here {
    pub(crate) fn is_due(self) -> bool {
        self == Here::Due
    }

    pub(crate) fn handle_fates(&mut self, of: ChannelKey, numbers: &Range<u64>, fate: Fate) {
        if let Here::Sent { channel, number } = *self
            && channel == of
            && numbers.contains(&number)
        {
            *self = if fate == Fate::Acked { Here::Known } else { Here::Due };
        }
    }

    /// The channel is given up.
    pub(crate) fn handle_detach(&mut self, of: ChannelKey) {
        if matches!(*self, Here::Sent { channel, .. } if channel == of) {
            *self = Here::Due;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY: ChannelKey = ChannelKey(3);

    #[test]
    fn the_word_leaves_again_until_it_has_arrived() {
        let mut here = Here::Sent { channel: BY, number: 5 };
        here.handle_fates(BY, &(0..5), Fate::Lost);
        here.handle_fates(ChannelKey(4), &(0..9), Fate::Acked);
        assert!(!here.is_due() && here != Here::Known);
        here.handle_fates(BY, &(5..6), Fate::Lost);
        assert!(here.is_due());
        here = Here::Sent { channel: BY, number: 7 };
        here.handle_detach(BY);
        assert!(here.is_due());
        here = Here::Sent { channel: BY, number: 9 };
        here.handle_fates(BY, &(6..10), Fate::Acked);
        assert_eq!(here, Here::Known);
        here.handle_detach(BY);
        assert_eq!(here, Here::Known);
    }
}
