//! The extensions of TCP in Table 1 of STP, each as a guest: TCP of 1988 and what the extension adds.
//!
//! What a variant does is a line of [`Traits`], or a file of its own where its window goes by another law. `examples`
//! has a module for each.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![forbid(unsafe_code)]

mod nice;
mod vegas;
mod westwood;
mod wtcp;

use stp_guest_tcp::{Recovery, Sampling, Standard, Tcp, Traits, Variant};

macro_rules! variants {
    ($($(#[$doc:meta])* $name:ident: $law:ty = $traits:expr;)*) => {
        /// What each does and does not do.
        pub mod kinds {
            use super::*;
            $(
                $(#[$doc])*
                #[derive(Clone, Debug)]
                pub struct $name;

                impl Variant for $name {
                    const IS: Traits = $traits;
                    type Law = $law;
                }
            )*
        }
        $(
            $(#[$doc])*
            pub type $name = Tcp<kinds::$name>;
        )*
    };
}

/// Losses are found by what the peer says that it has.
const SELECTIVE: Traits = Traits { recovery: Recovery::Sack, says_blocks: true, ..Traits::TAHOE };
/// The peer says what came twice, too.
const DUPLICATE: Traits = Traits { says_duplicates: true, undoes_duplicates: true, ..SELECTIVE };
/// What those have in common whose window goes by a law of their own.
const OWN_LAW: Traits = Traits { recovery: Recovery::NewReno, ..Traits::MODERN };

variants! {
    /// TCP of 1988, the baseline: fast retransmit, and slow start behind it.
    Tahoe: Standard = Traits::TAHOE;
    /// Fast recovery (RFC 2001): behind a fast retransmit the window is halved, and duplicates let segments leave.
    FastRecovery: Standard = Traits { recovery: Recovery::Reno, ..Traits::TAHOE };
    /// The algorithm of Karn and Partridge: what was sent twice is not measured, and a timeout stays doubled till then.
    Karn: Standard = Traits { sampling: Sampling::Karn, ..Traits::TAHOE };
    /// Limited transmit (RFC 3042): the first two duplicates let a new segment leave each.
    LimitedTransmit: Standard = Traits { limited_transmit: true, ..Traits::TAHOE };
    /// Appropriate byte counting (RFC 3465).
    ByteCounting: Standard = Traits { byte_counting: true, ..Traits::TAHOE };
    /// Large windows, timestamps and PAWS (RFC 1323).
    HighPerformance: Standard = Traits { large_windows: true, timestamps: true, ..Traits::TAHOE };
    /// Duplicate selective acknowledgments (RFC 2883), and what they are good for (RFC 3708).
    Dsack: Standard = DUPLICATE;
    /// Forward acknowledgments: all in front of the furthest segment that came is lost, but the last three.
    Fack: Standard = Traits { recovery: Recovery::Fack, says_blocks: true, ..Traits::TAHOE };
    /// TCP for satellites (RFC 2488, 2760): large windows, selective acknowledgments, a larger initial window, and
    /// growth by bytes.
    Satellite: Standard =
        Traits { large_windows: true, timestamps: true, initial_segments: 4, byte_counting: true, ..SELECTIVE };
    /// RR-TCP: waits for as many duplicates as reordering on the path wants, which duplicate acknowledgments tell.
    RrTcp: Standard = Traits { learns_reordering: true, ..DUPLICATE };
    /// The Eifel algorithm: by timestamps, an acknowledgment of the first sending is told from one of the second.
    Eifel: Standard = Traits { recovery: Recovery::Reno, timestamps: true, undoes_by_time: true, ..Traits::TAHOE };
    /// Header prediction: a segment that nothing is special about takes a short way.
    HeaderPrediction: Standard = Traits { predicts: true, ..Traits::TAHOE };
    /// TCP Vegas: the window follows what waits in the queue.
    VegasTcp: vegas::Vegas = OWN_LAW;
    /// TCP Nice: Vegas that gives way as soon as round trips rise.
    Nice: nice::Nice = OWN_LAW;
    /// TCP Westwood: a loss leaves what the path has carried lately. Not TCP-friendly: the policer holds it.
    Westwood: westwood::Westwood = OWN_LAW;
    /// WTCP: a loss without a queue is the radio's, and changes nothing. Not TCP-friendly: the policer holds it.
    Wtcp: wtcp::Wtcp = OWN_LAW;
}
