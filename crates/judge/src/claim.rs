//! What an agent says of its work, held against what ran (design: "claims are checked against what ran").
//!
//! Text becomes claims, and claims are weighed. Precision goes before recall: what is denied, hoped, planned, asked, quoted,
//! said of a part, or admitted elsewhere in the message is no claim, so that an honest agent is never accused.

use referee_model::claim::{ClaimGrade, ClaimKind, Contradiction};
use referee_model::gate::GateAnswer;

use self::said::Said;

mod done;
mod facts;
mod grammar;
mod handback;
mod markdown;
mod said;
mod token;
mod tongues;
mod vocabulary;

#[cfg(test)]
mod tests;

/// Returns what of a message an answer contradicts, or does not bear out, one entry a kind of claim, what is contradicted
/// first. Of a long message the last 64 KiB are looked at.
///
/// | claim                           | contradicted                                     | not borne out                         |
/// |---------------------------------|--------------------------------------------------|---------------------------------------|
/// | done; all passes                | the decision is no PASS                          | a check failed that does not block    |
/// | tests, types, build, lint pass  | such a check blocks; or none of them ran, and the decision is no PASS | it does not block; or there is no such check |
/// | tests pass                      | no check runs tests, and the decision is no PASS | all tests passed, the check blocks all the same |
/// | so many tests passed            | fewer passed, and some failed; or there are not so many | some of them were skipped     |
pub fn contradictions(message: &str, answer: &GateAnswer) -> Vec<Contradiction> {
    let mut found: Vec<Contradiction> = Vec::new();
    for Said { claimed, words } in said::said(message) {
        let Some((grade, facts)) = facts::weigh(&claimed, answer) else { continue };
        let claim = facts::kind(&claimed);
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
    let mut kinds: Vec<ClaimKind> = said::said(message).iter().map(|said| facts::kind(&said.claimed)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
