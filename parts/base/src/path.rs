//! What a channel says of its path to whatever stands above it.

/// The condition of a path (Tng 6.1): the flow's own judgement, from the acknowledgments it sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PathCondition {
    /// Packets are being acknowledged, or nothing is outstanding.
    #[default]
    Good,
    /// Probes go unanswered; a new path is worth looking for.
    Stalled,
    /// Given up: nothing was heard for the failure time.
    Failed,
}
