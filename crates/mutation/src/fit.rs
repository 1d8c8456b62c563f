//! The same place in a changed file.

use crate::mutant::Mutant;
use crate::mutation::mutants;

/// Finds a mutant in a text that was changed: in a function of the same name, where the same expression stands, else, where no
/// peer of it went, the peer that is nearest. None: the function or the expression is gone, or the text cannot be parsed.
pub fn fit(mutant: &Mutant, text: &str) -> Option<Mutant> {
    let candidates: Vec<Mutant> =
        mutants(mutant.language, text).ok()?.into_iter().filter(|other| other.is_same_edit(mutant)).collect();
    let distance = |other: &&Mutant| other.anchor.ordinal.abs_diff(mutant.anchor.ordinal);
    let is_same = |other: &&Mutant| other.anchor.expression == mutant.anchor.expression;
    let peers = || candidates.iter().filter(|other| other.is_peer_of(mutant));
    let same_peer = peers().filter(is_same).min_by_key(distance);
    let same = same_peer.or_else(|| candidates.iter().filter(is_same).min_by_key(distance));
    let renamed = || peers().min_by_key(distance).filter(|other| other.anchor.peers >= mutant.anchor.peers);
    same.or_else(renamed).cloned()
}
