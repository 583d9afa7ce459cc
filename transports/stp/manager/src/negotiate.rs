//! What hosts say of transports in a set-up (STP 3.3.1).

use tng_base::CodeHash;

use crate::{Knowledge, Outcome, Policy, Question};

/// Hashes of an offer that are looked at.
pub const OFFERED_MAX: usize = 4;

/// What the responder answers to an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This one of yours is used (the paper's first scenario).
    Ok(CodeHash),
    /// Send this one of yours; the default carries this connection (the second).
    SendMe(CodeHash),
    /// None of yours; the default carries this connection (the third).
    No,
    /// The same to the peer. This one of theirs is to come from a host that the policy names.
    Seek(CodeHash),
    /// Rather this one of mine, if it is there and allowed (the fourth).
    Use(CodeHash),
}

/// What the initiator offers: what its rule prefers, as far as that is here and allowed, the best first.
pub fn offer(policy: &Policy, known: &Knowledge, question: &Question<'_>, now_unix_s: u64) -> Vec<CodeHash> {
    let mut offered: Vec<CodeHash> = Vec::new();
    for hash in preferred(policy, known, question, now_unix_s) {
        if offered.len() == OFFERED_MAX {
            break;
        }
        if !offered.contains(&hash) {
            offered.push(hash);
        }
    }
    offered
}

/// What the responder answers to an offer, whose first [`OFFERED_MAX`] hashes are looked at, in the offerer's order. If
/// this host's rule prefers one that is here and allowed, that is it, offered or not.
pub fn answer_offer(
    policy: &Policy,
    known: &Knowledge,
    question: &Question<'_>,
    offered: &[CodeHash],
    now_unix_s: u64,
) -> Answer {
    let offered = &offered[..offered.len().min(OFFERED_MAX)];
    if offered.is_empty() {
        return Answer::No;
    }
    let best = preferred(policy, known, question, now_unix_s).next();
    if let Some(best) = best {
        return if offered.contains(&best) { Answer::Ok(best) } else { Answer::Use(best) };
    }
    let mut wanted = None;
    for hash in offered {
        match policy.decide(known, question, hash, now_unix_s).outcome {
            Outcome::Run(_) => return Answer::Ok(*hash),
            Outcome::Fetch => wanted = wanted.or(Some(*hash)),
            Outcome::Refuse(_) => {}
        }
    }
    match wanted {
        Some(hash) if policy.rule(question).takes_from_peers() => Answer::SendMe(hash),
        Some(hash) => Answer::Seek(hash),
        None => Answer::No,
    }
}

/// Whether the initiator takes what the responder would rather use.
pub fn settle_use(
    policy: &Policy,
    known: &Knowledge,
    question: &Question<'_>,
    hash: &CodeHash,
    now_unix_s: u64,
) -> bool {
    policy.decide(known, question, hash, now_unix_s).limits().is_some()
}

/// What a rule prefers, as far as it is here and allowed.
fn preferred<'a>(
    policy: &'a Policy,
    known: &'a Knowledge,
    question: &'a Question<'_>,
    now_unix_s: u64,
) -> impl Iterator<Item = CodeHash> + 'a {
    let chosen = policy.rule(question).prefer.iter().filter_map(|choice| known.chosen(policy, choice));
    chosen.filter(move |hash| policy.decide(known, question, hash, now_unix_s).limits().is_some())
}
