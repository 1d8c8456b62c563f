//! Claims of an agent about its work, checked against the run (design: "claims are checked against what ran").
//!
//! A table of phrases (`table`) gives words a meaning; a sentence is a claim if one of its clauses consists of
//! known phrases only, in one of few shapes (`sentence`). Precision has priority over recall: statements that
//! are denied, hoped, planned, asked, quoted, restricted to a part, or admitted elsewhere in the message are
//! not claims, so that an honest agent is never accused.

use referee_model::claim::{ClaimGrade, ClaimKind, Contradiction};
use referee_model::gate::GateAnswer;

use self::sentence::Claim;

mod facts;
mod handback;
mod markdown;
mod message;
mod phrases;
mod scan;
mod sentence;

#[cfg(test)]
mod tests;

/// Returns the claims of a message that an answer contradicts or does not support, one entry per kind of claim,
/// contradicted ones first. Only the last 64 KiB of a message are examined.
///
/// | claim                           | contradicted                                     | not borne out                         |
/// |---------------------------------|--------------------------------------------------|---------------------------------------|
/// | done; all passes                | the decision is no PASS, and the message leaves nothing open that blocks | a check failed that does not block    |
/// | tests, types, build, lint pass  | such a check blocks; or none of them ran, and the decision is no PASS | it does not block; or there is no such check |
/// | tests pass                      | no check runs tests, and the decision is no PASS | all tests passed, the check blocks all the same |
/// | so many tests passed            | fewer passed, and some failed; or there are not so many | some of them were skipped     |
pub fn contradictions(message: &str, answer: &GateAnswer) -> Vec<Contradiction> {
    let mut found: Vec<Contradiction> = Vec::new();
    let message = message::read(message);
    let (several, leaves_open) = (message.tells_of_several(), message.leaves_open(answer));
    for (claim, words) in message.claims {
        // A message that mentions a blocking check without calling it passed has not claimed to be done.
        if leaves_open && matches!(claim, Claim::Done | Claim::Passes { role: None, .. }) {
            continue;
        }
        let Some((grade, facts)) = facts::weigh(&claim, several, answer) else { continue };
        let claim = facts::kind(&claim);
        match found.iter_mut().find(|other| other.claim == claim) {
            None => found.push(Contradiction { grade, claim, words, facts }),
            Some(other) if other.grade == ClaimGrade::Unsupported && grade == ClaimGrade::Contradicted => {
                *other = Contradiction { grade, claim, words, facts };
            }
            Some(_) => {}
        }
    }
    found.sort_by_key(|contradiction| contradiction.grade);
    found
}

/// Returns the kinds of claims in a message, each once, without checking them.
pub fn kinds(message: &str) -> Vec<ClaimKind> {
    let mut kinds: Vec<ClaimKind> = message::read(message).claims.iter().map(|(claim, _)| facts::kind(claim)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
