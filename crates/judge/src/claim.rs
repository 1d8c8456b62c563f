//! What an agent says of its work, held against what ran (design: "claims are checked against what ran").
//!
//! Text becomes claims, and claims are weighed. A table of phrases (`table`) says what words mean; a sentence claims something
//! where nothing but known phrases stands in a clause of it, in one of few shapes (`sentence`). Precision goes before recall:
//! what is denied, hoped, planned, asked, quoted, said of a part, or admitted elsewhere in the message is no claim, so that an
//! honest agent is never accused.

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

/// Returns what of a message an answer contradicts, or does not bear out, one entry a kind of claim, what is contradicted
/// first. Of a long message the last 64 KiB are looked at.
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
        // Whoever speaks of what blocks, and does not say that it passes, has not called it done.
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

/// The kinds of claims that a message makes, each once, whatever ran.
pub fn kinds(message: &str) -> Vec<ClaimKind> {
    let mut kinds: Vec<ClaimKind> = message::read(message).claims.iter().map(|(claim, _)| facts::kind(claim)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
