//! Locates a mutant in a changed file by its syntax, never by its lines.

use referee_model::mutant::{Language, Mutant};

use crate::mutation::mutants;
use crate::source::Refusal;

/// Locates a mutant in a changed text: in a function of the same name, at the same expression, or else, if none
/// of its peers was removed, at the nearest peer. None: the function or the expression no longer exists, or the
/// text cannot be parsed.
pub fn fit(mutant: &Mutant, text: &str) -> Option<Mutant> {
    fits(std::slice::from_ref(mutant), mutant.language, text).ok()?.pop()?
}

/// Locates several mutants of one file, returned in the same order.
///
/// # Errors
/// Fails for a text that cannot be parsed within the limits.
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
