//! Suggestions for misspelled words.

/// Maximum length of a word that is compared, in bytes; a longer one is not considered a misspelling.
const LONGEST: usize = 64;

/// Maximum number of candidates that are compared.
const CANDIDATES: usize = 500;

/// Returns the candidate most similar to a word, if at most a third of its characters differ. Of several equally
/// similar candidates the first one is returned.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    within(word, candidates, 3)
}

/// Returns the candidate that a word is almost certainly a misspelling of: at most a fifth of its characters differ.
pub fn misspelt<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    within(word, candidates, 5)
}

/// Allows one edit per `letters` letters: an insertion, deletion, substitution or transposition. Ignores case.
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
