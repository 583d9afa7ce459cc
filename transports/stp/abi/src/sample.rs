//! What a controller is told.

/// Words of a sample in guest memory, 8 bytes each, little-endian, in the order of the fields.
pub const SAMPLE_WORDS: usize = 24;

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SampleEvent {
    /// Packets were acknowledged.
    #[default]
    Acked = 0,
    /// Packets were lost, or marked; [`Sample::cause`] says which.
    Lost = 1,
    /// Packets that were told as lost had arrived.
    Spurious = 2,
    /// Nothing was sent for [`Sample::bytes`] retransmission timeouts.
    Idle = 3,
    /// The path is a new one.
    Reset = 4,
    /// Packets have at most [`Sample::bytes`] bytes from now on.
    Mtu = 5,
}

/// One sample: plain numbers, bytes and nanoseconds. What is not known is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sample {
    /// A [`SampleEvent`].
    pub event: u64,
    /// Nanoseconds since the connection began.
    pub now_ns: u64,
    /// Bytes acknowledged, lost or late.
    pub bytes: u64,
    /// Why, of a loss: 0 a loss, 1 a mark, 2 persistent congestion, 3 the link.
    pub cause: u64,
    /// The newest of these packets: when it left,
    pub sent_ns: u64,
    /// when the first packet of its sample of the delivery rate had left,
    pub first_sent_ns: u64,
    /// what had been delivered then,
    pub sent_delivered: u64,
    /// and when that had been,
    pub sent_delivered_ns: u64,
    /// what had been lost,
    pub sent_lost: u64,
    /// what was in flight with it,
    pub sent_in_flight: u64,
    /// and whether the application had little to send.
    pub app_limited: u64,
    /// The round trip that this sample gives.
    pub rtt_ns: u64,
    /// Smoothed round trip,
    pub smoothed_ns: u64,
    /// its variation,
    pub variation_ns: u64,
    /// the least,
    pub min_ns: u64,
    /// and the latest.
    pub latest_ns: u64,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Bytes delivered since the connection began.
    pub delivered: u64,
    /// When the last of them were.
    pub delivered_ns: u64,
    /// Bytes lost since then.
    pub lost: u64,
    /// Bytes of the latest sample of the delivery rate,
    pub rate_bytes: u64,
    /// and the time that they took.
    pub rate_ns: u64,
    /// Whether the window was the limit when the newest of these packets left.
    pub window_limited: u64,
    /// 0.
    pub reserved: u64,
}

macro_rules! words {
    ($($field:ident)*) => {
        impl Sample {
            /// As it stands in guest memory.
            pub fn to_words(&self) -> [u64; SAMPLE_WORDS] {
                [$(self.$field),*]
            }

            /// What the host has written there.
            pub fn from_words(words: &[u64; SAMPLE_WORDS]) -> Sample {
                let [$($field),*] = *words;
                Sample { $($field),* }
            }
        }
    };
}

words! {
    event now_ns bytes cause sent_ns first_sent_ns sent_delivered sent_delivered_ns sent_lost sent_in_flight
    app_limited rtt_ns smoothed_ns variation_ns min_ns latest_ns in_flight delivered delivered_ns lost rate_bytes
    rate_ns window_limited reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_read_as_it_was_written() {
        let words = core::array::from_fn(|i| i as u64 + 1);
        assert_eq!(Sample::from_words(&words).to_words(), words);
        assert_eq!(Sample::from_words(&words).cause, 4);
    }
}
