//! The known word that a misspelt one may mean.

/// Longest word that is compared, in bytes; longer ones are no misspelling of anything.
const LONGEST: usize = 64;

/// Most candidates that are looked at.
const CANDIDATES: usize = 500;

/// Returns the candidate that is most like a word, if one is like it at all: at most a third of its characters differ.
/// The first of several equally near ones is taken.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    within(word, candidates, 3)
}

/// Returns the candidate that a word is all but surely a misspelling of: at most a fifth of its characters differ.
pub fn misspelt<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    within(word, candidates, 5)
}

/// One letter in so many may be more, less or other, or exchanged with its neighbour. Case does not count.
fn within<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, letters: usize) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let allowed = (word.chars().count() / letters).max(1);
    let near = candidates.into_iter().take(CANDIDATES).filter(|candidate| candidate.len() <= LONGEST).filter_map(
        |candidate| {
            let distance = strsim::osa_distance(&word, &candidate.to_ascii_lowercase());
            (distance <= allowed && distance < candidate.chars().count()).then_some((distance, candidate))
        },
    );
    near.min_by_key(|&(distance, _)| distance).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_are_recognised_and_others_are_not() {
        let known = ["timeout", "needs", "run", "maxWarnings", "typeChecking"];
        for (word, meant) in [
            ("timout", Some("timeout")),
            ("tiemout", Some("timeout")),
            ("TIMEOUT", Some("timeout")),
            ("need", Some("needs")),
            ("ruin", Some("run")),
            ("max_warnings", Some("maxWarnings")),
            ("typechecking", Some("typeChecking")),
            ("command", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
        assert_eq!(nearest(&"timeout".repeat(1000), known), None);
    }
}
