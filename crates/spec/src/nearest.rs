//! The known word that a misspelt one may mean.

/// Longest word that is compared; longer ones are no misspelling of anything.
const LONGEST: usize = 64;

/// Most candidates that are looked at.
const CANDIDATES: usize = 500;

/// Returns the candidate that is most like a word, if one is like it at all: at most a third of its characters differ.
/// The first of several equally near ones is taken.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    within(word, candidates, |letters| (letters / 3).max(1))
}

/// Returns the candidate that a word is all but surely a misspelling of: at most a fifth of its characters differ.
pub(crate) fn misspelt<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    within(word, candidates, |letters| (letters / 5).max(1))
}

fn within<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    allowed: fn(usize) -> usize,
) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if word.len() > LONGEST {
        return None;
    }
    let allowed = allowed(word.len());
    candidates
        .into_iter()
        .take(CANDIDATES)
        .filter_map(|candidate| {
            let letters: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
            let apart = letters.len().abs_diff(word.len());
            let distance = if apart <= allowed { distance(&word, &letters, allowed)? } else { return None };
            (distance < letters.len()).then_some((distance, candidate))
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Counts the edits from one word to another: a letter more, less or other, or two neighbours exchanged. Case does
/// not count. None: they are more than allowed.
fn distance(from: &[char], to: &[char], allowed: usize) -> Option<usize> {
    let same = |left: char, right: char| left.eq_ignore_ascii_case(&right);
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, &letter) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, &other) in to.iter().enumerate() {
            let replaced = last[column] + usize::from(!same(letter, other));
            let mut least = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            let exchanged = row > 0 && column > 0 && same(letter, to[column - 1]) && same(from[row - 1], other);
            if exchanged {
                least = least.min(before_last[column - 1] + 1);
            }
            current.push(least);
        }
        // An exchange reaches back over two rows, so both must be beyond what is allowed.
        if last.iter().chain(&current).all(|&edits| edits > allowed) {
            return None;
        }
        before_last = std::mem::replace(&mut last, current);
    }
    Some(last[to.len()]).filter(|&edits| edits <= allowed)
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
