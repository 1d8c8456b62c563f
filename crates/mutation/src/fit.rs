//! A mutant is found again in a file that changed, by its syntax and never by its lines.

use referee_model::mutant::{Language, Mutant};

use crate::mutation::mutants;
use crate::source::Refusal;

/// Finds a mutant in a text that was changed: in a function of the same name, where the same expression stands, else, where no
/// peer of it went, the peer that is nearest. None: the function or the expression is gone, or the text cannot be parsed.
pub fn fit(mutant: &Mutant, text: &str) -> Option<Mutant> {
    fits(std::slice::from_ref(mutant), mutant.language, text).ok()?.pop()?
}

/// The same of several mutants of one file, in their order.
///
/// # Errors
/// Fails for a text that is not parsed.
pub fn fits(sought: &[Mutant], language: Language, text: &str) -> Result<Vec<Option<Mutant>>, Refusal> {
    let all = mutants(language, text)?;
    Ok(sought.iter().map(|mutant| find(mutant, &all)).collect())
}

fn find(mutant: &Mutant, all: &[Mutant]) -> Option<Mutant> {
    let candidates: Vec<&Mutant> = all.iter().filter(|other| other.is_same_edit(mutant)).collect();
    let distance = |other: &&&Mutant| other.anchor.ordinal.abs_diff(mutant.anchor.ordinal);
    let is_same = |other: &&&Mutant| other.anchor.expression == mutant.anchor.expression;
    let peers = || candidates.iter().filter(|other| other.is_peer_of(mutant));
    let same_peer = peers().filter(is_same).min_by_key(distance);
    let same = same_peer.or_else(|| candidates.iter().filter(is_same).min_by_key(distance));
    let renamed = || peers().min_by_key(distance).filter(|other| other.anchor.peers >= mutant.anchor.peers);
    same.or_else(renamed).copied().cloned()
}
