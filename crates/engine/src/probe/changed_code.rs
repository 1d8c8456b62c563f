//! Defects in code that a change wrote, planted at the gate. No learned probe covers such code.

use std::collections::BTreeSet;

use referee_model::id::WorkspacePath;
use referee_model::limit;
use referee_model::mutant::Mutant;
use similar::{ChangeTag, TextDiff};

use super::shuffle;
use super::source::{self, Candidate};
use crate::mutator::Mutator;
use crate::protection::commit::Committed;

/// Maximum number of changed files in which defects are planted, chosen at random.
const FILES_MAX: usize = 50;

/// A defect in code that a change wrote.
pub(super) struct ChangedCode {
    pub(super) path: WorkspacePath,
    pub(super) mutant: Mutant,
    /// Text of the file with the defect.
    pub(super) text: String,
}

/// Returns random defects in the lines that files of a candidate have and a commit does not, one for each function.
pub(super) fn defects(
    candidate: Candidate<'_>,
    committed: &Committed,
    mut paths: Vec<String>,
    mutator: &Mutator,
    seed: &str,
) -> Vec<ChangedCode> {
    paths.retain(|path| source::language(path).is_some());
    shuffle(seed, &mut paths);
    paths.truncate(FILES_MAX);
    let before = committed.contents(&paths);
    let mut found: Vec<ChangedCode> = Vec::new();
    let mut functions = BTreeSet::new();
    for (path, before) in paths.iter().zip(before) {
        let (Some(language), Ok(place)) = (source::language(path), WorkspacePath::parse(path)) else { continue };
        let Some(text) = source::text(candidate.workspace, path) else { continue };
        let before = before.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        let lines = written(&before, &text);
        // A file that cannot be parsed yields no defects.
        let Ok(mut mutants) = mutator.mutants(language, &text) else { continue };
        mutants.retain(|mutant| lines.contains(&mutant.line));
        shuffle(&format!("{seed} {path}"), &mut mutants);
        for mutant in mutants {
            let is_first = functions.insert((path.clone(), mutant.anchor.function.clone()));
            if let Some(planted) = mutant.apply(&text).filter(|_| is_first) {
                found.push(ChangedCode { path: place.clone(), mutant, text: planted });
            }
        }
    }
    shuffle(seed, &mut found);
    found
}

/// Returns the 1-based numbers of the lines that are not in an earlier text.
fn written(before: &str, now: &str) -> BTreeSet<usize> {
    let (before, now): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    if before.len().max(now.len()) > limit::DIFFERENCE_LINES {
        let known: BTreeSet<&str> = before.iter().map(|line| line.trim()).collect();
        let is_new = |(_, line): &(usize, &&str)| !known.contains(line.trim());
        return now.iter().enumerate().filter(is_new).map(|(at, _)| at + 1).collect();
    }
    let compared = TextDiff::from_slices(&before, &now);
    let inserted = compared.iter_all_changes().filter(|change| change.tag() == ChangeTag::Insert);
    inserted.filter_map(|change| change.new_index()).map(|at| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_where_the_earlier_text_has_them_not() {
        let lines = |before: &str, now: &str| written(before, now).into_iter().collect::<Vec<_>>();
        assert_eq!(lines("a\nb\nc\n", "a\nx\nb\nc\ny\n"), [2, 5]);
        assert_eq!(lines("", "a\nb\n"), [1, 2]);
        assert_eq!(lines("a\nb\n", "b\n"), [0; 0]);
        let long = |word: &str| format!("{}{word}\n", "line\n".repeat(limit::DIFFERENCE_LINES + 1));
        assert_eq!(lines(&long("a"), &long("b")), [limit::DIFFERENCE_LINES + 2]);
    }
}
