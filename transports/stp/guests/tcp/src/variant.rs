//! What makes one TCP another one.

use core::fmt;

use crate::law::{Law, Standard};

/// How losses are found and made good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// By duplicates; then all that is not acknowledged leaves again, from a window of one segment on (Jacobson 1988).
    Tahoe,
    /// By duplicates; the window is halved, and they let new segments leave until something is acknowledged (RFC 2001).
    Reno,
    /// The same, and after the first loss by what an acknowledgment leaves open (RFC 6582).
    NewReno,
    /// By what the peer says that it has (RFC 6675).
    Sack,
    /// By the furthest of what it says that it has (Mathis and Mahdavi 1996).
    Fack,
}

impl Recovery {
    /// Whether it goes by what the peer says that it has.
    pub const fn is_selective(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::Fack)
    }
}

/// Which round trips are measured, and what becomes of a timeout that has been doubled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// Those of all segments, by when each left last; any progress ends the doubling (RFC 793).
    Any,
    /// Those of segments that left once; any progress ends the doubling.
    Once,
    /// Those of segments that left once; such a one alone ends the doubling (Karn and Partridge 1987).
    Karn,
}

/// What a TCP does and does not do. All are constants: a module has the code of its own traits alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits {
    /// How losses are found and made good.
    pub recovery: Recovery,
    /// Which round trips are measured.
    pub sampling: Sampling,
    /// Segments of the initial window.
    pub initial_segments: u64,
    /// The window grows by bytes that were acknowledged (RFC 3465), not by acknowledgments.
    pub byte_counting: bool,
    /// The first two duplicates let a new segment leave each (RFC 3042).
    pub limited_transmit: bool,
    /// Windows of more than 65,535 bytes (RFC 1323, section 2).
    pub large_windows: bool,
    /// Segments say when they left, and what they answer (RFC 1323, section 3 and 4).
    pub timestamps: bool,
    /// Acknowledgments say what came beyond them (RFC 2018),
    pub says_blocks: bool,
    /// and what came twice (RFC 2883).
    pub says_duplicates: bool,
    /// What was sent again and came twice was not lost: the window is what it was before (RFC 3708).
    pub undoes_duplicates: bool,
    /// What was acknowledged by the time of its first sending was not lost (RFC 3522, 4015).
    pub undoes_by_time: bool,
    /// So many duplicates say that something is lost as reordering on this path wants (RR-TCP).
    pub learns_reordering: bool,
    /// Segments that nothing is special about take a short way (Jacobson 1990).
    pub predicts: bool,
}

impl Traits {
    /// TCP of 1988: what the paper's Table 1 takes for the baseline. It has fast retransmit, and nothing of the table.
    pub const TAHOE: Traits = Traits {
        recovery: Recovery::Tahoe,
        sampling: Sampling::Any,
        initial_segments: 1,
        byte_counting: false,
        limited_transmit: false,
        large_windows: false,
        timestamps: false,
        says_blocks: false,
        says_duplicates: false,
        undoes_duplicates: false,
        undoes_by_time: false,
        learns_reordering: false,
        predicts: false,
    };

    /// What the guests NewReno and SACK have in common: a TCP of today.
    pub const MODERN: Traits = Traits {
        recovery: Recovery::NewReno,
        sampling: Sampling::Once,
        initial_segments: 10,
        byte_counting: true,
        limited_transmit: true,
        large_windows: true,
        ..Traits::TAHOE
    };
}

/// A TCP.
pub trait Variant: Clone + fmt::Debug {
    /// What it does and does not do.
    const IS: Traits;
    /// How its window grows and shrinks.
    type Law: Law;
}

/// The one that has just what is [modern](Traits::MODERN): NewReno.
#[derive(Clone, Debug)]
pub struct Modern;

impl Variant for Modern {
    const IS: Traits = Traits::MODERN;
    type Law = Standard;
}
